"""Recorded states: one recording of many, and a second opinion on that of a file of NumPy arrays."""

from __future__ import annotations

import inspect
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gauss.analysis.second_opinion.check import check
from gauss.analysis.second_opinion.record import SecondOpinion
from gauss.errors import FileError, InputError
from gauss.foundation.calls import advised

BY_STATE = ("M", "f", "a")  # arrays of a state without an axis of rows


@advised
def recording(states: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the arguments of `gauss.check` for N states from those of each, which have `names` of their m_k rows.

    All rows of any state have a place, m in all, and where a state does not have one its entries are nan: contacts and
    limits come and go. Raises InputError where there is no state, or one does not fit the first or its own names.

    >>> import gauss as g
    >>> held = {"M": [[1.0]], "f": [-9.81], "J": [[1.0]], "a": [0.0], "forces": [9.81], "names": ["floor"]}
    >>> free = {"M": [[1.0]], "f": [-9.81], "J": [[]], "a": [-9.81], "forces": [], "names": []}
    >>> print(g.check(**g.analysis.recording([held, free])).words)
    ('agrees', 'agrees')
    """
    if not states:
        raise InputError("a recording needs a state at least.")
    first = states[0]
    shared = [key for key, value in first.items() if np.ndim(value) == 0 or key == "coordinates"]
    for k, state in enumerate(states):
        if "names" not in state or set(state) != set(first):
            raise InputError(
                f"state {k} of the recording needs names of its rows, and the same arguments as the first."
            )
        other = next((key for key in shared if not np.array_equal(state[key], first[key])), None)
        if other is not None:
            raise InputError(
                f"{other} of state {k} of the recording must be that of the first: it is one for all states."
            )
    names = list(dict.fromkeys(name for state in states for name in state["names"]))
    found = {key: first[key] for key in shared} | {"names": names}
    for key in [key for key in first if key not in found]:
        found[key] = np.array([state[key] for state in states] if key in BY_STATE else _spread(states, key, names))
    return found


def _spread(states: Sequence[Mapping[str, Any]], key: str, names: list[str]) -> list[Any]:
    """Return what each state says by row at the places of its rows among `names`; the others are nan, or false."""
    values, place = [np.asarray(state[key]) for state in states], {name: j for j, name in enumerate(names)}
    shape = max(values, key=len).shape[1:]  # a state without rows may not tell that of the others
    spread = []
    for k, (state, value) in enumerate(zip(states, values, strict=True)):
        own = [place[name] for name in state["names"]]
        if value.dtype.kind not in "bif" or (value.size and len(value) != len(own)) or (own and not value.size):
            raise InputError(f"{key} of state {k} of the recording must have a number for each of its {len(own)} rows.")
        full = np.full((len(names), *shape), False if value.dtype == bool else np.nan)
        if own:
            full[own] = value
        spread.append(full)
    return spread


def recorded(path: Path) -> SecondOpinion:
    """Return the second opinion on a file PATH.npz, whose keys are the arguments of `gauss.check`.

    Raises FileError for a file that is missing, damaged, or holds something else, and what `gauss.check` raises.
    """
    if not path.is_file():
        raise FileError(f"{path} is a folder." if path.is_dir() else f"there is no file {path}.")
    if path.suffix.lower() != ".npy" and not zipfile.is_zipfile(path):
        raise FileError(
            f"{path} is no file of arrays (.npz): give one that numpy.savez(path, M=…, f=…, J=…, a=…) has written."
        )
    try:
        found = np.load(path, allow_pickle=False)
        if not isinstance(found, np.lib.npyio.NpzFile):
            raise FileError(f"{path} holds one array; numpy.savez(path, M=…, f=…, J=…, a=…) writes several, by name.")
        with found as file:
            given: dict[str, Any] = {name: file[name] for name in file.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot read {path} as arrays of NumPy: {error}.") from None
    known = inspect.signature(check).parameters
    unknown = [name for name in given if name not in known]
    if unknown:
        raise FileError(f"{path} has an array {unknown[0]!r}, which is none of {', '.join(known)}.")
    missing = [name for name in ("M", "f", "a") if name not in given]
    if missing:
        raise FileError(f"{path} has no array {missing[0]!r}; it needs M, f and a, and J where there are rows.")
    plain = {name: x.tolist() if x.ndim == 0 or x.dtype.kind == "U" else x for name, x in given.items()}
    return check(**plain)
