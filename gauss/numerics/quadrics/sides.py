"""Inequalities yᵀS y + 2 gᵀy + c ≥ 0 beside equalities: the nearest points of a region, one active set after another.

If there are only inequalities and the target satisfies them, it is the only point of value zero, and nothing else is
looked for. Otherwise each stationary point lies on the zero set of the equalities and of some inequalities (the active
set): these are solved as equalities, and a point is kept if the other inequalities hold and the active ones press,
y − y0 = Σ μ_k (S_k y + g_k) with μ_k ≥ 0. Where gradients are dependent M₀ (y − y0) = Σ M_k (S_k y + g_k) with
M_k ≥ 0, M ≠ 0 is enough (Fritz John).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from scipy.optimize import lsq_linear

from gauss.foundation.arrays import Array
from gauss.numerics.quadrics.fritz_john import CURVATURE, hessian, slope_sizes, stationarity
from gauss.numerics.quadrics.piece import Found
from gauss.numerics.quadrics.types import (
    LOCAL,
    MAXIMUM,
    SADDLE,
    UNDECIDED,
    VERTEX,
    Family,
    Piece,
    Quadric,
    form_of,
)
from gauss.numerics.quadrics.union import Part, convex, on_equalities
from gauss.numerics.quadrics.zero import pieces_of, restricted

MOST_SIDES = 6  # inequalities up to which all active sets are examined; beyond, those with at most two
TOUCHING = 1e-9  # value of a quadric relative to its terms below which it is active
PRESSING = 1e-9  # part of y − y0 that a multiplier explains below which it counts as zero
VANISHING = 1e-12  # gradient, relative to its size, that counts as zero
FITS = 1e-7  # residual of stationarity relative to |y − y0| and the length
ADMISSIBLE = "the target is admissible, so it is the only point of value zero; points of larger value are not listed"


def on_region(quadrics: Sequence[Quadric], y0: Array, length: float, tolerance: float) -> Part:
    """Return what is stationary on equalities and inequalities, in the coordinates of the target."""
    equalities, sides = _sorted(quadrics, length, tolerance)
    if sides and not equalities and all(q.value(y0) >= -tolerance * q.size(length) for q in sides):
        target = Found(y0, 0.0, LOCAL, True)
        return Part((), (target,), (), True, (ADMISSIBLE,), 0.0, whole=False)
    return _region(equalities, sides, y0, length, tolerance)


def _region(equalities: list[Quadric], sides: list[Quadric], y0: Array, length: float, tolerance: float) -> Part:
    if not sides:
        return on_equalities(equalities, y0, length, tolerance)
    if equalities:
        zero = pieces_of(equalities, y0.size, length, tolerance)
        if len(zero.pieces) != 1 or zero.pieces[0].basis.shape[1] < y0.size:
            part = _over_pieces(zero.pieces, sides, y0, length, tolerance)
            return replace(part, complete=part.complete and zero.decided, evidence=(zero.evidence, *part.evidence))
    return _over_active_sets(equalities, sides, y0, length, tolerance)


def _sorted(quadrics: Sequence[Quadric], length: float, tolerance: float) -> tuple[list[Quadric], list[Quadric]]:
    """Return equalities, those among the inequalities that cannot be positive included, and true inequalities."""
    equalities, sides = [q for q in quadrics if q.sense == "="], []
    for q in (q for q in quadrics if q.sense == ">="):
        values = np.linalg.eigvalsh(form_of(q, length))
        if values[-1] <= tolerance and values[0] < -tolerance:
            equalities.append(replace(q, sense="="))
        elif values[0] < -tolerance:
            sides.append(q)
    return equalities, sides


def _over_pieces(pieces: tuple[Piece, ...], sides: list[Quadric], y0: Array, length: float, tolerance: float) -> Part:
    """Return what is stationary on the parts of the pieces that the inequalities leave."""
    parts = []
    for piece in pieces:
        own, others = _sorted(
            [*piece.quadrics, *(restricted(q, piece, length, tolerance) for q in sides)], length, tolerance
        )
        parts.append(_lifted(_region(own, others, piece.coordinates(y0), length, tolerance), piece, y0))
    close = 10.0 * tolerance * length
    points: list[Found] = []
    for k, part in enumerate(parts):
        for p in part.points:
            twin = next((j for j, other in enumerate(points) if np.linalg.norm(other.y - p.y) <= close), None)
            through = [j for j, piece in enumerate(pieces) if j != k and _on(piece, p.y, y0, close)]
            missed = [j for j in through if all(np.linalg.norm(x.y - p.y) > close for x in parts[j].points)]
            if twin is not None:
                least = None if None in (p.least, points[twin].least) else p.least and points[twin].least
                points[twin] = replace(points[twin], kind=VERTEX, least=least)
            elif through:
                points.append(replace(p, kind=VERTEX, least=False if missed else p.least, piece=k))
            else:
                points.append(replace(p, piece=k))
    bounds = [part.lower_bound for part in parts if not part.nothing]
    whole = all(part.whole for part in parts)
    return Part(
        pieces=tuple(piece for part in parts for piece in part.pieces) if whole else pieces,
        points=tuple(points),
        families=tuple(replace(f, piece=k) for k, part in enumerate(parts) for f in part.families),
        complete=all(part.complete for part in parts),
        evidence=tuple(dict.fromkeys(word for part in parts for word in part.evidence)),
        lower_bound=min(b for b in bounds if b is not None) if bounds and None not in bounds else None,
        isolated=all(part.isolated for part in parts),
        whole=whole,
    )


def _on(piece: Piece, y: Array, y0: Array, close: float) -> bool:
    reach = max(float(np.linalg.norm(y)), float(np.linalg.norm(y0)))
    z = piece.coordinates(y)
    return piece.distance(y) <= close and all(abs(q.value(z)) <= TOUCHING * q.size(reach) for q in piece.quadrics)


def _lifted(part: Part, piece: Piece, y0: Array) -> Part:
    """Return a part in the coordinates in which the piece lies."""
    rest = 0.5 * float(np.sum((piece.lift(piece.coordinates(y0)) - y0) ** 2))
    families = []
    for f in part.families:
        within = tuple(_extended(q, piece) for q in f.within)
        bases = tuple(piece.basis @ basis for basis in f.bases)
        families.append(replace(f, centre=piece.lift(f.centre), bases=bases, value=f.value + rest, within=within))
    return replace(
        part,
        pieces=tuple(Piece(piece.lift(p.offset), piece.basis @ p.basis, p.quadrics) for p in part.pieces),
        points=tuple(replace(p, y=piece.lift(p.y), value=p.value + rest) for p in part.points),
        families=tuple(families),
        lower_bound=None if part.lower_bound is None else part.lower_bound + rest,
    )


def _extended(q: Quadric, piece: Piece) -> Quadric:
    """Return a quadric on the coordinates of a piece as one on the space around it."""
    S = piece.basis @ q.S @ piece.basis.T
    g = piece.basis @ q.g - S @ piece.offset
    shift = piece.basis.T @ piece.offset
    return replace(q, S=S, g=g, c=q.c + float(shift @ (q.S @ shift)) - 2.0 * float(q.g @ shift))


def _over_active_sets(
    equalities: list[Quadric], sides: list[Quadric], y0: Array, length: float, tolerance: float
) -> Part:
    """Return what is stationary on a region with an irreducible set of equalities (or none)."""
    all_sets = len(sides) <= MOST_SIDES
    points: list[Found] = []
    families: list[Family] = []
    parts = []
    for count in range((len(sides) if all_sets else 2) + 1):
        for chosen in combinations(range(len(sides)), count):
            active = [replace(sides[k], sense="=") for k in chosen]
            others = [q for k, q in enumerate(sides) if k not in chosen]
            part = on_equalities([*equalities, *active], y0, length, tolerance)
            parts.append(part)
            for p in part.points:
                kept = _kept(p, equalities, sides, y0, length)
                if kept is not None and all(np.linalg.norm(kept.y - x.y) > 1e-8 * length for x in points):
                    points.append(kept)
            families += [g for f in part.families if (g := _cut(f, equalities, active, others, y0, length)) is not None]
    points = [p for p in points if not any(f.contains(p.y, 1e-8 * length) for f in families)]
    known = [(p.value, p.y) for p in points] + [(f.value, y) for f in families if not f.within for y in f.axes()]
    points = [_vertex_settled(p, known, equalities, sides, y0, length) for p in points]
    evidence = list(dict.fromkeys(word for part in parts for word in part.evidence))
    count_words = f"all {2 ** len(sides)} active sets" if all_sets else "only active sets of at most two inequalities"
    whole_space = Piece(np.zeros(y0.size), np.eye(y0.size), tuple(equalities))
    return Part(
        pieces=(whole_space,) if equalities else (),
        points=tuple(points),
        families=tuple(families),
        complete=all_sets and all(part.complete for part in parts),
        evidence=(f"{count_words} of {len(sides)} inequalities were examined", *evidence),
        lower_bound=_bound(points, families, equalities, sides, y0, length),
        isolated=all(part.isolated for part in parts),
        whole=False,
    )


def _vertex_settled(
    p: Found,
    others: list[tuple[float, Array]],
    equalities: list[Quadric],
    sides: list[Quadric],
    y0: Array,
    length: float,
) -> Found:
    """Return a vertex about which all active conditions are cones as "not least" if a point of them is nearer.

    The segment from the vertex to that point then belongs to the cones, and ½|y − y0|² decreases at its beginning.
    """
    if p.kind != VERTEX or p.least is not None:
        return p
    active = [*equalities, *(q for q in sides if abs(q.value(p.y)) <= TOUCHING * q.size(length))]
    unit = slope_sizes(active, length)
    if any(np.linalg.norm(q.slope(p.y)) > TOUCHING * u for q, u in zip(active, unit, strict=True)):
        return p
    downhill = any(v < p.value and (y - p.y) @ (y0 - p.y) > TOUCHING * length**2 for v, y in others)
    return replace(p, least=False) if downhill else p


def pressing(
    y: Array, y0: Array, equalities: list[Quadric], sides: list[Quadric], length: float
) -> tuple[Array, float]:
    """Return multipliers (equalities, then sides ≥ 0) of unit gradients by least squares, and the residual."""
    quadrics = [*equalities, *sides]
    step = y - y0
    if not quadrics:
        return np.zeros(0), float(np.linalg.norm(step))
    G = np.array([q.slope(y) for q in quadrics]).T / slope_sizes(quadrics, length)
    G = np.where(np.linalg.norm(G, axis=0) > VANISHING, G, 0.0)
    low = np.concatenate([np.full(len(equalities), -np.inf), np.zeros(len(sides))])
    found = lsq_linear(G, step, bounds=(low, np.inf), method="bvls", tol=1e-14)
    return np.asarray(found.x), float(np.linalg.norm(G @ found.x - step))


def _kept(p: Found, equalities: list[Quadric], sides: list[Quadric], y0: Array, length: float) -> Found | None:
    """Return the point with its kind on the region, or None if it is not admissible or not stationary there."""
    reach = max(length, float(np.linalg.norm(p.y)))
    level = np.array([q.value(p.y) / q.size(reach) for q in sides])
    if np.any(level < -TOUCHING):
        return None
    active = [q for q, x in zip(sides, level) if x <= TOUCHING]
    mu, residual = pressing(p.y, y0, equalities, active, length)
    size = max(float(np.linalg.norm(p.y - y0)), FITS * length)
    if residual > FITS * size:
        return replace(p, kind=VERTEX, least=None) if _fritz_john(p.y, equalities, active, length) else None
    if p.kind == VERTEX:
        return replace(p, least=False if p.least is False else None)
    unit = slope_sizes([*equalities, *active], length)
    slopes = [float(np.linalg.norm(q.slope(p.y))) / u for q, u in zip([*equalities, *active], unit)]
    n = len(equalities)
    strong = [k for k in range(len(active)) if mu[n + k] * slopes[n + k] > PRESSING * size]
    pressed = [*equalities, *(active[k] for k in strong)]
    H, scale = hessian([*equalities, *active], mu / unit, p.y.size)
    at = stationarity(p.y, y0, pressed, length)
    values = np.linalg.eigvalsh(at.tangent.T @ H @ at.tangent)
    if np.all(values > CURVATURE * scale):
        return replace(p, kind=LOCAL, least=True)
    if at.independent and len(strong) == len(active) and np.any(values < -CURVATURE * scale):
        return replace(p, kind=SADDLE, least=False)
    return replace(p, kind=UNDECIDED, least=None)


def _fritz_john(y: Array, equalities: list[Quadric], active: list[Quadric], length: float) -> bool:
    """Return whether a combination of the gradients vanishes whose weights on the inequalities are not negative."""
    quadrics = [*equalities, *active]
    if not quadrics:
        return False
    G = np.array([q.slope(y) for q in quadrics]).T / slope_sizes(quadrics, length)
    if equalities and np.linalg.svd(G[:, : len(equalities)], compute_uv=False)[-1] <= FITS:
        return True
    low = np.concatenate([np.full(len(equalities), -np.inf), np.zeros(len(active))])
    rows = np.vstack([G, np.concatenate([np.zeros(len(equalities)), np.ones(len(active))])])
    right = np.zeros(rows.shape[0])
    right[-1] = 1.0
    found = lsq_linear(rows, right, bounds=(low, np.inf), method="bvls", tol=1e-14)
    return bool(np.linalg.norm(rows @ found.x - right) <= FITS)


def _cut(
    f: Family, equalities: list[Quadric], active: list[Quadric], others: list[Quadric], y0: Array, length: float
) -> Family | None:
    """Return the part of a family that satisfies the inequalities, or None."""
    y = f.axes()[0]
    _, residual = pressing(y, y0, equalities, active, length)
    if residual > FITS * max(float(np.linalg.norm(y - y0)), FITS * length):
        return None
    members = np.vstack([f.axes(), f.sample(200, 0)])
    reach = max(length, float(np.max(np.linalg.norm(members, axis=1))))
    holds = np.array([[q.value(x) >= -TOUCHING * q.size(reach) for q in others] for x in members])
    if others and not np.any(np.all(holds, axis=1)):
        return None
    kind = SADDLE if f.kind == MAXIMUM and active else f.kind
    within = tuple(q for q, always in zip(others, np.all(holds, axis=0)) if not always) if others else ()
    return replace(f, kind=kind, within=within)


def _bound(
    points: list[Found],
    families: list[Family],
    equalities: list[Quadric],
    sides: list[Quadric],
    y0: Array,
    length: float,
) -> float:
    """Return the least value if the Lagrangian proves that nothing admissible is less, else 0."""
    candidates = [(p.value, p.y) for p in points] + [(f.value, f.axes()[0]) for f in families]
    if not candidates:
        return 0.0
    value, y = min(candidates, key=lambda pair: pair[0])
    reach = max(length, float(np.linalg.norm(y)))
    active = [q for q in sides if q.value(y) <= TOUCHING * q.size(reach)]
    mu, residual = pressing(y, y0, equalities, active, length)
    quadrics = [*equalities, *active]
    if not quadrics or residual > FITS * float(np.linalg.norm(y - y0)):
        return 0.0
    return value if convex(quadrics, mu / slope_sizes(quadrics, length)) else 0.0
