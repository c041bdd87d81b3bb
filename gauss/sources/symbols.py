"""What printed statements speak of: symbols for states, rates and multipliers, their values, and formulas over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.function import Application

from gauss.analysis.symbolic import neat
from gauss.errors import InputError, ModelError
from gauss.foundation.arrays import Array, names_of, scalar, vector
from gauss.model import System
from gauss.model.coordinates import Named
from gauss.model.functions import ModelFunction, as_list
from gauss.sources.equations import Printed

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
    sp.asinh: np.arcsinh,
    sp.acosh: np.arccosh,
    sp.atanh: np.arctanh,
    sp.Abs: np.abs,
    sp.sign: np.sign,
}


@dataclass(frozen=True)
class SymbolSet:
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
    def of(printed: Printed) -> SymbolSet:
        """Return the symbols of a collection.

        Raises InputError for settings that are none and for a name that means two things, ModelError for quantities.
        """
        _require_settings(printed)
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
        world = SymbolSet(
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
        _require_distinct(printed, world)
        formulas = {name: world.one(f, f"quantity {name!r}") for name, f in printed.quantities.items()}
        for k, name in enumerate(printed.quantities):
            late = formulas[name].free_symbols & {world.q[x] for x in names[len(own) + k :]}
            if late:
                raise InputError(
                    f"{printed.source}: quantity {name!r} names {', '.join(sorted(map(str, late)))}; define it before."
                )
        rates = set(world.v) | set(world.a)
        second = tuple(x for x in names if x not in formulas or not formulas[x].free_symbols & rates)
        return SymbolSet(**{**world.__dict__, "formulas": formulas, "second": second})

    def trace(self, function: Any, what: str) -> list[sp.Expr]:
        """Return the formulas of a function, one or more. Raises ModelError for one that cannot be read so."""
        model = ModelFunction.of(function, LETTERS, what)
        values = {"q": self.q, "v": self.v, "a": self.a, "l": self.l, "t": self.t, "p": self.p}
        found = [formula_of(entry, what) for entry in as_list(model(values), what)]
        if not found:
            raise ModelError(f"{what} returned an empty list; one number or more is expected.")
        return found

    def one(self, function: Any, what: str) -> sp.Expr:
        """Return the formula of a function of one value. Raises ModelError."""
        found = self.trace(function, what)
        if len(found) > 1:
            raise ModelError(f"{what} returned {len(found)} numbers; one number is expected.")
        return found[0]

    def rate(self, expression: sp.Expr) -> sp.Expr:
        """Return the time derivative of a formula along a motion."""
        inside, parts = expression.free_symbols, [sp.diff(expression, self.t)]
        for x, dx, ddx in zip(self.q, self.v, self.a, strict=True):
            parts += [sp.diff(expression, y) * dy for y, dy in ((x, dx), (dx, ddx)) if y in inside]
        return sp.Add(*parts)

    @property
    def kinds(self) -> list[list[sp.Symbol]]:
        """Symbols that a printer may take for one another: values, rates, second rates, multipliers, parameters."""
        return [list(self.q), list(self.v), [self.a[x] for x in self.second], list(self.l), list(self.p)]


def _require_settings(printed: Printed) -> None:
    """Raise InputError for a system, quantities, parameters or ranges that are none."""
    where, system = printed.source, printed.system
    if system is not None and not isinstance(system, System):
        raise InputError(f"{where}: system must be a gauss.System, got {type(system).__name__}.")
    if system is not None and printed.ranges:
        raise InputError(f"{where}: ranges are for identities without a system; make two collections.")
    for what in ("quantities", "parameters", "ranges"):
        given = getattr(printed, what)
        if not isinstance(given, Mapping):
            raise InputError(f"{where}: {what} must be a dict by name, got {type(given).__name__}.")
        names_of(list(given), f"{where}: {what}")
    for name, value in printed.parameters.items():
        number = scalar(value, f"{where}: parameter {name!r}")
        if system is not None and system.parameters.get(name, number) != number:
            raise InputError(f"{where}: parameter {name!r} is {system.parameters[name]:g} in the system; leave it out.")
    for name, limits in printed.ranges.items():
        low, high = vector(limits, 2, f"{where}: the range of {name!r}")
        if not low < high:
            raise InputError(f"{where}: the range of {name!r} must increase, got {low:g} to {high:g}.")


def _require_distinct(printed: Printed, world: SymbolSet) -> None:
    """Raise InputError for a quantity or parameter named as the symbol of something else: x_dot, lambda_1, t."""
    symbols = [*world.q, *world.v, *world.a, *world.l, world.t, *world.p, *(x for row in world.rows for x in row)]
    written = [str(x) for x in symbols]
    twice = sorted({x for x in written if written.count(x) > 1})
    if twice:
        raise InputError(
            f"{printed.source}: {', '.join(twice)} names two things in formulas, as time is t, rates are x_dot and"
            " x_ddot, multipliers lambda_1 and entries of the rows J_11; choose another name."
        )


def _parameter(printed: Printed, name: str) -> sp.Symbol:
    """Return the symbol of a parameter, positive where its number is."""
    known = {**(printed.system.parameters if printed.system is not None else {}), **printed.parameters}
    return sp.Symbol(name, positive=True) if known[name] > 0.0 else sp.Symbol(name, real=True)


def formula_of(value: Any, what: str) -> sp.Expr:
    """Return a value of a printed function as a formula.

    Raises ModelError for what is none: comparisons, branches, unknown functions, what is nan, infinite or complex.
    """
    try:
        formula = neat(value)
    except (TypeError, AttributeError, ValueError, sp.SympifyError) as error:
        raise ModelError(f"{what} cannot be read as a formula: {type(error).__name__}: {error}.") from error
    if not isinstance(formula, sp.Expr):
        raise ModelError(f"{what} returned {formula}, which is a {type(formula).__name__} and not a number.")
    if formula.has(sp.nan, sp.zoo, sp.oo, -sp.oo, sp.I):
        raise ModelError(f"{what} is nan, infinite or complex at every state: it divides by zero or has a constant so.")
    strange = {x.func.__name__ for x in formula.atoms(Application) if x.func not in _NUMPY}
    if strange:
        known = ", ".join(sorted(f.__name__ for f in _NUMPY if f.__name__ != "sign"))
        raise ModelError(
            f"{what} contains {', '.join(sorted(strange))}; printed statements know sqrt, powers, {known} and no"
            " branches or tables. State each branch by itself."
        )
    return formula


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


def magnitude(expression: sp.Expr, values: Values, count: int, memo: dict[sp.Expr, Any]) -> Array:
    """Return Σ|terms| (N,) of a formula whose products are multiplied out, without multiplying them out.

    That of a sum is the sum of those of its parts, that of a product their product. Terms that cancel one another when
    products are multiplied out count.
    """
    if expression.is_Add or expression.is_Mul:
        parts = [magnitude(part, values, count, memo) for part in expression.args]
        return np.asarray(np.sum(parts, axis=0) if expression.is_Add else np.prod(parts, axis=0))
    if expression.is_Pow and expression.exp.is_Integer and expression.exp.is_positive:
        return np.asarray(magnitude(expression.base, values, count, memo) ** int(expression.exp))
    return np.asarray(np.abs(table([expression], values, count, memo)[0]))


def table(expressions: Iterable[sp.Expr], values: Values, count: int, memo: dict[sp.Expr, Any] | None = None) -> Array:
    """Return the values (K, N) of several formulas at N states."""
    memo = {} if memo is None else memo
    with np.errstate(all="ignore"):  # a formula may be infinite or nan at some states; who asks looks at that
        rows = [np.broadcast_to(np.asarray(evaluate(e, values, memo), dtype=float), (count,)) for e in expressions]
    return np.array(rows).reshape(len(rows), count)
