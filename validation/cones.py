"""Random friction problems in space against the law in plain numbers and against other searches.

    python validation/cones.py --count 1000 --seed 11 --json validation/cones.json

1. `count` problems with 1 to 4 contacts, at rest and sliding, with μ_s > μ_k, rolling and spinning resistance,
   dependent and independent rows and coefficients up to 3: every answer is checked against each condition of the law
   in plain numbers (tests/cone_witness.py). Where nothing is found, a least-squares search on the law from 60 random
   starts looks for what was missed.
2. A tenth as many of these: the same search from 20 starts looks for other solutions.
3. A quarter as many single contacts with μ up to 6: the complete lists against a scan over all directions.
4. A tenth as many problems with small coefficients against projections on forces.

A failure is a violation above 1e-10, a solution that was missed where the verdict claims completeness, or a distance
above 1e-7. Solutions that are missed where none is claimed complete are counted, not failures.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
from campaign import options_of, origin, store
from rich.console import Console
from scipy.optimize import least_squares

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

from cone_witness import projected, random_problem, scanned, violation  # noqa: E402

from gauss.contact import solve_contacts  # noqa: E402

LAW, CLOSE = 1e-10, 1e-7


def drawn(rng, number):
    """A problem of the first part."""
    return random_problem(
        rng,
        1 + number % 4,
        independent=number % 7 == 0,
        sliding=0.4 * (number % 2),
        rough=float(rng.choice([0.3, 1.0, 3.0])),
        loose=number % 5 == 0,
        resisted=number % 3 == 0,
    )


def law_of(p):
    """The law as equations over all forces, in the user's numbers; frictions of one coefficient."""
    laws = [(i, p.T[i], p.tau[i], p.slip[i], p.kinetic[i]) for i in range(p.k)]
    laws += [(b.contact, b.rows, b.right, b.velocity, b.kinetic) for b in p.resistances]
    H = np.vstack([p.N, *(rows for _, rows, _, _, _ in laws)])
    right = np.concatenate([p.nu, *(tau for _, _, tau, _, _ in laws)])
    lift = np.linalg.solve(p.M, np.column_stack([p.f, H.T]))
    places, start = [], p.k
    for _, rows, _, _, _ in laws:
        places.append(slice(start, start + len(rows)))
        start += len(rows)

    def residual(x):
        y = H @ (lift[:, 0] + lift[:, 1:] @ x) - right
        parts = [np.minimum(x[: p.k], y[: p.k])]
        for (i, _, _, now, mu), here in zip(laws, places, strict=True):
            limit = mu * max(x[i], 0.0)
            if np.any(now):
                parts.append(x[here] + limit * now / np.linalg.norm(now))
                continue
            t = x[here] - y[here]
            size = np.linalg.norm(t)
            parts.append(x[here] - (t if size <= limit else t * limit / size))
        return np.concatenate(parts)

    return residual, lift


def searched(p, starts, rng):
    """Accelerations that a least-squares search on the law finds; contacts without μ_s > μ_k only."""
    residual, lift = law_of(p)
    found = []
    for _ in range(starts):
        x = rng.standard_normal(lift.shape[1] - 1) * 10.0 ** rng.uniform(-1.0, 1.5)
        x[: p.k] = np.abs(x[: p.k])
        answer = least_squares(residual, x, xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=200)
        if np.max(np.abs(answer.fun)) < 1e-9:
            found.append(lift[:, 0] + lift[:, 1:] @ answer.x)
    return found


def missed(found, known):
    """How many different accelerations of `found` are not among `known`."""
    new = []
    for a in found:
        size = 1.0 + np.max(np.abs(a))
        if all(np.max(np.abs(a - b)) > 1e-5 * size for b in [*known, *new]):
            new.append(a)
    return len(new)


def everything(count, rng):
    """Part 1 and part 2."""
    kinds, failures, worst, seconds = Counter(), [], 0.0, {}
    unseen, others, looked = 0, 0, 0
    for number in range(count):
        p = drawn(rng, number)
        begin = time.perf_counter()
        answer = solve_contacts(p)
        seconds.setdefault(p.k, []).append(time.perf_counter() - begin)
        kinds[answer.verdict] += 1
        residual = max((max(violation(p, s), s.residual) for s in answer.solutions), default=0.0)
        worst = max(worst, float(residual))
        if residual > LAW:
            failures.append(f"problem {number}: the law is violated by {residual:.1e}")
        plain = bool(np.all(p.static == p.kinetic))
        known = [s.a for s in answer.solutions]
        if plain and not known:
            extra = missed(searched(p, 60, rng), known)
            unseen += bool(extra)
            if extra and answer.verdict == "none":
                failures.append(f"problem {number}: 'none' is claimed, but there is a solution")
        elif plain and number % 10 == 1:
            looked += 1
            extra = missed(searched(p, 20, rng), known)
            others += bool(extra)
            if extra and answer.evidence:
                failures.append(f"problem {number}: a list that claims to be complete misses {extra}")
    record = {
        "problems": count,
        "verdicts": dict(kinds),
        "largest violation of the law": worst,
        "without an answer where the search finds one": unseen,
        "searched for others": looked,
        "in which the search finds others": others,
        "milliseconds by contacts": {str(k): 1e3 * float(np.mean(v)) for k, v in sorted(seconds.items())},
    }
    return record, failures


def lists(count, rng):
    """Part 3."""
    failures, counts = [], Counter()
    for number in range(count):
        p = random_problem(rng, 1, independent=True, rough=6.0)
        answer, known = solve_contacts(p), scanned(p)
        counts[len(known)] += 1
        if answer.verdict == "undecided" or len(known) != len(answer.solutions):
            failures.append(f"contact {number}: {len(known)} solutions by the scan, {len(answer.solutions)} listed")
    return {"contacts": count, "solutions": {str(k): v for k, v in sorted(counts.items())}}, failures


def projections(count, rng):
    """Part 4."""
    failures, worst = [], 0.0
    for number in range(count):
        p = random_problem(rng, 1 + number % 4, independent=True, rough=0.2)
        answer = solve_contacts(p)
        gap = float(np.max(np.abs(answer.a - projected(p))) / (1.0 + np.max(np.abs(answer.a))))
        worst = max(worst, gap)
        if gap > CLOSE:
            failures.append(f"projection {number}: {answer.verdict}, distance {gap:.1e}")
    return {"problems": count, "largest distance": worst}, failures


def main():
    """Run all parts, print the records, write the JSON file; return 1 if anything failed."""
    options = options_of(__doc__, 1000, 11, "problems in the first part")
    console = Console(width=120)
    result = {"count": options.count, "seed": options.seed, **origin("numpy", "scipy", "clarabel")}
    failed, begin = [], time.perf_counter()
    for name, part, count in (
        ("random problems", everything, options.count),
        ("complete lists", lists, max(1, options.count // 4)),
        ("projections", projections, max(1, options.count // 10)),
    ):
        record, failures = part(count, np.random.default_rng(options.seed))
        console.print(name, record, *failures[:5])
        result[name] = record | {"failures": len(failures), "first_failures": failures[:20]}
        failed += failures
    result["seconds"] = time.perf_counter() - begin
    store(options.json, result)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
