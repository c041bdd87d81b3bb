"""A System with unilateral rows, bilateral rows and friction as a world for the scheme of steps.

Bilateral rows hold with the velocity after the step, J v⁺ = γ; they are eliminated by the projected inverse
M⁻¹ − M⁻¹Jᵀ(J M⁻¹Jᵀ)⁺J M⁻¹, so that redundant rows are allowed. The force f is taken at the middle of the step with the
velocity before it. Matrices are dense: a few hundred coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from gauss.contact import in_space
from gauss.errors import InconsistentStateError, InputError, MassMatrixError
from gauss.foundation.arrays import Array, Indices
from gauss.foundation.tolerances import RESTS
from gauss.foundation.zero import CLEAR, UNIT
from gauss.model import System
from gauss.model.state import State
from gauss.nonsmooth.contacts import Contacts
from gauss.nonsmooth.step import StepResult
from gauss.principle.contact_sizes import contact_sizes, zero_rates
from gauss.principle.offsets import STATE_TOLERANCE, offsets
from gauss.principle.problem import black_box_value, require_finite

DEPENDENT = 1e-11  # singular values of J M⁻¹Jᵀ below this share of the largest belong to dependent rows
ROOM = 4.0  # contacts take part that may close within this many steps


@dataclass(frozen=True)
class SystemFrozen:
    """M, bilateral rows and velocities of one step, or the displacement that bilateral rows ask for."""

    M: Array  # (n, n)
    inverse: Array  # (n, n) projected
    free: Array  # (n,)

    @property
    def shift(self) -> Array:
        """The displacement (n,) that bilateral rows ask for."""
        return self.free

    def spread(self, rows: Any) -> Any:
        """Return the projected M⁻¹ rowsᵀ, sparse."""
        return sp.csc_matrix(self.inverse @ rows.T.toarray())

    def whitened(self, rows: Any) -> tuple[Any, int]:
        """Return nothing: the coordinates of a System are coupled."""
        return None, 0

    def kinetic(self, v: Array) -> float:
        """Return ½ v·M v (J)."""
        return 0.5 * float(v @ self.M @ v)


@dataclass(frozen=True)
class SystemWorld:
    """A System with its friction."""

    system: System

    def __post_init__(self) -> None:
        system = self.system
        if in_space(system):
            raise InputError(
                f"{system.name!r} has slips in space, or several frictions on one load; time stepping takes the bodies"
                " of a Scene in space, and Systems in the plane."
            )
        for contact in system.contacts:
            if contact.normal not in system.model.unilateral:
                raise InputError(
                    f"the friction {contact.name!r} of {system.name!r} has no Unilateral row as its load; time stepping"
                    " takes friction on Unilateral rows only. For a contact held from both sides write two of them."
                )
        if not system.model.linear_velocity:
            raise InputError(f"{system.name!r} has a constraint nonlinear in v, which time stepping does not take.")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the rows."""
        return self.system.row_names

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.names)

    @cached_property
    def _theta(self) -> Array:
        return self.system.theta()

    @cached_property
    def _held(self) -> tuple[list[int], list[int]]:
        """The bilateral rows, and those of them that are on positions."""
        rows = list(self.system.model.equality)
        return rows, [k for k in rows if self.system.model.kinds[k] == "holonomic"]

    def require_start(self, state: State) -> None:
        """Raise InconsistentStateError, naming rows and residuals, unless the bilateral rows hold."""
        position, velocity = offsets(self.system, state)
        wrong = {}
        for k in self._held[0]:
            if position[k] > STATE_TOLERANCE:
                wrong[self.names[k]] = float(position[k])
            elif velocity[k] > STATE_TOLERANCE:
                wrong[self.names[k]] = float(velocity[k])
        if wrong:
            text = ", ".join(f"{name!r} by {value:.6g} of its size" for name, value in wrong.items())
            raise InconsistentStateError(
                f"the start of {self.system.name!r} is off its constraints: {text}. gauss.consistent projects it.",
                wrong,
            )

    def _terms(self, q: Array, v: Array, t: float) -> Any:
        terms = self.system.model.terms(q, v, t, self._theta)
        require_finite(self.system, State(q, v, t), terms)
        return terms

    def _forced(self, q: Array, v: Array, t: float) -> tuple[Any, Array]:
        terms = self._terms(q, v, t)
        black_box = self.system.black_box_force is not None
        return terms, terms.f + black_box_value(self.system, State(q, v, t)) if black_box else terms.f

    def turned(self, q: Array, v: Array, h: float) -> Array:
        """Return v: inertial forces are part of f."""
        return v

    def advance(self, q: Array, displacement: Array) -> Array:
        """Return q + displacement."""
        return q + displacement

    def frozen(self, q: Array, v: Array, t: float, h: float) -> SystemFrozen:
        """Return the mechanics of a step of length h from v."""
        terms, f = self._forced(q, v, t)
        rows = self._held[0]
        J = terms.J[rows]
        inverse = self._inverse(terms.M)
        steady = terms.psi[rows] - J @ v
        return self._projected(terms.M, inverse, J, v + h * inverse @ f, -steady)

    def held(self, q: Array, v: Array, t: float, h: float, taken: StepResult) -> Array:
        """Return the impulses (e,) of the bilateral rows in a step from (q, v) at t, those of least norm."""
        rows, contacts = self._held[0], taken.contacts
        if not rows:
            return np.zeros(0)
        terms, f = self._forced(q + 0.5 * h * v, v, t + 0.5 * h)
        pushed = contacts.rows.T @ taken.impulses.x if contacts.count else 0.0
        return np.asarray(np.linalg.lstsq(terms.J[rows].T, terms.M @ (taken.v - v) - h * f - pushed, rcond=None)[0])

    def metric(self, q: Array, t: float) -> SystemFrozen:
        """Return the metric at a position, and what the position rows ask for."""
        terms = self._terms(q, np.zeros(len(q)), t)
        rows = self._held[1]
        return self._projected(terms.M, self._inverse(terms.M), terms.J[rows], np.zeros(len(q)), -terms.phi[rows])

    def _inverse(self, M: Array) -> Array:
        try:
            root = np.linalg.inv(np.linalg.cholesky(M))
        except np.linalg.LinAlgError:
            raise MassMatrixError(
                f"the mass matrix of {self.system.name!r} is not positive definite; time stepping needs every"
                " coordinate to have mass."
            ) from None
        return np.asarray(root.T @ root)

    def _projected(self, M: Array, inverse: Array, J: Array, free: Array, right: Array) -> SystemFrozen:
        """Return the point nearest to `free` with J x = right, and the inverse projected to J."""
        if len(J):
            B = inverse @ J.T
            middle = np.linalg.pinv(J @ B, rcond=DEPENDENT, hermitian=True)
            free = free + B @ (middle @ (right - J @ free))
            inverse = inverse - B @ middle @ B.T
        return SystemFrozen(M, inverse, free)

    def reach(self, v: Array, h: float) -> Array:
        """Return the time (1,) within which a closing contact takes part."""
        return np.array([ROOM * h])

    def contacts(self, q: Array, v: Array, t: float, reach: Array) -> Contacts:
        """Return the unilateral rows that may close within reach[0] seconds; with v, their slips too."""
        model, still = self.system.model, v.size == 0
        velocity = np.zeros(len(q)) if still else v
        terms = self._terms(q, velocity, t)
        all_rows = np.array(model.unilateral, dtype=int)
        natural = contact_sizes(self.system, State(q, velocity, t), terms, self._theta)
        gap, size = terms.phi[all_rows], (natural.place + natural.place_noise / (CLEAR * UNIT))[all_rows]
        near = np.ones(len(gap), dtype=bool)
        if not still:
            speed = float(np.max(np.abs(v), initial=0.0)) * np.linalg.norm(terms.J[all_rows], axis=1)
            swift = np.maximum(np.abs(terms.psi[all_rows]), speed + natural.pull[all_rows] * reach[0])
            near = gap <= reach[0] * swift + 1e-6 * size
        rows = all_rows[near]
        N, k = terms.J[rows], len(rows)
        offset = terms.psi[rows] - N @ velocity
        e = np.array(model.restitution, dtype=float)
        mu = np.zeros(k)
        if not still:
            T, slip, mu = self._slips(q, velocity, terms, rows)
            N, offset = np.vstack([N, T]), np.concatenate([offset, slip - T @ velocity])
        return Contacts(
            gap=gap[near],
            made=lambda some: sp.csr_matrix(N if some is None else N[some]),
            offset=offset,
            friction=mu,
            restitution=e[near],
            key=rows,
            size=size[near],
            one=rows,
            two=np.full(k, -1),
            point=np.zeros((k, 0)),
            normal=np.zeros((k, 0)),
        )

    def _slips(self, q: Array, v: Array, terms: Any, rows: Indices) -> tuple[Array, Array, Array]:
        """Return tangent rows (k, n), slip velocities and coefficients (k,); zero where there is no friction."""
        T, s = np.zeros((len(rows), len(q))), np.zeros(len(rows))
        static, kinetic = np.zeros((2, len(rows)))
        where = {int(row): i for i, row in enumerate(rows)}
        for contact in self.system.contacts:
            i = where.get(contact.load[0])
            if i is not None:
                T[i], s[i] = terms.J[contact.slip[0]], terms.psi[contact.slip[0]]
                static[i], kinetic[i] = contact.static, contact.kinetic
        return T, s, np.where(np.abs(s) <= zero_rates(T, T @ v - s, v, RESTS), static, kinetic)

    def energies(self, q: Array, v: Array, t: float) -> tuple[float, float]:
        """Return the kinetic and the potential energy (J) of the System's own functions."""
        kinetic, potential = self.system.model.energies(q[None], v[None], np.array([t]), self._theta)
        return float(kinetic[0]), float(potential[0])

    def work(self, displacement: Array) -> None:
        """Return None: the work of a System's forces and bilateral rows is what is left of the energy balance."""
        return
