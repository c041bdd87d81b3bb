"""Solutions of a contact problem, and the verdict on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gauss.contact.forces.polyhedra import distinct
from gauss.contact.problem import ContactProblem
from gauss.errors import InputError
from gauss.foundation.arrays import Array, tidied
from gauss.foundation.outcomes import (
    BACKWARDS,
    CONTINUUM,
    FORWARDS,
    NONE,
    ONE,
    OPEN,
    SEVERAL,
    SLIP,
    STICK,
    UNDECIDED,
    Shown,
)
from gauss.principle.metric import Metric

WORDS = {
    NONE: "no acceleration and no finite contact forces satisfy the law of friction here",
    ONE: "the acceleration is unique",
    SEVERAL: "{count} different accelerations satisfy the law of friction here",
    CONTINUUM: "a continuum of accelerations satisfies the law of friction here",
    UNDECIDED: "{count} acceleration(s) that satisfy the law of friction here were found, others are not excluded",
}
SAID = {
    OPEN: "separates",
    STICK: "sticks",
    SLIP: "slips",
    FORWARDS: "slips forwards",
    BACKWARDS: "slips backwards",
}
ENUMERATED = "all modes of the contacts were tried"
WEAK = "friction is too weak for a second one"
CONVEX = "friction with constant limits leaves one"
APPROXIMATE = "the law of friction is changed"
WITHOUT_FRICTION = "it needs no friction, and then no other satisfies the law"


@dataclass(frozen=True)
class ContactSolution:
    """A maximal convex set of solutions in one mode; most often one acceleration with one set of forces.

    >>> import gauss as g
    >>> floor = {"N": [[0, 1]], "nu": [0], "T": [[1, 0]], "tau": [0], "coefficient": [0.5]}
    >>> block = g.contact.ContactProblem.of([[2, 0], [0, 2]], [15, -20], **floor)
    >>> found = g.contact.solve_contacts(block).solution
    >>> found.modes, found.a.round(9).tolist(), found.tangential.round(9).tolist()
    (('slip+',), [2.5, 0.0], [[-10.0]])
    """

    modes: tuple[str, ...]  # (k,) "open", "stick", "slip+", "slip−", in space "slip"; touching with p = 0 is slip
    accelerations: Array  # (w, n) distinct accelerations at the vertices; one where it is unique in this piece
    directions: Array  # (d, n) along which the acceleration may go on without end in this piece; most often none
    bilateral: Array  # (v, m) multipliers of the bilateral rows at the vertices
    normal: Array  # (v, k) normal forces at the vertices, of dry pins |λ|
    tangential: Array  # (v, k) friction forces at the vertices, in space (v, k, 2)
    rays: Array  # (r, m + 2k) directions (λ, p, t) along which the forces may go on without end; lines count twice
    residual: float  # largest violation of M a = f + forces, rows and law, relative to the forces
    by_rule: bool = True  # whether it stays under the rule "what can stick sticks" (matters where μ_s > μ_k only)
    others: bool = False  # whether other forces may give this acceleration that were not looked for
    moments: tuple[Array, ...] = ()  # (d,) N m of each resistance of the problem
    resisted: tuple[str, ...] = ()  # the mode of each resistance

    @property
    def a(self) -> Array:
        """The acceleration (n,). Raises InputError where this piece holds a continuum of them."""
        if len(self.accelerations) != 1 or len(self.directions):
            raise InputError("this solution is a continuum of accelerations; see its accelerations and directions.")
        return np.asarray(self.accelerations[0])

    @property
    def unique_forces(self) -> bool:
        """Whether the contact forces are determined, too."""
        return len(self.normal) == 1 and not len(self.rays) and not self.others


@dataclass(frozen=True, repr=False)
class ContactVerdict(Shown):
    """All solutions of a contact problem that are known, and what they mean."""

    problem: ContactProblem
    every: tuple[ContactSolution, ...]  # also those that the rule "what can stick sticks" leaves out
    proof: str = ENUMERATED  # that there are no others, if so
    unproved: str = ""  # why there may be other solutions; empty where there are none
    doubtful: bool = False  # the rank of some mode's equations hangs on the tolerance
    contradictory: bool = False  # the bilateral rows alone have no solution
    method: str = "exact"  # or "polyhedral" or "relaxed", which change the law of friction
    bound: float = np.inf  # Θ in space: below 1 it proves that the acceleration is unique; inf says nothing
    solvable: bool | None = None  # in space whether a solution exists: found, or proved; None: unknown
    passes: int = 0  # convex programs solved
    shortfall: float = 0.0  # share by which a pyramid falls short of the cone at most, 1 − cos(π/facets)
    separation: Array | None = None  # (k,) artificial normal acceleration μ|ṡ| of the relaxation
    distance: float = 0.0  # of an approximation: |a − a'|_M to the nearest exact one, over |a_free|_M; nan: none known

    @property
    def evidence(self) -> str:
        """Why there are no other solutions; empty where that is not known."""
        return "" if self.doubtful or self.unproved else self.proof

    @property
    def metric(self) -> Metric:
        """The metric of the problem."""
        return self.problem.metric

    @property
    def solutions(self) -> tuple[ContactSolution, ...]:
        """The solutions under the rule that a contact at rest sticks where it can."""
        return tuple(s for s in self.every if s.by_rule)

    @property
    def solution(self) -> ContactSolution:
        """The only solution, or the first found. Raises InputError where there is none."""
        if not self.solutions:
            raise InputError(f"there is no solution: {self.sentence}")
        return self.solutions[0]

    @property
    def a(self) -> Array:
        """The acceleration (n,) of `solution`."""
        return self.solution.a

    @cached_property
    def accelerations(self) -> Array:
        """The distinct single accelerations (w, n), leaving out those of continua."""
        found = [s.a for s in self.solutions if len(s.accelerations) == 1 and not len(s.directions)]
        L = self.metric.L
        whitened = np.array(found).reshape(len(found), len(L)) @ L
        size = max(1e-300, float(np.max(np.abs(whitened), initial=0.0)), self.metric.norm(self.metric.reference))
        kept = distinct(whitened / size, 1.0) * size
        return np.array([self.metric.lift(z) for z in kept]).reshape(len(kept), len(L))

    @property
    def verdict(self) -> str:
        """How many accelerations: "none", "one", "several" or "continuum".

        "undecided" where at most one was found and others are not excluded, and for approximations.
        """
        if any(len(s.accelerations) > 1 or len(s.directions) for s in self.solutions):
            return CONTINUUM
        count = len(self.solutions) if self.problem.in_space else len(self.accelerations)
        if self.unproved and count < 2:
            return UNDECIDED
        return NONE if count == 0 else ONE if count == 1 else SEVERAL

    @property
    def sentence(self) -> str:
        """The verdict in words, with the contacts and their modes."""
        names = self.problem.names
        if self.contradictory:
            return f"the bilateral rows {', '.join(map(repr, self.problem.rows))} contradict one another."
        text = self._approximation or WORDS[self.verdict].format(count=len(self.accelerations))
        if self.verdict == NONE:
            text += f" (contacts {', '.join(map(repr, names))}): the state is inconsistent, an impulse must act"
        parts = []
        for s in self.solutions:
            modes = ", ".join(f"{name!r} {SAID[mode]}" for name, mode in zip(names, s.modes, strict=True))
            parts.append((modes or "no contact is closed") + ("" if s.unique_forces else " (forces not unique)"))
        text += ": " + "; or ".join(parts) if parts else ""
        left = len(self.every) - len(self.solutions)
        text += f". {left} solution(s) in which a contact slips that can stick are left out" if left else ""
        exact = self.method == "exact"
        text += f". Proof: {self.proof}" if exact and self.evidence and self.proof != ENUMERATED else ""
        text += f". Not proved complete: {self.unproved}" if exact and self.unproved else ""
        return text + (". The decision hangs on the tolerance" if self.doubtful else "") + "."

    @property
    def _approximation(self) -> str:
        """What an approximation changes; empty for Coulomb's law itself."""
        if self.method == "polyhedral":
            return f"the cone is replaced by a pyramid inside it, short by at most {self.shortfall:.3g} of its radius"
        if self.method == "relaxed":
            top = float(np.max(np.asarray(self.separation), initial=0.0))
            return f"a convex relaxation, not Coulomb's law: contacts open with up to {top:.6g} where they slip"
        return ""

    def __str__(self) -> str:
        p, lines = self.problem, [f"verdict        {self.verdict}", f"  {self.sentence}"]
        for s in self.solutions:
            for a in s.accelerations:
                values = ", ".join(f"{c} = {x:.9g}" for c, x in zip(p.coordinates, tidied(a), strict=True))
                lines.append(f"acceleration   {values}")
            for normal, tangential in zip(s.normal, s.tangential, strict=True):
                each = zip(p.names, tidied(normal), tidied(tangential), strict=True)
                lines += [f"  forces       {name}: p = {x:.9g}, t = {_numbers(t)}" for name, x, t in each]
            for resistance, m in zip(p.resistances, s.moments, strict=True):
                name = p.names[resistance.contact]
                lines.append(f"  moment       {name} ({resistance.kind}): {_numbers(tidied(m))}")
            lines += ["  forces       and on without end"] if len(s.rays) else []
        return "\n".join(lines)


def _numbers(x: Array) -> str:
    """Return one number, or several in brackets."""
    return f"{float(x):.9g}" if np.ndim(x) == 0 else f"({', '.join(f'{each:.9g}' for each in x)})"
