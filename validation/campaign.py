"""What campaigns share: options, where the numbers come from, families run in turn, and the file that keeps them."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import gauss

Family = Callable[[int, np.random.Generator], tuple[dict[str, Any], list[Any]]]  # record and failures of `count`


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


def store(path: Path | None, result: dict[str, Any], compact: bool = False) -> None:
    """Write the results, if a file was asked for, so that an interruption leaves the old file or the new one."""
    if path is None:
        return
    style: dict[str, Any] = {"separators": (",", ":")} if compact else {"indent": 1}
    part = path.with_suffix(".part")
    part.write_text(json.dumps(result, ensure_ascii=False, **style) + "\n", encoding="utf-8")
    part.replace(path)
