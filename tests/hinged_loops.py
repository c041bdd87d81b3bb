"""Single loops of hinges that move though the count says they are rigid, with their motion to 40 digits.

Hinges are given in the closed position by points and axes in space; hinge i joins link i to link i + 1, and link 0 is
the ground. Links turn by exp(ξ θ) of their screws ξ = (w, p × w), so the loop closes where the product is one. With the
angle of one hinge as parameter s the energy ½ m(s) ṡ² + U(s) gives s̈ = −(½ m′ ṡ² + U′)/m.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import mpmath as mp
import numpy as np

from gauss import bodies as mb

DIGITS = 40
G = 9.81  # m/s²


def cross(a, b):
    return mp.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def dot(a, b):
    return mp.fsum(x * y for x, y in zip(a, b, strict=True))


def unit(a):
    return a / mp.sqrt(dot(a, a))


def turned(axis, angle):
    K = mp.matrix([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return mp.eye(3) + mp.sin(angle) * K + (1 - mp.cos(angle)) * K * K


def doubles(a):
    return tuple(float(x) for x in a)


@dataclass(frozen=True, eq=False)
class Loop:
    """Links with random inertia and random body axes."""

    points: tuple  # (n,) of (3,), m
    axes: tuple  # (n,) of (3,), unit vectors
    seed: int = 0

    @cached_property
    def links(self):
        """(mass, sides of the box, centre, body axes) of link i > 0."""
        rng = np.random.default_rng(self.seed)
        found = []
        for one, two in zip(self.points, self.points[1:], strict=False):
            middle = (one + two) / 2 + mp.matrix(0.1 * rng.normal(size=3))
            axes = turned(unit(mp.matrix(rng.normal(size=3))), mp.mpf(rng.uniform(0.0, 3.0)))
            found.append((rng.uniform(0.5, 2.0), rng.uniform(0.2, 0.6, 3), middle, axes))
        return found

    def places(self, angles):
        """Displacements (R, p) of links 0 … n − 1 from the closed position, and of the ground round the loop."""
        found = [(mp.eye(3), mp.zeros(3, 1))]
        for point, axis, angle in zip(self.points, self.axes, angles, strict=True):
            R, p = found[-1]
            own = turned(axis, angle)
            found.append((R * own, R * (point - own * point) + p))
        return found

    def screws(self, angles):
        """(w, v) of the hinges in space."""
        where = self.places(angles)
        moved = [(R * w, R * x + p) for (R, p), w, x in zip(where, self.axes, self.points, strict=False)]
        return [(w, cross(x, w)) for w, x in moved]

    def jacobian(self, angles):
        return mp.matrix([[*w, *v] for w, v in self.screws(angles)]).T

    @cached_property
    def rank(self):
        with mp.workdps(DIGITS):
            J = np.array(self.jacobian([mp.mpf(0)] * len(self.points)).tolist(), dtype=float)
        return int(np.linalg.matrix_rank(J, tol=1e-9))

    def rates(self, angles):
        """dθ/ds with s the first angle."""
        J = self.jacobian(angles)
        A, b = J[:, 1:], -J[:, 0]
        return [mp.mpf(1), *mp.lu_solve(A.T * A, A.T * b)]

    def pulled(self, directions):
        """The accelerations (n,) from rest in the closed position, if the angles can move along these (k, n) alone."""
        k, zero = len(directions), [mp.mpf(0)] * len(self.points)
        mass, force = mp.zeros(k), mp.zeros(k, 1)
        screws, twists = self.screws(zero), [(mp.zeros(3, 1), mp.zeros(3, 1))] * k
        for (m, sides, centre, axes), (dw, dv), *rates in zip(self.links, screws, *directions, strict=False):
            twists = [(w + dw * r, v + dv * r) for (w, v), r in zip(twists, rates, strict=True)]
            speeds = [v + cross(w, centre) for w, v in twists]
            squares = [mp.mpf(x) ** 2 for x in sides]
            moments = [m * (sum(squares) - x) / 12 for x in squares]
            turns = [axes.T * w for w, _ in twists]
            for i in range(k):
                force[i] -= m * mp.mpf(G) * speeds[i][2]
                for j in range(k):
                    mass[i, j] += m * dot(speeds[i], speeds[j])
                    mass[i, j] += mp.fsum(J * x * y for J, x, y in zip(moments, turns[i], turns[j], strict=True))
        shares = mp.lu_solve(mass, force)
        return doubles(mp.fsum(c * u[i] for c, u in zip(shares, directions, strict=True)) for i in range(len(zero)))

    def closed(self, angles, s):
        angles = [mp.mpf(s), *angles[1:]]
        for _ in range(40):
            R, p = self.places(angles)[-1]
            miss = mp.matrix([(R[2, 1] - R[1, 2]) / 2, (R[0, 2] - R[2, 0]) / 2, (R[1, 0] - R[0, 1]) / 2, *p])
            if max(abs(x) for x in miss) < mp.mpf(10) ** (5 - DIGITS):
                return angles
            A = self.jacobian(angles)[:, 1:]
            step = mp.lu_solve(A.T * A, -A.T * miss)
            angles = [angles[0], *(x + y for x, y in zip(angles[1:], step, strict=True))]
        raise AssertionError("the loop does not close")

    def inertia(self, angles):
        """m(s) and U(s)."""
        rates, screws = self.rates(angles), self.screws(angles)
        w, v, total, height = mp.zeros(3, 1), mp.zeros(3, 1), mp.mpf(0), mp.mpf(0)
        for (R, p), (mass, sides, centre, axes), (dw, dv), rate in zip(
            self.places(angles)[1:], self.links, screws, rates, strict=False
        ):
            w, v = w + dw * rate, v + dv * rate
            c = R * centre + p
            speed, own = v + cross(w, c), (R * axes).T * w
            squares = [mp.mpf(x) ** 2 for x in sides]
            moments = [mass * (sum(squares) - x) / 12 for x in squares]
            total += mass * dot(speed, speed) + mp.fsum(m * x**2 for m, x in zip(moments, own, strict=True))
            height += mass * mp.mpf(G) * c[2]
        return total, height

    def truth(self, rate, s=0.0):
        """Angles, rates and accelerations (n,) of the hinges where the first angle is s with the given rate."""
        with mp.workdps(DIGITS):
            angles = self.closed([mp.mpf(0)] * len(self.points), s)
            step = mp.mpf(10) ** (-DIGITS // 4)
            ahead, back = (self.closed(angles, angles[0] + x) for x in (step, -step))
            (m1, U1), (m0, U0), (m, _) = (self.inertia(x) for x in (ahead, back, angles))
            slope = ((m1 - m0) * mp.mpf(rate) ** 2 / 2 + U1 - U0) / (2 * step)
            along = self.rates(angles)
            bend = [(x - y) / (2 * step) for x, y in zip(self.rates(ahead), self.rates(back), strict=True)]
            a = [x * -slope / m + y * mp.mpf(rate) ** 2 for x, y in zip(along, bend, strict=True)]
            return angles, [x * mp.mpf(rate) for x in along], doubles(a)

    def mechanism(self, coordinates):
        """The mechanism, its links from the first on."""
        bodies = [mb.GROUND, *(mb.Body(f"link{i}", mb.box(m, s)) for i, (m, s, _, _) in enumerate(self.links, 1))]
        count, hinges = len(self.points), []
        with mp.workdps(DIGITS):
            for i, (point, axis) in enumerate(zip(self.points, self.axes, strict=True)):
                ends = []
                for k in (i, (i + 1) % count):
                    _, _, centre, own = (0, 0, mp.zeros(3, 1), mp.eye(3)) if k == 0 else self.links[k - 1]
                    ends.append((bodies[k], doubles(own.T * (point - centre)), doubles(own.T * axis)))
                (one, at1, axis1), (two, at2, axis2) = ends
                hinges.append(mb.Revolute(f"hinge{i}", one, at1, two, at2, axis1, axis2))
        return mb.Mechanism("loop", bodies[1:], hinges, coordinates=coordinates)

    def state(self, mechanism, angles, rates):
        """(q, v) of the mechanism."""
        poses = []
        with mp.workdps(DIGITS):
            w, v = mp.zeros(3, 1), mp.zeros(3, 1)
            for body, (R, p), (_, _, centre, own), (dw, dv), rate in zip(
                mechanism.bodies, self.places(angles)[1:], self.links, self.screws(angles), rates, strict=False
            ):
                w, v, c = w + dw * rate, v + dv * rate, R * centre + p
                turn = np.array((R * own).tolist(), dtype=float)
                poses.append(body.pose(doubles(c), turn, doubles(v + cross(w, c)), doubles(w), "space"))
        return mechanism.state(*poses)

    def accelerations(self, mechanism, found):
        """Accelerations by hinge (n,) of a verdict in joint coordinates, nan for the hinge that closes the loop."""
        known = dict(zip(mechanism.system.coordinates, found.a, strict=True))
        return np.array([known.get(f"hinge{i}", np.nan) for i in range(len(self.points))])


def chain(lengths, twists, angles):
    """The points and axes of hinges by Denavit and Hartenberg's parameters, offsets being zero."""
    T, points, axes = mp.eye(4), [], []
    for a, alpha, theta in zip(lengths, twists, angles, strict=True):
        c, s, ca, sa = mp.cos(theta), mp.sin(theta), mp.cos(alpha), mp.sin(alpha)
        points.append(T[:3, 3])
        axes.append(T[:3, 2])
        T = T * mp.matrix([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, 0], [0, 0, 0, 1]])
    assert max(abs(x) for x in T - mp.eye(4)) < mp.mpf(10) ** (5 - DIGITS)
    return tuple(points), tuple(axes)


def bennett(theta, alpha, beta, seed=0):
    """Bennett's loop of four hinges: links a, b = a sin β/sin α in turn, tan(θ/2) tan(φ/2) = K."""
    with mp.workdps(DIGITS):
        theta, alpha, beta = (mp.mpf(str(x)) for x in (theta, alpha, beta))
        b = mp.sin(beta) / mp.sin(alpha)
        K = mp.sin((beta + alpha) / 2) / mp.sin((beta - alpha) / 2)
        phi = 2 * mp.atan(K / mp.tan(theta / 2))
        return Loop(*chain([1, b, 1, b], [alpha, beta, alpha, beta], [theta, phi, -theta, -phi]), seed)


def plane_symmetric(draw, seed=0):
    """Bricard's plane-symmetric loop of six hinges."""
    rng = np.random.default_rng(draw)
    with mp.workdps(DIGITS):
        p2, p3, (p1, p4), (w2, w3, w1, w4) = (
            *rng.normal(size=(2, 3)),
            rng.normal(size=(2, 3)),
            rng.normal(size=(4, 3)),
        )
        p1[2] = p4[2] = w1[2] = w4[2] = 0.0
        mirror = np.array([1.0, 1.0, -1.0])
        points = [mp.matrix(x) for x in (p1, p2, p3, p4, mirror * p3, mirror * p2)]
        # the mirror image of a turn is the opposite turn about the image of its axis
        axes = [unit(mp.matrix(x)) for x in (w1, w2, w3, w4, mirror * w3, mirror * w2)]
        return Loop(tuple(points), tuple(axes), seed)


def sarrus(seed=0):
    """Sarrus' loop: three parallel hinges and three others across them lift a platform straight."""
    points = [(0, 1, 0), (0, "1.7", "0.8"), (0, 1, "1.6"), (1, 0, "1.6"), ("1.6", 0, "0.8"), (1, 0, 0)]
    with mp.workdps(DIGITS):
        axes = [mp.matrix([1, 0, 0])] * 3 + [mp.matrix([0, 1, 0])] * 3
        return Loop(tuple(mp.matrix([mp.mpf(x) for x in p]) for p in points), tuple(axes), seed)


def collapsed(seed=0):
    """Sarrus' loop where its platform lies on the ground and both legs are folded back on themselves."""
    points = [(0, 1, 0), (0, "2.1", 0), (0, 1, 0), (1, 0, 0), (2, 0, 0), (1, 0, 0)]
    with mp.workdps(DIGITS):
        axes = [mp.matrix([1, 0, 0])] * 3 + [mp.matrix([0, 1, 0])] * 3
        return Loop(tuple(mp.matrix([mp.mpf(x) for x in p]) for p in points), tuple(axes), seed)


def spherical(draw, seed=0):
    """Four hinges whose axes meet in a point."""
    rng = np.random.default_rng(draw)
    with mp.workdps(DIGITS):
        axes = [unit(mp.matrix(w)) for w in rng.normal(size=(4, 3))]
        return Loop(tuple(mp.zeros(3, 1) for _ in axes), tuple(axes), seed)


def bent_hyperboloid(loop, share):
    """A loop whose last axis is moved by a share among the lines that the others make: movable to first order only."""
    with mp.workdps(DIGITS):
        J, n = loop.jacobian([mp.mpf(0)] * len(loop.points)), len(loop.points) - 1
        others, last = J[:, :n], J[:, n]
        c = mp.lu_solve(others.T * others, others.T * last)
        c = c + mp.mpf(share) * mp.matrix([0.7, -0.4, 0.9, 0.5, -0.8][: len(c)])

        def screw(t):
            return others * (c + mp.matrix([0] * (len(c) - 1) + [t]))

        t = mp.findroot(lambda t: (x := screw(t))[0] * x[3] + x[1] * x[4] + x[2] * x[5], (0, mp.mpf(share)))
        w, v = screw(t)[:3], screw(t)[3:]
        axis = unit(w)
        foot = cross(w, v) / dot(w, w)
        foot = foot + axis * dot(loop.points[-1] - foot, axis)
        return Loop((*loop.points[:-1], foot), (*loop.axes[:-1], axis), loop.seed)
