"""`Verdict`: what is unique at one state and why, with its acceleration, as data and in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gauss.errors import InputError, NonUniqueAccelerationError, SolverError
from gauss.foundation.arrays import Array, tidied
from gauss.foundation.outcomes import CONTINUUM, FEW, NONE, ONE, UNDECIDED, Shown, one_line
from gauss.model import System
from gauss.model.coordinates import Named
from gauss.model.rows import said_rows
from gauss.model.state import State
from gauss.model.units import unit_of
from gauss.principle import GaussProblem, GaussSolution
from gauss.principle.sparse import SparseProblem
from gauss.uniqueness.accelerations import AccelerationSet, Candidate
from gauss.uniqueness.findings import ORDER, Finding
from gauss.uniqueness.ranges import is_point
from gauss.uniqueness.reactions import Reactions, all_determined, reactions
from gauss.uniqueness.regularity import Regularity
from gauss.uniqueness.rows.nearby import NearbyPoint
from gauss.uniqueness.verdict_lines import SHOWN, acceleration_lines, force_lines

LINES = 12  # of a printed verdict


class LawAtState(Protocol):
    """What the law of friction admits at a state, as `gauss.verdict` finds it."""

    @property
    def sentence(self) -> str:
        """How many accelerations there are, and what the contacts do in each."""

    @property
    def modes(self) -> tuple[dict[str, str], ...]:
        """What each closed contact does, for each solution."""

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The least and the largest force of each row by name, for the one acceleration."""

    def multiplier(self, row: str) -> float:
        """Return the force of a row. Raises InputError."""


class LoadsAtState(Protocol):
    """What is known of multipliers that forces see at a state, as `gauss.contact.loads` finds it."""

    @property
    def sentence(self) -> str:
        """How many solutions there are, what they are, and why these are all."""


@dataclass(frozen=True, repr=False)
class Verdict(Shown):
    """What is unique at one state, and why: the result of `gauss.classify` and of `gauss.accelerate`.

    Where contacts with friction are closed, `friction` is what their law admits, and the accelerations are those of the
    law; the words on the rows are about the same rows without friction. Of a verdict that is clear beforehand some
    fields are computed when they are asked for (`later`).

    >>> import gauss as g
    >>> cross = g.System(
    ...     "two lines that cross",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     force=[1.0, 2.0],
    ...     constraints=[g.Holonomic("lines", lambda q: q.x * q.y)],
    ... )
    >>> found = g.classify(cross, [0, 0])
    >>> found.verdict, found.unique, found.accelerations.status
    ('branching', False, 'several')
    >>> [candidate.a.round(9).tolist() for candidate in found.candidates]
    [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0]]
    """

    state: State
    coordinates: tuple[str, ...]
    findings: tuple[Finding, ...]
    regularity: Regularity  # the decision on the rank, with its evidence
    accelerations: AccelerationSet
    problem: GaussProblem  # rows made exactly dependent and completed by those of higher order
    answer: GaussSolution | None  # the certified minimiser, where rows determine the acceleration
    conditions: tuple[str, ...]  # the conditions of higher order on the accelerations, as formulas
    nearby: tuple[NearbyPoint, ...]  # points of the constraint set that were looked at
    warnings: tuple[str, ...]
    error: float  # of the acceleration, in the mass metric: of the program, rows replaced, the state's uncertainty
    motion_unique: bool | None = None  # whether one motion leaves, as far as the rows decide; None: not examined
    readings: tuple[Verdict, ...] = ()  # where undecided: with the rows taken as independent, and as dependent
    friction: LawAtState | None = None  # of closed contacts
    loads: LoadsAtState | None = None  # of multipliers that forces see
    blurred: bool = False  # whether the errors of the state's own digits leave the acceleration open
    units: Mapping[str, str] = field(default_factory=dict)  # that the system declares
    twin: Callable[[], Any] | None = None  # the same in natural coordinates, of a mechanism in joint coordinates

    @staticmethod
    def later(
        system: System, state: State, findings: tuple[Finding, ...], rest: Callable[[str], dict[str, Any]]
    ) -> Verdict:
        """Return a verdict with findings of which nothing follows at higher orders; `rest` has the fields left out.

        It returns one of them by name, and others that are computed with it.
        """
        found = object.__new__(Verdict)
        found.__dict__.update(state=state, coordinates=system.coordinates, units=system.units, findings=findings)
        found.__dict__.update(conditions=(), nearby=(), motion_unique=None, readings=(), friction=None, loads=None)
        found.__dict__.update(blurred=False, twin=None, _rest=rest)
        return found

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            rest = self.__dict__.get("_rest")
            if rest is None or name.startswith("_") or name not in {each.name for each in fields(self)}:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            for key, value in rest(name).items():
                self.__dict__.setdefault(key, value)
            return self.__dict__[name]

    def __getstate__(self) -> dict[str, Any]:
        """Return all fields, with what else is known, to be written or copied."""
        known = {each.name: getattr(self, each.name) for each in fields(self)} | self.__dict__
        known.pop("_rest", None)
        return known

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdicts, gravest first; several can hold together."""
        return tuple(sorted({f.verdict for f in self.findings}, key=ORDER.index))

    @property
    def verdict(self) -> str:
        """The verdicts in one string."""
        return " and ".join(self.verdicts)

    @property
    def regular(self) -> bool:
        """Whether the rows are independent."""
        return self.verdicts == ("regular",)

    @property
    def unique(self) -> bool:
        """Whether there is exactly one acceleration."""
        return self.accelerations.unique

    @property
    def solution(self) -> GaussSolution:
        """The certified minimiser over rows. Raises NonUniqueAccelerationError where there is none.

        On a branching position the single acceleration may be a vertex of the cone, which no rows determine, and with
        friction it is that of the law of friction; there are no multipliers of a quadratic program then.
        """
        if self.answer is None:
            raise NonUniqueAccelerationError(self._why_no_solution())
        return self.answer

    def _why_no_solution(self) -> str:
        found = self.accelerations
        where = f"at this {self.verdict} position"
        if self.friction is not None and found.unique:
            return (
                "the acceleration is that of the law of friction, not of a quadratic program; verdict.a has it, and"
                " verdict.friction the forces."
            )
        if found.unique:
            return (
                f"the acceleration is unique {where}, but no rows determine it, so there are no multipliers; verdict.a"
                " has it."
            )
        if found.status == UNDECIDED:
            return f"the acceleration is not decided {where}: {found.evidence}. verdict.candidates holds what is known."
        for law in (self.friction, self.loads):
            if law is not None:
                return f"the acceleration is not unique here: {law.sentence} See verdict.candidates."
        several = "a continuum of them" if found.continua else f"{len(found.candidates)} candidates"
        return (
            f"the acceleration is not unique {where}: Gauss's principle admits {several}. See verdict.candidates and"
            ' verdict.accelerations, or follow each one with gauss.simulate(…, branches="all").'
        )

    @property
    def a(self) -> Array:
        """The accelerations (n,). Raises NonUniqueAccelerationError where they are not unique."""
        return self.candidates[0].a if self.unique else self.solution.a

    @property
    def acceleration(self) -> Named:
        """The accelerations by coordinate name. Raises NonUniqueAccelerationError where they are not unique."""
        return Named(self.coordinates, [float(x) for x in self.a], "coordinate")

    @property
    def zwang(self) -> float:
        """The least Zwang, which is unique even where the acceleration is not."""
        found = self.accelerations
        return min([c.zwang for c in found.candidates] + [f.zwang for f in found.continua])

    @property
    def reaction(self) -> Array:
        """The generalized reaction force M a − f (n,). Raises NonUniqueAccelerationError where it is not unique."""
        if self.answer is None and self.unique:
            return np.asarray(self.problem.M @ self.a - self.problem.f)
        return self.solution.reaction

    def multiplier(self, row: str) -> float:
        """Return λ of a row by name. Raises InputError for unknown names, NonUniqueAccelerationError without rows."""
        if self.friction is not None and self.unique:
            return self.friction.multiplier(row)
        return self.solution.multiplier(row)

    @property
    def forces(self) -> dict[str, tuple[float, float]]:
        """The least and the largest force that each row may carry, by name, for the one acceleration.

        Both ends are the same where the force is determined. Raises NonUniqueAccelerationError without one
        acceleration.
        """
        if self.friction is not None and self.unique:
            return self.friction.ranges
        _ = self.solution
        found = self.reactions
        assert found is not None
        return {name: (float(low), float(high)) for name, low, high in zip(found.rows, found.low, found.high)}

    def range_of(self, row: str) -> tuple[float, float]:
        """Return the least and the largest force that a row may carry; with friction or without, as `forces`.

        The force of a contact is asked by its row, "floor", or "floor, normal", and its friction by "slip of floor", or
        "floor, friction". Raises InputError for unknown names, NonUniqueAccelerationError without one acceleration.
        """
        forces = self.forces
        named = {said: name for name, said in said_rows(tuple(forces)).items()}
        if named.get(row, row) not in forces:
            raise InputError(f"no force is called {row!r}; there are {', '.join(map(repr, named)) or 'none'}.")
        return forces[named.get(row, row)]

    @property
    def open_forces(self) -> tuple[str, ...]:
        """The rows whose forces are not determined by the one acceleration; empty without one, or without ranges."""
        known = self._known_forces
        return () if known is None else tuple(known[1])

    @property
    def modes(self) -> tuple[dict[str, str], ...]:
        """What each closed contact does in each solution of the law of friction; empty where none acts.

        "open", "stick", "slip+" or "slip−" in the plane, "slip" in space.
        """
        return () if self.friction is None else self.friction.modes

    @property
    def why(self) -> str:
        """What the verdict rests on, in words."""
        return " ".join([*self._sentences, *self._contact_forces])

    @property
    def _sentences(self) -> list[str]:
        """What was found, with its causes and remedies."""
        found = [f.sentence for f in sorted(self.findings, key=lambda f: ORDER.index(f.verdict))]
        return found + [law.sentence for law in (self.friction, self.loads) if law is not None]

    @property
    def _contact_forces(self) -> list[str]:
        """Whether the forces of dependent contacts are unique, in a sentence, by their ranges."""
        rows = self.problem.rows
        contacts = {rows.names[k] for k in rows.inequality}
        dependent = {name for f in self.findings if f.verdict == "redundant" for group in f.sets for name in group}
        known = self._known_forces if contacts & dependent else None
        if known is None:
            return []
        open_ = [name for name in known[1] if name in contacts]
        if not open_:
            return ["The contact forces are unique, too."]
        return [f"The contact forces {', '.join(map(repr, open_[:SHOWN]))} are not: verdict.range_of(name) has each."]

    @cached_property
    def _known_forces(self) -> tuple[dict[str, tuple[float, float]], list[str]] | None:
        """The ranges of all forces, and the names of those that are not determined; None where nothing is known."""
        if not self.unique or (self.answer is None and self.friction is None):
            return None
        try:
            forces = self.forces
        except (SolverError, InputError):
            return None
        return forces, [name for name, ends in forces.items() if not is_point(*ends)]

    @property
    def sigma(self) -> Array:
        """Singular values of the scaled rows in the mass metric, decreasing."""
        return self.regularity.sigma

    @property
    def sigma_min(self) -> float:
        """The smallest of them; 0 if there are more rows than coordinates, 1 without rows."""
        return self.regularity.sigma_min

    @property
    def tolerance(self) -> float:
        """Singular values below count as zero."""
        return self.regularity.tolerance

    @property
    def dependent(self) -> tuple[tuple[str, ...], ...]:
        """Minimal dependent sets of rows, by name."""
        return self.regularity.dependent

    @cached_property
    def reactions(self) -> Reactions | None:
        """Which multipliers and reaction forces are determined, with ranges; None without a unique acceleration.

        None too where friction acts, whose law says what its forces may be: `range_of` has the ranges of both.
        """
        if self.answer is None:
            return None
        sparse = SparseProblem.of(self.problem) if self.regularity.left_out else None
        return reactions(self.answer) if sparse is None else all_determined(self.answer, sparse)

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The single accelerations at which the Zwang is stationary, by increasing Zwang."""
        return self.accelerations.candidates

    @property
    def sentence(self) -> str:
        """The verdicts, their causes and remedies in words."""
        return " ".join([self.why, *self.warnings])

    @property
    def counted(self) -> str:
        """How many accelerations there are, whether all are known, and how: "several, all known: …"."""
        found = self.accelerations
        if found.status == ONE:
            return ONE
        known = ", all known" if found.complete else ", not all known"
        if found.status == NONE:
            known = "" if found.complete else " found"
        told = any(found.evidence in text for text in self._sentences)
        return f"{found.status}{known}" + ("" if told or not found.evidence else f": {found.evidence}")

    def __str__(self) -> str:
        """What is unique, the acceleration with its error, why, what to do: at most twelve lines."""
        r = self.regularity
        forces = () if self._known_forces is None else force_lines(*self._known_forces, self.unit)
        lines = [*self._answers(), *forces]
        if self.motion_unique is not None:
            lines.append(f"motion         {'' if self.motion_unique else 'not '}unique, as far as the rows decide")
        lines.append(f"position       {self.verdict}: rank {r.rank} of {len(r.rows)} rows")
        reasons = [f"why            {text}" for text in self._sentences]
        reasons += [f"condition      {text}" for text in self.conditions]
        warnings = [f"warning        {text}" for text in self.warnings]
        room = LINES - len(lines) - len(warnings)
        if len(reasons) > room:
            reasons = [*reasons[: room - 1], f"               and {len(reasons) - room + 1} more"]
        return "\n".join([*lines, *reasons, *warnings][:LINES])

    def unit(self, name: str) -> str:
        """Return the unit of a coordinate, a velocity (d_), an acceleration (dd_) or the force of a row, by name.

        "" where none is declared.
        """
        rows = self.problem.rows
        return unit_of(name, self.units, self.coordinates, rows.names, rows.kinds)

    def __repr__(self) -> str:
        found = self.accelerations
        count = {NONE: "no", CONTINUUM: "a continuum of"}.get(found.status, found.status)
        text = f"{self.verdict}: {count} acceleration" + ", which the digits of the state do not decide" * self.blurred
        if found.unique:
            pairs = zip(self.coordinates[:FEW], tidied(self.a), strict=False)
            text += ", " + ", ".join(f"{name} = {x:.6g}" for name, x in pairs) + ", …" * (len(self.coordinates) > FEW)
        else:
            text += "s" * found.several + f", {len(found.candidates)} known" * bool(found.candidates)
        return f"Verdict({one_line(text)})"

    def _answers(self) -> list[str]:
        """Return how many accelerations there are, and the first of them."""
        found = self.accelerations
        texts = [f"accelerations  {self.counted}"]
        if found.status == ONE:
            texts[0] += "; the digits of the state do not decide it" * self.blurred + "; forces open" * bool(
                self.open_forces
            )
        free = np.asarray(np.linalg.lstsq(self.problem.M, self.problem.f)[0], dtype=float)
        texts += acceleration_lines(found, self.coordinates, free, self.unit)
        if found.candidates:
            texts.append(f"error          {self.error:.2g} (in the mass metric, the state's uncertainty included)")
        return texts
