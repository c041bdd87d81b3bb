"""Chain of N four-bar linkages: it folds flat, where N + 1 motions part, and goes through on the right one.

N + 1 rockers AᵢBᵢ stand on the line y = 0 at Aᵢ = (i, 0), and N couplers BᵢBᵢ₊₁ join their ends: uniform bars of 1 m
and 1 kg in the vertical plane, gravity g = 9.81 m/s² along −y. Coordinates are those of the points Bᵢ (m); the rows
are the 2N + 1 squared bar lengths. At the flat positions, all rockers along ±x, N of the rows are lost, and N + 1 lines
of velocities are possible. On the line of parallel rockers, rows of order 3 complete the rank: the motion goes on,
θ̈ = −c cos θ. The motion shown has N = 2 and starts upright with 1 m/s: in χ = π/2 − θ it is the pendulum χ̈ = c sin χ,

    χ(t) = π + 2 am(√(1 + 4c)(t − t_½)/2, k),   k = 4c/(1 + 4c),   t_½ = 2 K(k)/√(1 + 4c).
"""

import numpy as np
from scipy.special import ellipj, ellipk

import gauss as g
from gauss import bodies as mb

SOURCE = "IFToMM benchmark A02 (N four-bar mechanism); parallelogram: A. Müller, J. Mech. Robot. 8 (2016) 041013"

G = 9.81  # m/s²


def _bar(a, b, c, d):
    """Kinetic energy of a uniform bar of 1 kg from the velocities (a, b) and (c, d) of its ends."""
    return (a**2 + a * c + c**2 + b**2 + b * d + d**2) / 6


def _distance(x, y, u, w, length):
    return (u - x) ** 2 + (w - y) ** 2 - length**2


def linkage(grounds, rocker, coupler, name):
    """Return the chain with rocker pivots at (grounds[i], 0) and bars of the given lengths (m), 1 kg each."""
    count = len(grounds)
    weight = [0.5 * (1 + (i > 0) + (i < count - 1)) for i in range(count)]  # kg: half of each bar
    rockers = [
        g.Holonomic(f"rocker {i}", lambda q, i=i: _distance(grounds[i], 0.0, *q[2 * i : 2 * i + 2], rocker))
        for i in range(count)
    ]
    couplers = [
        g.Holonomic(f"coupler {i}", lambda q, i=i: _distance(*q[2 * i : 2 * i + 4], coupler)) for i in range(count - 1)
    ]
    return g.System(
        name,
        coordinates=[f"{axis}{i}" for i in range(count) for axis in "xy"],
        kinetic_energy=lambda v: (
            sum(_bar(0.0, 0.0, *v[2 * i : 2 * i + 2]) for i in range(count))
            + sum(_bar(*v[2 * i : 2 * i + 4]) for i in range(count - 1))
        ),
        potential_energy=lambda q: G * sum(w * q[2 * i + 1] for i, w in enumerate(weight)),
        constraints=[*rockers, *couplers],
    )


def chain(N):
    """Return the chain of N four-bar linkages with bars of 1 m and 1 kg."""
    return linkage(list(range(N + 1)), 1.0, 1.0, f"chain of {N} four-bar linkages")


def positions(N, theta):
    """Return q (2N + 2) with all rockers at the angle θ, or (2N + 2, k) for k angles."""
    return np.array([c for i in range(N + 1) for c in (i + np.cos(theta), np.sin(theta))])


system = chain(2)
start = g.Start(q=positions(2, np.pi / 2), v=np.tile([1.0, 0.0], 3), t_end=10.0, rtol=1e-12)
drawing = mb.Drawing(lines=[lambda q: [(0, 0), *((q[f"x{i}"], q[f"y{i}"]) for i in range(3)), (2, 0)]], speed=0.5)


def angle(t, N=2):
    """θ of the motion that starts upright with 1 m/s, exactly."""
    c = G * ((N + 1) / 2 + N) / ((N + 1) / 3 + N)  # 1/s²: half a weight per rocker and one per coupler, over masses
    k, rate = 4 * c / (1 + 4 * c), np.sqrt(1 + 4 * c)
    *_, amplitude = ellipj(rate * (np.asarray(t) - 2 * ellipk(k) / rate) / 2, k)
    return np.pi / 2 - (np.pi + 2 * amplitude)


@g.needs(start.t_end)
def claims(run):
    passed = angle([e.t for e in run.events if e.kind == "singular"])
    flat = -np.pi * np.arange(1 + np.floor(-angle(run.t[-1]) / np.pi))
    missed = np.max(np.abs(passed - flat)) if len(passed) == len(flat) else np.inf
    off = np.max(np.abs(run.q - positions(2, angle(run.t)).T))
    reason = "Jacobi's amplitude; errors grow while it is upright"
    return [
        g.Claim("through the flat positions the motion is the exact one with parallel rockers", off, 1e-8, reason),
        g.Claim("it is flat when θ is a multiple of π, and the run says so every time", missed, 1e-8, "as above"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    axes.plot(run.t, np.unwrap(np.arctan2(run["y0"], run["x0"])), label="Gauss")
    axes.plot(run.t[::25], angle(run.t[::25]), ".", label="Jacobi's amplitude")
    axes.set(xlabel="t / s", ylabel="θ / rad", title="flat at multiples of π, where N + 1 motions part")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
