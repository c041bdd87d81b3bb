"""The file of a `Trajectory`: its arrays and what is said beside them, to and from xarray and NetCDF."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.errors import FileError
from gauss.foundation import storage
from gauss.foundation.outcomes import Ending
from gauss.motion.record.columns import ARRAYS, STEPPING
from gauss.motion.record.described import DescribedContact, Description, MotionEvent
from gauss.motion.record.time_stepping import Stepping
from gauss.motion.singular.collocation import Window

if TYPE_CHECKING:
    import h5py
    import xarray

FORMAT = "gauss trajectory 3"
ENDINGS = (".nc", ".nc4", ".h5", ".hdf5")
SIGNATURE = b"\x89HDF\r\n\x1a\n"  # of HDF5
MODEL = "model"  # the attribute of files that holds the fingerprint of the model
CHECKPOINT = "checkpoint"  # the attribute of a file of a run that may go on
META = ("about", "events", "ending", "windows")  # attributes that hold JSON
DERIVED = ("sigma_min", "kinetic", "potential", "off_position", "off_velocity")  # stored here, computed otherwise
OPTIONAL = ("sliding", "sharing", "controls", *STEPPING)
FLAGS = ("active", "sharing")
PATIENCE = 60.0  # s that HDF5 may take for 100 MB that another program has written: it does not always come back
TRIAL = """
import io, json, sys, h5py
attributes, arrays = map(json.loads, sys.argv[1:])
with h5py.File(io.BytesIO(sys.stdin.buffer.read()), "r") as file:
    for name in attributes:
        file.attrs.get(name)
    for name in arrays:
        if isinstance(file.get(name, getlink=True), h5py.HardLink) and isinstance(file[name], h5py.Dataset):
            file[name].external or file[name].is_virtual or file[name][()]
"""  # what `read` asks of HDF5, and nothing else


def dataset(run: Any, arrays: dict[str, Any]) -> xarray.Dataset:
    """Return a Dataset of the arrays of a `Trajectory` by name, with dimensions state, coordinate, row and control.

    What is said beside them is kept as JSON by the names in META.
    """
    import xarray

    about: Description = run.about
    meta = {
        "about": asdict(about),
        "events": [asdict(event) for event in run.events],
        "ending": asdict(run.ending),
        "windows": [window.plain() for window in run.windows],
    }
    data = {}
    for name, (dims, unit, text) in ARRAYS.items():
        if name in OPTIONAL and name not in arrays:
            continue
        values = arrays[name].astype(np.int8) if name in FLAGS else arrays[name]
        data[name] = (dims, values, {"units": _listed_units(about, name) or unit, "long_name": text})
    labels = {"coordinate": np.array(about.coordinates, dtype=object), "row": np.array(about.rows, dtype=object)}
    if "controls" in data:
        labels["control"] = np.array([*about.controls], dtype=object)
    return xarray.Dataset(data, coords=labels, attrs={"format": FORMAT} | {key: json.dumps(meta[key]) for key in META})


def require_name(path: Path) -> None:
    """Raise FileError unless the name of a file says that a trajectory is in it."""
    storage.require_ending(path, ENDINGS, "a trajectory is written as NetCDF-4", " For a table use run.to_csv(…).")


def _listed_units(about: Description, name: str) -> str:
    """Return the declared units of what an array has along its second dimension, one or a list; "" without any."""
    prefix, names = {
        "q": ("", about.coordinates),
        "v": ("d_", about.coordinates),
        "a": ("dd_", about.coordinates),
        "multipliers": ("", about.rows),
        "controls": ("", tuple(about.controls)),
    }.get(name, ("", ()))
    units = [about.unit(prefix + each) or "unknown" for each in names]
    return "" if {*units} <= {"unknown"} else units[0] if len({*units}) == 1 else ", ".join(units)


def write(data: xarray.Dataset, model: object, path: str | Path, checkpoint: object = None) -> Path:
    """Write NetCDF-4; floats are stored as they are, so `read` gives the same bits. Raises FileError, InputError.

    `model` is plain data, ready for JSON, that is kept beside the others, as is `checkpoint` if there is one. The file
    is made in memory: the HDF5 library does not survive a disk that is full.
    """
    import h5netcdf
    import h5py

    target = storage.as_path(path)
    require_name(target)
    attributes = data.attrs | {MODEL: json.dumps(model)}
    attributes |= {} if checkpoint is None else {CHECKPOINT: json.dumps(checkpoint)}
    checked = {name: array.values for name, array in data.data_vars.items()}
    checked |= {key: attributes[key] for key in (*META, MODEL, CHECKPOINT) if key in attributes}
    attributes["checksums"] = json.dumps({name: _checksum(value) for name, value in checked.items()})
    image = io.BytesIO()
    with h5netcdf.File(image, "w") as file:
        file.dimensions = dict(data.sizes)
        for name, array in data.variables.items():
            text = array.dtype.kind in "OU"
            values, dtype = (array.values.astype(object), h5py.string_dtype()) if text else (array.values, array.dtype)
            file.create_variable(name, array.dims, dtype, data=values).attrs.update(array.attrs)
        file.attrs.update(attributes)
    content = image.getvalue()
    with storage.replaced(target) as part:
        part.write_bytes(content + storage.seal(content))
    return target


def read(path: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arrays and the meta data of a file that `write` wrote; what others added is left out.

    Nothing outside the file is read, whatever links it has. Raises FileError for a missing, damaged, foreign or newer
    file, InputError for something that is no path.
    """
    import h5py

    source = storage.as_path(path)
    content = storage.content_of(source)
    if not content.startswith(SIGNATURE):
        raise FileError(f"{source} is not a readable NetCDF file: it is not in the HDF5 format of NetCDF-4.")
    if not storage.is_sealed(source, content):
        if len(content) != _length(content):
            raise FileError(f"{source} is not a readable NetCDF file: its end is missing or damaged.")
        _require_readable(source, content)
    try:
        with h5py.File(io.BytesIO(content), "r") as file:
            storage.require_version(source, file.attrs.get("format"), FORMAT, "a trajectory")
            if "checksums" not in file.attrs:
                raise ValueError("it has no checksums, as files have that Trajectory.save writes")
            checksums = json.loads(_text(file, "checksums"))
            arrays = {name: _values(file, name) for name in ARRAYS if name not in OPTIONAL or name in checksums}
            further = (CHECKPOINT,) if CHECKPOINT in checksums else ()
            texts = {key: _text(file, key) for key in (*META, MODEL, *further)}
            for name, value in (arrays | texts).items():
                if checksums.get(name) != _checksum(value):
                    raise ValueError(f"{name!r} does not fit its checksum")
            as_bool = {name: arrays[name].astype(bool) for name in FLAGS if name in arrays}
            return arrays | as_bool, {key: json.loads(text) for key, text in texts.items()}
    except FileError:
        raise
    except ValueError as error:
        raise storage.damaged(source, error) from None
    except Exception as error:  # of HDF5, where another program wrote the file again and it was damaged then
        raise FileError(f"{source} is not a readable NetCDF file: {type(error).__name__}: {error}.") from None


def recorded_in(path: str | Path) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the fields of the `Trajectory` in a file, and what the file says of a run that may go on.

    Raises what `read` raises.
    """
    arrays, meta = read(path)
    try:
        listed = ("coordinates", "rows", "kinds", "redundant")
        plain = meta["about"] | {key: tuple(meta["about"][key]) for key in listed}
        plain["contacts"] = tuple(
            DescribedContact(**contact | {key: tuple(contact[key]) for key in ("load", "slip")})
            for contact in plain["contacts"]
        )
        about = Description(**plain)
        stepping = {name.partition(".")[2]: arrays.pop(name) for name in STEPPING if name in arrays}
        stored = {name: arrays.pop(name) for name in (*DERIVED, "controls") if name in arrays}
        fields = arrays | {
            "about": about,
            "events": tuple(MotionEvent(**event | {"q": tuple(event["q"])}) for event in meta["events"]),
            "windows": tuple(Window.of(window) for window in meta["windows"]),
            "ending": Ending(**meta["ending"]),
            "stored": stored,
            "stepping": Stepping(**stepping) if stepping else None,
            "model": meta[MODEL],
        }
        controls = stored.get("controls", np.zeros((0, len(about.controls)))).shape[1]
        rows = arrays["multipliers"].shape[1]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise storage.damaged(Path(path), f"{type(error).__name__}: {error}") from None
    for what, names, count in (
        ("coordinates", about.coordinates, arrays["q"].shape[1]),
        ("rows", about.rows, rows),
        ("kinds", about.kinds, rows),
        ("controls", about.controls, controls),
    ):
        if len(names) != count:
            raise storage.damaged(Path(path), f"its arrays are for {count} {what}, its description names {names}")
    return fields, meta.get(CHECKPOINT)


def _length(content: bytes) -> int:
    """Return the length of an HDF5 file by its own account.

    A file without our seal must have it: then another program wrote it, and wrote it whole. Where our seal is damaged,
    HDF5, which may crash on a damaged file, does not get to see it.
    """
    place = {1: 44, 2: 28, 3: 28}.get(content[len(SIGNATURE)] if len(content) > len(SIGNATURE) else 0, 40)
    return int.from_bytes(content[place : place + 8], "little")


def _require_readable(source: Path, content: bytes) -> None:
    """Raise FileError where HDF5 cannot read a file without our seal, crashes on it or does not come back.

    A process of its own tries, as no thread survives that.
    """
    attributes = ["format", "checksums", *META, MODEL, CHECKPOINT]
    command = [sys.executable, "-c", TRIAL, json.dumps(attributes), json.dumps(list(ARRAYS))]
    try:
        tried = subprocess.run(
            command, input=content, capture_output=True, timeout=PATIENCE * (1 + len(content) / 1e8), check=False
        )
    except subprocess.TimeoutExpired:
        raise storage.damaged(source, "HDF5 does not come back from reading it") from None
    if tried.returncode:
        reason = tried.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        crashed = tried.returncode < 0
        raise FileError(f"{source} is not a readable NetCDF file: {'HDF5 crashes on it' if crashed else reason}.")


def _checksum(value: Any) -> str:
    """Return a checksum of a text, or of numbers with their shape and kind."""
    if isinstance(value, str):
        return hashlib.sha256(value.encode()).hexdigest()
    plain = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
    return hashlib.sha256(f"{plain.dtype.str} {value.shape} ".encode() + plain.tobytes()).hexdigest()


def _values(file: h5py.File, name: str) -> Any:
    """Return one array of a file. Raises ValueError where it is missing, no number, or lies elsewhere."""
    import h5py

    own = isinstance(file.get(name, getlink=True), h5py.HardLink)
    array = file[name] if own else None
    if not isinstance(array, h5py.Dataset) or array.external or array.is_virtual:
        raise ValueError(f"it has no array {name!r} of its own")
    if array.dtype.kind not in "fi" or array.ndim != len(ARRAYS[name][0]):
        raise ValueError(f"{name!r} does not hold numbers in {len(ARRAYS[name][0])} dimensions")
    return array[()]


def _text(file: h5py.File, key: str) -> str:
    """Return an attribute that holds text. Raises ValueError."""
    value = file.attrs.get(key)
    if not isinstance(value, str):
        raise ValueError(f"it has no attribute {key!r}")
    return value
