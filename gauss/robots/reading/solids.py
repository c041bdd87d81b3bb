"""Shapes of links, for drawings and for contacts, from what files call them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from gauss.foundation.arrays import Array
from gauss.geometry import shapes
from gauss.geometry.surfaces import PlaneSurface
from gauss.robots.reading.description import RobotFile
from gauss.robots.reading.meshes import MeshFile
from gauss.robots.reading.packages import Packages

FIELDS = {  # of URDF and SDF, with how many numbers each has
    "box": (("size", 3),),
    "sphere": (("radius", 1),),
    "cylinder": (("radius", 1), ("length", 1)),
    "capsule": (("radius", 1), ("length", 1)),
    "ellipsoid": (("radii", 3),),
}

NOT_FOUND = "these files are not found, for drawing or for contacts: say where by `packages=`, --packages"


def solid(kind: str, sizes: Array, at: Array, turn: Array) -> list[Any]:
    """Return the shapes of a solid with its sizes, in the order of `FIELDS`, at a place with axes (3, 3)."""
    given, place, axis = sizes.tolist(), tuple(at.tolist()), tuple(turn[:, 2].tolist())
    if not np.all(sizes > 0.0):
        return []
    if kind == "box":
        return [shapes.Box(tuple(given), place, turn)]
    if kind == "sphere":
        return [shapes.Ball(given[0], place)]
    if kind == "ellipsoid":
        return [shapes.Ellipsoid(tuple(given), place, turn)]
    return [(shapes.Cylinder if kind == "cylinder" else shapes.Capsule)(given[0], given[1], axis, place)]


def plane(normal: Array, at: Array, turn: Array) -> PlaneSurface:
    """Return a plane with a normal in axes (3, 3) at a place."""
    return PlaneSurface(tuple(at.tolist()), tuple((turn @ normal).tolist()))


def mesh_file(
    said: RobotFile, where: str, link: str, name: str, scale: Array, at: Array, turn: Array, packages: Packages
) -> list[Any]:
    """Return the mesh that a file names, or leave it where it is not found or cannot be read."""
    path = packages.path(name)
    if path is None:
        said.leave(where.rpartition("geometry/")[2], name, NOT_FOUND)
        return []
    for module, needed in (("trimesh", True), ("collada", path.suffix.lower() == ".dae")):
        if needed and find_spec(module) is None:
            text = f"meshes need {module.replace('collada', 'pycollada')}: pip install 'gauss-dynamics[robots]'"
            said.leave(where, link, text)
            return []
    return [MeshFile(path, tuple(scale.tolist()), tuple(at.tolist()), turn)]
