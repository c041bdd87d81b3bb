"""Orders 2 to 4 are judged by the noise of their own terms: units, masses and factors do not move them."""

import numpy as np
import pytest

import gauss as g

GRAVITY = 9.81


def lines(unit=1.0, mass=(1.0, 1.0), factor=1.0):
    """Two lines y = ± x that cross; lengths in `unit` metres."""

    def row(q):
        x, y = q.x / unit, q.y / unit
        return factor * (y * y - x * x)

    return g.System(
        "lines",
        coordinates="x y",
        kinetic_energy=lambda v: 0.5 * (mass[0] * v.x**2 + mass[1] * v.y**2),
        potential_energy=lambda q: mass[1] * GRAVITY * unit * q.y,
        constraints=[g.Holonomic("lines", row)],
    )


WAYS = [
    pytest.param({}, id="as it is"),
    pytest.param({"unit": 1e-9}, id="nanometres"),
    pytest.param({"unit": 1e12}, id="a billion kilometres"),
    pytest.param({"mass": (1e-8, 1e4)}, id="masses over twelve decades"),
    pytest.param({"factor": 1e-30}, id="a small row"),
]


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_a_velocity_beside_the_admissible_one_is_refused_from_the_same_distance_on(way):
    system, unit = lines(**way), way.get("unit", 1.0)
    said = [g.classify(system, [0, 0], [unit, unit * (1.0 + e)]).verdict for e in 10.0 ** np.arange(-16.0, 0.0)]
    changes = [k for k in range(1, len(said)) if said[k] != said[k - 1]]
    assert said[0] == "crossing"
    assert said[-1] == "velocity not admissible"
    assert set(said) <= {"crossing", "undecided", "velocity not admissible"}
    assert len(changes) <= 2
    assert said.index("velocity not admissible") <= 6  # 1e-11 of the velocity is no rounding
    assert said[2] == "crossing"  # 1e-14 may be


@pytest.mark.parametrize("way", WAYS)
def test_both_branches_are_listed_at_rest_whatever_the_units(way):
    system, unit, (mx, my) = lines(**way), way.get("unit", 1.0), way.get("mass", (1.0, 1.0))
    found = g.classify(system, [0, 0])
    assert found.verdict == "branching"
    along = -my * GRAVITY * unit / (mx + my)  # a = along (± 1, 1)
    expected = sorted([[-along, along], [along, along]])
    listed = sorted(c.a.tolist() for c in found.candidates if c.kind != "vertex")
    root = np.sqrt([mx, my])
    size = np.linalg.norm(root * expected[0])
    assert len(listed) == 2
    assert all(np.linalg.norm(root * (np.array(a) - b)) <= 1e-13 * size for a, b in zip(listed, expected, strict=True))


@pytest.mark.parametrize("mass", [1.0, 1e-6, 1e6])
@pytest.mark.parametrize("factor", [1.0, 3.3, 1e-3])
def test_a_speed_kept_twice_is_redundant_beside_light_and_heavy_parts(mass, factor):
    masses = np.array([1.0, mass, 1.0 / mass])
    v = np.array([0.3, -0.7, 0.2])
    force = np.array([1.0, 2.0 * mass, -1.5 / mass])

    def kept(v):
        return v.x**2 + v.y**2 + v.z**2 - float(v0 @ v0)

    v0 = v
    system = g.System(
        "kept",
        coordinates="x y z",
        kinetic_energy=lambda v: 0.5 * sum(m * w**2 for m, w in zip(masses, (v.x, v.y, v.z), strict=True)),
        force=lambda: force.tolist(),
        constraints=[
            g.Nonholonomic("speed", lambda v: kept(v)),
            g.Nonholonomic("again", lambda v: factor * kept(v)),
        ],
    )
    found = g.classify(system, [0.1, 0.2, 0.3], v)
    free = force / masses
    exact = free - (v @ free) / (v @ (v / masses)) * v / masses
    assert found.verdict == "redundant"
    assert found.unique
    off = found.solution.a - exact
    assert np.sqrt(off @ (masses * off)) <= found.error + 1e-13 * np.sqrt(free @ (masses * free))


def test_one_error_is_printed_beside_an_acceleration():
    step = g.accelerate(lines(), [0, 0], [1, 1])
    assert [line.split()[0] for line in str(step).splitlines()].count("error") == 1
    assert step.error >= step.answer.error_bound
    exact = np.array([-GRAVITY / 2, -GRAVITY / 2])
    assert np.linalg.norm(step.a - exact) <= step.error


@pytest.mark.parametrize("factor", [-1.0, -0.3, -2.0, -1e-4])
@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.0), (1.0, -2.0, 3.0), (2.0, 2.0, 0.0)])
def test_two_contacts_that_leave_no_play_are_one_equation(factor, velocity):
    """g ≥ 0 and c g ≥ 0, c < 0, hold g = 0: with masses m, aᵢ = fᵢ/mᵢ + λ gᵢ/mᵢ, λ = (γ − Σ gᵢfᵢ/mᵢ)/Σ gᵢ²/mᵢ."""
    mass, force, gradient, bend = (
        np.array([0.7, 1.9, 3.1]),
        np.array([1.1, -2.3, 0.4]),
        np.array([4.0, -1.0, -2.0]),
        0.428,
    )

    def play(q):
        return 4.0 * q.x - q.y - 2.0 * q.z + bend * q.x * q.y

    system = g.System(
        "play",
        coordinates="x y z",
        kinetic_energy=lambda v: 0.5 * sum(m * u**2 for m, u in zip(mass, (v.x, v.y, v.z), strict=True)),
        force=lambda: list(force),
        constraints=[g.Unilateral("one side", play), g.Unilateral("the other", lambda q: play(q) * factor)],
    )
    v = np.array(velocity)
    found = g.classify(system, [0, 0, 0], v - gradient * (gradient @ v) / (gradient @ gradient))
    v = found.state.v
    multiplier = (-2.0 * bend * v[0] * v[1] - gradient @ (force / mass)) / (gradient @ (gradient / mass))
    expected = (force + multiplier * gradient) / mass
    assert found.verdict == "redundant"
    assert found.candidates[0].a == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("height", [0.0, 1e-14, 3e-14, 1e-13, 1e-10, 1e-6, 1e-3])
def test_the_weights_of_dependent_rows_do_not_come_from_columns_that_are_little_more_than_noise(height):
    """Three rods in line, all but flat: the middle bar of a rhombus moves at right angles to them.

    The joints at (1 ± h, …) move with ẏ = 1: ẍ = −ẏ²/x from the rods, and both have one ÿ, which gravity gives.
    """
    system = g.System(
        "rhombus",
        coordinates="a b c d",
        kinetic_energy=lambda v: 0.5 * (v.a**2 + v.b**2 + 3.0 * v.c**2 + 3.0 * v.d**2),
        force=lambda: [0.0, -2.0, 0.0, 5.0],
        constraints=[
            g.Holonomic("left", lambda q: q.a**2 + q.b**2 - 1.0),
            g.Holonomic("right", lambda q: (q.c - 1.0) ** 2 + q.d**2 - 1.0),
            g.Holonomic("middle", lambda q: (q.c - q.a) ** 2 + (q.d - q.b) ** 2 - 1.0),
        ],
    )
    x = np.sqrt((1.0 - height) * (1.0 + height))
    state = [x, height, 1.0 + x, height], [-height / x, 1.0, -height / x, 1.0]  # along the branch with b = d
    found = g.classify(system, *state)
    rise = _translated(height, (4.0, 3.0))
    if found.verdict != "undecided":
        assert found.unique
        assert np.linalg.norm(found.candidates[0].a - rise) <= max(found.error, 1e-12)
    assert found.verdict in ("regular", "crossing", "undecided")


def _translated(height, given):
    """The acceleration of two equal joints that circle together with unit ẏ at a height, under a total force."""
    mass, force = given
    x = np.sqrt((1.0 - height) * (1.0 + height))
    rate = 1.0 / x  # of the angle of the bars: ẏ = rate cos
    turn = force * x / mass  # mass φ'' = force cos φ for unit bars
    lateral, upward = -turn * height - rate**2 * x, turn * x - rate**2 * height
    return np.array([lateral, upward, lateral, upward])
