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

from gauss.analysis.equations import (
    COUNT,
    ClosedForm,
    ConstraintMatrix,
    ControlFields,
    Derivative,
    Equation,
    Hamiltonian,
    Integral,
    Lagrangian,
    Printed,
    Statement,
)
from gauss.analysis.mend import Mend, mends
from gauss.analysis.rows import Row, residual
from gauss.analysis.samples import RTOL, Sample, motion_sample, random_sample
from gauss.analysis.symbolic import neat
from gauss.analysis.world import World, table
from gauss.errors import InputError, ModelError
from gauss.model.functions import ModelFunction, as_scalar

FRESH = 1000  # added to the seed for the states at which mends are tested again
RANK = 1e-9  # singular values that count, relative to the largest


@dataclass(frozen=True)
class Verification:
    """The verdict on one printed statement."""

    statement: Statement
    source: str
    residual: float  # largest scaled residual of the printed form
    bound: float
    reason: str  # where the bound comes from
    states: int
    mends: tuple[Mend, ...]  # for a form that fails: what would make it hold
    corrected: float | None  # residual of the correct form, where one is given
    note: str  # what else is wrong: "rank 1, the rows have rank 2"

    @property
    def holds(self) -> bool:
        """Whether the printed form holds; a residual that is nan never does."""
        return bool(self.residual <= self.bound) and not self.note

    @property
    def settled(self) -> bool:
        """Whether nothing is left to explain: it holds, or it is a misprint whose correct form holds."""
        return self.holds or (self.corrected is not None and self.corrected <= self.bound)

    def __str__(self) -> str:
        head = f"{self.statement.number} {self.statement.name}".strip()
        if self.holds:
            return f"{head}: holds, {self.residual:.1e} (bound {self.bound:.1e})"
        found = "; ".join(str(mend) for mend in self.mends) or "no mend found"
        return f"{head}: FAILS, {self.residual:.1e}. {self.note or found}"


def verify(printed: Printed, *, count: int = COUNT, seed: int = 0, mending: bool = True) -> list[Verification]:
    """Return the verdict on every statement of a collection.

    Each is asked at `count` random admissible states (for several values of the system's parameters) and along the
    motion from the collection's state, where it has an end time; closed forms along the motion only. For one that
    fails, `mending` looks for the change of one term that makes it hold, and tests it again at fresh states.

    Raises InputError and ModelError for statements that cannot be evaluated.
    """
    world = World.of(printed)
    motion = motion_sample(printed, world)
    needed = any(not _along(statement) for statement in printed.claims)
    states = random_sample(printed, world, count, seed) if needed else None
    fresh = None
    found = []
    for statement in printed.claims:
        asked = _samples(printed, statement, states, motion)
        verdict, rows = _judge(printed, world, statement, asked)
        if mending and not verdict.holds and rows:
            if fresh is None and needed:
                fresh = random_sample(printed, world, count, seed + FRESH)
            again = [s for s in (fresh, motion) if s is not None] if not _along(statement) else asked
            changes = tuple(m for row in rows for m in mends(row, world, asked[0], again))
            verdict = replace(verdict, mends=changes)
        found.append(verdict)
    return found


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


def _judge(
    printed: Printed, world: World, statement: Statement, asked: Sequence[Sample]
) -> tuple[Verification, list[Row]]:
    """Return the verdict on one statement without mends, and its rows that fail."""
    rows = rows_of(printed, world, statement, statement_value(statement))
    corrected, failing, worst = None, [], 0.0
    for row in rows:
        errors = [residual(row, sample) for sample in asked]
        worst = _largest([worst, *errors])
        if not all(error <= sample.bound for error, sample in zip(errors, asked, strict=True)):
            failing.append(row)
    if statement.correct is not None:
        correct = rows_of(printed, world, statement, statement.correct)
        corrected = _largest([residual(row, sample) for row in correct for sample in asked])
    note = _rank_note(printed, world, statement, asked[0])
    bound, reason = max((sample.bound, sample.reason) for sample in asked)
    states = sum(sample.count for sample in asked)
    if failing:
        bound = min(sample.bound for sample in asked)
    return Verification(statement, printed.source, worst, bound, reason, states, (), corrected, note), failing


def _largest(values: Sequence[float]) -> float:
    """Return the largest value, nan if one is."""
    return float(np.max(np.array(values, dtype=float)))


def statement_value(statement: Statement) -> Any:
    """Return what is printed: a function, or a pair of sides."""
    if isinstance(statement, Equation):
        return (statement.left, statement.right)
    if isinstance(statement, ConstraintMatrix | ControlFields):
        return statement.matrix
    return statement.function  # type: ignore[attr-defined]


def rows_of(printed: Printed, world: World, statement: Statement, value: Any) -> list[Row]:
    """Return the rows of a statement in its printed or its correct form.

    Raises ModelError for functions that cannot be read as formulas, InputError for sides that do not match.
    """
    what = f"{statement.name!r}"
    if isinstance(statement, Equation):
        return _sides(world, value, what)
    if isinstance(statement, ClosedForm):
        (formula,) = world.trace(value, what)
        return [Row(statement.of, formula, -world.q[statement.of], "zero", world)]
    if isinstance(statement, Integral):
        (formula,) = world.trace(value, what)
        return [Row("", formula, sp.Integer(0), "rate", world)]
    if isinstance(statement, Derivative):
        return _derivative(world, statement, value, what)
    if isinstance(statement, Lagrangian | Hamiltonian):
        (formula,) = world.trace(value, what)
        T, V = _energies(printed, world)
        energy = T - V if isinstance(statement, Lagrangian) else T + V
        return [Row("", formula, -energy, "constant", world)]
    return _matrix_rows(printed, world, statement, value, what)


def _sides(world: World, value: Any, what: str) -> list[Row]:
    left, right = value if isinstance(value, tuple) else (value, 0.0)
    if isinstance(left, Mapping):
        parts = [(label, world.trace(f, f"{what}, term {label!r}")[0]) for label, f in left.items()]
        return [Row("", sp.Add(*(f for _, f in parts)), sp.Integer(0), "zero", world, tuple(parts))]
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


def _derivative(world: World, statement: Derivative, value: Any, what: str) -> list[Row]:
    """Return the row printed − ∂(of)/∂(by) for each entry; a value that is a string is another symbol."""
    by = value if isinstance(value, str) else statement.by
    printed = world.trace(statement.function if isinstance(value, str) else value, what)
    letter, _, name = by.partition(".")
    symbol = world.t if letter == "t" else {"q": world.q, "v": world.v, "p": world.p}[letter][name]
    found = [sp.diff(formula, symbol) for formula in world.trace(statement.of, what)]
    if len(printed) != len(found):
        raise InputError(f"{what} has {len(printed)} entries for {len(found)} derivatives.")
    labels = [f"[{k}]" if len(found) > 1 else "" for k in range(len(found))]
    return [Row(label, a, -b, "zero", world) for label, a, b in zip(labels, printed, found, strict=True)]


def _energies(printed: Printed, world: World) -> tuple[sp.Expr, sp.Expr]:
    """Return T and V of the system as formulas. Raises ModelError for a system that has no kinetic energy."""
    system = printed.system
    if system is None or system.kinetic_energy is None:
        raise ModelError(f"{printed.source}: a Lagrangian or Hamiltonian needs a system with a kinetic energy.")
    values = {"q": world.q, "v": world.v, "t": world.t, "p": world.p}
    T = neat(as_scalar(system.kinetic_energy(values), "the kinetic energy"))
    return T, neat(as_scalar(system.potential_energy(values), "the potential energy"))


def _entries(world: World, value: Any, what: str) -> list[list[sp.Expr]]:
    """Return the entries of a printed matrix as formulas."""
    given = ModelFunction.of(value, "qtp", what)({"q": world.q, "t": world.t, "p": world.p})
    return [[neat(entry) for entry in row] for row in given]


def _matrix_rows(printed: Printed, world: World, statement: Statement, value: Any, what: str) -> list[Row]:
    """Return the rows A q̇ = 0, or J G = 0 for control fields."""
    entries = _entries(world, value, what)
    system = printed.system
    if system is None:
        raise InputError(f"{what} needs a system.")
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


def _rank_note(printed: Printed, world: World, statement: Statement, sample: Sample) -> str:
    """Return what is wrong with the rank of a printed matrix, or nothing."""
    if not isinstance(statement, ConstraintMatrix | ControlFields) or printed.system is None:
        return ""
    entries = _entries(world, statement.matrix, f"{statement.name!r}")
    shape = len(entries), len(entries[0])
    given = table([x for row in entries for x in row], sample.values, sample.count).T.reshape(-1, *shape)
    J = table([x for row in world.rows for x in row], sample.values, sample.count).T.reshape(
        sample.count, len(world.rows), -1
    )
    wanted = int(np.min(np.linalg.matrix_rank(J, rtol=RANK)))
    if isinstance(statement, ControlFields):
        wanted = printed.system.n - wanted
    rank = int(np.min(np.linalg.matrix_rank(given, rtol=RANK)))
    return "" if rank == wanted else f"the printed matrix has rank {rank}, not {wanted}"
