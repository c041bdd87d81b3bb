"""What became of printed statements: a page for people and plain data for programs."""

from __future__ import annotations

from typing import Any

import sympy as sp
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from gauss.show.friction import finite
from gauss.sources.repair import Mend, alternatives
from gauss.sources.verification import Verification


def equations_page(found: list[Verification], title: str) -> Group:
    """Return the printable page: every statement with its residual and bound, mends and correct forms."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1))
    table.add_column("", width=1)
    table.add_column("number", no_wrap=True, style="cyan")
    table.add_column("statement", overflow="fold")
    table.add_column("residual", justify="right", no_wrap=True)
    table.add_column("bound", justify="right", no_wrap=True)
    for entry in found:
        mark = Text("✓", style="green") if entry.holds else Text("✗", style="bold red")
        table.add_row(mark, entry.statement.number, _words(entry), f"{entry.residual:.1e}", f"{entry.bound:.1e}")
    failed = [entry for entry in found if not entry.holds]
    open_ones = [entry for entry in failed if not entry.settled]
    states = max((entry.states for entry in found), default=0)
    if open_ones:
        line = Text(f"  ✗ {len(open_ones)} of {len(found)} statements FAIL", style="bold red")
    elif failed:
        known = f"{len(failed)} misprints, whose correct forms hold"
        line = Text(f"  ✓ {len(found) - len(failed)} of {len(found)} statements hold; {known}", style="bold green")
    else:
        line = Text(f"  ✓ all {len(found)} statements hold", style="bold green")
    source = Text(", ".join(dict.fromkeys(entry.source for entry in found)), style="dim")
    about = Text(f"  up to {states} states each; scaled residual |Σ terms| / Σ|terms|", style="dim")
    return Group(Text(title, style="bold"), source, table, line, about, Text())


def _words(entry: Verification) -> Text:
    text = Text(entry.statement.name)
    if entry.statement.text:
        text.append("\n" + entry.statement.text, style="dim")
    if entry.left_out:
        text.append(f"\nnot finite at {entry.left_out} of {entry.states + entry.left_out} states", style="yellow")
    if entry.identity:
        text.append("\nan identity: it holds for any numbers and says nothing of the motion", style="yellow")
    if entry.given:
        text.append(f"\n{'' if entry.holds else 'it '}holds {entry.given}", style="yellow")
    if entry.holds:
        return text
    if entry.note:
        text.append("\n" + entry.note, style="yellow")
    for line in alternatives(entry.mends):
        text.append(f"\n{line}", style="yellow")
    if not entry.mends and not entry.note:
        text.append("\nno change of a single term makes it hold", style="yellow")
    if entry.corrected is not None:
        word = "holds" if entry.mended else "FAILS too"
        text.append(f"\nthe correct form {word}, {entry.corrected:.1e}", style="green" if entry.mended else "bold red")
    if entry.statement.remark:
        text.append("\n" + entry.statement.remark)
    return text


def equations_data(found: list[Verification]) -> dict[str, Any]:
    """Return the verdicts as plain data, ready for JSON (non-finite numbers become null)."""
    return {
        "settled": all(entry.settled for entry in found),
        "statements": [_entry_data(entry) for entry in found],
    }


def _entry_data(entry: Verification) -> dict[str, Any]:
    statement = entry.statement
    return {
        "source": entry.source,
        "number": statement.number,
        "name": statement.name,
        "kind": type(statement).__name__,
        "text": statement.text,
        "verdict": "holds" if entry.holds else "fails",
        "residual": finite(entry.residual),
        "bound": finite(entry.bound),
        "reason": entry.reason,
        "states": entry.states,
        "states_left_out": entry.left_out,
        "identity": entry.identity,
        "note": entry.note,
        "given_numbers": entry.given,
        "correct_form_residual": None if entry.corrected is None else finite(entry.corrected),
        "correct_form_holds": entry.mended,
        "remark": statement.remark,
        "mends": [_mend_data(mend) for mend in entry.mends],
    }


def _mend_data(mend: Mend) -> dict[str, Any]:
    return {
        "row": mend.row,
        "kind": mend.kind,
        "term": mend.term,
        "change": mend.change,
        "formula": sp.sstr(mend.formula, full_prec=False),
        "residual": finite(mend.residual),
        "says": str(mend),
    }
