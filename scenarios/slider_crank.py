"""Slider-crank of planar bodies with spring and damper: published numbers, the motion of one angle, pin forces.

A crank of length a = 0.5 m with J₁ = 1 kg m² turns about the origin by the angle q (rad). A rod of length 1 m joins its
end to a slider on the line y = 0, at x (m), and has the angle p. The mass of rod and slider, m₂ = 1 kg, lies on the
slider; J₂ = 2 kg m² is the rod's moment of inertia about it. A spring (k = 1 N/m, free at 1 m) with a damper (c = 1
N s/m) joins the middles of crank and rod. The force F = 1 N along x acts on the prolonged rod, 1 m beyond the slider.
There is no gravity. The start is at rest with q = π/2. Three bodies, each with the place of its origin and the cosine
and sine of its angle, have twelve coordinates and eleven rows.

Known answers: q, x and p printed with an example of the program IDA (SUNDIALS; five digits). The middles of crank and
rod have the same height, as sin p = −a sin q; so the spring is level and has the length x/2.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("V5",)
SOURCE = "SUNDIALS, examples/ida/serial/idaSlCrank_dns; VHIF §1 for the coordinates"

A, ROD = 0.5, 1.0  # m
J1, J2, M2 = 1.0, 2.0, 1.0  # kg m², kg m², kg
K, L0, C, F = 1.0, 1.0, 1.0, 1.0  # N/m, m, N s/m, N
TABLE = np.array(  # t / s, q / rad, x / m, p / rad
    [
        [2.0, 0.57904, 1.3803, -0.27715],
        [4.0, -1.2064, 1.0623, 0.48609],
        [6.0, -1.108, 1.1176, 0.46386],
        [8.0, 0.64422, 1.3536, -0.305],
        [10.0, 1.2757, 1.0236, -0.49881],
    ]
)

crank = mb.PlanarBody("crank", 1.0, J1)  # its mass lies on the axis and does not move
rod = mb.PlanarBody("rod", M2 / 2, J2)  # its origin is the slider's end
block = mb.PlanarBody("block", M2 / 2, 1.0)  # does not turn
spring = mb.Spring("spring", crank, (A / 2, 0), rod, (-ROD / 2, 0), K, L0, C)
engine = mb.Mechanism(
    "slider-crank",
    [crank, rod, block],
    [
        mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0)),
        mb.Pin("crank pin", crank, (A, 0), rod, (-ROD, 0)),
        mb.Pin("wrist", rod, (0, 0), block, (0, 0)),
        mb.Slider("guide", mb.GROUND, (0, 0), block, (0, 0), axis1=(1, 0)),
    ],
    [spring, mb.PointForce("push", rod, (ROD, 0), (F, 0.0))],
    gravity=(0, 0),
)
system = engine.system
P0 = np.arcsin(-A)
Q0, V0 = engine.state(crank.pose(angle=np.pi / 2), rod.pose((np.cos(P0), 0), P0), block.pose((np.cos(P0), 0)))
start = g.Start(q=Q0, v=V0, t_end=10.0, rtol=1e-12, atol=1e-13)
drawing = mb.Drawing(engine, shapes={block: mb.shapes.Box((0.2, 0.12))}, traces=[(rod, (-ROD / 2, 0))])


def angles(run):
    """(q, x, p) along a run."""
    return (
        np.unwrap(np.arctan2(run["crank_s"], run["crank_c"])),
        run["block_x"],
        np.unwrap(np.arctan2(run["rod_s"], run["rod_c"])),
    )


@g.needs(start.t_end)
def claims(run):
    found = np.array(angles(run.at(TABLE[:, 0]))).T
    length = np.hypot(*spring.apart(run))
    return [
        g.Claim("q, x and p as printed for IDA", np.max(np.abs(found - TABLE[:, 1:])), 1e-4, "five digits"),
        g.Claim(
            "the spring has the length x/2", g.relative(length, run["block_x"] / 2), 1e-10, "rows kept to rounding"
        ),
    ]


def figure(run, figure):
    axes = figure.subplots()
    unwrapped = angles(run)
    for values, printed, name in zip(unwrapped, TABLE.T[1:], ("q / rad", "x / m", "p / rad"), strict=True):
        axes.plot(run.t, values, label=name)
        axes.plot(TABLE[:, 0], printed, "k.")
    axes.set(xlabel="t / s", title="motion; dots: IDA")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
