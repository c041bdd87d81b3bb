"""The other claims of scenarios/geodesics_on_sphere.py.

A point of mass 1 kg moves on the unit sphere x² + y² + z² = 1 (m) without applied forces. Its Lagrangian is the kinetic
energy, so it follows the geodesics of the Riemannian metric that the mass matrix defines, at constant speed. In the
spherical angles phi, theta (rad; z = cos theta) that metric is diag(sin² theta, 1). Known answer, with the speed c:

    r(t) = r₀ cos(ct) + (v₀/c) sin(ct),

a great circle in the plane with the normal r × v. The multiplier is constant, λ = −c²/2 (N/m): the reaction 2λr is the
centripetal force. Without forces the Zwang is half the squared acceleration, ½c⁴κ² at constant speed, where κ is the
curvature of the path: Gauss's principle becomes Hertz's principle of least curvature, and a great circle has the least
that a curve on the unit sphere can have, κ = 1 per metre.
"""

import numpy as np

import gauss as g
from scenarios.geodesics_on_sphere import DIRECTION, POINT, SPEED


def _angles(q, v, t):
    """(phi, theta) and their rates."""
    x, y, z = q
    rho = g.hypot(x, y)
    theta_dot = z * (x * v[0] + y * v[1]) / rho - rho * v[2]
    return [g.atan2(y, x), g.atan2(rho, z)], [(x * v[1] - y * v[0]) / rho**2, theta_dot]


minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: 0.5 * (g.sin(s[1]) ** 2 * s_dot[0] ** 2 + s_dot[1] ** 2),
    chart=lambda s, t: [g.sin(s[1]) * g.cos(s[0]), g.sin(s[1]) * g.sin(s[0]), g.cos(s[1])],
    inverse=_angles,
    text="spherical angles phi, theta with the metric diag(sin² theta, 1)",
)


def claims(run):
    speed = np.linalg.norm(run.v, axis=1)
    normal = np.cross(run.q, run.v)
    drift = len(run) * run.about.rtol
    return [
        g.Claim("the speed is constant", g.relative(speed, SPEED), drift, "N steps that err by rtol each"),
        g.Claim(
            "the plane of the motion is constant: its normal r × v",
            g.relative(normal, SPEED * np.cross(POINT, DIRECTION)),
            drift,
            "N steps that err by rtol each",
        ),
    ]
