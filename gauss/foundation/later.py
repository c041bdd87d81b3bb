"""Names of a package that are loaded when they are first asked for: what is not used costs no time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def later(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package whose names are in the modules `homes` (name → module within it).

    Example: ``__getattr__ = later(__name__, {"plot": "plots"})`` makes ``gauss.show.plot`` that of gauss.show.plots.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return get
