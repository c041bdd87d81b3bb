"""What cards, films and messages say of trees, large models, flat scenes and rows that are not drawn."""

from __future__ import annotations

import pytest
from proofs import whole

import gauss as g
from gauss.bodies import drawing_of


@pytest.mark.long
def test_the_verdict_and_the_tree_say_the_same_of_a_vertex_and_no_column_is_empty():
    cone = whole("cone_apex").system
    found = g.classify(cone, [0, 0, 0])
    assert "no: a reaction would do work on the motion" in found._repr_html_()
    tree = g.simulate(cone, [0, 0, 0], t_end=0.1, branches="all", progress="none")
    assert any("a reaction would do work on the motion" in text for text in tree.left_out)
    assert "<th>branch</th>" in tree._repr_html_()
    lines = g.System(
        "lines",
        "x y",
        kinetic_energy=lambda v: v.x**2 + v.y**2,
        constraints=[g.Holonomic("cross", lambda q: q.x * q.y)],
    )
    page = g.simulate(lines, [0, 0], [1, 0], t_end=0.1, branches="all", progress="none")._repr_html_()
    assert "<th>branch</th>" not in page


def test_the_certificate_is_that_of_the_states_whose_acceleration_the_rows_determine():
    cone = whole("cone_apex").system
    run = g.simulate(cone, [0, 0, 0], [3.0, 4.0, 5.0], t_end=0.2)  # begins at the apex: no λ makes up its reaction
    assert run.stationarity[0] > 1.0
    assert not run.decided_by_rows[0]
    assert run.largest_residual < 1e-12
    rest = f"at {len(run) - 1} of {len(run)} states, where rows alone determine the acceleration"
    assert f"largest residual {run.largest_residual:.1e}, {rest}" in run._repr_html_()
    fan = g.simulate(cone, [0, 0, 0], t_end=0.1, branches="all", progress="none")
    assert "rows alone determine the acceleration at none of 2 states" in fan[0].run._repr_html_()


@pytest.mark.long
def test_arrows_that_grow_at_a_singular_position_are_cut_off_and_all_motions_are_named():
    crossed = g.System(
        "parallelogram",
        "x1 y1 x2 y2",
        kinetic_energy=lambda v: 0.5 * (v.x1**2 + v.y1**2) + v.x2**2 + v.y2**2,
        potential_energy=lambda q: 9.81 * (q.y1 + 2 * q.y2),
        constraints=[
            g.Holonomic("left", lambda q: q.x1**2 + q.y1**2 - 0.25),
            g.Holonomic("right", lambda q: (q.x2 - 1) ** 2 + q.y2**2 - 0.25),
            g.Holonomic("coupler", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - 1),
        ],
    )
    tree = g.simulate(crossed, [0.5, 0, 1.5, 0], t_end=0.9, branches="all", progress="none")
    (film,) = (g.animate(branch.run, forces=True) for branch in tree if branch.kind == "local minimum")
    assert "more at singular positions" in film.stage.scene.note
    assert [branch.run.events[0].t for branch in tree] == [0.0, 0.0]
    legend = g.plot(tree, "y1", "y2").axes[0].get_legend()  # one motion comes to the other flat position
    assert [text.get_text().partition(":")[0] for text in legend.get_texts()] == ["1", "1.1", "1.2", "2"]


def test_what_needs_one_run_says_how_to_take_it_from_a_tree():
    cone = whole("cone_apex").system
    tree = g.simulate(cone, [0, 0, 0], t_end=0.1, branches="all", progress="none")
    told = {g.animate: "got a System", g.crosscheck: "got System", g.analysis.reaction_ranges: "got System"}
    for ask, words in told.items():
        with pytest.raises(g.errors.InputError, match=r"tree\[k\]\.run"):
            ask(tree)
        with pytest.raises(g.errors.InputError, match=words) as caught:
            ask(cone)
        assert "tree" not in str(caught.value)
    for ask in (*told, g.plot):
        with pytest.raises(g.errors.InputError, match=r"got (a )?Branch; take its run, tree\[k\]\.run"):
            ask(tree[0])
    with pytest.raises(g.errors.InputError, match=r"tree\[0\]\.run\['x'\]"):
        tree["x"]


def test_the_card_of_a_larger_model_keeps_its_energies_and_rows():
    many = range(6)
    system = g.System(
        "chain",
        [f"phi{k}" for k in many],
        kinetic_energy=lambda q, v: (
            sum(
                sum(g.cos(q[i]) * v[i] for i in range(k + 1)) ** 2 + sum(g.sin(q[i]) * v[i] for i in range(k + 1)) ** 2
                for k in range(3)
            )
            + sum(v[i] ** 2 for i in many)
        ),
        constraints=[g.Holonomic("sum", lambda q: q.phi0 + q.phi1 - 0.25)],
    )
    page = system._repr_html_()
    assert "The equations are not written out here" in page
    assert "<h4>energies</h4>" in page
    assert "<mn>1</mn><mn>4</mn>" in page.replace("<mrow>", "").replace("</mrow>", "")
    assert "sum" in page


def test_a_flat_scene_has_a_flat_picture_and_rows_that_are_not_drawn_are_named():
    bar = g.System(
        "bar",
        "x y phi",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2) + v.phi**2 / 6,
        potential_energy=lambda q: 10 * q.y,
        constraints=[g.Unilateral("left", lambda q: q.y - g.sin(q.phi))],
    )
    run = g.simulate(bar, [0, 0, 0], [3, 0, 0], t_end=0.2, progress="none")
    assert "not drawn: row 'left'" in drawing_of(run).note
    film = g.animate(run)
    height, width = film.picture(0).shape[:2]
    assert width == 640
    assert 200 <= height < 480
    assert g.animate(run, size=(320, 240)).picture(0).shape[:2] == (240, 320)
    page = film._repr_html_()
    assert "max-width: 100%" in page
    assert "film of bar" in page


def test_a_number_without_a_unit_has_none_beside_it_and_open_contacts_are_rows():
    system = g.System(
        "ball",
        "y",
        parameters={"mu": 0.5},
        kinetic_energy=lambda v: v.y**2,
        constraints=[g.Unilateral("floor", lambda q: q.y)],
        units={"mu": "1", "y": "m"},
    )
    assert "mu = 0.5<" in system._repr_html_()
    assert g.classify(system, [1.0]).why == "regular: no constraint row is in force."
