"""Mechanisms whose parts depend on parameters: `parametric` makes one from a function that builds it.

The function is called with numbers for the mechanism itself, and with the symbols of the system's parameters when its
energies, rows and forces are traced. So all of them are functions of the parameters, compiled once, and everything else
that knows the mechanism has numbers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from inspect import Parameter, Signature, signature
from typing import Any

from gauss.bodies.equations import given_of
from gauss.errors import InputError
from gauss.foundation.arrays import names_of, scalar, symbols_allowed
from gauss.foundation.calls import advised
from gauss.foundation.portable import Portable
from gauss.model.compiled.trace import Symbols
from gauss.model.coordinates import Named
from gauss.model.functions import SEEN, ModelFunction

WHAT = "the function that builds the mechanism"
NUDGES = (0.0137, -0.0211)  # relative changes of the parameters at which rows are compared that the tree keeps
_LAST = threading.local()  # what was built last: one model function after the other asks with the same parameters


@dataclass(frozen=True, eq=False)
class Family(Portable):
    """What builds a mechanism from its parameters."""

    build: Callable[[Any], Any]
    names: tuple[str, ...]

    def mechanism(self, values: Mapping[str, float], coordinates: str | None = None) -> Any:
        """Return the mechanism for values of the parameters. Raises InputError."""
        given = Named(self.names, [float(values[name]) for name in self.names], "parameter")
        built = self.build(given)
        if not hasattr(built, "family"):
            raise InputError(f"parametric takes a function that returns a Mechanism, but it returned {built!r}.")
        changed: dict[str, Any] = {} if coordinates is None else {"coordinates": coordinates}
        return replace(built, parameters={**built.parameters, **values}, family=self, **changed)

    def given(self, p: Any, coordinates: str) -> dict[str, Any]:
        """Return coordinates, energies, rows and forces for symbols of the parameters."""
        known = getattr(_LAST, "known", None)
        if known is None or known[0] is not self or known[1] is not p or known[2] != coordinates:
            built = replace(ModelFunction(lambda p: self.build(p), ("p",), WHAT)({"p": p}), coordinates=coordinates)
            _LAST.known = known = (self, p, coordinates, given_of(built))
        return known[3]

    def functions(self, mechanism: Any, numeric: dict[str, Any]) -> dict[str, Any]:
        """Return energies, rows and forces as functions of the parameters; `numeric` are those for their numbers.

        Raises InputError where other parameters give other rows, or rows that the spanning tree keeps.
        """
        kind = mechanism.coordinates
        with symbols_allowed():
            given = self.given(Symbols.of((), tuple(mechanism.parameters), ()).named["p"], kind)
        rows, known = given["constraints"], numeric["constraints"]
        if [row.name for row in rows] != [row.name for row in known] or given["coordinates"] != numeric["coordinates"]:
            raise InputError(f"{mechanism.name!r} is built of other parts for other parameters; give it the same ones.")
        if kind == "joint":
            self._require_same(mechanism, known)
        found: dict[str, Any] = {
            word: self._function(given[word], (word,), kind)
            for word in ("kinetic_energy", "potential_energy", "force")
            if word in given
        }
        found["constraints"] = []
        for k, (row, other) in enumerate(zip(rows, known, strict=True)):
            kept = {field.name: _constant(getattr(other, field.name)) for field in fields(other)}
            found["constraints"].append(self._part(row, ("constraints", k), kind, kept))
        return found

    def _part(self, part: Any, path: tuple[Any, ...], kind: str, kept: Mapping[str, Any]) -> Any:
        """Return a constraint, a law of friction or a list of them with functions of the parameters."""
        if isinstance(part, list | tuple):
            return [self._part(each, (*path, k), kind, {}) for k, each in enumerate(part)]
        if not is_dataclass(part):
            return part
        changed: dict[str, Any] = {}
        for field in fields(part):
            value = getattr(part, field.name)
            if callable(value) and not isinstance(value, type):
                changed[field.name] = self._function(value, (*path, field.name), kind, kept.get(field.name, ()))
            elif isinstance(value, list | tuple) or is_dataclass(value):
                changed[field.name] = self._part(value, (*path, field.name), kind, {})
        return replace(part, **changed)  # type: ignore[type-var]

    def _function(
        self, function: Callable[..., Any], path: tuple[Any, ...], kind: str, constant: tuple[Any, ...] = ()
    ) -> Callable[..., Any]:
        takes = ModelFunction.of(function, SEEN, "a function").takes
        return Rebuilt(self, path, kind, takes, constant, hasattr(function, "may_vanish"))

    def _require_same(self, mechanism: Any, rows: Sequence[Any]) -> None:
        """Raise InputError where rows that the tree keeps, or what they are, depend on the parameters."""
        for nudge in NUDGES:
            values = {name: float(mechanism.parameters[name]) * (1.0 + nudge) + nudge for name in self.names}
            others = given_of(self.mechanism(mechanism.parameters | values, "joint"))["constraints"]
            for one, other in zip(rows, others, strict=True):
                if any(_constant(getattr(one, x.name)) != _constant(getattr(other, x.name)) for x in fields(one)):
                    raise InputError(
                        f"the row {one.name!r} of {mechanism.name!r} is kept by the spanning tree for some values of"
                        ' the parameters alone; give the mechanism coordinates="natural", or these parts numbers.'
                    )


def _constant(function: Any) -> Any:
    """Return the entries of a function that the spanning tree keeps."""
    return getattr(function, "constant", ()) if callable(function) else ()


def forget() -> None:
    """Drop what was built last."""
    _LAST.__dict__.clear()


@dataclass(frozen=True, eq=False)
class Rebuilt(Portable):
    """A model function of the mechanism that is built for the parameters."""

    family: Family
    path: tuple[Any, ...]
    kind: str
    takes: tuple[str, ...]
    constant: tuple[tuple[int, float], ...]
    may_vanish: bool

    def __post_init__(self) -> None:
        wanted = [name for name in SEEN if name in self.takes or name == "p"]
        signature = Signature([Parameter(name, Parameter.KEYWORD_ONLY) for name in wanted])
        object.__setattr__(self, "__signature__", signature)

    def __call__(self, p: Any, **given: Any) -> Any:
        """Call the function for the parameters p."""
        values = dict(given) | ({"p": p} if "p" in self.takes else {})
        with symbols_allowed():
            found: Any = self.family.given(p, self.kind)
            if self.path == ("force",) and "force" not in found:  # all dampings are zero
                return {}
            for step in self.path:
                found = found[step] if isinstance(found, list | tuple | dict) else getattr(found, step)
            found = found(**{name: values[name] for name in self.takes})
        if self.constant:
            found = list(found)
            for k, value in self.constant:
                found[k] = value
        return found


@advised
def parametric(build: Callable[[Any], Any], **values: float) -> Any:
    """Return the `Mechanism` that `build(p)` makes, with the named values as parameters of its system.

    In `build` the points and axes of joints, points of springs and forces, lengths, stiffnesses, dampings, and the
    masses, centres and moments of inertia of bodies may be expressions of ``p.l``, with functions as `gauss.sqrt`;
    those of a body in space in ``mb.Inertia.of_tensor(p.m, (p.J1, p.J2, p.J3), centre=(p.a, 0, 0))``, or its mass alone
    in ``mb.box(1.0, …).scaled(p.m)``. What it builds has the same parts for all values.

    A sweep over these parameters compiles once, and `mechanism.with_parameters(l=0.4)` is the mechanism for other
    values. A joint has the numbers of the mechanism that it is taken from: `reaction` and the columns of a run take
    those of the run, but for ``joint.value(run)`` use the joints of ``run.setting.system.source``. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> def build(p):
    ...     bar = mb.PlanarBody("bar", p.m, inertia=p.m * p.l**2 / 12.0, centre=(p.l / 2.0, 0.0))
    ...     return mb.Mechanism("pendulum", [bar], [mb.Pin("pin", mb.GROUND, (0, 0), bar, (0, 0))])
    >>> held = mb.parametric(build, m=2.0, l=1.0)
    >>> q, v = held.state(held.bodies[0].pose())
    >>> short = held.with_parameters(l=0.5)
    >>> [round(g.accelerate(each, q, v).acceleration.bar_s, 9) for each in (held, short)]  # −3g/2l
    [-14.715, -29.43]
    """
    names = names_of(list(values), "the parameters")
    if not names:
        raise InputError("parametric takes the values of the parameters by name, parametric(build, l=0.3).")
    given = {name: scalar(values[name], f"the parameter {name!r}") for name in names}
    taken = next(iter(signature(build).parameters), "") if callable(build) else ""
    if taken in given:  # it takes the number itself, as `gauss.sweep` gives it
        raise InputError(
            f"parametric gives all parameters to its function as one argument p, but the first of this one is"
            f" {taken!r}: write parametric(lambda p: {getattr(build, '__name__', 'build')}(p.{taken}), {taken}=…)."
        )
    return Family(build, tuple(names)).mechanism(given)
