"""The printed statements of the sources: writes misprints.md and inventory.md of docs/reference.

    python docs/inventory.py

Statements come from the folder sources; what is printed but states nothing that can be tested, is illegible, or has not
been entered is listed here by hand. A misprint is a statement that has a correct form. With `--check` the pages are
only compared with the statements: that of misprints, and of the inventory what needs no verification.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from gauss import sources
from gauss.sources import Statement, Verification
from gauss.sources.repair import alternatives

HERE = Path(__file__).resolve().parent
INVENTORY, MISPRINTS = HERE / "reference/inventory.md", HERE / "reference/misprints.md"

CHAPTERS = (
    ("TM chapter 0", "complete, with exercises 0.2 and 0.3"),
    ("TM chapter 1", "complete, with exercises 1.2 and 1.3"),
    ("TM chapter 2", "complete, with exercises 2.2 and 2.3"),
    ("TM chapter 3", "§3.1–3.5.1 complete; §3.5.2–3.5.5 and the exercises are entered in their scenarios"),
    ("TM chapter 4", "complete, general theory at a system of three coordinates; exercise 4.1"),
    ("TM chapter 5", "complete, general theory at systems of two coordinates; exercises 5.1, 5.7, 5.8"),
    ("TM chapter 6", "complete, at a body of four point masses; exercises 6.2–6.5 and 6.7"),
    ("TM chapter 7", "complete"),
    ("TM chapter 8", "complete, with exercises 8.1 and 8.2"),
    ("TM chapter 9", "complete, (9.1)–(9.3) at a system of four coordinates; exercise 9.1"),
    ("BP", "complete: (1.1)–(4.4), the general theory at three masses in a ball with its rotation"),
    ("VHIF", "complete: §1 at a body of five point masses and at a frame of bars, §2 with its closed form"),
    ("C", "complete: (1)–(8), (14), (16)–(23) at three particles, (9)–(13) in the scenarios of the cone"),
    ("BH", "complete: (1)–(32) and (35), at two bodies of point masses on a skate"),
)
BY_HAND = (
    (
        "TM §0.1 ma = F; (7)",
        "entered otherwise",
        "(1) is the law's instance; of the integral t(θ) the integrand is entered",
    ),
    ("TM §1.1, u + v, αu, c(t), ċ(t)", "not a checkable statement", "definitions"),
    ("TM §1.1, triangle inequality", "not a checkable statement", "an inequality; the products are entered"),
    ("TM §1.2 s(t), §1.3 K(s), T(s), R = 1/K", "entered otherwise", "by ds = |ċ|dt, dt/ds = Kn and db/ds = −Tn"),
    ("TM (1.3)–(1.5)", "entered otherwise", "with the coefficients of (1.8)"),
    ("TM ch. 2 (1)", "not a checkable statement", "definition of the motion of n points"),
    ("TM §2.4.1, r(t) = 0", "not a checkable statement", "0 = 0; scenario non_unique_motion compares both motions"),
    ("TM §2.4.2", "not a testable equation", "the expansion p² ≅ 2(1 − ½q²) + C is an approximation"),
    ("TM §2.4.2, q = φ, p = φ̇", "not a checkable statement", "notation"),
    ("TM ch. 3, norms, Fréchet derivative, f₁–f₄", "not a checkable statement", "definitions"),
    (
        "TM Thm 3.4.1",
        "entered otherwise",
        "its instances are the scenarios dido and brockett_integrator; the row of fig. 3.2 is that of §8.2.1",
    ),
    ("TM ch. 4, L = K − V and I = ∫L dt", "not a checkable statement", "definitions; their consequence is (4.1)"),
    (
        "TM exercises 0.1, 1.1, 2.1, 2.4, 4.2–4.5, 5.2–5.6, 6.1, 6.6, 7.1, 8.3–8.6",
        "not a checkable statement",
        "they ask for equations; what they print is given or is in the text; scenarios work out 2.4 and 4.2–4.7",
    ),
    ("TM §5.1, f = v³", "not a checkable statement", "its Legendre transform does not exist"),
    ("TM §5.4, Q and Q⁻¹", "entered otherwise", "their products with q̇ and p are in the canonical equations"),
    (
        "TM Thm 5.6.1, M_α and the rank of the derivatives",
        "not a checkable statement",
        "of solution by quadratures; its conditions are entered at the pendulum of §5.7 and the top of §7.3",
    ),
    ("TM §5.7", "misprint in words", "“φ̇ ≠ 0 or φ̇ ≠ 0”: the second must be φ̈ (from ṗ₂ ≠ 0 and p₂ = mb²φ̇)"),
    ("TM §5.8, V_t <, >, = V₀", "not a checkable statement", "definitions"),
    ("TM Thm 5.8.1 (volume), 5.10.1", "entered otherwise", "claims of the scenario torus_flow; div X = 0 is entered"),
    (
        "TM §5.11",
        "misprint in words",
        "points that differ by whole numbers are identified, and the area is 4π²; angles repeat after 2π",
    ),
    (
        "TM §6.1 c(t), §6.3 (1), §6.5 A",
        "not a checkable statement",
        "definitions of motion and displacement, as in (6.1)",
    ),
    ("TM §6.4 c(t) = R(t)", "not a checkable statement", "definition"),
    ("TM (6.3)", "misprint or transcription", "Eᵀė: the rate of the matrix, EᵀĖ, is meant, and entered"),
    ("TM §7.1, §7.2, general forms again", "entered otherwise", "as (6.5), (4.1) and (5.2)"),
    (
        "TM §7.3",
        "misprint without effect",
        "{H, p₁} = −∂H/∂α and {H, p₃} = −∂H/∂γ: by (5.4) the sign is +; both derivatives vanish",
    ),
    ("TM §7.4", "misprint in words", "“as u² ≥ 0”: u̇² ≥ 0 is meant"),
    ("TM §7.4, f(u), L(u), L̄(u)", "not a checkable statement", "names for what (7.3) and §7.4 (7) have"),
    (
        "TM §8.1.1–8.3.1, 9.1, F(q), M_F, rows and ẋ = u₁ cos φ, … written out",
        "entered otherwise",
        "by the constraints of the systems, their matrices A and the columns of G",
    ),
    ("TM §8.4", "misprint in words", "F: ℝⁿ → ℝ¹ for a matrix A of l rows: ℝˡ is meant"),
    (
        "TM §8.4.1, mA = DF",
        "not a checkable statement",
        "a supposition that is refuted; what follows from it is entered",
    ),
    (
        "TM Thm 8.4.1",
        "entered otherwise",
        "the ranks of §8.4.3 are entered; the scenario vehicles computes those of seven vehicles",
    ),
    (
        "TM §8.4.3",
        "misprint without effect",
        "in g₁₁₂ the first factor must be r cos φ (printed r sin φ); the derivative it multiplies is zero",
    ),
    ("TM §9.1.1", "misprint in words", "“η̇₂ = φ̇ = 0”: φ̈ = 0 is meant"),
    (
        "TM §9.1.4, first two equations with multipliers",
        "hardly legible in the scan",
        "“m r̈ cos α sin β”, “m β̈ sin α cos β”, “2m ṙβ̇” are read as mrα̈ …, mrβ̈ …, 2mrα̇β̇, and entered so",
    ),
    (
        "TM §9.1.4, control system",
        "misprint",
        "γ̇ = η₄, γ̈ = η̇₄ must be γ̇ = η₁, γ̈ = η̇₁: G has three columns, and the equations at the end have it so",
    ),
    (
        "BP §1, M_P ∥ e_z; v_P = 0",
        "entered otherwise",
        "M_P is a friction about the vertical in (1.2); v_P = 0 is (1.1)",
    ),
    ("BP §1, m_i/μ → 0; §4, the same", "not a checkable statement", "a limit; (1.6) and (3.5) are entered"),
    ("BP (2.9)", "illegible in the scan", "entered as the text before it and T̂ of §4 define it"),
    ("BP §3, Σ and its symmetry SO(3)", "not a checkable statement", "a definition; its consequence M = 0 is entered"),
    ("BP §3, δA = Σ(F′_i, δr_i), (Q, δq)", "entered otherwise", "by the forces Q in (3.6)"),
    ("BP §3, A = ∫L dt", "entered otherwise", "by Lagrange's equations, of which it is the functional"),
    ("BP §3, corollary 2", "not a checkable statement", "existence of motions between two positions"),
    (
        "BP §4, Σ = S² × … × S²",
        "entered otherwise",
        "by the metric (3.5) of two pendulums; integrability is no equation",
    ),
    ("BP §4, “(3.5)” in the text", "illegible in the scan", "the number of the metric is lost where it is displayed"),
    ("BP §3, “(3.6)” in the text", "illegible in the scan", "Lagrange's equations carry (3.5) in the transcription"),
    ("VHIF §1, K, K₀, c₀, W and Tᵛ", "entered otherwise", "definitions, by sums over point masses"),
    ("VHIF §1, ⟨Ṙu, Ṙu⟩ ≥ 0", "not a checkable statement", "a square; its consequence, Λ negative, is entered"),
    (
        "VHIF §1, remark after property 3",
        "misprint in words",
        "RΛRᵀ is called the mean of the stresses over the volume; by property 3 it is −∫σ dv, minus volume times mean",
    ),
    ("VHIF §2, the two rotations in words", "entered otherwise", "they are the factors of R(t) as corrected"),
    ("C (4), determinants of F_ρi", "not a checkable statement", "definition of a regular position"),
    ("C, Z = Σm_i(ẍ_i − X_i/m_i)²", "illegible in the scan", "entered in (7) and before (21), which need it"),
    ("C (15)", "not expressible", "the package has no nonholonomic unilateral rows; (16)–(20) are entered for (14)"),
    (
        "C (17) where no reaction acts",
        "not expressible",
        "a statement has no branches: closed contacts that open are left out",
    ),
    ("C, proofs: Z(η) > Z(ξ), Z(ξ + u) ≥ Z(ξ)", "entered otherwise", "by (7), (8) and (18)"),
    ("C, after (13): d'Alembert's principle", "entered otherwise", "claims of the scenario cone_apex"),
    ("C, after (23): cases O, T, A", "entered otherwise", "claims of the scenario three_cases"),
    ("C, after (23)", "misprint in words", "two cases of the geometry are announced and three are described"),
    (
        "C, “T on the boundary of S_N and R_3n”",
        "misprint in words",
        "T lies in S_N, in its interior as a rule; only A lies on the boundary",
    ),
    ("BH (4)", "illegible in the scan", "entered with (5), which defines the same symbols"),
    ("BH (15), (16)", "misprint without effect", "Ω_P(j) has lost its second index: Ω_P(j′, i) is meant, and entered"),
    ("BH (16), V_QP = V̇_Q, …, V_PP = V̇_P", "not a checkable statement", "definitions, used in (14)–(16)"),
    ("BH (25), (33), ω̇ = A⁻¹B", "entered otherwise", "by Aω̇ = B, as A is regular; q̇ = R⁻¹z is entered"),
    ("BH, A = ΣA_i, B = ΣB_i", "entered otherwise", "all matrices are sums over the two bodies"),
    ("BH §6, linear equations", "illegible in the scan", "ω̇ = A⁻¹(t)D(t)…, q̇ = R⁻¹(t)z: the rest of the lines is lost"),
    (
        "BH §6, constant and linear matrices",
        "not a checkable statement",
        "rules in words for the order of each matrix; `gauss linearize` has the linear equations",
    ),
    ("BH (34)", "illegible in the scan", "no equation of this number is left"),
    ("BH §7, single-track vehicle", "not a checkable statement", "a division into three bodies, in words"),
)


KEYS = ("TM", "BP", "VHIF", "C", "BH")


class Entry(NamedTuple):
    """A statement, the source of its collection, and the name of its file."""

    place: str
    source: str
    statement: Statement

    @property
    def key(self) -> str:
        """The source it is printed in; a dash where it was worked out for an exercise or comes from elsewhere."""
        key = self.source.replace(",", " ").split()[0]
        return key if key in KEYS and not self.source.endswith("worked out") else "—"

    @property
    def printed(self) -> bool:
        """Whether it is printed in one of the sources."""
        return self.key != "—"

    @property
    def misprint(self) -> bool:
        """Whether it has a correct form, which is not as it is printed."""
        return self.statement.correct is not None


def entries() -> list[Entry]:
    """Return every statement, those that are printed in the sources first."""
    found = [
        Entry(name, printed.source, statement)
        for name in sources.names()
        for printed in sources.load(name).equations
        for statement in printed.claims
    ]
    return sorted(found, key=lambda entry: not entry.printed)


def verdicts() -> list[tuple[Entry, Verification]]:
    """Return every statement with its verdict, in the order of `entries`. Raises ValueError for a wrong mark."""
    found = [
        (Entry(name, printed.source, verdict.statement), verdict)
        for name in sources.names()
        for printed in sources.load(name).equations
        for verdict in sources.verify(printed)
    ]
    wrong = [str(verdict) for entry, verdict in found if verdict.holds == entry.misprint]
    if wrong:
        raise ValueError(f"only what fails has a correct form: {wrong}.")
    return sorted(found, key=lambda pair: not pair[0].printed)


def row(*cells: str) -> str:
    """Return a line of a table of Markdown."""
    return "| " + " | ".join(x.replace("|", "\\|").replace("\n", " ").replace("](", "]\\(") for x in cells) + " |"


def heads(*names: str) -> list[str]:
    """Return the first two lines of a table."""
    return [row(*names), "|" + "---|" * len(names)]


def counts(found: list[Entry]) -> list[str]:
    """Return how many statements there are, and how many of them hold."""
    printed = [entry for entry in found if entry.printed]
    wrong, others = sum(entry.misprint for entry in printed), [entry for entry in found if not entry.printed]
    return [
        f"{len(printed)} statements are entered: {len(printed) - wrong} hold, {wrong} fail as they are printed;"
        f" of those, {wrong} have a correct form that holds.",
        "",
        f"Besides these, {len(others)} statements are tested that were worked out for exercises or come from elsewhere:"
        f" {sum(not entry.misprint for entry in others)} hold.",
    ]


def listed(entry: Entry) -> tuple[str, str, str, str]:
    """Return the cells of a statement that need no verification."""
    s = entry.statement
    return entry.place, f"{entry.key} {s.number}", s.text or s.name, "**fails**" if entry.misprint else "holds"


def hand_written() -> list[str]:
    """Return the part of the inventory that is written by hand."""
    lines = ["## What is not tested, and why", "", *heads("part", "state", "what it is")]
    return [*lines, *(row(*cells) for cells in BY_HAND)]


def inventory(found: list[tuple[Entry, Verification]]) -> str:
    """Return the inventory as Markdown."""
    lines = [
        "# Inventory of printed statements",
        "",
        "Written by `python docs/inventory.py`; not to be edited by hand. What the verdicts mean is in",
        "[verify.md](../guide/verify.md); the keys of the sources (TM, BP, VHIF, C, BH) are those of the scenarios.",
        "What fails as it is printed is in [misprints.md](misprints.md) too, in the order of the sources.",
        "",
        *counts([entry for entry, _ in found]),
        "",
        "The sources were read in transcriptions of scans. A statement that fails here fails as it is transcribed;",
        "whether the print or the transcription erred is not decided.",
        "",
        "## How far it goes",
        "",
        *heads("part", "state"),
        *(row(*cells) for cells in CHAPTERS),
        "",
        "## What fails as it is printed",
        "",
        *heads("source", "number", "printed", "residual", "what the tool says", "correct form", "its residual"),
    ]
    for entry, verdict in found:
        if entry.printed and entry.misprint:
            s, mends = entry.statement, "; ".join(alternatives(verdict.mends))
            says = mends or verdict.note or "no change of a single term makes it hold"
            corrected = "—" if verdict.corrected is None else f"{verdict.corrected:.0e}"
            lines.append(row(entry.source, s.number, s.text, f"{verdict.residual:.1e}", says, s.remark, corrected))
    lines += ["", *hand_written(), "", "## All statements", ""]
    lines += heads("in", "number", "statement", "verdict", "residual")
    lines += [row(*listed(entry), f"{verdict.residual:.0e}") for entry, verdict in found]
    return "\n".join(lines) + "\n"


def misprints(found: list[Entry]) -> str:
    """Return the page of misprints as Markdown, in the order of the sources."""
    printed = [entry for entry in found if entry.printed]
    wrong = sorted((entry for entry in printed if entry.misprint), key=place_in_source)
    lines = [
        "# Misprints found",
        "",
        "Written by `python docs/inventory.py`; not to be edited by hand. What `gauss verify` finds in the sources,",
        "read in transcriptions of scans (whether print or transcription erred is not decided): of",
        f"{len(printed)} statements {len(wrong)} fail as they are printed. Each was tested at random admissible",
        "states, and its correct form holds there to rounding. `gauss verify NAME` shows it with its residuals and,",
        "where one is found, with the change of a term that mends it.",
        "",
        *heads("source", "as printed", "correct form", "name"),
    ]
    for entry in wrong:
        s = entry.statement
        link = f"[{entry.place}](../../sources/{entry.place}.py)"
        lines.append(row(f"{entry.key} {s.number}", s.text, s.remark, "LINK").replace("LINK", link))
    return "\n".join(lines) + "\n"


def place_in_source(entry: Entry) -> tuple[int, list[int]]:
    """Return the key of the source, and the numbers in the place there, for sorting."""
    return KEYS.index(entry.key), [int(x) for x in re.findall(r"\d+", entry.statement.number)]


def differences(found: list[Entry]) -> list[str]:
    """Return what the pages have otherwise than the sources, as far as it needs no verification."""
    text = INVENTORY.read_text(encoding="utf-8")
    wanted = [line for line in [*counts(found), *(row(*cells) for cells in CHAPTERS), *hand_written()] if line]
    wrong = [f"inventory.md lacks: {line}" for line in wanted if line not in text.splitlines()]
    rows = Counter(row(*listed(entry)).removesuffix("|") for entry in found)
    stated = Counter(line.rpartition("| ")[0] for line in text.partition("## All statements")[2].splitlines()[4:])
    wrong += [f"inventory.md lacks: {line}" for line in (rows - stated).elements()]
    wrong += [f"inventory.md has besides: {line}" for line in (stated - rows).elements()]
    if MISPRINTS.read_text(encoding="utf-8") != misprints(found):
        wrong.append("misprints.md is not what the sources say")
    return wrong


def main() -> int:
    """Write the pages, or compare."""
    if "--check" in sys.argv:
        wrong = differences(entries())
        print("\n".join(wrong))
        return 1 if wrong else 0
    found = verdicts()
    INVENTORY.write_text(inventory(found), encoding="utf-8")
    MISPRINTS.write_text(misprints([entry for entry, _ in found]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
