"""Where branches of the constraint set touch on the way of a motion: it may go on along any of them.

Where branches cross, the velocity tells which of them a motion follows. Where they touch it does not, and the run ends
at the place, which `gauss.motion.singular.tangent_branches.parting` finds.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gauss.errors import GaussError
from gauss.foundation.arrays import Array
from gauss.foundation.threads import precise
from gauss.foundation.zero import UNIT
from gauss.model import System
from gauss.model.state import State
from gauss.motion.singular.collocation import COUNT, Window, collocate, gauss_nodes
from gauss.motion.singular.crossing import KNOWN, touching_in
from gauss.motion.singular.spectrum import MostDependent, state_of
from gauss.motion.singular.tangent_branches.guided import BEYOND, Guide, GuidedStepper, leaving, several_at, time_to
from gauss.motion.singular.tangent_branches.parting import (
    NO_POWER,
    around,
    between,
    end_of,
    extrapolated,
    inside,
    place_of,
)
from gauss.motion.singular.tangent_branches.sheets import Sheet
from gauss.motion.steps.steppers import Setting, Stepper
from gauss.principle import GaussProblem
from gauss.uniqueness.germs.curve import Curve, curve_along
from gauss.uniqueness.germs.germ import Germ, germ_of
from gauss.uniqueness.germs.numbers import OpenError
from gauss.uniqueness.orders.any_order import AnyOrder

NARROWED = 6  # times that these states are taken half as far from it, where they do not agree on it
ROOM = 0.01  # share of the window that must be left on either side of it
FEWEST = 8  # states from which a place ahead is extrapolated
LONGER = 1.02  # length of a window to it, relative to the time until there
BEFORE = 0.96  # share of such a window in which its nodes lie: behind the place sheets may have changed their sides
AT_REST = 1e-4  # share of the speed before: a place known to its square is reached at rest with less than this
STEPS = 4  # of Newton's method for the time


@dataclass(frozen=True)
class Meeting:
    """A state at which branches that touch leave in the direction of the motion."""

    window: Window  # that leads there
    share: float  # of the window, at which it is
    state: State
    found: AnyOrder

    @property
    def branches(self) -> int:
        """The number of branches on which motions leave."""
        return leaving(self.found)


def meeting_in(window: Window, stepper: Stepper, before: Array, u: Array) -> Meeting | None:
    """Return the place in a window where the branch of the motion touches others, or None.

    Where the window does not tell it, the states `before` it (k, 2n+1) are asked; u are the controls.
    """
    system = stepper.setting.system
    if not _has_germs(system):
        return None
    places, regular = touching_in(window, stepper)
    for place in places:
        if not ROOM < place.share < 1.0 - ROOM:
            continue
        try:
            with precise():
                share, state = _refined(window, system, place)
            ends = (window.state(x)[1 : system.n + 1] for x in (0.0, 1.0))
            branches = several_at(system, state, u, doubts(system, state, -np.subtract(*ends)))
        except (OpenError, GaussError):
            return meeting_ahead(stepper, before, u)
        if branches is not None:
            return Meeting(replace(window, singular=share), share, state, branches)
    return meeting_ahead(stepper, before, u) if regular else None


def meeting_along(window: Window, guide: Guide, setting: Setting, u: Array) -> Meeting | None:
    """Return where the sheet that a window follows touches the other one again, or None; u are the controls."""
    system, n = setting.system, setting.system.n
    for sheet in guide.sheets:
        try:
            share = inside(window, sheet)
            if share is None:
                continue
            x = window.state(share)
            unsure = doubts(system, state_of(x, n), x[1 : n + 1] - window.start[1 : n + 1]) * setting.rtol / KNOWN
            q = np.where(np.abs(x[1 : n + 1]) <= UNIT * unsure / setting.rtol, 0.0, x[1 : n + 1])
            state = State(q, x[n + 1 :], float(x[0]))
            found = several_at(system, state, u, unsure)
        except (OpenError, GaussError):
            continue
        if found is not None:
            return Meeting(replace(window, singular=share), share, state, found)
    return None


def meeting_ahead(stepper: Stepper, states: Array, u: Array) -> Meeting | None:
    """Return the place to which the last of some states (k, 2n+1) comes, or None where no branches touch there.

    The states lead to it on one branch, which the series there show with the others. Along its curve a window follows.
    """
    system, x = stepper.setting.system, states[-1]
    n = system.n
    if not _has_germs(system) or len(states) < FEWEST:
        return None
    try:
        with precise():
            places, lead = place_of(system, x, states[:, 1 : n + 1], extrapolated)
        q = x[1 : n + 1].copy()
        q[list(places)] = list(places.values())
        unsure = doubts(system, State(q, x[n + 1 :], float(x[0])), q - states[0, 1 : n + 1])
        q = np.where(np.abs(q) <= UNIT * unsure / KNOWN, 0.0, q)
        guide = _incoming(system, State(q, np.zeros(n), float(x[0])), unsure, x, lead)
        guided = GuidedStepper(guide, stepper.setting, stepper.rows)
        a = guided.accelerate(x)[0]
        h = LONGER * time_to(abs(q[lead] - x[1 + lead]), x[1 + n + lead], a[lead] * np.sign(q[lead] - x[1 + lead]))
        window = collocate(guided, x, h, BEFORE * gauss_nodes(COUNT), a, 1.0, stepper.setting.rtol)
        if window is None:
            return None
        share = _share(window, lead, q[lead], 1.0 / LONGER)
        there = window.state(share)
        if guide.sheets and not np.all(np.abs(there[1 : n + 1] - q) <= unsure):
            share = end_of(window, guide.sheets[0], share)  # the window is nearer to the sheet than the states are
            there = window.state(share)
            q[list(guide.sheets[0].coordinates)] = there[1 : n + 1][list(guide.sheets[0].coordinates)]
            unsure = np.minimum(unsure, stepper.setting.rtol * np.abs(q - x[1 : n + 1]) + UNIT * np.abs(q))
        if not np.all(np.abs(there[1 : n + 1] - q) <= unsure):
            return None
        state = State(q, there[n + 1 :], float(there[0]))
        if np.linalg.norm(state.v) <= AT_REST * np.linalg.norm(x[n + 1 :]):
            share, there = _at_rest(window, guided, share)
            state = State(np.where(np.abs(q) <= unsure, 0.0, q), np.zeros(n), float(there[0]))
        found = several_at(system, state, u, unsure)
    except (OpenError, GaussError):
        return None
    return None if found is None else Meeting(replace(window, singular=share, off=BEYOND), share, state, found)


def _at_rest(window: Window, stepper: Stepper, share: float) -> tuple[float, Array]:
    """Return the share of a window near a given one at which the motion in it comes to rest, and the state there."""
    n, there = window.a.shape[1], window.state(share)
    for _ in range(STEPS):
        v, a = there[n + 1 :], stepper.accelerate(there)[0]
        change = float(v @ a) / float(a @ a) / window.h if np.all(np.isfinite(a)) and np.any(a) else 0.0
        share -= change
        there = window.state(share)
    return share, there


def _has_germs(system: System) -> bool:
    """Whether all equality rows are ones whose germ is known: holonomic, and the same at all times."""
    model = system.model
    return all(model.kinds[k] == "holonomic" for k in model.equality) and not model.trace.rheonomic


def _incoming(system: System, state: State, unsure: Array, x: Array, lead: int) -> Guide:
    """Return the branch, or sheet, at a place that a state x is on. Raises OpenError."""
    germ = germ_of(system, state, None, unsure)
    part = next((part for part in germ.factors or (germ,) if lead in part.coordinates), germ)
    try:
        curve = _curve_of(system, part, state, unsure, x)
    except OpenError:
        return Guide((), (), (), 1, "", (Sheet.through(system, part, x[1 : system.n + 1]),))
    return Guide((curve,), (0,), (), 1, "")


def _curve_of(system: System, part: Germ, state: State, unsure: Array, x: Array) -> Curve:
    """Return the branch of a germ at a state that a state x is on. Raises OpenError."""
    found: list[tuple[float, Curve]] = []
    own = list(part.coordinates)
    for branch in part.branches:
        if branch.ramification > 1:
            continue
        reach = abs(x[1 + branch.lead] - state.q[branch.lead])
        curve = curve_along(system, part, branch, 2.0 * reach)
        tau = curve.parameter(x[1 + branch.lead], 0)
        if np.isfinite(tau):
            found.append((float(np.max(np.abs(curve.at(tau)[0] - x[1:][own]) / unsure[own])), curve))
    near = [entry for entry in found if entry[0] <= 1.0]
    if not near:
        raise OpenError("the state is on no branch of the place ahead")
    return min(near, key=lambda entry: entry[0])[1]


def doubts(system: System, state: State, way: Array) -> Array:
    """Return the uncertainty (n,) of the coordinates of a place that was located on a way of the extent `way` (n,)."""
    metric = GaussProblem.at(system, state, None, []).metric
    return np.asarray(KNOWN * metric.norm(way) / np.linalg.norm(metric.L, axis=1))


def _refined(window: Window, system: System, place: MostDependent) -> tuple[float, State]:
    """Return the share of the window at which the rows lose their rank, and the state there. Raises OpenError."""
    n = system.n
    x, room = window.state(place.share), min(place.room, place.share, 1.0 - place.share)
    for k in range(NARROWED):
        offsets = (room / 2.0**k * around(0.5, 1.0)).tolist()
        states = np.array([window.state(place.share + offset)[1 : n + 1] for offset in offsets])
        with suppress(OpenError):
            places, lead = place_of(system, x, states, partial(between, offsets=offsets))
            break
    else:
        raise OpenError(NO_POWER)
    share = _share(window, lead, places[lead], place.share)
    x = window.state(share)
    q = x[1 : n + 1].copy()
    q[list(places)] = list(places.values())
    state = State(q, x[n + 1 :], float(x[0]))
    rounding = UNIT * doubts(system, state, states[-1] - states[0]) / KNOWN
    return share, State(np.where(np.abs(q) <= rounding, 0.0, q), state.v, state.t)


def _share(window: Window, lead: int, value: float, guess: float) -> float:
    """Return the share of a window at which a coordinate has a value, by Newton's method from a guess."""
    share, n = guess, window.a.shape[1]
    for _ in range(STEPS):
        x = window.state(share)
        share -= float((x[1 + lead] - value) / (window.h * x[1 + n + lead]))
    return share
