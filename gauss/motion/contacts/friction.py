"""Rough contacts in a motion: the system with their slip rows, and which contacts stick, slip or separate.

Between events each contact has one mode. A sticking contact adds its slip row to the rows in force; a sliding one has
the friction force −c p, c = σ μ_k, along it; an open one takes no part. At an event all modes that satisfy the law of
friction are found anew (`gauss.contact.modes`), and the motion goes on in the one that is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gauss.contact.coulomb import FrictionModel
from gauss.contact.modes import solve_friction
from gauss.contact.rough import Contact, contact_names, listed_contacts, pinned_rows
from gauss.contact.solutions import FrictionSolution, FrictionVerdict
from gauss.contact.space.problem import ConeModel
from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.model import Nonholonomic, System
from gauss.model.state import State
from gauss.motion.contacts.shared import Shared
from gauss.motion.steps.steppers import Setting, Slide

PRESSES = 1e-9  # share of the largest contact force from which a contact counts as loaded
TURNED = 1e-6  # share of it below which a normal force that has reached zero turns its sign
INDEPENDENT = 1e-7  # a unit row nearer than this to the span of those before it, in the metric, depends on them


@dataclass(frozen=True)
class Rough:
    """A System with rough contacts, ready for a motion."""

    given: FrictionModel  # as the user gave it
    striking: FrictionModel  # the contacts whose friction has impulses, on the system without the rows of the others
    model: FrictionModel  # the same contacts, their slip velocities being rows of the system
    normal: tuple[int | None, ...]  # row of each contact's normal force
    slip: tuple[int, ...]  # row of its slip velocity, in space the first of two
    across: tuple[int | None, ...]  # the second, in space
    space: ConeModel | None  # where a slip has two entries: the contacts, for impacts
    paradox: str = "end"  # what follows where no finite forces satisfy the law: "end" or "impact"
    pins: dict[int, tuple[int, int]] = field(default_factory=dict)  # the two rows of each contact that is a dry pin

    @property
    def system(self) -> System:
        """The system with a row for each slip velocity."""
        return self.model.system

    @property
    def described(self) -> tuple[tuple[str, str | None, str], ...]:
        """Name, normal row and slip row of each contact; in space twice, with the one and the other slip row."""
        rows = self.system.row_names
        normal = [None if k is None else rows[k] for k in self.normal]
        return tuple((name, normal[j], rows[k]) for j, name in enumerate(self.model.names) for k in self.slips(j))

    @property
    def coefficients(self) -> tuple[tuple[float | None, ...], ...]:
        """The coefficients μ_k and μ_s of each contact, and its constant limit."""
        return tuple((c.coefficient, c.static, c.limit) for c in self.model.contacts)

    @property
    def pairs(self) -> tuple[tuple[int | None, tuple[int, ...]], ...]:
        """The normal row of each contact and its slip rows."""
        return tuple((k, self.slips(j)) for j, k in enumerate(self.normal))

    def slips(self, j: int) -> tuple[int, ...]:
        """Return the slip rows of a contact: one in the plane, two in space."""
        across = self.across[j]
        return (self.slip[j],) if across is None else (self.slip[j], across)


def rough_system(system: System, contacts: Contact | Iterable[Contact], paradox: str = "end") -> Rough | None:
    """Return the system with its rough contacts, compiled once for each list of contacts; None without contacts.

    Raises InputError and ModelError for contacts that do not fit.
    """
    listed = listed_contacts(contacts)
    if not listed:
        return None
    given = FrictionModel.of(system, listed, entries=2)
    space = ConeModel.of(system, listed) if given.in_space else None
    if space is not None and paradox == "impact":
        raise InputError('paradox="impact" follows Routh\'s path, which is known in the plane only; leave it out.')
    key = ("rough", *((c.row, c.name, c.slip) for c in given.contacts))
    if key not in system.derived:
        system.derived[key] = _with_slip_rows(system, given.contacts)
    extended = system.derived[key].with_parameters(**system.parameters)
    names = contact_names(given.contacts)
    slips = [c.slip if isinstance(c.slip, str) else f"slip of {name}" for name, c in zip(names, given.contacts)]
    renamed = [replace(c, slip=slip) for c, slip in zip(given.contacts, slips, strict=True)]
    rows = extended.row_names
    finite = [c for c in given.contacts if c.limit is not None and isinstance(c.slip, str)]
    striking = given
    firsts = [slip if slip in rows else f"{slip}[0]" for slip in slips]
    if finite:
        striking = FrictionModel.of(bare_system(system, finite), [c for c in given.contacts if c.limit is None])
    return Rough(
        given,
        striking,
        FrictionModel(extended, tuple(renamed), None, names),
        tuple(None if c.normal is None else rows.index(c.normal) for c in renamed),
        tuple(rows.index(slip) for slip in firsts),
        tuple(rows.index(f"{slip}[1]") if f"{slip}[1]" in rows else None for slip in slips),
        space,
        paradox,
        pinned_rows(renamed, rows),
    )


def _with_slip_rows(system: System, contacts: Sequence[Contact]) -> System:
    """Return the system with slip velocities as rows. Raises InputError for a name that is taken."""
    functions, replaced = [], []
    for name, contact in zip(contact_names(contacts), contacts, strict=True):
        if isinstance(contact.slip, str):
            replaced.append(contact.slip)
        else:
            functions.append(Nonholonomic(f"slip of {name}", contact.slip))
    taken = [c.name for c in functions if c.name in system.row_names]
    if taken:
        raise InputError(f"the name {taken[0]!r} belongs to the slip of a contact; {system.name!r} has a row of it.")
    return system.with_slips(functions, replaced)


def bare_system(system: System, contacts: Sequence[Contact]) -> System:
    """Return the system without the velocity rows that contacts replace; the states of a motion need not obey them."""
    replaced = {c.slip for c in contacts if isinstance(c.slip, str)}
    if not replaced:
        return system
    key = ("bare", *sorted(replaced))
    if key not in system.derived:
        kept = [c for c in system.constraints if c.name not in replaced]
        if len(kept) != len(system.constraints) - len(replaced):
            raise InputError(
                f"a contact of {system.name!r} names one of several rows of a constraint as its slip; make it a"
                " constraint of its own."
            )
        system.derived[key] = system.with_constraints(kept)
    return system.derived[key].with_parameters(**system.parameters)


@dataclass(frozen=True)
class Holding:
    """The modes of all contacts between two events."""

    closed: tuple[int, ...] = ()  # unilateral rows in force
    modes: dict[int, str] = field(default_factory=dict)  # "stick", "slip+" or "slip−", in space "slip", of what touches
    held: tuple[int, ...] = ()  # slip rows in force
    slides: tuple[Slide, ...] = ()
    shared: Shared | None = None  # where contact forces are not determined by the rows in force

    def sticking(self) -> tuple[int, ...]:
        """Return the contacts that stick."""
        return tuple(j for j, mode in self.modes.items() if mode == "stick")


@dataclass(frozen=True)
class Turn:
    """What an event says about contacts: those that open, and slips that the state itself cannot tell."""

    released: tuple[int, ...] = ()  # unilateral rows
    signs: dict[int, float] = field(default_factory=dict)  # by contact: 0 at rest, ±1 breaking loose that way
    flipped: tuple[int, ...] = ()  # sliding contacts, held from both sides, whose normal force changes its sign
    ways: dict[int, tuple[float, float]] = field(default_factory=dict)  # in space: unit directions of breaking loose

    def concerned(self, rough: Rough) -> set[int]:
        """Return the contacts of which something is said."""
        opened = (j for j, k in enumerate(rough.normal) if k in self.released)
        return {*self.signs, *self.flipped, *self.ways, *opened}


def verdict_at(
    rough: Rough,
    state: State,
    touching: Iterable[int],
    u: object,
    turn: Turn,
    before: Holding,
    rest: Array | None = None,
) -> FrictionVerdict:
    """Return all solutions of the law of friction at a state with given closed rows, after an event.

    Where not all modes can be tried, the contacts that the event does not concern go on as before, if they can. `rest`
    (m,) are rates of the rows up to which a slip is none, those of the state if left out.
    """
    touching = [k for k in touching if k not in turn.released]
    smooth = {j: 1.0 for j, c in enumerate(rough.model.contacts) if c.static == 0.0}  # one mode of touching: slip
    concerned = turn.concerned(rough)
    going = {rough.model.names[j]: mode for j, mode in before.modes.items() if j not in concerned}
    resting = None if rest is None else rest[list(rough.slip)]
    return solve_friction(rough.model.frozen(state, touching, u, smooth | turn.signs, resting), going)


def chosen(rough: Rough, verdict: FrictionVerdict, before: Holding, turn: Turn) -> tuple[FrictionSolution | None, bool]:
    """Return the solution in which a motion goes on, None where it is undecided, and whether others were left out.

    Of several accelerations the one is taken in whose modes the contacts that the event does not concern go on, if it
    is the only one.
    """
    found = [s for s in verdict.solutions if len(s.accelerations) == 1 and not len(s.directions)]
    places = {name: j for j, name in enumerate(rough.model.names)}
    concerned = turn.concerned(rough)

    def goes_on(s: FrictionSolution) -> bool:
        modes = {places[name]: mode for name, mode in zip(verdict.problem.names, s.modes) if name in places}
        return all(modes.get(j, "separate") == mode for j, mode in before.modes.items() if j not in concerned)

    going = [s for s in found if goes_on(s)]
    if verdict.verdict == "one":
        return (going or found)[0], False
    if verdict.verdict == "open" and len(found) == 1:  # others were neither found nor excluded
        return found[0], True
    return (going[0], True) if len(going) == 1 and before.modes else (None, True)


def holding_of(
    rough: Rough,
    verdict: FrictionVerdict,
    solution: FrictionSolution,
    setting: Setting,
    state: State,
    base: Sequence[int],
    turn: Turn,
    before: Holding,
) -> Holding:
    """Return the modes of a solution, with an independent set of rows in force."""
    p, rows = verdict.problem, rough.system.row_names
    places = {name: j for j, name in enumerate(rough.model.names)}
    normal = np.mean(solution.normal, axis=0)  # of the vertices
    touching = [i for i, mode in enumerate(solution.modes) if mode != "separate"]
    modes = {places[p.names[i]]: solution.modes[i] for i in touching if p.names[i] in places}
    unilateral = [rows.index(p.names[i]) for i in touching if not p.bilateral[i] and not p.limited[i]]
    J = verdict.metric.white(setting.system.model.terms(state.q, state.v, state.t, setting.theta).J)
    size = float(np.max(np.abs(normal), initial=0.0))
    loaded = {rows.index(p.names[i]): abs(normal[i]) > PRESSES * size for i in touching if not p.limited[i]}
    kept = independent(J, list(base), sorted(unilateral, key=lambda k: not loaded[k]))
    closed = tuple(sorted(kept))
    slipping = [j for j, mode in modes.items() if mode == "stick"]
    held = tuple(independent(J, [*base, *closed], [rough.slip[j] for j in slipping]))
    slides: list[Slide] = []  # all; the steps take those whose normal row is in force
    sides = {
        slide.contact: -float(np.sign(slide.c)) * (1.0 if before.modes[slide.contact] == "slip+" else -1.0)
        for slide in before.slides
        if slide.contact in turn.flipped
    }
    for i in touching:
        if p.names[i] not in places or solution.modes[i] == "stick":
            continue
        j = places[p.names[i]]
        contact, k = rough.model.contacts[j], rough.normal[j]
        sigma = 1.0 if solution.modes[i] == "slip+" else -1.0
        if contact.limit is not None:
            slides.append(Slide(j, None, rough.slip[j], sigma * contact.limit))
        elif j in rough.pins and contact.coefficient > 0.0:
            slides.append(Slide(j, None, rough.slip[j], sigma * contact.coefficient, pin=rough.pins[j]))
        elif contact.coefficient > 0.0:
            side = sides.get(j, -1.0 if p.bilateral[i] and normal[i] < 0.0 else 1.0)
            slides.append(Slide(j, k, rough.slip[j], sigma * side * contact.coefficient))
    shared = None
    if len(held) < len(slipping) or len(closed) < len(unilateral):
        groups = tuple(base), tuple(sorted(unilateral)), tuple(slipping), closed, held
        known = {} if before.shared is None else before.shared.sides
        sticking = {places[p.names[i]]: normal[i] for i in touching if p.bilateral[i] and solution.modes[i] == "stick"}
        sides = {
            j: -known[j]
            if j in turn.signs and j in known and abs(load) <= TURNED * size
            else -1.0
            if load < 0.0
            else 1.0
            for j, load in sticking.items()
        }
        table = rough.normal, rough.slip, rough.pins
        shared = Shared.of(rough.model.contacts, table, setting, *groups, slides, sides)
    stepped = tuple(s for s in slides if s.normal is None or s.normal in (*base, *closed))
    return Holding(closed, modes, held, stepped, shared)


def independent(J: Array, base: list[int], candidates: Sequence[int]) -> list[int]:
    """Return the candidates whose white rows are independent of those of the base and of one another, in order."""
    Q = np.linalg.qr(J[base].T)[0] if base else np.zeros((J.shape[1], 0))
    found = []
    for k in candidates:
        length = float(np.linalg.norm(J[k]))
        rest = J[k] - Q @ (Q.T @ J[k])
        rest = rest - Q @ (Q.T @ rest)
        if float(np.linalg.norm(rest)) > INDEPENDENT * length:
            Q = np.column_stack([Q, rest / np.linalg.norm(rest)])
            found.append(int(k))
    return found
