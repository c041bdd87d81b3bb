"""Derivatives of the constrained equations of motion, and of symmetry generators, with respect to the state.

The accelerations and multipliers solve R = 0,

    R₁ = f + Jᵀλ − M a,    R₂ = γ − J a,

so their derivatives follow from those of R at fixed a and λ: [[M, −Jᵀ], [J, 0]] (δa, δλ) = δR.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi as ca

from gauss.foundation.arrays import Array
from gauss.model.compiled import trace as tr
from gauss.model.compiled.buffer import Buffered, dense_function
from gauss.model.compiled.terms import CompiledModel
from gauss.model.functions import ModelFunction, as_vector

KEPT = 32  # models whose derivatives stay compiled


@dataclass(frozen=True)
class Variation:
    """Derivatives of the residual R at fixed a and λ, and of the constraints, at one state."""

    residual: Array  # (n + m,)
    by_q: Array  # (n + m, n)
    by_v: Array  # (n + m, n)
    by_u: Array  # (n + m, n_u)
    phi_q: Array  # (m, n)
    psi_q: Array  # (m, n)
    psi_v: Array  # (m, n)


class Variations:
    """Compiled derivatives of one model."""

    def __init__(self, model: CompiledModel):
        r, s = model.trace, model.trace.symbols
        a, multipliers = ca.SX.sym("a", model.n), ca.SX.sym("multipliers", model.m)
        residual = ca.vertcat(r.f + r.J.T @ multipliers - r.M @ a, r.gamma - r.J @ a)
        inputs = [*model.arguments, a, multipliers]
        outputs = [residual, *(ca.jacobian(residual, x) for x in (s.q, s.v, s.u))]
        outputs += [ca.jacobian(r.phi, s.q), ca.jacobian(r.psi, s.q), r.J]
        self._function = Buffered(dense_function("variation", inputs, outputs))
        self._shapes = [(residual.numel(),), *((residual.numel(), x.numel()) for x in (s.q, s.v, s.u))]
        self._shapes += [(model.m, model.n)] * 3
        changing = ca.vertcat(r.M[:], r.f, r.phi, r.psi)
        self.autonomous = not ca.depends_on(changing, s.t)

    def __call__(self, q: Array, v: Array, t: float, theta: Array, a: Array, multipliers: Array) -> Variation:
        """Evaluate at a state, accelerations a (n,) and multipliers (m,)."""
        values = self._function(q, v, t, theta, a, multipliers)
        return Variation(*(x.reshape(shape) for x, shape in zip(values, self._shapes, strict=True)))


@lru_cache(maxsize=KEPT)
def variations_of(model: CompiledModel) -> Variations:
    """Return the compiled derivatives of a model, compiled once."""
    return Variations(model)


class VectorField:
    """A vector field k(q, p) on the configuration space, with the derivatives of its lift (k, k_q v)."""

    def __init__(self, model: CompiledModel, names: tuple[str, ...], function: Callable[..., Any], what: str):
        s = model.trace.symbols
        traced = ModelFunction.of(function, "qp", what)
        k = tr.column(as_vector(tr.call(traced, s), names, what), what, s)
        by_q = ca.jacobian(k, s.q)
        lifted = by_q @ s.v
        self._function = Buffered(dense_function("field", model.arguments, [k, by_q, ca.jacobian(lifted, s.q)]))
        self._n = len(names)

    def __call__(self, q: Array, v: Array, theta: Array) -> tuple[Array, Array, Array]:
        """Evaluate k (n,), k_q (n, n) and the derivative of k_q v by q (n, n)."""
        k, by_q, bent = self._function(q, v, 0.0, theta)
        return k, by_q.reshape(self._n, self._n), bent.reshape(self._n, self._n)
