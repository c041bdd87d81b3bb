"""The other claims of scenarios/rattleback.py.

The surface of the stone is an ellipsoid with the semi-axes 0.2, 0.05 and 0.03 m, which rolls on a level plane without
slip. Its mass of 1 kg has its centre 0.012 m below the centre of the ellipsoid; the moments of inertia about it are
6e-4, 1.6e-3 and 1.7e-3 kg m² along the semi-axes, and the entry J_xy = 2e-4 kg m² of the tensor turns two principal
axes by 11° from those of the shape. Gravity is 9.81 m/s². Start: tilted by 1.5° and 0.5° and spun by 3 rad/s about the
body's third axis.

The body has the place of its mass centre and the entries of R as coordinates; rolling is one holonomic row and two
nonholonomic ones. Known answer: with the vertical n in body axes, the contact at ρ = h e_z − A²n/√(nᵀA²n) from the
mass centre (A the semi-axes) and the contact force F, also in body axes,

    n_dot = −ω × n,   v = −ω × ρ,   m(v_dot + ω × v) = F − m g n,   J ω_dot + ω × Jω = ρ × F

are six equations of first order, integrated by SciPy. The spin n·ω falls, the stone rattles, and turns the other way;
spun the other way at first, it goes on so during the same time. Energy is kept both times.
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from scenarios.rattleback import FIRST, GRAVITY, HEIGHT, MASS, SEMI, SPIN, TENSOR, other_way, rolling, start, stone


def lever(n):
    """ρ (3,), from the mass centre to the contact in body axes, by the vertical n in body axes."""
    return np.array([0.0, 0.0, HEIGHT]) - SEMI**2 * n / np.sqrt(SEMI**2 @ n**2)


def cross(a, b):
    """The vector product; NumPy's takes ten times as long."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def newton_euler(n, omega):
    """n_dot, ω_dot and F, each (3,) in body axes."""
    root, rho = np.sqrt(SEMI**2 @ n**2), lever(n)
    n_dot = -cross(omega, n)
    rho_dot = -(SEMI**2) * n_dot / root + SEMI**2 * n * (SEMI**2 @ (n * n_dot)) / root**3
    rest = MASS * (GRAVITY * n - cross(omega, rho_dot) - cross(omega, cross(omega, rho)))  # F without ω_dot
    moving = TENSOR + MASS * ((rho @ rho) * np.eye(3) - np.outer(rho, rho))
    omega_dot = np.linalg.solve(moving, cross(rho, rest) - cross(omega, TENSOR @ omega))
    return n_dot, omega_dot, rest - MASS * cross(omega_dot, rho)


def by_newton_euler(times, spin=SPIN, off=0.0):
    """n and ω, (6, N), integrated by SciPy; `off` changes the first component of ω at the start."""

    def slopes(t, w):
        return np.concatenate(newton_euler(w[:3], w[3:])[:2])

    first = [*FIRST[2], off, 0.0, spin]
    return solve_ivp(slopes, (0.0, times[-1]), first, "DOP853", t_eval=times, rtol=1e-12, atol=1e-13).y


def in_body(run):
    """n and ω, (6, N), along a run."""
    rates = {name: run[f"d_{name}"] for name in stone.coordinates}
    return np.array([*(run[f"stone_R3{j}"] for j in (1, 2, 3)), *stone.angular_velocity(run, rates)])


def turned(run):
    """ω_dot (3, N) in body axes along a run: the skew part of RᵀR̈."""
    second = {name: run[f"dd_{name}"] for name in stone.coordinates}
    return np.array(stone.angular_velocity(run, second))


@g.needs(start.t_end)
def claims(run):
    found, kept = in_body(run), len(run) * start.rtol
    exact = by_newton_euler(run.t)
    off = 1e-7
    growth = float(np.max(np.abs(by_newton_euler(run.t, off=off) - exact))) / off
    expected = [newton_euler(w[:3], w[3:]) for w in found.T]
    R = np.array([[run[f"stone_R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)])
    force = np.einsum("ijn,nj->in", R, np.array([x[2] for x in expected]))
    rates = {name: run[f"d_{name}"] for name in stone.coordinates}
    speed = np.hypot(np.hypot(run["d_stone_x"], run["d_stone_y"]), run["d_stone_z"])
    slip = np.max(np.abs(np.array(rolling.slip(run, rates)))) / np.max(speed)
    back = other_way()
    contact = rolling.force(run)
    ratio = np.max(np.hypot(contact[0], contact[1]) / contact[2])
    return [
        g.Claim("the energy is kept", g.relative(run.energy, run.energy[:1]), kept, "N steps that err by rtol each"),
        g.Claim(
            "ω_dot is that of Newton's and Euler's equations",
            g.relative(turned(run), np.array([x[1] for x in expected]).T),
            1e-10,
            "at recorded states, to rounding",
        ),
        g.Claim("so is the force of the plane", g.relative(contact, force), 1e-10, "the same"),
        g.Claim(
            "the motion is theirs",
            float(np.max(np.abs(found - exact))),
            kept * growth * SPIN,
            f"N steps that err by rtol each, which grow by {growth:.1f} at most, as a changed start does",
        ),
        g.Claim(
            "and so it is when spun the other way",
            g.relative(back.energy, back.energy[:1]),
            len(back) * back.about.rtol,
            "the same",
        ),
        g.Claim("the contact does not slip", float(slip), 1e-12, "of the largest speed of the mass centre; rounding"),
        g.Claim(
            "the stone presses on the plane all the time",
            -float(np.min(contact[2])),
            0.0,
            f"with {np.min(contact[2]):.2f} N or more; friction is up to {ratio:.2f} of it",
        ),
    ]
