"""Looks at the rows of many states, and of the ways between them, in few compiled calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from gauss.foundation.arrays import Array
from gauss.model.compiled.buffer import Mapped
from gauss.model.compiled.steps.fused import FusedStep
from gauss.numerics.paths import at_share, cubic, pushed


class Looks:
    """The pivot of the rows at many states in few compiled calls, and the rows if they are asked for."""

    def __init__(self, step: FusedStep, rows: bool, walked: bool):
        self.n, look = step.n, step.pieces.look
        at = Mapped(look if rows else look.slice("pivot", range(look.n_in()), [0]))
        self._at = at.walked if walked else at

    def __call__(self, states: Array, theta: Array, weight: float) -> tuple[Array, Array]:
        """Return the pivots (N,) and the rows (N, k, n), or (N, 0, n) without them, at N states (N, 2n+1)."""
        n = self.n
        pivots, *J = self._at([states[:, 1 : n + 1], states[:, n + 1 :], states[:, 0], theta], [weight])
        rows = J[0] if J else np.zeros((len(states), 0))
        return pivots[:, 0], rows.reshape(len(states), n, rows.shape[1] // n).swapaxes(1, 2)


class Views(NamedTuple):
    """What is seen from N steps: at the state they leave, a little ahead of it, at shares of them, and at their end."""

    pivots: Array  # (N, s) at these s places: the first two, where nothing is asked about the steps
    lengths: Array  # (N, s, k) of the rows; (N, s, 0) where they are not asked for
    along: Array  # (N, k) products of the rows at both ends; (N, 0) where nothing is asked about the steps


class StepLooks:
    """Those looks of many steps in few compiled calls, at `shares` of them, if there are any."""

    def __init__(self, step: FusedStep, shares: Sequence[float], rows: bool, walked: bool):
        n, kind, pieces = step.n, step.pieces.kind, step.pieces
        x, y = (kind.sym(name, 2 * n + 1) for name in "xy")
        a, ahead, theta, w = (kind.sym("i", size) for size in (n, 1, pieces.constants, 1))
        (t, q, v), (s, p, u) = ((z[0], z[1 : n + 1], z[n + 1 :]) for z in (x, y))
        h = s - t
        places = [(t, q, v), (t + ahead, *pushed(q, v, a, ahead))]
        if shares:
            path = cubic(q, v, p, u, h)
            inner = ((share, *at_share(path, share)) for share in shares)
            places += [*((t + share * h, there, rate / h) for share, there, rate in inner), (s, p, u)]
        seen = [pieces.look(place, speed, time, theta, w) for time, place, speed in places]
        pivots, looks = ca.vertcat(*(pivot for pivot, _ in seen)), [ca.densify(J) for _, J in seen]
        k = looks[0].size1() if rows else 0
        lengths = ca.horzcat(*(ca.sqrt(ca.sum2(J**2)) for J in looks)) if k else kind.zeros(0, 1)
        along = ca.sum2(looks[0] * looks[-1]) if k and shares else kind.zeros(0, 1)
        at = Mapped(ca.Function("views", [x, y, a, ahead, theta, w], [pivots, lengths, along]))
        self._at: Any = at.walked if walked else at
        self._shape = len(places), k

    def __call__(self, x: Array, y: Array, a: Array, ahead: Array, theta: Array, weight: float) -> Views:
        """Look from N steps that lead from x to y (N, 2n+1), with the accelerations a (N, n) up to times `ahead` (N,).

        `theta` (N, p) are parameters and constant controls.
        """
        pivots, lengths, along = self._at([x, y, a, ahead, theta], [weight])
        return Views(pivots, lengths.T.reshape(*self._shape, len(x)).transpose(2, 0, 1), along)
