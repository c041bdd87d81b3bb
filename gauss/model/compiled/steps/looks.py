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

SHORTEST = 0.05  # share of the time |q|/|v| within which something is looked for, however short the steps are
PROBE = 1e-3  # share of that over which the rate of the pivots is taken
FALLEN = 0.5  # change of the indicator of dependence inside a step for which it is looked at more closely


class Looks:
    """The pivot of the rows at many states in few compiled calls, and the rows if they are asked for."""

    def __init__(self, step: FusedStep, rows: bool, walked: bool):
        self.n = step.n
        at = Mapped(step.pieces.look if rows else step.pieces.pivot)
        self._at = at.walked if walked else at

    def __call__(self, states: Array, theta: Array, weight: float) -> tuple[Array, Array]:
        """Return the pivots (N,) and the rows (N, k, n), or (N, 0, n) without them, at N states (N, 2n+1)."""
        n = self.n
        pivots, *J = self._at([states[:, 1 : n + 1], states[:, n + 1 :], states[:, 0], theta], [weight])
        rows = J[0] if J else np.zeros((len(states), 0))
        return pivots[:, 0], rows.reshape(len(states), n, rows.shape[1] // n).swapaxes(1, 2)


class Sizes(NamedTuple):
    """What is seen of the motion itself at N states, (N,) each."""

    position: Array  # |q|
    speed: Array  # |v|
    push: Array  # |a|
    onward: Array  # v·a
    within: Array  # s, within which something is looked for


class Views(NamedTuple):
    """What is seen from N steps: at the state they leave, a little ahead of it, and on their way."""

    sines: Array  # (N, 2) roots of the pivots at both places, 0 where these are negative
    lengths: Array  # (N, 2, k) of the rows there; (N, 2, 0) where they are not asked for
    way: Array  # (N, 2), or (N, 0) where nothing is asked about it. First is how far the least indicator (see
    # `look_ahead`) behind the start is above the share `FALLEN` of the largest one, or the least product of a row with
    # itself at both ends, the smaller of them. Second are all pivots and lengths added, not finite where one is not
    sizes: Sizes


class StepLooks:
    """Those looks of many steps in few compiled calls, at `shares` of them, if there are any."""

    def __init__(self, step: FusedStep, shares: Sequence[float], rows: bool, walked: bool):
        n, kind, pieces = step.n, step.pieces.kind, step.pieces
        x, y = (kind.sym(name, 2 * n + 1) for name in "xy")
        a, tried, theta, end, w = (kind.sym("i", size) for size in (n, 1, pieces.constants, 1, 1))
        (t, q, v), (s, p, u) = ((z[0], z[1 : n + 1], z[n + 1 :]) for z in (x, y))
        position, speed, h = ca.norm_2(q), ca.norm_2(v), s - t
        within = ca.fmax(tried, ca.fmin(SHORTEST * position * speed / (speed**2 + TINY), end - t))
        ahead, sizes = PROBE * within, ca.vertcat(position, speed, ca.norm_2(a), ca.dot(v, a), within)
        places = [(t, q, v), (t + ahead, *pushed(q, v, a, ahead))]
        if shares:
            path = cubic(q, v, p, u, h)
            inner = ((share, *at_share(path, share)) for share in shares)
            places += [*((t + share * h, there, rate / h) for share, there, rate in inner), (s, p, u)]
        look = pieces.look if rows else pieces.pivot  # rows of large systems cost far more than their pivot
        seen = [look.call([place, speed, time, theta, w]) for time, place, speed in places]
        pivots, looks = ca.vertcat(*(pivot for pivot, *_ in seen)), [ca.densify(J) for _, *rest in seen for J in rest]
        k = looks[0].size1() if rows else 0
        lengths = [ca.sqrt(ca.sum2(J**2)) for J in looks] if k else [kind.zeros(0, 1)] * len(places)
        way = kind.zeros(0, 1)
        if shares:
            shown = [i for i in range(len(places)) if i != 1]  # all but that a little ahead of the start
            longest = [ca.fmax(TINY, ca.mmax(ca.vertcat(*(lengths[i][j] for i in shown)))) for j in range(k)]
            least = [ca.mmin(ca.vertcat(1.0, *(lengths[i][j] / longest[j] for j in range(k)))) for i in shown]
            values = [ca.sqrt(ca.fmax(pivots[i], 0.0)) * share for i, share in zip(shown, least, strict=True)]
            along = ca.mmin(ca.vertcat(1.0, ca.sum2(looks[0] * looks[-1]))) if k else 1.0
            total = ca.sum1(pivots) + ca.sum1(ca.vertcat(0.0, *lengths))
            kept = ca.mmin(ca.vertcat(*values[1:])) - FALLEN * ca.mmax(ca.vertcat(*values))
            way = ca.vertcat(ca.fmin(kept, along), total)
        sines = ca.sqrt((pivots[:2] + ca.fabs(pivots[:2])) / 2.0)  # nan stays nan
        outputs = [sines, ca.vertcat(*lengths[:2]), way, sizes]
        at = Mapped(ca.Function("views", [x, y, a, tried, theta, end, w], outputs))
        self._at: Any = at.walked if walked else at
        self._rows = k

    def __call__(self, x: Array, y: Array, a: Array, tried: Array, theta: Array, end: float, weight: float) -> Views:
        """Look from N steps that lead from x to y (N, 2n+1), with the accelerations a (N, n), up to the time `end`.

        `tried` (N,) are the longest steps that were tried from there, `theta` (N, p) parameters and constant controls.
        """
        sines, lengths, way, sizes = self._at([x, y, a, tried, theta], [end, weight])
        return Views(sines, lengths.T.reshape(2, self._rows, len(x)).transpose(2, 0, 1), way, Sizes(*sizes.T))
