"""`CompiledModel`: the traced expressions of a System as fast numeric functions."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import casadi as ca
import numpy as np

from gauss.errors import ModelError
from gauss.foundation.arrays import Array, Flags
from gauss.foundation.portable import dumped, empty, within
from gauss.model.compiled import inertia
from gauss.model.compiled import trace as tr
from gauss.model.compiled.buffer import Buffered, Mapped, Pattern, dense_function
from gauss.model.compiled.derivatives.curvature import Curvature
from gauss.model.compiled.derivatives.jets import Jets
from gauss.model.compiled.derivatives.noise import noise_function
from gauss.model.compiled.graph import Graph, graph_behind
from gauss.model.compiled.loads import SeenMultipliers, require_alone, seen_multipliers
from gauss.model.compiled.operations import smooth_everywhere
from gauss.model.compiled.properties import concerned, conserves, ignorable, steady
from gauss.model.compiled.steps.gaps import GapsAt
from gauss.model.compiled.steps.pieces import StepPieces
from gauss.model.compiled.steps.taylor import not_analytic

if TYPE_CHECKING:
    from gauss.model.system import System


T = TypeVar("T")
KEPT = 32  # models that were read and may be read again, as by the workers of a process pool


@lru_cache(maxsize=KEPT)
def _read(data: bytes) -> CompiledModel:
    """Return a model whose functions keep nothing from call to call, compiled once though it is read repeatedly."""
    model: CompiledModel = pickle.loads(data)
    return model


@dataclass(frozen=True)
class Terms:
    """Everything the model says at one state, as numbers; the m rows are equality rows, then unilateral rows."""

    M: Array  # (n, n) mass matrix
    f: Array  # (n,) applied and inertial generalized force
    J: Array  # (m, n) rows on the accelerations
    gamma: Array  # (m,) right-hand side of J a = gamma
    phi: Array  # (m,) position residual of holonomic rows, gap of unilateral rows, 0 for the others
    psi: Array  # (m,) velocity residual


@dataclass(frozen=True)
class Noise:
    """What rounding leaves open of the rows of a model at one state that is taken for exact (see `noise`)."""

    J: Array  # (m, n)
    gamma: Array  # (m,)
    phi: Array  # (m,)
    psi: Array  # (m,)


class CompiledModel:
    """The compiled functions of one System; parameter values come with every call, so a sweep never recompiles."""

    def __init__(self, system: System):
        self.system = system  # that it was compiled from; others share it with other values of the parameters
        s = tr.Symbols.of(system.coordinates, tuple(system.parameters), system.controls)
        potential = tr.scalar_of(system.potential_energy, s)
        given = "mass matrix" if system.kinetic_energy is None else "kinetic energy"
        self._inertia, self._coordinates = f"the {given} of {system.name!r}", system.coordinates
        rows = tr.trace_rows(system.constraints, system.coordinates, s)
        equality = [k for k, kind in enumerate(rows["kinds"]) if kind not in ("unilateral", "friction")]
        seeing = s.seeing([rows["names"][k] for k in equality])
        force = tr.trace_force(system.force, system.coordinates, seeing)
        if system.kinetic_energy is not None:
            kinetic = tr.scalar_of(system.kinetic_energy, s)
            M, f, doubt = (
                inertia.lagrangian_terms(kinetic, potential, s, self._inertia)
                if system.equations is None
                else (*inertia.equations_of(system.equations, s), None)
            )
        elif system.mass_matrix is not None:
            M, doubt = inertia.mass_matrix_of(system.mass_matrix, system.coordinates, s)
            kinetic = ca.bilin(M, s.v, s.v) / 2
            f = -ca.gradient(potential, s.q)
        else:
            raise ModelError(f"system {system.name!r} has no inertia.")
        whole = ca.densify(f + force)
        self.seen: SeenMultipliers | None = None
        if ca.depends_on(whole, seeing.load):
            require_alone(system.name, rows["kinds"])
            terms = (tr.stored(M), whole, rows["J"], rows["gamma"])
            self.seen = seen_multipliers([s.q, s.v, s.t, ca.vertcat(s.p, s.u)], seeing.load, rows["names"], terms)
            whole, force = self.seen.f, self.seen.f - f
        self._energies_given, self._force = system.kinetic_energy is not None, force
        self.trace = tr.Trace(
            symbols=s,
            M=tr.stored(M),
            doubt=doubt,
            f=whole,
            kinetic=kinetic,
            potential=potential,
            **rows,
        )
        self.n = len(system.coordinates)
        self.linear_velocity = self.trace.linear_velocity
        self.names = self.trace.names
        self.kinds = self.trace.kinds
        self.restitution = self.trace.restitution
        self.m = len(self.names)
        self.equality = tuple(k for k in range(self.m) if self.kinds[k] not in ("unilateral", "friction"))
        self.unilateral = tuple(k for k in range(self.m) if self.kinds[k] == "unilateral")
        self.friction = tuple(k for k in range(self.m) if self.kinds[k] == "friction")
        self.positional = tuple(k for k in range(self.m) if self.kinds[k] in ("holonomic", "unilateral"))
        self._made: dict[str, tuple[bytes, Any]] = {}  # of steady rows and masses, with their parameters
        self.pieces = StepPieces(self.trace, self.arguments, self.equality)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Write what the model is compiled from, which is done again when it is read."""
        if within(CompiledModel):
            return empty, (CompiledModel,), (type(self.system), self.system.given())
        return (_read if self.system.black_box_force is None else pickle.loads), (dumped(self),)

    def __setstate__(self, written: tuple[type[System], dict[str, Any]]) -> None:
        cls, given = written
        system = object.__new__(cls)
        system.__dict__.update(given, model=self, derived={})
        CompiledModel.__init__(self, system)

    def __deepcopy__(self, memo: dict[int, Any]) -> CompiledModel:
        """Return the model itself: nothing in it changes but what it keeps once compiled."""
        return self

    @cached_property
    def conservative(self) -> bool:
        """Whether kinetic plus potential energy is conserved between impacts, as far as the expressions show it.

        True for a model given by energies without explicit time and without other forces, whose constraints are
        homogeneous and linear in the velocities, so that ideal reactions do no work.
        """
        return self._energies_given and conserves(self.trace, self.arguments, self._force)

    @cached_property
    def arguments(self) -> list[ca.SX]:
        """The symbols (q, v, t, theta) that every compiled function takes, theta being parameters then controls."""
        s = self.trace.symbols
        return [s.q, s.v, s.t, ca.vertcat(s.p, s.u)]

    @cached_property
    def _patterns(self) -> tuple[Pattern, Pattern] | None:
        """The patterns of M and J where they are large and sparse, else None."""
        M, J = ca.sparsify(self.trace.M), ca.sparsify(self.trace.J)
        return (Pattern.of(M), Pattern.of(J)) if tr.is_sparse(M, J) else None

    @cached_property
    def _terms(self) -> Buffered:
        r = self.trace
        M, J = (r.M, r.J) if self._patterns is None else (ca.sparsify(r.M).nz[:], ca.sparsify(r.J).nz[:])
        outputs = [M, r.f, J, r.gamma, r.phi, r.psi]
        often = self.system.equations is None  # recursions share what can be shared but for 2 to 8 in 100
        return Buffered(dense_function("terms", self.arguments, outputs, often=often))

    @cached_property
    def _noise(self) -> Buffered:
        r = self.trace
        J = r.J if self._patterns is None else ca.sparsify(r.J).nz[:]
        return noise_function("noise", self.arguments, [J, r.gamma, r.phi, r.psi])

    @cached_property
    def _force_noise(self) -> Buffered:
        return noise_function("noise_of_force", self.arguments, [self.trace.f])

    @cached_property
    def _doubt(self) -> Buffered:
        return Buffered(dense_function("doubt", self.arguments, [self.trace.doubt]))

    @cached_property
    def _residuals(self) -> Buffered:
        return Buffered(dense_function("residuals", self.arguments, [self.trace.phi, self.trace.psi]))

    @property
    def residual_function(self) -> ca.Function:
        """(q, v, t, theta) → what `residuals` returns."""
        return self._residuals.function

    @cached_property
    def _energies(self) -> Buffered:
        return Buffered(dense_function("energies", self.arguments, [self.trace.kinetic, self.trace.potential]))

    @property
    def work(self) -> int:
        """The number of operations of the energies."""
        return int(self._energies.function.n_instructions())

    def terms(self, q: Array, v: Array, t: float, theta: Array) -> Terms:
        """Evaluate M, f, J, gamma, phi and psi at one state.

        Raises ModelError for a kinetic energy that is not quadratic in the velocities there, MassMatrixError for a mass
        matrix that is not symmetric there.
        """
        M, f, J, gamma, phi, psi = self._terms(q, v, t, theta)
        if self.trace.doubt is not None and np.any(np.isnan(M)):
            (doubt,) = self._doubt(q, v, t, theta)
            state = f"q = {q}, v = {v}, t = {t:g}"
            inertia.explain(self._inertia, self._coordinates, doubt, self._energies_given, state)
        if self._patterns is not None:
            M, J = (pattern.fill(values) for pattern, values in zip(self._patterns, (M, J), strict=True))
        return Terms(M.reshape(self.n, self.n), f, J.reshape(self.m, self.n), gamma, phi, psi)

    def noise(self, q: Array, v: Array, t: float, theta: Array) -> Noise:
        """Evaluate the noise of J, gamma, phi and psi at one state."""
        J, gamma, phi, psi = self._noise(q, v, t, theta)
        if self._patterns is not None:
            J = self._patterns[1].fill(J)
        return Noise(J.reshape(self.m, self.n), gamma, phi, psi)

    def force_noise(self, q: Array, v: Array, t: float, theta: Array) -> Array:
        """Evaluate the noise (n,) of the force at one state that is taken for exact (see `noise`)."""
        (f,) = self._force_noise(q, v, t, theta)
        return f

    def residuals(self, q: Array, v: Array, t: float, theta: Array) -> tuple[Array, Array]:
        """Evaluate the position residuals (gaps for unilateral rows) and the velocity residuals, each (m,)."""
        phi, psi = self._residuals(q, v, t, theta)
        return phi, psi

    @cached_property
    def gaps(self) -> GapsAt:
        """(q, v, t, theta) → the gaps of the unilateral rows with their sizes."""
        return GapsAt(self.trace, self.arguments, self.unilateral)

    @cached_property
    def _curvatures(self) -> Buffered:
        r, multipliers = self.trace, ca.SX.sym("multipliers", self.m)
        force = r.J.T @ multipliers
        q, v = r.symbols.q, r.symbols.v
        outputs = [ca.jacobian(force, q), ca.jacobian(force, v)]
        return Buffered(dense_function("curvatures", [*self.arguments, multipliers], outputs))

    def curvatures(self, q: Array, v: Array, t: float, theta: Array, multipliers: Array) -> tuple[Array, Array]:
        """Evaluate the derivatives of Jᵀλ by q and by v, each (n, n), for multipliers λ (m,)."""
        by_q, by_v = self._curvatures(q, v, t, theta, multipliers)
        return by_q.reshape(self.n, self.n), by_v.reshape(self.n, self.n)

    @cached_property
    def jets(self) -> Jets:
        """The derivatives of the constraint residuals along a motion."""
        return Jets(self.trace, self.arguments)

    @cached_property
    def curvature(self) -> Curvature:
        """The entries of ∂J/∂q of sparse rows."""
        return Curvature(self.trace, self.arguments)

    @cached_property
    def concerned(self) -> Flags:
        """Which coordinates (m, n) each row depends on, by themselves or by their velocities.

        Derivatives of a row, along a motion too, depend on no others.
        """
        return concerned(self.trace)

    @cached_property
    def forces(self) -> Buffered:
        """(q, v, t, theta) → f (n,) of M a = f + Jᵀλ, and kinetic and potential energy."""
        r = self.trace
        return Buffered(dense_function("forces", self.arguments, [r.f, r.kinetic, r.potential]))

    @cached_property
    def ignorable(self) -> tuple[Flags, Flags]:
        """Which coordinates and which velocities, (n,) each, occur in no row and no equation of motion.

        So does the place of a free body in space, and its velocity. The acceleration, and all that is said of its
        uniqueness, is the same for all their values.
        """
        return ignorable(self.trace)

    @cached_property
    def steady_rows(self) -> bool:
        """Whether the rows J depend on nothing but parameters and controls, and so stay the same along a motion."""
        return steady(self.trace, self.trace.J)

    @cached_property
    def steady(self) -> bool:
        """Whether the rows J and the masses M do."""
        return self.steady_rows and steady(self.trace, self.trace.M)

    def of_steady(self, key: str, theta: Array, make: Callable[[], T]) -> T:
        """Return what is made of rows and masses at a state; where they are steady, what was made of them before."""
        if not self.steady:
            return make()
        numbers, found = self._made.get(key, (None, None))
        if numbers != theta.tobytes():
            found = make()
            self._made[key] = theta.tobytes(), found
        return found  # type: ignore[return-value]

    @cached_property
    def positions(self) -> Graph:
        """The elementary operations behind φ (m,) and J (m, n)."""
        return graph_behind({"phi": self.trace.phi, "J": self.trace.J}, self.arguments)

    @cached_property
    def moments(self) -> Graph:
        """The same where the time is the last coordinate: φ (m,) and its derivatives (m, n + 1) by q and t."""
        (q, v, t, *others), phi = self.arguments, self.trace.phi
        J = ca.horzcat(self.trace.J, ca.jacobian(phi, t))
        return graph_behind({"phi": phi, "J": J}, [ca.vertcat(q, t), v, ca.SX.sym("elsewhen"), *others])

    def energies(self, q: Array, v: Array, t: Array, theta: Array) -> tuple[Array, Array]:
        """Evaluate kinetic and potential energy along arrays of states: q, v (N, n), t (N,) give two arrays (N,)."""
        count = len(t)
        if count == 0:
            return np.zeros(0), np.zeros(0)
        if count == 1:
            kinetic, potential = self._energies(q[0], v[0], t[0], theta)
            return kinetic, potential
        many = self._energies.function
        kinetic, potential = many(q.T, v.T, np.asarray(t)[None, :], np.tile(theta[:, None], (1, count)))
        return np.array(kinetic).ravel(), np.array(potential).ravel()

    def batch_residuals(self, q: Array, v: Array, t: Array, theta: Array) -> tuple[Array, Array]:
        """Evaluate phi and psi (N, m) along arrays of states q, v (N, n), t (N,)."""
        phi, psi = self._residuals.at([q, v, t], [theta])
        return phi, psi

    @cached_property
    def _metrics(self) -> Mapped:
        return Mapped(self._terms.function.slice("metrics", range(4), [0, 2]))

    def batch(self, q: Array, v: Array, t: Array, theta: Array) -> tuple[Array, Array]:
        """Evaluate M (N, n, n) and J (N, m, n) along arrays of states q, v (N, n), t (N,), theta (p,) or (N, p)."""
        if not len(t):
            return np.zeros((0, self.n, self.n)), np.zeros((0, self.m, self.n))
        M, J = self._metrics([q, v, t], [theta]) if theta.ndim == 1 else self._metrics([q, v, t, theta])
        return self._square(M), self._rows(J)

    @cached_property
    def _many(self) -> Mapped:
        return Mapped(self._terms.function)

    def many(self, q: Array, v: Array, t: Array, theta: Array) -> Terms:
        """Evaluate the terms at N states, with N as the first dimension of each.

        q and v are (N, n), t (N,), theta (N, p). A mass matrix that is not known is nan.
        """
        M, f, J, gamma, phi, psi = self._many([q, v, t, theta])
        return Terms(self._square(M), f, self._rows(J), gamma, phi, psi)

    def _square(self, M: Array) -> Array:
        """Return mass matrices (N, n, n) of what is evaluated of them, (N, ·)."""
        return M.reshape(-1, self.n, self.n) if self._patterns is None else self._patterns[0].fill(M.T)

    def _rows(self, J: Array) -> Array:
        """Return rows (N, m, n) of what is evaluated of them, (N, ·)."""
        if self._patterns is not None:
            return self._patterns[1].fill(J.T)
        return J.reshape(len(J), self.n, self.m).swapaxes(1, 2)

    @cached_property
    def smooth(self) -> bool:
        """Whether no operation is ever irregular, so that the motion from each state is one."""
        return smooth_everywhere(self.trace, self.arguments)

    @cached_property
    def not_analytic(self) -> str:
        """Where an operation has no Taylor series everywhere, as a noun for messages; empty where all have one."""
        return not_analytic(self.trace, self.arguments)

    def event(self, function: Callable[..., Any], what: str) -> Buffered:
        """Compile a scalar function of q, v, t, p."""
        expression = tr.trace_event(function, self.trace.symbols, what)
        if expression.is_constant():
            raise ModelError(f"{what} is the constant {float(expression):g}, which never crosses zero.")
        return Buffered(dense_function("event", self.arguments, [expression]))
