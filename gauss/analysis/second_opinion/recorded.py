"""A second opinion on the states of a file of NumPy arrays."""

from __future__ import annotations

import inspect
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from gauss.analysis.second_opinion.check import check
from gauss.analysis.second_opinion.record import SecondOpinion
from gauss.errors import FileError


def recorded(path: Path) -> SecondOpinion:
    """Return the second opinion on a file PATH.npz, whose keys are the arguments of `gauss.check`.

    Raises FileError for a file that is missing, damaged, or holds something else, and what `gauss.check` raises.
    """
    if not path.is_file():
        raise FileError(f"there is no file {path}.")
    if path.suffix.lower() != ".npy" and not zipfile.is_zipfile(path):
        raise FileError(
            f"{path} is no file of arrays (.npz): give one that numpy.savez(path, M=…, f=…, J=…, a=…) has written."
        )
    try:
        with np.load(path, allow_pickle=False) as file:
            if not isinstance(file, np.lib.npyio.NpzFile):
                raise FileError(
                    f"{path} holds one array; numpy.savez(path, M=…, f=…, J=…, a=…) writes several, by name."
                )
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
