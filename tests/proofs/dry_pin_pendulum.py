"""The other claims of scenarios/dry_pin_pendulum.py.

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
from scenarios.dry_pin_pendulum import C_STATIC, THETA, C, G, J, L, M, angle, start


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


@g.needs(start.t_end)
def claims(run):
    times, angles = swings()
    turns = np.array([e.t for e in run.events if e.kind in ("slip", "stick")])
    mine = angle(run.at(turns))
    reason = "SciPy's solution of the equation by hand; 100 times rtol over the run"
    load, torque = np.hypot(run["pin[0]"], run["pin[1]"]), run["dry pin"]
    turning = run.t < turns[-1]
    return [
        g.Claim("the swings are as many", abs(len(turns) + 1 - len(times)), 0.0, "counted"),
        g.Claim("times of turning", float(np.max(np.abs(turns - times[1:]))), 1e-9, reason),
        g.Claim("angles of turning", float(np.max(np.abs(mine - angles[1:]))), 1e-9, reason),
        g.Claim("it stays where it stopped", abs(float(angle(run)[-1] - angles[-1])), 1e-9, reason),
        g.Claim(
            "torque over force while it swings",
            float(np.max(np.abs(np.abs(torque) / load / C - 1.0)[turning])),
            1e-12,
            "rounding",
        ),
    ]
