"""Impulses of the contact problem: Newton's method where it converges at once, an interior point elsewhere.

Near the solution semismooth Newton's method needs a few linear systems. Far from it, or where contacts depend on one
another or stand on the border between two modes, it may cycle; there the interior-point method finds the modes. With
friction the problem is not convex, and the path of that method may turn back. Then it starts again near where it ended,
and after that in turn with proximal points: with a centre z, the problem for W + ε diag W and c − ε diag(W) z has a
regular matrix; its solution by Newton's method is the next centre, and a fixed point solves the original problem.
Impulses of redundant contacts, which may have to change much before one of them opens or slips, change in one step by
about 1/ε times what these contacts contradict one another. So ε falls as long as Newton's method solves these problems,
and rises where it does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.arrays import Array
from gauss.nonsmooth.interior import interior
from gauss.nonsmooth.newton import AIM, newton
from gauss.nonsmooth.program import ACCEPTED, Program

FAR = 0.7  # rate without impulses, relative, beyond which a contact is left out at first
FIRST = 3  # linear systems of the first attempt
ROUNDING = 1e-15  # impulses below this share of the largest
ROUNDS = 20  # of the interior point and proximal points
APART = (1.0, 1e-2, 1e-4)  # of the first, second, and other starts of the interior point
CENTRES = 12  # in each round
INNER = 6  # linear systems for each centre
BEGIN, LEAST, MOST = 1e-2, 1e-9, 1.0  # ε
FALL, RISE = 0.4, 3.0  # of ε after a success, after a failure


@dataclass(frozen=True)
class Impulses:
    """What the solver found."""

    x: Array  # (k (1 + d),)
    residual: float  # of the natural map, relative to the rates
    systems: int  # linear systems solved


def solved(program: Program, guess: Array, rounds: int = ROUNDS) -> Impulses:
    """Return the impulses (k (1 + d),) of a contact problem, from a guess; the residual certifies them or does not.

    Contacts that would open fast without impulses, and had none, take part only once the others close them.
    """
    free, before = program.split(program.c)[0], program.split(guess)[0]
    chosen, x, systems = (free <= FAR * program.scale) | (before > 0.0), guess, 0
    while True:
        place, part = program.part(np.flatnonzero(chosen))
        found = _all_methods(part, x[place], rounds)
        systems += found.systems
        x = np.zeros_like(guess)
        x[place] = found.x
        closed = (program.split(program.rates(x))[0] < 0.0) & ~chosen
        if not np.any(closed):
            return Impulses(*_without_rounding(program, x), systems)
        chosen = chosen | closed


def _without_rounding(program: Program, x: Array) -> tuple[Array, float]:
    """Return impulses without those that are rounding, where the certificate does not need them, and the residual."""
    normal, residual = program.split(x)[0], program.residual(x)
    tiny = normal < ROUNDING * np.max(normal, initial=0.0)
    other = np.where(np.concatenate([tiny, np.repeat(tiny, program.tangents)]), 0.0, x)
    left = program.residual(other)
    return (other, left) if left <= max(residual, AIM) else (x, residual)


def _all_methods(program: Program, guess: Array, rounds: int) -> Impulses:
    x, error, done = newton(program, guess, FIRST)
    centre = Centre(x, BEGIN)
    for attempt in range(rounds):
        if error <= ACCEPTED:
            break
        y, left, more = interior(program, x if attempt else None, APART[min(attempt, len(APART) - 1)])
        done += more
        if left < error:
            x, error = y, left
        if attempt == 1:
            centre = Centre(x, BEGIN)
        if attempt and error > ACCEPTED:
            y, left, more, centre = proximal(program, centre)
            done += more
            if left < error:
                x, error = y, left
    return Impulses(x, error, done)


@dataclass(frozen=True)
class Centre:
    """Where the proximal points have come to."""

    x: Array  # (k (1 + d),)
    epsilon: float


def proximal(program: Program, centre: Centre) -> tuple[Array, float, int, Centre]:
    """Return the best of the next centres, its residual, the number of linear systems solved, and the last centre."""
    best = x = program.inside(centre.x)
    error, done, epsilon = program.residual(best), 0, centre.epsilon
    own = program.W.diagonal()
    own = np.maximum(own, 1e-6 * np.max(own))
    for _ in range(CENTRES):
        if error <= ACCEPTED:
            break
        y, left, more = newton(program.near(x, epsilon * own), x, INNER)
        done += more
        if left > ACCEPTED:
            epsilon = min(RISE * epsilon, MOST)
            continue
        x, epsilon = y, max(FALL * epsilon, LEAST)
        now = program.residual(x)
        if now < error:
            best, error = x, now
    return best, error, done, Centre(x, epsilon)
