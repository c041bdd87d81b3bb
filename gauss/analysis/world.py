"""What printed statements speak of: symbols for states, rates and multipliers, their values, and formulas over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from gauss.analysis.equations import Printed
from gauss.analysis.symbolic import neat
from gauss.arrays import Array
from gauss.errors import InputError, ModelError
from gauss.model.coordinates import Named
from gauss.model.functions import ModelFunction, as_list

LETTERS = "qvaltp"  # what a statement may name: values, rates, second rates, multipliers, time, parameters

Values = dict[sp.Symbol, Array]

_NUMPY = {
    sp.sin: np.sin,
    sp.cos: np.cos,
    sp.tan: np.tan,
    sp.exp: np.exp,
    sp.log: np.log,
    sp.asin: np.arcsin,
    sp.acos: np.arccos,
    sp.atan: np.arctan,
    sp.atan2: np.arctan2,
    sp.sinh: np.sinh,
    sp.cosh: np.cosh,
    sp.tanh: np.tanh,
    sp.Abs: np.abs,
    sp.sign: np.sign,
}


@dataclass(frozen=True)
class World:
    """The symbols of a collection of statements."""

    names: tuple[str, ...]  # of the coordinates and quantities
    q: Named
    v: Named
    a: Named
    l: Named
    t: sp.Symbol
    p: Named
    formulas: Mapping[str, sp.Expr]  # quantity → formula over the coordinates
    second: tuple[str, ...]  # names that have second rates
    varied: tuple[str, ...]  # parameters of the system, which are drawn at random
    rows: tuple[tuple[sp.Symbol, ...], ...]  # entries of the rows J

    @staticmethod
    def of(printed: Printed) -> World:
        """Return the symbols of a collection. Raises InputError for a name that means two things."""
        system = printed.system
        own = tuple(printed.ranges) if system is None else system.coordinates
        names = (*own, *printed.quantities)
        varied = () if system is None else tuple(system.parameters)
        constants = (*varied, *(name for name in printed.parameters if name not in varied))
        twice = sorted({x for x in (*names, *constants) if [*names, *constants].count(x) > 1})
        if twice:
            raise InputError(f"{printed.source}: {', '.join(twice)} names two things among coordinates and parameters.")
        row_names = () if system is None else system.row_names
        t = sp.Symbol("t", real=True)
        world = World(
            names=names,
            q=Named(names, [sp.Symbol(x, real=True) for x in names]),
            v=Named(names, [sp.Symbol(f"{x}_dot", real=True) for x in names], "velocity"),
            a=Named(names, [sp.Symbol(f"{x}_ddot", real=True) for x in names], "acceleration"),
            l=Named(row_names, [sp.Symbol(f"lambda_{k + 1}", real=True) for k in range(len(row_names))], "row"),
            t=t,
            p=Named(constants, [_parameter(printed, x) for x in constants], "parameter"),
            formulas={},
            second=names,
            varied=varied,
            rows=tuple(
                tuple(sp.Symbol(f"J_{k + 1}{j + 1}", real=True) for j in range(len(own))) for k in range(len(row_names))
            ),
        )
        formulas = {name: world.trace(f, f"quantity {name!r}")[0] for name, f in printed.quantities.items()}
        rates = set(world.v) | set(world.a)
        second = tuple(x for x in names if x not in formulas or not formulas[x].free_symbols & rates)
        return World(**{**world.__dict__, "formulas": formulas, "second": second})

    def trace(self, function: Any, what: str) -> list[sp.Expr]:
        """Return the formulas of a function, one or more. Raises ModelError for one that cannot be read so."""
        model = ModelFunction.of(function, LETTERS, what)
        values = {"q": self.q, "v": self.v, "a": self.a, "l": self.l, "t": self.t, "p": self.p}
        try:
            return [neat(entry) for entry in as_list(model(values), what)]
        except (TypeError, AttributeError, sp.SympifyError) as error:
            raise ModelError(f"{what} cannot be read as a formula: {type(error).__name__}: {error}.") from error

    def rate(self, expression: sp.Expr) -> sp.Expr:
        """Return the time derivative of a formula along a motion."""
        parts = [sp.diff(expression, self.t)]
        for x, dx, ddx in zip(self.q, self.v, self.a, strict=True):
            parts += [sp.diff(expression, x) * dx, sp.diff(expression, dx) * ddx]
        return sp.Add(*parts)

    @property
    def kinds(self) -> list[list[sp.Symbol]]:
        """Symbols that a printer may take for one another: values, rates, second rates, multipliers, parameters."""
        return [list(self.q), list(self.v), [self.a[x] for x in self.second], list(self.l), list(self.p)]


def _parameter(printed: Printed, name: str) -> sp.Symbol:
    """Return the symbol of a parameter, positive where its number is."""
    known = {**(printed.system.parameters if printed.system is not None else {}), **printed.parameters}
    return sp.Symbol(name, positive=True) if known[name] > 0.0 else sp.Symbol(name, real=True)


def addends(expression: sp.Expr) -> list[sp.Expr]:
    """Return the terms of a formula once its products are multiplied out."""
    return [term for term in sp.Add.make_args(sp.expand_mul(expression)) if term != 0]


def evaluate(expression: sp.Expr, values: Values, memo: dict[sp.Expr, Any]) -> Any:
    """Return the values (N,) of a formula at states; `memo` keeps those of its parts. Raises InputError."""
    if expression in memo:
        return memo[expression]
    if expression.is_Symbol:
        if expression not in values:
            raise InputError(f"{expression} has no value: no second rate, multiplier or parameter of that name exists.")
        found: Any = values[expression]
    elif not expression.args:
        found = float(expression) if expression.is_real else np.nan
    else:
        found = _combined(expression, [evaluate(part, values, memo) for part in expression.args])
    memo[expression] = found
    return found


def _combined(expression: sp.Expr, parts: list[Any]) -> Any:
    """Return the values of a formula from those of its parts. Raises InputError."""
    if expression.is_Add:
        return sum(parts[1:], parts[0])
    if expression.is_Mul:
        return np.multiply.reduce(np.broadcast_arrays(*parts)) if len(parts) > 2 else parts[0] * parts[1]
    if expression.is_Pow:
        return _power(parts[0], expression.exp, parts[1])
    if expression.func in _NUMPY:
        return _NUMPY[expression.func](*parts)
    raise InputError(f"{expression.func} is not known in printed statements.")


def _power(base: Any, exponent: sp.Expr, value: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.power(base, int(exponent)) if exponent.is_Integer and exponent > 0 else np.power(base, value)


def table(expressions: Iterable[sp.Expr], values: Values, count: int, memo: dict[sp.Expr, Any] | None = None) -> Array:
    """Return the values (K, N) of several formulas at N states."""
    memo = {} if memo is None else memo
    with np.errstate(all="ignore"):  # a formula may be infinite or nan at some states; who asks looks at that
        rows = [np.broadcast_to(np.asarray(evaluate(e, values, memo), dtype=float), (count,)) for e in expressions]
    return np.array(rows).reshape(len(rows), count)
