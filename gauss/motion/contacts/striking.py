"""Impacts of a motion: all contacts that close or are closed strike together, by the law of the run."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gauss.contact.impacts.collision import REPEAT, Collision, impact_at
from gauss.contact.impacts.problem import after_impact, rate_bounds, resolve_impact
from gauss.errors import EnergyGainError, SolverError
from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import GAIN, RESTS
from gauss.model.compiled.terms import Terms
from gauss.motion.contacts.accumulation import Accumulation, accumulation, settling, shrinking, stopped
from gauss.motion.events.monitors import ZERO
from gauss.motion.events.stalling import Stop
from gauss.motion.events.zeros import ROUNDING
from gauss.motion.integrator import Integrator
from gauss.motion.record.trajectory import MotionEvent
from gauss.principle.contact_sizes import CONTACT_TOLERANCE, closed_rows

COUNTED = 4  # contacts up to which all orders of impacts one after another are compared
NOTED = 20  # impacts of a run, with several contacts closed, for which that is done


def after_impacts(integrator: Integrator, met: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Resolve the impacts of closing contacts until none closes; return the contacts that are then closed.

    Those `met` have just closed, large as their gaps may be beside the terms that they are made of. Raises Stop where
    the law would create energy and may not.
    """
    while True:
        state, terms = integrator.state, integrator.terms
        closed = tuple(sorted({*_touching(integrator, terms), *met}))
        speed = integrator.sizes(terms).rate()
        hitting = [k for k in closed if terms.psi[k] < -speed[k]]
        if not hitting:
            return closed
        if not integrator.blocks:
            integrator.record_start()
        rates = {k: -float(terms.psi[k]) for k in hitting}
        try:
            _strike(integrator, hitting, closed, rates)
        except EnergyGainError as error:
            raise Stop("energy", f"at t = {state.t:.9g} s {error}") from None
        met = ()  # they open again
        any(_accumulate(integrator, k) for k in hitting)  # the first that does stops the others that strike with it
        integrator.guards.change(integrator.t)


def _touching(integrator: Integrator, terms: Terms) -> tuple[int, ...]:
    """Return the closed rows; one that has been open and approaches is closed only if it would close at once.

    A small hop may lie within the tolerance of a gap as a whole: it must not be cut short by what other contacts do.
    """
    sizes = integrator.sizes(terms)
    closed = closed_rows(integrator.system, integrator.state, terms, sizes)
    if not closed or not integrator.blocks:
        return closed
    shared, phi, psi = integrator.modes.shared, terms.phi.tolist(), terms.psi.tolist()
    held = {*integrator.rows, *(() if shared is None else shared.rows)}
    speed, zero, reach = sizes.rate(), ROUNDING * sizes.gap(ZERO), CONTACT_TOLERANCE * integrator.span
    return tuple(k for k in closed if k in held or psi[k] >= -speed[k] or phi[k] <= max(zero[k], -psi[k] * reach))


def _strike(integrator: Integrator, hitting: list[int], closed: tuple[int, ...], rates: dict[int, float]) -> None:
    """Set the velocities after one impact at all closed contacts, and log it."""
    system, state = integrator.system, integrator.state
    noted = 1 < len(closed) <= COUNTED and integrator.noted < NOTED
    integrator.noted += len(closed) > 1
    if not integrator.contacts and integrator.law == "moreau" and not noted:
        v, loss, impulses, created = _projected(integrator, hitting, closed)
        shares = {k: loss if k == hitting[0] else 0.0 for k in hitting}
        friction, note = {}, ""
    else:
        found = _impact(integrator, closed)
        v, note, created = found.v, found.sentence if noted and found.order_matters else "", found.created
        names = {k: found.problem.names.index(system.row_names[k]) for k in hitting}
        shares = _shares(found.work, found.energy_loss, names)
        impulses = {k: float(found.normal[i]) for k, i in names.items()}
        friction = {k: _along(found.tangential[i]) for k, i in names.items()}
    integrator.x = np.concatenate([[state.t], state.q, v])
    for k in hitting:
        integrator.log.append(
            MotionEvent(
                state.t,
                "impact",
                system.row_names[k],
                rates[k],
                shares[k],
                verdict=note,
                impulse=impulses[k],
                friction=friction.get(k, 0.0),
                created=created if k == hitting[0] else 0.0,
            )
        )


def _projected(
    integrator: Integrator, hitting: list[int], closed: tuple[int, ...]
) -> tuple[Array, float, dict[int, float], float]:
    """Return the velocities nearest to those before with ġ⁺ ≥ −e ġ⁻ at all closed contacts, what is lost, the impulses.

    The last is the energy that coefficients that differ create. Raises EnergyGainError where that is not allowed.
    """
    system, state, terms = integrator.system, integrator.state, integrator.terms
    if len(closed) == 1:
        impact = resolve_impact(system, state, hitting[0], [], None if system.controls else terms)
        return impact.v, impact.energy_loss, {hitting[0]: float(impact.impulses[hitting[0]])}, 0.0
    model = system.model
    low, high = rate_bounds(model, closed)
    for k in hitting:
        low[k] = -model.restitution[model.unilateral.index(k)] * min(float(terms.psi[k]), 0.0)
    names = ", ".join(repr(system.row_names[k]) for k in hitting)
    v, impulses, loss = after_impact(system, state, low, high, names, None if system.controls else terms)
    energy = 0.5 * float(state.v @ terms.M @ state.v)
    work = impulses[list(closed)] @ (terms.psi + terms.J @ (v - state.v) / 2.0)[list(closed)]  # past what moves beneath
    created = float(work) if work > GAIN * energy else 0.0
    if created and not integrator.allow_energy_gain:
        raise EnergyGainError(
            f"the law 'moreau' would create {created:.6g} J in the impact of {names}, so it is refused. Use"
            f" impacts='stronge', which never creates energy{REPEAT}.",
            system.row_names[hitting[0]],
            created,
            "moreau",
        )
    return v, loss, {k: float(impulses[k]) for k in hitting}, created


def _impact(integrator: Integrator, closed: tuple[int, ...]) -> Collision:
    """Return the impact of all closed contacts by the law of the run, in space by Moreau's.

    Raises EnergyGainError, and Stop where the law has no single outcome in space.
    """
    law, state = "moreau" if integrator.in_space else integrator.law, integrator.state
    allowed = integrator.allow_energy_gain
    try:
        return impact_at(integrator.system, state, law, integrator.control, closed=closed, allow_energy_gain=allowed)
    except SolverError as error:
        if not integrator.in_space:
            raise
        raise Stop("undecided", f"at t = {state.t:.12g} s {error}") from None


def _along(friction: Array) -> float:
    """Return a friction impulse: with its sign in the plane, its size in space."""
    return float(friction) if np.ndim(friction) == 0 else float(np.linalg.norm(friction))


def _shares(work: Array, loss: float, places: dict[int, int]) -> dict[int, float]:
    """Return the kinetic energy (J) lost at each hitting contact by the work of its impulses (k,).

    What is lost elsewhere is added to the first.
    """
    shares = {k: -float(work[i]) for k, i in places.items()}
    first = next(iter(shares))
    shares[first] += loss - sum(shares.values())
    return shares


def impact_without_collision(integrator: Integrator, sentence: str) -> None:
    """Go on from a state without finite contact forces by an impact at contacts that do not approach.

    The friction impulse follows Routh's path from rest in the normal direction: sliding drives the contact in until it
    stops, then the normal force pushes it back. Raises Stop where the law has no solution or would create energy.
    """
    state = integrator.state
    law = "poisson" if integrator.law in ("moreau", "newton") else integrator.law
    try:
        found = impact_at(
            integrator.system,
            state,
            law,
            integrator.control,
            without_collision=True,
            allow_energy_gain=integrator.allow_energy_gain,
        )
    except EnergyGainError as error:
        raise Stop("energy", f"at t = {state.t:.9g} s {error}") from None
    struck = [i for i, P in enumerate(found.normal) if P > 0.0]
    if not struck:
        raise Stop("inconsistent", f"at t = {state.t:.12g} s {sentence}; an impact changes nothing")
    integrator.x = np.concatenate([[state.t], state.q, found.v])
    shares = _shares(found.work, found.energy_loss, {i: i for i in struck})
    for i in struck:
        integrator.log.append(
            MotionEvent(
                state.t,
                "impact",
                found.problem.names[i],
                0.0,
                shares[i],
                verdict="impact without collision: no finite contact forces satisfy the law of friction",
                impulse=float(found.normal[i]),
                friction=_along(found.tangential[i]),
                created=found.created if i == struck[0] else 0.0,
            )
        )


def _accumulate(integrator: Integrator, row: int) -> bool:
    """Where the impacts of a row accumulate, stop their contacts and log the limit; return whether they do.

    Contact begins with the last impact that is followed; what the bounces up to the limit would add to positions is
    below the square of that time.
    """
    system, name = integrator.system, integrator.system.row_names[row]
    if not shrinking(name, integrator.log):
        return False
    found = accumulation(name, integrator.log, integrator.span, _rounding(integrator, row))
    if found is None:
        return False
    loss = stop(integrator, [system.row_names.index(each) for each in found.rows])
    integrator.log.append(_limit_event(found, loss))
    return True


def _rounding(integrator: Integrator, row: int) -> float:
    """Return the rounding of a gap (m), of the terms that make it at the positions now."""
    state = integrator.state
    terms = integrator.system.model.terms(state.q, state.v, state.t, integrator.setting.theta)
    return float(np.finfo(float).eps * np.abs(terms.J[row]) @ np.abs(state.q))


def _limit_event(found: Accumulation, loss: float) -> MotionEvent:
    note = f"each interval is {found.ratio:.6g} times the one before; the limit is known to {found.error:.2g} s"
    name = " + ".join(found.rows)
    return MotionEvent(found.limit, "accumulation", name, found.ratio, loss, verdict=note)


def closing(integrator: Integrator, row: int, loss: float) -> MotionEvent:
    """Return the event of a contact that closes without an impact: perhaps its impacts have come to their limit."""
    name = integrator.system.row_names[row]
    found = settling(name, integrator.log, integrator.t, _rounding(integrator, row))
    return MotionEvent(integrator.t, "contact", name, energy_loss=loss) if found is None else _limit_event(found, loss)


def stop(integrator: Integrator, further: Iterable[int]) -> float:
    """Take the rates from further contacts and from those closed; return the loss of kinetic energy, J.

    A sliding contact gets friction in proportion to its normal impulse; one whose slip this would turn round sticks.
    """
    system, state = integrator.system, integrator.state
    terms = system.model.terms(state.q, state.v, state.t, integrator.setting.theta)
    stopping = sorted({*_touching(integrator, terms), *further})
    speed = integrator.sizes(terms).rate(RESTS)
    signs = np.where(np.abs(terms.psi) > speed, np.sign(terms.psi), 0.0)  # of slip, in space its direction; 0 sticks
    slips = [contact.slip for contact in integrator.contacts]
    for pair in (list(k) for k in slips if len(k) == 2):
        size = float(np.linalg.norm(terms.psi[pair]))
        signs[pair] = terms.psi[pair] / size if size > np.max(speed[pair]) else 0.0
    while True:
        v = _stopped(integrator, terms, stopping, signs)
        after = terms.psi + terms.J @ (v - state.v)
        turned = [list(k) for k in slips if signs[list(k)] @ after[list(k)] < -float(np.max(speed[list(k)]))]
        if not turned:
            break
        for k in turned:
            signs[k] = 0.0
    integrator.x = np.concatenate([[state.t], state.q, v])
    return 0.5 * float((state.v - v) @ terms.M @ (state.v + v))


def _stopped(integrator: Integrator, terms: Terms, stopping: list[int], signs: Array) -> Array:
    """Return the velocities with the rates of some contacts taken, their slips having these signs (m,)."""
    rows = [*integrator.base, *stopping]
    G = terms.J[rows].copy()
    for contact in integrator.contacts:
        k, slips = contact.normal, list(contact.slip)
        if k is None or k not in stopping:
            continue
        if np.any(signs[slips]):
            G[rows.index(k)] -= contact.kinetic * (signs[slips] @ terms.J[slips])
        elif contact.kinetic > 0.0:
            rows += slips
            G = np.vstack([G, terms.J[slips]])
    held = terms.J[list(integrator.base)]
    inertia = (
        terms.M + integrator.setting.weight * held.T @ held
    )  # rows keep their rates, so this adds impulses on them
    return stopped(inertia, terms.J[rows], G, terms.psi[rows], integrator.state.v)
