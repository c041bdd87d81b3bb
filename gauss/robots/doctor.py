"""`doctor`: what is wrong, redundant, undetermined or near a singular position in a mechanism with closed loops.

The mechanism is examined in joint coordinates (`gauss.bodies.Mechanism`). Loops that are open at the given values are
closed first, and what depends on the rank of the rows is decided in the closed pose alone: rows of an open loop are
independent by the gap, not by the mechanism.

* A combination c of rows that vanishes, cᵀJ = 0, is a state of stress without load: the forces c may be added to those
  of any motion. In which joint it has which force says what is held twice.
* A freedom that moves one body of a loop alone is idle, as a rod's spin between two ball joints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gauss.bodies.body.body import GROUND
from gauss.bodies.joints.drivers import Driver, Limit, Motor, Servo
from gauss.bodies.joints.spatial_joints import Joint, Revolute
from gauss.bodies.mechanism import Mechanism
from gauss.bodies.results.reactions import States, reaction, rows_of, wrench_maps
from gauss.bodies.results.statics import joint_gradient
from gauss.bodies.tree.places import TreePlaces, TreeRates
from gauss.bodies.tree.reduced import inertia_of
from gauss.dynamics import accelerate, classify, completed
from gauss.errors import GaussError, InconsistentStateError, InputError
from gauss.foundation.arrays import Array, tidied, unit_rows
from gauss.foundation.calls import advised
from gauss.foundation.threads import one_by_one
from gauss.model import System
from gauss.model.coordinates import Named
from gauss.model.state import State
from gauss.motion.steps.consistent_state import consistent
from gauss.principle import GaussProblem
from gauss.principle.rank import RANK_TOLERANCE
from gauss.robots.closing import closed_pose, places_kept, turned_over
from gauss.robots.diagnosis import Diagnosis, Freedom, HeldTwice, JointForce, Loop
from gauss.robots.sweeps import sweeps_of
from gauss.uniqueness import Verdict
from gauss.uniqueness.ranges import vanishing

PART = 1e-9  # of the largest: smaller parts of a stress, and motions of a freedom, are rounding
ROUNDING = 1e-12  # of the forces and weights of a mechanism: smaller forces are zero
ALONG = 1e-6  # sine of the angle up to which directions are the same


@advised
def doctor(model: Any, values: Mapping[str, float] | None = None, *, sweep: bool = True) -> Diagnosis:
    """Return what ails a mechanism or a robot at the given values of joints (rad, m), others 0 or those of its home.

    `sweep` looks along the range of each motor. Raises InputError for what is no mechanism and for unknown joints.

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
        home = {**_home(mechanism), **(values or {})}
        q = mechanism.state(values=home)[0]
        loops = tuple(_loop(mechanism, link, q) for link in mechanism.tree.loops if hasattr(link, "apart"))
        found = Diagnosis(
            mechanism=mechanism,
            given=q,
            loops=loops,
            limits=tuple(_limits(mechanism, q)),
            unread=tuple(str(each) for each in getattr(model, "unread", ())),
            motors=_motors(mechanism),
        )
        state = closed_pose(mechanism, q)
        if state is None:
            return replace(found, remaining=_remaining(system, q))
        return _examined(found, mechanism, state, sweep)


def _examined(found: Diagnosis, mechanism: Mechanism, state: State, sweep: bool) -> Diagnosis:
    """Return the diagnosis with what is decided in the closed pose: by the rows of loops, not by stops that touch."""
    joints = [joint for joint in mechanism.joints if not isinstance(joint, Limit)]
    endless = mechanism if len(joints) == len(mechanism.joints) else replace(mechanism, joints=joints)
    system = endless.system
    verdict = classify(system, state.q, None, state.t)
    basis = _freedoms(system, state, verdict)
    stresses = _stresses(endless, state)
    answer = _at_rest(system if _limits(mechanism, state.q) else mechanism.system, state)
    return replace(
        found,
        closed=state.q,
        verdict=verdict,
        rank=verdict.regularity.rank,
        mobility=basis.shape[1],
        freedoms=tuple(_named_freedoms(mechanism, state, basis)),
        driven=_rank(_motor_rows(mechanism, state.q, found.motors) @ basis),
        dependences=tuple(_dependences(mechanism, stresses)),
        forces=() if answer is None else tuple(_forces(mechanism, answer, stresses)),
        sweeps=tuple(sweeps_of(mechanism, system, state, verdict.regularity.rank, found.motors)) if sweep else (),
    )


# ------------------------------------------------------------------ loops


def _home(mechanism: Mechanism) -> dict[str, float]:
    """Return the values of the first pose of a robot, () of another mechanism."""
    poses: Mapping[str, Mapping[str, float]] = getattr(mechanism, "poses", {})
    known = set(mechanism.tree.coordinates)
    return {name: x for name, x in next(iter(poses.values()), {}).items() if name in known}


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
        return dict(error.residuals)
    except GaussError:
        pass
    return {}


def _limits(mechanism: Mechanism, q: Array) -> list[str]:
    """Return the limits that are violated, in words."""
    system = mechanism.system
    gaps = system.model.residuals(q, np.zeros(system.n), 0.0, system.theta())[0]
    return [f"{system.row_names[k]} by {-gaps[k]:.6g}" for k in system.model.unilateral if gaps[k] < -PART]


# ------------------------------------------------------------------ freedoms


def _freedoms(system: System, state: State, verdict: Verdict) -> Array:
    """Return a basis (n, f) of the velocities that all rows admit, orthonormal in the mass metric."""
    problem = GaussProblem.at(system, state)
    rows = problem.rows.J[problem.rows.equal]
    basis = np.eye(problem.n)
    if verdict.regularity.rank and len(rows):
        kept = rows[np.linalg.norm(rows, axis=1) > 0.0]
        basis = np.linalg.svd(unit_rows(problem.metric.whitened(kept)))[2][verdict.regularity.rank :].T
    return np.asarray(problem.metric.lift(basis))


def _twists(mechanism: Mechanism, q: Array, basis: Array) -> Array:
    """Return angular velocity and velocity (nodes, 6, f) of each body of the tree, in its axes, in each freedom."""
    names = mechanism.tree.coordinates
    found = []
    for column in basis.T:
        rates = TreeRates(TreePlaces(mechanism.tree, Named(names, q.tolist())), Named(names, column.tolist()))
        found.append([[float(x) for part in rates.twist(k) for x in part] for k in range(len(mechanism.tree.nodes))])
    return np.array(found).reshape(basis.shape[1], len(mechanism.tree.nodes), 6).transpose(1, 2, 0)


def _named_freedoms(mechanism: Mechanism, state: State, basis: Array) -> list[Freedom]:
    """Return the freedoms by a joint that leads each, idle ones first."""
    twists = _twists(mechanism, state.q, basis)
    found, left = list[Freedom](), np.eye(basis.shape[1])
    for k, node in enumerate(mechanism.tree.nodes):
        if sum(node.body in joint.bodies for joint in mechanism.joints if isinstance(joint, Joint)) < 2:
            continue
        others = np.concatenate([twist for i, twist in enumerate(twists) if i != k] or [np.zeros((0, left.shape[0]))])
        alone = _null(others)
        for y in alone.T:
            twist = twists[k] @ y
            axis = twist[:3] / max(float(np.linalg.norm(twist[:3])), 1e-300)
            found.append(Freedom(node.body.name, idle=True, moving=(node.body.name,), axis=tuple(axis.tolist())))
            left = left - np.outer(y, y) @ left
    count = basis.shape[1] - len(found)
    names, rates = mechanism.system.coordinates, basis @ left
    chosen: list[int] = []
    kept = np.zeros((0, basis.shape[1]))
    largest = np.max(np.abs(rates), initial=0.0)
    for k, row in enumerate(rates):
        rest = row - kept.T @ (kept @ row)
        if len(chosen) < count and np.linalg.norm(rest) > 1e-6 * largest > 0.0:
            kept, chosen = np.vstack([kept, rest / np.linalg.norm(rest)]), [*chosen, k]
    return [*found, *(Freedom(names[k], idle=False, moving=(names[k],)) for k in chosen)]


def _null(rows: Array) -> Array:
    """Return an orthonormal basis (n, d) of the vectors that rows (m, n) make zero."""
    if not rows.size:
        return np.eye(rows.shape[1])
    _, sigma, V = np.linalg.svd(rows, full_matrices=True)
    rank = int(np.sum(sigma > PART * max(float(sigma[0]), 1e-300))) if sigma.size else 0
    return np.asarray(V[rank:].T)


def _rank(matrix: Array) -> int:
    """Return the rank of a matrix that is not near to a lower one."""
    sigma = np.linalg.svd(matrix, compute_uv=False) if matrix.size else np.zeros(0)
    return int(np.sum(sigma > PART * max(float(np.max(sigma, initial=0.0)), 1e-300)))


def _motors(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the joints that are driven: those a robot's file names, else those with a motor, servo or driver."""
    named = tuple(getattr(mechanism, "motors", ()))
    parts = (*mechanism.forces, *mechanism.joints)
    return named or tuple(dict.fromkeys(part.joint.name for part in parts if isinstance(part, Motor | Servo | Driver)))


def _motor_rows(mechanism: Mechanism, q: Array, motors: Sequence[str]) -> Array:
    """Return the rates (k, n) of the driven joints."""
    joints = {joint.name: joint for joint in mechanism.joints}
    rows = [joint_gradient(mechanism.system, joints[name], q) for name in motors if name in joints]
    return np.vstack(rows) if rows else np.zeros((0, mechanism.system.n))


# ------------------------------------------------------------------ stresses without load


@dataclass(frozen=True)
class _Stress:
    """A combination of rows that vanishes, as forces in all joints."""

    rows: tuple[str, ...]  # of the loops
    states: States  # in natural coordinates, with the forces as multipliers

    def wrench(self, joint: Joint) -> tuple[Array, Array]:
        """Return force and torque on body 2 at its point 2, in axes of space."""
        states = self.states
        picked, point = rows_of(joint, states.names), (joint.body2, joint.point2)
        Q = states.matrices(0)[picked].T @ states.multipliers[0][picked]
        found: Any = 0.0
        for names, G in wrench_maps(joint.bodies, joint.body2, states.named(0), point, "space"):
            found = found + G @ Q[[states.coordinates.index(name) for name in names]]
        d = 3 if len(found) == 6 else 2
        return np.asarray(found[:d]), np.asarray(found[d:])


def _stresses(mechanism: Mechanism, state: State) -> list[_Stress]:
    """Return the stresses without load in a closed pose, each in as few rows as may be."""
    system = mechanism.system
    problem = GaussProblem.at(system, state)
    index = np.flatnonzero(problem.rows.equal)
    lengths = np.linalg.norm(problem.metric.whitened(problem.rows.J[index]), axis=1)
    lengths[lengths <= PART * np.max(lengths, initial=0.0)] = np.inf
    unit = problem.metric.whitened(problem.rows.J[index]) / lengths[:, None]
    null = vanishing(unit, RANK_TOLERANCE)[0]
    if not null.shape[1]:
        return []
    twin = system.twin
    assert twin is not None
    q, v, _ = (x[0] for x in twin.states(state.q[None], state.v[None], state.v[None]))
    wide = system.wider
    J = wide.model.terms(q, v, state.t, wide.theta()).J
    found = []
    for column in null.T:
        c = np.where(np.isinf(lengths), column, column / lengths)
        given = {system.row_names[index[k]]: c[k] for k in np.flatnonzero(column)}
        shares = {name: np.array([given.get(name, 0.0)]) for name in system.row_names}
        shares = twin.multipliers(state.q[None], shares)
        own = [float(shares[name][0]) if name in shares else np.nan for name in wide.row_names]
        forces = completed(J, 0.0, np.array(own))
        states = States(wide.coordinates, wide.row_names, q[None], forces[None], None, lambda k, J=J: J, True)
        found.append(_Stress(tuple(given), states))
    return found


def _dependences(mechanism: Mechanism, stresses: Sequence[_Stress]) -> list[HeldTwice]:
    """Return what is held twice, as a sentence for each stress."""
    found = []
    for stress in stresses:
        links = [link for link in mechanism.tree.loops if _concerned(link, stress.rows)]
        joint = next((link for link in links if isinstance(link, Joint)), None)
        if joint is None:
            words = ", ".join(repr(link.name) for link in links) or ", ".join(map(repr, stress.rows))
            found.append(HeldTwice(stress.rows, f"{words} say the same twice", "leave one of them out"))
            continue
        force, torque = stress.wrench(joint)
        loop = _loaded(mechanism, stress)
        what = _direction(mechanism, stress, force, torque, loop)
        mine = [row for row in stress.rows if _concerned(joint, [row])]
        count = len(joint.rows(mechanism.named(mechanism.state(values={})[0])))
        lost = len(
            {row for other in stresses for row in other.rows if _concerned(joint, [row]) and len(other.rows) == 1}
        )
        lost = max(lost, 1)
        rest = count - lost
        remedy = f"{joint.name!r} is {count} rows, of which {rest} count here"
        if what[1] and type(joint).__name__ == "Spherical":
            remedy += f": a joint of two points in space is a pin in the plane, {rest} rows"
        found.append(HeldTwice(stress.rows, f"{what[0]}, at {joint.name!r}", remedy, tuple(loop), tuple(mine)))
    return found


def _concerned(link: Any, rows: Sequence[str]) -> bool:
    """Whether some of the rows are those of a link."""
    starts = [row.name for row in link.constraints()]
    return any(row == start or row.startswith(f"{start}[") for row in rows for start in starts)


def _loaded(mechanism: Mechanism, stress: _Stress) -> list[str]:
    """Return the bodies between whose joints a stress goes round."""
    sizes = {}
    for joint in mechanism.joints:
        if isinstance(joint, Joint):
            force, torque = stress.wrench(joint)
            sizes[joint.name] = (float(np.linalg.norm(force)) + float(np.linalg.norm(torque)), joint)
    largest = max((size for size, _ in sizes.values()), default=0.0)
    joints = [joint for size, joint in sizes.values() if size > 1e-7 * largest]
    bodies = dict.fromkeys(body.name for joint in joints for body in joint.bodies if body is not GROUND)
    return list(bodies)


def _direction(
    mechanism: Mechanism, stress: _Stress, force: Array, torque: Array, loop: Sequence[str]
) -> tuple[str, bool]:
    """Return what a stress is at a joint, in words, and whether it is a force across the plane of the loop."""
    names = " and ".join(map(repr, loop[-2:])) if len(loop) > 1 else repr(loop[0]) if loop else "the loop"
    normal = _normal(mechanism, stress, loop)
    largest = float(np.linalg.norm(force))
    if len(force) == 3 and largest > 1e-7 * float(np.linalg.norm(torque)):
        along = force / largest
        if normal is not None and np.linalg.norm(np.cross(along, normal)) < ALONG:
            return f"the force across the plane of {names}", True
        return f"a force along {_shown(along)} between {names}", False
    if len(force) == 3:
        along = torque / max(float(np.linalg.norm(torque)), 1e-300)
        if normal is not None and abs(float(along @ normal)) < ALONG:
            return f"a moment about {_shown(along)} that bends {names} out of their plane", False
        return f"a moment about {_shown(along)} between {names}", False
    return f"a force or moment in the plane between {names}", False


def _shown(along: Array) -> str:
    return f"({', '.join(f'{x + 0.0:.4g}' for x in tidied(along))})"


def _normal(mechanism: Mechanism, stress: _Stress, loop: Sequence[str]) -> Array | None:
    """Return the direction of all hinges of a loop, None where they are not parallel."""
    q = stress.states.named(0)
    axes = [
        np.array(joint.body1.placed(q).direction(joint.axis1), dtype=float)
        for joint in mechanism.joints
        if isinstance(joint, Revolute) and joint.body2.name in loop and joint.body1.name in (*loop, GROUND.name)
    ]
    if not axes or any(np.linalg.norm(np.cross(axis, axes[0])) > ALONG for axis in axes):
        return None
    return axes[0]


# ------------------------------------------------------------------ forces at rest


def _at_rest(system: System, state: State) -> Verdict | None:
    """Return the verdict at rest without drives; None where there is no single acceleration."""
    try:
        found = accelerate(system, state.q, None, state.t)
    except GaussError:
        return None
    return found if found.unique else None


def _forces(mechanism: Mechanism, answer: Verdict, stresses: Sequence[_Stress]) -> list[JointForce]:
    """Return the force and torque of each joint at rest, in axes of which the first are not determined."""
    found = []
    for joint in mechanism.joints:
        if not isinstance(joint, Joint):
            continue
        wrenches = [stress.wrench(joint) for stress in stresses]
        d = len(joint.point1)
        axes = np.eye(d)
        open_force = np.array([force for force, _ in wrenches]).reshape(-1, d)
        if d == 3 and open_force.size:
            _, sigma, V = np.linalg.svd(open_force)
            if np.max(sigma, initial=0.0) > PART:
                axes = V.T if np.linalg.det(V) > 0.0 else -V.T
        seen = reaction(answer, joint, axes=axes if d == 3 else "space")
        found.append(JointForce(joint.name, joint.body2.name, seen.force, seen.torque, axes, seen.undetermined))
    largest = max((float(np.nanmax(np.abs(x.force), initial=0.0)) for x in found), default=0.0)
    speck = ROUNDING * max(largest, _weight(mechanism))
    return [replace(x, force=_without(x.force, speck), torque=_without(x.torque, speck)) for x in found]


def _weight(mechanism: Mechanism) -> float:
    """Return the weight (N) of all bodies."""
    assert mechanism.gravity is not None
    return float(np.linalg.norm(mechanism.gravity)) * sum(inertia_of(node.body)[0] for node in mechanism.tree.nodes)


def _without(values: Array, speck: float) -> Array:
    """Return values with zeros for specks; nan stays."""
    return np.where(np.abs(values) <= speck, 0.0, values)
