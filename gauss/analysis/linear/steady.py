"""Steady motions: states that a one-parameter group of symmetries carries along, and how that is confirmed.

The generator k = Σ c_i k_i of such a group has v = k(q) and a = k_q k at the state. It is a symmetry where its lift
κ = (k, k_q v) commutes with the flow and keeps the constraints, which is confirmed at the state and at states nearby.

Where time occurs in the model, the group must carry the motions from t into those from t + s: with κ a state that
satisfies the rows at t goes to one that satisfies them at t + s, and its acceleration, carried along by
ȧ = (k_q v)_q v + k_q a, is the one there. This is confirmed for finite s, as an infinitesimal test at one time would
take the turning point of a cosine for a constant. The rates c then follow from the rows too, φ_q k = −φ_t and
ψ_q k + ψ_v k_q v = −ψ_t, because v alone does not tell them on the axis of a rotation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import scipy

from gauss.analysis.linear.tangent import StateDerivatives, autonomous, independent, tangent_space
from gauss.errors import GaussError, InconsistentStateError, InputError
from gauss.foundation.arrays import Array, names_of
from gauss.model import System
from gauss.model.compiled.derivatives.linear import VectorField
from gauss.model.state import State
from gauss.motion import consistent

STEADY = 1e-8  # accelerations and rates up to this, relative to their size, count as those of a steady motion
SYMMETRIC = 1e-7  # commutator of the flow and a generator, relative to its terms; sampled states are projected to 1e-10
SAMPLES, SPREAD = 3, 0.1  # nearby states at which a symmetry is confirmed, and how near
LATER = (0.3819660112501051, -0.6180339887498949)  # how far a state is carried, over 1/|k_q| (at most 1 s); irrational

Generator = str | Callable[..., Any]


def generators(
    system: System, symmetry: Generator | Sequence[Generator]
) -> tuple[tuple[str, ...], list[VectorField], tuple[Generator, ...]]:
    """Return the names, the fields and the list of the given generators. Raises InputError for what is none."""
    if isinstance(symmetry, str):
        given: tuple[Any, ...] = names_of(symmetry, "symmetry")
    elif callable(symmetry):
        given = (symmetry,)
    elif isinstance(symmetry, list | tuple):
        given = tuple(symmetry)
    else:
        raise InputError(f"symmetry must be names of coordinates or functions k(q, p), got {symmetry!r}.")
    names, fields = [], []
    for k, entry in enumerate(given):
        if isinstance(entry, str) and entry not in system.coordinates:
            raise InputError(f"symmetry names {entry!r}; the coordinates are {', '.join(system.coordinates)}.")
        if not isinstance(entry, str) and not callable(entry):
            raise InputError(f"symmetry must be names of coordinates or functions k(q, p), got {entry!r}.")
        label = entry if isinstance(entry, str) else getattr(entry, "__name__", f"k{k}")
        names.append(f"k{k}" if label == "<lambda>" else label)
        function = entry if callable(entry) else _drift(entry)
        fields.append(VectorField(system.model, system.coordinates, function, f"the symmetry {names[-1]!r}"))
    if len(set(names)) < len(names):
        raise InputError(f"the symmetries {', '.join(names)} need different names.")
    return tuple(names), fields, given


def moving(system: System, state: State) -> list[str]:
    """Return the names of the coordinates that move."""
    size = STEADY * max(1.0, float(np.max(np.abs(state.v), initial=0.0)))
    return [name for name, x in zip(system.coordinates, state.v, strict=True) if abs(x) > size]


def _drift(name: str) -> Callable[..., Any]:
    """Return the generator of a drift of one coordinate."""
    return lambda: {name: 1.0}


@dataclass(frozen=True)
class Steady:
    """The generator k = Σ c_i k_i that a steady motion follows."""

    names: tuple[str, ...]
    rates: Array  # (g,) c
    fields: tuple[VectorField, ...]
    by_q: Array  # (n, n) k_q
    bent: Array  # (n, n) derivative of k_q v by q

    @staticmethod
    def none(n: int) -> Steady:
        """Return that of an equilibrium."""
        return Steady((), np.zeros(0), (), np.zeros((n, n)), np.zeros((n, n)))

    @staticmethod
    def along(point: StateDerivatives, names: tuple[str, ...], fields: list[VectorField]) -> Steady:
        """Return the combination of generators that a state moves along. Raises InputError if there is none."""
        system, state = point.system, point.state
        theta = system.theta(point.u)
        parts = [field(state.q, state.v, theta) for field in fields]
        K = np.array([k for k, _, _ in parts]).reshape(len(fields), system.n).T
        for name, part in zip(names, parts, strict=True):
            if not all(np.all(np.isfinite(x)) for x in part):
                raise InputError(f"the symmetry {name!r} is not finite at q = {state.q}; check its formula there.")
        rates = _rates(point, fields, K) if fields else np.zeros(0)
        speed = max(float(np.max(np.abs(state.v))), 1e-300)
        off = state.v - K @ rates
        by_q = sum((c * d for c, (_, d, _) in zip(rates, parts, strict=True)), np.zeros((system.n, system.n)))
        bent = sum((c * d for c, (_, _, d) in zip(rates, parts, strict=True)), np.zeros((system.n, system.n)))
        if np.max(np.abs(off), initial=0.0) > STEADY * speed:
            refuse(point, "velocities", off, "the velocities of the symmetry differ from those of the state by")
        needed = by_q @ state.v
        forces = np.abs(point.M @ needed) + np.abs(point.M @ point.a)
        scale = np.linalg.norm(needed) + np.linalg.norm(point.a) + _scale_of_accelerations(point)
        rest = point.a - needed
        if np.max(np.abs(rest)) > STEADY * scale and np.any(forces > 0.0):
            word = "steady along this symmetry" if fields else "an equilibrium"
            refuse(point, "accelerations", rest, f"the state is not {word}: its accelerations are off by")
        return Steady(names, rates, tuple(fields), np.asarray(by_q), np.asarray(bent))

    def lifted(self, state: State, theta: Array) -> tuple[Array, Array, Array, Array]:
        """Return k, k_q v, k_q and (k_q v)_q at another state."""
        n = state.q.size
        k, by_q, bent = np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
        for c, field in zip(self.rates, self.fields, strict=True):
            value, d, dd = field(state.q, state.v, theta)
            k, by_q, bent = k + c * value, by_q + c * d, bent + c * dd
        return k, by_q @ state.v, by_q, bent

    def require_symmetry(self, point: StateDerivatives) -> None:
        """Raise InputError unless the generator commutes with the flow and keeps the constraints, at nearby states."""
        if not autonomous(point.system):
            self._require_carried(point)
            return
        if not self.fields:
            return
        for near in [point, *_nearby(point)]:
            theta = near.system.theta(near.u)
            k, kv, by_q, bent = self.lifted(near.state, theta)
            d, rows = near.variation, near.active
            off = np.concatenate([d.phi_q[rows] @ k, d.psi_q[rows] @ k + d.psi_v[rows] @ kv])
            size = [np.linalg.norm(x[rows], axis=1) for x in (d.phi_q, d.psi_q, d.psi_v)]  # single terms may vanish
            pace, turn = np.linalg.norm(k), np.linalg.norm(kv)
            allowed = np.concatenate([size[0] * pace, size[1] * pace + size[2] * turn])
            da, _ = near.respond(k[:, None], kv[:, None], np.zeros((near.u.size, 1)))
            carried = bent @ near.state.v + by_q @ near.a
            rest = da[:, 0] - carried
            scale = np.linalg.norm(da) + np.linalg.norm(carried) + _scale_of_change(near, k, kv)
            broken = np.any(np.abs(off) > SYMMETRIC * np.maximum(allowed, 1e-300))
            if broken or np.max(np.abs(rest)) > SYMMETRIC * scale:
                what = "the constraints" if broken else "the accelerations"
                moving = ", ".join(self.names)
                raise InputError(
                    f"{moving} is not a symmetry of {point.system.name!r}: {what} change along it, so the motion from"
                    " this state is not steady in these coordinates. Give the symmetry that it follows as symmetry=…,"
                    " or linearise about the simulated motion with linearize_along."
                )

    def _require_carried(self, point: StateDerivatives) -> None:
        """Raise InputError unless states nearby are carried to states of other times, with their accelerations."""
        system = point.system
        for near in [point, *_nearby(point)]:
            for share in LATER:
                later = share / max(1.0, float(np.linalg.norm(self.by_q)))
                state, a = self._carried(near, later)
                try:
                    there = consistent(system, state.q, state.v, state.t)
                except InconsistentStateError:
                    self._refuse_time(point, "the rows")
                place, speed = float(np.max(np.abs(there.q - state.q))), float(np.max(np.abs(there.v - state.v)))
                size = max(1.0, float(np.max(np.abs(state.q)))), max(1e-300, float(np.max(np.abs(state.v))))
                if place > SYMMETRIC * size[0] or speed > SYMMETRIC * max(size):
                    self._refuse_time(point, "the rows")
                found = StateDerivatives.like(near, there, near.u)
                scale = np.linalg.norm(found.a) + np.linalg.norm(a) + _scale_of_accelerations(near)
                if np.max(np.abs(found.a - a)) > SYMMETRIC * scale:
                    self._refuse_time(point, "the accelerations")

    def _carried(self, near: StateDerivatives, later: float) -> tuple[State, Array]:
        """Return the state to which the group carries one within a time, and its acceleration."""
        n, theta = near.system.n, near.system.theta(near.u)

        def rate(_: float, y: Array) -> Array:
            q, v, a = y[:n], y[n : 2 * n], y[2 * n :]
            k, kv, by_q, bent = self.lifted(State(q, v, 0.0), theta)
            return np.concatenate([k, kv, bent @ v + by_q @ a])

        state = near.state
        first = np.concatenate([state.q, state.v, near.a])
        last = scipy.integrate.solve_ivp(rate, (0.0, later), first, "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
        return State(last[:n], last[n : 2 * n], state.t + later), last[2 * n :]

    def _refuse_time(self, point: StateDerivatives, what: str) -> NoReturn:
        """Raise InputError for a system whose dependence on time no symmetry makes up for."""
        along = f"along {', '.join(self.names)}" if self.names else "at rest"
        raise InputError(
            f"{point.system.name!r} depends on time, and {along} {what} at one time do not go over into those at"
            " another, so the state is not steady. Give the symmetry that the prescribed motion follows as symmetry=…,"
            " or simulate the motion and use linearize_along; for a periodic motion the eigenvalues of"
            " gauss.analysis.transition over a period are the Floquet multipliers."
        )


def _rates(point: StateDerivatives, fields: Sequence[VectorField], K: Array) -> Array:
    """Return the rates (g,) with which the generators move a state and, where time occurs, carry its rows along."""
    left, right = [K], [point.state.v]
    for near in [] if autonomous(point.system) else [point, *_nearby(point)]:
        theta, rows, d = near.system.theta(near.u), near.active, near.variation
        parts = [field(near.state.q, near.state.v, theta) for field in fields]
        k = np.array([part[0] for part in parts]).T
        kv = np.array([part[1] @ near.state.v for part in parts]).T
        phi_t, psi_t = near.rates_of_rows()
        left += [d.phi_q[rows] @ k, d.psi_q[rows] @ k + d.psi_v[rows] @ kv]
        right += [-phi_t[rows], -psi_t[rows]]
    matrix, wanted = np.vstack(left), np.concatenate(right)
    return np.asarray(np.linalg.lstsq(matrix, wanted, rcond=None)[0])


def _scale_of_accelerations(point: StateDerivatives) -> float:
    """Return the size of the accelerations that balance in an equilibrium: forces over inertia."""
    terms = point.system.model.terms(point.state.q, point.state.v, point.state.t, point.system.theta(point.u))
    free = np.linalg.lstsq(point.M, terms.f, rcond=1e-12)[0]
    n, d = point.system.n, point.variation
    parts = np.abs(point.J.T) @ np.abs(point.multipliers)  # the force may itself be a sum of terms that balance
    parts = parts + np.abs(d.by_q[:n]) @ np.maximum(np.abs(point.state.q), 1.0)
    parts = parts + np.abs(d.by_v[:n]) @ np.abs(point.state.v)
    held = np.linalg.lstsq(point.M, parts, rcond=1e-12)[0]
    return float(np.linalg.norm(free) + np.linalg.norm(held)) or 1e-300


def _scale_of_change(point: StateDerivatives, k: Array, kv: Array) -> float:
    """Return the size of the changes of forces along a generator, as accelerations."""
    n = point.system.n
    change = np.abs(point.variation.by_q[:n]) @ np.abs(k) + np.abs(point.variation.by_v[:n]) @ np.abs(kv)
    return float(np.linalg.norm(np.linalg.lstsq(point.M, change, rcond=1e-12)[0])) or 1e-300


def _nearby(point: StateDerivatives) -> list[StateDerivatives]:
    """Return admissible states near a state, projected onto the constraints."""
    N = tangent_space(point, *independent(point, None))
    rng = np.random.default_rng(0)
    n, found = point.system.n, []
    size = np.concatenate([np.maximum(np.abs(point.state.q), 1.0), np.maximum(np.abs(point.state.v), 1.0)])
    for _ in range(SAMPLES):
        step = SPREAD * N @ rng.uniform(-1.0, 1.0, N.shape[1])
        step = step / max(1.0, float(np.max(np.abs(step) / size)))
        try:
            state = consistent(point.system, point.state.q + step[:n], point.state.v + step[n:], point.state.t)
            found.append(StateDerivatives.like(point, state, point.u))
        except GaussError:  # no such state, or a singular one: it says nothing about the symmetry
            continue
    return found


def refuse(point: StateDerivatives, what: str, off: Array, sentence: str) -> None:
    """Raise InputError with the largest components by name."""
    worst = np.argsort(-np.abs(off))[:3]
    parts = ", ".join(f"{point.system.coordinates[k]} {off[k]:.4g}" for k in worst if off[k] != 0.0)
    raise InputError(
        f"{point.system.name!r} cannot be linearised about this state: {sentence} {parts}. Find an equilibrium with"
        " gauss.equilibrium or a steady motion with gauss.analysis.steady_motion, or linearise about a simulated motion"
        f" with linearize_along. ({what})"
    )
