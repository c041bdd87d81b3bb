"""Forces and torques in the joints of a mechanism, and of its springs and motors, along a motion, all states at once.

At each state the rows J of the model are evaluated once, and where multipliers are not determined the combinations of
rows that vanish are found once, in the rows that are in force there; each joint then takes a few products of matrices.
Springs, motors and other forces are traced, and evaluated by one compiled function each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gauss.bodies.results.answers import States, rows_of
from gauss.bodies.results.reactions import body_of, determined_parts, lift_of, point_of
from gauss.foundation.arrays import Array, Flags, Indices, unit_rows
from gauss.foundation.threads import one_by_one
from gauss.model.compiled.quantities import generalized_force
from gauss.principle.rank import RANK_TOLERANCE
from gauss.uniqueness.ranges import vanishing

AT_ONCE = 4_000_000  # numbers of the rows that are kept at a time, 32 MB


def wrench_along(run: Any, joint: Any) -> tuple[Array, Array]:
    """Return what `reaction` does of a joint along a run: force (N, d) and torque (N, 3) or (N,) on body 2 at point 2.

    All rows are taken as independent, so that everything is determined.
    """
    return wrenches_along(run, [joint])[joint.name]


def wrenches_along(run: Any, joints: Sequence[Any], doubtful: bool = False) -> dict[str, tuple[Array, Array]]:
    """Return the same of several joints by name; components that are not determined are nan where rows are `doubtful`.

    `run` is in natural coordinates. Where rows are not doubtful, they are taken as independent.
    """
    system = run.setting.system
    picked = {joint.name: rows_of(joint, system.row_names) for joint in joints}
    loaded = States.of(run).loaded if doubtful else None
    found: dict[str, list[Array]] = {joint.name: [] for joint in joints}
    size = max(1, AT_ONCE // max(1, len(system.row_names) * system.n))
    with one_by_one(system.n):
        for start in range(0, len(run), size):
            part = slice(start, min(start + size, len(run)))
            J = system.model.batch(run.q[part], run.v[part], run.t[part], run.setting.theta)[1]
            bases = [] if loaded is None else list(_vanishing(J, loaded[part]))
            for joint in joints:
                rows = picked[joint.name]
                w, sizes = _per_multiplier(system, run.q[part], J[:, rows], joint)
                values = np.einsum("nik,nk->ni", w, run.multipliers[part][:, rows])
                for at, known in _determined(bases, loaded, start, rows, J, w, sizes):
                    values[at] = np.where(known, values[at], np.nan)
                found[joint.name].append(values)
    return {name: _split(np.concatenate(values)) for name, values in found.items()}


def applied_along(run: Any, force: Any, numbers: Array) -> tuple[Array, Array]:
    """Return what `applied` does of a force along a run: force (N, d) and torque (N, 3) or (N,) on its body.

    `run` is in natural coordinates, `numbers` (N, p) are the parameters and controls of its states.
    """
    system, count = run.setting.system, len(run)
    body, names = body_of(force, None), sorted({name for part in force.bodies for name in part.coordinates})
    work = None if force.conservative else force.generalized
    (Q,) = generalized_force(system, names, force.potential, work)([run.q, run.v, run.t, numbers])
    named = dict(zip(system.coordinates, run.q.T, strict=True))
    point = point_of(force, body)
    given = body.placed(named).origin if point is None else None
    if given is None:
        given = point(named) if callable(point) else point[0].placed(named).point(point[1])
    place = _stacked(given, count)[:, : dimension_of(force.bodies)]

    def own(part: Any) -> Array:
        return Q[:, [names.index(name) for name in part.coordinates], None]

    return _split(_lifted(force.bodies, body, named, place, own)[0][..., 0])


def dimension_of(bodies: Sequence[Any]) -> int:
    """Return 2 for bodies in the plane, else 3; the ground is in both."""
    return 2 if any(body.dimension == 2 for body in bodies) else 3


def _vanishing(J: Array, loaded: Flags) -> Iterator[tuple[int, Indices, Array]]:
    """Yield state, rows that may share the reaction, and a basis (k, d) of their combinations that vanish, if any."""
    for k in np.flatnonzero(loaded.any(axis=1)).tolist():
        rows = np.flatnonzero(loaded[k])
        null = vanishing(unit_rows(J[k][rows]), RANK_TOLERANCE)[0]
        if null.size:
            yield k, rows, null


def _determined(
    bases: Sequence[tuple[int, Indices, Array]],
    loaded: Flags | None,
    start: int,
    picked: list[int],
    J: Array,
    w: Array,
    sizes: Array,
) -> Iterator[tuple[int, Flags]]:
    """Yield the states with dependent rows that the rows of a joint are among, and which components are determined."""
    for k, rows, null in bases:
        if loaded is not None and loaded[start + k][picked].any():
            yield k, determined_parts(J[k], rows, null, picked, w[k], sizes[k])


def _per_multiplier(system: Any, q: Array, J: Array, joint: Any) -> tuple[Array, Array]:
    """Return force and torque per unit of each multiplier (N, 6 or 3, rows), and the sizes of their terms."""
    named = dict(zip(system.coordinates, q.T, strict=True))
    place = _stacked(joint.body2.placed(named).point(joint.point2), len(q))

    def own(part: Any) -> Array:
        return np.swapaxes(J[:, :, [system.coordinates.index(name) for name in part.coordinates]], 1, 2)

    return _lifted(joint.bodies, joint.body2, named, place, own)


def _lifted(
    bodies: Sequence[Any], body: Any, q: dict[str, Array], place: Array, own: Callable[[Any], Array]
) -> tuple[Array, Array]:
    """Return force and torque on a body (N, 6 or 3, k) of generalized forces (N, n_b, k), and the sizes of their terms.

    On the ground they are minus those on the other bodies.
    """
    acting, sign = ([body], 1.0) if body.coordinates else ([part for part in bodies if part.coordinates], -1.0)
    total: Any = 0.0
    sizes: Any = 0.0
    for part in acting:
        G, given = sign * _to_wrench(part, q, place), own(part)
        total, sizes = total + G @ given, sizes + np.abs(G) @ np.abs(given)
    return np.asarray(total), np.asarray(sizes)


def _split(wrench: Array) -> tuple[Array, Array]:
    """Return force (N, d) and torque (N, 3) or (N,) of both together (N, 6 or 3)."""
    return (wrench[:, :2], wrench[:, 2]) if wrench.shape[1] == 3 else (wrench[:, :3], wrench[:, 3:])


def _to_wrench(body: Any, q: dict[str, Array], place: Array) -> Array:
    """Return the matrices (N, 6, n_b), in the plane (N, 3, n_b), from generalized forces to force and torque."""
    lift, placed, (count, d) = lift_of(body), body.placed(q), place.shape
    force = np.broadcast_to(lift[:d], (count, d, lift.shape[1]))
    torque = _crossed(_stacked(placed.origin, count) - place, lift[:d])
    for j, column in enumerate(placed.columns):
        torque = torque + _crossed(_stacked(column, count), lift[d + j * d : d + (j + 1) * d])
    return np.concatenate([force, torque], axis=1)


def _stacked(vector: Sequence[Any], count: int) -> Array:
    """Return the components of a vector along a run as (N, d)."""
    return np.stack([np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in vector], axis=1)


def _crossed(r: Array, vectors: Array) -> Array:
    """Return r (N, d) × each column of `vectors` (d, k): (N, 3, k), in the plane (N, 1, k)."""
    if r.shape[1] == 2:
        return np.asarray((r[:, :1] * vectors[1] - r[:, 1:] * vectors[0])[:, None])
    return np.asarray(np.cross(r[:, :, None], vectors[None], axis=1))
