"""The forces that give one acceleration at the contacts of one state: their ranges, and what they say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags
from gauss.foundation.outcomes import Shown

POINT = 1e-7  # ranges in space narrower than this share of the largest force are points


@dataclass(frozen=True, repr=False)
class GroupForce(Shown):
    """What the contacts of a group exert together: the range of each component of Σ (Nᵀp + Tᵀt).

    >>> import gauss as g
    >>> smooth = {"nu": [0] * 3, "T": [[0, 0]] * 3, "tau": [0] * 3, "coefficient": [0] * 3}
    >>> names = ["left", "middle", "right"]
    >>> beam = g.contact.ContactProblem.of([[3, 0], [0, 1]], [-30, 0], [[1, -1], [1, 0], [1, 1]], **smooth, names=names)
    >>> group = g.contact.contact_forces(beam, groups={"all legs": names}).groups[0]
    >>> group.unique, group.normal.round(6).tolist()  # N: what they bear together is the weight
    (True, [30.0, 30.0])
    """

    name: str
    contacts: tuple[str, ...]
    force: Array  # (n, 2) least and greatest generalised force on each coordinate
    normal: Array  # (2,) of the sum of normal forces
    determined: Flags  # (n,)

    @property
    def unique(self) -> bool:
        """Whether force and moment of the group are determined."""
        return bool(np.all(self.determined))


@dataclass(frozen=True, repr=False)
class ContactForces(Shown):
    """The forces that give one acceleration: ranges (…, 2) from the least to the greatest value, ±inf if unbounded."""

    a: Array  # (n,) the acceleration
    names: tuple[str, ...]  # (k,) contacts
    rows: tuple[str, ...]  # (m,) bilateral rows
    coordinates: tuple[str, ...]  # (n,)
    normal: Array  # (k, 2) N
    tangential: Array  # (k, 2) N; in space (k, 2, 2), of each component along the tangent axes of the problem
    bilateral: Array  # (m, 2)
    modes: tuple[str, ...]  # (k,) "open", "stick", "slip+" or "slip−", in space "slip", at this acceleration
    freedom: int | None  # dimension of the set of forces; None in space where it has no inner points
    accuracy: float  # of the ranges, relative to the whole load; inf if a linear program found no certified answer
    load: float  # that whole load M a − f, √kg m/s² (in the metric of M); 0 if there is none
    at_limit: Array  # (k,) ±1 where a sticking contact has t = ±μ_s p whatever the forces are, else 0; 0 in space
    pieces: int = 1  # more where contacts held from both sides leave both signs of p
    linked: tuple[tuple[str, ...], ...] = ()  # the smallest sets of contacts and rows whose open forces balance
    groups: tuple[GroupForce, ...] = ()
    resistances: tuple[tuple[str, Array], ...] = ()  # kind and contact, with the ranges (d, 2) of the moment, N m
    spanned: bool = True  # False where pins at rest share a load: ranges without ends may be wider than need be
    margin: float = np.nan  # in space: greatest least slack μ p − |t| of all contacts, relative to the load; at most 1

    @property
    def unique(self) -> bool:
        """Whether all forces are determined; in space up to the accuracy of the ranges."""
        if self.freedom is not None:
            return self.freedom == 0 and self.pieces == 1
        ends = np.vstack([self._ends, self.bilateral])
        top = float(np.max(np.abs(ends), initial=0.0))
        return bool(np.isfinite(top) and np.all(ends[:, 1] - ends[:, 0] <= POINT * max(top, 1e-300)))

    @property
    def _ends(self) -> Array:
        """The ranges of all contact forces and moments, one below the other."""
        return np.vstack([self.normal, self.tangential.reshape(-1, 2), *(ends for _, ends in self.resistances)])

    @property
    def wedged(self) -> bool:
        """Whether contacts can press on one another without bound: forces that are in balance without any load."""
        return not bool(np.all(np.isfinite(self._ends)))

    @property
    def squeezed(self) -> tuple[str, ...]:
        """The contacts whose forces are not bounded."""
        ends = np.hstack([self.normal, self.tangential.reshape(len(self.names), -1)])
        return tuple(name for name, row in zip(self.names, ends, strict=True) if not np.all(np.isfinite(row)))

    def range_of(self, contact: str, what: str = "normal") -> tuple[float, float]:
        """Return the least and greatest value of a force: "normal" or "tangential" of a contact, "bilateral" of a row.

        In space "tangential" is the first component, "across" the second. Raises InputError for unknown names.
        """
        tables = {"normal": self.normal, "tangential": self.tangential, "bilateral": self.bilateral}
        if self.tangential.ndim == 3:
            tables |= {"tangential": self.tangential[:, 0], "across": self.tangential[:, 1]}
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
        along = self.tangential.reshape(len(self.names), -1, 2)
        open_t = [n for n, ends in zip(self.names, along, strict=True) if np.any(ends[:, 0] < ends[:, 1])]
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
        if not self.spanned:
            text += ". Dry pins at rest share the load: ranges that are infinite may be wider than need be"
        if self.freedom is None:
            text += ". Friction is at its limit, and the ranges are less accurate"
        if not np.isfinite(self.accuracy):
            text += ". A linear program failed: ranges that are infinite may be wider than need be"
        return text + self._limits() + "."

    def _limits(self) -> str:
        names = [name for name, s in zip(self.names, self.at_limit, strict=True) if s]
        return f". Friction is at its limit at {_listed(names)}" if names else ""

    def _in_a_line(self) -> str:
        return self.sentence

    def __str__(self) -> str:
        lines: list[tuple[str, ...]] = [("force", "from", "to")]
        for name, p, t in zip(self.names, self.normal, self.tangential, strict=True):
            lines += [(f"{name}: p", *map(_number, p)), *((f"{name}: t", *map(_number, x)) for x in np.atleast_2d(t))]
        for label, ends in self.resistances:
            lines += [(label, *map(_number, x)) for x in ends]
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
