"""One quadric: every stationary point of ½|y − y0|² on yᵀS y + 2 gᵀy + c = 0, the hard case included.

Stationarity is (I − μS) y = y0 + μg. With h = S y0 + g, ν = 1/μ and the eigenvalues σ_i of S the displacement is
d_i = h_i/(ν − σ_i) in the eigenbasis, and the quadric becomes the secular equation

    F(ν) = q(y0) + Σ h_i² (2ν − σ_i)/(ν − σ_i)² = 0,

all of whose real roots are found (`gauss.numerics.quadrics.roots`); a root is kept as σ_j + δ, so that points stay
exact when y0 is almost orthogonal to an eigenspace. If it is orthogonal (*hard case*) ν = σ_j itself may belong to
points: two if the eigenspace has dimension 1, a sphere of them otherwise. About the centre of a cone the equation is Σ
σ_i w_i²/(ν − σ_i)² = 0 with w = y0 − centre, which has no rounding at the vertex.

The kind needs no tolerance: the Hessian I − μS on the tangent space has as many negative directions as there are
σ_i with 1 − μσ_i < 0, less one if F′(ν) > 0 (the sign of dF/dμ = 2hᵀ(I − μS)⁻¹h at the point).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from gauss.foundation.arrays import Array, Indices
from gauss.numerics.quadrics.roots import EPS, PoleSum, Root, roots
from gauss.numerics.quadrics.types import LOCAL, MAXIMUM, SADDLE, UNDECIDED, Quadric

REACH = 2.0  # roots with |ν| above this many times max|σ| are sought in μ, where the equation is monotone
FLAT = 1e-7  # F′ relative to its terms below which rounding leaves open on which side of zero it is
EDGE = 1e-12  # distance of ν from an eigenvalue of the hard case, relative to max|σ|, that rounding hides


@dataclass(frozen=True)
class Foot:
    """A stationary point y with its multiplier; `kind` as for `StationaryPoint`."""

    y: Array  # (d,)
    value: float
    kind: str
    multiplier: float


@dataclass(frozen=True)
class Sphere:
    """Stationary points centre + radius · (unit vectors in the span of basis), all with the same multiplier."""

    centre: Array  # (d,)
    basis: Array  # (d, m)
    radius: float
    value: float
    kind: str
    multiplier: float


@dataclass(frozen=True)
class OneQuadric:
    """All stationary points on one quadric, and the point of its vertex that is nearest to the target."""

    feet: tuple[Foot, ...]
    spheres: tuple[Sphere, ...]
    vertex: Array | None  # (d,) None where the gradient vanishes nowhere on the quadric


@dataclass(frozen=True)
class _Eigen:
    """The quadric in its eigenbasis, eigenvalues equal within the tolerance made equal."""

    y0: Array
    V: Array  # (d, d)
    sigma: Array  # (d,) increasing, equal within a group
    groups: tuple[Indices, ...]
    a: Array  # (d,) target
    h: Array  # (d,) half the gradient at the target; exactly 0 in groups of the hard case
    q0: float  # value at the target
    centre: Array | None  # (d,) where the quadric is a cone: its vertex nearest to the target
    length: float

    @property
    def top(self) -> float:
        """Largest |σ|."""
        return float(np.max(np.abs(self.sigma)))

    @property
    def w(self) -> Array:
        """Target less centre (d,), zero along the kernel of S."""
        return np.where(self.sigma != 0.0, self.h / np.where(self.sigma != 0.0, self.sigma, 1.0), 0.0)


def solve_one(q: Quadric, y0: Array, length: float, tolerance: float) -> OneQuadric:
    """Return all stationary points of ½|y − y0|² on a quadric with S ≠ 0 that is neither semidefinite nor a product.

    Eigenvalues that differ by less than tolerance · max|σ| count as equal; a quadric whose value at its centre is below
    tolerance · max|σ| · length² counts as a cone. Complete: the equation is subdivided, not sampled.
    """
    e = _eigen(q, y0, length, tolerance)
    feet = [foot for root in _large(e) + _roots(e) if (foot := _foot(e, root)) is not None]
    spheres: list[Sphere] = []
    for group in e.groups:
        if e.sigma[group[0]] != 0.0 and not np.any(e.h[group]):
            points, sphere = _hard(e, group)
            feet += points
            spheres += [] if sphere is None else [sphere]
    vertex = None if e.centre is None else e.V @ e.centre
    return OneQuadric(tuple(feet), tuple(spheres), vertex)


def _eigen(q: Quadric, y0: Array, length: float, tolerance: float) -> _Eigen:
    """Diagonalise, group equal eigenvalues, find the centre of a cone, and set the components of the hard case to 0."""
    sigma, V = np.linalg.eigh(q.S)
    top = float(np.max(np.abs(sigma)))
    sigma[np.abs(sigma) <= tolerance * top] = 0.0
    groups = np.split(np.arange(sigma.size), np.flatnonzero(np.diff(sigma) > tolerance * top) + 1)
    for group in groups:
        sigma[group] = float(np.mean(sigma[group])) if np.all(sigma[group]) else 0.0
    a, b = V.T @ y0, V.T @ q.g
    h = sigma * a + b
    curved = sigma != 0.0
    p = np.where(curved, -b / np.where(curved, sigma, 1.0), a)
    size = max(length, float(np.linalg.norm(p)))
    level = q.c + float(np.sum((b * p)[curved]))
    straight = float(np.linalg.norm(b[~curved]))
    cone = abs(level) <= tolerance * top * size**2 and straight <= tolerance * top * size
    if cone:
        h[~curved] = 0.0
    for group in groups:
        limit = 1e-40 if group.size == 1 else tolerance
        if np.linalg.norm(h[group]) <= limit * abs(sigma[group[0]]) * length:
            h[group] = 0.0
    return _Eigen(y0, V, sigma, tuple(groups), a, h, q.value(y0), p if cone else None, length)


def _large(e: _Eigen) -> list[Root]:
    """Return the root with |μ| < 1/(1.9 max|σ|), if any, as ν = 0 + 1/μ; the equation increases with μ there."""
    end = 1.0 / (0.95 * REACH * e.top)
    h2 = e.h**2

    def phi(mu: float) -> float:
        return e.q0 + float(np.sum(h2 * mu * (2.0 - mu * e.sigma) / (1.0 - mu * e.sigma) ** 2))

    if (phi(-end) < 0.0) == (phi(end) < 0.0) or not np.any(e.h):
        return []
    mu = 0.0 if phi(0.0) == 0.0 else float(brentq(phi, -end, end, xtol=1e-300, rtol=4.0 * EPS))
    return [Root(np.inf if mu == 0.0 else 1.0 / mu, 0.0, False)]


def _sum(e: _Eigen) -> PoleSum:
    """Return F, one pole for each group in which the target has a component."""
    size = np.array([float(np.sum((e.h if e.centre is None else e.w)[group] ** 2)) for group in e.groups])
    sigma = np.array([e.sigma[group[0]] for group in e.groups])
    size, sigma = size[size > 0.0], sigma[size > 0.0]
    one, two = np.ones(sigma.size), np.full(sigma.size, 2.0)
    if e.centre is not None:
        return PoleSum(0.0, sigma * size, sigma, two)
    coefficients = np.concatenate([2.0 * size, sigma * size])
    return PoleSum(e.q0, coefficients, np.concatenate([sigma, sigma]), np.concatenate([one, two]))


def _roots(e: _Eigen) -> list[Root]:
    """Return the roots with |ν| ≤ 2 max|σ|, without those that `_large` has found, and marked where F′ is too small."""
    F = _sum(e)
    slope = F.derivative()
    result = []
    seen = [root.x for root in _large(e)]
    for root in roots(F, REACH * e.top):
        if any(abs(root.x - x) <= 1e-9 * e.top for x in seen):
            continue
        value, size = slope.at(root.anchor, root.delta)
        result.append(Root(root.anchor, root.delta, root.multiple or abs(value) <= FLAT * size))
    return result


def _foot(e: _Eigen, root: Root) -> Foot | None:
    """Return the point of a root, or None where it is the vertex."""
    difference = (root.anchor - e.sigma) + root.delta
    apart = np.where(difference == 0.0, 1.0, difference)  # a root at the eigenvalue of a hard case: h = 0 there
    d = e.h / apart
    if e.centre is not None and np.isfinite(root.x):
        step = root.x * e.w / apart
        if np.linalg.norm(step) <= 100.0 * EPS * e.length:
            return None
        y = e.V @ (e.centre + step)
    else:
        y = e.y0 + e.V @ d
    mu = float(1.0 / root.x)
    negative = int(np.sum(difference / root.x < 0.0)) if np.isfinite(root.x) else 0
    increasing = abs(root.x) > REACH * e.top or _sum(e).derivative().at(root.anchor, root.delta)[0] < 0.0
    # At ν = σ_j of the hard case two more points come out of this one: its Hessian vanishes in that direction.
    on_edge = bool(np.any((e.h == 0.0) & (e.sigma != 0.0) & (np.abs(difference) <= EDGE * e.top)))
    kind = UNDECIDED if root.multiple or on_edge else kind_of(negative - int(not increasing), e.sigma.size - 1)
    return Foot(y, 0.5 * float(d @ d), kind, mu)


def _hard(e: _Eigen, group: Indices) -> tuple[list[Foot], Sphere | None]:
    """Return the points with ν = σ_j: what the others leave of the quadric is |t|² = radius² in the eigenspace."""
    nu = float(e.sigma[group[0]])
    others = np.ones(e.sigma.size, dtype=bool)
    others[group] = False
    difference = nu - e.sigma[others]
    d = np.zeros(e.sigma.size)
    d[others] = e.h[others] / difference
    if e.centre is None:
        terms = np.append(e.h[others] ** 2 * (2.0 * nu - e.sigma[others]) / difference**2, e.q0)
        middle = e.y0 + e.V @ d
    else:
        terms = nu**2 * e.sigma[others] * e.w[others] ** 2 / difference**2
        step = np.zeros(e.sigma.size)
        step[others] = nu * e.w[others] / difference
        middle = e.V @ (e.centre + step)
    square = -float(np.sum(terms)) / nu
    if square <= 64.0 * EPS * float(np.sum(np.abs(terms))) / abs(nu):
        return [], None  # where the radius vanishes the point is that of an ordinary root at the same ν
    radius = float(np.sqrt(square))
    value = 0.5 * (float(d @ d) + square)
    kind = kind_of(int(np.sum(e.sigma[others] / nu > 1.0)), e.sigma.size - group.size)
    basis = e.V[:, group]
    if group.size > 1:
        return [], Sphere(middle, basis, radius, value, kind, 1.0 / nu)
    return [Foot(middle + s * radius * basis[:, 0], value, kind, 1.0 / nu) for s in (1.0, -1.0)], None


def kind_of(negative: int, dimension: int) -> str:
    """Return the kind of a nondegenerate stationary point by the index of its Hessian on a space of that dimension."""
    if negative == 0:
        return LOCAL
    return MAXIMUM if negative == dimension else SADDLE
