"""The other claims of scenarios/skateboard_edge.py.

Chaplygin's skater (1 kg, 1 kg m²) on a slope with g sin s = 1 m/s², as in `chaplygin_skater`: x down the slope, y
along it, z normal to it, phi the direction of the skate, started at rest with the angular velocity ω. The edge does
not slip while the force λ across it is less than μN; here N = 1/tan s is the multiplier of the ground, and on the
cycloid λ = −2 sin ωt. So μN suffices for ever if μ ≥ 2 tan s. With μN = 1.6 N it does not: the skate slips
sideways when sin ωt = 0.8, and is free along itself, as before.

Known answers, with φ = ωt throughout. While the edge holds, the speed u along it has u̇ = cos φ, and

    λ = −(sin φ + u ω),   v = u (cos φ, sin φ).

While it slips with the velocity s = ẋ sin φ − ẏ cos φ of the sign σ, the force across it is F = −σ μN and

    ẋ = ẋ* + (t − t*) − F (cos φ − cos φ*)/ω,   ẏ = ẏ* − F (sin φ − sin φ*)/ω.

The edge slips when |sin φ + u ω| reaches μN, and may catch when s is zero: it holds if |sin φ + u ω| ≤ μN then. All
transitions are roots of these closed forms. The energy goes down by μN |s| per second of slip.
"""

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq

import gauss as g
from scenarios.skateboard_edge import MU_N, OMEGA, start

# ------------------------------------------------------------------ closed forms, phase by phase


class Phase:
    """One phase from t0: the edge holds (side 0) or slips (side ±1) from the velocity and place it starts with."""

    def __init__(self, t0, place, velocity, side):
        self.t0, self.place, self.side = t0, place, side
        self.velocity = velocity
        self.u0 = velocity @ self.along(t0)

    @staticmethod
    def along(t):
        """The direction of the edge."""
        return np.array([np.cos(OMEGA * t), np.sin(OMEGA * t)])

    def speed(self, t):
        """u along the edge, while it holds."""
        return self.u0 + (np.sin(OMEGA * t) - np.sin(OMEGA * self.t0)) / OMEGA

    def at(self, t):
        """Place and velocity, each (2,)."""
        c, s, c0, s0 = np.cos(OMEGA * t), np.sin(OMEGA * t), np.cos(OMEGA * self.t0), np.sin(OMEGA * self.t0)
        tau = t - self.t0
        if self.side:
            F = -self.side * MU_N
            v = np.array([tau - F * (c - c0) / OMEGA, -F * (s - s0) / OMEGA])
            x = np.array(
                [
                    tau**2 / 2 - F * ((s - s0) / OMEGA - c0 * tau) / OMEGA,
                    -F * (-(c - c0) / OMEGA - s0 * tau) / OMEGA,
                ]
            )
            return self.place + self.velocity * tau + x, self.velocity + v
        k = self.u0 - s0 / OMEGA
        x = k * (s - s0) / OMEGA + (s**2 - s0**2) / (2 * OMEGA**2)
        y = -k * (c - c0) / OMEGA + (tau / 2 - (s * c - s0 * c0) / (2 * OMEGA)) / OMEGA
        return self.place + np.array([x, y]), self.speed(t) * self.along(t)

    def slip(self, t):
        """The velocity across the edge."""
        v = self.at(t)[1]
        return v[0] * np.sin(OMEGA * t) - v[1] * np.cos(OMEGA * t)

    def load(self, t):
        """λ that the edge needs to hold."""
        v = self.at(t)[1]
        return -(np.sin(OMEGA * t) + v @ self.along(t) * OMEGA)

    def watched(self, t):
        """What stays positive in the phase."""
        return self.side * self.slip(t) if self.side else MU_N - abs(self.load(t))


@lru_cache(maxsize=1)
def phases():
    """All phases of the motion."""
    found = [Phase(0.0, np.zeros(2), np.zeros(2), 0)]
    while True:
        phase = found[-1]
        times = phase.t0 + np.concatenate([[1e-6], np.arange(1, 20_000) * 1e-3])
        values = np.array([phase.watched(t) for t in times[times < start.t_end]])
        below = np.flatnonzero(values < 0.0)
        if not below.size:
            return found
        k = below[0]
        end = brentq(phase.watched, times[k - 1], times[k], xtol=1e-15, rtol=1e-15)
        load = phase.load(end)
        holds = phase.side and abs(load) <= MU_N
        x, v = phase.at(end)
        side = 0 if holds else -int(np.sign(load))  # the edge gives way against the force it would need
        found.append(Phase(end, x, v, side))


def by_hand(t):
    """Places and velocities (4, N) at given times."""
    begins = np.array([phase.t0 for phase in phases()])
    found = []
    for time in t:
        found.append(np.concatenate(phases()[int(np.searchsorted(begins, time, side="right")) - 1].at(time)))
    return np.array(found).T


@g.needs(start.t_end)
def claims(run):
    known = np.array([phase.t0 for phase in phases()[1:]])
    found = np.array([event.t for event in run.events])
    same = len(found) == len(known)
    x, y, vx, vy = by_hand(run.t)
    rounding = "closed form; dop853 at rtol 1e-10, and each transition starts the next phase"
    return [
        g.Claim(f"{len(known)} transitions", float(not same), 0.0, "roots of the closed forms"),
        g.Claim("their times", g.relative(found, known) if same else 1.0, 1e-9, rounding),
        g.Claim("the path", max(g.relative(run["x"], x), g.relative(run["y"], y)), 1e-9, rounding),
        g.Claim("the velocity", max(g.relative(run["d_x"], vx), g.relative(run["d_y"], vy)), 1e-8, rounding),
    ]
