"""Sums and products of symbols without the search for what their operands are.

CasADi's operators try what an operand could be before they add or multiply, which takes six times as long as the
operation. Where both are symbols, or one is a float, the operation is asked for by its number; everything else goes
through the operators. The expressions are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

PLUS, MINUS, TIMES = "OP_ADD", "OP_SUB", "OP_MUL"
_DIRECT: dict[tuple[str, type, type], Callable[[Any, Any], Any] | None] = {}


def _direct(word: str, one: type, two: type) -> Callable[[Any, Any], Any] | None:
    """Return the operation on symbols of CasADi's type SX, beside which a float may stand, None for other types."""
    found = None
    symbols = [cls for cls in (one, two) if cls.__name__ == "SX" and cls.__module__.partition(".")[0] == "casadi"]
    if symbols and {one, two} <= {symbols[0], float}:
        import casadi

        found = partial(symbols[0].binary, getattr(casadi, word))  # type: ignore[attr-defined]
    _DIRECT[word, one, two] = found
    return found


def _operation(word: str, x: Any, y: Any) -> Callable[[Any, Any], Any] | None:
    key = word, type(x), type(y)
    return _DIRECT[key] if key in _DIRECT else _direct(*key)


def added(x: Any, y: Any) -> Any:
    """Return x + y."""
    operation = _operation(PLUS, x, y)
    return x + y if operation is None else operation(x, y)


def subtracted(x: Any, y: Any) -> Any:
    """Return x − y."""
    operation = _operation(MINUS, x, y)
    return x - y if operation is None else operation(x, y)


def multiplied(x: Any, y: Any) -> Any:
    """Return x y."""
    operation = _operation(TIMES, x, y)
    return x * y if operation is None else operation(x, y)
