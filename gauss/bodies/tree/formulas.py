"""What controllers ask of a tree, as formulas: columns and matrices made by recursion, ready to be compiled.

Each takes the recursion at a position, the acceleration of gravity (m/s²) and further vectors by coordinate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gauss.bodies.tree import quantities
from gauss.bodies.tree.articulated import solved, yielding
from gauss.bodies.tree.products import ZERO
from gauss.bodies.tree.recursion import Recursion
from gauss.bodies.tree.spanning import Tree
from gauss.geometry.vectors import Vector


def _ordered(tree: Tree, values: Mapping[str, Any]) -> list[Any]:
    return [values[name] for name in tree.coordinates]


def _columns(tree: Tree, motions: Mapping[str, Any]) -> list[list[Any]]:
    """Return the matrix (6, n) of motions by coordinate; other coordinates do not move the frame."""
    columns = [(*sum(motions[name], ()),) if name in motions else (0.0,) * 6 for name in tree.coordinates]
    return [list(row) for row in zip(*columns, strict=True)]


def _mass_matrix(found: Recursion, weight: Vector) -> list[Any]:
    entries = found.mass_matrix()
    names = found.tree.coordinates
    return [[[entries.get((i, j), entries.get((j, i), 0.0)) for j in names] for i in names]]


def _inverse_dynamics(found: Recursion, weight: Vector, v: Any = None, a: Any = None) -> list[Any]:
    return [_ordered(found.tree, found.inverse_dynamics(v, a, weight))]


def _articulated(found: Recursion, weight: Vector, f: Any) -> list[Any]:
    """Return a of M a = f, M a, what is left of f, what it would change in a, and pivots and masses of M."""
    names = found.tree.coordinates
    factors = yielding(found)
    a, rest = dict.fromkeys(names, 0.0), {name: f[name] for name in names}
    for _ in range(2):
        more = solved(found, factors, rest)
        a = {name: a[name] + more[name] for name in names}
        moved = found.inverse_dynamics(None, a, ZERO)
        rest = {name: f[name] - moved[name] for name in names}
    each = {factor.name: factor for factor in factors if factor is not None}
    columns = (a, moved, rest, solved(found, factors, rest))
    pivots, masses = [each[name].pivot for name in names], [each[name].mass for name in names]
    return [*(_ordered(found.tree, column) for column in columns), pivots, masses]


def _placement(found: Recursion, weight: Vector, point: Any, node: int, space: bool) -> list[Any]:
    return list(quantities.placement(found, node, tuple(point)))


def _jacobian(found: Recursion, weight: Vector, point: Any, node: int, space: bool) -> list[Any]:
    return [_columns(found.tree, quantities.jacobian(found, node, tuple(point), space))]


def _bias_acceleration(found: Recursion, weight: Vector, v: Any, point: Any, node: int, space: bool) -> list[Any]:
    moving, turning = quantities.bias_acceleration(found, v, node, tuple(point), space)
    return [[*moving, *turning]]


def _centroidal_matrix(found: Recursion, weight: Vector) -> list[Any]:
    return [_columns(found.tree, quantities.centroidal(found)[0])]


def _centroidal_momentum(found: Recursion, weight: Vector, v: Any) -> list[Any]:
    rows = _centroidal_matrix(found, weight)[0]
    return [[sum(x * y for x, y in zip(row, v, strict=True)) for row in rows]]


def _centre_of_mass(found: Recursion, weight: Vector) -> list[Any]:
    return [quantities.centroidal(found)[1]]


def _regressor(found: Recursion, weight: Vector, v: Any, a: Any) -> list[Any]:
    entries = quantities.regressor(found, v, a, weight)
    width = range(10 * len(found.tree.nodes))
    return [[[entries.get((name, k), 0.0) for k in width] for name in found.tree.coordinates]]


FORMULAS: dict[str, tuple[str, str, Callable[..., list[Any]]]] = {  # inputs, outputs and what is computed
    "mass_matrix": ("q", "M", _mass_matrix),
    "bias": ("q v", "h", _inverse_dynamics),
    "gravity": ("q", "h", _inverse_dynamics),
    "inverse_dynamics": ("q v a", "tau", _inverse_dynamics),
    "_articulated": ("q f", "a moved rest corrected pivots masses", _articulated),
    "placement": ("q point", "position R", _placement),
    "jacobian": ("q point", "J", _jacobian),
    "bias_acceleration": ("q v point", "acceleration", _bias_acceleration),
    "centroidal_momentum": ("q v", "momentum", _centroidal_momentum),
    "centroidal_matrix": ("q", "A", _centroidal_matrix),
    "centre_of_mass": ("q", "position", _centre_of_mass),
    "regressor": ("q v a", "Y", _regressor),
}
