"""The convex relaxation of friction: one cone program, whose slipping contacts open.

Leaving De Saxcé's term Σ μ|ṡ| out makes the law a convex program: the least ½|a − a_free|²_M with g̈ ≥ Σ μ|ṡ| at every
contact (M. Anitescu, A. Tasora, An iterative approach for cone complementarity problems, Comput. Optim. Appl. 47
(2010); MuJoCo's contacts are of this kind, softened). The acceleration always exists where the program is feasible,
and is unique. But it is not Coulomb's law: a contact that slips with ṡ opens with μ|ṡ|.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gauss.contact.problem import ContactProblem
from gauss.contact.space.answer import solution_of
from gauss.contact.space.scaled_problem import ScaledCone
from gauss.contact.space.solvers.newton import leaning, polish, separation_of
from gauss.contact.space.solvers.program import ConeProgram
from gauss.contact.verdict import APPROXIMATE, ContactSolution, ContactVerdict
from gauss.errors import InputError, SolverError


def solve_relaxed(problem: ContactProblem, exact: Sequence[ContactSolution] = ()) -> ContactVerdict:
    """Return the answer of the convex relaxation, with the artificial separation (k,) that is its error.

    The distance to the nearest of the `exact` solutions is measured. Contacts must be at rest, as at the velocity level
    of a time step; of those with μ_s > μ_k the relaxation knows μ_k only. Raises InputError where a contact slides
    already, SolverError where the program has no certified answer.
    """
    w = ScaledCone.of(problem)
    moving = [f.where for f in w.frictions if f.direction is not None]
    if moving:
        raise InputError(
            f"the relaxation is for contacts at rest, or for velocities, but {', '.join(moving)} slides already: with"
            " its direction given the law is linear, and relaxed it would let the contact sink in. Use 'exact'."
        )
    kinetic = np.array([f.kinetic for f in w.frictions])
    program = ConeProgram(w, kinetic)
    status, x = program.solve(np.zeros(len(w.c)), np.zeros(w.k))
    if "Infeasible" in status:
        raise SolverError("no acceleration satisfies g̈ ≥ μ|ṡ| at all contacts: the relaxation has no answer here.")
    y = w.rates(x) - np.concatenate([separation_of(w, x), np.zeros(len(w.c) - w.k)])
    closed = tuple(bool(x[i] > y[i]) for i in range(w.k))
    modes = tuple(
        "open" if not closed[f.contact] else "slip" if towards > 0.0 else "stick"
        for f, towards in zip(w.frictions, leaning(w, x, kinetic), strict=True)
    )
    candidate = polish(w, x, closed, modes, relaxed=True)
    if candidate is None:
        raise SolverError("the relaxed program was solved, but its answer does not pass the certificate.")
    separation = separation_of(w, candidate.x)
    solution = solution_of(w, candidate, separation)
    return ContactVerdict(
        problem,
        (solution,),
        unproved=APPROXIMATE,
        method="relaxed",
        passes=1,
        separation=separation * w.size * w.length[: w.k],
        distance=distance_of(w, solution, exact),
    )


def distance_of(w: ScaledCone, solution: ContactSolution, exact: Sequence[ContactSolution]) -> float:
    """Return |a − a'|_M to the nearest exact solution, over |a_free|_M or |a'|_M, the larger; nan without one."""
    if not exact:
        return float("nan")
    size = max(w.size, w.metric.norm(w.metric.reference))
    return min(w.metric.norm(solution.a - other.a) / max(size, w.metric.norm(other.a)) for other in exact)
