"""The points of a study: the product of axes, or samples along one dimension, and the portions they are computed in."""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Indices

SAMPLE = "sample"  # the dimension of samples
SHARE, MOST = 100, 256  # a portion is this part of a study, and no more points: it is what a kill may lose
RESERVED = ("t", SAMPLE, "ending", "message", "until", "distance", "residual")
Region = tuple[slice, ...]  # of the array of all points


@dataclass(frozen=True)
class StudyPoints:
    """The values of each name, and how points are made of them."""

    axes: dict[str, Any]  # name → (k,) numbers or texts: an axis of a product, or a value for each of N samples
    product: bool

    @property
    def dims(self) -> tuple[str, ...]:
        """The dimensions of a table of the points."""
        return tuple(self.axes) if self.product else (SAMPLE,)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of these dimensions."""
        sizes = tuple(len(values) for values in self.axes.values())
        return sizes if self.product else sizes[:1]

    def __len__(self) -> int:
        return int(np.prod(self.shape))

    def at(self, index: int) -> dict[str, Any]:
        """Return the values at a point by name, as plain Python numbers and texts; points count as arrays in C do."""
        places = np.unravel_index(index, self.shape) if self.product else (index,) * len(self.axes)
        return {name: values[k].item() for (name, values), k in zip(self.axes.items(), places, strict=True)}

    def chunk(self, most: int | None) -> tuple[int, ...]:
        """Return the shape of a portion of at most so many points; points of a portion follow one another."""
        left = max(1, min(MOST, -(-len(self) // SHARE))) if most is None else most
        found: list[int] = []
        for size in reversed(self.shape):
            parts = -(-size // left)
            found.insert(0, -(-size // parts))
            left = max(left // size, 1) if parts == 1 else 1
        return tuple(found)

    def portions(self, chunk: tuple[int, ...]) -> Iterator[Region]:
        """Yield the regions of all portions, in the order of the points."""
        starts = [range(0, size, step) for size, step in zip(self.shape, chunk, strict=True)]
        for corner in itertools.product(*starts):
            sides = zip(corner, chunk, self.shape, strict=True)
            yield tuple(slice(low, min(low + step, size)) for low, step, size in sides)

    def within(self, region: Region) -> Indices:
        """Return which points lie in a region, in the region's own shape."""
        return np.arange(len(self)).reshape(self.shape)[region]


def points_of(grid: object, samples: object) -> StudyPoints:
    """Return the points of ``grid`` (axes of a product) or ``samples`` (arrays of one length). Raises InputError."""
    if (grid is None) == (samples is None):
        raise InputError(
            'give the values either as a grid, {"l": [0.5, 1.0], "m": [1, 2, 3]}, of which all combinations are taken,'
            ' or as samples={"l": [...], "m": [...]} of one length.'
        )
    given, what = (grid, "the grid") if samples is None else (samples, "samples")
    if isinstance(given, np.ndarray) and given.dtype.names:
        given = {name: given[name] for name in given.dtype.names}
    if not isinstance(given, Mapping) or not given:
        raise InputError(f"{what} must name values, as in {{'l': [0.5, 1.0, 2.0]}}, got {given!r}.")
    axes = {_name(name, what): _values(name, values) for name, values in given.items()}
    sizes = {len(values) for values in axes.values()}
    if samples is not None and len(sizes) > 1:
        said = ", ".join(f"{name!r} has {len(values)}" for name, values in axes.items())
        raise InputError(f"every sample needs a value of each name: {said}.")
    return StudyPoints(axes, samples is None)


def _name(name: object, what: str) -> str:
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise InputError(f"{what} has the name {name!r}; the name of a parameter or an argument is expected.")
    if name in RESERVED:
        raise InputError(f"{what} has the name {name!r}, which the table uses for something else.")
    return name


def _values(name: object, values: object) -> Any:
    """Return the values (k,) of a name. Raises InputError."""
    try:
        found = np.atleast_1d(np.asarray(getattr(values, "values", values)))
    except ValueError:
        raise InputError(f"the values of {name!r} are no list of numbers: {values!r}.") from None
    if found.ndim != 1 or not found.size or found.dtype.kind not in "fiubU":
        raise InputError(f"the values of {name!r} must be a list of numbers or of texts, got {values!r}.")
    if found.dtype.kind == "f" and not np.all(np.isfinite(found)):
        raise InputError(f"the values of {name!r} are not all finite numbers.")
    return found
