"""The state of a mechanical system: positions, velocities and the time."""

from __future__ import annotations

from dataclasses import dataclass

from gauss.foundation.arrays import Array


@dataclass(frozen=True)
class State:
    """Generalized coordinates q, velocities v and time t, checked and ready for a compiled model."""

    q: Array  # (n,) generalized coordinates, each in its own unit
    v: Array  # (n,) velocities dq/dt
    t: float = 0.0  # s
