"""An interior-point method for the contact problem, with friction as it is.

Coulomb's law in the plane is three complementary pairs for each contact: with the slip u_t = σ₊ − σ₋,

    0 ≤ p ⟂ u_n ≥ 0,    0 ≤ σ₊ ⟂ μ p + t ≥ 0,    0 ≤ σ₋ ⟂ μ p − t ≥ 0.

In space it is u_t = −λ t/(μ p) with 0 ≤ λ ⟂ μ p (1 − |t|²/(μ p)²)/2 ≥ 0. All products are driven to zero together by
Newton's method with Mehrotra's predictor and corrector (SIAM J. Optim. 2, 1992); each linear system has the pattern of
W. Without friction this is the dual of min ½|v − v_free|²_M subject to the rates of the gaps, a convex program, which
always succeeds. With friction the path may turn back; then steps get short, as a few contacts that lie together come to
their borders. Impulses of these are kept near where they are: κ W_ii is added to their part of W, but not to what the
equations still lack. Newton's step is then that of a proximal point whose centre moves along with the iterates, as S.
Pougkakiotis and J. Gondzio have it for convex programs (Comput. Optim. Appl. 78, 2021), here with a κ for each contact:
it rises where a contact would stop the step early, and falls where it would not. So a fold is passed where it is, while
all other contacts go on as without it. A small κ for all of them keeps the equations regular to the end, where contacts
that depend on one another make them singular (M. P. Friedlander and D. Orban, Math. Program. Comput. 4, 2012).

From a point inside all cones the contacts that depend on one another press in the middle of what is possible, so that
the modes read off it are right and one step of Newton's method on them gives the solution to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import ACCEPTED
from gauss.nonsmooth.solving.newton import newton
from gauss.nonsmooth.solving.program import EPS, Program

LIMIT = 60  # linear systems: some steps of a heap that settles take as many, and few of those that take more end
SHORT, LONG = 0.2, 0.7  # share of a step at which a contact is kept more, and beyond which less
BEGIN, MOST, RISE, FALL = 1e-5, 1.0, 10.0, 0.3  # κ of a contact at first and at most; its rise and its fall
FLOOR = 1e-10  # κ of all contacts: with 1e-9 steps get short at the end, with 1e-12 solutions are not precise there
BACK = 0.995  # share of the way to the border
POLISHED = 1e-9  # mean product, relative, from which modes are tried
AGAIN = 0.03  # share of that mean product at which they are tried again
LEAST = 1e-22  # mean product at which the iteration ends: rates of 1e-11
TRIED, HOPELESS = 3, 1e-2  # systems of Newton's method for each trial; residual after the first that ends it
INEXACT, EXACT, CLOSE = 1e-8, 1e-12, 1e-11  # error of a direction, relative, and that below a mean product
CUBIC = 5  # steps of Newton's method for the share of the friction that a start has
BORDER = 1e-12  # distance of that share from one


class _Point(NamedTuple):
    """Impulses and rates inside their cones, or a change of them; r of the k contacts have friction."""

    z: Array  # (n,) p (k,), then what the slips are complementary to
    w: Array  # (n,) u_n (k,), then σ₊ and σ₋ (r,) in the plane, λ (r,) in space
    t: Array  # (r, d)

    def moved(self, by: _Point, share: float) -> _Point:
        """Return the point after a share of a change."""
        return _Point(self.z + share * by.z, self.w + share * by.w, self.t + share * by.t)


@dataclass(frozen=True)
class _Law:
    """Which contacts have friction, and the law of these."""

    count: int  # k
    rough: Any  # (r,) contacts with friction, or a slice of all
    mu: Array  # (r,)
    tangents: int
    kind: type[_Plane | _Space]

    @staticmethod
    def of(program: Program) -> _Law:
        """Return that of a problem."""
        k, d = program.count, program.tangents
        rough: Any = np.flatnonzero(program.friction > 0.0) if d else np.zeros(0, dtype=int)
        rough = slice(None) if d and len(rough) == k else rough
        return _Law(k, rough, program.friction[rough], d, _Space if d == 2 else _Plane)

    def at(self, now: _Point) -> tuple[_Plane | _Space, _Point]:
        """Return the law at a point, and that point with what follows from its p and t."""
        here = self.kind(self.mu, now.z[: self.count][self.rough], now.t)
        return here, _Point(np.concatenate([now.z[: self.count], here.gaps.ravel()]), now.w, now.t)

    def slips(self, pairs: Array) -> Array:
        """Return those of n values (n,) that belong to slips (2, r) or (1, r)."""
        return pairs[self.count :].reshape(-1, len(self.mu)) if len(self.mu) else np.zeros((2, 0))

    def mean(self, now: _Point) -> float:
        """Return the mean of the products; in space one with a slip stands for two."""
        both = float(now.z @ now.w)
        if self.kind is _Plane:
            return both / max(len(now.z), 1)
        k = self.count
        return (both + float(now.z[k:] @ now.w[k:])) / (2 * len(now.z) - k)

    def impulses(self, p: Array, t: Array) -> Array:
        """Return x (k (1 + d),) of normal impulses and of the friction of contacts that have some."""
        if isinstance(self.rough, slice):
            return np.concatenate([p, t.ravel()])
        full = np.zeros((self.count, self.tangents))
        if self.tangents:
            full[self.rough] = t
        return np.concatenate([p, full.ravel()])


class _Plane:
    """Friction in the plane: g = μ p ± t, slip σ₊ − σ₋."""

    def __init__(self, mu: Array, p: Array, t: Array):
        limit, along = mu * p, t[:, 0]
        self.mu, self.gaps = mu, np.empty((2, len(mu)))
        np.add(limit, along, out=self.gaps[0])
        np.subtract(limit, along, out=self.gaps[1])

    def slip(self, s: Array) -> Array:
        """Return what u_t must be (r, d)."""
        return np.asarray((s[0] - s[1])[:, None])

    def spread(self, c: Array) -> Array:
        """Return the part of the slip (r, d) that c = Δs g + s Δg brings about."""
        share = c / self.gaps
        return np.asarray((share[0] - share[1])[:, None])

    def blocks(self, s: Array) -> tuple[Array, Array]:
        """Return −∂slip/∂t (r, d, d) and −∂slip/∂p (r, d)."""
        share = s / self.gaps
        return (share[0] + share[1])[:, None, None], (self.mu * (share[0] - share[1]))[:, None]

    def change(self, dp: Array, dt: Array) -> Array:
        """Return the change of the gaps to first order."""
        limit, along = self.mu * dp, dt[:, 0]
        out = np.empty_like(self.gaps)
        np.add(limit, along, out=out[0])
        np.subtract(limit, along, out=out[1])
        return out


class _Space:
    """Friction in space, ρ = t/(μ p): g = μ p (1 − |ρ|²)/2, slip −λ ρ."""

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

    def lost(self, p: Array, t: Array, dp: Array, dt: Array) -> Array:
        """Return one over the shares (r,) of a change that lead to the borders of the round cones, or zero."""
        a = (self.mu * dp) ** 2 - np.sum(dt**2, axis=1)
        b = self.mu**2 * p * dp - np.sum(t * dt, axis=1)
        c = self.radius**2 * (1.0 - self.square)  # a α² + 2 b α + c reaches zero first at c/(√(b² − a c) − b)
        return np.asarray((np.sqrt(np.maximum(b**2 - a * c, 0.0)) - b) / c)


def _shares(law: _Law, here: _Plane | _Space, now: _Point, by: _Point) -> Array:
    """Return the shares (k,) of a change that bring each contact to its first border, at most 1."""
    k, rough = law.count, law.rough
    over_w = by.w / now.w
    over = np.minimum(by.z / now.z, over_w)
    gained = over[:k]  # the opposite of one over the shares
    if isinstance(here, _Space) and len(law.mu):
        round_cones = here.lost(now.z[:k][rough], now.t, by.z[:k][rough], by.t)
        gained[rough] = np.minimum(np.minimum(gained[rough], -round_cones), law.slips(over_w)[0])
    elif len(law.mu):
        slips = law.slips(over)
        gained[rough] = np.minimum(gained[rough], np.minimum(slips[0], slips[1]))
    return np.asarray(1.0 / np.maximum(-gained, 1.0))


def interior(program: Program, x: Array | None = None, product: float = 1.0) -> tuple[Array, float, int]:
    """Return the best impulses found, inside the cones, their residual, and the number of linear systems solved.

    It starts in the middle of the cones, or beside the impulses x (k (1 + d),) with equal products (relative).
    """
    law = _Law.of(program)
    strong = _strong(program)
    now = _start(program, law, strong, x, product)
    best, error, systems = np.zeros_like(program.c), np.inf, 0
    trial, kept = min(POLISHED, 0.1 * product), np.zeros(law.count)
    at = best
    for _ in range(LIMIT):
        here, now = law.at(now)
        left, at = law.mean(now) / (program.scale * strong), law.impulses(now.z[: law.count], now.t)
        if left <= trial:
            best, error, more = _tried(program, at, best, error)
            systems += more
            if error <= ACCEPTED or left <= LEAST:
                break
            trial = AGAIN * left
        change, share = _direction(program, law, here, now, at, np.maximum(kept, FLOOR), left)
        systems += 1
        if change is None:
            break
        least = float(share.min())
        now = now.moved(change, BACK * least)
        if least < SHORT or kept.any():
            more_kept = np.clip(RISE * kept, BEGIN, MOST)
            less_kept = np.where(kept > BEGIN, FALL * kept, 0.0)
            kept = np.where(share < SHORT, more_kept, np.where(share > LONG, less_kept, kept))
    else:
        best, error, more = _tried(program, at, best, error)
        systems += more
    return best, error, systems


def _tried(program: Program, x: Array, best: Array, error: float) -> tuple[Array, float, int]:
    """Return the better of what Newton's method finds from x and the best so far, its residual, and the systems."""
    found, residual, systems = newton(program, x, TRIED, HOPELESS)
    return (found, residual, systems) if residual < error else (best, error, systems)


def _strong(program: Program) -> float:
    """Return an impulse that changes a rate by the scale."""
    return program.scale / float(np.median(program.diagonal[0]))


def _start(program: Program, law: _Law, strong: float, x: Array | None, product: float) -> _Point:
    """Return a point inside all cones: in their middle, or with equal products beside the impulses x.

    Of p − r u_n and t − r u_t at x, with r = 1/W_ii, it makes p and y, and t and the slip, whose differences these are.
    """
    k, r, scale = program.count, len(law.mu), program.scale
    slips = r if law.kind is _Space else 2 * r
    if x is None:
        t = np.zeros((r, max(program.tangents, 1)))
        return _Point(np.full(k, strong), np.full(k + slips, scale), t)
    product *= scale * strong
    (normal, tangent), (p, t), (un, ut) = program.diagonal, program.split(x), program.split(program.rates(x))
    push = p - un / normal
    more = np.sqrt(push**2 + 4.0 * product / normal) + np.abs(push)
    larger, smaller = 0.5 * more, 2.0 * product / normal / more
    p = np.where(push > 0.0, larger, smaller)
    y = normal * np.where(push > 0.0, smaller, larger)
    if not program.tangents:
        return _Point(p, y, np.zeros((0, 1)))
    pull, limit = (t - ut / tangent[:, None])[law.rough], law.mu * p[law.rough]
    length = np.linalg.norm(pull, axis=1)
    share = _share(length, limit, product / (tangent[law.rough] * limit))
    t = (limit * share / np.where(length > 0.0, length, 1.0))[:, None] * pull
    return _Point(p, np.concatenate([y, (product / law.kind(law.mu, p[law.rough], t).gaps).ravel()]), t)


def _share(length: Array, limit: Array, c: Array) -> Array:
    """Return z in [0, 1) with z (limit + 2 c/(1 − z²)) near `length`, by Newton's method from above."""
    z = np.minimum(length / (c + np.hypot(c, length)), length / limit)
    for _ in range(CUBIC):
        rest = np.maximum(1.0 - z**2, EPS)
        slope = limit + 2.0 * c * (1.0 + z**2) / rest**2
        z = z - (z * (limit + 2.0 * c / rest) - length) / slope
    return np.clip(z, 0.0, 1.0 - BORDER)


def _direction(
    program: Program, law: _Law, here: _Plane | _Space, now: _Point, x: Array, kept: Array, left: float
) -> tuple[_Point | None, Array]:
    """Return the change of a point by predictor and corrector, and the shares (k,) of it that stay inside.

    x are its impulses, `kept` (k,) are κ, and `left` is the mean of its products, relative.
    """
    k, rough = law.count, law.rough
    un, ut = program.split(program.rates(x))
    p = now.z[:k]
    off_n, off_t = un - now.w[:k], ut[rough] - here.slip(law.slips(now.w)) if law.tangents else np.zeros_like(now.t)
    try:
        solve = _system(program, law, here, now, kept, INEXACT if left > CLOSE else EXACT)
    except RuntimeError:
        return None, np.zeros(k)

    def change(c: Array) -> tuple[_Point, Array]:
        right = law.impulses(c[:k] / p - off_n, here.spread(law.slips(c)) - off_t)
        dp, dt = program.split(solve(right))
        dt = dt[rough] if law.tangents else np.zeros_like(now.t)
        dz = np.concatenate([dp, here.change(dp[rough], dt).ravel()])
        by = _Point(dz, (c - now.w * dz) / now.z, dt)
        return by, _shares(law, here, now, by)

    products, mean = now.z * now.w, law.mean(now)
    first, share = change(-products)
    reached = law.mean(now.moved(first, float(share.min())))
    aim = min(max(reached / mean, 0.0) ** 3, 1.0) * mean
    own = np.concatenate([share, *[share[rough]] * ((len(now.z) - k) // max(len(law.mu), 1))])
    return change(aim - products - own * first.z * first.w)


def _system(
    program: Program, law: _Law, here: _Plane | _Space, now: _Point, kept: Array, error: float
) -> Callable[[Array], Array]:
    """Return what solves the linear equations for the changes of the impulses. Raises RuntimeError."""
    k, d, rough = law.count, law.tangents, law.rough
    normal, tangent = program.diagonal
    B = np.zeros((k, 1 + d, 1 + d))
    B[:, 0, 0] = now.w[:k] / now.z[:k] + kept * normal
    if not d:
        return program.blocks.system(B, None, error)
    on_t, B[rough, 1:, 0] = here.blocks(law.slips(now.w))
    B[rough, 1:, 1:] = on_t + (kept * tangent)[rough][:, None, None] * np.eye(d)
    if isinstance(rough, slice):
        return program.blocks.system(B, None, error)
    smooth = np.setdiff1d(np.arange(k), rough)
    B[smooth, 1:, 1:] = np.eye(d)
    S = np.tile(np.eye(1 + d), (k, 1, 1))
    S[smooth, 1:, 1:] = 0.0
    return program.blocks.system(B, S, error)
