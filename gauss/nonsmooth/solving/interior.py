"""An interior-point method for the contact problem, with friction as it is.

Coulomb's law in the plane is three complementary pairs for each contact: with the slip u_t = σ₊ − σ₋,

    0 ≤ p ⟂ u_n ≥ 0,    0 ≤ σ₊ ⟂ μ p + t ≥ 0,    0 ≤ σ₋ ⟂ μ p − t ≥ 0.

In space it is u_t = −λ t/(μ p) with 0 ≤ λ ⟂ μ p (1 − |t|²/(μ p)²)/2 ≥ 0. All products are driven to zero together by
Newton's method with Mehrotra's predictor and corrector (SIAM J. Optim. 2, 1992); each linear system has the pattern of
W. Without friction this is the dual of min ½|v − v_free|²_M subject to the rates of the gaps, a convex program, which
always succeeds. With friction the path may turn back; then the steps get short and the method ends.

From a point inside all cones the contacts that depend on one another press in the middle of what is possible, so that
the modes read off it are right and one step of Newton's method on them gives the solution to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array, Indices
from gauss.foundation.tolerances import ACCEPTED
from gauss.nonsmooth.solving.newton import newton
from gauss.nonsmooth.solving.program import Program

LIMIT = 60  # steps
SHORT, STALLED = 0.2, 4  # steps shorter than this in a row that end the iteration
BACK = 0.99  # share of the way to the border
POLISHED = 1e-6  # mean product, relative, from which modes are tried
LEAST = 1e-16  # … and at which the iteration ends: rates of 1e-8
TRIED = 3  # systems of Newton's method for each trial
INEXACT = 1e-8  # error of a direction, relative


@dataclass(frozen=True)
class _Point:
    """Impulses and rates inside their cones, or a change of them; r of the k contacts have friction."""

    p: Array  # (k,)
    y: Array  # (k,) u_n
    t: Array  # (r, d)
    s: Array  # (2, r) σ₊ and σ₋ in the plane, (1, r) λ in space
    g: Array  # like s: what these are complementary to

    def moved(self, by: _Point, share: float, gaps: Array) -> _Point:
        """Return the point after a share of a change; `gaps` are the new g."""
        return _Point(self.p + share * by.p, self.y + share * by.y, self.t + share * by.t, self.s + share * by.s, gaps)

    def product(self, weight: float) -> float:
        """Return the mean of the products."""
        pairs = len(self.p) + weight * self.s.size
        return float(self.p @ self.y + weight * np.sum(self.s * self.g)) / max(pairs, 1.0)


class _Plane:
    """Friction in the plane: g = μ p ± t, slip σ₊ − σ₋."""

    weight = 1.0  # of each product

    def __init__(self, mu: Array, p: Array, t: Array):
        self.mu, self.along = mu, t[:, 0]
        self.gaps = np.array([mu * p + self.along, mu * p - self.along])

    def slip(self, s: Array) -> Array:
        """Return what u_t must be (r, d)."""
        return np.asarray((s[0] - s[1])[:, None])

    def spread(self, c: Array) -> Array:
        """Return the part of the slip (r, d) that c = Δs g + s Δg brings about."""
        return np.asarray((c[0] / self.gaps[0] - c[1] / self.gaps[1])[:, None])

    def blocks(self, s: Array) -> tuple[Array, Array]:
        """Return −∂slip/∂t (r, d, d) and −∂slip/∂p (r, d)."""
        share = s / self.gaps
        return (share[0] + share[1])[:, None, None], (self.mu * (share[0] - share[1]))[:, None]

    def change(self, dp: Array, dt: Array) -> Array:
        """Return the change of the gaps to first order."""
        return np.array([self.mu * dp + dt[:, 0], self.mu * dp - dt[:, 0]])

    def room(self, p: Array, t: Array, dp: Array, dt: Array) -> float:
        """Return the share of a change that leads to the border of the cones, at most 1."""
        return _room(self.gaps, self.change(dp, dt))


class _Space:
    """Friction in space, ρ = t/(μ p): g = μ p (1 − |ρ|²)/2, slip −λ ρ."""

    weight = 2.0  # of each product: one stands for two

    def __init__(self, mu: Array, p: Array, t: Array):
        self.mu, self.radius = mu, mu * p
        self.rho = t / self.radius[:, None]
        self.square = np.sum(self.rho**2, axis=1)
        self.gaps = (0.5 * self.radius * (1.0 - self.square))[None]

    def slip(self, s: Array) -> Array:
        """Return what u_t must be (r, d)."""
        return np.asarray(-s[0][:, None] * self.rho)

    def spread(self, c: Array) -> Array:
        """Return the part of the slip (r, d) that c = Δs g + s Δg brings about."""
        return np.asarray(-self.rho * (c[0] / self.gaps[0])[:, None])

    def blocks(self, s: Array) -> tuple[Array, Array]:
        """Return −∂slip/∂t (r, d, d) and −∂slip/∂p (r, d)."""
        first, second = s[0] / self.radius, s[0] / self.gaps[0]
        outer = self.rho[:, :, None] * self.rho[:, None, :]
        on_p = -(first + 0.5 * second * (1.0 + self.square)) * self.mu
        on_t = first[:, None, None] * np.eye(self.rho.shape[1]) + second[:, None, None] * outer
        return on_t, on_p[:, None] * self.rho

    def change(self, dp: Array, dt: Array) -> Array:
        """Return the change of the gaps to first order."""
        return np.asarray(0.5 * self.mu * (1.0 + self.square) * dp - np.sum(self.rho * dt, axis=1))[None]

    def room(self, p: Array, t: Array, dp: Array, dt: Array) -> float:
        """Return the share of a change that leads to the border of the cones, at most 1."""
        a = (self.mu * dp) ** 2 - np.sum(dt**2, axis=1)
        b = self.mu**2 * p * dp - np.sum(t * dt, axis=1)
        c = self.radius**2 * (1.0 - self.square)  # a α² + 2 b α + c reaches zero first at c/(√(b² − a c) − b)
        root = np.sqrt(np.maximum(b**2 - a * c, 0.0)) - b
        return min(1.0, 1.0 / max(float(np.max(root / c, initial=0.0)), 1e-300), _room(p, dp))


def _room(z: Array, dz: Array) -> float:
    """Return the share of a change dz that brings the first of z > 0 to zero, at most 1."""
    return 1.0 / max(1.0, float(np.max(-dz / z, initial=0.0)))


def interior(program: Program, x: Array | None = None, apart: float = 1.0) -> tuple[Array, float, int]:
    """Return the best impulses found, inside the cones, their residual, and the number of linear systems solved.

    It starts in the middle of the cones, or near the impulses x (k (1 + d),), at `apart` (relative) from the borders.
    """
    rough = np.flatnonzero(program.friction > 0.0) if program.tangents else np.zeros(0, dtype=int)
    law = _Space if program.tangents == 2 else _Plane
    strong = program.scale / float(np.median(program.diagonal[0]))  # an impulse that changes a rate by the scale
    now = _start(program, rough, strong, x, apart)
    best, error, systems = np.zeros_like(program.c), np.inf, 0
    short, trial = 0, min(POLISHED, 0.1 * apart**2)
    for _ in range(LIMIT):
        here = law(program.friction[rough], now.p[rough], now.t)
        now = _Point(now.p, now.y, now.t, now.s, here.gaps)
        left = now.product(law.weight) / (program.scale * strong)
        if left <= trial or short >= STALLED:
            found, residual, more = newton(program, _impulses(program, rough, now.p, now.t), TRIED)
            systems += more
            if residual < error:
                best, error = found, residual
            if error <= ACCEPTED or short >= STALLED or left <= LEAST:
                break
            trial = 0.1 * left
        change, share = _direction(program, rough, here, now)
        systems += 1
        if change is None:
            break
        now = now.moved(change, share, now.g)
        short = short + 1 if share < SHORT else 0
    return best, error, systems


def _start(program: Program, rough: Indices, strong: float, x: Array | None, apart: float) -> _Point:
    """Return a point inside all cones: in their middle, or near the impulses x."""
    k, scale, pairs = program.count, program.scale, 1 if program.tangents == 2 else 2
    if x is None:
        t = np.zeros((len(rough), max(program.tangents, 1)))
        return _Point(np.full(k, strong), np.full(k, scale), t, np.full((pairs, len(rough)), scale), np.zeros(0))
    x = program.inside(x)
    p, t = program.split(x)
    un, ut = program.split(program.rates(x))
    if not program.tangents:
        t = ut = np.zeros((k, 1))
    s = np.linalg.norm(ut[rough], axis=1)[None] if pairs == 1 else np.maximum([ut[rough, 0], -ut[rough, 0]], 0.0)
    return _Point(p + apart * strong, np.maximum(un, 0.0) + apart * scale, t[rough], s + apart * scale, np.zeros(0))


def _impulses(program: Program, rough: Indices, p: Array, t: Array) -> Array:
    """Return x (k (1 + d),) of normal impulses and of the friction of contacts that have some."""
    full = np.zeros((program.count, program.tangents))
    if program.tangents:
        full[rough] = t
    return np.concatenate([p, full.ravel()])


def _direction(program: Program, rough: Indices, here: _Plane | _Space, now: _Point) -> tuple[_Point | None, float]:
    """Return the change of a point by predictor and corrector, and the share of it that stays inside."""
    x = _impulses(program, rough, now.p, now.t)
    un, ut = program.split(program.rates(x))
    off_n, off_t = un - now.y, ut[rough] - here.slip(now.s) if program.tangents else np.zeros_like(now.t)
    try:
        solve = _system(program, rough, here, now)
    except RuntimeError:
        return None, 0.0

    def change(cn: Array, cs: Array) -> tuple[_Point, float]:
        right = _impulses(program, rough, cn / now.p - off_n, here.spread(cs) - off_t)
        p, t = program.split(solve(right))
        dt = t[rough] if program.tangents else np.zeros_like(now.t)
        dg = here.change(p[rough], dt)
        by = _Point(p, (cn - now.y * p) / now.p, dt, (cs - now.s * dg) / now.g, dg)
        room = min(_room(now.p, by.p), _room(now.y, by.y), _room(now.s, by.s))
        return by, min(room, here.room(now.p[rough], now.t, p[rough], dt))

    mean, weight = now.product(here.weight), here.weight
    first, share = change(-now.y * now.p, -now.s * now.g)
    reached = now.moved(first, share, now.g + share * first.g).product(weight)
    aim = min(max(reached / mean, 0.0) ** 3, 1.0) * mean
    by, room = change(aim - now.y * now.p - share * first.p * first.y, aim - now.s * now.g - share * first.s * first.g)
    if BACK * room < 0.5 * SHORT:
        by, room = change(0.5 * mean - now.y * now.p, 0.5 * mean - now.s * now.g)
    return by, BACK * room


def _system(program: Program, rough: Indices, here: _Plane | _Space, now: _Point) -> Callable[[Array], Array]:
    """Return what solves the linear equations for the changes of the impulses. Raises RuntimeError."""
    k, d = program.count, program.tangents
    B = np.zeros((k, 1 + d, 1 + d))
    B[:, 0, 0] = now.y / now.p
    if not d:
        return program.blocks.system(B, None, INEXACT)
    B[rough, 1:, 1:], B[rough, 1:, 0] = here.blocks(now.s)
    if len(rough) == k:
        return program.blocks.system(B, None, INEXACT)
    smooth = np.setdiff1d(np.arange(k), rough)
    B[smooth, 1:, 1:] = np.eye(d)
    S = np.tile(np.eye(1 + d), (k, 1, 1))
    S[smooth, 1:, 1:] = 0.0
    return program.blocks.system(B, S, INEXACT)
