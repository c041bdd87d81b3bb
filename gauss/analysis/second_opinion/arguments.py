"""The arrays of recorded states, each with or without an axis of states in front: checked once, told apart by state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, as_array
from gauss.foundation.tolerances import EPS


@dataclass(frozen=True)
class Recording:
    """N states with n coordinates and m rows. Of rows that are absent at a state J, bounds and forces are nan there."""

    M: Array  # (N, n, n)
    f: Array  # (N, n)
    J: Array  # (N, m, n)
    a: Array  # (N, n)
    forces: Array  # (N, m) multipliers; nan where none are given
    lower: Array  # (N, m)
    upper: Array  # (N, m)
    friction: Flags  # (N, m) rows whose forces are not reactions but a law's
    present: Flags  # (N, m)
    gap: Array | None  # (N, m), or (N,) sizes without signs
    second: Array | None  # (N, m, n, n)
    noise: Array | None  # (N, m, n)
    regularization: Array | None  # (N, m)
    bounded: bool  # whether right-hand sides are given; else they are those of the given acceleration
    eps: float  # spacing at one of the type of the arrays

    def __len__(self) -> int:
        return len(self.a)


def read(
    M: object,
    f: object,
    a: object,
    J: object,
    forces: object,
    gamma: object,
    bounds: tuple[object, object],
    unilateral: object,
    friction: object,
    gap: object,
    second: object,
    noise: object,
    regularization: object,
    names: Sequence[str] | None,
) -> Recording:
    """Return the arrays of all states. Raises InputError, naming argument and state, for what does not fit."""
    given, rows, count = _measured(a, J)
    m, n = rows.shape[-2:]

    def stacked(value: object, what: str, *shape: int) -> Array:
        return _stacked(value, what, shape, count)

    matrix = stacked(rows, "J", m, n)
    absent = np.all(np.isnan(matrix), axis=2) if n else np.zeros((count, m), dtype=bool)
    _finite(matrix, "J", ~absent)
    mass, force, acceleration = stacked(M, "M", n, n), stacked(f, "f", n), stacked(given, "a", n)
    for value, what in ((mass, "M"), (force, "f"), (acceleration, "a")):
        _finite(value, what)
    multipliers = np.full((count, m), np.nan) if forces is None else stacked(forces, "forces", m)
    if forces is not None:
        _finite(multipliers, "forces", ~absent)
    rubbed = _flags(friction, "friction", count, m, names)
    if forces is None and np.any(rubbed):
        raise InputError("friction names rows whose forces are taken as given; give forces.")
    value = np.where(absent, np.nan, np.vecdot(np.where(absent[..., None], 0.0, matrix), acceleration[:, None, :]))
    low, high = _bounds(gamma, bounds, unilateral, value, names)
    for bound, what in ((low, "lower or gamma"), (high, "upper or gamma")):
        if np.any(np.isnan(bound) & ~absent):
            raise InputError(f"{what} is nan {_where(np.isnan(bound) & ~absent)}.")
    bounded = gamma is not None or bounds[0] is not None
    softness = _softness(regularization, bounded, absent)
    return Recording(
        mass,
        force,
        np.where(absent[..., None], np.nan, matrix),
        acceleration,
        np.where(absent, np.nan, multipliers),
        np.where(absent, np.nan, low),
        np.where(absent, np.nan, high),
        rubbed & ~absent,
        ~absent & ~rubbed,
        _gap(gap, count, m, absent, ~absent & (np.isinf(low) | np.isinf(high))),
        None if second is None else stacked(second, "second", m, n, n),
        _noise(noise, count, m, n),
        softness,
        bounded,
        _spacing(M, f, J, a, forces),
    )


def _measured(a: object, J: object) -> tuple[Array, Array, int]:
    """Return a and J as arrays, one for all states or one for each, and the number of states."""
    given = as_array(a, "a")
    if given.ndim not in (1, 2) or given.size == 0:
        raise InputError(f"a has shape {given.shape}, expected (n,) of one state or (N, n) of N states.")
    n, count = given.shape[-1], 1 if given.ndim == 1 else len(given)
    rows = np.zeros((0, n)) if J is None else as_array(J, "J")
    if rows.ndim not in (2, 3) or rows.shape[-1] != n:
        raise InputError(
            f"J has shape {rows.shape}, expected (m, {n}) or ({count}, m, {n}) as a has {n} accelerations."
        )
    return given, rows, count


def _stacked(value: object, what: str, shape: tuple[int, ...], count: int) -> Array:
    """Return an array of shape (count, *shape), one for all states repeated."""
    array = as_array(value, what)
    if array.shape not in (shape, (count, *shape)):
        many = f" or {_shown((count, *shape))}" if count > 1 else ""
        raise InputError(f"{what} has shape {array.shape}, expected {_shown(shape)}{many}.")
    return np.broadcast_to(array, (count, *shape))


def _shown(shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"


def _finite(array: Array, what: str, needed: Flags | None = None) -> None:
    """Raise InputError where an array (N, …) is not finite, at states and rows that are needed."""
    wrong = ~np.isfinite(array)
    if needed is not None:
        wrong &= needed.reshape(needed.shape + (1,) * (wrong.ndim - needed.ndim))
    if np.any(wrong):
        raise InputError(f"{what} must be finite, but is {array[wrong][0]} {_where(wrong)}.")


def _where(wrong: Flags) -> str:
    """Return where the first of some entries (N, …) is."""
    state, *place = (int(k) for k in np.argwhere(wrong)[0])
    return f"at state {state}" + (f", entry {place[0] if len(place) == 1 else place}" if place else "")


def _flags(value: object, what: str, count: int, m: int, names: Sequence[str] | None) -> Flags:
    """Return which rows (count, m) are named, or flagged by booleans (m,) or (count, m)."""
    if value is None:
        return np.zeros((count, m), dtype=bool)
    given = np.asarray([value] if isinstance(value, str) else value)
    if given.dtype.kind == "U" and given.ndim == 1:
        known = [f"row {k}" for k in range(m)] if names is None else list(names)
        unknown = [str(name) for name in given if name not in known]
        if unknown:
            raise InputError(
                f"{what} names {unknown[0]!r}, which is no row; the rows are {', '.join(known) or 'none'}."
            )
        given = np.isin(known, given)
    if given.dtype.kind != "b" or given.shape not in ((m,), (count, m)):
        raise InputError(f"{what} must be names of rows, or booleans of shape ({m},) or ({count}, {m}).")
    return np.broadcast_to(given, (count, m))


def _bounds(
    gamma: object, bounds: tuple[object, object], unilateral: object, value: Array, names: Sequence[str] | None
) -> tuple[Array, Array]:
    """Return lower and upper (N, m): γ, or what is given, or the value (N, m) of the rows at the given acceleration."""
    count, m = value.shape
    given = [name for name, x in zip(("lower", "upper"), bounds, strict=True) if x is not None]
    if gamma is not None and given:
        raise InputError("give gamma, of J a = γ, or lower and upper, not both.")
    if len(given) == 1:
        raise InputError(f"{given[0]} alone is not clear; give lower and upper (inf where there is none), or gamma.")
    if given:
        if unilateral is not None:
            raise InputError("unilateral goes with gamma, J a ≥ γ; lower and upper say themselves which rows are.")
        return _stacked(bounds[0], "lower", (m,), count), _stacked(bounds[1], "upper", (m,), count)
    low = value if gamma is None else _stacked(gamma, "gamma", (m,), count)
    if np.any(np.isinf(low)):
        raise InputError(f"gamma must be finite, but is infinite {_where(np.isinf(low))}.")
    return low, np.where(_flags(unilateral, "unilateral", count, m, names), np.inf, low)


def _softness(value: object, bounded: bool, absent: Flags) -> Array | None:
    """Return by how much rows (N, m) give way per unit of their multipliers."""
    if value is None:
        return None
    found = _stacked(value, "regularization", absent.shape[1:], len(absent))
    if not bounded:
        raise InputError("regularization softens J a = γ to J a + R λ = γ; give gamma, or lower and upper.")
    _finite(found, "regularization", ~absent)
    if np.any(found < 0.0):
        raise InputError(f"regularization must not be negative, but is {_where(found < 0.0)}.")
    return found


def _gap(value: object, count: int, m: int, absent: Flags, one_sided: Flags) -> Array | None:
    """Return by how much rows are open (N, m), 0 for one-sided ones, or the size of all (N,) where it is one number."""
    if value is None:
        return None
    if np.ndim(value) == 0:  # type: ignore[arg-type]
        sizes = np.broadcast_to(as_array(value, "gap"), (count,))
        if not np.all(sizes >= 0.0) or np.any(np.isinf(sizes)):
            raise InputError(f"gap must be a size ≥ 0, but is {value!r}.")
        return sizes
    found = _stacked(value, "gap", (m,), count)
    _finite(found, "gap", ~absent)
    return np.where(one_sided, 0.0, found)


def _noise(value: object, count: int, m: int, n: int) -> Array | None:
    """Return the noise of rows (N, m, n)."""
    if value is None:
        return None
    found = as_array(value, "noise")
    found = np.broadcast_to(found, (m, n)) if found.ndim == 0 else found
    found = _stacked(found, "noise", (m, n), count)
    if not np.all(np.isfinite(found)) or np.any(found < 0.0):
        raise InputError("noise is by how much entries of J may be wrong: finite numbers ≥ 0.")
    return found


def _spacing(*values: object) -> float:
    """Return the spacing at one of the coarsest type of some arrays; lists count as double precision."""
    types = [x.dtype for x in values if hasattr(x, "dtype") and np.dtype(x.dtype).kind == "f"]
    return max((float(np.finfo(x).eps) for x in types), default=EPS)
