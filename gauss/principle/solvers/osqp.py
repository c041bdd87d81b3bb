"""OSQP on the reduced problem: the default solver."""

from __future__ import annotations

import math
import signal
from dataclasses import dataclass
from typing import Any

import numpy as np
import osqp
import scipy.sparse as sp

from gauss.errors import SolverError
from gauss.foundation.arrays import Array, all_finite
from gauss.foundation.threads import Lock
from gauss.principle.problem import GaussProblem
from gauss.principle.proposal import Proposal, equality_signs
from gauss.principle.reduction import ReducedProgram

# The defaults (1e-3) give accelerations wrong by 2e-4 and the wrong active set; these give 1e-14 after polishing.
SETTINGS: dict[str, Any] = {
    "eps_abs": 1e-9,
    "eps_rel": 1e-9,
    "polishing": True,
    "polish_refine_iter": 10,
    "check_termination": 10,
    "max_iter": 10_000,
    "verbose": False,
}


# OSQP's regularisation of the coordinates, also in polishing, whose refinements shrink what is left by σ/(σ + s²) with
# s the smallest singular value of the rows: about 1/N for a chain of N bodies. OSQP's own 1e-6 left 2e-5 of the answer
# at N = 1,000. Mass matrices here have a unit diagonal.
SIGMA = 1e-9

# Without over-relaxation the error along orthonormal equality rows falls by the step length in each iteration. OSQP's
# own 1.6, which inequality rows like better, leaves 0.6 of it.
PLAIN = {"alpha": 1.0}

# Along orthonormal equality rows beside ½|z|² that is a millionfold with this step length: five iterations leave but
# rounding, and nothing to be polished, which would take three times as long.
SHORT = {"rho": 1e3, "check_termination": 5, "polishing": False}

# Rows of unit length beside ½|z|² need no scaling; without it a kept problem forgets the one before to the last bit.
UNSCALED = {"scaling": 0}
RHO = 0.1  # OSQP's first step length, a thousandth of that along equality rows
MOST_KEPT = 64  # sizes of problems whose memory is kept

WARM = 500  # iterations of a problem that starts from the answer of the one before, which needs 25 or 50 as a rule

# While it solves, OSQP replaces what the process does on Ctrl-C. Of two threads the one that ends last would restore
# what the other had put there, and Ctrl-C would be dead from then on.
_INTERRUPTS = Lock()

# OSQP takes bounds beyond 1e30 for none at all, so numbers larger than this are divided by the largest of them.
LARGE = 1e15
UNBOUNDED = 1e30  # bounds from here on are none at all


@dataclass(frozen=True)
class Answer:
    """What OSQP found."""

    x: Array  # (n,)
    y: Array  # (k,) of the opposite sign of λ
    iterations: int
    status: str
    changes: int = 0  # of OSQP's step length


def _bounds(low: Array, high: Array, size: float) -> tuple[Array, Array]:
    if low is high:
        return (low, low) if size == 1.0 else (low / size,) * 2
    low, high = (low, high) if size == 1.0 else (low / size, high / size)
    return np.maximum(low, -UNBOUNDED), np.minimum(high, UNBOUNDED)


def _size(*numbers: Array) -> float:
    """Return what the bounds and the linear term are divided by: the largest finite number, or 1 if none is large.

    The quadratic program is homogeneous: with bounds and linear term divided by s its answer is divided by s.
    """
    top = max([float(np.abs(x).max(initial=0.0)) for x in numbers])
    if not math.isfinite(top):
        top = max(float(np.max(np.abs(x), where=np.isfinite(x), initial=0.0)) for x in numbers)
    return top if top > LARGE else 1.0


def _answer(solver: Any, size: float) -> Answer:
    """Solve by OSQP's compiled part; give x and y their size back."""
    with _INTERRUPTS:
        solver.solve()
    info, found = solver.info, solver.solution
    if info.status == "interrupted":  # Ctrl-C, which OSQP has taken for itself: Python's main thread decides
        signal.raise_signal(signal.SIGINT)
        return _answer(solver, size)
    return Answer(found.x * size, found.y * size, int(info.iter), str(info.status), int(info.rho_updates))


def _set_up(solver: Any, **given: Any) -> None:
    """Give OSQP a program. Raises SolverError for one that it does not take."""
    try:
        solver.setup(**given)
    except osqp.OSQPException as error:
        raise SolverError(
            "OSQP cannot factorise the quadratic program: its numbers are not finite, or too far apart in size."
        ) from error


def _settings(low: Array, high: Array) -> dict[str, Any]:
    """Return how OSQP solves a problem with these bounds."""
    return {**SETTINGS, **PLAIN} if np.array_equal(low, high) else SETTINGS


class Workspace:
    """One OSQP problem kept and updated: min ½|z|² subject to low ≤ A z ≤ high with A (k, n) dense.

    Problems of one size are solved side by side where A is (b, k, n): z (b·n,), bounds (b·k,).
    """

    def __init__(self, A: Array, low: Array, high: Array, P: Array | None = None, h: Array | None = None):
        b, (k, n) = 1 if A.ndim == 2 else len(A), A.shape[-2:]
        rows = np.repeat(np.arange(b * k).reshape(b, 1, k), n, axis=1).ravel()
        self._indices, self._shape = (rows, np.arange(b * n + 1) * k), (b * k, b * n)
        n = b * n
        diagonal = np.arange(n + 1)
        eye = sp.csc_matrix((np.ones(n), diagonal[:-1], diagonal), shape=(n, n))
        quadratic = eye if P is None else sp.csc_matrix(np.triu(P))
        linear = np.zeros(n) if h is None else h
        self._linear = () if h is None else (h,)
        self._size = _size(low, high, linear)
        whole = osqp.OSQP(algebra="builtin")
        given = {"P": quadratic, "q": linear / self._size, "A": self._sparse(A)}
        settings = _settings(low, high) | (UNSCALED if P is None else {})
        if P is None and np.array_equal(low, high):
            settings |= SHORT
        self._rho = settings.get("rho", RHO)
        _set_up(whole, **given, l=low / self._size, u=high / self._size, **settings)
        self._solver = whole._solver  # its Python takes longer than a small problem
        self._start = np.zeros(n), np.zeros(b * k)
        self._changed = False  # whether OSQP has another step length than at first

    def _sparse(self, A: Array) -> sp.csc_matrix:
        """Store every entry, zeros too, so that updates keep the pattern."""
        return sp.csc_matrix((self._values(A), *self._indices), shape=self._shape)

    def _values(self, A: Array) -> Array:
        return A.swapaxes(-1, -2).ravel()

    def update(self, A: Array, low: Array, high: Array) -> None:
        """Replace all rows and bounds."""
        if self._shape[0]:
            before, self._size = self._size, _size(*self._linear, *((low,) if low is high else (low, high)))
            low, high = _bounds(low, high, self._size)
            changed = self._linear[0] / self._size if self._linear and before != self._size else None
            self._solver.update_data_vec(q=changed, l=low, u=high)
            self._solver.update_data_mat(P_x=None, P_i=None, A_x=self._values(A), A_i=None)

    def restart(self, A: Array, low: Array, high: Array) -> None:
        """Replace all rows and bounds as if the workspace were new; the one before has had no quadratic term P."""
        if self._changed:
            self._solver.update_rho(self._rho)
            self._changed = False
        self.update(A, low, high)
        self._solver.warm_start(*self._start)

    def solve(self) -> Answer:
        """Solve."""
        answer = _answer(self._solver, self._size)
        self._changed |= answer.changes > 0
        return answer


_FREE: dict[tuple[tuple[int, ...], bool], list[Workspace]] = {}  # workspaces that nobody uses, by size and kind of rows


def solved(A: Array, low: Array, high: Array) -> Answer:
    """Solve min ½|z|² subject to low ≤ A z ≤ high, or several side by side, as a new `Workspace` would but faster."""
    key = A.shape, low is high or bool((low == high).all())
    if key not in _FREE and len(_FREE) >= MOST_KEPT:
        _FREE.clear()
    free = _FREE.setdefault(key, [])
    try:
        workspace = free.pop()
    except IndexError:
        workspace = Workspace(A, low, high)
    else:
        workspace.restart(A, low, high)
    answer = workspace.solve()
    free.append(workspace)
    return answer


class SparseWorkspace:
    """One OSQP problem kept and updated: min ½ yᵀP y + hᵀy subject to low ≤ A y ≤ high, in fixed sparsity patterns.

    P is given by its upper triangle. Stored zeros keep their places, so OSQP's symbolic factorisation serves all
    updates; A has at least one row.
    """

    def __init__(self, P: sp.csc_matrix, h: Array, A: sp.csc_matrix, low: Array, high: Array):
        self._P, self._A, self._vectors = P, A, (h, low, high)
        self._begin()

    def _begin(self) -> None:
        h, low, high = self._vectors
        self._size = s = _size(low, high, h)
        self._solver = osqp.OSQP(algebra="builtin")
        settings = _settings(low, high)
        _set_up(self._solver, P=self._P, q=h / s, A=self._A, l=low / s, u=high / s, **settings, sigma=SIGMA)
        self._fresh = True

    def update(self, P: Array, h: Array, A: Array, low: Array, high: Array) -> None:
        """Replace all numbers; P and A are the stored values, column by column."""
        if self._fresh:
            self._solver.update_settings(max_iter=WARM)
        self._P.data[:], self._A.data[:], self._vectors, self._fresh = P, A, (h, low, high), False
        self._size = s = _size(low, high, h)
        self._solver.update(Px=P, q=h / s, Ax=A, l=low / s, u=high / s)

    def solve(self) -> Answer:
        """Solve; from the start again where the step length kept from the problem before is a bad one."""
        answer = _answer(self._solver._solver, self._size)
        if answer.status != "solved" and not self._fresh:
            self._begin()
            answer = _answer(self._solver._solver, self._size)
        return answer


def with_zero_row(A: Array, low: Array, high: Array) -> tuple[Array, Array, Array]:
    """Append the row 0·z = 0, to each of several problems (b, k, n) too: it changes nothing, but keeps OSQP from
    printing that no row is active.
    """
    none = np.zeros((*low.shape[:-1], 1))
    rows = np.zeros((*A.shape[:-2], 1, A.shape[-1]))
    return np.concatenate([A, rows], -2), np.concatenate([low, none], -1), np.concatenate([high, none], -1)


def propose(problem: GaussProblem, reduction: ReducedProgram) -> Proposal:
    """Solve the reduced problem with OSQP and read the active set off its multipliers.

    Raises SolverError for numbers beyond the range of floating point.
    """
    metric, r = reduction.metric, reduction.E.shape[0]
    if reduction.inequality.size or not all_finite(reduction.c, reduction.E):
        _require_numbers(problem, reduction)
    A, low, high = with_zero_row(
        np.vstack([reduction.E, reduction.G]),
        np.concatenate([reduction.c, reduction.low]),
        np.concatenate([reduction.c, reduction.high]),
    )
    result = solved(A, low, high) if metric.definite else Workspace(A, low, high, metric.P, metric.h).solve()
    active = equality_signs(problem)
    value, y = A @ result.x, result.y
    for j, k in enumerate(reduction.inequality):
        i = r + j
        if value[i] - low[i] < -y[i]:
            active[k] = 1
        elif high[i] - value[i] < y[i]:
            active[k] = -1
    return Proposal(metric.reference + metric.lift(result.x), active, result.iterations, result.status)


def _require_numbers(problem: GaussProblem, reduction: ReducedProgram) -> None:
    """Raise SolverError, naming rows, where numbers have overflowed."""
    overflown = ~(reduction.low < np.inf) | ~(reduction.high > -np.inf) | ~np.all(np.isfinite(reduction.G), axis=1)
    bad = [problem.rows.names[k] for k in reduction.inequality[overflown]]
    if not np.all(np.isfinite(reduction.c)) or not np.all(np.isfinite(reduction.E)):
        bad += [problem.rows.names[k] for k in problem.rows.equality]
    if bad:
        raise SolverError(
            f"the rows {', '.join(map(repr, bad))} have numbers whose squares are beyond the range of floating point;"
            " give the model in units in which they are nearer to 1."
        )
