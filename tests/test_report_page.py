"""The report is one HTML file that needs nothing else, says what the run has shown, and is whole or not written."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
from gauss import scenario as scenarios
from gauss.commands import Reporting, run_all
from gauss.errors import FileError
from gauss.outcome import run_scenario

MODEL = '''"""A spring <b>bold</b>: it swings

Its mass is 1 kg, its stiffness 1 N/m.

* it swings with x = cos t
"""

import numpy as np

import gauss as g

system = g.System("spring <i>", "x", kinetic_energy=lambda v: 0.5 * v.x**2, potential_energy=lambda q: 0.5 * q.x**2)
start = g.Start(q=[1.0], t_end={t_end})


def claims(run):
    yield g.Claim("x <= cos t", float(np.max(np.abs(run["x"] - np.cos(run.t)))), {bound}, "closed form")
'''


class Page(HTMLParser):
    """Elements and attributes of a page, which are closed in their order."""

    def __init__(self, path: Path):
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def loads(self) -> list[str]:
        """What a browser would fetch for it."""
        linked = [value for _, name, value in self.attributes if name in ("src", "href", "data", "poster")]
        named = re.findall(r"url\((.*?)\)|@import", self.text.partition("</style>")[0])
        return [each for each in [*linked, *named] if not each.startswith(("data:", "#"))]


def written(folder: Path, name: str = "spring", t_end: float = 1.0, bound: float = 1e-8) -> str:
    path = folder / f"{name}.py"
    path.write_text(MODEL.format(t_end=t_end, bound=bound), encoding="utf-8")
    return str(path)


@pytest.fixture
def quiet(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_has_all_of_a_run_and_loads_nothing(quiet):
    target = quiet / "new" / "report.html"
    status = run_all([written(quiet)], quiet / "figures", False, page=Reporting(target), t_end=0.5, method="dop853")
    page = Page(target)
    assert status == 0
    assert page.loads() == []
    assert not {"script", "link", "iframe", "object", "i"} & set(page.names)
    assert page.text.count("<b>bold</b>") == 0
    pictures = [value for tag, name, value in page.attributes if (tag, name) == ("img", "src")]
    assert [each.partition(",")[0] for each in pictures] == ["data:image/png;base64"]
    assert "math" in page.names
    for words in ("spring &lt;i&gt;", "x &lt;= cos t", "closed form", "Its mass is 1 kg", "one acceleration", "dop853"):
        assert words in page.text
    outcome = run_scenario(scenarios.load(quiet / "spring.py"), t_end=0.5)
    for claim in outcome.claims:
        assert f'<td class="n">{claim.bound:.2g}</td>'.replace("e-", "e−") in page.text
    assert f"gauss run {quiet / 'spring.py'} --t-end 0.5<" in page.text
    assert "yield g.Claim(&quot;x &lt;= cos t&quot;" in page.text  # the file, to compute it again
    assert f"gauss {g.__version__}, Python" in page.text
    assert f"all {len(outcome.claims)} claims hold" in page.text


def test_several_scenarios_share_a_page_with_contents(quiet, capsys):
    names = [written(quiet, "good"), written(quiet, "bad", bound=0.0), "no_such_scenario"]
    target = quiet / "all.html"
    assert run_all(names, None, False, page=Reporting(target)) == 2
    page = Page(target)
    assert [value for _, name, value in page.attributes if name == "id"] == ["run1", "run2"]
    assert [value for _, name, value in page.attributes if name == "href"] == ["#run1", "#run2"]
    lights = re.findall(r'aria-label="([^"]*)" fill="([^"]*)"', page.text)
    assert lights[1][1] == "#D55E00"
    assert lights[1][0].startswith("1 of ")
    assert "no_such_scenario" in capsys.readouterr().err
    assert "report" not in page.text.partition("<main")[0]


def test_the_page_is_whole_or_not_written(quiet, monkeypatch):
    target = quiet / "report.html"
    target.write_text("old", encoding="utf-8")
    real = Path.write_text

    def half(path, text, **options):
        real(path, text[: len(text) // 2], **options)
        raise KeyboardInterrupt

    run = g.simulate(scenarios.load(written(quiet)).system, [1.0], t_end=0.1)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", half)
        with pytest.raises(KeyboardInterrupt):
            run.report(target)
    assert target.read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in quiet.iterdir() if path.name != "__pycache__") == ["report.html", "spring.py"]
    run.report(target)
    assert target.read_text(encoding="utf-8").endswith("</html>\n")


def test_the_report_of_a_motion_has_a_film_where_one_is_asked_for(quiet):
    run = g.simulate(scenarios.load(written(quiet)).system, [1.0], t_end=0.1)
    bar = g.bodies.Drawing(lines=[lambda q: [(0.0, 0.0), (q.x, 0.0)]])
    for film, count in ((False, 0), (True, 1), (bar, 1)):
        text = run.report(quiet / "film.html", film=film).read_text(encoding="utf-8")
        assert text.count("data:image/gif") == count


def test_a_wrong_ending_is_refused_before_anything_is_computed(quiet):
    with pytest.raises(FileError, match=r"report\.txt.*ends in \.html"):
        Reporting(quiet / "report.txt")
    run = g.simulate(scenarios.load(written(quiet)).system, [1.0], t_end=0.1)
    with pytest.raises(FileError, match=r"\.html"):
        run.report(quiet / "report.pdf")


def test_ctrl_c_keeps_what_was_computed(quiet, monkeypatch):
    import gauss.show.batch as batch

    real, asked = batch.run_scenario, []

    def broken(scenario, **options):
        asked.append(scenario.name)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return real(scenario, **options)

    monkeypatch.setattr(batch, "run_scenario", broken)
    target = quiet / "report.html"
    assert run_all([written(quiet, "one"), written(quiet, "two")], None, False, page=Reporting(target)) == 130
    assert Page(target).text.count("<section") == 1


def test_json_stays_json_with_a_report(quiet, capsys):
    assert run_all([written(quiet)], None, True, page=Reporting(quiet / "report.html")) == 0
    assert json.loads(capsys.readouterr().out)[0]["name"] == "spring"
    assert (quiet / "report.html").is_file()


def test_a_motion_reports_itself_with_its_file(quiet):
    source = written(quiet)
    run = g.simulate(scenarios.load(source).system, [1.0], t_end=1.0)
    page = Page(run.report(quiet / "run.html", source=source))
    assert page.loads() == []
    assert "x = 1.0" in page.text
    assert "A spring &lt;b&gt;" in page.text
    assert page.names.count("polyline") == 1


@pytest.mark.long
def test_a_motion_from_a_file_and_one_with_a_control_report_themselves(quiet):
    pushed = g.System("pushed", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda u: [u.f], controls="f")
    run = g.simulate(pushed, [0.0], t_end=1.0, control=lambda t, q, v: [1.0 - q[0]])
    assert "one acceleration" in Page(run.report(quiet / "pushed.html")).text
    loaded = g.Trajectory.load(run.save(quiet / "pushed.nc"))
    text = Page(loaded.report(quiet / "loaded.html")).text
    assert "pushed" in text
    assert "What is unique" not in text


@pytest.mark.long
def test_a_film_is_part_of_the_page_where_it_is_asked_for(quiet):
    target = quiet / "film.html"
    names = ["mathematical_pendulum", "painleve_rod"]  # the second has no motion, so it has no film
    told = Reporting(target, film=True)
    assert run_all(names[:1], None, False, page=told, t_end=0.4) == 0
    pictures = [value for tag, name, value in Page(target).attributes if (tag, name) == ("img", "src")]
    assert [each.partition(",")[0] for each in pictures] == ["data:image/gif;base64"]
    assert run_all(names[1:], None, False, page=Reporting(target, film=True)) == 0
    assert "img" not in Page(target).names


def test_a_film_without_a_page_is_refused():
    from typer.testing import CliRunner

    from gauss.cli import app

    found = CliRunner().invoke(app, ["run", "cusp", "--film"])
    assert "--report" in str(found.exception)


def test_a_report_lists_the_parts_of_a_mechanism_and_its_greatest_forces(tmp_path):
    arm = mb.PlanarBody("arm", 2.0, inertia=0.125, centre=(0.5, 0.0))
    pin = mb.Pin("pin", mb.GROUND, (0, 0), arm, (0, 0))
    swing = mb.Mechanism("swing", [arm], [pin], [mb.PointForce("push", arm, (1.0, 0.0), (3.5, 0.0))])
    run = g.simulate(swing, *swing.state(arm.pose(angle=-1.0)), t_end=0.5)
    page = run.report(tmp_path / "swing.html").read_text(encoding="utf-8")
    cells = [re.sub("<[^>]*>", "", cell) for cell in re.findall("<td.*?</td>", page, re.DOTALL)]
    assert cells[cells.index("arm") + 3] == "mass 2, inertia 0.125, centre (0.5, 0)"
    assert cells[cells.index("push") + 3] == "point (1, 0), force (3.5, 0)"
    assert {"pin.torque", "push.torque"}.isdisjoint(cells)  # a pin has none
    largest = np.max(np.hypot(*run.at(np.linspace(0.0, 0.5, 5001))["pin.force"].T))  # between the recorded states
    size, when = cells[cells.index("pin.force") + 1 : cells.index("pin.force") + 3]
    assert float(size.removesuffix(" N")) == pytest.approx(largest, rel=1e-5)
    assert np.linalg.norm(run.at([float(when)])["pin.force"]) == pytest.approx(largest, rel=1e-4)


def test_a_report_has_the_torque_of_a_drive(tmp_path):
    arm = mb.PlanarBody("arm", 2.0, inertia=0.125, centre=(0.5, 0.0))
    pin = mb.Pin("pin", mb.GROUND, (0, 0), arm, (0, 0))
    driven = mb.Mechanism("swing", [arm], [pin, mb.Driver("drive", pin, lambda t: 3.0 * t)])
    run = g.simulate(driven, *driven.state(arm.pose(rate=3.0)), t_end=1.0)
    page = run.report(tmp_path / "swing.html").read_text(encoding="utf-8")
    assert ">drive / N m<" in page
    cells = [re.sub("<[^>]*>", "", cell) for cell in re.findall("<td.*?</td>", page, re.DOTALL)]
    torque = cells[cells.index("drive") + 1]
    assert float(torque.removesuffix(" N m")) == pytest.approx(2.0 * 9.81 * 0.5, rel=1e-6)
