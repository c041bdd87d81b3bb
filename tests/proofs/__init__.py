"""What the scenarios claim beyond their pages: a module for each, named as the scenario.

A module has ``claims(run)`` about the same run as the scenario's own, and imports the model and the constants from the
page, ``from scenarios.NAME import system``; where it has ``minimal``, that witness takes part in the cross-check.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import gauss as g
from gauss.scenario import Scenario, find, module, read

ROOT = Path(__file__).resolve().parent.parent.parent
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))


def yes(text: str, truth: object, reason: str = "yes or no") -> g.Claim:
    """Return the claim that something is so."""
    return g.Claim(text, not truth, reason=reason)


def modules(name: str) -> tuple[ModuleType, ModuleType | None]:
    """Return a scenario's page and its proof, executed anew; None where all claims stand on the page."""
    executed = module(name)
    if not (Path(__file__).parent / f"{name}.py").is_file():
        return executed, None
    sys.modules[f"scenarios.{name}"] = executed  # the proof's own: one module, and one of what it keeps
    sys.modules.pop(f"proofs.{name}", None)
    return executed, importlib.import_module(f"proofs.{name}")


def together(name: str) -> SimpleNamespace:
    """Return what page and proof of a scenario define; of two definitions of a name, the proof's."""
    page, proof = modules(name)
    return SimpleNamespace(**{**vars(page), **({} if proof is None else vars(proof))})


def whole(name: str) -> Scenario:
    """Return a scenario with the claims of its page and of its proof, which it asks of one run."""
    executed, proof = modules(name)
    page = read(executed, find(name))
    if proof is None:
        return page

    def claims(run: g.Trajectory | g.Verdict) -> list[g.Claim | g.analysis.Unexamined]:
        return [*page.claims(run), *proof.claims(run)]

    return replace(page, claims=claims, minimal=getattr(proof, "minimal", page.minimal))
