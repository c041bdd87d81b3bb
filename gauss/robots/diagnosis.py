"""What the doctor found, as data and as a page of words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from gauss.bodies.mechanism import Mechanism
from gauss.foundation.arrays import Array, shortened
from gauss.foundation.outcomes import Shown
from gauss.robots.findings import (
    CLOSED,
    ClosedPose,
    Freedom,
    HeldTwice,
    JointForce,
    Loop,
    NotHeld,
    OffLimit,
    StopForce,
    Sweep,
    spoken,
)
from gauss.robots.robot import BESIDE, NAMED
from gauss.uniqueness import Verdict

MOVED = 3  # coordinates that the closed pose changes most, which are named beside those that were given


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
    named: tuple[str, ...] = ()  # coordinates that were given by name
    home: tuple[Loop, ...] | None = None  # where values are given by name, the loops of a robot at home without these
    remaining: dict[str, float] = field(default_factory=dict)  # residuals of rows that do not close
    closed: Array | None = None  # (n,) the closed pose that is examined
    not_held: tuple[NotHeld, ...] = ()  # values given that are out of reach
    modes: tuple[ClosedPose, ...] = ()  # by distance; the first is the closed pose
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
        """The name of the mechanism; of a robot whose file is called otherwise that of the file, too."""
        file, name = Path(getattr(self.mechanism, "source", "")), self.mechanism.name
        return f"{file.name} ({name})" if file.name and file.stem != name else name

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
    def loops_beside(self) -> tuple[str, ...]:
        """What is said of files beside a robot's own that have loops of it and were not read."""
        return tuple(text for text in self.unread if text.startswith(BESIDE))

    @property
    def findings(self) -> tuple[str, ...]:
        """Why it is not `healthy`, one sentence each.

        Loops that are open, unless by values that were named, or in a file that was not read, values out of reach,
        stops not kept, masses that no body has, welds that lock a loop, what is held twice, and singular positions
        along the ranges of motors.
        """
        found = [] if self.closed is not None else ["the rows do not close from the values given"]
        found += ["loops in a file beside it are not read"] * bool(self.loops_beside)
        opened = [x for x in (self.loops if self.home is None else self.home) if x.is_open]
        where = "as given" if self.home is None else "at home"
        if len(opened) == 1:
            found.append(f"the loop {opened[0].name!r} is open by {opened[0].opening} {where}")
        elif opened:
            worst = replace(opened[0], gap=max(x.gap for x in opened), turn=max(x.turn for x in opened))
            found.append(f"{len(opened)} loops are open by up to {worst.opening} {where}")
        found += [f"{x.joint} = {x.value:.6g} {x.unit} is out of reach" for x in self.not_held]
        found += [f"{x.row!r} is violated as given" for x in self.limits]
        found += [f"the inertia of {len(self.inertias)} links is none that a body has"] * bool(self.inertias)
        found += [text.partition(":")[0] for text in self.locks]
        joints = list(dict.fromkeys(x.joint or x.sentence for x in self.dependences))
        found += [f"held twice: at {shortened(list(map(repr, joints)), NAMED)}"] * bool(joints)
        singular = [repr(sweep.joint) for sweep in self.sweeps if sweep.singular]
        found += [f"singular positions in the range of {shortened(singular, NAMED)}"] * bool(singular)
        return tuple(found)

    @property
    def healthy(self) -> bool:
        """Whether there are no `findings`."""
        return not self.findings

    @property
    def idle(self) -> tuple[Freedom, ...]:
        """Freedoms that move one body of a loop alone."""
        return tuple(freedom for freedom in self.freedoms if freedom.idle)

    def __str__(self) -> str:
        return "\n".join(f"{head:<12} {line}" for head, line in self.lines())

    def lines(self) -> list[tuple[str, str]]:
        """Return the page by lines, each with its heading."""
        found = [("mechanism", f"{self.name}: {len(self.coordinates)} coordinates, {len(self.rows)} rows")]
        found += _listed("findings", [f"{len(self.findings)}: {'; '.join(self.findings)}"] * (not self.healthy), "none")
        found += _listed("loops", [*self.loops, *self.loops_beside], "none")
        found += _listed("limits", self.limits, "")
        found += _listed("not held", self.not_held, "")
        found += _listed("inertia", self.inertias, "")
        if self.closed is None:
            left = ", ".join(f"{name} {x:.3g}" for name, x in list(self.remaining.items())[:6])
            what = "loops" if self.loops else "rows"
            text = f"the {what} do not close from here ({left}); nothing else is decided until they are assembled"
            found.append(("not decided", text))
        else:
            found += [*self._decided(), *_listed("ranges", self.sweeps, "")]
        said = (*self.inertias, *self.loops_beside)
        return found + _listed("not read", [text for text in self.unread if text not in said], "")

    def _decided(self) -> list[tuple[str, str]]:
        """Return the lines of the closed pose."""
        assert self.closed is not None
        assert self.verdict is not None
        found = list[tuple[str, str]]()
        moved = self._moved()
        if moved or self.loops:
            found.append(("closed", moved or "as given"))
        if self.loops:
            found += _listed("modes", (self.search, *(self.modes if len(self.modes) > 1 else ())), "")
        found += self._freedom_lines()
        if self.rows:
            least = f", σ ≥ {self.verdict.regularity.sigma[self.rank - 1]:.2g}" if self.rank else ""
            found.append(("rows", f"{self.verdict.verdict}: rank {self.rank} of {len(self.rows)}{least}"))
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

    def _moved(self) -> str:
        """Return which coordinates the closed pose has other than as given, in words."""
        assert self.closed is not None
        apart = np.abs(self.closed - self.given)
        order = [k for k in np.argsort(-apart, kind="stable").tolist() if apart[k] > CLOSED]
        order.sort(key=lambda k: self.coordinates[k] not in self.named)
        shown = max(MOVED, sum(self.coordinates[k] in self.named for k in order))
        texts = []
        for k in order[:shown]:
            name = self.coordinates[k]
            unit = self.mechanism.system.unit(name)
            texts.append(f"{name} from {spoken(self.given[k])} to {spoken(self.closed[k])} {unit}")
        if order[shown:]:
            texts.append(f"{len(order) - shown} more by up to {max(apart[order[shown:]]):.3g}")
        return "by moving " + ", ".join(texts) if texts else ""

    def _freedom_lines(self) -> list[tuple[str, str]]:
        loose = [x.lead for x in self.freedoms if not x.idle and not x.driven]
        free = list[str]()
        for node in self.mechanism.tree.nodes:
            own = [name for name in loose if node.joint is None and name in node.coordinates]
            if len(own) == (6 if self.mechanism.bodies[0].dimension == 3 else 3):
                free.append(f"{node.body.name!r} is free ({len(own)}): nothing joins it to the ground")
                loose = [name for name in loose if name not in own]
        count = f"{self.mobility}; {len(self.motors)} motors drive {self.driven}" if self.motors else f"{self.mobility}"
        found = [("freedoms", count + ("" if self.motors else "; there are no motors"))]
        found += [("", text) for text in free]
        found += [("", f"idle: {x}; harmless in a motion, a zero in a controller's matrix") for x in self.idle]
        if loose and self.motors:
            found.append(("", f"no motor drives {len(loose)} of them, led by {', '.join(loose)}: they swing"))
        elif loose:
            found.append(("", f"led by {', '.join(loose)}"))
        if len(self.pressing) == 1:
            found.append(("", f"the motor {self.pressing[0]} moves nothing"))
        elif self.pressing:
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
            "loops": [_fields(x, "name kind gap turn") for x in self.loops],
            "unread": list(self.unread),
            "inertia": list(self.inertias),
            "limits": [_fields(x, "row joint value nearest unit") for x in self.limits],
            "not_held": [_fields(x, "joint value reached unit why") for x in self.not_held],
            "motors": list(self.motors),
            "healthy": self.healthy,
            "findings": list(self.findings),
        }
        if self.closed is None or self.verdict is None:
            return {**plain, "verdict": None, "remaining": self.remaining}
        return {
            **plain,
            "modes": [_fields(x, "values distance beyond") for x in self.modes],
            "modes_complete": self.complete,
            "modes_search": self.search,
            "verdict": self.verdict.verdict,
            "rank": self.rank,
            "mobility": self.mobility,
            "driven": self.driven,
            "pressing": list(self.pressing),
            "locks": list(self.locks),
            "freedoms": [_fields(x, "lead idle driven") for x in self.freedoms],
            "held_twice": [_fields(x, "joint rows sentence remedy") for x in self.dependences],
            "forces": [
                _fields(x, "joint body")
                | {"force": _plain(x.force), "torque": _plain(x.torque)}
                | _fields(x, "axes torque_axes")
                | {"ranges": {name: _plain(np.array(ends)) for name, ends in x.ranges.items()}}
                for x in self.forces
            ],
            "stops": [{"stop": x.stop, "force": _plain(np.array([x.low, x.high]))} for x in self.stops],
            "ranges": [
                _fields(x, "joint limits values sigma nearest")
                | {"singular": [_fields(y, "value verdict meaning") for y in x.singular]}
                | _fields(x, "ends")
                for x in self.sweeps
            ],
        }


def _fields(thing: object, names: str) -> dict[str, Any]:
    """Return fields of a thing by name; tuples and arrays become lists."""
    found = {name: getattr(thing, name) for name in names.split()}
    plain = {name: x.tolist() if isinstance(x, np.ndarray) else x for name, x in found.items()}
    return {name: list(x) if isinstance(x, tuple) else x for name, x in plain.items()}


def _plain(values: Array) -> list[float | None]:
    return [float(x) if np.isfinite(x) else None for x in np.atleast_1d(values)]


def _listed(head: str, items: Any, none: str) -> list[tuple[str, str]]:
    """Return lines, the first with the heading; `none` stands for an empty list."""
    found = [str(item) for item in items] or ([none] if none else [])
    return [(head if k == 0 else "", text) for k, text in enumerate(found)]
