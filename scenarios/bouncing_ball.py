"""A ball bounces infinitely often in a finite time: every impact to rounding, and rest after the limit.

A ball (a particle of mass m = 1 kg, coordinate z in m, g = 9.81 m/s²) falls from z = h = 1 m on a floor, z ≥ 0, with
the restitution e = 0.9. It first meets the floor at t₁ = √(2h/g) with the speed √(2gh); each bounce is e times as fast
and takes e times as long as the one before, so the impacts fall at

    t_n = t₁ (1 + 2e (1 − e^(n−1))/(1 − e)),   n = 1, 2, 3, …;

the n-th meets the floor at the speed √(2gh) e^(n−1) and takes the energy mgh(1 − e²) e^(2n−2) (J). They accumulate at
the Zeno time t_∞ = t₁ (1 + e)/(1 − e) = 8.578949… s. Infinitely many fit before it. A run finds the limit from
the impacts that it has followed, logs it as "accumulation", and goes on from there with the ball at rest.
"""

import numpy as np

import gauss as g

SOURCE = "Siconos, example BouncingBallED"

M, G, H, E = 1.0, 9.81, 1.0, 0.9  # kg, m/s², m, restitution

system = g.System(
    "bouncing ball",
    coordinates="z",
    kinetic_energy=lambda v: 0.5 * M * v.z**2,
    potential_energy=lambda q: M * G * q.z,
    constraints=[g.Unilateral("floor", lambda q: q.z, restitution=E)],
)
start = g.Start(q=[H], t_end=10.0)

FIRST = np.sqrt(2 * H / G)  # s
ZENO = FIRST * (1 + E) / (1 - E)  # s


def impact_times(n):
    """Times of the impacts n = 1, 2, … (an array)."""
    return FIRST * (1 + 2 * E * (1 - E ** (n - 1.0)) / (1 - E))


@g.needs(start.t_end)
def claims(run):
    impacts = [event for event in run.events if event.kind == "impact"]
    (limit,) = [event for event in run.events if event.kind == "accumulation"]
    n = np.arange(1, len(impacts) + 1)
    times = np.array([event.t for event in impacts])
    after = run.t > limit.t
    rounding = "closed form; free fall is integrated exactly, but the rounding of each impact is carried on"
    return [
        g.Claim("times of all impacts", g.relative(times, impact_times(n)), 1e-9, rounding),
        g.Claim("Zeno time", abs(limit.t - ZENO), 1e-9, "limit of the geometric sequence, of its last intervals"),
        g.Claim("then the ball rests", float(np.max(np.abs(run["z"][after]))), 1e-12, "projection"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    t = np.linspace(run.t[0], run.t[-1], 2000)
    axes.plot(t, run.at(t)["z"], lw=1.2, label="Gauss")
    axes.plot(t, H * np.maximum(1 - t / ZENO, 0.0) ** 2, "k:", lw=1, label="closed form through the summits")
    axes.axvline(ZENO, color="C3", ls="--", label="Zeno time")
    axes.set(xlabel="t / s", ylabel="z / m", title="height", ylim=(0, 1.1))
    axes.legend(loc="upper center")


if __name__ == "__main__":
    g.main(__file__)
