"""The other claims of scenarios/newtons_cradle.py.

Five equal balls (m = 0.1 kg, radius r = 25 mm, g = 9.81 m/s²) hang side by side from strings of l = 0.3 m, with gaps
of 1 µm; θ_i is the angle of a string in rad. Ball 1 falls from θ₀ = −0.6 rad and meets ball 2 with the speed
v = 2 √(gl) sin(|θ₀|/2). All impacts have e = 1. With gaps, however small, they follow one another: equal balls
exchange their velocities, so

    (v, 0, 0, 0, 0)  →  (0, 0, 0, 0, v)   after four impacts.

Balls that touch are struck at once. Then one coefficient of restitution for each pair does not determine what follows.
Moreau's law, which reverses the approach speeds of all contacts at once (the projection of Gauss's principle, one level
lower), reflects the velocities of n balls at their plastic value v/n:

    (v, 0, …, 0)  →  ((2/n − 1) v, 2v/n, …, 2v/n),

with the same momentum and energy. A cradle shows the first outcome, as the waves in real balls are faster than the gaps
close; the report of the package names both, and `impacts="newton"` follows the second kind in a run.
"""

from functools import cache

import numpy as np
from scipy.special import ellipk, ellipkinc

import gauss as g
from gauss.contact import ImpactProblem, collide
from scenarios.newtons_cradle import COUNT, GAP, SPEED, THETA, G, L, M, R, start


def fall():
    """Time until ball 1 meets ball 2, just beyond the bottom: a pendulum's fall from θ₀, by elliptic integrals."""
    low, high = 0.0, 1e-4
    for _ in range(80):
        mid = (low + high) / 2
        closed = np.hypot(2 * R + GAP - L * np.sin(mid), L * (1 - np.cos(mid))) < 2 * R
        low, high = (low, mid) if closed else (mid, high)
    k = np.sin(abs(THETA) / 2)
    return np.sqrt(L / G) * (ellipk(k * k) + ellipkinc(np.arcsin(np.sin(low / 2) / k), k * k))


PERIOD = 4 * np.sqrt(L / G) * ellipk(np.sin(THETA / 2) ** 2)  # s


@cache
def touching(count, law):
    """The impact of the first of `count` balls that touch, in a line, with 1 m/s."""
    N = np.eye(count - 1, count, 1) - np.eye(count - 1, count)
    names = [f"{i + 1}-{i + 2}" for i in range(count - 1)]
    return collide(ImpactProblem.of(np.eye(count), np.eye(count)[0], N, restitution=1.0, names=names), law)


@cache
def run_of_three(law):
    """Velocities after, and the note of the event, of a ball that meets two that touch, in a run."""
    row = g.System(
        "three balls in a row",
        coordinates="a b c",
        kinetic_energy=lambda v: 0.5 * M * (v.a**2 + v.b**2 + v.c**2),
        constraints=[
            g.Unilateral("1-2", lambda q: q.b - q.a - 2 * R, restitution=1.0),
            g.Unilateral("2-3", lambda q: q.c - q.b - 2 * R, restitution=1.0),
        ],
    )
    run = g.simulate(row, [-3 * R, 0.0, 2 * R], [1.0, 0.0, 0.0], t_end=0.1, impacts=law, progress="none")
    return np.array([run[f"d_{name}"][-1] for name in "abc"]), run.events[0].verdict


def passages(run):
    """Times and names of the impacts, one list for each time the blow runs through the row."""
    groups = [[]]
    for event in run.events:
        if groups[-1] and event.t - groups[-1][-1].t > 0.1 * PERIOD:
            groups.append([])
        groups[-1].append(event)
    return groups


def claims_of_touching(count):
    """What the laws of impact say of balls that touch."""
    at_once, in_turn = touching(count, "moreau"), touching(count, "newton")
    reflected = np.full(count, 2 / count) - np.eye(count)[0]
    return [
        g.Claim(
            f"{count} touching balls at once: a reflection at 1/{count}",
            float(np.max(np.abs(at_once.v - reflected))),
            1e-12,
            "rounding",
        ),
        g.Claim(
            f"{count} touching balls one after another: the last takes all",
            float(np.max(np.abs(in_turn.v - np.eye(count)[-1]))),
            0.0,
            "exact in floating point",
        ),
        g.Claim(
            f"both keep the momentum and the energy of {count} balls",
            max(abs(c.v.sum() - 1) + abs(c.v @ c.v - 1) for c in (at_once, in_turn)),
            1e-12,
            "rounding",
        ),
        g.Claim(
            f"with {count} balls the report says that the order matters",
            float(not at_once.order_matters or "order matters" not in at_once.sentence),
        ),
    ]


@g.needs(start.t_end)
def claims(run):
    first, _second = passages(run)[:2]
    times = [group[0].t for group in passages(run)]
    after = run.at([first[-1].t + 1e-3, times[0] + PERIOD / 4])
    v = np.array([after[f"d_theta{i + 1}"] for i in range(COUNT)])[:, 0] * L
    wanted = np.zeros(COUNT)
    wanted[-1] = SPEED
    return [
        g.Claim("time of the first impact", abs(times[0] - fall()), 1e-9, "elliptic integrals; step control"),
        g.Claim(
            "speed of the first impact",
            abs(first[0].value / SPEED - 1),
            1e-9,
            "the gap closes 3e-6 rad beyond the bottom, which costs 2e-11; step control",
        ),
        g.Claim(
            "1 ms after four impacts the last ball has the speed of the first, the others none",
            g.relative(v, wanted),
            1e-4,
            "in 1 ms it moves 1 mm and rises h = 1.7 µm, which costs g h/v² = 1.6e-5 of its speed",
        ),
        g.Claim(
            "a quarter of a period later it is as high as the first was",
            abs(after["theta5"][1] / -THETA - 1),
            1e-8,
            "at rest, so that times shifted by the gaps, 4 µm/v, count squared",
        ),
        g.Claim(
            "the blow comes back every half period",
            g.relative(np.diff(times), PERIOD / 2),
            2e-5,
            "times shifted by the gaps, 4 µm/v a passage, which grow as the balls move apart",
        ),
        g.Claim(
            "a run that meets two touching balls: by Moreau's law the reflection, one after another the third",
            float(
                np.max(
                    np.abs([run_of_three("moreau")[0] - [-1 / 3, 2 / 3, 2 / 3], run_of_three("newton")[0] - [0, 0, 1]])
                )
            ),
            1e-12,
            "rounding",
        ),
        g.Claim(
            "the event of the first says that the order matters, that of the second does not",
            float("order matters" not in run_of_three("moreau")[1] or "order" in run_of_three("newton")[1]),
        ),
        *(claim for count in (3, 5) for claim in claims_of_touching(count)),
    ]
