"""Jets: what the constraints demand of the accelerations' derivatives along a motion, by repeated differentiation.

Along a curve with q̇ = v, q̈ = a, d³q/dt³ = b, d⁴q/dt⁴ = c every velocity residual ψ(q, v, t) stays zero together with
its time derivatives (`Symbols.rate`, applied again and again along (v, a, b, c, 1)):

    dψ/dt   = J a − γ
    d²ψ/dt² = J b + R₂(a),    R₂(a) = K a + r₂       for rows linear in the velocities
    d³ψ/dt³ = J c + K₃ b + R₃(a),                    R₃ quadratic in a for such rows

For holonomic rows these are the third and fourth derivatives of φ: K = 3φ''[v, ·], r₂ = φ'''[v, v, v], K₃ = 4φ''[v, ·],
R₃ = 3φ''[a, a] + 6φ'''[v, v, a] + φ''''[v, v, v, v]. One differentiation of the residual along a curve serves
holonomic, Pfaffian, nonlinear, rheonomic and unilateral rows alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from gauss.foundation.arrays import Array, Indices
from gauss.model.compiled.buffer import Buffered, Pattern, dense_function
from gauss.model.compiled.derivatives.noise import noise_function
from gauss.model.compiled.trace import Trace


@dataclass(frozen=True)
class Combination:
    """One combination w of the rows, differentiated to a given order, as a function of the acceleration at a point."""

    value: float
    by_a: Array  # (n,) its gradient by a
    by_aa: Array  # (n, n) its second derivative by a
    by_b: Array  # (n,) its gradient by the third derivative b of the motion


def _called(name: str, inputs: list[ca.SX], outputs: list[ca.SX]) -> Buffered:
    """Return a function of arrays that a state asks a few times."""
    return Buffered(dense_function(name, inputs, outputs, often=False))


class Jets:
    """Compiled derivatives of the constraint residuals of one model along a motion, each made when it is asked for."""

    def __init__(self, trace: Trace, arguments: list[ca.SX]):
        self.n, self.m = trace.symbols.q.numel(), trace.psi.numel()
        a, b, w = ca.SX.sym("a", self.n), ca.SX.sym("b", self.n), ca.SX.sym("w", self.m)
        self._trace, self._arguments, self._given = trace, arguments, (a, b, w)
        self._weighed: dict[int, list[ca.SX]] = {}
        self._combinations: dict[int, Buffered] = {}
        self._noises: dict[tuple[str, int], Buffered] = {}

    def _rate(self, e: ca.SX) -> ca.SX:
        """Return the time derivative of an expression along the motion."""
        s, (a, b, _) = self._trace.symbols, self._given
        return ca.jtimes(e, s.q, s.v) + ca.jtimes(e, s.v, a) + ca.jtimes(e, a, b) + ca.jacobian(e, s.t)

    def _without_b(self, e: ca.SX) -> ca.SX:
        return ca.substitute(e, self._given[1], ca.SX.zeros(self.n))

    @cached_property
    def _residuals(self) -> list[ca.SX]:
        """The first and second time derivative of the residuals."""
        first = self._rate(self._trace.psi) if self.m else ca.SX(0, 1)
        return [first, self._rate(first) if self.m else ca.SX(0, 1)]

    @cached_property
    def _third_residual(self) -> ca.SX:
        return self._rate(self._residuals[1]) if self.m else ca.SX(0, 1)

    def _values(self, order: int) -> list[ca.SX]:
        """Return R₂ and K for order 2, K₃ for order 3."""
        if order == 3:
            return [self._without_b(ca.jacobian(self._third_residual, self._given[1]))]
        rest = self._without_b(self._residuals[1])
        return [rest, ca.jacobian(rest, self._given[0])]

    @cached_property
    def _second(self) -> Buffered:
        return _called("second", [*self._arguments, self._given[0]], self._values(2))

    @cached_property
    def _third(self) -> Buffered:
        third, (a, b, _) = self._third_residual, self._given
        return _called("third", [*self._arguments, a, b], [third, ca.jacobian(third, a), ca.jacobian(third, b)])

    @cached_property
    def _turn(self) -> Buffered:
        s, x = self._trace.symbols, ca.SX.sym("x", self.n)
        return _called("turn", [*self._arguments, x], [ca.jtimes(self._trace.J, y, x) for y in (s.q, s.v)])

    @cached_property
    def _rows(self) -> Buffered:
        rows = ca.vec(self._trace.J.T)
        once, twice = (self._rate(rows), self._rate(self._rate(rows))) if self.m else (rows, rows)
        outputs = [self._without_b(x) if self.m else x for x in (once, twice)]
        return _called("rows", [*self._arguments, self._given[0]], outputs)

    @cached_property
    def by_q(self) -> PairTable:
        """∂J_ki/∂q_j."""
        return PairTable.of(self._arguments, ca.jacobian(ca.vec(self._trace.J.T), self._trace.symbols.q))

    @cached_property
    def by_v(self) -> PairTable:
        """∂J_ki/∂v_j."""
        return PairTable.of(self._arguments, ca.jacobian(ca.vec(self._trace.J.T), self._trace.symbols.v))

    def second(self, q: Array, v: Array, t: float, theta: Array, a: Array) -> tuple[Array, Array]:
        """Evaluate R₂(a) = d²ψ/dt² − J b (m,) and its derivative K by a (m, n)."""
        value, K = self._second(q, v, t, theta, a)
        return value, K.reshape(self.m, self.n)

    def third(self, q: Array, v: Array, t: float, theta: Array, a: Array, b: Array) -> tuple[Array, Array, Array]:
        """Evaluate d³ψ/dt³ − J c (m,), and its derivatives by a and by b, each (m, n)."""
        value, by_a, by_b = self._third(q, v, t, theta, a, b)
        return value, by_a.reshape(self.m, self.n), by_b.reshape(self.m, self.n)

    def combination(self, order: int, q: Array, v: Array, t: float, theta: Array, a: Array, w: Array) -> Combination:
        """Evaluate wᵀ d²ψ/dt² (order 2) or wᵀ d³ψ/dt³ (order 3) at b = c = 0, for w (m,).

        Of order 1 it is −wᵀγ, with its derivatives by v in the places of those by a.
        """
        if order not in self._combinations:
            arguments = [*self._arguments, self._given[0], self._given[2]]
            self._combinations[order] = _called("combination", arguments, self._of_combination(order))
        value, by_a, by_aa, by_b = self._combinations[order](q, v, t, theta, a, w)
        return Combination(float(value[0]), by_a, by_aa.reshape(self.n, self.n), by_b)

    def _of_combination(self, order: int) -> list[ca.SX]:
        """Return the expressions behind a `combination`, made when they are first asked for."""
        if order not in self._weighed:
            a, b, w = self._given
            if order == 1:
                e, by = ca.substitute(self._residuals[0], a, ca.SX.zeros(self.n)), self._trace.symbols.v
            else:
                e, by = (self._residuals[1] if order == 2 else self._third_residual), a
            s = ca.dot(w, e)
            hessian, gradient = ca.hessian(s, by)
            self._weighed[order] = [self._without_b(x) for x in (s, gradient, hessian, ca.gradient(s, b))]
        return self._weighed[order]

    def noise(self, order: int, q: Array, v: Array, t: float, theta: Array, a: Array) -> list[Array]:
        """Evaluate the noise of R₂ (m,) and K (m, n) for order 2, of K₃ (m, n) for order 3, the state being exact."""
        if ("rows", order) not in self._noises:
            arguments = [*self._arguments, self._given[0]]
            self._noises["rows", order] = noise_function("noise", arguments, self._values(order))
        found = self._noises["rows", order](q, v, t, theta, a)
        shapes = ((self.m,), (self.m, self.n)) if order == 2 else ((self.m, self.n),)
        return [x.reshape(shape) for x, shape in zip(found, shapes, strict=True)]

    def combined_noise(self, order: int, q: Array, v: Array, t: float, theta: Array, a: Array, w: Array) -> Combination:
        """Evaluate the noise of a `combination`, the state being exact."""
        if ("combination", order) not in self._noises:
            arguments = [*self._arguments, self._given[0], self._given[2]]
            self._noises["combination", order] = noise_function("noise", arguments, self._of_combination(order)[:3])
        value, by_a, by_aa = self._noises["combination", order](q, v, t, theta, a, w)
        return Combination(float(value[0]), by_a.reshape(self.n), by_aa.reshape(self.n, self.n), np.zeros(self.n))

    def turn(self, q: Array, v: Array, t: float, theta: Array, x: Array) -> tuple[Array, Array]:
        """Evaluate the change of J per unit displacement along x (n,): by positions and by velocities, each (m, n)."""
        by_q, by_v = self._turn(q, v, t, theta, x)
        return by_q.reshape(self.m, self.n), by_v.reshape(self.m, self.n)

    def rows(self, q: Array, v: Array, t: float, theta: Array, a: Array) -> tuple[Array, Array]:
        """Evaluate the first and second time derivative of J along the motion, each (m, n)."""
        once, twice = self._rows(q, v, t, theta, a)
        return once.reshape(self.m, self.n), twice.reshape(self.m, self.n)

    def curvature(self, q: Array, v: Array, t: float, theta: Array) -> Array:
        """Evaluate the derivatives ∂J_ki/∂q_j (m, n, n)."""
        return self.by_q(q, v, t, theta).reshape(self.m, self.n, self.n)

    def bend(self, q: Array, v: Array, t: float, theta: Array) -> Array:
        """Evaluate the derivatives ∂J_ki/∂v_j (m, n, n), zero for rows linear in the velocities."""
        return self.by_v(q, v, t, theta).reshape(self.m, self.n, self.n)


@dataclass(frozen=True)
class PairTable:
    """A sparse table ∂J_ki/∂x_j as a function of the state, by the pairs (i, j) that any of its m rows has."""

    pattern: Pattern  # (m n, n) of entries k n + i by j
    values: Buffered

    @staticmethod
    def of(arguments: list[ca.SX], matrix: ca.SX) -> PairTable:
        """Compile a table, one row k after the other."""
        sparse = ca.sparsify(matrix)
        return PairTable(Pattern.of(sparse), Buffered(ca.Function("slopes", arguments, [sparse.nz[:]])))

    @cached_property
    def pairs(self) -> tuple[Indices, Indices, Indices]:
        """The numbers i (p,) and j (p,) of the pairs, and which pair each entry belongs to."""
        n = self.pattern.shape[1]
        found, own = np.unique((self.pattern.rows % n) * n + self.pattern.columns, return_inverse=True)
        return found // n, found % n, own

    def by_pairs(self, *place: object) -> Array:
        """Evaluate the table as a matrix (m, p)."""
        size, n = self.pattern.shape
        i, _, own = self.pairs
        found = np.zeros((size // n, i.size))
        found[self.pattern.rows // n, own] = self.values(*place)[0].ravel()
        return found

    def __call__(self, *place: object) -> Array:
        """Evaluate the whole table (m n, n)."""
        return self.pattern.fill(self.values(*place)[0].ravel())
