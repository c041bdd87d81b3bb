"""Verdicts and accelerations of `gauss.classify` on random models whose truth is known from how they are made.

    python validation/zero.py --count 100000 --seed 1 --jobs 2 --json validation/zero.json
    python validation/zero.py --contacts --count 9000 --seed 1 --jobs 2 --json validation/zero_contacts.json
    python validation/zero.py --seed 1 --show 17        # one state: the model as code, what is said, what is right

Models and truth are those of `zero_models`, which imports nothing of the package and computes with 60 digits. For every
kind of models are counted

* wrong verdict: a word that is not right, a missing one, "unique" where it is not or the reverse;
* wrong acceleration: off by more than everything that is printed as its error and 1e-9 of itself besides; beyond print:
  off by more than is printed, but less than that;
* falsely contradictory: "contradictory", "velocity not admissible" or "no smooth continuation" where a motion leaves;
* undecided, and undecided in doubt, where no double precision can tell; blank: a printed error above the acceleration;
* refused: an exception; warned: a warning of a library that came through.

The campaign goes on where it was interrupted: parts that are in the JSON file are not computed again (--fresh does).
"""

from __future__ import annotations

import sys
import time
import traceback
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import zero_models as models
import zero_truth as digits
from campaign import IN_PARTS, options_of, run_parts, show_parts
from rich.console import Console
from zero_models import GRAVE, STATES, WORDS, Case
from zero_truth import Model, Node, Row

import gauss as g

PART = 2 * len(STATES)  # states computed between two writes of the file
SLACK = 1e-9  # of the acceleration: errors beyond what is printed are wrong above this
ULPS = 1e-15  # of the acceleration: its own rounding
FLAGS = (
    "wrong_verdict",
    "wrong_acceleration",
    "beyond_print",
    "falsely_contradictory",
    "undecided",
    "undecided_in_doubt",
    "blank",
    "refused",
    "warned",
)
FAILURES = ("wrong_verdict", "wrong_acceleration", "falsely_contradictory", "refused", "warned")
ASKED = 8  # of so many states one is given to `accelerate` too
SECONDS = 0.02  # of a motion that gives an integrated state; random masses can make it stiff
STEPS = 500


# ------------------------------------------------------------------ the model in the package


def timed(x: Node) -> bool:
    """Whether an expression contains the time."""
    return x.op == "t" or any(timed(a) for a in x.args if isinstance(a, Node))


def system_of(model: Model) -> g.System:
    """The system that a model describes."""
    names = [f"x{i}" for i in range(model.n)]

    def at(x: Node, q: Any = None, v: Any = None, t: Any = 0.0) -> Any:
        listed = [[] if y is None else [y[name] for name in names] for y in (q, v)]
        return digits.value(x, *listed, t, g, float)

    def constraint(k: int, row: Row) -> Any:
        if row.kind == "pfaffian":
            entries = [digits.derivative(row.node, "v", i) for i in range(model.n)]
            return g.Pfaffian(f"row {k}", lambda q: [at(x, q) for x in entries])
        if row.kind == "nonholonomic":
            return g.Nonholonomic(f"row {k}", lambda q, v: at(row.node, q, v))
        if row.kind == "unilateral":
            return g.Unilateral(f"row {k}", lambda q: at(row.node, q))
        if timed(row.node):
            return g.Holonomic(f"row {k}", lambda q, t: at(row.node, q, t=t))
        return g.Holonomic(f"row {k}", lambda q: at(row.node, q))

    return g.System(
        "model",
        coordinates=" ".join(names),
        kinetic_energy=lambda q, v: at(model.kinetic, q, v),
        force=lambda: list(model.force),
        constraints=[constraint(k, row) for k, row in enumerate(model.rows)],
    )


def code_of(case: Case) -> str:
    """A short program that asks for the verdict on a state."""
    model, lines = case.model, ["import gauss as g", "", "system = g.System(", '    "model",']
    lines.append(f'    coordinates="{" ".join(f"x{i}" for i in range(model.n))}",')
    lines += [f"    kinetic_energy=lambda q, v: {model.kinetic},", f"    force=lambda: {list(model.force)},"]
    lines.append("    constraints=[")
    for k, row in enumerate(model.rows):
        if row.kind == "pfaffian":
            entries = ", ".join(str(digits.derivative(row.node, "v", i)) for i in range(model.n))
            lines.append(f'        g.Pfaffian("row {k}", lambda q: [{entries}]),')
        else:
            names = "q, v" if row.kind == "nonholonomic" else "q, t" if timed(row.node) else "q"
            lines.append(f'        g.{row.kind.capitalize()}("row {k}", lambda {names}: {row.node}),')
    lines += ["    ],", ")", f"print(g.classify(system, {case.q.tolist()}, {case.v.tolist()}))"]
    return "\n".join(lines)


# ------------------------------------------------------------------ the judgement


def reached(case: Case, system: g.System) -> Case | None:
    """The case at the state that a short motion from it reaches, or reaches in so many steps."""
    steps = iter(range(STEPS))

    def count(_: float) -> None:
        if next(steps, None) is None:
            raise KeyboardInterrupt

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*interrupted")
        run = g.simulate(system, case.q, case.v, t_end=SECONDS, progress=count)
    return models.moved(case, run.q[-1], run.v[-1])


def judge(case: Case) -> tuple[dict[str, Any], Case]:
    """What the package says of a case and what is wrong with it: flags, complaint, verdict, error and seconds."""
    said: dict[str, Any] = {"flags": set(), "complaint": "", "verdict": "", "error": 0.0, "printed": 0.0, "size": 0.0}
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            system = system_of(case.model)
            if case.style == "integrated":
                case = reached(case, system) or case
            start = time.perf_counter()
            found = g.classify(system, case.q, case.v)
        except Exception as error:
            said["seconds"] = time.perf_counter() - start
            refusal(case, error, said)
        else:
            said["seconds"] = time.perf_counter() - start
            compare(case, found, said)
            if case.index % ASKED == 0:
                other_door(case, system, found, said)
    leaked = [str(w.message) for w in caught if not issubclass(w.category, DeprecationWarning)]
    if leaked:
        complain(said, "warned", f"warning {leaked[0][:60]}")
    return said, case


def complain(said: dict[str, Any], flag: str, complaint: str) -> None:
    """Note what is wrong; the first complaint is kept."""
    said["flags"].add(flag)
    said["complaint"] = said["complaint"] or complaint


def refusal(case: Case, error: Exception, said: dict[str, Any]) -> None:
    """Judge an exception: a state off its constraints may be refused as such."""
    name = type(error).__name__
    said["verdict"], said["message"] = name, str(error)[:200]
    if isinstance(error, g.errors.InconsistentStateError) and case.truth.refusable:
        return
    if isinstance(error, g.errors.ContradictoryRowsError) and "contradictory" not in case.truth.allowed:
        complain(said, "falsely_contradictory", name)
        return
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = "" if isinstance(error, g.errors.GaussError) else f" in {where.filename.rpartition('/')[2]}:{where.name}"
    complain(said, "refused", name + place)


def compare(case: Case, found: g.Verdict, said: dict[str, Any]) -> None:
    """Judge a verdict and its accelerations."""
    truth, status, words = case.truth, found.accelerations.status, set(found.verdicts)
    said["verdict"] = f"{found.verdict} ({status})"
    if "undecided" in words or status == "undecided":
        said["flags"].add("undecided_in_doubt" if truth.doubt else "undecided")
        return
    said["printed"] = printed = float(found.error)
    false = sorted((words & set(GRAVE)) - truth.allowed)
    known = words & WORDS if truth.allowed <= WORDS else words  # a word that is new is no wrong one
    strange, missing = sorted(known - truth.allowed - set(GRAVE)), sorted(truth.required - words)
    if false:
        complain(said, "falsely_contradictory", " and ".join(false))
        return
    if strange:
        complain(said, "wrong_verdict", f"says {' and '.join(strange)}, right is {' or '.join(sorted(truth.allowed))}")
    if missing:
        complain(said, "wrong_verdict", f"does not say {' and '.join(missing)}, but {found.verdict}")
    if truth.unique is not None and found.unique != truth.unique:
        complain(said, "wrong_verdict", f"falsely {'unique' if found.unique else 'not unique'} ({found.verdict})")
    if not truth.accelerations:
        return
    size = max(length(case, a) for a in (*truth.accelerations[:1], digits.free(case.model, case.q, case.v)))
    if truth.unique is False and status == "several":
        points = [c.a for c in found.candidates]
        error = max(nearest(case, points, a) for a in truth.accelerations) if points else np.inf
    elif found.unique:
        points = [found.a]
        error = min(nearest(case, points, a) for a in (*truth.accelerations, *truth.nearby))
    else:
        return
    said["error"], said["size"] = error, size
    if not printed <= size:
        said["flags"].add("blank")
    if not error <= printed + SLACK * size:
        complain(said, "wrong_acceleration", f"acceleration wrong beyond its printed error ({found.verdict})")
    elif error > printed + ULPS * size:
        said["flags"].add("beyond_print")


def other_door(case: Case, system: g.System, found: g.Verdict, said: dict[str, Any]) -> None:
    """Ask `accelerate` for the same state: it must return the same acceleration, or refuse where there is none."""
    try:
        step = g.accelerate(system, case.q, case.v)
        same = step.unique == found.unique and (
            not found.unique or np.array_equal(step.a, found.accelerations.candidates[0].a)
        )
    except g.errors.ContradictoryRowsError:
        same = found.accelerations.status == "none"
    if not same:
        complain(said, "wrong_acceleration", "accelerate and classify differ")


def length(case: Case, a: Any) -> float:
    """The size of an acceleration in the mass metric at the state."""
    return digits.length_in(case.model, case.q, case.v, a)


def nearest(case: Case, points: Sequence[Any], a: Any) -> float:
    """The distance of an exact acceleration from the nearest of those that were found."""
    return min(length(case, [digits.difference(x, y) for x, y in zip(b, a, strict=True)]) for b in points)


# ------------------------------------------------------------------ counting


def part(seed: int, numbers: Sequence[int], states: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The record of some states: counts by kind, and those that failed."""
    kinds: dict[str, dict[str, float]] = {}
    failures = []
    for index in numbers:
        start = time.perf_counter()
        said, case = judge(models.draw(seed, index, states))
        record = kinds.setdefault(
            case.kind, dict.fromkeys(("states", "right", *FLAGS), 0) | {"seconds": 0.0, "slowest": 0.0}
        )
        record["states"] += 1
        record["right"] += not said["flags"] - {"undecided_in_doubt", "beyond_print"}
        for flag in said["flags"]:
            record[flag] += 1
        record["seconds"] += said["seconds"]
        record["slowest"] = max(record["slowest"], said["seconds"])
        record["truth_seconds"] = record.get("truth_seconds", 0.0) + time.perf_counter() - start - said["seconds"]
        if said["flags"] & set(FAILURES):
            numbers_of = {k: float(said[k]) for k in ("error", "printed", "size")}
            failures.append(
                {"index": index, "kind": case.kind, "complaint": said["complaint"], "verdict": said["verdict"]}
                | {"flags": sorted(said["flags"]), "style": case.style, "tags": list(case.model.tags)}
                | {k: v if np.isfinite(v) else str(v) for k, v in numbers_of.items()}
            )
    return {"kinds": kinds, "failures": failures}


def shown(console: Console, seed: int, index: int, states: Sequence[tuple[str, str]]) -> int:
    """Print one case: the model as code, what is said and what is right."""
    said, case = judge(models.draw(seed, index, states))
    console.print(code_of(case), markup=False, highlight=False, soft_wrap=True)
    truth = case.truth
    console.print(
        f"# {case.kind}, {case.style} {case.model.tags}; right: {sorted(truth.allowed)}, unique {truth.unique}"
    )
    for a in truth.accelerations:
        console.print("#   a =", [float(x) for x in a], soft_wrap=True)
    console.print("# said:", said, markup=False, soft_wrap=True)
    return 0


def main() -> int:
    """Run the campaign, or the parts of it that are missing."""
    sided = ("--contacts", {"action": "store_true", "help": "models with contacts, instead of equations"})
    options = options_of(__doc__ or "", 2080, 1, "states", *IN_PARTS, sided)
    console, states = Console(width=220), models.CONTACTS if options.contacts else STATES
    if options.show is not None:
        return shown(console, options.seed, options.show, states)
    own, packages = partial(part, states=states), ("numpy", "casadi", "mpmath")
    total = run_parts(options, [" ".join(state) for state in states], PART, "states", own, packages)
    show_parts(console, total, "states", FLAGS)
    return 1 if total["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
