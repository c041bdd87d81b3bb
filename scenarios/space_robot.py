"""Space robot: without momentum it turns by moving its arm round a loop.

A base of mass M = 40 kg and moment of inertia I = 2.5 kg m² floats in a plane without gravity; a massless arm of
variable length l is hinged at its mass centre and carries a mass m = 10 kg. The model has the position (X, Y) of the
base, its angle theta (rad) and the position (x, y) of the mass, in m. Two motors drive the length l(t) and the joint
angle phi(t) against the base: with α = theta + phi, the constraints are (x − X) cos α + (y − Y) sin α = l(t), the arm,
and (x − X) sin α − (y − Y) cos α = 0, the joint. The Lagrangian is

    L = ½M(X_dot² + Y_dot²) + ½I theta_dot² + ½m(x_dot² + y_dot²).

Known answers: the momenta stay zero. With the reduced mass μ = mM/(m + M) the angular momentum is

    I theta_dot + μl²(theta_dot + phi_dot) = 0,

a row in the rates that cannot be integrated: after a loop in the plane of l and phi the base has turned by
Δtheta = −∮ μl²/(I + μl²) dphi, which is the integral of 2μIl/(I + μl²)² over the area of the loop, whatever the speed.
The arm pushes the mass along itself with μ(l_ddot − l α_dot²), the motor in the joint turns the base with the torque
I theta_ddot. The exercise does not say where on the base the joint is; here it is the mass centre.
"""

import numpy as np
from scipy.integrate import dblquad, solve_ivp

import gauss as g
from gauss import bodies as mb

COVERS = ("T12",)
SOURCE = "TM Ex. 4.5"

BASE, INERTIA, TIP = 40.0, 2.5, 10.0  # kg, kg m², kg
REDUCED = TIP * BASE / (TIP + BASE)  # μ, kg
LENGTH, STROKE, SWING, PHASE = 1.0, 0.4, 1.0, 0.6  # m, m, rad, rad: l = LENGTH + STROKE sin τ, phi = SWING cos τ
RATE, CYCLES = 1.5, 4  # rad/s of τ, loops of the run


def arm(t, rate=RATE):
    """(l, phi) and their rates at time t."""
    tau = rate * t + PHASE
    l, phi = LENGTH + STROKE * g.sin(tau), SWING * g.cos(tau)
    return l, phi, STROKE * rate * g.cos(tau), -SWING * rate * g.sin(tau)


def kinetic_energy(v, p):
    return 0.5 * p.M * (v.X**2 + v.Y**2) + 0.5 * p.I * v.theta**2 + 0.5 * p.m * (v.x**2 + v.y**2)


def model(name, rate=None):
    """The robot with driven arm, τ = rate·t + PHASE; with a free arm where no rate is given."""
    driven = (
        g.Holonomic(
            "arm",
            lambda q, t: (
                (q.x - q.X) * g.cos(q.theta + arm(t, rate)[1])
                + (q.y - q.Y) * g.sin(q.theta + arm(t, rate)[1])
                - arm(t, rate)[0]
            ),
        ),
        g.Holonomic(
            "joint",
            lambda q, t: (
                (q.y - q.Y) * g.cos(q.theta + arm(t, rate)[1]) - (q.x - q.X) * g.sin(q.theta + arm(t, rate)[1])
            ),
        ),
    )
    return g.System(
        name,
        coordinates="X Y theta x y",
        kinetic_energy=kinetic_energy,
        constraints=() if rate is None else driven,
        parameters={"M": BASE, "I": INERTIA, "m": TIP},
    )


def chart(s, t):
    """The coordinates with the mass centre at (s0, s1) and the base at the angle s2."""
    l, phi, _, _ = arm(t)
    c, s_ = g.cos(s[2] + phi), g.sin(s[2] + phi)
    near, far = -TIP / (TIP + BASE) * l, BASE / (TIP + BASE) * l
    return [s[0] + near * c, s[1] + near * s_, s[2], s[0] + far * c, s[1] + far * s_]


def inverse(q, v, t):
    """Mass centre and angle of the base, and their rates."""
    share = TIP / (TIP + BASE)
    return (
        [q[0] + share * (q[3] - q[0]), q[1] + share * (q[4] - q[1]), q[2]],
        [v[0] + share * (v[3] - v[0]), v[1] + share * (v[4] - v[1]), v[2]],
    )


def at_rest(rate=RATE):
    """The state at t = 0 with the mass centre at rest in the origin, theta = 0, and no angular momentum."""
    l, phi, l_dot, phi_dot = arm(0.0, rate)
    theta_dot = -REDUCED * l**2 / (INERTIA + REDUCED * l**2) * phi_dot
    along, across = l_dot, l * (theta_dot + phi_dot)
    vx, vy = along * np.cos(phi) - across * np.sin(phi), along * np.sin(phi) + across * np.cos(phi)
    near, far = -TIP / (TIP + BASE), BASE / (TIP + BASE)
    return chart([0.0, 0.0, 0.0], 0.0), [near * vx, near * vy, theta_dot, far * vx, far * vy]


def _lagrangian(s, s_dot, t):
    l, _, l_dot, phi_dot = arm(t)
    centre = 0.5 * (BASE + TIP) * (s_dot[0] ** 2 + s_dot[1] ** 2)
    return centre + 0.5 * INERTIA * s_dot[2] ** 2 + 0.5 * REDUCED * (l_dot**2 + l**2 * (s_dot[2] + phi_dot) ** 2)


system = model("space robot with driven arm", RATE)
start = g.Start(*at_rest(), t_end=CYCLES * 2 * np.pi / RATE, step=0.005, rtol=1e-12)
drawing = mb.Drawing(
    placed=[(mb.shapes.Box((0.7, 0.5)), lambda q: mb.shapes.at_angle((q["X"], q["Y"]), q["theta"]))],
    lines=[lambda q: [(q["X"], q["Y"]), (q["x"], q["y"])]],
    traces=[lambda q: (q["x"], q["y"])],
)
minimal = g.Minimal(lagrangian=_lagrangian, chart=chart, inverse=inverse, text="mass centre, theta")


def by_momentum(times, rate=RATE):
    """theta (N,) from theta_dot = −μl²/(I + μl²) phi_dot, integrated by SciPy."""

    def slope(t, theta):
        l, _, _, phi_dot = arm(t, rate)
        return [-REDUCED * l**2 / (INERTIA + REDUCED * l**2) * phi_dot]

    return solve_ivp(slope, (0.0, times[-1]), [0.0], "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y[0]


def turn_by_area():
    """Δtheta of one loop, rad: the integral of 2μIl/(I + μl²)² over its area."""
    return dblquad(
        lambda l, phi: 2 * REDUCED * INERTIA * l / (INERTIA + REDUCED * l**2) ** 2,
        -SWING,
        SWING,
        lambda phi: LENGTH - STROKE * np.sqrt(1 - (phi / SWING) ** 2),
        lambda phi: LENGTH + STROKE * np.sqrt(1 - (phi / SWING) ** 2),
        epsabs=1e-12,
        epsrel=1e-12,
    )[0]


def momenta(run):
    """(P_x, P_y, L), (3, N), in kg m/s and N m s; L about the origin."""
    X, Y, theta, x, y = run.v.T
    linear = BASE * X + TIP * x, BASE * Y + TIP * y
    spin = BASE * (run["X"] * Y - run["Y"] * X) + TIP * (run["x"] * y - run["y"] * x)
    return np.array([*linear, INERTIA * theta + spin])


def row_of_momentum():
    """The shape (l, phi) and the base, with zero angular momentum as a Pfaffian row."""
    return g.System(
        "zero angular momentum",
        coordinates="theta l phi",
        kinetic_energy=lambda v: 0.5 * (v.theta**2 + v.l**2 + v.phi**2),
        constraints=[
            g.Pfaffian("momentum", lambda q: [INERTIA + REDUCED * q.l**2, 0.0, REDUCED * q.l**2]),
        ],
    )


@g.needs(start.t_end)
def claims(run):
    loop, area = 2 * np.pi / RATE, turn_by_area()
    turned = run.at(loop * np.arange(1, CYCLES + 1))["theta"]
    fast = model("quick robot", 3 * RATE)
    quick = g.simulate(fast, *at_rest(3 * RATE), t_end=loop / 3, rtol=start.rtol, progress="none")
    found = g.holonomy(row_of_momentum(), [0.0, LENGTH, 0.3])
    l, _, _, phi_dot = arm(run.t)
    l_ddot, alpha_dot = -(RATE**2) * (l - LENGTH), run["d_theta"] + phi_dot
    drift = len(run) * run.about.rtol
    speed = float(np.max(np.hypot(run["d_x"], run["d_y"])))
    return [
        g.Claim(
            "theta follows from zero angular momentum",
            g.relative(run["theta"], by_momentum(run.t)),
            1e-9,
            "one equation of first order, integrated by SciPy with rtol 1e-13, atol 1e-14",
        ),
        g.Claim(
            "every loop turns the base by the integral over its area",
            g.relative(turned, area * np.arange(1, CYCLES + 1)),
            1e-9,
            f"double integral: {area:.9f} rad for each of {CYCLES} loops",
        ),
        g.Claim(
            "three times as fast, a loop turns it by the same angle",
            g.relative(quick["theta"][-1], area),
            1e-9,
            "the same integral",
        ),
        g.Claim(
            "zero angular momentum is a nonholonomic row",
            float(found.verdict != "completely nonholonomic"),
            0.0,
            f"Lie algebra of the admissible velocities, growth {found.growth}: {found.verdict}",
        ),
        g.Claim(
            "the momenta stay zero",
            float(np.max(np.abs(momenta(run)))),
            drift * TIP * speed * (LENGTH + STROKE),
            "N steps that err by rtol each, times the momentum of the mass m and the length of the arm in m",
        ),
        g.Claim(
            "the force in the arm is μ(l_ddot − l α_dot²)",
            g.relative(run["arm"], REDUCED * (l_ddot - l * alpha_dot**2)),
            1e-9,
            "motion of two masses relative to each other, with the reduced mass",
        ),
        g.Claim(
            "the torque of the joint turns the base: −λl = I theta_ddot",
            g.relative(-run["joint"] * l, INERTIA * run["dd_theta"]),
            1e-11,
            "moments about the mass centre of the base, at the recorded states",
        ),
    ]


def draw(axes, q, shift, color):
    """The robot at the position q, moved to the right by `shift`."""
    X, Y, theta, x, y = q
    corner = 0.35 * np.exp(1j * (theta + np.pi / 4 + np.pi / 2 * np.arange(5))) + X + 1j * Y
    axes.plot(corner.real + shift, corner.imag, color=color, lw=1.5)
    nose = X + 1j * Y + 0.25 * np.exp(1j * theta)
    axes.plot([X + shift, nose.real + shift], [Y, nose.imag], color="C3", lw=2)
    axes.plot([X + shift, x + shift], [Y, y], color=color, lw=1.5)
    axes.plot(x + shift, y, "o", color=color, ms=7)


def figure(run, figure):
    grid = figure.add_gridspec(2, 2, width_ratios=[1, 1.3])
    robots, loop = figure.add_subplot(grid[0, :]), figure.add_subplot(grid[1, 0])
    turn = figure.add_subplot(grid[1, 1])
    cycle = 2 * np.pi / RATE
    shown = run.at(np.minimum(cycle * np.arange(CYCLES + 1), run.t[-1]))
    for k in range(CYCLES + 1):
        draw(robots, shown.q[k], 2.2 * k, "C0")
        robots.text(2.2 * k, -0.72, f"after {k} loops" if k != 1 else "after 1 loop", ha="center", va="top")
    robots.set(aspect="equal", title="same shape, other attitude", ylim=(-1.1, 1.6))
    robots.set_axis_off()
    t = np.linspace(0.0, cycle, 200)
    l, phi, _, _ = arm(t)
    loop.plot(l, phi)
    loop.plot(l[0], phi[0], "ko", ms=5)
    loop.annotate("", (l[30], phi[30]), (l[22], phi[22]), arrowprops={"arrowstyle": "-|>", "color": "C0"})
    loop.set(xlabel="l / m", ylabel="phi / rad", title="loop of the arm")
    t = np.linspace(0.0, run.t[-1], 500)
    turn.plot(t, run.at(t)["theta"], label="Gauss")
    turn.plot(t[::20], by_momentum(t)[::20], ".", label="zero angular momentum")
    ends = cycle * np.arange(CYCLES + 1)
    turn.plot(ends, turn_by_area() * np.arange(CYCLES + 1), "ks", ms=6, mfc="none", label="integral over the area")
    turn.set(xlabel="t / s", ylabel="theta / rad", title="attitude of the base", ylim=(-0.3, 5.4))
    turn.legend(loc="upper left")


if __name__ == "__main__":
    g.main(__file__)
