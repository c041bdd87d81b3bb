"""Charged ball on a spring over a charge: a centre and a saddle that meet, and beyond them no rest at all.

A ball of mass m = 0.1 kg with the charge q hangs on a spring of stiffness k = 5 N/m above a point charge Q of the
opposite sign, at the distance l = 2 m from the spring's point of suspension; there is no gravity. The attraction is
K/ρ² at the distance ρ, with K = |qQ|/(4πε₀) in N m². The model has the position (x, y, z) of the ball (m) and two
guides: m x_ddot = −k x + K/(l − x)² with the extension x of the spring. With K_c = 4kl³/27 and cos 3θ = 2K/K_c − 1 the
equilibria are x = (4l/3) cos²(θ/2): a centre with x < l/3 and a saddle for K < K_c, none for K > K_c. The loop of the
saddle's separatrix bounds the oscillations.
"""

import numpy as np

import gauss as g

COVERS = ("T5",)
SOURCE = "TM Ex. 2.4"

MASS, STIFFNESS, GAP, ATTRACTION = 0.1, 5.0, 2.0, 2.4  # kg, N/m, m, N m²
CRITICAL = 4 * STIFFNESS * GAP**3 / 27  # K_c, N m²


def potential(x):
    return 0.5 * STIFFNESS * x**2 - ATTRACTION / (GAP - x)


THETA = (np.arccos(2 * ATTRACTION / CRITICAL - 1) + 2 * np.pi * np.array([1, 2])) / 3
CENTRE, SADDLE = np.sort(4 * GAP / 3 * np.cos(THETA / 2) ** 2)  # m
E = potential(0.98 * SADDLE + 0.02 * CENTRE)  # J, of a ball that turns just inside the separatrix
FIRST = np.min(np.roots([1.0, -GAP, -2 * E / STIFFNESS, 2 / STIFFNESS * (E * GAP + ATTRACTION)]).real)  # m, V(x) = E

system = g.System(
    "charged ball on a spring",
    coordinates="x y z",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2 + v.z**2),
    potential_energy=lambda q, p: (
        0.5 * p.k * (q.x**2 + q.y**2 + q.z**2) - p.K / g.sqrt((p.l - q.x) ** 2 + q.y**2 + q.z**2)
    ),
    constraints=[g.Holonomic("guide y", lambda q: q.y), g.Holonomic("guide z", lambda q: q.z)],
    parameters={"m": MASS, "k": STIFFNESS, "l": GAP, "K": ATTRACTION},
)
turning = g.Event("turning point", lambda v: v.x)
start = g.Start(q=[FIRST, 0.0, 0.0], t_end=5.0, step=0.001, events=(turning,))


def claims(run):
    inside = np.max(0.5 * MASS * run["d_x"] ** 2 + potential(run["x"])) - potential(SADDLE)
    guesses = [[x, 0.0, 0.0] for x in GAP * np.linspace(0.02, 0.9, 15)]
    beyond = [g.analysis.equilibria(system.with_parameters(K=ratio * CRITICAL), guesses) for ratio in (1.001, 1.2, 2.0)]
    left = sum(e.state.q[0] < GAP for found in beyond for e in found)
    return [
        g.Claim("the ball stays within the loop of the separatrix", inside, 0.0, "its energy is below the saddle's"),
        g.Claim("above K_c no equilibrium is found", left, 0.0, "count, of 15 guesses for 3 values of K"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    x, v = np.meshgrid(GAP * np.linspace(-0.75, 0.93, 400), GAP * np.linspace(-6.5, 6.5, 300))
    axes.contour(x, v, 0.5 * MASS * v**2 + potential(x), levels=[potential(SADDLE)], colors="C3")
    axes.plot(run["x"], run["d_x"], "C0.", ms=3, label="run, just inside the separatrix")
    axes.plot([CENTRE, SADDLE], [0.0, 0.0], "kx", label="centre and saddle")
    axes.set(xlabel="x / m", ylabel="rate of x / m s⁻¹", title=f"phase portrait, K = {ATTRACTION / CRITICAL:.2f} K_c")
    axes.legend(loc="upper left")


if __name__ == "__main__":
    g.main(__file__)
