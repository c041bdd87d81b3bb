"""Nonsmooth dynamics of many bodies: contact geometry, Moreau's time stepping, and what it leaves undetermined."""

from gauss.nonsmooth.drawing import draw_scene
from gauss.nonsmooth.moreau import moreau
from gauss.nonsmooth.ranges import ForceRanges, force_ranges
from gauss.nonsmooth.record import BodyMotion, NonsmoothMotion, Pressing
from gauss.nonsmooth.scene import Body, Scene, Surface
from gauss.nonsmooth.shapes import Box, Cuboid, Disc, Distance, HalfPlane, Plane, Point, Segment, Sphere

__all__ = [
    "Body",
    "BodyMotion",
    "Box",
    "Cuboid",
    "Disc",
    "Distance",
    "ForceRanges",
    "HalfPlane",
    "NonsmoothMotion",
    "Plane",
    "Point",
    "Pressing",
    "Scene",
    "Segment",
    "Sphere",
    "Surface",
    "draw_scene",
    "force_ranges",
    "moreau",
]
