"""The other claims of scenarios/ballbot_in_space.py.

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
from scenarios.ballbot_in_space import (
    BALL,
    BODY,
    GRAVITY,
    INERTIA,
    LENGTH,
    OMEGA0,
    PLACE0,
    RADIUS,
    U0,
    U0_DOT,
    ball,
    body,
    floor,
    motor,
    robot,
    start,
)

POLES = [-2.5, -3.0, -4.0, -4.5]  # 1/s, in each of the two planes
X, Y, Z = np.eye(3)


def state(place, rotation, omega, u, u_dot):
    """q and v by the place (2,) of the ball (m), its rotation and angular velocity (rad/s), and u with its rate."""
    centre, velocity = (*place, RADIUS), np.cross(omega, (0.0, 0.0, RADIUS))
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
    ]
