"""Switching functions of frictional contacts in a segment: slip velocities, loads, margins of sticking."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gauss.foundation.arrays import Array
from gauss.model import FrictionalContact, System
from gauss.motion.contacts.friction import ContactModes


@dataclass(frozen=True)
class Switching:
    """Functions of frictional contacts that are positive until a contact changes its mode."""

    contacts: tuple[FrictionalContact, ...]
    unilateral: tuple[int, ...]  # rows
    modes: ContactModes
    rows: tuple[int, ...]  # in force
    sliding: tuple[int, ...]  # contacts
    sided: tuple[int, ...]  # sliding contacts that are held from both sides and loaded
    sticking: tuple[int, ...]  # contacts whose forces the rows in force determine

    @staticmethod
    def of(system: System, modes: ContactModes, rows: tuple[int, ...]) -> Switching:
        """Choose what is watched."""
        contacts, unilateral = system.contacts, system.model.unilateral
        sliding = tuple(j for j, mode in modes.modes.items() if mode != "stick" and contacts[j].static > 0.0)
        loaded = {slide.contact for slide in modes.slides if slide.normal is not None}
        sided = tuple(j for j in sliding if j in loaded and contacts[j].normal not in unilateral)
        sticking = () if modes.shared is not None else tuple(modes.sticking())
        return Switching(contacts, unilateral, modes, rows, sliding, sided, sticking)

    @property
    def sharing(self) -> tuple[int, ...]:
        """The normal rows whose forces are shared out."""
        return () if self.modes.shared is None else self.modes.shared.rows

    @cached_property
    def forces(self) -> bool:
        """Whether contact forces are watched."""
        return bool(self.sided or self.sticking) or self.modes.shared is not None

    @cached_property
    def watched(self) -> tuple[tuple[str, int], ...]:
        """What each function is of: kind and contact."""
        return (
            *(("slip", j) for j in self.sliding),
            *(("side", j) for j in self.sided),
            *(("stick", j) for j in self.sticking),
            *((("shared", -1),) if self.modes.shared is not None else ()),
        )

    @cached_property
    def two_sided(self) -> tuple[int, ...]:
        """Places among `watched` of sticking contacts that are held from both sides."""
        held = [c.normal is not None and c.normal not in self.unilateral for c in self.contacts]
        return tuple(i for i, (kind, j) in enumerate(self.watched) if kind == "stick" and held[j])

    def loads(self, multipliers: Array) -> Array:
        """Return the normal forces of the contacts that are `two_sided`, of the multipliers of the rows in force."""
        rows = (self.contacts[self.watched[i][1]].load[0] for i in self.two_sided)
        return np.array([float(multipliers[self.rows.index(row)]) for row in rows])

    def values(self, x: Array, psi: Array | None, multipliers: Array | None) -> Array:
        """Return all functions at a state, of its velocity residuals (m,) and the multipliers of the rows in force."""
        found: list[float] = []
        if psi is not None:
            ways = {slide.contact: slide.way for slide in self.modes.slides if slide.across is not None}
            for j in self.sliding:
                slip = psi[list(self.contacts[j].slip)]
                found.append(float(slip @ ways[j]) if j in ways else self._sign(j) * float(slip[0]))
        if multipliers is not None:
            force = {k: float(p) for k, p in zip(self.rows, multipliers, strict=True)}
            sides = {slide.contact: self._sign(slide.contact) * slide.c for slide in self.modes.slides}
            for j in self.sided:
                found.append(float(np.sign(sides[j])) * force[self.contacts[j].load[0]])
            for j in self.sticking:
                contact = self.contacts[j]
                found.append(contact.static * self._load(j, force) - math.hypot(*(force[k] for k in contact.slip)))
            if self.modes.shared is not None:
                found.append(self.modes.shared.best(x, self.rows, multipliers)[1])
        return np.array(found)

    def sizes(self, speeds: Array, forces: Array) -> Array:
        """Return the natural size of each function, given those of the rows' velocities and multipliers (m,)."""
        rows, contacts = self.sharing, self.contacts
        return np.array(
            [
                *(max(speeds[k] for k in contacts[j].slip) for j in self.sliding),
                *(forces[contacts[j].load[0]] for j in self.sided),
                *(max(forces[k] for k in contacts[j].slip) for j in self.sticking),
                *([float(np.max(forces[list(rows)]))] if rows else []),
            ]
        )

    def _load(self, j: int, force: dict[int, float]) -> float:
        """Return p of a contact that sticks, |p| where it is held from both sides, |λ| of a pin, 1 with a limit."""
        load = self.contacts[j].load
        size = math.hypot(*(force[k] for k in load)) if load else 1.0
        return force[load[0]] if len(load) == 1 and load[0] in self.unilateral else size

    def _sign(self, j: int) -> float:
        return 1.0 if self.modes.modes[j] == "slip+" else -1.0
