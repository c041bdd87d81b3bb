"""Rigid bodies with the rotation matrix as coordinates, joints and forces: a `Mechanism` makes an ordinary `System`.

from gauss import multibody as mb

plate = mb.Body("plate", mb.box(2.0, (0.4, 0.1, 0.9)))
door = mb.Mechanism("door", [plate], [mb.Revolute("hinge", mb.GROUND, (0, 0, 0), plate, (-0.2, 0, 0))])
q, v = door.state(plate.pose(position=(0.2, 0, 0), velocity=(0, 0.2, 0), angular_velocity=(0, 0, 1)))
"""

from gauss.multibody.bodies import GROUND, Body, Ground, Placed, Pose
from gauss.multibody.forces import PointForce, Spring, Torque
from gauss.multibody.inertia import Inertia, box, cone, cylinder, disc, ellipsoid, point, ring, rod, shell, sphere, tube
from gauss.multibody.joints import (
    Cylindrical,
    Distance,
    Pin,
    PlanarJoint,
    Prismatic,
    Revolute,
    Slider,
    Spherical,
    Universal,
    Weld,
)
from gauss.multibody.mechanism import Mechanism
from gauss.multibody.rolling import KnifeEdge, RollingBall, RollingDisc
from gauss.multibody.rotations import about, angular_velocity, euler, nearest, quaternion, rate, rotation
from gauss.multibody.slender import Particle, PlanarBody, Rod

__all__ = [
    "GROUND",
    "Body",
    "Cylindrical",
    "Distance",
    "Ground",
    "Inertia",
    "KnifeEdge",
    "Mechanism",
    "Particle",
    "Pin",
    "Placed",
    "PlanarBody",
    "PlanarJoint",
    "PointForce",
    "Pose",
    "Prismatic",
    "Revolute",
    "Rod",
    "RollingBall",
    "RollingDisc",
    "Slider",
    "Spherical",
    "Spring",
    "Torque",
    "Universal",
    "Weld",
    "about",
    "angular_velocity",
    "box",
    "cone",
    "cylinder",
    "disc",
    "ellipsoid",
    "euler",
    "nearest",
    "point",
    "quaternion",
    "rate",
    "ring",
    "rod",
    "rotation",
    "shell",
    "sphere",
    "tube",
]
