"""The state of a mechanical system: positions, velocities and the time."""

from __future__ import annotations

from dataclasses import dataclass

from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import listed


@advised
@dataclass(frozen=True, repr=False)
class State:
    """Generalized coordinates q, velocities v and time t, checked and ready for a compiled model.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ... )
    >>> state = pendulum.state([1, 0], [0, -2], 0.5)
    >>> state.v, state.t
    (array([ 0., -2.]), 0.5)
    """

    q: Array  # (n,) generalized coordinates, each in its own unit
    v: Array  # (n,) velocities dq/dt
    t: float = 0.0  # s

    def __repr__(self) -> str:
        return f"State(q = {listed(self.q)}, v = {listed(self.v)}, t = {self.t:g})"
