"""The other claims of scenarios/torus_flow.py."""

import numpy as np

import gauss as g
from gauss.analysis import returns
from scenarios.torus_flow import RADIUS, start, system

RATIONAL = (3, 2)  # b/a = p/q


def closed_motion():
    """The motion with a rational ratio of rates, for two periods and a bit."""
    p, q = RATIONAL
    return g.simulate(system, start.q, [1.0, p / q], t_end=2.1 * 2 * np.pi * q, rtol=1e-12, progress="none")


@g.needs(start.t_end)
def claims(run):
    closed = returns(closed_motion(), "alpha1 alpha2", RADIUS / 10)
    period = 2 * np.pi * RATIONAL[1]
    return [
        g.Claim(
            "with b/a = 3/2 the line closes",
            float(np.max(closed.distance)),
            1e-7,
            "distance from the start at the nearest time, which is known to the root of eps",
        ),
        g.Claim(
            "it does so after 4π/a and 8π/a",
            g.relative(closed.t, [period, 2 * period]) if closed.t.size == 2 else np.inf,
            1e-7,
            "the time of a minimum is known to the root of eps",
        ),
    ]
