"""Impulses of the contact problem: Newton's method where it converges at once, an interior point elsewhere.

Near the solution semismooth Newton's method needs a few linear systems. Far from it, or where contacts depend on one
another or stand on the border between two modes, it may cycle; there the interior-point method finds the modes, first
from beside the guess. Without tangents Newton's method has more systems, and projected gradients come before it. With
friction the problem is not convex, and the path of that method may turn back. Up to `HEAP` contacts it then starts
again from the middle of the cones; after that, and with more contacts at once, `nonsmooth.solving.splitting` brings
its end nearer to a solution, the method starts from there, and proximal points begin where both ended.
With a centre z, the problem for W + ε diag W and c − ε diag(W) z has a regular matrix; its solution is the next centre,
and a fixed point solves the original problem. In the plane the solution is at the end of a path of straight pieces
(`gauss.nonsmooth.solving.homotopy`), in space Newton's method finds it. Impulses of redundant contacts, which may have
to change much before one of them opens or slips, change in one step by about 1/ε times what these contacts contradict
one another. So ε falls as long as the next centre is found, and rises where it is not. Of a few contacts all modes are
tried in the end, in space with directions of slip that turn (`gauss.nonsmooth.solving.modes`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import ACCEPTED
from gauss.nonsmooth.solving.descent import descended
from gauss.nonsmooth.solving.homotopy import PIECES, followed
from gauss.nonsmooth.solving.interior import HOPELESS, interior
from gauss.nonsmooth.solving.modes import FEW, all_modes, directed
from gauss.nonsmooth.solving.newton import AIM, modes_of, newton
from gauss.nonsmooth.solving.program import Program
from gauss.nonsmooth.solving.splitting import split

FAR = 0.2  # rate without impulses, relative, beyond which a contact is left out at first
FIRST, SMOOTH = 3, 12  # linear systems of the first attempt, with tangents and without
SOME, PROMISING = 50, 3e-2  # contacts from which, and residual of a guess up to which, that is worth its first system
HEAP = 500  # contacts beyond which the paths of the interior point turn back from all starts
SLOW, PATIENT = 1e-5, 12  # residual from which Newton's method goes on, slowly between unequal masses; its systems
RIGID = 1e-12  # share of the largest W_ii below which an impulse does not change the rate
ROUNDING = 1e-15  # impulses below this share of the largest
ROUNDS = 20  # of the interior point and proximal points
STARTS = (("guess", 1e-2), ("middle", 1.0), ("best", 1e-4))  # of the interior point's rounds, and their products
RECENTRED = 2  # rounds in which the proximal points begin anew where the interior point ended
CENTRES, FAILURES = 40, 10  # in each round; failures in a row that end it
SHORT = 100  # pieces of the path to each centre: a longer one seldom ends, another ε finds a short one
INNER, TRIED = 6, 2  # linear systems of Newton's method for each centre, and for the problem itself from each
BEGIN, CLOSE, LEAST, MOST = 1e-3, 1e-4, 1e-9, 1.0  # ε, at first, where a solution is near (`SLOW`), and at the ends
FALL, RISE = 0.3, 4.0  # of ε after a success, after a failure
HELD = 3  # centres with the same ε after a failure


@dataclass(frozen=True)
class Impulses:
    """What the solver found."""

    x: Array  # (k (1 + d),)
    residual: float  # of the natural map, relative to the rates
    systems: int  # linear systems solved

    def or_these(self, x: Array, residual: float, systems: int) -> Impulses:
        """Return the better of two, with all systems counted."""
        better = Impulses(x, residual, systems) if residual < self.residual else self
        return replace(better, systems=self.systems + systems)


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # iterates that leave are seen by their residuals
def solved(program: Program, guess: Array, rounds: int = ROUNDS) -> Impulses:
    """Return the impulses (k (1 + d),) of a contact problem, from a guess; the residual certifies them or does not.

    Contacts that would open fast without impulses, and had none, take part only once the others close them.
    """
    free, before = program.split(program.c)[0], program.split(guess)[0]
    own, none = program.own, np.zeros_like(guess)
    rigid = own[: program.count] <= RIGID * np.max(own, initial=0.0)
    if np.any(rigid & (free < -ACCEPTED * program.scale)):
        return Impulses(none, program.residual(none), 0)  # no impulse changes these rates
    chosen, x, systems = (free <= FAR * program.scale) | (before > 0.0), guess, 0
    while True:
        place, part = program.part(np.flatnonzero(chosen))
        found = _all_methods(part, x[place], rounds)
        systems += found.systems
        x = none.copy()
        x[place] = found.x
        if chosen.all():
            return Impulses(*_without_rounding(program, x), systems)
        closed = (program.split(program.rates(x))[0] < 0.0) | (
            found.residual > ACCEPTED
        )  # they may be what was missing
        if not np.any(closed & ~chosen):
            return Impulses(*_without_rounding(program, x), systems)
        chosen = chosen | closed


def _without_rounding(program: Program, x: Array) -> tuple[Array, float]:
    """Return impulses without those that are rounding, where the certificate does not need them, and the residual."""
    normal, residual = program.split(x)[0], program.residual(x)
    tiny = normal < ROUNDING * np.max(normal, initial=0.0)
    if not np.any(x[np.concatenate([tiny, np.repeat(tiny, program.tangents)])]):
        return x, residual
    other = np.where(np.concatenate([tiny, np.repeat(tiny, program.tangents)]), 0.0, x)
    left = program.residual(other)
    return (other, left) if left <= max(residual, AIM) else (x, residual)


def _all_methods(program: Program, guess: Array, rounds: int) -> Impulses:
    if program.tangents:
        best = Impulses(*newton(program, guess, FIRST, HOPELESS, PROMISING if program.count > SOME else np.inf))
    else:
        best = Impulses(*newton(program, descended(program, guess), SMOOTH))
    centre = Centre(best.x, BEGIN)
    few, plane = program.count <= FEW, program.tangents < 2
    middle = FEW < program.count <= HEAP  # whose path from there seldom turns back where that from the guess does
    for attempt in range(1 if few and plane else rounds):
        if best.residual <= ACCEPTED:
            break
        start, product = STARTS[min(attempt, len(STARTS) - 1)] if middle or not attempt else STARTS[-1]
        best = best.or_these(*interior(program, {"guess": guess, "middle": None, "best": best.x}[start], product))
        if best.residual > ACCEPTED and program.tangents and (attempt or not middle):
            best = best.or_these(*split(program, best.x))
        if ACCEPTED < best.residual <= SLOW:
            best = best.or_these(*newton(program, best.x, PATIENT, best.residual))
        if attempt < RECENTRED:
            centre = Centre(best.x, CLOSE if best.residual <= SLOW else BEGIN)
        if best.residual > ACCEPTED and (attempt or few or best.residual <= SLOW):
            x, residual, systems, centre = proximal(program, centre)
            best = best.or_these(x, residual, systems)
    if best.residual > ACCEPTED and program.tangents == 1:
        best = best.or_these(*_from_sticking(program))
    if best.residual > ACCEPTED and few:
        best = best.or_these(*(all_modes(program) if plane else directed(program, best.x)))
    return best


def _from_sticking(program: Program) -> tuple[Array, float, int]:
    """Return the end of the path from the impulses with which all contacts stick, its residual, and its systems.

    Wedging contacts press with impulses far from those of weak friction.
    """
    none = np.zeros_like(program.c)
    try:
        stick = program.near(none, LEAST * _own(program)).blocks.system(np.zeros((program.count, 2, 2)))
    except RuntimeError:
        return none, np.inf, 1
    x, residual, systems = _ended(program, stick(-program.c))
    return x, residual, systems + 1


def _ended(program: Program, x: Array, most: int = PIECES) -> tuple[Array, float, int]:
    """Return the end of a path, inside the cones, its residual (infinite without an end), and its systems."""
    end, systems = followed(program, x, most)
    if end is None:
        return x, np.inf, systems
    found = program.inside(end)
    return found, program.residual(found), systems


def _own(program: Program) -> Array:
    """Return W_ii (k (1 + d),), at least a small share of the largest."""
    return np.asarray(np.maximum(program.own, 1e-6 * np.max(program.own)))


@dataclass(frozen=True)
class Centre:
    """Where the proximal points have come to."""

    x: Array  # (k (1 + d),)
    epsilon: float


def proximal(program: Program, centre: Centre) -> tuple[Array, float, int, Centre]:
    """Return the best impulses found, their residual, the number of linear systems solved, and the last centre."""
    best = x = program.inside(centre.x)
    error, done, epsilon = program.residual(best), 0, centre.epsilon
    own = _own(program)
    failures, tried, held = 0, b"", 0
    for _ in range(CENTRES):
        y, more = _regular(program.near(x, epsilon * own), x)
        done += more
        if y is None:
            epsilon, failures, held = min(RISE * epsilon, MOST), failures + 1, HELD
            if failures == FAILURES:
                break
            continue
        x, epsilon, held = y, epsilon if held else max(FALL * epsilon, LEAST), max(held - 1, 0)
        modes = modes_of(program, x)
        if modes != tried:  # else Newton's method would do the same again
            y, now, more = newton(program, x, TRIED, error)
            done, tried = done + more, modes
            if now < error:
                best, error, failures = y, now, 0
        if error <= ACCEPTED:
            break
    return best, error, done, Centre(x, epsilon)


def _regular(program: Program, x: Array) -> tuple[Array | None, int]:
    """Return the impulses of a problem whose matrix is regular, from x, or None; and how many systems were solved."""
    found, left, systems = _ended(program, x, SHORT) if program.tangents == 1 else newton(program, x, INNER)
    return (found if left <= ACCEPTED else None), systems
