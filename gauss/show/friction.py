"""The part of the verdict page on Coulomb friction: accelerations, modes, ranges of forces and coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gauss.contact import ContactFindings, ContactForces
from gauss.contact.verdict import SAID
from gauss.foundation.arrays import Array, tidied
from gauss.foundation.outcomes import NONE, ONE, STICK, UNDECIDED

SHOWN = 6  # accelerations that are printed
COLOURS = {ONE: "bold green", NONE: "bold red", UNDECIDED: "bold cyan"}


def friction_part(found: ContactFindings) -> Group:
    """Return the printable section on friction at one state, in the plane or in space."""
    head = Table.grid(padding=(0, 2))
    head.add_column(no_wrap=True)
    head.add_column(overflow="fold")
    colour = COLOURS.get(found.verdict, "bold yellow")
    head.add_row(Text(found.verdict, style=colour), found.sentence)
    for label, text in _facts(found):
        head.add_row(Text(label, style="cyan"), text)
    parts: list[Any] = [Text("  with Coulomb friction", style="bold"), Padding(head, (1, 0, 0, 2))]
    for forces in found.forces[:SHOWN]:
        line = Text("acceleration  " + said_acceleration(found, forces.a))
        parts += [Padding(line, (1, 0, 0, 2)), Padding(_table(forces), (0, 0, 0, 2))]
        parts.append(Padding(Text(forces.sentence), (0, 0, 0, 2)))
    if len(found.forces) > SHOWN:
        parts.append(Text(f"  … and {len(found.forces) - SHOWN} more accelerations"))
    parts.append(Text())
    return Group(*parts)


def _facts(found: ContactFindings) -> list[tuple[str, str]]:
    """Return what is known beside the accelerations, as labels and texts."""
    lines = [("evidence", found.evidence or "others are not excluded")]
    if found.minors is not None:
        lines.append(
            (
                "P-matrix",
                f"{found.minors.verdict}: least principal minor {found.minors.value:.3g} of Hadamard's bound, at"
                f" {', '.join(found.problem.names[i] for i in found.minors.indices)}",
            )
        )
    if found.critical is not None:
        text = "with less friction at all contacts" if np.isfinite(found.critical) else "with any friction"
        lines.append(("critical μ", f"{found.critical:.9g}: {text} each load has one solution"))
    if found.required is not None:
        sticks = not found.problem.in_space and any(STICK in forces.modes for forces in found.forces)
        lines.append(("sticking needs" if sticks else "rest needs", str(found.required)))
    if 0.0 < found.bound < np.inf and found.minors is None:
        lines.append(
            (
                "any load",
                f"at most one acceleration if all coefficients are below {1.0 / found.bound:.4g} of what they are",
            )
        )
    return lines


def said_acceleration(found: ContactFindings, a: Array) -> str:
    """Return an acceleration (n,) in words; what is rounding beside that without contacts is zero."""
    free = np.asarray(np.linalg.lstsq(found.problem.M, found.problem.f, rcond=None)[0], dtype=np.float64)
    shown = tidied(np.concatenate([a, free]))[: len(a)]
    return ", ".join(f"{c}'' {x:.9g}" for c, x in zip(found.problem.coordinates, shown, strict=True))


def _table(forces: ContactForces) -> Table:
    """Return the ranges of the forces; in space friction has two components."""
    along = forces.tangential.reshape(len(forces.names), -1, 2)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1))
    for column in ("contact", "mode"):
        table.add_column(column)
    frictions = ("friction",) if forces.tangential.ndim == 2 else ("friction, first axis", "second axis")
    for column in ("normal force", *frictions):
        table.add_column(column, justify="right")
    for name, mode, p, t in zip(forces.names, forces.modes, forces.normal, along, strict=True):
        table.add_row(name, SAID[mode], _range(p), *map(_range, t))
    for label, moments in forces.resistances:
        table.add_row(label, "", "", *map(_range, moments))
    for name, x in zip(forces.rows, forces.bilateral, strict=True):
        table.add_row(name, "bilateral", _range(x))
    for group in forces.groups:
        table.add_row(group.name, "together", _range(group.normal))
    return table


def _range(ends: Any) -> str:
    low, high = (float(x) for x in ends)
    return f"{low:.6g}" if low == high else f"{low:.6g} … {high:.6g}"


def friction_data(found: ContactFindings) -> dict[str, Any]:
    """Return the section on friction as plain data, ready for JSON; non-finite numbers become null."""
    minors, required = found.minors, found.required
    return {
        "friction": {
            "verdict": found.verdict,
            "sentence": found.sentence,
            "complete": found.complete,
            "evidence": found.evidence,
            "accelerations": [_forces_data(forces) for forces in found.forces],
            "p_matrix": minors and {"verdict": minors.verdict, "least_minor": minors.value, "margin": minors.margin},
            "critical_coefficient": None if found.critical is None else finite(found.critical),
            "required_coefficient": required
            and {"value": finite(required.value), "attained": required.attained, "limiting": list(required.limiting)},
            "bound": finite(found.bound),
        }
    }


def _forces_data(forces: ContactForces) -> dict[str, Any]:
    data: dict[str, Any] = {
        "a": dict(zip(forces.coordinates, forces.a.tolist(), strict=True)),
        "modes": dict(zip(forces.names, forces.modes, strict=True)),
        "normal": _ranges_data(forces.names, forces.normal),
        "tangential": _ranges_data(forces.names, forces.tangential),
        "bilateral": _ranges_data(forces.rows, forces.bilateral),
        "determined": forces.unique,
        "freedom": forces.freedom,
        "wedged": forces.wedged,
        "linked": [list(names) for names in forces.linked],
        "moments": _ranges_data([label for label, _ in forces.resistances], [ends for _, ends in forces.resistances]),
        "accuracy": finite(forces.accuracy),
        "at_limit": [name for name, s in zip(forces.names, forces.at_limit, strict=True) if s],
        "sentence": forces.sentence,
    }
    if forces.groups:
        data["groups"] = {
            group.name: {
                "normal": [finite(x) for x in group.normal],
                "force": {
                    c: [finite(x) for x in row]
                    for c, row in zip(forces.coordinates, group.force, strict=True)
                    if np.any(row)
                },
            }
            for group in forces.groups
        }
    return data


def _ranges_data(names: Sequence[str], table: Sequence[Array] | Array) -> dict[str, list[Any]]:
    """Return ranges (k, 2), or (k, 2, 2), by name."""

    def plain(ends: Array) -> list[Any]:
        return [finite(x) for x in ends] if ends.ndim == 1 else [plain(each) for each in ends]

    return {name: plain(ends) for name, ends in zip(names, table, strict=True)}


def finite(number: float) -> float | None:
    """Return a number for JSON, None where it is not finite."""
    return float(number) if np.isfinite(number) else None
