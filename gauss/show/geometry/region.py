"""What a figure of Stäckel's geometry shows: the region cut to a window, points, perpendiculars and right angles."""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array
from gauss.uniqueness.geometry import Geometry, QuadraticCondition

INK = {"O": "black", "T": "C2", "A": "C3"}
MEANING = {"O": "O, free acceleration", "T": "T, foot on the flat", "A": "A, nearest"}


class Picture:
    """What is drawn, in coordinates z: points, the window about them, the parts of the region inside it."""

    def __init__(self, geometry: Geometry):
        self.geometry = geometry
        self.region = geometry.region
        self.n = len(geometry.coordinates)
        self.points = {"O": geometry.z(geometry.origin), "T": geometry.z(geometry.foot)}
        self.nearest = geometry.z(geometry.nearest)
        self.every = np.vstack([*self.points.values(), self.nearest])  # (p, n)
        if self.n == 3:
            self.every = np.vstack([self.every, *(vertex_of(q)[None] for q in self.region.quadrics)])
        low, high = self.every.min(axis=0), self.every.max(axis=0)
        self.centre = (low + high) / 2.0
        self.half = 0.85 * float(np.max(high - low))
        if self.half <= 1e-9 * self.size:
            self.half = 1.2 * self.size
        _, _, V = np.linalg.svd(self.region.E, full_matrices=True)
        self.directions = V[len(self.region.E) :]  # (N, n) orthonormal, along the flat

    @property
    def size(self) -> float:
        """A length for a window about a single point: how far the bounds are, else the free acceleration's."""
        bounds = np.abs([x for x in (*self.region.low, *self.region.high) if np.isfinite(x) and x != 0.0])
        free = float(np.linalg.norm(self.geometry.L.T @ self.geometry.origin))
        return float(np.min(bounds)) if len(bounds) else free or 1.0

    @property
    def bounds(self) -> list[tuple[Array, float, str]]:
        """Half-spaces normal·z ≥ bound of the inequality rows, with their names."""
        r = self.region
        lower = [(normal, low, name) for normal, low, name in zip(r.G, r.low, r.names, strict=True) if np.isfinite(low)]
        upper = [
            (-normal, -high, name) for normal, high, name in zip(r.G, r.high, r.names, strict=True) if np.isfinite(high)
        ]
        return [(normal, bound, name) for normal, bound, name in lower + upper if np.any(normal != 0.0)]

    def admissible(self, polygon: Array, but: int = -1) -> Array:
        """Return the part of a polygon or segment (p, n) that all bounds admit, but for one of them."""
        for k, (normal, bound, _) in enumerate(self.bounds):
            if k != but and len(polygon):
                polygon = clip(polygon, normal, bound)
        return polygon

    def window(self, polygon: Array) -> Array:
        """Return the part of a polygon or segment inside the window."""
        for e in np.eye(self.n):
            for sign in (1.0, -1.0):
                if len(polygon):
                    polygon = clip(polygon, sign * e, float(sign * (e @ self.centre)) - self.half)
        return polygon

    def patch(self, through: Array, directions: Array) -> Array:
        """Return a square or segment (4 or 2, n) about a point, along one or two orthonormal directions."""
        far = 4.0 * self.half * np.sqrt(self.n)
        if len(directions) == 1:
            return np.array([through - far * directions[0], through + far * directions[0]])
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        return np.asarray(through + far * corners @ directions)

    @property
    def paths(self) -> list[tuple[Array, Array]]:
        """The straight lines O–T, T–A and O–A, without those of length zero."""
        O, T = self.points["O"], self.points["T"]
        pairs = [(O, T), *((T, A) for A in self.nearest), *((O, A) for A in self.nearest)]
        lengths = [np.linalg.norm(b - a) for a, b in pairs]
        kept: list[tuple[Array, Array]] = []
        for pair, length in zip(pairs, lengths, strict=True):
            known = any(np.allclose(pair[0], p[0]) and np.allclose(pair[1], p[1]) for p in kept)
            if length > 1e-9 * self.half and not known:
                kept.append(pair)
        return kept

    @property
    def shown(self) -> list[tuple[str, Array]]:
        """Names and places (p, n) of the points that are drawn; T is left out where it is O."""
        found = [("O", self.points["O"][None])]
        if self.geometry.to_foot > 1e-9 * self.half:
            found.append(("T", self.points["T"][None]))
        return [*found, ("A", self.nearest)] if self.geometry.case == "A" else found

    @property
    def labels(self) -> list[tuple[Array, str, str]]:
        """Anchors, texts and colours of the points; points that coincide share a label."""
        named = [("O", self.points["O"]), ("T", self.points["T"]), *(("A", A) for A in self.nearest)]
        found: list[tuple[Array, str, str]] = []
        for name, z in named:
            if name == "A" and self.geometry.case != "A":
                continue
            near = [k for k, (other, _, _) in enumerate(found) if np.linalg.norm(z - other) <= 1e-9 * self.half]
            if near:
                anchor, text, colour = found[near[0]]
                found[near[0]] = (anchor, text.replace(", ", f" = {name}, ", 1), colour)
            else:
                found.append((z, MEANING[name] if name != "T" or self.directions.size else "T", INK[name]))
        return found

    @property
    def marks(self) -> list[Array]:
        """Right angles (3, n): at T between O and the flat, and at A between O or T and the face on which A lies."""
        O, T, G = self.points["O"], self.points["T"], self.region.G
        found = []
        beside = self.nearest[0] - T
        along = beside if np.linalg.norm(beside) > 1e-9 * self.half else self.directions[:1].sum(axis=0)
        if len(self.directions) and np.any(along != 0.0):
            found.append((T, O - T, along))
        if self.geometry.case == "A" and self.geometry.face > 0 and not self.region.quadrics:
            on = [G[self.region.names.index(name)] for name in self.geometry.active]
            _, sigma, V = np.linalg.svd(np.vstack([self.region.E, *(row[None] for row in on)]), full_matrices=True)
            free = V[int(np.sum(sigma > 1e-9)) :]
            found += [(A, O - A, free[0]) for A in self.nearest if len(free)]
        side = 0.07 * self.half
        corners = []
        for foot, up, aside in found:
            if np.linalg.norm(up) > 2.0 * side:
                u, v = (side * x / np.linalg.norm(x) for x in (up, aside))
                corners.append(np.array([foot + u, foot + u + v, foot + v]))
        return corners


def vertex_of(q: QuadraticCondition) -> Array:
    """Return the centre (n,) of a quadric, the apex of a cone."""
    return np.asarray(np.linalg.lstsq(q.S, -np.asarray(q.g), rcond=None)[0], dtype=float)


def clip(polygon: Array, normal: Array, bound: float) -> Array:
    """Return the part of a convex polygon or segment (p, n) with normal·z ≥ bound (Sutherland and Hodgman, 1974)."""
    heights = polygon @ normal - bound
    slack = 1e-12 * float(np.max(np.abs(polygon), initial=0.0))
    heights = np.where(np.abs(heights) <= slack, 0.0, heights)
    kept: list[Array] = []
    last = len(polygon) if len(polygon) > 2 else len(polygon) - 1
    for k in range(len(polygon)):
        if heights[k] >= 0.0:
            kept.append(polygon[k])
        nearby = (k + 1) % len(polygon)
        if k < last and heights[k] * heights[nearby] < 0.0:
            share = heights[k] / (heights[k] - heights[nearby])
            kept.append(polygon[k] + share * (polygon[nearby] - polygon[k]))
    return np.array(kept).reshape(-1, polygon.shape[1])
