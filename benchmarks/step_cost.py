"""Cost of a recorded step, as ratios measured side by side in one run.

    python benchmarks/step_cost.py [--steps 20000] [--json FILE]

System: a Cartesian double pendulum, 4 coordinates, 2 rows. Every number is the best of several repetitions, as the
machine may be busy; ratios are between neighbours in time.

* `bare`: the fused RK4 step (four constrained accelerations in one compiled call), without projection, certificate or
  record, called through its memory buffer;
* `kkt`: a step inside `simulate(method="rk4", solver="kkt")`, projected, certified and recorded;
* `osqp alone`: one update and one solve of a kept OSQP workspace of the same size (4 unknowns, 2 equality rows);
* `osqp`: a step inside `simulate(method="rk4")`, the default solver: as `kkt`, and OSQP solves the quadratic program of
  every recorded state;
* `solve_ivp`: SciPy's DOP853 with NumPy callbacks (LAPACK on the saddle matrix), without projection, against
  `simulate` with DOP853 at the same tolerance, per unit of simulated time and with the error each one makes.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from gauss.model.compiled import FusedStep
from gauss.model.compiled.buffer import Buffers
from gauss.model.compiled.steps.fused import StepFunctions
from gauss.numerics.runge_kutta import RK4
from gauss.principle.solvers.osqp import Workspace

START = [1.0, 0.0, 2.0, 0.0]


def double_pendulum() -> g.System:
    return g.System(
        "double pendulum",
        "x1 y1 x2 y2",
        kinetic_energy=lambda v, p: 0.5 * p.m1 * (v.x1**2 + v.y1**2) + 0.5 * p.m2 * (v.x2**2 + v.y2**2),
        potential_energy=lambda q, p: p.g * (p.m1 * q.y1 + p.m2 * q.y2),
        parameters={"m1": 1.0, "m2": 1.0, "g": 9.81, "l1": 1.0, "l2": 1.0},
        constraints=[
            g.Holonomic("rod 1", lambda q, p: q.x1**2 + q.y1**2 - p.l1**2),
            g.Holonomic("rod 2", lambda q, p: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - p.l2**2),
        ],
    )


def best(work: Callable[[], object], repetitions: int = 7) -> float:
    """Seconds of the fastest of several repetitions."""
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def bare_step(system: g.System, count: int) -> float:
    model = system.model
    step = FusedStep.build(StepFunctions(model.trace, model.arguments, (0, 1), False), RK4, project=False).call
    x = np.concatenate([[0.0], START, np.zeros(4)])
    memory = Buffers.of(step.function)
    for given, value in zip(memory.inputs, (x, 1e-3, system.theta(), 0.0, np.full(8, 1e-12), 1e-10), strict=True):
        given[:] = value
    evaluate = memory.evaluate

    def loop() -> None:
        for _ in range(count):
            evaluate()

    return best(loop) / count


def recorded_step(system: g.System, solver: str, count: int) -> float:
    def run() -> None:
        g.simulate(system, START, t_end=count * 1e-3, method="rk4", step=1e-3, solver=solver, progress="none")

    run()
    return best(run) / count


def bare_osqp(count: int) -> float:
    rows, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 2)))
    A = np.ascontiguousarray(rows.T)
    workspace = Workspace(A, np.zeros(2), np.zeros(2))

    def loop() -> None:
        for k in range(count):
            bound = np.array([0.1, 0.2 + 1e-5 * k])
            workspace.update(A, bound, bound)
            workspace.solve()

    return best(loop) / count


def saddle(y: np.ndarray) -> np.ndarray:
    """The right-hand side a NumPy user would write: Lagrange's equations of the first kind."""
    (x1, y1, x2, y2), v = y[:4], y[4:]
    J = 2 * np.array([[x1, y1, 0, 0], [x1 - x2, y1 - y2, x2 - x1, y2 - y1]])
    d1, d2 = v[:2], v[2:] - v[:2]
    K = np.block([[np.eye(4), -J.T], [J, np.zeros((2, 2))]])
    right = np.array([0, -9.81, 0, -9.81, -2 * d1 @ d1, -2 * d2 @ d2])
    return np.concatenate([v, np.linalg.solve(K, right)[:4]])


def against_solve_ivp(system: g.System, t_end: float) -> dict[str, float]:
    y0 = np.concatenate([START, np.zeros(4)])
    options = {"method": "DOP853", "rtol": 1e-10, "atol": 1e-12}

    def ours() -> g.Trajectory:
        return g.simulate(system, START, t_end=t_end, progress="none")

    def theirs() -> object:
        return solve_ivp(lambda t, y: saddle(y), (0, t_end), y0, **options)

    fine = solve_ivp(lambda t, y: saddle(y), (0, t_end), y0, method="DOP853", rtol=3e-14, atol=1e-15).y[:4, -1]
    run, other = ours(), solve_ivp(lambda t, y: saddle(y), (0, t_end), y0, **options)
    x1, y1 = other.y[:2, -1]
    return {
        "simulate_seconds": best(ours, 3),
        "solve_ivp_seconds": best(theirs, 3),
        "simulate_error": float(np.max(np.abs(run.q[-1] - fine))),
        "solve_ivp_error": float(np.max(np.abs(other.y[:4, -1] - fine))),
        "simulate_off": float(np.max(run.off_position)),
        "solve_ivp_off": float(abs(x1**2 + y1**2 - 1.0)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    system, n = double_pendulum(), arguments.steps
    kkt, bare = recorded_step(system, "kkt", n), bare_step(system, n)
    osqp, alone = recorded_step(system, "osqp", n // 10), bare_osqp(n // 10)
    result = {
        "bare_us": bare * 1e6,
        "kkt_us": kkt * 1e6,
        "kkt_ratio": kkt / bare,
        "osqp_alone_us": alone * 1e6,
        "osqp_us": osqp * 1e6,
        "osqp_ratio": osqp / alone,
    } | against_solve_ivp(system, 10.0)
    print(f"bare fused RK4 step            {bare * 1e6:8.2f} µs")
    print(f"recorded step, kkt             {kkt * 1e6:8.2f} µs   {kkt / bare:5.2f} × bare        (at most 3)")
    print(f"one warm OSQP solve            {alone * 1e6:8.2f} µs")
    print(f"recorded step, osqp            {osqp * 1e6:8.2f} µs   {osqp / alone:5.2f} × OSQP alone  (at most 5)")
    ratio = result["solve_ivp_seconds"] / result["simulate_seconds"]
    print(f"10 s with DOP853, OSQP at every recorded state: {result['simulate_seconds'] * 1e3:.1f} ms,", end=" ")
    print(f"error {result['simulate_error']:.1e} m, off the rods {result['simulate_off']:.1e} √kg m")
    print(f"10 s with solve_ivp and NumPy callbacks:        {result['solve_ivp_seconds'] * 1e3:.1f} ms,", end=" ")
    print(f"error {result['solve_ivp_error']:.1e} m, off the rods {result['solve_ivp_off']:.1e} m,", end=" ")
    print(f"{ratio:.1f} × the time")
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
