"""Second-order cone programs by Clarabel, through its own interface.

With a dozen unknowns a solution takes 0.06 ms this way, 0.8 ms through cvxpy's parametrised problems (one thread).
"""

from __future__ import annotations

from collections.abc import Sequence

import clarabel
import numpy as np
import scipy.sparse as sp

from gauss.foundation.arrays import Array

SOLVED = ("Solved", "AlmostSolved", "InsufficientProgress")  # each is certified or polished afterwards
TOLERANCE = 1e-11
CONES = {
    "zero": clarabel.ZeroConeT,
    "nonnegative": clarabel.NonnegativeConeT,
    "second order": clarabel.SecondOrderConeT,
}


def conic(P: sp.csc_matrix, q: Array, A: Array, b: Array, cones: Sequence[tuple[str, int]]) -> tuple[str, Array, Array]:
    """Minimise ½ xᵀP x + qᵀx subject to b − A x in the cones; return Clarabel's status, x and the dual."""
    found = conic_solver(P, q, sp.csc_matrix(A), b, cones).solve()
    return str(found.status), np.asarray(found.x), np.asarray(found.z)


def conic_solver(
    P: sp.csc_matrix, q: Array, A: sp.csc_matrix, b: Array, cones: Sequence[tuple[str, int]]
) -> clarabel.DefaultSolver:
    """Return Clarabel's solver of the program, to be kept and updated from pass to pass; P is the upper triangle."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.presolve_enable = False
    settings.input_sparse_dropzeros = False
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
    return clarabel.DefaultSolver(P, q, A, b, [CONES[kind](n) for kind, n in cones], settings)
