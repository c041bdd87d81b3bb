"""A stack of ten boxes: which forces are determined, and how it slides when tilted or when one box is pulled.

Ten equal boxes (m = 1 kg, 0.3 m wide, 0.1 m high) lie on one another and on a table, with the coefficient of friction
μ = 0.2 everywhere, in the plane. The velocities are those of Moreau's time stepping; box k is the k-th from below.

* At rest each interface carries what stands above it: N_k = (11 − k) m g. There are two corners to an interface; each
  carries half of it, but each friction may be anything from −μN_k/2 to μN_k/2.
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
PULL = 90.0  # N, on box 5
TILT = float(np.arctan(0.25))  # rad
STEP = 2e-3  # s


def gap(k):
    return g.Unilateral(f"below {k + 1}", lambda q: q[k] - (q[k - 1] if k else -HEIGHT / 2) - HEIGHT)


system = g.System(
    "heights of ten boxes",
    coordinates=[f"z{k + 1}" for k in range(N)],
    kinetic_energy=lambda v: 0.5 * M * sum(v[k] ** 2 for k in range(N)),
    potential_energy=lambda q: M * G * sum(q[k] for k in range(N)),
    constraints=[gap(k) for k in range(N)],
)
start = g.Start(q=[HEIGHT * (k + 0.5) for k in range(N)])


def stack(tilt=0.0, pull=0.0):
    loads = [(pull, 0.0, 0.0) if k == 4 else None for k in range(N)]
    boxes = [
        SceneBody(f"box {k + 1}", Box((WIDTH, HEIGHT)), M, position=(0.0, HEIGHT * (k + 0.5)), load=loads[k])
        for k in range(N)
    ]
    gravity = (G * np.sin(tilt), -G * np.cos(tilt))
    return Scene("stack of boxes", boxes, [HalfPlane()], gravity=gravity, surface=ContactMaterial(MU))


@cache
def runs():
    """Standing, tilted and pulled; the last ends before box 5 has lost half of its support."""
    standing = moreau(stack(), step=STEP, t_end=0.4, progress="none")
    tilted = moreau(stack(TILT), step=STEP, t_end=0.4, progress="none")
    pulled = moreau(stack(pull=PULL), step=STEP, t_end=0.04, progress="none")
    return standing, tilted, pulled


def claims(step):
    _, tilted, pulled = runs()
    weights = [G * M * (N - k) for k in range(N)]
    slide = 0.5 * G * (np.sin(TILT) - MU * np.cos(TILT)) * tilted.t**2
    places = np.array([tilted.body(f"box {k + 1}").position[:, 0] for k in range(N)])
    out = pulled.body("box 5").velocity[-1, 0] / pulled.t[-1] - (PULL / M - 11 * MU * G)
    return [
        g.Claim("so do the multipliers of the System", np.max(np.abs(step.solution.multipliers - weights)), 1e-9, "N"),
        g.Claim("on the tilted table all boxes slide as one", np.max(np.abs(places - slide)), 1e-9, "solver 1e-10, m"),
        g.Claim("the pulled box accelerates with F/m − 11 μ g", abs(out), 1e-6, "solver 1e-10, m/s²"),
    ]


def figure(step, figure):
    for axes, run, title in zip(figure.subplots(1, 3), runs(), ("at rest", "tilted", "box 5 pulled"), strict=True):
        draw_scene(axes, stack(), run.q[-1], ["#9db8d4"] * N)
        axes.set(xlim=(-0.4, 0.6), ylim=(-0.2, 1.15), xlabel="x / m", ylabel="z / m", title=f"{title}, {run.t[-1]:g} s")


if __name__ == "__main__":
    g.main(__file__)
