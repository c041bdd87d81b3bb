"""Elementary functions that take every kind of number: one model function serves floats, arrays and symbols.

Write `gauss.sin(q.x)` once and evaluate it with Python floats and complex numbers, NumPy scalars and arrays, mpmath
numbers, SymPy expressions or CasADi SX, MX and DM. The kind of the answer is the kind of the argument; of several
arguments the most symbolic one decides (CasADi, SymPy, mpmath, NumPy, complex, float, in that order).

Outside its domain a function of a plain Python number raises `InputError`; NumPy, mpmath, SymPy and CasADi keep
their own conventions (nan with a warning, a complex value, a symbol, nan).

Complex arguments give the analytic continuation from the real axis, so a derivative by a complex step is exact to
rounding. Functions with a kink (`fabs`, `fmin`, `fmax`, `where`) choose their piece by the real part alone.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.functions.backends import CASADI, COMPLEX, FLOAT, MPMATH, NUMPY, SYMPY, evaluate, kind_of, mpmath_context

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "exp",
    "fabs",
    "fmax",
    "fmin",
    "greater",
    "hypot",
    "less",
    "log",
    "pi",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "where",
]

pi = math.pi


def sin(x: Any) -> Any:
    """Sine of an angle in radians."""
    return evaluate("sin", x)


def cos(x: Any) -> Any:
    """Cosine of an angle in radians."""
    return evaluate("cos", x)


def tan(x: Any) -> Any:
    """Tangent of an angle in radians.

    >>> import gauss as g
    >>> round(float(g.tan(g.pi / 4)), 6)
    1.0
    """
    return evaluate("tan", x)


def asin(x: Any) -> Any:
    """Angle in [-pi/2, pi/2] (rad) whose sine is x.

    >>> import gauss as g
    >>> round(float(g.asin(0.5)), 6)  # π/6
    0.523599
    """
    return evaluate("asin", x)


def acos(x: Any) -> Any:
    """Angle in [0, pi] (rad) whose cosine is x.

    >>> import gauss as g
    >>> round(float(g.acos(0.5)), 6)  # π/3
    1.047198
    """
    return evaluate("acos", x)


def atan(x: Any) -> Any:
    """Angle in (-pi/2, pi/2) (rad) whose tangent is x.

    >>> import gauss as g
    >>> round(float(g.atan(1.0)), 6)  # π/4
    0.785398
    """
    return evaluate("atan", x)


def sinh(x: Any) -> Any:
    """Hyperbolic sine.

    >>> import gauss as g
    >>> round(float(g.sinh(g.log(2.0))), 6)  # (2 − 1/2)/2
    0.75
    """
    return evaluate("sinh", x)


def cosh(x: Any) -> Any:
    """Hyperbolic cosine.

    >>> import gauss as g
    >>> round(float(g.cosh(g.log(2.0))), 6)  # (2 + 1/2)/2
    1.25
    """
    return evaluate("cosh", x)


def tanh(x: Any) -> Any:
    """Hyperbolic tangent.

    >>> import gauss as g
    >>> round(float(g.tanh(g.log(2.0))), 6)  # 0.75/1.25
    0.6
    """
    return evaluate("tanh", x)


def asinh(x: Any) -> Any:
    """Inverse hyperbolic sine.

    >>> import gauss as g
    >>> round(float(g.math.asinh(0.75)), 6)  # log 2
    0.693147
    """
    return evaluate("asinh", x)


def acosh(x: Any) -> Any:
    """Inverse hyperbolic cosine, for x >= 1.

    >>> import gauss as g
    >>> round(float(g.math.acosh(1.25)), 6)  # log 2
    0.693147
    """
    return evaluate("acosh", x)


def atanh(x: Any) -> Any:
    """Inverse hyperbolic tangent, for -1 < x < 1.

    >>> import gauss as g
    >>> round(float(g.math.atanh(0.6)), 6)  # log 2
    0.693147
    """
    return evaluate("atanh", x)


def exp(x: Any) -> Any:
    """Exponential function.

    >>> import gauss as g
    >>> float(g.exp(0.0)), round(float(g.exp(1.0)), 6)
    (1.0, 2.718282)
    """
    return evaluate("exp", x)


def log(x: Any) -> Any:
    """Natural logarithm, for x > 0.

    >>> import gauss as g
    >>> round(float(g.log(g.exp(2.0))), 6)
    2.0
    """
    return evaluate("log", x)


def sqrt(x: Any) -> Any:
    """Square root, for x >= 0."""
    return evaluate("sqrt", x)


def fabs(x: Any) -> Any:
    """Absolute value; of a complex number z the analytic continuation: z or -z, by the sign of the real part."""
    return evaluate("fabs", x)


def sign(x: Any) -> Any:
    """Sign of x: -1, 0 or 1; of a complex number the sign of its real part."""
    return evaluate("sign", x)


# --- functions of several arguments ----------------------------------------------------------------------------------


def _entrywise(top: int, arguments: tuple[Any, ...]) -> bool:
    """Arrays that hold or meet symbols or mpmath numbers are handled entry by entry."""
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    return any(a.dtype.kind == "O" for a in arrays) or (bool(arrays) and top in (MPMATH, SYMPY))


def _to_casadi(name: str, value: Any) -> Any:
    """Return `value` in a form CasADi takes: its own matrices, NumPy arrays, or a float."""
    if kind_of(value, name) == CASADI:
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value.astype(float)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} cannot combine a CasADi value with {value!r} ({type(value).__name__}); "
            f"give both arguments as real numbers or CasADi values."
        ) from None


def _pair(name: str, a: Any, b: Any) -> tuple[int, Any, Any, Any]:
    """Return (kind, a, b, context): both arguments in the form that the library of the most symbolic one takes."""
    kind = max(kind_of(a, name), kind_of(b, name))
    if kind == FLOAT:
        return kind, float(a), float(b), None
    if kind == COMPLEX:
        return kind, complex(a), complex(b), None
    if kind == NUMPY:
        return kind, np.asarray(a), np.asarray(b), None
    if kind == MPMATH:
        context = mpmath_context(type(a if kind_of(a, name) == kind else b))
        return kind, context.convert(a), context.convert(b), context
    if kind == SYMPY:
        import sympy

        return kind, sympy.sympify(a), sympy.sympify(b), sympy
    import casadi

    return kind, _to_casadi(name, a), _to_casadi(name, b), casadi


def _rotated_atan2(y: Any, x: Any, hypot: Any, atan2: Any, atan: Any) -> Any:
    """Continue atan2 analytically from the real point (Re x, Re y): turn that point onto the x axis, where atan does.

    The turned y has a real part of exactly zero, so no digit of an imaginary step is lost however small the step.
    """
    distance = hypot(x.real, y.real)
    c, s = x.real / distance, y.real / distance
    along, across = x.imag * c + y.imag * s, y.imag * c - x.imag * s
    return atan2(y.real, x.real) + atan(across * 1j / (distance + along * 1j))


def atan2(y: Any, x: Any) -> Any:
    """Angle in [-pi, pi] of the point (x, y) from the x axis; note the order, y first.

    Complex arguments give the analytic continuation from the point (Re x, Re y), which must not be the origin.
    """
    top = max(kind_of(y, "atan2"), kind_of(x, "atan2"))
    if _entrywise(top, (y, x)):
        return np.frompyfunc(atan2, 2, 1)(y, x)
    kind, y, x, library = _pair("atan2", y, x)
    if kind == FLOAT:
        return math.atan2(y, x)
    if kind == NUMPY:
        if y.dtype.kind == "c" or x.dtype.kind == "c":
            return _rotated_atan2(y, x, np.hypot, np.arctan2, np.arctan)
        return np.arctan2(y, x)
    if kind in (SYMPY, CASADI) or (kind == MPMATH and not (library.im(y) or library.im(x))):
        return library.atan2(library.re(y), library.re(x)) if kind == MPMATH else library.atan2(y, x)
    functions = (math.hypot, math.atan2, atan) if library is None else (library.hypot, library.atan2, atan)
    try:
        return _rotated_atan2(y, x, *functions)
    except (ValueError, ZeroDivisionError):
        if y == 0 and x == 0:
            return 0 * y
        raise InputError(
            f"atan2({y!r}, {x!r}) is undefined: the angle has no derivative at the origin, "
            f"and no value where x^2 + y^2 = 0; keep the point away from there."
        ) from None


def _complex_hypot(x: Any, y: Any, sqrt: Any, largest: Any) -> Any:
    scale = largest(abs(x.real), abs(y.real))
    x, y = x / scale, y / scale
    return scale * sqrt(x * x + y * y)


def hypot(x: Any, y: Any) -> Any:
    """Length of the vector (x, y), the square root of x^2 + y^2, without overflow for plain numbers."""
    top = max(kind_of(x, "hypot"), kind_of(y, "hypot"))
    if _entrywise(top, (x, y)):
        return np.frompyfunc(hypot, 2, 1)(x, y)
    kind, x, y, library = _pair("hypot", x, y)
    if kind == FLOAT:
        return math.hypot(x, y)
    if kind == COMPLEX:
        if x.real == 0 and y.real == 0:
            return cmath.sqrt(x * x + y * y)
        return _complex_hypot(x, y, cmath.sqrt, max)
    if kind == NUMPY:
        if x.dtype.kind == "c" or y.dtype.kind == "c":
            return _complex_hypot(x, y, np.sqrt, lambda a, b: np.where(np.fmax(a, b) > 0, np.fmax(a, b), 1.0))[()]
        return np.hypot(x, y)
    if kind == CASADI:
        return library.hypot(x, y)
    return library.sqrt(x * x + y * y)


def _extreme(name: str, a: Any, b: Any, choose: Callable[[Any, Any], Any]) -> Any:
    top = max(kind_of(a, name), kind_of(b, name))
    if _entrywise(top, (a, b)):
        return np.frompyfunc(lambda left, right: _extreme(name, left, right, choose), 2, 1)(a, b)
    kind, a, b, library = _pair(name, a, b)
    if kind == NUMPY:
        if a.dtype.kind == "c" or b.dtype.kind == "c":
            return np.where(choose(a.real, b.real) | np.isnan(b.real), a, b)[()]
        return getattr(np, name)(a, b)
    if kind == SYMPY:
        return (library.Min if name == "fmin" else library.Max)(a, b)
    if kind == CASADI:
        return getattr(library, name)(a, b)
    return a if choose(a.real, b.real) or b.real != b.real else b


def fmin(a: Any, b: Any) -> Any:
    """Smaller of a and b; complex numbers are compared by their real parts, and nan loses to a number.

    >>> import gauss as g
    >>> float(g.fmin(3.0, -2.0)), float(g.fmin(float("nan"), 1.0))
    (-2.0, 1.0)
    """
    return _extreme("fmin", a, b, lambda left, right: left <= right)


def fmax(a: Any, b: Any) -> Any:
    """Larger of a and b; complex numbers are compared by their real parts, and nan loses to a number.

    >>> import gauss as g
    >>> buffer = g.System("buffer", "x", mass_matrix=[[1]], force=lambda q: [400.0 * g.fmax(-q.x, 0.0)])
    >>> g.accelerate(buffer, [-0.01]).a.tolist(), g.accelerate(buffer, [0.01]).a.tolist()
    ([4.0], [0.0])
    """
    return _extreme("fmax", a, b, lambda left, right: left >= right)


def less(a: Any, b: Any) -> Any:
    """Whether a < b, as a condition for `where`; complex numbers are compared by their real parts."""
    top = max(kind_of(a, "less"), kind_of(b, "less"))
    if _entrywise(top, (a, b)):
        return np.frompyfunc(less, 2, 1)(a, b)
    kind, a, b, library = _pair("less", a, b)
    if kind == CASADI:
        return library.lt(a, b)
    return a < b if kind == SYMPY else a.real < b.real


def greater(a: Any, b: Any) -> Any:
    """Whether a > b, as a condition for `where`; complex numbers are compared by their real parts.

    >>> import gauss as g
    >>> [float(g.where(g.math.greater(x, 0.0), x, 0.0)) for x in (-0.5, 0.5)]
    [0.0, 0.5]
    """
    return less(b, a)


def where(condition: Any, a: Any, b: Any) -> Any:
    """Value a where the condition holds, else b.

    Both a and b are evaluated before the choice: guard the argument too, as in
    `where(less(0, x), sqrt(fmax(x, 0)), 0)`. Make the condition with `less` or `greater` if it may meet complex
    numbers, which Python cannot compare.
    """
    kind = kind_of(condition, "where")
    top = max(kind, kind_of(a, "where"), kind_of(b, "where"))
    if kind == COMPLEX:
        raise InputError(f"where got the condition {condition!r}; make conditions with gauss.less or gauss.greater.")
    if kind in (FLOAT, MPMATH) or (kind == NUMPY and np.ndim(condition) == 0):
        return a if condition else b
    if kind == SYMPY and getattr(condition, "is_Boolean", False) and not condition.free_symbols:
        return a if condition else b
    if _entrywise(top, (condition, a, b)):
        return np.frompyfunc(where, 3, 1)(condition, a, b)
    if top == CASADI:
        import casadi

        if kind == SYMPY:
            raise InputError(f"where cannot choose between CasADi values by the SymPy condition {condition!r}.")
        return casadi.if_else(_to_casadi("where", condition), _to_casadi("where", a), _to_casadi("where", b))
    if kind == NUMPY:
        return np.where(condition, a, b)
    import sympy
    from sympy.logic.boolalg import Boolean

    if not isinstance(condition, Boolean):
        raise InputError(f"where got the condition {condition!r}, which is not a comparison; write {condition!r} > 0.")
    return sympy.Piecewise((sympy.sympify(a), condition), (sympy.sympify(b), True))
