"""Random quadrics: the stationary points that the package lists against a brute-force search, and Stäckel's cone.

    python validation/random_quadrics.py --count 400 --seed 7 --json validation/random_quadrics.json

Four families: one quadric, two, three (2 to 4 coordinates: generic ones, cones, equal and vanishing eigenvalues, along
the axes, with targets that are zero in some coordinates), and one to three conditions of which some are inequalities.
From many random starts brute force (tests/brute_quadrics.py, which shares no code with the package; scipy's SLSQP for
inequalities) looks for minima and other stationary points that are not in the list, and for admissible points below the
least value of the list. Each problem is also solved rotated, in another unit and with other factors. A fifth family
measures the error of the feet on Stäckel's cone against their closed form.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
from campaign import options_of, origin, store
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

import brute_quadrics as brute  # noqa: E402

from gauss.numerics.quadrics.stationary import Quadric, stationary  # noqa: E402

KINDS = ("generic", "cone", "repeated", "axes")
CLOSE = 1e-5  # distance, relative to 1 + |y|, within which a point found by brute force counts as listed
CLOSE_SLSQP = 2e-4  # the same for SLSQP, which stops early
BELOW = 1e-6  # by how much an admissible value may be below the least value of the list (roundings of brute force)


def drawn(rng, d, kind):
    """One quadric (S, g, c)."""
    if kind in ("generic", "cone"):
        S = rng.normal(size=(d, d))
        generic = kind == "generic"
        return S + S.T, rng.normal(size=d) * generic, float(rng.normal() * generic)
    values = rng.choice([-1.0, 1.0, 2.0, 0.0], size=d)
    level = float(rng.normal() * rng.integers(0, 2))
    if kind == "repeated":
        Q = np.linalg.qr(rng.normal(size=(d, d)))[0]
        S = Q @ np.diag(values) @ Q.T
        return (S + S.T) / 2.0, rng.normal(size=d) * rng.integers(0, 2), level
    return np.diag(values), np.where(rng.random(d) < 0.3, rng.normal(size=d), 0.0), level


def problem(rng, p, senses):
    """A target and p quadrics that depend on y."""
    d = int(rng.integers(2, 5))
    quadrics = []
    while len(quadrics) < p:
        S, g, c = drawn(rng, d, KINDS[int(rng.integers(4))])
        if np.any(S) or np.any(g):
            quadrics.append(Quadric(S, g, c, str(rng.choice(senses))))
    y0 = rng.normal(size=d)
    return (np.where(rng.random(d) < 0.3, 0.0, y0) if rng.random() < 0.3 else y0), quadrics


def listed(found, y, close):
    """Whether a point is in the list."""
    limit = close * (1.0 + np.linalg.norm(y))
    points = any(np.linalg.norm(p.y - y) <= limit for p in found.points)
    return points or any(f.contains(y, limit) for f in found.families)


def compared(found, y0, quadrics, rng):
    """Return what brute force objects to: minima and stationary points that are missing, values that are lower."""
    plain = [(q.S, q.g, q.c) for q in quadrics]
    with np.errstate(all="ignore"):
        minima = brute.minima(y0, plain, rng, 200)
        points = brute.kkt_points(y0, plain, rng, 500)
        some = [y for y in brute.admissible(y0, plain, rng, 500) if brute.regular(plain, y)]
    least = min([x.value for x in found.minimisers], default=np.inf)
    return {
        "minima_found_by_brute_force": len(minima),
        "stationary_points_found_by_brute_force": len(points),
        "missed_minima": sum(not listed(found, y, CLOSE) for y in minima),
        "missed_stationary_points": sum(not listed(found, y, CLOSE) for y in points),
        "lower_values": sum(0.5 * float(np.sum((y - y0) ** 2)) < least - BELOW for y in some),
    }


def compared_with_slsqp(found, y0, quadrics, rng):
    """Return the same for inequalities, with scipy's SLSQP."""
    inside = all(q.sense == ">=" and q.value(y0) >= 0.0 for q in quadrics)
    least = min([x.value for x in found.minimisers], default=np.inf)
    with np.errstate(all="ignore"):
        minima = list(brute.minima_of_region(y0, quadrics, rng, 25))
    return {
        "minima_found_by_brute_force": len(minima),
        "missed_minima": 0 if inside else sum(not listed(found, y, CLOSE_SLSQP) for y in minima),
        "lower_values": sum(0.5 * float(np.sum((y - y0) ** 2)) < least - BELOW for y in minima),
    }


def changed(found, y0, quadrics, rng):
    """Return whether rotation, unit and factors change what is listed, and by how much the points differ."""
    d = y0.size
    R, unit = np.linalg.qr(rng.normal(size=(d, d)))[0], 10.0 ** rng.uniform(-8, 8)
    others = []
    for q in quadrics:
        factor = 10.0 ** rng.uniform(-6, 6) * (1.0 if q.sense == ">=" else rng.choice([-1.0, 1.0]))
        S = factor * R @ q.S @ R.T
        others.append(Quadric((S + S.T) / 2.0, factor * unit * R @ q.g, factor * unit**2 * q.c, q.sense))
    twin = stationary(unit * R @ y0, others)
    same = (twin.status, twin.complete, len(twin.points), len(twin.families), len(twin.pieces)) == (
        *(found.status, found.complete, len(found.points), len(found.families), len(found.pieces)),
    )
    off = 0.0
    for p in found.points if same and found.complete else ():
        nearest = min(twin.points, key=lambda q, y=p.y: np.linalg.norm(unit * R @ y - q.y))
        off = max(off, float(np.linalg.norm(R.T @ nearest.y / unit - p.y) / (1.0 + np.linalg.norm(p.y))))
        same = same and (nearest.kind, nearest.least) == (p.kind, p.least)
    return same, off


def campaign(count, seed, p, senses):
    """Solve and compare `count` problems; return the record of one family and the problems with objections."""
    rng = np.random.default_rng(seed)
    totals, status = Counter(), Counter()
    failures = []
    worst, seconds = 0.0, 0.0
    for number in range(count):
        size = int(rng.integers(1, p + 1)) if ">=" in senses else p
        y0, quadrics = problem(rng, size, senses)
        begin = time.perf_counter()
        found = stationary(y0, quadrics)
        seconds += time.perf_counter() - begin
        status[f"{found.status}, {'complete' if found.complete else 'not certified complete'}"] += 1
        totals["globally_certified"] += int(found.globally_certified)
        check = compared if all(q.sense == "=" for q in quadrics) else compared_with_slsqp
        result = check(found, y0, quadrics, np.random.default_rng([seed, number]))
        same, off = changed(found, y0, quadrics, np.random.default_rng([seed, number, 1]))
        result["changed_by_rotation_or_unit"] = int(not same)
        worst = max(worst, off)
        totals.update(result)
        objections = {k: v for k, v in result.items() if v and not k.endswith("brute_force")}
        if objections:
            failures.append({"problem": number, "complete": found.complete, "status": found.status} | objections)
    record = {"problems": count, "status": dict(sorted(status.items()))} | dict(totals)
    return record | {"max_change_by_rotation_or_unit": worst, "ms_each": 1e3 * seconds / count}, failures


def staeckel(count, seed):
    """Return the largest errors of the feet on Stäckel's cone, over |F| and over the stated 1e-12 |F|²/ρ."""
    rng = np.random.default_rng(seed)
    S = np.diag([1.0, 1.0, -1.0])
    record = {"problems": count, "max_error_over_size": 0.0, "max_error_over_stated_bound": 0.0, "wrong_kinds": 0}
    for number in range(count):
        size, share, angle = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-9, 0), rng.uniform(0.0, 2.0 * np.pi)
        height = np.sqrt(1.0 - share**2) * rng.choice([-1.0, 1.0])
        F = size * np.array([share * np.cos(angle), share * np.sin(angle), height])
        Q = np.linalg.qr(rng.normal(size=(3, 3)))[0] if number % 2 else np.eye(3)
        turned = Q @ S @ Q.T
        found = stationary(Q @ F, [Quadric((turned + turned.T) / 2.0, np.zeros(3), 0.0)])
        rho, Z = np.hypot(F[0], F[1]), abs(F[2])
        e, up = F[:2] / rho, np.sign(F[2])
        second = "local minimum" if rho > Z else "saddle"
        points = {p.kind: Q.T @ p.y for p in found.points}
        if set(points) != {"global minimum", second, "vertex"}:
            record["wrong_kinds"] += 1
            continue
        near = np.append(e * (rho + Z) / 2.0, up * (rho + Z) / 2.0)
        far = np.append(e * (rho - Z) / 2.0, -up * (rho - Z) / 2.0)
        error = max(np.linalg.norm(points["global minimum"] - near), np.linalg.norm(points[second] - far))
        record["max_error_over_size"] = max(record["max_error_over_size"], float(error / size))
        stated = float(error / (1e-12 * size * size / rho))
        record["max_error_over_stated_bound"] = max(record["max_error_over_stated_bound"], stated)
    return record


FAMILIES = {"one quadric": (1, ["="]), "two": (2, ["="]), "three": (3, ["="]), "inequalities": (3, ["=", ">=", ">="])}


def main():
    """Run all families, print the tables, write the JSON file; return 1 if anything was missed."""
    options = options_of(__doc__, 400, 7, "problems in each family")
    console = Console(width=140)
    result = {
        "count": options.count,
        "seed": options.seed,
        **origin("numpy", "scipy"),
    }
    failed = False
    for name, (p, senses) in FAMILIES.items():
        record, failures = campaign(options.count, options.seed, p, senses)
        table = Table("", "", title=f"{name}: {options.count} problems, seed {options.seed}")
        for key, value in record.items():
            table.add_row(key, str(value) if not isinstance(value, float) else f"{value:.3g}")
        console.print(table)
        for failure in failures[:10]:
            console.print(failure)
        result[name] = record | {"objections": failures}
        failed |= any(f.get("missed_minima", 0) or f.get("lower_values", 0) for f in failures)
        failed |= any(f["complete"] for f in failures)
    result["Stäckel's cone"] = staeckel(max(1000, options.count), options.seed)
    console.print(result["Stäckel's cone"])
    failed |= result["Stäckel's cone"]["max_error_over_stated_bound"] > 1.0
    failed |= result["Stäckel's cone"]["wrong_kinds"] > 0
    store(options.json, result)
    if options.json is not None:
        console.print(f"written to {options.json}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
