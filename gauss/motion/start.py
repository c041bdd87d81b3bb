"""How a motion starts: its independent rows, its acceleration on a singular position, its locked rank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gauss.dynamics import judged
from gauss.errors import SingularPositionError
from gauss.foundation.arrays import Array, unit_rows
from gauss.foundation.tolerances import DEPENDENT
from gauss.model import System
from gauss.model.compiled.smoothness import depends_on_time
from gauss.model.state import State
from gauss.motion.integrator import Beginning
from gauss.motion.singular.deflation import deflation
from gauss.motion.singular.derived import equations_on
from gauss.motion.singular.redundant import independent_rows
from gauss.motion.singular.tangent_branches.guided import Guide, choices_at, guide_along
from gauss.numerics.quadrics.stationary import stationary
from gauss.principle import GaussProblem
from gauss.principle.sparse import ENTRIES
from gauss.uniqueness import Verdict
from gauss.uniqueness.clear import clear_at
from gauss.uniqueness.germs.numbers import OpenError
from gauss.uniqueness.germs.parts import coordinates_in
from gauss.uniqueness.large import ClearRows
from gauss.uniqueness.orders.errors import rounding_error
from gauss.uniqueness.orders.jets import conditions
from gauss.uniqueness.orders.unilateral import opens_along
from gauss.uniqueness.orders.walls import closed_contacts
from gauss.uniqueness.rows.frame import Frame, frame_of
from gauss.uniqueness.rows.nearby import along_motion
from gauss.uniqueness.rows.scaling import values_by_own_size

AMPLE = 0.1  # smallest singular value from which on rows of higher order are not asked, nor errors by small ones feared
NEAR = 1e-3  # smallest singular value below which a start is left by a window, as one on a singular position
GAP = 10.0  # least ratio of two successive singular values that sets small ones apart
FARTHER = (0.5, 0.8, 0.2)  # shares of a curve, or of the time on a sheet, at which the rank of rows is looked at
KEPT = 8  # starts of motions of a system that are remembered


def start_of(system: System, state: State, span: float, u: object = None, control: object = None) -> Beginning:
    """Return how a motion starts; what is found is remembered for runs that start at the same state.

    `span` (s) is the time of the run, `control` what its controls come from.

    Raises SingularPositionError where no motion or no single motion starts, and what `judged` raises.
    """
    if system.black_box_force is not None or callable(control):
        return _start_of(system, state, span, u, control)
    known = system.derived.setdefault("starts", {})
    key = (state.q.tobytes(), state.v.tobytes(), state.t, system.theta(u).tobytes(), span)
    found: Beginning = known.get(key) or _start_of(system, state, span, u, control)
    if len(known) >= KEPT:
        known.clear()
    known[key] = found
    return found


def _start_of(system: System, state: State, span: float, u: object, control: object) -> Beginning:
    """Return what `start_of` does."""
    if clear_at(system, state, system.theta(u)) or _clearly_regular(system, state, u):
        return Beginning(system.model.equality)
    verdict = judged(system, state, u)
    words = {word for reading in verdict.readings or (verdict,) for word in reading.verdicts}
    locked = "locked" in words and verdict.answer is not None
    if words & {"branching", "locked"} and _stays(system, verdict, control):
        return Beginning(system.model.equality, np.zeros(system.n))
    if not verdict.unique or not words <= {"regular", "redundant", "crossing"} | ({"locked"} if locked else set()):
        several = verdict.accelerations.several
        told = "branches=" in verdict.sentence
        remedy = ' simulate(…, branches="all") follows each of them.' if several and not told else ""
        raise SingularPositionError(
            f"the motion of {system.name!r} cannot start here. {verdict.sentence}{remedy}", verdict
        )
    equality = system.model.equality
    judged_rows = tuple(system.row_names.index(name) for name in verdict.regularity.rows)
    if locked:
        guided = _guided(system, state, u, span) if verdict.motion_unique is not None else None
        return guided or _held_still(system, verdict)
    if verdict.regular and judged_rows == equality and _is_near(system, verdict) and verdict.answer is not None:
        return Beginning(equality, verdict.answer.a, obliged=False)
    if verdict.regular or judged_rows != equality:
        return Beginning(equality)
    if "crossing" not in verdict.verdicts:
        return Beginning(independent_rows(system, state, equality, verdict.regularity.rank))
    assert verdict.answer is not None
    frame = _frame_at(system, state, u) if system.model.unilateral else None
    guided = _guided(system, state, u, span) if frame is not None and closed_contacts(frame) else None
    if guided is not None:  # closed contacts may leave one of two branches that touch
        return guided
    rank = verdict.regularity.rank + verdict.problem.rows.kinds.count("jet")
    nearest = max(verdict.nearby, key=lambda point: point.rank, default=None)
    place = state if nearest is None else State(nearest.q, state.v, state.t)
    base = independent_rows(system, place, equality, rank)
    opening = () if frame is None else _opening(frame, verdict.answer.a)
    return Beginning(base, verdict.answer.a, opening=opening)


def _frame_at(system: System, state: State, u: object) -> Frame:
    return frame_of(system, state, GaussProblem.at(system, state, u), system.model.equality)


def _opening(frame: Frame, a: Array, inside: frozenset[int] = frozenset()) -> tuple[int, ...]:
    """Return the closed contacts that open on a motion out of a singular position, whose rows there do not tell.

    They are seen open on the motion with the acceleration a (n,), or have all coordinates `inside` its curves.
    """
    model, names = frame.system.model, frame.system.row_names
    closed = closed_contacts(frame)
    return tuple(k for k in closed if coordinates_in(model.positions, k) <= inside or opens_along(frame, a, names[k]))


def _clearly_regular(system: System, state: State, u: object) -> bool:
    """Whether the rows of a state are so far from dependent that its verdict can be nothing but "regular".

    What `judged` does besides, an acceleration and its error, is done for the first record of the run.
    """
    model, problem = system.model, GaussProblem.at(system, state, u)
    if system.n * len(model.equality) > ENTRIES:
        return ClearRows.of(system, state, problem) is not None
    rows = problem.rows
    if np.any(np.isfinite(rows.lower[rows.inequality])) or not problem.metric.definite:
        return False
    ample = AMPLE if np.any(state.v) else NEAR  # at rest rows of higher order are not asked
    if np.min(problem.spectrum.sigma, initial=1.0) < ample:
        return False
    frame = frame_of(system, state, problem, model.equality)
    least, size = float(np.min(frame.sigma, initial=1.0)), frame.acceleration_scale
    if frame.rank < len(model.equality) or frame.doubt or least < ample:
        return False
    return least >= AMPLE or rounding_error(frame, size) <= NEAR * size


def _is_near(system: System, verdict: Verdict) -> bool:
    """Whether a regular start is next to a singular position: small values are set apart from the others by a gap.

    The values of a chain of many bodies fall to small ones without a gap.
    """
    if verdict.regularity.left_out or verdict.sigma_min >= NEAR:
        return False
    if "jet" in verdict.problem.rows.kinds:  # rows of higher order have taken the place of nearly dependent ones
        return True
    sigma = values_by_own_size(system, verdict.state, verdict.problem)
    return bool(sigma[-1] < NEAR and (sigma[0] < NEAR or np.any(sigma[:-1] > GAP * sigma[1:])))


def branch_of(system: System, state: State, a: Array, u: object = None) -> Beginning:
    """Return how a motion starts on the branch with the acceleration a (n,).

    The rank of the rows along it is that at a nearby point. Where it stays below the number of rows, and not for rows
    that demand nothing there, what is lost is locked all along the branch.
    """
    frame = _frame_at(system, state, u)
    near, opening = along_motion(frame, a), _opening(frame, a)
    if near is None:
        return Beginning(system.model.equality, a, opening=opening)
    directions = 0
    if near.rank < len(system.model.equality):
        directions = _locked_at(system, State(near.q, np.zeros(system.n), state.t), near.rank, u)
    if directions:
        return Beginning(system.model.equality, a, locked=near.rank, directions=directions)
    place = State(near.q, state.v, state.t)
    return Beginning(independent_rows(system, place, system.model.equality, near.rank), a, opening=opening)


def along(system: System, state: State, guide: Guide, a: Array) -> Beginning:
    """Return how a motion starts along a guide with the acceleration a; its rows are independent farther along.

    They may lose their rank there again, so several places are looked at.
    """
    equality, frames = system.model.equality, []
    for share in FARTHER:
        q = state.q.copy()
        for curve, half in zip(guide.curves, guide.halves, strict=True):
            way = half or float(np.sign(curve.sign * (state.v[curve.lead] or a[curve.lead])))
            q[list(curve.coordinates)] = curve.at(share * way * curve.length)[0]
        for sheet in guide.sheets:
            own = list(sheet.coordinates)
            q[own] = sheet.ahead(state.q[own], state.v[own], a[own], share * guide.span)
        place = State(q, state.v, state.t)
        frames.append(frame_of(system, place, GaussProblem.at(system, place, None, []), equality))
        if frames[-1].rank == len(equality):
            break
    best = max(frames, key=lambda frame: frame.rank)
    frame = _frame_at(system, state, None) if system.model.unilateral else None
    opening = () if frame is None else _opening(frame, a, frozenset(guide.own))
    return Beginning(independent_rows(system, best.state, equality, best.rank), a, guide=guide, opening=opening)


def _stays(system: System, verdict: Verdict, control: object) -> bool:
    """Whether a body at rest stays where it is: nothing drives it, forces are steady, and no other motion leaves."""
    if not verdict.motion_unique or verdict.answer is None or np.any(verdict.state.v):
        return False
    if callable(control) or system.black_box_force is not None or depends_on_time(system.model):
        return False
    a = verdict.answer.a
    return float(np.sqrt(a @ verdict.problem.M @ a)) <= verdict.answer.error_bound


def _guided(system: System, state: State, u: object, span: float) -> Beginning | None:
    """Return how a motion starts on the one branch that leaves a state, or None where there it is locked all along."""
    found = choices_at(system, state, u)
    leaving = [] if found is None else [choice for choice in found.choices if choice.leaves]
    if len(leaving) != 1:
        return None
    try:
        return along(system, state, guide_along(system, state, leaving[0], span), leaving[0].solution.a)
    except OpenError:
        return None


def _held_still(system: System, verdict: Verdict) -> Beginning:
    """Return how a motion starts that is locked all along.

    Raises SingularPositionError where conditions beyond order 4 lock directions: steps know those of order 4 only.
    """
    rank, state, kinds = verdict.regularity.rank, verdict.state, system.model.kinds
    directions = _determined(verdict) - rank
    if all(kinds[k] == "holonomic" for k in system.model.equality):
        found = deflation(system, state, verdict.problem, system.theta(), rank)
        beyond = directions - (0 if found is None else found.locked)
        if beyond > 0 and equations_on(system, state, rank) is not None:
            return Beginning(system.model.equality, locked=rank, directions=directions)
        if beyond > 0 and (found is not None or verdict.motion_unique is not None):
            raise SingularPositionError(
                f"the motion of {system.name!r} cannot be followed from here. {verdict.sentence} It stays so in"
                f" {directions} directions, {beyond} of them by conditions beyond order 4.",
                verdict,
            )
    return Beginning(system.model.equality, locked=rank, directions=directions)


def _determined(verdict: Verdict) -> int:
    """Return how many directions the rows of a locked state determine, with those of higher order."""
    whitened = verdict.problem.metric.whitened(verdict.problem.rows.J)
    return int(np.linalg.matrix_rank(unit_rows(whitened), DEPENDENT)) if whitened.size else 0


def _locked_at(system: System, state: State, rank: int, u: object) -> int:
    """Return how many directions order 4 locks at rest at a state beside a branching position; 0 if it does not."""
    problem = GaussProblem.at(system, state, u)
    frame = replace(frame_of(system, state, problem, system.model.equality), rank=rank)
    c = conditions(frame)
    found = stationary(c.kernel.T @ frame.free, c.quadrics) if c.quadrics else None
    return 0 if found is None or found.affine is None else c.kernel.shape[1] - found.affine[1].shape[1]
