"""Processor time of whole runs to a relative error of about 1e-9, against the same steps alone, side by side.

    python benchmarks/whole_runs.py [--only P1 P3] [--rounds 5] [--json FILE]

| problem | system |
|---|---|
| P1 | particle on x² + y² = 1 from the horizontal, 10 s |
| P2 | double pendulum of two particles in point coordinates, from the horizontal, 5 s |
| P3 | four-bar linkage of bars 1, 2, 2.2 and the ground 2.5, particles at its pins, 5 s |
| P4-10, P4-100 | chain of N particles and links of 1/N m from the horizontal, 1 s |
| P6 | Chaplygin skate of the scenario, 10 s |

All bodies have 1 kg. `osqp` solves the quadratic program of every recorded state, `kkt` does not; both certify every
state, decide the verdict at the start and look out for singular positions. `alone` are as many trial steps of the same
compiled function, one call for 64 of them, with nothing asked of them: what a run costs beside it is the price of
trust. Models are built and compiled before; problems take their turns in each round and the best round counts, as the
machine may be busy.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import gauss as g
from gauss import scenario as scenarios
from gauss.motion.steps.steppers import FusedStepper

G, RTOL, BLOCK = 9.81, 1e-9, 64


def particles(name: str, count: int, rods: list[tuple[int, int | None, float, tuple[float, float]]]) -> g.System:
    """Particles of 1 kg in the plane; a rod holds particle i at a length from particle j, or from a fixed point."""

    def row(i: int, j: int | None, length: float, fixed: tuple[float, float]) -> Callable[..., object]:
        def residual(q: list[object]) -> object:
            x, y = fixed if j is None else (q[2 * j], q[2 * j + 1])
            return (q[2 * i] - x) ** 2 + (q[2 * i + 1] - y) ** 2 - length**2

        return residual

    return g.System(
        name,
        [f"{axis}{i}" for i in range(count) for axis in "xy"],
        kinetic_energy=lambda v: 0.5 * sum(v[k] ** 2 for k in range(2 * count)),
        potential_energy=lambda q: G * sum(q[2 * i + 1] for i in range(count)),
        constraints=[g.Holonomic(f"rod {k}", row(*each)) for k, each in enumerate(rods)],
    )


def chain(count: int) -> tuple[g.System, list[float], list[float], float]:
    """A chain of so many links from the horizontal."""
    links = [(i, i - 1 if i else None, 1.0 / count, (0.0, 0.0)) for i in range(count)]
    start = [x for i in range(count) for x in ((i + 1) / count, 0.0)]
    return particles(f"chain of {count}", count, links), start, [0.0] * (2 * count), 1.0


def problems() -> dict[str, tuple[g.System, object, object, float]]:
    """The problems by name: system, start and end time."""
    origin, skate = (0.0, 0.0), scenarios.load("chaplygin_skater")
    four_bar = particles("four-bar", 2, [(0, None, 1.0, origin), (1, 0, 2.0, origin), (1, None, 2.2, (2.5, 0.0))])
    closed = g.consistent(four_bar, [0.0, 1.0, 1.7, 2.0], hold=["x0"])
    return {
        "P1": (particles("pendulum", 1, [(0, None, 1.0, origin)]), [1.0, 0.0], None, 10.0),
        "P2": (particles("double", 2, [(0, None, 1.0, origin), (1, 0, 1.0, origin)]), [1.0, 0.0, 2.0, 0.0], None, 5.0),
        "P3": (four_bar, closed.q, None, 5.0),
        "P4-10": chain(10),
        "P4-100": chain(100),
        "P6": (skate.system, skate.start.q, skate.start.v, 10.0),
    }


def milliseconds(work: Callable[[], object]) -> float:
    """The processor time of a call."""
    begin = time.process_time()
    work()
    return 1e3 * (time.process_time() - begin)


def alone(run: g.Trajectory) -> Callable[[], object]:
    """As many trial steps as a run has taken, from its start, without anything beside them."""
    setting = run.setting
    stepper = FusedStepper(setting, tuple(np.flatnonzero(run.active[0]).tolist()))
    x = np.concatenate([[run.t[0]], run.q[0], run.v[0]])
    step = float(np.median(np.diff(run.t)))

    def steps() -> None:
        for _ in range(0, len(run), BLOCK):
            stepper.trials(x, step, np.inf, step, BLOCK)

    return steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", help="names of problems")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    calls: dict[str, dict[str, Callable[[], object]]] = {}
    found: dict[str, dict[str, float]] = {}
    for name, (system, q, v, t_end) in problems().items():
        if given.only and name not in given.only:
            continue

        def run(solver: str, s: g.System = system, q: object = q, v: object = v, end: float = t_end) -> g.Trajectory:
            return g.simulate(s, q, v, t_end=end, rtol=RTOL, solver=solver, progress="none")

        first = run("osqp")
        calls[name] = {"osqp": lambda run=run: run("osqp"), "kkt": lambda run=run: run("kkt"), "alone": alone(first)}
        found[name] = {"steps": len(first) - 1}
    for _ in range(given.rounds + 1):  # the first round compiles
        for name, each in calls.items():
            for key, work in each.items():
                found[name].setdefault(key, np.inf)
                found[name][key] = min(found[name][key], milliseconds(work))
    print(f"{'problem':8}{'steps':>7}{'osqp ms':>10}{'kkt ms':>10}{'alone ms':>10}{'osqp/alone':>12}{'kkt/alone':>11}")
    for name, r in found.items():
        print(
            f"{name:8}{r['steps']:7d}{r['osqp']:10.2f}{r['kkt']:10.2f}{r['alone']:10.2f}"
            f"{r['osqp'] / r['alone']:12.1f}{r['kkt'] / r['alone']:11.1f}"
        )
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
