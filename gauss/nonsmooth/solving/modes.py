"""All modes of a few contacts: the last resort of the solver.

In each mode the law asks for forces from one cone and rates from another, both with a few generators: with n and t the
unit vectors of the normal and the tangential part,

    open: rates n, ±t;   stick: impulses n ± μ t;   slip along ±t: impulses n ∓ μ t, rates ±t;   smooth: impulses n,
    rates ±t.

So impulses X z and rates U w, with z, w ≥ 0, solve the problem if −W X z + U w = c: non-negative least squares says
whether the modes of all contacts can. This needs no inverse of W, which may be singular. In the plane it finds a
solution wherever there is one.

In space a contact may slip in any direction of a plane. From random directions they are turned to where the residual
vanishes by Gauss-Newton steps in which impulses and rates follow the directions (variable projection: G. H. Golub and
V. Pereyra, SIAM J. Numer. Anal. 10, 1973). A contact that sticks has an impulse from a cone of a few sides; what lies
between that and the round one is left to Newton's method in the modes. Nothing here depends on the size of the
impulses, which W does not tell where it is singular: a normal impulse that changes no rate of a gap may be as large as
friction asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy

from gauss.foundation.arrays import Array, lengths_of
from gauss.foundation.tolerances import ACCEPTED
from gauss.nonsmooth.solving.newton import step_in
from gauss.nonsmooth.solving.program import Program

FEW = 4  # contacts up to which all modes are tried: 256 in the plane
SIDES = 12  # of the cone of an impulse that sticks
STARTS = 16  # directions: those of the slips without impulses, and random ones
TURNS = 15  # steps of the directions from each start
FARTHEST = 0.7  # rad, of one step
HALVINGS = 6
REACHED = 1e-12  # residual, relative to the rates, at which the directions are found
STALLED = 0.999  # share of the residual before, above which a step has gained nothing
NEAR = 1e-3  # residual up to which Newton's method in the modes is tried
STEPS = 10  # of that method
OPEN, STICK, SLIP = range(3)

Modes = tuple[int, ...]


@dataclass(frozen=True)
class _Slipping:
    """A contact that slips: the places of its generators, and how they change with its direction."""

    contact: int
    impulse: int  # column among the impulses
    rate: int  # column among the rates
    impulse_turned: Array  # (n,) derivatives of the generators by the angle
    rate_turned: Array  # (n,)


@dataclass(frozen=True)
class _Fit:
    """The impulses and rates of given modes and directions that come nearest to the law."""

    angles: Array  # (k,)
    residual: float  # length of what is left of c, relative to it
    x: Array  # (3k,) impulses
    turning: Array  # (n, s) change of what is left by the angle of each slipping contact, its sign reversed
    left: Array  # (n,)
    slipping: tuple[int, ...]  # those contacts


def all_modes(program: Program) -> tuple[Array, float, int]:
    """Return the impulses of the first modes that solve a problem, else those that come nearest; residual; systems.

    Friction in space has a continuum of modes (`directed`), so that d is 0 or 1.
    """
    k, d = program.count, program.tangents
    W = program.W.toarray()
    best = np.zeros_like(program.c)
    error, done = program.residual(best), 0
    for modes in product(*(_cones(i, program) for i in range(k))):
        X, U = (np.array([v for mode in modes for v in mode[side]]).reshape(-1, k * (1 + d)).T for side in (0, 1))
        fitted = _fitted(np.hstack([-W @ X, U]), program.c)
        if fitted is None:
            continue
        done += 1
        x = program.inside(X @ fitted[0][: X.shape[1]])
        now = program.residual(x)
        if now < error:
            best, error = x, now
        if error <= ACCEPTED:
            break
    return best, error, done


def _cones(i: int, program: Program) -> list[tuple[list[Array], list[Array]]]:
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


def directed(program: Program, guess: Array) -> tuple[Array, float, int]:
    """Return the best impulses (3k,) to which directions from several starts lead; residual; programs solved."""
    k, W = program.count, program.W.toarray()
    best, error, done = program.inside(guess), program.residual(guess), 0
    slips = program.split(program.c)[1]
    rng = np.random.default_rng(0)
    choices = [(OPEN, STICK, SLIP) if mu > 0.0 else (OPEN, STICK) for mu in program.friction]
    for start in range(STARTS):
        angles = rng.uniform(0.0, 2.0 * np.pi, k) if start else np.arctan2(slips[:, 1], slips[:, 0])
        for modes in product(*choices):
            if start and SLIP not in modes:
                continue
            fit, programs = _turned(program, W, modes, angles)
            done += programs
            if fit is None:
                continue
            for x in _followed(program, fit, modes):
                inside = program.inside(x)
                now = program.residual(inside)
                if now < error:
                    best, error = inside, now
                if error <= ACCEPTED:
                    return best, error, done
    return best, error, done


def _followed(program: Program, fit: _Fit, modes: Modes) -> Iterator[Array]:
    """Yield the impulses of a fit and, where they come near, those of Newton's method in its modes."""
    x = fit.x
    yield x
    if fit.residual > NEAR:
        return
    touching, sticking = np.array(modes) != OPEN, np.array(modes) == STICK
    for _ in range(STEPS):
        x = step_in(program, x, touching, sticking)
        if not np.all(np.isfinite(x)):
            return
        yield x


def _turned(program: Program, W: Array, modes: Modes, angles: Array) -> tuple[_Fit | None, int]:
    """Return the fit with directions turned until nothing is gained any more, and how many programs that took."""
    fit, done = _fit(program, W, modes, angles), 1
    for _ in range(TURNS):
        if fit is None or not fit.slipping or fit.residual <= REACHED:
            break
        step = np.linalg.lstsq(fit.turning, fit.left, rcond=1e-9)[0]
        step *= min(1.0, FARTHEST / max(float(np.max(np.abs(step))), FARTHEST))
        better = None
        for _ in range(HALVINGS):
            other = fit.angles.copy()
            other[list(fit.slipping)] += step
            new, done = _fit(program, W, modes, other), done + 1
            if new is not None and new.residual < fit.residual:
                better = new
                break
            step = step / 4.0
        if better is None:
            break
        stalled = better.residual > STALLED * fit.residual
        fit = better
        if stalled:
            break
    return fit, done


def _fit(program: Program, W: Array, modes: Modes, angles: Array) -> _Fit | None:
    """Return what comes nearest to −W X z + U w = c with z, w ≥ 0, X and U generators of impulses and of rates."""
    X, U, slipping = _generators(program, modes, angles)
    columns = np.hstack([-W @ X, U])
    fitted = _fitted(columns, program.c)
    if fitted is None:
        return None
    (z, residual), count = fitted, X.shape[1]
    frame = np.linalg.qr(columns[:, z > 0.0])[0]
    change = [-W @ s.impulse_turned * z[s.impulse] + s.rate_turned * z[count + s.rate] for s in slipping]
    turning = np.array(change).reshape(-1, len(program.c)).T
    return _Fit(
        angles=angles,
        residual=residual / float(np.linalg.norm(program.c)),
        x=X @ z[:count],
        turning=turning - frame @ (frame.T @ turning),
        left=program.c - columns @ z,
        slipping=tuple(s.contact for s in slipping),
    )


def _fitted(columns: Array, c: Array) -> tuple[Array, float] | None:
    """Return z ≥ 0 with `columns` z nearest to c, and what is left of c; None where that takes too many iterations."""
    length = lengths_of(columns.T)
    try:
        weights, residual = scipy.optimize.nnls(columns / length, c)
    except RuntimeError:
        return None
    return weights / length, float(residual)


def _generators(program: Program, modes: Modes, angles: Array) -> tuple[Array, Array, list[_Slipping]]:
    """Return generators of impulses (n, ·) and of rates (n, ·), and those contacts whose generators turn."""
    k, n = program.count, len(program.c)
    unit = np.eye(n)
    X: list[Array] = []
    U: list[Array] = []
    slipping = []
    for i, mode in enumerate(modes):
        normal, one, two = unit[i], unit[k + 2 * i], unit[k + 2 * i + 1]
        mu, angle = float(program.friction[i]), float(angles[i])
        if mode == OPEN:
            U += [normal, one, -one, two, -two]
        elif mu == 0.0:
            X.append(normal)
            U += [one, -one, two, -two]
        elif mode == STICK:
            around = angle + 2.0 * np.pi * np.arange(SIDES) / SIDES
            X += [normal + mu * (np.cos(a) * one + np.sin(a) * two) for a in around]
        else:
            way = np.cos(angle) * one + np.sin(angle) * two
            across = np.cos(angle) * two - np.sin(angle) * one
            slipping.append(_Slipping(i, len(X), len(U), -mu * across, across))
            X.append(normal - mu * way)
            U.append(way)
    return np.array(X).reshape(-1, n).T, np.array(U).reshape(-1, n).T, slipping
