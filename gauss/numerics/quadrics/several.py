"""Stationary points on several quadrics that do not split.

They are first rid of what they share: directions on which none depends (there the target decides), and a common
vertex. About a common vertex they are cones, and the points other than the vertex are the stationary points of ½|x|² on
the slice y = w + x, x ⊥ w, through the target w, moved along their rays: one dimension less. What remains is left to
homotopy continuation (`gauss.numerics.quadrics.paths`), helped by descents from random starts where that cannot certify
its list. Where quadrics and target share a symmetry these end at scattered points of equal value. A sphere through such
points is accepted if random members of it satisfy the quadrics and are stationary; nothing follows from the fit alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gauss.foundation.arrays import Array, lengths_of
from gauss.foundation.zero import CLEAR, UNIT
from gauss.numerics.quadrics.fritz_john import dependence, kind_at, stationarity
from gauss.numerics.quadrics.one import on_one
from gauss.numerics.quadrics.paths import (
    MEETING,
    MOST_PATHS,
    SAME,
    SEED,
    Ends,
    conditions,
    descended,
    follow,
    path_count,
    random_points,
)
from gauss.numerics.quadrics.types import (
    LOCAL,
    UNDECIDED,
    VERTEX,
    Family,
    Part,
    Piece,
    Quadric,
    StationaryPoint,
    form_of,
    minimal,
)

STATIONARY = 1e-9  # residual, in units of the length, up to which a candidate is accepted
NEARLY_DEPENDENT = 1e-3  # singular value of the gradients below which a singular point is looked for nearby
CLOSE = 1e-7  # distance, in units of the length, below which candidates are the same
CROWD, SHOWN = (
    5,
    10,
)  # points of equal value that make one suspect a continuum; of one of unknown form so many are listed
MEMBERS, TRIALS = 12, 200  # members of a sphere that are verified; circles through three samples that are tried
VERIFIED = 1e-8  # residual of members, in units of the length


def point(y: Array, y0: Array, kind: str, least: bool | None = None) -> StationaryPoint:
    """Return a point; for other kinds than vertices the kind says whether it is a local minimum."""
    least = least if kind == VERTEX else minimal(kind)
    return StationaryPoint(y, 0.5 * float(np.sum((y - y0) ** 2)), kind, least)


def on_quadrics(quadrics: Sequence[Quadric], y0: Array, length: float, tolerance: float) -> Part:
    """Return the stationary points on quadrics that do not split."""
    if len(quadrics) == 1:
        return on_one(quadrics[0], y0, length, tolerance)
    cylinder, essential, vertex = shared(quadrics, length, tolerance)
    space = Piece(0.0 * y0, essential)
    reduced, e0 = [space.restricted(q) for q in quadrics], essential.T @ y0
    if vertex is None:
        inner = _on_several(reduced, e0, length)
    else:
        inner = _on_cones(reduced, e0, essential.T @ vertex, length, tolerance)
    return inner.lifted(Piece(cylinder @ (cylinder.T @ y0), essential), y0)


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


def _on_cones(quadrics: list[Quadric], y0: Array, vertex: Array, length: float, tolerance: float) -> Part:
    """Return the stationary points on cones with a common vertex: those of a slice through the target, and the vertex.

    A ray in the direction u carries a stationary point iff u is stationary for uᵀw, w = y0 − vertex; the slice uᵀw =
    const turns that into ½|x|² on quadrics. The indices agree, because the distance along a ray is convex.
    """
    w = y0 - vertex
    square = float(w @ w)
    if np.sqrt(square) <= tolerance * length:
        words = ("the target is the common vertex of the cones",)
        return Part((), (point(vertex, y0, VERTEX, True),), (), True, words)
    frame = np.linalg.svd(w[None, :])[2][1:].T
    slice_ = Piece(w, frame)
    homogeneous = [Quadric(q.S, 0.0 * w, 0.0) for q in quadrics]
    inner = _on_several([slice_.restricted(q) for q in homogeneous], np.zeros(w.size - 1), float(np.sqrt(square)))
    rays = [slice_.lift(p.y) for p in inner.points]
    points = [  # not rigid: a ray
        point(vertex + ray * (square / float(ray @ ray)), y0, p.kind, p.least) for p, ray in zip(inner.points, rays)
    ]
    families = [_on_rays(f, slice_, vertex, y0) for f in inner.families]
    least = False if points or families else (True if inner.complete else None)
    points.append(point(vertex, y0, VERTEX, least))
    return replace(inner, points=tuple(points), families=tuple(families))


def _on_rays(f: Family, slice_: Piece, vertex: Array, y0: Array) -> Family:
    """Return the feet on the rays through a sphere of equal distance from the target: a sphere again."""
    middle, w = slice_.lift(f.centre), slice_.offset
    basis = slice_.basis @ f.bases[0]
    outer = middle + f.radius * basis[:, 0]
    shrink = float(w @ w) / float(outer @ outer)
    lifted = replace(f, centre=vertex + shrink * middle, bases=(basis,), radii=(shrink * f.radius,))
    return replace(lifted, value=0.5 * float(np.sum((lifted.axes()[0] - y0) ** 2)))


def _on_several(quadrics: list[Quadric], y0: Array, length: float) -> Part:
    """Return the stationary points on at least two quadrics without a common vertex or a shared direction."""
    k, p = y0.size, len(quadrics)
    about = Piece(y0, length * np.eye(k))  # coordinates x, y = y0 + length · x
    A = conditions([form_of(about.restricted(q), 1.0) for q in quadrics], np.zeros(k))
    ends = follow(A, k, p) if path_count(k, p) <= MOST_PATHS else Ends(path_count(k, p))
    starts = [*ends.real, *ends.meeting]
    if ends.meeting or not ends.complete:
        starts += random_points(k)
    candidates = distinct(descended(A, k, starts), CLOSE)
    found = (_isolated if p >= k else _classified)(A, candidates, list(ends.meeting), quadrics, about, length)
    found, families, isolated = _gathered(found, y0, quadrics, length)
    members = [about.basis.T @ (x.y - y0) / length**2 for x in found]
    within = [x for x in ends.real if p <= k or np.max(np.abs(_values(A, x))) <= SAME]
    lost = [
        x
        for x in within
        if all(np.linalg.norm(x - z) > 1e2 * CLOSE * max(1.0, float(np.linalg.norm(x))) for z in members)
        and not any(f.contains(about.lift(x), 1e2 * CLOSE * length) for f in families)
    ]
    certain = ends.complete and isolated and not lost
    certain = certain and all(any(_direction_gap(x, y) <= 3.0 * MEETING for x in members) for y in ends.meeting)
    certain = certain and not (p >= k and any(f.kind == VERTEX for f in found))  # multiple points are known to √eps
    words = _words(ends, certain, len(lost), f"{p} quadrics in {k} dimensions")
    return Part((), tuple(found), tuple(families), certain, (words,), isolated=isolated)


def _words(ends: Ends, certain: bool, lost: int, where: str) -> str:
    if certain:
        return (
            f"homotopy continuation of {ends.paths} paths on {where}: all ended at isolated solutions, the regular ones"
            " distinct and closed under complex conjugation, so the list is complete with probability one"
        )
    if ends.paths > MOST_PATHS:
        return (
            f"{where} have up to {ends.paths} solutions, more than the {MOST_PATHS} that are followed: searches from"
            " random starts only, points may be missing"
        )
    why = "multiple solutions remain that are not known to rounding"
    why = f"{lost} of the solutions are not known to rounding" if lost else why
    why = f"{ends.stray} of {ends.paths} paths did not end at isolated solutions" if ends.stray else why
    return (
        f"homotopy continuation on {where}: {why}, so points may be missing, although searches from random starts"
        " were added"
    )


def distinct(points: Sequence[Array], close: float) -> list[Array]:
    """Return the points without those nearer to an earlier one than `close`, relative to their distance beyond one."""
    kept: list[Array] = []
    for y in points:
        if all(np.linalg.norm(y - other) > close * max(1.0, float(np.linalg.norm(y))) for other in kept):
            kept.append(y)
    return kept


def _values(forms: Array, x: Array) -> Array:
    """Return the forms at the point (1, x) of unit length."""
    Y = np.append(1.0, x) / np.hypot(1.0, float(np.linalg.norm(x)))
    return np.asarray(forms @ Y @ Y)


def _direction_gap(x: Array, y: Array) -> float:
    """Return the distance of (1, x) and (1, y) as directions."""
    one, two = np.append(1.0, x), np.append(1.0, y)
    return float(np.linalg.norm(one / np.linalg.norm(one) - two / np.linalg.norm(two)))


def _classified(
    A: Array, candidates: list[Array], meeting: list[Array], quadrics: list[Quadric], about: Piece, length: float
) -> list[StationaryPoint]:
    """Return the candidates x that are stationary, with their kinds, and the singular points of the quadrics."""
    k, y0 = about.offset.size, about.offset
    singular_A = np.delete(np.delete(A, k + 1, 1), k + 1, 2)  # M₀ = 0
    near = [x for x in candidates if dependence(about.lift(x), quadrics, length) <= NEARLY_DEPENDENT]
    starts = [*meeting, *near, *(random_points(k) if meeting or near else [])]
    singular = [about.lift(x) for x in distinct(descended(singular_A, k, starts), 1e2 * CLOSE)]
    close = CLOSE * length
    found = [point(y, y0, VERTEX, True if np.linalg.norm(y - y0) <= close else None) for y in singular]
    for x in candidates:
        y, on = _moved_onto(about.lift(x), quadrics)
        # Close to a vertex large multipliers imitate a stationary point.
        reach = (NEARLY_DEPENDENT if dependence(y, quadrics, length) <= SAME else 1e2 * CLOSE) * length
        if not on or any(np.linalg.norm(y - vertex) <= reach for vertex in singular):
            continue
        at = stationarity(y, y0, quadrics, length)
        if at.independent and at.residual <= STATIONARY * max(length, float(np.linalg.norm(y - y0))):
            found.append(point(y, y0, kind_at(quadrics, at)))
    return found


def _isolated(
    A: Array, candidates: list[Array], meeting: list[Array], quadrics: list[Quadric], about: Piece, length: float
) -> list[StationaryPoint]:
    """Return the points of as many quadrics as there are dimensions: isolated where gradients span the space.

    Multiple points, known to √eps or worse, are returned as vertices.
    """
    found: list[StationaryPoint] = []
    points = [(dependence(y, quadrics, length), y) for y in map(about.lift, candidates)]
    for smallest, y in sorted(points, key=lambda pair: -pair[0]):
        if smallest > NEARLY_DEPENDENT:
            found.append(replace(point(y, about.offset, LOCAL), rigid=True))
        elif all(np.linalg.norm(y - p.y) > NEARLY_DEPENDENT * length for p in found):
            found.append(point(y, about.offset, VERTEX))
    return found


def _moved_onto(y: Array, quadrics: Sequence[Quadric], steps: int = 2) -> tuple[Array, bool]:
    """Return y moved onto the quadrics by a few shortest steps, and whether it is on them to rounding.

    Close to a singular point small values show nothing: the steps then lead there, slowly.
    """
    for _ in range(steps):
        G = np.array([2.0 * q.slope(y) for q in quadrics])
        size = lengths_of(G)
        value = np.array([q.value(y) for q in quadrics])
        y = y - np.linalg.lstsq(G / size[:, None], value / size, rcond=None)[0]
    return y, all(abs(q.value(y)) <= CLEAR * UNIT * q.terms(y) for q in quadrics)


def regular_point(quadrics: Sequence[Quadric], k: int, length: float) -> bool:
    """Return whether Newton's method finds a point (k,) of the quadrics with independent gradients from some start."""
    for start in random_points(k)[:: len(random_points(k)) // MEMBERS]:
        y, on = _moved_onto(length * start, quadrics, CROWD * SHOWN)
        if on and dependence(y, quadrics, length) > NEARLY_DEPENDENT:
            return True
    return False


def _gathered(
    found: list[StationaryPoint], y0: Array, quadrics: list[Quadric], length: float
) -> tuple[list[StationaryPoint], list[Family], bool]:
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
            own, left = _spheres([p.y for p in same], y0, quadrics, length) if kind == UNDECIDED else ([], same)
            families += own
            found = [p for p in found if not any(f.contains(p.y, 10.0 * CLOSE * length) for f in own)]
            if len(left) >= CROWD:
                isolated = False
                left = [p for p in same if any(p is x for x in found)]
                found = [p for p in found if all(p is not x for x in left[SHOWN:])]
    return found, families, isolated


def _spheres(
    points: list[Array], y0: Array, quadrics: list[Quadric], length: float
) -> tuple[list[Family], list[Array]]:
    """Return the families through points of equal value, first through all, and the points on none of them."""
    rng = np.random.default_rng(SEED)
    families: list[Family] = []
    for trial in range(TRIALS):
        if len(points) < CROWD:
            break
        chosen = points if trial == 0 else [points[k] for k in rng.choice(len(points), 3, replace=False)]
        sphere = _through(chosen, y0, quadrics, length, rng)
        if sphere is not None:
            families.append(sphere)
            points = [y for y in points if not sphere.contains(y, SAME * length)]
    return families, points


def _through(
    points: list[Array], y0: Array, quadrics: list[Quadric], length: float, rng: np.random.Generator
) -> Family | None:
    """Return the sphere through points, if its members are stationary."""
    P = np.array(points)
    middle = np.mean(P, axis=0)
    _, sigma, V = np.linalg.svd(P - middle, full_matrices=False)
    rank = int(np.sum(sigma > SAME * length))
    if rank < 2:
        return None
    basis = V[:rank].T
    Z = (P - middle) @ basis
    equations = np.hstack([2.0 * Z, np.ones((len(Z), 1))])
    solution = np.linalg.lstsq(equations, np.sum(Z * Z, axis=1), rcond=None)[0]
    square = float(solution[-1] + solution[:-1] @ solution[:-1])
    if square <= (SAME * length) ** 2:
        return None
    family = Family(0.0, UNDECIDED, None, middle + basis @ solution[:-1], (basis,), (float(np.sqrt(square)),))
    for y in family.sample(MEMBERS, rng):
        reach = max(length, float(np.linalg.norm(y)))
        at = stationarity(y, y0, quadrics, length)
        if max(at.residual / length, *(abs(q.value(y)) / q.size(reach) for q in quadrics)) > VERIFIED:
            return None
    kind = kind_at(quadrics, at, rank - 1)
    return replace(family, value=0.5 * float(np.sum((y - y0) ** 2)), kind=kind, least=minimal(kind))
