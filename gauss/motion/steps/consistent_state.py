"""Projection of a state onto the constraints, in the mass metric, with chosen coordinates held."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gauss.errors import GaussError, InconsistentStateError, InputError
from gauss.foundation.arrays import Array, Indices, tidied, unit_rows
from gauss.foundation.calls import advised
from gauss.foundation.threads import one_by_one
from gauss.model import AnySystem, System, system_of
from gauss.model.state import State
from gauss.motion.steps.nearest import DEPENDENT, SAME, project, unsolved
from gauss.uniqueness import on_order_two


@advised
def consistent(
    system: AnySystem,
    q: object,
    v: object = None,
    t: float = 0.0,
    *,
    hold: str | Sequence[str] = (),
    hold_velocities: str | Sequence[str] = (),
) -> State:
    """Return the state on the constraints nearest to (q, v) in the mass metric at (q, v).

    Positions solve min ½|q − q₀|²_M subject to φ(q, t) = 0 (a local minimum, found by Newton's method from (q, v)),
    velocities min ½|v − v₀|²_M subject to the velocity rows. The coordinates named in `hold`, and the velocities named
    in `hold_velocities`, keep their values. Unilateral rows take part where their gap is negative. At a position where
    rows are dependent, as the change point of a linkage, velocities satisfy their conditions of order 2 too.

    Raises InputError for unknown names, InconsistentStateError when no such state is found.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ... )
    >>> g.consistent(pendulum, [1.1, 0.0], [0.3, 0.0]).q.round(9).tolist()
    [1.0, 0.0]
    """
    system = system_of(system)
    state = system.state(q, v, t)
    free_q = _free(system, hold, "hold")
    free_v = _free(system, hold_velocities, "hold_velocities")
    with one_by_one(system.n):
        position = project(system, state, free_q, level="position")
        velocity = project(system, State(position, state.v, state.t), free_v, level="velocity")
        velocity = _on_order_two(system, State(position, velocity, state.t), free_v)
    return State(position, velocity, state.t)


def _on_order_two(system: System, state: State, free: Indices) -> Array:
    """Return the velocity of a state, where its rows are dependent the nearest one that motions through it can have.

    Raises InconsistentStateError where what is held leaves none.
    """
    rows = list(system.model.equality)
    if not rows or not np.any(state.v):
        return state.v
    J = system.model.terms(state.q, state.v, state.t, system.theta()).J[rows]
    dependent = len(rows) > system.n or np.min(np.linalg.svd(unit_rows(J), compute_uv=False)) < DEPENDENT
    if not dependent:
        return state.v
    try:
        found = on_order_two(system, state)
    except GaussError:  # what is wrong with the model is told where an acceleration is asked for
        return state.v
    if found is None or np.array_equal(found, state.v):
        return state.v
    found = tidied(found)
    held = [k for k in range(system.n) if k not in free]
    if not held:
        return found
    k = max(held, key=lambda k: abs(found[k]))
    scaled = found * (state.v[k] / found[k] if found[k] else 1.0)  # the conditions of rows that stand still scale
    size = max(1.0, float(np.max(np.abs(scaled))))
    kept = np.all(np.abs(scaled - state.v)[held] <= SAME * size)
    there = State(state.q, scaled, state.t)
    again = on_order_two(system, there) if kept and not unsolved(system, there, "velocity") else None
    if again is not None and np.all(np.abs(again - scaled) <= SAME * size):
        return scaled
    nearest = ", ".join(f"{name} = {x:.6g}" for name, x in zip(system.coordinates, tidied(found), strict=True))
    raise InconsistentStateError(
        "rows are dependent at this position, a change point for instance, and a motion that passes it also satisfies"
        " their conditions of order 2; no such velocity was found with"
        f" {', '.join(system.coordinates[k] for k in held)} held. The nearest one is {nearest}.",
        {},
    )


def _free(system: System, names: str | Sequence[str], what: str) -> Indices:
    """Return the indices of the coordinates that may move."""
    if not isinstance(names, Iterable):
        raise InputError(f"{what} must be names of coordinates, got {names!r}.")
    held = names.replace(",", " ").split() if isinstance(names, str) else list(names)
    unknown = [name for name in held if name not in system.coordinates]
    if unknown:
        raise InputError(f"{what} names {unknown}; the coordinates are {', '.join(system.coordinates)}.")
    return np.array([k for k, name in enumerate(system.coordinates) if name not in held], dtype=int)
