"""What options and functions are, as plain data, by which a file knows the study or the run that it belongs to."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Mapping
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from gauss.foundation.portable import global_names

PLAIN = (int, float, complex, str, bytes, bool, type(None))
CODE = "code "  # before the code of a function among plain data
FIXED = (*PLAIN, tuple, np.ndarray, FunctionType)  # what functions refer to and do not fill as they go


def differing(stored: Any, present: Any) -> str:
    """Return what differs between two plain values, in words; of dicts only the entries that do."""
    if isinstance(stored, dict) and isinstance(present, dict):
        names = [name for name in (stored | present) if stored.get(name) != present.get(name)]
        stored, present = ({name: x[name] for name in names if name in x} for x in (stored, present))
    return f"{stored if stored is not None else 'none'} there, and {present if present is not None else 'none'} here"


def recoded(stored: dict[str, Any], present: dict[str, Any]) -> list[str]:
    """Return the names of plain options that differ, if the code of functions is all that differs.

    >>> recoded({"rtol": 1e-8, "control": ["sampled", "code 1"]}, {"rtol": 1e-8, "control": ["sampled", "code 2"]})
    ['control']
    >>> recoded({"rtol": 1e-8, "control": "code 1"}, {"rtol": 1e-6, "control": "code 2"})
    []
    """
    if _uncoded(stored) != _uncoded(present):
        return []
    return [name for name in present if stored[name] != present[name]]


def _uncoded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _uncoded(x) for name, x in value.items()}
    if isinstance(value, list):
        return [_uncoded(x) for x in value]
    return CODE if isinstance(value, str) and value.startswith(CODE) else value


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
    return CODE + code_of(value) if callable(value) else type(value).__name__


def attributes_of(function: Callable[..., Any]) -> dict[str, str]:
    """Return the attributes of an object that is called, or whose method is, as they are now: a short name of each."""
    owner = getattr(function, "__self__", function)
    return {name: code_of(value) for name, value in getattr(owner, "__dict__", {}).items()}


def code_of(function: Any, memory: bool = True) -> str:
    """Return a short name of what a function does: of its code, and that of what it uses of its module.

    That are functions and classes. Comments, layout and line numbers do not count, and what belongs to other modules
    only by name. An object that is called is known by the methods of its class and, with its `memory`, by its
    attributes as they are now.
    """
    code = _Code(memory)
    code.add(function)
    return code.text.hexdigest()[:16]


class _Code:
    """What is hashed of a function and of what it uses."""

    def __init__(self, memory: bool):
        self.memory = memory
        self.text = hashlib.sha256()
        self.home = ""  # the module of the first function or object
        self.seen: set[int] = set()

    def add(self, value: Any) -> None:
        """Add a value."""
        if id(value) in self.seen:
            return
        if isinstance(value, FunctionType):
            self.seen.add(id(value))
            self._add_function(value)
        elif isinstance(value, CodeType):
            self.text.update(value.co_code + repr((value.co_names, value.co_varnames)).encode())
            self._add_all(value.co_consts)
        elif isinstance(value, PLAIN):
            self.text.update(f"{type(value).__name__} {value!r};".encode())
        elif isinstance(value, tuple | list):
            self._add_all(value)
        elif isinstance(value, frozenset | set):
            self.text.update(repr(sorted(map(repr, value))).encode())
        elif isinstance(value, Mapping):
            self._add_all(value.items())
        elif isinstance(value, np.ndarray | np.generic):
            self.text.update(value.tobytes())
        elif isinstance(value, type):
            self.seen.add(id(value))
            self._add_class(value)
        elif hasattr(value, "__func__"):  # a method
            self.add(value.__func__)
            self.add(getattr(value, "__self__", None))
        elif hasattr(value, "func") and hasattr(value, "args"):  # functools.partial
            self._add_all((value.func, value.args, value.keywords))
        elif type(value).__module__ == (self.home or type(value).__module__):
            self.seen.add(id(value))
            self._add_object(value)
        else:
            self._name(type(value))

    def _add_all(self, values: Iterable[Any]) -> None:
        for each in values:
            self.add(each)

    def _add_function(self, value: FunctionType) -> None:
        module = value.__globals__.get("__name__")
        self.home = self.home or str(module)
        self._add_all((value.__code__, value.__defaults__, value.__kwdefaults__))
        for cell in value.__closure__ or ():
            with contextlib.suppress(ValueError):  # a name that is not set yet
                held = cell.cell_contents
                if isinstance(held, FIXED) or (isinstance(held, type) and held.__module__ == module):
                    self.add(held)
        for name in global_names(value.__code__)[0]:
            used = value.__globals__.get(name)
            if isinstance(used, PLAIN) or (isinstance(used, FunctionType | type) and used.__module__ == module):
                self.add(used)

    def _add_class(self, value: type) -> None:
        """Add the methods and constants of a class, and of those of its module that it comes from."""
        self._name(value)
        for name, part in sorted(vars(value).items()):
            code = getattr(part, "fget", getattr(part, "func", part))  # of a property
            if isinstance(code, FunctionType | staticmethod | classmethod):
                self.add(code)
            elif isinstance(code, FIXED) and not name.startswith("__"):
                self._add_all((name, code))
        self._add_all(base for base in value.__bases__ if base.__module__ == value.__module__)

    def _add_object(self, value: Any) -> None:
        """Add the class of an object and, with its memory, its attributes."""
        self.home = type(value).__module__
        self.add(type(value))
        if self.memory:
            self._add_all(sorted(getattr(value, "__dict__", {}).items()))

    def _name(self, kind: type) -> None:
        self.text.update(f"{kind.__module__}.{kind.__qualname__}".encode())
