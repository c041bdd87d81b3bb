"""Named vectors: what a model function receives as q, v, p and u."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from gauss.errors import InputError

RATES = (  # spellings of rates, and what is written before the coordinate
    (r"(?:d_?d_?|a_)(\w+)", "dd_"),
    (r"(\w+?)_?(?:ddot|dotdot|'')", "dd_"),
    (r"(?:d_?|v_)(\w+)", "d_"),
    (r"(\w+?)_?(?:dot|')", "d_"),
)


class Named:
    """A vector whose components are reached by name (``q.x``, ``q["x"]``) or by position (``q[0]``).

    An unknown name raises AttributeError as ``q.z``, as Python expects of an attribute, and InputError as ``q["z"]``.
    """

    __slots__ = ("_kind", "_names", "_places", "_values")

    def __init__(self, names: Sequence[str], values: Sequence[Any], kind: str = "coordinate"):
        self._names = tuple(names)
        self._values = tuple(values)
        self._places = _places(self._names)
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        if name not in self._places:
            raise AttributeError(self._unknown(name))
        return self._values[self._places[name]]

    def __getitem__(self, key: str | int | slice) -> Any:
        if not isinstance(key, str):
            return self._values[key]
        if key not in self._places:
            raise InputError(f"{self._unknown(key)}.")
        return self._values[self._places[key]]

    def __reduce__(self) -> tuple[Any, ...]:
        return Named, (self._names, self._values, self._kind)

    def _unknown(self, name: str) -> str:
        rated = meant_by(name, self._names) if self._kind in ("coordinate", "velocity") else ""
        rate = f"; the rate of {rated[2:]} is v.{rated[2:]}" if rated.startswith("d_") else ""
        return f"there is no {self._kind} {name!r}; known: {', '.join(self._names) or 'none'}{rate}"

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._names]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._names)

    def __repr__(self) -> str:
        return ", ".join(f"{n} = {x}" for n, x in zip(self._names, self._values, strict=True)) or "(empty)"


def named_loads(rows: Sequence[str], values: Sequence[Any]) -> Named:
    """Return multipliers as a force sees them: by row, and by constraint those of all of its rows.

    >>> load = named_loads(["pin[0]", "pin[1]", "rod"], [3.0, 4.0, 5.0])
    >>> load.rod, load["pin[1]"], load.pin
    (5.0, 4.0, (3.0, 4.0))
    """
    groups: dict[str, list[Any]] = {}
    for name, value in zip(rows, values, strict=True):
        whole, bracket, _ = name.rpartition("[")
        if bracket:
            groups.setdefault(whole, []).append(value)
    every = {name: tuple(parts) for name, parts in groups.items()} | dict(zip(rows, values, strict=True))
    return Named(tuple(every), tuple(every.values()), "multiplier of an equality row")


def meant_by(name: object, coordinates: Sequence[str]) -> str:
    """Return what a name means perhaps: a coordinate, or its rate d_x or dd_x in another spelling; "" for none.

    >>> meant_by("theta_dot", ["theta"]), meant_by("ddx", ["x"]), meant_by("y", ["x"])
    ('d_theta', 'dd_x', '')
    """
    text = str(name)
    for form, prefix in RATES:
        match = re.fullmatch(form, text)
        if match and match[1] in coordinates:
            return prefix + match[1]
    return text if text in coordinates else ""


@lru_cache
def _places(names: tuple[str, ...]) -> dict[str, int]:
    """Return the positions of names, which one model function after the other asks for."""
    return {name: place for place, name in enumerate(names)}
