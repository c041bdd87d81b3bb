"""Compiled functions called through memory buffers: about 0.2 µs a call instead of 15 µs."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from gauss.arrays import Array


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
