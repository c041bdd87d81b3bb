"""Which modes of frictional contacts in the plane are to be looked at: those that one look at all does not exclude.

In a mode every contact has two equations for its two forces. Where all of them together are well conditioned, they have
one solution, and the mode is excluded where this clearly violates an inequality.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

import numpy as np

from gauss.foundation.arrays import Array, Flags, lengths_of

Table = tuple[Array, Array, Array, Array]  # A (e, d), b (e,), G (g, d), h (g,) of A x = b, G x ≥ h

CONDITION = 1e-6  # least singular value, as a share of the largest, of equations that are well conditioned
CLEARLY = 1e-7  # violation of an inequality of unit length, relative to the point (at least 1), that excludes a mode
TOGETHER = 512  # modes that are looked at at once


def candidates(held: Table, parts: list[list[Table]]) -> Iterator[tuple[int, ...]]:
    """Return the modes, as the places in `parts` of the rows of each contact, that are not clearly without a solution.

    They come in the order of `itertools.product`. `held` are the rows that hold in all of them.
    """
    every = product(*(range(len(part)) for part in parts))
    unknowns, rows = held[0].shape[1], len(held[0]) + 2 * len(parts)
    alike = unknowns == rows and all(len(table[0]) == 2 for part in parts for table in part)
    if not parts or not alike or not unknowns:
        yield from every
        return
    padded = [_padded(part) for part in parts]
    while block := list(islice(every, TOGETHER)):
        excluded = _excluded(held, padded, np.array(block, dtype=int)).tolist()
        yield from (mode for mode, no in zip(block, excluded, strict=True) if not no)


def _padded(part: list[Table]) -> Table:
    """Return the rows of all modes of a contact (modes, …), with inequalities 0 ≥ 0 where others have more of them."""
    most, unknowns = max(len(table[2]) for table in part), part[0][0].shape[1]
    G, h = np.zeros((len(part), most, unknowns)), np.zeros((len(part), most))
    for j, (_, _, rows, right) in enumerate(part):
        length = lengths_of(rows)
        G[j, : len(rows)], h[j, : len(rows)] = rows / length[:, None], right / length
    equations = [(table[0] / lengths_of(table[0])[:, None], table[1] / lengths_of(table[0])) for table in part]
    A, b = (np.array(each) for each in zip(*equations, strict=True))
    return A, b, G, h


def _excluded(held: Table, padded: list[Table], modes: Array) -> Flags:
    """Return which of some modes (c, k) have one solution that clearly violates an inequality."""
    length, count = lengths_of(held[0]), len(modes)
    fixed = held[0] / length[:, None], held[1] / length
    tables = [[each[modes[:, i]] for each in part] for i, part in enumerate(padded)]
    A = np.concatenate([np.broadcast_to(fixed[0], (count, *fixed[0].shape)), *(t[0] for t in tables)], axis=1)
    b = np.concatenate([np.broadcast_to(fixed[1], (count, len(fixed[1]))), *(t[1] for t in tables)], axis=1)
    G, h = (np.concatenate([t[c] for t in tables], axis=1) for c in (2, 3))
    sigma = np.linalg.svd(A, compute_uv=False)
    good, excluded = sigma[:, -1] > CONDITION * sigma[:, 0], np.zeros(count, dtype=bool)
    point = np.linalg.solve(A[good], b[good][:, :, None])
    size = np.maximum(1.0, np.max(np.abs(point), axis=(1, 2)))
    excluded[good] = np.max(h[good] - (G[good] @ point)[:, :, 0], axis=1, initial=0.0) > CLEARLY * size
    return excluded
