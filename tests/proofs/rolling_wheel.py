"""The other claims of scenarios/rolling_wheel.py.

A thin homogeneous wheel of mass m = 3 kg and radius r = 0.4 m stays upright and rolls on a horizontal plane. The
coordinates are the point of contact x, y (m), the heading alpha (rad) and the angle of rotation beta (rad). It rolls
without slip, neither sideways nor lengthwise:

    sin(alpha) ẋ − cos(alpha) ẏ = 0,   cos(alpha) ẋ + sin(alpha) ẏ − r β̇ = 0.

The kinetic energy is ½m(ẋ² + ẏ²) + ½I₂β̇² + ½I₃α̇², with I₂ = ½mr² about the axle and I₃ = ¼mr² about the vertical
(kg m²). Neither angular velocity changes, β̇ = η and α̇ = ω (rad/s), so the wheel started at the origin along x goes
round

    x = (ηr/ω) sin ωt,   y = (ηr/ω)(1 − cos ωt),

a circle of radius |ηr/ω| (the source prints ηr/ω, which is the radius where η and ω have the same sign). The plane
holds the wheel on it by λ₁ = m(ẍ sin alpha − ÿ cos alpha) = −mηrω (N, across the wheel); along it λ₂ = 0.
"""

import numpy as np

import gauss as g
from scenarios.rolling_wheel import ETA, OMEGA, M, R, path_error, start, system


def claims(run):
    backwards = g.simulate(
        system, start.q, [-ETA * R, 0.0, OMEGA, -ETA], t_end=start.t_end, rtol=start.rtol, progress="none"
    )
    steps = np.array([0.2, 0.1, 0.05])
    errors = [
        path_error(g.simulate(system, start.q, start.v, t_end=10.0, method="rk4", step=h, progress="none"))
        for h in steps
    ]
    force = M * ETA * R * OMEGA
    closed = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
        g.Claim(
            "rolling backwards (η < 0) the circle lies on the other side", path_error(backwards, -ETA), 1e-9, closed
        ),
        g.Claim(
            "the reaction along the wheel vanishes",
            float(np.max(np.abs(run["no lengthwise slip"]))) / force,
            1e-9,
            "closed form, relative to the reaction across",
        ),
        g.Claim(
            "RK4 converges with order 4",
            abs(g.analysis.convergence_order(steps, errors) - 4.0),
            0.1,
            f"steps {steps[-2]:g} and {steps[-1]:g} s, errors {errors[-2]:.2g} and {errors[-1]:.2g}",
        ),
    ]
