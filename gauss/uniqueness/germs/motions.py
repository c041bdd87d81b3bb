"""Which motions leave a state along the branches of a germ, and with which accelerations.

Along a branch q(τ) whose lead coordinate is s = ±τ^e, the position is q(s) = q₀ + Σ q_k (±s)^(k/e). A motion with
ds/dt ≠ 0 has a bounded acceleration unless a power k/e strictly between 1 and 2 occurs, and then

    a = 2 q_{2e} (ds/dt)² + (tangent) d²s/dt²,

where d²s/dt² is free for the forces to decide. Two branches with the same tangent and the same q_{2e} leave the
acceleration unique, but not the motion. From rest a motion can start along every half tangent, whatever e is, with
a = σ (half tangent), σ ≥ 0; at an isolated point a = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import EPS
from gauss.uniqueness.germs.germ import Germ, RealBranch

ALONG = 1e-9  # share of the velocity that may stand across a tangent: rounding of a velocity that was computed


@dataclass(frozen=True)
class HalfBranch:
    """A half branch along which a motion with the given velocity leaves."""

    branch: int  # position in Germ.branches
    half: int  # sign of τ
    curvature: Array | None  # (n,) the acceleration is this plus a multiple of the velocity; None where it is unbounded
    through: bool  # the motion arrives on the same branch, with a bounded acceleration


@dataclass(frozen=True)
class AdmittedMotions:
    """What a germ of curves or an isolated point admits at a velocity."""

    leaving: tuple[HalfBranch, ...]  # at a velocity that is not zero
    half_tangents: Array  # (h, n) unit vectors along which an acceleration is possible at rest
    acceleration_unique: bool | None  # given d²s/dt², or at rest: only zero; None where the germ does not say
    motion_unique: bool | None


def motions_at(germ: Germ, v: Array, doubt: Array | None = None) -> AdmittedMotions:
    """Return what the germ admits at velocity v (n,), known to `doubt` (n,); by default to 1e-9 of its largest entry.

    A smooth germ, a product and an open one give no answer here: their acceleration is a matter of all rows together.
    """
    n = len(v)
    if germ.status not in ("curves", "isolated"):
        return AdmittedMotions((), np.zeros((0, n)), None, None)
    own = np.zeros(n)
    own[list(germ.coordinates)] = v[list(germ.coordinates)]
    uncertain = np.full(n, ALONG * np.max(np.abs(own), initial=0.0)) if doubt is None else doubt
    if not np.any(own):
        found = _half_tangents(germ.branches)
        return AdmittedMotions((), found, len(found) == 0, len(found) == 0)
    leaving = [
        HalfBranch(k, half, _curvature(branch, own), branch.ramification % 2 == 1 and _bounded(branch))
        for k, branch in enumerate(germ.branches)
        for half in (1, -1)
        if _is_along(branch, half, own, uncertain)
    ]
    bounded = [entry for entry in leaving if entry.curvature is not None]
    same = all(_same(germ.branches[a.branch], germ.branches[bounded[0].branch]) for a in bounded)
    return AdmittedMotions(tuple(leaving), np.zeros((0, n)), bool(bounded) and same, len(bounded) == 1)


def _half_tangents(branches: tuple[RealBranch, ...]) -> Array:
    """Return the half tangents, each once: equal ones come from the same numbers, but for the rounding to doubles."""
    found: list[Array] = []
    for branch in branches:
        for sign in (1.0, (-1.0) ** branch.ramification):
            u = sign * branch.tangent
            if not any(np.max(np.abs(u - other)) <= 4.0 * EPS for other in found):
                found.append(u)
    return np.array(found).reshape(len(found), branches[0].series.shape[1] if branches else 0)


def _is_along(branch: RealBranch, half: int, v: Array, doubt: Array) -> bool:
    """Return whether a velocity points along a half branch."""
    e = branch.ramification
    direction = branch.series[e]
    rate = v[branch.lead] / direction[branch.lead]
    if rate * half**e <= 0.0:
        return False
    return bool(np.all(np.abs(v - rate * direction) <= doubt + ALONG * np.abs(v)))


def _bounded(branch: RealBranch) -> bool:
    e = branch.ramification
    return not np.any(branch.series[e + 1 : 2 * e])


def _curvature(branch: RealBranch, v: Array) -> Array | None:
    """Return 2 q_{2e} (ds/dt)² (n,), or None where a power between 1 and 2 makes the acceleration unbounded."""
    e = branch.ramification
    return 2.0 * branch.series[2 * e] * float(v[branch.lead]) ** 2 if _bounded(branch) else None


def _same(a: RealBranch, b: RealBranch) -> bool:
    """Return whether two branches with the same tangent curve alike; the other coordinate alone can make a difference.

    Where they have this coefficient in common it is one number, computed once.
    """
    return bool(a.series[2 * a.ramification][a.other] == b.series[2 * b.ramification][b.other])
