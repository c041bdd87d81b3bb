"""Random slips in true printed statements: is each one detected, and is the mend that is named the right one?

    python validation/mutations.py --count 500 --seed 11 --json validation/mutations.json

Every statement of the sources that holds, or the correct form of one that does not, is a true row: a sum of terms. A
mutation changes one term of one row: its sign, a factor 2, sine for cosine (or the reverse), a velocity left out, one
symbol for another of its kind, or the whole term left out. It is
*equivalent*, and does not count, if the mutated row holds at 200 other admissible states, drawn with twice the spread
by another seed, to 1e-9: then the change says the same about the system. A mutation is *detected* if `verify` says
"fails" at its own states. Its mend is *right* if one of the mends that are named (at most three of equal simplicity)
gives back the row before the mutation, but for a common factor, at arbitrary numbers; *holding* if any mend is named.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp
from campaign import options_of, origin, store

from gauss import sources
from gauss.sources import ControlFields, Derivative, Printed, verify
from gauss.sources.repair import mends
from gauss.sources.rows import Row, residual
from gauss.sources.samples import motion_sample, random_sample
from gauss.sources.statement_rows import rows_of, statement_value
from gauss.sources.symbols import SymbolSet, table
from gauss.sources.verification import COUNT, FRESH

KINDS = ("sign", "factor 2", "sine and cosine", "velocity left out", "symbol swapped", "term left out")
EQUIVALENT = 1e-9  # residual at the other states below which a mutated row says the same as before
OTHER_STATES = 200
SAME = 1e-9  # difference of two rows at arbitrary numbers, relative to their size


@dataclass
class Bench:
    """One collection with the states at which its rows are asked."""

    printed: Printed
    world: SymbolSet
    states: object
    fresh: object
    other: object
    motion: object
    rows: list  # (statement name, row)


def benches(names):
    """Return the collections and their true rows."""
    found = []
    for name in names:
        for printed in sources.load(name).equations:
            if printed.ranges:
                continue
            world = SymbolSet.of(printed)
            rows = []
            for entry in verify(printed, mending=False):
                statement = entry.statement
                if isinstance(statement, (ControlFields, Derivative)) or not entry.settled:
                    continue
                value = statement_value(statement) if entry.holds else statement.correct
                along = bool(getattr(statement, "along", False)) or hasattr(statement, "of")
                if not along:
                    rows += [(statement, row) for row in rows_of(printed, world, statement, value)]
            if rows:
                wide = replace(printed, spread=2 * printed.spread)
                found.append(
                    Bench(
                        printed,
                        world,
                        random_sample(printed, world, COUNT, 0),
                        random_sample(printed, world, COUNT, FRESH),
                        random_sample(wide, world, OTHER_STATES, 4321),
                        motion_sample(printed, world),
                        rows,
                    )
                )
    return found


def mutated(rng, row: Row, world: SymbolSet):
    """Return (kind, the term before, the mutated row), or None where the chosen mutation does not apply."""
    terms = row.terms
    if not terms:
        return None  # what is printed cancels of itself
    k = int(rng.integers(len(terms)))
    term, kind = terms[k], str(rng.choice(KINDS))
    new = changed(rng, term, kind, world)
    if new is None or new == term:
        return None
    own = sp.Add(*(terms[:k] + terms[k + 1 :]), new)
    if own == 0 or (kind == "term left out" and len(terms) < 2):
        return None
    return kind, term, row.replaced(own)


def changed(rng, term, kind, world):
    """Return the mutated term."""
    if kind == "sign":
        return -term
    if kind == "factor 2":
        return 2 * term
    if kind == "term left out":
        return sp.Integer(0)
    if kind == "sine and cosine":
        return pick(rng, term, sorted(term.atoms(sp.sin, sp.cos), key=str), lambda f: other_function(f))
    if kind == "velocity left out":
        return pick(rng, term, [s for s in world.v if s in term.free_symbols], lambda s: sp.Integer(1))
    pairs = [(a, b) for kin in world.kinds for a in kin for b in kin if a is not b and a in term.free_symbols]
    if not pairs:
        return None
    a, b = pairs[int(rng.integers(len(pairs)))]
    return term.xreplace({a: b})


def pick(rng, term, parts, new):
    """Return the term with one of its parts replaced."""
    if not parts:
        return None
    part = parts[int(rng.integers(len(parts)))]
    return term.xreplace({part: new(part)})


def other_function(f):
    """Return the cosine for a sine and the sine for a cosine."""
    return sp.cos(*f.args) if f.func is sp.sin else sp.sin(*f.args)


def same(one: Row, two: Row, world: SymbolSet) -> bool:
    """Whether two rows agree at arbitrary numbers but for a common factor."""
    rng = np.random.default_rng(5)
    symbols = set(world.q) | set(world.v) | set(world.a) | set(world.l) | set(world.p) | {world.t}
    values = {s: rng.uniform(0.3, 1.3, 12) for s in symbols}
    if one.kind == "constant":  # equal but for a function of the parameters
        values |= {s: np.full(12, 0.7 + 0.1 * k) for k, s in enumerate(world.p)}
    a, b = table([one.contribution(one.own), two.contribution(two.own)], values, 12)
    if one.kind == "constant":
        a, b = a - np.mean(a), b - np.mean(b)
    c = (a @ b) / (b @ b) if np.any(b) else 0.0
    return bool(np.max(np.abs(a - c * b)) <= SAME * np.max(np.abs(a)))


def examine(rng, bench: Bench):
    """Return the record of one random mutation, or None where it does not apply."""
    statement, row = bench.rows[int(rng.integers(len(bench.rows)))]
    drawn = mutated(rng, row, bench.world)
    if drawn is None:
        return None
    kind, term, slip = drawn
    if not slip.contribution(slip.own).free_symbols <= bench.states.values.keys():
        return None  # the second rate of a quasi-velocity, which no statement can speak of
    record = {"statement": f"{bench.printed.source}: {statement.number} {statement.name}", "kind": kind}
    record["term"] = str(term)
    if residual(slip, bench.other) <= EQUIVALENT:
        return record | {"equivalent": True}
    asked = [s for s in (bench.states, bench.motion) if s is not None]
    errors = [residual(slip, sample) for sample in asked]
    detected = any(not error <= sample.bound for error, sample in zip(errors, asked, strict=True))
    again = [s for s in (bench.fresh, bench.motion) if s is not None]
    named = mends(slip, bench.world, bench.states, again) if detected else []
    right = [same(slip.replaced(mend.formula), row, bench.world) for mend in named]
    return record | {
        "equivalent": False,
        "detected": detected,
        "residual": max(errors),
        "mends": [str(mend) for mend in named],
        "right": any(right),
        "right_first": bool(right and right[0]),
    }


def main():
    """Draw mutations until `count` of them change the statement; print and write what became of them."""
    options = options_of(__doc__, 500, 11, "mutations that change the statement")
    begin = time.perf_counter()
    ready = benches(sources.names())
    rng = np.random.default_rng(options.seed)
    weights = np.array([len(bench.rows) for bench in ready], dtype=float)
    records, equivalent = [], []
    while len(records) < options.count:
        record = examine(rng, ready[int(rng.choice(len(ready), p=weights / weights.sum()))])
        if record is None:
            continue
        (equivalent if record["equivalent"] else records).append(record)
        if not record["equivalent"] and len(records) % 10 == 0:
            print(f"{len(records)} of {options.count} after {time.perf_counter() - begin:.0f} s", flush=True)
    result = summary(options, records, equivalent, time.perf_counter() - begin, int(weights.sum()))
    print(json.dumps({k: v for k, v in result.items() if k not in ("undetected", "not_right")}, indent=1))
    store(options.json, result)
    return 0 if result["detected"] == options.count else 1


def summary(options, records, equivalent, seconds, rows):
    """Return the counts, and every mutation that was missed or wrongly mended."""
    by_kind = {}
    for kind in KINDS:
        mine = [r for r in records if r["kind"] == kind]
        by_kind[kind] = {
            "mutations": len(mine),
            "detected": sum(r["detected"] for r in mine),
            "right": sum(r["right"] for r in mine),
        }
    return {
        "count": options.count,
        "seed": options.seed,
        "true_rows": rows,
        "detected": sum(r["detected"] for r in records),
        "mend_right": sum(r["right"] for r in records),
        "mend_right_first": sum(r["right_first"] for r in records),
        "mend_named": sum(bool(r["mends"]) for r in records),
        "smallest_residual": min(r["residual"] for r in records),
        "equivalent": len(equivalent),
        "equivalent_by_kind": dict(Counter(r["kind"] for r in equivalent)),
        "by_kind": by_kind,
        "seconds": round(seconds, 1),
        **origin("numpy", "sympy"),
        "undetected": [r for r in records if not r["detected"]],
        "not_right": [r for r in records if not r["right"]],
    }


if __name__ == "__main__":
    sys.exit(main())
