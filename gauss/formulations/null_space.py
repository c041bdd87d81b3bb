"""The null-space form (Maggi, Kane): the equations of motion projected on the directions that the rows leave free."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

from gauss.formulations._definite import solve_definite
from gauss.formulations._problem import checked, finite, refuse_contradiction, row_lengths
from gauss.foundation.arrays import Array, positive
from gauss.foundation.dense import solve_triangular


def null_space_form(
    M: object, f: object, J: object, gamma: object, *, rank_tolerance: float = 1e-12, gap_tolerance: float = 1e-9
) -> Array:
    """Return the acceleration a (n,) from quasi-accelerations on ker J; multipliers never appear.

    M (n, n) mass matrix, f (n,) applied and inertial generalized force, J (m, n) rows, gamma (m,) with J a = γ. With
    orthonormal columns G (n, n−r) that span ker J and any a_p with J a_p = γ,

        a = a_p + G η̇,    (GᵀM G) η̇ = Gᵀ(f − M a_p).

    These are Maggi's equations; Kane's are the same projection, η̇ being derivatives of generalized speeds. G and a_p
    come from QR with column pivoting of Jᵀ, its columns at unit Euclidean length.

    Not equivalent to Gauss's principle:

    * Dependent rows are dropped where a diagonal entry of R falls below `rank_tolerance` times the largest. The rank
      is a decision of this function, in the Euclidean metric of the coordinates, so it depends on their units.
    * At a singular position ker J is larger than the set of possible accelerations: the answer then misses the
      conditions of higher order (crossing branches) and is one of many or wrong, without a sign of it.
    * A positive semidefinite M is allowed as long as ker M ∩ ker J = {0}, as in Gauss's principle.

    Raises InputError (shapes, values that are not finite, tolerances not positive), MassMatrixError (M not symmetric,
    or GᵀM G not positive definite) and ContradictoryRowsError (dependent rows whose γ disagree by more than
    `gap_tolerance` times the accelerations; here rows have unit Euclidean length, as M may be semidefinite).

    >>> from gauss.formulations import null_space_form
    >>> M, f = [[1, 0], [0, 1]], [0, -9.81]  # a pendulum of 1 m at the height of its pivot, with 3 m/s downwards
    >>> null_space_form(M, f, J=[[2, 0]], gamma=[-18]).round(9)  # towards the pivot v²/l
    array([-9.  , -9.81])
    """
    p = checked(M, f, J, gamma)
    positive(rank_tolerance, "rank_tolerance")
    positive(gap_tolerance, "gap_tolerance")
    lengths = row_lengths(p.J)
    rows, gamma_unit = p.J / lengths[:, None], p.gamma / lengths
    if p.m == 0:
        a_p, G = np.zeros(p.n), np.eye(p.n)
    else:
        Q, R, order = qr(rows.T, pivoting=True)
        diagonal = np.abs(np.diag(R))
        r = int(np.count_nonzero(diagonal > rank_tolerance * diagonal[0])) if diagonal[0] > 0.0 else 0
        a_p = Q[:, :r] @ solve_triangular(R[:r, :r], gamma_unit[order[:r]], transposed=True)
        G = Q[:, r:]
    a = a_p
    inertia = float(np.max(np.abs(p.M)))
    if G.shape[1]:
        reduced = G.T @ p.M @ G
        otherwise = (
            f"M is not positive definite on ker J (dimension {G.shape[1]}): the rows and M leave the acceleration "
            "undetermined. Give the missing inertia or the missing rows."
        )
        a = a_p + G @ solve_definite(reduced, G.T @ (p.f - p.M @ a_p), otherwise)
    finite(a)
    free = float(np.max(np.abs(p.f))) / inertia if inertia > 0.0 else 0.0
    scale = max(float(np.linalg.norm(a)), float(np.linalg.norm(gamma_unit)), free)
    refuse_contradiction(rows @ a - gamma_unit, scale, gap_tolerance, "Euclidean")
    return a
