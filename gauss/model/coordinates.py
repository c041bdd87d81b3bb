"""Named vectors: what a model function receives as q, v, p and u."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


class Named:
    """A vector whose components are reached by name (``q.x``, ``q["x"]``) or by position (``q[0]``)."""

    __slots__ = ("_kind", "_names", "_values")

    def __init__(self, names: Sequence[str], values: Sequence[Any], kind: str = "coordinate"):
        self._names = tuple(names)
        self._values = tuple(values)
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[self._names.index(name)]
        except ValueError:
            known = ", ".join(self._names) or "none"
            raise AttributeError(f"there is no {self._kind} {name!r}; known: {known}") from None

    def __getitem__(self, key: str | int | slice) -> Any:
        return getattr(self, key) if isinstance(key, str) else self._values[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return ", ".join(f"{n} = {x}" for n, x in zip(self._names, self._values, strict=True)) or "(empty)"
