"""The other claims of scenarios/chaplygin_sleigh.py.

A rigid body of mass m = 1.2 kg and moment of inertia I = 0.5 kg m² about its centre of mass slides on a horizontal
plane without friction on two feet and a knife edge. The coordinates are the point x, y of the edge (m) and its
direction phi (rad); the centre of mass lies a = 0.3 m ahead of the edge, at (x + a cos phi, y + a sin phi). The edge
does not slip sideways: −sin(phi) ẋ + cos(phi) ẏ = 0. With the speed v along the edge and ω, the velocity of phi, the
equations of motion are

    v̇ = aω²,   (I + ma²) ω̇ = −mavω,

so v never decreases, although energy is conserved: a nonholonomic system need not conserve the phase volume. With the
energy E, 2E = mv² + (I + ma²)ω², and V = √(2E/m), W = √(2E/(I + ma²)), k = amV/(I + ma²), tanh(kt₀) = v(0)/V,

    v = V tanh s,   ω = W/cosh s,   s = k(t + t₀),   phi = (2W/k) arctan(tanh(s/2)) + const.

From backward to forward motion it turns by less than πW/k = π√(1 + I/ma²) in all; the path of the edge has a cusp where
v = 0. The reaction across the edge is λ = m(vω + aω̇) = mIvω/(I + ma²) (N).
"""

import numpy as np
from scipy.integrate import quad_vec

import gauss as g
from scenarios.chaplygin_sleigh import EDGE, PHI, A, I, M, start, system

BACKWARD = (-0.6, 1.5)  # m/s, rad/s: speed along the edge and angular velocity at the start
FORWARD = (0.1, 1.5)


def velocities(speed, omega):
    """ẋ, ẏ, φ̇ at the start."""
    return [speed * np.cos(PHI), speed * np.sin(PHI), omega]


class Exact:
    """The closed form for a start at the origin with phi = PHI."""

    def __init__(self, speed, omega):
        twice_energy = M * speed**2 + EDGE * omega**2
        self.V, self.W = np.sqrt(twice_energy / M), np.sqrt(twice_energy / EDGE)
        self.k = A * M * self.V / EDGE
        self.t0 = np.arctanh(speed / self.V) / self.k

    def speed(self, t):
        """Speed v along the edge."""
        return self.V * np.tanh(self.k * (t + self.t0))

    def omega(self, t):
        """Angular velocity."""
        return self.W / np.cosh(self.k * (t + self.t0))

    def phi(self, t):
        """Direction of the edge."""
        angle, first = (2 * np.arctan(np.tanh(self.k * (time + self.t0) / 2)) for time in (t, 0.0))
        return PHI + self.W / self.k * (angle - first)

    def place(self, t):
        """x and y at one time, ∫ v (cos phi, sin phi) dt by adaptive quadrature."""
        return quad_vec(
            lambda s: self.speed(s) * np.array([np.cos(self.phi(s)), np.sin(self.phi(s))]), 0.0, t, epsabs=1e-13
        )[0]


def along(run):
    """Speed along the edge."""
    return run["d_x"] * np.cos(run["phi"]) + run["d_y"] * np.sin(run["phi"])


def motion_claims(run, exact, words):
    """The closed form against a run."""
    v, omega = exact.speed(run.t), exact.omega(run.t)
    index = np.linspace(0, len(run) - 1, 12).astype(int)
    places = np.array([exact.place(t) for t in run.t[index]])
    truncation = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
        g.Claim(f"{words}: v = V tanh s", g.relative(along(run), v), 1e-9, truncation),
        g.Claim(f"{words}: ω = W / cosh s", g.relative(run["d_phi"], omega), 1e-9, truncation),
        g.Claim(f"{words}: the direction phi", g.relative(run["phi"], exact.phi(run.t)), 1e-9, truncation),
        g.Claim(
            f"{words}: the path of the edge",
            g.relative(run.q[index, :2], places),
            1e-9,
            "closed-form v and phi, integrated by quadrature to 1e-13",
        ),
        g.Claim(
            f"{words}: the reaction is mIvω/(I + ma²)",
            g.relative(run["no side slip"], M * I * v * omega / EDGE),
            1e-9,
            truncation,
        ),
    ]


def claims(run):
    forward = g.simulate(system, start.q, velocities(*FORWARD), t_end=8.0, rtol=1e-12, progress="none")
    return [
        *motion_claims(run, Exact(*BACKWARD), "started backward")[2:4],
        *motion_claims(forward, Exact(*FORWARD), "started forward"),
        g.Claim(
            "the energy is conserved",
            g.relative(run.energy, run.energy[0]),
            1e-10,
            "an ideal reaction does no work; truncation of the integrator",
        ),
    ]
