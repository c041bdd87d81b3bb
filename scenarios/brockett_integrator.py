"""Brockett's integrator: least energy of its controls is not the motion of Gauss's principle.

The controls of ẋ₁ = u₁, ẋ₂ = u₂, ẋ₃ = x₁u₂ − x₂u₁ are to lead from the origin to a given point in the time 1 with the
least ∫(u₁² + u₂²) dt; quantities have no units. This vakonomic problem has L = ẋ₁² + ẋ₂² and the row
ẋ₃ − x₁ẋ₂ + x₂ẋ₁ = 0, imposed before varying: λ is constant, ü + λ²u = 0, the path in the plane is a circle of radius
C/λ, C² = u₁² + u₂², and x₃ = (C/λ)²(λt − sin λt). By Gauss's principle a mechanical system with the same L and row goes
straight on from the same state, (u₁, u₂) = (C, 0) at the origin. The gyroscopic force 2λ(−ẋ₂, ẋ₁, 0) makes it follow
the vakonomic motion, with a λ that no mechanical state determines: the run of this page.
"""

import numpy as np

import gauss as g

COVERS = ("T7",)
SOURCE = "TM §3.5.5"

LAMBDA = 2 * np.pi
C = np.sqrt(0.5 * LAMBDA)  # amplitude of the controls that reach the axis after one turn, at the height 0.5


def energy(v):
    return v.x_1**2 + v.x_2**2


row = g.Pfaffian("Brockett", lambda q: [q.x_2, -q.x_1, 1.0])  # of G = ẋ₃ − x₁ẋ₂ + x₂ẋ₁
system = g.System(
    "Brockett's integrator, turned by the force of the vakonomic equations",
    coordinates="x_1 x_2 x_3",
    kinetic_energy=energy,
    force=lambda v, p: [-2 * p.lam * v.x_2, 2 * p.lam * v.x_1, 0.0],
    constraints=[row],
    parameters={"lam": LAMBDA},
)
start = g.Start(q=[0.0, 0.0, 0.0], v=[C, 0.0, 0.0], t_end=1.0, rtol=1e-12)


def path(t):
    """The closed form (N, 3) of the vakonomic motion."""
    turn, r = LAMBDA * t, C / LAMBDA
    return np.array([r * np.sin(turn), r * (1 - np.cos(turn)), r**2 * (turn - np.sin(turn))]).T


def straight():
    """Gauss's motion without the force, from the same state."""
    alone = system.with_parameters(lam=0.0)
    return g.simulate(alone, start.q, start.v, t_end=start.t_end, rtol=start.rtol, progress="none")


@g.needs(start.t_end)
def claims(run):
    alone = straight()
    bent = np.max(np.abs(alone.q - np.outer(C * alone.t, [1.0, 0.0, 0.0])))
    off = np.max(np.abs(run.q - path(run.t)))
    return [
        g.Claim("Gauss's motion is straight: x₁ = Ct, x₂ = x₃ = 0", bent, 1e-12, "closed form"),
        g.Claim("with the force 2λ(−ẋ₂, ẋ₁, 0) Gauss's motion is the vakonomic one", off, 1e-9, "steps to 1e-12"),
    ]


def figure(run, figure):
    axes = figure.add_subplot(projection="3d")
    axes.plot(*straight().q.T, color="C3", label="Gauss, from the same state")
    axes.plot(*run.at(np.linspace(0.0, 1.0, 300)).q.T, color="C0", label="vakonomic, λ = 2π")
    axes.set(xlabel="x₁", ylabel="x₂", zlabel="x₃")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
