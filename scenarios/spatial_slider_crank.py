"""Spatial slider-crank of the IFToMM benchmark: three bodies with four joints in space; a published motion.

A crank of length 0.08 m turns about an axis along x through A = (0, 0.1, 0.12) m. A ball joint at its end B carries a
rod of length 0.3 m, which a universal joint at C holds on a block; the block slides along the x-axis without turning.
The universal joint keeps an axis of the rod, square to it, square to the x-axis too. Masses are 0.12, 0.5 and 2 kg;
the rod has the moments 4e-4 kg m² along and 4e-3 kg m² across it, the crank 1e-4 kg m², each about its middle. Start:
the crank is upright, θ = 0, and turns with 6 rad/s. 36 coordinates; 35 rows leave the angle θ.

Known answer: the place of the block as F. González gave it for the benchmark. Results given there differ by more than
their digits: at 5 s they have the block between 0.2408 and 0.2610 m. Here it is at 0.24072 m, by two computations.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("V5",)
SOURCE = (
    "IFToMM multibody benchmark, spatial rigid slider-crank mechanism: results of F. González, as kept with the program"
    " EXUDYN in docs/verification"
)

CRANK, ROD, BLOCK = 0.12, 0.5, 2.0  # kg
ARM, LENGTH, GRAVITY = 0.08, 0.3, 9.81  # m, m, m/s²
TURNING, ALONG, ACROSS = 1e-4, 4e-4, 4e-3  # kg m², about the middles
A, RATE = np.array([0.0, 0.1, 0.12]), 6.0  # m, rad/s
EX, STEP = np.array([1.0, 0.0, 0.0]), 1e-30
PUBLISHED = np.array([0.211754668, 0.289063554, 0.228450093, 0.188208161, 0.240761815])  # x of the block / m
TIMES = np.arange(1.0, 6.0)  # s  # s


def pin(theta):
    """B and its derivative by θ (m)."""
    return A + ARM * np.array([0, -np.sin(theta), np.cos(theta)]), -ARM * np.array([0, np.cos(theta), np.sin(theta)])


def cross(a, b):
    """The vector product, which NumPy's takes ten times as long for."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rod_of(theta):
    """r = C − B, its derivative by θ, and the angular velocity of the rod per rate of θ; θ may be complex."""
    B, dB = pin(theta)
    x = np.sqrt(LENGTH**2 - B[1] ** 2 - B[2] ** 2)
    dx = -(B[1] * dB[1] + B[2] * dB[2]) / x
    r, dr = np.array([x, -B[1], -B[2]]), np.array([dx, -dB[1], -dB[2]])
    square, axis = cross(r, dr) / LENGTH**2, cross(r, EX)
    spin = -cross(square, axis)[0] / cross(r, axis)[0]
    return r, dr, square + spin * r


def frame(r):
    """Axes of the rod: along r, along r × e_x, and square to both."""
    one, two = r / LENGTH, cross(r, EX) / np.linalg.norm(cross(r, EX))
    return np.array([one, two, cross(one, two)]).T


crank = mb.Body("crank", mb.Inertia.of_tensor(CRANK, [TURNING, TURNING, 1e-5], centre=(0, 0, ARM / 2)))
rod = mb.Body("rod", mb.Inertia.of_tensor(ROD, [ALONG, ACROSS, ACROSS]))
block = mb.Body("block", mb.Inertia.of_tensor(BLOCK, [1e-4] * 3))  # does not turn
engine = mb.Mechanism(
    "spatial slider-crank",
    [crank, rod, block],
    [
        mb.Revolute("bearing", mb.GROUND, A, crank, (0, 0, 0), EX),
        mb.Spherical("ball joint", crank, (0, 0, ARM), rod, (-LENGTH / 2, 0, 0)),
        mb.Universal("universal joint", rod, (LENGTH / 2, 0, 0), block, (0, 0, 0), axis1=(0, 1, 0), axis2=EX),
        mb.Prismatic("guide", mb.GROUND, (0, 0, 0), block, (0, 0, 0), axis1=EX),
    ],
)
system = engine.system


def state(theta, rate):
    """q and v at an angle and its rate (rad, rad/s)."""
    r, dr, omega = rod_of(theta)
    B, dB = pin(theta)
    return engine.state(
        crank.pose(A, mb.about(EX, theta), angular_velocity=(rate, 0, 0)),
        rod.pose(B + r / 2, frame(r), rate * (dB + dr / 2), rate * omega, axes="space"),
        block.pose((r[0], 0, 0), velocity=(rate * dr[0], 0, 0)),
    )


start = g.Start(*state(0.0, RATE), t_end=5.0, rtol=1e-11, atol=1e-12)
drawing = mb.Drawing(engine, shapes={block: mb.shapes.Box((0.04, 0.02, 0.02))}, traces=[(rod, (0, 0, 0))])


@g.needs(start.t_end)
def claims(run):
    kept, turned = len(run) * start.rtol, np.unwrap(np.arctan2(run["crank_R32"], run["crank_R22"]))
    x = np.array([rod_of(theta)[0][0] for theta in turned])
    return [
        g.Claim("the block as published", np.max(np.abs(run.at(TIMES)["block_x"] - PUBLISHED)), 2e-4, "m"),
        g.Claim("the block is where the loop closes", g.relative(run["block_x"], x), 1e-11, "rows kept to rounding"),
        g.Claim("energy is kept", g.relative(run.energy, run.energy[:1]), kept, "N steps that err by rtol each"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(0.0, run.t[-1], 1001))
    axes.plot(dense.t, dense["block_x"], label="Gauss")
    axes.plot(TIMES, PUBLISHED, "k.", label="published")
    axes.set(xlabel="t / s", ylabel="x of the block / m")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
