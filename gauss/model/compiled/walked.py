"""CasADi's functions walked instruction by instruction into heyoka's expressions, which LLVM compiles.

Many points are so evaluated some at once in each instruction, up to a hundred times as fast; numbers are those of
CasADi to roundings.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array

LONGEST = 3000  # instructions of a function up to which it is compiled, which takes some 0.2 ms each


@cache
def library() -> Any:
    """Return the package heyoka. Raises InputError where it is not installed."""
    try:
        import heyoka  # late: it is optional, and takes long to import
    except ImportError:
        raise InputError("method 'taylor' needs the package heyoka: pip install 'gauss-dynamics[taylor]'.") from None
    return heyoka


def available() -> bool:
    """Return whether heyoka is installed, without loading it."""
    return importlib.util.find_spec("heyoka") is not None


def _named(name: str) -> Callable[..., Any]:
    """Return what applies heyoka's function of this name."""
    return lambda *given: getattr(library(), name)(*given)


_CIRCULAR = [f"{a}{name}{h}" for a in ("", "a") for name in ("sin", "cos", "tan") for h in ("", "h")]
_SAME_NAME = ("sqrt", "exp", "log", "erf", "atan2", *_CIRCULAR)
OPERATIONS: dict[int, Callable[..., Any]] = {
    ca.OP_ASSIGN: lambda x: x,
    ca.OP_LIFT: lambda x, _: x,
    ca.OP_ADD: lambda x, y: x + y,
    ca.OP_SUB: lambda x, y: x - y,
    ca.OP_MUL: lambda x, y: x * y,
    ca.OP_DIV: lambda x, y: x / y,
    ca.OP_NEG: lambda x: -x,
    ca.OP_TWICE: lambda x: 2.0 * x,
    ca.OP_SQ: lambda x: x * x,
    ca.OP_INV: lambda x: 1.0 / x,
    ca.OP_CONSTPOW: lambda x, y: x**y,
    ca.OP_POW: lambda x, y: x**y,
    ca.OP_HYPOT: lambda x, y: _named("sqrt")(x * x + y * y),
    ca.OP_EXPM1: lambda x: 2.0 * _named("exp")(0.5 * x) * _named("sinh")(0.5 * x),  # accurate near 0
    ca.OP_LOG1P: lambda x: 2.0 * _named("atanh")(x / (2.0 + x)),
    **{getattr(ca, f"OP_{name.upper()}"): _named(name) for name in _SAME_NAME},
}

PIECEWISE: dict[int, Callable[..., Any]] = {  # without Taylor series everywhere
    ca.OP_FABS: lambda x: _either("lt", x, 0.0, -x, x),
    ca.OP_FMIN: lambda x, y: _either("lte", x, y, x, _known(y, x)),
    ca.OP_FMAX: lambda x, y: _either("gte", x, y, x, _known(y, x)),
}
LEAVES = (ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST)


def _either(comparison: str, x: Any, y: Any, one: Any, other: Any) -> Any:
    """Return one expression where x and y compare so, the other elsewhere."""
    hy = library()
    return hy.select(getattr(hy, comparison)(x, hy.expression(y) if isinstance(y, float) else y), one, other)


def _known(x: Any, other: Any) -> Any:
    """Return x, the other where it is nan."""
    return _either("eq", x, x, x, other)


def walked(function: ca.Function, arguments: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the entries of all outputs of a function of `SX`, as expressions of heyoka in those of its inputs.

    Raises InputError for an operation that is in neither table.
    """
    hy, register, found = library(), dict[int, Any](), dict[tuple[int, int], Any]()
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        given, result = function.instruction_input(k), function.instruction_output(k)
        if code == ca.OP_OUTPUT:
            found[result[0], result[1]] = register[given[0]]
        elif code == ca.OP_INPUT:
            register[result[0]] = arguments[given[0]][given[1]]
        elif code == ca.OP_CONST:
            register[result[0]] = hy.expression(function.instruction_constant(k))
        elif code in OPERATIONS or code in PIECEWISE:
            register[result[0]] = (OPERATIONS.get(code) or PIECEWISE[code])(*(register[i] for i in given))
        else:
            raise InputError(f"heyoka has not the operation {code} of CasADi.")
    return [found[k, entry] for k in range(function.n_out()) for entry in range(function.numel_out(k))]


def walkable(function: ca.Function) -> bool:
    """Return whether heyoka is there, and evaluates a function of dense arrays at many points."""
    if not available() or not function.is_a("SXFunction") or not 0 < function.n_instructions() <= LONGEST:
        return False
    codes = {function.instruction_id(k) for k in range(function.n_instructions())}
    dense = all(function.sparsity_out(k).is_dense() for k in range(function.n_out()))
    return dense and all(code in OPERATIONS or code in PIECEWISE or code in LEAVES for code in codes)


class Walked:
    """A function at many points, called as `Mapped` is."""

    def __init__(self, function: ca.Function):
        ends = np.cumsum([0, *(function.numel_in(k) for k in range(function.n_in()))])
        variables = [library().expression(f"x{i}") for i in range(ends[-1])]
        self._inputs = [slice(*pair) for pair in pairwise(ends)]
        outputs = walked(function, [variables[part] for part in self._inputs])
        ends = np.cumsum([0, *(function.numel_out(k) for k in range(function.n_out()))])
        self._outputs = [slice(*pair) for pair in pairwise(ends)]
        self._evaluate, self._size = library().cfunc(outputs, variables), len(variables)

    def __call__(self, points: Sequence[Array], held: Sequence[Any] = ()) -> list[Array]:
        """Evaluate at N points: its first inputs are `points`, (N,), (N, k) or (1, k), the others the same for all.

        The outputs (N, r·c) are laid out column by column.
        """
        given = np.empty((self._size, len(points[0])))
        for part, each in zip(self._inputs, points, strict=False):
            given[part] = each.T
        for part, each in zip(self._inputs[len(points) :], held, strict=True):
            given.T[:, part] = each
        found = self._evaluate(given)
        return [found[part].T for part in self._outputs]
