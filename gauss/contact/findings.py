"""Everything that is known about one state with friction in space, and the choice between plane and space."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gauss.contact.coulomb import friction_problem, in_space
from gauss.contact.space.problem import ConeProblem, cone_problem
from gauss.contact.space.ranges import FITS, ConeForces, ConePrograms, cone_forces, cone_set
from gauss.contact.space.required import ConeCoefficient, cone_required_coefficient
from gauss.contact.space.solve import LISTED, solve_cone
from gauss.contact.space.verdict import ConeVerdict
from gauss.contact.verdict import WITHOUT_FRICTION, FrictionFindings, friction_findings
from gauss.errors import InputError
from gauss.model import System


@dataclass(frozen=True)
class ConeFindings:
    """What `cone_findings` has found at one state."""

    problem: ConeProblem
    verdict: str  # as of `solve_cone`, or "one" where rest needs no friction
    sentence: str
    solved: ConeVerdict
    forces: tuple[ConeForces, ...]  # of each acceleration found
    required: ConeCoefficient | None  # the least with which contacts at rest stay at rest

    @property
    def complete(self) -> bool:
        """Whether there are no other accelerations."""
        return self.verdict in ("one", "none") or self.solved.reason == LISTED


def cone_only_acceleration(problem: ConeProblem, a: object) -> bool:
    """Return whether a (n,) is proved to be the only acceleration in space, because it needs no friction.

    The proof is that of `only_acceleration`: friction from rest, rolling resistance too, does no positive work on the
    accelerations. False leaves open whether there are others. Raises InputError as `cone_forces` does.
    """
    _, blocks, sticking = cone_set(problem, a)
    frictional = np.isin(np.arange(problem.k), [block.contact for block in blocks])
    if any(block.moving for block in blocks) or np.any(frictional & ~sticking):
        return False
    smooth = replace(problem, static=np.zeros(problem.k), kinetic=np.zeros(problem.k), resistances=())
    programs = ConePrograms(cone_set(smooth, a)[0])
    return programs.missed <= FITS and programs.margin() >= -FITS


def cone_findings(problem: ConeProblem) -> ConeFindings:
    """Return accelerations, ranges of contact forces and the least coefficient for rest, in space.

    Raises what `solve_cone` and `cone_forces` raise.
    """
    solved = solve_cone(problem)
    rest = np.zeros(len(problem.f))
    verdict, sentence = solved.verdict, solved.sentence
    try:
        alone = cone_only_acceleration(problem, rest)
    except InputError:
        alone = False
    if alone and verdict != "one":
        verdict, sentence = "one", f"the acceleration is unique: it is zero; {WITHOUT_FRICTION}."
    accelerations = [rest] if alone else [s.a for s in solved.solutions]
    forces = tuple(cone_forces(problem, a) for a in accelerations)
    return ConeFindings(problem, verdict, sentence, solved, forces, _required(problem))


def _required(problem: ConeProblem) -> ConeCoefficient | None:
    """Return the least coefficient of equilibrium, None where contacts slide or the rows do not admit it."""
    if np.any(problem.slip != 0.0):
        return None
    try:
        return cone_required_coefficient(problem)
    except InputError:
        return None


def friction_at(
    system: System, q: object, v: object, t: float = 0.0, *, u: object = None
) -> FrictionFindings | ConeFindings:
    """Return all that is known about a state of a System with friction, in the plane or in space.

    Raises what `friction_problem`, `friction_findings` and `cone_findings` raise.
    """
    if in_space(system):
        return cone_findings(cone_problem(system, q, v, t, u=u))
    return friction_findings(friction_problem(system, q, v, t, u=u))
