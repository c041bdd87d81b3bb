"""Closed forms of Kane and Levinson, Dynamics: Theory and Applications (1985), against models in other coordinates.

The right-hand sides are those that the examples of PyDy assert (github.com/pydy/pydy, folder Kane1985/Chapter6, later
examples/Kane1985/Chapter6): Ex11.1.py and Ex11.2.py at commit e28904b73619718f7fd1bd52cc9ba245d5d9b424, Ex11.4.py at
d5141b14eff83bf8d09189f1069419d10c730ffe, Ex11.5.py at d4e0616eb7de7aa2426d52b2cf5c89843c78904f. The models know nothing
of them: particles and bodies have Cartesian coordinates at rest, and panes, rods, joints, an edge and rolling are rows.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy import cos, sin, tan

import gauss as g

STATES = 120
CLOSE = 1e-12  # relative to the sum of the sizes of the terms; conditions are below 1e3
NAMES = [f"r{i}{k}" for i in (1, 2, 3) for k in (1, 2, 3)]


def apart(found, terms):
    """|found − Σ terms| relative to Σ |terms|."""
    return abs(found - sum(terms)) / (sum(abs(x) for x in terms) + abs(found))


# ------------------------------------------------------------------ Ex. 11.1 and 11.2: particles between turning panes


def pane(omega, t):
    """B_x, A_y and B_z of the plane that turns with ω about the vertical, in coordinates at rest."""
    c, s = g.cos(omega * t), g.sin(omega * t)
    return [c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]


def dumbbell(edge):
    """Two particles on a rod between panes; with `edge`, the second one's velocity in the plane lies along the rod."""

    def gap(x, y, z):
        def function(q, p, t):
            _, _, normal = pane(p.omega, t)
            return q[x] * normal[0] + q[y] * normal[1] + q[z] * normal[2]

        return function

    def across(q, p, t):
        """E_y = B_z × E_x."""
        _, _, n = pane(p.omega, t)
        e = [(q.x2 - q.x1) / p.L, (q.y2 - q.y1) / p.L, (q.z2 - q.z1) / p.L]
        return [n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2], n[0] * e[1] - n[1] * e[0]]

    def blade(q, p, t):
        return dict(zip(("x2", "y2", "z2"), across(q, p, t), strict=True))

    def carried(q, p, t):
        """−E_y · (ω A_y × P₂), the part of the velocity that the plane itself has."""
        e = across(q, p, t)
        return -p.omega * (e[0] * q.z2 - e[2] * q.x2)

    return g.System(
        "particles between panes",
        "x1 y1 z1 x2 y2 z2",
        kinetic_energy=lambda v, p: (
            0.5 * p.m1 * (v.x1**2 + v.y1**2 + v.z1**2) + 0.5 * p.m2 * (v.x2**2 + v.y2**2 + v.z2**2)
        ),
        potential_energy=lambda q, p: p.g * (p.m1 * q.y1 + p.m2 * q.y2),
        constraints=[
            g.Holonomic("first between panes", gap(0, 1, 2)),
            g.Holonomic("second between panes", gap(3, 4, 5)),
            g.Holonomic("rod", lambda q, p: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 + (q.z2 - q.z1) ** 2 - p.L**2),
            *([g.Pfaffian("edge", blade, carried)] if edge else []),
        ],
        parameters={"m1": 1.0, "m2": 2.0, "L": 1.0, "omega": 1.0, "g": 9.81},
    )


def dumbbell_state(rng, p, edge):
    """Kane's q and their rates, then (q, v, t) of the particles."""
    q1, q2, q3, d1, d2, d3 = rng.normal(size=6)
    if edge:
        d3 = (d1 * sin(q3) - d2 * cos(q3)) / p["L"]
    t = rng.uniform(-3.0, 3.0)
    bx, by, bz = (np.array(x, dtype=float) for x in pane(p["omega"], t))
    ex, ey = cos(q3) * bx + sin(q3) * by, -sin(q3) * bx + cos(q3) * by
    spin = p["omega"] * by
    first, second = q1 * bx + q2 * by, q1 * bx + q2 * by + p["L"] * ex
    fast = d1 * bx + d2 * by + np.cross(spin, first)
    faster = d1 * bx + d2 * by + p["L"] * d3 * ey + np.cross(spin, second)
    return (q1, q2, q3), np.concatenate([first, second]), np.concatenate([fast, faster]), t, bz


def quasi_velocities(q, v, a, normal, p):
    """u and u̇ from positions, velocities and accelerations in space: u₁, u₂ of P₁ along the rod and across, u₃ = q̇₃."""
    (p1, p2), (v1, v2), (a1, a2) = (np.split(x, 2) for x in (q, v, a))
    ex, ex_dot = (p2 - p1) / p["L"], (v2 - v1) / p["L"]
    normal_dot = np.cross([0.0, p["omega"], 0.0], normal)
    ey = np.cross(normal, ex)
    ey_dot = np.cross(normal_dot, ex) + np.cross(normal, ex_dot)
    u = [v1 @ ex, v1 @ ey, (v2 - v1) @ ey / p["L"]]
    rates = [
        a1 @ ex + v1 @ ex_dot,
        a1 @ ey + v1 @ ey_dot,
        ((a2 - a1) @ ey + (v2 - v1) @ ey_dot) / p["L"],
    ]
    return u, rates


def with_random(system, rng):
    """The system with random parameters, and these."""
    values = {name: float(rng.uniform(0.4, 2.5)) for name in system.parameters}
    return system.with_parameters(**values), values


def free_terms(q, u, p):
    """Ex. 11.1, the terms of u̇₁, u̇₂, u̇₃."""
    q1, _, q3 = q
    share, w2 = p["L"] * p["m2"] / (p["m1"] + p["m2"]), p["omega"] ** 2
    return [
        [-p["g"] * sin(q3), w2 * q1 * cos(q3), u[1] * u[2], w2 * cos(q3) ** 2 * share, u[2] ** 2 * share],
        [-p["g"] * cos(q3), -w2 * q1 * sin(q3), -u[2] * u[0]],
        [-w2 * sin(q3) * cos(q3)],
    ]


def edge_terms(q, u, p):
    """Ex. 11.2, the terms of u̇₁, u̇₂."""
    q1, _, q3 = q
    total, w2, L = p["m1"] + p["m2"], p["omega"] ** 2, p["L"]
    return [
        [
            -p["g"] * sin(q3),
            w2 * q1 * cos(q3),
            p["m2"] * L * w2 * cos(q3) ** 2 / total,
            -p["m1"] * u[1] ** 2 / L / total,
        ],
        [-p["g"] * cos(q3), -w2 * q1 * sin(q3), u[0] * u[1] / L],
    ]


@pytest.mark.long
@pytest.mark.parametrize(("edge", "terms"), [(False, free_terms), (True, edge_terms)], ids=["11.1", "11.2"])
def test_particles_between_turning_panes_have_the_accelerations_of_kane(edge, terms):
    rng, system = np.random.default_rng(11), dumbbell(edge)
    worst = 0.0
    for _ in range(STATES):
        model, p = with_random(system, rng)
        kane_q, q, v, t, normal = dumbbell_state(rng, p, edge)
        a = g.accelerate(model, q, v, t).a
        u, rates = quasi_velocities(q, v, a, normal, p)
        if edge:
            assert abs(u[2] + u[1] / p["L"]) < 1e-13 * (1.0 + abs(u[2]))
        expected = terms(kane_q, u, p)
        worst = max(worst, *(apart(x, y) for x, y in zip(rates[: len(expected)], expected, strict=True)))
    assert worst < CLOSE


# ------------------------------------------------------------------ Ex. 11.4: a cart on two wheels, on a slope


def cart():
    """A body and two wheels, each with coordinates of its own in the plane, hinged and rolling.

    y and z lie in the plane, with z down the slope; turns h are about the normal, s are the wheels' own rotations.
    """
    bodies = "ya za h yb zb hb sb yc zc hc sc"

    def kinetic(v, p):
        wheels = p.mB * (v.yb**2 + v.zb**2 + v.yc**2 + v.zc**2)
        wheels += p.K * (v.hb**2 + v.hc**2) + p.J * (v.sb**2 + v.sc**2)
        return 0.5 * (p.mA * (v.ya**2 + v.za**2) + p.IA * v.h**2 + wheels)

    def pushed(q, p):
        """The force (Q₂, Q₃) in the body's axes at the distance f ahead of the axle, on the body."""
        c, s = g.cos(q.h), g.sin(q.h)
        return {"ya": p.Q2 * c - p.Q3 * s, "za": p.Q2 * s + p.Q3 * c, "h": (p.f - p.a) * p.Q3}

    def axle(y, z, side):
        """The wheel's centre is at −a ahead of the body's and ±b to its side."""
        return lambda q, p: [
            q[y] - q.ya + p.a * g.cos(q.h) - side * p.b * g.sin(q.h),
            q[z] - q.za + p.a * g.sin(q.h) + side * p.b * g.cos(q.h),
        ]

    def roll(y, z, turn, spin):
        return lambda q, p: {y: g.cos(q[turn]), z: g.sin(q[turn]), spin: -p.R}

    return g.System(
        "cart",
        bodies,
        kinetic_energy=kinetic,
        potential_energy=lambda q, p: (
            -p.g * g.sin(p.theta) * (p.mA * q.za + p.mB * (q.zb + q.zc))  # z points down the slope
        ),
        force=pushed,
        constraints=[
            g.Holonomic("left axle", axle(3, 4, 1.0)),
            g.Holonomic("right axle", axle(7, 8, -1.0)),
            g.Holonomic("wheels turn with the body", lambda q: [q.hb - q.h, q.hc - q.h]),
            g.Pfaffian("left rolls", roll("yb", "zb", 5, "sb")),
            g.Pfaffian("right rolls", roll("yc", "zc", 9, "sc")),
            g.Pfaffian("no side slip", lambda q, p: {"ya": -g.sin(q.h), "za": g.cos(q.h), "h": -p.a}),
        ],
        parameters=dict.fromkeys(("a", "b", "f", "g", "mA", "mB", "IA", "K", "J", "R", "theta", "Q2", "Q3"), 1.0),
    )


def test_cart_on_two_wheels_has_the_accelerations_of_kane():
    rng, system = np.random.default_rng(4), cart()
    worst = 0.0
    for _ in range(STATES):
        model, p = with_random(system, rng)
        y, z, h, s, r, u1, u2 = rng.normal(size=7)
        along, across = np.array([cos(h), sin(h)]), np.array([-sin(h), cos(h)])
        a, b, hub = p["a"], p["b"], np.array([y, z])
        q, v = [], []
        for place, speed, rest in (
            (hub + a * along, u2 * along + a * u1 * across, ((h, u1),)),
            (hub - b * across, (u2 + b * u1) * along, ((h, u1), (s, (u2 + b * u1) / p["R"]))),
            (hub + b * across, (u2 - b * u1) * along, ((h, u1), (r, (u2 - b * u1) / p["R"]))),
        ):
            q += [*place, *(x for x, _ in rest)]
            v += [*speed, *(x for _, x in rest)]
        acceleration = g.accelerate(model, q, v).a
        hub_a = acceleration[:2] - a * acceleration[2] * across + a * u1**2 * along
        rates = [acceleration[2], hub_a @ along + u2 * along @ across * u1]
        mass, inertia = p["mA"] + 2 * p["mB"] + 2 * p["J"] / p["R"] ** 2, p["IA"] + 2 * p["K"] + p["mA"] * a**2
        inertia += 2 * p["J"] * b**2 / p["R"] ** 2 + 2 * p["mB"] * b**2
        weight = p["g"] * sin(p["theta"])
        terms = [  # with M e = m_A a and M = m_A + 2 m_B, as the weights of the three bodies have it
            [p["f"] * p["Q3"], weight * p["mA"] * a * cos(h), -p["mA"] * a * u1 * u2],
            [p["Q2"], weight * (p["mA"] + 2 * p["mB"]) * sin(h), p["mA"] * a * u1**2],
        ]
        for rate, parts, over in zip(rates, terms, (inertia, mass), strict=True):
            worst = max(worst, apart(rate, [x / over for x in parts]))
    assert worst < CLOSE


# ------------------------------------------------------------------ Ex. 11.5: a disc with its rotation matrix


def disc():
    """A thin disc with its centre and its rotation matrix as coordinates; the third column has no inertia.

    T = ½ tr(Ṙ K Ṙᵀ) with K = ½ tr(J) 1 − J = mr² diag(¼, ¼, 0).
    """

    def matrix(q):
        return [[q[f"r{i}{k}"] for k in (1, 2, 3)] for i in (1, 2, 3)]

    def orthonormal(q):
        R = matrix(q)
        pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
        return [sum(R[k][i] * R[k][j] for k in range(3)) - float(i == j) for i, j in pairs]

    def steep(q):
        """The sine of the angle between the plane of the disc and the ground."""
        return g.sqrt(1.0 - q.r33**2)

    def rolling(q, p):
        """ẋ + (Ṙ Rᵀ ρ)_x and the same for y, with ρ = −r (ẑ − n_z n)/|·| from the centre to the point of contact."""
        R = matrix(q)
        n = [R[i][2] for i in range(3)]
        down = [-p.r * (float(i == 2) - n[2] * n[i]) / steep(q) for i in range(3)]
        body = [sum(R[i][k] * down[i] for i in range(3)) for k in range(3)]
        return [
            {name: 1.0, f"r{row}1": body[0], f"r{row}2": body[1], f"r{row}3": body[2]}
            for name, row in (("x", 1), ("y", 2))
        ]

    return g.System(
        "disc with its rotation matrix",
        ["x", "y", "z", *NAMES],
        kinetic_energy=lambda v, p: (
            0.5 * p.m * (v.x**2 + v.y**2 + v.z**2)
            + 0.125 * p.m * p.r**2 * sum(v[f"r{i}{k}"] ** 2 for i in (1, 2, 3) for k in (1, 2))
        ),
        potential_energy=lambda q, p: p.m * p.g * q.z,
        constraints=[
            g.Holonomic("orthonormal", orthonormal),
            g.Holonomic("on the ground", lambda q, p: q.z - p.r * steep(q)),
            g.Pfaffian("rolling", rolling),
        ],
        parameters={"m": 1.0, "r": 1.0, "g": 9.81},
    )


def hat(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


@pytest.mark.long
def test_disc_with_its_rotation_matrix_has_the_accelerations_of_kane():
    rng, system = np.random.default_rng(5), disc()
    worst = 0.0
    for _ in range(STATES):
        model, p = with_random(system, rng)
        q1, q2, q3 = rng.uniform(-1.2, 1.2, 3)
        u = rng.normal(size=3)
        bx, ahead, up = np.array([cos(q1), sin(q1), 0.0]), np.array([-sin(q1), cos(q1), 0.0]), np.array([0.0, 0.0, 1.0])
        by, bz = sin(q2) * ahead + cos(q2) * up, sin(q2) * up - cos(q2) * ahead
        B = np.array([bx, by, bz]).T
        R = B @ [[cos(q3), -sin(q3), 0.0], [sin(q3), cos(q3), 0.0], [0.0, 0.0, 1.0]]
        omega, frame = B @ u, u[1] / cos(q2) * up + u[0] * bx
        v = np.cross(omega, p["r"] * by)
        place = np.array([*rng.normal(size=2), p["r"] * cos(q2)])
        a = g.accelerate(model, [*place, *R.ravel()], [*v, *(hat(omega) @ R).ravel()]).a
        turning = a[3:].reshape(3, 3) @ R.T - hat(omega) @ hat(omega)  # R̈ Rᵀ = α̂ + ω̂ω̂
        alpha = 0.5 * np.array(
            [turning[2, 1] - turning[1, 2], turning[0, 2] - turning[2, 0], turning[1, 0] - turning[0, 1]]
        )
        rates = [alpha @ b + omega @ np.cross(frame, b) for b in (bx, by, bz)]
        terms = [
            [u[1] ** 2 * tan(q2) / 5, -6 * u[1] * u[2] / 5, -4 * p["g"] * sin(q2) / (5 * p["r"])],
            [2 * u[2] * u[0], -u[0] * u[1] * tan(q2)],
            [2 * u[0] * u[1] / 3],
        ]
        worst = max(worst, *(apart(x, y) for x, y in zip(rates, terms, strict=True)))
    assert worst < CLOSE
