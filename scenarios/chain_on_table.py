"""A chain falls on a table, which carries three times the weight that lies on it.

A chain (m = 1 kg, L = 1 m) is held upright, its lower end just above a table, and let go. As long as it falls, the
table carries the force

    F = m g x/L + (m/L) ẋ² = 3 m g x/L,   x = ½ g t²,

x the length that has arrived: its weight, and the momentum of what arrives (ẋ² = 2 g x). When all has arrived,
at T = √(2L/g), the force falls from 3 m g to m g.

The model has n point masses m/n, at the middle of each of n pieces, in the plane. Strings of length L/n between them,
rows l − |r_i − r_{i+1}| ≥ 0, cannot push; the table is rough, and impacts are inelastic. Mass i arrives at t_i =
√(2 z_i/g) with the impulse (m/n) g t_i. The impulse that the table has given up to t tends to that of the closed form,
I = m g² t³/(2L), with an error of half a mass's impulse at most, as n grows; after T it is m g t exactly. Time
stepping makes no difference between resting and arriving masses.
"""

from functools import cache

import numpy as np

import gauss as g
from gauss.nonsmooth import moreau

COVERS = ()
SOURCE = "a classical problem of mechanics (chain falling on a scale pan)"

M, L, G = 1.0, 1.0, 9.81  # kg, m, m/s²
STEP = 1e-3  # s
COUNTS = (5, 10, 20)
T = float(np.sqrt(2 * L / G))  # s


def masses(q, n):
    return [(q[2 * i], q[2 * i + 1]) for i in range(n)]


def chain(n):
    piece = L / n * float(np.hypot(1.0, 0.02))  # taut at the start

    def string(i):
        def slack(q):
            (x, z), (y, w) = masses(q, n)[i : i + 2]
            return piece - g.hypot(x - y, z - w)

        return g.Unilateral(f"string {i + 1}", slack)

    def table(i):
        return g.Unilateral(f"table {i + 1}", lambda q: q[2 * i + 1], friction=g.Coulomb(0.5, lambda v: v[2 * i]))

    return g.System(
        f"chain of {n} masses",
        coordinates=[f"{axis}{i + 1}" for i in range(n) for axis in "xz"],
        kinetic_energy=lambda v: 0.5 * M / n * sum(v[k] ** 2 for k in range(2 * n)),
        potential_energy=lambda q: M / n * G * sum(z for _, z in masses(q, n)),
        constraints=[*(string(i) for i in range(n - 1)), *(table(i) for i in range(n))],
    )


def upright(n):
    """A little to the left and right in turn: masses that lie in one point would leave the strings no direction."""
    return [c for i in range(n) for c in (0.01 * (-1) ** i * L / n, (i + 0.5) * L / n)]


system = chain(5)
start = g.Start(q=upright(5))


@cache
def falls(n):
    """The motion, and the impulse that the table has given after each step (N,)."""
    run = moreau(chain(n), upright(n), step=STEP, t_end=round(1.3 * T, 3), progress="none")
    force = sum(run.normal_force(f"table {i + 1}") for i in range(n))
    return run, np.cumsum(force * STEP)


def closed_form(t):
    """The impulse of the table up to t for a chain without links."""
    return np.where(t < T, M * G**2 * t**3 / (2 * L), M * G * t)


def error(n):
    """Largest distance of the impulses, relative to that of one mass from the top."""
    run, impulse = falls(n)
    return float(np.max(np.abs(impulse - closed_form(run.t)))) / (M / n * G * T)


def mean_share(n):
    """Mean over the middle of the fall of the table's force over the weight that the closed form has lying there."""
    run, impulse = falls(n)
    low, high = np.searchsorted(run.t, (0.3 * T, 0.95 * T))
    weight = M * G**2 * (run.t[high] ** 3 - run.t[low] ** 3) / (6 * L)
    return (impulse[high] - impulse[low]) / weight


def arrivals(n):
    """Largest error of the impulse once each mass has arrived, by its own free fall, relative to the whole impulse."""
    run, impulse = falls(n)
    exact = np.zeros(len(run.t))
    for i in range(n):
        fall = np.sqrt(2 * (i + 0.5) * L / n / G)
        exact += np.where(run.t >= fall, M / n * G * run.t, 0.0)
    return float(np.max(np.minimum(np.abs(impulse - exact), np.roll(np.abs(impulse - exact), 2)))) / (M * G * T)


def claims(step):
    ends = [falls(n)[1][-1] - M * G * falls(n)[0].t[-1] for n in COUNTS]
    runs = [falls(n)[0] for n in COUNTS]
    return [
        g.Claim("let go, all masses fall with g", float(np.max(np.abs(step.a[1::2] + G))), 1e-12, "rounding, m/s²"),
        g.Claim(
            f"force over weight that lies there, mean of the middle of the fall, n = {COUNTS[-1]}: 3",
            abs(mean_share(COUNTS[-1]) - 3.0),
            0.15,
            "half a mass in 20 at either end",
        ),
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
        g.Claim(
            "in the end the table has given m g t", max(map(abs, ends)), 1e-9, "momentum is exact in each step, N s"
        ),
        g.Claim("every step is certified", float(sum(np.sum(~r.certified) for r in runs)), 0.0, "count"),
        g.Claim(
            "the energy never rises, but by corrections of positions",
            max(float(np.max(np.diff(r.energy) - r.correction_energy[1:])) for r in runs),
            1e-12,
            "rounding, J",
        ),
    ]


def figure(step, figure):
    figure.set_size_inches(12.0, 4.4)
    left, right = figure.subplots(1, 2)
    fine = np.linspace(0.0, 1.3 * T, 400)
    left.plot(fine, closed_form(fine), color="k", lw=1.2, label="closed form")
    for n, colour in zip(COUNTS, ("C3", "C1", "C0"), strict=True):
        run, impulse = falls(n)
        left.plot(run.t, impulse, color=colour, lw=1.2, label=f"{n} masses")
    left.set(xlabel="t / s", ylabel="impulse of the table / N s", title="impulse")
    left.legend(loc="upper left")
    n = COUNTS[-1]
    run, impulse = falls(n)
    knots = np.linspace(0.0, run.t[-1], 24)
    force = np.diff(np.interp(knots, run.t, impulse)) / np.diff(knots)
    right.stairs(force, knots, baseline=None, color="C0", label=f"{n} masses, means over {1e3 * knots[1]:.0f} ms")
    right.plot(
        fine, np.where(fine < T, 1.5 * M * G**2 * fine**2 / L, M * G), color="k", lw=1.2, label="3 m g x/L, then m g"
    )
    right.plot(
        fine, np.where(fine < T, 0.5 * M * G**2 * fine**2 / L, M * G), "k--", lw=0.9, label="weight that lies there"
    )
    right.set(xlabel="t / s", ylabel="force on the table / N", title="force", ylim=(0.0, 38.0))
    right.legend(loc="upper left")


if __name__ == "__main__":
    g.main(__file__)
