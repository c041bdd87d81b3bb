"""The rows of printed statements: formulas that must vanish, or be constant, on admissible states, kind by kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from gauss.errors import InputError, ModelError
from gauss.model.functions import ModelFunction, as_rows, as_scalar
from gauss.sources.equations import (
    ClosedForm,
    ConstraintMatrix,
    ControlFields,
    Derivative,
    EqualFormula,
    Equation,
    Integral,
    Lagrangian,
    Printed,
    Statement,
)
from gauss.sources.rows import Row
from gauss.sources.symbols import SymbolSet, formula_of


def statement_value(statement: Statement) -> Any:
    """Return what is printed: a function, or a pair of sides."""
    if isinstance(statement, Equation):
        return (statement.left, statement.right)
    if isinstance(statement, ConstraintMatrix | ControlFields):
        return statement.matrix
    return statement.function  # type: ignore[attr-defined]


def rows_of(printed: Printed, world: SymbolSet, statement: Statement, value: Any) -> list[Row]:
    """Return the rows of a statement in its printed or its correct form.

    Raises ModelError for functions that cannot be read as formulas, InputError for sides that do not match.
    """
    what = f"{printed.source}: {statement.name!r}"
    return [replace(row, what=what) for row in _rows_of_kind(printed, world, statement, value, what)]


def _rows_of_kind(printed: Printed, world: SymbolSet, statement: Statement, value: Any, what: str) -> list[Row]:
    if isinstance(statement, Equation):
        return _sides(world, value, what)
    if isinstance(statement, ConstraintMatrix | ControlFields):
        return _matrix_rows(printed, world, statement, value, what)
    if isinstance(statement, Derivative):
        return _derivative(world, statement, value, what)
    if isinstance(statement, EqualFormula):
        parts = _labelled(world, value, what) if isinstance(value, Mapping) else ()
        own = sp.Add(*(f for _, f in parts)) if parts else world.one(value, what)
        kind = "constant" if statement.constant else "zero"
        return [Row("", own, -world.one(statement.of, f"{what}, what it is equal to"), kind, world, parts)]
    formula = world.one(value, what)
    if isinstance(statement, ClosedForm):
        _require_symbols(formula, {world.t, *world.p}, what, "a closed form is a function of t and p")
        if statement.of not in world.names:
            raise InputError(f"{what} is of {statement.of!r}; known: {', '.join(world.names)}.")
        return [Row(statement.of, formula, -world.q[statement.of], "zero", world)]
    if isinstance(statement, Integral):
        _require_symbols(
            formula, {world.t, *world.q, *world.v, *world.p}, what, "an integral is a function of q, v, t and p"
        )
        return [Row("", formula, sp.Integer(0), "rate", world)]
    return [Row("", formula, -_energy(printed, world, isinstance(statement, Lagrangian)), "constant", world)]


def _require_symbols(formula: sp.Expr, allowed: set[sp.Symbol], what: str, rule: str) -> None:
    """Raise InputError for a formula that names more than it may."""
    others = sorted(str(x) for x in formula.free_symbols - allowed)
    if others:
        raise InputError(f"{what} names {', '.join(others)}; {rule}.")


def _sides(world: SymbolSet, value: Any, what: str) -> list[Row]:
    left, right = value if isinstance(value, tuple) else (value, 0.0)
    if isinstance(left, Mapping):
        if callable(right) or right != 0.0:
            raise InputError(f"{what} has labelled terms, whose sum is zero; make the right side one of them.")
        parts = _labelled(world, left, what)
        return [Row("", sp.Add(*(f for _, f in parts)), sp.Integer(0), "zero", world, parts)]
    lefts, rights = world.trace(left, what), world.trace(right, what)
    if len(rights) == 1:
        rights = rights * len(lefts)
    if len(lefts) != len(rights):
        raise InputError(f"{what} has {len(lefts)} left and {len(rights)} right sides.")
    zero = sp.Integer(0)
    sides = [
        (("the left side", a), ("the right side", -b)) if b != 0 else () for a, b in zip(lefts, rights, strict=True)
    ]
    return [
        Row(label, a - b, zero, "zero", world, named)
        for label, a, b, named in zip(_labels(lefts), lefts, rights, sides, strict=True)
    ]


def _labels(formulas: Sequence[sp.Expr]) -> list[str]:
    """Return what several formulas are told apart by."""
    return [f"[{k}]" if len(formulas) > 1 else "" for k in range(len(formulas))]


def _labelled(world: SymbolSet, terms: Mapping[str, Any], what: str) -> tuple[tuple[str, sp.Expr], ...]:
    """Return terms by label as formulas. Raises InputError where there is none."""
    if not terms:
        raise InputError(f"{what} has no terms.")
    return tuple((str(label), world.one(f, f"{what}, term {label!r}")) for label, f in terms.items())


def _derivative(world: SymbolSet, statement: Derivative, value: Any, what: str) -> list[Row]:
    """Return the row printed − ∂(of)/∂(by) for each entry; a value that is a string is another symbol."""
    by = value if isinstance(value, str) else statement.by
    printed = world.trace(statement.function if isinstance(value, str) else value, what)
    letter, _, name = by.partition(".") if isinstance(by, str) else ("", "", "")
    vectors = {"q": world.q, "v": world.v, "p": world.p}
    if by != "t" and not (letter in vectors and name):
        raise InputError(f"{what} is a derivative by {by!r}; give the symbol as 'q.r', 'v.r', 'p.m' or 't'.")
    symbol = world.t if by == "t" else vectors[letter][name]
    found = [sp.diff(formula, symbol) for formula in world.trace(statement.of, what)]
    if len(printed) != len(found):
        raise InputError(f"{what} has {len(printed)} entries for {len(found)} derivatives.")
    return [Row(label, a, -b, "zero", world) for label, a, b in zip(_labels(found), printed, found, strict=True)]


def energies(printed: Printed, world: SymbolSet) -> tuple[sp.Expr, sp.Expr]:
    """Return T and V of the system of a collection. Raises ModelError for one that has no kinetic energy."""
    system = printed.system
    if system is None or system.kinetic_energy is None:
        raise ModelError(
            f"{printed.source}: an energy, Lagrangian or Hamiltonian needs a system with a kinetic energy."
        )
    values = {"q": world.q, "v": world.v, "t": world.t, "p": world.p}
    T = formula_of(as_scalar(system.kinetic_energy(values), "the kinetic energy"), "the kinetic energy")
    V = formula_of(as_scalar(system.potential_energy(values), "the potential energy"), "the potential energy")
    return T, V


def _energy(printed: Printed, world: SymbolSet, lagrangian: bool) -> sp.Expr:
    """Return T − V, or v·∂T/∂v − T + V, of the system. Raises what `energies` does.

    T = T₂ + T₁ + T₀ by powers of the velocities, so the Hamiltonian T₂ − T₀ + V is T − T₁ − 2T₀ + V.
    """
    T, V = energies(printed, world)
    if lagrangian:
        return T - V
    rest = dict.fromkeys(world.v, 0)
    linear = sp.Add(*(x * sp.diff(T, x).subs(rest) for x in world.v))
    return T - linear - 2 * T.subs(rest) + V


def entries_of(printed: Printed, world: SymbolSet, statement: Statement, value: Any, what: str) -> list[list[sp.Expr]]:
    """Return the entries of a printed matrix as formulas. Raises InputError and ModelError for other shapes."""
    system = printed.system
    if system is None or not world.rows:
        raise InputError(f"{what} needs a system with constraint rows.")
    given = ModelFunction.of(value, "qtp", what)({"q": world.q, "t": world.t, "p": world.p})
    if isinstance(statement, ConstraintMatrix):
        return [[formula_of(entry, what) for entry in row] for row in as_rows(given, system.coordinates, what)]
    columns = given.tolist() if isinstance(given, np.ndarray) else given
    rows = [list(row) for row in columns] if isinstance(columns, list | tuple) and _nested(columns) else []
    if len(rows) != system.n or len({len(row) for row in rows}) > 1 or not rows[0]:
        raise InputError(
            f"{what} is a matrix of {system.n} rows ({', '.join(system.coordinates)}) of equal length, got {given!r}."
        )
    return [[formula_of(entry, what) for entry in row] for row in rows]


def _nested(value: Sequence[Any]) -> bool:
    return all(isinstance(row, list | tuple) for row in value)


def _matrix_rows(printed: Printed, world: SymbolSet, statement: Statement, value: Any, what: str) -> list[Row]:
    """Return the rows A q̇ = 0, or J G = 0 for control fields."""
    entries, system = entries_of(printed, world, statement, value, what), printed.system
    assert system is not None
    zero = sp.Integer(0)
    if isinstance(statement, ConstraintMatrix):
        return [
            Row(f"row {i + 1}", sp.Add(*(x * world.v[j] for j, x in enumerate(row))), zero, "zero", world)
            for i, row in enumerate(entries)
        ]
    return [
        Row(
            f"{system.row_names[k]} times column {i + 1}",
            sp.Add(*(world.rows[k][j] * entries[j][i] for j in range(len(entries)))),
            zero,
            "zero",
            world,
        )
        for i in range(len(entries[0]))
        for k in range(len(world.rows))
    ]
