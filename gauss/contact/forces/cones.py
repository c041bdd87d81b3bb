"""Ranges of contact forces in space, for one acceleration: second-order cone programs over the true cones of friction.

For a given acceleration a the forces that give it within Coulomb's law are

    {(λ, p, t) :  Jᵀλ + Σ (Nᵀp + Tᵀt) = M a − f;   |t| ≤ μ_s p where it sticks,   t = −μ_k p s/|s| where it slips},

a convex set, of which two programs give the range of each component; rolling and spinning resistance are further cones
over the same p. Friction with a constant limit has one over an unknown that is held at 1. Forces are relative to
M a − f and rows of unit length in the metric of M. Ends of ranges lie between the values of the program and of its
dual. A set without inner points (all friction at its limit) has no such accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from gauss.contact.forces.force_sets import OFF
from gauss.contact.forces.record import ContactForces
from gauss.contact.given import require_inertia
from gauss.contact.problem import ContactProblem
from gauss.contact.resistance import Resistance
from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array, Flags, lengths_of, vector
from gauss.foundation.outcomes import OPEN, SLIP, STICK
from gauss.numerics.conic import conic

FITS = 1e-9  # slack by which cones may be left, relative to the load
INNER = 1e-6  # a least slack that can be made larger than this share of the load shows inner points
FINE, COARSE = 1e-11, 1e-6  # distance of a program from its dual: wanted; accepted, over the forces if these are large
REFINEMENTS = 4
ENDED = (
    "Solved",
    "AlmostSolved",
    "InsufficientProgress",
    "NumericalError",
)  # the distance from the dual says what they are worth


@dataclass(frozen=True)
class ConeSet:
    """Forces x = R w with G w = load, and cones |w_part| ≤ coefficient · w_p; everything relative."""

    R: Array  # (r, w) from the unknowns to (λ, p, frictions)
    G: Array  # (n + l, w), a row for each of l constant limits
    load: Array  # (n + l,)
    pressing: tuple[int, ...]  # unknowns that must not be negative
    cones: tuple[tuple[int, tuple[int, ...], float, bool], ...]  # unknown p, unknowns t, coefficient, sliding friction
    units: Array  # (r,) what turns x into units
    size: float
    frictions: tuple[Resistance, ...]  # in the order of the unknowns
    closed: Flags  # (k,)
    sticking: Flags  # (k,) closed, and neither slipping, rolling nor spinning


def cone_set(problem: ContactProblem, a: object) -> ConeSet:
    """Return the forces at an acceleration a (n,).

    Raises InputError for a wrong shape, or where the constraints do not admit a.
    """
    p = problem
    given = vector(a, len(p.f), "the acceleration a", p.coordinates)
    metric = p.bare.metric
    require_inertia(p.coordinates, metric.definite)
    frictions = p.frictions
    rows = np.vstack([p.J, p.N, *(friction.rows for friction in frictions)])
    whitened = metric.whitened(rows)
    length = lengths_of(whitened)
    place = len(p.gamma) + p.k
    for friction in frictions:  # one length for the rows of one cone, which stays round
        d = len(friction.rows)
        length[place : place + d] = float(np.max(length[place : place + d]))
        place += d
    load = metric.covector(p.M @ given - p.f)
    scale = float(np.linalg.norm(metric.covector(p.M @ given)) + np.linalg.norm(metric.covector(p.f))) or 1.0
    size = float(np.linalg.norm(load))
    load, size = (load / size, size) if size > 1e-13 * scale else (np.zeros_like(load), scale)
    span = max(metric.norm(given), metric.norm(metric.reference)) or 1.0
    closed = _closed(p, given, length, span)
    R, pressing, cones, sticking = _unknowns(p, frictions, given, length, span, closed, size)
    B = whitened / length[:, None]
    known = frictions, closed, sticking
    held = [j for i, j in zip(np.flatnonzero(closed), pressing, strict=True) if p.limited[i]]
    G, load = np.vstack([B.T @ R, np.eye(R.shape[1])[held]]), np.append(load, np.ones(len(held)))
    return ConeSet(R, G, load, tuple(pressing), tuple(cones), size / length, size, *known)


def _closed(p: ContactProblem, a: Array, length: Array, span: float) -> Flags:
    """Return which contacts (k,) stay closed. Raises InputError where the constraints do not admit a."""
    m = len(p.gamma)
    rows = (p.J @ a - p.gamma) / length[:m] / span
    gaps = (p.N @ a - p.nu) / length[m : m + p.k] / span
    wrong = [repr(name) for name, off in zip(p.rows, rows, strict=True) if abs(off) > OFF]
    wrong += [repr(name) for name, off in zip(p.names, gaps, strict=True) if off < -OFF]
    if wrong:
        raise InputError(
            f"the acceleration violates {', '.join(wrong)}. Pass one that the constraints admit, as solve_contacts"
            " returns."
        )
    return np.asarray(gaps <= OFF)


def _unknowns(
    p: ContactProblem, frictions: Sequence[Resistance], a: Array, length: Array, span: float, closed: Flags, size: float
) -> tuple[Array, list[int], list[tuple[int, tuple[int, ...], float, bool]], Flags]:
    """Return R (r, w), the pressing unknowns, the cones, and which contacts stick."""
    m, k = len(p.gamma), p.k
    columns = list(np.eye(len(length))[:m])
    place, normal_of = m + k, {}
    for j in np.flatnonzero(closed).tolist():
        normal_of[j] = len(columns)
        columns.append(np.eye(len(length))[m + j] * (not p.limited[j]))
    pressing, cones, sticking = list(normal_of.values()), [], closed.copy()
    for friction in frictions:
        d, i = len(friction.rows), friction.contact
        own = slice(place, place + d)
        place += d
        if not closed[i]:
            continue
        j = normal_of[i]
        ratio = float(length[own][0] / (size if p.limited[i] else length[m + i]))
        rate = friction.rows @ a - friction.right
        direction, speed = friction.direction, float(np.linalg.norm(rate))
        if direction is None and speed / length[own][0] / span > OFF:
            direction = rate / speed
        if direction is not None:
            columns[j] = columns[j].copy()
            columns[j][own] = -friction.kinetic * ratio * direction
            sticking[i] = False
            continue
        unknowns = tuple(range(len(columns), len(columns) + d))
        columns += list(np.eye(len(length))[own])
        cones.append((j, unknowns, friction.static * ratio, friction.kind == "sliding"))
    return np.array(columns).reshape(len(columns), len(length)).T, pressing, cones, sticking


class ConePrograms:
    """Programs max c·x over one set of forces, x = R (w₀ + Z y), solved by Clarabel."""

    def __init__(self, forces: ConeSet):
        self.forces = forces
        w = forces.G.shape[1]
        U, sigma, V = np.linalg.svd(forces.G, full_matrices=True)
        rank = int(np.sum(sigma > 1e-11 * sigma[0])) if sigma.size and sigma[0] > 0.0 else 0
        self.start = V[:rank].T @ ((U[:, :rank].T @ forces.load) / sigma[:rank])
        self.missed = float(np.linalg.norm(forces.G @ self.start - forces.load))
        self.Z = V[rank:].T  # (w, d)
        eye = np.eye(w)
        rows, kinds, depth = [], [], []
        within = {unknown for unknown, _, coefficient, _ in forces.cones if coefficient > 0.0}
        for j in forces.pressing:
            if j not in within:
                rows.append(eye[j])
                depth.append(1.0)
        kinds += [("nonnegative", len(rows))] if rows else []
        for j, part, coefficient, _ in forces.cones:
            rows += [coefficient * eye[j], *eye[list(part)]]
            depth += [1.0, *(0.0 for _ in part)]
            kinds.append(("second order", 1 + len(part)))
        self.table = np.array(rows).reshape(len(rows), w)
        self.kinds, self.depth = kinds, np.array(depth)

    def margin(self, accepted: float = COARSE) -> float:
        """Return the greatest σ ≤ 1 by which all cones can be kept at a distance. Raises SolverError.

        `accepted` is the distance of program and dual that is accepted.
        """
        d = self.Z.shape[1]
        A = np.column_stack([self.table @ self.Z, -self.depth])
        A = np.vstack([np.append(np.zeros(d), -1.0), A])
        b = np.append(1.0, self.table @ self.start)
        y, _ = _solved(np.append(np.zeros(d), -1.0), -A, b, [("nonnegative", 1), *self.kinds], accepted)
        return float(y[-1])

    def greatest(self, c: Array) -> tuple[float, float]:
        """Return the greatest c·w (c: (w,)) and how far program and dual are apart. Raises SolverError."""
        along = self.Z.T @ c
        base = float(c @ self.start)
        length = float(np.linalg.norm(along))
        if length <= 1e-12 * max(1.0, float(np.linalg.norm(c))):
            return base, 0.0
        q, b = -along / length, self.table @ self.start
        A = -self.table @ self.Z
        y, gap = _solved(q, A, b, self.kinds)
        return base - length * float(q @ y), length * gap

    def unbounded(self, c: Array) -> bool:
        """Return whether c·w grows without bound: along a direction of the cones with G w = 0 in the unit box."""
        along = self.Z.T @ c
        length = float(np.linalg.norm(along))
        if length <= 1e-12 * max(1.0, float(np.linalg.norm(c))):
            return False
        d = self.Z.shape[1]
        A = np.vstack([-self.table @ self.Z, np.zeros((1, d)), np.eye(d)])
        b = np.concatenate([np.zeros(len(self.table)), [1.0], np.zeros(d)])
        kinds = [*self.kinds, ("second order", d + 1)]
        y, _ = _solved(-along / length, A, b, kinds)
        return float(along @ y) / length > 1e-6


def _solved(
    q: Array, A: Array, b: Array, kinds: list[tuple[str, int]], accepted: float = COARSE
) -> tuple[Array, float]:
    """Minimise q·y with b − A y in the cones; return y and the distance of program and dual, as a bound on its error.

    Where that is more than wanted, the program is solved again about y in a unit of the size of what is missing, which
    changes the right side only, as the cones have no unit. Raises SolverError where no answer comes near its dual.
    """
    y, zero = np.zeros(len(q)), sp.csc_matrix((len(q), len(q)))
    best, least, unit = y, np.inf, 1.0
    for _ in range(REFINEMENTS):
        status, step, z = conic(zero, q, A, (b - A @ y) / unit, kinds)
        if status not in ENDED or not np.all(np.isfinite(step)):
            break
        trial = y + unit * step
        gap = abs(float(q @ trial + b @ z)) + float(np.linalg.norm(q + A.T @ z)) * float(np.linalg.norm(trial))
        if gap < least:
            best, least = trial, gap
        if least <= FINE:
            break
        y, unit = best, max(unit * 1e-2, least)
    if least > accepted * max(1.0, float(np.linalg.norm(best))):
        raise SolverError(
            f"the second-order cone program for contact forces ended with {status}, {least:.2g} from its dual."
        )
    return best, least


def cone_forces(problem: ContactProblem, a: object) -> ContactForces:
    """Return the ranges of all contact forces that give the acceleration a (n,) in space.

    Two second-order cone programs for each component; `accuracy` is the largest distance of a program from its dual,
    relative to M a − f (about 1e-10 where the set of forces has inner points). Turn the axes with
    `problem.turned(angles)` for components along other directions. Raises InputError where the constraints or the law
    of friction do not admit a, SolverError where Clarabel does not solve a program.
    """
    forces = cone_set(problem, a)
    programs = ConePrograms(forces)
    margin = programs.margin() if programs.missed <= FITS else -1.0
    if margin < -FITS:
        raise InputError(
            "no contact forces within Coulomb's law give this acceleration in space: the cones of friction are missed"
            f" by {-margin:.3g} of M a − f, or the rows carry no such force. required_coefficient says what"
            " friction the contacts need."
        )
    low, high, gap = _ends(programs)
    ends = np.column_stack([low, high]) * forces.units[:, None]
    m, k = len(problem.gamma), problem.k
    tangential, resisting, place = np.zeros((k, 2, 2)), [], m + k
    for friction in forces.frictions:
        d = len(friction.rows)
        own = ends[place : place + d]
        place += d
        if friction.kind == "sliding":
            tangential[friction.contact, np.any(problem.T[friction.contact] != 0.0, axis=1)] = own
        else:
            resisting.append((f"{friction.kind} at {problem.names[friction.contact]}", own))
    return ContactForces(
        a=vector(a, len(problem.f), "a"),
        names=problem.names,
        rows=problem.rows,
        coordinates=problem.coordinates,
        normal=ends[m : m + k],
        tangential=tangential,
        bilateral=ends[:m],
        modes=_modes(problem, forces),
        freedom=programs.Z.shape[1] if margin > INNER else None,
        accuracy=gap,
        load=forces.size if np.any(forces.load[: len(problem.f)]) else 0.0,
        at_limit=np.zeros(k),
        resistances=tuple(resisting),
        margin=min(margin, 1.0),
    )


def _modes(problem: ContactProblem, forces: ConeSet) -> tuple[str, ...]:
    """Return what each contact (k,) does at the acceleration of a set of forces."""
    sticks = {forces.pressing.index(j) for j, _, _, sliding in forces.cones if sliding}
    closed = np.flatnonzero(forces.closed).tolist()
    held = {closed[place] for place in sticks}
    return tuple(OPEN if not shut else STICK if i in held else SLIP for i, shut in enumerate(forces.closed))


def _ends(programs: ConePrograms) -> tuple[Array, Array, float]:
    """Return the least and greatest of each relative force x (r,), and the largest disagreement of the programs."""
    R = programs.forces.R
    ends, gaps = np.zeros((2, len(R))), np.zeros((2, len(R)))
    for row, c in enumerate(R):
        if not np.any(c):
            continue
        for side, sign in ((0, -1.0), (1, 1.0)):
            if programs.unbounded(sign * c):
                ends[side, row] = sign * np.inf
                continue
            value, gaps[side, row] = programs.greatest(sign * c)
            ends[side, row] = sign * value
    ends[np.abs(ends) <= np.maximum(gaps, 1e-12)] = 0.0
    return ends[0], ends[1], float(np.max(gaps, initial=0.0))
