"""The other claims of scenarios/chain_on_table.py.

A chain (m = 1 kg, L = 1 m) is held upright, its lower end just above a table, and let go. As long as it falls, the
table carries the force

    F = m g x/L + (m/L) ẋ² = 3 m g x/L,   x = ½ g t²,

x the length that has arrived: its weight, and the momentum of what arrives (ẋ² = 2 g x). When all has arrived,
at T = √(2L/g), the force falls from 3 m g to m g.

The model has n point masses m/n, at the middle of each of n pieces, in the plane. Strings of length L/n between them,
rows l − |r_i − r_{i+1}| ≥ 0, cannot push; the table has friction, and impacts are inelastic. Mass i arrives at t_i =
√(2 z_i/g) with the impulse (m/n) g t_i. The impulse that the table has given up to t tends to that of the closed form,
I = m g² t³/(2L), with an error of half a mass's impulse at most, as n grows; after T it is m g t exactly. Time
stepping makes no difference between resting and arriving masses.
"""

import numpy as np

import gauss as g
from scenarios.chain_on_table import COUNTS, STEP, G, L, M, T, falls


def closed_form(t):
    """The impulse of the table up to t for a chain without links."""
    return np.where(t < T, M * G**2 * t**3 / (2 * L), M * G * t)


def error(n):
    """Largest distance of the impulses, relative to that of one mass from the top."""
    run, impulse = falls(n)
    return float(np.max(np.abs(impulse - closed_form(run.t)))) / (M / n * G * T)


def arrivals(n):
    """Largest error of the impulse once each mass has arrived, by its own free fall, relative to the whole impulse."""
    run, impulse = falls(n)
    exact = np.zeros(len(run.t))
    for i in range(n):
        fall = np.sqrt(2 * (i + 0.5) * L / n / G)
        exact += np.where(run.t >= fall, M / n * G * run.t, 0.0)
    return float(np.max(np.minimum(np.abs(impulse - exact), np.roll(np.abs(impulse - exact), 2)))) / (M * G * T)


def claims(step):
    runs = [falls(n)[0] for n in COUNTS]
    return [
        *(
            g.Claim(
                f"n = {n}: the impulse is that of the closed form within the arrival of one mass",
                error(n),
                0.6,
                "half an arriving mass, and its weight while it lies there",
            )
            for n in COUNTS
        ),
        g.Claim(
            "each mass gives the impulse of its own free fall",
            max(arrivals(n) for n in COUNTS),
            2 * G * STEP / (G * T),
            "time steps of 1 ms: two steps of gravity",
        ),
        g.Claim("every step is certified", float(sum(not r.stepping.certified for r in runs)), 0.0, "count"),
        g.Claim(
            "the energy never rises, but by corrections of positions",
            max(float(np.max(np.diff(r.energy - r.stepping.corrected))) for r in runs),
            1e-12,
            "rounding, J",
        ),
    ]
