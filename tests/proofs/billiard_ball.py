"""The other claims of scenarios/billiard_ball.py."""

import numpy as np

import gauss as g
from scenarios.billiard_ball import OMEGA0, ROLLING, ROLLS, start


@g.needs(start.t_end)
def claims(run):
    reason = "closed form; the motion is a polynomial, so only rounding is left"
    friction = np.hypot(run["slip of table[0]"], run["slip of table[1]"])
    return [
        g.Claim("with the velocity (5v₀ + 2Rω₀×e_z)/7", np.max(np.abs(run.v[-1, :2] - ROLLING)), 1e-9, reason),
        g.Claim("side spin stays", abs(run["d_c"][-1] - OMEGA0[2]), 1e-9, reason),
        g.Claim("friction is μmg while it slips", np.ptp(friction[run.t < ROLLS - 1e-9]), 1e-12, "rounding"),
        g.Claim("none while it rolls", np.max(friction[run.t > ROLLS + 1e-9]), 1e-12, "rounding"),
    ]
