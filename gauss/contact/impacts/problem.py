"""Impacts: the frozen problem at one state, and the ideal impact by Gauss's principle one level lower.

In an impact the positions stay and the velocities jump. At a closed contact with normal row N (ġ = N v − ν) and tangent
row T (slip s = T v − τ) act a normal impulse P and a friction impulse S (N s):

    M (v⁺ − v⁻) = J_EᵀΛ + Σ (NᵀP + TᵀS),    J_E v⁺ = γ,    P ≥ 0.

The laws of impact, which determine P and S, are in `gauss.contact.impacts.collision`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gauss.contact.coulomb import SLIP_SHARE, in_space
from gauss.contact.given import bilateral_part, labels_of, require_coefficients, require_inertia, require_state
from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array, Flags, Indices, as_array, matrix, vector
from gauss.model import System
from gauss.model.rows import Rows
from gauss.model.state import State
from gauss.principle import GaussProblem, solve
from gauss.principle.contact_sizes import CONTACT_TOLERANCE, closed_rows, impact_sizes
from gauss.principle.metric import metric_of
from gauss.principle.offsets import inertia_roots
from gauss.principle.problem import require_finite
from gauss.principle.reduction import spectrum_of

SWEEPS = 50
HELD = 1e-12  # a row of which less than this share is left by the bilateral rows has no freedom
SETTLED = 1e-13  # relative change of the velocities at which the linearisation has converged


@dataclass(frozen=True)
class Impact:
    """What happened in one impact."""

    row: str  # the contact that closed
    v: Array  # (n,) velocities after the impact
    impulses: Array  # (m,) impulsive multipliers Λ of M(v⁺ − v⁻) = JᵀΛ
    energy_loss: float  # kinetic energy before minus after, J; ½ v⁺ᵀMv⁺ is taken in the metric of M


def resolve_impact(system: System, state: State, hitting: int, closed: Sequence[int]) -> Impact:
    """Return the velocities that minimise ½|v⁺ − v⁻|²_M subject to the constraints after the impact.

    Equality rows hold, the contact `hitting` leaves with at least −e times its approach rate (Newton), the contacts
    that were closed before do not close further. With one contact this is Newton's law; its energy loss is (1 − e²)
    times the energy of the normal motion. Constraints nonlinear in the velocities are linearised anew at each v⁺ until
    it no longer changes. Raises SolverError when the program has no certified answer or does not settle.
    """
    model = system.model
    e = model.restitution[model.unilateral.index(hitting)]
    low, high = np.zeros(model.m), np.zeros(model.m)
    for k in model.unilateral:
        low[k], high[k] = 0.0 if k in closed else -np.inf, np.inf
    low[hitting] = -e * model.residuals(state.q, state.v, state.t, system.theta())[1][hitting]
    v, impulses, loss = after_impact(system, state, low, high, repr(system.row_names[hitting]))
    return Impact(system.row_names[hitting], v, impulses, loss)


def after_impact(system: System, state: State, low: Array, high: Array, where: str) -> tuple[Array, Array, float]:
    """Return the nearest velocities (n,) with rates of the rows between `low` and `high` (m,), the impulses, the loss.

    The impulses are Λ (m,), the loss is that of kinetic energy (J). Raises SolverError, which names `where`.
    """
    model, theta = system.model, system.theta()
    v = state.v
    for _ in range(SWEEPS):
        terms = model.terms(state.q, v, state.t, theta)
        steady = terms.psi - terms.J @ v  # the part of each row's rate that does not depend on v
        rows = Rows(terms.J, low - steady, high - steady, model.names, model.kinds)
        solution = solve(GaussProblem(terms.M, terms.M @ state.v, rows, system.coordinates), "osqp")
        change, v = float(np.max(np.abs(solution.a - v))), solution.a
        if model.linear_velocity or change <= SETTLED * float(max(np.max(np.abs(v)), np.max(np.abs(state.v)))):
            loss = 0.5 * state.v @ terms.M @ state.v - 0.5 * v @ terms.M @ v
            return v, solution.multipliers, float(loss)
    raise SolverError(
        f"the impact on {where} at t = {state.t:.9g} s does not settle: the velocities after it did not satisfy the"
        f" nonlinear constraints within {SWEEPS} linearisations."
    )


@dataclass(frozen=True)
class Influence:
    """How impulses at the contacts change the velocities, where the bilateral rows hold."""

    G: Array  # (n, 2k) change of v by unit impulses (P, S)
    W: Array  # (2k, 2k) Delassus's matrix: change of (ġ, s)


@dataclass(frozen=True)
class ImpactProblem:
    """The numbers of a planar impact with n velocities, m bilateral rows and k closed contacts."""

    M: Array  # (n, n)
    v: Array  # (n,) velocities before
    J: Array  # (m, n) bilateral rows J v = γ
    gamma: Array  # (m,)
    N: Array  # (k, n) normal rows, ġ = N v − ν
    nu: Array  # (k,)
    T: Array  # (k, n) tangent rows, s = T v − τ; zero where a contact is frictionless
    tau: Array  # (k,)
    restitution: Array  # (k,) e in [0, 1]
    static: Array  # (k,) μ_s
    kinetic: Array  # (k,) μ_k
    bilateral: Flags  # (k,) held from both sides: P has either sign, and |P| takes its place in the law of friction
    names: tuple[str, ...]  # (k,) of the contacts
    coordinates: tuple[str, ...]  # (n,)
    rows: tuple[str, ...]  # (m,) names of the bilateral rows

    @staticmethod
    def of(
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
        own = (bare.M, speed, bare.rows.J, bare.rows.lower)
        return ImpactProblem(
            *own,
            matrix(N, (k, n), "N"),
            np.zeros(k) if nu is None else _each(nu, labels, "nu"),
            np.zeros((k, n)) if T is None else matrix(T, (k, n), "T"),
            np.zeros(k) if tau is None else _each(tau, labels, "tau"),
            e,
            resting,
            kinetic,
            held,
            labels,
            bare.coordinates,
            bare.rows.names,
        )

    @property
    def k(self) -> int:
        """Number of contacts."""
        return len(self.names)

    @property
    def frictional(self) -> Flags:
        """Flags (k,): which contacts have friction."""
        return np.asarray((self.static > 0.0) & np.any(self.T != 0.0, axis=1))

    def gap_rates(self, v: Array) -> Array:
        """Return ġ (k,) at velocities v (n,); zero where it is rounding."""
        rate = self.N @ v - self.nu
        return np.where(np.abs(rate) > CONTACT_TOLERANCE * self.rate_sizes[: self.k], rate, 0.0)

    def slips(self, v: Array) -> Array:
        """Return the slip velocities s (k,) at velocities v (n,); zero where they are rounding."""
        slip = self.T @ v - self.tau
        return np.where(np.abs(slip) > SLIP_SHARE * self.rate_sizes[self.k :], slip, 0.0)

    @cached_property
    def rate_sizes(self) -> Array:
        """Natural sizes (2k,) of the rates of the gaps and of the slips in this impact."""
        return impact_sizes(np.vstack([self.N, self.T]), np.concatenate([self.nu, self.tau]), self.v, self.M)

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
        rows, moving = np.vstack([self.J, self.N, self.T]), np.concatenate([self.gamma, self.nu, self.tau])
        square = np.sum(rows**2, axis=1)
        return np.vstack([self.v, rows * (moving / np.where(square > 0.0, square, np.inf))[:, None]])

    def only(self, kept: Sequence[int] | Indices) -> ImpactProblem:
        """Return the same problem with some of the contacts (indices) only."""
        i = np.asarray(kept, dtype=int)
        part = {name: getattr(self, name)[i] for name in ("N", "nu", "T", "tau", "restitution", "static", "kinetic")}
        return replace(self, **part, bilateral=self.bilateral[i], names=tuple(self.names[j] for j in i))

    @cached_property
    def influence(self) -> Influence:
        """How impulses at the contacts change velocities. Raises MassMatrixError where M leaves this undetermined."""
        rows = Rows.of(self.J, self.gamma, self.gamma, self.rows)
        metric = metric_of(GaussProblem(self.M, self.M @ self.v, rows, self.coordinates))
        require_inertia(self.coordinates, metric.definite, ", so impulses do not determine the velocities")
        spectrum = spectrum_of(metric, self.J)
        held = spectrum.V[: spectrum.rank]
        white = metric.white(np.vstack([self.N, self.T]))
        free = white - white @ held.T @ held
        free[np.linalg.norm(free, axis=1) <= HELD * np.linalg.norm(white, axis=1)] = 0.0
        return Influence(metric.lift(free.T), free @ free.T)

    def bilateral_impulses(self, v: Array, normal: Array, tangential: Array) -> Array:
        """Return Λ (m,) of M (v⁺ − v⁻) = JᵀΛ + NᵀP + TᵀS; the shortest where dependent rows leave a choice."""
        rest = self.M @ (v - self.v) - self.N.T @ normal - self.T.T @ tangential
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
    """Return the impact problem of a System in the plane at a state (q, v⁻, t): all closed contacts.

    Restitution is that of the Unilateral rows; a closed row without friction is smooth, and friction on Holonomic rows
    is held from both sides. Constraints nonlinear in the velocities are linearised `around` velocities (n,), v⁻ if left
    out; `closed` are unilateral rows (indices) in place of those that the state tells. Raises InconsistentStateError
    where a bilateral row is violated or a gap is negative, InputError where the model is not finite, for dry pins and
    for slips in space.
    """
    names, unilateral = system.row_names, system.model.unilateral
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
    if in_space(system):
        raise InputError(f"{system.name!r} has slips in space; laws of impact here are planar.")
    if closed is None:
        closed = closed_rows(system, state, before)
    require_state(system, state, before, before_impact=True)
    v = state.v if around is None else around
    terms = before if around is None else system.model.terms(state.q, v, state.t, theta)
    right = terms.J @ v - terms.psi
    friction = {k: c for c in system.contacts if (k := c.normal) is not None}  # a finite force has no impulse
    chosen = [k for k in friction if k not in unilateral or k in closed]
    count = len(chosen)
    chosen += [k for k in closed if k not in friction]
    slips, smooth = [friction[k].slip[0] for k in chosen[:count]], np.zeros((len(chosen) - count, system.n))
    plain = [k for k in system.model.equality if k not in friction]
    e = {k: system.model.restitution[i] for i, k in enumerate(unilateral)}
    return ImpactProblem(
        terms.M,
        np.array(state.v),
        terms.J[plain],
        right[plain],
        terms.J[chosen],
        right[chosen],
        np.vstack([terms.J[slips], smooth]),
        np.concatenate([right[slips], np.zeros(len(smooth))]),
        np.array([e.get(k, 0.0) for k in chosen]),
        np.array([friction[k].static if k in friction else 0.0 for k in chosen]),
        np.array([friction[k].kinetic if k in friction else 0.0 for k in chosen]),
        np.array([k not in unilateral for k in chosen], dtype=bool),
        tuple(names[k] for k in chosen),
        system.coordinates,
        tuple(names[k] for k in plain),
    )
