"""A hundred discs fall into a closed funnel and settle, by Moreau's time stepping.

Discs of 32 to 48 mm radius (1 kg each, μ = 0.3, no restitution) fall in loose rows from above the closed bottom of a
funnel with straight walls. Each step of 5 ms solves one problem for the velocities after it: M(v⁺ − v⁻) = h f + Nᵀp +
Tᵀt with p ≥ 0, ġ⁺ ≥ 0 and Coulomb's law at up to 170 contacts at once, certified to 1e-10 of the rates, and then brings
positions back so that nothing penetrates. Contact forces in the heap are not unique.

What is known: momentum is exact in each step; kinetic and potential energy together never rise by more than what the
correction of positions adds, which is booked separately, and their balance closes to rounding; no disc penetrates
another by more than 1e-6 of its radius; one disc alone moves as a System with the same two walls as constraints does,
whose gaps and slips are differentiated automatically and share no code with the geometry of the scene.

`scene(1000)` is the same with a thousand discs (benchmarks/discs.py).
"""

from functools import cache

import numpy as np

import gauss as g
from gauss.nonsmooth import Body, Disc, Scene, Segment, Surface, draw_scene, moreau

COVERS = ()
SOURCE = "J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics (1988)"

G, MU, RADIUS = 9.81, 0.3, 0.04  # m/s², coefficient, mean radius in m
BOTTOM, SLOPE = 0.3, 1.8 / 1.3  # m, width of the bottom; rise of the walls over their run
STEP, T_END = 5e-3, 1.0  # s


def walls(size=1.0):
    half, run = BOTTOM / 2 * size, 1.3 * size
    left, right = (-half, 0.0), (half, 0.0)
    return [
        Segment(left, right),
        Segment((-half - run, SLOPE * run), left),
        Segment(right, (half + run, SLOPE * run)),
    ]


def scene(count=100, seed=0):
    """A funnel whose size grows with √count, and rows of discs above its bottom."""
    rng, size, bodies, z = np.random.default_rng(seed), float(np.sqrt(count / 100)), [], 0.14
    while len(bodies) < count:
        width = min(BOTTOM * size + 2 * z * 0.72 - 4.4 * RADIUS, 1.5 * size)
        row = min(count - len(bodies), max(1, int(width // (2.6 * RADIUS)) + 1))
        for x in (np.arange(row) - (row - 1) / 2) * 2.6 * RADIUS:
            disc = Disc(RADIUS * rng.uniform(0.8, 1.2))
            bodies.append(Body(f"disc {len(bodies)}", disc, position=(x + rng.uniform(-0.1, 0.1) * RADIUS, z)))
        z += 2.6 * RADIUS
    return Scene(f"{count} discs in a funnel", bodies, walls(size), gravity=G, surface=Surface(MU))


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


@cache
def alone():
    """One disc as a body of a scene, and as a System."""
    one = Scene("one disc", [Body("disc", Disc(RADIUS), position=(0.3, 0.5))], walls(), gravity=G, surface=Surface(MU))
    options = {"step": 2e-3, "t_end": 0.4, "progress": "none"}
    return moreau(one, **options), moreau(system, start.q, start.v, **options)


def overlaps(run):
    """Largest penetration of two discs in any record, from their centres alone, relative to the smaller radius."""
    radius = np.array([b.shape.radius for b in scene().bodies])
    i, j = np.triu_indices(len(radius), 1)
    worst = 0.0
    for q in run.q:
        place = q.reshape(-1, 3)[:, :2]
        gap = np.linalg.norm(place[i] - place[j], axis=1) - radius[i] - radius[j]
        worst = max(worst, float(np.max(-gap / np.minimum(radius[i], radius[j]))))
    return worst


def claims(step):
    run = settling()
    single, other = alone()
    rise = np.diff(run.energy) - run.correction_energy[1:]
    lost = run.energy[0] - run.energy[-1]
    sliding = run.friction[:, 0]
    return [
        g.Claim("every step is certified to 1e-10 of the rates", float(np.sum(~run.certified)), 0.0, "count"),
        g.Claim("penetration of discs, from their centres alone", overlaps(run), 1e-6, "share of the radius"),
        g.Claim("penetration at any contact", float(np.max(run.penetration)), 1e-6, "share of the radius"),
        g.Claim(
            "the energy never rises by more than corrections add", float(np.max(rise)), 1e-10, "rounding, of 711 J"
        ),
        g.Claim("the energy balance closes", run.balance, 1e-10, "rounding, of 711 J"),
        g.Claim(
            "corrections of positions add little",
            float(np.sum(run.correction_energy)) / lost,
            0.02,
            "of the energy lost; of order h",
        ),
        g.Claim(
            "the discs settle: kinetic energy over the energy lost",
            run.kinetic[-1] / lost,
            1e-6,
            "at rest after 0.84 s",
        ),
        g.Claim(
            "no force leaves its cone",
            float(np.max(np.abs(sliding) - MU * run.normal, initial=0.0)),
            1e-12,
            "rounding, N s",
        ),
        g.Claim(
            "one disc moves as the System with the same walls does",
            float(np.max(np.abs(single.q - other.q))),
            1e-9,
            "solver 1e-10, in m and rad",
        ),
    ]


def figure(step, figure):
    run = settling()
    figure.set_size_inches(13.0, 4.6)
    axes = figure.subplots(1, 4, width_ratios=(1.0, 1.0, 1.0, 1.2))
    bodies = scene().bodies
    for ax, share in zip(axes[:3], (0.0, 0.3, 1.0), strict=True):
        k = round(share * (len(run.t) - 1))
        draw_scene(ax, scene(), run.q[k], ["#9db8d4" if i % 7 else "#e0a060" for i in range(len(bodies))])
        pressing = run.pressing(k)
        push = pressing.normal / run.step
        for (x, z), (nx, nz), p in zip(pressing.point, pressing.direction, push, strict=True):
            s = 0.03 * np.sqrt(p / 100.0)
            ax.plot([x - s * nx, x + s * nx], [z - s * nz, z + s * nz], color="C3", lw=1.2)
        ax.set(xlim=(-0.9, 0.9), ylim=(-0.1, 1.9), xlabel="x / m", ylabel="z / m", title=f"t = {run.t[k]:.2f} s")
    axes[3].plot(run.t, run.energy - run.energy[-1], color="k", label="kinetic + potential")
    axes[3].plot(run.t, np.cumsum(run.dissipated), color="C3", label="lost in contacts")
    axes[3].plot(run.t, run.kinetic, color="C0", label="kinetic")
    axes[3].plot(run.t, np.cumsum(run.correction_energy), color="C2", label="added by corrections")
    axes[3].set(xlabel="t / s", ylabel="energy / J", title="energy (end: 0)", ylim=(-10.0, 350.0))
    axes[3].legend(loc="upper right", fontsize=8)


if __name__ == "__main__":
    g.main(__file__)
