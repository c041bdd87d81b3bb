"""Contacts of one moment as rows: gaps, normal and tangent rows, coefficients, and names that last from step to step.

For the contact of body a with body b at the point x, with arms r = x − centre, the rates of the gap and of the slip are

    ġ = n · (v_a + ω_a × r_a − v_b − ω_b × r_b),   s = τ · (the same),

in the plane with τ = (n_z, −n_x), so that τ points along x on level ground, in space with two tangents. In space ω is
taken in the body's axes, so that its coefficients are Rᵀ(r × n).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from gauss.foundation.arrays import Array, Indices
from gauss.nonsmooth.touches import Touches

FEATURES = 64  # points by which one pair may touch


class Bodies(Protocol):
    """What is needed of a scene."""

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""

    @property
    def count(self) -> int:
        """Number of bodies b."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of bodies and obstacles."""

    @property
    def size(self) -> Array:
        """Size (b,) that penetration is compared with (m)."""

    @property
    def mass(self) -> Array:
        """Diagonal (nv,) of M."""

    def surfaces(self, one: Indices, two: Indices) -> tuple[Array, Array]:
        """Return μ and e (k,) of pairs."""


@dataclass(frozen=True)
class Contacts:
    """k contacts with d tangents each; rows are the normal rows, then the tangent rows, contact by contact."""

    gap: Array  # (k,)
    made: Callable[[Indices | None], Any]  # makes all rows, or the normal ones of some; a look at gaps needs none
    offset: Array  # (k (1 + d),) rates that do not depend on v, of obstacles that move
    friction: Array  # (k,) μ
    restitution: Array  # (k,) e
    key: Indices  # (k,) which contact it is, the same in all steps
    size: Array  # (k,) what penetration is compared with
    one: Indices  # (k,) first body, or the row of a System
    two: Indices  # (k,) second body or obstacle, −1 in a System
    point: Array  # (k, 2 or 3) m; (k, 0) in a System
    normal: Array  # (k, 2 or 3)

    @cached_property
    def rows(self) -> Any:
        """Rows, sparse (k (1 + d), nv)."""
        return self.made(None)

    def normals(self, some: Indices) -> Any:
        """Return the normal rows of some contacts (c,), sparse (c, nv)."""
        return self.made(some)

    @property
    def count(self) -> int:
        """Number of contacts."""
        return len(self.gap)

    @property
    def tangents(self) -> int:
        """Number of tangents d of each contact."""
        return len(self.offset) // max(self.count, 1) - 1


def assembled(
    world: Bodies,
    pose: Array,
    rotation: Array | None,
    found: list[tuple[Indices, Indices, Touches]],
    reach: Array,
) -> Contacts:
    """Return the contacts of a scene whose gap is below the reach (b + o,) of both."""
    d = world.dimension
    one = np.concatenate([np.zeros(0, dtype=int), *(i.take(t.pair) for i, _, t in found)])
    two = np.concatenate([np.zeros(0, dtype=int), *(j.take(t.pair) for _, j, t in found)])
    gap = np.concatenate([np.zeros(0), *(t.gap for *_, t in found)])
    near = np.flatnonzero(gap <= reach.take(one) + reach.take(two))
    one, two, gap = one.take(near), two.take(near), gap.take(near)
    point = np.concatenate([np.zeros((0, d)), *(t.point for *_, t in found)]).take(near, axis=0)
    normal = np.concatenate([np.zeros((0, d)), *(t.normal for *_, t in found)]).take(near, axis=0)
    feature = np.concatenate([np.zeros(0, dtype=int), *(t.feature for *_, t in found)]).take(near)
    mu, e = world.surfaces(one, two)
    sizes = np.concatenate([world.size, np.full(len(world.names) - world.count, np.inf)])
    size = np.minimum(sizes.take(one), sizes.take(two))

    def made(some: Indices | None) -> Any:
        if some is None:
            return _rows(world, pose, rotation, one, two, point, [normal, *tangents(normal)])
        return _rows(world, pose, rotation, one[some], two[some], point[some], [normal[some]])

    return Contacts(
        gap=gap,
        made=made,
        offset=np.zeros(len(gap) * d),
        friction=mu,
        restitution=e,
        key=(one * len(world.names) + two) * FEATURES + feature,
        size=size,
        one=one,
        two=two,
        point=point,
        normal=normal,
    )


def pairs_of(names: Sequence[str], one: Indices, two: Indices) -> tuple[tuple[str, str], ...]:
    """Return the names of the two that touch, contact by contact; the second is empty for a row of a System."""
    return tuple((names[i], names[j] if j >= 0 else "") for i, j in zip(one, two, strict=True))


def tangents(normal: Array) -> list[Array]:
    """Return the one tangent (k, 2) of normals in the plane, or two (k, 3) in space."""
    if normal.shape[1] == 2:
        return [normal[:, ::-1] * [1.0, -1.0]]
    least = np.argmin(np.abs(normal), axis=1)
    axis = np.eye(3)[least]
    first = np.cross(axis, normal)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return [first, np.cross(normal, first)]


def _rows(
    world: Bodies,
    pose: Array,
    rotation: Array | None,
    one: Indices,
    two: Indices,
    point: Array,
    directions: list[Array],
) -> Any:
    """Return the sparse rows (k · directions, nv): normals, then tangents contact by contact."""
    d, k, count, nv = world.dimension, len(one), len(directions), len(world.mass)
    width, inside = nv // world.count, two < world.count
    turned = inside & (two < one)  # bodies are in the order of columns
    body = np.array([np.where(turned, two, one), np.where(turned, one, np.where(inside, two, 0))], dtype=np.int32).T
    has = np.array([np.ones(k, dtype=bool), inside]).T
    sign = np.where(turned, -1.0, 1.0)[:, None, None] * np.array([[1.0], [-1.0]])  # (k, 2, 1)
    arm = point[:, None] - pose[:, :d].take(body, axis=0)  # (k, 2, d)
    values = np.empty((k * count, 2, width))
    parts = [values[:k], *values[k:].reshape(k, count - 1, 2, width).swapaxes(0, 1)]
    for part, n in zip(parts, directions, strict=True):
        if rotation is None:
            moment = (arm[..., 0] * n[:, 1:] - arm[..., 1] * n[:, :1])[..., None]
        else:
            moment = np.einsum("kaji,kaj->kai", rotation[body], np.cross(arm, n[:, None]))
        part[..., :d], part[..., d:] = sign * n[:, None], sign * moment
    owner = np.concatenate([np.arange(k), np.repeat(np.arange(k), count - 1)])
    entries = np.flatnonzero(has.take(owner, axis=0))
    columns = body.take(owner, axis=0).ravel().take(entries)[:, None] * width + np.arange(width, dtype=np.int32)
    starts = np.zeros(k * count + 1, dtype=np.int32)
    np.cumsum(np.where(inside, 2 * width, width).take(owner), dtype=np.int32, out=starts[1:])
    data = values.reshape(-1, width).take(entries, axis=0).ravel()
    return sp.csr_matrix((data, columns.ravel(), starts), shape=(k * count, nv))
