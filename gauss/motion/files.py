"""Named arrays to and from xarray, pandas and NetCDF files; `Trajectory` says which arrays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.arrays import Array, Flags
from gauss.errors import FileError, InputError

if TYPE_CHECKING:
    import pandas
    import xarray

FORMAT = "gauss trajectory 1"
META = ("about", "events", "ending", "windows")  # attributes that hold JSON
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
    "zwang": (("state",), "kg m²/s⁴", "Zwang ½(a − a_free)ᵀM(a − a_free)"),
    "primal": (("state",), "√kg m/s²", "row residual in the mass metric"),
    "stationarity": (("state",), "√kg m/s²", "stationarity residual in the inverse mass metric"),
    "solver_distance": (("state",), "√kg m/s²", "distance of the solver's own acceleration"),
    "off_position": (("state",), "√kg m", "distance off the position constraints"),
    "off_velocity": (("state",), "√kg m/s", "distance off the velocity constraints"),
    "kinetic": (("state",), "J", "kinetic energy"),
    "potential": (("state",), "J", "potential energy"),
    "sigma_min": (("state",), "", "smallest singular value of the rows in the mass metric"),
}
OPTIONAL = ("sliding", "sharing")
FLAGS = ("active", "sharing")


def dataset(
    arrays: dict[str, Any], coordinates: tuple[str, ...], rows: tuple[str, ...], meta: dict[str, Any]
) -> xarray.Dataset:
    """Return a Dataset with dimensions state, coordinate and row; `meta`, by the names in META, is kept as JSON."""
    import xarray

    data = {}
    for name, (dims, unit, text) in ARRAYS.items():
        if name in OPTIONAL and name not in arrays:
            continue
        values = arrays[name].astype(np.int8) if name in FLAGS else arrays[name]
        data[name] = (dims, values, {"units": unit, "long_name": text})
    labels = {"coordinate": np.array(coordinates, dtype=object), "row": np.array(rows, dtype=object)}
    return xarray.Dataset(data, coords=labels, attrs={"format": FORMAT} | {key: json.dumps(meta[key]) for key in META})


def frame(arrays: dict[str, Any], coordinates: tuple[str, ...], rows: tuple[str, ...]) -> pandas.DataFrame:
    """Return a DataFrame with columns t, x, d_x, dd_x, …, one per row name, and the certificate numbers."""
    try:
        import pandas
    except ImportError:
        raise InputError("to_pandas needs pandas: pip install 'gauss-dynamics[pandas]'.") from None
    columns: dict[str, Array] = {"t": arrays["t"]}
    for prefix, table in (("", arrays["q"]), ("d_", arrays["v"]), ("dd_", arrays["a"])):
        columns |= {prefix + name: table[:, k] for k, name in enumerate(coordinates)}
    columns |= {name: arrays["multipliers"][:, k] for k, name in enumerate(rows)}
    columns |= {name: arrays[name] for name, (dims, *_) in ARRAYS.items() if dims == ("state",) and name != "t"}
    return pandas.DataFrame(columns)


def as_path(value: object) -> Path:
    """Return `value` as a Path, or raise an InputError that shows it."""
    if not isinstance(value, (str, Path)):
        raise InputError(f"the path of a file must be a str or a pathlib.Path, but is {value!r}.")
    return Path(value)


def write(data: xarray.Dataset, path: str | Path) -> Path:
    """Write NetCDF-4; floats are stored as they are, so `read` gives the same bits. Raises FileError, InputError."""
    target = as_path(path)
    if not target.parent.is_dir():
        raise FileError(f"cannot write {target}: there is no folder {target.parent}.")
    try:
        data.to_netcdf(target, engine="h5netcdf")
    except OSError as error:
        raise FileError(f"cannot write {target}: {error.strerror or error}.") from None
    return target


def read(path: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arrays and the meta data of a file; attributes that others added are left out.

    Raises FileError for a missing, damaged or foreign file, InputError for something that is no path.
    """
    source = as_path(path)
    data = _open(source)
    if str(data.attrs.get("format")) != FORMAT:
        raise FileError(f"{source} is not a trajectory of this package (its format attribute is not {FORMAT!r}).")
    try:
        names = [name for name in ARRAYS if name not in OPTIONAL or name in data]
        return {name: _values(data, name) for name in names}, {key: _meta(data, key) for key in META}
    except ValueError as error:
        raise damaged(source, error) from None


def damaged(path: str | Path, reason: object) -> FileError:
    """Return the error for a file of the right format with wrong contents."""
    return FileError(f"{path} is damaged: {str(reason).rstrip('.')}. Save the trajectory again.")


def _open(source: Path) -> xarray.Dataset:
    """Return the contents of a NetCDF-4 file. Raises FileError."""
    import h5py
    import xarray

    if not source.is_file():
        raise FileError(f"there is no file {source}.")
    if not h5py.is_hdf5(source):
        raise FileError(f"{source} is not a readable NetCDF file: it is not in the HDF5 format of NetCDF-4.")
    try:
        with xarray.open_dataset(source, engine="h5netcdf", decode_cf=False) as data:
            return data.load()
    except Exception as error:
        raise FileError(f"{source} is not a readable NetCDF file: {type(error).__name__}: {error}.") from None


def _values(data: xarray.Dataset, name: str) -> Array | Flags:
    """Return one array of a file. Raises ValueError where it is missing, no number, or of other dimensions."""
    if name not in data:
        raise ValueError(f"it has no array {name!r}")
    found, expected = data[name], ARRAYS[name][0]
    if found.dims != expected:
        raise ValueError(f"the dimensions of {name!r} are {found.dims}, expected {expected}")
    if found.dtype.kind not in "fiu":
        raise ValueError(f"{name!r} does not hold numbers")
    return np.array(found.values, dtype=bool if name in FLAGS else float)


def _meta(data: xarray.Dataset, key: str) -> Any:
    """Return one JSON attribute of a file. Raises ValueError where it is missing or no JSON."""
    if key not in data.attrs:
        raise ValueError(f"it has no attribute {key!r}")
    try:
        return json.loads(data.attrs[key])
    except (TypeError, ValueError) as error:
        raise ValueError(f"its attribute {key!r} is no JSON: {error}") from None
