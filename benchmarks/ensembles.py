"""Motions of many members: processor time and memory of `simulate_many` for each member, beside single runs.

    python benchmarks/ensembles.py [--members 1 10 100 1000] [--jobs 2] [--rounds 3] [--json FILE]

Members are four-bar linkages (P3) from one position with different velocities, for 5 s to 1e-9, with 21 states each.
`pair` and `taylor` are the steps of the members (`taylor` where heyoka is installed), `taylor, times` solves the
quadratic programs of the 21 states only, `taylor, kkt` none; each certifies every step. `single` is one `simulate`
after the other of the same starts, `solve_ivp` SciPy's DOP853 with equations by hand, each of at most 20 members, and
`series` the bare Taylor steps of all members by heyoka's batches, without projection, certificate, table or anything.
`wall` compares the time on the clock of one process with that of `--jobs`, of their first call, in which each loads and
compiles everything, and of the next, for the largest number of members. Memory is the largest that Python's allocator
held during the call beyond what it held before.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
from problems import Problem, milliseconds, problems

import gauss as g
from gauss.motion import side_by_side

PORTION = 125  # members, as of 1,000 in one call
FEW = 20  # members that are enough for the time of one
TIMES = np.linspace(0.0, 5.0, 21)  # s
ASKED = {
    "pair": {},
    "taylor": {"method": "taylor"},
    "taylor, times": {"method": "taylor", "solve_at": "times"},
    "taylor, kkt": {"method": "taylor", "solver": "kkt"},
}


def velocities(bar: Problem, count: int) -> np.ndarray:
    """Velocities (count, 4) that the rows admit."""
    J = bar.system.model.terms(np.array(bar.q), np.zeros(4), 0.0, np.zeros(0)).J
    return np.outer(np.linspace(-2.0, 2.0, count), np.linalg.svd(J)[2][3])


def bare_series(system: g.System, q: np.ndarray, v: np.ndarray) -> Callable[[], object]:
    """The steps of `taylor` alone."""
    theta = np.tile(system.theta(), (len(v), 1))
    _, group = side_by_side._group(system, np.tile(q, (len(v), 1)), v, theta, TIMES, method="taylor", rtol=1e-9)
    s, compiled, reach = group.setting, group.stepper.compiled, side_by_side.Reach(group.t_end, group.most, 256)
    shorter, parts = np.zeros(PORTION, dtype=int), np.split(np.arange(len(v)), range(PORTION, len(v), PORTION))

    def steps() -> None:
        for some in parts:
            side_by_side.series_of_many(s, compiled, group.x[some], reach, group.own.of(some), shorter[: some.size])

    return steps


def measured(count: int, rounds: int, asked: dict[str, dict[str, str]]) -> dict[str, float]:
    """Times for each member in ms, their ratios, and memory for each member in kB."""
    bar = problems("P3")["P3"]
    q, free = (
        np.array(bar.q),
        np.linalg.svd(bar.system.model.terms(np.array(bar.q), np.zeros(4), 0.0, np.zeros(0)).J)[2],
    )
    v = np.outer(np.linspace(-2.0, 2.0, count), free[3])

    def many(**options: object) -> object:
        return g.motion.simulate_many(bar.system, q, v, times=TIMES, rtol=1e-9, progress="none", **options)

    few = [bar._replace(v=each.tolist()) for each in v[:FEW]]
    works: dict[str, tuple[int, Callable[[], object]]] = {
        name: (count, lambda options=options: many(**options)) for name, options in asked.items()
    }
    works["single"] = len(few), lambda: [member.simulate() for member in few]
    works["solve_ivp"] = len(few), lambda: [member.solve_ivp() for member in few]
    if "taylor" in asked:
        works["series"] = count, bare_series(bar.system, q, v)
    found: dict[str, float] = {}
    for work in works.values():  # compiles
        work[1]()
    for _ in range(rounds):
        for name, (members, work) in works.items():
            found[name] = min(milliseconds(work) / members, found.get(name, np.inf))
    for name in asked:
        found |= {f"{name}/{other}": found[name] / found[other] for other in ("single", "solve_ivp")}
        if "series" in found:
            found[f"{name}/series"] = found[name] / found["series"]
    tracemalloc.start()
    many(**asked["pair"])
    found["memory"] = tracemalloc.get_traced_memory()[1] / count / 1e3
    tracemalloc.stop()
    return found


def on_the_clock(count: int, jobs: int, method: str) -> dict[str, float]:
    """The time on the clock in s of one process and of several."""
    bar = problems("P3")["P3"]
    v, found = velocities(bar, count), {}
    for name, processes in (("1 job", 1), (f"{jobs} jobs, first", jobs), ("1 job", 1), (f"{jobs} jobs", jobs)):
        begin = time.perf_counter()
        options = {"times": TIMES, "rtol": 1e-9, "method": method, "progress": "none"}
        g.motion.simulate_many(bar.system, bar.q, v, jobs=processes, **options)
        found[f"wall, {name}"] = time.perf_counter() - begin
    return found | {"wall, ratio": found["wall, 1 job"] / found[f"wall, {jobs} jobs"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--members", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    heyoka = importlib.util.find_spec("heyoka") is not None
    asked = ASKED if heyoka else {"pair": {}}
    found = {count: measured(count, given.rounds, asked) for count in given.members}
    most = max(given.members)
    found[most] |= on_the_clock(most, given.jobs, "taylor" if heyoka else "dop853")
    for count, numbers in found.items():
        print(f"{count} members")
        for name, number in numbers.items():
            unit = "kB" if name == "memory" else "s" if name.startswith("wall, ") and "ratio" not in name else ""
            print(f"  {name:26}{number:10.3f} {unit or ('' if '/' in name or 'ratio' in name else 'ms')}")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
