"""Rows of joints that close loops, in axes of the body at which both sides of the loop begin.

What carries a loop does not change what its rows say. So they are functions of the loop's own coordinates, with entries
that are constant for good where the loop keeps them, across the plane of a plane loop say. In axes of space these would
be combinations of rows that vanish up to rounding only. Where such combinations have constant coefficients in axes of
that body, as the plane lies aslant in it, the rows are turned once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.bodies.forces.dry_friction import PinFriction
from gauss.bodies.joints.joint import Joint
from gauss.bodies.joints.planar_joints import Pin, Slider
from gauss.bodies.joints.spatial_joints import (
    Cylindrical,
    Distance,
    PlanarJoint,
    Prismatic,
    Revolute,
    RevoluteSpherical,
    Spherical,
    Universal,
    Weld,
)
from gauss.bodies.tree.places import TreePlaces
from gauss.bodies.tree.products import product, total
from gauss.bodies.tree.spanning import GROUND, Tree
from gauss.foundation.arrays import Array, is_symbol, symbolic
from gauss.foundation.zero import CLEAR, UNIT
from gauss.model.coordinates import Named

LENGTHS: dict[type, int] = {  # how many rows of a joint are lengths, which come first; the others are numbers
    **dict.fromkeys((Spherical, Revolute, Universal, Weld), 3),
    **dict.fromkeys((Cylindrical, Prismatic, Pin), 2),
    **dict.fromkeys((PlanarJoint, Slider), 1),
    **dict.fromkeys((Distance, RevoluteSpherical), 0),  # lengths and squares of lengths
}
VECTORS = (Spherical, Revolute, Universal, Weld, Pin)  # their first rows are a vector in axes of space
SAMPLES = 9  # positions at which rows are compared that the tree may keep: more than a joint has rows
Table = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class LoopFrame:
    """The axes of the rows of one joint."""

    joint: Joint
    root: int  # the node in whose axes they are
    turn: Table  # (m, m) orthogonal: the rows are these combinations of those in axes of the node; () for none

    def turned(self, rows: Sequence[Any]) -> list[Any]:
        """Return the rows from those in axes of the node."""
        if not self.turn:
            return list(rows)
        return [total(*(product(c, row) for c, row in zip(line, rows, strict=True))) for line in self.turn]

    def in_space(self, tree: Tree, q: Any, size: int) -> Array:
        """Return S (m, m): these rows are S times those in axes of space; q gives numbers by coordinate name."""
        S = np.eye(size)
        if self.root != GROUND and isinstance(self.joint, VECTORS):
            d = LENGTHS[type(self.joint)]
            S[:d, :d] = np.array(TreePlaces(tree, q).placed(self.root)[1], dtype=float)[:d, :d].T
        return np.array(self.turn) @ S if self.turn else S


def loop_frames(tree: Tree, turning: bool = True) -> dict[str, LoopFrame]:
    """Return the axes of the rows of joints that close loops by name, where they are not those of space.

    Without `turning` they are those of a body. Rows that carry a dry friction keep those of space.
    """
    loaded = {link.pin.name for link in tree.loops if isinstance(link, PinFriction)}
    found = {}
    for joint in tree.loops:
        if type(joint) not in LENGTHS or joint.name in loaded:
            continue
        root = _root(tree, joint)
        turn = _turn(tree, joint, root) if turning and not symbolic() else ()
        if turn or root != GROUND:
            found[joint.name] = LoopFrame(joint, root, turn)
    return found


def _root(tree: Tree, joint: Joint) -> int:
    """Return the last node on the ways from the ground to both bodies of a joint."""
    at = {id(node.body): k for k, node in enumerate(tree.nodes)}
    if any(id(body) not in at for body in joint.bodies):
        return GROUND
    one, two = (at[id(body)] for body in joint.bodies)
    while one != two:  # nodes come behind their parents
        one, two = (tree.nodes[one].parent, two) if one > two else (one, tree.nodes[two].parent)
    return one


def sampled(tree: Tree, function: Any, root: int = GROUND) -> Array | None:
    """Return the values (N, m) of a function of q at random positions, None where it returns no list."""
    rng = np.random.default_rng(0)
    reach = np.array([_reach(tree) if unit == "m" else 1.0 for _, unit in tree.units()])
    found = []
    for _ in range(SAMPLES):
        drawn = reach * rng.uniform(-1.0, 1.0, len(reach))
        values = dict(zip(tree.coordinates, drawn.tolist(), strict=True))
        for _, step in tree.balls:
            size = float(np.linalg.norm([values[name] for name in step.names]))
            values |= {name: values[name] / size for name in step.names}
        given = function(TreePlaces(tree, Named(tree.coordinates, [*values.values()]), root))
        if not isinstance(given, list | tuple):
            return None
        found.append([float(x) for x in given])
    return np.array(found)


def rounding_of(tree: Tree, squares: bool = False) -> float:
    """Return how far entries that the tree keeps may differ at random positions: by roundings of all lengths.

    `squares` are entries that are squares of lengths, as that of a rod.
    """
    slides, reach = sum(unit == "m" for _, unit in tree.units()), _reach(tree)
    return CLEAR * UNIT * max(1.0, (1 + slides) * reach) * (max(1.0, 2.0 * reach) if squares else 1.0)


def _reach(tree: Tree) -> float:
    """Return the lengths (m) of all bodies between their joints, those of loops too; 1 where there are none."""
    points = [getattr(joint, name, ()) for joint in tree.loops for name in ("point1", "point2")]
    ends = [float(np.linalg.norm(x)) for x in points if len(x) and not any(map(is_symbol, x))]
    return (tree.length + sum(ends)) or 1.0


def _turn(tree: Tree, joint: Joint, root: int) -> Table:
    """Return the combinations of rows of which more are constant than of the rows themselves, () where none are."""
    table = sampled(tree, joint.rows, root)
    if table is None:
        return ()
    m, small = table.shape[1], rounding_of(tree)
    found, better = np.eye(m), False
    for block in (slice(0, LENGTHS[type(joint)]), slice(LENGTHS[type(joint)], m)):
        change = table[1:, block] - table[0, block]
        if change.shape[1] < 2 or isinstance(joint, RevoluteSpherical):
            continue
        _, sizes, combinations = np.linalg.svd(change)
        kept = int(np.sum(sizes <= small))
        if kept > int(np.sum(np.max(np.abs(change), axis=0) <= small)):
            found[block, block], better = combinations, True
    return tuple(tuple(line) for line in found.tolist()) if better else ()
