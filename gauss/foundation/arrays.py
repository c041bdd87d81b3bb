"""Input checking for numbers, vectors and matrices: one clear `InputError` for each kind of bad input."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauss.errors import InputError

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]
MODERATE = float(np.finfo(float).max) ** 0.25  # up to here sums of squares do not overflow
LARGEST = float(np.finfo(float).max) ** 0.5  # with a square
SMALLEST = float(np.finfo(float).tiny) ** 0.5  # with a square that has all its digits
SPECK = 1e-13  # numbers below this share of those beside them are printed as zero
PLAIN = (int, float, str, bytes, list, tuple, dict, np.ndarray, np.generic, type(None))  # what is no symbol
MANY = 12  # words of a list in one sentence; of more the middle ones are left out


_SYMBOLIC: ContextVar[bool] = ContextVar("_SYMBOLIC", default=False)  # whether this thread may pass symbols as numbers


@contextmanager
def symbols_allowed() -> Iterator[None]:
    """Let `scalar`, `positive` and `not_negative` pass what is no number: parts of a model built from symbols."""
    token = _SYMBOLIC.set(True)
    try:
        yield
    finally:
        _SYMBOLIC.reset(token)


def symbolic() -> bool:
    """Return whether symbols are allowed."""
    return _SYMBOLIC.get()


def is_symbol(value: object) -> bool:
    """Return whether a value is a symbol that stands for a number, where these are allowed."""
    return _SYMBOLIC.get() and not isinstance(value, PLAIN)


def as_number(value: Any) -> Any:
    """Return a float; a symbol as it is."""
    return value if is_symbol(value) else float(value)


def vanishes(value: Any) -> bool:
    """Return whether a value is the number 0; symbols are not."""
    return not is_symbol(value) and bool(value == 0.0)


def as_array(value: object, what: str) -> Array:
    """Return `value` as a fresh float array, or raise an InputError that names `what`."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} is ragged or not numeric: {error}.") from None
    if array.dtype.kind in "US":
        raise InputError(f"{what} holds something that is not a number: {value!r}.")
    if array.dtype.kind == "c":
        raise InputError(f"{what} is complex; real numbers are expected.")
    try:
        return np.array(array, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} holds something that is not a number: {value!r}.") from None


def vector(value: object, size: int, what: str, names: Sequence[str] = ()) -> Array:
    """Return `value` as a finite float vector of shape (size,).

    `names` (one per component) is used to name the components that are nan or infinite. Raises InputError.
    """
    array = as_array(value, what)
    if array.shape == () and size == 1:
        array = array.reshape(1)
    if array.shape != (size,):
        labels = f" ({', '.join(names)})" if names else ""
        raise InputError(f"{what} has shape {array.shape}, expected ({size},){labels}.")
    finite = np.isfinite(array)
    if not finite.all():
        bad = np.flatnonzero(~finite).tolist()
        raise InputError(
            f"{what} must be finite, but {', '.join(f'{names[i] if names else i} = {array[i]}' for i in bad)}."
        )
    return array


def matrix(value: object, shape: tuple[int, int], what: str) -> Array:
    """Return `value` as a finite float matrix of the given shape. Raises InputError."""
    array = as_array(value, what)
    if array.shape != shape:
        raise InputError(f"{what} has shape {array.shape}, expected {shape}.")
    if not np.all(np.isfinite(array)):
        i, j = np.argwhere(~np.isfinite(array))[0]
        raise InputError(f"{what} must be finite, but its entry [{i}, {j}] is {array[i, j]}.")
    return array


def scalar(value: Any, what: str) -> float:
    """Return `value` as one finite float. Raises InputError."""
    if type(value) is float:
        number = value
    elif is_symbol(value):
        return value  # type: ignore[no-any-return]
    elif value is None:
        raise InputError(f"{what} must be a number, got {value!r}.")
    elif isinstance(value, str | bytes):
        raise InputError(f"{what} must be a number, got the text {value!r}.")
    else:
        array = as_array(value, what)
        if array.size != 1:
            raise InputError(f"{what} has shape {array.shape}, expected one number.")
        number = float(array.reshape(()))
    if not math.isfinite(number):
        raise InputError(f"{what} must be finite, but is {number}.")
    return number


def positive(value: Any, what: str) -> float:
    """Return `value` as one finite float > 0. Raises InputError."""
    number = scalar(value, what)
    if not is_symbol(number) and number <= 0.0:
        raise InputError(f"{what} must be positive, but is {number:g}.")
    return number


def not_negative(value: Any, what: str) -> float:
    """Return `value` as one finite float ≥ 0. Raises InputError."""
    number = scalar(value, what)
    if not is_symbol(number) and number < 0.0:
        raise InputError(f"{what} must not be negative, but is {number:g}.")
    return number


def names_of(value: str | Sequence[str], what: str) -> tuple[str, ...]:
    """Return names given as a list or as one string separated by spaces or commas; each a distinct identifier.

    Raises InputError for anything that is not a Python identifier or starts with an underscore, and for repeated names.
    """
    if not isinstance(value, Iterable):
        raise InputError(f"{what} must be names (a list, or one string separated by spaces), got {value!r}.")
    parts = value.replace(",", " ").split() if isinstance(value, str) else list(value)
    for name in parts:
        if not isinstance(name, str) or not name.isidentifier():
            raise InputError(f"{what}: {name!r} is not a name (letters, digits and _, not starting with a digit).")
        if name.startswith("_"):
            raise InputError(f"{what}: {name!r} starts with an underscore; choose a name that starts with a letter.")
    repeated = repeated_in(parts)
    if repeated:
        raise InputError(f"{what}: {', '.join(repeated)} is given more than once; names must differ.")
    return tuple(parts)


def shortened(words: Sequence[str], most: int = MANY) -> str:
    """Return words in one line, "…" in the place of the middle ones where there are more than `most`.

    >>> shortened(["a", "b", "c"]), shortened([f"x{k}" for k in range(57)], 4)
    ('a, b, c', 'x0, x1, x2, …, x56 (57 in all)')
    """
    if len(words) <= most:
        return ", ".join(words)
    return ", ".join([*words[: most - 1], "…", words[-1]]) + f" ({len(words)} in all)"


def tidied(values: Array, share: float = SPECK) -> Array:
    """Return values for print: those below `share` of the largest, which are rounding beside it, are zero."""
    sizes = np.abs(values)
    largest = np.max(sizes, initial=0.0, where=np.isfinite(sizes))
    return np.where(sizes <= share * largest, 0.0, values)


def normal(values: Array) -> Array:
    """Return values with zero for those whose squares are zero or denormal, which have lost their digits."""
    return np.where(np.abs(values) < SMALLEST, 0.0, values)


def norms(values: Array, axis: int | tuple[int, ...]) -> Array:
    """Return Euclidean norms over one axis or more, which overflow only where the norm itself does."""
    if np.abs(values).max(initial=0.0) <= MODERATE:
        return np.asarray(np.sqrt(np.add.reduce(values**2, axis)))
    largest = np.max(np.abs(values), axis=axis, keepdims=True, initial=0.0)
    unit = np.where((largest > MODERATE) & np.isfinite(largest), largest, 1.0)
    return np.asarray(np.squeeze(unit, axis) * np.sqrt(np.sum((values / unit) ** 2, axis=axis)))


def all_finite(*values: Array) -> bool:
    """Return whether all numbers of arrays are finite."""
    return all(math.isfinite(np.vdot(x, x)) or bool(np.isfinite(x).all()) for x in values)


def length(values: Array) -> float:
    """Return the Euclidean norm of the numbers of an array."""
    flat = values.ravel()
    return math.sqrt(flat.dot(flat))


def magnitudes(rows: Array) -> Array:
    """Return the Euclidean norms (…,) of rows (…, n), for many small calls: squares may overflow."""
    return np.asarray(np.sqrt(np.vecdot(rows, rows)))


def lengths_of(rows: Array) -> Array:
    """Return the lengths (m,) of rows (m, n) to divide them by: 1 for those that are zero."""
    length = norms(rows, 1)
    return np.where(length > 0.0, length, 1.0)


def unit_rows(rows: Array) -> Array:
    """Return rows (m, n) scaled to unit length; zero rows stay zero."""
    return np.asarray(rows / lengths_of(rows)[:, None])


def repeated_in(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, sorted."""
    return sorted(name for name, count in Counter(names).items() if count > 1)
