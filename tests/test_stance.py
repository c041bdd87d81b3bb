"""Stance, grasp and press: against statics by hand."""

from __future__ import annotations

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
from gauss.errors import InputError

G = 9.81
GROUND = mb.PlaneSurface((0, 0, 0), (0, 0, 1))


def on_slope(alpha, mu):
    """A box in the plane on a slope of angle α, and its state."""
    body = mb.PlanarBody("box", 2.0, 0.1)
    sole = mb.Touching(
        "sole", body, mb.Box((0.4, 0.2)), mb.GROUND, mb.HalfPlane(normal=(-np.sin(alpha), np.cos(alpha))), mu
    )
    world = mb.Mechanism("slope", [body])
    q, _ = world.state(body.pose((-0.1 * np.sin(alpha), 0.1 * np.cos(alpha)), angle=alpha))
    return world, q, sole, body


@pytest.mark.sampled(3)
@pytest.mark.parametrize("alpha", [0.1, 0.4, 0.7])
def test_a_box_on_a_slope_needs_the_tangent_of_its_angle(alpha):
    world, q, sole, _ = on_slope(alpha, 1.1 * np.tan(alpha))
    found = mb.stance(world, q, sole)
    assert found.stays
    assert found.verdict == "one"
    assert set(found.does.values()) == {"holds"}
    assert abs(found.required.value - np.tan(alpha)) < 1e-9
    # moments about the middle of the sole: N(right) − N(left) = W sin α · (0.1/0.2)
    low, high = np.array([found.normal(name) for name in found.does]).T
    assert np.max(np.abs(high - low)) < 1e-8 * 2 * G
    W = 2 * G
    expected = 0.5 * W * (np.cos(alpha) + np.array([1, -1]) * np.sin(alpha) * 0.5)
    assert np.max(np.abs(low - expected)) < 1e-8 * W


@pytest.mark.parametrize("alpha", [0.1, 0.4, 0.7])
def test_with_less_friction_it_slips(alpha):
    world, q, sole, _ = on_slope(alpha, 0.9 * np.tan(alpha))
    found = mb.stance(world, q, sole)
    assert not found.stays
    assert found.forces is None
    assert found.verdict == "one"
    assert set(found.does.values()) == {"slips"}
    with pytest.raises(InputError, match="cannot stay"):
        found.normal("sole[0]")


@pytest.mark.parametrize("alpha", [0.2, 0.5])
def test_a_box_in_space_needs_the_same(alpha):
    body = mb.Body("box", mb.box(2.0, (0.4, 0.3, 0.2)))
    down = (G * np.sin(alpha), 0.0, -G * np.cos(alpha))
    world = mb.Mechanism("slope", [body], gravity=down)
    q, _ = world.state(body.pose((0, 0, 0.1)))
    for share, stays, word in ((1.05, True, "holds"), (0.95, False, "slips")):
        sole = mb.Touching("sole", body, mb.Box((0.4, 0.3, 0.2)), mb.GROUND, GROUND, share * np.tan(alpha))
        found = mb.stance(world, q, sole)
        assert found.stays == stays
        assert set(found.does.values()) == {word}
        assert abs(found.required.value - np.tan(alpha)) < 1e-8
        assert found.verdict == "undecided"  # nothing excludes other motions, and it says so
        assert ("other motions are not excluded" in found.sentence) == stays


def ladder(theta, floor, wall):
    body = mb.PlanarBody("ladder", 10.0, 10.0 * 16 / 12)
    foot = mb.Touching("foot", body, mb.Disc(0.0, (-2.0, 0.0)), mb.GROUND, mb.HalfPlane(), floor)
    head = mb.Touching("head", body, mb.Disc(0.0, (2.0, 0.0)), mb.GROUND, mb.HalfPlane(normal=(1.0, 0.0)), wall)
    world = mb.Mechanism("ladder", [body])
    q, _ = world.state(body.pose((2 * np.cos(theta), 2 * np.sin(theta)), angle=np.pi - theta))
    return world, q, [foot, head]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("theta", [0.6, 0.9, 1.2])
def test_a_ladder_at_a_wall(theta):
    """With μ at both ends tan θ = (1 − μ²)/(2μ); with a smooth wall μ = 1/(2 tan θ), and it presses W/(2 tan θ)."""
    t = np.tan(theta)
    found = mb.stance(*ladder(theta, 1.0, 1.0))
    assert abs(found.required.value - (np.sqrt(1 + t * t) - t)) < 1e-9
    world, q, touching = ladder(theta, 1.0, 0.0)
    smooth = mb.stance(world, q, touching)
    asked = g.contact.required_coefficient(smooth.problem, contacts=["foot"])
    assert abs(asked.value - 0.5 / t) < 1e-9
    assert np.allclose(smooth.normal("head"), 10 * G / (2 * t), rtol=1e-9)
    assert np.allclose(smooth.normal("foot"), 10 * G, rtol=1e-9)


def grasp(mu, press, beta=0.0, gravity=G):
    """An object between two fingers on sliders; its sides lean by β."""
    thing = mb.PlanarBody("thing", 0.5, 0.01)
    fingers = [mb.PlanarBody(name, 0.1, 0.001) for name in ("left", "right")]
    sliders = [mb.Slider(f"slide {one.name}", mb.GROUND, (0, 0), one, (0, 0), axis1=(1.0, 0.0)) for one in fingers]
    c, s = np.cos(beta), np.sin(beta)
    touching = [
        mb.Touching(one.name, one, mb.Disc(0.02), thing, mb.HalfPlane((side * 0.1, 0.0), (side * c, s)), mu)
        for one, side in zip(fingers, (-1, 1), strict=True)
    ]
    world = mb.Mechanism("grasp", [thing, *fingers], sliders, gravity=(0.0, -gravity))
    reach = 0.1 + 0.02 / c
    q, _ = world.state(
        thing.pose(), *(one.pose((side * reach, 0.0)) for one, side in zip(fingers, (-1, 1), strict=True))
    )
    return world, q, touching, {"slide left": press, "slide right": -press if not isinstance(press, str) else press}


def test_two_fingers_hold_a_weight_by_friction():
    """Each finger bears half the weight: μ = W/(2F)."""
    found = mb.stance(*grasp(0.5, 10.0))
    assert found.stays
    assert abs(found.required.value - 0.5 * G / 20) < 1e-9
    assert np.allclose(found.normal("left"), 10.0)
    assert np.allclose(np.abs(found.tangential("left")), 0.25 * G)
    assert not mb.stance(*grasp(0.2, 10.0)).stays
    free = mb.stance(*grasp(0.2, "free"))
    assert free.stays
    low, high = free.torque("slide left")
    assert abs(low - 0.25 * G / 0.2) < 1e-7  # the least press that holds it, and any larger one
    assert high == np.inf


@pytest.mark.parametrize("beta", [0.1, 0.3])
def test_sides_that_lean_need_the_tangent_of_their_angle(beta):
    found = mb.stance(*grasp(0.5, 10.0, beta, 0.0))
    assert abs(found.required.value - np.tan(beta)) < 1e-9


@pytest.mark.sampled(4)
@pytest.mark.parametrize("coordinates", ["natural", "joint"])
def test_hands_that_press_on_two_walls_hold_the_weight(coordinates):
    """With the force F of either arm μ = W/(2F); with μ the arms need W/(2μ) at least."""
    torso = mb.PlanarBody("torso", 60.0, 2.0)
    hands = [mb.PlanarBody(name, 1.0, 0.01) for name in ("left", "right")]
    arms = [mb.Slider(f"arm {x.name}", torso, (0, 0), x, (0, 0), axis1=(1.0, 0.0)) for x in hands]
    touching = [
        mb.Touching(x.name, x, mb.Box((0.02, 0.1)), mb.GROUND, mb.HalfPlane((side * 0.6, 0), (-side, 0.0)), 0.5)
        for x, side in zip(hands, (-1, 1), strict=True)
    ]
    world = mb.Mechanism("chimney", [torso, *hands], arms, coordinates=coordinates)
    q, _ = world.state(torso.pose(), hands[0].pose((-0.59, 0)), hands[1].pose((0.59, 0)))
    W = 62 * G
    given = mb.stance(world, q, touching, {"arm left": -800.0, "arm right": 800.0})
    assert given.stays
    assert abs(given.required.value - W / 1600) < 1e-9
    assert not mb.stance(world, q, touching, {"arm left": -600.0, "arm right": 600.0}).stays
    free = mb.stance(world, q, touching, {"arm left": (-5000.0, 0.0), "arm right": "free"})
    assert np.allclose(free.torque("arm left"), (-5000.0, -W), rtol=1e-9)
    assert np.allclose(free.torque("arm right"), (W, 5000.0), rtol=1e-9)


def biped(shift, coordinates="natural", **torques):
    """A torso on two legs whose feet are 0.3 m apart; its centre of mass is at x = shift."""
    torso = mb.PlanarBody("torso", 30.0, 1.0, centre=(shift, 0.3))
    legs = [mb.PlanarBody(name, 0.0 + 5.0, 0.2, centre=(0.0, -0.4)) for name in ("left", "right")]
    hips = [mb.Pin(f"hip {leg.name}", torso, (0, 0), leg, (0, 0)) for leg in legs]
    angle = np.arcsin(0.15 / 0.8)
    touching = [mb.Touching(leg.name, leg, mb.Disc(0.0, (0.0, -0.8)), mb.GROUND, mb.HalfPlane(), 0.6) for leg in legs]
    world = mb.Mechanism("biped", [torso, *legs], hips, coordinates=coordinates)
    height = 0.8 * np.cos(angle)
    poses = [leg.pose((0.0, height), angle=side * angle) for leg, side in zip(legs, (-1, 1), strict=True)]
    q, _ = world.state(torso.pose((0.0, height)), *poses)
    return world, q, touching, torques or "free"


@pytest.mark.sampled(5)
@pytest.mark.parametrize("coordinates", ["natural", "joint"])
@pytest.mark.parametrize("shift", [-0.15, 0.0, 0.1])
def test_a_biped_stands_while_its_centre_is_between_its_feet(shift, coordinates):
    world, q, touching, torques = biped(shift, coordinates)
    found = mb.stance(world, q, touching, torques)
    weight = 40 * G
    centre = 30 * shift / 40  # the legs are symmetric
    right = weight * (0.5 + centre / 0.3)
    assert found.stays
    assert np.allclose(found.normal("right"), right, atol=1e-7 * weight)
    assert np.allclose(found.normal("left"), weight - right, atol=1e-7 * weight)


@pytest.mark.parametrize("shift", [-0.25, 0.25])
def test_beyond_its_feet_it_tips(shift):
    world, q, touching, torques = biped(shift)
    found = mb.stance(world, q, touching, torques)
    assert not found.stays
    assert found.required.value == np.inf
    assert found.does["left" if shift > 0 else "right"] == "opens"


def test_torques_of_the_hips_within_limits_are_those_of_the_closed_form():
    """A foot bears p up and t inwards; its leg is in balance about the hip with the torque of its motor."""
    world, q, touching, _ = biped(0.0)
    spread, height = 0.15, float(np.sqrt(0.8**2 - 0.15**2))
    # friction of either foot: t; torque of the hip on the leg: ∓(p spread − t height − m g spread/2)
    p, mu = 20 * G, 0.6
    free = mb.stance(world, q, touching, "free")
    inner = p * spread - 5 * G * spread / 2
    expected = sorted(abs(inner - sign * mu * p * height) for sign in (1, -1))
    found = sorted(abs(x) for x in free.torque("hip left"))
    assert np.allclose(found, expected, rtol=1e-7)
    least = inner / height  # the friction with which no torque is needed
    none = mb.stance(world, q, touching)
    assert np.allclose(np.abs(none.tangential("left")), least, rtol=1e-7)
    assert abs(none.required.value - least / p) < 1e-9
    limited = mb.stance(world, q, touching, {"hip left": (-5, 5), "hip right": (-5, 5)})
    assert np.allclose(
        sorted(np.abs(limited.tangential("left")[0])), [least - 5 / height, least + 5 / height], rtol=1e-7
    )
    assert np.allclose(limited.torque("hip left"), (-5, 5), rtol=1e-7)
    assert abs(limited.required.value - (least - 5 / height) / p) < 1e-9


@pytest.mark.parametrize("centre", [(0.0, 0.0), (0.1, -0.05), (0.3, 0.2)])
def test_four_legs_are_undetermined_by_one(centre):
    """Nᵢ = W/4 (1 ± x/a ± y/b) ± s, with s as large as no leg pulls."""
    a, b = 0.5, 0.3
    body = mb.Body("table", mb.box(8.0, (1.0, 0.6, 0.1), (*centre, 0.7)))
    feet = [(x, y) for y in (-b, b) for x in (-a, a)]
    touching = [
        mb.Touching(f"leg {k}", body, mb.Ball(0.0, (*foot, 0.0)), mb.GROUND, GROUND, 0.4) for k, foot in enumerate(feet)
    ]
    world = mb.Mechanism("table", [body])
    found = mb.stance(world, world.state(body.pose())[0], touching)
    W, signs = 8 * G, np.array([1, -1, -1, 1])
    means = np.array([W / 4 * (1 + np.sign(x) * centre[0] / a + np.sign(y) * centre[1] / b) for x, y in feet])
    low, high = -np.min(means[signs > 0]), np.min(means[signs < 0])
    ends = np.sort(means[:, None] + signs[:, None] * np.array([low, high]), axis=1)
    ranges = np.array([found.normal(f"leg {k}") for k in range(4)])
    inside = low <= high
    assert found.stays == inside
    assert np.max(np.abs(ranges - ends)) < 1e-7 * W
    assert found.verdict == "one"  # rest needs no friction


def press(limits, space):
    """A bar on a hinge whose tip lies on a floor: p l = m g l/2 − τ, with the torque τ of the motor that lifts it."""
    if space:
        bar = mb.Body("bar", mb.box(3.0, (1.0, 0.02, 0.02), (0.5, 0, 0)))
        hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), bar, (0, 0, 0), axis1=(0, -1, 0))
        tip = mb.Touching("tip", bar, mb.Ball(0.0, (1.0, 0, 0)), mb.GROUND, GROUND, 0.5)
    else:
        bar = mb.PlanarBody("bar", 3.0, 0.25, centre=(0.5, 0.0))
        hinge = mb.Pin("hinge", mb.GROUND, (0, 0), bar, (0, 0))
        tip = mb.Touching("tip", bar, mb.Disc(0.0, (1.0, 0)), mb.GROUND, mb.HalfPlane(), 0.5)
    world = mb.Mechanism("press", [bar], [hinge], coordinates="joint" if space else "natural")
    return mb.stance(world, world.state(bar.pose())[0], tip, {"hinge": limits})


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("limits", [(-4.0, 4.0), (-2.0, 30.0), (-40.0, -3.0)])
def test_a_motor_within_limits_presses_within_limits(limits, space):
    found = press(limits, space)
    half = 1.5 * G
    low, high = max(half - limits[1], 0.0), half - limits[0]
    assert np.allclose(found.normal("tip"), (low, high), atol=1e-7)
    assert np.allclose(found.torque("hinge"), (half - high, half - low), atol=1e-7)
    assert found.stays
    assert found.does == {"tip": "holds"}
    assert found.verdict == "one"


@pytest.mark.parametrize("space", [False, True])
def test_a_motor_that_lifts_too_strongly_opens_the_contact(space):
    found = press((20.0, 30.0), space)
    assert not found.stays
    assert found.does["tip"] == ("undetermined" if space else "opens")  # in space nothing lists the motions


def test_what_may_push_a_block():
    """Along the floor up to μ W either way, upwards up to W, downwards without end."""
    world, q, sole, body = on_slope(0.0, 0.4)
    found = mb.stance(world, q, sole)
    W = 2 * G
    assert np.allclose(found.pushed(mb.push_on(world, q, body, (0, -0.1), (1, 0))), (-0.4 * W, 0.4 * W), rtol=1e-8)
    low, high = found.pushed(mb.push_on(world, q, body, (0, 0), (0, 1)))
    assert low == -np.inf
    assert abs(high - W) < 1e-8 * W
    # at the upper edge it tips before it slips: F · 0.2 = W · 0.2 at 1 N per unit of half the width
    wide = mb.stance(world, q, mb.Touching("s", body, mb.Box((0.4, 0.2)), mb.GROUND, mb.HalfPlane(), 2.0))
    assert np.allclose(wide.pushed(mb.push_on(world, q, body, (0, 0.1), (1, 0))), (-W, W), rtol=1e-8)


def test_a_box_between_two_walls_may_stay_and_may_fall():
    body = mb.PlanarBody("box", 1.0, 0.05)
    walls = [
        mb.Touching(name, body, mb.Box((0.2, 0.2)), mb.GROUND, mb.HalfPlane((side * 0.1, 0), (-side, 0.0)), 0.3)
        for name, side in (("left", -1), ("right", 1))
    ]
    world = mb.Mechanism("shaft", [body])
    found = mb.stance(world, world.state(body.pose())[0], walls)
    assert found.stays
    assert found.verdict == "continuum"  # it rests, or falls with any friction up to the full one
    assert set(found.does.values()) == {"undetermined"}
    assert "other motions as well" in found.sentence


def test_contacts_of_the_mechanism_itself_count():
    world, q, sole, body = on_slope(0.2, 0.5)
    own = mb.Mechanism("own", [body], [sole])
    one, two = mb.stance(world, q, sole), mb.stance(own, q)
    for name in one.does:
        assert np.allclose(one.normal(name), two.normal(name), rtol=1e-9)
    assert abs(one.required.value - two.required.value) < 1e-12


def test_constant_limits_in_space_are_those_of_the_plane():
    """Linear programs over planar contacts, and cones over the same contacts with a second tangent row of zeros."""
    world, q, touching, _ = biped(0.03)
    found = mb.stance(world, q, touching, {"hip left": (-5, 8), "hip right": (-20, 3)})
    p = found.problem
    T, tau = np.stack([p.T, np.zeros_like(p.T)], axis=1), np.zeros((p.k, 2))
    space = g.contact.ContactProblem.of(
        p.M, p.f, p.N, p.nu, T, tau, p.static, J=p.J, gamma=p.gamma, limited=p.limited, names=p.names
    )
    rest = np.zeros(len(p.f))
    cones = g.contact.contact_forces(space, rest)
    assert np.allclose(cones.normal, found.forces.normal, atol=1e-6)
    assert np.allclose(cones.tangential[:, 0], found.forces.tangential, atol=1e-6)
    names = ["left", "right"]
    one, two = (g.contact.required_coefficient(each, contacts=names).value for each in (space, p))
    assert abs(one - two) < 1e-8
    with pytest.raises(InputError, match="constant limit is solved in the plane"):
        g.contact.solve_contacts(space)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(40))
def test_rest_that_needs_limited_torques_alone_is_the_only_acceleration(seed):
    """Proved in space without a list of modes; in the plane all modes are tried."""
    rng = np.random.default_rng(seed)
    n, k = 4, 4
    A = rng.normal(size=(n, n))
    M = A @ A.T + 0.1 * np.eye(n)
    limited = np.array([False, False, True, True])
    N = np.where(limited[:, None], 0.0, rng.normal(size=(k, n)))
    T, mu = rng.normal(size=(k, n)), np.array([0.5, 1.5, 1.0, 2.0])
    p, t = rng.uniform(0.0, 2.0, size=k), np.array([0.0, 0.0, *(mu[2:] * rng.uniform(-1.0, 1.0, size=2))])
    t[:2] += (seed % 2) * 0.2 * p[:2]  # every second needs friction
    given = {"limited": limited, "names": list("abcd")}
    f = -(N.T @ p + T.T @ t)
    plane = g.contact.ContactProblem.of(M, f, N, np.zeros(k), T, np.zeros(k), mu, **given)
    both = np.stack([T, np.zeros_like(T)], axis=1)
    space = g.contact.ContactProblem.of(M, f, N, np.zeros(k), both, np.zeros((k, 2)), mu, **given)
    rest = np.zeros(n)
    assert g.contact.admits(space, rest)
    assert g.contact.admits(plane, rest)
    if g.contact.only_acceleration(space, rest):
        verdict = g.contact.solve_contacts(plane)
        assert verdict.verdict == "one"
        assert np.max(np.abs(verdict.a)) < 1e-7
    else:
        assert seed % 2


def test_what_cannot_be_decided_is_refused():
    world, q, sole, _ = on_slope(0.2, 1e12)
    with pytest.raises(InputError, match="coefficient of friction"):
        mb.stance(world, q, sole)


def test_bad_input():
    world, q, sole, body = on_slope(0.2, 0.5)
    with pytest.raises(InputError, match="nothing touches"):
        mb.stance(world, q)
    with pytest.raises(InputError, match="two contacts are called"):
        mb.stance(world, q, [sole, sole])
    with pytest.raises(InputError, match=r"torques name 'knee', which is .*; it has no joint with a motion"):
        mb.stance(world, q, sole, {"knee": 1.0})
    with pytest.raises(InputError, match="overlaps"):
        mb.stance(world, world.state(body.pose((0, 0)))[0], sole)
    with pytest.raises(InputError, match="Touching"):
        mb.stance(world, q, [3])
    with pytest.raises(InputError, match="lesser one first"):
        press((3.0, 1.0), False)
    with pytest.raises(InputError, match="no motor"):
        press(1.0, False).torque("knee")
