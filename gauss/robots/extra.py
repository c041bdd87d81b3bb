"""Packages that reading a file needs and the package itself does not."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gauss.errors import InputError


def extra(module: str, package: str) -> Any:
    """Return a module of an optional package. Raises InputError, with the command that installs it."""
    try:
        return import_module(module)  # late: it is optional, and takes long to import
    except ImportError:
        text = f"this file needs the package {package}: pip install 'gauss-dynamics[robots]'."
        raise InputError(text) from None
