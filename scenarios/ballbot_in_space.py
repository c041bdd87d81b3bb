"""Ballbot in space: a slender body stands on a ball that rolls every way, and walks back to its place.

A ball of radius r = 0.12 m, 2.4 kg and moment of inertia I = 0.03 kg m² rolls on a level floor without slip. A ball
joint in its centre carries a thin body with its mass m = 5 kg at the height l = 0.7 m. A motor acts between them with a
torque τ square to the body (N m). The ball has its place and rotation matrix as coordinates, the body its place and
direction u: 18 coordinates, 13 rows. The feedback of TM for a ballbot in a vertical plane, used for both directions of
the floor, makes τ. At the start the body leans and moves sideways; the ball, off its place, spins about the vertical.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T12", "V5")
SOURCE = "TM Ex. 4.6, here in space; VHIF §1 for the coordinates"

BALL, BODY, INERTIA, RADIUS, LENGTH, GRAVITY = 2.4, 5.0, 0.03, 0.12, 0.7, 9.81  # kg, kg, kg m², m, m, m/s²
GAINS = np.array([-5.182568807340123, -32.16471053839423, -6.247874617737616, -7.8449331938136195])  # N, N m, …
U0, U0_DOT = np.array([np.sin(0.15), 0.0, np.cos(0.15)]), np.array([0.0, 0.3, 0.0])  # body: leans by 0.15 rad; 1/s
OMEGA0, PLACE0 = np.array([0.0, 0.0, 2.0]), np.array([0.0, -0.1])  # ball: rad/s, m

ball = mb.Body("ball", mb.Inertia.of_tensor(BALL, [INERTIA] * 3))
body = mb.Rod("body", mb.point(BODY, (0, 0, LENGTH)))
floor = mb.RollingBall("floor", ball, RADIUS)
robot = mb.Mechanism(
    "ballbot in space",
    [ball, body],
    [floor, mb.Spherical("hip", ball, (0, 0, 0), body, (0, 0, 0))],
    [mb.Torque("motor", ball, lambda u: (u.tx, u.ty, u.tz), reaction=body)],
    gravity=(0, 0, -GRAVITY),
    controls="tx ty tz",
)
system = robot.system


def motor(place, u, velocity, u_dot):
    """τ (3,) of the feedback, square to u."""
    law = [-GAINS @ [place[k], u[k], velocity[k], u_dot[k]] for k in (0, 1)]
    torque = np.array([-law[1], law[0], 0.0])
    return torque - (torque @ u) * u


hip = (*PLACE0, RADIUS)
poses = ball.pose(hip, angular_velocity=OMEGA0), body.pose(hip, U0, angular_velocity=np.cross(U0, U0_DOT))
start = g.Start(*robot.state(*poses), t_end=4.0, control=lambda t, q, v: motor(q[:2], q[15:18], v[:2], v[15:18]))
drawing = mb.Drawing(robot)


@g.needs(start.t_end)
def claims(run):
    force = floor.force(run)
    ratio = np.max(np.hypot(force[0], force[1]) / force[2])
    last = [run[name][-1] for name in ("ball_x", "ball_y", "body_u1", "body_u2")]
    return [
        g.Claim("the robot comes back to its place, upright", np.max(np.abs(last)), 5e-3, "poles of −2.5 s⁻¹ or less"),
        g.Claim("a floor with friction coefficient 0.6 is rough enough", ratio, 0.6, f"the largest is {ratio:.3f}"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    axes.plot(run["ball_x"], run["ball_y"], label="contact")
    axes.plot(run["ball_x"] + LENGTH * run["body_u1"], run["ball_y"] + LENGTH * run["body_u2"], label="mass")
    axes.set(xlabel="x / m", ylabel="y / m", title="from above", aspect="equal")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
