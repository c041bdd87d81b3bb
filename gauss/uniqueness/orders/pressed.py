"""Bodies at rest that forces press against the end of a branch: where they stay, and where another branch lets them go.

Along a half branch q(τ), τ ≥ 0, a body at rest is pressed against the end if the foot of the free acceleration on its
whole tangent has τ̈ < 0. On this branch alone it stays. Where another branch leads out of the same point on which the
Zwang is less, the reaction that holds it would do work along that branch: the body leaves there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gauss.errors import GaussError
from gauss.foundation.arrays import Array, norms
from gauss.principle import GaussProblem, GaussSolution, solve
from gauss.uniqueness.orders.leaving import AMISS
from gauss.uniqueness.orders.ways import Way, restricted
from gauss.uniqueness.rows.frame import Frame


@dataclass(frozen=True)
class Foot:
    """The acceleration of least Zwang on a choice of ways, with its problem."""

    problem: GaussProblem
    solution: GaussSolution
    ways: tuple[Way, ...]
    pressed: tuple[bool, ...]  # whether a force presses a body at rest against the end of each way, for sure

    @property
    def held(self) -> bool:
        """Whether a force presses against every end of a branch among those chosen, so that rest is sure."""
        return all(there for there, way in zip(self.pressed, self.ways, strict=True) if way.ends)


def is_let_go(frame: Frame, one: Foot, every: Sequence[Foot]) -> bool:
    """Return whether forces press a choice against ends, and another one in their place lets the body go."""
    return any(one.pressed) and any(
        _lets_go(frame, one, other)
        for other in every
        if all(at or way is there for at, way, there in zip(one.pressed, one.ways, other.ways, strict=True))
    )


def pressed_of(
    frame: Frame, coordinates: list[tuple[int, ...]], ways: list[list[list[Way]]], chosen: Sequence[Way]
) -> tuple[bool, ...]:
    """Return whether a force presses a body at rest against the end of each chosen way, for sure."""
    found = [False] * len(chosen)
    if not any(way.ends for way in chosen):
        return tuple(found)
    try:
        free = solve(restricted(frame, coordinates, ways, [replace(way, ends=False) for way in chosen]))
    except GaussError:
        return tuple(found)
    size = AMISS * float(np.linalg.norm(frame.metric.reference)) + free.error_bound
    for k, way in enumerate(chosen):
        wall = way.directions[:, 0] if way.wall is None and way.ends else way.wall
        found[k] = wall is not None and way.ends and float(wall @ free.a) < -size * float(np.linalg.norm(wall))
    return tuple(found)


def _lets_go(frame: Frame, pressed: Foot, other: Foot) -> bool:
    """Return whether the rows of another choice of branches admit an acceleration too, and one of less Zwang."""
    a, rows = pressed.solution.a, other.problem.rows
    value = rows.J @ a
    size = norms(frame.metric.whitened(rows.J), 1) * (frame.metric.norm(a) + frame.metric.norm(other.solution.a))
    admitted = _not_less(value, rows.lower, size) and _not_less(-value, -rows.upper, size)
    return admitted and other.solution.zwang * (1.0 + AMISS) < pressed.solution.zwang


def _not_less(value: Array, bound: Array, size: Array) -> bool:
    known = np.isfinite(bound)
    return bool(np.all(value[known] >= bound[known] - AMISS * (size + np.abs(bound))[known]))
