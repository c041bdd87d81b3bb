"""What a second opinion found: numbers of each state, claims about all of them, and words for readers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from gauss.analysis.claims import Claim, Claims
from gauss.analysis.second_opinion.judging import AGREES, DIFFERS, SOFTENED
from gauss.analysis.second_opinion.minimum import CONTRADICTORY
from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, shortened
from gauss.foundation.outcomes import UNDECIDED, Shown

WORDS = (AGREES, SOFTENED, DIFFERS, CONTRADICTORY, UNDECIDED)
KNOWN, A_CHOICE, OPEN, NO_ROW = "determined", "not determined", "not decided", ""  # of a multiplier
SAID = {  # of the acceleration at states
    AGREES: "agrees",
    SOFTENED: "agrees where rows give way by R λ only (softened)",
    DIFFERS: "differs from the minimiser",
    CONTRADICTORY: "has no minimiser, as the rows contradict one another,",
    UNDECIDED: "is not decided",
}
COLUMNS = ("row", "given", "from", "to", "J a − bound", "multiplier")
MOST = 40  # rows of a table
FEW = 3  # reasons that are printed
NEARLY = 1e-6  # singular values from which on rows are said to be nearly dependent


@dataclass(frozen=True, repr=False)
class SecondOpinion(Shown):
    """How far N given accelerations are from Gauss's principle, and which of the given multipliers mean something.

    Distances are in the mass metric (√kg m/s²), those of forces in its inverse; both have the same unit. Numbers that
    are not known, or of rows that are absent at a state, are nan.
    """

    coordinates: tuple[str, ...]  # (n,)
    rows: tuple[str, ...]  # (m,)
    a: Array  # (N, n) given accelerations
    forces: Array  # (N, m) given multipliers λ of M a = f + Jᵀλ
    words: tuple[str, ...]  # (N,) "agrees", "softened" (with the softened rows only), "differs", "contradictory", …
    reasons: tuple[str, ...]  # (N,) why no minimiser is known there, or ""
    minimiser: Array  # (N, n) acceleration of least Zwang under the rows
    distance: Array  # (N,) |a − minimiser|
    accuracy: Array  # (N,) bound on the error of the minimiser
    size: Array  # (N,) |a| + |a_free|, what distances are compared with
    soft: Array  # (N, n) the minimiser where rows give way by R λ
    soft_distance: Array  # (N,) |a − soft|
    softness: Array  # (N,) |soft − minimiser|: what the program's own softness changes
    balance: Array  # (N, n) M a − f − Jᵀλ
    imbalance: Array  # (N,) its size
    load: Array  # (N,) size of its terms
    off: Array  # (N, m) by how much J a is below (negative) or above its bounds, in the unit of the row
    off_soft: Array  # (N, m) the same of J a + R λ
    share: Array  # (N, m) the latter, relative to the size of its terms
    wrong: Array  # (N, m) multipliers of the wrong sign or of open rows, relative to the size of all forces
    rank: Array  # (N,)
    sigma: Array  # (N,) smallest singular value of the rows at unit length in the metric; 1 without rows
    verdicts: tuple[str, ...]  # (N,) on the rows: "regular", "rank-deficient", "undecided" or "contradictory"
    present: Flags  # (N, m) rows that are judged; others are absent, or those of friction
    determined: Flags  # (N, m) multipliers that are determined
    open: Flags  # (N, m) multipliers of which that hangs on what is not known of the rows
    low: Array  # (N, m) least value of the multiplier, −inf if unbounded
    high: Array  # (N, m) greatest value
    multipliers: Array  # (N, m) those of the minimiser: what is determined, and a choice of the others
    tolerance: float  # share of the sizes that counts as none
    softened: bool  # whether a regularization is given
    bounded: bool  # whether right-hand sides of the rows are given; else they are those of the given accelerations
    assumed: bool  # without a gap: the states are taken to satisfy the constraints exactly

    def __len__(self) -> int:
        return len(self.a)

    @property
    def missed(self) -> Array:
        """The distance (N,) of a from the minimiser it is held against, relative to its size; nan if none is known.

        That is the one with softened rows where they are given, unless a is as good with hard ones.
        """
        hard = _ratio(np.maximum(self.distance - self.accuracy, 0.0), self.size)
        soft = _ratio(self.soft_distance, self.size)
        against = np.where(np.isnan(soft), hard, np.where(np.equal(self.words, AGREES), np.fmin(hard, soft), soft))
        return np.where(self.decided, against, np.nan)

    @property
    def violated(self) -> Flags:
        """Which rows (N, m) are missed by more than the tolerance; where softened, by J a + R λ."""
        return self.share > self.tolerance

    @property
    def claims(self) -> Claims:
        """What the given numbers claim, each with its error at the worst state; relative to the sizes of the terms."""
        soft = ", with softened rows" * self.softened
        given = self.bounded and np.any(self.present)
        pressing = np.any(np.isfinite(self.imbalance)) and np.any(self.present)
        asked = [
            ("the forces balance: M a = f + Jᵀλ", _ratio(self.imbalance, self.load), "relative to the terms", True),
            (f"the rows hold: J a{' + R λ' * self.softened}", self.share, "relative to the terms", given),
            ("one-sided rows push, and closed ones only", self.wrong, "relative to all forces", pressing),
            (f"a minimises the Zwang{soft}", self.missed, "distance relative to |a| + |a_free|", True),
        ]
        found = [
            Claim(name, float(np.nanmax(errors)), self.tolerance, reason)
            for name, errors, reason, yes in asked
            if yes and not np.all(np.isnan(errors))
        ]
        unknown = self._unknown
        left_out = f"a is not judged where its minimiser is not known: {unknown}" if unknown else ""
        return Claims(found, left_out)

    @property
    def _unknown(self) -> str:
        """How many states have no minimiser that is known, in words."""
        words = [word for word in (UNDECIDED, CONTRADICTORY) if word in self.counts]
        return ", ".join(f"{word} at {_count(self.counts[word])}" for word in words)

    @property
    def passed(self) -> bool:
        """Whether every claim holds: nothing contradicts Gauss's principle where it is decided; see `decided`."""
        return all(claim.holds for claim in self.claims)

    @property
    def decided(self) -> Flags:
        """At which states (N,) the acceleration is held against a minimiser: it agrees, "softened" or not, or differs.

        Of the others (undecided, contradictory) forces and rows are judged, and a is not.
        """
        return np.isin(self.words, (AGREES, SOFTENED, DIFFERS))

    @property
    def outcome(self) -> str:
        """Whether it is passed, and at how many states it is not decided, in words."""
        if not self._unknown:
            return "passed" if self.passed else "not passed"
        return f"{'passed as far as it is decided' if self.passed else 'not passed'}; {self._unknown}"

    @property
    def counts(self) -> dict[str, int]:
        """How many states each word is said of."""
        found = Counter(self.words)
        return {word: found[word] for word in WORDS if found[word]}

    @property
    def worst(self) -> int:
        """The state that misses most of what is claimed, or else the first one that is not decided."""
        rows = np.max(np.where(self.present, np.fmax(self.share, self.wrong), 0.0), axis=1, initial=0.0)
        most = np.fmax(np.fmax(self.missed, _ratio(self.imbalance, self.load)), rows)
        open_ = ~self.decided
        return int(np.argmax(open_ if np.nanmax(most) <= self.tolerance and np.any(open_) else most))

    def word_of(self, row: str | int, state: int) -> str:
        """Return whether the multiplier of a row is "determined", "not determined" or "not decided" at a state.

        Raises InputError for unknown rows.
        """
        if isinstance(row, str) and row not in self.rows:
            raise InputError(f"no row is called {row!r}; the rows are {', '.join(map(repr, self.rows)) or 'none'}.")
        k = self.rows.index(row) if isinstance(row, str) else row
        if not self.present[state, k]:
            return NO_ROW
        return KNOWN if self.determined[state, k] else OPEN if self.open[state, k] else A_CHOICE

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, a sentence each: the acceleration, the rows, the multipliers."""
        said = [f"{SAID[word]} at {_count(many)}" for word, many in self.counts.items()]
        found = [f"The acceleration {', '.join(said)}."]
        found += sorted({f"{word}: {why}." for word, why in zip(self.words, self.reasons, strict=True) if why})[:FEW]
        choice = self.present & ~self.determined & ~self.open
        above = self.violated & (self.off_soft > 0.0) & ~(self.forces < 0.0)
        above = above & ~np.any(self.violated & ~above, axis=0)
        for which, text in (
            (self.violated, "Rows that are missed: {}."),
            (above, "As J a ≥ γ would hold: {}. If these are limits or contacts, name them by `unilateral`."),
            (choice, "Not determined, whatever is printed for them: the multipliers of {}."),
            (self.open, "Not decided until the loops are closed (or `noise` is given): the multipliers of {}."),
        ):
            names = [name for name, yes in zip(self.rows, np.any(which, axis=0), strict=True) if yes]
            found += [text.format(shortened(names))] if names else []
        nearly = np.min(self.sigma[np.equal(self.verdicts, "regular")], initial=1.0)
        if nearly < NEARLY:
            found.append(f"Rows are nearly dependent: multipliers amplify errors of the data by {1.0 / nearly:.1g}.")
        if np.any(self.present):
            found += ["All multipliers are determined."] if np.all(self.determined[self.present]) else []
            found += ["No gap is given: the states are taken to satisfy the constraints exactly."] * self.assumed
            found += ["No right-hand sides are given: J a is taken for right."] * (not self.bounded)
        return tuple(found)

    def table(self, state: int) -> list[tuple[str, ...]]:
        """Return a line for each row at a state: name, given multiplier, its range, what it is missed by, a word."""
        lines = []
        for k in np.flatnonzero(self.present[state]).tolist():
            numbers = (self.forces[state, k], self.low[state, k], self.high[state, k], self.off[state, k])
            lines.append((self.rows[k], *(f"{x:.6g}" for x in numbers), self.word_of(k, state)))
        return lines

    def __str__(self) -> str:
        k = self.worst
        lines = [f"second opinion on {_count(len(self))}: {self.outcome}", *self.sentences, self.measured(k)]
        shown = self.table(k)
        if shown:
            more = [("…", "", "", "", "", f"{len(shown) - MOST} more")] if len(shown) > MOST else []
            shown = [COLUMNS, *shown[:MOST], *more]
            width = [max(len(line[j]) for line in shown) for j in range(6)]
            for name, *numbers, word in shown:
                right = (x.rjust(width[j + 1]) for j, x in enumerate(numbers))
                lines.append("  ".join([name.ljust(width[0]), *right, word]).rstrip())
            soft = ", which soft rows allow" * (self.words[k] == SOFTENED)
            lines.append(f"{COLUMNS[4]}: in the unit of the row's γ, below 0 where J a is too small{soft}")
        return "\n".join([*lines, str(self.claims)])

    def measured(self, state: int) -> str:
        """Return the distances at a state, in words."""
        k = state
        parts = [
            (f"{self.distance[k]:.3g} from the minimiser (known to {self.accuracy[k]:.1g})", self.distance[k]),
            (f"{self.soft_distance[k]:.3g} from the softened one", self.soft_distance[k]),
            (f"|a| + |a_free| = {self.size[k]:.4g}", self.size[k]),
            (f"a force of {self.imbalance[k]:.3g} is left over, of {self.load[k]:.4g}", self.imbalance[k]),
        ]
        said = ", ".join(text for text, value in parts if np.isfinite(value))
        return f"state {k} ({self.words[k]}), in the mass metric: {said}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON: numbers that are not finite become null.

        >>> import gauss as g
        >>> data = g.check(M=[[2.0]], f=[6.0], a=[3.0]).to_dict()
        >>> data["words"], data["passed"], data["decided"], data["soft"]
        (['agrees'], True, [True], [[None]])
        """
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        own |= {"missed": self.missed, "violated": self.violated, "counts": self.counts}
        own |= {"passed": self.passed, "decided": self.decided, "outcome": self.outcome, "sentences": self.sentences}
        own["claims"] = [{"name": c.name, "error": c.error, "bound": c.bound, "holds": c.holds} for c in self.claims]
        found: dict[str, Any] = _plain(own)
        return found


def _ratio(value: Array, size: Array) -> Array:
    """Return value/size (N,), 0 of nothing."""
    return np.divide(value, size, out=np.where(value > 0.0, np.inf, value * 0.0), where=size > 0.0)


def _count(states: int) -> str:
    return f"{states} state{'s' * (states != 1)}"


def _plain(value: Any) -> Any:
    """Return arrays and tuples as lists, and None for numbers that are not finite."""
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, dict):
        return {key: _plain(x) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(x) for x in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
