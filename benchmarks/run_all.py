"""All benchmarks, each in a process of its own: one table of ratios, exponents, times and memory, and stored results.

    python benchmarks/run_all.py [--only step_cost whole_runs] [--quick]

Each script stores its numbers in its own JSON file beside it; `run_all.json` has the table, with the versions that it
belongs to, and the figure of work and precision goes to docs/figures. `--quick` takes smaller sizes and fewer rounds,
and stores nothing. Peers that are not installed (the extra `bench`) are left out with a line.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from problems import versions

HERE = Path(__file__).resolve().parent
FULL = {"work_precision": ["--figure", str(HERE.parent / "docs/figures/work_precision.png")]}
PEERS = ("heyoka", "mujoco", "pinocchio")
QUICK = {
    "step_cost": ["--steps", "5000"],
    "whole_runs": ["--rounds", "2"],
    "ensembles": ["--members", "1", "20", "--rounds", "1"],
    "chain_scaling": ["--loops", "10", "40", "--rounds", "1"],
    "body_chain": ["--links", "10", "100", "--rounds", "1"],
    "discs": ["--counts", "20", "--t-end", "0.2"],
    "work_precision": ["--rounds", "1"],
    "robots": ["--rounds", "1"],
}  # scripts, and their arguments for a quick look


def headlines(name: str, found: dict[str, Any]) -> dict[str, float]:
    """The numbers of a script that go into the table."""
    if name == "step_cost":
        return {key: found[key] for key in ("kkt_ratio", "osqp_ratio")}
    if name == "whole_runs":
        keys = ("osqp/solve_ivp", "osqp/alone", "kkt/alone")
        return {f"{problem}: {key}": r[key] for problem, r in found.items() for key in keys if key in r}
    if name == "ensembles":
        keys = ("pair", "taylor", "taylor, times", "pair/single", "taylor/series", "wall, ratio", "memory")
        return {f"{count} members: {key}": r[key] for count, r in found.items() for key in keys if key in r}
    if name in ("chain_scaling", "body_chain"):
        return {f"exponent of {key}": slope for key, slope in found["exponents"].items()}
    if name == "robots":
        numbers = {robot: r for robot, r in found.items() if "us" in r}
        own = {f"{robot}: {key} us": x for robot, r in numbers.items() for key, x in r["us"]["gauss"].items()}
        ratios = {f"{robot}: {key}": x for robot, r in numbers.items() for key, x in r["ratios"].items()}
        whole = {f"{robot}: {key}": r[key] for robot, r in numbers.items() for key in ("first s", "motion ms")}
        return own | ratios | whole
    if name == "discs":
        best = {count: next(iter(entry.values())) for count, entry in found["runs"].items()}
        return {f"{count} discs: {key}": r[key] for count, r in best.items() for key in ("ms_per_step", "residual")}
    return {
        f"{problem}: {key}, {program}": ms
        for problem, entry in found.items()
        for key in entry
        if key.startswith("ms")
        for program, ms in entry[key].items()
    }


def run(name: str, arguments: list[str]) -> tuple[dict[str, Any], float]:
    """The JSON of a script, and the largest memory of its process in MB. Raises CalledProcessError where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "found.json"
        command = [sys.executable, str(HERE / f"{name}.py"), "--json", str(file), *arguments]
        process = subprocess.Popen(command, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise subprocess.CalledProcessError(os.waitstatus_to_exitcode(status), command)
        unit = 1e6 if sys.platform == "darwin" else 1e3
        return json.loads(file.read_text(encoding="utf-8")), usage.ru_maxrss / unit


def store(name: str, numbers: dict[str, float]) -> None:
    """Lay the numbers of a script into the stored table, with the versions that they belong to."""
    file = HERE / "run_all.json"
    table = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    table[name] = {"versions": versions(), "numbers": numbers}
    file.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=QUICK, default=list(QUICK), help="names of scripts")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    absent = [peer for peer in PEERS if importlib.util.find_spec(peer) is None]
    if absent:
        print(f"not installed, and left out: {', '.join(absent)} (pip install gauss-dynamics[bench])")
    table: dict[str, dict[str, float]] = {}
    failed: list[str] = []
    for name in given.only:
        print(f"== {name}", flush=True)
        more = ["--mujoco", sys.executable] if name == "discs" and "mujoco" not in absent else []
        try:
            found, memory = run(name, [*(QUICK if given.quick else FULL).get(name, []), *more])
        except subprocess.CalledProcessError as error:
            failed.append(f"{name} failed with exit status {error.returncode}")
            continue
        table[name] = headlines(name, found) | {"memory of the process / MB": memory}
        if not given.quick:
            (HERE / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
            store(name, table[name])
    print()
    for name, numbers in table.items():
        for key, number in numbers.items():
            print(f"{name:16}{key:38}{number:12.4g}")
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
