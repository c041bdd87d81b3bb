"""Frictional contacts at an event of a motion: the modes are found anew, and the motion goes on in what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gauss.contact.verdict import ContactSolution, ContactVerdict
from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import RESTS
from gauss.motion.contacts.friction import ModeChange, chosen, modes_of, verdict_at
from gauss.motion.contacts.mode_changes_in_space import broken_loose, decide_modes_in_space, slip_ended
from gauss.motion.contacts.striking import after_impacts, impact_without_collision
from gauss.motion.events.stalling import Stop
from gauss.motion.integrator import Integrator

TIGHT = 1e-7  # shared contact forces within this share of their limit are at it
AHEAD = (1e-9, 1e-7, 1e-5, 1e-3)  # shares of the run after which a friction force that is zero is looked at again
SILENT = 1e-9  # share of the applied forces below which a friction force is rounding
STOPPED = 1e-6  # share of the size of its row that a slip may have where it ends
SOON = 1e3  # times the resolution of time, in which it may still end
FOLLOWED = 1e-6  # difference of accelerations, relative, from which they are two solutions of the law
IMPACTS = 10  # impacts without collision at one instant


def decide_modes(integrator: Integrator, closed: tuple[int, ...], change: ModeChange) -> None:
    """Decide the modes of all contacts at the current state and put their rows and friction in force.

    Raises Stop "inconsistent" where none satisfy the law of friction, "undecided" where several accelerations do.
    """
    integrator.decided = False
    if integrator.in_space:
        decide_modes_in_space(integrator, closed, change)
        return
    pins = [c.name for c in integrator.contacts if c.pin is not None]
    for _ in range(IMPACTS):
        verdict, solution, others = _decide(integrator, closed, change)
        if verdict.solutions:
            break
        text = f"at t = {integrator.t:.12g} s {verdict.sentence}"
        if verdict.unproved and not verdict.contradictory:
            raise Stop("undecided", text)
        final = verdict.contradictory or bool(pins)  # dry pins would get impulses
        if integrator.paradox != "impact" or final:
            remedy = "" if final else '; paradox="impact" goes on with an impact without collision'
            raise Stop("inconsistent", text.rstrip(".") + remedy)
        integrator.record_start()
        impact_without_collision(integrator, verdict.sentence)
        closed, change = after_impacts(integrator), ModeChange()
    else:
        raise Stop("inconsistent", f"{text} {IMPACTS} impacts without collision have not changed that")
    if solution is None:
        raise Stop("undecided", f"at t = {integrator.t:.12g} s {verdict.sentence}")
    after = modes_of(verdict, solution, integrator.setting, integrator.state, integrator.base, change, integrator.modes)
    integrator.take_up(after, verdict.sentence if others else "")
    if pins:
        _require_followed(integrator, solution, pins)


def _require_followed(integrator: Integrator, solution: ContactSolution, pins: Sequence[str]) -> None:
    """Stop where dry pins turn with an acceleration that is not the one which the steps follow.

    Steps have the torque that goes over into that of weak friction.
    """
    a, _ = integrator.stepper.accelerate(integrator.x)
    if np.max(np.abs(a - solution.a)) <= FOLLOWED * max(1.0, float(np.max(np.abs(solution.a)))):
        return
    integrator.decided = False  # nothing of this state is recorded
    raise Stop(
        "undecided",
        f"at t = {integrator.t:.12g} s the friction of the dry pin {', '.join(map(repr, pins))} is so strong that its"
        " load depends more on the torque than the torque on the load; such motions are not followed",
    )


def _decide(
    integrator: Integrator, closed: tuple[int, ...], change: ModeChange
) -> tuple[ContactVerdict, ContactSolution | None, bool]:
    """Return the solutions at the current state, and the one in which the motion goes on.

    Contacts that have just broken loose must slip the way their friction force gave in; where that contradicts itself,
    they are taken as at rest.
    """
    state, u = integrator.state, integrator.control
    least = integrator.sizes(integrator.system.model.terms(state.q, state.v, state.t, integrator.setting.theta)).rate(
        RESTS
    )
    verdict = verdict_at(integrator.system, state, closed, u, change, integrator.modes, least)
    solution, others = chosen(integrator.contacts, verdict, integrator.modes, change)
    loose = {integrator.contacts[j].name: sign for j, sign in change.signs.items() if sign != 0.0}
    if not loose or (solution is not None and _slips_on(verdict, solution, loose)):
        return verdict, solution, others
    rest = replace(change, signs=dict.fromkeys(change.signs, 0.0))
    verdict = verdict_at(integrator.system, state, closed, u, rest, integrator.modes, least)
    return verdict, *chosen(integrator.contacts, verdict, integrator.modes, rest)


def _slips_on(verdict: ContactVerdict, solution: ContactSolution, loose: dict[str, float]) -> bool:
    """Whether contacts that break loose begin to slip the way they are supposed to."""
    p, metric = verdict.problem, verdict.metric
    for name, sign in loose.items():
        if name not in p.names:
            continue
        i = p.names.index(name)
        length = float(np.linalg.norm(metric.whitened(p.T[[i]])))
        size = length * (metric.norm(metric.reference) + metric.norm(solution.a)) + abs(float(p.tau[i]))
        if sign * float(p.T[i] @ solution.a - p.tau[i]) < -RESTS * size:
            return False
    return True


def mode_change(integrator: Integrator, kind: str, which: int, change: ModeChange) -> ModeChange:
    """Return what a zero of a switching function says about contacts, added to what others have said."""
    if integrator.in_space:
        if kind == "slip":
            return slip_ended(integrator, which, change)
        return broken_loose(integrator, which, _multipliers(integrator), change)
    if kind == "slip":
        _require_stopped(integrator, which)
        return replace(change, signs=change.signs | {which: 0.0})
    if kind == "side":
        return replace(change, flipped=(*change.flipped, which))
    if kind == "stick":
        t = _multipliers(integrator)[integrator.rows.index(integrator.contacts[which].slip[0])]
        sign = -float(np.sign(t)) or _sign_ahead(integrator, which)
        return replace(change, signs=_barely_slipping(integrator) | change.signs | {which: sign})
    assert integrator.modes.shared is not None
    tight = integrator.modes.shared.tight(integrator.x, integrator.rows, _multipliers(integrator), TIGHT)
    released = (each for what, each, _ in tight if what == "release")
    signs = {each: sign or _sign_ahead(integrator, each) for what, each, sign in tight if what == "slip"}
    return replace(change, released=(*change.released, *released), signs=change.signs | signs)


def _require_stopped(integrator: Integrator, contact: int) -> None:
    """Stop the run where a slip velocity changes its sign by a jump, as on a belt whose speed jumps."""
    state, k = integrator.state, integrator.contacts[contact].slip[0]
    terms = integrator.system.model.terms(state.q, state.v, state.t, integrator.setting.theta)
    a, _ = integrator.stepper.accelerate(integrator.x)
    rounding = SOON * integrator.resolution * float(np.abs(terms.J[k]) @ np.abs(a))
    if abs(float(terms.psi[k])) > float(integrator.sizes(terms).rate(STOPPED)[k]) + rounding:
        raise Stop(
            "failed",
            f"the slip velocity of {integrator.contacts[contact].name!r} jumps at t = {integrator.t:.9g} s, where it is"
            f" {terms.psi[k]:.6g}: a moving surface must not change its speed at once; let it change smoothly, as with"
            " tanh, or end the run there and start another",
        )


def _barely_slipping(integrator: Integrator) -> dict[int, float]:
    """Return the ways of contacts that slip with the velocity zero: they are at their limit, as one end of a guide."""
    state = integrator.state
    terms = integrator.system.model.terms(state.q, state.v, state.t, integrator.setting.theta)
    least = integrator.sizes(terms).rate(RESTS)
    found = {}
    for j, mode in integrator.modes.modes.items():
        k = integrator.contacts[j].slip[0]
        if mode != "stick" and integrator.contacts[j].static and abs(terms.psi[k]) <= least[k]:
            found[j] = 1.0 if mode == "slip+" else -1.0
    return found


def _sign_ahead(integrator: Integrator, contact: int) -> float:
    """Return the way in which a contact without any force will break loose: its friction force soon, if it held."""
    slip, model, n = integrator.contacts[contact].slip[0], integrator.system.model, integrator.system.n
    for share in AHEAD:
        x, _ = integrator.stepper.step(integrator.x, share * integrator.span)
        terms = model.terms(x[1 : n + 1], x[n + 1 :], float(x[0]), integrator.setting.theta)
        multipliers = dict(zip(integrator.rows, integrator.stepper.accelerate(x)[1], strict=True))
        t = sum(multipliers[k] * float(terms.J[k] @ terms.J[slip]) for k in integrator.modes.held)
        if abs(t) > SILENT * float(np.linalg.norm(terms.f)) * float(np.linalg.norm(terms.J[slip])):
            return -float(np.sign(t))
    return 0.0


def _multipliers(integrator: Integrator) -> Array:
    return integrator.stepper.accelerate(integrator.x)[1]
