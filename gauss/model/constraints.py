"""The four kinds of ideal constraints and friction, each one plain Python function; all derivatives are automatic.

A function takes what it names among q, v, t and p (``lambda q, p: q.x**2 + q.y**2 - p.l**2``) and returns one number,
or a list of numbers for several rows. Rows of a constraint called "rod" are named "rod", or "rod[0]", "rod[1]", ….
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from gauss.errors import InputError
from gauss.foundation.arrays import scalar
from gauss.foundation.calls import advised
from gauss.foundation.portable import Portable
from gauss.model.rows import Kind


def not_given() -> None:
    """Stand for a function that was not given."""


@dataclass(frozen=True, repr=False)
class Constraint(Portable):
    """What all constraints share: a name, which errors and results use."""

    name: str
    kind: ClassVar[Kind]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f"a {self.kind} constraint needs a name as its first argument, got {self.name!r}.")
        if getattr(self, "matrix" if self.kind == "pfaffian" else "function") is not_given:
            raise InputError(f"the {self.kind} constraint {self.name!r} needs a function as its second argument.")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def row_names(self, count: int) -> tuple[str, ...]:
        """Return the names of the `count` rows."""
        return (self.name,) if count == 1 else tuple(f"{self.name}[{k}]" for k in range(count))

    def frictions(self) -> tuple[Friction, ...]:
        """Return the frictions that its rows carry."""
        return ()


@advised
@dataclass(frozen=True)
class Coulomb(Portable):
    """Coulomb's law of friction at a row that keeps a contact closed: |t| ≤ μ_s p at rest, t = −μ_k p s/|s| in motion.

    `coefficient` is μ_k, `static` μ_s (μ_k if left out); either may be the name of a parameter of the System. `slip` is
    the slip velocity s (m/s), a function of q, v, t, p linear in v: one number in the plane, two along orthogonal unit
    tangents in space. The friction force t (N) has the power t·s.

    >>> import gauss as g
    >>> block = g.System(
    ...     "block",
    ...     coordinates="x z",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
    ...     potential_energy=lambda q: 9.81 * q.z,
    ...     constraints=[g.Unilateral("floor", lambda q: q.z, restitution=0.5, friction=g.Coulomb(0.3, lambda v: v.x))],
    ... )
    >>> g.accelerate(block, [0, 0], [1, 0]).a.round(9) + 0.0  # it slides with 0.3 g
    array([-2.943,  0.   ])
    >>> g.accelerate(block.frictionless(), [0, 0], [1, 0]).a
    array([0., 0.])
    """

    coefficient: float | str
    slip: Callable[..., Any] = not_given
    static: float | str | None = None

    def __post_init__(self) -> None:
        if self.slip is not_given:
            raise InputError("Coulomb(…) needs the slip velocity: Coulomb(0.3, slip=lambda v: v.x).")
        if not callable(self.slip):
            raise InputError(f"the slip of Coulomb(…) must be a function of q and v, got {self.slip!r}.")
        for what in ("coefficient", "static"):
            value = getattr(self, what)
            if value is not None and not isinstance(value, str):
                object.__setattr__(self, what, scalar(value, f"the {what} of Coulomb(…)"))


Law = Coulomb | Sequence[Coulomb | None] | None


class _Loaded(Constraint):
    """A constraint whose rows may carry friction."""

    friction: Law

    def frictions(self) -> tuple[Friction, ...]:
        """Return the frictions that its rows carry: of one row, of each of several, of two that are a pin's."""
        if self.friction is None:
            return ()
        if isinstance(self.friction, Coulomb):
            return (_carried(f"slip of {self.name}", self.friction, self.name),)
        laws = tuple(self.friction) if isinstance(self.friction, Sequence) else (self.friction,)
        wrong = [law for law in laws if not isinstance(law, Coulomb | None)]
        if wrong:
            raise InputError(
                f"the friction of {self.name!r} must be gauss.Coulomb(…), or a list with one for each row, got"
                f" {wrong[0]!r}."
            )
        rows = self.row_names(len(laws))
        return tuple(_carried(f"slip of {row}", law, row) for row, law in zip(rows, laws, strict=True) if law)


@advised
@dataclass(frozen=True, repr=False)
class Holonomic(_Loaded):
    """φ(q, t) = 0. Its row on the accelerations is φ_q a = −(φ_qq[v, v] + 2 φ_qt v + φ_tt).

    Where rows depend on one another, a motion leaves some of them out; with `keep` others than these, as for the rows
    by which coordinates describe a rigid body. With `friction` the contact is held from both sides: |λ| is the load.

    >>> import gauss as g
    >>> rod = g.Holonomic("rod", lambda q, p: (q.x**2 + q.y**2 - p.l**2) / (2 * p.l))  # λ is the force in the rod, N
    >>> driven = g.Holonomic("crank", lambda q, t: q.phi - 3.0 * t)
    """

    function: Callable[..., Any] = not_given  # φ of q, t, p: a number or a list
    keep: bool = False
    friction: Law = None
    kind: ClassVar[Kind] = "holonomic"


@advised
@dataclass(frozen=True, repr=False)
class Pfaffian(Constraint):
    """A(q, t) v + b(q, t) = 0, linear in the velocities.

    `matrix` returns one row (a list of n entries, or a dict by coordinate name) or a list of rows; `offset` (b, unit
    of the row times 1/s) defaults to zero.

    >>> import gauss as g
    >>> skate = g.Pfaffian("no side slip", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0])
    >>> disc = g.Pfaffian("rolling", [[1.0, -0.2]], [0.0])  # x_dot = 0.2 phi_dot
    """

    matrix: Callable[..., Any] = not_given  # A of q, t, p: (n,) or (k, n)
    offset: Callable[..., Any] | float = 0.0  # b of q, t, p: a number or k numbers
    kind: ClassVar[Kind] = "pfaffian"


@advised
@dataclass(frozen=True, repr=False)
class Nonholonomic(Constraint):
    """ψ(q, v, t) = 0, nonlinear in the velocities.

    The reaction follows Chetaev's rule: virtual displacements δq satisfy ψ_v δq = 0, so the generalized reaction is
    ψ_vᵀ λ. Gauss's principle gives the same rule, as its rows on the accelerations are ψ_v a = −(ψ_q v + ψ_t). For
    constraints linear in v this is the usual d'Alembert-Lagrange reaction; for nonlinear ones it is an assumption about
    how the constraint is realised (a servo may act otherwise), and such a reaction may do work.

    >>> import gauss as g
    >>> same_speed = g.Nonholonomic("speed", lambda v: v.x**2 + v.y**2 - 1.0)
    """

    function: Callable[..., Any] = not_given  # ψ of q, v, t, p: a number or a list
    kind: ClassVar[Kind] = "nonholonomic"


@advised
@dataclass(frozen=True, repr=False)
class Unilateral(_Loaded):
    """g(q, t) ≥ 0 with an ideal reaction λ ≥ 0, and Newton's restitution ġ⁺ = −e ġ⁻ when it closes.

    `restitution` is e in [0, 1]; with 0 the contact stays closed after the impact. With `friction` g must be a distance
    (m) at the contact, so that λ is the normal force (N): write (z − h(x))/√(1 + h'(x)²) for a curved floor.

    >>> import gauss as g
    >>> block = g.System(
    ...     "block",
    ...     coordinates="x z",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
    ...     potential_energy=lambda q: 9.81 * q.z,
    ...     constraints=[g.Unilateral("floor", lambda q: q.z, restitution=0.5, friction=g.Coulomb(0.3, lambda v: v.x))],
    ... )
    >>> g.accelerate(block, [0, 0]).multiplier("floor")  # N
    9.81
    >>> g.accelerate(block, [0, 1]).multiplier("floor")
    0.0
    """

    function: Callable[..., Any] = not_given  # g of q, t, p: a number or a list
    restitution: float = 0.0
    friction: Law = None
    kind: ClassVar[Kind] = "unilateral"

    def __post_init__(self) -> None:
        super().__post_init__()
        e = scalar(self.restitution, f"the restitution of {self.name!r}")
        if not 0.0 <= e <= 1.0:
            raise InputError(f"the restitution of {self.name!r} must lie in [0, 1], but is {e:g}.")
        object.__setattr__(self, "restitution", e)


@advised
@dataclass(frozen=True, repr=False)
class Friction(Constraint):
    """Dry friction against a velocity s(q, v, t), linear in v: one number, or two along orthogonal tangents in space.

    It is a row s = 0 whose reaction t is bounded: |t| ≤ μ_s p at rest, and t = −μ_k p s/|s| in motion. `load` names the
    row that carries the load p: a Unilateral one, or a Holonomic one, of which |λ| counts. The coefficients are numbers
    for a slip velocity (m/s), and arms ρ (m) for an angular velocity (rad/s): rolling and spinning resistance, of which
    one row may carry several. Friction in a pin in the plane has the two Holonomic rows of the pin as its `load`, the
    distances of the centres along two directions square to each other: then p is √(λ₁² + λ₂²), and the coefficients are
    lengths, r μ/√(1 + μ²) for a pin of the radius r.

    With `limit` instead of a load the friction does not depend on a load, as of a brake: |t| ≤ `static` at rest (the
    limit if left out), t = −limit s/|s| in motion, in N, or N m for an angular velocity.

    `coefficient`, `static` and `limit` may be names of parameters. Friction on a row that keeps a contact closed is
    written more shortly as its `friction=Coulomb(…)`, whose row is called "slip of …".

    >>> import gauss as g
    >>> wheel = g.System(
    ...     "wheel",
    ...     "angle",
    ...     kinetic_energy=lambda v: 0.5 * 2.0 * v.angle**2,
    ...     force=[1.5],
    ...     constraints=[g.Friction("brake", lambda v: v.angle, limit=3.0, static=4.0)],  # N m
    ... )
    >>> g.accelerate(wheel, [0], [1]).a, g.accelerate(wheel, [0]).a
    (array([-0.75]), array([0.]))
    """

    function: Callable[..., Any] = not_given  # s of q, v, t, p: one number or two
    coefficient: float | str = 0.0  # μ_k, or an arm (m)
    static: float | str | None = None  # μ_s; with a limit the limit at rest
    load: str | tuple[str, str] | None = None
    limit: float | str | None = None
    kind: ClassVar[Kind] = "friction"

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.load is None) == (self.limit is None):
            raise InputError(
                f"the friction {self.name!r} needs either load=…, the row that carries its load, or a constant limit=…."
            )
        if self.limit is not None and self.coefficient != 0.0:
            raise InputError(
                f"the friction {self.name!r} has a limit, so it has no coefficient: |t| ≤ limit, whatever the load."
            )
        if self.load is not None:
            rows = (self.load,) if isinstance(self.load, str) else tuple(self.load)
            if not 1 <= len(set(rows)) == len(rows) <= 2 or any(not isinstance(row, str) for row in rows):
                raise InputError(
                    f"the load of the friction {self.name!r} is the name of a row, or those of the two rows of a pin,"
                    f" got {self.load!r}."
                )
            object.__setattr__(self, "load", rows[0] if len(rows) == 1 else rows)
        for what in ("coefficient", "static", "limit"):
            value = getattr(self, what)
            if value is not None and not isinstance(value, str):
                object.__setattr__(self, what, scalar(value, f"the {what} of the friction {self.name!r}"))
        if not any(isinstance(x, str) for x in (self.coefficient, self.static, self.limit)):
            self.coefficients({})

    @property
    def carried(self) -> tuple[str, ...]:
        """The rows that carry the load: one, two of a pin, none with a limit."""
        return () if self.load is None else (self.load,) if isinstance(self.load, str) else self.load

    def coefficients(self, parameters: Mapping[str, float]) -> tuple[float, float]:
        """Return μ_k and μ_s, or the limits in motion and at rest.

        Raises InputError for a parameter that is missing, and unless 0 ≤ μ_k ≤ μ_s.
        """
        moving = self._number(self.coefficient if self.limit is None else self.limit, parameters)
        resting = moving if self.static is None else self._number(self.static, parameters)
        if not 0.0 <= moving <= resting:
            kinds = ("μ_k", "μ_s") if self.limit is None else ("limit", "static")
            raise InputError(
                f"the friction {self.name!r} needs 0 ≤ {kinds[0]} ≤ {kinds[1]}, but {kinds[0]} = {moving:g} and"
                f" {kinds[1]} = {resting:g}."
            )
        return moving, resting

    def _number(self, value: float | str, parameters: Mapping[str, float]) -> float:
        if not isinstance(value, str):
            return value
        if value not in parameters:
            known = ", ".join(parameters) or "none"
            raise InputError(f"the friction {self.name!r} names the parameter {value!r}; the System has {known}.")
        return float(parameters[value])


def _carried(name: str, law: Coulomb, row: str) -> Friction:
    """Return the friction that a row carries."""
    try:
        return Friction(name, law.slip, law.coefficient, law.static, row)
    except InputError as error:
        raise InputError(f"{row!r}: {error}") from None


def checked_constraints(constraints: object) -> tuple[Constraint, ...]:
    """Return the constraints in the order of their rows, given as a list or as a single one, with their friction.

    Raises InputError for anything else.
    """
    given = (constraints,) if isinstance(constraints, Constraint) else constraints
    kinds = "Holonomic, Pfaffian, Nonholonomic, Unilateral and Friction"
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise InputError(f"constraints must be a list of {kinds} objects, got {constraints!r}.")
    checked = []
    for constraint in given:
        if not isinstance(constraint, Constraint):
            raise InputError(
                f"constraints must be {kinds} objects, as in Holonomic(name, function), but the list holds"
                f" {constraint!r} ({type(constraint).__name__})."
            )
        checked.append(constraint)
    known = {constraint.name: constraint for constraint in checked}
    carried = [friction for constraint in checked for friction in constraint.frictions()]
    for friction in carried:
        if not isinstance(known.get(friction.name, friction), Friction):
            raise InputError(
                f"the name {friction.name!r} belongs to the friction of {friction.load!r}; use another one."
            )
    added = [friction for friction in carried if friction.name not in known]
    return tuple(sorted([*added, *checked], key=lambda c: isinstance(c, Friction) + 2 * isinstance(c, Unilateral)))


def without_friction(constraint: Constraint) -> Constraint:
    """Return a constraint whose rows carry no friction."""
    return replace(constraint, friction=None) if isinstance(constraint, Holonomic | Unilateral) else constraint
