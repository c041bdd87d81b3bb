"""XML of robots: numbers in attributes and texts, and what of a file is not understood."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.robots.reading.description import RobotFile

UNKNOWN = "it is not known, and the model has nothing of it"


def numbers(text: str, size: int, where: str) -> Array:
    """Return so many finite numbers of a text. Raises InputError, which says `where` it stands."""
    try:
        found = np.array([float(x) for x in text.split()])
    except ValueError:
        found = np.zeros(0)
    if found.shape != (size,) or not np.all(np.isfinite(found)):
        raise InputError(f"{where} must be {size} numbers." if size > 1 else f"{where} must be a number.")
    return found


def leave_unknown(
    said: RobotFile,
    element: ET.Element,
    known: Mapping[str, Any],
    meanings: Mapping[str, str],
    path: str,
    name: str = "",
) -> None:
    """Leave attributes (with @ before them) and elements that are not among the known ones, by their path."""
    name = element.get("name") or element.get("reference") or name
    for word in element.keys():  # noqa: SIM118
        where = f"{path}@{word}"
        if f"@{word}" not in known:
            said.leave(where, name, meanings.get(where, UNKNOWN))
    for child in element:
        if not isinstance(child.tag, str):
            continue
        where = f"{path}/{child.tag}".lstrip("/")
        if child.tag in known:
            leave_unknown(said, child, known[child.tag], meanings, where, name)
        else:
            own = child.get("name") or child.get("reference") or name
            said.leave(where, own, meanings.get(where, UNKNOWN))
