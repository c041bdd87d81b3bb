"""Sums of products in which zeros and ones cost nothing: numbers, arrays over a run, or symbols."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gauss.functions.arithmetic import added, multiplied
from gauss.geometry.vectors import Vector

ZERO: Vector = (0.0, 0.0, 0.0)
Matrix = tuple[Vector, Vector, Vector]  # rows


def is_zero(x: Any) -> bool:
    """Whether something is the number 0."""
    return isinstance(x, float) and x == 0.0


def product(x: Any, y: Any) -> Any:
    """Return x y; 0.0 where either is the number 0."""
    if is_zero(x) or is_zero(y):
        return 0.0
    if isinstance(x, float) and abs(x) == 1.0:
        return y if x > 0.0 else -y
    if isinstance(y, float) and abs(y) == 1.0:
        return x if y > 0.0 else -x
    return multiplied(x, y)


def total(*parts: Any) -> Any:
    """Return the sum of what is not the number 0."""
    found: Any = 0.0
    for part in parts:
        if not is_zero(part):
            found = part if is_zero(found) else added(found, part)
    return found


def dot(one: Sequence[Any], two: Sequence[Any]) -> Any:
    """Return the scalar product."""
    return total(*(product(a, b) for a, b in zip(one, two, strict=True)))


def plus(*vectors: Sequence[Any]) -> Vector:
    """Return the sum of vectors."""
    return tuple(total(*parts) for parts in zip(*vectors, strict=True))


def times(factor: Any, vector: Sequence[Any]) -> Vector:
    """Return a multiple of a vector."""
    return tuple(product(factor, x) for x in vector)


def cross(one: Sequence[Any], two: Sequence[Any]) -> Vector:
    """Return the vector product."""
    (a, b, c), (x, y, z) = one, two
    pairs = ((b, z, c, y), (c, x, a, z), (a, y, b, x))
    return tuple(total(product(f, g), product(-1.0, product(h, k))) for f, g, h, k in pairs)


def onto(matrix: Matrix, vector: Sequence[Any]) -> Vector:
    """Return R x."""
    return tuple(dot(row, vector) for row in matrix)


def back(matrix: Matrix, vector: Sequence[Any]) -> Vector:
    """Return Rᵀx."""
    return tuple(dot(column, vector) for column in zip(*matrix, strict=True))


def combined(numbers: Sequence[Any], vectors: Sequence[Sequence[Any]]) -> Vector:
    """Return Σ x_k y_k of numbers and vectors."""
    return plus(*(times(x, y) for x, y in zip(numbers, vectors, strict=True)))
