"""The verdicts in words: what is wrong with which rows, why, and what to do.

Several verdicts can hold together, one for each kind of vanishing combination of rows (see
`gauss.uniqueness.orders.jets`):

    regular                   the rows are independent
    redundant                 a combination demands nothing, here or at nearby points: multipliers not unique, but for
                              contact forces whose signs leave no other values
    crossing                  order 3 binds the acceleration: unique although the position is singular
    locked                    order 4 holds on a (affine) subspace only: unique, and rigid across it
    branching                 order 4 holds on a cone: several motions leave the state
    higher order              the conditions up to order 4 do not tell what nearby points show
    undecided                 rounding leaves open whether rows are dependent; both readings are given
    no smooth continuation    orders 3 or 4 have no solution
    velocity not admissible   order 2 is violated: no motion has this velocity
    contradictory             orders 1 or 2 are violated whatever the velocity
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array, tidied
from gauss.foundation.zero import CLEAR, ZERO
from gauss.uniqueness.orders.jets import Conditions
from gauss.uniqueness.orders.near import NearRows
from gauss.uniqueness.rows.frame import Frame
from gauss.uniqueness.rows.nearby import NearbyPoint, with_more_rank

ORDER = (
    *("contradictory", "velocity not admissible", "no smooth continuation", "higher order", "undecided"),
    *("branching", "locked", "crossing", "redundant", "regular"),
)


@dataclass(frozen=True)
class Finding:
    """One verdict with the rows that it is about.

    >>> import gauss as g
    >>> rod = g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)
    >>> again = g.Holonomic("again", lambda q: 2 * q.x**2 + 2 * q.y**2 - 2.0)
    >>> pendulum = g.System("pendulum", "x y", mass_matrix=[[1, 0], [0, 1]], constraints=[rod, again])
    >>> [(finding.verdict, finding.sets) for finding in g.classify(pendulum, [1.0, 0.0]).findings]
    [('redundant', (('rod', 'again'),))]
    """

    verdict: str
    sets: tuple[tuple[str, ...], ...]  # the minimal dependent sets of rows, by name
    sentence: str  # cause and remedy


def named(sets: tuple[tuple[str, ...], ...]) -> str:
    """Return sets of names for a sentence; of many, the first few."""
    shown = "; ".join(" and ".join(repr(name) for name in group) for group in sets[:4])
    return shown + (f"; and {len(sets) - 4} more" if len(sets) > 4 else "")


def regular(m: int) -> Finding:
    """Return the verdict on m independent rows."""
    many = "the row does not vanish" if m == 1 else f"the {m} rows are independent"
    return Finding("regular", (), f"regular: {many}." if m else "regular: no constraint row is in force.")


def undecided(frame: Frame, independent: str, dependent: str, difference: float | None) -> Finding:
    """Return the verdict on rows that rounding neither tells from dependent ones nor from independent ones.

    The readings are verdicts in words; `difference` is how far their accelerations are apart in the metric, relative,
    None where one of them has none, or several.
    """
    between = (frame.decided.ratio > ZERO) & (frame.decided.ratio < CLEAR)
    sets = frame.sets_of(frame.decided.combinations[:, between] if frame.doubt else frame.unlocated)
    size = "zero by its noise, and little more than that as far away as the system is large"
    if frame.doubt:
        least = float(np.min(frame.decided.ratio[between]))
        size = f"{least:.3g} times its noise (zero up to {ZERO:g}, not zero from {CLEAR:g})"
    agree = (
        "The readings do not both have one acceleration"
        if difference is None
        else f"Their accelerations differ by {difference:.2g}, relative in the mass metric"
    )
    text = (
        f"undecided: whether the rows {named(sets)} are dependent here hangs on the rounding of the state: their"
        f" combination is {size}. If they are independent: {independent}; if not: {dependent}. {agree}. Give the state"
        " with more accuracy, or another one."
    )
    return Finding("undecided", sets, text)


def undecided_velocity(frame: Frame, c: Conditions, verdicts: tuple[str, ...]) -> Finding:
    """Return the verdict on a velocity whose violation of orders 2 or 3 is neither zero nor clear of its noise."""
    found = c.velocity.joined(c.smoothness)
    sets = frame.sets_of(np.hstack([c.null, c.loose])[:, ~found.zero])
    size = float(np.max(found.ratio))
    text = (
        f"undecided: whether the velocity satisfies the conditions of orders 2 and 3 of {named(sets)} hangs on the"
        f" rounding of the state: what is missing is {size:.3g} times its noise (zero up to {ZERO:g}, not zero from"
        f" {CLEAR:g}). If it does: {' and '.join(verdicts)}; if not, no motion has it. Give the state with more"
        " accuracy."
    )
    return Finding("undecided", sets, text)


def undecided_order_four(frame: Frame, c: Conditions, verdicts: tuple[str, ...]) -> Finding:
    """Return the verdict on combinations whose order 4 condition is neither zero nor clear of its noise."""
    sets = frame.sets_of(c.open)
    text = (
        f"undecided: whether order 4 demands anything of the acceleration by {named(sets)} hangs on rounding: what it"
        f" demands is {ZERO:g} to {CLEAR:g} times its noise. If it is nothing: {' and '.join(verdicts)}; if not, the"
        " motion is bound further. Give the state and the lengths of the model with more accuracy."
    )
    return Finding("undecided", sets, text)


def crossing(frame: Frame, c: Conditions) -> Finding:
    """Return the verdict on combinations whose order 3 rows bind the acceleration."""
    sets = frame.sets_of(np.hstack([c.crossing, c.leading]))
    text = (
        f"crossing: the rows {named(sets)} become dependent here, but the motion passes through with speed and their"
        " third derivatives complete the rank. The acceleration is unique; the multipliers λ grow without bound near"
        " this position, and the multipliers ν of the order 3 rows carry the reaction."
    )
    return Finding("crossing", sets, text)


def beyond(frame: Frame, c: Conditions) -> Finding:
    """Return the verdict on combinations whose order 4 is not quadratic."""
    sets = frame.sets_of(c.beyond)
    text = f"the order 4 condition of {named(sets)} is of third degree in the acceleration, or contains its derivative"
    return _beyond_order_four(sets, text, 3)


def _beyond_order_four(sets: tuple[tuple[str, ...], ...], text: str, order: int = 4) -> Finding:
    """Return the verdict "higher order" with its reason, and the order to which what follows holds."""
    text = f"higher order: {text}. Conditions beyond order 4 decide; what follows holds to order {order} only."
    return Finding("higher order", sets, text)


def bound(c: Conditions, sets: tuple[tuple[str, ...], ...], dimension: int | None, straight: bool) -> Finding:
    """Return the verdict on order 4 conditions that hold on a subspace: crossing if they are linear, else locked."""
    if straight:
        text = (
            f"crossing: the order 4 condition of {named(sets)} is linear here and completes the rank. The acceleration"
            " is unique; the multipliers λ grow without bound near this position."
        )
        return Finding("crossing", sets, text)
    among = "" if dimension is None else f" of dimension {dimension}"
    rest = "" if dimension is None else " The acceleration is unique; no finite multipliers need exist."
    text = (
        f"locked: the order 4 condition of {named(sets)} holds only on a subspace{among} of the {c.kernel.shape[1]}"
        f" directions that the rows leave free: movable to first order, rigid all the same.{rest}"
    )
    return Finding("locked", sets, text)


def satisfied(frame: Frame, c: Conditions) -> Finding:
    """Return the verdict on contacts whose order 4 condition holds for every acceleration."""
    sets = frame.sets_of(c.active)
    text = (
        f"redundant: the contacts {named(sets)} are dependent and hold each other at order 2; their condition of order"
        " 4 is satisfied by every acceleration. The acceleration is unique."
    )
    return Finding("redundant", sets, text)


def identical(frame: Frame, c: Conditions) -> Finding:
    """Return the verdict on combinations of rows that vanish everywhere."""
    sets = frame.sets_of(c.identical)
    text = (
        f"redundant: the combination of {named(sets)} vanishes everywhere, not only here. The acceleration is unique,"
        " the multipliers of these rows are not; a constraint is given more than once, and one of them can be removed."
    )
    return Finding("redundant", sets, text)


def unconditional(
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
    sets = frame.sets_of(c.unconditional)
    rank = frame.rank + c.rows.shape[0] + bound
    changed = [] if contacts else with_more_rank(frame, nearby, rank)
    if changed:
        text = (
            f"the combination of {named(sets)} demands nothing up to order 4, but at {len(changed)} of {len(nearby)}"
            f" nearby points of the constraint set the rows have the rank {max(p.rank for p in changed)} instead of"
            f" {rank}"
        )
        return _beyond_order_four(sets, text)
    if missing:
        text = (
            f"the combination of {named(sets)} demands nothing up to order 4, but in {missing} directions that it"
            " leaves free the constraint set has no points near this one"
        )
        return _beyond_order_four(sets, text)
    if (not nearby or rank >= frame.n) and c.kernel.shape[1]:  # no rank is larger than n
        text = (
            f"higher order: the combination of {named(sets)} demands nothing up to order 4, and no nearby points of the"
            " constraint set were found that would show whether its rank changes."
        )
        return Finding("higher order", sets, text)
    stays = "stays" if all(p.rank == rank for p in nearby) else "is no more than"
    where = (
        f"there are {len(nearby)} nearby points in all directions that the other conditions leave free"
        if nearby and contacts
        else f"the rank {stays} {rank} at {len(nearby)} nearby points of the constraint set"
        if nearby
        else "the rows leave no direction free"
    )
    text = (
        f"redundant: the combination of {named(sets)} demands nothing of the acceleration, and {where}. The"
        " acceleration is unique, the multipliers of these rows are not; a constraint is given more than once, and one"
        " of them can be removed."
    )
    return Finding("redundant", sets, text)


def mixed(frame: Frame, c: Conditions) -> Finding:
    """Return the verdict on contacts with both signs in one combination."""
    sets = frame.sets_of(c.null)
    text = (
        f"higher order: the contacts in {named(sets)} push against each other, and their conditions of order 4 are not"
        " separated here. What follows takes them as equations."
    )
    return Finding("higher order", sets, text)


def separated(frame: Frame, c: Conditions) -> Finding:
    """Return the verdict on contacts that the motion separates at order 3."""
    sets = frame.sets_of(c.null)
    text = (
        f"redundant: the contacts {named(sets)} are dependent, but the motion separates them at order 3, so the rows"
        " are all that they demand. The acceleration is unique."
    )
    return Finding("redundant", sets, text)


def open_germ(frame: Frame, c: Conditions) -> Finding:
    """Return the verdict on a lock that rests on orders up to 4 and nearby points, where the branches are open."""
    sets = frame.sets_of(c.active)
    text = (
        f"the order 4 condition of {named(sets)} holds on a subspace only, but what the constraint set is near it is"
        " open"
    )
    return _beyond_order_four(sets, text)


def binding(frame: Frame, c: Conditions) -> Finding:
    """Return the verdict on combinations without conditions up to order 4 that bind motions all the same."""
    sets = frame.sets_of(c.unconditional)
    text = f"the combination of {named(sets)} demands nothing up to order 4, but is not zero where the other rows hold"
    return _beyond_order_four(sets, text)


def degenerate(frame: Frame, c: Conditions, objection: str) -> Finding:
    """Return the verdict on quadrics with a subspace as zero set that nearby points object to."""
    sets = frame.sets_of(c.active)
    return _beyond_order_four(sets, f"the quadratic condition of {named(sets)} is degenerate: {objection}")


def branching(frame: Frame, c: Conditions) -> Finding:
    """Return the verdict on quadrics whose zero set is no subspace."""
    sets = frame.sets_of(c.active)
    text = (
        f"branching: the order 4 condition of {named(sets)} holds on a cone of accelerations, so several motions leave"
        " this state and Gauss's principle is a problem that is not convex. Choose among the candidates, or follow all"
        ' of them with simulate(…, branches="all").'
    )
    return Finding("branching", sets, text)


def cusp(frame: Frame, c: Conditions) -> Finding:
    """Return the verdict on order 3 conditions without a solution."""
    worst = int(np.argmax(np.where(c.smoothness.clear, c.smoothness.gap, -1.0)))
    sets = frame.sets_of(c.loose[:, [worst]])
    text = (
        f"no smooth continuation: at order 3 the combination of {named(sets)} cannot be satisfied by any acceleration"
        f" (relative gap {c.smoothness.gap[worst]:.2g}). A motion that comes here with this velocity ends here, as at a"
        " cusp: it has no finite acceleration. Start with another velocity (rest, for one), or elsewhere."
    )
    return Finding("no smooth continuation", sets, text)


def no_solution(frame: Frame, c: Conditions) -> Finding:
    """Return the verdict on order 4 conditions without a solution."""
    sets = frame.sets_of(c.active)
    text = (
        f"no smooth continuation: the order 4 condition of {named(sets)} has no real solution. No motion leaves this"
        " state with this velocity; start elsewhere."
    )
    return Finding("no smooth continuation", sets, text)


def dead_centre(frame: Frame, combinations: Array, gap: float) -> Finding:
    """Return the verdict on rows that no velocity satisfies."""
    sets = frame.sets_of(combinations)
    text = (
        f"contradictory: at this position the rows {named(sets)} are dependent and no velocity satisfies them"
        f" (relative gap {gap:.2g}), as when a driver meets a dead centre. Stop the driver before this position, or"
        " give the mechanism another freedom."
    )
    return Finding("contradictory", sets, text)


def contradictory(frame: Frame, combinations: Array, gap: float) -> Finding:
    """Return the verdict on order 2 conditions that no velocity satisfies."""
    sets = frame.sets_of(combinations)
    text = (
        f"contradictory: the rows {named(sets)} demand different accelerations whatever the velocity (relative gap"
        f" {gap:.2g}). No motion passes this position; remove or mend one of these constraints."
    )
    return Finding("contradictory", sets, text)


def not_admissible(frame: Frame, combinations: Array, gap: float, nearest: Array | None) -> Finding:
    """Return the verdict on a velocity that violates order 2; `nearest` (n,) is one that does not."""
    sets = frame.sets_of(combinations)
    remedy = "Choose a velocity that does."
    moved = _moved(frame, sets)
    if moved:
        names = " and ".join(map(repr, moved))
        remedy = (
            f"What {names} prescribe{'s' * (len(moved) == 1)} in time, the other rows do not admit here, as when a"
            " driver meets a dead centre. End the motion before this position, or mend lengths or the driver."
        )
    elif nearest is not None:
        values = ", ".join(f"{k} {x:.6g}" for k, x in zip(frame.system.coordinates, tidied(nearest), strict=True))
        remedy = f"The nearest velocity that does is {values}."
    text = (
        f"velocity not admissible: at this singular position the velocity must satisfy the order 2 condition of"
        f" {named(sets)} too, and does not (relative gap {gap:.2g}). {remedy}"
    )
    return Finding("velocity not admissible", sets, text)


def _moved(frame: Frame, sets: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """Return the rows of some sets that prescribe a motion in time, as those of drivers do."""
    system, state = frame.system, frame.state
    rate = system.model.residuals(state.q, np.zeros(system.n), state.t, frame.theta)[1]
    known = {name for group in sets for name in group}
    return tuple(name for k in system.model.positional if (name := system.row_names[k]) in known and rate[k] != 0.0)


def near_note(near: NearRows) -> str:
    """Return the warning that a singular position is near."""
    return (
        "A singular position is near: the acceleration comes from the order 3 rows (estimated error"
        f" {near.error:.1g} in the metric; by the ordinary rows it would be {near.ordinary:.1g})."
    )
