"""Friction by a pyramid inside the cone: quadratic programs through OSQP, with the error stated.

The disc |t| ≤ μ p is replaced by the regular polygon with corners μ p d_j, d_j = (cos 2πj/m, sin 2πj/m). Its radius is
at least cos(π/m) of the disc's: friction falls short by at most 1 − cos(π/m) of μ p, and its direction is off by at
most π/m. Each pass is Gauss's principle with the rows (N + μ d_jᵀT) a ≥ ν + …, whose multipliers are the shares of the
corners, while De Saxcé's term, now μ max_j(−d_j·ṡ), is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from gauss.contact.problem import ContactProblem
from gauss.contact.space.answer import solution_of
from gauss.contact.space.scaled_problem import ScaledCone
from gauss.contact.space.solvers.newton import ModeForces, read_modes
from gauss.contact.space.solvers.relaxed import distance_of
from gauss.contact.verdict import APPROXIMATE, ContactSolution, ContactVerdict
from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array
from gauss.principle.solvers.osqp import Workspace

PASSES = 300
SETTLED = 1e-9  # OSQP's own tolerance
UNCLEAR = 1e-7  # a mode that hangs on less is called open or sticking
MOST = 4096  # corners of one contact's pyramid


def solve_polyhedral(problem: ContactProblem, facets: int, exact: Sequence[ContactSolution] = ()) -> ContactVerdict:
    """Return the answer with friction pyramids of `facets` sides (4 to 256), and its distance to the exact solutions.

    Its residual is the violation of Coulomb's law, of the order 1 − cos(π/facets) or smaller. Raises InputError for a
    number of facets out of range and for μ_s > μ_k at rest, SolverError where the passes do not settle.
    """
    if isinstance(facets, bool) or not isinstance(facets, int | np.integer) or not 4 <= facets <= 256:
        raise InputError(f"facets must be a whole number from 4 to 256, got {facets!r}.")
    w = ScaledCone.of(problem)
    loose = [f.where for f in w.frictions if f.direction is None and f.static > f.kinetic]
    if loose:
        raise InputError(
            f"the pyramid knows one coefficient, but {', '.join(loose)} has μ_s > μ_k at rest. Use 'exact'."
        )
    corners = [_corners(w, i, int(facets)) for i in range(w.k)]
    owner = np.repeat(np.arange(w.k), [len(table) for table in corners])
    table = np.vstack([np.zeros((0, len(w.c))), *corners])  # (j, r) forces of each corner with p = 1
    x, passes = _passes(w, table, owner)
    closed = tuple(bool(p > 0.0) for p in x[: w.k])
    _, modes = read_modes(w, x, UNCLEAR)
    modes = tuple(
        "open" if not closed[f.contact] else "slide" if f.direction is not None else "stick" if mode == "open" else mode
        for f, mode in zip(w.frictions, modes, strict=True)
    )
    solution = solution_of(w, ModeForces(x, closed, modes, 0.0))
    shortfall = 1.0 - np.cos(np.pi / facets)
    distance = distance_of(w, solution, exact)
    return ContactVerdict(
        problem,
        (solution,),
        unproved=APPROXIMATE,
        method="polyhedral",
        passes=passes,
        shortfall=shortfall,
        distance=distance,
    )


def _corners(w: ScaledCone, i: int, facets: int) -> Array:
    """Return the forces (j, r) at the corners of contact i's pyramid, one normal force each."""
    resting = [f for f in w.frictions if f.contact == i and f.direction is None]
    angles = 2.0 * np.pi * np.arange(facets) / facets
    wheel = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    choices = [wheel if f.size == 2 else np.array([[1.0], [-1.0]]) for f in resting]
    if int(np.prod([len(c) for c in choices])) > MOST:
        raise InputError(f"the frictions of {w.problem.names[i]!r} have more than {MOST} corners; use fewer facets.")
    found = []
    for chosen in product(*choices):
        force = np.zeros(len(w.c))
        force[i] = 1.0
        for f, d in zip(resting, chosen, strict=True):
            force[f.place] = f.kinetic * d
        found.append(force)
    return np.array(found)


def _passes(w: ScaledCone, table: Array, owner: np.ndarray) -> tuple[Array, int]:
    """Return the forces (r,) of the fixed point, and the passes it took."""
    rows, x, lift = table @ w.B, np.zeros(len(w.c)), np.zeros(w.k)
    if not len(rows):
        return x, 0
    sliding = [f for f in w.frictions if f.direction is not None]
    workspace, damping = None, 1.0
    for count in range(1, PASSES + 1):
        moved = np.zeros(len(w.c))
        for f in sliding:
            moved[f.place] = -f.kinetic * max(x[f.contact], 0.0) * np.asarray(f.direction)
        free = w.c + w.G @ moved
        low = -(table @ free) - lift[owner]
        # z is measured from the acceleration under the friction of sliding contacts
        if workspace is None:
            workspace = Workspace(rows, low, np.full(len(low), np.inf))
        else:
            workspace.update(rows, low, np.full(len(low), np.inf))
        answer = workspace.solve()
        if "infeasible" in answer.status:
            raise SolverError("the pyramid's program has no admissible acceleration: contacts contradict one another.")
        new = table.T @ np.maximum(-answer.y, 0.0) + moved
        y = w.rates(new)
        after = np.array([_lift(w, y, table[owner == i], i) for i in range(w.k)])
        change = float(np.max(np.abs(new - x)) + np.max(np.abs(after - lift), initial=0.0))
        damping = 1.0 if count <= 50 else 0.5
        x, lift = x + damping * (new - x), lift + damping * (after - lift)
        if change <= SETTLED * max(1.0, float(np.max(np.abs(new)))):
            return new, count
    raise SolverError(
        f"the fixed point with pyramids does not settle within {PASSES} passes (last change {change:.1e}); the"
        " coefficients of friction are large. Method 'exact' finds and certifies solutions there."
    )


def _lift(w: ScaledCone, y: Array, corners: Array, i: int) -> float:
    """Return De Saxcé's term of contact i: the largest power that a corner's friction takes out for p = 1."""
    friction = corners.copy()
    friction[:, : w.k] = 0.0
    return float(np.max(-(friction @ y), initial=0.0))
