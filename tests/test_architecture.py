"""The floors of pyproject.toml: imports only run down, and only the compiled folder knows CasADi."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["house"]["floors"]
LEVEL = {module: floor for floor, modules in enumerate(FLOORS) for module in modules}
FILES = sorted((ROOT / "gauss").rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def floor_of(module: str) -> int | None:
    while module:
        if module in LEVEL:
            return LEVEL[module]
        module = module.rpartition(".")[0]
    return None


@cache
def tree(path: Path) -> ast.Module:
    """What a file says."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(tree(path)))


@cache
def imported(path: Path) -> set[str]:
    """Absolute names of everything a file imports, wherever in the file."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the floor"
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def wrong_imports(path: Path) -> list[str]:
    """What is wrong with the imports of a file."""
    name = module_name(path)
    mine = floor_of(name)
    if name == "gauss":
        return []  # the front door imports from every floor
    if mine is None:
        return [f"{name} stands on no floor of pyproject.toml"]
    found = []
    for target in imported(path):
        other = floor_of(target) if target.startswith("gauss.") else 0
        if other is None:
            found.append(f"{name} imports {target}, which stands on no floor")
        elif other > mine:
            found.append(f"{name} (floor {mine}) imports {target} (floor {other})")
    return found


def test_imports_only_run_down():
    assert len(FILES) > 400
    wrong = [line for path in FILES for line in wrong_imports(path)]
    assert not wrong, "\n".join(wrong)


def test_the_order_of_imports_within_the_package_has_no_circle():
    modules = {module_name(path): path for path in FILES if path.name != "__init__.py"}
    targets = {name: imported(path) for name, path in modules.items()}
    graph = {name: {m for m in modules for t in targets[name] if t == m or t.startswith(m + ".")} for name in modules}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " → ".join((*trail, name))
        if name not in done:
            for target in graph[name] - {name}:
                visit(target, (*trail, name))
            done.add(name)

    for name in graph:
        visit(name, ())
    assert done == set(graph)


def test_only_the_compiled_folder_and_the_dispatching_functions_know_casadi():
    for path in FILES:
        uses = any(target.split(".")[0] == "casadi" for target in imported(path))
        dispatching = module_name(path) in (
            "gauss.functions.arithmetic",
            "gauss.functions.backends",
            "gauss.functions.elementary",
            "gauss.functions.tables",
        )
        allowed = dispatching or path.is_relative_to(ROOT / "gauss/model/compiled")
        assert allowed or not uses, f"{module_name(path)} imports casadi"


def test_witnesses_share_no_code_with_the_principle():
    for path in (ROOT / "gauss/formulations").rglob("*.py"):
        for target in imported(path):
            assert not target.startswith(("gauss.principle", "gauss.model", "gauss.uniqueness", "gauss.motion"))


def test_every_module_has_a_docstring_that_says_something():
    for path in FILES:
        text = ast.get_docstring(tree(path)) or ""
        assert len(text) > 30, f"{path} has no docstring"


def test_importing_the_package_does_not_load_what_few_need():
    """Large libraries that only some functions use are loaded by them: start-up is the first thing a user feels."""
    heavy = ("matplotlib", "scipy.signal", "scipy.stats", "sympy", "viser")
    code = f"import sys, gauss; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.long
def test_a_first_motion_does_not_load_what_few_need():
    """SciPy loads its rooms when they are first used; a motion without contacts uses linear algebra alone."""
    heavy = ("gauss.nonsmooth", "matplotlib", "scipy.integrate", "scipy.optimize", "scipy.spatial", "sympy", "xarray")
    model = """
import sys
import gauss as g
energies = {"kinetic_energy": lambda v: 0.5 * (v.x**2 + v.y**2), "potential_energy": lambda q: 9.81 * q.y}
rod = g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)
g.simulate(g.System("pendulum", "x y", constraints=[rod], **energies), [1.0, 0.0], t_end=1.0)
"""
    code = f"{model}print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.long
def test_a_command_without_figures_does_not_load_what_draws_them():
    code = "import sys; from gauss import commands; print([n for n in ('matplotlib', 'sympy') if n in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


INNER = 70  # names that tests import from inside a room; the number may only fall


@pytest.mark.long
def test_tests_use_the_doors_of_the_rooms():
    inner = set()
    for path in (ROOT / "tests").rglob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gauss."):
                inner |= {f"{node.module}.{alias.name}" for alias in node.names if node.module.count(".") > 1}
    assert len(inner) <= INNER, "a test imports from inside a room; import from its face, gauss.room"


def test_no_folder_has_more_than_fifteen_modules():
    counts = {folder: len(list(folder.glob("*.py"))) - 1 for folder in {path.parent for path in FILES}}
    assert {folder.name: count for folder, count in counts.items() if count > 15} == {}


def test_each_class_name_means_one_thing():
    names = [node.name for path in FILES for node in nodes(path) if isinstance(node, ast.ClassDef)]
    assert sorted({name for name in names if names.count(name) > 1}) == []
