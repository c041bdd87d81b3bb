"""Rattleback: an ellipsoid on a plane whose axes of inertia are skew to its shape turns back when spun the wrong way.

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
from gauss import bodies as mb

SOURCE = (
    "A. Garcia, M. Hubbard, Spin reversal of the rattleback, Proc. R. Soc. A 418 (1988); VHIF §1 for the coordinates"
)

MASS, HEIGHT, GRAVITY = 1.0, 0.012, 9.81  # kg, m, m/s²
SEMI = np.array([0.2, 0.05, 0.03])  # m
TENSOR = np.array([[6e-4, 2e-4, 0.0], [2e-4, 1.6e-3, 0.0], [0.0, 0.0, 1.7e-3]])  # kg m²
SPIN = 3.0  # rad/s

stone = mb.Body("stone", mb.Inertia.of_tensor(MASS, TENSOR))
rolling = mb.RollingEllipsoid("plane", stone, SEMI, centre=(0, 0, HEIGHT))
rattleback = mb.Mechanism("rattleback", [stone], [rolling], gravity=(0, 0, -GRAVITY))
system = rattleback.system
FIRST = mb.euler("xyz", np.radians(1.5), np.radians(0.5), 0.0)


def lever(n):
    """ρ (3,), from the mass centre to the contact in body axes, by the vertical n in body axes."""
    return np.array([0.0, 0.0, HEIGHT]) - SEMI**2 * n / np.sqrt(SEMI**2 @ n**2)


def state(spin):
    """q and v at the start, spun by `spin` (rad/s)."""
    omega, rho = np.array([0.0, 0.0, spin]), lever(FIRST[2])
    return rattleback.state(stone.pose(-FIRST @ rho, FIRST, -FIRST @ np.cross(omega, rho), omega))


start = g.Start(*state(SPIN), t_end=1.6, rtol=1e-12, atol=1e-13)
drawing = mb.Drawing(rattleback, speed=0.25)


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


def spin_of(motion):
    """The spin n·ω about the vertical (N,), rad/s."""
    return np.sum(motion[:3] * motion[3:], axis=0)


def turned(run):
    """ω_dot (3, N) in body axes along a run: the skew part of RᵀR̈."""
    second = {name: run[f"dd_{name}"] for name in stone.coordinates}
    return np.array(stone.angular_velocity(run, second))


def other_way():
    """The motion when it is spun the other way."""
    return g.simulate(system, *state(-SPIN), t_end=1.6, progress="none")


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
    spin, back = spin_of(found), other_way()
    forth = spin_of(in_body(back))
    contact = rolling.force(run)
    ratio = np.max(np.hypot(contact[0], contact[1]) / contact[2])
    return [
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
        g.Claim("the energy is kept", g.relative(run.energy, run.energy[:1]), kept, "N steps that err by rtol each"),
        g.Claim(
            "and so it is when spun the other way",
            g.relative(back.energy, back.energy[:1]),
            len(back) * back.about.rtol,
            "the same",
        ),
        g.Claim("the contact does not slip", float(slip), 1e-12, "of the largest speed of the mass centre; rounding"),
        g.Claim(
            "the spin of 3 rad/s turns into one the other way, of more than 2.9 rad/s",
            float(np.min(spin)) + 2.9,
            0.0,
            f"it comes to {np.min(spin):.3f} rad/s",
        ),
        g.Claim(
            "spun the other way the stone keeps its sense, with more than 2.5 rad/s",
            float(np.max(forth)) + 2.5,
            0.0,
            f"it stays between {np.min(forth):.3f} and {np.max(forth):.3f} rad/s",
        ),
        g.Claim(
            "the stone presses on the plane all the time",
            -float(np.min(contact[2])),
            0.0,
            f"with {np.min(contact[2]):.2f} N or more; friction is up to {ratio:.2f} of it",
        ),
    ]


def figure(run, figure):
    grid = figure.add_gridspec(2, 2, width_ratios=[1.25, 1])
    t = np.linspace(0.0, run.t[-1], 700)
    dense, back = run.at(t), other_way().at(t)
    left = figure.add_subplot(grid[:, 0])
    left.axhline(0.0, color="0.8", lw=0.8, zorder=0)
    left.plot(t, spin_of(in_body(dense)), label="spun one way")
    left.plot(t, spin_of(in_body(back)), label="spun the other way")
    left.plot(t[::25], spin_of(by_newton_euler(t[::25])), "k.", ms=4, label="Newton, Euler")
    left.set(xlabel="t / s", ylabel="spin about the vertical / rad s⁻¹", ylim=(-4, 5))
    left.legend(loc="upper right")
    upper = figure.add_subplot(grid[0, 1])
    motion = in_body(dense)
    for k, name in ((3, "along"), (4, "across")):
        upper.plot(t, motion[k], lw=1, label=f"{name} the stone")
    upper.set(ylabel="ω / rad s⁻¹", title="rattling, spun one way")
    upper.margins(y=0.3)
    upper.tick_params(labelbottom=False)
    upper.legend(loc="upper center", ncols=2)
    lower = figure.add_subplot(grid[1, 1], sharex=upper)
    lower.plot(t, rolling.force(dense)[2], lw=1)
    lower.axhline(MASS * GRAVITY, color="0.5", lw=0.8, label="m g")
    lower.set(xlabel="t / s", ylabel="normal force / N")
    lower.legend(loc="upper right")


if __name__ == "__main__":
    g.main(__file__)
