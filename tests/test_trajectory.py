"""A trajectory gives its numbers by name, survives a file bit for bit, and is kept however its run ended."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
import re
import warnings

import numpy as np
import pytest
import xarray

import gauss as g
from gauss.model.names import RESULTS
from gauss.motion.record import columns, files

EPS = float(np.finfo(float).eps)
G = 9.81  # m/s²
RTOL = 1e-10  # the default of simulate
ARRAYS = (
    *("t", "q", "v", "a", "multipliers", "active", "zwang", "primal", "stationarity", "solver_distance"),
    *("off_position", "off_velocity", "kinetic", "potential", "sigma_min"),
)


def rounding(scale, cond=1.0):
    """A hundred rounding errors of numbers of size `scale`, amplified by the condition number."""
    return 100.0 * EPS * cond * scale


def unit_mass(v):
    """Kinetic energy of unit masses on all coordinates."""
    return 0.5 * sum(speed**2 for speed in v)


def quiet(*arguments, **options):
    """Simulate without the warning about an early end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", g.errors.MotionWarning)
        return g.simulate(*arguments, **options)


def pendulum(name="pendulum", length=1.0):
    return g.System(
        name,
        "x y",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.y,
        constraints=[g.Holonomic("rod", lambda q, p: q.x**2 + q.y**2 - p.l**2)],
        parameters={"l": length},
    )


def swing(t_end=2.0, **options):
    return g.simulate(pendulum(), [-1.0, 0.0], t_end=t_end, **options)


def oscillator():
    return g.System("oscillator", "x", kinetic_energy=unit_mass, potential_energy=lambda q: 0.5 * q.x**2)


def ball(restitution=0.5):
    return g.System(
        "ball",
        "x y",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.y,
        constraints=[g.Unilateral("floor", lambda q: q.y, restitution=restitution)],
    )


def cart():
    return g.System("cart", "x", kinetic_energy=unit_mass, force=lambda u: [u.push], controls="push")


def plain(q, **functions):
    """A unit mass on each coordinate with the given force."""
    return g.System("plain", q, kinetic_energy=unit_mass, **functions)


# --- names ------------------------------------------------------------------------------------------------------


def test_columns_are_reached_by_name():
    run = swing()
    for k, name in enumerate(("x", "y")):
        assert np.array_equal(run[name], run.q[:, k])
        assert np.array_equal(run["d_" + name], run.v[:, k])
        assert np.array_equal(run["dd_" + name], run.a[:, k])
    assert np.array_equal(run["rod"], run.multipliers[:, 0])
    assert np.array_equal(run["t"], run.t)
    assert np.array_equal(run.energy, run.kinetic + run.potential)
    assert len(run) == run.t.size


def test_rows_of_one_constraint_are_reached_by_index():
    system = g.System(
        "held",
        "x y z",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * (q.x + 2 * q.y + q.z),
        constraints=[g.Holonomic("pins", lambda q: [q.x, q.y])],
    )
    run = g.simulate(system, [0.0, 0.0, 0.0], t_end=0.5)
    assert run.about.rows == ("pins[0]", "pins[1]")
    assert run["pins[0]"] == pytest.approx(np.full(len(run), G), rel=rounding(1.0))
    assert run["pins[1]"] == pytest.approx(np.full(len(run), 2 * G), rel=rounding(1.0))


def test_coordinates_whose_names_look_like_velocities_are_told_apart():
    """A coordinate may be called d_x; then d_x is the coordinate or the velocity of x, but never silently both."""
    system = g.System("names", "d_a b", kinetic_energy=unit_mass)
    run = g.simulate(system, [1.0, 2.0], [3.0, 4.0], t_end=1.0)
    assert run["d_a"][0] == 1.0
    assert run["d_d_a"][0] == 3.0
    assert run["d_b"][0] == 4.0


def test_unknown_names_are_refused_with_the_known_ones():
    run = swing()
    for name in ("z", "d_z", "dd_", "", "X"):
        with pytest.raises(g.errors.InputError, match=r"[Ii]t has t, x, y .*rows 'rod'"):
            run[name]


def test_text_of_a_trajectory_says_what_it_is():
    run = swing()
    text = str(run)
    for part in ("pendulum", f"{len(run)} states", "0 … 2 s", "dop853", "osqp", "finished"):
        assert part in text
    assert run.ending.complete


# --- other containers -------------------------------------------------------------------------------------------


def test_numpy_dictionary_holds_all_arrays_as_copies():
    run = swing()
    arrays = run.to_numpy()
    assert set(arrays) == set(ARRAYS)
    for name, value in arrays.items():
        assert np.array_equal(value, getattr(run, name))
    arrays["q"][:] = 0.0
    assert run["x"][0] == -1.0


def test_xarray_has_named_dimensions_and_units():
    run = swing()
    data = run.to_xarray()
    assert dict(data.sizes) == {"state": len(run), "coordinate": 2, "row": 1}
    assert np.array_equal(data["q"].sel(coordinate="y"), run["y"])
    assert np.array_equal(data["multipliers"].sel(row="rod"), run["rod"])
    assert data["t"].attrs["units"] == "s"
    assert data["kinetic"].attrs["units"] == "J"
    assert set(ARRAYS) == set(data.data_vars)


def test_the_table_has_all_that_is_asked_by_name_along_the_time():
    run = swing()
    data = run.data
    assert set(data.dims) == {"t"}
    assert np.array_equal(data["t"], run.t)
    for name in data.data_vars:
        assert np.array_equal(data[name], run[name]), name
    for name in ("x", "d_y", "dd_x", "rod", "energy", "kinetic", "zwang"):
        assert name in data
    assert np.array_equal(run["energy"], run.kinetic + run.potential)
    assert (data["energy"].attrs["units"], data["d_x"].attrs["units"]) == ("J", "")
    middle = 0.5 * float(run.t[-1])
    assert run.sel(t=middle)["x"] == pytest.approx(np.interp(middle, run.t, run["x"]), abs=1e-2)
    assert run.sel(t=[0.0, middle])["x"][1] == run.at(middle)["x"][0]


def test_pandas_has_one_column_per_name():
    pytest.importorskip("pandas")
    run = swing()
    frame = run.to_pandas()
    assert len(frame) == len(run)
    for name in ("t", "x", "y", "d_x", "d_y", "dd_x", "dd_y", "rod"):
        assert np.array_equal(frame[name], run[name])
    for name in ("zwang", "primal", "stationarity", "kinetic", "sigma_min"):
        assert np.array_equal(frame[name], getattr(run, name))


# --- files ------------------------------------------------------------------------------------------------------


def same_bits(one, other):
    assert one.about == other.about
    assert one.events == other.events
    assert one.ending == other.ending
    for name in ARRAYS:
        a, b = getattr(one, name), getattr(other, name)
        assert a.dtype == b.dtype, name
        assert a.shape == b.shape, name
        assert a.tobytes() == b.tobytes(), name


def runs():
    """Trajectories of every shape: with and without rows, with events and impacts, with a semidefinite mass matrix."""
    yield "rows", swing()
    yield "no rows", g.simulate(oscillator(), [1.0], t_end=1.0)
    mark = g.Event("mark", lambda q: q.x - 0.3)
    yield "impacts", g.simulate(ball(), [0.0, 1.0], [1.0, 0.0], t_end=1.2, events=[mark])
    massless = g.System(
        "pulley",
        "x theta",
        kinetic_energy=lambda v: 0.5 * v.x**2,
        potential_energy=lambda q: G * q.x,
        constraints=[g.Holonomic("belt λ≥0 “quoted”", lambda q: q.x - 0.3 * q.theta)],
    )
    yield "massless", g.simulate(massless, [0.0, 0.0], t_end=1.0)
    yield "rk4", swing(method="rk4", step=0.01)


@pytest.mark.long
@pytest.mark.parametrize("case", range(5))
def test_file_gives_back_the_same_bits(case, tmp_path):
    name, run = list(runs())[case]
    path = run.save(tmp_path / f"{name}.nc")
    assert path == tmp_path / f"{name}.nc"
    loaded = g.Trajectory.load(path)
    same_bits(run, loaded)
    assert str(loaded) == str(run)
    if name == "impacts":
        assert {event.kind for event in loaded.events} == {"impact", "event"}
    same_bits(loaded, g.Trajectory.load(loaded.save(path)))  # onto the file it came from


def escaping():
    """A particle that is infinitely far away after 1 s: x = (1 − t)⁻²."""
    return g.System("escape", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda q: [6.0 * q.x**2])


def test_file_of_an_unfinished_run_says_how_it_ended(tmp_path):
    with pytest.warns(g.errors.MotionWarning):
        run = g.simulate(escaping(), [1.0], [2.0], t_end=10.0)
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    same_bits(run, loaded)
    assert loaded.ending.kind == "escape"
    assert loaded.ending.limit == run.ending.limit
    assert not loaded.ending.complete


@pytest.mark.long
@pytest.mark.parametrize("case", range(5))
def test_loaded_motion_is_dense_again_with_its_system(case, tmp_path):
    _, run = list(runs())[case]
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    with pytest.raises(g.errors.InputError, match="with_system"):
        loaded.at(0.5)
    times = np.linspace(0.0, run.t[-1], 37)
    again = loaded.with_system(run.setting.system).at(times)
    expected = run.at(times)
    for name in ARRAYS:
        assert getattr(again, name).tobytes() == getattr(expected, name).tobytes(), name


def test_loaded_motion_under_a_constant_control_is_dense_again_with_its_control(tmp_path):
    """x = ½·2·t²: without the control it would be at rest."""
    run = g.simulate(cart(), [0.0], t_end=3.0, control={"push": 2.0})
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc")).with_system(cart())
    times = np.linspace(0.0, 3.0, 13)
    assert g.relative(loaded.at(times)["x"], times**2) <= rounding(1.0, 10)


def test_loaded_motion_under_feedback_is_dense_again_or_says_that_the_control_is_missing(tmp_path):
    run = g.simulate(cart(), [1.0], t_end=3.0, control=lambda t, q, v: [-q[0]])
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    times = np.linspace(0.0, 3.0, 13)
    try:
        dense = loaded.with_system(cart()).at(times)
    except g.errors.InputError:
        with pytest.raises(g.errors.InputError, match="control"):
            loaded.with_system(cart()).at(times)
        return
    assert np.max(np.abs(dense["x"] - np.cos(times))) <= 10 * RTOL


def test_trajectory_is_attached_to_its_own_system_only(tmp_path):
    loaded = g.Trajectory.load(swing().save(tmp_path / "run.nc"))
    with pytest.raises(g.errors.InputError, match="coordinates"):
        loaded.with_system(oscillator())
    with pytest.raises(g.errors.InputError, match="parameters"):
        loaded.with_system(pendulum(length=2.0))
    with pytest.raises(g.errors.InputError, match="rows"):
        loaded.with_system(g.System("free", "x y", kinetic_energy=unit_mass, parameters={"l": 1.0}))


def test_missing_file_is_a_file_error(tmp_path):
    with pytest.raises(g.errors.FileError, match="there is no file"):
        g.Trajectory.load(tmp_path / "nothing.nc")
    with pytest.raises(g.errors.FileError):
        g.Trajectory.load(tmp_path)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_cut_file_is_a_file_error(share, tmp_path):
    path = swing().save(tmp_path / "run.nc")
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(g.errors.FileError, match=r"run\.nc"):
        g.Trajectory.load(path)


def test_text_file_is_a_file_error(tmp_path):
    path = tmp_path / "run.nc"
    path.write_text("t, x\n0, 1\n")
    with pytest.raises(g.errors.FileError, match=r"run\.nc is not a readable NetCDF file"):
        g.Trajectory.load(path)


def test_netcdf_file_of_something_else_is_a_file_error(tmp_path):
    path = tmp_path / "weather.nc"
    xarray.Dataset({"temperature": ("day", [1.0, 2.0])}).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(g.errors.FileError, match="not a trajectory of this package"):
        g.Trajectory.load(path)


@pytest.mark.long
@pytest.mark.parametrize("damage", ["zwang", "about", "ending", "events", "json", "list"])
def test_file_with_a_missing_or_spoilt_part_is_a_file_error(damage, tmp_path):
    path = swing().save(tmp_path / "run.nc")
    with xarray.open_dataset(path, engine="h5netcdf", decode_cf=False) as source:
        data = source.load()
    if damage == "zwang":
        data = data.drop_vars("zwang")
    elif damage == "json":
        data.attrs["about"] = "{"
    elif damage == "list":
        data.attrs["about"] = "[1]"
    else:
        del data.attrs[damage]
    files.write(data, None, tmp_path / "spoilt.nc")
    with pytest.raises(g.errors.FileError, match="damaged"):
        g.Trajectory.load(tmp_path / "spoilt.nc")


def test_saving_to_a_missing_folder_is_a_file_error(tmp_path):
    with pytest.raises(g.errors.FileError, match="there is no folder"):
        swing().save(tmp_path / "nowhere" / "run.nc")
    with pytest.raises(g.errors.FileError, match="cannot write"):
        swing().save(tmp_path)


# --- progress and interruption ----------------------------------------------------------------------------------

METHODS = [{}, {"method": "rk4", "step": 0.001}, {"method": "rk4", "step": 0.1}]
every_method = pytest.mark.parametrize("options", METHODS, ids=["dop853", "rk4 0.001", "rk4 0.1"])


@pytest.mark.long
@every_method
@pytest.mark.parametrize("start", [0.0, -2.5])
def test_progress_rises_to_one(options, start):
    fractions = []
    span = 10.0 if options else 400.0
    g.simulate(oscillator(), [1.0], t=start, t_end=start + span, progress=fractions.append, **options)
    assert len(fractions) >= 3  # many steps are one compiled call
    assert fractions[0] > 0.0
    assert np.all(np.diff(fractions) >= 0.0)
    assert fractions[-1] == 1.0


def test_progress_does_not_go_back_at_impacts():
    fractions = []
    g.simulate(ball(), [0.0, 1.0], t_end=1.3, progress=fractions.append)
    assert np.all(np.diff(fractions) >= 0.0)
    assert fractions[-1] == 1.0


class Interrupt:
    """Presses Ctrl-C once, when a share of the run is done."""

    def __init__(self, share):
        self.share, self.reached = share, None

    def __call__(self, fraction):
        if self.reached is None and fraction >= self.share:
            self.reached = fraction
            raise KeyboardInterrupt


def interrupted(*arguments, **options):
    """Simulate; a Ctrl-C that comes through fails the test instead of ending all tests."""
    try:
        with pytest.warns(g.errors.MotionWarning, match="interrupted"):
            run = g.simulate(*arguments, **options)
    except KeyboardInterrupt:
        pytest.fail("Ctrl-C lost what was computed")
    assert run.ending.kind == "interrupted"
    assert not run.ending.complete
    return run


@pytest.mark.sampled(8)
@every_method
@pytest.mark.parametrize("share", [0.0, 0.4, 0.99])
def test_interrupted_run_keeps_everything_that_was_computed(options, share):
    interrupt = Interrupt(share)
    run = interrupted(oscillator(), [1.0], t_end=10.0, progress=interrupt, **options)
    assert run.t[0] == 0.0
    assert run.t[-1] == pytest.approx(10.0 * interrupt.reached, abs=rounding(10.0))
    assert f"t = {run.t[-1]:.9g} s" in run.ending.message
    full = g.simulate(oscillator(), [1.0], t_end=10.0, **options)
    count = len(run)
    for name in ("t", "q", "v", "a"):
        assert np.array_equal(getattr(run, name), getattr(full, name)[:count])
    assert np.max(np.abs(run.at(run.t[-1] / 2)["x"] - math.cos(run.t[-1] / 2))) <= 1e-4  # rk4 with 0.1 s: 1e-5


@pytest.mark.parametrize("call", [2, 3, 15, 40])
def test_run_interrupted_inside_a_step_keeps_the_states_before_it(call, tmp_path):
    """Call 1 is the check of the start; before the first step is done there may be no state to keep."""
    calls = [0]

    def control(t, q, v):
        calls[0] += 1
        if calls[0] == call:
            raise KeyboardInterrupt
        return [-q[0]]

    run = interrupted(cart(), [1.0], t_end=10.0, control=control)
    assert "interrupted" in str(run)
    assert len(run) >= (1 if call > 30 else 0)
    assert np.max(np.abs(run["x"] - np.cos(run.t)), initial=0.0) <= 10 * RTOL
    same_bits(run, g.Trajectory.load(run.save(tmp_path / "run.nc")))


# --- runs that cannot go on -------------------------------------------------------------------------------------


@pytest.mark.parametrize("t_end", [1.5, 2.0, 100.0, 1e6])
def test_escape_in_finite_time_ends_the_run_and_keeps_it(t_end):
    """ẍ = 2x³ with x = v = 1 gives x = 1/(1 − t)."""
    system = plain("x", force=lambda q: [2 * q.x**3])
    with pytest.warns(g.errors.MotionWarning) as caught:
        run = g.simulate(system, [1.0], [1.0], t_end=t_end)
    assert [w.category for w in caught] == [g.errors.MotionWarning]
    assert run.ending.kind == "escape"
    assert run.ending.limit == pytest.approx(1.0, rel=1e-6)  # fitted to the last states
    assert run.t[-1] == pytest.approx(1.0, abs=1e-3)
    early = run.t < 0.9
    # An error of the start grows like the general solution's derivative by its escape time, 1/(1 − t)².
    assert np.max(np.abs(run["x"][early] * (1 - run.t[early]) - 1)) <= 10 * RTOL / (1 - 0.9) ** 2
    assert np.all(np.isfinite(run.q))


def test_escape_with_fixed_steps_ends_with_one_warning_and_finite_numbers():
    system = plain("x", force=lambda q: [2 * q.x**3])
    with pytest.warns(g.errors.MotionWarning) as caught:
        run = g.simulate(system, [1.0], [1.0], t_end=2.0, method="rk4", step=0.01)
    assert [w.category for w in caught] == [g.errors.MotionWarning]
    assert run.ending.kind == "failed"
    assert np.all(np.isfinite(run.q))
    assert len(run) >= 100


@pytest.mark.parametrize("t_end", [2.0, 5.0, 1e4])
@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 0.01}])
def test_force_that_leaves_its_domain_ends_the_run_and_keeps_it(t_end, options):
    """ẍ = −√x, started inwards: with energy v²/2 + (2/3)x^{3/2} the particle reaches x = 0 with v² = 1 + 4/3."""
    system = plain("x", force=lambda q: [-g.sqrt(q.x)])
    with pytest.warns(g.errors.MotionWarning):
        run = g.simulate(system, [1.0], [-1.0], t_end=t_end, **options)
    assert run.ending.kind == "failed"
    step = options.get("step", 1e-6)
    assert 0.0 <= run["x"][-1] <= 2 * step
    assert run["d_x"][-1] == pytest.approx(-math.sqrt(7 / 3), abs=2 * step)
    assert np.all(np.isfinite(run.a))


def test_black_box_force_that_fails_on_the_way_is_named_in_the_message():
    """The exception of the user's own code is what tells the user what is wrong."""

    def force(q, v, t):
        if t > 0.5:
            raise KeyError("table ends at 0.5 s")
        return [0.0]

    with pytest.warns(g.errors.MotionWarning, match=r"table ends at 0\.5 s"):
        run = g.simulate(plain("x", black_box_force=force), [0.0], [1.0], t_end=2.0)
    assert run.ending.kind == "failed"
    assert 0.0 < run.t[-1] <= 0.5
    assert run["x"] == pytest.approx(run.t, abs=rounding(1.0))


@pytest.mark.parametrize("value", [[float("nan")], [0.0, 0.0], "text"])
def test_black_box_force_that_returns_nonsense_on_the_way_ends_the_run(value):
    system = plain("x", black_box_force=lambda q, v, t: [0.0] if t <= 0.5 else value)
    with pytest.warns(g.errors.MotionWarning):
        run = g.simulate(system, [0.0], [1.0], t_end=2.0)
    assert run.ending.kind == "failed"
    assert 0.0 < run.t[-1] <= 0.5


@pytest.mark.long
@pytest.mark.parametrize("force", ["traced", "black box"])
def test_dry_friction_that_stops_a_block_does_not_take_for_ever(force):
    """v̇ = −sign v stops at t = 1; beyond, no step is small enough for an error estimate of a force that jumps. The run
    may stay at rest or end with a reason."""
    if force == "traced":
        system = plain("x", force=lambda v: [-g.sign(v.x)])
    else:
        system = plain("x", black_box_force=lambda q, v, t: -np.sign(v))
    run = quiet(system, [0.0], [1.0], t_end=2.0)
    if run.ending.kind == "finished":
        assert run.t[-1] == 2.0
    else:
        assert run.ending.kind == "failed"
        assert "not smooth" in run.ending.message
        assert run.t[-1] == pytest.approx(1.0, abs=1e-3)
    sliding = run.t < 0.999
    assert run["x"][sliding] == pytest.approx(run.t[sliding] - run.t[sliding] ** 2 / 2, abs=10 * RTOL)
    assert run["x"][-1] == pytest.approx(0.5, abs=1e-6)


# --- singular positions -----------------------------------------------------------------------------------------


def parallelogram():
    """Cranks of length 1 at (0, 0) and (2, 0), coupler of length 2: flat at angle 0, where it can fold."""
    return g.System(
        "parallelogram",
        "ax ay bx by",
        kinetic_energy=unit_mass,
        constraints=[
            g.Holonomic("left", lambda q: q.ax**2 + q.ay**2 - 1.0),
            g.Holonomic("coupler", lambda q: (q.bx - q.ax) ** 2 + (q.by - q.ay) ** 2 - 4.0),
            g.Holonomic("right", lambda q: (q.bx - 2.0) ** 2 + q.by**2 - 1.0),
        ],
    )


def turning(angle, rate):
    s, c = math.sin(angle), math.cos(angle)
    return [c, s, 2.0 + c, s], [-rate * s, rate * c, -rate * s, rate * c]


def test_start_with_speed_on_a_singular_position_moves_on():
    run = quiet(parallelogram(), *turning(0.0, 1.0), t_end=1.0)
    assert run.ending.kind == "finished"
    exact = np.array([turning(t, 1.0)[0] for t in run.t])
    assert np.max(np.abs(run.q - exact)) <= 100 * RTOL


def test_start_where_several_motions_leave_is_refused_with_the_verdict():
    lines = plain("x y z", constraints=[g.Holonomic("two planes", lambda q: q.x * q.y)], force=[1.0, 2.0, 0.0])
    with pytest.raises(g.errors.SingularPositionError, match=r"branching.*'two planes'") as caught:
        g.simulate(lines, [0.0, 0.0, 0.0], [0.0, 0.0, 1.0], t_end=1.0)
    assert caught.value.verdict.regularity.rank == 0


def test_constraint_given_twice_moves_as_one_and_shares_its_multiplier():
    rows = [g.Holonomic("one", lambda q: q.x), g.Holonomic("two", lambda q: 2 * q.x)]
    run = g.simulate(plain("x y", constraints=rows, force=[3.0, 0.0]), [0.0, 0.0], [0.0, 1.0], t_end=1.0)
    assert run.about.redundant in (("one",), ("two",))
    # equal forces are those of least squares: λ₁ = −3/2, 2 λ₂ = −3/2
    assert run["one"] == pytest.approx(np.full(len(run), -1.5), abs=rounding(1.0, 100))
    assert run["two"] == pytest.approx(np.full(len(run), -0.75), abs=rounding(1.0, 100))


@pytest.mark.parametrize("angle", [0.5, 1.0, 1.3])
def test_steps_that_land_on_a_singular_position_pass_it(angle):
    """Steps of 0.01 s at 1 rad/s land on the flat position, where 'left', 'coupler' and 'right' are dependent."""
    run = quiet(parallelogram(), *turning(angle, -1.0), t_end=3.0, method="rk4", step=0.01)
    assert run.ending.kind == "finished", run.ending.message
    (event,) = [e for e in run.events if e.kind == "singular"]
    assert event.t == pytest.approx(angle, abs=1e-8)
    assert event.verdict == "crossing"
    assert set(event.name.split(" + ")) == {"left", "coupler", "right"}
    exact = np.array([turning(angle - t, -1.0)[0] for t in run.t])
    assert np.max(np.abs(run.q - exact)) <= 10 * 0.01**4  # an error of order h⁴ per unit of time


@pytest.mark.long
@pytest.mark.parametrize("angle", [0.5, 1.0, 1.3])
@pytest.mark.parametrize("max_step", [math.inf, 0.01])
def test_adaptive_steps_pass_a_singular_position_and_log_it(angle, max_step):
    run = quiet(parallelogram(), *turning(angle, -1.0), t_end=3.0, max_step=max_step)
    assert run.ending.kind == "finished", run.ending.message
    (event,) = [e for e in run.events if e.kind == "singular"]
    assert event.t == pytest.approx(angle, abs=1e-8)
    exact = np.array([turning(angle - t, -1.0)[0] for t in run.t])
    assert np.max(np.abs(run.q - exact)) <= 1000 * RTOL


@pytest.mark.long
@pytest.mark.parametrize("start", [-1.0, -0.937, -math.pi / 3])
@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 0.01}], ids=["dop853", "rk4"])
def test_particle_on_crossing_lines_stops_at_the_crossing_or_continues_straight(start, options):
    """xy = 0: the only row (y, x) vanishes at the origin. Moving along y = 0 under a force across the line."""
    system = plain("x y", force=[0.0, -1.0], constraints=[g.Holonomic("lines", lambda q: q.x * q.y)])
    run = quiet(system, [start, 0.0], [1.0, 0.0], t_end=2.0, **options)
    if run.ending.kind != "finished":
        assert run.ending.kind == "singular", run.ending.message
        assert "'lines'" in run.ending.message
        assert run["x"][-1] == pytest.approx(0.0, abs=0.011)
    assert run["x"] == pytest.approx(start + run.t, abs=rounding(1.0, len(run)))
    assert np.max(np.abs(run["y"])) <= rounding(1.0)
    assert np.all(np.isfinite(run.multipliers))


def test_warning_names_the_system_and_points_at_the_caller():
    with pytest.warns(g.errors.MotionWarning) as caught:
        g.simulate(escaping(), [1.0], [2.0], t_end=10.0)
    (warning,) = caught
    assert re.match(r"escape: ", str(warning.message))
    assert warning.filename == __file__


def test_fixed_step_that_the_projection_cannot_mend_ends_the_run_instead_of_drifting():
    """At 3 s a step throws the pendulum's bob so far off its circle that the projection does not find it again."""
    pendulum = plain("x y", force=[0.0, -9.81], constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)])
    with pytest.warns(g.errors.MotionWarning, match="no certified step"):
        run = g.simulate(pendulum, [1.0, 0.0], t_end=30.0, method="rk4", step=3.0)
    assert run.ending.kind == "failed"
    assert "off position" in run.ending.message
    assert np.max(run.off_position) <= 1e-12


def test_reserved_row_names_are_the_columns_of_a_trajectory():
    words = {name for name, (dims, *_) in columns.ARRAYS.items() if dims == ("state",)}
    assert set(RESULTS) == words | {"event", "energy"}


@pytest.mark.parametrize(
    ("name", "second"),
    [
        ("theta_dot", "x_ddot"),
        ("thetadot", "xdotdot"),
        ("theta'", "x''"),
        ("dtheta", "ddx"),
        ("v_theta", "a_x"),
    ],
)
def test_a_rate_in_another_spelling_is_told(name, second):
    system = g.System("s", "theta x", kinetic_energy=lambda v: v.theta**2 + v.x**2)
    run = g.simulate(system, [0.0, 0.0], t_end=0.1, progress="none")
    with pytest.raises(g.errors.InputError, match="did you mean 'd_theta'"):
        run[name]
    with pytest.raises(g.errors.InputError, match="did you mean 'dd_x'"):
        run[second]


def test_a_coordinate_is_no_attribute_and_the_error_says_how_it_is_written():
    rod = g.Holonomic("rod", lambda q: q.x - q.theta)
    system = g.System("s", "theta x", kinetic_energy=lambda v: v.theta**2 + v.x**2, constraints=[rod])
    run = g.simulate(system, [0.0, 0.0], t_end=0.1, progress="none")
    for name, written in (("theta", "theta"), ("theta_dot", "d_theta"), ("d_x", "d_x"), ("rod", "rod")):
        with pytest.raises(AttributeError, match=rf"write run\['{written}'\]"):
            getattr(run, name)
    with pytest.raises(AttributeError, match=r"run\.names"):
        run.nothing  # noqa: B018
    assert not hasattr(run, "theta")
    for same in (copy.copy(run), pickle.loads(pickle.dumps(run)), dataclasses.replace(run)):
        assert np.array_equal(same["theta"], run["theta"])
    stored = dataclasses.replace(run, setting=None)
    with pytest.raises(KeyError):  # what is wrong inside a property stays what it is
        stored.kinetic  # noqa: B018
