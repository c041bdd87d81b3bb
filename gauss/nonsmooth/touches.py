"""Gaps, contact points and normals of pairs of shapes, for many pairs at a time.

Each function takes arrays over k pairs and returns `Touches`. The normal is the gradient of the gap: it is a unit
vector that points from the second body to the first, and with the velocities of the two bodies at `point`

    ġ = n · (v_first(point) − v_second(point)).

Before an obstacle `point` is the point of the body that is nearest to it; between two bodies it is one point for both,
so that their forces leave the angular momentum unchanged. A flat contact of two boxes has two points: the corners of
one face that lie over the other face, of either box. Two corners that meet count as a corner over the face from which
the boxes are furthest apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, Indices, as_array
from gauss.foundation.tolerances import STEP
from gauss.nonsmooth.scene import DistanceField

CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])  # in half lengths, anticlockwise
CUBE = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
OVER = 1e-6  # share of a face by which a corner may stand beside it, and by which the other box's corner must not
UNIT = 1e-3  # by which the length of a distance's gradient may differ from one, as friction is in error by it


@dataclass(frozen=True)
class Touches:
    """Contacts of k pairs; `pair` says to which of the pairs given each one belongs, `feature` which point it is."""

    gap: Array  # (k,) m
    point: Array  # (k, 2) or (k, 3) m
    normal: Array  # (k, 2) or (k, 3)
    pair: Indices  # (k,)
    feature: Indices  # (k,)


def _single(gap: Array, point: Array, normal: Array) -> Touches:
    k = len(gap)
    return Touches(gap, point, normal, np.arange(k), np.zeros(k, dtype=int))


def lengths(d: Array) -> Array:
    """Return the lengths (k,) of vectors (k, d), column by column: they are many and short."""
    square = d[:, 0] ** 2
    for j in range(1, d.shape[1]):
        square += d[:, j] ** 2
    return np.asarray(np.sqrt(square))


def _unit(d: Array, length: Array) -> Array:
    """Return d/length, and the upward direction where the length is zero."""
    if length.all():
        return np.asarray(d / length[:, None])
    up = np.zeros(d.shape[1])
    up[-1] = 1.0
    zero = length == 0.0
    return np.asarray(np.where(zero[:, None], up, d / np.where(zero, 1.0, length)[:, None]))


def round_round(first: Array, radius: Array, second: Array, other: Array) -> Touches:
    """Discs or spheres with centres (k, d) and radii (k,)."""
    d = first - second
    distance = lengths(d)
    n = _unit(d, distance)
    gap = distance - radius - other
    return _single(gap, second + n * (other + gap / 2)[:, None], n)


def round_plane(centre: Array, radius: Array, point: Array, normal: Array) -> Touches:
    """Discs before half-planes, or spheres before planes: centres (k, d), radii (k,), a point and a normal (d,)."""
    height = (centre - point) @ normal
    n = np.broadcast_to(normal, centre.shape)
    return _single(height - radius, centre - radius[:, None] * n, n)


def round_distance(centre: Array, radius: Array, obstacle: DistanceField) -> Touches:
    """Discs or spheres before an obstacle given by its distance function.

    Raises InputError for what is not finite, and for a gradient that is not of length one where a body touches.
    """
    columns, k = list(centre.T), len(centre)
    try:
        value = as_array(obstacle.function(*columns), "a DistanceField function")
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise InputError(f"a DistanceField function fails for arrays of {k} points: {error}.") from None
    if value.shape != (k,):
        raise InputError(f"a DistanceField function returned shape {value.shape} for {k} points.")
    n = _slope(obstacle, columns)
    if n.shape != centre.shape or not (np.all(np.isfinite(value)) and np.all(np.isfinite(n))):
        raise InputError(f"a DistanceField function or its gradient is not finite, or not (k, {centre.shape[1]}).")
    gap = value - radius
    length = np.linalg.norm(n, axis=1)
    wrong = np.flatnonzero((gap <= 0.0) & (np.abs(length - 1.0) > UNIT))
    if wrong.size:
        i = wrong[0]
        raise InputError(
            f"the gradient of a DistanceField has length {length[i]:.6g} at {centre[i].tolist()}, where a body touches"
            " it; a distance has length one. Give a true distance, of analytic operations (no abs), or its gradient."
        )
    return _single(gap, centre - radius[:, None] * n, n)


def _slope(obstacle: DistanceField, columns: list[Array]) -> Array:
    """Return the gradient (k, d) of a distance, by complex steps where none is given. Raises InputError."""
    try:
        if obstacle.gradient is not None:
            return as_array(obstacle.gradient(*columns), "the gradient of a DistanceField")
        slopes = []
        for j in range(len(columns)):
            moved = [x + (1j * STEP if i == j else 0.0) for i, x in enumerate(columns)]
            slopes.append(np.imag(obstacle.function(*moved)) / STEP)
        return np.column_stack(slopes)
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise InputError(
            f"a DistanceField has no derivative by complex steps, or its gradient fails: {error}. Use analytic NumPy"
            " operations (sqrt(x**2 + z**2), not hypot), or give a gradient."
        ) from None


def round_segment(centre: Array, radius: Array, start: Array, end: Array) -> Touches:
    """Discs beside walls from `start` to `end` (k, 2)."""
    along = end - start
    far, (x, z) = (centre - start).T, along.T
    share = np.minimum(np.maximum((far[0] * x + far[1] * z) / (x * x + z * z), 0.0), 1.0)
    nearest = start + share[:, None] * along
    d = centre - nearest
    distance = lengths(d)
    n = _unit(d, distance)
    return _single(distance - radius, centre - radius[:, None] * n, n)


def turned(angle: Array) -> Array:
    """Return rotation matrices (k, 2, 2) of angles (k,)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([np.stack([c, -s], axis=1), np.stack([s, c], axis=1)], axis=1)


def round_box(centre: Array, radius: Array, middle: Array, angle: Array, half: Array) -> Touches:
    """Discs (first) and boxes with half lengths (k, 2), by the distance from the nearest point of the box."""
    R = turned(angle)
    local = np.einsum("kji,kj->ki", R, centre - middle)
    over = np.abs(local) - half
    sign = np.where(local >= 0.0, 1.0, -1.0)
    outside = np.any(over > 0.0, axis=1)
    nearest = np.clip(local, -half, half)
    away = local - nearest
    distance = np.linalg.norm(away, axis=1)
    face = np.zeros_like(local)
    rows, axis = np.arange(len(local)), np.argmax(over, axis=1)
    face[rows, axis] = sign[rows, axis]
    depth = over[rows, axis]
    inner = local.copy()
    inner[rows, axis] = sign[rows, axis] * half[rows, axis]
    gap = np.where(outside, distance, depth) - radius
    n = np.where(outside[:, None], _unit(away, distance), face)
    point = middle + np.einsum("kij,kj->ki", R, np.where(outside[:, None], nearest, inner))
    return _single(gap, point, np.einsum("kij,kj->ki", R, n))


def box_plane(middle: Array, R: Array, half: Array, point: Array, normal: Array) -> Touches:
    """Boxes before a half-plane, or cuboids before a plane: all corners; centres (k, d), rotations (k, d, d)."""
    k, d = middle.shape
    signs = CORNERS if d == 2 else CUBE
    places, c = middle[:, None] + np.einsum("kij,kcj->kci", R, signs * half[:, None]), len(signs)
    gap, n = (places - point) @ normal, np.broadcast_to(normal, (c * k, d))
    return Touches(gap.ravel(), places.reshape(-1, d), n, np.repeat(np.arange(k), c), np.tile(np.arange(c), k))


def box_box(middle: Array, angle: Array, half: Array, middle2: Array, angle2: Array, half2: Array) -> Touches:
    """Boxes against boxes (k pairs): corners of the touching face of one over that of the other."""
    R, S = turned(angle), turned(angle2)
    face, depth = _separating(middle - middle2, R, half, S, half2)
    mine = _separating(middle2 - middle, S, half2, R, half)
    use_first = mine[1] > depth + 1e-9 * np.max(half, axis=1)  # the separating face belongs to the first box
    rows = np.arange(len(middle))
    n2 = np.where(use_first[:, None], 0.0, _outward(S, face))
    n1 = _outward(R, mine[0])
    reference = np.where(use_first[:, None], -n1, n2)  # from the second to the first
    own = _facing(R, -reference)
    other = np.where(use_first, _facing(S, reference), face)
    own = np.where(use_first, mine[0], own)
    a = _corners_over(rows, middle, R, half, own, middle2, S, half2, other, 1.0 + OVER)
    b = _corners_over(rows, middle2, S, half2, other, middle, R, half, own, 1.0 - OVER)
    return Touches(
        np.concatenate([a.gap, b.gap]),
        np.vstack([a.point, b.point]),
        np.vstack([a.normal, -b.normal]),
        np.concatenate([a.pair, b.pair]),
        np.concatenate([a.feature, b.feature + 4]),
    )


def _outward(R: Array, face: Indices) -> Array:
    """Return the outward normals (k, 2) of faces 0 (+x), 1 (+z), 2 (−x), 3 (−z)."""
    sign = np.where(face < 2, 1.0, -1.0)
    return np.asarray(R[np.arange(len(R)), :, face % 2] * sign[:, None])


def _facing(R: Array, direction: Array) -> Indices:
    """Return the face (k,) whose normal points most along a direction (k, 2)."""
    along = np.einsum("kji,kj->ki", R, direction)
    return np.asarray(np.argmax(np.hstack([along, -along]), axis=1))


def _separating(d: Array, R: Array, half: Array, S: Array, half2: Array) -> tuple[Indices, Array]:
    """Return the face of the box S from which the box R, at d from it, is furthest apart, and how far (k,)."""
    local = np.einsum("kji,kj->ki", S, d)
    extent = np.einsum("kij,kj->ki", np.abs(np.einsum("kji,kjl->kil", S, R)), half)
    apart = np.hstack([local, -local]) - np.tile(half2 + extent, 2)
    face = np.argmax(apart, axis=1)
    return face, apart[np.arange(len(d)), face]


def _corners_over(
    rows: Indices,
    middle: Array,
    R: Array,
    half: Array,
    own: Indices,
    middle2: Array,
    S: Array,
    half2: Array,
    other: Indices,
    share: float,
) -> Touches:
    """Return the corners of the face `own` of one box that stand over the face `other` of the second.

    There are none where the faces have no more than their edges above one another: a box that slides over a seam
    between two others does not run against the second one.
    """
    ends = np.array([[1, 2], [2, 3], [3, 0], [0, 1]])[own]  # (k, 2) corners of faces +x, +z, −x, −z
    places = middle[:, None] + np.einsum("kij,kcj->kci", R, CORNERS[ends] * half[:, None])
    n = _outward(S, other)
    local = np.einsum("kji,kcj->kci", S, places - middle2[:, None])
    axis = other % 2
    height = np.einsum("ki,kci->kc", n, places - middle2[:, None]) - half2[rows, axis][:, None]
    along, reach = local[rows, :, 1 - axis], half2[rows, 1 - axis]
    edge = (1.0 - OVER) * reach
    above = (np.min(along, axis=1) <= edge) & (np.max(along, axis=1) >= -edge)
    over = (np.abs(along) <= share * reach[:, None]) & above[:, None]
    pair, which = np.nonzero(over)
    return Touches(height[over], places[over], n[pair], pair, ends[pair, which])


def box_segment(middle: Array, angle: Array, half: Array, start: Array, end: Array) -> Touches:
    """Boxes beside a wall, as against a box without height; each end of the wall (features 4, 5) counts once."""
    k, along = len(middle), end - start
    thin = np.broadcast_to(np.array([np.hypot(*along) / 2, 0.0]), (k, 2))
    turn, centre = np.full(k, np.arctan2(along[1], along[0])), np.broadcast_to((start + end) / 2, (k, 2))
    found = box_box(middle, angle, half, centre, turn, thin)
    tip = np.array([0, 1, 2, 3, 4, 5, 5, 4])[found.feature]
    _, once = np.unique(6 * found.pair + tip, return_index=True)
    return Touches(found.gap[once], found.point[once], found.normal[once], found.pair[once], tip[once])
