"""What options and functions are, as plain data, by which a file knows the study or the run that it belongs to."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from gauss.foundation.portable import global_names

PLAIN = (int, float, complex, str, bytes, bool, type(None))
FIXED = (*PLAIN, tuple, np.ndarray, FunctionType)  # what functions refer to and do not fill as they go


def differing(stored: Any, present: Any) -> str:
    """Return what differs between two plain values, in words; of dicts only the entries that do."""
    if isinstance(stored, dict) and isinstance(present, dict):
        names = [name for name in (stored | present) if stored.get(name) != present.get(name)]
        stored, present = ({name: x[name] for name in names if name in x} for x in (stored, present))
    return f"{stored if stored is not None else 'none'} there, and {present if present is not None else 'none'} here"


def plain(value: Any) -> Any:
    """Return an option as plain data: numbers, texts, and the code of functions; what has a method `plain`, by it."""
    if isinstance(value, PLAIN):
        return value if not isinstance(value, complex | bytes) else str(value)
    if hasattr(value, "plain"):
        return plain(value.plain())
    if isinstance(value, Mapping):
        return {str(key): plain(x) for key, x in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(x) for x in value]
    return code_of(value) if callable(value) else type(value).__name__


def code_of(function: Callable[..., Any]) -> str:
    """Return a short name of what a function does: of its code, and that of the functions of its module it calls.

    Comments, layout and line numbers do not count, functions of other modules only by name.
    """
    text = hashlib.sha256()
    _add(text, function, set())
    return text.hexdigest()[:16]


def _add(text: Any, value: Any, seen: set[int]) -> None:
    """Add a value to what is hashed."""
    if id(value) in seen:
        return
    if isinstance(value, FunctionType):
        seen.add(id(value))
        module = value.__globals__.get("__name__")
        _add(text, value.__code__, seen)
        for part in (value.__defaults__, value.__kwdefaults__):
            _add(text, part, seen)
        for cell in value.__closure__ or ():
            with contextlib.suppress(ValueError):  # a name that is not set yet
                if isinstance(cell.cell_contents, FIXED):
                    _add(text, cell.cell_contents, seen)
        for name in global_names(value.__code__)[0]:
            used = value.__globals__.get(name)
            if isinstance(used, PLAIN) or (isinstance(used, FunctionType) and used.__module__ == module):
                _add(text, used, seen)
    elif isinstance(value, CodeType):
        text.update(value.co_code + repr((value.co_names, value.co_varnames)).encode())
        for constant in value.co_consts:
            _add(text, constant, seen)
    elif isinstance(value, PLAIN):
        text.update(f"{type(value).__name__} {value!r};".encode())
    elif isinstance(value, tuple | list):
        for each in value:
            _add(text, each, seen)
    elif isinstance(value, frozenset | set):
        text.update(repr(sorted(map(repr, value))).encode())
    elif isinstance(value, Mapping):
        for key, each in value.items():
            _add(text, (key, each), seen)
    elif isinstance(value, np.ndarray):
        text.update(value.tobytes())
    elif hasattr(value, "__func__"):  # a method
        _add(text, value.__func__, seen)
    elif hasattr(value, "func") and hasattr(value, "args"):  # functools.partial
        _add(text, (value.func, value.args, value.keywords), seen)
    else:
        text.update(f"{type(value).__module__}.{type(value).__qualname__}".encode())
