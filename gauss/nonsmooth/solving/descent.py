"""Projected gradients for contacts without friction: a first guess of which of them press.

Their problem is min ½ p·W p + c·p subject to p ≥ 0, a convex program. Yu. E. Nesterov's accelerated steps (Soviet Math.
Dokl. 27, 1983) begin anew where they lead uphill (B. O'Donoghue and E. Candès, Found. Comput. Math. 15, 2015). Each
costs one product with W, a small part of a linear system; then Newton's method has few modes left to change.
"""

from __future__ import annotations

import math

import numpy as np

from gauss.foundation.arrays import Array
from gauss.nonsmooth.solving.program import Program

STEPS = 40  # with as many, Newton's method needs three systems instead of nine in heaps of 100 to 300 discs


def descended(program: Program, p: Array) -> Array:
    """Return impulses (k,) nearer to those of a problem without tangents."""
    W, c, own = program.W, program.c, program.diagonal[0]
    moved = own > 0.0  # others change no rate
    scaled = np.where(moved, own, 1.0)
    root = moved / np.sqrt(scaled)
    bound = float(np.max((abs(W) @ root) * root, initial=0.0))  # Gershgorin's of the scaled W
    step = moved / (scaled * bound) if bound > 0.0 else 0.0
    ahead, momentum = p, 1.0
    for _ in range(STEPS):
        slope = W @ ahead + c
        new = np.maximum(ahead - step * slope, 0.0)
        move = new - p
        p = new
        if slope @ move > 0.0:
            ahead, momentum = new, 1.0
            continue
        following = 0.5 + math.sqrt(0.25 + momentum**2)
        ahead, momentum = new + (momentum - 1.0) / following * move, following
    return p
