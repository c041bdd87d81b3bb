"""A billiard ball with spin: its path is a parabola while it slips, and straight when it rolls.

A homogeneous ball (mass m = 0.17 kg, radius R = 28.6 mm, moment of inertia 2mR²/5; centre x, y, z in m) is sent along x
with v₀ = 2.5 m/s and an angular velocity ω₀ whose vertical part is side spin and whose other part is not that of
rolling, as after a massé shot; the velocities of the coordinates a, b, c are the components of ω in space. Cloth: μ =
0.2. The slip velocity of the lowest point is s = v + ω × (0, 0, −R). Friction −μmg s/|s| acts there, so that

    v̇ = −μg s/|s|,   ω̇ = (5/(2R)) μg (e_z × s/|s|),   ṡ = −(7/2) μg s/|s|:

the direction of s stays, the centre moves on a parabola until t₁ = 2|s₀|/(7μg), and then with (5v₀ + 2R ω₀ × e_z)/7 on
a straight line. Side spin has no part in that. Slipping takes the energy m|s₀|²/7.
"""

import numpy as np

import gauss as g

SOURCE = "G.-G. Coriolis, Théorie mathématique des effets du jeu de billard (1835)"

M, R, MU, G = 0.17, 0.0286, 0.2, 9.81  # kg, m, friction coefficient, m/s²
V0, OMEGA0 = np.array([2.5, 0.0]), np.array([90.0, -35.0, 40.0])  # m/s, rad/s
RIM = R * np.array([OMEGA0[1], -OMEGA0[0]])  # m/s, speed at which the ball would roll with this spin
SLIP = V0 - RIM
ROLLS = 2 * np.linalg.norm(SLIP) / (7 * MU * G)  # s
ROLLING = (5 * V0 + 2 * RIM) / 7  # m/s

system = g.System(
    "billiard ball",
    coordinates="x y z a b c",
    kinetic_energy=lambda v: 0.5 * M * (v.x**2 + v.y**2 + v.z**2) + 0.2 * M * R**2 * (v.a**2 + v.b**2 + v.c**2),
    potential_energy=lambda q: M * G * q.z,
    constraints=[
        g.Unilateral("table", lambda q: q.z - R, friction=g.Coulomb(MU, lambda v: [v.x - R * v.b, v.y + R * v.a]))
    ],
)
start = g.Start(q=[0, 0, R, 0, 0, 0], v=[*V0, 0.0, *OMEGA0], t_end=1.2)


def path(t):
    """Closed-form position (N, 2) of the centre (m)."""
    tau = np.minimum(t, ROLLS)[:, None]
    slipping = tau * V0 - 0.5 * MU * G * tau**2 * SLIP / np.linalg.norm(SLIP)
    return slipping + (t[:, None] - tau) * ROLLING


@g.needs(start.t_end)
def claims(run):
    (event,) = [e for e in run.events if e.kind == "stick"]
    t = np.linspace(run.t[0], run.t[-1], 100)
    reason = "closed form; the motion is a polynomial, so only rounding is left"
    return [
        g.Claim("rolling begins at 2|s₀|/(7μg)", abs(event.t - ROLLS), 1e-9, reason),
        g.Claim("parabola, then straight", float(np.max(np.abs(run.at(t).q[:, :2] - path(t)))), 1e-9, reason),
        g.Claim("friction takes m|s₀|²/7", abs(run.friction_work[-1] + M * SLIP @ SLIP / 7), 1e-9, reason),
    ]


def figure(run, figure):
    axes = figure.subplots()
    t = np.linspace(run.t[0], run.t[-1], 400)
    dense, slips = run.at(t), t < ROLLS
    axes.plot(dense["x"][slips], dense["y"][slips], "C3", lw=2, label="slips")
    axes.plot(dense["x"][~slips], dense["y"][~slips], "C0", lw=2, label="rolls")
    axes.plot(*path(t).T, "k:", lw=1, label="closed form")
    axes.set(xlabel="x / m", ylabel="y / m", title="path of the centre", aspect="equal")
    axes.legend(loc="best")


if __name__ == "__main__":
    g.main(__file__)
