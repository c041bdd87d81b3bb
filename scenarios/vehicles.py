"""Seven vehicles: where their wheels can take them, from the Lie brackets of the velocities they admit.

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
from gauss import bodies as mb
from gauss.analysis.integrals.associated import associated
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


WHEEL = mb.shapes.Box((2 * R, 0.2))
drawing = mb.Drawing(  # with the one wheel in the middle that stands for those of an axle
    placed=[
        (mb.shapes.Segment([(0, 0), (L, 0)]), lambda q: mb.shapes.at_angle((q["x"], q["y"]), q["phi"])),
        (WHEEL, lambda q: mb.shapes.at_angle((q["x"], q["y"]), q["phi"])),
        (WHEEL, front_axle),
    ],
    traces=[lambda q: (q["x"], q["y"]), lambda q: front_axle(q).origin],
)

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
    row = found["two-wheeled robot"].integrable
    integral = np.array([0.0, 0.0, -2 * B, R, -R]) / np.hypot(2 * B, np.hypot(R, R))
    path = driven(run)
    dense = run.at(path.t)
    return [
        *result,
        g.Claim(
            "the robot's integral is r (right − left) − 2b phi",
            float(np.linalg.norm(row[0] - integral * (row[0] @ integral))),
            1e-13,
            "direction of the covector that all brackets leave, rounding",
        ),
        g.Claim(
            "the car's associated system follows the same path under the same speeds",
            max(g.relative(path[k], dense[k]) for k in system.coordinates),
            1e-8,
            "two integrations, the dense output between steps of the first",
        ),
        g.Claim("the associated system does not slip", path.slip, 1e-14, "A G = 0 to rounding"),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.6])
    path = driven(run)
    dense = run.at(np.linspace(0.0, run.t[-1], 400))
    left.plot(dense["x"], dense["y"], label="Gauss, pushed car")
    left.plot(path["x"][::25], path["y"][::25], "k.", label="associated system")
    for k in range(0, 400, 57):
        x, y, phi, theta = (float(dense[c][k]) for c in system.coordinates)
        nose = x + L * np.cos(phi), y + L * np.sin(phi)
        left.plot([x, nose[0]], [y, nose[1]], color="0.6", lw=1.2)
        for place, angle in (((x, y), phi), (nose, phi + theta)):
            half = 0.35 * np.array([np.cos(angle), np.sin(angle)])
            left.plot([place[0] - half[0], place[0] + half[0]], [place[1] - half[1], place[1] + half[1]], "0.3", lw=2.5)
    left.set(xlabel="x / m", ylabel="y / m", title="the car's path", aspect="equal")
    left.legend(loc="lower left")
    right.axis("off")
    rows = [
        [name, str(h.directions), str(h.growth), str(h.surface), h.verdict.split()[0]] for name, h in verdicts().items()
    ]
    table = right.table(
        rows,
        colLabels=["vehicle", "n", "growth vector", "surface", "nonholonomic"],
        colWidths=[0.3, 0.07, 0.25, 0.15, 0.23],
        loc="center",
        cellLoc="left",
        edges="horizontal",
    )
    table.auto_set_font_size(False)
    table.set_fontsize(9)
    table.scale(1.0, 1.6)
    right.set_title("what their velocities and brackets span", y=0.86)


if __name__ == "__main__":
    g.main(__file__)
