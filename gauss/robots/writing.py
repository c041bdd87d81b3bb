"""MJCF written back with the doctor's remedies.

A `<connect>` holds three coordinates of a point. Where forces along some directions are not determined, the rows along
the others are all that counts. MuJoCo has no connect of two rows; a spatial tendon between two sites whose length is
held by an equality is one row. So each direction that counts becomes a rod: from the point on the first body to a site
on the second one, displaced along it. At the closed pose the gradients of the lengths of the rods are these directions.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gauss.errors import FileError, InputError
from gauss.foundation.arrays import Array, unit_rows
from gauss.robots.construction import with_words
from gauss.robots.diagnosis import Diagnosis
from gauss.robots.doctor import PART, doctor
from gauss.robots.extra import extra
from gauss.robots.reading.description import RobotLoop
from gauss.robots.reading.mjcf import CONNECT, FREE, Mjcf, read_mjcf
from gauss.robots.robot import Robot

LENGTH = 0.5  # of the distance of the mass centre of a body from the point that rods hold, of rods; at least LEAST
LEAST = 0.01  # m
KEY = "closed"  # name of the pose
NO_FORCE = {"stiffness": "0", "damping": "0", "frictionloss": "0", "limited": "false"}  # whatever the defaults say


def write(robot: Robot, path: str | Path, found: Diagnosis | None = None) -> tuple[str, ...]:
    """Write the MJCF of a robot with the remedies of `found` (those of `doctor` if left out); return what was changed.

    A `<connect>` that holds more than counts becomes rods, tendons of fixed length, along the directions that count.
    The closed pose is added as the keyframe "closed". All else stays as it is in the file. Raises InputError for a
    robot that was read from another format, and where the loops do not close, FileError where nothing can be written.

    >>> import gauss as g
    >>> robot = g.load("gripper.xml")  # doctest: +SKIP
    >>> for change in g.robots.write(robot, "mended.xml"):  # doctest: +SKIP
    ...     print(change)
    """
    source = Path(robot.source)
    try:
        root = ET.fromstring(source.read_bytes(), ET.XMLParser(target=ET.TreeBuilder(insert_comments=True)))
    except (OSError, ET.ParseError):
        root = ET.Element("none")
    if root.tag != "mujoco":
        raise InputError(f"{robot.name!r} was not read from MJCF, so that there is no MJCF to write with remedies.")
    found = doctor(robot, sweep=False) if found is None else found
    if found.closed is None:
        raise InputError(f"the loops of {robot.name!r} do not close from its pose: assemble it before it is written.")
    writer = _Writer(robot, found, root)
    writer.mend()
    writer.add_pose()
    ET.indent(root)
    target = Path(path)
    _keep_folders(root, source, target)
    try:
        target.write_text(ET.tostring(root, encoding="unicode") + "\n", encoding="utf-8")
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error}.") from None
    return tuple(writer.changes)


def _keep_folders(root: ET.Element, source: Path, target: Path) -> None:
    """Let files that are named relative to the old place be found from another folder."""
    if source.resolve().parent == target.resolve().parent:
        return
    compiler = root.find("compiler")
    if compiler is None:
        compiler = ET.Element("compiler")
        root.insert(0, compiler)
    both = compiler.get("assetdir", "")
    for word in ("meshdir", "texturedir"):
        compiler.set(word, str((source.resolve().parent / compiler.get(word, both)).resolve()))


@dataclass(eq=False)
class _Writer:
    """An MJCF file that is changed."""

    robot: Robot
    found: Diagnosis
    root: ET.Element

    def __post_init__(self) -> None:
        mujoco = extra("mujoco", "mujoco")
        assert self.found.closed is not None
        self.changes, self.closed = list[str](), self.found.closed
        self.said = read_mjcf(Path(self.robot.source), None)
        self.model = mujoco.MjSpec.from_file(self.robot.source).compile()
        self.reader = Mjcf(self.model, self.said)
        self.words = with_words(read_mjcf(Path(self.robot.source), None))[1]
        self.equalities = [
            each for part in self.root.iterfind("equality") for each in part if isinstance(each.tag, str)
        ]
        self.whole = len(self.equalities) == self.model.neq and self.root.find(".//include") is None
        self.names = {word for kind in ("site", "tendon", "equality") for word in self._known(kind)}

    def _known(self, kind: str) -> list[str]:
        count = {"site": "nsite", "tendon": "ntendon", "equality": "neq"}[kind]
        return [getattr(self.model, kind)(k).name for k in range(getattr(self.model, count))]

    # ------------------------------------------------------------------ loops

    def mend(self) -> None:
        """Let each connect that the doctor names hold what counts, one after the other."""
        names = [self.reader.equality_name(k) for k in range(self.model.neq)]
        counting = _Counting.of(self.found)
        done = set[str]()
        for each in self.found.dependences:
            stems = dict.fromkeys(row.partition("[")[0] for row in (*each.own, *each.rows))
            able = [name for name in stems if name in names and int(self.model.eq_type[names.index(name)]) == CONNECT]
            for name in able:
                loop = next(loop for loop in self.said.loops if loop.name == name)
                kept = np.eye(3) if name in done else counting.directions(name)
                done.add(name)
                if kept.shape[1] == 3:
                    continue
                if not self.whole or self._body(loop.one.link) is None or self._body(loop.two.link) is None:
                    text = "the file includes others, or has bodies without names, so that its elements are not found"
                    self.changes.append(f"not changed: {name!r}: {text}")
                    continue
                counting.keep(name, kept)
                self._to_rods(names.index(name), loop, kept)
            if not able:
                self.changes.append(f"not changed: {each}")

    def _body(self, name: str) -> ET.Element | None:
        """Return the element of a body."""
        world = self.root.find("worldbody")
        if not name or world is None:
            return world
        return next((each for each in world.iter("body") if each.get("name") == name), None)

    def _to_rods(self, k: int, loop: RobotLoop, directions: Array) -> None:
        """Put a rod along each direction (3, d) in the place of a connect."""
        old = self.equalities[k]
        for part in self.root.iterfind("equality"):
            if old in list(part):
                part.remove(old)
        if directions.shape[1]:
            self._add_rods(loop, directions, {w: old.get(w, "") for w in ("class", "solref", "solimp") if old.get(w)})
        count = directions.shape[1]
        self.changes.append(f"the connect {loop.name!r} holds {count} rows, as {count} rods" if count else
                            f"the connect {loop.name!r} is left out: nothing of it counts")  # fmt: skip

    def _add_rods(self, loop: RobotLoop, directions: Array, likewise: dict[str, str]) -> None:
        robot, closed = self.robot, self.robot.named(self.closed)
        home = robot.named(robot.at("home")[0])
        size = self._size(loop)
        first = self._site(loop.one.link, loop.one.point, f"{loop.name} point")
        tendons, equality = self._section("tendon"), self._section("equality")
        for j, direction in enumerate(directions.T):
            turn = np.eye(3) if not loop.two.link else np.array(robot.frames[loop.two.link].placed(closed).columns).T
            end = loop.two.point + size * np.asarray(turn, dtype=float).T @ direction
            name = self._free(f"{loop.name} rod {j + 1}")
            second = self._site(loop.two.link, end, f"{name} end")
            tendon = ET.SubElement(tendons, "spatial", {"name": name, **NO_FORCE})
            for site in (first, second):
                ET.SubElement(tendon, "site", {"site": site})
            drawn = self._place(loop.one.link, loop.one.point, home) - self._place(loop.two.link, end, home)
            offset = size - float(np.linalg.norm(drawn))  # MuJoCo counts from the length in qpos0
            more = {"name": name, "tendon1": name, "polycoef": f"{offset!r} 0 0 0 0", **likewise}
            ET.SubElement(equality, "tendon", more)

    def _size(self, loop: RobotLoop) -> float:
        """Return the length of rods: that of the parts they hold."""
        arms = [float(np.linalg.norm(place.point)) for place in (loop.one, loop.two)]
        for place in (loop.one, loop.two):
            if place.link:
                weight = self.said.links[place.link].weight
                arms.append(float(np.linalg.norm(weight.first / max(weight.mass, 1e-300) - place.point)))
        return float(max(LENGTH * max(arms), LEAST))

    def _place(self, link: str, point: Array, place: Any) -> Array:
        if not link:
            return point
        frame = self.robot.frames[link].placed(place)
        return np.array(frame.point(tuple(point.tolist())), dtype=float)

    def _site(self, link: str, point: Array, wanted: str) -> str:
        body, name = self._body(link), self._free(wanted)
        assert body is not None
        ET.SubElement(body, "site", {"name": name, "pos": _text(point)})
        return name

    def _free(self, wanted: str) -> str:
        name, k = wanted, 2
        while name in self.names:
            name, k = f"{wanted} {k}", k + 1
        self.names.add(name)
        return name

    def _section(self, tag: str) -> ET.Element:
        section = self.root.find(tag)
        return ET.SubElement(self.root, tag) if section is None else section

    # ------------------------------------------------------------------ the closed pose

    def add_pose(self) -> None:
        """Add the closed pose as a keyframe."""
        names = self.robot.system.coordinates
        values = dict(zip(names, self.closed.tolist(), strict=True))
        qpos = np.array(self.model.qpos0, dtype=float)
        for j, name in enumerate(self.reader.joint_of):
            at, kind, word = int(self.model.jnt_qposadr[j]), int(self.model.jnt_type[j]), self.words.get(name)
            if word in values:
                qpos[at] = values[word]
            elif kind == FREE and f"{word}_x" in values:
                qpos[at : at + 7] = [values[f"{word}{end}"] for end in ("_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz")]
            elif f"{word}_qw" in values:  # of a ball joint, from axes of its body to those of its link
                turn = self.robot.frames[self.reader.link_of[self.model.jnt_bodyid[j]]].rotation
                axis = turn.T @ np.array([values[f"{word}_q{x}"] for x in "xyz"])
                qpos[at : at + 4] = [values[f"{word}_qw"], *axis]
        keys = self._section("keyframe")
        taken = {key.get("name") for key in keys}
        name = next(each for each in (KEY, *(f"{KEY} {k}" for k in range(2, 99))) if each not in taken)
        ET.SubElement(keys, "key", {"name": name, "qpos": _text(qpos)})
        self.changes.append(f"the keyframe {name!r} has the loops closed")


@dataclass(eq=False)
class _Counting:
    """The rows of all loops at the closed pose, to see which of a connect count beside the others."""

    rows: dict[str, Array]  # (k, n) by the name of what they belong to; those of a point along x, y, z

    @staticmethod
    def of(found: Diagnosis) -> _Counting:
        """Return the rows of a diagnosis."""
        system, q = found.mechanism.system, found.closed
        assert q is not None
        J = system.model.terms(q, 0.0 * q, 0.0, system.theta()).J
        rows: dict[str, list[Array]] = {}
        for k in system.model.equality:
            rows.setdefault(system.row_names[k].partition("[")[0], []).append(J[k])
        return _Counting({name: np.array(each) for name, each in rows.items()})

    def directions(self, name: str) -> Array:
        """Return the directions (3, d) along which the rows of a connect are no combinations of the others."""
        own = self.rows[name]
        others = [each for word, each in self.rows.items() if word != name]
        left = own
        if others:
            _, sigma, V = np.linalg.svd(unit_rows(np.vstack(others)), full_matrices=False)
            known = V[sigma > PART * np.max(sigma, initial=0.0)]
            left = own - (own @ known.T) @ known
        U, sigma, _ = np.linalg.svd(left)
        return np.asarray(U[:, : int(np.sum(sigma > PART * max(float(np.linalg.norm(own, 2)), 1e-300)))])

    def keep(self, name: str, directions: Array) -> None:
        """Let a connect hold these directions alone."""
        self.rows[name] = directions.T @ self.rows[name]


def _text(values: Sequence[float] | Array) -> str:
    return " ".join(repr(float(x)) for x in values)
