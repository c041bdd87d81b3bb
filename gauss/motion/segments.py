"""Segments: what begins and ends them: impacts, contacts that open or close, rows that give way, sampling instants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gauss.contact import pressing_among
from gauss.foundation.zero import CLEAR
from gauss.motion.contacts.friction import ModeChange
from gauss.motion.contacts.mode_changes import decide_modes, mode_change
from gauss.motion.contacts.mode_changes_in_space import ending_slips
from gauss.motion.contacts.striking import after_impacts, closing, stop
from gauss.motion.events.monitors import Monitors
from gauss.motion.events.stalling import Stop
from gauss.motion.integrator import Integrator
from gauss.motion.record.trajectory import MotionEvent
from gauss.motion.singular.redundant import WORTH, alike, bearing_contacts, better_rows
from gauss.motion.steps.sampled import ZeroOrderHold, held_setting, same_instant
from gauss.motion.steps.steppers import Setting
from gauss.principle import GaussProblem

REDUNDANT = 1e-9  # largest distance off the constraints of rows that count as redundant, relative to the state
KEPT = 128  # programs of closed contacts whose answers are kept, and rows in force with what is watched then


def begin(
    integrator: Integrator,
    change: ModeChange | None = None,
    settled: tuple[int, ...] = (),
    met: tuple[int, ...] = (),
) -> None:
    """Resolve impacts at the current state, decide which contacts press, stick and slip, set up a segment.

    `change` says what has just happened to contacts; `settled` are those whose rebound is too small to be followed,
    and `met` those that have just closed, which count as closed. Raises Stop where no motion goes on, or more than one.
    """
    system, change, integrator.settled = integrator.system, change or ModeChange(), False
    if system.model.unilateral or integrator.contacts:
        before = integrator.x
        closed = after_impacts(integrator, met)
        if integrator.x is before:
            closed = tuple(sorted({*closed, *settled}))
        else:  # an impact has changed the velocities, and with them the reactions
            change = ModeChange()
        integrator.guards.change(integrator.t)
        change = _with_alike(integrator, closed, change)
        if integrator.contacts:
            decide_modes(integrator, closed, change)
        elif not closed and integrator.blocks and not system.model.equality:  # nothing binds
            integrator.enforce(())
        else:
            pressing = _pressing(integrator, closed, change.released)
            integrator.enforce(tuple(sorted((*integrator.base, *pressing))))
        if (settled or integrator.x is not before) and integrator.locked is None:  # contacts close within a tolerance
            integrator.x = integrator.stepper.step(integrator.x, 0.0)[0]
    elif integrator.rows != integrator.base or integrator.stepper.setting is not integrator.setting:
        integrator.enforce(integrator.base)
    watch(integrator)
    integrator.settled = True


def _with_alike(integrator: Integrator, closed: tuple[int, ...], change: ModeChange) -> ModeChange:
    """Return a change in which contacts are released, too, that say the same as released ones."""
    if not change.released or set(closed) <= set(change.released):
        return change
    program = GaussProblem.at(integrator.system, integrator.state, None, closed, integrator.terms)
    more = alike(program.whitened, integrator.base, change.released, closed)
    integrator.log += [MotionEvent(integrator.t, "release", integrator.system.row_names[k]) for k in more]
    return replace(change, released=(*change.released, *more))


def _pressing(integrator: Integrator, closed: tuple[int, ...], released: tuple[int, ...]) -> tuple[int, ...]:
    """Return the closed contacts that carry the reaction; of steady rows a program met before has its answer."""
    system, setting, terms, base = integrator.system, integrator.setting, integrator.terms, integrator.base
    known = setting.control is None and system.black_box_force is None
    key = None
    if known and system.model.steady:
        key = (*(x.tobytes() for x in (setting.theta, terms.f, terms.gamma)), closed, released, base)
        if key in integrator.pressed:
            return integrator.pressed[key]
    program = GaussProblem.at(system, integrator.state, integrator.control, closed, terms if known else None)
    pressing, multipliers = pressing_among(program, closed, released)
    if pressing:
        pressing = bearing_contacts(program, base, pressing, multipliers)
    if key is not None:
        if len(integrator.pressed) >= KEPT:
            integrator.pressed.clear()
        integrator.pressed[key] = pressing
    return pressing


def watch(integrator: Integrator) -> None:
    """Watch what may end the segment of the rows in force, and what the user watches."""
    kept, rows, theta = integrator.watched, integrator.rows, integrator.setting.theta
    if rows not in kept or kept[rows].theta is not theta or integrator.contacts:
        if len(kept) >= KEPT:
            kept.clear()
        kept[rows] = Monitors(
            integrator.system,
            integrator.events,
            integrator.functions,
            rows,
            theta,
            modes=integrator.modes,
            span=integrator.span,
        )
    integrator.monitors = kept[rows].resumed(*integrator.memory)


def handle(integrator: Integrator, which: tuple[int, ...]) -> None:
    """Log what crossed; end the segment where the active rows change, or the run at a terminal event.

    Raises Stop at a terminal event.
    """
    monitors, t = integrator.monitors, integrator.t
    released: list[int] = []
    settled: list[int] = []
    met: list[int] = []
    ends = False
    change = ModeChange()
    for i in which:
        if i >= monitors.kinematic:
            event = monitors.events[i - monitors.kinematic]
            integrator.log.append(MotionEvent(t, "event", event.name))
            if event.terminal:
                raise Stop("event", f"event {event.name!r} at t = {t:.12g} s")
            continue
        ends = True
        kind, row = monitors.watched[i]
        if kind == "gap":
            (met if _closes_fast(integrator, row) else settled).append(row)
        elif kind == "load":
            released.append(row)
        else:
            change = mode_change(integrator, kind, row, change)
    if ends:
        change = replace(change, released=(*change.released, *released))
        for row in change.released:
            integrator.log.append(MotionEvent(t, "release", integrator.system.row_names[row]))
        integrator.memory = monitors.memory
        integrator.record_here()
        integrator.settled = False
        loss = stop(integrator, settled) if settled and not met else 0.0
        for row in settled:
            integrator.log.append(closing(integrator, row, loss))
            loss = 0.0
        begin(integrator, change, tuple(settled), tuple(met))


def finish_slips(integrator: Integrator) -> None:
    """Stop contacts that slide in space where their slip ends within a thousand times the resolution of time.

    A slip that turns as it ends, as down an incline, turns ever faster, and so no step leads past its end.
    """
    if not integrator.in_space:
        return
    ending = ending_slips(integrator)
    if ending:
        integrator.memory = integrator.monitors.memory
        integrator.record_here()
        begin(integrator, ModeChange(signs=dict.fromkeys(ending, 0.0)))


def sample(integrator: Integrator, held: ZeroOrderHold, setting: Setting) -> None:
    """At a sampling instant, ask the controller and go on with what it returns; `setting` is that of the run.

    Raises Stop beyond an instant.
    """
    there = same_instant(integrator.t, held.due, held.period)
    if integrator.t < held.due and not there:
        return
    if not there:
        raise Stop("failed", f"the sampling instant t = {held.due:.9g} s lies in the passage of a singular position")
    if integrator.t >= integrator.t_end - integrator.resolution:
        return
    integrator.x[0] = held.due
    integrator.guards.bounded(integrator.t)
    held.sample(integrator.t, integrator.state.q, integrator.state.v)
    integrator.use(held_setting(setting, integrator.x))
    note_sample(integrator, held)
    integrator.memory, pressed = integrator.monitors.memory, integrator.monitors.pressing
    begin(integrator)
    names = [integrator.system.row_names[row] for row in pressed if row not in integrator.rows]
    integrator.log += [MotionEvent(integrator.t, "release", name) for name in names]


def note_sample(integrator: Integrator, held: ZeroOrderHold) -> None:
    """Let the guards know the controls that are held from now on."""
    controls = integrator.setting.theta[len(integrator.system.parameters) :]
    integrator.guards.sample(held.period, integrator.system.controls, controls)


def _closes_fast(integrator: Integrator, row: int) -> bool:
    """Whether a contact closes so fast that an impact follows."""
    terms = integrator.terms
    return bool(terms.psi[row] < -integrator.sizes(terms).rate()[row])


def mind_redundant(integrator: Integrator, gain: float = WORTH, after: float = 0.0) -> bool:
    """Exchange rows that were left out as redundant for others where that gains much; return whether it was done.

    With a time `after` (s) it is what they gain then: of two rows for one condition the other may vanish on the way.

    Raises Stop where the rows that are left out are no longer satisfied.
    """
    equality = integrator.system.model.equality
    if len(integrator.base) == len(equality):
        return False
    out = [k for k in equality if k not in integrator.base]
    state = integrator.state
    terms = integrator.system.model.terms(state.q, state.v, state.t, integrator.setting.theta)
    length = np.asarray(np.linalg.norm(terms.J[out], axis=1), dtype=float)
    length = np.where(length > 0.0, length, 1.0)
    place, speed = 1.0 + np.linalg.norm(state.q), 1.0 + np.linalg.norm(state.v)
    bad = (np.abs(terms.phi[out]) / length > REDUNDANT * place) | (np.abs(terms.psi[out]) / length > REDUNDANT * speed)
    if np.any(bad):  # a row that vanishes here has no length, but its terms have their rounding
        noise = integrator.system.model.noise(state.q, state.v, state.t, integrator.setting.theta)
        clear = [np.abs(x[out]) >= CLEAR * w[out] for x, w in ((terms.phi, noise.phi), (terms.psi, noise.psi))]
        bad &= clear[0] | clear[1]
    if np.any(bad):
        names = ", ".join(repr(integrator.system.row_names[k]) for k, wrong in zip(out, bad, strict=True) if wrong)
        raise Stop(
            "singular",
            f"at t = {state.t:.9g} s the rows {names}, redundant so far, are no longer satisfied by the motion that"
            " the other rows allow: the rank of the constraints changes here",
        )
    ahead = None
    if after > 0.0:
        a = integrator.stepper.accelerate(integrator.x)[0]
        q, v = state.q + after * (state.v + 0.5 * after * a), state.v + after * a
        ahead = integrator.system.model.terms(q, v, state.t + after, integrator.setting.theta).J
        ahead = ahead if np.all(np.isfinite(ahead)) else None
    base = better_rows(integrator.system, terms.J, integrator.base, gain, ahead)
    if base == integrator.base:
        return False
    contacts = [k for k in integrator.rows if k not in integrator.base]
    integrator.base = base
    integrator.enforce(tuple(sorted((*base, *contacts))), integrator.slides)
    integrator.memory = integrator.monitors.memory
    watch(integrator)
    return True
