"""Rolling and spinning resistance: moments at a contact that are bounded by an arm times the normal force.

A contact that is not a point but a small patch resists rolling and spinning. With ω_r the angular velocity of rolling
(two components in the tangent plane, one in the plane) and ω_n that of spinning about the normal,

    |m_r| ≤ ρ_r p,  m_r = −ρ_r p ω_r/|ω_r| where it rolls;      |m_n| ≤ ρ_n p,  m_n = −ρ_n p sign ω_n where it spins.

The arms ρ_r and ρ_n are lengths (m): of a disc-shaped patch of radius c pressed evenly ρ_n = ⅔ μ c. Each moment has its
own cone over the same p (J. J. Kalker's coupling of sliding and spinning is left out).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from gauss.errors import InputError
from gauss.foundation.arrays import Array, as_array, matrix, scalar, unit_rows, vector

KINDS = ("rolling", "spinning")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Resistance:
    """One friction of one contact in numbers: |t| ≤ coefficient · p, with the rate ẇ = rows a − right.

    Sliding friction is one with coefficient μ and two rows, rolling resistance one with an arm ρ.

    >>> import gauss as g
    >>> rolling = g.contact.Resistance.of(0, rows=[0.0, 1.0], right=0.0, arm=0.01, velocity=-3.0)  # m, rad/s
    >>> rolling.moving, rolling.direction.tolist(), rolling.kinetic
    (True, [-1.0], 0.01)
    """

    contact: int
    rows: Array  # (d, n), d = 1 or 2
    right: Array  # (d,)
    kinetic: float
    static: float
    velocity: Array  # (d,) what is resisted now: zero at rest
    kind: str  # "sliding", or what else is resisted: "rolling", "spinning", the name of the friction

    @property
    def moving(self) -> bool:
        """Whether it slides, rolls or spins already."""
        return bool(np.any(self.velocity))

    @property
    def direction(self) -> Array | None:
        """The unit vector (d,) of the velocity, None at rest."""
        return unit_rows((self.velocity / np.max(np.abs(self.velocity)))[None])[0] if self.moving else None

    @staticmethod
    def of(
        contact: int,
        rows: ArrayLike,
        right: ArrayLike,
        arm: float,
        velocity: ArrayLike,
        *,
        static: float | None = None,
        kind: str = "rolling",
    ) -> Resistance:
        """Check and build a resistance from plain arrays: rows (d, n) or (n,), right and velocity (d,), arm ρ (m).

        Raises InputError for wrong shapes, nan, an unknown kind and arms without 0 ≤ ρ ≤ ρ_static.
        """
        where = f"the resistance of contact {contact}"
        if isinstance(contact, bool) or not isinstance(contact, int | np.integer):
            raise InputError(f"a resistance needs the number of its contact, 0, 1, …, got {contact!r}.")
        table = as_array(rows, f"the rows of {where}")
        table = table[None] if table.ndim == 1 else table
        d = len(table)
        if table.ndim != 2 or d not in (1, 2):
            raise InputError(f"the rows of {where} have shape {table.shape}, expected (1, n) or (2, n).")
        _check_kind(kind)
        if kind == "spinning" and d != 1:
            raise InputError(f"{where} has {d} rows; spinning about the normal has one.")
        kinetic, rest = _arms(arm, static, where)
        return Resistance(
            contact,
            matrix(table, (d, table.shape[1]), f"the rows of {where}"),
            vector(right, d, f"right of {where}"),
            kinetic,
            rest,
            vector(velocity, d, f"the velocity of {where}"),
            kind,
        )


def listed(given: Item | Iterable[Item], kind: type[Item], what: str) -> tuple[Item, ...]:
    """Return one object or several as a tuple. Raises InputError for objects of another kind."""
    items = (given,) if isinstance(given, kind) else tuple(given) if isinstance(given, Iterable) else None
    wrong = given if items is None else next((item for item in items if not isinstance(item, kind)), None)
    if items is None or wrong is not None:
        raise InputError(f"{what} must be one {kind.__name__} or a list of them, got {wrong!r}.")
    return items


def _arms(arm: float, static: float | None, where: str) -> tuple[float, float]:
    kinetic = scalar(arm, f"the arm at {where}")
    rest = kinetic if static is None else scalar(static, f"the static arm at {where}")
    if kinetic < 0.0 or rest < kinetic:
        raise InputError(f"0 ≤ arm ≤ static arm is needed at {where}, but they are {kinetic:g} and {rest:g}.")
    return kinetic, rest


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise InputError(f"a resistance is of the kind {' or '.join(map(repr, KINDS))}, got {kind!r}.")
