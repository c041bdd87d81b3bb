"""Closed poses of mechanisms: loops that are open are closed from near, from afar, and from random starts."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.bodies.assembly.holding import facing_rows
from gauss.bodies.joints.spatial_joints import Cylindrical, PlanarJoint, Prismatic, Revolute, Weld
from gauss.bodies.mechanism import Mechanism
from gauss.bodies.results.units import ROWS
from gauss.bodies.tree.reduced import through, unit_rows
from gauss.errors import GaussError
from gauss.foundation.arrays import Array, Flags
from gauss.geometry.vectors import dot
from gauss.model import Constraint, Holonomic, System
from gauss.model.state import State
from gauss.motion.steps.consistent_state import consistent
from gauss.principle.offsets import STATE_TOLERANCE, offsets

STARTS, ENOUGH = 40, 3  # random starts from which loops are closed, and how many of them need be found
STRIDE, SWEEPS, CLOSED = 0.2, 300, 1e-12  # rad or m of a step; steps; changes of coordinates that are rounding
HOLDS = 1e-10  # of the length of the longest row: rows that the numbers of a file hold no better are closed
WEAK = 1e-8  # of the largest: smaller singular values of the rows are not followed
FAR = 1.0  # rad or m, beyond which a closed pose may not be the nearest


def closed_pose(mechanism: Mechanism, q: Array) -> State | None:
    """Return the state at rest with closed loops near a position of a mechanism in joint coordinates, or None.

    The nearest one by `consistent`; where that is far away, or nowhere, Gauss's and Newton's method with short steps
    leads there, on rows with the tangents of turns, from random starts too. Bodies that are welded to one another are
    not turned over.
    """
    system = mechanism.system
    plain, free = LeadingRows.of_system(system), np.ones(q.size, dtype=bool)
    found = list[State]()
    near = plain.descended(q, free)
    if near is not None and np.max(np.abs(near - q), initial=0.0) < FAR:
        with contextlib.suppress(GaussError):
            state = _unwound(system, consistent(system, q), q)
            found = [state] if is_upright(mechanism, state.q) and _holds(system, state) else []
        if found and np.max(np.abs(found[0].q - q), initial=0.0) < FAR:
            return found[0]
    guide = LeadingRows.of(mechanism)
    rng = np.random.default_rng(0)
    for k in range(STARTS + 1):
        begin = q + (rng.uniform(-FAR, FAR, q.size) if k else 0.0)
        for each in (guide, plain):
            near = each.descended(begin, free)
            if near is None:
                continue
            state = _unwound(system, State(near, 0.0 * near, 0.0), q)
            with contextlib.suppress(GaussError):
                state = _unwound(system, consistent(system, state.q), q)
            if is_upright(mechanism, state.q) and _holds(system, state):
                found.append(state)
                break
        if found and (k == 0 or len(found) >= ENOUGH):
            break
    return min(found, key=lambda state: float(np.linalg.norm(state.q - q)), default=None)


def held_pose(mechanism: Mechanism, q: Array, held: Sequence[str]) -> State | None:
    """Return the state at rest with closed loops and kept stops near a position, some coordinates as they are, or None.

    It is not looked for from afar.
    """
    system = mechanism.system
    free = np.array([name not in held for name in system.coordinates])
    for leads in (False, True):
        rows = LeadingRows.of(mechanism) if leads else LeadingRows.of_system(system)
        near = rows.descended(q, free)
        if near is None:
            continue
        for begin in (q, near):  # the nearest one in the mass metric, where it is near
            with contextlib.suppress(GaussError):
                state = _unwound(system, consistent(system, begin, hold=held), q)
                far = np.max(np.abs(state.q - near), initial=0.0) >= FAR
                if not far and is_upright(mechanism, state.q) and _holds(system, state):
                    return state
    return None


def _holds(system: System, state: State) -> bool:
    """Return whether a state is on the equality rows as nearly as verdicts demand."""
    rows = list(system.model.equality)
    terms = system.model.terms(state.q, state.v, state.t, system.theta())
    return not np.any(offsets(system, state, terms)[0][rows] > STATE_TOLERANCE)


def is_upright(mechanism: Mechanism, q: Array) -> bool:
    """Return whether no body that a weld or a slide of a loop holds is turned over."""
    there = mechanism.named(q)
    return all(abs(x) < 1.0 for link in mechanism.tree.loops for x in turned_over(link, there))


def places_kept(link: Any) -> int:
    """Return how many of the first rows of a joint are lengths."""
    units = next((units for kind, units in ROWS.items() if isinstance(link, kind)), ("m",) * 3)
    return sum(unit == "m" for unit in units)


def turned_over(link: Any, q: Any) -> list[float]:
    """Return the differences of the axes of the bodies that a weld or a slide holds; none of other joints.

    Its rows vanish too where one body is turned over, by half a turn about an axis.
    """
    rows = facing_rows(link) if isinstance(link, Weld | Prismatic) else ()
    return [float(x) for row in rows for x in row.function(q)]  # type: ignore[attr-defined]


@dataclass(frozen=True)
class LeadingRows:
    """Rows that lead to closed poses."""

    system: System
    index: list[int]

    @staticmethod
    def of_system(system: System) -> LeadingRows:
        """Return the equality rows of a system."""
        return LeadingRows(system, list(system.model.equality))

    @staticmethod
    def of(mechanism: Mechanism) -> LeadingRows:
        """Return the rows of a mechanism, turns of loops by tangents, which lead from afar and turn nothing over."""
        tree, rows, sines = mechanism.tree, list[Any](), set[str]()
        for link in tree.loops:
            row = _tangents(link)
            if row is not None:
                rows.append(row)
                sines |= {f"{link.name}[{k}]" for k in range(places_kept(link), 6)}
        if not rows:
            return LeadingRows.of_system(mechanism.system)
        own = [row for part in (*tree.loose, *tree.loops) for row in _rows_of(part)]
        system = System(
            mechanism.name,
            coordinates=tree.coordinates,
            mass_matrix=np.eye(len(tree.coordinates)),
            constraints=[*unit_rows(tree), *(through(tree, row) for row in (*own, *mechanism.constraints, *rows))],
            parameters=mechanism.parameters,
        )
        return LeadingRows(system, [k for k in system.model.equality if system.row_names[k] not in sines])

    def descended(self, q: Array, free: Flags, sweeps: int = SWEEPS) -> Array | None:
        """Return a position on the rows by so many steps of least norm of at most `STRIDE`, or None."""
        theta = self.system.theta()
        for _ in range(sweeps):
            terms = self.system.model.terms(q, 0.0 * q, 0.0, theta)
            phi, J = terms.phi[self.index], terms.J[self.index] * free
            if not np.all(np.isfinite(phi)):
                return None
            step = -np.linalg.lstsq(J, phi, rcond=WEAK)[0] * free
            size = float(np.max(np.linalg.norm(J, axis=1), initial=0.0))
            far = float(np.max(np.abs(step), initial=0.0))
            if far < CLOSED * max(1.0, float(np.max(np.abs(q)))):
                return q if np.all(np.abs(phi) <= HOLDS * size) else None
            q = q + step * min(1.0, STRIDE / max(far, 1e-300))
        return None


def _rows_of(part: Any) -> list[Constraint]:
    """Return the rows of a link, or of a body with coordinates of its own."""
    return part.constraints() if callable(part.constraints) else part.constraints  # type: ignore[no-any-return]


def _tangents(link: Any) -> Holonomic | None:
    """Return tan θ/2 times the axis of the turn θ that a weld or slide, or tan θ/2 that an axis, of a loop is off."""
    if isinstance(link, Weld | Prismatic):

        def turn(q: Any) -> list[Any]:
            one, two = link.body1.placed(q), link.body2.placed(q)
            x, y, z = (one.direction(axis) for axis in np.eye(3).tolist())
            a, b, c = (two.direction(tuple(axis)) for axis in np.array(link.orientation).tolist())
            size = 1.0 + dot(x, a) + dot(y, b) + dot(z, c)
            pairs = ((z, b, y, c), (x, c, z, a), (y, a, x, b))
            return [(dot(e, f) - dot(g, h)) / size for e, f, g, h in pairs]

    elif isinstance(link, Revolute | Cylindrical | PlanarJoint):

        def turn(q: Any) -> list[Any]:
            (e, _, _), (e2, u, w) = link._frames(q)
            return [dot(e, u) / (1.0 + dot(e, e2)), dot(e, w) / (1.0 + dot(e, e2))]

    else:
        return None
    return Holonomic(f"{link.name} turn", turn)


def _unwound(system: System, state: State, q: Array) -> State:
    """Return a state with angles in half a turn about those of a position."""
    turns = np.array([system.unit(name) == "rad" for name in system.coordinates])
    whole = 2.0 * np.pi * np.round((state.q - q) / (2.0 * np.pi))
    return State(np.where(turns, state.q - whole, state.q), state.v, state.t)
