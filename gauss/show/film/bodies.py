"""The points in space, at every frame, of all that a `Drawing` shows; what puts them on a page need know no mechanics.

`scene_of(run, drawing)` places the outlines of the bodies by the coordinates of a run, which may have any number of
states, and adds joints, springs, contacts, planes and traces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from gauss.bodies import Mechanism, drawing_of
from gauss.bodies.body.body import GROUND, AnyBody
from gauss.bodies.body.rods_and_particles import Particle, Rod
from gauss.bodies.drawing import Drawing
from gauss.bodies.forces.forces import Spring
from gauss.bodies.joints.planar_joints import Pin, Slider
from gauss.bodies.joints.spatial_joints import Cylindrical, Distance, PlanarJoint, Prismatic, RevoluteSpherical
from gauss.errors import InputError, described
from gauss.foundation.arrays import Array
from gauss.geometry.placed import Placed
from gauss.geometry.shapes import Shape
from gauss.geometry.vectors import across
from gauss.motion import Trajectory

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # of M. Okabe and K. Ito, for all eyes
GREY, DARK = "#8a8a8a", "#222222"
ROOM = 0.06  # of the largest extent, left free around everything
THIN, NARROW = 0.15, 0.3  # of the largest extent, that each has at least; on a page across, for the numbers below it
SKEW = 1e-3  # of RᵀR − 1, up to which the axes of a shape that is placed count as a rotation
SLIDING = (Cylindrical, PlanarJoint, Prismatic)  # joints whose second body moves away from the point of the first
LINKS = (Distance, RevoluteSpherical)  # joints that are rods without mass
OPPOSITE = 1e-12  # 1 + cosine below which two directions count as opposite


@dataclass(frozen=True)
class Part:
    """Points that are drawn together, at N times: the corners of a face, a line, or dots."""

    places: Array  # (N, k, d) m; of a trace (M, 1, d), `each` of them from one time to the next
    colour: str
    kind: str  # "face", "line", "string", "spring", "dots", "joint", "anchor", "trace", or of forces: see forces.py
    tone: int = 0  # of a face: 1 is lighter
    each: int = 1  # of a trace
    clear: bool = False  # whether what is behind a face is seen


@dataclass(frozen=True)
class Plane:
    """A plane on which something rolls, at N times."""

    through: Array  # (N, 3) m
    normal: Array  # (N, 3)


@dataclass(frozen=True)
class FilmScene:
    """Everything that is drawn of a motion, with N times and d dimensions."""

    times: Array  # (N,) s
    parts: tuple[Part, ...]
    planes: tuple[Plane, ...]
    middle: Array  # (N, d) m: the body that is followed, or the middle of everything
    half: Array  # (d,) m: how far from the middle anything comes, with some room
    note: str = ""  # what stands in the corner

    @property
    def dimension(self) -> int:
        """3 in space, 2 in the plane."""
        return int(self.middle.shape[1])

    def named(self, kind: str) -> list[Part]:
        """Return the parts of a kind."""
        return [part for part in self.parts if part.kind == kind]


def drawn(run: Trajectory, drawing: Drawing | Mechanism | None) -> Drawing:
    """Return how a run is drawn. Raises InputError."""
    if isinstance(drawing, str | Path):
        raise InputError(
            f"a drawing is of a Mechanism, got {str(drawing)!r}; a file is named by path={str(drawing)!r}."
        )
    if drawing is None:
        return drawing_of(run)
    return drawing if isinstance(drawing, Drawing) else Drawing(drawing)


@dataclass(frozen=True)
class _ByName:
    """A run as the functions of a drawing see it: q.x and q["x"] are the coordinate, q.t what it is of the run."""

    _run: Trajectory

    def __getitem__(self, name: str) -> Array:
        return self._run[name]

    def __getattr__(self, name: str) -> Any:
        known = re.sub("^dd?_", "", name) in self._run.about.coordinates
        return self._run[name] if known else getattr(self._run, name)

    def __len__(self) -> int:
        return len(self._run)


def scene_of(run: Trajectory, drawing: Drawing, each: int = 1, fine: Trajectory | None = None) -> FilmScene:
    """Return the scene at all states of a run; traces have `each` places from one state to the next.

    `fine` is the same motion at these times; left out, traces are straight between the states.

    Raises InputError where the run is of another system than the mechanism, or a line or trace gives no points.
    """
    mechanism = drawing.mechanism
    parts: list[Part] = []
    planes: tuple[Plane, ...] = ()
    if mechanism is not None:
        if run.about.coordinates != mechanism.system.coordinates:
            raise InputError(
                f"the run is of {run.about.system!r}, whose coordinates are not those of the mechanism"
                f" {mechanism.name!r}."
            )
        parts, planes = _mechanism(run, drawing)
    lines = [_curve(run, line, "a line") for line in drawing.lines]
    size = parts[0].places.shape[2] if parts else None
    colour = iter(cycle(COLOURS))
    for shapes, where in drawing.placed:
        parts += _moving(run, shapes, where, next(colour))
    for points in lines:
        parts.append(Part(points, next(colour) if mechanism is None else GREY, "line"))
        if mechanism is None:
            parts.append(Part(points, DARK, "joint"))
    parts += [Part(_curve(run, line, "a string"), GREY, "string") for line in drawing.strings]
    fine, each = (run, 1) if fine is None else (fine, each)
    for k, trace in enumerate(drawing.traces):
        path = _curve(fine, trace, "a trace", least=1)[:, :1]
        parts.append(Part(path, COLOURS[(k + 3) % len(COLOURS)], "trace", each=each))
    planes = (*planes, *(_resting(through, normal, len(run)) for through, normal in drawing.planes))
    dimension = mechanism.bodies[0].dimension if mechanism is not None else parts[0].places.shape[2]
    for shape in drawing.shapes_of(GROUND):
        parts += _placed(shape.outline(dimension), still(dimension, len(run)), GREY)
    if not parts:
        raise InputError("there is nothing to draw: all bodies are hidden.")
    sizes = {part.places.shape[2] for part in parts}
    if len(sizes) > 1 or (size is not None and sizes != {size}):
        raise InputError(f"the drawing mixes points of {' and '.join(map(str, sorted(sizes)))} components.")
    middle, half = _room(run, drawing, parts)
    return FilmScene(run.t, tuple(parts), planes, middle, half, drawing.note)


def _mechanism(run: Trajectory, drawing: Drawing) -> tuple[list[Part], tuple[Plane, ...]]:
    """Return the parts and planes of a mechanism."""
    mechanism = drawing.mechanism
    assert mechanism is not None
    dimension, count = mechanism.bodies[0].dimension, len(run)
    parts: list[Part] = []
    for body, colour in zip(mechanism.bodies, cycle(COLOURS), strict=False):
        frame = frame_of(body, run)
        for shape in drawing.shapes_of(body):
            parts += _placed(shape.outline(dimension), frame, colour)
    planes = []
    joints: tuple[Any, ...] = tuple(mechanism.joints)
    for part in joints:
        if hasattr(part, "body1") and hasattr(part, "point1") and not isinstance(part, Slider):  # it has a block
            moves = isinstance(part, SLIDING) and part.body2 is not GROUND
            at = point_of(*((part.body2, part.point2) if moves else (part.body1, part.point1)), run)
            parts.append(Part(at, DARK, "joint"))
            if isinstance(part, LINKS):
                ends = [at, point_of(part.body2, part.point2, run)]
                parts += [Part(np.concatenate(ends, axis=1), GREY, "line"), Part(ends[1], DARK, "joint")]
            if part.body1 is GROUND and isinstance(part, Pin):
                parts.append(Part(at, GREY, "anchor"))
        if hasattr(part, "contact"):
            parts.append(Part(in_rows(part.contact(run), count)[:, None], DARK, "joint"))
        if all(hasattr(part, word) for word in ("normal", "through", "carrier")):
            carrier = part.carrier.placed(run)
            normal = in_rows(carrier.direction(part.normal), count)
            planes.append(Plane(in_rows(carrier.point(part.through), count), normal))
    for force in mechanism.forces:
        if isinstance(force, Spring):
            ends = [point_of(force.body1, force.point1, run), point_of(force.body2, force.point2, run)]
            parts.append(Part(np.concatenate(ends, axis=1), GREY, "spring"))
    return parts, tuple(planes)


def _moving(run: Trajectory, shapes: Sequence[Shape], where: Callable[[Any], Placed], colour: str) -> list[Part]:
    """Return shapes where a function of the coordinates by name puts them. Raises InputError."""
    frame = frame_by(where, run)
    return [part for shape in shapes for part in _placed(shape.outline(frame[0].shape[1]), frame, colour)]


def _resting(through: Sequence[float], normal: Sequence[float], count: int) -> Plane:
    """Return a plane at rest."""
    return Plane(in_rows(through, count), in_rows(normal, count))


Frame = tuple[Array, Array]  # (N, d) m origin and (N, d, d) columns, the body axes in space


def frame_of(body: AnyBody, run: Any) -> Frame:
    """Return the origin (N, d) and axes (N, d, d), as columns, of a body along a run.

    A rod turns about its axis as little as it can; the axes of a particle are those of space.
    """
    placed, count = body.placed(run), len(run)
    origin = in_rows(placed.origin, count)
    dimension = origin.shape[1]
    if isinstance(body, Particle):
        return origin, still(dimension, count)[1]
    if isinstance(body, Rod):
        return origin, _least_turn(body.axis, in_rows(tuple(run[f"{body.name}_u{i}"] for i in (1, 2, 3)), count))
    return origin, np.stack([in_rows(column, count) for column in placed.columns], axis=-1)


def frame_by(where: Callable[[Any], Placed], run: Trajectory) -> Frame:
    """Return the origin (N, d) and axes (N, d, d) that a function of the coordinates by name gives.

    Raises InputError for anything but a place and a rotation.
    """
    try:
        put = where(_ByName(run))
        origin = in_rows(put.origin, len(run))
        columns = np.stack([in_rows(column, len(run)) for column in put.columns], axis=-1)
    except (AttributeError, TypeError, ValueError, IndexError) as error:
        raise InputError(f"a shape of the drawing cannot be placed: {described(error).removesuffix('.')}.") from error
    size = origin.shape[1]
    if size not in (2, 3) or columns.shape[1:] != (size, size) or not np.all(np.isfinite(origin)):
        raise InputError("the place of a shape is a Placed: an origin and as many columns, of two or three components.")
    skew = np.max(np.abs(np.einsum("nki,nkj->nij", columns, columns) - np.eye(size)))
    if not skew <= SKEW or np.any(np.linalg.det(columns) < 0.0):
        raise InputError("the columns of a Placed that places a shape must be a rotation, but are not.")
    return origin, columns


def _least_turn(axis: Array, to: Array) -> Array:
    """Return the rotations (N, 3, 3) that take `axis` (3,) to the directions `to` (N, 3) on the shortest way."""
    cosine = to @ axis
    w = np.cross(axis, to)
    W = np.zeros((len(to), 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        W[:, i, j], W[:, j, i] = -w[:, k], w[:, k]
    back = 1.0 + cosine < OPPOSITE
    turn = np.eye(3) + W + W @ W / np.where(back, 1.0, 1.0 + cosine)[:, None, None]
    u = np.array(across(tuple(axis.tolist()))[0])
    turn[back] = 2.0 * np.outer(u, u) - np.eye(3)  # half a turn about an axis across it
    return turn


def still(dimension: int, count: int) -> Frame:
    """Return the origin (N, d) and axes (N, d, d) of space."""
    return np.zeros((count, dimension)), np.broadcast_to(np.eye(dimension), (count, dimension, dimension))


def in_rows(vector: Sequence[Any], count: int) -> Array:
    """Return components, numbers or arrays over N times, as (N, d)."""
    return np.stack([np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in vector], axis=-1)


def point_of(body: AnyBody, at: Sequence[float], run: Any) -> Array:
    """Return a point of a body along a run, (N, 1, d)."""
    return in_rows(body.placed(run).point(tuple(at)), len(run))[:, None]


def _placed(outline: Any, frame: Frame, colour: str) -> list[Part]:
    """Return what a shape consists of, in space."""
    origin, columns = frame

    def there(points: Array) -> Array:
        return np.asarray(origin[:, None, :] + np.einsum("nij,kj->nki", columns, points))

    faces = zip(outline.faces, outline.tones, strict=True)
    parts = [Part(there(face), colour, "face", tone, clear=outline.clear) for face, tone in faces]
    parts += [Part(there(line), colour, "line") for line in outline.lines]
    if len(outline.points):
        parts.append(Part(there(outline.points), colour, "dots"))
    return parts


def _curve(run: Trajectory, function: Any, what: str, least: int = 2) -> Array:
    """Return what a function of the coordinates by name gives along a run, (N, k, d). Raises InputError."""
    try:
        found = function(_ByName(run))
        points = [tuple(found)] if least == 1 else list(found)
        places = np.stack([in_rows(point, len(run)) for point in points], axis=1)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(f"{what} of the drawing failed: {described(error).removesuffix('.')}.") from error
    if len(points) < least or places.shape[2] not in (2, 3) or not np.all(np.isfinite(places)):
        raise InputError(f"{what} of the drawing must give {least} or more points of two or three finite components.")
    return places


def followed(run: Trajectory, target: Any, dimension: int) -> Array:
    """Return the place (N, d) of a body, or of a point by a function of the coordinates, along a run.

    Raises InputError for a point in another dimension.
    """
    if not callable(target):
        return point_of(target, (0.0,) * dimension, run)[:, 0]
    middle = _curve(run, target, "what to follow", least=1)[:, 0]
    if middle.shape[1] != dimension:
        raise InputError(f"the point to follow has {middle.shape[1]} components, but the drawing is of {dimension}.")
    return middle


def _room(run: Trajectory, drawing: Drawing, parts: Sequence[Part]) -> tuple[Array, Array]:
    """Return the middle of the picture (N, d) and how far from it anything comes (d,), with some room.

    Where a body is followed, what leaves the picture does so: its own parts and the joints decide.
    """
    if drawing.follow is not None:
        middle = followed(run, drawing.follow, parts[0].places.shape[2])
        asked = [part for part in parts if part.kind not in ("trace",)]
        half = np.max([np.max(np.abs(p.places - middle[:, None]), axis=(0, 1)) for p in asked], axis=0)
        half = np.full(len(half), np.max(half))
    else:
        low = np.min([np.min(part.places, axis=(0, 1)) for part in parts], axis=0)
        high = np.max([np.max(part.places, axis=(0, 1)) for part in parts], axis=0)
        middle = np.broadcast_to((low + high) / 2.0, (len(run), len(low)))
        half = (high - low) / 2.0
    largest = float(np.max(half)) or 1.0
    least = (NARROW, THIN) if len(half) == 2 else THIN
    return middle, np.maximum(half + ROOM * largest, largest * np.array(least))
