"""Random admissible states about a given one, for checks that must hold at every regular state."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gauss.dynamics import judged, require_consistent
from gauss.errors import ContradictoryRowsError, InconsistentStateError, InputError
from gauss.foundation.arrays import Array, positive
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import DEPENDENT
from gauss.model import AnySystem, System, system_of
from gauss.model.state import State
from gauss.motion import Trajectory, consistent
from gauss.principle import GaussProblem
from gauss.uniqueness import diagnose

SPREAD = 0.5  # standard deviation of the draws, relative to each coordinate's size (at least 1)
REGULAR = 1e-3  # singular values that count, relative to the largest: nearer to a singular position is redrawn
CHART = 1e-5  # eigenvalues of the equilibrated mass matrix: nearer to a pole of the coordinates is redrawn
BESIDE = (0.1, 0.0618)  # changes of a massless coordinate, relative to its size (at least 1): one may be a period
DRAWS = 50  # draws in vain, and then again for each state that is asked for, before the search gives up


def evenly(run: Trajectory, count: int) -> list[int]:
    """Return up to `count` indices of recorded states, evenly spread."""
    return sorted(set(np.linspace(0, len(run) - 1, min(count, len(run))).astype(int).tolist()))


@dataclass(frozen=True, repr=False)
class RandomStates(Shown):
    """Admissible states, all regular or redundant, and how many draws were thrown away to find them."""

    states: tuple[State, ...]
    redrawn: int  # draws that did not converge, were not finite, or came too near to a singular position


@advised
def random_states(
    system: AnySystem,
    q: object,
    v: object = None,
    t: float = 0.0,
    count: int = 1000,
    seed: int = 0,
    *,
    spread: float = SPREAD,
) -> RandomStates:
    """Return `count` random states on the constraints about the state (q, v, t), and the number of draws redrawn.

    Each coordinate and each velocity is drawn from a normal distribution about the given one with the standard
    deviation `spread` times its size (at least 1, in its own unit); positions are projected on the constraints and
    velocities on the velocity rows, in the mass metric (`gauss.consistent`). Unilateral rows hold as g ≥ 0, ġ ≥ 0 where
    closed. The time is that of the given state, which itself need not be admissible. The same seed gives the same
    states.

    Redrawn are states that do not converge, at which the model is not finite, and those that are not regular: a
    singular value of the rows in the mass metric lies below 1e-3 of the largest, unless the verdict on the position is
    "redundant" (rows that depend on one another everywhere, as of a joint given twice), or an eigenvalue of the mass
    matrix at unit diagonal lies below 1e-5 (a pole of the coordinates is near). Raises InputError for a count or a
    spread that is not positive and a seed that is none, and InconsistentStateError when 50 draws, and 50 more for each
    state found, do not suffice.

    >>> import gauss as g
    >>> rod = g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)
    >>> pendulum = g.System("pendulum", "x y", mass_matrix=[[1, 0], [0, 1]], constraints=[rod])
    >>> found = g.analysis.random_states(pendulum, [1, 0], [0, 2], count=5)
    >>> [round(float(state.q @ state.q), 9) for state in found.states]
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    system = system_of(system)
    centre = system.state(q, v, t)
    if not isinstance(count, int) or count < 1:
        raise InputError(f"count must be a whole number of at least 1, but is {count!r}.")
    if not isinstance(seed, int) or seed < 0:
        raise InputError(f"seed must be a whole number of at least 0, but is {seed!r}.")
    width = positive(spread, "spread")
    rng = np.random.default_rng(seed)
    size_q, size_v = np.maximum(np.abs(centre.q), 1.0), np.maximum(np.abs(centre.v), 1.0)
    found: list[State] = []
    draws = 0
    while len(found) < count:
        if draws >= DRAWS * (1 + len(found)):
            raise InconsistentStateError(
                f"{draws} draws about the given state of {system.name!r} gave {len(found)} regular admissible states of"
                f" the {count} that are asked for. Choose another state, or another spread (now {width:g}).",
                {},
            )
        draws += 1
        drawn_q = centre.q + width * size_q * rng.standard_normal(system.n)
        drawn_v = centre.v + width * size_v * rng.standard_normal(system.n)
        state = _admissible(system, drawn_q, drawn_v, centre.t)
        if state is not None:
            found.append(state)
    return RandomStates(tuple(found), draws - count)


def _admissible(system: System, q: Array, v: Array, t: float) -> State | None:
    """Return the projected state if it is finite and regular or redundant, or None."""
    try:
        state = consistent(system, q, v, t)
        require_consistent(system, state)
        problem = GaussProblem.at(system, state)
        regularity = diagnose(problem)
    except (InconsistentStateError, InputError, np.linalg.LinAlgError):
        return None
    if (
        not all(math.isfinite(x) for x in problem.f)
        or _near_pole(problem)
        or _massless_vanishes(system, problem, state)
    ):
        return None
    sigma = regularity.sigma / np.max(regularity.sigma, initial=1e-300)
    if np.any(sigma[: regularity.rank] < REGULAR) or np.any(sigma[regularity.rank :] > DEPENDENT):
        return None
    contacts = np.any(np.isfinite(problem.rows.lower) & np.isinf(problem.rows.upper))
    if regularity.regular and not contacts:
        return state
    try:
        verdict = judged(system, state)
    except (InconsistentStateError, ContradictoryRowsError):
        return None
    return state if verdict.verdicts in (("regular",), ("redundant",)) else None


def _near_pole(problem: GaussProblem) -> bool:
    """Whether the mass matrix, with the rows added where it is semidefinite, is nearly singular at unit diagonal."""
    L = problem.metric.L
    unit = L / np.linalg.norm(L, axis=1)[:, None]
    return bool(np.linalg.svd(unit, compute_uv=False)[-1] ** 2 < CHART)


def _massless_vanishes(system: System, problem: GaussProblem, state: State) -> bool:
    """Whether the rows nearly lose a coordinate without mass, as at the cusp of a cycloid: no unit shows it there."""
    massless = np.flatnonzero(np.diag(problem.M) == 0.0)
    for k in massless.tolist():
        beside = 0.0
        for change in BESIDE:
            q = state.q.copy()
            q[k] += change * max(1.0, abs(q[k]))
            J = system.model.terms(q, state.v, state.t, system.theta()).J
            beside = max(beside, float(np.linalg.norm(J[:, k])))
        if float(np.linalg.norm(problem.rows.J[:, k])) ** 2 < CHART * beside**2:
            return True
    return False
