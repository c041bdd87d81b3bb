"""The cards of models: what a system or a mechanism is made of, and its formulas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from gauss.bodies import Assembly, Mechanism
from gauss.foundation.arrays import tidied
from gauss.model import System
from gauss.model.units import with_unit
from gauss.show.notebook.markup import (
    AMBER,
    BLUE,
    GREEN,
    Markup,
    element,
    facts,
    folded,
    header,
    joined,
    number,
    some,
    table,
)
from gauss.show.notebook.typeset import Typeset, formulas_of

ACROSS = 6  # joint coordinates that have columns of their own
MOST = 16  # coordinates, rows and parts that are listed


def system_card(system: System) -> Markup:
    """Return the card of a system: its parts and its formulas."""
    formulas = formulas_of(system)
    return joined([_head("System", system.name), facts(_parts(system)), _rows(system, formulas), formulas.html()])


def mechanism_card(mechanism: Mechanism) -> Markup:
    """Return the card of a mechanism: bodies, joints, forces; its System with the formulas behind a click."""
    system = mechanism.system
    parts = [
        (
            word,
            part.name,
            type(part).__name__,
            ", ".join(body.name for body in getattr(part, "bodies", ())),
            ", ".join(_numbers(part)),
        )
        for word, listed in (("body", mechanism.bodies), ("joint", mechanism.joints), ("force", mechanism.forces))
        for part in listed
    ]
    formulas = formulas_of(system)
    gravity = f"({', '.join(map(number, tidied(np.array(mechanism.gravity))))}) m/s²"
    inner = [facts(_parts(system)), _rows(system, formulas), formulas.html()]
    return joined(
        [
            _head("Mechanism", mechanism.name),
            table(("", "name", "kind", "on", "with (SI units)"), some(parts, 2 * MOST, 5)),
            facts([("gravity", gravity)]),
            folded(f"its System: {system.n} coordinates, {len(system.row_names)} rows", *inner),
        ]
    )


def _numbers(part: Any) -> Iterator[str]:
    """Yield the parameters of a part in SI units: numbers, points, and what functions of the state take."""
    for field in fields(part) if is_dataclass(part) else ():
        value = getattr(part, field.name)
        word = field.name.replace("_", " ")
        if callable(value) and not hasattr(value, "bodies"):
            yield f"{word} a function"
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{word} {number(float(value))}"
        elif isinstance(value, tuple) and value and all(isinstance(x, int | float) for x in value):
            yield f"{word} ({', '.join(number(float(x)) for x in value)})"


def assembly_card(found: Assembly) -> Markup:
    """Return the card of a mechanism put together: what may move, what is redundant, in which ways its loops close."""
    amber = found.redundant or found.loose or not found.regularity.regular
    freedoms = [f"freedom {k + 1}" for k in range(len(found.independent))]
    rates = [(name, *map(number, rate)) for name, rate in found.rates.items() if np.any(rate)]
    names = list(dict.fromkeys(name for mode in found.modes for name in mode.values))[:ACROSS]
    ways = [
        (str(k + 1), number(mode.distance, 3), *(number(mode.values[name]) for name in names))
        for k, mode in enumerate(found.modes)
    ]
    moved = [(m.body, number(m.shift, 3), number(m.turn, 3)) for m in found.moved]
    dependent = [("" if k else "dependent rows", " + ".join(rows)) for k, rows in enumerate(found.dependent[:MOST])]
    pose = zip(found.mechanism.system.coordinates, tidied(found.state.q), strict=True)
    state = [(name, with_unit(number(x, 9), found.mechanism.system.unit(name))) for name, x in pose]
    head = ("joint coordinate", *freedoms)
    return joined(
        [
            header(AMBER if amber else GREEN, found.mechanism.name, f"mobility {found.mobility}"),
            element("p", found.sentence),
            facts(dependent) if dependent else "",
            table(head, some(rates, MOST, len(head)), range(1, len(head))) if rates else "",
            table(("way", "away / m", *names), some(ways, MOST, 2 + len(names)), range(1, 2 + len(names))),
            folded("the state", table(("coordinate", "position"), some(state, 2 * MOST, 2), (1,))),
            folded("how far bodies moved", table(("body", "shift / m", "turn / rad"), some(moved, MOST, 3), (1, 2))),
        ]
    )


def _head(kind: str, name: str) -> Markup:
    return element("header", element("b", name), element("span", kind, style=f"border-bottom: 3px solid {BLUE}"))


def _parts(system: System) -> list[tuple[object, object]]:
    """Return what a system is made of, as words and what they are."""
    coordinates = [with_unit(name, system.unit(name), " / ") for name in system.coordinates]
    lines: list[tuple[object, object]] = [("coordinates", _some(coordinates))]
    if system.parameters:
        values = [with_unit(f"{name} = {number(x)}", system.unit(name)) for name, x in system.parameters.items()]
        lines.append(("parameters", _some(values)))
    if system.controls:
        lines.append(("controls", _some(system.controls)))
    if system.black_box_force is not None:
        lines.append(("black-box force", "added to f; it is code, not a formula"))
    if system.unforced:
        lines.append(("forces", "none: no potential energy, that of gravity neither, and no force"))
    return lines


def _rows(system: System, formulas: Typeset) -> Markup:
    """Return the constraint rows by name, kind and formula, with the multipliers that the equations name."""
    if not system.row_names:
        return element("p", "no constraints", class_="dim")
    named = enumerate(zip(system.row_names, system.model.kinds, strict=True))
    if not formulas.rows:
        return table(("row", "kind"), some([(name, kind) for _, (name, kind) in named], MOST, 2))
    rows = [(name, _kind(kind), formulas.row(k), Markup(f"<i>λ</i><sub>{k + 1}</sub>")) for k, (name, kind) in named]
    return table(("row", "kind", "", "multiplier"), some(rows, MOST, 4))


def _kind(kind: str) -> str:
    return "friction, which slips at" if kind == "friction" else kind


def _some(words: Sequence[str]) -> str:
    more = f", … and {len(words) - MOST} more" if len(words) > MOST else ""
    return ", ".join(words[:MOST]) + more
