"""What a wrong term may be in place of: factors that one may lack, and monomials that may stand for a whole term."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations_with_replacement

import numpy as np
import sympy as sp

from gauss.sources.rows import VANISHING, Row
from gauss.sources.samples import Sample
from gauss.sources.symbols import SymbolSet, addends
from gauss.sources.variants import angles_in

LARGEST_POOL = 6000  # monomials that are tried in place of a term


def _known(symbols: Sequence[sp.Symbol], sample: Sample) -> list[sp.Symbol]:
    """Return the symbols that have values which differ from state to state, and not by rounding about zero."""
    known = [s for s in symbols if s in sample.values]
    return [s for s in known if np.ptp(sample.values[s]) > VANISHING * np.max(np.abs(sample.sizes[s]))]


def factors(row: Row, world: SymbolSet, sample: Sample) -> Iterator[sp.Expr]:
    """The library: symbols, their inverses and quotients of one kind, functions of angles and their quotients."""
    for kind in world.kinds:
        symbols = _known(kind, sample)
        for s in symbols:
            yield s
            yield 1 / s
        yield from (a / b for a in symbols for b in symbols if a is not b)
    functions = [f(x) for x in _known(angles_in(row, world), sample) for f in (sp.sin, sp.cos)]
    yield from functions
    yield from (1 / f for f in functions)
    yield from (a / b for a in functions for b in functions if a is not b)


def pool(row: Row, world: SymbolSet, sample: Sample) -> list[sp.Expr]:
    """Monomials: 1, values, rates and their products, second rates, multipliers; times functions of angles."""
    found = _distinct(_monomials(row, world, sample), LARGEST_POOL)
    if not world.varied:
        return found
    constants = set(world.p)
    factors = dict.fromkeys(term.as_independent(*(term.free_symbols - constants))[0] for term in row.terms)
    strong = dict.fromkeys(sp.Mul(*(x for x in sp.Mul.make_args(f) if not x.is_Number)) for f in factors)
    return _distinct(chain(found, (f * x for f in strong for x in found[: LARGEST_POOL // 4])), LARGEST_POOL)


def _distinct(terms: Iterable[sp.Expr], most: int) -> list[sp.Expr]:
    """Return the first distinct ones of terms, which may be far more than that."""
    found: dict[sp.Expr, None] = {}
    for term in terms:
        if len(found) >= most:
            break
        found[term] = None
    return list(found)


def _monomials(row: Row, world: SymbolSet, sample: Sample) -> Iterator[sp.Expr]:
    q, v, a, l, _ = (_known(kind, sample) for kind in world.kinds)
    angles = _known(angles_in(row, world), sample)
    lengths = [s for s in q if s not in angles] or q  # where no function shows which are angles, all may be either
    pairs = [x * y for x, y in combinations_with_replacement(v, 2)]
    base = _distinct(
        chain(
            [sp.Integer(1), *v, *pairs, *a, *l, *lengths],
            (x * y for x in lengths for y in (*lengths, *a, *v, *pairs)),
            (1 / x for x in lengths),
        ),
        LARGEST_POOL,
    )
    functions = [f(x) for x in (*angles, *_compound(row)) for f in (sp.sin, sp.cos)]
    powers = chain(
        [sp.Integer(1), *functions],
        (x * y for x, y in combinations_with_replacement(functions, 2)),
        (1 / f for f in functions),
        (x * y * z for x, y, z in combinations_with_replacement(functions, 3) if len(functions) <= 4),
    )
    yield from addends(-row.other)
    yield from (x * y for y in powers for x in base)


def _compound(row: Row) -> list[sp.Expr]:
    """Return the arguments of sines and cosines of a row that are more than one symbol: a − b."""
    found = {f.args[0] for f in row.own.atoms(sp.sin, sp.cos)}
    return sorted((x for x in found if not x.is_Symbol), key=str)
