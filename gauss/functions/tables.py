"""Curves through measured points: piecewise-linear tables and cubic splines that take every kind of number.

`Table` and `Spline` are callable with all that `gauss.functions.elementary` takes: floats, complex numbers, NumPy
arrays, mpmath numbers, and SymPy and CasADi symbols. At a knot the piece to its right is used; a complex argument
chooses its piece by the real part. A CasADi symbol becomes a balanced tree of conditions that selects the coefficients
of one piece exactly, so tracing adds no rounding.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, vector
from gauss.functions.backends import CASADI, FLOAT, NUMPY, SYMPY, kind_of
from gauss.functions.elementary import less, where

__all__ = ["Spline", "Table"]

Outside = Literal["error", "hold", "extend"]
Ends = Literal["natural", "not-a-knot", "clamped", "periodic"]

# The value of a piece with (origin, c0, c1, ...) is c0 + c1 d + c2 d^2 + ..., where d = x - origin.
_Piece = tuple[float, ...]


def _horner(x: Any, piece: tuple[Any, ...]) -> Any:
    """Evaluate one piece, whose entries may themselves be selected by conditions."""
    distance = x - piece[0]
    value = piece[-1]
    for coefficient in reversed(piece[1:-1]):
        value = value * distance + coefficient
    return value


def _select(x: Any, breaks: tuple[float, ...], pieces: tuple[_Piece, ...]) -> tuple[Any, ...]:
    """Return the piece that holds x as symbols: a balanced binary tree of conditions x < break."""
    if len(pieces) == 1:
        return pieces[0]
    middle = len(pieces) // 2
    on_left = less(x, breaks[middle - 1])
    left = _select(x, breaks[: middle - 1], pieces[:middle])
    right = _select(x, breaks[middle:], pieces[middle:])
    return tuple(a if a is b else where(on_left, a, b) for a, b in zip(left, right))


def _checked_knots(x: object, y: object, name: str, least: int) -> tuple[Array, Array]:
    """Return the knots and values as arrays; raise an InputError naming the table if they do not make a curve."""
    size = np.size(np.asarray(x, dtype=object))
    if size < least:
        raise InputError(f"{name} has {size} knots; it needs at least {least}.")
    knots = vector(x, size, f"the knots x of {name}")
    values = vector(y, size, f"the values y of {name} (one for each knot)")
    steps = np.diff(knots)
    if np.any(steps <= 0.0):
        i = int(np.argmax(steps <= 0.0))
        raise InputError(
            f"the knots x of {name} must be strictly increasing, but x[{i}] = {knots[i]:g} is followed by "
            f"x[{i + 1}] = {knots[i + 1]:g}; sort the points and merge repeated ones."
        )
    return knots, values


@dataclass(frozen=True, init=False, repr=False)
class _Curve:
    """A curve made of polynomial pieces; what `Table` and `Spline` share."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    outside: Outside
    name: str
    _breaks: tuple[float, ...] = field(compare=False)
    _pieces: tuple[_Piece, ...] = field(compare=False)

    def _set(self, x: Array, y: Array, coefficients: Array, outside: Outside, name: str) -> None:
        """Store the curve; `coefficients[k, i]` multiplies the k-th power in piece i."""
        if outside not in ("error", "hold", "extend"):
            raise InputError(f"{name}: outside = {outside!r} is unknown; choose 'error', 'hold' or 'extend'.")
        knots = tuple(x.tolist())
        breaks = knots[1:-1]
        pieces = tuple((knot, *column) for knot, column in zip(knots, coefficients.T.tolist()))
        if outside == "hold":
            flat = (0.0,) * (len(coefficients) - 1)
            breaks = knots
            pieces = ((knots[0], float(y[0]), *flat), *pieces, (knots[-1], float(y[-1]), *flat))
        values = {"x": knots, "y": tuple(y.tolist()), "outside": outside, "name": name}
        for key, value in (values | {"_breaks": breaks, "_pieces": pieces}).items():
            object.__setattr__(self, key, value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {len(self.x)} knots on [{self.x[0]:g}, {self.x[-1]:g}])"

    def __call__(self, x: Any) -> Any:
        """Value of the curve at x."""
        kind = kind_of(x, self.name)
        if kind == NUMPY:
            return self._at_array(np.asarray(x))
        if kind == CASADI:
            return self._at_casadi(x)
        if kind == SYMPY:
            return self._at_sympy(x)
        if kind == FLOAT:
            x = float(x)
        position = x.real
        self._require_inside(position, bool(self.x[0] <= position <= self.x[-1]))
        return _horner(x, self._pieces[bisect_right(self._breaks, position)])

    def _require_inside(self, value: Any, inside: bool) -> None:
        if self.outside == "error" and not inside:
            raise InputError(
                f"{self.name} was asked for x = {value}, outside its range [{self.x[0]:g}, {self.x[-1]:g}]; "
                f"add knots, or construct it with outside='hold' or outside='extend'."
            )

    def _at_array(self, x: Any) -> Any:
        if x.dtype.kind == "O":
            return np.frompyfunc(self, 1, 1)(x)
        position = x.real
        bad = ~((position >= self.x[0]) & (position <= self.x[-1]))
        if bad.any():
            self._require_inside(position[bad].flat[0], False)
        pieces = np.array(self._pieces)[np.searchsorted(self._breaks, position, side="right")]
        return _horner(x, tuple(np.moveaxis(pieces, -1, 0)))[()]

    def _at_casadi(self, x: Any) -> Any:
        import casadi

        if isinstance(x, casadi.DM):
            return casadi.DM(self._at_array(x.full()))
        return _horner(x, _select(x, self._breaks, self._pieces))

    def _at_sympy(self, x: Any) -> Any:
        import sympy

        if x.is_number:
            self._require_inside(x, bool(self.x[0] <= x) and bool(x <= self.x[-1]))
        values = [_horner(x, piece) for piece in self._pieces]
        branches = [(value, x < knot) for value, knot in zip(values, self._breaks)]
        return sympy.Piecewise(*branches, (values[-1], True))


@dataclass(frozen=True, init=False, repr=False)
class Table(_Curve):
    """Piecewise-linear curve through the points (x, y), with x strictly increasing.

    Outside the knots, `outside="error"` raises an InputError, `"hold"` keeps the end values (slope zero), and
    `"extend"` continues the first and last piece. A symbol has no value to check, so for SymPy and CasADi symbols
    "error" cannot raise and behaves as "extend": a traced model that leaves the range gets no warning.
    """

    def __init__(self, x: object, y: object, *, outside: Outside = "error", name: str = "table"):
        knots, values = _checked_knots(x, y, name, 2)
        self._set(knots, values, np.array([values[:-1], np.diff(values) / np.diff(knots)]), outside, name)


@dataclass(frozen=True, init=False, repr=False)
class Spline(_Curve):
    """Cubic curve through the points (x, y) with two continuous derivatives, with x strictly increasing.

    `ends` is "natural" (second derivative zero), "not-a-knot" (the two outermost pieces are one cubic), "clamped"
    (slope zero) or "periodic" (value, slope and second derivative agree at both ends). Outside the knots,
    `outside="error"` raises an InputError, `"hold"` keeps the end values (slope zero), and `"extend"` continues the
    first and last cubic, also for periodic ends. A symbol has no value to check, so for SymPy and CasADi symbols
    "error" cannot raise and behaves as "extend": a traced model that leaves the range gets no warning.

    >>> import gauss as g
    >>> x = [0.0, 0.5 * g.pi, g.pi, 1.5 * g.pi, 2 * g.pi]
    >>> curve = g.math.Spline(x, [0.0, 1.0, 0.0, -1.0, 0.0], ends="periodic", name="cam")
    >>> round(float(curve(0.25 * g.pi)), 4), round(float(curve(g.pi)), 4)  # sin has 0.7071 and 0
    (0.6875, 0.0)
    >>> curve(7.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gauss.errors.InputError: cam was asked for x = 7.0, outside its range [0, 6.28319]; add knots, or construct it ...
    """

    ends: Ends

    def __init__(
        self, x: object, y: object, *, ends: Ends = "natural", outside: Outside = "error", name: str = "spline"
    ):
        from scipy.interpolate import CubicSpline

        if ends not in ("natural", "not-a-knot", "clamped", "periodic"):
            raise InputError(
                f"{name}: ends = {ends!r} is unknown; choose 'natural', 'not-a-knot', 'clamped' or 'periodic'."
            )
        knots, values = _checked_knots(x, y, name, 4 if ends == "not-a-knot" else 2)
        if ends == "periodic" and values[0] != values[-1]:
            raise InputError(
                f"{name} has periodic ends, but its first value {values[0]:g} differs from its last {values[-1]:g}; "
                f"make them equal."
            )
        object.__setattr__(self, "ends", ends)
        self._set(knots, values, CubicSpline(knots, values, bc_type=ends).c[::-1], outside, name)
