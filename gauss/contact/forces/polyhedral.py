"""Ranges of contact forces in the plane, for one acceleration: linear programs over one polyhedron.

All forces that give an acceleration within Coulomb's law are one polyhedron (`gauss.contact.forces.force_sets`), so
that two linear programs give the range of each normal force, friction force, bilateral multiplier and resultant, for
any number of contacts. Its affine hull says what is determined: the rays that carry nothing in any member are left
out, and the combinations of the others that vanish are the directions in which the forces are free.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gauss.contact.forces.force_sets import ForceSet, Scaled, force_sets
from gauss.contact.forces.record import ContactForces, GroupForce
from gauss.contact.problem import ContactProblem
from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.principle.rank import RANK_TOLERANCE
from gauss.uniqueness.ranges import SMALL, Bundle, ranges, splitting, vanishing, within

ZERO = 1e-12  # ends of ranges below this share of the whole load are zero


def polyhedral_forces(problem: ContactProblem, a: object, members: Mapping[str, list[int]]) -> ContactForces:
    """Return the ranges of all forces that give an acceleration a (n,); `members` are contacts (indices) of groups."""
    every = force_sets(problem, a)
    found = [s for s in every if s.start is not None]
    if not found:
        missed = min(s.missed for s in every)
        raise InputError(
            f"no contact forces within Coulomb's law give the acceleration {np.asarray(a).tolist()}: the nearest"
            f" miss M a − f by {missed:.3g} of it. required_coefficient says how frictional the contacts must be."
        )
    scaled = found[0].scaled
    functionals, spread = _functionals(problem, scaled, members)
    parts = [_ranged(s, functionals) for s in found]
    return _assembled(problem, scaled, found, parts, spread, members)


def _functionals(problem: ContactProblem, scaled: Scaled, members: Mapping[str, list[int]]) -> tuple[Array, Array]:
    """Return functionals (c, m + 2k) of the relative forces x, of size one, and what turns them into units (c,).

    First the forces themselves, then for each group Σ p and the generalised force on each coordinate.
    """
    m, k, n = scaled.m, problem.k, len(problem.f)
    rows, units = [np.eye(m + 2 * k)], [scaled.units]
    for chosen in members.values():
        table = np.zeros((1 + n, m + 2 * k))
        for i in chosen:
            table[0, m + i] = scaled.units[m + i]
            table[1:, m + i] = problem.N[i] * scaled.units[m + i]
            table[1:, m + k + i] = problem.T[i] * scaled.units[m + k + i]
        top = np.max(np.abs(table), axis=1)
        top = np.where(top > 0.0, top, 1.0)
        rows.append(table / top[:, None])
        units.append(top)
    return np.vstack(rows), np.concatenate(units)


@dataclass(frozen=True)
class _Ranged:
    """Ranges of the functionals over one set of forces."""

    low: Array  # (c,)
    high: Array  # (c,)
    ray: Array  # (w,) greatest weight of each ray
    free: Array  # (w, d) directions in which the forces are free
    accuracy: float


def _ranged(forces: ForceSet, functionals: Array) -> _Ranged:
    """Return the ranges of functionals (c, m + 2k) over a set of forces that has a member."""
    assert forces.start is not None
    null, blur = vanishing(np.ascontiguousarray(forces.G.T), RANK_TOLERANCE)
    start = forces.start
    map_, base = functionals @ forces.Q, functionals @ forces.offset
    along = map_ @ null
    along[np.abs(along) <= SMALL * np.max(np.abs(map_), axis=1, initial=0.0)[:, None]] = 0.0
    w = len(start)
    bundle = Bundle(
        np.concatenate([start, base + map_ @ start]),
        np.vstack([null, along]),
        np.concatenate([forces.sign, np.zeros(len(functionals))]),
    )
    low, high, gap = ranges(bundle)
    fixed = high - low <= SMALL
    low[fixed] = high[fixed] = bundle.start[fixed]
    free = within(null, fixed[:w])
    low, high = (np.where(np.abs(ends) <= ZERO, 0.0, ends) for ends in (low, high))
    return _Ranged(low[w:], high[w:], high[:w], free, max(gap, blur))


def _assembled(
    problem: ContactProblem,
    scaled: Scaled,
    found: list[ForceSet],
    parts: list[_Ranged],
    spread: Array,
    members: Mapping[str, list[int]],
) -> ContactForces:
    """Return the ranges over all sets together, in units."""
    m, k, n = scaled.m, problem.k, len(problem.f)
    low = np.min([part.low for part in parts], axis=0) * spread
    high = np.max([part.high for part in parts], axis=0) * spread
    ends = np.column_stack([low, high])
    determined = (high - low) / spread <= SMALL
    groups, place = [], m + 2 * k
    for name, chosen in members.items():
        force = ends[place + 1 : place + 1 + n]
        names = tuple(problem.names[i] for i in chosen)
        groups.append(GroupForce(name, names, force, ends[place], determined[place + 1 : place + 1 + n]))
        place += 1 + n
    distinct = len(parts) if np.any(~determined[: m + 2 * k]) else 1
    return ContactForces(
        a=scaled.a,
        names=problem.names,
        rows=problem.rows,
        coordinates=problem.coordinates,
        normal=ends[m : m + k],
        tangential=ends[m + k : m + 2 * k],
        bilateral=ends[:m],
        modes=scaled.modes,
        at_limit=_limits(found, parts, m, k),
        freedom=max(part.free.shape[1] for part in parts),
        pieces=distinct,
        linked=_linked(problem, found, parts, m),
        groups=tuple(groups),
        accuracy=max(part.accuracy for part in parts),
        load=scaled.size if np.any(scaled.load) else 0.0,
    )


def _limits(found: list[ForceSet], parts: list[_Ranged], m: int, k: int) -> Array:
    """Return ±1 (k,) where of the two rays of a sticking contact one carries nothing in any set, and the other does."""
    result = np.zeros((len(found), k))
    for j, (forces, part) in enumerate(zip(found, parts, strict=True)):
        for i in range(k):
            pair = np.flatnonzero((forces.owner == m + i) | (forces.owner == m + k + i))
            if len(pair) == 2:
                carried = part.ray[pair] > SMALL
                result[j, i] = np.sign(float(carried[0]) - float(carried[1]))
    same = np.all(result == result[0], axis=0)
    return np.where(same, result[0], 0.0)


def _linked(
    problem: ContactProblem, found: list[ForceSet], parts: list[_Ranged], m: int
) -> tuple[tuple[str, ...], ...]:
    """Return the finest sets of contacts and rows into which the free directions split, over all sets of forces."""
    names = np.array([*problem.rows, *problem.names], dtype=object)
    sets: list[set[int]] = []
    for forces, part in zip(found, parts, strict=True):
        for group in splitting(part.free):
            fresh = set(np.where(forces.owner < m + problem.k, forces.owner, forces.owner - problem.k)[group].tolist())
            for other in [s for s in sets if s & fresh]:
                sets.remove(other)
                fresh |= other
            sets.append(fresh)
    return tuple(tuple(names[sorted(s)].tolist()) for s in sorted(sets, key=min))
