"""SDFormat, the format of Gazebo: links and joints by poses in one model, whose joints may close loops.

Poses are relative to the frame that ``relative_to`` names (``frame`` before version 1.7), else those of links and
frames to the model, of joints to their child, as the specification at sdformat.org has it. All joints have the value 0
where the file draws them. Joints that join what nothing joined before, in the order of the file, make a tree; each
other one closes a loop.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import scipy

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.robots.reading import solids
from gauss.robots.reading.description import INFINITY, WORLD, Kind, Move, Place, RobotFile, RobotLink, RobotLoop, Rule
from gauss.robots.reading.frames import Frames, model_frame
from gauss.robots.reading.markup import leave_unknown
from gauss.robots.reading.packages import Packages
from gauss.robots.reading.words import CLOSURES, KINDS, READ, Meanings

ENDLESS = 1e16  # rad or m, from which on the ends of a range are none, as SDFormat writes them


def read_sdf(
    root: ET.Element, source: str, base: Literal["fixed", "free"] | None, name: str | None, packages: Packages
) -> RobotFile:
    """Return what an SDF file says, its loops included. Raises InputError for what has no meaning."""
    said = RobotFile(name or "robot", source, np.array([0.0, 0.0, -9.8]))
    said.drives_guessed = True
    reader = _Sdf(root, said, base, packages)
    reader.read()
    said.name = name or reader.first
    leave_unknown(said, root, READ, Meanings(), "sdf")
    return said


@dataclass(eq=False)
class _Joint:
    """A joint of the file."""

    name: str
    kind: str
    scope: str  # the model that it is in, with :: behind it
    element: ET.Element
    parent: str  # links; the ground is WORLD
    child: str
    axes: list[Array] = field(default_factory=list)  # in space


class _Sdf:
    """The elements of an SDF file and what they say."""

    def __init__(self, root: ET.Element, said: RobotFile, base: str | None, packages: Packages):
        self.root, self.said, self.base, self.packages = root, said, base, packages
        self.frames = Frames(root, said.source)
        self.joints: list[_Joint] = []
        self.first = "robot"

    def read(self) -> None:
        """Read all that is known."""
        worlds = self.root.findall("world")
        holder = worlds[0] if worlds else self.root
        if len(worlds) > 1:
            self.said.leave("sdf/world", worlds[1].get("name", ""), "the first world alone is read")
        if holder.find("gravity") is not None:
            self.said.gravity = self.frames.numbers(holder, "gravity", 3)
        models = holder.findall("model")
        if not models:
            raise InputError(f"{self.said.source}: there is no <model> in it.")
        self.first = self.frames.named(models[0])
        self.frames.read(models)
        self.said.poses["home"] = {}
        for name in self.frames.misplaced:
            text = "the origin of the model is put at its pose, not that frame"
            self.said.leave("model@placement_frame", name, text)
        for name, element in self.frames.of("link"):
            self._link(name, element)
        for name, element in self.frames.of("joint"):
            self._joint(name, element)
        self._span()

    # ------------------------------------------------------------------ links

    def _link(self, name: str, element: ET.Element) -> None:
        given = element.find("inertial")
        link = RobotLink(name)
        if name not in self.frames.static:
            if given is None:
                text = "a link without <inertial> has 1 kg and moments of 1 kg m², as SDFormat has it"
                self.said.leave("link/inertial", name, text)
            elif given.get("auto") in ("true", "1"):
                raise InputError(
                    f"{self.said.source}: the inertia of the link {name!r} is to be computed from its shapes, which is"
                    " not done here: write its mass and inertia out (`gz sdf --print --expand-auto-inertials`)."
                )
            place, turn = (np.zeros(3), np.eye(3)) if given is None else self.frames.pose(given)
            tensor = np.eye(3)
            for j, a in enumerate("xyz"):
                for k, b in enumerate("xyz"):
                    path = f"inertia/i{min(a, b)}{max(a, b)}"
                    tensor[j, k] = self.frames.number(given, path, float(a == b))
            link.weight = self.said.weight(name, self.frames.number(given, "mass", 1.0), tensor, place, turn)
        for word, shapes in (("visual", link.shapes), ("collision", link.collisions)):
            for each in element.iterfind(word):
                shapes += list(self._shapes(each, name, word))
        self.said.links[name] = link

    def _shapes(self, element: ET.Element, link: str, word: str) -> Iterator[Any]:
        at, turn = self.frames.pose(element)
        geometry = element.find("geometry")
        for each in geometry if geometry is not None else ():
            if each.tag == "mesh":
                scale = self.frames.numbers(each, "scale", 3, "1 1 1")
                where = f"link/{word}/geometry/mesh"
                yield from solids.mesh_file(
                    self.said, where, link, self.frames.text(each, "uri"), scale, at, turn, self.packages
                )
            elif each.tag in solids.FIELDS:
                sizes = [self.frames.numbers(each, tag, size) for tag, size in solids.FIELDS[each.tag]]
                yield from solids.solid(each.tag, np.concatenate(sizes), at, turn)
            elif each.tag == "plane" and word == "collision":
                yield solids.plane(self.frames.numbers(each, "normal", 3, "0 0 1"), at, turn)

    # ------------------------------------------------------------------ joints

    def _joint(self, name: str, element: ET.Element) -> None:
        scope, kind = name.removesuffix(self.frames.named(element)), element.get("type", "")
        ends = []
        for end in ("parent", "child"):
            text = self.frames.text(element, end)
            if not text:
                raise InputError(f"{self.said.source}: the joint {name!r} has no <{end}>.")
            ends.append(self.frames.link_of(self.frames.scoped(text, scope), name))
        if ends[0] == ends[1]:
            raise InputError(f"{self.said.source}: the joint {name!r} joins {ends[0]!r} to itself.")
        if kind not in KINDS and kind != "gearbox":
            raise InputError(f"{self.said.source}: the joint {name!r} is of the unknown type {kind!r}.")
        joint = _Joint(name, kind, scope, element, ends[0], ends[1])
        for word in ("axis", "axis2"):
            given = element.find(word)
            if given is not None or word == "axis":
                joint.axes.append(self._axis(given, joint))
        if len(joint.axes) < 2 and (kind == "gearbox" or KINDS[kind] == ("hinge", "hinge")):
            joint.axes.append(joint.axes[0])
        self.joints.append(joint)

    def _axis(self, given: ET.Element | None, joint: _Joint) -> Array:
        """Return an axis in space. Raises InputError."""
        axis = self.frames.numbers(given, "xyz", 3, "0 0 1")
        size = float(np.linalg.norm(axis))
        if not size:
            raise InputError(f"{self.said.source}: an axis of the joint {joint.name!r} is zero.")
        xyz = None if given is None else given.find("xyz")
        word = "" if xyz is None else xyz.get("expressed_in") or ""
        frame = self.frames.scoped(word, joint.scope) if word else joint.name
        of_model = self.frames.text(given, "use_parent_model_frame", "1" if self.frames.version < (1, 5) else "0")
        if not word and self.frames.version < (1, 7) and of_model in ("true", "1"):
            frame = model_frame(joint.scope)
        if frame != WORLD:
            self.frames.known(frame, joint.name)
        return np.asarray(self.frames.at(frame)[1] @ (axis / size))

    def _span(self) -> None:
        """Make moves of the joints of a tree, loops of the others."""
        tied = {name: name for name in self.said.links} | {WORLD: WORLD}

        def root(name: str) -> str:
            while tied[name] != name:
                name = tied[name]
            return name

        for name in self.said.links:
            if name in self.frames.static:
                tied[name] = WORLD
        tree, rest = list[_Joint](), list[_Joint]()
        for joint in sorted(self.joints, key=lambda joint: joint.kind in CLOSURES):  # what closes no loop comes first
            one, two = root(joint.parent), root(joint.child)
            if joint.kind == "gearbox" or one == two:
                rest.append(joint)
            else:
                tied[two] = one
                tree.append(joint)
        order = {joint.name: k for k, joint in enumerate(self.joints)}
        tree.sort(key=lambda joint: order[joint.name])
        rest.sort(key=lambda joint: order[joint.name])
        placed, own = [WORLD], tuple(self.said.links)
        for name in self.frames.static:
            if name in self.said.links:
                self._root(name, "fixed")
                placed.append(name)
        self._grow(tree, placed)
        children = {joint.child for joint in tree}
        for name in sorted(own, key=lambda name: name in children):
            if name not in placed:
                self._root(name, "fixed" if self.base == "fixed" else "free")
                placed.append(name)
                self._grow(tree, placed)
        gears = [joint for joint in rest if joint.kind == "gearbox"]
        for joint in rest:
            if joint.kind != "gearbox":
                self._close(joint)
        for joint in gears:
            self._gearbox(joint)
        for joint in self.joints:
            self._mimic(joint)

    def _root(self, name: str, kind: Kind) -> None:
        p, R = self.frames.at(name)
        axis, zero = np.array([0.0, 0.0, 1.0]), np.zeros(3)
        if kind == "free":
            x, y, z, w = scipy.spatial.transform.Rotation.from_matrix(R).as_quat().tolist()
            words = ("_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz")
            home = self.said.poses["home"]
            home |= {name + word: float(value) for word, value in zip(words, (*p, w, x, y, z), strict=True)}
        self.said.moves.append(Move(name, kind, WORLD, name, p, R, axis, zero))

    def _grow(self, tree: list[_Joint], placed: list[str]) -> None:
        """Add moves to all that the tree joins to links that are placed, the nearest first."""
        waiting = list(placed)
        while waiting:
            name = waiting.pop(0)
            for joint in tree:
                if name in (joint.parent, joint.child):
                    other = joint.child if joint.parent == name else joint.parent
                    if other not in placed:
                        self._move(joint, forwards=joint.parent == name)
                        placed.append(other)
                        waiting.append(other)

    def _move(self, joint: _Joint, forwards: bool) -> None:
        """Make the moves of a joint, from its child to its parent with turned axes, so that values stay the same."""
        kinds, start, end = KINDS[joint.kind], joint.parent, joint.child
        axes = [joint.axes[0], joint.axes[-1]]
        elements = [joint.element.find("axis"), joint.element.find("axis2")]
        names = [joint.name] if len(kinds) == 1 else [f"{joint.name}_{k}" for k in (1, 2)]
        if joint.kind == "screw":
            names, elements, axes = [joint.name, f"{joint.name}_shift"], [elements[0], None], [axes[0], axes[0]]
        steps = list(zip(names, kinds, axes, elements))
        sign = 1.0
        if not forwards:
            steps, start, end, sign = steps[::-1], end, start, -1.0
        origin = self.frames.at(joint.name)[0]
        for k, (name, kind, axis, element) in enumerate(steps):
            last = k == len(steps) - 1
            child = end if last else f"{joint.name} between"
            if not last:
                self.said.links[child] = RobotLink(child)
            p, R = self.frames.at(start if k == 0 else end)
            p2, R2 = self.frames.at(end)
            place, turn = R.T @ (p2 - p), R.T @ R2
            move = Move(name, kind, start, child, place, turn, sign * (R2.T @ axis), R2.T @ (origin - p2))
            self._parts(move, element)
            self.said.moves.append(move)
            start = child
        if joint.kind == "screw":
            turns = 2.0 * np.pi
            pitch = self.frames.number(joint.element, "screw_thread_pitch", 0.0)
            if not pitch:
                old = self.frames.number(joint.element, "thread_pitch", 0.0)  # −rad/m
                pitch = -turns / old if old else 1.0
            self.said.rules.append(
                Rule(f"{joint.name} thread", [(names[1], 1.0)], [(names[0], 1.0)], (0.0, pitch / turns), "joint")
            )
        point, turn = self._seen(joint.name, joint.child)
        self.said.places.setdefault(joint.name, Place(joint.child, point, turn))

    def _parts(self, move: Move, element: ET.Element | None) -> None:
        """Read range, spring, damper and friction of an axis."""
        if element is None:
            return
        lower, upper = (self.frames.number(element, f"limit/{end}", sign * INFINITY) for end, sign in
                        (("lower", -1.0), ("upper", 1.0)))  # fmt: skip
        if lower < upper:
            move.lower = lower if lower > -ENDLESS else -INFINITY
            move.upper = upper if upper < ENDLESS else INFINITY
        else:
            self.said.leave("joint/axis/limit", move.name, "its range is empty or a point, and left out")
        move.stiffness = self.frames.number(element, "dynamics/spring_stiffness", 0.0)
        move.rest = self.frames.number(element, "dynamics/spring_reference", 0.0)
        for word in ("damping", "friction"):
            value = self.frames.number(element, f"dynamics/{word}", 0.0)
            if value < 0.0:
                self.said.leave(f"joint/axis/dynamics/{word}", move.name, "it is negative, and left out")
            setattr(move, word, max(value, 0.0))

    def _seen(self, frame: str, link: str) -> tuple[Array, Array]:
        """Return the origin and the axes of a frame in those of a link."""
        (p, R), (p2, R2) = self.frames.at(frame), self.frames.at(link)
        return R2.T @ (p - p2), R2.T @ R

    def _close(self, joint: _Joint) -> None:
        closure = CLOSURES.get(joint.kind)
        if closure is None:
            self.said.leave(
                "joint", joint.name, f"a {joint.kind} joint that closes a loop is left out: the loop is open"
            )
            return
        one, two = (Place(link, *self._seen(joint.name, link)) for link in (joint.parent, joint.child))
        R = self.frames.at(joint.name)[1]
        axes = [tuple((R.T @ axis).tolist()) for axis in (joint.axes[0], joint.axes[-1])]
        zero = np.zeros(3)
        move = Move(joint.name, KINDS[joint.kind][0], joint.parent, joint.child, zero, R, zero, zero)
        self._parts(move, joint.element.find("axis"))
        own = move if move.kind in ("hinge", "slide") and joint.kind != "universal" else None
        parts = move.damping, move.friction, move.stiffness, *(x for x in (move.lower, move.upper) if np.isfinite(x))
        if own is None and any(parts):
            text = f"a {joint.kind} joint that closes a loop has no range, spring, damper or friction here"
            self.said.leave("joint/axis", joint.name, text)
        self.said.loops.append(RobotLoop(joint.name, closure, one, two, axes[0], axes[-1], move=own))
        self.said.places.setdefault(joint.name, two)

    def _gearbox(self, joint: _Joint) -> None:
        """θ₂ = −ratio θ₁, the angles from the reference body to the parent about axis, to the child about axis2."""
        ratio = self.frames.number(joint.element, "gearbox_ratio", 1.0)
        body = self.frames.text(joint.element, "gearbox_reference_body")
        reference = self.frames.link_of(self.frames.scoped(body, joint.scope), joint.name) if body else None
        terms = []
        for link, axis in ((joint.parent, joint.axes[0]), (joint.child, joint.axes[-1])):
            for move in self.said.moves:
                if move.kind == "hinge" and {move.parent, move.child} == {reference, link}:
                    turned = self.frames.at(move.child)[1] @ move.axis * (1.0 if move.child == link else -1.0)
                    along = float(turned @ axis)
                    if abs(along) > 1.0 - 1e-9:
                        terms.append((move.name, np.sign(along)))
                    break
        if len(terms) < 2:
            text = "its parent and child are not on hinges of the reference body along its axes, so that it is left out"
            self.said.leave("joint", joint.name, f"of gearboxes those are read whose: {text}")
            return
        (one, sign1), (two, sign2) = terms
        self.said.rules.append(Rule(joint.name, [(two, float(sign2))], [(one, float(sign1))], (0.0, -ratio), "joint"))

    def _mimic(self, joint: _Joint) -> None:
        """θ = multiplier (θ_leader − reference) + offset."""
        for k, word in enumerate(("axis", "axis2")):
            given = joint.element.find(f"{word}/mimic")
            if given is None:
                continue
            leader = joint.scope + given.get("joint", "")
            kinds = next((KINDS.get(x.kind, ()) for x in self.joints if x.name == leader), ())
            own = joint.name if len(KINDS.get(joint.kind, ())) < 2 else f"{joint.name}_{k + 1}"
            if len(kinds) == 2:
                leader += "_2" if given.get("axis") == "axis2" else "_1"
            factor, offset = self.frames.number(given, "multiplier", 1.0), self.frames.number(given, "offset", 0.0)
            constant = offset - factor * self.frames.number(given, "reference", 0.0)
            rule = Rule(f"{own} mimic", [(own, 1.0)], [(leader, 1.0)], (constant, factor), "joint/axis/mimic")
            self.said.rules.append(rule)
