"""What the rows of a frame say of the acceleration: what they determine, and what conditions of higher order add.

The verdicts and their words are those of `gauss.uniqueness.findings`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gauss.errors import GaussError
from gauss.foundation.arrays import Array, Flags
from gauss.foundation.dependence import dependence
from gauss.foundation.tolerances import SAME
from gauss.foundation.zero import CLEAR, ZERO
from gauss.numerics.quadrics.stationary import Quadric, StationarySet, stationary
from gauss.principle import GaussProblem, solve
from gauss.uniqueness import findings as verdict_on
from gauss.uniqueness.accelerations import (
    CONFIRMED,
    NOT_CONFIRMED,
    from_stationary,
    single,
    undecided,
)
from gauss.uniqueness.findings import Finding
from gauss.uniqueness.orders.any_order import AnyOrder, by_germ
from gauss.uniqueness.orders.completed import completed, completed_near, locked, pushed
from gauss.uniqueness.orders.errors import (
    LARGEST_DISPLACED,
    SAFETY,
    crossing_error,
    displaced_error,
    hidden,
    ordinary_error,
    rounding_error,
    state_error,
)
from gauss.uniqueness.orders.found import Analysis, ended
from gauss.uniqueness.orders.jets import Conditions, conditions
from gauss.uniqueness.orders.near import POOR, NearRows, near_rows
from gauss.uniqueness.orders.order_four import (
    DISTINCT,
    FLAT,
    balanced,
    never_negative,
    semidefinite,
    steepness,
    violated,
)
from gauss.uniqueness.orders.velocity import admissible_velocity
from gauss.uniqueness.rows.combinations import complement
from gauss.uniqueness.rows.frame import OUT_OF_REACH, Frame
from gauss.uniqueness.rows.nearby import DIRECTIONS, NearbyPoint, around, follows, on_motions
from gauss.uniqueness.rows.probe import probe_subspace

LOOSE = 0.05  # relative size of coefficients of the quadrics that counts as zero at most, however far off the state is
ROUNDED = 1e-3  # of its singular vectors is rounding: the error by them is estimated anew at displaced states
LARGEST_LOCK = 100  # coordinates up to which germs are asked of a lock, which nothing else can tell
LARGEST_COPY = 24  # and of rows that are only redundant: two bodies have as many
REACH = 0.1  # relative error from which the state is said not to determine the acceleration

OPEN_ORDER = "conditions beyond order 4 decide; these accelerations satisfy those up to order 4"
OPEN_FOUR = "rounding leaves open whether order 4 demands anything; these accelerations are right if it does not"
OPEN_VELOCITY = "rounding leaves open whether the velocity is admissible; these accelerations are right if it is"


def analyse(frame: Frame, contacts: Flags | None = None, others: Sequence[tuple[Array, float]] = ()) -> Analysis:
    """Classify the rows of a frame and complete them by the conditions of higher order.

    `contacts` (m,) marks rows of the frame that are contacts g ≥ 0 held at g = 0, and `others` are further closed
    contacts as pairs (w, γ) of w z ≥ γ.
    """
    found = to_order_four(frame, contacts, others)
    if contacts is None and not others:
        found = _to_any_order(frame, found)
    c, known = found.conditions, found.accelerations
    if (
        known is not None
        and np.any(frame.state.v)
        and sum(x.confirmed.startswith(CONFIRMED) for x in known.candidates) > 1
    ):
        found = replace(found, motion_unique=False)
    if c is None or (known is not None and known.status in ("none", "undecided")):
        return found
    open_velocity = not np.all(c.velocity.joined(c.smoothness).zero)
    if open_velocity:
        found = replace(found, findings=(verdict_on.undecided_velocity(frame, c, found.verdicts),))
    elif c.open.shape[1] and "higher order" not in found.verdicts:
        found = replace(found, findings=(verdict_on.undecided_order_four(frame, c, found.verdicts),))
    elif "higher order" not in found.verdicts:
        return found
    why = OPEN_VELOCITY if open_velocity else OPEN_FOUR if c.open.shape[1] else OPEN_ORDER
    return as_open(frame, c, found, why)


def as_open(frame: Frame, c: Conditions, found: Analysis, why: str) -> Analysis:
    """Return an analysis with its accelerations as undecided, of which `why` says what is open."""
    known = found.accelerations
    return replace(
        found, accelerations=undecided(single(_nearest(frame, c), np.nan, "") if known is None else known, why)
    )


def _to_any_order(frame: Frame, found: Analysis) -> Analysis:
    """Return what the branches of the constraint set say, where orders up to 4 claim what higher ones can undo."""
    c, words = found.conditions, set(found.verdicts)
    if c is None or not c.admissible or not (words & {"locked", "higher order"} or c.unconditional.shape[1]):
        return found
    if frame.n > LARGEST_COPY and ("locked" not in words or "higher order" in words):
        return found
    germ = by_germ(frame, LARGEST_LOCK, beside=True)
    if germ == "open" and words == {"redundant"}:  # as where a run has left the state off its rows by rounding
        germ = by_germ(frame, LARGEST_LOCK, frame.known * frame.place, beside=True)
    if isinstance(germ, Finding):
        return ended(frame.problem, c, germ)
    if isinstance(germ, AnyOrder):  # what order 4 clearly forbids is on no branch
        least = SAME * frame.acceleration_scale
        moved = [c.kernel.T @ (frame.metric.L.T @ choice.solution.a - c.base) for choice in germ.choices]
        germ = "open" if any(np.linalg.norm(y) > least and violated(c.quadrics, y, LOOSE) for y in moved) else germ
    if isinstance(germ, str | int):
        return open_by(frame, c, found, germ) or found
    if germ is None or (words == {"branching"} and germ.accelerations.unique):
        return found
    agrees = germ.finding.verdict in words and "higher order" not in words
    if agrees and germ.accelerations.unique and found.accelerations is None:
        try:
            apart = frame.metric.norm(solve(found.problem).a - germ.solution.a)
        except GaussError:
            apart = np.inf
        size = frame.metric.norm(germ.solution.a) + frame.acceleration_scale
        if apart <= max(SAME * size, found.error):
            return replace(found, motion_unique=germ.motion_unique)
    return on_branches(frame, c, found, germ)


def open_by(frame: Frame, c: Conditions, found: Analysis, germ: AnyOrder | str | int) -> Analysis | None:
    """Return an analysis as one that higher orders decide, where the germ does not bear out what it claims, else None.

    The germ is open, or has another number of directions left, on branches or on a smooth set.
    """
    words, rank = set(found.verdicts), _rank(found.problem)
    if not isinstance(germ, str):
        left = frame.rank + germ if isinstance(germ, int) else _rank(germ.problem)
        one = isinstance(germ, int) or germ.accelerations.unique
        if one and rank == left and words <= {"locked", "redundant"}:
            return None
    if words == {"redundant"} and c.unconditional.shape[1]:
        return replace(found, findings=(*_copies(frame, c), verdict_on.binding(frame, c)))
    if not {"locked"} <= words <= {"locked", "redundant"} or rank == frame.n:
        return None
    return replace(found, findings=(*_copies(frame, c), verdict_on.open_germ(frame, c)))


def _rank(problem: GaussProblem) -> int:
    """Return the rank of the equality rows of a problem."""
    return int(np.linalg.matrix_rank(problem.rows.J[problem.rows.equality]))


def on_branches(frame: Frame, c: Conditions, found: Analysis, germ: AnyOrder) -> Analysis:
    """Return what the branches of the constraint set say."""
    none = c.active[:, :0]
    copies = _copies(frame, c) if germ.finding.verdict != "redundant" else []
    return Analysis(
        (*copies, germ.finding),
        None if germ.accelerations.unique else germ.accelerations,
        germ.problem,
        found.nearby,
        replace(c, rows=np.zeros((0, frame.n)), right=np.zeros(0), active=none, eliminating=none, open=none),
        (),
        state_error(frame, frame.metric.norm(germ.solution.a)) + germ.error,
        germ.motion_unique,
    )


def _copies(frame: Frame, c: Conditions) -> list[Finding]:
    """Return the verdict on combinations that vanish everywhere, if there are any."""
    return [verdict_on.identical(frame, c)] if c.identical.shape[1] else []


def _nearest(frame: Frame, c: Conditions) -> Array:
    """Return the acceleration (n,) of least Zwang that satisfies orders 2 and 3."""
    return frame.lift(c.base + c.kernel @ (c.kernel.T @ frame.free))


def to_order_four(frame: Frame, contacts: Flags | None, others: Sequence[tuple[Array, float]]) -> Analysis:
    """Do what `analyse` does; accelerations that "higher order" makes doubtful are still given as decided."""
    m, r = len(frame.index), frame.rank
    near = near_rows(frame)
    if near is not None and near.error >= min(
        near.ordinary, POOR * max(float(np.linalg.norm(near.z)), frame.acceleration_scale)
    ):
        near = None  # a motion that ends at the singular position, as at a cusp, makes the expansion poor
    if r == m:
        return _regular_position(frame, near)
    c = conditions(frame, contacts)
    if not c.admissible:
        return _not_admissible(frame, c)
    if not c.smooth:
        return ended(frame.problem, c, verdict_on.cusp(frame, c))
    findings = _copies(frame, c)
    if c.crossing.shape[1] or len(c.pushing):
        findings.append(verdict_on.crossing(frame, c))
    problem = pushed(frame, c, completed(frame, c))
    if c.mixed:
        findings.append(verdict_on.mixed(frame, c))
    if c.beyond.shape[1]:
        return Analysis((*findings, verdict_on.beyond(frame, c)), None, problem, (), c)
    if c.quadrics:
        return _on_quadrics(frame, c, problem, findings, others)
    if c.identical.shape[1] and not c.unconditional.shape[1] and not c.crossing.shape[1] and near is None:
        return Analysis(tuple(findings), None, problem, (), c, (), ordinary_error(frame, frame.acceleration_scale))
    target = _nearest(frame, c)
    nearby, missing = around(frame, target, c.kernel, c.rows.shape[0], contacts)
    if contacts is not None:
        missing += sum(not _seen_open(frame, c.unconditional, contacts, point) for point in nearby)
    if c.unconditional.shape[1]:
        findings.append(verdict_on.unconditional(frame, c, nearby, missing=missing, contacts=contacts is not None))
    findings = findings or [verdict_on.separated(frame, c)]
    if near is None:
        return Analysis(tuple(findings), None, problem, nearby, c, (), crossing_error(frame, c.base, c.rows))
    return Analysis(
        tuple(findings), None, completed_near(frame, near), nearby, c, (verdict_on.near_note(near),), near.error
    )


def _seen_open(frame: Frame, combinations: Array, contacts: Flags, point: NearbyPoint) -> bool:
    """Return whether combinations (m, k) of rows with contacts are positive at a nearby point, beyond their noise.

    What closes with a high power of the distance is rounding there, as is what never opens nor closes.
    """
    s, model = frame.state, frame.system.model
    phi = model.residuals(point.q, s.v, s.t, frame.theta)[0]
    noise = model.noise(point.q, s.v, s.t, frame.theta).phi
    weights = [frame.weights(u) for u in combinations.T if np.any(np.abs(u[contacts]) > 1e-9)]
    return all(
        float(w @ phi) * np.sign(w[frame.index][contacts].sum()) > CLEAR * float(np.abs(w) @ noise) for w in weights
    )


def _on_quadrics(
    frame: Frame,
    c: Conditions,
    problem: GaussProblem,
    findings: list[Finding],
    others: Sequence[tuple[Array, float]],
) -> Analysis:
    """Classify where order 4 binds the acceleration: locked, branching, or higher order."""
    trivial = [q.sense == ">=" and never_negative(q) for q in c.quadrics]
    if all(trivial):
        findings.append(
            verdict_on.unconditional(frame, c, (), 0) if c.unconditional.shape[1] else verdict_on.satisfied(frame, c)
        )
        return Analysis(tuple(findings), None, problem, (), c)
    half_spaces = []
    for w, bound in (*others, *zip(c.pushing, c.pushed, strict=True)):
        if np.linalg.norm(c.kernel.T @ w) > SAME * np.linalg.norm(w):
            half_spaces.append((w, bound))
        elif w @ c.base - bound < -SAME * (float(np.abs(w) @ np.abs(c.base)) + abs(bound)):
            return ended(frame.problem, c, verdict_on.no_solution(frame, c))  # whatever is left free by the other rows
    flat = np.zeros((c.kernel.shape[1], c.kernel.shape[1]))
    sides = [Quadric(flat, c.kernel.T @ w / 2, float(w @ c.base - bound), ">=") for w, bound in half_spaces]
    quadrics = [q for q, skip in zip(c.quadrics, trivial, strict=True) if not skip]
    target, tolerance = c.kernel.T @ frame.free, min(max(DISTINCT, 100.0 * frame.noise), LOOSE)
    found = stationary(target, [*quadrics, *sides], tolerance)
    if found.status == "none":
        return ended(frame.problem, c, verdict_on.no_solution(frame, c))
    free = stationary(target, quadrics, tolerance) if sides else found  # half-spaces are rows of the problem too
    if free.affine is None:
        return _branching(frame, c, problem, findings, found)
    offset, basis = free.affine
    straight = [q for q in quadrics if not np.any(q.S)]
    rank = frame.rank + c.rows.shape[0] + len(straight)
    across = c.kernel @ complement(basis.T, c.kernel.shape[1])
    positional = any(int(k) in frame.system.model.positional for k in frame.index)
    nearby, objection = probe_subspace(frame, c.kernel @ basis, across if positional else None, c.active, rank)
    if c.unconditional.shape[1]:
        findings.append(verdict_on.unconditional(frame, c, nearby, len(straight)))
    if objection:
        findings.append(verdict_on.degenerate(frame, c, objection))
        return Analysis(tuple(findings), from_stationary(frame, c, found), problem, nearby, c)
    sets = frame.sets_of(c.active)
    findings.append(verdict_on.bound(c, sets, basis.shape[1], len(straight) == len(quadrics)))
    error = _error_on(frame, c, quadrics)
    return Analysis(tuple(findings), None, locked(frame, c, problem, offset, basis), nearby, c, (), error)


def _error_on(frame: Frame, c: Conditions, quadrics: Sequence[Quadric]) -> float:
    """Return the error of accelerations on quadrics: of what they are expanded from, and of their coefficients."""
    size = max(frame.acceleration_scale, float(np.linalg.norm(c.base)))
    return (crossing_error(frame, c.base, c.rows) + size * c.vague) / steepness(quadrics)


def _branching(
    frame: Frame, c: Conditions, problem: GaussProblem, findings: list[Finding], found: StationarySet
) -> Analysis:
    points = found.points if c.unconditional.shape[1] else found.points[:DIRECTIONS]
    members = [p.y for p in points] + [f.sample(1, 0)[0] for f in found.families[:1]]
    motions = [a for a in (frame.lift(c.base + c.kernel @ y) for y in members) if np.any(frame.state.v) or np.any(a)]
    nearby = on_motions(frame, motions, c.rows.shape[0] + len(c.quadrics))
    if c.unconditional.shape[1]:
        vertices = {frame.lift(c.base + c.kernel @ p.y).tobytes() for p in points if not p.stationary}
        asked = [a for a in motions if a.tobytes() not in vertices]  # no motion has those of a vertex alone
        missing = sum(not follows(frame, a) for a in asked)  # what binds nothing to order 4 may stop a motion later
        findings.append(verdict_on.unconditional(frame, c, nearby, len(c.quadrics), missing=missing))
    accelerations = from_stationary(frame, c, found)
    known = [x.confirmed for x in accelerations.candidates if x.kind != "vertex"]
    known += [x.confirmed for x in accelerations.continua]
    unsure = known.count(NOT_CONFIRMED)
    crowded = len(c.quadrics) >= c.kernel.shape[1]  # so many have but zero in common, unless they are of one make
    if crowded and unsure and len(known) - unsure < 2:
        findings.append(verdict_on.degenerate(frame, c, f"motions with {unsure} of its accelerations were not found"))
    else:
        findings.append(verdict_on.branching(frame, c))
    rigid = [k for k, q in enumerate(c.quadrics) if q.sense == "=" and semidefinite(q)]
    if rigid:
        findings.append(verdict_on.bound(c, frame.sets_of(c.active[:, rigid]), None, False))
    return Analysis(tuple(findings), accelerations, problem, nearby, c, (), _error_on(frame, c, c.quadrics))


def _regular_position(frame: Frame, near: NearRows | None) -> Analysis:
    """Return the analysis of independent rows, by order 3 rows where these are nearly dependent."""
    findings = (verdict_on.regular(len(frame.index)),)
    if near is not None:
        return Analysis(
            findings, None, completed_near(frame, near), (), None, (verdict_on.near_note(near),), near.error
        )
    size = frame.acceleration_scale
    error, by_rounding = ordinary_error(frame, size), rounding_error(frame, size)
    if frame.n <= LARGEST_DISPLACED and by_rounding > REACH * size > 0.0:
        by_rounding = min(by_rounding, displaced_error(frame))
    if frame.n <= LARGEST_DISPLACED and error > REACH * size > 0.0 and hidden(frame, ROUNDED):
        error = min(error, SAFETY * displaced_error(frame, integrated=True))
    if by_rounding > REACH * size > 0.0:
        within = _within_reach(frame)
        if within is not None:
            return within
    return Analysis(findings, None, frame.problem, (), None, (), error)


def _within_reach(frame: Frame) -> Analysis | None:
    """Return the analysis of the singular position that a state is as near to as its own uncertainty, or None.

    Where order 4 decides (locked, branching), a distance δ is seen by the constraints as δ² only, so integrated states
    are always off such a position by √eps or so.
    """
    near = OUT_OF_REACH / ZERO * frame.place
    J = frame.problem.rows.J[frame.index]
    reached = dependence(J, frame.J_noise, lambda w: frame.derivatives.change(w, near, 0.0 * frame.pace))
    rank = int(np.sum(reached.ratio > ZERO))
    if rank >= frame.rank:
        return None
    lowered = replace(frame, rank=rank, decided=reached)
    if any(_violated_there(lowered, u) for u in frame.U[:, rank : frame.rank].T):
        return None
    c = conditions(lowered)
    if not c.admissible or not c.smooth or not c.quadrics:
        return None
    found = _on_quadrics(
        lowered, c, completed(lowered, c), [verdict_on.crossing(lowered, c)] if c.crossing.shape[1] else [], ()
    )
    text = (
        f"A singular position is nearer than the state is known (smallest singular value {frame.sigma[-1]:.1g}): the"
        " verdict is on that position."
    )
    return replace(found, warnings=(*found.warnings, text))


def _violated_there(frame: Frame, u: Array) -> bool:
    """Return whether the nearest position where a combination u (m,) vanishes violates it beyond its noise.

    Along the directions K that the ordinary rows leave free uᵀφ is stationary there: its value is that at the state
    less ½gᵀH⁻¹g, with g and H its derivatives. Known for holonomic rows only.
    """
    s, model, w = frame.state, frame.system.model, frame.weights(u)
    if not set(np.flatnonzero(w)) <= set(model.positional):
        return False
    K, row, here = frame.lift(frame.kernel), u @ frame.rows, float(u @ frame.phi)
    slope = row @ K
    H = np.array([w @ model.jets.turn(s.q, s.v, s.t, frame.theta, x)[0] @ K for x in K.T])
    h = balanced(H)
    step = np.linalg.lstsq(H / np.outer(h, h), slope / h, rcond=FLAT)[0] / h
    unsure = np.abs(u / frame.scale) @ frame.phi_noise + abs(here) + np.abs(row) @ frame.unsure_q
    return bool(abs(here - slope @ step / 2.0) > ZERO * unsure)


# ------------------------------------------------------------------ states without an acceleration


def _not_admissible(frame: Frame, c: Conditions) -> Analysis:
    """Return the analysis of a velocity that violates order 2, with the nearest velocity that does not."""
    violated = c.velocity.clear
    possible, nearest = admissible_velocity(frame, c.null, violated)
    bad, gap = c.null[:, violated], float(np.max(c.velocity.gap))
    if not possible:
        return ended(frame.problem, c, verdict_on.contradictory(frame, bad, gap))
    return ended(frame.problem, c, verdict_on.not_admissible(frame, bad, gap, nearest))
