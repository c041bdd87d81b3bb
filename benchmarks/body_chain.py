"""Cost of a recorded step of a hanging chain of rigid links against their number, measured side by side in one run.

    python benchmarks/body_chain.py [--links 10 30 100 300 1000] [--rounds 3] [--json FILE]

System: N bars of 1/N m and 1/N kg on pins, 4N coordinates and 3N rows (`gauss.bodies.PlanarBody`, `Pin`), let go
from the horizontal. Times are those of the processor; all sizes take their turns in each round and the best round
counts, as the machine may be busy. The time of a step is the difference of a long and a short run over the difference
of their steps, so that it holds neither compilation nor the checks at the start; those are printed beside it.

* `rk4 kkt`, `rk4 osqp`, `dop853 osqp`: a step inside `simulate`, projected, certified and recorded; with `osqp` the
  quadratic program of every recorded state is solved as well;
* `osqp`: the difference of the two `rk4`, what OSQP and its certificate take in each recorded state;
* `build`, `verdict`: the System, and the first `accelerate`, which says whether the acceleration is unique;
* `mujoco`: `mj_step` (RK4) of the same chain in joint angles, and `pinocchio`: one articulated-body acceleration, where
  those packages are installed. They work in N joint angles and certify nothing.

Exponents are slopes of log time over log N between the smallest and the largest size measured.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import gauss as g
from gauss import bodies as mb

STEP = 1e-3  # s with 10 links, and less in proportion to their length
SHORT, LONG = 100, 600  # steps
PEERS = 300  # links; 1,000 in one tree take more than 20 GB of memory in MuJoCo and in Pinocchio
RUNS = (("rk4", "kkt"), ("rk4", "osqp"), ("dop853", "osqp"))


def chain(count: int) -> tuple[mb.Mechanism, np.ndarray, np.ndarray]:
    length = 1.0 / count
    bars = [mb.PlanarBody(f"bar{k}", length, length**3 / 12.0) for k in range(count)]
    holders = [(mb.GROUND, (0.0, 0.0)), *((bar, (length / 2, 0.0)) for bar in bars)]
    pins = [mb.Pin(f"pin{k}", *holders[k], bar, (-length / 2, 0.0)) for k, bar in enumerate(bars)]
    mechanism = mb.Mechanism(f"chain of {count} links", bars, pins)
    return mechanism, *mechanism.state(*(bar.pose(((k + 0.5) * length, 0.0)) for k, bar in enumerate(bars)))


def timed(work: Callable[[], object]) -> tuple[float, object]:
    begin = time.process_time()
    found = work()
    return time.process_time() - begin, found


class Case:
    """One size: its system, its start and the best times so far in seconds."""

    def __init__(self, count: int):
        self.count, self.times = count, {}
        seconds, (self.mechanism, self.q, self.v) = timed(lambda: chain(count))
        self.times["build"] = seconds
        self.times["verdict"], step = timed(lambda: g.accelerate(self.mechanism.system, self.q, self.v))
        assert step.verdict == "regular"

    def run(self, method: str, solver: str, steps: int) -> g.Trajectory:
        h = STEP * 10.0 / self.count
        options = {"step": h} if method == "rk4" else {"max_step": h}
        system = self.mechanism.system
        run = g.simulate(
            system, self.q, self.v, t_end=h * steps, method=method, solver=solver, progress="none", **options
        )
        assert run.ending.complete, run.ending.message
        return run

    def measure(self, first: bool) -> None:
        for method, solver in RUNS:
            if first:
                self.run(method, solver, LONG)  # compiles
            (short, brief), (long, run) = (timed(partial(self.run, method, solver, k)) for k in (SHORT, LONG))
            self.note(f"{method} {solver}", (long - short) / (len(run) - len(brief)))
        for name, work in (("mujoco", mujoco_step), ("pinocchio", pinocchio_step)):
            if self.count <= PEERS and importlib.util.find_spec(name) is not None:
                self.note(name, work(self.count))

    def note(self, name: str, seconds: float) -> None:
        self.times[name] = min(seconds, self.times.get(name, np.inf))


def mujoco_step(count: int) -> float:
    """Time of one RK4 step of the chain in MuJoCo."""
    import mujoco

    length, spec = 1.0 / count, mujoco.MjSpec()
    spec.option.timestep, spec.option.integrator = STEP * 10.0 / count, mujoco.mjtIntegrator.mjINT_RK4
    body = spec.worldbody
    for k in range(count):
        body = body.add_body(pos=[0.0 if k == 0 else length, 0.0, 0.0])
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, -1.0, 0.0])
        body.mass, body.ipos, body.explicitinertial = length, [length / 2, 0.0, 0.0], True
        body.inertia = [length**3 / 12.0] * 3
    model = spec.compile()
    data = mujoco.MjData(model)
    return timed(lambda: [mujoco.mj_step(model, data) for _ in range(LONG)])[0] / LONG


def pinocchio_step(count: int) -> float:
    """Time of one articulated-body acceleration of the chain in Pinocchio."""
    import pinocchio as pin

    length, model, joint = 1.0 / count, pin.Model(), 0
    for k in range(count):
        place = pin.SE3(np.eye(3), np.array([0.0 if k == 0 else length, 0.0, 0.0]))
        joint = model.addJoint(joint, pin.JointModelRY(), place, f"joint{k}")
        inertia = pin.Inertia(length, np.array([length / 2, 0.0, 0.0]), np.eye(3) * length**3 / 12.0)
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    data, zero = model.createData(), np.zeros(count)
    return timed(lambda: [pin.aba(model, data, zero, zero, zero) for _ in range(LONG)])[0] / LONG


def slope(cases: list[Case], name: str) -> float:
    """Slope of log time over log N between the smallest and the largest size that have this time."""
    timed_cases = [case for case in cases if name in case.times]
    few, many = timed_cases[0], timed_cases[-1]
    return float(np.log(many.times[name] / few.times[name]) / np.log(many.count / few.count))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--links", type=int, nargs="+", default=[10, 30, 100, 300, 1000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    cases = [Case(count) for count in arguments.links]
    for turn in range(arguments.rounds):
        for case in cases:
            case.measure(first=turn == 0)
    for case in cases:
        case.times["osqp"] = case.times["rk4 osqp"] - case.times["rk4 kkt"]
    names = list(cases[0].times)
    print(f"{'links':>6}", *(f"{name:>14}" for name in names))
    print(f"{'':>6}", *(f"{'ms':>14}" for _ in names))
    for case in cases:
        print(f"{case.count:6d}", *(f"{1e3 * case.times[n]:14.4g}" if n in case.times else f"{'–':>14}" for n in names))
    slopes = {name: slope(cases, name) for name in names} if len(cases) > 1 else {}
    print(f"{'slope':>6}", *(f"{x:14.2f}" for x in slopes.values()))
    if arguments.json:
        table = {case.count: case.times for case in cases}
        arguments.json.write_text(json.dumps({"seconds": table, "exponents": slopes}, indent=2) + "\n")


if __name__ == "__main__":
    main()
