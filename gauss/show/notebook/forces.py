"""The cards of forces: of rows, of contacts, of impacts; with the ranges of what is not determined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gauss.analysis import ReactionRanges
from gauss.contact import Collision, ContactForces
from gauss.foundation.arrays import SPECK, Array, tidied
from gauss.model.rows import said_rows
from gauss.model.units import with_unit
from gauss.nonsmooth import ForceRanges
from gauss.show.notebook.markup import AMBER, GREEN, Markup, element, header, joined, number, some, table
from gauss.uniqueness import Reactions
from gauss.uniqueness.ranges import is_point

MOST = 24  # rows of a table
Range = tuple[str, float, float, str]  # what it is of, from, to, and its unit


def reactions_card(found: Reactions) -> Markup:
    """Return the card of the multipliers of rows: each with its range, the choice, its share of the reaction."""
    top = _largest(np.concatenate([found.low, found.high]))
    rows = [
        (name, *(_told(x, top) for x in ends), number(share, 3), _word(name, known, found.open))
        for name, *ends, share, known in zip(
            found.rows, found.low, found.high, found.multipliers, found.share, found.determined, strict=True
        )
    ]
    head = ("row", "λ, from", "to", "λ", "share", "")
    return joined(
        [
            header(GREEN if found.unique else AMBER, _determined(found.unique, "multiplier")),
            element("p", found.sentence),
            table(head, some(rows, MOST, len(head)), (1, 2, 3, 4)) if rows else "",
            element("p", f"λ: {found.choice}", class_="dim"),
        ]
    )


def _word(name: str, known: bool, unsettled: Sequence[str]) -> str:
    return "determined" if known else "not decided" if name in unsettled else "a choice"


def reaction_ranges_card(found: ReactionRanges) -> Markup:
    """Return the card of the ranges of multipliers along a motion: the least and the greatest of all times."""
    said, rows = said_rows(found.rows), []
    for k, name in enumerate(found.rows):
        low, high = found.low[:, k], found.high[:, k]
        known = np.isfinite(found.multipliers[:, k]) | (low <= high)
        share = np.mean(low[known] < high[known]) if np.any(known) else 0.0
        ends = (np.min(low, where=known, initial=np.inf), np.max(high, where=known, initial=-np.inf))
        words = "determined" if not share else f"not determined at {100.0 * share:.3g} % of the times"
        unit = found.system.unit(name)
        rows.append((said[name], *([with_unit(number(x), unit) for x in ends] if np.any(known) else ["", ""]), words))
    unique = len(found.determined) == len(found.rows)
    span = f"{len(found.t)} times" + (f", t = {number(found.t[0])} … {number(found.t[-1])} s" if len(found.t) else "")
    return joined(
        [
            header(GREEN if unique else AMBER, found.system.name, _determined(unique, "multiplier"), span),
            table(("row", "least λ", "greatest λ", ""), some(rows, MOST, 4), (1, 2)),
            element("p", "gauss.show.reaction_bands draws them.", class_="dim"),
        ]
    )


def contact_forces_card(found: ContactForces) -> Markup:
    """Return the card of the forces at contacts: the range of each, what the contact does, and what groups exert."""
    rows: list[Range] = []
    for name, mode, p, t in zip(found.names, found.modes, found.normal, found.tangential, strict=True):
        rows.append((f"{name}, normal ({mode})", *p, ""))
        rows += [(f"{name}, friction", *each, "") for each in np.atleast_2d(t)]
    rows += [(name, *each, "") for name, ends in found.resistances for each in ends]
    rows += [(name, *each, "") for name, each in zip(found.rows, found.bilateral, strict=True)]
    rows += [(f"{group.name}, normal in all", *group.normal, "") for group in found.groups]
    return joined(
        [
            header(GREEN if found.unique else AMBER, _determined(found.unique, "force")),
            element("p", found.sentence),
            _ranges(rows),
        ]
    )


def scene_forces_card(found: ForceRanges) -> Markup:
    """Return the card of the contact forces of a Scene: what each pair of bodies exerts in all, with its range."""
    rows: list[Range] = []
    for (one, other), (normal, friction) in found.totals.items():
        pair = f"{one} on {other or 'its stop'}"
        rows += [(f"{pair}, normal", *normal, "N"), (f"{pair}, friction", *friction, "N")]
    unique = found.determined(found.normal) and found.determined(found.friction)
    *_, last = str(found).splitlines()
    return joined([header(GREEN if unique else AMBER, _determined(unique, "force")), _ranges(rows), element("p", last)])


def collision_card(found: Collision) -> Markup:
    """Return the card of an impact: velocities before and after, impulses and work of each contact."""
    p = found.problem
    velocities = zip(p.coordinates, tidied(p.v), tidied(found.v), strict=True)
    impulses = tidied(np.column_stack([found.normal, found.tangential]))
    work = tidied(np.concatenate([found.work, [found.energy_before]]))[:-1]
    struck = [
        (name, *map(number, sizes), f"{number(done)} J")
        for name, sizes, done in zip(p.names, impulses, work, strict=True)
    ]
    sliding = ["friction / N s"] if impulses.shape[1] == 2 else ["friction / N s", ""]
    head = ("contact", "normal / N s", *sliding, "work")
    orders = element("pre", found.orders) if found.order_matters else ""
    return joined(
        [
            header(GREEN if found.unique and found.unique_impulses else AMBER, f"impact: {found.law}"),
            element("p", found.sentence),
            table(("", "before", "after"), [(name, *map(number, v)) for name, *v in velocities], (1, 2)),
            table(head, some(struck, MOST, len(head)), range(1, len(head))) if struck else "",
            orders,
        ]
    )


def _ranges(rows: Sequence[Range]) -> Markup:
    """Return forces as a table; where all are determined without the words that say so."""
    top = _largest(np.array([ends for _, *ends, _ in rows], dtype=float))
    said = []
    for name, low, high, unit in rows:
        low, high = (0.0 if abs(x) <= SPECK * top else x for x in (low, high))
        known = is_point(low, high)
        words = [f"{_told(x, top)} {unit}".strip() for x in ((low,) if known else (low, high))]
        said.append((name, words[0], "" if known else words[1], "determined" if known else "not determined"))
    if all(row[3] == "determined" for row in said):
        return table(("", "force"), some([row[:2] for row in said], MOST, 2), (1,))
    return table(("", "force, from", "to", ""), some(said, MOST, 4), (1, 2))


def _largest(values: Array) -> float:
    return float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0))


def _told(x: float, top: float) -> str:
    """Return a force; what is rounding beside the largest is zero."""
    return number(0.0 if abs(x) <= SPECK * top else x)


def _determined(unique: bool, what: str) -> str:
    return f"every {what} is determined" if unique else f"not every {what} is determined"
