"""Frictional contacts in space during a motion: which stick, slip and separate at an event.

The friction of a sliding contact is −μ_k p s/|s|, so its direction follows the slip velocity s, two numbers, from stage
to stage (`gauss.motion.steps.setting.Slide`). At an event the law of friction is solved anew (`gauss.contact.space`).
That finds accelerations, but does not always prove that there are no others.
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import replace

import numpy as np

from gauss.contact.problem import ContactProblem, frozen_contacts
from gauss.contact.solve import solve_contacts
from gauss.contact.verdict import ContactSolution, ContactVerdict
from gauss.foundation.arrays import Array
from gauss.foundation.outcomes import BACKWARDS, FORWARDS, NONE, ONE, OPEN, SLIP, STICK
from gauss.foundation.tolerances import PRESSES, RESTS
from gauss.motion.contacts.accumulation import stopped
from gauss.motion.contacts.friction import ContactModes, ModeChange, independent
from gauss.motion.events.stalling import Stop
from gauss.motion.integrator import Integrator
from gauss.motion.steps.steppers import Slide
from gauss.principle import GaussProblem

Way = tuple[float, float]
REST: Way = (0.0, 0.0)
STOPS = 10.0  # times the tolerance of a step: a slip at right angles to its direction before, up to which it has ended
STEP = 0.1  # the same for fixed steps, as a share of the change of the slip in a step
SOON = 1e3  # times the resolution of time: a slip that would end sooner has ended


def decide_modes_in_space(integrator: Integrator, closed: tuple[int, ...], change: ModeChange) -> None:
    """Decide the modes of all contacts at the current state and put their rows and friction in force.

    Raises Stop "inconsistent" where none satisfy the law of friction, "undecided" where several accelerations do, or
    none was found and it is not proved that there is none.
    """
    verdict = _verdict(integrator, closed, change)
    text = f"at t = {integrator.t:.12g} s {verdict.sentence}"
    if not verdict.solutions:
        raise Stop("inconsistent" if verdict.verdict == NONE else "undecided", text.rstrip("."))
    solution, note = _chosen(integrator, verdict, change)
    if solution is None:
        raise Stop("undecided", text)
    after = _modes(integrator, verdict.problem, solution, change.ways)
    integrator.take_up(after, verdict.sentence if note else "")
    _settle(integrator)


def _verdict(integrator: Integrator, closed: tuple[int, ...], change: ModeChange) -> ContactVerdict:
    """Return what the law of friction admits now.

    Contacts that have just broken loose slip against the friction force that gave in. With μ_s > μ_k they may begin to
    slip in another direction, and are solved for it as contacts at rest that can hold no more than μ_k p.
    """
    contacts, state, system = integrator.contacts, integrator.state, integrator.system
    touching = [k for k in closed if k not in change.released]
    rest = dict.fromkeys(change.signs, REST)
    terms = system.model.terms(state.q, state.v, state.t, integrator.setting.theta)
    least = integrator.sizes(terms).rate(RESTS)
    if not change.ways:
        return solve_contacts(frozen_contacts(system, state, touching, integrator.control, rest, least))
    weak = {j for j in change.ways if contacts[j].static > (1.0 + RESTS) * contacts[j].kinetic}
    ways = rest | change.ways | dict.fromkeys(weak, REST)
    problem = frozen_contacts(system, state, touching, integrator.control, ways, least)
    loose = [i for i, name in enumerate(problem.names) if name in {contacts[j].name for j in weak}]
    static = problem.static.copy()
    static[loose] = problem.kinetic[loose]
    verdict = solve_contacts(replace(problem, static=static))
    broken = [contacts[j].name for j in change.ways]
    if verdict.solutions and all(_slips_on(problem, s, broken) for s in verdict.solutions):
        return verdict
    return solve_contacts(
        frozen_contacts(system, state, touching, integrator.control, dict.fromkeys(ways, REST), least)
    )


def _slips_on(problem: ContactProblem, solution: ContactSolution, names: Sequence[str]) -> bool:
    """Whether contacts that break loose begin to slip, not against the direction they were given."""
    size = float(np.linalg.norm(solution.a)) + float(np.linalg.norm(np.linalg.solve(problem.M, problem.f)))
    for name in names:
        if name not in problem.names:
            continue
        i = problem.names.index(name)
        scale = float(np.max(np.linalg.norm(problem.T[i], axis=1))) * size + float(np.max(np.abs(problem.tau[i])))
        if solution.modes[i] == STICK:
            return False
        if solution.modes[i] == SLIP and float(problem.slip[i] @ problem.slip_rates(solution.a)[i]) < -RESTS * scale:
            return False
    return True


def _chosen(integrator: Integrator, verdict: ContactVerdict, change: ModeChange) -> tuple[ContactSolution | None, bool]:
    """Return the solution in which a motion goes on, None where it is undecided, and whether others may exist.

    Of several accelerations the one is taken in which the contacts that the event does not concern keep their modes, if
    it is the only one.
    """
    found, names, before = verdict.solutions, verdict.problem.names, integrator.modes.modes
    if len(found) == 1:
        return found[0], verdict.verdict != ONE
    concerned = change.concerned(integrator.contacts)

    def goes_on(s: ContactSolution) -> bool:
        modes = dict(zip(names, s.modes, strict=True))
        return all(
            modes.get(integrator.contacts[j].name, OPEN) == mode[:5].rstrip("+−")
            for j, mode in before.items()
            if j not in concerned
        )

    going = [s for s in found if goes_on(s)]
    return (going[0] if len(going) == 1 and before else None), True


def _modes(integrator: Integrator, p: ContactProblem, solution: ContactSolution, loose: Container[int]) -> ContactModes:
    """Return the modes of a solution, with its rows in force. Raises Stop where these do not determine the forces."""
    rows, state = integrator.system.row_names, integrator.state
    indices = {c.name: j for j, c in enumerate(integrator.contacts)}
    touching = [i for i, mode in enumerate(solution.modes) if mode != OPEN]
    model, theta = integrator.system.model, integrator.setting.theta
    J = GaussProblem.at(integrator.system, state).metric.whitened(model.terms(state.q, state.v, state.t, theta).J)
    load, rates = solution.normal[0], p.slip_rates(solution.a)
    size = float(np.max(np.abs(load), initial=0.0))
    normal = {rows.index(p.names[i]): i for i in touching}
    kept = independent(J, list(integrator.base), sorted(normal, key=lambda k: load[normal[k]] <= PRESSES * size))
    closed = tuple(sorted(kept))
    modes: dict[int, str] = {}
    slides: list[Slide] = []
    wanted: list[int] = []
    for i in touching:
        if p.names[i] not in indices:
            continue
        j = indices[p.names[i]]
        contact, slips = integrator.contacts[j], integrator.contacts[j].slip
        if solution.modes[i] == STICK:
            modes[j] = STICK
            wanted += slips
            continue
        sliding = bool(np.any(p.slip[i]))
        s = p.slip[i] if sliding else rates[i]
        speed = float(np.linalg.norm(s))
        way = s / max(speed, 1e-300)
        modes[j] = SLIP if len(slips) == 2 else FORWARDS if way[0] > 0.0 else BACKWARDS
        if contact.kinetic > 0.0 and contact.normal in closed:
            c = contact.kinetic * (1.0 if len(slips) == 2 else float(way[0]))
            slides.append(
                Slide(
                    j,
                    contact.normal,
                    slips[0],
                    c,
                    slips[1] if len(slips) == 2 else None,
                    (float(way[0]), float(way[1])),
                    speed if sliding and j not in loose else 0.0,
                )
            )
    held = tuple(independent(J, [*integrator.base, *closed], wanted))
    if len(held) < len(wanted) or len(closed) < len(normal):
        names = ", ".join(repr(p.names[i]) for i in touching)
        raise Stop(
            "undecided",
            f"at t = {integrator.t:.12g} s the forces of the contacts {names} are not determined; contacts in space"
            " that share a reaction are not followed (the time stepping of gauss.nonsmooth does)",
        )
    return ContactModes(closed, modes, held, tuple(slides))


def _settle(integrator: Integrator) -> None:
    """Take the rest of a slip from contacts that have come to stick, up to the tolerance by which it was found."""
    state, held = integrator.state, integrator.modes.held
    if not held:
        return
    terms = integrator.system.model.terms(state.q, state.v, state.t, integrator.setting.theta)
    if np.any(np.abs(terms.psi[list(held)]) > 1e-6 * integrator.sizes(terms).rate()[list(held)]):
        J, base = terms.J[list(integrator.rows)], terms.J[list(integrator.base)]
        inertia = terms.M + integrator.setting.weight * base.T @ base
        rates = np.array([terms.psi[k] if k in held else 0.0 for k in integrator.rows])
        integrator.x = np.concatenate([[state.t], state.q, stopped(inertia, J, J, rates, state.v)])


def slip_ended(integrator: Integrator, which: int, change: ModeChange) -> ModeChange:
    """Return what it means that the slip of a contact along its last direction vanishes: rest, or only a turn."""
    state, pair = integrator.state, list(integrator.contacts[which].slip)
    terms = integrator.system.model.terms(state.q, state.v, state.t, integrator.setting.theta)
    if integrator.fixed is None:
        size = float(np.max(integrator.sizes(terms).speed[pair]))
        small = float(np.max(np.abs(terms.J[pair]) @ integrator.setting.atol[integrator.system.n :]))
        most = STOPS * (small + integrator.setting.rtol * size)
    else:
        a, _ = integrator.stepper.accelerate(integrator.x)
        most = STEP * integrator.fixed * float(np.linalg.norm(terms.J[pair] @ a - terms.gamma[pair]))
    ended = len(pair) == 1 or float(np.linalg.norm(terms.psi[pair])) <= most
    return replace(change, signs=change.signs | {which: 0.0}) if ended else change


def broken_loose(integrator: Integrator, which: int, multipliers: Array, change: ModeChange) -> ModeChange:
    """Return that a contact breaks loose against its friction force."""
    t = [float(multipliers[integrator.rows.index(k)]) for k in integrator.contacts[which].slip]
    size = max(math.hypot(*t), 1e-300)
    way = (-t[0] / size, -t[1] / size if len(t) == 2 else 0.0)
    return replace(change, ways=change.ways | {which: way})


def ending_slips(integrator: Integrator) -> list[int]:
    """Return the contacts in space whose slip ends within a moment too short for steps."""
    slides = [s for s in integrator.slides if s.across is not None]
    if not slides:
        return []
    state, found = integrator.state, []
    terms = integrator.system.model.terms(state.q, state.v, state.t, integrator.setting.theta)
    a, _ = integrator.stepper.accelerate(integrator.x)
    for slide in slides:
        pair = list(integrator.contacts[slide.contact].slip)
        s, rate = terms.psi[pair], terms.J[pair] @ a - terms.gamma[pair]
        falling = -float(s @ rate)
        if falling > 0.0 and float(s @ s) <= SOON * integrator.resolution * falling:
            found.append(slide.contact)
    return found
