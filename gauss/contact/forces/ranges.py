"""Which contact forces one acceleration determines, and between which values the others lie.

All forces that give an acceleration within Coulomb's law are one polyhedron (`gauss.contact.forces.force_sets`), so
that two linear programs give the range of each normal force, friction force, bilateral multiplier and resultant, for
any number of contacts. Its affine hull says what is determined: the rays that carry nothing in any member are left
out, and the combinations of the others that vanish are the directions in which the forces are free.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gauss.contact.coulomb import FrictionProblem
from gauss.contact.forces.force_sets import ForceSet, Scaled, force_sets
from gauss.contact.modes import solve_friction
from gauss.contact.solutions import FrictionVerdict
from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags
from gauss.principle.reduction import RANK_TOLERANCE
from gauss.uniqueness.ranges import SMALL, Bundle, ranges, splitting, vanishing, within

ZERO = 1e-12  # ends of ranges below this share of the whole load are zero


@dataclass(frozen=True)
class GroupForce:
    """What the contacts of a group exert together: the range of each component of Σ (Nᵀp + Tᵀt)."""

    name: str
    contacts: tuple[str, ...]
    force: Array  # (n, 2) least and greatest generalised force on each coordinate
    normal: Array  # (2,) of the sum of normal forces
    determined: Flags  # (n,)

    @property
    def unique(self) -> bool:
        """Whether force and moment of the group are determined."""
        return bool(np.all(self.determined))


@dataclass(frozen=True)
class ContactForces:
    """The forces that give one acceleration: ranges (…, 2) from the least to the greatest value, ±inf if unbounded."""

    a: Array  # (n,) the acceleration
    names: tuple[str, ...]  # (k,) contacts
    rows: tuple[str, ...]  # (m,) bilateral rows
    coordinates: tuple[str, ...]  # (n,)
    normal: Array  # (k, 2) N
    tangential: Array  # (k, 2) N
    bilateral: Array  # (m, 2)
    modes: tuple[str, ...]  # (k,) "separate", "stick", "slip+" or "slip−" at this acceleration
    at_limit: Array  # (k,) ±1 where a sticking contact has t = ±μ_s p whatever the forces are, 0 elsewhere
    freedom: int  # dimension of the set of forces
    pieces: int  # 1; more where contacts held from both sides leave both signs of p
    linked: tuple[tuple[str, ...], ...]  # the smallest sets of contacts and rows whose undetermined forces balance
    groups: tuple[GroupForce, ...]
    accuracy: float  # of the ranges, relative to the whole load; inf if a linear program found no certified answer
    load: float  # that whole load M a − f, √kg m/s² (in the metric of M); 0 if there is none

    @property
    def unique(self) -> bool:
        """Whether all forces are determined."""
        return self.freedom == 0 and self.pieces == 1

    @property
    def wedged(self) -> bool:
        """Whether contacts can press on one another without bound: forces that are in balance without any load."""
        return not bool(np.all(np.isfinite(np.concatenate([self.normal, self.tangential]))))

    @property
    def squeezed(self) -> tuple[str, ...]:
        """The contacts whose forces are not bounded."""
        ends = np.hstack([self.normal, self.tangential])
        return tuple(name for name, row in zip(self.names, ends, strict=True) if not np.all(np.isfinite(row)))

    def range_of(self, contact: str, what: str = "normal") -> tuple[float, float]:
        """Return the least and greatest value of a force: "normal" or "tangential" of a contact, "bilateral" of a row.

        Raises InputError for unknown names.
        """
        tables = {"normal": self.normal, "tangential": self.tangential, "bilateral": self.bilateral}
        if what not in tables:
            raise InputError(f"what must be one of {', '.join(map(repr, tables))}, got {what!r}.")
        known = self.rows if what == "bilateral" else self.names
        if contact not in known:
            raise InputError(f"{contact!r} is none of {', '.join(map(repr, known)) or 'no names'}.")
        low, high = tables[what][known.index(contact)]
        return float(low), float(high)

    def group(self, name: str) -> GroupForce:
        """Return a group by its name. Raises InputError for unknown names."""
        for group in self.groups:
            if group.name == name:
                return group
        raise InputError(f"no group is called {name!r}; there are {', '.join(repr(g.name) for g in self.groups)}.")

    @property
    def sentence(self) -> str:
        """What is determined and what is not, in words."""
        if not self.names and not self.rows:
            return "no contact is closed: there are no contact forces."
        if self.unique:
            return f"all contact forces are determined{self._limits()}."
        open_n = [n for n, (low, high) in zip(self.names, self.normal, strict=True) if low < high]
        open_t = [n for n, (low, high) in zip(self.names, self.tangential, strict=True) if low < high]
        open_r = [n for n, (low, high) in zip(self.rows, self.bilateral, strict=True) if low < high]
        kinds = (("the normal forces at", open_n), ("the friction forces at", open_t), ("the multipliers of", open_r))
        text = "not determined: " + "; ".join(f"{word} {_listed(names)}" for word, names in kinds if names)
        if self.names and not open_n:
            text += ". All normal forces are determined"
        if self.linked:
            text += ". Determined is the total force of " + ", of ".join(" + ".join(map(repr, s)) for s in self.linked)
        if self.wedged:
            text += (
                f". Wedged: {_listed(self.squeezed)} may press with forces of any size, which are in balance without"
                " any load; what they are depends on how the contacts were brought together"
            )
        if self.pieces > 1:
            text += ". Contacts held from both sides may be pushed or pulled: ranges span both"
        if not np.isfinite(self.accuracy):
            text += ". A linear program failed: ranges that are infinite may be wider than need be"
        return text + self._limits() + "."

    def _limits(self) -> str:
        names = [name for name, s in zip(self.names, self.at_limit, strict=True) if s]
        return f". Friction is at its limit at {_listed(names)}" if names else ""

    def __str__(self) -> str:
        lines: list[tuple[str, ...]] = [("force", "from", "to")]
        for name, p, t in zip(self.names, self.normal, self.tangential, strict=True):
            lines += [(f"{name}: p", *map(_number, p)), (f"{name}: t", *map(_number, t))]
        lines += [(f"{name}: λ", *map(_number, x)) for name, x in zip(self.rows, self.bilateral, strict=True)]
        for group in self.groups:
            lines.append((f"{group.name}: Σp", *map(_number, group.normal)))
            for c, row in zip(self.coordinates, group.force, strict=True):
                if np.any(row):
                    lines.append((f"{group.name} on {c}", *map(_number, row)))
        width = [max(len(line[j]) for line in lines) for j in range(3)]
        table = ["  ".join([line[0].ljust(width[0]), *(line[j].rjust(width[j]) for j in (1, 2))]) for line in lines]
        return "\n".join([*table, self.sentence])


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


def _number(x: float) -> str:
    return f"{x:.9g}"


def contact_forces(
    source: FrictionProblem | FrictionVerdict,
    a: object = None,
    *,
    groups: Mapping[str, Sequence[str]] | None = None,
) -> ContactForces:
    """Return the ranges of all contact forces, friction forces and multipliers that give one acceleration.

    `source` is a problem of friction, or the verdict on one; `a` (n,) the acceleration, which may be left out where it
    is unique. With many contacts, whose modes cannot be enumerated, it has to be given: zeros for bodies that stay at
    rest. `groups` names sets of contacts whose resultant is wanted, as {"floor": ["left", "right"]}. Ends of ranges are
    those of linear programs, recomputed from the vertex and the dual vertex; `accuracy` is their disagreement.

    Raises InputError where a is not admitted by the constraints or by the law of friction (no forces give it), where it
    is not unique and none is given, and for unknown names in the groups.
    """
    problem, given = _chosen(source, a)
    if not isinstance(groups, Mapping | None):
        raise InputError(f"groups must be a dictionary such as {{'floor': ['left', 'right']}}, got {groups!r}.")
    members = {name: _members(problem, name, names) for name, names in (groups or {}).items()}
    every = force_sets(problem, given)
    found = [s for s in every if s.start is not None]
    if not found:
        missed = min(s.missed for s in every)
        raise InputError(
            f"no contact forces within Coulomb's law give the acceleration {np.asarray(given).tolist()}: the nearest"
            f" miss M a − f by {missed:.3g} of it. required_coefficient says how frictional the contacts must be."
        )
    scaled = found[0].scaled
    functionals, spread = _functionals(problem, scaled, members)
    parts = [_ranged(s, functionals) for s in found]
    return _assembled(problem, scaled, found, parts, spread, members)


def _chosen(source: FrictionProblem | FrictionVerdict, a: object) -> tuple[FrictionProblem, object]:
    """Return the problem and the acceleration that is meant. Raises InputError where it is not unique."""
    if not isinstance(source, FrictionProblem | FrictionVerdict):
        raise InputError(
            f"contact_forces expects a FrictionProblem or a FrictionVerdict, got {type(source).__name__}; see"
            " gauss.contact.friction_problem."
        )
    if a is not None:
        return (source if isinstance(source, FrictionProblem) else source.problem), a
    verdict = source if isinstance(source, FrictionVerdict) else solve_friction(source)
    if verdict.verdict != "one":
        raise InputError(
            f"the acceleration is not {'known to be ' if verdict.unproved else ''}unique (verdict: {verdict.verdict}"
            f"{_because(verdict)}), so it has to be said which is meant: pass a, one of verdict.accelerations."
        )
    return verdict.problem, verdict.accelerations[0]


def _because(verdict: FrictionVerdict) -> str:
    return f"; {verdict.unproved}" if verdict.unproved else ""


def _members(problem: FrictionProblem, group: str, names: Sequence[str]) -> list[int]:
    """Return the contacts of a group as indices. Raises InputError for names that are no contacts."""
    wanted = [names] if isinstance(names, str) else list(names) if isinstance(names, Iterable) else []
    unknown = [name for name in wanted if name not in problem.names]
    if unknown or not wanted:
        raise InputError(
            f"the group {group!r} names {_listed(unknown) or 'nothing'}; closed contacts are {_listed(problem.names)}."
        )
    return [problem.names.index(name) for name in wanted]


def _functionals(problem: FrictionProblem, scaled: Scaled, members: Mapping[str, list[int]]) -> tuple[Array, Array]:
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
    problem: FrictionProblem,
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
    problem: FrictionProblem, found: list[ForceSet], parts: list[_Ranged], m: int
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
