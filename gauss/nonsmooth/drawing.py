"""A scene of the plane on a matplotlib Axes: bodies with a mark that shows how they turn, and obstacles."""

from __future__ import annotations

from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, vector
from gauss.geometry.contact_solids import Disc, HalfPlane
from gauss.geometry.placed import at_angle
from gauss.geometry.shapes import Polyline
from gauss.nonsmooth.scene import Scene


def draw_scene(axes: Any, scene: Scene, q: Array, colours: Any = "#9db8d4") -> None:
    """Draw the bodies of a plane scene at the positions q (3b,), in one colour or a list of b, and its obstacles.

    Distance functions are not drawn. Raises InputError for scenes in space and a q or colours of another length.
    """
    from matplotlib.patches import Circle, Polygon

    if scene.spatial:
        raise InputError(f"draw_scene draws plane scenes; {scene.name!r} is in space.")
    count = len(scene.bodies)
    places = vector(q, 3 * count, f"q of {scene.name!r}").reshape(count, 3)
    many = [colours] * count if isinstance(colours, str) else list(colours)
    if len(many) != count:
        raise InputError(f"draw_scene needs one colour or {count}, got {len(many)}.")
    for body, (x, z, angle), colour in zip(scene.bodies, places, many, strict=True):
        if body.shape.bound == 0.0:
            axes.plot([x], [z], "o", color=colour, ms=3)
        elif isinstance(body.shape, Disc):
            r = body.shape.radius
            axes.add_patch(Circle((x, z), r, facecolor=colour, edgecolor="0.25", lw=0.5))
            axes.plot([x, x + r * np.cos(angle)], [z, z + r * np.sin(angle)], color="0.25", lw=0.5)
        else:
            corners = [at_angle((x, z), angle).point(corner) for corner in body.shape.outline(2).faces[0]]
            axes.add_patch(Polygon(corners, facecolor=colour, edgecolor="0.25", lw=0.7))
    shapes = [obstacle.shape for obstacle in scene.obstacles]
    for wall in (shape for shape in shapes if isinstance(shape, Polyline)):
        axes.plot(*np.transpose(wall.points), color="k", lw=1.5)
    for plane in (shape for shape in shapes if isinstance(shape, HalfPlane)):
        normal, point = np.array(plane.normal), np.array(plane.through)
        near = point + (places[:, :2].mean(axis=0) - point) @ (np.eye(2) - np.outer(normal, normal))
        axes.update_datalim([near])
        axes.autoscale_view()
        axes.autoscale(False)  # a line without ends would set the limits
        axes.axline(near, near + np.array([normal[1], -normal[0]]), color="k", lw=1.5)
    axes.set_aspect("equal")
