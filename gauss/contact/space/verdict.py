"""What is said about a friction problem in space: solutions, how they were found, and whether there are others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.contact.space.problem import ConeProblem
from gauss.contact.space.ranges import SMALL, ConePrograms, cone_set
from gauss.contact.space.solvers.newton import CERTIFIED, Candidate
from gauss.contact.space.white import Residuals, WhiteCone, residuals_of
from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array, tidied, unit_rows

SENTENCES = {
    "one": "the acceleration is unique",
    "none": "no acceleration and no finite contact forces satisfy the law of friction here: an impulse must act",
    "several": "{count} different accelerations satisfy the law of friction here",
    "one found": "one acceleration was found; others are not excluded",
    "none found": "no acceleration was found that satisfies the law of friction; that there is none is not proved",
}


@dataclass(frozen=True)
class ConeSolution:
    """One acceleration with one set of contact forces."""

    a: Array  # (n,)
    normal: Array  # (k,) N
    tangential: Array  # (k, 2) N; zero along tangent rows of zeros
    moments: tuple[Array, ...]  # (d,) N m for each resistance of the problem
    bilateral: Array  # (m,)
    gap: Array  # (k,) g̈
    slip: Array  # (k, 2) ṡ
    modes: tuple[str, ...]  # (k,) "separate", "stick", "slip" (begins) or "slide" (goes on); without friction "slide"
    resisted: tuple[str, ...]  # the same for each resistance: "open", "stick", "slip" or "slide"
    residuals: Residuals  # of the law, in the user's units, relative to the forces
    unique_forces: bool  # whether no other contact forces are found that give this acceleration within the law

    @property
    def residual(self) -> float:
        """The largest violation of the law."""
        return self.residuals.largest


@dataclass(frozen=True)
class ConeVerdict:
    """The answer to a friction problem in space."""

    problem: ConeProblem
    method: str  # "cone", "polyhedral" or "relaxed"
    verdict: str  # "one", "none", "several", "one found" or "none found", of accelerations; approximations: "one found"
    solutions: tuple[ConeSolution, ...]
    reason: str  # what proves the verdict, or what is missing
    bound: float  # Θ: below 1 it proves that the acceleration is unique; inf where it says nothing
    solvable: bool | None  # whether a solution exists: found, proved by an acceleration with g̈ > μ|ṡ|; None: unknown
    passes: int  # convex programs solved
    shortfall: float = 0.0  # share by which a pyramid falls short of the cone at most, 1 − cos(π/facets)
    separation: Array | None = None  # (k,) artificial normal acceleration μ|ṡ| of the relaxation
    distance: float = 0.0  # |a − a of the nearest exact solution|_M over |a_free|_M; nan where none is known

    @property
    def solution(self) -> ConeSolution:
        """The only solution, or the first found. Raises InputError where there is none."""
        if not self.solutions:
            raise InputError(f"there is no solution: {self.sentence}")
        return self.solutions[0]

    @property
    def a(self) -> Array:
        """The acceleration (n,) of `solution`."""
        return self.solution.a

    @property
    def sentence(self) -> str:
        """The verdict in words, with the contacts and their modes."""
        if self.method == "polyhedral":
            text = f"the cone is replaced by a pyramid inside it, short by at most {self.shortfall:.3g} of its radius"
        elif self.method == "relaxed":
            top = float(np.max(np.asarray(self.separation), initial=0.0))
            text = f"a convex relaxation, not Coulomb's law: contacts open with up to {top:.6g} where they slip"
        else:
            text = SENTENCES[self.verdict].format(count=len(self.solutions))
            text += f" ({self.reason})" if self.reason else ""
        parts = [
            ", ".join(f"{name!r}: {mode}" for name, mode in zip(self.problem.names, s.modes, strict=True))
            + ("" if s.unique_forces else " (forces not unique)")
            for s in self.solutions
        ]
        return text + ("; " + "; or ".join(parts) if parts and self.problem.k else "") + "."

    def __str__(self) -> str:
        p, lines = self.problem, [f"verdict        {self.verdict} [{self.method}]", f"  {self.sentence}"]
        for s in self.solutions:
            values = ", ".join(f"{c} = {x:.9g}" for c, x in zip(p.coordinates, tidied(s.a), strict=True))
            lines.append(f"acceleration   {values}")
            pairs = zip(p.names, tidied(s.normal), tidied(s.tangential), strict=True)
            forces = [f"{name}: p = {x:.9g}, t = ({t[0]:.9g}, {t[1]:.9g})" for name, x, t in pairs]
            for block, m in zip(p.resistances, s.moments, strict=True):
                text = ", ".join(f"{x:.9g}" for x in tidied(m))
                forces.append(f"{p.names[block.contact]} ({block.kind}): m = ({text})")
            lines += [f"  {text}" for text in forces]
            lines.append(f"  law violated by at most {s.residual:.1e}")
        return "\n".join(lines)


def solution_of(w: WhiteCone, candidate: Candidate, separation: Array | None = None) -> ConeSolution:
    """Return a candidate in the user's units. `separation` (k,), scaled, is that of the relaxed law."""
    p, x, named = w.problem, candidate.x, _named(w, candidate)
    a, forces = w.acceleration(x), w.forces(x)
    tangential, moments, modes, resisted = np.zeros((p.k, 2)), [], [], []
    for i, shut in enumerate(candidate.closed):
        modes.append("slide" if shut else "separate")
        for friction, block, mode in zip(w.frictions, p.blocks, named, strict=True):
            if block.kind == "sliding" and block.contact == i:
                tangential[i][p.slips[i]] = forces[friction.place]
                modes[i] = "separate" if mode == "open" else mode
    residuals = residuals_of(w, x, candidate.modes, separation)
    tagged = iter([j for j, block in enumerate(p.blocks) if block.kind != "sliding"])
    for block in p.resistances:
        if block.static > 0.0:
            j = next(tagged)
            moments.append(forces[w.frictions[j].place])
            resisted.append(named[j])
        else:
            moments.append(np.zeros(len(block.right)))
            resisted.append("slide" if candidate.closed[block.contact] else "open")
    return ConeSolution(
        a,
        forces[: p.k],
        tangential,
        tuple(moments),
        w.bilateral(x, a),
        p.N @ a - p.nu,
        np.einsum("kin,n->ki", p.T, a) - p.tau,
        tuple(modes),
        tuple(resisted),
        residuals,
        _determined(w, a, separation is None and residuals.largest <= CERTIFIED),
    )


def _named(w: WhiteCone, candidate: Candidate) -> list[str]:
    """Return the modes of the frictions; one at its limit that does not begin to move sticks."""
    y, named = w.rates(candidate.x), []
    for friction, mode in zip(w.frictions, candidate.modes, strict=True):
        load, speed = candidate.x[friction.contact], float(np.linalg.norm(y[friction.place]))
        named.append("stick" if mode == "slip" and speed <= CERTIFIED * load else mode)
    return named


def _determined(w: WhiteCone, a: Array, exact: bool) -> bool:
    """Return whether a is known to have one set of forces: independent rows, or programs that find no second one.

    `exact` says that a obeys Coulomb's law; the programs are for that.
    """
    tables = w.B, unit_rows(w.metric.white(w.problem.J))
    if all(not len(rows) or int(np.linalg.matrix_rank(rows, tol=1e-10)) == len(rows) for rows in tables):
        return True
    if not exact:
        return False
    try:
        programs = ConePrograms(cone_set(w.problem, a)[0])
        along = np.random.default_rng(1).standard_normal((programs.Z.shape[0],))  # nothing is normal to it
        if programs.unbounded(along) or programs.unbounded(-along):
            return False
        (most, _), (least, _) = programs.greatest(along), programs.greatest(-along)
    except (InputError, SolverError):
        return False
    return most + least <= SMALL * max(abs(most), abs(least), 1.0)
