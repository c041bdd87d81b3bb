"""Where no step can be taken: an impact leads out of a jam of sliding friction, or the run stops and says why."""

from __future__ import annotations

import contextlib

import numpy as np

from gauss.errors import GaussError
from gauss.foundation.arrays import Array
from gauss.model.compiled import StepScalar
from gauss.model.state import State
from gauss.motion.contacts.striking import impact_without_collision
from gauss.motion.events.escape import vanished
from gauss.motion.events.stalling import Stop
from gauss.motion.integrator import Integrator
from gauss.motion.segments import begin
from gauss.motion.singular.crossing import verdict_near
from gauss.principle import GaussProblem
from gauss.uniqueness import diagnose

BEHIND = 1e-6  # share of the run within which a jam must be left behind
JAMMED = 1e-3  # a pivot of sliding contacts below this, where no step can be taken any more, is that of a jam


def vanish(integrator: Integrator, error: float) -> None:
    """Stop a run whose step size went to zero, saying why, or go on behind a jam.

    `error` is that of the last step tried. Raises Stop.
    """
    if integrator.slides and not integrator.stepper.pivot(integrator.x) > JAMMED:
        jam(integrator)
        return
    trouble = integrator.stepper.trouble
    ending = vanished(*integrator.recorded, integrator.t, integrator.resolution, error, trouble)
    if ending.kind != "escape":  # on an escape numbers may be too large for a verdict on the rows
        with contextlib.suppress(GaussError):
            alarm(integrator)
            verdict = verdict_near(integrator.system, integrator.state, integrator.control)
            if verdict is not None:
                raise Stop(
                    "singular", f"at t = {integrator.t:.12g} s the motion ends at a singular position. {verdict}"
                )
    if integrator.locked is not None and trouble:
        raise Stop(
            "singular", f"the position that the motion comes to at t = {integrator.t:.9g} s does not lock it: {trouble}"
        )
    raise Stop(ending.kind, ending.message, ending.limit)


def jam(integrator: Integrator) -> None:
    """Go on by an impact where sliding friction has driven a contact force beyond all bounds, if that is wanted.

    Raises Stop otherwise.
    """
    names = ", ".join(repr(integrator.contacts[slide.contact].name) for slide in integrator.slides)
    text = (
        f"at t = {integrator.t:.12g} s sliding friction at {names} drives the contact force beyond all bounds: a"
        " dynamic jam (Painlevé), after which no finite contact forces satisfy the law of friction"
    )
    if any(slide.pin is not None for slide in integrator.slides):
        raise Stop(
            "inconsistent",
            f"at t = {integrator.t:.12g} s the load of a dry pin depends too much on its torque for a single one to be"
            f" followed, or a contact force grows beyond all bounds; what slips is {names}",
        )
    if integrator.paradox != "impact":
        raise Stop("inconsistent", text + '; paradox="impact" goes on with an impact without collision')
    integrator.record_here()
    integrator.settled = False
    integrator.x = _beyond(integrator, text)
    impact_without_collision(integrator, text)
    integrator.memory = integrator.monitors.memory
    begin(integrator)


def _beyond(integrator: Integrator, text: str) -> Array:
    """Return the state just behind a jam, where sliding drives the contact in, on the path of the velocities now.

    Raises Stop where they do not lead there within a millionth of the run.
    """
    n = integrator.system.n
    ahead = integrator.resolution
    while ahead < BEHIND * integrator.span:
        moved = integrator.x.copy()
        moved[0] += ahead
        moved[1 : n + 1] += ahead * integrator.x[n + 1 :]
        if integrator.stepper.pivot(moved) < 0.0:
            return moved
        ahead *= 2.0
    raise Stop("inconsistent", text)


def alarm(integrator: Integrator) -> None:
    """Judge the current state. Raises Stop if its rows are dependent."""
    if integrator.locked is not None or integrator.slides:
        return
    verdict = integrator.verdict()
    if not set(verdict.verdicts) <= {"regular", "redundant"}:
        raise Stop("singular", f"at t = {integrator.t:.9g} s the position is {verdict.sentence}")


def singular_ahead(integrator: Integrator, record: Array, h: float) -> Stop:
    """Return the end of a run whose next step leads onto a rank-deficient position, naming the rows."""
    state, n = integrator.state, integrator.system.n
    a = np.nan_to_num(record[:n])
    ahead = State(state.q + h * state.v + h * h * a / 2, state.v + h * a, state.t + h)
    weakest = diagnose(GaussProblem.at(integrator.system, ahead, integrator.control)).weakest
    names = " + ".join(repr(name) for name in weakest)
    if integrator.setting.careful:
        return Stop(
            "undecided",
            f"between t = {state.t:.9g} and {ahead.t:.9g} s the rows {names} are so nearly dependent that rounding"
            f" decides where the motion goes (sine {record[StepScalar.PIVOT]:.2g})",
        )
    return Stop(
        "singular",
        f"between t = {state.t:.9g} and {ahead.t:.9g} s the motion comes to a rank-deficient position or next to"
        f" one, where the rows {names} become dependent (smallest pivot {record[StepScalar.PIVOT]:.2g})",
    )
