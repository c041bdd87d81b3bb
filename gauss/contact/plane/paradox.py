"""Painlevé's paradox: when sliding friction leaves exactly one motion, and what Gauss's principle says with friction.

For sliding contacts with directions σ the law of friction is the linear complementarity problem g̈ = A p + b ≥ 0,
p ≥ 0, pᵀg̈ = 0 with A = W_nn − W_nt diag(σ μ), where W is Delassus's matrix (N; T) K⁻¹ (N; T)ᵀ of the contacts in the
metric of M, restricted to the accelerations that the bilateral rows leave. Exactly one solution for every load exists
if and only if A is a P-matrix; W_nn alone is one where the contacts are independent, and friction may destroy it.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import scipy.linalg as sla

from gauss.contact.forces.force_sets import require_plane
from gauss.contact.plane.complementarity import LARGEST
from gauss.contact.problem import ContactProblem
from gauss.errors import InputError
from gauss.foundation.arrays import Array, vector
from gauss.foundation.tolerances import HELD
from gauss.model.rows import Rows
from gauss.principle import GaussProblem, GaussSolution, solve
from gauss.principle.rank import spectrum_of

ZERO = 1e-13  # 1/μ below this share of √(W_tt/W_nn) is zero: friction does not act on the normal acceleration
REAL = 1e-9  # an eigenvalue whose imaginary part is below this share of it is real


def delassus(problem: ContactProblem) -> Array:
    """Return W (2k, 2k): how normal and friction forces (p, t) change the accelerations (g̈, ṡ) of the contacts.

    Raises MassMatrixError as `solve_contacts` does.
    """
    p = problem
    spectrum = spectrum_of(p.metric, p.J)
    held = spectrum.V[: spectrum.rank]
    whitened = p.metric.whitened(np.vstack([p.N, p.T]))
    free = whitened - whitened @ held.T @ held
    free[np.linalg.norm(free, axis=1) <= HELD * np.linalg.norm(whitened, axis=1)] = 0.0
    return np.asarray(free @ free.T)


def friction_matrix(problem: ContactProblem) -> tuple[Array, Array]:
    """Return A (k, k) and b (k,) of g̈ = A p + b for unilateral contacts that all slide.

    Raises InputError for contacts at rest or held from both sides, MassMatrixError as `solve_contacts` does.
    """
    _require_sliding(problem)
    p, W = problem, delassus(problem)
    normal, tangent = W[: p.k, : p.k], W[: p.k, p.k :]
    A = normal - tangent * (p.slip * p.kinetic)
    return A, p.N @ solve(p.bare).a - p.nu


def critical_coefficient(problem: ContactProblem) -> float:
    """Return the largest μ* so that below it, the same μ at all contacts, each load has exactly one solution.

    It is the least positive μ at which a principal minor of W_nn − μ W_nt diag(σ) vanishes, a generalised eigenvalue;
    inf if there is none, 0 where the contacts depend on each other even without friction. With one contact
    μ* = W_nn/(σ W_nt). Raises InputError for contacts at rest or held from both sides, and for more than 14 contacts.
    """
    _require_sliding(problem)
    if problem.k > LARGEST:
        raise InputError(f"there are {problem.k} contacts; principal minors are looked at for up to {LARGEST}.")
    k, W = problem.k, delassus(problem)
    normal, tangent = W[:k, :k], W[:k, k:] * problem.slip
    top = float(np.trace(normal))
    if top == 0.0:
        return 0.0 if k else float(np.inf)  # the bilateral rows leave the contacts no freedom
    rounding = ZERO * float(np.sqrt(np.trace(W[k:, k:]) / top))
    least = np.inf
    for size in range(1, k + 1):
        for chosen in combinations(range(k), size):
            block = np.ix_(chosen, chosen)
            root = sla.eigvalsh(normal[block])
            if root[0] <= 1e-12 * root[-1]:
                return 0.0
            inverse = np.linalg.eigvals(np.linalg.solve(normal[block], tangent[block]))
            real = inverse[np.abs(inverse.imag) <= REAL * np.abs(inverse)].real  # 1/μ
            largest = float(np.max(real, initial=0.0))
            least = min(least, 1.0 / largest if largest > rounding else np.inf)
    return float(least)


def _require_sliding(problem: ContactProblem) -> None:
    p = require_plane(problem)
    wrong = [name for name, sign, held in zip(p.names, p.slip, p.bilateral, strict=True) if sign == 0.0 or held]
    if wrong:
        raise InputError(
            f"contacts {', '.join(map(repr, wrong))} do not slide, or are held from both sides; the matrix of sliding"
            " friction is defined for unilateral contacts with a slip velocity. solve_contacts decides all others."
        )


def least_zwang(problem: ContactProblem, tangential: object) -> GaussSolution:
    """Minimise the Zwang of what friction leaves: friction forces (k,) count as applied, the rows as ideal.

    The minimiser over J a = γ and N a ≥ ν (= ν for contacts held from both sides) is unique for given forces (N). A
    solution of the friction problem is a fixed point of this: its friction forces give its acceleration. Raises
    InputError for a wrong shape and what `gauss.principle.solve` raises.

    >>> import gauss as g
    >>> floor = {"N": [[0, 1]], "nu": [0], "T": [[1, 0]], "tau": [0], "coefficient": [0.5]}
    >>> block = g.contact.ContactProblem.of([[2, 0], [0, 2]], [15, -20], **floor, slip=[1])
    >>> g.contact.least_zwang(block, [-10.0]).a.round(9).tolist()  # (15 N − 0.5 · 20 N)/2 kg: the sliding block
    [2.5, 0.0]
    """
    p = require_plane(problem)
    upper = np.concatenate([p.gamma, np.where(p.bilateral, p.nu, np.inf)])
    rows = Rows.of(np.vstack([p.J, p.N]), np.concatenate([p.gamma, p.nu]), upper, [*p.rows, *p.names])
    force = p.f + p.T.T @ vector(tangential, p.k, "tangential", p.names)
    return solve(GaussProblem(p.M, force, rows, p.coordinates))
