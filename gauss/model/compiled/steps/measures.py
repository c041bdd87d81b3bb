"""How far a state is off its constraints, and how near their rows are to dependence, without full matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca

from gauss.model.compiled.buffer import Buffered, dense_function
from gauss.model.compiled.steps.kkt import Form, distance, kkt_of

if TYPE_CHECKING:
    from gauss.model.compiled.trace import Trace


@dataclass(frozen=True)
class Measures:
    """Functions of the state (q, v, t, theta, w) for a fixed set of k rows, in the metric K of `kkt.metric_and_force`.

    With Ŝ the products of the rows scaled to unit length, Ŝ = E J K⁻¹Jᵀ E, the eigenvalues of Ŝ are the squares of the
    singular values of those rows.
    """

    off: Buffered  # → distance off the position constraints, distance off the velocity constraints
    inverse: Buffered  # with y (k,) after the input → Ŝ⁻¹ y (k,)

    @staticmethod
    def build(trace: Trace, arguments: list[ca.SX], rows: tuple[int, ...], augmented: bool, form: Form) -> Measures:
        """Compile the functions for the given rows."""
        w, y = ca.SX.sym("w"), ca.SX.sym("y", len(rows))
        inputs = [*arguments, w]
        J, gamma, phi, psi = trace.rows(rows)
        kkt = kkt_of(form, trace.M, trace.f, J, gamma, w if augmented else None)
        length = ca.sqrt(kkt.sizes)
        return Measures(
            Buffered(dense_function("off", inputs, [distance(kkt, phi), distance(kkt, psi)])),
            Buffered(dense_function("inverse", [*inputs, y], [length * kkt.inverse(length * y)])),
        )
