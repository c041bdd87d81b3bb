"""What is watched of rough contacts in a segment: slip velocities, loads, margins of sticking."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gauss.foundation.arrays import Array
from gauss.motion.contacts.friction import Holding, Rough


@dataclass(frozen=True)
class Grip:
    """Functions of rough contacts that are positive until a contact changes its mode."""

    rough: Rough | None
    holding: Holding
    rows: tuple[int, ...]  # in force
    sliding: tuple[int, ...]  # contacts
    sided: tuple[int, ...]  # sliding contacts that are held from both sides and loaded
    sticking: tuple[int, ...]  # contacts whose forces the rows in force determine

    @staticmethod
    def of(rough: Rough | None, holding: Holding | None, rows: tuple[int, ...]) -> Grip:
        """Choose what is watched."""
        if rough is None or holding is None:
            return Grip(None, Holding(), rows, (), (), ())
        unilateral = rough.system.model.unilateral
        sliding = tuple(j for j, mode in holding.modes.items() if mode != "stick" and _friction(rough, j))
        loaded = {slide.contact for slide in holding.slides if slide.normal is not None}
        sided = tuple(j for j in sliding if j in loaded and rough.normal[j] not in unilateral)
        sticking = () if holding.shared is not None else tuple(holding.sticking())
        return Grip(rough, holding, rows, sliding, sided, sticking)

    @property
    def sharing(self) -> tuple[int, ...]:
        """The normal rows whose forces are shared out."""
        return () if self.holding.shared is None else self.holding.shared.rows

    @cached_property
    def forces(self) -> bool:
        """Whether contact forces are watched."""
        return bool(self.sided or self.sticking) or self.holding.shared is not None

    @cached_property
    def watched(self) -> tuple[tuple[str, int], ...]:
        """What each function is of: kind and contact."""
        return (
            *(("slip", j) for j in self.sliding),
            *(("side", j) for j in self.sided),
            *(("stick", j) for j in self.sticking),
            *((("shared", -1),) if self.holding.shared is not None else ()),
        )

    @cached_property
    def gripping(self) -> tuple[int, ...]:
        """Places among `watched` of sticking contacts that are held from both sides."""
        rough = self.rough
        if rough is None:
            return ()
        both = [
            rough.normal[j] is not None and rough.normal[j] not in rough.system.model.unilateral
            for j in range(len(rough.normal))
        ]
        return tuple(i for i, (kind, j) in enumerate(self.watched) if kind == "stick" and both[j])

    def loads(self, multipliers: Array) -> Array:
        """Return the normal forces of the contacts that are `gripping`, of the multipliers of the rows in force."""
        assert self.rough is not None
        places = (self.rows.index(_row(self.rough, self.watched[i][1])) for i in self.gripping)
        return np.array([float(multipliers[place]) for place in places])

    def values(self, x: Array, psi: Array | None, multipliers: Array | None) -> Array:
        """Return all functions at a state, of its velocity residuals (m,) and the multipliers of the rows in force."""
        rough = self.rough
        assert rough is not None
        found: list[float] = []
        if psi is not None:
            ways = {slide.contact: slide for slide in self.holding.slides if slide.across is not None}
            for j in self.sliding:
                s = float(psi[rough.slip[j]])
                across = ways[j].across if j in ways else None
                found.append(
                    self._sign(j) * s if across is None else s * ways[j].way[0] + float(psi[across]) * ways[j].way[1]
                )
        if multipliers is not None:
            load = {k: float(p) for k, p in zip(self.rows, multipliers, strict=True)}
            sides = {slide.contact: self._sign(slide.contact) * slide.c for slide in self.holding.slides}
            for j in self.sided:
                found.append(float(np.sign(sides[j])) * load[_row(rough, j)])
            for j in self.sticking:
                contact = rough.model.contacts[j]
                limit = float(contact.static or 0.0) * self._load(j, load)
                found.append(limit - math.hypot(*(load[k] for k in rough.slips(j))))
            if self.holding.shared is not None:
                found.append(self.holding.shared.best(x, self.rows, multipliers)[1])
        return np.array(found)

    def sizes(self, speeds: Array, forces: Array) -> Array:
        """Return the natural size of each function, given those of the rows' velocities and multipliers (m,)."""
        rough = self.rough
        assert rough is not None
        rows = self.sharing
        return np.array(
            [
                *(max(speeds[k] for k in rough.slips(j)) for j in self.sliding),
                *(forces[_row(rough, j)] for j in self.sided),
                *(max(forces[k] for k in rough.slips(j)) for j in self.sticking),
                *([float(np.max(forces[list(rows)]))] if rows else []),
            ]
        )

    def _load(self, j: int, load: dict[int, float]) -> float:
        """Return p of a contact that sticks, |p| where it is held from both sides, |λ| of a pin, 1 with a limit."""
        assert self.rough is not None
        if j in self.rough.pins:
            return math.hypot(*(load[k] for k in self.rough.pins[j]))
        if self.rough.normal[j] is None:
            return 1.0
        p = load[_row(self.rough, j)]
        return p if self.rough.normal[j] in self.rough.system.model.unilateral else abs(p)

    def _sign(self, j: int) -> float:
        return 1.0 if self.holding.modes[j] == "slip+" else -1.0


def _row(rough: Rough, j: int) -> int:
    row = rough.normal[j]
    assert row is not None
    return row


def _friction(rough: Rough, j: int) -> bool:
    """Whether a contact has any friction."""
    return (rough.model.contacts[j].static or 0.0) > 0.0
