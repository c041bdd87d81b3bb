"""The Hamiltonian of a System as a formula: the Legendre transform in symbols, with multipliers for its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from gauss.analysis.symbolic import formulas
from gauss.errors import InputError, MassMatrixError, ModelError
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.model import AnySystem, refuse_friction, system_of


@dataclass(frozen=True, repr=False)
class CanonicalEquations(Shown):
    """Hamilton's canonical equations q̇ = ∂H/∂p, ṗ = −∂H/∂q + Q + Jᵀλ of a System in symbols."""

    coordinates: tuple[sp.Symbol, ...]  # (n,) q
    momenta: tuple[sp.Symbol, ...]  # (n,) p, called p_ and the name of the coordinate
    multipliers: tuple[sp.Symbol, ...]  # (m,) λ, called lambda_ and the number of the row
    H: sp.Expr  # H(q, p, t)
    q_dot: sp.Matrix  # (n, 1)
    p_dot: sp.Matrix  # (n, 1)
    rows: sp.Matrix  # (m, 1) the constraint functions φ(q, t) or ψ(q, v(q, p, t), t)

    def bracket(self, first: sp.Expr, second: sp.Expr) -> sp.Expr:
        """Return the Poisson bracket {F, G} = Σ ∂F/∂q ∂G/∂p − ∂F/∂p ∂G/∂q, simplified.

        Functions may be text; symbols are those of this Hamiltonian by name. Raises InputError for what is no formula.
        """
        first, second = self._formula(first), self._formula(second)
        pairs = zip(self.coordinates, self.momenta, strict=True)
        return sp.simplify(
            sum(
                (sp.diff(first, q) * sp.diff(second, p) - sp.diff(first, p) * sp.diff(second, q) for q, p in pairs),
                sp.Integer(0),
            )
        )

    def _formula(self, given: sp.Expr | str) -> sp.Expr:
        """Return a function of q and p with the symbols of this Hamiltonian, whatever was assumed of those given."""
        own = {x.name: x for x in (*self.coordinates, *self.momenta)}
        try:
            formula = sp.sympify(given, locals=own)
        except (sp.SympifyError, TypeError, SyntaxError) as error:
            raise InputError(f"{given!r} is no formula of {', '.join(own)}: {type(error).__name__}.") from error
        if not isinstance(formula, sp.Expr):
            raise InputError(f"{given!r} is no formula of {', '.join(own)}.")
        return formula.xreplace({x: own[x.name] for x in formula.free_symbols if x.name in own})


@advised
def hamiltonian(system: AnySystem) -> CanonicalEquations:
    """Return the Hamiltonian and the canonical equations of a System with a kinetic energy.

    The kinetic energy is ½vᵀMv + bᵀv + T₀, so v = M⁻¹(p − b) and H = ½(p − b)ᵀM⁻¹(p − b) − T₀ + V. Forces without
    potential and reactions of ideal rows enter ṗ; unilateral rows count as closed. Numbers for the same equations come
    from `gauss.formulations.hamilton`, which shares no code with this.

    Raises ModelError for a model without kinetic energy or one that SymPy cannot evaluate, and MassMatrixError where M
    is singular for all q.

    >>> import gauss as g
    >>> energies = {"kinetic_energy": lambda v: v.x**2, "potential_energy": lambda q: 4 * q.x**2}  # 2 kg, 8 N/m
    >>> found = g.analysis.hamiltonian(g.System("cart", "x", **energies))
    >>> found.H, found.q_dot[0], found.p_dot[0]
    (p_x**2/4 + 4*x**2, p_x/2, -8*x)
    """
    system = system_of(system)
    refuse_friction(system.contacts, system.name, "a Hamiltonian")
    found = formulas(system)
    if found.kinetic is None:
        raise ModelError(f"system {system.name!r} has no kinetic energy, so no momenta follow from it.")
    q, v, M = found.coordinates, found.velocities, found.M
    if sp.simplify(M.det()) == 0:
        raise MassMatrixError(f"the mass matrix of {system.name!r} is singular, so it has no Hamiltonian.")
    t = sp.Symbol("t", real=True)
    p = [sp.Symbol(f"p_{name}", real=True) for name in system.coordinates]
    multipliers = [sp.Symbol(f"lambda_{k + 1}", real=True) for k in range(len(found.rows))]
    rest = dict.fromkeys(v, 0)
    momentum = sp.Matrix([sp.diff(found.kinetic, x) for x in v])
    b, T0 = momentum.subs(rest), found.kinetic.subs(rest)
    missing = sp.Matrix(p) - b
    velocity = M.LUsolve(missing).applyfunc(sp.simplify)
    H = sp.simplify((missing.T @ velocity)[0] / 2 - T0 + found.potential)
    admissible = dict(zip(v, velocity, strict=True))
    reaction = sum((row.J.T * x for row, x in zip(found.rows, multipliers, strict=True)), sp.zeros(system.n, 1))
    outside = found.f - _conservative(found.kinetic, found.potential, momentum, q, v, t) + reaction
    p_dot = -sp.Matrix([sp.diff(H, x) for x in q]) + outside.subs(admissible, simultaneous=True)
    return CanonicalEquations(
        tuple(q),
        tuple(p),
        tuple(multipliers),
        H,
        sp.Matrix([sp.diff(H, x) for x in p]).applyfunc(sp.simplify),
        p_dot.applyfunc(sp.simplify),
        sp.Matrix([row.statement.subs(admissible, simultaneous=True) for row in found.rows]),
    )


def _conservative(
    kinetic: sp.Expr,
    potential: sp.Expr,
    momentum: sp.Matrix,
    q: Sequence[sp.Symbol],
    v: Sequence[sp.Symbol],
    t: sp.Symbol,
) -> sp.Matrix:
    """Return the part of f (n, 1) that comes from T and V: T_q − V_q − (∂T_v/∂q) v − ∂T_v/∂t."""
    carried = momentum.jacobian(sp.Matrix(list(q))) * sp.Matrix(list(v)) + momentum.diff(t)
    return sp.Matrix([sp.diff(kinetic - potential, x) for x in q]) - carried
