"""The associated control system q̇ = G(q) u of velocity rows A(q) q̇ = 0, and its motion under given u(t).

Rows with an offset or with time, A(q, t) q̇ + b(q, t) = 0, give q̇ = g₀(q, t) + G(q, t) u.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from gauss.analysis.integrals.admitted import IndependentRows, given_fields, pfaffian_of, random_points
from gauss.errors import InconsistentStateError, InputError, SolverError, described
from gauss.foundation.arrays import Array, names_of, positive, scalar, vector
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.model import AnySystem, System, system_of
from gauss.model.compiled.derivatives.brackets import PfaffianRows, Words
from gauss.model.state import State
from gauss.principle.offsets import STATE_TOLERANCE, offsets

FAILING = 1e-6  # share of its first value below which a pivot no longer determines the dependent velocities
SAMPLES = 501  # times at which a path is returned
NEARBY = 0.1  # how far from the position given fields are checked


@dataclass(frozen=True, repr=False)
class ControlledPath(Shown):
    """A motion of the associated control system."""

    t: Array  # (N,) s
    q: Array  # (N, n)
    v: Array  # (N, n) velocities G u
    u: Array  # (N, inputs)
    slip: float  # largest |A q̇ + b|, relative to its terms
    coordinates: tuple[str, ...]

    def __getitem__(self, name: str) -> Array:
        """Return a coordinate, or with d_ before its name its velocity, (N,). Raises InputError for other names."""
        for prefix, values in (("", self.q), ("d_", self.v)):
            if name.startswith(prefix) and name[len(prefix) :] in self.coordinates:
                return np.asarray(values[:, self.coordinates.index(name[len(prefix) :])])
        raise InputError(f"the path has no {name!r}; it has {', '.join(self.coordinates)} and their velocities (d_).")


@dataclass(frozen=True, repr=False)
class AssociatedSystem(Shown):
    """q̇ = g₀ + G(q) u, whose columns the rows annihilate."""

    system: System
    inputs: tuple[str, ...]  # d_ and the name of a coordinate where u is its velocity
    pfaffian: PfaffianRows
    frame: IndependentRows
    solved: bool  # the columns were found by solving the rows for the frame's dependent velocities
    theta: Array
    evaluate: Callable[[Array, Array], Array]

    def drift_and_fields(self, q: Array, t: float = 0.0) -> tuple[Array, Array]:
        """Return g₀ (n,) and G (n, inputs) at a position."""
        n = self.system.n
        x = np.append(q, t) if self.pfaffian.timed else np.asarray(q, dtype=float)
        columns = self.evaluate(x[None], self.theta)[0]
        if not self.pfaffian.timed:
            return np.zeros(n), columns.T
        return columns[-1, :n], columns[:-1, :n].T

    def G(self, q: object, t: float = 0.0) -> Array:
        """Return the columns of G (n, inputs) at a position given as a list or by name."""
        state = self.system.state(q, None, t)
        return self.drift_and_fields(state.q, state.t)[1]

    def drive(
        self, u: Callable[[float], Any], q: object, *, t_end: float, t: float = 0.0, rtol: float = 1e-10
    ) -> ControlledPath:
        """Integrate q̇ = g₀ + G(q) u(t) from q and return the path at `SAMPLES` times.

        Raises InputError for a u that fails or has the wrong size and times that do not increase,
        InconsistentStateError for a start off the Holonomic rows, SolverError where the inputs no longer determine the
        velocities.

        >>> import gauss as g
        >>> blade = g.Pfaffian("blade", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0])
        >>> skate = g.System("skate", "x y phi", mass_matrix=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], constraints=[blade])
        >>> found = g.analysis.associated(skate, [0, 0, 0]).drive(lambda t: [1.0, 0.0], [0, 0, 0], t_end=0.1)
        >>> found["x"][-1].round(6).item(), bool(found.slip < 1e-9)  # m
        (0.1, True)
        """
        state, last = self.system.state(q, None, t), scalar(t_end, "t_end")
        start, first = state.q, state.t
        if last <= first:
            raise InputError(f"t_end = {last:g} s is not after the start, t = {first:g} s.")
        self._require_start(start, first)
        if not callable(u):
            raise InputError(f"u must be a function of time that returns {len(self.inputs)} inputs, got {u!r}.")

        def control(time: float) -> Array:
            try:
                given = u(time)
            except Exception as error:
                raise InputError(f"u({time:g}) failed: {described(error)}.") from error
            return vector(given, len(self.inputs), f"u({time:g})", self.inputs)

        def rate(time: float, place: Array) -> Array:
            self._require_pivot(place, time)
            drift, G = self.drift_and_fields(place, time)
            return drift + G @ control(time)

        times = np.linspace(first, last, SAMPLES)
        found = scipy.integrate.solve_ivp(
            rate, (first, last), start, "DOP853", t_eval=times, rtol=positive(rtol, "rtol"), atol=1e-2 * rtol
        )
        if not found.success:
            raise SolverError(f"the path of {self.system.name!r} could not be integrated: {found.message}")
        places = found.y.T
        v = np.array([rate(time, place) for time, place in zip(times, places, strict=True)])
        controls = np.array([control(time) for time in times])
        slip = max(self._slip(place, w, time) for place, w, time in zip(places, v, times, strict=True))
        return ControlledPath(times, places, v, controls, slip, self.system.coordinates)

    def _slip(self, q: Array, v: Array, t: float) -> float:
        """Return the largest row times velocity, relative to the sum of its terms."""
        A = self.pfaffian(np.append(q, t) if self.pfaffian.timed else q, self.theta)
        whole = np.append(v, 1.0) if self.pfaffian.timed else v
        size = np.abs(A) @ np.abs(whole)
        return float(np.max(np.abs(A @ whole) / np.where(size > 0.0, size, 1.0), initial=0.0))

    def _require_start(self, q: Array, t: float) -> None:
        """Raise InconsistentStateError for a position off the Holonomic rows."""
        model = self.system.model
        phi, _ = model.residuals(q, np.zeros(self.system.n), t, self.theta)
        position, _ = offsets(self.system, State(q, np.zeros(self.system.n), t))
        off = {model.names[k]: float(phi[k]) for k in model.equality if position[k] > STATE_TOLERANCE}
        if off:
            parts = ", ".join(f"{name!r} = {x:.3g}" for name, x in off.items())
            raise InconsistentStateError(f"the path starts off the constraints of {self.system.name!r}: {parts}.", off)

    def _require_pivot(self, q: Array, t: float) -> None:
        """Raise SolverError where the rows can no longer be solved for the dependent velocities."""
        if not self.solved:
            return
        A = self.pfaffian(np.append(q, t) if self.pfaffian.timed else q, self.theta)
        if not np.all(np.isfinite(A)) or self.frame.pivot_at(A) < FAILING * self.frame.pivot:
            raise SolverError(
                f"at t = {t:.6g} s the inputs {', '.join(self.inputs)} of {self.system.name!r} no longer determine all"
                " velocities; give other columns of G as fields=…."
            )


@advised
def associated(
    system: AnySystem, q: object, t: float = 0.0, *, fields: Any = None, inputs: str | Sequence[str] | None = None
) -> AssociatedSystem:
    """Return the associated control system of the rows of a system.

    `fields`, a function of q and p, returns the columns of G as a list; they are checked near q. Left out, the rows are
    solved at q for as many velocities as they have independent rows, and the other velocities are the inputs. `inputs`
    names the inputs. Raises InputError as `gauss.analysis.holonomy` does, and for a wrong number of names.

    >>> import gauss as g
    >>> blade = g.Pfaffian("blade", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0])
    >>> skate = g.System("skate", "x y phi", mass_matrix=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], constraints=[blade])
    >>> found = g.analysis.associated(skate, [0, 0, 0])
    >>> found.inputs, found.G([0, 0, 0]).round(9).tolist()  # q̇ = G(q) u: it glides along x, and turns
    (('d_x', 'd_phi'), [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    """
    system = system_of(system).frictionless()
    state = system.state(q, None, t)
    pfaffian, theta = pfaffian_of(system), system.theta()
    x = np.append(state.q, state.t) if pfaffian.timed else state.q
    frame = IndependentRows.at(system, pfaffian, x, theta)
    if fields is None:
        columns = frame.fields(pfaffian)
        names = tuple("d_" + name for k, name in enumerate(system.coordinates) if k not in frame.dependent)
    else:
        points = random_points(system, frame, x, theta, NEARBY)
        columns = given_fields(system, pfaffian, fields, points, theta)
        names = tuple(f"u{k + 1}" for k in range(len(columns)))
    if inputs is not None:
        given = names_of(inputs, "inputs")
        if len(given) != len(names):
            raise InputError(f"inputs has {len(given)} names, but {system.name!r} admits {len(names)} directions.")
        names = given
    words = Words(pfaffian, columns)
    return AssociatedSystem(system, names, pfaffian, frame, fields is None, theta, words.values(0, len(columns)))
