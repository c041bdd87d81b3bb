"""Rough contacts at an event of a motion: the modes are found anew, and the motion goes on in those that are left."""

from __future__ import annotations

import numpy as np

from gauss.arrays import Array
from gauss.contact.modes import FrictionSolution, FrictionVerdict
from gauss.motion.course import Course
from gauss.motion.friction import Holding, Rough, Turn, chosen, holding_of, verdict_at
from gauss.motion.guards import Stop
from gauss.motion.striking import after_impacts, impact_without_collision
from gauss.motion.trajectory import MotionEvent

TURNS = 1e-9  # an acceleration of slip below this share of those that the forces would give is zero
TIGHT = 1e-7  # shared contact forces within this share of their limit are at it
IMPACTS = 10  # impacts without collision at one instant


def hold(course: Course, rough: Rough, closed: tuple[int, ...], turn: Turn) -> None:
    """Decide the modes of all contacts at the current state and put their rows and friction in force.

    Raises Stop "inconsistent" where none satisfy the law of friction, "undecided" where several accelerations do.
    """
    course.decided = False
    for _ in range(IMPACTS):
        verdict, solution, others = _decide(course, rough, closed, turn)
        if verdict.solutions:
            break
        text = f"at t = {course.t:.12g} s {verdict.sentence}"
        if rough.paradox != "impact" or verdict.contradictory:
            remedy = "" if verdict.contradictory else '; paradox="impact" goes on with an impact without collision'
            raise Stop("inconsistent", text.rstrip(".") + remedy)
        course.record_start()
        impact_without_collision(course, verdict.sentence)
        closed, turn = after_impacts(course), Turn()
    else:
        raise Stop("inconsistent", f"{text} {IMPACTS} impacts without collision have not changed that")
    if solution is None:
        raise Stop("undecided", f"at t = {course.t:.12g} s {verdict.sentence}")
    before = course.holding
    after = holding_of(rough, verdict, solution, course.setting, course.state, course.base, turn, before)
    _log(course, rough, before, after, verdict.sentence if others else "")
    course.holding, course.decided = after, True
    course.enforce(tuple(sorted((*course.base, *after.closed, *after.held))), after.slides)


def _decide(
    course: Course, rough: Rough, closed: tuple[int, ...], turn: Turn
) -> tuple[FrictionVerdict, FrictionSolution | None, bool]:
    """Return the solutions at the current state, and the one in which the motion goes on.

    Contacts that have just broken loose must slip the way their friction force gave in; where that contradicts itself,
    they are taken as at rest.
    """
    state, u = course.state, course.control
    verdict = verdict_at(rough, state, closed, u, turn)
    solution, others = chosen(rough, verdict, course.holding, turn)
    loose = {j: sign for j, sign in turn.signs.items() if sign != 0.0}
    if not loose or (solution is not None and _slips_on(rough, verdict, solution, loose)):
        return verdict, solution, others
    rest = Turn(turn.released, dict.fromkeys(turn.signs, 0.0), turn.flipped)
    verdict = verdict_at(rough, state, closed, u, rest)
    return verdict, *chosen(rough, verdict, course.holding, rest)


def _slips_on(rough: Rough, verdict: FrictionVerdict, solution: FrictionSolution, loose: dict[int, float]) -> bool:
    """Whether contacts that break loose begin to slip the way they are supposed to."""
    p, names, metric = verdict.problem, rough.model.names, verdict.metric
    for j, sign in loose.items():
        if names[j] not in p.names:
            continue
        i = p.names.index(names[j])
        length = float(np.linalg.norm(metric.white(p.T[[i]])))
        size = length * (metric.norm(metric.reference) + metric.norm(solution.a)) + abs(float(p.tau[i]))
        if sign * float(p.T[i] @ solution.a - p.tau[i]) < -TURNS * size:
            return False
    return True


def _log(course: Course, rough: Rough, before: Holding, after: Holding, note: str) -> None:
    """Log contacts that have begun to stick or to slip; not at the start of a run."""
    if not course.blocks:
        return
    for j, mode in after.modes.items():
        if mode == before.modes.get(j) or rough.model.contacts[j].static == 0.0:
            continue
        kind, value = ("stick", 0.0) if mode == "stick" else ("slip", 1.0 if mode == "slip+" else -1.0)
        course.log.append(MotionEvent(course.t, kind, rough.model.names[j], value, verdict=note))


def holding_turn(course: Course, kind: str, which: int, turn: Turn) -> Turn:
    """Return what a crossing of a monitor of friction says about contacts, added to what others have said."""
    released, signs, flipped = list(turn.released), dict(turn.signs), list(turn.flipped)
    if kind == "slip":
        signs[which] = 0.0
    elif kind == "side":
        flipped.append(which)
    elif kind == "stick":
        assert course.rough is not None
        t = _multipliers(course)[course.rows.index(course.rough.slip[which])]
        signs[which] = -float(np.sign(t))
    else:
        assert course.holding.shared is not None
        for what, each, sign in course.holding.shared.tight(course.x, course.rows, _multipliers(course), TIGHT):
            if what == "release":
                released.append(each)
            else:
                signs[each] = sign
    return Turn(tuple(released), signs, tuple(flipped))


def _multipliers(course: Course) -> Array:
    return course.stepper.accelerate(course.x)[1]
