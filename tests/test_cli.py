"""The command line, run as a user runs it: in a process of its own, or in that of the tests where many are alike."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gauss as g
from gauss import Trajectory
from gauss.cli import app, main
from gauss.errors import FileError, InputError
from gauss.outcome import run_scenario
from gauss.scenario import load, names

ROOT = Path(__file__).resolve().parent.parent

MODEL = '''"""A pendulum of my own."""
import gauss as g

system = g.System(
    "my pendulum",
    coordinates="x y",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    potential_energy=lambda q: 9.81 * q.y,
    constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
)
start = g.Start(q=[1.0, 0.0], t_end=1.0)
'''


def gauss(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gauss", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=120)


@pytest.fixture
def inside(capsys, monkeypatch):
    """The command line in the process of the tests, which need not load the package for each."""

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["gauss", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, ended.value.code or 0, printed.out, printed.err)

    return call


def test_a_start_of_a_model_file_may_be_all_that_a_study_takes(tmp_path):
    for given in ("MODEL.state([1.0, 0.0])", "([1.0, 0.0], [0.0, 2.0])", "g.accelerate(MODEL, [1.0, 0.0])"):
        path = tmp_path / "state.py"
        body, _, _ = MODEL.partition("start = ")
        path.write_text(f"{body.replace('system = ', 'MODEL = system = ')}start = {given}\n")
        page = load(str(path))
        assert page.system.state(page.start.q, page.start.v).q.tolist() == [1.0, 0.0]
        assert page.start.t_end is None
    with pytest.raises(InputError, match=r"give it one: gauss\.Start\(…, t_end=2\)"):
        run_scenario(page, t_end=2.0)


@pytest.mark.long
def test_list_names_every_scenario():
    rows = json.loads(gauss("list", "--json").stdout)
    files = {path.stem for path in (ROOT / "scenarios").glob("*.py")}
    assert {row["name"] for row in rows} == files


@pytest.mark.long
def test_run_prints_claims_and_writes_the_figure(tmp_path):
    done = gauss("run", "chaplygin_skater", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "claims hold" in done.stdout
    assert (tmp_path / "chaplygin_skater.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.long
def test_motions_and_tables_are_written_where_they_are_asked_for(tmp_path, inside):
    short = "--no-plot", "--t-end", "0.5"
    save = "--save", str(tmp_path / "run.nc"), "--csv"
    assert inside("run", "chaplygin_skater", *save, *short).returncode == 0
    names = (tmp_path / "run.csv").read_text(encoding="utf-8").partition("\n")[0].split(",")
    assert (names[0], "energy [J]" in names) == ("t [s]", True)
    assert Trajectory.load(tmp_path / "run.nc").t[-1] == 0.5
    assert inside("run", "chaplygin_skater", "kepler_orbit", *save, *short).returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        *("run.nc", "run_chaplygin_skater.nc", "run_kepler_orbit.nc"),
        *("run.csv", "run_chaplygin_skater.csv", "run_kepler_orbit.csv"),
    }
    done = inside("run", "chaplygin_skater", "--csv", *short, "--out", str(tmp_path / "tables"))
    table = tmp_path / "tables" / "chaplygin_skater.csv"
    assert (done.returncode, f"table{table}" in "".join(done.stdout.split())) == (0, True)
    assert table.exists()
    (tmp_path / "taken").write_text("a file, no folder")
    done = gauss("run", "chaplygin_skater", "--csv", "--no-plot", "--t-end", "0.5", "--out", str(tmp_path / "taken"))
    assert done.returncode == 1
    assert "taken" in done.stdout


def test_a_file_that_cannot_be_run_is_named_with_its_line_and_what_is_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where the path is relative
    for text, says in (
        ("import gauss as g\ng = 9.81\ng.System\n", r"cart\.py, line 3, cannot be run: AttributeError"),
        ("x = (\n", r"cart\.py, line 1, cannot be run: SyntaxError: '\(' was never closed: `x = \(`"),
    ):
        (tmp_path / "cart.py").write_text(text)
        with pytest.raises(FileError, match=says):
            load("cart.py")
    with pytest.raises(FileError, match=r"there is no scenario 'cart'\. Did you mean cart\.py\?"):
        load("cart")


def test_a_report_says_where_no_motion_is_asked_for_and_nothing_of_rows_that_are_not_there(tmp_path, inside):
    path = tmp_path / "falls.py"
    for end, label, text in (
        ("", "motion", "none is asked for: the start has no t_end"),
        (", t_end=0.1", "certificate", "largest residual"),
    ):
        made = "g.System('falls', 'x', kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: 2.0 * q.x)"
        path.write_text(f"import gauss as g\nsystem = {made}\nstart = g.Start([1.0]{end})\n")
        done = inside("run", str(path), "--no-plot")
        assert re.search(rf"{label} +{text}", done.stdout)
        assert "of the rows" not in done.stdout


DRIVEN = """
import gauss as g
from gauss import bodies as mb

disc = mb.PlanarBody("disc", 1.0, inertia=0.5)
pin = mb.Pin("pin", mb.GROUND, (0, 0), disc, (0, 0))
forces = [mb.Motor("drive", pin, 2.0), mb.Motor("brake", pin, lambda t: -0.5), mb.Motor("idle", pin, lambda t: 0.0 * t)]
system = mb.Mechanism("disc", [disc], [pin], forces)
start = g.Start(system.state(disc.pose())[0], t_end=1.0)
"""
FALLING = """
import gauss as g

floor = g.Unilateral("floor", lambda q: q.z, restitution=0.5)
energies = {"kinetic_energy": lambda v: 0.5 * v.z**2, "potential_energy": lambda q: 9.81 * q.z}
system = g.System("ball", coordinates="z", constraints=[floor], **energies)
start = g.Start([1.0], t_end=0.5)
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (DRIVEN, ("0 J at the start, 2.25 J at the end", "taken by brake 0.75 J", "given by drive 3 J")),
        (FALLING, ("9.81 J at the start, 2.4525 J at the end", "taken by impacts 7.3575 J")),
    ],
)
def test_the_report_says_where_the_energy_went_and_what_remains(text, told, tmp_path, inside):
    """A disc of 0.5 kg m² under 2 − 0.5 N m turns by 1.5 rad in 1 s; a ball leaves the floor with half its speed."""
    (tmp_path / "model.py").write_text(text)
    said = " ".join(inside("run", str(tmp_path / "model.py"), "--no-plot").stdout.split())
    assert f"energy {'; '.join(told)}; remainder " in said
    remainder = float(said.partition("; remainder ")[2].split()[0])
    assert remainder < 1e-8
    assert "the integrator's error" in said


def test_a_run_goes_on_from_its_file(tmp_path, inside):
    path = tmp_path / "run.nc"
    run = "run", "chaplygin_skater", "--no-plot", "--save", str(path)
    assert inside(*run, "--t-end", "0.5").returncode == 0
    done = inside(*run, "--t-end", "0.7", "--resume")
    assert (done.returncode, "{'t_end': 0.5} there, and {'t_end': 0.7} here" in done.stderr) == (2, True)
    assert inside(*run, "--t-end", "0.7").returncode == 0  # anew
    before = path.stat().st_ino
    done = inside(*run, "--t-end", "0.7", "--resume")
    assert (done.returncode, "claims hold" in done.stdout, path.stat().st_ino) == (0, True, before)
    assert inside(*run, "--t-end", "0.7", "--method", "auto").returncode == 0
    done = inside("run", "chaplygin_skater", "--resume")
    assert (done.returncode, "--save PATH.nc" in done.stderr) == (2, True)
    for wrong, words in (("run.csv", "ends in .nc"), ("away/run.nc", "there is no folder")):
        done = inside("run", "chaplygin_skater", "--save", str(tmp_path / wrong))
        assert (done.returncode, words in done.stderr) == (2, True)


@pytest.mark.long
def test_json_is_pure_json_and_agrees_with_the_exit_status(tmp_path):
    done = gauss("run", "chaplygin_skater", "--json", "--out", str(tmp_path), "--t-end", "1")
    (data,) = json.loads(done.stdout)
    assert done.returncode == 0
    assert data["passed"]
    assert data["motion"]["t"] == [0.0, 1.0]
    assert data["motion"]["quadratic_programs"] == data["motion"]["states"]


@pytest.mark.long
@pytest.mark.parametrize("solver", ["osqp", "kkt", "cvxpy"])
def test_every_solver_runs_from_the_command_line(solver, tmp_path):
    done = gauss("run", "chaplygin_skater", "--solver", solver, "--no-plot", "--t-end", "0.5")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_a_failing_claim_gives_exit_status_one(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(MODEL + '\n\ndef claims(run):\n    return [g.Claim("x stays 1", 0.5, 1e-9, "it does not")]\n')
    done = gauss("run", str(path), "--no-plot")
    assert done.returncode == 1
    assert "FAIL" in done.stdout


@pytest.mark.long
def test_a_users_own_file_runs_like_a_scenario(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MODEL)
    done = gauss("run", str(path), "--out", str(tmp_path / "new" / "folder"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "new" / "folder" / "mine.png").is_file()


@pytest.mark.long
def test_files_import_their_neighbours_as_in_python(inside, tmp_path):
    """Neighbours of one name in two folders are two modules, and other processes know them, too."""
    before = list(sys.path), set(sys.modules)
    for length in ("1.5", "2.5"):
        folder = tmp_path / length
        folder.mkdir()
        (folder / "parts.py").write_text("LENGTH = " + length)
        (folder / "mycart.py").write_text(f"from parts import LENGTH\n{MODEL.replace('- 1.0', '- LENGTH**2')}")
        (folder / "notes.py").write_text('"""Notes."""\nfrom mycart import start, system\nimport parts\n')
        for command in (["show"], ["uniqueness", "--q", f"{length},0"]):
            ended = inside(command[0], str(folder / "notes.py"), *command[1:])
            assert (ended.returncode, ended.stderr) == (0, "")
        found = load(folder / "notes.py")
        elsewhere = f"import pickle, sys; print(pickle.load(sys.stdin.buffer).system.state([{length}, 0.0]).q[0])"
        told = subprocess.run([sys.executable, "-c", elsewhere], input=pickle.dumps(found), capture_output=True)
        assert (told.stdout.decode().strip(), told.stderr.decode()) == (length, "")
        assert g.accelerate(found.system, [float(length), 0.0]).a[1] == pytest.approx(-9.81)  # on the row
    assert sys.path == before[0]
    assert not {"mycart", "parts"} & (set(sys.modules) - before[1])


def test_a_model_that_cannot_be_drawn_says_which_line_its_file_lacks(inside, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MODEL.replace('"x y"', '"q p"').replace(".x", ".q").replace(".y", ".p"))
    for command in ("animate", "view"):
        ended = inside(command, str(path))
        assert ended.returncode == 2
        assert "drawing = gauss.bodies.Drawing(lines=[" in " ".join(ended.stderr.split())


@pytest.mark.long
def test_a_scenario_file_runs_by_itself(tmp_path):
    path = ROOT / "scenarios" / "chaplygin_skater.py"
    command = [sys.executable, str(path), "--no-plot", "--t-end", "1"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "claims hold" in done.stdout


@pytest.mark.long
def test_show_prints_mass_matrix_and_rows():
    done = gauss("show", "chaplygin_skater")
    assert done.returncode == 0, done.stderr
    for word in ("mass matrix M", "force f", "'no side slip'", "γ"):
        assert word in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "chaplygin_skatr"), ("chaplygin_skater",)),
        (("run",), ("--all",)),
        (("run", "nothing.py"), ("no file",)),
        (("run", "chaplygin_skater", "--solver", "magic"), ("osqp", "kkt", "cvxpy")),
        (("run", "chaplygin_skater", "--method", "euler"), ("dop853", "rk4")),
        (("run", "chaplygin_skater", "--t-end", "-1"), ("t_end",)),
        (("run", "chaplygin_skater", "--method", "rk4", "--step", "0"), ("step", "positive")),
        (("show", "nowhere"), ("nowhere",)),
    ],
)
def test_bad_arguments_give_one_clear_error_and_status_two(inside, arguments, words):
    done = inside(*arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    for word in words:
        assert word in done.stderr.replace("\n", " ")


def test_a_file_that_is_not_a_model_is_refused_with_the_line(inside, tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("x = 1\nraise ValueError('boom')\n")
    done = inside("run", str(path))
    assert done.returncode == 2
    text = " ".join(done.stderr.split())
    assert "line 2" in text
    assert "boom" in text


def test_a_start_that_takes_values_is_told_and_not_needed_for_a_given_state(inside, tmp_path):
    path = tmp_path / "values.py"
    path.write_text(MODEL.replace("start = g.Start(q=[1.0, 0.0]", "def start(a, b):\n    return g.Start(q=[a, b]"))
    for command in (("run", str(path), "--no-plot"), ("uniqueness", str(path))):
        done = inside(*command)
        text = " ".join((done.stderr + done.stdout).split())
        assert done.returncode == 2, text
        assert "`start` takes the values a, b" in text
        assert "gauss sweep values.py --set a=" in text
        assert "positional" not in text
    done = inside("uniqueness", str(path), "--q", "x=0,y=-1")
    assert done.returncode == 0, done.stderr
    assert "regular" in done.stdout
    done = inside("uniqueness", str(path), "--q", "x=0")
    assert done.returncode == 2
    assert "--q must give every coordinate (x, y)" in " ".join(done.stderr.split())


@pytest.mark.long
def test_an_error_in_one_scenario_does_not_lose_the_others(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("x = 1\n")
    done = gauss("run", str(path), "chaplygin_skater", "--no-plot", "--json", "--t-end", "1")
    data = json.loads(done.stdout)
    assert done.returncode == 2
    assert [entry["passed"] for entry in data] == [False, True]


@pytest.mark.long
def test_uniqueness_prints_the_verdict_page_of_the_start_and_of_other_states():
    page = gauss("uniqueness", "spherical_pendulum")
    assert page.returncode == 0, page.stderr
    for word in ("regular", "singular values", "tolerance, gap", "acceleration: one", "Zwang"):
        assert word in page.stdout
    other = gauss("uniqueness", "spherical_pendulum", "--q", "x=0,y=0,z=-1", "--v", "0.5,0,0", "--json")
    data = json.loads(other.stdout)
    assert data["verdicts"] == ["regular"]
    assert data["state"]["v"] == {"x": 0.5, "y": 0.0, "z": 0.0}
    assert data["acceleration"]["candidates"][0]["a"]["z"] == pytest.approx(0.25, rel=1e-12)  # v²/r with r = 1 m


ROUGH = '''"""A block that slides on a floor with friction, or rests on it."""
import gauss as g

system = g.System(
    "block",
    coordinates="x y z",
    kinetic_energy=lambda v: v.x**2 + v.y**2 + v.z**2,
    potential_energy=lambda q: 19.62 * q.z,
    force=[2.0, 0.0, 0.0],
    constraints=[g.Unilateral("floor", lambda q: q.z, friction=g.Coulomb(0.5, lambda v: SLIP))],
)
start = g.Start(q=[0.0, 0.0, 0.0], v=[1.0, 0.0, 0.0])
'''


@pytest.mark.parametrize("slip", ["v.x", "[v.x, v.y]"])
def test_uniqueness_examines_friction_of_the_model(inside, tmp_path, slip):
    path = tmp_path / "block.py"
    path.write_text(ROUGH.replace("SLIP", slip))
    page = inside("uniqueness", str(path))
    assert page.returncode == 0, page.stdout + page.stderr
    last = "P-matrix" if slip == "v.x" else "second axis"
    for word in ("with Coulomb friction", "acceleration", "floor", "19.62", last):
        assert word in page.stdout
    sliding = json.loads(inside("uniqueness", str(path), "--json").stdout)["friction"]
    (found,) = sliding["accelerations"]
    assert sliding["verdict"] == "one"
    assert found["a"]["x"] == pytest.approx(1.0 - 0.5 * 9.81, rel=1e-9)
    assert found["normal"]["floor"] == pytest.approx([19.62, 19.62], rel=1e-9)
    rest = json.loads(inside("uniqueness", str(path), "--q", "0,0,0", "--json").stdout)["friction"]
    assert rest["accelerations"][0]["a"]["x"] == pytest.approx(0.0, abs=1e-9)
    assert rest["required_coefficient"]["value"] == pytest.approx(2.0 / 19.62, rel=1e-8)
    if slip == "v.x":
        assert sliding["p_matrix"]["verdict"] == "P"
        assert sliding["critical_coefficient"] is None  # inf: friction does not lift a block
        assert found["modes"] == {"floor": "slip+"}


@pytest.mark.long
def test_a_run_with_friction_says_how_long_contacts_stick_and_slip(inside, tmp_path):
    path = tmp_path / "block.py"
    path.write_text(ROUGH.replace("SLIP", "v.x").replace("v=[1.0, 0.0, 0.0])", "v=[1.0, 0.0, 0.0], t_end=1.0)"))
    (data,) = json.loads(inside("run", str(path), "--json", "--out", str(tmp_path)).stdout)
    stops = 1.0 / (0.5 * 9.81 - 1.0)  # s
    times = data["motion"]["contacts"]["floor"]
    assert times == pytest.approx({"slips": stops, "sticks": 1.0 - stops, "separates": 0.0}, rel=1e-9)
    assert data["motion"]["friction_work"] == pytest.approx(-0.5 * 19.62 * 0.5 * stops, rel=1e-9)
    assert [event["kind"] for event in data["motion"]["events"]] == ["stick"]
    scan = json.loads(inside("atlas", str(path), "--json", "--out", str(tmp_path)).stdout)
    assert scan["counts"] == {"regular": 401}  # of the floor; the slip is no row of the model
    page = inside("run", str(path), "--no-plot")
    assert page.returncode == 0, page.stderr
    words = " ".join(page.stdout.split())
    for word in (
        "friction: the acceleration is unique",
        "contact floor",
        "slips 25.6%",
        "work of friction",
        "stick 'floor' at t = 0.256",
    ):
        assert word in words


@pytest.mark.filterwarnings("always")
def test_a_warning_is_one_line_without_code(inside, tmp_path):
    model = tmp_path / "turned.py"
    model.write_text(
        'import gauss as g\n\nsystem = g.System("turned", "phi", mass_matrix=[[1]], units={"phi": "rad"})\n'
    )
    done = inside("uniqueness", str(model), "--q", "phi=45")
    assert done.returncode == 0
    assert done.stderr.startswith("warning: phi = 45 rad looks like degrees")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--q", "x=zero"), "neither numbers"),
        (("--q", "1,0"), "expected (3,)"),
        (("--q", "w=1"), "coordinates are"),
        (("--q", "1,0,1"), "off its constraints"),
        (("--length", "-1"), "must be positive"),
    ],
)
def test_uniqueness_refuses_bad_states_in_one_sentence(inside, arguments, words):
    done = inside("uniqueness", "spherical_pendulum", *arguments)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--q", "x=0,y=1,x=0"), "--q 'x=0,y=1,x=0' gives x more than once."),
        (("--v", " y=0, z=1, y=2,z=1"), "gives y, z more than once."),
        (("--q", "x=0,0,-1"), "mixes numbers (0,1,0) and names with numbers (x=0,y=1)."),
        (("--q", "0,0,low"), "--q '0,0,low' is neither numbers"),
        (("--q", "0,0,-1,"), "is neither numbers"),
        (("--q", ""), "--q '' is neither numbers"),
        (("--q", "=3"), "names ['']"),
        (("--v", "x=inf"), "--v of 'x' must be finite"),
    ],
)
def test_states_on_the_command_line_name_each_coordinate_once(arguments, words):
    with pytest.raises(InputError) as caught:
        app(["uniqueness", "spherical_pendulum", *arguments], standalone_mode=False)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        (("x=0:1:3", "x=-1:1:3"), "--over gives 'x' more than once."),
        (("x=0:1:3:4",), "'x=0:1:3:4' is not of the form"),
        (("x=a:b:c",), "'x=a:b:c' is not of the form"),
    ],
)
def test_ranges_of_an_atlas_name_each_coordinate_once(ranges, words):
    with pytest.raises(InputError) as caught:
        app(["atlas", "spherical_pendulum", *(x for text in ranges for x in ("--over", text))], standalone_mode=False)
    assert words in str(caught.value)


def test_what_is_printed_is_what_was_given(inside):
    """A text with colons is no picture: `x=a:b:c` has no button in it."""
    assert "a:b:c" in inside("atlas", "spherical_pendulum", "--over", "x=a:b:c").stderr


@pytest.mark.long
def test_list_has_a_line_for_each_scenario_where_no_terminal_breaks_it():
    lines = gauss("list").stdout.splitlines()
    for name in names():
        (line,) = [line for line in lines if line.split()[:1] == [name]]
        assert load(name).title.partition(":")[0] in line


@pytest.mark.long
def test_atlas_draws_a_map_of_a_grid_and_of_a_motion(inside, tmp_path):
    grid = inside(
        "atlas", "spherical_pendulum", "--over", "x=-0.5:0.5:5", "--over", "y=-0.5:0.5:4", "--out", str(tmp_path)
    )
    assert grid.returncode == 0, grid.stderr
    assert "20 states over x, y: 20 regular" in grid.stdout
    assert (tmp_path / "spherical_pendulum_atlas.png").read_bytes()[:4] == b"\x89PNG"
    motion = inside("atlas", "chaplygin_skater", "--t-end", "1", "--json", "--out", str(tmp_path))
    assert json.loads(motion.stdout)["counts"] == {"regular": 401}
    bad = inside("atlas", "spherical_pendulum", "--over", "x=-0.5:0.5")
    assert bad.returncode == 2
    assert "from:to:count" in bad.stderr


STUCK = '''"""Rod in Painlevé's paradox, which cannot move."""
import numpy as np
import gauss as g

system = g.System(
    "rod",
    "x z theta",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + v.theta**2 / 3),
    potential_energy=lambda q: 9.81 * q.z,
    constraints=[
        g.Unilateral(
            "floor",
            lambda q: q.z - g.sin(q.theta),
            friction=g.Coulomb(2.0, lambda q, v: v.x + g.sin(q.theta) * v.theta),
        )
    ],
)
theta = np.arctan(2.0)
start = g.Start([0, np.sin(theta), theta], [-1, 0, 0], t_end=1.0)
'''


@pytest.mark.long
@pytest.mark.parametrize("option", ["--no-plot", "--json"])
def test_a_motion_that_ends_at_once_is_reported_with_its_reason(option, tmp_path):
    model = tmp_path / "stuck.py"
    model.write_text(STUCK, encoding="utf-8")
    done = gauss("run", str(model), option, cwd=tmp_path)
    assert done.returncode == 1
    assert "inconsistent" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize("command", ["run", "doctor"])
def test_a_file_beside_the_models_is_told_for_what_it_is(command, inside, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, words in (("README.md", "neither a model file nor that of a robot"), ("arm.srdf", "give the URDF")):
        (tmp_path / name).write_text("text")
        done = inside(command, name)
        assert (done.returncode, words in " ".join(done.stderr.split())) == (2, True), done.stderr


def test_check_of_a_file_without_arrays_says_what_to_give(inside, tmp_path):
    (tmp_path / "model.py").write_text("text")
    done = inside("check", str(tmp_path / "model.py"))
    assert done.returncode == 2
    assert "numpy.savez(path, M=…" in " ".join(done.stderr.split())


@pytest.mark.long
def test_the_time_of_the_figure_is_said_apart(inside, tmp_path):
    (tmp_path / "mine.py").write_text(MODEL)
    done = inside("run", str(tmp_path / "mine.py"), "--out", str(tmp_path))
    assert " s, figure " in done.stdout.splitlines()[-3]
    data = json.loads(inside("run", str(tmp_path / "mine.py"), "--out", str(tmp_path), "--json").stdout)
    assert data[0]["drawing_seconds"] > 0.0
    assert "figure" not in inside("run", str(tmp_path / "mine.py"), "--no-plot").stdout
