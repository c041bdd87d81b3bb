"""Rigid bodies with the rotation matrix as coordinates, joints and forces: a `Mechanism` makes an ordinary `System`.

from gauss import multibody as mb

plate = mb.Body("plate", mb.box(2.0, (0.4, 0.1, 0.9)))
door = mb.Mechanism("door", [plate], [mb.Revolute("hinge", mb.GROUND, (0, 0, 0), plate, (-0.2, 0, 0))])
q, v = door.state(plate.pose(position=(0.2, 0, 0), velocity=(0, 0.2, 0), angular_velocity=(0, 0, 1)))
"""

from gauss.multibody import shapes
from gauss.multibody.assembly import Assembly, AssemblyMode, Moved, assemble
from gauss.multibody.belts import belt_coefficient, belt_contact
from gauss.multibody.bodies import GROUND, Body, Ground, Placed, Pose
from gauss.multibody.bushings import Bushing
from gauss.multibody.contact_shapes import Ball, Box, Disc, HalfPlane, Hole, Level
from gauss.multibody.drawing import Drawing
from gauss.multibody.drivers import Driver, JointSpring, Motor, Servo
from gauss.multibody.dry_friction import BeltDrive, Brake, PinFriction, RoughSlider
from gauss.multibody.energetics import applied, power, work
from gauss.multibody.forces import PointForce, Spring, Torque, Wrench
from gauss.multibody.guides import PointOnCurve, PointOnSurface
from gauss.multibody.inertia import Inertia, box, cone, cylinder, disc, ellipsoid, point, ring, rod, shell, sphere, tube
from gauss.multibody.joints import (
    Cylindrical,
    Distance,
    PlanarJoint,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    Weld,
)
from gauss.multibody.mechanism import Mechanism
from gauss.multibody.planar_joints import Pin, Slider
from gauss.multibody.posed import Posed
from gauss.multibody.rates import rates_of
from gauss.multibody.reactions import Reaction, reaction
from gauss.multibody.rolling import KnifeEdge, RollingBall, RollingDisc, RollingEllipsoid, RollingTorus
from gauss.multibody.rolling_surface import RollingOnSurface
from gauss.multibody.rotations import about, angular_velocity, euler, nearest, quaternion, rate, rotation
from gauss.multibody.slender import Particle, PlanarBody, Rod
from gauss.multibody.statics import Drives, inverse_dynamics
from gauss.multibody.stress import stress
from gauss.multibody.surfaces import (
    ConicalSurface,
    CylindricalSurface,
    ImplicitSurface,
    PlaneSurface,
    SphericalSurface,
    Surface,
    ToroidalSurface,
)
from gauss.multibody.touching import Touching, contacts
from gauss.multibody.transmissions import Coupling, Gear, RackAndPinion, Screw

__all__ = [
    "GROUND",
    "Assembly",
    "AssemblyMode",
    "Ball",
    "BeltDrive",
    "Body",
    "Box",
    "Brake",
    "Bushing",
    "ConicalSurface",
    "Coupling",
    "Cylindrical",
    "CylindricalSurface",
    "Disc",
    "Distance",
    "Drawing",
    "Driver",
    "Drives",
    "Gear",
    "Ground",
    "HalfPlane",
    "Hole",
    "ImplicitSurface",
    "Inertia",
    "JointSpring",
    "KnifeEdge",
    "Level",
    "Mechanism",
    "Motor",
    "Moved",
    "Particle",
    "Pin",
    "PinFriction",
    "Placed",
    "PlanarBody",
    "PlanarJoint",
    "PlaneSurface",
    "PointForce",
    "PointOnCurve",
    "PointOnSurface",
    "Pose",
    "Posed",
    "Prismatic",
    "RackAndPinion",
    "Reaction",
    "Revolute",
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
    "belt_contact",
    "box",
    "cone",
    "contacts",
    "cylinder",
    "disc",
    "ellipsoid",
    "euler",
    "inverse_dynamics",
    "nearest",
    "point",
    "power",
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
    "stress",
    "tube",
    "work",
]
