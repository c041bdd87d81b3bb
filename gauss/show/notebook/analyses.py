"""The cards of claims, of scenarios that have run, of equilibria and of linear equations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gauss.analysis import Claim
from gauss.analysis.claims import Claims
from gauss.analysis.linear.equilibria import SteadyMotion
from gauss.analysis.linear.linearize import Linearization
from gauss.analysis.linear.stability import VERDICTS, Spectrum
from gauss.analysis.second_opinion.record import SecondOpinion
from gauss.foundation.arrays import Array
from gauss.model.units import with_unit
from gauss.outcome import Outcome
from gauss.show.notebook.markup import (
    AMBER,
    GREEN,
    RED,
    Markup,
    element,
    facts,
    folded,
    header,
    joined,
    light,
    number,
    some,
    table,
)
from gauss.show.report import fact_lines, failure
from gauss.sources import Check, Exercise
from gauss.sources.repair import alternatives
from gauss.sources.verification import Verification

MOST = 16  # rows of a table
LARGEST = 12  # states of linear equations whose matrices are shown


def claims_card(claims: Sequence[Claim]) -> Markup:
    """Return claims as a table: whether each holds, its error, its bound, the reason; the failing ones first."""
    left_out = element("p", claims.left_out, class_="dim") if isinstance(claims, Claims) and claims.left_out else ""
    if not claims:
        return element("p", "no claims", class_="dim") + left_out
    failed = sum(not claim.holds for claim in claims)
    head = header(RED if failed else GREEN, f"{failed} of {len(claims)} claims fail" if failed else _all(len(claims)))
    return head + claims_table(claims) + left_out


def _all(count: int) -> str:
    return f"all {count} claims hold" if count > 1 else "the claim holds"


def claims_table(claims: Sequence[Claim]) -> Markup:
    """Return claims as a table, the failing ones first."""
    rows = [
        (
            light(GREEN, "holds") if claim.holds else light(RED, "fails"),
            claim.name,
            number(claim.error, 2),
            number(claim.bound, 2),
            claim.reason,
        )
        for claim in sorted(claims, key=lambda claim: claim.holds)
    ]
    return table(("", "claim", "error", "bound", "because"), rows, (2, 3))


def outcome_card(outcome: Outcome) -> Markup:
    """Return the card of a scenario that has run: its facts, its claims, what is missing."""
    s = outcome.scenario
    return joined(
        [
            header(outcome_colour(outcome), s.title, ", ".join(s.covers), s.source),
            facts(fact_lines(outcome)),
            claims_table(outcome.claims) if outcome.claims else "",
            *missing(outcome),
            "" if outcome.passed else element("p", "⚠ ", failure(outcome), class_="warn"),
        ]
    )


def outcome_colour(outcome: Outcome) -> str:
    """Return green for what has passed, red where a claim fails, amber where something is missing."""
    failed = any(not claim.holds for claim in outcome.claims)
    return GREEN if outcome.passed else RED if failed else AMBER


def missing(outcome: Outcome) -> list[Markup]:
    """Return what was not examined, and what failed, as paragraphs."""
    texts = [*outcome.troubles, *(f"{each.name}: not examined: {each.why}" for each in outcome.unexamined)]
    return [element("p", "⚠ ", text, class_="warn") for text in texts]


def opinion_card(found: SecondOpinion) -> Markup:
    """Return a second opinion: what was found, the rows at the worst state, the claims."""
    colour = RED if not found.passed else GREEN if found.decided.all() else AMBER
    states = f"{len(found)} state{'s' * (len(found) != 1)}"
    head = ("row", "given", "from", "to", "missed by", "multiplier")
    rows = [
        tuple(x.replace("-", "−") if 0 < j < 5 else x for j, x in enumerate(line)) for line in found.table(found.worst)
    ]
    return joined(
        [
            header(colour, f"second opinion: {found.outcome}", states),
            *[element("p", text) for text in found.sentences],
            element("p", found.measured(found.worst), class_="dim"),
            table(head, some(rows, MOST, len(head)), range(1, 5)) if rows else "",
            claims_table(found.claims),
            element("p", found.claims.left_out, class_="dim") if found.claims.left_out else "",
        ]
    )


def verifications_card(found: Sequence[Verification]) -> Markup:
    """Return verdicts on printed statements as a table, the failing ones with what would make them hold."""
    failed = [entry for entry in found if not entry.holds]
    words = f"{len(failed)} of {len(found)} statements fail" if failed else f"{len(found)} statements hold"
    rows = [
        (
            light(GREEN, "holds") if entry.holds else light(RED, "fails"),
            entry.statement.number,
            entry.statement.name,
            number(entry.residual, 2),
            number(entry.bound, 2),
            "" if entry.holds else entry.note or "; ".join(alternatives(entry.mends)) or "no mend found",
        )
        for entry in found
    ]
    return header(RED if failed else GREEN, words) + table(("", "", "statement", "residual", "bound", ""), rows, (3, 4))


def check_card(found: Check) -> Markup:
    """Return the verdict on an answer to an exercise."""
    return header(GREEN if found.right else RED, "right" if found.right else "not right") + joined(
        [element("pre", found.answer), element("p", found)]
    )


def exercise_card(found: Exercise) -> Markup:
    """Return a task: the text, the symbols, what is asked; no solution."""
    words = [element("p", part) for part in found.text.split("\n\n")] if found.text else []
    words += [element("p", f"Symbols: {found.symbols}.")] if found.symbols else []
    asked = table(("asked", ""), [(question.asks, question) for question in found.questions])
    title = found.title or found.about.source
    return joined([element("header", element("b", title), element("span", found.source)), *words, asked])


def steady_card(found: SteadyMotion) -> Markup:
    """Return the card of an equilibrium or a steady motion, with what its linear part says about stability."""
    system = found.system
    kind = "steady motion" if found.rates else "equilibrium"
    pairs = zip(system.coordinates, found.state.q, found.state.v, strict=True)
    rows = [
        (
            name,
            with_unit(number(q, 9), system.unit(name)),
            *([with_unit(number(v, 9), system.unit(f"d_{name}"))] if found.rates else []),
        )
        for name, q, v in pairs
    ]
    head = ("coordinate", "position", *(["velocity"] if found.rates else []))
    named = zip(system.row_names, found.multipliers, strict=True)
    forces = [(name, with_unit(number(x), system.unit(name))) for name, x in named]
    lines: list[tuple[object, object]] = [("imbalance", f"{found.residual:.2g}, relative to the terms")]
    if found.family:
        lines.append(("family", f"one of a family of dimension {found.family}"))
    lines += [("rates" if k == 0 else "", f"{name} = {number(x)}") for k, (name, x) in enumerate(found.rates.items())]
    return joined(
        [
            element("header", element("b", f"{kind} of {system.name}")),
            table(head, some(rows, MOST, len(head)), (1, 2)),
            table(("row", "multiplier"), some(forces, MOST, 2), (1,)) if forces else "",
            facts(lines),
        ]
    )


def linear_card(found: Linearization) -> Markup:
    """Return the card of linear equations: stability, eigenvalues, states, and their matrices behind a click."""
    point = ", ".join(
        with_unit(f"{n} = {number(x)}", found.system.unit(n))
        for n, x in zip(found.system.coordinates[:MOST], found.state.q, strict=False)
    )
    lines: list[tuple[object, object]] = [("about", point), ("states", ", ".join(found.states) or "none")]
    lines += [
        (word, ", ".join(names)) for word, names in (("inputs", found.inputs), ("outputs", found.outputs)) if names
    ]
    matrices = [(name, getattr(found, name)) for name in "ABCD"]
    shown = [_matrix(name, x) for name, x in matrices if x.size and max(x.shape) <= LARGEST]
    return joined(
        [
            header(_stable(found.stability), found.stability, f"{found.system.name}, linear about a state"),
            element("p", found.sentence),
            _eigenvalues(found.spectrum),
            facts(lines),
            folded("matrices", *shown) if shown else "",
        ]
    )


def spectrum_card(found: Spectrum) -> Markup:
    """Return the card of eigenvalues."""
    return joined([header(_stable(found.verdict), found.verdict), element("p", found.sentence), _eigenvalues(found)])


def _stable(verdict: str) -> str:
    return RED if verdict == VERDICTS[0] else AMBER if verdict == VERDICTS[1] else GREEN


def _eigenvalues(found: Spectrum) -> Markup:
    """Return the eigenvalues with frequencies and damping, pairs in one line."""
    rows = []
    for x, error in zip(found.clear, found.uncertainty, strict=True):
        if x.imag < 0.0:
            continue  # with the one above it
        size = abs(x)
        damping = number(0.0 - x.real / size, 4) if size > error else ""
        frequency = number(size / (2.0 * np.pi), 5) if x.imag else ""
        rows.append((number(x.real), f"± {number(x.imag)}" if x.imag else "", f"{error:.1g}", frequency, damping))
    head = ("real part / 1/s", "imaginary part / 1/s", "uncertain by", "frequency / Hz", "damping ratio")
    return table(head, some(rows, MOST, 5), range(5))


def _matrix(name: str, values: Array) -> Markup:
    rows = "".join(f"<mtr>{''.join(f'<mtd><mn>{number(x, 4)}</mn></mtd>' for x in row)}</mtr>" for row in values)
    inner = f'<mi>{name}</mi><mo>=</mo><mtable class="matrix">{rows}</mtable>'
    return element("div", Markup(f"<math><mrow>{inner}</mrow></math>"), class_="formula")
