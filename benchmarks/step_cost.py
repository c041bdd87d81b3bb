"""Cost of a recorded step, as ratios measured side by side in one run.

    python benchmarks/step_cost.py [--steps 20000] [--json FILE]

System: P2 of `problems.py`, 4 coordinates, 2 rows. Every number is the best processor time of several repetitions, as
the machine may be busy; ratios are between neighbours in time. `whole_runs.py` has whole motions.

* `bare`: the fused RK4 step (four constrained accelerations in one compiled call), without projection, certificate or
  record, called through its memory buffer;
* `kkt`: a step inside `simulate(method="rk4", solver="kkt")`, projected, certified and recorded;
* `osqp alone`: one update and one solve of a kept OSQP workspace of the same size (4 unknowns, 2 equality rows);
* `osqp`: a step inside `simulate(method="rk4")`, the default solver: as `kkt`, and OSQP solves the quadratic program of
  every recorded state.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from problems import milliseconds, problems

import gauss as g
from gauss.model.compiled import FusedStep
from gauss.model.compiled.buffer import Buffers
from gauss.model.compiled.steps.fused import StepFunctions
from gauss.numerics.runge_kutta import RK4
from gauss.principle.solvers.osqp import Workspace

START = [1.0, 0.0, 2.0, 0.0]


def best(work: Callable[[], object], repetitions: int = 7) -> float:
    """Seconds of the fastest of several repetitions."""
    return 1e-3 * min(milliseconds(work) for _ in range(repetitions))


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    system, n = problems("P2")["P2"].system, arguments.steps
    kkt, bare = recorded_step(system, "kkt", n), bare_step(system, n)
    osqp, alone = recorded_step(system, "osqp", n // 10), bare_osqp(n // 10)
    result = {
        "bare_us": bare * 1e6,
        "kkt_us": kkt * 1e6,
        "kkt_ratio": kkt / bare,
        "osqp_alone_us": alone * 1e6,
        "osqp_us": osqp * 1e6,
        "osqp_ratio": osqp / alone,
    }
    print(f"bare fused RK4 step            {bare * 1e6:8.2f} µs")
    print(f"recorded step, kkt             {kkt * 1e6:8.2f} µs   {kkt / bare:5.2f} × bare        (at most 3)")
    print(f"one warm OSQP solve            {alone * 1e6:8.2f} µs")
    print(f"recorded step, osqp            {osqp * 1e6:8.2f} µs   {osqp / alone:5.2f} × OSQP alone  (at most 5)")
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
