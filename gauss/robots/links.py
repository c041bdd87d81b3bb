"""Which links of a description move as one, and where they are; those that nothing would move are fixed."""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array
from gauss.geometry.rotations import about
from gauss.robots.reading.description import WORLD, Move, Place, RobotFile, Thrust, Weight

ALIGNED = 1e-6  # by which the axes of two hinges that are one may differ


class PlacedLinks:
    """The links where all joints have the value 0, each with its head: the link that it is fixed to, or itself.

    Moves and loops of the description are changed where links turn out to be fixed.
    """

    def __init__(self, said: RobotFile):
        self.said = said
        self.at: dict[str, tuple[Array, Array]] = {WORLD: (np.zeros(3), np.eye(3))}  # origin and axes in space
        self.head: dict[str, str] = {WORLD: WORLD}  # whose body a link is part of
        self.idle: list[str] = []  # joints that are fixed as what they carry has no mass
        self._place()
        self._join_stubs()
        self._fix_idle_links()

    def _place(self) -> None:
        """Place links where all joints have the value 0; a link that nothing holds is at the origin."""
        for move in self.said.moves:
            if move.kind == "free":
                self.at[move.child] = (np.zeros(3), np.eye(3))
            else:
                p, R = self.at[move.parent]
                p, R = p + R @ move.place, R @ move.turn
                if move.kind == "slide":
                    p = p - move.reference * (R @ move.axis)
                elif move.kind == "hinge" and move.reference:
                    back = about(move.axis, -move.reference)
                    p, R = p + R @ (move.anchor - back @ move.anchor), R @ back
                self.at[move.child] = (p, R)
            self.head[move.child] = self.head[move.parent] if move.kind == "fixed" else move.child

    def weights(self) -> dict[str, Weight]:
        """Return the weight of each head with what is fixed to it, about its origin in axes of space."""
        total: dict[str, Weight] = {}
        for name, link in self.said.links.items():
            head = self.head[name]
            if link.weight.mass or np.any(link.weight.second):
                p, R = self.at[name]
                moved = link.weight.moved(p - self.at[head][0], R)
                total[head] = total[head] + moved if head in total else moved
        for head in [head for head, weight in total.items() if not weight.mass]:
            self.said.leave("inertial", head, "a tensor without mass is no inertia, so that the link has none")
            del total[head]
        return total

    def _ends(self, besides: str = "") -> dict[str, Move]:
        """Return the heads that carry nothing and are held by no (other) loop nor by a rule, with their moves."""
        carrying = {self.head[move.parent] for move in self.said.moves if move.kind != "fixed"}
        closed = [place for loop in self.said.loops if loop.name != besides for place in (loop.one, loop.two)]
        held = {self.head[place.link] for place in closed}
        ruled = {name for rule in self.said.rules for name, _ in (*rule.joints, *rule.leaders)}
        return {
            move.child: move
            for move in self.said.moves
            if move.kind not in ("fixed", "free")
            and move.child not in (*carrying, *held)
            and move.name not in ruled
            and not move.armature
        }

    def _fix(self, move: Move) -> None:
        """Fix a link to its parent at the value 0, and drop its motor."""
        move.kind = "fixed"
        into = self.head[move.parent]
        for name, head in self.head.items():
            self.head[name] = into if head == move.child else head
        self.said.drives = [x for x in self.said.drives if isinstance(x, Thrust) or move.name not in dict(x.terms)]

    def _fix_idle_links(self) -> None:
        """Fix links whose acceleration nothing would determine, until there are none."""
        while True:
            total = self.weights()
            idle = [move for child, move in self._ends().items() if child not in total]
            if not idle:
                return
            for move in idle:
                self.said.leave("joint", move.name, "what it carries has no mass, so that it is fixed at the value 0")
                self.idle.append(move.name)
                self._fix(move)

    def _join_stubs(self) -> None:
        """Take two balls, or massless links, on hinges with one axis, welded by a loop, as one hinge.

        The spin of both about that axis moves nothing else.
        """
        for loop in self.said.loops:
            ends, total = self._ends(loop.name), self.weights()
            moves = [ends.get(self.head[place.link]) for place in (loop.one, loop.two)]
            if loop.kind != "weld" or any(move is None or move.kind != "hinge" for move in moves):
                continue
            axes, places, alike = [], [], True
            for move, place in zip(moves, (loop.one, loop.two), strict=True):
                assert move is not None
                p, R = self.at[move.child]
                point, turn = self.in_space(place)
                axis, anchor = R @ move.axis, p + R @ move.anchor
                alike &= float(np.linalg.norm(np.cross(axis, point - anchor))) < ALIGNED
                alike &= _is_ball(total.get(move.child, Weight()).moved(p - point, np.eye(3)))
                axes.append(turn.T @ axis)
                q, S = self.at[move.parent]
                places.append(Place(move.parent, S.T @ (point - q), S.T @ turn))
            sign = 1.0 if float(axes[0] @ axes[1]) > 0.0 else -1.0
            if alike and np.linalg.norm(axes[0] - sign * axes[1]) < ALIGNED:
                for move in moves:
                    assert move is not None
                    self._fix(move)
                loop.kind, loop.one, loop.two = "hinge", *places
                loop.axis = loop.axis2 = tuple(axes[0].tolist())
                text = "two balls on hinges of one axis, welded to each other, are one hinge; their spin is left out"
                self.said.leave("loops/closed_loop", loop.name, text)

    def in_space(self, place: Place) -> tuple[Array, Array]:
        """Return the origin and the axes of a frame where all joints have the value 0."""
        p, R = self.at[place.link]
        return p + R @ place.point, R @ place.rotation

    def from_head(self, name: str, point: Array) -> tuple[float, ...]:
        """Return where a point of space is from the origin of the head of a link."""
        return tuple((point - self.at[self.head[name]][0]).tolist())


def _is_ball(weight: Weight) -> bool:
    """Whether moments about a point are those of a ball there, or of nothing."""
    size, arm = float(np.trace(weight.second)), float(np.linalg.norm(weight.first))
    off = float(np.linalg.norm(weight.second - size / 3.0 * np.eye(3)))
    return off <= ALIGNED * size and arm**2 <= ALIGNED**2 * weight.mass * size
