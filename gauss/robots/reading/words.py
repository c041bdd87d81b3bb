"""What of SDFormat is understood, and what the absence of the rest means."""

from __future__ import annotations

from typing import Any

from gauss.robots.reading.description import UNBOUNDED, Closure, Kind

KINDS: dict[str, tuple[Kind, ...]] = {  # the moves from parent to child
    "fixed": ("fixed",), "revolute": ("hinge",), "continuous": ("hinge",), "prismatic": ("slide",), "ball": ("ball",),
    "universal": ("hinge", "hinge"), "revolute2": ("hinge", "hinge"), "screw": ("hinge", "slide"),
}  # fmt: skip
CLOSURES: dict[str, Closure] = {
    "fixed": "weld", "revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "ball": "point",
    "universal": "cross",
}  # fmt: skip
POSE: dict[str, Any] = {f"@{word}": {} for word in ("relative_to", "frame", "rotation_format", "degrees")}
TEXT: dict[str, Any] = {}
AXIS: dict[str, Any] = {
    "xyz": {"@expressed_in": {}}, "use_parent_model_frame": TEXT, "initial_position": TEXT,
    "limit": {"lower": TEXT, "upper": TEXT},
    "dynamics": dict.fromkeys(("damping", "friction", "spring_reference", "spring_stiffness"), TEXT),
    "mimic": {"@joint": {}, "@axis": {}, "multiplier": TEXT, "offset": TEXT, "reference": TEXT},
}  # fmt: skip
GEOMETRY: dict[str, Any] = {
    "empty": TEXT, "box": {"size": TEXT}, "sphere": {"radius": TEXT}, "cylinder": {"radius": TEXT, "length": TEXT},
    "capsule": {"radius": TEXT, "length": TEXT}, "ellipsoid": {"radii": TEXT}, "mesh": {"uri": TEXT, "scale": TEXT},
    "plane": {"normal": TEXT, "size": TEXT},
}  # fmt: skip
MODEL: dict[str, Any] = {
    "@name": {}, "@canonical_link": {}, "pose": POSE, "static": TEXT,
    "frame": {"@name": {}, "@attached_to": {}, "pose": POSE},
    "link": {
        "@name": {}, "pose": POSE,
        "inertial": {"@auto": {}, "pose": POSE, "mass": TEXT,
                     "inertia": {f"i{a}": TEXT for a in ("xx", "yy", "zz", "xy", "xz", "yz")}},
        "visual": {"@name": {}, "pose": POSE, "geometry": GEOMETRY},
        "collision": {"@name": {}, "pose": POSE, "geometry": GEOMETRY},
    },
    "joint": {"@name": {}, "@type": {}, "pose": POSE, "parent": TEXT, "child": TEXT, "axis": AXIS, "axis2": AXIS,
              **dict.fromkeys(("gearbox_ratio", "gearbox_reference_body", "thread_pitch", "screw_thread_pitch"), TEXT)},
}  # fmt: skip
MODEL["model"] = MODEL
READ: dict[str, Any] = {
    "@version": {}, "model": MODEL, "world": {"@name": {}, "gravity": TEXT, "model": MODEL},
}  # fmt: skip
TAILS = {  # by the end of the path, as models are inside one another
    "plugin": "it speaks to Gazebo alone",
    "include": "what it names is left out: let `gz sdf -p` write the file with all in it",
    "self_collide": "bodies do not touch of themselves: see `collisions` of the robot",
    "collision/surface": "friction is said where a contact is made",
    "collision/max_contacts": "it concerns Gazebo's contacts alone",
    "collision/laser_retro": "nothing is measured by it",
    "visual/material": "colours are not drawn",
    "visual/cast_shadows": "it is not drawn",
    "visual/transparency": "it is not drawn",
    "link/gravity": "all links have weight",
    "link/kinematic": "it moves by forces",
    "link/velocity_decay": "there is no air here",
    "link/sensor": "nothing is measured by it",
    "link/light": "it is not drawn",
    "joint/physics": "they are settings of Gazebo's engines",
    "joint/sensor": "nothing is measured by it",
    "limit/effort": UNBOUNDED,
    "limit/velocity": "speeds are not bounded",
    "limit/stiffness": "stops do not give way",
    "limit/dissipation": "stops do not give way",
    "model/allow_auto_disable": "it is a setting of Gazebo's engines",
    "model/enable_wind": "there is no wind here",
    "world/physics": "they are settings of Gazebo's engines",
    "world/light": "it is not drawn",
    "world/scene": "it concerns Gazebo's pictures alone",
    "world/wind": "there is no wind here",
    "world/magnetic_field": "nothing is measured by it",
    "world/atmosphere": "there is no air here",
}


class Meanings(dict[str, str]):
    """What elements mean, by the ends of their paths."""

    def get(self, where: str, otherwise: Any = None) -> Any:
        """Return the meaning of a path."""
        return next((text for tail, text in TAILS.items() if f"/{where}".endswith(f"/{tail}")), otherwise)
