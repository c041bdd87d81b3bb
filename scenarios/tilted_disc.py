"""A disc that rolls and leans: steady circles, when they are stable, and a textbook's equations made from L and A.

A thin homogeneous disc of mass m = 1.4 kg and radius r = 0.35 m rolls on a horizontal plane without slip. It is a body
with twelve coordinates, the place of its centre and its rotation matrix, and nine rows: RᵀR = 1, the contact, two of
rolling. With the heading α, the lean β and the rotation γ (rad), I₁ = ¼mr² across the axle and I₃ = ½mr² about it
(kg m²), a steady circle of lean β, on which the heading turns at the rate Ω, asks for

    γ̇ = −((mr² + I₃ − I₁) Ω² sin β cos β + mgr sin β) / ((mr² + I₃) Ω cos β);

the point of contact goes round a circle of radius r|γ̇/Ω|. Rolling straight is stable from γ̇² = g/(3r) on. The motion
starts on a steady circle, but with β̇ = 0.6 rad/s. The textbook's equations and all stability limits are in the proof.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T21",)
SOURCE = "TM §9.1.4, (9.2); J. I. Nejmark, N. A. Fufajew, Dynamics of Nonholonomic Systems (1972)"

M, R, GRAVITY = 1.4, 0.35, 9.81  # kg, m, m/s²
I1, I3, MR2 = M * R**2 / 4, M * R**2 / 2, M * R**2  # kg m²
LEAN, TURNING, TILTING = 0.45, -2.2, 0.6  # rad, rad/s, rad/s

body = mb.Body("disc", mb.disc(M, R))  # its axle is the body's z-axis
contact = mb.RollingDisc("road", body, R)
rolling = mb.Mechanism("tilted disc", [body], [contact], gravity=(0, 0, -GRAVITY))
system = rolling.system


SPIN = -((MR2 + I3 - I1) * TURNING**2 * np.cos(LEAN) + M * GRAVITY * R) * np.tan(LEAN) / ((MR2 + I3) * TURNING)  # γ̇


def posed(heading, lean, rotation, turning, spin, tilting=0.0, place=(0.0, 0.0)):
    """q and v of a disc in contact at a place (m), with the rates of heading, rotation and lean (rad/s)."""
    _, across, up = np.eye(3)
    axes = mb.about(up, heading - np.pi / 2) @ mb.about(across, lean - np.pi / 2)
    omega, centre = turning * up + tilting * axes[:, 1] + spin * axes[:, 2], R * axes[:, 0] + np.array([*place, 0.0])
    turned = axes @ mb.about(up, rotation)
    return rolling.state(body.pose(centre, turned, np.cross(omega, R * axes[:, 0]), omega, axes="space"))


FAR = R * SPIN / TURNING  # m; the circle is about the origin
PLACE = (FAR * np.sin(0.4), -FAR * np.cos(0.4))
start = g.Start(*posed(0.4, LEAN, 0.3, TURNING, SPIN, TILTING, PLACE), t_end=5.0, rtol=1e-12, atol=1e-13)
drawing = mb.Drawing(rolling, traces=[contact.contact, (body, (0, 0, 0))], speed=0.5)


def axle(q):
    """Rotation of the disc about its axle."""
    return {f"disc_R{i}1": q[f"disc_R{i}2"] for i in (1, 2, 3)} | {f"disc_R{i}2": -q[f"disc_R{i}1"] for i in (1, 2, 3)}


def along(q):
    """Shift along x."""
    return {"disc_x": 1.0}


def rolling_straight(rate):
    """The square (1/s²) of the eigenvalue of a disc that rolls straight and wobbles."""
    state = posed(0.0, 0.0, 0.0, 0.0, rate)
    squares = g.linearize(system, *state, symmetry=[along, axle]).eigenvalues ** 2
    return squares[np.argmax(np.abs(squares))].real


def claims(run):
    limit, kept = np.sqrt(GRAVITY / (3 * R)), len(run) * start.rtol
    rates = np.array([0.8, 1.3]) * limit  # κ² of the wobble is linear in the square of the rate
    squares = [rolling_straight(rate) for rate in rates]
    slope = (squares[1] - squares[0]) / (rates[1] ** 2 - rates[0] ** 2)
    found = np.sqrt(rates[0] ** 2 - squares[0] / slope)
    return [
        g.Claim("rolling straight is stable from γ̇² = g/(3r)", abs(found / limit - 1), 1e-9, "exact derivatives"),
        g.Claim("energy is kept", g.relative(run.energy, run.energy[:1]), kept, "N steps that err by rtol each"),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    dense = run.at(np.linspace(0.0, run.t[-1], 600))
    x, y, _ = contact.contact(dense)
    left.plot(x, y)
    left.set(xlabel="x / m", ylabel="y / m", title="track on the plane", aspect="equal")
    right.plot(dense.t, np.degrees(np.arcsin(dense["disc_R33"])))
    right.axhline(np.degrees(LEAN), color="0.6", lw=1, ls="--")
    right.set(xlabel="t / s", ylabel="β / °", title="nutation about the steady lean (dashed)")


if __name__ == "__main__":
    g.main(__file__)
