"""The symbols of a SymPy model and their names in a System: coordinates, velocities, time, parameters, controls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gauss.errors import InputError, ModelError
from gauss.foundation.arrays import names_of, scalar
from gauss.sympy.expressions import Instructions


@dataclass(frozen=True)
class Alphabet:
    """Functions of time in SymPy, and the plain symbols that stand for them while a model is translated."""

    coordinates: tuple[Any, ...]  # (n,) functions of time q(t)
    names: tuple[str, ...]  # (n,)
    controls: tuple[Any, ...]  # (n_u,) functions of time
    control_names: tuple[str, ...]  # (n_u,)
    time: Any
    q: tuple[Any, ...]  # (n,) symbols
    v: tuple[Any, ...]  # (n,) symbols
    u: tuple[Any, ...]  # (n_u,) symbols
    t: Any

    @staticmethod
    def of(coordinates: Sequence[Any], controls: Sequence[Any] = ()) -> Alphabet:
        """Name the coordinates and controls. Raises InputError for what is not a function of time."""
        import sympy as sp

        given, steering = _functions(coordinates, "coordinates"), _functions(controls, "controls")
        if not given:
            raise InputError("a model needs at least one coordinate, as from sympy.physics.mechanics.dynamicsymbols.")
        times = {x.args[0] for x in (*given, *steering)}
        if len(times) > 1:
            raise InputError(f"coordinates and controls depend on different times: {_listed(times)}.")
        names = names_of([name_of(x) for x in given], "coordinates")
        return Alphabet(
            given,
            names,
            steering,
            names_of([name_of(x) for x in steering], "controls"),
            times.pop(),
            tuple(sp.Dummy(name, real=True) for name in names),
            tuple(sp.Dummy(f"d_{name}", real=True) for name in names),
            tuple(sp.Dummy(name_of(x), real=True) for x in steering),
            sp.Dummy("t", real=True),
        )

    @property
    def velocities(self) -> tuple[Any, ...]:
        """The derivatives dq/dt as SymPy has them (n,)."""
        return tuple(x.diff(self.time) for x in self.coordinates)

    def translate(self, expression: Any, what: str) -> Any:
        """Return a SymPy expression in the plain symbols. Raises ModelError for what is left of functions of time."""
        import sympy as sp
        from sympy.core.function import AppliedUndef

        given = expression if isinstance(expression, str) else sp.sympify(expression)
        if not isinstance(given, sp.Expr):
            raise ModelError(f"{what} is {given!r} ({type(given).__name__}); a SymPy expression is expected.")
        given = given.doit() if given.has(sp.Derivative, sp.Integral) else given
        velocities = self.velocities
        foreign = given.atoms(sp.Derivative) - set(velocities)
        if foreign:
            raise ModelError(
                f"{what} contains {_listed(foreign)}; it may depend on coordinates, their first derivatives, time and"
                " parameters only (accelerations and rates of other functions cannot be given)."
            )
        unknown = given.atoms(AppliedUndef) - {*self.coordinates, *self.controls}
        if unknown:
            raise ModelError(
                f"{what} contains {_listed(unknown)}, which is no coordinate. Name it among the coordinates, put a"
                " formula in its place, or, if it is a force that is set at run time, name it in controls=[…]."
            )
        table = dict(zip(velocities, self.v, strict=True)) | dict(zip(self.coordinates, self.q, strict=True))
        return given.xreplace(table | dict(zip(self.controls, self.u, strict=True)) | {self.time: self.t})

    def rate(self, expression: Any) -> Any:
        """Return the time derivative of a translated function of q and t along (v, 1)."""
        import sympy as sp

        terms = (sp.diff(expression, x) * dx for x, dx in zip(self.q, self.v, strict=True))
        return sp.Add(*terms, sp.diff(expression, self.t))

    def function(self, expressions: Iterable[Any], takes: str, known: Parameters, what: str) -> Callable[..., Any]:
        """Return translated expressions as a model function of q, v, t, p, u (those in `takes`): a list of values."""
        parameters = [(symbol, name) for name, symbols in known.symbols.items() for symbol in symbols]
        inputs = [*self.q, *self.v, self.t, *(symbol for symbol, _ in parameters), *self.u]
        if "u" not in takes:
            inputs = inputs[: len(inputs) - len(self.u)]
        if "v" not in takes:
            inputs = [x for x in inputs if x not in self.v]
        program = Instructions.of(expressions, inputs, what)

        def at(q: Any, v: Any, t: Any, p: Any, u: Any) -> list[Any]:
            return program([*q, *v, t, *(p[name] for _, name in parameters), *u])

        forms: dict[str, Callable[..., Any]] = {
            "qtp": lambda q, t, p: at(q, (), t, p, ()),
            "qvtp": lambda q, v, t, p: at(q, v, t, p, ()),
            "qvtpu": lambda q, v, t, p, u: at(q, v, t, p, u),
        }
        return forms[takes]


@dataclass(frozen=True)
class Parameters:
    """The free symbols of a model by name, with their values."""

    symbols: dict[str, tuple[Any, ...]]  # symbols that share a name (and differ in their assumptions) are one parameter
    values: dict[str, float]

    @staticmethod
    def of(expressions: Iterable[Any], alphabet: Alphabet, given: Mapping[Any, Any] | None) -> Parameters:
        """Match the free symbols of translated expressions with values by symbol or by name.

        Values that no expression needs are kept, as parameters that have no effect. Raises InputError, naming the
        symbols without a value.
        """
        if given is not None and not isinstance(given, Mapping):
            raise InputError(f"parameters must be a dict of numbers by symbol or name, got {given!r}.")
        known = {*alphabet.q, *alphabet.v, *alphabet.u, alphabet.t}
        free = set().union(*(expression.free_symbols for expression in expressions)) - known
        values = {name_of(key): scalar(_number(x), f"parameter {key}") for key, x in (given or {}).items()}
        symbols: dict[str, tuple[Any, ...]] = dict.fromkeys(values, ())
        for symbol in sorted(free, key=str):
            symbols[name_of(symbol)] = (*symbols.get(name_of(symbol), ()), symbol)
        missing = [name for name in symbols if name not in values]
        if missing:
            raise InputError(
                f"the model has no value for {', '.join(missing)}; give parameters={{{missing[0]!r}: …}} (by name or by"
                " symbol), or name it among the coordinates if it is one."
            )
        both = sorted({*symbols} & {*alphabet.names, *alphabet.control_names})
        if both:
            raise InputError(f"{', '.join(both)} names both a parameter and a coordinate or control; rename one.")
        return Parameters(symbols, values)


def name_of(symbol: Any) -> str:
    """Return the name of a SymPy symbol or function of time as an identifier: r"\\theta_{1}" becomes theta_1."""
    text = symbol if isinstance(symbol, str) else getattr(symbol, "name", None) or symbol.func.__name__
    return re.sub(r"\W", "", text)


def _number(value: Any) -> Any:
    """Return a number as a float where SymPy gives it; other values as they are."""
    return float(value) if getattr(value, "is_number", False) and getattr(value, "is_real", False) else value


def _functions(given: Any, what: str) -> tuple[Any, ...]:
    """Return functions of time from a list, a SymPy matrix or a single one. Raises InputError for anything else."""
    from sympy.core.function import AppliedUndef

    entries = (given,) if isinstance(given, AppliedUndef) else tuple(entries_of(given, what))
    for entry in entries:
        if not isinstance(entry, AppliedUndef) or len(entry.args) != 1 or not entry.args[0].is_Symbol:
            raise InputError(
                f"{what}: {entry!r} is not a function of time; make it with dynamicsymbols('x') or Function('x')(t)."
            )
    return entries


def entries_of(given: Any, what: str) -> list[Any]:
    """Return the entries of a list, a tuple, a set or a SymPy matrix; none of None. Raises InputError for others."""
    if given is None:
        return []
    try:
        return list(given)
    except TypeError:
        raise InputError(f"{what} must be a list of SymPy expressions, got {given!r}.") from None


def _listed(items: Iterable[Any]) -> str:
    return ", ".join(sorted(map(str, items)))


def attribute_of(thing: Any, attribute: str) -> Any:
    """Return an attribute of a SymPy object that has no public counterpart. Raises ModelError where it is missing."""
    import sympy as sp

    if not any(x.__module__.startswith("sympy.") for x in type(thing).__mro__):
        raise ModelError(f"a method of sympy.physics.mechanics is expected, got {thing!r}.")
    found = getattr(thing, attribute, None)
    if found is None:
        raise ModelError(
            f"SymPy {sp.__version__} has {type(thing).__name__} without {attribute}, which this translation needs; it"
            " was written for SymPy 1.13 and 1.14. Give the Lagrangian itself to from_sympy."
        )
    return found
