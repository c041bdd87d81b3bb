"""Vectors of two or three components that may be numbers, arrays over a run, or symbols."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, as_array, is_symbol, scalar
from gauss.functions.arithmetic import added, multiplied, subtracted
from gauss.functions.elementary import sqrt

Vector = tuple[Any, ...]
IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

COLLINEAR = 1e-9  # sine of the angle up to which two directions count as one


def plus(*vectors: Sequence[Any]) -> Vector:
    """Return the sum of vectors."""
    return tuple(reduce(added, parts) for parts in zip(*vectors, strict=True))


def minus(one: Sequence[Any], two: Sequence[Any]) -> Vector:
    """Return one − two."""
    return tuple(subtracted(a, b) for a, b in zip(one, two, strict=True))


def times(factor: Any, vector: Sequence[Any]) -> Vector:
    """Return a multiple of a vector."""
    return tuple(multiplied(factor, x) for x in vector)


def dot(one: Sequence[Any], two: Sequence[Any]) -> Any:
    """Return the scalar product."""
    return reduce(added, (multiplied(a, b) for a, b in zip(one, two, strict=True)), 0.0)


def cross(one: Sequence[Any], two: Sequence[Any]) -> Vector:
    """Return the vector product of two vectors of three components."""
    (a, b, c), (x, y, z) = one, two
    pairs = ((b, z, c, y), (c, x, a, z), (a, y, b, x))
    return tuple(subtracted(multiplied(f, g), multiplied(h, k)) for f, g, h, k in pairs)


def unit(index: int, size: int) -> Vector:
    """Return the unit vector along an axis."""
    return tuple(float(k == index) for k in range(size))


def numbers(value: object, size: int, what: str) -> tuple[float, ...]:
    """Return `size` finite numbers as a tuple. Raises InputError."""
    if isinstance(value, list | tuple) and len(value) == size and any(is_symbol(x) for x in value):
        return tuple(scalar(x, what) for x in value)
    array = as_array(value, what)
    if array.shape != (size,) or not np.all(np.isfinite(array)):
        raise InputError(f"{what} must be {size} finite numbers, got {value!r}.")
    return tuple(float(x) for x in array)


def direction_of(value: object, size: int, what: str) -> tuple[float, ...]:
    """Return a direction as a unit vector. Raises InputError for the zero vector."""
    given = numbers(value, size, what)
    if any(map(is_symbol, given)):
        length = sqrt(dot(given, given))
        return tuple(x / length for x in given)
    array = np.array(given)
    largest = float(np.max(np.abs(array)))
    if largest > 1e150 or 0.0 < largest < 1e-150:  # squares would over- or underflow
        array /= largest
    length = float(np.linalg.norm(array))
    if length == 0.0:
        raise InputError(f"{what} is the zero vector; give a direction.")
    return tuple(float(x) for x in array / length)


def across(axis: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return two unit vectors (u, w) with (u, w, axis) orthonormal and right-handed; `axis` has length 1.

    u is the coordinate axis least along `axis`, made orthogonal to it, so equal axes have equal u.
    """
    if any(map(is_symbol, axis)):
        return _across_symbols(tuple(axis))
    e = np.array(axis)
    seed: Array = np.eye(3)[int(np.argmin(np.abs(e)))]
    u = seed - (seed @ e) * e
    u /= np.linalg.norm(u)
    w = np.cross(e, u)
    return tuple(float(x) for x in u), tuple(float(x) for x in w)


def _across_symbols(e: Vector) -> tuple[Vector, Vector]:
    """Return what `across` does, for symbols; which coordinate axis is least along e depends on their values."""
    sizes = [abs(x) for x in e]
    first = (sizes[0] <= sizes[1]) * (sizes[0] <= sizes[2])
    second = (1.0 - first) * (sizes[1] <= sizes[2])
    seed = (first, second, 1.0 - first - second)
    u = minus(seed, times(dot(seed, e), e))
    u = times(1.0 / sqrt(dot(u, u)), u)
    return u, (e[1] * u[2] - e[2] * u[1], e[2] * u[0] - e[0] * u[2], e[0] * u[1] - e[1] * u[0])
