"""Units of what bodies and joints bring into a System: their coordinates and the functions of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gauss.bodies.forces.dry_friction import BeltDrive, Brake, PinFriction, RoughSlider
from gauss.bodies.joints.drivers import Driver
from gauss.bodies.joints.planar_joints import Pin, Slider
from gauss.bodies.joints.rolling import Contact, KnifeEdge
from gauss.bodies.joints.spatial_joints import (
    Cylindrical,
    Distance,
    PlanarJoint,
    Prismatic,
    Revolute,
    RevoluteSpherical,
    Spherical,
    Universal,
    Weld,
)
from gauss.bodies.joints.transmissions import Coupling, Gear, RackAndPinion, Screw
from gauss.bodies.touching.touching import Touching
from gauss.model import System
from gauss.model.units import of_rows

PLACE, TURN = ("m",), ("rad",)  # a row that keeps a length, and one that keeps two directions square: a small angle
ROWS: dict[type, tuple[str, ...]] = {
    Spherical: 3 * PLACE,
    Revolute: 3 * PLACE + 2 * TURN,
    Cylindrical: 2 * PLACE + 2 * TURN,
    Universal: 3 * PLACE + TURN,
    PlanarJoint: PLACE + 2 * TURN,
    Weld: 3 * PLACE + 3 * TURN,
    Prismatic: 2 * PLACE + 3 * TURN,
    Pin: 2 * PLACE,
    RoughSlider: 2 * PLACE,
    Slider: PLACE + TURN,
    Distance: ("m²",),
    RevoluteSpherical: ("m", "m²"),
}
RATES = {"angle": "rad/s", "displacement": "m/s"}


def units_of(system: System, bodies: Sequence[Any], joints: Sequence[Any]) -> dict[str, str]:
    """Return the units of the coordinates and rows of a mechanism's system; those of guides are not known."""
    found: dict[str, str] = {}
    for body in bodies:
        size = body.dimension
        found |= {name: "m" if k < size else "1" for k, name in enumerate(body.coordinates)}
        found[f"{body.name} rigid"] = "1"
    for joint in joints:
        found |= dict(_of_joint(joint))
    rows = of_rows(found, system.row_names)
    return {name: rows[name] for name in (*system.coordinates, *system.row_names) if name in rows}


def _of_joint(joint: Any) -> Iterator[tuple[str, str]]:
    """Yield the names of constraints or of their rows with the units of their functions."""
    name = joint.name
    units = next((units for kind, units in ROWS.items() if isinstance(joint, kind)), ())
    units = () if isinstance(joint, Distance) and joint.length is None else units
    rows = [name] if len(units) == 1 else [f"{name}[{k}]" for k in range(len(units))]
    for row, unit in zip(rows, units, strict=True):
        yield from ((row, unit), (f"slip of {row}", "m/s"))
    if isinstance(joint, Contact):
        yield from ((f"{name} touches", "m"), (f"{name} rolls", "m/s"))
    elif isinstance(joint, KnifeEdge | BeltDrive):
        yield name, "m/s"
    elif isinstance(joint, PinFriction):
        yield name, RATES["angle"]
    elif isinstance(joint, Brake):
        yield name, RATES[joint.motion or "angle"]
    elif isinstance(joint, Driver):
        yield name, "rad" if joint.motion == "angle" else "m"
    elif isinstance(joint, Gear | RackAndPinion | Screw | Coupling):
        motions = {motion for _, _, motion in joint.terms}
        if len(motions) == 1:
            yield name, RATES[motions.pop()]
    elif isinstance(joint, Touching):
        yield name, "m"
        for row in joint.rows:
            yield from ((f"slip of {row}", "m/s"), (f"rolling of {row}", "rad/s"), (f"spinning of {row}", "rad/s"))
