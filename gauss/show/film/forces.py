"""Forces of joints and rows as arrows: solid where the state of motion determines them, dashed where it does not."""

from __future__ import annotations

from typing import Any

import numpy as np

from gauss.bodies import Drawing, Mechanism, reaction
from gauss.bodies.automatic import spots_of
from gauss.bodies.joints.spatial_joints import Joint
from gauss.bodies.results.columns import wrench_along
from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, unit_rows
from gauss.geometry.vectors import across
from gauss.motion import Trajectory
from gauss.principle.rank import RANK_TOLERANCE
from gauss.show.film.bodies import Part, in_rows, point_of
from gauss.uniqueness.ranges import SMALL, vanishing

COLOUR = "#000000"  # no body has it
HEAD = 0.06  # length of the head of an arrow, and half its width, as shares of the longest arrow
Force = tuple[Array, Array, Flags]  # (N, d) m where it acts, (N, d) N, (N,) whether it is determined


def arrows_of(run: Trajectory, drawing: Drawing, longest: float, dimension: int) -> tuple[list[Part], str]:
    """Return the forces of joints on their second bodies, or of rows on points, as lines, and what they mean.

    The largest force is `longest` (m) long. Forces that dependent rows leave open are those of the multipliers of
    least norm, and dashed. Raises InputError where the run has no model, or nothing in it has a force that can be
    drawn.
    """
    if run.setting is None:
        raise InputError("the forces of a trajectory from a file need its model: use trajectory.with_system(system).")
    forces = _of_rows(run, dimension) if drawing.mechanism is None else _of_joints(run, drawing.mechanism)
    largest = max((float(np.max(np.linalg.norm(force, axis=1))) for _, force, _ in forces), default=0.0)
    if not forces:
        raise InputError(f"{run.about.system!r} has no joints or rows on points whose forces could be drawn.")
    parts, scale = [], longest / (largest or 1.0)
    for place, force, known in forces:
        for kind, which in (("force", known), ("doubtful", ~known)):
            if np.any(which):
                parts.append(Part(_arrow(place, scale * force * which[:, None], HEAD * longest), COLOUR, kind))
    note = f"longest arrow {largest:.4g} N" if largest else "all forces are zero"
    return parts, note + ("; dashed: not determined" if any(part.kind == "doubtful" for part in parts) else "")


def _of_joints(run: Trajectory, mechanism: Mechanism) -> list[Force]:
    """Return the forces of joints at their second points, and of rolling contacts on what rolls."""
    doubtful = bool(run.about.redundant) or run.stepping is not None
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


def _of_rows(run: Trajectory, dimension: int) -> list[Force]:
    """Return the force λ_k ∂φ_k/∂p of every row on every point p that it concerns, those of the scene's dimension."""
    assert run.setting is not None
    system, places = run.setting.system, {name: k for k, name in enumerate(run.about.coordinates)}
    J = system.model.batch(run.q, run.v, run.t, run.setting.theta)[1]
    known = _known(run, J)
    found = []
    for spot in spots_of(system, run):
        if spot.polar is not None or len(spot.axes) != dimension:
            continue
        place = in_rows(spot.place(run), len(run))
        for k in range(J.shape[1]):
            slopes = [np.zeros(len(run)) if name is None else J[:, k, places[name]] for name in spot.axes]
            force = run.multipliers[:, k, None] * np.stack(slopes, axis=1)
            if np.any(force):
                found.append((place, force, known[:, k]))
    return found


def _known(run: Trajectory, J: Array) -> Flags:
    """Return at which states (N, m) the multiplier of a row is determined: where no vanishing combination has it."""
    known = np.ones(J.shape[:2], dtype=bool)
    if run.about.redundant:
        left_out = np.array([name in run.about.redundant for name in run.about.rows])
        for k, matrix in enumerate(J):
            rows = np.flatnonzero(run.active[k] | left_out)
            null = vanishing(unit_rows(matrix[rows]), RANK_TOLERANCE)[0]
            if null.size:
                known[k, rows] = np.max(np.abs(null), axis=1) <= SMALL
    return known


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
