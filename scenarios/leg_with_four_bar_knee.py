"""Leg with a four-bar knee: a motor at the hip moves the knee by a lever and a rod, as in walking robots.

Thigh and shank of 0.4 m are uniform boxes of 3 and 1.5 kg that hang from a hip at rest; g = 9.81 m/s² along −z. A lever
of r = 0.07 m turns about a point 0.1 m below the hip, and a rod of 0.3 m joins its end to one of the shank, 0.06 m
behind the knee. Servos of 80 N m/rad and 6 N m s/rad at hip and lever follow α*(t) = ½ sin 4t and
δ*(t) = 0.3 + 0.3 cos 4t (rad). The coordinates are the joints' angles: hip, knee, drive (of the lever) and pin (of the
rod), with three rows for the ball joint at the heel. The one across the plane of the leg says nothing: all hinges are
parallel.

Known answers: the circles about the two ends meet where the heel is, so that the knee's angle is a function of the
lever's; and the hip carries weight and inertia, by Newton's law. Nothing says which force acts across the plane.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

SOURCE = "textbook problem; the knee by the intersection of two circles, and Newton's law"

THIGH, SHANK, DOWN, LEVER, HEEL, ROD = 0.4, 0.4, 0.1, 0.07, 0.06, 0.3  # m
UP = np.array([0.0, 0.0, 9.81])  # m/s², against gravity
HINGE = {"axis1": (0, 1, 0), "axis2": (0, 1, 0)}

thigh = mb.Body("thigh", mb.box(3.0, (0.08, 0.08, THIGH), at=(0, 0, -THIGH / 2)))
shank = mb.Body("shank", mb.box(1.5, (0.06, 0.06, SHANK), at=(0, 0, -SHANK / 2)))
lever = mb.Body("lever", mb.box(0.3, (LEVER, 0.03, 0.03), at=(-LEVER / 2, 0, 0)))
rod = mb.Body("rod", mb.box(0.2, (0.02, 0.02, ROD), at=(0, 0, -ROD / 2)))
hip = mb.Revolute("hip", mb.GROUND, (0, 0, 0), thigh, (0, 0, 0), **HINGE)
knee = mb.Revolute("knee", thigh, (0, 0, -THIGH), shank, (0, 0, 0), **HINGE)
drive = mb.Revolute("drive", thigh, (0, 0, -DOWN), lever, (0, 0, 0), **HINGE)
pin = mb.Revolute("pin", lever, (-LEVER, 0, 0), rod, (0, 0, 0), **HINGE)
heel = mb.Spherical("heel", rod, (0, 0, -ROD), shank, (-HEEL, 0, 0))
servos = [
    mb.Servo("hip servo", hip, lambda t: 0.5 * g.sin(4 * t), 80.0, 6.0),
    mb.Servo("knee servo", drive, lambda t: 0.3 + 0.3 * g.cos(4 * t), 80.0, 6.0),
]
joints = [hip, knee, drive, pin, heel]
leg = mb.Mechanism("leg", [thigh, shank, lever, rod], joints, servos, coordinates="joint")
system = leg.system
near, _ = leg.state(values={"knee": 0.7, "drive": 0.6, "pin": -0.6})
start = g.Start(g.consistent(leg, near, hold=("hip", "drive")).q, t_end=2.0)
drawing = mb.Drawing(leg, traces=[(shank, (0, 0, -SHANK))], view=(14.0, -55.0), speed=0.5)


def knee_of(angle):
    """The knee's angle (rad) from that of the lever, both against the thigh: the heel is where two circles meet."""
    end = np.array([-LEVER * np.cos(angle), LEVER * np.sin(angle) - DOWN + THIGH])  # seen from the knee: x, z
    far = np.hypot(*end)
    turned = np.arccos((HEEL**2 + far**2 - ROD**2) / (2 * HEEL * far))  # at the knee, from the lever's end to the heel
    place = np.arctan2(end[1], end[0]) + turned
    return np.mod(np.pi - place + np.pi, 2 * np.pi) - np.pi  # 0 where the heel is straight behind the knee


def of_centre(run, body):
    """The acceleration (N, 3) of the mass centre, in m/s², from the columns of the body."""
    words = ("acceleration", "angular_velocity", "angular_acceleration", "rotation")
    a, w, dw, R = (run[f"{body.name}.{word}"] for word in words)
    arm = R @ body.inertia.centre
    return a + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))


def claims(run):
    off = np.max(np.abs(run["knee"] - knee_of(run["drive"])))
    few = run.at(np.linspace(0.0, run.t[-1], 41))
    lifted = sum(body.inertia.mass * (of_centre(few, body) + UP) for body in leg.bodies)
    verdict = g.classify(system, run.q[-1], run.v[-1], run.t[-1])
    across = 0.0 if verdict.unique and verdict.range_of("heel[1]") == (-np.inf, np.inf) else np.inf
    return [
        g.Claim("the knee follows the lever", off, 1e-12, "two circles; rounding of the projection"),
        g.Claim("the hip carries weight and inertia", g.relative(few["hip.force"], lifted), 1e-6, "Newton's law"),
        g.Claim("the force across the plane is free, the motion is not", across, 0.0, "parallel hinges"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    for name in ("hip", "drive", "knee"):
        axes.plot(run.t, run[name], label=name)
    axes.plot(run.t, knee_of(run["drive"]), "k:", label="knee, by two circles")
    axes.set(xlabel="t / s", ylabel="angle / rad", title="a leg swings, its knee moved by a lever and a rod")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
