"""All modes of a few contacts: the last resort of the solver, which finds a solution wherever there is one.

In each mode the law asks for forces from one cone and rates from another, both with a few generators: with n and t the
unit vectors of the normal and the tangential part,

    open: rates n, ±t;   stick: impulses n ± μ t;   slip along ±t: impulses n ∓ μ t, rates ±t;   smooth: impulses n,
    rates ±t.

So impulses X z and rates U w, with z, w ≥ 0, solve the problem if −W X z + U w = c: non-negative least squares says
whether the modes of all contacts can. This needs no inverse of W, which may be singular.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import scipy.optimize as opt

from gauss.arrays import Array, lengths_of
from gauss.nonsmooth.newton import step_in
from gauss.nonsmooth.program import ACCEPTED, Program

FEW = 4  # contacts up to which all modes are tried: 256 in the plane
STEPS = 10  # of Newton's method in each mode in space
STARTS = 8  # of it, drawn at random, beside the given one and none
OPEN, STICK, SLIP = range(3)


def all_modes(program: Program) -> tuple[Array, float, int]:
    """Return the impulses of the first modes that solve a problem, else those that come nearest; residual; systems.

    Friction in space has a continuum of modes, so that d is 0 or 1.
    """
    k, d = program.count, program.tangents
    W = program.W.toarray()
    best = np.zeros_like(program.c)
    error, done = program.residual(best), 0
    for modes in product(*(_generators(i, program) for i in range(k))):
        X, U = (np.array([v for mode in modes for v in mode[side]]).reshape(-1, k * (1 + d)).T for side in (0, 1))
        columns = np.hstack([-W @ X, U])
        length = lengths_of(columns.T)
        length[length == 0.0] = 1.0
        try:
            weights, _ = opt.nnls(columns / length, program.c)
        except RuntimeError:  # too many iterations
            continue
        done += 1
        x = program.inside(X @ (weights / length)[: X.shape[1]])
        now = program.residual(x)
        if now < error:
            best, error = x, now
        if error <= ACCEPTED:
            break
    return best, error, done


def modes_in_space(program: Program, guess: Array) -> tuple[Array, float, int]:
    """Return the best impulses to which Newton's method leads in one of all modes, kept as they are; residual; systems.

    It starts from a guess, whose slips point somewhere near. A solution on the border of two modes, where modes read
    off an iterate change to and fro, is one of each of them.
    """
    best, error, done = program.inside(guess), program.residual(guess), 0
    rng = np.random.default_rng(0)
    size = np.max(np.abs(program.c)) / np.concatenate([program.diagonal[0], np.repeat(program.diagonal[1], 2)])
    others = [np.zeros_like(guess), *(program.inside(size * rng.normal(size=guess.shape)) for _ in range(STARTS))]
    for start in (guess, *others):
        for modes in product((OPEN, STICK, SLIP), repeat=program.count):
            touching, sticking = np.array(modes) != OPEN, np.array(modes) == STICK
            x = start
            for _ in range(STEPS):
                x, done = step_in(program, x, touching, sticking), done + 1
                if not np.all(np.isfinite(x)):
                    break
                inside = program.inside(x)
                now = program.residual(inside)
                if now < error:
                    best, error = inside, now
                if error <= ACCEPTED:
                    return best, error, done
    return best, error, done


def _generators(i: int, program: Program) -> list[tuple[list[Array], list[Array]]]:
    """Return, for each mode of a contact, the generators of its impulses and of its rates (k (1 + d),) each."""
    unit, mu = np.eye(len(program.c)), float(program.friction[i])
    n = unit[i]
    if not program.tangents:
        return [([], [n]), ([n], [])]
    t = unit[program.count + i]
    if mu == 0.0:
        return [([], [n, t, -t]), ([n], [t, -t])]
    ahead, back = n + mu * t, n - mu * t
    return [([], [n, t, -t]), ([ahead, back], []), ([back], [t]), ([ahead], [-t])]
