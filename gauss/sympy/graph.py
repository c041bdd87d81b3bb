"""The operations of a compiled model as SymPy expressions, one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gauss.errors import ModelError
from gauss.model.compiled.graph import Graph


@dataclass(frozen=True)
class Written:
    """The outputs of a graph in SymPy."""

    outputs: dict[str, list[Any]]  # expressions, row by row
    shared: tuple[tuple[Any, Any], ...]  # symbols that stand for shared parts, each with its formula in earlier ones


def write(graph: Graph, arguments: Sequence[Sequence[Any]], share: str | None = None) -> Written:
    """Return the outputs of a graph as SymPy expressions in the given arguments.

    With `share`, a prefix, parts that are used more than once become the symbols prefix0, prefix1, …; without it
    everything is written out. Raises ModelError for an operation that SymPy does not have.
    """
    import sympy as sp

    rules = _rules()
    uses = Counter(k for operation in graph.operations if operation.name != "input" for k in operation.inputs)
    uses.update(k for places in graph.outputs.values() for k in places if k >= 0)
    found: list[Any] = []
    shared: list[tuple[Any, Any]] = []
    for place, operation in enumerate(graph.operations):
        if operation.name == "input":
            argument, entry = operation.inputs
            value = arguments[argument][entry]
        elif operation.name == "const":
            value = _constant(operation.value)
        elif operation.name in rules:
            given = [found[k] for k in operation.inputs]
            value = rules[operation.name](*_prepared(operation.name, given))
            if share is not None and uses[place] > 1 and value.args and isinstance(value, sp.Expr):
                symbol = sp.Symbol(f"{share}{len(shared)}", real=True)
                shared.append((symbol, value))
                value = symbol
        else:
            raise ModelError(
                f"the model contains the operation {operation.name!r}, which SymPy does not have; known are"
                f" {', '.join(sorted(rules))}."
            )
        found.append(value)
    outputs = {
        name: [_number(found[k]) if k >= 0 else sp.Integer(0) for k in places] for name, places in graph.outputs.items()
    }
    return Written(outputs, tuple(shared))


def _constant(value: float) -> Any:
    """Return a constant: whole numbers and simple fractions as such, others as the float they are."""
    import sympy as sp

    from gauss.analysis.symbolic import neat

    return sp.Integer(int(value)) if value == int(value) else neat(sp.Float(value)) if value == value else sp.nan


def _prepared(name: str, given: list[Any]) -> list[Any]:
    """Return the operands: conditions where conditions are expected, numbers elsewhere."""
    if name in ("not", "and", "or"):
        return [_condition(x) for x in given]
    if name == "if_else_zero":
        return [_condition(given[0]), _number(given[1])]
    return [_number(x) for x in given]


def _is_condition(value: Any) -> bool:
    """Whether a value is a condition; SymPy's symbols are of both kinds and count as numbers."""
    import sympy as sp
    from sympy.logic.boolalg import Boolean

    return isinstance(value, Boolean) and not isinstance(value, sp.Expr)


def _condition(value: Any) -> Any:
    import sympy as sp

    return value if _is_condition(value) else sp.Ne(value, 0)


def _number(value: Any) -> Any:
    import sympy as sp

    return sp.Piecewise((1, value), (0, True)) if _is_condition(value) else value


def _sum(x: Any, y: Any) -> Any:
    """Return x + y; the two halves of a choice become one Piecewise."""
    import sympy as sp

    if isinstance(x, sp.Piecewise) and isinstance(y, sp.Piecewise):
        (a, p), *_ = x.args
        (b, q), *_ = y.args
        alone = all(len(z.args) == 2 and z.args[1] == (sp.Integer(0), sp.true) for z in (x, y))
        if alone and sp.Not(p) == q:
            return sp.Piecewise((a, p), (b, True))
    return x + y


def _rules() -> dict[str, Callable[..., Any]]:
    """Return the operations of CasADi by name as SymPy functions."""
    import sympy as sp

    same = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "atan2")
    return {name: getattr(sp, name) for name in (*same, "exp", "log", "sqrt", "sign", "floor", "erf", "erfinv")} | {
        "assign": lambda x: x,
        "lift": lambda x, y: x,
        "add": _sum,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y,
        "div": lambda x, y: x / y,
        "neg": lambda x: -x,
        "inv": lambda x: 1 / x,
        "sq": lambda x: x**2,
        "twice": lambda x: 2 * x,
        "pow": lambda x, y: x**y,
        "constpow": lambda x, y: x**y,
        "lt": sp.Lt,
        "le": sp.Le,
        "eq": sp.Eq,
        "ne": sp.Ne,
        "not": sp.Not,
        "and": sp.And,
        "or": sp.Or,
        "if_else_zero": lambda condition, x: sp.Piecewise((x, condition), (0, True)),
        "fabs": sp.Abs,
        "fmin": sp.Min,
        "fmax": sp.Max,
        "ceil": sp.ceiling,
        "copysign": lambda x, y: sp.Piecewise((sp.Abs(x), y >= 0), (-sp.Abs(x), True)),
        "log1p": lambda x: sp.log(1 + x),
        "expm1": lambda x: sp.exp(x) - 1,
        "hypot": lambda x, y: sp.sqrt(x**2 + y**2),
    }
