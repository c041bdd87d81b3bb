"""Random planar friction and complementarity problems against exact arithmetic on whole numbers.

    python validation/friction.py --count 10000 --seed 11 --json validation/friction.json

Each friction problem has 1 to 4 contacts, up to 3 accelerations and small whole numbers as data, so that coinciding
contacts, singular modes and borderline cones are common. All its pieces (accelerations, vertices and rays of the
forces) are computed once by the package in floating point and once by tests/rational_friction.py without rounding,
from scratch. As many complementarity problems with 1 to 4 unknowns follow. A failure is a piece that only one of the
two has, another verdict, or a distance above 1e-8; the table shows the largest distance, the largest violation of the
law of friction and the time.

The third family solves the problems whose contacts push one way once more, as if their modes were too many to be tried:
one solution by pivoting. A failure is an acceleration that is none of the exact ones, a solution where there is none,
and the verdict "one" where there are others; how often pivoting finds no solution although there are some is counted.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import numpy as np
from campaign import options_of, run_families

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

from rational_friction import (  # noqa: E402
    as_arrays,
    as_problem,
    complementary_pieces,
    disagreement,
    kind_of,
    other_pieces,
    pieces_of,
    random_complementarity,
    random_problem,
    unlawful,
)

from gauss.contact import all_solutions, solve_contacts  # noqa: E402
from gauss.contact.plane import modes  # noqa: E402

ALLOWED = 1e-8  # rounding, times the condition of modes made of whole numbers up to 3
SHARES = [0.25, 0.35, 0.3, 0.1]  # of problems with 1, 2, 3, 4 contacts


def friction_campaign(count, rng):
    """Compare `count` friction problems; return the record and the failures."""
    kinds, sizes, failures = Counter(), Counter(), []
    worst, law, seconds, exact_seconds = 0.0, 0.0, 0.0, 0.0
    for number in range(count):
        k = int(rng.choice([1, 2, 3, 4], p=SHARES))
        problem = random_problem(rng, k)
        begin = time.perf_counter()
        verdict = solve_contacts(as_problem(problem))
        middle = time.perf_counter()
        exact = pieces_of(problem)
        seconds, exact_seconds = seconds + middle - begin, exact_seconds + time.perf_counter() - middle
        distance = disagreement(problem, verdict, exact)
        kinds[verdict.verdict] += 1
        sizes[str(k)] += 1
        law = float(max(law, unlawful(problem, verdict), *(s.residual for s in verdict.every)))
        if distance > ALLOWED:
            failures.append({"number": number, "distance": distance, "problem": str(problem)})
        else:
            worst = max(worst, distance)
    record = {
        "problems": count,
        "verdicts": dict(kinds),
        "contacts": dict(sizes),
        "failures": len(failures),
        "max_distance": worst,
        "max_violation_of_the_law": law,
        "seconds": seconds,
        "seconds_exact": exact_seconds,
    }
    return record, failures


def complementarity_campaign(count, rng):
    """Compare `count` complementarity problems; return the record and the failures."""
    kinds, failures, worst = Counter(), [], 0.0
    for number in range(count):
        M, q = random_complementarity(rng)
        found = all_solutions(M, q)
        distance = other_pieces(complementary_pieces(M, q), found)
        single = all(len(piece.vertices) == 1 and not len(piece.rays) for piece in found)
        kinds["none" if not found else f"{len(found)} points" if single else "edges or rays"] += 1
        if distance > ALLOWED:
            failures.append({"number": number, "distance": distance, "M": M.tolist(), "q": q.tolist()})
        else:
            worst = max(worst, distance)
    record = {"problems": count, "solutions": dict(kinds), "failures": len(failures), "max_distance": worst}
    return record, failures


def pivoting_campaign(count, rng):
    """Compare `count` friction problems, as far as contacts push one way; return the record and the failures."""
    kinds, failures, worst = Counter(), [], 0.0
    for number in range(count):
        problem = random_problem(rng, int(rng.choice([1, 2, 3, 4], p=SHARES)))
        if any(problem["bilateral"]):
            continue
        with patch.object(modes, "MODES", 0):
            verdict = solve_contacts(as_problem(problem))
        exact, n = pieces_of(problem), len(problem["f"])
        known = "none" if not exact else "one" if kind_of(exact, n) == "one" else "others"
        kinds[f"{known}: {'found' if verdict.every else 'nothing found'}, {verdict.verdict}"] += 1
        distance = 0.0
        if verdict.every:
            a = verdict.every[0].a
            pieces = [as_arrays(piece, n) for piece in exact]
            if all(single for _, single, *_ in pieces):
                points = [point for accelerations, *_ in pieces for point in accelerations]
                gaps = [np.max(np.abs(a - point)) / (1.0 + np.max(np.abs(a))) for point in points]
                distance = float(min(gaps, default=np.inf))
        if distance > ALLOWED or (verdict.verdict == "one" and known != "one"):
            failures.append({"number": number, "distance": distance, "problem": str(problem)})
        else:
            worst = max(worst, distance)
    record = {"problems": sum(kinds.values()), "outcomes": dict(kinds), "failures": len(failures)}
    return record | {"max_distance": worst}, failures


def main():
    """Run all families, print the records, write the JSON file; return 1 if anything failed."""
    options = options_of(__doc__, 10000, 11, "problems in each family")
    families = (
        ("friction", friction_campaign),
        ("complementarity", complementarity_campaign),
        ("pivoting", pivoting_campaign),
    )
    return run_families(options, [(name, campaign, options.count) for name, campaign in families])


if __name__ == "__main__":
    sys.exit(main())
