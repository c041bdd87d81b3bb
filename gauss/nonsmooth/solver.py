"""Impulses of the contact problem: Newton's method where it converges at once, proximal points elsewhere.

Near the solution semismooth Newton's method needs a few linear systems. Far from it, or where contacts depend on one
another or stand on the border between two modes, it may cycle. Then sweeps of projected Gauss–Seidel give a better
start for the proximal-point method: with a centre z, the problem for W + ε diag W and c − ε diag(W) z has a regular
matrix; its solution by Newton's method is the next centre, and a fixed point solves the original problem. Impulses of
redundant contacts, which may have to change much before one of them opens or slips, change in one step by about 1/ε
times what these contacts contradict one another. So ε falls as long as Newton's method solves these problems, and
rises where it does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from gauss.arrays import Array
from gauss.nonsmooth.newton import newton
from gauss.nonsmooth.program import Program, colours, sweeps

ACCEPTED = 1e-10  # residual of a certified step, relative to the rates
FIRST = 6  # linear systems of the first attempt
ATTEMPTS = ((50, 60), (200, 120), (1000, 240))  # sweeps of Gauss–Seidel, then centres
INNER = 6  # linear systems for each centre
BEGIN, LEAST, MOST = 1e-2, 1e-9, 1.0  # ε
FALL, RISE = 0.4, 3.0  # of ε after a success, after a failure


@dataclass(frozen=True)
class Impulses:
    """What the solver found."""

    x: Array  # (k (1 + d),)
    residual: float  # of the natural map, relative to the rates
    systems: int  # linear systems solved


def solved(program: Program, guess: Array) -> Impulses:
    """Return the impulses (k (1 + d),) of a contact problem, from a guess; the residual certifies them or does not."""
    x, error, done = newton(program, guess, FIRST)
    if error <= ACCEPTED:
        return Impulses(x, error, done)
    groups = colours(program.W, program.count, program.tangents)
    best = (error, x)
    for count, centres in ATTEMPTS:
        x = sweeps(program, x, groups, count, 0.1 * ACCEPTED)
        x, error, more = _proximal(program, x, centres)
        done += more
        best = min(best, (error, x), key=lambda pair: pair[0])
        if error <= ACCEPTED:
            break
    return Impulses(best[1], best[0], done)


def _proximal(program: Program, x: Array, centres: int) -> tuple[Array, float, int]:
    """Return the best of the centres, its residual, and the number of linear systems solved."""
    best = program.inside(x)
    error, done, epsilon = program.residual(best), 0, BEGIN
    own = program.W.diagonal()
    own = np.maximum(own, 1e-6 * np.max(own))
    x = best
    for _ in range(centres):
        if error <= ACCEPTED:
            break
        weight = epsilon * own
        W = (program.W + sp.diags(weight)).tocsr()
        inner = Program(W, program.c - weight * x, program.friction, program.tangents, program.scale)
        y, left, more = newton(inner, x, INNER)
        done += more
        if left > ACCEPTED:
            epsilon = min(RISE * epsilon, MOST)
            continue
        x, epsilon = y, max(FALL * epsilon, LEAST)
        now = program.residual(x)
        if now < error:
            best, error = x, now
    return best, error, done
