"""A pendulum on a dry pin: its swings fall by the same angle each time, and it stops beside its lowest position.

A pendulum (m = 2 kg, J = 0.03 kg m² about the centre of mass, which is l = 0.25 m from the pin) hangs on a pin of the
radius r = 10 mm in a hole that is hardly larger, with the friction coefficients μ_s = 0.3 > μ_k = 0.25. The pin touches
the hole at one place, with the normal force p and the friction μp. Together they are the force λ of the joint,
|λ| = p √(1 + μ²), and the torque about the centre of the pin is r μ p = c |λ|, c = r μ/√(1 + μ²): against the rate
while it swings, and up to c_s |λ| at rest. It starts at rest at θ₀ = 0.3 rad.

Known answers:

* the angle θ of the pendulum obeys (J + ml²) θ̈ = −m g l sin θ − σ c_k |λ|, σ the sign of θ̇, with
  λ = m (l θ̈ cos θ − l θ̇² sin θ, l θ̈ sin θ + l θ̇² cos θ + g), a quadratic equation for θ̈ in each state. SciPy
  integrates it from one turning point to the next;
* in small swings |λ| is m g, but for squares of the angle, and the swings fall by 2c_k/l each time: Coulomb friction
  makes a straight envelope, where a viscous one would make an exponential;
* it stays where it turns with l |sin θ| ≤ c_s, the force m g then being carried within the radius c_s about the pin
  (the friction circle);
* the energy falls by the work of the torque, −∫ c_k |λ| |θ̇| dt.
"""

from functools import lru_cache

import numpy as np
from scipy.integrate import solve_ivp

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
drawing = mb.Drawing(
    pendulum,
    shapes={bob: [mb.shapes.Segment([(0, 0), (0, -L)]), mb.shapes.Disc(0.04, (0, -L))]},
)


def acceleration(theta, rate, sign):
    """θ̈ (rad/s²) of a swing that way, by the quadratic equation in the docstring."""
    along, across = np.array([np.cos(theta), np.sin(theta)]), np.array([-np.sin(theta), np.cos(theta)])
    u, k = M * L * rate**2 * across + np.array([0.0, M * G]), M * L * along
    about, weight = J + M * L**2, M * G * L * np.sin(theta)
    a, b, c = about**2 - C**2 * (k @ k), about * weight - C**2 * (u @ k), weight**2 - C**2 * (u @ u)
    return (-b - sign * np.sqrt(b**2 - a * c)) / a


@lru_cache(maxsize=1)
def swings():
    """Times (s) and angles (rad) of all turning points, the start being the first and the rest the last."""
    t, theta, found = 0.0, THETA, [(0.0, THETA)]
    while L * abs(np.sin(theta)) > C_STATIC:
        sign = -np.sign(theta)

        def rates(_, y, sign=sign):
            return [y[1], acceleration(y[0], y[1], sign)]

        def turning(_, y, sign=sign):
            return sign * y[1]

        turning.terminal, turning.direction = True, -1
        options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}
        away = solve_ivp(rates, (t, t + 0.1), [theta, 0.0], **options)
        back = solve_ivp(rates, (t + 0.1, t + 2.0), away.y[:, -1], events=turning, **options)
        t, theta = back.t[-1], back.y[0, -1]
        found.append((t, theta))
    return tuple(np.array(found).T)


def angle(run):
    return np.arctan2(run["bob_s"], run["bob_c"])


@g.needs(start.t_end)
def claims(run):
    times, angles = swings()
    turns = np.array([e.t for e in run.events if e.kind in ("slip", "stick")])
    mine = angle(run.at(turns))
    falls = -np.diff(np.abs(np.concatenate([[THETA], mine])))
    reason = "SciPy's solution of the equation by hand; 100 times rtol over the run"
    load, torque = np.hypot(run["pin[0]"], run["pin[1]"]), run["dry pin"]
    turning = run.t < turns[-1]
    return [
        g.Claim("the swings are as many", abs(len(turns) + 1 - len(times)), 0.0, "counted"),
        g.Claim("times of turning", float(np.max(np.abs(turns - times[1:]))), 1e-9, reason),
        g.Claim("angles of turning", float(np.max(np.abs(mine - angles[1:]))), 1e-9, reason),
        g.Claim("it stays where it stopped", abs(float(angle(run)[-1] - angles[-1])), 1e-9, reason),
        g.Claim(
            "each swing falls by 2c/l",
            float(np.max(np.abs(falls * L / (2.0 * C) - 1.0))),
            THETA**2,
            "the force of the pin differs from m g by squares of the angle",
        ),
        g.Claim(
            "it rests within the friction circle",
            max(0.0, L * abs(float(np.sin(angle(run)[-1]))) - C_STATIC),
            0.0,
            "statics; it has stopped for good",
        ),
        g.Claim(
            "torque over force while it swings",
            float(np.max(np.abs(np.abs(torque) / load / C - 1.0)[turning])),
            1e-12,
            "rounding",
        ),
        g.Claim(
            "energy lost is the work of friction",
            float(np.max(np.abs(run.energy - run.energy[0] - run.friction_work))),
            1e-9,
            "100 times rtol of the energy, 5 J",
        ),
    ]


def figure(run, figure):
    top, bottom = figure.subplots(2, 1, sharex=True)
    t = np.linspace(run.t[0], run.t[-1], 2000)
    dense = run.at(t)
    times, angles = swings()
    top.plot(t, angle(dense), lw=1.2, label="Gauss")
    top.plot(times, angles, "k.", ms=4, label="turning points by SciPy")
    period = 2 * np.pi * np.sqrt((J + M * L**2) / (M * G * L))
    fall = THETA - 2 * C / L * 2 * t / period
    shown = fall > 0.0
    for sign in (1.0, -1.0):
        top.plot(
            t[shown], sign * fall[shown], "--", color="0.5", lw=0.9, label="2c/l less each swing" if sign > 0 else None
        )
    rest = np.arcsin(C_STATIC / L)
    top.axhspan(-rest, rest, color="C2", alpha=0.2, lw=0, label="friction circle: rest")
    top.set(ylabel="angle / rad", title="pendulum on a dry pin", ylim=(-0.33, 0.33))
    top.legend(loc="upper right", fontsize=8, ncols=2)
    load = np.hypot(dense["pin[0]"], dense["pin[1]"])
    bottom.plot(t, 1e3 * dense["dry pin"], lw=1.0, label="torque of the pin")
    for sign, label in ((1.0, "limits ±c|λ| at rest"), (-1.0, None)):
        bottom.plot(t, 1e3 * sign * C_STATIC * load, ":", color="C3", lw=1.0, label=label)
    bottom.set(xlabel="t / s", ylabel="torque / N mm", ylim=(-80, 110))
    bottom.legend(loc="upper right", fontsize=8, ncols=2)


if __name__ == "__main__":
    g.main(__file__)
