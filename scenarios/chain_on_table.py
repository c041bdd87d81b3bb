"""A chain falls on a table, which carries three times the weight that lies on it.

A chain (m = 1 kg, L = 1 m) is held upright, its lower end just above a table, and let go. As long as it falls, the
table carries F = m g x/L + (m/L) ẋ² = 3 m g x/L (N), x = ½ g t² the length that has arrived: its weight, and the
momentum of what arrives. When all has arrived, at T = √(2L/g), the force falls from 3 m g to m g.

The model has n point masses m/n, at the middle of each of n pieces, in the plane. Strings of length L/n between them
cannot push; the table has friction, and impacts are inelastic. The impulse that the table has given up to t tends to
that of the closed form, I = m g² t³/(2L), as n grows; after T it is m g t exactly.
"""

from functools import cache

import numpy as np

import gauss as g

COVERS = ()
SOURCE = "a classical problem of mechanics (chain falling on a scale pan)"

M, L, G = 1.0, 1.0, 9.81  # kg, m, m/s²
STEP, COUNTS = 1e-3, (5, 10, 20)  # s, numbers of masses
T = float(np.sqrt(2 * L / G))  # s


def chain(n):
    piece = L / n * float(np.hypot(1.0, 0.02))  # taut at the start
    rows = [
        g.Unilateral(
            f"string {i + 1}",
            lambda q, k=2 * i: piece - g.hypot(q[k] - q[k + 2], q[k + 1] - q[k + 3]),
        )
        for i in range(n - 1)
    ]
    for k in range(n):
        friction = g.Coulomb(0.5, lambda v, k=k: v[2 * k])
        rows.append(g.Unilateral(f"table {k + 1}", lambda q, k=k: q[2 * k + 1], friction=friction))
    return g.System(
        f"chain of {n} masses",
        coordinates=[f"{axis}{i + 1}" for i in range(n) for axis in "xz"],
        kinetic_energy=lambda v: 0.5 * M / n * sum(v[k] ** 2 for k in range(2 * n)),
        potential_energy=lambda q: M / n * G * sum(q[2 * k + 1] for k in range(n)),
        constraints=rows,
    )


def upright(n):
    """A little to the left and right in turn: masses that lie in one point would leave the strings no direction."""
    return [c for i in range(n) for c in (0.01 * (-1) ** i * L / n, (i + 0.5) * L / n)]


system = chain(5)
start = g.Start(q=upright(5))


@cache
def falls(n):
    """The motion, and the impulse that the table has given after each step (N,)."""
    run = g.simulate(chain(n), upright(n), method="moreau", step=STEP, t_end=round(1.3 * T, 3), progress="none")
    force = sum(run[f"table {i + 1}"][1:] for i in range(n))  # mean of each step
    return run, np.append(0.0, np.cumsum(force * STEP))


def claims(step):
    run, impulse = falls(COUNTS[-1])
    low, high = np.searchsorted(run.t, (0.3 * T, 0.95 * T))
    weight = M * G**2 * (run.t[high] ** 3 - run.t[low] ** 3) / (6 * L)  # what lies there, summed over the time
    share = (impulse[high] - impulse[low]) / weight
    ends = [falls(n)[1][-1] - M * G * falls(n)[0].t[-1] for n in COUNTS]
    return [
        g.Claim("let go, all masses fall with g", np.max(np.abs(step.a[1::2] + G)), 1e-12, "rounding, m/s²"),
        g.Claim(
            f"force over weight that lies there, mean of the middle of the fall, n = {COUNTS[-1]}: 3",
            abs(share - 3.0),
            0.15,
            "half a mass in 20 at either end",
        ),
        g.Claim("in the end the table has given m g t", max(map(abs, ends)), 1e-9, "momentum is exact in each step"),
    ]


def figure(step, figure):
    axes = figure.subplots()
    fine = np.linspace(0.0, T, 200)
    axes.plot(fine, M * G**2 * fine**3 / (2 * L), "k", lw=1.2, label="closed form")
    for n in COUNTS:
        run, impulse = falls(n)
        axes.plot(run.t, impulse, lw=1.2, label=f"{n} masses")
    axes.set(xlabel="t / s", ylabel="impulse of the table / N s")
    axes.legend(loc="upper left")


if __name__ == "__main__":
    g.main(__file__)
