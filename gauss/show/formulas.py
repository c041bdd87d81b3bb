"""The model as readable formulas on a terminal."""

from __future__ import annotations

import sympy as sp
from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from gauss.analysis.symbolic import formulas, rounded, short
from gauss.scenario import Scenario

WIDTH = 76  # columns a formula may take before it is written on one line


def show_model(scenario: Scenario) -> Group:
    """Return the printable page of a model: coordinates, energies, M, f and every constraint row."""
    system = scenario.system
    f = formulas(system)
    names = {symbol: sp.Symbol(_dotted(str(symbol)[: -len("_dot")])) for symbol in f.velocities}
    parts: list[object] = [Text(scenario.title, style="bold"), Text(scenario.text, style="dim"), Text()]
    parts.append(_line("coordinates q", ", ".join(system.coordinates)))
    if system.parameters:
        parts.append(_line("parameters", ", ".join(f"{k} = {x:g}" for k, x in system.parameters.items())))
    if system.controls:
        parts.append(_line("controls u", ", ".join(system.controls)))
    if f.kinetic is not None:
        parts += _formula("kinetic energy T", short(f.kinetic), names)
        parts += _formula("potential energy V", short(f.potential), names)
    parts += _formula("mass matrix M", f.M, names)
    parts += _formula("force f  (M a = f + Jᵀλ)", f.f, names)
    if system.black_box_force is not None:
        parts.append(_line("black-box force", "added to f; it is code, not a formula"))
    for row in f.rows:
        parts.append(Text(f"\n{row.kind} row {row.name!r}:", style="cyan"))
        parts += _formula(row.relation, row.statement, names, before=True)
        parts += _formula("J", row.J, names)
        parts += _formula("γ", row.gamma, names)
    if not f.rows:
        parts.append(Text("no constraints"))
    return Group(*parts)  # type: ignore[arg-type]


def _dotted(name: str) -> str:
    """Return the name that SymPy prints with a dot: x1 becomes xdot1."""
    stem = name.rstrip("0123456789")
    return f"{stem}dot{name[len(stem) :]}"


def _line(label: str, text: str) -> Text:
    return Text.assemble((f"{label}  ", "cyan"), text)


def _formula(label: str, expression: sp.Basic, names: dict[sp.Symbol, sp.Symbol], before: bool = False) -> list[object]:
    """Return a labelled formula; `before` puts the label behind it on the same line, as a relation.

    A formula wider than the page is written on one line, term by term, instead of in two dimensions.
    """
    simple = expression.applyfunc(rounded) if isinstance(expression, sp.MatrixBase) else rounded(expression)
    renamed = simple.xreplace(names)
    text = sp.pretty(renamed, use_unicode=True, full_prec=False, wrap_line=False)
    if max(map(len, text.splitlines())) > WIDTH:
        entries = list(renamed) if isinstance(renamed, sp.MatrixBase) else [renamed]
        text = "\n".join(sp.sstr(entry, full_prec=False).replace("**", "^") for entry in entries)
    if before:
        return [Padding(Text(f"{text}  {label}" if "\n" not in text else f"{text}\n{label}"), (0, 0, 0, 4))]
    return [Text(label, style="cyan"), Padding(Text(text), (0, 0, 0, 4))]
