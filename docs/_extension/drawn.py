"""One scenario for the gallery: figure, film, formulas and claims, computed and kept until the code changes."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import sympy as sp

import gauss as g
from gauss.analysis.symbolic import formulas
from gauss.model import System
from gauss.outcome import run_scenario
from gauss.scenario import load
from gauss.show.figures.overview import save_figure
from gauss.show.notebook.typeset import latex_name

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "docs" / "_cache" / "gallery"
FILMS = (  # some 10 s each
    "chaplygin_skater",
    "dry_pin_pendulum",
    "inverted_pendulum",
    "rolling_wheel",
    "slider_crank",
    "woodpecker",
)
LARGEST = 20  # coordinates times rows: beyond, SymPy simplifies for minutes and nobody reads it
RATE, SIZE = 12.0, (480, 360)  # frames per second, pixels


@cache
def code() -> str:
    """Return a checksum of the package."""
    found = hashlib.sha256()
    for path in sorted((ROOT / "gauss").rglob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def key(name: str) -> str:
    """Return what a stored result belongs to: the package, the scenario, and how it is drawn."""
    own = [ROOT / "scenarios" / f"{name}.py", Path(__file__)]
    return hashlib.sha256(code().encode() + b"".join(path.read_bytes() for path in own)).hexdigest()[:16]


def stored(name: str) -> dict[str, Any] | None:
    """Return what was computed of a scenario as it is now, or None."""
    path = KEPT / f"{name}.json"
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found if found.get("key") == key(name) else None


def draw(name: str) -> dict[str, Any]:
    """Run a scenario, draw it, store what was found and return it."""
    KEPT.mkdir(parents=True, exist_ok=True)
    scenario = load(name)
    outcome = run_scenario(scenario, progress="none")
    figure = save_figure(outcome, KEPT)
    film = None
    if name in FILMS and outcome.run is not None and scenario.drawing is not None:
        film = g.animate(outcome.run, scenario.drawing, KEPT / f"{name}.gif", rate=RATE, size=SIZE, progress="none")
    found = {
        "key": key(name),
        "figure": figure is not None,
        "film": film is not None,
        "formulas": written(scenario.system),
        "verdict": str(outcome.first.verdict),
        "claims": [[c.name, f"{c.error:.1e}", f"{c.bound:.1e}", bool(c.holds)] for c in outcome.claims],
    }
    (KEPT / f"{name}.json").write_text(json.dumps(found), encoding="utf-8")
    return found


def written(system: System) -> list[str]:
    """Return energies and rows in LaTeX; nothing for systems whose formulas would fill pages."""
    if system.n * max(len(system.constraints), 1) > LARGEST:
        return []
    try:
        found = formulas(system, equations=False)
    except g.errors.ModelError:  # code that is no formula
        return []
    stated = [row.statement for row in found.rows]
    parts = [found.potential, *stated, *([] if found.kinetic is None else [found.kinetic])]
    names = {x: latex_name(str(x)) for part in parts for x in part.free_symbols}
    names |= {v: latex_name(q, 1) for q, v in zip(system.coordinates, found.velocities, strict=True)}
    lines = [] if found.kinetic is None else [f"T &= {sp.latex(found.kinetic, symbol_names=names)}"]
    lines += [f"V &= {sp.latex(found.potential, symbol_names=names)}"] if found.potential != 0 else []
    for row in found.rows:
        relation = row.relation.replace("≥", r"\ge").replace("=", "&=", 1).replace(r"\ge", r"&\ge", 1)
        lines.append(f"{sp.latex(row.statement, symbol_names=names)} {relation}")
    return [line for line in lines if len(line) < 400]
