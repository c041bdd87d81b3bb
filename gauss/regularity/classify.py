"""The verdict at a state: what its rows determine, what its higher-order conditions add, and what is then unique.

Several verdicts can hold together, one for each kind of vanishing combination of rows (see `gauss.regularity.jets`):

    regular                   the rows are independent
    redundant                 a combination demands nothing, here or at nearby points: multipliers not unique
    crossing                  order 3 binds the acceleration: unique although the position is singular
    locked                    order 4 holds on a (affine) subspace only: unique, and rigid across it
    branching                 order 4 holds on a cone: several motions leave the state
    higher order              the conditions up to order 4 do not tell what nearby points show
    no smooth continuation    orders 3 or 4 have no solution
    velocity not admissible   order 2 is violated: no motion has this velocity
    contradictory             orders 1 or 2 are violated whatever the velocity
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gauss.arrays import Array, Flags
from gauss.principle import GaussProblem
from gauss.regularity.accelerations import AccelerationSet, from_stationary, nothing, single, undecided
from gauss.regularity.completed import completed, completed_near, locked, pushed, sets_of
from gauss.regularity.cone import Quadric, StationarySet, stationary
from gauss.regularity.frame import Frame, complement
from gauss.regularity.jets import CONSISTENT, SLACK, Conditions, conditions
from gauss.regularity.near import NearRows, crossing_error, near_rows, ordinary_error, rounding_error
from gauss.regularity.nearby import (
    DIRECTIONS,
    NEAR_ENOUGH,
    NearbyPoint,
    along_directions,
    along_motion,
    probe_subspace,
    with_more_rank,
)
from gauss.regularity.velocity import admissible_velocity

ORDER = (
    *("contradictory", "velocity not admissible", "no smooth continuation", "higher order"),
    *("branching", "locked", "crossing", "redundant", "regular"),
)
DISTINCT = 1e-12  # relative size of coefficients of the quadrics that counts as zero, at least
ASIDE = 0.1  # of the way along a crossing motion by which nearby points lie beside it
DISTANCES = (1e-2, 1e-3, 1e-4)  # at which nearby points are looked for, relative to the length of the system
POOR = 1e-2  # relative error from which an expansion from the singular position is not used
REACH = 0.1  # relative error by the ordinary rows from which a singular position within reach is looked for
OUT_OF_REACH = 1e-6  # singular values above this are not lowered to zero then


@dataclass(frozen=True)
class Finding:
    """One verdict with the rows that it is about."""

    verdict: str
    sets: tuple[tuple[str, ...], ...]  # the minimal dependent sets of rows, by name
    sentence: str  # cause and remedy


@dataclass(frozen=True)
class Analysis:
    """What the rows of a frame say about the acceleration."""

    findings: tuple[Finding, ...]
    accelerations: AccelerationSet | None  # None where the rows of `problem` determine it: minimise the Zwang there
    problem: GaussProblem  # the rows, made exactly dependent, with those of higher order
    nearby: tuple[NearbyPoint, ...]
    conditions: Conditions | None
    warnings: tuple[str, ...] = ()
    error: float = 0.0  # estimated error of the acceleration, in the metric, that the uncertainty of the state causes

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdicts, gravest first."""
        return tuple(sorted({f.verdict for f in self.findings}, key=ORDER.index))


def analyse(frame: Frame, contacts: Flags | None = None, others: Sequence[tuple[Array, float]] = ()) -> Analysis:
    """Classify the rows of a frame and complete them by the conditions of higher order.

    `contacts` (m,) marks rows of the frame that are contacts g ≥ 0 held at g = 0, and `others` are further closed
    contacts as pairs (w, γ) of w z ≥ γ.
    """
    m, r = len(frame.index), frame.rank
    near = near_rows(frame)
    if near is not None and near.error >= min(near.ordinary, POOR * max(float(np.linalg.norm(near.z)), frame.agility)):
        near = None  # a motion that ends at the singular position, as at a cusp, makes the expansion poor
    if r == m:
        return _regular_position(frame, near)
    c = conditions(frame, contacts)
    if not c.admissible:
        return _not_admissible(frame, c)
    if not c.smooth:
        sets = sets_of(frame, c.broken[:, None])
        text = (
            f"no smooth continuation: at order 3 the combination {_words(sets)} cannot be satisfied by any acceleration"
            f" (relative gap {c.smooth_gap:.2g}). The motion ends here, as at a cusp: it can only come to rest or be"
            " reflected; reverse the velocity, or start elsewhere."
        )
        return _ended(frame, c, Finding("no smooth continuation", sets, text))
    findings: list[Finding] = []
    if c.crossing.shape[1] or len(c.pushing):
        findings.append(_crossing(frame, c))
    problem = pushed(frame, c, completed(frame, c))
    if c.mixed:
        sets = sets_of(frame, c.null)
        text = (
            f"higher order: the contacts in {_words(sets)} push against each other, and their conditions of order 4 are"
            " not separated here. What follows takes them as equations."
        )
        findings.append(Finding("higher order", sets, text))
    if c.beyond.shape[1]:
        findings.append(_beyond(frame, c))
        return _undecided(frame, c, problem, findings, ())
    if not c.quadrics:
        nearby, missing = _nearby(frame, c, contacts)
        if c.silent.shape[1]:
            findings.append(_silent(frame, c, nearby, missing=missing, contacts=contacts is not None))
        if not findings:
            sets = sets_of(frame, c.null)
            text = (
                f"redundant: the contacts {_words(sets)} are dependent, but the motion separates them at order 3, so"
                " the rows are all that they demand. The acceleration is unique, the contact forces are not."
            )
            findings.append(Finding("redundant", sets, text))
        if findings[-1].verdict == "higher order":
            return _undecided(frame, c, problem, findings, nearby)
        if near is None:
            return Analysis(tuple(findings), None, problem, nearby, c, (), crossing_error(frame, c.base, c.rows))
        return Analysis(tuple(findings), None, completed_near(frame, near), nearby, c, (_near(near),), near.error)
    return _on_quadrics(frame, c, problem, findings, others)


def _undecided(
    frame: Frame, c: Conditions, problem: GaussProblem, findings: list[Finding], nearby: tuple[NearbyPoint, ...]
) -> Analysis:
    """Return the analysis where conditions beyond order 4 decide: the least Zwang by the others is no answer."""
    target = frame.lift(c.base + c.kernel @ (c.kernel.T @ frame.free))
    return Analysis(tuple(findings), undecided(single(target, np.nan, "")), problem, nearby, c)


def order_one(frame: Frame) -> Finding | None:
    """Return "contradictory" where no velocity satisfies the rows at this position, as at a driven dead centre.

    At order 1 a vanishing combination u demands uᵀψ = 0, which holds no velocity if the rows are linear in them.
    """
    if frame.rank == len(frame.index) or not frame.system.model.linear_velocity:
        return None
    s = frame.state
    psi = frame.system.model.residuals(s.q, s.v, s.t, frame.theta)[1][frame.index] / frame.scale
    U = frame.left_null
    size = np.abs(U).T @ np.abs(psi)
    gap = np.abs(U.T @ psi) / np.where(size > 0.0, size, 1.0)
    speed = max(frame.metric.norm(s.v), frame.metric.norm(frame.metric.reference), 1e-300)
    bad = (gap > max(CONSISTENT, SLACK * frame.noise)) & (size > CONSISTENT * speed)
    if not np.any(bad):
        return None
    sets = sets_of(frame, U[:, bad])
    text = (
        f"contradictory: at this position the rows {_words(sets)} are dependent and no velocity satisfies them"
        f" (relative gap {float(np.max(gap[bad])):.2g}), as when a driver meets a dead centre. Stop the driver before"
        " this position, or give the mechanism another freedom."
    )
    return Finding("contradictory", sets, text)


def _on_quadrics(
    frame: Frame,
    c: Conditions,
    problem: GaussProblem,
    findings: list[Finding],
    others: Sequence[tuple[Array, float]],
) -> Analysis:
    """Classify where order 4 binds the acceleration: locked, branching, or higher order."""
    trivial = [q.sense == ">=" and _never_negative(q) for q in c.quadrics]
    if all(trivial):
        findings.append(_silent(frame, c, (), 0) if c.silent.shape[1] else _satisfied(frame, c))
        return Analysis(tuple(findings), None, problem, (), c)
    sets = sets_of(frame, c.active)
    half_spaces = [*others, *zip(c.pushing, c.pushed, strict=True)]
    flat = np.zeros((c.kernel.shape[1], c.kernel.shape[1]))
    sides = [Quadric(flat, c.kernel.T @ w / 2, float(w @ c.base - bound), ">=") for w, bound in half_spaces]
    quadrics = [q for q, skip in zip(c.quadrics, trivial, strict=True) if not skip]
    found = stationary(c.kernel.T @ frame.free, [*quadrics, *sides], max(DISTINCT, 100.0 * frame.noise))
    if found.status == "none":
        text = (
            f"no smooth continuation: the order 4 condition of {_words(sets)} has no real solution. No motion leaves"
            " this state with this velocity; start elsewhere."
        )
        return _ended(frame, c, Finding("no smooth continuation", sets, text))
    if found.affine is None:
        return _branching(frame, c, problem, findings, found)
    offset, basis = found.affine
    straight = [q for q in quadrics if not np.any(q.S)]
    rank = frame.rank + c.rows.shape[0] + len(straight)
    across = c.kernel @ complement(basis.T, c.kernel.shape[1])
    positional = any(int(k) in frame.system.model.positional for k in frame.index)
    nearby, objection = probe_subspace(frame, c.kernel @ basis, across if positional else None, c.active, rank)
    if c.silent.shape[1]:
        findings.append(_silent(frame, c, nearby, len(straight)))
    if objection:
        text = (
            f"higher order: the quadratic condition of {_words(sets)} is degenerate: {objection}. Conditions beyond"
            " order 4 decide; what follows holds to order 4 only."
        )
        findings.append(Finding("higher order", sets, text))
        return Analysis(tuple(findings), undecided(from_stationary(frame, c, found)), problem, nearby, c)
    findings.append(_bound(c, sets, basis.shape[1], len(straight) == len(quadrics)))
    error = crossing_error(frame, c.base, c.rows) / _steepness(quadrics)
    return Analysis(tuple(findings), None, locked(frame, c, problem, offset, basis), nearby, c, (), error)


def _steepness(quadrics: Sequence[Quadric]) -> float:
    """Return the smallest eigenvalue of the quadrics that is not zero, relative to the largest of its quadric."""
    least = 1.0
    for q in quadrics:
        values = np.abs(np.linalg.eigvalsh(q.S)) if q.S.size else np.zeros(0)
        top = float(np.max(values, initial=0.0))
        least = min(least, float(np.min(values[values > DISTINCT * top], initial=top)) / top if top > 0.0 else 1.0)
    return least


def _branching(
    frame: Frame, c: Conditions, problem: GaussProblem, findings: list[Finding], found: StationarySet
) -> Analysis:
    sets = sets_of(frame, c.active)
    points = [along_motion(frame, frame.lift(c.base + c.kernel @ p.y)) for p in found.points[:DIRECTIONS]]
    points += [along_motion(frame, frame.lift(c.base + c.kernel @ f.sample(1, 0)[0])) for f in found.families[:1]]
    nearby = tuple(p for p in points if p is not None and p.moved < 1.0)
    if c.silent.shape[1]:
        findings.append(_silent(frame, c, nearby, len(c.quadrics)))
    text = (
        f"branching: the order 4 condition of {_words(sets)} holds on a cone of accelerations, so several motions"
        " leave this state and Gauss's principle is a problem that is not convex. Choose among the candidates, or"
        ' follow all of them with simulate(…, branches="all").'
    )
    findings.append(Finding("branching", sets, text))
    rigid = [k for k, q in enumerate(c.quadrics) if q.sense == "=" and semidefinite(q)]
    if rigid:
        findings.append(_bound(c, sets_of(frame, c.active[:, rigid]), None, False))
    return Analysis(tuple(findings), from_stationary(frame, c, found), problem, nearby, c)


def semidefinite(q: Quadric) -> bool:
    """Return whether a condition is yᵀS y = 0 with S semidefinite, so that it holds on a subspace only."""
    values = np.linalg.eigvalsh(q.S)
    size = float(np.max(np.abs(values), initial=0.0))
    return bool(size > 0.0 and not np.any(q.g) and q.c == 0.0 and np.min(values) * np.max(values) >= -1e-9 * size**2)


def _bound(c: Conditions, sets: tuple[tuple[str, ...], ...], dimension: int | None, straight: bool) -> Finding:
    """Return the verdict on order 4 conditions that hold on a subspace: crossing if they are linear, else locked."""
    if straight:
        text = (
            f"crossing: the order 4 condition of {_words(sets)} is linear here and completes the rank. The acceleration"
            " is unique; the multipliers λ grow without bound near this position."
        )
        return Finding("crossing", sets, text)
    among = "" if dimension is None else f" of dimension {dimension}"
    rest = "" if dimension is None else " The acceleration is unique; no finite multipliers need exist."
    text = (
        f"locked: the order 4 condition of {_words(sets)} holds only on a subspace{among} of the {c.kernel.shape[1]}"
        f" directions that the rows leave free: movable to first order, rigid all the same.{rest}"
    )
    return Finding("locked", sets, text)


def _regular_position(frame: Frame, near: NearRows | None) -> Analysis:
    """Return the analysis of independent rows, by order 3 rows where these are nearly dependent."""
    findings = (regular(frame),)
    if near is not None:
        return Analysis(findings, None, completed_near(frame, near), (), None, (_near(near),), near.error)
    size = max(float(np.linalg.norm(frame.free)), frame.agility)
    error = ordinary_error(frame, size)
    if rounding_error(frame, size) > REACH * size > 0.0:
        within = _within_reach(frame)
        if within is not None:
            return within
    warnings: tuple[str, ...] = ()
    if error > REACH * size:
        warnings = (
            "A singular position is so near that the state does not determine the acceleration: estimated error"
            f" {error:.1g} in the metric, where the acceleration is about {size:.1g}.",
        )
    return Analysis(findings, None, frame.problem, (), None, warnings, error)


def _within_reach(frame: Frame) -> Analysis | None:
    """Return the analysis of the singular position that a state is as near to as its own uncertainty, or None.

    Where order 4 decides (locked, branching), a distance δ is seen by the constraints as δ² only, so integrated states
    are always off such a position by √eps or so.
    """
    rank = int(np.sum(frame.sigma > OUT_OF_REACH))
    if rank == frame.rank:
        return None
    lowered = replace(frame, rank=rank)
    c = conditions(lowered)
    if not c.admissible or not c.smooth or not c.quadrics:
        return None
    found = _on_quadrics(lowered, c, completed(lowered, c), [_crossing(lowered, c)] if c.crossing.shape[1] else [], ())
    text = (
        f"A singular position is nearer than the state is known (smallest singular value {frame.sigma[-1]:.1g}): the"
        " verdict is on that position."
    )
    return replace(found, warnings=(*found.warnings, text))


# ------------------------------------------------------------------ the words


def _near(near: NearRows) -> str:
    return (
        "A singular position is near: the acceleration comes from the order 3 rows (estimated error"
        f" {near.error:.1g} in the metric; by the ordinary rows it would be {near.ordinary:.1g})."
    )


def regular(frame: Frame) -> Finding:
    """Return the verdict on independent rows."""
    m = len(frame.index)
    many = "the row does not vanish" if m == 1 else f"the {m} rows are independent"
    return Finding("regular", (), f"regular: {many}." if m else "regular: there are no constraint rows.")


def _words(sets: tuple[tuple[str, ...], ...]) -> str:
    shown = "; ".join(" + ".join(repr(name) for name in group) for group in sets[:4])
    return shown + (f"; and {len(sets) - 4} more" if len(sets) > 4 else "")


def _crossing(frame: Frame, c: Conditions) -> Finding:
    sets = sets_of(frame, np.hstack([c.crossing, c.leading]))
    text = (
        f"crossing: the rows {_words(sets)} become dependent here, but the motion passes through with speed and their"
        " third derivatives complete the rank. The acceleration is unique; the multipliers λ grow without bound near"
        " this position, and the multipliers ν of the order 3 rows carry the reaction."
    )
    return Finding("crossing", sets, text)


def _beyond(frame: Frame, c: Conditions) -> Finding:
    sets = sets_of(frame, c.beyond)
    text = (
        f"higher order: the order 4 condition of {_words(sets)} is of third degree in the acceleration, or contains its"
        " derivative. Conditions beyond order 4 decide; what follows holds to order 3 only."
    )
    return Finding("higher order", sets, text)


def _never_negative(q: Quadric) -> bool:
    """Return whether yᵀS y + c ≥ 0 holds for all y."""
    values = np.linalg.eigvalsh(q.S)
    size = max(float(np.max(np.abs(values), initial=0.0)), 1e-300)
    return bool(not np.any(q.g) and q.c >= 0.0 and np.min(values, initial=0.0) >= -1e-9 * size)


def _satisfied(frame: Frame, c: Conditions) -> Finding:
    sets = sets_of(frame, c.active)
    text = (
        f"redundant: the contacts {_words(sets)} are dependent and hold each other at order 2; their condition of order"
        " 4 is satisfied by every acceleration. The acceleration is unique, the contact forces are not."
    )
    return Finding("redundant", sets, text)


def _silent(
    frame: Frame,
    c: Conditions,
    nearby: tuple[NearbyPoint, ...],
    bound: int = 0,
    missing: int = 0,
    contacts: bool = False,
) -> Finding:
    """Return redundant or higher order, by the rank at nearby points; there order 4 adds `bound` rows.

    `missing` is the number of directions, free by all conditions, in which there are no nearby points. Contacts may
    open there, so that their rank says nothing.
    """
    sets = sets_of(frame, c.silent)
    rank = frame.rank + c.rows.shape[0] + bound
    changed = [] if contacts else with_more_rank(frame, nearby, rank)
    if changed:
        text = (
            f"higher order: the combination {_words(sets)} demands nothing up to order 4, but at {len(changed)} of"
            f" {len(nearby)} nearby points of the constraint set the rows have the rank {max(p.rank for p in changed)}"
            f" instead of {rank}. Conditions beyond order 4 decide; what follows holds to order 4 only."
        )
        return Finding("higher order", sets, text)
    if missing:
        text = (
            f"higher order: the combination {_words(sets)} demands nothing up to order 4, but in {missing} directions"
            " that it leaves free the constraint set has no points near this one. Conditions beyond order 4 decide;"
            " what follows holds to order 4 only."
        )
        return Finding("higher order", sets, text)
    if not nearby and c.kernel.shape[1]:
        text = (
            f"higher order: the combination {_words(sets)} demands nothing up to order 4, and no nearby points of the"
            " constraint set were found that would show whether its rank changes."
        )
        return Finding("higher order", sets, text)
    where = (
        f"there are {len(nearby)} nearby points in all directions that the other conditions leave free"
        if nearby and contacts
        else f"the rank stays {rank} at {len(nearby)} nearby points of the constraint set"
        if nearby
        else "the rows leave no direction free"
    )
    text = (
        f"redundant: the combination {_words(sets)} demands nothing of the acceleration, and {where}. The acceleration"
        " is unique, the multipliers of these rows are not; a constraint is given more than once, and one of them can"
        " be removed."
    )
    return Finding("redundant", sets, text)


# ------------------------------------------------------------------ states without an acceleration


def _ended(frame: Frame, c: Conditions, finding: Finding) -> Analysis:
    return Analysis((finding,), nothing(finding.sentence), frame.problem, (), c)


def _not_admissible(frame: Frame, c: Conditions) -> Analysis:
    """Return the analysis of a velocity that violates order 2, with the nearest velocity that does not."""
    bad = c.null[:, c.velocity_gap > c.tolerance]
    sets = sets_of(frame, bad)
    possible, nearest = admissible_velocity(frame, c.null, c.velocity_gap > c.tolerance)
    gap = float(np.max(c.velocity_gap))
    if not possible:
        text = (
            f"contradictory: the rows {_words(sets)} demand different accelerations whatever the velocity (relative gap"
            f" {gap:.2g}). No motion passes this position; remove or mend one of these constraints."
        )
        return _ended(frame, c, Finding("contradictory", sets, text))
    remedy = "Choose a velocity that does."
    if nearest is not None:
        values = ", ".join(f"{k} {x:.6g}" for k, x in zip(frame.system.coordinates, nearest, strict=True))
        remedy = f"The nearest velocity that does is {values}."
    text = (
        f"velocity not admissible: at this singular position the velocity must satisfy the order 2 condition of"
        f" {_words(sets)} too, and does not (relative gap {gap:.2g}). {remedy}"
    )
    return _ended(frame, c, Finding("velocity not admissible", sets, text))


# ------------------------------------------------------------------ nearby points


def _nearby(frame: Frame, c: Conditions, contacts: Flags | None) -> tuple[tuple[NearbyPoint, ...], int]:
    """Return points of the constraint set near the state: on the motion, and in directions that the rows leave free.

    The number of directions in which there are none is second.
    """
    along = frame.kernel @ (frame.kernel.T @ (frame.metric.L.T @ frame.state.v))
    rank = None if contacts is not None else _positional_rank(frame) + c.rows.shape[0]
    speed, size = frame.metric.norm(frame.state.v), float(np.linalg.norm(along))
    aside = c.kernel @ np.random.default_rng(0).normal(size=(c.kernel.shape[1], DIRECTIONS))
    if size <= 1e-9 * speed or size == 0.0:
        found, missing = along_directions(frame, np.hstack([aside, -aside]).T, DISTANCES, contacts=contacts, rank=rank)
        return tuple(found), missing
    aside = aside - np.outer(along, along @ aside) / size**2
    length = np.linalg.norm(aside, axis=0)
    share = ASIDE if c.rows.shape[0] else 1.0
    turned = aside * (share * size * (length > 1e-9) / np.where(length > 0.0, length, 1.0))
    directions = along + np.hstack([turned, -turned]).T
    target = frame.lift(c.base + c.kernel @ (c.kernel.T @ frame.free))
    motion = (along_motion(frame, target, share, contacts) for share in DISTANCES)
    first = next((p for p in motion if p is not None and p.moved < 1.0), None)
    off = NEAR_ENOUGH * share
    found, missing = along_directions(frame, directions, DISTANCES, contacts=contacts, off=off, rank=rank)
    return (*(p for p in (first,) if p is not None), *found), missing


def _positional_rank(frame: Frame) -> int:
    """Return the rank of the rows that restrict positions."""
    rows = [i for i, k in enumerate(frame.index) if k in frame.system.model.positional]
    return int(np.sum(np.linalg.svd(frame.W[rows], compute_uv=False) > frame.tolerance)) if rows else 0
