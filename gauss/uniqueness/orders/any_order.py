"""What holonomic rows leave at a singular position where orders up to 4 do not decide, or decide too soon.

"Locked" and "redundant" are claims that higher orders can undo: y(y − x³) = 0 moves on, x² + y⁶ = 0 does not. The germ
of the constraint set (`gauss.uniqueness.germs`) has its branches to any order. The accelerations on a branch are an
affine set, or a half line where a branch that ends, as a cusp, is left from rest. Gauss's principle is applied on each.
Where the germ is open, what orders up to 4 say stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Literal

import numpy as np

from gauss.errors import GaussError
from gauss.foundation.arrays import Array
from gauss.foundation.zero import COMPUTED, ZERO
from gauss.model.compiled.smoothness import depends_on_time
from gauss.principle import GaussProblem, GaussSolution, solve
from gauss.uniqueness.accelerations import AccelerationSet, Candidate, from_candidates
from gauss.uniqueness.findings import Finding
from gauss.uniqueness.germ_findings import by_germ as told
from gauss.uniqueness.germs.germ import Germ, germ_of
from gauss.uniqueness.germs.motions import motions_at
from gauss.uniqueness.germs.numbers import OpenError
from gauss.uniqueness.germs.sheets import SheetJet, Sheets, sheets_of
from gauss.uniqueness.orders.ways import Way, label, restricted
from gauss.uniqueness.rows.frame import Frame

LARGEST = 12  # coordinates up to which germs are computed
MOST = 256  # choices of one branch from each factor that are examined
PARTING = 4  # power of G in F² − G⁴, whose two sheets F = ±G² have curvatures of their own
AMISS = 1e-9  # share of the speed by which a velocity may be off a branch: rounding of a velocity that was computed


@dataclass(frozen=True)
class Choice:
    """One branch, or manifold, of each factor of the constraint set, with the acceleration on it."""

    parts: tuple[Germ, ...]
    ways: tuple[Way, ...]
    solution: GaussSolution
    label: str  # which of the branches
    leaves: bool  # whether the coordinates of the branches move, or are accelerated


@dataclass(frozen=True)
class AnyOrder:
    """What a germ says of the acceleration at a state."""

    finding: Finding
    accelerations: AccelerationSet
    problem: GaussProblem  # of the candidate with the least Zwang
    solution: GaussSolution  # its solution
    motion_unique: bool | None  # whether one motion leaves
    error: float = 0.0  # of the accelerations in the metric, by the noise of the branches
    choices: tuple[Choice, ...] = ()  # every choice of branches, by increasing Zwang


def by_germ(frame: Frame, doubt: Array | None = None) -> AnyOrder | Finding | Literal["open", "bound"] | None:
    """Return what the germ of the constraint set says at a state; "open" where that is open, None where it does not
    apply. A finding alone says that the set ends here and the velocity leads out of it; "bound" that it is open how
    the dependent rows bind motions, but that they do.

    `doubt` (n,) is the uncertainty of the coordinates beyond their rounding.
    """
    model = frame.system.model
    others = [i for i, k in enumerate(frame.index) if model.kinds[int(k)] != "holonomic"]
    if frame.n > LARGEST or model.trace.rheonomic or not _implied(frame, others):
        return None
    try:
        germ = germ_of(
            frame.system, frame.state, [name for i, name in enumerate(frame.names) if i not in others], doubt
        )
    except GaussError:
        return "open"
    parts = [part for part in (germ.factors or (germ,)) if part.coordinates]
    if not parts:
        return None
    groups: dict[tuple[int, ...], list[Germ]] = {}
    for part in parts:
        groups.setdefault(part.coordinates, []).append(part)
    ways = [_ways(frame, members) for members in groups.values()]
    if any(choice == [] for choice in ways):
        return told(frame, germ, "ended", 0, None)
    known = [choice for choice in ways if choice is not None]
    if len(known) == len(ways):
        return _minimised(frame, germ, list(groups), known) or "open"
    return (_on_sheets(frame, parts[0]) if len(groups) == 1 else None) or (
        "bound" if any(part.binding for part in parts) else "open"
    )


def _on_sheets(frame: Frame, part: Germ) -> AnyOrder | None:
    """Return what the sheets of one equation say along the motion that each of them leaves; None where they are open.

    The velocity is taken to be known to rounding, and only if it is along no sheet then to what it is known at least.
    """
    if part.reduction is None:
        return None
    own = list(part.coordinates)
    v = _moved(frame, part.coordinates)[own]
    for share in (COMPUTED, AMISS) if np.any(v) else (0.0,):
        try:
            found = sheets_of(part.reduction, v, share)
        except OpenError:
            continue
        try:
            ways = [_on_sheet(frame, part, found, sheet) for sheet in found.found]
        except (OpenError, GaussError):
            return None  # more doubt would hide what is open
        if ways:
            seen = replace(part, status="sheets", order=found.expanded, factors=(), proved=False)
            return _minimised(frame, seen, [part.coordinates], [[ways]])
    return None


def _on_sheet(frame: Frame, part: Germ, found: Sheets, sheet: SheetJet) -> Way:
    """Return the accelerations of a sheet, and how many sheets have the best one. Raises OpenError, GaussError."""
    own = list(part.coordinates)
    offset, directions = np.zeros(frame.n), np.zeros((frame.n, sheet.directions.shape[1]))
    offset[own], directions[own] = sheet.offset, sheet.directions
    way = Way(offset, directions, crossed=found.crossed)
    a = solve(restricted(frame, [part.coordinates], [[[way]]], [way])).a
    return replace(way, sheets=found.count(sheet, a[own]))


def _implied(frame: Frame, rows: list[int]) -> bool:
    """Return whether some rows are combinations of the others everywhere, so that these say all."""
    if not rows:
        return True
    everywhere = frame.left_null[rows][:, frame.identical]
    return len(rows) < len(frame.index) and bool(np.linalg.matrix_rank(everywhere) == len(rows))


def _ways(frame: Frame, parts: list[Germ]) -> list[list[Way]] | None:
    """Return the branches of each factor in the same coordinates, or None where the velocity fits none of them.

    Nothing is returned where the set ends and the velocity leads out of it.
    """
    if any(part.status == "open" for part in parts):
        return None
    n, v, own = frame.n, frame.state.v, _moved(frame, parts[0].coordinates)
    if not np.any(own):
        return [_from_rest(n, part) for part in parts]
    moving = [part for part in parts if part.status != "isolated"]
    if len(moving) > 1:  # terms with parameters of two factors are not in their series: all but one are to be at rest
        moving = [part for part in moving if part.status == "smooth" and _rates(part, own) is not None]
    if len(moving) != 1:
        return None
    (part,) = moving
    if part.status == "curves":
        leaving = motions_at(part, v).leaving
        found = [
            Way(x.curvature, part.branches[x.branch].tangent[:, None], x.branch, _half(part, x.branch, x.half))
            for x in leaving
            if x.curvature is not None
        ]
        if not leaving and motions_at(part, -v).leaving:
            return []
        others = [found if x is part else _from_rest(n, x) for x in parts]
        return others if found and len(found) == len(leaving) else None
    rates = _rates(part, own)
    if rates is None:
        return None
    offset = np.einsum("jab,a,b->j", part.seconds, rates, rates)
    found = [Way(offset, part.tangents, sheets=2 if part.touching else 1)]
    if part.touching:
        rate, size = float(part.gradient @ v), float(np.abs(part.gradient) @ np.abs(v))
        if part.status == "wedge" and abs(rate) <= AMISS * size:
            return None  # along the edge
        if part.status == "wedge" and (rate < 0.0 or part.touching < PARTING):
            return []  # at F² = G³ no acceleration with speed is bounded
        if part.touching == PARTING and abs(rate) > AMISS * size:  # sheets that are 2 k G² apart
            larger = 0 if part.parting is None else int(np.sign(part.bend[part.coordinates[part.parting.solved[-1]]]))
            found = [
                Way(offset + 2.0 * side * rate**2 * part.bend, part.tangents, side=side * larger) for side in (1, -1)
            ]
    return [found if x is part else _from_rest(n, x) for x in parts]


def _rates(part: Germ, own: Array) -> Array | None:
    """Return the rates (k,) of a smooth set's parameters at a velocity (n,); None where it is not along the set."""
    rates = np.asarray(np.linalg.lstsq(part.tangents, own, rcond=None)[0], dtype=float)
    return rates if np.linalg.norm(part.tangents @ rates - own) <= AMISS * np.linalg.norm(own) else None


def _moved(frame: Frame, coordinates: tuple[int, ...]) -> Array:
    """Return the velocity (n,) of some coordinates; zero where it is rounding of the others'."""
    v, own, place = frame.state.v, np.zeros(frame.n), list(coordinates)
    if np.max(np.abs(v[place])) > AMISS * np.max(np.abs(v), initial=0.0):
        own[place] = v[place]
    return own


def _from_rest(n: int, part: Germ) -> list[Way]:
    if part.status == "curves":
        return [
            Way(np.zeros(n), b.tangent[:, None], k, half, half != 0)
            for k, b in enumerate(part.branches)
            for half in sorted({_half(part, k, 1), _half(part, k, -1)})
        ]
    if part.status == "wedge":
        return [Way(np.zeros(n), part.tangents, ends=True, wall=part.gradient, sheets=2)]
    directions = part.tangents if part.status == "smooth" else np.zeros((n, 0))
    return [Way(np.zeros(n), directions, sheets=2 if part.touching else 1)]


def _half(part: Germ, branch: int, half: int) -> int:
    return half if part.branches[branch].ramification % 2 == 0 else 0


def _minimised(
    frame: Frame, germ: Germ, coordinates: list[tuple[int, ...]], ways: list[list[list[Way]]]
) -> AnyOrder | None:
    """Apply Gauss's principle on every choice of branches."""
    picked = list(islice(product(*(way for group in ways for way in group)), MOST + 1))
    if len(picked) > MOST:
        return None
    parts = tuple(part for own in coordinates for part in germ.factors or (germ,) if part.coordinates == own)
    choices: list[tuple[GaussProblem, Choice]] = []
    for choice in picked:
        problem = restricted(frame, coordinates, ways, choice)
        try:
            solution = solve(problem)
        except GaussError:
            return None
        name, leaves = label(frame.system.coordinates, parts, choice), _leaves(frame, parts, choice, solution)
        choices.append((problem, Choice(parts, choice, solution, name, leaves)))
    choices.sort(key=lambda pair: pair[1].solution.zwang)
    found: list[tuple[GaussProblem, GaussSolution]] = []
    for problem, entry in choices:
        if not any(_same(frame, entry.solution, other) for _, other in found):
            found.append((problem, entry.solution))
    word = "confirmed" if germ.proved else "confirmed numerically"
    least = found[0][1].zwang
    candidates = tuple(
        Candidate(s.a, s.zwang, "global minimum" if s.zwang <= least * (1.0 + AMISS) else "local minimum", word, 0.0)
        for _, s in found
    )
    problem, solution = found[0]
    evidence = f"the branches of the constraint set, {'proved' if germ.proved else 'found'} to order {germ.order}"
    entries = tuple(entry for _, entry in choices)
    kind = _kind(entries, len(found))
    unique = _one_motion(frame, entries, [_held(frame, coordinates, ways, entry) for entry in entries])
    finding = told(frame, germ, kind, _count(entries), unique)
    error = max(frame.metric.norm(_unsure(frame, entry)) for entry in entries)
    return AnyOrder(finding, from_candidates(candidates, evidence), problem, solution, unique, error, entries)


def _unsure(frame: Frame, choice: Choice) -> Array:
    """Return how far the noise of its branches moves the acceleration (n,) of a choice."""
    v, a = frame.state.v, choice.solution.a
    chosen = [part.branches[way.branch] for part, way in zip(choice.parts, choice.ways, strict=True) if way.branch >= 0]
    return np.sum([branch.unsure(v, a) for branch in chosen], axis=0) if chosen else np.zeros(frame.n)


def _leaves(frame: Frame, parts: Sequence[Germ], ways: Sequence[Way], solution: GaussSolution) -> bool:
    """Return whether the coordinates of the chosen branches move, or are accelerated by more than rounding."""
    v, a = frame.state.v, solution.a
    size = max(float(np.max(np.abs(a), initial=0.0)), float(np.max(np.abs(frame.metric.reference), initial=0.0)))
    walls = [way.wall for way in ways if way.wall is not None]
    if any(float(wall @ a) > AMISS * size * float(np.sum(np.abs(wall))) for wall in walls):
        return True
    fast = float(np.max(np.abs(v), initial=0.0))
    for part, way in zip(parts, ways, strict=True):
        own, across = list(part.coordinates), float(np.max(np.abs(way.directions), initial=0.0))
        if way.branch >= 0:  # beside others in the same coordinates, of which one may move alone
            group = [x for other, x in zip(parts, ways, strict=True) if other.coordinates == part.coordinates]
            directions = np.hstack([way.directions, *(x.directions for x in group if x is not way)])[own]
            right = np.stack([v, a - np.sum([x.offset for x in group], axis=0)], axis=1)[own]
            speed, push = across * np.abs(np.linalg.lstsq(directions, right, rcond=None)[0][0])
        elif (way.sheets > 1 and way.wall is None) or part.touching == PARTING or part.status == "sheets":
            speed, push = np.max(np.abs(v[own])), np.max(np.abs(a[own]))
        else:
            continue
        if speed > AMISS * fast or push > AMISS * size:
            return True
    return False


def _kind(choices: Sequence[Choice], accelerations: int) -> str:
    """Return what the branches do, as `gauss.uniqueness.germ_findings` puts it in words."""
    ended = [way for choice in choices for way in choice.ways if way.ends]
    leaving = [choice for choice in choices if choice.leaves]
    single = {tuple(way.branch for way in choice.ways) for choice in choices}
    count = _count(choices)
    if len(single) == 1 and ended:
        if any(way.wall is not None for way in ended):
            return "opened" if leaving else "edge"
        return "left" if leaving else "end"
    if count > 1:
        return ("alike" if accelerations == 1 else "apart") if leaving else "resting"
    several = any(len(part.branches) > 1 for part in choices[0].parts)
    if leaving and (several or any(way.crossed for way in choices[0].ways)):
        return "passed"
    moves = any(way.directions.shape[1] for way in choices[0].ways)
    return "one" if moves else "point"


def _count(choices: Sequence[Choice]) -> int:
    """Return how many branches or sheets the choices have together."""
    return sum(int(np.prod([way.sheets for way in choice.ways])) for choice in choices)


def _held(frame: Frame, coordinates: list[tuple[int, ...]], ways: list[list[list[Way]]], choice: Choice) -> bool:
    """Return whether a force presses against every end of a branch among those chosen, so that rest is sure."""
    if not any(way.ends for way in choice.ways):
        return True
    try:
        free = solve(restricted(frame, coordinates, ways, [replace(way, ends=False) for way in choice.ways]))
    except GaussError:
        return False
    size = AMISS * float(np.linalg.norm(frame.metric.reference)) + free.error_bound
    walls = [way.directions[:, 0] if way.wall is None else way.wall for way in choice.ways if way.ends]
    return all(float(wall @ free.a) < -size * float(np.linalg.norm(wall)) for wall in walls)


def _one_motion(frame: Frame, choices: Sequence[Choice], held: Sequence[bool]) -> bool | None:
    """Return whether one motion leaves; None where the forces are not Lipschitz continuous along a branch at rest.

    From rest on branches along which nothing drives it, a body that steady forces act on stays at rest.
    """
    if _count(choices) == 1 and held[0]:
        return True
    if any(choice.leaves for choice in choices):
        return False
    if any(way.wall is not None for choice in choices for way in choice.ways):
        return True if all(held) else None
    if np.any(frame.state.v) or frame.system.black_box_force is not None or depends_on_time(frame.system.model):
        return False
    rough = any(
        way.branch >= 0 and part.branches[way.branch].ramification > 1 and not (way.ends and sure)
        for choice, sure in zip(choices, held, strict=True)
        for part, way in zip(choice.parts, choice.ways, strict=True)
    )
    return None if rough else True


def _same(frame: Frame, one: GaussSolution, other: GaussSolution) -> bool:
    """Return whether two accelerations agree within their errors."""
    error = one.error_bound + other.error_bound
    return frame.metric.norm(one.a - other.a) <= error + ZERO * frame.noise * frame.metric.norm(one.a)
