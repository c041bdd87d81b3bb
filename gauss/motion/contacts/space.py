"""Rough contacts in space during a motion: which stick, slip and separate at an event.

The friction of a sliding contact is −μ_k p s/|s|, so its direction follows the slip velocity s, two numbers, from stage
to stage (`gauss.motion.steps.setting.Slide`). At an event the law of friction is solved anew (`gauss.contact.space`).
That finds accelerations, but does not always prove that there are no others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gauss.contact.coulomb import SLIP_SHARE
from gauss.contact.rough import Contact
from gauss.contact.space.problem import ConeProblem
from gauss.contact.space.solve import solve_cone
from gauss.contact.space.verdict import ConeSolution, ConeVerdict
from gauss.foundation.arrays import Array
from gauss.model import System
from gauss.model.state import State
from gauss.motion.contacts.accumulation import stopped
from gauss.motion.contacts.friction import PRESSES, Holding, Rough, Turn, independent
from gauss.motion.course import Course
from gauss.motion.events.guards import Stop
from gauss.motion.steps.steppers import Slide
from gauss.principle import GaussProblem
from gauss.principle.contact_sizes import zero_rates
from gauss.principle.metric import metric_of
from gauss.principle.problem import black_box_value, require_finite

Way = tuple[float, float]
REST: Way = (0.0, 0.0)
TURNS = 1e-9  # an acceleration of slip below this share of the applied forces' is zero
STOPS = 10.0  # times the tolerance of a step: a slip at right angles to its direction before, up to which it has ended
STEP = 0.1  # the same for fixed steps, as a share of the change of the slip in a step
SOON = 1e3  # times the resolution of time: a slip that would end sooner has ended


@dataclass(frozen=True)
class Place:
    """A contact of a motion in space, and its rows in the system."""

    name: str
    contact: Contact
    normal: int
    slips: tuple[int, ...]  # one or two


def places_of(rough: Rough) -> tuple[Place, ...]:
    """Return the contacts with their rows."""
    found = []
    for j, (name, contact) in enumerate(zip(rough.model.names, rough.model.contacts, strict=True)):
        normal = rough.normal[j]
        assert normal is not None
        found.append(Place(name, contact, normal, rough.slips(j)))
    return tuple(found)


def cone_problem(
    system: System,
    places: Sequence[Place],
    state: State,
    touching: Iterable[int],
    u: object,
    ways: Mapping[int, Way] | None = None,
    rest: Array | None = None,
) -> ConeProblem:
    """Return the friction problem in space at a state, with given closed unilateral rows (indices).

    `system` has the slip velocities as rows. `ways` are directions of slip of contacts, by their place, instead of
    those of the state; (0, 0) is rest. `rest` (m,) are rates of the rows up to which a slip is none, those of the state
    if left out. Raises InputError where the model is not finite.
    """
    terms = system.model.terms(state.q, state.v, state.t, system.theta(u))
    require_finite(system, state, terms)
    f = terms.f if system.black_box_force is None else terms.f + black_box_value(system, state)
    closed, rows = sorted(touching), system.row_names
    acting = [j for j, place in enumerate(places) if place.normal in closed]
    smooth = [k for k in closed if k not in [place.normal for place in places]]
    normal = [*(places[j].normal for j in acting), *smooth]
    k = len(normal)
    least = zero_rates(terms.J, terms.J @ state.v - terms.psi, state.v, SLIP_SHARE) if rest is None else rest
    T, tau, slip, static, kinetic = np.zeros((k, 2, system.n)), *np.zeros((2, k, 2)), *np.zeros((2, k))
    for i, j in enumerate(acting):
        pair = list(places[j].slips)
        T[i, : len(pair)], tau[i, : len(pair)] = terms.J[pair], terms.gamma[pair]
        s = terms.psi[pair]
        if float(np.linalg.norm(s)) > float(np.max(least[pair])):
            slip[i, : len(pair)] = s
        if ways and j in ways:
            slip[i] = ways[j]
        static[i], kinetic[i] = float(places[j].contact.static or 0.0), places[j].contact.coefficient
    equality = list(system.model.equality)
    return ConeProblem(
        terms.M,
        f,
        terms.J[equality],
        terms.gamma[equality],
        terms.J[normal],
        terms.gamma[normal],
        T,
        tau,
        static,
        kinetic,
        slip,
        (),
        (*(places[j].name for j in acting), *(rows[r] for r in smooth)),
        system.coordinates,
        tuple(rows[r] for r in equality),
    )


# ---------------------------------------------------------------------- events


def hold_in_space(course: Course, rough: Rough, closed: tuple[int, ...], turn: Turn) -> None:
    """Decide the modes of all contacts at the current state and put their rows and friction in force.

    Raises Stop "inconsistent" where none satisfy the law of friction, "undecided" where several accelerations do, or
    none was found and it is not proved that there is none.
    """
    verdict = _verdict(course, rough, closed, turn)
    text = f"at t = {course.t:.12g} s {verdict.sentence}"
    if not verdict.solutions:
        raise Stop("inconsistent" if verdict.verdict == "none" else "undecided", text.rstrip("."))
    solution, note = _chosen(rough, verdict, course.holding, turn)
    if solution is None:
        raise Stop("undecided", text)
    after = _holding(course, rough, verdict.problem, solution, turn.ways)
    course.hold(after, verdict.sentence if note else "")
    _settle(course)


def _verdict(course: Course, rough: Rough, closed: tuple[int, ...], turn: Turn) -> ConeVerdict:
    """Return what the law of friction admits now.

    Contacts that have just broken loose slip against the friction force that gave in. With μ_s > μ_k they may begin to
    slip in another direction, and are solved for it as contacts at rest that can hold no more than μ_k p.
    """
    places = places_of(rough)
    touching = [k for k in closed if k not in turn.released]
    rest, state = dict.fromkeys(turn.signs, REST), course.state
    terms = course.system.model.terms(state.q, state.v, state.t, course.setting.theta)
    least = course.sizes(terms).rate(SLIP_SHARE)
    if not turn.ways:
        return solve_cone(cone_problem(course.system, places, course.state, touching, course.control, rest, least))
    weak = {j for j in turn.ways if (places[j].contact.static or 0.0) > (1.0 + TURNS) * places[j].contact.coefficient}
    ways = rest | turn.ways | dict.fromkeys(weak, REST)
    problem = cone_problem(course.system, places, course.state, touching, course.control, ways, least)
    loose = [i for i, name in enumerate(problem.names) if name in {places[j].name for j in weak}]
    static = problem.static.copy()
    static[loose] = problem.kinetic[loose]
    verdict = solve_cone(replace(problem, static=static))
    if verdict.solutions and all(_slips_on(problem, s, turn.ways, places) for s in verdict.solutions):
        return verdict
    problem = cone_problem(
        course.system, places, course.state, touching, course.control, dict.fromkeys(ways, REST), least
    )
    return solve_cone(problem)


def _slips_on(problem: ConeProblem, solution: ConeSolution, ways: Mapping[int, Way], places: Sequence[Place]) -> bool:
    """Whether contacts that break loose begin to slip, not against the direction they were given."""
    size = float(np.linalg.norm(solution.a)) + float(np.linalg.norm(np.linalg.solve(problem.M, problem.f)))
    for j in ways:
        if places[j].name not in problem.names:
            continue
        i = problem.names.index(places[j].name)
        scale = float(np.max(np.linalg.norm(problem.T[i], axis=1))) * size + float(np.max(np.abs(problem.tau[i])))
        if solution.modes[i] == "stick":
            return False
        if solution.modes[i] == "slide" and float(problem.slip[i] @ solution.slip[i]) < -TURNS * scale:
            return False
    return True


def _chosen(rough: Rough, verdict: ConeVerdict, before: Holding, turn: Turn) -> tuple[ConeSolution | None, bool]:
    """Return the solution in which a motion goes on, None where it is undecided, and whether others may exist.

    Of several accelerations the one is taken in which the contacts that the event does not concern keep their modes, if
    it is the only one.
    """
    found, names = verdict.solutions, verdict.problem.names
    if len(found) == 1:
        return found[0], verdict.verdict != "one"
    concerned = turn.concerned(rough)

    def goes_on(s: ConeSolution) -> bool:
        modes = dict(zip(names, s.modes, strict=True))
        return all(
            modes.get(rough.model.names[j], "separate")[:4].replace("slid", "slip") == mode[:4]
            for j, mode in before.modes.items()
            if j not in concerned
        )

    going = [s for s in found if goes_on(s)]
    return (going[0] if len(going) == 1 and before.modes else None), True


def _holding(course: Course, rough: Rough, p: ConeProblem, solution: ConeSolution, loose: Iterable[int]) -> Holding:
    """Return the modes of a solution, with its rows in force. Raises Stop where these do not determine the forces."""
    rows, state = rough.system.row_names, course.state
    indices = {name: j for j, name in enumerate(rough.model.names)}
    touching = [i for i, mode in enumerate(solution.modes) if mode != "separate"]
    model, theta = course.system.model, course.setting.theta
    J = metric_of(GaussProblem.at(course.system, state)).white(model.terms(state.q, state.v, state.t, theta).J)
    size = float(np.max(np.abs(solution.normal), initial=0.0))
    normal = {rows.index(p.names[i]): i for i in touching}
    kept = independent(J, list(course.base), sorted(normal, key=lambda k: solution.normal[normal[k]] <= PRESSES * size))
    closed = tuple(sorted(kept))
    modes: dict[int, str] = {}
    slides: list[Slide] = []
    wanted: list[int] = []
    for i in touching:
        if p.names[i] not in indices:
            continue
        j = indices[p.names[i]]
        contact, slips, load = rough.model.contacts[j], rough.slips(j), rough.normal[j]
        if solution.modes[i] == "stick":
            modes[j] = "stick"
            wanted += slips
            continue
        s = p.slip[i] if solution.modes[i] == "slide" else solution.slip[i]
        speed = float(np.linalg.norm(s))
        way = s / max(speed, 1e-300)
        modes[j] = "slip" if len(slips) == 2 else "slip+" if way[0] > 0.0 else "slip−"
        if contact.coefficient > 0.0 and load in closed:
            c = contact.coefficient * (1.0 if len(slips) == 2 else float(way[0]))
            slides.append(
                Slide(
                    j,
                    load,
                    slips[0],
                    c,
                    rough.across[j],
                    (float(way[0]), float(way[1])),
                    speed if solution.modes[i] == "slide" and j not in loose else 0.0,
                )
            )
    held = tuple(independent(J, [*course.base, *closed], wanted))
    if len(held) < len(wanted) or len(closed) < len(normal):
        names = ", ".join(repr(p.names[i]) for i in touching)
        raise Stop(
            "undecided",
            f"at t = {course.t:.12g} s the forces of the contacts {names} are not determined; contacts in space that"
            " share a reaction are not followed (the time stepping of gauss.nonsmooth does)",
        )
    return Holding(closed, modes, held, tuple(slides))


def _settle(course: Course) -> None:
    """Take the rest of a slip from contacts that have come to stick, up to the tolerance by which it was found."""
    state, held = course.state, course.holding.held
    if not held:
        return
    terms = course.system.model.terms(state.q, state.v, state.t, course.setting.theta)
    if np.any(np.abs(terms.psi[list(held)]) > 1e-6 * course.sizes(terms).rate()[list(held)]):
        J, base = terms.J[list(course.rows)], terms.J[list(course.base)]
        inertia = terms.M + course.setting.weight * base.T @ base
        rates = np.array([terms.psi[k] if k in held else 0.0 for k in course.rows])
        course.x = np.concatenate([[state.t], state.q, stopped(inertia, J, J, rates, state.v)])


def slip_turn(course: Course, which: int, turn: Turn) -> Turn:
    """Return what it means that the slip of a contact along its last direction vanishes: rest, or only a turn."""
    assert course.rough is not None
    state, pair = course.state, list(course.rough.slips(which))
    terms = course.system.model.terms(state.q, state.v, state.t, course.setting.theta)
    if course.fixed is None:
        size = float(np.max(course.sizes(terms).speed[pair]))
        small = float(np.max(np.abs(terms.J[pair]) @ course.setting.atol[course.system.n :]))
        most = STOPS * (small + course.setting.rtol * size)
    else:
        a, _ = course.stepper.accelerate(course.x)
        most = STEP * course.fixed * float(np.linalg.norm(terms.J[pair] @ a - terms.gamma[pair]))
    ended = len(pair) == 1 or float(np.linalg.norm(terms.psi[pair])) <= most
    return replace(turn, signs=turn.signs | {which: 0.0}) if ended else turn


def loose_turn(course: Course, which: int, multipliers: Array, turn: Turn) -> Turn:
    """Return that a contact breaks loose against its friction force."""
    assert course.rough is not None
    t = [float(multipliers[course.rows.index(k)]) for k in course.rough.slips(which)]
    size = max(math.hypot(*t), 1e-300)
    way = (-t[0] / size, -t[1] / size if len(t) == 2 else 0.0)
    return replace(turn, ways=turn.ways | {which: way})


def ending_slips(course: Course) -> list[int]:
    """Return the contacts in space whose slip ends within a moment too short for steps."""
    slides = [s for s in course.slides if s.across is not None]
    if not slides:
        return []
    state, found = course.state, []
    terms = course.system.model.terms(state.q, state.v, state.t, course.setting.theta)
    a, _ = course.stepper.accelerate(course.x)
    for slide in slides:
        pair = list(course.rough.slips(slide.contact)) if course.rough is not None else []
        s, rate = terms.psi[pair], terms.J[pair] @ a - terms.gamma[pair]
        falling = -float(s @ rate)
        if falling > 0.0 and float(s @ s) <= SOON * course.resolution * falling:
            found.append(slide.contact)
    return found
