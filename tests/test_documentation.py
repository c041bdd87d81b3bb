"""The documented examples run as they are printed, and print what is printed below them."""

from __future__ import annotations

import importlib
import importlib.util
import re
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import distributions
from pathlib import Path

import numpy as np
import pytest

import gauss as g

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = ("_build", "_cache", "api", "gallery")  # folders below docs that a build of the site fills
FOUND = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", *(page for page in FOUND if page.relative_to(ROOT / "docs").parts[0] not in WRITTEN)]
SESSIONS = [
    ROOT / f"docs/{page}.md" for page in ("theory/uniqueness", "how_to/controllers")
]  # pages whose blocks run from top to bottom in one session
FENCE = re.compile(r"^```python\n(.*?)^```$(?:\n^```text\n(.*?)^```$)?", re.S | re.M)
ROBOTS = "example-robot-data"  # a package of files of robots
OTHERS = ("mujoco", "pinocchio", "coal")  # programs that examples may use, and that few have
NUMBER = re.compile(r"(?<![\w.])[-+−]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)(?![\w])")
RELATIVE, ZERO = 1e-4, 1e-11  # numbers are printed with at least four digits; rounding is any number below the second


def blocks(page: Path) -> list[tuple[int, str, str | None]]:
    """The line, the code and the printed output, if any, of each example."""
    text = page.read_text(encoding="utf-8")
    return [(text[: m.start(1)].count("\n"), m.group(1), m.group(2)) for m in FENCE.finditer(text)]


def run(page: Path, line: int, code: str, names: dict) -> None:
    exec(compile("\n" * line + code, str(page), "exec"), names)


def same(found: str, printed: str) -> bool:
    """Whether two texts agree: words exactly, numbers up to their last printed digits, spaces not at all."""
    split = [re.sub(r"\s+", " ", NUMBER.sub("#", text)).strip() for text in (found, printed)]
    if split[0] != split[1]:
        return False
    numbers = [[float(x.replace("−", "-")) for x in NUMBER.findall(text)] for text in (found, printed)]
    for x, y in zip(*numbers, strict=True):
        if not (x == y or abs(x - y) <= max(RELATIVE * abs(y), ZERO) or (np.isnan(x) and np.isnan(y))):
            return False
    return True


EXAMPLES = [
    pytest.param(page, *block, id=f"{page.stem}-{k}")
    for page in PAGES
    if page not in SESSIONS
    for k, block in enumerate(blocks(page))
]


@pytest.mark.sampled(20)
@pytest.mark.parametrize(("page", "line", "code", "printed"), EXAMPLES)
def test_documented_example_runs(page, line, code, printed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in re.findall(rf"^import ({'|'.join(OTHERS)})\b", code, re.M):
        pytest.importorskip(name, reason=f"{name} is not installed")
    if f'"{ROBOTS}"' in code and not list(distributions(name=ROBOTS)):
        pytest.skip(f"{ROBOTS} is not installed")
    run(page, line, code, {"__name__": "documentation"})
    found = capsys.readouterr().out
    assert "Traceback" not in found
    assert printed is None or same(found, printed), found


@pytest.mark.long
@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.stem)
def test_documented_session_prints_what_it_says(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "documentation"}
    session = blocks(page)
    for line, code, printed in session:
        run(page, line, code, names)
        found = capsys.readouterr().out
        assert (printed is None) == (found == ""), f"{page.name}:{line + 1} prints and does not say so, or the reverse"
        assert printed is None or same(found, printed), f"{page.name}:{line + 1} prints\n{found}"
    assert len(session) >= 4


def test_texts_are_compared_by_words_and_by_numbers():
    assert same("a = 1.00000001, b  −2.0\n", "a = 1.0, b −2.0")
    assert same("error 3e-16", "error 1e-15")
    assert not same("a = 1.001", "a = 1.0")
    assert not same("unique 1.0", "finite 1.0")
    assert not same("1.0 2.0", "1.0")
    assert not same("error 3e-6", "error 1e-15")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pictures_and_pages_that_are_linked_exist_and_are_small(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        path = page.parent / target
        if path.parent.name == "gallery" and path.stem != "index":  # written when the site is built
            path = ROOT / "scenarios" / f"{path.stem}.py"
        elif path.parent.name in ("gallery", "api"):
            continue
        assert path.exists(), f"{page.name} links {target}"
        assert path.suffix != ".png" or path.stat().st_size <= 150_000, f"{target} is larger than 150 kB"


def functions_named(page: Path) -> list[str]:
    """Names such as `cone_split.split` in the text, relative to gauss.uniqueness or to gauss."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    return sorted(set(re.findall(r"`((?:\w+\.)+\w+)`", text)))


def resolves(name: str) -> bool:
    """Whether a dotted name is found below gauss.uniqueness, gauss, or in the docs' own word for the package, g."""
    for root in ("gauss.uniqueness", "gauss"):
        parts = (root + "." + name.removeprefix("g.").removeprefix("gauss.")).split(".")
        for cut in range(len(parts), 0, -1):
            try:
                found = importlib.import_module(".".join(parts[:cut]))
            except ImportError:
                continue
            for part in parts[cut:]:
                if not hasattr(found, part) and part not in getattr(found, "__dataclass_fields__", {}):
                    break
                found = getattr(found, part, None)
            else:
                return True
            break
    return False


def test_names_of_code_in_the_page_on_uniqueness_exist():
    files = (".py", ".md", ".txt", ".png", ".json")
    named = [name for name in functions_named(ROOT / "docs/theory/uniqueness.md") if not name.endswith(files)]
    assert len(named) >= 15
    missing = [name for name in named if not resolves(name) and not name.startswith(("step.", "run."))]
    assert not missing
    assert not resolves("classify.no_such_function")


# ------------------------------------------------------------------ the constants of design.md


@pytest.mark.long
def test_the_tables_of_folders_and_constants_are_those_that_the_code_gives():
    done = subprocess.run([sys.executable, ROOT / "docs/from_code.py", "--check"], check=False)
    assert done.returncode == 0, "run python docs/from_code.py"


def test_the_readme_has_exactly_two_set_up_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("-m venv") == 2
    assert text.count("<!-- demo-command -->") == text.count("<!-- test-command -->") == 1


def test_files_named_in_the_readme_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"`((?:docs|benchmarks|validation)/[\w./]*)`", text):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"^gauss (?:run|show|uniqueness|atlas) (\w+) ", text, re.M):
        if name != "path":
            assert (ROOT / "scenarios" / f"{name}.py").exists(), name


def loaded(path):
    """The module of a script of the documentation."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # where dataclasses look their annotations up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[path.stem]


# ------------------------------------------------------------------ the statements of the sources


@pytest.fixture(scope="module")
def inventory():
    yield from loaded(ROOT / "docs/inventory.py")


def test_the_pages_of_statements_and_misprints_are_those_that_the_sources_give(inventory):
    assert inventory.differences(inventory.entries()) == [], "run python docs/inventory.py"


def test_a_page_of_statements_that_is_not_what_the_sources_give_is_found(inventory):
    first, *others = inventory.entries()
    assert inventory.differences(others)
    other = first._replace(statement=replace(first.statement, text="another text"))
    assert len(inventory.differences([other, *others])) == 2


def test_every_misprint_says_what_is_printed_and_what_is_correct(inventory):
    wrong = [entry for entry in inventory.entries() if entry.misprint]
    assert len(wrong) >= 30
    for entry in wrong:
        assert entry.statement.number, entry
        assert entry.statement.text, entry
        assert entry.statement.remark, entry


def test_the_readme_has_the_numbers_of_statements_and_of_misprints(inventory):
    printed = [entry for entry in inventory.entries() if entry.printed]
    wrong = sum(entry.misprint for entry in printed)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Of {len(printed)} statements of the sources (`docs/reference/inventory.md`) {wrong} are misprints" in text


# ------------------------------------------------------------------ the table of other solvers


@pytest.fixture(scope="module")
def script():
    yield from loaded(ROOT / "docs/experiments/other_solvers.py")


STORED = ROOT / "docs/experiments/other_solvers.txt"


def stored_errors() -> list[list[str]]:
    """The lines of the stored table of accelerations: the state, an error for each method, gauss, its verdict."""
    table = STORED.read_text(encoding="utf-8").split("\n\n")[1]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_the_page_shows_the_stored_table_of_other_solvers():
    page = (ROOT / "docs/theory/uniqueness.md").read_text(encoding="utf-8")
    for line in STORED.read_text(encoding="utf-8").splitlines():
        assert not line.startswith("|") or line in page, line


def test_the_stored_table_of_other_solvers_is_what_gauss_returns_now(script):
    stored = {line[0]: line for line in stored_errors()}
    cases = script.cases()
    assert len(cases) >= 20
    for case in cases:
        if "chain of 40" in case.label:
            continue  # four tenths of a second
        verdict, missed, doubt = script.by_gauss(case)
        line = stored[case.label]
        assert line[-1] == verdict
        assert line[-2].endswith("*") == doubt
        # a factor of ten for another machine's rounding
        assert missed <= 10.0 * float(line[-2].rstrip("*")) + 1e-15


def test_gauss_is_right_or_doubts_itself_in_the_stored_table():
    lines = stored_errors()
    assert len(lines) >= 20
    for line in lines:
        angle = re.search(r"θ = (\S+), .* velocity projected", line[0])
        turned = 1e-13 / float(angle[1]) if angle else 0.0  # the velocity, by the projection: nothing repairs it
        assert float(line[-2].rstrip("*")) < max(1e-9, turned) or line[-2].endswith("*"), line[0]


def test_other_solvers_are_wrong_where_the_table_says_so(script):
    flat = next(case for case in script.cases() if case.label == "chain of 2, flat")
    p = script.numbers(flat)
    for method in (script.pseudo_inverse, script.dropped_rows, script.tikhonov, script.osqp_defaults):
        a, _ = method(p)
        assert script.error(flat, p, a) > 0.02
        assert np.max(np.abs(a - flat.exact)) > 0.7  # m/s²
    with pytest.raises(np.linalg.LinAlgError):
        script.dense_lu(p)
    assert np.max(np.abs(g.classify(flat.system, flat.q, flat.v).a - flat.exact)) < 1e-13
