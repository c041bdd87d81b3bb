"""Semismooth Newton's method for the contact problem.

The equations are those of P. Alart and A. Curnier (Comput. Methods Appl. Mech. Eng. 92, 1991). At the impulses x the
signs of p − r u_n and the lengths of t − r u_t say which contacts are open, stick or slip; then

    open: p = t = 0;   stick: u_n = 0, u_t = 0;   slip: u_n = 0, t = μ p n̂ + c P (t − r u_t),

with n̂ the direction of t − r u_t, P the projection across it, and c = μ p̂/|t − r u_t| < 1. In the plane P = 0 and all
equations are linear, so that the right modes give the solution in one step. Contacts that depend on one another leave
impulses undetermined; a term ε W_ii (x − x_old), which vanishes in the limit, keeps those where they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gauss.foundation.arrays import Array, Flags
from gauss.nonsmooth.solving.program import Program

KEEP = 1e-9  # ε
AIM = 1e-13  # residual at which the iteration ends, relative to the rates


class _Factorised(NamedTuple):
    """The matrix S W + B of a step, and what solves systems with it."""

    S: Array  # (k, 1 + d, 1 + d)
    B: Array  # (k, 1 + d, 1 + d)
    solve: Callable[[Array], Array]


def newton(
    program: Program, x: Array, limit: int, hopeless: float = np.inf, promising: float = np.inf
) -> tuple[Array, float, int]:
    """Return the best iterate, inside the cones, its residual, and the number of linear systems solved.

    It ends where the first step leaves a residual above `hopeless`, and at once where x has one above `promising`.
    """
    best = program.inside(x)
    error = program.residual(best)
    if error > promising:
        return best, error, 0
    seen: set[bytes] = set()
    factors = None
    for done in range(limit):
        if error <= AIM:
            return best, error, done
        touching, sticking, linear = _modes(program, x)
        mark = touching.tobytes() + sticking.tobytes()
        x, factors = _step(program, x, touching, sticking, linear, factors)
        if not np.all(np.isfinite(x)):
            return best, error, done + 1
        inside = program.inside(x)
        now = program.residual(inside)
        gained = now < 0.3 * error
        if now < error:
            best, error = inside, now
        if now > hopeless and not done:
            return best, error, 1
        if mark in seen and not gained and program.tangents < 2:
            return best, error, done + 1  # the same modes again without progress: converged to rounding, or a cycle
        seen.add(mark)
    return best, error, limit


def modes_of(program: Program, x: Array) -> bytes:
    """Return what tells the modes at impulses x from others."""
    touching, sticking, (_, pull, _) = _modes(program, x)
    return touching.tobytes() + sticking.tobytes() + (pull > 0.0).tobytes()


def _modes(program: Program, x: Array) -> tuple[Flags, Flags, tuple[Array, Array, Array]]:
    """Return who touches and who sticks (k,), and p̂ (k,), t̂ (k, d) and |t̂| (k,) of the projections."""
    normal, tangent = program.diagonal
    p, t = program.split(x)
    un, ut = program.split(program.rates(x))
    push, pull = p - un / normal, t - ut / tangent[:, None]
    length = np.abs(pull[:, 0]) if program.tangents == 1 else np.linalg.norm(pull, axis=1)
    touching = push > 0.0
    sticking = touching & (length < program.friction * push)
    return touching, sticking, (push, pull, length)


def step_in(program: Program, x: Array, touching: Flags, sticking: Flags) -> Array:
    """Return the impulses (k (1 + d),) after one step from x in given modes."""
    return _step(program, x, touching, sticking, _modes(program, x)[2])[0]


def _step(
    program: Program,
    x: Array,
    touching: Flags,
    sticking: Flags,
    linear: tuple[Array, Array, Array],
    factors: _Factorised | None = None,
) -> tuple[Array, _Factorised | None]:
    """Return the impulses (k (1 + d),) that satisfy the equations of the modes, S (W y + c) + B y = K x, and factors.

    Equations without W are multiplied by W_ii, so that all have the same unit. The factors of the step before serve
    again where the matrix is the same.
    """
    k, d = program.count, program.tangents
    normal, tangent = program.diagonal
    S, B = np.zeros((k, 1 + d, 1 + d)), np.zeros((k, 1 + d, 1 + d))
    keep = KEEP * normal * touching, KEEP * tangent * sticking
    S[:, 0, 0], B[:, 0, 0] = touching, np.where(touching, keep[0], normal)
    (c, ct), (p, t) = program.split(program.c), program.split(x)
    push, pull, length = linear
    slipping = touching & ~sticking
    if d == 1:  # what is across the slip is nothing
        S[:, 1, 1], B[:, 1, 1] = sticking, np.where(sticking, keep[1], tangent)
        B[:, 1, 0] = np.where(slipping, -program.friction * tangent * np.sign(pull[:, 0]), 0.0)
        moved = sticking * ct[:, 0]
    elif d:
        n = pull / np.where(length > 0.0, length, 1.0)[:, None]
        share = np.where(slipping, program.friction * push / np.where(length > 0.0, length, 1.0), 0.0)
        across = share[:, None, None] * (np.eye(d) - n[:, :, None] * n[:, None, :])  # c P
        stick = sticking[:, None, None]
        S[:, 1:, 1:] = np.where(stick, np.eye(d), across)
        B[:, 1:, 1:] = np.where(
            stick, keep[1][:, None, None] * np.eye(d), tangent[:, None, None] * (np.eye(d) - across)
        )
        B[:, 1:, 0] = np.where(slipping, -program.friction * tangent, 0.0)[:, None] * n
        moved = (S[:, 1:, 1:] @ ct[:, :, None]).ravel()
    right = keep[0] * p - touching * c
    if d:
        right = np.concatenate([right, (keep[1][:, None] * t).ravel() - moved])
    try:
        if factors is None or not (np.array_equal(B, factors.B) and np.array_equal(S, factors.S)):
            factors = _Factorised(S, B, program.blocks.system(B, S))
        return factors.solve(right), factors
    except RuntimeError:
        return np.full_like(x, np.nan), None
