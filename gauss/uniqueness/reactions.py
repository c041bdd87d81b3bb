"""Reactions: which multipliers are determined, between which values the others lie, and what their totals are.

The reaction force Jᵀλ = M a − f is unique whenever a is. The multipliers that make it up form the polyhedron

    {λ : Jᵀλ = M a − f,  λ ≥ 0 at lower bounds,  λ ≤ 0 at upper bounds,  λ = 0 where a row has slack},

a single point when the rows that may carry a reaction are independent. Otherwise the range of each multiplier is found
by two linear programs. It may be a point although the rows are dependent (rows (1, 0), (0, 1), (1, 1), all ≥, with the
reaction (1, 0)), and it may be infinite (a joint given twice).

Which combinations of rows vanish is decided where rows and columns are balanced, so that light bodies count beside
heavy ones (`gauss.foundation.dependence`). Widths of ranges are judged on rows of unit length in the mass metric, where
a multiplier is the size of its row's reaction force, and relative to the size of the terms of the equation of motion.
Neither depends on the units of rows, masses, lengths or times, nor on the coordinates, as long as the mass matrix is
definite.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy

from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, Indices
from gauss.foundation.calls import advised
from gauss.foundation.dependence import dependence, dependent_sets
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import EPS
from gauss.model.rows import Rows
from gauss.principle import GaussSolution
from gauss.principle.certificate import Residuals
from gauss.principle.closing import concerned
from gauss.principle.rank import rounding_of
from gauss.principle.sparse import SparseProblem
from gauss.uniqueness.ranges import (
    CERTIFIED,
    SMALL,
    Bundle,
    least,
    ranges,
    resized,
    splitting,
    vanishing,
    vanishing_among,
    within,
)


@dataclass(frozen=True, repr=False)
class Reactions(Shown):
    """The multipliers that fit one acceleration: their ranges, one choice, and the totals that are unique."""

    rows: tuple[str, ...]  # (m,)
    multipliers: Array  # (m,) the certificate's λ where determined, the choice elsewhere; in the rows' own units
    low: Array  # (m,) least value, −inf if unbounded
    high: Array  # (m,) greatest value, +inf if unbounded
    determined: Flags  # (m,) whether low and high agree
    forces: Array  # (m, n) reaction force J_kᵀλ_k of each row, of the choice
    force_determined: Flags  # (m,) whether that force is unique; a row that vanishes has the force 0 for any λ
    share: Array  # (m,) size of each row's force over that of the whole reaction, in the mass metric; of the choice
    reaction: Array  # (n,) Jᵀλ, unique
    choice: str  # what `multipliers` are where they are not determined
    dependent: tuple[tuple[str, ...], ...]  # minimal dependent sets among the rows that may carry a reaction
    groups: tuple[tuple[str, ...], ...]  # the smallest sets of undetermined rows whose total force is unique
    group_reaction: Array  # (len(groups), n) that total, Σ J_kᵀλ_k over the group
    accuracy: float  # of the ranges, relative to the reaction; inf if a linear program found no certified answer
    open: tuple[str, ...] = ()  # rows whose multipliers (nan) hang on residuals of the state that are not closed
    assumed: bool = False  # rows given as numbers without residuals: the state is taken to satisfy them exactly

    @property
    def unique(self) -> bool:
        """Whether every multiplier is determined."""
        return bool(np.all(self.determined))

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Names of the rows whose multiplier is not determined."""
        return tuple(name for name, known in zip(self.rows, self.determined, strict=True) if not known)

    def range_of(self, row: str) -> tuple[float, float]:
        """Return the least and the greatest multiplier of a row. Raises InputError for unknown names."""
        k = self._index(row)
        return float(self.low[k]), float(self.high[k])

    def force_of(self, row: str) -> Array:
        """Return the reaction force J_kᵀλ_k (n,) of a row, of the choice. Raises InputError for unknown names."""
        return np.asarray(self.forces[self._index(row)])

    def _index(self, row: str) -> int:
        if row not in self.rows:
            raise InputError(f"no row is called {row!r}; the rows are {', '.join(map(repr, self.rows)) or 'none'}.")
        return self.rows.index(row)

    @property
    def sentence(self) -> str:
        """What is unique and what is not, in words."""
        if not self.rows:
            return "no rows: there is no reaction."
        if self.open:
            return (
                f"not determined until the loops are closed: {_listed(self.open)}. Whether these rows are independent"
                " hangs on less than the residuals of the state leave open of them."
            )
        return self._of_exact_rows + (" The state is taken to satisfy the rows exactly." if self.assumed else "")

    @property
    def _of_exact_rows(self) -> str:
        if self.unique:
            if not self.dependent:
                return "all multipliers are determined: the rows that may carry a reaction are independent."
            return (
                "all multipliers are determined, although the rows that may carry a reaction are dependent: their signs"
                " leave no other values."
            )
        text = f"not determined: {_listed(self.undetermined)}. The total reaction force is unique"
        if self.groups:
            text += ", and so is that of " + " and that of ".join(" + ".join(map(repr, set_)) for set_ in self.groups)
        if not np.isfinite(self.accuracy):
            text += ". A linear program failed: ranges that are infinite may be wider than need be"
        elif self.accuracy > SMALL:
            text += f". The ranges are accurate to {self.accuracy:.1g} of the reaction only"
        return text + "."

    def _word(self, k: int) -> str:
        return "determined" if self.determined[k] else "not decided" if self.rows[k] in self.open else "a choice"

    def _in_a_line(self) -> str:
        return self.sentence

    def __str__(self) -> str:
        lines: list[tuple[str, ...]] = [("row", "from", "to", "multiplier", "share", "")]
        for k, name in enumerate(self.rows):
            numbers = (f"{x:.6g}" for x in (self.low[k], self.high[k], self.multipliers[k]))
            lines.append((name, *numbers, f"{self.share[k]:.3g}", self._word(k)))
        width = [max(len(line[j]) for line in lines) for j in range(6)]
        table = [
            "  ".join([line[0].ljust(width[0]), *(line[j].rjust(width[j]) for j in range(1, 5)), line[5]]).rstrip()
            for line in lines
        ]
        return "\n".join([*table, f"multipliers    {self.choice}", self.sentence])


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(repr, names))


@advised
def reactions(solution: GaussSolution, extra: Rows | None = None, rank_tolerance: float | None = None) -> Reactions:
    """Return the range of each multiplier of a certified minimiser, a choice among them, and the unique totals.

    `extra` are rows that the acceleration obeys besides those of its problem (such as conditions of higher order at a
    crossing); their multipliers are ranged with the others. Rows are dependent by the noise of their entries;
    where they are so up to an error of the state only, give `rank_tolerance`: singular values of the unit rows in
    the mass metric below it times the largest then count as zero.

    Bounds are touched within the rounding that the certificate allows. The ranges are recomputed from the vertex and
    the dual vertex at which a linear program ends; `accuracy` is the larger of their disagreement and of what rounding
    leaves of the vanishing combinations. Where M is only semidefinite the choice depends on the scaling of the rows.

    Raises InputError for anything but a GaussSolution, for extra rows that do not fit, and if no multipliers of the
    right sign give M a − f. Whether a itself is unique is not examined here.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ... )
    >>> print(g.reactions(g.accelerate(pendulum, [0, -1]).solution))
    row    from      to  multiplier  share
    rod  -4.905  -4.905      -4.905      1  determined
    multipliers    unique: every multiplier is determined
    all multipliers are determined: the rows that may carry a reaction are independent.
    """
    if not isinstance(solution, GaussSolution):
        raise InputError(
            f"reactions expects a GaussSolution, got {type(solution).__name__}; see gauss.principle.solve."
        )
    rows = solution.problem.rows if extra is None else _stacked(solution.problem.rows, extra, solution.problem.n)
    pressing = _pressing(solution, rows, extra is not None)
    unsure, k = solution.problem.unsure, pressing.index
    noise = rounding_of(solution.problem.metric, rows.J[k]) if rows.noise is None else rows.noise[k]
    if rank_tolerance is None:
        decided = dependence(rows.J[k], noise)
        balanced, blur = vanishing_among(decided)
        size = pressing.length * decided.rows  # of a multiplier of balanced rows, in the metric
    else:
        (balanced, blur), size = vanishing(pressing.unit, rank_tolerance), np.ones(len(k))
    found = _ranged(solution, rows, pressing, balanced, size, blur)
    if extra is not None:
        found = replace(found, reaction=solution.problem.M @ solution.a - solution.problem.f)
    if unsure is None:
        return replace(found, assumed=set(rows.kinds) == {"row"})
    entries = np.vstack([unsure, np.zeros((len(rows) - len(unsure), rows.J.shape[1]))])[k]
    return _left_open(found, k[concerned(rows.J[k], entries, noise)])


def _ranged(
    solution: GaussSolution, rows: Rows, pressing: _Pressing, balanced: Array, size: Array, blur: float
) -> Reactions:
    """Return the ranges of the multipliers of pressing rows, a choice among them, and the totals that are unique.

    `balanced` (k, d) are combinations of balanced rows that vanish up to `blur`, `size` (k,) those of the multipliers
    of such rows in the metric.
    """
    null = resized(balanced, size)
    bundle = Bundle(pressing.start, null, pressing.sign)
    low, high, gap = ranges(bundle)
    fixed = high - low <= SMALL
    narrow = fixed & np.all(np.abs(null) <= SMALL, axis=1)  # whatever the others are
    free = resized(within(balanced, fixed & ~narrow), np.where(narrow, 0.0, size))
    chosen, choice = least(bundle._replace(null=free))
    low[fixed] = high[fixed] = chosen[fixed] = pressing.start[fixed]
    names = tuple(rows.names[k] for k in pressing.index)
    groups = splitting(free)
    multipliers = pressing.of_rows(chosen, len(rows))
    forces = rows.J * multipliers[:, None]
    determined, share = np.ones(len(rows), dtype=bool), np.zeros(len(rows))
    determined[pressing.index] = fixed
    share[pressing.index] = np.abs(chosen) * np.any(pressing.unit != 0.0, axis=1)
    totals = [forces[pressing.index[group]].sum(axis=0) for group in groups]
    return Reactions(
        rows=rows.names,
        multipliers=multipliers,
        low=pressing.of_rows(low, len(rows)),
        high=pressing.of_rows(high, len(rows)),
        determined=determined,
        forces=forces,
        force_determined=determined | ~np.any(rows.J != 0.0, axis=1),
        share=share,
        reaction=solution.reaction,
        choice=choice,
        dependent=tuple(tuple(names[j] for j in found) for found in dependent_sets(balanced)),
        groups=tuple(tuple(names[k] for k in group) for group in groups),
        group_reaction=np.array(totals).reshape(len(groups), solution.problem.n),
        accuracy=max(gap, blur),
    )


def _left_open(found: Reactions, rows: Indices) -> Reactions:
    """Return the reactions with those of some rows unknown: residuals of the state leave open what they are."""
    if not rows.size:
        return found
    low, high, multipliers, share = (x.copy() for x in (found.low, found.high, found.multipliers, found.share))
    forces, determined, known = found.forces.copy(), found.determined.copy(), found.force_determined.copy()
    low[rows], high[rows], multipliers[rows], share[rows], forces[rows] = -np.inf, np.inf, np.nan, np.nan, np.nan
    determined[rows] = known[rows] = False
    names = tuple(found.rows[k] for k in rows)
    return replace(
        found,
        low=low,
        high=high,
        multipliers=multipliers,
        share=share,
        forces=forces,
        determined=determined,
        force_determined=known,
        choice=f"{found.choice}; nan where the residuals of the state leave the rows open",
        open=names,
    )


def all_determined(solution: GaussSolution, sparse: SparseProblem) -> Reactions:
    """Return the reactions of independent equality rows: every multiplier is what the certificate says."""
    rows, known = solution.problem.rows, solution.multipliers
    yes, share = np.ones(len(rows), dtype=bool), np.zeros(len(rows))
    forces = rows.J * known[:, None]
    share[sparse.rows] = np.abs(known[sparse.rows]) * sparse.length
    total, r = float(np.linalg.norm(sparse.covector(solution.reaction))), solution.residuals
    noise = _share_of_rounding(r) * r.stationarity_scale
    total = total if total > noise else r.stationarity_scale  # a reaction that is rounding has no shares
    return Reactions(
        rows=rows.names,
        multipliers=known,
        low=known,
        high=known,
        determined=yes,
        forces=forces,
        force_determined=yes,
        share=share / total if total > 0.0 else share,
        reaction=solution.reaction,
        choice=CERTIFIED,
        dependent=(),
        groups=(),
        group_reaction=np.zeros((0, solution.problem.n)),
        accuracy=0.0,
    )


def _share_of_rounding(r: Residuals) -> float:
    """Return the share of the terms of an equation that its certificate calls rounding."""
    return max(r.rounding, 10.0 * EPS * r.condition)


def _stacked(rows: Rows, extra: Rows, n: int) -> Rows:
    """Return the rows followed by the extra ones. Raises InputError if they do not fit."""
    if not isinstance(extra, Rows) or extra.J.shape[1] != n:
        raise InputError(f"extra must be gauss.model.Rows on {n} accelerations, got {extra!r}.")
    return Rows.of(
        np.vstack([rows.J, extra.J]),
        np.concatenate([rows.lower, extra.lower]),
        np.concatenate([rows.upper, extra.upper]),
        (*rows.names, *extra.names),
        (*rows.kinds, *extra.kinds),
    )


@dataclass(frozen=True)
class _Pressing:
    """The k rows that may carry a reaction, at unit length in the metric, with multipliers relative to the reaction."""

    index: Indices  # (k,) among all rows
    length: Array  # (k,) of the rows in the metric; 1 for zero rows
    unit: Array  # (k, n)
    sign: Array  # (k,) ±1, or 0 where the multiplier is free
    start: Array  # (k,) multipliers that fit
    factor: Array  # (k,) what turns a relative multiplier into λ in the row's own unit

    def of_rows(self, values: Array, m: int) -> Array:
        """Return the multipliers (m,) of all rows, in their own units; 0 for those that carry nothing."""
        result = np.zeros(m)
        result[self.index] = values * self.factor
        return result


def _pressing(solution: GaussSolution, rows: Rows, extended: bool) -> _Pressing:
    """Return the rows that may carry a reaction, with the certificate's λ; `extended` rows are fitted anew.

    Multipliers below what the certificate calls rounding are zero where they have a sign.
    """
    metric = solution.problem.metric
    whitened = metric.whitened(rows.J)
    length = np.linalg.norm(whitened, axis=1)
    length[length == 0.0] = 1.0
    index, sign = _signs(solution, rows, length)
    unit = whitened[index] / length[index, None]
    reaction = metric.covector(solution.problem.M @ solution.a - solution.problem.f)
    r = solution.residuals
    noise = _share_of_rounding(r) * r.stationarity_scale
    extended = extended or bool(np.any(sign * (solution.multipliers * length)[index] < -noise))
    start = _fitting(unit, sign, reaction, noise) if extended else (solution.multipliers * length)[index]
    start = np.where((sign != 0.0) & (sign * start <= noise), 0.0, start)
    # Where the reaction itself is rounding, the size of what was subtracted to get it takes its place.
    size = float(np.linalg.norm(reaction))
    size = size if size > noise else r.stationarity_scale
    size = size if size > 0.0 else 1.0
    return _Pressing(index, length[index], unit, sign, start / size, size / length[index])


def _signs(solution: GaussSolution, rows: Rows, length: Array) -> tuple[Indices, Array]:
    """Return which k rows may carry a reaction, and the sign (k,) of it: ±1, or 0 where it is free.

    A bound is touched when it is missed by no more than the certificate calls rounding. Contacts that cannot open, as
    they push against each other, are equations of the problem, but press all the same.
    """
    r = solution.residuals
    touching = _share_of_rounding(r) * r.primal_scale
    value = rows.J @ solution.a
    below, above = (value - rows.lower) / length, (rows.upper - value) / length
    loaded = np.zeros(len(rows), dtype=bool)
    loaded[: solution.multipliers.size] = solution.multipliers != 0.0
    at_lower = (below <= touching) | (loaded & (below <= above))
    at_upper = (above <= touching) | (loaded & (above < below))
    at_upper &= ~(at_lower & np.array([kind == "unilateral" for kind in rows.kinds], dtype=bool))
    index = np.flatnonzero(at_lower | at_upper)
    return index, (at_lower.astype(float) - at_upper.astype(float))[index]


def _fitting(unit: Array, sign: Array, reaction: Array, noise: float) -> Array:
    """Return multipliers (k,) of the unit rows, of the right signs, for a reaction. Raises InputError if none fit."""
    found = np.zeros(0)
    if unit.shape[0]:
        bounds = (np.where(sign > 0.0, 0.0, -np.inf), np.where(sign < 0.0, 0.0, np.inf))
        found = scipy.optimize.lsq_linear(unit.T, reaction, bounds=bounds, method="bvls", tol=1e-15).x
    missed = float(np.linalg.norm(reaction - unit.T @ found))
    if missed > 10.0 * noise:
        raise InputError(
            "the acceleration does not minimise the Zwang under these rows: no multipliers of the right sign give"
            f" M a − f; {missed:.3g} is left over (mass metric). Pass the solution of the problem that holds the extra"
            " rows, or the rows under which it was found."
        )
    return np.asarray(found)
