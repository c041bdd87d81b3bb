"""What surrounds the package agrees with it: citation, workflow, links, and the words at its doors."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import gauss as g

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGES = ("CONTRIBUTING.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def fields(path: str) -> dict[str, str]:
    """The plain top-level fields of a YAML file."""
    found = re.findall(r"^([\w-]+): *(\S.*)$", text(path), re.M)
    return {name: value.strip("\"'") for name, value in found}


def test_the_citation_is_of_this_version_and_licence():
    citation = fields("CITATION.cff")
    assert citation["version"] == PROJECT["version"] == g.__version__
    assert citation["license"] == PROJECT["license"]
    assert {"cff-version", "message", "title"} <= set(citation)


def test_the_changelog_has_an_entry_for_this_version():
    headings = re.findall(r"^## \[(.+?)\]", text("CHANGELOG.md"), re.M)
    assert headings[0] == "Unreleased"
    assert PROJECT["version"] in headings or f"Version {PROJECT['version']} will" in text("CHANGELOG.md")


def test_the_workflow_runs_what_a_change_must_pass_on_every_supported_python():
    workflow = text(".github/workflows/ci.yml")
    assert re.search(r"^ +- run: \.ci/run$", workflow, re.M)
    assert "--resolution lowest-direct" in workflow
    matrix = re.search(r"python: \[(.+)\]", workflow).group(1)
    classified = {c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)}
    assert set(re.findall(r"3\.\d+", matrix)) == classified
    assert PROJECT["requires-python"] == f">={min(classified, key=lambda v: int(v[2:]))}"


@pytest.mark.parametrize("page", PAGES)
def test_files_that_a_page_links_exist(page: str):
    for target in LINK.findall(text(page)):
        assert target.startswith("https://") or (ROOT / target.partition("#")[0]).exists(), f"{page} links {target}"


def test_contributors_are_told_of_files_and_names_that_exist():
    page = text("CONTRIBUTING.md")
    assert "`ORDER`" in page
    assert hasattr(importlib.import_module("gauss.uniqueness.findings"), "ORDER")
    assert issubclass(g.bodies.Pin, importlib.import_module("gauss.bodies.joints.spatial_joints").Joint)
    assert g.errors.GaussError.__doc__


def public() -> dict[str, Any]:
    """What the front door and the rooms export, by full name."""
    names = [f"gauss.{name}" for name in g.__all__]
    for room in pkgutil.iter_modules(g.__path__):
        if room.ispkg and not room.name.startswith("_"):
            module = importlib.import_module(f"gauss.{room.name}")
            names += [f"{module.__name__}.{name}" for name in getattr(module, "__all__", ())]
    return {name: getattr(importlib.import_module(name.rpartition(".")[0]), name.rpartition(".")[2]) for name in names}


def functions(value: Any) -> dict[str, Any]:
    """A function itself, or the public functions, methods and properties that a class of the package defines."""
    if not inspect.isclass(value):
        return {"": inspect.unwrap(value)} if inspect.isfunction(inspect.unwrap(value)) else {}
    found = {}
    for name, member in vars(value).items():
        inner = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        inner = inspect.unwrap(inner) if callable(inner) else inner
        if not name.startswith("_") and inspect.isfunction(inner) and inner.__module__.startswith("gauss."):
            found[f".{name}"] = inner
    return found


def missing(name: str, value: Any) -> list[str]:
    """What a public name lacks of a docstring of its own and of annotations."""
    lacks = []
    if inspect.isclass(value) or inspect.isfunction(value) or inspect.ismodule(value):
        lacks += [] if value.__doc__ else [f"{name} has no docstring"]
    for part, function in functions(value).items():
        signature = inspect.signature(function)
        lacks += [] if function.__doc__ else [f"{name}{part} has no docstring"]
        bare = [
            p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name not in ("self", "cls")
        ]
        bare += ["return"] if signature.return_annotation is signature.empty else []
        lacks += [f"{name}{part} does not annotate {', '.join(bare)}"] if bare else []
    return lacks


def test_every_public_name_has_a_docstring_and_whole_annotations():
    names = public()
    assert len(names) > 300
    assert [line for name, value in names.items() for line in missing(name, value)] == []


def test_a_name_without_words_or_annotations_would_be_found():
    class Wordless:
        def method(self, x):
            return x

    Wordless.method.__module__ = "gauss.somewhere"
    assert missing("Wordless", Wordless) == [
        "Wordless has no docstring",
        "Wordless.method has no docstring",
        "Wordless.method does not annotate x, return",
    ]
