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

from gauss.contact.findings import ConeFindings
from gauss.contact.forces.ranges import ContactForces
from gauss.contact.forces.required import RequiredCoefficient
from gauss.contact.space.ranges import ConeForces
from gauss.contact.verdict import FrictionFindings
from gauss.foundation.arrays import Array, tidied

SHOWN = 6  # accelerations that are printed
SAID = {"separate": "separates", "stick": "sticks", "slip+": "slips forwards", "slip−": "slips backwards"}
COLOURS = {"one": "bold green", "none": "bold red", "open": "bold cyan"}


def friction_part(found: FrictionFindings | ConeFindings) -> Group:
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
        table = _table(forces) if isinstance(forces, ContactForces) else _space_table(forces)
        words = forces.sentence if isinstance(forces, ContactForces) else _said_in_space(forces)
        line = Text("acceleration  " + said_acceleration(found, forces.a))
        parts += [Padding(line, (1, 0, 0, 2)), Padding(table, (0, 0, 0, 2))]
        parts.append(Padding(Text(words), (0, 0, 0, 2)))
    if len(found.forces) > SHOWN:
        parts.append(Text(f"  … and {len(found.forces) - SHOWN} more accelerations"))
    parts.append(Text())
    return Group(*parts)


def _facts(found: FrictionFindings | ConeFindings) -> list[tuple[str, str]]:
    """Return what is known beside the accelerations, as labels and texts."""
    if isinstance(found, ConeFindings):
        return [] if found.required is None else [("rest needs", str(found.required))]
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
        sticks = any("stick" in forces.modes for forces in found.forces)
        lines.append(("sticking needs" if sticks else "rest needs", str(found.required)))
    if 0.0 < found.bound < np.inf and found.minors is None:
        lines.append(
            (
                "any load",
                f"at most one acceleration if all coefficients are below {1.0 / found.bound:.4g} of what they are",
            )
        )
    return lines


def said_acceleration(found: FrictionFindings | ConeFindings, a: Array) -> str:
    """Return an acceleration (n,) in words; what is rounding beside that without contacts is zero."""
    free = np.asarray(np.linalg.lstsq(found.problem.M, found.problem.f, rcond=None)[0], dtype=np.float64)
    shown = tidied(np.concatenate([a, free]))[: len(a)]
    return ", ".join(f"{c}'' {x:.9g}" for c, x in zip(found.problem.coordinates, shown, strict=True))


def _table(forces: ContactForces) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1))
    for column in ("contact", "mode"):
        table.add_column(column)
    for column in ("normal force", "friction"):
        table.add_column(column, justify="right")
    for name, mode, p, t in zip(forces.names, forces.modes, forces.normal, forces.tangential, strict=True):
        table.add_row(name, SAID[mode], _range(p), _range(t))
    for name, x in zip(forces.rows, forces.bilateral, strict=True):
        table.add_row(name, "bilateral", _range(x), "")
    for group in forces.groups:
        table.add_row(group.name, "together", _range(group.normal), "")
    return table


def _space_table(forces: ConeForces) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1))
    table.add_column("contact")
    for column in ("normal force", "friction, first axis", "second axis"):
        table.add_column(column, justify="right")
    for name, p, t in zip(forces.names, forces.normal, forces.tangential, strict=True):
        table.add_row(name, _range(p), _range(t[0]), _range(t[1]))
    for label, moments in forces.resistances:
        table.add_row(label, "", *(_range(row) for row in moments))
    for name, x in zip(forces.rows, forces.bilateral, strict=True):
        table.add_row(name, _range(x))
    return table


def _said_in_space(forces: ConeForces) -> str:
    """Return what the ranges say, in words."""
    if forces.unique:
        return "all contact forces are determined."
    text = "not all contact forces are determined"
    if forces.wedged:
        text += ". Wedged: contacts may press on one another with forces of any size, without any load"
    if forces.freedom is None:
        text += ". Friction is at its limit, and the ranges are less accurate"
    return f"{text} (ranges to {max(forces.accuracy, 1e-12):.0e} of the load)."


def _range(ends: Any) -> str:
    low, high = (float(x) for x in ends)
    return f"{low:.6g}" if low == high else f"{low:.6g} … {high:.6g}"


def friction_data(found: FrictionFindings | ConeFindings) -> dict[str, Any]:
    """Return the section on friction as plain data, ready for JSON; non-finite numbers become null."""
    return {"friction": _plane_data(found) if isinstance(found, FrictionFindings) else _space_data(found)}


def _plane_data(found: FrictionFindings) -> dict[str, Any]:
    return {
        "verdict": found.verdict,
        "sentence": found.sentence,
        "complete": found.complete,
        "evidence": found.evidence,
        "accelerations": [_forces_data(forces) for forces in found.forces],
        "p_matrix": None
        if found.minors is None
        else {"verdict": found.minors.verdict, "least_minor": found.minors.value, "margin": found.minors.margin},
        "critical_coefficient": None if found.critical is None else finite(found.critical),
        "required_coefficient": None if found.required is None else _required_data(found.required),
        "bound": finite(found.bound),
    }


def _space_data(found: ConeFindings) -> dict[str, Any]:
    names = found.problem.names
    return {
        "verdict": found.verdict,
        "sentence": found.sentence,
        "complete": found.complete,
        "accelerations": [
            {
                "a": dict(zip(found.problem.coordinates, forces.a.tolist(), strict=True)),
                "normal": _ranges_data(names, forces.normal),
                "tangential": {
                    name: [[finite(x) for x in row] for row in table]
                    for name, table in zip(names, forces.tangential, strict=True)
                },
                "determined": forces.unique,
                "wedged": forces.wedged,
                "accuracy": finite(forces.accuracy),
            }
            for forces in found.forces
        ],
        "required_coefficient": None
        if found.required is None
        else {"value": finite(found.required.value), "attained": found.required.attained},
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


def _ranges_data(names: Sequence[str], table: Array) -> dict[str, list[float | None]]:
    """Return ranges (k, 2) by name."""
    return {name: [finite(x) for x in row] for name, row in zip(names, table, strict=True)}


def _required_data(found: RequiredCoefficient) -> dict[str, Any]:
    return {"value": finite(found.value), "attained": found.attained, "limiting": list(found.limiting)}


def finite(number: float) -> float | None:
    """Return a number for JSON, None where it is not finite."""
    return float(number) if np.isfinite(number) else None
