"""Balancing robot: a chassis on two driven wheels stands up, drives and turns; made of bodies, hubs and tyres.

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

COVERS = ("T17", "V5")
SOURCE = "TM §8.2.3, ex. 8.3 for the rows of the wheels; BH for the quasi-velocities; VHIF §1 for the coordinates"

RADIUS, TRACK, HEIGHT, GRAVITY = 0.3, 0.4, 0.45, 9.81  # m, m (half the track), m, m/s²
CHASSIS, WHEEL = 20.0, 2.0  # kg
TENSOR, AXIAL = np.array([1.1, 0.9, 0.7]), WHEEL * RADIUS**2 / 2  # kg m²
PITCH, SPEED, TURN, DAMPING = 0.3, 1.0, 0.8, 6.0  # rad, m/s, rad/s, N m s
POLES = [-3.0, -4.0, -5.0]  # 1/s, of the pitch and the speed
X, Y, Z = np.eye(3)


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


GAINS = gains()


def torques(t, pitch, speed, yawing, pitching):
    """(R, L), N m: drives from 2 s on, turns from 3 s on, both smoothly."""
    wanted, turn = (size * (1.0 + np.tanh(4.0 * (t - begin))) / 2.0 for size, begin in ((SPEED, 2.0), (TURN, 3.0)))
    whole, apart = GAINS @ [pitch, pitching, speed - wanted], DAMPING * (turn - yawing)
    return (whole + apart) / 2.0, (whole - apart) / 2.0


robot = two_wheeler()
chassis = robot.bodies[0]
system = robot.system
NAMES = chassis.coordinates


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


start = g.Start(*placed(robot, pitch=PITCH), t_end=5.0, rtol=1e-10, atol=1e-11, control=feedback)
drawing = mb.Drawing(robot)


def by_quasi_velocities(times):
    """θ, v, ω, θ_dot and the place and heading x, y, φ, (7, N), integrated by SciPy."""

    def slopes(t, w):
        pitch, speed, yawing, pitching, _, _, heading = w
        rates = by_boltzmann(pitch, speed, yawing, pitching, torques(t, *w[:4]))
        return [pitching, *rates, speed * np.cos(heading), speed * np.sin(heading), yawing]

    first = [PITCH, *np.zeros(6)]
    return solve_ivp(slopes, (0.0, times[-1]), first, "DOP853", t_eval=times, rtol=1e-12, atol=1e-13).y


def found_in(run):
    """The same along a run."""
    q, v = (np.array([run[f"{d}{name}"] for name in NAMES]) for d in ("", "d_"))
    heading = np.unwrap(np.arctan2(-run["chassis_R12"], run["chassis_R22"]))
    return np.array([*motion_of(q, v), run["chassis_x"], run["chassis_y"], heading])


def turned(run, wheel, heading):
    """The angle (N,) that a wheel has turned about the axle, by the direction of its third axis."""
    ahead = run[f"{wheel}_R13"] * np.cos(heading) + run[f"{wheel}_R23"] * np.sin(heading)
    return np.unwrap(np.arctan2(ahead, run[f"{wheel}_R33"]))


@g.needs(start.t_end)
def claims(run):
    found, exact = found_in(run), by_quasi_velocities(run.t)
    kept = len(run) * start.rtol
    turns = [turned(run, wheel.name, found[6]) for wheel in robot.bodies[1:]]
    spun = RADIUS * (turns[0] - turns[1]) - 2 * TRACK * found[6]
    load = run["right tyre touches"] + run["left tyre touches"]
    rising = (CHASSIS + 2 * WHEEL) * GRAVITY + CHASSIS * (run["dd_chassis_z"] + HEIGHT * run["dd_chassis_R33"])
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
        g.Claim("the ground carries the weight and what lifts the chassis", g.relative(load, rising), 1e-10, "Newton"),
        g.Claim(
            "it stands at the end, at 1 m/s and turning with 0.8 rad/s",
            float(np.max(np.abs(found[1:4, -1] - [SPEED, TURN, 0.0]))),
            1e-2,
            "an equilibrium of the closed loop; what the transient has left 2 s after the last change",
        ),
        g.Claim("it needs one row less than it has", float(run.about.redundant == ()), 0.0, str(run.about.redundant)),
    ]


def figure(run, figure):
    grid = figure.add_gridspec(2, 2, width_ratios=[1.0, 1.2])
    t = np.linspace(0.0, run.t[-1], 501)
    dense = run.at(t)
    found, exact = found_in(dense), by_quasi_velocities(t[::20])
    space = figure.add_subplot(grid[:, 0], projection="3d")
    space.plot(found[4], found[5], 0 * t, color="0.6", lw=1)
    ring = np.linspace(0.0, 2 * np.pi, 40)
    edge = [RADIUS * np.cos(ring), 0 * ring, RADIUS * np.sin(ring)]
    for k, n in enumerate((0, 320, 420, 500)):
        now = dense.q[n]
        named = robot.named(now)
        bottom, top = (chassis.placed(named).point((0, 0, h)) for h in (0.0, 2 * HEIGHT))
        space.plot(*np.array([bottom, top]).T, color=f"C{k}", lw=3, label=f"{t[n]:.1f} s")
        for wheel in robot.bodies[1:]:
            space.plot(*np.array(wheel.placed(named).point(edge)), color=f"C{k}", lw=1)
    space.set(xlabel="x / m", ylabel="y / m", zlabel="z / m", title="chassis and wheels")
    space.set_aspect("equal")
    space.view_init(elev=25, azim=-70)
    space.legend(loc="upper left", bbox_to_anchor=(-0.05, 0.98), ncols=2)
    upper = figure.add_subplot(grid[0, 1])
    lower = figure.add_subplot(grid[1, 1], sharex=upper)
    for k, name in enumerate(("θ / rad", "v / m s⁻¹", "ω / rad s⁻¹")):
        upper.plot(t, found[k], label=name)
        upper.plot(t[::20], exact[k], "k.", ms=4)
    upper.plot([], [], "k.", ms=4, label="Boltzmann, Hamel")
    upper.margins(y=0.3)
    upper.tick_params(labelbottom=False)
    upper.legend(loc="upper center", ncols=4, columnspacing=1.0, handlelength=1.2)
    used = np.array([torques(x, *w) for x, w in zip(t, found[:4].T, strict=True)])
    for k, name in enumerate(("right", "left")):
        lower.plot(t, used[:, k], label=name)
    lower.set(xlabel="t / s", ylabel="torque of the motor / N m")
    lower.margins(y=0.25)
    lower.legend(loc="upper center", ncols=2)


if __name__ == "__main__":
    g.main(__file__)
