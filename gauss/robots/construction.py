"""From a description to a `Robot`: links that are fixed to one another become one body, moves become joints.

Axes of bodies are those of space where all joints have the value 0, so that angles and displacements are those of the
file. Between several joints of one link, and where links have no mass, there are `Carried` bodies.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gauss.bodies.body.body import GROUND, AnyBody, Body, Carried
from gauss.bodies.forces.bushings import Bushing
from gauss.bodies.forces.dry_friction import Brake
from gauss.bodies.forces.forces import Wrench
from gauss.bodies.joints.drivers import Armature, Driver, JointSpring, Limit, Motor, Servo
from gauss.bodies.joints.joint import Joint
from gauss.bodies.joints.spatial_joints import (
    Cylindrical,
    Distance,
    PlanarJoint,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    Weld,
)
from gauss.bodies.joints.transmissions import Follower
from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.geometry.meshes import DRAWN, Mesh
from gauss.geometry.outline import Shape
from gauss.robots.links import PlacedLinks
from gauss.robots.reading.description import WORLD, Drive, Move, Place, RobotFile, RobotLoop, Rule, Thrust, Weight
from gauss.robots.reading.meshes import MeshFile
from gauss.robots.robot import MovedShape, NamedFrame, NamedFrames, Robot

ALL_DRAWN, FEWEST = 6000, 60  # triangles of all meshes of a robot in a drawing, and at least of each
SUFFIXES = {"planar": ("_displacement1", "_displacement2", "_angle"), "ball": ("_qw", "_qx", "_qy", "_qz")}
FREE = ("_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz")


def robot_of(said: RobotFile) -> Robot:
    """Return the robot of a description. Raises InputError for what is no tree of links with mass."""
    return _Construction(said).robot()


def with_words(said: RobotFile) -> tuple[Robot, dict[str, str]]:
    """Return the robot of a description, and the names in it of the joints and free bodies of the file."""
    made = _Construction(said)
    robot = made.robot()
    free = {move.name: made.bodies[move.child].name for move in said.moves if move.kind == "free"}
    return robot, made.words | free


class _Names:
    """Identifiers for names of a file, each once."""

    def __init__(self) -> None:
        self.used: set[str] = set()

    def of(self, name: str, otherwise: str) -> str:
        word = re.sub(r"\W", "_", name).strip("_") or otherwise
        word = f"{otherwise}_{word}" if not word[0].isalpha() or keyword.iskeyword(word) else word
        base, k = word, 2
        while word in self.used:
            word, k = f"{base}_{k}", k + 1
        self.used.add(word)
        return word


class _Construction:
    """The parts of a robot as they come into being."""

    def __init__(self, said: RobotFile):
        self.said = said
        self.names, self.joint_names = _Names(), _Names()
        self.placed = PlacedLinks(said)
        self.bodies: dict[str, AnyBody] = {WORLD: GROUND}  # by head
        self.joints: dict[str, Joint] = {}  # by name in the file
        self.words: dict[str, str] = {}  # names of joints in the file → in the robot
        self.links: list[Any] = []
        self.forces: list[Any] = []
        self.controls: list[str] = []

    def robot(self) -> Robot:
        """Return the robot."""
        said = self.said
        self._make_bodies()
        for move in said.moves:
            if move.kind not in ("fixed", "free"):
                self._make_joint(move)
        spanning = tuple(joint.name for joint in self.links)
        for move in said.moves:
            self._make_parts(move)
        for loop in said.loops:
            self._close(loop)
        for rule in said.rules:
            self._make_rule(rule)
        driven: list[str] = []
        for drive in said.drives:
            driven += self._make_thrust(drive) if isinstance(drive, Thrust) else self._make_drive(drive)
        bodies = [body for head, body in self.bodies.items() if head != WORLD]
        if not bodies:
            light = [move.child for move in said.moves if move.kind == "fixed" and move.name in self.placed.idle]
            why = (
                f"the link {light[0]!r} has no mass" if light else "a URDF whose root has mass may be given base='free'"
            )
            raise InputError(f"{said.source}: nothing in it moves; {why}.")
        return Robot(
            said.name,
            bodies,  # type: ignore[arg-type]
            self.links,
            self.forces,
            said.gravity.tolist(),
            controls=tuple(self.controls),
            coordinates="joint",
            frames=self._frames(),
            poses={name: self._values(values) for name, values in said.poses.items()},
            motors=tuple(dict.fromkeys(driven)),
            unread=tuple(said.unread),
            shapes=self._shapes(),
            collisions=self._collisions(),
            source=said.source,
            spanning=spanning,
        )

    # ------------------------------------------------------------------ bodies

    def _make_bodies(self) -> None:
        total = self.placed.weights()
        for move in self.said.moves:
            if move.kind == "fixed":
                continue
            inertia, share = total.get(move.child, Weight()).inertia()
            for link in (name for name, head in self.placed.head.items() if head == move.child):
                text = self.said.links[link].weight.objection(share)
                if text:
                    self.said.leave("inertial", link, text)
            name = self.names.of(move.child, "body")
            if inertia.rank < 2 and move.kind == "free":
                raise InputError(
                    f"{self.said.source}: the link {move.child!r} moves freely, but its mass (with what is fixed to it)"
                    " lies in a point or on a line, or is none, so that its rotation is not determined."
                )
            self.bodies[move.child] = Body(name, inertia) if inertia.rank >= 2 else Carried(name, inertia)

    def _seen(self, place: Place) -> tuple[AnyBody, Array, Array]:
        """Return the body of a frame, its origin and its axes in those of the body."""
        head = self.placed.head[place.link]
        point, turn = self.placed.in_space(place)
        return self.bodies[head], point - self.placed.at[head][0], turn

    def _frames(self) -> dict[str, NamedFrame]:
        own = {name: Place(name, np.zeros(3), np.eye(3)) for name in self.said.links}
        found = NamedFrames()
        for name, place in (self.said.places | own).items():
            body, point, turn = self._seen(place)
            found[name] = NamedFrame(body, tuple(point.tolist()), turn)
        return found

    def _shapes(self) -> dict[str, tuple[Shape, ...]]:
        """Return the shapes that are drawn, by body; many meshes are coarser than few."""
        found: dict[str, tuple[Shape, ...]] = {}
        meshes = sum(isinstance(shape, Mesh | MeshFile) for link in self.said.links.values() for shape in link.shapes)
        most = min(DRAWN, max(FEWEST, ALL_DRAWN // max(meshes, 1)))
        for name, link in self.said.links.items():
            drawn = (replace(each, most=most) if isinstance(each, Mesh | MeshFile) else each for each in link.shapes)
            body, moved = self._moved(name, tuple(drawn))
            if moved:
                found[body.name] = (*found.get(body.name, ()), *moved)
        return found

    def _collisions(self) -> dict[str, tuple[Any, ...]]:
        """Return the shapes that touch, in axes of their bodies, by link; those of the ground by the name of none."""
        found = {name: self._moved(name, link.collisions)[1] for name, link in self.said.links.items()}
        found[WORLD] = tuple(self.said.ground)
        return {name: shapes for name, shapes in found.items() if shapes}

    def _moved(self, name: str, shapes: Sequence[Any]) -> tuple[AnyBody, tuple[Any, ...]]:
        """Return the body of a link, and shapes of the link in axes of the body."""
        body, point, turn = self._seen(Place(name, np.zeros(3), np.eye(3)))
        return body, tuple(MovedShape(shape, tuple(point.tolist()), turn) for shape in shapes)

    # ------------------------------------------------------------------ joints

    def _make_joint(self, move: Move) -> None:
        placed = self.placed
        p, R = placed.at[move.child]
        point, axis = p + R @ move.anchor, tuple((R @ move.axis).tolist())
        one, two = (self.bodies[placed.head[link]] for link in (move.parent, move.child))
        ends = one, placed.from_head(move.parent, point), two, placed.from_head(move.child, point)
        word = self.joint_names.of(move.name, "joint")
        self.words[move.name] = word
        if move.kind == "ball":
            joint: Joint = Spherical(word, *ends)
        elif move.kind == "slide":
            joint = Prismatic(word, *ends, axis1=axis)
        else:
            joint = (Revolute if move.kind == "hinge" else PlanarJoint)(word, *ends, axis, axis)
        self.joints[move.name] = joint
        self.links.append(joint)

    def _make_parts(self, move: Move, closing: bool = False) -> None:
        """Make springs, dampers, friction, rotors and limits of a joint of the tree, or of one that closes a loop."""
        if move.kind == "fixed" or not any(
            (move.stiffness, move.damping, move.friction, move.armature, np.isfinite((move.lower, move.upper)).any())
        ):
            return
        single = move.kind in ("hinge", "slide")
        if not single:
            for word, meaning in (
                ("stiffness", "its spring is left out"),
                ("friction", "its dry friction is left out"),
                ("armature", "the inertia of its rotors is left out"),
            ):
                if getattr(move, word):
                    self.said.leave(f"joint@{word}", move.name, f"on a {move.kind} joint {meaning}")
            if move.damping:
                body = self.bodies[self.placed.head[move.child]]
                joint = self.joints.get(move.name)
                ends: tuple[Any, Any, Any, Any] = (GROUND, (0, 0, 0), body, (0, 0, 0))
                if joint is not None:
                    ends = (joint.body1, joint.point1, joint.body2, joint.point2)
                name = f"{self.words.get(move.name, body.name)} damper"
                linear = 0.0 if joint is not None else move.damping
                self.forces.append(Bushing(name, *ends, damping=linear, torsional_damping=move.damping))
            return
        joint, word = self.joints[move.name], self.words[move.name]
        if move.stiffness or move.damping:
            self.forces.append(JointSpring(f"{word} spring", joint, move.stiffness, move.rest, move.damping))
        if move.armature:
            self.forces.append(Armature(f"{word} rotor", joint, move.armature))
        if move.friction:
            self.links.append(Brake(f"{word} friction", joint, move.friction))
        if np.isfinite((move.lower, move.upper)).any():
            turns = not move.upper - move.lower < 2.0 * np.pi
            if move.kind == "hinge" and turns and closing:
                text = "its range is a turn or more, which a joint that closes a loop does not count: it has no ends"
                self.said.leave("joint@range", move.name, text)
            else:
                self.links.append(Limit(f"{word} limit", joint, move.lower, move.upper))

    def _close(self, loop: RobotLoop) -> None:
        (one, p, R), (two, q, S) = self._seen(loop.one), self._seen(loop.two)
        if one is two:
            self.said.leave("loop", loop.name, "both frames are on one body, so that there is nothing to close")
            return
        ends = loop.name, one, tuple(p.tolist()), two, tuple(q.tolist())
        axes = [tuple((T @ np.array(e)).tolist()) for T, e in ((R, loop.axis), (S, loop.axis2 or loop.axis))]
        turn = R @ S.T
        makers: dict[str, Callable[[], Joint]] = {
            "point": lambda: Spherical(*ends),
            "weld": lambda: Weld(*ends, orientation=turn),
            "slide": lambda: Prismatic(*ends, orientation=turn, axis1=axes[0]),
            "hinge": lambda: Revolute(*ends, *axes),
            "cylinder": lambda: Cylindrical(*ends, *axes),
            "cross": lambda: Universal(*ends, *axes),
            "plane": lambda: PlanarJoint(*ends, *axes),
            "rod": lambda: Distance(*ends, loop.length),
        }
        joint = makers[loop.kind]()
        self.links.append(joint)
        if loop.move is not None:
            self.joints[loop.name], self.words[loop.name] = joint, loop.name
            self._make_parts(loop.move, closing=True)

    def _make_rule(self, rule: Rule) -> None:
        terms = [[(self.joints[name], c) for name, c in given if name in self.joints] for given in
                 (rule.joints, rule.leaders)]  # fmt: skip
        if len(terms[0]) < len(rule.joints) or len(terms[1]) < len(rule.leaders):
            self.said.leave(rule.where, rule.name, "a joint of it is fixed or unknown, so that it is left out")
        elif terms[1]:
            self.links.append(Follower(rule.name, terms[0], terms[1], rule.coefficients))
        else:
            joint, factor = terms[0][0]
            self.links.append(Driver(rule.name, joint, rule.coefficients[0] / factor))

    # ------------------------------------------------------------------ drives

    def _control(self, name: str) -> str:
        """Return the name of the control of a motor, which no joint has."""
        word = self.joint_names.of(f"{name}_motor" if name in self.words else name, "motor")
        self.controls.append(word)
        return word

    def _make_drive(self, drive: Drive) -> list[str]:
        """Make the motor of a drive, and return its joints."""
        terms = [(self.joints[name], factor) for name, factor in drive.terms if name in self.joints]
        if len(terms) < len(drive.terms):
            self.said.leave("actuator", drive.name, "its joint is fixed or unknown, so that it is left out")
            return []
        single = len(terms) == 1
        if not single and (drive.stiffness or drive.damping):
            self.said.leave("actuator", drive.name, "a servo on several joints is left out")
            return []
        control = self._control(drive.name)
        for joint, factor in terms:
            name = f"{control} drive" if single else f"{control} on {joint.name}"
            k, c = drive.stiffness * factor**2, drive.damping * factor**2
            signal = _Signal(control, drive.gain * factor, drive.bias * factor)
            if k:
                self.forces.append(Servo(name, joint, signal.over(k), k, c))
            elif c:
                self.forces.append(Servo(name, joint, 0.0, 0.0, c, signal.over(c)))
            else:
                self.forces.append(Motor(name, joint, signal))
        return [joint.name for joint, _ in terms]

    def _make_thrust(self, thrust: Thrust) -> list[str]:
        body, point, turn = self._seen(thrust.place)
        if body is GROUND:
            self.said.leave("actuator", thrust.name, "it acts on the ground, so that it is left out")
            return []
        control = self._control(thrust.name)
        force, torque = (
            _Scaled(_Signal(control, thrust.gain, thrust.bias), tuple((turn @ x).tolist()))
            for x in (thrust.force, thrust.torque)
        )
        self.forces.append(Wrench(f"{control} drive", body, tuple(point.tolist()), force, torque, axes="body"))
        return []

    def _values(self, given: Mapping[str, float]) -> dict[str, float]:
        """Return values by names of the file as values by names of the robot; those of fixed joints are dropped."""
        found = {}
        for move in self.said.moves:
            own = self.words.get(move.name)
            if move.kind == "free":
                own = self.bodies[move.child].name
            for suffix in FREE if move.kind == "free" else SUFFIXES.get(move.kind, ("",)):
                if own is not None and move.name + suffix in given:
                    found[own + suffix] = float(given[move.name + suffix])
            if move.kind == "ball" and f"{own}_qw" in found:  # from axes of the link to those of its body
                axis = [found[f"{own}_q{x}"] for x in "xyz"]
                for x, value in zip("xyz", self.placed.at[move.child][1] @ np.array(axis), strict=True):
                    found[f"{own}_q{x}"] = float(value)
        return found


class _Signal:
    """A control times a gain, with a bias; a model function of u."""

    def __init__(self, control: str, gain: float, bias: float):
        self.control, self.gain, self.bias = control, gain, bias

    def __call__(self, u: Any) -> Any:
        return self.gain * u[self.control] + self.bias if self.bias else self.gain * u[self.control]

    def over(self, divisor: float) -> _Signal:
        """Return the signal divided by a number."""
        return _Signal(self.control, self.gain / divisor, self.bias / divisor)


class _Scaled:
    """A vector times a signal."""

    def __init__(self, signal: _Signal, vector: tuple[float, ...]):
        self.signal, self.vector = signal, vector

    def __call__(self, u: Any) -> Any:
        return [x * self.signal(u) for x in self.vector]
