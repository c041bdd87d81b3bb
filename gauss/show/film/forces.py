"""Forces of joints and rows as arrows: solid where the state of motion determines them, dashed where it does not."""

from __future__ import annotations

from typing import Any

import numpy as np

from gauss.bodies import Drawing, Mechanism, reaction
from gauss.bodies.automatic import spots_of
from gauss.bodies.joints.spatial_joints import Joint
from gauss.bodies.results.columns import wrench_along
from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags
from gauss.geometry.vectors import across
from gauss.model.rows import contact_of
from gauss.motion import Trajectory
from gauss.show.contacts import determined_forces
from gauss.show.film.bodies import Part, in_rows, point_of

COLOUR = "#000000"  # no body has it
HEAD = 0.06  # length of the head of an arrow, and half its width, as shares of the longest arrow
PAST = 1e-6  # of the half length of a bar: a line of action that misses its end by less acts there
Force = tuple[Array, Array, Flags]  # (N, d) m where it acts, (N, d) N, (N,) whether it is determined


def arrows_of(run: Trajectory, drawing: Drawing, longest: float, dimension: int) -> tuple[list[Part], str]:
    """Return the forces of joints on their second bodies, or of rows on points, as lines, and what they mean.

    The largest force is `longest` (m) long. Forces that dependent rows leave open are those of the multipliers of
    least norm, and dashed. Raises InputError where the run has no model, or nothing in it has a force that can be
    drawn.
    """
    if run.setting is None:
        raise InputError("the forces of a trajectory from a file need its model: use trajectory.with_system(system).")
    mechanism, left_out = drawing.mechanism, tuple[str, ...]()
    forces, left_out = _of_rows(run, dimension) if mechanism is None else (_of_joints(run, mechanism), left_out)
    largest = max((float(np.max(np.linalg.norm(force, axis=1))) for _, force, _ in forces), default=0.0)
    if not forces:
        why = f": the lines of action of {', '.join(map(repr, left_out))} are not known" if left_out else ""
        raise InputError(f"{run.about.system!r} has no joints or rows on points whose forces could be drawn{why}.")
    parts, scale = [], longest / (largest or 1.0)
    for place, force, known in forces:
        for kind, which in (("force", known), ("doubtful", ~known)):
            if np.any(which):
                parts.append(Part(_arrow(place, scale * force * which[:, None], HEAD * longest), COLOUR, kind))
    note = f"longest arrow {largest:.4g} N" if largest else "all forces are zero"
    note += "; dashed: not determined" if any(part.kind == "doubtful" for part in parts) else ""
    return parts, note + (f"; without the forces of {', '.join(left_out)}" if left_out else "")


def _of_joints(run: Trajectory, mechanism: Mechanism) -> list[Force]:
    """Return the forces of joints at their second points, and of rolling contacts on what rolls."""
    doubtful = bool(run.about.redundant) or run.stepping is not None or run.sharing is not None
    found = []
    joints: tuple[Any, ...] = tuple(mechanism.joints)
    for joint in joints:
        if isinstance(joint, Joint):
            force = wrench_along(run, joint)[0]
            known = np.all(np.isfinite(reaction(run, joint).force), axis=1) if doubtful else np.ones(len(run), bool)
            found.append((point_of(joint.body2, joint.point2, run)[:, 0], force, known))
        elif hasattr(joint, "contact") and hasattr(joint, "body"):
            force = reaction(run, joint).force
            known = np.all(np.isfinite(force), axis=1)
            found.append((in_rows(joint.contact(run), len(run)), np.where(known[:, None], force, 0.0), known))
    return found


def _of_rows(run: Trajectory, dimension: int) -> tuple[list[Force], tuple[str, ...]]:
    """Return the force λ_k ∂φ_k/∂p of every row on every point p that it concerns, and the rows that are left out.

    On a bar it acts where its line of action crosses the bar, with the friction of the same contact. Rows that act on
    coordinates which belong to no point are left out, as their lines of action are not known.
    """
    assert run.setting is not None
    system, places = run.setting.system, {name: k for k, name in enumerate(run.about.coordinates)}
    J = system.model.batch(run.q, run.v, run.t, run.setting.theta)[1]
    known = determined_forces(run, J)
    spots = [spot for spot in spots_of(system, run) if spot.polar is None and len(spot.axes) == dimension]
    others = [k for name, k in places.items() if not any(name in spot.named for spot in spots)]
    rows, found = system.row_names, []
    groups: dict[str, list[int]] = {}
    for k, row in enumerate(rows):
        groups.setdefault(contact_of(row, rows) or row, []).append(k)
    unplaced = [k for k in range(len(rows)) if spots and np.any(J[:, k, others])]

    def on(name: str | None, group: list[int]) -> Array:
        slopes = np.zeros(J[:, group, 0].shape) if name is None else J[:, group, places[name]]
        return np.asarray(run.multipliers[:, group] * slopes)

    for spot in spots:
        place = in_rows(spot.place(run), len(run))
        for group in groups.values():
            kept = [k for k in group if k not in unplaced]
            forces = np.stack([on(name, kept) for name in spot.axes], axis=-1)
            at = place
            if spot.angle is not None:
                moment = np.sum(on(spot.angle, kept), axis=1)
                at = place + _arm(np.sum(forces, axis=1), moment, run[spot.angle], spot.half)
            found += [(at, forces[:, j], known[:, k]) for j, k in enumerate(kept) if np.any(forces[:, j])]
    return found, tuple(rows[k] for k in unplaced)


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
    if tail.shape[1] == 2:
        side = np.stack([-along[:, 1], along[:, 0]], axis=1)
    else:
        side = np.array([across(tuple(x))[0] if any(x) else x for x in along.tolist()])
    size = np.minimum(head, 0.5 * length)
    barbs = [tip - size * along + 0.5 * sign * size * side for sign in (1.0, -1.0)]
    return np.stack([tail, tip, barbs[0], tip, barbs[1]], axis=1)
