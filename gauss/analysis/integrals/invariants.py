"""First integrals of a motion: found or given, confirmed, independent, and in involution.

A function F(q, v, t) is a first integral where its rate F_q v + F_v a + F_t vanishes with the constrained accelerations
a. Those that a model shows by itself are found by `gauss.analysis.integrals.symmetry`; others are given.

With p = ∂T/∂v the gradients in canonical variables are F_p = M⁻¹F_v and F_q − p_qᵀF_p, and the Poisson bracket is
{F, G} = F_q·G_p − F_p·G_q. Under holonomic constraints χ = (φ, φ_q v) = 0 it is Dirac's,

    {F, G} − {F, χ_i} (C⁻¹)_ij {χ_j, G},    C_ij = {χ_i, χ_j}.

A Hamiltonian system with k degrees of freedom is solvable by quadratures where k independent integrals are in
involution (Liouville). Reactions of nonholonomic rows leave no such bracket.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.analysis.integrals.symmetry import CONSERVED, FirstIntegral, first_integrals
from gauss.analysis.linear.tangent import StateDerivatives
from gauss.dynamics import judged
from gauss.errors import GaussError, InputError
from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.model import AnySystem, System, system_of
from gauss.model.compiled.derivatives.canonical import Jet, Scalar, momenta_of
from gauss.model.state import State
from gauss.motion import Trajectory, require_run

__all__ = ["FirstIntegral", "Invariant", "Invariants", "first_integrals", "invariants", "poisson_bracket", "rate"]

INVOLVED = 1e-9  # brackets below this share of their terms are zero
INDEPENDENT = 1e-8  # singular values of unit gradients below this count as zero
SAMPLES = 21  # states of a run at which rates, ranks and brackets are asked

Function = Callable[..., Any]


@dataclass(frozen=True)
class Invariant:
    """How well an integral is conserved along a run."""

    name: str
    kind: str
    start: float
    drift: float  # largest change along the run
    rate: float  # largest rate at sampled states, relative to its terms; of the model, not of the integrator

    @property
    def conserved(self) -> bool:
        """Whether the equations of motion conserve it, as far as the sampled states tell."""
        return self.rate <= CONSERVED


@dataclass(frozen=True, repr=False)
class Invariants(Shown):
    """The integrals of a run, their independence and their brackets."""

    integrals: tuple[Invariant, ...]
    freedoms: int  # degrees of freedom
    ranks: tuple[int, ...]  # of the gradients on the admissible states, at the sampled states
    brackets: Array  # (k, k) largest Poisson bracket, relative to its terms; nan where there is none
    hamiltonian: bool  # whether brackets and Liouville's theorem apply

    @property
    def independent(self) -> bool:
        """Whether all integrals are independent at almost all sampled states."""
        return float(np.median(self.ranks)) == len(self.integrals)

    @property
    def involution(self) -> bool:
        """Whether all brackets vanish."""
        return self.hamiltonian and bool(np.all(self.brackets <= INVOLVED))

    @property
    def integrable(self) -> bool:
        """Whether Liouville's theorem applies: as many as degrees of freedom, independent, in involution."""
        conserved = all(found.conserved for found in self.integrals)
        return conserved and self.independent and self.involution and len(self.integrals) == self.freedoms

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        broken = [found.name for found in self.integrals if not found.conserved]
        if broken:
            return f"not conserved: {', '.join(broken)}."
        names = ", ".join(found.name for found in self.integrals) or "none"
        text = f"first integrals {names}; {'independent' if self.independent else 'dependent'}"
        if not self.hamiltonian:
            return text + "; not Hamiltonian (nonholonomic rows or other forces), so without Poisson brackets."
        text += ", in involution" if self.involution else ", not all in involution"
        enough = "solvable by quadratures (Liouville)" if self.integrable else "these are not enough for Liouville"
        return f"{text}; {self.freedoms} degrees of freedom: {enough}."

    def __str__(self) -> str:
        lines = [self.sentence]
        for found in self.integrals:
            lines.append(f"{found.name:<14} {found.start:.9g}, drift {found.drift:.2g}, relative rate {found.rate:.2g}")
        return "\n".join(lines)


@advised
def invariants(
    run: Trajectory, given: Mapping[str, Function] | None = None, *, only: Sequence[str] | None = None
) -> Invariants:
    """Return the first integrals of a run: those that the model shows by itself, and `given` functions of q, v, t, p.

    `only` names the ones to keep, as Liouville's theorem wants just as many as degrees of freedom. Raises InputError
    for a run without its model, with a control that varies, for unknown names and those that are taken, and for
    functions that are not finite along the run; ModelError for functions that cannot be used.

    >>> import gauss as g
    >>> energies = {"kinetic_energy": lambda v: v.x**2 + v.z**2, "potential_energy": lambda q: 2 * 9.81 * q.z}
    >>> stone = g.System("stone", "x z", **energies)  # 2 kg
    >>> print(g.analysis.invariants(g.simulate(stone, [0, 0], [3, 4], t_end=0.1)).sentence)
    first integrals energy, p_x; independent, in involution; 2 degrees of freedom: solvable by quadratures (Liouville).
    """
    require_run(run)
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"given must be a dict of functions by name, got {type(given).__name__}.")
    if run.setting is None:
        raise InputError("this trajectory was loaded from a file and has no model; simulate it again.")
    if callable(run.setting.control):
        raise InputError("the controls of this run vary, so its model alone does not determine rates of functions.")
    system, theta = run.setting.system, run.setting.theta
    integrals = list(first_integrals(system, run.q[0]))
    for name, function in (given or {}).items():
        if name in [i.name for i in integrals]:
            raise InputError(f"the integral {name!r} is found by itself; give yours another name.")
        integrals.append(FirstIntegral(name, "given", Scalar.of(system.model, function, f"the integral {name!r}")))
    if only is not None:
        only = [only] if isinstance(only, str) else list(only)
        unknown = [name for name in only if name not in [i.name for i in integrals]]
        if unknown:
            raise InputError(
                f"only names {unknown}; found and given: {', '.join(i.name for i in integrals) or 'none'}."
            )
        integrals = [i for i in integrals if i.name in only]
    index = np.unique(np.linspace(0, len(run) - 1, SAMPLES).astype(int))
    states = [State(run.q[i], run.v[i], float(run.t[i])) for i in index]
    found = []
    for integral in integrals:
        values = integral.scalar.along(run.q, run.v, run.t, theta)
        if not np.all(np.isfinite(values)):
            time = run.t[np.flatnonzero(~np.isfinite(values))[0]]
            raise InputError(f"the integral {integral.name!r} is not finite at t = {time:g} s.")
        rates = [_rate(system, theta, integral.scalar, s, run.a[i]) for s, i in zip(states, index, strict=True)]
        drift = float(np.max(np.abs(values - values[0])))
        found.append(Invariant(integral.name, integral.kind, float(values[0]), drift, max(rates)))
    scalars = [integral.scalar for integral in integrals]
    points = [_Canonical.at(system, s, theta) for s in states]
    hamiltonian = _hamiltonian(system)
    brackets = np.full((len(scalars), len(scalars)), np.nan)
    if hamiltonian:
        brackets = np.zeros(brackets.shape)
        for i, F in enumerate(scalars):
            for j, G in enumerate(scalars[:i]):
                sizes = [point.bracket(point.gradient(F), point.gradient(G)) for point in points]
                brackets[i, j] = brackets[j, i] = max(abs(x) / y for x, y in sizes)
    ranks = tuple(point.rank([point.gradient(F) for F in scalars]) for point in points)
    return Invariants(tuple(found), points[0].freedoms, ranks, brackets, hamiltonian)


def rate(system: System, function: Function, q: object, v: object = None, t: float = 0.0) -> float:
    """Return dF/dt of a function F(q, v, t, p) at a state, with the constrained accelerations.

    Raises what `gauss.accelerate` raises, and ModelError for functions that cannot be used.
    """
    state = system_of(system).state(q, v, t)
    answer = judged(system, state).solution
    if answer is None:
        raise GaussError(f"the acceleration of {system.name!r} is not unique at this state, nor is the rate of F.")
    jet = _finite(Scalar.of(system.model, function, "F").at(state.q, state.v, state.t, system.theta()))
    return float(jet.by_q @ state.v + jet.by_v @ answer.a + jet.by_t)


@advised
def poisson_bracket(system: AnySystem, F: Function, G: Function, q: object, v: object = None, t: float = 0.0) -> float:
    """Return {F, G} of two functions of q, v, t, p at a state; Dirac's bracket where there are holonomic rows.

    Raises InputError for systems with nonholonomic or unilateral rows and for a mass matrix that is not definite,
    ModelError for functions that cannot be used.

    >>> import gauss as g
    >>> cart = g.System("cart", "x", mass_matrix=[[2]], potential_energy=lambda q: 0.5 * 8 * q.x**2)
    >>> round(g.analysis.poisson_bracket(cart, lambda q: q.x, lambda v: 2 * v.x, [0.3], [1.0]), 9)  # {x, m ẋ}
    1.0
    """
    system = system_of(system)
    state = system.state(q, v, t)
    if any(kind != "holonomic" for kind in system.model.kinds):
        raise InputError(f"{system.name!r} has rows that are not holonomic, and no Poisson bracket.")
    theta = system.theta()
    point = _Canonical.at(system, state, theta)
    pair = [point.gradient(Scalar.of(system.model, function, name)) for function, name in ((F, "F"), (G, "G"))]
    return point.bracket(*pair)[0]


def _finite(jet: Jet) -> Jet:
    """Return a function with its gradients at a state. Raises InputError where they are not finite."""
    if not np.all(np.isfinite([jet.value, *jet.by_q, *jet.by_v, jet.by_t])):
        raise InputError(f"the function, or a derivative of it, is not finite at this state: its value is {jet.value}.")
    return jet


def _hamiltonian(system: System) -> bool:
    """Return whether a system is Hamiltonian: conservative, with holonomic rows only."""
    holonomic = all(kind == "holonomic" for kind in system.model.kinds)
    return holonomic and system.model.conservative and system.black_box_force is None


def _rate(system: System, theta: Array, F: Scalar, state: State, a: Array) -> float:
    """Return the rate of a function relative to its terms."""
    jet = F.at(state.q, state.v, state.t, theta)
    change = jet.by_q @ state.v + jet.by_v @ a + jet.by_t
    size = np.abs(jet.by_q) @ np.abs(state.v) + np.abs(jet.by_v) @ np.abs(a) + abs(jet.by_t)
    return float(abs(change) / size) if size > 0.0 else 0.0


@dataclass(frozen=True)
class _Canonical:
    """What turns gradients by (q, v) into those by (q, p) at one state, and the constraints there."""

    state: State
    theta: Array
    inverse: Array  # (n, n) M⁻¹
    p_q: Array  # (n, n)
    rows: Array  # (2·, 2n) gradients of χ = (φ, ψ) by (q, p); of ψ alone for nonholonomic rows

    @staticmethod
    def at(system: System, state: State, theta: Array) -> _Canonical:
        """Evaluate a state. Raises InputError for a mass matrix that is not definite."""
        model = system.model
        terms = model.terms(state.q, state.v, state.t, theta)
        diagonal = np.diag(terms.M)
        scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))  # whatever the units of the coordinates
        unit = scale[:, None] * terms.M * scale
        values = np.linalg.eigvalsh(unit)
        if values[0] <= INDEPENDENT * values[-1]:
            raise InputError(
                f"the mass matrix of {system.name!r} is not definite, so momenta do not determine velocities."
            )
        inverse = np.asarray(scale[:, None] * np.linalg.inv(unit) * scale, dtype=float)
        p_q = momenta_of(model).at(state.q, state.v, state.t, theta)[0]
        d = StateDerivatives.at(system, state, theta[len(system.parameters) :]).variation
        rows = list(model.equality)
        by_p = d.psi_v[rows] @ inverse
        place = np.hstack([d.phi_q[rows], np.zeros((len(rows), system.n))])
        speed = np.hstack([d.psi_q[rows] - by_p @ p_q, by_p])
        return _Canonical(state, theta, inverse, p_q, np.vstack([place, speed]))

    def gradient(self, F: Scalar) -> Array:
        """Return the gradient of a function by (q, p), and the sizes of the terms of each component: (2, 2n)."""
        jet = _finite(F.at(self.state.q, self.state.v, self.state.t, self.theta))
        by_p, size = self.inverse @ jet.by_v, np.abs(self.inverse) @ np.abs(jet.by_v)
        by_q = jet.by_q - self.p_q.T @ by_p
        return np.array(
            [np.concatenate([by_q, by_p]), np.concatenate([np.abs(jet.by_q) + np.abs(self.p_q.T) @ size, size])]
        )

    @property
    def _admissible(self) -> Array:
        """An orthonormal basis (2n, d) of the directions in which the constraints do not change."""
        n = self.p_q.shape[0]
        if not self.rows.size:
            return np.eye(2 * n)
        length = np.linalg.norm(self.rows, axis=1)
        _, sigma, V = np.linalg.svd(self.rows / np.where(length > 0.0, length, 1.0)[:, None])
        return np.asarray(V[int(np.sum(sigma > INDEPENDENT * sigma[0])) :].T)

    @property
    def freedoms(self) -> int:
        """Half the dimension of the admissible states, rounded up."""
        return int(self._admissible.shape[1] + 1) // 2

    def rank(self, gradients: Sequence[Array]) -> int:
        """Return the rank of gradients on the admissible states."""
        if not gradients:
            return 0
        whole = np.array(gradients)[:, 0]
        inside, length = whole @ self._admissible, np.linalg.norm(whole, axis=1)
        sigma = np.linalg.svd(inside / np.where(length > 0.0, length, 1.0)[:, None], compute_uv=False)
        return int(np.sum(sigma > INDEPENDENT))

    def bracket(self, F: Array, G: Array) -> tuple[float, float]:
        """Return the bracket of two functions from what `gradient` returns, and the size of its terms."""
        n = F.shape[1] // 2

        def poisson(X: Array, Y: Array) -> Array:
            return np.asarray(X[..., :n] @ Y[..., n:].T - X[..., n:] @ Y[..., :n].T)

        value = float(poisson(F[0], G[0]))
        size = float(F[1, :n] @ G[1, n:] + F[1, n:] @ G[1, :n])
        if self.rows.size:
            chi = self.rows[np.linalg.norm(self.rows, axis=1) > 0.0]
            chi = chi / np.linalg.norm(chi, axis=1)[:, None]
            inverse = np.linalg.pinv(poisson(chi, chi), rcond=INDEPENDENT)
            left, right = poisson(F[:1], chi)[0], poisson(chi, G[:1])[:, 0]
            value -= float(left @ inverse @ right)
            size += float(np.abs(left) @ np.abs(inverse) @ np.abs(right))
        return value, max(size, 1e-300)
