"""Nonsmooth dynamics of many bodies: contact geometry, Moreau's time stepping, and what it leaves undetermined.

>>> import gauss as g
>>> from gauss.nonsmooth import Body, Disc, HalfPlane, Scene, moreau
>>> heap = Scene("one disc", [Body("disc", Disc(0.1), 1.0, position=(0.0, 0.5))], [HalfPlane()])
>>> run = moreau(heap, step=1e-2, t_end=0.5)
>>> run.ending.kind
'finished'
"""

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
