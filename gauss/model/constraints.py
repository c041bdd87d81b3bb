"""The four kinds of ideal constraints, each one plain Python function; all derivatives are automatic.

A function takes what it names among q, v, t and p (``lambda q, p: q.x**2 + q.y**2 - p.l**2``) and returns one number,
or a list of numbers for several rows. Rows of a constraint called "rod" are named "rod", or "rod[0]", "rod[1]", ….
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from gauss.errors import InputError
from gauss.foundation.arrays import scalar
from gauss.foundation.portable import Portable
from gauss.model.rows import Kind


def not_given() -> None:
    """Stand for a function that was not given."""


@dataclass(frozen=True)
class Constraint(Portable):
    """What all constraints share: a name, which errors and results use."""

    name: str
    kind: ClassVar[Kind]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f"a {self.kind} constraint needs a name as its first argument, got {self.name!r}.")
        if getattr(self, "matrix" if self.kind == "pfaffian" else "function") is not_given:
            raise InputError(f"the {self.kind} constraint {self.name!r} needs a function as its second argument.")

    def row_names(self, count: int) -> tuple[str, ...]:
        """Return the names of the `count` rows."""
        return (self.name,) if count == 1 else tuple(f"{self.name}[{k}]" for k in range(count))


@dataclass(frozen=True)
class Holonomic(Constraint):
    """φ(q, t) = 0. Its row on the accelerations is φ_q a = −(φ_qq[v, v] + 2 φ_qt v + φ_tt).

    Where rows depend on one another, a motion leaves some of them out; with `keep` others than these, as for the rows
    by which coordinates describe a rigid body.
    """

    function: Callable[..., Any] = not_given  # φ of q, t, p: a number or a list
    keep: bool = False
    kind: ClassVar[Kind] = "holonomic"


@dataclass(frozen=True)
class Pfaffian(Constraint):
    """A(q, t) v + b(q, t) = 0, linear in the velocities.

    `matrix` returns one row (a list of n entries, or a dict by coordinate name) or a list of rows; `offset` (b, unit
    of the row times 1/s) defaults to zero.
    """

    matrix: Callable[..., Any] = not_given  # A of q, t, p: (n,) or (k, n)
    offset: Callable[..., Any] | float = 0.0  # b of q, t, p: a number or k numbers
    kind: ClassVar[Kind] = "pfaffian"


@dataclass(frozen=True)
class Nonholonomic(Constraint):
    """ψ(q, v, t) = 0, nonlinear in the velocities.

    The reaction follows Chetaev's rule: virtual displacements δq satisfy ψ_v δq = 0, so the generalized reaction is
    ψ_vᵀ λ. Gauss's principle gives the same rule, as its rows on the accelerations are ψ_v a = −(ψ_q v + ψ_t). For
    constraints linear in v this is the usual d'Alembert-Lagrange reaction; for nonlinear ones it is an assumption about
    how the constraint is realised (a servo may act otherwise), and such a reaction may do work.
    """

    function: Callable[..., Any] = not_given  # ψ of q, v, t, p: a number or a list
    kind: ClassVar[Kind] = "nonholonomic"


@dataclass(frozen=True)
class Unilateral(Constraint):
    """g(q, t) ≥ 0 with an ideal reaction λ ≥ 0, and Newton's restitution ġ⁺ = −e ġ⁻ when it closes.

    `restitution` is e in [0, 1]; with 0 the contact stays closed after the impact.
    """

    function: Callable[..., Any] = not_given  # g of q, t, p: a number or a list
    restitution: float = 0.0
    kind: ClassVar[Kind] = "unilateral"

    def __post_init__(self) -> None:
        super().__post_init__()
        e = scalar(self.restitution, f"the restitution of {self.name!r}")
        if not 0.0 <= e <= 1.0:
            raise InputError(f"the restitution of {self.name!r} must lie in [0, 1], but is {e:g}.")
        object.__setattr__(self, "restitution", e)
