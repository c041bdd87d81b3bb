"""One-sided rows that hold directions without inertia together, though none of them carries a force in every balance.

Where the force presses such a direction onto several rows, γ and the other forces say which of them it rests on. One
minimum a with multipliers λ tells: M a = f + Jᵀλ, λ ≥ 0, λ_k = 0 at open rows. Every other minimum of a convex program
is complementary to the same λ, so rows with λ_k > 0 are at their bounds in all of them, and may be taken for equality
rows. Clarabel proposes the rows; their linear system, solved anew, decides: λ_k must be clear of its own error.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from gauss.foundation.arrays import Array, Flags, Indices
from gauss.foundation.tolerances import DETERMINED
from gauss.foundation.zero import CLEAR, UNIT
from gauss.numerics.conic import SOLVED, conic
from gauss.numerics.massless import TINY, Held

CARRIES = 1e-6  # of the largest force, in scaled units: smaller multipliers of a proposal are taken for zero


def carrying(
    M: Array, f: Array, rows: Array, low: Array, high: Array, f_noise: Array, noise: Array | None = None
) -> tuple[Indices, Indices]:
    """Return which of the rows low ≤ J a ≤ high (m, n) rest on their lower and on their upper bounds in every minimum.

    None of them where that is not sure. `f_noise` (n,) is what is not known of the force f (n,), `noise` (m, n) of J.
    """
    equal = np.flatnonzero(low == high)
    lower, upper = (np.flatnonzero((low != high) & np.isfinite(x)) for x in (low, high))
    noise = UNIT * np.abs(rows) if noise is None else noise
    J, doubt = (np.vstack([x[equal], x[lower], s * x[upper]]) for x, s in ((rows, -1.0), (noise, 1.0)))
    bound = np.concatenate([low[equal], low[lower], -high[upper]])
    held = Held.of(M, J)
    sizes = held.sizes
    weights = held.weights(sizes)
    M, f, f_noise = M * sizes[:, None] * sizes, f * sizes, f_noise * sizes
    J, doubt, bound = J * sizes * weights[:, None], doubt * sizes * weights[:, None], bound * weights
    unit = max(float(np.max(np.abs(f), initial=0.0)), float(np.max(np.abs(bound), initial=0.0)), TINY)
    f, f_noise, bound = f / unit, f_noise / unit, bound / unit
    found = _presses(M, f, J, bound, equal.size, f_noise, doubt)
    return lower[found[: lower.size]], upper[found[lower.size :]]


def _presses(M: Array, f: Array, J: Array, bound: Array, equal: int, f_noise: Array, doubt: Array) -> Flags:
    """Return which rows J a ≥ bound (u, n) behind the first `equal` ones, J a = bound, carry a force for sure."""
    n, m = len(f), len(J)
    none = np.zeros(m - equal, dtype=bool)
    cones = [(kind, count) for kind, count in (("zero", equal), ("nonnegative", m - equal)) if count]
    status, a, z = conic(sp.csc_matrix(np.triu(M)), -f, sp.csc_matrix(-J), -bound, cones)
    if status not in SOLVED or not np.all(np.isfinite(a)):
        return none
    taken = np.append(np.ones(equal, dtype=bool), z[equal:] > CARRIES)
    for _ in range(m + 1 - equal):
        G, noise = J[taken], doubt[taken]
        K = np.block([[M, -G.T], [G, np.zeros((len(G), len(G)))]])
        inverse, right, x = np.linalg.pinv(K, rcond=DETERMINED), np.append(f, bound[taken]), np.append(a, z[taken])
        for _ in range(2):  # refined
            x = x + inverse @ (right - K @ x)
        a, force = x[:n], x[n:]
        if np.all(force[equal:] > CARRIES):
            break
        taken[np.flatnonzero(taken)[equal:][force[equal:] <= CARRIES]] = False  # of a row that touches z is small only
    terms = np.abs(J) @ np.abs(a) + np.abs(bound)
    missed = np.maximum(bound - J @ a, 0.0)
    if np.any(missed > DETERMINED * np.maximum(terms, 1.0)):
        return none
    left = np.abs(right - K @ x) + len(x) * UNIT * (np.abs(K) @ np.abs(x) + np.abs(right))
    left += np.append(f_noise + noise.T @ np.abs(force), noise @ np.abs(a))
    error = float(np.linalg.norm(inverse, 2)) * (float(np.linalg.norm(left)) + float(np.linalg.norm(missed)))
    if np.any(force[equal:] <= CLEAR * error):
        return none
    return np.asarray(taken[equal:])
