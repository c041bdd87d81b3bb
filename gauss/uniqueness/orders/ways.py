"""A way out of a singular position: the accelerations on one branch of the constraint set, as rows of a problem."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.zero import ZERO
from gauss.model.rows import Kind, Rows
from gauss.principle import GaussProblem
from gauss.uniqueness.germs.germ import Germ
from gauss.uniqueness.germs.parts import coordinates_in
from gauss.uniqueness.rows.combinations import complement
from gauss.uniqueness.rows.frame import Frame


@dataclass(frozen=True)
class Way:
    """The accelerations a on one branch: a = offset + directions α, or on the half line α ≥ 0 where it `ends`."""

    offset: Array  # (n,)
    directions: Array  # (n, k)
    branch: int = -1  # position in Germ.branches; −1 for a manifold or a point
    half: int = 0  # sign of τ on a branch that ends here, as a cusp; 0 on one that goes on
    ends: bool = False  # whether it is left from rest there
    wall: Array | None = None  # (n,) with wall·a ≥ 0 where it ends in an edge, from which sheets leave
    sheets: int = 1  # how many smooth sets have these accelerations
    side: int = (
        0  # on which of two sheets that touch (`gauss.motion.singular.tangent_branches.sheets`), 0 where on either
    )
    crossed: bool = False  # whether other sheets, which the velocity is not along, may meet these


def restricted(
    frame: Frame,
    coordinates: list[tuple[int, ...]],
    ways: list[list[list[Way]]],
    choice: Sequence[Way],
    kept: Sequence[str] = (),
) -> GaussProblem:
    """Return the problem on one choice of branches, which take the place of all rows but those of the names `kept`."""
    rest, problem = list(choice), frame.problem
    for own, group in zip(coordinates, ways, strict=True):
        problem = _on(problem, frame, own, rest[: len(group)], kept)
        rest = rest[len(group) :]
    return problem


def _on(
    problem: GaussProblem, frame: Frame, own: tuple[int, ...], ways: list[Way], held: Sequence[str]
) -> GaussProblem:
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
    for way in (way for way in ways if way.ends):
        wall = way.directions[:, 0] * np.diag(frame.problem.M) if way.wall is None else way.wall
        J = np.vstack([J, wall[None]])
        low.append(0.0)
        high.append(np.inf)
        names.append(f"end of the branch in {frame.system.coordinates[own[0]]}")
    kept = [k for k in range(len(rows)) if k not in set(_rows_in(frame, rows, place, held))]
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


def _rows_in(frame: Frame, rows: Rows, place: list[int], held: Sequence[str]) -> Iterator[int]:
    """Return the rows of the frame on positions that contain some of the coordinates, without those that are held."""
    model = frame.system.model
    for k in map(int, frame.index):
        if model.names[k] not in held and coordinates_in(model.positions, k) & set(place):
            yield rows.index(model.names[k])


def label(names: Sequence[str], parts: Sequence[Germ], ways: Sequence[Way]) -> str:
    """Return which branches were chosen, each by its first term that the others do not have."""
    texts = []
    for part, way in zip(parts, ways, strict=True):
        if way.branch < 0:
            continue
        branch = part.branches[way.branch]
        e, terms = branch.ramification, branch.series[:, branch.other]
        terms = np.where(np.abs(terms) <= ZERO * branch.noise[:, branch.other], 0.0, terms)
        alike = [b for b in part.branches if b is not branch and (b.lead, b.other) == (branch.lead, branch.other)]
        others = [b.series[:, b.other] for b in alike if b.ramification == e]
        last = max((_first_apart(terms, other) for other in others), default=e + 1)
        odd = (k for k in np.flatnonzero(terms).tolist() if k % 2)
        last = max(last, next(odd, last)) if way.half else last  # by this the two halves differ
        shown = [(k, c * (way.half or 1) ** k) for k, c in enumerate(terms) if k and c != 0.0]
        shown = [entry for entry in shown if entry[0] <= last] or shown[:1]
        own, lead = (f"Δ{names[j]}" for j in (branch.other, branch.lead))
        lead = f"(−{lead})" if branch.series[e, branch.lead] < 0.0 else lead
        text = " + ".join(f"{c:.6g} {lead}" + ("" if k == e else f"^{Fraction(k, e)}") for k, c in shown) or "0"
        place = way.branch + 1 if not way.half else f"{way.branch + 1}{'a' if way.half > 0 else 'b'}"
        texts.append(f"branch {place} of {len(part.branches)}: {own} = {text.replace('+ -', '− ')}")
    return "; ".join(texts)


def _first_apart(terms: Array, others: Array) -> int:
    """Return the first power at which two series differ."""
    count = min(len(terms), len(others))
    return int(next(iter(np.flatnonzero(terms[:count] != others[:count])), count))
