"""Units of coordinates, parameters and rows, declared by name, and the units that follow from them.

A unit is a text: "m", "rad", "kg m²", "N/m", "1" for a number without one. Powers are written m², m^2 or m⁻¹, and what
follows a solidus is divided by. A text that does not read like this stays one symbol.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from gauss.errors import DegreesWarning, InputError
from gauss.foundation.arrays import Array, shortened
from gauss.foundation.threads import warn
from gauss.model.rows import Kind, contact_of

ENERGY, POWER = "J", "J/s"
NONE = "1"  # of a number without a unit
ANGLES = {"rad": "deg", "rad/s": "deg/s", "rad/s²": "deg/s²"}  # what `degrees=True` turns, and into what
DEGREES = re.compile(r"(deg|degs|degrees?|°)(?![a-z])", re.IGNORECASE)  # at the start of a unit: "deg/s" too
FACTOR = re.compile(r"([^\d\s/·*^()⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)(?:\^?(-?\d+)|([⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))?")
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def checked_units(units: object, known: Iterable[str], system: str) -> dict[str, str]:
    """Return units by name. Raises InputError for anything but a dict of texts, names not `known`, and degrees."""
    if units is None:
        return {}
    if not isinstance(units, Mapping):
        raise InputError(f'the units of {system!r} must be a dict of texts by name, as {{"x": "m"}}, got {units!r}.')
    names = tuple(dict.fromkeys(known))
    for name, unit in units.items():
        if name not in names:
            raise InputError(
                f"the units of {system!r} name {name!r}, which it does not have; it has {shortened(names)}."
            )
        if not isinstance(unit, str) or not unit.strip() or not unit.isprintable():
            raise InputError(f'the unit of {name!r} in {system!r} must be a text, as "m" or "rad", got {unit!r}.')
        if DEGREES.match(unit.strip()):
            raise InputError(
                f'the unit of {name!r} in {system!r} is {unit!r}, but angles are in rad: declare "rad";'
                " degrees=True shows degrees, in plot, to_csv, to_pandas and report."
            )
    return {name: unit.strip() for name, unit in units.items()}


def of_rows(units: Mapping[str, str], rows: Sequence[str]) -> dict[str, str]:
    """Return units by name where that of a whole constraint, "pin", is that of each of its rows, "pin[0]", too.

    The slip of a contact has the unit of its gap per second, unless it is declared.
    """
    found = dict(units)
    for row in rows:
        whole, bracket, _ = row.rpartition("[")
        if bracket and whole in units:
            found.setdefault(row, units[whole])
    for row in rows:
        contact = contact_of(row, rows)
        if contact in found:
            found.setdefault(row, per_second(found[contact]))
    return found


def per_second(unit: str, order: int = 1) -> str:
    """Return the unit of the derivative of some order by time.

    >>> per_second("rad", 2), per_second("m/s"), per_second("1"), per_second("")
    ('rad/s²', 'm/s²', '1/s', '')
    """
    return quotient(unit, "s" if order == 1 else f"s^{order}") if unit else ""


def multiplier_unit(unit: str, kind: Kind) -> str:
    """Return the unit of the multiplier of a row whose function has a unit; Jᵀλ is a force beside the coordinates.

    Of a function of the position it is J per that unit, of one of the velocity J/s.

    >>> multiplier_unit("m", "holonomic"), multiplier_unit("rad", "holonomic"), multiplier_unit("m²", "unilateral")
    ('N', 'N m', 'N/m')
    >>> multiplier_unit("m/s", "pfaffian"), multiplier_unit("1", "holonomic")
    ('N', 'J')
    """
    positional = kind in ("holonomic", "unilateral")
    return quotient(ENERGY if positional else POWER, unit) if unit else ""


def with_unit(text: str, unit: str, between: str = " ") -> str:
    """Return a number or a name with its unit, if it has one.

    >>> with_unit("0.5", "m"), with_unit("phi", "rad", " / "), with_unit("0.5", "1")
    ('0.5 m', 'phi / rad', '0.5')
    """
    return f"{text}{between}{unit}" if unit not in ("", NONE) else text


def unit_of(
    name: str, units: Mapping[str, str], coordinates: Sequence[str], rows: Sequence[str], kinds: Sequence[Kind]
) -> str:
    """Return the unit of a coordinate, a velocity (d_), an acceleration (dd_), a parameter or a multiplier, by name.

    "" where none is declared.
    """
    if name in rows:
        return multiplier_unit(units.get(name, ""), kinds[rows.index(name)])
    for prefix, order in (("dd_", 2), ("d_", 1)):
        if name.startswith(prefix) and name.removeprefix(prefix) in coordinates:
            return per_second(units.get(name.removeprefix(prefix), ""), order)
    return units.get(name, "")


def quotient(one: str, other: str) -> str:
    """Return one unit divided by another, energies per length or angle as N and N m."""
    powers, divided = _powers(one), _powers(other)
    if powers is None or divided is None:
        return "/".join(f"({unit})" if re.search(r"[\s/]", unit) else unit for unit in (one, other))
    for symbol, power in divided.items():
        powers[symbol] = powers.get(symbol, 0) - power
    if powers.get("J") == 1 and powers.get("rad") == -1:
        del powers["J"], powers["rad"]
        powers = {"N": 1, "m": powers.pop("m", 0) + 1} | powers
    elif powers.get("J") == 1 and powers.get("m", 0) < 0:
        del powers["J"]
        powers = {"N": 1} | powers | {"m": powers["m"] + 1}
    return _written({symbol: power for symbol, power in powers.items() if power})


def _powers(unit: str) -> dict[str, int] | None:
    """Return the powers of the symbols of a unit, None where it does not read like one."""
    found: dict[str, int] = {}
    for k, part in enumerate(unit.split("/")):
        inner = part.strip().removeprefix("(").removesuffix(")") if k else part.strip()
        for word in re.split(r"[\s·*]+", inner):
            match = FACTOR.fullmatch(word)
            if match is None and word != NONE:
                return None
            if match is not None:
                power = int(match[2] or (match[3] or "1").translate(LOWERED))
                found[match[1]] = found.get(match[1], 0) + (-power if k else power)
    return found


def _written(powers: Mapping[str, int]) -> str:
    over, under = (
        [symbol + (str(abs(p)).translate(RAISED) if abs(p) > 1 else "") for symbol, p in powers.items() if p * sign > 0]
        for sign in (1, -1)
    )
    below = f"/({' '.join(under)})" if len(under) > 1 else f"/{under[0]}" if under else ""
    return (" ".join(over) or NONE) + below


def looks_like_degrees(angle: float) -> bool:
    """Whether an angle (rad) is more than a turn and a whole multiple of 10 or 15."""
    return abs(angle) > 2.0 * np.pi and (angle % 10.0 == 0.0 or angle % 15.0 == 0.0)


def warn_of_degrees(names: Sequence[str], values: Array, units: Mapping[str, str]) -> None:
    """Warn once if angles among the values (…, n) look like degrees."""
    text = doubtful_angles(names, values, units)
    if text:
        warn(text, DegreesWarning)


def doubtful_angles(names: Sequence[str], values: Array, units: Mapping[str, str]) -> str:
    """Return a sentence on angles among the values (…, n) that look like degrees; empty where there are none."""
    found: list[tuple[str, float]] = []
    for k, name in enumerate(names):
        if units.get(name) == "rad":
            found += [(name, x) for x in sorted({*values[..., k].ravel().tolist()}) if looks_like_degrees(x)][:1]
    said = ", ".join(f"{name} = {x:g}" for name, x in found)
    return f"{said} rad looks like degrees; write np.deg2rad({found[0][1]:g}) if degrees were meant." if found else ""
