"""Chaplygin's sleigh turns round until its centre of mass leads, and then runs straight.

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
from gauss import bodies as mb

SOURCE = "S. A. Chaplygin (1911); Ju. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems (1972)"

M, I, A = 1.2, 0.5, 0.3  # kg, kg m², m
EDGE = I + M * A**2  # kg m², moment of inertia about the edge
BACKWARD = (-0.6, 1.5)  # m/s, rad/s: speed along the edge and angular velocity at the start
FORWARD = (0.1, 1.5)
PHI = 1.4  # rad, direction at the start


def kinetic_energy(q, v):
    x_dot, y_dot = v.x - A * v.phi * g.sin(q.phi), v.y + A * v.phi * g.cos(q.phi)
    return 0.5 * M * (x_dot**2 + y_dot**2) + 0.5 * I * v.phi**2


system = g.System(
    "Chaplygin sleigh",
    coordinates="x y phi",
    kinetic_energy=kinetic_energy,
    constraints=[g.Pfaffian("no side slip", lambda q: [-g.sin(q.phi), g.cos(q.phi), 0.0])],
)


def velocities(speed, omega):
    """ẋ, ẏ, φ̇ at the start."""
    return [speed * np.cos(PHI), speed * np.sin(PHI), omega]


start = g.Start(q=[0.0, 0.0, PHI], v=velocities(*BACKWARD), t_end=8.0, step=0.01, rtol=1e-12)
drawing = mb.Drawing(  # seen from above: the edge, the two feet and the mass centre
    placed=[
        (
            [
                mb.shapes.Polygon([(0, 0), (1.5 * A, -0.2), (1.5 * A, 0.2)]),
                mb.shapes.Segment([(-0.1, 0), (0.1, 0)]),
                mb.shapes.Points([(A, 0)]),
            ],
            lambda q: mb.shapes.at_angle((q["x"], q["y"]), q["phi"]),
        )
    ],
    traces=[lambda q: (q["x"], q["y"])],
)


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
        *motion_claims(run, Exact(*BACKWARD), "started backward"),
        *motion_claims(forward, Exact(*FORWARD), "started forward"),
        g.Claim(
            "the energy is conserved",
            g.relative(run.energy, run.energy[0]),
            1e-10,
            "an ideal reaction does no work; truncation of the integrator",
        ),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    t, exact = np.linspace(run.t[0], run.t[-1], 600), Exact(*BACKWARD)
    dense = run.at(t)
    x, y, phi = dense["x"], dense["y"], dense["phi"]
    left.plot(x, y, label="knife edge")
    left.plot(x + A * np.cos(phi), y + A * np.sin(phi), color="C1", lw=1, label="centre of mass")
    for i in range(0, 600, 38):
        ends = np.array([[x[i], y[i]], [x[i] + A * np.cos(phi[i]), y[i] + A * np.sin(phi[i])]])
        left.plot(*ends.T, color="0.4", lw=1.5)
        left.plot(*ends[0], "o", color="C0", ms=4)
    left.set(xlabel="x / m", ylabel="y / m", title="path", aspect="equal")
    left.legend(loc="upper right")
    right.plot(t, along(dense), label="v / m/s, Gauss")
    right.plot(t, dense["d_phi"], label="ω / rad/s, Gauss")
    right.plot(t, dense["no side slip"], label="λ / N, Gauss")
    v, omega = exact.speed(t[::24]), exact.omega(t[::24])
    right.plot(t[::24], v, "k.", label="closed forms")
    right.plot(t[::24], omega, "k.")
    right.plot(t[::24], M * I * v * omega / EDGE, "k.")
    right.set(xlabel="t / s", title="speed, angular velocity, reaction")
    right.legend()


if __name__ == "__main__":
    g.main(__file__)
