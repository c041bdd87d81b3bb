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
    """What every printed statement has; use one of the kinds below.

    >>> import gauss as g
    >>> sides = {"left": lambda a: a.x, "right": lambda q: 4 * q.x, "correct": lambda a, q: a.x + 4 * q.x}
    >>> wrong = g.sources.Equation("equation of motion", **sides, number="(3)", remark="the sign")
    >>> isinstance(wrong, g.sources.Statement), wrong.number, wrong.remark
    (True, '(3)', 'the sign')
    """

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
    """The quantity (coordinate) `of` is this function of t along the motion from the start.

    >>> import gauss as g
    >>> cart = g.System("cart", "x", kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: 4 * q.x**2)
    >>> claim = g.sources.ClosedForm("the motion", of="x", function=lambda t: 0.1 * g.cos(2 * t))
    >>> notes = g.sources.Printed("my notes", [claim], cart, q=[0.1], t_end=0.5)
    >>> [found.holds for found in g.sources.verify(notes, count=9)]
    [True]
    """

    of: str = field(kw_only=True)
    function: Function = field(kw_only=True)


@dataclass(frozen=True)
class Integral(Statement):
    """A function of q, v, t that is constant along every motion.

    >>> import gauss as g
    >>> cart = g.System("cart", "x", kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: 4 * q.x**2)
    >>> claim = g.sources.Integral("energy", function=lambda q, v: v.x**2 + 4 * q.x**2)
    >>> [found.holds for found in g.sources.verify(g.sources.Printed("my notes", [claim], cart, q=[0.1]), count=9)]
    [True]
    """

    function: Function = field(kw_only=True)


@dataclass(frozen=True)
class Lagrangian(Statement):
    """L = T − V of the system, but for a constant.

    >>> import gauss as g
    >>> cart = g.System("cart", "x", kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: 4 * q.x**2)
    >>> claim = g.sources.Lagrangian("L", function=lambda q, v: v.x**2 - 4 * q.x**2 + 7)
    >>> [found.holds for found in g.sources.verify(g.sources.Printed("my notes", [claim], cart, q=[0.1]), count=9)]
    [True]
    """

    function: Function = field(kw_only=True)


@dataclass(frozen=True)
class Hamiltonian(Statement):
    """H = v·∂T/∂v − T + V of the system, but for a constant; momenta are quantities of the collection.

    That is T + V where T is homogeneous in the velocities of the system's coordinates.

    >>> import gauss as g
    >>> cart = g.System("cart", "x", kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: 4 * q.x**2)
    >>> claim = g.sources.Hamiltonian("H", function=lambda q: q.px**2 / 4 + 4 * q.x**2)
    >>> notes = g.sources.Printed("my notes", [claim], cart, q=[0.1], quantities={"px": lambda v: 2 * v.x})
    >>> [found.holds for found in g.sources.verify(notes, count=9)]
    [True]
    """

    function: Function = field(kw_only=True)


@dataclass(frozen=True)
class EqualFormula(Statement):
    """`function` is equal to `of`, such as a system's kinetic energy, but for a constant where one is allowed.

    Unlike the two sides of an equation only `function` is mended. It may be a dict of terms by label, which are added.

    >>> import gauss as g
    >>> cart = g.System("cart", "x", kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: 4 * q.x**2)
    >>> claim = g.sources.EqualFormula("V", of=lambda q: 4 * q.x**2, function=lambda q: (2 * q.x) ** 2)
    >>> [found.holds for found in g.sources.verify(g.sources.Printed("my notes", [claim], cart, q=[0.1]), count=9)]
    [True]
    """

    of: Function = field(kw_only=True)
    function: Function | Mapping[str, Function] = field(kw_only=True)
    constant: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Derivative(Statement):
    """The partial derivative of `of` by a symbol, "q.r", "v.r" or "t", is this function.

    The correct form may be a function, or the name of the symbol that was meant.

    >>> import gauss as g
    >>> cart = g.System("cart", "x", kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: 4 * q.x**2)
    >>> claim = g.sources.Derivative("the momentum", of=lambda v: v.x**2, by="v.x", function=lambda v: 2 * v.x)
    >>> [found.holds for found in g.sources.verify(g.sources.Printed("my notes", [claim], cart, q=[0.1]), count=9)]
    [True]
    """

    of: Function = field(kw_only=True)
    by: str = field(kw_only=True)
    function: Function = field(kw_only=True)


@dataclass(frozen=True)
class ConstraintMatrix(Statement):
    """A(q) q̇ = 0 is what the rows of the system say: every admissible velocity satisfies it, and no other one.

    >>> import gauss as g
    >>> blade = g.Pfaffian("blade", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0])
    >>> skate = g.System("skate", "x y phi", kinetic_energy=lambda v: v.x**2 + v.y**2 + v.phi**2, constraints=[blade])
    >>> claim = g.sources.ConstraintMatrix("the blade", matrix=lambda q: [[g.tan(q.phi), -1, 0]])
    >>> notes = g.sources.Printed("my notes", [claim], skate, q=[0, 0, 0.3])
    >>> [found.holds for found in g.sources.verify(notes, count=9)]
    [True]
    """

    matrix: Function = field(kw_only=True)


@dataclass(frozen=True)
class ControlFields(Statement):
    """The columns of G(q), given as n rows, span the velocities that the rows of the system admit.

    >>> import gauss as g
    >>> blade = g.Pfaffian("blade", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0])
    >>> skate = g.System("skate", "x y phi", kinetic_energy=lambda v: v.x**2 + v.y**2 + v.phi**2, constraints=[blade])
    >>> claim = g.sources.ControlFields("fields", matrix=lambda q: [[g.cos(q.phi), 0], [g.sin(q.phi), 0], [0, 1]])
    >>> notes = g.sources.Printed("my notes", [claim], skate, q=[0, 0, 0.3])
    >>> [found.holds for found in g.sources.verify(notes, count=9)]
    [True]
    """

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
