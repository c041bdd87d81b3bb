"""The problems of the benchmarks, each also as right-hand side that a user of NumPy would write, and clocks.

| problem | system |
|---|---|
| P1 | particle on x² + y² = 1 from the horizontal, 10 s |
| P2 | double pendulum of two particles in point coordinates, from the horizontal, 5 s |
| P3 | four-bar linkage of bars 1, 2, 2.2 and the ground 2.5, particles at its pins, 5 s |
| P4-10, P4-100 | chain of N particles and links of 1/N m from the horizontal, 1 s |
| P6 | Chaplygin skate of the scenario, 10 s |

All bodies have 1 kg. The right-hand sides are Lagrange's equations of the first kind, without projection.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from gauss import scenario as scenarios

G = 9.81  # m/s²
ORIGIN = (0.0, 0.0)

Rod = tuple[int, int | None, float, tuple[float, float]]  # particle i, particle j or None, length in m, fixed point


class Problem(NamedTuple):
    system: g.System
    q: Sequence[float]
    v: Sequence[float]
    t_end: float  # s
    rhs: Callable[[float, np.ndarray], np.ndarray]  # of (q, v), by hand
    rods: Sequence[Rod] = ()

    def simulate(self, rtol: float = 1e-9, **options: object) -> g.Trajectory:
        return g.simulate(self.system, self.q, self.v, t_end=self.t_end, rtol=rtol, progress="none", **options)

    def solve_ivp(self, rtol: float = 1e-9, **options: object) -> np.ndarray:
        """The last state (2n,) by SciPy."""
        options = {"method": "DOP853", "atol": 1e-2 * rtol} | options
        return solve_ivp(self.rhs, (0.0, self.t_end), np.concatenate([self.q, self.v]), rtol=rtol, **options).y[:, -1]


def particles(name: str, q: Sequence[float], t_end: float, rods: list[Rod]) -> Problem:
    """Particles of 1 kg in the plane from rest at q; a rod holds particle i at a length from another or a point."""
    n, m = len(q), len(rods)

    def row(i: int, j: int | None, length: float, fixed: tuple[float, float]) -> Callable[..., object]:
        def residual(q: list[object]) -> object:
            x, y = fixed if j is None else (q[2 * j], q[2 * j + 1])
            return (q[2 * i] - x) ** 2 + (q[2 * i + 1] - y) ** 2 - length**2

        return residual

    system = g.System(
        name,
        [f"{axis}{i}" for i in range(n // 2) for axis in "xy"],
        kinetic_energy=lambda v: 0.5 * sum(v[k] ** 2 for k in range(n)),
        potential_energy=lambda q: G * sum(q[1:n:2]),
        constraints=[g.Holonomic(f"rod {k}", row(*each)) for k, each in enumerate(rods)],
    )
    saddle, right = np.zeros((n + m, n + m)), np.zeros(n + m)
    saddle[:n, :n], right[1:n:2] = np.eye(n), -G

    def rhs(_: float, y: np.ndarray) -> np.ndarray:
        q, v = y[:n].reshape(-1, 2), y[n:].reshape(-1, 2)
        for k, (i, j, _, fixed) in enumerate(rods, start=n):
            away, rate = (q[i] - fixed, v[i]) if j is None else (q[i] - q[j], v[i] - v[j])
            saddle[k, 2 * i : 2 * i + 2] = away
            if j is not None:
                saddle[k, 2 * j : 2 * j + 2] = -away
            right[k] = -rate @ rate
        saddle[:n, n:] = saddle[n:, :n].T
        return np.concatenate([y[n:], np.linalg.solve(saddle, right)[:n]])

    return Problem(system, q, [0.0] * n, t_end, rhs, rods)


def chain(count: int, link: float | None = None) -> Problem:
    """A chain of so many links of a length from the horizontal; it has 1 m if no length is given."""
    l = 1.0 / count if link is None else link
    links: list[Rod] = [(i, i - 1 if i else None, l, ORIGIN) for i in range(count)]
    return particles(f"chain of {count}", [x for i in range(count) for x in ((i + 1) * l, 0.0)], 1.0, links)


def flat_chain(loops: int) -> Problem:
    """Parallelograms in a row, bars of 1 m, flat and at rest: each of them can leave on its own branch."""
    grounds = [(float(i), 0.0) for i in range(loops + 1)]
    rods: list[Rod] = [(i, None, 1.0, ground) for i, ground in enumerate(grounds)]
    rods += [(i + 1, i, 1.0, ORIGIN) for i in range(loops)]
    return particles(f"{loops} flat loops", [x for i in range(loops + 1) for x in (i + 1.0, 0.0)], 1.0, rods)


def four_bar() -> Problem:
    """A four-bar linkage from rest with its crank upright."""
    rods: list[Rod] = [(0, None, 1.0, ORIGIN), (1, 0, 2.0, ORIGIN), (1, None, 2.2, (2.5, 0.0))]
    near = particles("four-bar", [0.0, 1.0, 1.7, 2.0], 5.0, rods)
    closed = g.consistent(near.system, near.q, hold=["x0"])
    return near._replace(q=closed.q.tolist())


def skate() -> Problem:
    """The Chaplygin skate of the scenario."""
    loaded = scenarios.load("chaplygin_skater")

    def rhs(_: float, y: np.ndarray) -> np.ndarray:
        _, _, phi, dx, dy, rate = y
        J = np.array([np.sin(phi), -np.cos(phi), 0.0])
        f = np.array([1.0, 0.0, 0.0])
        gamma = -(np.cos(phi) * dx + np.sin(phi) * dy) * rate
        return np.concatenate([y[3:], f + J * (gamma - J @ f) / (J @ J)])

    return Problem(loaded.system, loaded.start.q, loaded.start.v, 10.0, rhs)


MAKERS: dict[str, Callable[[], Problem]] = {
    "P1": lambda: particles("pendulum", [1.0, 0.0], 10.0, [(0, None, 1.0, ORIGIN)]),
    "P2": lambda: particles("double", [1.0, 0.0, 2.0, 0.0], 5.0, [(0, None, 1.0, ORIGIN), (1, 0, 1.0, ORIGIN)]),
    "P3": four_bar,
    "P4-10": lambda: chain(10),
    "P4-100": lambda: chain(100),
    "P6": skate,
}


def problems(*names: str) -> dict[str, Problem]:
    """The problems of these names, or all of them."""
    return {name: MAKERS[name]() for name in names or MAKERS}


def milliseconds(work: Callable[[], object]) -> float:
    """The processor time of a call."""
    begin = time.process_time()
    work()
    return 1e3 * (time.process_time() - begin)


def versions() -> dict[str, str]:
    """The versions that stored numbers belong to."""
    packages = ("numpy", "scipy", "casadi", "osqp")
    return {"python": platform.python_version()} | {name: version(name) for name in packages}
