"""`verify`: is a printed statement true of the system, and if not, which of its terms is wrong?

Every statement becomes rows. A row is a sum of terms once its products are multiplied out; its scaled residual is
|Σ terms| / Σ|terms|, the worst over the states, which is rounding for a true row and of order 1 for a false one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.dependence import unit_rank
from gauss.foundation.outcomes import Shown
from gauss.sources.equations import (
    COUNT,
    ClosedForm,
    ConstraintMatrix,
    ControlFields,
    Equation,
    Integral,
    Printed,
    Statement,
)
from gauss.sources.repair import LARGER, Mend, alternatives, is_identity, mends
from gauss.sources.rows import FEWEST, Row, residuals
from gauss.sources.samples import RTOL, Sample, motion_sample, random_sample
from gauss.sources.statement_rows import entries_of, rows_of, statement_value
from gauss.sources.symbols import SymbolSet, table

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
    entries = entries_of(printed, world, statement, value, f"{statement.name!r}")
    shape = len(entries), len(entries[0])
    given = table([x for row in entries for x in row], sample.values, sample.count).T.reshape(-1, *shape)
    J = table([x for row in world.rows for x in row], sample.values, sample.count).T.reshape(
        sample.count, len(world.rows), -1
    )
    wanted = min(unit_rank(x) for x in J)
    if isinstance(statement, ControlFields):
        wanted, given = printed.system.n - wanted, given.transpose(0, 2, 1)
    finite = [x for x in given if np.all(np.isfinite(x))]
    rank = min((unit_rank(x) for x in finite), default=0)
    return "" if rank == wanted else f"the printed matrix has rank {rank}, not {wanted}"
