"""Newton's cradle: five balls that nearly touch hand the blow on; five that touch leave it undetermined.

Five equal balls (m = 0.1 kg, r = 25 mm, g = 9.81 m/s²) hang from strings of l = 0.3 m, with gaps of 1 µm; θ_i is the
angle of a string in rad. Ball 1 falls from θ₀ = −0.6 rad and meets ball 2 with v = 2 √(gl) sin(|θ₀|/2). All impacts
have e = 1. With gaps, however small, they follow one another: equal balls exchange their velocities,
(v, 0, 0, 0, 0) → (0, 0, 0, 0, v). Balls that touch are struck at once, and one coefficient for each pair does not
determine what follows: Moreau's law reflects the velocities at their plastic value: (−3, 2, 2, 2, 2) v/5.
"""

import numpy as np

import gauss as g
from gauss.contact import ImpactProblem, collide

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


def struck(law):
    """Velocities (m/s) of five balls that touch, in a line, after the first came with 1 m/s."""
    line = np.eye(COUNT)
    return collide(ImpactProblem.of(line, line[0], line[1:] - line[:-1], restitution=1.0), law).v


@g.needs(start.t_end)
def claims(run):
    pairs = [f"{i + 1}-{i + 2}" for i in range(COUNT - 1)]
    wrong = [e.name for e in run.events][: 2 * len(pairs)] != [*pairs, *pairs[::-1]]
    drift = np.max(np.abs(run.energy - run.energy[0])) / (0.5 * M * SPEED**2)
    both = np.abs([struck("moreau") - [-0.6, 0.4, 0.4, 0.4, 0.4], struck("newton") - np.eye(COUNT)[-1]])
    return [
        g.Claim("the blow runs through the row and back: 1-2, …, 4-5, then 4-5, …, 1-2", wrong),
        g.Claim("impacts and motion keep the energy", drift, 1e-9, "step control"),
        g.Claim("balls that touch: at once a reflection, in turn the last takes all", np.max(both), 1e-12, "rounding"),
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
