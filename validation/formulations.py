"""Classical formulations against Gauss's principle at random admissible states of every scenario.

    python validation/formulations.py --count 1000 --seed 1 --json validation/formulations.json

States are drawn about each scenario's start and projected on its constraints (`gauss.analysis.states`). At each, the
acceleration by Gauss's principle is compared with those of all classical formulations that apply, within the rounding
bound 100·eps·n·cond·scale of that state. A scenario passes when every comparison holds and at least two formulations
beyond Lagrange's first kind answered, one of them with other coordinates or other derivatives. Scenarios that have no
regular or redundant state about their start (all positions are locked) are listed, not passed: no formulation is an
oracle there. Figures stored in the file are the largest ratio of error to bound and how many states were compared.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from campaign import options_of, origin, store
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from proofs import whole

from gauss.analysis.crosscheck import crosscheck_at
from gauss.analysis.crosscheck_formulations import SAME_NUMBERS
from gauss.analysis.states import random_states
from gauss.errors import InconsistentStateError
from gauss.scenario import names

FIRST_KIND = "Lagrange, first kind"


def examined(name, count, seed):
    """Return the record of one scenario."""
    scenario = whole(name)
    s, before = scenario.start, time.perf_counter()
    start = (scenario.system, s.q, s.v, s.t)
    try:
        found = random_states(*start, count, seed)
    except InconsistentStateError as error:
        return {"status": "no regular state", "text": str(error), "witnesses": []}
    claims = crosscheck_at(scenario.system, found.states, minimal=scenario.minimal)
    witnesses = [
        {
            "formulation": claim.name.removeprefix("acceleration agrees with "),
            "max_error_over_bound": claim.error / claim.bound if claim.bound else claim.error,
            "error_there": claim.error,
            "reason": claim.reason,
            "holds": claim.holds,
        }
        for claim in claims
    ]
    others = [w for w in witnesses if w["formulation"] != FIRST_KIND]
    enough = len(others) >= 2 and any(SAME_NUMBERS not in w["reason"] for w in others)
    status = "agrees" if enough and all(w["holds"] for w in witnesses) else "fails"
    seconds = round(time.perf_counter() - before, 2)
    return {"status": status, "redrawn": found.redrawn, "witnesses": witnesses, "seconds": seconds}


def show(console, records):
    """Print one row for each scenario: its status and the worst of its comparisons."""
    table = Table(title="formulations against Gauss's principle")
    for heading in ("scenario", "status", "formulations", "with other derivatives", "worst error/bound", "by"):
        table.add_column(heading)
    for name, record in records.items():
        witnesses = record["witnesses"]
        worst = max(witnesses, key=lambda w: w["max_error_over_bound"], default=None)
        other = sum(SAME_NUMBERS not in w["reason"] for w in witnesses)
        ratio = "" if worst is None else f"{worst['max_error_over_bound']:.3g}"
        by = "" if worst is None else worst["formulation"]
        table.add_row(name, record["status"], str(len(witnesses)), str(other), ratio, by)
    console.print(table)


def stored(options):
    """Return the records that the JSON file holds already, with the same count and seed."""
    if options.json is None or not options.json.is_file():
        return {}
    found = json.loads(options.json.read_text(encoding="utf-8"))
    return found["scenarios"] if (found["count"], found["seed"]) == (options.count, options.seed) else {}


def write(options, records):
    """Write the JSON file."""
    result = {
        "count": options.count,
        "seed": options.seed,
        **origin("numpy", "scipy", "casadi"),
        "scenarios": dict(sorted(records.items())),
    }
    store(options.json, result)


def main():
    """Examine all scenarios, print the table, write the JSON file; return 1 if one fails."""
    some = ("--scenarios", {"nargs": "+", "default": names(), "help": "names; the results of others stay in the file"})
    options = options_of(__doc__, 1000, 1, "states of each scenario", some)
    console = Console(width=140)
    records, kept = {}, stored(options)
    for name in options.scenarios:
        records[name] = examined(name, options.count, options.seed)
        console.print(f"{name}: {records[name]['status']}")
        write(options, kept | records)
    show(console, records)
    return 1 if any(record["status"] == "fails" for record in records.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
