"""Equal steps at which a row vanishes: by its lengths and directions at looks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gauss.foundation.arrays import Array
from gauss.model.compiled.steps.looks import FALLEN

LOOKS = 8  # times in a block of equal steps at which the rows are looked at
SHRUNK = 0.3  # least length of a row between two looks, relative to them, that is taken for turning alone


def vanishing_step(rows_at: Callable[[int], Array], count: int) -> int | None:
    """Return the one of equal steps in or before which a row vanishes, or None; `rows_at` gives rows (m, n) after k.

    A row that only turns keeps its length between two looks. One that vanishes comes out with the other sign, or with
    its own, as where branches touch: its lengths at looks fall by half towards one of them, and there by far more.
    """
    looks = np.linspace(0, count, LOOKS + 1).astype(int)
    rows = np.array([rows_at(int(k)) for k in looks])
    back = _coming_back(rows_at, looks, np.linalg.norm(rows, axis=2))
    if back is not None or np.all(np.sum(rows[:-1] * rows[1:], axis=2) > 0.0):  # none has turned by a right angle
        return back
    for low, high, before, after in zip(looks.tolist(), looks[1:].tolist(), rows, rows[1:], strict=False):
        if np.min(_least_between(before, after), initial=1.0) > SHRUNK:
            continue
        while high - low > 1:
            middle = (low + high) // 2
            turned = np.any(np.sum(before * rows_at(middle), axis=1) < 0.0)
            low, high = (low, middle) if turned else (middle, high)
        if np.any(np.sum(rows_at(low) * rows_at(high), axis=1) <= 0.0):  # else it is one that turns fast
            return int(high)
    return None


def _coming_back(rows_at: Callable[[int], Array], looks: Array, lengths: Array) -> int | None:
    """Return the step after which one of the rows, of lengths (l, m) at looks, vanishes without a change of sign."""
    last = len(looks) - 1
    for row, length in enumerate(lengths.T):

        def size(step: int, row: int = row) -> float:
            return float(np.linalg.norm(rows_at(step)[row]))

        for k in range(last + 1):
            one, other = length[max(k - 1, 0)], length[min(k + 1, last)]
            if length[k] > min(one, other, FALLEN * max(one, other)):
                continue
            low, high = int(looks[max(k - 1, 0)]), int(looks[min(k + 1, last)])
            while high - low > 2:
                third = (high - low) // 3
                low, high = (low, high - third) if size(low + third) < size(high - third) else (low + third, high)
            least = low + int(np.argmin([size(step) for step in range(low, high + 1)]))
            if size(least) <= SHRUNK**2 * max(one, other):
                return least
    return None


def _least_between(before: Array, after: Array) -> Array:
    """Return the least lengths (m,) on the chords between rows (m, n) at two states, relative to their ends."""
    change = after - before
    square = np.sum(change**2, axis=1)
    share = np.clip(-np.sum(before * change, axis=1) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    least = np.linalg.norm(before + share[:, None] * change, axis=1)
    length = np.maximum(np.linalg.norm(before, axis=1), np.linalg.norm(after, axis=1))
    return np.asarray(least / np.where(length > 0.0, length, 1.0))
