"""Closed contacts among the rows: when the quadratic program stands as it is, and when higher order restricts it.

The rows J_E a = γ_E, J_U a ≥ γ_U are all that the constraints demand if the constraint qualification of Mangasarian
and Fromovitz holds: J_E of full rank, and some d with J_E d = 0, J_U d > 0. Dependent contacts are then no
singularity; only their forces may not be unique. Otherwise there is a combination w with wᵀJ = 0 and w_U ≥ 0, not all
zero. Along a motion wᵀψ ≥ 0, so at order 2 −wᵀγ ≥ 0: a violation admits no motion; a strict inequality leaves the rows
of w free; equality ties them (J a = γ for all rows of w) and hands the decision to orders 3 and 4, which are
inequalities too. Where wᵀφ vanishes everywhere, not only here, no contact of w can ever open: they are equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy

from gauss.errors import GaussError
from gauss.foundation.arrays import Array, Flags, norms
from gauss.foundation.tolerances import DEPENDENT
from gauss.foundation.zero import CLEAR, UNIT
from gauss.model import System
from gauss.model.state import State
from gauss.principle import GaussProblem, solve
from gauss.uniqueness.accelerations import CONFIRMED, single, undecided
from gauss.uniqueness.findings import Finding, regular
from gauss.uniqueness.orders.analysis import (
    LARGEST_COPY,
    LARGEST_LOCK,
    OPEN_ORDER,
    analyse,
    as_open,
    on_branches,
    open_by,
    to_order_four,
)
from gauss.uniqueness.orders.any_order import AnyOrder, by_germ
from gauss.uniqueness.orders.found import Analysis, ended
from gauss.uniqueness.orders.jets import Conditions
from gauss.uniqueness.orders.velocity import admissible_velocity
from gauss.uniqueness.orders.walls import doubtful, held_rows, motions_of, opened
from gauss.uniqueness.rows.combinations import complement
from gauss.uniqueness.rows.frame import Frame, frame_of
from gauss.uniqueness.rows.nearby import NEAR_ENOUGH, along_motion
from gauss.uniqueness.rows.uncertainty import order_two

ALONG = (1e-2, 1e-3)  # distances at which contacts are looked at along a motion, as shares of the system's length
PUSH = 1e-9  # smallest component of d that counts as positive, rows and d being of unit size


def analyse_contacts(
    system: System,
    state: State,
    problem: GaussProblem,
    length: float | None,
    target: int | None,
    fewer: bool = False,
) -> tuple[Frame, Analysis]:
    """Return the frame that decides and the analysis of all rows of a problem, closed contacts included.

    The arguments from `length` on are those of `frame_of`.
    """
    rows = problem.rows
    equality = rows.equality.tolist()
    closed = [k for k in rows.inequality.tolist() if np.isfinite(rows.lower[k])]
    bilateral = frame_of(system, state, problem, equality, length=length, target=target, fewer=fewer)
    if not closed:
        return bilateral, analyse(bilateral)
    everything = frame_of(system, state, problem, [*equality, *closed], length=length, fewer=fewer)
    if everything.rank == len(everything.index):
        return everything, replace(analyse(bilateral), findings=(regular(len(everything.index)),))
    if bilateral.rank < len(equality):
        whitened, gamma = bilateral.metric.whitened(rows.J[closed]), rows.lower[closed]
        found = analyse(bilateral, None, list(zip(whitened, gamma.tolist(), strict=True)))
        note = "The closed contacts were added to the completed rows as they are."
        found = replace(found, warnings=(*found.warnings, note))
        names, implied = tuple(rows.names[k] for k in closed), _implied(everything, len(equality))
        beside = replace(bilateral, problem=opened(problem, [names[k] for k in np.flatnonzero(implied)]))
        kept = np.flatnonzero(~implied)
        return bilateral, _beside_branches(beside, found, tuple(names[k] for k in kept), whitened[kept], gamma[kept])
    if qualified(everything, len(equality)):
        return everything, Analysis((_dependent_contacts(everything),), None, problem, (), None)
    return _tied(everything, len(equality), length)


def _implied(frame: Frame, equalities: int) -> Flags:
    """Return which contacts (c,) vanish with the equality rows everywhere: they never open, nor would they close."""
    known = frame.left_null[:, frame.identical][equalities:]
    count = len(known)
    reached = known @ np.linalg.lstsq(known, np.eye(count), rcond=PUSH)[0] if known.size else np.zeros((count, count))
    return np.asarray(norms(reached - np.eye(count), 1) <= PUSH**0.5)


def _beside_branches(frame: Frame, found: Analysis, names: tuple[str, ...], W: Array, gamma: Array) -> Analysis:
    """Return an analysis of dependent equality rows beside closed contacts (rows W z ≥ γ), by branches if need be.

    That is where orders up to 4 claim what higher ones can undo, and where a contact touches a branch.
    """
    c, words = found.conditions, set(found.verdicts)
    over = words & {"contradictory", "velocity not admissible", "no smooth continuation"}
    if c is None or not c.admissible or over or not names:
        return found
    bare = to_order_four(replace(frame, problem=opened(frame.problem, names)), None, ())
    motions = motions_of(bare.problem, None if bare.accelerations is None else bare.accelerations.candidates)
    claimed = bool(words & {"locked", "higher order"}) or bool(c.unconditional.shape[1])
    touched = claimed or not motions or doubtful(frame, c, bare.problem, motions)
    germ = by_germ(frame, LARGEST_LOCK) if touched and frame.n <= LARGEST_COPY else None
    if isinstance(germ, Finding):
        return ended(frame.problem, c, germ)
    if isinstance(germ, AnyOrder):
        return on_branches(frame, c, found, germ)
    if isinstance(germ, str) and claimed:
        found = _without_contacts(frame, c, found, names)
        if found.accelerations is not None and found.accelerations.status in ("none", "undecided"):
            return found
    return _with_grazing(frame, c, found, names, W, gamma, motions)


def _without_contacts(frame: Frame, c: Conditions, found: Analysis, names: tuple[str, ...]) -> Analysis:
    """Return an analysis of equality rows beside contacts as open where the germ of these rows alone undoes it."""
    germ = by_germ(replace(frame, problem=opened(frame.problem, names)), LARGEST_LOCK, beside=True)
    if isinstance(germ, Finding):
        return ended(frame.problem, c, germ)
    left = None if germ is None else open_by(frame, c, found, germ)
    return found if left is None else as_open(frame, c, left, OPEN_ORDER)


def _with_grazing(
    frame: Frame,
    c: Conditions,
    found: Analysis,
    names: tuple[str, ...],
    W: Array,
    gamma: Array,
    motions: Sequence[Array],
) -> Analysis:
    """Return an analysis as an open one where closed contacts (rows W z ≥ γ) neither open nor bind at an acceleration.

    There the completed rows and quadrics leave no direction in which all contacts that do not open at order 2 would,
    so that higher orders decide whether they let the motion pass. It is known to where points of the constraint set
    along it are clear of them. Asked are the accelerations of the analysis, and others that contacts may have left out.
    """
    known = found.accelerations
    if known is not None and known.status in ("none", "undecided"):
        return found
    if known is None:
        try:
            members = [solve(found.problem).a]
        except GaussError:
            members = []
    else:
        members = [x.a for x in known.candidates if x.confirmed.startswith(CONFIRMED)]
        members += [a for x in known.continua for a in x.sample(4)]
    held: set[str] = set()
    for a in (*members, *motions):
        z = frame.metric.L.T @ a
        slack = W @ z - gamma
        active = np.flatnonzero(slack <= PUSH * (norms(W, 1) * float(np.linalg.norm(z)) + np.abs(gamma)))
        resting = not np.any(frame.state.v) and frame.metric.norm(a) <= PUSH * frame.acceleration_scale
        if not active.size or resting or _can_open(held_rows(frame, c, found.problem, z), W[active]):
            continue
        held |= {names[k] for k in active if not opens_along(frame, a, names[k])}
    if not held:
        return found
    sets = (tuple(name for name in names if name in held),)
    text = (
        f"higher order: the contact {' and '.join(map(repr, sets[0]))} touches the way of a motion at this singular"
        " position and neither opens nor binds it at order 2. Conditions of higher order decide; what follows holds to"
        " order 2 only."
    )
    one = known if known is not None else single((*members, *motions)[0], np.nan, "")
    open_ = undecided(one, "a contact touches the way of a motion, and whether it lets it pass is not decided")
    return replace(found, findings=(*found.findings, Finding("higher order", sets, text)), accelerations=open_)


def _can_open(rows: Array, contacts: Array) -> bool:
    """Return whether some direction that rows (k, n) leave free opens all contacts (c, n) at once."""
    if not np.all(norms(contacts, 1) > 0.0):
        return False
    rows = rows[norms(rows, 1) > 0.0]
    rows = rows / norms(rows, 1)[:, None]
    basis = np.linalg.svd(rows, full_matrices=False)[2][: np.linalg.matrix_rank(rows, tol=DEPENDENT)]
    free = contacts @ complement(basis, contacts.shape[1]) / norms(contacts, 1)[:, None]
    return _opens(free, free[:0])


def opens_along(frame: Frame, a: Array, name: str) -> bool:
    """Return whether a contact is open, beyond its noise, at points of the constraint set along a motion."""
    model, s = frame.system.model, frame.state
    k = model.names.index(name)
    for share in ALONG:
        point = along_motion(frame, a, share)
        if point is None or point.moved >= NEAR_ENOUGH:
            return False
        gap = float(model.terms(point.q, s.v, s.t, frame.theta).phi[k])
        if not gap > CLEAR * (float(model.noise(point.q, s.v, s.t, frame.theta).phi[k]) + UNIT * point.distance):
            return False
    return True


def qualified(frame: Frame, equalities: int) -> bool:
    """Return whether the constraint qualification of Mangasarian and Fromovitz holds, by one linear program."""
    return _opens(frame.W[equalities:], frame.W[:equalities])


def _opens(contacts: Array, held: Array) -> bool:
    """Return whether some direction opens all contacts (c, n) at once while rows (k, n) hold."""
    (c, n), k = contacts.shape, len(held)
    cost = np.zeros(n + 1)
    cost[-1] = -1.0
    result = scipy.optimize.linprog(
        cost,
        A_ub=np.hstack([-contacts, np.ones((c, 1))]),
        b_ub=np.zeros(c),
        A_eq=np.hstack([held, np.zeros((k, 1))]) if k else None,
        b_eq=np.zeros(k) if k else None,
        bounds=[(-1.0, 1.0)] * n + [(None, 1.0)],
    )
    return bool(result.status == 0 and -result.fun > PUSH)


def _dependent_contacts(frame: Frame) -> Finding:
    sets = frame.regularity().dependent
    words = "; ".join(" + ".join(repr(name) for name in group) for group in sets)
    text = (
        f"redundant: the closed contacts {words} are dependent, but all of them can open at once"
        " (Mangasarian-Fromovitz), so the quadratic program is exact. The acceleration is unique."
    )
    return Finding("redundant", sets, text)


def rays(frame: Frame, equalities: int) -> list[Array]:
    """Return combinations w (m,) with wᵀJ = 0 and w_U ≥ 0, one vertex for each contact that can take part."""
    null = frame.U[:, frame.rank :]
    found: list[Array] = []
    contacts = null[equalities:]
    for k in range(len(contacts)):
        result = scipy.optimize.linprog(
            -contacts[k],
            A_ub=-contacts,
            b_ub=np.zeros(len(contacts)),
            A_eq=np.sum(contacts, axis=0)[None],
            b_eq=[1.0],
            bounds=[(None, None)] * null.shape[1],
        )
        if result.status == 0 and -result.fun > PUSH:
            w = null @ result.x
            w[np.abs(w) <= 1e-9 * np.max(np.abs(w))] = 0.0
            w = w / np.linalg.norm(w)
            if not any(np.linalg.norm(w - other) < 1e-6 for other in found):
                found.append(w)
    return found


def _tied(frame: Frame, equalities: int, length: float | None) -> tuple[Frame, Analysis]:
    """Analyse contacts whose constraint qualification fails: tie rows, and restrict by higher order."""
    tied: set[int] = set(range(equalities))
    exact: set[int] = set(range(equalities))
    for w in rays(frame, equalities):
        if _vanishes_everywhere(frame, w):
            exact |= set(np.flatnonzero(w).tolist())
            continue
        closing = order_two(frame, w[:, None])
        value, gap, clear = float(closing.value[0]), float(closing.gap[0]), bool(closing.clear[0])
        names = tuple(frame.names[k] for k in np.flatnonzero(w))
        if clear and value < 0.0:
            possible, _ = admissible_velocity(frame, w[:, None], np.array([True]), ">=")
            if not possible:
                text = (
                    f"contradictory: the contacts and rows {' + '.join(map(repr, names))} are dependent here and close"
                    f" on each other whatever the velocity (relative gap {gap:.2g}); no motion passes this position."
                )
                return frame, ended(frame.problem, None, Finding("contradictory", (names,), text))
            text = (
                f"velocity not admissible: the contacts and rows {' + '.join(map(repr, names))} are dependent here and"
                f" close on each other at order 2 (relative gap {gap:.2g}); no motion has this velocity, an impact"
                " follows."
            )
            finding = Finding("velocity not admissible", (names,), text)
            return frame, ended(frame.problem, None, finding)
        if not clear:
            tied |= set(np.flatnonzero(w).tolist())
    tied |= exact
    if len(tied) == equalities:
        return frame, Analysis((_strict(frame),), None, frame.problem, (), None)
    problem = _with_equalities(frame.problem, [int(frame.index[k]) for k in sorted(tied)])
    index = [int(frame.index[k]) for k in sorted(tied)]
    narrow = frame_of(frame.system, frame.state, problem, index, length=length)
    contacts = np.array([k not in exact for k in sorted(tied)])
    others = [(frame.W[k], float(frame.gamma[k])) for k in range(equalities, len(frame.index)) if k not in tied]
    return narrow, analyse(narrow, contacts if np.any(contacts) else None, others)


def _vanishes_everywhere(frame: Frame, w: Array) -> bool:
    """Whether a combination of rows vanishes everywhere: contacts that push against each other by it are equations."""
    known = frame.left_null[:, frame.identical]
    return known.shape[1] > 0 and bool(np.linalg.norm(w - known @ np.linalg.lstsq(known, w)[0]) <= PUSH)


def _strict(frame: Frame) -> Finding:
    sets = frame.regularity().dependent
    text = (
        "redundant: the closed contacts are dependent, but the motion separates them at order 2, so the quadratic"
        " program is exact. The acceleration is unique."
    )
    return Finding("redundant", sets, text)


def _with_equalities(problem: GaussProblem, index: list[int]) -> GaussProblem:
    upper = problem.rows.upper.copy()
    upper[index] = problem.rows.lower[index]
    return replace(problem, rows=replace(problem.rows, upper=upper))
