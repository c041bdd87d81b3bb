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
    Ends,
    conditions,
    descended,
    follow,
    path_count,
    random_points,
)
from gauss.numerics.quadrics.types import (
    FIT,
    HELD,
    LOCAL,
    NEARLY,
    ROUND,
    SAME,
    SEED,
    UNDECIDED,
    VERTEX,
    Quadric,
    Stationary,
    StationaryPart,
    ZeroSetPiece,
    form_of,
    minimal,
    point,
)

CROWD = 5  # points of equal value that make one suspect a continuum; twice as many are listed of one
MEMBERS = 12  # members of a sphere that are verified
TRIALS = 200  # circles through three samples that are tried


def on_quadrics(quadrics: Sequence[Quadric], y0: Array, tolerance: float) -> StationaryPart:
    """Return the stationary points on quadrics that do not split."""
    if len(quadrics) == 1:
        return on_one(quadrics[0], y0, tolerance)
    cylinder, essential, vertex = shared(quadrics, tolerance)
    if vertex is None:
        about = ZeroSetPiece(y0, essential)
        return _about_target([about.restricted(q) for q in quadrics], essential.shape[1]).lifted(about, y0)
    return _on_cones(quadrics, y0, vertex + cylinder @ (cylinder.T @ (y0 - vertex)), essential, tolerance)


def shared(quadrics: Sequence[Quadric], tolerance: float) -> tuple[Array, Array, Array | None]:
    """Return bases (d, ·) of the directions on which no quadric depends and of the others, and the common vertex."""
    _, sigma, V = np.linalg.svd(np.vstack([form_of(q) for q in quadrics]), full_matrices=True)
    null = V[int(np.sum(sigma > tolerance)) :].T
    height = null[0]
    vertex = None
    if np.linalg.norm(height) > tolerance:
        homogeneous = all(not np.any(q.g) and q.c == 0.0 for q in quadrics)
        vertex = (null[1:] @ height) / float(height @ height) * (0.0 if homogeneous else 1.0)
        null = null @ np.linalg.svd(height[None, :])[2][1:].T
    n = null.shape[1]
    frame = np.linalg.svd(null[1:], full_matrices=True)[0] if n else np.eye(len(null) - 1)
    return frame[:, :n], frame[:, n:], vertex


def _on_cones(
    quadrics: Sequence[Quadric], y0: Array, vertex: Array, essential: Array, tolerance: float
) -> StationaryPart:
    """Return the stationary points on cones with a common vertex: those of a slice through the target, and the vertex.

    A ray in the direction u carries a stationary point iff u is stationary for uᵀw, w = y0 − vertex; the slice uᵀw =
    const turns that into ½|x|² on quadrics. The indices agree, because the distance along a ray is convex.
    """
    w = y0 - vertex
    size = float(np.linalg.norm(w))
    if size <= tolerance:
        words = ("the target is the common vertex of the cones",)
        return StationaryPart((), (point(vertex, y0, VERTEX, True),), True, words)
    slice_ = ZeroSetPiece(w, essential @ np.linalg.svd((w @ essential)[None, :])[2][1:].T, (), size)
    inner = _about_target([slice_.restricted(Quadric(q.S, 0.0 * w, 0.0)) for q in quadrics], essential.shape[1] - 1)
    found = []
    for x in inner.lifted(slice_, w).found:  # all members of a sphere are as far from the vertex
        shrink = size**2 / float(x.y @ x.y)
        foot = replace(x, centre=vertex + shrink * x.centre, radii=tuple(shrink * r for r in x.radii), rigid=False)
        found.append(replace(foot, value=0.5 * float(np.sum((foot.y - y0) ** 2))))
    least = False if found else True if inner.complete else None
    return replace(inner, found=(*found, point(vertex, y0, VERTEX, least)))


def _about_target(quadrics: list[Quadric], k: int) -> StationaryPart:
    """Return the stationary points of ½|x|² on at least two quadrics (k,) without common vertex or direction."""
    p, target = len(quadrics), np.zeros(k)
    A = conditions([form_of(q) for q in quadrics], target)
    ends = follow(A, k, p) if path_count(k, p) <= MOST_PATHS else Ends(path_count(k, p))
    starts = [*ends.real, *ends.meeting, *(random_points(k) if ends.meeting or not ends.complete else [])]
    candidates = distinct(descended(A, k, starts), FIT)
    found = _isolated(candidates, quadrics) if p >= k else _classified(A, candidates, list(ends.meeting), quadrics)
    found, isolated = _gathered(found, quadrics)
    on = [x for x in ends.real if p <= k or max(abs(q.share(x)) for q in quadrics) <= SAME]
    lost = [x for x in on if not any(s.contains(x, 1e2 * FIT * max(1.0, float(np.linalg.norm(x)))) for s in found)]
    seen = all(any(_direction_gap(s.y, x) <= 3.0 * MEETING for s in found if not s.bases) for x in ends.meeting)
    certain = ends.complete and isolated and not lost and seen
    certain = certain and not (p >= k and any(s.kind == VERTEX for s in found))  # multiple points are known to √eps
    words = _words(ends, certain, len(lost), f"{p} quadrics in {k} dimensions")
    return StationaryPart((), tuple(found), certain, (words,), isolated=isolated)


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


def _direction_gap(x: Array, y: Array) -> float:
    """Return the distance of (1, x) and (1, y) as directions."""
    one, two = np.append(1.0, x), np.append(1.0, y)
    return float(np.linalg.norm(one / np.linalg.norm(one) - two / np.linalg.norm(two)))


def _classified(A: Array, candidates: list[Array], meeting: list[Array], quadrics: list[Quadric]) -> list[Stationary]:
    """Return the candidates x that are stationary, with their kinds, and the singular points of the quadrics."""
    k = len(A) - len(quadrics)
    target = np.zeros(k)
    near = [x for x in candidates if dependence(x, quadrics) <= NEARLY]
    starts = [*meeting, *near, *(random_points(k) if meeting or near else [])]
    without_target = np.delete(np.delete(A, k + 1, 1), k + 1, 2)  # M₀ = 0
    finite = [x for x in descended(without_target, k, starts) if np.linalg.norm(x) < NEARLY / FIT]
    singular = distinct(finite, 1e2 * FIT)
    found = [point(x, target, VERTEX, True if np.linalg.norm(x) <= FIT else None) for x in singular]
    for start in candidates:
        x, on = _moved_onto(start, quadrics)
        # Close to a vertex large multipliers imitate a stationary point.
        reach = NEARLY if dependence(x, quadrics) <= SAME else 1e2 * FIT
        if not on or any(np.linalg.norm(x - vertex) <= reach for vertex in singular):
            continue
        at = stationarity(x, target, quadrics)
        # What the rounding of x makes of large multipliers is no residual.
        rounding = ROUND * float(np.abs(at.multipliers) @ [q.size(float(np.linalg.norm(x))) for q in quadrics])
        if at.independent and at.residual <= HELD * max(1.0, float(np.linalg.norm(x))) + rounding:
            found.append(point(x, target, kind_at(quadrics, at)))
    return found


def _isolated(candidates: list[Array], quadrics: list[Quadric]) -> list[Stationary]:
    """Return the points of as many quadrics as there are dimensions: isolated where gradients span the space.

    Multiple points, known to √eps or worse, are returned as vertices.
    """
    found: list[Stationary] = []
    points = [(dependence(x, quadrics), x) for x in candidates]
    for smallest, x in sorted(points, key=lambda pair: -pair[0]):
        if smallest > NEARLY:
            found.append(replace(point(x, 0.0 * x, LOCAL), rigid=True))
        elif not any(s.contains(x, NEARLY) for s in found):
            found.append(point(x, 0.0 * x, VERTEX))
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


def regular_point(quadrics: Sequence[Quadric], k: int) -> bool:
    """Return whether Newton's method finds a point (k,) of the quadrics with independent gradients from some start."""
    for start in random_points(k)[:: len(random_points(k)) // MEMBERS]:
        x, on = _moved_onto(start, quadrics, 10 * CROWD)
        if on and dependence(x, quadrics) > NEARLY:
            return True
    return False


def _gathered(found: list[Stationary], quadrics: list[Quadric]) -> tuple[list[Stationary], bool]:
    """Return what was found, points of equal value that form a sphere as one, and whether the others are isolated."""
    isolated = True
    for kind in (UNDECIDED, VERTEX):
        points = [s for s in found if s.kind == kind]
        while points:
            same = [s for s in points if abs(s.value - points[0].value) <= FIT]
            points = [s for s in points if all(s is not x for x in same)]
            if len(same) < CROWD:
                continue
            own, left = _spheres([s.y for s in same], quadrics) if kind == UNDECIDED else ([], same)
            found = [s for s in found if not any(f.contains(s.y, 10.0 * FIT) for f in own)] + own
            if len(left) >= CROWD:
                isolated = False
                left = [s for s in same if any(s is x for x in found)]
                found = [s for s in found if all(s is not x for x in left[2 * CROWD :])]
    return found, isolated


def _spheres(points: list[Array], quadrics: list[Quadric]) -> tuple[list[Stationary], list[Array]]:
    """Return the families through points of equal value, first through all, and the points on none of them."""
    rng = np.random.default_rng(SEED)
    families: list[Stationary] = []
    for trial in range(TRIALS):
        if len(points) < CROWD:
            break
        chosen = points if trial == 0 else [points[k] for k in rng.choice(len(points), 3, replace=False)]
        sphere = _through(np.array(chosen), quadrics, rng)
        if sphere is not None:
            families.append(sphere)
            points = [y for y in points if not sphere.contains(y, SAME)]
    return families, points


def _through(P: Array, quadrics: list[Quadric], rng: np.random.Generator) -> Stationary | None:
    """Return the sphere through points (·, k), if its members are stationary."""
    middle = np.mean(P, axis=0)
    _, sigma, V = np.linalg.svd(P - middle, full_matrices=False)
    rank = int(np.sum(sigma > SAME))
    if rank < 2:
        return None
    basis = V[:rank].T
    Z = (P - middle) @ basis
    equations = np.hstack([2.0 * Z, np.ones((len(Z), 1))])
    solution = np.linalg.lstsq(equations, np.sum(Z * Z, axis=1), rcond=None)[0]
    square = float(solution[-1] + solution[:-1] @ solution[:-1])
    if square <= SAME**2:
        return None
    sphere = Stationary(middle + basis @ solution[:-1], 0.0, UNDECIDED, None, (basis,), (float(np.sqrt(square)),))
    for x in sphere.sample(MEMBERS, rng):
        at = stationarity(x, 0.0 * x, quadrics)
        if max(at.residual, *(abs(q.share(x)) for q in quadrics)) > 10.0 * HELD:
            return None
    kind = kind_at(quadrics, at, rank - 1)
    return replace(sphere, value=0.5 * float(x @ x), kind=kind, least=minimal(kind))
