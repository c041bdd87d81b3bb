"""Which rows are independent at a point, and the coordinates that they are solved for: elimination with noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array
from gauss.uniqueness.germs.numbers import DUST, Noisy, OpenError

LARGE = 0.1  # share of the largest pivot from which a pivot is as good


@dataclass(frozen=True)
class Split:
    """Independent rows with the coordinates they are solved for, and what is left of both."""

    solving: tuple[int, ...]  # (r,) rows
    solved: tuple[int, ...]  # (r,) coordinates
    rest: tuple[int, ...]  # (m − r,) rows
    free: tuple[int, ...]  # (d,) coordinates

    @staticmethod
    def of(J: list[list[Noisy]], names: Sequence[str], shared: Sequence[int]) -> Split:
        """Eliminate with pivots that are large when rows and columns are scaled alike. Raises OpenError.

        Among these, a coordinate in few rows is solved for: the rows left over then join fewer coordinates; then that
        on which its row depends most, as scaling makes all coordinates of a row that stands alone equal.
        """
        m, n = len(J), len(J[0])
        entries = [list(row) for row in J]
        given = np.array([[abs(float(x.value.mid())) for x in row] for row in J])
        scale, weights = _scales(given), 1.0 / np.maximum(np.max(given, axis=1, initial=0.0), DUST)
        rows, columns = list(range(m)), list(range(n))
        solving: list[int] = []
        solved: list[int] = []
        while rows and columns:
            decided = {(i, j): entries[i][j].zero for i in rows for j in columns}
            pivots = [place for place, zero in decided.items() if zero is False]
            if not pivots:
                doubtful = [i for (i, _), zero in decided.items() if zero is None]
                if doubtful:
                    raise OpenError(f"the rank is open: row {names[doubtful[0]]!r} depends on the others, or nearly")
                break
            heights = {(i, j): abs(float(entries[i][j].value.mid())) for i, j in pivots}
            sizes = {place: height * scale[place] for place, height in heights.items()}
            large = [place for place in pivots if sizes[place] >= LARGE * max(sizes.values())]
            i, j = min(large, key=lambda place: (shared[place[1]], -heights[place] * weights[place[0]]))
            rows.remove(i)
            columns.remove(j)
            for k in rows:
                entries[k] = _eliminated(entries[k], entries[i], j, columns)
            solving.append(i)
            solved.append(j)
        return Split(tuple(solving), tuple(solved), tuple(rows), tuple(columns))


def _eliminated(row: list[Noisy], pivot: list[Noisy], j: int, columns: Sequence[int]) -> list[Noisy]:
    if row[j].value.is_zero() and row[j].noise == 0.0:
        return row
    share = row[j].value / pivot[j].value
    size = abs(float(share.mid()))
    doubt = (row[j].noise + size * pivot[j].noise) / abs(float(pivot[j].value.mid()))
    changed = list(row)
    for k in columns:
        noise = row[k].noise + size * pivot[k].noise + doubt * abs(float(pivot[k].value.mid()))
        changed[k] = Noisy(row[k].value - share * pivot[k].value, noise)
    return changed


def _scales(sizes: Array) -> Array:
    """Return factors (m, n) of rows and columns that bring the entries nearest to 1 in the mean of their logarithms.

    The scaled entries do not depend on units of rows and columns.
    """
    m, n = sizes.shape
    places = np.argwhere(sizes > 0.0)
    design = np.zeros((len(places), m + n))
    design[np.arange(len(places)), places[:, 0]] = 1.0
    design[np.arange(len(places)), m + places[:, 1]] = 1.0
    logarithms = np.log(sizes[sizes > 0.0])
    found = np.linalg.lstsq(design, logarithms, rcond=None)[0] if len(places) else np.zeros(m + n)
    return np.exp(-found[:m, None] - found[None, m:])
