"""A ball thrown along a floor with friction slips until it rolls: two sevenths of its speed are lost.

A homogeneous ball (mass m = 1 kg, radius R = 0.1 m, moment of inertia 2mR²/5 about its centre; position x and height z
of the centre in m, angle θ in rad, clockwise) is set on the floor with v₀ = 3 m/s and no spin; μ = 0.25. Sliding
friction μmg slows it down and spins it up until v = Rω. From Newton's and Euler's equations

    t₁ = 2v₀/(7μg),   v₁ = 5v₀/7,   x₁ = 12v₀²/(49μg);

then it rolls without friction force and keeps its speed. Sliding takes 2/7 of the energy, m v₀²/7.
"""

import numpy as np

import gauss as g

SOURCE = "E. J. Routh, Dynamics of a System of Rigid Bodies; the standard textbook case"

M, R, V0, MU, G = 1.0, 0.1, 3.0, 0.25, 9.81  # kg, m, m/s, friction coefficient, m/s²
ROLLS = 2 * V0 / (7 * MU * G)  # s

system = g.System(
    "ball",
    coordinates="x z theta",
    kinetic_energy=lambda v: 0.5 * M * (v.x**2 + v.z**2) + 0.2 * M * R**2 * v.theta**2,
    potential_energy=lambda q: M * G * q.z,
    constraints=[g.Unilateral("floor", lambda q: q.z - R, friction=g.Coulomb(MU, lambda v: v.x - R * v.theta))],
)
start = g.Start(q=[0.0, R, 0.0], v=[V0, 0.0, 0.0], t_end=1.0)


def speeds(t):
    """Closed-form speed of the centre and of the circumference (m/s)."""
    tau = np.minimum(t, ROLLS)
    return V0 - MU * G * tau, 2.5 * MU * G * tau


@g.needs(1.01 * ROLLS, "what is claimed of rolling")
def claims(run):
    (event,) = [e for e in run.events if e.kind == "stick"]
    reason = "closed form; the motion is a polynomial, so only rounding is left"
    return [
        g.Claim("rolling begins at 2v₀/(7μg)", abs(event.t - ROLLS), 1e-9, reason),
        g.Claim("with the speed 5v₀/7", abs(run.at(event.t)["d_x"][0] - 5 * V0 / 7), 1e-9, reason),
        g.Claim("friction takes mv₀²/7", abs(run.friction_work[-1] + M * V0**2 / 7), 1e-9, reason),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(run.t[0], run.t[-1], 400))
    axes.plot(dense.t, dense["d_x"], lw=1.5, label="centre")
    axes.plot(dense.t, R * dense["d_theta"], lw=1.5, label="circumference")
    axes.plot(dense.t, np.transpose(speeds(dense.t)), "k:", lw=1, label=("closed form", None))
    axes.axvline(ROLLS, color="C3", ls="--", lw=1, label="rolling begins")
    axes.set(xlabel="t / s", ylabel="speed / (m/s)", title="a ball slips until it rolls")
    axes.legend(loc="lower right")


if __name__ == "__main__":
    g.main(__file__)
