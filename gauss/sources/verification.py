"""`verify`: is a printed statement true of the system, and if not, which of its terms is wrong?

Every statement becomes rows: formulas that must vanish (or be constant) on admissible states. A row is a sum of terms
once its products are multiplied out; its scaled residual is |Σ terms| / Σ|terms|, the worst over the states, which is
rounding for a true row and of order 1 for a false one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from gauss.errors import InputError, ModelError
from gauss.foundation.arrays import Array, unit_rows
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import DEPENDENT
from gauss.model.functions import ModelFunction, as_rows, as_scalar
from gauss.sources.equations import (
    COUNT,
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
from gauss.sources.repair import LARGER, Mend, alternatives, is_identity, mends
from gauss.sources.rows import FEWEST, Row, residuals
from gauss.sources.samples import RTOL, Sample, motion_sample, random_sample
from gauss.sources.symbols import SymbolSet, formula_of, table

FRESH = 1000  # added to the seed for the states at which mends are tested again


@dataclass(frozen=True, repr=False)
class Verification(Shown):
    """The verdict on one printed statement.

    >>> import gauss as g
    >>> from gauss.sources import EqualFormula, Printed
    >>> cart = g.System("cart", "x", kinetic_energy=lambda v: v.x**2)
    >>> claim = EqualFormula("T", of=lambda v: v.x**2, function=lambda v: v.x**2)
    >>> g.sources.verify(Printed("notes", [claim], cart, q=[0]), count=9)[0].holds
    True
    """

    statement: Statement
    source: str
    residual: float  # largest scaled residual of the printed form
    bound: float
    reason: str  # where the bound comes from
    states: int  # at which it was finite, and so was asked
    left_out: int  # states at which it is not finite
    identity: bool  # it holds for any numbers, so that it says nothing of the motion
    mends: tuple[Mend, ...]  # for a form that fails: what would make it hold
    corrected: float | None  # residual of the correct form, where one is given
    mended: bool  # whether that correct form holds
    note: str  # what else is wrong: "rank 1, the rows have rank 2"
    given: str = ""  # where it holds at the given parameters and at no others: what is to be said of that

    @property
    def holds(self) -> bool:
        """Whether the printed form holds; a residual that is nan never does."""
        return bool(self.residual <= self.bound) and not self.note

    @property
    def settled(self) -> bool:
        """Whether nothing is left to explain: it holds, or it is a misprint whose correct form holds."""
        return self.holds or self.mended

    def __str__(self) -> str:
        head = f"{self.statement.number} {self.statement.name}".strip()
        if self.holds:
            word = "holds, an identity that says nothing of the motion" if self.identity else "holds"
            word = f"{word} {self.given}" if self.given else word
            return f"{head}: {word}, {self.residual:.1e} (bound {self.bound:.1e})"
        found = "; ".join(alternatives(self.mends)) or "no mend found"
        also = f"; it holds {self.given}" if self.given else ""
        return f"{head}: FAILS, {self.residual:.1e}. {self.note or found}{also}"


class Verifications(list[Verification], Shown):
    """A list of verdicts, each a `Verification`, which prints a line for each; a notebook shows it as a table."""

    def __str__(self) -> str:
        return "\n".join(f"{'✓' if entry.holds else '✗'} {entry}" for entry in self)

    __repr__ = __str__


def verify(printed: Printed, *, count: int = COUNT, seed: int = 0, mending: bool = True) -> Verifications:
    """Return the verdict on every statement of a collection, a list that prints a line for each.

    Each is asked at `count` random admissible states (for several values of the system's parameters) and along the
    motion from the collection's state, where it has an end time; closed forms along the motion only. One that names no
    parameter, as numbers are written in their place, need hold at the given parameters only; `given` then says so. For
    one that fails, `mending` looks for the change of one term that makes it hold, and tests it again at fresh states.

    Raises InputError and ModelError for statements that cannot be evaluated.

    >>> import gauss as g
    >>> cart = g.System("cart", "x", kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: 4 * q.x**2)
    >>> claim = g.sources.Equation("equation of motion", left=lambda a: 2 * a.x, right=lambda q: 8 * q.x)
    >>> found = g.sources.verify(g.sources.Printed("my notes", [claim], cart, q=[0.1]), count=9)
    >>> found[0].holds, found[0].mends[0].kind
    (False, 'sign')
    """
    _require_statements(printed, count, seed)
    world = SymbolSet.of(printed)
    motion = motion_sample(printed, world)
    needed = any(not _along(statement) for statement in printed.claims)
    states = random_sample(printed, world, count, seed) if needed else None
    fresh = None
    found = Verifications()
    for statement in printed.claims:
        asked = _samples(printed, statement, states, motion)
        verdict, rows = _judge(printed, world, statement, asked)
        if mending and not verdict.holds and rows and not _undetermined_note(rows, asked[0]):
            if fresh is None and needed:
                fresh = random_sample(printed, world, count, seed + FRESH)
            again = [s for s in (fresh, motion) if s is not None] if not _along(statement) else asked
            changes = tuple(m for row in rows for m in _mends(printed, row, world, asked[0], again))
            verdict = replace(verdict, mends=changes)
        found.append(verdict)
    return found


def _require_statements(printed: Printed, count: int, seed: int) -> None:
    """Raise InputError for what is no collection of statements, and for numbers of states and seeds that are none."""
    if not isinstance(printed, Printed):
        raise InputError(f"verify takes a Printed collection, got {type(printed).__name__}.")
    kinds = Statement.__subclasses__()
    wrong = [x for x in printed.claims if not isinstance(x, tuple(kinds))]
    if wrong or not printed.claims:
        found = f"a {type(wrong[0]).__name__} among its statements" if wrong else "no statements"
        names = ", ".join(kind.__name__ for kind in kinds)
        raise InputError(f"{printed.source}: {found}; a statement is one of {names}.")
    for what, value, least in (("count", count, 1), ("seed", seed, 0)):
        if not isinstance(value, int) or value < least:
            raise InputError(f"{what} must be a whole number of at least {least}, but is {value!r}.")


def _along(statement: Statement) -> bool:
    return isinstance(statement, ClosedForm) or (isinstance(statement, Equation) and statement.along)


def _samples(printed: Printed, statement: Statement, states: Sample | None, motion: Sample | None) -> list[Sample]:
    """Return the samples at which a statement is asked, those that a mend is looked for on first."""
    if _along(statement):
        if motion is None:
            raise InputError(f"{printed.source}: {statement.name!r} needs a motion; give the collection a t_end.")
        reason = f"the integrator: {motion.drift / RTOL:.0f} steps that err by {RTOL:g} each"
        return [replace(motion, bound=max(motion.bound, motion.drift), reason=reason)]
    return [sample for sample in (states, motion) if sample is not None]


def _at_given(printed: Printed, world: SymbolSet, samples: Sequence[Sample]) -> list[Sample]:
    """Return the states of samples that have the parameters of the system as given."""
    known = {world.p[x]: printed.system.parameters[x] for x in world.varied} if printed.system is not None else {}
    return [sample.at_given(known) for sample in samples]


def _unwritten(rows: Sequence[Row], world: SymbolSet) -> list[str]:
    """Return the parameters of the system that printed rows do not name."""
    named = {x for row in rows for x in row.own.free_symbols}
    return [x for x in world.varied if world.p[x] not in named]


def _mends(printed: Printed, row: Row, world: SymbolSet, sample: Sample, again: Sequence[Sample]) -> list[Mend]:
    """Return the mends of a row; one that names no parameter is mended as one with numbers in their place too."""
    found = mends(row, world, sample, again)
    if not world.varied or len(_unwritten([row], world)) < len(world.varied) or (found and found[0].cost < LARGER):
        return found
    given, *fresh = _at_given(printed, world, [sample, *again])
    other = mends(row, world, given, fresh, small=True) if given.count >= FEWEST else []
    return other if other and (not found or other[0].cost < found[0].cost) else found


def _judge(
    printed: Printed, world: SymbolSet, statement: Statement, asked: Sequence[Sample]
) -> tuple[Verification, list[Row]]:
    """Return the verdict on one statement without mends, and its rows that fail."""
    rows = rows_of(printed, world, statement, statement_value(statement))
    failing, worst, states = _asked(rows, asked)
    note = _rank_note(printed, world, statement_value(statement), statement, asked[0])
    note = note or _undetermined_note(failing, asked[0])
    corrected, mended = None, False
    if statement.correct is not None:
        wrong, corrected, _ = _asked(rows_of(printed, world, statement, statement.correct), asked)
        mended = not wrong and not _rank_note(printed, world, statement.correct, statement, asked[0])
    bound, reason = max((sample.bound, sample.reason) for sample in asked)
    said = ""
    if failing and world.varied:
        unwritten, given = _unwritten(failing, world), _at_given(printed, world, asked)
        enough = min(sample.count for sample in given) >= FEWEST
        wrong, at_given, count = _asked(rows, given) if enough else (failing, worst, states)
        if not wrong:
            remedy = f": write {', '.join(f'p.{x}' for x in unwritten)} to have it checked for all" if unwritten else ""
            said = f"at the given numbers only{remedy}"
        if not wrong and len(unwritten) == len(world.varied):
            failing, worst, asked, states = [], at_given, given, count
    if failing:
        bound = min(sample.bound for sample in asked)
    says_nothing = _identity(statement, rows, asked[0]) and not failing
    left_out = sum(sample.count for sample in asked) - states
    return Verification(
        statement,
        printed.source,
        worst,
        bound,
        reason,
        states,
        left_out,
        says_nothing,
        (),
        corrected,
        mended,
        note,
        said,
    ), failing


def _asked(rows: Sequence[Row], asked: Sequence[Sample]) -> tuple[list[Row], float, int]:
    """Return the rows that fail, the largest residual of all (nan if one is), and how many states all rows have."""
    failing, worst, states = [], 0.0, 0
    for sample in asked:
        found = [residuals(row, sample) for row in rows]
        errors = [float(np.max(x)) for x in found]
        failing += [row for row, x in zip(rows, errors, strict=True) if not x <= sample.bound and row not in failing]
        worst = float(np.max([worst, *errors]))
        states += min(len(x) for x in found)
    return failing, worst, states


def _identity(statement: Statement, rows: Sequence[Row], sample: Sample) -> bool:
    """Whether an equation or an integral holds for any numbers in place of those of a motion."""
    if sample.identity or not isinstance(statement, Equation | Integral):
        return False
    return all(is_identity(row, sample, False) for row in rows)


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
    labels = [f"[{k}]" if len(lefts) > 1 else "" for k in range(len(lefts))]
    zero = sp.Integer(0)
    sides = [
        (("the left side", a), ("the right side", -b)) if b != 0 else () for a, b in zip(lefts, rights, strict=True)
    ]
    return [
        Row(label, a - b, zero, "zero", world, named)
        for label, a, b, named in zip(labels, lefts, rights, sides, strict=True)
    ]


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
    labels = [f"[{k}]" if len(found) > 1 else "" for k in range(len(found))]
    return [Row(label, a, -b, "zero", world) for label, a, b in zip(labels, printed, found, strict=True)]


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


def _entries(printed: Printed, world: SymbolSet, statement: Statement, value: Any, what: str) -> list[list[sp.Expr]]:
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
    entries, system = _entries(printed, world, statement, value, what), printed.system
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


def _undetermined_note(failing: Sequence[Row], sample: Sample) -> str:
    """Return which multipliers in rows that fail are not determined, or nothing."""
    named = {x for row in failing for x in row.own.free_symbols} & sample.undetermined
    if not named:
        return ""
    return f"{', '.join(sorted(map(str, named)))} not determined: these rows depend on one another"


def _rank_note(printed: Printed, world: SymbolSet, value: Any, statement: Statement, sample: Sample) -> str:
    """Return what is wrong with the rank of a matrix, printed or correct, or nothing."""
    if not isinstance(statement, ConstraintMatrix | ControlFields) or printed.system is None:
        return ""
    entries = _entries(printed, world, statement, value, f"{statement.name!r}")
    shape = len(entries), len(entries[0])
    given = table([x for row in entries for x in row], sample.values, sample.count).T.reshape(-1, *shape)
    J = table([x for row in world.rows for x in row], sample.values, sample.count).T.reshape(
        sample.count, len(world.rows), -1
    )
    wanted = min(_rank(x) for x in J)
    if isinstance(statement, ControlFields):
        wanted, given = printed.system.n - wanted, given.transpose(0, 2, 1)
    finite = [x for x in given if np.all(np.isfinite(x))]
    rank = min((_rank(x) for x in finite), default=0)
    return "" if rank == wanted else f"the printed matrix has rank {rank}, not {wanted}"


def _rank(rows: Array) -> int:
    """Return the rank of rows (m, n) of any unit."""
    return int(np.linalg.matrix_rank(unit_rows(rows), rtol=DEPENDENT))
