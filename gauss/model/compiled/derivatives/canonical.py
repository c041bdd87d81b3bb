"""Functions of the state with their gradients, in velocities and in the canonical momenta p = ∂T/∂v."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from gauss.foundation.arrays import Array
from gauss.model.compiled import trace as tr
from gauss.model.compiled.buffer import dense_function
from gauss.model.compiled.terms import CompiledModel
from gauss.model.functions import ModelFunction


@dataclass(frozen=True)
class Jet:
    """A scalar function F(q, v, t) at one state, with its gradients."""

    value: float
    by_q: Array  # (n,)
    by_v: Array  # (n,)
    by_t: float


class Scalar:
    """A compiled scalar function of the state; `evaluate` gives its value alone along many states."""

    def __init__(self, model: CompiledModel, expression: ca.SX):
        s = model.trace.symbols
        outputs = [expression, ca.gradient(expression, s.q), ca.gradient(expression, s.v)]
        self._jet = dense_function("scalar", model.arguments, [*outputs, ca.jacobian(expression, s.t)])
        self._value = dense_function("value", model.arguments, [expression])

    @staticmethod
    def energy(model: CompiledModel) -> Scalar:
        """Return kinetic plus potential energy, J."""
        return Scalar(model, model.trace.kinetic + model.trace.potential)

    @staticmethod
    def momentum(model: CompiledModel, k: int) -> Scalar:
        """Return the canonical momentum of coordinate k."""
        return Scalar(model, ca.gradient(model.trace.kinetic, model.trace.symbols.v)[k])

    @staticmethod
    def of(model: CompiledModel, function: Callable[..., Any], what: str) -> Scalar:
        """Trace a user's function of q, v, t, p. Raises ModelError."""
        traced = ModelFunction.of(function, "qvtp", what)
        return Scalar(model, tr.scalar_of(traced, model.trace.symbols))

    def at(self, q: Array, v: Array, t: float, theta: Array) -> Jet:
        """Evaluate at one state."""
        value, by_q, by_v, by_t = self._jet(q, v, t, theta)
        return Jet(float(value), np.array(by_q).ravel(), np.array(by_v).ravel(), float(by_t))

    def along(self, q: Array, v: Array, t: Array, theta: Array) -> Array:
        """Evaluate along states q, v (N, n), t (N,): (N,)."""
        return np.array(self._value(q.T, v.T, t[None, :], np.tile(theta[:, None], (1, len(t))))).ravel()


class Momenta:
    """The canonical momenta of a model and what changes them apart from reactions: ṗ = push + Jᵀλ."""

    def __init__(self, model: CompiledModel):
        r, s = model.trace, model.trace.symbols
        p = ca.gradient(r.kinetic, s.v)
        p_q = ca.jacobian(p, s.q)
        carried = p_q @ s.v + ca.jacobian(p, s.t)
        size = ca.fabs(r.f) + ca.fabs(p_q) @ ca.fabs(s.v)
        self._function = dense_function("momenta", model.arguments, [p_q, r.f + carried, size])

    def at(self, q: Array, v: Array, t: float, theta: Array) -> tuple[Array, Array, Array]:
        """Evaluate p_q (n, n) at fixed v, the push (n,), and the size of the push's terms (n,)."""
        p_q, push, size = self._function(q, v, t, theta)
        return np.array(p_q), np.array(push).ravel(), np.array(size).ravel()


@lru_cache(maxsize=32)
def momenta_of(model: CompiledModel) -> Momenta:
    """Return the momenta of a model, compiled once."""
    return Momenta(model)
