"""Housner's rocking block: each impact takes its share, each rocking takes less time, until it stands.

A homogeneous rectangular block (m = 1 kg, half-diagonal R = 0.5 m, which makes the angle α = 0.35 rad with the upright,
g = 9.81 m/s²) rocks on its two lower corners without slip and without bounce, held by dry friction with μ = 0.6. x and
z are the place of its centre in m and θ its angle in rad; at rest it is tilted by θ₀ = 0.6 α on its left corner.

At the impact the angular momentum about the corner that closes is kept: φ̇⁺ = r φ̇⁻, r = 1 − (3/2) sin² α. The kinetic
energy falls by the factor r² each time, and the infinitely many impacts are over in a finite time. The block then
stands.
"""

import numpy as np

import gauss as g

SOURCE = "G. W. Housner, Bulletin of the Seismological Society of America 53 (1963)"

M, R, ALPHA, G, SHARE, MU = 1.0, 0.5, 0.35, 9.81, 0.6, 0.6  # kg, m, rad, m/s², θ₀/α, friction
B, H = R * np.sin(ALPHA), R * np.cos(ALPHA)  # half width and half height, m
INERTIA = M * R**2 / 3  # kg m², about the centre


def corner(side):
    """The height of the left (−1) or right (1) corner above the floor, as a model function."""
    return lambda q: q.z - H * g.cos(q.theta) + side * B * g.sin(q.theta)


rubbing = g.Coulomb(MU, lambda q, v: v.x + q.z * v.theta)  # with the slip velocity of a corner on the floor
system = g.System(
    "rocking block",
    coordinates="x z theta",
    kinetic_energy=lambda v: 0.5 * (M * (v.x**2 + v.z**2) + INERTIA * v.theta**2),
    potential_energy=lambda q: M * G * q.z,
    constraints=[
        g.Unilateral("left", corner(-1), friction=rubbing),
        g.Unilateral("right", corner(1), friction=rubbing),
    ],
)
TILT = SHARE * ALPHA  # rad
start = g.Start(q=[0.0, H * np.cos(TILT) + B * np.sin(TILT), TILT], t_end=3.6)


@g.needs(start.t_end)
def claims(run):
    impacts = [e for e in run.events if e.kind == "impact"]
    sides = [e.name for e in impacts] == [("right", "left")[k % 2] for k in range(len(impacts))]
    moving = run.t < impacts[20].t
    rows = run["d_x"][moving] + run["z"][moving] * run["d_theta"][moving]
    carried = (run["left"][-1] + run["right"][-1]) / (M * G)
    rest = abs(run["theta"][-1]) + abs(run["d_theta"][-1]) + abs(carried - 1)
    return [
        g.Claim("the impacts alternate between the corners", not sides or len(impacts) < 30),
        g.Claim("friction holds the corners", np.max(np.abs(rows)), 1e-12, "projection"),
        g.Claim("then the block stands, and the floor carries its weight", rest, 1e-12, "rounding"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(run.t[0], run.t[-1], 2000))
    axes.plot(dense.t, dense["theta"] / ALPHA)
    impacts = np.array([e.t for e in run.events if e.kind == "impact"])
    axes.plot(impacts, 0 * impacts, "k.", ms=5, label="impacts")
    axes.set(xlabel="t / s", ylabel="θ / α", title="rocking of the block")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
