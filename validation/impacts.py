"""Random planar impacts: Moreau's law against exact arithmetic, and the balance of energy of every law.

    python validation/impacts.py --count 10000 --seed 21 --json validation/impacts.json

The first family has 1 to 3 contacts with friction and small whole numbers as data (velocities even, e in {0, ½, 1}), so
that wedged and coinciding contacts are common. All velocities after the impact are computed once by the package and
once by tests/rational_friction.py without rounding. A failure is a velocity that only one of the two has, within 1e-8,
or an impact that only one of them resolves. The second family has a tenth as many random real problems with moving
obstacles, each resolved by every law: the table counts the impacts refused for a gain of energy and those without a
solution (obstacles may drive contacts together that friction wedges; a trial of all modes must then find none, either),
and shows the largest error of the balance of energy, the largest gain and the largest violation of the cones that were
let pass, relative to the energy and to the impulses.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
from campaign import options_of, run_families

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

from rational_friction import as_arrays, pieces_of  # noqa: E402
from test_impacts import by_modes, random_problem, whole  # noqa: E402

from gauss.contact import LAWS, collide  # noqa: E402
from gauss.contact.impacts.simultaneous import moreau  # noqa: E402
from gauss.errors import EnergyGainError, GaussError  # noqa: E402

ALLOWED = 1e-8  # rounding, times the condition of modes made of whole numbers up to 3


def distance_of(p, exact):
    """Largest distance between the velocities of the package and the exact ones, and the kind of the problem."""
    wanted = [a for piece in pieces_of(exact) for a in as_arrays(piece, len(p.v))[0]]
    try:
        found = moreau(p)
    except GaussError:
        return (np.inf if wanted else 0.0), "none"
    if not wanted:
        return np.inf, "none"
    every = np.array([found.v, *found.others])
    apart = np.max(np.abs(np.array(wanted)[:, None] - every[None]), axis=2)
    size = max(1.0, float(np.max(np.abs(wanted))))
    kind = "one" if len(every) == 1 else "several" if found.decided else "continuum"
    return float(max(np.max(np.min(apart, axis=0)), np.max(np.min(apart, axis=1)))) / size, kind


def exact_campaign(count, rng):
    """Compare `count` problems with exact arithmetic; return the record and the failures."""
    kinds, failures, worst, begin = Counter(), [], 0.0, time.perf_counter()
    for number in range(count):
        p, exact = whole(rng, int(rng.choice([1, 2, 3], p=[0.35, 0.45, 0.2])))
        distance, kind = distance_of(p, exact)
        kinds[kind] += 1
        if distance > ALLOWED:
            failures.append({"number": number, "distance": distance, "problem": str(exact)})
        else:
            worst = max(worst, distance)
    record = {"problems": count, "outcomes": dict(kinds), "failures": len(failures), "max_distance": worst}
    return record | {"seconds": time.perf_counter() - begin}, failures


def possible(p, law):
    """Whether some impulses satisfy Moreau's law, with e = 0 for the other laws, which build on it: all modes tried."""
    gap = p.N @ p.v - p.nu
    rebound = p.restitution * np.minimum(gap, 0.0) if law == "moreau" else 0.0
    return bool(by_modes(p, np.concatenate([gap + rebound, p.T @ p.v - p.tau]), np.zeros(p.k)))


def energy_campaign(count, rng):
    """Resolve `count` problems by every law; return the record and the failures."""
    counts = {law: Counter() for law in LAWS}
    failures, balance, gain, cone = [], 0.0, -np.inf, 0.0
    for number in range(count):
        p = random_problem(rng, int(rng.choice([1, 2, 3])))
        for law in LAWS:
            try:
                c = collide(p, law)
            except EnergyGainError:
                counts[law]["refused"] += 1
                if law == "stronge":
                    failures.append({"number": number, "law": law, "what": "refused"})
                continue
            except GaussError as error:
                counts[law]["without a solution"] += 1
                if possible(p, law):
                    failures.append({"number": number, "law": law, "what": str(error)})
                continue
            counts[law]["cut short" if c.cut_short else "resolved"] += 1
            size = c.energy_before + c.energy_after
            works = float(c.normal_work.sum() + c.tangential_work.sum())
            balance = max(balance, abs(works + c.drive_work + c.energy_loss) / size)
            gain = max(gain, works / size)
            outside = np.maximum(np.abs(c.tangential) - p.static * c.normal, -c.normal)
            cone = max(cone, float(np.max(outside)) / max(float(np.max(np.abs(c.normal))), 1e-300))
    record = {
        "problems": count,
        "laws": {law: dict(found) for law, found in counts.items()},
        "failures": len(failures),
        "max_error_of_the_balance": balance,
        "max_gain_let_pass": gain,
        "max_outside_the_cone": cone,
    }
    return record, failures


def main():
    """Run both families, print the records, write the JSON file; return 1 if anything failed."""
    options = options_of(__doc__, 10000, 21, "problems of the first family, ten times those of the second")
    families = [("exact", exact_campaign, options.count), ("energy", energy_campaign, options.count // 10)]
    return run_families(options, families)


if __name__ == "__main__":
    sys.exit(main())
