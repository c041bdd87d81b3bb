"""A mechanism in joint coordinates: energies by recursion along the tree, rows of loops alone.

    T = Σ ½ m v·v + m v·(w × c) + ½ w·J w,   w, v: angular velocity and velocity of the origin, in axes of each body

What constraints and forces say of natural coordinates is asked through `TreePlaces`. A unit quaternion p has the row
p·p = 1 and, so that its mass matrix is definite, the energy ½ μ (p·ṗ)², which vanishes on that row.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from inspect import Parameter, Signature
from typing import Any, ClassVar

import numpy as np

from gauss.bodies.body.rods_and_particles import PlanarBody
from gauss.bodies.tree.loops import LoopFrame, rounding_of, sampled
from gauss.bodies.tree.places import TreePlaces, TreeRates
from gauss.bodies.tree.products import cross, dot, onto, product, times, total
from gauss.bodies.tree.spanning import GROUND, Tree, TreeNode
from gauss.foundation.arrays import as_number, symbolic
from gauss.foundation.portable import Portable
from gauss.geometry.inertia import Inertia, tensor_of_second
from gauss.geometry.vectors import Vector
from gauss.model import Constraint, Coulomb, Holonomic, Pfaffian
from gauss.model.functions import ModelFunction

WORDS = "qvtpu"
_LAST = threading.local()  # what was seen last: one model function after the other asks at the same coordinates


def seen(tree: Tree, q: Any) -> TreePlaces:
    """Return what coordinates by name say of the bodies."""
    known = getattr(_LAST, "seen", None)
    if known is None or known[0] is not tree or known[1] is not q:
        _LAST.seen = known = (tree, q, TreePlaces(tree, q))
    return known[2]


def seen_rates(tree: Tree, q: Any, v: Any) -> TreeRates:
    """Return what velocities by name say of the bodies."""
    known = getattr(_LAST, "rates", None)
    if known is None or known[0] is not tree or known[1] is not q or known[2] is not v:
        _LAST.rates = known = (tree, q, v, TreeRates(seen(tree, q), v))
    return known[3]


def forget() -> None:
    """Drop what was seen last."""
    _LAST.__dict__.clear()


@dataclass(frozen=True, eq=False)
class Through(Portable):
    """A model function of natural coordinates as one of the coordinates of a tree."""

    tree: Tree
    function: Callable[..., Any]
    pulled: bool = False  # whether it returns rows on velocities, dicts by coordinate
    constant: tuple[tuple[int, float], ...] = ()  # entries that the tree keeps, and their values
    frame: LoopFrame | None = None  # the axes of its rows, None for those of space
    may_vanish: ClassVar[bool] = True  # whether rows may be zero everywhere, as the tree keeps them already

    def __post_init__(self) -> None:
        takes = [name for name in WORDS if name in ModelFunction.of(self.function, WORDS, "a function").takes]
        wanted = [name for name in WORDS if name in takes or (name == "q" and (self.pulled or "v" in takes))]
        object.__setattr__(self, "_takes", tuple(takes))
        signature = Signature([Parameter(name, Parameter.KEYWORD_ONLY) for name in wanted])
        object.__setattr__(self, "__signature__", signature)

    def __call__(self, **given: Any) -> Any:
        """Call the function with the coordinates that it knows."""
        values = dict(given)
        if "q" in given:
            values["q"] = seen(self.tree, given["q"]).seen_from(GROUND if self.frame is None else self.frame.root)
        if "v" in given:
            values["v"] = seen_rates(self.tree, given["q"], given["v"])
        found = self.function(**{name: values[name] for name in self._takes})  # type: ignore[attr-defined]
        if self.frame is not None:
            found = self.frame.turned(found)
        if self.constant:
            found = list(found)
            for k, value in self.constant:
                found[k] = value
        if not self.pulled:
            return found
        at = values["q"]
        return at.pulled(found) if isinstance(found, dict) else [_pulled(at, row) for row in found]


def _pulled(at: TreePlaces, row: Any) -> Any:
    return at.pulled(row) if isinstance(row, dict) else row


def through(tree: Tree, constraint: Constraint, frame: LoopFrame | None = None, squares: bool = False) -> Constraint:
    """Return a constraint on natural coordinates as one on the coordinates of a tree, its rows in given axes.

    `squares` says that its rows are squares of lengths.
    """
    changed: dict[str, Any] = {}
    for field in fields(constraint):
        value = getattr(constraint, field.name)
        if isinstance(constraint, Pfaffian) and field.name == "matrix" and callable(value):
            changed[field.name] = Through(tree, value, pulled=True)
        elif callable(value):
            constant = _constants(tree, value, frame, squares) if isinstance(constraint, Holonomic) else ()
            changed[field.name] = Through(tree, value, constant=constant, frame=frame)
        elif field.name == "friction" and value is not None:
            changed[field.name] = _law(tree, value)
    return replace(constraint, **changed)


def _constants(
    tree: Tree, function: Callable[..., Any], frame: LoopFrame | None, squares: bool
) -> tuple[tuple[int, float], ...]:
    """Return which entries of a function of q alone are the same wherever the bodies are, and their values.

    Roundings of lengths and axes would make small rows of them, which depend on coordinates. So they are compared at a
    few random positions, up to the rounding of the lengths of all joints; values that small are 0.
    """
    if symbolic() or ModelFunction.of(function, WORDS, "a function").takes != ("q",):
        return ()
    table = sampled(tree, function) if frame is None else sampled(tree, lambda q: frame.turned(function(q)), frame.root)
    if table is None:
        return ()
    small = rounding_of(tree, squares)
    still = np.flatnonzero(np.max(np.abs(table - table[0]), axis=0) <= small)
    return tuple((int(k), float(table[0, k]) if abs(table[0, k]) > small else 0.0) for k in still)


def _law(tree: Tree, law: Any) -> Any:
    if isinstance(law, Coulomb):
        return replace(law, slip=Through(tree, law.slip))
    return [_law(tree, each) for each in law] if isinstance(law, Sequence) else law


def unit_rows(tree: Tree) -> list[Constraint]:
    """Return the row p·p = 1 of each unit quaternion."""
    return [Holonomic(f"{node.body.name} unit", _Unit(step.names), keep=True) for node, step in tree.balls]


@dataclass(frozen=True)
class _Unit(Portable):
    names: tuple[str, ...]

    def __call__(self, q: Any) -> Any:
        return sum(q[name] * q[name] for name in self.names) - 1.0


def kinetic_energy(tree: Tree, q: Any, v: Any) -> Any:
    """Return the kinetic energy (J) of the bodies of a tree."""
    rates = seen_rates(tree, q, v)
    parts = [_energy(node, *rates.twist(k)) for k, node in enumerate(tree.nodes)]
    parts += [body.kinetic(v) for body in tree.loose]
    for node, step in tree.balls:
        changing = sum(q[name] * v[name] for name in step.names)
        parts.append(0.5 * measure_of(node) * changing**2)
    return total(*parts)


def _energy(node: TreeNode, spin: Vector, velocity: Vector) -> Any:
    """Return ½ m v·v + m v·(w × c) + ½ w·J w."""
    m, first, tensor = inertia_of(node.body)
    moved = total(*(product(0.5 * m, x * x) for x in velocity if not _zero(x)))
    turned = product(0.5, dot(spin, onto(tensor, spin)))
    return total(moved, dot(velocity, cross(spin, first)), turned)


def _zero(x: Any) -> bool:
    return isinstance(x, float) and x == 0.0


def inertia_of(body: Any) -> tuple[float, Vector, Any]:
    """Return m, m c and the tensor J about the origin, in axes of the body; a body in the plane turns about z."""
    if isinstance(body, PlanarBody):
        x, y = body.centre
        J = body.inertia + body.mass * (x * x + y * y)
        return body.mass, times(body.mass, (x, y, 0.0)), ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, J))
    inertia: Inertia = body.inertia
    first = tuple(product(inertia.mass, as_number(x)) for x in inertia.centre)
    if inertia.symbolic:
        K = inertia.second.tolist()
        about = [total(*(K[i][i] for i in range(3) if i != j)) for j in range(3)]
        rows = [[about[i] if i == j else product(-1.0, K[i][j]) for j in range(3)] for i in range(3)]
        return inertia.mass, first, rows
    return inertia.mass, first, tuple(tuple(float(x) for x in row) for row in tensor_of_second(inertia.second))


def measure_of(node: TreeNode) -> Any:
    """Return μ, like the inertia of the body in the other directions of the quaternion."""
    tensor = inertia_of(node.body)[2]
    return 4.0 * total(*(tensor[k][k] for k in range(3))) / 3.0
