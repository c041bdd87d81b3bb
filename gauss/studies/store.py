"""A study in a Zarr file: whole after every portion, refused to another study, and one writer at a time."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.errors import FileError, InputError
from gauss.foundation import storage
from gauss.foundation.threads import filtered
from gauss.studies.points import StudyPoints
from gauss.studies.table import ENDINGS, Memory, StudyTable, attrs_of

if TYPE_CHECKING:
    import xarray

FORMAT = "gauss study 1"


def require_zarr() -> Any:
    """Return the library that writes Zarr files. Raises InputError where it is missing."""
    try:
        import zarr
    except ImportError:
        raise InputError("a study in a file needs the package zarr: pip install gauss-dynamics[studies].") from None
    return zarr


class ZarrMemory(Memory):
    """Arrays in a Zarr file. Each chunk is written beside and moved into place, so a kill leaves the old or the new."""

    def __init__(self, path: Path):
        super().__init__()
        self.path = path
        self.group = require_zarr().open_group(path, mode="r+", use_consolidated=False)
        self.forms = json.loads(self.group.attrs["forms"])
        names = [*ENDINGS, *(name for form in self.forms.values() for name in form["variables"])]
        self.arrays = {name: self.group[name] for name in names if name in self.group}

    def create(
        self,
        name: str,
        dims: Sequence[str],
        shape: tuple[int, ...],
        chunk: tuple[int, ...],
        kind: str,
        fill: Any,
        attrs: dict[str, Any],
    ) -> None:
        """Make an array that is `fill` everywhere; nothing is written for chunks that were not computed."""
        self.arrays[name] = _create(self.group, name, dims, shape, chunk, kind, fill, attrs)

    def settle(self, forms: dict[str, Any]) -> None:
        """Keep the forms of the measures, before their arrays are made, and their coordinates."""
        for form in forms.values():
            for name, x in form["coords"].items():
                if name not in self.group:
                    _write(self.group, name, x["dims"], np.array(x["values"]), x["attrs"])
        self.group.attrs["forms"] = json.dumps(forms)
        super().settle(forms)

    def made(self) -> None:
        """Describe all arrays in one place, where xarray looks for them first."""
        consolidate(self.path)


def consolidate(path: Path) -> None:
    """Put the descriptions of all arrays in one place, where xarray looks for them first."""
    with filtered("ignore", UserWarning, "Consolidated metadata"):
        require_zarr().consolidate_metadata(str(path))


def _create(
    group: Any, name: str, dims: Sequence[str], shape: Any, chunk: Any, kind: str, fill: Any, attrs: dict[str, Any]
) -> Any:
    dtype = {"f": "float64", "c": "complex128", "i": "int64", "b": "bool", "O": str}[kind]
    return group.create_array(
        name,
        shape=shape,
        chunks=chunk,
        dtype=dtype,
        fill_value=fill,
        dimension_names=tuple(dims),
        attributes=attrs,
        overwrite=True,
    )


def _write(group: Any, name: str, dims: Sequence[str], values: Any, attrs: dict[str, Any]) -> None:
    """Write a coordinate."""
    kind = {"U": "O", "u": "i"}.get(values.dtype.kind, values.dtype.kind)
    fill = {"O": "", "b": False}.get(kind, 0)
    array = _create(group, name, dims, values.shape, values.shape, kind, fill, attrs)
    array[...] = values.astype(object) if kind == "O" else values


def create(
    path: Path,
    points: StudyPoints,
    chunk: tuple[int, ...],
    identity: dict[str, Any],
    attrs: dict[str, Any],
    units: Mapping[str, str],
) -> None:
    """Make the file of a study of which nothing is computed yet, at once. Raises FileError."""
    zarr = require_zarr()
    if not path.parent.is_dir():
        raise FileError(f"cannot write {path}: there is no folder {path.parent.resolve()}.")
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        texts = {"format": FORMAT, "study": json.dumps(identity), "forms": "{}", "chunk": json.dumps(chunk)}
        texts |= {} if points.product else {"coordinates": " ".join(points.axes)}  # as the CF conventions say it
        group = zarr.create_group(part, attributes=texts | attrs)
        for name, values in points.axes.items():
            _write(group, name, (name,) if points.product else points.dims, values, attrs_of(units, name))
        consolidate(part)
        if path.is_dir():  # an empty folder
            path.rmdir()
        part.rename(path)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}.") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def is_there(path: Path) -> bool:
    """Whether a file of a study is at a path. Raises FileError where something else is."""
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return False
    if not (path / "zarr.json").is_file():
        raise FileError(f"{path} is there, and is no Zarr file. Choose another name.")
    return True


def described(path: Path) -> tuple[dict[str, Any], tuple[int, ...], dict[str, Any]]:
    """Return the identity, the shape of portions and the values of the study in a file. Raises FileError."""
    zarr = require_zarr()
    try:
        group = zarr.open_group(path, mode="r", use_consolidated=False)
        storage.require_version(path, group.attrs.get("format"), FORMAT, "a study")
        identity = json.loads(group.attrs["study"])
        axes = {name: np.asarray(group[name][...]) for name in identity["names"]}
        return identity, tuple(json.loads(group.attrs["chunk"])), axes
    except FileError:
        raise
    except Exception as error:
        raise FileError(f"{path} is damaged: {type(error).__name__}: {error}. Compute it again.") from None


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold a file for one writer inside the block; the system ends that with the process. Raises FileError."""
    try:
        import fcntl
    except ImportError:  # on Windows nobody is kept away
        yield
        return
    folder = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(folder)
        raise FileError(f"{path} is being written by another process. Wait for it, or end it.") from None
    try:
        yield
    finally:
        os.close(folder)


def opened(path: Path, table: StudyTable, attrs: dict[str, Any]) -> xarray.Dataset:
    """Return the table in a file, in the order of one in memory; its numbers are read when they are asked for."""
    import xarray

    found = xarray.open_zarr(path, chunks=None)
    texts = {name: x.astype(object) for name, x in found.variables.items() if x.dtype.kind == "T"}
    found = found.assign(texts)
    order = [*(name for form in table.memory.forms.values() for name in form["variables"]), *ENDINGS]
    places = {name: found[name].variable for name in (*table.points.axes, *found.coords)}
    return xarray.Dataset({name: found[name].variable for name in order}, places, attrs)
