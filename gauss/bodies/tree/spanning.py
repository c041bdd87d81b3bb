"""The spanning tree of a mechanism: from which body each body is reached, and which joints close loops."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gauss.bodies.body.body import Body, Ground
from gauss.bodies.body.rods_and_particles import PlanarBody
from gauss.bodies.forces.dry_friction import PinFriction
from gauss.bodies.joints.joint import Joint
from gauss.bodies.tree.steps import PARTS, Step, coordinates_of, free_steps, plane_steps, steps_of

GROUND = -1  # the parent of what hangs on the ground or on nothing


@dataclass(frozen=True, eq=False)
class TreeNode:
    """A body, and how it is reached."""

    body: Any  # a Body or PlanarBody
    parent: int  # the node that it hangs on, or GROUND
    joint: Joint | None  # None of a body that nothing holds
    forwards: bool  # whether the joint leads from body 1 to body 2
    steps: tuple[Step, ...]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The names of its coordinates, in the order of the steps."""
        return tuple(name for step in self.steps for name in step.names)


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes, each behind its parent; joints that close loops; bodies that keep coordinates of their own."""

    nodes: tuple[TreeNode, ...]
    loops: tuple[Any, ...]  # joints and other links that are rows
    loose: tuple[Any, ...]  # rods and particles

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """All names: of the tree, then of rods and particles."""
        own = (name for node in self.nodes for name in node.coordinates)
        return (*own, *(name for body in self.loose for name in body.coordinates))

    @cached_property
    def natural(self) -> dict[str, int]:
        """The node of each natural coordinate of the bodies of the tree."""
        return {name: k for k, node in enumerate(self.nodes) for name in node.body.coordinates}

    @cached_property
    def own(self) -> dict[tuple[int, str], str]:
        """The coordinates that are the angle or displacement of a joint, by the joint's `id` and motion."""
        found = {}
        for node in self.nodes:
            if node.joint is None:
                continue
            for name, (kind, _, _) in zip(coordinates_of(node.joint), PARTS[type(node.joint)], strict=False):
                if len(PARTS[type(node.joint)]) <= 2 and kind != "ball":
                    found[id(node.joint), "angle" if kind == "turn" else "displacement"] = name
        return found

    @cached_property
    def balls(self) -> tuple[tuple[TreeNode, Step], ...]:
        """The steps by unit quaternions, with their nodes."""
        return tuple((node, step) for node in self.nodes for step in node.steps if step.kind == "ball")

    @cached_property
    def length(self) -> float:
        """The sum of the lengths (m) of all bodies between their joints."""
        return sum(
            float(np.linalg.norm(x)) for node in self.nodes for step in node.steps for x in (step.place, step.tail)
        )

    def units(self) -> Iterator[tuple[str, str]]:
        """Yield the units of the coordinates."""
        for node in self.nodes:
            for step in node.steps:
                for name in step.names:
                    yield name, {"turn": "rad", "slide": "m", "ball": "1", "fixed": ""}[step.kind]
        for body in self.loose:
            yield from ((name, "m") for name in body.coordinates)


def spanning_tree(
    bodies: Sequence[Any], joints: Sequence[Any], names: Sequence[str] = (), seen: Sequence[str] = ()
) -> Tree:
    """Return the tree from the ground; of the joints of a loop those with the fewest rows close it, the farthest first.

    Where `names` are given, no other joints belong to the tree; those whose multipliers forces see (`seen`) do not.

    A body that no joint of the tree holds hangs on nothing: it has three displacements and a unit quaternion, in the
    plane two displacements and an angle.
    """
    turning = [body for body in bodies if isinstance(body, Body | PlanarBody)]
    at = {id(body): k for k, body in enumerate(turning)}
    able = [joint for joint in _able(joints, names, seen) if all(_known(body, at) for body in joint.bodies)]
    around: dict[int, list[int]] = {}
    for k, joint in enumerate(able):
        for body in joint.bodies:
            around.setdefault(GROUND if isinstance(body, Ground) else at[id(body)], []).append(k)
    reached: dict[int, int] = {GROUND: GROUND}  # body → node
    nodes: list[TreeNode] = []
    used: set[int] = set()

    def grow(start: int) -> None:
        heap: list[tuple[int, int, int, int]] = []

        def offer(body: int, depth: int) -> None:
            for k in around.get(body, ()):
                heapq.heappush(heap, (_freedoms(able[k]), depth, k, body))

        offer(start, 0)
        while heap:
            _, depth, k, body = heapq.heappop(heap)
            joint = able[k]
            ends = [GROUND if isinstance(b, Ground) else at[id(b)] for b in joint.bodies]
            forwards = ends[0] == body
            other = ends[1] if forwards else ends[0]
            if other in reached:
                continue
            used.add(k)
            reached[other] = len(nodes)
            nodes.append(TreeNode(turning[other], reached[body], joint, forwards, steps_of(joint, forwards)))
            offer(other, depth + 1)

    grow(GROUND)
    for k, body in enumerate(turning):
        if k not in reached:
            reached[k] = len(nodes)
            steps = free_steps(body.name) if isinstance(body, Body) else plane_steps(body.name)
            nodes.append(TreeNode(body, GROUND, None, True, steps))
            grow(k)
    kept = {id(able[k]) for k in used}
    return Tree(
        tuple(nodes),
        tuple(joint for joint in joints if id(joint) not in kept),
        tuple(body for body in bodies if not isinstance(body, Body | PlanarBody)),
    )


def _able(joints: Sequence[Any], names: Sequence[str], seen: Sequence[str]) -> list[Joint]:
    """Return the joints that a tree may have: rows that carry a load stay rows."""
    loaded = {joint.pin.name for joint in joints if isinstance(joint, PinFriction)} | set(seen)
    wanted = [joint for joint in joints if not names or joint.name in names]
    return [joint for joint in wanted if type(joint) in PARTS and joint.name not in loaded]


def _known(body: Any, at: dict[int, int]) -> bool:
    return isinstance(body, Ground) or id(body) in at


def _freedoms(joint: Joint) -> int:
    return sum(3 if kind == "ball" else 1 for kind, _, _ in PARTS[type(joint)])
