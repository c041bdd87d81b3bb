"""Frictional contacts in a motion: which of them stick, slip or are open.

Between events each contact has one mode. A sticking contact adds its slip row to the rows in force; a sliding one has
the friction force −c p, c = σ μ_k, along it; an open one takes no part. At an event all modes that satisfy the law of
friction are found anew (`gauss.contact.plane.modes`), and the motion goes on in the one that is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gauss.contact.problem import Way, frozen_contacts
from gauss.contact.solve import solve_contacts
from gauss.contact.verdict import ContactSolution, ContactVerdict
from gauss.foundation.arrays import Array
from gauss.foundation.outcomes import FORWARDS, ONE, OPEN, STICK, UNDECIDED
from gauss.foundation.tolerances import PRESSES
from gauss.model import FrictionalContact, System
from gauss.model.state import State
from gauss.motion.contacts.shared import Shared
from gauss.motion.steps.steppers import Setting, Slide

TURNED = 1e-6  # share of it below which a normal force that has reached zero turns its sign
INDEPENDENT = 1e-7  # a unit row nearer than this to the span of those before it, in the metric, depends on them


@dataclass(frozen=True)
class ContactModes:
    """The modes of all contacts between two events."""

    closed: tuple[int, ...] = ()  # unilateral rows in force
    modes: dict[int, str] = field(default_factory=dict)  # of what touches
    held: tuple[int, ...] = ()  # slip rows in force
    slides: tuple[Slide, ...] = ()
    shared: Shared | None = None  # where contact forces are not determined by the rows in force

    def sticking(self) -> tuple[int, ...]:
        """Return the contacts that stick."""
        return tuple(j for j, mode in self.modes.items() if mode == STICK)


@dataclass(frozen=True)
class ModeChange:
    """What an event says about contacts: those that open, and slips that the state itself cannot tell."""

    released: tuple[int, ...] = ()  # unilateral rows
    signs: dict[int, float] = field(default_factory=dict)  # by contact: 0 at rest, ±1 breaking loose that way
    flipped: tuple[int, ...] = ()  # sliding contacts, held from both sides, whose normal force changes its sign
    ways: dict[int, tuple[float, float]] = field(default_factory=dict)  # in space: unit directions of breaking loose

    def concerned(self, contacts: Sequence[FrictionalContact]) -> set[int]:
        """Return the contacts of which something is said."""
        opened = (j for j, c in enumerate(contacts) if c.normal in self.released)
        return {*self.signs, *self.flipped, *self.ways, *opened}


def verdict_at(
    system: System,
    state: State,
    touching: Iterable[int],
    u: object,
    change: ModeChange,
    before: ContactModes,
    rest: Array | None = None,
) -> ContactVerdict:
    """Return all solutions of the law of friction at a state with given closed rows, after an event.

    Where not all modes can be tried, the contacts that the event does not concern go on as before, if they can. `rest`
    (m,) are rates of the rows up to which a slip is none, those of the state if left out.
    """
    contacts = system.contacts
    touching = [k for k in touching if k not in change.released]
    smooth: dict[int, Way] = {j: 1.0 for j, c in enumerate(contacts) if c.static == 0.0}  # one mode of touching: slip
    concerned = change.concerned(contacts)
    going = {contacts[j].name: mode for j, mode in before.modes.items() if j not in concerned}
    return solve_contacts(frozen_contacts(system, state, touching, u, smooth | change.signs, rest), going=going)


def chosen(
    contacts: Sequence[FrictionalContact], verdict: ContactVerdict, before: ContactModes, change: ModeChange
) -> tuple[ContactSolution | None, bool]:
    """Return the solution in which a motion goes on, None where it is undecided, and whether others were left out.

    Of several accelerations the one is taken in whose modes the contacts that the event does not concern go on, if it
    is the only one.
    """
    found = [s for s in verdict.solutions if len(s.accelerations) == 1 and not len(s.directions)]
    places = {c.name: j for j, c in enumerate(contacts)}
    concerned = change.concerned(contacts)

    def goes_on(s: ContactSolution) -> bool:
        modes = {places[name]: mode for name, mode in zip(verdict.problem.names, s.modes) if name in places}
        return all(modes.get(j, OPEN) == mode for j, mode in before.modes.items() if j not in concerned)

    going = [s for s in found if goes_on(s)]
    if verdict.verdict == ONE:
        return (going or found)[0], False
    if verdict.verdict == UNDECIDED and len(found) == 1:  # others were neither found nor excluded
        return found[0], True
    return (going[0], True) if len(going) == 1 and before.modes else (None, True)


def modes_of(
    verdict: ContactVerdict,
    solution: ContactSolution,
    setting: Setting,
    state: State,
    base: Sequence[int],
    change: ModeChange,
    before: ContactModes,
) -> ContactModes:
    """Return the modes of a solution, with an independent set of rows in force."""
    p, contacts, rows = verdict.problem, setting.system.contacts, setting.system.row_names
    places = {c.name: j for j, c in enumerate(contacts)}
    normal = np.mean(solution.normal, axis=0)  # of the vertices
    touching = [i for i, mode in enumerate(solution.modes) if mode != OPEN]
    modes = {places[p.names[i]]: solution.modes[i] for i in touching if p.names[i] in places}
    unilateral = [rows.index(p.names[i]) for i in touching if not p.bilateral[i] and not p.limited[i]]
    J = verdict.metric.whitened(setting.system.model.terms(state.q, state.v, state.t, setting.theta).J)
    size = float(np.max(np.abs(normal), initial=0.0))
    loaded = {rows.index(p.names[i]): abs(normal[i]) > PRESSES * size for i in touching if not p.limited[i]}
    kept = independent(J, list(base), sorted(unilateral, key=lambda k: not loaded[k]))
    closed = tuple(sorted(kept))
    sticking = [j for j, mode in modes.items() if mode == STICK]
    held = tuple(independent(J, [*base, *closed], [contacts[j].slip[0] for j in sticking]))
    slides: list[Slide] = []  # all; the steps take those whose normal row is in force
    sides = {
        slide.contact: -float(np.sign(slide.c)) * (1.0 if before.modes[slide.contact] == FORWARDS else -1.0)
        for slide in before.slides
        if slide.contact in change.flipped
    }
    for i in touching:
        if p.names[i] not in places or solution.modes[i] == STICK:
            continue
        j = places[p.names[i]]
        contact = contacts[j]
        c = (1.0 if solution.modes[i] == FORWARDS else -1.0) * contact.kinetic
        if contact.limited:
            slides.append(Slide(j, None, contact.slip[0], c))
        elif contact.kinetic > 0.0:
            side = sides.get(j, -1.0 if p.bilateral[i] and normal[i] < 0.0 else 1.0) if contact.pin is None else 1.0
            slides.append(Slide(j, contact.normal, contact.slip[0], side * c, pin=contact.pin))
    shared = None
    if len(held) < len(sticking) or len(closed) < len(unilateral):
        groups = tuple(base), tuple(sorted(unilateral)), tuple(sticking), closed, held
        known = {} if before.shared is None else before.shared.sides
        loads = {places[p.names[i]]: normal[i] for i in touching if p.bilateral[i] and solution.modes[i] == STICK}
        sides = {
            j: -known[j]
            if j in change.signs and j in known and abs(load) <= TURNED * size
            else -1.0
            if load < 0.0
            else 1.0
            for j, load in loads.items()
        }
        shared = Shared.of(setting, *groups, slides, sides)
    stepped = tuple(s for s in slides if s.normal is None or s.normal in (*base, *closed))
    return ContactModes(closed, modes, held, stepped, shared)


def independent(J: Array, base: list[int], candidates: Sequence[int]) -> list[int]:
    """Return the candidates whose rows, mass-whitened, are independent of the base and of one another, in order."""
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
