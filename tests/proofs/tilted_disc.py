"""The other claims of scenarios/tilted_disc.py.

A thin homogeneous disc of mass m = 1.4 kg and radius r = 0.35 m rolls on a horizontal plane without slip. It is a body
with twelve coordinates, the place of its centre and its rotation matrix, and nine rows: RᵀR = 1, the contact, two of
rolling. The textbook has x, y of the point of contact (m), the heading α, the lean β and the rotation γ (rad) with
R = Z(α − ½π) Y(β − ½π) Z(γ); I₁ = ¼mr² across the axle and I₃ = ½mr² about it (kg m²).

Known answers. The accelerations are those of the textbook's equations (9.2), η̇ = −(GᵀQG)⁻¹Gᵀ(QĠη + P), made here from
its L and G by complex steps. A steady circle of lean β, on which the heading turns at the rate Ω, asks for

    γ̇ = −((mr² + I₃ − I₁) Ω² sin β cos β + mgr sin β) / ((mr² + I₃) Ω cos β),

from the equation of β with β̈ = 0 (the textbook prints its last term with the wrong sign); the point of contact goes
round a circle of radius r|γ̇/Ω|. Small disturbances of it have the frequency κ of

    (mr² + I₁) κ² = −dF/dβ,   F = (mr² + I₃) γ̇α̇ cos β + (mr² + I₃ − I₁) α̇² sin β cos β + mgr sin β,

where α̇ and γ̇ change with β as the other two equations tell, which are linear in α̈, γ̈ and β̇. It is stable in the
linear sense for κ² > 0: rolling straight where γ̇² > I₁mgr/(I₃(I₃ + mr²)) = g/(3r), turning on the spot where
α̇² > mgr/(I₁ + mr²) = 4g/(5r). The motion starts on a steady circle, but with β̇ = 0.6 rad/s.
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from gauss import bodies as mb
from scenarios.tilted_disc import (
    GRAVITY,
    I1,
    I3,
    LEAN,
    MR2,
    SPIN,
    TILTING,
    TURNING,
    M,
    R,
    along,
    axle,
    contact,
    start,
    system,
)

STEP = 1e-30  # of the complex derivatives


# ---------------------------------------------------------------- the textbook's coordinates and the body's


def turn(axis, angle, rate, second):
    """A rotation about a coordinate axis with its two rates."""
    e = np.cross(np.eye(3)[axis], -np.eye(3))
    A = mb.about(np.eye(3)[axis], angle)
    return A, rate * e @ A, (second * e + rate**2 * e @ e) @ A


def product(one, two):
    """The product of two matrices with its two rates."""
    (a, b, c), (x, y, z) = one, two
    return a @ x, b @ x + a @ y, c @ x + 2 * b @ y + a @ z


def placed(q, v, a=(0.0,) * 5):
    """q, v and accelerations, each (12,), of the body from those of (x, y, α, β, γ)."""
    (_, _, al, be, ga), (_, _, al1, be1, ga1), (_, _, al2, be2, ga2) = q, v, a
    tilted = product(turn(2, al - np.pi / 2, al1, al2), turn(1, be - np.pi / 2, be1, be2))
    rotation = product(tilted, turn(2, ga, ga1, ga2))
    foot = [np.array([*x[:2], 0.0]) for x in (q, v, a)]
    parts = zip(foot, tilted, rotation, strict=True)
    return [np.concatenate([x + R * up[:, 0], turned.ravel()]) for x, up, turned in parts]


def angles(run):
    """(x, y, α, β, γ) along a run, (5, N)."""
    x, y, _ = contact.contact(run)
    heading = np.unwrap(np.arctan2(-run["disc_R13"], run["disc_R23"]))
    return np.array(
        [x, y, heading, np.arcsin(run["disc_R33"]), np.unwrap(np.arctan2(-run["disc_R32"], run["disc_R31"]))]
    )


# ---------------------------------------------------------------- the textbook's equations


def lagrangian(q, v):
    """L of TM §9.1.4 (J)."""
    (_, _, al, be, _), (x, y, al1, be1, ga1) = q, v
    sa, ca, sb, cb = np.sin(al), np.cos(al), np.sin(be), np.cos(be)
    turning = I1 * (al1**2 * cb**2 + be1**2) + I3 * (al1 * sb + ga1) ** 2
    along = M * (x + R * al1 * ca * sb) ** 2 + M * (y + R * al1 * sa * sb) ** 2 + MR2 * be1**2
    return (turning + along) / 2 + M * R * be1 * (x * sa - y * ca) * cb - M * GRAVITY * R * cb


def inertia(q):
    """Q (5, 5): L is quadratic in the velocities, so its second differences are exact."""
    e, rest = np.eye(5), lagrangian(q, np.zeros(5))
    one = [lagrangian(q, x) - rest for x in e]
    return np.array([[lagrangian(q, e[i] + e[j]) - rest - one[i] - one[j] for j in range(5)] for i in range(5)])


def fields(q):
    """G (5, 3): its columns are γ̇ with rolling, α̇ and β̇."""
    zero, one = 0.0 * q[2], 1.0 + 0.0 * q[2]
    return np.array(
        [
            [R * np.cos(q[2]), zero, zero],
            [R * np.sin(q[2]), zero, zero],
            [zero, one, zero],
            [zero, zero, one],
            [one, zero, zero],
        ]
    )


def textbook(q, eta):
    """q̇ and q̈, each (5,), by (9.2) from L and G."""
    G = fields(q)
    v = G @ eta
    G_dot, Q_dot = (f(q + 1j * STEP * v).imag / STEP for f in (fields, inertia))
    by_q = np.array([lagrangian(q + 1j * STEP * e, v).imag / STEP for e in np.eye(5)])
    Q, P = inertia(q), Q_dot @ v - by_q
    rates = -np.linalg.solve(G.T @ Q @ G, G.T @ (Q @ G_dot @ eta + P))
    return v, G @ rates + G_dot @ eta


def by_textbook(times, q, eta):
    """(x, y, α, β, γ) at times, (5, N), integrated by SciPy."""

    def rate(t, w):
        v, a = textbook(w[:5], w[5:])
        return [*v, a[4], a[2], a[3]]

    first = [*q, *eta]
    return solve_ivp(rate, (times[0], times[-1]), first, "DOP853", t_eval=times, rtol=1e-11, atol=1e-12).y[:5]


def frequency_squared(lean, turning, spin):
    """κ² (1/s²) of small disturbances of a steady motion with the rates α̇ and γ̇ (rad/s)."""
    s, c = np.sin(lean), np.cos(lean)
    with_lean = (2 * I1 * turning * s - I3 * (spin + turning * s)) / (I1 * c)  # dα̇/dβ
    spin_with_lean = -(2 * MR2 + I3) * turning * c / (MR2 + I3) - with_lean * s  # dγ̇/dβ
    by_lean = -(MR2 + I3) * spin * turning * s + (MR2 + I3 - I1) * turning**2 * (c**2 - s**2) + M * GRAVITY * R * c
    by_turning = (MR2 + I3) * spin * c + 2 * (MR2 + I3 - I1) * turning * s * c
    return -(by_lean + by_turning * with_lean + (MR2 + I3) * turning * c * spin_with_lean) / (MR2 + I1)


ON_THE_SPOT = np.sqrt(4 * GRAVITY / (5 * R))


def velocity(q, spin, turning, tilting=0.0):
    """Velocities (5,) that roll without slip."""
    return fields(np.asarray(q)) @ [spin, turning, tilting]


def on_circle(lean, turning, spin, heading=0.4):
    """(x, y, α, β, γ) on a circle about the origin; at the origin where the disc runs straight."""
    far = R * spin / turning if turning else 0.0
    return np.array([far * np.sin(heading), -far * np.cos(heading), heading, lean, 0.3])


FIRST = on_circle(LEAN, TURNING, SPIN)
Q, V, _ = placed(FIRST, velocity(FIRST, SPIN, TURNING, TILTING))


def vertical(q):
    """Rotation of space about the vertical at the origin."""
    rows = {f"disc_R1{j}": -q[f"disc_R2{j}"] for j in (1, 2, 3)} | {f"disc_R2{j}": q[f"disc_R1{j}"] for j in (1, 2, 3)}
    return {"disc_x": -q.disc_y, "disc_y": q.disc_x} | rows


def linear(lean, turning, spin):
    """The linearisation about a steady motion with the rates α̇ and γ̇."""
    q = on_circle(lean, turning, spin, heading=0.4 if turning else 0.0)
    at, v, _ = placed(q, velocity(q, spin, turning))
    return g.linearize(system, at, v, symmetry=[vertical if turning else along, axle])


def square_nearest(about, expected):
    """The square of an eigenvalue that is nearest to an expected one (1/s²)."""
    squares = about.eigenvalues**2
    return squares[np.argmin(np.abs(squares - expected))]


def critical(build, formula, expected):
    """The rate (rad/s) at which κ² changes its sign, from two linearisations: κ² is linear in the rate's square."""
    rates = np.array([0.8, 1.3]) * expected
    values = [square_nearest(build(rate), -formula(rate)).real for rate in rates]
    squares = rates**2
    return np.sqrt(squares[0] - values[0] * (squares[1] - squares[0]) / (values[1] - values[0]))


# ---------------------------------------------------------------- claims and figure


def worst_of_textbook(count=20):
    """Largest difference of Gauss's accelerations from (9.2) at random states, relative to the largest there."""
    rng, worst = np.random.default_rng(4), 0.0
    for _ in range(count):
        q, eta = np.array([*rng.normal(size=3), rng.uniform(-1.3, 1.3), rng.normal()]), 3 * rng.normal(size=3)
        v, a = textbook(q, eta)
        at, speed, expected = placed(q, v, a)
        worst = max(worst, g.relative(g.accelerate(system, at, speed).a, expected))
    return worst


def claims(run):
    expected = by_textbook(run.t, FIRST, np.array([SPIN, TURNING, TILTING]))
    ahead = velocity(FIRST, SPIN, TURNING)
    at, v, a = placed(FIRST, ahead, TURNING * np.array([-ahead[1], ahead[0], 0.0, 0.0, 0.0]))
    kappa, about = frequency_squared(LEAN, TURNING, SPIN), linear(LEAN, TURNING, SPIN)
    off = abs(square_nearest(about, -kappa) / -kappa - 1), abs(square_nearest(about, -(TURNING**2)) / -(TURNING**2) - 1)
    stands = critical(lambda w: linear(0.0, w, 0.0), lambda w: frequency_squared(0.0, w, 0.0), ON_THE_SPOT)
    kept = len(run) * start.rtol
    exact = "exact derivatives"
    return [
        g.Claim(
            "accelerations of (9.2) at 20 random states",
            worst_of_textbook(),
            1e-11,
            "rounding, cond(GᵀQG) < 314 up to 1.3 rad",
        ),
        g.Claim("the motion is that of (9.2)", g.relative(angles(run), expected), 10 * kept, "two integrations"),
        g.Claim(
            "the steady circle is steady",
            g.relative(g.accelerate(system, at, v).a, a),
            1e-12,
            "the accelerations of a uniform motion round it, to rounding",
        ),
        g.Claim("its disturbances have the frequencies κ and Ω", max(off), 1e-9, exact),
        g.Claim("turning on the spot is stable from α̇² = 4g/(5r)", abs(stands / ON_THE_SPOT - 1), 1e-9, exact),
    ]
