"""URDF, and the notations in it that close loops: `<constraint>`, and `<loop>` and `<coupling>` of URDF+.

<constraint name type> <parent link/> <parent_origin/> <parent_axis/> <child link/> <child_origin/> <child_axis/>
(ros/urdfdom_headers, pull request 108);
<loop name type> <predecessor link><origin/></predecessor> <successor link><origin/></successor> <axis/>,
<coupling name> <predecessor link/> <successor link/> <ratio value/>: the angles from the nearest link that carries both
to the predecessor, times the ratio, are those to the successor (M. Chignoli, J.-J. Slotine, P. M. Wensing, S. Kim,
*URDF+*, arXiv 2411.19753).
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.geometry.rotations import euler
from gauss.robots.reading import solids
from gauss.robots.reading.description import (
    UNBOUNDED,
    WORLD,
    Closure,
    Drive,
    Move,
    Place,
    RobotFile,
    RobotLink,
    RobotLoop,
    Rule,
    Terms,
)
from gauss.robots.reading.markup import leave_unknown, numbers
from gauss.robots.reading.packages import Packages

KINDS: dict[str, Any] = {
    "revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "fixed": "fixed", "floating": "free",
    "planar": "planar", "spherical": "ball",
}  # fmt: skip
CLOSURES: dict[str, Closure] = {
    "revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "fixed": "weld", "spherical": "point",
    "ball": "point", "cylindrical": "cylinder", "universal": "cross", "planar": "plane",
}  # fmt: skip
ORIGIN: dict[str, Any] = {"origin": {"@xyz": {}, "@rpy": {}}}
END: dict[str, Any] = {"@link": {}, **ORIGIN}
GEOMETRY: dict[str, Any] = {
    "box": {"@size": {}}, "sphere": {"@radius": {}}, "cylinder": {"@radius": {}, "@length": {}},
    "capsule": {"@radius": {}, "@length": {}}, "mesh": {"@filename": {}, "@scale": {}},
}  # fmt: skip
READ: dict[str, Any] = {  # what is understood; @ before attributes
    "@name": {},
    "@version": {},
    "link": {
        "@name": {},
        "inertial": {**ORIGIN, "mass": {"@value": {}},
                     "inertia": {f"@i{a}": {} for a in ("xx", "yy", "zz", "xy", "xz", "yz")}},
        "visual": {"@name": {}, **ORIGIN, "geometry": GEOMETRY},
        "collision": {"@name": {}, **ORIGIN, "geometry": GEOMETRY},
    },
    "joint": {
        "@name": {}, "@type": {}, "@independent": {}, **ORIGIN, "parent": {"@link": {}}, "child": {"@link": {}},
        "axis": {"@xyz": {}}, "limit": {"@lower": {}, "@upper": {}}, "dynamics": {"@damping": {}, "@friction": {}},
        "mimic": {"@joint": {}, "@multiplier": {}, "@offset": {}},
    },
    "constraint": {"@name": {}, "@type": {}, "parent": {"@link": {}}, "child": {"@link": {}}, **{
        f"{end}_{word}": {"@xyz": {}, "@rpy": {}} for end in ("parent", "child") for word in ("origin", "axis")}},
    "loop": {"@name": {}, "@type": {}, "predecessor": END, "successor": END, "axis": {"@xyz": {}}},
    "coupling": {"@name": {}, "predecessor": END, "successor": END, "ratio": {"@value": {}}},
}  # fmt: skip
MEANINGS = {
    "link/visual/material": "colours are not drawn",
    "link/collision/material": "colours are not drawn",
    "link/contact": "it speaks to Bullet alone",
    "material": "colours are not drawn",
    "gazebo": "it speaks to Gazebo alone",
    "transmission": "it says which joints have motors, and no more",
    "ros2_control": "it speaks to a controller alone",
    "sensor": "nothing is measured by it",
    "link/sensor": "nothing is measured by it",
    "joint/limit@effort": UNBOUNDED,
    "joint/limit@velocity": "speeds are not bounded",
    "joint/safety_controller": "its bounds, softer than the range, are those of a controller",
    "joint/calibration": "it says where a sensor switches",
}


def read_urdf(
    root: ET.Element, source: str, base: Literal["fixed", "free"], name: str | None, packages: Packages
) -> RobotFile:
    """Return what a URDF says, its loops included. Raises InputError for what is no tree, and for unknown types."""
    said = RobotFile(name or root.get("name") or "robot", source, np.array([0.0, 0.0, -9.81]))
    return _Urdf(root, said, base, packages).read()


class _Urdf:
    """The elements of a URDF and what they say."""

    def __init__(self, root: ET.Element, said: RobotFile, base: str, packages: Packages):
        self.root, self.said, self.base, self.packages = root, said, base, packages
        self.joints = [x for x in root.iterfind("joint") if x.find("child") is not None]
        self.of_child = {self._linked(x, "child"): x for x in self.joints}

    def read(self) -> RobotFile:
        """Read all that is known."""
        said = self.said
        for element in self.root.iterfind("link"):
            self._link(element)
        for element in self._ordered():
            self._joint(element)
        for element in self.root.iterfind("constraint"):
            self._constraint(element)
        for element in self.root.iterfind("loop"):
            self._loop(element)
        for element in self.root.iterfind("coupling"):
            self._coupling(element)
        self._motors()
        said.poses["home"] = self._home()
        leave_unknown(said, self.root, READ, MEANINGS, "")
        return said

    # ------------------------------------------------------------------ elements

    def _numbers(self, element: ET.Element | None, word: str, otherwise: str, size: int) -> Array:
        """Return numbers of an attribute. Raises InputError."""
        text = otherwise if element is None else element.get(word, otherwise)
        tag = "" if element is None else element.tag
        return numbers(text, size, f"{self.said.source}: <{tag} {word}={text!r}>")

    def _number(self, element: ET.Element | None, word: str, otherwise: float) -> float:
        return float(self._numbers(element, word, repr(otherwise), 1)[0])

    def _origin(self, element: ET.Element | None) -> tuple[Array, Array]:
        """Return the place and the axes of an origin; its angles are about fixed axes x, y, z."""
        x, y, z = self._numbers(element, "rpy", "0 0 0", 3).tolist()
        return self._numbers(element, "xyz", "0 0 0", 3), euler("xyz", x, y, z)

    def _named(self, element: ET.Element) -> str:
        name = element.get("name")
        if not name:
            raise InputError(f"{self.said.source}: a <{element.tag}> has no name.")
        return name

    def _linked(self, element: ET.Element, end: str) -> str:
        """Return the link that a joint, loop or coupling names. Raises InputError."""
        found = element.find(end)
        name = "" if found is None else found.get("link", "")
        if not any(name == link.get("name") for link in self.root.iterfind("link")):
            what = f"<{element.tag} name={element.get('name')!r}>"
            raise InputError(f"{self.said.source}: {what} has the {end} {name!r}, which is no link.")
        return name

    # ------------------------------------------------------------------ links and joints

    def _link(self, element: ET.Element) -> None:
        name, given = self._named(element), element.find("inertial")
        if name in self.said.links:
            raise InputError(f"{self.said.source}: there are several links {name!r}.")
        link = RobotLink(name)
        if given is not None and given.find("mass") is not None:
            place, turn = self._origin(given.find("origin"))
            tensor, known = np.zeros((3, 3)), given.find("inertia")
            for j, a in enumerate("xyz"):
                for k, b in enumerate("xyz"):
                    tensor[j, k] = self._number(known, f"i{min(a, b)}{max(a, b)}", 0.0)
            mass = self._number(given.find("mass"), "value", 0.0)
            link.weight = self.said.weight(name, mass, tensor, place, turn)
        for word, found in (("visual", link.shapes), ("collision", link.collisions)):
            for each in element.iterfind(word):
                place, turn = self._origin(each.find("origin"))
                found += list(self._shapes(each.find("geometry"), name, word, place, turn))
        self.said.links[name] = link

    def _shapes(self, geometry: ET.Element | None, link: str, word: str, at: Array, turn: Array) -> Iterator[Any]:
        for each in geometry if geometry is not None else ():
            if each.tag == "mesh":
                scale, where = self._numbers(each, "scale", "1 1 1", 3), f"link/{word}/geometry/mesh"
                named = each.get("filename", "")
                yield from solids.mesh_file(self.said, where, link, named, scale, at, turn, self.packages)
            elif each.tag in ("box", "sphere", "cylinder", "capsule"):
                sizes = [self._numbers(each, name, "", size) for name, size in solids.FIELDS[each.tag]]
                yield from solids.solid(each.tag, np.concatenate(sizes), at, turn)

    def _ordered(self) -> Iterator[ET.Element]:
        """Yield joints, each behind that of its parent, and place the roots. Raises InputError for what is no tree."""
        if len(self.of_child) < len(self.joints):
            children = [self._linked(x, "child") for x in self.joints]
            twice = next(name for name in children if children.count(name) > 1)
            raise InputError(
                f"{self.said.source}: the link {twice!r} is the child of two joints, which makes a loop, but a"
                " URDF is a tree: leave out one of them and close the loop by `loops` or a <loop>."
            )
        behind: dict[str, list[ET.Element]] = {}
        for x in self.joints:
            behind.setdefault(self._linked(x, "parent"), []).append(x)
        waiting = [name for name in self.said.links if name not in self.of_child]
        for name in waiting:
            free = self.base == "free"
            kind: Any = "free" if free else "fixed"
            self.said.moves.append(
                Move(name, kind, WORLD, name, np.zeros(3), np.eye(3), np.array([0.0, 0.0, 1.0]), np.zeros(3))
            )
        count = 0
        while waiting:
            for x in behind.get(waiting.pop(0), []):
                count += 1
                waiting.append(self._linked(x, "child"))
                yield x
        if count < len(self.joints):
            raise InputError(f"{self.said.source}: joints run in a circle, so that no link is the root.")

    def _joint(self, element: ET.Element) -> None:
        name, word = self._named(element), element.get("type", "")
        if any(move.name == name and move.parent != WORLD for move in self.said.moves):
            raise InputError(f"{self.said.source}: there are several joints {name!r}.")
        if word not in KINDS:
            raise InputError(f"{self.said.source}: the joint {name!r} is of the unknown type {word!r}.")
        place, turn = self._origin(element.find("origin"))
        axis = self._numbers(element.find("axis"), "xyz", "1 0 0", 3)
        size = float(np.linalg.norm(axis))
        if size == 0.0:
            if KINDS[word] in ("hinge", "slide", "planar"):
                raise InputError(f"{self.said.source}: the axis of the joint {name!r} is zero.")
            axis, size = np.array([1.0, 0.0, 0.0]), 1.0
        parent, child = self._linked(element, "parent"), self._linked(element, "child")
        move = Move(name, KINDS[word], parent, child, place, turn, axis / size, np.zeros(3))
        if move.kind == "free":  # its coordinates are those of space, whatever its parent
            move.name = child
        self._limit(move, element.find("limit"), word)
        dynamics = element.find("dynamics")
        for field in ("damping", "friction"):
            value = self._number(dynamics, field, 0.0)
            if value < 0.0:
                self.said.leave(f"joint/dynamics@{field}", name, "it is negative, and left out")
            setattr(move, field, max(value, 0.0))
        self.said.moves.append(move)
        self.said.places.setdefault(name, Place(child, np.zeros(3), np.eye(3)))
        mimic = element.find("mimic")
        if mimic is not None:
            leader = mimic.get("joint", "")
            factors = (self._number(mimic, "offset", 0.0), self._number(mimic, "multiplier", 1.0))
            self.said.rules.append(Rule(f"{name} mimic", [(name, 1.0)], [(leader, 1.0)], factors, "joint/mimic"))

    def _limit(self, move: Move, limit: ET.Element | None, word: str) -> None:
        if limit is None or word not in ("revolute", "prismatic"):
            return
        if limit.get("lower") is None and limit.get("upper") is None:
            text = "it has neither lower nor upper, and so no ends here (by the letter of URDF both would be 0)"
            self.said.leave("joint/limit", move.name, text)
            return
        lower, upper = self._number(limit, "lower", 0.0), self._number(limit, "upper", 0.0)
        if lower < upper:
            move.lower, move.upper = lower, upper
        else:
            self.said.leave("joint/limit", move.name, "its range is empty or a point, and left out")

    # ------------------------------------------------------------------ loops

    def _closure(self, element: ET.Element) -> Closure | None:
        found = CLOSURES.get(element.get("type", ""))
        if found is None:
            text = f"its type {element.get('type')!r} is not known, so that the loop is open"
            self.said.leave(element.tag, self._named(element), text)
        return found

    def _constraint(self, element: ET.Element) -> None:
        kind = self._closure(element)
        if kind is None:
            return
        places, axes = [], []
        for end in ("parent", "child"):
            point, turn = self._origin(element.find(f"{end}_origin"))
            places.append(Place(self._linked(element, end), point, turn))
            axes.append(self._axis(element, f"{end}_axis"))
        self.said.loops.append(RobotLoop(self._named(element), kind, places[0], places[1], axes[0], axes[1]))

    def _loop(self, element: ET.Element) -> None:
        kind = self._closure(element)
        if kind is None:
            return
        places = []
        for end in ("predecessor", "successor"):
            inner = element.find(end)
            point, turn = self._origin(None if inner is None else inner.find("origin"))
            places.append(Place(self._linked(element, end), point, turn))
        axis = self._axis(element, "axis")
        self.said.loops.append(RobotLoop(self._named(element), kind, places[0], places[1], axis, axis))

    def _axis(self, element: ET.Element, word: str) -> tuple[float, ...]:
        return tuple(self._numbers(element.find(word), "xyz", "1 0 0", 3).tolist())

    def _coupling(self, element: ET.Element) -> None:
        ratio = self._number(element.find("ratio"), "value", 1.0)
        ways = [self._way(self._linked(element, end)) for end in ("predecessor", "successor")]
        shared = {name for name in ways[0] if name in ways[1]}
        own: list[Terms] = [[(name, 1.0) for name in way if name not in shared] for way in ways]
        if not all(own):
            self.said.leave("coupling", self._named(element), "no joint lies between its links and what carries both")
            return
        self.said.rules.append(Rule(self._named(element), own[1], own[0], (0.0, ratio), "coupling"))

    def _way(self, link: str) -> list[str]:
        """Return the joints from the root to a link that move."""
        found = []
        while link in self.of_child:
            element = self.of_child[link]
            if element.get("type") != "fixed":
                found.append(self._named(element))
            link = self._linked(element, "parent")
        return found[::-1]

    def _home(self) -> dict[str, float]:
        """Return the values nearest to 0 that ranges and leaders allow, where they are not 0."""
        found = {move.name: min(max(0.0, move.lower), move.upper) for move in self.said.moves if move.kind != "free"}
        for rule in self.said.rules * len(self.said.rules):  # a follower may lead another
            if rule.where == "joint/mimic" and rule.leaders[0][0] in found:
                offset, factor = rule.coefficients
                found[rule.joints[0][0]] = offset + factor * found[rule.leaders[0][0]]
        return {name: value for name, value in found.items() if value}

    # ------------------------------------------------------------------ motors, and what is left

    def _motors(self) -> None:
        """Give motors to the joints of transmissions; where there are none, the file says nothing of motors."""
        said = {x.get("name") for each in self.root.iterfind("transmission") for x in each.iterfind("joint")}
        chosen = [move.name for move in self.said.moves if move.kind in ("hinge", "slide") and move.name in said]
        self.said.drives = [Drive(name, [(name, 1.0)]) for name in chosen]
        self.said.drives_guessed = not chosen


def loop_of_frames(said: RobotFile, names: tuple[str, str], kind: str, where: str) -> None:
    """Add a loop, said somewhere, in which two frames, links or joints by name, coincide. Raises InputError."""
    places = []
    for name in names:
        if name not in said.links and name not in said.places:
            raise InputError(f"{where}: a loop is closed at {name!r}, which is no link and no joint of {said.source}.")
        own = Place(name, np.zeros(3), np.eye(3))
        places.append(own if name in said.links else said.places[name])
    closure: dict[str, Closure] = {"3d": "point", "6d": "weld"}
    if kind.lower() not in closure:
        raise InputError(f"{where}: the loop {names[0]!r} has the type {kind!r}; expected 3d or 6d.")
    said.loops.append(RobotLoop(f"{names[0]} to {names[1]}", closure[kind.lower()], places[0], places[1]))
