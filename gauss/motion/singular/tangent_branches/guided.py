"""Leaving a singular position along a given branch of the constraint set, while the rows do not tell branches apart.

Two branches that touch part like a power of the distance, and the rows of the system determine the motion on either
only where they are apart by more than rounding. Until then the curve itself (`gauss.uniqueness.germs.curve`) takes the
place of the rows in its coordinates x: with x = X(τ) an acceleration is X' τ̈ + X'' τ̇², so its part across X' is
given, and the Zwang is minimised over the rest. Of sets of several dimensions that touch it is the sheet
(`gauss.motion.singular.tangent_branches.sheets`). Windows carry the motion on until the ordinary rows give the
same acceleration.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from gauss.foundation.arrays import Array, lengths_of
from gauss.foundation.tolerances import DEPENDENT
from gauss.model import System
from gauss.model.state import State
from gauss.motion.singular.collocation import (
    BETWEEN,
    COUNT,
    Window,
    changing,
    collocate,
    gauss_nodes,
    size_of,
    starting_nodes,
)
from gauss.motion.singular.tangent_branches.sheets import Sheet
from gauss.motion.steps.steppers import Setting, Stepper
from gauss.principle import GaussProblem
from gauss.uniqueness.germs.curve import Curve, curve_along
from gauss.uniqueness.germs.numbers import OpenError
from gauss.uniqueness.germs.parts import contained
from gauss.uniqueness.orders.any_order import AnyOrder, Choice, by_germ
from gauss.uniqueness.rows.combinations import complement
from gauss.uniqueness.rows.frame import frame_of

LARGEST_FOLLOWED = 12  # coordinates up to which germs are asked where motions leave
HALVINGS = 14  # of a window
FARTHEST = 0.9  # share of its curve that a motion follows
BEYOND = 2.0  # `Window.off` where no state is one of the ordinary rows


@dataclass(frozen=True)
class Guide:
    """The curves that a motion follows out of a singular position, and the coordinates that stay."""

    curves: tuple[Curve, ...]
    halves: tuple[int, ...]  # sign of τ on each curve that ends as a cusp; 0 on others
    fixed: tuple[int, ...]  # coordinates of isolated points
    power: int  # the acceleration is a polynomial in the root of time of this degree
    label: str
    sheets: tuple[Sheet, ...] = ()
    span: float = np.inf  # s, over which it is followed at most

    @property
    def own(self) -> tuple[int, ...]:
        """The coordinates that the rows do not decide about."""
        parts: tuple[Curve | Sheet, ...] = (*self.curves, *self.sheets)
        return (*self.fixed, *(j for part in parts for j in part.coordinates))


def choices_at(system: System, state: State, u: object, doubt: Array | None = None) -> AnyOrder | None:
    """Return the branches on which motions leave a state, or None where their germ is open."""
    problem = GaussProblem.at(system, state, u)
    found = by_germ(frame_of(system, state, problem, system.model.equality), LARGEST_FOLLOWED, doubt)
    return found if isinstance(found, AnyOrder) else None


def several_at(system: System, state: State, u: object, doubt: Array) -> AnyOrder | None:
    """Return the branches on which motions leave a state where more than one does, else None."""
    found = choices_at(system, state, u, doubt)
    return found if found is not None and leaving(found) > 1 else None


def leaving(found: AnyOrder) -> int:
    """Return the number of branches and sheets on which motions leave."""
    return sum(len(sides_of(choice)) for choice in found.choices if choice.leaves)


def sides_of(choice: Choice) -> list[tuple[int, ...]]:
    """Return on which sides of each of its parts a choice can be followed: 0 where that is no one of two sheets."""
    return list(product(*((1, -1) if way.sheets > 1 else (way.side,) for way in choice.ways)))


def named(choice: Choice, sides: tuple[int, ...]) -> str:
    """Return which of the branches, and which of two sheets, a motion is on."""
    sheets = [f"sheet {1 if side > 0 else 2} of 2" for side in sides if side]
    return "; ".join(filter(None, (choice.label, *sheets)))


def guide_along(
    system: System, state: State, choice: Choice, span: float, sides: tuple[int, ...] | None = None
) -> Guide:
    """Return the guide along a choice of branches, and sides of sheets, over at most a time (s). Raises OpenError."""
    curves, halves, powers, sheets = [], [], [1], []
    fixed: list[int] = []
    seen: set[int] = set()
    v, a = np.abs(state.v), np.abs(choice.solution.a)
    sides = sides or sides_of(choice)[0]
    for part, way, side in zip(choice.parts, choice.ways, sides, strict=True):
        if seen & set(part.coordinates):
            raise OpenError("the constraint set is a product in coordinates that its rows mix")
        if way.wall is not None or (part.status == "sheets" and (way.sheets != 2 or part.parting is None)):
            raise OpenError("sheets end where they touch, or were looked at along one motion alone")
        seen |= set(part.coordinates)
        if side:
            sheets.append(Sheet.of(system, part, side))
        if part.status == "isolated":
            fixed += part.coordinates
        if way.branch >= 0:
            branch = part.branches[way.branch]
            reach = float(v[branch.lead] * span + a[branch.lead] * span**2 / 2.0)
            if reach == 0.0:
                raise OpenError("nothing drives the body along one of the branches")
            try:
                curves.append(curve_along(system, part, branch, reach))
            except OpenError:  # the series does not tell two branches apart as far as they are
                if part.parting is None:
                    raise
                ahead = float(state.v[branch.lead] or choice.solution.a[branch.lead])
                sheets.append(Sheet.along(system, part, way.branch, ahead))
                continue
            halves.append(way.half)
            e = branch.ramification
            powers.append(e if v[branch.lead] > 0.0 or e % 2 else e // 2)
    power, label = int(np.lcm.reduce(powers)), named(choice, sides)
    return Guide(tuple(curves), tuple(halves), tuple(fixed), power, label, tuple(sheets), span)


class GuidedStepper:
    """Accelerations and projections with the curves of a guide in place of the rows in their coordinates."""

    KEPT: tuple[str, ...] = ()

    def __init__(self, guide: Guide, setting: Setting, rows: tuple[int, ...]):
        self.guide, self.setting, self.rows, self.trouble = guide, setting, rows, ""
        model, own = setting.system.model, set(guide.own)
        inside = contained(model.positions, list(model.equality), model.names)
        self._others = [k for k, used in inside.items() if not used & own]

    def accelerate(self, x: Array) -> tuple[Array, Array]:
        """Return the acceleration on the curves at x, and no multipliers; nan beyond the end of a curve."""
        n = self.setting.system.n
        if not np.all(np.isfinite(x)):
            return np.full(n, np.nan), np.full(len(self.rows), np.nan)
        state, problem = self._at(x)
        metric = problem.metric
        rows, right = [np.zeros((0, n))], [np.zeros(0)]
        for curve, half in zip(self.guide.curves, self.guide.halves, strict=True):
            own = list(curve.coordinates)
            tau = curve.parameter(state.q[curve.lead], half)
            if not np.isfinite(tau):
                return np.full(n, np.nan), np.full(len(self.rows), np.nan)
            _, along, bend = curve.at(tau)
            rate = _rate(curve, along, state.v)
            scale = np.linalg.norm(metric.L, axis=1)[own]
            direction = along * scale
            across = complement((direction / np.linalg.norm(direction))[None], len(own)).T * scale
            placed = np.zeros((len(across), n))
            placed[:, own] = across
            rows.append(placed)
            right.append(across @ bend * np.square(rate))
        for sheet in self.guide.sheets:
            own = list(sheet.coordinates)
            try:
                across, gamma = sheet.conditions(state.q[own], state.v[own])
            except OpenError:
                return np.full(n, np.nan), np.full(len(self.rows), np.nan)
            placed = np.zeros((len(across), n))
            placed[:, own] = across
            rows.append(placed)
            right.append(gamma)
        rows.append(np.eye(n)[list(self.guide.fixed)])
        right.append(np.zeros(len(self.guide.fixed)))
        terms = self.setting.system.model.terms(*_parts(x, n), self.setting.theta)
        rows.append(terms.J[self._others])
        right.append(terms.gamma[self._others])
        W, gamma = metric.whitened(np.vstack(rows)), np.concatenate(right)
        if not np.all(np.isfinite(W)) or not np.all(np.isfinite(gamma)):
            return np.full(n, np.nan), np.full(len(self.rows), np.nan)
        length = lengths_of(W)
        change = (gamma - np.vstack(rows) @ metric.reference) / length
        z = np.asarray(np.linalg.lstsq(W / length[:, None], change, rcond=DEPENDENT)[0], dtype=float)
        return metric.reference + metric.lift(z), np.full(len(self.rows), np.nan)

    def pivot(self, x: Array) -> float:
        """Return 1: the rows of a curve are orthonormal."""
        return 1.0

    def step(self, x: Array, h: float) -> tuple[Array, Array]:
        """Return the state moved onto the curves and the other rows, and no record; steps have no length here."""
        n, y = self.setting.system.n, x.copy()
        q, v = y[1 : n + 1], y[n + 1 :]
        for curve, half in zip(self.guide.curves, self.guide.halves, strict=True):
            own, tau = list(curve.coordinates), curve.parameter(q[curve.lead], half)
            place, along, _ = curve.at(tau)
            q[own] = place
            v[own] = along * _rate(curve, along, v)
        for sheet in self.guide.sheets:
            own = list(sheet.coordinates)
            try:
                q[own], v[own] = sheet.moved(q[own], v[own])
            except OpenError:
                y[1:] = np.nan
        if not np.all(np.isfinite(y)):
            return y, np.zeros(0)
        metric = self._at(y)[1].metric
        if self._others:
            terms = self.setting.system.model.terms(*_parts(y, n), self.setting.theta)
            W = metric.whitened(terms.J[self._others])
            length = lengths_of(W)
            for part, residual in ((q, terms.phi), (v, terms.psi)):
                right = -residual[self._others] / length
                change = np.linalg.lstsq(W / length[:, None], right, rcond=DEPENDENT)[0]
                part += metric.lift(np.asarray(change, dtype=float))
        return y, np.zeros(0)

    def _at(self, x: Array) -> tuple[State, GaussProblem]:
        """Return a state with its problem, which has no rows."""
        state = State(*_parts(x, self.setting.system.n))
        return state, GaussProblem.at(self.setting.system, state, self.setting.controls_at(state), [])


def _rate(curve: Curve, along: Array, v: Array) -> float:
    """Return dτ/dt, from the velocity of the lead coordinate."""
    speed, slope = float(v[curve.lead]), float(along[curve.coordinates.index(curve.lead)])
    return speed / slope if speed else 0.0


def _parts(x: Array, n: int) -> tuple[Array, Array, float]:
    return x[1 : n + 1], x[n + 1 :], float(x[0])


def window_along(guide: Guide, ordinary: Stepper, x: Array, a: Array, span: float, first: bool) -> Window | None:
    """Return a window in which the motion follows a guide from x, or None at the end of its curves.

    `first` marks a start on the singular position, with the acceleration a. `Window.off` says whether the ordinary rows
    have the same acceleration at its end.
    """
    setting = ordinary.setting
    n, stepper = setting.system.n, GuidedStepper(guide, setting, ordinary.rows)
    a = a if first else stepper.accelerate(x)[0]
    h = min([span, *(_time_left(curve, x, a, n) for curve in guide.curves)])
    if guide.sheets:
        h = min(h, changing(GaussProblem.at(setting.system, State(*_parts(x, n)), None, []).metric, x, a))
    nodes = starting_nodes(COUNT) if first else gauss_nodes(COUNT)
    power = guide.power if first else 1
    for _ in range(HALVINGS):
        window = collocate(stepper, x, h, nodes, a, 0.0, setting.rtol, power) if np.isfinite(h) and h > 0.0 else None
        if window is not None:
            return replace(window, off=1.0 if _agree(window, stepper, ordinary) else BEYOND)
        h /= 2.0
    return None


def _time_left(curve: Curve, x: Array, a: Array, n: int) -> float:
    """Return the time in which the lead coordinate, with a constant acceleration, comes to the end of its curve."""
    gone, speed, push = x[1 + curve.lead] - curve.base, x[1 + n + curve.lead], a[curve.lead]
    way = float(np.sign(speed or push))
    left = FARTHEST * curve.length**curve.ramification - way * gone
    if left <= 0.0 or way == 0.0:
        return 0.0 if left <= 0.0 else np.inf
    return time_to(left, speed, max(way * push, 0.0))


def time_to(distance: float, speed: float, push: float) -> float:
    """Return the time in which a coordinate covers a distance, from a speed and with a constant acceleration along."""
    square = speed**2 + 2.0 * push * distance
    return float(2.0 * distance / (abs(speed) + np.sqrt(max(square, 0.0))))


def _agree(window: Window, guided: Stepper, ordinary: Stepper) -> bool:
    """Return whether the ordinary rows give the acceleration of the curves at the end of a window."""
    x = window.state(1.0)
    y, _ = ordinary.step(x, 0.0)
    one, other = guided.accelerate(x)[0], ordinary.accelerate(y)[0]
    size = size_of(window.a, x[x.size // 2 + 1 :], window.h)
    return bool(np.max(np.abs(one - other)) <= max(BETWEEN, 10.0 * ordinary.setting.rtol) * size)
