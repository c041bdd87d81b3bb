"""The quadratic program of each accepted step: OSQP computes the acceleration that the fused step has used."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from gauss.errors import SolverError
from gauss.foundation.arrays import Array, all_finite, magnitudes
from gauss.model.compiled import GaussData, SparseGaussData
from gauss.model.compiled.buffer import Pattern
from gauss.model.state import State
from gauss.motion.steps.steppers import Setting
from gauss.principle import GaussProblem, solve
from gauss.principle.solvers.osqp import SparseWorkspace, solved, with_zero_row

MANY = (16, 24, 32, 48, 64, 80, 96, 128, 160, 192, 224, 256)  # states whose problems are solved side by side
MOST = 20_000  # coordinates of all of them together
AGREE = (
    1e-6  # OSQP's own answer must lie this near (relative) to the certified one; otherwise the full pipeline decides
)


class StepSolver:
    """Solves the Gauss problem of recorded states and says how far the solver's answer is from the recorded one.

    With ``osqp`` each answer is that of its state alone, but for large sparse systems, whose workspace is kept and
    updated; with ``kkt`` nothing is solved besides the fused step; ``cvxpy`` states the textbook problem at every
    recorded state.
    """

    KEPT: tuple[str, ...] = ("count",)

    def __init__(self, setting: Setting, solver: str):
        self.setting, self.solver = setting, solver
        self.count = 0
        self._sparse: dict[tuple[int, ...], SparseWorkspace] = {}

    def distances(
        self,
        states: Array,
        a: Array,
        rows: tuple[int, ...],
        theta: Array | None = None,
        applied: Array | None = None,
    ) -> Array | None:
        """Return the distances (N,) of `distance` at N states (N, 2n+1) with accelerations (N, n), solved side by side.

        They may have parameters and constant controls theta (N, p) of their own; `applied` (N, n) is friction that
        counts as applied. None where that is not possible, or where the answer of a state has to be computed by itself.
        """
        s, n = self.setting, self.setting.system.n
        most = min(2 * len(states), MOST // n)
        sizes = [size for size in MANY if size <= most]
        data = s.system.model.pieces.gauss_data(rows, s.weight > 0.0) if sizes and s.fused and not s.careful else None
        if self.solver != "osqp" or data is None:
            return None
        if isinstance(data, SparseGaussData):  # its memory is that of this run
            sizes = [min(sizes[-1], len(states))]
        extra = np.zeros((1, n)) if applied is None else applied
        found, done, evaluate = np.zeros(len(states)), 0, data.many.walked if s.series else data.many
        while done < len(states):
            count = next((size for size in sizes if size >= len(states) - done), sizes[-1])
            some = slice(done, done + count)
            x = states[some]
            place = [x[:, 1 : n + 1], x[:, n + 1 :], x[:, 0], a[some], extra if len(extra) == 1 else extra[some]]
            own, held = ([], [s.theta]) if theta is None else ([theta[some]], [])
            gap, size = self._solved(data, evaluate([*place, *own], [*held, s.weight]), count)
            if not (gap <= AGREE * (1.0 + size)).all():
                return None
            found[some] = gap
            done += count
        self.count += len(states)
        return found

    def distance(
        self,
        x: Array,
        a: Array,
        rows: tuple[int, ...],
        applied: Array | None = None,
        carrying: tuple[int, ...] | None = None,
    ) -> float:
        """Return the distance in the mass metric; 0 for ``kkt``. `applied` (n,) is friction that counts as applied.

        `carrying` are the rows that share the reaction, where `rows` are independent ones among them: with these alone
        a contact might have to pull.

        Raises SolverError when the solver and the fused step disagree about the acceleration or the active rows.
        """
        if self.solver == "kkt":
            return 0.0
        self.count += 1
        osqp = self.solver == "osqp" and not self.setting.careful  # what is compiled eliminates the rows
        data = self.setting.system.model.pieces.gauss_data(rows, self.setting.weight > 0.0) if osqp else None
        if data is not None:
            distance, size = self._fused(data, x, a, applied)
            if distance <= AGREE * (1.0 + size):
                return distance
        return self._full(x, a, rows if carrying is None else carrying, applied)

    def _fused(
        self, data: GaussData | SparseGaussData, x: Array, a: Array, applied: Array | None
    ) -> tuple[float, float]:
        """Return OSQP's distance on the compiled problem, and the size of the answer."""
        s = self.setting
        n = s.system.n
        t, q, v = float(x[0]), x[1 : n + 1], x[n + 1 :]
        extra = s.untraced_force(t, q, v)
        extra = extra if applied is None else extra + applied
        numbers = data.function(q, v, t, a, extra, s.parameters_at(t, q, v), s.weight)
        gap, size = self._solved(data, [x.T.reshape(1, -1) for x in numbers], 1)
        return float(gap[0]), float(size[0])

    def _solved(self, data: GaussData | SparseGaussData, numbers: list[Array], count: int) -> tuple[Array, Array]:
        """Return how far OSQP's answers are from the given ones of N states, and their sizes, (N,) each.

        `count` problems, N or more, are solved side by side. Nan where numbers are not finite, as at dependent rows.
        """
        if not all_finite(*numbers):
            unknown = np.full(len(numbers[0]), np.nan)
            return unknown, unknown
        return (
            self._sparsely(data, numbers, count)
            if isinstance(data, SparseGaussData)
            else self._reduced(data, numbers, count)
        )

    def _reduced(self, data: GaussData, numbers: list[Array], count: int) -> tuple[Array, Array]:
        n, k, z, size = self.setting.system.n, len(data.rows), numbers[2], numbers[3][:, 0]
        if not k:
            return magnitudes(self._free - z), size
        A, low = np.zeros((count, n, k)), np.zeros((count, k))  # rows behind the last state are none
        A[: len(z)], low[: len(z)] = numbers[0].reshape(-1, n, k), numbers[1]
        A = A.swapaxes(1, 2)
        if data.equalities == k:
            high = low
        else:
            high = low.copy()
            high[:, data.equalities :] = np.inf
            if not data.equalities:
                A, low, high = with_zero_row(A, low, high)
        bounds = low.ravel()
        answer = solved(A, bounds, bounds if high is low else high.ravel())
        return magnitudes(answer.x.reshape(count, n)[: len(z)] - z), size

    @cached_property
    def _free(self) -> Array:
        """OSQP's answer (n,) without rows: reduced, that is the same program at every state."""
        nothing = np.zeros((0, self.setting.system.n)), np.zeros(0), np.zeros(0)
        return solved(*with_zero_row(*nothing)).x

    def _sparsely(self, data: SparseGaussData, numbers: list[Array], count: int) -> tuple[Array, Array]:
        left = len(numbers[0])
        P, h, A, low, y = (np.concatenate([x, np.repeat(x[-1:], count - left, axis=0)]) for x in numbers)
        high = low.copy()
        high[:, data.equalities :] = np.inf
        vectors, key = (h.ravel(), low.ravel(), high.ravel()), (count, *data.rows)
        quadratic = _blocks(data.P, P)
        if key not in self._sparse:
            self._sparse[key] = SparseWorkspace(quadratic, vectors[0], _blocks(data.A, A), *vectors[1:])
        else:
            self._sparse[key].update(P.ravel(), vectors[0], A.ravel(), *vectors[1:])
        gap = self._sparse[key].solve().x.reshape(count, -1) - y
        return _lengths(quadratic, gap)[:left], _lengths(quadratic, y)[:left]

    def _full(self, x: Array, a: Array, rows: tuple[int, ...], applied: Array | None) -> float:
        """Solve, finish and certify the problem at x, and compare."""
        system, n = self.setting.system, self.setting.system.n
        state = State(x[1 : n + 1], x[n + 1 :], float(x[0]))
        problem = GaussProblem.at(system, state, self.setting.controls_at(state), rows)
        problem = problem if applied is None else replace(problem, f=problem.f + applied)
        solution = solve(problem, self.solver)
        L = np.linalg.cholesky(problem.M + self.setting.weight * problem.rows.J.T @ problem.rows.J)
        gap, size = float(np.linalg.norm(L.T @ (solution.a - a))), float(np.linalg.norm(L.T @ a))
        if gap > AGREE * (1.0 + size) + solution.error_bound:
            raise SolverError(
                f"at t = {state.t:.9g} the quadratic program gives another acceleration than the rows in force"
                f" ({', '.join(system.row_names[k] for k in rows) or 'none'}): they differ by {gap:.3g} in the mass"
                " metric."
            )
        return solution.solver_distance


def _blocks(pattern: Pattern, values: Array) -> sp.csc_matrix:
    """Return matrices with the stored values (b, s) as the blocks of a sparse diagonal."""
    b, (r, c) = len(values), pattern.shape
    rows = (pattern.rows + r * np.arange(b)[:, None]).ravel()
    starts = np.append((pattern.starts[:-1] + len(pattern.rows) * np.arange(b)[:, None]).ravel(), values.size)
    return sp.csc_matrix((values.ravel(), rows, starts), shape=(b * r, b * c))


def _lengths(upper: sp.csc_matrix, y: Array) -> Array:
    """Return √(yᵀP y) (b,) of vectors (b, n) from the upper triangle of a matrix P of b blocks with unit diagonal."""
    twice = np.sum(y * (upper @ y.ravel()).reshape(y.shape), axis=1)
    return np.asarray(np.sqrt(np.maximum(2.0 * twice - np.sum(y * y, axis=1), 0.0)))
