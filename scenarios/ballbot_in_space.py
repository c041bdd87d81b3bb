"""Ballbot in space: a slender body stands on a ball that rolls every way, and walks back to its place.

A ball of radius r = 0.12 m, 2.4 kg and moment of inertia I = 0.03 kg m² rolls on a level floor without slip. A ball
joint in its centre carries a thin body with its mass m = 5 kg at the height l = 0.7 m; gravity is 9.81 m/s². A motor
acts between them with a torque τ square to the body (N m). The ball has its place and rotation matrix as coordinates,
the body its place and direction u: 18 coordinates, 13 rows. In a vertical plane this is the ballbot of TM. The
feedback of that plane, used for both directions of the floor, makes τ: at the start the body leans by 0.15 rad and
moves sideways with 0.3 rad/s, and the ball, 0.1 m from its place, spins about the vertical with 2 rad/s.

Known answer: Newton's and Euler's equations of the two bodies. The mass hangs on the force T u + u × τ/l, as no moment
is left on a body without inertia; the ball's centre moves with ω_dot × r e_z; and with the force F of the floor on it

    I ω_dot = −r e_z × F + τ,   F = M c_ddot + M g e_z + T u + u × τ/l,   u·u_ddot = −|u_dot|²,

four equations for ω_dot and the tension T. SciPy integrates them.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.signal import place_poles

import gauss as g
from gauss import bodies as mb

COVERS = ("T12", "V5")
SOURCE = "TM Ex. 4.6, here in space; VHIF §1 for the coordinates"

BALL, BODY, INERTIA, RADIUS, LENGTH, GRAVITY = 2.4, 5.0, 0.03, 0.12, 0.7, 9.81  # kg, kg, kg m², m, m, m/s²
POLES = [-2.5, -3.0, -4.0, -4.5]  # 1/s, in each of the two planes
X, Y, Z = np.eye(3)

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


def state(place, rotation, omega, u, u_dot):
    """q and v by the place (2,) of the ball (m), its rotation and angular velocity (rad/s), and u with its rate."""
    centre, velocity = (*place, RADIUS), np.cross(omega, RADIUS * Z)
    return robot.state(
        ball.pose(centre, rotation, velocity, omega, axes="space"),
        body.pose(centre, u, velocity, np.cross(u, u_dot)),
    )


def gains():
    """Feedback (4,) on place, lean and their rates in a plane: Lagrange's equations of TM Ex. 4.6, linear in them."""
    cross = BODY * RADIUS * LENGTH
    mass = np.array([[INERTIA + (BALL + BODY) * RADIUS**2, cross], [cross, BODY * LENGTH**2]])
    lean = np.linalg.solve(mass, [0.0, BODY * GRAVITY * LENGTH])  # ψ_ddot and φ_ddot by φ
    push = np.linalg.solve(mass, [1.0, -1.0])  # and by the torque
    A, B = np.zeros((4, 4)), np.zeros((4, 1))
    A[:2, 2:] = np.eye(2)
    A[2:, 1], B[2:, 0] = [RADIUS * lean[0], lean[1]], [RADIUS * push[0], push[1]]
    return place_poles(A, B, POLES).gain_matrix[0]


GAINS = gains()


def motor(place, u, velocity, u_dot):
    """τ (3,) of the feedback, square to u."""
    law = [-GAINS @ [place[k], u[k], velocity[k], u_dot[k]] for k in (0, 1)]
    torque = np.array([-law[1], law[0], 0.0])
    return torque - (torque @ u) * u


def feedback(t, q, v):
    """The controls at a state."""
    return motor(q[:2], q[15:18], v[:2], v[15:18])


LEAN = 0.15  # rad
U0, U0_DOT = np.array([np.sin(LEAN), 0.0, np.cos(LEAN)]), np.array([0.0, 0.3, 0.0])
OMEGA0, PLACE0 = np.array([0.0, 0.0, 2.0]), np.array([0.0, -0.1])  # rad/s, m
start = g.Start(*state(PLACE0, np.eye(3), OMEGA0, U0, U0_DOT), t_end=4.0, control=feedback)
drawing = mb.Drawing(robot)


def newton_euler(u, u_dot, torque):
    """ω_dot, c_ddot, acceleration of the mass and force of the floor, each (3,)."""

    def following(alpha, tension):
        centre = np.cross(alpha, RADIUS * Z)
        hung = tension * u + np.cross(u, torque) / LENGTH
        mass, force = hung / BODY - GRAVITY * Z, BALL * (centre + GRAVITY * Z) + hung
        moment = INERTIA * alpha + np.cross(RADIUS * Z, force) - torque
        return np.array([*moment, u @ (mass - centre) + LENGTH * u_dot @ u_dot]), centre, mass, force

    rest = following(np.zeros(3), 0.0)[0]
    columns = [following(e[:3], e[3])[0] - rest for e in np.eye(4)]
    answer = np.linalg.solve(np.array(columns).T, -rest)
    return answer[:3], *following(answer[:3], answer[3])[1:]


def by_newton_euler(times):
    """Place, ω, u and u_dot, (11, N), integrated by SciPy."""

    def slopes(t, w):
        omega, u, u_dot = w[2:5], w[5:8], w[8:]
        velocity = np.cross(omega, RADIUS * Z)
        alpha, centre, mass, _ = newton_euler(u, u_dot, motor(w[:2], u, velocity, u_dot))
        return np.concatenate([velocity[:2], alpha, u_dot, (mass - centre) / LENGTH])

    first = np.concatenate([PLACE0, OMEGA0, U0, U0_DOT])
    return solve_ivp(slopes, (0.0, times[-1]), first, "DOP853", t_eval=times, rtol=1e-12, atol=1e-13).y


def found_in(run):
    """The same along a run."""
    rates = {name: run[f"d_{name}"] for name in ball.coordinates}
    direction = [run[f"{d}body_u{k}"] for d in ("", "d_") for k in (1, 2, 3)]
    return np.array([run["ball_x"], run["ball_y"], *ball.angular_velocity(run, rates, "space"), *direction])


@g.needs(start.t_end)
def claims(run):
    found, exact = found_in(run), by_newton_euler(run.t)
    force = floor.force(run)
    expected = []
    for w in found.T:
        torque = motor(w[:2], w[5:8], np.cross(w[2:5], RADIUS * Z), w[8:])
        expected.append(newton_euler(w[5:8], w[8:], torque)[3])
    ratio = float(np.max(np.hypot(force[0], force[1]) / force[2]))
    kept = 10 * len(run) * start.rtol
    parts = {"the place of the ball": slice(0, 2), "its angular velocity": slice(2, 5), "the lean": slice(5, 11)}
    return [
        *(
            g.Claim(
                f"{name} follows Newton's and Euler's equations",
                g.relative(found[part], exact[part]),
                kept,
                "N steps that err by rtol each, in unit coordinates; the feedback damps what is off",
            )
            for name, part in parts.items()
        ),
        g.Claim(
            "so does the force of the floor, at recorded states",
            g.relative(force, np.array(expected).T),
            1e-10,
            "rounding",
        ),
        g.Claim(
            "the robot comes back to its place, upright",
            float(np.max(np.abs([*found[:2, -1], *found[5:7, -1]]))),
            5e-3,
            "of 0.1 m and 0.15 rad at the start, with poles of −2.5 s⁻¹ and faster, after 4 s",
        ),
        g.Claim(
            "a floor with friction coefficient 0.6 is rough enough", ratio, 0.6, f"the largest share is {ratio:.3f}"
        ),
    ]


def figure(run, figure):
    grid = figure.add_gridspec(2, 2, width_ratios=[1.0, 1.15])
    t = np.linspace(0.0, run.t[-1], 401)
    dense = run.at(t)
    found, exact = found_in(dense), by_newton_euler(t[::16])
    above = figure.add_subplot(grid[:, 0])
    head = found[:2] + LENGTH * found[5:7]
    above.plot(found[0], found[1], color="C0", label="contact")
    above.plot(*head, color="C3", label="mass")
    ring = np.linspace(0.0, 2 * np.pi, 60)
    for n in (0, 12, 24, 48, 400):
        tone = "k" if n == 0 else "0.7"
        above.plot(found[0][n] + RADIUS * np.cos(ring), found[1][n] + RADIUS * np.sin(ring), color=tone, lw=0.8)
        above.plot([found[0][n], head[0][n]], [found[1][n], head[1][n]], color=tone, lw=1.2)
    above.set(xlabel="x / m", ylabel="y / m", title="from above; black: the start", aspect="equal")
    above.set(xlim=(-0.16, 0.37), ylim=(-0.26, 0.31))
    above.legend(loc="upper left", ncols=2)
    upper = figure.add_subplot(grid[0, 1])
    lower = figure.add_subplot(grid[1, 1], sharex=upper)
    for axes, rows, unit in ((upper, (0, 1), "place of the ball / m"), (lower, (5, 6), "lean u / 1")):
        for k, name in zip(rows, "xy", strict=True):
            axes.plot(t, found[k], label=f"along {name}")
            axes.plot(t[::16], exact[k], "k.", ms=4)
        axes.plot([], [], "k.", ms=4, label="Newton, Euler")
        axes.set(ylabel=unit)
        axes.margins(y=0.25)
        axes.legend(loc="upper right", ncols=3)
    upper.tick_params(labelbottom=False)
    lower.set(xlabel="t / s")


if __name__ == "__main__":
    g.main(__file__)
