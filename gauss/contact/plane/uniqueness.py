"""Two proofs, without enumeration of modes, that planar friction leaves no second acceleration.

*No friction needed.* Let a be an acceleration at which no contact with friction slips, given by forces with t = 0. Any
other solution a′ with forces (p′, t′) obeys

    |a′ − a|²_M = Σ (g̈′ − g̈)(p′ − p) + ṡ′t′ ≤ 0,    as g̈ p = g̈′p′ = 0, and friction from rest has ṡ′t′ ≤ 0,

so that a′ = a. Many bodies at rest on level ground are of this kind.

*Weak friction.* Let two solutions differ by z = Lᵀ(a′ − a), Δp and Δt. The law gives Δp Δg̈ ≤ 0 and
Δt Δṡ ≤ μ |Δp| |Δṡ|, so that |z|² ≤ Σ μ |Δp| |Δṡ|. Where z determines the normal forces, Δp = P z (friction forces need
not be determined), and with Δṡ = S z and any weights α_i > 0

    |z|² ≤ ½ zᵀ Σ μ_i (α_i P_iᵀP_i + S_iᵀS_i/α_i) z ≤ Θ |z|²,

Θ being the largest eigenvalue. Θ < 1 leaves z = 0 only, whatever the loads are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gauss.contact.forces.force_sets import force_sets, require_plane, scaled_at
from gauss.contact.problem import ContactProblem
from gauss.foundation.arrays import Array, Flags, Indices
from gauss.foundation.tolerances import DETERMINED

STEPS = 40  # choices of the weights α that are tried


def only_acceleration(problem: ContactProblem, a: object) -> bool:
    """Return whether a (n,) is proved to be the only acceleration, because it needs no friction.

    False leaves open whether there are others. Raises InputError as `contact_forces` does for a wrong acceleration.
    """
    scaled = scaled_at(problem, a)
    if np.any(frictional_of(problem) & (scaled.slipping != 0.0)):
        return False
    return any(s.start is not None for s in force_sets(problem, a, np.zeros(problem.k)))


def frictional_of(problem: ContactProblem) -> Flags:
    """Return which contacts (k,) have friction."""
    return np.asarray((np.maximum(problem.static, problem.kinetic) > 0.0) & np.any(problem.T != 0.0, axis=1))


def friction_bound(problem: ContactProblem) -> float:
    """Return Θ: there is at most one acceleration, for any load, if Θ < 1; inf where nothing is said.

    Θ grows in proportion to the coefficients: with all of them multiplied by less than 1/Θ there is at most one.
    Nothing is said where the contacts leave normal forces undetermined, and where a contact at rest has μ_s > μ_k.
    Raises InputError for something that is no ContactProblem, MassMatrixError as `solve_contacts` does.
    """
    scaled = scaled_at(problem, np.zeros(len(require_plane(problem).f)), rest=True)
    frictional = frictional_of(problem)
    if np.any(frictional & (problem.slip == 0.0) & (problem.static > problem.kinetic)):
        return np.inf
    frictional &= ~problem.limited  # with a constant limit Δt Δṡ ≤ 0
    if not np.any(frictional):
        return 0.0
    m, k = scaled.m, problem.k
    P, left_open = forces_from(scaled.B, m + np.flatnonzero(frictional))
    if left_open > DETERMINED:
        return np.inf
    share = scaled.length[m + k :] / scaled.length[m : m + k]
    return least_bound((problem.kinetic * share)[frictional], P, scaled.B[m + k :][frictional][:, None], STEPS)


def forces_from(B: Array, places: Sequence[int] | Indices) -> tuple[Array, float]:
    """Return P (b, n) with Δx = P z at the places (b,) for z = BᵀΔx, and the share of these Δx that z leaves open."""
    U, sigma, V = np.linalg.svd(B.T, full_matrices=True)
    rank = int(np.sum(sigma > 1e-11 * np.max(sigma, initial=0.0)))
    left_open = float(np.max(np.abs(V[rank:, places]), initial=0.0))
    return np.asarray(((V[:rank].T / sigma[:rank]) @ U[:, :rank].T)[places]), left_open


def least_bound(mu: Array, P: Array, S: Array, steps: int) -> float:
    """Return the least Θ found over the weights α (b,); each step evens out the shares at the largest eigenvector.

    P (b, n) gives the normal force and S (b, d, n) the slip of each friction, with the coefficients mu (b,).
    """
    tiny, flat = np.finfo(float).tiny, S.reshape(-1, S.shape[2])
    alpha = np.linalg.norm(S, 2, axis=(1, 2)) / np.maximum(np.linalg.norm(P, axis=1), tiny)
    best = np.inf
    for _ in range(steps):
        across = np.repeat(mu / np.maximum(alpha, tiny), S.shape[1])
        form = 0.5 * ((P.T * (mu * alpha)) @ P + (flat.T * across) @ flat)
        values, vectors = np.linalg.eigh(form)
        best = min(best, float(values[-1]))
        z = vectors[:, -1]
        wanted = np.linalg.norm(S @ z, axis=1) / np.maximum(np.abs(P @ z), 1e-12)
        alpha = np.sqrt(alpha * np.clip(wanted, 1e-6 * alpha, 1e6 * alpha))
    return best
