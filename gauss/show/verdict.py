"""The verdict page: everything that is known about the uniqueness at one state, for people and for programs."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gauss.foundation.arrays import SPECK, tidied
from gauss.show.friction import finite, friction_data, friction_part
from gauss.uniqueness import Verdict
from gauss.verdict import LawOfFriction

SHOWN = 12  # singular values, dependent sets, conditions and candidates that are printed
MEMBERS = 4  # of a continuum
COLOURS = {
    **dict.fromkeys(("regular",), "bold green"),
    **dict.fromkeys(("redundant", "crossing", "locked"), "bold cyan"),
    **dict.fromkeys(("branching", "higher order", "undecided"), "bold yellow"),
}


def verdict_page(found: Verdict, title: str) -> Group:
    """Return the printable verdict on one state."""
    head = Text(title, style="bold")
    state = ", ".join(
        f"{name} {q:.6g} ({v:.6g}/s)"
        for name, q, v in zip(found.coordinates[:SHOWN], found.state.q, found.state.v, strict=False)
    )
    parts: list[Any] = [head, Text(f"t = {found.state.t:g} s: {state}", style="dim"), Text()]
    parts.append(Padding(_words(found), (0, 0, 0, 2)))
    parts.append(Padding(_evidence(found), (1, 0, 0, 2)))
    parts.append(_accelerations(found))
    if isinstance(found.friction, LawOfFriction):
        parts.append(friction_part(found.friction.findings))
    if found.reactions is not None and found.reactions.rows and not found.reactions.unique:
        parts.append(Text("  multipliers: not all are determined", style="bold"))
        parts.append(Padding(Text(str(found.reactions)), (0, 0, 1, 2)))
    return Group(*parts)


def _words(found: Verdict) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in found.findings:
        _, _, text = finding.sentence.partition(": ")
        table.add_row(Text(finding.verdict, style=COLOURS.get(finding.verdict, "bold red")), text)
    for warning in found.warnings:
        table.add_row(Text("warning", style="yellow"), warning)
    return table


def _evidence(found: Verdict) -> Table:
    r = found.regularity
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("rank", f"{r.rank} of {len(r.rows)} rows")
    sigma = [f"{s:.3g}" for s in r.sigma]
    if len(sigma) > SHOWN:
        sigma = [*sigma[: SHOWN // 2], "…", *sigma[-SHOWN // 2 :]]
    table.add_row("singular values", ", ".join(sigma) or "none")
    doubt = "   (the decision may go either way)" if r.doubtful else ""
    table.add_row("tolerance, gap", f"{r.tolerance:.2g}, {r.gap:.3g}{doubt}")
    for k, group in enumerate(r.dependent[:SHOWN]):
        table.add_row("dependent" if k == 0 else "", " + ".join(group))
    if len(r.dependent) > SHOWN:
        table.add_row("", f"and {len(r.dependent) - SHOWN} more sets")
    for k, text in enumerate(found.conditions[:SHOWN]):
        table.add_row("conditions" if k == 0 else "", text)
    if found.nearby:
        ranks = sorted({p.rank for p in found.nearby})
        table.add_row("nearby points", f"{len(found.nearby)}, of rank {', '.join(map(str, ranks))}")
    return table


def _accelerations(found: Verdict) -> Group:
    answers = found.accelerations
    head = f"  acceleration: {answers.status}"
    if answers.status != "none" and (answers.status != "one" or not answers.complete):
        head += (
            f"; the list is {'complete' if answers.complete else 'not certified to be complete'}: {answers.evidence}"
        )
    if found.motion_unique is not None:
        head += f"\n  motion: {'' if found.motion_unique else 'not '}unique, as far as the rows decide"
    table = Table(box=SIMPLE_HEAD, padding=(0, 1))
    table.add_column("kind")
    table.add_column("acceleration", overflow="fold")
    table.add_column("Zwang", justify="right", no_wrap=True)
    table.add_column("as a motion")
    force = found.problem.f
    free = np.linalg.lstsq(found.problem.M, force)[
        0
    ]  # beside which, and its Zwang against rest, smaller numbers are rounding
    for c in answers.candidates[:SHOWN]:
        zwang = c.zwang if c.zwang > SPECK**2 * abs(force @ free) else 0.0
        table.add_row(c.kind, _listed(found.coordinates, c.a, free), f"{zwang:.9g}", c.confirmed)
    if len(answers.candidates) > SHOWN:
        table.add_row("", f"and {len(answers.candidates) - SHOWN} more", "", "")
    for f in answers.continua:
        members = "\n".join(_listed(found.coordinates, a, free) for a in f.sample(MEMBERS))
        table.add_row(f"{f.kind}, a family of dimension {f.dimension}", members + "\n…", f"{f.zwang:.9g}", f.confirmed)
    parts: list[Any] = [Text(), Text(head, style="bold")]
    if answers.candidates or answers.continua:
        parts.append(table)
    if answers.lower_bound is not None:
        word = "certified to be" if answers.certified else "not certified to be"
        parts.append(Text(f"  The least Zwang is {word} the global minimum (lower bound {answers.lower_bound:.9g})."))
    return Group(*parts)


def _listed(names: tuple[str, ...], a: Any, free: Any) -> str:
    shown = tidied(np.concatenate([a, free]))[: len(a)]
    pairs = [f"{name}'' {x:.9g}" for name, x in zip(names, shown, strict=True)]
    if len(pairs) > 2 * SHOWN:
        pairs = [*pairs[:SHOWN], "…"]
    return ", ".join(pairs)


def verdict_data(found: Verdict) -> dict[str, Any]:
    """Return the verdict as plain data, ready for JSON (non-finite numbers become null)."""
    r = found.regularity
    data: dict[str, Any] = {
        "state": {
            "q": dict(zip(found.coordinates, found.state.q.tolist(), strict=True)),
            "v": dict(zip(found.coordinates, found.state.v.tolist(), strict=True)),
            "t": found.state.t,
        },
        "verdict": found.verdict,
        "verdicts": list(found.verdicts),
        "sentence": found.sentence,
        "findings": [
            {"verdict": f.verdict, "sets": [list(group) for group in f.sets], "sentence": f.sentence}
            for f in found.findings
        ],
        "warnings": list(found.warnings),
        "rank": r.rank,
        "rows": list(r.rows),
        "singular_values": r.sigma.tolist(),
        "tolerance": finite(r.tolerance),
        "gap": finite(r.gap),
        "doubtful": r.doubtful,
        "dependent": [list(group) for group in r.dependent],
        "conditions": list(found.conditions),
        "nearby_ranks": [p.rank for p in found.nearby],
        "acceleration": _acceleration_data(found),
    }
    if found.answer is not None:
        rows = found.answer.problem.rows.names
        data["multipliers"] = dict(zip(rows, found.answer.multipliers.tolist(), strict=True))
        data["error_bound"] = finite(found.answer.error_bound)
    if isinstance(found.friction, LawOfFriction):
        data |= friction_data(found.friction.findings)
    if found.reactions is not None:
        ranges = zip(found.reactions.rows, found.reactions.low, found.reactions.high, strict=True)
        data["multiplier_ranges"] = {name: [finite(low), finite(high)] for name, low, high in ranges}
        data["reaction"] = dict(zip(found.coordinates, found.reactions.reaction.tolist(), strict=True))
    return data


def _acceleration_data(found: Verdict) -> dict[str, Any]:
    """Return all accelerations as plain data."""
    answers = found.accelerations
    candidates = [
        {
            "a": dict(zip(found.coordinates, c.a.tolist(), strict=True)),
            "zwang": c.zwang,
            "kind": c.kind,
            "confirmed": c.confirmed,
        }
        for c in answers.candidates
    ]
    continua = [
        {
            "dimension": f.dimension,
            "zwang": f.zwang,
            "kind": f.kind,
            "confirmed": f.confirmed,
            "sample": f.sample(MEMBERS).tolist(),
        }
        for f in answers.continua
    ]
    return {
        "status": answers.status,
        "complete": answers.complete,
        "evidence": answers.evidence,
        "lower_bound": None if answers.lower_bound is None else finite(answers.lower_bound),
        "candidates": candidates,
        "continua": continua,
    }
