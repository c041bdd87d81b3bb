"""Random boxes thrown onto a floor or belt: no run gets stuck, no corner sinks in, and the energy adds up.

Each box has random proportions, restitution, coefficients, spin and law of impact. A run must reach its end time; its
corners stay above the floor, friction does no positive work, the recorded accelerations are among all solutions of the
law of friction, and energy less the works of friction, belt and impacts is what it was at the start.

    python validation/contact_motion.py 200        # writes validation/contact_motion.json
"""

import json
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import gauss as g
from gauss.analysis.energy import energy_residual
from gauss.analysis.friction import friction_claims

G, SPAN = 9.81, 3.0  # m/s², s
CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))
LAWS = ("moreau", "poisson", "stronge")


def corner(i, b, h, e, mu, static, belt):
    """Return the row of one corner of a box of half sides b, h, with its friction."""
    X, Z = CORNERS[i][0] * b, CORNERS[i][1] * h

    def slip(q, v):
        return v.x - v.th * (X * g.sin(q.th) + Z * g.cos(q.th)) - belt

    law = g.Coulomb(mu, slip, static)
    return g.Unilateral(f"c{i}", lambda q: q.z + X * g.sin(q.th) + Z * g.cos(q.th), restitution=e, friction=law)


def thrown(seed):
    """Return a random box as the arguments of simulate, and its half sides."""
    rng = np.random.default_rng(seed)
    b, h = rng.uniform(0.2, 1.0, 2)
    e, mu, belt = rng.choice([0.0, 0.3, 0.6]), rng.uniform(0.05, 1.2), rng.choice([0.0, 0.5])
    static = mu * rng.choice([1.0, 1.3])
    system = g.System(
        "box",
        "x z th",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + (b * b + h * h) / 3 * v.th**2),
        potential_energy=lambda q: G * q.z,
        constraints=[corner(i, b, h, e, mu, static, belt) for i in range(4)],
    )
    angle = rng.uniform(-3.0, 3.0)
    height = b * abs(np.sin(angle)) + h * abs(np.cos(angle)) + rng.uniform(0.0, 0.5)
    v = [2 * rng.normal(), 0.0, 3 * rng.normal()]
    options = {"impacts": str(rng.choice(LAWS)), "paradox": "impact"}
    return system, [0.0, height, angle], v, options, (b, h)


def judged(seed):
    """Return what became of one box."""
    system, q, v, options, (b, h) = thrown(seed)
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", g.errors.MotionWarning)
        run = g.simulate(system, q, v, t_end=SPAN, solver="kkt", progress="none", **options)
    seconds = time.perf_counter() - begin
    sines, cosines = np.sin(run["th"]), np.cos(run["th"])
    gap = min(float(np.min(run["z"] + X * b * sines + Z * h * cosines)) for X, Z in CORNERS)
    residual = energy_residual(run)
    return {
        "seed": seed,
        "law": options["impacts"],
        "ending": run.ending.kind,
        "message": run.ending.message,
        "gap": gap,
        "energy": abs(float(residual[-1])),
        "broken": [claim.name for claim in friction_claims(run) if not claim.holds],
        "events": dict(Counter(event.kind for event in run.events)),
        "seconds": seconds,
    }


def summary(found):
    """Return the numbers of a campaign."""
    done = [each for each in found if each["ending"] == "finished"]
    return {
        "boxes": len(found),
        "endings": dict(Counter(f"{each['law']}: {each['ending']}" for each in found)),
        "messages": sorted({each["message"] for each in found if each["ending"] != "finished"})[:20],
        "worst_gap": min(each["gap"] for each in done),
        "worst_energy": max(each["energy"] for each in done),
        "broken_claims": sum(bool(each["broken"]) for each in done),
        "events": dict(sum((Counter(each["events"]) for each in found), Counter())),
        "seconds": sum(each["seconds"] for each in found),
    }


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    result = summary([judged(seed) for seed in range(count)])
    if count >= 100:
        Path(__file__).with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))
