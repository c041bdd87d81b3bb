"""Near misses: a path comes to where rows are dependent, and the constraints keep their branches apart, or may do so.

Where branches cross, the combination u of the rows with uᵀJ = 0 is satisfied too. If the constraints miss the singular
position, it has a residual ε = uᵀφ there: the branches are those of a hyperbola, and a motion that comes along one
asymptote with the velocity v goes out along the other, with the same kinetic energy, within the time √(ε/uᵀφ''[v, w]).
Which of both happens is decided by ε and its noise (see `gauss.foundation.zero`); between them it is undecided.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array, tidied
from gauss.foundation.tolerances import NEXT
from gauss.foundation.zero import CLEAR, ZERO, Answer, answer, ratio
from gauss.model import System
from gauss.model.state import State
from gauss.motion.singular.collocation import ON as EXACT
from gauss.motion.singular.spectrum import (
    SINGULAR,
    MostDependent,
    MotionPiece,
    SingularValues,
    off_beside,
    places,
    state_of,
)
from gauss.motion.steps.steppers import Stepper
from gauss.numerics.paths import at_share, cubic
from gauss.principle import GaussProblem

SIDES = 0.1  # second-order terms below this, relative to the largest, are none in a crossing of two branches


@dataclass(frozen=True)
class Interpolant:
    """The path that a step takes, a polynomial in time through both of its ends."""

    x: Array  # (2n+1,) at the start
    h: float  # s
    q: tuple[Array, ...]  # its coefficients (n,), by powers of the share

    @staticmethod
    def between(x: Array, a: Array, y: Array, b: Array) -> Interpolant:
        """Return the path of degree 5 from x to y, (t, q, v) with the accelerations a and b (n,)."""
        n, h = a.size, float(y[0] - x[0])
        (q, v), (p, w) = ((z[1 : n + 1], z[n + 1 :] * h) for z in (x, y))
        a, b = a * h * h / 2.0, b * h * h / 2.0
        d, e, f = p - q - v - a, w - v - 2.0 * a, b - a
        return Interpolant(
            x, h, (q, v, a, 10.0 * d - 4.0 * e + f, -15.0 * d + 7.0 * e - 2.0 * f, 6.0 * d - 3.0 * e + f)
        )

    @staticmethod
    def cubic(x: Array, y: Array) -> Interpolant:
        """Return the path from x to y, (t, q, v), that positions and velocities alone give."""
        n, h = x.size // 2, float(y[0] - x[0])
        return Interpolant(x, h, cubic(x[1 : n + 1], x[n + 1 :], y[1 : n + 1], y[n + 1 :], h))

    def state(self, share: float) -> Array:
        """Return x = (t, q, v) at a share of the step."""
        q, rate = at_share(self.q, share)
        return np.concatenate([self.x[:1] + share * self.h, q, rate / self.h])


@dataclass(frozen=True)
class Approach:
    """A place of a path where rows are dependent or nearly so, and whether the constraints miss it."""

    system: System
    state: State  # there, on the path
    rows: tuple[str, ...]  # whose combination vanishes
    missed: Answer  # whether its residual is zero
    noises: float  # |ε| over its noise
    turned: Array | None  # (n,) the velocity behind it if they miss it; None where it is not known
    time: float  # s, within which the motion then turns

    @property
    def sentence(self) -> str:
        """What happens there, in words; both readings where it is undecided."""
        names = " + ".join(map(repr, self.rows))
        after = "" if self.turned is None else f" and goes on with the velocity {self._named(self.turned)}"
        turns = f"turns within {self.time:.2g} s{after}" if self.time > 0.0 else f"turns{after}"
        if self.missed == "not zero":
            return (
                f"near t = {self.state.t:.9g} s the constraints miss a singular position of the rows {names} by"
                f" {self.noises:.3g} times their rounding: the motion {turns}, too sharply for its steps"
            )
        return (
            f"undecided: at t = {self.state.t:.9g} s the rows {names} are dependent or miss that by"
            f" {self.noises:.3g} times their rounding (zero up to {ZERO:g}, not zero from {CLEAR:g}). If they are"
            f" dependent, the motion passes with the velocity {self._named(self.state.v)}; if not, it {turns}"
        )

    def _named(self, v: Array) -> str:
        return "(" + ", ".join(f"{k} {x:.6g}" for k, x in zip(self.system.coordinates, tidied(v), strict=True)) + ")"


def approaches(path: MotionPiece, stepper: Stepper, bound: float = SINGULAR) -> list[Approach]:
    """Return the places of a path where its rows are dependent up to `bound`, relative to its ends, in their order."""
    spectrum = SingularValues.on(path, stepper)
    return [_approach(path, spectrum, place) for place in places(path, spectrum, bound)]


def _approach(path: MotionPiece, spectrum: SingularValues, place: MostDependent) -> Approach:
    """Return what the combinations that vanish at a place have as residuals there.

    What the path is off the constraints elsewhere, it may be off there too: they see the square of that.
    """
    stepper, system = spectrum.stepper, spectrum.stepper.setting.system
    state = state_of(path.state(place.share), system.n)
    U, sigmas, V = np.linalg.svd(spectrum.rows(path.state(place.share)))
    small = sigmas <= max(NEXT * place.largest, 2.0 * place.smallest)
    lost = U[:, : sigmas.size][:, small].T / spectrum.length  # (k, m)
    rows, parts = list(stepper.rows), (state.q, state.v, state.t, stepper.setting.theta)
    phi, rounding = system.model.residuals(*parts)[0][rows], system.model.noise(*parts).phi[rows]
    ends = [path.state(share)[1 : system.n + 1] for share in (0.0, 1.0)]
    inexact = max(EXACT * max(map(spectrum.metric.norm, ends)), off_beside(path, spectrum, place.share))
    way = max(spectrum.metric.norm(ends[1] - ends[0]), inexact)
    loose = (sigmas[small] + place.largest * inexact / way) * inexact
    missing, noise = np.abs(lost @ phi), np.abs(lost) @ rounding
    noises = ratio(np.maximum(missing - loose, 0.0), noise)
    worst = int(np.argmax(noises))
    weights = np.max(np.abs(lost), axis=0)
    names = tuple(system.row_names[rows[i]] for i in np.flatnonzero(weights > 1e-3 * np.max(weights)))
    turned, time = None, 0.0
    if np.sum(small) == 1 and not system.model.trace.rheonomic:
        w = np.zeros(len(system.row_names))
        w[rows] = lost[0]
        turned, time = _turned(system, state, stepper.setting.theta, w, spectrum.metric.lift(V[sigmas.size - 1 :].T))
    return Approach(system, state, names, answer(float(noises[worst]), 1.0), float(noises[worst]), turned, time)


def _turned(system: System, state: State, theta: Array, u: Array, kernel: Array) -> tuple[Array | None, float]:
    """Return the velocity behind a near miss, and the time in which it is reached; None where branches are not two.

    In the kernel (n, k) of the rows uᵀφ'' has two principal values of opposite signs there, and v = a + b + c along
    their directions and across them: the branches are those of ± (a − b) + c, in a metric that counts kinetic energy.
    """
    model, metric = system.model, GaussProblem.at(system, state, None, []).metric
    N = np.linalg.qr(metric.L.T @ kernel)[0]
    moves = metric.lift(N).T
    turns = np.array([u @ model.jets.turn(state.q, state.v, state.t, theta, x)[0] for x in moves])
    form = turns @ metric.lift(N)
    values, axes = np.linalg.eigh((form + form.T) / 2.0)
    sides = np.abs(values) > SIDES * np.max(np.abs(values), initial=0.0)
    speeds = axes.T @ (N.T @ (metric.L.T @ state.v))
    if np.sum(sides) != 2 or not values[0] < 0.0 < values[-1] or not np.any(speeds[sides]):
        return None, 0.0
    missing = float(u @ model.residuals(state.q, state.v, state.t, theta)[0])
    other = np.where(values < 0.0, -speeds, speeds) * np.sign(missing or 1.0)
    bent = float(np.sum(np.abs(values[sides]) * speeds[sides] ** 2))
    behind = np.where(sides, other, speeds)
    return metric.lift(N @ (axes @ behind)), float(np.sqrt(abs(missing) / bent))
