"""Fused steps: a whole Runge-Kutta step with its projections and certificate numbers in one compiled call.

A step holds a set of active rows fixed and solves the Karush-Kuhn-Tucker system of Gauss's principle on it at each
stage. Nothing here decides anything: pivots, multipliers and residuals come back as numbers, and `gauss.motion`
refuses a step whose numbers do not certify it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from gauss.model.compiled.buffer import Buffered, dense_function
from gauss.model.tableaus import Tableau

if TYPE_CHECKING:
    from gauss.model.compiled.trace import Trace

INLINE_LIMIT = 4000  # instructions of one acceleration; longer ones are called, not inlined, to keep tracing short
NEVER = 1e300  # stands for "no unilateral row": larger than any multiplier


class Factor:
    """LDLᵀ factorisation of a positive definite matrix of expressions."""

    def __init__(self, matrix: ca.SX):
        self.matrix = ca.sparsify(matrix)
        self.D, self.LT, self.p = ca.ldl(self.matrix, False)

    def solve(self, right: ca.SX) -> ca.SX:
        """Return matrix⁻¹ right."""
        return ca.ldl_solve(right, self.D, self.LT, self.p)

    def pivot(self) -> ca.SX:
        """Return the smallest pivot relative to its diagonal entry: 1 for orthogonal rows, 0 for dependent ones."""
        size = self.matrix.size1()
        return ca.mmin(ca.vec(self.D) / ca.diag(self.matrix)) if size else ca.SX(1.0)


@dataclass(frozen=True)
class KKT:
    """The Karush-Kuhn-Tucker system M a − Jᵀλ = f, J a = γ on a fixed set of rows, factorised in expressions."""

    M: ca.SX
    f: ca.SX
    J: ca.SX
    gamma: ca.SX
    K: Factor  # M, or M + w JᵀJ for a semidefinite M
    F: ca.SX  # f, or f + w Jᵀγ
    X: ca.SX  # K⁻¹Jᵀ
    S: Factor  # J K⁻¹ Jᵀ

    @staticmethod
    def of(M: ca.SX, f: ca.SX, J: ca.SX, gamma: ca.SX, weight: ca.SX | None) -> KKT:
        """Factorise; `weight` w switches to the augmented form, which has the same minimiser and multipliers."""
        K = Factor(M if weight is None else M + weight * (J.T @ J))
        F = f if weight is None else f + weight * (J.T @ gamma)
        X = K.solve(J.T) if J.size1() else ca.SX(M.size1(), 0)
        return KKT(M, f, J, gamma, K, F, X, Factor(J @ X))

    def solve(self) -> tuple[ca.SX, ca.SX]:
        """Return the acceleration and the multipliers."""
        free = self.K.solve(self.F)
        if self.J.size1() == 0:
            return free, ca.SX(0, 1)
        multipliers = self.S.solve(self.gamma - self.J @ free)
        return free + self.X @ multipliers, multipliers

    def pivot(self) -> ca.SX:
        """Return the smaller of the pivots of the mass matrix and of the rows."""
        return ca.fmin(self.K.pivot(), self.S.pivot()) if self.J.size1() else self.K.pivot()

    def correct(self, residual: ca.SX) -> ca.SX:
        """Return the smallest change in the metric K that moves the rows by −residual."""
        return -self.X @ self.S.solve(residual)

    def distance(self, residual: ca.SX) -> ca.SX:
        """Return the largest row residual as a distance in the metric of K."""
        return ca.mmax(ca.fabs(residual) / ca.sqrt(ca.diag(self.S.matrix)))


def _subset(trace: Trace, rows: tuple[int, ...]) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
    """Return J, gamma, phi, psi of the given rows."""
    pick = list(rows)
    return trace.J[pick, :], trace.gamma[pick], trace.phi[pick], trace.psi[pick]


class Pieces:
    """The functions a step is made of, for one set of active rows."""

    def __init__(self, trace: Trace, arguments: list[ca.SX], rows: tuple[int, ...], augmented: bool):
        q, v, t, theta = arguments
        n, k = q.numel(), len(rows)
        w = ca.SX.sym("w")
        J, gamma, phi, psi = _subset(trace, rows)
        kkt = KKT.of(trace.M, trace.f, J, gamma, w if augmented else None)
        a, multipliers = kkt.solve()
        unilateral = [i for i, row in enumerate(rows) if trace.kinds[row] == "unilateral"]
        smallest = ca.mmin(multipliers[unilateral]) if unilateral else ca.SX(NEVER)
        inputs = [q, v, t, theta, w]
        self.acceleration = dense_function("acceleration", inputs, [a, multipliers, kkt.pivot(), smallest])

        positional = [i for i, row in enumerate(rows) if trace.kinds[row] in ("holonomic", "unilateral")]
        self.place = self._projection(
            "place",
            inputs,
            0,
            phi[positional],
            KKT.of(trace.M, trace.f, J[positional, :], gamma[positional], None)
            if not augmented
            else KKT.of(trace.M, trace.f, J, gamma, w),
            positional if augmented else None,
            sweeps=2,
        )
        self.slow = self._projection("slow", inputs, 1, psi, kkt, None, sweeps=1 if trace.linear_velocity else 2)

        a_in, l_in = ca.SX.sym("a", n), ca.SX.sym("l", k)
        stationarity = trace.M @ a_in - trace.f - (J.T @ l_in if k else 0)
        primal = kkt.distance(J @ a_in - gamma) if k else ca.SX(0.0)
        if augmented:
            zwang = ca.bilin(trace.M, a_in, a_in) / 2 - ca.dot(trace.f, a_in)
        else:
            reaction = J.T @ l_in if k else ca.SX.zeros(n, 1)
            zwang = ca.dot(reaction, kkt.K.solve(reaction)) / 2
        dual = ca.sqrt(ca.fmax(ca.dot(stationarity, kkt.K.solve(stationarity)), 0.0))
        self.certificate = dense_function("certificate", [*inputs, a_in, l_in], [zwang, primal, dual])

    @staticmethod
    def _projection(
        name: str, inputs: list[ca.SX], place: int, residual: ca.SX, kkt: KKT, pick: list[int] | None, sweeps: int
    ) -> ca.Function:
        """Newton's projection of input `place` with one factorisation: its corrected value and the distance left."""
        if residual.numel() == 0:
            return dense_function(name, inputs, [inputs[place], ca.SX(0.0)])
        if pick is not None and len(pick) < kkt.J.size1():  # positional rows only, in the augmented metric
            J = kkt.J[pick, :]
            X = kkt.K.solve(J.T)
            kkt = KKT(kkt.M, kkt.f, J, kkt.gamma[pick], kkt.K, kkt.F, X, Factor(J @ X))
        evaluate = ca.Function("residual", inputs, [residual])
        value = inputs[place]
        for _ in range(sweeps):
            value = value + kkt.correct(evaluate(*inputs[:place], value, *inputs[place + 1 :]))
        left = kkt.distance(evaluate(*inputs[:place], value, *inputs[place + 1 :]))
        return dense_function(name, inputs, [value, left])


@dataclass(frozen=True)
class FusedStep:
    """One compiled Runge-Kutta step on a fixed set of k active rows.

    Input: x = (t, q, v), the step h, parameters theta, the weight w, absolute tolerances (2n,) and rtol.
    Output: the next x, projected, and a record of the state x that the step starts from, laid out as
    (a (n,), λ (k,), Zwang, primal residual, stationarity residual, smallest pivot of all stages, smallest λ of the
    active unilateral rows at all stages, distance off the positions, distance off the velocities, scaled error).
    """

    function: ca.Function
    acceleration: ca.Function
    rows: tuple[int, ...]  # (k,) indices of the active rows
    n: int

    SCALARS = ("zwang", "primal", "stationarity", "pivot", "smallest", "off_position", "off_velocity", "error")

    @staticmethod
    def build(
        trace: Trace,
        arguments: list[ca.SX],
        tableau: Tableau,
        rows: tuple[int, ...],
        augmented: bool,
        project: bool = True,
    ) -> FusedStep:
        """Compile the step; ``project=False`` leaves out projection, certificate and record, for comparison."""
        pieces = Pieces(trace, arguments, rows, augmented)
        n = arguments[0].numel()
        kind = ca.SX if pieces.acceleration.n_instructions() <= INLINE_LIMIT else ca.MX
        x, h, w = kind.sym("x", 2 * n + 1), kind.sym("h"), kind.sym("w")
        theta, atol, rtol = kind.sym("theta", arguments[3].numel()), kind.sym("atol", 2 * n), kind.sym("rtol")
        t, q, v = x[0], x[1 : n + 1], x[n + 1 :]
        speeds: list[Any] = []
        forces: list[Any] = []
        first: list[Any] = []
        pivot = smallest = None
        for i in range(len(tableau.b)):
            dq = sum((tableau.A[i, j] * speeds[j] for j in range(i) if tableau.A[i, j]), kind.zeros(n))
            dv = sum((tableau.A[i, j] * forces[j] for j in range(i) if tableau.A[i, j]), kind.zeros(n))
            speeds.append(v + h * dv)
            stage = pieces.acceleration(q + h * dq, speeds[i], t + tableau.c[i] * h, theta, w)
            forces.append(stage[0])
            first = first or list(stage)
            pivot = stage[2] if pivot is None else ca.fmin(pivot, stage[2])
            smallest = stage[3] if smallest is None else ca.fmin(smallest, stage[3])
        q1 = q + h * sum(b * k for b, k in zip(tableau.b, speeds, strict=True) if b)
        v1 = v + h * sum(b * k for b, k in zip(tableau.b, forces, strict=True) if b)
        inputs = [x, h, theta, w, atol, rtol]
        if not project:
            function = ca.Function("bare", inputs, [ca.vertcat(t + h, q1, v1)])
            return FusedStep(function, pieces.acceleration, rows, n)
        error = _error_norm(kind, tableau, h, ca.vertcat(q, v), ca.vertcat(q1, v1), speeds, forces, atol, rtol)
        q1, off_position = pieces.place(q1, v1, t + h, theta, w)
        v1, off_velocity = pieces.slow(q1, v1, t + h, theta, w)
        certificate = pieces.certificate(q, v, t, theta, w, first[0], first[1])
        record = ca.vertcat(first[0], first[1], *certificate, pivot, smallest, off_position, off_velocity, error)
        outputs = [ca.densify(ca.vertcat(t + h, q1, v1)), ca.densify(record)]
        function = ca.Function("step", inputs, ca.cse(outputs) if kind is ca.SX else outputs)
        return FusedStep(function, pieces.acceleration, rows, n)

    @property
    def width(self) -> int:
        """Length of the record."""
        return self.n + len(self.rows) + len(self.SCALARS)

    @cached_property
    def call(self) -> Buffered:
        """The step as a function of arrays."""
        return Buffered(self.function)

    @cached_property
    def accelerate(self) -> Buffered:
        """(q, v, t, theta, w) → (a, λ, pivot, smallest λ of the active unilateral rows)."""
        return Buffered(self.acceleration)

    @cached_property
    def _marches(self) -> dict[int, Buffered]:
        return {}

    def marching(self, count: int) -> Buffered:
        """Return `count` consecutive steps as one call: x after each step (2n+1, count), records (width, count).

        Every input but x then takes `count` columns.
        """
        if count not in self._marches:
            self._marches[count] = Buffered(self.function.mapaccum("march", count))
        return self._marches[count]


def _error_norm(
    kind: Any, tableau: Tableau, h: Any, y: Any, y1: Any, speeds: list[Any], forces: list[Any], atol: Any, rtol: Any
) -> Any:
    """Return the scaled error of the 8(5,3) pair (Hairer, Nørsett, Wanner I, §II.10); accepted below 1."""
    if not tableau.adaptive:
        return kind(0.0)
    scale = atol + rtol * ca.fmax(ca.fabs(y), ca.fabs(y1))
    stages = [ca.vertcat(k, f) for k, f in zip(speeds, forces, strict=True)]
    e5 = sum(e * k for e, k in zip(tableau.e5, stages, strict=True) if e) / scale
    e3 = sum(e * k for e, k in zip(tableau.e3, stages, strict=True) if e) / scale
    n5, n3 = ca.dot(e5, e5), ca.dot(e3, e3)
    tiny = np.finfo(float).tiny
    return ca.fabs(h) * n5 / ca.sqrt((n5 + 0.01 * n3) * y.numel() + tiny)


@dataclass(frozen=True)
class GaussData:
    """The Gauss problem at one state, reduced for a quadratic-program solver, in one compiled call.

    With K = LLᵀ and z = Lᵀ(a − a_free) the Zwang is ½|z|². Equality rows are replaced by orthonormal ones, unilateral
    rows are scaled to unit length. Input (q, v, t, theta, w, a, extra), where extra (n,) is a force
    that was not traced; output: A (k, n), its lower bounds (k,), and z of the
    given a.
    """

    function: Buffered
    rows: tuple[int, ...]  # (k,) indices: equality rows, then unilateral rows
    equalities: int  # how many of the k rows are equalities

    @staticmethod
    def build(trace: Trace, arguments: list[ca.SX], rows: tuple[int, ...], augmented: bool) -> GaussData:
        """Compile the reduction for the given rows."""
        q, v, t, theta = arguments
        w, a, extra = ca.SX.sym("w"), ca.SX.sym("a", q.numel()), ca.SX.sym("extra", q.numel())
        f = trace.f + extra
        equality = tuple(r for r in rows if trace.kinds[r] != "unilateral")
        unilateral = tuple(r for r in rows if trace.kinds[r] == "unilateral")
        J, gamma, _, _ = _subset(trace, equality)
        Ju, gu, _, _ = _subset(trace, unilateral)
        K = trace.M + w * (J.T @ J) if augmented else trace.M
        F = f + w * (J.T @ gamma) if augmented else f
        upper = ca.chol(ca.sparsify(K))  # K = upperᵀ upper
        free = ca.solve(upper, ca.solve(upper.T, F))
        blocks, bounds = [], []
        if equality:
            white = ca.solve(upper.T, J.T).T
            c = ca.chol(white @ white.T)
            blocks.append(ca.solve(c.T, white))
            bounds.append(ca.solve(c.T, gamma - J @ free))
        if unilateral:
            white = ca.solve(upper.T, Ju.T).T
            length = ca.sqrt(ca.sum2(white**2))
            blocks.append(white / ca.repmat(length, 1, q.numel()))
            bounds.append((gu - Ju @ free) / length)
        A = ca.vertcat(*blocks) if blocks else ca.SX(0, q.numel())
        low = ca.vertcat(*bounds) if bounds else ca.SX(0, 1)
        function = dense_function("gauss", [q, v, t, theta, w, a, extra], [A, low, upper @ (a - free)])
        return GaussData(Buffered(function), equality + unilateral, len(equality))
