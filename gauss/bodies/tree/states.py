"""States from joint coordinates to natural ones and back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from gauss.bodies.body.body import Body
from gauss.bodies.body.rods_and_particles import PlanarBody
from gauss.bodies.tree.loops import VECTORS, LoopFrame
from gauss.bodies.tree.places import TreePlaces, TreeRates
from gauss.bodies.tree.spanning import Tree, TreeNode
from gauss.bodies.tree.steps import coordinates_of
from gauss.errors import InputError
from gauss.foundation.arrays import Array, scalar
from gauss.foundation.tolerances import STEP
from gauss.model import System
from gauss.model.coordinates import Named

Values = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class NaturalTwin:
    """A mechanism in natural coordinates, as the twin of its system in joint coordinates."""

    mechanism: Any  # in joint coordinates

    @property
    def system(self) -> System:
        """Its system."""
        return self.mechanism.oriented.system  # type: ignore[no-any-return]

    def states(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Return natural coordinates, velocities and accelerations (N, n) from those of the tree, by a complex step."""
        tree, names = self.mechanism.tree, self.mechanism.tree.coordinates
        moved, turned = (Named(names, list((x + STEP * 1j * y).T)) for x, y in ((q, v), (v, a)))
        places, rates = natural_state(tree, moved, turned)
        order = self.system.coordinates
        count = len(q)
        found = [np.stack([np.broadcast_to(x[name], (count,)) for name in order], axis=1) for x in (places, rates)]
        return found[0].real.copy(), found[1].real.copy(), found[1].imag / STEP

    def multipliers(self, q: Array, given: Mapping[str, Array]) -> dict[str, Array]:
        """Return multipliers (N,) by row in natural coordinates from those at positions (N, n) of the tree.

        One that is nan makes those of its joint nan that it has a part in.
        """
        found, tree = dict(given), self.mechanism.tree
        for frame, rows in self._turned(given):
            values = np.array([given[row] for row in rows])
            shares = [frame.in_space(tree, Named(tree.coordinates, x.tolist()), len(rows)) for x in q]
            parts = np.einsum("nij,in->ijn", np.reshape(shares, (len(q), len(rows), len(rows))), values)
            found |= dict(zip(rows, np.sum(parts, axis=0), strict=True))
        return found

    def alike(self, names: Collection[str]) -> set[str]:
        """Return the rows in natural coordinates of which rows of the tree are combinations."""
        own = self.mechanism.system.row_names
        return set(names).union(*(rows for _, rows in self._turned(own) if not set(rows).isdisjoint(names)))

    def _turned(self, names: Iterable[str]) -> Iterator[tuple[LoopFrame, list[str]]]:
        """Yield the frames of rows of loops that are combinations of those in natural coordinates, and these rows."""
        known = list(names)
        for name, frame in self.mechanism.loop_frames.items():
            if frame.turn or isinstance(frame.joint, VECTORS):
                yield frame, [row for row in known if row.startswith(f"{name}[") and "[" not in row[len(name) + 1 :]]


def natural_names(tree: Tree) -> tuple[str, ...]:
    """Return the natural coordinates of the bodies of a tree, in its order."""
    return (*tree.natural, *(name for body in tree.loose for name in body.coordinates))


def natural_state(tree: Tree, q: Any, v: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return natural coordinates and velocities by name from those of the tree: numbers or arrays over a run."""
    places = TreePlaces(tree, q)
    rates = TreeRates(places, v)
    names = natural_names(tree)
    return {name: places[name] for name in names}, {name: rates[name] for name in names}


def joint_state(
    tree: Tree, q: Mapping[str, float], v: Mapping[str, float]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the coordinates and velocities of a tree by name from natural ones by name.

    What the joints of the tree keep is taken as kept: rows of these joints that do not hold are not seen.
    """
    names = list(q)
    places, rates = Named(names, [q[name] for name in names]), Named(names, [v[name] for name in names])
    found_q, found_v = dict[str, float](), dict[str, float]()
    for node in tree.nodes:
        values, speeds = _of_node(node, places, rates)
        names_of = node.coordinates if node.joint is None else coordinates_of(node.joint)
        found_q |= dict(zip(names_of, map(float, values), strict=True))
        found_v |= dict(zip(names_of, map(float, speeds), strict=True))
    for body in tree.loose:
        found_q |= {name: float(q[name]) for name in body.coordinates}
        found_v |= {name: float(v[name]) for name in body.coordinates}
    return found_q, found_v


def _of_node(node: TreeNode, q: Any, v: Any) -> tuple[Any, Any]:
    """Return the coordinates of a node, in the order of those of its joint, and their rates."""
    if node.joint is None:
        return _of_free(node.body, q, v)
    if not node.coordinates:
        return (), ()
    value, rate = node.joint.value(q), node.joint.rate(q, v)  # type: ignore[attr-defined]
    if any(step.kind == "ball" for step in node.steps):
        R = np.array(value, dtype=float)
        return _ball(R, R.T @ np.array(rate, dtype=float))
    if len(node.coordinates) == 1:
        return (value,), (rate,)
    return value, rate


def _of_free(body: Any, q: Any, v: Any) -> tuple[Any, Any]:
    placed, moved = body.placed(q), body.placed(v)
    if isinstance(body, PlanarBody):
        (c, s), (dc, ds) = placed.columns[0], moved.columns[0]
        return (*placed.origin, np.arctan2(s, c)), (*moved.origin, c * ds - s * dc)
    assert isinstance(body, Body)
    p, rate = _ball(np.array(placed.columns, dtype=float).T, np.array(body.angular_velocity(q, v), dtype=float))
    return (*placed.origin, *p), (*moved.origin, *rate)


def _ball(R: Array, spin: Array) -> tuple[Array, Array]:
    """Return the unit quaternion (4,) of a rotation matrix and its rate ½ p w for the angular velocity in body axes."""
    w, *rest = p = scipy.spatial.transform.Rotation.from_matrix(R).as_quat(canonical=True, scalar_first=True)
    axis = np.array(rest)
    rate = np.array([-(axis @ spin), *(w * spin + np.cross(axis, spin))]) / 2.0
    return np.asarray(p), np.asarray(rate)


def only_coordinates(tree: Tree) -> dict[str, str]:
    """Return the only coordinates of joints that have one, by the joint's name where the coordinate's is another."""
    joints = [(node.joint.name, coordinates_of(node.joint)) for node in tree.nodes if node.joint is not None]
    return {name: own[0] for name, own in joints if name not in tree.coordinates and len(own) == 1}


def chosen(
    tree: Tree, values: Mapping[str, float], rates: Mapping[str, float]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return coordinates and velocities of a tree by name from some of them; the others are 0, of a quaternion 1.

    A joint's own name stands for its only coordinate. Quaternions become unit ones, their rates those of a turn. Raises
    InputError for unknown names, for joints that close loops, and for a quaternion that is zero.
    """
    known, only = tree.coordinates, only_coordinates(tree)
    values, rates = ({only.get(name, name): x for name, x in given.items()} for given in (values, rates))
    unknown = [name for name in (*values, *rates) if name not in known]
    closing = [link.name for link in tree.loops if link.name in unknown]
    if closing:
        raise InputError(
            f"{closing[0]!r} closes a loop: it has no coordinate of its own, but follows those of the tree,"
            f" {', '.join(known)}. Leave it out."
        )
    if unknown:
        raise InputError(f"there is no joint coordinate {', '.join(unknown)}; known: {', '.join(known)}.")
    ones = {step.names[0] for _, step in tree.balls}
    q = {name: scalar(values.get(name, float(name in ones)), f"the value of {name!r}") for name in known}
    v = {name: scalar(rates.get(name, 0.0), f"the rate of {name!r}") for name in known}
    for _, step in tree.balls:
        p, dp = (np.array([x[name] for name in step.names]) for x in (q, v))
        size = float(np.linalg.norm(p))
        if size == 0.0:
            raise InputError(f"the quaternion {', '.join(step.names)} is zero, which is no rotation.")
        p, dp = p / size, dp / size
        q |= dict(zip(step.names, p.tolist(), strict=True))
        v |= dict(zip(step.names, (dp - p * (p @ dp)).tolist(), strict=True))
    return q, v
