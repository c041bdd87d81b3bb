"""`Event`: a scalar function whose zeros a user asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.calls import advised
from gauss.foundation.portable import Portable


@advised
@dataclass(frozen=True, repr=False)
class Event(Portable):
    """A scalar function of q, v, t, p whose zero crossings are located, recorded and, if `terminal`, end the run.

    `direction` is +1 for upward crossings only, −1 for downward ones, 0 for both.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ... )
    >>> lowest = g.Event("lowest point", lambda q: q.x, terminal=True)
    >>> run = g.simulate(pendulum, [1, 0], t_end=10.0, events=[lowest])
    >>> print(run.events[0])
    event 'lowest point' at t = 0.591960486895 s
    """

    name: str
    function: Callable[..., Any]
    direction: int = 0
    terminal: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f"an event needs a name as its first argument, got {self.name!r}.")
        if np.ndim(self.direction) != 0 or self.direction not in (-1, 0, 1):
            raise InputError(f"the direction of event {self.name!r} must be −1, 0 or 1, got {self.direction!r}.")

    def plain(self) -> list[Any]:
        """Return what tells it from other events."""
        return [self.name, self.direction, self.terminal, self.function]

    def __repr__(self) -> str:
        way = {1: ", upwards", -1: ", downwards"}.get(self.direction, "")
        return f"Event({self.name!r}{way}{', terminal' if self.terminal else ''})"
