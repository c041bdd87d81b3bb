"""One quadric: every stationary point of ½|y − y0|² on yᵀS y + 2 gᵀy + c = 0, the hard case included.

Stationarity is (I − μS) y = y0 + μg. With h = S y0 + g, ν = 1/μ and the eigenvalues σ_i of S the displacement is
d_i = h_i/(ν − σ_i) in the eigenbasis, and the quadric becomes the secular equation

    F(ν) = q(y0) + Σ h_i² (2ν − σ_i)/(ν − σ_i)² = 0.

Its numerator is a polynomial, whose coefficients are exact here and all of whose roots python-flint encloses: none is
missed, and ν − σ_i is known to rounding when y0 is almost orthogonal to an eigenspace. Roots that rounding does not
separate (from about √eps on) are reported once and marked. If y0 is orthogonal to an eigenspace (*hard case*) ν = σ_j
itself may belong to points: two if the eigenspace has dimension 1, a sphere of them otherwise. About the centre of a
cone the equation is Σ σ_i w_i²/(ν − σ_i)² = 0 with w = y0 − centre, which has no rounding at the vertex.

The kind needs no tolerance: the Hessian I − μS on the tangent space has as many negative directions as there are
σ_i with 1 − μσ_i < 0, less one if dF/dμ = 2hᵀ(I − μS)⁻³h is negative.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from flint import fmpq, fmpq_poly

from gauss.foundation.arrays import Array, Flags, Indices
from gauss.foundation.threads import precise
from gauss.foundation.zero import CLEAR, UNIT
from gauss.numerics.quadrics.types import (
    FIT,
    NEARLY,
    ROUND,
    UNDECIDED,
    VERTEX,
    Quadric,
    Stationary,
    StationaryPart,
    kind_of,
    minimal,
    point,
)

SECULAR = "on one quadric all real roots of the secular equation are enclosed"
FAINTEST = 1e-40  # below it a component of h is zero; further roots are lost among the poles


@dataclass(frozen=True)
class _Eigen:
    """The quadric in its eigenbasis, eigenvalues equal within the tolerance made equal."""

    y0: Array
    V: Array  # (d, d)
    sigma: Array  # (d,) increasing, equal within a group
    groups: tuple[Indices, ...]
    h: Array  # (d,) half the gradient at the target; exactly 0 in groups of the hard case
    q0: float  # value at the target
    centre: Array | None  # (d,) where the quadric is a cone: its vertex nearest to the target

    @property
    def top(self) -> float:
        """Largest |σ|."""
        return float(np.max(np.abs(self.sigma)))

    @property
    def w(self) -> Array:
        """Target less centre (d,), zero along the kernel of S."""
        return np.where(self.sigma != 0.0, self.h / np.where(self.sigma != 0.0, self.sigma, 1.0), 0.0)

    def terms(self, difference: Array) -> Array:
        """Return the terms of F at ν by ν − σ (d,), those without h left out; of a cone F without its factor ν²."""
        on = self.h != 0.0
        D, sigma = difference[on], self.sigma[on]
        if self.centre is not None:
            return np.asarray(sigma * (self.w[on] / D) ** 2)
        return np.concatenate([[self.q0], 2.0 * self.h[on] ** 2 / D, sigma * (self.h[on] / D) ** 2])


def on_one(q: Quadric, y0: Array, tolerance: float) -> StationaryPart:
    """Return all stationary points of ½|y − y0|² on a quadric with S ≠ 0 that is neither semidefinite nor a product.

    Eigenvalues that differ by less than tolerance · max|σ| count as equal; a quadric whose value at its centre is below
    tolerance · max|σ| counts as a cone, whose vertex nearest to the target is listed too.
    """
    e = _eigen(q, y0, tolerance)
    feet = [_foot(e, nu, difference, multiple) for nu, difference, multiple in _roots(e)]
    found = [p for p in feet if p is not None]
    for group in e.groups:
        if e.sigma[group[0]] != 0.0 and not np.any(e.h[group]):
            found += _hard(e, group)
    if e.centre is not None:  # the cone spans the space: its vertex is a minimum only for a target in it
        vertex = point(e.V @ e.centre, y0, VERTEX)
        least = bool(np.sqrt(2.0 * vertex.value) <= tolerance)
        found.append(replace(vertex, least=least, foot=None in feet))
    return StationaryPart((), tuple(found), True, (SECULAR,))


def _eigen(q: Quadric, y0: Array, tolerance: float) -> _Eigen:
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
    size = max(1.0, float(np.linalg.norm(p)))
    level = q.c + float(np.sum((b * p)[curved]))
    straight = float(np.linalg.norm(b[~curved]))
    cone = abs(level) <= tolerance * top * size**2 and straight <= tolerance * top * size
    if cone:
        h[~curved] = 0.0
    for group in groups:
        limit = FAINTEST if group.size == 1 else tolerance
        if np.linalg.norm(h[group]) <= limit * abs(sigma[group[0]]):
            h[group] = 0.0
    return _Eigen(y0, V, sigma, tuple(groups), h, q.value(y0), p if cone else None)


def _exact(x: float) -> fmpq:
    return fmpq(*float(x).as_integer_ratio())


def _roots(e: _Eigen) -> list[tuple[float, Array, bool]]:
    """Return the real roots ν with ν − σ (d,), increasing, and whether rounding leaves open that they are multiple."""
    groups = [group for group in e.groups if np.any(e.h[group])]
    if not groups:
        return []
    factors, numerators = [], []
    for group in groups:
        sigma = _exact(e.sigma[group[0]])
        if e.centre is not None:
            numerators.append(fmpq_poly([sigma * sum(_exact(x) ** 2 for x in e.w[group])]))
        else:
            size = sum(_exact(x) ** 2 for x in e.h[group])
            numerators.append(fmpq_poly([-sigma * size, 2 * size] if sigma != 0 else [2 * size]))
        factors.append(fmpq_poly([-sigma, 1]) ** (2 if sigma != 0 else 1))
    whole = fmpq_poly([1])
    for factor in factors:
        whole *= factor
    level = fmpq(0) if e.centre is not None else _exact(e.q0)
    F = sum((n * (whole // f) for n, f in zip(numerators, factors)), whole * level)
    found = []
    with precise():
        for root, count in F.complex_roots() if F.degree() > 0 else []:
            nu = root.real
            difference = np.array([float((nu - _exact(s)).mid()) for s in e.sigma])
            imaginary, least = abs(float(root.imag.mid())), float(np.min(np.abs(difference[e.h != 0.0])))
            if root.imag == 0 or (0.0 < imaginary <= NEARLY * least and _vanishes(e, difference)):
                found.append((float(nu.mid()), difference, count > 1 or root.imag != 0))
    if whole.degree() - (2 if e.centre is not None else 0) > F.degree():  # the target is on the quadric
        found.append((np.inf, np.full(e.sigma.size, np.inf), False))
    result: list[tuple[float, Array, bool]] = []
    for nu, difference, multiple in sorted(found, key=lambda x: x[0]):
        if result and np.isfinite(nu):
            last = result[-1][1]
            k = int(np.argmin(np.where(e.h != 0.0, np.abs(difference), np.inf)))  # the pole that is nearest
            close = abs(difference[k] - last[k]) <= NEARLY * abs(difference[k])
            if close and _vanishes(e, (difference + last) / 2.0):
                result[-1] = (result[-1][0], last, True)
                continue
        result.append((nu, difference, multiple))
    return result


def _vanishes(e: _Eigen, difference: Array) -> bool:
    """Return whether F is zero to rounding."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        terms = e.terms(difference)
        return bool(abs(np.sum(terms)) <= CLEAR / 2.0 * UNIT * np.sum(np.abs(terms)))


def _foot(e: _Eigen, nu: float, difference: Array, multiple: bool) -> Stationary | None:
    """Return the point of a root, or None where it is the vertex."""
    apart = np.where(difference == 0.0, 1.0, difference)  # a root at the eigenvalue of a hard case: h = 0 there
    d, on = e.h / apart, e.h != 0.0
    y = e.y0 + e.V @ d
    scaled, slope = np.ones(d.size), np.ones(1)
    if np.isfinite(nu) and e.centre is not None:
        step = nu * e.w / apart
        if np.linalg.norm(step) <= CLEAR * UNIT:
            return None
        y = e.V @ (e.centre + step)
        scaled, slope = difference / nu, e.sigma[on] * e.w[on] ** 2 / difference[on] ** 3
    elif np.isfinite(nu):
        scaled = difference / nu
        slope = e.h[on] ** 2 / scaled[on] ** 3
    flat = abs(float(np.sum(slope))) <= FIT * float(np.sum(np.abs(slope)))
    # At ν = σ_j of the hard case two more points come out of this one: its Hessian vanishes in that direction.
    on_edge = bool(np.any((e.h == 0.0) & (e.sigma != 0.0) & (np.abs(difference) <= ROUND * e.top)))
    negative = int(np.sum(scaled < 0.0)) - int(np.sum(slope) < 0.0)
    kind = UNDECIDED if multiple or flat or on_edge else kind_of(negative, e.sigma.size - 1)
    return Stationary(y, 0.5 * float(d @ d), kind, minimal(kind))


def _hard(e: _Eigen, group: Indices) -> list[Stationary]:
    """Return the points with ν = σ_j: what the others leave of the quadric is |t|² = radius² in the eigenspace."""
    nu = float(e.sigma[group[0]])
    others: Flags = np.ones(e.sigma.size, dtype=bool)
    others[group] = False
    difference, d, step = nu - e.sigma[others], np.zeros(e.sigma.size), np.zeros(e.sigma.size)
    d[others], step[others] = e.h[others] / difference, nu * e.w[others] / difference
    terms = e.terms(nu - e.sigma) * (1.0 if e.centre is None else nu**2)
    middle = e.y0 + e.V @ d if e.centre is None else e.V @ (e.centre + step)
    square = -float(np.sum(terms)) / nu
    if square <= CLEAR * UNIT * float(np.sum(np.abs(terms))) / abs(nu):
        return []  # where the radius vanishes the point is that of an ordinary root at the same ν
    radius = float(np.sqrt(square))
    value = 0.5 * (float(d @ d) + square)
    kind = kind_of(int(np.sum(e.sigma[others] / nu > 1.0)), e.sigma.size - group.size)
    found = Stationary(middle, value, kind, minimal(kind), (e.V[:, group],), (radius,))
    if group.size > 1:
        return [found]
    return [replace(found, centre=y, bases=(), radii=()) for y in found.axes()]
