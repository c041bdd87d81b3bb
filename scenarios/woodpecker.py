"""Woodpecker toy: a sleeve with clearance jams on its pole, a bird on a spring shakes it loose, and it pecks.

A sleeve of inner radius r_M > r₀ slides on a pole of radius r₀; a bird hangs on it by a torsion spring. While the
sleeve is tilted it jams: its edge touches the pole at its lower end (φ_M < 0) or its upper one (φ_M > 0). The bird
swings, tilts the sleeve back, the toy falls a little, the beak hits the pole and throws the bird back. Coordinates are
the height y (m) and the small angles φ_M of the sleeve and φ_S of the bird (rad); friction μ = 0.3 at all contacts,
restitution 0.5 at the beak and 0 at the sleeve. Gaps and slips of Glocker's model:

    g₁ = l_M + l_G − l_S − r₀ − h_S φ_S (beak),   g₂, g₃ = r_M − r₀ ± h_M φ_M,
    s₁ = ẏ + l_M φ̇_M + (l_G − l_S) φ̇_S,           s₂ = s₃ = ẏ + r_M φ̇_M.

Known answer: the limit cycle has the period 0.145976 s and goes down by 19.445 mm.
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

SICONOS = (
    0.192,
    np.array([-2.38834504e-02, -1.03454261e-01, -4.46854509e-01, 0.0, 0.0, 12.0087483]),
)  # s; q, v  # step 2e-5 s


@g.needs(start.t_end)
def claims(run):
    when, published = SICONOS
    there = run.at([when])
    off = (np.concatenate([there.q[0], there.v[0]]) - published) / [0.024, 0.1, 0.45, 1.0, 1.0, 12.0]
    return [
        g.Claim("Siconos has the same state after a lap", np.max(np.abs(off)), 0.02, "first-order steps of 2e-5 s"),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    dense = run.at(np.linspace(0.0, run.t[-1], 3000))
    for name, label in (("phiS", "bird"), ("phiM", "sleeve")):
        left.plot(dense.t, dense[name], label=label)
    left.set(xlabel="t / s", ylabel="angle / rad")
    left.legend()
    right.plot(dense.t, 1e3 * dense["y"])
    right.set(xlabel="t / s", ylabel="height / mm", title="it goes down by 19.4 mm a peck")


if __name__ == "__main__":
    g.main(__file__)
