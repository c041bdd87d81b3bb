"""What is measured of one motion: named numbers and small arrays, with their dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.model import System
from gauss.motion.record.columns import ARRAYS

KINDS = {"f": float, "c": complex, "O": object}  # numbers are floats, so that what is missing can be nan


@dataclass(frozen=True)
class Variable:
    """A number, a text or an array with named dimensions."""

    dims: tuple[str, ...]
    values: Any
    attrs: dict[str, Any]

    @property
    def kind(self) -> str:
        """One of KINDS."""
        return str(self.values.dtype.kind)

    def plain(self) -> dict[str, Any]:
        """Return its form without its values, ready for JSON."""
        return {"dims": list(self.dims), "shape": list(self.values.shape), "kind": self.kind, "attrs": self.attrs}


@dataclass(frozen=True)
class Measured:
    """What one measure says of a motion."""

    variables: dict[str, Variable]
    coords: dict[str, Variable]

    def form(self) -> dict[str, Any]:
        """Return dimensions, sizes and coordinates, which must be the same at all points, ready for JSON."""
        coords = {name: each.plain() | {"values": each.values.tolist()} for name, each in self.coords.items()}
        return {"variables": {name: each.plain() for name, each in self.variables.items()}, "coords": coords}


def difference(mine: dict[str, Any], theirs: dict[str, Any]) -> str:
    """Return what differs between two forms, in words; empty where they are the same but for attributes."""
    for part, word in (("variables", "variables"), ("coords", "coordinates")):
        if list(mine[part]) != list(theirs[part]):
            return f"its {word} are {_listed(mine[part])} here and {_listed(theirs[part])} at the first point"
        for name, each in mine[part].items():
            for key in ("dims", "shape", "kind", "values"):
                if each.get(key) != theirs[part][name].get(key):
                    here, there = each[key], theirs[part][name][key]
                    return f"the {key} of {name!r} are {here} here and {there} at the first point"
    return ""


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(names) or "none"


def measured(name: str, result: Any) -> Measured:
    """Return what a measure has returned: a number, a text, an array, a DataArray, a Dataset or a dict of these.

    Raises InputError.
    """
    import xarray

    if isinstance(result, Mapping) and not isinstance(result, xarray.Dataset):
        parts = [measured(str(key), value) for key, value in result.items()]
        variables = {key: x for part in parts for key, x in part.variables.items()}
        return Measured(variables, {key: x for part in parts for key, x in part.coords.items()})
    if isinstance(result, xarray.DataArray):
        result = result.to_dataset(name=name)
    if isinstance(result, xarray.Dataset):
        found = {str(key): _variable(str(key), x.dims, x.values, x.attrs) for key, x in result.data_vars.items()}
        indices = {key: x for key, x in result.coords.items() if x.dims == (key,)}
        coords = {str(key): _variable(str(key), x.dims, x.values, x.attrs) for key, x in indices.items()}
        return Measured(found, coords)
    values = np.asarray(result)
    return Measured({name: _variable(name, tuple(f"{name}_{k}" for k in range(values.ndim)), values, {})}, {})


def _variable(name: str, dims: tuple[Any, ...], values: Any, attrs: Mapping[Any, Any]) -> Variable:
    values = np.asarray(values)
    if "/" in name:
        raise InputError(f"the name {name!r} has a /, which names in files cannot have.")
    if values.dtype.kind in "biuf":
        values = values.astype(float)
    elif values.dtype.kind in "UT" or (values.dtype == object and all(isinstance(x, str) for x in values.flat)):
        values = values.astype(object)
    elif values.dtype.kind != "c":
        raise InputError(f"{name!r} is {values!r}; numbers, texts and arrays of these are expected.")
    else:
        values = values.astype(complex)
    kept = {str(key): x for key, x in attrs.items() if isinstance(x, (str, int, float))}
    return Variable(tuple(map(str, dims)), values, kept)


def along_times(system: System, times: Array, q: Array, v: Array, multipliers: Array) -> Measured:
    """Return coordinates (k, n), velocities (k, n) and multipliers (k, m) at k times by name."""
    found: dict[str, Variable] = {}
    for prefix, key, values in (("", "q", q), ("d_", "v", v)):
        for k, name in enumerate(system.coordinates):
            said = {"units": system.unit(prefix + name), "long_name": f"{ARRAYS[key][2]} of {name!r}"}
            found[prefix + name] = Variable(("t",), values[:, k], said)
    for k, name in enumerate(system.row_names):
        said = {"units": system.unit(name), "long_name": f"multiplier of {name!r}"}
        found[name.replace("/", "∕")] = Variable(("t",), multipliers[:, k], said)
    return Measured(found, {"t": Variable(("t",), times, {"units": "s"})})
