"""Explicit Runge-Kutta tableaus: the classical method of order 4 and Dormand and Prince's pair of order 8(5,3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.numerics import dop853 as coefficients


@dataclass(frozen=True)
class Tableau:
    """Coefficients of an explicit Runge-Kutta method with s stages; e3, e5 weigh the stages of two error estimates."""

    name: str
    order: int
    A: Array  # (s, s)
    b: Array  # (s,)
    c: Array  # (s,)
    e3: Array  # (s,) zeros for fixed-step methods
    e5: Array  # (s,)

    @cached_property
    def adaptive(self) -> bool:
        """Whether the method estimates its own error."""
        return bool(np.any(self.e5))


EULER = Tableau(name="euler", order=1, A=np.zeros((1, 1)), b=np.ones(1), c=np.zeros(1), e3=np.zeros(1), e5=np.zeros(1))

RK4 = Tableau(
    name="rk4",
    order=4,
    A=np.array([[0.0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1.0, 0]]),
    b=np.array([1.0, 2.0, 2.0, 1.0]) / 6.0,
    c=np.array([0.0, 0.5, 0.5, 1.0]),
    e3=np.zeros(4),
    e5=np.zeros(4),
)


@cache
def dop853() -> Tableau:
    """Return Dormand and Prince's pair of order 8(5,3)."""
    stages = len(coefficients.A)
    return Tableau(
        name="dop853",
        order=8,
        A=np.array([row + [0.0] * (stages - len(row)) for row in coefficients.A]),
        b=np.array(coefficients.B),
        c=np.array(coefficients.C),
        e3=np.array(coefficients.E3),
        e5=np.array(coefficients.E5),
    )


@cache
def taylor() -> Tableau:
    """Return the same pair by the name of steps by Taylor series, in whose place it stands where these do not reach."""
    return replace(dop853(), name=TAYLOR)


TAYLOR = "taylor"
S6 = 6**0.5
RADAU = Tableau(
    name="radau",
    order=5,
    A=np.array(
        [
            [(88 - 7 * S6) / 360, (296 - 169 * S6) / 1800, (-2 + 3 * S6) / 225],
            [(296 + 169 * S6) / 1800, (88 + 7 * S6) / 360, (-2 - 3 * S6) / 225],
            [(16 - S6) / 36, (16 + S6) / 36, 1 / 9],
        ]
    ),
    b=np.array([(16 - S6) / 36, (16 + S6) / 36, 1 / 9]),
    c=np.array([(4 - S6) / 10, (4 + S6) / 10, 1.0]),
    e3=np.zeros(3),
    e5=np.array([-13 - 7 * S6, -13 + 7 * S6, -1.0]) / 3,
)

TABLEAUS: dict[str, Callable[[], Tableau]] = {
    "rk4": lambda: RK4,
    "dop853": dop853,
    "radau": lambda: RADAU,
    TAYLOR: taylor,
    "auto": dop853,  # until steps by Taylor series pay
}


def tableau_of(method: str) -> Tableau:
    """Return the tableau called `method`. Raises InputError for unknown names."""
    if not isinstance(method, str) or method not in TABLEAUS:
        raise InputError(f"method {method!r} is unknown; choose one of {', '.join(TABLEAUS)}, moreau.")
    return TABLEAUS[method]()
