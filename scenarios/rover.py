"""Rover with two driven wheels and a castor: a differential drive in joint coordinates, one tyre too many rows.

A body of 12 kg rests on two wheels of r = 0.15 m and 1 kg, b = 0.25 m to the left and right of its middle, and on a
smooth castor 0.3 m behind them, so that it stays level. The wheels roll without slip. Motors turn them with the torques
0.6 + 0.4 sin 2t on the left and 0.6 − 0.4 sin 2t on the right, less 0.3 N m s of friction in the hubs. In joint
coordinates it is a body with a place and a quaternion, and two angles; g = 9.81 m/s² along −z.

Known answers: with the rates p and q of the left and right wheel the body has the speed v = r(p + q)/2 and turns with
ω = r(q − p)/2b. With all masses and moments M v_dot − m c ω² is the sum of the torques over r, c the distance of the
mass centre from the axle: equations in quasi-velocities that SciPy integrates. Both tyres keep the axle from sliding
along itself: one of the rows is redundant.
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from gauss import bodies as mb

SOURCE = "TM ex. 8.3 for the rows of the wheels; equations in quasi-velocities by hand"

RADIUS, TRACK, CENTRE, CASTOR = 0.15, 0.25, 0.05, -0.3  # m, m (half), m ahead of the axle, m
BODY, WHEEL, HUB = 12.0, 1.0, 0.3  # kg, kg, N m s
Y = (0.0, 1.0, 0.0)

body = mb.Body("body", mb.box(BODY, (0.5, 0.35, 0.1), at=(CENTRE, 0, 0)))
wheels = [mb.Body(name, mb.disc(WHEEL, RADIUS, Y)) for name in ("left", "right")]
hubs = [
    mb.Revolute(f"{wheel.name}_hub", body, (0, side * TRACK, 0), wheel, (0, 0, 0), Y)
    for wheel, side in zip(wheels, (1, -1), strict=True)
]
tyres = [mb.RollingDisc(f"{wheel.name} tyre", wheel, RADIUS, axis=Y) for wheel in wheels]
castor = mb.PointOnSurface("castor", mb.GROUND, lambda x, y, z: z, body, (CASTOR, 0, -RADIUS))
motors = [
    mb.Motor("left motor", hubs[0], lambda t: 0.6 + 0.4 * g.sin(2 * t)),
    mb.Motor("right motor", hubs[1], lambda t: 0.6 - 0.4 * g.sin(2 * t)),
    *(mb.JointSpring(f"{hub.name} friction", hub, 0.0, damping=HUB) for hub in hubs),
]
rover = mb.Mechanism("rover", [body, *wheels], [*hubs, *tyres, castor], motors, coordinates="joint")
system = rover.system
start = g.Start(*rover.state(values={"body_z": RADIUS}), t_end=6.0)
drawing = mb.Drawing(rover, traces=[(body, (0, 0, -RADIUS))], planes=[((0, 0, 0), (0, 0, 1))], view=(35.0, -60.0))


def by_hand(times):
    """v, ω, x, y, heading (5, N) from the equations in quasi-velocities."""
    rolling = WHEEL * RADIUS**2 / 2  # kg m², of a wheel
    whole = BODY + 2 * WHEEL + 2 * rolling / RADIUS**2
    upright = BODY * ((0.5**2 + 0.35**2) / 12 + CENTRE**2)
    upright += 2 * (WHEEL * (TRACK**2 + RADIUS**2 / 4) + rolling * TRACK**2 / RADIUS**2)

    def slopes(t, w):
        v, turn, _, _, heading = w
        left, right = (0.6 - sign * 0.4 * np.sin(2 * t) - HUB * (v + sign * turn * TRACK) / RADIUS for sign in (-1, 1))
        faster = ((left + right) / RADIUS + BODY * CENTRE * turn**2) / whole
        sharper = ((right - left) * TRACK / RADIUS - BODY * CENTRE * turn * v) / upright
        return [faster, sharper, v * np.cos(heading), v * np.sin(heading), turn]

    return solve_ivp(slopes, (0.0, times[-1]), np.zeros(5), "DOP853", t_eval=times, rtol=1e-12, atol=1e-13).y


def claims(run):
    exact = by_hand(run.t)
    left, right = run["d_left_hub"], run["d_right_hub"]
    found = [RADIUS * (left + right) / 2, RADIUS * (right - left) / (2 * TRACK), run["body_x"], run["body_y"]]
    bound = 100 * len(run) * start.rtol
    redundant = 0.0 if g.classify(system, run.q[-1], run.v[-1], run.t[-1]).verdict == "redundant" else np.inf
    return [
        g.Claim("it drives and turns by the equations by hand", g.relative(found[:2], exact[:2]), bound, "N steps"),
        g.Claim("along their path", g.relative(found[2:], exact[2:4]), bound, "N steps that err by rtol each"),
        g.Claim("one tyre too many keeps the axle from sliding", redundant, 0.0, "both hold the same motion"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(0.0, run.t[-1], 600))
    axes.plot(dense["body_x"], dense["body_y"], label="axle's middle")
    axes.plot(*by_hand(dense.t)[2:4], "k:", label="by hand")
    axes.set(xlabel="x / m", ylabel="y / m", title="a differential drive", aspect="equal")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
