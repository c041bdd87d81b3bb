"""The other claims of scenarios/bricard.py.

Five uniform bars of 1 m and 1 kg, with a square section of 0.1 m, join the points P₀ … P₅ on the edges of a cube; P₀
and P₅ are on the ground, 1 m apart. Revolute joints at P₀ … P₅ have axes along the edges left over; gravity g = 9.81
m/s² acts along −y, and it starts at rest. A loop of six bars with six revolutes should be rigid; this one, symmetric
about the diagonal of the cube, has one degree of freedom.

*Coordinates.* Each bar is given by its two end points r and the unit vectors u of its two joint axes (natural
coordinates after J. García de Jalón); neighbours share the point and the axis of their joint. P₁ … P₄ and u₁ … u₄
make 24 coordinates. The points of bar i are r = rᵢ + ξ(rᵢ₊₁ − rᵢ) + η uᵢ + ζ uᵢ₊₁, so that the mass matrix is
constant,

    T = m/6 (ṙᵢ² + ṙᵢ·ṙᵢ₊₁ + ṙᵢ₊₁²) + m s²/24 (u̇ᵢ² + u̇ᵢ₊₁²),   s = 0.1 m.

*Rows.* Four axes of unit length, five bars of 1 m, ten right angles between bars and axes and five between the two
axes of a bar: 24 rows for 24 coordinates. Their rank is 23 on the whole motion, 24 off it: the mechanism is
*redundant*.

*Bodies.* The same mechanism of five bodies and six hinges, `hinged`, has 60 coordinates and 60 rows of rank 59. What
the rows leave open is one wrench that goes round the loop: it passes all hinges alike, so it has no moment about any of
the six axes, which is possible because the six lines are linearly dependent. No force of a hinge is determined.

*Known answer.* All six joint angles alternate between θ and φ with cos(θ/2) cos(φ/2) = ½, a closed curve,

    tan(θ/2) = R cos σ,   tan(φ/2) = R sin σ,   R² = 6/(1 + √(1 + 3 sin² 2σ)),

that starts at σ = π/4 with right angles. Turning the bars by θ and φ in turn gives all positions, and with the mass
m(σ) and the potential V(σ) along the curve, both periodic, one equation of motion m σ̈ + ½m′σ̇² + V′ = 0 is left.
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from gauss import bodies as mb
from scenarios.bricard import AXES, POINTS, SECTION, G, _axis, _bar, _kinetic, _point, _rates, system

EPS = float(np.finfo(float).eps)


def _potential(q):
    return G * sum((_point(q, i)[1] + _point(q, i + 1)[1]) / 2 for i in range(5))


MIDDLES = (POINTS[:-1] + POINTS[1:]) / 2


def _bodies():
    """The five bars as boxes, with their axes along those of space at the start."""
    sizes = [np.where(np.abs(bar) > 0.5, 1.0, SECTION) for bar in np.diff(POINTS, axis=0)]
    return [mb.Body(f"bar{i}", mb.box(1.0, size)) for i, size in enumerate(sizes)]


def _hinges(bars):
    parts, places = [mb.GROUND, *bars, mb.GROUND], [np.zeros(3), *MIDDLES, np.zeros(3)]
    return [
        mb.Revolute(f"hinge {i}", parts[i], POINTS[i] - places[i], parts[i + 1], POINTS[i] - places[i + 1], AXES[i])
        for i in range(6)
    ]


bars = _bodies()
hinged = mb.Mechanism("rectangular Bricard mechanism of bodies", bars, _hinges(bars), gravity=(0.0, -G, 0.0))


def as_bodies(q, v):
    """The state (60,), (60,) of the bodies from q and v (24,): the frame of each bar is (bar, axis i, axis i + 1)."""
    poses = []
    for i, body in enumerate(bars):
        back = np.linalg.inv(np.column_stack([POINTS[i + 1] - POINTS[i], AXES[i], AXES[i + 1]]))
        R = mb.nearest(np.column_stack([_bar(q, i), _axis(q, i), _axis(q, i + 1)]) @ back)
        ends, turning = ([np.array(_rates(v, k, shift)) for k in (i, i + 1)] for shift in (0, 12))
        R_dot = np.column_stack([ends[1] - ends[0], *turning]) @ back
        middle = np.add(_point(q, i), _point(q, i + 1)) / 2
        poses.append(body.pose(middle, R, (ends[0] + ends[1]) / 2, mb.angular_velocity(R, R_dot)))
    return hinged.state(*poses)


def ends_of_bodies(values):
    """P₁ … P₄ (12,), or their accelerations, from coordinates or accelerations of the bodies by name."""
    found = [bars[i].placed(values).point(POINTS[i] - MIDDLES[i]) for i in range(1, 5)]
    return np.ravel(found)


def loop_wrench(q):
    """Force (3,), of length 1, and moment about the origin (3,) that have no moment about the six axes."""
    points, axes = (np.array([of(q, i) for i in range(6)]) for of in (_point, _axis))
    wrench = np.linalg.svd(np.hstack([np.cross(points, axes), axes]))[2][-1]
    return wrench / np.linalg.norm(wrench[:3])


def of_bodies(q, v, a):
    """At a state of the 24 coordinates: error of the bodies' accelerations, their rank, error of the open wrench.

    The wrench is that of the left null vector of the 60 rows, at each hinge, against `loop_wrench`.
    """
    state = as_bodies(q, v)
    step = g.accelerate(hinged.system, *state)
    error = float(np.max(np.abs(ends_of_bodies(hinged.named(step.a)) - a[:12])))
    J = hinged.system.model.terms(*state, 0.0, hinged.system.theta()).J
    null = dict(zip(hinged.system.row_names, np.linalg.svd(J.T)[2][-1], strict=True))
    forces = np.array([[null[f"hinge {i}[{c}]"] for c in range(3)] for i in range(6)])
    forces /= np.linalg.norm(forces[0])
    expected = loop_wrench(q)[:3]
    expected *= np.sign(forces[0] @ expected)
    open_rows = {row.split("[")[0] for row in step.reactions.undetermined}
    hinges = {f"hinge {i}" for i in range(6)} <= open_rows
    rank = step.regularity.rank if step.verdict == "redundant" and hinges else -1
    return error, rank, float(np.max(np.abs(forces - expected)))


def _turn(vector, axis, angle):
    """Rotate a vector about a unit axis (Rodrigues); complex angles and vectors pass."""
    c, s = np.cos(angle), np.sin(angle)
    return vector * c + np.cross(axis, vector) * s + axis * np.dot(axis, vector) * (1 - c)


def _angles(sigma):
    R = np.sqrt(6 / (1 + np.sqrt(1 + 3 * np.sin(2 * sigma) ** 2)))
    return 2 * np.arctan(R * np.cos(sigma)), 2 * np.arctan(R * np.sin(sigma))


def _walk(sigma):
    """Positions and axes of all six joints, then P₅ and u₅ once more, by turning bar after bar."""
    angles = _angles(sigma)
    bar, point, axis = POINTS[0] - POINTS[5], POINTS[0], AXES[0]
    points, axes = [point], [axis]
    for i in range(5):
        bar = _turn(bar, axis, -angles[i % 2])
        point = point + bar
        axis = np.cross(bar, axis) * (1 if i % 2 == 0 else -1)
        points.append(point)
        axes.append(axis)
    return np.array(points), np.array(axes)


def on_curve(sigma):
    """Position (24,) on the closed curve."""
    points, axes = _walk(sigma)
    return np.concatenate([points[1:5].ravel(), axes[1:5].ravel()])


def closure(count=200):
    """Worst distance of P₅ and u₅, reached over five bars, from where they are on the ground."""
    worst = 0.0
    for sigma in np.linspace(0.0, 2 * np.pi, count):
        points, axes = _walk(sigma)
        worst = max(worst, float(np.max(np.abs(points[5] - POINTS[5]))), float(np.max(np.abs(axes[5] - AXES[5]))))
    return worst


def sigma_of(q):
    """σ of a position (…, 24), by the angles at P₀ and P₁."""
    first = q[..., 0:3] - POINTS[0]
    second = q[..., 3:6] - q[..., 0:3]
    ground, u0, u1 = POINTS[0] - POINTS[5], AXES[0], q[..., 12:15]
    theta = np.arctan2(np.sum(np.cross(first, ground) * u0, axis=-1), np.sum(first * ground, axis=-1))
    phi = np.arctan2(np.sum(np.cross(second, first) * u1, axis=-1), np.sum(second * first, axis=-1))
    return np.arctan2(np.tan(phi / 2), np.tan(theta / 2))


def _fourier(values):
    """The trigonometric polynomial through values at equal angles, and its derivative, as functions of σ."""
    c = np.fft.rfft(values) / len(values)
    k = np.arange(len(c))
    weight = np.where((k == 0) | (k == len(values) / 2), 1.0, 2.0) * c

    def value(sigma):
        return float(np.real(weight @ np.exp(1j * k * sigma)))

    def slope(sigma):
        return float(np.real((1j * k * weight) @ np.exp(1j * k * sigma)))

    return value, slope


def one_equation(times, samples=256):
    """σ (N,) from the one equation of motion, integrated by SciPy; derivatives by complex steps and Fourier series."""
    weights = np.array([_kinetic_matrix(i) for i in range(24)])
    angles = np.arange(samples) * 2 * np.pi / samples
    tangents = np.array([np.imag(on_curve(s + 1e-30j)) / 1e-30 for s in angles])
    mass, mass_slope = _fourier(np.einsum("ki,ij,kj->k", tangents, weights, tangents))
    _, force = _fourier(np.array([float(_potential(on_curve(s))) for s in angles]))

    def rates(_, y):
        return [y[1], -(0.5 * mass_slope(y[0]) * y[1] ** 2 + force(y[0])) / mass(y[0])]

    span = (float(times[0]), float(times[-1]))
    return solve_ivp(rates, span, [np.pi / 4, 0.0], "DOP853", t_eval=times, rtol=1e-12, atol=1e-13).y[0]


def _kinetic_matrix(i):
    """Row i of the mass matrix, from the kinetic energy by second differences (exact for a quadratic form)."""
    e = np.eye(24)
    return [_kinetic(e[i] + e[j]) - _kinetic(e[i]) - _kinetic(e[j]) for j in range(24)]


def claims(run):
    path = np.unwrap(sigma_of(run.q))
    exact = one_equation(run.t)
    bodies = [of_bodies(run.q[k], run.v[k], run.a[k]) for k in np.linspace(0, len(run) - 1, 4).astype(int)]
    off = system.model.terms(run.q[-1] + 1e-3 * np.sin(np.arange(24.0)), run.v[-1], 0.0, system.theta()).J
    return [
        g.Claim(
            "off the motion the rank is 24",
            float(np.linalg.matrix_rank(off) != 24),
            0.0,
            "yes or no, 1 mm off",
        ),
        g.Claim(
            "five bodies on six hinges have the same accelerations",
            max(error for error, _, _ in bodies),
            1e-10,
            "rounding: condition 1e4 of the rows, accelerations of 5 m/s², at 4 states",
        ),
        g.Claim(
            "their 60 rows are redundant, of rank 59, and leave every hinge open",
            float({rank for _, rank, _ in bodies} != {59}),
            0.0,
            "yes or no, at 4 states",
        ),
        g.Claim(
            "by a wrench round the loop that has no moment about the six axes",
            max(error for _, _, error in bodies),
            1e-12,
            "rounding: null vectors of 60 rows and of 6 lines",
        ),
        g.Claim("the loop of six bars closes for all σ", closure(), 100 * EPS, "rounding of five rotations"),
        g.Claim(
            "the motion stays on the closed curve",
            float(np.max(np.abs(run.q - np.array([on_curve(s) for s in path])))),
            1e-10,
            "rounding, where σ is badly known from the angles",
        ),
        g.Claim(
            "and follows the one equation of motion that is left",
            float(np.max(np.abs(path - exact))),
            1e-9,
            "both integrated, with 1e-11 and 1e-12 per step",
        ),
    ]
