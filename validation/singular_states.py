"""States near singular positions: verdicts and accelerations of `gauss.classify` against 50-digit arithmetic.

    python validation/singular_states.py --count 10000 --seed 11 --json validation/singular_states.json

Distances from the singular set are log-uniform between 1e-1 and 1e-14. A quarter of the states is exact but for
rounding, a quarter is moved in any direction by up to 1e-12, a quarter is moved across the branch as far as the
constraints do not see it and projected, a quarter is integrated towards the singular position. The truth is the
acceleration of the motion on the branch, from its parametrisation (`tests/singular_branches.py`). Counted are

* wrong: errors above the reported bound (and above what the state is off its branch explains by itself);
* falsely regular: wrong without a warning; falsely singular: a verdict other than regular far from the singular set;
* blank: a bound above the acceleration itself, so that no digit is claimed; silent: blank without a warning;
* failed: an exception; a state that is off its constraints by a share of its own size is rightly refused.

Worst errors and bounds are those of states that are not blank. The campaign goes on where it was interrupted: batches
that are in the JSON file are not computed again (--fresh does).
"""

from __future__ import annotations

import json
import sys
import time
import zlib
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

from campaign import options_of, origin, store  # noqa: E402
from near_states import KINDS, exact_trial, integrated_trials, judge, perturbed_trial, projected_trial  # noqa: E402
from singular_branches import BRANCHES  # noqa: E402

BATCH = 28  # states computed between two writes of the file
RUN = 14  # states of one integrated motion
ATTEMPTS = 12  # integrated motions tried for one batch; those that turn round give fewer states
COUNTS = (
    "states",
    "unique",
    "singular",
    "warned",
    "wrong",
    "falsely_regular",
    "falsely_singular",
    "blank",
    "silent",
    "failed",
)
WORST = ("relative_error", "relative_bound", "ratio")
CONTEXT = ("seed", "count", "branches")
REMEMBERED = 40  # states that went wrong, kept with all their numbers


def pairs():
    """All pairs of a branch and a kind of states; branches that no motion approaches have exact and perturbed ones."""
    return [(b, k) for b in BRANCHES for k in KINDS if k in ("exact", "perturbed") or b.approached]


def trials(branch, kind, seed, number):
    """The states of one batch."""
    rng = np.random.default_rng([seed, zlib.crc32(branch.name.encode()), KINDS.index(kind), number])
    if kind != "integrated":
        draw = {"exact": exact_trial, "perturbed": perturbed_trial, "projected": projected_trial}[kind]
        return [draw(branch, rng) for _ in range(BATCH)]
    found = []
    for _ in range(ATTEMPTS):
        found += integrated_trials(branch, rng, RUN)
        if len(found) >= BATCH:
            break
    return found[:BATCH]


def empty():
    """The record of no states."""
    return dict.fromkeys(COUNTS, 0) | dict.fromkeys(WORST, 0.0) | {"log10_ratio": {}, "verdicts": {}}


def counted(record, j):
    """Add one judgement to a record."""
    known = bool(np.isfinite(j.error))
    blank = known and j.bound > j.size
    flags = {
        "states": True,
        "unique": j.unique,
        "singular": bool(j.verdicts) and j.verdicts != ("regular",),
        "warned": j.warned and not j.failure,
        "wrong": j.wrong,
        "falsely_regular": j.falsely_regular,
        "falsely_singular": j.falsely_singular,
        "failed": bool(j.failure),
        "blank": blank,
        "silent": blank and not j.warned,
    }
    for name, flag in flags.items():
        record[name] += int(flag)
    verdict = "refused" if j.refused else j.failure or " and ".join(j.verdicts)
    record["verdicts"][verdict] = record["verdicts"].get(verdict, 0) + 1
    if known:
        values = (0.0, 0.0, j.ratio) if blank else (j.error / j.size, j.bound / j.size, j.ratio)
        for name, value in zip(WORST, values, strict=True):
            record[name] = max(record[name], float(value))
        decade = str(int(np.clip(np.ceil(np.log10(max(j.ratio, 1e-99))), -12, 3)))
        record["log10_ratio"][decade] = record["log10_ratio"].get(decade, 0) + 1


def merged(records):
    """The sum of records."""
    total = empty()
    for record in records:
        for name in COUNTS:
            total[name] += record[name]
        for name in WORST:
            total[name] = max(total[name], record[name])
        for name in ("log10_ratio", "verdicts"):
            for key, value in record[name].items():
                total[name][key] = total[name].get(key, 0) + value
    return total


def median(record):
    """The decade (upper end) in which the median of error over bound lies."""
    counts = sorted((int(k), v) for k, v in record["log10_ratio"].items())
    half, passed = sum(v for _, v in counts) / 2, 0
    for decade, number in counts:
        passed += number
        if passed >= half:
            return f"1e{decade:+03d}"
    return "–"


def show(console, title, heading, records):
    """Print one table with a row for each of the records."""
    table = Table(title=title)
    table.add_column(heading, no_wrap=True)
    for name in (*COUNTS, *WORST, "median ratio ≤"):
        table.add_column(name.replace("_", " "), justify="right")
    for name, r in records.items():
        table.add_row(name, *(str(r[c]) for c in COUNTS), *(f"{r[w]:.1e}" for w in WORST), median(r))
    console.print(table)


def report(console, result):
    """Print the tables by branch and kind, and by decade of the distance; return the sum of all."""
    records = result["records"]
    show(console, "by branch and kind", "branch", {pair: merged(found.values()) for pair, found in records.items()})
    decades = sorted({d for found in records.values() for d in found}, key=int, reverse=True)
    by_decade = {f"1e{d}": merged(found[d] for found in records.values() if d in found) for d in decades}
    show(console, "by distance (lower end of the decade)", "distance", by_decade)
    total = merged(by_decade.values())
    show(console, "all", "", {"all": total})
    return total


def batch_of(branch, kind, seed, number):
    """Compute one batch: records by decade, and the states that went wrong."""
    decades, wrong = {}, []
    for trial in trials(branch, kind, seed, number):
        j = judge(trial)
        decade = str(int(np.floor(np.log10(max(trial.distance, 1e-15)))))
        counted(decades.setdefault(decade, empty()), j)
        if j.wrong or j.failure or j.falsely_singular:
            wrong.append(described(trial, j, kind))
    return decades, wrong


def described(trial, j, kind):
    """All numbers of a state, to compute it again."""
    size = j.size if j.size > 0.0 else 1.0
    numbers = {"distance": j.distance, "off": j.off, "sigma": j.sigma, "t": trial.t}
    numbers |= {"relative_error": j.error / size, "relative_bound": j.bound / size}
    vectors = {"q": trial.q, "v": trial.v} | {k: getattr(trial.setting, k) for k in ("mass", "force", "shift")}
    return (
        {"branch": trial.branch.name, "kind": kind, "verdict": j.failure or " and ".join(j.verdicts)}
        | {k: _number(x) for k, x in numbers.items()}
        | {k: [float(x) for x in vector] for k, vector in vectors.items()}
    )


def _number(x):
    return float(x) if np.isfinite(x) else None


def stored(path, context):
    """The results in a file, if they belong to the same campaign."""
    if path is None or not path.is_file():
        return None
    result = json.loads(path.read_text())
    return result if all(result.get(k) == context[k] for k in CONTEXT) else None


def start(options):
    """The results so far: those of the file, or none."""
    context = {"seed": options.seed, "count": options.count, "branches": [b.name for b in BRANCHES]}
    result = None if options.fresh else stored(options.json, context)
    result = result or {**context, "seconds": 0.0, "done": {}, "records": {}, "wrong": []}
    return result | origin("numpy", "scipy", "casadi", "mpmath")


def add_batch(result, branch, kind):
    """Compute the next batch of a branch and a kind, and add it to the results."""
    pair, began = f"{branch.name}, {kind}", time.perf_counter()
    number = result["done"].get(pair, 0)
    decades, wrong = batch_of(branch, kind, result["seed"], number)
    records = result["records"].setdefault(pair, {})
    for decade, record in decades.items():
        records[decade] = merged([records.get(decade, empty()), record])
    result["wrong"] = (result["wrong"] + wrong)[:REMEMBERED]
    result["done"][pair] = number + 1
    result["seconds"] += time.perf_counter() - began


def main():
    """Run what is not yet computed, print the tables; return 1 if anything went wrong."""
    fresh = ("--fresh", {"action": "store_true", "help": "compute everything again; else what the file has is kept"})
    options = options_of(__doc__, 10000, 11, "states, all branches and kinds together", fresh)
    console = Console(width=200)
    each = -(-options.count // (BATCH * len(pairs())))
    result = start(options)
    todo = [(b, k) for i in range(each) for b, k in pairs() if result["done"].get(f"{b.name}, {k}", 0) <= i]
    with Progress(console=console) as progress:
        task = progress.add_task("batches of states", total=each * len(pairs()))
        progress.advance(task, each * len(pairs()) - len(todo))
        try:
            for branch, kind in todo:
                add_batch(result, branch, kind)
                store(options.json, result, compact=True)
                progress.advance(task)
        except KeyboardInterrupt:
            console.print("interrupted; the same command goes on from here" if options.json else "interrupted")
    result["all"] = report(console, result)
    store(options.json, result, compact=True)
    for entry in result["wrong"][:5]:
        console.print(entry)
    return 1 if any(result["all"][k] for k in ("wrong", "falsely_singular", "failed")) else 0


if __name__ == "__main__":
    sys.exit(main())
