"""Everything that is known about one state with Coulomb friction: accelerations, ranges of forces, coefficients.

Rest is looked at first: linear programs say whether the law admits it, and `gauss.contact.uniqueness` may prove that
there is no other acceleration. Where it does not, `solve_friction` tries all modes of the contacts, if they are not too
many. What is left is the verdict "open".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gauss.contact.complementarity import LARGEST, Minors, p_matrix
from gauss.contact.coulomb import FrictionProblem
from gauss.contact.forces.force_sets import force_sets, require_problem
from gauss.contact.forces.polyhedra import SAME
from gauss.contact.forces.ranges import ContactForces, contact_forces
from gauss.contact.forces.required import RequiredCoefficient, required_coefficient
from gauss.contact.modes import MODES, count_modes, solve_friction
from gauss.contact.paradox import critical_coefficient, friction_matrix
from gauss.contact.solutions import WEAK, FrictionSolution, FrictionVerdict
from gauss.contact.uniqueness import friction_bound, only_acceleration
from gauss.errors import ContradictoryRowsError, InputError
from gauss.foundation.arrays import Array

WITHOUT_FRICTION = "it needs no friction, and then no other satisfies the law"


@dataclass(frozen=True)
class FrictionFindings:
    """What `friction_findings` has found at one state."""

    problem: FrictionProblem
    verdict: str  # "none", "one", "several", "continuum", or "open" where others are neither found nor excluded
    sentence: str
    evidence: str  # why the list of accelerations is complete; empty where it may not be
    enumerated: FrictionVerdict | None  # all modes, where they were tried
    forces: tuple[ContactForces, ...]  # of each acceleration; of a continuum, of those at the ends of its pieces
    minors: Minors | None  # whether the matrix of sliding friction is a P-matrix, where all contacts slide
    critical: float | None  # the critical coefficient, where all contacts slide
    required: RequiredCoefficient | None  # the least coefficient for the first acceleration with contacts that stick,
    # or for equilibrium where none sticks; None where contacts slide already
    bound: float  # Θ of `friction_bound`: at most one acceleration for any load if below 1

    @property
    def complete(self) -> bool:
        """Whether there are no other accelerations."""
        return bool(self.evidence)


def admits(problem: FrictionProblem, a: object) -> bool:
    """Return whether the constraints and the law of friction admit the acceleration a (n,).

    Raises InputError for a wrong shape and for something that is no FrictionProblem.
    """
    require_problem(problem)
    try:
        return any(s.start is not None for s in force_sets(problem, a))
    except InputError:
        if np.shape(np.asarray(a)) != (len(problem.f),):
            raise
        return False


def friction_findings(
    problem: FrictionProblem, *, groups: Mapping[str, Sequence[str]] | None = None
) -> FrictionFindings:
    """Return all that is known about a planar problem of friction; `groups` as in `contact_forces`.

    Rest is examined first, as it may be proved to be the only acceleration. Then all modes are tried, up to 20,000 of
    them; beyond that one solution is searched for by pivoting where rest is none, and the verdict is "open" unless
    friction is too weak for another. With dry pins all modes are tried at once, forces are given where they are
    determined, |λ| as the normal force of a pin, and nothing is said about other coefficients. Raises InputError for
    something that is no FrictionProblem, for unknown names in the groups and for groups beside dry pins, and what
    `solve_friction` raises.
    """
    if not isinstance(problem, FrictionProblem):
        raise InputError(f"friction_findings expects a FrictionProblem, got {type(problem).__name__}.")
    if problem.pinned:
        return _of_pins(problem, groups)
    rest, bound = np.zeros(len(problem.f)), friction_bound(problem)
    found: tuple[ContactForces, ...] = ()
    minors, critical = _sliding(problem)

    def findings(
        word: str, sentence: str, evidence: str, tried: FrictionVerdict | None, forces: tuple[ContactForces, ...]
    ) -> FrictionFindings:
        required = _required(problem, forces)
        return FrictionFindings(problem, word, sentence, evidence, tried, forces, minors, critical, required, bound)

    if admits(problem, rest):
        found = (contact_forces(problem, rest, groups=groups),)
        reason = WITHOUT_FRICTION if only_acceleration(problem, rest) else WEAK if bound < 1.0 else ""
        if reason:
            text = f"the acceleration is unique: it is zero; {reason}."
            return findings("one", text, reason, None, found)
        words = "rest is an acceleration that the law admits, others are not excluded"
    else:
        words = "rest is not admitted; time stepping may find another acceleration"
    many = count_modes(problem) > MODES
    unasked = many and (bool(found) or bool(np.any(problem.bilateral & ~problem.limited)))
    verdict = None if unasked else solve_friction(problem)
    if verdict is None or (found and verdict.unproved):
        text = f"{problem.k} contacts have more modes{'' if many else ' or sets of forces'} than can be tried; {words}."
        return findings("open", text, "", None, found)
    forces_of = tuple(contact_forces(verdict, a, groups=groups) for a in _listed(verdict))
    return findings(verdict.verdict, verdict.sentence, verdict.evidence, verdict, forces_of)


def _of_pins(problem: FrictionProblem, groups: Mapping[str, Sequence[str]] | None) -> FrictionFindings:
    """Return what is known with dry pins: all modes, and the forces where they are determined."""
    if groups:
        require_problem(problem)
    tried = solve_friction(problem)
    proof = f"{tried.evidence}, and in each of them all loads of the pins" if tried.evidence else ""
    determined = tried.verdict != "continuum" and all(s.unique_forces for s in tried.solutions)
    forces = tuple(_determined(problem, s) for s in tried.solutions) if determined else ()
    return FrictionFindings(problem, tried.verdict, tried.sentence, proof, tried, forces, None, None, None, np.inf)


def _determined(p: FrictionProblem, s: FrictionSolution) -> ContactForces:
    """Return the forces of a solution that has one set of them."""
    normal, tangential, bilateral = s.normal[0], s.tangential[0], s.bilateral[0]
    load = np.where(p.limited & ~np.isin(np.arange(p.k), list(p.pinned)), 1.0, np.abs(normal))
    full = np.array([mode == "stick" for mode in s.modes], dtype=bool) & (p.static > 0.0)
    full &= np.abs(tangential) >= (1.0 - SAME) * p.static * load
    load_size = p.metric.norm(p.metric.lift(p.metric.covector(p.M @ s.a - p.f)))
    return ContactForces(
        s.a,
        p.names,
        p.rows,
        p.coordinates,
        np.column_stack([normal, normal]),
        np.column_stack([tangential, tangential]),
        np.column_stack([bilateral, bilateral]),
        s.modes,
        np.where(full, np.sign(tangential), 0.0),
        freedom=0,
        pieces=1,
        linked=(),
        groups=(),
        accuracy=s.residual,
        load=load_size,
    )


def _listed(verdict: FrictionVerdict) -> list[Array]:
    """Return the single accelerations, or those at the ends of the pieces of a continuum, without repetitions."""
    if verdict.verdict != "continuum":
        return list(verdict.accelerations)
    kept: list[Array] = []
    for solution in verdict.solutions:
        for a in solution.accelerations:
            size = 1e-8 * max(verdict.metric.norm(a), verdict.metric.norm(verdict.metric.reference), 1e-300)
            if all(verdict.metric.norm(a - other) > size for other in kept):
                kept.append(a)
    return kept


def _required(problem: FrictionProblem, forces: Sequence[ContactForces]) -> RequiredCoefficient | None:
    """Return what `FrictionFindings.required` says, None where the rows do not admit equilibrium."""
    if np.any((problem.slip != 0.0) & np.any(problem.T != 0.0, axis=1)):
        return None
    sticking = [found.a for found in forces if "stick" in found.modes]
    try:
        return required_coefficient(problem, sticking[0] if sticking else None)
    except InputError:
        return None


def _sliding(problem: FrictionProblem) -> tuple[Minors | None, float | None]:
    """Return the P-matrix verdict and the critical coefficient where all contacts slide, None elsewhere."""
    sliding = np.all((problem.slip != 0.0) & ~problem.bilateral)
    if not sliding or np.any(problem.limited) or not 0 < problem.k <= LARGEST:
        return None, None
    try:
        return p_matrix(friction_matrix(problem)[0]), critical_coefficient(problem)
    except ContradictoryRowsError:  # the bilateral rows have no solution, as the verdict says
        return None, None
