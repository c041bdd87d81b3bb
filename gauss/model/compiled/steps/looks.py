"""Looks at the rows of many states, and of the ways between them, in few compiled calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from gauss.foundation.arrays import Array
from gauss.model.compiled.buffer import Mapped
from gauss.model.compiled.steps.fused import FusedStep
from gauss.model.compiled.steps.independence import TINY
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
    """What is seen from N steps: at the state they leave, a little ahead of it, and on their way."""

    pivots: Array  # (N, 2) at both places
    lengths: Array  # (N, 2, k) of the rows there; (N, 2, 0) where they are not asked for
    way: Array  # (N, 4), or (N, 0) where nothing is asked about it: the least indicator (see `look_ahead`) behind the
    # start, the largest one, the least product of a row with itself at both ends (1 at most), and the sum of all
    # pivots and lengths, which is not finite where any of them is not


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
        lengths, way = [ca.sqrt(ca.sum2(J**2)) if k else kind.zeros(0, 1) for J in looks], kind.zeros(0, 1)
        if shares:
            shown = [i for i in range(len(places)) if i != 1]  # all but that a little ahead of the start
            longest = [ca.fmax(TINY, ca.mmax(ca.vertcat(*(lengths[i][j] for i in shown)))) for j in range(k)]
            least = [ca.mmin(ca.vertcat(1.0, *(lengths[i][j] / longest[j] for j in range(k)))) for i in shown]
            values = [ca.sqrt(ca.fmax(pivots[i], 0.0)) * share for i, share in zip(shown, least, strict=True)]
            along = ca.mmin(ca.vertcat(1.0, ca.sum2(looks[0] * looks[-1]))) if k else 1.0
            total = ca.sum1(pivots) + ca.sum1(ca.vertcat(0.0, *lengths))
            way = ca.vertcat(ca.mmin(ca.vertcat(*values[1:])), ca.mmax(ca.vertcat(*values)), along, total)
        outputs = [pivots[:2], ca.vertcat(*lengths[:2]), way]
        at = Mapped(ca.Function("views", [x, y, a, ahead, theta, w], outputs))
        self._at: Any = at.walked if walked else at
        self._rows = k

    def __call__(self, x: Array, y: Array, a: Array, ahead: Array, theta: Array, weight: float) -> Views:
        """Look from N steps that lead from x to y (N, 2n+1), with the accelerations a (N, n) up to times `ahead` (N,).

        `theta` (N, p) are parameters and constant controls.
        """
        pivots, lengths, way = self._at([x, y, a, ahead, theta], [weight])
        return Views(pivots, lengths.T.reshape(2, self._rows, len(x)).transpose(2, 0, 1), way)
