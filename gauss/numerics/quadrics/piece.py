"""Stationary points on one piece of the zero set: a subspace, one quadric, or several that do not split.

Several quadrics are first rid of what they share: directions on which none depends (there the target decides), and a
common vertex. About a common vertex they are cones, and the points other than the vertex are the stationary points of
½|x|² on the slice y = w + x, x ⊥ w, through the target w, moved along their rays: one dimension less. What remains is
left to homotopy continuation (`gauss.numerics.quadrics.homotopy`), helped by searches from random starts where that
cannot certify its list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gauss.foundation.arrays import Array
from gauss.numerics.quadrics.families import CROWD, spheres
from gauss.numerics.quadrics.fritz_john import (
    distinct,
    kind_at,
    moved_onto,
    polished,
    search,
    singular_near,
    singular_points,
    stationarity,
    unit_gradients,
)
from gauss.numerics.quadrics.homotopy import MEETING, MOST_PATHS, follow, path_count
from gauss.numerics.quadrics.secular import solve_one
from gauss.numerics.quadrics.types import LOCAL, UNDECIDED, VERTEX, Family, Piece, Quadric, form_of

STATIONARY = 1e-9  # residual, in units of the length, up to which a candidate is accepted
SHOWN = 10  # samples of a continuum of unknown form that are listed
NEARLY_DEPENDENT = 1e-3  # singular value of the gradients below which a singular point is looked for nearby
FAINT = 1e-6  # singular value of the gradients below which a point close to a singular one is taken for it
CLOSE = 1e-7  # distance, in units of the length, below which candidates are the same
SECULAR = "on one quadric the secular equation is subdivided and has all its real roots"


@dataclass(frozen=True, eq=False)
class Found:
    """A stationary point or vertex in the coordinates of the caller."""

    y: Array  # (d,)
    value: float
    kind: str
    least: bool | None
    piece: int = 0
    rigid: bool = False  # whether no direction leads away from it within the set


@dataclass(frozen=True, eq=False)
class Solution:
    """What was found on a piece, and why nothing else is there."""

    points: tuple[Found, ...]
    families: tuple[Family, ...]
    complete: bool
    evidence: str
    isolated: bool = True  # False where points were found that belong to a continuum of unknown form


def minimal(kind: str) -> bool | None:
    """Return whether a kind is that of a local minimum; None if undecided."""
    return None if kind == UNDECIDED else kind == LOCAL


def point(y: Array, y0: Array, kind: str, least: bool | None = None) -> Found:
    """Return a found point; for other kinds than vertices the kind says whether it is a local minimum."""
    least = least if kind == VERTEX else minimal(kind)
    return Found(y, 0.5 * float(np.sum((y - y0) ** 2)), kind, least)


def on_piece(piece: Piece, y0: Array, length: float, tolerance: float) -> Solution:
    """Return the stationary points of ½|y − y0|² on a piece, in the coordinates y."""
    z0 = piece.coordinates(y0)
    foot = piece.lift(z0)
    if piece.linear:
        found = replace(point(foot, y0, LOCAL), rigid=z0.size == 0)
        return Solution((found,), (), True, "on an affine subspace the foot of the perpendicular")
    rest = 0.5 * float(np.sum((foot - y0) ** 2))
    inner = on_quadrics(piece.quadrics, z0, length, tolerance)
    points = tuple(replace(p, y=piece.lift(p.y), value=p.value + rest) for p in inner.points)
    families = tuple(
        replace(
            f,
            centre=piece.lift(f.centre),
            bases=tuple(piece.basis @ basis for basis in f.bases),
            value=f.value + rest,
        )
        for f in inner.families
    )
    return replace(inner, points=points, families=families)


def on_quadrics(quadrics: Sequence[Quadric], y0: Array, length: float, tolerance: float) -> Solution:
    """Return the stationary points on quadrics that do not split."""
    if len(quadrics) == 1:
        return _on_one(quadrics[0], y0, length, tolerance)
    cylinder, essential, vertex = shared(quadrics, length, tolerance)
    reduced = [Quadric(essential.T @ q.S @ essential, essential.T @ q.g, q.c) for q in quadrics]
    e0 = essential.T @ y0
    if vertex is None:
        inner = _on_several(reduced, e0, length, tolerance)
    else:
        inner = _on_cones(reduced, e0, essential.T @ vertex, length, tolerance)
    along = cylinder @ (cylinder.T @ y0)
    points = tuple(replace(p, y=essential @ p.y + along) for p in inner.points)
    families = tuple(
        replace(f, centre=essential @ f.centre + along, bases=tuple(essential @ basis for basis in f.bases))
        for f in inner.families
    )
    return replace(inner, points=points, families=families)


def _on_one(q: Quadric, y0: Array, length: float, tolerance: float) -> Solution:
    found = solve_one(q, y0, length, tolerance)
    points = [Found(f.y, f.value, f.kind, minimal(f.kind)) for f in found.feet]
    if found.vertex is not None:
        at_target = float(np.linalg.norm(found.vertex - y0)) <= tolerance * length
        points.append(point(found.vertex, y0, VERTEX, at_target))  # the cone spans the space: only its vertex sees 0
    none = np.full(1, np.nan)
    families = tuple(
        Family(s.value, s.kind, minimal(s.kind), s.centre, (s.basis,), (s.radius,), none, 0.0) for s in found.spheres
    )
    return Solution(tuple(points), families, True, SECULAR)


def shared(quadrics: Sequence[Quadric], length: float, tolerance: float) -> tuple[Array, Array, Array | None]:
    """Return bases (d, ·) of the directions on which no quadric depends and of the others, and the common vertex."""
    stacked = np.vstack([form_of(q, length) for q in quadrics])
    _, sigma, V = np.linalg.svd(stacked, full_matrices=True)
    null = V[int(np.sum(sigma > tolerance)) :].T
    height = null[0]
    vertex = None
    if np.linalg.norm(height) > tolerance:
        vertex = length * (null[1:] @ height) / float(height @ height)
        if all(not np.any(q.g) and q.c == 0.0 for q in quadrics):
            vertex = 0.0 * vertex
        null = null @ np.linalg.svd(height[None, :])[2][1:].T
    k, n = null.shape[0] - 1, null.shape[1]
    frame = np.linalg.svd(null[1:], full_matrices=True)[0] if n else np.eye(k)
    return frame[:, :n], frame[:, n:], vertex


def _on_cones(quadrics: list[Quadric], y0: Array, vertex: Array, length: float, tolerance: float) -> Solution:
    """Return the stationary points on cones with a common vertex: those of a slice through the target, and the vertex.

    A ray in the direction u carries a stationary point iff u is stationary for uᵀw, w = y0 − vertex; the slice uᵀw =
    const turns that into ½|x|² on quadrics. The indices agree, because the distance along a ray is convex.
    """
    w = y0 - vertex
    square = float(w @ w)
    if np.sqrt(square) <= tolerance * length:
        return Solution((point(vertex, y0, VERTEX, True),), (), True, "the target is the common vertex of the cones")
    frame = np.linalg.svd(w[None, :])[2][1:].T
    sliced = [Quadric(frame.T @ q.S @ frame, frame.T @ (q.S @ w), float(w @ (q.S @ w))) for q in quadrics]
    inner = _on_several(sliced, np.zeros(w.size - 1), float(np.sqrt(square)), tolerance)
    points = []
    for p in inner.points:
        ray = w + frame @ p.y
        points.append(point(vertex + ray * (square / float(ray @ ray)), y0, p.kind, p.least))  # not rigid: a ray
    families = [_on_rays(f, w, frame, vertex, y0) for f in inner.families]
    least = False if points or families else (True if inner.complete else None)
    points.append(point(vertex, y0, VERTEX, least))
    return replace(inner, points=tuple(points), families=tuple(families))


def _on_rays(f: Family, w: Array, frame: Array, vertex: Array, y0: Array) -> Family:
    """Return the feet on the rays through a sphere of equal distance from the target: a sphere again."""
    middle = w + frame @ f.centre
    outer = middle + f.radius * (frame @ f.bases[0][:, 0])
    shrink = float(w @ w) / float(outer @ outer)
    lifted = replace(f, centre=vertex + shrink * middle, bases=tuple(frame @ basis for basis in f.bases))
    lifted = replace(lifted, radii=tuple(shrink * r for r in f.radii))
    return replace(lifted, value=0.5 * float(np.sum((lifted.axes()[0] - y0) ** 2)))


def _on_several(quadrics: list[Quadric], y0: Array, length: float, tolerance: float) -> Solution:
    """Return the stationary points on at least two quadrics without a common vertex or a shared direction."""
    k, p = y0.size, len(quadrics)
    about = [Quadric(q.S, q.slope(y0), q.value(y0)) for q in quadrics]
    paths = path_count(k, p)
    candidates: list[Array] = []
    arrived: list[Array] = []
    meeting: list[Array] = []
    certain = False
    if paths <= MOST_PATHS:
        ends = follow([form_of(q, length) for q in about], np.zeros(k))
        arrived = [y0 + length * x for x in ends.real]
        candidates += arrived
        meeting, certain = [y0 + length * x for x in ends.meeting], ends.complete
    if meeting or not certain:
        candidates += search(y0, quadrics, length) + singular_points(y0, quadrics, length)
    found, families, isolated = _gathered(_classified(candidates, y0, quadrics, length), y0, quadrics, length)
    lost = [y for y in arrived if not _listed(y, found, families, y0, length)]
    certain = certain and isolated and not lost
    certain = certain and all(any(_near(p.y, y, y0, length) for p in found) for y in meeting)
    certain = certain and not (p >= k and any(f.kind == VERTEX for f in found))  # multiple points are known to √eps
    where = f"{p} quadrics in {k} dimensions"
    if certain:
        words = (
            f"homotopy continuation of {paths} paths on {where}: all ended at isolated solutions, the regular ones"
            " distinct and closed under complex conjugation, so the list is complete with probability one"
        )
    elif paths <= MOST_PATHS:
        why = "multiple solutions remain that are not known to rounding"
        why = f"{len(lost)} of the solutions are not known to rounding" if lost else why
        why = f"{ends.stray} of {paths} paths did not end at isolated solutions" if ends.stray else why
        words = (
            f"homotopy continuation on {where}: {why}, so points may be missing, although searches from random starts"
            " were added"
        )
    else:
        words = (
            f"{where} have up to {paths} solutions, more than the {MOST_PATHS} that are followed: searches from random"
            " starts only, points may be missing"
        )
    return Solution(tuple(found), tuple(families), certain, words, isolated)


def _listed(y: Array, found: list[Found], families: list[Family], y0: Array, length: float) -> bool:
    """Return whether a solution at which a path has arrived is in the list."""
    close = 1e2 * CLOSE * max(length, float(np.linalg.norm(y - y0)))
    return any(np.linalg.norm(p.y - y) <= close for p in found) or any(f.contains(y, close) for f in families)


def _near(y: Array, rough: Array, y0: Array, length: float) -> bool:
    """Return whether a point is the one that is roughly known, as directions of (1, y) about the target."""
    one, two = np.append(length, y - y0), np.append(length, rough - y0)
    return bool(np.linalg.norm(one / np.linalg.norm(one) - two / np.linalg.norm(two)) <= 3.0 * MEETING)


def _classified(candidates: list[Array], y0: Array, quadrics: list[Quadric], length: float) -> list[Found]:
    """Return the candidates that are stationary, with their kinds."""
    close = CLOSE * length
    candidates = distinct(candidates, close)
    settled = [y for candidate in candidates if (y := polished(candidate, y0, quadrics, length)) is not None]
    settled = distinct(settled, close)
    if len(quadrics) >= y0.size:
        return _isolated([y for y in settled if _roughly_on(y, quadrics, length)], y0, quadrics, length)
    good = [y for y, on in (moved_onto(y, quadrics) for y in settled) if on]
    singular = []
    for y in candidates:
        if np.min(unit_gradients(y, quadrics, length)) <= NEARLY_DEPENDENT:
            vertex = singular_near(y, quadrics, length)
            singular += [] if vertex is None else [vertex]
    singular = distinct(singular, 1e2 * close)
    found = [point(y, y0, VERTEX, True if np.linalg.norm(y - y0) <= close else None) for y in singular]
    for y in good:
        # Close to a vertex large multipliers imitate a stationary point.
        faint = np.min(unit_gradients(y, quadrics, length)) <= FAINT
        reach = (NEARLY_DEPENDENT if faint else 1e2 * CLOSE) * length
        if any(np.linalg.norm(y - vertex) <= reach for vertex in singular):
            continue
        at = stationarity(y, y0, quadrics, length)
        if at.independent and at.residual <= STATIONARY * max(length, float(np.linalg.norm(y - y0))):
            found.append(point(y, y0, kind_at(quadrics, at)))
    return found


def _isolated(points: list[Array], y0: Array, quadrics: list[Quadric], length: float) -> list[Found]:
    """Return the points of as many quadrics as there are dimensions: isolated where gradients span the space.

    Multiple points, known to √eps or worse, are returned as vertices.
    """
    found: list[Found] = []
    for y in sorted(points, key=lambda y: -unit_gradients(y, quadrics, length)[y0.size - 1]):
        if unit_gradients(y, quadrics, length)[y0.size - 1] > NEARLY_DEPENDENT:
            found.append(replace(point(y, y0, LOCAL), rigid=True))
        elif all(np.linalg.norm(y - p.y) > NEARLY_DEPENDENT * length for p in found):
            found.append(point(y, y0, VERTEX))
    return found


def _gathered(
    found: list[Found], y0: Array, quadrics: list[Quadric], length: float
) -> tuple[list[Found], list[Family], bool]:
    """Return the points, those of equal value that form a sphere as families, and whether the others are isolated."""
    families: list[Family] = []
    isolated = True
    for kind in (UNDECIDED, VERTEX):
        points = [p for p in found if p.kind == kind]
        while points:
            same = [p for p in points if abs(p.value - points[0].value) <= CLOSE * length**2]
            points = [p for p in points if all(p is not x for x in same)]
            if len(same) < CROWD:
                continue
            own, rest = spheres([p.y for p in same], y0, quadrics, length) if kind == UNDECIDED else ([], [])
            families += own
            if own:
                found = [p for p in found if not any(f.contains(p.y, 10.0 * CLOSE * length) for f in own)]
            left = rest if own else [p.y for p in same]
            if len(left) >= CROWD:
                isolated = False
                found = [p for p in found if not any(p.y is y for y in left[SHOWN:])]
    return found, families, isolated


def _roughly_on(y: Array, quadrics: list[Quadric], length: float) -> bool:
    """Return whether a point, which may be a multiple one, is on the quadrics as far as it can be known."""
    reach = max(length, float(np.linalg.norm(y)))
    return max(abs(q.value(y)) / q.size(reach) for q in quadrics) <= STATIONARY
