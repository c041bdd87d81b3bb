"""Meshes in files: read by trimesh and pycollada when they are drawn or touched, not before."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.geometry.meshes import DRAWN, Mesh
from gauss.geometry.outline import Outline
from gauss.robots.extra import extra


@dataclass(frozen=True, eq=False)
class MeshFile:
    """The mesh of a file (STL, OBJ, DAE, …) in axes of a link, with its `scale` in each of its own directions.

    Reading it raises InputError where the file holds no triangles.
    """

    path: Path
    scale: tuple[float, ...] = (1.0, 1.0, 1.0)
    at: tuple[float, ...] = (0.0, 0.0, 0.0)  # m
    axes: Any = None  # (3, 3), its axes as columns
    most: int = DRAWN  # triangles of a drawing

    @cached_property
    def mesh(self) -> Mesh:
        """The mesh in axes of the link."""
        read = _collada if self.path.suffix.lower() == ".dae" else _triangles
        try:
            vertices, faces = read(self.path)
        except InputError:
            raise
        except Exception as error:  # of any of the readers
            raise InputError(f"the mesh {self.path} cannot be read: {type(error).__name__}: {error}.") from None
        if not len(faces):
            raise InputError(f"the mesh {self.path} has no triangles; give `Drawing(robot, shapes=…)` of that body.")
        turn = np.eye(3) if self.axes is None else np.asarray(self.axes)
        return Mesh((vertices * np.array(self.scale)) @ turn.T + np.array(self.at), faces, self.most)

    def outline(self, dimension: int) -> Outline:
        """Return its faces."""
        return self.mesh.outline(dimension)


def _triangles(path: Path) -> tuple[Array, Any]:
    """Return vertices (V, 3) and triangles (F, 3) of a file."""
    trimesh = extra("trimesh", "trimesh", f"the mesh {path.name}")
    read = trimesh.load_scene(str(path), process=False).to_mesh()
    return np.array(read.vertices, dtype=float), np.array(read.faces)


def _collada(path: Path) -> tuple[Array, Any]:
    """Return those of a COLLADA file: its unit counts, its upward direction does not, as programs of ROS have it."""
    collada = extra("collada", "pycollada", f"the mesh {path.name}")
    broken = [collada.common.DaeUnsupportedError, collada.common.DaeBrokenRefError]  # of pictures
    text = re.sub(rb"<bind_material>.*?</bind_material>", b"", path.read_bytes(), flags=re.DOTALL)  # often broken too
    read = collada.Collada(io.BytesIO(text), ignore=broken)
    vertices, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=int)], 0
    for bound in read.scene.objects("geometry"):
        for part in bound.primitives():
            made = part.triangleset() if hasattr(part, "triangleset") else part
            if hasattr(made, "vertex_index") and np.shape(made.vertex_index)[1:] == (3,):
                vertices.append(np.array(made.vertex, dtype=float))
                faces.append(np.array(made.vertex_index) + count)
                count += len(vertices[-1])
    return np.vstack(vertices) * (read.assetInfo.unitmeter or 1.0), np.vstack(faces)
