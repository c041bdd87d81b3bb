"""Nonsmooth dynamics of many bodies: contact geometry, Moreau's time stepping, and what it leaves undetermined.

>>> import gauss as g
>>> from gauss.nonsmooth import Disc, HalfPlane, Scene, SceneBody, moreau
>>> heap = Scene("one disc", [SceneBody("disc", Disc(0.1), 1.0, position=(0.0, 0.5))], [HalfPlane()])
>>> run = moreau(heap, step=1e-2, t_end=0.5)
>>> run.ending.kind
'finished'
"""

from gauss.geometry.contact_solids import Ball, Box, Disc, HalfPlane
from gauss.geometry.shapes import Polyline
from gauss.geometry.surfaces import PlaneSurface
from gauss.nonsmooth.drawing import draw_scene
from gauss.nonsmooth.moreau import moreau
from gauss.nonsmooth.ranges import ForceRanges, force_ranges
from gauss.nonsmooth.record import BodyMotion, NonsmoothMotion, Pressing
from gauss.nonsmooth.scene import ContactMaterial, DistanceField, Obstacle, Scene, SceneBody
from gauss.nonsmooth.solving.program import Program as Program
from gauss.nonsmooth.solving.solver import solved as solved

__all__ = [  # for users; what is imported "as" itself is for other rooms and for tests
    "Ball",
    "BodyMotion",
    "Box",
    "ContactMaterial",
    "Disc",
    "DistanceField",
    "ForceRanges",
    "HalfPlane",
    "NonsmoothMotion",
    "Obstacle",
    "PlaneSurface",
    "Polyline",
    "Pressing",
    "Scene",
    "SceneBody",
    "draw_scene",
    "force_ranges",
    "moreau",
]
