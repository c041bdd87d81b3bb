"""A skate's edge that holds only with the friction μN: where it slips sideways, and how it catches again.

Chaplygin's skater (1 kg, 1 kg m²) on a slope with g sin s = 1 m/s², as in `chaplygin_skater`: x down the slope, y
along it, z normal to it, phi the direction of the skate, started at rest with the angular velocity ω. The edge does
not slip while the force λ across it is less than μN; here N = 1/tan s is the multiplier of the ground, and on the
cycloid λ = −2 sin ωt. So μN suffices for ever if μ ≥ 2 tan s. With μN = 1.6 N it does not: the skate slips
sideways when sin ωt = 0.8, and catches again. The energy goes down by μN |s| per second of slip with the velocity s.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T18", "T22")
SOURCE = "TM §9.1.1 and (9.3), with a limit to the force of adhesion"

OMEGA, SLOPE, MU_N = 2.0, np.radians(20.0), 1.6  # rad/s, rad, N
PRESS = 1.0 / np.tan(SLOPE)  # N, as the weight along the slope is 1 N
MU = MU_N / PRESS

system = g.System(
    "skate on a slope",
    coordinates="x y z phi",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2 + v.phi**2),
    potential_energy=lambda q: PRESS * q.z - q.x,
    constraints=[
        g.Unilateral("ground", lambda q: q.z),
        g.Friction("edge", lambda q, v: g.sin(q.phi) * v.x - g.cos(q.phi) * v.y, MU, load="ground"),
    ],
)
start = g.Start(q=[0.0, 0.0, 0.0, 0.0], v=[0.0, 0.0, 0.0, OMEGA], t_end=10.0)
drawing = mb.Drawing(
    placed=[(mb.shapes.Polyline([(-0.15, 0), (0.15, 0)]), lambda q: mb.shapes.at_angle((q["x"], q["y"]), q["phi"]))],
    traces=[lambda q: (q["x"], q["y"])],
)


@g.needs(start.t_end)
def claims(run):
    first = np.arcsin(MU_N / 2) / OMEGA
    return [
        g.Claim("the edge first slips at arcsin(μN/2)/ω", g.relative(run.events[0].t, first), 1e-9, "closed form"),
        g.Claim("the weight rests on the ground", g.relative(run["ground"], PRESS), 1e-12, "rounding"),
    ]


def figure(run, figure):
    path, force = figure.subplots(1, 2)
    dense = run.at(np.linspace(run.t[0], run.t[-1], 2000))
    path.plot(dense["y"], dense["x"])
    path.invert_yaxis()
    path.set(xlabel="y along the slope / m", ylabel="x down the slope / m")
    force.plot(dense.t, dense["edge"], label="λ")
    force.plot(dense.t, -2 * np.sin(OMEGA * dense.t), "k--", lw=1, label="needed to hold for ever")
    force.set(xlabel="t / s", ylabel="force across the edge / N")
    force.legend()


if __name__ == "__main__":
    g.main(__file__)
