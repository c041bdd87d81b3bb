"""What a singular position demands of the acceleration: conditions of order 2, 3 and 4 along every motion through it.

With U the vanishing combinations of the rows (UᵀJ = 0) and d²ψ/dt² = J b + K z + r₂, d³ψ/dt³ = J c + K₃ b + R₃(z) (see
`gauss.model.compiled.jets`), a motion through the state satisfies

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
from functools import cached_property

import numpy as np

from gauss.arrays import Array, Flags
from gauss.regularity.cone import Quadric
from gauss.regularity.frame import Frame, circuits

CONSISTENT = 1e-9  # relative size up to which a condition that should vanish does, at least
ROUNDED = 1e-12  # terms of a quadric below this share of their natural size are made of rounding, at least
TRIALS = 3  # accelerations at which terms of third degree are looked for
AMISS = 10.0  # conditions contain products of velocities: what a velocity off the rows leaves open of them
SLACK = 1e4  # the same as a multiple of the uncertainty of the position: conditions contain derivatives of the rows


@dataclass(frozen=True)
class Conditions:
    """The conditions of orders 2 to 4 on z = Lᵀa at one state; combinations are columns over the rows of the frame."""

    identical: Array  # (m, ·) combinations that vanish everywhere and demand nothing
    null: Array  # (m, k) U, the other vanishing combinations of the rows
    velocity_gap: Array  # (k,) relative violation of the order 2 conditions
    crossing: Array  # (m, ρ) combinations whose order 3 rows bind the acceleration
    rows: Array  # (ρ, n) order 3 rows
    right: Array  # (ρ,) their right-hand sides
    normals: Array  # (ρ, n) directions in which the reactions of the crossing combinations act
    smooth_gap: float  # relative violation of the order 3 conditions that leave z out
    broken: Array  # (m,) the combination that is violated most
    base: Array  # (n,) least z that satisfies orders 2 and 3
    kernel: Array  # (n, d) orthonormal basis of what they leave free
    quadrics: tuple[Quadric, ...]  # order 4 conditions on y, z = base + kernel y
    active: Array  # (m, p) their combinations w
    eliminating: Array  # (m, p) the α that belong to them
    silent: Array  # (m, ·) combinations without any condition up to order 4
    beyond: Array  # (m, ·) combinations whose order 4 is of third degree in the acceleration, or that b can satisfy
    leading: Array  # (m, ·) combinations with contacts whose order 3 binds the acceleration
    pushing: Array  # (·, n) their order 3 rows, which demand pushing z ≥ pushed
    pushed: Array  # (·,)
    mixed: bool  # a vanishing combination has contacts with both signs, and its inequalities are not separated
    tolerance: float  # relative, of these decisions

    @property
    def admissible(self) -> bool:
        """Whether the velocity satisfies order 2."""
        return bool(np.all(self.velocity_gap <= self.tolerance))

    @property
    def smooth(self) -> bool:
        """Whether order 3 has a solution."""
        return self.smooth_gap <= self.tolerance


def conditions(frame: Frame, contacts: Flags | None = None) -> Conditions:
    """Evaluate the conditions of orders 2 to 4 at the state of a frame.

    `contacts` (m,) marks rows g ≥ 0 that orders 1 and 2 hold at g = 0; their combinations give inequalities.
    """
    tolerance = max(CONSISTENT, SLACK * frame.noise, AMISS * frame.slip(frame.rank))
    everywhere = frame.identical if contacts is None else np.zeros(frame.left_null.shape[1], dtype=bool)
    U, sided, mixed = _oriented(frame.left_null[:, ~everywhere], contacts)
    gap = _velocity_gap(frame, U)
    order3 = _order_three(frame, U[:, ~sided], tolerance)
    ahead = _order_three(frame, U[:, sided], tolerance)
    held = ahead.left <= tolerance  # beyond, the contacts separate at order 3, and nothing follows from them
    closing = float(-np.min(ahead.left, initial=0.0))
    base, kernel = _solve(frame, order3.rows, order3.right, order3.size)
    tied = ahead.loose[:, held]
    quadrics, active, eliminating, silent, beyond = _order_four(frame, order3, tied, base, kernel, tolerance)
    if contacts is not None:
        senses = [">=" if np.any(np.abs(w[contacts]) > 1e-9) else "=" for w in active.T]
        quadrics = tuple(replace(q, sense=sense) for q, sense in zip(quadrics, senses, strict=True))
    return Conditions(
        identical=frame.left_null[:, everywhere],
        null=U,
        velocity_gap=gap,
        crossing=order3.binding,
        rows=order3.rows,
        right=order3.right,
        normals=order3.binding.T @ frame.rates(base)[0],
        smooth_gap=max(order3.gap, closing),
        broken=order3.broken if order3.gap >= closing else ahead.broken,
        base=base,
        kernel=kernel,
        quadrics=quadrics,
        active=active,
        eliminating=eliminating,
        silent=silent,
        beyond=beyond,
        leading=ahead.binding,
        pushing=ahead.rows,
        pushed=ahead.right,
        mixed=mixed,
        tolerance=tolerance,
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


def _velocity_gap(frame: Frame, U: Array) -> Array:
    """Return |Uᵀγ| (k,) relative to the terms that it is the sum of."""
    speed = frame.metric.norm(frame.state.v)
    terms = np.abs(frame.gamma) + frame.curvature * speed**2 + frame.natural.gamma
    size = np.abs(U).T @ terms
    return np.asarray(np.abs(U.T @ frame.gamma) / np.where(size > 0.0, size, 1.0))


@dataclass(frozen=True)
class _OrderThree:
    binding: Array  # (m, ρ)
    rows: Array  # (ρ, n)
    right: Array  # (ρ,)
    size: Array  # (ρ,) natural size of these rows
    gap: float
    left: Array  # (·,) relative values of the conditions that leave z out
    broken: Array  # (m,)
    straight: Array  # (m, ·) combinations that are linear in z at order 3
    quadratic: Array  # (m, ·) combinations whose order 3 is quadratic in z (nonlinear nonholonomic rows)
    loose: Array  # (m, ·) combinations whose order 3 leaves z out


def _order_three(frame: Frame, U: Array, tolerance: float) -> _OrderThree:
    """Return the order 3 rows, and how far the conditions that leave z out are from being satisfied."""
    z = frame.particular
    value, K = frame.second(z)
    quadratic = _quadratic_at_order_three(frame, U, z, tolerance)
    straight = U[:, ~quadratic]
    size = np.abs(straight).T @ (np.linalg.norm(K, axis=1) + frame.natural.K)
    B = straight.T @ K
    relative = (B @ frame.kernel) / np.where(size > 0.0, size, 1.0)[:, None]
    basis, null = circuits(relative, tolerance)
    gaps = (straight.T @ value) / np.where(size > 0.0, size, 1.0)
    sums = np.abs(value) + np.linalg.norm(K, axis=1) * np.linalg.norm(z) + frame.natural.second
    terms = np.abs(straight).T @ sums + 1e-300
    terms = terms / np.where(size > 0.0, size, 1.0)
    left = (null.T @ gaps) / np.maximum(np.abs(null).T @ terms, 1e-300)
    worst = int(np.argmax(np.abs(left))) if left.size else 0
    broken = straight @ (null[:, worst] / np.where(size > 0.0, size, 1.0)) if left.size else np.zeros(len(U))
    return _OrderThree(
        binding=straight[:, basis],
        rows=B[basis],
        right=B[basis] @ z - straight[:, basis].T @ value,
        size=size[basis],
        gap=float(np.max(np.abs(left), initial=0.0)),
        left=left,
        straight=straight,
        broken=broken,
        quadratic=U[:, quadratic],
        loose=straight @ (null / np.where(size > 0.0, size, 1.0)[:, None]) if np.any(size > 0.0) else straight,
    )


def _quadratic_at_order_three(frame: Frame, U: Array, z: Array, tolerance: float) -> Flags:
    """Return which combinations (k,) are quadratic in z already at order 3: those of rows nonlinear in v."""
    flags = np.zeros(U.shape[1], dtype=bool)
    if frame.system.model.linear_velocity:
        return flags
    for j, u in enumerate(U.T):
        second = frame.combination(2, z, u).by_zz
        size = float(np.abs(u) @ frame.natural.bend2)
        flags[j] = np.linalg.norm(frame.kernel.T @ second @ frame.kernel) > tolerance * max(size, 1e-300)
    return flags


def _solve(frame: Frame, rows: Array, right: Array, size: Array) -> tuple[Array, Array]:
    """Return the least z that satisfies the ordinary rows and the order 3 rows, and a basis of what they leave free."""
    z, N = frame.particular, frame.kernel
    if rows.shape[0] == 0:
        return z, N
    reduced = (rows @ N) / size[:, None]
    U, sigma, V = np.linalg.svd(reduced, full_matrices=True)
    count = rows.shape[0]
    y = V[:count].T @ ((U.T @ ((right - rows @ z) / size)) / sigma)
    return z + N @ y, N @ V[count:].T


@dataclass(frozen=True)
class _Expansion:
    """R₂ and d³ψ/dt³ with their derivatives at z = base, from where the conditions of order 4 are expanded in y."""

    frame: Frame
    base: Array  # (n,)
    kernel: Array  # (n, d), z = base + kernel y
    r2: Array  # (m,) R₂
    K: Array  # (m, n) its derivative by z
    r3: Array  # (m,) R₃
    by_z: Array  # (m, n) its derivative by z
    K3: Array  # (m, n) coefficients of b
    turned: Array  # (d, m, n) their change per unit of y; (0, m, n) for rows linear in the velocities

    @staticmethod
    def at(frame: Frame, base: Array, kernel: Array) -> _Expansion:
        """Evaluate the derivatives."""
        zero = np.zeros(frame.n)
        r2, K = frame.second(base)
        r3, by_z, K3 = frame.third(base, zero)
        found = _Expansion(frame, base, kernel, r2, K, r3, by_z, K3, np.zeros((0, *K3.shape)))
        if frame.system.model.linear_velocity:
            return found
        turned = [(frame.third(base + found.push * x, zero)[2] - K3) / found.push for x in kernel.T]
        return replace(found, turned=np.array(turned).reshape(-1, *K3.shape))

    @cached_property
    def push(self) -> float:
        """The size of the accelerations."""
        return max(float(np.linalg.norm(self.base)), self.frame.agility, 1e-300)

    def without_b(self, combinations: Array, tolerance: float) -> tuple[Array, Array]:
        """Return combinations (m, ·) whose order 4 leaves b out at every z, and those given ones that stand for b.

        Rows nonlinear in the velocities have a K₃ that depends on z.
        """
        changes = self.push * self.turned
        lengths = [np.linalg.norm(self.K3 + change, axis=1) for change in changes]
        size = np.max([np.linalg.norm(self.K3, axis=1) + self.frame.natural.K3, *lengths], axis=0)
        weight = np.abs(combinations).T @ size
        weight = np.where(weight > 0.0, weight, 1.0)
        stacked = np.hstack([combinations.T @ block @ self.frame.kernel for block in (self.K3, *changes)])
        basis, null = circuits(stacked / weight[:, None], tolerance)
        free = combinations @ (null / weight[:, None])
        return free / np.linalg.norm(free, axis=0), combinations[:, basis]

    def eliminating(self, w: Array) -> tuple[Array, Array]:
        """Return α (m,) at the base, and its change (m, d) per unit of y, with αᵀJ + wᵀK₃ = 0."""
        f, r = self.frame, self.frame.rank

        def against(K3: Array) -> Array:
            return -f.U[:, :r] @ ((f.V[:r] @ (K3.T @ w)) / f.sigma[:r])

        change = np.zeros((len(w), self.kernel.shape[1]))
        for j, turned in enumerate(self.turned):
            change[:, j] = against(turned)
        return against(self.K3), change

    def is_cubic(self, w: Array, alpha: Array, change: Array, tolerance: float) -> bool:
        """Whether the condition of a combination has terms of third degree, as rows nonlinear in v can have."""
        frame = self.frame
        if frame.system.model.linear_velocity:
            return False
        rng = np.random.default_rng(3)

        def value(y: Array) -> float:
            z = self.base + self.kernel @ y
            return float(w @ frame.third(z, np.zeros(frame.n))[0] + (alpha + change @ y) @ frame.second(z)[0])

        size = float(np.abs(w) @ frame.natural.third)
        for y in self.push * rng.normal(size=(TRIALS, self.kernel.shape[1])):
            values = np.array([value(k * y) for k in (0.0, 1.0, 2.0, 3.0)])
            third = float(values @ [-1.0, 3.0, -3.0, 1.0])
            if abs(third) > tolerance * max(size, float(np.max(np.abs(values)))):
                return True
        return False

    def quadric(self, order: int, w: Array, alpha: Array, change: Array) -> tuple[Quadric, Array]:
        """Return the condition of one combination as a quadric in y, and its coefficients relative to their terms.

        Order 2 is that of combinations which are quadratic in z already there; they need no α.
        """
        frame, kernel = self.frame, self.kernel
        c = frame.combination(order, self.base, w)
        H, gradient, value = kernel.T @ c.by_zz @ kernel, kernel.T @ c.by_z, c.value
        if order == 3:
            c = frame.combination(2, self.base, alpha)
            turned = change.T @ self.K @ kernel
            H = H + kernel.T @ c.by_zz @ kernel + turned + turned.T
            gradient, value = gradient + kernel.T @ c.by_z + change.T @ self.r2, value + c.value
        sizes = self.sizes(order, w, alpha)
        S, g, height = _cleaned(H / 2, gradient / 2, value, sizes, max(ROUNDED, 100.0 * frame.noise))
        parts = zip((S.ravel(), 2.0 * g, np.array([height])), sizes, strict=True)
        relative = [x / s if s > 0.0 else 0.0 * x for x, s in parts]
        unit = next((float(size) for size in (np.linalg.norm(S), np.linalg.norm(g), abs(height)) if size > 0.0), 1.0)
        return Quadric(S / unit, g / unit, height / unit), np.concatenate(relative)

    def sizes(self, order: int, w: Array, alpha: Array) -> tuple[float, float, float]:
        """Return the natural sizes of the quadratic, linear and constant terms of the condition of a combination."""
        share, other, natural = np.abs(w), np.abs(alpha), self.frame.natural
        length = max(float(np.linalg.norm(self.frame.free)), float(np.linalg.norm(self.base)))
        slopes = np.linalg.norm(self.K, axis=1)
        if order == 2:
            bend = float(share @ natural.bend2)
            slope = float(share @ (slopes + natural.K)) + bend * length
            height = float(share @ (np.abs(self.r2) + natural.second)) + bend * length**2
        else:
            bend = float(share @ natural.bend3)
            slope = float(share @ (np.linalg.norm(self.by_z, axis=1) + natural.slope) + other @ slopes) + bend * length
            height = float(share @ (np.abs(self.r3) + natural.third) + other @ np.abs(self.r2)) + bend * length**2
        return bend, slope, height


def _order_four(
    frame: Frame, order3: _OrderThree, ahead: Array, base: Array, kernel: Array, tolerance: float
) -> tuple[tuple[Quadric, ...], Array, Array, Array, Array]:
    """Return the quadrics on y (z = base + kernel y), their w and α, the silent combinations and the cubic ones.

    `ahead` (m, ·) are combinations with contacts that order 3 does not separate.
    """
    m, d = len(frame.index), kernel.shape[1]
    none = np.zeros((m, 0))
    U, loose = np.hstack([order3.straight, ahead]), np.hstack([order3.loose, ahead])
    if U.shape[1] == 0 and order3.quadratic.shape[1] == 0:
        return (), none, none, none, none
    expansion = _Expansion.at(frame, base, kernel)
    conditions = [(2, w, np.zeros(m), np.zeros((m, d))) for w in order3.quadratic.T]
    beyond = [*expansion.without_b(loose, tolerance)[1].T]
    for w in expansion.without_b(U, tolerance)[0].T:
        alpha, change = expansion.eliminating(w)
        if expansion.is_cubic(w, alpha, change, tolerance):
            beyond.append(w)
        else:
            conditions.append((3, w, alpha, change))
    found = [expansion.quadric(*condition) for condition in conditions]
    vectors = np.array([scaled for _, scaled in found]).reshape(len(found), d * d + d + 1)
    basis, null = circuits(vectors, tolerance)
    table, alphas = (np.array([c[i] for c in conditions]).reshape(len(conditions), m).T for i in (1, 2))
    cubic = np.array(beyond).reshape(len(beyond), m).T
    return tuple(found[k][0] for k in basis), table[:, basis], alphas[:, basis], table @ null, cubic


def _cleaned(
    S: Array, g: Array, c: float, sizes: tuple[float, float, float], tolerance: float
) -> tuple[Array, Array, float]:
    """Return yᵀS y + 2gᵀy + c without what is as small as rounding: eigenvalues of S, and what is left of g and c.

    g is compared along the directions that S leaves free, c after the square is completed in the others: a double plane
    (n·y − h)² = 0 stays one in coordinates in which its coefficients have roundings.
    """
    bend, slope, height = sizes
    if S.size == 0:
        return S, g, c if abs(c) > tolerance * height else 0.0
    values, Q = np.linalg.eigh((S + S.T) / 2)
    values = np.where(np.abs(values) > tolerance * bend, values, 0.0)
    bent = values != 0.0
    along = Q.T @ g
    along[~bent] = np.where(np.linalg.norm(along[~bent]) > tolerance * slope / 2, along[~bent], 0.0)
    if not np.any(bent) or np.linalg.norm(along[bent]) <= tolerance * slope / 2:
        along[bent] = 0.0
    middle = float(np.sum(along[bent] ** 2 / values[bent]))
    if abs(c - middle) <= tolerance * max(height, float(np.sum(along[bent] ** 2 / np.abs(values[bent])))):
        c = middle
    return (Q * values) @ Q.T, Q @ along, c
