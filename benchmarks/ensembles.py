"""Motions of many members: processor time and memory of `simulate_many` for each member, beside single runs.

    python benchmarks/ensembles.py [--members 1 10 100 1000] [--rounds 3] [--json FILE]

Members are double pendulums (P2) let go from the horizontal with different velocities, for 1 s, with 11 states each.
`single` is one `simulate` after the other of the same starts, `solve_ivp` SciPy's DOP853 with equations by hand, each
of at most 20 members. Memory is the largest that Python's allocator held during the call beyond what it held before.
"""

from __future__ import annotations

import argparse
import json
import tracemalloc
from pathlib import Path

import numpy as np
from problems import milliseconds, problems

import gauss as g

FEW = 20  # members that are enough for the time of one
TIMES = np.linspace(0.0, 1.0, 11)  # s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--members", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    double = problems("P2")["P2"]._replace(t_end=1.0)
    g.motion.simulate_many(double.system, double.q, times=TIMES)  # compiles
    found: dict[int, dict[str, float]] = {}
    for count in given.members:
        rates = np.outer(np.linspace(0.0, 1.0, count), [0.0, 1.0, 0.0, 2.0])
        few = [double._replace(v=v) for v in rates[:FEW]]
        times: dict[str, float] = {}
        works = {
            "many": (count, lambda v=rates: g.motion.simulate_many(double.system, double.q, v, times=TIMES, rtol=1e-9)),
            "single": (len(few), lambda few=few: [member.simulate() for member in few]),
            "solve_ivp": (len(few), lambda few=few: [member.solve_ivp() for member in few]),
        }
        for _ in range(given.rounds):
            for name, (members, work) in works.items():
                times[name] = min(milliseconds(work) / members, times.get(name, np.inf))
        tracemalloc.start()
        works["many"][1]()
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        ratios = {f"many/{other}": times["many"] / times[other] for other in ("single", "solve_ivp")}
        found[count] = times | ratios | {"memory": memory / count / 1e3}
    print(f"{'members':>7}{'many ms':>10}{'single ms':>11}{'many/single':>13}{'many/solve_ivp':>16}{'kB/member':>11}")
    for count, r in found.items():
        print(f"{count:7d}{r['many']:10.2f}{r['single']:11.2f}{r['many/single']:13.2f}", end="")
        print(f"{r['many/solve_ivp']:16.2f}{r['memory']:11.1f}")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
