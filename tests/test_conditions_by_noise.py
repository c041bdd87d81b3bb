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
    assert step.verdict.error >= step.answer.error_bound
    exact = np.array([-GRAVITY / 2, -GRAVITY / 2])
    assert np.linalg.norm(step.a - exact) <= step.verdict.error
