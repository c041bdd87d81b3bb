"""A Scene as arrays: masses, poses, motion of poses, and which shapes may touch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
import scipy.sparse as sp

from gauss.errors import SolverError
from gauss.foundation.arrays import Array, Flags, Indices
from gauss.geometry.contact_solids import Box, HalfPlane
from gauss.geometry.shapes import Polyline
from gauss.geometry.surfaces import PlaneSurface
from gauss.nonsmooth import touches as tc
from gauss.nonsmooth.contacts import Contacts, assembled
from gauss.nonsmooth.rotations import matrices, turn
from gauss.nonsmooth.scene import DistanceField, Obstacle, Scene
from gauss.nonsmooth.solving.blocks import with_data
from gauss.nonsmooth.step import StepResult
from gauss.nonsmooth.touches import Touches


@dataclass(frozen=True)
class SceneFrozen:
    """Masses of a scene, and the velocity without contacts (or no displacement at all)."""

    free: Array  # (nv,)
    mass: Array  # (nv,)
    inverse: Array  # (nv,)
    width: int  # velocities of one body

    @property
    def shift(self) -> Array:
        """What bilateral rows ask for: nothing, as there are none."""
        return np.zeros_like(self.free)

    def spread(self, rows: Any) -> Any:
        """Return M⁻¹ rowsᵀ for sparse rows (m, nv)."""
        data = rows.data * self.inverse.take(rows.indices)
        return sp.csc_matrix((data, rows.indices, rows.indptr), shape=rows.shape[::-1]).tocsr()

    def whitened(self, rows: Any) -> tuple[Any, int]:
        """Return H M^(−1/2) for sparse rows H, with all their entries, and the number of columns of each body."""
        return with_data(rows.copy(), rows.data * np.sqrt(self.inverse)[rows.indices]), self.width

    def kinetic(self, v: Array) -> float:
        """Return ½ v·M v (J)."""
        return 0.5 * float(v @ (self.mass * v))


@dataclass(frozen=True)
class _Near:
    """All pairs of bodies that are closer than a distance."""

    place: Array  # (b, d) m
    distance: float  # m
    pairs: Indices  # (k, 2) ascending


@dataclass(frozen=True)
class SceneWorld:
    """The motion of a Scene's b bodies: nq = 3b and nv = 3b numbers in the plane, 7b and 6b in space."""

    scene: Scene

    @cached_property
    def count(self) -> int:
        """Number of bodies."""
        return len(self.scene.bodies)

    @cached_property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return 3 if self.scene.spatial else 2

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the bodies, then of the obstacles."""
        obstacles = [f"{o.kind} {k}" for k, o in enumerate(self.scene.obstacles)]
        return (*(b.name for b in self.scene.bodies), *obstacles)

    @cached_property
    def inverse_mass(self) -> Array:
        """Diagonal (nv,) of M⁻¹; zero for fixed bodies."""
        d = self.dimension
        parts = [np.concatenate([np.full(d, b.mass), b.inertia]) for b in self.scene.bodies]
        return np.asarray((self.moving[:, None] / np.array(parts)).ravel())

    @cached_property
    def mass(self) -> Array:
        """Diagonal (nv,) of M; zero for fixed bodies, whose velocity is zero."""
        w = self.inverse_mass
        return np.asarray(np.where(w > 0.0, 1.0 / np.where(w > 0.0, w, 1.0), 0.0))

    @cached_property
    def moving(self) -> Flags:
        """Which bodies (b,) move."""
        return np.array([not b.fixed for b in self.scene.bodies])

    @cached_property
    def bound(self) -> Array:
        """Radii (b,) of the circles or spheres about the bodies (m)."""
        return np.array([b.shape.bound for b in self.scene.bodies])

    @cached_property
    def size(self) -> Array:
        """Size (b,) that penetration is measured by: the radius of the bound, the mean one for points (m)."""
        finite = self.bound[self.bound > 0.0]
        return np.where(self.bound > 0.0, self.bound, np.mean(finite) if finite.size else 1.0)

    @cached_property
    def _round(self) -> Flags:
        return np.array([not isinstance(b.shape, Box) for b in self.scene.bodies])

    @cached_property
    def _movers(self) -> tuple[Indices, Indices]:
        """The bodies that move: discs or balls, and boxes."""
        return np.flatnonzero(self._round & self.moving), np.flatnonzero(~self._round & self.moving)

    @cached_property
    def _half(self) -> Array:
        """Half lengths (b, d) of boxes; zero for others."""
        half = np.zeros((self.count, self.dimension))
        for k, b in enumerate(self.scene.bodies):
            if isinstance(b.shape, Box):
                half[k] = np.array(b.shape.sides) / 2
        return half

    @cached_property
    def _given(self) -> Array:
        """Constant loads (nv,) of the bodies that move."""
        return (np.array([b.load for b in self.scene.bodies]) * self.moving[:, None]).ravel()

    @cached_property
    def _load(self) -> Array:
        """Gravity and constant loads (nv,)."""
        f = self._given.reshape(self.count, -1).copy()
        mass = np.array([b.mass for b in self.scene.bodies]) * self.moving
        f[:, : self.dimension] += mass[:, None] * self.scene.gravity
        return f.ravel()

    def start(self) -> tuple[Array, Array]:
        """Return q (nq,) and v (nv,) of the start."""
        rows = []
        for b in self.scene.bodies:
            angle = (
                turn(np.array([1.0, 0.0, 0.0, 0.0])[None], np.asarray(b.angle)[None])[0]
                if self.scene.spatial
                else b.angle
            )
            rows.append(np.concatenate([b.position, angle]))
        return np.concatenate(rows), np.concatenate([np.concatenate([b.velocity, b.spin]) for b in self.scene.bodies])

    def advance(self, q: Array, displacement: Array) -> Array:
        """Return the positions after a displacement (nv,) = velocities times time; quaternions stay of unit length."""
        if not self.scene.spatial:
            return q + displacement
        pose, d = q.reshape(-1, 7), displacement.reshape(-1, 6)
        return np.hstack([pose[:, :3] + d[:, :3], turn(pose[:, 3:], d[:, 3:])]).ravel()

    def turned(self, q: Array, v: Array, h: float) -> Array:
        """Return v with the angular velocities after h without moments: I ω̇ = (I ω) × ω, by Cayley's formula.

        (I − h S/2) ω⁺ = (I + h S/2) ω with S ω = (I ω⁻) × ω; it keeps ½ ω·I ω, and a ball's ω, exactly.
        """
        if not self.scene.spatial:
            return v
        out = v.reshape(-1, 6).copy()
        inertia = self.mass.reshape(-1, 6)[:, 3:]
        L = inertia * out[:, 3:]
        S = np.zeros((len(L), 3, 3))
        S[:, 0, 1], S[:, 0, 2], S[:, 1, 2] = -L[:, 2], L[:, 1], -L[:, 0]
        S = S - np.swapaxes(S, 1, 2)
        moved = self.moving & (np.ptp(inertia, axis=1) > 0.0)
        I = np.einsum("ki,ij->kij", inertia[moved], np.eye(3))
        right = np.einsum("kij,kj->ki", I + h / 2 * S[moved], out[moved, 3:])
        out[moved, 3:] = np.linalg.solve(I - h / 2 * S[moved], right[:, :, None])[:, :, 0]
        return out.ravel()

    def frozen(self, q: Array, v: Array, t: float, h: float) -> SceneFrozen:
        """Return the mechanics of a step of length h from v."""
        return SceneFrozen(
            v + h * self.inverse_mass * self._load, self.mass, self.inverse_mass, len(self.mass) // self.count
        )

    def metric(self, q: Array, t: float) -> SceneFrozen:
        """Return the metric at a position."""
        return SceneFrozen(np.zeros_like(self.mass), self.mass, self.inverse_mass, len(self.mass) // self.count)

    def energies(self, q: Array, v: Array, t: float) -> tuple[float, float]:
        """Return the kinetic energy and that of gravity (J)."""
        place = q.reshape(self.count, -1)[self.moving, : self.dimension]
        mass = self.mass.reshape(self.count, -1)[self.moving, 0]
        return 0.5 * float(v @ (self.mass * v)), -float(mass @ (place @ self.scene.gravity))

    def work(self, displacement: Array) -> float:
        """Return the work of the constant loads (J) along a displacement (nv,)."""
        return float(self._given @ displacement)

    def held(self, q: Array, v: Array, t: float, h: float, taken: StepResult) -> Array:
        """Return nothing: a Scene has no bilateral rows."""
        return np.zeros(0)

    @cached_property
    def _coefficients(self) -> tuple[Array, Array]:
        """Tables μ, e (materials, materials), of the materials `_material` counts."""
        names, s = self._materials, self.scene
        mu = np.full((len(names), len(names)), s.surface.friction)
        e = np.full_like(mu, s.surface.restitution)
        for (one, two), surface in s.surfaces.items():
            i, j = names.index(one), names.index(two)
            mu[i, j] = mu[j, i] = surface.friction
            e[i, j] = e[j, i] = surface.restitution
        return mu, e

    @cached_property
    def _materials(self) -> list[str]:
        return sorted({b.material for b in self.scene.bodies} | {o.material for o in self.scene.obstacles})

    @cached_property
    def _material(self) -> Indices:
        """Material (b + o,) of bodies and obstacles."""
        items = (*self.scene.bodies, *self.scene.obstacles)
        return np.array([self._materials.index(item.material) for item in items], dtype=int)

    def reach(self, v: Array, h: float) -> Array:
        """Return how far (b,) the bodies may come within two steps (m)."""
        speed = np.abs(v.reshape(self.count, -1))
        d = self.dimension
        turning = tc.lengths(speed[:, d:]) * self.bound
        return np.asarray(2.0 * h * (tc.lengths(speed[:, :d]) + turning) + 2.0 * h * h * self._fall)

    @cached_property
    def _fall(self) -> Array:
        """Acceleration (b,) of the bodies by gravity and constant loads (m/s²)."""
        return tc.lengths((self.inverse_mass * self._load).reshape(self.count, -1)[:, : self.dimension])

    def contacts(self, q: Array, v: Array, t: float, reach: Array) -> Contacts:
        """Return the contacts whose gap is below the sum of `reach` (b,) of both bodies. Raises SolverError."""
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(q @ q + reach @ reach):
                raise SolverError(f"positions or velocities of {self.scene.name!r} are too large to compute with.")
        pose = q.reshape(self.count, -1)
        rotation = matrices(pose[:, 3:]) if self.scene.spatial else None
        found: list[tuple[Indices, Indices, Touches]] = []
        pairs = self._near(pose[:, : self.dimension], reach)
        if len(pairs):
            found += self._body_pairs(pose, pairs)
        found += self._beside_walls(pose)
        for k, obstacle in enumerate(self.scene.obstacles):
            found += self._before(pose, rotation, obstacle, self.count + k)
        return assembled(self, pose, rotation, found, np.concatenate([reach, np.zeros(len(self.scene.obstacles))]))

    def _near(self, place: Array, reach: Array) -> Indices:
        """Return pairs (k, 2) of bodies whose bounds come within their reach, in ascending order."""
        if self.count < 2:
            return np.zeros((0, 2), dtype=int)
        extent = self.bound + reach
        pairs = self._closer(place, 2.0 * float(np.max(extent)))
        one, two = pairs[:, 0], pairs[:, 1]
        apart = tc.lengths(place.take(one, axis=0) - place.take(two, axis=0))
        near = apart <= extent.take(one) + extent.take(two)
        either_thick = np.maximum(self.bound.take(one), self.bound.take(two)) > 0.0
        return np.asarray(pairs[near & either_thick & (self.moving.take(one) | self.moving.take(two))])

    def _closer(self, place: Array, distance: float) -> Indices:
        """Return pairs (k, 2) of bodies, in ascending order, with all among them that are closer than a distance (m).

        A k-d tree finds them. Those of an earlier place serve where no body has come so far from there that others
        could be closer: a step looks up to twice as far as the corrections after it.
        """
        known: _Near | None = self.__dict__.get("_known")
        moved = 0.0 if known is None else 2.0 * float(np.max(tc.lengths(place - known.place)))
        if known is None or not distance + moved <= known.distance <= 2.0 * distance:
            pairs = scipy.spatial.cKDTree(place).query_pairs(distance, output_type="ndarray")
            ascending = np.argsort(pairs[:, 0] * self.count + pairs[:, 1])
            known = _Near(place.copy(), distance, np.asarray(pairs.take(ascending, axis=0), dtype=np.intp))
            self.__dict__["_known"] = known  # of one motion, as the properties that are computed once
        return known.pairs

    def _body_pairs(self, pose: Array, pairs: Indices) -> list[tuple[Indices, Indices, Touches]]:
        d, bound, half = self.dimension, self.bound, self._half
        if self._round.all():
            (i, j), place = pairs.T, pose[:, :d]
            touch = tc.round_round(place.take(i, axis=0), bound.take(i), place.take(j, axis=0), bound.take(j))
            return [(i, j, touch)]
        is_round = self._round[pairs]
        swap = ~is_round[:, 0] & is_round[:, 1]  # a disc comes before a box
        one, two = np.where(swap, pairs[:, 1], pairs[:, 0]), np.where(swap, pairs[:, 0], pairs[:, 1])
        kind = np.sum(is_round, axis=1)
        found = []
        i, j = one[kind == 2], two[kind == 2]
        if len(i):
            found.append((i, j, tc.round_round(pose[i, :d], bound[i], pose[j, :d], bound[j])))
        i, j = one[kind == 1], two[kind == 1]
        if len(i):
            found.append((i, j, tc.round_box(pose[i, :2], bound[i], pose[j, :2], pose[j, 2], half[j])))
        i, j = one[kind == 0], two[kind == 0]
        if len(i):
            boxes = (pose[i, :2], pose[i, 2], half[i], pose[j, :2], pose[j, 2], half[j])
            found.append((i, j, tc.box_box(*boxes)))
        return found

    @cached_property
    def _beside(self) -> tuple[Indices, Indices, Array, Array]:
        """Each moving disc (k,) with each wall (k,), and the ends (k, 2) of the walls."""
        walls = [k for k, o in enumerate(self.scene.obstacles) if isinstance(o.shape, Polyline)]
        ends = np.array([self.scene.obstacles[k].shape.points for k in walls]).reshape(-1, 2, 2)
        i, _ = self._movers
        one, wall = np.tile(i, len(walls)), np.repeat(np.arange(len(walls)), len(i))
        return one, self.count + np.array(walls, dtype=int)[wall], ends[wall, 0], ends[wall, 1]

    def _beside_walls(self, pose: Array) -> list[tuple[Indices, Indices, Touches]]:
        """Return the touches of all moving discs with all walls."""
        one, wall, start, end = self._beside
        if not len(one):
            return []
        touch = tc.round_segment(pose[:, :2].take(one, axis=0), self.bound.take(one), start, end)
        return [(one, wall, touch)]

    def _before(
        self, pose: Array, rotation: Array | None, obstacle: Obstacle, index: int
    ) -> list[tuple[Indices, Indices, Touches]]:
        """Return the touches of all moving bodies with an obstacle, but for discs beside walls."""
        d, shape, found = self.dimension, obstacle.shape, []
        i, b = self._movers
        if len(i) and not isinstance(shape, Polyline):
            centre, radius = pose[i, :d], self.bound[i]
            if isinstance(shape, DistanceField):
                touch = tc.round_distance(centre, radius, shape)
            else:
                touch = tc.round_plane(centre, radius, np.array(shape.through), np.array(shape.normal))
            found.append((i, np.full(len(i), index), touch))
        if len(b) and isinstance(shape, HalfPlane | PlaneSurface):
            R = tc.turned(pose[b, 2]) if rotation is None else rotation[b]
            place = np.array(shape.through), np.array(shape.normal)
            found.append((b, np.full(len(b), index), tc.box_plane(pose[b, :d], R, self._half[b], *place)))
        elif len(b) and isinstance(shape, Polyline):
            touch = tc.box_segment(pose[b, :2], pose[b, 2], self._half[b], *np.array(shape.points))
            found.append((b, np.full(len(b), index), touch))
        return found

    def surfaces(self, one: Indices, two: Indices) -> tuple[Array, Array]:
        """Return μ and e (k,) of pairs of bodies or obstacles."""
        mu, e = self._coefficients
        place = self._material.take(one) * len(mu) + self._material.take(two)
        return mu.take(place), e.take(place)
