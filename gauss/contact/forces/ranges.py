"""Which contact forces one acceleration determines, and between which values the others lie."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from gauss.contact.forces.admission import admits, only_acceleration
from gauss.contact.forces.cones import cone_forces
from gauss.contact.forces.polyhedral import polyhedral_forces
from gauss.contact.forces.record import ContactForces
from gauss.contact.problem import ContactProblem, require_contacts
from gauss.contact.solve import solve_contacts
from gauss.contact.verdict import ContactVerdict
from gauss.errors import InputError


def contact_forces(
    source: ContactProblem | ContactVerdict,
    a: object = None,
    *,
    groups: Mapping[str, Sequence[str]] | None = None,
) -> ContactForces:
    """Return the ranges of all contact forces, friction forces and multipliers that give one acceleration.

    `source` is a contact problem, or the verdict on one; `a` (n,) the acceleration, which may be left out where it is
    unique. With many contacts, whose modes cannot be enumerated, it has to be given where bodies do not rest without
    friction. `groups` names sets of contacts of the plane whose resultant is wanted, as {"floor": ["left", "right"]}.
    Ends of ranges are those of linear programs in the plane (`gauss.contact.forces.polyhedral`) and of second-order
    cone programs in space (`gauss.contact.forces.cones`); `accuracy` is the disagreement of primal and dual.

    Raises InputError where a is not admitted by the constraints or by the law of friction (no forces give it), where it
    is not unique and none is given, for unknown names in the groups and for groups in space; SolverError where a cone
    program is not solved.

    >>> import gauss as g
    >>> smooth = {"nu": [0] * 3, "T": [[0, 0]] * 3, "tau": [0] * 3, "coefficient": [0] * 3}
    >>> legs = [[1, -1], [1, 0], [1, 1]]  # of height and angle: three of them, 1 m apart
    >>> beam = g.contact.ContactProblem.of([[3, 0], [0, 1]], [-30, 0], legs, **smooth)
    >>> found = g.contact.contact_forces(beam)
    >>> found.unique, found.normal[:, 1].round(6).tolist()  # N: at most, each from zero
    (False, [15.0, 30.0, 15.0])
    """
    problem, given = _chosen(source, a)
    if not isinstance(groups, Mapping | None):
        raise InputError(f"groups must be a dictionary such as {{'floor': ['left', 'right']}}, got {groups!r}.")
    if problem.in_space:
        if groups:
            raise InputError("groups of contacts have resultants in the plane only; leave groups out in space.")
        return cone_forces(problem, given)
    members = {name: _members(problem, name, names) for name, names in (groups or {}).items()}
    return polyhedral_forces(problem, given, members)


def _chosen(source: ContactProblem | ContactVerdict, a: object) -> tuple[ContactProblem, object]:
    """Return the problem and the acceleration that is meant. Raises InputError where it is not unique."""
    if a is not None:
        return (source.problem if isinstance(source, ContactVerdict) else require_contacts(source)), a
    problem = source.problem if isinstance(source, ContactVerdict) else require_contacts(source)
    rest = np.zeros(len(problem.f))
    if not problem.pinned and admits(problem, rest) and only_acceleration(problem, rest):
        return problem, rest
    verdict = source if isinstance(source, ContactVerdict) else solve_contacts(problem)
    if verdict.verdict != "one":
        raise InputError(
            f"the acceleration is not {'known to be ' if verdict.unproved else ''}unique (verdict: {verdict.verdict}"
            f"{_because(verdict)}), so it has to be said which is meant: pass a, one of verdict.accelerations."
        )
    return verdict.problem, verdict.accelerations[0]


def _because(verdict: ContactVerdict) -> str:
    return f"; {verdict.unproved}" if verdict.unproved else ""


def _members(problem: ContactProblem, group: str, names: Sequence[str]) -> list[int]:
    """Return the contacts of a group as indices. Raises InputError for names that are no contacts."""
    wanted = [names] if isinstance(names, str) else list(names) if isinstance(names, Iterable) else []
    unknown = [name for name in wanted if name not in problem.names]
    if unknown or not wanted:
        raise InputError(
            f"the group {group!r} names {', '.join(map(repr, unknown)) or 'nothing'}; closed contacts are"
            f" {', '.join(map(repr, problem.names))}."
        )
    return [problem.names.index(name) for name in wanted]
