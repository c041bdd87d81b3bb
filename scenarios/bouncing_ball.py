"""A ball bounces infinitely often in a finite time: every impact to rounding, and the stop before the limit.

A ball (a particle of mass m = 1 kg, coordinate z in m, g = 9.81 m/s²) falls from z = h = 1 m on a floor, z ≥ 0, with
the restitution e = 0.9. It first meets the floor at t₁ = √(2h/g) with the speed √(2gh); each bounce is e times as fast
and takes e times as long as the one before, so the impacts fall at

    t_n = t₁ (1 + 2e (1 − e^(n−1))/(1 − e)),   n = 1, 2, 3, …;

the n-th meets the floor at the speed √(2gh) e^(n−1) and takes the energy mgh(1 − e²) e^(2n−2) (J). They accumulate at
the Zeno time t_∞ = t₁ (1 + e)/(1 − e) = 8.578949… s. Infinitely many fit before it, so a run stops just short of it,
with a warning and the reason "chattering"; the run shown here ends at 8.5 s, after 44 impacts.
"""

import warnings

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
start = g.Start(q=[H], t_end=8.5)

FIRST = np.sqrt(2 * H / G)  # s
ZENO = FIRST * (1 + E) / (1 - E)  # s


def impact_times(n):
    """Times of the impacts n = 1, 2, … (an array)."""
    return FIRST * (1 + 2 * E * (1 - E ** (n - 1.0)) / (1 - E))


def height(t):
    """Closed-form height before the Zeno time."""
    n = np.floor(np.log1p(-(t - FIRST) * (1 - E) / (2 * E * FIRST)) / np.log(E)) + 1  # impacts up to t
    tau, speed = t - impact_times(n), np.sqrt(2 * G * H) * E**n
    return np.where(t < FIRST, H - G * t**2 / 2, speed * tau - G * tau**2 / 2)


def claims(run):
    n = np.arange(1, len(run.events) + 1)
    expected = int(np.sum(impact_times(np.arange(1, 200)) < start.t_end))
    times = np.array([event.t for event in run.events])
    speeds = np.array([event.value for event in run.events])
    losses = np.array([event.energy_loss for event in run.events])
    t = np.linspace(0.0, start.t_end, 400)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        to_limit = g.simulate(system, start.q, t_end=10.0, progress="none")
    warned = any(issubclass(w.category, g.MotionWarning) for w in caught)
    late = np.array([event.t for event in to_limit.events])
    rounding = "closed form; free fall is integrated exactly, but the rounding of each impact is carried on"
    return [
        g.Claim(f"{expected} impacts before 8.5 s", abs(len(run.events) - expected), 0.0, "count of the closed form"),
        g.Claim("times of the impacts", g.relative(times, impact_times(n)), 1e-9, rounding),
        g.Claim("speeds of the impacts", g.relative(speeds / E ** (n - 1.0), np.sqrt(2 * G * H)), 1e-9, rounding),
        g.Claim("energies lost", g.relative(losses / E ** (2.0 * n - 2), M * G * H * (1 - E**2)), 1e-9, rounding),
        g.Claim("height between the impacts", g.relative(run.at(t)["z"], height(t)), 1e-9, rounding),
        g.Claim(
            "the energy is mgh less what the impacts took",
            g.relative(run.energy[-1] + np.sum(losses), M * G * H),
            100 * EPS * len(run),
            "rounding: 100·eps for each state",
        ),
        g.Claim(
            "asked for 10 s it stops, warns, and calls the reason chattering",
            float(not warned or to_limit.ending.kind != "chattering"),
            0.0,
            "yes or no",
        ),
        g.Claim(
            "it stops before the Zeno time", max(0.0, float(to_limit.t[-1]) - ZENO), 1e-12, "rounding of the times"
        ),
        g.Claim(
            "but not long before it", ZENO - float(to_limit.t[-1]), 1e-6, "10 times its last interval, 1e-8 of the 10 s"
        ),
        g.Claim(
            "until then the times of all impacts agree",
            g.relative(late, impact_times(np.arange(1, len(late) + 1))),
            1e-9,
            rounding,
        ),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    t = np.linspace(run.t[0], run.t[-1], 2000)
    left.plot(t, run.at(t)["z"], lw=1.2, label="Gauss")
    left.plot(t, H * (1 - t / ZENO) ** 2, "k:", lw=1, label="closed form through the summits")
    left.axvline(ZENO, color="C3", ls="--", label="Zeno time")
    left.set(xlabel="t / s", ylabel="z / m", title="height", ylim=(0, 1.1))
    left.legend()
    times = np.array([event.t for event in run.events])
    n = np.arange(1, times.size + 1)
    right.semilogy(n, ZENO - times, "o", ms=4, label="impacts")
    right.semilogy(n, (ZENO - FIRST) * E ** (n - 1.0), "k-", lw=1, label="closed form, ratio e")
    right.set(xlabel="number of the impact", ylabel="time left to the limit / s", title="accumulation")
    right.legend()


if __name__ == "__main__":
    g.main(__file__)
