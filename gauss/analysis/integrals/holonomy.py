"""Holonomic or not: the Lie algebra of the velocities that the constraints admit.

The rows A(q) q̇ = 0 admit the velocities q̇ = G(q) u, A G = 0. Motions can reach the directions that brackets of the
columns of G span. With D₁ = span G and D_{k+1} = D_k + [D₁, D_k] the ranks of D₁, D₂, … at q are the growth vector, and
the last of them is the dimension of the surface (the orbit of the Lie algebra) that all motions from q stay on:

    rank = d = rank G              holonomic: the rows are the rates of n − d functions of q
    d < rank < n                   partly nonholonomic: n − rank such functions exist
    rank = n                       completely nonholonomic

where n counts what Holonomic rows, which are integrated already, leave. A theorem of Frobenius settles the first case,
theorems of Chow, Rashevskii and Nagano (for analytic rows) the others.

Words (iterated brackets) that are constant combinations of earlier ones add nothing, nor do their brackets, and are
dropped; when no new word is left the algebra is closed, and its rank is final at every point. Brackets are exact
derivatives; ranks are numerical and come with the gap that decided them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.analysis.integrals.admitted import (
    VANISHING,
    IndependentRows,
    given_fields,
    numerical_rank,
    pfaffian_of,
    random_points,
    rank_of_holonomic,
)
from gauss.errors import InputError
from gauss.foundation.arrays import Array, positive, unit_rows
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import DEPENDENT
from gauss.model import AnySystem, System, system_of
from gauss.model.compiled.derivatives.brackets import PfaffianRows, Words

DOUBTFUL = (1e-13, 1e-6)  # singular values (relative) inside this band make the decision a matter of tolerance
FAINT = 1e-11  # brackets below this share of a usual one may be rounding, and are dropped
WORDS = 160  # words at most
DEEP = 2  # levels beyond n − d + 1, which generic points need at most, that singular points are given
VERDICTS = ("holonomic", "partly nonholonomic", "completely nonholonomic", "undecided")


@dataclass(frozen=True)
class Rank:
    """The rank of a set of words at a point, with the evidence that decided it."""

    rank: int
    sigma: Array  # singular values, decreasing, relative to the largest
    gap: float  # ratio of the smallest value counted as nonzero to the largest counted as zero; inf if none is

    @property
    def doubtful(self) -> bool:
        """Whether a singular value is so near the tolerance that the decision may go either way."""
        return bool(np.any((self.sigma > DOUBTFUL[0]) & (self.sigma < DOUBTFUL[1])))


@dataclass(frozen=True, repr=False)
class Holonomy(Shown):
    """The verdict on the velocity rows of a system at one position."""

    verdict: str  # one of `VERDICTS`, on the rows around the position
    growth: tuple[int, ...]  # growth vector at the position; the last entry repeats no earlier one
    generic: tuple[int, ...]  # that of the random points, where it is largest
    directions: int  # n, what Holonomic rows leave of the variables
    variables: tuple[str, ...]  # coordinates, and t where the rows depend on it
    rows: tuple[str, ...]
    surface: int  # dimension of the surface that all motions from the position stay on
    integrable: Array  # (·, variables) combinations w of the rows that can be integrated, Holonomic ones too
    ranks: tuple[Rank, ...]  # at the position, of each D_k
    words: int  # brackets that were needed
    closed: bool  # no new words were left, so that the ranks are final at every point
    faint: bool  # brackets that may be rounding were dropped, and would raise a rank

    @property
    def degree(self) -> int:
        """The number of levels after which the growth vector at the position no longer grows."""
        return len(self.growth)

    @property
    def doubtful(self) -> bool:
        """Whether some rank hangs on the tolerance, or on a bracket that may be rounding."""
        return self.faint or any(rank.doubtful for rank in self.ranks)

    @property
    def sentence(self) -> str:
        """The verdict with its reason."""
        n, D, d = self.directions, self.generic[-1], self.growth[0]
        admitted = f"{d} of {n} directions are admitted"
        if self.verdict == VERDICTS[0]:
            text = f"holonomic: {admitted}, and their brackets span no more; motions stay on surfaces of dimension {D}"
        elif self.verdict == VERDICTS[1]:
            text = (
                f"partly nonholonomic: {admitted}, their brackets span {D}; motions stay on surfaces of dimension {D},"
                f" as {n - D} of the {n - d} nonholonomic rows, combined, can be integrated"
            )
        elif self.verdict == VERDICTS[2]:
            text = f"completely nonholonomic: {admitted}, and their brackets span all {n}"
        else:
            text = (
                f"undecided: {admitted}, brackets of {len(self.ranks)} levels span {self.surface} here and {D} at other"
                " points; deeper ones were not formed"
            )
        if self.generic != self.growth and self.verdict != VERDICTS[3]:
            text += (
                f"; this position is singular: its growth vector is {self.growth} instead of {self.generic}, and"
                f" motions from it stay on a surface of dimension {self.surface}"
            )
        return text + (". A rank hangs on the tolerance" if self.doubtful else "") + "."

    def __str__(self) -> str:
        gaps = ", ".join(f"{rank.gap:.3g}" for rank in self.ranks)
        return f"{self.sentence}\ngrowth vector  {self.growth}; gaps of the singular values {gaps}"


@advised
def holonomy(
    system: AnySystem, q: object, t: float = 0.0, *, fields: Any = None, spread: float = 1.0, depth: int | None = None
) -> Holonomy:
    """Decide whether the velocity rows of a system are holonomic, from their Lie algebra at q and at random points.

    * `fields`: a function of q and p that returns the columns of G as a list; found from the rows if left out.
    * `spread`: how far random points lie from q, in units of the coordinates.
    * `depth`: levels of brackets; by default as many as generic points can need, and two more for singular ones.

    Unilateral rows take no part. Raises InputError for rows that are nonlinear in the velocities, systems without
    rows, rows that admit no velocity, fields that the rows do not annihilate, and positions where the rank of the rows
    drops.

    >>> import gauss as g
    >>> blade = g.Pfaffian("blade", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0])
    >>> skate = g.System("skate", "x y phi", mass_matrix=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], constraints=[blade])
    >>> found = g.analysis.holonomy(skate, [0, 0, 0])
    >>> found.verdict, found.growth  # two directions, and their bracket is the third
    ('completely nonholonomic', (2, 3))
    """
    system = system_of(system).frictionless()
    state = system.start(q, None, t)
    pfaffian = pfaffian_of(system)
    theta = system.theta()
    x = np.append(state.q, state.t) if pfaffian.timed else state.q
    frame = IndependentRows.at(system, pfaffian, x, theta)
    points = random_points(system, frame, x, theta, positive(spread, "spread"))
    columns = frame.fields(pfaffian) if fields is None else given_fields(system, pfaffian, fields, points, theta)
    n = x.size
    levels = n - len(columns) + 1 + DEEP if depth is None else depth
    if not columns:
        raise InputError(f"the rows of {system.name!r} admit no velocity but zero, so the position is fixed by them.")
    if not isinstance(levels, int) or levels < 1:
        raise InputError(f"depth must be a positive integer, got {depth!r}.")
    known = rank_of_holonomic(system, pfaffian, x, theta)
    tree = _Tree(Words(pfaffian, columns), points, theta, n - known)
    tree.grow(levels)
    return _verdict(system, pfaffian, tree, x.size, known)


# ------------------------------------------------------------------ the Lie algebra


class _Tree:
    """Words of the Lie algebra level by level, with their values at the points."""

    def __init__(self, words: Words, points: Array, theta: Array, bound: int):
        self.words, self.points, self.theta, self.bound = words, points, theta, bound
        count = len(words)
        self.values = words.values(0, count)(points, theta)  # (P, words, n)
        self.generators = range(count)
        self.levels = [count]  # words up to each level
        self.ranks = [self._ranks()]
        self.closed = False
        self.settled = False
        self.dropped: list[Array] = []  # brackets (P, n) that may be rounding

    def grow(self, depth: int) -> None:
        """Add levels of brackets until nothing more can come, or to the given depth."""
        newest = list(self.generators)
        while len(self.levels) < depth and len(self.words) <= WORDS:
            pairs = [(i, j) for j in newest for i in self.generators if len(self.levels) > 1 or i < j]
            if self._complete():
                return
            first = len(self.words)
            self._add(pairs)
            newest = list(range(first, len(self.words)))
            if not newest:
                self.closed = True
                return
            self.levels.append(len(self.words))
            self.ranks.append(self._ranks())
            if self._complete() or self._involutive():
                return

    def _complete(self) -> bool:
        """Note whether all directions are reached at the position, and so at points around it."""
        self.settled = self.ranks[-1][0].rank == self.bound
        return self.settled

    def _involutive(self) -> bool:
        """Note whether brackets add nothing at generic points and the position is one: by continuity, nor there."""
        before, now = ([rank.rank for rank in ranks] for ranks in self.ranks[-2:])
        self.settled = max(before) == max(now) == before[0]
        return self.settled

    def _add(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Append the brackets of pairs that are no constant combinations of earlier words."""
        if not pairs:
            return
        values, sizes = self.words.brackets(pairs)(self.points, self.theta)
        for k, (i, j) in enumerate(pairs):
            word, size = values[:, k], np.max(np.abs(sizes[:, k]))
            if np.max(np.abs(word)) <= VANISHING * size or self._combination(word, size):
                continue
            if np.max(np.abs(word)) <= FAINT * self._usual(i, j):
                self.dropped.append(word)
                continue
            self.words.append(i, j)
            self.values = np.concatenate([self.values, word[:, None]], axis=1)

    def _usual(self, i: int, j: int) -> float:
        """Return the size of a bracket of two words that change by as much as they are over the points."""
        X, Y = (np.abs(self.values[:, k]) for k in (i, j))
        extent = np.ptp(self.points, axis=0)
        inverse = np.divide(1.0, extent, out=np.zeros_like(extent), where=extent > 0.0)
        return float(np.max(X * (Y @ inverse)[:, None] + Y * (X @ inverse)[:, None]))

    def _combination(self, word: Array, size: float) -> bool:
        """Return whether a word (P, n) is a constant combination of the words so far."""
        earlier = self.values.transpose(1, 0, 2).reshape(self.values.shape[1], -1)
        length = np.linalg.norm(earlier, axis=1)
        unit = (earlier / length[:, None]).T
        flat = word.ravel()
        rest = flat - unit @ np.linalg.lstsq(unit, flat, rcond=1e-12)[0]
        scale = max(float(np.linalg.norm(flat)), float(size))
        return bool(np.linalg.norm(rest) <= DEPENDENT * scale)

    @property
    def faint(self) -> bool:
        """Whether the dropped brackets would raise a rank."""
        if not self.dropped:
            return False
        whole = np.concatenate([self.values, np.array(self.dropped).transpose(1, 0, 2)], axis=1)
        return any(_rank(words).rank > found.rank for words, found in zip(_scaled(whole), self.ranks[-1], strict=True))

    def _ranks(self) -> list[Rank]:
        """Return the rank of all words so far at each point."""
        return [_rank(words) for words in _scaled(self.values[:, : self.levels[-1]])]

    def cokernel(self) -> Array:
        """Return independent combinations (·, n) that annihilate all words at the first point."""
        words = self.values[0]
        _, sigma, V = np.linalg.svd(unit_rows(words))
        return np.asarray(V[numerical_rank(sigma) :])


def _scaled(part: Array) -> Array:
    """Return words (P, count, n) at the points, each of typical length 1, and so each variable."""
    typical = np.median(np.linalg.norm(part, axis=2), axis=0)
    part = part / np.where(typical > 0.0, typical, 1.0)[None, :, None]
    width = np.median(np.max(np.abs(part), axis=1), axis=0)
    return np.asarray(part / np.where(width > 0.0, width, 1.0))


def _rank(words: Array) -> Rank:
    sigma = np.linalg.svd(words, compute_uv=False)
    sigma = sigma / sigma[0]
    rank = int(np.sum(sigma > DEPENDENT))
    lost = float(sigma[rank]) if rank < sigma.size else 0.0
    return Rank(rank, sigma, float(sigma[rank - 1]) / lost if lost > 0.0 else float("inf"))


def _verdict(system: System, pfaffian: PfaffianRows, tree: _Tree, n: int, known: int) -> Holonomy:
    """Return the verdict from the ranks of all levels."""
    here = [ranks[0] for ranks in tree.ranks]
    largest = [max(rank.rank for rank in ranks) for ranks in tree.ranks]
    D, d, directions = largest[-1], here[0].rank, n - known
    if not (tree.closed or tree.settled):
        verdict = VERDICTS[3]
    elif d == D:  # rows without Pfaffian part are holonomic, and so is D = d = n
        verdict = VERDICTS[0]
    else:
        verdict = VERDICTS[2] if directions == D else VERDICTS[1]
    return Holonomy(
        verdict=verdict,
        growth=_growth([rank.rank for rank in here]),
        generic=_growth(largest),
        directions=directions,
        variables=(*system.coordinates, "t") if pfaffian.timed else system.coordinates,
        rows=tuple(system.row_names[k] for k in system.model.equality),
        surface=here[-1].rank,
        integrable=tree.cokernel(),
        ranks=tuple(here),
        words=len(tree.words) - len(tree.generators),
        closed=tree.closed,
        faint=tree.faint,
    )


def _growth(ranks: Sequence[int]) -> tuple[int, ...]:
    """Return ranks without the repetitions at the end."""
    kept = list(ranks)
    while len(kept) > 1 and kept[-1] == kept[-2]:
        kept.pop()
    return tuple(kept)
