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
from gauss.foundation.arrays import Array, norms
from gauss.foundation.tolerances import SAME
from gauss.foundation.zero import COMPUTED, ZERO
from gauss.model.compiled.smoothness import depends_on_time
from gauss.principle import GaussProblem, GaussSolution, solve
from gauss.uniqueness.accelerations import AccelerationSet, Candidate, from_candidates
from gauss.uniqueness.findings import Finding
from gauss.uniqueness.germs.germ import Germ, germ_of
from gauss.uniqueness.germs.numbers import OpenError
from gauss.uniqueness.germs.parts import dated
from gauss.uniqueness.germs.sheets import SheetJet, Sheets, sheets_of
from gauss.uniqueness.orders.germ_findings import by_germ as told
from gauss.uniqueness.orders.leaving import AMISS, PARTING, Velocity, at_the_time, ways_of
from gauss.uniqueness.orders.pressed import Foot, is_let_go, pressed_of
from gauss.uniqueness.orders.walls import closed_contacts, left_by, opened
from gauss.uniqueness.orders.ways import Way, label, restricted
from gauss.uniqueness.rows.combinations import involved
from gauss.uniqueness.rows.frame import Frame

FARTHER = (
    0,
    8,
    16,
)  # orders to which a germ is expanded at least, in turn, where a contact follows one of its branches
MOST = 256  # choices of one branch from each factor that are examined
BLOCKED = ("resting", "end", "edge")  # kinds of branches that a push leads along, if no other row forbids it


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


def by_germ(
    frame: Frame, largest: int, doubt: Array | None = None, beside: bool = False
) -> AnyOrder | Finding | Literal["open", "bound"] | int | None:
    """Return what the germ of the constraint set says at a state; "open" where that is open, None where it does not
    apply, or has more than `largest` coordinates. A finding alone says that the set ends here and the velocity leads
    out of it; "bound" that it is open how the dependent rows bind motions, but that they do; a number that it is a
    smooth set on which so many directions are lost of those that the rows leave free to first order, on which the
    motion is not expanded.

    `doubt` (n,) is the uncertainty of the coordinates beyond their rounding. Rows on velocities have no germ, and that
    of rows which contain the time has it as a coordinate. They must be implied by the others, or, if `beside`, are kept
    as rows of the acceleration where they are independent of the others and on every branch; dependent rows with the
    time then have a germ of their own.
    """
    model = frame.system.model
    late = dated(model.positions, map(int, frame.index))
    moving = [i for i, k in enumerate(frame.index) if model.kinds[int(k)] != "holonomic"]
    others = [i for i, k in enumerate(frame.index) if i in moving or int(k) in late]
    timed = False
    if beside and not _implied(frame, others) and not _apart(frame, others):
        others, timed = moving, bool(late)
    kept = () if _implied(frame, others) else tuple(frame.names[i] for i in others)
    if frame.n > largest or (kept and (not beside or not _apart(frame, others))):
        return None
    rows = [name for i, name in enumerate(frame.names) if i not in others]
    velocity = Velocity.of(frame.state.v, timed)
    try:
        germ = germ_of(frame.system, frame.state, rows, doubt, timed)
        groups, ways = _ways_of(germ, velocity)
    except GaussError:
        return "open"
    if not groups:
        return None
    if any(choice == [] for choice in ways):
        return told(frame, germ, "ended", 0, None)
    known = [choice for choice in ways if choice is not None]
    if closed_contacts(frame):
        left = None
        for order in FARTHER if len(known) == len(ways) and not (kept or timed) else ():
            if order:  # a contact follows a branch as far as its series goes
                germ = germ_of(frame.system, frame.state, rows, doubt, timed, order)
                groups, ways = _ways_of(germ, velocity)
            known = [choice for choice in ways if choice]
            left = left_by(frame, [*groups.values()], known) if len(known) == len(ways) else None
            if left is not None:
                break
        if left is None:
            return "open"
        known, walls = left
        if any(not way for group in known for way in group):
            return told(frame, germ, "stopped", 0, None, walls)
        freed = replace(frame, problem=opened(frame.problem, walls))
        return _minimised(freed, germ, list(groups), known, walls=tuple(walls)) or "open"
    if len(known) == len(ways):
        return _minimised(frame, germ, list(groups), known, kept, timed) or "open"
    parts = [part for group in groups.values() for part in group]
    found = _on_sheets(frame, parts[0]) if len(groups) == 1 and not kept and not timed else None
    if found is None and not kept and all(_is_smooth(part) for part in parts):
        return sum(part.freedom - (part.dimension or 0) for part in parts)
    return found or ("bound" if any(part.binding for part in parts) else "open")


def _ways_of(germ: Germ, velocity: Velocity) -> tuple[dict[tuple[int, ...], list[Germ]], list[list[list[Way]] | None]]:
    """Return the factors of a germ by their coordinates, and the ways on each group of them that a velocity admits."""
    groups: dict[tuple[int, ...], list[Germ]] = {}
    for part in germ.factors or (germ,):
        if part.coordinates:
            groups.setdefault(part.coordinates, []).append(part)
    return groups, [ways_of(velocity, members) for members in groups.values()]


def _is_smooth(part: Germ) -> bool:
    """Return whether a factor is one smooth set through the state, or the point alone."""
    alone = part.status == "curves" and len(part.branches) == 1 and part.branches[0].ramification == 1
    return alone or (part.status in ("smooth", "isolated") and not part.touching)


def _on_sheets(frame: Frame, part: Germ) -> AnyOrder | None:
    """Return what the sheets of one equation say along the motion that each of them leaves; None where they are open.

    The velocity is taken to be known to rounding, and only if it is along no sheet then to what it is known at least.
    """
    if part.reduction is None:
        return None
    own = list(part.coordinates)
    v = Velocity(frame.state.v).along(part.coordinates).v[own]
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


def _apart(frame: Frame, rows: list[int]) -> bool:
    """Return whether some rows are in no combination that vanishes."""
    return not any(set(rows) & set(involved(w)) for w in frame.left_null.T)


def _minimised(
    frame: Frame,
    germ: Germ,
    coordinates: list[tuple[int, ...]],
    ways: list[list[list[Way]]],
    kept: tuple[str, ...] = (),
    timed: bool = False,
    walls: tuple[str, ...] = (),
) -> AnyOrder | None:
    """Apply Gauss's principle on every choice of branches, on which the rows of the names `kept` hold besides.

    Nothing is returned where it is open what these leave of the branches. Of branches that are `timed` the last
    coordinate is the time. The ways are what contacts `walls` leave of the branches.
    """
    picked = list(islice(product(*(way for group in ways for way in group)), MOST + 1))
    if len(picked) > MOST:
        return None
    parts = tuple(part for own in coordinates for part in germ.factors or (germ,) if part.coordinates == own)
    choices: list[tuple[GaussProblem, Choice]] = []
    if timed:
        ways = [[[at_the_time(way) for way in group] for group in several] for several in ways]
        coordinates = [tuple(j for j in own if j < frame.n) for own in coordinates]
        picked = [tuple(at_the_time(way) for way in choice) for choice in picked]
    for choice in picked:
        problem = restricted(frame, coordinates, ways, choice, kept)
        try:
            solution = solve(problem)
        except GaussError:
            return None
        if (kept or timed) and not _transversal(frame, parts, problem, solution, kept):
            return None
        name = label((*frame.system.coordinates, "t"), parts, choice)
        leaves = _leaves(frame, parts, choice, solution)
        choices.append((problem, Choice(parts, choice, solution, name, leaves)))
    choices.sort(key=lambda pair: pair[1].solution.zwang)
    feet = [Foot(problem, x.solution, x.ways, pressed_of(frame, coordinates, ways, x.ways)) for problem, x in choices]
    staying = [k for k, foot in enumerate(feet) if not is_let_go(frame, foot, feet)]
    choices = [choices[k] for k in staying]
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
    pressed = [feet[k].held for k in staying]
    kind = _kind(entries, pressed, len(found), bool(walls), len(entries) < len(feet))
    if kept and kind in BLOCKED:
        return None
    unique = _one_motion(frame, entries, pressed)
    finding = told(frame, germ, kind, _count(entries, pressed), unique, walls)
    error = max(frame.metric.norm(_unsure(frame, entry)) for entry in entries)
    return AnyOrder(finding, from_candidates(candidates, evidence), problem, solution, unique, error, entries)


def _transversal(
    frame: Frame, parts: Sequence[Germ], problem: GaussProblem, solution: GaussSolution, kept: Sequence[str]
) -> bool:
    """Return whether rows are independent of the others on a choice of branches, so that motions on these go on.

    Where two sheets touch, the motion must leave the place where they do, which these rows might forbid.
    """
    rows, n = frame.metric.whitened(problem.rows.J), frame.n
    rows = rows / np.where(norms(rows, 1) > 0.0, norms(rows, 1), 1.0)[:, None]
    own = np.isin(problem.rows.names, kept)
    base = np.linalg.svd(rows[~own], full_matrices=False)[2][: np.linalg.matrix_rank(rows[~own], tol=SAME)]
    left = rows[own] - (rows[own] @ base.T) @ base
    if np.linalg.matrix_rank(left, tol=SAME) < len(kept):
        return False
    a = solution.a
    for part in parts:
        if part.touching:
            speed = Velocity.of(frame.state.v, len(part.gradient) > n).along(part.coordinates).v
            x = speed if np.any(speed) else a
            size = float(np.sum(np.abs(part.gradient))) * float(np.max(np.abs(x), initial=0.0))
            if not abs(float(part.gradient @ x)) > SAME * size:
                return False
    return True


def _unsure(frame: Frame, choice: Choice) -> Array:
    """Return how far the noise of its branches moves the acceleration (n,) of a choice."""
    v, a = (np.append(x, y) for x, y in ((frame.state.v, 1.0), (choice.solution.a, 0.0)))
    chosen = [part.branches[way.branch] for part, way in zip(choice.parts, choice.ways, strict=True) if way.branch >= 0]
    moved = [branch.unsure(v[:k], a[:k])[: frame.n] for branch in chosen for k in [branch.series.shape[1]]]
    return np.sum(moved, axis=0) if moved else np.zeros(frame.n)


def _leaves(frame: Frame, parts: Sequence[Germ], ways: Sequence[Way], solution: GaussSolution) -> bool:
    """Return whether the coordinates of the chosen branches move, or are accelerated by more than rounding."""
    v, a = frame.state.v, solution.a
    size = max(float(np.max(np.abs(a), initial=0.0)), float(np.max(np.abs(frame.metric.reference), initial=0.0)))
    walls = [way.wall for way in ways if way.wall is not None]
    if any(float(wall @ a) > AMISS * size * float(np.sum(np.abs(wall))) for wall in walls):
        return True
    fast = float(np.max(np.abs(v), initial=0.0))
    for part, way in zip(parts, ways, strict=True):
        if frame.n in part.coordinates:  # the time passes
            if way.branch >= 0 or way.sheets > 1 or part.touching == PARTING:
                return True
            continue
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


def _kind(choices: Sequence[Choice], held: Sequence[bool], accelerations: int, walls: bool, let: bool) -> str:
    """Return what the branches do, as `gauss.uniqueness.orders.germ_findings` puts it in words.

    With `walls` contacts may have left one of several ways, or none; `let` is whether ends of others let go.
    """
    ended = [way for choice in choices for way in choice.ways if way.ends]
    leaving = [choice for choice in choices if choice.leaves]
    single = {tuple(way.branch for way in choice.ways) for choice in choices}
    count = _count(choices, held)
    if walls and count == 1:
        if ended:
            return "pressed" if all(held) else "beside"
        if any(part.branches and way.branch < 0 for part, way in zip(choices[0].parts, choices[0].ways, strict=True)):
            return "shut"
    if ended and 1 in (len(single), count):
        left = leaving and not all(held)
        if any(way.wall is not None for way in ended):
            return "opened" if left else "edge"
        return "left" if left else "end"
    if count > 1:
        return ("alike" if accelerations == 1 else "apart") if leaving else "resting"
    several = any(len(part.branches) > 1 for part in choices[0].parts)
    if leaving and (several or any(way.crossed for way in choices[0].ways)):
        return "driven" if let else "passed"
    moves = any(way.directions.shape[1] for way in choices[0].ways)
    return "one" if moves else "point"


def _count(choices: Sequence[Choice], held: Sequence[bool]) -> int:
    """Return how many branches or sheets the choices have together, those that a force presses against an end once."""
    found = {tuple(_marks(way, sure) for way in x.ways): x for x, sure in zip(choices, held, strict=True)}
    return sum(
        int(np.prod([1 if mark[-1] else way.sheets for way, mark in zip(x.ways, marks, strict=True)]))
        for marks, x in found.items()
    )


def _marks(way: Way, held: bool) -> tuple[object, ...]:
    """Return what tells a way from others, and last whether a force presses it against its end: which is then alike."""
    if way.ends and held:
        return way.offset.tobytes(), True
    return way.branch, way.half, way.side, way.offset.tobytes(), way.directions.tobytes(), False


def _one_motion(frame: Frame, choices: Sequence[Choice], held: Sequence[bool]) -> bool | None:
    """Return whether one motion leaves; None where the forces are not Lipschitz continuous along a branch at rest.

    From rest on branches along which nothing drives it, a body that steady forces act on stays at rest.
    """
    if _count(choices, held) == 1 and (all(held) or choices[0].leaves):
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
