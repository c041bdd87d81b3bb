"""Every small change of a formula: what a slip of the pen makes of it, and so what mends one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp

from gauss.sources.symbols import SymbolSet

SLIPS = ((sp.sin, sp.cos), (sp.cos, sp.sin), (sp.sinh, sp.cosh), (sp.cosh, sp.sinh))


Kin = dict[sp.Symbol, list[tuple[float, str, sp.Symbol]]]  # symbol → what may stand in its place, with cost and kind


@dataclass(frozen=True)
class Variant:
    """A formula with one small change."""

    cost: float  # the simpler, the lower
    kind: str
    term: sp.Expr  # the term, as printed, in which the change is
    change: str
    new: sp.Expr  # what stands in place of the term


@dataclass(frozen=True)
class _Change:
    cost: float
    kind: str
    old: sp.Expr
    new: sp.Expr
    words: str  # instead of "with new in place of old"


def angles_in(row: Any, world: SymbolSet) -> list[sp.Symbol]:
    """Return the values (q) that occur within sines and cosines of a row, or all of them where none does."""
    inside: set[sp.Basic] = set()
    for f in (row.own + row.other).atoms(sp.sin, sp.cos, sp.tan):
        inside |= f.free_symbols
    return [x for x in world.q if x in inside] or list(world.q)


def variants(own: sp.Expr, world: SymbolSet) -> Iterator[Variant]:
    """Return the formulas that differ from the given one by one small change."""
    kinds = [list(kind) for kind in world.kinds]
    used = own.free_symbols
    kin = {s: [(2.0, "symbol", x) for x in kind if x is not s] for kind in kinds for s in kind}
    for name, x, dx, ddx in zip(world.names, world.q, world.v, world.a, strict=True):
        orders = [x, dx, ddx] if name in world.second else [x, dx]
        for s in orders:
            kin[s] = kin.get(s, []) + [(1.9, "dot", other) for other in orders if other is not s]
    angles: set[sp.Basic] = set()
    for f in own.atoms(sp.sin, sp.cos, sp.tan):
        angles |= {s for s in f.free_symbols if s in set(world.q)}
    names = [s for kind in kinds for s in kind if s in used or kind is kinds[1]]
    extra = [*names, *(f(x) for x in sorted(angles, key=str) for f in (sp.sin, sp.cos))]
    terms = sp.Add.make_args(own)
    for term in terms:
        for change, new in _changes(term, kin, extra, True):
            words = change.words or f"with {_text(change.new)} in place of {_text(change.old)}"
            yield Variant(change.cost, change.kind, term, words, new)


def _text(expression: sp.Expr) -> str:
    return str(sp.sstr(expression, full_prec=False))


def _changes(node: sp.Expr, kin: Kin, extra: list[sp.Expr], top: bool) -> Iterator[tuple[_Change, sp.Expr]]:
    """Return changes of a node and of the nodes below it, each with the new node."""
    for change in _local(node, kin, extra, top):
        yield change, change.new
    if node.is_Symbol or not node.args:
        return
    for k, part in enumerate(node.args):
        if node.is_Pow and k == 1:
            continue
        for change, new in _changes(part, kin, extra, False):
            yield change, node.func(*node.args[:k], new, *node.args[k + 1 :])


def _local(node: sp.Expr, kin: Kin, extra: list[sp.Expr], top: bool) -> Iterator[_Change]:
    """Return the changes of one node itself."""
    if node.is_Symbol:
        for cost, kind, other in kin.get(node, []):
            yield _Change(cost, kind, node, other, "")
        yield _Change(2.2, "exponent", node, node**2, "")
    for one, other in SLIPS:
        if node.func is one:
            yield _Change(2.0, "function", node, other(*node.args), "")
    if node.is_Pow and node.exp.is_Integer:
        for exponent in (node.exp + 1, node.exp - 1, -node.exp):
            yield _Change(2.2, "exponent", node, node.base**exponent, "")
    if node.is_Add and not top:
        yield from _of_sum(node)
    if top or node.is_Add:
        yield from _of_product(node, extra)
    elif node.is_Mul:
        yield from _of_product(node, [])


def _of_sum(node: sp.Expr) -> Iterator[_Change]:
    """Inner terms with the other sign, doubled, halved, or left out."""
    for k, part in enumerate(node.args):
        others = sp.Add(*(node.args[:k] + node.args[k + 1 :]))
        yield _Change(0.5, "sign", node, others - part, "")
        yield _Change(1.2, "factor", node, others + 2 * part, "")
        yield _Change(1.2, "factor", node, others + part / 2, "")
        yield _Change(2.5, "superfluous term", node, others, "")


def _of_product(node: sp.Expr, extra: list[sp.Expr]) -> Iterator[_Change]:
    """Products with one factor more, or one less."""
    for factor in extra:
        yield _Change(2.1, "missing factor", node, node * factor, f"times {_text(factor)}")
    if node.is_Mul:
        for part in node.args:
            if not part.is_Number:
                yield _Change(2.3, "superfluous factor", node, node / part, f"without the factor {_text(part)}")
