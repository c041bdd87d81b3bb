"""Admissible disturbances of a state, and the accelerations and reactions that answer them.

Equations and symbols are those of `gauss.analysis.linearize`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg as sla

from gauss.arrays import Array, Indices, lengths_of, names_of, unit_rows
from gauss.dynamics import judged
from gauss.errors import InputError, SingularPositionError
from gauss.model import System
from gauss.model.compiled.linear import Variation, variations_of
from gauss.principle.problem import closed_rows
from gauss.state import State

INDEPENDENT = 1e-9  # pivots of unit rows below this count as zero
PRESSES = 1e-9  # share of the forces from which the reaction of a closed contact counts as one
WORKING = ("regular", "redundant")  # positions at which the flow is smooth


def require_derivatives(system: System, autonomous: bool) -> None:
    """Raise InputError for a model that cannot be differentiated, or contains time where it may not."""
    if system.black_box_force is not None:
        raise InputError(f"{system.name!r} has a black-box force, which has no derivatives; give it as `force`.")
    if autonomous and not variations_of(system.model).autonomous:
        raise InputError(f"{system.name!r} depends on time, so no state of it is steady; see linearize_along.")


# ------------------------------------------------------------------ one state


@dataclass(frozen=True)
class Point:
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
    def at(system: System, state: State, u: object) -> Point:
        """Evaluate a state. Raises SingularPositionError where accelerations are no smooth function of the state."""
        controls = system.control_vector(u)
        verdict = judged(system, state, controls)
        if verdict.solution is None or any(word not in WORKING for word in verdict.verdicts):
            raise SingularPositionError(
                f"the flow of {system.name!r} is not smooth at this {verdict.verdict} position, so it has no"
                f" linearisation there: {verdict.sentence}",
                verdict,
            )
        theta = system.theta(controls)
        terms = system.model.terms(state.q, state.v, state.t, theta)
        a = verdict.solution.a
        closed = closed_rows(system, terms.phi, terms.psi, terms.J, state)
        active = np.array([*system.model.equality, *closed], dtype=int)
        multipliers = np.zeros(system.model.m)
        if active.size:
            length = lengths_of(terms.J[active])
            unit = terms.J[active] / length[:, None]
            multipliers[active] = np.linalg.lstsq(unit.T, terms.M @ a - terms.f, rcond=INDEPENDENT)[0] / length
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
        return Point(system, state, controls, a, multipliers, active, terms.M, terms.J, variation)

    def respond(self, dq: Array, dv: Array, du: Array) -> tuple[Array, Array]:
        """Return δa (n, k) and δλ (m, k) for k admissible disturbances of the state and the controls."""
        n, d = self.system.n, self.variation
        change = d.by_q @ dq + d.by_v @ dv + d.by_u @ du
        rows = np.concatenate([np.arange(n), n + self.active])
        scale = np.concatenate([np.sqrt(np.maximum(np.diag(self.M), 0.0)), np.zeros(self.active.size)])
        scale[scale == 0.0] = 1.0
        J = self.J[self.active] / scale[:n]
        scale[n:] = 1.0 / lengths_of(J)
        J = J * scale[n:, None]
        mass = self.M / scale[:n, None] / scale[:n]
        saddle = np.block([[mass, -J.T], [J, np.zeros((len(J), len(J)))]])
        factors = np.concatenate([1.0 / scale[:n], scale[n:]])
        solution = np.linalg.lstsq(saddle, factors[:, None] * change[rows], rcond=1e-12)[0] * factors[:, None]
        multipliers = np.zeros((self.system.model.m, change.shape[1]))
        multipliers[self.active] = solution[n:]
        return solution[:n], multipliers


# ------------------------------------------------------------------ admissible disturbances


def _pivots(rows: Array, columns: Indices) -> Indices:
    """Return the columns (indices) that combinations of unit rows can be solved for, as many as the rank."""
    if not rows.size or not columns.size:
        return np.zeros(0, dtype=int)
    _, R, order = sla.qr(rows[:, columns], mode="economic", pivoting=True)
    rank = int(np.sum(np.abs(np.diag(R)) > INDEPENDENT))
    return np.sort(columns[order[:rank]])


def independent(point: Point, states: str | Sequence[str] | None) -> tuple[Indices, Indices]:
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


def tangent_space(point: Point, coordinates: Indices, velocities: Indices) -> Array:
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
