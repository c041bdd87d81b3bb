"""Contact geometry of bodies, belts and joints with dry friction: against geometry by hand and closed forms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import brentq

import gauss as g
from gauss import bodies as mb
from gauss.analysis import friction_claims
from gauss.contact import contact_problem, in_space, solve_contacts

G = 9.81
STEP = 1e-4  # s, of central differences: their error is about STEP² times third derivatives of order one to ten
LOOSE = 1e-6


def solved(system, state):
    """The law of friction at a state, in the plane or in space."""
    system = getattr(system, "system", system)
    if in_space(system):
        return solve_contacts(contact_problem(system, *state))
    return solve_contacts(contact_problem(system, *state))


# ------------------------------------------------------------------ geometry by hand


def turn(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def nearest_on(point, start, end):
    """The point of a segment that is nearest to a point."""
    along = end - start
    return start + np.clip((point - start) @ along / (along @ along), 0.0, 1.0) * along


def corners_of(box, place, R):
    w, h = np.array(box.sides) / 2
    local = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) @ turn(box_angle(box)).T + np.array(box.centre)
    return place + local @ R.T


def box_angle(box):
    return np.arctan2(box.axes[0][1], box.axes[0][0])


def edges(corners):
    return [(corners[k], corners[(k + 1) % len(corners)]) for k in range(len(corners))]


def apart(one, place1, R1, two, place2, R2):
    """The distance of two separate shapes in the plane and the nearest points of both, by hand."""
    if isinstance(two, mb.HalfPlane):
        p, n = place2 + R2 @ two.through, R2 @ np.array(two.normal)
        tip = deepest(one, place1, R1, -n)
        return n @ (tip - p), tip, tip - (n @ (tip - p)) * n
    if isinstance(two, mb.Hole):
        c1, c2 = place1 + R1 @ one.centre, place2 + R2 @ two.centre
        away = (c1 - c2) / np.linalg.norm(c1 - c2)
        return two.radius - one.radius - np.linalg.norm(c1 - c2), c1 + one.radius * away, c2 + two.radius * away
    if isinstance(one, mb.Disc) and isinstance(two, mb.Disc):
        c1, c2 = place1 + R1 @ one.centre, place2 + R2 @ two.centre
        away = (c1 - c2) / np.linalg.norm(c1 - c2)
        return np.linalg.norm(c1 - c2) - one.radius - two.radius, c1 - one.radius * away, c2 + two.radius * away
    if isinstance(one, mb.Disc):
        c = place1 + R1 @ one.centre
        best = min((nearest_on(c, *e) for e in edges(corners_of(two, place2, R2))), key=lambda p: np.linalg.norm(p - c))
        return np.linalg.norm(best - c) - one.radius, c + one.radius * (best - c) / np.linalg.norm(best - c), best
    a, b = corners_of(one, place1, R1), corners_of(two, place2, R2)
    pairs = [(c, nearest_on(c, *e)) for c in a for e in edges(b)] + [
        (nearest_on(c, *e), c) for c in b for e in edges(a)
    ]
    best = min(pairs, key=lambda pair: np.linalg.norm(pair[0] - pair[1]))
    return np.linalg.norm(best[0] - best[1]), *best


def deepest(shape, place, R, along):
    """The point of a shape that lies farthest along a direction."""
    if isinstance(shape, mb.Disc):
        return place + R @ shape.centre + shape.radius * along
    corners = corners_of(shape, place, R)
    return corners[np.argmax(corners @ along)]


@dataclass
class Path:
    """A rigid motion in the plane: place and angle are quadratic in t."""

    x: np.ndarray  # (3, 3): place and angle, their rates, their second rates

    def pose(self, t):
        return self.x[0] + self.x[1] * t + self.x[2] * t * t / 2

    def at(self, t):
        x = self.pose(t)
        return x[:2], turn(x[2])

    def velocity(self, point, t):
        x, v = self.pose(t), self.x[1] + self.x[2] * t
        return v[:2] + v[2] * np.array([-(point - x[:2])[1], (point - x[:2])[0]])

    def coordinates(self):
        """q, v and a of a PlanarBody at t = 0."""
        (x, y, h), (vx, vy, w), (ax, ay, e) = self.x
        c, s = np.cos(h), np.sin(h)
        return [x, y, c, s], [vx, vy, -s * w, c * w], [ax, ay, -s * e - c * w * w, c * e - s * w * w]


PLANAR = [
    (mb.Disc(0.3, (0.1, -0.2)), mb.HalfPlane((0.2, -1.9), (0.3, 1.0))),
    (mb.Disc(0.3, (0.1, -0.2)), mb.Disc(0.5, (0.05, 0.1))),
    (mb.Disc(0.0, (0.3, 0.1)), mb.Disc(0.7)),
    (mb.Disc(0.2, (0.1, 0.0)), mb.Hole(6.0, (0.3, 0.2))),
    (mb.Disc(0.3, (0.1, -0.1)), mb.Box((0.9, 0.5), (0.1, 0.2), 0.4)),
    (mb.Box((0.6, 0.4), (0.1, 0.0), 0.2), mb.HalfPlane((0.0, -2.3), (-0.2, 1.0))),
    (mb.Box((0.6, 0.4), (0.1, 0.0), 0.2), mb.Box((0.9, 0.5), (-0.1, 0.1), -0.3)),
]


def two_bodies(shape1, shape2):
    bodies = mb.PlanarBody("a", 2.0, 0.3, (0.05, 0.1)), mb.PlanarBody("b", 3.0, 0.5, (-0.1, 0.02))
    part = mb.Touching("touch", bodies[0], shape1, bodies[1], shape2, friction=0.4)
    return mb.Mechanism("two bodies", bodies, [part], gravity=(0, 0)), part


@pytest.mark.parametrize("k", range(len(PLANAR)))
def test_planar_gaps_and_slips_have_the_rates_of_geometry_by_hand(k):
    """Gap, ġ = N v, g̈ = N a − ν, slip, ṡ = T a − τ, at random motions, and no net force or torque on the pair."""
    rng = np.random.default_rng(k)
    one, two = PLANAR[k]
    mechanism, part = two_bodies(one, two)
    system = mechanism.system
    rows = [system.row_names.index(row) for row in part.rows]
    slips = [system.row_names.index(f"slip of {row}") for row in part.rows]
    for _ in range(6):
        far = rng.uniform(0, 2 * np.pi)
        start = 0.2 * rng.normal(size=3) + (1.9 * np.cos(far), 1.9 * np.sin(far), 3 * rng.normal())
        if isinstance(two, mb.HalfPlane):
            start[:2] = 0.1 * rng.normal(size=2)
        other = np.array([*(0.1 * rng.normal(size=2)), (0.2 if isinstance(two, mb.HalfPlane) else 3.0) * rng.normal()])
        paths = [Path(np.array([x, rng.normal(size=3), rng.normal(size=3)])) for x in (start, other)]
        q, v, a = (np.concatenate(parts) for parts in zip(*(path.coordinates() for path in paths), strict=True))
        terms = system.model.terms(q, v, 0.0, system.theta())
        least = int(np.argmin(terms.phi[rows]))
        by_first = part.pairs[least].by_first

        def gap(t, paths=paths):
            return apart(one, *paths[0].at(t), two, *paths[1].at(t))

        def slip(t, paths=paths, gap=gap, by_first=by_first):
            distance, at1, at2 = gap(t)
            n = (at1 - at2) / distance
            middle = at1 if by_first else at2  # of the disc, or of the box whose corner touches
            return (paths[0].velocity(middle, t) - paths[1].velocity(middle, t)) @ np.array([n[1], -n[0]])

        g0, (g1, g2) = gap(0.0)[0], (gap(STEP)[0], gap(-STEP)[0])
        np.testing.assert_allclose(terms.phi[rows[least]], g0, atol=1e-13)
        N, T = terms.J[rows[least]], terms.J[slips[least]]
        np.testing.assert_allclose(N @ v, (g1 - g2) / (2 * STEP), atol=LOOSE)
        np.testing.assert_allclose(N @ a - terms.gamma[rows[least]], (g1 - 2 * g0 + g2) / STEP**2, atol=2e-6)
        np.testing.assert_allclose(T @ v, slip(0.0), atol=1e-12)
        np.testing.assert_allclose(terms.psi[slips[least]], slip(0.0), atol=1e-12)
        np.testing.assert_allclose(
            T @ a - terms.gamma[slips[least]], (slip(STEP) - slip(-STEP)) / (2 * STEP), atol=LOOSE
        )
        for u in np.eye(3):  # both move as one body: no power, as the forces are opposite and act at one point
            ways = [(*(u[:2] + u[2] * np.array([-p.x[0][1], p.x[0][0]])), u[2]) for p in paths]
            together = [Path(np.array([p.x[0], way, way])).coordinates()[1] for p, way in zip(paths, ways, strict=True)]
            np.testing.assert_allclose([N @ np.concatenate(together), T @ np.concatenate(together)], 0.0, atol=1e-12)


# ------------------------------------------------------------------ in space


def box_distance(x, box):
    """The distance of a place from a box and the normal, by the nearest point of the box."""
    near = np.clip(x, -np.array(box.sides) / 2, np.array(box.sides) / 2)
    return np.linalg.norm(x - near), (x - near) / np.linalg.norm(x - near)


UP = np.array([0.2, -0.3, 1.0]) / np.linalg.norm([0.2, -0.3, 1.0])
AXIS = np.array([0.0, 0.6, 0.8])
SPATIAL = [  # shape 1, shape 2, distance and normal at a place in the axes of body 2
    (mb.Ball(0.3, (0.1, 0, -0.2)), mb.PlaneSurface((0.1, 0, -2), UP), lambda x: ((x - [0.1, 0, -2]) @ UP, UP)),
    (mb.Ball(0.3, (0.1, 0, -0.2)), mb.Ball(0.4), lambda x: (np.linalg.norm(x) - 0.4, x / np.linalg.norm(x))),
    (mb.Ball(0.3, (0.1, 0, -0.2)), mb.Box((0.8, 0.5, 1.1)), lambda x: box_distance(x, mb.Box((0.8, 0.5, 1.1)))),
    (mb.Box((0.8, 0.5, 1.1), (0, 0.1, 0)), mb.PlaneSurface((0, 0, -3), UP), lambda x: ((x - [0, 0, -3]) @ UP, UP)),
    (
        mb.Ball(0.3, (0.1, 0, -0.2)),
        mb.CylindricalSurface((0, 0, 0), AXIS, 5.0, inside=True),
        lambda x: (5.0 - np.linalg.norm(np.cross(x, AXIS)), np.cross(AXIS, np.cross(x, AXIS)) * -1.0),
    ),
]


@pytest.mark.parametrize("k", range(len(SPATIAL)))
def test_gaps_and_slips_in_space(k):
    rng = np.random.default_rng(20 + k)
    one, two, by_hand = SPATIAL[k]
    bodies = mb.Body("a", mb.box(2.0, (0.3, 0.4, 0.5))), mb.Body("b", mb.box(3.0, (0.5, 0.4, 0.3)))
    for first in (True, False)[: 1 if k == 1 else 2]:  # the order matters only for which of two balls has the point
        ends = ((bodies[0], one), (bodies[1], two)) if first else ((bodies[1], two), (bodies[0], one))
        part = mb.Touching("touch", *ends[0], *ends[1], friction=0.4)
        mechanism = mb.Mechanism("pair", bodies, [part])
        for _ in range(4):
            places = [rng.normal(size=3) * 0.1 + UP * 1.7, rng.normal(size=3) * 0.1]
            turns = [mb.about(rng.normal(size=3), rng.uniform(0, 6 if j == 0 or k in (1, 2) else 0.3)) for j in (0, 1)]
            speeds, spins = rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
            poses = [b.pose(*x, axes="space") for b, *x in zip(bodies, places, turns, speeds, spins, strict=True)]
            q, v = mechanism.state(*poses)

            def at(t, places=places, turns=turns, speeds=speeds, spins=spins):
                """Distance, touching point and normal in space after the time t."""
                moved = [x + u * t for x, u in zip(places, speeds, strict=True)]
                R = [mb.about(w, np.linalg.norm(w) * t) @ r for w, r in zip(spins, turns, strict=True)]
                best = None
                for centre, radius in one.knobs:
                    point = moved[0] + R[0] @ np.array(centre)
                    distance, n = by_hand(R[1].T @ (point - moved[1]))
                    n = R[1] @ n / np.linalg.norm(n)
                    if best is None or distance - radius < best[0]:
                        best = distance - radius, point - radius * n, n
                return best

            named, rates = mechanism.named(q), mechanism.named(v)
            terms, names = mechanism.system.model.terms(q, v, 0.0, mechanism.system.theta()), mechanism.system.row_names
            gaps = part.gaps(named)
            least = int(np.argmin(gaps))
            distance, point, n = at(0.0)
            np.testing.assert_allclose(gaps[least], distance, atol=1e-13)
            rate = (at(STEP)[0] - at(-STEP)[0]) / (2 * STEP)
            np.testing.assert_allclose(terms.J[names.index(part.rows[least])] @ v, rate, atol=LOOSE)
            past = [u + np.cross(w, point - x) for u, w, x in zip(speeds, spins, places, strict=True)]
            past = past[0] - past[1]
            frame = np.array(part.frames(named)[least], dtype=float)
            np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-13)
            np.testing.assert_allclose(frame[2], n, atol=1e-13)
            slip = np.array(part.slips(named, rates)[least], dtype=float) @ frame[:2]
            np.testing.assert_allclose(slip, past - (past @ n) * n, atol=1e-12)


def test_a_function_that_is_no_distance_still_gives_the_normal_force():
    """A particle on the ellipse x²/4 + y² = 1: p is the normal component of its weight, whatever the scale of φ."""
    bead = mb.PlanarBody("bead", 2.0, 0.01)
    for scale in (1.0, 7.0):
        hill = mb.Level(lambda x, y, scale=scale: scale * (x * x / 4 + y * y - 1.0))
        part = mb.Touching("hill", bead, mb.Disc(0.0), mb.GROUND, hill)
        mechanism = mb.Mechanism("bead", [bead], [part])
        angle = 1.1
        at = np.array([2 * np.cos(angle), np.sin(angle)])
        normal = np.array([at[0] / 4, at[1]]) / np.hypot(at[0] / 4, at[1])
        step = g.accelerate(mechanism.system, *mechanism.state(bead.pose(at)))
        np.testing.assert_allclose(part.normal_force(step), 2.0 * G * normal[1] * normal, rtol=1e-12)
        swapped = mb.Touching("hill", mb.GROUND, hill, bead, mb.Disc(0.0))  # the force on the ground
        np.testing.assert_allclose(swapped.normal_force(step), -2.0 * G * normal[1] * normal, rtol=1e-12)
    point = mb.Particle("p", 1.0)
    sphere = mb.ImplicitSurface(lambda x, y, z: 3 * (x * x + y * y + z * z - 4.0))
    part = mb.Touching("sphere", point, mb.Ball(0.0), mb.GROUND, sphere)
    mechanism = mb.Mechanism("p", [point], [part])
    step = g.accelerate(mechanism.system, *mechanism.state(point.pose((1.2, 0.0, 1.6))))
    np.testing.assert_allclose(step.multiplier("sphere"), G * 0.8, rtol=1e-12)


def test_balls_on_particles_and_rods_touch_like_others():
    """The gap is that of two spheres on all carriers; a rod's end on the floor slips with v + ω × r."""
    solid, rod = mb.Body("solid", mb.sphere(1.0, 0.1)), mb.Rod("rod", mb.rod(1.0, (0, 0, -0.5), (0, 0, 0.5)))
    one, two = mb.Particle("one", 1.0), mb.Particle("two", 1.0)
    up, at = np.array([0.3, -0.2, 0.8]), {"solid": (0.5, 0.1, 0.0), "rod": (0.2, 0.0, 0.9), "one": (0, 0, 1.0)}
    axis = up / np.linalg.norm(up)
    for a, b in ((solid, one), (one, solid), (one, two), (solid, rod), (rod, one)):
        part = mb.Touching("touch", a, mb.Ball(0.1), b, mb.Ball(0.2, 0.3 * np.array([0, 0, 1.0]) * (b is rod)))
        mechanism = mb.Mechanism("pair", [a, b], [part])
        place = {body.name: np.array(at.get(body.name, (1.0, 0.4, 0.2)), dtype=float) for body in (a, b)}
        pose = [body.pose(place[body.name], *([up] if body is rod else [])) for body in (a, b)]
        ends = place[a.name], place[b.name] + 0.3 * axis * (b is rod)
        gap = np.linalg.norm(ends[0] - ends[1]) - 0.3
        named = mechanism.named(mechanism.state(*pose)[0])
        np.testing.assert_allclose(part.gaps(named), gap, rtol=1e-12)
        np.testing.assert_allclose(part.frames(named)[0][2], (ends[0] - ends[1]) / (gap + 0.3), atol=1e-12)
    end = mb.Touching("end", rod, mb.Ball(0.1, (0, 0, -0.5)), mb.GROUND, mb.PlaneSurface(), friction=0.3)
    mechanism = mb.Mechanism("rod", [rod], [end])
    velocity, turning = np.array([0.4, -0.3, 0.1]), np.cross(axis, (0.5, 2.0, -1.0))  # no spin about the axis
    q, v = (mechanism.named(x) for x in mechanism.state(rod.pose((0, 0, 1), up, velocity, turning)))
    past = velocity + np.cross(turning, -0.5 * axis - np.array([0, 0, 0.1]))
    slip, frame = end.slips(q, v)[0], np.array(end.frames(q)[0])
    np.testing.assert_allclose(slip, frame[:2] @ past, atol=1e-12)


# ------------------------------------------------------------------ closed forms


def test_a_disc_on_a_slope_rolls_or_slips():
    """Slope α, disc ½mr²: it rolls with (2/3) g sin α up to μ = tan(α)/3, else slips with g (sin α − μ cos α)."""
    slope, r = 0.5, 0.2
    normal = (np.sin(slope), np.cos(slope))
    wheel = mb.PlanarBody("wheel", 3.0, 1.5 * r**2)
    for mu, wanted in ((0.2, 2 / 3 * np.sin(slope)), (0.1, np.sin(slope) - 0.1 * np.cos(slope))):
        part = mb.Touching("slope", wheel, mb.Disc(r), mb.GROUND, mb.HalfPlane(normal=normal), friction=mu)
        mechanism = mb.Mechanism("wheel", [wheel], [part])
        found = solved(mechanism, mechanism.state(wheel.pose(np.array(normal) * r, 0.3)))
        a = found.solutions[0].a[:2] @ [normal[1], -normal[0]]
        assert found.verdict == "one"
        np.testing.assert_allclose(a, G * wanted, rtol=1e-10)


def test_a_ball_on_a_slope_in_space_rolls_or_slips():
    """Down the slope with (5/7) g sin α, or with g (sin α − μ cos α), on a plane turned in any direction."""
    slope, r, m = 0.4, 0.1, 2.0
    n = np.array([np.sin(slope) * np.cos(0.7), np.sin(slope) * np.sin(0.7), np.cos(slope)])
    down = np.array([np.cos(slope) * np.cos(0.7), np.cos(slope) * np.sin(0.7), -np.sin(slope)])
    ball = mb.Body("ball", mb.sphere(m, r))
    turned = mb.about((1, 2, 3), 0.8)
    for mu, wanted in ((0.2, 5 / 7 * np.sin(slope)), (0.05, np.sin(slope) - 0.05 * np.cos(slope))):
        part = mb.Touching("slope", ball, mb.Ball(r), mb.GROUND, mb.PlaneSurface(normal=n), friction=mu)
        mechanism = mb.Mechanism("ball", [ball], [part])
        state = mechanism.state(ball.pose(r * n, turned))
        found = solved(mechanism, state)
        np.testing.assert_allclose(found.a[:3], G * wanted * down, atol=1e-9)


def test_a_ball_is_slowed_by_the_resistance_to_rolling_and_spinning():
    """On level ground (5/7) ρ g/r and ρ m g/I; on a slope it stays if tan α < ρ/r."""
    r, m, arm = 0.1, 2.0, 0.004
    ball = mb.Body("ball", mb.sphere(m, r))
    resisted = {"friction": 0.5, "rolling": arm, "spinning": arm}
    part = mb.Touching("ground", ball, mb.Ball(r), mb.GROUND, mb.PlaneSurface(), **resisted)
    posed = mb.Posed(
        "ball",
        "x th",
        lambda q: (q.x, 0, r, [[g.cos(q.th), 0, g.sin(q.th)], [0, 1, 0], [-g.sin(q.th), 0, g.cos(q.th)]]),
        dimension=3,
    )
    rolls = mb.Touching("ground", posed, mb.Ball(r), mb.GROUND, mb.PlaneSurface(), rolling=arm).constraints()[1]
    np.testing.assert_allclose(np.linalg.norm(rolls.function({"x": 1.0, "th": 0.4}, {"x": 0.0, "th": 3.0})), 3.0)
    mechanism = mb.Mechanism("ball", [ball], [part])
    moving = ball.pose((0, 0, r), mb.about((3, 1, 2), 0.6), (0.6, 0.8, 0), (-8, 6, 5), axes="space")
    found = solved(mechanism, mechanism.state(moving))
    np.testing.assert_allclose(found.a[:3], -5 / 7 * arm * G / r * np.array([0.6, 0.8, 0]), atol=1e-10)
    np.testing.assert_allclose(
        np.concatenate(found.solution.moments), [*(arm * m * G * X for X in (0.8, -0.6)), -arm * m * G]
    )
    for slope, stays in ((0.9 * arm / r, True), (1.1 * arm / r, False)):
        lean = mb.Mechanism("ball", [ball], [part], gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
        start = lean.state(ball.pose((0, 0, r)))
        found = solved(lean, start)
        wanted = 0.0 if stays else 5 / 7 * G * (np.sin(slope) - arm / r * np.cos(slope))
        np.testing.assert_allclose(found.a[0], wanted, atol=1e-10)


def box_on_slope(slope, mu, body=None):
    """A box 0.2 m wide and 0.4 m high stands on a slope; system, contacts and state, in coordinates along it."""
    w, h, m = 0.2, 0.4, 2.0
    inertia = m * (w * w + h * h) / 12
    pull = m * G * np.sin(slope), -m * G * np.cos(slope)
    if body is None:
        block = mb.Posed("block", "x z th", lambda q: (q.x, q.z, q.th))
        part = mb.Touching("floor", block, mb.Box((w, h)), mb.GROUND, mb.HalfPlane(), friction=mu)
        system = g.System(
            "box",
            "x z th",
            kinetic_energy=lambda v: 0.5 * m * (v.x**2 + v.z**2) + 0.5 * inertia * v.th**2,
            force=[*pull, 0.0],
            constraints=part.constraints(),
        )
        return solved(system, ([0, h / 2, 0], None))
    body = mb.PlanarBody("block", m, inertia)
    part = mb.Touching("floor", body, mb.Box((w, h)), mb.GROUND, mb.HalfPlane(), friction=mu)
    gravity = G * np.sin(slope), -G * np.cos(slope)
    mechanism = mb.Mechanism("box", [body], [part], gravity=gravity)
    return solved(mechanism, mechanism.state(body.pose((0, h / 2))))


@pytest.mark.parametrize("body", [None, "mechanism"])
def test_a_box_stands_slides_or_tips(body):
    """It slides where tan α > μ, and tips about its lower corner where tan α > w/h and μ is large enough."""
    w, h = 0.2, 0.4
    stands = box_on_slope(0.3, 0.5, body)
    assert np.max(np.abs(stands.solutions[0].a)) < 1e-9
    slides = box_on_slope(0.4, 0.3, body)
    np.testing.assert_allclose(slides.solutions[0].a[0], G * (np.sin(0.4) - 0.3 * np.cos(0.4)), rtol=1e-10)
    tips = box_on_slope(0.6, 2.0, body)
    arm = np.hypot(w, h) / 2
    inertia = (w * w + h * h) / 12 + arm**2  # of 1 kg about the corner
    turning = G * (np.sin(0.6) * h / 2 - np.cos(0.6) * w / 2) / inertia  # clockwise
    assert tips.verdict == "one"
    np.testing.assert_allclose(tips.solutions[0].a[:2], turning * np.array([h / 2, w / 2]), rtol=1e-9)


def test_a_block_on_a_table_that_shakes():
    """The table moves by x = A sin ωt: the block sticks while its acceleration is below μg, and slips past it."""
    block = mb.Posed("block", "x z", lambda q: (q.x, q.z))
    table = mb.Posed("table", "x", lambda t, p: (p.A * g.sin(p.w * t), 0.0, 0.0))
    part = mb.Touching("table", block, mb.Disc(0.0), table, mb.HalfPlane(), friction=0.3)
    for size, sticks in ((0.02, True), (0.04, False)):
        system = g.System(
            "block",
            "x z",
            kinetic_energy=lambda v: v.x**2 + v.z**2,
            potential_energy=lambda q: 2 * G * q.z,
            constraints=part.constraints(),
            parameters={"A": size, "w": 10.0},
        )
        t = 0.1
        moving = [size * 10 * np.cos(10 * t), 0.0]
        found = solve_contacts(contact_problem(system, [0.0, 0.0], moving, t=t)).solutions[0]
        wanted = -size * 100 * np.sin(10 * t) if sticks else -0.3 * G
        assert abs(-size * 100 * np.sin(10 * t)) < 0.3 * G or not sticks
        np.testing.assert_allclose(found.a[0], wanted, rtol=1e-9)
        rates = part.slips({"x": 0.0, "z": 0.0}, {"x": 0.5, "z": 0.0}, t, {"A": size, "w": 10.0})
        np.testing.assert_allclose(rates[0][0], 0.5 - moving[0], rtol=1e-12)


def test_a_pose_in_the_plane_slips_as_a_rigid_body():
    n = np.array([0.6, 0.8])
    lever = mb.Posed("lever", "h s", lambda q: (q.s * g.cos(q.h), q.s**2, 2 * q.h))
    part = mb.Touching("slope", lever, mb.Disc(0.1, (0.3, 0.2)), mb.GROUND, mb.HalfPlane(normal=n), friction=0.1)
    h, s, dh, ds = 0.4, 0.7, -1.3, 0.9
    origin, rate = np.array([s * np.cos(h), s * s]), np.array([ds * np.cos(h) - s * np.sin(h) * dh, 2 * s * ds])
    arm = turn(2 * h) @ [0.3, 0.2] - 0.1 * n
    moved = rate + 2 * dh * np.array([-arm[1], arm[0]])
    np.testing.assert_allclose(part.gaps({"h": h, "s": s}), (origin + arm) @ n, atol=1e-14)
    np.testing.assert_allclose(part.slips({"h": h, "s": s}, {"h": dh, "s": ds})[0], moved @ [n[1], -n[0]], atol=1e-13)


def test_a_pose_in_space_has_the_velocities_of_a_body():
    rng = np.random.default_rng(5)
    arm = mb.Posed(
        "arm",
        "h s",
        lambda q: (
            q.s * g.cos(q.h),
            q.s * g.sin(q.h),
            q.h**2,
            [[g.cos(q.h), -g.sin(q.h), 0], [g.sin(q.h), g.cos(q.h), 0], [0, 0, 1]],
        ),
        dimension=3,
    )
    part = mb.Touching("tip", arm, mb.Ball(0.1, (0.3, 0.2, -0.5)), mb.GROUND, mb.PlaneSurface(), friction=0.1)
    for _ in range(3):
        h, s, dh, ds = rng.normal(size=4)
        c, e = np.cos(h), np.sin(h)
        R, at = np.array([[c, -e, 0], [e, c, 0], [0, 0, 1]]), np.array([0.3, 0.2, -0.5])
        point = np.array([s * c, s * e, h * h]) + R @ at - [0, 0, 0.1]
        centre = np.array([ds * c - s * e * dh, ds * e + s * c * dh, 2 * h * dh])
        moved = centre + np.cross([0, 0, dh], point - [s * c, s * e, h * h])
        q, v = {"h": h, "s": s}, {"h": dh, "s": ds}
        np.testing.assert_allclose(part.gaps(q), point[2], atol=1e-14)
        frame = np.array(part.frames(q)[0], dtype=float)
        np.testing.assert_allclose(np.array(part.slips(q, v)[0], dtype=float) @ frame[:2], [*moved[:2], 0], atol=1e-13)


def test_a_pin_hangs_in_a_journal_as_a_pendulum():
    """A smooth pin of radius r in a hole of radius R: its centre swings like a pendulum of length R − r."""
    r, R, m = 0.01, 0.0125, 0.4
    body = mb.PlanarBody("body", m, 1e-3)
    part = mb.Touching("journal", body, mb.Disc(r), mb.GROUND, mb.Hole(R))
    mechanism = mb.Mechanism("pin", [body], [part])
    angle, rate = 0.7, 30.0
    at, along = (R - r) * np.array([np.sin(angle), -np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
    step = g.accelerate(mechanism.system, *mechanism.state(body.pose(at, 0.2, (R - r) * rate * along)))
    np.testing.assert_allclose(step.multiplier("journal"), m * (G * np.cos(angle) + (R - r) * rate**2), rtol=1e-11)
    free = mechanism.state(body.pose())  # the pin in the middle: the distance has no gradient there
    np.testing.assert_allclose(g.accelerate(mechanism.system, *free).a, [0, -G, 0, 0], atol=1e-12)
    run = g.simulate(mechanism.system, *free, t_end=0.03)
    np.testing.assert_allclose(part.gaps(run)[0], R - r - np.hypot(run["body_x"], run["body_y"]), atol=1e-15)
    slip = np.array(part.slips(run, mb.rates_of(run))[0][0])  # at the lowest point, the normal pointing up
    np.testing.assert_allclose(slip, 0.0, atol=1e-15)
    np.testing.assert_allclose(part.normal_force(run)[1][-1], 0.4 * G, rtol=1e-9)  # it has come to rest there
    np.testing.assert_allclose(run.events[0].t, np.sqrt(2 * (R - r) / G), rtol=1e-9)


def test_parts_of_a_mechanism_with_contacts_keep_their_places():
    """assemble and state leave open contacts alone; several parts give their contacts in order."""
    one, two = mb.PlanarBody("one", 1.0, 0.1), mb.PlanarBody("two", 1.0, 0.1)
    parts = [
        mb.Pin("pin", mb.GROUND, (0, 1.0), one, (0, 0.4)),
        mb.Touching("floor", two, mb.Box((0.4, 0.2)), mb.GROUND, mb.HalfPlane(), friction=0.2, static=0.3),
        mb.Touching("smooth", one, mb.Disc(0.1), two, mb.Disc(0.1)),
        mb.Touching("knock", one, mb.Disc(0.1), two, mb.Box((0.4, 0.2)), friction=0.1),
    ]
    mechanism = mb.Mechanism("pendulum and box", [one, two], parts)
    contacts = mechanism.system.contacts
    assert [c.name for c in contacts] == ["floor[0]", "floor[1]", "floor[2]", "floor[3]", "knock"]
    assert (contacts[0].kinetic, contacts[0].static) == (0.2, 0.3)
    built = mb.assemble(mechanism, one.pose((0.01, 0.6)), two.pose((0.7, 0.3)))
    np.testing.assert_allclose(mechanism.named(built.state.q)["two_y"], 0.3, atol=1e-12)


# ------------------------------------------------------------------ belts


def drum(m1, m2, friction):
    """Two masses on a rope over a drum."""
    return g.System(
        "masses",
        "a b",
        kinetic_energy=lambda v: 0.5 * m1 * v.a**2 + 0.5 * m2 * v.b**2,
        potential_energy=lambda q: -G * (m1 * q.a + m2 * q.b),
        constraints=[g.Unilateral("rope", lambda q: 3.0 - q.a - q.b, friction=friction)],
    )


@pytest.mark.parametrize(("groove", "effective"), [(None, 0.25), (np.radians(36.0), 0.25 / np.sin(np.radians(18.0)))])
def test_masses_on_a_rough_drum(groove, effective):
    """Held while m₂/m₁ ≤ e^{μφ}; then a = g (m₂ − m₁ e^{μφ})/(m₂ + m₁ e^{μφ}) and T₂ = T₁ e^{μφ}."""
    wrap, m1 = 2.5, 1.7
    rope = mb.belt_friction(lambda v: v.a - v.b, 0.25, wrap, groove=groove)
    ratio = np.exp(effective * wrap)
    for factor in (1 / 1.001, 0.5, 1 - 1e-6):
        held = solved(drum(m1, m1 * ratio * factor, rope), ([1.0, 2.0], None))
        assert held.solutions[0].modes == ("stick",)
    for factor in (1 + 1e-6, 2.0):
        m2 = m1 * ratio * factor
        found = solved(drum(m1, m2, rope), ([1.0, 2.0], None))
        (slips,) = found.solutions
        a = G * (m2 - m1 * ratio) / (m2 + m1 * ratio)
        np.testing.assert_allclose(slips.a, [-a, a], rtol=1e-9, atol=1e-9 * G)
        p, t = slips.normal[0, 0], slips.tangential[0, 0]
        np.testing.assert_allclose([p - t, p + t], [m1 * (G + a), m2 * (G - a)], rtol=1e-9)
        np.testing.assert_allclose((p + t) / (p - t), ratio, rtol=1e-9)


def test_a_band_brake_on_a_turning_drum():
    """A rope between a weight and a fixed end brakes a drum of radius R that turns away from the weight.

    The weight hangs at rest, T = mg, the other end carries mg e^{−μφ} or mg e^{μφ} by the sense of the rotation; the
    torque is R times the difference (Euler).
    """
    R, m, inertia, mu, wrap = 0.2, 4.0, 0.5, 0.3, np.pi
    for rate in (5.0, -5.0):
        rope = mb.belt_friction(lambda v: v.a - 2 * R * v.th, mu, wrap)
        brake = g.System(
            "brake",
            "a th",
            kinetic_energy=lambda v: 0.5 * m * v.a**2 + 0.5 * inertia * v.th**2,
            potential_energy=lambda q: -m * G * q.a,
            constraints=[g.Unilateral("rope", lambda q: 1.0 - q.a, friction=rope)],  # the other part has a fixed end
        )
        found = solved(brake, ([1.0, 0.0], [0.0, rate]))
        torque = found.solutions[0].a[1] * inertia
        p, t = found.solutions[0].normal[0, 0], found.solutions[0].tangential[0, 0]
        np.testing.assert_allclose(p - t, m * G, rtol=1e-12)
        np.testing.assert_allclose(torque, -R * 2 * t, rtol=1e-12)
        assert torque * rate < 0.0
        np.testing.assert_allclose(np.log((p + t) / (p - t)), np.sign(rate) * mu * wrap, rtol=1e-12)


def test_belt_coefficients():
    for mu, wrap in ((0.3, np.pi), (0.2, 6 * np.pi), (0.0, 1.0), (0.7, 0.0)):
        k = mb.belt_coefficient(mu, wrap)
        np.testing.assert_allclose((1 + k) / (1 - k), np.exp(mu * wrap), rtol=1e-12)
    np.testing.assert_allclose(mb.belt_coefficient(0.3, 1.0, np.pi), mb.belt_coefficient(0.3, 1.0), rtol=1e-15)


# ------------------------------------------------------------------ joints with dry friction


@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_a_drawer_jams_when_it_is_pulled_too_far_beside(angle):
    """Ends press with Fa/l each; it moves with F (1 − 2μa/l)/m if 2μa < l, else it is stuck (in any direction)."""
    length, mu, force, m = 0.4, 0.5, 30.0, 2.0
    along, left = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    drawer = mb.PlanarBody("drawer", m, 0.1)
    guide = mb.RoughSlider("guide", mb.GROUND, (1, 2), drawer, (0, 0), tuple(along), length=length, friction=mu)
    for a in (0.1, 0.399, 0.401, -0.3, -0.5):
        pull = mb.PointForce("pull", drawer, tuple(a * left + 0.3 * along), tuple(force * along))
        cabinet = mb.Mechanism("cabinet", [drawer], [guide], [pull], gravity=(0, 0))
        found = solved(cabinet, cabinet.state(drawer.pose((1, 2))))
        assert found.verdict == "one"
        wanted = max(force * (1 - 2 * mu * abs(a) / length) / m, 0.0)
        np.testing.assert_allclose(found.solutions[0].a[:2], wanted * along, atol=1e-10)
        if wanted:
            np.testing.assert_allclose(found.solutions[0].normal[0], force * a / length * np.array([-1, 1]), rtol=1e-9)
    cabinet = mb.Mechanism("cabinet", [drawer], [guide], [mb.Motor("motor", guide, 12.0)], gravity=(0, 0))
    found = solved(cabinet, cabinet.state(drawer.pose((1, 2))))
    np.testing.assert_allclose(found.solutions[0].a[:2], 6.0 * along, rtol=1e-12)  # no load, no friction


def test_a_rough_journal_has_its_friction_circle():
    """A lever rests in its bearing where the weight passes the pin at no more than r sin ρ, tan ρ = μ."""
    r, R, mu, m = 0.02, 0.021, 0.3, 1.5
    for angle, rests in ((0.99 * np.arctan(mu), True), (1.01 * np.arctan(mu), False)):
        u = np.array([np.sin(angle), -np.cos(angle)])  # from the middle of the bearing to the point of contact
        lever = mb.PlanarBody("lever", m, 0.01, (r * np.sin(angle), -0.3))
        part = mb.Touching("journal", lever, mb.Disc(r), mb.GROUND, mb.Hole(R), friction=mu)
        mechanism = mb.Mechanism("lever", [lever], [part])
        found = solved(mechanism, mechanism.state(lever.pose((R - r) * u)))
        (solution,) = found.solutions
        assert (solution.modes == ("stick",)) == rests
        if rests:
            np.testing.assert_allclose(solution.a, 0.0, atol=1e-9)
            forces = solution.normal[0, 0], abs(solution.tangential[0, 0])
            np.testing.assert_allclose(forces, [m * G * np.cos(angle), m * G * np.sin(angle)], rtol=1e-10)


def two_wheels():
    """Two wheels of 0.5 and 0.2 kg m² on bearings at rest."""
    a, b = mb.PlanarBody("a", 1.0, 0.5), mb.PlanarBody("b", 1.0, 0.2)
    return a, b, mb.Pin("pin a", mb.GROUND, (0, 0), a, (0, 0)), mb.Pin("pin b", mb.GROUND, (1, 0), b, (0, 0))


def turned(run, body):
    return np.unwrap(np.arctan2(run[f"{body}_s"], run[f"{body}_c"]))


def test_a_brake_stops_a_wheel_and_holds_it():
    """t = Iω/τ after the angle ½Iω²/τ; then it holds a torque up to its limit at rest."""
    wheel, _, pin, _ = two_wheels()
    brake = mb.Brake("brake", pin, 2.0, 2.5)
    for drive, holds in ((0.5, True), (-2.4, True), (-2.6, False)):
        motor = mb.Motor("motor", pin, lambda t, drive=drive: g.where(g.less(t, 3.0), 0.0, drive))
        mechanism = mb.Mechanism("wheel", [wheel], [pin, brake], [motor], gravity=(0, 0))
        state = mechanism.state(wheel.pose(rate=8.0))
        run = g.simulate(mechanism.system, *state, t_end=2.5)
        np.testing.assert_allclose([event.t for event in run.events], [2.0], rtol=1e-10)
        assert (run.events[0].kind, run.events[0].name) == ("stick", "brake")
        np.testing.assert_allclose(run["brake"][:2], -2.0)  # N m
        np.testing.assert_allclose(turned(run, "a")[-1], 8.0, rtol=1e-9)
        found = solve_contacts(contact_problem(mechanism.system, run.q[-1], np.zeros(4), t=4.0))
        wanted = 0.0 if holds else (drive + 2.0) / 0.5
        np.testing.assert_allclose(found.solutions[0].a[2:] @ [-run["a_s"][-1], run["a_c"][-1]], wanted, atol=1e-9)


def test_a_clutch_brings_two_wheels_to_one_speed():
    one, two, pin, _ = two_wheels()
    pins = [pin, mb.Pin("between", one, (0, 0), two, (0, 0))]
    clutch = mb.Brake("clutch", pins[1], 1.5)
    mechanism = mb.Mechanism("clutch", [one, two], [*pins, clutch], gravity=(0, 0))
    state = mechanism.state(one.pose(rate=7.0), two.pose(rate=-3.0))
    run = g.simulate(mechanism.system, *state, t_end=1.5)
    np.testing.assert_allclose(run.events[0].t, 10.0 / (1.5 / 0.5 + 1.5 / 0.2), rtol=1e-10)
    common = (0.5 * 7.0 - 0.2 * 3.0) / 0.7
    for wheel in (one, two):
        np.testing.assert_allclose(
            wheel.placed(mb.rates_of(run)).columns[0][1][-1], common * run[f"{wheel.name}_c"][-1]
        )


def test_a_belt_drive_slips_until_the_rims_run_together():
    """Tensions differ by 2T₀ tanh(μφ/2) while it slips, T₁ + T₂ = 2T₀ and T₁ = T₂ e^{μφ}; then the drive is rigid."""
    one, two, *pins = two_wheels()
    r1, r2, preload, mu, wrap, torque = 0.1, 0.25, 100.0, 0.3, 2.5, 4.0
    for crossed in (False, True):
        belt = mb.BeltDrive("belt", *pins, r1, r2, preload, mu, wrap, crossed=crossed)
        tight = 2 * preload * np.exp(mu * wrap) / (1 + np.exp(mu * wrap))
        pull = 2 * (tight - preload)
        np.testing.assert_allclose(belt.largest[0], pull, rtol=1e-12)
        mechanism = mb.Mechanism("drive", [one, two], [*pins, belt], [mb.Motor("motor", pins[0], torque)], (0, 0))
        state = mechanism.state(one.pose(rate=30.0), two.pose((1, 0)))
        run = g.simulate(mechanism.system, *state, t_end=1.0)
        first, second = (torque - r1 * pull) / 0.5, r2 * pull / 0.2
        meet = r1 * 30.0 / (r2 * second - r1 * first)
        np.testing.assert_allclose([event.t for event in run.events], [meet], rtol=1e-10)
        together = torque / (0.5 + 0.2 * (r1 / r2) ** 2)  # with the second wheel's inertia brought to the first
        rate, rest = 30.0 + first * meet, 1.0 - meet
        angle = 30.0 * meet + first * meet**2 / 2 + rate * rest + together * rest**2 / 2
        np.testing.assert_allclose(turned(run, "a")[-1], angle, rtol=1e-9)
        way = -1.0 if crossed else 1.0
        angle = second * meet**2 / 2 + (rate * rest + together * rest**2 / 2) * r1 / r2
        np.testing.assert_allclose(turned(run, "b")[-1], way * angle, rtol=1e-9)


def test_a_disc_that_is_thrown_slips_and_then_rolls():
    """Slip ends at t = v₀/(3μg) with ⅔ v₀, after 5v₀²/(18μg)."""
    r, mu, v0 = 0.2, 0.15, 3.0
    disc = mb.PlanarBody("disc", 3.0, 1.5 * r**2)
    part = mb.Touching("floor", disc, mb.Disc(r), mb.GROUND, mb.HalfPlane(), friction=mu)
    mechanism = mb.Mechanism("disc", [disc], [part])
    state = mechanism.state(disc.pose((0, r), 0.4, (v0, 0)))
    run = g.simulate(mechanism.system, *state, t_end=1.5)
    (event,) = run.events
    np.testing.assert_allclose(event.t, v0 / (3 * mu * G), rtol=1e-10)
    np.testing.assert_allclose(run["disc_x"][-1], 5 * v0**2 / (18 * mu * G) + 2 / 3 * v0 * (1.5 - event.t), rtol=1e-10)
    np.testing.assert_allclose(run["d_disc_x"][-1], 2 / 3 * v0, rtol=1e-10)
    np.testing.assert_allclose(part.slips(run, mb.rates_of(run))[0][0][-1], 0.0, atol=1e-12)
    np.testing.assert_allclose(part.normal_force(run)[1], 3.0 * G, rtol=1e-10)


def test_a_box_that_falls_flat_slides_to_rest():
    """Both corners strike at once: v₀ − μ√(2gh) is left, and the box stops after that squared over 2μg."""
    m, w, h, mu, drop = 2.0, 0.3, 0.2, 0.3, 0.2
    box = mb.PlanarBody("box", m, m * (w * w + h * h) / 12)
    part = mb.Touching("floor", box, mb.Box((w, h)), mb.GROUND, mb.HalfPlane(), friction=mu)
    mechanism = mb.Mechanism("box", [box], [part])
    state = mechanism.state(box.pose((0, h / 2 + drop), 0.0, (1.0, 0)))
    run = g.simulate(mechanism.system, *state, t_end=0.5)
    fall = np.sqrt(2 * drop / G)
    left = 1.0 - mu * G * fall
    np.testing.assert_allclose(run["box_x"][-1], fall + left**2 / (2 * mu * G), rtol=1e-9)
    sticks = [event.t for event in run.events if event.kind == "stick"]
    np.testing.assert_allclose(sticks, fall + left / (mu * G), rtol=1e-9)
    lost = sum(event.energy_loss for event in run.events)
    np.testing.assert_allclose(lost, m * (G * drop + (1 - left**2) / 2), rtol=1e-9)


def test_sliding_masses_on_a_drum_come_to_rest():
    """Sliding masses come to rest where the drum holds them: after v/a with a by Euler and Eytelwein."""
    m1, m2, v0, mu, wrap = 2.0, 3.0, 0.8, 0.25, np.pi
    ratio = np.exp(mu * wrap)
    slows = G * (m1 * ratio - m2) / (m2 + m1 * ratio)
    rope = mb.belt_friction(lambda v: v.a - v.b, mu, wrap)
    run = g.simulate(drum(m1, m2, rope), [2.0, 1.0], [-v0, v0], t_end=1.0)
    np.testing.assert_allclose([event.t for event in run.events], [v0 / slows], rtol=1e-10)
    np.testing.assert_allclose(run["b"][-1], 1.0 + v0**2 / (2 * slows), rtol=1e-10)
    np.testing.assert_allclose(run.friction_work[-1], -(m1 + m2) * v0**2 / 2 - (m2 - m1) * G * v0**2 / (2 * slows))


# ------------------------------------------------------------------ motions of mechanisms


def gripped(mu, force=25.0, weight=2.0):
    """A box between two fingers that slide towards each other, each with one force, and its state at rest."""
    box = mb.PlanarBody("box", weight, 0.02)
    fingers = [mb.PlanarBody(name, 0.5, 0.01) for name in ("left", "right")]
    joints = [mb.Slider(f"guide {b.name}", mb.GROUND, (0, 0), b, (0, 0)) for b in fingers]
    forces = [mb.Motor(f"press {j.body2.name}", j, side * force) for j, side in zip(joints, (1, -1), strict=True)]
    for finger, side in zip(fingers, (1, -1), strict=True):
        face = mb.HalfPlane(normal=(side, 0))
        joints.append(mb.Touching(f"pad {finger.name}", box, mb.Box((0.2, 0.2)), finger, face, friction=mu))
    mechanism = mb.Mechanism("gripper", [box, *fingers], joints, forces)
    poses = [b.pose((side * 0.1, 0)) for b, side in zip(fingers, (-1, 1), strict=True)]
    return mechanism, mechanism.state(box.pose(), *poses)


@pytest.mark.long
@pytest.mark.parametrize("mu", [0.5, 0.3])
def test_a_gripper_holds_a_box_or_lets_it_slide(mu):
    """It holds while 2 μ F ≥ m g, else the box falls with g − 2 μ F/m; the four contact forces are shared out."""
    mechanism, state = gripped(mu)
    run = g.simulate(mechanism.system, *state, t_end=0.05, max_step=0.05)
    falls = max(G - 2 * mu * 25.0 / 2.0, 0.0)
    np.testing.assert_allclose(run["box_y"][-1], -falls * 0.05**2 / 2, atol=1e-12)
    rows = [contact.name for contact in mechanism.system.contacts if run[contact.name][-1] > 0.0]
    for found in (run, run.at([0.02])):
        p, t = (np.array([found[f"{word}{row}"][-1] for row in rows]) for word in ("", "slip of "))
        np.testing.assert_allclose(np.sum(p), 50.0, rtol=1e-9)
        assert np.all(np.abs(t) <= mu * p * (1 + 1e-9))
        if falls:
            np.testing.assert_allclose(np.abs(t), mu * p, rtol=1e-9)
    assert all(claim.holds for claim in friction_claims(run))


@pytest.mark.long
def test_the_friction_of_a_mechanism_acts_by_itself():
    """A disc on a floor with friction is slowed by it, and only frictionless() leaves it out."""
    disc = mb.PlanarBody("disc", 1.0, 0.02)
    floor = mb.Touching("floor", disc, mb.Disc(0.2), mb.GROUND, mb.HalfPlane((0, 0), (0, 1)), friction=0.3)
    alley = mb.Mechanism("alley", [disc], [floor])
    start = alley.state(disc.pose((0, 0.2), velocity=(3, 0)))
    for model, speed in ((alley.system.frictionless(), 3.0), (alley, 3.0 - 0.3 * 9.81 * 0.2)):
        run = g.simulate(model, *start, t_end=0.2)
        assert run["d_disc_x"][-1] == pytest.approx(speed, rel=1e-9)
        stepped = g.simulate(model, *start, method="moreau", step=0.001, t_end=0.2)
        assert stepped["d_disc_x"][-1] == pytest.approx(speed, rel=1e-9)


def test_a_box_that_is_held_on_a_belt_rubs_with_both_corners(tmp_path):
    """The guide holds it with μ m g, although the forces of its two corners are not determined."""
    box, belt = mb.PlanarBody("box", 1.0, 0.01), mb.PlanarBody("belt", 3.0, 0.1)
    runs = mb.Slider("runs", mb.GROUND, (0, 0), belt, (0, 0))
    guide = mb.Slider("guide", mb.GROUND, (0, 0), box, (0, 0), (0, 1))
    rubs = mb.Touching("rubs", box, mb.Box((0.2, 0.1)), belt, mb.HalfPlane(), friction=0.3)
    parts = [runs, guide, mb.Driver("speed", runs, lambda t: 1.5 * t), rubs]
    mechanism = mb.Mechanism("belt", [box, belt], parts)
    state = mechanism.state(box.pose((0, 0.05)), belt.pose(velocity=(1.5, 0)))
    run = g.simulate(mechanism.system, *state, t_end=0.05, max_step=0.05)
    read = g.Trajectory.load(run.save(tmp_path / "belt.nc")).with_system(mechanism.system)
    for found in (run, run.at([0.02]), read.at([0.02])):
        np.testing.assert_allclose(np.abs(found["guide[0]"][-1]), 0.3 * G, rtol=1e-9)
        np.testing.assert_allclose(found["slip of rubs[0]"][-1] + found["slip of rubs[1]"][-1], 0.3 * G, rtol=1e-9)
        np.testing.assert_allclose([found["rubs[0]"][-1], found["rubs[1]"][-1]], G / 2, rtol=1e-9)


def test_a_drawer_breaks_loose_and_catches_again():
    """Pressed with P on its guide it slips from |F| = μ|P| on, and a load that changes its side does not free it.

    P = 10 cos 3t N and F = 2 N: it slips where 5|cos 3t| < 2, and stops when its speed is zero again.
    """
    drawer = mb.PlanarBody("drawer", 2.0, 0.1)
    guide = mb.RoughSlider("guide", mb.GROUND, (0, 0), drawer, (0, 0), length=0.4, friction=0.5)
    press = mb.PointForce("press", drawer, (0, 0), lambda t: (2.0, -10.0 * g.cos(3 * t)))
    cabinet = mb.Mechanism("cabinet", [drawer], [guide], [press], gravity=(0, 0))
    run = g.simulate(cabinet.system, *cabinet.state(drawer.pose()), t_end=1.0)
    slips, sticks = ([e.t for e in run.events if e.kind == kind] for kind in ("slip", "stick"))
    loose, end = np.arccos(0.4) / 3, (np.pi - np.arccos(0.4)) / 3

    def impulse(t):  # ∫(2 − 5|cos 3t|) dt from breaking loose to t, beyond `end`
        return 2 * (t - loose) - 5 / 3 * (2 - np.sin(3 * loose) - np.sin(3 * t))

    np.testing.assert_allclose(slips, loose, rtol=1e-9)
    np.testing.assert_allclose(sticks, brentq(impulse, end, 1.0, xtol=1e-14), rtol=1e-9)
    assert all(claim.holds for claim in friction_claims(run))


@pytest.mark.long
def test_both_ends_of_a_guide_break_loose_together():
    """One end is at its limit before the other; a disc that rolls on the cart changes their loads."""
    disc, cart = mb.PlanarBody("disc", 3.1, 0.0052), mb.PlanarBody("cart", 1.1, 0.03)
    guide = mb.RoughSlider("guide", mb.GROUND, (0, 0), cart, (0, 0), length=0.3, friction=0.1)
    shape = mb.Disc(0.0824, (0.012, 0.0053))
    deck = mb.Touching("deck", disc, shape, cart, mb.HalfPlane((0, 0.05)), friction=0.1, restitution=0.3)
    motor = mb.Motor("motor", guide, lambda t: -3.956 * g.cos(7 * t))
    mechanism = mb.Mechanism("cart", [disc, cart], [guide, deck], [motor])
    state = mechanism.state(disc.pose((0, 0.35), -0.1289), cart.pose(velocity=(-0.3654, 0)))
    run = g.simulate(mechanism.system, *state, t_end=0.73)
    assert run.ending.kind == "finished"
    assert all(claim.holds for claim in friction_claims(run))


def test_a_drawer_without_load_follows_its_pull():
    """Friction has no load, so F = sin t moves it at once, from a rest in which all forces are zero."""
    drawer = mb.PlanarBody("drawer", 2.0, 0.1)
    guide = mb.RoughSlider("guide", mb.GROUND, (0, 0), drawer, (0, 0), length=0.4, friction=0.5)
    pull = mb.PointForce("pull", drawer, (0, 0), lambda t: (g.sin(t), 0.0))
    cabinet = mb.Mechanism("cabinet", [drawer], [guide], [pull], gravity=(0, 0))
    run = g.simulate(cabinet.system, *cabinet.state(drawer.pose()), t_end=1.0)
    np.testing.assert_allclose(run["drawer_x"][-1], (1 - np.sin(1.0)) / 2, rtol=1e-9)


@pytest.mark.long
def test_a_pawl_between_tooth_and_rim_lets_the_wheel_go():
    """Jammed by two sticking contacts, six forces for four equations; then freed when the torque turns round."""
    wheel, pawl = mb.PlanarBody("wheel", 1.0, 0.01), mb.PlanarBody("pawl", 0.1, 1e-4, (0.1, 0))
    axle = mb.Pin("axle", mb.GROUND, (0, 0), wheel, (0, 0))
    hinge, tip = mb.Pin("hinge", mb.GROUND, (-0.25, 0.19), pawl, (0, 0)), mb.Disc(0.005, (0.24, 0))
    at = np.pi / 3
    shape = mb.Box((0.05, 0.02), (0.125 * np.cos(at), 0.125 * np.sin(at)), at)
    tooth = mb.Touching("tooth", wheel, shape, pawl, tip, friction=0.1)
    rim = mb.Touching("rim", pawl, tip, wheel, mb.Disc(0.1), friction=0.1)
    drive = mb.Motor("drive", axle, lambda t: 0.3 * g.sin(6 * t))
    ratchet = mb.Mechanism("ratchet", [wheel, pawl], [axle, hinge, tooth, rim], [drive])
    state = ratchet.state(wheel.pose(angle=0.2), pawl.pose((-0.25, 0.19), -0.25))
    run = g.simulate(ratchet.system, *state, t_end=0.7)
    free = [e.t for e in run.events if e.kind == "release" and e.name == "tooth"]
    angle = turned(run, "wheel")
    rests = (run.t > 0.26) & (run.t < free[0])
    np.testing.assert_allclose(angle[rests], angle[rests][0], atol=1e-9)
    assert np.pi / 6 < free[0] < 0.53
    assert angle[-1] < angle[rests][0] - 0.1
    assert all(claim.holds for claim in friction_claims(run))


# ------------------------------------------------------------------ bad input

BALL, PLATE = mb.PlanarBody("ball", 1.0, 0.1), mb.PlanarBody("plate", 1.0, 0.1)
DUMMY = g.System("dummy", "x", kinetic_energy=lambda v: v.x**2)
SOLID = mb.Body("solid", mb.box(1.0, (0.1, 0.2, 0.3)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mb.Disc(-1.0), "radius of a Disc"),
        (lambda: mb.Box((1.0, -1.0)), "sides of a Box"),
        (lambda: mb.Touching("t", BALL, mb.Box((1.0, 0.0)), mb.GROUND, mb.HalfPlane()), "touches must be positive"),
        (lambda: mb.Touching("t", BALL, mb.Disc(1.0, (0, 0, 1)), mb.GROUND, mb.HalfPlane()), "touches in the plane"),
        (lambda: mb.Box((1.0,)), "two sides"),
        (lambda: mb.HalfPlane(normal=(0, 0)), "zero vector"),
        (lambda: mb.Level("x"), "function of x and y"),
        (lambda: mb.Touching("t", BALL, mb.Disc, PLATE, mb.Disc(1.0)), "must be a Disc"),
        (lambda: mb.Touching("t", BALL, mb.Disc(1.0), BALL, mb.Disc(1.0)), "with itself"),
        (lambda: mb.Touching("t", BALL, mb.Disc(0.0), PLATE, mb.Disc(0.0)), "no common normal"),
        (lambda: mb.Touching("t", BALL, mb.Disc(1.0), PLATE, mb.Hole(0.9)), "does not fit"),
        (lambda: mb.Touching("t", BALL, mb.Hole(1.0), PLATE, mb.HalfPlane()), "cannot touch"),
        (lambda: mb.Touching("t", BALL, mb.Ball(1.0), mb.GROUND, mb.PlaneSurface()), "in the plane"),
        (lambda: mb.Touching("t", BALL, mb.Disc(1.0), mb.GROUND, mb.PlaneSurface()), "both"),
        (lambda: mb.Touching("t", BALL, mb.Disc(1.0), mb.GROUND, mb.Level(lambda x, y: y)), "distance=True"),
        (lambda: mb.Touching("t", SOLID, mb.Box((1, 1, 1)), mb.GROUND, mb.Box((1, 1, 1))), "edges"),
        (
            lambda: mb.Touching("t", SOLID, mb.Box((1, 1, 1)), mb.GROUND, mb.SphericalSurface((0, 0, 0), 1)),
            "use a Ball",
        ),
        (lambda: mb.Touching("t", SOLID, mb.Ball(1.0), mb.Particle("p", 1.0), mb.PlaneSurface()), "give it a Ball"),
        (lambda: mb.Touching("t", BALL, mb.Disc(1.0), mb.GROUND, mb.HalfPlane(), friction=-0.1), "friction"),
        (lambda: mb.Touching("t", BALL, mb.Disc(1.0), mb.GROUND, mb.HalfPlane(), 0.3, 0.2), "μ_k ≤ μ_s"),
        (lambda: mb.Touching("t", BALL, mb.Disc(1.0), mb.GROUND, mb.HalfPlane(), restitution=2.0), "restitution"),
        (lambda: mb.Posed("p", "x", 3.0), "pose"),
        (lambda: mb.Posed("p", "x", lambda q: (q.x,)).placed({"x": 1.0}), "entries"),
        (lambda: DUMMY.with_constraints([g.Friction("n", lambda v: v.x, limit=1.0)] * 2), "names must differ"),
        (lambda: mb.RoughSlider("s", BALL, (0, 0), PLATE, (0, 0)), "length"),
        (lambda: mb.Brake("b", mb.Pin("p", BALL, (0, 0), PLATE, (0, 0)), -1.0), "torque of the brake"),
        (lambda: mb.Brake("b", mb.Pin("p", BALL, (0, 0), PLATE, (0, 0)), 2.0, 1.0), "at rest"),
        (lambda: mb.Brake("b", BALL, 2.0), "needs a joint"),
        (lambda: mb.BeltDrive("b", *two_wheels()[2:], 0.1, 0.0, 100.0, 0.3, 2.5), "radius2"),
        (lambda: mb.RoughSlider("s", BALL, (0, 0), PLATE, (0, 0), (1, 0), 0.2, 0.3, 0.1), "μ_k ≤ μ_s"),
        (lambda: mb.belt_friction(lambda v: v.a, -0.1, 1.0), "friction coefficient"),
        (lambda: mb.belt_friction(lambda v: v.a, 0.1, -1.0), "wrap"),
        (lambda: mb.belt_friction(lambda v: v.a, 0.1, 1.0, groove=4.0), "groove"),
    ],
)
def test_bad_input_is_told(make, words):
    with pytest.raises(g.errors.GaussError, match=words):
        make()


def test_a_ball_that_is_thrown_slips_and_then_rolls():
    ball = mb.Body("ball", mb.sphere(1.0, 0.1))
    floor = mb.Touching("floor", ball, mb.Ball(0.1), mb.GROUND, mb.PlaneSurface(), friction=0.3)
    mechanism = mb.Mechanism("ball", [ball], [floor])
    run = g.simulate(mechanism, *mechanism.state(ball.pose((0, 0, 0.1), velocity=(0.5, 0, 0))), t_end=0.2)
    assert [event.kind for event in run.events] == ["stick"]  # from there on it rolls
    assert run["d_ball_x"][-1] == pytest.approx(5 / 7 * 0.5, rel=1e-9)


def test_a_coefficient_of_friction_beyond_those_of_dry_surfaces_gives_a_warning():
    ball = mb.Body("ball", mb.sphere(1.0, 0.1))
    touch = lambda mu: mb.Touching("floor", ball, mb.Ball(0.1), mb.GROUND, mb.PlaneSurface(), friction=mu)  # noqa: E731
    with pytest.warns(g.errors.ImplausibleWarning, match=r"contact 'floor' is 12; .* write 0\.12 or np\.tan"):
        touch(12.0)
    pin = mb.Pin("pin", mb.GROUND, (0, 0), mb.PlanarBody("disc", 1.0, 0.1), (0, 0))
    with pytest.warns(g.errors.ImplausibleWarning, match="friction 'dry' of a pin is 12"):
        mb.PinFriction("dry", pin, 12.0, 0.01)
    touch(4.5)
    touch(1e6)  # nothing is to slip
