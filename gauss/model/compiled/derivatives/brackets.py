"""Velocity rows as a Pfaffian matrix, vector fields that they annihilate, and Lie brackets of these.

    [X, Y] = Y_x X − X_x Y

The variables x are the coordinates q; where the rows depend on time, or have an offset, time is the last variable and
the rows A v + b = 0 become (A, b)(q̇, ṫ) = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import numpy as np

from gauss.foundation.arrays import Array
from gauss.model.compiled import trace as tr
from gauss.model.compiled.buffer import dense_function
from gauss.model.compiled.terms import CompiledModel
from gauss.model.functions import ModelFunction, as_rows

MINORS = 5  # dependent columns up to which the inverse is written with minors, which contain no square roots


class PfaffianRows:
    """The equality rows of a model as A(x) ẋ = 0; they must be affine in the velocities."""

    def __init__(self, model: CompiledModel):
        r, s = model.trace, model.trace.symbols
        rows = list(model.equality)
        J, psi = r.J[rows, :], r.psi[rows, :]
        offset = ca.sparsify(ca.substitute(psi, s.v, ca.SX.zeros(model.n)))
        self.timed = offset.nnz() > 0 or (bool(rows) and ca.depends_on(ca.vec(J), s.t))
        self.x = ca.vertcat(s.q, s.t) if self.timed else s.q
        self.A = ca.densify(ca.horzcat(J, offset)) if self.timed else J
        self.theta, self._symbols, self._time = ca.vertcat(s.p, s.u), s, s.t
        self.function = dense_function("pfaffian", [self.x, self.theta], [self.A])
        self.shape = (len(rows), int(self.x.numel()))

    def __call__(self, x: Array, theta: Array) -> Array:
        """Evaluate A (l, n)."""
        return np.array(self.function(x, theta)).reshape(self.shape)

    def annihilated(self, rows: Sequence[int], dependent: Sequence[int]) -> list[ca.SX]:
        """Return the fields that the chosen rows annihilate: velocities of the other variables are 1, one at a time."""
        n = self.shape[1]
        free = [k for k in range(n) if k not in dependent]
        picked = self.A[list(rows), :]
        solved = ca.SX(0, len(free))
        if dependent:
            block, rest = picked[:, list(dependent)], picked[:, free]
            solved = -(ca.inv_minor(block) @ rest if len(dependent) <= MINORS else ca.solve(block, rest))
        fields = []
        for j, k in enumerate(free):
            field = ca.SX.zeros(n)
            field[k] = 1.0
            for i, at in enumerate(dependent):
                field[at] = solved[i, j]
            fields.append(field)
        return fields

    def given(self, function: Callable[..., Any], names: tuple[str, ...], what: str) -> list[ca.SX]:
        """Return fields that a user wrote as functions of q and p."""
        traced = ModelFunction.of(function, "qp", what)
        rows = as_rows(tr.call(traced, self._symbols), names, what)
        return [tr.column(row, what, self._symbols) for row in rows]


class Words:
    """A growing list of vector fields, brackets of earlier ones among them."""

    def __init__(self, pfaffian: PfaffianRows, fields: Sequence[ca.SX]):
        self._x, self._theta = pfaffian.x, pfaffian.theta
        self._fields = list(fields)
        self._slopes = [ca.jacobian(field, self._x) for field in fields]

    def __len__(self) -> int:
        return len(self._fields)

    def values(self, first: int, count: int) -> Callable[[Array, Array], Array]:
        """Return a function of points (P, n) and theta that evaluates `count` fields from `first` on: (P, count, n)."""
        stacked = ca.vertcat(*self._fields[first : first + count])
        function = dense_function("fields", [self._x, self._theta], [stacked])
        n = self._x.numel()

        def evaluate(points: Array, theta: Array) -> Array:
            found = np.array(function(points.T, np.tile(theta[:, None], (1, len(points)))))
            return found.T.reshape(len(points), count, n)

        return evaluate

    def brackets(self, pairs: Sequence[tuple[int, int]]) -> Callable[[Array, Array], tuple[Array, Array]]:
        """Return a function that evaluates [X_i, X_j] of pairs, and the size of the terms it consists of.

        Both have shape (P, pairs, n).
        """
        terms = [self._terms(i, j) for i, j in pairs]
        value = ca.vertcat(*(a - b for a, b in terms))
        size = ca.vertcat(*(self._sizes(i, j) for i, j in pairs))
        function = dense_function("brackets", [self._x, self._theta], [value, size])
        n, count = self._x.numel(), len(pairs)

        def evaluate(points: Array, theta: Array) -> tuple[Array, Array]:
            found = function(points.T, np.tile(theta[:, None], (1, len(points))))
            return tuple(np.array(x).T.reshape(len(points), count, n) for x in found)  # type: ignore[return-value]

        return evaluate

    def _terms(self, i: int, j: int) -> tuple[ca.SX, ca.SX]:
        return self._slopes[j] @ self._fields[i], self._slopes[i] @ self._fields[j]

    def _sizes(self, i: int, j: int) -> ca.SX:
        X, Y, X_x, Y_x = self._fields[i], self._fields[j], self._slopes[i], self._slopes[j]
        return ca.fabs(Y_x) @ ca.fabs(X) + ca.fabs(X_x) @ ca.fabs(Y)

    def append(self, i: int, j: int) -> None:
        """Add the bracket [X_i, X_j] to the list."""
        first, second = self._terms(i, j)
        field = ca.densify(ca.cse(first - second))
        self._fields.append(field)
        self._slopes.append(ca.jacobian(field, self._x))
