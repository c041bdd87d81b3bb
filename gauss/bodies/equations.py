"""Coordinates, energies, rows and forces of a mechanism, as its System takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gauss.bodies.body.body import Body
from gauss.bodies.body.rods_and_particles import Rod
from gauss.bodies.forces.bearing_friction import sees_loads
from gauss.bodies.joints.spatial_joints import Distance
from gauss.bodies.tree.recursion import Recursion
from gauss.bodies.tree.reduced import kinetic_energy, seen, seen_rates, through, unit_rows
from gauss.foundation.arrays import vanishes
from gauss.geometry.vectors import dot


def given_of(mechanism: Any) -> dict[str, Any]:
    """Return what the System of a `Mechanism` is given, by the names of its arguments."""
    if mechanism.coordinates == "joint":
        return _in_joint_coordinates(mechanism)
    rows = [row for part in mechanism.bodies for row in part.constraints]
    rows += [row for joint in mechanism.joints for row in joint.constraints()]
    rotors = _rotors(mechanism)

    def moving(v: Any) -> Any:
        return sum(body.kinetic(v) for body in mechanism.bodies)

    def with_rotors(q: Any, v: Any) -> Any:
        return moving(v) + sum(rotor(q, v) for rotor in rotors)

    return {
        "coordinates": [name for body in mechanism.bodies for name in body.coordinates],
        "kinetic_energy": with_rotors if rotors else moving,
        "potential_energy": lambda q: _potential(mechanism, q),
        "constraints": [*rows, *mechanism.constraints],
        **_generalized(mechanism),
    }


def _in_joint_coordinates(mechanism: Any) -> dict[str, Any]:
    tree, rotors = mechanism.tree, _rotors(mechanism)
    loops = [
        through(tree, row, mechanism.loop_frames.get(joint.name), isinstance(joint, Distance))
        for joint in tree.loops
        for row in joint.constraints()
    ]
    loose = [through(tree, row) for body in tree.loose for row in body.constraints]

    def kinetic(q: Any, v: Any) -> Any:
        bodies = kinetic_energy(tree, q, v)
        return bodies + sum(rotor(seen(tree, q), seen_rates(tree, q, v)) for rotor in rotors)

    def equations(q: Any, v: Any) -> tuple[dict[tuple[int, int], Any], list[Any], Any]:
        """Return the mass matrix, C v and weights by recursion, and the energy of springs."""
        at = {name: k for k, name in enumerate(tree.coordinates)}
        found = Recursion(tree, q, mechanism.armatures or {})
        M = {(at[i], at[j]): x for (i, j), x in found.mass_matrix().items()}
        h = found.inverse_dynamics(v, None, mechanism.weight)
        springs = sum((force.potential(seen(tree, q)) for force in mechanism.forces), 0.0)
        return M, [h[name] for name in at], springs

    return {
        "coordinates": tree.coordinates,
        "kinetic_energy": kinetic,
        "potential_energy": lambda q: _potential(mechanism, seen(tree, q)),
        "constraints": [*unit_rows(tree), *loose, *loops, *(through(tree, row) for row in mechanism.constraints)],
        "equations": None if tree.loose or mechanism.armatures is None else equations,
        **_generalized(mechanism),
    }


def _rotors(mechanism: Any) -> list[Any]:
    """Return kinetic energies (J) of inertia that turns with joints, functions of q and v by name."""
    return [force.kinetic for force in mechanism.forces if hasattr(force, "kinetic")]


def _potential(mechanism: Any, q: Any) -> Any:
    """Return the energy (J) of gravity and springs."""
    gravity: Sequence[float] = mechanism.gravity
    falling = () if all(map(vanishes, gravity)) else mechanism.bodies
    weights = [-_mass(body) * dot(gravity, body.centre_of(q)) for body in falling]
    return sum(weights) + sum(force.potential(q) for force in mechanism.forces)


def _mass(body: Any) -> Any:
    return body.inertia.mass if isinstance(body, (Body, Rod)) else body.mass


def _generalized(mechanism: Any) -> dict[str, Any]:
    """Return the `force` argument of the system, empty where nothing acts but potentials."""
    acting = [x for x in mechanism.forces if not x.conservative]
    if not acting:
        return {}
    tree = mechanism.tree if mechanism.coordinates == "joint" else None

    def force(q: Any, v: Any, t: Any, p: Any, u: Any, **loads: Any) -> dict[str, Any]:
        if tree is not None:
            v, q = seen_rates(tree, q, v), seen(tree, q)
        world = {"q": q, "v": v, "t": t, "p": p, "u": u, **loads}
        total: dict[str, Any] = {}
        for share in (share for x in acting for share in x.generalized(world)):
            for name, value in share.items():
                total[name] = total.get(name, 0.0) + value
        return total if tree is None else q.pulled(total)

    if any(map(sees_loads, acting)):
        return {"force": lambda q, v, t, p, u, load: force(q, v, t, p, u, load=load)}
    return {"force": lambda q, v, t, p, u: force(q, v, t, p, u)}
