"""Andrews' squeezing mechanism: seven planar bodies in three loops, driven hard; published start and end.

The bodies K1 … K7 lie in the plane without gravity. K1 = OF is driven by the torque 0.033 N m about the fixed point O
and K2 = FE follows it; the plate K3 = BDE turns about B, a spring from its corner D to the fixed point C holds it; the
arms K5 = AG and K7 = AH turn about A and carry K4 = GE and K6 = HE. At E four bodies meet. The published coordinates
are the angles β of K1, β + θ of K2, γ of K3, φ + δ of K4, δ of K5, ω + ε of K6, ε of K7. Here each body has the place
of its origin and the cosine and sine of its angle: 28 coordinates, 27 rows. Known answer, from the test set of the
university of Bari: the forces of K2 on K3, K4 and K6 at the start with 30 digits.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("V5",)
SOURCE = (
    "F. Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers, Andrews' squeezing mechanism;"
    " E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, §VII.7"
)

A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)  # m
TORQUE, STIFFNESS, FREE = 0.033, 4530.0, 0.07785  # N m, N/m, m
RR, D, E, SS, ZT, ZF, U = 0.007, 0.028, 0.02, 0.035, 0.04, 0.02, 0.04  # m, lengths between pins
CORNER = (0.02, -0.018)  # m, D on the plate
BETA, GAMMA, PHI = -0.0617138900142764496, 0.455279819163070380, 0.222668390165885885  # rad, at the start
DELTA, EPSILON = 0.487364979543842550, 1.23054744454982119  # rad; θ = 0 and ω = −φ
FIRST_MULTIPLIERS = np.array([98.5668703962410896, -6.12268834425566266, 0, 0, 0, 0])  # N

K1, K2, K3, K4, K5, K6, K7 = bodies = [
    mb.PlanarBody("K1", 0.04325, 2.194e-6, (0.00092, 0)),  # origin O
    mb.PlanarBody("K2", 0.00365, 4.410e-7, (-0.0115, 0)),  # F
    mb.PlanarBody("K3", 0.02373, 5.255e-6, (0.01043, -0.01874)),  # B
    mb.PlanarBody("K4", 0.00706, 5.667e-7, (0, -(E - 0.01421))),  # G
    mb.PlanarBody("K5", 0.07050, 1.169e-5, (0.02308, 0.00916)),  # A
    mb.PlanarBody("K6", 0.00706, 5.667e-7, (ZF - 0.01421, 0)),  # H
    mb.PlanarBody("K7", 0.05498, 1.912e-5, (0.00449, -0.01228)),  # A
]
pins = [
    mb.Pin("O", mb.GROUND, (0, 0), K1, (0, 0)),
    mb.Pin("F", K1, (RR, 0), K2, (0, 0)),
    mb.Pin("B", mb.GROUND, B, K3, (0, 0)),
    mb.Pin("A5", mb.GROUND, A, K5, (0, 0)),
    mb.Pin("A7", mb.GROUND, A, K7, (0, 0)),
    mb.Pin("G", K5, (ZT, 0), K4, (0, 0)),
    mb.Pin("H", K7, (0, -U), K6, (0, 0)),
    mb.Pin("E3", K2, (-D, 0), K3, (0, -SS)),
    mb.Pin("E4", K2, (-D, 0), K4, (0, -E)),
    mb.Pin("E6", K2, (-D, 0), K6, (ZF, 0)),
]
forces = [mb.Torque("drive", K1, TORQUE), mb.Spring("spring", mb.GROUND, C, K3, CORNER, STIFFNESS, FREE)]
squeezer = mb.Mechanism("Andrews' squeezing mechanism", bodies, pins, forces, gravity=(0, 0))
system = squeezer.system

F = (RR * np.cos(BETA), RR * np.sin(BETA))
G = (A[0] + ZT * np.cos(DELTA), A[1] + ZT * np.sin(DELTA))
H = (A[0] + U * np.sin(EPSILON), A[1] - U * np.cos(EPSILON))
poses = [
    K1.pose(angle=BETA),
    K2.pose(F, BETA),
    K3.pose(B, GAMMA),
    K4.pose(G, PHI + DELTA),
    K5.pose(A, DELTA),
    K6.pose(H, EPSILON - PHI),
    K7.pose(A, EPSILON),
]
start = g.Start(*squeezer.state(*poses), t_end=0.03, rtol=1e-12, atol=1e-14)
drawing = mb.Drawing(squeezer, traces=[(K2, (-D, 0))], speed=0.005)


@g.needs(start.t_end)
def claims(run):
    first = [run[f"{pin}[{k}]"][0] for pin in ("E3", "E4", "E6") for k in range(2)]
    turned = np.unwrap(np.arctan2(run["K1_s"], run["K1_c"])) - BETA
    gained = run.energy - run.energy[0]
    kept = len(run) * start.rtol
    return [
        g.Claim("multipliers at the start", g.relative(first, FIRST_MULTIPLIERS), 1e-12, "30 digits are published"),
        g.Claim("the energy is the work of the torque", g.relative(gained, TORQUE * turned), kept, "rtol a step"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(0.0, run.t[-1], 1200))
    for pin, body in (("E3", "K3"), ("E4", "K4"), ("E6", "K6")):
        axes.plot(1e3 * dense.t, np.hypot(dense[f"{pin}[0]"], dense[f"{pin}[1]"]), label=f"on {body}")
    axes.set(xlabel="t / ms", ylabel="force of K2 at E / N", title="seven bodies, driven hard")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
