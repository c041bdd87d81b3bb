"""`gauss sweep`: the study that options and a model file ask for, and its table in a file, in words, for programs."""

from __future__ import annotations

import inspect
import json
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from gauss import scenario as scenarios
from gauss.errors import FileError, InputError, MotionWarning
from gauss.foundation import storage
from gauss.foundation.threads import filtered
from gauss.model import System
from gauss.motion.record.columns import write_columns
from gauss.scenario import Start
from gauss.show.terminal import CLAIM_FAILED, INTERRUPTED, OK, console
from gauss.studies import sweep

if TYPE_CHECKING:
    import xarray

WRITTEN = (".nc", ".csv")  # endings of tables that are written when the study is complete
SHOWN = 5  # points without a complete motion that are told
COMPLETE = ("finished", "event")

WITH_UNIT = re.compile(
    r"[-+]?[\d.]+(e[-+]?\d+)?\s*([kmµnMG]?(m|g|s|N|J|W|Pa|Hz|rad)|cm|deg|°|%|in|ft|lb|t|h|min)"
)  # 20mm


def run_study(
    name: str,
    texts: list[str],
    wanted: list[str] | None,
    times: str | None,
    out: Path | None,
    as_json: bool,
    samples: bool,
    **options: Any,
) -> int:
    """Compute a study of a model file, write and print it; return the exit status."""
    begin = time.perf_counter()
    streamed = out is not None and out.suffix == ".zarr"
    if out is not None and not streamed:
        storage.require_ending(out, (".zarr", *WRITTEN), "a study is a table")
    module, values = scenarios.module(name), dict(map(_values, texts))
    if len(values) < len(texts):
        raise InputError("--set gives a name more than once; give all its values at once, as in --set m=1,2,3.")
    model, start = _model(module, name)
    options |= {"samples" if samples else "grid": values}
    at = None if times is None else _numbers(times, "--times")
    measures = _measures(module, wanted, name) if wanted or times is None else None
    with filtered("ignore", MotionWarning, "interrupted"):  # this function says how it ended
        options |= {"progress": "none"} if as_json else {}
        table = sweep(model, start, measure=measures, times=at, out=out if streamed else None, **options)
    if out is not None and not streamed:
        _write(table, out)
    found = study_data(table, out, time.perf_counter() - begin)
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        console().print(in_words(table, found), soft_wrap=True)
    counts = found["endings"]
    if counts.get("missing"):
        return INTERRUPTED
    return OK if set(counts) <= set(COMPLETE) else CLAIM_FAILED


def _values(text: str) -> tuple[str, Any]:
    """Return a name and its values, from "l=0.5:2:200" (from, to, how many) or "m=1,2,3". Raises InputError."""
    name, sign, rest = text.partition("=")
    if not sign or not rest:
        raise InputError(f"--set {text!r} is not of the form name=from:to:count, as in l=0.5:2:200, or m=1,2,3.")
    try:
        return name.strip(), _numbers(rest, f"--set {name}")
    except InputError:
        if ":" in rest or not all(part.strip() for part in rest.split(",")):
            raise
        if any(WITH_UNIT.fullmatch(part.strip()) for part in rest.split(",")):
            raise InputError(
                f"--set {text!r} has a unit, which is not read: give the number in the model's own."
            ) from None
        return name.strip(), [part.strip() for part in rest.split(",")]  # names, say of shapes


def _numbers(text: str, option: str) -> Any:
    """Return numbers, evenly from:to:count or listed. Raises InputError."""
    try:
        if ":" in text:
            low, high, count = text.split(":")
            if int(count) < 1:
                raise ValueError(count)
            return np.linspace(float(low), float(high), int(count))
        parts = text.split(",")
        whole = all(part.strip().lstrip("+-").isdecimal() for part in parts)
        return np.array([int(part) if whole else float(part) for part in parts])
    except ValueError:
        raise InputError(
            f"{option} {text!r} is neither from:to:count (0.5:2:200) nor a list of numbers (1,2,3)."
        ) from None


def _model(module: ModuleType, name: str) -> tuple[Any, Any]:
    """Return what a model file builds, and its start. Raises FileError."""
    path, build, start = scenarios.find(name), getattr(module, "build", None), getattr(module, "start", None)
    if not callable(start) or not inspect.signature(start).parameters:
        start = None if callable(build) and start is None else scenarios.required(module, "start", Start, path)
    return build if callable(build) else scenarios.required(module, "system", System, path), start


def _measures(module: ModuleType, wanted: list[str] | None, name: str) -> dict[str, Callable[..., object]]:
    """Return the measures that a model file has, or those of its functions that are wanted. Raises FileError."""
    known = getattr(module, "measures", None)
    known = dict(known) if isinstance(known, dict) else {}
    if callable(getattr(module, "measure", None)):
        known.setdefault("measure", module.measure)
    if not wanted:
        if known:
            return known
        raise FileError(
            f"{name} says nothing to measure: define measure(run), or measures = {{name: function of the run}}, name a"
            " function with --measure, or ask for the coordinates with --times 0:10:101."
        )
    functions = {key: x for key, x in vars(module).items() if callable(x) and not key.startswith("_")} | known
    missing = [each for each in wanted if each not in functions]
    if missing:
        raise FileError(f"{name} has no function {missing[0]!r}; it has {', '.join(functions) or 'none'}.")
    return {each: functions[each] for each in wanted}


def _write(table: xarray.Dataset, path: Path) -> None:
    """Write a table as NetCDF or CSV. Raises FileError."""
    if path.suffix == ".csv":
        write_columns(columns_of_points(table), path)
        return
    with storage.replaced(path) as part:
        table.to_netcdf(part, engine="h5netcdf")


def columns_of_points(table: xarray.Dataset) -> list[tuple[str, str, Any]]:
    """Return name, unit and values (N,) of the columns of a study, a row for each point.

    Arrays have a column for each entry, named by its coordinates or its place: "phi[0.5]", "last[0]".
    """
    dims, shape = table["ending"].dims, table["ending"].shape
    places = np.unravel_index(np.arange(int(np.prod(shape))), shape)
    found: list[tuple[str, str, Any]] = []
    for name in [name for name in table.coords if set(table[name].dims) <= set(dims)]:
        axis = dims.index(table[name].dims[0])
        found.append((str(name), table[name].attrs.get("units", ""), table[name].values[places[axis]]))
    for name, x in table.data_vars.items():
        further, unit = x.dims[len(dims) :], x.attrs.get("units", "")
        values = x.values.reshape(-1, *x.shape[len(dims) :])
        for parts in np.ndindex(*values.shape[1:]):
            labels = [table[d].values[k] if d in table.coords else k for d, k in zip(further, parts, strict=True)]
            label = f"[{', '.join(map(str, labels))}]" if labels else ""
            found.append((f"{name}{label}", unit, values[(slice(None), *parts)]))
    return found


def study_data(table: xarray.Dataset, out: Path | None, seconds: float) -> dict[str, Any]:
    """Return what a study has found as plain data, ready for JSON."""
    endings = table["ending"].values
    places = np.argwhere(~np.isin(endings.astype(str), COMPLETE))
    troubles = []
    for place in places[:SHOWN]:
        there = dict(zip(table["ending"].dims, map(int, place), strict=True))
        point = table.isel(there)
        at = {str(name): point[name].item() for name in table.coords if set(table[name].dims) <= set(there)}
        troubles.append({"at": at, "ending": point["ending"].item(), "message": point["message"].item()})
    ranges = {}
    for name, values in table.data_vars.items():
        if values.dtype.kind == "f" and np.any(np.isfinite(values.values)):
            finite = values.values[np.isfinite(values.values)]
            ranges[str(name)] = {"least": float(finite.min()), "largest": float(finite.max())}
    return {
        "system": table.attrs["system"],
        "points": int(endings.size),
        "sizes": {str(name): int(table.sizes[name]) for name in table["ending"].dims},
        "endings": dict(Counter(endings.ravel().tolist())),
        "troubles": troubles,
        "ranges": ranges,
        "out": None if out is None else str(out),
        "seconds": seconds,
    }


def in_words(table: xarray.Dataset, found: dict[str, Any]) -> str:
    """Return what a study has found in a few lines."""
    sizes = " × ".join(f"{count} of {name}" for name, count in found["sizes"].items())
    counts = ", ".join(f"{count} {kind}" for kind, count in found["endings"].items())
    lines = [f"{found['points']} points of {found['system']!r} ({sizes}): {counts}; {found['seconds']:.1f} s"]
    for name, ends in found["ranges"].items():
        unit = table[name].attrs.get("units", "")
        lines.append(f"{name}  {ends['least']:.6g} … {ends['largest']:.6g}{' ' + unit if unit else ''}")
    for each in found["troubles"]:
        at = ", ".join(f"{name} = {x}" for name, x in each["at"].items())
        lines.append(f"{each['ending']} at {at}: {each['message']}")
    untold = sum(count for kind, count in found["endings"].items() if kind not in COMPLETE) - len(found["troubles"])
    lines += [f"… and {untold} more"] if untold else []
    lines += [f"table  {found['out']}"] if found["out"] is not None else []
    return "\n".join(lines)
