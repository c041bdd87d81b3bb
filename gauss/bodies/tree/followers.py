"""Values of joints that follow others, where their leaders put them, and rates likewise."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from gauss.bodies.joints.transmissions import Follower
from gauss.bodies.tree.spanning import Tree


@dataclass(frozen=True)
class _FollowerRule:
    """Σ a_i θ_i = c₀ + c₁ φ + …, φ = Σ b_j φ_j, of coordinates of a tree."""

    joints: Mapping[str, float]  # a_i by coordinate
    leaders: Mapping[str, float]  # b_j
    coefficients: tuple[float, ...]  # c₀, c₁, …

    def off(self, x: Mapping[str, float]) -> float:
        """Return Σ a_i θ_i − c₀ − c₁ φ − …"""
        lead = sum(b * x[name] for name, b in self.leaders.items())
        own = sum(a * x[name] for name, a in self.joints.items())
        return own - sum(c * lead**k for k, c in enumerate(self.coefficients))

    def of_rates(self, x: Mapping[str, float]) -> _FollowerRule:
        """Return the rule of the rates at given values."""
        lead = sum(b * x[name] for name, b in self.leaders.items())
        slope = sum(k * c * lead ** (k - 1) for k, c in enumerate(self.coefficients) if k)
        return replace(self, coefficients=(0.0, slope))

    def solved(self, name: str, x: Mapping[str, float]) -> float | None:
        """Return the value of a coordinate that the others leave it, None where several may fit, or none."""
        if name in self.joints:
            return x[name] - self.off(x) / self.joints[name]
        slope = self.coefficients[1] if len(self.coefficients) == 2 else 0.0
        return x[name] + self.off(x) / (slope * self.leaders[name]) if slope else None


def _rules(tree: Tree) -> Iterator[_FollowerRule]:
    """Yield the rules of a tree whose joints all have coordinates."""
    for link in tree.loops:
        if isinstance(link, Follower):
            joints, leaders = (
                {tree.own.get((id(joint), motion)) or "": factor for joint, factor, motion in terms}
                for terms in (link.joints, link.leaders)
            )
            if "" not in {**joints, **leaders}:
                yield _FollowerRule(joints, leaders, tuple(link.coefficients))


def followed(
    tree: Tree, q: Mapping[str, float], v: Mapping[str, float], named: Collection[str], named_rates: Collection[str]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return values and rates of all coordinates, those of joints that follow others where their leaders put them.

    Named ones stay as they are. Where a follower is named and one leader of it is not, the leader goes where the
    follower is, if the rule is linear.
    """
    rules = list(_rules(tree))
    values = _filled(rules, q, named)
    return values, _filled([rule.of_rates(values) for rule in rules], v, named_rates)


def _filled(rules: Collection[_FollowerRule], given: Mapping[str, float], named: Collection[str]) -> dict[str, float]:
    """Return values with those that rules leave no choice: by what is named first, then by all leaders."""
    x, known = dict(given), set(named)
    for through_leaders in (True, False):  # then of all rules the followers alone, as one may lead another
        for _ in rules:
            for rule in rules:
                unknown = {*rule.joints, *(rule.leaders if through_leaders else ())} - known
                value = rule.solved(min(unknown), x) if len(unknown) == 1 else None
                if value is not None:
                    x[min(unknown)] = value
                    if through_leaders:
                        known |= unknown
    return x
