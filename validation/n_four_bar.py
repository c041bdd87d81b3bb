"""IFToMM benchmark A02: N four-bar linkages, 20 s through their flat positions, against the exact motion.

    python validation/n_four_bar.py --loops 1 2 5 10 40 --json validation/n_four_bar.json

All N + 1 rockers stay parallel, and their angle is that of a pendulum in closed form (`scenarios/four_bar_chain.py`).
The linkages start upright with 1 m/s and come to a flat position, where N rows are lost, at each half turn. Recorded
are the largest errors of positions (m), velocities (m/s) and accelerations (m/s²) over all recorded states, the flat
positions that were logged against those that the closed form has, the error of their times, and seconds of computing.
A number of loops that is in the JSON file is not computed again (--fresh does).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
from campaign import origin, store
from scipy.optimize import brentq

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

from proofs import together  # noqa: E402

import gauss as g  # noqa: E402

points = together("four_bar_chain")
angle, chain, constant, positions = points.angle, points.chain, points.constant, points.positions

END = 20.0  # s, as the benchmark asks
LOOKS = 4000  # times at which the closed form is looked at for flat positions


def flat_times(loops, end):
    """Times at which the closed form passes θ = kπ."""

    def sine(t):
        return float(np.sin(angle(t, loops)))

    t = np.linspace(1e-9, end, LOOKS)
    values = np.array([sine(x) for x in t])
    return [
        brentq(sine, a, b, xtol=1e-14) for a, b, u, w in zip(t, t[1:], values, values[1:], strict=False) if u * w < 0
    ]


def exact(t, loops):
    """Positions, velocities and accelerations (k, 2N + 2) of the closed form; its rate from the energy integral."""
    theta, c = angle(t, loops), constant(loops)
    rate = -np.sqrt(1.0 + 2.0 * c * (1.0 - np.sin(theta)))
    turning = -c * np.cos(theta)
    along, across = np.array([-np.sin(theta), np.cos(theta)]), np.array([np.cos(theta), np.sin(theta)])
    v, a = along * rate, along * turning - across * rate**2
    return positions(loops, theta).T, np.tile(v.T, loops + 1), np.tile(a.T, loops + 1)


def measured(loops, end, rtol, solver):
    """The run of one chain and its errors."""
    system = chain(loops)
    before = time.perf_counter()
    run = g.simulate(
        system,
        positions(loops, np.pi / 2),
        np.tile([1.0, 0.0], loops + 1),
        t_end=end,
        rtol=rtol,
        solver=solver,
        progress="none",
    )
    seconds = time.perf_counter() - before
    true = exact(run.t, loops)
    found = (run.q, run.v, run.a)
    flat = np.array(flat_times(loops, end))
    logged = np.array([event.t for event in run.events if event.kind == "singular"])
    same = flat.size == logged.size
    return {
        "ending": run.ending.kind,
        "t": float(run.t[-1]),
        "steps": len(run),
        "position": float(np.max(np.abs(found[0] - true[0]))),
        "velocity": float(np.max(np.abs(found[1] - true[1]))),
        "acceleration": float(np.max(np.abs(found[2] - true[2]))),
        "flat_positions": int(flat.size),
        "logged": int(logged.size),
        "time_of_flat": float(np.max(np.abs(flat - logged), initial=0.0)) if same else None,
        "seconds": seconds,
    }


def main():
    """Run the chains and write their errors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loops", type=int, nargs="+", default=[1, 2, 5, 10, 40])
    parser.add_argument("--t-end", type=float, default=END)
    parser.add_argument("--rtol", type=float, default=1e-10)
    parser.add_argument("--solver", default="kkt")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--fresh", action="store_true")
    given = parser.parse_args()
    settings = {"t_end": given.t_end, "rtol": given.rtol, "solver": given.solver}
    results = {}
    if given.json is not None and given.json.exists() and not given.fresh:
        stored = json.loads(given.json.read_text())
        results = stored["results"] if stored["settings"] == settings else {}
    for loops in given.loops:
        if str(loops) not in results:
            results[str(loops)] = measured(loops, given.t_end, given.rtol, given.solver)
        print(loops, results[str(loops)], flush=True)
        store(given.json, {"settings": settings, **origin("numpy"), "results": results})


if __name__ == "__main__":
    main()
