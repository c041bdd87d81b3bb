"""Which terms of a wrong answer are wrong, and how: told in steps, from the term that is wrong to what it lacks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from gauss.sources.exercises.answers import Term
from gauss.sources.repair import LARGER, Mend

DETAILS = 2  # hint level from which it is told what a term lacks

OPPOSITE = "with the opposite sign"
WORDS = {
    "sign": "has the wrong sign",
    "inner sign": "has a wrong sign inside",
    "factor": "has a wrong factor",
    "function": "has a wrong function, such as sine for cosine",
    "symbol": "has a wrong symbol",
    "dot": "has a dot too many or too few",
    "exponent": "has a wrong exponent",
    "missing factor": "lacks a factor",
    "superfluous factor": "has a factor too many",
    "superfluous term": "does not belong there",
    "replacement": "is not the term that belongs there",
}


@dataclass(frozen=True)
class WrongTerm:
    """What is wrong with one term.

    >>> import gauss as g
    >>> wrong = g.sources.exercise("pendulum").check("V", "m*g*l*cos(phi)").wrong[0]
    >>> wrong.kind, wrong.words(level=2)
    ('sign', 'the term m*g*l*cos(phi) has the wrong sign: with the opposite sign')
    """

    kind: str  # "sign", "factor", "function", "symbol", "missing term", "superfluous term", …
    term: str  # as typed; empty for one that is missing
    detail: str  # what would make it right; for a missing term the symbols it has

    def words(self, level: int = 0, count: int = 1) -> str:
        """Return the finding as a clause, for `count` missing terms that are alike; from level 2 on with its detail."""
        shown = level >= DETAILS and self.detail
        if self.kind == "missing term":
            which = f" with {self.detail}" if shown else ""
            return f"a term{which} is missing" if count == 1 else f"{count} terms{which} are missing"
        return f"the term {self.term} {WORDS.get(self.kind, 'is wrong')}{f': {self.detail}' if shown else ''}"


def by_mends(mends: Sequence[Mend], own: sp.Expr, allowed: Set[sp.Symbol]) -> list[WrongTerm]:
    """Return what mends of `verify` say, each of which alone makes the answer right; those in allowed symbols only.

    A mend that leaves nothing of the answer is none.
    """
    found = []
    for mend in mends:
        if mend.formula == 0 or not mend.formula.free_symbols <= allowed:
            continue
        if mend.term:
            detail = "" if mend.kind == "replacement" else mend.change  # which would be the answer
            inner = mend.kind == "sign" and mend.change != OPPOSITE
            found.append(WrongTerm("inner sign" if inner else mend.kind, mend.term.removeprefix("the term "), detail))
        else:
            found.append(WrongTerm("missing term", "", _described(mend.formula - own, allowed)))
    return list(dict.fromkeys(found))


def slips(mends: Sequence[Mend]) -> list[Mend]:
    """Return the mends that are slips of the pen in one term."""
    return [mend for mend in mends if mend.cost < LARGER]


def by_solution(
    terms: Sequence[Term], solution: sp.Expr, variables: Set[sp.Symbol], scaled: bool
) -> tuple[WrongTerm, ...] | None:
    """Return what differs between the terms of an answer and of a solution that is written in the same form.

    With `scaled` the answer may be a multiple of the solution. None where less than half of the terms correspond.
    """
    own = sp.Add.make_args(sp.expand(sp.Add(*(term.formula for term in terms))))
    right = sp.Add.make_args(sp.expand(solution))
    ratio = _common_ratio(own, right, terms, variables) if scaled else sp.Integer(1)
    left, found, matched = [sp.cancel(x / ratio) for x in own], list[WrongTerm](), set[int]()
    missing = []
    for target in right:
        partner = next((k for k, x in enumerate(left) if k not in matched and (x / target).is_Number), None)
        if partner is None:
            missing.append(target)
            continue
        matched.add(partner)
        c = target / left[partner]
        if c != 1:
            kind, detail = ("sign", OPPOSITE) if c == -1 else ("factor", f"times {sp.sstr(c)}")
            found.append(WrongTerm(kind, _typed(own[partner], terms), detail))
    extra = [own[k] for k in range(len(own)) if k not in matched and own[k] != 0]
    if 2 * len(matched) < max(len(right), 2):
        return None
    if len(extra) == len(missing) == 1 and (factor := _by_a_factor(missing[0] * ratio / extra[0])):
        return (*found, WrongTerm(factor[0], _typed(extra[0], terms), factor[1]))
    found += [WrongTerm("superfluous term", _typed(x, terms), "without it") for x in extra]
    found += [WrongTerm("missing term", "", _described(x, variables)) for x in missing]
    return tuple(found)


def _by_a_factor(c: sp.Expr) -> tuple[str, str] | None:
    """Return kind and detail of a factor by which a term must be multiplied, if it is a product of symbols or over one.

    What the other terms lack or have too much is the same to an equation; the solution tells which terms are right.
    """
    c = sp.cancel(c)
    if not all(x.is_Number or x.as_base_exp()[0].is_Symbol for x in sp.Mul.make_args(c)):
        return None
    top, bottom = sp.fraction(c)
    if bottom.is_Number:
        return "missing factor", f"times {sp.sstr(c)}"
    return ("superfluous factor", f"without the factor {sp.sstr(1 / c)}") if top.is_Number else None


def _common_ratio(
    own: Sequence[sp.Expr], right: Sequence[sp.Expr], terms: Sequence[Term], variables: Set[sp.Symbol]
) -> sp.Expr:
    """Return the ratio that most typed terms have to those of the solution.

    Of equally frequent ones it is that which makes most of the others wrong signs, then fewest of them wrong signs with
    wrong factors, then ±1, then that of inertia terms. Ratios that are constant along a motion go before others.
    """
    ordered = [sorted(parts, key=lambda x: (not _inertial(x), str(x))) for parts in (right, own)]
    ratios = [(x / y, _share(x, terms)) for y in ordered[0] for x in ordered[1]]
    constant = [(ratio, share) for ratio, share in ratios if not ratio.free_symbols & variables]
    counted: dict[sp.Expr, Fraction] = defaultdict(Fraction)
    for ratio, share in constant or ratios:
        counted[ratio] += share

    def merit(ratio: sp.Expr) -> tuple[Fraction, Fraction, Fraction, bool]:
        opposed = [count for other, count in counted.items() if (other / ratio).is_negative]
        return counted[ratio], counted.get(-ratio, Fraction(0)), -sum(opposed, Fraction(0)), abs(ratio) == 1

    return max(counted, key=merit, default=sp.Integer(1))  # the first of the best


def _share(part: sp.Expr, terms: Sequence[Term]) -> Fraction:
    """Return the share of a multiplied-out term in the typed one that it comes from."""
    typed = (sp.Add.make_args(sp.expand(term.formula)) for term in terms)
    return next((Fraction(1, len(inside)) for inside in typed if part in inside), Fraction(1))


def _inertial(term: sp.Expr) -> bool:
    return any(symbol.name.endswith("_ddot") for symbol in term.free_symbols)


def _typed(part: sp.Expr, terms: Sequence[Term]) -> str:
    """Return a multiplied-out term as it was typed, or with the typed one that it comes from."""
    for term in terms:
        inside = sp.Add.make_args(sp.expand(term.formula))
        if part in inside:
            return term.text if len(inside) == 1 else f"{sp.sstr(part)} (in {term.text})"
    return str(sp.sstr(part))


def _described(term: sp.Expr, variables: Set[sp.Symbol]) -> str:
    """Return the factors of a term that vary along a motion, or, if none does, its parameters."""
    factors = [x for x in sp.Mul.make_args(term) if not x.is_Number]
    varying = [x for x in factors if x.free_symbols & {s for s in variables if not s.is_positive}]
    shown = [sp.sstr(x) for x in sorted(varying or factors, key=lambda x: (bool(x.atoms(sp.Function)), str(x)))]
    return " and ".join(shown) or "no symbol"
