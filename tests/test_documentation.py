"""The documented examples run as they are printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{k}")
    for page in PAGES
    for k, block in enumerate(re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_documented_example_runs(block: str, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "documentation", "exec"), {"__name__": "documentation"})
    assert "Traceback" not in capsys.readouterr().out


def test_the_readme_has_exactly_two_set_up_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("-m venv") == 2
    assert text.count("<!-- demo-command -->") == text.count("<!-- test-command -->") == 1


def test_files_named_in_the_readme_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"`((?:docs|benchmarks|validation)/[\w./]*)`", text):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"^gauss (?:run|show) (\w+) ", text, re.M):
        if name != "path":
            assert (ROOT / "scenarios" / f"{name}.py").exists(), name
