"""The classical formulations put to a System: each takes one state and returns the acceleration by its own path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gauss.analysis.gradients import holonomic_gradient
from gauss.analysis.rounding import Rounding
from gauss.formulations import (
    boltzmann_hamel_form,
    chart_acceleration,
    euler_lagrange,
    gibbs_appell,
    hamilton,
    holonomic_rows,
    lagrange_first_kind,
    minimal_acceleration,
    null_space_form,
    rows_in_quasi_velocities,
    udwadia_kalaba,
    velocity_rows,
    voronets,
)
from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised
from gauss.foundation.portable import Portable
from gauss.foundation.tolerances import DEPENDENT
from gauss.model import Friction, Holonomic, Nonholonomic, Pfaffian, System, Unilateral
from gauss.model.coordinates import Named, named_loads
from gauss.model.functions import ModelFunction, as_list, as_rows, as_scalar, as_vector
from gauss.model.state import State
from gauss.principle import GaussProblem

SAME_NUMBERS = "same M, f, J, γ"
OTHER_DERIVATIVES = "other derivatives"
OTHER_COORDINATES = "other coordinates"
CRUMBS = 1e-16  # coordinates below this, relative to the largest (at least 1), are zero: no scale of the motion
COVERED = 1e-8  # distance up to which a chart returns the state it was given, relative to its size (at least 1)


@advised
@dataclass(frozen=True)
class Minimal(Portable):
    """A witness in other coordinates s: a Lagrangian written by hand and a chart back to the system's coordinates.

    Functions take plain sequences and must be written with gauss.sin, gauss.sqrt, …, so that they accept complex
    numbers.

    >>> import gauss as g
    >>> angle = g.Minimal(
    ...     lagrangian=lambda s, s_dot, t: 0.5 * s_dot[0] ** 2 + 9.81 * g.cos(s[0]),
    ...     chart=lambda s, t: [g.sin(s[0]), -g.cos(s[0])],
    ...     inverse=lambda q, v, t: ([g.atan2(q[0], -q[1])], [-q[1] * v[0] + q[0] * v[1]]),
    ...     text="the angle",
    ... )
    >>> angle.chart([0.0], 0.0)
    [0.0, -1.0]
    """

    lagrangian: Callable[[Any, Any, float], Any]  # L(s, s_dot, t), J
    chart: Callable[[Any, float], Any]  # s, t → q as a list
    inverse: Callable[[Any, Any, float], tuple[Any, Any]]  # q, v, t → (s, s_dot)
    text: str  # what the coordinates are: "spherical angles theta, phi"


@dataclass(frozen=True, eq=False)
class WitnessedState:
    """One state at which witnesses are asked, with Gauss's answer there."""

    system: System
    state: State
    controls: Array  # (n_u,)
    active: Array  # (m,) rows in force
    a: Array  # (n,) by Gauss's principle
    weight: float  # of the augmented metric; 0 for a definite M
    friction: Array | float = 0.0  # (n,) generalized force of sliding friction, which counts as applied
    ordinary: bool = True  # whether the rows alone decide; at singular positions conditions of higher order do

    @cached_property
    def clean(self) -> State:
        """The state with coordinates and velocities that are rounding crumbs set to zero.

        The circles on which derivatives are taken have the size of the coordinates; crumbs would make them as small.
        """
        q, v = (
            np.where(np.abs(x) <= CRUMBS * max(1.0, float(np.max(np.abs(x)))), 0.0, x)
            for x in (self.state.q, self.state.v)
        )
        return State(q, v, self.state.t)

    @cached_property
    def numbers(self) -> tuple[Array, Array, Array, Array]:
        """M, f, J, γ with the rows in force, from the compiled model."""
        system, state = self.system, self.state
        problem = GaussProblem.at(system, state, self.controls)
        gamma = system.model.terms(state.q, state.v, state.t, system.theta(self.controls)).gamma
        return problem.M, problem.f + self.friction, problem.rows.J[self.active], gamma[self.active]

    @cached_property
    def rounding(self) -> Rounding:
        """What rounding makes of an acceleration here."""
        return Rounding.of(self.system, self.state, self.controls, self.active, self.a, self.weight)

    @cached_property
    def _constants(self) -> dict[str, Named]:
        """Parameters and controls by name."""
        parameters, controls = self.system.parameters, self.system.controls
        named = Named(tuple(parameters), list(parameters.values()), "parameter")
        return {"p": named, "u": Named(controls, list(self.controls), "control")}

    def values(self, q: Any, v: Any, t: Any) -> dict[str, Any]:
        """Return what a model function may ask for, at any (complex) point."""
        names = self.system.coordinates
        place = {"q": Named(names, _numbers(q)), "v": Named(names, _numbers(v), "velocity"), "t": t}
        return place | self._constants

    @cached_property
    def lagrangian(self) -> _Energies:
        """T − V from the model's own functions."""
        return _Energies(self)

    @cached_property
    def pfaffian(self) -> dict[int, tuple[ModelFunction, ModelFunction]]:
        """Matrix and offset of the Pfaffian constraints by their place among all."""
        rows = [(k, c) for k, c in enumerate(self.system.constraints) if isinstance(c, Pfaffian)]
        return {k: (_function(c.matrix, c.name), _function(c.offset, c.name)) for k, c in rows}

    @cached_property
    def force(self) -> Array:
        """The non-conservative and control forces (n,), with sliding friction; of the multipliers that a needs."""
        values = self.values(self.clean.q, self.clean.v, self.clean.t)
        if self.system.model.seen is not None:
            M, f, J, _ = self.numbers
            names = [name for name, held in zip(self.system.row_names, self.active, strict=True) if held]
            values["load"] = named_loads(names, np.linalg.lstsq(J.T, M @ self.a - f)[0].tolist())
        given = self.system.force(values)
        return np.array(as_vector(given, self.system.coordinates, "the force"), dtype=float) + self.friction

    @cached_property
    def rows(self) -> tuple[Array, Array]:
        """J and γ of the rows in force, from the constraint functions by complex steps."""
        J, gamma = _differentiated_rows(self)
        return J[self.active], gamma[self.active]


@dataclass(frozen=True)
class Witness:
    """A formulation, what is other about it, and the acceleration that it gives."""

    name: str
    kind: str  # SAME_NUMBERS, OTHER_DERIVATIVES or OTHER_COORDINATES
    acceleration: Callable[
        [WitnessedState], Array
    ]  # (n,); or (k, n), terms that sum to it, where they may nearly cancel


def _numbers(x: Any) -> list[Any]:
    """Return the entries of a vector; complex ones as Python's numbers, with which sums take half as long."""
    return x.tolist() if isinstance(x, np.ndarray) and x.dtype.kind == "c" and x.ndim == 1 else list(x)


def witnesses_of(
    system: System, *, definite: bool, redundant: bool, black_box: bool = False, minimal: Minimal | None = None
) -> list[Witness]:
    """Return the formulations that apply to a system, each within its own limits.

    `definite`: M is positive definite (Udwadia-Kalaba and Hamilton ask for it). `redundant`: the rows depend on one
    another, which Lagrange's first kind with other derivatives, Hamilton's and Voronets' equations do not allow; the
    Gibbs-Appell equations do. `black_box`: some force is not a function that can be evaluated again.
    """
    found = [
        Witness("Lagrange, first kind", SAME_NUMBERS, lambda x: lagrange_first_kind(*x.numbers)[0]),
        Witness(
            "null space (Maggi, Kane)", SAME_NUMBERS, lambda x: null_space_form(*x.numbers, rank_tolerance=DEPENDENT)
        ),
    ]
    if definite:
        found.append(
            Witness("Udwadia-Kalaba", SAME_NUMBERS, lambda x: udwadia_kalaba(*x.numbers, rank_tolerance=DEPENDENT))
        )
    if black_box:
        return found
    if system.kinetic_energy is not None:
        if not redundant:
            text = "complex-step Lagrange, derivatives from the model's functions"
            found.append(Witness(text, OTHER_DERIVATIVES, _complex_step))
            if definite:
                found.append(Witness("Hamilton's canonical equations", OTHER_DERIVATIVES, _hamilton))
        found.append(Witness("Gibbs-Appell", OTHER_DERIVATIVES, _gibbs_appell))
        if not redundant and _nonholonomic(system):
            found.append(Witness("Voronets", OTHER_DERIVATIVES, _voronets))
            found.append(Witness("Boltzmann-Hamel", OTHER_DERIVATIVES, _boltzmann_hamel))
    if minimal is not None:
        found.append(minimal_witness(minimal))
    return found


def _nonholonomic(system: System) -> bool:
    """Whether there are Pfaffian rows, and none but these and holonomic ones."""
    kinds = {type(c) for c in system.constraints}
    return Pfaffian in kinds and kinds <= {Pfaffian, Holonomic}


def minimal_witness(minimal: Minimal) -> Witness:
    """Return the witness in other coordinates."""
    name = f"complex-step Lagrange in {minimal.text}"
    return Witness(name, OTHER_COORDINATES, lambda place: _minimal_terms(minimal, place.state))


def within_chart(minimal: Minimal, state: State) -> bool:
    """Whether the chart of a witness returns the state that it was given: positions and velocities."""
    s, s_dot = (np.array(x, dtype=float) for x in minimal.inverse(state.q, state.v, state.t))
    q, v, _ = chart_acceleration(_chart(minimal), s, s_dot, np.zeros(s.size), state.t)
    near_q = np.max(np.abs(q - state.q)) <= COVERED * max(1.0, float(np.max(np.abs(state.q))))
    return bool(near_q and np.max(np.abs(v - state.v)) <= COVERED * max(1.0, float(np.max(np.abs(state.v)))))


def _complex_step(place: WitnessedState) -> Array:
    state = place.clean
    M, f = euler_lagrange(place.lagrangian, state.q, state.v, state.t, force=place.force)
    return lagrange_first_kind(M, f, *place.rows)[0]


def _hamilton(place: WitnessedState) -> Array:
    state = place.clean
    J, gamma = place.rows
    return hamilton(place.lagrangian, state.q, state.v, state.t, place.force, J, gamma).a


def _gibbs_appell(place: WitnessedState) -> Array:
    state = place.clean
    diagonal = np.diag(place.numbers[0])
    scales = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, np.max(diagonal)))
    G, drift = rows_in_quasi_velocities(*place.rows, scales)
    return gibbs_appell(place.lagrangian, state.q, state.v, state.t, G, drift, place.force)[0]


def _boltzmann_hamel(place: WitnessedState) -> Array:
    """Return the acceleration in quasi-velocities: constant ones along the rows' null space, and the rows."""
    state = place.clean
    return boltzmann_hamel_form(
        place.lagrangian,
        lambda q, t: _pfaffian(place, q, t)[0],
        state.q,
        state.v,
        state.t,
        offset=lambda q, t: _pfaffian(place, q, t)[1],
        force=place.force,
    )


def _voronets(place: WitnessedState) -> Array:
    """Return the acceleration with the dependent velocities chosen by pivoting, far from singular."""
    state, n = place.clean, place.system.n
    A = _pfaffian(place, state.q, state.t)[0].real
    dependent = _pivots(A / np.linalg.norm(A, axis=1)[:, None])
    independent = [i for i in range(n) if i not in dependent]
    dependent = sorted(dependent)

    def slopes(q: Any, t: Any) -> Any:
        A, b = _pfaffian(place, q, t)
        return -np.linalg.solve(A[:, dependent], np.column_stack([A[:, independent], b]))

    return voronets(place.lagrangian, slopes, independent, state.q, state.v, state.t, place.force)


def _pivots(A: Array) -> list[int]:
    """Return as many columns as A has rows, by pivoting."""
    rest, chosen = A.copy(), []
    for _ in range(len(A)):
        k = int(np.argmax(np.linalg.norm(rest, axis=0)))
        direction = rest[:, k] / np.linalg.norm(rest[:, k])
        rest = rest - np.outer(direction, direction @ rest)
        rest[:, k] = 0.0
        chosen.append(k)
    return chosen


def _pfaffian(place: WitnessedState, q: Any, t: Any) -> tuple[Any, Any]:
    """Return A (m, n) and b (m,) of all constraints as Pfaffian rows at a (complex) point."""
    values = place.values(q, q, t)
    matrices, offsets = [], []
    for k, c in enumerate(place.system.constraints):
        if isinstance(c, Holonomic):
            rows, rate = holonomic_gradient(place.system, c, q, t)
            matrices.append(rows)
            offsets.append(rate)
            continue
        assert isinstance(c, Pfaffian)
        matrix, offset_of = place.pfaffian[k]
        A = np.array(as_rows(matrix(values), place.system.coordinates, c.name), dtype=complex)
        offset = np.array(as_list(offset_of(values), c.name), dtype=complex)
        matrices.append(A)
        offsets.append(np.broadcast_to(offset, (len(A),)))
    return np.vstack(matrices), np.concatenate(offsets)


@dataclass(frozen=True)
class _Energies:
    """L(q, v, t) = T − V at one point, or at many."""

    place: WitnessedState

    def __call__(self, q: Any, v: Any, t: Any) -> Any:
        """Return T − V at one point."""
        kinetic, potential = self._parts(q, v, t)
        return as_scalar(kinetic, "the kinetic energy") - as_scalar(potential, "the potential energy")

    def many(self, q: Any, v: Any, t: Any) -> Any:
        """Return T − V (p, 1) at points q, v (p, n) and t (p,)."""
        kinetic, potential = self._parts(q.T, v.T, t)
        return np.broadcast_to(kinetic - potential, len(q))[:, None]

    def _parts(self, q: Any, v: Any, t: Any) -> tuple[Any, Any]:
        system, values = self.place.system, self.place.values(q, v, t)
        assert system.kinetic_energy is not None
        return system.kinetic_energy(values), system.potential_energy(values)


@dataclass(frozen=True)
class _Positions:
    """φ(q, t) of one constraint."""

    place: WitnessedState
    function: ModelFunction
    name: str

    def __call__(self, q: Any, t: Any) -> Any:
        """Return φ (m,) at one position."""
        return np.array(as_list(self.function(self.place.values(q, q, t)), self.name))

    def many(self, q: Any, t: Any) -> Any:
        """Return φ (p, m) at several positions (p, n) and times (p,)."""
        found = self.function(self.place.values(q.T, q.T, t))
        entries = found if isinstance(found, list | tuple) else [found]
        return np.stack([np.broadcast_to(entry, len(q)) for entry in entries], axis=1)


def _differentiated_rows(place: WitnessedState) -> tuple[Array, Array]:
    """Return J and γ of all rows, in the system's order, from the constraint functions by complex steps."""
    system, state = place.system, place.clean
    blocks = []
    for k, constraint in enumerate(system.constraints):
        if isinstance(constraint, (Holonomic, Unilateral)):
            function = _function(constraint.function, constraint.name)

            blocks.append(holonomic_rows(_Positions(place, function, constraint.name), state.q, state.v, state.t))
        elif isinstance(constraint, Nonholonomic | Friction):
            function = _function(constraint.function, constraint.name)

            def psi(q: Any, v: Any, t: Any, function: Any = function, name: str = constraint.name) -> Any:
                return np.array(as_list(function(place.values(q, v, t)), name))

            blocks.append(velocity_rows(psi, state.q, state.v, state.t))
        elif isinstance(constraint, Pfaffian):
            matrix, offset = place.pfaffian[k]

            def affine(
                q: Any, v: Any, t: Any, matrix: Any = matrix, offset: Any = offset, name: str = constraint.name
            ) -> Any:
                values = place.values(q, v, t)
                A = np.array(as_rows(matrix(values), system.coordinates, name))
                return A @ np.array(list(v)) + np.array(as_list(offset(values), name))

            blocks.append(velocity_rows(affine, state.q, state.v, state.t))
    if not blocks:
        return np.zeros((0, system.n)), np.zeros(0)
    return np.vstack([J for J, _ in blocks]), np.concatenate([gamma for _, gamma in blocks])


def _function(function: Any, name: str) -> ModelFunction:
    return ModelFunction.of(function, "qvtp", f"constraint {name!r}")


def _minimal_terms(minimal: Minimal, state: State) -> Array:
    """Return the terms of q̈ = Σ (∂q/∂s_i) s̈_i + (the rest, with s̈ = 0), (k + 1, n), in the order of s.

    Near a pole of the chart they are far larger than q̈ and cancel: ṡ is as large as 1/sin θ there.
    """
    s, s_dot = (np.array(x, dtype=float) for x in minimal.inverse(state.q, state.v, state.t))
    s_ddot = minimal_acceleration(minimal.lagrangian, s, s_dot, state.t)
    chart = _chart(minimal)
    drift = chart_acceleration(chart, s, s_dot, np.zeros(s.size), state.t)[2]
    columns = [chart_acceleration(chart, s, e, np.zeros(s.size), state.t) for e in np.eye(s.size)]
    fixed = chart_acceleration(chart, s, np.zeros(s.size), np.zeros(s.size), state.t)[1]  # ∂q/∂t
    return np.vstack([*((x[1] - fixed) * rate for x, rate in zip(columns, s_ddot, strict=True)), drift])


def _chart(minimal: Minimal) -> Callable[[Any, Any], Any]:
    return lambda point, t: np.array(list(minimal.chart(point, t)))
