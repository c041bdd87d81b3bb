"""What campaigns share: options, where numbers come from, families in turn or parts that resume, the file they keep."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import gauss

Family = Callable[[int, np.random.Generator], tuple[dict[str, Any], list[Any]]]  # record and failures of `count`

Part = Callable[[int, Sequence[int]], dict[str, Any]]  # seed and numbers: counts by kind, and failures
IN_PARTS: tuple[tuple[str, dict[str, Any]], ...] = (  # options of a campaign that goes on where it was interrupted
    ("--jobs", {"type": int, "default": 1, "help": "processes"}),
    ("--fresh", {"action": "store_true", "help": "compute stored parts again"}),
    ("--again", {"action": "store_true", "help": "judge again what is stored as a failure, and list it as such"}),
    ("--show", {"type": int, "help": "show the one of this number only"}),
    ("--kind", {"default": "", "help": "only kinds whose name contains this; is not stored"}),
)
KEPT = 12  # failures of one kind and one complaint that are kept with their numbers
HARMLESS = {"in_doubt", "not_logged", "undecided_in_doubt", "beyond_print"}  # flags of what is right all the same
LARGEST = ("slowest", "error")  # of which a record has the largest; it has the sum of others


def options_of(description: str, count: int, seed: int, of: str, *more: tuple[str, dict[str, Any]]) -> Any:
    """Read --count, --seed, --json and further options; a count below 1 or a missing folder ends with a message."""
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("--count", type=int, default=count, help=of)
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--json", type=Path, help="where to store the results")
    for name, settings in more:
        parser.add_argument(name, **settings)
    options = parser.parse_args()
    if options.count < 1:
        parser.error(f"--count must be at least 1, but is {options.count}.")
    if options.json is not None and not options.json.resolve().parent.is_dir():
        parser.error(f"--json: there is no folder {options.json.resolve().parent}.")
    return options


def origin(*packages: str) -> dict[str, Any]:
    """Return the versions of Python, this package and others, and the kind of machine."""
    versions = {name: version(name) for name in packages}
    return {
        "versions": versions | {"gauss": gauss.__version__, "python": platform.python_version()},
        "machine": platform.machine(),
    }


def run_families(options: Any, families: Iterable[tuple[str, Family, int]]) -> int:
    """Run families of so many problems, each from the seed, print and store their records; return 1 if any failed.

    Each returns its record and its failures; the first ones are printed and stored.
    """
    console = Console(width=120)
    result = {"count": options.count, "seed": options.seed, **origin("numpy", "scipy")}
    failed = False
    for name, family, count in families:
        record, failures = family(count, np.random.default_rng(options.seed))
        console.print(name, record)
        for failure in failures[:5]:
            console.print(failure)
        result[name] = record | {"first_failures": failures[:20]}
        failed |= bool(failures)
    store(options.json, result)
    return 1 if failed else 0


def run_parts(options: Any, names: Sequence[str], size: int, of: str, part: Part, packages: Sequence[str]) -> Any:
    """Run the parts that are missing, of `size` numbers each, and return the whole, which is stored after each part.

    Kinds take turns: `names` are theirs. `of` is the count of a record's kind, that of what was computed.
    """
    total: dict[str, Any] = {"seed": options.seed, **origin(*packages)}
    total |= {"parts": [], "kinds": {}, "failures": {}}
    if options.json is not None and options.json.is_file() and not options.fresh:
        stored = json.loads(options.json.read_text())
        total = stored if stored.get("seed") == options.seed else total
    if options.again:
        _judge_again(total, of, part)
        store(options.json, total, compact=True)
    chosen = [i for i in range(options.count) if options.kind in names[i % len(names)]]
    numbers = {k: [i for i in chosen if i // size == k] for k in range(-(-options.count // size))}
    todo = [k for k in numbers if k not in total["parts"] and numbers[k]]
    with ProcessPoolExecutor(options.jobs) as pool:
        running = {pool.submit(part, options.seed, numbers[k]): k for k in todo}
        for done in as_completed(running):
            _add(total, done.result())
            total["parts"] = sorted({*total["parts"], running[done]})
            total["count"] = sum(k[of] for k in total["kinds"].values())
            if not options.kind:
                store(options.json, total, compact=True)
    return total


def _add(total: dict[str, Any], record: dict[str, Any]) -> None:
    """Add the record of a part to the whole."""
    for kind, counts in record["kinds"].items():
        _gather(total["kinds"].setdefault(kind, {}), counts)
    for failure in record["failures"]:
        kinds = total["failures"].setdefault(failure["kind"], {})
        about = kinds.setdefault(failure["complaint"], {"all": [], "first": []})
        about["all"].append(failure["index"])
        if len(about["first"]) < KEPT:
            about["first"].append({k: v for k, v in failure.items() if k not in ("kind", "complaint")})


def _gather(known: dict[str, Any], counts: dict[str, Any]) -> None:
    """Add counts to others."""
    for name, x in counts.items():
        known[name] = max(known.get(name, 0), x) if name in LARGEST else known.get(name, 0) + x


def _judge_again(total: dict[str, Any], of: str, part: Part) -> None:
    """Put what is found now in the place of the failures that are kept; the seconds add up."""
    kept = [(kind, entry) for kind, k in total["failures"].items() for x in k.values() for entry in x["first"]]
    for kind, entry in kept:
        for name in (of, *entry["flags"], *(["right"] if set(entry["flags"]) <= HARMLESS else [])):
            total["kinds"][kind][name] -= 1
        for about in total["failures"][kind].values():
            about["all"] = [i for i in about["all"] if i != entry["index"]]
            about["first"] = [x for x in about["first"] if x["index"] != entry["index"]]
        _add(total, part(total["seed"], [entry["index"]]))
    left = {kind: {c: x for c, x in k.items() if x["all"]} for kind, k in total["failures"].items()}
    total["failures"] = {kind: k for kind, k in left.items() if k}
    total["judged again"] = sorted({*total.get("judged again", []), *(entry["index"] for _, entry in kept)})


def show_parts(console: Console, total: dict[str, Any], of: str, flags: Sequence[str]) -> None:
    """Print counts by kind, and the complaints by frequency, with the first numbers."""
    everything: dict[str, Any] = {}
    for record in total["kinds"].values():
        _gather(everything, record)
    each = {name: name for name in ("steps",) if name in everything} | {"ms": "seconds"}
    largest = [name for name in LARGEST if name in everything]
    table = Table(title=f"seed {total['seed']}")
    table.add_column("kind", no_wrap=True)
    for name in (of, "right", *flags, *each, *largest):
        table.add_column(name.replace("_", " "), justify="right")
    for kind, r in [*sorted(total["kinds"].items()), ("all", everything)] if everything else ():
        counts = [f"{r[name]:.0f}" if r[name] else "" for name in (of, "right", *flags)]
        means = [f"{(1e3 if name == 'ms' else 1.0) * r[known] / max(r[of], 1):.0f}" for name, known in each.items()]
        table.add_row(kind, *counts, *means, *(f"{r[name]:.3g}" for name in largest))
    console.print(table)
    found = [(len(x["all"]), kind, c, x["all"]) for kind, k in total["failures"].items() for c, x in k.items()]
    for count, kind, complaint, numbers in sorted(found, key=lambda x: -x[0]):
        console.print(
            f"{count:5d}  {kind}: {complaint}  [{', '.join(map(str, numbers[:6]))}]", markup=False, highlight=False
        )


def store(path: Path | None, result: dict[str, Any], compact: bool = False) -> None:
    """Write the results, if a file was asked for, so that an interruption leaves the old file or the new one."""
    if path is None:
        return
    style: dict[str, Any] = {"separators": (",", ":")} if compact else {"indent": 1}
    part = path.with_suffix(".part")
    part.write_text(json.dumps(result, ensure_ascii=False, **style) + "\n", encoding="utf-8")
    part.replace(path)
