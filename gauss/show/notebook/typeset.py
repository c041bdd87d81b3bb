"""A model as typeset formulas: energies, rows and equations of motion, simplified, as MathML and as LaTeX.

MathML is what browsers show without a program from the network; LaTeX is what Jupyter and Sphinx hand to MathJax.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from xml.dom.minidom import Element

import sympy as sp
from sympy.printing.latex import tex_greek_dictionary
from sympy.printing.mathml import MathMLPresentationPrinter
from sympy.printing.pretty.pretty_symbology import greek_unicode

from gauss.analysis.symbolic import SIMPLIFIED, Formulas, formulas, rounded, short
from gauss.errors import ModelError
from gauss.model import AnySystem, System, system_of
from gauss.model.compiled.graph import graph_of
from gauss.show.notebook.markup import Markup, element, escaped, folded, joined

MOST = 24  # coordinates of a model whose operations are counted
DOTS = ("", "˙", "¨")  # over a coordinate, its velocity, its acceleration
ACCENTS = ("", r"\dot", r"\ddot")
LEFT = 10  # times as many operations, above which energies and rows are not written either
RELATIONS = {"=": "=", "≥": r"\ge"}


@dataclass(frozen=True)
class Formula:
    """left = right, or ≥; a formula without a relation is its left side alone."""

    left: Any
    relation: str = ""
    right: Any = 0


@dataclass(frozen=True)
class Typeset:
    """The formulas of a model, most under headings; of one that is large a sentence says how to write them."""

    groups: tuple[tuple[str, tuple[Formula, ...]], ...]
    names: Mapping[Any, tuple[str, int]]  # of each symbol: its name, how often it is differentiated
    rows: tuple[Formula, ...] = ()  # φ = 0, ψ = 0, g ≥ 0; of friction the slip velocity
    left_out: str = ""

    def html(self) -> Markup:
        """Return the formulas under headings as MathML, M and f behind a click."""
        parts: list[Markup] = []
        for heading, group in self.groups:
            lines = joined(element("div", _mathml(formula, self.names), class_="formula") for formula in group)
            parts.append(folded(heading, lines) if heading == "M and f" else element("h4", heading) + lines)
        return joined([*parts, *([element("p", self.left_out, class_="dim")] if self.left_out else [])])

    def row(self, k: int) -> Markup:
        """Return the formula of a row as MathML."""
        return _mathml(self.rows[k], self.names)

    def latex(self) -> str:
        """Return the formulas as one display of LaTeX; a large model as a sentence."""
        if self.left_out and not self.groups and not self.rows:
            return rf"$\text{{{_plain(self.left_out)}}}$"
        names = {symbol: latex_name(*name) for symbol, name in self.names.items()}
        lines = [
            f"{_latex(f.left, names)} & {RELATIONS.get(f.relation, '')} {_latex(f.right, names) if f.relation else ''}"
            for group in (self.rows, *(group for _, group in self.groups))
            for f in group
        ]
        lines += [rf"& \text{{{_plain(self.left_out)}}}"] if self.left_out else []
        return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"


def latex(system: AnySystem) -> str:
    """Return T, V, the rows, the equations of motion, M and f of a system as LaTeX, or a sentence if they are many."""
    return formulas_of(system_of(system)).latex()


@lru_cache(maxsize=8)
def formulas_of(system: System) -> Typeset:
    """Return the formulas of a system, or a sentence where there are too many or none."""
    size = graph_of(system).written_out if system.n <= MOST else 0
    large, left_out = size > SIMPLIFIED or system.n > MOST, ""
    if large:
        reason = f"{size} operations" if size else f"{system.n} coordinates"
        how = 'gauss.sympy.to_sympy(system, form="shared") writes them'
        left_out = f"The equations are not written out here, as they have {reason}; {how}."
        if size > LEFT * SIMPLIFIED or system.n > MOST:
            return Typeset((), {}, left_out=left_out)
    try:
        found = formulas(system, equations=not large)
    except ModelError as error:
        return Typeset((), {}, left_out=str(error))
    accelerations = [sp.Symbol(f"{x}_ddot", real=True) for x in system.coordinates]
    forces = [sp.Symbol(f"lambda_{k + 1}", real=True) for k in range(len(found.rows))]
    names = {symbol: (str(symbol), 0) for symbol in (*found.coordinates, *forces, *_free(found))}
    names |= {symbol: (name, 1) for symbol, name in zip(found.velocities, system.coordinates, strict=True)}
    names |= {symbol: (name, 2) for symbol, name in zip(accelerations, system.coordinates, strict=True)}
    rows = tuple(
        Formula(rounded(row.statement), "" if row.kind == "friction" else row.relation[0]) for row in found.rows
    )
    groups = _energies(found, rounded) if large else _groups(system, found, accelerations, forces)
    return Typeset(tuple(groups), names, rows, left_out)


def _groups(
    system: System, found: Formulas, accelerations: list[Any], forces: list[Any]
) -> Iterator[tuple[str, tuple[Formula, ...]]]:
    """Yield headings with their formulas."""
    yield from _energies(found, short)
    M, f = found.M.applyfunc(rounded), found.f.applyfunc(rounded)
    inertia, pairs = M * sp.Matrix(accelerations), list(zip(found.rows, forces, strict=True))
    reactions = [sum((rounded(row.J[k]) * x for row, x in pairs), sp.S.Zero) for k in range(system.n)]
    box = " (the black-box force is code, and is added)" if system.black_box_force is not None else ""
    yield (
        f"equations of motion{box}",
        tuple(Formula(a, "=", x + reaction) for a, x, reaction in zip(inertia, f, reactions, strict=True)),
    )
    yield "M and f", (Formula(sp.Symbol("M"), "=", M), Formula(sp.Symbol("f"), "=", f))


def _energies(found: Formulas, written: Callable[[Any], Any]) -> Iterator[tuple[str, tuple[Formula, ...]]]:
    """Yield the energies under their heading."""
    potential = [Formula(sp.Symbol("V"), "=", written(found.potential))] if found.potential != 0 else []
    if found.kinetic is not None:
        yield "energies", (Formula(sp.Symbol("T"), "=", written(found.kinetic)), *potential)
    elif potential:
        yield "potential energy", tuple(potential)


def _free(found: Formulas) -> set[Any]:
    """Return all symbols of the formulas but velocities, which have dots."""
    all_of = [found.potential, found.M, found.f, *([] if found.kinetic is None else [found.kinetic])]
    all_of += [part for row in found.rows for part in (row.statement, row.J)]
    return set().union(*(x.free_symbols for x in all_of)) - set(found.velocities)


def _parts(name: str) -> tuple[str, str]:
    """Return a name and its index: what follows the first underscore or a Greek letter, or digits at the end."""
    base, _, index = name.partition("_")
    stem = base.rstrip("0123456789")
    if stem[:-1] in greek_unicode and stem[-1].isupper():
        return stem[:-1], ",".join(part for part in (base[len(stem) - 1 :], *index.split("_")) if part)
    digits = base[len(stem) :] if stem else ""
    return (stem or base), ",".join(part for part in (digits, *index.split("_")) if part)


def latex_name(name: str, dots: int = 0) -> str:
    """Return the name of a symbol, so often differentiated, in LaTeX.

    >>> latex_name("phi1"), latex_name("phiM", 1), latex_name("omega"), latex_name("crank_x")
    ('\\\\phi_1', '\\\\dot{\\\\phi}_M', '\\\\omega', '\\\\mathrm{crank}_x')
    """
    base, index = _parts(name)
    text = tex_greek_dictionary.get(base, rf"\{base}" if base in greek_unicode and base != "omicron" else base)
    text = rf"\mathrm{{{text}}}" if text == base and len(base) > 1 else text
    text = f"{ACCENTS[dots]}{{{text}}}" if dots else text
    if not index:
        return text
    return f"{text}_{index}" if len(index) == 1 else rf"{text}_{{\mathrm{{{index}}}}}"


def _latex(expression: Any, names: dict[Any, str]) -> str:
    return str(sp.latex(expression, symbol_names=names))


def _plain(text: str) -> str:
    """Return a text for LaTeX's \\text."""
    plain = "".join(" " if letter in r"\^~" else letter for letter in text)
    return "".join(rf"\{letter}" if letter in "#$%&_{}" else letter for letter in plain)


def _mathml(formula: Formula, names: Mapping[Any, tuple[str, int]]) -> Markup:
    """Return a formula as an element <math>."""
    printer = _Printer(names)
    right = f"<mo>{escaped(formula.relation)}</mo>{printer.doprint(formula.right)}" if formula.relation else ""
    left = printer.doprint(formula.left)
    return Markup(f'<math display="inline" displaystyle="true"><mrow>{left}{right}</mrow></math>')


class _Printer(MathMLPresentationPrinter):  # type: ignore[misc]
    """SymPy's printer, with dots for derivatives, gaps between factors, brackets that need no special font."""

    def __init__(self, names: Mapping[Any, tuple[str, int]]):
        super().__init__()
        self.names = names

    def _print_Symbol(self, symbol: Any, style: str = "plain") -> Element:
        name, dots = self.names.get(symbol, (str(symbol), 0))
        base, index = _parts(name)
        found = self._leaf("mi", greek_unicode.get(base, base))
        if dots:
            found = self._node("mover", found, self._leaf("mo", DOTS[dots]), accent="true")
        return self._node("msub", found, self._leaf("mi", index)) if index else found

    def _print_Pow(self, power: Any) -> Element:
        base = self._print(power.base) if power.base.is_Symbol and power.exp.is_Integer and power.exp > 0 else None
        if base is None or base.tagName != "msub":
            found: Element = super()._print_Pow(power)
            return found
        return self._node("msubsup", *list(base.childNodes), self._print(power.exp))

    def _print_Piecewise(self, expression: Any) -> Element:
        rows = []
        for value, condition in expression.args:
            words = self._leaf("mtext", "otherwise") if condition == True else self._print(condition)  # noqa: E712
            rows.append(self._node("mtr", self._node("mtd", self._print(value)), self._node("mtd", words)))
        return self._node("mtable", *rows, **{"class": "cases"})

    def _print_MatrixBase(self, matrix: Any) -> Element:
        rows = [
            self._node("mtr", *(self._node("mtd", self._print(x)) for x in matrix.row(k))) for k in range(matrix.rows)
        ]
        return self._node("mtable", *rows, **{"class": "matrix"})

    def doprint(self, expression: Any) -> str:
        found = self._node("mrow", self._print(sp.sympify(expression)))
        for sign in found.getElementsByTagName("mo"):
            text = sign.firstChild
            if text is not None and text.nodeValue == "-":
                text.nodeValue = "−"
            elif text is not None and text.nodeValue == "&InvisibleTimes;":
                text.nodeValue = "\u2062"
                sign.setAttribute("lspace", "0.12em")
                sign.setAttribute("rspace", "0.12em")
        for fence in list(found.getElementsByTagName("mfenced")):  # browsers do not know it any more
            unfenced(fence)
        return str(found.toxml()).replace("&ExponentialE;", "e")

    def _leaf(self, name: str, text: str) -> Element:
        found: Element = self.dom.createElement(name)
        found.appendChild(self.dom.createTextNode(escaped(text)))  # SymPy's documents write it as it is
        return found

    def _node(self, name: str, *inner: Element, **attributes: str) -> Element:
        found: Element = self.dom.createElement(name)
        for part in inner:
            found.appendChild(part)
        for key, value in attributes.items():
            found.setAttribute(key, value)
        return found


def unfenced(fence: Element) -> None:
    """Put brackets in the place of an element <mfenced> of MathML 3, as older SymPy writes it."""
    document, parent = fence.ownerDocument, fence.parentNode
    assert document is not None
    assert parent is not None
    row = document.createElement("mrow")
    inner = list(fence.childNodes)
    signs = [fence.getAttribute("open") or "(", *[fence.getAttribute("separators") or ","] * (len(inner) - 1)]
    for sign, part in zip(signs, inner, strict=False):
        mark = document.createElement("mo")
        mark.appendChild(document.createTextNode(sign))
        row.appendChild(mark)
        row.appendChild(part)
    mark = document.createElement("mo")
    mark.appendChild(document.createTextNode(fence.getAttribute("close") or ")"))
    row.appendChild(mark)
    parent.replaceChild(row, fence)
