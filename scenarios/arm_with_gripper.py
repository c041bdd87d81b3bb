"""Arm of six joints with a parallel gripper, in joint coordinates: ten bodies and two closed loops.

A base turns about z; shoulder, elbow and wrist about y; forearm and flange roll about their own axes, all uniform boxes
(kg and m below), with gravity 9.81 m/s² along −z. The flange carries a gripper: on each side a link of l = 0.06 m with a
jaw, which a light bar of the same length, a row of distance, keeps parallel to the flange: a four-bar. Two servos move a
left and a right link by ±θ*(t), θ* = 0.5 + 0.3 sin 3t (rad); servos at the six joints swing the arm. The ten
coordinates are the joints' angles, and the two bars are the only rows.

Known answers: a parallelogram's jaw does not turn against the flange. The energy is what the servos give, the integral
of their torques times the rates.
"""

import numpy as np
from scipy.integrate import simpson

import gauss as g
from gauss import bodies as mb

SOURCE = "textbook problem; a parallelogram, and the theorem of work and energy"

LINK, WIDE, GAP = 0.06, 0.03, 0.025  # m: of the gripper, its pins, and between those of one side
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
CHAIN = [  # name, axis, place of the joint in the body before, mass, box, centre
    ("base", Z, (0, 0, 0.0), 6.0, (0.2, 0.2, 0.3), (0, 0, 0.15)),
    ("shoulder", Y, (0, 0, 0.3), 5.0, (0.1, 0.1, 0.5), (0, 0, 0.25)),
    ("elbow", Y, (0, 0, 0.5), 3.0, (0.2, 0.08, 0.08), (0.1, 0, 0)),
    ("forearm", X, (0.2, 0, 0), 2.0, (0.2, 0.07, 0.07), (0.1, 0, 0)),
    ("wrist", Y, (0.2, 0, 0), 1.0, (0.08, 0.06, 0.06), (0.04, 0, 0)),
    ("flange", X, (0.08, 0, 0), 0.5, (0.03, 0.12, 0.05), (0.015, 0, 0)),
]
SERVO = {  # of each joint: amplitude in rad, N m/rad, N m s/rad
    "base": (0.8, 600.0, 40.0), "shoulder": (0.4, 2000.0, 150.0), "elbow": (0.6, 600.0, 40.0),
    "forearm": (0.7, 10.0, 0.5), "wrist": (0.5, 20.0, 1.0), "flange": (1.0, 2.0, 0.1),
}  # fmt: skip


def opening(t):
    """θ* in rad."""
    return 0.5 + 0.3 * g.sin(3 * t)


bodies, joints, servos = [], [], []
for name, axis, place, mass, size, centre in CHAIN:
    before = bodies[-1] if bodies else mb.GROUND
    bodies.append(mb.Body(name, mb.box(mass, size, at=centre)))
    joints.append(mb.Revolute(f"{name}_joint", before, place, bodies[-1], (0, 0, 0), axis, axis))
    swing, stiffness, damping = SERVO[name]
    servos.append(mb.Servo(f"{name} servo", joints[-1], lambda t, size=swing: size * g.sin(2 * t), stiffness, damping))
flange = bodies[-1]
for side, word in ((1.0, "left"), (-1.0, "right")):
    link = mb.Body(f"{word}_link", mb.box(0.05, (LINK, 0.01, 0.01), at=(LINK / 2, 0, 0)))
    jaw = mb.Body(f"{word}_jaw", mb.box(0.04, (0.05, 0.008, 0.02), at=(0.025, -0.006 * side, 0)))
    near, bar = (0.03, side * WIDE, 0), (0.03, side * (WIDE - GAP), 0)
    pin = mb.Revolute(f"{word}_link_pin", flange, near, link, (0, 0, 0), Z, Z)
    hinge = mb.Revolute(f"{word}_jaw_pin", link, (LINK, 0, 0), jaw, (0, 0, 0), Z, Z)
    joints += [pin, hinge, mb.Distance(f"{word}_bar", flange, bar, jaw, (0, -side * GAP, 0), LINK)]
    servos.append(mb.Servo(f"{word} servo", pin, lambda t, side=side: side * opening(t), 0.5, 0.02))
    bodies += [link, jaw]
arm = mb.Mechanism("arm with gripper", bodies, joints, servos, coordinates="joint")
system = arm.system
open_by = {"left_link_pin": 0.5, "left_jaw_pin": -0.5, "right_link_pin": -0.5, "right_jaw_pin": 0.5}  # rad
start = g.Start(*arm.state(values=open_by), t_end=2.0)
drawing = mb.Drawing(arm, traces=[(flange, (0.1, 0, 0))], view=(18.0, -50.0), speed=0.7)


def power(run):
    """The power (N,) of all servos in W, from angles and rates: −(k δ + c θ_dot) θ_dot, δ = θ − target."""
    total = np.zeros(len(run))
    for servo in servos:
        name = servo.joint.name
        target = np.array([float(servo.target(t)) for t in run.t])
        total -= (servo.stiffness * (run[name] - target) + servo.damping * run[f"d_{name}"]) * run[f"d_{name}"]
    return total


def claims(run):
    turned = [run[f"{word}_link_pin"] + run[f"{word}_jaw_pin"] for word in ("left", "right")]
    dense = run.at(np.linspace(0.0, run.t[-1], 2001))
    given = simpson(power(dense), x=dense.t)
    missed = abs(run.energy[-1] - run.energy[0] - given) / simpson(np.abs(power(dense)), x=dense.t)
    return [
        g.Claim("the jaws stay parallel to the flange", np.max(np.abs(turned)), 1e-11, "parallelograms"),
        g.Claim("the energy is what the servos give", missed, 1e-6, "of all that they turn over; Simpson's rule"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    for name, *_ in CHAIN:
        axes.plot(run.t, run[f"{name}_joint"], label=name)
    axes.plot(run.t, run["left_link_pin"], "k--", label="gripper")
    axes.set(xlabel="t / s", ylabel="angle / rad", title="six joints and a gripper under servos")
    axes.legend(ncols=2)


if __name__ == "__main__":
    g.main(__file__)
