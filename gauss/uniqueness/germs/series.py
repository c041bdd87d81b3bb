"""Truncated power series in several variables, and the operations of a model's rows on them.

A series in y₁ … y_d to total degree N is stored as one in a single variable X: y_i stands for X^(w + e_i) with
w = (N+1)^(d−1) and e = 0, 1, N+1, (N+1)², …. A monomial of degree k ≤ N lies at k w + Σ α_i e_i with Σ α_i e_i < w: no
two share a place, and all of degree above N lie at (N+1)^d or beyond. So X-series of the length (N+1)^d multiply,
divide and compose as the series in y do, by python-flint's own functions.

Beside each coefficient stands its noise (see `gauss.uniqueness.germs.numbers`); |f'| δ is that of f.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

import numpy as np
from flint import arb, arb_series

from gauss.foundation.arrays import Array
from gauss.foundation.zero import UNIT
from gauss.model.compiled.graph import Operation
from gauss.uniqueness.germs.numbers import DUST, Noisy, OpenError, is_zero


@dataclass(frozen=True)
class Packing:
    """Where the coefficients of a series in d variables to total degree N stand."""

    d: int
    degree: int

    @property
    def length(self) -> int:
        """Number of places."""
        return int((self.degree + 1) ** self.d)

    @property
    def weights(self) -> tuple[int, ...]:
        """Place (d,) of each variable."""
        w = (self.degree + 1) ** max(self.d - 1, 0)
        return tuple(w + ((self.degree + 1) ** (i - 1) if i else 0) for i in range(self.d))

    @cached_property
    def monomials(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """Exponents (d,) of every monomial with its place, by degree."""
        powers = [a for a in product(range(self.degree + 1), repeat=self.d) if sum(a) <= self.degree]
        places = [(a, sum(k * w for k, w in zip(a, self.weights, strict=True))) for a in powers]
        return tuple(sorted(places, key=lambda entry: entry[1]))


SHORT = 64  # coefficients up to which series are multiplied without a look at which of them vanish


@dataclass(frozen=True)
class Series:
    """A truncated power series with the noise of its coefficients, or without (None) where no one asks for it."""

    value: Any  # flint.arb_series
    noise: Any  # (L,) or None

    @staticmethod
    def of(constant: Any, noise: float | None, length: int, place: int = 0) -> Series:
        """Return constant + X^place (the constant alone for place 0); `noise` None leaves noise out."""
        coefficients = [constant] if place == 0 else [constant, *[0] * (place - 1), 1]
        if noise is None:
            return Series(arb_series(coefficients, length), None)
        noises = np.zeros(length)
        noises[0] = noise
        if 0 < place < length:
            noises[place] = DUST
        return Series(arb_series(coefficients, length), noises)

    @cached_property
    def sizes(self) -> Array:
        """Absolute values (L,) of the coefficients."""
        return _sizes(self.value, len(self.noise))

    @property
    def reach(self) -> Array:
        """Bounds (L,) of the absolute values of the coefficients, as computed."""
        found = np.zeros(self.value.prec)
        coefficients = self.value.coeffs()
        found[: len(coefficients)] = [float(c.abs_upper()) for c in coefficients]
        return found

    def coefficient(self, place: int) -> Noisy:
        """Return the coefficient at a place."""
        return Noisy(self.value[place], 0.0 if self.noise is None else float(self.noise[place]))

    @property
    def sign(self) -> int:
        """Sign of the constant term: 0 where it is zero or undecided."""
        constant = self.value[0]
        decided = is_zero(constant, 0.0 if self.noise is None else float(self.noise[0]))
        if self.noise is None:  # the decision itself is taken where the noise is known
            decided = bool(constant.contains(0))
        return 0 if decided is not False else (1 if constant > 0 else -1)


def _sizes(value: Any, length: int) -> Array:
    found = np.zeros(length)
    coefficients = value.coeffs()[:length]
    found[: len(coefficients)] = [abs(float(c.mid())) for c in coefficients]
    return found


def _spread(a: Array, b: Array) -> Array:
    """Return the product of two series of sizes, truncated; most coefficients of long ones vanish."""
    length = len(a)
    if length <= SHORT:
        return a * b if length == 1 else np.convolve(a, b)[:length]
    found = np.zeros(length)
    if np.count_nonzero(a) > np.count_nonzero(b):
        a, b = b, a
    for k in np.flatnonzero(a):
        found[k:] += a[k] * b[: length - k]
    return found


def plus(a: Series, b: Series, sign: int = 1) -> Series:
    """Return a + b, or a − b."""
    value = a.value + b.value if sign > 0 else a.value - b.value
    return Series(value, None if a.noise is None or b.noise is None else a.noise + b.noise)


def times(a: Series, b: Series) -> Series:
    """Return a b."""
    if a.noise is None or b.noise is None:
        return Series(a.value * b.value, None)
    return Series(a.value * b.value, _spread(a.sizes, b.noise) + _spread(a.noise, b.sizes + b.noise))


def _composed(a: Series, value: Any, slope: Callable[[], Any]) -> Series:
    """Return f(a) from its value and its derivative."""
    if a.noise is None:
        return Series(value, None)
    return Series(value, _spread(_sizes(slope(), len(a.noise)), a.noise))


def _scaled(a: Series, factor: int) -> Series:
    return Series(a.value * factor, None if a.noise is None else a.noise * abs(factor))


def _constant(x: float, like: Series) -> Series:
    return Series.of(arb(x), None if like.noise is None else 0.0, like.value.prec)


def _demand(a: Series, sign: int, name: str, shift: int = 0) -> None:
    """Raise OpenError unless the constant term of a + shift has the sign; sign 0 demands any but zero."""
    found = (Series(a.value + shift, a.noise) if shift else a).sign
    if found == 0 or (sign and found != sign):
        raise OpenError(f"a row has no power series here: {name} at the edge of its domain")


def _root(value: Any) -> Any:
    """Return the square root of a series by its logarithm: FLINT's own ends the process on some, as of 1 + εX^150."""
    return (value.log() / 2).exp()


def _sqrt(a: Series) -> Series:
    _demand(a, 1, "sqrt")
    root = _root(a.value)
    return _composed(a, root, lambda: 1 / (2 * root))


def _inverse(a: Series) -> Series:
    _demand(a, 0, "a quotient")
    inverse = 1 / a.value
    return _composed(a, inverse, lambda: inverse * inverse)


def _log(a: Series) -> Series:
    _demand(a, 1, "log")
    return _composed(a, a.value.log(), lambda: 1 / a.value)


def _power(a: Series, b: Series) -> Series:
    """Return a^b; an exponent that is a whole number is taken as exact."""
    exponents = b.value.coeffs()
    exponent = exponents[0] if exponents else arb(0)
    if len(exponents) <= 1 and exponent.is_integer() and abs(float(exponent)) <= 1000.0:
        count = int(float(exponent))
        found, base = _constant(1.0, a), a
        for digit in reversed(bin(abs(count))[2:]):
            found = times(found, base) if digit == "1" else found
            base = times(base, base)
        return found if count >= 0 else _inverse(found)
    _demand(a, 1, "a power")
    logarithm = _log(a)
    return _exp(times(logarithm, b))


def _exp(a: Series) -> Series:
    value = a.value.exp()
    return _composed(a, value, lambda: value)


def _arc(a: Series, name: str) -> Series:
    _demand(a, -1, name, -1)
    _demand(a, 1, name, 1)
    root = _root(1 - a.value * a.value)
    arc = (a.value / root).atan()
    return _composed(a, arc if name == "asin" else arb.pi() / 2 - arc, lambda: 1 / root)


def _tan(a: Series) -> Series:
    value = a.value.tan()
    return _composed(a, value, lambda: 1 + value * value)


def _atan(a: Series) -> Series:
    return _composed(a, a.value.atan(), lambda: 1 / (1 + a.value * a.value))


def _hyperbolic(a: Series, name: str) -> Series:
    grown = a.value.exp()
    sinh, cosh = (grown - 1 / grown) / 2, (grown + 1 / grown) / 2
    if name == "tanh":
        return _composed(a, sinh / cosh, lambda: 1 / (cosh * cosh))
    return _composed(a, sinh, lambda: cosh) if name == "sinh" else _composed(a, cosh, lambda: sinh)


def _area(a: Series, name: str) -> Series:
    square = a.value * a.value
    if name == "asinh":
        root = _root(square + 1)
        return _composed(a, (a.value + root).log(), lambda: 1 / root)
    if name == "acosh":
        _demand(a, 1, name, -1)
        root = _root(square - 1)
        return _composed(a, (a.value + root).log(), lambda: 1 / root)
    _demand(a, 1, name, 1)
    _demand(a, -1, name, -1)
    return _composed(a, ((1 + a.value) / (1 - a.value)).log() / 2, lambda: 1 / (1 - square))


def _atan2(y: Series, x: Series) -> Series:
    if x.sign > 0:
        return _atan(times(y, _inverse(x)))
    if y.sign == 0:
        raise OpenError("a row has no power series here: atan2 at its cut or at the origin")
    turned = _atan(times(x, _inverse(y)))
    return Series((arb.pi() / 2 if y.sign > 0 else -arb.pi() / 2) - turned.value, turned.noise)


def _decided(a: Series, name: str) -> int:
    if a.sign == 0:
        raise OpenError(f"a row has no power series here: {name} at its kink")
    return a.sign


def _whole(a: Series, name: str, rounding: Callable[[float], float]) -> Series:
    """Return floor, ceil, … of a series: a constant, away from the steps."""
    constant = a.value[0]
    step = arb(round(float(constant) * 2)) / 2
    width = 0.0 if a.noise is None else float(a.noise[0])
    if is_zero(constant - step, width) is not False:
        raise OpenError(f"a row has no power series here: {name} at a step")
    return _constant(rounding(float(constant)), a)


def _remainder(a: Series, b: Series, name: str) -> Series:
    share = times(a, _inverse(b))
    whole = _whole(share, name, np.trunc if name == "fmod" else np.round)
    return plus(a, times(b, whole), -1)


PLAIN: dict[str, Callable[[Series], Series]] = {
    "neg": lambda a: _scaled(a, -1),
    "twice": lambda a: _scaled(a, 2),
    "sq": lambda a: times(a, a),
    "inv": _inverse,
    "sqrt": _sqrt,
    "exp": _exp,
    "expm1": lambda a: plus(_exp(a), _constant(1.0, a), -1),
    "log": _log,
    "log1p": lambda a: _log(plus(a, _constant(1.0, a))),
    "sin": lambda a: _composed(a, a.value.sin(), a.value.cos),
    "cos": lambda a: _composed(a, a.value.cos(), a.value.sin),
    "tan": _tan,
    "asin": lambda a: _arc(a, "asin"),
    "acos": lambda a: _arc(a, "acos"),
    "atan": _atan,
    "sinh": lambda a: _hyperbolic(a, "sinh"),
    "cosh": lambda a: _hyperbolic(a, "cosh"),
    "tanh": lambda a: _hyperbolic(a, "tanh"),
    "asinh": lambda a: _area(a, "asinh"),
    "acosh": lambda a: _area(a, "acosh"),
    "atanh": lambda a: _area(a, "atanh"),
    "erf": lambda a: _composed(a, a.value.erf(), lambda: (-(a.value * a.value)).exp() * 2 / arb.pi().sqrt()),
    "fabs": lambda a: _scaled(a, _decided(a, "fabs")),
    "sign": lambda a: _constant(_decided(a, "sign"), a),
    "floor": lambda a: _whole(a, "floor", np.floor),
    "ceil": lambda a: _whole(a, "ceil", np.ceil),
    "not": lambda a: _constant(0.0 if a.sign else 1.0, a),
}

_PAIRED: dict[str, Callable[[Series, Series], Series]] = {
    "add": plus,
    "sub": lambda a, b: plus(a, b, -1),
    "mul": times,
    "div": lambda a, b: times(a, _inverse(b)),
    "pow": _power,
    "constpow": _power,
    "atan2": _atan2,
    "hypot": lambda a, b: _sqrt(plus(times(a, a), times(b, b))),
    "fmin": lambda a, b: a if _decided(plus(b, a, -1), "fmin") > 0 else b,
    "fmax": lambda a, b: a if _decided(plus(a, b, -1), "fmax") > 0 else b,
    "lt": lambda a, b: _constant(float(_decided(plus(b, a, -1), "a comparison") > 0), a),
    "le": lambda a, b: _constant(float(_decided(plus(b, a, -1), "a comparison") > 0), a),
    "eq": lambda a, b: _constant(float(_decided(plus(b, a, -1), "a comparison") == 0), a),
    "ne": lambda a, b: _constant(float(_decided(plus(b, a, -1), "a comparison") != 0), a),
    "and": lambda a, b: _constant(float(a.sign != 0 and b.sign != 0), a),
    "or": lambda a, b: _constant(float(a.sign != 0 or b.sign != 0), a),
    "copysign": lambda a, b: _scaled(a, _decided(a, "copysign") * _decided(b, "copysign")),
    "fmod": lambda a, b: _remainder(a, b, "fmod"),
    "remainder": lambda a, b: _remainder(a, b, "remainder"),
}


_EXACT: dict[str, Callable[[Any, Any], Any]] = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}


def evaluate(
    operations: Sequence[Operation],
    needed: Sequence[int],
    wanted: Sequence[int],
    inputs: Callable[[int, int], Series],
    noisy: bool,
    length: int,
) -> list[Series]:
    """Return the wanted results of a list of operations on series; `inputs` gives entry j of argument k.

    `needed` are the operations behind them (see `behind`). An operation outside its domain spoils only what uses it: a
    choice by `where` may leave it out. Raises OpenError.
    """
    found: dict[int, Series | OpenError] = {}
    for k in needed:
        operation = operations[k]
        try:
            if not noisy and operation.name in _EXACT:
                x, y = (_sound(found[i]) for i in operation.inputs)
                found[k] = Series(_EXACT[operation.name](x.value, y.value), None)
            else:
                found[k] = _result(operation, found, inputs, noisy, length)
        except OpenError as error:
            found[k] = error
    zero = Series.of(arb(0), 0.0 if noisy else None, length)
    return [zero if k < 0 else _sound(found[k]) for k in wanted]


def behind(operations: Sequence[Operation], wanted: Sequence[int]) -> list[int]:
    """Return the positions of all operations that the wanted ones use, in the order of evaluation."""
    needed, stack = set(), [k for k in wanted if k >= 0]
    while stack:
        k = stack.pop()
        if k not in needed:
            needed.add(k)
            stack.extend(() if operations[k].name == "input" else operations[k].inputs)
    return sorted(needed)


def _sound(result: Series | OpenError) -> Series:
    if isinstance(result, OpenError):
        raise result
    return result


@lru_cache(maxsize=1024)
def _number(value: float, noisy: bool, length: int) -> Series:
    return Series.of(arb(value), UNIT * abs(value) if noisy else None, length)


def _result(
    operation: Operation,
    found: dict[int, Series | OpenError],
    inputs: Callable[[int, int], Series],
    noisy: bool,
    length: int,
) -> Series:
    name = operation.name
    if name == "input":
        return inputs(*operation.inputs[:2])
    if name == "const":
        return _number(operation.value, noisy, length)
    if name == "if_else_zero":
        condition = _sound(found[operation.inputs[0]])
        if condition.sign == 0:
            return _constant(0.0, condition)
        return _sound(found[operation.inputs[1]])
    given = [_sound(found[k]) for k in operation.inputs]
    if name in PLAIN:
        return PLAIN[name](given[0])
    if name in _PAIRED:
        return _PAIRED[name](given[0], given[1])
    raise OpenError(f"a row has no power series here: the operation {name} is not known")
