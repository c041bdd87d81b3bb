"""What holonomic rows leave at a singular position where orders up to 4 do not decide, or decide too soon.

"Locked" and "redundant" are claims that higher orders can undo: y(y − x³) = 0 moves on, x² + y⁶ = 0 does not. The germ
of the constraint set (`gauss.germs`) has its branches to any order. The accelerations on a branch are an affine set, or
a half line where a branch that ends, as a cusp, is left from rest. Gauss's principle is applied on each. Where the germ
is open, what orders up to 4 say stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Literal

import numpy as np

from gauss.arrays import Array
from gauss.errors import GaussError
from gauss.germs.germ import Germ, contained, germ_of
from gauss.germs.motions import motions_at
from gauss.principle import GaussProblem, GaussSolution, solve
from gauss.regularity import findings as say
from gauss.regularity.accelerations import AccelerationSet, Candidate, from_candidates
from gauss.regularity.findings import Finding
from gauss.regularity.frame import Frame, complement
from gauss.rows import Kind, Rows
from gauss.zero import ZERO

LARGEST = 12  # coordinates up to which germs are computed
MOST = 256  # choices of one branch from each factor that are examined
PARTING = 4  # power of G in F² − G⁴, whose two sheets F = ±G² have curvatures of their own
AMISS = 1e-9  # share of the speed by which a velocity may be off a branch: rounding of a velocity that was computed


@dataclass(frozen=True)
class Way:
    """The accelerations a on one branch: a = offset + directions α, or on the half line α ≥ 0."""

    offset: Array  # (n,)
    directions: Array  # (n, k)
    half: bool = False
    sheets: int = 1  # how many smooth sets have these accelerations


@dataclass(frozen=True)
class AnyOrder:
    """What a germ says of the acceleration at a state."""

    finding: Finding
    accelerations: AccelerationSet
    problem: GaussProblem  # of the candidate with the least Zwang
    solution: GaussSolution  # its solution
    motion_unique: bool  # whether one motion leaves


def by_germ(frame: Frame) -> AnyOrder | Literal["open"] | None:
    """Return what the germ of the constraint set says at a state; None where it does not apply."""
    model = frame.system.model
    others = [i for i, k in enumerate(frame.index) if model.kinds[int(k)] != "holonomic"]
    if frame.n > LARGEST or model.trace.rheonomic or not _implied(frame, others):
        return None
    try:
        germ = germ_of(frame.system, frame.state, [name for i, name in enumerate(frame.names) if i not in others])
    except GaussError:
        return "open"
    parts = [part for part in (germ.factors or (germ,)) if part.coordinates]
    if not parts:
        return None
    if any(part.status == "open" for part in parts):
        return "open"
    groups: dict[tuple[int, ...], list[Germ]] = {}
    for part in parts:
        groups.setdefault(part.coordinates, []).append(part)
    ways = [_ways(frame, members) for members in groups.values()]
    if any(choice is None for choice in ways):
        return "open"
    return _minimised(frame, germ, list(groups), [choice or [] for choice in ways]) or "open"


def _implied(frame: Frame, rows: list[int]) -> bool:
    """Return whether some rows are combinations of the others everywhere, so that these say all."""
    if not rows:
        return True
    everywhere = frame.left_null[rows][:, frame.identical]
    return len(rows) < len(frame.index) and bool(np.linalg.matrix_rank(everywhere) == len(rows))


def _ways(frame: Frame, parts: list[Germ]) -> list[list[Way]] | None:
    """Return the branches of each factor in the same coordinates, or None where the velocity fits none of them."""
    n, v = frame.n, frame.state.v
    own = np.zeros(n)
    own[list(parts[0].coordinates)] = v[list(parts[0].coordinates)]
    if np.max(np.abs(own)) <= AMISS * np.max(np.abs(v), initial=0.0):
        return [_from_rest(n, part) for part in parts]
    moving = [part for part in parts if part.status != "isolated"]
    if len(moving) != 1:
        return None  # terms with parameters of two factors are not in their series
    (part,) = moving
    still = [Way(np.zeros(n), np.zeros((n, 0)))]
    if part.status == "curves":
        leaving = motions_at(part, v).leaving
        found = [Way(x.curvature, part.branches[x.branch].tangent[:, None]) for x in leaving if x.curvature is not None]
        return [found] + [still] * (len(parts) - 1) if found and len(found) == len(leaving) else None
    rates = np.linalg.lstsq(part.tangents, own, rcond=None)[0]
    if np.linalg.norm(part.tangents @ rates - own) > AMISS * np.linalg.norm(own):
        return None
    if part.touching == PARTING:
        return None  # sheets that are c G² apart: speed across G = 0 gives each its own acceleration
    offset = np.einsum("jab,a,b->j", part.seconds, rates, rates)
    return [[Way(offset, part.tangents, sheets=2 if part.touching else 1)]] + [still] * (len(parts) - 1)


def _from_rest(n: int, part: Germ) -> list[Way]:
    if part.status == "curves":
        return [Way(np.zeros(n), b.tangent[:, None], b.ramification % 2 == 0) for b in part.branches]
    directions = part.tangents if part.status == "smooth" else np.zeros((n, 0))
    return [Way(np.zeros(n), directions, sheets=2 if part.touching else 1)]


def _minimised(
    frame: Frame, germ: Germ, coordinates: list[tuple[int, ...]], ways: list[list[list[Way]]]
) -> AnyOrder | None:
    """Apply Gauss's principle on every choice of branches."""
    choices = list(islice(product(*(way for group in ways for way in group)), MOST + 1))
    if len(choices) > MOST:
        return None
    found: list[tuple[GaussProblem, GaussSolution]] = []
    several = 0  # motions: choices that differ, though perhaps not in their accelerations
    for choice in choices:
        rest, problem = list(choice), frame.problem
        for own, group in zip(coordinates, ways, strict=True):
            problem = _on(problem, frame, own, rest[: len(group)])
            rest = rest[len(group) :]
        try:
            solution = solve(problem)
        except GaussError:
            return None
        several += int(np.prod([way.sheets for way in choice]))
        if not any(_same(frame, solution, other) for _, other in found):
            found.append((problem, solution))
    found.sort(key=lambda pair: pair[1].zwang)
    word = "confirmed" if germ.proved else "confirmed numerically"
    least = found[0][1].zwang
    candidates = tuple(
        Candidate(s.a, s.zwang, "global minimum" if s.zwang <= least * (1.0 + AMISS) else "local minimum", word, 0.0)
        for _, s in found
    )
    problem, solution = found[0]
    evidence = f"the branches of the constraint set, {'proved' if germ.proved else 'found'} to order {germ.order}"
    moves = any(way.directions.shape[1] for choice in choices for way in choice)
    parts = germ.factors or (germ,)
    v = frame.state.v
    passed = any(len(part.branches) > 1 and np.any(v[list(part.coordinates)]) for part in parts)
    finding = say.by_germ(frame, germ, several, len(found), moves, passed)
    one = several == 1 and not any(way.half for way in choices[0])
    return AnyOrder(finding, from_candidates(candidates, evidence), problem, solution, one)


def _same(frame: Frame, one: GaussSolution, other: GaussSolution) -> bool:
    """Return whether two accelerations agree within their errors."""
    error = one.error_bound + other.error_bound
    return frame.metric.norm(one.a - other.a) <= error + ZERO * frame.noise * frame.metric.norm(one.a)


def _on(problem: GaussProblem, frame: Frame, own: tuple[int, ...], ways: list[Way]) -> GaussProblem:
    """Return the problem with the rows of some coordinates replaced by those of the chosen branches."""
    place = list(own)
    offset = np.sum([way.offset for way in ways], axis=0)
    directions = np.hstack([way.directions for way in ways])[place]
    scale = np.linalg.norm(frame.metric.L, axis=1)[place]
    basis = np.linalg.qr(directions * scale[:, None])[0] if directions.shape[1] else directions
    across = complement(basis.T, len(place)).T * scale
    J = np.zeros((len(across), frame.n))
    J[:, place] = across
    right = J @ offset
    rows, names = problem.rows, [f"branch in {frame.system.coordinates[own[0]]}, … [{k}]" for k in range(len(J))]
    low, high = list(right), list(right)
    for way in (way for way in ways if way.half):
        J = np.vstack([J, np.sum(way.directions * np.diag(frame.problem.M)[:, None], axis=1)[None]])
        low.append(0.0)
        high.append(np.inf)
        names.append(f"end of the branch in {frame.system.coordinates[own[0]]}")
    kept = [k for k in range(len(rows)) if k not in set(_rows_in(frame, rows, place))]
    jet: Kind = "jet"
    return replace(
        problem,
        rows=Rows(
            np.vstack([rows.J[kept], J]),
            np.concatenate([rows.lower[kept], low]),
            np.concatenate([rows.upper[kept], high]),
            (*(rows.names[k] for k in kept), *names),
            (*(rows.kinds[k] for k in kept), *([jet] * len(names))),
        ),
    )


def _rows_in(frame: Frame, rows: Rows, place: list[int]) -> Iterator[int]:
    """Return the rows of the frame that contain some of the coordinates."""
    model = frame.system.model
    inside = contained(model.positions, [int(k) for k in frame.index], model.names)
    for k, coordinates in inside.items():
        if coordinates & set(place):
            yield rows.index(model.names[k])
