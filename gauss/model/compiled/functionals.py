"""Functionals of curves: the densities F, G, ψ of a variational problem and the derivatives its equations need.

With 𝓛 = F + λᵀG + μᵀψ and p = 𝓛_v the Euler-Lagrange equations of curves with ψ(q, v, t) = 0 are

    [p_v  ψ_vᵀ] [a]   [𝓛_q − p_q v − p_t ]
    [ψ_v   0  ] [μ̇] = [ −(ψ_q v + ψ_t)   ].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from gauss.foundation.arrays import Array
from gauss.model.compiled import trace as tr
from gauss.model.compiled.buffer import dense_function
from gauss.model.constraints import Constraint
from gauss.model.functions import ModelFunction


@dataclass(frozen=True)
class Densities:
    """Values along N points of a curve."""

    F: Array  # (N,)
    G: Array  # (N, k)
    psi: Array  # (N, m)
    L: Array  # (N,) 𝓛
    momentum: Array  # (N, n) 𝓛_v
    force: Array  # (N, n) 𝓛_q


@dataclass(frozen=True)
class Elements:
    """Exact derivatives of the contributions of N straight elements by (q_a, q_b, T): w = 2n + 1 numbers each."""

    hessian: Array  # (N, w, w) of the element's part of ∫ 𝓛 dt
    integrals: Array  # (N, k, w) gradients of its part of ∫ G dt
    rows: Array  # (N, m, w) gradients of ψ at its middle


class CompiledFunctional:
    """Compiled densities and derivatives; parameters are numbers here, as a problem has them once and for all."""

    def __init__(
        self,
        unknowns: Sequence[str],
        functional: Callable[..., Any],
        integrals: Sequence[tuple[str, Callable[..., Any]]],
        rows: Sequence[Constraint],
        parameters: Mapping[str, float],
    ):
        s = tr.Symbols.of(unknowns, tuple(parameters), ())
        theta = list(parameters.values())

        def scalar_of(function: Callable[..., Any], what: str) -> ca.SX:
            traced = tr.scalar_of(ModelFunction.of(function, "qvtp", what), s)
            return ca.substitute(traced, s.p, ca.DM(theta)) if theta else traced

        self.F = scalar_of(functional, "the functional")
        G = [scalar_of(function, f"the integral {name!r}") for name, function in integrals]
        self.G = ca.vertcat(*G) if G else ca.SX(0, 1)
        traced = tr.trace_rows(rows, unknowns, s)
        self.psi = ca.substitute(traced["psi"], s.p, ca.DM(theta)) if theta and rows else traced["psi"]
        self.row_names: tuple[str, ...] = traced["names"]
        self.n, self.k, self.m = len(unknowns), len(G), self.psi.numel()
        self._symbols = s
        self._compile()

    def _compile(self) -> None:
        s = self._symbols
        lam, mu = ca.SX.sym("lambda", self.k), ca.SX.sym("mu", self.m)
        extended = self.F + ca.dot(lam, self.G) + ca.dot(mu, self.psi)
        p, force = ca.gradient(extended, s.v), ca.gradient(extended, s.q)
        p_v, J = ca.jacobian(p, s.v), ca.jacobian(self.psi, s.v)
        right = ca.vertcat(force - s.rate(p), -s.rate(self.psi) if self.m else ca.SX(0, 1))
        matrix = ca.vertcat(ca.horzcat(p_v, J.T), ca.horzcat(J, ca.SX(self.m, self.m)))
        inputs = [s.q, s.v, s.t, lam, mu]
        self._equations = dense_function("equations", inputs, [matrix, right])
        self._densities = dense_function("densities", inputs, [self.F, self.G, self.psi, extended, p, force])
        self._elements = self._element_function(inputs, extended)

    def _element_function(self, inputs: list[ca.SX], extended: ca.SX) -> ca.Function:
        """Return the function of one straight element from q_a to q_b in the share δ of the interval (t₀, t₀ + T)."""
        q_a, q_b = ca.SX.sym("q_a", self.n), ca.SX.sym("q_b", self.n)
        T, t0, middle, share = (ca.SX.sym(name) for name in ("T", "t0", "middle", "share"))
        values = [(q_a + q_b) / 2, (q_b - q_a) / (T * share), t0 + T * middle, *inputs[3:]]
        densities = ca.Function("at", inputs, [extended, self.G, self.psi])
        lagrangian, G, psi = densities(*values)
        variables = ca.vertcat(q_a, q_b, T)
        hessian, _ = ca.hessian(T * share * lagrangian, variables)
        outputs = [hessian, ca.jacobian(T * share * G, variables), ca.jacobian(psi, variables)]
        return dense_function("elements", [q_a, q_b, T, t0, middle, share, *inputs[3:]], outputs)

    @cached_property
    def parametric(self) -> bool:
        """Whether F and all G are homogeneous of degree 1 in v and free of t, so that only the path counts.

        Tested at random points, where v·F_v = F must hold to rounding.
        """
        s = self._symbols
        together = ca.vertcat(self.F, self.G)
        if self.m or ca.depends_on(together, s.t) or self.n < 2:
            return False
        gap = ca.jtimes(together, s.v, s.v) - together
        probe = ca.Function("probe", [s.q, s.v], [gap, together])
        rng = np.random.default_rng(0)
        for _ in range(8):
            off, size = probe(rng.uniform(0.2, 1.0, self.n), rng.uniform(0.2, 1.0, self.n))
            if not np.all(np.abs(np.array(off)) <= 1e-12 * (1.0 + np.abs(np.array(size)))):
                return False
        return True

    def _columns(self, values: Sequence[Array], lam: Array, mu: Array) -> list[Array]:
        """Return the arguments of a batch of N points, one column each."""
        count = values[-1].shape[0]
        return [*(np.atleast_2d(x.T) for x in values), np.tile(lam[:, None], (1, count)), mu.T.reshape(self.m, count)]

    @staticmethod
    def _matrices(flat: Any, count: int) -> Array:
        """Return matrices (N, r, c) from the (r, N c) that CasADi returns for N columns."""
        wide = np.array(flat)
        return wide.reshape(wide.shape[0], count, wide.shape[1] // count).swapaxes(0, 1)

    def equations(self, q: Array, v: Array, t: Array, lam: Array, mu: Array) -> tuple[Array, Array]:
        """Return the matrices (N, n+m, n+m) and right-hand sides (N, n+m) at q, v (N, n), t (N,), λ (k,), μ (N, m)."""
        matrix, right = self._equations(*self._columns([q, v, t], lam, mu))
        return self._matrices(matrix, len(t)), np.array(right).T

    def densities(self, q: Array, v: Array, t: Array, lam: Array, mu: Array) -> Densities:
        """Return the values of the densities along a curve."""
        count = len(t)
        F, G, psi, extended, p, force = (
            np.array(x).T.reshape(count, -1) for x in self._densities(*self._columns([q, v, t], lam, mu))
        )
        return Densities(F[:, 0], G, psi, extended[:, 0], p, force)

    def elements(self, q: Array, shares: Array, t0: float, T: float, lam: Array, mu: Array) -> Elements:
        """Return the derivatives of N elements through the points q (N+1, n), each the `shares` (N,) of (t₀, t₀+T).

        `mu` (N, m) are the multipliers in the middle of each.
        """
        count = len(shares)
        middle = np.cumsum(shares) - shares / 2
        values = [q[:-1], q[1:], np.full(count, T), np.full(count, t0), middle, shares]
        found = self._elements(*self._columns(values, lam, mu))
        return Elements(*(self._matrices(x, count) for x in found))
