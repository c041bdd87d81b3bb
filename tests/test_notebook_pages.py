"""The notebooks of the documentation run from top to bottom in a kernel of their own, and show what they promise."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted(path for path in (ROOT / "docs").rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
LARGEST = 200_000  # bytes of a stored notebook: without outputs, or with small ones


def executed(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch):
    """The notebook after all of its cells have run in the environment of the tests."""
    import nbclient
    import nbformat

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(folder / "ipython"))
    book = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}})
    return client.execute()


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_from_top_to_bottom(path, tmp_path, monkeypatch):
    book = executed(path, tmp_path, monkeypatch)
    outputs = [output for cell in book.cells for output in cell.get("outputs", ())]
    assert outputs
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_notebook_is_small(path):
    assert path.stat().st_size <= LARGEST


@pytest.mark.long
def test_results_show_themselves_as_the_last_line_of_a_cell(tmp_path, monkeypatch):
    book = executed(ROOT / "docs/notebooks/verdict_card.ipynb", tmp_path, monkeypatch)
    shown = [output.data for cell in book.cells for output in cell.get("outputs", ()) if "data" in output]
    pictures = [data for data in shown if "image/png" in data]
    pages = [data["text/html"] for data in shown if "text/html" in data]
    assert (len(pictures), len(pages)) == (1, 4)
    model, one, motion, several = pages
    assert "<math" in model
    assert ">one acceleration</b>" in one
    assert motion.count("<polyline") == 2
    assert ">several accelerations</b>" in several
    assert "l^{2} m \\dot{\\phi}^{2}" in next(data["text/latex"] for data in shown if "text/latex" in data)
    assert all("\n" not in data["text/plain"] for data in shown if "text/html" in data)
