"""Arm with a gripper: six joints, and two fingers on four-bar linkages that keep their direction.

An arm of 0.4 m and 0.35 m stands on a column that turns; its wrist has three more joints. Each finger of 60 g hangs at
a crank of 0.05 m and, 0.03 m behind it, at a light rod of the same length with a ball at each end, so that crank, rod,
finger and palm are a parallelogram. A gear makes the right crank the image of the left one. Servos in the arm and at
the left crank follow given angles; g = 9.81 m/s². The coordinates are the angles of the joints; rows are the lengths of
the two rods, and the gear.

Known answers: the fingers keep the direction of the palm and stay images of each other, the crank alone says how far
the gripper is open; the column carries weight and inertia of all bodies, by Newton's law.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

SOURCE = "textbook problem; a parallelogram, and Newton's law"

UPPER, FORE, PALM, CRANK, BEHIND, ASIDE = 0.4, 0.35, 0.1, 0.05, 0.03, 0.025  # m
X, Y, Z = ({"axis1": axis, "axis2": axis} for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))

column = mb.Body("column", mb.cylinder(4.0, 0.08, 0.2, at=(0, 0, 0.1)))
upper = mb.Body("upper_arm", mb.box(3.0, (UPPER, 0.07, 0.07), at=(UPPER / 2, 0, 0)))
fore = mb.Body("forearm", mb.box(2.0, (FORE, 0.06, 0.06), at=(FORE / 2, 0, 0)))
wrist = mb.Body("wrist", mb.box(0.5, (0.06, 0.06, 0.06), at=(0.03, 0, 0)))
cross = mb.Body("cross", mb.box(0.3, (0.04, 0.05, 0.05), at=(0.02, 0, 0)))
palm = mb.Body("palm", mb.box(0.4, (PALM, 0.08, 0.04), at=(PALM / 2, 0, 0)))
bodies = [column, upper, fore, wrist, cross, palm]
turn = mb.Revolute("turn", mb.GROUND, (0, 0, 0), column, (0, 0, 0), **Z)
shoulder = mb.Revolute("shoulder", column, (0, 0, 0.2), upper, (0, 0, 0), **Y)
elbow = mb.Revolute("elbow", upper, (UPPER, 0, 0), fore, (0, 0, 0), **Y)
roll = mb.Revolute("roll", fore, (FORE, 0, 0), wrist, (0, 0, 0), **X)
pitch = mb.Revolute("pitch", wrist, (0.06, 0, 0), cross, (0, 0, 0), **Y)
yaw = mb.Revolute("yaw", cross, (0.04, 0, 0), palm, (0, 0, 0), **Z)
joints, cranks, fingers = [turn, shoulder, elbow, roll, pitch, yaw], [], []
for side, y in (("left", ASIDE), ("right", -ASIDE)):
    crank = mb.Body(f"{side}_crank", mb.box(0.03, (CRANK, 0.01, 0.01), at=(CRANK / 2, 0, 0)))
    finger = mb.Body(f"{side}_finger", mb.box(0.06, (0.09, 0.01, 0.02), at=(0.03, 0, 0)))
    cranks.append(mb.Revolute(f"{side}_drive", palm, (PALM, y, 0), crank, (0, 0, 0), **Z))
    tip = mb.Revolute(f"{side}_tip", crank, (CRANK, 0, 0), finger, (0, 0, 0), **Z)
    rod = mb.Distance(f"{side}_rod", palm, (PALM - BEHIND, y, 0), finger, (-BEHIND, 0, 0), length=CRANK)
    joints += [cranks[-1], tip, rod]
    bodies += [crank, finger]
    fingers.append(finger)
joints.append(mb.Coupling("gear", [(cranks[0], 1.0), (cranks[1], 1.0)]))
servos = [
    mb.Servo(f"{joint.name} servo", joint, target, stiffness, damping)
    for joint, target, stiffness, damping in (
        (turn, lambda t: 0.8 * g.sin(t), 40.0, 6.0),
        (shoulder, lambda t: -0.6 + 0.3 * g.sin(1.5 * t), 300.0, 30.0),
        (elbow, lambda t: 1.2 - 0.4 * g.sin(1.5 * t), 100.0, 8.0),
        (roll, lambda t: 0.5 * g.sin(2 * t), 4.0, 0.05),
        (pitch, lambda t: -0.5 + 0.2 * g.cos(2 * t), 8.0, 0.2),
        (yaw, lambda t: 0.3 * g.sin(t), 4.0, 0.1),
        (cranks[0], lambda t: 0.5 + 0.3 * g.cos(3 * t), 0.5, 0.01),
    )
]
arm = mb.Mechanism("arm with a gripper", bodies, joints, servos, coordinates="joint")
system = arm.system
FIRST = {"shoulder": -0.6, "elbow": 1.2, "pitch": -0.3, "left_drive": 0.8, "left_tip": -0.8}
start = g.Start(arm.state(values=FIRST | {"right_drive": -0.8, "right_tip": 0.8})[0], t_end=2.0)
drawing = mb.Drawing(arm, traces=[(palm, (PALM, 0, 0))], view=(20.0, -60.0), speed=0.5)


def of_centre(run, body):
    """The acceleration (N, 3) of the mass centre, in m/s², from the columns of the body."""
    words = ("acceleration", "angular_velocity", "angular_acceleration", "rotation")
    a, w, dw, R = (run[f"{body.name}.{word}"] for word in words)
    arm = R @ body.inertia.centre
    return a + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))


def claims(run):
    few = run.at(np.linspace(0.0, run.t[-1], 21))
    turned = [few["palm.rotation"] - few[f"{finger.name}.rotation"] for finger in fingers]
    between = few["left_finger.position"] - few["right_finger.position"]
    opened = g.relative(np.linalg.norm(between, axis=1), 2 * ASIDE + 2 * CRANK * np.sin(few["left_drive"]))
    up = np.array([0.0, 0.0, 9.81])
    lifted = sum(body.inertia.mass * (of_centre(few, body) + up) for body in bodies)
    return [
        g.Claim("the fingers keep the palm's direction", np.max(np.abs(turned)), 1e-11, "parallelograms; projection"),
        g.Claim("the crank says how far it is open", opened, 1e-10, "cranks that are images"),
        g.Claim("the column carries weight and inertia", g.relative(few["turn.force"], lifted), 1e-7, "Newton's law"),
    ]


def figure(run, figure):
    above, below = figure.subplots(2, 1, sharex=True)
    for joint in (turn, shoulder, elbow, roll, pitch, yaw):
        above.plot(run.t, run[joint.name], label=joint.name)
    above.set(ylabel="angle / rad", title="an arm moves its gripper, which opens and closes")
    above.legend(ncols=3)
    below.plot(run.t, 1e3 * (2 * ASIDE + 2 * CRANK * np.sin(run["left_drive"])))
    below.set(xlabel="t / s", ylabel="opening / mm")


if __name__ == "__main__":
    g.main(__file__)
