"""Forces that a motion leaves open: one door to their ranges, and figures, films and cards that say so."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

import gauss as g
from gauss.motion import determined_forces

LENGTH, HEIGHT, MASS, G = 3.0, 0.7, 20.0, 9.81


def plank(mu=0.5):
    """A plank with its foot on the floor, over the edge of a step."""

    def gap(q):
        return -g.sin(q.phi) * q.x + g.cos(q.phi) * (q.y - HEIGHT)

    def along_edge(q, v):
        return g.cos(q.phi) * v.x + g.sin(q.phi) * v.y + gap(q) * v.phi

    def along_floor(q, v):
        return v.x + LENGTH / 2 * g.sin(q.phi) * v.phi

    return g.System(
        "plank over the edge of a step",
        "x y phi",
        parameters={"mu": mu},
        kinetic_energy=lambda v: MASS / 2 * (v.x**2 + v.y**2) + MASS * LENGTH**2 / 24 * v.phi**2,
        potential_energy=lambda q: MASS * G * q.y,
        constraints=[
            g.Unilateral("floor", lambda q: q.y - LENGTH / 2 * g.sin(q.phi), friction=g.Coulomb("mu", along_floor)),
            g.Unilateral("edge", gap, friction=g.Coulomb("mu", along_edge)),
        ],
        units={"x": "m", "y": "m", "phi": "rad", "floor": "m", "edge": "m", "mu": "1"},
    )


def leaning(degrees=25.0):
    angle = np.radians(degrees)
    return [-HEIGHT / np.tan(angle) + LENGTH / 2 * np.cos(angle), LENGTH / 2 * np.sin(angle), angle]


def ranges_by_hand(mu=0.5, degrees=25.0):
    """The ends of the forces of the plank at rest, from its three equations of equilibrium with one force left open.

    Moments about the foot give the force N of the edge; the friction s along the plank at the edge is the free one.
    """
    angle = np.radians(degrees)
    c, s = np.cos(angle), np.sin(angle)
    N = MASS * G * LENGTH / 2 * c / (HEIGHT / s)
    edge = np.linspace(-mu * N, mu * N, 400_001)  # friction along the plank, upwards
    floor, friction = MASS * G - N * c - edge * s, N * s - edge * c
    good = (floor >= 0.0) & (np.abs(friction) <= mu * floor)
    return {
        "edge": (N, N),
        **{
            name: (float(np.min(values[good])), float(np.max(values[good])))
            for name, values in (("slip of edge", edge), ("floor", floor), ("slip of floor", friction))
        },
    }


def test_one_door_has_the_ranges_of_all_forces_with_friction_and_without():
    found, expected = g.classify(plank(), leaning()), ranges_by_hand()
    assert found.unique
    assert set(found.open_forces) == {"floor", "slip of floor", "slip of edge"}
    for name, ends in expected.items():
        assert np.allclose(found.range_of(name), ends, atol=2e-3), name  # the step of the ends by hand
    assert found.range_of("floor, friction") == found.range_of("slip of floor") == found.forces["slip of floor"]
    assert found.range_of("edge, normal") == found.range_of("edge")
    with pytest.raises(g.errors.InputError, match=r"'roof'; there are .*'floor, friction'"):
        found.range_of("roof")
    legs = [g.Unilateral(f"leg {k}", lambda q: q.z) for k in (1, 2)]
    table = g.System(
        "table", "z", kinetic_energy=lambda v: v.z**2, potential_energy=lambda q: 10.0 * q.z, constraints=legs
    )
    assert np.allclose(g.classify(table, [0.0]).range_of("leg 1"), (0.0, 10.0))
    assert g.classify(table, [0.0]).open_forces == ("leg 1", "leg 2")


def test_print_and_card_say_at_once_that_forces_are_open():
    found = g.classify(plank(), leaning())
    first, *others = str(found).splitlines()
    assert first == "accelerations  one; forces open"
    line = next(each for each in others if each.startswith("forces"))
    assert "floor, normal = 16.2263 … 24.1498" in line
    assert "edge, normal = 161.033" in line
    assert "verdict.range_of(name)" in line
    head = re.findall("<header>.*?</header>", found._repr_html_(), flags=re.S)[0]
    assert "one acceleration" in head
    assert 'aria-label="forces open"' in head
    assert "floor, friction" in found._repr_html_()
    sliding = g.classify(plank(0.1), leaning())
    assert sliding.open_forces == ()
    assert "open" not in str(sliding).splitlines()[0]
    assert "forces open" not in sliding._repr_html_()


@pytest.mark.long
def test_bands_along_a_motion_with_dry_friction_are_those_of_each_state():
    system = plank()
    run = g.simulate(system, leaning(), t_end=0.2, progress="none")
    found = g.analysis.reaction_ranges(run, [0.0, 0.1])
    for k in range(2):
        ends = g.classify(system, run.at([0.1 * k]).q[0]).forces
        for j, name in enumerate(found.rows):
            assert np.allclose((found.low[k, j], found.high[k, j]), ends[name], rtol=1e-9, atol=1e-9)
    figure = g.show.reaction_bands(run, times=[0.0, 0.1, 0.2])
    labels = [text.get_text() for axes in figure.axes if axes.get_legend() for text in axes.get_legend().get_texts()]
    assert "floor, normal, not determined" in labels
    assert "edge, normal" in labels


def test_the_slip_of_a_contact_has_the_unit_of_its_gap_per_second():
    system = plank()
    assert system.units["slip of floor"] == "m/s"
    assert system.unit("slip of floor") == system.unit("floor") == "N"
    told = g.System(
        "told",
        "x y",
        kinetic_energy=lambda v: v.x**2 + v.y**2,
        constraints=[g.Unilateral("floor", lambda q: q.y, friction=g.Coulomb(0.5, slip=lambda v: v.x))],
        units={"floor": "m", "slip of floor": "cm/s"},
    )
    assert told.units["slip of floor"] == "cm/s"


def arrows(run):
    """Tails (k, 2) and vectors (k, 2), without their common scale, of the arrows in the first picture of a film."""
    film = g.animate(run, forces=True)
    parts = [(part.kind, part.places[0]) for part in film.stage.scene.parts if part.kind in ("force", "doubtful")]
    return [(kind, places[0], places[1] - places[0]) for kind, places in parts]


def test_forces_on_a_bar_act_on_their_lines_of_action_and_are_dashed_where_friction_leaves_them_open():
    run = g.simulate(plank(), leaning(), t_end=0.1, progress="none")
    foot, corner = [-HEIGHT / np.tan(np.radians(25.0)), 0.0], [0.0, HEIGHT]
    found = arrows(run)
    assert len(found) == 4
    along = np.array([np.cos(run.q[0, 2]), np.sin(run.q[0, 2])])
    for kind, tail, vector in found:
        assert np.allclose(tail, corner, atol=1e-9) or np.allclose(tail, foot, atol=1e-9)
        across = abs(vector @ along) <= 1e-9  # of the four forces that of the edge alone is determined
        assert kind == ("force" if across else "doubtful")
        assert not across or np.allclose(tail, corner, atol=1e-9)
    sliding = arrows(g.simulate(plank(0.1), leaning(), t_end=0.02, progress="none"))
    assert {kind for kind, *_ in sliding} == {"force"}
    for _, tail, _ in sliding:
        assert np.allclose(tail, foot, atol=1e-9) or np.allclose(tail, corner, atol=1e-9)


def test_forces_whose_lines_of_action_are_not_known_are_refused():
    wheel = g.System(
        "wheel",
        "x y turn",
        kinetic_energy=lambda v: v.x**2 + v.y**2 + v.turn**2,
        potential_energy=lambda q: 10 * q.y,
        constraints=[g.Holonomic("height", lambda q: q.y + 0.1 * g.sin(q.turn))],
    )
    run = g.simulate(wheel, [0, 0, 0], [1, 0, 0], t_end=0.1, progress="none")
    with pytest.raises(g.errors.InputError, match="the lines of action of 'height' are not known"):
        g.animate(run, forces=True)


def test_figures_and_cards_name_the_forces_that_are_not_determined():
    run = g.simulate(plank(), leaning(), t_end=0.1, progress="none")
    labels = [t.get_text() for axes in g.plot(run).axes if axes.get_legend() for t in axes.get_legend().get_texts()]
    assert "floor, normal, not determined" in labels
    assert "edge, normal" in labels
    (axis,) = g.plot(run, "slip of floor").axes
    assert axis.get_ylabel().startswith("λ (floor, friction, not determined)")
    assert "not determined: floor, friction, edge, friction, floor, normal;" in run._repr_html_().replace("&#x27;", "'")
    sliding = g.simulate(plank(0.1), leaning(), t_end=0.02, progress="none")
    assert "not determined" not in sliding._repr_html_()


def test_each_state_is_asked_with_the_rows_that_it_holds():
    """Rows a and b are one at every state, c is twice d at the second; of the rows not held nothing is open."""
    about = SimpleNamespace(redundant=("b",), rows=("a", "b", "c", "d"))
    J = np.array(
        [[[1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1]], [[1, 1, 0], [3, 3, 0], [0, 0, 2], [0, 0, 1]]], dtype=float
    )
    for held, known in (
        ([[1, 0, 1, 1], [1, 0, 1, 1]], [[0, 0, 1, 1], [0, 0, 0, 0]]),
        ([[0, 0, 1, 1], [1, 0, 0, 1]], [[1, 1, 1, 1], [0, 0, 1, 1]]),
    ):
        run = SimpleNamespace(about=about, active=np.array(held, dtype=bool), sharing=None)
        assert determined_forces(run, J).astype(int).tolist() == known
