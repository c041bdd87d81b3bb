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
EPS = float(np.finfo(float).eps)

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
        g.Claim("times of all impacts", g.relative(times, impact_times(n)), 1e-9, rounding),
        g.Claim(
            "speeds of the impacts", g.relative((speeds / E ** (n - 1.0))[early], np.sqrt(2 * G * H)), 1e-9, rounding
        ),
        g.Claim(
            "energies lost", g.relative((losses / E ** (2.0 * n - 2))[early], M * G * H * (1 - E**2)), 1e-9, rounding
        ),
        g.Claim("height between the impacts", g.relative(run.at(t)["z"], height(t)), 1e-9, rounding),
        g.Claim("Zeno time", abs(limit.t - ZENO), 1e-9, "limit of the geometric sequence, of its last intervals"),
        g.Claim("ratio of the intervals", abs(limit.value - E), 1e-6, "rounding of the last intervals, 1e-7 s long"),
        g.Claim("then the ball rests", float(np.max(np.abs(run["z"][after]))), 1e-12, "projection"),
        g.Claim("and the floor carries it", g.relative(run["floor"][after], M * G), 1e-12, "λ = mg"),
        g.Claim(
            "impacts have taken all its energy",
            g.relative(np.sum(losses) + limit.energy_loss, M * G * H),
            100 * EPS * len(run),
            "rounding: 100·eps for each state",
        ),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    t = np.linspace(run.t[0], run.t[-1], 2000)
    left.plot(t, run.at(t)["z"], lw=1.2, label="Gauss")
    left.plot(t, H * np.maximum(1 - t / ZENO, 0.0) ** 2, "k:", lw=1, label="closed form through the summits")
    left.axvline(ZENO, color="C3", ls="--", label="Zeno time")
    left.set(xlabel="t / s", ylabel="z / m", title="height", ylim=(0, 1.1))
    left.legend(loc="upper center")
    times = np.array([event.t for event in run.events if event.kind == "impact"])
    n = np.arange(1, times.size + 1)
    right.semilogy(n, ZENO - times, "o", ms=3, label="impacts")
    right.semilogy(n, (ZENO - FIRST) * E ** (n - 1.0), "k-", lw=1, label="closed form, ratio e")
    right.set(xlabel="number of the impact", ylabel="time left to the limit / s", title="accumulation")
    right.legend()


if __name__ == "__main__":
    g.main(__file__)
