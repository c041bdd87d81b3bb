"""Rattleback: an ellipsoid on a plane whose axes of inertia are skew to its shape turns back when spun the wrong way.

The stone is an ellipsoid with the semi-axes 0.2, 0.05 and 0.03 m, which rolls on a level plane without slip. Its mass
of 1 kg has its centre 0.012 m below that of the ellipsoid; its moments of inertia are 6e-4, 1.6e-3 and 1.7e-3 kg m²
along the semi-axes, and J_xy = 2e-4 kg m² turns two principal axes by 11° from those of the shape. Gravity is
9.81 m/s². It starts tilted by 1.5° and 0.5° and spun by 3 rad/s about the body's third axis. The spin falls, the stone
rattles, and turns the other way; spun the other way at first, it goes on so.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

SOURCE = "A. Garcia, M. Hubbard, Spin reversal of the rattleback, Proc. R. Soc. A 418 (1988); VHIF §1 (coordinates)"

MASS, HEIGHT, GRAVITY = 1.0, 0.012, 9.81  # kg, m, m/s²
SEMI = np.array([0.2, 0.05, 0.03])  # m
TENSOR = np.array([[6e-4, 2e-4, 0.0], [2e-4, 1.6e-3, 0.0], [0.0, 0.0, 1.7e-3]])  # kg m²
SPIN = 3.0  # rad/s

stone = mb.Body("stone", mb.Inertia.of_tensor(MASS, TENSOR))
rolling = mb.RollingEllipsoid("plane", stone, SEMI, centre=(0, 0, HEIGHT))
rattleback = mb.Mechanism("rattleback", [stone], [rolling], gravity=(0, 0, -GRAVITY))
system = rattleback.system
FIRST = mb.euler("xyz", np.radians(1.5), np.radians(0.5), 0.0)


def state(spin):
    """q and v at the start, spun by `spin` (rad/s); the lowest point of the ellipsoid touches."""
    n = FIRST[2]  # the vertical in body axes
    contact = np.array([0.0, 0.0, HEIGHT]) - SEMI**2 * n / np.sqrt(SEMI**2 @ n**2)
    return rattleback.state(stone.pose(-FIRST @ contact, FIRST, -FIRST @ np.cross([0, 0, spin], contact), [0, 0, spin]))


start = g.Start(*state(SPIN), t_end=1.6, rtol=1e-12, atol=1e-13)
drawing = mb.Drawing(rattleback, speed=0.25)


def spin_of(run):
    """The spin n·ω about the vertical n (N,), rad/s."""
    rates = {name: run[f"d_{name}"] for name in stone.coordinates}
    return sum(run[f"stone_R3{j}"] * w for j, w in zip((1, 2, 3), stone.angular_velocity(run, rates), strict=True))


def other_way():
    """The motion when it is spun the other way."""
    return g.simulate(system, *state(-SPIN), t_end=1.6, progress="none")


@g.needs(start.t_end)
def claims(run):
    back, on = np.min(spin_of(run)) + 2.9, np.max(spin_of(other_way())) + 2.5
    return [
        g.Claim("the spin of 3 rad/s turns into one the other way, of more than 2.9 rad/s", back, 0.0, "rad/s"),
        g.Claim("spun the other way the stone keeps its sense, with more than 2.5 rad/s", on, 0.0, "rad/s"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    t = np.linspace(0.0, run.t[-1], 700)
    axes.plot(t, spin_of(run.at(t)), label="spun one way")
    axes.plot(t, spin_of(other_way().at(t)), label="spun the other way")
    axes.set(xlabel="t / s", ylabel="spin about the vertical / rad s⁻¹")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
