"""The columns of a motion by name, with units: what a Trajectory records, and its table along the time.

A new number of each state goes into `ARRAYS`; what is computed from them, as energies, into `columns_of`. The table is
an xarray Dataset, a pandas DataFrame or a CSV file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gauss.errors import InputError
from gauss.foundation import storage
from gauss.foundation.arrays import Array
from gauss.model.units import ANGLES

if TYPE_CHECKING:
    import pandas
    import xarray

STATES, ROWS = ("state", "coordinate"), ("state", "row")
ARRAYS: dict[str, tuple[tuple[str, ...], str, str]] = {  # name: dimensions, unit, words
    "t": (("state",), "s", "time"),
    "q": (STATES, "", "generalized coordinate"),
    "v": (STATES, "1/s", "velocity"),
    "a": (STATES, "1/s²", "acceleration"),
    "multipliers": (ROWS, "", "multiplier λ of M a = f + Jᵀλ"),
    "active": (ROWS, "", "row in force after the state"),
    "sliding": (ROWS, "", "c of the friction force −c p (or −c) of a slip row"),  # of motions with friction only
    "sharing": (ROWS, "", "row that shares the reaction of those in force"),  # where that is not determined
    "kinetic": (("state",), "J", "kinetic energy"),
    "potential": (("state",), "J", "potential energy"),
    "zwang": (("state",), "kg m²/s⁴", "Zwang ½(a − a_free)ᵀM(a − a_free)"),
    "primal": (("state",), "√kg m/s²", "row residual in the mass metric"),
    "stationarity": (("state",), "√kg m/s²", "stationarity residual in the inverse mass metric"),
    "solver_distance": (("state",), "√kg m/s²", "distance of the solver's own acceleration"),
    "off_position": (("state",), "√kg m", "distance off the position constraints"),
    "off_velocity": (("state",), "√kg m/s", "distance off the velocity constraints"),
    "sigma_min": (("state",), "", "smallest singular value of the rows in the mass metric"),
    "controls": (("state", "control"), "", "control behind the state"),  # of systems with controls only
    "stepping.dissipated": (("state",), "J", "energy that contacts took so far"),  # of time stepping only
    "stepping.corrected": (("state",), "J", "energy that corrections of positions added so far"),
    "stepping.work": (("state",), "J", "work of all other forces, and error of integration, so far"),
    "stepping.penetration": (("state",), "", "largest penetration, as a share of the size"),
    "stepping.residual": (("state",), "", "residual of the contact problems, relative to the rates"),
}
STEPPING = tuple(name for name in ARRAYS if name.startswith("stepping."))
NO_ANGLE = 'degrees are asked for, but no quantity has the unit "rad": declare it, as in units={"phi": "rad"}.'
CHOICE = " (a choice: not determined)"  # of multipliers where rows depend on one another
UNKNOWN = " (nan: time stepping does not tell it)"  # of columns without a number
LABELS = {  # of the dimensions beside the time
    "axis": ("x", "y", "z"),
    "column": ("1", "2", "3"),
    "part": ("w", "x", "y", "z"),
    "component": ("1", "2", "3"),
}
VECTORS = (("axis",), ("component",))  # dimensions of what has a size


class Column(NamedTuple):
    """A quantity along a motion with N states."""

    values: Array  # (N, …), one axis for each of the dimensions
    unit: str
    words: str
    dimensions: tuple[str, ...] = ()  # beside the time: names in LABELS


class Later(NamedTuple):
    """A column whose values are computed when they are asked for; all else is known before."""

    values: Callable[[], Array]
    shape: tuple[int, ...]  # of its values at one state
    unit: str
    words: str
    dimensions: tuple[str, ...] = ()


class Columns(Mapping[str, Column]):
    """Columns by name; those that are given as `Later` are computed when they are asked for."""

    def __init__(self, given: Iterable[tuple[str, Column | Later]]) -> None:
        self._known = dict(given)

    def __getitem__(self, name: str) -> Column:
        found = self._known[name]
        if isinstance(found, Later):
            found = self._known[name] = Column(found.values(), found.unit, found.words, found.dimensions)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def unit(self, name: str) -> str | None:
        """Return the unit of a column, or of a number of one; None of names that are not known. Nothing is computed."""
        whole, _, part = name.rpartition(".")
        known = name in self._known or part in self.labels(whole)
        return self._known[name if name in self._known else whole].unit if known else None

    def found(self, name: object) -> Column | None:
        """Return a column, or a number of one, by name; None of names that are not known."""
        if not isinstance(name, str):
            return None
        whole, _, part = name.rpartition(".")
        if name in self or part not in self.labels(whole):
            return self.get(name)
        return parts_of(whole, self[whole]).get(name)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the values of joints: those of angles and displacements that have a rate. Nothing is computed."""
        parts = [(name, *name.partition(".")) for name in self]
        words = ("angle", "displacement")
        return tuple(name for name, joint, _, word in parts if word.startswith(words) and f"d_{joint}.{word}" in self)

    def labels(self, name: str) -> list[str]:
        """Return the labels of the numbers of a column, "norm" among them; none of other names. Nothing is computed."""
        found = self._known.get(name)
        if found is None:
            return []
        shape = found.shape if isinstance(found, Later) else found.values.shape[1:]
        return labels_of(found.dimensions, shape)


SEPARATORS, DECIMALS = (",", ";", "\t"), (".", ",")  # of tables of comma-separated values


def columns_of(run: Any, further: Mapping[str, Column]) -> dict[str, Column]:
    """Return the columns of a Trajectory by name, with `further` ones, as those of a mechanism.

    Coordinates come first, energies behind what acts, and numbers of the certificate last.
    """
    arrays, about = run.to_numpy(), run.about
    found: dict[str, Column] = {}
    for prefix, key in (("", "q"), ("d_", "v"), ("dd_", "a")):
        words = ARRAYS[key][2]
        pairs = zip(about.coordinates, arrays[key].T, strict=True)
        found |= {
            prefix + name: Column(values, about.unit(prefix + name), f"{words} of {name!r}") for name, values in pairs
        }
    found |= dict(further) | found
    mean = ", mean over the step that leads to the state" if run.stepping is not None else ""
    multipliers = zip(about.rows, run.multipliers.T, strict=True)
    found |= {
        name: Column(values, about.unit(name), f"multiplier of {name!r}{mean}" + CHOICE * (name in run.open_forces))
        for name, values in multipliers
    }
    controls = zip(about.controls, arrays["controls"].T, strict=True) if "controls" in arrays else ()
    found |= {name: Column(values, about.unit(name), f"control {name!r}") for name, values in controls}
    found["energy"] = Column(run.energy, "J", "kinetic plus potential energy")
    found |= {
        name: Column(arrays[name], unit, words)
        for name, (dimensions, unit, words) in ARRAYS.items()
        if dimensions == ("state",) and name in arrays and name != "t"
    }
    if run.stepping is not None:
        empty = [name for name, column in found.items() if np.all(np.isnan(column.values))]
        found |= {name: found[name]._replace(words=found[name].words + UNKNOWN) for name in empty}
    return found


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


def parts_of(name: str, column: Column) -> dict[str, Column]:
    """Return the numbers of a vector or a matrix by name, "crank.position.x", and the "norm" of a vector.

    >>> force = Column(np.array([[3.0, 4.0]]), "N", "force", ("axis",))
    >>> [(name, part.values.tolist()) for name, part in parts_of("pin.force", force).items()]
    [('pin.force.x', [3.0]), ('pin.force.y', [4.0]), ('pin.force.norm', [5.0])]
    """
    if not column.dimensions:
        return {}
    numbers = column.values.reshape(len(column.values), -1).T  # the last axis runs first, as in the labels
    labels = [label for label, _ in _labels(column.dimensions, column.values.shape[1:])]
    found = {
        f"{name}.{label}": Column(values, column.unit, f"{label} of {column.words}")
        for label, values in zip(labels, numbers, strict=True)
    }
    if column.dimensions in VECTORS:
        norm = np.linalg.norm(column.values, axis=1)
        found[f"{name}.norm"] = Column(norm, column.unit, f"size of the {column.words}")
    return found


def labels_of(dimensions: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """Return the labels of the parts of a vector or a matrix, as `parts_of` has them; none of one number."""
    found = [label for label, _ in _labels(dimensions, sizes)] if dimensions else []
    return [*found, *["norm"] * (tuple(dimensions) in VECTORS)]


def _labels(dimensions: Sequence[str], sizes: Sequence[int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the label of each number of a vector or a matrix, and its place."""
    for place in product(*map(range, sizes)):
        yield "".join(LABELS[d][k] for d, k in zip(dimensions, place, strict=True)), place


def flat(data: xarray.Dataset) -> Iterator[tuple[str, str, Array]]:
    """Yield name, unit and values (N,) of all columns of a table, t first, the parts of vectors and matrices apart."""
    for name in ("t", *data.data_vars):
        variable = data[name]
        unit = variable.attrs.get("units", "")
        for label, place in _labels([str(d) for d in variable.dims[1:]], variable.shape[1:]):
            yield f"{name}.{label}" if label else str(name), unit, variable.values[(slice(None), *place)]


def frame(data: xarray.Dataset, degrees: bool = False) -> pandas.DataFrame:
    """Return the columns of a table, t first, their units in `attrs`, angles in degrees if asked.

    Raises InputError without pandas, and where degrees are asked for and there are no angles.
    """
    try:
        import pandas
    except ImportError:
        raise InputError("to_pandas needs pandas: pip install 'gauss-dynamics[pandas]'.") from None
    columns = turned(flat(data), degrees)
    found = pandas.DataFrame({name: values for name, _, values in columns})
    found.attrs["units"] = {name: unit for name, unit, _ in columns if unit}
    return found


def turned(columns: Iterable[tuple[str, str, Array]], degrees: bool) -> list[tuple[str, str, Array]]:
    """Return columns (name, unit, values) with angles in degrees if asked. Raises InputError where there are none."""
    found = list(columns)
    if not degrees:
        return found
    if not any(unit in ANGLES for _, unit, _ in found):
        raise InputError(NO_ANGLE)
    return [(name, *in_degrees(unit, values)) for name, unit, values in found]


def write_csv(run: Any, path: str | Path, names: Sequence[str] | None, degrees: bool, **form: str) -> Path:
    """Write columns of a Trajectory with their names and units in the first line, angles in degrees if asked.

    `names` are those asked for, None for all. `form` are the signs and the encoding of `write_columns`. Raises
    FileError, InputError.
    """
    columns = turned(flat(run.data) if names is None else _asked(run, names), degrees)
    return write_columns(columns, path, notes=dict.fromkeys(run.open_forces, CHOICE), **form)


def _asked(run: Any, names: str | Sequence[str]) -> Iterator[tuple[str, str, Array]]:
    """Yield time and the columns of a Trajectory that names stand for, each once. Raises InputError."""
    known = run.names
    found = dict.fromkeys(["t"])
    for name in [names] if isinstance(names, str) else names:
        starts = (f"{name}.", f"{name}[", f"d_{name}.")  # of a joint or a body
        own = [] if name in known else [each for each in known if each.startswith(starts)]
        found |= dict.fromkeys(own or [name])
    for name in found:
        values = run[name]
        if values.ndim == 1:
            yield name, run.unit(name), values
            continue
        yield from ((part, run.unit(name), run[part]) for part in run.parts(name) if not part.endswith(".norm"))


def write_columns(
    columns: list[tuple[str, str, Any]],
    path: str | Path,
    separator: str = ",",
    decimal: str = ".",
    encoding: str = "utf-8",
    notes: Mapping[str, str] | None = None,
) -> Path:
    """Write columns, each a name, a unit and values (N,), as `write_csv` does. Raises FileError, InputError.

    `notes` are by name and stand behind the unit.
    """
    target = storage.as_path(path)
    storage.require_ending(target, (".csv",), "a table is written as comma-separated values")
    if separator not in SEPARATORS or decimal not in DECIMALS or separator == decimal:
        raise InputError(
            "a table has ',', ';' or a tab as separator, and another sign, '.' or ',', as decimal: separator=';' goes"
            f" with decimal=','; got {separator!r} and {decimal!r}."
        )
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    said = notes or {}
    writer.writerow([(f"{name} [{unit}]" if unit else name) + said.get(name, "") for name, unit, _ in columns])
    numbers = [values.tolist() for _, _, values in columns]
    if decimal != ".":
        numbers = [[str(x).replace(".", decimal) if isinstance(x, float) else x for x in each] for each in numbers]
    writer.writerows(zip(*numbers, strict=True))
    try:
        written = text.getvalue().encode(encoding)
    except (LookupError, UnicodeError, TypeError) as error:
        raise InputError(f"the table cannot be written with encoding={encoding!r}: {error}; utf-8 can.") from None
    with storage.replaced(target) as part:
        part.write_bytes(written)
    return target


def in_degrees(unit: str, values: Array) -> tuple[str, Array]:
    """Return unit and values of a quantity with angles in degrees."""
    return (ANGLES[unit], np.rad2deg(values)) if unit in ANGLES else (unit, values)


def events_along(t: Array, events: Iterator[tuple[float, str]]) -> Array:
    """Return the events (N,) at the states with their times, as texts; empty where none is."""
    found: list[list[str]] = [[] for _ in t]
    for time, text in events:
        for k in np.flatnonzero(t == time):
            found[int(k)].append(text)
    return np.array(["; ".join(texts) for texts in found], dtype=object)
