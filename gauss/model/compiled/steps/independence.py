"""How far the equality rows of a small model are from dependence at a state, in one compiled call.

`gauss.uniqueness` decides by singular values and by what noise and the uncertainty of a state may do to them. What is
computed here are bounds of those numbers: of what is divided by from below, of everything else from above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import casadi as ca
import numpy as np

from gauss.foundation.arrays import Array, length
from gauss.foundation.dependence import ROUNDS
from gauss.foundation.tolerances import NUDGE
from gauss.foundation.zero import CLEAR, KNOWN, UNIT
from gauss.model.compiled.buffer import Buffered, Mapped, dense_function
from gauss.model.compiled.derivatives.noise import noises
from gauss.model.compiled.native import native
from gauss.model.compiled.steps.kkt import Schur, refined

if TYPE_CHECKING:
    from gauss.model.compiled.trace import Trace

TINY = 1e-300  # is added to divisors, so that zero by zero is zero
NOISY = 1e-6  # share of the size of scaled rows from which the noise in a column makes that column say nothing
FEW = 6  # rows, by whose squares the least singular value is found: they leave 1e-16 times the square of FEW open
LOOSE = 10.0  # times what a position misses of the rows it is uncertain by (`uniqueness.rows.scaled_rows.VIOLATION`)


class Bounds(NamedTuple):
    """What one call says of a state with k rows; lengths are taken in the metric M = LLᵀ."""

    rows: Array  # (k, n) J L⁻ᵀ, each row over the largest scale that it may have
    balanced: Array  # (k, n) J with rows and columns scaled to one size, without columns that are noisy
    roots: Array  # (n,) √M_jj
    pivot: float  # least squared pivot of the mass matrix scaled to a unit diagonal
    least: float  # least squared length of a row, or mass
    most: float  # sum of the absolute values of all that is computed; nan where anything is
    off: float  # what the position misses of a row, relative to it
    slip: float  # what the velocity misses of the rows, relative to the speed of the system
    residual: float  # the larger of both relative to the terms of the rows alone
    vanishing: float  # change of a row by a displacement of the size of the position, relative to it
    noise: float  # of the rows and of their right-hand sides, relative to both
    position: float  # length of the products of coordinates and `roots`
    speed: float  # of velocities and `roots`
    pull: float  # of forces over `roots`

    @property
    def sigma(self) -> list[float]:
        """The least singular values of `rows` and of `balanced`; 1 without rows, 0 with more than coordinates."""
        k, n = self.rows.shape
        if not 0 < k <= n:
            return [0.0 if k else 1.0] * 2
        if k == 1:
            return [length(self.rows), length(self.balanced)]
        if k == 2:  # squares leave about 1e-16 open, of 1e-6 that is asked for
            return [_least_of_two(self.rows), _least_of_two(self.balanced)]
        if k <= FEW:
            both = np.array([self.rows, self.balanced])
            squares = np.linalg.eigvalsh(both @ both.transpose(0, 2, 1))[:, 0]
            return [math.sqrt(max(x, 0.0)) for x in squares.tolist()]
        found: list[float] = np.linalg.svd(np.array([self.rows, self.balanced]), compute_uv=False)[:, -1].tolist()
        return found


@dataclass(frozen=True)
class Independence:
    """The bounds as a function of the state (q, v, t, theta)."""

    function: Buffered
    shape: tuple[int, int]
    approach: Mapped  # how rows change up to a rest (see `_approach`)

    @staticmethod
    def build(trace: Trace, arguments: list[ca.SX], rows: Sequence[int]) -> Independence:
        """Compile them for the rows with the given indices."""
        outputs = Independence.of_rows(trace, arguments, rows)
        function = Buffered(dense_function("independence", arguments, outputs, often=False))
        return Independence(function, (len(rows), trace.symbols.q.numel()), _approach(trace, arguments, rows))

    @staticmethod
    def of_rows(trace: Trace, arguments: list[ca.SX], rows: Sequence[int]) -> list[ca.SX]:
        """Return the expressions of the bounds: both matrices of rows, the roots, and the other numbers."""
        q, v = trace.symbols.q, trace.symbols.v
        J, gamma, phi, psi = trace.rows(rows)
        J, (d, upper, lift) = ca.sparsify(J), _metric(trace.M)
        W = ca.sparsify(J @ lift.T)
        size, free = _lengths(W), ca.norm_2(ca.densify(lift @ trace.f))
        place, speed = (ca.norm_2(upper @ (d * x)) for x in (q, v))
        length = ca.fmax(place, speed**2 / (ca.fmax(free, _most(_over(gamma, size))) + TINY))  # at most this one
        fast, slow = (ca.fmax(speed, ca.sqrt(free * x)) for x in (length, place))
        terms, near = ca.fabs(J), ca.fmax(ca.fabs(q), ca.fmin(_most(ca.fabs(q)), place / d))
        off = ca.fmax(_most(_over(phi, size * place)), _most(_over(phi, terms @ near)))
        moves = ca.fmax(KNOWN, LOOSE * off) * ca.fmax(ca.fabs(q), length / d)
        tables = [(q, moves, length)]
        if not trace.linear_velocity:
            tables.append((v, KNOWN * ca.fmax(ca.fabs(v), fast / d), fast))
        scales, changes = _turning(J, lift, tables)
        J_noise, gamma_noise = noises(arguments, [J, gamma], 3)
        nudged = q + NUDGE * ca.fmax(ca.fabs(q), ca.fmin(1.0, _most(ca.fabs(q))))
        turned = _lengths(ca.substitute(J, q, nudged) - J) / NUDGE
        rows_known = _most(_over(J_noise @ _lengths(lift.T), size))
        right_known = _most(_over(gamma_noise, size * ca.fmax(free, speed**2 / (length + TINY))))
        everything = [trace.M, trace.f, J, gamma, phi, psi, trace.kinetic, trace.potential]
        everything += [size, *scales, changes, turned, J_noise, gamma_noise]
        numbers = [
            ca.mmin(ca.densify(ca.diag(upper)) ** 2),
            ca.mmin(ca.vertcat(size, d) ** 2),
            sum((ca.sum1(ca.fabs(ca.densify(ca.vec(x)))) for x in everything), ca.SX(0.0)),
            off,
            ca.norm_2(ca.vertcat(psi / size, 0.0)) / (slow + TINY),
            ca.fmax(_most(_over(phi, terms @ ca.fabs(q))), _most(_over(psi, terms @ ca.fabs(v)))),
            _most(_over(turned, _lengths(J))),
            rows_known + right_known,
            ca.norm_2(d * q),
            ca.norm_2(d * v),
            ca.norm_2(ca.densify(trace.f) / d),
        ]
        scale = size
        for each in scales:
            scale = ca.fmax(scale, each)
        scaled = _scaled(1 / scale, W, ca.SX.ones(q.numel()))
        return [scaled, _balanced(J, J_noise + changes), d, ca.vertcat(*numbers)]

    def native(self, compiler: str) -> Independence:
        """Return them as machine code. Raises InputError where the C compiler is not there, or fails."""
        return replace(self, function=Buffered(native(self.function.function, compiler)))

    def at(self, q: Array, v: Array, t: float, theta: Array) -> Bounds:
        """Evaluate them."""
        rows, balanced, roots, numbers = self.function(q, v, t, theta)
        return Bounds(rows.reshape(self.shape), balanced.reshape(self.shape), roots, *numbers.tolist())


class Balance(NamedTuple):
    """How well an acceleration and multipliers satisfy M a = f + Jᵀλ and J a = γ, in the metric."""

    stationarity: float  # |M a − f − Jᵀλ|
    stationarity_scale: float  # the size of the terms that were subtracted
    primal: float  # largest residual of a row, as a distance
    primal_scale: float  # |a|, |a_free| and the right-hand sides


@dataclass(frozen=True)
class BoundedAnswers:
    """The acceleration on the equality rows, its balance, and the bounds of `Independence`, in one call."""

    function: Buffered
    shape: tuple[int, int]

    @staticmethod
    def build(trace: Trace, arguments: list[ca.SX], rows: Sequence[int]) -> BoundedAnswers:
        """Compile them for the rows with the given indices."""
        J, gamma, _, _ = trace.rows(rows)
        kkt = Schur.of(trace.M, trace.f, J, gamma, None)
        a, multipliers = refined(kkt, trace.f, gamma, 1)
        moved = trace.M @ a
        left = moved - trace.f - J.T @ multipliers if rows else moved - trace.f
        sizes = ca.sqrt(ca.densify(kkt.sizes)) if rows else ca.SX(0, 1)
        right = _most(_over(gamma, sizes))
        pushed, applied, rest = (ca.sqrt(ca.fmax(kkt.squared(x), 0.0)) for x in (moved, trace.f, left))
        balance = [
            rest,
            pushed + applied + ca.sum1(ca.vertcat(0.0, ca.fabs(multipliers) * sizes)),
            _most(_over(J @ a - gamma, sizes)) if rows else ca.SX(0.0),
            ca.sqrt(ca.fmax(ca.dot(a, moved), 0.0)) + right + applied,
        ]
        outputs = [a, multipliers, ca.vertcat(*balance), *Independence.of_rows(trace, arguments, rows)]
        return BoundedAnswers(Buffered(dense_function("answer", arguments, outputs)), (len(rows), arguments[0].numel()))

    def at(self, q: Array, v: Array, t: float, theta: Array) -> tuple[Array, Balance, Bounds]:
        """Evaluate them."""
        a, _, balance, rows, balanced, roots, numbers = self.function(q, v, t, theta)
        bounds = Bounds(rows.reshape(self.shape), balanced.reshape(self.shape), roots, *numbers.tolist())
        return a, Balance(*balance.tolist()), bounds


def _approach(trace: Trace, arguments: list[ca.SX], rows: Sequence[int]) -> Mapped:
    """Return how rows change up to a rest, as a function of (q, v, t, theta) and the time until it: two outputs.

    They are the least squared pivot of the scaled mass matrix, and k rows (k, n) at the state and at the rest, each as
    J L⁻ᵀ in the metric at the state.
    """
    q, v, t, _ = arguments
    time, still = ca.SX.sym("time"), ca.SX.zeros(*v.shape)
    J, M = (ca.substitute(x, v, still) for x in (trace.rows(rows)[0], trace.M))
    there = ca.substitute(J, ca.vertcat(q, t), ca.vertcat(q + v * time / 2, t + time))
    _, upper, lift = _metric(M)
    both = ca.vertcat(*(ca.vec(ca.densify(each @ lift.T)) for each in (J, there)))
    pivot = ca.mmin(ca.densify(ca.diag(upper)) ** 2)
    return Mapped(dense_function("approach", [*arguments, time], [pivot, both], often=False))


def _metric(M: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return lengths of unit accelerations (n,), the factor of the mass matrix over them, and L⁻¹ of M = LLᵀ."""
    d = ca.sqrt(ca.densify(ca.diag(M)))
    upper = ca.chol(ca.sparsify(_scaled(1 / d, M, 1 / d)))
    return d, upper, ca.sparsify(ca.solve(upper.T, ca.SX.eye(d.numel())) @ ca.diag(1 / d))


def _least_of_two(rows: Array) -> float:
    """Return the least singular value of two rows (2, n), by the eigenvalues of their products."""
    (a, b), (_, c) = (rows @ rows.T).tolist()
    return math.sqrt(max((a + c) / 2.0 - math.hypot((a - c) / 2.0, b), 0.0))


def _turning(J: ca.SX, lift: ca.SX, tables: list[tuple[ca.SX, ca.SX, ca.SX]]) -> tuple[list[ca.SX], ca.SX]:
    """Return the sizes (k,) of the changes of rows over each length, and the changes (k, n) of their entries by moves.

    `tables` has the positions, and perhaps the velocities, with how far each of their numbers moves, and the length.
    """
    k, n = J.shape
    sizes, changes = [ca.SX.zeros(k) for _ in tables], ca.SX.zeros(k, n)
    for i, row in enumerate(ca.vertsplit(J) if k else ()):
        for (x, moves, far), found in zip(tables, sizes, strict=True):
            slopes = ca.sparsify(ca.jacobian(row, x))
            found[i] = ca.norm_fro(ca.densify(lift @ slopes @ lift.T)) * far
            changes[i, :] += _lengths(slopes @ ca.diag(moves)).T
    return sizes, changes


def _balanced(J: ca.SX, noise: ca.SX) -> ca.SX:
    """Return the rows scaled as `gauss.foundation.dependence.equilibrated` does, without columns that are noisy."""
    k, n = J.shape
    if not k:
        return ca.SX(k, n)
    size = ca.fmax(ca.densify(ca.fabs(J)), CLEAR**2 * noise)
    rows, columns = ca.SX.ones(k), ca.SX.ones(n)
    for _ in range(ROUNDS):
        rows = 1 / ca.vertcat(*(ca.mmax(row.T * columns) for row in ca.vertsplit(size)))
        columns = 1 / (ca.vertcat(*(ca.mmax(column * rows) for column in ca.horzsplit(size))) + TINY)
    quiet = _lengths(_scaled(rows, noise, columns).T) + UNIT * (k * n) <= NOISY
    return _scaled(rows, J, ca.if_else(quiet, columns, 0.0))


def _scaled(rows: ca.SX, matrix: ca.SX, columns: ca.SX) -> ca.SX:
    return ca.diag(rows) @ matrix @ ca.diag(columns)


def _over(value: ca.SX, size: ca.SX) -> ca.SX:
    return ca.fabs(value) / (size + TINY)


def _most(values: ca.SX) -> ca.SX:
    return ca.mmax(ca.densify(values)) if values.numel() else ca.SX(0.0)


def _lengths(rows: ca.SX) -> ca.SX:
    return ca.densify(ca.sqrt(ca.sum2(rows**2)))
