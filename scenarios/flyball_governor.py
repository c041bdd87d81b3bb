"""Flyball governor: the angle of its arms at each rate of turning, its oscillation, and the torque of its shaft.

Two arms hang on hinges at the top of a vertical shaft that turns at the rate Ω = 14 rad/s; each is a uniform rod of
length l = 0.3 m and 0.3 kg with a ball of 1.5 kg at its end. Links of the same length without mass join the balls to a
sleeve of M = 4 kg on the shaft: 15 coordinates and 14 rows, two of which keep the arms in the plane that turns. Start:
the arms are at rest in that plane, at 25° from the vertical. With the angle α of the arms and the moments S = ∫ s dm
and A = ∫ s² dm of one arm about its hinge, the arms are steady where cos α = (S + M l) g/(A Ω²), and
A α_dot² + 2 M l² sin² α α_dot² − A Ω² sin² α − 2(S + M l) g cos α is kept. The shaft needs d/dt(2 A Ω sin² α).
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("V5",)
SOURCE = "VHIF §1 for the coordinates; the governor of Watt, loaded as by Porter, in closed form"

LENGTH, ROD, BALL, SLEEVE, GRAVITY = 0.3, 0.3, 1.5, 4.0, 9.81  # m, kg, kg, kg, m/s²
OMEGA, ALPHA = 14.0, np.radians(25.0)  # rad/s, rad
FIRST = BALL * LENGTH + ROD * LENGTH / 2  # S, kg m
SECOND = BALL * LENGTH**2 + ROD * LENGTH**2 / 3  # A, kg m²
LOAD = (FIRST + SLEEVE * LENGTH) * GRAVITY  # N m

arm = mb.rod(ROD, (0, 0, 0), (0, 0, LENGTH)) + mb.point(BALL, (0, 0, LENGTH))
arms = [mb.Rod("right", arm), mb.Rod("left", arm)]
sleeve = mb.Particle("sleeve", SLEEVE)


def across(arm):
    """The row that keeps an arm in the plane that turns."""
    return g.Holonomic(
        f"{arm.name} turns",
        lambda q, t, p: q[f"{arm.name}_u2"] * g.cos(p.rate * t) - q[f"{arm.name}_u1"] * g.sin(p.rate * t),
    )


hinges = [mb.Spherical(f"{x.name} hinge", mb.GROUND, (0, 0, 0), x, (0, 0, 0)) for x in arms]
links = [mb.Distance(f"{x.name} link", x, (0, 0, LENGTH), sleeve, (0, 0, 0), LENGTH) for x in arms]
governor = mb.Mechanism(
    "flyball governor",
    [*arms, sleeve],
    [*hinges, *links],
    constraints=[*map(across, arms), g.Holonomic("shaft", lambda q: [q.sleeve_x, q.sleeve_y])],
    parameters={"rate": OMEGA},
)
system = governor.system


def state(alpha, swing=0.0, rate=OMEGA):
    """q and v at t = 0 at an angle α, which grows at the rate `swing` (rad/s)."""
    poses = []
    for x, sign in zip(arms, (1.0, -1.0), strict=True):
        u = (sign * np.sin(alpha), 0.0, -np.cos(alpha))
        poses.append(x.pose(direction=u, angular_velocity=[0.0, -sign * swing, rate]))
    below, rising = -2 * LENGTH * np.cos(alpha), 2 * LENGTH * np.sin(alpha) * swing
    return governor.state(*poses, sleeve.pose((0, 0, below), (0, 0, rising)))


start = g.Start(*state(ALPHA), t_end=2.0, rtol=1e-12, atol=1e-13)
arm_shape = [mb.shapes.Polyline([(0, 0, 0), (0, 0, LENGTH)]), mb.shapes.Ellipsoid((0.03,) * 3, at=(0, 0, LENGTH))]
drawing = mb.Drawing(
    governor,
    shapes={**dict.fromkeys(arms, arm_shape), sleeve: mb.shapes.Cylinder(0.02, 0.04)},
    traces=[(arms[0], (0, 0, LENGTH))],
    speed=0.25,
)


def angle(run):
    """α and its rate along a run, from the directions of the right arm."""
    u, v = (np.array([run[f"{d}right_u{k}"] for k in (1, 2, 3)]) for d in ("", "d_"))
    level = np.hypot(u[0], u[1])
    return np.arctan2(level, -u[2]), v[2] / level


def claims(run):
    alpha, swing = angle(run)
    kept, s, c = len(run) * start.rtol, np.sin(alpha), np.cos(alpha)
    integral = (SECOND + 2 * SLEEVE * LENGTH**2 * s**2) * swing**2 - SECOND * OMEGA**2 * s**2 - 2 * LOAD * c
    size = np.max(SECOND * OMEGA**2 * s**2 + 2 * LOAD)
    torque, expected = s * (run["right turns"] - run["left turns"]), 4 * SECOND * OMEGA * s * c * swing
    mirrored = np.abs([run["right_u1"] + run["left_u1"], run["right_u2"] + run["left_u2"]])
    return [
        g.Claim("Jacobi's integral is kept", np.ptp(integral) / size, kept, "N steps that err by rtol each"),
        g.Claim("the shaft turns the arms with d/dt(2AΩ sin²α)", g.relative(torque, expected), 1e-10, "rounding"),
        g.Claim("the arms stay opposite", np.max(mirrored), kept, "both links hold one sleeve"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    axes.plot(run.t, np.degrees(angle(run)[0]), ".-", label="Gauss")
    axes.axhline(np.degrees(np.arccos(LOAD / (SECOND * OMEGA**2))), color="0.6", lw=0.9, label="steady angle")
    axes.set(xlabel="t / s", ylabel="α / degrees", title="the arms oscillate about their steady angle")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
