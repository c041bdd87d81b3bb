"""The ways on which a velocity leaves a singular position, on the branches of the germ of the constraint set."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gauss.foundation.arrays import Array
from gauss.uniqueness.germs.germ import Germ
from gauss.uniqueness.germs.motions import motions_at
from gauss.uniqueness.orders.ways import Way
from gauss.uniqueness.rows.combinations import complement

PARTING = 4  # power of G in F² − G⁴, whose two sheets F = ±G² have curvatures of their own
AMISS = 1e-9  # share of the speed by which a velocity may be off a branch: rounding of a velocity that was computed


@dataclass(frozen=True)
class Velocity:
    """A velocity, with the rate of the time as its last entry where the time is a coordinate of the branches."""

    v: Array  # (n,)
    timed: bool = False

    @staticmethod
    def of(v: Array, timed: bool) -> Velocity:
        """Return that of the coordinates, and of the time besides if `timed`."""
        return Velocity(np.append(v, 1.0) if timed else v, timed)

    def along(self, coordinates: tuple[int, ...]) -> Velocity:
        """Return that of some coordinates; zero where it is rounding of the others', the time's apart."""
        v = self.v
        own, counted = np.zeros(len(v)), v[: len(v) - self.timed]
        there = [j for j in coordinates if j < len(counted)]
        if np.max(np.abs(v[there]), initial=0.0) > AMISS * np.max(np.abs(counted), initial=0.0):
            own[there] = v[there]
        if len(there) < len(coordinates):
            own[-1] = v[-1]
        return replace(self, v=own)

    @property
    def largest(self) -> Array:
        """What entries (n,) are off by in shares of: the largest of the coordinates', and the time's own rate."""
        return self.sizes if self.timed else np.full(len(self.v), np.max(np.abs(self.v), initial=0.0))

    @property
    def sizes(self) -> Array:
        """What entries (n,) are compared with: the largest, and for the time its own rate."""
        if not self.timed:
            return np.ones(len(self.v))
        return np.append(np.full(len(self.v) - 1, np.max(np.abs(self.v[:-1]), initial=0.0) or 1.0), 1.0)


def ways_of(velocity: Velocity, parts: list[Germ]) -> list[list[Way]] | None:
    """Return the branches of each factor in the same coordinates, or None where the velocity fits none of them.

    Nothing is returned where the set ends and the velocity leads out of it.
    """
    if any(part.status == "open" for part in parts):
        return None
    v, own = velocity.v, velocity.along(parts[0].coordinates)
    n = len(v)
    if not np.any(own.v):
        return [_from_rest(n, part) for part in parts]
    moving = [part for part in parts if part.status != "isolated"]
    if len(moving) > 1:  # terms with parameters of two factors are not in their series: all but one are to be at rest
        moving = [part for part in moving if part.status == "smooth" and _rates(part, own) is not None]
    if len(moving) != 1:
        return None
    (part,) = moving
    if part.status == "curves":
        doubt = AMISS * own.sizes if own.timed else None
        leaving = motions_at(part, v, doubt).leaving
        found = [
            Way(x.curvature, part.branches[x.branch].tangent[:, None], x.branch, _half(part, x.branch, x.half))
            for x in leaving
            if x.curvature is not None
        ]
        if not leaving and motions_at(part, -v, doubt).leaving:
            return []
        others = [found if x is part else _from_rest(n, x) for x in parts]
        return others if found and len(found) == len(leaving) else None
    rates = _rates(part, own)
    if rates is None:
        return None
    offset = np.einsum("jab,a,b->j", part.seconds, rates, rates)
    found = [Way(offset, part.tangents, sheets=2 if part.touching else 1)]
    if part.touching:
        rate, size = float(part.gradient @ v), float(np.abs(part.gradient) @ own.largest)
        if part.status == "wedge" and abs(rate) <= AMISS * size:
            return None  # along the edge
        if part.status == "wedge" and (rate < 0.0 or part.touching < PARTING):
            return []  # at F² = G³ no acceleration with speed is bounded
        if part.touching == PARTING and abs(rate) > AMISS * size:  # sheets that are 2 k G² apart
            larger = 0 if part.parting is None else int(np.sign(part.bend[part.coordinates[part.parting.solved[-1]]]))
            found = [
                Way(offset + 2.0 * side * rate**2 * part.bend, part.tangents, side=side * larger) for side in (1, -1)
            ]
    return [found if x is part else _from_rest(n, x) for x in parts]


def _rates(part: Germ, own: Velocity) -> Array | None:
    """Return the rates (k,) of a smooth set's parameters at a velocity; None where it is not along the set."""
    unit = own.sizes
    tangents, along = part.tangents / unit[:, None], own.v / unit
    rates = np.asarray(np.linalg.lstsq(tangents, along, rcond=None)[0], dtype=float)
    return rates if np.linalg.norm(tangents @ rates - along) <= AMISS * np.linalg.norm(along) else None


def at_the_time(way: Way) -> Way:
    """Return the accelerations of a way whose last coordinate is the time, which passes evenly."""
    rates = way.directions[-1]
    if not np.any(rates):
        return replace(way, offset=way.offset[:-1], directions=way.directions[:-1])
    offset = way.offset - way.directions @ (rates * (way.offset[-1] / float(rates @ rates)))
    return replace(way, offset=offset[:-1], directions=way.directions[:-1] @ complement(rates[None], len(rates)))


def _from_rest(n: int, part: Germ) -> list[Way]:
    if part.status == "curves":
        return [
            Way(np.zeros(n), b.tangent[:, None], k, half, half != 0)
            for k, b in enumerate(part.branches)
            for half in sorted({_half(part, k, 1), _half(part, k, -1)})
        ]
    if part.status == "wedge":
        return [Way(np.zeros(n), part.tangents, ends=True, wall=part.gradient, sheets=2)]
    directions = part.tangents if part.status == "smooth" else np.zeros((n, 0))
    return [Way(np.zeros(n), directions, sheets=2 if part.touching else 1)]


def _half(part: Germ, branch: int, half: int) -> int:
    return half if part.branches[branch].ramification % 2 == 0 else 0
