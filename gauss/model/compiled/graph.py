"""The expressions of a model as plain data: a list of elementary operations, each shared part once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca

from gauss.model.compiled.trace import trace_force

if TYPE_CHECKING:
    from gauss.model.system import System

NAMES = {getattr(ca, name): name[3:].lower() for name in dir(ca) if name.startswith("OP_")}


@dataclass(frozen=True)
class Operation:
    """One elementary operation on the results of earlier ones."""

    name: str  # "add", "sin", "const", …; "input" for an argument
    inputs: tuple[int, ...]  # positions of earlier operations; of an input: which argument, which entry
    value: float = 0.0  # of a constant


@dataclass(frozen=True)
class Graph:
    """Expressions as operations, and where each output is found among them."""

    operations: tuple[Operation, ...]
    outputs: dict[str, tuple[int, ...]]  # positions of the entries of each output, row by row; −1 for zero

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Operations behind each operation if nothing were shared, itself included (inputs and constants count 0)."""
        found: list[int] = []
        for operation in self.operations:
            leaf = operation.name in ("input", "const")
            found.append(0 if leaf else 1 + sum(found[k] for k in operation.inputs))
        return tuple(found)

    @cached_property
    def inside(self) -> tuple[frozenset[tuple[int, ...]], ...]:
        """The inputs behind each operation: which argument, which entry."""
        found: list[frozenset[tuple[int, ...]]] = []
        for operation in self.operations:
            own = [operation.inputs[:2]] if operation.name == "input" else []
            found.append(frozenset(own or [x for k in operation.inputs for x in found[k]]))
        return tuple(found)

    @property
    def count(self) -> int:
        """Number of operations, each shared part counted once, without inputs and constants."""
        return sum(operation.name not in ("input", "const") for operation in self.operations)

    @property
    def written_out(self) -> int:
        """Number of operations when every output is written out without shared parts."""
        return sum(self.sizes[k] for places in self.outputs.values() for k in places if k >= 0)


def graph_of(system: System) -> Graph:
    """Return the operations behind M, f, the force, T, V, φ, ψ, J and γ of a System.

    Arguments are those of the model: q, v, t, and the parameters followed by the controls; then the multipliers of its
    equality rows, which the force alone may see. M is the matrix before its guard (nan where velocities do not cancel
    or the matrix is not symmetric).
    """
    trace = system.model.trace
    seeing = trace.symbols.seeing([trace.names[k] for k in system.model.equality])
    assert seeing.load is not None
    matrices = {
        "M": trace.M if trace.doubt is None else trace.doubt,
        "f": trace.f,
        "force": trace_force(system.force, system.coordinates, seeing),
        "kinetic": trace.kinetic,
        "potential": trace.potential,
        "phi": trace.phi,
        "psi": trace.psi,
        "J": trace.J,
        "gamma": trace.gamma,
    }
    return graph_behind(matrices, [*system.model.arguments, seeing.load])


def graph_behind(matrices: dict[str, ca.SX], arguments: list[ca.SX]) -> Graph:
    """Return the operations behind named matrices, as functions of the arguments."""
    columns = [ca.vec(ca.densify(matrix).T) for matrix in matrices.values()]
    function = ca.Function("graph", arguments, ca.cse(columns))
    operations, places = _operations(function)
    outputs = {
        name: tuple(places.get((k, entry), -1) for entry in range(columns[k].numel()))
        for k, name in enumerate(matrices)
    }
    return Graph(operations, outputs)


def _operations(function: ca.Function) -> tuple[tuple[Operation, ...], dict[tuple[int, int], int]]:
    """Return the operations of a function, and the position of each of its outputs' entries."""
    operations: list[Operation] = []
    register: dict[int, int] = {}  # CasADi writes results to registers, which it uses again
    places: dict[tuple[int, int], int] = {}
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        given, result = function.instruction_input(k), function.instruction_output(k)
        if code == ca.OP_OUTPUT:
            places[result[0], result[1]] = register[given[0]]
            continue
        if code == ca.OP_INPUT:
            operation = Operation("input", tuple(given))
        elif code == ca.OP_CONST:
            operation = Operation("const", (), function.instruction_constant(k))
        else:
            operation = Operation(NAMES[code], tuple(register[i] for i in given))
        register[result[0]] = len(operations)
        operations.append(operation)
    return tuple(operations), places
