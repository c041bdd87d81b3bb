"""The Udwadia–Kalaba equation: the constrained acceleration in one explicit formula with a pseudo-inverse."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, svd

from gauss.errors import MassMatrixError
from gauss.formulations._problem import EPS, checked, finite, refuse_contradiction, row_lengths
from gauss.foundation.arrays import Array, positive


def udwadia_kalaba(
    M: object, f: object, J: object, gamma: object, *, rank_tolerance: float = 1e-12, gap_tolerance: float = 1e-9
) -> Array:
    """Return the acceleration a (n,) as the free one plus a pseudo-inverse correction; dependent rows are allowed.

    M (n, n) positive definite mass matrix, f (n,) applied and inertial generalized force, J (m, n) rows, gamma (m,)
    with J a = γ:

        a = a_free + M^{-1/2} (J M^{-1/2})⁺ (γ − J a_free),    a_free = M⁻¹ f.

    This is the Udwadia–Kalaba equation (F. E. Udwadia and R. E. Kalaba, 1992), with (·)⁺ the Moore–Penrose inverse.
    M^{-1/2} comes from the eigenvalues of M after a scaling of the coordinates to unit diagonal, and rows have unit
    length in the mass metric; both leave a unchanged and keep the answer independent of units.

    Not equivalent to Gauss's principle:

    * Contradictory rows: the bare formula returns the compromise of least squares. Here they are refused.
    * Nearly dependent rows: singular values below `rank_tolerance` times the largest count as zero. A direction cut
      off in this way is no longer constrained, and the acceleration jumps.
    * At a singular position the pseudo-inverse drops the conditions of higher order (crossing branches); the formula
      returns one acceleration, of which nothing says that a motion has it.
    * Positive semidefinite M: M^{-1/2} does not exist although Gauss's principle may well have one minimiser.

    Raises InputError (shapes, values that are not finite, tolerances not positive), MassMatrixError (M not symmetric
    or not positive definite) and ContradictoryRowsError (dependent rows whose γ disagree by more than `gap_tolerance`
    times the accelerations in the mass metric).
    """
    p = checked(M, f, J, gamma)
    positive(rank_tolerance, "rank_tolerance")
    positive(gap_tolerance, "gap_tolerance")
    diagonal: Array = np.diag(p.M)
    if np.min(diagonal) <= 0.0:
        i = int(np.argmin(diagonal))
        raise MassMatrixError(f"M[{i}, {i}] = {diagonal[i]:g}: M is not positive definite, so M^(-1/2) does not exist.")
    d = 1.0 / np.sqrt(diagonal)  # (n,) with a = d·â
    eigenvalues, V = eigh(d[:, None] * p.M * d)
    if eigenvalues[0] <= 4.0 * p.n * EPS * eigenvalues[-1]:
        raise MassMatrixError(
            f"M is not positive definite: with unit diagonal its smallest eigenvalue is {eigenvalues[0]:.3g}, so "
            "M^(-1/2) does not exist. Use a formulation that allows a semidefinite M."
        )
    root = (V / np.sqrt(eigenvalues)) @ V.T  # (n, n), M̂^{-1/2}
    free: Array = (V / eigenvalues) @ (V.T @ (d * p.f))  # (n,), M̂⁻¹ f̂
    if p.m == 0:
        return finite(np.asarray(d * free, dtype=float))
    B = (p.J * d) @ root  # (m, n), Ĵ M̂^{-1/2}
    lengths = row_lengths(B)
    unit, gamma_unit = B / lengths[:, None], p.gamma / lengths
    rows = (p.J * d) / lengths[:, None]
    U, sigma, Wt = svd(unit, full_matrices=False)
    kept = sigma > rank_tolerance * sigma[0]
    correction = Wt[kept].T @ ((U[:, kept].T @ (gamma_unit - rows @ free)) / sigma[kept])
    a = free + root @ correction
    mass_norm_free = float(np.linalg.norm(np.sqrt(eigenvalues) * (V.T @ free)))
    scale = max(mass_norm_free, float(np.linalg.norm(gamma_unit)), float(np.linalg.norm(correction)))
    refuse_contradiction(rows @ a - gamma_unit, scale, gap_tolerance, "mass")
    return finite(np.asarray(d * a, dtype=float))
