"""SymPy expressions as functions of plain numbers, arrays and symbols, for a System to trace."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.errors import ModelError
from gauss.functions import elementary as fn

UNEVALUATED = ("Integral", "Sum", "Product")  # with variables of their own


@dataclass(frozen=True)
class Instructions:
    """Expressions as a list of operations, each shared part evaluated once."""

    expressions: tuple[Any, ...]  # SymPy expressions in the inputs
    inputs: tuple[Any, ...]  # SymPy symbols
    steps: tuple[tuple[Callable[..., Any], tuple[int, ...]], ...]  # function, positions among inputs and results
    outputs: tuple[int, ...]  # positions among inputs and results

    @staticmethod
    def of(expressions: Iterable[Any], inputs: Sequence[Any], what: str) -> Instructions:
        """Translate SymPy expressions in the given symbols; `what` names them in messages.

        Raises ModelError for functions and symbols that have no counterpart here.
        """
        import sympy as sp

        kept = tuple(sp.sympify(expression) for expression in expressions)
        place: dict[Any, int] = {symbol: k for k, symbol in enumerate(inputs)}
        steps: list[tuple[Callable[..., Any], tuple[int, ...]]] = []
        rules = _rules()
        for expression in kept:
            for node in _leaves_first(expression, place):
                function, operands = _operation(node, rules, what)
                steps.append((function, tuple(place[x] for x in operands)))
                place[node] = len(inputs) + len(steps) - 1
        return Instructions(kept, tuple(inputs), tuple(steps), tuple(place[x] for x in kept))

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """Evaluate for inputs of any kind of number; SymPy inputs are put into the expressions as they stand."""
        if any(type(x).__module__.startswith("sympy") for x in values):
            import sympy as sp

            given = dict(zip(self.inputs, map(sp.sympify, values), strict=True))
            return [expression.xreplace(given) for expression in self.expressions]
        found = list(values)
        for function, operands in self.steps:
            found.append(function(*(found[k] for k in operands)))
        return [found[k] for k in self.outputs]


def _leaves_first(expression: Any, done: dict[Any, int]) -> list[Any]:
    """Return the parts of an expression that are not done yet, every part after those that it is made of."""
    order: list[Any] = []
    seen: set[Any] = set()
    stack = [(expression, False)]
    while stack:
        node, opened = stack.pop()
        if node in done or (node in seen and not opened):
            continue
        if opened:
            order.append(node)
            continue
        seen.add(node)
        stack.append((node, True))
        stack.extend((part, False) for part in _operands(node))
    return order


def _operands(node: Any) -> tuple[Any, ...]:
    """Return the parts whose values an expression needs; conditions are opened down to what they compare."""
    if node.func.__name__ == "Piecewise":
        conditions = [c for _, c in node.args]
        return (*(value for value, _ in node.args), *(x for c in conditions for x in _compared(c)))
    if node.is_Pow and node.exp.is_Rational:
        return (node.base,)
    if node.func.__name__ == "Heaviside":
        return tuple(node.args)
    if node.func.__name__ in UNEVALUATED:
        return ()
    return () if node.is_Number or node.is_NumberSymbol else tuple(node.args)


def _compared(condition: Any) -> tuple[Any, ...]:
    """Return the two sides of every comparison in a condition, in order."""
    if condition.is_Relational:
        return (condition.lhs, condition.rhs)
    return tuple(x for part in condition.args for x in _compared(part))


def _operation(
    node: Any, rules: dict[str, Callable[..., Any]], what: str
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return how one expression follows from its parts."""
    operands = _operands(node)
    name = node.func.__name__
    if node.is_Number or node.is_NumberSymbol:
        return _constant(node, what), ()
    if node.is_Add or node.is_Mul:
        return (_sum if node.is_Add else _product), operands
    if node.is_Pow:
        return (_power(node.exp), operands) if node.exp.is_Rational else (_general_power, operands)
    if name == "Piecewise":
        return _pieces(node, what), operands
    if name in ("Min", "Max"):
        return (_least if name == "Min" else _greatest), operands
    if name in rules:
        return rules[name], operands
    raise ModelError(_unknown(node, name, rules, what))


def _unknown(node: Any, name: str, rules: dict[str, Callable[..., Any]], what: str) -> str:
    if node.is_Symbol:
        return (
            f"{what} contains {str(node).removeprefix('_')}, on which it cannot depend. Positions, gaps and energies"
            " depend on coordinates and time, velocities (written d_x) occur in the Lagrangian, in forces and in"
            " nonholonomic constraints, controls in forces alone."
        )
    if name in ("ComplexInfinity", "NaN"):
        return f"{what} contains {node}; check its formula at singular values."
    if name in UNEVALUATED:
        return f"{what} contains {node}, which SymPy does not carry out; give it as a formula."
    if name == "ImaginaryUnit":
        return (
            f"{what} contains the imaginary unit; mechanics needs real expressions. Simplify it, or take its real part."
        )
    if name == "Derivative":
        return f"{what} contains {node}, a derivative that is not carried out; call .doit() or give it as a formula."
    return (
        f"{what} contains the SymPy function {name} in {node}, which has no counterpart here. Known are"
        f" {', '.join(sorted({*rules, 'Min', 'Max', 'Piecewise'}))}, sums, products and powers. Write it with these"
        f" (expression.rewrite(…) may do that), or give the force as black_box_force of a System."
    )


# ---------------------------------------------------------------------------------- numbers and arithmetic


def _constant(node: Any, what: str) -> Callable[[], Any]:
    number: Any = int(node) if node.is_Integer else float(node)
    if not math.isfinite(number):
        raise ModelError(f"{what} contains the constant {node}; check its formula at singular values.")
    return lambda: number


def _sum(first: Any, *others: Any) -> Any:
    for x in others:
        first = first + x
    return first


def _product(first: Any, *others: Any) -> Any:
    for x in others:
        first = first * x
    return first


def _power(exponent: Any) -> Callable[[Any], Any]:
    """Return x ↦ x^(p/q), with square roots and whole powers as such."""
    p, q = int(exponent.p), int(exponent.q)

    def positive(x: Any) -> Any:
        if q == 1:
            return x if abs(p) == 1 else x ** abs(p)
        if q == 2:
            root = fn.sqrt(x)
            return root if abs(p) == 1 else root ** abs(p)
        return x ** (abs(p) / q)

    return positive if p > 0 else lambda x: 1 / positive(x)


def _general_power(base: Any, exponent: Any) -> Any:
    return base**exponent


def _least(first: Any, *others: Any) -> Any:
    for x in others:
        first = fn.fmin(first, x)
    return first


def _greatest(first: Any, *others: Any) -> Any:
    for x in others:
        first = fn.fmax(first, x)
    return first


# ---------------------------------------------------------------------------------- conditions


def _pieces(node: Any, what: str) -> Callable[..., Any]:
    """Return the function of the pieces' values and then of both sides of every comparison."""
    import sympy as sp

    count = len(node.args)
    conditions = [c for _, c in node.args]

    def evaluate(*parts: Any) -> Any:
        sides = list(parts[count:])
        tests = [_bind(c, sides) for c in conditions]
        value = parts[count - 1]  # the pieces leave nothing out, so the last is what no other one is
        for k in reversed(range(count - 1)):
            value = tests[k](parts[k], value)
        return value

    for condition in conditions:
        _bind(condition, [0.0] * len(_compared(condition)), what)  # refuses what is no comparison
    if conditions[-1] != sp.true and sp.Or(*conditions).simplify() != sp.true:
        raise ModelError(f"{what} contains {node}, which has no value elsewhere; end it with (value, True).")
    return evaluate


def _bind(condition: Any, sides: list[Any], what: str = "") -> Callable[[Any, Any], Any]:
    """Return (a, b) ↦ a where the condition holds, else b; takes the sides of its comparisons from the list."""
    name = condition.func.__name__
    if name in ("BooleanTrue", "BooleanFalse"):
        return (lambda a, b: a) if name == "BooleanTrue" else (lambda a, b: b)
    if condition.is_Relational:
        left, right = sides.pop(0), sides.pop(0)
        return _comparison(name, left, right)
    if name == "Not":
        inner = _bind(condition.args[0], sides, what)
        return lambda a, b: inner(b, a)
    if name in ("And", "Or"):
        parts = [_bind(part, sides, what) for part in condition.args]

        def both(a: Any, b: Any) -> Any:
            for part in parts:
                a = part(a, b)
            return a

        def either(a: Any, b: Any) -> Any:
            for part in parts:
                b = part(a, b)
            return b

        return both if name == "And" else either
    raise ModelError(f"{what} chooses by the condition {condition}; use comparisons joined by And, Or and Not.")


def _comparison(name: str, x: Any, y: Any) -> Callable[[Any, Any], Any]:
    below, above = fn.less(x, y), fn.less(y, x)
    return {
        "StrictLessThan": lambda a, b: fn.where(below, a, b),
        "StrictGreaterThan": lambda a, b: fn.where(above, a, b),
        "LessThan": lambda a, b: fn.where(above, b, a),
        "GreaterThan": lambda a, b: fn.where(below, b, a),
        "Equality": lambda a, b: fn.where(below, b, fn.where(above, b, a)),
        "Unequality": lambda a, b: fn.where(below, a, fn.where(above, a, b)),
    }[name]


def _heaviside(x: Any, half: Any = 0.5) -> Any:
    return fn.where(fn.less(0, x), 1.0, fn.where(fn.less(x, 0), 0.0, half))


def _sinc(x: Any) -> Any:
    nonzero = fn.greater(fn.fabs(x), 0)
    safe = fn.where(nonzero, x, 1.0)
    return fn.where(nonzero, fn.sin(safe) / safe, 1.0)


def _special(name: str) -> Callable[[Any], Any]:
    """Return a function outside `gauss.functions.elementary`: CasADi's own method, else SciPy's or NumPy's function."""

    def evaluate(x: Any) -> Any:
        method = getattr(x, name, None)
        if callable(method):
            return method()
        if name == "erf":
            from scipy.special import erf

            return erf(x)
        return getattr(np, name)(x.real)

    return evaluate


def _rules() -> dict[str, Callable[..., Any]]:
    """Return the known functions by their SymPy names."""
    same = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")
    return {name: getattr(fn, name) for name in (*same, "exp", "log", "sign", "atan2")} | {
        "Abs": fn.fabs,
        "re": lambda x: x,
        "conjugate": lambda x: x,
        "sec": lambda x: 1 / fn.cos(x),
        "csc": lambda x: 1 / fn.sin(x),
        "cot": lambda x: 1 / fn.tan(x),
        "sech": lambda x: 1 / fn.cosh(x),
        "csch": lambda x: 1 / fn.sinh(x),
        "coth": lambda x: 1 / fn.tanh(x),
        "acot": lambda x: fn.atan(1 / x),
        "asec": lambda x: fn.acos(1 / x),
        "acsc": lambda x: fn.asin(1 / x),
        "acoth": lambda x: fn.atanh(1 / x),
        "asech": lambda x: fn.acosh(1 / x),
        "acsch": lambda x: fn.asinh(1 / x),
        "sinc": _sinc,
        "Heaviside": _heaviside,
        "erf": _special("erf"),
        "floor": _special("floor"),
        "ceiling": _special("ceil"),
    }
