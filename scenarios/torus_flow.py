"""Flow on a torus: with a rational ratio of rates it closes, with the golden mean it returns at Fibonacci times.

Two free flywheels of inertia 1 kg m² turn by alpha1 and alpha2 (rad) at the constant rates a = 1 rad/s and b: a point
on the torus of the two angles, each modulo 2π, moves on a straight line. The phase flow has no divergence, and so by
Poincaré's theorem almost every motion comes back to any neighbourhood of its start.

Known answers. For b/a = p/q in lowest terms the line closes after the time 2πq/a. For b/a = φ, the golden mean, it
never does; when alpha1 has turned n times round, alpha2 is nearest to m times, and the line passes the start at the
distance 2π|nφ − m|/√(1 + φ²), at the time 2π(n + mφ)/(a(1 + φ²)). The closest returns so far are those where n and m
are consecutive Fibonacci numbers, n = F_k, with |F_k φ − F_{k+1}| = φ^−k.
"""

import numpy as np

import gauss as g
from gauss.analysis.integrals.phase_flow import phase_volume, returns

COVERS = ("T13",)
SOURCE = "TM §5.8–5.11"

GOLDEN = (1 + np.sqrt(5)) / 2
RATIONAL = (3, 2)  # b/a = p/q
RADIUS = 0.6  # rad: the neighbourhood
FIBONACCI = np.array([3, 5, 8, 13, 21, 34])

system = g.System("torus flow", coordinates="alpha1 alpha2", kinetic_energy=lambda v: 0.5 * (v.alpha1**2 + v.alpha2**2))
start = g.Start(q=[0.3, 5.0], v=[1.0, GOLDEN], t_end=240.0, step=0.1, rtol=1e-12)


def closed_motion():
    """The motion with a rational ratio of rates, for two periods and a bit."""
    p, q = RATIONAL
    return g.simulate(system, start.q, [1.0, p / q], t_end=2.1 * 2 * np.pi * q, rtol=1e-12, progress="none")


def fibonacci_returns():
    """Times and distances of the closest returns so far, in closed form."""
    n, m = FIBONACCI, np.round(FIBONACCI * GOLDEN)
    square = 1 + GOLDEN**2
    return 2 * np.pi * (n + m * GOLDEN) / square, 2 * np.pi * np.abs(n * GOLDEN - m) / np.sqrt(square)


@g.needs(start.t_end)
def claims(run):
    closed = returns(closed_motion(), "alpha1 alpha2", RADIUS / 10)
    period = 2 * np.pi * RATIONAL[1]
    found, (times, distances) = returns(run, "alpha1 alpha2", RADIUS).records, fibonacci_returns()
    complete = found.t.size == times.size
    return [
        g.Claim(
            "the phase flow conserves volume",
            float(np.max(np.abs(phase_volume(run, intervals=4).logarithm))),
            1e-12,
            "logarithm of the relative volume; its divergence is zero",
        ),
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
        g.Claim(
            "with the golden mean the closest returns are those of Fibonacci's numbers 3 to 34",
            g.relative(found.distance, distances) if complete else np.inf,
            1e-11,
            "closed-form distances; rounding of angles of a few hundred rad, relative to 0.04 rad",
        ),
        g.Claim(
            "they happen at the closed-form times",
            g.relative(found.t, times) if complete else np.inf,
            1e-7,
            "the time of a minimum is known to the root of eps",
        ),
    ]


def figure(run, figure):
    left, middle, right = figure.subplots(1, 3)
    for axes, motion, end, title in (
        (left, closed_motion(), 4 * np.pi, "b/a = 3/2: closed"),
        (middle, run, 80.0, "golden mean, 80 s: never closes"),
    ):
        dense = motion.at(np.linspace(0.0, end, 6000))
        angles = np.column_stack([dense["alpha1"], dense["alpha2"]]) % (2 * np.pi)
        jumps = np.any(np.abs(np.diff(angles, axis=0)) > np.pi, axis=1)
        angles[1:][jumps] = np.nan
        axes.plot(*angles.T, lw=0.9)
        axes.plot(*(np.array(start.q) % (2 * np.pi)), "ko", ms=5, label="start")
        axes.set(xlabel="alpha1 / rad", ylabel="alpha2 / rad", title=title, aspect="equal")
        axes.set(xlim=(0, 2 * np.pi), ylim=(0, 2 * np.pi))
    found, (times, distances) = returns(run, "alpha1 alpha2", RADIUS), fibonacci_returns()
    right.semilogy(found.t, found.distance, "o", ms=4, color="0.6", label="returns, Gauss")
    right.semilogy(times, distances, "kx", ms=8, label="Fibonacci numbers")
    right.set(xlabel="t / s", ylabel="distance from the start / rad", title="returns")
    right.legend(loc="lower left")


if __name__ == "__main__":
    g.main(__file__)
