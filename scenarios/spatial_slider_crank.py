"""Spatial slider-crank of the IFToMM benchmark: three bodies with four joints in space; a published motion.

A crank of length 0.08 m turns about an axis along x through A = (0, 0.1, 0.12) m. A ball joint at its end B carries a
rod of length 0.3 m, which a universal joint at C holds on a block; the block slides along the x-axis without turning.
The universal joint keeps an axis of the rod, square to it, square to the x-axis too. Masses are 0.12, 0.5 and 2 kg;
the rod has the moments 4e-4 kg m² along and 4e-3 kg m² across it, the crank 1e-4 kg m², each about its middle. Start:
the crank is upright, θ = 0, and turns with 6 rad/s. 36 coordinates; 35 rows leave the angle θ. Known answer: the place
of the block as F. González gave it. Others have 0.2408 to 0.2610 m at 5 s; here it is 0.24072 m, by two computations.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("V5",)
SOURCE = "IFToMM benchmark, spatial rigid slider-crank: results of F. González, in docs/verification of EXUDYN"

CRANK, ROD, BLOCK = 0.12, 0.5, 2.0  # kg
ARM, LENGTH, GRAVITY = 0.08, 0.3, 9.81  # m, m, m/s²
TURNING, ALONG, ACROSS = 1e-4, 4e-4, 4e-3  # kg m², about the middles
A, RATE = np.array([0.0, 0.1, 0.12]), 6.0  # m, rad/s
EX = np.array([1.0, 0.0, 0.0])
PUBLISHED = np.array([0.211754668, 0.289063554, 0.228450093, 0.188208161, 0.240761815])  # x of the block / m
TIMES = np.arange(1.0, 6.0)  # s

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

turning = crank.pose(A, angular_velocity=(RATE, 0, 0))
rough = rod.pose((0.1, 0.05, 0.1), mb.about(EX, 2.7)), block.pose((0.2, 0, 0))
built = mb.assemble(engine, turning, *rough, hold=crank, modes="nearest")  # rod and block move to close the loop
start = g.Start(q=built.state.q, v=built.state.v, t_end=5.0, rtol=1e-11, atol=1e-12)
SHAPES = {
    crank: mb.shapes.Polyline([(0, 0, 0), (0, 0, ARM)]),
    rod: mb.shapes.Polyline([(-LENGTH / 2, 0, 0), (LENGTH / 2, 0, 0)]),
    block: mb.shapes.Box((0.04, 0.02, 0.02)),
}
drawing = mb.Drawing(engine, shapes=SHAPES, traces=[(rod, (0, 0, 0))])


@g.needs(start.t_end)
def claims(run):
    end = crank.placed(run).point((0, 0, ARM))
    closed = np.sqrt(LENGTH**2 - end[1] ** 2 - end[2] ** 2)
    off = np.max(np.abs(run.at(TIMES)["block_x"] - PUBLISHED))
    return [
        g.Claim("the block as published", off, 2e-4, "m; the error of the published run"),
        g.Claim("the block is where the loop closes", g.relative(run["block_x"], closed), 1e-11, "rows to rounding"),
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
