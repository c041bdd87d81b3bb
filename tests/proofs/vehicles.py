"""The other claims of scenarios/vehicles.py.

Wheels that do not slip are rows A(q) q̇ = 0, and A G = 0 gives the associated control system q̇ = G(q) u. The ranks of
the columns of G with their brackets up to each order are the growth vector; where the last one is n, every position can
be reached (completely nonholonomic). With c = cos, s = sin, lengths in m, angles in rad:

    skate, ski, wheel   x, y, phi                     s(phi) ẋ − c(phi) ẏ = 0                              (2, 3)
    rolling wheel       and the rotation theta        c(phi) ẋ + s(phi) ẏ = r theta_dot                    (2, 3, 4)
    kinematic car       x, y, phi, steering theta     rear and front axle do not slip sideways             (2, 3, 4)
    rolling ball        x, y, alpha, beta, gamma      no slip, no spin about the vertical                  (2, 3, 5)
    two-wheeled robot   x, y, phi, right, left        both wheels roll; no sideways slip                   (2, 3, 4)
    car with trailer    the car's and psi             the trailer's axle does not slip sideways            (2, 3, 4, 5)
    fire truck          and the rear steering eps     front, middle and rear axle do not slip sideways     (3, 5, 6)

The source forms the brackets of the rolling wheel and states that the other rows are nonholonomic too. For the robot,
which is its exercise 8.3, that needs a qualification: r (right − left) = 2b phi + const is an integral, so of its three
rows one combination is holonomic, and each motion stays on a surface of dimension 4 of 5.

The motion below is that of the car as a mechanical system, m = 900 kg, pushed by a force along its axis while the
steering turns at a constant rate: forces do not matter to the constraints, so the associated system must follow the
same path when it is driven with the velocities of that motion.
"""

import numpy as np

import gauss as g
from gauss.analysis import associated, holonomy
from scenarios.vehicles import L, axle, body, front, start, system

R, B, D, E = 0.3, 0.4, 3.1, 5.0  # m: wheel, half track, trailer's bar, rear of the fire truck


def vehicle(name, coordinates, *rows):
    """A vehicle of unit inertias, whose rows matter only."""
    return g.System(name, coordinates, kinetic_energy=lambda v: 0.5 * sum(x**2 for x in v), constraints=rows)


def rolling(q):
    return [
        [1, 0, -R * g.sin(q.gamma) * g.sin(q.beta), -R * g.cos(q.gamma), 0],
        [0, 1, R * g.cos(q.gamma) * g.sin(q.beta), -R * g.sin(q.gamma), 0],
        [0, 0, g.cos(q.beta), 0, 1],
    ]


skid = axle("no side slip", lambda q: q.phi)
wheels = [
    g.Pfaffian("right wheel", lambda q: {"x": g.cos(q.phi), "y": g.sin(q.phi), "phi": B, "right": -R}),
    g.Pfaffian("left wheel", lambda q: {"x": g.cos(q.phi), "y": g.sin(q.phi), "phi": -B, "left": -R}),
]
lengthwise = g.Pfaffian("no lengthwise slip", lambda q: {"x": g.cos(q.phi), "y": g.sin(q.phi), "theta": -R})

trailer = axle("trailer's axle", lambda q: q.psi, psi=lambda q: D)
tiller = axle("steered rear axle", lambda q: q.psi + q.eps, psi=lambda q: E * g.cos(q.eps))

FLEET = {  # system, growth vector, verdict
    "skate": (vehicle("skate", "x y phi", skid), (2, 3), "completely nonholonomic"),
    "rolling wheel": (vehicle("wheel", "x y phi theta", skid, lengthwise), (2, 3, 4), "completely nonholonomic"),
    "kinematic car": (system, (2, 3, 4), "completely nonholonomic"),
    "rolling ball": (
        vehicle("ball", "x y alpha beta gamma", g.Pfaffian("rolling", rolling)),
        (2, 3, 5),
        "completely nonholonomic",
    ),
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


def columns(q):
    """The columns of G for the car with rear drive: the speed of the rear axle and the rate of steering."""
    return [[g.cos(q.phi), g.sin(q.phi), g.tan(q.theta) / L, 0], [0, 0, 0, 1]]


def driven(run):
    """The path of the associated system under the speeds of a motion."""

    def u(t):
        dense = run.at(np.array([t]))
        return [
            float(dense["d_x"][0] * np.cos(dense["phi"][0]) + dense["d_y"][0] * np.sin(dense["phi"][0])),
            float(dense["d_theta"][0]),
        ]

    return associated(system, start.q, fields=columns).drive(u, start.q, t_end=run.t[-1], rtol=1e-10)


def claims(run):
    found = verdicts()
    result = []
    for name, (_, growth, verdict) in FLEET.items():
        right = found[name].growth == growth and found[name].verdict == verdict and not found[name].doubtful
        words = f"{name}: growth vector {growth}, {verdict}"
        result.append(g.Claim(words, 0.0 if right else 1.0, 0.0, "0 if all of it is found beyond doubt, else 1"))
    row, integral = found["two-wheeled robot"].integrable[0], np.array([0.0, 0.0, -2 * B, R, -R])
    integral /= np.linalg.norm(integral)
    beside = np.linalg.norm(row - integral * (row @ integral))
    path = driven(run)
    dense = run.at(path.t)
    return [
        *result,
        g.Claim("the robot's integral is r (right − left) − 2b phi", beside, 1e-13, "rounding"),
        g.Claim(
            "the car's associated system follows the same path under the same speeds",
            max(g.relative(path[k], dense[k]) for k in system.coordinates),
            1e-8,
            "two integrations, the dense output between steps of the first",
        ),
        g.Claim("the associated system does not slip", path.slip, 1e-14, "A G = 0 to rounding"),
    ]
