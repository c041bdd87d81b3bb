"""Forces that see multipliers: f(q, v, t, p, u, λ) and the multipliers that follow from it, solved for each other.

Of the saddle system M a − Jᵀλ = f, J a = γ each multiplier is affine in the force,

    λ_i = c_i − g_iᵀ f,    (g_i, −c_i) from one solution with the right side (0, e_i),

so the multipliers s that a force sees obey F(s) = s − c + gᵀ f(s) = 0. A few sweeps s ← c − gᵀ f(s) and Newton's
iteration, written out as expressions, solve it; the force at this s is what all other functions of the model take for
f. Where the iteration does not settle, or det F' is not positive there, the force is nan: then s is not on the branch
that goes over into the multipliers without such a force as the force goes to zero, and no number may be returned for
it. What is known of other solutions is found by `gauss.contact.loads`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from gauss.errors import ModelError
from gauss.foundation.arrays import Array
from gauss.foundation.zero import UNIT
from gauss.model.compiled.buffer import Buffered, dense_function
from gauss.model.compiled.graph import Graph, graph_behind
from gauss.model.compiled.steps.kkt import Saddle, eliminated, substituted

SWEEPS = 2  # of s ← c − gᵀ f(s)
NEWTON = 7  # iterations after them; from a contraction's factor of 1/2 they reach rounding in five
SETTLED = 1e-12  # residual, relative to its terms, up to which the iteration has settled
DEFINITE = 1e-12  # eigenvalues of M below this share of the largest are zero: rows must hold their directions


@dataclass(frozen=True)
class SeenMultipliers:
    """The equation for the multipliers that a force sees."""

    names: tuple[str, ...]  # (k,) of their rows
    arguments: list[ca.SX]
    s: ca.SX  # (k, 1) the multipliers as symbols
    given: ca.SX  # (n, 1) the force with them
    c: ca.SX  # (k, 1)
    g: ca.SX  # (n, k)
    solved: ca.SX  # (k, 1) the solution that is followed
    f: ca.SX  # (n, 1) the force there, nan where there is none

    @cached_property
    def numbers(self) -> Buffered:
        """(q, v, t, theta) → the solution that is followed (k,), c (k,) and g (n, k)."""
        return Buffered(dense_function("seen", self.arguments, [self.solved, self.c, self.g]))

    @cached_property
    def force(self) -> Buffered:
        """(q, v, t, theta, s) → f (n,) and its derivative (n, k) by s."""
        slope = ca.jacobian(self.given, self.s)
        return Buffered(dense_function("force", [*self.arguments, self.s], [self.given, slope]))

    @cached_property
    def law(self) -> tuple[Buffered, Graph]:
        """(q, v, t, theta) → what is constant where s alone changes; and f (n,), ∂f/∂s (n, k) by s and these."""
        outputs = ca.vertcat(self.given, ca.vec(ca.jacobian(self.given, self.s).T))
        law, symbols, constants = ca.extract_parametric(outputs, ca.vertcat(*self.arguments), {})
        graph = graph_behind({"law": law}, [self.s, ca.vertcat(*symbols, *self.arguments)])
        values = ca.vertcat(*constants, *self.arguments)
        return Buffered(dense_function("constants", self.arguments, [values])), graph


def seen_multipliers(
    arguments: list[ca.SX], loads: ca.SX, rows: Sequence[str], terms: Sequence[ca.SX]
) -> SeenMultipliers:
    """Return the equation for those of the multipliers `loads` of equality rows that M, f, J, γ (the terms) depend on.

    Raises ModelError where M leaves directions without inertia that no row holds.
    """
    M, f, J, gamma = terms
    picked = [k for k in range(loads.numel()) if ca.depends_on(f, loads[k])]
    s = loads[picked]
    K, F = M, ca.SX(M.size1(), 1)
    if _semidefinite(M, arguments):
        weight = ca.trace(M) / (ca.sumsqr(J) + UNIT)
        K, F = M + weight * (J.T @ J), weight * (J.T @ gamma)
    saddle = Saddle(ca.sparsify(M), F, ca.sparsify(J), gamma, ca.sparsify(K), F)
    n, m = M.size1(), J.size1()
    unit = ca.SX.eye(m)[:, picked]
    found = saddle.factor.solve(ca.vertcat(ca.SX(n, len(picked)), unit))
    g, c = ca.densify(found[:n, :]), ca.densify(-(found[n:, :].T @ gamma) - found[:n, :].T @ F)
    # shared parts are found before the iteration writes them down again and again
    c, g = ca.cse([c, g])
    at = ca.Function("at", [s, *arguments], [f, ca.jacobian(f, s)])

    def force(x: ca.SX) -> tuple[ca.SX, ca.SX]:
        value, slope = at(x, *arguments)
        return value, ca.if_else(slope == slope, slope, 0.0)  # a resultant has no derivative where it vanishes

    def residual(x: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
        value, slope = force(x)
        size = ca.fabs(x) + ca.fabs(c) + ca.fabs(g).T @ ca.fabs(value)
        return x - c + g.T @ value, ca.SX.eye(len(picked)) + g.T @ slope, size

    none = force(ca.SX.zeros(len(picked)))[0]
    some = force(ca.SX.ones(len(picked)))[0]
    x = c - g.T @ ca.if_else(none == none, none, some)  # a law may have no value without a load
    for _ in range(SWEEPS):
        x = c - g.T @ force(x)[0]
    for _ in range(NEWTON):
        off, slope, _ = residual(x)
        x = x - substituted(*eliminated(slope), off)
    off, slope, size = residual(x)
    upper = eliminated(slope)[1]
    sense = ca.SX(1.0)
    for k in range(len(picked)):
        sense = sense * upper[k, k]
    good = ca.logic_and(ca.mmax(ca.fabs(off) / (size + np.finfo(float).tiny)) <= SETTLED, sense > 0.0)
    value = ca.if_else(good, force(x)[0], np.nan)
    return SeenMultipliers(tuple(rows[k] for k in picked), arguments, s, f, c, g, x, value)


def _semidefinite(M: ca.SX, arguments: list[ca.SX]) -> bool:
    """Whether a mass matrix leaves directions without inertia, at a random state."""
    rng = np.random.default_rng(0)
    values: list[Array] = [rng.uniform(0.5, 1.5, x.numel()) for x in arguments]
    numbers = np.array(ca.Function("M", arguments, [ca.densify(M)])(*values))
    if not np.all(np.isfinite(numbers)):
        return False
    least, largest = np.linalg.eigvalsh((numbers + numbers.T) / 2.0)[[0, -1]]
    return bool(least <= DEFINITE * largest)


def require_alone(name: str, kinds: Sequence[str]) -> None:
    """Raise ModelError where contacts or dry friction may change the multipliers that a force sees."""
    if "unilateral" in kinds or "friction" in kinds:
        raise ModelError(
            f"a force of {name!r} sees multipliers (its argument load), and the system has one-sided rows or dry"
            " friction, on which multipliers depend too: both together are not solved. Hold contacts by Holonomic rows"
            " and watch for their multipliers with an event; write friction as a smooth law of load and velocity."
        )
