"""One row of a printed statement: a formula that must vanish, be constant, or have no rate, and its residual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.sources.samples import Sample
from gauss.sources.symbols import SymbolSet, addends, magnitude, table

VANISHING = 1e-6  # terms that all lie below this share of their natural size are measured against that size
FEWEST = 5  # states at which a row must be finite

Memo = dict[sp.Expr, object]


@dataclass(frozen=True)
class Row:
    """own + other = 0 (kind "zero") or constant ("constant"); for "rate", the time derivative of own vanishes."""

    label: str
    own: sp.Expr  # what the source prints
    other: sp.Expr  # what it is compared with
    kind: str
    world: SymbolSet
    named: tuple[tuple[str, sp.Expr], ...] = ()  # its terms, or its sides, as the source has them; their sum is own
    what: str = "a printed formula"  # for messages

    @cached_property
    def terms(self) -> list[sp.Expr]:
        """The terms of the printed part, with products multiplied out; the two sides are kept apart."""
        parts = [formula for _, formula in self.named] or [self.own]
        return [term for part in parts for term in addends(part)]

    @cached_property
    def added(self) -> list[sp.Expr]:
        """What these terms add to the row, with products multiplied out."""
        if self.kind != "rate":
            return self.terms
        return [part for term in self.terms for part in addends(self.contribution(term))]

    @cached_property
    def parts(self) -> list[sp.Expr]:
        """What the sides, or the terms as the source has them, add to the row."""
        return [self.contribution(part) for part in [f for _, f in self.named] or [self.own]] + [self.other]

    def replaced(self, own: sp.Expr) -> Row:
        """Return the row with another printed part."""
        return Row(self.label, own, self.other, self.kind, self.world, what=self.what)

    def contribution(self, term: sp.Expr) -> sp.Expr:
        """Return what a term of the printed part adds to the row."""
        return self.world.rate(term) if self.kind == "rate" else term

    def centred(self, values: Array, sample: Sample) -> Array:
        """Return values (…, N) less their mean over states of equal parameters, where a constant is allowed.

        States at which the values are not finite are left out of the mean, and so is a state alone with its parameters,
        which tells nothing of a constant: there the result is nan.
        """
        if self.kind != "constant":
            return values
        finite = np.isfinite(values)
        centred = np.full(np.shape(values), np.nan)
        for k in np.unique(sample.group):
            good = finite & (sample.group == k)
            count = np.sum(good, axis=-1, keepdims=True)
            mean = np.sum(np.where(good, values, 0.0), axis=-1, keepdims=True) / np.maximum(count, 1)
            np.copyto(centred, np.where(good, values, 0.0) - mean, where=good & (count > 1))
        return centred


def values_of(row: Row, terms: Sequence[sp.Expr], sample: Sample, memo: dict[sp.Expr, object] | None = None) -> Array:
    """Return what terms of the printed part add to the row at the states (K, N)."""
    found = table([row.contribution(term) for term in terms], sample.values, sample.count, memo)
    return row.centred(found, sample)


def scale_of(row: Row, sample: Sample, memo: dict[sp.Expr, object] | None = None) -> Array:
    """Return Σ|terms| (N,), or their natural size where all of them vanish; along a motion its largest value."""
    memo, sizes = {} if memo is None else memo, Memo()
    with np.errstate(all="ignore"):  # a formula may be infinite or nan at some states; who asks looks at that
        scale = np.sum([magnitude(part, sample.values, sample.count, memo) for part in row.parts], axis=0)
        natural = np.sum([magnitude(part, sample.sizes, sample.count, sizes) for part in row.parts], axis=0)
    scale = np.where(scale > VANISHING * natural, scale, natural)
    if sample.motion:
        scale = np.full(sample.count, np.max(scale, initial=0.0, where=np.isfinite(scale)))
    return np.where(scale > 0.0, scale, 1.0)


def residual(row: Row, sample: Sample, memo: dict[sp.Expr, object] | None = None) -> float:
    """Return the largest scaled residual |Σ terms| / Σ|terms| over the states at which the row is finite.

    Raises InputError where it is finite at fewer than five states.
    """
    return float(np.max(residuals(row, sample, memo)))


def residuals(row: Row, sample: Sample, memo: dict[sp.Expr, object] | None = None) -> Array:
    """Return the scaled residuals of the states at which the row is finite. Raises what `residual` does."""
    memo = {} if memo is None else memo
    total = table([row.contribution(row.own) + row.other], sample.values, sample.count, memo)[0]
    scale = scale_of(row, sample, memo)
    with np.errstate(invalid="ignore"):  # infinite over infinite is nan, which is left out
        centred = np.abs(row.centred(total, sample)) / scale
    good = np.isfinite(centred)
    count = int(np.count_nonzero(good))
    if count < min(FEWEST, sample.count) or (row.kind == "constant" and count < 2):
        alone = ", and a constant shows at two states of equal parameters" if row.kind == "constant" else ""
        raise InputError(
            f"{row.what} is finite at {np.count_nonzero(np.isfinite(total))} of {sample.count} states only{alone}; ask"
            " at more states, or about a state around which it is defined."
        )
    return np.asarray(centred[good])
