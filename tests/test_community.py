"""What surrounds the package agrees with it: citation, workflow, links, and the words at its doors."""

from __future__ import annotations

import importlib
import inspect
import json
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
    assert issubclass(g.bodies.Pin, importlib.import_module("gauss.bodies.joints.joint").Joint)
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


def stored(path: str) -> Any:
    return json.loads(text(path))


def total(kinds: dict[str, dict[str, Any]], name: str) -> str:
    return f"{sum(kind[name] for kind in kinds.values()):,}"


def test_the_figures_of_the_paper_are_those_stored():
    paper = " ".join(text("paper/paper.md").split())
    zero, motions = (stored(f"validation/{name}.json")["kinds"] for name in ("zero", "motions"))
    wrong = [kind[name] for kind in zero.values() for name in ("wrong_verdict", "wrong_acceleration")]
    wrong += [kind[name] for kind in motions.values() for name in ("wrong_motion", "wrong_words")]
    assert not any(wrong)
    friction = stored("validation/friction.json")["friction"]
    assert friction["failures"] == 0
    scenarios = stored("validation/formulations.json")["scenarios"].values()
    assert all(witness["holds"] for scenario in scenarios for witness in scenario.get("witnesses", ()))
    mutations = stored("validation/mutations.json")
    work = stored("benchmarks/work_precision.json")["P2"]["ms to 1e-08"]
    discs = stored("benchmarks/discs.json")["runs"]["100"]
    ours, mujoco = discs["gauss, step 0.005 s"], discs["mujoco, default contacts, step 0.005 s"]
    overlaps = [f"{run['penetration_over_radius']:.2g}" for run in (ours, mujoco)]
    for phrase in (
        f"Of {total(zero, 'states')} random states",
        f"{total(zero, 'undecided')} are left undecided and for {total(zero, 'blank')} no digit",
        f"Of {total(motions, 'motions')} motions compared with 50 digits, {total(motions, 'right')} are right",
        f"{total(motions, 'undecided')} are said to be undecided, {total(motions, 'slow')} take more than 4 s",
        f"For {friction['problems']:,} plane problems",
        f"In {sum(scenario['status'] == 'agrees' for scenario in scenarios)} scenarios",
        f"Of {mutations['count']} errors put into true equations on purpose {mutations['detected']} are found",
        f"{mutations['mend_right']} are mended",
        f"takes {work['osqp']:.1f} ms of processor",
        f"{work['solve_ivp']:.1f} ms with SciPy",
        f"{work['heyoka']:.2f} ms with heyoka",
        f"exponent is {stored('benchmarks/body_chain.json')['exponents']['rk4 osqp']:.2f} up to 1,000",
        f"each takes {stored('benchmarks/ensembles.json')['1000']['pair']:.1f} ms",
        f"100 discs take {ours['ms_per_step']:.1f} ms a step",
        f"contacts {mujoco['ms_per_step']:.2f} ms, while discs overlap by up to {overlaps[0]} and {overlaps[1]} of",
    ):
        assert phrase in paper
    statements = re.search(r"(\d+) statements are entered: \d+ hold, (\d+) fail", text("docs/reference/inventory.md"))
    assert f"Of {statements[1]} statements of the sources {statements[2]} fail" in paper


def test_the_paper_cites_what_its_bibliography_has_and_names_files_that_exist():
    paper = text("paper/paper.md")
    entries = re.findall(r"^@\w+\{(\w+),$", text("paper/paper.bib"), re.M)
    assert sorted(entries) == sorted(set(re.findall(r"@(\w+)", paper.partition("# Summary")[2])))
    for path in re.findall(r"`((?:docs|benchmarks|validation)/[\w./]+)`", paper):
        assert (ROOT / path).exists(), path


def test_the_recipe_agrees_with_the_project():
    recipe = text("recipe/recipe.yaml")
    conda = {"matplotlib": "matplotlib-base"}  # without windows, as conda calls it
    bounds = [tuple(dependency.split(">=")) for dependency in PROJECT["dependencies"]]
    wanted = {conda.get(name, name): bound for name, bound in [*bounds, ("python", PROJECT["requires-python"][2:])]}
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    assert dict(re.findall(r"^    - ([\w.-]+) >=(\S+)$", run, re.M)) == wanted
    assert len(run.splitlines()) == len(wanted)
    assert f'version: "{PROJECT["version"]}"' in recipe
    assert f"name: {PROJECT['name']}\n" in recipe
    assert f"summary: {PROJECT['description']}\n" in recipe
    assert [f"- {name} = {entry}" in recipe for name, entry in PROJECT["scripts"].items()] == [True]
