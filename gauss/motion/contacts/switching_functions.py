"""Switching functions of frictional contacts in a segment: slip velocities, loads, margins of sticking."""

from __future__ import annotations

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
        if not contacts:
            return Switching(contacts, unilateral, modes, rows, (), (), ())
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
        """Return the normal forces (N, l) of the contacts that are `two_sided`, of multipliers (N, k) of the rows."""
        rows = (self.contacts[self.watched[i][1]].load[0] for i in self.two_sided)
        return multipliers[:, [self.rows.index(row) for row in rows]]

    def values(self, states: Array, psi: Array | None, multipliers: Array | None) -> Array:
        """Return all functions (N, w) at states, of velocity residuals (N, m) and multipliers (N, k) of the rows."""
        found: list[Array] = []
        if psi is not None:
            ways = {slide.contact: slide.way for slide in self.modes.slides if slide.across is not None}
            for j in self.sliding:
                slip = psi[:, list(self.contacts[j].slip)]
                found.append(slip @ np.array(ways[j]) if j in ways else self._sign(j) * slip[:, 0])
        if multipliers is not None:
            force = dict(zip(self.rows, multipliers.T, strict=True))
            sides = {slide.contact: self._sign(slide.contact) * slide.c for slide in self.modes.slides}
            for j in self.sided:
                found.append(np.sign(sides[j]) * force[self.contacts[j].load[0]])
            for j in self.sticking:
                contact = self.contacts[j]
                found.append(contact.static * self._load(j, force) - _size([force[k] for k in contact.slip]))
            shared = self.modes.shared
            if shared is not None:
                best = [shared.best(x, self.rows, each)[1] for x, each in zip(states, multipliers, strict=True)]
                found.append(np.array(best))
        return np.column_stack(found)

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

    def _load(self, j: int, force: dict[int, Array]) -> Array | float:
        """Return p of a contact that sticks, |p| where it is held from both sides, |λ| of a pin, 1 with a limit."""
        load = self.contacts[j].load
        if not load:
            return 1.0
        one_sided = len(load) == 1 and load[0] in self.unilateral
        return force[load[0]] if one_sided else _size([force[k] for k in load])

    def _sign(self, j: int) -> float:
        return 1.0 if self.modes.modes[j] == "slip+" else -1.0


def _size(parts: list[Array]) -> Array:
    """Return the length of vectors given by their components (N,), one or two."""
    return np.abs(parts[0]) if len(parts) == 1 else np.hypot(*parts)
