"""Units are declared once, by name, and shown wherever numbers are: tables, files, figures; never guessed."""

from __future__ import annotations

import csv
import warnings
from dataclasses import asdict

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb

UNITS = {"x": "m", "y": "m", "l": "m", "rod": "m"}


def pendulum(units=None):
    return g.System(
        "pendulum",
        coordinates="x y",
        parameters={"l": 1.0},
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: 9.81 * q.y,
        constraints=[g.Holonomic("rod", lambda q, p: g.hypot(q.x, q.y) - p.l)],
        units=units,
    )


def turning(units=None):
    return g.System(
        "turning",
        coordinates="phi",
        kinetic_energy=lambda v: 0.5 * v.phi**2,
        potential_energy=lambda q: -9.81 * g.cos(q.phi),
        units={"phi": "rad"} if units is None else units,
    )


@pytest.fixture(scope="module")
def run():
    return g.simulate(pendulum(UNITS), [1, 0], t_end=0.5)


def test_units_of_derivatives_and_multipliers_follow(run):
    data = run.data
    found = {name: data[name].attrs["units"] for name in ("x", "d_x", "dd_y", "rod", "energy")}
    assert found == {"x": "m", "d_x": "m/s", "dd_y": "m/s²", "rod": "N", "energy": "J"}
    assert [run.unit(name) for name in ("x", "d_x", "rod", "t", "energy")] == ["m", "m/s", "N", "s", "J"]


def test_nothing_is_guessed():
    plain = g.simulate(pendulum(), [1, 0], t_end=0.1)
    assert {plain.data[name].attrs["units"] for name in ("x", "d_x", "dd_x", "rod")} == {""}
    assert (plain.unit("x"), plain.unit("energy"), plain.unit("t")) == ("", "J", "s")


@pytest.mark.parametrize(
    ("unit", "kind", "multiplier"),
    [
        ("m", g.Holonomic, "N"),
        ("rad", g.Holonomic, "N m"),
        ("m²", g.Unilateral, "N/m"),
        ("1", g.Holonomic, "J"),
        ("m/s", g.Nonholonomic, "N"),
        ("rad/s", g.Nonholonomic, "N m"),
        ("mm", g.Holonomic, "J/mm"),
        ("m^2", g.Holonomic, "N/m"),
        ("furlongs, so to say", g.Holonomic, "J/(furlongs, so to say)"),
    ],
)
def test_the_unit_of_a_multiplier_is_energy_or_power_per_unit_of_its_row(unit, kind, multiplier):
    function = (lambda v: v.x) if kind is g.Nonholonomic else (lambda q: q.x)
    system = g.System("point", "x y", mass_matrix=np.eye(2), constraints=[kind("row", function)], units={"row": unit})
    assert system.unit("row") == multiplier


def test_the_unit_of_a_constraint_is_that_of_its_rows():
    rows = [g.Holonomic("pin", lambda q: [q.x, q.y])]
    system = g.System("point", "x y", mass_matrix=np.eye(2), constraints=rows, units={"pin": "m", "pin[1]": "rad"})
    assert (system.unit("pin[0]"), system.unit("pin[1]")) == ("N", "N m")


@pytest.mark.parametrize(
    ("units", "said"),
    [
        ({"z": "m"}, "'z'.*x, y, l, rod"),
        ({"d_x": "m/s"}, "'d_x'"),
        ({"x": 1.0}, "the unit of 'x'.*1.0"),
        ({"x": ""}, "the unit of 'x'"),
        ("m", "a dict of texts"),
    ],
)
def test_unknown_names_and_what_is_no_text_are_refused(units, said):
    with pytest.raises(g.errors.InputError, match=said):
        pendulum(units)


@pytest.mark.parametrize("unit", ["deg", "degrees", "°", "deg/s", "Degree"])
def test_degrees_are_no_unit_of_an_angle(unit):
    with pytest.raises(g.errors.InputError, match=r"angles are in rad.*degrees=True"):
        g.System("pendulum", "phi", kinetic_energy=lambda v: 0.5 * v.phi**2, units={"phi": unit})


def test_a_file_keeps_units_bit_for_bit(run, tmp_path):
    again = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    assert again.about == run.about
    assert again.unit("rod") == "N"
    assert again.to_xarray().identical(run.to_xarray())


def test_a_file_from_before_units_is_read_and_takes_those_of_its_model(run, tmp_path, monkeypatch):
    def without_units(value):  # what is written is changed to what was written before
        return {k: x for k, x in asdict(value).items() if k != "units"}

    monkeypatch.setattr("gauss.motion.record.files.asdict", without_units)
    path = run.save(tmp_path / "old.nc")
    monkeypatch.undo()
    old = g.Trajectory.load(path)
    assert old.about.units == {}
    assert old.unit("x") == ""
    assert old.with_system(pendulum(UNITS)).unit("x") == "m"


def test_another_unit_does_not_make_another_model(run, tmp_path):
    again = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    assert again.with_system(pendulum({"x": "ft"})).unit("x") == "m"  # what was written with the numbers stays
    assert pendulum(UNITS).with_parameters(l=2.0).unit("l") == "m"


def test_csv_headers_have_units_and_angles_in_degrees_on_request(tmp_path):
    run = g.simulate(turning(), [0.5], t_end=0.2)
    for name, degrees, header, factor in (("a.csv", False, "rad", 1.0), ("b.csv", True, "deg", 180.0 / np.pi)):
        with run.to_csv(tmp_path / name, degrees=degrees).open(encoding="utf-8") as file:
            table = list(csv.reader(file))
        for column, values in ((f"phi [{header}]", run["phi"]), (f"dd_phi [{header}/s²]", run["dd_phi"])):
            found = [float(row[table[0].index(column)]) for row in table[1:]]
            assert np.allclose(found, factor * values, rtol=1e-14, atol=0.0)


def test_a_frame_and_a_report_have_angles_in_degrees_on_request(tmp_path):
    pytest.importorskip("pandas")
    run = g.simulate(turning(), [0.5], t_end=0.2)
    for degrees, unit, factor in ((False, "rad", 1.0), (True, "deg", 180.0 / np.pi)):
        frame = run.to_pandas(degrees=degrees)
        assert np.allclose(frame["phi"], factor * run["phi"], rtol=1e-14, atol=0.0)
        assert (frame.attrs["units"]["phi"], frame.attrs["units"]["d_phi"]) == (unit, f"{unit}/s")
        text = run.report(tmp_path / "run.html", degrees=degrees).read_text(encoding="utf-8")
        assert f"phi / {unit}<" in text


def test_degrees_of_nothing_are_refused(run, tmp_path):
    with pytest.raises(g.errors.InputError, match="no quantity has the unit"):
        run.to_csv(tmp_path / "run.csv", degrees=True)
    with pytest.raises(g.errors.InputError, match="no quantity has the unit"):
        run.report(tmp_path / "run.html", degrees=True)
    pytest.importorskip("pandas")
    with pytest.raises(g.errors.InputError, match="no quantity has the unit"):
        run.to_pandas(degrees=True)
    assert list(tmp_path.iterdir()) == []


def test_a_mechanism_knows_its_units():
    bar = mb.PlanarBody("bar", 1.0, 0.1)
    top = mb.Pin("top", mb.GROUND, (0, 0), bar, (-0.5, 0))
    loads = [mb.Motor("motor", top, 0.1)]
    machine = mb.Mechanism("swing", [bar], [top], loads, parameters={"k": 1.0}, units={"k": "N/m"})
    unit = machine.system.unit
    shown = {name: unit(name) for name in ("bar_x", "d_bar_x", "bar_c", "bar rigid", "top[0]", "k")}
    assert shown == {"bar_x": "m", "d_bar_x": "m/s", "bar_c": "1", "bar rigid": "J", "top[0]": "N", "k": "N/m"}


def test_rows_of_joints_in_space_keep_lengths_and_angles():
    body = mb.Body("body", mb.box(30.0, (0.9, 0.04, 2.1)))
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), body, (0, 0, 0))
    system = mb.Mechanism("door", [body], [hinge, mb.Driver("drive", hinge, lambda t: t)]).system
    assert [system.unit(f"hinge[{k}]") for k in range(5)] == ["N", "N", "N", "N m", "N m"]
    assert system.unit("drive") == "N m"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("angle", "warned"), [(90.0, True), (-45.0, True), (20.0, True), (6.28, False), (7.0, False)])
def test_one_warning_where_an_angle_looks_like_degrees(angle, warned):
    system = turning()
    for ask in (
        lambda: g.simulate(system, {"phi": angle}, t_end=0.01),
        lambda: g.accelerate(system, [angle]),
        lambda: g.classify(system, [angle]),
        lambda: g.equilibrium(system, [angle]),
        lambda: g.analysis.equilibria(system, [[0.1], [angle]]),
        lambda: g.analysis.portrait(
            system, "phi", (angle - 0.5, angle + 0.5), (-1.0, 1.0), starts=[(angle, 0.1)], q=[angle]
        ),
        lambda: g.motion.simulate_many(system, [[angle], [0.1]], times=[0.0, 0.01]),
        lambda: mb.PlanarBody("bar", 1.0, 0.1).pose(angle=angle),
    ):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            ask()
        assert len(found) == warned
        for each in found:
            assert issubclass(each.category, g.errors.DegreesWarning)
            assert f"= {angle:g} rad" in str(each.message)
            assert f"np.deg2rad({angle:g})" in str(each.message)
            assert each.filename == __file__


def test_a_state_that_a_program_found_is_not_suspected():
    system = g.System("free", "phi", kinetic_energy=lambda v: 0.5 * v.phi**2, units={"phi": "rad"})
    with pytest.warns(g.errors.DegreesWarning, match="phi = 90 rad"):
        found = g.equilibrium(system, [90.0])
    assert found.linearize().states == ("phi", "d_phi")  # warnings are errors
    with pytest.warns(g.errors.DegreesWarning, match="phi = 90 rad"):
        g.linearize(system, [90.0])


def test_lengths_and_undeclared_angles_are_not_suspected():
    g.accelerate(turning({"phi": "m"}), [90.0])
    g.accelerate(turning({}), [90.0])
