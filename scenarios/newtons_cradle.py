"""Newton's cradle: five balls that nearly touch hand the blow on; five that touch leave it undetermined.

Five equal balls (m = 0.1 kg, radius r = 25 mm, g = 9.81 m/s²) hang side by side from strings of l = 0.3 m, with gaps
of 1 µm; θ_i is the angle of a string in rad. Ball 1 falls from θ₀ = −0.6 rad and meets ball 2 with the speed
v = 2 √(gl) sin(|θ₀|/2). All impacts have e = 1. With gaps, however small, they follow one another: equal balls
exchange their velocities, (v, 0, 0, 0, 0) → (0, 0, 0, 0, v) after four impacts.

Balls that touch are struck at once. Then one coefficient for each pair does not determine what follows. Moreau's law
reflects the velocities of n balls at their plastic value v/n: (v, 0, …, 0) → ((2/n − 1) v, 2v/n, …, 2v/n). A cradle
shows the first outcome; the report of the package names both.
"""

import numpy as np

import gauss as g

SOURCE = "textbook problem; J. J. Moreau (1988); Ch. Glocker, Set-Valued Force Laws (2001)"

COUNT, M, L, R, GAP, G, THETA = 5, 0.1, 0.3, 0.025, 1e-6, 9.81, -0.6  # kg, m, m, m, m/s², rad
SPEED = 2 * np.sqrt(G * L) * np.sin(abs(THETA) / 2)  # m/s, of ball 1 at the bottom


def gap(i):
    """The distance of the surfaces of the balls i and i + 1, as a model function."""

    def distance(q):
        across = 2 * R + GAP + L * (g.sin(q[i + 1]) - g.sin(q[i]))
        return g.hypot(across, L * (g.cos(q[i + 1]) - g.cos(q[i]))) - 2 * R

    return distance


system = g.System(
    "Newton's cradle",
    coordinates=" ".join(f"theta{i + 1}" for i in range(COUNT)),
    kinetic_energy=lambda v: sum(0.5 * M * L**2 * v[i] ** 2 for i in range(COUNT)),
    potential_energy=lambda q: sum(-M * G * L * g.cos(q[i]) for i in range(COUNT)),
    constraints=[g.Unilateral(f"{i + 1}-{i + 2}", gap(i), restitution=1.0) for i in range(COUNT - 1)],
)
start = g.Start(q=[THETA] + [0.0] * (COUNT - 1), t_end=2.4)

row = g.System(
    "three balls in a row, two of which touch",
    coordinates="a b c",
    kinetic_energy=lambda v: 0.5 * M * (v.a**2 + v.b**2 + v.c**2),
    constraints=[
        g.Unilateral("1-2", lambda q: q.b - q.a - 2 * R, restitution=1.0),
        g.Unilateral("2-3", lambda q: q.c - q.b - 2 * R, restitution=1.0),
    ],
)


def after(law):
    """Velocities of the row (m/s) after the first ball has met the others with 1 m/s."""
    return g.simulate(row, [-3 * R, 0.0, 2 * R], [1.0, 0.0, 0.0], t_end=0.1, impacts=law, progress="none").v[-1]


@g.needs(start.t_end)
def claims(run):
    pairs = [f"{i + 1}-{i + 2}" for i in range(COUNT - 1)]
    wrong = [e.name for e in run.events][: 2 * len(pairs)] != [*pairs, *pairs[::-1]]
    drift = np.max(np.abs(run.energy - run.energy[0])) / (0.5 * M * SPEED**2)
    both = np.abs([after("moreau") - [-1 / 3, 2 / 3, 2 / 3], after("newton") - [0, 0, 1]])
    law = "a run that meets two touching balls: by Moreau's law the reflection, one after another the third"
    return [
        g.Claim("the blow runs through the row and back: 1-2, …, 4-5, then 4-5, …, 1-2", wrong),
        g.Claim("impacts and motion keep the energy", drift, 1e-9, "step control"),
        g.Claim(law, np.max(both), 1e-12, "rounding"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(run.t[0], run.t[-1], 1500))
    for i in range(COUNT):
        axes.plot(dense.t, dense[f"theta{i + 1}"], label=f"ball {i + 1}")
    axes.set(xlabel="t / s", ylabel="θ / rad", title="gaps of 1 µm: the last ball takes over")
    axes.legend(ncols=5)


if __name__ == "__main__":
    g.main(__file__)
