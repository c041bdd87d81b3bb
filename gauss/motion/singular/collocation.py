"""Windows: the motion across or out of a singular position, by collocation at states that stay away from it.

A motion on its branch is smooth through a singular position, but the rows that give its acceleration are not: near it
a state that is off the branch by δ has an acceleration that is wrong by δ/σ². Over a window the acceleration is
therefore a polynomial through a few nodes where the rows are far from dependent. Each iteration integrates it to states
at the nodes, projects these onto the constraints, which puts them on the branch, and evaluates the acceleration there.
At a node at the start of the window the acceleration can be given instead, as at a start on a singular position.

Where a branch ends as a cusp the acceleration is no polynomial in time t, but one in a root of it: there it is a
polynomial in σ, with t = h σ^power.

A window is accepted if its polynomial, taken as it is, satisfies the constraints everywhere in it, the singular
position included, and has the acceleration of the constrained system between its nodes too. A near miss, where the
motion turns sharply from one branch into another, does not pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import EPS, SETTLED
from gauss.model.compiled import StepScalar
from gauss.model.state import State
from gauss.motion.singular.redundant import least_multipliers
from gauss.motion.steps.steppers import Setting, Stepper
from gauss.principle import GaussProblem
from gauss.principle.metric import Metric

COUNT = 10  # nodes; an even number of Gauss-Legendre nodes leaves the middle free
FRACTIONS = (0.5, 0.3547, 0.2218, 0.1139)  # gaps between these nodes, where the singular position may lie
SWEEPS = 40  # of the iteration
LOOSE = 1e-9  # change up to which it counts when it no longer decreases: rounding divided by σ³
NOISY = 1e-6  # the largest that rounding may make of it at nodes where σ is small
SLOW = 1e-2  # accelerations below this share of |v|/h count as small ones
SAMPLES = np.linspace(0.0, 1.0, 41)  # where the polynomial is compared with the constraints
ON = 1e-11  # largest violation of the constraints by the polynomial, as a distance relative to the state
BETWEEN = 1e-9  # relative difference of the acceleration between the nodes, at least
KEEP_OFF = 0.06  # share of the window around the singular position where accelerations are not evaluated
BESIDE = 0.08  # share of it around the singular position that a window from a start leaves without nodes
CORRECTION = 1e-8  # relative change by a projection beyond which a state is left as the polynomial gives it


@dataclass(frozen=True)
class Window:
    """A piece of a motion whose acceleration is a polynomial in time, or in a root of the time since its start."""

    start: Array  # (2n+1,) x = (t, q, v) at the start
    h: float  # length, s
    nodes: Array  # (s,) in [0, 1]
    a: Array  # (s, n) accelerations at the nodes
    singular: float  # where the singular position is, in [0, 1]
    end: float = 1.0  # share up to which the motion followed it
    power: int = 1  # nodes σ lie at the shares σ^power of the window
    off: float = KEEP_OFF  # share around the singular position where the ordinary rows say too little

    def plain(self) -> dict[str, Any]:
        """Return the window as plain data, ready for JSON."""
        arrays = {name: getattr(self, name).tolist() for name in ("start", "nodes", "a")}
        numbers = {name: getattr(self, name) for name in ("h", "singular", "end", "power", "off")}
        return {**arrays, **numbers}

    @staticmethod
    def of(plain: dict[str, Any]) -> Window:
        """Return the window that `plain` has described."""
        start, nodes, a = (np.array(plain[name], dtype=float) for name in ("start", "nodes", "a"))
        power, off = int(plain.get("power", 1)), float(plain.get("off", KEEP_OFF))
        return Window(start, float(plain["h"]), nodes, a, float(plain["singular"]), float(plain["end"]), power, off)

    @property
    def t(self) -> float:
        """The time at the start."""
        return float(self.start[0])

    @cached_property
    def _coefficients(self) -> tuple[Array, Array, Array]:
        table = legendre.legvander(2.0 * self.nodes - 1.0, len(self.nodes) - 1)
        c = np.asarray(np.linalg.solve(table, self.a), dtype=float)
        once = self.h * integrated(c, self.power)
        return c, once, self.h * integrated(once, self.power)

    @property
    def shares(self) -> Array:
        """Shares (s,) of the window at which its nodes lie."""
        return np.asarray(self.nodes**self.power)

    def acceleration(self, share: float) -> Array:
        """Return the acceleration (n,) at a share of the window."""
        return np.asarray(legendre.legval(2.0 * share ** (1.0 / self.power) - 1.0, self._coefficients[0]))

    def state(self, share: float) -> Array:
        """Return x = (t, q, v) at a share of the window, as the polynomial gives it."""
        n = self.a.shape[1]
        q0, v0 = self.start[1 : n + 1], self.start[n + 1 :]
        _, once, twice = self._coefficients
        x = 2.0 * share ** (1.0 / self.power) - 1.0
        v = v0 + legendre.legval(x, once)
        q = q0 + share * self.h * v0 + legendre.legval(x, twice)
        return np.concatenate([[self.t + share * self.h], q, v])

    def contains(self, t: float) -> bool:
        """Whether a time lies inside the window, or at its start."""
        return self.t <= t < self.t + self.end * self.h

    def near(self, t: float) -> bool:
        """Whether the ordinary rows say too little at a time: the acceleration is that of the polynomial."""
        return abs((t - self.t) / self.h - self.singular) < self.off


class WindowStepper:
    """The motion in a window with the face of a `Stepper`: steps of any length evaluate the polynomial."""

    KEPT: tuple[str, ...] = ()

    def __init__(self, window: Window, stepper: Stepper):
        self.window, self.inner = window, stepper
        self.setting, self.rows, self.trouble = stepper.setting, stepper.rows, ""

    def accelerate(self, x: Array) -> tuple[Array, Array]:
        """Return (a, λ) at x."""
        return self.inner.accelerate(x)

    def pivot(self, x: Array) -> float:
        """Return the smallest pivot of the rows at x."""
        return self.inner.pivot(x)

    def step(self, x: Array, h: float) -> tuple[Array, Array]:
        """Return the state of the window at the time of x plus h, projected, and the record of x."""
        _, record = self.inner.step(x, 0.0)
        share = (float(x[0]) + h - self.window.t) / self.window.h
        return projected(self.window, self.inner, share), record


def projected(window: Window, stepper: Stepper, share: float) -> Array:
    """Return the state of a window projected onto the constraints, but for states next to the singular position."""
    x = window.state(share)
    if abs(share - window.singular) < window.off:
        return x
    y, _ = stepper.step(x, 0.0)
    y, _ = stepper.step(y, 0.0)
    size = 1.0 + np.linalg.norm(x[1:])
    with np.errstate(invalid="ignore"):
        good = np.linalg.norm(y - x) <= CORRECTION * size
    return y if good else x


def record_in(window: Window, setting: Setting, rows: tuple[int, ...], x: Array, record: Array) -> Array:
    """Return the record of a state in a window next to its singular position, with the polynomial's acceleration.

    The multipliers are those of least norm that come nearest to the reaction M a − f, the residuals those of both.
    `record` is that of the ordinary rows, whose other numbers are kept.
    """
    n, k = setting.system.n, len(rows)
    state = State(x[1 : n + 1], x[n + 1 :], float(x[0]))
    problem = GaussProblem.at(setting.system, state, setting.controls_at(state), [])
    metric = problem.metric
    a = window.acceleration((float(x[0]) - window.t) / window.h)
    J, gamma = problem.rows.J[list(rows)], problem.rows.lower[list(rows)]
    reaction = problem.M @ a - problem.f
    multipliers = least_multipliers(metric, J, reaction)
    length = np.linalg.norm(metric.whitened(J), axis=1)
    following = np.where(np.isfinite(record), record, 0.0)
    following[:n], following[n : n + k] = a, multipliers
    following[StepScalar.ZWANG] = 0.5 * float(np.sum(metric.covector(reaction) ** 2))
    following[StepScalar.PRIMAL] = float(
        np.max(np.abs(J @ a - gamma) / np.maximum(length, np.max(length, initial=1e-300)), initial=0.0)
    )
    following[StepScalar.STATIONARITY] = float(np.linalg.norm(metric.covector(reaction - J.T @ multipliers)))
    return following


def integrated(c: Array, power: int) -> Array:
    """Return the integral by σ^power from 0 of a polynomial in σ.

    Both are Legendre coefficients in 2 σ − 1: (N + power, k) of (N, k).
    """
    for _ in range(power - 1):  # times σ, by (k + 1) P_{k+1} + k P_{k−1} = (2 k + 1) x P_k
        k = np.arange(len(c))[:, None]
        shifted = np.zeros((len(c) + 1, c.shape[1]))
        shifted[:-1] = c
        shifted[1:] += c * (k + 1) / (2 * k + 1)
        shifted[:-2] += (c * k / (2 * k + 1))[1:]
        c = shifted / 2.0
    c = c * (power / 2.0)  # d(σ^power) = power σ^(power − 1) dx / 2
    return np.asarray(legendre.legint(c, 1, lbnd=-1))


def matrices(nodes: Array, power: int = 1) -> tuple[Array, Array]:
    """Return the matrices (s, s) that integrate the polynomial through the nodes from 0 to each, once and twice."""
    x, count = 2.0 * nodes - 1.0, len(nodes)
    inverse = np.linalg.inv(legendre.legvander(x, count - 1))
    once = integrated(np.eye(count), power)
    twice = integrated(once, power)
    return legendre.legval(x, once).T @ inverse, legendre.legval(x, twice).T @ inverse


@cache
def gauss_nodes(count: int) -> Array:
    """Return the Gauss-Legendre nodes on [0, 1]."""
    nodes = (legendre.leggauss(count)[0] + 1.0) / 2.0 if count else np.zeros(0)
    nodes.setflags(write=False)
    return np.asarray(nodes)


def starting_nodes(count: int) -> Array:
    """Return nodes for a window that starts at a singular position: the start itself, and nodes away from it."""
    return np.concatenate([[0.0], 0.15 + 0.85 * gauss_nodes(count - 1)])


def nodes_beside(singular: float, count: int) -> Array:
    """Return nodes on both sides of a singular position at a share of the window: Gauss-Legendre nodes of each."""
    before, after = max(singular - BESIDE, 0.0), min(singular + BESIDE, 1.0)
    left = round(count * before / (before + 1.0 - after))
    return np.concatenate([before * gauss_nodes(left), after + (1.0 - after) * gauss_nodes(count - left)])


def collocate(
    stepper: Stepper,
    start: Array,
    h: float,
    nodes: Array,
    guess: Array,
    singular: float,
    rtol: float,
    power: int = 1,
) -> Window | None:
    """Return the window of length h from a state, or None where it does not pass.

    `guess` (n,) is a first acceleration; it is kept at a node at the start of the window.
    """
    n, shares = guess.size, nodes**power
    once, twice = matrices(nodes, power)
    q0, v0 = start[1 : n + 1], start[n + 1 :]
    a = np.tile(guess, (len(nodes), 1))
    free = np.flatnonzero(nodes > 0.0)
    before = np.inf
    for _ in range(SWEEPS):
        v = v0 + h * once @ a
        q = q0 + h * np.outer(shares, v0) + h * h * twice @ a
        new, loose = a.copy(), LOOSE
        for i in free:
            x = np.concatenate([[start[0] + shares[i] * h], q[i], v[i]])
            new[i] = _acceleration(stepper, x)
            loose = max(loose, noise(stepper, x))
        change = float(np.max(np.abs(new - a)) / size_of(new, v0, h))
        if not np.isfinite(change):
            return None
        a = new
        if change <= SETTLED or (change >= 0.5 * before and change <= loose):
            window = Window(start, h, nodes, a, singular, power=power)
            return window if passes(window, stepper, rtol) else None
        before = change
    return None


def size_of(a: Array, v: Array, h: float) -> float:
    """Return the size of the accelerations (s, n) in a window that starts with the velocity v (n,)."""
    return max(float(np.max(np.abs(a))), SLOW * float(np.max(np.abs(v))) / h, 1e-300)


def changing(metric: Metric, x: Array, a: Array) -> float:
    """Return the time (s) in which a motion changes little, from a state with an acceleration; inf for a rest."""
    n = a.size
    place, speed, push = metric.norm(x[1 : n + 1]), metric.norm(x[n + 1 :]), metric.norm(a)
    size = max(place, speed**2 / push) if push > 0.0 else np.inf
    times = [0.2 * size / speed if speed > 0.0 else np.inf, 0.4 * np.sqrt(size / push) if push > 0.0 else np.inf]
    return min((float(time) for time in times if time > 0.0), default=np.inf)


def noise(stepper: Stepper, x: Array) -> float:
    """Return the relative error that rounding makes of the acceleration at a state: a share of 1/σ³."""
    sine = float(np.sqrt(max(stepper.pivot(x), 0.0)))
    return min(EPS / sine**3, NOISY) if sine > 0.0 else NOISY


def _acceleration(stepper: Stepper, x: Array) -> Array:
    """Return the acceleration at the state on the constraints nearest to x."""
    for _ in range(2):
        x, _ = stepper.step(x, 0.0)
    return stepper.accelerate(x)[0]


def passes(window: Window, stepper: Stepper, rtol: float) -> bool:
    """Return whether the polynomial satisfies the constraints in the window, and the equations between its nodes."""
    system, theta = stepper.setting.system, stepper.setting.theta
    n, rows = system.n, list(stepper.rows)
    ends = [system.model.terms(*_split(window.state(share), n), theta).J[rows] for share in (0.0, 1.0)]
    length = np.max([np.linalg.norm(J, axis=1) for J in ends], axis=0) if rows else np.zeros(0)
    length = np.where(length > 0.0, length, 1.0)
    for share in SAMPLES:
        q, v, t = _split(window.state(float(share)), n)
        phi, psi = system.model.residuals(q, v, t, theta)
        place, speed = 1.0 + np.linalg.norm(q), 1.0 + np.linalg.norm(v)
        if np.max(np.abs(phi[rows]) / length, initial=0.0) > ON * place:
            return False
        if np.max(np.abs(psi[rows]) / length, initial=0.0) > 10.0 * ON * speed / min(window.h, 1.0):
            return False
    size = size_of(window.a, window.start[n + 1 :], window.h)
    between = ((window.nodes[:-1] + window.nodes[1:]) / 2.0) ** window.power
    for share in between[np.abs(between - window.singular) > BESIDE].tolist():
        x = window.state(share)
        limit = max(BETWEEN, 10.0 * rtol, 10.0 * noise(stepper, x)) * size
        if not np.max(np.abs(_acceleration(stepper, x) - window.acceleration(share))) <= limit:
            return False
    return True


def _split(x: Array, n: int) -> tuple[Array, Array, float]:
    return x[1 : n + 1], x[n + 1 :], float(x[0])
