"""Seven vehicles: where their wheels can take them, from the Lie brackets of the velocities they admit.

Wheels that do not slip are rows A(q) q̇ = 0, and A G = 0 gives the associated control system q̇ = G(q) u. The ranks of
the columns of G with their brackets up to each order are the growth vector; where the last one is n, every position can
be reached (completely nonholonomic). Lengths in m, angles in rad:

    skate, ski, wheel (2, 3)        rolling wheel (2, 3, 4)        kinematic car (2, 3, 4)        rolling ball (2, 3, 5)
    two-wheeled robot (2, 3, 4)     car with trailer (2, 3, 4, 5)                                 fire truck (3, 5, 6)

The robot is partly nonholonomic: r (right − left) = 2b phi + const is an integral. The motion below is that of the car,
m = 900 kg, pushed by a force along its axis while the steering turns at a constant rate.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb
from gauss.analysis.integrals.holonomy import holonomy

COVERS = ("T17",)
SOURCE = "TM §8.2.1–8.2.3, 8.3.1, 8.4, exercises 8.3–8.6; R. Murray, Z. Li, S. Sastry (1994)"

R, L, B, D, E = 0.3, 2.6, 0.4, 3.1, 5.0  # m: wheel, wheelbase, half track, trailer's bar, rear of the fire truck
MASS, INERTIA, STEERING, PUSH = 900.0, 1400.0, 2.0, 700.0  # kg, kg m², kg m², N


def axle(name, angle, **others):
    """The row of an axle at an angle that does not slip sideways; `others` are the coefficients of other velocities."""

    def row(q):
        return {"x": g.sin(angle(q)), "y": -g.cos(angle(q))} | {k: f(q) for k, f in others.items()}

    return g.Pfaffian(name, row)


def vehicle(name, coordinates, *rows):
    """A vehicle of unit inertias, whose rows matter only."""
    return g.System(name, coordinates, kinetic_energy=lambda v: 0.5 * sum(x**2 for x in v), constraints=rows)


def rolling(q):
    return [
        [1, 0, -R * g.sin(q.gamma) * g.sin(q.beta), -R * g.cos(q.gamma), 0],
        [0, 1, R * g.cos(q.gamma) * g.sin(q.beta), -R * g.sin(q.gamma), 0],
        [0, 0, g.cos(q.beta), 0, 1],
    ]


ball = g.Pfaffian("rolling", rolling)

body = axle("rear axle", lambda q: q.phi)
front = axle("front axle", lambda q: q.phi + q.theta, phi=lambda q: -L * g.cos(q.theta))
skid = axle("no side slip", lambda q: q.phi)
lengthwise = g.Pfaffian("no lengthwise slip", lambda q: {"x": g.cos(q.phi), "y": g.sin(q.phi), "theta": -R})
wheels = [
    g.Pfaffian("right wheel", lambda q: {"x": g.cos(q.phi), "y": g.sin(q.phi), "phi": B, "right": -R}),
    g.Pfaffian("left wheel", lambda q: {"x": g.cos(q.phi), "y": g.sin(q.phi), "phi": -B, "left": -R}),
]
trailer = axle("trailer's axle", lambda q: q.psi, psi=lambda q: D)
tiller = axle("steered rear axle", lambda q: q.psi + q.eps, psi=lambda q: E * g.cos(q.eps))

system = g.System(
    "kinematic car",
    coordinates="x y phi theta",
    kinetic_energy=lambda v: 0.5 * (MASS * (v.x**2 + v.y**2) + INERTIA * v.phi**2 + STEERING * v.theta**2),
    force=lambda q: {"x": PUSH * g.cos(q.phi), "y": PUSH * g.sin(q.phi)},
    constraints=[body, front],
)
start = g.Start(q=[0.0, 0.0, 0.0, -0.5], v=[1.5, 0.0, 1.5 * np.tan(-0.5) / L, 0.12], t_end=8.0, step=0.01, rtol=1e-12)


def front_axle(q):
    """Where the steered wheels of the car are, for the picture."""
    place = (q["x"] + L * np.cos(q["phi"]), q["y"] + L * np.sin(q["phi"]))
    return mb.shapes.at_angle(place, q["phi"] + q["theta"])


drawing = mb.Drawing(  # the one wheel in the middle stands for those of an axle
    placed=[
        (mb.shapes.Segment([(0, 0), (L, 0)]), lambda q: mb.shapes.at_angle((q["x"], q["y"]), q["phi"])),
        (mb.shapes.Box((2 * R, 0.2)), front_axle),
    ]
)

FLEET = {  # system, growth vector, verdict
    "skate": (vehicle("skate", "x y phi", skid), (2, 3), "completely nonholonomic"),
    "rolling wheel": (vehicle("wheel", "x y phi theta", skid, lengthwise), (2, 3, 4), "completely nonholonomic"),
    "kinematic car": (system, (2, 3, 4), "completely nonholonomic"),
    "rolling ball": (vehicle("ball", "x y alpha beta gamma", ball), (2, 3, 5), "completely nonholonomic"),
    "two-wheeled robot": (vehicle("robot", "x y phi right left", skid, *wheels), (2, 3, 4), "partly nonholonomic"),
    "car with trailer": (
        vehicle("trailer", "x y phi theta psi", body, front, trailer),
        (2, 3, 4, 5),
        "completely nonholonomic",
    ),
    "fire truck": (
        vehicle("truck", "x y phi theta psi eps", body, front, tiller),
        (3, 5, 6),
        "completely nonholonomic",
    ),
}
PLACE = np.array([0.3, -0.2, 0.4, 0.7, 0.5, -0.3])  # m, rad: a position with nothing special about it


def verdicts():
    """The verdict on each vehicle."""
    return {name: holonomy(model, PLACE[: model.n]) for name, (model, *_) in FLEET.items()}


def claims(run):
    found, result = verdicts(), []
    for name, (_, growth, verdict) in FLEET.items():
        right = found[name].growth == growth and found[name].verdict == verdict and not found[name].doubtful
        words = f"{name}: growth vector {growth}, {verdict}"
        result.append(g.Claim(words, not right, 0.0, "0 if all of it is found beyond doubt, else 1"))
    row = found["two-wheeled robot"].integrable[0]
    integral = np.array([0.0, 0.0, -2 * B, R, -R]) / np.hypot(2 * B, np.hypot(R, R))
    beside = np.linalg.norm(row - integral * (row @ integral))
    return [*result, g.Claim("the robot's integral is r (right − left) − 2b phi", beside, 1e-13, "rounding")]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(0.0, run.t[-1], 400))
    axes.plot(dense["x"], dense["y"], label="rear axle")
    axes.plot(dense["x"] + L * np.cos(dense["phi"]), dense["y"] + L * np.sin(dense["phi"]), label="front axle")
    axes.set(xlabel="x / m", ylabel="y / m", title="the car's path", aspect="equal")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
