"""Segments: what begins and ends them, which are impacts, contacts that open or close, and rows no longer satisfied."""

from __future__ import annotations

import numpy as np

from gauss.contact import pressing_rows, resolve_impact
from gauss.motion.course import Course
from gauss.motion.guards import Stop
from gauss.motion.monitors import Monitors
from gauss.motion.redundant import bearing_contacts
from gauss.motion.trajectory import MotionEvent
from gauss.principle.metric import metric_of
from gauss.principle.problem import CONTACT_TOLERANCE, closed_rows, row_size

REDUNDANT = 1e-9  # largest distance off the constraints of rows that count as redundant, relative to the state


def begin(course: Course, released: tuple[int, ...] = (), settled: tuple[int, ...] = ()) -> None:
    """Resolve impacts at the current state, let the quadratic program choose the pressing rows, set up a segment.

    `released` are contacts that have just opened; `settled` are those whose rebound is too small to be followed, which
    count as closed.
    """
    system = course.system
    pressing: tuple[int, ...] = ()
    if system.model.unilateral:
        before = course.x
        closed = tuple(sorted({*_after_impacts(course), *settled}))
        if course.x is not before:  # an impact has changed the velocities, and with them the reactions
            released = ()
        pressing, solution = pressing_rows(system, course.state, closed, released, course.control)
        metric = metric_of(solution.problem)
        pressing = bearing_contacts(system, course.state, metric, course.base, pressing, solution.multipliers)
        course.guards.change(course.t)
    course.enforce(tuple(sorted((*course.base, *pressing))))
    course.monitors = Monitors(
        system, course.events, course.functions, course.rows, course.setting.theta, *course.memory
    )


def _after_impacts(course: Course) -> tuple[int, ...]:
    """Resolve the impact of a closing contact, if there is one; return the contacts that are then closed."""
    state, system = course.state, course.system
    terms = system.model.terms(state.q, state.v, state.t, course.setting.theta)
    closed = closed_rows(system, terms.phi, terms.psi, terms.J, state)
    speed = CONTACT_TOLERANCE * row_size(terms.J, state.v)
    hitting = [k for k in closed if terms.psi[k] < -speed[k]]
    if not hitting:
        return closed
    if len(hitting) > 1:
        names = ", ".join(repr(system.row_names[k]) for k in hitting)
        raise Stop(
            "simultaneous",
            f"the contacts {names} close at the same time t = {state.t:.12g} s; what then happens depends on the"
            " order of the impacts, and one restitution coefficient each does not determine it",
        )
    if not course.blocks:
        course.record_here()
    k = hitting[0]
    impact = resolve_impact(system, state, k, [c for c in closed if c != k])
    course.x = np.concatenate([[state.t], state.q, impact.v])
    course.log.append(MotionEvent(state.t, "impact", impact.row, -float(terms.psi[k]), impact.energy_loss))
    course.guards.chatter(impact.row, course.log)
    return _after_impacts(course)


def handle(course: Course, which: tuple[int, ...]) -> None:
    """Log what crossed; end the segment where the active rows change, or the run at a terminal event.

    Raises Stop at a terminal event.
    """
    monitors, t = course.monitors, course.t
    opened, pressing = len(monitors.open), len(monitors.pressing)
    released: list[int] = []
    settled: list[int] = []
    closing = False
    for i in which:
        if i < opened:
            closing = True
            row = monitors.open[i]
            if not _closes_fast(course, row):
                settled.append(row)
                course.log.append(MotionEvent(t, "contact", course.system.row_names[row]))
        elif i < opened + pressing:
            row = monitors.pressing[i - opened]
            released.append(row)
            course.log.append(MotionEvent(t, "release", course.system.row_names[row]))
        else:
            event = monitors.events[i - opened - pressing]
            course.log.append(MotionEvent(t, "event", event.name))
            if event.terminal:
                raise Stop("event", f"event {event.name!r} at t = {t:.12g} s")
    if closing or released:
        course.memory = monitors.memory
        course.record_here()
        begin(course, tuple(released), tuple(settled))


def _closes_fast(course: Course, row: int) -> bool:
    """Whether a contact closes so fast that an impact follows."""
    state = course.state
    terms = course.system.model.terms(state.q, state.v, state.t, course.setting.theta)
    return bool(terms.psi[row] < -CONTACT_TOLERANCE * row_size(terms.J, state.v)[row])


def require_redundant(course: Course) -> None:
    """Stop where rows that were left out as redundant are no longer satisfied."""
    out = [k for k in course.system.model.equality if k not in course.base]
    if not out:
        return
    state = course.state
    terms = course.system.model.terms(state.q, state.v, state.t, course.setting.theta)
    length = np.asarray(np.linalg.norm(terms.J[out], axis=1), dtype=float)
    length = np.where(length > 0.0, length, 1.0)
    place, speed = 1.0 + np.linalg.norm(state.q), 1.0 + np.linalg.norm(state.v)
    bad = (np.abs(terms.phi[out]) / length > REDUNDANT * place) | (np.abs(terms.psi[out]) / length > REDUNDANT * speed)
    if np.any(bad):
        names = ", ".join(repr(course.system.row_names[k]) for k, wrong in zip(out, bad, strict=True) if wrong)
        raise Stop(
            "singular",
            f"at t = {state.t:.9g} s the rows {names}, redundant so far, are no longer satisfied by the motion that"
            " the other rows allow: the rank of the constraints changes here",
        )
