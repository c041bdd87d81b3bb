"""Cost of a recorded step of the flat four-bar chain against its number of loops, measured side by side in one run.

    python benchmarks/chain_scaling.py [--loops 10 20 40 80 160] [--json FILE]

System: N loops of unit bars of 1 kg in point coordinates (IFToMM problem A02), n = 2(N + 1) coordinates and 2N + 1
rows, from upright rockers, 0.3 s, before the flat position is reached, in steps whose number makes all sizes run about
equally long. Times are those of the processor; all sizes take their turns in each round, and the best of all rounds
counts, as the machine may be busy. The time of a step is the difference between the best longer and the best shorter
run, so that it holds neither compilation nor the checks at the start.

* `rk4 kkt` … `dop853 osqp`: a step inside `simulate`, projected, certified and recorded; with `osqp` the quadratic
  program of every recorded state is solved as well;
* `full`: the same RK4 step with stages in NumPy and LAPACK on full matrices;
* `acceleration`: one compiled constrained acceleration, terms of the model included, called with arrays;
* `splu`: SciPy's sparse LU of the saddle matrix and one solve, its entries given;
* `σ_min`: the smallest singular value of a recorded state by inverse iteration, from state to state;
* `error`: the largest difference of the accelerations from those of `splu`, relative to the largest acceleration.

Exponents are slopes of log time over log N from 40 to 160 (or between the two largest sizes given).
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

import gauss as g
from gauss.motion.record.measures import sigma_min_along
from gauss.motion.steps.staged import StagedStepper
from gauss.motion.steps.steppers import Setting, stepper_of
from gauss.numerics.runge_kutta import RK4

T_END = 0.3  # s
SHORT = 0.2  # share of the run that the shorter one takes
STEP = {"rk4": 1e-3, "dop853": 3e-3}  # s, with 160 loops, and in proportion to them; the adaptive method is held to it
RUNS = tuple(itertools.product(("rk4", "dop853"), ("kkt", "osqp")))


class Full(Setting):
    """A setting that has stages use full matrices."""

    sparse = False  # type: ignore[assignment]


def chain(loops: int) -> g.System:
    def points(z: list[object]) -> list[tuple[object, object]]:
        return [(z[2 * i], z[2 * i + 1]) for i in range(loops + 1)]

    def kinetic(v: list[object]) -> object:
        p = points(v)
        rockers = sum(x**2 + y**2 for x, y in p) / 6
        pairs = itertools.pairwise(p)
        return rockers + sum(a**2 + b**2 + c**2 + d**2 + a * c + b * d for (a, b), (c, d) in pairs) / 6

    def potential(q: list[object]) -> object:
        heights = [y for _, y in points(q)]
        return 9.81 * (sum(heights) + sum(y + z for y, z in itertools.pairwise(heights))) / 2

    return g.System(
        f"chain of {loops} loops",
        " ".join(f"x{i} y{i}" for i in range(loops + 1)),
        kinetic_energy=kinetic,
        potential_energy=potential,
        constraints=[
            g.Holonomic("rocker", lambda q: [(x - i) ** 2 + y**2 - 1.0 for i, (x, y) in enumerate(points(q))]),
            g.Holonomic(
                "coupler",
                lambda q: [(c - a) ** 2 + (d - b) ** 2 - 1.0 for (a, b), (c, d) in itertools.pairwise(points(q))],
            ),
        ],
    )


@dataclass
class Case:
    """One size: its system, its start, and the best times so far in seconds."""

    loops: int
    system: g.System
    x: np.ndarray
    times: dict[str, float]

    @staticmethod
    def of(loops: int) -> Case:
        begin = time.process_time()
        system = chain(loops)
        built = time.process_time()
        q = np.concatenate([[float(i), 1.0] for i in range(loops + 1)])
        x = np.concatenate([[0.0], q, np.tile([1.0, 0.0], loops + 1)])
        stepper_of(setting(system), rows(system)).step(x, 1e-3)
        compiled = time.process_time()
        return Case(loops, system, x, {"build": built - begin, "compile": compiled - built})

    def note(self, name: str, seconds: float) -> None:
        self.times[name] = min(seconds, self.times.get(name, np.inf))


def rows(system: g.System) -> tuple[int, ...]:
    return tuple(range(system.model.m))


def setting(system: g.System, kind: type[Setting] = Setting) -> Setting:
    return kind(system, RK4, system.theta(), 0.0, np.full(2 * system.n, 1e-12), 1e-10, None)


def seconds(work: Callable[[], object], count: int = 1) -> float:
    begin = time.process_time()
    for _ in range(count):
        work()
    return (time.process_time() - begin) / count


def move(case: Case, method: str, solver: str, t_end: float) -> g.Trajectory:
    n = case.system.n
    step = {"step" if method == "rk4" else "max_step": STEP[method] * case.loops / 160}
    q, v = case.x[1 : n + 1], case.x[n + 1 :]
    return g.simulate(case.system, q, v, t_end=t_end, method=method, solver=solver, progress="none", **step)


def time_steps(case: Case, method: str, solver: str) -> None:
    """Keep the best times of a short and a long run, and what a step takes by their difference."""
    name, ends, lengths = f"{method} {solver}", (SHORT * T_END, T_END), []
    for length, t_end in zip(("short", "long"), ends, strict=True):
        begin = time.process_time()
        lengths.append(len(move(case, method, solver, t_end)))
        case.note(f"{name}, {length} run", time.process_time() - begin)
    rest = case.times[f"{name}, long run"] - case.times[f"{name}, short run"]
    case.times[name] = rest / (lengths[1] - lengths[0])


def saddle(case: Case, x: np.ndarray) -> tuple[sp.csc_matrix, np.ndarray]:
    n = case.system.n
    terms = case.system.model.terms(x[1 : n + 1], x[n + 1 :], float(x[0]), case.system.theta())
    M, J = sp.csc_matrix(terms.M), sp.csc_matrix(terms.J)
    return sp.bmat([[M, -J.T], [J, None]], format="csc"), np.concatenate([terms.f, terms.gamma])


def one_round(case: Case, first: bool) -> None:
    """Measure everything once; what is slow in the first round only."""
    for method, solver in RUNS:
        if first:
            move(case, method, solver, SHORT * T_END)  # compiles
        time_steps(case, method, solver)
    stepper = stepper_of(setting(case.system), rows(case.system))
    x = stepper.step(case.x, 0.05)[0]
    case.note("acceleration", seconds(lambda: stepper.accelerate(x), 50))
    matrix, right = saddle(case, x)
    case.note("splu", seconds(lambda: splu(matrix).solve(right), 20))
    full = StagedStepper(setting(case.system, Full), rows(case.system))
    case.note("full", seconds(lambda: full.step(x, 1e-3), 1 if case.loops > 40 else 10))
    states = np.stack([stepper.step(case.x, h)[0] for h in np.linspace(0.05, 0.06, 10)])
    active = np.ones((10, case.system.model.m), dtype=bool)
    sigma_min_along(setting(case.system), states[:1], active[:1])
    case.note("σ_min", seconds(lambda: sigma_min_along(setting(case.system), states, active)) / 10)


def error(case: Case) -> float:
    """Largest difference of the compiled accelerations from those of `splu` along the motion."""
    worst, n = 0.0, case.system.n
    run = move(case, "rk4", "kkt", T_END)
    for i in range(0, len(run), 20):
        matrix, right = saddle(case, np.concatenate([[run.t[i]], run.q[i], run.v[i]]))
        worst = max(worst, float(np.max(np.abs(splu(matrix).solve(right)[:n] - run.a[i]))))
    return worst / float(np.max(np.abs(run.a)))


def exponent(cases: list[Case], name: str) -> float:
    by_size = {case.loops: case.times[name] for case in cases}
    few, many = (40, 160) if {40, 160} <= by_size.keys() else sorted(by_size)[-2:]
    return float(np.log(by_size[many] / by_size[few]) / np.log(many / few))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loops", type=int, nargs="+", default=[10, 20, 40, 80, 160])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    cases = [Case.of(loops) for loops in arguments.loops]
    for turn in range(arguments.rounds):
        for case in cases:
            one_round(case, first=turn == 0)
    names = [f"{method} {solver}" for method, solver in RUNS] + ["full", "acceleration", "splu", "σ_min"]
    print(f"{'loops':>5} {'n + m':>6} {'build':>8} {'compile':>8}", *(f"{name:>13}" for name in names), f"{'error':>9}")
    print(f"{'':>5} {'':>6} {'ms':>8} {'ms':>8}", *(f"{'µs':>13}" for _ in names))
    errors = {}
    for case in cases:
        size, times = case.system.n + case.system.model.m, case.times
        errors[case.loops] = error(case)
        print(f"{case.loops:5d} {size:6d} {times['build'] * 1e3:8.0f} {times['compile'] * 1e3:8.0f}", end=" ")
        print(*(f"{times[name] * 1e6:13.1f}" for name in names), f"{errors[case.loops]:9.1e}")
    slopes = {name: exponent(cases, name) for name in names} if len(cases) > 1 else {}
    print(f"{'exponent (at most 1.1)':>30}", *(f"{slope:13.2f}" for slope in slopes.values()))
    last = cases[-1].times
    print(
        f"{cases[-1].loops} loops: full matrices take {last['full'] / last['rk4 kkt']:.0f} × the time of a sparse step,"
        f" SciPy's sparse LU {last['splu'] / last['acceleration']:.0f} × that of an acceleration"
    )
    if arguments.json:
        table = {case.loops: case.times | {"error": errors[case.loops]} for case in cases}
        arguments.json.write_text(json.dumps({"seconds": table, "exponents": slopes}, indent=2) + "\n")


if __name__ == "__main__":
    main()
