"""Where branches of the constraint set touch on the way of a motion: it may go on along any of them.

Where branches cross, the velocity tells which of them a motion follows. Where they touch it does not, and the rows lose
their rank with a power m of the distance above one. The m-th root of a determinant of the rows, with many digits, is
smooth along the branch that the motion comes on: its zero is the place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import arb, arb_mat

from gauss.arrays import Array
from gauss.errors import GaussError
from gauss.germs.curve import through
from gauss.germs.germ import holonomic_parts
from gauss.germs.numbers import Noisy, OpenError, precise
from gauss.germs.reduction import Rows, Split, settled
from gauss.model import System
from gauss.motion.crossing import KNOWN, LINEAR, singular_share
from gauss.motion.guided import choices_at
from gauss.motion.steppers import Stepper
from gauss.motion.window import Window
from gauss.principle import GaussProblem
from gauss.principle.metric import metric_of
from gauss.regularity.any_order import AnyOrder
from gauss.state import State
from gauss.zero import UNIT

NODES = 6  # states on either side of the place that are looked at
ROOM = 0.01  # share of the window that must be left on either side of it
WHOLE = 0.3  # by how much the estimate of a power may be off
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
        return sum(choice.leaves for choice in self.found.choices)


def meeting_in(window: Window, stepper: Stepper, u: Array) -> Meeting | None:
    """Return the place in a window where the branch of the motion touches others, or None; u are the controls."""
    system = stepper.setting.system
    model = system.model
    if any(model.kinds[k] != "holonomic" for k in model.equality) or model.trace.rheonomic:
        return None
    place = singular_share(window, stepper)
    if place is None or not ROOM < place[0] < 1.0 - ROOM or place[1] < LINEAR:
        return None
    try:
        with precise():
            share, state = _refined(window, system, place[0])
        ends = (window.state(x)[1 : system.n + 1] for x in (0.0, 1.0))
        found = choices_at(system, state, u, doubts(system, state, -np.subtract(*ends)))
    except (OpenError, GaussError):
        return None
    if found is None or sum(choice.leaves for choice in found.choices) < 2:
        return None
    return Meeting(replace(window, singular=share), share, state, found)


def doubts(system: System, state: State, way: Array) -> Array:
    """Return the uncertainty (n,) of the coordinates of a place that was located on a way of the extent `way` (n,)."""
    metric = metric_of(GaussProblem.at(system, state, None, []))
    return np.asarray(KNOWN * metric.norm(way) / np.linalg.norm(metric.L, axis=1))


def _refined(window: Window, system: System, share: float) -> tuple[float, State]:
    """Return the share of the window at which the rows lose their rank, and the state there. Raises OpenError."""
    n = system.n
    x, room = window.state(share), min(share, 1.0 - share)
    offsets = [side * room * (0.5 + k / (2.0 * NODES - 2.0)) for side in (-1.0, 1.0) for k in range(NODES)]
    states = [window.state(share + offset)[1 : n + 1] for offset in offsets]
    places: dict[int, float] = {}
    lead = -1
    for part in holonomic_parts(system):
        own = list(part.coordinates)
        fastest = int(np.argmax(np.abs(x[n + 1 :][own])))
        found = _zero(part, fastest, [q[own] for q in states], offsets) if np.any(x[n + 1 :][own]) else None
        if found is not None:
            places |= dict(zip(own, found, strict=True))
            lead = own[fastest]
    if lead < 0:
        raise OpenError("no rows lose their rank with a power of the distance")
    for _ in range(STEPS):
        x = window.state(share)
        share -= float((x[1 + lead] - places[lead]) / (window.h * x[1 + n + lead]))
    q = x[1 : n + 1].copy()
    q[list(places)] = list(places.values())
    state = State(q, x[n + 1 :], float(x[0]))
    rounding = UNIT * doubts(system, state, states[-1] - states[0]) / KNOWN
    return share, State(np.where(np.abs(q) <= rounding, 0.0, q), state.v, state.t)


def _zero(rows: Rows, lead: int, states: list[Array], offsets: list[float]) -> list[float] | None:
    """Return the coordinates at which some rows lose their rank, or None where they do not, or not like a power.

    Raises OpenError.
    """
    others = [j for j in range(len(rows.coordinates)) if j != lead]
    split, points, sizes = None, [], []
    for q in states:
        point = [Noisy(arb(float(value)), 0.0) for value in q]
        if split is None:
            across = [[row[j] for j in others] for row in rows.jacobian(point)]
            part = Split.of(across, rows.names, [1] * len(others))
            if part.free:
                return None
            split = Split(part.solving, tuple(others[j] for j in part.solved), part.rest, (lead,))
        point, _ = settled(rows, split, point)
        J = rows.jacobian([Noisy(entry.value, 0.0) for entry in point])
        r = len(split.solving)
        slopes = arb_mat(r, r, [J[i][j].value.mid() for i in split.solving for j in split.solved])
        points.append([entry.value.mid() for entry in point])
        sizes.append(abs(slopes.det().mid()))
    power = _power_of(np.abs(offsets), [float(size.log()) for size in sizes])
    if power < LINEAR:
        return None
    if abs(power - round(power)) > WHOLE:
        raise OpenError("the rows do not lose their rank with a power of the distance")
    roots = [
        (size.root(round(power)) * int(np.sign(offset))).mid() for size, offset in zip(sizes, offsets, strict=True)
    ]
    found: list[Any] = through(list(zip(roots, points, strict=True)))(arb(0))
    return [float(value.mid()) for value in found]


def _power_of(distances: Array, logarithms: list[float]) -> float:
    """Return the mean power with which sizes, given by logarithms, grow with the distance on both sides."""
    half = len(distances) // 2
    slopes = [
        (logarithms[last] - logarithms[first]) / np.log(distances[last] / distances[first])
        for first, last in ((0, half - 1), (half, 2 * half - 1))
    ]
    return float(np.mean(slopes))
