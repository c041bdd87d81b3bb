"""Compiled functions called through memory buffers: about 0.2 µs a call instead of 15 µs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from gauss.arrays import Array, Indices


class Buffered:
    """A CasADi function with its own input and output memory; call it with arrays, get arrays back.

    Columns have shape (k,), scalars too (k = 1); matrices (r, c).
    """

    def __init__(self, function: ca.Function):
        self.function = function
        self._buffer, self._evaluate = function.buffer()
        self.inputs = [self._memory(function.size_in(k)) for k in range(function.n_in())]
        self.outputs = [self._memory(function.size_out(k)) for k in range(function.n_out())]
        for k, (flat, _) in enumerate(self.inputs):
            self._buffer.set_arg(k, flat.data)
        for k, (flat, _) in enumerate(self.outputs):
            self._buffer.set_res(k, flat.data)
        self._arguments = [flat for flat, _ in self.inputs]
        self._results = [view for _, view in self.outputs]

    @staticmethod
    def _memory(shape: tuple[int, int]) -> tuple[Array, Array]:
        flat = np.zeros(max(shape[0] * shape[1], 1))  # CasADi needs at least one byte to point at
        used = flat[: shape[0] * shape[1]]
        return flat, used if shape[1] == 1 else used.reshape(shape, order="F")

    def __call__(self, *arguments: Any) -> list[Array]:
        """Evaluate; the returned arrays are copies."""
        for memory, value in zip(self._arguments, arguments, strict=True):
            if memory.size == 1:
                memory[0] = value if np.ndim(value) == 0 else (value[0] if len(value) else 0.0)
            else:
                memory[:] = value
        self._evaluate()
        return [result.copy() for result in self._results]


def dense_function(name: str, inputs: list[ca.SX], outputs: list[ca.SX]) -> ca.Function:
    """Return a CasADi function with dense outputs and shared subexpressions."""
    return ca.Function(name, inputs, ca.cse([ca.densify(output) for output in outputs]))


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
