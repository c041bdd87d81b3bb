"""The pose that the doctor examines: values of joints as they are asked for, the others as at home, loops closed.

What is asked for by name is held while loops close, as far as the rows leave it free. Where it cannot be held, its
joint goes towards it from the closed pose beside, as far as stops and loops let it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gauss.bodies.mechanism import Mechanism
from gauss.bodies.tree.followers import followed
from gauss.bodies.tree.states import chosen, joint_state, only_coordinates
from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.model.state import State
from gauss.robots.closing import closed_pose, held_pose
from gauss.robots.findings import NotHeld
from gauss.robots.sweeps import independent, range_of, reached


def asked(model: Mechanism, mechanism: Mechanism, given: Any, hold: Sequence[str] | None) -> tuple[Array, list[str]]:
    """Return the joint coordinates (n,) that a state, an assembly or values of joints give, and those to be held.

    `mechanism` is the model in joint coordinates. Left out, what values of joints name is held, of a state nothing.
    Raises InputError.
    """
    tree = mechanism.tree
    given = getattr(given, "state", given)
    if not isinstance(given, State) and not isinstance(given or {}, Mapping):
        raise InputError(f"values are a dict by joint, a State or an Assembly, got {type(given).__name__}.")
    named = [] if isinstance(given, State) else list(given or {})
    only = only_coordinates(tree)
    held = list(dict.fromkeys(only.get(name, name) for name in (named if hold is None else hold)))
    if not isinstance(given, State):
        values, rates = chosen(tree, {**_home(mechanism), **(given or {})}, {})
        q = mechanism.state(values=followed(tree, values, rates, held, ())[0])[0]
    else:
        q = model.system.vector(given.q, "q")
        if model.coordinates != "joint":
            natural = dict(zip(model.system.coordinates, map(float, q), strict=True))
            q = mechanism.system.vector(joint_state(tree, natural, dict.fromkeys(natural, 0.0))[0], "q")
    unknown = [name for name in held if name not in tree.coordinates]
    if unknown:
        raise InputError(f"hold names {', '.join(unknown)}; the coordinates are {', '.join(tree.coordinates)}.")
    return q, held


def _home(mechanism: Mechanism) -> dict[str, float]:
    """Return the values of the first pose of a robot, {} of another mechanism."""
    poses: Mapping[str, Mapping[str, float]] = getattr(mechanism, "poses", {})
    known = set(mechanism.tree.coordinates)
    return {name: x for name, x in next(iter(poses.values()), {}).items() if name in known}


def closed_at(mechanism: Mechanism, q: Array, names: Sequence[str]) -> tuple[State | None, tuple[NotHeld, ...]]:
    """Return the state at rest with closed loops, coordinates held as they are at a position, and what cannot be held.

    None where the loops do not close.
    """
    held = independent(mechanism, q, names) if names else ()
    if not held:
        return closed_pose(mechanism, q), ()
    state = held_pose(mechanism, q, held)
    if state is not None:
        return state, ()
    state = closed_pose(mechanism, _within(mechanism, q, held))
    if state is None:
        home, _ = asked(mechanism, mechanism, None, None)
        state = closed_pose(mechanism, home)
    if state is None:
        return None, ()
    there, missed, kept = state.q, list[NotHeld](), list[str]()
    for name in held:
        k = mechanism.system.coordinates.index(name)
        there, why = reached(mechanism, there, name, float(q[k]), kept)
        kept.append(name)
        if why:
            missed.append(NotHeld(name, float(q[k]), float(there[k]), mechanism.system.unit(name) or "", why))
    return State(there, 0.0 * there, 0.0), tuple(missed)


def _within(mechanism: Mechanism, q: Array, names: Sequence[str]) -> Array:
    """Return a position with coordinates moved into their own ranges."""
    found = q.copy()
    for name in names:
        k = mechanism.system.coordinates.index(name)
        found[k] = np.clip(q[k], *range_of(mechanism, name))
    return found
