"""Smoothness at a state: which operations of a model have no bounded derivative there, read off its expressions.

Each node e of the expression graph carries an order: the largest p found with |e(x) − e(x₀)| = O(|x − x₀|^p), x being
positions and velocities. Orders follow from those of the arguments: a sum has the least of them, √ halves the order
where its argument vanishes, a sign has order 0 at its switch. The order of an entry is a bound from below: terms that
cancel, or two pieces that fit together, may do better. Order at least 1 is Lipschitz continuity at x₀.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import EPS
from gauss.model.compiled.operations import ANALYTIC
from gauss.model.compiled.readable import quotient, readable
from gauss.model.compiled.terms import CompiledModel

SMOOTH, LIPSCHITZ, NEITHER = 2, 1, 0  # what a node is known to be in a neighbourhood of the state
SLACK = 8.0  # an argument within this many rounding errors of its critical value counts as there
FLAT = 1e-12  # a gradient below this share of its size (at least 1) vanishes
UNKNOWN = -np.inf  # order of a node whose expression shows none

KINK, JUMP, STEEP, INFINITE = "kink", "jump", "unbounded derivative", "not finite"

_COMPARISONS = {ca.OP_LT: "<", ca.OP_LE: "<=", ca.OP_EQ: "==", ca.OP_NE: "!="}
_LOGIC = frozenset((ca.OP_NOT, ca.OP_AND, ca.OP_OR))
_STEPS = {ca.OP_FLOOR: "floor", ca.OP_CEIL: "ceil", ca.OP_FMOD: "fmod", ca.OP_REMAINDER: "remainder"}
_EDGES = frozenset((ca.OP_ASIN, ca.OP_ACOS, ca.OP_ACOSH))  # derivative unbounded at ±1
_POLES = {ca.OP_LOG: 0.0, ca.OP_LOG1P: -1.0, ca.OP_ATANH: 1.0, ca.OP_INV: 0.0, ca.OP_DIV: 0.0}  # infinite there


@dataclass(frozen=True)
class Irregularity:
    """An operation at a place where it has no bounded derivative."""

    where: str  # "force of coordinate 'r'", "constraint 'surface'", "mass matrix entry [x, y]"
    operation: str  # "sqrt"
    argument: str  # "r"
    kind: str  # "kink" (Lipschitz all the same), "jump", "unbounded derivative" or "not finite"

    def __str__(self) -> str:
        return f"{self.where}: {self.operation}({self.argument}), {self.kind}"


@dataclass(frozen=True)
class Symbolic:
    """What the expressions of M, f, J and γ show at one state."""

    irregular: tuple[Irregularity, ...]
    order: float  # bound from below of the orders of all entries; −inf where the expressions show none
    near: bool  # every entry is Lipschitz in a neighbourhood of the state

    @property
    def steep(self) -> bool:
        """Whether an operation has an unbounded derivative that no other operation is seen to tame."""
        return self.order < 1.0 and any(item.kind == STEEP for item in self.irregular)


@dataclass(frozen=True)
class _Hit:
    operation: str
    argument: str
    kind: str


@dataclass(frozen=True)
class _Operation:
    order: float
    near: int
    hits: frozenset[_Hit]

    @property
    def constant(self) -> bool:
        """Whether the node does not depend on positions and velocities."""
        return self.order == np.inf


_CONSTANT = _Operation(np.inf, SMOOTH, frozenset())


def depends_on_time(model: CompiledModel) -> bool:
    """Return whether the time occurs in the mass matrix, the force or a row of a model."""
    r = model.trace
    return any(bool(ca.depends_on(e, r.symbols.t)) for e in (r.M, r.f, r.J, r.gamma, r.phi, r.psi))


def cyclic(model: CompiledModel) -> tuple[str, ...]:
    """Return the coordinates that nothing in a model depends on but by their velocities."""
    r = model.trace
    given = [r.M, r.f, r.J, r.gamma, r.phi, r.psi]
    return tuple(
        name
        for k, name in enumerate(model.system.coordinates)
        if not any(bool(ca.depends_on(e, r.symbols.q[k])) for e in given)
    )


def smoothness_at(model: CompiledModel, q: Array, v: Array, t: float, theta: Array) -> Symbolic:
    """Return the irregular operations at (q, v, t) and the order that the expressions guarantee.

    M, f, J and γ are read; φ and ψ enter through them, being their derivatives. Time, parameters and controls count as
    constants: uniqueness of the motion needs no smoothness in them. A black-box force is not seen.
    """
    if model.smooth:
        return Symbolic((), 1.0, True)
    walk = _Walk(model, (q, v, np.array([t]), theta))
    found: dict[Irregularity, None] = {}
    worst = _CONSTANT
    for where, node in walk.entries(_places(model)):
        if node.order < worst.order or node.near < worst.near:
            worst = _Operation(min(worst.order, node.order), min(worst.near, node.near), frozenset())
        for hit in sorted(node.hits, key=lambda h: (h.operation, h.argument)):
            found[Irregularity(where, hit.operation, hit.argument, hit.kind)] = None
    return Symbolic(tuple(found), worst.order, worst.near >= LIPSCHITZ)


def _places(model: CompiledModel) -> list[list[str]]:
    """Return the name of each entry of M, f, J and γ, column by column as CasADi stores them."""
    names, n, m = model.trace.symbols.named["q"], model.n, model.m
    coordinates = [str(symbol) for symbol in names]
    rows = [f"constraint {name!r}" for name in model.names]
    mass = [f"mass matrix entry [{min(a, b)}, {max(a, b)}]" for a in coordinates for b in coordinates]
    return [mass, [f"force of coordinate {name!r}" for name in coordinates], rows * n, rows if m else []]


class _Walk:
    """One pass over the instructions of a model, with the value of every node at the state."""

    def __init__(self, model: CompiledModel, state: tuple[Array, ...]):
        r = model.trace
        self.arguments, self.state, self.n = model.arguments, state, model.n
        function = ca.Function("walk", self.arguments, [ca.densify(e) for e in (r.M, r.f, r.J, r.gamma)])
        self.operations: list[int] = []
        self.inputs: list[list[int]] = []
        self.symbols: list[ca.SX] = []
        self.outputs: dict[tuple[int, int], int] = {}
        self._read(function)
        self._evaluate()

    def _read(self, function: ca.Function) -> None:
        """Turn registers, which are used again and again, into nodes that are written once."""
        held: dict[int, int] = {}
        given = [ca.SX(argument).elements() for argument in self.arguments]
        for k in range(function.n_instructions()):
            operation, source = function.instruction_id(k), function.instruction_input(k)
            target = function.instruction_output(k)
            if operation == ca.OP_OUTPUT:
                self.outputs[target[0], target[1]] = held[source[0]]
                continue
            nodes: list[int] = []
            if operation == ca.OP_INPUT:
                symbol = given[source[0]][source[1]]
                nodes = [source[0]]  # which argument: positions 0, velocities 1
            elif operation == ca.OP_CONST:
                symbol = ca.SX(function.instruction_constant(k))
            else:
                nodes = [held[i] for i in source]
                parts = [self.symbols[i] for i in nodes]
                symbol = ca.SX.unary(operation, *parts) if len(parts) == 1 else ca.SX.binary(operation, *parts)
            held[target[0]] = len(self.symbols)
            self.operations.append(operation)
            self.inputs.append(nodes)
            self.symbols.append(symbol)

    def _evaluate(self) -> None:
        """Evaluate all nodes, and how far rounding of the state moves each."""
        everything = ca.Function("nodes", self.arguments, [ca.vertcat(*self.symbols)])
        self.value = np.array(everything(*self.state)).ravel()
        rng = np.random.default_rng(0)
        spread = np.zeros(self.value.size)
        for _ in range(4):
            moved = [x + EPS * np.maximum(np.abs(x), 1.0) * rng.choice([-1.0, 1.0], x.size) for x in self.state[:2]]
            with np.errstate(invalid="ignore"):  # infinite values are judged by themselves
                change = np.abs(np.array(everything(*moved, *self.state[2:])).ravel() - self.value)
            spread = np.fmax(spread, np.where(np.isfinite(change), change, 0.0))
        size = np.array([np.max(np.abs(self.value[i]), initial=0.0) for i in self.inputs_of_all()])
        self.rounding = SLACK * (spread + EPS * np.fmax(np.abs(self.value), np.where(np.isfinite(size), size, 0.0)))

    def inputs_of_all(self) -> list[list[int]]:
        """Return the nodes that each node uses; none for inputs and constants."""
        leaves = (ca.OP_INPUT, ca.OP_CONST)
        return [[] if op in leaves else nodes for op, nodes in zip(self.operations, self.inputs, strict=True)]

    def entries(self, places: Sequence[Sequence[str]]) -> list[tuple[str, _Operation]]:
        """Return every output entry with its place."""
        nodes: list[_Operation] = []
        for k in range(len(self.operations)):
            nodes.append(self._judge(k, nodes))
        return [(places[i][j], nodes[k]) for (i, j), k in sorted(self.outputs.items())]

    # ------------------------------------------------------------------ orders

    def _judge(self, k: int, nodes: list[_Operation]) -> _Operation:
        """Return order, neighbourhood and irregular operations of node k from those before it."""
        operation = self.operations[k]
        if operation == ca.OP_INPUT:
            return _Operation(1.0, SMOOTH, frozenset()) if self.inputs[k][0] < 2 else _CONSTANT
        if operation == ca.OP_CONST:
            return _CONSTANT
        used = [nodes[i] for i in self.inputs[k]]
        if operation == ca.OP_IF_ELSE_ZERO:
            return self._chosen(k, used)
        if all(node.constant for node in used):
            return _CONSTANT
        plain = _Operation(
            min(node.order for node in used),
            min(node.near for node in used),
            frozenset().union(*(node.hits for node in used if not node.constant)),
        )
        if not all(np.isfinite(self.value[i]) for i in self.inputs[k]):
            return _Operation(UNKNOWN, NEITHER, plain.hits)
        if not np.isfinite(self.value[k]) or self._pole(k, used):
            return self._hit(k, plain, UNKNOWN, NEITHER, self._name(operation), INFINITE)
        if operation in ANALYTIC or operation in _LOGIC or (operation in _POLES and operation != ca.OP_DIV):
            return plain
        return self._rule(operation)(k, used, plain)

    def _rule(self, operation: int) -> Callable[[int, list[_Operation], _Operation], _Operation]:
        rules = {
            ca.OP_MUL: self._product,
            ca.OP_DIV: self._product,
            ca.OP_SQ: self._square,
            ca.OP_SQRT: self._power,
            ca.OP_POW: self._power,
            ca.OP_CONSTPOW: self._power,
            ca.OP_SIGN: self._sign,
            ca.OP_COPYSIGN: self._sign,
            ca.OP_FABS: self._absolute,
            ca.OP_FMIN: self._extreme,
            ca.OP_FMAX: self._extreme,
            ca.OP_HYPOT: self._hypot,
            ca.OP_ATAN2: self._angle,
        }
        if operation in _COMPARISONS:
            return self._comparison
        if operation in _STEPS:
            return self._step
        if operation in _EDGES:
            return self._edge
        return rules.get(operation, self._unread)

    def _zero(self, i: int) -> bool:
        """Whether node i vanishes, to rounding."""
        return bool(abs(self.value[i]) <= self.rounding[i])

    def _vanishing(self, i: int, node: _Operation) -> float:
        """Return the order at which a node tends to its value: 2 where it is smooth and its gradient vanishes."""
        if node.near < SMOOTH or node.order != 1.0:
            return node.order
        variables = ca.vertcat(self.arguments[0], self.arguments[1])
        slope = ca.Function("slope", self.arguments, [ca.gradient(self.symbols[i], variables)])
        value = np.array(slope(*self.state)).ravel()
        return 2.0 if np.max(np.abs(value), initial=0.0) <= FLAT else 1.0

    def _hit(self, k: int, plain: _Operation, order: float, near: int, operation: str, kind: str) -> _Operation:
        """Return the node of an operation at its critical place."""
        parts = [readable(self.symbols[i]) for i in self.inputs[k]]
        argument = quotient(*parts) if self.operations[k] == ca.OP_DIV else ", ".join(parts)
        hit = _Hit(operation, argument, kind)
        return _Operation(order, min(near, plain.near), plain.hits | {hit})

    def _product(self, k: int, used: list[_Operation], plain: _Operation) -> _Operation:
        (i, j), (a, b) = self.inputs[k], used
        orders = [a.order + b.order if min(a.order, b.order) > UNKNOWN else UNKNOWN]
        if not self._zero(j):
            orders.append(a.order)
        if not self._zero(i):
            orders.append(b.order)
        hits: frozenset[_Hit] = frozenset().union(*(n.hits for n in used if not n.constant))
        for factor, node in ((i, a), (j, b)):
            if node.constant and self.value[factor] == 0.0:
                return _CONSTANT
        return _Operation(min(orders), plain.near, hits)

    def _square(self, k: int, used: list[_Operation], plain: _Operation) -> _Operation:
        if not self._zero(self.inputs[k][0]):
            return plain
        return _Operation(2.0 * plain.order, plain.near, plain.hits)

    def _power(self, k: int, used: list[_Operation], plain: _Operation) -> _Operation:
        i = self.inputs[k][0]
        exponent = 0.5 if self.operations[k] == ca.OP_SQRT else float(self.value[self.inputs[k][1]])
        varying = len(used) > 1 and not used[1].constant
        whole = exponent == round(exponent) and exponent >= 0.0 and not varying
        if not self._zero(i):
            return plain
        order = exponent * self._vanishing(i, used[0])
        if whole:
            return _Operation(order if exponent else np.inf, plain.near, plain.hits)
        name = "sqrt" if self.operations[k] == ca.OP_SQRT else "pow"
        if exponent <= 0.0:
            return self._hit(k, plain, UNKNOWN, NEITHER, name, INFINITE)
        if exponent >= 1.0 and not varying:
            return _Operation(order, min(plain.near, LIPSCHITZ), plain.hits)
        return self._hit(k, plain, order, NEITHER, name, KINK if order >= 1.0 else STEEP)

    def _sign(self, k: int, used: list[_Operation], plain: _Operation) -> _Operation:
        signed = self.inputs[k][-1]
        if self._zero(signed):
            return self._hit(k, plain, 0.0, NEITHER, self._name(self.operations[k]), JUMP)
        return _CONSTANT if self.operations[k] == ca.OP_SIGN else self._absolute(k, used, plain)

    def _absolute(self, k: int, used: list[_Operation], plain: _Operation) -> _Operation:
        if not self._zero(self.inputs[k][0]):
            return plain
        return self._hit(k, plain, used[0].order, LIPSCHITZ, self._name(self.operations[k]), KINK)

    def _extreme(self, k: int, used: list[_Operation], plain: _Operation) -> _Operation:
        i, j = self.inputs[k]
        if abs(self.value[i] - self.value[j]) > self.rounding[i] + self.rounding[j]:
            return used[0] if self.value[k] == self.value[i] else used[1]
        return self._hit(k, plain, plain.order, LIPSCHITZ, self._name(self.operations[k]), KINK)

    def _hypot(self, k: int, used: list[_Operation], plain: _Operation) -> _Operation:
        if not all(self._zero(i) for i in self.inputs[k]):
            return plain
        return self._hit(k, plain, plain.order, LIPSCHITZ, "hypot", KINK)

    def _angle(self, k: int, used: list[_Operation], plain: _Operation) -> _Operation:
        y, x = self.inputs[k]
        if self._zero(y) and (self._zero(x) or self.value[x] < 0.0):
            return self._hit(k, plain, 0.0, NEITHER, "atan2", JUMP)
        return plain

    def _comparison(self, k: int, used: list[_Operation], plain: _Operation) -> _Operation:
        i, j = self.inputs[k]
        if abs(self.value[i] - self.value[j]) > self.rounding[i] + self.rounding[j]:
            return _CONSTANT
        sides = [readable(self.symbols[n]) for n in (i, j)]
        hit = _Hit("where", f"{sides[0]} {_COMPARISONS[self.operations[k]]} {sides[1]}", JUMP)
        return _Operation(0.0, NEITHER, plain.hits | {hit})

    def _step(self, k: int, used: list[_Operation], plain: _Operation) -> _Operation:
        i, operation = self.inputs[k][0], self.operations[k]
        period = self.value[self.inputs[k][1]] if len(self.inputs[k]) > 1 else 1.0
        share = self.value[i] / period
        edge = share - 0.5 if operation == ca.OP_REMAINDER else share
        if abs(edge - round(edge)) * abs(period) > self.rounding[i]:
            return _CONSTANT if len(self.inputs[k]) == 1 else plain
        return self._hit(k, plain, 0.0, NEITHER, _STEPS[operation], JUMP)

    def _pole(self, k: int, used: list[_Operation]) -> bool:
        """Whether the operation of node k is within rounding of a place where it is infinite."""
        operation, i = self.operations[k], self.inputs[k][-1]
        if operation not in _POLES or used[-1].constant:
            return False
        value = abs(self.value[i]) if operation == ca.OP_ATANH else self.value[i]
        return bool(abs(value - _POLES[operation]) <= self.rounding[i])

    def _edge(self, k: int, used: list[_Operation], plain: _Operation) -> _Operation:
        i = self.inputs[k][0]
        if abs(abs(self.value[i]) - 1.0) > self.rounding[i]:
            return plain
        order = 0.5 * self._vanishing(i, used[0])
        name = self._name(self.operations[k])
        return self._hit(k, plain, order, NEITHER, name, KINK if order >= 1.0 else STEEP)

    def _chosen(self, k: int, used: list[_Operation]) -> _Operation:
        """Judge `condition ? value : 0`."""
        (i, j), (condition, value) = self.inputs[k], used
        if condition.constant:
            return value if self.value[i] != 0.0 else _CONSTANT
        hits = condition.hits | value.hits
        if not np.isfinite(self.value[j]) or value.order == UNKNOWN:
            return _Operation(UNKNOWN, NEITHER, hits)
        return _Operation(value.order if self._zero(j) else 0.0, NEITHER, hits)

    def _unread(self, k: int, used: list[_Operation], plain: _Operation) -> _Operation:
        """Judge an operation that is not known here."""
        return self._hit(k, plain, UNKNOWN, NEITHER, self._name(self.operations[k]), INFINITE)

    @staticmethod
    def _name(operation: int) -> str:
        return _WORDS.get(operation) or _NAMES.get(operation, "operation").lower()


_WORDS = {ca.OP_DIV: "quotient", ca.OP_INV: "reciprocal", ca.OP_CONSTPOW: "pow"}
_NAMES = {
    getattr(ca, name): name.removeprefix("OP_")
    for name in dir(ca)
    if name.startswith("OP_") and isinstance(getattr(ca, name), int)
}
