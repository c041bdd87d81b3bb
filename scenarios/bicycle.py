"""Whipple's bicycle of bodies and joints: the benchmark's linear equations, nonlinear accelerations, a push.

Four bodies: the frame with its rider, the fork with its handlebar, two wheels; three hinges (rear hub, front hub,
head), and two wheels with sharp rims that roll on a level road without slip. The axes are those of the benchmark of
Meijaard et al.: x forward, y to the right, z down; lean and steer are positive to the right (rad). The wheel base is
1.02 m, the trail 0.08 m, the steering axis leans back by π/10. There are 48 coordinates and 45 rows, which leave the
rates of lean, steer and rolling.

Known answers, about running straight at the speed v (m/s), with q = (lean, steer):

    M q̈ + v C₁ q̇ + (g K₀ + v² K₂) q = torques,

the four matrices and the eigenvalues at 5 m/s with 14 printed digits; the bicycle balances itself between the weave
speed 4.292 m/s and the capsize speed 6.024 m/s. Basu-Mandal et al. print all accelerations at one state of large lean
to 13 digits. The motion is a manoeuvre of the IFToMM benchmark: at 4.6 m/s the bicycle is given a lean rate of 0.5
rad/s. It weaves and stands up again, on another heading; as nothing takes energy, that of the push is found in the
speed at which it then runs straight, ½ (m + I_R/r_R² + I_F/r_F²) v² = T₀.
"""

import numpy as np
from scipy.optimize import brentq

import gauss as g
from gauss import bodies as mb

COVERS = ("H5",)
SOURCE = (
    "J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Proc. R. Soc. A 463 (2007) 1955; P. Basu-Mandal,"
    " A. Chatterjee, J. M. Papadopoulos, ibid. 1983; IFToMM benchmark problems, uncontrolled bicycle; BH §7"
)

GRAVITY = 9.81  # m/s²
BASE, TRAIL, TILT = 1.02, 0.08, np.pi / 10  # m, m, rad
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
PUBLISHED = {  # kg m², kg m, kg, kg m
    "M": [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]],
    "C1": [[0.0, 33.86641391492494], [-0.85035641456978, 1.6854039739756]],
    "K0": [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]],
    "K2": [[0.0, 76.59734589573222], [0.0, 2.65431523794604]],
}
AT_FIVE = [-0.32286642900409, -0.77534188219585 + 4.46486771378823j, -14.0783896927982]  # 1/s, and the conjugate
SELF_STABLE = (4.29238253634111, 6.02426201538837)  # m/s
SPEED, PUSH = 4.6, 0.5  # m/s, rad/s


# ---------------------------------------------------------------- the machine


def bicycle(gravity=GRAVITY):
    """The bicycle as a mechanism: two hubs, the head and two tyres; torques of lean and steer (N m) as controls."""
    parts = {x: mb.Body(x, mb.Inertia.of_tensor(MASSES[x], TENSORS[x])) for x in MASSES}
    frame, fork, rear, front = parts.values()
    joints = [
        mb.Revolute("rear hub", frame, CENTRES["rear"] - CENTRES["frame"], rear, (0, 0, 0), AXLE),
        mb.Revolute("front hub", fork, CENTRES["front"] - CENTRES["fork"], front, (0, 0, 0), AXLE),
        mb.Revolute("head", frame, HEAD - CENTRES["frame"], fork, HEAD - CENTRES["fork"], STEERING),
        mb.RollingDisc("rear tyre", rear, REAR, normal=(0, 0, -1), axis=AXLE),
        mb.RollingDisc("front tyre", front, FRONT, normal=(0, 0, -1), axis=AXLE),
    ]
    torques = [
        mb.Torque("lean torque", frame, lambda u: [u.lean, 0.0, 0.0]),
        mb.Torque("steer torque", fork, lambda u: [u.steer * x for x in STEERING], "body", reaction=frame),
    ]
    return mb.Mechanism("bicycle", list(parts.values()), joints, torques, (0, 0, gravity), controls="lean steer")


def running(machine, speed, lean_rate=0.0):
    """(q, v) of running straight and upright at a speed (m/s), with a lean rate (rad/s) about the line it runs on."""
    poses = []
    for body in machine.bodies:
        centre, radius = CENTRES[body.name], {"rear": REAR, "front": FRONT}.get(body.name)
        turning = np.array([lean_rate, -speed / radius if radius else 0.0, 0.0])
        velocity = speed * np.eye(3)[0] + np.cross([lean_rate, 0.0, 0.0], centre)
        poses.append(body.pose(centre, velocity=velocity, angular_velocity=turning))
    return machine.state(*poses)


machine = bicycle()
system = machine.system
FRAME, FORK, *WHEELS = machine.bodies
TYRES = machine.joints[3:]
Q, V = running(machine, SPEED, PUSH)


def hands_off(t, q, v):
    """The rider's torques of lean and steer (N m)."""
    return [0.0, 0.0]


start = g.Start(q=Q, v=V, t_end=12.0, rtol=1e-10, atol=1e-12, control=hands_off)


def tubes(name, *paths):
    """Lines of a body through points given as those of CENTRES."""
    return [mb.shapes.Segment([np.array(p) - CENTRES[name] for p in path]) for path in paths]


PEDALS, SADDLE, GRIP = np.array([0.42, 0.0, -0.28]), np.array([0.25, 0.0, -0.85]), np.array([0.0, 0.25, 0.0])
TOP = HEAD - 0.2 * STEERING  # of the handlebar
RIDER = mb.shapes.Ellipsoid((0.13, 0.2, 0.35), SADDLE + np.array([0.06, 0.0, -0.35]) - CENTRES["frame"])
drawing = mb.Drawing(
    machine,
    shapes={
        FRAME: [*tubes("frame", (CENTRES["rear"], PEDALS, HEAD, SADDLE, PEDALS), (CENTRES["rear"], SADDLE)), RIDER],
        FORK: tubes("fork", (CENTRES["front"], HEAD + 0.3 * STEERING, TOP), (TOP - GRIP, TOP + GRIP)),
    },
    traces=[tyre.contact for tyre in TYRES],
    follow=lambda q: (q["frame_x"], q["frame_y"], -0.75),
    up=(0, 0, -1),
)


# ---------------------------------------------------------------- linear equations


def advance(q):
    """All bodies move along x."""
    return {f"{name}_x": 1.0 for name in MASSES}


def spinning(name):
    """A wheel turns about its axle: Ṙ = R [e_y]."""

    def spin(q):
        first = {f"{name}_R{i}1": -q[f"{name}_R{i}3"] for i in (1, 2, 3)}
        return first | {f"{name}_R{i}3": q[f"{name}_R{i}1"] for i in (1, 2, 3)}

    spin.__name__ = f"spin of {name}"
    return spin


SYMMETRIES = [advance, spinning("rear"), spinning("front")]
LEANS = ["frame_R32", "fork_R32"]  # to first order lean, and lean + steer · sin TILT
STATES = ["frame_x", "frame_y", "frame_R21", *LEANS, "rear_R13", "front_R13", "d_frame_x", *("d_" + x for x in LEANS)]
TO_LEANS = np.array([[1.0, 0.0], [1.0, np.sin(TILT)]])


def linear(machine, speed):
    """The Linearization at a speed, and M, C, K of M q̈ + C q̇ + K q = torques, q = (lean, steer)."""
    about = g.linearize(
        machine.system, *running(machine, speed), symmetry=SYMMETRIES if speed else None, states=" ".join(STATES)
    )
    place, rate = ([STATES.index(prefix + x) for x in LEANS] for prefix in ("", "d_"))
    back = np.linalg.inv(TO_LEANS)
    M = np.linalg.inv(back @ about.B[rate])
    C, K = (-M @ back @ about.A[np.ix_(rate, columns)] @ TO_LEANS for columns in (rate, place))
    return about, M, C, K


def matrices(machine, speed):
    """M, C₁, K₀, K₂ from the linearisations at rest and at a speed."""
    gravity = machine.gravity[2]
    _, _, _, resting = linear(machine, 0.0)
    _, M, C, K = linear(machine, speed)
    return {"M": M, "C1": C / speed, "K0": resting / gravity, "K2": (K - resting) / speed**2}


def eigenvalues(found, speed, gravity=GRAVITY):
    """The four eigenvalues (1/s) at a speed; real parts decreasing."""
    stiffness = gravity * np.array(found["K0"]) + speed**2 * np.array(found["K2"])
    lower = -np.linalg.solve(found["M"], np.hstack([stiffness, speed * np.array(found["C1"])]))
    values = np.linalg.eigvals(np.vstack([np.hstack([np.zeros((2, 2)), np.eye(2)]), lower]))
    return values[np.argsort(-values.real)]


def self_stable(found):
    """Weave and capsize speed (m/s): where the pair, and where the real eigenvalue, passes zero."""

    def weave(speed):
        values = eigenvalues(found, speed)
        return values[np.abs(values.imag) > 1e-6].real.max()

    def capsize(speed):
        return np.linalg.det(GRAVITY * np.array(found["K0"]) + speed**2 * np.array(found["K2"]))

    return brentq(weave, 3.0, 5.5, xtol=1e-13), brentq(capsize, 5.5, 7.0, xtol=1e-13)


# ---------------------------------------------------------------- a state with large angles, and its accelerations


class Series:
    """A matrix or vector with its first and second rate."""

    def __init__(self, value, rate=0.0, second=0.0):
        self.parts = [np.asarray(value), rate + 0.0 * np.asarray(value), second + 0.0 * np.asarray(value)]

    def __matmul__(self, other):
        (a, b, c), (x, y, z) = self.parts, other.parts if isinstance(other, Series) else Series(other).parts
        return Series(a @ x, b @ x + a @ y, c @ x + 2 * b @ y + a @ z)

    def __add__(self, other):
        return Series(*(x + y for x, y in zip(self.parts, other.parts, strict=True)))


def turn(axis, angle, rate, second):
    """A rotation about an axis with its rates."""
    e, R = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]]), mb.about(axis, angle)
    return Series(R, rate * e @ R, (second * e + rate**2 * e @ e) @ R)


def built(place, yaw, lean, pitch, steer, rear, front):
    """q, v and accelerations (each (48,)) from the place of the rear hub and six angles, each with two rates."""
    frame = turn([0, 0, 1], *yaw) @ turn([1, 0, 0], *lean) @ turn(AXLE, *pitch)
    fork = frame @ turn(STEERING, *steer)
    head = place + frame @ (HEAD - CENTRES["rear"])
    parts = [
        (place + frame @ (CENTRES["frame"] - CENTRES["rear"]), frame),
        (head + fork @ (CENTRES["fork"] - HEAD), fork),
        (place, frame @ turn(AXLE, *rear)),
        (head + fork @ (CENTRES["front"] - HEAD), fork @ turn(AXLE, *front)),
    ]
    return [np.concatenate([np.concatenate([p.parts[k], R.parts[k].ravel()]) for p, R in parts]) for k in range(3)]


def printed():
    """q, v and accelerations of Basu-Mandal et al., Table 1; their axes x and z, and all their angles, are reversed."""
    place = Series(
        [0.0, 0.0, -0.2440472102925],
        np.array([2.8069345714545, -0.1480982396001, -0.1058778746261]),
        np.array([0.5041626315047, -0.3449706619454, 1.4604528332980]),
    )
    return built(
        place,
        yaw=(0.0, -0.7830033527065, -0.8353281706379),
        lean=(np.pi / 2 - 0.9501292851472, -0.6068425835418, 7.8555281128244),  # theirs is from the ground
        pitch=(np.pi - 3.1257073014894, 0.0119185528069, -0.1205543897884),
        steer=(-0.2311385135743, -0.4859824687093, 4.6198904039403),
        rear=(0.0, -8.9129896614890, -1.8472554144217),
        front=(0.0, -8.0133620584155, -2.4548072904550),
    )


# ---------------------------------------------------------------- the motion


def lean_of(run):
    """The angle (rad) by which the frame leans to the right."""
    return np.arcsin(run["frame_R32"])


def slip(run):
    """Velocity (m/s) of the lowest points of the rims, by the wheels' angular velocities, (4, N)."""
    rates = {name: run[f"d_{name}"] for wheel in WHEELS for name in wheel.coordinates}
    found = []
    for wheel, tyre in zip(WHEELS, TYRES, strict=True):
        omega = np.array(wheel.angular_velocity(run, rates, "space"))
        hub = np.array([rates[f"{wheel.name}_{x}"] for x in "xyz"])
        axle = np.array(wheel.placed(run).direction(AXLE))
        arm = np.array([[0.0], [0.0], [1.0]]) - axle[2] * axle
        found += list((hub + np.cross(omega, tyre.radius * arm / np.linalg.norm(arm, axis=0), axis=0))[:2])
    return np.array(found)


@g.needs(start.t_end)
def claims(run):
    found, about = matrices(machine, 5.0), linear(machine, 5.0)[0]
    off = max(g.relative(found[x], np.array(PUBLISHED[x])) for x in PUBLISHED)
    four = about.eigenvalues[about.spectrum.essential]
    q, v, a = printed()
    state = g.consistent(system, q, v)
    step = g.accelerate(system, state.q, state.v)
    carried = sum(MASSES.values()) + TENSORS["rear"][1, 1] / REAR**2 + TENSORS["front"][1, 1] / FRONT**2
    settled = np.sqrt(2 * run.kinetic[0] / carried)
    late = run.at(np.linspace(run.t[-1] - 2.0, run.t[-1], 100))
    left = max(float(np.max(np.abs(angle))) for angle in (lean_of(late), machine.joints[2].value(late)))
    kept = len(run) * start.rtol
    digits = "14 printed digits, and the uncertainty that linearize states, 1e-11"
    return [
        g.Claim("M, C₁, K₀ and K₂ as published", off, 1e-9, digits),
        g.Claim(
            "four eigenvalues at 5 m/s as published",
            max(float(np.min(np.abs(four - x))) for x in (*AT_FIVE, AT_FIVE[1].conjugate())) + abs(four.size - 4),
            1e-9,
            digits,
        ),
        g.Claim(
            "weave and capsize speed as published",
            g.relative(self_stable(found), SELF_STABLE),
            1e-9,
            "15 digits printed",
        ),
        g.Claim("accelerations at a state of large lean as printed", g.relative(step.a, a), 1e-11, "13 printed digits"),
        g.Claim("energy is kept", g.relative(run.energy, run.energy[:1]), kept, "N steps that err by rtol each"),
        g.Claim("the wheels do not slip", float(np.max(np.abs(slip(run)))) / SPEED, 1e-10, "rows kept to rounding"),
        g.Claim(
            "the energy of the push goes into the speed",
            abs(np.hypot(run["d_rear_x"][-1], run["d_rear_y"][-1]) / settled - 1),
            left**2,
            "what is left of lean and steer in the last two seconds (rad), squared",
        ),
    ]


def figure(run, figure):
    grid = figure.add_gridspec(2, 2, width_ratios=[1.15, 1.0])
    found = matrices(machine, 5.0)
    speeds = np.linspace(0.0, 10.0, 401)
    values = np.array([eigenvalues(found, speed) for speed in speeds])
    left = figure.add_subplot(grid[:, 0])
    left.axvspan(*SELF_STABLE, color="0.9", label="balances itself")
    left.axhline(0.0, color="0.6", lw=0.8)
    whirling = np.abs(values.imag) > 1e-9
    for mask, colour, name in ((whirling, "C0", "complex pair: weave"), (~whirling, "C1", "real: capsize, castering")):
        rows = np.repeat(speeds[:, None], 4, axis=1)[mask], values.real[mask]
        left.plot(*rows, ".", ms=2.5, color=colour)
        left.plot([], [], color=colour, lw=2, label=name)
    left.plot(np.full(3, 5.0), np.real(AT_FIVE), "k.", ms=8, label="printed, 5 m/s")
    left.set(xlabel="speed / (m/s)", ylabel="real part of the eigenvalue / (1/s)", ylim=(-15.5, 9.5), xlim=(0, 10))
    left.set(title="running straight")
    left.legend(loc="center right", bbox_to_anchor=(1.0, 0.36), handlelength=1.2)
    t = np.linspace(0.0, 8.0, 800)
    dense = run.at(t)
    upper = figure.add_subplot(grid[0, 1])
    upper.plot(t, np.degrees(lean_of(dense)), label="lean")
    upper.plot(t, np.degrees(machine.joints[2].value(dense)), label="steer")
    upper.set(xlabel="t / s", ylabel="angle / °", title=f"pushed at {SPEED} m/s: lean rate {PUSH} rad/s")
    upper.legend(loc="upper right")
    lower = figure.add_subplot(grid[1, 1])
    for tyre, wheel in zip(TYRES, ("rear wheel", "front wheel"), strict=True):
        x, y, _ = np.array(tyre.contact(dense))[:, t <= 3.0]
        lower.plot(x, y, label=wheel)
    lower.set(xlabel="x / m", ylabel="y / m (to the right)", title="tracks on the road, the first 3 s (y stretched)")
    lower.invert_yaxis()
    lower.legend(loc="lower left")


if __name__ == "__main__":
    g.main(__file__)
