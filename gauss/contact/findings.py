"""Everything that is known about the contacts at one state: accelerations, ranges of forces, coefficients.

Rest is looked at first: programs say whether the law admits it, and that it needs no friction, or weak friction
(`gauss.contact.plane.uniqueness`), may prove that there is no other acceleration. Where it does not, `solve_contacts`
looks for all accelerations, in the plane if the modes are not too many. What is left is "undecided".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gauss.contact.forces.admission import admits, only_acceleration
from gauss.contact.forces.force_sets import require_problem
from gauss.contact.forces.polyhedra import SAME
from gauss.contact.forces.ranges import contact_forces
from gauss.contact.forces.record import ContactForces
from gauss.contact.forces.required import RequiredCoefficient, required_coefficient
from gauss.contact.plane import uniqueness
from gauss.contact.plane.complementarity import LARGEST, Minors, p_matrix
from gauss.contact.plane.modes import MODES, count_modes
from gauss.contact.plane.paradox import critical_coefficient, friction_matrix
from gauss.contact.problem import ContactProblem, contact_problem, require_contacts
from gauss.contact.solve import solve_contacts
from gauss.contact.verdict import WEAK, WITHOUT_FRICTION, ContactSolution, ContactVerdict
from gauss.errors import ContradictoryRowsError, InputError
from gauss.foundation.arrays import Array
from gauss.foundation.outcomes import CONTINUUM, ONE, STICK, UNDECIDED, Shown
from gauss.model import System
from gauss.uniqueness.ranges import SMALL


@dataclass(frozen=True, repr=False)
class ContactFindings(Shown):
    """What `contact_findings` has found at one state."""

    problem: ContactProblem
    verdict: str  # how many accelerations: "none", "one", "several", "continuum" or "undecided"
    sentence: str
    evidence: str  # why the list of accelerations is complete; empty where it may not be
    solved: ContactVerdict | None  # the solutions; None where rest is proved to be the only one, or modes are too many
    forces: tuple[ContactForces, ...]  # of each acceleration; of a continuum, of those at the ends of its pieces
    required: RequiredCoefficient | None = None  # the least coefficient for the first acceleration with contacts that
    # stick, or for equilibrium where none sticks; None where contacts slide already
    minors: Minors | None = None  # in the plane whether the matrix of sliding friction is a P-matrix, if all slide
    critical: float | None = None  # in the plane the critical coefficient, where all contacts slide
    bound: float = np.inf  # Θ: at most one acceleration, in the plane for any load, if below 1

    @property
    def complete(self) -> bool:
        """Whether there are no other accelerations."""
        return bool(self.evidence)


def findings_at(system: System, q: object, v: object, t: float = 0.0, *, u: object = None) -> ContactFindings:
    """Return all that is known about the contacts of a System at a state.

    Raises what `contact_problem` and `contact_findings` raise.

    >>> import gauss as g
    >>> floor = g.Unilateral("floor", lambda q: q.z, friction=g.Coulomb(0.3, lambda v: v.x))
    >>> block = g.System("block", "x z", mass_matrix=[[2, 0], [0, 2]], force=[5.0, -20.0], constraints=[floor])
    >>> found = g.contact.findings_at(block, [0, 0], [0, 0])
    >>> found.verdict, found.forces[0].tangential.round(9).tolist()  # N: friction holds the 5 N
    ('one', [[-5.0, -5.0]])
    """
    return contact_findings(contact_problem(system, q, v, t, u=u))


def contact_findings(problem: ContactProblem, *, groups: Mapping[str, Sequence[str]] | None = None) -> ContactFindings:
    """Return all that is known about a contact problem; `groups` as in `contact_forces`.

    In the plane rest is examined first, as it may be proved to be the only acceleration. Then all modes are tried, up
    to 20,000 of them; beyond that one solution is searched for by pivoting where rest is none, and the verdict is
    "undecided" unless friction is too weak for another. With dry pins all modes are tried at once, forces are given
    with |λ| as the normal force of a pin, and nothing is said about other coefficients.
    Raises InputError for something that is no ContactProblem, for unknown names in the groups and for groups beside dry
    pins or in space, and what `solve_contacts` and `contact_forces` raise.

    >>> import gauss as g
    >>> floor = {"N": [[0, 1]], "nu": [0], "T": [[1, 0]], "tau": [0], "coefficient": [0.5], "names": ["floor"]}
    >>> block = g.contact.ContactProblem.of([[2, 0], [0, 2]], [5, -20], **floor)  # 2 kg, 5 N along the floor
    >>> found = g.contact.contact_findings(block)
    >>> found.verdict, found.forces[0].modes, round(found.required.value, 9)  # it holds with μ ≥ 5/20
    ('one', ('stick',), 0.25)
    """
    if require_contacts(problem).in_space:
        return _in_space(problem, groups)
    if problem.pinned:
        return _of_pins(problem, groups)
    rest, bound = np.zeros(len(problem.f)), uniqueness.friction_bound(problem)
    found: tuple[ContactForces, ...] = ()
    minors, critical = _sliding(problem)

    def findings(
        word: str, sentence: str, evidence: str, tried: ContactVerdict | None, forces: tuple[ContactForces, ...]
    ) -> ContactFindings:
        needed = _required(problem, forces)
        return ContactFindings(problem, word, sentence, evidence, tried, forces, needed, minors, critical, bound)

    if admits(problem, rest):
        found = (contact_forces(problem, rest, groups=groups),)
        reason = WITHOUT_FRICTION if only_acceleration(problem, rest) else WEAK if bound < 1.0 else ""
        if reason:
            return findings(ONE, _at_rest(reason), reason, None, found)
        words = "rest is an acceleration that the law admits, others are not excluded"
    else:
        words = "rest is not admitted; time stepping may find another acceleration"
    many = count_modes(problem) > MODES
    unasked = many and (bool(found) or bool(np.any(problem.bilateral & ~problem.limited)))
    verdict = None if unasked else solve_contacts(problem)
    if verdict is None or (found and verdict.unproved):
        text = f"{problem.k} contacts have more modes{'' if many else ' or sets of forces'} than can be tried; {words}."
        return findings(UNDECIDED, text, "", None, found)
    forces_of = tuple(contact_forces(verdict, a, groups=groups) for a in _listed(verdict))
    return findings(verdict.verdict, verdict.sentence, verdict.evidence, verdict, forces_of)


def _at_rest(reason: str) -> str:
    return f"the acceleration is unique: it is zero; {reason}."


def _in_space(problem: ContactProblem, groups: Mapping[str, Sequence[str]] | None) -> ContactFindings:
    """Return what is known in space."""
    solved, rest = solve_contacts(problem), np.zeros(len(problem.f))
    known = solved.verdict, solved.sentence, solved.evidence
    accelerations = [s.a for s in solved.solutions]
    try:
        if solved.verdict != ONE and only_acceleration(problem, rest):
            known, accelerations = (ONE, _at_rest(WITHOUT_FRICTION), WITHOUT_FRICTION), [rest]
    except InputError:
        pass
    forces = tuple(contact_forces(problem, a, groups=groups) for a in accelerations)
    return ContactFindings(problem, *known, solved, forces, _required(problem, forces), bound=solved.bound)


def _of_pins(problem: ContactProblem, groups: Mapping[str, Sequence[str]] | None) -> ContactFindings:
    """Return what is known with dry pins: all modes, and the forces where they are determined."""
    if groups:
        require_problem(problem)
    tried = solve_contacts(problem)
    proof = f"{tried.evidence}, and in each of them all loads of the pins" if tried.evidence else ""
    forces = () if tried.verdict == CONTINUUM else tuple(_forces(problem, s) for s in tried.solutions)
    return ContactFindings(problem, tried.verdict, tried.sentence, proof, tried, forces)


def _spanned(p: ContactProblem, s: ContactSolution) -> bool:
    """Whether vertices and rays span all forces of a solution: where pins at rest share a load, they are samples."""
    low, high = _ends(s)
    m, open_ = len(p.rows), high - low > SMALL * max(float(np.max(np.abs(x), initial=0.0)) for x in _parts(s))
    shared = [np.any(open_[[*pair, m + p.k + i]]) for i, pair in p.pinned.items() if s.modes[i] == STICK]
    return not (s.others or any(shared))


def _parts(s: ContactSolution) -> tuple[Array, Array, Array]:
    return s.bilateral, s.normal, s.tangential


def _ends(s: ContactSolution) -> tuple[Array, Array]:
    """Return the least and the greatest of all forces (m + 2k,): of rows, normal ones, tangential ones."""
    vertices = np.hstack(_parts(s))
    low, high = np.min(vertices, axis=0), np.max(vertices, axis=0)
    onward = np.where(np.abs(s.rays) > SMALL * np.max(np.abs(s.rays), axis=1, initial=0.0)[:, None], s.rays, 0.0)
    low[np.any(onward < 0.0, axis=0)], high[np.any(onward > 0.0, axis=0)] = -np.inf, np.inf
    return low, high


def _forces(p: ContactProblem, s: ContactSolution) -> ContactForces:
    """Return the forces of a solution, with their ranges where they are not determined."""
    low, high = _ends(s)
    spanned = _spanned(p, s)
    if not spanned:  # nothing is known of the ends
        open_ = high > low
        low[open_], high[open_] = -np.inf, np.inf
    bilateral, normal, tangential = np.split(np.column_stack([low, high]), [len(p.rows), len(p.rows) + p.k])
    spread = np.vstack([np.hstack([x[1:] - x[0] for x in _parts(s)]), s.rays])
    load = np.where(p.limited & ~np.isin(np.arange(p.k), list(p.pinned)), 1.0, np.abs(s.normal[0]))
    full = np.array([mode == STICK for mode in s.modes], dtype=bool) & (p.static > 0.0) & s.unique_forces
    full &= np.abs(s.tangential[0]) >= (1.0 - SAME) * p.static * load
    return ContactForces(
        s.a,
        p.names,
        p.rows,
        p.coordinates,
        normal=normal,
        tangential=tangential,
        bilateral=bilateral,
        modes=s.modes,
        freedom=int(np.linalg.matrix_rank(spread)) if len(spread) else 0,
        accuracy=s.residual,
        load=p.metric.norm(p.metric.lift(p.metric.covector(p.M @ s.a - p.f))),
        at_limit=np.where(full, np.sign(s.tangential[0]), 0.0),
        spanned=spanned,
    )


def _listed(verdict: ContactVerdict) -> list[Array]:
    """Return the single accelerations, or those at the ends of the pieces of a continuum, without repetitions."""
    if verdict.verdict != CONTINUUM:
        return list(verdict.accelerations)
    kept: list[Array] = []
    for solution in verdict.solutions:
        for a in solution.accelerations:
            size = 1e-8 * max(verdict.metric.norm(a), verdict.metric.norm(verdict.metric.reference), 1e-300)
            if all(verdict.metric.norm(a - other) > size for other in kept):
                kept.append(a)
    return kept


def _required(problem: ContactProblem, forces: Sequence[ContactForces]) -> RequiredCoefficient | None:
    """Return what `ContactFindings.required` says, None where the rows do not admit equilibrium."""
    moving = problem.slip != 0.0
    if np.any(moving & np.any(problem.T != 0.0, axis=-1) if not problem.in_space else moving):
        return None
    sticking = [] if problem.in_space else [found.a for found in forces if STICK in found.modes]
    try:
        return required_coefficient(problem, sticking[0] if sticking else None)
    except InputError:
        return None


def _sliding(problem: ContactProblem) -> tuple[Minors | None, float | None]:
    """Return the P-matrix verdict and the critical coefficient where all contacts slide, None elsewhere."""
    sliding = np.all((problem.slip != 0.0) & ~problem.bilateral)
    if not sliding or np.any(problem.limited) or not 0 < problem.k <= LARGEST:
        return None, None
    try:
        return p_matrix(friction_matrix(problem)[0]), critical_coefficient(problem)
    except ContradictoryRowsError:  # the bilateral rows have no solution, as the verdict says
        return None, None
