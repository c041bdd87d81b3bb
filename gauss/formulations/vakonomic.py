"""Vakonomic motion: the variational problem with constraints imposed before varying, to show where it is not Gauss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gauss.formulations._lagrangian import Force, Lagrangian, state_of
from gauss.formulations.complex_step import euler_lagrange, velocity_rows
from gauss.formulations.lagrange_first import lagrange_first_kind
from gauss.foundation.arrays import Array, vector


def vakonomic(
    L: Lagrangian,
    psi: Callable[[Any, Any, Any], Any],
    q: object,
    v: object,
    mu: object,
    t: float,
    force: Force | object | None = None,
) -> tuple[Array, Array]:
    """Return a (n,) and μ̇ (m,) of the vakonomic equations at the state (q, v, μ, t).

    L(q, v, t) and `force` as in `euler_lagrange`, psi(q, v, t) as in `velocity_rows` and linear in v: the Pfaffian rows
    ψ = A(q, t) v + b(q, t) = 0, mu (m,) their multipliers, which are part of the state here. Extremals of ∫ L dt among
    all curves that satisfy ψ = 0 are the free extremals of 𝓛 = L + μ(t)ᵀψ (V. V. Kozlov's vakonomic mechanics):

        d/dt ∂𝓛/∂v − ∂𝓛/∂q = Q   ⇔   M a − f = −Aᵀμ̇ − (Ȧᵀ − (∂ψ/∂q)ᵀ) μ,    A a = γ,

    two first-order sets for (v, μ) instead of an algebraic λ. M and f here are those of 𝓛 with μ held.

    Not equivalent to Gauss's principle:

    * Gauss's principle (and d'Alembert's) gives M a − f = Aᵀλ. Both agree where (Ȧᵀ − ψ_qᵀ) μ lies in the span of the
      rows: always for integrable rows (ψ = φ̇, then Ȧᵀ = ψ_qᵀ and λ = −μ̇) and for μ = 0 at the state.
    * The motion depends on the initial μ, which no mechanical state determines. It is the answer to a problem of
      optimal control, not of mechanics with ideal constraints.

    Raises InputError as `euler_lagrange` and `velocity_rows`, SolverError for dependent rows.
    """
    q0, v0, time = state_of(q, v, t)
    J, gamma = velocity_rows(psi, q0, v0, time)
    multipliers = vector(mu, len(gamma), "mu")

    def extended(q: Any, v: Any, t: Any) -> Any:
        return L(q, v, t) + multipliers @ np.asarray(psi(q, v, t))

    M, f = euler_lagrange(extended, q0, v0, time, force)
    a, reaction = lagrange_first_kind(M, f, J, gamma)
    return a, -reaction
