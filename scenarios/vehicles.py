"""Seven vehicles: where their wheels can take them, from the Lie brackets of the velocities they admit.

Wheels that do not slip are rows A(q) q̇ = 0, and A G = 0 gives the associated control system q̇ = G(q) u. The ranks of
the columns of G with their brackets up to each order are the growth vector; where the last one is n, every position can
be reached (completely nonholonomic). Lengths in m, angles in rad. The page has the kinematic car, m = 900 kg, whose
vector is (2, 3, 4). It moves pushed by a force along its axis while the steering turns at a constant rate. The others:

    skate (2, 3), rolling wheel (2, 3, 4), rolling ball (2, 3, 5), car with trailer (2, 3, 4, 5), fire truck (3, 5, 6)
    two-wheeled robot (2, 3, 4) of n = 5: partly nonholonomic, as r (right − left) = 2b phi + const is an integral
"""

import numpy as np

import gauss as g
from gauss import bodies as mb
from gauss.analysis.integrals.holonomy import holonomy

COVERS = ("T17",)
SOURCE = "TM §8.2.1–8.2.3, 8.3.1, 8.4, exercises 8.3–8.6; R. Murray, Z. Li, S. Sastry (1994)"

L, MASS, INERTIA, STEERING, PUSH = 2.6, 900.0, 1400.0, 2.0, 700.0  # m (wheelbase), kg, kg m², kg m², N


def axle(name, angle, **others):
    """The row of an axle at an angle that does not slip sideways; `others` are the coefficients of other velocities."""

    def row(q):
        return {"x": g.sin(angle(q)), "y": -g.cos(angle(q))} | {k: f(q) for k, f in others.items()}

    return g.Pfaffian(name, row)


body = axle("rear axle", lambda q: q.phi)
front = axle("front axle", lambda q: q.phi + q.theta, phi=lambda q: -L * g.cos(q.theta))

system = g.System(
    "kinematic car",
    coordinates="x y phi theta",
    kinetic_energy=lambda v: 0.5 * (MASS * (v.x**2 + v.y**2) + INERTIA * v.phi**2 + STEERING * v.theta**2),
    force=lambda q: {"x": PUSH * g.cos(q.phi), "y": PUSH * g.sin(q.phi)},
    constraints=[body, front],
)
start = g.Start(q=[0.0, 0.0, 0.0, -0.5], v=[1.5, 0.0, 1.5 * np.tan(-0.5) / L, 0.12], t_end=8.0, step=0.01, rtol=1e-12)
drawing = mb.Drawing(  # the rear axle and the front axle
    placed=[(mb.shapes.Polyline([(0, 0), (L, 0)]), lambda q: mb.shapes.at_angle((q["x"], q["y"]), q["phi"]))],
    traces=[lambda q: (q["x"], q["y"])],
)


def claims(run):
    car = holonomy(system, [0.3, -0.2, 0.4, 0.7])  # a position with nothing special about it
    right = car.growth == (2, 3, 4) and car.verdict == "completely nonholonomic" and not car.doubtful
    turning = (run["d_x"] * np.cos(run["phi"]) + run["d_y"] * np.sin(run["phi"])) * np.tan(run["theta"]) / L
    return [
        g.Claim("kinematic car: growth vector (2, 3, 4), completely nonholonomic", not right),
        g.Claim("it turns with v tan(theta)/l", g.relative(run["d_phi"], turning), 1e-11, "rounding"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(0.0, run.t[-1], 400))
    axes.plot(dense["x"], dense["y"], label="rear axle")
    axes.plot(dense["x"] + L * np.cos(dense["phi"]), dense["y"] + L * np.sin(dense["phi"]), label="front axle")
    axes.set(xlabel="x / m", ylabel="y / m", title="the car's path", aspect="equal")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
