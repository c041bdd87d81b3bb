"""What the doctor found, as data and as a page of words."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from gauss.bodies.mechanism import Mechanism
from gauss.foundation.arrays import Array, tidied
from gauss.foundation.outcomes import Shown
from gauss.uniqueness import Verdict

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
class Freedom:
    """A motion that all rows admit."""

    lead: str  # a coordinate that moves in it and may be given its rate; of an idle one the body
    idle: bool  # whether it moves one body of a loop alone
    moving: tuple[str, ...]
    axis: tuple[float, ...] = ()  # of an idle one, in axes of the body

    def __str__(self) -> str:
        if not self.idle:
            return self.lead
        return f"{self.lead} spins about ({', '.join(f'{x + 0.0:.4g}' for x in tidied(np.array(self.axis)))}) alone"


@dataclass(frozen=True)
class HeldTwice:
    """Something that is held more than once."""

    rows: tuple[str, ...]
    sentence: str  # the stress that no load causes
    remedy: str
    bodies: tuple[str, ...] = ()  # that it goes through
    own: tuple[str, ...] = ()  # rows of the joint at which it is named

    def __str__(self) -> str:
        return f"{self.sentence}: {self.remedy}"


@dataclass(frozen=True)
class JointForce:
    """The force and torque of a joint at rest, on body 2 at its point 2; nan where they are not determined."""

    joint: str
    body: str
    force: Array  # (3,) N along the columns of `axes`, in the plane (2,)
    torque: Array  # (3,) N m
    axes: Array  # (3, 3) the first columns are the directions that are not determined
    undetermined: tuple[str, ...]

    def __str__(self) -> str:
        text = ", ".join(_numbers(x) for x in (self.force, np.atleast_1d(self.torque)))
        return f"{self.joint!r} on {self.body!r}: {text}" + ("" if not self.undetermined else " (? not determined)")


def _numbers(values: Array) -> str:
    known = np.isfinite(values)
    shown = tidied(np.where(known, values, 0.0))
    return f"({', '.join(f'{x:.4g}' if yes else '?' for x, yes in zip(shown, known, strict=True))})"


@dataclass(frozen=True)
class Sweep:
    """σ along the range of a driven joint."""

    joint: str
    limits: tuple[float, float]  # rad or m
    values: Array  # (k,) that were reached
    sigma: Array  # (k,)
    nearest: float  # where σ is least
    least: float
    singular: tuple[tuple[float, str], ...]  # values at singular positions, with the verdict there

    def __str__(self) -> str:
        reached = f"{self.values[0]:.4g} … {self.values[-1]:.4g}"
        short = self.values[0] > self.limits[0] + 1e-9 or self.values[-1] < self.limits[1] - 1e-9
        text = f"{self.joint!r}: reaches {reached}" + (
            f" of {self.limits[0]:.4g} … {self.limits[1]:.4g}" if short else ""
        )
        if self.singular:
            return f"{text}; singular at {', '.join(f'{x:.6g} ({verdict})' for x, verdict in self.singular)}"
        return f"{text}; σ at least {self.least:.3g}, at {self.nearest:.4g}"


@dataclass(frozen=True, repr=False)
class Diagnosis(Shown):
    """What is wrong, redundant, undetermined or near a singular position in a mechanism.

    Where the loops do not close, `closed` is None and nothing that depends on the rank of the rows is decided.
    """

    mechanism: Mechanism  # in joint coordinates
    given: Array  # (n,) the values that were given
    loops: tuple[Loop, ...]
    limits: tuple[str, ...]  # those violated at the given values
    unread: tuple[str, ...]  # what a file says that the model has not
    motors: tuple[str, ...]
    remaining: dict[str, float] = field(default_factory=dict)  # residuals of rows that do not close
    closed: Array | None = None  # (n,) the nearest closed pose
    verdict: Verdict | None = None  # in the closed pose, at rest
    rank: int = 0
    mobility: int = 0
    freedoms: tuple[Freedom, ...] = ()
    driven: int = 0  # how many freedoms the motors drive
    dependences: tuple[HeldTwice, ...] = ()
    forces: tuple[JointForce, ...] = ()
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
    def healthy(self) -> bool:
        """Whether nothing is held twice, all loops are closed as given, limits are kept and no position is singular."""
        ill = self.closed is None or self.dependences or self.limits or any(sweep.singular for sweep in self.sweeps)
        return not ill and all(max(loop.gap, loop.turn) <= CLOSED for loop in self.loops)

    @property
    def idle(self) -> tuple[Freedom, ...]:
        """Freedoms that move one body of a loop alone."""
        return tuple(freedom for freedom in self.freedoms if freedom.idle)

    def __str__(self) -> str:
        return "\n".join(f"{head:<14} {line}" for head, line in self.lines())

    def lines(self) -> list[tuple[str, str]]:
        """Return the page by lines, each with its heading."""
        found = [("mechanism", f"{self.name}: {len(self.coordinates)} coordinates, {len(self.rows)} rows")]
        found += _listed("unread", self.unread, "")
        found += _listed("loops", self.loops, "none")
        if self.closed is None:
            left = ", ".join(f"{name} {x:.3g}" for name, x in list(self.remaining.items())[:6])
            text = f"the loops do not close from here ({left}); nothing else is decided until they are assembled"
            return [*found, ("not decided", text)]
        moved = np.max(np.abs(self.closed - self.given), initial=0.0)
        if self.loops:
            found.append(("closed", f"by moving coordinates by up to {moved:.3g} rad or m"))
        found += _listed("limits", self.limits, "")
        count = f"{self.mobility}, of which the {len(self.motors)} motors drive {self.driven}"
        count += f" and {len(self.idle)} idle" if self.idle else ""
        names = ", ".join(map(str, self.freedoms))
        found.append(("freedoms", count + (f": {names}" if names else "")))
        if len(self.motors) > self.driven:
            found.append(
                ("", f"{len(self.motors) - self.driven} motors more than they can drive: they press each other")
            )
        assert self.verdict is not None
        found.append(("rows", f"{self.verdict.verdict}: rank {self.rank} of {len(self.rows)}"))
        found += _listed("held twice", self.dependences, "nothing")
        known = [force for force in self.forces if not force.undetermined]
        found.append(("forces", f"at rest {len(known)} of {len(self.forces)} joints have all theirs determined"))
        found += [("", str(force)) for force in self.forces if force.undetermined]
        found += _listed("ranges", self.sweeps, "")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return it as numbers, texts, lists and dicts, for JSON; nan and what is not decided are None."""
        plain: dict[str, Any] = {
            "name": self.name,
            "coordinates": list(self.coordinates),
            "rows": list(self.rows),
            "given": self.given.tolist(),
            "closed": None if self.closed is None else self.closed.tolist(),
            "loops": [{"name": x.name, "kind": x.kind, "gap": x.gap, "turn": x.turn} for x in self.loops],
            "unread": list(self.unread),
            "limits": list(self.limits),
            "motors": list(self.motors),
            "healthy": self.healthy,
        }
        if self.closed is None or self.verdict is None:
            return {**plain, "verdict": None, "remaining": self.remaining}
        return {
            **plain,
            "verdict": self.verdict.verdict,
            "rank": self.rank,
            "mobility": self.mobility,
            "driven": self.driven,
            "freedoms": [{"lead": x.lead, "idle": x.idle} for x in self.freedoms],
            "held_twice": [
                {"rows": list(x.rows), "sentence": x.sentence, "remedy": x.remedy} for x in self.dependences
            ],
            "forces": [
                {
                    "joint": x.joint,
                    "body": x.body,
                    "force": _plain(x.force),
                    "torque": _plain(x.torque),
                    "axes": x.axes.tolist(),
                    "undetermined": list(x.undetermined),
                }
                for x in self.forces
            ],
            "ranges": [
                {
                    "joint": x.joint,
                    "limits": list(x.limits),
                    "values": x.values.tolist(),
                    "sigma": x.sigma.tolist(),
                    "nearest": x.nearest,
                    "singular": [list(each) for each in x.singular],
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
