"""Objects with functions in their fields travel: they pickle, lambdas and closures too, and copies are quick.

Python's pickle writes a function as the name of its module and its own, which lambdas and functions inside functions
do not have. cloudpickle writes these as code. `copied` copies what functions remember, too.
"""

from __future__ import annotations

import dis
import io
import pickle
import sys
from contextvars import ContextVar
from functools import cache, cached_property, lru_cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Self, TypeVar

T = TypeVar("T")
LIBRARIES = {"site-packages", "dist-packages"}  # folders of installed modules
STILL = (int, float, complex, str, bytes, bool, type(None), tuple, type, ModuleType, BuiltinFunctionType)

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


@cache
def _copier() -> type[Any]:
    class Copier(_writer()):  # type: ignore[misc]
        """Writes functions that remember something in their module as code, and leaves some objects what they are."""

        def __init__(self, file: io.BytesIO, shared: tuple[type, ...]):
            super().__init__(file)
            self.shared, self.kept = shared, list[Any]()

        def persistent_id(self, value: Any) -> int | None:
            if not isinstance(value, self.shared):
                return None
            self.kept.append(value)
            return len(self.kept) - 1

        def reducer_override(self, value: Any) -> Any:
            if isinstance(value, FunctionType) and _of_the_user(value) and _remembers(value, set()):
                return self._dynamic_function_reduce(value)
            return super().reducer_override(value)

    return Copier


class _Reader(pickle.Unpickler):
    """Reads what a Copier wrote."""

    def __init__(self, file: io.BytesIO, kept: list[Any]):
        super().__init__(file)
        self.kept = kept

    def persistent_load(self, place: Any) -> Any:
        return self.kept[place]


def _of_the_user(function: FunctionType) -> bool:
    """Return whether a function stands in no library."""
    name, file = (str(function.__globals__.get(key)) for key in ("__name__", "__file__"))
    return name.partition(".")[0] not in (*sys.stdlib_module_names, "gauss") and not {*Path(file).parts} & LIBRARIES


def _remembers(function: FunctionType, seen: set[int]) -> bool:
    """Return whether calls of a function may change variables of its module, or attributes of its own."""
    seen.add(id(function))
    used, written = global_names(function.__code__)
    if written or function.__dict__:
        return True
    for value in (function.__globals__.get(name) for name in used):
        if isinstance(value, FunctionType):
            if value.__globals__ is function.__globals__ and id(value) not in seen and _remembers(value, seen):
                return True
        elif not isinstance(value, STILL):
            return True
    return False


def global_names(code: CodeType) -> tuple[list[str], list[str]]:
    """Return the names of its module that the code of a function reads, and those that it writes, sorted."""
    found: dict[str, set[str]] = {"LOAD_GLOBAL": set(), "STORE_GLOBAL": set()}
    codes = [code]
    for each in codes:
        codes += [constant for constant in each.co_consts if isinstance(constant, CodeType)]
        for instruction in dis.get_instructions(each):
            if instruction.opname in found:
                found[instruction.opname].add(str(instruction.argval))
    return sorted(found["LOAD_GLOBAL"]), sorted(found["STORE_GLOBAL"])


def _remembering(function: Any, parameters: dict[str, Any]) -> Any:
    return lru_cache(**parameters)(function)


def dumped(value: object) -> bytes:
    """Return an object with all that it refers to as bytes for `pickle.loads`, what its parts share written once."""
    file = io.BytesIO()
    _write(_writer()(file), value)
    return file.getvalue()


def copied(value: T, shared: tuple[type, ...]) -> T:
    """Return a copy of an object with all that it refers to, but for objects of classes that do not change.

    Variables that functions have in closures, and those of their module that they may change, are copied with them.
    Raises what pickle raises for things that cannot be copied, as open files and generators.
    """
    file = io.BytesIO()
    copier = _copier()(file, shared)
    _write(copier, value)
    file.seek(0)
    found: T = _Reader(file, copier.kept).load()
    return found


def _write(writer: Any, value: object) -> None:
    token = _WITHIN.set((*_WITHIN.get(), type(value)))
    try:
        writer.dump(value)
    finally:
        _WITHIN.reset(token)


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
