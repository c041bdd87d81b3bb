"""Two constraint rows that hardly differ: what OSQP returns in the original coordinates, and in the reduced ones.

A Gauss problem with n = 3, a positive definite M of condition number 3.9, and two equality rows j and j + ε d. The
right-hand sides are those of an acceleration of ordinary size, so the problem is feasible and has one minimiser for
every ε > 0. The reference is the Karush-Kuhn-Tucker system solved in exact rational arithmetic from the very numbers
(M, f, J, γ) that the solvers get; it shares no code with them. Errors are |a − a*|_M / |a*|_M.

Run it with `python docs/experiments/near_dependent_rows.py`; it needs the package and nothing else.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import osqp
import scipy.sparse as sp

import gauss as g
from gauss.principle.reduction import reduce
from gauss.principle.solvers.osqp import SETTINGS, propose

M = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 3.0]])
f = np.array([1.0, -9.81, 4.0])
j = np.array([1.0, 2.0, -1.0])
d = np.array([0.25, -0.5, 0.75])
a_on_rows = np.array([1.0, -1.0, 2.0])  # the rows demand what this acceleration gives
DIFFERENCES = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10)
VARIANTS = {
    "original, OSQP defaults": {"verbose": False},
    "original, the package settings": SETTINGS,
    "original, 1e-12, 10⁶ iterations": SETTINGS | {"eps_abs": 1e-12, "eps_rel": 1e-12, "max_iter": 1_000_000},
}


def exact(J: np.ndarray, gamma: np.ndarray) -> np.ndarray:
    """Solve M a − Jᵀλ = f, J a = γ in rational arithmetic; return a rounded to floats."""
    K = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
    right = np.concatenate([f, gamma])
    table = [[Fraction(float(x)) for x in (*row, y)] for row, y in zip(K, right, strict=True)]
    for c in range(len(table)):
        pivot = next(r for r in range(c, len(table)) if table[r][c] != 0)
        table[c], table[pivot] = table[pivot], table[c]
        for r in range(len(table)):
            if r != c:
                factor = table[r][c] / table[c][c]
                table[r] = [x - factor * y for x, y in zip(table[r], table[c], strict=True)]
    return np.array([float(table[i][-1] / table[i][i]) for i in range(len(f))])


def original(J: np.ndarray, gamma: np.ndarray, settings: dict) -> tuple[str, int, np.ndarray]:
    """Hand min ½aᵀMa − fᵀa, J a = γ to OSQP as it stands; return its status, iterations and acceleration."""
    solver = osqp.OSQP()
    solver.setup(P=sp.csc_matrix(np.triu(M)), q=-f, A=sp.csc_matrix(J), l=gamma, u=gamma, **settings)
    result = solver.solve(raise_error=False)
    return result.info.status, result.info.iter, np.array(result.x)


def main() -> None:
    """Print one block per difference between the rows."""
    L = np.linalg.cholesky(M)
    for epsilon in DIFFERENCES:
        J = np.array([j, j + epsilon * d])
        gamma = J @ a_on_rows
        reference = exact(J, gamma)
        size = float(np.linalg.norm(L.T @ reference))

        def error(a: np.ndarray, reference: np.ndarray = reference, size: float = size) -> float:
            return float(np.linalg.norm(L.T @ (a - reference))) / size

        problem = g.principle.GaussProblem.of(M, f, J, gamma)
        sigma = g.uniqueness.diagnose(problem).sigma
        print(f"rows differ by {epsilon:.0e}: σ_min/σ_max = {sigma[-1] / sigma[0]:.1e}")
        for label, settings in VARIANTS.items():
            status, iterations, a = original(J, gamma, settings)
            missed = f"row residual {np.max(np.abs(J @ a - gamma)):.0e}, error {error(a):.1e}"
            print(f"  {label:35s}{status:28s}{iterations:7d} it., {'no answer' if 'infeas' in status else missed}")
        proposal, solution = propose(problem, reduce(problem)), g.principle.solve(problem)
        print(
            f"  {'reduced, the package settings':35s}{proposal.status:28s}{proposal.iterations:7d} it.,"
            f" error {error(proposal.a):.1e}"
        )
        print(
            f"  {'reduced, finished and certified':35s}{'':40s}error {error(solution.a):.1e},"
            f" error bound {solution.error_bound / size:.1e}"
        )


if __name__ == "__main__":
    main()
