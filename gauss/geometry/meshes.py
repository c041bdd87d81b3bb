"""Meshes of triangles: solids as other programs have them, made coarse enough for a drawing.

A mesh is made coarse by clustering (J. Rossignac, P. Borrel, *Multi-resolution 3D approximations for rendering complex
scenes*, in *Modeling in Computer Graphics*, Springer 1993, pp. 455–465): vertices in one cell of a grid become one, and
triangles that have lost a side are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, as_array
from gauss.geometry.outline import Outline, in_space

DRAWN = 500  # triangles of a mesh in a drawing
FINEST = 1e-3  # of the size of a mesh, the finest cell
HALVINGS = 10  # of the interval in which the finest admissible grid lies


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface of triangles; where there are more than a drawing bears, it is drawn coarser.

    >>> from gauss import bodies as mb
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> roof = mb.shapes.Mesh(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    >>> len(roof.outline(3).faces)
    4
    """

    vertices: Any  # (V, 3) m, in body axes
    triangles: Any  # (F, 3) indices of vertices
    most: int = DRAWN  # triangles of a drawing

    def __post_init__(self) -> None:
        points, faces = as_array(self.vertices, "the vertices of a mesh"), np.asarray(self.triangles)
        if points.ndim != 2 or points.shape[1] != 3 or not np.all(np.isfinite(points)):
            raise InputError(f"the vertices of a mesh must be (V, 3) finite numbers, got an array {points.shape}.")
        whole = faces.ndim == 2 and faces.shape[1] == 3 and np.issubdtype(faces.dtype, np.integer)
        if not whole or faces.size == 0 or np.min(faces) < 0 or np.max(faces) >= len(points):
            raise InputError(f"the triangles of a mesh must be (F, 3) indices of its {len(points)} vertices.")
        object.__setattr__(self, "vertices", points)
        object.__setattr__(self, "triangles", faces.astype(np.int64))

    @cached_property
    def _drawn(self) -> Array:
        return coarser(self.vertices, self.triangles, self.most)

    def outline(self, dimension: int) -> Outline:
        """Return its faces."""
        in_space(dimension, "a mesh")
        return Outline(tuple(self._drawn), (0,) * len(self._drawn))


def coarser(vertices: Array, triangles: Any, most: int) -> Array:
    """Return the corners (F, 3, 3) of triangles, at most so many of them."""
    if len(triangles) <= most:
        return np.asarray(vertices[triangles])
    low, size = np.min(vertices, axis=0), float(np.max(np.ptp(vertices, axis=0)))
    coarse, fine, found = 1.0, FINEST, np.zeros((0, 3, 3))
    for _ in range(HALVINGS):
        cell = float(np.sqrt(coarse * fine))
        index, count, middle = _clustered(np.floor((vertices - low) / (cell * size)).astype(np.int64), vertices)
        faces = index[triangles]
        kept = np.sort(faces, axis=1)
        whole = (kept[:, 0] != kept[:, 1]) & (kept[:, 1] != kept[:, 2])
        first = np.unique((kept[whole, 0] * count + kept[whole, 1]) * count + kept[whole, 2], return_index=True)[1]
        if len(first) > most:
            fine = cell
        else:
            coarse, found = cell, middle[faces[whole][first]]
    return found


def _clustered(cells: Any, vertices: Array) -> tuple[Any, int, Array]:
    """Return which cell each vertex is in, how many there are, and the mean of the vertices in each (k, 3)."""
    sides = np.max(cells, axis=0) + 1
    index, counts = np.unique((cells[:, 0] * sides[1] + cells[:, 1]) * sides[2] + cells[:, 2], return_inverse=True,
                              return_counts=True)[1:]  # fmt: skip
    middle = np.column_stack([np.bincount(index, column) for column in vertices.T])
    return index, len(counts), np.asarray(middle / counts[:, None])
