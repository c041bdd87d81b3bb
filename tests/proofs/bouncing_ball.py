"""The other claims of scenarios/bouncing_ball.py."""

import numpy as np

import gauss as g
from scenarios.bouncing_ball import FIRST, ZENO, E, G, H, M, impact_times, start

EPS = float(np.finfo(float).eps)


def height(t):
    """Closed-form height."""
    early = np.minimum(t, ZENO * (1.0 - 1e-9))
    n = np.floor(np.log1p(-(early - FIRST) * (1 - E) / (2 * E * FIRST)) / np.log(E)) + 1  # impacts up to t
    tau, speed = early - impact_times(n), np.sqrt(2 * G * H) * E**n
    return np.where(t < FIRST, H - G * t**2 / 2, np.where(t < ZENO, speed * tau - G * tau**2 / 2, 0.0))


@g.needs(start.t_end)
def claims(run):
    impacts = [event for event in run.events if event.kind == "impact"]
    (limit,) = [event for event in run.events if event.kind == "accumulation"]
    n = np.arange(1, len(impacts) + 1)
    early = n <= 44  # those up to 8.5 s; the last ones are too slow to be known to nine figures of their own
    times = np.array([event.t for event in impacts])
    speeds = np.array([event.value for event in impacts])
    losses = np.array([event.energy_loss for event in impacts])
    t = np.concatenate([np.linspace(0.0, 8.5, 400), np.linspace(ZENO, run.t[-1], 50)])
    after = run.t > limit.t
    rounding = "closed form; free fall is integrated exactly, but the rounding of each impact is carried on"
    return [
        g.Claim("44 impacts before 8.5 s", abs(int(np.sum(times < 8.5)) - 44), 0.0, "count of the closed form"),
        g.Claim(
            "speeds of the impacts", g.relative((speeds / E ** (n - 1.0))[early], np.sqrt(2 * G * H)), 1e-9, rounding
        ),
        g.Claim(
            "energies lost", g.relative((losses / E ** (2.0 * n - 2))[early], M * G * H * (1 - E**2)), 1e-9, rounding
        ),
        g.Claim("height between the impacts", g.relative(run.at(t)["z"], height(t)), 1e-9, rounding),
        g.Claim("ratio of the intervals", abs(limit.value - E), 1e-6, "rounding of the last intervals, 1e-7 s long"),
        g.Claim("and the floor carries it", g.relative(run["floor"][after], M * G), 1e-12, "λ = mg"),
        g.Claim(
            "impacts have taken all its energy",
            g.relative(np.sum(losses) + limit.energy_loss, M * G * H),
            100 * EPS * len(run),
            "rounding: 100·eps for each state",
        ),
    ]
