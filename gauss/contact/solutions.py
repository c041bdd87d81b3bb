"""Solutions of a planar friction problem, and the verdict on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gauss.contact.coulomb import FrictionProblem
from gauss.contact.forces.polyhedra import distinct
from gauss.errors import InputError
from gauss.foundation.arrays import Array, tidied
from gauss.principle.metric import Metric

WORDS = {
    "none": "no acceleration and no finite contact forces satisfy the law of friction here",
    "one": "the acceleration is unique",
    "several": "{count} different accelerations satisfy the law of friction here",
    "continuum": "a continuum of accelerations satisfies the law of friction here",
    "open": "{count} acceleration(s) that satisfy the law of friction here were found, others are not excluded",
}
ENUMERATED = "all modes of the contacts were tried"
WEAK = "friction is too weak for a second one"


@dataclass(frozen=True)
class FrictionSolution:
    """A maximal convex set of solutions in one mode; most often one acceleration with one set of forces."""

    modes: tuple[str, ...]  # (k,) "separate", "stick", "slip+" or "slip−" for each contact; touching with p = 0 is slip
    accelerations: Array  # (w, n) distinct accelerations at the vertices; one where it is unique in this piece
    directions: Array  # (d, n) along which the acceleration may go on without end in this piece; most often none
    bilateral: Array  # (v, m) multipliers of the bilateral rows at the vertices
    normal: Array  # (v, k) normal forces at the vertices, of dry pins |λ|
    tangential: Array  # (v, k) friction forces at the vertices
    rays: Array  # (r, m + 2k) directions (λ, p, t) along which the forces may go on without end; lines count twice
    by_rule: bool  # whether it stays under the rule "what can stick sticks" (matters where μ_s > μ_k only)
    residual: float  # largest violation of M a = f + forces, rows and complementarity, relative to the forces
    others: bool = False  # whether other forces may give this acceleration that were not looked for

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


@dataclass(frozen=True)
class FrictionVerdict:
    """All solutions of a planar friction problem, and what they mean."""

    problem: FrictionProblem
    every: tuple[FrictionSolution, ...]  # also those that the rule "what can stick sticks" leaves out
    doubtful: bool  # the rank of some mode's equations hangs on the tolerance
    contradictory: bool  # the bilateral rows alone have no solution
    unproved: str = ""  # why there may be other solutions, with dry pins or many contacts; empty where there are none
    proof: str = ENUMERATED  # that there are none, if so

    @property
    def evidence(self) -> str:
        """Why there are no other solutions; empty where that is not known."""
        return "" if self.doubtful or self.unproved else self.proof

    @property
    def metric(self) -> Metric:
        """The metric of the problem."""
        return self.problem.metric

    @property
    def solutions(self) -> tuple[FrictionSolution, ...]:
        """The solutions under the rule that a contact at rest sticks where it can."""
        return tuple(s for s in self.every if s.by_rule)

    @cached_property
    def accelerations(self) -> Array:
        """The distinct single accelerations (w, n), leaving out those of continua."""
        found = [s.a for s in self.solutions if len(s.accelerations) == 1 and not len(s.directions)]
        L = self.metric.L
        white = np.array(found).reshape(len(found), len(L)) @ L
        size = max(1e-300, float(np.max(np.abs(white), initial=0.0)), self.metric.norm(self.metric.reference))
        kept = distinct(white / size, 1.0) * size
        return np.array([self.metric.lift(z) for z in kept]).reshape(len(kept), len(L))

    @property
    def verdict(self) -> str:
        """One of "none", "one", "several" and "continuum", of accelerations.

        With dry pins or too many contacts "open" where at most one was found and others are not excluded.
        """
        if any(len(s.accelerations) > 1 or len(s.directions) for s in self.solutions):
            return "continuum"
        count = len(self.accelerations)
        if self.unproved and count < 2:
            return "open"
        return "none" if count == 0 else "one" if count == 1 else "several"

    @property
    def sentence(self) -> str:
        """The verdict in words, with the contacts named."""
        names = self.problem.names
        text = WORDS[self.verdict].format(count=len(self.accelerations))
        if self.contradictory:
            return f"the bilateral rows {', '.join(map(repr, self.problem.rows))} contradict one another."
        if not self.solutions and not self.unproved:
            text += f" (contacts {', '.join(map(repr, names))}): the state is inconsistent, an impulse must act"
        parts = []
        for s in self.solutions:
            modes = ", ".join(f"{name!r} {_said(mode)}" for name, mode in zip(names, s.modes, strict=True))
            parts.append((modes or "no contact is closed") + ("" if s.unique_forces else " (forces not unique)"))
        text += ": " + "; or ".join(parts) if parts else ""
        left = len(self.every) - len(self.solutions)
        text += f". {left} solution(s) in which a contact slips that can stick are left out" if left else ""
        text += f". Not proved complete: {self.unproved}" if self.unproved else ""
        return text + (". The decision hangs on the tolerance" if self.doubtful else "") + "."

    def __str__(self) -> str:
        p, lines = self.problem, [f"verdict        {self.verdict}", f"  {self.sentence}"]
        for s in self.solutions:
            for a in s.accelerations:
                values = ", ".join(f"{c} = {x:.9g}" for c, x in zip(p.coordinates, tidied(a), strict=True))
                lines.append(f"acceleration   {values}")
            for normal, tangential in zip(s.normal, s.tangential, strict=True):
                each = zip(p.names, tidied(normal), tidied(tangential), strict=True)
                lines.append("  forces       " + ", ".join(f"{name}: p = {x:.9g}, t = {y:.9g}" for name, x, y in each))
            lines += ["  forces       and on without end"] if len(s.rays) else []
        return "\n".join(lines)


def _said(mode: str) -> str:
    return {"separate": "separates", "stick": "sticks", "slip+": "slips forwards"}.get(mode, "slips backwards")
