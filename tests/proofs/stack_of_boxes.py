"""The other claims of scenarios/stack_of_boxes.py.

Ten equal boxes (m = 1 kg, 0.3 m wide, 0.1 m high) lie on one another and on a table, with the coefficient of friction
μ = 0.2 everywhere, in the plane. The velocities are those of Moreau's time stepping; box k is the k-th from below.

* At rest each interface carries what stands above it: N_k = (11 − k) m g. There are two corners to an interface. By the
  balance of moments each carries half of it, and the sum of their frictions is zero; but how far the two corners pull
  against one another is not determined: each friction may be anything from −μN_k/2 to μN_k/2.
* On a table tilted by α with μ < tan α < 0.3 (beyond that the stack would tip) all boxes slide down as one,
  x = ½ g (sin α − μ cos α) t².
* Box 5 pulled with F = 90 N slips out between its neighbours: m a₅ = F − μ m g (5 + 6); the five boxes above it follow
  with a = μ g, those below stay, as the friction from above, 6 μ m g, is less than what the next interface may carry.

The System beside it has the ten heights as coordinates; its multipliers are the forces between the boxes.
"""

from functools import cache

import numpy as np

import gauss as g
from gauss.nonsmooth import force_ranges
from scenarios.stack_of_boxes import MU, STEP, TILT, G, M, N, runs, stack


@cache
def ranges():
    return force_ranges(stack(), step=STEP)


def claims(step):
    standing, tilted, pulled = runs()
    found = ranges()
    weights = [G * M * (N - k) for k in range(N)]
    totals = [
        found.totals[("box 1", "HalfPlane 0")],
        *(found.totals[(f"box {k}", f"box {k + 1}")] for k in range(1, N)),
    ]
    speed = {k: pulled.body(f"box {k}").velocity[-1, 0] / pulled.t[-1] for k in range(1, N + 1)}
    limit = np.repeat(weights[1:] + weights[:1], 2) * MU / 2
    wide = np.sort(np.abs(found.friction).max(axis=1)) - np.sort(limit)
    slide = 0.5 * G * (np.sin(TILT) - MU * np.cos(TILT)) * tilted.t**2
    places = np.array([tilted.body(f"box {k + 1}").position[:, 0] for k in range(N)])
    every = (standing, tilted, pulled)
    return [
        g.Claim("the stack stands still", float(np.max(np.abs(standing.v))), 1e-10, "rounding, m/s"),
        g.Claim(
            "each interface carries the weight above it, a determined force",
            max(float(np.max(np.abs(n - w))) for (n, _), w in zip(totals, weights, strict=True)),
            1e-6,
            "tolerance of the linear programs, of 98 N",
        ),
        g.Claim("all normal forces of corners are determined", float(not found.determined(found.normal))),
        g.Claim(
            "the friction of a corner is anything up to half of μN_k",
            float(np.max(np.abs(wide))),
            1e-5,
            "linear programs, N",
        ),
        g.Claim("on the tilted table all boxes slide as one", np.max(np.abs(places - slide)), 1e-9, "solver 1e-10, m"),
        g.Claim(
            "those above it follow with μ g, those below stay",
            max(*(abs(speed[k] - MU * G) for k in range(6, 11)), *(abs(speed[k]) for k in range(1, 5))),
            1e-6,
            "the same, m/s²",
        ),
        g.Claim("every step is certified", float(sum(np.sum(~m.certified) for m in every)), 0.0, "count"),
        g.Claim("nothing penetrates", max(float(np.max(m.penetration)) for m in every), 1e-6, "share of the size"),
        g.Claim("the energy balance of each run closes", max(m.balance for m in every), 1e-11, "rounding, of 49 J"),
    ]
