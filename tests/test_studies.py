"""Studies: the same numbers however they are computed, nothing lost, nothing repeated, and files of one study only."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import xarray

import gauss as g
from gauss.errors import FileError, InputError
from gauss.motion import simulate_many
from gauss.studies import points_of

GRID = {"l": [0.5, 1.0, 2.0], "phi": [0.1, 1.0]}
CHILD = """
import os, sys, time
import numpy as np
import gauss as g

def noted(run):
    with open(sys.argv[2], "a") as log:
        log.write(f"{run.about.parameters['l']!r}\\\\n")
    time.sleep(0.01)
    return run["d_phi"].max()

pendulum = g.System(
    "pendulum", "phi", parameters={"l": 1.0},
    kinetic_energy=lambda v, p: 0.5 * p.l**2 * v.phi**2,
    potential_energy=lambda q, p: -9.81 * p.l * g.cos(q.phi),
)
if __name__ == "__main__":
    grid = {"l": np.linspace(0.5, 2.0, 100)}
    g.sweep(pendulum, g.Start([0.5], t_end=0.2), grid, measure={"m": noted}, out=sys.argv[1], portion=5)
""".replace("\\\\n", "\\n")


def pendulum(gravity=9.81):
    return g.System(
        "pendulum",
        "phi",
        parameters={"l": 1.0},
        kinetic_energy=lambda v, p: 0.5 * p.l**2 * v.phi**2,
        potential_energy=lambda q, p: -gravity * p.l * g.cos(q.phi),
    )


def fastest(run):
    return run["d_phi"].max()


def study(model=None, grid=GRID, t_end=1.0, measure=None, **options):
    measure = {"fastest": fastest} if measure is None else measure
    return g.sweep(model or pendulum(), g.Start([0.0], t_end=t_end), grid, measure=measure, **options)


def same(one, other):
    assert set(one.variables) == set(other.variables)
    for name in one.variables:
        a, b = one[name].values, other[name].values
        assert a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes(), name


def test_each_point_is_the_motion_of_simulate():
    table = study()
    assert table.sizes == {"l": 3, "phi": 2}
    for length in GRID["l"]:
        for angle in GRID["phi"]:
            alone = g.simulate(pendulum().with_parameters(l=length), [angle], t_end=1.0)
            point = table.sel(l=length, phi=angle)
            assert point["fastest"].item() == alone["d_phi"].max()
            assert (point["ending"].item(), point["until"].item()) == ("finished", 1.0)
            assert point["residual"].item() == max(alone.primal.max(), alone.stationarity.max())
            assert point["distance"].item() == alone.solver_distance.max()


def test_coordinates_at_times_are_those_of_simulate_many():
    times, lengths = np.array([0.0, 0.5, 1.0]), [0.5, 1.0, 2.0]
    table = g.sweep(pendulum(), g.Start([0.4]), {"l": lengths}, times=times)
    many = simulate_many(pendulum(), [0.4], times=times, parameters={"l": lengths})
    assert table["phi"].dims == ("l", "t")
    for name in ("phi", "d_phi", "until", "distance", "residual"):
        assert np.array_equal(table[name].values, many[name].values)
    both = g.sweep(pendulum(), g.Start([0.4]), {"l": lengths}, times=times, measure={"fastest": fastest})
    assert np.array_equal(both["phi"].values, many["phi"].values)


def declared():
    return g.System(
        "pendulum",
        "phi r",
        parameters={"l": 1.0},
        kinetic_energy=lambda q, v, p: 0.5 * (p.l**2 * v.phi**2 + v.r**2),
        potential_energy=lambda q, p: -9.81 * p.l * g.cos(q.phi),
        constraints=[g.Holonomic("rod", lambda q, p: q.r - p.l)],
        units={"phi": "rad", "r": "m", "l": "m", "rod": "m"},
    )


def test_declared_units_are_kept_in_the_table_and_its_file(tmp_path):
    for out in (None, tmp_path / "study.zarr"):
        start = g.Start([0.0, 1.0], t_end=0.1)
        table = g.sweep(declared(), start, {"phi": [0.1, 0.2], "d_phi": [0.0]}, measure={"m": len}, out=out)
        assert [table[name].attrs.get("units") for name in ("phi", "d_phi")] == ["rad", "rad/s"]
        samples = {"l": [1.0, 1.0], "a": [0.1, 0.2]}
        out = out and tmp_path / "times.zarr"
        table = g.sweep(declared(), lambda a: ([a, 1.0], None), samples=samples, times=[0.0, 0.1], out=out)
        units = {"l": "m", "phi": "rad", "d_phi": "rad/s", "r": "m", "rod": "N", "t": "s"}
        assert {name: table[name].attrs.get("units") for name in units} == units
    run = g.simulate(declared(), [0.1, 1.0], t_end=0.1)
    found = {name: run.to_xarray()[name].attrs["units"] for name in ("q", "v", "a", "multipliers")}
    assert found == {"q": "rad, m", "v": "rad/s, m/s", "a": "rad/s², m/s²", "multipliers": "N"}


def test_times_behind_the_end_are_refused():
    for options in ({"start": g.Start([0.1], t_end=1.0)}, {"start": g.Start([0.1]), "t_end": 1.0}):
        with pytest.raises(InputError, match="times go on to 2 s, but the motions end at t_end = 1 s"):
            g.sweep(pendulum(), grid={"l": [1.0]}, times=[0.0, 2.0], **options)
    table = g.sweep(pendulum(), lambda l: g.Start([0.1], t_end=l), {"l": [1.0, 3.0]}, times=[0.0, 2.0])
    assert table["ending"].values.tolist() == ["refused", "finished"]


@pytest.mark.parametrize(
    "options",
    [
        {"start": g.Start([0.0, 1.0], t_end=0.1), "grid": {"phi": [60.0, 90.0]}, "measure": {"m": len}},
        {"start": lambda a: ([a, 1.0], None), "grid": {"a": [60.0, 90.0]}, "times": [0.0, 0.1]},
    ],
    ids=["grid", "start"],
)
def test_degrees_of_a_study_are_told_once(options):
    with pytest.warns(g.errors.DegreesWarning, match=r"phi = 60 rad looks like degrees") as told:
        g.sweep(declared(), **options)
    assert len(told) == 1


def test_a_client_that_is_closed_is_refused():
    with pytest.raises(InputError, match="client is closed"):
        study(client=SimpleNamespace(status="closed", get_executor=None))


def test_an_address_is_no_client():
    with pytest.raises(InputError, match=r"distributed.Client\('tcp://1.2.3.4:8786'\)"):
        study(client="tcp://1.2.3.4:8786")


def test_samples_builders_and_starts_of_the_values():
    def build(m, kind):
        assert isinstance(kind, str)
        return g.System("particle", "x", kinetic_energy=lambda v: 0.5 * m * v.x**2, force=lambda: [6.0]), ([0.0], [0.0])

    samples = {"m": [1, 2, 3], "kind": ["a", "b", "c"]}
    table = g.sweep(build, samples=samples, t_end=1.0, measure={"x": lambda run: run["x"][-1]})
    assert table["x"].dims == ("sample",)
    assert np.allclose(table["x"], [3.0, 1.5, 1.0], rtol=1e-12)
    assert table["kind"].values.tolist() == ["a", "b", "c"]
    started = g.sweep(build, lambda v0: ([0.0], [v0]), {"m": [1.0], "kind": ["a"], "v0": [0.0, 1.0]}, t_end=1.0,
                      measure={"x": lambda run: run["x"][-1]})  # fmt: skip
    assert np.allclose(started["x"].values.ravel(), [3.0, 4.0], rtol=1e-12)


def test_measures_may_be_arrays_and_datasets_with_units():
    def curve(run):
        times = [0.0, 0.5, 1.0]
        found = xarray.DataArray(run.at(times)["phi"], {"time": times}, ["time"], attrs={"units": "rad"})
        return xarray.Dataset({"angle": found, "word": "swings"})

    table = study(measure={"curve": curve, "state": lambda run: [run["phi"][-1], run["d_phi"][-1]]})
    assert table["angle"].dims == ("l", "phi", "time")
    assert table["angle"].attrs == {"units": "rad"}
    assert table["time"].values.tolist() == [0.0, 0.5, 1.0]
    assert set(table["word"].values.ravel()) == {"swings"}
    assert np.array_equal(table["state"][..., 0], table["angle"].sel(time=1.0))


def test_a_dict_of_numbers_is_as_many_columns():
    table = study(measure={"last": lambda run: {"angle": run["phi"][-1], "rate": run["d_phi"][-1]}})
    apart = study(measure={"angle": lambda run: run["phi"][-1], "rate": lambda run: run["d_phi"][-1]})
    assert np.array_equal(table["angle"], apart["angle"])
    assert np.array_equal(table["rate"], apart["rate"])
    assert "last" not in table


def test_a_point_that_fails_is_told_and_the_others_go_on():
    def start(l):
        if l == 3.0:
            raise ValueError("no such length")
        return g.Start({"phi": 0.1} if l != 2.0 else {"psi": 0.1}, t_end=1.0)

    def measure(run):
        return [1.0] * int(run.about.parameters["l"])

    table = g.sweep(pendulum(), start, {"l": [1.0, 2.0, 3.0, 4.0]}, measure={"m": measure, "n": fastest})
    assert table["ending"].values.tolist() == ["finished", "refused", "failed", "failed"]
    words = ["the end time", "InputError: q names ['psi']", "no such length", "the shape of 'm'"]
    for message, word in zip(table["message"].values, words, strict=True):
        assert word in message
    assert np.isfinite(table["n"].values).tolist() == [True, False, False, True]


def test_what_fails_at_the_first_point_is_told_before_the_others_are_computed():
    asked = []

    def measure(run):
        asked.append(run)
        return run["phi_dot"]

    with warnings.catch_warnings():
        warnings.simplefilter("error", g.errors.MotionWarning)
        with pytest.raises(g.errors.MotionWarning, match="at the first point the study failed: the measure 'm'"):
            study(grid={"l": [1.0, 2.0, 3.0]}, measure={"m": measure})
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"grid": {"nothing": [1.0]}}, "nothing takes the value 'nothing'"),
        ({"grid": {"l": []}}, "'l' must be a list of numbers"),
        ({"grid": {"l": [np.nan]}}, "not all finite"),
        ({"grid": {"l": "0.5:2:200"}}, r"takes numbers, .* '0\.5:2:200': give a list, or np\.linspace"),
        ({"grid": None}, "either as a grid"),
        ({"grid": None, "samples": {"l": [1.0, 2.0], "phi": [1.0]}}, "'l' has 2, 'phi' has 1"),
        ({"grid": {"t": [1.0]}}, "the table uses for something else"),
        ({"measure": {"ending": fastest}}, "always in the table"),
        ({"measure": {}}, "nothing is asked"),
        ({"measure": {"m": 3}}, "'m' is 3"),
        ({"times": [0.0, 1.0]}, r"with times=… the table has 'phi'"),
        ({"method": "auto"}, "name the method"),
        ({"branches": "all"}, "no sense for many"),
        ({"reltol": 1e-3}, "no such options"),
        ({"jobs": 0}, "jobs must be"),
        ({"retry": "all"}, "retry must be"),
        ({"out": "study.nc"}, "ends in .zarr"),
    ],
)
def test_what_makes_no_study_is_refused(change, words):
    with pytest.raises(InputError, match=words):
        study(**change)


def test_a_grid_in_the_place_of_the_start_is_told():
    with pytest.raises(InputError, match="takes the model, the start and then the grid"):
        g.sweep(pendulum(), {"l": [1.0]}, measure={"fastest": fastest})


@pytest.mark.parametrize(
    ("start", "grid", "words"),
    [
        (([0.0], None), {"L": [1.0]}, r"it has l, phi, d_phi, …\)\. Did you mean 'l'\?"),
        (([0.0], None), {"kp": [1.0]}, "the argument of a function: start=lambda kp: …"),
        (lambda kp=1.0: [kp], {"Kp": [1.0]}, r"the function that gives the start takes kp\. Did you mean 'kp'\?"),
        (lambda kp, kd, mass=1.0: [kp], {"l": [1.0], "kd": [0.0]}, "gives the start needs kp, and the study has l, kd"),
        (lambda kp, **others: [kp], {"l": [1.0]}, "gives the start needs kp"),
    ],
)
def test_a_value_that_is_missing_or_not_taken_is_told_at_once(start, grid, words):
    with pytest.raises(InputError, match=words):
        g.sweep(pendulum(), start, grid, measure={"m": fastest}, t_end=1.0)


@pytest.mark.parametrize("portion", [1, 2])
def test_a_measure_that_fails_from_the_first_is_told_at_once(portion):
    where = "at the first point" if portion == 1 else "at all of the first 2 points"
    with pytest.warns(g.errors.MotionWarning, match=f"^{where} the study failed: the measure 'm': .*no 'psi'") as told:
        table = study(measure={"m": lambda run: run["psi"].max()}, portion=portion)
    assert (len(told), set(table["ending"].values.ravel())) == (1, {"failed"})


@pytest.mark.parametrize("part", ["the start", "the measure 'm'"])
def test_what_cannot_be_sent_to_a_process_is_named(part):
    lock = threading.Lock()
    held = lambda x=None: lock.locked()  # noqa: E731
    start = (lambda phi: (held(), g.Start([phi], t_end=1.0))[1]) if part == "the start" else g.Start([0.0], t_end=1.0)
    measure = {"m": held if part != "the start" else fastest}
    with pytest.raises(InputError, match=f"^{part} cannot be sent to other processes .*lock"):
        g.sweep(pendulum(), start, {"phi": [0.0, 1.0]}, measure=measure, jobs=2)


def test_portions_are_boxes_of_points_that_follow_one_another():
    for shape, portion in (((7,), 3), ((4, 5), 7), ((3, 4, 5), 9), ((3, 4, 5), 60), ((200, 100), None)):
        points = points_of({f"x{k}": np.arange(size) for k, size in enumerate(shape)}, None)
        chunk = points.chunk(portion)
        indices = [points.within(region).ravel() for region in points.portions(chunk)]
        assert np.array_equal(np.concatenate(indices), np.arange(len(points)))
        assert max(map(len, indices)) <= (portion or 256)


def test_a_file_is_resumed_and_refused_to_another_study(tmp_path):
    out, asked = tmp_path / "study.zarr", []

    def counted(run):
        asked.append(run.about.parameters["l"])
        return run["d_phi"].max()

    here = study(measure={"fastest": counted})
    asked.clear()
    table = study(measure={"fastest": counted}, out=out)
    again = study(measure={"fastest": counted}, out=out)
    same(table, here)
    same(again, here)
    assert len(asked) == 6
    assert xarray.open_zarr(out, chunks=None)["fastest"].values.tobytes() == here["fastest"].values.tobytes()
    changes = [
        ({"t_end": 2.0}, "the start"),
        ({"rtol": 1e-8}, "the options are"),
        ({"grid": GRID | {"l": [0.5, 1.0, 3.0]}}, "'l' has 3 values from 0.5 to 2.0 there"),
        ({"grid": {"l": [0.5]}}, "a grid of l, phi"),
        ({"measure": {"other": counted}}, "it measures fastest"),
        ({"measure": {"fastest": lambda run: run["phi"].max()}}, "the measure 'fastest' has been changed"),
        ({"model": pendulum(1.62)}, "the force"),
    ]
    for change, words in changes:
        with pytest.raises(FileError, match=f"is another study.*{words}"):
            study(out=out, **{"measure": {"fastest": counted}} | change)
    (tmp_path / "mine.zarr").mkdir()
    (tmp_path / "mine.zarr" / "text").write_text("mine")
    with pytest.raises(FileError, match="no Zarr file"):
        study(out=tmp_path / "mine.zarr")


CONTROLLER = """
class Base:
    limit = 5.0

class Law(Base):
    def __init__(self, k): self.k, self.log = k, []
    def __call__(self, t, q, v):
        self.log.append(t)
        return [min(-self.k * q[0], self.limit)]

law = Law(2.0)
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [("-self.k", "-2.0 * self.k"), ("limit = 5.0", "limit = 4.0"), ("Law(2.0)", "Law(3.0)"), ("", "# a comment\n")],
    ids=["method", "constant of the base", "attribute", "comment"],
)
def test_a_study_of_another_controller_is_refused(old, new, tmp_path):
    cart = g.System("cart", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda u: [u.f], controls="f")

    def asked(source):
        names = {"__name__": "controllers_of_a_study"}
        exec(source, names)
        control = g.motion.Sampled(names["law"], 0.05)
        one, many = g.Start([1.0], t_end=0.1, control=control), eval("lambda a: Law(a)", names)
        for name, start in (("one", one), ("many", lambda a: g.Start([a], t_end=0.1, control=many(2.0)))):
            options = {"measure": {"last": lambda run: run["x"][-1]}, "out": tmp_path / f"{name}.zarr"}
            values = {"d_x": [0.0, 1.0]} | ({"a": [1.0]} if name == "many" else {})
            try:
                g.sweep(cart, start, values, **options)
            except FileError as error:
                yield str(error)

    assert [*asked(CONTROLLER)] == []
    words = [*asked(CONTROLLER.replace(old, new, 1) if old else new + CONTROLLER)]
    said = ("the function of control has been changed.", "the function that gives the start has been changed.")
    assert len(words) == {"": 0, "Law(2.0)": 1}.get(old, 2)
    assert all(text in each for text, each in zip(said, words))


def test_points_that_failed_are_computed_again_when_that_is_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("BROKEN", "1")

    def measure(run):
        if os.environ["BROKEN"] == "1" and run.about.parameters["l"] == 1.0:
            raise RuntimeError("not now")
        return run["d_phi"].max()

    endings = []
    for broken, retry in (("1", "none"), ("0", "none"), ("0", "failed")):
        monkeypatch.setenv("BROKEN", broken)
        table = study(measure={"m": measure}, out=tmp_path / "study.zarr", retry=retry)
        endings.append(Counter(table["ending"].values.ravel()))
    assert endings == [{"finished": 4, "failed": 2}, {"finished": 4, "failed": 2}, {"finished": 6}]
    same(table, study(measure={"m": measure}))


@pytest.mark.long
def test_ctrl_c_returns_what_was_computed_and_the_rest_follows(tmp_path):
    calls = []

    def pressed(run):
        calls.append(run)
        if len(calls) == 20:
            os.kill(os.getpid(), signal.SIGINT)
        return run["d_phi"].max()

    options = {"grid": {"l": np.linspace(0.5, 2.0, 60)}, "measure": {"m": pressed}, "out": tmp_path / "study.zarr"}
    with pytest.warns(g.errors.MotionWarning, match="interrupted"):
        table = study(**options)
    assert np.sum(table["ending"].values == "missing") == 41
    assert np.array_equal(np.isnan(table["m"].values), table["ending"].values == "missing")
    same(study(**options), study(**options | {"out": None}))


@pytest.mark.long
def test_a_killed_study_loses_its_portion_and_repeats_nothing_else(tmp_path):
    (tmp_path / "child.py").write_text(CHILD)
    log = tmp_path / "log"
    command = [sys.executable, str(tmp_path / "child.py"), str(tmp_path / "study.zarr"), str(log)]
    for target in (12, 40, 77):
        child = subprocess.Popen(command)
        while not log.exists() or len(log.read_text().splitlines()) < target:
            time.sleep(0.005)
        child.kill()
        child.wait()
    subprocess.run(command, check=True)
    counts = Counter(log.read_text().splitlines())
    assert len(counts) == 100
    assert sum(counts.values()) <= 100 + 3 * 5
    table = xarray.open_zarr(tmp_path / "study.zarr", chunks=None)
    assert np.all(table["ending"].values == "finished")
    k = np.sin(0.25)  # from rest at 0.5 rad the pendulum does not reach its lowest point in 0.2 s when it is long
    assert np.all(table["m"].values <= 2.0 * k * np.sqrt(9.81 / table["l"].values))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # of Dask, about its ports and sockets
def test_processes_and_dask_give_the_same_numbers(tmp_path):
    from distributed import Client, LocalCluster

    here = study()
    same(study(jobs=2, portion=1), here)
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0")
    with cluster, Client(cluster) as client:
        same(study(client=client, portion=2, out=tmp_path / "study.zarr"), here)


@pytest.mark.long
def test_a_point_that_ends_its_process_is_told_and_the_others_go_on():
    def fatal(run):
        if run.about.parameters["l"] == 1.0:
            os.kill(os.getpid(), signal.SIGKILL)
        return run["d_phi"].max()

    table = study(grid={"l": [0.5, 1.0, 2.0], "phi": [0.5]}, measure={"m": fatal}, jobs=2)
    assert table["ending"].values.ravel().tolist() == ["finished", "failed", "finished"]
    assert "process" in table["message"].values[1, 0]


def test_without_the_library_for_files_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(InputError, match=r"pip install gauss-dynamics\[studies\]"):
        study(out=tmp_path / "study.zarr")


MODEL = '''"""A pendulum of my own."""
import gauss as g

system = g.System(
    "my pendulum",
    "phi",
    parameters={"l": 1.0},
    kinetic_energy=lambda v, p: 0.5 * p.l**2 * v.phi**2,
    potential_energy=lambda q, p: -9.81 * p.l * g.cos(q.phi),
)


def start(l=1.0):
    if l == 3:
        raise ValueError("too long")
    return g.Start([0.5], t_end=1.0)


measures = {"fastest": lambda run: run["d_phi"].max()}
'''


@pytest.fixture
def command(tmp_path, capsys, monkeypatch):
    """The command line in the process of the tests, in a folder with a model."""
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(MODEL)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["gauss", "sweep", "model.py", *arguments])
        with pytest.raises(SystemExit) as ended:
            g.main()
        return ended.value.code or 0, capsys.readouterr()

    return call


def test_a_model_file_is_swept_from_the_command_line(command):
    code, printed = command("--set", "l=0.5:2:4", "--out", "study.zarr")
    assert code == 0
    assert "4 points of 'my pendulum' (4 of l): 4 finished" in printed.out
    code, printed = command("--set", "l=0.5:2:4", "--out", "study.zarr", "--json")
    assert json.loads(printed.out)["endings"] == {"finished": 4}
    code, printed = command("--set", "l=1,3", "--out", "table.csv")
    assert code == 1
    assert "failed at l = 3: ValueError: too long" in printed.out
    assert printed.err == ""  # the first point was finished
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        _, printed = command("--set", "l=3,1")
    assert "warning: at the first point the study failed: ValueError: too long" in printed.err
    assert Path("table.csv").read_text().splitlines()[0] == "l,fastest,until [s],distance,residual,message,ending"
    code, _ = command("--set", "l=1,2", "--times", "0:1:3", "--out", "table.nc")
    assert code == 0
    assert xarray.open_dataset("table.nc", engine="h5netcdf")["phi"].dims == ("l", "t")
    for given in ("l=0.5:2", "l=0.5:2:0", "l=1,,2"):
        code, printed = command("--set", given, "--times", "0:1:3")
        assert (code, "neither from:to:count" in printed.err) == (2, True)
    code, printed = command("--set", "l=0.5:2:5", "--out", "study.zarr")
    assert (code, "is another study" in printed.err) == (2, True)
