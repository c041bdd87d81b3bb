"""The other claims of scenarios/slip_to_roll.py."""

import numpy as np

import gauss as g
from scenarios.slip_to_roll import MU, ROLLS, V0, G, M, R, speeds

REASON = "closed form; the motion is a polynomial, so only rounding is left"


def claims(run):
    t = np.linspace(run.t[0], run.t[-1], 200)
    dense = run.at(t)
    centre, rim = speeds(t)
    return [
        *rolling(run),
        g.Claim("speed of the centre", float(np.max(np.abs(dense["d_x"] - centre))), 1e-9, REASON),
        g.Claim("speed of the rim", float(np.max(np.abs(R * dense["d_theta"] - rim))), 1e-9, REASON),
    ]


@g.needs(1.01 * ROLLS, "what is claimed of rolling")
def rolling(run):
    (event,) = [e for e in run.events if e.kind == "stick"]
    at = run.at(event.t)
    return [
        g.Claim("after the way 12v₀²/(49μg)", abs(at["x"][0] - 12 * V0**2 / (49 * MU * G)), 1e-9, REASON),
        g.Claim(
            "no friction force while it rolls",
            float(np.max(np.abs(run["slip of floor"][run.t > ROLLS + 1e-9]))),
            1e-12 * M * G,
            "rounding",
        ),
    ]
