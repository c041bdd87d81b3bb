"""Whipple's bicycle of bodies and joints: the benchmark's linear equations, nonlinear accelerations, a push.

Four bodies: the frame with its rider, the fork with its handlebar, two wheels; three hinges (rear hub, front hub,
head), and two wheels with sharp rims that roll on a level road without slip. Axes: x forward, y to the right, z down;
lean and steer are positive to the right (rad). There are 48 coordinates and 45 rows, which leave the rates of lean,
steer and rolling. The motion is a manoeuvre of the IFToMM benchmark: at 4.6 m/s, between weave and capsize speed, the
bicycle is given a lean rate of 0.5 rad/s. It weaves and stands up again, on another heading; as nothing takes energy,
that of the push is found in the speed at which it then runs straight, ½ (m + I_R/r_R² + I_F/r_F²) v² = T₀.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("H5",)
SOURCE = (
    "J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Proc. R. Soc. A 463 (2007) 1955; P. Basu-Mandal,"
    " A. Chatterjee, J. M. Papadopoulos, ibid. 1983; IFToMM benchmark problems, uncontrolled bicycle; BH §7"
)

GRAVITY, BASE, TRAIL, TILT = 9.81, 1.02, 0.08, np.pi / 10  # m/s², m, m, rad: the steering axis leans back
REAR, FRONT = 0.3, 0.35  # radii of the wheels, m
MASSES = {"frame": 85.0, "fork": 4.0, "rear": 2.0, "front": 3.0}  # kg
CENTRES = {  # upright, from the point where the rear wheel touches, m
    "frame": np.array([0.3, 0.0, -0.9]),
    "fork": np.array([0.9, 0.0, -0.7]),
    "rear": np.array([0.0, 0.0, -REAR]),
    "front": np.array([BASE, 0.0, -FRONT]),
}
TENSORS = {  # kg m², about the centres of mass
    "frame": [[9.2, 0.0, 2.4], [0.0, 11.0, 0.0], [2.4, 0.0, 2.8]],
    "fork": [[0.05892, 0.0, -0.00756], [0.0, 0.06, 0.0], [-0.00756, 0.0, 0.00708]],
    "rear": np.diag([0.0603, 0.12, 0.0603]),
    "front": np.diag([0.1405, 0.28, 0.1405]),
}
AXLE = np.array([0.0, 1.0, 0.0])
STEERING = np.array([np.sin(TILT), 0.0, np.cos(TILT)])  # the steering axis, downwards
HEAD = np.array([BASE + TRAIL, 0.0, 0.0]) - 0.8 * STEERING  # a point of it, m
SPEED, PUSH = 4.6, 0.5  # m/s, rad/s


def bicycle(gravity=GRAVITY):
    """The bicycle as a mechanism: two hubs, the head and two tyres; torques of lean and steer (N m) as controls."""
    frame, fork, rear, front = bodies = [mb.Body(x, mb.Inertia.of_tensor(MASSES[x], TENSORS[x])) for x in MASSES]
    joints = [
        mb.Revolute("rear hub", frame, CENTRES["rear"] - CENTRES["frame"], rear, (0, 0, 0), AXLE),
        mb.Revolute("front hub", fork, CENTRES["front"] - CENTRES["fork"], front, (0, 0, 0), AXLE),
        mb.Revolute("head", frame, HEAD - CENTRES["frame"], fork, HEAD - CENTRES["fork"], STEERING),
        mb.RollingDisc("rear tyre", rear, REAR, normal=(0, 0, -1), axis=AXLE),
        mb.RollingDisc("front tyre", front, FRONT, normal=(0, 0, -1), axis=AXLE),
    ]
    lean = mb.Torque("lean torque", frame, lambda u: [u.lean, 0.0, 0.0])
    steer = mb.Torque("steer torque", fork, lambda u: [u.steer * x for x in STEERING], "body", reaction=frame)
    return mb.Mechanism("bicycle", bodies, joints, [lean, steer], (0, 0, gravity), controls="lean steer")


def running(machine, speed, lean_rate=0.0):
    """(q, v) of running straight and upright at a speed (m/s), with a lean rate (rad/s) about the line it runs on."""
    poses = []
    for body in machine.bodies:
        centre, radius = CENTRES[body.name], {"rear": REAR, "front": FRONT}.get(body.name, np.inf)
        velocity = speed * np.eye(3)[0] + np.cross([lean_rate, 0.0, 0.0], centre)
        poses.append(body.pose(centre, velocity=velocity, angular_velocity=(lean_rate, -speed / radius, 0.0)))
    return machine.state(*poses)


machine = bicycle()
system = machine.system
HANDS_OFF = [0.0, 0.0]  # N m
start = g.Start(*running(machine, SPEED, PUSH), t_end=12.0, rtol=1e-10, atol=1e-12, control=lambda t, q, v: HANDS_OFF)
drawing = mb.Drawing(machine, follow=machine.bodies[0], up=(0, 0, -1))


@g.needs(start.t_end)
def claims(run):
    carried = sum(MASSES.values()) + TENSORS["rear"][1, 1] / REAR**2 + TENSORS["front"][1, 1] / FRONT**2
    faster = np.hypot(run["d_rear_x"][-1], run["d_rear_y"][-1]) / np.sqrt(2 * run.kinetic[0] / carried) - 1
    late = run.at(np.linspace(run.t[-1] - 2.0, run.t[-1], 100))
    left = max(np.max(np.abs(late["frame_R32"])), np.max(np.abs(machine.joints[2].value(late))))
    kept = len(run) * start.rtol
    return [
        g.Claim("energy is kept", g.relative(run.energy, run.energy[:1]), kept, "N steps that err by rtol each"),
        g.Claim("the energy of the push goes into the speed", abs(faster), left**2, "lean and steer (rad) at the end"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(0.0, 8.0, 800))
    axes.plot(dense.t, np.degrees(np.arcsin(dense["frame_R32"])), label="lean")
    axes.plot(dense.t, np.degrees(machine.joints[2].value(dense)), label="steer")
    axes.set(xlabel="t / s", ylabel="angle / °", title=f"pushed at {SPEED} m/s: lean rate {PUSH} rad/s")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
