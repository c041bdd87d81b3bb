"""Closed contacts at a singular position: which ways out of it they leave, and where orders up to 2 do not tell.

Where branches of the constraint set meet, the gap g of a closed contact may vanish to first order along one of them:
the rows J a ≥ γ then admit its acceleration, whatever g does next. On a curve q(τ) of the germ the first power of τ in
g(q(τ)) that does not vanish says on which sides the contact opens; on the others it would be violated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gauss.errors import GaussError
from gauss.foundation.arrays import Array
from gauss.foundation.threads import precise
from gauss.foundation.tolerances import SAME
from gauss.foundation.zero import UNIT
from gauss.principle import GaussProblem, solve
from gauss.uniqueness.accelerations import Candidate
from gauss.uniqueness.germs.germ import Germ, RealBranch
from gauss.uniqueness.germs.parts import RestrictedRows, coordinates_in, dated
from gauss.uniqueness.germs.series import Series
from gauss.uniqueness.orders.jets import Conditions
from gauss.uniqueness.orders.ways import Way
from gauss.uniqueness.rows.frame import Frame


def closed_contacts(frame: Frame) -> list[int]:
    """Return the unilateral rows of the model, by place, that are closed in the problem of a frame."""
    rows, names = frame.problem.rows, frame.system.row_names
    return [names.index(rows.names[k]) for k in rows.inequality.tolist() if np.isfinite(rows.lower[k])]


def opened(problem: GaussProblem, names: Sequence[str]) -> GaussProblem:
    """Return a problem in which contacts of these names demand nothing."""
    rows, lower = problem.rows, problem.rows.lower.copy()
    lower[[rows.index(name) for name in names]] = -np.inf
    return replace(problem, rows=replace(rows, lower=lower))


def doubtful(frame: Frame, c: Conditions, problem: GaussProblem, motions: Sequence[Array]) -> list[str]:
    """Return the closed contacts that do not open by order 2 along one of some motions, nor can hold them off.

    These are given by accelerations (n,) at the velocity of the frame; `problem` has the completed rows, c the
    conditions of order 4. A contact whose row is independent of all these is an ordinary one, and pushes.
    """
    v, metric = frame.state.v, frame.metric
    found = []
    for k in closed_contacts(frame):
        name, inside = frame.system.row_names[k], coordinates_in(frame.system.model.positions, k)
        own = frame.problem.rows.index(name)
        J, right = frame.problem.rows.J[own], float(frame.problem.rows.lower[own])
        for a in motions:
            way = v if np.any(v) else a
            if not any(abs(way[j]) > SAME * np.max(np.abs(way)) for j in inside):
                continue  # it stays as it is
            z, row = metric.L.T @ a, metric.whitened(J[None])[0]
            size = float(np.linalg.norm(row))
            scale = size * (float(np.linalg.norm(z)) + frame.acceleration_scale) + abs(right)
            if float(J @ a) - right > SAME * scale:
                continue  # it opens
            held = held_rows(frame, c, problem, z)
            if np.linalg.norm(row - held.T @ np.linalg.lstsq(held.T, row)[0]) <= SAME * size:
                found.append(name)
                break
    return found


def held_rows(frame: Frame, c: Conditions, problem: GaussProblem, z: Array) -> Array:
    """Return the rows (k, n) that bind changes of an acceleration z (n,): equations, and gradients of quadrics."""
    y = c.kernel.T @ (z - c.base)
    slopes = [(c.kernel @ q.slope(y))[None] for q in c.quadrics if q.sense == "="]
    return np.vstack([frame.metric.whitened(problem.rows.J[problem.rows.equality]), *slopes])


def left_by(
    frame: Frame, groups: Sequence[Sequence[Germ]], ways: list[list[list[Way]]]
) -> tuple[list[list[list[Way]]], list[str]] | None:
    """Return what closed contacts leave of the ways on branches, and the names of those that say so.

    Nothing is returned where that is open. Where nothing is left the state stays, if it is at rest.
    """
    model, found, names = frame.system.model, [list(group) for group in ways], list[str]()
    cut: dict[tuple[int, int], list[int]] = {}  # contacts by group, and part in it
    for k in closed_contacts(frame):
        own = coordinates_in(model.positions, k)
        touched = [
            (i, j) for i, group in enumerate(groups) for j, part in enumerate(group) if own & {*part.coordinates}
        ]
        if not touched:
            continue
        part = groups[touched[0][0]][touched[0][1]]
        alone = len(touched) == 1 and own <= {*part.coordinates} and not dated(model.positions, [k])
        if not alone or part.status not in ("curves", "isolated"):
            return None
        names.append(frame.system.row_names[k])
        if part.status == "curves":
            cut.setdefault(touched[0], []).append(k)
    for (i, j), contacts in cut.items():
        part, kept = groups[i][j], list[Way]()
        speed = frame.state.v if len(groups[i]) == 1 else np.zeros(frame.n)
        for way in found[i][j]:
            sides = [_opening(frame, part, part.branches[way.branch], k) for k in contacts]
            if None in sides:
                return None
            kept += _halves(way, part.branches[way.branch], [side for side in sides if side], speed)
        moving = bool(np.any(speed[list(part.coordinates)]))
        found[i][j] = kept if kept or moving else [Way(np.zeros(frame.n), np.zeros((frame.n, 0)))]
    return found, names


def _halves(way: Way, branch: RealBranch, sides: Sequence[tuple[int, int]], v: Array) -> list[Way]:
    """Return what is left of a way on a branch, `sides` being the signs of gaps ahead on it and behind."""
    rate = float(v[branch.lead] * branch.series[branch.ramification, branch.lead])
    halves = (way.half,) if way.half else (1 if rate > 0.0 else -1,) if rate else (1, -1)
    free = [half for half in halves if all(side[half < 0] > 0 for side in sides)]
    if len(free) == len(halves):
        return [way]
    return [replace(way, directions=half * way.directions, half=half, ends=True) for half in free]


def _opening(frame: Frame, part: Germ, branch: RealBranch, contact: int) -> tuple[int, int] | None:
    """Return the signs of the gap of a contact ahead on a branch (τ > 0) and behind; None where they are open."""
    model, own, name = frame.system.model, part.coordinates, frame.system.row_names[contact]
    rows = RestrictedRows(
        model.positions, (contact,), own, (name,), (1,) * len(own), branch.series.shape[1], frame.system.theta()
    )
    noise = branch.noise.copy()
    noise[0] += UNIT * np.abs(branch.series[0])
    with precise():
        at = [Series(ball, noise[:, j]) for j, ball in zip(own, branch.balls, strict=True)]
        (gap,) = rows.values(at, [0], len(noise))
        for power in range(1, len(noise)):
            c = gap.coefficient(power)
            if c.zero is None:
                return None
            if not c.zero:
                sign = 1 if float(c.value.mid()) > 0.0 else -1
                return sign, sign * (-1) ** power
    return None


def motions_of(problem: GaussProblem, candidates: Sequence[Candidate] | None) -> list[Array]:
    """Return the accelerations (n,) of candidates, or where the rows of a problem determine one, that, if there is."""
    if candidates is not None:
        return [candidate.a for candidate in candidates]
    try:
        return [solve(problem).a]
    except GaussError:
        return []
