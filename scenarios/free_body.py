"""Free rigid body: it turns over about its middle axis, and Λ, the stress in it, stays negative.

Six masses of 0.5 kg sit in pairs on the axes of a body, 0.40 m, 0.30 m and 0.15 m from its centre. The coordinates are
the centre (m) and the nine entries of the rotation matrix R, kept by six rows RᵀR = 1. No force acts. With the second
moment K₀ = Σ m b ⊗ b (kg m²) the source has R̈K₀ = RΛ; Λ holds the multipliers, it is negative semidefinite, and RΛRᵀ
is minus the integral of Cauchy's stress over the body.

Energy T and angular momentum h are conserved. For moments A < B < C and a motion started close to the middle axis with
h² < 2TB, the body turns over every 2K(k)/n (A and C change places where h² > 2TB),

    n² = (B − A)(2TC − h²)/(ABC),   k² = (C − B)(h² − 2TA)/((B − A)(2TC − h²)).
"""

import numpy as np
from scipy.special import ellipk

import gauss as g
from gauss import bodies as mb

COVERS = ("V1", "V2", "V3", "V4", "T14")
SOURCE = "VHIF §1, §2; TM §6.6–6.8"

MASS, REACH = 0.5, (0.40, 0.30, 0.15)  # kg of each mass, m
POINTS = np.array([sign * r * e for r, e in zip(REACH, np.eye(3), strict=True) for sign in (1, -1)])
OMEGA = np.array([0.05, 4.0, 0.05])  # rad/s, at the start, in body axes
AT, SPEED = np.array([0.2, -0.1, 0.4]), np.array([0.3, 0.1, -0.2])  # m, m/s
GROWTH = 1e3  # of an error in 20 s; Euler's equations make one of the start up to 853 times larger

body = mb.Body("b", sum(mb.point(MASS, at) for at in POINTS))
free = mb.Mechanism("free body", [body], gravity=(0, 0, 0))
system = free.system
K0, J0 = body.inertia.second, np.diag(body.inertia.tensor)
Q, V = free.state(body.pose(AT, mb.about((1, 2, 3), 0.7), SPEED, OMEGA))
over = g.Event("turns over", lambda q, v: body.angular_velocity(q, v)[1])
start = g.Start(q=Q, v=V, t_end=20.0, rtol=1e-12, atol=1e-13, events=(over,))
drawing = mb.Drawing(free, traces=[(body, POINTS[0])], follow=body)


def angular_velocity(run):
    """ω (N, 3) in body axes."""
    rates = {name: run[f"d_{name}"] for name in body.coordinates}
    return np.array(body.angular_velocity(run, rates)).T


@g.needs(start.t_end)
def claims(run):
    twice, square = OMEGA @ (J0 * OMEGA), np.sum((J0 * OMEGA) ** 2)
    A, B, C = J0 if square < twice * J0[1] else J0[::-1]
    n = np.sqrt((B - A) * (twice * C - square) / (A * B * C))
    half_period = 2 * ellipk((C - B) * (square - twice * A) / ((B - A) * (twice * C - square))) / n
    turns = np.diff([event.t for event in run.events]) / half_period - 1.0
    Lambda, kept = free.multiplier_matrix(run, body), len(run) * start.rtol
    positive = max(0.0, np.max(np.linalg.eigvalsh(Lambda)) / np.max(np.abs(Lambda)))
    return [
        g.Claim("the body turns over every 2K(k)/n", np.max(np.abs(turns)), kept * GROWTH, "N rtol, and its growth"),
        g.Claim("energy is kept", g.relative(run.energy, run.energy[:1]), kept, "N steps that err by rtol each"),
        g.Claim("lemma 2: no eigenvalue of Λ is positive (largest over that of smallest)", positive, 1e-12, "rounding"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(0.0, run.t[-1], 900))
    axes.plot(dense.t, angular_velocity(dense), label=("ω₁", "ω₂", "ω₃"))
    axes.set(xlabel="t / s", ylabel="angular velocity / (rad/s)", title="it turns over about axis 2")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
