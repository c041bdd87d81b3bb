"""First integrals that a model shows by itself: energy, Jacobi's integral, and momenta along directions without push.

With p = ∂T/∂v and ṗ = push + Jᵀλ, the momentum c·p of a constant direction c is conserved where neither the Lagrangian
nor a force nor a constraint row changes along c: c·push = 0 and J c = 0. A cyclic coordinate is such a direction; so is
x = y where L depends on x − y only. T + V is conserved where no force and no row does work and T is homogeneous in the
velocities; where T = T₂ + T₁ + T₀ by their powers, T₂ − T₀ + V = v·∂T/∂v − T + V is (Jacobi).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.linalg as sla

from gauss.errors import InputError
from gauss.foundation.arrays import Array, unit_rows
from gauss.foundation.calls import advised
from gauss.model import AnySystem, System, refuse_friction, system_of
from gauss.model.compiled import Terms
from gauss.model.compiled.derivatives.canonical import Jet, Scalar, momenta_of
from gauss.model.coordinates import Named
from gauss.model.functions import as_scalar

CONSERVED = 1e-9  # rates below this share of their terms are zero; accelerations are certified to about 1e-12
CYCLIC = 1e-12  # pushes below this share of their terms are zero
DIRECTION = 1e-11  # singular values of scaled pushes and unit rows below this belong to directions without push
PROBES = 6  # random states, at least, at which directions without push are found


MEANING = {"energy": "T + V", "Jacobi integral": "T₂ − T₀ + V"}  # of integrals whose name is no formula


@dataclass(frozen=True, repr=False)
class FirstIntegral:
    """A function of the state that is conserved, or claimed to be; p_x is the momentum ∂T/∂ẋ."""

    name: str
    kind: str  # "energy", "momentum" or "given"
    scalar: Scalar

    def __repr__(self) -> str:
        formula = MEANING.get(self.name, "")
        words = [self.name, formula] if formula else [f"{self.kind} {self.name}"]
        return f"FirstIntegral({' = '.join(words)})"


@advised
def first_integrals(system: AnySystem, q: object = None) -> tuple[FirstIntegral, ...]:
    """Return the integrals that the model shows by itself: energy or Jacobi's integral, and momenta.

    Momenta are those of cyclic coordinates, and of constant directions across several coordinates ("p_x + p_y").
    Directions are found at random states, around q if it is given (for models that are not defined everywhere). Raises
    InputError where the model is not finite at these states.

    >>> import gauss as g
    >>> energies = {"kinetic_energy": lambda v: v.x**2 + v.z**2, "potential_energy": lambda q: 2 * 9.81 * q.z}
    >>> [(found.name, found.kind) for found in g.analysis.first_integrals(g.System("stone", "x z", **energies))]
    [('energy', 'energy'), ('p_x', 'momentum')]
    """
    system = system_of(system)
    refuse_friction(system.contacts, system.name, "a first integral")
    model, theta = system.model, system.theta()
    if system.black_box_force is not None:
        return ()
    energies = _energies(system) if model.conservative else []
    rng = np.random.default_rng(0)
    centre = rng.uniform(0.3, 0.8, system.n) if q is None else system.state(q).q
    pushes, sizes, rows = [], [], []
    for _ in range(max(PROBES, system.n + 4)):
        place, speed, time = centre + rng.uniform(-0.2, 0.2, system.n), rng.normal(size=system.n), float(rng.uniform())
        _, push, size = momenta_of(model).at(place, speed, time, theta)
        terms = model.terms(place, speed, time, theta)
        if not (np.all(np.isfinite(push)) and np.all(np.isfinite(terms.J)) and np.all(np.isfinite(terms.M))):
            raise InputError(f"{system.name!r} is not finite at q = {place}; give a position around which it is.")
        energies = [e for e in energies if _keeps_energy(e.scalar.at(place, speed, time, theta), terms, speed)]
        pushes.append(np.where(np.abs(push) <= CYCLIC * size, 0.0, push))
        sizes.append(size)
        rows.append(terms.J)
    free = _free_directions(np.array(pushes), np.max(sizes, axis=0), np.vstack(rows))
    momenta = [_momentum(system, c) for c in free if system.kinetic_energy is not None or np.count_nonzero(c) == 1]
    return (*energies[:1], *momenta)


def _energies(system: System) -> list[FirstIntegral]:
    """Return T + V, and Jacobi's integral T₂ − T₀ + V, with T = T₂ + T₁ + T₀ by powers of the velocities."""
    model, T = system.model, system.kinetic_energy
    found = [FirstIntegral("energy", "energy", Scalar.energy(model))]
    if T is None:
        return found

    def jacobi(q: Any, v: Any, t: Any, p: Any) -> Any:
        forward, backward, rest = (
            as_scalar(T({"q": q, "v": _velocities(system, [s * x for x in v]), "t": t, "p": p}), "the kinetic energy")
            for s in (1.0, -1.0, 0.0)
        )
        potential = as_scalar(system.potential_energy({"q": q, "t": t, "p": p}), "the potential energy")
        return (forward + backward) / 2.0 - 2.0 * rest + potential

    return [*found, FirstIntegral("Jacobi integral", "energy", Scalar.of(model, jacobi, "Jacobi's integral"))]


def _velocities(system: System, values: Sequence[Any]) -> Named:
    return Named(system.coordinates, values, "velocity")


def _momentum(system: System, c: Array) -> FirstIntegral:
    """Return the momentum c·p along a direction; T is quadratic in v, so its central difference is exact."""
    model, T, along = system.model, system.kinetic_energy, np.flatnonzero(c)
    if T is None or along.size == 1:
        k = int(along[0])
        return FirstIntegral(f"p_{system.coordinates[k]}", "momentum", Scalar.momentum(model, k))

    def momentum(q: Any, v: Any, t: Any, p: Any) -> Any:
        ahead, behind = (
            as_scalar(
                T({"q": q, "v": _velocities(system, [x + s * y for x, y in zip(v, c, strict=True)]), "t": t, "p": p}),
                "the kinetic energy",
            )
            for s in (1.0, -1.0)
        )
        return (ahead - behind) / 2.0

    name = ""
    for k in along.tolist():
        size = "" if abs(c[k]) == 1.0 else f"{abs(c[k]):.6g} "
        name += (" - " if c[k] < 0.0 else " + " if name else "") + f"{size}p_{system.coordinates[k]}"
    return FirstIntegral(name, "momentum", Scalar.of(model, momentum, name))


def _free_directions(pushes: Array, sizes: Array, rows: Array) -> list[Array]:
    """Return a basis of the directions c (n,) with push·c = 0 and J c = 0 at all probes, single coordinates first."""
    n = sizes.size
    scale = np.where(sizes > 0.0, sizes, 1.0)
    W = np.vstack([pushes / scale, unit_rows(rows / scale)])
    single = np.flatnonzero(np.max(np.abs(W), axis=0) == 0.0)
    found = [np.eye(n)[k] for k in single]
    rest = np.setdiff1d(np.arange(n), single)
    if rest.size < 2:
        return found
    _, sigma, V = np.linalg.svd(W[:, rest])
    free = V[int(np.sum(sigma > DIRECTION)) :]
    if not len(free):
        return found
    _, _, order = sla.qr(free, mode="economic", pivoting=True)
    pivots = np.sort(order[: len(free)])
    basis = np.linalg.solve(free[:, pivots], free) * scale[rest[pivots]][:, None] / scale[rest]
    for direction in basis:
        c = np.zeros(n)
        c[rest] = [_neat(x) for x in direction]
        found.append(c * np.sign(c[np.flatnonzero(c)[0]]))
    return found


def _neat(x: float) -> float:
    """Return a number as the simple fraction that it is to rounding, or itself."""
    near = float(Fraction(x).limit_denominator(12))
    return near if abs(near - x) <= 1e-10 * max(1.0, abs(x)) else x


def _keeps_energy(energy: Jet, terms: Terms, v: Array) -> bool:
    """Return whether forces do no work beside what the potential energy accounts for, where reactions do none."""
    free = np.linalg.lstsq(terms.M, terms.f, rcond=None)[0]
    change = energy.by_q @ v + energy.by_v @ free + energy.by_t
    size = np.abs(energy.by_q) @ np.abs(v) + np.abs(energy.by_v) @ np.abs(free)
    return bool(abs(change) <= CONSERVED * size)
