"""The other claims of scenarios/ball_on_turntable.py.

A homogeneous ball of mass m = 1 kg, radius r = 0.1 m and moment of inertia I = ⅖mr² rolls without slip on a horizontal
table that turns with Ω = 3 rad/s about the origin. Its centre is above the point x, y (m) of the space-fixed plane, its
angular velocity is (ω_x, ω_y, ω_z) in space-fixed axes. The point of the ball in contact moves with the table where

    ẋ − rω_y = −Ωy,   ẏ + rω_x = Ωx,

two Pfaffian rows with an offset. Friction and its moment give ẍ = −nẏ, ÿ = nẋ: a circle about the point
(x₀ − ẏ₀/n, y₀ + ẋ₀/n), with the angular velocity

    n = Ω/(1 + mr²/I) = (2/7) Ω   (a hollow ball with I = ⅔mr²: (2/5) Ω),

whatever the start, so that the ball returns after 2π/n = 7.330383 s. The friction has the constant size mn|v|
(N; (λ₁, λ₂) = mn(−ẏ, ẋ)). The spin ω_z stays as it is.

The coordinates px, py, pz (rad) have ω_x, ω_y, ω_z as their velocities. They are quasi-coordinates: no function of the
orientation of the ball has these velocities. They may be used here, because for a homogeneous ball the moment is
exactly I dω/dt (the gyroscopic term ω × Iω vanishes, and with it the extra terms of the Boltzmann-Hamel equations),
while the Zwang and the rows contain ω and its derivative only, and neither forces nor rows depend on the orientation.
For a body with different principal moments of inertia this would be wrong.
"""

import numpy as np

import gauss as g
from scenarios.ball_on_turntable import OMEGA, PERIOD, Q0, RATE, SPIN, V0, R, circle, rolling_start, start, system


@g.needs(start.t_end)
def claims(run):
    size = float(np.max(np.abs(circle(run.t))))
    half = run.at(PERIOD / 2)
    opposite = np.array([Q0[0] - 2 * V0[1] / RATE, Q0[1] + 2 * V0[0] / RATE])
    mass = system.parameters["m"]
    hollow = system.with_parameters(I=2 / 3 * mass * R**2)
    slower = g.simulate(hollow, start.q, start.v, t_end=10.0, rtol=1e-12, progress="none")
    other = g.simulate(system, start.q, rolling_start((-0.4, 0.1)), t_end=PERIOD, rtol=1e-12, progress="none")
    friction = mass * RATE * np.array([-run["d_y"], run["d_x"]])
    found = np.array([run["rolling[0]"], run["rolling[1]"]])
    truncation = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
        g.Claim("and is opposite after half the time", g.relative(half.q[0, :2], opposite), 1e-9, truncation),
        g.Claim(
            "another start has the same period",
            float(np.max(np.abs(other.q[-1, :2] - Q0))) / size,
            1e-9,
            truncation,
        ),
        g.Claim(
            "a hollow ball goes round with (2/5) Ω",
            g.relative(np.array([slower["x"], slower["y"]]), circle(slower.t, 2 / 5 * OMEGA)),
            1e-9,
            truncation,
        ),
        g.Claim("friction is mn(−ẏ, ẋ)", g.relative(found, friction), 1e-12, "rounding, at each state"),
        g.Claim("the spin ω_z is constant", g.relative(run["d_pz"], SPIN), 1e-12, "rounding"),
    ]
