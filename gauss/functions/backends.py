"""The libraries behind `gauss.functions.elementary`: which kind of number a value is, and each function in its library.

The kind of an argument decides who evaluates: Python's math or cmath, NumPy, mpmath, SymPy or CasADi. A function is
looked up once for each type of argument and then kept.
"""

from __future__ import annotations

import cmath
import math
import numbers
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np

from gauss.errors import InputError

# Kinds of numbers, the most symbolic last.
FLOAT, COMPLEX, NUMPY, MPMATH, SYMPY, CASADI = range(6)

_LIBRARIES = {"numpy": NUMPY, "mpmath": MPMATH, "sympy": SYMPY, "casadi": CASADI}
_KINDS: dict[type, int] = {bool: FLOAT, int: FLOAT, float: FLOAT, complex: COMPLEX}
_UNARY: dict[tuple[str, type], Callable[[Any], Any]] = {}

_DOMAINS = {
    "sqrt": "x >= 0",
    "log": "x > 0",
    "asin": "-1 <= x <= 1",
    "acos": "-1 <= x <= 1",
    "acosh": "x >= 1",
    "atanh": "-1 < x < 1",
}
_NUMPY_NAMES = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}


def kind_of(value: Any, what: str) -> int:
    """Return the kind of number that `value` is; raise an InputError that names `what` if it is none."""
    cls = type(value)
    kind = _KINDS.get(cls)
    if kind is None:
        kind = _KINDS[cls] = _find_kind(cls, what)
    return kind


def _find_kind(cls: type, what: str) -> int:
    for base in cls.__mro__:
        kind = _LIBRARIES.get(base.__module__.partition(".")[0])
        if kind is not None:
            return kind
    if issubclass(cls, numbers.Real | Decimal):
        return FLOAT
    if issubclass(cls, numbers.Complex):
        return COMPLEX
    raise InputError(
        f"{what} got a {cls.__name__}; it takes a number, a NumPy array, or an mpmath, SymPy or CasADi value "
        f"(turn lists into arrays with numpy.asarray)."
    )


def evaluate(name: str, x: Any) -> Any:
    """Evaluate the function called `name` in the library of `x`."""
    cls = type(x)
    function = _UNARY.get((name, cls))
    if function is None:
        function = _UNARY[name, cls] = _BUILDERS[kind_of(x, name)](name, cls)
    return function(x)


def _outside(name: str, arguments: str, error: Exception) -> InputError:
    if isinstance(error, OverflowError):
        return InputError(f"{name}({arguments}) is too large for a float; check the units of its argument.")
    domain = _DOMAINS.get(name, "finite arguments")
    return InputError(
        f"{name}({arguments}) is outside the domain of {name} ({domain}); keep the argument inside, "
        f"for example with gauss.fmax or gauss.fmin."
    )


def _guarded(name: str, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(x: Any) -> Any:
        try:
            return function(x)
        except (ValueError, OverflowError) as error:
            raise _outside(name, repr(x), error) from None

    return apply


def _float_sign(x: Any) -> float:
    x = float(x)
    return x if x == 0.0 or x != x else math.copysign(1.0, x)


def _complex_sign(z: Any) -> complex:
    return complex(_float_sign(z.real))


def _turned_positive(z: Any) -> Any:
    """Return z or -z, whichever has the positive real part: the continuation of |x| to complex numbers."""
    return z if z.real >= 0 else -z


def _of_float(name: str, cls: type) -> Callable[[Any], Any]:
    return _guarded(name, _float_sign if name == "sign" else getattr(math, name))


def _of_complex(name: str, cls: type) -> Callable[[Any], Any]:
    if name == "sign":
        return _complex_sign
    if name == "fabs":
        return _turned_positive
    return _guarded(name, getattr(cmath, name))


def _of_numpy(name: str, cls: type) -> Callable[[Any], Any]:
    function = getattr(np, _NUMPY_NAMES.get(name, name))

    def apply(x: Any) -> Any:
        if x.dtype.kind == "O":
            return np.frompyfunc(lambda entry: evaluate(name, entry), 1, 1)(x)
        if x.dtype.kind == "c" and name == "fabs":
            return np.where(x.real >= 0, x, -x)[()]
        if x.dtype.kind == "c" and name == "sign":
            return np.sign(x.real).astype(x.dtype)
        return function(x)

    return apply


def mpmath_context(cls: type) -> Any:
    """Return the mpmath context that a type of number belongs to."""
    import mpmath

    return getattr(cls, "context", mpmath.mp)


def _of_mpmath(name: str, cls: type) -> Callable[[Any], Any]:
    context = mpmath_context(cls)
    if name == "sign":
        return lambda x: context.sign(x.real)
    if name == "fabs":
        return lambda x: _turned_positive(context.convert(x))
    function: Callable[[Any], Any] = getattr(context, name)
    if name in ("asin", "acos", "atan"):
        return lambda x: _with_digits_of_both_parts(context, function, x)
    return function


def _with_digits_of_both_parts(context: Any, function: Callable[..., Any], z: Any) -> Any:
    """Evaluate with as many more bits as the parts of z and 1 are apart, so that a small part is not lost beside them.

    mpmath computes these functions by logarithms, which keep digits relative to |z| or 1, not to the smaller part.
    """
    if not isinstance(z, context.mpc):
        return function(z)
    magnitudes = [0] + [context.mag(part) for part in (z.real, z.imag) if part and context.isfinite(part)]
    more = min(max(magnitudes) - min(magnitudes), 10_000)
    return +function(z, prec=context.prec + more)  # the context's own precision is every thread's


def _of_sympy(name: str, cls: type) -> Callable[[Any], Any]:
    import sympy

    function: Callable[[Any], Any] = getattr(sympy, "Abs" if name == "fabs" else name)
    return function


def _of_casadi(name: str, cls: type) -> Callable[[Any], Any]:
    import casadi

    function: Callable[[Any], Any] = getattr(casadi, name)
    return function


_BUILDERS: dict[int, Callable[[str, type], Callable[[Any], Any]]] = {
    FLOAT: _of_float,
    COMPLEX: _of_complex,
    NUMPY: _of_numpy,
    MPMATH: _of_mpmath,
    SYMPY: _of_sympy,
    CASADI: _of_casadi,
}
