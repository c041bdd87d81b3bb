"""Admissible disturbances of a state, and the accelerations and reactions that answer them.

Equations and symbols are those of `gauss.analysis.linear.linearize`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg as sla

from gauss.dynamics import judged
from gauss.errors import InputError, SingularPositionError
from gauss.foundation.arrays import Array, Indices, lengths_of, names_of, unit_rows
from gauss.foundation.tolerances import DEPENDENT, PRESSES
from gauss.model import System
from gauss.model.compiled.derivatives.linear import Variation, variations_of
from gauss.model.compiled.terms import Terms
from gauss.model.state import State
from gauss.principle.contact_sizes import closed_rows

WORKING = ("regular", "redundant")  # positions at which the flow is smooth
APART, TOGETHER = 1e-3, 1e-8  # singular values of unit rows between these, and rows so short, need a verdict
TINY = 1e-300
SOLVED = 1e-11  # imbalance of accelerations, relative to their terms, beyond which they are left to the principle


def require_derivatives(system: System) -> None:
    """Raise InputError for a model that cannot be differentiated."""
    if system.black_box_force is not None:
        raise InputError(f"{system.name!r} has a black-box force, which has no derivatives; give it as `force`.")


def autonomous(system: System) -> bool:
    """Whether time occurs neither in the energies and forces nor in the rows."""
    return variations_of(system.model).autonomous


# ------------------------------------------------------------------ one state


@dataclass(frozen=True)
class StateDerivatives:
    """The accelerations, multipliers and derivatives at one state."""

    system: System
    state: State
    u: Array
    a: Array  # (n,)
    multipliers: Array  # (m,)
    active: Indices  # rows that hold: equality rows and closed contacts that press
    M: Array  # (n, n)
    J: Array  # (m, n)
    variation: Variation

    @staticmethod
    def at(system: System, state: State, u: object) -> StateDerivatives:
        """Evaluate a state. Raises SingularPositionError where accelerations are no smooth function of the state."""
        controls = system.control_vector(u)
        verdict = judged(system, state, controls)
        if verdict.answer is None or any(word not in WORKING for word in verdict.verdicts):
            raise SingularPositionError(
                f"the flow of {system.name!r} is not smooth at this position, so it has no linearisation there."
                f" {verdict.sentence}",
                verdict,
            )
        theta = system.theta(controls)
        terms = system.model.terms(state.q, state.v, state.t, theta)
        a = verdict.answer.a
        closed = closed_rows(system, state, terms)
        active = np.array([*system.model.equality, *closed], dtype=int)
        multipliers = np.zeros(system.model.m)
        if active.size:
            length = lengths_of(terms.J[active])
            unit = terms.J[active] / length[:, None]
            multipliers[active] = np.linalg.lstsq(unit.T, terms.M @ a - terms.f, rcond=DEPENDENT)[0] / length
            force = np.abs(multipliers[active]) * length
            size = max(float(np.max(force)), float(np.linalg.norm(terms.f)))
            for k, x in zip(active, force, strict=True):
                if k in closed and x <= PRESSES * size:
                    name = system.row_names[k]
                    raise InputError(
                        f"the contact {name!r} of {system.name!r} is closed but carries no reaction: disturbances may"
                        " open it, and the flow has no linearisation there."
                    )
        variation = variations_of(system.model)(state.q, state.v, state.t, theta, a, multipliers)
        if not all(np.all(np.isfinite(x)) for x in (variation.by_q, variation.by_v, variation.by_u, variation.psi_q)):
            raise InputError(
                f"the forces or rows of {system.name!r} have no finite derivatives at q = {state.q}, v = {state.v}, so"
                " the flow has no linearisation there; move the state, or smooth roots and powers at their zero."
            )
        return StateDerivatives(system, state, controls, a, multipliers, active, terms.M, terms.J, variation)

    @staticmethod
    def like(known: StateDerivatives, state: State, u: object) -> StateDerivatives:
        """Evaluate another state of a system by what is known of one: cheap where the rows have the same clear rank.

        A verdict asks for derivatives of the rows at many states nearby. Where as many rows are independent as at a
        state that has been judged regular or redundant, the flow is smooth too, and the accelerations follow from
        the rows alone. Near a change of rank, with contacts, and where the equations are not solved to rounding, this
        is `StateDerivatives.at`, and raises what that does.
        """
        system = known.system
        if system.model.unilateral:
            return StateDerivatives.at(system, state, u)
        controls, rows, n = system.control_vector(u), known.active, system.n
        theta = system.theta(controls)
        terms = system.model.terms(state.q, state.v, state.t, theta)
        if not _same_rank((known.M, known.J[rows]), (terms.M, terms.J[rows])):
            return StateDerivatives.at(system, state, u)
        wanted = np.concatenate([terms.f, terms.gamma[rows]])[:, None]
        solution = _saddle(terms.M, terms.J[rows], wanted)[:, 0]
        a, force = solution[:n], terms.J[rows].T @ solution[n:]
        multipliers = np.zeros(system.model.m)
        multipliers[rows] = solution[n:]
        d = variations_of(system.model)(state.q, state.v, state.t, theta, a, multipliers)
        kept = np.concatenate([np.arange(n), n + rows])
        if not np.all(np.abs(d.residual[kept]) <= SOLVED * _sizes(terms, state, d, rows, a, force)):
            return StateDerivatives.at(system, state, u)
        return StateDerivatives(system, state, controls, a, multipliers, rows, terms.M, terms.J, d)

    def without_reactions(self) -> Variation:
        """Return the derivatives with multipliers of zero: those of the forces and inertia alone."""
        state, theta = self.state, self.system.theta(self.u)
        return variations_of(self.system.model)(state.q, state.v, state.t, theta, self.a, 0.0 * self.multipliers)

    def respond(self, dq: Array, dv: Array, du: Array) -> tuple[Array, Array]:
        """Return δa (n, k) and δλ (m, k) for k admissible disturbances of the state and the controls."""
        n, d = self.system.n, self.variation
        change = d.by_q @ dq + d.by_v @ dv + d.by_u @ du
        rows = np.concatenate([np.arange(n), n + self.active])
        solution = _saddle(self.M, self.J[self.active], change[rows])
        multipliers = np.zeros((self.system.model.m, change.shape[1]))
        multipliers[self.active] = solution[n:]
        return solution[:n], multipliers

    def rates_of_rows(self) -> tuple[Array, Array]:
        """Return φ_t and ψ_t (m,) at fixed q and v: φ_t = φ̇ − φ_q v of the holonomic rows, ψ_t = −γ − ψ_q v."""
        system, state, d = self.system, self.state, self.variation
        terms = system.model.terms(state.q, state.v, state.t, system.theta(self.u))
        phi_t = np.zeros(system.model.m)
        placed = list(system.model.positional)
        phi_t[placed] = terms.psi[placed] - d.phi_q[placed] @ state.v
        return phi_t, -terms.gamma - d.psi_q @ state.v


def _scaled(M: Array, J: Array) -> tuple[Array, Array, Array]:
    """Return the rows of J as unit vectors, and the factors (n,) and (k,) by which columns and rows are scaled."""
    scale = np.sqrt(np.maximum(np.diag(M), 0.0))
    scale[scale == 0.0] = 1.0
    J = J / scale
    length = 1.0 / lengths_of(J)
    return J * length[:, None], 1.0 / scale, length


def _sizes(terms: Terms, state: State, d: Variation, rows: Indices, a: Array, force: Array) -> Array:
    """Return the sizes (n + k,) of the terms in M a = f + Jᵀλ and J a = γ, those included that balance at rest."""
    n = a.size
    push = np.abs(d.by_q[:n]) @ np.maximum(np.abs(state.q), 1.0) + np.abs(d.by_v[:n]) @ np.abs(state.v)
    push = push + np.abs(terms.M) @ np.abs(a) + np.abs(terms.f) + np.abs(force)
    inertia = np.diag(terms.M)
    pace = np.abs(a) + np.divide(push, inertia, out=np.zeros(n), where=inertia > 0.0)
    turn = np.abs(terms.J[rows]) @ pace + np.abs(terms.gamma[rows])
    return np.concatenate([np.full(n, np.max(push)), turn]) + TINY


def _same_rank(known: tuple[Array, Array], other: tuple[Array, Array]) -> bool:
    """Whether as many rows are independent at two states beyond doubt, and no row has come near to vanishing."""
    ranks = []
    if not len(known[1]):
        return True
    (before, _, was), (after, _, now) = (_scaled(*pair) for pair in (known, other))
    if np.any(was < APART * now):
        return False
    for unit in (before, after):
        sigma = np.linalg.svd(unit, compute_uv=False)
        if not np.all((sigma > APART) | (sigma < TOGETHER)):
            return False
        ranks.append(int(np.sum(sigma > APART)))
    return ranks[0] == ranks[1]


def _saddle(M: Array, J: Array, right: Array) -> Array:
    """Return (a, λ) (n + k, ·) of [[M, −Jᵀ], [J, 0]] (a, λ) = right, λ of least norm where rows depend on others."""
    unit, columns, rows = _scaled(M, J)
    saddle = np.block([[M * columns[:, None] * columns, -unit.T], [unit, np.zeros((len(J), len(J)))]])
    factors = np.concatenate([columns, rows])
    return np.asarray(np.linalg.lstsq(saddle, factors[:, None] * right, rcond=1e-12)[0] * factors[:, None])


# ------------------------------------------------------------------ admissible disturbances


def _pivots(rows: Array, columns: Indices) -> Indices:
    """Return the columns (indices) that combinations of unit rows can be solved for, as many as the rank."""
    if not rows.size or not columns.size:
        return np.zeros(0, dtype=int)
    _, R, order = sla.qr(rows[:, columns], mode="economic", pivoting=True)
    rank = int(np.sum(np.abs(np.diag(R)) > DEPENDENT))
    return np.sort(columns[order[:rank]])


def independent(point: StateDerivatives, states: str | Sequence[str] | None) -> tuple[Indices, Indices]:
    """Return the indices of the independent coordinates and of the independent velocities."""
    system, d, rows = point.system, point.variation, point.active
    everything = np.arange(system.n)
    place, speed = (unit_rows(matrix[rows]) for matrix in (d.phi_q, d.psi_v))
    dependent = _pivots(place, everything)
    count = system.n - dependent.size
    if states is None:
        free = np.setdiff1d(everything, dependent)
        rest = speed
        if dependent.size:  # rows that are left when the dependent coordinates' velocities are eliminated
            Q = sla.qr(speed[:, dependent])[0][:, dependent.size :]
            rest = Q.T @ speed
        return free, np.setdiff1d(free, _pivots(rest, free))
    names = names_of_states(system, states)
    coordinates = np.array([system.coordinates.index(x) for x in names if x in system.coordinates], dtype=int)
    velocities = np.array([system.coordinates.index(x[2:]) for x in names if x not in system.coordinates], dtype=int)
    wanted = system.n - _pivots(speed, everything).size
    if coordinates.size != count or velocities.size != wanted:
        raise InputError(
            f"a disturbance of {system.name!r} has {count} independent coordinates and {wanted} independent velocities,"
            f" but states names {coordinates.size} and {velocities.size}."
        )
    for rows_of, picked, what in ((place, coordinates, "coordinates"), (speed, velocities, "velocities")):
        others = np.setdiff1d(everything, picked)
        if _pivots(rows_of, others).size < others.size:
            raise InputError(
                f"the {what} {', '.join(system.coordinates[k] for k in picked)} do not describe all disturbances of"
                f" {system.name!r} here: with them held fixed, others can still change."
            )
    return coordinates, velocities


def names_of_states(system: System, states: str | Sequence[str]) -> tuple[str, ...]:
    """Return names of coordinates and velocities (d_), checked. Raises InputError."""
    names = names_of(states, "states")
    known = [*system.coordinates, *("d_" + name for name in system.coordinates)]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"states names {unknown}; known: {', '.join(known)}.")
    return names


def tangent_space(point: StateDerivatives, coordinates: Indices, velocities: Indices) -> Array:
    """Return N (2n, d): the disturbances (δq, δv) that belong to unit disturbances of the chosen components."""
    n, d, rows = point.system.n, point.variation, point.active
    N = np.zeros((2 * n, coordinates.size + velocities.size))
    N[coordinates, np.arange(coordinates.size)] = 1.0
    N[n + velocities, coordinates.size + np.arange(velocities.size)] = 1.0
    for at, rates, others in (
        (0, d.phi_q[rows] @ N[:n], np.setdiff1d(np.arange(n), coordinates)),
        (n, None, np.setdiff1d(np.arange(n), velocities)),
    ):
        matrix = (d.phi_q if rates is not None else d.psi_v)[rows]
        known = d.psi_q[rows] @ N[:n] + d.psi_v[rows] @ N[n:] if rates is None else rates
        if others.size:
            length = lengths_of(matrix)
            solved = np.linalg.lstsq(matrix[:, others] / length[:, None], -known / length[:, None], rcond=1e-13)[0]
            N[at + others] = solved
    return N
