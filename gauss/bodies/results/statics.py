"""Drive forces that a motion needs: inverse dynamics, and at rest the statics of a mechanism.

A joint coordinate θ(q) that is driven as prescribed is one more row on the accelerations,

    θ_q a = θ̈ − (d/dt θ_q) v,

and its multiplier is the force (N) or torque (N m) of the drive along θ: it does the virtual work τ δθ. Gauss's
principle with these rows gives the accelerations of what is not driven as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy

from gauss.bodies.joints.joint import Link
from gauss.bodies.joints.spatial_joints import moves
from gauss.bodies.tree.places import TreePlaces, TreeRates
from gauss.contact import ContactProblem, contact_findings
from gauss.dynamics import require_consistent
from gauss.errors import InputError, NonUniqueAccelerationError
from gauss.foundation.arrays import Array, repeated_in, vector
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import ONE, Shown
from gauss.foundation.tolerances import STEP
from gauss.model import System, system_of
from gauss.model.coordinates import Named
from gauss.model.rows import Kind, Rows
from gauss.model.state import State
from gauss.principle import GaussProblem, GaussSolution, solve
from gauss.uniqueness import Reactions, reactions, require_unique
from gauss.uniqueness.ranges import is_point
from gauss.verdict import acting_contacts


@dataclass(frozen=True, repr=False)
class Drives(Shown):
    """What drives a mechanism as prescribed at one state."""

    state: State
    forces: dict[str, Array]  # by joint, of body 1 on body 2 along each of its k coordinates (k,), N or N m
    undetermined: tuple[str, ...]  # drives that others can stand in for; their forces are nan
    solution: GaussSolution  # the certified acceleration and the multipliers of all rows
    reactions: Reactions

    @property
    def a(self) -> Array:
        """The accelerations (n,)."""
        return self.solution.a

    def force(self, joint: Link | str) -> float:
        """Return the force or torque of a joint with one coordinate. Raises InputError."""
        name = joint if isinstance(joint, str) else getattr(joint, "name", repr(joint))
        if name not in self.forces:
            raise InputError(f"{name!r} is not driven; driven are {', '.join(map(repr, self.forces))}.")
        if self.forces[name].size != 1:
            raise InputError(f"{name!r} has {self.forces[name].size} coordinates; forces[{name!r}] has their forces.")
        return float(self.forces[name][0])


@advised
def inverse_dynamics(
    mechanism: Any,
    q: object,
    v: object = None,
    accelerations: Mapping[Any, object] | None = None,
    t: float = 0.0,
    *,
    u: object = None,
) -> Drives:
    """Return the drive forces that give joint coordinates the prescribed second derivatives at the state (q, v, t).

    `accelerations` has one number for each joint, or its name, with one coordinate, a list for several: second
    derivatives of the joint's `value` (rad/s² or m/s²; of a `Spherical` joint those of `rate`). At rest, with zeros,
    the forces are those that hold the mechanism. What is not driven moves by Gauss's principle, and dry friction acts.
    Forces of drives that depend on one another, as of two motors on one shaft, or that share a load with friction at
    rest, are nan and named in ``undetermined``.

    Raises InputError for joints without a `rate` and wrong numbers, InconsistentStateError for a state off the rows,
    ContradictoryRowsError where the joints cannot move as prescribed together, NonUniqueAccelerationError where dry
    friction leaves more than one acceleration, and what `solve` raises.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> arm = mb.PlanarBody("arm", 2.0, inertia=0.1, centre=(0.5, 0.0))
    >>> pin = mb.Pin("pin", mb.GROUND, (0, 0), arm, (0, 0))
    >>> robot = mb.Mechanism("arm", [arm], [pin])
    >>> q, v = robot.state(arm.pose(angle=0.0))
    >>> round(mb.inverse_dynamics(robot, q, v, {pin: 0.0}).force(pin), 9)  # N m to hold it: m g l
    9.81
    >>> round(mb.inverse_dynamics(robot, q, v, {pin: 10.0}).force(pin), 9)  # and (J + ml²) · 10/s² more
    15.81
    """
    system = system_of(mechanism)
    if system.model.seen is not None:
        raise InputError(
            f"forces of {system.name!r} see multipliers, which drives change; inverse dynamics with them is not solved."
        )
    if not isinstance(accelerations, Mapping) or not accelerations:
        raise InputError(f"accelerations must be a dict from joints to numbers, got {accelerations!r}.")
    repeated = repeated_in(str(getattr(joint, "name", joint)) for joint in accelerations)
    if repeated:
        raise InputError(f"accelerations have several joints called {', '.join(map(repr, repeated))}; give each once.")
    accelerations = {_joint_of(system, joint): value for joint, value in accelerations.items()}
    state = system.start(q, v, t)
    require_consistent(system, state)
    problem = GaussProblem.at(system, state, u)
    blocks = [_drive_rows(system, state, joint, value) for joint, value in accelerations.items()]
    names = [name for _, _, labels in blocks for name in labels]
    J, right = np.vstack([block[0] for block in blocks]), np.concatenate([block[1] for block in blocks])
    whole = GaussProblem(problem.M, problem.f, _with_rows(problem.rows, J, right, names), problem.coordinates)
    contacts = acting_contacts(system, state, u)
    friction = None if contacts is None else _with_friction(contacts, J, right, names)
    if friction is None:
        require_unique(whole)
    else:
        whole = replace(whole, f=whole.f + friction.force)
    solution = solve(whole)
    found = reactions(solution)
    forces, undetermined = {}, []
    for joint, (_, _, labels) in zip(accelerations, blocks, strict=True):
        index = [found.rows.index(name) for name in labels]
        known = found.determined[index]
        if friction is not None:
            known = known & np.array([label not in friction.shared for label in labels])
        forces[joint.name] = np.where(known, found.multipliers[index], np.nan)
        undetermined += [label for label, yes in zip(labels, known, strict=True) if not yes]
    return Drives(state, forces, tuple(undetermined), solution, found)


def _joint_of(system: System, joint: Any) -> Any:
    """Return the joint of a mechanism by its name; others as they are. Raises InputError."""
    if not isinstance(joint, str):
        return joint
    joints = {each.name: each for each in getattr(system.source, "joints", ())}
    if joint not in joints:
        known = f"known: {', '.join(joints)}" if joints else "this model knows none by name: give the joint itself"
        raise InputError(f"there is no joint {joint!r}; {known}.")
    return joints[joint]


def _with_rows(rows: Rows, J: Array, right: Array, names: Sequence[str]) -> Rows:
    """Return rows with further ones J a = right behind them."""
    kinds: list[Kind] = ["row"] * len(names)
    return Rows.of(
        np.vstack([rows.J, J]),
        np.concatenate([rows.lower, right]),
        np.concatenate([rows.upper, right]),
        [*rows.names, *names],
        [*rows.kinds, *kinds],
    )


class _Friction(NamedTuple):
    """Dry friction beside drives."""

    force: Array  # (n,)
    shared: set[str]  # rows and drives whose forces it leaves open


def _with_friction(contacts: ContactProblem, J: Array, right: Array, names: Sequence[str]) -> _Friction:
    """Return the friction of contacts while rows J (k, n) are driven. Raises NonUniqueAccelerationError."""
    driven = replace(
        contacts,
        J=np.vstack([contacts.J, J]),
        gamma=np.concatenate([contacts.gamma, right]),
        rows=(*contacts.rows, *names),
    )
    found = contact_findings(driven)
    if found.verdict != ONE:
        raise NonUniqueAccelerationError(f"with these drives dry friction leaves no one acceleration: {found.sentence}")
    if not (len(found.forces) == 1 and found.forces[0].spanned):  # pins at rest share the load with the drives
        assert found.solved is not None
        return _Friction(driven.T.T @ found.solved.solution.tangential[0], set(driven.rows))
    forces = found.forces[0]
    parts = [(driven.J, forces.bilateral), (driven.N, forces.normal), (driven.T, forces.tangential)]
    parts += [(r.rows, moment) for r, (_, moment) in zip(driven.resistances, forces.resistances, strict=True)]
    rows = np.vstack([np.reshape(J, (-1, len(driven.f))) for J, _ in parts])
    ends = np.vstack([np.reshape(pair, (-1, 2)) for _, pair in parts])
    x, open_ = ends[:, 0].copy(), ~np.array([is_point(*pair) for pair in ends])
    if np.any(open_):
        rest = driven.M @ forces.a - driven.f - rows[~open_].T @ x[~open_]
        x[open_] = scipy.optimize.lsq_linear(rows[open_].T, rest, bounds=ends[open_].T).x
    rubbing = slice(len(driven.J) + len(driven.N), None)
    shared = {name for name, (low, high) in zip(forces.rows, forces.bilateral, strict=True) if not is_point(low, high)}
    return _Friction(rows[rubbing].T @ x[rubbing], shared)


def joint_gradient(system: System, joint: Any, q: Array) -> Array:
    """Return the derivatives (k, n) of a joint's coordinates by those of the system: `rate` is linear in v.

    Raises InputError for a joint without a `rate`.
    """
    able = isinstance(joint, Link) and moves(joint)
    if not able:
        raise InputError(
            f"{getattr(joint, 'name', joint)!r} has no coordinate that could be driven; drive a Revolute, Prismatic,"
            " Cylindrical, Universal, PlanarJoint, RevoluteSpherical, Pin or Slider, or a Distance with length=None."
        )
    names = (system if system.twin is None else system.twin.system).coordinates
    used = {name for body in joint.bodies for name in body.coordinates}
    if not used <= set(names):
        raise InputError(f"the joint {joint.name!r} acts on bodies that are not in {system.name!r}.")
    columns = []
    for i, name in enumerate(system.coordinates):
        place, unit = by_name(system, [float(x) for x in q], [float(k == i) for k in range(system.n)])
        asked = system.twin is not None or name in used
        columns.append(np.atleast_1d(np.asarray(joint.rate(place, unit), dtype=float)) if asked else None)
    size = next(column.size for column in columns if column is not None)
    return np.array([np.zeros(size) if column is None else column for column in columns]).T


def by_name(system: System, q: Sequence[Any], v: Sequence[Any]) -> tuple[Any, Any]:
    """Return coordinates and velocities by name, those of bodies too."""
    places, rates = Named(system.coordinates, q), Named(system.coordinates, v)
    if system.twin is None:
        return places, rates
    seen = TreePlaces(system.source.tree, places)
    return seen, TreeRates(seen, rates)


def _drive_rows(system: System, state: State, joint: Any, value: object) -> tuple[Array, Array, list[str]]:
    """Return the rows (k, n) of a driven joint, their right-hand sides (k,) and names."""
    gradient = joint_gradient(system, joint, state.q)
    size = len(gradient)
    wanted = vector(value, size, f"the acceleration of {joint.name!r}")
    moved = [complex(x, STEP * y) for x, y in zip(state.q, state.v, strict=True)]
    turned, rates = by_name(system, moved, [float(x) for x in state.v])
    bias = np.imag(np.atleast_1d(np.asarray(joint.rate(turned, rates), dtype=complex))) / STEP
    labels = [f"{joint.name} drive" if size == 1 else f"{joint.name} drive[{k}]" for k in range(size)]
    return gradient, wanted - bias, labels
