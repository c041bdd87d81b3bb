"""Woodpecker toy: a sleeve with clearance jams on its pole, a bird on a spring shakes it loose, and it pecks.

A sleeve of inner radius r_M > r₀ slides on a pole of radius r₀; a bird hangs on it by a torsion spring. While the
sleeve is tilted it jams: its edge touches the pole at its lower end (φ_M < 0) or its upper one (φ_M > 0). The bird
swings, tilts the sleeve back, the toy falls a little, the beak hits the pole and throws the bird back. Coordinates are
the height y (m) and the small angles φ_M of the sleeve and φ_S of the bird (rad); friction μ = 0.3 at all contacts,
restitution 0.5 at the beak and 0 at the sleeve. Gaps and slips of Glocker's model:

    g₁ = l_M + l_G − l_S − r₀ − h_S φ_S (beak),   g₂, g₃ = r_M − r₀ ± h_M φ_M,
    s₁ = ẏ + l_M φ̇_M + (l_G − l_S) φ̇_S,           s₂ = s₃ = ẏ + r_M φ̇_M.

Known answer: the limit cycle, in which the sleeve is released with the bird at LAP, has the period 0.145976 s and goes
down by 19.445 mm. Over a period the impacts and friction take what the weight gives.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

SOURCE = "Ch. Glocker, C. Studer, Multibody Syst. Dyn. 13, 447 (2005); data as in Siconos, example Woodpecker"

G, MU = 9.81, 0.3
R0, RM, HM, LM, LG, HS, LS = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201  # m
MM, MS, JM, JS, SPRING = 0.0003, 0.0045, 5.0e-9, 7.0e-7, 0.0056  # kg, kg, kg m², kg m², N m/rad

BOUNCE = (0.5, 0.0, 0.0)
EDGE = g.Coulomb(MU, lambda v: v.y + RM * v.phiM)

system = g.System(
    "woodpecker",
    coordinates="y phiM phiS",
    kinetic_energy=lambda v: (
        0.5 * MM * v.y**2
        + 0.5 * JM * v.phiM**2
        + 0.5 * MS * (v.y + LM * v.phiM + LG * v.phiS) ** 2
        + 0.5 * JS * v.phiS**2
    ),
    potential_energy=lambda q: (
        MM * G * q.y + MS * G * (q.y + LM * q.phiM + LG * q.phiS) + 0.5 * SPRING * (q.phiM - q.phiS) ** 2
    ),
    constraints=[
        g.Unilateral(
            "beak",
            lambda q: LM + LG - LS - R0 - HS * q.phiS,
            BOUNCE[0],
            friction=g.Coulomb(MU, lambda v: v.y + LM * v.phiM + (LG - LS) * v.phiS),
        ),
        g.Unilateral("lower edge", lambda q: RM - R0 + HM * q.phiM, BOUNCE[1], friction=EDGE),
        g.Unilateral("upper edge", lambda q: RM - R0 - HM * q.phiM, BOUNCE[2], friction=EDGE),
    ],
)
Q0, V0 = [0.0, -(RM - R0) / HM, -0.2788], [-0.3411, 0.0, -7.4583]


def sleeve(q):
    """The corners of the sleeve."""
    corners = ((-RM, -HM), (RM, -HM), (RM, HM), (-RM, HM), (-RM, -HM))
    return [mb.shapes.at_angle((0.0, q["y"]), q["phiM"]).point(x) for x in corners]


def bird(q):
    """The bird from its spring to its beak."""
    joint = mb.shapes.at_angle((0.0, q["y"]), q["phiM"]).point((LM, 0.0))
    placed = mb.shapes.at_angle(joint, q["phiS"])
    return [joint, placed.point((LG, 0.0)), placed.point((LG, HS)), placed.point((LG - LS, HS))]


drawing = mb.Drawing(lines=[sleeve, bird], traces=[lambda q: bird(q)[3]], speed=0.1)
start = g.Start(q=Q0, v=V0, t_end=0.45)

# of the limit cycle: angle of the bird (rad) and its rate (rad/s) at the release, period (s), way down (m)
LAP, PERIOD, WAY = (-0.2051353492435257, 17.57466620557944), 0.1459760651437344, -0.01944537928470202


def claims(run):
    lap = g.simulate(system, [0, Q0[1], LAP[0]], [0, 0, LAP[1]], t_end=PERIOD, rtol=1e-12, progress="none")
    back = np.concatenate([lap.q[-1], lap.v[-1]]) - [WAY, Q0[1], LAP[0], 0, 0, LAP[1]]
    spent = sum(event.energy_loss for event in lap.events) - lap.friction_work[-1]
    taken = abs(spent / (-(MM + MS) * G * WAY) - 1.0)
    reason = "tolerance of the steps; an impact amplifies what differs before it"
    return [
        g.Claim("the limit cycle closes after its period", np.max(np.abs(back)), 1e-9, reason),
        g.Claim("the weight gives what impacts and friction take", taken, 1e-9, reason),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(0.0, run.t[-1], 3000))
    axes.plot(dense.t, dense["phiS"], label="bird")
    axes.plot(dense.t, dense["phiM"], label="sleeve")
    axes.set(xlabel="t / s", ylabel="angle / rad", title="it pecks, and goes down by 19.4 mm a peck")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
