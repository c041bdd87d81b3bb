"""Processor time of whole runs to a relative error of about 1e-9, against the same steps alone, side by side.

    python benchmarks/whole_runs.py [--only P1 P3] [--rounds 5] [--json FILE]

The problems are those of `problems.py`. `osqp` solves the quadratic program of every recorded state, `kkt` does not;
both certify every state, decide the verdict at the start and look out for singular positions. `alone` are as many trial
steps of the same compiled function, one call for 64 of them, with nothing asked of them: what a run costs beside it is
the price of trust. `solve_ivp` is SciPy's DOP853 with equations by hand at the same tolerance, which certifies nothing
and drifts off the constraints. Models are built and compiled before; problems take their turns in each round and the
best round counts, as the machine may be busy.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from problems import MAKERS, milliseconds, problems

import gauss as g
from gauss.model.compiled.steps.taylor import Reach
from gauss.motion.steps.steppers import FusedStepper

BLOCK = 64
LARGE = 20  # coordinates, beyond which equations by hand on full matrices take minutes


def alone(run: g.Trajectory) -> Callable[[], object]:
    """As many trial steps as a run has taken, from its start, without anything beside them."""
    setting = run.setting
    stepper = FusedStepper(setting, tuple(np.flatnonzero(run.active[0]).tolist()))
    x = np.concatenate([[run.t[0]], run.q[0], run.v[0]])
    step = float(np.median(np.diff(run.t)))

    def steps() -> None:
        for _ in range(0, len(run), BLOCK):
            stepper.trials(x, step, Reach(np.inf, step, BLOCK))

    return steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=MAKERS, default=[], help="names of problems")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    calls: dict[str, dict[str, Callable[[], object]]] = {}
    found: dict[str, dict[str, float]] = {}
    for name, problem in problems(*given.only).items():
        first = problem.simulate()
        calls[name] = {
            "osqp": problem.simulate,
            "kkt": partial(problem.simulate, solver="kkt"),
            "alone": alone(first),
        }
        if problem.system.n <= LARGE:
            calls[name]["solve_ivp"] = problem.solve_ivp
        found[name] = {"steps": len(first) - 1}
    for _ in range(given.rounds + 1):  # the first round compiles
        for name, each in calls.items():
            for key, work in each.items():
                found[name].setdefault(key, np.inf)
                found[name][key] = min(found[name][key], milliseconds(work))
    keys = ("osqp", "kkt", "alone", "solve_ivp")
    ratios = [(a, b) for b in ("alone", "solve_ivp") for a in ("osqp", "kkt")]
    print(f"{'problem':8}{'steps':>7}", *(f"{k + ' ms':>13}" for k in keys), *(f"{a}/{b}".rjust(14) for a, b in ratios))
    for name, r in found.items():
        quotients = {f"{a}/{b}": r[a] / r[b] for a, b in ratios if b in r}
        print(f"{name:8}{r['steps']:7d}", *(f"{r[k]:13.2f}" if k in r else f"{'–':>13}" for k in keys), end=" ")
        print(*(f"{x:14.2f}" for x in quotients.values()))
        r |= quotients
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
