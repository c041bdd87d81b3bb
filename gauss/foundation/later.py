"""Names of a package that are loaded when they are first asked for: what is not used costs no time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def later(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package whose names are in the modules `homes` (name → module within it).

    Example: with ``__getattr__ = later("gauss.show", {"plot": "figures.plots"})``, gauss.show.plot is that of
    gauss.show.figures.plots.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return get
