"""The inventory of the printed statements of the sources: writes docs/inventory.md from what `verify` finds.

    python validation/inventory.py

Statements come from the scenarios (field `equations`) and from validation/printed; what is printed but states nothing
that can be tested, is illegible, or has not been entered is listed here by hand.
"""

from __future__ import annotations

from pathlib import Path

from gauss import scenario
from gauss.analysis.verify import verify

HERE = Path(__file__).absolute().parent
TARGET = HERE.parent / "docs" / "inventory.md"

CHAPTERS = (
    ("TM chapter 0", "complete: every displayed equation that states something, but for exercises"),
    ("TM §2.4", "§2.4 complete; §2.1–2.3 listed below"),
    ("TM §4–5", "§4.1, §4.3–4.4, §5.4 and §5.7 complete; §4.2, §5.1–5.3, §5.5, §5.8–5.11 listed below"),
    ("TM §6–7", "chapter 7 complete; of chapter 6 (6.3), (6.6), (6.7) and §6.8"),
    ("TM §8", "§8.1.1, §8.2.1–8.2.3, §8.3.1, §8.4.3 complete; §8.4.1–8.4.2 listed below"),
    ("TM §9", "§9.1.1–9.1.4 complete, but for what is illegible"),
    ("BP", "equations (1.9), (1.10), (2.1), (2.2), (2.5)–(2.9), (4.2)–(4.4)"),
    ("VHIF", "equations (1.3), (2.1)–(2.4) and those between them"),
    ("C", "equations (9)–(11)"),
)
BY_HAND = (
    ("TM §2.1–2.3", "not entered", "gravitation between n points; momentum, moment of momentum and energy of n points"),
    ("TM §2.4.2", "not a testable equation", "the expansion p² ≅ 2(1 − ½q²) + C is an approximation"),
    ("TM §4.2 (4.1)–(4.7)", "not entered", "general forms; every Lagrange equation entered is an instance of (4.1)"),
    ("TM §5.1–5.3, 5.5, 5.6", "not entered", "general theory; (5.2), (5.3) hold in the instances of §5.4 and §7.2"),
    ("TM §5.7", "misprint in words", "“φ̇ ≠ 0 or φ̇ ≠ 0”: the second must be φ̈ (from ṗ₂ ≠ 0 and p₂ = mb²φ̇)"),
    ("TM §5.8–5.11", "not entered", "divergence, recurrence, flow on the torus"),
    ("TM §6.1–6.3, 6.5", "not entered", "rotation matrices, pseudo-inertia (6.4), Lagrangian (6.5) in vector form"),
    ("TM §8.1, 8.2, 8.3 (8.1)–(8.4)", "not entered", "general forms; instances are entered"),
    ("TM §8.3.1", "not entered", "R and ω_S as matrices; the scenario rolling_ball checks slip and spin by R itself"),
    ("TM §8.4.1, 8.4.2", "not entered", "definitions and the Lie bracket in general"),
    (
        "TM §8.4.3",
        "misprint without effect",
        "in g₁₁₂ the first factor must be r cos φ (printed r sin φ); the derivative it multiplies is zero",
    ),
    (
        "TM §9 (9.1)–(9.3)",
        "not entered",
        "general forms; (9.1) and (9.2) hold in the instances of §9.1, (9.3) is not tested",
    ),
    (
        "TM §9.1.4, first two equations with multipliers",
        "illegible in the scan",
        "the symbols r and α are run together (“m r̈ cos α sin β”), and a term −mrα̇² sin α sin β is there twice",
    ),
    (
        "TM §9.1.4, control system",
        "misprint",
        "γ̇ = η₄ must be γ̇ = η₁, as G has three columns and as the equations of motion at the end have it",
    ),
    ("TM chapters 1, 3", "not entered", "kinematics of a point; calculus of variations"),
    ("BP (1.1)–(1.8), (2.3), (2.4), (2.7), (3.1)–(3.6)", "not entered", "general systems; several lines are illegible"),
    ("VHIF lemma 1, properties 1–3, solution of §2", "not entered", "integrals over the body; the matrix exponentials"),
    ("C (1)–(8), (12)–(18)", "not entered", "general rows and the singular position; tested by gauss uniqueness"),
    ("C", "misprint in words", "two cases of the geometry are announced and three are described"),
    ("BH", "not entered", "none of its equations"),
)


def entries():
    """Return every verdict with the name of its scenario or file."""
    names = [name for name in scenario.names() if scenario.load(name).equations]
    found = []
    for place in [*names, *sorted((HERE / "printed").glob("*.py"))]:
        for printed in scenario.load(place).equations:
            found += [(Path(str(place)).stem, entry) for entry in verify(printed)]
    return found


def cell(text):
    """Return text that may stand in a table of Markdown."""
    return text.replace("|", "\\|").replace("\n", " ")


def page(found):
    """Return the inventory as Markdown."""
    fails = [(place, entry) for place, entry in found if not entry.holds]
    lines = [
        "# Inventory of printed statements",
        "",
        "Written by `python validation/inventory.py`; not to be edited by hand. What the verdicts mean is in",
        "[verify.md](verify.md); the keys of the sources (TM, BP, VHIF, C, BH) are those of the scenarios.",
        "",
        f"{len(found)} statements are entered: {len(found) - len(fails)} hold, {len(fails)} fail as they are printed;"
        f" of those, {sum(entry.settled for _, entry in fails)} have a correct form that holds.",
        "",
        "The sources were read in transcriptions of scans. A statement that fails here fails as it is transcribed;",
        "whether the print or the transcription erred is not decided.",
        "",
        "## How far it goes",
        "",
        "| part | state |",
        "|---|---|",
        *(f"| {part} | {cell(state)} |" for part, state in CHAPTERS),
        "",
        "## What fails as it is printed",
        "",
        "| source | number | printed | residual | what the tool says | correct form | its residual |",
        "|---|---|---|---|---|---|---|",
    ]
    for _, entry in fails:
        says = "; ".join(str(mend) for mend in entry.mends) or entry.note or "no change of a single term makes it hold"
        s = entry.statement
        corrected = "—" if entry.corrected is None else f"{entry.corrected:.0e}"
        cells = (entry.source, s.number, s.text, f"{entry.residual:.1e}", says, s.remark, corrected)
        lines.append("| " + " | ".join(map(cell, cells)) + " |")
    lines += ["", "## What is not tested, and why", "", "| part | state | what it is |", "|---|---|---|"]
    lines += ["| " + " | ".join(map(cell, row)) + " |" for row in BY_HAND]
    lines += ["", "## All statements", "", "| in | number | statement | verdict | residual |", "|---|---|---|---|---|"]
    for place, entry in found:
        verdict = "holds" if entry.holds else "**fails**"
        s = entry.statement
        row = (place, f"{entry.source.split()[0]} {s.number}", s.text or s.name, verdict, f"{entry.residual:.0e}")
        lines.append("| " + " | ".join(map(cell, row)) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(page(entries()), encoding="utf-8")
