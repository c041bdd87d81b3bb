"""Compiled functions called through memory buffers: about 0.2 µs a call instead of 15 µs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from gauss.foundation.arrays import Array, Indices
from gauss.model.compiled.walked import Walked, walkable

TOGETHER = (512, 64, 8)  # points in one compiled call


class Buffered:
    """A CasADi function with input and output memory; call it with arrays, get arrays back. Any thread may call.

    Columns have shape (k,), scalars too (k = 1); matrices (r, c). A call takes a memory that no other call is using,
    and lays it back: adding to the end of a list and taking from there are one step each, so threads need no lock.
    """

    def __init__(self, function: ca.Function):
        self.function = function
        self._free = [Buffers.of(function)]

    @cached_property
    def many(self) -> Mapped:
        """The same at many points."""
        return Mapped(self.function)

    def at(self, points: Sequence[Array], held: Sequence[Any]) -> list[Array]:
        """Evaluate as `Mapped` does; a single point (1, k) in one call, whose outputs (1, r) are columns."""
        if len(points[0]) > 1:
            return self.many(points, held)
        return [value[None] for value in self(*(each[0] for each in points), *held)]

    def __call__(self, *arguments: Any) -> list[Array]:
        """Evaluate; the returned arrays are copies."""
        try:
            memory = self._free.pop()
        except IndexError:  # as many calls as ever are under way
            memory = Buffers.of(self.function)
        for given, value in zip(memory.inputs, arguments, strict=True):
            given[:] = value
        memory.evaluate()
        found = [result.copy() for result in memory.outputs]
        self._free.append(memory)
        return found


class Mapped:
    """A CasADi function at many points in few compiled calls; any thread may call."""

    def __init__(self, function: ca.Function):
        self.function = function
        self._made: dict[int, Buffered] = {}

    @cached_property
    def walked(self) -> Mapped | Walked:
        """The same by heyoka, to roundings, where that has all operations; it is worth what many points cost here."""
        return Walked(self.function) if walkable(self.function) else self

    def __call__(self, points: Sequence[Array], held: Sequence[Any] = ()) -> list[Array]:
        """Evaluate at N points: its first inputs are `points`, (N,), (N, k) or (1, k), the others the same for all.

        The outputs (N, r·c) are laid out column by column.
        """
        count, done = len(points[0]), 0
        if not count:
            return [np.zeros((0, self.function.numel_out(k))) for k in range(self.function.n_out())]
        parts: list[list[Array]] = []
        while done < count:
            size = next((size for size in TOGETHER if 2 * (count - done) > size), TOGETHER[-1])
            if size not in self._made:
                self._made[size] = Buffered(self.function.map(size))
            some = np.minimum(np.arange(done, done + size), count - 1)
            varying = (each[some if len(each) == count else 0 * some].ravel() for each in points)
            found = self._made[size](*varying, *(np.tile(value, size) for value in held))
            parts.append([values.T.reshape(size, values.size // size)[: count - done] for values in found])
            done += size
        return [np.concatenate(each) for each in zip(*parts, strict=True)] if len(parts) > 1 else parts[0]


@dataclass(frozen=True, slots=True)
class Buffers:
    """Where a function reads its inputs and writes its outputs."""

    evaluate: Callable[[], None]
    inputs: list[Array]
    outputs: list[Array]
    held: list[Any]  # what CasADi points into

    @staticmethod
    def of(function: ca.Function) -> Buffers:
        """Return new memory for a function."""
        buffer, evaluate = function.buffer()
        inputs = [_space(function.size_in(k)) for k in range(function.n_in())]
        outputs = [_space(function.size_out(k)) for k in range(function.n_out())]
        for k, (flat, _) in enumerate(inputs):
            buffer.set_arg(k, flat.data)
        for k, (flat, _) in enumerate(outputs):
            buffer.set_res(k, flat.data)
        given = [flat[: view.size] for flat, view in inputs]
        return Buffers(evaluate, given, [view for _, view in outputs], [buffer, inputs, outputs])


def _space(shape: tuple[int, int]) -> tuple[Array, Array]:
    """Return numbers for a matrix, in the order of columns, and the matrix as a view of them."""
    flat = np.zeros(max(shape[0] * shape[1], 1))  # CasADi needs at least one byte to point at
    used = flat[: shape[0] * shape[1]]
    return flat, used if shape[1] == 1 else used.reshape(shape, order="F")


def dense_function(name: str, inputs: list[ca.SX], outputs: list[ca.SX], often: bool = True) -> ca.Function:
    """Return a CasADi function with dense outputs and shared subexpressions.

    To look for these takes as long as some thousand calls gain by them: it is left out where there are not so `often`.
    """
    dense = [ca.densify(output) for output in outputs]
    return ca.Function(name, inputs, ca.cse(dense) if often else dense)


@dataclass(frozen=True)
class Pattern:
    """Where a sparse matrix stores its entries, column by column with rows ascending."""

    shape: tuple[int, int]
    rows: Indices  # (s,)
    columns: Indices  # (s,)

    @staticmethod
    def of(matrix: ca.SX) -> Pattern:
        """Return the pattern of a matrix of expressions."""
        rows, columns = matrix.sparsity().get_triplet()
        return Pattern(matrix.shape, np.array(rows, dtype=int), np.array(columns, dtype=int))

    @property
    def starts(self) -> Indices:
        """Where each column starts among the entries, and where the last one ends (columns + 1,)."""
        return np.searchsorted(self.columns, np.arange(self.shape[1] + 1))

    def fill(self, values: Array) -> Array:
        """Return the full matrix from the stored values (s,), or matrices (N, r, c) from values (s, N)."""
        full = np.zeros((*values.shape[1:], *self.shape))
        full[..., self.rows, self.columns] = values.T
        return full
