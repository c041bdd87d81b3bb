"""A stack of ten boxes: which forces are determined, and how it slides when tilted or when one box is pulled.

Ten equal boxes (m = 1 kg, 0.3 m wide, 0.1 m high) lie on one another and on a table, with the coefficient of friction
μ = 0.2 everywhere, in the plane. The velocities are those of Moreau's time stepping; box k is the k-th from below.

* At rest each interface carries what stands above it, N_k = (11 − k) m g; its frictions are not determined.
* On a table tilted by α with μ < tan α < 0.3 all boxes slide down as one, x = ½ g (sin α − μ cos α) t².
* Box 5 pulled with F = 90 N slips out between its neighbours: m a₅ = F − μ m g (5 + 6).

The System beside it has the ten heights as coordinates; its multipliers are the forces between the boxes.
"""

from functools import cache

import numpy as np

import gauss as g
from gauss.nonsmooth import Box, ContactMaterial, HalfPlane, Scene, SceneBody, draw_scene, moreau

COVERS = ()
SOURCE = "redundant contact forces; Coulomb's law of friction"

N, M, G, MU = 10, 1.0, 9.81, 0.2  # boxes, kg, m/s², coefficient
WIDTH, HEIGHT = 0.3, 0.1  # m
TILT, PULL, STEP = np.arctan(0.25), 90.0, 2e-3  # rad; N, on box 5; s

system = g.System(
    "heights of ten boxes",
    coordinates=[f"z{k + 1}" for k in range(N)],
    kinetic_energy=lambda v: 0.5 * M * sum(v[k] ** 2 for k in range(N)),
    potential_energy=lambda q: M * G * sum(q[k] for k in range(N)),
    constraints=[g.Unilateral("gaps", lambda q: [q[0] - HEIGHT / 2, *(q[k] - q[k - 1] - HEIGHT for k in range(1, N))])],
)
start = g.Start(q=[HEIGHT * (k + 0.5) for k in range(N)])


def stack(tilt=0.0, pull=0.0):
    shape, loads = Box((WIDTH, HEIGHT)), [(pull if k == 4 else 0.0, 0.0, 0.0) for k in range(N)]
    places = [(0.0, HEIGHT * (k + 0.5)) for k in range(N)]
    boxes = [SceneBody(f"box {k + 1}", shape, M, position=places[k], load=loads[k]) for k in range(N)]
    gravity = (G * np.sin(tilt), -G * np.cos(tilt))
    return Scene("stack of boxes", boxes, [HalfPlane()], gravity=gravity, surface=ContactMaterial(MU))


@cache
def runs():
    """Standing, tilted and pulled; the last ends before box 5 has lost half of its support."""
    cases = (stack(), 0.4), (stack(TILT), 0.4), (stack(pull=PULL), 0.04)
    return [moreau(scene, step=STEP, t_end=end, progress="none") for scene, end in cases]


def claims(step):
    pulled = runs()[2].body("box 5")
    rest = np.max(np.abs(step.solution.multipliers - G * M * np.arange(N, 0, -1)))
    out = pulled.velocity[-1, 0] / runs()[2].t[-1] - (PULL / M - 11 * MU * G)
    return [
        g.Claim("at rest each multiplier of the System is the weight above", rest, 1e-9, "N"),
        g.Claim("the pulled box accelerates with F/m − 11 μ g", abs(out), 1e-6, "solver 1e-10, m/s²"),
    ]


def figure(step, figure):
    for axes, run, title in zip(figure.subplots(1, 3), runs(), ("at rest", "tilted", "box 5 pulled"), strict=True):
        draw_scene(axes, stack(), run.q[-1], ["#9db8d4"] * N)
        axes.set(xlim=(-0.4, 0.6), ylim=(-0.2, 1.15), xlabel="x / m", ylabel="z / m", title=f"{title}, {run.t[-1]:g} s")


if __name__ == "__main__":
    g.main(__file__)
