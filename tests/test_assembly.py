"""Loops closed from rough poses: against circles, a quadratic, a scan of a coupler curve, and their derivatives."""

from __future__ import annotations

import re

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
from gauss.bodies.assembly.closing import Loops

EPS = float(np.finfo(float).eps)
X, Y, Z = np.eye(3)
BARS = (0.3, 0.8, 0.6)  # m: crank, coupler, rocker; the ground has 1 m


def four_bar(bars=BARS, ground=1.0, **options):
    """Crank, coupler and rocker as planar bodies, with their pins."""
    crank, coupler, rocker = (
        mb.PlanarBody(name, 1.0 + k, 0.1, (length / 2, 0.1 * k))
        for k, (name, length) in enumerate(zip(("crank", "coupler", "rocker"), bars, strict=True))
    )
    pins = [
        mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0)),
        mb.Pin("B", crank, (bars[0], 0), coupler, (0, 0)),
        mb.Pin("C", coupler, (bars[1], 0), rocker, (bars[2], 0)),
        mb.Pin("D", mb.GROUND, (ground, 0), rocker, (0, 0)),
    ]
    return mb.Mechanism("four-bar", [crank, coupler, rocker], pins, **options)


def rough(linkage, angle=1.0, rate=0.0, ground=1.0):
    crank, coupler, rocker = linkage.bodies
    return crank.pose(angle=angle, rate=rate), coupler.pose((0.2, 0.3), 0.2), rocker.pose((ground, 0.1), 1.5)


def circles(phi, sign, bars=BARS, ground=1.0):
    """Angles of coupler and rocker, from the intersection of two circles; complex crank angles pass."""
    a, b, c = bars
    x, y = a * np.cos(phi), a * np.sin(phi)
    dx, dy = ground - x, -y
    squared = dx**2 + dy**2
    along = (squared + b**2 - c**2) / (2 * squared)
    across = sign * np.sqrt(b**2 / squared - along**2)
    ex, ey = along * dx - across * dy, along * dy + across * dx  # from B to C
    return _angle(ey, ex), _angle(ey - dy, ex - dx)


def _angle(s, c):
    return (
        np.arctan2(s, c)
        if np.isrealobj(s)
        else np.arctan2(s.real, c.real) + 1j * ((s / c).imag / (1 + (s / c).real ** 2))
    )


def around(*angles):
    return np.angle(np.exp(1j * np.array(angles)))


def rows_of(mechanism, state):
    return mechanism.system.model.residuals(state.q, state.v, state.t, mechanism.system.theta())


# ------------------------------------------------------------------ a planar four-bar


@pytest.mark.sampled(8)
@pytest.mark.parametrize("side", [1.5, -1.5])
@pytest.mark.parametrize("angle", [0.3, 1.0, 2.5, -1.7, np.pi])
def test_both_modes_of_a_four_bar_are_those_of_two_circles(angle, side):
    linkage = four_bar()
    built = mb.assemble(linkage, *rough(linkage, angle)[:2], linkage.bodies[2].pose((1.0, 0.1), side), hold="bearing")
    assert built.complete
    assert len(built.modes) == 2
    found = sorted([m.values["bearing"] + m.values["B"], m.values["D"]] for m in built.modes)
    exact = sorted(circles(angle, sign) for sign in (1.0, -1.0))
    errors = around(*np.ravel(np.array(found) - np.array(exact)))
    other = around(*np.ravel(np.array(found[::-1]) - np.array(exact)))  # sorted before angles are taken mod 2π
    assert min(np.max(np.abs(errors)), np.max(np.abs(other))) < 100 * EPS
    assert np.allclose([m.values["bearing"] for m in built.modes], angle, rtol=0, atol=10 * EPS)
    assert built.modes[0].distance <= built.modes[1].distance
    assert np.array_equal(built.state.q, built.modes[0].state.q)


def test_random_starts_find_the_modes_of_the_closed_form_and_claim_no_proof(monkeypatch):
    linkage = four_bar()
    proved = mb.assemble(linkage, *rough(linkage), hold="bearing")
    monkeypatch.setattr("gauss.bodies.assembly.assembly.positions", lambda *arguments: None)
    found = mb.assemble(linkage, *rough(linkage), hold="bearing")
    assert (proved.complete, found.complete) == (True, False)
    assert "closed form" in proved.search
    assert "found by 60 starts, of which 60 closed; not proved complete" in found.search
    for one, two in zip(proved.modes, found.modes, strict=True):
        assert one.state.q == pytest.approx(two.state.q, abs=100 * EPS)


def test_a_driven_crank_needs_no_holding():
    linkage = four_bar()
    motion = mb.Driver("motor", linkage.joints[0], lambda t: 0.4 + 3.0 * t)
    driven = mb.Mechanism("driven four-bar", linkage.bodies, [*linkage.joints, motion])
    built = mb.assemble(driven, *rough(linkage, 0.2), t=0.2)
    held = mb.assemble(linkage, *rough(linkage, 1.0, 3.0), hold="bearing")
    assert (built.mobility, built.complete, len(built.modes)) == (0, True, 2)
    for one, two in zip(built.modes, held.modes, strict=True):
        assert one.state.q == pytest.approx(two.state.q, abs=100 * EPS)
        assert one.state.v == pytest.approx(two.state.v, abs=1000 * EPS)


def test_held_rate_and_angle_are_kept_and_the_other_rates_follow():
    linkage, angle, rate = four_bar(), 1.0, 3.0
    built = mb.assemble(linkage, *rough(linkage, angle, rate), hold="bearing")
    q, v = (linkage.named(x) for x in (built.state.q, built.state.v))
    for k, body in ((0, "coupler"), (1, "rocker")):
        slopes = [circles(angle + 1e-30j, sign)[k].imag / 1e-30 for sign in (1.0, -1.0)]
        angles = [circles(angle, sign)[k] for sign in (1.0, -1.0)]
        now = np.arctan2(q[f"{body}_s"], q[f"{body}_c"])
        mine = int(np.argmin(np.abs(around(*(now - np.array(angles))))))
        turning = v[f"{body}_s"] * q[f"{body}_c"] - v[f"{body}_c"] * q[f"{body}_s"]
        assert turning == pytest.approx(rate * slopes[mine], rel=1e-12)
    phi, psi = rows_of(linkage, built.state)
    assert max(np.max(np.abs(phi)), np.max(np.abs(psi))) < 100 * EPS * rate
    assert v["crank_s"] * q["crank_c"] - v["crank_c"] * q["crank_s"] == pytest.approx(rate, rel=10 * EPS)


def test_the_freedom_has_unit_rate_in_the_first_joint_and_the_slopes_of_the_circles_in_the_others():
    linkage, angle = four_bar(), 1.0
    built = mb.assemble(linkage, *rough(linkage, angle), hold="bearing")
    assert built.mobility == 1
    assert built.independent == ("bearing",)
    assert built.moving == ("bearing", "B", "C", "D")
    sign = min((1.0, -1.0), key=lambda s: abs(around(circles(angle, s)[1] - built.values["D"])[0]))
    coupler, rocker = (x.imag / 1e-30 for x in circles(angle + 1e-30j, sign))
    exact = {"bearing": 1.0, "B": coupler - 1.0, "C": rocker - coupler, "D": rocker}
    for name, value in exact.items():
        assert built.rates[name][0] == pytest.approx(value, rel=1e-12)
    J = linkage.system.model.terms(built.state.q, built.state.v, 0.0, linkage.system.theta()).J
    assert np.max(np.abs(J @ built.freedoms)) < 100 * EPS
    places, moves = linkage.named(built.state.q), linkage.named(built.freedoms[:, 0])
    assert moves.rocker_s * places.rocker_c - moves.rocker_c * places.rocker_s == pytest.approx(rocker, rel=1e-12)


def test_what_was_moved_and_by_how_much():
    linkage = four_bar()
    given = rough(linkage)
    built = mb.assemble(linkage, *given, hold="bearing")
    q0, named = linkage.named(linkage.state(*given)[0]), linkage.named(built.state.q)
    for moved in built.moved:
        shift = np.hypot(*(named[f"{moved.body}_{x}"] - q0[f"{moved.body}_{x}"] for x in "xy"))
        angles = [np.arctan2(x[f"{moved.body}_s"], x[f"{moved.body}_c"]) for x in (named, q0)]
        assert moved.shift == pytest.approx(shift, abs=10 * EPS)
        assert moved.turn == pytest.approx(abs(around(angles[0] - angles[1])[0]), abs=10 * EPS)
    assert built.largest == (max(m.shift for m in built.moved), max(m.turn for m in built.moved))
    assert built.largest[0] > 0.05
    assert str(built).startswith("'four-bar' is assembled; 1 freedom (bearing, B, C, D move); no redundant rows.")


def test_without_anything_held_the_positions_are_a_continuum():
    linkage = four_bar()
    built = mb.assemble(linkage, *rough(linkage))
    assert built.loose == 1
    assert len(built.modes) == 1
    assert not built.complete
    assert "continuum" in built.search
    assert np.max(np.abs(rows_of(linkage, built.state)[0])) < 100 * EPS
    near = mb.assemble(linkage, *rough(linkage), hold="bearing", modes="nearest")
    assert (len(near.modes), near.search) == (1, "Other modes were not looked for.")


def test_a_dead_centre_is_one_mode_and_a_rhombus_folded_together_a_continuum():
    dead = four_bar((0.3, 0.8, 0.6), ground=1.1)  # crank and ground in line: 0.8 + 0.6 = 1.1 + 0.3
    built = mb.assemble(dead, *rough(dead, np.pi, ground=1.1), hold="bearing")
    assert len(built.modes) == 1
    assert built.complete
    assert built.values["B"] == pytest.approx(-np.pi, abs=1e-6) or built.values["B"] == pytest.approx(np.pi, abs=1e-6)
    rhombus = four_bar((1.0, 1.0, 1.0), ground=1.0)
    crank, coupler, rocker = rhombus.bodies
    folded = [crank.pose(), coupler.pose((1.0, 0.0), 0.4), rocker.pose((1.0, 0.0), 0.4)]
    flat = mb.assemble(rhombus, *folded, hold="bearing")  # B and D coincide: coupler and rocker turn together
    assert flat.loose == 1
    assert "continuum" in flat.search


def flat_four_bar(*lengths):
    """Crank, coupler and rocker of given lengths on feet whose distance is the last one."""
    a, b, c, ground = lengths
    crank, coupler, rocker = (mb.PlanarBody(name, 1.0, 0.1) for name in ("crank", "coupler", "rocker"))
    pins = [mb.Pin("A", mb.GROUND, (0, 0), crank, (0, 0)), mb.Pin("B", crank, (a, 0), coupler, (0, 0))]
    pins += [mb.Pin("C", coupler, (b, 0), rocker, (c, 0)), mb.Pin("D", mb.GROUND, (ground, 0), rocker, (0, 0))]
    return mb.Mechanism("four-bar", [crank, coupler, rocker], pins)


@pytest.mark.parametrize("lengths", [(1.0, 2.0, 1.0, 2.0), (1.0, 2.0, 2.0, 1.0)], ids=["parallelogram", "kite"])
def test_an_assembly_at_a_change_point_says_so(lengths):
    """Flat, both have two freedoms of first order, but the motions that meet there have one each."""
    linkage = flat_four_bar(*lengths)
    flat = mb.assemble(linkage, values={"A": 0.0})
    assert flat.mobility == 2
    assert "singular, a change point: several motions meet" in flat.sentence
    aside = mb.assemble(linkage, values={"A": 0.1})
    assert aside.mobility == 1
    assert "singular" not in aside.sentence


def test_rows_that_are_dependent_everywhere_make_no_change_point():
    cart = mb.Body("cart", mb.box(5.0, (0.4, 0.3, 0.1)))
    rails = [
        mb.Cylindrical(name, mb.GROUND, (0, y, 0), cart, (0, y, 0), axis1=(1, 0, 0))
        for name, y in (("left", 0.2), ("right", -0.2))
    ]
    built = mb.assemble(mb.Mechanism("cart", [cart], rails), cart.pose())
    assert built.redundant
    assert "singular" not in built.sentence


def test_a_unilateral_row_leaves_the_modes_it_allows():
    linkage = four_bar(constraints=[g.Unilateral("above", lambda q: q.rocker_s)])
    built = mb.assemble(linkage, *rough(linkage), hold="bearing")
    assert len(built.modes) == 1
    assert linkage.named(built.state.q).rocker_s > 0.5


def test_slider_crank_modes_are_those_of_circle_and_line():
    a, b, height, angle = 0.3, 0.9, 0.1, 0.7
    crank, rod, block = (mb.PlanarBody(name, 1.0, 0.1) for name in ("crank", "rod", "block"))
    engine = mb.Mechanism(
        "slider-crank",
        [crank, rod, block],
        [
            mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0)),
            mb.Pin("crank pin", crank, (a, 0), rod, (0, 0)),
            mb.Pin("wrist", rod, (b, 0), block, (0, 0)),
            mb.Slider("guide", mb.GROUND, (0, height), block, (0, 0), axis1=(1, 0)),
        ],
    )
    built = mb.assemble(
        engine, crank.pose(angle=angle), rod.pose((0.2, 0.2)), block.pose((1.0, 0), 0.2), hold="bearing"
    )
    half = np.sqrt(b**2 - (a * np.sin(angle) - height) ** 2)
    exact = a * np.cos(angle) + np.array([half, -half])
    assert [m.values["guide"] for m in built.modes] == pytest.approx(exact, abs=100 * EPS)
    assert built.complete
    by_piston = mb.assemble(
        engine, crank.pose(angle=angle), rod.pose((0.2, 0.2)), block.pose((1.0, height)), hold="guide"
    )
    assert by_piston.values["guide"] == pytest.approx(1.0, abs=100 * EPS)
    assert (len(by_piston.modes), by_piston.complete) == (2, True)


# ------------------------------------------------------------------ other loops


def test_all_modes_of_a_platform_on_three_legs_are_found():
    """Where the coupler curve of two legs and the platform meets the circle of the third leg: a scan by hand."""
    feet, corners = np.array([[0, 0], [1.4, 0], [0, -1.2]]), np.array([[0, 0], [1.0, 0], [0.8, 1.1]])
    lengths = (1.1, 1.5, 1.7)
    body = mb.PlanarBody("platform", 1.0, 0.2)
    legs = [
        mb.Distance(f"leg {k}", mb.GROUND, tuple(feet[k]), body, tuple(corners[k]), length=lengths[k]) for k in range(3)
    ]
    platform = mb.Mechanism("platform", [body], legs)
    built = mb.assemble(platform, body.pose((0.5, 0.6), 0.3))

    def miss(angle, sign):
        corner = lengths[0] * np.array([np.cos(angle), np.sin(angle)])
        gap = feet[1] - corner
        d = np.linalg.norm(gap)
        along = (d**2 + 1.0 - lengths[1] ** 2) / (2 * d)
        across = sign * np.sqrt(1.0 - along**2) if abs(along) <= 1.0 else np.nan
        e = (along * gap + across * np.array([-gap[1], gap[0]])) / d
        third = corner + corners[2][0] * e + corners[2][1] * np.array([-e[1], e[0]])
        return np.linalg.norm(third - feet[2]) - lengths[2]

    angles = np.linspace(-np.pi, np.pi, 4001)
    values = [np.array([miss(x, sign) for x in angles]) for sign in (1.0, -1.0)]
    crossings = sum(int(np.sum(v[:-1] * v[1:] < 0.0)) for v in values)
    assert built.mobility == 0
    assert len(built.modes) == crossings == 6  # the most there can be
    distances = [mode.distance for mode in built.modes]
    assert distances == sorted(distances)
    for mode in built.modes:
        place = body.placed(platform.named(mode.state.q))
        for foot, corner, length in zip(feet, corners, lengths, strict=True):
            assert np.hypot(*(np.array(place.point(corner)) - foot)) == pytest.approx(length, abs=100 * EPS)


@pytest.mark.long
def test_a_spatial_four_bar_with_two_ball_joints_has_the_two_modes_of_its_quadratic():
    """RSSR: crank about z at the origin, rocker about x at `pivot`, a thin rod between their ends."""
    a, c, length, pivot, angle = 0.3, 0.7, 1.2, np.array([0.2, 0.9, 0.1]), 0.8
    crank = mb.Body("crank", mb.box(1.0, (0.3, 0.1, 0.1)))
    rocker = mb.Body("rocker", mb.box(1.0, (0.1, 0.7, 0.1)))
    rod = mb.Rod("rod", mb.rod(1.0, (-length / 2, 0, 0), (length / 2, 0, 0)))
    loop = mb.Mechanism(
        "RSSR",
        [crank, rod, rocker],
        [
            mb.Revolute("bearing", mb.GROUND, (0, 0, 0), crank, (0, 0, 0), Z),
            mb.Spherical("A", crank, (a, 0, 0), rod, (-length / 2, 0, 0)),
            mb.Spherical("B", rod, (length / 2, 0, 0), rocker, (0, c, 0)),
            mb.Revolute("pivot", mb.GROUND, tuple(pivot), rocker, (0, 0, 0), X),
        ],
    )
    poses = [crank.pose(rotation=mb.about(Z, angle)), rod.pose((0.2, 0.5, 0), (0.3, 1, 0)), rocker.pose(pivot)]
    built = mb.assemble(loop, *poses, hold="bearing")
    gap = pivot - a * np.array([np.cos(angle), np.sin(angle), 0.0])  # |gap + c(0, cos ψ, sin ψ)| = length
    offset = (length**2 - gap @ gap - c**2) / (2 * c)
    exact = np.arctan2(gap[2], gap[1]) + np.array([1.0, -1.0]) * np.arccos(offset / np.hypot(gap[1], gap[2]))
    found = [np.arctan2(*(loop.named(m.state.q)[f"rocker_R{i}2"] for i in (3, 2))) for m in built.modes]
    assert len(found) == 2
    assert np.sort(around(*exact)) == pytest.approx(np.sort(found), abs=100 * EPS)
    assert built.mobility == 1  # a rod has no spin of its own
    assert not built.complete


def test_no_joint_is_put_together_reversed():
    """Rows for parallel axes hold for opposite ones too, and projection takes what is nearest."""
    body = mb.Body("body", mb.box(1.0, (0.3, 0.2, 0.1)))
    hinge = mb.Mechanism("hinge", [body], [mb.Revolute("hinge", mb.GROUND, (0, 0, 0), body, (0.1, 0, 0), Z)])
    pose = body.pose(rotation=mb.about(X, 2.9))
    nearest = g.consistent(hinge.system, *hinge.state(pose))
    assert hinge.named(nearest.q).body_R33 == pytest.approx(-1.0, abs=10 * EPS)
    built = mb.assemble(hinge, pose)
    R = built.state.q[3:].reshape(3, 3)
    assert R[2, 2] == pytest.approx(1.0, abs=10 * EPS)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=10 * EPS)
    assert built.moved[0].turn >= 2.9 - 1e-9  # no turn about another axis gets there by less


@pytest.mark.long
def test_a_weld_and_a_slide_given_upside_down_come_out_as_asked():
    body, turned = mb.Body("body", mb.box(1.0, (0.3, 0.2, 0.1))), mb.about((1, 2, 3), 2.0)
    for kind, mobility in ((mb.Weld, 0), (mb.Prismatic, 1)):
        fixed = mb.Mechanism("m", [body], [kind("j", mb.GROUND, (1, 0, 0), body, (0, 0.1, 0), orientation=turned)])
        built = mb.assemble(fixed, body.pose(rotation=mb.about(X, 3.0) @ turned))
        assert built.state.q[3:].reshape(3, 3) == pytest.approx(turned, abs=10 * EPS)
        assert built.mobility == mobility
        assert len(built.modes) == 1


def test_bodies_without_joints_stay_where_they_are():
    body, ball = mb.Body("body", mb.box(1.0, (0.3, 0.2, 0.1))), mb.Particle("ball", 1.0)
    for part, mobility in ((body, 6), (ball, 3)):
        free = mb.Mechanism("free", [part])
        pose = part.pose((1, 2, 3), velocity=(0.1, 0.2, 0.3))
        built = mb.assemble(free, pose)
        assert built.mobility == mobility
        assert built.loose == mobility
        assert (built.redundant, built.moving, built.values) == ((), (), {})
        assert built.state.q == pytest.approx(free.state(pose)[0], abs=10 * EPS)
        assert built.state.v == pytest.approx(free.state(pose)[1], abs=10 * EPS)


def test_velocities_change_least_in_the_mass_metric():
    body = mb.Body("body", mb.box(1.0, (0.3, 0.2, 0.1)))
    hinge = mb.Mechanism("hinge", [body], [mb.Revolute("hinge", mb.GROUND, (0, 0, 0), body, (0.1, 0, 0), Z)])
    given = body.pose((-0.1, 0, 0), velocity=(0.0, 1.0, 0.3), angular_velocity=(0.2, -0.4, 2.0))
    built = mb.assemble(hinge, given)
    # ½(m|v − v₀|² + J(ω − ω₀)²) with v = −0.1 ω along y: the weighted mean
    J = (0.3**2 + 0.2**2) / 12
    expected = (J * 2.0 - 0.1 * 1.0) / (J + 0.1**2)
    assert built.rates["hinge"] == pytest.approx([1.0])
    R, V = built.state.q, built.state.v
    assert V[6] * R[3] - V[3] * R[6] == pytest.approx(expected, rel=1e-12)


def test_displacements_are_derivatives_and_bodies_stay_rigid():
    body, rod = mb.Body("b", mb.box(1.0, (0.3, 0.2, 0.1))), mb.Rod("r", mb.rod(1.0, (0, 0, -0.5), (0, 0, 0.5)))
    ball = mb.Particle("p", 1.0)
    links = [
        mb.Spherical("A", body, (2.0, 0, 0), rod, (0, 0, 0.5)),
        mb.Spherical("B", rod, (0, 0, -0.5), ball, (0, 0, 0)),
    ]
    free = mb.Mechanism("free", [body, rod, ball], links)
    q, _ = free.state(body.pose(rotation=mb.about((1, 2, 3), 0.7)), rod.pose(direction=(1, 1, 0)), ball.pose((1, 0, 0)))
    loops = Loops.of(free, free.system, q, 0.0)
    rng = np.random.default_rng(4)
    q = loops.shuffled(q, rng)
    step = rng.normal(size=loops.tangent(q).shape[1])
    h = 1e-6
    slope = (loops.displaced(q, h * step) - loops.displaced(q, -h * step)) / (2 * h)
    assert loops.length == 2.0
    assert slope == pytest.approx(loops.tangent(q) @ step, abs=1e-8)  # h² and rounding over h
    far = loops.displaced(q, 5.0 * step)
    assert far[3:12].reshape(3, 3).T @ far[3:12].reshape(3, 3) == pytest.approx(np.eye(3), abs=10 * EPS)
    assert np.linalg.det(far[3:12].reshape(3, 3)) > 0.0
    assert np.linalg.norm(far[15:18]) == pytest.approx(1.0, abs=10 * EPS)
    shift, turn = loops.moves(q, loops.displaced(q, np.concatenate([np.ones(3), 0.4 * loops.length * Z, np.zeros(9)])))[
        0
    ]
    assert (shift, turn) == pytest.approx((np.sqrt(3.0), 0.4), abs=1e-12)


def test_the_same_call_gives_the_same_answer():
    linkage = four_bar()
    one, two = (mb.assemble(linkage, *rough(linkage), hold=["crank_c", "crank_s"]) for _ in range(2))
    assert [m.state.q.tolist() for m in one.modes] == [m.state.q.tolist() for m in two.modes]
    assert one.held == ("crank_c", "crank_s")
    assert (len(one.modes), one.complete) == (2, True)


def test_a_change_point_is_reached_exactly_from_rough_poses():
    """Crank and rod of one length on a line: the rows alone are closed 1e-9 beside it, on one of its motions."""
    crank, rod, block = (mb.PlanarBody(name, 1.0, 0.01) for name in ("crank", "rod", "block"))
    pins = [mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0)), mb.Pin("pin", crank, (0.16, 0), rod, (0, 0))]
    pins += [mb.Pin("wrist", rod, (0.16, 0), block, (0, 0))]
    guide = mb.Slider("guide", mb.GROUND, (0, 0), block, (0, 0), axis1=(0, 1))
    even = mb.Mechanism("slider-crank", [crank, rod, block], [*pins, guide])
    poses = crank.pose(), rod.pose((0.16, 0), np.pi / 2), block.pose((0, 0.16))
    built = mb.assemble(even, *poses, hold="bearing", modes="nearest")
    assert built.regularity.gap > 1e12
    assert built.mobility == 2
    assert "a change point" in built.sentence
    assert abs(built.values["guide"]) < 1e-14
    aside = mb.assemble(even, crank.pose(angle=1e-5), *poses[1:], hold="bearing", modes="nearest")
    assert (aside.mobility, aside.values["bearing"]) == (1, pytest.approx(1e-5, rel=1e-9))


def test_a_projection_that_fails_from_afar_names_assemble_which_closes_the_loop():
    """Bars on a line, 1.7 m too far: no small change of an angle brings their ends nearer."""
    linkage = four_bar((1.0, 2.0, 2.2), ground=2.5, coordinates="joint")
    named = r"'C\[0\]' = 1\.7\. Start nearer.*gauss\.bodies\.assemble\(mechanism, values=…\) closes loops from afar"
    with pytest.raises(g.errors.InconsistentStateError, match=named):
        g.consistent(linkage, [0.0, 0.0, 0.0])
    built = mb.assemble(linkage, values=dict.fromkeys(linkage.system.coordinates, 0.0))
    assert np.max(np.abs(rows_of(linkage, built.state)[0])) < 1e-14


# ------------------------------------------------------------------ what cannot be


def test_bars_that_are_too_short_leave_the_same_gap_at_each_pin():
    short = four_bar((0.3, 0.8, 0.6), ground=4.0)
    with pytest.raises(g.errors.InconsistentStateError, match=r"cannot be assembled.*'[BCD]' 0\.575 m") as caught:
        mb.assemble(short, *rough(short))
    assert sorted(caught.value.residuals) == ["B[0]", "C[0]", "D[0]", "bearing[0]"]
    gaps = np.abs(list(caught.value.residuals.values()))  # equal shares of 4 − 0.3 − 0.8 − 0.6 m have least squares
    assert gaps == pytest.approx((4.0 - 1.7) / 4, abs=1e-6)


def test_loops_that_do_not_close_are_told_with_their_lengths_and_what_has_to_go():
    with pytest.raises(g.errors.InconsistentStateError, match=r"0\.8 m on 'coupler' \('B', 'C'\), .* Check lengths"):
        mb.assemble(short := four_bar((0.3, 0.8, 0.6), ground=4.0), *rough(short))
    with pytest.raises(g.errors.InconsistentStateError, match=r"300 m on 'crank' .* Are some in mm\? Check lengths"):
        mb.assemble(mixed := four_bar((300.0, 0.8, 0.6), ground=0.8), *rough(mixed))
    rocks = four_bar((0.9, 0.5, 0.4), ground=0.8)  # no crank: it cannot point away from D
    poses = rocks.bodies[0].pose(angle=np.pi), *rough(rocks)[1:]
    with pytest.raises(g.errors.InconsistentStateError, match="With bearing not held the loops close: hold another"):
        mb.assemble(rocks, *poses, hold="bearing")


def test_lengths_in_m_and_mm_are_asked_for_where_loops_close_far_away():
    def said(rod):
        crank, bar, block = (mb.PlanarBody(name, 1.0, 0.1) for name in ("crank", "rod", "block"))
        pins = [mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0)), mb.Pin("crank pin", crank, (0.04, 0), bar, (0, 0))]
        pins += [mb.Pin("wrist", bar, (rod, 0), block, (0, 0)), mb.Slider("guide", mb.GROUND, (0, 0), block, (0, 0))]
        made = mb.Mechanism("slider-crank", [crank, bar, block], pins)
        poses = crank.pose(angle=0.3), bar.pose((0.04, 0.01)), block.pose((0.2, 0.0))
        return str(mb.assemble(made, *poses, hold="bearing", modes="nearest"))

    assert "Joint points are 0.04 m to 160 m apart: are some in mm?" in said(160.0)
    assert "mm?" not in said(0.16)


def test_a_distance_that_is_too_short_takes_its_share_of_the_gap_in_metres():
    crank, _, rocker = four_bar((1.0, 1.0, 1.0)).bodies
    links = [
        mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0)),
        mb.Distance("wire", crank, (1.0, 0), rocker, (1.0, 0), length=0.1),
        mb.Pin("D", mb.GROUND, (2.103, 0), rocker, (0, 0)),
    ]
    short = mb.Mechanism("short wire", [crank, rocker], links)
    with pytest.raises(g.errors.InconsistentStateError) as caught:
        mb.assemble(short, crank.pose(angle=0.2), rocker.pose((2.1, 0), 2.8))
    shares = np.abs([caught.value.residuals[name] for name in ("bearing[0]", "D[0]")])
    assert shares == pytest.approx(0.003 / 3, rel=0.02)  # |p|² − l² is 0.001/0.1 off being linear
    found = re.search(r"'wire' (\S+) m", str(caught.value))
    assert found is not None
    assert float(found[1]) == pytest.approx(0.001, rel=0.02)


def test_an_angle_that_cannot_be_reached_is_named():
    double_rocker = four_bar((1.0, 0.5, 1.0), ground=1.2)
    crank, coupler, rocker = double_rocker.bodies
    poses = crank.pose(angle=2.5), coupler.pose((0, 1)), rocker.pose((1.2, 0), 1.5)
    with pytest.raises(g.errors.InconsistentStateError, match="with bearing held"):
        mb.assemble(double_rocker, *poses, hold="bearing", starts=5)
    assert mb.assemble(double_rocker, *poses).values["bearing"] < 2.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hold": "knee"}, "no joint, body or coordinate 'knee'; its joints are"),
        ({"hold": "bea ring"}, "no joint, body or coordinate 'bea ring'; did you mean 'bearing'"),
        ({"hold": "bearing knee"}, "no joint, body or coordinate 'knee'"),
        ({"hold": ["bearing", 3]}, "no joint, body or coordinate '3'"),
        ({"modes": "some"}, 'expected "all" or "nearest"'),
        ({"starts": -1}, "whole number"),
        ({"starts": 2.5}, "whole number"),
    ],
)
def test_bad_input_is_named(options, message):
    linkage = four_bar()
    with pytest.raises(g.errors.InputError, match=message):
        mb.assemble(linkage, *rough(linkage), **options)


def test_what_is_held_must_be_a_part_of_the_mechanism():
    linkage, other = four_bar(), four_bar()
    with pytest.raises(g.errors.InputError, match="'bearing' is none of the parts"):
        mb.assemble(linkage, *rough(linkage), hold=other.joints[0])
    with pytest.raises(g.errors.InputError, match="not a dict"):
        mb.assemble(linkage, *rough(linkage), hold={linkage.joints[0]: 0.5})


def test_a_row_without_a_value_is_named():
    arm = mb.PlanarBody("arm", 1.0, 0.1)
    pin = mb.Pin("pin", mb.GROUND, (0, 0), arm, (0, 0))
    driven = mb.Mechanism("driven", [arm], [pin, mb.Driver("drive", pin, lambda t: g.log(t))])
    with pytest.raises(g.errors.InputError, match=r"'drive' .* no finite value .* t = 0 s"):
        mb.assemble(driven, arm.pose(), starts=2)
    built = mb.assemble(driven, arm.pose(angle=0.2), t=np.e)
    assert np.isclose(built.values["pin"], 1.0, atol=1e-9)
    assert built.mobility == 0


def test_a_drive_is_reached_from_the_opposite_side_without_warnings():
    """At the given pose, half a turn away, the row of the drive is 2 tan ½π."""
    arm = mb.PlanarBody("arm", 1.0, 0.1)
    pin = mb.Pin("pin", mb.GROUND, (0, 0), arm, (0, 0))
    driven = mb.Mechanism("driven", [arm], [pin, mb.Driver("drive", pin, np.pi)])
    assert np.isclose(abs(mb.assemble(driven, arm.pose()).values["pin"]), np.pi, atol=1e-12)


def test_other_bad_input():
    linkage = four_bar()
    with pytest.raises(g.errors.InputError, match="expects a Mechanism"):
        mb.assemble(linkage.system)
    with pytest.raises(g.errors.InputError, match="no pose of rocker"):
        mb.assemble(linkage, *rough(linkage)[:2])
    body = mb.Body("body", mb.box(1.0, (0.3, 0.2, 0.1)))
    ball = mb.Mechanism("m", [body], [mb.Weld("weld", mb.GROUND, (0, 0, 0), body, (0, 0, 0))])
    with pytest.raises(g.errors.InputError, match="has no coordinate"):
        mb.assemble(ball, body.pose(), hold="weld")
