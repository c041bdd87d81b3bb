"""Where a name of the package is shown: in pages that run, in scenarios, in the examples of other names."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(?:python|\{code-cell\}[^\n]*)\n(.*?)^```$", re.S | re.M)


def examples() -> Iterator[tuple[str, str, str]]:
    """Return label, link and code of every page with examples, and of every scenario."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        code, title = "\n".join(BLOCK.findall(text)), re.search(r"^# (.+)$", text, re.M)
        if code and title and page.parent.name not in ("api", "gallery"):
            yield title[1], f"/{page.relative_to(ROOT / 'docs')}", code
    for scenario in sorted((ROOT / "scenarios").glob("*.py")):
        yield scenario.stem, f"/gallery/{scenario.stem}.md", scenario.read_text(encoding="utf-8")


def example_of(value: object) -> str:
    """Return the code of the example in a docstring; empty without one, and for numbers, texts and other data."""
    if not (inspect.isclass(value) or callable(value) or isinstance(value, ModuleType | property | cached_property)):
        return ""
    found = doctest.DocTestParser().get_examples(inspect.getdoc(value) or "")
    return "".join(each.source for each in found)


def used(code: str) -> list[Any]:
    """Return the objects of the package that code uses by name: `g.bodies.rate`, but not a variable called rate."""
    lines = ["" if line.startswith(("%", "!", ":")) else line for line in code.splitlines()]  # those are of notebooks
    tree = ast.parse("\n".join(lines))
    kinds = (ast.Import, ast.ImportFrom, ast.Assign, ast.Name, ast.Attribute)
    nodes = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    known: dict[str, str] = {}  # what the code calls it → full name
    for node in nodes:
        if isinstance(node, ast.Import):
            tops = [(each, each.name.partition(".")[0]) for each in node.names]
            known |= {each.asname or top: each.name if each.asname else top for each, top in tops}
        elif isinstance(node, ast.ImportFrom):
            known |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    known = {name: full for name, full in known.items() if full.partition(".")[0] == "gauss"}
    for node in nodes:  # mb = g.bodies
        if isinstance(node, ast.Assign) and (full := full_name(node.value, known)):
            known |= {target.id: full for target in node.targets if isinstance(target, ast.Name)}
    found = {full: value_of(full) for full in {full_name(node, known): None for node in nodes} if full}
    return [value for value in found.values() if value is not None]


def full_name(node: ast.AST, known: Mapping[str, str]) -> str:
    """Return the full name that an expression stands for; empty for what is none of the package."""
    if isinstance(node, ast.Name):
        return known.get(node.id, "")
    before = full_name(node.value, known) if isinstance(node, ast.Attribute) else ""
    return f"{before}.{node.attr}" if before and isinstance(node, ast.Attribute) else ""


def value_of(full: str) -> Any:
    """Return the object with a full name; None where there is none."""
    home, _, name = full.rpartition(".")
    if not home:
        return import_module(full)
    owner = value_of(home)
    if not hasattr(owner, name) and inspect.isfunction(owner):  # it has the name of its module, which is meant
        owner = sys.modules.get(home)
    return getattr(owner, name, None)


def result_names(function: Any) -> Iterable[str]:
    """Return the names in the annotation of what a function or a property returns."""
    inner = function.fget if isinstance(function, property) else getattr(function, "func", function)
    return re.findall(r"\w+", str(getattr(inner, "__annotations__", {}).get("return", "")))
