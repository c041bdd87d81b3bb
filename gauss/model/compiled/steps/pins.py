"""The torques of dry pins that turn, within a compiled acceleration.

The multipliers are affine in the torques −c_j y_j, c_j = ±c, of the pins, and y_j = |λ_j| of the two rows of each:

    y_j = |u_j + Σ_k U_jk y_k|,    u_j the load without these torques, U_jk what the torque of pin k adds for y_k = 1.

For one pin this is (1 − |U|²) y² − 2 u·U y − |u|² = 0, and of its roots the one that goes over into |u| as c → 0. For
several it is solved by sweeps and Newton's iteration. The second number that comes back tells how far this is from
having no such root, as a pivot does: for one pin the derivative of y − |u + U y| there, 0 where two roots meet; for
several 1 less a bound of the contraction's factor, so that the root is the only one while it is positive.
"""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np

from gauss.model.compiled.steps.kkt import eliminated, substituted

TINY = float(np.finfo(float).tiny) ** 0.5
SWEEPS = 2  # of the contraction
POWERS = 3  # of C = |U_jk| in the bound max (C w)_j/w_j of its spectral radius (Collatz and Wielandt)
NEWTON = 6  # iterations after them; from a factor of 1/2 they reach rounding in five


@cache
def pin_loads(count: int) -> ca.Function:
    """Return (u (2, p), U (2p, p)) → (y (p,), pivot) for p pins; rows 2j and 2j + 1 of U belong to pin j."""
    u, U = ca.SX.sym("u", 2, count), ca.SX.sym("U", 2 * count, count)
    y, pivot = _single(u, U) if count == 1 else _several(u, U, count)
    return ca.Function("pin_loads", [u, U], [y, pivot])


def _single(u: ca.SX, U: ca.SX) -> tuple[ca.SX, ca.SX]:
    size = ca.sqrt(ca.dot(u, u))
    lead, half = 1.0 - ca.dot(U, U), ca.dot(u, U) / (size + TINY)  # lead y² − 2 half y − 1 = 0, y in units of |u|
    root = ca.sqrt(half**2 + lead)
    y = ca.if_else(half > 0.0, (half + root) / lead, 1.0 / (root - half))
    y = ca.if_else(ca.logic_and(half > 0.0, lead <= 0.0), np.nan, y)  # no root that is positive
    return size * y, ca.fmin(root / y, 1.0)


def _several(u: ca.SX, U: ca.SX, count: int) -> tuple[ca.SX, ca.SX]:
    def loads(y: ca.SX) -> tuple[ca.SX, ca.SX]:
        d = ca.reshape(u, 2 * count, 1) + U @ y
        return d, ca.vertcat(*(ca.sqrt(ca.dot(d[2 * j : 2 * j + 2], d[2 * j : 2 * j + 2])) for j in range(count)))

    y = loads(ca.SX.zeros(count))[1]
    for _ in range(SWEEPS):
        y = loads(y)[1]
    for _ in range(NEWTON):
        d, length = loads(y)
        slope = ca.vertcat(
            *(d[2 * j : 2 * j + 2].T @ U[2 * j : 2 * j + 2, :] / (length[j] + TINY) for j in range(count))
        )
        # I − slope of a contraction is near I, and so needs no exchange of rows
        y = y - substituted(*eliminated(ca.SX.eye(count) - slope), y - length)
    C = ca.vertcat(*(ca.horzcat(*(ca.norm_2(U[2 * j : 2 * j + 2, k]) for k in range(count))) for j in range(count)))
    w = ca.SX.ones(count)
    for _ in range(POWERS):
        w = C @ w + TINY
    return y, 1.0 - ca.mmax((C @ w) / w)
