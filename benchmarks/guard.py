"""Guard against losses of speed: processor times of whole calls as ratios to a baseline, against stored ratios.

    python benchmarks/guard.py [--only P1 P2] [--rounds 5]      # fails with a sentence for each loss
    python benchmarks/guard.py --store                          # stores new ratios in guard.json

Calls inside this process are compared with SciPy's `solve_ivp` of a double pendulum with equations by hand (interpreter
and small LAPACK calls, as the package's own work), fresh processes with one that imports `scipy.linalg`. Baseline and
call take turns; the median of all rounds counts. What seems lost is measured again, and the smaller ratio counts.

The margin of 2 stands between what is no loss and what is one. On two cores with load averages of 7 to 11 the medians
of ten runs stayed within 14 % of their middle (`contact`: 21 %); other releases, processors and disks are granted three
times as much. A double pendulum that once took its steps one by one went from 0.30 to 0.77, by 2.6.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path

import numpy as np
from discs import funnel
from problems import ORIGIN, Problem, chain, flat_chain, milliseconds, particles, problems, versions

import gauss as g

MARGIN = 2.0
STORED = Path(__file__).with_suffix(".json")
PENDULUM = """
import gauss as g
energies = {"kinetic_energy": lambda v: 0.5 * (v.x**2 + v.y**2), "potential_energy": lambda q: 9.81 * q.y}
rod = g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)
pendulum = g.System("pendulum", "x y", constraints=[rod], **energies)
g.accelerate(pendulum, [1.0, 0.0])
g.simulate(pendulum, [1.0, 0.0], t_end=1.0)
"""

Clock = Callable[[], float]  # does something and returns its processor time in ms


def inside(work: Callable[[], object]) -> Clock:
    """The clock of a call in this process."""
    return partial(milliseconds, work)


def fresh(*arguments: str) -> Clock:
    """The clock of a fresh Python process, whose modules are compiled in the first round."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def clock() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    return clock


def belt() -> g.System:
    """A block on a running belt, held by a spring, that sticks and slips."""
    friction = g.Coulomb(0.3, lambda v: v.x - 0.5, static=0.5)
    return g.System(
        "block on a belt",
        "x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        potential_energy=lambda q: 9.81 * q.z + 50.0 * q.x**2,
        constraints=[g.Unilateral("belt", lambda q: q.z, restitution=0.3, friction=friction)],
    )


@cache
def long_chain() -> Problem:
    """A chain of 1,000 links of 1 m."""
    return chain(1000, link=1.0)


def cases() -> dict[str, tuple[Clock, Clock]]:
    """What is guarded, and its baseline, by name."""
    known, block, scene = problems("P1", "P2", "P3", "P6"), belt(), funnel().scene(20)
    double, linkage = known["P2"], known["P3"]
    bars = [(0, None, 1.0, ORIGIN), (1, 0, 2.0, ORIGIN), (1, None, 1.0, (2.0, 0.0))]
    loops = flat_chain(20)
    flat = particles("flat parallelogram", [1.0, 0.0, 3.0, 0.0], 1.0, bars)
    rates, times = np.outer(np.linspace(0.0, 1.0, 20), [0.0, 1.0, 0.0, 2.0]), [0.0, 1.0]
    working = {name: problem.simulate for name, problem in known.items()} | {
        "new model": lambda: particles("pendulum", [1.0, 0.0], 1.0, [(0, None, 1.0, ORIGIN)]).simulate(),
        "verdict": lambda: [g.classify(linkage.system, linkage.q) for _ in range(5)],
        "clear verdict": lambda: [g.classify(linkage.system, linkage.q) for _ in range(100)],
        "clear acceleration": lambda: [g.accelerate(linkage.system, linkage.q) for _ in range(10)],
        "20 flat loops": lambda: g.classify(loops.system, loops.q),
        "singular verdict": lambda: g.classify(flat.system, flat.q),
        "chain of 1,000": lambda: long_chain().simulate(solver="kkt"),
        "contact": lambda: g.simulate(block, [0.0, 0.0], [0.5, 0.0], t_end=3.0, progress="none"),
        "ensemble of 20": lambda: g.motion.simulate_many(double.system, double.q, rates, times=times),
        "20 discs": lambda: g.nonsmooth.moreau(scene, step=5e-3, t_end=0.2),
    }
    starting = {
        "import gauss": ("-c", "import gauss"),
        "gauss list": ("-m", "gauss", "list"),
        "first answer": ("-c", PENDULUM),
        "gauss run": ("-m", "gauss", "run", "chaplygin_skater", "--no-plot"),
    }
    steps, loading = inside(double.solve_ivp), fresh("-c", "import scipy.linalg")
    return {name: (inside(work), steps) for name, work in working.items()} | {
        name: (fresh(*arguments), loading) for name, arguments in starting.items()
    }


def measured(guarded: Mapping[str, tuple[Clock, Clock]], rounds: int) -> dict[str, float]:
    """The median ratio of each case to its baseline, in turns; the first round compiles and does not count."""
    found: dict[str, list[float]] = {name: [] for name in guarded}
    for turn in range(rounds + 1):
        for name, (case, baseline) in guarded.items():
            ratio = case() / baseline()
            if turn:
                found[name].append(ratio)
    return {name: statistics.median(each) for name, each in found.items()}


def losses(stored: Mapping[str, float], found: Mapping[str, float]) -> dict[str, str]:
    """A sentence for each case whose ratio is more than MARGIN times the stored one, or that has none."""
    said = {}
    for name, ratio in found.items():
        if name not in stored:
            said[name] = f"{name} has no stored ratio: run `python benchmarks/guard.py --store`."
        elif not ratio <= MARGIN * stored[name]:
            times = f"{ratio / stored[name]:.1f} times the stored {stored[name]:.3g}"
            said[name] = f"{name} takes {ratio:.3g} of its baseline's time, {times}; at most {MARGIN} times is allowed."
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", help="names of cases")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--store", action="store_true")
    given = parser.parse_args()
    guarded = {name: case for name, case in cases().items() if not given.only or name in given.only}
    found, file = measured(guarded, given.rounds), json.loads(STORED.read_text(encoding="utf-8"))
    stored = file["ratios"]
    if not given.store:
        suspects = {name: guarded[name] for name in losses(stored, found)}
        found |= {name: min(ratio, found[name]) for name, ratio in measured(suspects, given.rounds).items()}
    for name, ratio in found.items():
        print(f"{name:18}{ratio:8.3f}  stored {stored.get(name, float('nan')):8.3f}")
    if given.store:
        file = {"versions": versions(), "ratios": stored | found}
        STORED.write_text(json.dumps(file, indent=1) + "\n", encoding="utf-8")
    elif said := losses(stored, found):
        if file["versions"] != versions():
            print(f"stored with {file['versions']}, measured with {versions()}")
        sys.exit("\n".join(said.values()))


if __name__ == "__main__":
    main()
