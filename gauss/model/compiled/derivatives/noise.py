"""The noise of a model's values, from the same expressions: running error analysis.

Each operation z = f(x, y) has the noise |∂f/∂x| noise(x) + |∂f/∂y| noise(y) + u|z|, u the unit roundoff; a constant or
a parameter that is no short binary fraction has u times itself, as the decimal number that was meant lies within that;
the state is taken for exact (what its own uncertainty adds depends on derivatives, which the caller has). So a value
that is the small difference of large terms has the noise of these terms.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from gauss.foundation.zero import UNIT
from gauss.model.compiled.buffer import Buffered

SHORT = 2**26  # a constant is a short binary fraction where this many times it is an integer that fits 53 bits
EXACT = ("OP_NEG", "OP_TWICE", "OP_FABS", "OP_FMIN", "OP_FMAX", "OP_SIGN", "OP_ASSIGN", "OP_IF_ELSE_ZERO")
EXACT_CODES = frozenset(getattr(ca, name) for name in EXACT)
ZERO, ONE, SMALL = ca.SX(0.0), ca.SX(1.0), ca.SX(UNIT)
COMPARISONS = frozenset(getattr(ca, f"OP_{name}") for name in ("LT", "LE", "EQ", "NE", "NOT", "AND", "OR"))


def is_short(value: float) -> bool:
    """Return whether a constant has so few binary digits that it was surely meant as it is."""
    return bool(value * SHORT == np.rint(value * SHORT)) if abs(value) < SHORT else False


def _fabs(x: ca.SX) -> ca.SX:
    return ca.SX.unary(ca.OP_FABS, x)


def _plus(x: ca.SX, y: ca.SX) -> ca.SX:
    return ca.SX.binary(ca.OP_ADD, x, y)


def _times(x: ca.SX, y: ca.SX) -> ca.SX:
    return ca.SX.binary(ca.OP_MUL, x, y)


class Slopes:
    """The derivatives of elementary operations by their operands, but for signs, which do not matter here.

    Those of the common ones are written out; the others are differentiated once. Operations are called by their codes:
    Python's operators on expressions take five times as long.
    """

    def __init__(self) -> None:
        self._x, self._y = ca.SX.sym("x"), ca.SX.sym("y")
        self._unary: dict[int, ca.SX] = {}
        self._binary: dict[int, tuple[ca.SX, ca.SX]] = {}

    def unary(self, code: int, x: ca.SX) -> ca.SX:
        """Return the derivative at x."""
        if code == ca.OP_NEG:
            return ONE
        if code in (ca.OP_SQ, ca.OP_SIN, ca.OP_COS):
            return ca.SX.unary({ca.OP_SQ: ca.OP_TWICE, ca.OP_SIN: ca.OP_COS, ca.OP_COS: ca.OP_SIN}[code], x)
        if code not in self._unary:
            self._unary[code] = ca.gradient(ca.SX.unary(code, self._x), self._x)
        return ca.substitute(self._unary[code], self._x, x)

    def binary(self, code: int, x: ca.SX, y: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the derivatives at (x, y)."""
        if code in (ca.OP_ADD, ca.OP_SUB):
            return ONE, ONE
        if code == ca.OP_MUL:
            return y, x
        if code == ca.OP_DIV:
            inverse = ca.SX.binary(code, ONE, y)
            return inverse, _times(ca.SX.binary(code, x, y), inverse)
        if code not in self._binary:
            z = ca.SX.binary(code, self._x, self._y)
            self._binary[code] = (ca.gradient(z, self._x), ca.gradient(z, self._y))
        pair = ca.vertcat(self._x, self._y)
        slopes = ca.substitute(ca.vertcat(*self._binary[code]), pair, ca.vertcat(x, y))
        return slopes[0], slopes[1]


def noises(arguments: list[ca.SX], outputs: list[ca.SX], exact: int) -> list[ca.SX]:
    """Return the noise of each output, dense, in its shape; the first `exact` arguments are taken for exact."""
    dense = [ca.densify(output) for output in outputs]
    function = ca.Function("values", arguments, [ca.vec(output) for output in ca.cse(dense)])
    slopes = Slopes()
    value: dict[int, ca.SX] = {}
    noise: dict[int, ca.SX] = {}
    found = [[ZERO] * output.numel() for output in dense]
    for k in range(function.n_instructions()):
        code, given, result = function.instruction_id(k), function.instruction_input(k), function.instruction_output(k)
        if code == ca.OP_OUTPUT:
            found[result[0]][result[1]] = noise[given[0]]
            continue
        if code == ca.OP_INPUT:
            x = arguments[given[0]][given[1]]
            rounded = ZERO if given[0] < exact else _times(SMALL, _fabs(x))
        elif code == ca.OP_CONST:
            constant = function.instruction_constant(k)
            x = ca.SX(constant)
            rounded = ZERO if is_short(constant) else ca.SX(UNIT * abs(constant))
        else:
            x, rounded = _operation(slopes, code, [value[i] for i in given], [noise[i] for i in given])
        value[result[0]], noise[result[0]] = x, rounded
    return [ca.reshape(ca.vertcat(*n), *d.shape) if n else ca.SX(*d.shape) for n, d in zip(found, dense, strict=True)]


def _operation(slopes: Slopes, code: int, operands: list[ca.SX], noise: list[ca.SX]) -> tuple[ca.SX, ca.SX]:
    """Return the value of an operation on one or two operands, and its noise."""
    single = len(operands) == 1
    x = (ca.SX.unary if single else ca.SX.binary)(code, *operands)
    if code in COMPARISONS:
        return x, ZERO
    by = [slopes.unary(code, *operands)] if single else slopes.binary(code, *operands)
    total = ZERO
    for slope, own in zip(by, noise, strict=True):
        total = _plus(total, _carried(slope, own))
    return x, _plus(total, _own(code, x))


def _carried(slope: ca.SX, noise: ca.SX) -> ca.SX:
    """Return |slope| noise; an operand without noise brings none, even where the slope is infinite."""
    return ZERO if noise.is_zero() else _times(_fabs(slope), noise)


def _own(code: int, x: ca.SX) -> ca.SX:
    """Return the rounding of an operation's own result."""
    if code in EXACT_CODES or (x.is_constant() and is_short(float(x))):
        return ZERO
    return _times(SMALL, _fabs(x))


def noise_function(name: str, arguments: list[ca.SX], outputs: list[ca.SX], exact: int = 3) -> Buffered:
    """Return a function of the noises of outputs; of the arguments (q, v, t, theta, …) the state is exact."""
    return Buffered(ca.Function(name, arguments, [ca.densify(x) for x in noises(arguments, outputs, exact)]))
