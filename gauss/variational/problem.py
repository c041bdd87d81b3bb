"""`VariationalProblem`: an integral to be made stationary, with its boundary values and its side conditions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, names_of, positive, scalar
from gauss.foundation.portable import Portable
from gauss.model import Constraint, Nonholonomic, Pfaffian
from gauss.model.compiled.functionals import CompiledFunctional
from gauss.model.unchanging import Unchanging


@dataclass(frozen=True)
class Isoperimetric(Portable):
    """The side condition ∫ G(q, v, t) dt = value.

    Raises InputError for a name or a value that is none.
    """

    name: str
    function: Callable[..., Any]  # G of q, v, t, p
    value: float

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f"an Isoperimetric condition needs a name as its first argument, got {self.name!r}.")
        object.__setattr__(self, "value", scalar(self.value, f"the value of {self.name!r}"))


@dataclass(frozen=True)
class FreeEnd:
    """The end t₁ of the interval is free; `guess` is where the search starts.

    >>> from gauss.variational import FreeEnd, VariationalProblem, extremal
    >>> hurried = VariationalProblem(  # speed costs v²/2, and time 1/2
    ...     lambda v: 0.5 * v.x**2 + 0.5, "x", start={"x": 0.0}, end={"x": 1.0}, span=(0.0, FreeEnd(2.0))
    ... )
    >>> round(extremal(hurried).t_end, 6)  # 1/2T + T/2 is least at T = 1
    1.0
    """

    guess: float


@dataclass(frozen=True, eq=False)
class VariationalProblem(Portable):
    """Make ∫ F(q, v, t) dt from t₀ to t₁ stationary, where q(t) are the unknown functions and v = dq/dt.

    `function`, the functions of `integrals` and `rows` name what they need among q, v (by name: q.y, v.y), t and p, and
    use gauss.sin, gauss.sqrt, …, as those of a `System` do. t is the independent variable, whatever it means: a length,
    an angle, a time. `start` and `end` give values by name; an unknown left out there is free, and its momentum 𝓛_v
    vanishes (natural boundary condition). With `span=(t0, FreeEnd(guess))` the end t₁ is free too, and v·𝓛_v − 𝓛
    vanishes there. `rows` are Pfaffian or Nonholonomic constraints between q and v at every t (the vakonomic problem).

    Where F and all G are homogeneous of degree 1 in v, as lengths and areas of curves q₁(t), q₂(t) are, the path alone
    counts; it is then found with constant |v|.

    Raises InputError for names and numbers that do not fit, ModelError for functions that cannot be used.
    """

    function: Callable[..., Any]
    unknowns: str | Sequence[str]
    start: Mapping[str, float] = field(default_factory=dict)
    end: Mapping[str, float] = field(default_factory=dict)
    span: tuple[float, float | FreeEnd] = (0.0, 1.0)
    integrals: Sequence[Isoperimetric] = ()
    rows: Sequence[Constraint] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = names_of(self.unknowns, "unknowns")
        if not names:
            raise InputError("a VariationalProblem needs at least one unknown function.")
        object.__setattr__(self, "unknowns", names)
        if not isinstance(self.parameters, Mapping):
            raise InputError(f"parameters must be a dict of numbers by name, got {self.parameters!r}.")
        given = {name: scalar(x, f"parameter {name!r}") for name, x in self.parameters.items()}
        values = {name: given[name] for name in names_of(list(given), "parameters")}
        remedy = (
            "dataclasses.replace(problem, parameters=problem.parameters | {{'{name}': {value}}}) makes another problem"
        )
        object.__setattr__(self, "parameters", Unchanging(values, "parameters", remedy))
        for side in ("start", "end"):
            object.__setattr__(self, side, _values(getattr(self, side), names, side))
        if not isinstance(self.span, tuple) or len(self.span) != 2:
            raise InputError(f"span must be (t0, t1) or (t0, FreeEnd(guess)), got {self.span!r}.")
        t0, last = scalar(self.span[0], "the start of the span"), self.span[1]
        t1 = scalar(last.guess if isinstance(last, FreeEnd) else last, "the end of the span")
        positive(t1 - t0, "the length of the span, t1 - t0,")
        object.__setattr__(self, "span", (t0, last if isinstance(last, FreeEnd) else t1))
        for name, what in (("integrals", "Isoperimetric conditions"), ("rows", "Pfaffian or Nonholonomic rows")):
            given_list = getattr(self, name)
            if not isinstance(given_list, Sequence) or isinstance(given_list, str):
                raise InputError(f"{name} must be a list of {what}, got {given_list!r}.")
        for condition in self.integrals:
            if not isinstance(condition, Isoperimetric):
                raise InputError(f"integrals holds {condition!r}; write Isoperimetric(name, function, value).")
        for row in self.rows:
            if not isinstance(row, Pfaffian | Nonholonomic):
                raise InputError(
                    f"row {getattr(row, 'name', row)!r} is {type(row).__name__}; rows of a VariationalProblem are"
                    " Pfaffian or Nonholonomic. Use unknowns that satisfy conditions on positions by themselves."
                )
        _refuse_pinned_path(self, names)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the unknown functions."""
        return tuple(self.unknowns)

    @property
    def t0(self) -> float:
        """The start of the interval."""
        return float(self.span[0])

    @property
    def length(self) -> float:
        """The length of the interval, or its first guess."""
        last = self.span[1]
        return float(last.guess if isinstance(last, FreeEnd) else last) - self.t0

    @property
    def free_end(self) -> bool:
        """Whether t₁ is free."""
        return isinstance(self.span[1], FreeEnd)

    @cached_property
    def compiled(self) -> CompiledFunctional:
        """The densities and their derivatives, compiled once."""
        integrals = [(x.name, x.function) for x in self.integrals]
        return CompiledFunctional(self.names, self.function, integrals, self.rows, self.parameters)

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """The boundary values (n,) at both ends, nan where they are free."""
        start, end = (np.array([side.get(name, np.nan) for name in self.names]) for side in (self.start, self.end))
        return start, end


def _values(given: object, names: tuple[str, ...], side: str) -> dict[str, float]:
    """Return boundary values by name. Raises InputError."""
    if not isinstance(given, Mapping):
        raise InputError(f"{side} must be a dict of values by name, got {given!r}.")
    unknown = [name for name in given if name not in names]
    if unknown:
        raise InputError(f"{side} names {unknown}; the unknowns are {', '.join(names)}.")
    return {name: scalar(x, f"{side} of {name!r}") for name, x in given.items()}


def _refuse_pinned_path(problem: VariationalProblem, names: tuple[str, ...]) -> None:
    """Raise InputError for what leaves nothing to solve: no given value at all, or a name of a condition twice."""
    if not problem.start and not problem.end:
        raise InputError("neither start nor end gives a value; the curve could lie anywhere.")
    conditions = [*(x.name for x in problem.integrals), *(row.name for row in problem.rows)]
    if len(set(conditions)) < len(conditions):
        raise InputError(f"the names of the integrals and rows must differ: {', '.join(conditions)}.")
    if both := sorted(set(conditions) & set(names)):
        raise InputError(f"{', '.join(both)} names both an unknown and an integral or a row; choose another name.")
