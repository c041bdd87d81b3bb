"""Segments: what begins and ends them, which are impacts, contacts that open or close, and rows no longer satisfied."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gauss.contact import pressing_rows
from gauss.foundation.zero import CLEAR
from gauss.motion.contacts.contacts import decide_modes, mode_change
from gauss.motion.contacts.friction import ModeChange
from gauss.motion.contacts.space import ending_slips
from gauss.motion.contacts.striking import after_impacts, closing, stop
from gauss.motion.course import Course
from gauss.motion.events.guards import Stop
from gauss.motion.events.monitors import Monitors
from gauss.motion.record.trajectory import MotionEvent
from gauss.motion.singular.redundant import WORTH, bearing_contacts, better_rows

REDUNDANT = 1e-9  # largest distance off the constraints of rows that count as redundant, relative to the state


def begin(course: Course, change: ModeChange | None = None, settled: tuple[int, ...] = ()) -> None:
    """Resolve impacts at the current state, decide which contacts press, stick and slip, set up a segment.

    `change` says what has just happened to contacts; `settled` are those whose rebound is too small to be followed,
    which count as closed. Raises Stop where no motion goes on, or more than one.
    """
    system, change, course.settled = course.system, change or ModeChange(), False
    if system.model.unilateral or course.contacts:
        before = course.x
        closed = after_impacts(course)
        if course.x is before:
            closed = tuple(sorted({*closed, *settled}))
        else:  # an impact has changed the velocities, and with them the reactions
            change = ModeChange()
        course.guards.change(course.t)
        if course.contacts:
            decide_modes(course, closed, change)
        else:
            pressing, solution = pressing_rows(system, course.state, closed, change.released, course.control)
            metric = solution.problem.metric
            pressing = bearing_contacts(system, course.state, metric, course.base, pressing, solution.multipliers)
            course.enforce(tuple(sorted((*course.base, *pressing))))
        if (settled or course.x is not before) and course.locked is None:  # contacts close within a tolerance
            course.x = course.stepper.step(course.x, 0.0)[0]
    else:
        course.enforce(course.base)
    _watch(course)
    course.settled = True


def _watch(course: Course) -> None:
    course.monitors = Monitors(
        course.system,
        course.events,
        course.functions,
        course.rows,
        course.setting.theta,
        *course.memory,
        modes=course.modes,
        span=course.span,
    )


def handle(course: Course, which: tuple[int, ...]) -> None:
    """Log what crossed; end the segment where the active rows change, or the run at a terminal event.

    Raises Stop at a terminal event.
    """
    monitors, t = course.monitors, course.t
    released: list[int] = []
    settled: list[int] = []
    ends = striking = False
    change = ModeChange()
    for i in which:
        if i >= monitors.kinematic:
            event = monitors.events[i - monitors.kinematic]
            course.log.append(MotionEvent(t, "event", event.name))
            if event.terminal:
                raise Stop("event", f"event {event.name!r} at t = {t:.12g} s")
            continue
        ends = True
        kind, row = monitors.watched[i]
        if kind == "gap":
            fast = _closes_fast(course, row)
            striking = striking or fast
            settled += [] if fast else [row]
        elif kind == "load":
            released.append(row)
        else:
            change = mode_change(course, kind, row, change)
    if ends:
        change = replace(change, released=(*change.released, *released))
        for row in change.released:
            course.log.append(MotionEvent(t, "release", course.system.row_names[row]))
        course.memory = monitors.memory
        course.record_here()
        course.settled = False
        loss = stop(course, settled) if settled and not striking else 0.0
        for row in settled:
            course.log.append(closing(course, row, loss))
            loss = 0.0
        begin(course, change, tuple(settled))


def finish_slips(course: Course) -> None:
    """Stop contacts that slide in space where their slip ends within a thousand times the resolution of time.

    A slip that turns as it ends, as down an incline, turns ever faster, and so no step leads past its end.
    """
    if not course.in_space:
        return
    ending = ending_slips(course)
    if ending:
        course.memory = course.monitors.memory
        course.record_here()
        begin(course, ModeChange(signs=dict.fromkeys(ending, 0.0)))


def _closes_fast(course: Course, row: int) -> bool:
    """Whether a contact closes so fast that an impact follows."""
    state = course.state
    terms = course.system.model.terms(state.q, state.v, state.t, course.setting.theta)
    return bool(terms.psi[row] < -course.sizes(terms).rate()[row])


def mind_redundant(course: Course, gain: float = WORTH, after: float = 0.0) -> bool:
    """Exchange rows that were left out as redundant for others where that gains much; return whether it was done.

    With a time `after` (s) it is what they gain then: of two rows for one condition the other may vanish on the way.

    Raises Stop where the rows that are left out are no longer satisfied.
    """
    out = [k for k in course.system.model.equality if k not in course.base]
    if not out:
        return False
    state = course.state
    terms = course.system.model.terms(state.q, state.v, state.t, course.setting.theta)
    length = np.asarray(np.linalg.norm(terms.J[out], axis=1), dtype=float)
    length = np.where(length > 0.0, length, 1.0)
    place, speed = 1.0 + np.linalg.norm(state.q), 1.0 + np.linalg.norm(state.v)
    bad = (np.abs(terms.phi[out]) / length > REDUNDANT * place) | (np.abs(terms.psi[out]) / length > REDUNDANT * speed)
    if np.any(bad):  # a row that vanishes here has no length, but its terms have their rounding
        noise = course.system.model.noise(state.q, state.v, state.t, course.setting.theta)
        clear = [np.abs(x[out]) >= CLEAR * w[out] for x, w in ((terms.phi, noise.phi), (terms.psi, noise.psi))]
        bad &= clear[0] | clear[1]
    if np.any(bad):
        names = ", ".join(repr(course.system.row_names[k]) for k, wrong in zip(out, bad, strict=True) if wrong)
        raise Stop(
            "singular",
            f"at t = {state.t:.9g} s the rows {names}, redundant so far, are no longer satisfied by the motion that"
            " the other rows allow: the rank of the constraints changes here",
        )
    ahead = None
    if after > 0.0:
        a = course.stepper.accelerate(course.x)[0]
        q, v = state.q + after * (state.v + 0.5 * after * a), state.v + after * a
        ahead = course.system.model.terms(q, v, state.t + after, course.setting.theta).J
        ahead = ahead if np.all(np.isfinite(ahead)) else None
    base = better_rows(course.system, terms.J, course.base, gain, ahead)
    if base == course.base:
        return False
    contacts = [k for k in course.rows if k not in course.base]
    course.base = base
    course.enforce(tuple(sorted((*base, *contacts))), course.slides)
    course.memory = course.monitors.memory
    _watch(course)
    return True
