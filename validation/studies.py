"""Studies that are killed: nothing is lost but portions under way, nothing repeated, and the numbers stay the same.

    python validation/studies.py --count 10000 --kills 5 --json validation/studies.json

A double pendulum is followed from `count` starts and with as many lengths, each measured. Every computation is noted in
a log, by the process that does it.

*killed*: the study is computed by two processes into a Zarr file and killed (SIGKILL) at `kills` random moments, called
again each time, and then left to its end. Every point must have its result, the table must be that of a study in one
process and in memory to the bit, and no point may have been computed more than once but in portions that were under way
at a kill: after each kill at most those of two processes, and what they had sent and the parent had not yet written.

*dask*: the same by two workers of a Dask cluster in processes of their own, in the same numbers to the bit.

*speed*: the processor time of one process over that of the busier one of two, which divides the wall time where nobody
else needs the processors, and the ratio of wall times as it was: `repetitions` times; the best must reach 1.8.

*failing*: of points some have an impossible start, some a function that fails, and some end their process: each is
stored with its error, and the others are not touched.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from campaign import origin, store

import gauss as g

LOG = "GAUSS_STUDY_LOG"  # the environment variable that names the log of computations
LONGEST = 0.2  # s after a random number of computations, within which a kill comes
PORTIONS = 5  # that two processes may have had at a kill: two each computes, one waits, and those that had come back


def double_pendulum() -> g.System:
    """Two rods of the length 1 m and l with a particle each."""
    return g.System(
        "double pendulum",
        "a b",
        parameters={"l": 1.0},
        kinetic_energy=lambda q, v, p: v.a**2 + 0.5 * p.l**2 * v.b**2 + p.l * v.a * v.b * g.cos(q.a - q.b),
        potential_energy=lambda q, p: -9.81 * (2.0 * g.cos(q.a) + p.l * g.cos(q.b)),
    )


def noted(run: g.Trajectory) -> float:
    """Note a computation in the log; return the largest angle of the second rod."""
    if LOG in os.environ:
        line = f"{os.getpid()} {run.about.parameters['l']!r} {float(run['a'][0])!r}\n".encode()
        file = os.open(os.environ[LOG], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, line)
        os.close(file)
    return float(np.max(np.abs(run["b"])))


def end(run: g.Trajectory) -> np.ndarray:
    """Return the last state."""
    return np.concatenate([run.q[-1], run.v[-1]])


def study(count: int, t_end: float = 2.0, **options):
    """Compute the study, or what is missing of it."""
    side = round(count**0.5)
    grid = {"l": np.linspace(0.5, 1.5, side), "a": np.linspace(0.1, 2.5, side)}
    measure = {"largest": noted, "last": end}
    return g.sweep(
        double_pendulum(), g.Start([0.0, 0.0], t_end=t_end), grid, measure=measure, progress="none", **options
    )


def different(one, other) -> list[str]:
    """Return the names of what is not the same to the bit in two tables."""
    names = sorted({*map(str, one.variables), *map(str, other.variables)})

    def same(name: str) -> bool:
        a, b = (x[name].values if name in x.variables else None for x in (one, other))
        if a is None or b is None or a.shape != b.shape:
            return False
        return a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()

    return [name for name in names if not same(name)]


def lines_of(log: Path) -> int:
    """Return how many computations are noted."""
    return log.read_bytes().count(b"\n") if log.exists() else 0


def killed(count: int, kills: int, seed: int, folder: Path, reference) -> dict:
    """Kill a study again and again, and look at what is left."""
    out, log = folder / "study.zarr", folder / "log"
    command = [sys.executable, __file__, "--child", str(out), "--count", str(count)]
    environment, random = os.environ | {LOG: str(log)}, np.random.default_rng(seed)
    done = []
    for k in range(kills):
        target = (k + random.uniform(0.2, 1.0)) * count / kills
        child = subprocess.Popen(command, env=environment)
        while child.poll() is None and lines_of(log) < target:
            time.sleep(0.001)
        time.sleep(float(random.uniform(0.0, LONGEST)))
        child.send_signal(signal.SIGKILL)
        child.wait()
        time.sleep(1.0)  # for the processes that were left alone to note that
        done.append(lines_of(log))
    subprocess.run(command, env=environment, check=True)
    lines = [line.partition(" ")[2] for line in log.read_text().splitlines()]
    times = Counter(lines)
    table = study(count, out=out)  # complete: nothing is computed
    portion = int(np.prod(json.loads(json.loads((out / "zarr.json").read_text())["attributes"]["chunk"])))
    again = len(lines) - len(times)
    return {
        "points": count,
        "kills": kills,
        "computed before each kill": done,
        "finished": int(np.sum(table["ending"].values == "finished")),
        "portion": portion,
        "computed": len(lines),
        "points computed": len(times),
        "computed again": again,
        "allowed again": kills * PORTIONS * portion,
        "different": different(table, reference),
        "failures": [
            *(["points without result"] if np.any(table["ending"].values != "finished") else []),
            *(["computed again"] if again > kills * PORTIONS * portion else []),
            *(["different"] if different(table, reference) else []),
        ],
    }


def by_dask(count: int, folder: Path, reference) -> dict:
    """Compute the study by two Dask workers."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0")
    with cluster, Client(cluster) as client:
        begin = time.perf_counter()
        table = study(count, out=folder / "dask.zarr", client=client)
        seconds = time.perf_counter() - begin
    wrong = different(table, reference)
    return {"points": count, "seconds": seconds, "different": wrong, "failures": ["different"] if wrong else []}


def process(run: g.Trajectory) -> float:
    """Return which process this is."""
    return float(os.getpid())


def used(run: g.Trajectory) -> float:
    """Return the processor time of this process so far, s."""
    return time.process_time()


def speed(repetitions: int) -> dict:
    """Compare one process with two."""
    ratios, walls = [], []
    side = 20
    grid = {"l": np.linspace(0.5, 1.5, side), "a": np.linspace(0.1, 2.5, side)}
    options = {"measure": {"largest": noted, "process": process, "used": used}, "progress": "none"}
    for k in range(repetitions + 1):
        spent, wall = {}, {}
        for jobs in (1, 2):
            begin = time.perf_counter()
            table = g.sweep(double_pendulum(), g.Start([0.0, 0.0], t_end=30.0), grid, jobs=jobs, **options)
            wall[jobs] = time.perf_counter() - begin
            each = [table["used"].values[table["process"].values == x] for x in np.unique(table["process"].values)]
            spent[jobs] = max(float(np.ptp(x)) for x in each)
        if k:  # the first time all processes compile the system
            ratios.append(spent[1] / spent[2])
            walls.append(wall[1] / wall[2])
    return {
        "points": side**2,
        "ratio of processor times": ratios,
        "ratio of wall times": walls,
        "load of others and this": os.getloadavg()[0],
        "processors": os.cpu_count(),
        "failures": [] if max(ratios) >= 1.8 else ["ratio"],
    }


def fatal(run: g.Trajectory) -> float:
    """End the process at one length, fail at another."""
    if run.about.parameters["l"] == 0.6:
        os.kill(os.getpid(), signal.SIGKILL)
    return 1.0 / (run.about.parameters["l"] - 0.7)


def failing(folder: Path) -> dict:
    """Look at what becomes of points that fail."""
    rod = g.System(
        "rod",
        "x y",
        parameters={"l": 1.0},
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: 9.81 * q.y,
        constraints=[g.Holonomic("rod", lambda q, p: q.x**2 + q.y**2 - p.l**2)],
    )
    lengths = [0.5, 0.6, 0.7, 0.8, 0.9]

    def start(l: float) -> g.Start:
        return g.Start([l if l != 0.8 else 5.0, 0.0], t_end=1.0)

    options = {"measure": {"m": fatal}, "jobs": 2, "out": folder / "failing.zarr", "progress": "none"}
    table = g.sweep(rod, start, {"l": lengths}, **options)
    endings, messages = table["ending"].values.tolist(), table["message"].values.tolist()
    right = endings == ["finished", "failed", "failed", "refused", "finished"]
    words = ("process", "ZeroDivisionError", "'rod'")
    told = all(word in message for word, message in zip(words, messages[1:4], strict=True))
    failures = [*([] if right else ["endings"]), *([] if told else ["messages"])]
    return {"endings": endings, "messages": messages, "failures": failures}


def main() -> int:
    """Run all parts; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="points, a square")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        study(options.count, out=options.child, jobs=2)
        return 0
    folder = Path(tempfile.mkdtemp())
    try:
        reference = study(options.count)
        result = {"seed": options.seed, **origin("zarr", "distributed", "loky")}
        result["killed"] = killed(options.count, options.kills, options.seed, folder, reference)
        result["dask"] = by_dask(options.count, folder, reference)
        result["speed"] = speed(options.repetitions)
        result["failing"] = failing(folder)
    finally:
        shutil.rmtree(folder)
    print(json.dumps(result, indent=1, ensure_ascii=False))
    store(options.json, result)
    return int(any(part["failures"] for part in result.values() if isinstance(part, dict) and "failures" in part))


if __name__ == "__main__":
    sys.exit(main())
