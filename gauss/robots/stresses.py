"""What is held twice in a closed pose, and which forces that leaves open.

A combination c of rows that vanishes, cᵀJ = 0, is a state of self-stress: the forces c may be added to those of any
motion. In which joint it has which force says what is held twice; freeing that joint along this force, or about this
moment, ends it. A stop that touches presses one way only, and may bound what stresses add.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gauss.bodies.body.body import GROUND
from gauss.bodies.joints.drivers import Limit
from gauss.bodies.joints.joint import Joint
from gauss.bodies.joints.spatial_joints import Revolute, Spherical
from gauss.bodies.mechanism import Mechanism
from gauss.bodies.results.answers import States, rows_of
from gauss.bodies.results.reactions import wrench_maps
from gauss.bodies.tree.reduced import inertia_of
from gauss.dynamics import completed
from gauss.foundation.arrays import Array, Indices
from gauss.foundation.dependence import dependence
from gauss.foundation.tolerances import DETERMINED
from gauss.model import System
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.principle.contact_sizes import closed_rows
from gauss.principle.rank import spectrum_of
from gauss.robots.findings import HeldTwice, JointForce, StopForce, shown
from gauss.uniqueness import Verdict
from gauss.uniqueness.ranges import Bundle, ranges, vanishing_among

LOADED = 1e-7  # of the largest force of a stress: smaller ones are none
ROUNDING = 1e-12  # of the forces and weights of a mechanism: smaller forces are zero
ALONG = 1e-6  # sine of the angle up to which directions are the same


@dataclass(frozen=True)
class Stress:
    """A combination of rows that vanishes."""

    parts: dict[str, float]  # forces by row
    pivot: str  # a row that no other of the stresses has
    multipliers: Array  # of all rows in natural coordinates
    wrenches: dict[str, Array]  # of each joint


@dataclass(frozen=True)
class JointMaps:
    """What rows in natural coordinates make force and torque of each joint, on body 2 at its point 2, in space."""

    mechanism: Mechanism
    position: Array  # (1, n) in joint coordinates
    states: States  # one, in natural coordinates

    @staticmethod
    def at(mechanism: Mechanism, state: State) -> JointMaps:
        """Return those of a position in joint coordinates."""
        twin, wide = mechanism.system.twin, mechanism.system.wider
        assert twin is not None
        q, v, _ = (x[0] for x in twin.states(state.q[None], state.v[None], state.v[None]))
        J, none = wide.model.terms(q, v, state.t, wide.theta()).J, np.zeros((1, len(wide.row_names)))
        states = States(wide.coordinates, wide.row_names, q[None], none, None, lambda k: J, True)
        return JointMaps(mechanism, state.q[None], states)

    @cached_property
    def of_joints(self) -> dict[str, tuple[Joint, list[int], Array, Array]]:
        """Each joint, its rows, the wrench (6, k), in the plane (3, k), per multiplier, and the size of its terms."""
        q, J, found = self.states.named(0), self.states.matrices(0), {}
        places = {name: k for k, name in enumerate(self.states.coordinates)}
        for joint in self.mechanism.joints:
            if not isinstance(joint, Joint):
                continue
            picked = rows_of(joint, self.states.names)
            W: Any = 0.0
            sizes: Any = 0.0
            for names, G in wrench_maps(joint.bodies, joint.body2, q, (joint.body2, joint.point2), "space"):
                own = J[np.ix_(picked, [places[name] for name in names])].T
                W, sizes = W + G @ own, sizes + np.abs(G) @ np.abs(own)
            found[joint.name] = joint, picked, np.asarray(W), np.asarray(sizes)
        return found

    def wrenches(self, multipliers: Array) -> dict[str, Array]:
        """Return force and torque (6,), in the plane (3,), of each joint, with specks beside the largest as zeros."""
        found = {name: W @ multipliers[picked] for name, (_, picked, W, _) in self.of_joints.items()}
        terms = [sizes @ np.abs(multipliers[picked]) for _, picked, _, sizes in self.of_joints.values()]
        d = 3 if len(terms[0]) == 6 else 2
        size, length = np.max(terms, axis=0), self.mechanism.tree.length or 1.0
        force = max(float(np.max(size[:d])), float(np.max(size[d:])) / length)
        scale = np.repeat([force, force * length], [d, len(size) - d])
        return {name: np.where(np.abs(x) <= DETERMINED * scale, 0.0, x) for name, x in found.items()}

    def completed(self, system: System, given: Mapping[str, float]) -> Array:
        """Return all multipliers in natural coordinates from those of rows of loops, without load."""
        twin = self.mechanism.system.twin
        assert twin is not None
        shares = {name: np.array([given.get(name, 0.0)]) for name in system.row_names}
        shares = twin.multipliers(self.position, shares)
        own = [float(shares[name][0]) if name in shares else np.nan for name in self.states.names]
        return np.asarray(completed(self.states.matrices(0), 0.0, np.array(own)))


def stresses_of(system: System, maps: JointMaps, state: State, rows: Sequence[int]) -> list[Stress]:
    """Return the stresses without load among some rows of a system, each in as few rows as may be."""
    index, given = list(rows), (state.q, state.v, state.t, system.theta())
    decided = dependence(system.model.terms(*given).J[index], system.model.noise(*given).J[index])
    null, found = vanishing_among(decided)[0], list[Stress]()
    for column in null.T:
        alone = (column == 1.0) & (np.count_nonzero(null, axis=1) == 1)
        c = column * decided.rows
        parts = {system.row_names[index[k]]: float(c[k]) for k in np.flatnonzero(column)}
        pivot = system.row_names[index[int(np.flatnonzero(alone)[0])]]
        multipliers = maps.completed(system, parts)
        found.append(Stress(parts, pivot, multipliers, maps.wrenches(multipliers)))
    return found


# ------------------------------------------------------------------ what is held twice


def dependences_of(mechanism: Mechanism, maps: JointMaps, state: State, stresses: Sequence[Stress]) -> list[HeldTwice]:
    """Return what is held twice, as a sentence with a remedy for each stress."""
    found = []
    for stress in stresses:
        links = [link for link in mechanism.tree.loops if _concerned(link, stress.parts)]
        joint = next((link for link in links if isinstance(link, Joint) and _concerned(link, [stress.pivot])), None)
        joint = joint or next((link for link in links if isinstance(link, Joint)), None)
        rows = tuple(stress.parts)
        if joint is None:
            words = ", ".join(repr(link.name) for link in links) or ", ".join(map(repr, rows))
            found.append(HeldTwice(rows, f"{words} say the same twice", "leave one of them out"))
            continue
        loop, d = _loaded(maps, stress), len(joint.point1)
        wrench = stress.wrenches[joint.name]
        force, torque = wrench[:d], wrench[d:]
        what, remedy = _in_words(mechanism, maps, joint, force, torque, loop)
        count, rest = _counts(mechanism, state, joint)
        remedy = f"{joint.name!r} is {count} rows, of which {rest} count here{remedy}"
        if not rest:
            remedy = f"{joint.name!r} may be left out: all that its {count} rows hold is held by others"
        mine = tuple(row for row in rows if _concerned(joint, [row]))
        found.append(HeldTwice(rows, f"{what}, at {joint.name!r}", remedy, tuple(loop), mine, joint.name))
    return found


def _concerned(link: Any, rows: Any) -> bool:
    """Whether some of the rows are those of a link."""
    starts = [row.name for row in link.constraints()]
    return any(row == start or row.startswith(f"{start}[") for row in rows for start in starts)


def _counts(mechanism: Mechanism, state: State, joint: Joint) -> tuple[int, int]:
    """Return how many rows a joint of a loop has, and by how many they raise the rank of the others."""
    problem = GaussProblem.at(mechanism.system, state)
    names = [problem.rows.names[k] for k in np.flatnonzero(problem.rows.equal)]
    J, mine = problem.rows.J[problem.rows.equal], np.array([_concerned(joint, [name]) for name in names])
    return int(np.sum(mine)), spectrum_of(problem.metric, J).rank - spectrum_of(problem.metric, J[~mine]).rank


def _loaded(maps: JointMaps, stress: Stress) -> list[str]:
    """Return the bodies between whose joints a stress goes round."""
    sizes = {name: float(np.linalg.norm(wrench)) for name, wrench in stress.wrenches.items()}
    largest = max(sizes.values(), default=0.0)
    joints = [maps.of_joints[name][0] for name, size in sizes.items() if size > LOADED * largest]
    return list(dict.fromkeys(body.name for joint in joints for body in joint.bodies if body is not GROUND))


def _in_words(
    mechanism: Mechanism, maps: JointMaps, joint: Joint, force: Array, torque: Array, loop: Sequence[str]
) -> tuple[str, str]:
    """Return what a stress is at a joint, and what ends it."""
    pair = loop[-2:] if len(loop) > 1 else [*loop, GROUND.name]
    names = " and ".join(map(repr, pair))
    if len(force) == 2:
        what = "a force in the plane" if np.any(force) else "a moment"
        return f"{what} between {names}", "; leave one of them out, or give this joint one freedom more"
    normal = _normal(mechanism, maps, loop)
    largest = float(np.linalg.norm(force))
    if largest > LOADED * float(np.linalg.norm(torque)):
        along = force / largest
        ends = f"let it, or another joint of the loop, slide along {shown(along)}"
        if normal is not None and np.linalg.norm(np.cross(along, normal)) < ALONG:
            pin = " (a joint of two points in space is a pin in the plane, 2 rows)" * isinstance(joint, Spherical)
            return f"the force across the plane of {names}", f"{pin}: {ends}"
        balls = [x for x in mechanism.joints if isinstance(x, Spherical) and set(x.bodies) == set(joint.bodies)]
        hinge = " (two balls between the same bodies are a hinge, 5 rows)" * (len(balls) == 2 and joint in balls)
        return f"a force along {shown(along)} between {names}", f"{hinge}: {ends}"
    along = torque / max(float(np.linalg.norm(torque)), 1e-300)
    ends = f": let it turn about {shown(along)} too" + ", as a ball joint does" * isinstance(joint, Revolute)
    if normal is not None and abs(float(along @ normal)) < ALONG:
        return f"a moment about {shown(along)} that bends {names} out of their plane", ends
    return f"a moment about {shown(along)} between {names}", ends


def _normal(mechanism: Mechanism, maps: JointMaps, loop: Sequence[str]) -> Array | None:
    """Return the direction of all hinges of a loop, None where they are not parallel."""
    q = maps.states.named(0)
    axes = [
        np.array(joint.body1.placed(q).direction(joint.axis1), dtype=float)
        for joint in mechanism.joints
        if isinstance(joint, Revolute) and joint.body2.name in loop and joint.body1.name in (*loop, GROUND.name)
    ]
    if not axes or any(np.linalg.norm(np.cross(axis, axes[0])) > ALONG for axis in axes):
        return None
    return axes[0]


# ------------------------------------------------------------------ forces at rest


def forces_of(
    mechanism: Mechanism, system: System, maps: JointMaps, answer: Verdict
) -> tuple[list[JointForce], list[StopForce]]:
    """Return force and torque of each joint at rest, with the ranges of what is not determined, and those of stops."""
    state, states = answer.state, States.of(answer)
    terms = system.model.terms(state.q, state.v, state.t, system.theta())
    touching = list(closed_rows(system, state, terms))
    stresses = stresses_of(system, maps, state, [*system.model.equality, *touching])
    stops = [system.row_names[k] for k in touching]
    signed = _Signed.of(states, stops, [stress.multipliers for stress in stresses])
    found, resting = [], maps.wrenches(states.multipliers[0])
    for joint, *_ in maps.of_joints.values():
        d, value = len(joint.point1), resting[joint.name]
        open_ = np.array([stress.wrenches[joint.name] for stress in stresses]).reshape(-1, len(value))
        names = [f"force {k + 1}" for k in range(d)]
        names += ["torque"] if d == 2 else [f"torque {k + 1}" for k in range(3)]
        axes, about = (_axes(open_[:, :3]), _axes(open_[:, 3:])) if d == 3 else (np.eye(2), np.eye(1))
        value = np.concatenate([value[:d] @ axes, value[d:] @ about])
        open_ = np.hstack([open_[:, :d] @ axes, open_[:, d:] @ about])
        open_[np.abs(open_) <= DETERMINED * np.max(np.abs(open_), axis=1, keepdims=True, initial=0.0)] = 0.0
        low, high = signed.ranges(value, open_.T)
        apart = low < high
        value = np.where(apart, np.nan, value)
        given = {name: (float(a), float(b)) for name, a, b, yes in zip(names, low, high, apart, strict=True) if yes}
        torque = value[d:] if d == 3 else value[d]
        found.append(JointForce(joint.name, joint.body2.name, value[:d], np.asarray(torque), axes, given, about))
    largest = max((float(np.nanmax(np.abs(x.force), initial=0.0)) for x in found), default=0.0)
    speck = ROUNDING * max(largest, _weight(mechanism))
    tidy = [replace(x, force=_without(x.force, speck), torque=_without(x.torque, speck)) for x in found]
    low, high = signed.ranges(signed.start, signed.null)
    return tidy, [
        StopForce(name, float(a), float(b), _unit(mechanism, name)) for name, a, b in zip(stops, low, high, strict=True)
    ]


def _axes(open_: Array) -> Array:
    """Return axes (3, 3), as columns, along which vectors (k, 3) leave as many components open as their rank.

    They are those of space where these do; otherwise the first columns are the directions of the vectors.
    """
    size = np.max(np.abs(open_), initial=0.0)
    _, sizes, rows = np.linalg.svd(open_)
    rank = int(np.sum(sizes > DETERMINED * size))
    if rank == int(np.sum(np.any(np.abs(open_) > DETERMINED * size, axis=0))):
        return np.eye(3)
    axes = np.asarray(rows.T)
    axes *= np.sign(axes[np.argmax(np.abs(axes), axis=0), range(3)])
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return axes


@dataclass(frozen=True)
class _Signed:
    """The forces of stops that touch: start + null·y ≥ 0 for the amounts y of the stresses."""

    start: Array  # (s,)
    null: Array  # (s, d)

    @staticmethod
    def of(states: States, stops: Sequence[str], stresses: Sequence[Array]) -> _Signed:
        """Return those of stops by name."""
        index: Indices = np.array([states.names.index(name) for name in stops], dtype=int)
        null = np.array([stress[index] for stress in stresses]).reshape(len(stresses), len(stops)).T
        return _Signed(np.maximum(states.multipliers[0][index], 0.0), null)

    def ranges(self, start: Array, null: Array) -> tuple[Array, Array]:
        """Return the least and the greatest value (k,) of numbers start + null·y."""
        wide = np.vstack([null, self.null]), np.concatenate([start, self.start])
        size = np.maximum(np.abs(wide[1]), np.max(np.abs(wide[0]), axis=1, initial=0.0))
        size[size == 0.0] = 1.0
        sign = np.concatenate([np.zeros(len(start)), np.ones(len(self.start))])
        low, high, _ = ranges(Bundle(wide[1] / size, wide[0] / size[:, None], sign))
        count = len(start)
        low, high = low[:count] * size[:count], high[:count] * size[:count]
        narrow = high - low <= DETERMINED * size[:count]
        return np.where(narrow, start, low), np.where(narrow, start, high)


def _unit(mechanism: Mechanism, row: str) -> str:
    """Return the unit of the force of a stop."""
    stop = next((stop for stop in mechanism.joints if isinstance(stop, Limit) and row.startswith(stop.name)), None)
    return "N" if stop is not None and stop.motion == "displacement" else "N m"


def _weight(mechanism: Mechanism) -> float:
    """Return the weight (N) of all bodies."""
    assert mechanism.gravity is not None
    return float(np.linalg.norm(mechanism.gravity)) * sum(inertia_of(node.body)[0] for node in mechanism.tree.nodes)


def _without(values: Array, speck: float) -> Array:
    """Return values with zeros for specks; nan stays."""
    return np.where(np.abs(values) <= speck, 0.0, values)
