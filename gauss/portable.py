"""Objects with functions in their fields travel: they pickle, lambdas and closures too, and copies are quick.

Python's pickle writes a function as the name of its module and its own, which lambdas and functions inside functions
do not have. cloudpickle writes these as code.
"""

from __future__ import annotations

import pickle
from contextvars import ContextVar
from copy import deepcopy
from typing import Any, Self

_WITHIN: ContextVar[bool] = ContextVar("_WITHIN", default=False)  # whether `dumped` is at work in this thread


def dumped(value: object) -> bytes:
    """Return an object with all that it refers to as bytes for `pickle.loads`, what it shares written once."""
    import cloudpickle  # late: only those who send objects away need it

    token = _WITHIN.set(True)
    try:
        return bytes(cloudpickle.dumps(value))
    finally:
        _WITHIN.reset(token)


def within_dumped() -> bool:
    """Return whether `dumped` is writing in this thread, so that functions need no bytes of their own."""
    return _WITHIN.get()


class Portable:
    """A base for classes whose fields may hold functions."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Write the fields that can be called as one piece of code, the others as always."""
        if within_dumped():
            return object.__reduce_ex__(self, protocol)
        functions = {name: value for name, value in self.__dict__.items() if callable(value)}
        rest = {name: value for name, value in self.__dict__.items() if name not in functions}
        return _restored, (type(self), dumped(functions) if functions else b"", rest)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Copy the fields; a function is its own copy, as everywhere in Python."""
        copied = object.__new__(type(self))
        memo[id(self)] = copied
        copied.__dict__.update(deepcopy(self.__dict__, memo))
        return copied

    def __copy__(self) -> Self:
        """Copy the object, not what it refers to."""
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied


def _restored(cls: type[Any], functions: bytes, rest: dict[str, Any]) -> Any:
    restored = object.__new__(cls)
    restored.__dict__.update(rest)
    if functions:
        restored.__dict__.update(pickle.loads(functions))
    return restored
