"""What a singular position demands of the acceleration: conditions of order 2, 3 and 4 along every motion through it.

With U the vanishing combinations of the rows (UᵀJ = 0) and d²ψ/dt² = J b + K z + r₂, d³ψ/dt³ = J c + K₃ b + R₃(z) (see
`gauss.model.compiled.derivatives.jets`), a motion through the state satisfies

    order 2   Uᵀγ = 0                                          a condition on the velocity
    order 3   UᵀK z + Uᵀr₂ = 0                                 linear in the acceleration
    order 4   αᵀR₂(z) + wᵀR₃(z) = 0                            quadratic in the acceleration, for every w = Uβ and α
              that eliminate b and c: wᵀJ = 0 and αᵀJ + wᵀK₃ = 0
              (R₂(z) = K z + r₂; for rows nonlinear in the velocities K₃ and α change with z, R₂ is quadratic and the
              condition can be of third degree: it is then not examined, and said to decide)

The reaction at such a position is the limit of that at the regular positions beside it: it lies in the span of J and of
the limit UᵀdJ/dt of the rows that vanish, the normals. For holonomic rows they span the same as the order 3 rows. For
Pfaffian and nonlinear rows they need not: the minimum of the Zwang on the order 3 rows is then not the limit, and the
acceleration that satisfies the order 3 rows with a reaction along the normals is.

Order 4 binds what order 3 has left undetermined. A combination that demands nothing at any of these orders is silent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gauss.foundation.arrays import Array, Flags, norms
from gauss.numerics.quadrics.stationary import Quadric
from gauss.uniqueness.orders.order_four import Elimination, OrderThree, form_of, order_four
from gauss.uniqueness.rows.combinations import Uncertain, expansions, independent
from gauss.uniqueness.rows.frame import Frame
from gauss.uniqueness.rows.uncertainty import (
    Judged,
    coefficients,
    lifted,
    order_three,
    order_two,
    ordinary,
    unsure_solution,
)


@dataclass(frozen=True)
class Conditions:
    """The conditions of orders 2 to 4 on z = Lᵀa at one state; combinations are columns over the rows of the frame."""

    identical: Array  # (m, ·) combinations that vanish everywhere and demand nothing
    null: Array  # (m, k) U, the other vanishing combinations of the rows
    velocity: Judged  # (k,) violation of the order 2 conditions
    crossing: Array  # (m, ρ) combinations whose order 3 rows bind the acceleration
    rows: Array  # (ρ, n) order 3 rows
    right: Array  # (ρ,) their right-hand sides
    normals: Array  # (ρ, n) directions in which the reactions of the crossing combinations act
    smoothness: Judged  # (·,) violation of the order 3 conditions that leave z out; of contacts, where they close
    loose: Array  # (m, ·) their combinations
    base: Array  # (n,) least z that satisfies orders 2 and 3
    kernel: Array  # (n, d) orthonormal basis of what they leave free
    quadrics: tuple[Quadric, ...]  # order 4 conditions on y, z = base + kernel y
    active: Array  # (m, p) their combinations w
    eliminating: Array  # (m, p) the α that belong to them
    unconditional: Array  # (m, ·) combinations without any condition up to order 4
    vague: float  # the largest noise of S among the quadrics, relative to it
    beyond: Array  # (m, ·) combinations whose order 4 is of third degree in the acceleration, or that b can satisfy
    open: Array  # (m, ·) combinations of which it is not decided whether order 4 demands anything
    leading: Array  # (m, ·) combinations with contacts whose order 3 binds the acceleration
    pushing: Array  # (·, n) their order 3 rows, which demand pushing z ≥ pushed
    pushed: Array  # (·,)
    mixed: bool  # a vanishing combination has contacts with both signs, and its inequalities are not separated

    @property
    def admissible(self) -> bool:
        """Whether the velocity satisfies order 2, as far as it is known."""
        return not np.any(self.velocity.clear)

    @property
    def smooth(self) -> bool:
        """Whether order 3 has a solution, as far as it is known."""
        return not np.any(self.smoothness.clear)


def conditions(frame: Frame, contacts: Flags | None = None) -> Conditions:
    """Evaluate the conditions of orders 2 to 4 at the state of a frame.

    `contacts` (m,) marks rows g ≥ 0 that orders 1 and 2 hold at g = 0; their combinations give inequalities.
    """
    everywhere = frame.identical
    if contacts is not None:  # those of equations alone
        everywhere = everywhere & ~np.any(np.abs(frame.left_null[contacts]) > 1e-9, axis=0)
    U, sided, mixed = _oriented(frame.left_null[:, ~everywhere], contacts)
    none = np.zeros((frame.rank, frame.n))
    known = ordinary(frame) if U.shape[1] else Uncertain(none, none)  # asked for beside combinations only
    order3, ahead = (_order_three(frame, known, U[:, which]) for which in (~sided, sided))
    opening = ahead.left.clear & (ahead.left.value > 0.0)  # the contacts separate at order 3: nothing follows from them
    base, kernel = _solve(frame, order3.rows, order3.right)
    four = order_four(frame, known, order3, ahead.loose[:, ~opening], base, kernel)
    quadrics = four.quadrics
    if contacts is not None:
        senses = [">=" if np.any(np.abs(w[contacts]) > 1e-9) else "=" for w in four.active.T]
        quadrics = tuple(replace(q, sense=sense) for q, sense in zip(quadrics, senses, strict=True))
    return Conditions(
        identical=frame.left_null[:, everywhere],
        null=U,
        velocity=order_two(frame, U),
        crossing=order3.binding,
        rows=order3.rows,
        right=order3.right,
        normals=order3.binding.T @ frame.rates(base)[0],
        smoothness=order3.left.joined(ahead.left.chosen(~opening)),
        loose=np.hstack([order3.loose, ahead.loose[:, ~opening]]),
        base=base,
        kernel=kernel,
        quadrics=quadrics,
        active=four.active,
        eliminating=four.eliminating,
        unconditional=four.unconditional,
        vague=four.vague,
        beyond=four.beyond,
        open=four.open,
        leading=ahead.binding,
        pushing=ahead.rows,
        pushed=ahead.right,
        mixed=mixed,
    )


def _oriented(U: Array, contacts: Flags | None) -> tuple[Array, Flags, bool]:
    """Return the combinations with the signs that make their contacts push, which of them have contacts, and doubt."""
    sided, mixed = np.zeros(U.shape[1], dtype=bool), False
    if contacts is None:
        return U, sided, mixed
    U = U.copy()
    for j, w in enumerate(U.T):
        part = w[contacts]
        part = part[np.abs(part) > 1e-9]
        sided[j] = part.size > 0
        mixed |= bool(part.size and part.min() < 0.0 < part.max())
        if part.size and part.max() < 0.0:
            U[:, j] = -w
    return U, sided, mixed


def _order_three(frame: Frame, known: Uncertain, U: Array) -> OrderThree:
    """Return the order 3 rows, and how far the conditions that leave z out are from being satisfied."""
    if not U.shape[1]:
        none = np.zeros(0)
        return OrderThree(U, np.zeros((0, frame.n)), none, Judged(none, none, none), U, U, U)
    z = frame.particular
    quadratic = _quadratic_at_order_three(frame, known, U, z)
    straight = U[:, ~quadratic]
    value, K = frame.second(z)
    B = straight.T @ K
    basis = independent(known, coefficients(frame, 2, straight, z)) if straight.shape[1] else []
    loose = straight @ expansions(B @ frame.kernel, basis)
    return OrderThree(
        binding=straight[:, basis],
        rows=B[basis],
        right=B[basis] @ z - straight[:, basis].T @ value,
        left=order_three(frame, known, loose),
        straight=straight,
        quadratic=U[:, quadratic],
        loose=loose,
    )


def _quadratic_at_order_three(frame: Frame, known: Uncertain, U: Array, z: Array) -> Flags:
    """Return which combinations (k,) are quadratic in z already at order 3: those of rows nonlinear in v."""
    if frame.system.model.linear_velocity:
        return np.zeros(U.shape[1], dtype=bool)
    still = Elimination.none(len(U), frame.kernel.shape[1])
    directions, unsure = lifted(frame, known, frame.kernel), unsure_solution(frame, known, z)
    return np.array([np.any(form_of(frame, (z, unsure), directions, 2, u, still).quadric.S) for u in U.T], dtype=bool)


def _solve(frame: Frame, rows: Array, right: Array) -> tuple[Array, Array]:
    """Return the least z that satisfies the ordinary rows and the order 3 rows, and a basis of what they leave free."""
    z, N = frame.particular, frame.kernel
    if rows.shape[0] == 0:
        return z, N
    reduced = rows @ N
    size = norms(reduced, 1)
    U, sigma, V = np.linalg.svd(reduced / size[:, None], full_matrices=True)
    count = rows.shape[0]
    y = V[:count].T @ ((U.T @ ((right - rows @ z) / size)) / sigma)
    return z + N @ y, N @ V[count:].T
