"""What a viewer in three dimensions needs of a run: solids in body axes with their poses, and points that move.

`pieces_of(run, drawing)` gives for every body its triangles, segments and dots once, and for every state of the run the
place of its origin and its turn as a quaternion. Joints, springs, lines and traces are points in space, as in a film. A
motion in the plane lies in the plane z = 0. Nothing here knows what shows it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle

import numpy as np
import scipy
from numpy.typing import NDArray

from gauss.bodies import Drawing
from gauss.bodies.body.body import GROUND
from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.geometry.shapes import Outline, Shape
from gauss.motion import Trajectory
from gauss.show.film.animate import ARROW, MOST, RATE, consecutive, frames_of
from gauss.show.film.bodies import COLOURS, GREY, Frame, Part, Plane, frame_by, frame_of, scene_of, still
from gauss.show.film.forces import arrows_of

FLAT = 1e-12  # area of a triangle relative to its longest side squared, up to which it is none
CREASE = float(np.cos(np.radians(40.0)))  # of two triangles that meet in an edge; below this angle they are smooth
MOST_EVENTS = 3  # events with a verdict that are told
SAMPLED = 65  # states that say how large the scene is


class _Mark:
    """One point in place of a shape, in space or in the plane."""

    def outline(self, dimension: int) -> Outline:
        """Return the origin."""
        return Outline(points=np.zeros((1, dimension)))


@dataclass(frozen=True)
class MovingSolid:
    """What is fixed in one body, in its axes, and where the body is at N times."""

    name: str  # /ground, /bodies/NAME, or /placed/0, …
    colour: str
    corners: tuple[Array, Array]  # each (3 F, 3) m: of the F triangles of the first and the second, lighter tone
    segments: Array  # (s, 2, 3) m
    dots: Array  # (p, 3) m
    origin: Array  # (N, 3) m
    turn: Array  # (N, 4): unit quaternion w, x, y, z that takes body axes to space
    clear: bool = False  # whether what is within it is seen

    def places(self, at: Array) -> Array:
        """Return all its points (K, p, 3) in space at the states with the indices `at` (K,).

        A point p goes to p + 2 w u × p + 2 u × (u × p), with the scalar w and the vector u of the quaternion.
        """
        points = np.concatenate([*self.corners, self.segments.reshape(-1, 3), self.dots])
        w, u = self.turn[at, None, :1], self.turn[at, None, 1:]
        across = np.cross(u, points)
        return np.asarray(self.origin[at, None] + points + 2.0 * (w * across + np.cross(u, across)))


@dataclass(frozen=True)
class Pieces:
    """Everything that is shown of a motion, at N times, in space."""

    times: Array  # (N,) s
    solids: tuple[MovingSolid, ...]
    parts: tuple[Part, ...]  # joints, springs, lines, traces; places (N, k, 3) m
    planes: tuple[Plane, ...]
    middle: Array  # (3,) m, of everything less `shift`
    radius: float  # m: hardly anything is farther from the middle
    shift: Array  # (N, 3) m: where the body is that is followed; 0 where none is
    flat: bool  # whether the motion is one in the plane
    floor: float  # m: nothing is lower along what is up
    energy: Array  # (N,) J
    words: tuple[str, ...]  # on the system and its motion

    def nearest(self, time: float) -> int:
        """Return the index of the state nearest to a time (s)."""
        return int(np.argmin(np.abs(self.times - time)))

    def energy_at(self, k: int) -> str:
        """Return the energy of state k in words."""
        return f"energy {self.energy[k]:.6g} J, since the start {self.energy[k] - self.energy[0]:+.3g} J"


def pieces_of(run: Trajectory, drawing: Drawing, forces: bool = False) -> Pieces:
    """Return what is shown at all states of a run, with `forces` those of its joints and rows too.

    Raises InputError where the run is of another system than the mechanism, nothing is left to show, a line or trace
    gives no points, or the axes of a shape that is placed are no rotation.
    """
    mechanism, marks = drawing.mechanism, _Mark()
    hidden: dict[object, Shape | Sequence[Shape]] = {GROUND: ()}
    if mechanism is not None:
        hidden.update(dict.fromkeys(mechanism.bodies, marks))
    bare = replace(drawing, shapes=hidden, placed=[(marks, where) for _, where in drawing.placed])
    scene = scene_of(run, bare)  # all but the shapes
    parts = tuple(replace(part, places=_in_space(part.places)) for part in scene.parts if part.kind != "dots")
    solids = _solids(run, drawing, scene.dimension)
    if not parts and not solids:
        raise InputError("there is nothing to show: all bodies are hidden.")
    shift = np.zeros((len(run), 3)) if drawing.follow is None else _in_space(scene.middle)
    moving = [part.places for part in parts if part.kind != "trace" or drawing.follow is None]
    up = np.array([0.0, 1.0, 0.0] if scene.dimension == 2 else drawing.up)
    middle, radius, floor = _extent(solids, moving, shift, up)
    words = [scene.note, f"redundant rows: {', '.join(run.about.redundant)}" if run.about.redundant else ""]
    words += [*[str(event) for event in run.events if event.verdict][:MOST_EVENTS], run.ending.message]
    if forces:
        d = scene.dimension
        seen = np.full(d, radius)
        arrows, _, note = arrows_of(run, drawing, ARROW * radius, (middle + shift)[:, :d], seen)
        parts += tuple(replace(part, places=_in_space(part.places)) for part in arrows)
        words.append(note)
    told = (run.about.system, *filter(None, words))
    return Pieces(
        run.t, solids, parts, scene.planes, middle, radius, shift, scene.dimension == 2, floor, run.energy, told
    )


def shown_states(run: Trajectory | Sequence[Trajectory], drawing: Drawing, speed: float) -> Trajectory:
    """Return the motion at equally spaced times from its start to its end.

    They are so close that a frame rate of 25 per second is reached at `speed` seconds of the motion per second, but at
    most 3000. Raises InputError for what is no run or an empty one.
    """
    runs = consecutive(run, "a view")
    span = float(runs[-1].t[-1] - runs[0].t[0])
    steps = min(max(math.ceil(span * RATE / speed - 1e-9), 1), MOST - 1)
    return frames_of(runs, drawing, RATE * span / steps if span > 0.0 else speed, RATE)


def triangles(face: Array) -> Array:
    """Return the corners (F, 3, 3) of triangles that fill a plane polygon (k, 3); it may be re-entrant.

    Ears are cut off one after the other (G. H. Meisters, American Mathematical Monthly 82 (1975) 648). Triangles
    without area are left out.
    """
    normal = np.sum(np.cross(face, np.roll(face, -1, axis=0)), axis=0)
    length = float(np.linalg.norm(normal))
    normal = normal / length if length > 0.0 else normal
    left, found = list(range(len(face))), []
    while len(left) > 3:
        k = next((k for k in range(len(left)) if _is_ear(face, left, k, normal)), 0)
        found.append([left[k - 1], left[k], left[(k + 1) % len(left)]])
        del left[k]
    made = face[np.array([*found, left])]
    sides = made - np.roll(made, 1, axis=1)
    area = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    return np.asarray(made[area > FLAT * np.max(np.sum(sides**2, axis=2), axis=1)])


def smoothed(corners: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return vertices (V, 3) and triangles (F, 3) of them for corners (3 F, 3): one vertex where a surface is smooth.

    Corners at one place are one vertex if their triangles are inclined by less than 40°, so that a viewer that shades
    by normals at vertices shows round bodies round, and edges sharp.
    """
    made = corners.reshape(-1, 3, 3)
    normals = np.cross(made[:, 1] - made[:, 0], made[:, 2] - made[:, 0])
    normals = np.repeat(normals / np.linalg.norm(normals, axis=1, keepdims=True), 3, axis=0)
    size = float(np.max(np.ptp(corners, axis=0)))
    place = np.unique(np.round(corners / (1e-9 * size)), axis=0, return_inverse=True)[1].ravel()
    vertices: list[Array] = []
    index, there = np.zeros(len(corners), dtype=np.int64), dict[int, list[tuple[Array, int]]]()
    for k, spot in enumerate(place.tolist()):
        known = there.setdefault(spot, [])
        found = next((i for normal, i in known if normal @ normals[k] > CREASE), None)
        if found is None:
            found = len(vertices)
            vertices.append(corners[k])
            known.append((normals[k], found))
        index[k] = found
    return np.array(vertices), index.reshape(-1, 3)


def toward(directions: Array) -> Array:
    """Return the quaternions (N, 4) of the shortest turns from the z axis to directions (N, 3) of any length."""
    n = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    found = np.column_stack([1.0 + n[:, 2], -n[:, 1], n[:, 0], np.zeros(len(n))])
    found[1.0 + n[:, 2] < FLAT] = (0.0, 1.0, 0.0, 0.0)  # half a turn
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def _is_ear(face: Array, left: list[int], k: int, normal: Array) -> bool:
    """Whether the corner left[k] and its neighbours are a triangle of the polygon in which no other corner lies."""
    a, b, c = (face[left[j % len(left)]] for j in (k - 1, k, k + 1))
    if np.cross(b - a, c - b) @ normal <= 0.0:
        return False
    rest = [j for j in left if j not in (left[k - 1], left[k], left[(k + 1) % len(left)])]
    points = face[rest]
    points = points[~np.any([np.all(points == corner, axis=1) for corner in (a, b, c)], axis=0)]
    inside = [np.cross(q - p, points - p) @ normal >= 0.0 for p, q in ((a, b), (b, c), (c, a))]
    return not np.any(np.all(inside, axis=0))


def _solids(run: Trajectory, drawing: Drawing, dimension: int) -> tuple[MovingSolid, ...]:
    """Return the ground, if it has a shape, the bodies that are not hidden, and the shapes that are placed."""
    at_rest = still(dimension, len(run))
    found = [_solid("/ground", GREY, drawing.shapes_of(GROUND), at_rest)]
    bodies = drawing.mechanism.bodies if drawing.mechanism is not None else ()
    for body, colour in zip(bodies, cycle(COLOURS), strict=False):
        found.append(_solid(f"/bodies/{body.name}", colour, drawing.shapes_of(body), frame_of(body, run)))
    for k, (given, where) in enumerate(drawing.placed):
        found.append(_solid(f"/placed/{k}", COLOURS[k % len(COLOURS)], given, frame_by(where, run)))
    return tuple(s for s in found if any(map(len, (*s.corners, s.segments, s.dots))))


def _solid(name: str, colour: str, given: Sequence[Shape], frame: Frame) -> MovingSolid:
    """Return what shapes consist of; a face without area becomes a line."""
    origin, columns = frame
    corners: tuple[list[Array], list[Array]] = ([np.zeros((0, 3))], [np.zeros((0, 3))])
    segments, dots = [np.zeros((0, 2, 3))], [np.zeros((0, 3))]
    outlines = [shape.outline(origin.shape[1]) for shape in given]
    for outline in outlines:
        for face, tone in zip(outline.faces, outline.tones, strict=True):
            around = _in_space(face)
            made = triangles(around)
            corners[tone].append(made.reshape(-1, 3))
            if not len(made):
                segments.append(segments_of(np.vstack([around, around[:1]])))
        segments += [segments_of(_in_space(line)) for line in outline.lines]
        if len(outline.points):
            dots.append(_in_space(outline.points))
    both = (np.vstack(corners[0]), np.vstack(corners[1]))
    clear, turn = any(outline.clear for outline in outlines), _quaternions(columns)
    return MovingSolid(name, colour, both, np.vstack(segments), np.vstack(dots), _in_space(origin), turn, clear)


def segments_of(points: Array) -> Array:
    """Return the segments (k - 1, 2, 3) of a line through points (k, 3)."""
    return np.stack([points[:-1], points[1:]], axis=1)


def _quaternions(columns: Array) -> Array:
    """Return the quaternions (N, 4), w first, of the rotations nearest to matrices (N, d, d)."""
    R = np.broadcast_to(np.eye(3), (len(columns), 3, 3)).copy()
    d = columns.shape[1]
    R[:, :d, :d] = columns
    return np.asarray(np.roll(scipy.spatial.transform.Rotation.from_matrix(R).as_quat(), 1, axis=1))


def _in_space(points: Array) -> Array:
    """Return points (…, d) as (…, 3), with z = 0 where they are in the plane."""
    return np.concatenate([points, np.zeros((*points.shape[:-1], 3 - points.shape[-1]))], axis=-1)


def _extent(
    solids: Sequence[MovingSolid], moving: Sequence[Array], shift: Array, up: Array
) -> tuple[Array, float, float]:
    """Return the middle (3,) of everything less `shift`, the largest distance from it, and the least height `up`.

    They are those of SAMPLED states.
    """
    at = np.unique(np.linspace(0, len(shift) - 1, SAMPLED).round().astype(int))
    clouds = [places[at] - shift[at, None] for places in moving]
    clouds += [solid.places(at) - shift[at, None] for solid in solids]
    every = np.concatenate([cloud.reshape(-1, 3) for cloud in clouds]) if clouds else np.zeros((1, 3))
    middle = (np.min(every, axis=0) + np.max(every, axis=0)) / 2.0
    return middle, float(np.max(np.linalg.norm(every - middle, axis=1))) or 1.0, float(np.min(every @ up))
