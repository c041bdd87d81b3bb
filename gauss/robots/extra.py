"""Packages that robots need and the package itself does not."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gauss.errors import InputError


def extra(module: str, package: str, what: str = "this file") -> Any:
    """Return a module of an optional package. Raises InputError: `what` needs it, and how it is installed."""
    try:
        return import_module(module)  # late: it is optional, and takes long to import
    except ImportError:
        text = f"{what} needs the package {package}: pip install 'gauss-dynamics[robots]'."
        raise InputError(text) from None
