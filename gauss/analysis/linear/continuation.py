"""Branches of equilibria over a parameter: followed through folds, with the points where branches meet.

The equilibria solve F(x, μ) = 0, where x = (q, λ), F = (f + Jᵀλ, φ) at rest and μ is the parameter. A branch is a curve
in (x, μ) with the tangent τ, F' τ = 0; a step goes along τ and returns to F = 0 square to it, so that folds, where μ
turns, are points like any others. Where det [F'; τᵀ] changes its sign another branch crosses; F' has two null vectors
there, and the other branch leaves along the one that is square to τ.

Coordinates and multipliers are scaled by their sizes; derivatives by the parameter are central differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gauss.analysis.linear.equilibria import equilibria
from gauss.analysis.linear.linearize import linearize
from gauss.analysis.linear.tangent import require_derivatives
from gauss.errors import GaussError, InputError
from gauss.foundation.arrays import Array, as_array
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import EPS
from gauss.model import AnySystem, System, refuse_friction, system_of
from gauss.model.compiled.derivatives.linear import variations_of
from gauss.model.state import State

STEPS = 4000  # along one branch, at most
PACE = 0.02  # longest step, as a share of the range of the parameter and of the sizes of the coordinates
SHORTEST = 1e-7  # step at which a branch ends
CORRECTIONS = 8  # of Newton's method, after one step
CONVERGED = 1e-12  # correction at which they end
BENT = 0.9  # least cosine of the angle between neighbouring tangents
BISECTIONS = 60  # on the way to a fold or a meeting point
APART = 1e-4  # of points that are one, in scaled distance
ASIDE = 2e-3  # first step onto another branch, in scaled distance
SLOPE = EPS ** (1.0 / 3.0)  # step of a central difference, relative


@dataclass(frozen=True, repr=False)
class EquilibriumBranch(Shown):
    """A curve of N equilibria."""

    values: Array  # (N,) of the parameter
    q: Array  # (N, n)
    multipliers: Array  # (N, k) of the equality rows
    stability: tuple[str, ...]  # (N,) as of `Linearization.stability`


@dataclass(frozen=True)
class SpecialPoint:
    """A fold, where a branch turns, or a meeting point of branches."""

    kind: str  # "fold" or "branch point"
    value: float  # of the parameter
    q: Array  # (n,)


@dataclass(frozen=True, repr=False)
class Bifurcations(Shown):
    """The branches of equilibria over a parameter and their special points."""

    system: System
    parameter: str
    branches: tuple[EquilibriumBranch, ...]
    points: tuple[SpecialPoint, ...]

    def __str__(self) -> str:
        lines = [f"equilibria of {self.system.name!r} over {self.parameter}: {len(self.branches)} branches"]
        for point in self.points:
            q = ", ".join(f"{k} = {x:.6g}" for k, x in zip(self.system.coordinates, point.q, strict=True))
            lines.append(f"{point.kind} at {self.parameter} = {point.value:.9g}: {q}")
        return "\n".join(lines)


@advised
def bifurcations(
    system: AnySystem, parameter: str, values: tuple[float, float], guesses: Sequence[object], *, u: object = None
) -> Bifurcations:
    """Return the branches of equilibria over a parameter between two values.

    Branches start from the equilibria that Newton's method reaches from the `guesses` at both values, and from the
    points where other branches meet them; that all are found is not claimed. Only holonomic rows are taken. Raises
    InputError for unknown parameters, for rows of velocities or contacts, for dry friction and for values that are no
    two different numbers.

    >>> import gauss as g
    >>> hoop = g.System(
    ...     "bead on a rotating hoop",
    ...     coordinates="phi",
    ...     parameters={"w": 1.0},
    ...     kinetic_energy=lambda q, v, p: 0.5 * (v.phi**2 + p.w**2 * g.sin(q.phi) ** 2),
    ...     potential_energy=lambda q: -9.0 * g.cos(q.phi),
    ... )
    >>> found = g.analysis.bifurcations(hoop, "w", (1.0, 5.0), [[0.0]])
    >>> len(found.branches), [(point.kind, round(point.value, 6)) for point in found.points]
    (2, [('branch point', 3.0)])
    """
    system = system_of(system)
    require_derivatives(system)
    refuse_friction(system.contacts, system.name, "a branch of equilibria")
    if parameter not in system.parameters:
        known = ", ".join(system.parameters) or "none"
        raise InputError(f"{system.name!r} has no parameter {parameter!r}; it has {known}.")
    others = [name for name, kind in zip(system.row_names, system.model.kinds, strict=True) if kind != "holonomic"]
    if others:
        raise InputError(f"branches of equilibria are followed with holonomic rows only; leave out {others}.")
    ends = as_array(values, "values")
    if ends.shape != (2,) or not np.all(np.isfinite(ends)) or ends[0] == ends[1]:
        raise InputError(f"values must be the first and the last value of {parameter!r}, got {values!r}.")
    low, high = float(min(ends)), float(max(ends))
    known = [found for value in (low, high) for found in equilibria(_at(system, parameter, value), guesses, u=u)]
    size = max([1.0, *(float(np.max(np.abs(found.state.q))) for found in known)])
    weight = max([1e-300, *(float(np.max(np.abs(found.multipliers), initial=0.0)) for found in known)])
    scale = np.concatenate([np.full(system.n, size), np.full(system.model.m, weight), [high - low]])
    curves = _Curves(system, parameter, low, high, scale, system.control_vector(u))
    starts = [np.concatenate([x.state.q, x.multipliers, [x.system.parameters[parameter]]]) / scale for x in known]
    curves.follow_all(starts)
    return Bifurcations(system, parameter, tuple(map(curves.branch, curves.found)), tuple(curves.points))


def _at(system: System, parameter: str, value: float) -> System:
    return system.with_parameters(**{parameter: value})


class _Curves:
    """The branches found so far, as curves of z = (q, λ, μ)/scale."""

    def __init__(self, system: System, parameter: str, low: float, high: float, scale: Array, u: Array):
        self.system, self.parameter, self.scale, self.u = system, parameter, scale, u
        self.low, self.high = low / scale[-1], high / scale[-1]
        self.place = list(system.parameters).index(parameter)
        self.size = np.ones(system.n + system.model.m)
        self.found: list[Array] = []
        self.points: list[SpecialPoint] = []

    def residual(self, z: Array) -> tuple[Array, Array]:
        """Return F and its derivative by (q, λ)."""
        x, n = z * self.scale, self.system.n
        theta = self.system.theta(self.u)
        theta[self.place] = x[-1]
        zero = np.zeros(n)
        terms = self.system.model.terms(x[:n], zero, 0.0, theta)
        d = variations_of(self.system.model)(x[:n], zero, 0.0, theta, zero, x[n:-1])
        F = np.concatenate([d.residual[:n], terms.phi])
        top = np.hstack([d.by_q[:n], terms.J.T])
        by_x = np.vstack([top, np.hstack([d.phi_q, np.zeros((len(terms.phi),) * 2)])])
        return F, by_x * self.scale[:-1]

    def equations(self, z: Array) -> tuple[Array, Array]:
        """Return F (k,) and F' (k, k + 1), divided by the sizes of the rows of F' where the branches start."""
        step = SLOPE * max(1.0, abs(float(z[-1]))) * np.eye(z.size)[-1]
        F, by_x = self.residual(z)
        ahead, behind = self.residual(z + step)[0], self.residual(z - step)[0]
        whole = np.column_stack([by_x, (ahead - behind) / (2.0 * step[-1])])
        return F / self.size, whole / self.size[:, None]

    def tangent(self, z: Array, along: Array) -> Array:
        """Return the unit tangent in the direction of another one."""
        tau = np.linalg.svd(self.equations(z)[1])[2][-1]
        return np.asarray(tau if tau @ along >= 0.0 else -tau)

    def side(self, z: Array, tau: Array) -> float:
        """Return the sign of det [F'; τᵀ]."""
        return float(np.linalg.slogdet(np.vstack([self.equations(z)[1], tau]))[0])

    def corrected(self, z: Array, tau: Array) -> Array | None:
        """Return the point of the curve in the plane through z square to τ, None where Newton's method fails."""
        start = z
        for _ in range(CORRECTIONS):
            F, slope = self.equations(z)
            change = np.linalg.lstsq(np.vstack([slope, tau]), -np.append(F, tau @ (z - start)), rcond=None)[0]
            z = z + change
            if not np.all(np.isfinite(z)) or np.linalg.norm(z - start) > 0.5:
                return None
            if np.linalg.norm(change) <= CONVERGED * max(1.0, float(np.linalg.norm(z))):
                return z
        return None

    def known(self, z: Array) -> bool:
        """Whether a point lies on a branch that is found already."""
        for curve in self.found:
            start, ahead = curve[:-1], np.diff(curve, axis=0)
            share = np.sum((z - start) * ahead, axis=1) / np.maximum(np.sum(ahead**2, axis=1), 1e-300)
            nearest = start + np.clip(share, 0.0, 1.0)[:, None] * ahead
            if np.min(np.linalg.norm(z - nearest, axis=1)) < 10.0 * APART:
                return True
        return False

    def follow_all(self, starts: Sequence[Array]) -> None:
        """Follow the branches through some points, and those that meet them."""
        sizes = [np.linalg.norm(self.equations(z)[1], axis=1) for z in starts]
        largest = np.max(sizes, axis=0) if starts else self.size
        self.size = np.where(largest > 0.0, largest, 1.0)
        waiting = [(z, np.eye(z.size)[-1]) for z in starts]
        while waiting:
            z, along = waiting.pop(0)
            if self.known(z):
                continue
            try:
                tau = self.tangent(z, along)
                halves = [self.follow(z, sign * tau) for sign in (1.0, -1.0)]
            except GaussError:  # the model is not defined there
                continue
            curve = np.array([*reversed(halves[1][0]), z, *halves[0][0]])
            if len(curve) > 1:
                self.found.append(curve)
            waiting += [each for _, meetings in halves for each in meetings]

    def follow(self, z: Array, tau: Array) -> tuple[list[Array], list[tuple[Array, Array]]]:
        """Return the points of a branch from z on along τ, and starts of the branches that it meets."""
        curve: list[Array] = []
        others: list[tuple[Array, Array]] = []
        start, step, side = z, PACE, self.side(z, tau)
        for count in range(STEPS):
            following = self.corrected(z + step * tau, tau)
            ahead = None if following is None else self.tangent(following, tau)
            if following is None or ahead is None or ahead @ tau < BENT:
                step /= 2.0
                if step < SHORTEST:
                    break
                continue
            if not self.low <= following[-1] <= self.high:
                edge = self.edge(z, following)
                if edge is not None:
                    curve.append(edge)
                break
            new_side = self.side(following, ahead)
            if new_side * side < 0.0 and step > SHORTEST:
                meeting = self.located(z, following, tau, self.side)
                others += self.crossing(meeting, tau)
            if ahead[-1] * tau[-1] < 0.0:
                fold = self.located(z, following, tau, lambda _, t: float(t[-1]))
                self.note("fold", fold)
            curve.append(following)
            z, tau, side = following, ahead, new_side
            step = min(PACE, 1.5 * step)
            if count > 2 and np.linalg.norm(z - start) < 0.5 * step:  # closed
                curve.append(start)
                break
        return curve, others

    def edge(self, z: Array, beyond: Array) -> Array | None:
        """Return where a branch leaves the range of the parameter."""
        limit = self.high if beyond[-1] > self.high else self.low
        share = (limit - z[-1]) / (beyond[-1] - z[-1])
        return self.corrected(z + share * (beyond - z), np.eye(z.size)[-1])

    def located(self, z: Array, beyond: Array, tau: Array, sign: Callable[[Array, Array], float]) -> Array:
        """Return the point between two of a branch where a function of point and tangent changes its sign."""
        low, high, best, first = 0.0, 1.0, beyond, sign(z, self.tangent(z, tau))
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            found = self.corrected(z + middle * (beyond - z), tau)
            if found is None or high - low < 1e-12:
                break
            best = found
            if sign(found, self.tangent(found, tau)) * first > 0.0:
                low = middle
            else:
                high = middle
        return best

    def note(self, kind: str, z: Array) -> None:
        """Keep a special point, once."""
        x = z * self.scale
        for point in self.points:
            there = np.append(point.q / self.scale[: self.system.n], point.value / self.scale[-1])
            here = np.append(z[: self.system.n], z[-1])
            if np.linalg.norm(there - here) < 100.0 * APART:
                return
        self.points.append(SpecialPoint(kind, float(x[-1]), x[: self.system.n]))

    def crossing(self, z: Array, tau: Array) -> list[tuple[Array, Array]]:
        """Return starts on both sides of the branch that crosses at z, with their directions."""
        self.note("branch point", z)
        null = np.linalg.svd(self.equations(z)[1])[2][-2:]
        across = null.T @ np.array([-(null[1] @ tau), null[0] @ tau])
        across /= np.linalg.norm(across)
        starts = [(self.corrected(z + sign * ASIDE * across, across), sign * across) for sign in (1.0, -1.0)]
        return [(start, along) for start, along in starts if start is not None]

    def branch(self, curve: Array) -> EquilibriumBranch:
        """Return a branch with its stability; that of a point where linear equations cannot be had is "not decided"."""
        x, n = curve * self.scale, self.system.n
        words = []
        for row in x:
            try:
                system = _at(self.system, self.parameter, float(row[-1]))
                words.append(linearize(system, State(row[:n], np.zeros(n), 0.0), u=self.u).stability)
            except GaussError:
                words.append("not decided")
        return EquilibriumBranch(x[:, -1], x[:, :n], x[:, n:-1], tuple(words))
