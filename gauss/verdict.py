"""One question, one verdict: what the rows say of a state, and what the law of friction says of its closed contacts.

    found = judged(system, state)         rows: rank, conditions of higher order, accelerations without friction
    verdict = with_friction(found, …)     the same state with the friction of its closed contacts
    verdict = with_loads(found, …)        or with forces that see multipliers

Where friction acts, its law has the last word on the accelerations: there may be none, several, or a continuum of them
although the rows are regular (Painlevé's paradox).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gauss.contact import (
    ContactFindings,
    ContactForces,
    ContactProblem,
    ContactVerdict,
    LoadFindings,
    RequiredCoefficient,
    contact_findings,
    frozen_contacts,
    jamming_coefficient,
    load_findings,
    solve_contacts,
)
from gauss.contact.plane.modes import MODES, convex, count_modes
from gauss.errors import InputError, NonUniqueAccelerationError
from gauss.foundation.arrays import Array
from gauss.foundation.outcomes import ONE, UNDECIDED
from gauss.model import System
from gauss.model.compiled import Terms
from gauss.model.state import State
from gauss.principle.contact_sizes import closed_rows
from gauss.principle.solve import solve
from gauss.uniqueness import AccelerationSet, Candidate, Continuum, Verdict

LAW = "law of friction"  # the kind of an acceleration that it gives
SEEN = "forces that see multipliers"  # the same


@dataclass(frozen=True)
class LawOfFriction:
    """What Coulomb's law admits at one state: the problem of its closed contacts, solved."""

    system: System
    problem: ContactProblem
    solved: ContactVerdict | ContactFindings

    @property
    def status(self) -> str:
        """How many accelerations there are: "none", "one", "several", "continuum" or "undecided"."""
        return self.solved.verdict

    @property
    def sentence(self) -> str:
        """How many accelerations there are, and what the contacts do in each."""
        return f"friction: {self.solved.sentence}"

    @cached_property
    def findings(self) -> ContactFindings:
        """Everything that is known: forces and their ranges, critical and least coefficients."""
        return self.solved if isinstance(self.solved, ContactFindings) else contact_findings(self.problem)

    @property
    def modes(self) -> tuple[dict[str, str], ...]:
        """What each closed contact does, for each solution: "open", "stick", "slip+", "slip−", in space "slip"."""
        found = self.solved.solved if isinstance(self.solved, ContactFindings) else self.solved
        known = found.solutions if found is not None and found.verdict == self.status else self.findings.forces
        return tuple(dict(zip(self.problem.names, each.modes, strict=True)) for each in known)

    @property
    def required(self) -> RequiredCoefficient | None:
        """The least coefficient with which the contacts stick; None where they slide, or the rows admit no rest."""
        return self.findings.required

    @property
    def critical(self) -> float | None:
        """The coefficient below which sliding contacts of the plane have one acceleration under each load."""
        return self.findings.critical

    @cached_property
    def jamming(self) -> RequiredCoefficient:
        """The least coefficient at which the contacts press on one another without a load, if they rest in the plane.

        Raises InputError where no contact sticks, for dry pins and in space.
        """
        return jamming_coefficient(self.problem)

    @cached_property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The least and the largest force of each row by name, for the one acceleration; zero for open contacts."""
        found = self.findings.forces
        if not found or (len(found) > 1 and self.findings.verdict != ONE):
            raise InputError("ranges of forces belong to one acceleration; verdict.friction.findings has all of them.")
        ends = [self._ranges(forces) for forces in found]  # loads of pins may differ that give one acceleration
        return {row: (min(x[row][0] for x in ends), max(x[row][1] for x in ends)) for row in ends[0]}

    def _ranges(self, forces: ContactForces) -> dict[str, tuple[float, float]]:
        names = self.system.row_names
        ends = dict.fromkeys((name for name in names), (0.0, 0.0))
        ends |= {name: _ends(x) for name, x in zip(forces.rows, forces.bilateral, strict=True)}
        ends |= {name: _ends(x) for name, x in zip(forces.names, forces.normal, strict=True) if name in names}
        tangential = dict(zip(forces.names, forces.tangential, strict=True))
        for contact in self.system.contacts:
            for place, row in enumerate(contact.slip if contact.name in tangential else ()):
                table = np.reshape(tangential[contact.name], (-1, 2))
                ends[names[row]] = _ends(table[place])
        for label, table in forces.resistances:
            for contact in self.system.contacts:
                for place, row in enumerate(contact.slip if label.startswith(contact.row) else ()):
                    ends[names[row]] = _ends(table[place])
        return ends

    def multiplier(self, row: str) -> float:
        """Return the force of a row; the middle of its range where it is not determined. Raises InputError."""
        if row not in self.ranges:
            raise InputError(f"{self.system.name!r} has no row {row!r}; it has {', '.join(self.ranges) or 'none'}.")
        low, high = self.ranges[row]
        return 0.5 * (low + high) if np.isfinite(low + high) else float(np.clip(0.0, low, high))


def _ends(pair: Array) -> tuple[float, float]:
    return float(pair[0]), float(pair[1])


def acting_contacts(system: System, state: State, u: object = None) -> ContactProblem | None:
    """Return the contact problem of the closed contacts at a state, None where no friction acts."""
    closed = () if not system.contacts else closed_rows(system, state, _terms(system, state, u))
    unilateral = system.model.unilateral
    if not any(c.static > 0.0 and (c.normal not in unilateral or c.normal in closed) for c in system.contacts):
        return None
    return frozen_contacts(system, state, closed, u)


def with_friction(found: Verdict, system: System, state: State, u: object = None) -> Verdict:
    """Return the verdict on a state with the friction of its closed contacts; the same where none acts.

    `found` is the verdict on its rows without friction. At positions where the rows do not leave one affine set of
    accelerations the two are not joined, and the accelerations are undecided.
    """
    problem = acting_contacts(system, state, u)
    if problem is None:
        return found
    if not set(found.verdicts) <= {"regular", "redundant"}:
        known = replace(
            found.accelerations,
            status=UNDECIDED,
            complete=False,
            evidence=f"friction at a {found.verdict} position is not decided; these are without friction",
        )
        return replace(found, accelerations=known, answer=None)
    law = LawOfFriction(system, problem, _solved(problem))
    return replace(
        found,
        accelerations=_accelerations(law, found),
        answer=None,
        friction=law,
        motion_unique=None,
        error=_error(law),
    )


def terms_of(loads: LoadFindings, system: System, state: State, u: object) -> Terms:
    """Return the terms of a model with the forces of the first solution for the multipliers that they see."""
    terms = _terms(system, state, u)
    f = loads.forces[0] if len(loads.forces) else np.where(np.isfinite(terms.f), terms.f, 0.0)
    return replace(terms, f=f)


def require_one_load(system: System, state: State, u: object = None) -> None:
    """Raise NonUniqueAccelerationError where the multipliers that forces see are not unique at a state."""
    if system.model.seen is not None:
        found = load_findings(system, state, u)
        where = f"{system.name!r} at t = {state.t:g}"
        if found.status != ONE:
            raise NonUniqueAccelerationError(f"{where}: {found.sentence}")
        if not np.all(np.isfinite(_terms(system, state, u).f)):
            raise NonUniqueAccelerationError(
                f"{where}: {found.sentence[:-1]}, but no weaker force leads to them continuously, so no motion with"
                " them is followed."
            )


def with_loads(found: Verdict, loads: LoadFindings, system: System, state: State, u: object = None) -> Verdict:
    """Return the verdict on a state whose forces see multipliers, with what is known of these.

    `found` is the verdict on its rows with the first solution. Only where the rows are independent do they determine
    the multipliers.
    """
    if found.verdicts != ("regular",) or loads.status == UNDECIDED:
        why = loads.evidence
        if found.verdicts != ("regular",):
            why = f"forces see multipliers, which rows at a {found.verdict} position do not determine"
        loads = replace(loads, status=UNDECIDED, evidence=why)
        known = replace(found.accelerations, status=UNDECIDED, complete=False, evidence=why)
        return replace(found, accelerations=known, answer=None, motion_unique=None, loads=loads)
    if loads.status == ONE and found.unique:
        assert found.answer is not None
        object.__setattr__(found, "loads", loads)
        object.__setattr__(found, "error", found.error + _load_error(found, loads, system, state, u))
        return found
    problems = [replace(found.problem, f=f) for f in loads.forces]
    solved = [(problem, solve(problem)) for problem in problems]
    candidates = tuple(Candidate(x.a, x.zwang, SEEN, "confirmed", 0.0) for _, x in solved)
    ordered = tuple(sorted(candidates, key=lambda c: c.zwang))
    accelerations = AccelerationSet(loads.status, ordered, (), True, loads.evidence)
    return replace(found, accelerations=accelerations, answer=None, motion_unique=None, loads=loads)


def _load_error(found: Verdict, loads: LoadFindings, system: System, state: State, u: object) -> float:
    """Return what the acceleration is off by, in the mass metric, as its multipliers are not those that f was made of.

    With ρ = λ − s the true ones differ from s by F'⁻¹ρ, and the force by f' F'⁻¹ρ.
    """
    seen, metric = system.model.seen, found.problem.metric
    assert seen is not None
    s, at = loads.solutions[0], (state.q, state.v, state.t, system.theta(u))
    _, _, g = seen.numbers(*at)
    g, slope = g.reshape(system.n, -1), np.nan_to_num(seen.force(*at, s)[1].reshape(system.n, -1))
    off = np.array([found.multiplier(name) for name in loads.names]) - s
    moved = slope @ np.linalg.lstsq(np.eye(len(s)) + g.T @ slope, off)[0]
    return float(metric.norm(metric.lift(metric.covector(moved))))


def _terms(system: System, state: State, u: object) -> Terms:
    return system.model.terms(state.q, state.v, state.t, system.theta(u))


def _solved(problem: ContactProblem) -> ContactVerdict | ContactFindings:
    """Return all accelerations of a problem, as quickly as they are known."""
    if problem.in_space:
        found = solve_contacts(problem)
        return found if found.evidence else contact_findings(problem)
    if problem.pinned or (count_modes(problem) > MODES and not convex(problem)):
        return contact_findings(problem)
    found = solve_contacts(problem)
    return found if found.evidence or count_modes(problem) <= MODES else contact_findings(problem)


def _accelerations(law: LawOfFriction, found: Verdict) -> AccelerationSet:
    """Return the accelerations of a law, with the Zwang of each."""
    pieces, complete, evidence = _pieces(law)
    metric = law.problem.bare.metric

    def zwang(a: Array) -> float:
        return 0.5 * metric.norm(a - metric.reference) ** 2

    singles = [a for vertices, directions in pieces if len(vertices) == 1 and not len(directions) for a in vertices]
    candidates = tuple(Candidate(a, zwang(a), LAW, "confirmed", 0.0) for a in singles)
    continua = tuple(
        Continuum(
            max(1, int(np.linalg.matrix_rank(np.vstack([vertices[1:] - vertices[0], directions])))),
            min(zwang(a) for a in vertices),
            LAW,
            "confirmed",
            0.0,
            _sampler(vertices, directions),
        )
        for vertices, directions in pieces
        if len(vertices) > 1 or len(directions)
    )
    status = law.status
    if status == ONE and len(candidates) != 1:
        status = UNDECIDED
    return AccelerationSet(status, tuple(sorted(candidates, key=lambda c: c.zwang)), continua, complete, evidence)


def _pieces(law: LawOfFriction) -> tuple[list[tuple[Array, Array]], bool, str]:
    """Return the convex sets of accelerations by vertices (w, n) and directions (d, n), and why they are all."""
    solved, none = law.solved, np.zeros((0, law.system.n))
    if isinstance(solved, ContactFindings) and (solved.solved is None or solved.verdict != solved.solved.verdict):
        found = [(forces.a[None], none) for forces in solved.forces]
        return found, solved.complete, solved.evidence or solved.sentence
    known = solved.solved if isinstance(solved, ContactFindings) else solved
    assert known is not None
    pieces = [(a[None], none) for a in known.accelerations]
    pieces += [
        (s.accelerations, s.directions) for s in known.solutions if len(s.accelerations) > 1 or len(s.directions)
    ]
    return pieces, bool(known.evidence), known.evidence or known.unproved or "the decision hangs on the tolerance"


def _sampler(vertices: Array, directions: Array) -> Callable[[int, int], Array]:
    """Return a function that draws members of a convex set of accelerations."""

    def sample(count: int, seed: int) -> Array:
        rng = np.random.default_rng(seed)
        if len(vertices) == 2 and not len(directions):
            share = np.linspace(0.0, 1.0, count)[:, None] if count > 1 else np.array([[0.5]])
            return np.asarray(vertices[0] + share * (vertices[1] - vertices[0]))
        weights = rng.dirichlet(np.ones(len(vertices)), count)
        size = float(np.max(np.abs(vertices), initial=0.0)) or 1.0
        return np.asarray(weights @ vertices + size * rng.exponential(size=(count, len(directions))) @ directions)

    return sample


def _error(law: LawOfFriction) -> float:
    """Return how far the accelerations are from the law, in the mass metric: its residual at the size of the forces."""
    solved = law.solved
    if isinstance(solved, ContactFindings):
        residual = max((float(forces.accuracy) for forces in solved.forces), default=0.0)
    else:
        residual = max((float(s.residual) for s in solved.solutions), default=0.0)
    metric = law.problem.bare.metric
    sizes = [metric.norm(a - metric.reference) for vertices, _ in _pieces(law)[0] for a in vertices]
    return residual * max([metric.norm(metric.reference), *sizes])
