"""Heavy top on a ball joint, with its rotation matrix as coordinates: published numbers, and Jacobi's functions.

The top of the benchmark of Géradin and Cardona: a body of mass m = 15 kg, its centre of mass l = 1 m from the joint
along the body's y-axis, with central moments 0.234375, 0.46875, 0.234375 kg m² and gravity 9.81 m/s² along −z. It
starts with R = 1, so that its axis is level, and ω = (0, 150, −4.61538) rad/s. Twelve coordinates, the position of the
joint's point and the entries of R, are kept by six rows RᵀR = 1 and three of the joint.

In Euler's angles it is Lagrange's top: it starts at the upper turning point of its inclination, and the height of the
centre is l u(t), u = u₁ + (u₂ − u₁) sn²(½√(b(u₃ − u₁)) t + K, k), k² = (u₂ − u₁)/(u₃ − u₁), u of a cubic.
"""

import numpy as np
from scipy.special import ellipj, ellipk

import gauss as g
from gauss import bodies as mb

COVERS = ("T15",)
SOURCE = (
    "M. Géradin, A. Cardona, Flexible Multibody Dynamics (2001); J. Gerstmayr, EXUDYN, TestModels/heavyTop.py;"
    " TM chapter 7"
)

MASS, LENGTH, GRAVITY = 15.0, 1.0, 9.81  # kg, m, m/s²
CENTRAL = np.array([0.234375, 0.46875, 0.234375])  # kg m²
OMEGA = np.array([0.0, 150.0, -4.61538])  # rad/s
A, C = CENTRAL[0] + MASS * LENGTH**2, CENTRAL[1]
CENTRE = (0.17334396, 0.64008859, -0.74849079)  # m, published, at 1 s
body = mb.Body("top", mb.Inertia.of_tensor(MASS, CENTRAL, centre=(0, LENGTH, 0)))
joint = mb.Spherical("joint", mb.GROUND, (0, 0, 0), body, (0, 0, 0))
top = mb.Mechanism("heavy top", [body], [joint], gravity=(0, 0, -GRAVITY))
system = top.system
Q, V = top.state(body.pose(angular_velocity=OMEGA))
start = g.Start(q=Q, v=V, t_end=1.0, rtol=1e-12, atol=1e-13)
drawing = mb.Drawing(top, traces=[(body, (0, LENGTH, 0))], speed=0.1)


def height(t):
    """Height of the centre of mass (m), in closed form."""
    rate, b, d = OMEGA[2], 2 * MASS * GRAVITY * LENGTH / A, C * OMEGA[1] / A
    f = np.polynomial.Polynomial([0.0, 2 * rate * d - b, -(rate**2) - d**2, b])
    low, third = np.roots([b, -(rate**2) - d**2, 2 * rate * d - b])[::-1].real  # the root u₂ = 0 is divided out
    low, third = (x - f(x) / f.deriv()(x) for x in (low, third))
    k, speed = -low / (third - low), np.sqrt(b * (third - low)) / 2
    return LENGTH * (low - low * ellipj(speed * np.asarray(t) + ellipk(k), k)[0] ** 2)


@g.needs(start.t_end)
def claims(run):
    centre, kept = np.array(body.centre_of(run)), len(run) * start.rtol
    off = np.max(np.abs(centre[:, -1] - CENTRE))
    return [
        g.Claim("centre of mass at five times", off, 1e-7, "eight digits given, here at the last of them"),
        g.Claim("height of the centre in Jacobi's functions", g.relative(centre[2], height(run.t)), kept, "N rtol"),
        g.Claim("energy is kept", g.relative(run.energy, run.energy[:1]), kept, "N steps that err by rtol each"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(0.0, run.t[-1], 500))
    axes.plot(dense.t, body.centre_of(dense)[2], label="Gauss")
    axes.plot(dense.t[::12], height(dense.t[::12]), "k.", ms=4, label="Jacobi's functions")
    axes.set(xlabel="t / s", ylabel="height of the centre of mass / m", title="nutation")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
