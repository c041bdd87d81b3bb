"""`GaussProblem`: minimise the Zwang Z(a) = ½(a − a_free)ᵀM(a − a_free) under rows lower ≤ J a ≤ upper.

`GaussProblem.at` turns a model at a state into such a problem; fused steps evaluate the same expressions compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gauss.errors import InputError, MassMatrixError, described
from gauss.foundation.arrays import (
    Array,
    Flags,
    Indices,
    all_finite,
    as_array,
    matrix,
    names_of,
    not_negative,
    positive,
    vector,
)
from gauss.foundation.dense import LARGEST
from gauss.foundation.tolerances import EPS, NUDGE
from gauss.foundation.zero import KNOWN, UNIT, ZERO
from gauss.model import System
from gauss.model.compiled import Terms
from gauss.model.rows import Rows
from gauss.model.state import State
from gauss.numerics.massless import Held, Pressed
from gauss.numerics.pressing import carrying
from gauss.principle.closing import left_open
from gauss.principle.contact_sizes import closed_rows
from gauss.principle.metric import Metric, WhitenedRows, definite, metric_of, whitened_rows
from gauss.principle.offsets import extent
from gauss.principle.rank import ScaledSVD, rounding_of, spectrum_of


@dataclass(frozen=True)
class GaussProblem:
    """The numbers of Gauss's principle at one state; M a = f + Jᵀλ is its stationarity condition."""

    M: Array  # (n, n) symmetric positive semidefinite mass matrix
    f: Array  # (n,) applied and inertial generalized force
    rows: Rows  # m rows on the accelerations
    coordinates: tuple[str, ...]  # (n,)
    unsure: Array | None = None  # (m, n) by how much J may change until the residuals of its state are gone, if given
    force_noise: Array | None = None  # (n,) what is not known of f, of a model with directions that nothing holds

    @property
    def n(self) -> int:
        """Number of accelerations."""
        return self.f.size

    @property
    def m(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @cached_property
    def metric(self) -> Metric:
        """The metric of the Zwang; semidefinite M is augmented by the equality rows, and by others that are pressed.

        Raises MassMatrixError for an indefinite M, and for one whose inverse overflows.
        """
        rows, equality = self.rows, self.rows.equality
        found = self._metric(equality, rows.lower[equality])
        if found.definite:
            return found
        lower, upper = self.pressed[1]
        held = np.concatenate([equality, lower, upper])
        if held.size == equality.size:
            return found
        return self._metric(held, np.concatenate([rows.lower[equality], rows.lower[lower], rows.upper[upper]]))

    def _metric(self, which: Indices, bounds: Array) -> Metric:
        noise = None if self.rows.noise is None else self.rows.noise[which]
        return metric_of(self.M, self.f, self.rows.J[which], bounds, self.coordinates, noise)

    @cached_property
    def pressed(self) -> tuple[Pressed, tuple[Indices, Indices]]:
        """What the force does along directions without inertia that no equality row holds.

        With the rows that are at their lower and at their upper bounds whatever the rest does.
        """
        rows, equality, inequality = self.rows, self.rows.equality, self.rows.inequality
        held = self._held(equality)
        lower = inequality[np.isfinite(rows.lower[inequality])]
        upper = inequality[np.isfinite(rows.upper[inequality])]
        known = UNIT * np.abs(self.f) if self.force_noise is None else self.force_noise
        sided = np.vstack([rows.J[lower], -rows.J[upper]])
        found = Pressed.of(*held.directions(self.M), self.f, known, sided, held.doubtful)
        below, above = lower[found.pressed[: lower.size]], upper[found.pressed[lower.size :]]
        if (
            np.any(found.push)
            and found.freedom == "undecided"
            and not (found.doubtful or self._held(np.concatenate([equality, below, above])).all)
        ):
            below, above = carrying(self.M, self.f, rows.J, rows.lower, rows.upper, known, rows.noise)
        return found, (below, above)

    def _held(self, which: Indices) -> Held:
        noise = None if self.rows.noise is None else self.rows.noise[which]
        return Held.of(self.M, self.rows.J[which], noise)

    @cached_property
    def spectrum(self) -> ScaledSVD:
        """The singular values of the equality rows in the metric, and their rank. Raises what `metric` raises."""
        rows, noise = self.rows, self.rows.noise
        if not rows.inequality.size:
            return spectrum_of(self.metric, rows.J, noise, self.whitened, stated=self.unsure is not None)
        noise = None if noise is None else noise[rows.equality]
        return spectrum_of(self.metric, rows.J[rows.equality], noise, stated=self.unsure is not None)

    @cached_property
    def in_metric(self) -> WhitenedRows:
        """The rows in the metric, shared with problems of the same numbers. Raises what `metric` raises."""
        return whitened_rows(self.metric.L, self.rows.J)

    @property
    def whitened(self) -> Array:
        """The rows J L⁻ᵀ (m, n) in the metric; they are not to be written to. Raises what `metric` raises."""
        return self.in_metric.rows

    @property
    def lengths(self) -> Array:
        """Their lengths (m,)."""
        return self.in_metric.lengths

    def only(self, which: Flags | Indices) -> GaussProblem:
        """Return the problem with some of its rows."""
        return replace(self, rows=self.rows.only(which), unsure=None if self.unsure is None else self.unsure[which])

    def with_noise(self, noise: Array) -> GaussProblem:
        """Return the problem with the noise (m, n) of its rows; its metric stays as it is."""
        found = replace(self, rows=replace(self.rows, noise=noise))
        found.__dict__["metric"] = self.metric
        return found

    @staticmethod
    def of(
        M: ArrayLike,
        f: ArrayLike,
        J: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        coordinates: Sequence[str] | None = None,
        *,
        noise: ArrayLike | None = None,
        residuals: ArrayLike | None = None,
        second: ArrayLike | None = None,
        length: float | None = None,
    ) -> GaussProblem:
        """Build a problem from plain arrays; with `upper` left out the rows are equalities J a = lower.

        `noise` is what is not known of the entries of J, one number or (m, n); left out, it is their rounding.
        `residuals` (m,) are those of the constraints at the state where J was computed, such as the gaps of loops, or
        one number, the size of all where their signs are not known; what
        they leave open of J follows from the second derivatives (m, n, n) of the constraints or, roughly, from a
        `length` over which the rows turn (1 if left out). `diagnose` and `reactions` decide with it; without residuals
        the state is taken to satisfy the rows exactly.

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
        rows = Rows.of(rows_matrix, low, low if upper is None else upper, names)
        if noise is not None:
            rows = replace(rows, noise=_noise(noise, rows.J.shape))
        open_by = _left_open(rows, residuals, second, length)
        problem = GaussProblem(mass / 2 + mass.T / 2, force, rows, labels)
        if open_by is None:
            return problem
        problem = replace(problem, unsure=open_by[0])
        if not np.any(open_by[1]):
            return problem
        known = rounding_of(problem.metric, rows.J) if rows.noise is None else rows.noise
        return problem.with_noise(known + open_by[1])

    @staticmethod
    def at(
        system: System,
        state: State,
        u: object = None,
        closed: Sequence[int] | None = None,
        terms: Terms | None = None,
    ) -> GaussProblem:
        """Evaluate a system at a state: equality rows, closed unilateral rows, and free rows for open contacts.

        A unilateral row is closed when its gap and its rate are zero or below (within `CONTACT_TOLERANCE`), or when
        `closed` (row indices) says so; it then demands g̈ ≥ 0. A row of friction is free, unless `closed` names it: then
        it sticks. The state itself is not judged here (see `gauss.dynamics`). `terms` are those of the model at the
        state and the controls u, where they are known. Raises InputError when the model is not finite.
        """
        terms = system.model.terms(state.q, state.v, state.t, system.theta(u)) if terms is None else terms
        f = terms.f
        if system.black_box_force is not None:
            f = f + black_box_value(system, state)
        require_finite(system, state, terms)
        closed = closed_rows(system, state, terms) if closed is None else closed
        J, gamma = _without_crumbs(system, state, u, terms)
        problem = GaussProblem.of_terms(system, replace(terms, f=f, J=J, gamma=gamma), closed)
        if terms.M.size > LARGEST or definite(terms.M) or Held.of(terms.M, J[problem.rows.equality]).all:
            return problem
        return replace(problem, force_noise=_force_noise(system, state, u, terms.f))

    @staticmethod
    def of_terms(system: System, terms: Terms, closed: Sequence[int], noise: Array | None = None) -> GaussProblem:
        """Return the problem of a system by its terms at a state, with the `closed` contacts and the noise of rows."""
        lower, upper = terms.gamma.copy(), terms.gamma.copy()
        for k in (*system.model.unilateral, *system.model.friction):
            if k not in closed:
                lower[k] = -np.inf
            if k not in closed or k in system.model.unilateral:
                upper[k] = np.inf
        rows = Rows(terms.J, lower, upper, system.model.names, system.model.kinds, noise)
        return GaussProblem(terms.M, terms.f, rows, system.coordinates)


def _without_crumbs(system: System, state: State, u: object, terms: Terms) -> tuple[Array, Array]:
    """Return J (m, n) and γ (m,) in which rows that vanish are zero: they demand nothing that is rounding.

    That is |J||a|, with the free acceleration of each coordinate by itself for a, and at a velocity what rounding
    leaves open of γ.
    """
    vanish = vanishing_rows(system, state, terms.J)
    if not np.any(vanish):
        return terms.J, terms.gamma
    inertia = np.diag(terms.M)
    push = np.abs(terms.f) / np.where(inertia > 0.0, inertia, np.inf)
    crumbs = np.abs(terms.J) @ push
    if np.any(terms.gamma[vanish]) and np.any(state.v):
        crumbs = crumbs + ZERO * _gamma_noise(system, state, u, terms.gamma)
    return np.where(vanish[:, None], 0.0, terms.J), np.where(vanish & (np.abs(terms.gamma) <= crumbs), 0.0, terms.gamma)


def _gamma_noise(system: System, state: State, u: object, gamma: Array) -> Array:
    """Return what rounding leaves open of γ (m,): of its terms, and what it does to the state."""
    q, v, t, theta = state.q, state.v, state.t, system.theta(u)
    found = system.model.noise(q, v, t, theta).gamma
    moved = [system.model.terms(q + d, v, t, theta).gamma for d in np.diag(KNOWN * np.abs(q))]
    moved += [system.model.terms(q, v + d, t, theta).gamma for d in np.diag(KNOWN * np.abs(v))]
    return np.asarray(found + sum(np.abs(x - gamma) for x in moved))


def _force_noise(system: System, state: State, u: object, f: Array) -> Array:
    """Return what rounding leaves open of the force (n,): of its terms, and what it does to the state."""
    q, v, t, theta = state.q, state.v, state.t, system.theta(u)
    found = system.model.force_noise(q, v, t, theta)
    moved = [system.model.terms(q + d, v, t, theta).f for d in np.diag(KNOWN * np.abs(q))]
    moved += [system.model.terms(q, v + d, t, theta).f for d in np.diag(KNOWN * np.abs(v))]
    return np.asarray(found + sum(np.abs(x - f) for x in moved))


def _noise(noise: object, shape: tuple[int, int]) -> Array:
    """Return the noise (m, n) of rows. Raises InputError for what does not fit, and for what is negative."""
    found = as_array(noise, "noise")
    if found.shape not in ((), shape) or not np.all(np.isfinite(found)) or np.any(found < 0.0):
        raise InputError(f"noise must be one number ≥ 0, or such numbers of shape {shape} as J has.")
    return np.broadcast_to(found, shape)


def _left_open(rows: Rows, residuals: object, second: object, length: float | None) -> tuple[Array, Array] | None:
    """Return what residuals leave open of the rows (m, n), twice. Raises InputError for what does not fit."""
    m, n = rows.J.shape
    if residuals is None:
        if second is not None or length is not None:
            raise InputError("second and length say how the rows turn while residuals are closed; give residuals too.")
        return None
    unsigned = np.ndim(residuals) == 0  # type: ignore[arg-type]
    missed = not_negative(residuals, "residuals") * np.eye(m) if unsigned else vector(residuals, m, "residuals")[None]
    turns = None if second is None else as_array(second, "second")
    if turns is not None and length is not None:
        raise InputError("give second, the second derivatives of the rows, or a length in place of them, not both.")
    if turns is not None and (turns.shape != (m, n, n) or not np.all(np.isfinite(turns))):
        raise InputError(f"second has shape {turns.shape}, expected finite numbers of shape ({m}, {n}, {n}).")
    ell = 1.0 if length is None else positive(length, "length")
    parts = [left_open(rows.J, off, turns, ell) for off in missed]
    return sum((x for x, _ in parts), np.zeros((m, n))), sum((x for _, x in parts), np.zeros((m, n)))


def require_finite(system: System, state: State, terms: Terms) -> None:
    """Raise InputError, naming what it is, where the mass matrix, the force or a row is not finite at a state."""
    if all_finite(terms.M, terms.f, terms.J, terms.gamma, terms.phi, terms.psi):
        return
    finite = np.all(np.isfinite(terms.J), axis=1)
    for value in (terms.gamma, terms.phi, terms.psi):
        finite &= np.isfinite(value)
    wrong = [label for label, value in (("mass matrix", terms.M), ("force", terms.f)) if not np.all(np.isfinite(value))]
    names = ", ".join(repr(system.row_names[k]) for k in np.flatnonzero(~finite))
    what = wrong[0] if wrong else f"constraint {names}"
    place = f"at q = {state.q}, v = {state.v}, t = {state.t:g}"
    if not wrong and set(np.flatnonzero(~finite)) <= set(system.model.positional) and all_finite(terms.phi):
        raise InputError(
            f"the {what} of {system.name!r} has a value, but no finite derivative {place}, as a root has none at zero:"
            " write the squared form, as x² + y² − z² for hypot(x, y) − z."
        )
    raise InputError(f"the {what} of {system.name!r} is not finite {place}.")


def vanishing_rows(system: System, state: State, J: Array) -> Flags:
    """Return which rows (m,) vanish up to rounding, as a cone's row does at its apex.

    A row is known no better than eps times its change over a change of the position by its own size, or by that of the
    state (at most 1) where it is smaller. Rows in small units do not vanish: their change is as small.
    """
    if system.model.steady_rows:
        return np.asarray(np.add.reduce(J * J, 1) == 0.0)
    nudge = NUDGE * np.maximum(np.abs(state.q), min(1.0, extent(state.q)))
    change = system.model.terms(state.q + nudge, state.v, state.t, system.theta()).J - J
    size, turned = (np.sqrt(np.add.reduce(x * x, 1)) for x in (J, change))
    with np.errstate(invalid="ignore"):
        return np.asarray(size <= 10.0 * EPS * (turned / NUDGE))


def black_box_value(system: System, state: State) -> Array:
    """Evaluate the black-box force (n,). Raises InputError when it fails or returns something else."""
    assert system.black_box_force is not None
    try:
        value = system.black_box_force(state.q.copy(), state.v.copy(), state.t)
    except Exception as error:
        said = described(error).removesuffix(".")
        raise InputError(f"the black-box force of {system.name!r} failed at t = {state.t:g}: {said}.") from error
    return vector(value, system.n, f"the black-box force of {system.name!r}", system.coordinates)


def check_symmetric(M: Array, names: Sequence[str]) -> None:
    """Raise MassMatrixError, naming the entries, unless M is symmetric to rounding."""
    gap = np.abs(M - M.T)
    if gap.size and np.max(gap) > 1e-12 * np.max(np.abs(M)):
        i, j = (int(k) for k in np.unravel_index(int(np.argmax(gap)), gap.shape))
        raise MassMatrixError(
            f"the mass matrix is not symmetric: entries [{names[i]}, {names[j]}] and [{names[j]}, {names[i]}] differ"
            f" by {gap[i, j]:.3g}."
        )
