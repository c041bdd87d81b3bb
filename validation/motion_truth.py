"""The motion of a model with 50 digits; nothing of the package is imported.

`Motion` integrates the acceleration of least constraint along which the functions of a branch keep their values, by
Gauss's collocation: over a step h the accelerations at the nodes of a Gauss-Legendre rule satisfy a = a(q, v), where v
and q are the exact integrals of the polynomial through them. Newton's method finds them in double precision, and goes
on with residuals of 77 digits (`python-flint`) and the same rounded matrix. The step is one at which the
coefficients of the polynomial fall so fast that the end of the step, which has twice their order, has 50 digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx
from numpy.polynomial import legendre
from zero_truth import Model, Node, derivative, total

EPS = float(np.finfo(float).eps)
BITS = 256
NODES = 40
DIGITS = 50
STATE = 70  # of the state that a motion begins with
DECAY = 10.0 ** (DIGITS / (2 * NODES - 6))  # least ratio of one Legendre coefficient to the next
SETTLED = 10.0 ** -(DIGITS + 5)  # relative change at which the accelerations of a step are known
SWEEPS = 14
ROUNDED = 1e-12  # relative change at which they are known in double precision, and at which they are good enough
NOISY = 1e-4
LOST = 1e-13  # of accelerations: what double precision does not show
SEEN = 1e-14  # coefficients of accelerations that are rounded once are known to this
TINY = 1e-30  # of the size of a state: the imaginary step of derivatives
SHORTEST = 1e-7  # step, of the longest
SLACK = 1e-9  # of the motion, that a time may lie beyond it
HALVED = 40  # times that a step may be halved

ctx.prec = BITS


# ------------------------------------------------------------------ expressions as a list of operations


@dataclass(frozen=True)
class Tape:
    """Operations in order; equal ones once, numbers put together."""

    operations: tuple[tuple[str, Any, Any], ...]
    wanted: tuple[int, ...]  # the operations whose values are asked for

    def values(self, q: Sequence[Any], v: Sequence[Any], functions: Any, numbers: str) -> list[Any]:
        """The values asked for; `numbers` is "exact" or "rounded", `functions` has sin and cos."""
        y: list[Any] = []
        for op, a, b in self.operations:
            if op == "*":
                y.append(y[a] * y[b])
            elif op == "+":
                y.append(y[a] + y[b])
            elif op == "c":
                y.append(b if numbers == "exact" else a)
            elif op == "q":
                y.append(q[a])
            elif op == "v":
                y.append(v[a])
            elif op == "^":
                y.append(y[a] ** b)
            else:
                y.append(getattr(functions, op)(y[a]))
        return [y[k] for k in self.wanted]


def number(x: Any) -> arb:
    """A double, or a number of mpmath, in balls: exact."""
    if isinstance(x, float):
        return arb(x)
    sign, man, exp, _ = x._mpf_
    return arb(-man if sign else man) * arb(2) ** exp


def taped(nodes: Sequence[Node]) -> Tape:
    """The operations that compute expressions."""
    operations: list[tuple[str, Any, Any]] = []
    known: dict[Any, int] = {}
    seen: dict[int, int] = {}

    def put(op: str, a: Any, b: Any = None) -> int:
        constants = [operations[k][2] for k in (a, b) if op in "+*" and operations[k][0] == "c"]
        if len(constants) == 2:
            return constant(constants[0] + constants[1] if op == "+" else constants[0] * constants[1])
        if op in "+*" and a > b:
            a, b = b, a
        if (op, a, b) not in known:
            known[op, a, b] = len(operations)
            operations.append((op, a, b))
        return known[op, a, b]

    def constant(x: arb) -> int:
        key = ("c", x.mid().man_exp() if x != 0 else 0, None)
        if key not in known:
            known[key] = len(operations)
            operations.append(("c", float(x.mid()), x.mid()))
        return known[key]

    def walk(x: Node) -> int:
        if id(x) not in seen:
            a = x.args
            if x.op == "c":
                seen[id(x)] = constant(number(a[0]))
            elif x.op in "qv":
                seen[id(x)] = put(x.op, a[0])
            elif x.op == "^":
                seen[id(x)] = put("^", walk(a[0]), a[1])
            else:
                seen[id(x)] = put(x.op, *(walk(b) for b in a))
        return seen[id(x)]

    wanted = tuple(walk(x) for x in nodes)
    return Tape(tuple(operations), wanted)


# ------------------------------------------------------------------ the acceleration


@dataclass(frozen=True)
class Equations:
    """Gauss's principle as linear equations: [[M, −Bᵀ], [B, 0]] (a, λ) = (f, −γ), all entries by one tape."""

    n: int
    rank: int
    tape: Tape

    def parts(self, y: Sequence[Any]) -> tuple[Any, Any]:
        """The matrix (n+r, n+r) as nested lists and the right-hand side (n+r,)."""
        n, r = self.n, self.rank
        entries = iter(y)
        M = [[next(entries) for _ in range(n)] for _ in range(n)]
        f = [next(entries) for _ in range(n)]
        B = [[next(entries) for _ in range(n)] for _ in range(r)]
        gamma = [next(entries) for _ in range(r)]
        matrix = [M[i] + [-B[k][i] for k in range(r)] for i in range(n)] + [B[k] + [0.0 * y[0]] * r for k in range(r)]
        return matrix, f + [-x for x in gamma]

    def exact(self, q: Sequence[arb], v: Sequence[arb]) -> list[arb]:
        """The acceleration (n,) in balls of 77 digits."""
        matrix, right = self.parts(self.tape.values(q, v, BALLS, "exact"))
        found = arb_mat(matrix).solve(arb_mat([[x] for x in right]), algorithm="approx")
        return [found[i, 0].mid() for i in range(self.n)]

    def rounded(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The accelerations (…, n) at states (…, n) in double precision, real or complex."""
        columns = [[x[..., i] for i in range(self.n)] for x in (q, v)]
        matrix, right = self.parts(self.tape.values(*columns, np, "rounded"))
        shape = q.shape[:-1]
        A = np.stack([np.stack([np.broadcast_to(x, shape) for x in row], -1) for row in matrix], -2)
        b = np.stack([np.broadcast_to(x, shape) for x in right], -1)
        size = np.max(np.abs(A), -1)
        size = np.where(size > 0.0, size, 1.0)
        column = np.max(np.abs(A / size[..., None]), -2)
        return (np.linalg.solve(A / size[..., None] / column[..., None, :], (b / size)[..., None])[..., 0] / column)[
            ..., : self.n
        ]


BALLS = SimpleNamespace(sin=arb.sin, cos=arb.cos)


def equations_of(model: Model, branch: Sequence[Node]) -> Equations:
    """The equations of the acceleration along which the functions of a branch, of q and v, keep their values."""
    n = model.n
    p = [derivative(model.kinetic, "v", i) for i in range(n)]
    v = [Node("v", (i,)) for i in range(n)]
    M = [derivative(x, "v", i) for x in p for i in range(n)]
    f = []
    for i in range(n):
        bend = total([derivative(p[i], "q", j) * v[j] for j in range(n)])
        f.append(derivative(model.kinetic, "q", i) - bend + float(model.force[i]))
    B = [derivative(x, "v", i) for x in branch for i in range(n)]
    gamma = [total([derivative(x, "q", j) * v[j] for j in range(n)]) for x in branch]
    return Equations(n, len(branch), taped([*M, *f, *B, *gamma]))


# ------------------------------------------------------------------ collocation


@dataclass(frozen=True)
class Rule:
    """Gauss-Legendre nodes on [0, 1], with the integrals of the polynomials that are one at one node."""

    nodes: np.ndarray  # (s,)
    exact_nodes: tuple[arb, ...]
    once: np.ndarray  # (s, s) integral up to each node
    twice: np.ndarray  # (s, s)
    exact_once: arb_mat  # (s+1, s) the same with 77 digits; the last row: up to 1
    exact_twice: arb_mat
    coefficients: np.ndarray  # (s, s) of Legendre polynomials, from values at the nodes


@lru_cache(1)
def rule() -> Rule:
    """The rule of `NODES` nodes."""
    s = NODES
    x = [arb.legendre_p_root(s, k) for k in range(s)]
    weights = [arb.legendre_p_root(s, k, weight=True)[1] for k in range(s)]
    order = sorted(range(s), key=lambda k: float(x[k]))
    x, weights = [x[k].mid() for k in order], [weights[k].mid() for k in order]

    def polynomials(z: arb, count: int) -> list[arb]:
        p = [arb(1), z]
        while len(p) < count:
            k = len(p)
            p.append((((2 * k - 1) * z * p[-1] - (k - 1) * p[-2]) / k).mid())
        return p

    at = [polynomials(z, s + 3) for z in x]
    # values to coefficients: c_k = (2k+1)/2 Σ w P_k f; exact as the rule integrates degree 2s−1
    to = arb_mat([[(2 * k + 1) * weights[j] * at[j][k] / 2 for j in range(s)] for k in range(s)])

    def integrals(p: list[arb]) -> tuple[list[arb], list[arb]]:
        """Of P_k from −1 to z, once and twice, on [0, 1]: half of those on [−1, 1]."""
        first = [p[1] + 1] + [(p[k + 1] - p[k - 1]) / (2 * k + 1) for k in range(1, s + 1)]
        second = [first[0] + first[1]] + [(first[k + 1] - first[k - 1]) / (2 * k + 1) for k in range(1, s)]
        second[0] = first[0] + first[1]
        return [y / 2 for y in first[:s]], [y / 4 for y in second]

    rows = [integrals(p) for p in (*at, polynomials(arb(1), s + 3))]
    once, twice = (arb_mat([[y.mid() for y in r[i]] for r in rows]) * to for i in (0, 1))
    rounded = [np.array([[float(m[i, j].mid()) for j in range(s)] for i in range(s)]) for m in (once, twice, to)]
    mid = [arb_mat([[m[i, j].mid() for j in range(s)] for i in range(s + 1)]) for m in (once, twice)]
    shares = tuple(((z + 1) / 2).mid() for z in x)
    return Rule(np.array([float(z) for z in shares]), shares, rounded[0], rounded[1], *mid, rounded[2])


@dataclass(frozen=True)
class Piece:
    """One step: its start, length and the accelerations at its nodes."""

    t: float  # exact
    h: float
    q: list[arb]
    v: list[arb]
    a: np.ndarray  # (s, n)
    end: tuple[list[arb], list[arb]]

    def state(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Position and velocity (n,) at a time, rounded."""
        r = rule()
        z = 2.0 * (t - self.t) / self.h - 1.0
        c = r.coefficients @ self.a
        once = legendre.legint(c, lbnd=-1) * (self.h / 2.0)
        twice = legendre.legint(once, lbnd=-1) * (self.h / 2.0)
        q, v = (np.array([float(x) for x in y]) for y in (self.q, self.v))
        return q + (t - self.t) * v + legendre.legval(z, twice), v + legendre.legval(z, once)


@dataclass
class Motion:
    """The motion from a state of 77 digits at t = 0, forwards and backwards as far as steps were taken."""

    equations: Equations
    q: list[arb]
    v: list[arb]
    sizes: tuple[float, float]  # of positions and of velocities
    free: float  # size of the accelerations that forces and constraints give
    longest: float  # step, s
    first: tuple[float, ...] = ()  # acceleration at t = 0, where the equations are singular
    forth: list[Piece] = field(default_factory=list)
    back: list[Piece] = field(default_factory=list)

    def step(self, forwards: bool = True, h: float | None = None) -> bool:
        """Take one step more, as long as it can be if no length is given; False if no step is short enough."""
        pieces = self.forth if forwards else self.back
        sign = 1.0 if forwards else -1.0
        t = pieces[-1].t + pieces[-1].h if pieces else 0.0
        q, v = pieces[-1].end if pieces else (self.q, self.v)
        h = abs(h or (2.0 * pieces[-1].h if pieces else self.longest))
        for _ in range(HALVED):
            h = min(rounded_to_bits(h), self.longest)
            piece, decay = self._tried(t, sign * h, q, v)
            if piece is not None:
                pieces.append(piece)
                return True
            h /= 4.0 if decay < 1.3 else 1.5
            if h < SHORTEST * self.longest:
                return False
        return False

    def _tried(self, t: float, h: float, q: list[arb], v: list[arb]) -> tuple[Piece | None, float]:
        """One step of length h, or the decay that its coefficients have."""
        r, n = rule(), self.equations.n
        with np.errstate(all="ignore"):
            a, inverse, noise = self._rounded(h, q, v)
        if a is None:
            return None, 0.0
        decay = decay_of(r.coefficients @ a, max(noise, LOST), LOST * self.free)
        if decay < DECAY:
            return None, decay
        exact = arb_mat([[arb(float(x)) for x in row] for row in a])
        steps = arb(h), arb(h) ** 2
        for _ in range(SWEEPS):
            once, twice = r.exact_once * exact, r.exact_twice * exact
            wanted = []
            for i in range(NODES):
                x = [q[j] + steps[0] * (r.exact_nodes[i] * v[j]) + steps[1] * twice[i, j] for j in range(n)]
                y = [v[j] + steps[0] * once[i, j] for j in range(n)]
                wanted.append(self.equations.exact([z.mid() for z in x], [z.mid() for z in y]))
            size = max(self.free, *(abs(float(x)) for row in wanted for x in row))
            difference = [[wanted[i][j] - exact[i, j].mid() for j in range(n)] for i in range(NODES)]
            top = max(abs(x) for row in difference for x in row)
            if not top < arb(SETTLED) * arb(size):
                scale = arb(top.mid())
                residual = np.array([[float((x / scale).mid()) for x in row] for row in difference])
                change = (inverse @ residual.ravel()).reshape(NODES, n)
                exact = arb_mat(
                    [[(exact[i, j] + arb(float(change[i, j])) * scale).mid() for j in range(n)] for i in range(NODES)]
                )
                continue
            exact = arb_mat(wanted)
            once, twice = r.exact_once * exact, r.exact_twice * exact
            there = [(q[j] + steps[0] * v[j] + steps[1] * twice[NODES, j]).mid() for j in range(n)]
            speed = [(v[j] + steps[0] * once[NODES, j]).mid() for j in range(n)]
            a = np.array([[float(exact[i, j]) for j in range(n)] for i in range(NODES)])
            decay = decay_of(r.coefficients @ a, SEEN, SETTLED * self.free)
            return (Piece(t, h, q, v, a, (there, speed)) if decay >= DECAY else None), decay
        return None, 0.0

    def _rounded(self, h: float, q: list[arb], v: list[arb]) -> tuple[Any, Any]:
        """The accelerations at the nodes in double precision by Newton's method, and the inverse of its matrix."""
        r, n, s = rule(), self.equations.n, NODES
        start = [np.array([float(x) for x in y]) for y in (q, v)]
        if self.first and q is self.q:
            a = np.zeros((s, n)) + np.array(self.first)
        else:
            a = np.zeros((s, n)) + self.equations.rounded(start[0][None], start[1][None])
        small = TINY * self.sizes[0], TINY * max(self.sizes[1], self.free * abs(h), float(np.max(np.abs(a))) * abs(h))
        last = np.inf
        for _ in range(SWEEPS):
            x = start[0] + h * r.nodes[:, None] * start[1] + h * h * (r.twice @ a)
            y = start[1] + h * (r.once @ a)
            lift = 1j * np.eye(n)[:, None, :]
            by_q = np.imag(self.equations.rounded(x + small[0] * lift, y + 0.0 * lift)) / small[0]
            by_v = np.imag(self.equations.rounded(x + 0.0 * lift, y + small[1] * lift)) / small[1]
            found = self.equations.rounded(x, y)
            # I − ∂a/∂q h² twice − ∂a/∂v h once, rows (node, coordinate)
            matrix = np.eye(s * n) - np.einsum("jsi,st->sitj", by_q, h * h * r.twice).reshape(s * n, s * n)
            matrix -= np.einsum("jsi,st->sitj", by_v, h * r.once).reshape(s * n, s * n)
            if not np.all(np.isfinite(matrix)):
                return None, None, 0.0
            inverse = np.linalg.inv(matrix)
            change = (inverse @ (found - a).ravel()).reshape(s, n)
            a = a + change
            left = float(np.max(np.abs(change))) / max(self.free, float(np.max(np.abs(a))))
            if not np.isfinite(left):
                return None, None, 0.0
            if left <= ROUNDED or (left <= NOISY and left > 0.1 * last):  # no better in double precision
                blur = (
                    self.equations.rounded(x * (1.0 + EPS), y) - found,
                    self.equations.rounded(x, y * (1.0 + EPS)) - found,
                )
                return a, inverse, float(np.max(np.abs(blur))) / max(self.free, float(np.max(np.abs(a)))) + 10.0 * left
            last = left
        return None, None, 0.0

    def at(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Position and velocity (n,) at a time, rounded."""
        first, last = self.span
        inside = min(max(t, first), last)
        if abs(inside - t) > SLACK * (last - first):
            raise ValueError(f"{t} s is not in the motion")
        pieces = (*self.back, *self.forth)
        return next(p for p in pieces if min(p.t, p.t + p.h) <= inside <= max(p.t, p.t + p.h)).state(inside)

    @property
    def span(self) -> tuple[float, float]:
        """First and last time."""
        ends = [pieces[-1].t + pieces[-1].h if pieces else 0.0 for pieces in (self.back, self.forth)]
        return ends[0], ends[1]


def rounded_to_bits(h: float) -> float:
    """A length with few bits, so that sums of lengths are exact."""
    mantissa, exponent = math.frexp(h)
    return math.ldexp(math.floor(mantissa * 32) / 32, exponent)


def decay_of(c: np.ndarray, noise: float, least: float) -> float:
    """The ratio at which Legendre coefficients (s, n) fall; those below `noise`, or `least`, are lost."""
    size = np.max(np.abs(c), axis=1)
    top = float(np.max(size))
    if top <= least:
        return math.inf
    floor = max(noise, least / top)
    return float(floor ** (-1.0 / (int(np.flatnonzero(size > floor * top)[-1]) + 2)))
