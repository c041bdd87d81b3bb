"""The other claims of scenarios/balancing_robot.py.

The chassis of 20 kg has its mass centre l = 0.45 m above the axle and the moments 1.1, 0.9 and 0.7 kg m² about it. Two
wheels, uniform discs of r = 0.3 m and 2 kg, turn about the axle b = 0.4 m to the right and to the left of its middle
and roll without slip; gravity is 9.81 m/s². Motors act between chassis and wheels with the torques R and L (N m). The
bodies have 36 coordinates and 34 rows; both tyres keep the axle from sliding along itself, so that one row is
redundant. The feedback R + L = k·(θ, θ_dot, v − v*), R − L = κ(ω* − ω) holds the pitch θ upright at the speed v* and
the rate of turning ω*: it starts at rest with θ = 0.3, then drives with 1 m/s and turns with 0.8 rad/s.

Known answers: in the quasi-velocities v, ω and θ_dot, with M = 20 kg + 2m + 2J/r² of the wheels and B(θ) the moment of
inertia about the vertical,

    M v_dot + m_c l (θ_ddot cos θ − (θ_dot² + ω²) sin θ) = (R + L)/r,
    B ω_dot + B′ θ_dot ω + m_c l sin θ ω v = (R − L) b/r,
    (I_y + m_c l²) θ_ddot + m_c l v_dot cos θ − ½ B′ ω² − m_c g l sin θ = −(R + L);

m_c l sin θ ω is the lateral velocity of the mass centre, which is what makes the terms with ω² and ωv (Boltzmann,
Hamel). SciPy integrates these equations. The two-wheeled robot of the vehicles has the same rows in five coordinates.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.signal import place_poles

import gauss as g
from gauss import bodies as mb
from scenarios.balancing_robot import (
    CHASSIS,
    GRAVITY,
    HEIGHT,
    PITCH,
    RADIUS,
    TRACK,
    WHEEL,
    chassis,
    motion_of,
    robot,
    start,
    torques,
)

TENSOR, AXIAL = np.array([1.1, 0.9, 0.7]), WHEEL * RADIUS**2 / 2  # kg m²

POLES = [-3.0, -4.0, -5.0]  # 1/s, of the pitch and the speed
X, Y, Z = np.eye(3)


def placed(robot, place=(0.0, 0.0), yaw=0.0, pitch=0.0, turns=(0.0, 0.0), speed=0.0, yawing=0.0, pitching=0.0):
    """q and v of the robot: place (2,) of the middle of the axle, angles (rad), forward speed (m/s), rates (rad/s)."""
    heading, lean = mb.about(Z, yaw), mb.about(Y, pitch)
    along, side = heading @ X, heading @ Y
    origin = np.array([*place, RADIUS])
    chassis, *wheels = robot.bodies
    poses = [chassis.pose(origin, heading @ lean, speed * along, yawing * Z + pitching * side, axes="space")]
    for wheel, offset, turn in zip(wheels, (-TRACK, TRACK), turns, strict=True):
        forward = speed - yawing * offset
        spin = yawing * Z + forward / RADIUS * side
        axes = heading @ mb.about(Y, turn)
        poses.append(wheel.pose(origin + offset * side, axes, forward * along, spin, axes="space"))
    return robot.state(*poses)


def by_boltzmann(pitch, speed, yawing, pitching, torques, height=HEIGHT):
    """Rates (3,) of speed, yawing and pitching, from the equations of the docstring."""
    s, c, lever = np.sin(pitch), np.cos(pitch), CHASSIS * height
    level, upright = TENSOR[0] + CHASSIS * height**2, TENSOR[2]
    wheels = WHEEL * RADIUS**2 / 2 + 2 * (WHEEL + AXIAL / RADIUS**2) * TRACK**2
    yaw, slope = wheels + upright * c**2 + level * s**2, 2 * (level - upright) * s * c
    whole = CHASSIS + 2 * WHEEL + 2 * AXIAL / RADIUS**2
    matrix = [[whole, 0.0, lever * c], [0.0, yaw, 0.0], [lever * c, 0.0, TENSOR[1] + CHASSIS * height**2]]
    right, left = torques
    force = [
        (right + left) / RADIUS + lever * s * (pitching**2 + yawing**2),
        (right - left) * TRACK / RADIUS - slope * pitching * yawing - lever * s * yawing * speed,
        slope * yawing**2 / 2 + lever * GRAVITY * s - right - left,
    ]
    return np.linalg.solve(matrix, force)


def gains():
    """k (3,) of the feedback, from the equations linear in θ, θ_dot and v."""
    step = 1e-6
    columns = []
    for state in step * np.eye(3):
        rates = [by_boltzmann(sign * state[0], sign * state[2], 0.0, sign * state[1], (0.0, 0.0)) for sign in (1, -1)]
        columns.append((rates[0] - rates[1]) / (2 * step))
    pushed = by_boltzmann(0.0, 0.0, 0.0, 0.0, (0.5, 0.5))
    A = np.array([[0.0, 1.0, 0.0], [c[2] for c in columns], [c[0] for c in columns]])
    return -place_poles(A, np.array([[0.0], [pushed[2]], [pushed[0]]]), POLES).gain_matrix[0]


def by_quasi_velocities(times):
    """θ, v, ω, θ_dot and the place and heading x, y, φ, (7, N), integrated by SciPy."""

    def slopes(t, w):
        pitch, speed, yawing, pitching, _, _, heading = w
        rates = by_boltzmann(pitch, speed, yawing, pitching, torques(t, *w[:4]))
        return [pitching, *rates, speed * np.cos(heading), speed * np.sin(heading), yawing]

    first = [PITCH, *np.zeros(6)]
    return solve_ivp(slopes, (0.0, times[-1]), first, "DOP853", t_eval=times, rtol=1e-12, atol=1e-13).y


def motion_along(run):
    """θ, v, ω and θ_dot (4, N) along a run."""
    return motion_of(*(np.array([run[f"{d}{name}"] for name in chassis.coordinates]) for d in ("", "d_")))


def found_in(run):
    """The same along a run."""
    heading = np.unwrap(np.arctan2(-run["chassis_R12"], run["chassis_R22"]))
    return np.array([*motion_along(run), run["chassis_x"], run["chassis_y"], heading])


def turned(run, wheel, heading):
    """The angle (N,) that a wheel has turned about the axle, by the direction of its third axis."""
    ahead = run[f"{wheel}_R13"] * np.cos(heading) + run[f"{wheel}_R23"] * np.sin(heading)
    return np.unwrap(np.arctan2(ahead, run[f"{wheel}_R33"]))


@g.needs(start.t_end)
def claims(run):
    found = found_in(run)
    exact = by_quasi_velocities(run.t)
    kept = len(run) * start.rtol
    turns = [turned(run, wheel.name, found[6]) for wheel in robot.bodies[1:]]
    spun = RADIUS * (turns[0] - turns[1]) - 2 * TRACK * found[6]
    names = ("θ", "v", "ω", "θ_dot", "x", "y", "φ")
    return [
        g.Claim(
            f"{name} follows the equations in quasi-velocities",
            g.relative(found[k], exact[k]),
            10 * kept,
            "N steps that err by rtol each, in unit coordinates; the feedback damps what is off",
        )
        for k, name in enumerate(names)
    ] + [
        g.Claim(
            "r(right − left) = 2b φ, the integral of the two wheels",
            float(np.max(np.abs(spun))),
            kept,
            "N steps that err by rtol each",
        ),
    ]
