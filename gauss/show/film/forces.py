"""Forces of joints and rows as arrows: solid where the state of motion determines them, dashed where it does not.

Beside a dashed arrow lies a pale band from the least to the greatest force, with a stroke at each end that it has.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gauss.analysis.reaction_ranges import reaction_ranges
from gauss.bodies import Drawing, Mechanism, reaction
from gauss.bodies.automatic import spots_of
from gauss.bodies.joints.joint import Joint
from gauss.bodies.results.answers import rows_of
from gauss.bodies.results.wrenches import wrench_along
from gauss.errors import InconsistentStateError, InputError, SolverError
from gauss.foundation.arrays import Array, Flags, unit_rows
from gauss.geometry.vectors import across
from gauss.model.rows import contact_of
from gauss.motion import Trajectory, determined_forces
from gauss.motion.record.natural import in_natural
from gauss.principle.rank import RANK_TOLERANCE
from gauss.show.figures.curves import TALL, ordinary
from gauss.show.film.bodies import Part, in_rows, point_of
from gauss.uniqueness.ranges import SMALL, vanishing

COLOUR = "#000000"  # no body has it
HEAD = 0.06  # length of the head of an arrow, and half its width, as shares of the longest arrow
PAST = 1e-6  # of the half length of a bar: a line of action that misses its end by less acts there
CLOSED = 1e-6  # m, relative to the coordinates: gaps up to which the verdict on the state is asked
FARTHEST = 3.0  # times the largest force: how far the ends of bands have a say in the scale


@dataclass(frozen=True)
class Acting:
    """A force along N states, and the values that it may have: `force` + s `along` for s in a range about zero."""

    place: Array  # (N, d) m
    force: Array  # (N, d) N
    known: Flags  # (N,) whether it is determined
    along: Array  # (N, d) of length 1; zeros where there is no band
    reach: Array  # (N, 2) N, from the least to the greatest s; ±inf if unbounded


@dataclass(frozen=True)
class Open:
    """The ranges of the multipliers of m rows at N states; where a row is determined both ends are its multiplier."""

    low: Array  # (N, m)
    high: Array  # (N, m)

    @property
    def wide(self) -> Flags:
        """Which multipliers are not determined (N, m)."""
        return self.low < self.high


def arrows_of(
    run: Trajectory, drawing: Drawing, longest: float, middle: Array, half: Array
) -> tuple[list[Part], Array, str]:
    """Return the forces of joints on their second bodies, or of rows on points, how far all reaches, what it means.

    The picture shows `half` (d,) m about the `middle` (N, d), and what is returned in its place if arrows need more.
    The largest force is `longest` (m) long. Forces that are not determined are those of the multipliers of least norm
    (with friction the middle of their ranges), and dashed; if all that they may be lie on a line, a band shows them, as
    far as the picture reaches. Raises InputError where the run has no model, or nothing in it has a force that can be
    drawn.
    """
    if run.setting is None:
        raise InputError("the forces of a trajectory from a file need its model: use trajectory.with_system(system).")
    mechanism, left_out = drawing.mechanism, tuple[str, ...]()
    run = run if mechanism is None else in_natural(run)  # where joints have rows
    run, ranges, known = _chosen(run)
    if mechanism is None:
        forces, left_out = _of_rows(run, middle.shape[1], ranges, known)
    else:
        forces = _of_joints(run, mechanism, ranges)
    if not forces:
        why = f": the lines of action of {', '.join(map(repr, left_out))} are not known" if left_out else ""
        raise InputError(f"{run.about.system!r} has no joints or rows on points whose forces could be drawn{why}.")
    sizes = [np.linalg.norm(f.force, axis=1) for f in forces]
    calm = ordinary(run)
    largest = max(float(np.max(size[calm])) for size in sizes)
    tall = max(float(np.max(size)) for size in sizes) > TALL * largest > 0.0
    if tall:
        forces = [_shortened(f, size, largest) for f, size in zip(forces, sizes, strict=True)]
        sizes = [np.minimum(size, largest) for size in sizes]
    largest = max(float(np.max(size)) for size in sizes)
    ends = [
        np.abs(np.where(np.isfinite(f.reach), f.reach, 0.0)).T + size for f, size in zip(forces, sizes, strict=True)
    ]
    top = max(largest, min(max(float(np.max(end)) for end in ends), FARTHEST * largest))
    parts, scale = list[Part](), longest / (top or 1.0)
    for f in forces:
        for kind, which in (("force", f.known), ("doubtful", ~f.known)):
            if np.any(which):
                parts.append(Part(_arrow(f.place, scale * f.force * which[:, None], HEAD * longest), COLOUR, kind))
    tips = [f.place + scale * (f.force + np.clip(x, -top, top)[:, None] * f.along) for f in forces for x in f.reach.T]
    reach = [np.max(np.abs(part.places - middle[:, None]), axis=(0, 1)) for part in parts]
    reach += [np.max(np.abs(tip - middle), axis=0) + HEAD * longest for tip in tips]
    half = np.max([half, *reach], axis=0)
    bands = [part for f in forces if np.any(f.along) for part in _band(f, scale, HEAD * longest, middle, half)]
    note = f"longest arrow {largest:.4g} N" if largest else "all forces are zero"
    note += ", more at singular positions" if tall else ""
    note += "; dashed: not determined" if any(part.kind == "doubtful" for part in parts) else ""
    note += ", pale: what it may be" if bands else ""
    note += f"; without the forces of {', '.join(left_out)}" if left_out else ""
    return [*bands, *parts], half, note


def _shortened(acting: Acting, size: Array, largest: float) -> Acting:
    """Return a force of the given sizes (N,) cut off at the largest one."""
    share = largest / np.maximum(size, largest)
    return replace(acting, force=share[:, None] * acting.force)


def _chosen(run: Trajectory) -> tuple[Trajectory, Open, Flags]:
    """Return a run with a choice for the multipliers that are not determined, their ranges, and which are (N, m)."""
    assert run.setting is not None
    system, theta = run.setting.system, run.setting.theta
    J = system.model.batch(run.q, run.v, run.t, theta)[1]
    known = determined_forces(run, J)
    low, high, chosen = run.multipliers.copy(), run.multipliers.copy(), run.multipliers.copy()
    gaps = system.model.batch_residuals(run.q, run.v, run.t, theta)[0]
    held = run.active | (np.abs(gaps) <= CLOSED * (1.0 + np.max(np.abs(run.q))))  # contacts without load may share it
    more = [bool(vanishing(unit_rows(J[k][held[k]]), RANK_TOLERANCE)[0].size) for k in range(len(run))]
    at = np.flatnonzero(~np.all(known, axis=1) | np.array(more))
    if len(at) and run.stepping is None:
        try:
            found = reaction_ranges(run, run.t[at])
        except (SolverError, InconsistentStateError):
            return run, Open(low, high), known  # the arrows stay, dashed
        wide = found.low < found.high
        told = np.isfinite(found.multipliers)
        known[at] = np.where(told, ~wide, known[at])
        for table, values in ((low, found.low), (high, found.high), (chosen, found.multipliers)):
            table[at] = np.where(told & wide, values, table[at])
        settled = told & ~wide
        for table in (low, high, chosen):
            table[at] = np.where(settled, found.multipliers, table[at])
    return replace(run, multipliers=chosen), Open(low, high), known


def _of_joints(run: Trajectory, mechanism: Mechanism, ranges: Open) -> list[Acting]:
    """Return the forces of joints at their second points, and of rolling contacts on what rolls."""
    doubtful = bool(run.about.redundant) or run.stepping is not None or run.sharing is not None
    found = []
    joints: tuple[Any, ...] = tuple(mechanism.joints)
    changes = _changes(run, ranges)
    for joint in joints:
        if isinstance(joint, Joint):
            force = wrench_along(run, joint)[0]
            known = np.all(np.isfinite(reaction(run, joint).force), axis=1) if doubtful else np.ones(len(run), bool)
            place = point_of(joint.body2, joint.point2, run)[:, 0]
            found.append(Acting(place, force, known, *_line(run, joint, ranges, changes)))
        elif hasattr(joint, "contact") and hasattr(joint, "body"):
            force = reaction(run, joint).force
            known = np.all(np.isfinite(force), axis=1)
            place = in_rows(joint.contact(run), len(run))
            force = np.where(known[:, None], force, 0.0)
            found.append(Acting(place, force, known, np.zeros(force.shape), np.zeros((len(run), 2))))
    return found


def _changes(run: Trajectory, ranges: Open) -> dict[int, Array]:
    """Return at states with open rows a basis (m, r) of the changes of all multipliers that leave the motion alone."""
    assert run.setting is not None
    J = run.setting.system.model.batch(run.q, run.v, run.t, run.setting.theta)[1]
    found = {}
    for k in np.flatnonzero(np.any(ranges.wide, axis=1)).tolist():
        rows = np.flatnonzero(ranges.wide[k])
        null = vanishing(unit_rows(J[k][rows]), RANK_TOLERANCE)[0]
        found[k] = np.zeros((J.shape[1], null.shape[1]))
        found[k][rows] = null / np.linalg.norm(J[k][rows], axis=1)[:, None]
    return found


def _line(run: Trajectory, joint: Joint, ranges: Open, changes: dict[int, Array]) -> tuple[Array, Array]:
    """Return along which line (N, d), and how far (N, 2), the force of a joint is open; zeros where on no line.

    Where the multipliers of the joint are λ + s μ, the range of any of them that changes is that of s.
    """
    picked = rows_of(joint, run.about.rows)
    slope, reach = np.zeros(run.multipliers.shape), np.zeros((len(run), 2))
    for k, basis in changes.items():
        mine = basis[picked]
        left, sizes, _ = np.linalg.svd(mine)
        if not sizes.size or sizes[0] <= SMALL * np.max(np.abs(basis)) or np.any(sizes[1:] > SMALL * sizes[0]):
            continue
        slope[k, picked] = left[:, 0]
        first = picked[int(np.argmax(np.abs(left[:, 0])))]
        ends = np.array([ranges.low[k, first], ranges.high[k, first]]) - run.multipliers[k, first]
        reach[k] = np.sort(ends / slope[k, first])
    along = wrench_along(replace(run, multipliers=slope), joint)[0]  # it is linear in the multipliers
    size = np.linalg.norm(along, axis=1, keepdims=True)
    known = size > SMALL * np.max(np.abs(slope), axis=1, keepdims=True)  # else the torque alone is open
    size = np.where(known, size, 1.0)
    return np.where(known, along / size, 0.0), np.where(known, reach * size, 0.0)


def _of_rows(run: Trajectory, dimension: int, ranges: Open, known: Flags) -> tuple[list[Acting], tuple[str, ...]]:
    """Return the force λ_k ∂φ_k/∂p of every row on every point p that it concerns, and the rows that are left out.

    On a bar it acts where its line of action crosses the bar, with the friction of the same contact. Rows that act on
    coordinates which belong to no point are left out, as their lines of action are not known.
    """
    assert run.setting is not None
    system, places = run.setting.system, {name: k for k, name in enumerate(run.about.coordinates)}
    J = system.model.batch(run.q, run.v, run.t, run.setting.theta)[1]
    spots = [spot for spot in spots_of(system, run) if spot.polar is None and len(spot.axes) == dimension]
    others = [k for name, k in places.items() if not any(name in spot.named for spot in spots)]
    rows, found = system.row_names, []
    groups: dict[str, list[int]] = {}
    for k, row in enumerate(rows):
        groups.setdefault(contact_of(row, rows) or row, []).append(k)
    unplaced = [k for k in range(len(rows)) if spots and np.any(J[:, k, others])]

    def on(name: str | None, group: list[int]) -> Array:
        return np.zeros(J[:, group, 0].shape) if name is None else np.asarray(J[:, group, places[name]])

    for spot in spots:
        place = in_rows(spot.place(run), len(run))
        for group in groups.values():
            kept = [k for k in group if k not in unplaced]
            slopes = np.stack([on(name, kept) for name in spot.axes], axis=-1)
            forces = run.multipliers[:, kept, None] * slopes
            at = place
            if spot.angle is not None:
                moment = np.sum(run.multipliers[:, kept] * on(spot.angle, kept), axis=1)
                at = place + _arm(np.sum(forces, axis=1), moment, run[spot.angle], spot.half)
            for j, k in enumerate(kept):
                size = np.linalg.norm(slopes[:, j], axis=1, keepdims=True)
                wide = ranges.wide[:, [k]] & (size > 0.0)
                if np.any(forces[:, j]) or np.any(wide):
                    size = np.where(wide, size, 1.0)
                    along = np.where(wide, slopes[:, j] / size, 0.0)
                    ends = np.stack([ranges.low[:, k], ranges.high[:, k]], axis=1) - run.multipliers[:, [k]]
                    found.append(Acting(at, forces[:, j], known[:, k], along, np.where(wide, ends * size, 0.0)))
    return found, tuple(rows[k] for k in unplaced)


def _band(f: Acting, scale: float, width: float, middle: Array, half: Array) -> list[Part]:
    """Return a band along all that a force may be, as far as the picture reaches, and a stroke at each end in it."""
    tip, open_ = f.place + scale * f.force, np.any(f.along, axis=1)
    slope = np.where(f.along, f.along, 1.0)
    walls = np.stack([(middle + sign * half - tip) / slope for sign in (-1.0, 1.0)], axis=-1)  # (N, d, 2)
    walls = np.where(f.along[:, :, None] != 0.0, np.sort(walls, axis=2), [-np.inf, np.inf])
    first = np.where(open_, np.minimum(np.max(walls[:, :, 0], axis=1), 0.0), 0.0)
    last = np.where(open_, np.maximum(np.min(walls[:, :, 1], axis=1), 0.0), 0.0)
    wanted = scale * f.reach
    reach = np.clip(wanted, first[:, None], last[:, None])
    ends = tip[:, None] + reach[:, :, None] * f.along[:, None]
    side = 0.5 * width * np.stack([_across(f.along), -_across(f.along)], axis=1)  # (N, 2, d)
    size = np.where((reach == wanted) & open_[:, None], 1.0, 0.0)
    strokes = [ends[:, [i]] + size[:, i, None, None] * side for i in (0, 1)]
    return [Part(ends, COLOUR, "band"), *(Part(stroke, COLOUR, "limit") for stroke in strokes)]


def _arm(force: Array, moment: Array, angle: Array, half: float) -> Array:
    """Return where forces (N, 2) with moments (N,) about the middle of a bar act, (N, 2) from there.

    That is where their lines of action cross the bar, which reaches `half` (m) on both sides; where they miss it, or
    lie along it, their points nearest to the middle.
    """
    along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    lever = along[:, 0] * force[:, 1] - along[:, 1] * force[:, 0]
    square = np.maximum(np.sum(force**2, axis=1), 1e-300)
    nearest = (moment / square)[:, None] * np.stack([force[:, 1], -force[:, 0]], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        s = moment / lever
    crosses = np.abs(s) <= (1.0 + PAST) * half
    return np.asarray(np.where(crosses[:, None], np.where(crosses, s, 0.0)[:, None] * along, nearest))


def _arrow(tail: Array, vector: Array, head: float) -> Array:
    """Return arrows (N, 5, d) as lines from the tails (N, d) to the tips and along the barbs."""
    tip, length = tail + vector, np.linalg.norm(vector, axis=1, keepdims=True)
    along = vector / np.where(length > 0.0, length, 1.0)
    side = _across(along)
    size = np.minimum(head, 0.5 * length)
    barbs = [tip - size * along + 0.5 * sign * size * side for sign in (1.0, -1.0)]
    return np.stack([tail, tip, barbs[0], tip, barbs[1]], axis=1)


def _across(along: Array) -> Array:
    """Return directions (N, d) across those of length 1 or 0."""
    if along.shape[1] == 2:
        return np.stack([-along[:, 1], along[:, 0]], axis=1)
    return np.array([across(tuple(x))[0] if any(x) else x for x in along.tolist()])
