"""The lines of a printed verdict: its accelerations, and the forces of its rows, each in its unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gauss.foundation.arrays import Array, tidied
from gauss.model.rows import said_rows
from gauss.model.units import with_unit
from gauss.uniqueness.accelerations import AccelerationSet

SHOWN = 4  # candidates and names that are printed


def acceleration_lines(
    found: AccelerationSet, coordinates: Sequence[str], free: Array, unit: Callable[[str], str]
) -> list[str]:
    """Return the first of the accelerations in lines; beside the free one (n,) smaller numbers are rounding."""

    def named(a: Array, digits: int) -> str:
        numbers = zip(coordinates, a, strict=True)
        return ", ".join(with_unit(f"{name} = {x:.{digits}g}", unit(f"dd_{name}")) for name, x in numbers)

    lines = []
    for c in found.candidates[:SHOWN]:
        a = tidied(np.concatenate([c.a, free]))[: len(c.a)]
        lines.append(f"{named(a, 9)}; Zwang {c.zwang:.9g}" + ("" if found.unique else f" ({c.kind})"))
    for f in found.continua[:1]:
        member = named(tidied(f.sample(1)[0]), 6)
        lines.append(f"a family of dimension {f.dimension}; one is {member}; Zwang {f.zwang:.9g}")
    rest = len(found.candidates) - SHOWN + len(found.continua) - 1
    if rest > 0 and len(found.candidates) + len(found.continua) > SHOWN + 1:
        lines.append(f"and {rest} more")
    return [f"               {line}" for line in lines]


def force_lines(
    forces: dict[str, tuple[float, float]], open_rows: Sequence[str], unit: Callable[[str], str]
) -> list[str]:
    """Return the force of each row, or its range, in a line: those that are not determined first."""
    said = said_rows(tuple(forces))
    ends = tidied(np.array(list(forces.values())).reshape(-1, 2))
    texts = {
        name: f"{low:.6g} … {high:.6g}" if name in open_rows else f"{low:.6g}"
        for name, (low, high) in zip(forces, ends, strict=True)
    }
    ordered = sorted(texts, key=lambda name: name not in open_rows)
    shown = [with_unit(f"{said[name]} = {texts[name]}", unit(name)) for name in ordered]
    more = f"; and {len(shown) - 2 * SHOWN} more" if len(shown) > 2 * SHOWN else ""
    note = " (not all determined; verdict.range_of(name) has each)" if open_rows else ""
    return [f"forces         {'; '.join(shown[: 2 * SHOWN])}{more}{note}"] if shown else []
