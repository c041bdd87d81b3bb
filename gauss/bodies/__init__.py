"""Rigid bodies with the rotation matrix as coordinates, joints and forces: a `Mechanism` makes an ordinary `System`.

>>> from gauss import bodies as mb
>>> plate = mb.Body("plate", mb.box(2.0, (0.4, 0.1, 0.9)))
>>> door = mb.Mechanism("door", [plate], [mb.Revolute("hinge", mb.GROUND, (0, 0, 0), plate, (-0.2, 0, 0))])
>>> q, v = door.state(plate.pose(position=(0.2, 0, 0), velocity=(0, 0.2, 0), angular_velocity=(0, 0, 1)))
>>> len(q)
12
"""

from gauss.bodies.assembly.assembly import Assembly, AssemblyMode, Moved, assemble
from gauss.bodies.automatic import drawing_of
from gauss.bodies.body.body import GROUND, Body, Carried, Ground, Pose
from gauss.bodies.body.rods_and_particles import Particle, PlanarBody, Rod
from gauss.bodies.drawing import Drawing
from gauss.bodies.families import parametric
from gauss.bodies.forces.bearing_friction import BearingFriction
from gauss.bodies.forces.belts import belt_coefficient, belt_friction
from gauss.bodies.forces.bushings import Bushing
from gauss.bodies.forces.dry_friction import BeltDrive, Brake, PinFriction, RoughSlider
from gauss.bodies.forces.forces import PointForce, Spring, Torque, Wrench
from gauss.bodies.joints.drivers import Armature, Driver, JointSpring, Limit, Motor, Servo
from gauss.bodies.joints.guides import PointOnCurve, PointOnSurface
from gauss.bodies.joints.planar_joints import Pin, Slider
from gauss.bodies.joints.rates import rates_of
from gauss.bodies.joints.rolling import KnifeEdge, RollingBall, RollingDisc, RollingEllipsoid, RollingTorus
from gauss.bodies.joints.rolling_surface import RollingOnSurface
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
from gauss.bodies.joints.transmissions import Coupling, Follower, Gear, RackAndPinion, Screw
from gauss.bodies.mechanism import Mechanism
from gauss.bodies.results.energetics import applied, power, work
from gauss.bodies.results.numbers import Numbers
from gauss.bodies.results.plant import Plant
from gauss.bodies.results.reactions import Reaction, reaction
from gauss.bodies.results.stance import Stance, push_on, stance
from gauss.bodies.results.statics import Drives, inverse_dynamics
from gauss.bodies.results.stress import stress
from gauss.bodies.touching.contact_points import ContactPoint, contacts_at
from gauss.bodies.touching.contact_shapes import Level
from gauss.bodies.touching.posed import Posed
from gauss.bodies.touching.touching import Touching
from gauss.foundation.calls import advised
from gauss.geometry import shapes
from gauss.geometry.contact_solids import Ball, Box, Disc, HalfPlane, Hole
from gauss.geometry.inertia import (
    Inertia,
    box,
    cone,
    cylinder,
    disc,
    ellipsoid,
    point,
    ring,
    rod,
    shell,
    sphere,
    tube,
)
from gauss.geometry.placed import Placed
from gauss.geometry.rotations import about, angular_velocity, euler, nearest, quaternion, rate, rotation
from gauss.geometry.surfaces import (
    ConicalSurface,
    CylindricalSurface,
    ImplicitSurface,
    PlaneSurface,
    SphericalSurface,
    Surface,
    ToroidalSurface,
)

__all__ = [
    "GROUND",
    "Armature",
    "Assembly",
    "AssemblyMode",
    "Ball",
    "BearingFriction",
    "BeltDrive",
    "Body",
    "Box",
    "Brake",
    "Bushing",
    "Carried",
    "ConicalSurface",
    "ContactPoint",
    "Coupling",
    "Cylindrical",
    "CylindricalSurface",
    "Disc",
    "Distance",
    "Drawing",
    "Driver",
    "Drives",
    "Follower",
    "Gear",
    "Ground",
    "HalfPlane",
    "Hole",
    "ImplicitSurface",
    "Inertia",
    "JointSpring",
    "KnifeEdge",
    "Level",
    "Limit",
    "Mechanism",
    "Motor",
    "Moved",
    "Numbers",
    "Particle",
    "Pin",
    "PinFriction",
    "Placed",
    "PlanarBody",
    "PlanarJoint",
    "PlaneSurface",
    "Plant",
    "PointForce",
    "PointOnCurve",
    "PointOnSurface",
    "Pose",
    "Posed",
    "Prismatic",
    "RackAndPinion",
    "Reaction",
    "Revolute",
    "RevoluteSpherical",
    "Rod",
    "RollingBall",
    "RollingDisc",
    "RollingEllipsoid",
    "RollingOnSurface",
    "RollingTorus",
    "RoughSlider",
    "Screw",
    "Servo",
    "Slider",
    "Spherical",
    "SphericalSurface",
    "Spring",
    "Stance",
    "Surface",
    "ToroidalSurface",
    "Torque",
    "Touching",
    "Universal",
    "Weld",
    "Wrench",
    "about",
    "angular_velocity",
    "applied",
    "assemble",
    "belt_coefficient",
    "belt_friction",
    "box",
    "cone",
    "contacts_at",
    "cylinder",
    "disc",
    "drawing_of",
    "ellipsoid",
    "euler",
    "inverse_dynamics",
    "nearest",
    "parametric",
    "point",
    "power",
    "push_on",
    "quaternion",
    "rate",
    "rates_of",
    "reaction",
    "ring",
    "rod",
    "rotation",
    "shapes",
    "shell",
    "sphere",
    "stance",
    "stress",
    "tube",
    "work",
]

for _each in __all__:
    if isinstance(globals()[_each], type):
        advised(globals()[_each])
