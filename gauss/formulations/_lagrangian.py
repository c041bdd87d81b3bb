"""What witnesses that differentiate a Lagrangian share: evaluation, momenta at complex points, steps in velocity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.formulations._analytic import (
    STEP,
    ComplexArray,
    evaluate,
    numbers_at,
    real_values,
    require_analytic_at,
    require_real,
    vector_of,
)
from gauss.formulations.complex_step import Force, Lagrangian, _force
from gauss.foundation.arrays import Array, scalar, vector

INERTIA = 1e-12  # inertia of a coordinate that counts, relative to the largest

__all__ = [
    "STEP",
    "ComplexArray",
    "Force",
    "Lagrangian",
    "along",
    "along_each",
    "force_at",
    "gradient",
    "momenta",
    "real_value",
    "state_of",
    "steps_in_velocity",
    "vector_value",
]


def state_of(q: object, v: object, t: float) -> tuple[Array, Array, float]:
    """Return q (n,), v (n,) and t checked. Raises InputError."""
    q0 = vector_of(q, "q")
    return q0, vector(v, q0.size, "v"), scalar(t, "t")


def force_at(force: Force | object | None, q: Array, v: Array, t: float) -> Array:
    """Return the generalized force Q (n,), given as a function of (q, v, t), as numbers, or not at all."""
    return _force(force, q, v, t)


def real_value(L: Lagrangian, q: Array, v: Array, t: float) -> float:
    """Return L at real arguments. Raises InputError unless it is one real number."""
    value = real_values(L, (q, v, t), "L")
    if value.size != 1:
        raise InputError(f"L returns {value.size} numbers; one number is expected.")
    return float(value[0])


def along(L: Lagrangian, q: Array, w: Array, t: float, q_rate: Any, w_rate: Any, t_rate: float) -> float:
    """Return the derivative of L in the direction (q_rate, w_rate, t_rate) by one complex step."""
    return float(along_each(L, q, [w], t, [q_rate], w_rate, t_rate)[0])


def along_each(
    L: Lagrangian, q: Array, w: Sequence[Any], t: float, q_rate: Sequence[Any], w_rate: Any, t_rate: float
) -> Array:
    """Return what `along` does for each of several velocities and rates of q."""
    step = 1j * STEP
    points = [(q + step * r, x + step * w_rate, t + step * t_rate) for x, r in zip(w, q_rate, strict=True)]
    return np.asarray(numbers_at(L, points, "L").imag / STEP)


def gradient(L: Lagrangian, q: Array, v: Array, t: float) -> Array:
    """Return ∂L/∂q (n,) by complex steps."""
    return along_each(L, q, [v] * q.size, t, list(np.eye(q.size)), np.zeros(q.size), 0.0)


def momenta(L: Lagrangian, q: Any, v: Any, t: Any, h: Array, chosen: Iterable[int] | None = None) -> ComplexArray:
    """Return ∂L/∂v of the chosen components at complex q, v and t: central differences, exact for any steps h.

    Exact because L is at most quadratic in v; the rounding errors are those of L over h (see `steps_in_velocity`).
    """
    unit, indices = np.eye(h.size), list(range(h.size) if chosen is None else chosen)
    found = numbers_at(L, [(q, v + x * h[i] * unit[i], t) for i in indices for x in (1.0, -1.0)], "L")
    return np.asarray((found[::2] - found[1::2]) / (2.0 * h[indices]))


def steps_in_velocity(L: Lagrangian, q: Array, v: Array, t: float) -> Array:
    """Return steps h (n,) in the velocities with ½ M_ii h_i² of the size of the energies, where cancellation is least.

    Raises InputError unless L is analytic there and at most quadratic in the velocity: third differences along each
    component and along one direction with all of them vanish.
    """
    speed = max(1.0, float(np.max(np.abs(v))))
    rest = real_value(L, q, np.zeros(q.size), t)
    require_analytic_at(L, (q, v, t), "L")
    mixed = 0.7 + 0.5 * np.cos(1.0 + 3.0 * np.arange(q.size))
    ways = [k * speed * e for e in (*np.eye(q.size), mixed) for k in (-1.0, 1.0, 2.0)]
    lines = require_real(numbers_at(L, [(q, w, t) for w in ways], "L"), "L").reshape(-1, 3)
    inertia = (lines[:, 0] - 2.0 * rest + lines[:, 1]) / speed**2
    third = lines[:, 2] - 3.0 * lines[:, 1] + 3.0 * rest - lines[:, 0]
    size = np.max(np.abs(lines), axis=1) + abs(rest)
    if np.any(np.abs(third) > 1e-9 * size):
        i = int(np.argmax(np.abs(third) - 1e-9 * size))
        where = f"v[{i}]" if i < q.size else f"v = {mixed}"
        raise InputError(
            f"L is not a quadratic polynomial in the velocity: its third difference along {where} is not 0."
        )
    inertia = inertia[: q.size]
    energy = max(abs(rest), abs(real_value(L, q, v, t)))
    heavy = inertia > INERTIA * float(np.max(np.abs(inertia)))
    balanced = np.sqrt(energy / np.where(heavy, inertia, 1.0))
    return np.where(heavy & (balanced > 0.0), balanced, speed)


def vector_value(function: Any, arguments: tuple[Any, ...], size: int, name: str) -> ComplexArray:
    """Return a model function's value as a finite complex vector (size,). Raises InputError that names it."""
    value = evaluate(function, arguments, name)
    if value.size != size:
        raise InputError(f"{name} returns {value.size} numbers; {size} are expected.")
    return value
