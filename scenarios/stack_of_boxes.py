"""A stack of ten boxes: which forces are determined, and how it slides when tilted or when one box is pulled.

Ten equal boxes (m = 1 kg, 0.3 m wide, 0.1 m high) lie on one another and on a table, with the coefficient of friction
μ = 0.2 everywhere, in the plane. The velocities are those of Moreau's time stepping; box k is the k-th from below.

* At rest each interface carries what stands above it: N_k = (11 − k) m g. There are two corners to an interface. By the
  balance of moments each carries half of it, and the sum of their frictions is zero; but how far the two corners pull
  against one another is not determined: each friction may be anything from −μN_k/2 to μN_k/2.
* On a table tilted by α with μ < tan α < 0.3 (beyond that the stack would tip) all boxes slide down as one,
  x = ½ g (sin α − μ cos α) t².
* Box 5 pulled with F = 90 N slips out between its neighbours: m a₅ = F − μ m g (5 + 6); the five boxes above it follow
  with a = μ g, those below stay, as the friction from above, 6 μ m g, is less than what the next interface may carry.

The System beside it has the ten heights as coordinates; its multipliers are the forces between the boxes.
"""

from functools import cache

import numpy as np

import gauss as g
from gauss.nonsmooth import Body, Box, HalfPlane, Scene, Surface, draw_scene, force_ranges, moreau

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
        Body(f"box {k + 1}", Box(WIDTH, HEIGHT), M, position=(0.0, HEIGHT * (k + 0.5)), load=loads[k]) for k in range(N)
    ]
    gravity = (G * np.sin(tilt), -G * np.cos(tilt))
    return Scene("stack of boxes", boxes, [HalfPlane()], gravity=gravity, surface=Surface(MU))


@cache
def runs():
    """Standing, tilted and pulled; the last ends before box 5 has lost half of its support."""
    standing = moreau(stack(), step=STEP, t_end=0.4, progress="none")
    tilted = moreau(stack(TILT), step=STEP, t_end=0.4, progress="none")
    pulled = moreau(stack(pull=PULL), step=STEP, t_end=0.04, progress="none")
    return standing, tilted, pulled


@cache
def ranges():
    return force_ranges(stack(), step=STEP)


def claims(step):
    standing, tilted, pulled = runs()
    t, found = tilted.t, ranges()
    slide = 0.5 * G * (np.sin(TILT) - MU * np.cos(TILT)) * t**2
    places = np.array([tilted.body(f"box {k + 1}").position[:, 0] for k in range(N)])
    weights = [G * M * (N - k) for k in range(N)]
    totals = [
        found.totals[("box 1", "HalfPlane 0")],
        *(found.totals[(f"box {k}", f"box {k + 1}")] for k in range(1, N)),
    ]
    speed = {k: pulled.body(f"box {k}").velocity[-1, 0] / pulled.t[-1] for k in range(1, N + 1)}
    limit = np.repeat(weights[1:] + weights[:1], 2) * MU / 2
    wide = np.sort(np.abs(found.friction).max(axis=1)) - np.sort(limit)
    every = (standing, tilted, pulled)
    return [
        g.Claim("the stack stands still", float(np.max(np.abs(standing.v))), 1e-10, "rounding, m/s"),
        g.Claim(
            "each interface carries the weight above it, a determined force",
            max(float(np.max(np.abs(n - w))) for (n, _), w in zip(totals, weights, strict=True)),
            1e-6,
            "tolerance of the linear programs, of 98 N",
        ),
        g.Claim(
            "so do the multipliers of the System",
            float(np.max(np.abs(step.solution.multipliers - weights))),
            1e-9,
            "rounding, of 98 N",
        ),
        g.Claim(
            "all normal forces of corners are determined", float(not found.determined(found.normal)), 0.0, "yes or no"
        ),
        g.Claim(
            "the friction of a corner is anything up to half of μN_k",
            float(np.max(np.abs(wide))),
            1e-5,
            "linear programs, N",
        ),
        g.Claim(
            "on the tilted table all boxes slide as one",
            float(np.max(np.abs(places - slide))),
            1e-9,
            "constant forces are integrated without error; solver 1e-10, m",
        ),
        g.Claim(
            "the pulled box accelerates with F/m − 11 μ g",
            abs(speed[5] - (PULL / M - 11 * MU * G)),
            1e-6,
            "the same, m/s²",
        ),
        g.Claim(
            "those above it follow with μ g, those below stay",
            max(*(abs(speed[k] - MU * G) for k in range(6, 11)), *(abs(speed[k]) for k in range(1, 5))),
            1e-6,
            "the same, m/s²",
        ),
        g.Claim("every step is certified", float(sum(np.sum(~m.certified) for m in every)), 0.0, "count"),
        g.Claim("nothing penetrates", max(float(np.max(m.penetration)) for m in every), 1e-6, "share of the size"),
        g.Claim("the energy balance of each run closes", max(m.balance for m in every), 1e-11, "rounding, of 49 J"),
    ]


def figure(step, figure):
    standing, tilted, pulled = runs()
    figure.set_size_inches(13.0, 4.6)
    axes = figure.subplots(1, 4, width_ratios=(1.0, 1.0, 1.2, 1.3))
    colours = ["#9db8d4" if k != 4 else "#e0a060" for k in range(N)]
    for ax, run, tilt, title in (
        (axes[0], standing, 0.0, "at rest"),
        (axes[1], tilted, TILT, f"tan α = 0.25, t = {tilted.t[-1]:g} s"),
        (axes[2], pulled, 0.0, f"box 5 pulled, t = {pulled.t[-1]:g} s"),
    ):
        c, s = np.cos(tilt), np.sin(tilt)
        turned = run.q[-1].reshape(-1, 3) @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) - [0, 0, tilt]
        table = HalfPlane((0.0, 0.0), (s, c))
        shown = Scene("turned", stack().bodies, [table])
        draw_scene(ax, shown, turned.ravel(), colours)
        ax.set(xlim=(-0.4, 0.6), ylim=(-0.2, 1.15), xlabel="x / m", ylabel="z / m", title=title)
    found = ranges()
    levels = np.arange(1, N + 1)
    weight = np.array([G * M * (N - k) for k in range(N)])
    axes[3].plot(weight, levels, "o", color="C0", label="normal force of both corners")
    axes[3].hlines(levels, -MU * weight / 2, MU * weight / 2, color="C3", lw=3, label="friction of one corner: range")
    axes[3].set(xlabel="force / N", ylabel="interface below box", title=f"{len(found.pairs)} corners, forces at rest")
    axes[3].set(ylim=(0.3, 13.2), yticks=levels)
    axes[3].legend(loc="upper right", fontsize=8)


if __name__ == "__main__":
    g.main(__file__)
