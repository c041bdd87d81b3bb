"""Small expressions, models made of them, and Gauss's principle with 60 digits; nothing of the package is imported.

An expression is a tree whose derivatives are trees; its value is computed in any arithmetic. `solved` finds the state
at which functions vanish, `acceleration` the acceleration of least constraint along which functions of q and v stay
zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import mpmath as mp
import numpy as np

DIGITS = 60
SOLVED = 1e-45  # residual of the exact state, relative
HUGE = 1e100  # a gradient of this size belongs to a search that has run away


# ------------------------------------------------------------------ expressions


@dataclass(frozen=True, eq=False)
class Node:
    """One expression in q, v and t: a leaf ("q", i), ("v", i), ("t",), ("c", number), or an operation on others."""

    op: str
    args: tuple[Any, ...] = ()

    def __add__(self, other: Any) -> Node:
        other = node(other)
        if zero(self) or zero(other):
            return other if zero(self) else self
        return Node("+", (self, other))

    def __mul__(self, other: Any) -> Node:
        other = node(other)
        if zero(self) or zero(other):
            return node(0.0)
        if one(self) or one(other):
            return other if one(self) else self
        if self.op == "c" and other is MINUS:
            return Node("c", (-self.args[0],))
        return Node("*", (self, other))

    def __sub__(self, other: Any) -> Node:
        return self + node(other) * MINUS

    def __pow__(self, k: int) -> Node:
        return node(1.0) if k == 0 else self if k == 1 else Node("^", (self, k))

    __radd__, __rmul__ = __add__, __mul__

    def __str__(self) -> str:
        a = self.args
        if self.op in "qv":
            return f"{self.op}.x{a[0]}"
        if self.op in ("sin", "cos"):
            return f"g.{self.op}({a[0]})"
        if self.op == "c":
            return repr(a[0]) if a[0] >= 0 else f"({a[0]!r})"
        return {"+": "({} + {})", "*": "{} * {}", "^": "({})**{}", "t": "t"}[self.op].format(*a)


MINUS = Node("c", (-1.0,))


def node(x: Any) -> Node:
    """A number as an expression; expressions as they are."""
    return x if isinstance(x, Node) else Node("c", (float(x),))


def zero(x: Node) -> bool:
    """Whether an expression is the number 0."""
    return x.op == "c" and x.args[0] == 0.0


def one(x: Node) -> bool:
    """Whether an expression is the number 1."""
    return x.op == "c" and x.args[0] == 1.0


def sine(x: Node) -> Node:
    """The sine of an expression."""
    return Node("sin", (x,))


def total(terms: Sequence[Node]) -> Node:
    """The sum of expressions."""
    return sum(terms, node(0.0))


@lru_cache(maxsize=4000)
def derivative(x: Node, by: str, i: int = 0) -> Node:
    """The partial derivative of an expression by q_i, v_i or t."""
    a = x.args
    if x.op in ("q", "v", "t"):
        return node(1.0 if x.op == by and (by == "t" or a[0] == i) else 0.0)
    if x.op == "c":
        return node(0.0)
    d = derivative(a[0], by, i)
    if x.op == "+":
        return d + derivative(a[1], by, i)
    if x.op == "*":
        return d * a[1] + a[0] * derivative(a[1], by, i)
    if x.op == "^":
        return d * (a[1] * a[0] ** (a[1] - 1))
    return d * Node("cos", a) if x.op == "sin" else d * Node("sin", a) * -1.0


def rate(x: Node, n: int) -> Node:
    """The time derivative of an expression in q and t."""
    return total([derivative(x, "q", i) * Node("v", (i,)) for i in range(n)]) + derivative(x, "t")


def value(x: Node, q: Sequence[Any], v: Sequence[Any], t: Any, functions: Any, number: Callable[[float], Any]) -> Any:
    """The value of an expression in any arithmetic: `functions` has sin and cos, `number` converts constants."""
    a = x.args
    if x.op == "c":
        return number(a[0])
    if x.op in ("q", "v"):
        return (q if x.op == "q" else v)[a[0]]
    if x.op == "t":
        return t
    first = value(a[0], q, v, t, functions, number)
    if x.op == "^":
        return first ** a[1]
    if x.op in ("sin", "cos"):
        return getattr(functions, x.op)(first)
    second = value(a[1], q, v, t, functions, number)
    return first + second if x.op == "+" else first * second


constant = lru_cache(4000)(mp.mpf)  # constants are doubles, exact in every precision, or have all digits


def exact(x: Node, q: Any, v: Any) -> Any:
    """The value in the working precision of mpmath, at t = 0."""
    return value(x, q, v, mp.mpf(0), mp, constant)


# ------------------------------------------------------------------ models


@dataclass(frozen=True, eq=False)
class Row:
    """One constraint: holonomic (q, t), unilateral (q), pfaffian (linear in v) or nonholonomic (q, v)."""

    kind: str
    node: Node

    def scaled(self, factor: Any) -> Row:
        """The row times a number or a function of q."""
        return Row(self.kind, self.node * factor)

    def plus(self, other: Row) -> Row:
        """The sum of two rows of one kind."""
        return Row(self.kind, self.node + other.node)

    def speed(self, n: int) -> Node:
        """What the row demands of the velocity."""
        return rate(self.node, n) if self.kind in ("holonomic", "unilateral") else self.node


@dataclass(frozen=True, eq=False)
class Model:
    """A system and how it was made."""

    n: int
    length: float  # unit of length: positions and velocities are of this size
    kinetic: Node
    force: tuple[float, ...]  # (n,)
    rows: tuple[Row, ...]  # (m,) as the package gets them
    place: tuple[Node, ...]  # functions of q that vanish at the state
    speed: tuple[Node, ...]  # functions of q and v that do
    branches: tuple[
        tuple[Node, ...], ...
    ]  # for each acceleration: functions of q and v that stay zero along its motion
    tags: tuple[str, ...] = ()


# ------------------------------------------------------------------ 60 digits


def gradient_at(x: Node, by: str, q: Any, v: Any, n: int) -> list[Any]:
    """The derivatives of an expression by all q or v."""
    return [exact(derivative(x, by, i), q, v) for i in range(n)]


def solved(functions: Sequence[Node], by: str, q: Any, v: Any, metric: Sequence[Any] | None = None) -> Any:
    """The nearest q (or v) at which all functions vanish; None if Newton's method does not find it.

    Residuals have 60 digits; the derivatives that turn them into steps are rounded and kept while they serve. `metric`
    (n,) are weights of the squares; equal ones if left out.
    """
    root = np.ones(len(q)) if metric is None else np.sqrt([float(w) for w in metric])
    x, inverse, last = list(q if by == "q" else v), None, mp.inf
    begun = max((abs(y) for y in x), default=mp.mpf(0))
    for _ in range(60 if functions else 0):
        q, v = (x, v) if by == "q" else (q, x)
        if inverse is None:
            J = np.array([[float(y) for y in gradient_at(f, by, q, v, len(q))] for f in functions]) / root
            size = np.linalg.norm(J, axis=1)
            if not (np.all(size > 0.0) and np.all(size < HUGE)):
                return None
            inverse = np.linalg.pinv(J / size[:, None]) / root[:, None]
        r = [exact(f, q, v) / mp.mpf(s) for f, s in zip(functions, size, strict=True)]
        top = max(abs(y) for y in r)
        if top == 0:
            return x
        step = inverse @ np.array([float(y / top) for y in r])
        x = [y - mp.mpf(float(s)) * top for y, s in zip(x, step, strict=True)]
        if top <= SOLVED * max(begun, *(abs(y) for y in x)) * float(np.min(root)):
            return x
        if top > last / 1000:
            inverse = None
        last = top
    return None if functions else x


def eliminated(A: list[list[Any]], b: list[Any]) -> list[Any]:
    """The solution of A x = b by elimination with pivots; ZeroDivisionError where there is none."""
    n = len(b)
    A = [[*row, right] for row, right in zip(A, b, strict=True)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(A[i][k]))
        A[k], A[pivot] = A[pivot], A[k]
        for i in range(k + 1, n):
            if A[i][k]:
                factor = A[i][k] / A[k][k]
                A[i] = [x - factor * y if y else x for x, y in zip(A[i], A[k], strict=True)]
    x: list[Any] = [mp.mpf(0)] * n
    for k in reversed(range(n)):
        x[k] = (A[k][n] - sum((A[k][i] * x[i] for i in range(k + 1, n)), mp.mpf(0))) / A[k][k]
    return x


def inertia(model: Model, q: Any, v: Any) -> tuple[list[list[Any]], list[Any]]:
    """The mass matrix (n, n) and the force (n,) less the terms of the kinetic energy."""
    n = model.n
    p = [derivative(model.kinetic, "v", i) for i in range(n)]
    M = [gradient_at(x, "v", q, v, n) for x in p]
    f = []
    for i in range(n):
        bend = dot(gradient_at(p[i], "q", q, v, n), v)
        f.append(mp.mpf(model.force[i]) + exact(derivative(model.kinetic, "q", i), q, v) - bend)
    return M, f


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """The sum of the products."""
    return sum((x * y for x, y in zip(a, b, strict=True)), mp.mpf(0))


def acceleration(model: Model, functions: Sequence[Node], q: Any, v: Any) -> tuple[Any, ...]:
    """The acceleration of least constraint along which the functions of q and v stay zero."""
    n, m = model.n, len(functions)
    M, right = inertia(model, q, v)
    saddle = [row + [mp.mpf(0)] * m for row in M]
    for x in functions:
        J = gradient_at(x, "v", q, v, n)
        size = mp.sqrt(dot(J, J))
        J = [y / size for y in J]
        gamma = dot(gradient_at(x, "q", q, v, n), v) + exact(derivative(x, "t"), q, v)
        for i in range(n):
            saddle[i][len(saddle)] = -J[i]
        saddle.append(J + [mp.mpf(0)] * m)
        right = [*right, -gamma / size]
    return tuple(eliminated(saddle, right)[:n])


def least(model: Model, functions: Sequence[Node], contacts: Sequence[Node], q: Any, v: Any) -> tuple[Any, ...]:
    """The acceleration of least constraint along which `functions` stay zero and `contacts` do not fall below it.

    Of all choices of contacts that are held, those whose acceleration opens no other are admissible; the least Zwang of
    these is that of the principle.
    """
    M, _ = inertia(model, q, v)
    free, best = acceleration(model, (), q, v), None
    for count in range(len(contacts) + 1):
        for held in combinations(range(len(contacts)), count):
            a = acceleration(model, (*functions, *(contacts[k] for k in held)), q, v)
            if all(k in held or along(contacts[k], q, v, a) >= 0 for k in range(len(contacts))):
                d = [x - y for x, y in zip(a, free, strict=True)]
                zwang = dot(d, [dot(row, d) for row in M])
                best = (zwang, a) if best is None or zwang < best[0] else best
    assert best is not None
    return best[1]


def along(x: Node, q: Any, v: Any, a: Any) -> Any:
    """The rate at which a function of q and v changes with the acceleration a."""
    return dot(gradient_at(x, "v", q, v, len(a)), a) + dot(gradient_at(x, "q", q, v, len(a)), v)


def length_in(model: Model, q: Any, v: Any, a: Any) -> float:
    """The size of an acceleration in the mass metric."""
    with mp.workdps(DIGITS):
        M, _ = inertia(model, [mp.mpf(float(x)) for x in q], [mp.mpf(float(x)) for x in v])
        b = [mp.mpf(x) for x in a]
        return float(mp.sqrt(dot(b, [dot(row, b) for row in M])))


def free(model: Model, q: Any, v: Any) -> tuple[Any, ...]:
    """The acceleration without constraints."""
    with mp.workdps(DIGITS):
        return acceleration(model, (), [mp.mpf(float(x)) for x in q], [mp.mpf(float(x)) for x in v])


def gradients(functions: Sequence[Node], by: str, q: Any, v: Any) -> np.ndarray:
    """The derivatives (m, n) of functions in double precision."""
    q, v = [float(x) for x in q], [float(x) for x in v]
    return np.array([[value(derivative(f, by, i), q, v, 0.0, math, float) for i in range(len(q))] for f in functions])


def difference(x: Any, y: Any) -> Any:
    """The difference of a float and a number of 60 digits, in these."""
    with mp.workdps(DIGITS):
        return mp.mpf(float(x)) - y
