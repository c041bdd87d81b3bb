"""The verdict card: a light, the sentences, accelerations, forces with their ranges, singular values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import SPECK, Array, tidied
from gauss.foundation.outcomes import CONTINUUM, NONE, ONE, SEVERAL
from gauss.model.rows import said_rows
from gauss.model.units import with_unit
from gauss.show.notebook.markup import (
    AMBER,
    GREEN,
    RED,
    Markup,
    element,
    facts,
    folded,
    header,
    joined,
    light,
    number,
    some,
    table,
    typeset,
)
from gauss.uniqueness import Verdict
from gauss.uniqueness.findings import ORDER
from gauss.uniqueness.ranges import is_point

MOST = 12  # rows of a table, and singular values
ACROSS = 6  # coordinates that have columns of their own
MEMBERS = 4  # of a continuum
WORDS = {
    ONE: "one acceleration",
    SEVERAL: "several accelerations",
    CONTINUUM: "a continuum of accelerations",
    NONE: "no acceleration",
}


def colour_of(found: Verdict) -> str:
    """Return the colour of a verdict: green for one acceleration that is known, red for none, amber between."""
    status = found.accelerations.status
    return RED if status == NONE else GREEN if status == ONE and not found.blurred else AMBER


def words_of(found: Verdict) -> str:
    """Return how many accelerations there are."""
    known = WORDS.get(found.accelerations.status, "not decided")
    return f"{known}, which the digits of the state do not decide" if found.blurred else known


def verdict_card(found: Verdict) -> Markup:
    """Return the card of a verdict."""
    at = f"at t = {number(found.state.t)} s" if found.state.t else ""
    open_ = light(AMBER, "forces open") + " forces open" if found.open_forces else ""
    warnings = [element("p", "⚠ ", text, class_="warn") for text in found.warnings]
    sentences = [f.sentence for f in sorted(found.findings, key=lambda f: ORDER.index(f.verdict))]
    sentences += [] if found.friction is None else [found.friction.sentence]
    return joined(
        [
            header(colour_of(found), words_of(found), open_, found.verdict, at),
            *[element("p", text) for text in sentences],
            *warnings,
            _accelerations(found),
            _modes(found),
            _forces(found),
            _evidence(found),
        ]
    )


def _accelerations(found: Verdict) -> Markup:
    """Return the state and its accelerations: one in a table by coordinate, several in a row each."""
    answers = found.accelerations
    if found.unique:
        numbers = zip(found.coordinates, *_tidy_state(found), _tidy(found, found.a), strict=True)
        one = [(name, *_measured(found, name, q, v, a)) for name, q, v, a in numbers]
        head: tuple[str, ...] = ("coordinate", "position", "velocity", "acceleration")
        note = f"Zwang {_zwang(found, found.zwang)}; error of the acceleration ≤ {found.error:.1e} in the mass metric"
        return table(head, some(one, MOST, 4), (1, 2, 3)) + element("p", note, class_="dim")
    members = [(c.kind, c.a, c.zwang, c.confirmed) for c in answers.candidates]
    for f in answers.continua:
        kind = f"{f.kind}, of a family of dimension {f.dimension}"
        members += [(kind, a, f.zwang, f.confirmed) for a in f.sample(MEMBERS)]
    if not members:
        return _state(found)
    more = ["…"] * (len(found.coordinates) > ACROSS)
    names = found.coordinates[:ACROSS]
    head = ("kind", *(with_unit(f"{x}″", found.unit(f"dd_{x}"), " / ") for x in names), *more, "Zwang", "as a motion")
    rows = [
        (kind, *map(number, _tidy(found, a)[:ACROSS]), *more, _zwang(found, zwang), confirmed)
        for kind, a, zwang, confirmed in members
    ]
    shown = table(head, some(rows, MOST, len(head)), range(1, len(head) - 1))
    return _state(found) + shown + element("p", found.counted, class_="dim")


def _state(found: Verdict) -> Markup:
    pairs = zip(found.coordinates, *_tidy_state(found), strict=True)
    rows = [(name, *_measured(found, name, q, v)) for name, q, v in pairs]
    return folded("the state", table(("coordinate", "position", "velocity"), some(rows, MOST, 3), (1, 2)))


def _measured(found: Verdict, name: str, *numbers: float) -> list[str]:
    """Return the position, the velocity and the acceleration of a coordinate, as far as they are given, with units."""
    pairs = zip(("", "d_", "dd_"), numbers, strict=False)
    return [with_unit(number(x), found.unit(prefix + name)) for prefix, x in pairs]


def _tidy_state(found: Verdict) -> tuple[Array, Array]:
    return tidied(found.state.q), tidied(found.state.v)


def _tidy(found: Verdict, a: Array) -> Array:
    """Return an acceleration; what is rounding beside that without constraints is zero."""
    free = np.linalg.lstsq(found.problem.M, found.problem.f)[0]
    return tidied(np.concatenate([a, free]))[: len(a)]


def _zwang(found: Verdict, zwang: float) -> str:
    """Return a Zwang; what is rounding beside that of rest is zero."""
    free = np.linalg.lstsq(found.problem.M, found.problem.f)[0]
    return number(zwang if zwang > SPECK**2 * abs(found.problem.f @ free) else 0.0)


def _modes(found: Verdict) -> Markup:
    """Return what each closed contact does, in a column for each solution."""
    if not found.modes:
        return Markup("")
    many = [f"solution {k + 1}" for k in range(len(found.modes))] if len(found.modes) > 1 else ["does"]
    rows = [(name, *(modes.get(name, "") for modes in found.modes)) for name in found.modes[0]]
    return table(("contact", *many), some(rows, MOST, 1 + len(many)))


def _forces(found: Verdict) -> Markup:
    """Return the force of each row, or its range, where there is one acceleration."""
    if not found.unique or (found.answer is None and found.friction is None):
        return Markup("")
    try:
        forces = found.forces
    except (SolverError, InputError):
        return Markup("")
    if not forces:
        return Markup("")
    size = max((abs(x) for ends in forces.values() for x in ends if np.isfinite(x)), default=0.0)
    rows: list[Sequence[object]] = []
    said = said_rows(tuple(forces))
    for name, (low, high) in forces.items():
        low, high = (0.0 if abs(x) < 1e-13 * size else x for x in (low, high))
        known = is_point(low, high)
        word = "determined" if known else "not determined"
        ends = [with_unit(number(x), found.unit(name)) for x in ((low,) if known else (low, high))]
        rows.append((said[name], ends[0], "" if known else ends[1], word))
    if all(row[3] == "determined" for row in rows):
        return table(("row", "force"), some([row[:2] for row in rows], MOST, 2), (1,))
    return table(("row", "force, from", "to", ""), some(rows, MOST, 4), (1, 2))


def _evidence(found: Verdict) -> Markup:
    """Return what the verdict on the rows rests on."""
    r = found.regularity
    sigma = [f"{s:.3g}" for s in r.sigma]
    sigma = sigma if len(sigma) <= MOST else [*sigma[: MOST // 2], "…", *sigma[-MOST // 2 :]]
    lines: list[tuple[object, object]] = [("rank", f"{r.rank} of {len(r.rows)} rows")]
    if r.rows:
        lines.append(("singular values", f"{', '.join(sigma) or 'none'}; zero up to {r.tolerance:.2g}"))
    lines += [("dependent" if k == 0 else "", " + ".join(rows)) for k, rows in enumerate(r.dependent[:MOST])]
    lines += [("" if k else "conditions", typeset(text)) for k, text in enumerate(found.conditions[:MOST])]
    if found.motion_unique is not None:
        lines.append(("motion", f"{'' if found.motion_unique else 'not '}unique, as far as the rows decide"))
    return facts(lines)
