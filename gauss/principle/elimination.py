"""Nearly dependent equality rows, eliminated from one another before they are decomposed.

In the mass metric a light coordinate makes all rows look alike, and rounding of its entries is as large as those of
heavy ones: a singular value decomposition there loses what two rows differ by. Gaussian elimination with complete
pivoting keeps to single columns. Its rows U of PA = LU, columns in any units, are known as well as the data let them
be (J. Demmel et al., Computing the singular value decomposition with high relative accuracy, Linear Algebra Appl. 299,
1999, 21–80).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gauss.foundation.arrays import Array, norms
from gauss.foundation.zero import UNIT
from gauss.principle.metric import Metric
from gauss.principle.problem import GaussProblem
from gauss.principle.rank import SMALL, ScaledSVD


def eliminated(problem: GaussProblem, metric: Metric, spectrum: ScaledSVD) -> tuple[GaussProblem, Array] | None:
    """Return an equivalent problem whose equality rows are far from dependent, and T (m, m) with J' = T J.

    Multipliers λ' of its rows are λ = Tᵀλ' of the given ones. None where the rows, as they are, have no small singular
    values in the metric, where the mass matrix is not definite, and beside inequality rows: one that just touches is
    not decided by more than the given rows tell. Rows beyond the rank of the spectrum stay.
    """
    r, rows = spectrum.rank, problem.rows
    if metric.weight or not metric.definite or rows.inequality.size:
        return None
    if r < 2 or spectrum.sigma[r - 1] > SMALL * spectrum.sigma[0]:
        return None
    T = combinations_apart(rows.J, norms(metric.L, 1), r)
    J, bound = (T @ rows.J).astype(float), (T @ rows.lower).astype(float)
    noise = np.abs(T).astype(float) @ (UNIT * np.abs(rows.J) if rows.noise is None else rows.noise)
    return replace(problem, rows=replace(rows, J=J, lower=bound, upper=bound, noise=noise)), T.astype(float)


def combinations_apart(J: Array, sizes: Array, rank: int) -> Array:
    """Return T (m, m) with which `rank` of the rows T J (m, n) are those of U, about 1 long, and the others those of J.

    Columns are divided by `sizes` (n,), rows by their length, to find the pivots. T has extended precision, so that
    T J is rounded as J is.
    """
    length = norms(J / sizes, 1)
    T = np.diag(1.0 / np.where(length > 0.0, length, 1.0)).astype(np.longdouble)
    left, found = T @ (J / sizes), np.eye(len(J), dtype=np.longdouble)
    open_rows = np.ones(len(J), dtype=bool)
    for _ in range(rank):
        row, column = np.unravel_index(np.argmax(np.where(open_rows[:, None], np.abs(left), -1.0)), left.shape)
        if left[row, column] == 0.0:
            break
        open_rows[row], found[row] = False, T[row] / np.max(np.abs(left[row]))
        share = np.where(open_rows, left[:, column] / left[row, column], 0.0)
        left, T = left - np.outer(share, left[row]), T - np.outer(share, T[row])
        left[open_rows, column] = 0.0
    return np.asarray(found)
