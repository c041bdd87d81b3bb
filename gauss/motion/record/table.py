"""The table of a motion: named columns along the time, as an xarray Dataset, a pandas DataFrame or a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gauss.errors import InputError
from gauss.foundation import storage
from gauss.foundation.arrays import Array

if TYPE_CHECKING:
    import pandas
    import xarray

LABELS = {  # of the dimensions beside the time
    "axis": ("x", "y", "z"),
    "column": ("1", "2", "3"),
    "part": ("w", "x", "y", "z"),
    "component": ("1", "2", "3"),
}


class Column(NamedTuple):
    """A quantity along a motion with N states."""

    values: Array  # (N, …), one axis for each of the dimensions
    unit: str
    words: str
    dimensions: tuple[str, ...] = ()  # beside the time: names in LABELS


def table_of(t: Array, columns: Mapping[str, Column], events: Array) -> xarray.Dataset:
    """Return a Dataset along t (N,) with a variable for each column; `events` (N,) are texts."""
    import xarray

    found = {
        name: (("t", *c.dimensions), c.values, {"units": c.unit, "long_name": c.words}) for name, c in columns.items()
    }
    sizes = {d: size for c in columns.values() for d, size in zip(c.dimensions, c.values.shape[1:], strict=True)}
    labels = {d: list(LABELS[d][:size]) for d, size in sizes.items()}
    time = ("t", t, {"units": "s", "long_name": "time"})
    return xarray.Dataset(found | {"event": ("t", events)}, coords={"t": time} | labels)


def flat(data: xarray.Dataset) -> Iterator[tuple[str, str, Array]]:
    """Yield name, unit and values (N,) of all columns of a table, t first, the parts of vectors and matrices apart."""
    for name in ("t", *data.data_vars):
        variable = data[name]
        unit = variable.attrs.get("units", "")
        for parts in product(*(range(size) for size in variable.shape[1:])):
            label = "".join(LABELS[str(d)][k] for d, k in zip(variable.dims[1:], parts, strict=True))
            yield f"{name}.{label}" if label else str(name), unit, variable.values[(slice(None), *parts)]


def frame(data: xarray.Dataset) -> pandas.DataFrame:
    """Return the columns of a table, t first. Raises InputError without pandas."""
    try:
        import pandas
    except ImportError:
        raise InputError("to_pandas needs pandas: pip install 'gauss-dynamics[pandas]'.") from None
    return pandas.DataFrame({name: values for name, _, values in flat(data)})


def write_csv(data: xarray.Dataset, path: str | Path) -> Path:
    """Write the columns of a table with their names and units in the first line. Raises FileError, InputError."""
    target = storage.as_path(path)
    storage.require_ending(target, (".csv",), "a table is written as comma-separated values")
    columns = list(flat(data))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([f"{name} [{unit}]" if unit else name for name, unit, _ in columns])
    writer.writerows(zip(*(values.tolist() for _, _, values in columns), strict=True))
    with storage.replaced(target) as part:
        part.write_text(text.getvalue(), encoding="utf-8")
    return target


def events_along(t: Array, events: Iterator[tuple[float, str]]) -> Array:
    """Return the events (N,) at the states with their times, as texts; empty where none is."""
    found: list[list[str]] = [[] for _ in t]
    for time, text in events:
        for k in np.flatnonzero(t == time):
            found[int(k)].append(text)
    return np.array(["; ".join(texts) for texts in found], dtype=object)
