"""Model functions: plain Python functions that name what they need among q, v, t, p and u."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.errors import ModelError
from gauss.foundation.portable import Portable
from gauss.functions import FUNCTIONS

WORDS = {
    "q": "coordinates",
    "v": "velocities",
    "t": "time",
    "p": "parameters",
    "u": "controls",
    "load": "multipliers",
}
SEEN = ("q", "v", "t", "p", "u", "load")  # what a force may take

REMEDY = (
    " Functions of the math module, float and int need numbers: write gauss.sin, gauss.sqrt, … instead of math.sin,"
    " math.sqrt, …, or declare a force as black_box_force=…."
)
NUMPY_REMEDY = "NumPy's functions take numbers, not symbols: write gauss.{} instead of numpy.{}."
OTHER_REMEDY = (
    "{} takes numbers, not symbols: use functions of gauss.math, a gauss.math.Table of its values, or declare a force"
    " as black_box_force=…."
)
BRANCHES = (
    "it branches on a state (if, and, or, not, min, max, a < b < c), but while the model is traced, states are symbols,"
    " which are neither true nor false. Write gauss.where(q.x > 0, a, b) with a condition and values of your own,"
    " gauss.fmin or gauss.fmax, or declare a force as black_box_force=…."
)
POWER = "^ is no power in Python: write x**2 instead of x^2."
INSIDE = re.compile(r"\S*/casadi/\S*:\d+: ")  # where in a library an error arose
SYMBOL = re.compile(r"'(SX|MX)'( object)?|\b(casadi )?(SX|MX)(Elem)?\b")  # what a library calls one
BOTH = "& and | join no conditions here: write one gauss.where in another, gauss.where(a, gauss.where(b, x, y), y)."


class SymbolError(TypeError):
    """A symbol was to become a Python number; only values have numbers, so the function cannot be traced."""


@dataclass(frozen=True)
class ModelFunction(Portable):
    """A function of some of q, v, t, p, u, called with exactly those that its signature names."""

    function: Callable[..., Any]
    takes: tuple[str, ...]
    what: str  # for messages: "the kinetic energy", "constraint 'rod'"

    @staticmethod
    def of(function: object, allowed: Sequence[str], what: str) -> ModelFunction:
        """Wrap a function (or a constant, which takes nothing); `allowed` are the permitted arguments.

        Raises ModelError when the signature names anything else, or gives a default to one that the model may pass: it
        could be meant as either.
        """
        if isinstance(function, str):
            raise ModelError(f"{what} is the string {function!r}; give a function or a number.")
        if not callable(function):
            return ModelFunction(lambda: function, (), what)
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            raise ModelError(f"{what}: the signature of {function!r} cannot be read; wrap it in a lambda.") from None
        takes = []
        for parameter in parameters:
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise ModelError(f"{what} takes *{parameter.name}; name its arguments among {', '.join(allowed)}.")
            if parameter.default is not parameter.empty and parameter.name in {*allowed, *WORDS}:
                raise ModelError(_ambiguous(parameter, f"{what} is called with {', '.join(allowed)} by name"))
            if parameter.name in tuple(allowed):
                takes.append(parameter.name)
            elif parameter.default is parameter.empty:
                reason = (
                    f"it may not depend on the {WORDS[parameter.name]}"
                    if parameter.name in WORDS
                    else f"arguments are chosen by name among {', '.join(allowed)}{_example(allowed)}"
                )
                raise ModelError(f"{what} takes an argument {parameter.name!r}: {reason}.")
        return ModelFunction(function, tuple(takes), what)

    def __call__(self, values: dict[str, Any]) -> Any:
        """Call with the entries of `values` that the signature names; wrap failures in a ModelError."""
        try:
            return self.function(**{name: values[name] for name in self.takes})
        except ModelError:
            raise
        except Exception as error:
            raise ModelError(f"{self.what} failed: {_reason(error)}{_meant(error, values)}") from error


def require_by_place(function: Callable[..., Any], names: str, what: str) -> None:
    """Raise ModelError for a function that cannot be called with `names` by place, or gives one of them a default.

    In `lambda t, q, k=k: …` the k would be the third argument, and `lambda q, t, v: …` has them in another order.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # built-in functions
    call = f"{what} is called with ({', '.join(names)})"
    parameters = [p for p in signature.parameters.values() if p.kind is not p.KEYWORD_ONLY]
    for parameter in parameters[: len(names)]:
        if parameter.default is not parameter.empty:
            raise ModelError(_ambiguous(parameter, call))
    places = [p.name for p in parameters]
    try:
        signature.bind(*names)
    except TypeError:
        raise ModelError(f"{call}, by place, but its arguments are {signature}.") from None
    if places[: len(names)] != list(names) and sorted(places[: len(names)]) == sorted(names):
        raise ModelError(f"{call}, by place, but has its arguments in another order, {signature}.")


def _ambiguous(parameter: inspect.Parameter, call: str) -> str:
    """Return what is wrong with a parameter that has a default and is passed by the model as well."""
    name = parameter.name
    return (
        f"{call}, but its argument {name!r} has the default {parameter.default!r}: which of the two is meant?"
        f" For the model's leave the default out; give a value of your own another name, after the others, as in"
        f" {name}0={name}."
    )


def _reason(error: BaseException) -> str:
    """Return why a model function failed and what to do, from the error and those that led to it."""
    at: BaseException | None = error
    while at is not None:
        text = str(at)
        if isinstance(at, SymbolError) or "convert expression to float" in text:  # of CasADi, of SymPy
            return f"{text.rstrip('.')}.{REMEDY}"
        missing = re.search(r"no callable (\w+) method", text)  # of a symbol, asked for by NumPy
        if missing:
            return NUMPY_REMEDY.format(missing[1].replace("arc", "a"), missing[1])
        unknown = re.search(r"does not support numpy\.(\w+)", text)
        if unknown:
            return OTHER_REMEDY.format(unknown[1])
        if "truth value" in text:
            return BRANCHES
        operator = re.match(r"unsupported operand type\(s\) for ([\^&|])=?:", text)
        if operator:
            return POWER if operator[1] == "^" else BOTH
        at = at.__cause__ or at.__context__
    return f"{type(error).__name__}: {INSIDE.sub('', SYMBOL.sub('a symbol', str(error))).rstrip('.')}."


def _example(allowed: Sequence[str]) -> str:
    """Return how a function that may take q writes a coordinate and its rate; "" for one that may not."""
    rate = ", its rate is v.x" if "v" in allowed else ""
    return f"; a coordinate x is q.x{rate}" if "q" in allowed else ""


def _meant(error: BaseException, values: dict[str, Any]) -> str:
    """Return a sentence on what stands in the wrong place in a model function, from Python's own error; "" for none."""
    text = str(error)
    if isinstance(error, NameError):
        names = [f"{word}.{error.name}" for word, part in values.items() if error.name in getattr(part, "_names", ())]
        names += [f"gauss.{error.name}"] if error.name in FUNCTIONS else []
        names += [f"the argument {error.name}, as in lambda q, {error.name}: …"] if error.name in values else []
        return f" Did you mean {' or '.join(names)}?" if names else ""
    if isinstance(error, TypeError) and "'module'" in text:
        return (
            " A module stands in place of a number, as g does after import gauss as g: write p.g for a parameter g, or"
            " give your number another name."
        )
    if isinstance(error, TypeError) and "'Named'" in text:
        return " q, v, p and u are no numbers, but hold them by name: write q.x for a coordinate x."
    number = re.match(r"'(?:int|float)' object has no attribute '(\w+)'", text)
    if number and number[1] in FUNCTIONS:
        return f" What stands before .{number[1]} is a number here, not the module gauss: give it another name."
    return " Is a * missing before a bracket?" if "not callable" in text else ""


def _is_list(value: Any) -> bool:
    """Whether a model value is a list of entries, in the usual forms; symbols and numbers are not."""
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def as_scalar(value: Any, what: str) -> Any:
    """Return a model value that must be one number or symbol; one-element lists are opened. Raises ModelError."""
    if type(value) in (float, complex):  # by far the most
        return value
    while _is_list(value) and len(value) == 1:
        value = value[0]
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if value is None:
        raise ModelError(f"{what} returned None; does the function lack a return statement?")
    if _is_list(value) or isinstance(value, (dict, str, bytes)):
        comma = " A comma parts numbers: one half is 0.5." if isinstance(value, tuple) else ""
        shown = f"({', '.join(map(str, value))})" if isinstance(value, tuple) else repr(value)
        raise ModelError(f"{what} returned {type(value).__name__} {shown}; one number is expected.{comma}")
    return value


def as_list(value: Any, what: str) -> list[Any]:
    """Return a model value that is one number or a list of numbers as a list. Raises ModelError."""
    if value is None:
        raise ModelError(f"{what} returned None; does the function lack a return statement?")
    if isinstance(value, (str, bytes, dict)):
        raise ModelError(f"{what} returned {type(value).__name__} {value!r}; numbers are expected.")
    if _is_list(value):
        return [as_scalar(entry, what) for entry in value]
    shape = getattr(value, "shape", ())
    if isinstance(shape, tuple) and len(shape) == 2 and shape != (1, 1):  # a symbolic column or row
        return [value[k] for k in range(shape[0] * shape[1])]
    return [as_scalar(value, what)]


def as_vector(value: Any, names: Sequence[str], what: str) -> list[Any]:
    """Return one entry per name from a list, or from a dict by name (missing names are zero). Raises ModelError."""
    if isinstance(value, dict):
        unknown = [key for key in value if key not in names]
        if unknown:
            raise ModelError(f"{what} has entries for {unknown}; known: {', '.join(names)}.")
        return [as_scalar(value.get(name, 0.0), what) for name in names]
    entries = as_list(value, what)
    if len(entries) != len(names):
        raise ModelError(f"{what} returned {len(entries)} entries, expected {len(names)} ({', '.join(names)}).")
    return entries


def as_rows(value: Any, names: Sequence[str], what: str) -> list[list[Any]]:
    """Return a list of rows (one entry per name) from one row, one dict, or a list of rows. Raises ModelError."""
    if isinstance(value, dict):
        return [as_vector(value, names, what)]
    if value is None:
        raise ModelError(f"{what} returned None; does the function lack a return statement?")
    if _is_list(value) and len(value) > 0:
        nested = [_is_list(row) or isinstance(row, dict) for row in value]
        if all(nested):
            return [as_vector(row, names, what) for row in value]
        if any(nested):
            raise ModelError(f"{what} mixes rows and numbers; give one row or a list of rows.")
    return [as_vector(value, names, what)]
