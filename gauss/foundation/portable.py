"""Objects with functions in their fields travel: they pickle, lambdas and closures too, and copies are quick.

Python's pickle writes a function as the name of its module and its own, which lambdas and functions inside functions
do not have. cloudpickle writes these as code.
"""

from __future__ import annotations

import io
import pickle
from contextvars import ContextVar
from functools import cache, cached_property, lru_cache
from typing import Any, Self

_WITHIN: ContextVar[tuple[type, ...]] = ContextVar("_WITHIN", default=())  # of the objects that this thread is writing


@cache
def _writer() -> type[Any]:
    import cloudpickle  # late: only those who send objects away need it

    class Writer(cloudpickle.Pickler):  # type: ignore[misc]
        """cloudpickle, for functions with `functools.cache` too, of which it writes nothing but the name."""

        def reducer_override(self, value: Any) -> Any:
            if isinstance(value, type(_writer)):
                nowhere_else = ("__main__", *cloudpickle.list_registry_pickle_by_value())
                if value.__module__ in nowhere_else or "<locals>" in value.__qualname__:
                    return _remembering, (value.__wrapped__, value.cache_parameters())
            return super().reducer_override(value)

    return Writer


def _remembering(function: Any, parameters: dict[str, Any]) -> Any:
    return lru_cache(**parameters)(function)


def dumped(value: object) -> bytes:
    """Return an object with all that it refers to as bytes for `pickle.loads`, what its parts share written once."""
    file = io.BytesIO()
    token = _WITHIN.set((*_WITHIN.get(), type(value)))
    try:
        _writer()(file).dump(value)
    finally:
        _WITHIN.reset(token)
    return file.getvalue()


def within(cls: type) -> bool:
    """Return whether this thread is writing an object of a class by `dumped`, perhaps around another one."""
    return any(issubclass(outer, cls) for outer in _WITHIN.get())


def empty(cls: type[Any]) -> Any:
    """Return an object of a class without attributes, which pickle sets then: so objects may refer to each other."""
    return object.__new__(cls)


class Portable:
    """A base for classes whose fields do not change and may hold functions."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Write the fields as one piece of code; what is computed from them is computed again."""
        if not within(object):
            return pickle.loads, (dumped(self),)
        computed = {
            name for cls in type(self).__mro__ for name, x in vars(cls).items() if isinstance(x, cached_property)
        }
        return empty, (type(self),), {name: x for name, x in self.__dict__.items() if name not in computed}

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
