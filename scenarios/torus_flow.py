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
RADIUS = 0.6  # rad: the neighbourhood
FIBONACCI = np.array([3, 5, 8, 13, 21, 34])

system = g.System("torus flow", coordinates="alpha1 alpha2", kinetic_energy=lambda v: 0.5 * (v.alpha1**2 + v.alpha2**2))
start = g.Start(q=[0.3, 5.0], v=[1.0, GOLDEN], t_end=240.0, step=0.1, rtol=1e-12)


def fibonacci_returns():
    """Times and distances of the closest returns so far, in closed form."""
    n, m = FIBONACCI, np.round(FIBONACCI * GOLDEN)
    square = 1 + GOLDEN**2
    return 2 * np.pi * (n + m * GOLDEN) / square, 2 * np.pi * np.abs(n * GOLDEN - m) / np.sqrt(square)


@g.needs(start.t_end)
def claims(run):
    found, (times, distances) = returns(run, "alpha1 alpha2", RADIUS).records, fibonacci_returns()
    complete = found.t.size == times.size
    near = g.relative(found.distance, distances) if complete else np.inf
    when = g.relative(found.t, times) if complete else np.inf
    volume = np.max(np.abs(phase_volume(run, intervals=4).logarithm))
    nearest = "with the golden mean the closest returns are those of Fibonacci's numbers 3 to 34"
    return [
        g.Claim("the phase flow conserves volume", volume, 1e-12, "logarithm of the volume; its divergence is zero"),
        g.Claim(nearest, near, 1e-11, "closed form; rounding of angles of a few hundred rad, relative to 0.04 rad"),
        g.Claim(
            "they happen at the closed-form times", when, 1e-7, "the time of a minimum is known to the root of eps"
        ),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    dense = run.at(np.linspace(0.0, 80.0, 4000))
    left.plot(dense["alpha1"] % (2 * np.pi), dense["alpha2"] % (2 * np.pi), ".", ms=1)
    left.set(xlabel="alpha1 / rad", ylabel="alpha2 / rad", title="golden mean, 80 s: never closes", aspect="equal")
    found, (times, distances) = returns(run, "alpha1 alpha2", RADIUS), fibonacci_returns()
    right.semilogy(found.t, found.distance, "o", color="0.6", label="returns, Gauss")
    right.semilogy(times, distances, "kx", label="Fibonacci numbers")
    right.set(xlabel="t / s", ylabel="distance from the start / rad", title="returns")
    right.legend()


if __name__ == "__main__":
    g.main(__file__)
