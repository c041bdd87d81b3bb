"""The other claims of scenarios/boltzmann_hamel_cart.py.

A platform of mass m = 5 kg and moment of inertia J = 0.6 kg m² about its mass centre rides on two thin wheels, each of
mass m_w = 0.8 kg, radius r = 0.15 m and half track d = 0.25 m from the middle of the common axle, with moments of
inertia J_a = ½m_w r² about the axle and J_d = ¼m_w r² about a diameter. The mass centre lies a = 0.2 m ahead of the
axle (a castor carries the rest of the weight without friction). The coordinates are the middle of the axle x, y (m),
the heading phi and the angles of rotation left, right (rad) of the wheels, which roll without slip:

    −sin(phi) ẋ + cos(phi) ẏ = 0,   cos(phi) ẋ + sin(phi) ẏ ∓ d φ̇ − r θ̇ = 0   (− left, + right).

(The difference of the last two is integrable, 2d phi = r(right − left) + const; the other two combinations are not.)
With the speed u along the heading and ω, the velocity of phi, the equations of motion are

    M u̇ = maω²,   N ω̇ = −mauω,   M = m + 2m_w + 2J_a/r²,   N = J + ma² + 2J_d + 2m_w d² + 2J_a d²/r²,

those of Chaplygin's sleigh with the inertia of the wheels added. With MU² = Mu² + Nω², W = U√(M/N), k = maU/N,

    u = U tanh s,   ω = W/cosh s,   s = k(t + t₀),   phi = (2W/k) arctan(tanh(s/2)) + const.

The matrix form takes the bodies one by one, each with the velocity of its mass centre and its angular velocity, and
quasi-velocities at will: here u and ω, then the velocities of the two wheels. The slip velocities are the vanishing
ones. Maggi's and Voronets' equations are other faces of it, and quasi-velocities that are derivatives of coordinates
make the three-index symbols vanish and the equations Lagrange's.
"""

import numpy as np

import gauss as g
from gauss.formulations import RigidBody, boltzmann_hamel, minimal_acceleration, voronets
from scenarios.boltzmann_hamel_cart import (
    ALONG,
    AXIAL,
    DIAMETRAL,
    OMEGA0,
    PHI0,
    PLATFORM,
    SIDES,
    TURNING,
    U0,
    WHEEL,
    A,
    D,
    J,
    R,
    free_velocities,
    kinetic_energy,
    speed_and_turning,
    system,
)


def rolling(q):
    cos, sin = g.cos(q[2]), g.sin(q[2])
    return [
        [-sin, cos, 0.0, 0.0, 0.0],
        [cos, sin, SIDES["left"] * D, -R, 0.0],
        [cos, sin, SIDES["right"] * D, 0.0, -R],
    ]


sliding = g.System("the same cart on ice", coordinates=system.coordinates, kinetic_energy=kinetic_energy)


class Exact:
    """The closed form for the start above."""

    def __init__(self):
        self.U = np.sqrt(U0**2 + TURNING * OMEGA0**2 / ALONG)
        self.W, self.k = self.U * np.sqrt(ALONG / TURNING), PLATFORM * A * self.U / TURNING
        self.t0 = np.arctanh(U0 / self.U) / self.k

    def speed(self, t):
        """Speed u along the heading."""
        return self.U * np.tanh(self.k * (t + self.t0))

    def omega(self, t):
        """Angular velocity."""
        return self.W / np.cosh(self.k * (t + self.t0))

    def angles(self, t):
        """Heading and rotations of the wheels (3, N)."""
        s, s0 = self.k * (t + self.t0), self.k * self.t0
        turned = 2 * self.W / self.k * (np.arctan(np.tanh(s / 2)) - np.arctan(np.tanh(s0 / 2)))
        way = self.U / self.k * np.log(np.cosh(s) / np.cosh(s0))
        return np.array([PHI0 + turned, (way - D * turned) / R, (way + D * turned) / R])


def wheel(name, place):
    """One wheel: velocity of its centre along and across the heading, rotation about heading, axle and vertical."""
    side = SIDES[name]

    def velocity(q, v, t):
        cos, sin = np.cos(q[2]), np.sin(q[2])
        return [cos * v[0] + sin * v[1] + side * D * v[2], -sin * v[0] + cos * v[1], 0.0]

    # the axes turn with the cart, not with the wheel: a wheel is symmetric, so they are principal axes too
    inertia = (DIAMETRAL, AXIAL, DIAMETRAL)
    return RigidBody(WHEEL, inertia, velocity, lambda q, v, t: [0.0, v[place], v[2]], name=name)


def platform():
    """The platform, with the velocity of its mass centre in fixed axes."""

    def velocity(q, v, t):
        return [v[0] - A * v[2] * np.sin(q[2]), v[1] + A * v[2] * np.cos(q[2]), 0.0]

    return RigidBody(PLATFORM, (J, J, J), velocity, lambda q, v, t: [0.0, 0.0, v[2]], name="platform")


BODIES = [platform(), wheel("left", 3), wheel("right", 4)]


def wheel_speeds(q, t):
    """α with the rates of the wheels as free quasi-velocities."""
    return [[0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0], *rolling(q)]


def place_in_cart_axes(q, t):
    """α whose rows are differentials: of the place in axes parallel to the cart, phi, sum and difference of angles."""
    cos, sin = np.cos(q[2]), np.sin(q[2])
    return [
        [cos, sin, -q[0] * sin + q[1] * cos, 0.0, 0.0],
        [-sin, cos, -q[0] * cos - q[1] * sin, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0, 1.0],
        [0.0, 0.0, 0.0, 1.0, -1.0],
    ]


def solved(q, t):
    """ẋ, ẏ and the rate of the left wheel from phi's and the right wheel's: Voronets' form."""
    cos, sin = np.cos(q[2]), np.sin(q[2])
    return [[-D * cos, R * cos], [-D * sin, R * sin], [-2 * D / R, 1.0]]


def energy(q, v, t):
    """Kinetic energy as the witnesses want it."""
    return kinetic_energy(q, v)


def samples(run):
    """Nine states of the motion with their accelerations."""
    index = np.linspace(0, len(run) - 1, 9).astype(int)
    return list(zip(run.q[index], run.v[index], run.a[index], strict=True))


def agreement(words, found, expected):
    """Claim that accelerations agree to rounding, relative to the largest."""
    return g.Claim(words, g.relative(found, expected), 1e-11, "rounding: 100·eps·(condition of M, 400)")


def closed_form_claims(run):
    exact = Exact()
    truncation = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    angles = run.q[:, 2:].T
    return [
        g.Claim("heading and rotations of the wheels", g.relative(angles, exact.angles(run.t)), 1e-9, truncation),
    ]


def rolling_claims(run):
    """Boltzmann-Hamel in two choices of quasi-velocities, Maggi and Voronets along the motion."""
    states, a = samples(run), [a for _, _, a in samples(run)]
    by_speed = [boltzmann_hamel(BODIES, speed_and_turning, q, free_velocities(q, v)) for q, v, _ in states]
    by_wheels = [boltzmann_hamel(BODIES, wheel_speeds, q, v[3:]) for q, v, _ in states]
    u, omega = np.array([e.omega for e in by_speed]).T
    reduced = np.array([PLATFORM * A * omega**2 / ALONG, -PLATFORM * A * u * omega / TURNING]).T
    of_voronets = [voronets(energy, solved, (2, 4), q, v, 0.0) for q, v, _ in states]
    return [
        agreement("Boltzmann-Hamel with u and ω agrees with Gauss", [e.a for e in by_speed], a),
        agreement("Boltzmann-Hamel with the rates of the wheels agrees with Gauss", [e.a for e in by_wheels], a),
        agreement("A ω̇ = B are the two equations of motion above", [e.omega_dot for e in by_speed], reduced),
        agreement("Voronets' equations agree with Gauss", of_voronets, a),
    ]


def sliding_claims(run):
    """The same cart without its wheels' grip, in quasi-velocities that are derivatives of coordinates."""
    states = [(q, v) for q, v, _ in samples(run)]
    free = [boltzmann_hamel(BODIES, place_in_cart_axes, q, np.array(place_in_cart_axes(q, 0)) @ v) for q, v in states]
    gauss = [g.accelerate(sliding, list(q), list(v)).a for q, v in states]
    lagrange = [minimal_acceleration(energy, q, v, 0.0) for q, v in states]
    return [
        g.Claim(
            "quasi-velocities that are derivatives of coordinates have Γ = 0",
            max(float(np.max(np.abs(e.frame.Gamma))) for e in free),
            1e-12,
            "rounding; the rows of α are of size 1, their derivatives too",
        ),
        agreement("on ice, Boltzmann-Hamel with Γ = 0 agrees with Gauss", [e.a for e in free], gauss),
        agreement("and with Lagrange's equations of the second kind", [e.a for e in free], lagrange),
    ]


def claims(run):
    return [*closed_form_claims(run), *rolling_claims(run), *sliding_claims(run)]
