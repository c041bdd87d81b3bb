"""Bringing positions back where they satisfy the constraints: the shortest way in the metric of M.

min ½ δ·M δ subject to g(q + δ) ≥ 0 and φ(q + δ) = 0, by Newton's method on the constraints; each pass is a quadratic
program, whose dual is the contact problem without friction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import ACCEPTED
from gauss.nonsmooth.solving.program import MANY, TINY, Program
from gauss.nonsmooth.solving.solver import solved
from gauss.nonsmooth.step import World

OFF = 1e-9  # penetration, as a share of the body's size, that is left
PASSES = 12
AROUND = 4.0  # contacts whose gap is within this many times the largest penetration take part


@dataclass(frozen=True)
class Corrected:
    """A position and what is left of its violations."""

    q: Array  # (nq,)
    penetration: float  # largest, as a share of the size of the smaller body; 0 where there is none


def corrected(world: World, q: Array, t: float, reach: Array) -> Corrected:
    """Return the nearest position without penetration; `reach` (b,) limits which contacts are looked at."""
    still = np.zeros(0)
    for passes in range(PASSES + 1):
        metric = world.metric(q, t)
        contacts = world.contacts(q, still, t, reach)
        depth = float(np.max(-contacts.gap / contacts.size, initial=0.0))
        off = float(np.max(np.abs(metric.shift), initial=0.0))
        if (depth <= OFF and off <= OFF) or passes == PASSES:
            return Corrected(q, depth)
        k = contacts.count
        near = np.flatnonzero(contacts.gap <= AROUND * (np.max(-contacts.gap, initial=0.0) + off))
        move = metric.shift
        if k and len(near):
            N = contacts.normals(near)
            B = metric.spread(N)
            gap = contacts.gap[near] + N @ metric.shift
            scale = max(float(np.max(np.abs(gap))), TINY)
            whitened = metric.whitened(N) if len(near) > MANY else (None, 0)
            none = np.zeros(len(near))
            pushed = solved(Program((N @ B).tocsr(), gap, none, 0, scale, *whitened), none)
            if pushed.residual > 1e3 * ACCEPTED:
                return Corrected(q, depth)
            move = metric.shift + B @ pushed.x
        q = world.advance(q, move)
    raise AssertionError("unreachable")
