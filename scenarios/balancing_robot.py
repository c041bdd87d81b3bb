"""Balancing robot: a chassis on two driven wheels stands up, drives and turns; made of bodies, hubs and tyres.

The chassis of 20 kg has its mass centre l = 0.45 m above the axle and the moments 1.1, 0.9 and 0.7 kg m² about it. Two
wheels, uniform discs of r = 0.3 m and 2 kg, turn about the axle b = 0.4 m to the right and to the left of its middle
and roll without slip. Motors act between chassis and wheels with the torques R and L (N m). The bodies have 36
coordinates and 34 rows; both tyres keep the axle from sliding along itself, so that one row is redundant. The feedback
R + L = k·(θ, θ_dot, v − v*), R − L = κ(ω* − ω) holds the pitch θ upright at the speed v* and the rate of turning ω*: it
starts at rest with θ = 0.3, then drives with 1 m/s and turns with 0.8 rad/s.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T17", "V5")
SOURCE = "TM §8.2.3, ex. 8.3 for the rows of the wheels; BH for the quasi-velocities; VHIF §1 for the coordinates"

RADIUS, TRACK, HEIGHT, GRAVITY = 0.3, 0.4, 0.45, 9.81  # m, m (half the track), m, m/s²
CHASSIS, WHEEL = 20.0, 2.0  # kg
TENSOR = np.array([1.1, 0.9, 0.7])  # kg m²
PITCH, SPEED, TURN, DAMPING = 0.3, 1.0, 0.8, 6.0  # rad, m/s, rad/s, N m s
GAINS = np.array([81.02571428563776, 14.649672346003845, 9.724770642204545])  # N m, N m s, N s
Y = (0.0, 1.0, 0.0)


def two_wheeler(height=HEIGHT, tensor=TENSOR):
    """Chassis, right and left wheel, with the motor torques as controls: the mechanism."""
    chassis = mb.Body("chassis", mb.Inertia.of_tensor(CHASSIS, tensor, centre=(0, 0, height)))
    wheels = [mb.Body(name, mb.disc(WHEEL, RADIUS, Y)) for name in ("right", "left")]
    joints, motors = [], []
    for wheel, side in zip(wheels, (-TRACK, TRACK), strict=True):
        joints.append(mb.Revolute(f"{wheel.name} hub", chassis, (0, side, 0), wheel, (0, 0, 0), Y))
        joints.append(mb.RollingDisc(f"{wheel.name} tyre", wheel, RADIUS, axis=Y))
        motors.append(mb.Torque(f"{wheel.name} motor", wheel, along_axle(wheel.name), axes="body", reaction=chassis))
    return mb.Mechanism("balancing robot", [chassis, *wheels], joints, motors, controls="right left")


def along_axle(name):
    """The torque of a motor in the axes of its wheel."""
    return lambda u: (0.0, u[name], 0.0)


robot = two_wheeler()
chassis, right, left = robot.bodies
system = robot.system


def torques(t, pitch, speed, yawing, pitching):
    """(R, L), N m: drives from 2 s on, turns from 3 s on, both smoothly."""
    wanted, turn = (size * (1.0 + np.tanh(4.0 * (t - begin))) / 2.0 for size, begin in ((SPEED, 2.0), (TURN, 3.0)))
    whole, apart = GAINS @ [pitch, pitching, speed - wanted], DAMPING * (turn - yawing)
    return (whole + apart) / 2.0, (whole - apart) / 2.0


def motion_of(q, v):
    """θ, v, ω and θ_dot from the coordinates of the chassis and their rates, arrays (12, …)."""
    R, W = q[3:].reshape(3, 3, -1), v[3:].reshape(3, 3, -1)
    along = np.array([R[1, 1], -R[0, 1]])  # the axle is the second axis
    yawing = R[0, 1] * W[1, 1] - R[1, 1] * W[0, 1]
    lean = along[0] * R[0, 2] + along[1] * R[1, 2]
    tilt = R[2, 2] * (along[0] * W[0, 2] + along[1] * W[1, 2]) - lean * W[2, 2]
    return np.array([np.arctan2(lean, R[2, 2]), along[0] * v[0] + along[1] * v[1], yawing, tilt])


def feedback(t, q, v):
    """The torques at a state."""
    return torques(t, *motion_of(np.asarray(q)[:12], np.asarray(v)[:12])[:, 0])


wheels = right.pose((0, -TRACK, RADIUS)), left.pose((0, TRACK, RADIUS))
standing = robot.state(chassis.pose((0, 0, RADIUS), mb.about(Y, PITCH)), *wheels)
start = g.Start(*standing, t_end=5.0, rtol=1e-10, atol=1e-11, control=feedback)
drawing = mb.Drawing(robot)


@g.needs(start.t_end)
def claims(run):
    load = run["right tyre touches"] + run["left tyre touches"]
    rising = (CHASSIS + 2 * WHEEL) * GRAVITY + CHASSIS * (run["dd_chassis_z"] + HEIGHT * run["dd_chassis_R33"])
    late = motion_of(run.q[-1, :12], run.v[-1, :12])[1:, 0] - [SPEED, TURN, 0.0]
    return [
        g.Claim("it needs one row less than it has", run.about.redundant == (), 0.0, "one of the tyres"),
        g.Claim("the ground carries the weight and what lifts the chassis", g.relative(load, rising), 1e-10, "Newton"),
        g.Claim("it stands at the end, at 1 m/s and turning with 0.8 rad/s", np.max(np.abs(late)), 1e-2, "2 s later"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    for values, name in zip(
        motion_of(run.q.T[:12], run.v.T[:12]), ("θ / rad", "v / (m/s)", "ω / (rad/s)"), strict=False
    ):
        axes.plot(run.t, values, label=name)
    axes.set(xlabel="t / s", title="it stands up, drives and turns")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
