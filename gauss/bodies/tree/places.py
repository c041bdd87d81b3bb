"""What the coordinates of a tree say of its bodies: where they are, how they move, and what forces on them do.

`TreePlaces` stands for q, `TreeRates` for v where bodies, joints and forces ask for coordinates by name: they know the
coordinates of the tree, and of each body its natural ones, which they compute from these. So everything that is written
for natural coordinates x is a function of the coordinates s of the tree, by x = X(s) and ẋ = X_s ṡ; generalized forces
and rows on ẋ become X_sᵀ of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gauss.bodies.body.rods_and_particles import PlanarBody
from gauss.bodies.tree.products import ZERO, Matrix, back, combined, cross, onto, plus, product, total
from gauss.bodies.tree.spanning import GROUND, Tree
from gauss.bodies.tree.steps import SAME
from gauss.geometry.vectors import Vector

Twist = tuple[Vector, Vector]


class TreePlaces:
    """Coordinates by name, of the tree and of its bodies: of those behind node `root`, in its axes."""

    def __init__(self, tree: Tree, given: Any, root: int = GROUND):
        self._tree, self._given = tree, given
        self._turned: dict[tuple[int, int], Matrix] = {}
        self._placed: dict[int, tuple[Vector, Matrix]] = {root: (ZERO, SAME)}
        self._seen: dict[int, TreePlaces] = {root: self}
        self._known: dict[int, dict[str, Any]] = {}

    @property
    def own_motions(self) -> dict[tuple[int, str], str]:
        """The coordinates that are the angle or displacement of a joint."""
        return self._tree.own

    def __getitem__(self, name: Any) -> Any:
        k = self._tree.natural.get(name)
        if k is None:
            return self._given[name]
        if k not in self._known:
            origin, R = self.placed(k)
            self._known[k] = natural_numbers(self._tree.nodes[k].body, origin, tuple(zip(*R, strict=True)))
        return self._known[k][name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name] if name in self._tree.natural else getattr(self._given, name)

    def seen_from(self, root: int) -> TreePlaces:
        """Return the same in axes of another node."""
        if root not in self._seen:
            self._seen[root] = seen = TreePlaces(self._tree, self._given, root)
            seen._turned = self._turned
        return self._seen[root]

    def turned(self, k: int, step: int) -> Matrix:
        """Return R of a step of node k."""
        if (k, step) not in self._turned:
            self._turned[k, step] = self._tree.nodes[k].steps[step].turned(self._given)
        return self._turned[k, step]

    def placed(self, k: int) -> tuple[Vector, Matrix]:
        """Return the origin in space and the rotation matrix, by rows, of the body of node k."""
        if k not in self._placed:
            node = self._tree.nodes[k]
            origin, R = self.placed(node.parent)
            for number, step in enumerate(node.steps):
                origin = plus(origin, onto(R, step.shift(self._given)))
                R = tuple(combined(row, self.turned(k, number)) for row in R)  # type: ignore[assignment]
                origin = plus(origin, onto(R, step.tail))
            self._placed[k] = origin, R
        return self._placed[k]

    def pulled(self, forces: Mapping[str, Any]) -> dict[str, Any]:
        """Return generalized forces on the coordinates of the tree from those on natural ones, X_sᵀ Q."""
        found: dict[str, Any] = {}
        wrenches: dict[int, Twist] = {}
        for k, own in self._by_node(forces, found).items():
            wrenches[k] = self._wrench(k, own)
        for k in range(len(self._tree.nodes) - 1, -1, -1):
            if k not in wrenches:
                continue
            node, wrench = self._tree.nodes[k], wrenches[k]
            for number in range(len(node.steps) - 1, -1, -1):
                own, wrench = node.steps[number].loads(self.turned(k, number), self._given, wrench)
                for name, value in own.items():
                    found[name] = total(found.get(name, 0.0), value)
            if node.parent != GROUND:
                before = wrenches.get(node.parent, (ZERO, ZERO))
                wrenches[node.parent] = plus(before[0], wrench[0]), plus(before[1], wrench[1])
        return found

    def _by_node(self, forces: Mapping[str, Any], found: dict[str, Any]) -> dict[int, dict[str, Any]]:
        """Return the forces by node; those on coordinates of the tree are put into `found`."""
        shares: dict[int, dict[str, Any]] = {}
        for name, value in forces.items():
            k = self._tree.natural.get(name)
            if k is None:
                found[name] = total(found.get(name, 0.0), value)
            else:
                shares.setdefault(k, {})[name] = value
        return shares

    def _wrench(self, k: int, forces: Mapping[str, Any]) -> Twist:
        """Return the torque about the origin and the force, in axes of the body, of generalized forces on it."""
        body, R = self._tree.nodes[k].body, self.placed(k)[1]
        values = [forces.get(name, 0.0) for name in body.coordinates]
        if isinstance(body, PlanarBody):
            x, y, c, s = values
            torque = total(product(R[0][0], s), product(-R[1][0], c))
            return (0.0, 0.0, torque), back(R, (x, y, 0.0))
        force = back(R, values[:3])
        torque = ZERO
        for j in range(3):
            torque = plus(torque, cross(SAME[j], back(R, values[3 + j :: 3])))
        return torque, force


class TreeRates:
    """Velocities by name, of the tree and of its bodies."""

    def __init__(self, q: TreePlaces, given: Any):
        self._q, self._given, self._tree = q, given, q._tree
        self._twists: dict[int, Twist] = {GROUND: (ZERO, ZERO)}
        self._known: dict[int, dict[str, Any]] = {}

    def twist(self, k: int) -> Twist:
        """Return the angular velocity and the velocity of the origin of the body of node k, in its axes."""
        if k not in self._twists:
            node = self._tree.nodes[k]
            found = self.twist(node.parent)
            for number, step in enumerate(node.steps):
                found = step.twist(self._q.turned(k, number), self._q._given, self._given, found)
            self._twists[k] = found
        return self._twists[k]

    def __getitem__(self, name: Any) -> Any:
        k = self._tree.natural.get(name)
        if k is None:
            return self._given[name]
        if k not in self._known:
            R = self._q.placed(k)[1]
            spin, velocity = self.twist(k)
            columns = tuple(onto(R, cross(spin, axis)) for axis in SAME)
            self._known[k] = natural_numbers(self._tree.nodes[k].body, onto(R, velocity), columns)
        return self._known[k][name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name] if name in self._tree.natural else getattr(self._given, name)


def natural_numbers(body: Any, origin: Vector, columns: Any) -> dict[str, Any]:
    """Return the natural coordinates of a body by name, or their rates, from those of its origin and axes."""
    if isinstance(body, PlanarBody):
        return dict(zip(body.coordinates, (*origin[:2], *columns[0][:2]), strict=True))
    entries = (columns[j][i] for i in range(3) for j in range(3))
    return dict(zip(body.coordinates, (*origin, *entries), strict=True))
