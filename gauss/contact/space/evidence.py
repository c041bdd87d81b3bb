"""What can be proved about a friction problem in space without listing its solutions: uniqueness and existence."""

from __future__ import annotations

import numpy as np
import scipy
import scipy.sparse as sp

from gauss.contact.plane.uniqueness import forces_from, least_bound
from gauss.contact.space.scaled_problem import ScaledCone
from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import DETERMINED
from gauss.numerics.conic import SOLVED, conic

STRICT = 1e-9  # margin by which an acceleration is inside the cone
IMPROVEMENTS = 20
EXCLUDED = 1e8  # forces up to this size, in units of the loads, must be excluded by a proof that there are none


def uniqueness_bound(w: ScaledCone) -> float:
    """Return Θ; the acceleration is unique if Θ < 1. It is in proportion to the coefficients; inf says nothing.

    Let two solutions differ by z (white), Δp, Δt, Δs. The law gives Δp Δg̈ ≤ 0 and, with t = −μ p u, that
    Σ (Δp Δg̈ + Δt·Δṡ) ≤ Σ μ |Δp| |Δṡ|; the left side is |z|². Where z determines the normal forces of the contacts
    with friction, Δp = P z and Δṡ = S z, so that |z|² ≤ Σ μ |P_i z| |S_i z| ≤ ½ zᵀ Σ μ (α P_iᵀP_i + S_iᵀS_i/α) z for
    every α > 0; Θ is the largest eigenvalue, lowered by the choice of α. A contact that slides already counts with its
    slip along û only. Where μ_s > μ_k the first inequality fails, and the bound says nothing.
    """
    if not w.frictions:
        return 0.0
    if any(f.direction is None and f.static > f.kinetic for f in w.frictions):
        return np.inf
    P, left_open = forces_from(w.B, [f.contact for f in w.frictions])
    if left_open > DETERMINED:
        return np.inf
    S = np.zeros((len(w.frictions), 2, w.B.shape[1]))
    for j, friction in enumerate(w.frictions):
        rows = w.B[friction.place]
        rows = rows if friction.direction is None else (friction.direction @ rows)[None]
        S[j, : len(rows)] = rows
    return least_bound(np.array([f.kinetic for f in w.frictions]), P, S, IMPROVEMENTS)


def solvable(w: ScaledCone) -> bool | None:
    """Return whether an acceleration with g̈ > Σ μ|ṡ| at every contact exists; then there is a solution.

    This is the criterion of V. Acary, F. Cadoux, C. Lemaréchal, J. Malick, A formulation of the linear discrete Coulomb
    friction problem via convex optimization, ZAMM 91 (2011). It is for contacts at rest with μ_s = μ_k; None otherwise,
    and where the program is not decided.
    """
    if any(f.direction is not None or f.static > f.kinetic for f in w.frictions):
        return None
    d, k, b = w.B.shape[1], w.k, len(w.frictions)
    # unknowns: z (d), r (b) ≥ |ṡ| of each friction, δ; largest δ ≤ 1 with g̈ − Σ μ r ≥ δ
    q = np.zeros(d + b + 1)
    q[-1] = -1.0
    table = np.zeros((k + 1, d + b + 1))
    table[:k, :d], table[:k, -1], table[k, -1] = -w.B[:k], 1.0, 1.0
    right = np.concatenate([w.c[:k], [1.0]])
    blocks, sides, cones = [table], [right], [("nonnegative", k + 1)]
    for j, friction in enumerate(w.frictions):
        table[friction.contact, d + j] = friction.kinetic
        cone = np.zeros((1 + friction.size, d + b + 1))
        cone[0, d + j] = -1.0
        cone[1:, :d] = -w.B[friction.place]
        blocks.append(cone)
        sides.append(np.concatenate([[0.0], w.c[friction.place]]))
        cones.append(("second order", 1 + friction.size))
    tiny = sp.csc_matrix((d + b + 1, d + b + 1))
    status, x, _ = conic(tiny, q, np.vstack(blocks), np.concatenate(sides), cones)
    return bool(x[-1] > STRICT) if status in SOLVED else None


def normals_clash(w: ScaledCone) -> bool:
    """Return whether the normal rows exclude every acceleration up to 10⁸ times the loads: weights y ≥ 0 show it.

    From g̈ = B z + c ≥ 0 follows 0 ≤ yᵀ(B z + c) ≤ |Bᵀy||z| + cᵀy; the y sought make |Bᵀy|² + (cᵀy + 1)² least.
    """
    B, c = w.B[: w.k], w.c[: w.k]
    if not w.k or np.min(c) >= 0.0:
        return False
    y, _ = scipy.optimize.nnls(np.vstack([B.T, c]), np.append(np.zeros(B.shape[1]), -1.0))
    gain = -float(c @ y)
    return gain > max(STRICT * float(np.sum(y)), EXCLUDED * float(np.linalg.norm(B.T @ y)))


def contradictory(w: ScaledCone) -> bool:
    """Return whether a convex program proves that no contact forces satisfy the law.

    Every solution has forces x in their cones (with the friction −μ_k p ŝ where a contact slides already) that keep
    g̈ ≥ 0, and of contacts at rest the power xᵀ(G x + c) = −Σ μ p|ṡ| is not positive. If these convex conditions have no
    common point there is no solution: weights y in the dual cones with Aᵀy = 0 and bᵀy < 0 show it (Farkas). What
    rounding leaves of them excludes forces up to 10⁸ in units of the loads.
    """
    r, k = len(w.c), w.k
    rows, right, cones = [-w.G[:k], -np.eye(r)[:k]], [w.c[:k], np.zeros(k)], [("nonnegative", 2 * k)]
    resting = True
    for f in w.frictions:
        if f.direction is not None:
            resting = False
            across = np.eye(r)[f.place] + f.kinetic * np.outer(f.direction, np.eye(r)[f.contact])
            rows += [across, -across]
            right += [np.zeros(2 * len(across))]
            cones.append(("nonnegative", 2 * len(across)))
        else:
            rows += [-f.static * np.eye(r)[[f.contact]], -np.eye(r)[f.place]]
            right.append(np.zeros(1 + f.size))
            cones.append(("second order", 1 + f.size))
    if resting:  # |Bᵀx|² ≤ −cᵀx as |(2 Bᵀx, 1 + cᵀx)| ≤ 1 − cᵀx
        rows += [w.c[None], -w.c[None], -2.0 * w.B.T]
        right += [np.ones(2), np.zeros(w.B.shape[1])]
        cones.append(("second order", 2 + w.B.shape[1]))
    A, b = np.vstack(rows), np.concatenate(right)
    _, _, y = conic(sp.csc_matrix((r, r)), np.zeros(r), A, b, cones)
    y = y / max(float(np.max(np.abs(y))), 1e-300)
    flat = y - A @ np.linalg.lstsq(A.T @ A, A.T @ y, rcond=1e-14)[0]  # nearest with Aᵀy = 0
    return max(_excluded(A, b, y, cones), _excluded(A, b, flat, cones)) > EXCLUDED


def _excluded(A: Array, b: Array, y: Array, cones: list[tuple[str, int]]) -> float:
    """Return below which size there are no x with b − A x in self-dual cones, by weights y that are nearly in them.

    With y at most v outside and s = b − A x: bᵀy = sᵀy + xᵀAᵀy ≥ −v|s| − |x||Aᵀy|, |s| ≤ |b| + |A||x|.
    """
    outside, place = 0.0, 0
    for kind, size in cones:
        part = y[place : place + size]
        low = part if kind == "nonnegative" else part[:1] - np.linalg.norm(part[1:])
        outside = max(outside, float(-np.min(low)))
        place += size
    outside *= np.sqrt(len(cones) + len(y))
    slope = float(np.linalg.norm(A.T @ y)) + outside * float(np.linalg.norm(A, 2))
    return float((-float(b @ y) - STRICT - outside * float(np.linalg.norm(b))) / max(slope, 1e-300))
