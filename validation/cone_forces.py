"""Random forces at the apex of a circular cone: the two accelerations against their closed form.

    python validation/cone_forces.py --count 1000 --seed 3 --json validation/cone_forces.json

The forces are 1e-3 … 1e3 N long, and half of them are turned towards the axis, to 1e-8 of it, where the azimuth of the
feet is known to ε|F|/ρ only. `tests/proofs/cone_force_off_axis.py` has the closed form and a sample of them. Recorded
are the worst errors: of the feet relative to |F|²/ρ, of those with ρ > |F|/1000 relative to |F|, and of the Zwang.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from campaign import options_of, run_families

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from proofs import together

apex = together("cone_force_off_axis")
BOUNDS = {"feet": 1.0, "moderate": 1e-9, "zwang": 1e-12, "wrong": 0.0}  # those of the scenario's claims


def circular(count, rng):
    """Return the worst errors over so many forces, and the forces at which one exceeds its bound."""
    forces = apex.random_forces(count, rng)
    found = np.array([apex.at_force(force) for force in forces])
    failed = forces[~np.all(found <= list(BOUNDS.values()), axis=1)]
    worst = np.max(found, axis=0)
    record = {
        "problems": count,
        "feet": float(worst[0] * 1e-12),
        "moderate": float(worst[1]),
        "zwang": float(worst[2]),
        "wrong": int(np.sum(found[:, 3])),
    }
    return record, failed.tolist()


def main():
    """Run the forces and store what was found."""
    options = options_of(__doc__, 1000, 3, "forces")
    return run_families(options, [("circular cone", circular, options.count)])


if __name__ == "__main__":
    sys.exit(main())
