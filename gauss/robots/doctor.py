"""`doctor`: what is wrong, redundant, undetermined or near a singular position in a mechanism with closed loops.

The mechanism is examined in joint coordinates (`gauss.bodies.Mechanism`). Loops that are open at the given values are
closed first, and what depends on the rank of the rows is decided in the closed pose alone: rows of an open loop are
independent by the gap, not by the mechanism.

* What is held twice is a state of self-stress (`stresses.py`); the other poses in which loops close are in `modes.py`,
  singular positions along ranges in `sweeps.py`.
* A freedom that turns one body of a loop alone about an axis through its mass centre is idle, as a rod's spin between
  two ball joints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gauss.bodies.joints.drivers import Driver, Limit, Motor, Servo
from gauss.bodies.joints.joint import Joint
from gauss.bodies.joints.spatial_joints import Weld
from gauss.bodies.mechanism import Mechanism
from gauss.bodies.results.statics import joint_gradient
from gauss.bodies.tree.places import TreePlaces, TreeRates
from gauss.bodies.tree.reduced import inertia_of
from gauss.dynamics import accelerate, classify
from gauss.errors import GaussError, InconsistentStateError, InputError
from gauss.foundation.arrays import Array, unit_rows
from gauss.foundation.calls import advised
from gauss.foundation.threads import one_by_one
from gauss.foundation.tolerances import STEP
from gauss.model import System
from gauss.model.coordinates import Named
from gauss.model.state import State
from gauss.model.units import warn_of_degrees
from gauss.motion.steps.consistent_state import consistent
from gauss.principle import GaussProblem
from gauss.principle.rank import RANK_TOLERANCE, spectrum_of
from gauss.robots.closing import places_kept, turned_over
from gauss.robots.diagnosis import Diagnosis
from gauss.robots.findings import Freedom, Loop, OffLimit, shown
from gauss.robots.modes import modes_of
from gauss.robots.poses import asked, closed_at
from gauss.robots.stresses import JointMaps, dependences_of, forces_of, stresses_of
from gauss.robots.sweeps import own_coordinate, sweeps_of
from gauss.uniqueness import Verdict
from gauss.uniqueness.ranges import vanishing

PART = 1e-9  # rad or m of a stop, and of the largest: less is none, and motions of a freedom are rounding
CENTRED = 1e-9  # of the length of the tree: a mass centre that is so near to an axis is on it
LEADS = 1e-6  # of the largest rate: a coordinate with less leads no freedom


@advised
def doctor(model: Any, values: Any = None, *, hold: Sequence[str] | None = None, sweep: bool = True) -> Diagnosis:
    """Return what ails a mechanism or a robot at the given values of joints (rad, m), others 0 or those of its home.

    `values` are a dict by joint or coordinate, a `State` of the model, or what `gauss.bodies.assemble` returns. Joints
    that follow others are where these put them. Open loops are closed first, and what `hold` names keeps its value;
    left out, that is all that a dict names, in its order, as far as the rows leave it free. `not_held` names the values
    that are out of reach. `sweep` looks along the range of each motor. Raises InputError for what is no mechanism, for
    unknown joints, and for those that close loops, which have no coordinate.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> crank = mb.Body("crank", mb.box(1.0, (1.0, 0.1, 0.1), at=(0.5, 0, 0)))
    >>> rod = mb.Body("rod", mb.box(2.0, (2.0, 0.1, 0.1), at=(1.0, 0, 0)))
    >>> hinges = [
    ...     mb.Revolute("hinge", mb.GROUND, (0, 0, 0), crank, (0, 0, 0)),
    ...     mb.Revolute("pin", crank, (1, 0, 0), rod, (0, 0, 0)),
    ...     mb.Spherical("end", mb.GROUND, (2, 1, 0), rod, (2, 0, 0)),
    ... ]
    >>> found = g.doctor(mb.Mechanism("triangle", [crank, rod], hinges), sweep=False)
    >>> found.mobility, round(found.loops[0].gap, 6)
    (0, 1.414214)
    >>> print(found.dependences[0].sentence)
    the force across the plane of 'crank' and 'rod', at 'end'
    """
    if not isinstance(model, Mechanism):
        raise InputError(f"doctor examines a Mechanism or a robot of gauss.load, got {type(model).__name__}.")
    mechanism = model if model.coordinates == "joint" else replace(model, coordinates="joint")
    system = mechanism.system
    with one_by_one(system.n):
        q, named = asked(model, mechanism, values, hold)
        warn_of_degrees(system.coordinates, q, system.units)
        home = _loops(mechanism, asked(model, mechanism, None, None)[0]) if hasattr(mechanism, "poses") else ()
        found = Diagnosis(
            mechanism=mechanism,
            given=q,
            named=tuple(named),
            home=home if isinstance(values, Mapping) and values else None,
            loops=_loops(mechanism, q),
            limits=tuple(_limits(mechanism, q)),
            unread=tuple(str(each) for each in getattr(model, "unread", ())),
            motors=_motors(mechanism),
        )
        state, missed = closed_at(mechanism, q, named)
        found = replace(found, not_held=missed)
        if state is None:
            return replace(found, remaining=_remaining(system, q))
        return _examined(found, mechanism, state, sweep)


def _examined(found: Diagnosis, mechanism: Mechanism, state: State, sweep: bool) -> Diagnosis:
    """Return the diagnosis with what is decided in the closed pose: by the rows of loops, not by stops that touch."""
    system, gaps = mechanism.system, _gaps(mechanism.system, state.q)
    touched = any(gaps[k] <= PART for k in system.model.unilateral)
    endless = _endless(mechanism) if touched else mechanism
    verdict = classify(endless.system, state.q, None, state.t)
    rank = verdict.regularity.rank
    basis = _freedoms(endless.system, state, rank)
    driven = [own for name in found.motors if (own := own_coordinate(mechanism, name)) is not None]
    freedoms = _named_freedoms(mechanism, state, basis, driven)
    leads = [freedom.lead for freedom in freedoms if not freedom.idle]
    rows = _motor_rows(mechanism, state.q, found.motors) @ basis
    pressing = _pressing(rows)
    modes = modes_of(mechanism, state, leads) if found.loops else ((), "", False)
    found = replace(
        found,
        closed=state.q,
        modes=modes[0],
        search=modes[1],
        complete=modes[2],
        verdict=verdict,
        rank=rank,
        mobility=basis.shape[1],
        freedoms=tuple(freedoms),
        driven=len(found.motors) - pressing.shape[1],
        pressing=tuple(name for name, c in zip(found.motors, pressing, strict=True) if np.any(c)),
        locks=tuple(_locks(mechanism, state)),
        sweeps=tuple(sweeps_of(mechanism, state, rank, found.motors or leads)) if sweep else (),
    )
    return _with_forces(found, endless, mechanism if not _limits(mechanism, state.q) else endless, state)


def _endless(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism without its stops."""
    joints = [joint for joint in mechanism.joints if not isinstance(joint, Limit)]
    return mechanism if len(joints) == len(mechanism.joints) else replace(mechanism, joints=joints)


def _with_forces(found: Diagnosis, endless: Mechanism, resting: Mechanism, state: State) -> Diagnosis:
    """Return a diagnosis with what is held twice, and with the forces at rest where there is one acceleration."""
    answer = _at_rest(resting.system, state)
    lost = found.rank < len(endless.system.model.equality)
    if answer is None and not lost:
        return found
    maps = JointMaps.at(resting, state)
    stresses = stresses_of(endless.system, maps, state, endless.system.model.equality) if lost else []
    found = replace(found, dependences=tuple(dependences_of(endless, maps, state, stresses)))
    if answer is None:
        return found
    forces, stops = forces_of(resting, resting.system, maps, answer)
    return replace(found, forces=tuple(forces), stops=tuple(stops))


# ------------------------------------------------------------------ loops


def _loops(mechanism: Mechanism, q: Array) -> tuple[Loop, ...]:
    """Return by how much each joint that closes a loop is open."""
    return tuple(_loop(mechanism, link, q) for link in mechanism.tree.loops if hasattr(link, "apart"))


def _loop(mechanism: Mechanism, link: Any, q: Array) -> Loop:
    """Return by how much the joint that closes a loop is open."""
    rows = np.array([float(x) for x in link.rows(mechanism.named(q))])
    turn = float(np.linalg.norm(turned_over(link, mechanism.named(q)))) / np.sqrt(2.0)
    gap = float(np.linalg.norm([float(x) for x in link.apart(mechanism.named(q))]))
    kept = int(places_kept(link))
    return Loop(
        link.name,
        type(link).__name__,
        tuple(body.name for body in link.bodies),
        gap=gap if kept == 3 else float(np.linalg.norm(rows[:kept])),
        turn=turn or float(np.linalg.norm(rows[kept:])),
    )


def _remaining(system: System, q: Array) -> dict[str, float]:
    """Return the residuals of the rows that do not close."""
    try:
        consistent(system, q)
    except InconsistentStateError as error:
        if error.residuals:
            return dict(error.residuals)
    except GaussError:
        pass
    gaps = _gaps(system, q)
    return {system.row_names[k]: float(gaps[k]) for k in sorted(system.model.equality, key=lambda k: -abs(gaps[k]))}


def _gaps(system: System, q: Array) -> Array:
    """Return the position residuals of all rows."""
    return np.asarray(system.model.residuals(q, np.zeros(system.n), 0.0, system.theta())[0])


def _limits(mechanism: Mechanism, q: Array) -> list[OffLimit]:
    """Return the stops that a position is beyond."""
    system, found = mechanism.system, list[OffLimit]()
    gaps = _gaps(system, q)
    for stop in mechanism.joints:
        if not isinstance(stop, Limit):
            continue
        for side, end, sign in (("lower", stop.lower, -1.0), ("upper", stop.upper, 1.0)):
            row = f"{stop.name} {side}"
            if row in system.row_names and gaps[system.row_names.index(row)] < -PART:
                value = end - sign * float(gaps[system.row_names.index(row)])
                unit = "m" if stop.motion == "displacement" else "rad"
                found.append(OffLimit(row, stop.joint.name, value, float(end), unit))
    return found


# ------------------------------------------------------------------ freedoms


def _freedoms(system: System, state: State, rank: int) -> Array:
    """Return a basis (n, f) of the velocities that all rows admit, orthonormal in the mass metric."""
    problem = GaussProblem.at(system, state)
    rows = problem.rows.J[problem.rows.equal]
    basis = np.eye(problem.n)
    if rank and len(rows):
        kept = rows[np.linalg.norm(rows, axis=1) > 0.0]
        basis = np.linalg.svd(unit_rows(problem.metric.whitened(kept)))[2][rank:].T
    return np.asarray(problem.metric.lift(basis))


def _twists(mechanism: Mechanism, q: Array, basis: Array) -> Array:
    """Return angular velocity and velocity (nodes, 6, f) of each body of the tree, in its axes, in each freedom."""
    names = mechanism.tree.coordinates
    found = []
    for column in basis.T:
        rates = TreeRates(TreePlaces(mechanism.tree, Named(names, q.tolist())), Named(names, column.tolist()))
        found.append([[float(x) for part in rates.twist(k) for x in part] for k in range(len(mechanism.tree.nodes))])
    return np.array(found).reshape(basis.shape[1], len(mechanism.tree.nodes), 6).transpose(1, 2, 0)


def _named_freedoms(mechanism: Mechanism, state: State, basis: Array, driven: Sequence[str]) -> list[Freedom]:
    """Return the freedoms by a coordinate that leads each, idle ones first, then those that are driven."""
    twists = _twists(mechanism, state.q, basis)
    found, left = list[Freedom](), np.eye(basis.shape[1])
    for k, node in enumerate(mechanism.tree.nodes if len(twists) > 1 else ()):
        if sum(node.body in joint.bodies for joint in mechanism.joints if isinstance(joint, Joint)) < 2:
            continue
        others = np.concatenate([twist for i, twist in enumerate(twists) if i != k])
        for y in vanishing(others.T / max(float(np.max(np.abs(others), initial=0.0)), 1e-300), PART)[0].T:
            twist = twists[k] @ y
            axis = twist[:3] / max(float(np.linalg.norm(twist[:3])), 1e-300)
            m, first, _ = inertia_of(node.body)
            moment = np.linalg.norm(m * twist[3:] + np.cross(twist[:3], np.array(first, dtype=float)))
            if moment > CENTRED * m * (mechanism.tree.length or 1.0) * np.linalg.norm(twist[:3]):
                continue  # its weight turns it
            found.append(Freedom(node.body.name, idle=True, moving=(node.body.name,), axis=tuple(axis.tolist())))
            left = left - np.outer(y, y) @ left / (y @ y)
    count = basis.shape[1] - len(found)
    names, rates = mechanism.system.coordinates, basis @ left
    order = [*(names.index(name) for name in driven), *(k for k, name in enumerate(names) if name not in driven)]
    chosen: list[int] = []
    kept = np.zeros((0, basis.shape[1]))
    largest = np.max(np.abs(rates), initial=0.0)
    for k in order:
        rest = rates[k] - kept.T @ (kept @ rates[k])
        if len(chosen) < count and np.linalg.norm(rest) > LEADS * largest > 0.0:
            kept, chosen = np.vstack([kept, rest / np.linalg.norm(rest)]), [*chosen, k]
    leads = [Freedom(names[k], idle=False, moving=(names[k],), driven=names[k] in driven) for k in chosen]
    return [*found, *leads]


def _locks(mechanism: Mechanism, state: State) -> list[str]:
    """Return the welds of loops that hold a turn which a hinge would leave, in words."""
    found = []
    problem = GaussProblem.at(mechanism.system, state)
    J, names = problem.rows.J[problem.rows.equal], np.array(problem.rows.names)[problem.rows.equal]
    for link in mechanism.tree.loops:
        if not isinstance(link, Weld):
            continue
        others = J[[not name.startswith(f"{link.name}[") for name in names]]
        whole, rank = spectrum_of(problem.metric, J).rank, spectrum_of(problem.metric, others).rank
        if whole - rank > places_kept(link):
            continue
        free = problem.metric.lift(np.linalg.svd(problem.metric.whitened(others))[2][rank:].T)
        motion = _apart(mechanism, link, state.q, free)
        still = vanishing(motion[3:].T / max(float(np.max(np.abs(motion), initial=0.0)), 1e-300), PART)[0]
        turns = motion[:3] @ still
        if still.shape[1] and np.linalg.matrix_rank(turns, PART) == 1:
            axis = turns[:, int(np.argmax(np.linalg.norm(turns, axis=0)))]
            along = shown(axis / np.linalg.norm(axis))
            found.append(
                f"{link.name!r} (Weld) locks its loop: it holds the turn about {along}, which a hinge would leave"
            )
    return found


def _apart(mechanism: Mechanism, link: Any, q: Array, basis: Array) -> Array:
    """Return the rates (6, f) at which the two bodies of a joint turn and move apart, in space, by a complex step."""
    found = []
    for column in basis.T:
        there = TreePlaces(mechanism.tree, Named(mechanism.tree.coordinates, list(q + STEP * 1j * column)))
        one, two = (np.array(body.placed(there).columns, dtype=complex).T for body in link.bodies)
        turned = two @ one.T
        spin = turned.imag / STEP @ turned.real.T
        moved = np.array(link.apart(there), dtype=complex).imag / STEP
        found.append([spin[2, 1], spin[0, 2], spin[1, 0], *moved])
    return np.array(found).reshape(-1, 6).T


# ------------------------------------------------------------------ motors


def _motors(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the joints that are driven: those a robot's file names, else those with a motor, servo or driver."""
    named = tuple(getattr(mechanism, "motors", ()))
    parts = (*mechanism.forces, *mechanism.joints)
    return named or tuple(dict.fromkeys(part.joint.name for part in parts if isinstance(part, Motor | Servo | Driver)))


def _motor_rows(mechanism: Mechanism, q: Array, motors: Sequence[str]) -> Array:
    """Return the rates (k, n) of the driven joints."""
    joints, found = {joint.name: joint for joint in mechanism.joints}, list[Array]()
    for name in motors:
        own = own_coordinate(mechanism, name)
        row = np.eye(mechanism.system.n)[[mechanism.system.coordinates.index(own)]] if own else None
        found.append(joint_gradient(mechanism.system, joints[name], q) if row is None else row)
    return np.vstack(found) if found else np.zeros((0, mechanism.system.n))


def _pressing(rows: Array) -> Array:
    """Return the combinations (k, d) of motors that press each other: of their rates in the freedoms (k, f)."""
    size = np.linalg.norm(rows, axis=1)
    return vanishing(rows / np.where(size > PART * np.max(size, initial=0.0), size, np.inf)[:, None], RANK_TOLERANCE)[0]


def _at_rest(system: System, state: State) -> Verdict | None:
    """Return the verdict at rest without drives; None where there is no single acceleration."""
    try:
        found = accelerate(system, state.q, None, state.t)
    except GaussError:
        return None
    return found if found.unique else None
