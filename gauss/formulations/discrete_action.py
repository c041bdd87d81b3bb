"""The discrete action along a trajectory: how nearly the recorded motion makes the action stationary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.formulations._analytic import require_analytic_at
from gauss.formulations._lagrangian import Force, Lagrangian, along, force_at
from gauss.foundation.arrays import Array, as_array, matrix, positive, scalar
from gauss.foundation.outcomes import Shown

RANK = 1e-9  # singular values of the rows that count, relative to the largest: dependent rows span no more

Jacobian = Callable[[Array, Array, float], Any]  # q, v, t → J (m, n)


@dataclass(frozen=True, repr=False)
class ActionOrder(Shown):
    """Residuals of the discrete action with several time steps, and the order at which they vanish."""

    steps: Array  # (k,) s, decreasing
    residuals: Array  # (k,) largest residual at each step, in the units of generalized forces
    orders: Array  # (k − 1,) between successive steps; 2 for a motion of the system

    @property
    def order(self) -> float:
        """The order between the two smallest steps."""
        return float(self.orders[-1])


def discrete_action_residual(
    L: Lagrangian,
    times: object,
    positions: object,
    rows: Jacobian | None = None,
    force: Force | None = None,
) -> Array:
    """Return the residual (N − 1, n) of the discrete Euler-Lagrange equations at the inner points of a trajectory.

    `times` (N + 1,) equally spaced by h, `positions` (N + 1, n) recorded there. The discrete Lagrangian is the midpoint
    rule, L_d(q₀, q₁, t) = h L(½(q₀ + q₁), (q₁ − q₀)/h, t + ½h), and

        h r_k = D₂L_d(q_{k−1}, q_k) + D₁L_d(q_k, q_{k+1}) + ½h(Q_{k−½} + Q_{k+½}) + h J(q_k)ᵀλ_k

    with the λ_k that make r_k smallest: variations along ker J(q_k) (discrete Lagrange-d'Alembert principle). `rows`
    (q, v, t) → J (m, n), with v the central difference, may be holonomic or nonholonomic and dependent. r has the units
    of a generalized force. Along a motion of the system r = O(h²); along any other curve r tends to the force that is
    missing there.

    No acceleration, mass matrix or row right-hand side is used: the equations of motion are tested as a property of the
    trajectory alone. Not equivalent to Gauss's principle: at singular positions ker J is larger than the set of
    possible displacements, so true motions may leave a residual there; and an impact between two points is seen as a
    force of size 1/h.

    Raises InputError for times that are not equally spaced, fewer than three, or the wrong shapes, and for an L that
    cannot be evaluated.

    >>> import numpy as np
    >>> from gauss.formulations import discrete_action_residual
    >>> t = np.linspace(0, 1, 11)
    >>> stone = lambda q, v, t: 0.5 * v[0] ** 2 - 9.81 * q[0]
    >>> throws = [5 * t - 0.5 * 9.81 * t**2, 5 * t - 0.5 * 9 * t**2]  # the motion, and one that lacks 0.81 N
    >>> [abs(discrete_action_residual(stone, t, z[:, None])).max().round(6).item() for z in throws]
    [0.0, 0.81]
    """
    t = as_array(times, "times").ravel()
    if t.size < 3:
        raise InputError(f"times has {t.size} entries; at least 3 are expected.")
    n = as_array(positions, "positions").size // t.size
    q = matrix(positions, (t.size, n), "positions")
    h = positive((t[-1] - t[0]) / (t.size - 1), "the step of times")
    if np.max(np.abs(np.diff(t) - h)) > 1e-9 * max(h, float(np.max(np.abs(t)))):
        raise InputError("times must be equally spaced.")
    middle, rate, when = 0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / h, 0.5 * (t[1:] + t[:-1])
    require_analytic_at(L, (middle[0], rate[0], float(when[0])), "L")
    halves = [_slopes(L, force, *point, h) for point in zip(middle, rate, when, strict=True)]
    first, second = (np.array(side) for side in zip(*halves, strict=True))
    residual: Array = (second[:-1] + first[1:]) / h
    if rows is not None and not callable(rows):
        raise InputError(f"rows must be a function of q, v, t that returns J, got {type(rows).__name__}.")
    if rows is not None:
        for k in range(len(residual)):
            v = (q[k + 2] - q[k]) / (2.0 * h)
            J = as_array(rows(q[k + 1], v, float(t[k + 1])), "rows").reshape(-1, n)
            residual[k] = _across(J, residual[k])
    return residual


def discrete_action_order(
    L: Lagrangian,
    motion: Callable[[Array], Any],
    interval: tuple[float, float],
    counts: Sequence[int] = (50, 100, 200),
    rows: Jacobian | None = None,
    force: Force | None = None,
) -> ActionOrder:
    """Return the largest residual of the discrete action for each number of steps, and the orders between them.

    `motion`(times) returns positions (N + 1, n), `interval` is (t₀, t₁) in s, `counts` are numbers of equal steps,
    each larger than the one before. A motion of the system has order 2; a curve that is not one has order 0. With
    errors δ of the recorded positions the residual does not fall below about M δ/h².

    Raises InputError as `discrete_action_residual`, and for counts that do not grow.

    >>> import numpy as np
    >>> from gauss.formulations import discrete_action_order
    >>> oscillator = lambda q, v, t: 0.5 * v[0] ** 2 - 0.5 * q[0] ** 2
    >>> found = discrete_action_order(oscillator, lambda t: np.cos(t)[:, None], (0, 1))
    >>> round(found.order, 2)  # cos t is a motion
    2.0
    """
    start, stop = scalar(interval[0], "interval[0]"), scalar(interval[1], "interval[1]")
    if len(counts) < 2 or any(b <= a for a, b in pairwise(counts)):
        raise InputError(f"counts = {list(counts)}: at least two growing numbers of steps are expected.")
    if not callable(motion):
        raise InputError(f"motion must be a function of times that returns positions, got {type(motion).__name__}.")
    found = []
    for count in counts:
        t = np.linspace(start, stop, count + 1)
        found.append(float(np.max(np.abs(discrete_action_residual(L, t, motion(t), rows, force)))))
    steps, residuals = (stop - start) / np.array(counts, dtype=float), np.array(found)
    with np.errstate(divide="ignore", invalid="ignore"):
        orders = np.log(residuals[:-1] / residuals[1:]) / np.log(steps[:-1] / steps[1:])
    return ActionOrder(steps, residuals, orders)


def _slopes(L: Lagrangian, force: Force | None, q: Array, v: Array, t: float, h: float) -> tuple[Array, Array]:
    """Return D₁L_d + ½hQ and D₂L_d + ½hQ, each (n,), of one step with midpoint q, rate v and middle time t."""
    unit, zero = np.eye(q.size), np.zeros(q.size)
    L_q = np.array([along(L, q, v, float(t), e, zero, 0.0) for e in unit])
    L_v = np.array([along(L, q, v, float(t), zero, e, 0.0) for e in unit])
    shared = 0.5 * h * (L_q + force_at(force, q, v, float(t)))
    return shared - L_v, shared + L_v


def _across(J: Array, residual: Array) -> Array:
    """Return the residual less its part in the span of the rows."""
    lengths = np.linalg.norm(J, axis=1)
    unit = J[lengths > 0.0] / lengths[lengths > 0.0, None]
    if not len(unit):
        return residual
    _, sigma, W = np.linalg.svd(unit, full_matrices=False)
    kept = W[sigma > RANK * sigma[0]]
    return np.asarray(residual - kept.T @ (kept @ residual))
