"""Random Gauss problems with planted answers: true errors against the error bounds that the solvers claim.

    python validation/random_problems.py --count 1000 --seed 7 --json validation/random_problems.json

Each problem is regular, with 2 to 30 coordinates and carrying rows whose smallest singular value in the mass metric is
1e-8 to 1. A second family has inequality rows with zero slack and zero multiplier. For each solver the table counts how
many answers are certified at rounding level and how many errors exceed the bound, and shows the largest ratio
of error to bound, the largest bound relative to |a|·σ_max/σ_min, and the time per problem.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from campaign import options_of, origin, store
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

from planted import planted  # noqa: E402

import gauss  # noqa: E402
from gauss.principle import SOLVERS  # noqa: E402


def empty():
    """The counts and maxima of one solver, before the first problem."""
    return {
        "problems": 0,
        "certified_at_rounding": 0,
        "failed": 0,
        "error_above_bound": 0,
        "disagreements_with_osqp": 0,
        "max_error_over_bound": 0.0,
        "max_disagreement_over_bounds": 0.0,
        "max_bound_over_size_and_condition": 0.0,
        "max_solver_distance": 0.0,
        "seconds": 0.0,
    }


def campaign(count, seed, degenerate):
    """Solve `count` problems with all solvers; return one record for each solver and the list of failures."""
    rng = np.random.default_rng(seed)
    records = {solver: empty() for solver in SOLVERS}
    failures = []
    for number in range(count):
        case = planted(rng, degenerate)
        size = case.distance(0.0 * case.a)
        reference = None
        for solver in SOLVERS:
            record = records[solver]
            record["problems"] += 1
            start = time.perf_counter()
            try:
                solution = case.solve(solver)
            except gauss.errors.GaussError as error:
                record["failed"] += 1
                failures.append({"problem": number, "solver": solver, "ratio": case.ratio, "error": str(error)})
                continue
            finally:
                record["seconds"] += time.perf_counter() - start
            error, bound = case.distance(solution.a), solution.error_bound
            record["certified_at_rounding"] += int(solution.residuals.at_rounding)
            record["error_above_bound"] += int(error > bound)
            record["max_error_over_bound"] = max(record["max_error_over_bound"], error / bound)
            relative = bound / size * case.ratio
            record["max_bound_over_size_and_condition"] = max(record["max_bound_over_size_and_condition"], relative)
            record["max_solver_distance"] = max(record["max_solver_distance"], solution.solver_distance)
            if error > bound or not solution.residuals.at_rounding:
                failures.append(
                    {"problem": number, "solver": solver, "ratio": case.ratio, "error": error, "bound": bound}
                )
            if solver == "osqp":
                reference = solution
            elif reference is not None:
                gap = case.distance(solution.a, reference.a) / (bound + reference.error_bound)
                record["disagreements_with_osqp"] += int(gap > 1.0)
                record["max_disagreement_over_bounds"] = max(record["max_disagreement_over_bounds"], gap)
    return records, failures


def show(console, title, records):
    """Print one table."""
    table = Table(title=title)
    for heading in (
        "solver",
        "problems",
        "certified at rounding",
        "failed",
        "error > bound",
        "max error/bound",
        "disagree with osqp",
        "max gap/bounds",
        "max bound·σ_min/(σ_max |a|)",
        "ms each",
    ):
        table.add_column(heading, justify="left" if heading == "solver" else "right")
    for solver, r in records.items():
        table.add_row(
            solver,
            str(r["problems"]),
            str(r["certified_at_rounding"]),
            str(r["failed"]),
            str(r["error_above_bound"]),
            f"{r['max_error_over_bound']:.3f}",
            str(r["disagreements_with_osqp"]),
            f"{r['max_disagreement_over_bounds']:.3f}",
            f"{r['max_bound_over_size_and_condition']:.2g}",
            f"{1e3 * r['seconds'] / max(r['problems'], 1):.2f}",
        )
    console.print(table)


def main():
    """Run both families, print the tables, write the JSON file; return 1 if anything failed."""
    options = options_of(__doc__, 1000, 7, "problems in each family")
    console = Console(width=160)
    result = {
        "count": options.count,
        "seed": options.seed,
        **origin("numpy", "scipy", "osqp", "daqp", "cvxpy", "clarabel"),
    }
    failed = False
    for family, degenerate in (("regular", False), ("degenerate", True)):
        records, failures = campaign(options.count, options.seed, degenerate)
        show(console, f"{family}: {options.count} problems, seed {options.seed}", records)
        for failure in failures[:10]:
            console.print(failure)
        result[family] = {"solvers": records, "failures": failures}
        failed |= bool(failures)
    store(options.json, result)
    if options.json is not None:
        console.print(f"written to {options.json}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
