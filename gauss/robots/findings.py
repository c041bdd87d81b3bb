"""What the doctor finds, one by one: loops, stops, modes, freedoms, what is held twice, forces, singular positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gauss.foundation.arrays import Array, tidied
from gauss.model.units import looks_like_degrees

SPECK = 1e-8  # rad or m: a value of a joint that is meant to be zero
FAINT = 1e-6  # of the largest force (N) or torque (N m) of a joint: in words less is 0, beside four digits
CLOSED = 1e-9  # m or rad up to which a loop of a file counts as closed in words


def spoken(value: float, digits: int = 6) -> str:
    """Return a value of a joint (rad or m) in words, 0 where it is meant to be zero."""
    return f"{0.0 if abs(value) < SPECK else value:.{digits}g}"


@dataclass(frozen=True)
class Loop:
    """A joint that closes a loop, and by how much it is open at the given values."""

    name: str
    kind: str
    bodies: tuple[str, ...]
    gap: float  # m
    turn: float  # sines of angles between axes that are to be square or parallel, of a weld or slide 2 sin θ/2

    def __str__(self) -> str:
        return f"{self.name!r} ({self.kind}, {' – '.join(self.bodies)}): {self.opening}"

    @property
    def is_open(self) -> bool:
        """Whether it is open by more than rounding."""
        return max(self.gap, self.turn) > CLOSED

    @property
    def opening(self) -> str:
        """By how much it is open, in words."""
        parts = [f"{x:.3g} {unit}" for x, unit in ((self.gap, "m"), (self.turn, "rad")) if x > CLOSED]
        return " and ".join(parts) or "0 m"


@dataclass(frozen=True)
class OffLimit:
    """A stop that the given values are beyond."""

    row: str
    joint: str
    value: float  # rad or m
    nearest: float  # the end of the range
    unit: str

    def __str__(self) -> str:
        by = abs(self.value - self.nearest)
        text = f"{self.row!r} by {by:.6g} {self.unit}: {self.joint} = {self.nearest:.6g} is the nearest that it admits"
        return text + _degrees(self.value, self.unit)


@dataclass(frozen=True)
class NotHeld:
    """A value that a joint was given and cannot have while loops close, rules of followers hold and stops are kept."""

    joint: str  # its coordinate
    value: float  # rad or m
    reached: float  # towards it from the closed pose beside the values given
    unit: str
    why: str  # what ends the way: "stop '…'" or "out of reach"

    def __str__(self) -> str:
        why = f"the {self.why} is there" if self.why.startswith("stop") else "and no further"
        text = f"{self.joint} = {self.value:.6g} {self.unit} is out of reach: it comes to {spoken(self.reached)}, {why}"
        return text + _degrees(self.value, self.unit)


def _degrees(value: float, unit: str) -> str:
    """Return a hint where a value of an angle looks like degrees, else ""."""
    value = round(value, 9)
    doubtful = unit == "rad" and looks_like_degrees(value)
    return f"; {value:g} looks like degrees, which are {np.deg2rad(value):.4g} rad" if doubtful else ""


@dataclass(frozen=True)
class ClosedPose:
    """A position in which the loops close."""

    values: dict[str, float]  # by coordinate
    distance: float  # from the pose at hand, root of the summed squares of rad and m
    beyond: tuple[str, ...]  # rows of stops that it is beyond

    def __str__(self) -> str:
        text = ", ".join(f"{name} {spoken(x)}" for name, x in self.values.items())
        return text + (f" (beyond {', '.join(map(repr, self.beyond))})" if self.beyond else "")


@dataclass(frozen=True)
class Freedom:
    """A motion that all rows admit."""

    lead: str  # a coordinate that moves in it and may be given its rate; of an idle one the body
    idle: bool  # whether it moves one body of a loop alone
    moving: tuple[str, ...]
    axis: tuple[float, ...] = ()  # of an idle one, in axes of the body
    driven: bool = False  # whether the lead is a driven coordinate

    def __str__(self) -> str:
        if not self.idle:
            return self.lead
        return f"{self.lead} spins about {shown(self.axis)} alone"


@dataclass(frozen=True)
class HeldTwice:
    """Something that is held more than once."""

    rows: tuple[str, ...]
    sentence: str  # the stress that no load causes
    remedy: str
    bodies: tuple[str, ...] = ()  # that it goes through
    own: tuple[str, ...] = ()  # rows of the joint at which it is named
    joint: str = ""  # at which it is named

    def __str__(self) -> str:
        return f"{self.sentence}: {self.remedy}"


Range = tuple[float, float]


@dataclass(frozen=True)
class JointForce:
    """The force and torque of a joint at rest, on body 2 at its point 2; nan where they are not determined."""

    joint: str
    body: str
    force: Array  # (3,) N along the columns of `axes`, in the plane (2,)
    torque: Array  # (3,) N m about the columns of `torque_axes`, in the plane ()
    axes: Array  # (3, 3) those of space wherever these show what is determined, as in `mb.reaction`; else others
    ranges: dict[str, Range]  # of the components that are not determined, by name; ±inf where nothing bounds them
    torque_axes: Array  # (3, 3) likewise; in the plane (1, 1)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """The components that are not determined: "force 1", …, "torque 3"."""
        return tuple(self.ranges)

    def __str__(self) -> str:
        names = [f"force {k + 1}" for k in range(len(self.force))]
        turns = np.atleast_1d(self.torque)
        torques = [f"torque {k + 1}" for k in range(3)] if len(turns) == 3 else ["torque"]
        known = np.abs([x for x in (*self.force, *turns) if np.isfinite(x)])
        faint = FAINT * float(np.max(known, initial=0.0))
        force = self._numbers(self.force, names, self.axes, faint)
        torque = self._numbers(turns, torques, self.torque_axes, faint)
        return f"{self.joint!r} on {self.body!r}: force {force} N, torque {torque} N m"

    def _numbers(self, values: Array, names: list[str], axes: Array, faint: float) -> str:
        """Return components in axes of space, or along directions that are named; less than `faint` is 0."""
        tidy = np.where(np.isfinite(values) & (np.abs(values) > faint), values, 0.0)
        texts = [_range(*self.ranges[x]) if x in self.ranges else f"{y:.4g}" for x, y in zip(names, tidy, strict=True)]
        if not np.array_equal(axes, np.eye(len(axes))):
            texts = [f"{text} along {shown(axis)}" for text, axis in zip(texts, axes.T, strict=True) if text != "0"]
            texts += ["else 0"] * (len(texts) < len(axes))
        return f"({', '.join(texts)})"


def _range(low: float, high: float) -> str:
    """Return a range in words."""
    if not (np.isfinite(low) or np.isfinite(high)):
        return "any"
    if not np.isfinite(high):
        return f"{low:.4g} or more"
    return f"{high:.4g} or less" if not np.isfinite(low) else f"{low:.4g} … {high:.4g}"


def shown(along: Any) -> str:
    """Return a direction in words."""
    return f"({', '.join(f'{x + 0.0:.4g}' for x in tidied(np.array(along)))})"


@dataclass(frozen=True)
class StopForce:
    """The force (N) or torque (N m) of a stop that touches, at rest."""

    stop: str
    low: float
    high: float
    unit: str

    def __str__(self) -> str:
        size = _range(self.low, self.high) if self.low < self.high else f"{self.low:.4g}"
        return (
            f"stop {self.stop!r} presses with {size} {self.unit}"
            if self.high
            else f"stop {self.stop!r} touches without force"
        )


MEANINGS = {
    "redundant": "forces are shared in a way that is not determined",
    "branching": "the motion may go on in several ways",
    "crossing": "it passes, with forces that grow without bound beside it",
    "locked": "it cannot move on",
    "degenerate": "several accelerations fit",
}


class SingularSpot(NamedTuple):
    """A value of a driven joint at which the position is singular, and the verdict there."""

    value: float  # rad or m
    verdict: str

    @property
    def meaning(self) -> str:
        """What the verdict means to a maker of robots."""
        return "; ".join(text for word, text in MEANINGS.items() if word in self.verdict)


@dataclass(frozen=True)
class Sweep:
    """σ along the range of a driven joint."""

    joint: str
    limits: tuple[float, float]  # rad or m
    values: Array  # (k,) that were reached
    sigma: Array  # (k,)
    nearest: float  # where σ is least
    least: float
    singular: tuple[SingularSpot, ...]
    ends: tuple[str, str] = (
        "",
        "",
    )  # why it reaches no further: "dead point", "stop '…'", "out of reach"; "" at a limit

    def __str__(self) -> str:
        first, last = self.values[[0, -1]]
        text = f"{self.joint!r}: reaches {spoken(first, 4)} … {spoken(last, 4)}"
        if any(self.ends):
            text += f" of {self.limits[0]:.4g} … {self.limits[1]:.4g}"
            why = {spoken(x): end for x, end in zip((first, last), self.ends, strict=True) if end}
            text += "".join(f"; {end} at {x}" for x, end in why.items())
        if self.singular:
            meanings = "; ".join(dict.fromkeys(spot.meaning for spot in self.singular if spot.meaning))
            spots = ", ".join(f"{spoken(x)} ({verdict})" for x, verdict in self.singular)
            return f"{text}; singular at {spots}" + (f": {meanings}" if meanings else "")
        return f"{text}; nearest to singular at {spoken(self.nearest, 4)}, where σ is {self.least:.3g}"
