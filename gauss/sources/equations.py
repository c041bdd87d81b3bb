"""Printed statements as plain Python functions: equations, integrals, Lagrangians, matrices and closed forms.

A `Printed` collection names a system, a state about which states are drawn, further quantities in which the statements
are written (angles of a Cartesian model, quasi-velocities, momenta) and the statements themselves. Their functions name
what they need among

    q  values,  v  rates,  a  second rates   of coordinates and quantities, by name: q.r, v.r, a.r
    l  multipliers by row name or position, with M a = f + Jᵀλ
    t  time,  p  parameters of the system and of the collection

and are written with gauss.sin, gauss.sqrt, …, so that they can be read as formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gauss.foundation.portable import Portable

Function = Callable[..., Any]
COUNT = 60  # random states at which a statement is asked


@dataclass(frozen=True)
class Statement:
    """What every printed statement has; use one of the kinds below."""

    name: str  # what is stated, as a sentence fragment
    number: str = field(default="", kw_only=True)  # number or place in the source: "(7.2)", "§4.1.1"
    text: str = field(default="", kw_only=True)  # as it is printed
    correct: Any = field(default=None, kw_only=True)  # the correct form of a misprint, given like the printed one
    remark: str = field(default="", kw_only=True)  # why the printed form is wrong


@dataclass(frozen=True)
class Equation(Statement):
    """left = right at every admissible state and along every motion; each side is one number or a list of them.

    `left` may be a dict of terms by label whose sum is zero. With `along` it is asked only along the motion from the
    start, as for what depends on the initial conditions.
    """

    left: Function | Mapping[str, Function] = field(kw_only=True)
    right: Function | float = field(default=0.0, kw_only=True)
    along: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class ClosedForm(Statement):
    """The quantity (coordinate) `of` is this function of t along the motion from the start."""

    of: str = field(kw_only=True)
    function: Function = field(kw_only=True)


@dataclass(frozen=True)
class Integral(Statement):
    """A function of q, v, t that is constant along every motion."""

    function: Function = field(kw_only=True)


@dataclass(frozen=True)
class Lagrangian(Statement):
    """L = T − V of the system, but for a constant."""

    function: Function = field(kw_only=True)


@dataclass(frozen=True)
class Hamiltonian(Statement):
    """H = v·∂T/∂v − T + V of the system, but for a constant; momenta are quantities of the collection.

    That is T + V where T is homogeneous in the velocities of the system's coordinates.
    """

    function: Function = field(kw_only=True)


@dataclass(frozen=True)
class EqualFormula(Statement):
    """`function` is equal to `of`, such as a system's kinetic energy, but for a constant where one is allowed.

    Unlike the two sides of an equation only `function` is mended. It may be a dict of terms by label, which are added.
    """

    of: Function = field(kw_only=True)
    function: Function | Mapping[str, Function] = field(kw_only=True)
    constant: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Derivative(Statement):
    """The partial derivative of `of` by a symbol, "q.r", "v.r" or "t", is this function.

    The correct form may be a function, or the name of the symbol that was meant.
    """

    of: Function = field(kw_only=True)
    by: str = field(kw_only=True)
    function: Function = field(kw_only=True)


@dataclass(frozen=True)
class ConstraintMatrix(Statement):
    """A(q) q̇ = 0 is what the rows of the system say: every admissible velocity satisfies it, and no other one."""

    matrix: Function = field(kw_only=True)


@dataclass(frozen=True)
class ControlFields(Statement):
    """The columns of G(q), given as n rows, span the velocities that the rows of the system admit."""

    matrix: Function = field(kw_only=True)


@dataclass(frozen=True)
class Printed(Portable):
    """Statements of one source about one system.

    Where `system` is left out, a scenario's own system and start are meant. A collection with `ranges` has no system:
    its equations are identities, tested at values drawn from the ranges, which functions reach as q.
    """

    source: str
    claims: Sequence[Statement]
    system: Any = None  # a System, or what stands for it as a Mechanism does
    q: Any = None  # state about which states are drawn, and from which the motion starts
    v: Any = None
    t: float = 0.0  # s
    t_end: float | None = None  # s, end of the motion; none is followed without it
    quantities: Mapping[str, Function] = field(default_factory=dict)  # name → function of the system's q, v, t, p
    parameters: Mapping[str, float] = field(default_factory=dict)  # numbers of the source by name
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    control: Any = None
    spread: float = 0.5  # standard deviation of the draws, relative to each coordinate's size (at least 1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "system", getattr(self.system, "system", self.system))
