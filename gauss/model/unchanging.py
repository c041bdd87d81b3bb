"""Dicts that stay as they are, because what was computed with them refers to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, Self, TypeVar

from gauss.errors import InputError

V = TypeVar("V")


class Unchanging(dict[str, V]):
    """A dict by name whose values cannot be changed; ``|`` and `dict` make an ordinary one of it.

    `what` are the values, `remedy` says what to do instead, "{name}" and "{value}" in it standing for what was tried.
    Raises InputError where it would change.

    >>> lengths = Unchanging({"l": 1.0}, "the lengths", "use longer({name}={value})")
    >>> lengths["l"] = 2.0
    Traceback (most recent call last):
    ...
    gauss.errors.InputError: the lengths cannot be changed in place; use longer(l=2.0).
    >>> lengths == {"l": 1.0}, lengths | {"l": 2.0}
    (True, {'l': 2.0})
    """

    def __init__(self, given: Mapping[str, V], what: str, remedy: str):
        super().__init__(given)
        self.what, self.remedy = what, remedy

    def _refuse(self, name: object = "name", value: object = "…") -> NoReturn:
        instead = self.remedy.format(name=name, value=value if isinstance(value, str) else repr(value))
        raise InputError(f"{self.what} cannot be changed in place; {instead}.")

    def __getattr__(self, name: str) -> NoReturn:
        """Raise AttributeError; for a name of the dict it says how to write it."""
        hint = f"; write …[{name!r}]" if name in self else ""
        raise AttributeError(f"{self.__dict__.get('what', 'values')} have no attribute {name!r}{hint}")

    def __setitem__(self, name: str, value: V) -> NoReturn:
        self._refuse(name, value)

    def __delitem__(self, name: str) -> NoReturn:
        self._refuse(name)

    def setdefault(self, name: str, value: Any = None) -> Any:
        """Return a value that is there. Raises InputError for another name."""
        return self[name] if name in self else self._refuse(name, value)

    def update(self, *given: Any, **named: Any) -> NoReturn:
        """Raise InputError."""
        self._refuse(*next(iter(dict(*given, **named).items()), ()))

    def __ior__(self, other: Any) -> NoReturn:  # type: ignore[misc]
        self.update(other)

    def pop(self, name: str, *default: Any) -> NoReturn:
        """Raise InputError."""
        self._refuse(name)

    def popitem(self) -> NoReturn:
        """Raise InputError."""
        self._refuse()

    def clear(self) -> NoReturn:
        """Raise InputError."""
        self._refuse()

    def __copy__(self) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self), self.what, self.remedy)
