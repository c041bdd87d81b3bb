"""All accelerations and all contact forces of a planar friction problem, mode by mode, and the verdict on them.

A mode gives each contact one of: open, stick, slip+, slip− (a contact that slides already: separate, or slip in
its direction). Within a mode everything is linear in the forces x = (λ, p, t): with the metric M = LLᵀ and whitened
rows B = (J; N; T) L⁻ᵀ the acceleration is a = a_free + L⁻ᵀBᵀx, so that the mode's solutions form the polyhedron

    J a = γ;  open: p = t = 0, g̈ ≥ 0;  slip σ: g̈ = 0, t = −σ μ_k p, p ≥ 0, σ ṡ ≥ 0 (from rest);
    stick: g̈ = ṡ = 0, |t| ≤ μ_s p.

Its vertices, rays and lines are found exactly up to rounding. A piece inside another one is dropped: for a given
acceleration the forces are one convex set, and a mode on the border of another (p = 0, say) is not counted twice.
With dry pins the law is not linear in the forces; `gauss.contact.plane.pins` finds a mode's solutions then.

Where friction has constant limits F, as that of joints, and contacts with a load have none, the law is convex: the
acceleration is the one minimiser of ½|a − a_free|²_M + Σ F|ṡ| under J a = γ and g̈ ≥ 0, for any number of contacts.
Pivoting finds it, and the modes are those of its rates; where a rate is zero, sticking or closed has all forces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np

from gauss.contact.forces.polyhedra import SAME, TIGHT, Polyhedron, TooManySetsError, distinct, merged, polyhedron
from gauss.contact.plane.candidates import CLEARLY, candidates
from gauss.contact.plane.pins import PinLaw, PinPieces, pin_pieces
from gauss.contact.plane.pivoting import pivoted
from gauss.contact.plane.uniqueness import friction_bound
from gauss.contact.problem import ContactProblem
from gauss.contact.verdict import CONVEX, WEAK, ContactSolution, ContactVerdict
from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array, lengths_of
from gauss.foundation.outcomes import BACKWARDS, FORWARDS, OPEN, STICK
from gauss.principle.metric import Metric

MODES = 20_000  # modes that are tried at most (4⁷ are 16,384)
LAWFUL = 1e-9  # residual of a solution found by pivoting


@dataclass(frozen=True)
class _White:
    """The problem in the metric, rows of unit length and forces in units of `size`."""

    metric: Metric
    B: Array  # (m + 2k, n) white unit rows: bilateral, normal, tangent
    right: Array  # (m + 2k,) right sides of the unit rows at z = 0, over size
    length: Array  # (m + 2k,) lengths of the rows in the metric
    size: float  # √kg m/s²
    m: int
    k: int

    @staticmethod
    def of(p: ContactProblem) -> _White:
        metric, rows = p.metric, np.vstack([p.J, p.N, p.T])
        whitened = metric.whitened(rows)
        length = lengths_of(whitened)
        left = (np.concatenate([p.gamma, p.nu, p.tau]) - rows @ metric.reference) / length
        constant = p.limited & ~np.isin(np.arange(p.k), list(p.pinned))
        fixed = constant * p.static * length[len(left) - p.k :]  # constant limits of friction, as forces
        top = float(max(np.max(np.abs(left), initial=0.0), np.max(fixed, initial=0.0)))
        rounding = 1e-14 * metric.norm(metric.reference)
        size = top if top > rounding else max(metric.norm(metric.reference), 1.0)
        left = left / size if top > rounding else np.zeros_like(left)
        return _White(metric, whitened / length[:, None], left, length, size, len(p.gamma), p.k)


def solve_in_plane(problem: ContactProblem, going: Mapping[str, str] | None = None) -> ContactVerdict:
    """Return all accelerations and contact forces of a planar friction problem, with the verdict.

    Of forces in dry pins that stick, and that their rows do not determine, some are searched for; `unproved` says where
    that leaves others open. Of more than 20,000 modes not all are tried: one solution is searched for by complementary
    pivoting, and `unproved` says so unless friction is too weak for a second acceleration (`friction_bound`). Before
    that the modes `going`, by the names of contacts, are tried with all modes of the other contacts. Raises
    InputError where these contacts are held from both sides or dry pins, and for a dry pin that turns under a load that
    is not determined, MassMatrixError for a mass matrix that leaves the acceleration undetermined.
    """
    w, every = _White.of(problem), [_modes_of(problem, i) for i in range(problem.k)]
    only = _of_convex(problem, w) if convex(problem) else None
    if only is not None:
        return only
    kept = [going.get(name) for name in problem.names] if going else []
    fewer = [[m for m in each if m.partition("|")[0] == mode] or each for each, mode in zip(every, kept, strict=False)]
    cause = None
    for choices in (every, fewer) if going else (every,):
        if prod(map(len, choices)) > MODES:
            continue
        try:
            verdict = _every(problem, w, choices)
        except TooManySetsError as error:
            cause = error
            continue
        if choices is every:
            return verdict
        if verdict.solutions:
            return _if_weak(replace(verdict, unproved="contacts that can go on as before were taken to do so"))
    return _one_of_many(problem, w, cause)


def convex(problem: ContactProblem) -> bool:
    """Return whether friction has constant limits, at rest those of slip, and contacts with a load have none."""
    equal = (problem.slip != 0.0) | (problem.static == problem.kinetic)
    smooth = (problem.static == 0.0) & (problem.kinetic == 0.0)
    return bool(problem.k and np.all(np.where(problem.limited, equal, smooth)) and not problem.pinned)


def _of_convex(problem: ContactProblem, w: _White) -> ContactVerdict | None:
    """Return the verdict of a convex law from the modes of the one acceleration, None if pivoting has none."""
    try:
        x = pivoted(problem, w.B, w.right, w.length, w.size).forces
    except SolverError:
        return None
    rates = w.B[w.m :] @ (w.B.T @ x) - w.right[w.m :]
    size = float(np.max(np.abs(x), initial=1.0))
    choices = []
    for i in range(problem.k):
        limited, modes = problem.limited[i], _modes_of(problem, i)
        rate = rates[problem.k + i] if limited else rates[i]
        zero, other = (abs(rate) <= CLEARLY * size), (abs(rate) > TIGHT * size)
        if limited and problem.slip[i] == 0.0:
            modes = [STICK] * bool(zero) + [FORWARDS if rate > 0.0 else BACKWARDS] * bool(other)
        elif not limited and not problem.bilateral[i]:
            modes = modes[:-1] * bool(zero) + [OPEN] * bool(other)
        choices.append(modes)
    try:
        verdict = _every(problem, w, choices)
    except TooManySetsError:
        return None
    return replace(verdict, proof=CONVEX) if len(verdict.accelerations) == len(verdict.solutions) == 1 else None


def _every(problem: ContactProblem, w: _White, choices: list[list[str]]) -> ContactVerdict:
    """Return all solutions in these modes of each contact."""
    gram = w.B @ w.B.T
    parts = [[_contact_rows(problem, w, gram, i, mode) for mode in choices[i]] for i in range(problem.k)]
    held = (gram[: w.m], w.right[: w.m], np.zeros((0, w.m + 2 * w.k)), np.zeros(0))
    pieces: list[Polyhedron] = []
    modes: list[tuple[str, ...]] = []
    doubtful, unproved = False, ""
    every = product(*(range(len(c)) for c in choices)) if problem.pinned else candidates(held, parts)
    for chosen in every:
        tables = [held, *(parts[i][j] for i, j in enumerate(chosen))]
        A, b, G, h = (np.concatenate([table[c] for table in tables]) for c in range(4))
        names = tuple(choices[i][j].split("|")[0] for i, j in enumerate(chosen))
        found = _pieces(problem, w, gram, names, (A, b, G, h))
        doubtful, unproved = doubtful or found.doubtful, unproved or found.unproved
        pieces += found.pieces
        modes += [names] * len(found.pieces)
    kept = merged(pieces)
    ruled = _sticking(problem, [modes[k] for k in kept])
    solutions = tuple(_solution(problem, w, pieces[k], modes[k], rule) for k, rule in zip(kept, ruled, strict=True))
    return ContactVerdict(
        problem, solutions, unproved=unproved, doubtful=doubtful, contradictory=not pieces and _contradictory(w)
    )


def _contradictory(w: _White) -> bool:
    """Return whether the bilateral rows alone have no solution."""
    rows = w.B[: w.m]
    return polyhedron(rows @ rows.T, w.right[: w.m], np.zeros((0, w.m)), np.zeros(0))[0] is None


def _one_of_many(p: ContactProblem, w: _White, cause: InputError | None) -> ContactVerdict:
    """Return the verdict from one solution found by pivoting. Raises InputError for contacts held from both sides."""
    count = count_modes(p)
    if p.pinned or np.any(p.bilateral & ~p.limited):
        raise cause or InputError(
            f"{p.k} contacts have {count} modes; at most {MODES} are tried. Beyond that one solution is searched for,"
            " but only where contacts push one way and none is a dry pin. Leave out contacts."
        )
    many = "with too many sets of forces" if cause else "too many"
    reason = f"the contacts have {count} modes, {many} to try all; one solution was searched for by pivoting"
    try:
        found = pivoted(p, w.B, w.right, w.length, w.size)
        table = np.zeros((0, len(found.forces)))
        piece = Polyhedron(found.forces[None], table, table, table, np.zeros(0), table, np.zeros(0))
        solution = replace(_solution(p, w, piece, found.modes, True), others=found.others)
        lawful = solution.residual <= LAWFUL
    except SolverError:
        lawful = False
    if not lawful:
        return ContactVerdict(p, (), unproved=reason, contradictory=_contradictory(w))
    return _if_weak(ContactVerdict(p, (solution,), unproved=reason))


def _if_weak(verdict: ContactVerdict) -> ContactVerdict:
    """Return a verdict on some solutions, with the proof that there are no others where friction is weak."""
    weak = not verdict.problem.pinned and friction_bound(verdict.problem) < 1.0
    return replace(verdict, unproved="", proof=WEAK) if weak else verdict


def _pieces(
    p: ContactProblem, w: _White, gram: Array, modes: tuple[str, ...], table: tuple[Array, Array, Array, Array]
) -> PinPieces:
    """Return the solutions of one mode, given as A x = b, G x ≥ h without the laws of the pins."""
    if not p.pinned:
        found, unsure = polyhedron(*table)
        return PinPieces(() if found is None else (found,), unsure)
    laws = []
    for i, pair in p.pinned.items():
        place = w.m + w.k + i
        load = np.zeros((2, len(w.B)))
        load[[0, 1], list(pair)] = w.length[place] / w.length[list(pair)]
        sign = {FORWARDS: 1.0, BACKWARDS: -1.0}.get(modes[i], 0.0)
        begins = sign != 0.0 and p.slip[i] == 0.0
        rate = gram[place] if begins else np.zeros(len(w.B))
        right = float(w.right[place]) if begins else 0.0
        laws.append(PinLaw(p.names[i], place, p.kinetic[i] * load, p.static[i] * load, sign, rate, right))
    return pin_pieces(*table, laws)


def count_modes(problem: ContactProblem) -> int:
    """Return how many modes the contacts have together."""
    return prod(len(_modes_of(problem, i)) for i in range(problem.k))


def _modes_of(p: ContactProblem, i: int) -> list[str]:
    """Return the modes of contact i, the largest first; held from both sides, slip is split by the sign of p."""
    slip = [FORWARDS, BACKWARDS] if p.slip[i] == 0.0 else [FORWARDS] if p.slip[i] > 0.0 else [BACKWARDS]
    rest = [STICK] if p.slip[i] == 0.0 else []
    if p.limited[i]:
        return [*rest, *slip]
    if p.bilateral[i]:
        return [f"{mode}|{side}" for mode in rest + slip for side in ("pushed", "pulled")]
    return [*rest, *slip, OPEN]


def _contact_rows(p: ContactProblem, w: _White, gram: Array, i: int, mode: str) -> tuple[Array, Array, Array, Array]:
    """Return A x = b and G x ≥ h of contact i in a mode, over the scaled forces x (m + 2k,)."""
    normal, tangent = w.m + i, w.m + w.k + i
    e_p, e_t = np.eye(w.m + 2 * w.k)[[normal, tangent]]
    name, _, side = mode.partition("|")
    push = -1.0 if side == "pulled" else 1.0
    if name == OPEN:
        return np.array([e_p, e_t]), np.zeros(2), gram[normal][None], w.right[[normal]]
    if p.limited[i]:
        return _limited_rows(p, w, gram, i, name)
    share = w.length[tangent] / w.length[normal]  # t over p in the scaled unknowns is t·|T| over p·|N|
    A, b = [gram[normal]], [w.right[normal]]
    G, h = [push * e_p], [0.0]
    if name == STICK:
        cone = p.static[i] * share * push * e_p
        A.append(gram[tangent])
        b.append(w.right[tangent])
        G += [cone - e_t, cone + e_t]
        h += [0.0, 0.0]
    else:
        sigma = 1.0 if name == FORWARDS else -1.0
        A.append(e_t + sigma * p.kinetic[i] * share * push * e_p)
        b.append(np.float64(0.0))
        if p.slip[i] == 0.0:
            G.append(sigma * gram[tangent])
            h.append(float(sigma * w.right[tangent]))
    return np.array(A), np.array(b), np.array(G), np.array(h)


def _limited_rows(p: ContactProblem, w: _White, gram: Array, i: int, name: str) -> tuple[Array, Array, Array, Array]:
    """Return the same for a contact whose friction force has a constant limit."""
    normal, tangent = w.m + i, w.m + w.k + i
    e_p, e_t = np.eye(w.m + 2 * w.k)[[normal, tangent]]
    pinned = i in p.pinned  # its law is left to `gauss.contact.plane.pins`
    if name == STICK and pinned:
        return np.array([e_p, gram[tangent]]), np.array([0.0, w.right[tangent]]), np.zeros((0, len(e_p))), np.zeros(0)
    if name == STICK:
        top = p.static[i] * w.length[tangent] / w.size
        return (
            np.array([e_p, gram[tangent]]),
            np.array([0.0, w.right[tangent]]),
            np.array([-e_t, e_t]),
            np.full(2, -top),
        )
    sigma = 1.0 if name == FORWARDS else -1.0
    force = -sigma * p.kinetic[i] * w.length[tangent] / w.size
    moving = p.slip[i] == 0.0
    G = sigma * gram[[tangent]] if moving else np.zeros((0, w.m + 2 * w.k))
    h = sigma * w.right[[tangent]] if moving else np.zeros(0)
    if pinned:
        return e_p[None], np.zeros(1), G, h
    return np.array([e_p, e_t]), np.array([0.0, force]), G, h


def _sticking(p: ContactProblem, modes: list[tuple[str, ...]]) -> list[bool]:
    """Return which modes remain where a contact with μ_s > μ_k that slips from rest could stick, others unchanged."""
    loose = [i for i in range(p.k) if p.slip[i] == 0.0 and p.static[i] > p.kinetic[i]]

    def beats(other: tuple[str, ...], mine: tuple[str, ...]) -> bool:
        changed = [i for i in range(p.k) if other[i] != mine[i]]
        return bool(changed) and all(i in loose and other[i] == STICK and mine[i].startswith("slip") for i in changed)

    return [not any(beats(other, mine) for other in modes) for mine in modes]


def _solution(
    p: ContactProblem, w: _White, piece: Polyhedron, modes: tuple[str, ...], by_rule: bool
) -> ContactSolution:
    """Return a piece in the user's units, with its accelerations and the largest violation at its vertices."""
    apart = np.array([mode == OPEN for mode in modes], dtype=bool)
    zero = np.concatenate([np.zeros(w.m, dtype=bool), apart | p.limited, apart])
    forces = np.where(zero, 0.0, piece.vertices * w.size / w.length)
    whitened = distinct(piece.vertices @ w.B, 1.0)
    a = np.array([w.metric.reference + w.metric.lift(z) * w.size for z in whitened])
    onward = np.vstack([piece.rays, piece.lines, -piece.lines])
    moving = [w.metric.lift(z) for z in (w.B.T @ x for x in onward) if np.linalg.norm(z) > SAME]
    n, m, k = len(p.f), w.m, w.k
    normal = forces[:, m : m + k].copy()
    for i, pair in p.pinned.items():
        normal[:, i] = np.linalg.norm(forces[:, list(pair)], axis=1)
    return ContactSolution(
        modes,
        a,
        np.array(moving).reshape(len(moving), n),
        forces[:, :m],
        normal,
        forces[:, m + k :],
        onward / w.length,
        max(_violation(p, w, x) for x in forces),
        by_rule,
    )


def _violation(p: ContactProblem, w: _White, x: Array) -> float:
    """Return the largest violation of the law by forces x (m + 2k,), relative to the forces in the metric.

    The acceleration is computed anew from M a = f + forces, in the user's units.
    """
    m, k = w.m, w.k
    rows = np.vstack([p.J, p.N, p.T])
    a = w.metric.reference + w.metric.lift(w.metric.covector(rows.T @ x))
    size = max(w.size, float(np.max(np.abs(x * w.length), initial=0.0)), w.metric.norm(w.metric.reference))
    rate = (rows @ a - np.concatenate([p.gamma, p.nu, p.tau])) / w.length / size
    gap, slip = rate[m : m + k], rate[m + k :]
    pressing, friction = x[m : m + k] * w.length[m : m + k] / size, x[m + k :] * w.length[m + k :] / size
    load = np.where(p.bilateral, np.abs(pressing), pressing)
    share = w.length[m + k :] / w.length[m : m + k]
    load[p.limited] = w.length[m + k :][p.limited] / size
    for i, pair in p.pinned.items():
        load[i] *= float(np.hypot(*x[list(pair)]))
    share = np.where(p.limited, 1.0, share)
    direction = np.where(p.slip != 0.0, p.slip, np.sign(slip) * (np.abs(slip) > SAME))
    law = np.where(
        direction != 0.0,
        np.abs(friction + direction * p.kinetic * share * load),
        np.maximum(np.abs(friction) - p.static * share * load, 0.0),
    )
    parts = [
        np.abs(rate[:m]),
        np.where(p.bilateral, np.abs(gap), np.maximum(-gap, 0.0)),
        np.where(p.bilateral, 0.0, np.maximum(-pressing, 0.0)),
        np.abs(gap * pressing),
        law / np.where(p.limited, 1.0, np.maximum(1.0, p.static * share)),
    ]
    return float(np.max(np.concatenate(parts), initial=0.0))
