"""Impacts: the frozen problem at one state, and the ideal impact by Gauss's principle one level lower.

In an impact the positions stay and the velocities jump. At a closed contact with normal row N (ġ = N v − ν) and tangent
rows T (slip s = T v − τ; one in the plane, two in space) act a normal impulse P and a friction impulse S (N s):

    M (v⁺ − v⁻) = J_EᵀΛ + Σ (NᵀP + TᵀS),    J_E v⁺ = γ,    P ≥ 0.

The laws of impact, which determine P and S, are in `gauss.contact.impacts.collision`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gauss.contact.given import bilateral_part, labels_of, require_coefficients, require_inertia, require_state
from gauss.contact.impacts.restitution import FLAT
from gauss.contact.problem import ContactProblem, numbers_of
from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array, Flags, Indices, as_array, matrix, vector
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import HELD, RESTS, SETTLED
from gauss.model import System
from gauss.model.compiled import CompiledModel, Terms
from gauss.model.rows import Rows
from gauss.model.state import State
from gauss.principle import GaussProblem, answer
from gauss.principle.contact_sizes import CONTACT_TOLERANCE, closed_rows, impact_sizes
from gauss.principle.offsets import inertia_roots
from gauss.principle.problem import require_finite
from gauss.principle.rank import spectrum_of

SWEEPS = 50


@dataclass(frozen=True, repr=False)
class Impact(Shown):
    """What happened in one impact."""

    row: str  # the contact that closed
    v: Array  # (n,) velocities after the impact
    impulses: Array  # (m,) impulsive multipliers Λ of M(v⁺ − v⁻) = JᵀΛ
    energy_loss: float  # kinetic energy before minus after, J; ½ v⁺ᵀMv⁺ is taken in the metric of M


def resolve_impact(
    system: System, state: State, hitting: int, closed: Sequence[int], terms: Terms | None = None
) -> Impact:
    """Return the velocities that minimise ½|v⁺ − v⁻|²_M subject to the constraints after the impact.

    Equality rows hold, the contact `hitting` leaves with at least −e times its approach rate (Newton), the contacts
    that were closed before do not close further. With one contact this is Newton's law; its energy loss is (1 − e²)
    times the energy of the normal motion. Constraints nonlinear in the velocities are linearised anew at each v⁺ until
    it no longer changes. `terms` are those of the model at the state, where they are known. Raises SolverError when the
    program has no certified answer or does not settle.

    >>> import gauss as g
    >>> floor = g.Unilateral("floor", lambda q: q.z, restitution=0.5)
    >>> ball = g.System("ball", "x z", mass_matrix=[[2, 0], [0, 2]], constraints=[floor])
    >>> hit = g.contact.resolve_impact(ball, ball.state([0, 0], [1, -3]), hitting=0, closed=())
    >>> hit.v.round(9).tolist(), round(hit.energy_loss, 9)  # (1 − e²) · ½ · 2 kg · 9 m²/s²
    ([1.0, 1.5], 6.75)
    """
    model = system.model
    e = model.restitution[model.unilateral.index(hitting)]
    low, high = rate_bounds(model, closed)
    rates = model.residuals(state.q, state.v, state.t, system.theta())[1] if terms is None else terms.psi
    low[hitting] = -e * rates[hitting]
    v, impulses, loss = after_impact(system, state, low, high, repr(system.row_names[hitting]), terms)
    return Impact(system.row_names[hitting], v, impulses, loss)


def rate_bounds(model: CompiledModel, closed: Sequence[int]) -> tuple[Array, Array]:
    """Return bounds (m,) of the rates behind an impact: closed contacts do not close further, open ones are free."""
    low, high, unilateral = np.zeros(model.m), np.zeros(model.m), list(model.unilateral)
    low[unilateral], high[unilateral] = -np.inf, np.inf
    low[list(closed)] = 0.0
    return low, high


def after_impact(
    system: System, state: State, low: Array, high: Array, where: str, terms: Terms | None = None
) -> tuple[Array, Array, float]:
    """Return the nearest velocities (n,) with rates of the rows between `low` and `high` (m,), the impulses, the loss.

    The impulses are Λ (m,), the loss is that of kinetic energy (J). `terms` are those of the model at the state, where
    they are known. Raises SolverError, which names `where`.
    """
    model, theta = system.model, system.theta()
    v, impulses = state.v, np.zeros(model.m)
    bound = np.flatnonzero(np.isfinite(low) | np.isfinite(high))
    names, kinds = tuple(model.names[k] for k in bound), tuple(model.kinds[k] for k in bound)
    for sweep in range(SWEEPS):
        terms = model.terms(state.q, v, state.t, theta) if sweep or terms is None else terms
        steady = terms.psi - terms.J @ v  # the part of each row's rate that does not depend on v
        rows = Rows(terms.J[bound], (low - steady)[bound], (high - steady)[bound], names, kinds)
        problem = GaussProblem(terms.M, terms.M @ state.v, rows, system.coordinates)
        after, impulses[bound] = answer(problem, touching=True)
        change, v = float(np.max(np.abs(after - v))), after
        if model.linear_velocity or change <= SETTLED * float(max(np.max(np.abs(v)), np.max(np.abs(state.v)))):
            loss = 0.5 * state.v @ terms.M @ state.v - 0.5 * v @ terms.M @ v
            return v, impulses, float(loss)
    raise SolverError(
        f"the impact on {where} at t = {state.t:.9g} s does not settle: the velocities after it did not satisfy the"
        f" nonlinear constraints within {SWEEPS} linearisations."
    )


@dataclass(frozen=True)
class Influence:
    """How impulses at the contacts change the velocities, where the bilateral rows hold."""

    G: Array  # (n, 2k) change of v by unit impulses (P, S)
    W: Array  # (2k, 2k) Delassus's matrix: change of (ġ, s)


@dataclass(frozen=True, kw_only=True, repr=False)
class ImpactProblem(ContactProblem):
    """The numbers of an impact: a contact problem at the level of velocities, with f = M v⁻ and all contacts at rest.

    J v = γ, ġ = N v − ν and s = T v − τ; a limit, or a pin, has no impulse and takes no part.
    """

    v: Array  # (n,) velocities before
    restitution: Array  # (k,) e in [0, 1]
    f: Array = field(init=False)  # (n,) M v⁻

    def __post_init__(self) -> None:
        object.__setattr__(self, "f", self.M @ self.v)

    @staticmethod
    def of(  # type: ignore[override]
        M: ArrayLike,
        v: ArrayLike,
        N: ArrayLike,
        nu: ArrayLike | None = None,
        T: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        restitution: ArrayLike = 0.0,
        coefficient: ArrayLike = 0.0,
        *,
        static: ArrayLike | None = None,
        J: ArrayLike | None = None,
        gamma: ArrayLike | None = None,
        bilateral: Sequence[bool] | None = None,
        names: Sequence[str] | None = None,
        coordinates: Sequence[str] | None = None,
    ) -> ImpactProblem:
        """Build a problem from plain arrays; what is left out is zero, and one number stands for all k contacts.

        Tangent rows T (k, n) belong to the plane, T (k, 2, n) to space.

        `restitution` is e, `coefficient` μ_k, `static` μ_s (μ_k if left out). Raises InputError for wrong shapes, nan,
        e outside [0, 1] and coefficients without 0 ≤ μ_k ≤ μ_s, MassMatrixError for an unsymmetric M.
        """
        speed = vector(v, as_array(v, "v").size, "v")
        n, k = speed.size, len(np.atleast_1d(as_array(N, "N")))
        labels = labels_of(names, k)
        bare = bilateral_part(M, speed, J, gamma, "J v = γ", coordinates)
        if (T is None) and np.any(as_array(coefficient, "coefficient") != 0.0):
            raise InputError("a coefficient of friction needs the tangent rows T (k, n).")
        held = np.zeros(k, dtype=bool) if bilateral is None else np.array(bilateral, dtype=bool)
        if len(labels) != k or len(set(labels)) != k or held.shape != (k,):
            raise InputError(f"names and bilateral need one entry for each of the {k} contacts, and names must differ.")
        e, kinetic = _each(restitution, labels, "restitution"), _each(coefficient, labels, "coefficient")
        resting = kinetic if static is None else _each(static, labels, "static")
        if np.any((e < 0.0) | (e > 1.0)):
            raise InputError(f"the restitution must lie in [0, 1] at every contact, but is {e}.")
        require_coefficients(kinetic, resting)
        tangents = np.zeros((k, n)) if T is None else as_array(T, "T")
        space = tangents.ndim == 3
        if space and (tangents.shape != (k, 2, n) or np.any(held)):
            raise InputError(
                f"in space T (k, 2, n) has two tangent rows for each contact, and no contact is held from both sides; T"
                f" has shape {tangents.shape} for {k} contacts."
            )
        right = np.zeros((k, 2) if space else k)
        if tau is not None:
            right = matrix(tau, (k, 2), "tau") if space else _each(tau, labels, "tau")
        return ImpactProblem(
            M=bare.M,
            v=speed,
            J=bare.rows.J,
            gamma=bare.rows.lower,
            N=matrix(N, (k, n), "N"),
            nu=np.zeros(k) if nu is None else _each(nu, labels, "nu"),
            T=tangents if space else matrix(tangents, (k, n), "T"),
            tau=right,
            static=resting,
            kinetic=kinetic,
            slip=np.zeros(right.shape),
            restitution=e,
            held=held,
            names=labels,
            coordinates=bare.coordinates,
            rows=bare.rows.names,
        )

    @staticmethod
    def from_contacts(contacts: ContactProblem, v: ArrayLike, restitution: ArrayLike = 0.0) -> ImpactProblem:
        """Return the impact with velocities v (n,) before of contacts whose rows are ġ = N v − ν, s = T v − τ, J v = γ.

        `restitution` is e (k,), or one number for all contacts. Forces and slips of `contacts` are left out. Raises
        InputError for wrong shapes, nan and e outside [0, 1].
        """
        e = _each(restitution, contacts.names, "restitution")
        if np.any((e < 0.0) | (e > 1.0)):
            raise InputError(f"the restitution must lie in [0, 1] at every contact, but is {e}.")
        given = {each.name: getattr(contacts, each.name) for each in fields(ContactProblem) if each.name != "f"}
        given["slip"] = np.zeros(contacts.slip.shape)
        return ImpactProblem(**given, v=vector(v, len(contacts.f), "v", contacts.coordinates), restitution=e)

    @cached_property
    def frictional(self) -> Flags:
        """Flags (k,): which contacts have friction."""
        return np.asarray((self.static > 0.0) & np.any(self.T != 0.0, axis=tuple(range(1, self.T.ndim))))

    @cached_property
    def jammed(self) -> Flags:
        """Flags (k,): which contacts the bilateral rows leave no freedom to leave."""
        heaviest = max(float(np.max(np.diag(self.M))), 1e-300)
        return np.asarray(~(np.diag(self.influence.W)[: self.k] > FLAT * np.sum(self.N**2, axis=1) / heaviest))

    def gap_rates(self, v: Array) -> Array:
        """Return ġ (k,) at velocities v (n,); zero where it is rounding."""
        rate = self.N @ v - self.nu
        return np.where(np.abs(rate) > CONTACT_TOLERANCE * self.rate_sizes[: self.k], rate, 0.0)

    def slips(self, v: Array) -> Array:
        """Return the slip velocities s (k,), in space (k, 2), at velocities v (n,); zero where they are rounding."""
        slip = self.T @ v - self.tau
        return np.where(np.abs(slip) > RESTS * self.rate_sizes[self.k :].reshape(slip.shape), slip, 0.0)

    @cached_property
    def rate_sizes(self) -> Array:
        """Natural sizes (2k,), in space (3k,), of the rates of the gaps and of the slips in this impact."""
        rows = np.vstack([self.N, self.T.reshape(-1, len(self.v))])
        return impact_sizes(rows, np.concatenate([self.nu, self.tau.ravel()]), self.v, self.M)

    @cached_property
    def speed(self) -> Array:
        """Sizes (n,) of the velocities: what v, or keeping up with an obstacle, gives each of them in the metric."""
        d = inertia_roots(self.M)
        return np.asarray((float(np.max(np.linalg.norm(self._speeds * d, axis=1))) or 1.0) / d)

    @cached_property
    def energy(self) -> float:
        """The size of the energies (J): ½ vᵀM v, and what the motion of the obstacles may bring in."""
        return 0.5 * float(np.max(np.sum(self._speeds @ self.M * self._speeds, axis=1))) or 1.0

    @cached_property
    def _speeds(self) -> Array:
        """Velocities (1 + m + 2k, n): those before, and the shortest that keep up with each row that moves."""
        rows = np.vstack([self.J, self.N, self.T.reshape(-1, len(self.v))])
        moving = np.concatenate([self.gamma, self.nu, self.tau.ravel()])
        square = np.sum(rows**2, axis=1)
        return np.vstack([self.v, rows * (moving / np.where(square > 0.0, square, np.inf))[:, None]])

    def only(self, kept: Sequence[int] | Indices) -> ImpactProblem:
        """Return the same problem with some of the contacts (indices) only."""
        i = np.asarray(kept, dtype=int)
        taken = "N", "nu", "T", "tau", "slip", "restitution", "static", "kinetic"
        part = {name: getattr(self, name)[i] for name in taken}
        return replace(self, **part, held=self.bilateral[i], names=tuple(self.names[j] for j in i))

    @cached_property
    def influence(self) -> Influence:
        """How impulses at the contacts change velocities. Raises MassMatrixError where M leaves this undetermined."""
        metric = self.bare.metric
        require_inertia(self.coordinates, metric.definite, ", so impulses do not determine the velocities")
        spectrum = spectrum_of(metric, self.J)
        held = spectrum.V[: spectrum.rank]
        whitened = metric.whitened(np.vstack([self.N, self.T]))
        free = whitened - whitened @ held.T @ held
        free[np.linalg.norm(free, axis=1) <= HELD * np.linalg.norm(whitened, axis=1)] = 0.0
        return Influence(metric.lift(free.T), free @ free.T)

    def momentum_of(self, normal: Array, tangential: Array, moments: Sequence[Array] = ()) -> Array:
        """Return the momentum (n,) that impulses at the contacts give."""
        given = self.N.T @ normal + self.T.reshape(-1, len(self.v)).T @ tangential.ravel()
        pairs = zip(self.resistances, moments, strict=True)
        return np.asarray(sum((each.rows.T @ moment for each, moment in pairs), given))

    def bilateral_impulses(self, v: Array, given: Array) -> Array:
        """Return Λ (m,) of M (v⁺ − v⁻) = JᵀΛ + the momentum `given` (n,); the shortest where rows leave a choice."""
        rest = self.M @ (v - self.v) - given
        return np.asarray(np.linalg.lstsq(self.J.T, rest, rcond=1e-12)[0]) if len(self.J) else np.zeros(0)


def _each(value: ArrayLike, names: tuple[str, ...], what: str) -> Array:
    """Return one number for each contact (k,); one number stands for all of them. Raises InputError."""
    given, k = as_array(value, what), len(names)
    return vector(np.full(k, float(given)) if given.shape == () else given, k, what, names)


def impact_problem(
    system: System,
    state: State,
    u: object = None,
    around: Array | None = None,
    closed: Sequence[int] | None = None,
) -> ImpactProblem:
    """Return the impact problem of a System at a state (q, v⁻, t): all closed contacts.

    Restitution is that of the Unilateral rows; a closed row without friction is smooth, and friction on Holonomic rows
    is held from both sides. Constraints nonlinear in the velocities are linearised `around` velocities (n,), v⁻ if left
    out; `closed` are unilateral rows (indices) in place of those that the state tells. Raises InconsistentStateError
    where a bilateral row is violated or a gap is negative, InputError where the model is not finite and for
    dry pins.

    >>> import gauss as g
    >>> floor = g.Unilateral("floor", lambda q: q.z, restitution=0.5)
    >>> ball = g.System("ball", "x z", mass_matrix=[[2, 0], [0, 2]], constraints=[floor])
    >>> problem = g.contact.impact_problem(ball, ball.state([0, 0], [1, -3]))
    >>> problem.names, problem.restitution.tolist(), problem.N.tolist()
    (('floor',), [0.5], [[0.0, 1.0]])
    """
    theta = system.theta(u)
    before = system.model.terms(state.q, state.v, state.t, theta)
    require_finite(system, state, before)
    pins = [c.name for c in system.contacts if c.pin is not None and c.static]
    if pins:
        raise InputError(
            f"the dry pin {', '.join(map(repr, pins))} of {system.name!r} gets impulses in an impact, and the law of"
            " its friction is not known for them. Leave out the friction of the pin, or give a Brake with a constant"
            " torque, whose impulse is zero."
        )
    if closed is None:
        closed = closed_rows(system, state, before)
    require_state(system, state, before, before_impact=True)
    v = state.v if around is None else around
    terms = before if around is None else system.model.terms(state.q, v, state.t, theta)
    steady, none = terms.J @ v - terms.psi, np.zeros(len(terms.psi))
    numbers = numbers_of(system, closed, terms, np.zeros(system.n), steady, none, none, impulses=True)
    e = dict(zip((system.row_names[k] for k in system.model.unilateral), system.model.restitution, strict=True))
    restitution = np.array([e.get(name, 0.0) for name in numbers.names])
    return ImpactProblem.from_contacts(numbers, state.v, restitution)
