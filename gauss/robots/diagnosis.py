"""What the doctor found, as data and as a page of words."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gauss.bodies.mechanism import Mechanism
from gauss.foundation.arrays import Array, tidied
from gauss.foundation.outcomes import Shown
from gauss.uniqueness import Verdict

SPECK = 1e-8  # rad or m: a value of a joint that is meant to be zero
CLOSED = 1e-9  # m or rad up to which a loop of a file counts as closed in words


@dataclass(frozen=True)
class Loop:
    """A joint that closes a loop, and by how much it is open at the given values."""

    name: str
    kind: str
    bodies: tuple[str, ...]
    gap: float  # m
    turn: float  # sines of angles between axes that are to be square or parallel, of a weld or slide 2 sin θ/2

    def __str__(self) -> str:
        more = f" and {self.turn:.3g} rad" if self.turn > CLOSED else ""
        return f"{self.name!r} ({self.kind}, {' – '.join(self.bodies)}): {self.gap:.3g} m{more}"


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
        return f"{self.row!r} by {by:.6g} {self.unit}: {self.joint} = {self.nearest:.6g} is the nearest that it admits"


@dataclass(frozen=True)
class Mode:
    """A position in which the loops close."""

    values: dict[str, float]  # by coordinate
    distance: float  # from the pose at hand, root of the summed squares of rad and m
    beyond: tuple[str, ...]  # rows of stops that it is beyond

    def __str__(self) -> str:
        text = ", ".join(f"{name} {x:.6g}" for name, x in self.values.items())
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
        force = self._numbers(self.force, names, self.axes)
        torque = self._numbers(turns, torques, self.torque_axes)
        return f"{self.joint!r} on {self.body!r}: force {force} N, torque {torque} N m"

    def _numbers(self, values: Array, names: list[str], axes: Array) -> str:
        """Return components in axes of space, or along directions that are named."""
        tidy = tidied(np.where(np.isfinite(values), values, 0.0))
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
        first, last = (0.0 if abs(x) < SPECK else x for x in (self.values[0], self.values[-1]))
        text = f"{self.joint!r}: reaches {first:.4g} … {last:.4g}"
        if any(self.ends):
            text += f" of {self.limits[0]:.4g} … {self.limits[1]:.4g}"
            why = {f"{x:.6g}": end for x, end in zip((first, last), self.ends, strict=True) if end}
            text += "".join(f"; {end} at {x}" for x, end in why.items())
        if self.singular:
            meanings = "; ".join(dict.fromkeys(spot.meaning for spot in self.singular if spot.meaning))
            spots = ", ".join(f"{x:.6g} ({verdict})" for x, verdict in self.singular)
            return f"{text}; singular at {spots}" + (f": {meanings}" if meanings else "")
        return f"{text}; nearest to singular at {self.nearest:.4g}, where σ is {self.least:.3g}"


@dataclass(frozen=True, repr=False)
class Diagnosis(Shown):
    """What is wrong, redundant, undetermined or near a singular position in a mechanism.

    Where the loops do not close, `closed` is None and nothing that depends on the rank of the rows is decided.
    """

    mechanism: Mechanism  # in joint coordinates
    given: Array  # (n,) the values that were given
    loops: tuple[Loop, ...]
    limits: tuple[OffLimit, ...]  # those violated at the given values
    unread: tuple[str, ...]  # what a file says that the model has not
    motors: tuple[str, ...]
    remaining: dict[str, float] = field(default_factory=dict)  # residuals of rows that do not close
    closed: Array | None = None  # (n,) the nearest closed pose
    modes: tuple[Mode, ...] = ()  # by distance; the first is the closed pose
    search: str = ""  # which of them are known, in words
    complete: bool = False  # whether it is proved that there are no other modes
    verdict: Verdict | None = None  # in the closed pose, at rest
    rank: int = 0
    mobility: int = 0
    freedoms: tuple[Freedom, ...] = ()
    driven: int = 0  # how many freedoms the motors drive
    pressing: tuple[str, ...] = ()  # motors that press each other
    locks: tuple[str, ...] = ()  # joints of loops that hold a motion which a hinge would leave, in words
    dependences: tuple[HeldTwice, ...] = ()
    forces: tuple[JointForce, ...] = ()
    stops: tuple[StopForce, ...] = ()  # those that touch in the closed pose
    sweeps: tuple[Sweep, ...] = ()

    @property
    def name(self) -> str:
        """The name of the mechanism."""
        return self.mechanism.name

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The coordinates of the joints."""
        return self.mechanism.system.coordinates

    @property
    def rows(self) -> tuple[str, ...]:
        """The rows of the loops."""
        system = self.mechanism.system
        return tuple(system.row_names[k] for k in system.model.equality)

    def picture(self, path: str | Path | None = None) -> Any:
        """Return a matplotlib figure of the closed pose with the findings marked, written to a file where one is named.

        Raises InputError where the loops do not close.
        """
        return import_module("gauss.show.doctor").picture(self, path)

    @property
    def inertias(self) -> tuple[str, ...]:
        """What the file says of masses that no body can have, and what was taken instead."""
        return tuple(text for text in self.unread if text.startswith("inertial"))

    @property
    def healthy(self) -> bool:
        """Whether nothing is held twice, all loops are closed as given, limits are kept and no position is singular."""
        said = (*self.dependences, *self.limits, *self.inertias, *self.locks)
        ill = self.closed is None or bool(said) or any(sweep.singular for sweep in self.sweeps)
        return not ill and all(max(loop.gap, loop.turn) <= CLOSED for loop in self.loops)

    @property
    def idle(self) -> tuple[Freedom, ...]:
        """Freedoms that move one body of a loop alone."""
        return tuple(freedom for freedom in self.freedoms if freedom.idle)

    def __str__(self) -> str:
        return "\n".join(f"{head:<12} {line}" for head, line in self.lines())

    def lines(self) -> list[tuple[str, str]]:
        """Return the page by lines, each with its heading."""
        found = [("mechanism", f"{self.name}: {len(self.coordinates)} coordinates, {len(self.rows)} rows")]
        found += _listed("loops", self.loops, "none")
        found += _listed("limits", self.limits, "")
        found += _listed("inertia", self.inertias, "")
        if self.closed is None:
            left = ", ".join(f"{name} {x:.3g}" for name, x in list(self.remaining.items())[:6])
            text = f"the loops do not close from here ({left}); nothing else is decided until they are assembled"
            found.append(("not decided", text))
        else:
            found += [*self._decided(), *_listed("ranges", self.sweeps, "")]
        return found + _listed("not read", [text for text in self.unread if text not in self.inertias], "")

    def _decided(self) -> list[tuple[str, str]]:
        """Return the lines of the closed pose."""
        assert self.closed is not None
        assert self.verdict is not None
        found = list[tuple[str, str]]()
        if self.loops:
            moved = np.max(np.abs(self.closed - self.given), initial=0.0)
            found.append(("closed", f"by moving coordinates by up to {moved:.3g} rad or m"))
            found += _listed("modes", (self.search, *(self.modes if len(self.modes) > 1 else ())), "")
        found += self._freedom_lines()
        if self.rows:
            found.append(("rows", f"{self.verdict.verdict}: rank {self.rank} of {len(self.rows)}"))
            found += _listed("held twice", self._by_joint(), "nothing")
        without = ", motors without torque" * bool(self.motors)
        known = sum(not force.ranges for force in self.forces)
        if self.forces:
            found.append(
                (
                    "forces",
                    f"at rest{without}, in axes of space: determined in {known} of {len(self.forces)} joints",
                )
            )
            found += [("", str(force)) for force in self.forces if force.ranges]
        if self.stops:
            count = (
                "1 joint stands at its stop"
                if len(self.stops) == 1
                else f"{len(self.stops)} joints stand at their stops"
            )
            found.append(("stops", f"{count} here, with these forces at rest"))
        return found + [("", str(stop)) for stop in self.stops]

    def _freedom_lines(self) -> list[tuple[str, str]]:
        loose = [x.lead for x in self.freedoms if not x.idle and not x.driven]
        count = f"{self.mobility}; {len(self.motors)} motors drive {self.driven}" if self.motors else f"{self.mobility}"
        found = [("freedoms", count + ("" if self.motors else "; there are no motors"))]
        found += [("", f"idle: {x}; harmless in a motion, a zero in a controller's matrix") for x in self.idle]
        if loose and self.motors:
            found.append(("", f"no motor drives {len(loose)} of them, led by {', '.join(loose)}: they swing"))
        elif loose:
            found.append(("", f"led by {', '.join(loose)}"))
        if self.pressing:
            extra = len(self.motors) - self.driven
            text = f"{extra} motors more than they can drive: {', '.join(self.pressing)} press each other"
            found.append(("", f"{text}; of their torques only what moves it is determined"))
        return found + [("", text) for text in self.locks]

    def _by_joint(self) -> list[str]:
        """Return what is held twice, one line for each joint and remedy."""
        groups: dict[tuple[str, str], list[HeldTwice]] = {}
        for each in self.dependences:
            groups.setdefault((each.joint or each.sentence, each.remedy if not each.joint else ""), []).append(each)
        lines = []
        for group in groups.values():
            if len(group) == 1:
                lines.append(str(group[0]))
                continue
            sentences = "; ".join(dict.fromkeys(x.sentence.removesuffix(f", at {x.joint!r}") for x in group))
            remedies = "; ".join(dict.fromkeys(x.remedy for x in group))
            lines.append(f"at {group[0].joint!r} {len(group)} times: {sentences}. {remedies}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return it as numbers, texts, lists and dicts, for JSON; nan and what is not decided are None.

        Forces are along the columns of `axes`, torques about those of `torque_axes`: those of space wherever these show
        what is determined. Their ranges are [low, high], None on a side that nothing bounds.
        """
        plain: dict[str, Any] = {
            "name": self.name,
            "coordinates": list(self.coordinates),
            "rows": list(self.rows),
            "given": self.given.tolist(),
            "closed": None if self.closed is None else self.closed.tolist(),
            "loops": [{"name": x.name, "kind": x.kind, "gap": x.gap, "turn": x.turn} for x in self.loops],
            "unread": list(self.unread),
            "inertia": list(self.inertias),
            "limits": [
                {"row": x.row, "joint": x.joint, "value": x.value, "nearest": x.nearest, "unit": x.unit}
                for x in self.limits
            ],
            "motors": list(self.motors),
            "healthy": self.healthy,
        }
        if self.closed is None or self.verdict is None:
            return {**plain, "verdict": None, "remaining": self.remaining}
        return {
            **plain,
            "modes": [{"values": x.values, "distance": x.distance, "beyond": list(x.beyond)} for x in self.modes],
            "modes_complete": self.complete,
            "modes_search": self.search,
            "verdict": self.verdict.verdict,
            "rank": self.rank,
            "mobility": self.mobility,
            "driven": self.driven,
            "pressing": list(self.pressing),
            "locks": list(self.locks),
            "freedoms": [{"lead": x.lead, "idle": x.idle, "driven": x.driven} for x in self.freedoms],
            "held_twice": [
                {"joint": x.joint, "rows": list(x.rows), "sentence": x.sentence, "remedy": x.remedy}
                for x in self.dependences
            ],
            "forces": [
                {
                    "joint": x.joint,
                    "body": x.body,
                    "force": _plain(x.force),
                    "torque": _plain(x.torque),
                    "axes": x.axes.tolist(),
                    "torque_axes": x.torque_axes.tolist(),
                    "ranges": {name: _plain(np.array(ends)) for name, ends in x.ranges.items()},
                }
                for x in self.forces
            ],
            "stops": [{"stop": x.stop, "force": _plain(np.array([x.low, x.high]))} for x in self.stops],
            "ranges": [
                {
                    "joint": x.joint,
                    "limits": list(x.limits),
                    "values": x.values.tolist(),
                    "sigma": x.sigma.tolist(),
                    "nearest": x.nearest,
                    "singular": [{"value": y.value, "verdict": y.verdict, "meaning": y.meaning} for y in x.singular],
                    "ends": list(x.ends),
                }
                for x in self.sweeps
            ],
        }


def _plain(values: Array) -> list[float | None]:
    return [float(x) if np.isfinite(x) else None for x in np.atleast_1d(values)]


def _listed(head: str, items: Any, none: str) -> list[tuple[str, str]]:
    """Return lines, the first with the heading; `none` stands for an empty list."""
    found = [str(item) for item in items] or ([none] if none else [])
    return [(head if k == 0 else "", text) for k, text in enumerate(found)]
