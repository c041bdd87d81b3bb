"""One door to the solvers of contact problems: all modes in the plane, cones in space, and two approximations."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gauss.contact.plane.modes import solve_in_plane
from gauss.contact.problem import ContactProblem, require_contacts
from gauss.contact.space.solve import STARTS, solve_in_space
from gauss.contact.space.solvers.polyhedral import solve_polyhedral
from gauss.contact.space.solvers.relaxed import solve_relaxed
from gauss.contact.verdict import ContactVerdict
from gauss.errors import InputError

METHODS = ("exact", "polyhedral", "relaxed")


def solve_contacts(
    problem: ContactProblem,
    method: str = "exact",
    *,
    going: Mapping[str, str] | None = None,
    facets: int = 16,
    starts: int = STARTS,
) -> ContactVerdict:
    """Return all accelerations and contact forces of a contact problem, and what is known about others.

    In the plane a convex law, of friction with constant limits and contacts without friction, has one acceleration,
    which complementary pivoting finds. Else all modes of the contacts are tried, up to 20,000; beyond that one solution
    is searched for by pivoting, after the modes `going`, by the names of contacts, with all modes of the others. In
    space the solutions are listed completely where at most one contact begins to slip and the modes are few; beyond
    that they are those found from `starts` starts. `unproved` says what leaves others open, `evidence` why there are
    none.

    In space `method` may change the law: "polyhedral" is a pyramid with `facets` sides inside the cone, through OSQP,
    "relaxed" a convex relaxation whose slipping contacts open. Raises InputError for bad arguments, for too many
    contacts in the plane that are held from both sides, and for a dry pin that turns under a load that is not
    determined; in space ContradictoryRowsError for bilateral rows that contradict one another; MassMatrixError for a
    direction without inertia, SolverError where an approximation finds no answer.

    >>> import gauss as g
    >>> rod = g.contact.ContactProblem.of([[2.0]], [-4.0], [[0.0]], [0.0], [[1.0]], [0.0], [0.0], [0.0])
    >>> g.contact.solve_contacts(rod).verdict
    'one'
    """
    require_contacts(problem)
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}.")
    if isinstance(starts, bool) or not isinstance(starts, int | np.integer) or starts < 1:
        raise InputError(f"starts must be a whole number of at least 1, got {starts!r}.")
    if not problem.in_space:
        if method != "exact":
            raise InputError(f"the method {method!r} is for problems of space; in the plane all modes are tried.")
        return solve_in_plane(problem, going)
    if np.any(problem.limited):
        raise InputError(
            "friction with a constant limit is solved in the plane only; in space contact_forces, required_coefficient"
            " and admits take it."
        )
    exact = solve_in_space(problem, starts)
    if method == "exact":
        return exact
    if method == "polyhedral":
        return solve_polyhedral(problem, facets, exact.solutions)
    return solve_relaxed(problem, exact.solutions)
