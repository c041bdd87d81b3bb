"""A pendulum on a dry pin: its swings fall by the same angle each time, and it stops beside its lowest position.

A pendulum (m = 2 kg, J = 0.03 kg m² about the centre of mass, which is l = 0.25 m from the pin) hangs on a pin of the
radius r = 10 mm in a hole that is hardly larger, with the friction coefficients μ_s = 0.3 > μ_k = 0.25. The force λ of
the joint and the friction on the pin make the torque c |λ|, c = r μ/√(1 + μ²), against the rate while it swings, and up
to c_s |λ| at rest. It starts at rest at θ₀ = 0.3 rad.

In small swings |λ| is m g, but for squares of the angle, and the swings fall by 2c_k/l each time: a straight envelope.
It stays where it turns with l |sin θ| ≤ c_s, within the friction circle. The energy falls by the work of the torque.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

SOURCE = "the friction circle of a journal, as in textbooks of statics; the numbers are our own"

M, J, L, G = 2.0, 0.03, 0.25, 9.81  # kg, kg m², m, m/s²
RADIUS, KINETIC, STATIC = 0.010, 0.25, 0.30  # m
THETA = 0.3  # rad

bob = mb.PlanarBody("bob", M, J, centre=(0.0, -L))
pin = mb.Pin("pin", mb.GROUND, (0, 0), bob, (0, 0))
dry = mb.PinFriction("dry pin", pin, KINETIC, RADIUS, STATIC)
pendulum = mb.Mechanism("pendulum on a dry pin", [bob], [pin, dry])
system = pendulum.system
Q0, V0 = pendulum.state(bob.pose(angle=THETA))
start = g.Start(q=Q0, v=V0, t_end=10.0, rtol=1e-11, atol=1e-13)
C, C_STATIC = dry.arms  # m
drawing = mb.Drawing(pendulum, shapes={bob: [mb.shapes.Polyline([(0, 0), (0, -L)]), mb.shapes.Disc(0.04, (0, -L))]})


def angle(run):
    return np.arctan2(run["bob_s"], run["bob_c"])


@g.needs(start.t_end)
def claims(run):
    turns = run.at([e.t for e in run.events if e.kind in ("slip", "stick")])
    falls = -np.diff(np.abs([THETA, *angle(turns)]))
    outside = L * abs(np.sin(angle(run)[-1])) - C_STATIC
    unbooked = run.energy - run.energy[0] - run.friction_work
    return [
        g.Claim("each swing falls by 2c/l", np.max(np.abs(falls * L / (2 * C) - 1)), THETA**2, "squares of the angle"),
        g.Claim("it rests within the friction circle", max(0.0, outside), 0.0, "statics; it has stopped for good"),
        g.Claim("energy lost is the work of friction", np.max(np.abs(unbooked)), 1e-9, "100 times rtol of 5 J"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(run.t[0], run.t[-1], 2000))
    axes.plot(dense.t, angle(dense), label="Gauss")
    rest, period = np.arcsin(C_STATIC / L), 2 * np.pi * np.sqrt((J + M * L**2) / (M * G * L))
    envelope = np.maximum(THETA - 2 * C / L * 2 * dense.t / period, 0.0)
    axes.plot(dense.t, np.transpose([envelope, -envelope]), "--", color="0.5", lw=0.9)
    axes.axhspan(-rest, rest, color="C2", alpha=0.2, label="friction circle: rest")
    axes.set(xlabel="t / s", ylabel="angle / rad", title="2c/l less each swing")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
