"""`GaussProblem`: minimise the Zwang Z(a) = ½(a − a_free)ᵀM(a − a_free) under rows lower ≤ J a ≤ upper.

`GaussProblem.at` turns a model at a state into such a problem; fused steps evaluate the same expressions compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gauss.arrays import Array, Flags, as_array, matrix, names_of, vector
from gauss.errors import InputError, MassMatrixError
from gauss.model import System
from gauss.model.compiled import Terms
from gauss.rows import Rows
from gauss.state import State

CONTACT_TOLERANCE = 1e-9  # a gap or a rate below this share of the row's natural size is zero

NUDGE = 1e-6  # relative change of the position that shows how strongly a row depends on it


@dataclass(frozen=True)
class GaussProblem:
    """The numbers of Gauss's principle at one state; M a = f + Jᵀλ is its stationarity condition."""

    M: Array  # (n, n) symmetric positive semidefinite mass matrix
    f: Array  # (n,) applied and inertial generalized force
    rows: Rows  # m rows on the accelerations
    coordinates: tuple[str, ...]  # (n,)

    @property
    def n(self) -> int:
        """Number of accelerations."""
        return self.f.size

    @property
    def m(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @staticmethod
    def of(
        M: ArrayLike,
        f: ArrayLike,
        J: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        coordinates: Sequence[str] | None = None,
    ) -> GaussProblem:
        """Build a problem from plain arrays; with `upper` left out the rows are equalities J a = lower.

        Raises InputError for wrong shapes, nan and infinities, MassMatrixError for an unsymmetric M.
        """
        size = as_array(f, "f").size
        if size == 0:
            raise InputError("f is empty; a problem needs at least one acceleration.")
        force = vector(f, size, "f")
        mass = matrix(M, (size, size), "M")
        labels = tuple(f"a{k}" for k in range(size)) if coordinates is None else names_of(coordinates, "coordinates")
        if len(labels) != size:
            raise InputError(f"coordinates names {len(labels)} accelerations, expected {size} as f has.")
        check_symmetric(mass, labels)
        rows_matrix = np.zeros((0, size)) if J is None else as_array(J, "J")
        if rows_matrix.ndim != 2 or rows_matrix.shape[1] != size:
            raise InputError(f"J has shape {rows_matrix.shape}, expected (m, {size}).")
        low = np.zeros(0) if lower is None else lower
        return GaussProblem(
            (mass + mass.T) / 2, force, Rows.of(rows_matrix, low, low if upper is None else upper, names), labels
        )

    @staticmethod
    def at(system: System, state: State, u: object = None, closed: Sequence[int] | None = None) -> GaussProblem:
        """Evaluate a system at a state: equality rows, closed unilateral rows, and free rows for open contacts.

        A unilateral row is closed when its gap and its rate are zero or below (within `CONTACT_TOLERANCE`), or when
        `closed` (row indices) says so; it then demands g̈ ≥ 0. The slip row of a rough contact is free, unless `closed`
        names it: then it sticks. The state itself is not judged here (see `gauss.dynamics`). Raises InputError when the
        model is not finite there.
        """
        terms = system.model.terms(state.q, state.v, state.t, system.theta(u))
        f = terms.f
        if system.black_box_force is not None:
            f = f + black_box_value(system, state)
        require_finite(system, state, terms)
        lower, upper = terms.gamma.copy(), terms.gamma.copy()
        if closed is None:
            closed = closed_rows(system, terms.phi, terms.psi, terms.J, state)
        for k in (*system.model.unilateral, *system.model.friction):
            if k not in closed:
                lower[k] = -np.inf
            if k not in closed or k in system.model.unilateral:
                upper[k] = np.inf
        J = np.where(vanishing_rows(system, state, terms.J)[:, None], 0.0, terms.J)
        rows = Rows(J, lower, upper, system.model.names, system.model.kinds)
        return GaussProblem(terms.M, f, rows, system.coordinates)


def require_finite(system: System, state: State, terms: Terms) -> None:
    """Raise InputError, naming what it is, where the mass matrix, the force or a row is not finite at a state."""
    finite = np.all(np.isfinite(terms.J), axis=1)
    for value in (terms.gamma, terms.phi, terms.psi):
        finite &= np.isfinite(value)
    wrong = [label for label, value in (("mass matrix", terms.M), ("force", terms.f)) if not np.all(np.isfinite(value))]
    if not wrong and np.all(finite):
        return
    names = ", ".join(repr(system.row_names[k]) for k in np.flatnonzero(~finite))
    what = wrong[0] if wrong else f"constraint {names}"
    raise InputError(f"the {what} of {system.name!r} is not finite at q = {state.q}, v = {state.v}, t = {state.t:g}.")


def vanishing_rows(system: System, state: State, J: Array) -> Flags:
    """Return which rows (m,) vanish up to rounding, as a cone's row does at its apex.

    A row is known no better than eps times its change over a change of the position by its own size (at least 1). Rows
    in small units do not vanish: their change is as small.
    """
    nudge = NUDGE * np.maximum(np.abs(state.q), 1.0)
    moved = system.model.terms(state.q + nudge, state.v, state.t, system.theta()).J
    change = np.linalg.norm(moved - J, axis=1) / NUDGE
    with np.errstate(invalid="ignore"):
        return np.asarray(np.linalg.norm(J, axis=1) <= 10.0 * np.finfo(float).eps * change)


def black_box_value(system: System, state: State) -> Array:
    """Evaluate the black-box force (n,). Raises InputError when it fails or returns something else."""
    assert system.black_box_force is not None
    try:
        value = system.black_box_force(state.q.copy(), state.v.copy(), state.t)
    except Exception as error:
        raise InputError(
            f"the black-box force of {system.name!r} failed at t = {state.t:g}: {type(error).__name__}: {error}."
        ) from error
    return vector(value, system.n, f"the black-box force of {system.name!r}", system.coordinates)


def closed_rows(system: System, phi: Array, psi: Array, J: Array, state: State) -> tuple[int, ...]:
    """Return the unilateral rows whose gap and whose rate are zero or below, within `CONTACT_TOLERANCE`."""
    place, speed = CONTACT_TOLERANCE * row_size(J, state.q), CONTACT_TOLERANCE * row_size(J, state.v)
    return tuple(k for k in system.model.unilateral if phi[k] <= place[k] and psi[k] <= speed[k])


def row_size(J: Array, x: Array) -> Array:
    """Return the natural size (m,) of the rows J at positions or velocities x: |J||x|, at least the length of the row.

    Only the coordinates that a row contains count, so that a distant one does not make other contacts close.
    """
    return np.asarray(np.maximum(np.linalg.norm(J, axis=1), np.abs(J) @ np.abs(x)))


def check_symmetric(M: Array, names: Sequence[str]) -> None:
    """Raise MassMatrixError, naming the entries, unless M is symmetric to rounding."""
    gap = np.abs(M - M.T)
    if gap.size and np.max(gap) > 1e-12 * np.max(np.abs(M)):
        i, j = (int(k) for k in np.unravel_index(int(np.argmax(gap)), gap.shape))
        raise MassMatrixError(
            f"the mass matrix is not symmetric: entries [{names[i]}, {names[j]}] and [{names[j]}, {names[i]}] differ"
            f" by {gap[i, j]:.3g}."
        )
