"""Semismooth Newton's method for the contact problem.

The equations are those of P. Alart and A. Curnier (Comput. Methods Appl. Mech. Eng. 92, 1991). At the impulses x the
signs of p − r u_n and the lengths of t − r u_t say which contacts are open, stick or slip; then

    open: p = t = 0;   stick: u_n = 0, u_t = 0;   slip: u_n = 0, t = μ p n̂ + c P (t − r u_t),

with n̂ the direction of t − r u_t, P the projection across it, and c = μ p̂/|t − r u_t| < 1. In the plane P = 0 and all
equations are linear, so that the right modes give the solution in one step. Contacts that depend on one another leave
impulses undetermined; a term ε W_ii (x − x_old), which vanishes in the limit, keeps those where they are.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import MatrixRankWarning, spsolve

from gauss.arrays import Array, Flags, Indices
from gauss.nonsmooth.program import Program

KEEP = 1e-9  # ε
AIM = 1e-13  # residual at which the iteration ends, relative to the rates


def newton(program: Program, x: Array, limit: int) -> tuple[Array, float, int]:
    """Return the best iterate, inside the cones, its residual, and the number of linear systems solved."""
    best = program.inside(x)
    error = program.residual(best)
    seen: set[bytes] = set()
    for done in range(limit):
        if error <= AIM:
            return best, error, done
        touching, sticking, linear = _modes(program, x)
        mark = touching.tobytes() + sticking.tobytes()
        x = _step(program, x, touching, sticking, linear)
        if not np.all(np.isfinite(x)):
            return best, error, done + 1
        inside = program.inside(x)
        now = program.residual(inside)
        gained = now < 0.3 * error
        if now < error:
            best, error = inside, now
        if mark in seen and not gained and program.tangents < 2:
            return best, error, done + 1  # the same modes again without progress: converged to rounding, or a cycle
        seen.add(mark)
    return best, error, limit


def _modes(program: Program, x: Array) -> tuple[Flags, Flags, tuple[Array, Array, Array]]:
    """Return who touches and who sticks (k,), and p̂ (k,), t̂ (k, d) and |t̂| (k,) of the projections."""
    normal, tangent = program.diagonal
    p, t = program.split(x)
    un, ut = program.split(program.rates(x))
    push, pull = p - un / normal, t - ut / tangent[:, None]
    length = np.linalg.norm(pull, axis=1)
    touching = push > 0.0
    sticking = touching & (length < program.friction * push)
    return touching, sticking, (push, pull, length)


def _step(program: Program, x: Array, touching: Flags, sticking: Flags, linear: tuple[Array, Array, Array]) -> Array:
    """Return the impulses (k (1 + d),) that satisfy the equations of the modes."""
    k, d = program.count, program.tangents
    out = np.zeros_like(x)
    chosen = np.flatnonzero(touching)
    if not len(chosen):
        return out
    if program.dense is not None:
        return _full_step(program, program.dense, x, chosen, sticking, linear[1])
    rough = chosen[program.friction[chosen] > 0.0] if d else chosen[:0]
    place = np.concatenate([chosen, (k + rough[:, None] * d + np.arange(d)).ravel()])
    rows = program.W[place]
    block = rows[:, place]
    scale, add = _scaled(program, chosen, rough, sticking, linear)
    own = block.diagonal()
    keep = KEEP * np.maximum(own, np.max(own) * 1e-6)
    left = scale @ (block + sp.diags(keep)) + add
    right = -(scale @ (program.c[place] - keep * x[place]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MatrixRankWarning)
        out[place] = spsolve(left.tocsc(), right)
    return out


def _full_step(program: Program, W: Array, x: Array, chosen: Indices, sticking: Flags, pull: Array) -> Array:
    """Return the impulses (k (1 + d),) of the modes by full matrices, in the plane: t = μ p n̂ of slips eliminated."""
    k, m = program.count, len(chosen)
    out = np.zeros_like(x)
    stick = np.flatnonzero(sticking) if program.tangents else chosen[:0]
    place = np.concatenate([chosen, k + stick])
    left = W[np.ix_(place, place)]
    if program.tangents:
        slope = np.where(sticking, 0.0, program.friction * np.sign(pull[:, 0]))[chosen]
        slips = np.flatnonzero(slope)
        left[:, slips] += W[np.ix_(place, k + chosen[slips])] * slope[slips]
    own = W[place, place]
    keep = KEEP * np.maximum(own, np.max(own) * 1e-6)
    left[np.arange(len(place)), np.arange(len(place))] += keep
    try:
        y = np.linalg.solve(left, keep * x[place] - program.c[place])
    except np.linalg.LinAlgError:
        return np.full_like(x, np.nan)
    out[place] = y
    if program.tangents:
        out[k + chosen] = np.where(sticking[chosen], out[k + chosen], slope * y[:m])
    return out


def _scaled(
    program: Program, chosen: Indices, rough: Indices, sticking: Flags, linear: tuple[Array, Array, Array]
) -> tuple[Any, Any]:
    """Return sparse matrices A, B of the equations A (W y + c) + B y = 0 of the modes, y = (p, t) of those chosen."""
    d, m = program.tangents, len(chosen)
    push, pull, length = linear
    stick = sticking[rough]
    n = pull[rough] / np.where(length[rough] > 0.0, length[rough], 1.0)[:, None]
    mu = program.friction[rough]
    share = np.where(stick, 0.0, mu * push[rough] / np.where(length[rough] > 0.0, length[rough], 1.0))
    across = share[:, None, None] * (np.eye(d) - n[:, :, None] * n[:, None, :])  # c P
    r = 1.0 / program.diagonal[1][rough]
    on_rates = np.where(stick[:, None, None], np.eye(d), r[:, None, None] * across)
    on_t = np.where(stick[:, None, None], 0.0, np.eye(d) - across)
    on_p = np.where(stick[:, None], 0.0, -mu[:, None] * n)
    where = np.searchsorted(chosen, rough)
    tangent = m + np.arange(len(rough) * d).reshape(len(rough), d)
    i = np.repeat(tangent, d, axis=1).ravel()
    j = np.tile(tangent, (1, d)).ravel()
    size = m + len(rough) * d
    first = np.arange(m)
    A = sp.csr_matrix(
        (np.concatenate([np.ones(m), on_rates.ravel()]), (np.concatenate([first, i]), np.concatenate([first, j]))),
        shape=(size, size),
    )
    data = np.concatenate([on_t.ravel(), on_p.ravel()])
    column = np.concatenate([j, np.repeat(where, d)])
    B = sp.csr_matrix((data, (np.concatenate([i, tangent.ravel()]), column)), shape=(size, size))
    return A, B
