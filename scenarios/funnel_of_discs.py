"""A hundred discs fall into a closed funnel and settle, by Moreau's time stepping.

Discs of 32 to 48 mm radius (1 kg each, μ = 0.3, no restitution) fall in loose rows from above the closed bottom of a
funnel with straight walls. Each step of 5 ms solves one problem for the velocities after it: M(v⁺ − v⁻) = h f + Nᵀp +
Tᵀt with p ≥ 0, ġ⁺ ≥ 0 and Coulomb's law at up to 170 contacts at once, certified to 1e-10 of the rates, and then brings
positions back so that nothing penetrates. Contact forces in the heap are not unique.

The system is one disc alone. `scene(1000)` is the heap with a thousand discs (benchmarks/discs.py).
"""

from functools import cache

import numpy as np

import gauss as g
from gauss.nonsmooth import ContactMaterial, Disc, Polyline, Scene, SceneBody, draw_scene, moreau

COVERS = ()
SOURCE = "J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics (1988)"

G, MU, RADIUS = 9.81, 0.3, 0.04  # m/s², coefficient, mean radius in m
BOTTOM, SLOPE = 0.3, 1.8 / 1.3  # m, width of the bottom; rise of the walls over their run
STEP, T_END = 5e-3, 1.0  # s


def walls(size=1.0):
    half, run = BOTTOM / 2 * size, 1.3 * size
    left, right = (-half, 0.0), (half, 0.0)
    return [
        Polyline([left, right]),
        Polyline([(-half - run, SLOPE * run), left]),
        Polyline([right, (half + run, SLOPE * run)]),
    ]


def scene(count=100, seed=0):
    """A funnel whose size grows with √count, and rows of discs above its bottom."""
    rng, size, bodies, z = np.random.default_rng(seed), float(np.sqrt(count / 100)), [], 0.14
    while len(bodies) < count:
        width = min(BOTTOM * size + 2 * z * 0.72 - 4.4 * RADIUS, 1.5 * size)
        row = min(count - len(bodies), max(1, int(width // (2.6 * RADIUS)) + 1))
        for x in (np.arange(row) - (row - 1) / 2) * 2.6 * RADIUS:
            disc = Disc(RADIUS * rng.uniform(0.8, 1.2))
            bodies.append(SceneBody(f"disc {len(bodies)}", disc, position=(x + rng.uniform(-0.1, 0.1) * RADIUS, z)))
        z += 2.6 * RADIUS
    return Scene(f"{count} discs in a funnel", bodies, walls(size), gravity=G, surface=ContactMaterial(MU))


LENGTH = float(np.hypot(1.0, SLOPE))
NORMAL = (-SLOPE / LENGTH, 1.0 / LENGTH)  # of the right wall
system = g.System(
    "one disc in the funnel",
    coordinates="x z theta",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + 0.5 * RADIUS**2 * v.theta**2),
    potential_energy=lambda q: G * q.z,
    constraints=[
        g.Unilateral("bottom", lambda q: q.z - RADIUS, friction=g.Coulomb(MU, lambda v: v.x + RADIUS * v.theta)),
        g.Unilateral(
            "right wall",
            lambda q: NORMAL[0] * (q.x - BOTTOM / 2) + NORMAL[1] * q.z - RADIUS,
            friction=g.Coulomb(MU, lambda v: NORMAL[1] * v.x - NORMAL[0] * v.z + RADIUS * v.theta),
        ),
    ],
)
start = g.Start(q=[0.3, 0.5, 0.0], v=[0.0, 0.0, 0.0])


@cache
def settling():
    return moreau(scene(), step=STEP, t_end=T_END, progress="none")


def claims(step):
    run = settling()
    left = run.kinetic[-1] / (run.energy[0] - run.energy[-1])
    return [
        g.Claim("every step is certified to 1e-10 of the rates", np.sum(~run.certified), 0.0, "count"),
        g.Claim("penetration at any contact", np.max(run.penetration), 1e-6, "share of the radius"),
        g.Claim("the discs settle: kinetic energy over the energy lost", left, 1e-6, "at rest after 0.82 s"),
    ]


def figure(step, figure):
    run = settling()
    for axes, share in zip(figure.subplots(1, 3), (0.0, 0.3, 1.0), strict=True):
        k = round(share * (len(run.t) - 1))
        draw_scene(axes, scene(), run.q[k], ["#9db8d4"] * len(scene().bodies))
        axes.set(xlim=(-0.9, 0.9), ylim=(-0.1, 1.9), xlabel="x / m", ylabel="z / m", title=f"t = {run.t[k]:.2f} s")


if __name__ == "__main__":
    g.main(__file__)
