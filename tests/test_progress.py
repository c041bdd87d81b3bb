"""Progress is shown after a moment: as a bar on a terminal and in a notebook, as lines in a log. No test waits."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest

import gauss as g
from gauss.foundation import progress


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def told(seconds, total):
    """What a log says of a run that takes `total` seconds and reports at these."""
    clock = Clock()
    bar = progress.Bar("swing", clock)
    for t in seconds:
        clock.now = 100.0 + t
        bar(t / total)
    bar.close()


def in_kernel(monkeypatch, shown):
    """Pretend that this process is a notebook's kernel; what it displays is kept in a list."""

    class Handle:
        def update(self, data, raw):
            shown.append(data)

    def display(data, raw, display_id):
        shown.append(data)
        return Handle()

    ipython = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))


def test_a_log_has_a_line_every_ten_seconds(capsys):
    told([0.1 * k for k in range(1, 351)], 40.0)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "swing: 25 % in 10 s, 2.5 % per second, 30 s left",
        "swing: 50 % in 20 s, 2.5 % per second, 20 s left",
        "swing: 75 % in 30 s, 2.5 % per second, 10 s left",
    ]


def test_a_short_run_says_nothing(capsys):
    told([0.1 * k for k in range(1, 98)], 9.7)
    assert capsys.readouterr().err == ""


def test_a_log_that_is_asked_seldom_says_what_it_can(capsys):
    told([25.0, 26.0, 35.5], 50.0)
    assert [line.partition(",")[0] for line in capsys.readouterr().err.splitlines()] == [
        "swing: 50 % in 25 s",
        "swing: 71 % in 36 s",
    ]


def test_times_are_read_as_on_a_clock():
    assert progress.said("a", 0.5, 90.0) == "a: 50 % in 1:30, 0.556 % per second, 1:30 left"
    assert progress.said("a", 0.01, 72.0) == "a: 1 % in 1:12, 0.0139 % per second, 1:58:48 left"
    assert progress.said("a", 0.0, 12.0) == "a: 0 % in 12 s"


def test_a_notebook_has_a_bar_in_one_place(monkeypatch):
    shown = []
    in_kernel(monkeypatch, shown)
    clock = Clock()
    bar = progress.Bar("<swing>", clock)
    for t in (0.5, 1.9, 2.1, 2.15, 2.4):
        clock.now = 100.0 + t
        bar(t / 10.0)
    assert len(shown) == 2  # nothing before two seconds, and not more than five times a second
    assert 'value="0.2100"' in shown[0]["text/html"]
    assert "&lt;swing&gt;: 24 % in 2 s" in shown[1]["text/html"]
    assert "<swing>: 24 % in 2 s" in shown[1]["text/plain"]
    clock.now = 103.0
    bar(1.0)
    bar.close()
    assert shown[-1]["text/plain"] == "<swing>: 3.0 s"
    assert "progress" not in shown[-1]["text/html"]


def test_a_run_that_ends_early_says_where(monkeypatch):
    shown = []
    in_kernel(monkeypatch, shown)
    clock = Clock()
    bar = progress.Bar("swing", clock)
    clock.now = 104.0
    bar(0.4)
    bar.close()
    assert shown[-1]["text/plain"] == "swing: 4.0 s, ended at 40%"


def test_progress_is_shown_where_it_is_read(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", None)
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True))
    assert isinstance(progress.display_here(), progress.TerminalBar)
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: False))
    assert isinstance(progress.display_here(), progress.LogLines)
    plain = SimpleNamespace(get_ipython=lambda: SimpleNamespace())  # IPython on a terminal
    monkeypatch.setitem(sys.modules, "IPython", plain)
    assert isinstance(progress.display_here(), progress.LogLines)
    in_kernel(monkeypatch, [])
    assert isinstance(progress.display_here(), progress.NotebookBar)


@pytest.mark.parametrize("stream", [None, io.StringIO()], ids=["none", "closed"])
def test_a_standard_error_that_is_gone_ends_nothing(monkeypatch, stream):
    if stream is not None:
        stream.close()
    monkeypatch.setitem(sys.modules, "IPython", None)
    monkeypatch.setattr(sys, "stderr", stream)
    told([15.0, 30.0], 60.0)


def test_a_motion_reports_its_progress(monkeypatch, capsys):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "REFRESH", 0.0)
    monkeypatch.setattr(progress.LogLines, "every", 0.0)
    spring = g.System("spring", "x", kinetic_energy=lambda v: 0.5 * v.x**2, potential_energy=lambda q: 0.5 * q.x**2)
    g.simulate(spring, [1.0], t_end=5.0)
    lines = capsys.readouterr().err.splitlines()
    assert lines
    assert all(line.startswith("spring: ") for line in lines)
    g.simulate(spring, [1.0], t_end=5.0, progress="none")
    assert capsys.readouterr().err == ""
