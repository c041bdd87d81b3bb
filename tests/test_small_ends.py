"""Tables for spreadsheets of other locales, numbers that are texts, studies without an end, files of several runs."""

from __future__ import annotations

import csv
import io

import pytest
from typer.testing import CliRunner

import gauss as g
from gauss.cli import app

STONE = g.System("stone", "z", mass_matrix=[[1.0]], force=[-9.81])


def test_a_table_for_a_spreadsheet_with_decimal_commas_holds_the_same_numbers(tmp_path):
    run = g.simulate(STONE, [2.0], t_end=0.5, progress="none")
    head, *_ = csv.reader(io.StringIO(run.to_csv(tmp_path / "plain.csv").read_text(encoding="utf-8")))
    path = run.to_csv(tmp_path / "comma.csv", separator=";", decimal=",", encoding="utf-8-sig")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    first, *rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig")), delimiter=";")
    assert first == head
    assert "." not in "".join(rows[1][:5])
    assert [float(row[head.index("z")].replace(",", ".")) for row in rows] == run.q[:, 0].tolist()
    tabs = run.to_csv(tmp_path / "tabs.csv", separator="\t", encoding="utf-16").read_bytes().decode("utf-16")
    assert [float(line.split("\t")[0]) for line in tabs.splitlines()[1:]] == run.t.tolist()


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"decimal": ","}, "separator=';' goes with decimal=','"),
        ({"separator": "::"}, "got '::'"),
        ({"encoding": "ascii"}, "encoding='ascii'"),
        ({"encoding": "spam"}, "unknown encoding: spam"),
    ],
)
def test_a_table_that_could_not_be_read_is_not_written(tmp_path, form, words):
    run = g.simulate(STONE, [2.0], t_end=0.5, progress="none")
    with pytest.raises(g.errors.InputError, match=words):
        run.to_csv(tmp_path / "run.csv", **form)
    assert not list(tmp_path.iterdir())


def test_a_text_is_no_number():
    with pytest.raises(g.errors.InputError, match="t_end must be a number, got the text '5'"):
        g.simulate(STONE, [2.0], t_end="5")
    with pytest.raises(g.errors.InputError, match="t_end must be a number, got the text '5'"):
        g.sweep(STONE, g.Start([2.0]), {"z": [1.0]}, measure={"z": lambda run: run.q[-1, 0]}, t_end="5")


def test_a_study_without_an_end_is_refused_before_its_first_point():
    asked = []
    for start in (g.Start([2.0]), ([2.0], [0.0]), STONE.state([2.0]), lambda z: STONE.state([z])):
        with pytest.raises(g.errors.InputError, match="a study needs an end of its motions"):
            g.sweep(STONE, start, {"z": [1.0, 2.0]}, measure={"asked": asked.append})
    assert not asked


def test_a_hybrid_motion_refuses_the_file_of_one_run(tmp_path):
    modes = {"free": g.motion.Mode(STONE)}
    with pytest.raises(g.errors.InputError, match="a checkpoint is the file of one run"):
        g.motion.hybrid(modes, "free", [2.0], t_end=0.5, checkpoint=tmp_path / "run.nc")
    assert not list(tmp_path.iterdir())


def test_a_sweep_at_the_command_line_takes_a_tolerance_and_reads_no_units(tmp_path):
    file = tmp_path / "swing.py"
    file.write_text(
        "import gauss as g\n"
        "system = g.System('swing', 'x', mass_matrix=[[1.0]], force=lambda q, p: [-p.k * q.x], parameters={'k': 1.0})\n"
        "start = g.Start([1.0], t_end=5.0)\n"
        "def measure(run): return len(run)\n"
    )
    counts = []
    for rtol in ("1e-5", "1e-12"):
        table = tmp_path / f"{rtol}.csv"
        told = CliRunner().invoke(app, ["sweep", str(file), "--set", "k=1,2", "--rtol", rtol, "--out", str(table)])
        assert told.exit_code == 0, told.output
        head, first, *_ = (line.split(",") for line in table.read_text().splitlines())
        counts.append(int(float(first[head.index("measure")])))
    assert counts[0] < counts[1]
    refused = CliRunner().invoke(app, ["sweep", str(file), "--set", "k=20mm"])
    assert isinstance(refused.exception, g.errors.InputError)
    assert "has a unit, which is not read" in str(refused.exception)
