"""Loops closed by turning and shifting rigid bodies: the joint rows as equations for poses, from near or far.

The unknowns are a displacement of each body, δa (m) and a turn δθ (rad, space axes) about its origin, and not its
entries of R; so bodies stay rigid and are never mirrored on the way. With the length ℓ of the mechanism all unknowns
(δa, ℓ δθ) are in m, and each row is scaled to m: by the largest rate at which the shift of one body changes it, else by
that of a turn. The squared rows are minimised by Levenberg's and Marquardt's method; damping by the squared residual
keeps its last steps quadratic even where rows depend on one another, as in over-constrained loops (N. Yamashita, M.
Fukushima, Computing Suppl. 15 (2001) 239).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from gauss.bodies.body.body import Body, Ground
from gauss.bodies.body.rods_and_particles import PlanarBody, Rod
from gauss.bodies.mechanism import Mechanism, Part
from gauss.foundation.arrays import Array, Flags, Indices
from gauss.geometry.rotations import nearest, skew
from gauss.model import System

ITERATIONS, SHRINKS = 200, 12  # of the method, and of one step
PATIENCE, STALLED = 12, 0.99  # iterations in which the residual must fall to this share
CLOSED = 1e-11  # share of ℓ up to which a scaled row is closed
MOVED, STRAYED = 1e-3, 0.1  # share of ℓ by which a freedom is tried, and share of that which must be left
FREE = 1e-7  # singular values of the scaled rows up to this are freedoms to try
SAMPLES = 8  # random poses at which the rows are measured


@dataclass(frozen=True, eq=False)
class Loops:
    """The rows of a mechanism as equations for the poses of its bodies."""

    system: System
    bodies: tuple[Part, ...]
    starts: tuple[int, ...]  # where the coordinates of each body begin
    index: Indices  # (m,) the rows that depend on the joints: conditions on the position but those of rigid bodies
    one_sided: Flags  # (m,) which of them are unilateral
    length: float  # ℓ, m
    scale: Array  # (m,) metres per unit of each row
    t: float  # s

    @staticmethod
    def of(mechanism: Mechanism, system: System, near: Array, t: float) -> Loops:
        """Return the equations of `system`, which has the coordinates of the mechanism; rows are measured at random.

        `near` (n,) is a position with rigid bodies.
        """
        bodies = tuple(mechanism.bodies)
        starts = tuple(np.cumsum([0, *(len(body.coordinates) for body in bodies)])[:-1].tolist())
        rigid = {name for name in system.row_names if name.split("[")[0] in {f"{b.name} rigid" for b in bodies}}
        index = np.array([k for k in system.model.positional if system.row_names[k] not in rigid], dtype=int)
        one_sided = np.isin(index, list(system.model.unilateral))
        plain = Loops(system, bodies, starts, index, one_sided, length_of(mechanism), np.ones(index.size), t)
        return replace(plain, scale=plain.measured(near))

    def measured(self, near: Array) -> Array:
        """Return the metres per unit of each row (m,): the inverse of the median of its rates at random poses."""
        rng = np.random.default_rng(0)
        rate = np.median([self.rates(self.shuffled(near, rng)) for _ in range(SAMPLES)], axis=0)
        return np.where(rate > FREE, 1.0 / np.maximum(rate, FREE), 1.0)

    def rates(self, q: Array) -> Array:
        """Return the rate (m,) at which the shift of one body changes each scaled row most, else that of a turn."""
        slope = np.nan_to_num(self.at(q)[1], posinf=0.0, neginf=0.0)
        shift, turn, column = np.zeros(self.index.size), np.zeros(self.index.size), 0
        for body in self.bodies:
            middle, end = column + body.dimension, column + freedoms_of(body)
            shift = np.maximum(shift, np.linalg.norm(slope[:, column:middle], axis=1))
            turn = np.maximum(turn, np.linalg.norm(slope[:, middle:end], axis=1))
            column = end
        return np.where(shift > FREE, shift, turn)

    def rescaled(self, q: Array) -> Loops:
        """Return the equations with rows measured at a position, so that they are gaps in m to first order there."""
        rate = self.rates(q)
        return replace(self, scale=self.scale / np.where(rate > FREE, rate, 1.0))

    def at(self, q: Array) -> tuple[Array, Array]:
        """Return the scaled rows (m,) at a position and their rates (m, d) with the displacements, all in m."""
        terms = self.system.model.terms(q, np.zeros(q.size), self.t, self.system.theta())
        rows, slope = terms.phi[self.index] * self.scale, terms.J[self.index] * self.scale[:, None]
        idle = self.one_sided & (rows >= 0.0)
        with np.errstate(invalid="ignore"):  # a row without a value at q, as of a driver opposite to its target
            moved = slope @ self.tangent(q)
        return np.where(idle, 0.0, rows), np.where(idle[:, None], 0.0, moved)

    def tangent(self, q: Array) -> Array:
        """Return dq (n, d) of the displacements (δa, ℓ δθ) of all bodies."""
        blocks = [_tangent(body, q[k:], self.length) for body, k in zip(self.bodies, self.starts, strict=True)]
        whole = np.zeros((q.size, sum(block.shape[1] for block in blocks)))
        column = 0
        for block, k in zip(blocks, self.starts, strict=True):
            whole[k : k + block.shape[0], column : column + block.shape[1]] = block
            column += block.shape[1]
        return whole

    def displaced(self, q: Array, step: Array) -> Array:
        """Return the position (n,) after a displacement (d,) of the bodies."""
        moved, column = q.copy(), 0
        for body, k in zip(self.bodies, self.starts, strict=True):
            size = freedoms_of(body)
            moved[k : k + len(body.coordinates)] = _displaced(body, q[k:], step[column : column + size], self.length)
            column += size
        return moved

    def shuffled(self, q: Array, rng: np.random.Generator) -> Array:
        """Return a position with every body turned at random and shifted within ℓ of where it was."""
        moved = q.copy()
        for body, k in zip(self.bodies, self.starts, strict=True):
            dimension, size = body.dimension, freedoms_of(body)
            step = np.concatenate([rng.uniform(-1.0, 1.0, dimension) * self.length, np.zeros(size - dimension)])
            if size > dimension:
                turn = (
                    rng.uniform(-np.pi, np.pi, 1)
                    if dimension == 2
                    else scipy.spatial.transform.Rotation.from_quat(rng.normal(size=4)).as_rotvec()
                )
                step[dimension:] = turn * self.length
            moved[k : k + len(body.coordinates)] = _displaced(body, q[k:], step, self.length)
        return moved

    def closed(self, q: Array) -> tuple[Array, float]:
        """Return the position (n,) that is reached from q and the norm of its scaled rows (m), least where > 0."""
        rows, slope = self.at(q)
        if not (np.all(np.isfinite(rows)) and np.all(np.isfinite(slope))):
            return q, np.inf
        size, damping, sizes = float(np.linalg.norm(rows)), 1.0, [np.inf] * PATIENCE
        for _ in range(ITERATIONS):
            if size <= 1e-16 * self.length or size > STALLED * sizes[-PATIENCE]:
                break
            sizes.append(size)
            U, s, V = np.linalg.svd(slope, full_matrices=False)
            for _ in range(SHRINKS):
                weight = damping * (size / self.length) ** 2 + 1e-300
                step = -V.T @ ((s / (s**2 + weight)) * (U.T @ rows))
                step /= max(1.0, float(np.max(np.abs(step), initial=0.0)) / self.length)
                there = self.displaced(q, step)
                new_rows, new_slope = self.at(there)
                if np.linalg.norm(new_rows) < size and np.all(np.isfinite(new_slope)):
                    break
                damping *= 5.0
            if not np.linalg.norm(new_rows) < size:
                break
            q, rows, slope, size = there, new_rows, new_slope, float(np.linalg.norm(new_rows))
            damping = max(damping / 5.0, 1e-12)
        return q, size

    def is_closed(self, size: float) -> bool:
        """Whether a norm of scaled rows (m) is rounding."""
        return bool(size <= CLOSED * self.length * np.sqrt(self.index.size + 1))

    def kernel(self, q: Array) -> Array:
        """Return the displacements (d, k) that violate no row at first order, orthonormal."""
        slope = self.at(q)[1]
        _, s, V = np.linalg.svd(slope)
        return V[int(np.sum(s > FREE)) :].T

    def movable(self, q: Array) -> Array:
        """Return the displacements (d, k) of the kernel along which the closed loops really move."""
        kernel, step = self.kernel(q), MOVED * self.length
        found = []
        for direction in kernel.T:
            for sign in (1.0, -1.0):
                there, size = self.closed(self.displaced(q, sign * step * direction))
                if self.is_closed(size) and self.distance(q, there) > STRAYED * step:
                    found.append(direction)
                    break
        return np.array(found).T if found else np.zeros((kernel.shape[0], 0))

    def distance(self, one: Array, two: Array) -> float:
        """Return the root of the summed squares of all shifts (m) and turns times ℓ (m) between two positions."""
        return float(np.sqrt(sum(shift**2 + (self.length * turn) ** 2 for shift, turn in self.moves(one, two))))

    def moves(self, one: Array, two: Array) -> list[tuple[float, float]]:
        """Return the shift (m) of the origin and the turn (rad) of each body from one position to the other."""
        return [_move(body, one[k:], two[k:]) for body, k in zip(self.bodies, self.starts, strict=True)]


def length_of(mechanism: Mechanism) -> float:
    """Return the length ℓ (m) of a mechanism, 1 where joints give none.

    It is the largest distance of a joint's point from the origin of its body, or between two points on the ground, or
    that a joint keeps.
    """
    found, ground = [0.0], []
    for joint in mechanism.joints:
        for number in (1, 2):
            point, body = getattr(joint, f"point{number}", None), getattr(joint, f"body{number}", None)
            if point is not None and isinstance(body, Ground):
                ground.append(np.array(point, dtype=float))
            elif point is not None:
                found.append(float(np.linalg.norm(point)))
        kept = getattr(joint, "length", 0.0)
        found.append(float(kept) if isinstance(kept, (int, float)) else 0.0)
    found += [float(np.linalg.norm(one - two)) for one in ground for two in ground]
    return max(found) or 1.0


def freedoms_of(body: Part) -> int:
    """Return the number of displacements of a body: shifts and turns."""
    return 6 if isinstance(body, (Body, Rod)) else 3


def _matrix(q: Array) -> Array:
    return q[3:12].reshape(3, 3)


def _tangent(body: Part, q: Array, length: float) -> Array:
    """Return dq of the displacements (δa, ℓ δθ) of one body, whose coordinates are the first of q."""
    if isinstance(body, PlanarBody):
        block = np.zeros((4, 3))
        block[:2, :2] = np.eye(2)
        block[2:, 2] = np.array([-q[3], q[2]]) / length
        return block
    block = np.zeros((len(body.coordinates), freedoms_of(body)))
    block[:3, :3] = np.eye(3)
    if isinstance(body, Rod):
        block[3:, 3:] = -skew(q[3:6]) / length
    elif isinstance(body, Body):
        block[3:, 3:] = np.column_stack([(skew(e) @ _matrix(q)).ravel() for e in np.eye(3)]) / length
    return block


def _displaced(body: Part, q: Array, step: Array, length: float) -> Array:
    """Return the coordinates of one body after a displacement; q begins with its coordinates."""
    dimension = body.dimension
    shifted = q[:dimension] + step[:dimension]
    turn = step[dimension:] / length
    if isinstance(body, PlanarBody):
        c, s = np.cos(turn[0]), np.sin(turn[0])
        e = np.array([c * q[2] - s * q[3], s * q[2] + c * q[3]])
        return np.concatenate([shifted, e / np.linalg.norm(e)])
    if isinstance(body, Rod):
        e = scipy.spatial.transform.Rotation.from_rotvec(turn).apply(q[3:6])
        return np.concatenate([shifted, e / np.linalg.norm(e)])
    if isinstance(body, Body):
        turned = scipy.spatial.transform.Rotation.from_rotvec(turn).as_matrix() @ _matrix(q)
        return np.concatenate([shifted, nearest(turned).ravel()])
    return np.asarray(shifted)


def _move(body: Part, one: Array, two: Array) -> tuple[float, float]:
    """Return the shift (m) and the turn (rad) of one body between two positions, which begin with its coordinates."""
    dimension = body.dimension
    shift = float(np.linalg.norm(two[:dimension] - one[:dimension]))
    if isinstance(body, PlanarBody):
        return shift, abs(float(np.arctan2(one[2] * two[3] - one[3] * two[2], one[2:4] @ two[2:4])))
    if isinstance(body, Rod):
        return shift, float(np.arctan2(np.linalg.norm(np.cross(one[3:6], two[3:6])), one[3:6] @ two[3:6]))
    if isinstance(body, Body):
        return shift, float(scipy.spatial.transform.Rotation.from_matrix(_matrix(two) @ _matrix(one).T).magnitude())
    return shift, 0.0


def rigid(bodies: Sequence[Part], q: Array) -> Array:
    """Return the position (n,) with each R replaced by the nearest rotation, and directions by unit vectors."""
    moved, k = q.copy(), 0
    for body in bodies:
        moved[k : k + len(body.coordinates)] = _displaced(body, q[k:], np.zeros(freedoms_of(body)), 1.0)
        k += len(body.coordinates)
    return moved
