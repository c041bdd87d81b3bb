"""Spheres of stationary points on several quadrics, recognised from samples and verified.

Where quadrics and target share a symmetry, searches end at scattered points of equal value. A sphere through such
points is accepted if random members of it satisfy the quadrics and are stationary; nothing follows from the fit alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gauss.foundation.arrays import Array
from gauss.numerics.quadrics.fritz_john import CURVATURE, Stationarity, hessian, stationarity
from gauss.numerics.quadrics.secular import kind_of
from gauss.numerics.quadrics.types import UNDECIDED, Family, Quadric

CROWD = 5  # points of equal value from which on a continuum is suspected
MEMBERS = 12  # members that are verified
TRIALS = 200  # circles through three samples that are tried
VERIFIED = 1e-8  # residual of members, in units of the length
SEED = 20250207


def spheres(
    points: Sequence[Array], y0: Array, quadrics: Sequence[Quadric], length: float
) -> tuple[list[Family], list[Array]]:
    """Return the families through points of equal value, and the points on none of them."""
    rng = np.random.default_rng(SEED)
    rest = list(points)
    found: list[Family] = []
    whole = _through(rest, y0, quadrics, length, rng) if len(rest) >= CROWD else None
    if whole is not None:
        found.append(whole)
        rest = _off(whole, rest, length)
    for _ in range(TRIALS):
        if len(rest) < CROWD:
            break
        chosen = [rest[k] for k in rng.choice(len(rest), 3, replace=False)]
        circle = _through(chosen, y0, quadrics, length, rng)
        if circle is not None:
            found.append(circle)
            rest = _off(circle, rest, length)
    return found, rest


def _through(
    points: list[Array], y0: Array, quadrics: Sequence[Quadric], length: float, rng: np.random.Generator
) -> Family | None:
    """Return the sphere through points, if its members are stationary."""
    P = np.array(points)
    middle = np.mean(P, axis=0)
    _, sigma, V = np.linalg.svd(P - middle, full_matrices=False)
    rank = int(np.sum(sigma > 1e-6 * length))
    if rank < 2:
        return None
    basis = V[:rank].T
    Z = (P - middle) @ basis
    equations = np.hstack([2.0 * Z, np.ones((len(Z), 1))])
    solution = np.linalg.lstsq(equations, np.sum(Z * Z, axis=1), rcond=None)[0]
    square = float(solution[-1] + solution[:-1] @ solution[:-1])
    if square <= (1e-6 * length) ** 2:
        return None
    centre, radius = middle + basis @ solution[:-1], float(np.sqrt(square))
    nothing = np.full(len(quadrics), np.nan)
    family = Family(0.0, UNDECIDED, None, centre, (basis,), (radius,), nothing, 0.0)
    for y in family.sample(MEMBERS, rng):
        reach = max(length, float(np.linalg.norm(y)))
        if max(abs(q.value(y)) / q.size(reach) for q in quadrics) > VERIFIED:
            return None
        at = stationarity(y, y0, quadrics, length)
        if at.residual > VERIFIED * length:
            return None
    kind = _kind_across(quadrics, at, rank - 1)
    value = 0.5 * float(np.sum((y - y0) ** 2))
    least = None if kind == UNDECIDED else kind == "local minimum"
    return Family(value, kind, least, centre, (basis,), (radius,), nothing, 0.0)


def _kind_across(quadrics: Sequence[Quadric], at: Stationarity, dimension: int) -> str:
    """Return the kind by the eigenvalues of the Hessian across the family; along it they vanish."""
    H, size = hessian(quadrics, at.multipliers, at.tangent.shape[0])
    values = np.linalg.eigvalsh(at.tangent.T @ H @ at.tangent)
    along = np.abs(values) <= CURVATURE * size
    if int(np.sum(along)) != dimension:
        return UNDECIDED
    return kind_of(int(np.sum(values[~along] < 0.0)), int(np.sum(~along)))


def _off(family: Family, points: list[Array], length: float) -> list[Array]:
    return [y for y in points if not family.contains(y, 1e-6 * length)]
