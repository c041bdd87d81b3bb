"""Motion of constrained mechanical systems by Gauss's principle of least constraint.

import gauss as g

pendulum = g.System(
    "pendulum",
    coordinates="x y",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    potential_energy=lambda q: 9.81 * q.y,
    constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
)
print(g.accelerate(pendulum, q=[1.0, 0.0]))            # minimises the Zwang, certified, with its verdict
run = g.simulate(pendulum, q=[1.0, 0.0], t_end=10.0)   # the motion, certified at every step
"""

import gauss_command  # noqa: F401, first: with `python -m gauss` Ctrl-C ends the imports that follow without a word

# isort: split
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from gauss.foundation.version import __version__

if TYPE_CHECKING:
    from gauss import (
        analysis,
        bodies,
        contact,
        errors,
        formulations,
        nonsmooth,
        robots,
        show,
        sources,
        sympy,
        variational,
    )
    from gauss import functions as math
    from gauss.analysis import Claim, Minimal, equilibrium, linearize, needs, relative
    from gauss.analysis.crosscheck import crosscheck
    from gauss.analysis.second_opinion.check import check
    from gauss.cli import main
    from gauss.contact import impact
    from gauss.dynamics import accelerate, classify
    from gauss.model import Coulomb, Friction, Holonomic, Nonholonomic, Pfaffian, System, Unilateral
    from gauss.model.state import State
    from gauss.motion import Event, Trajectory, consistent
    from gauss.motion.simulate import simulate
    from gauss.robots import load
    from gauss.robots.doctor import doctor
    from gauss.scenario import Start
    from gauss.show.figures.plots import plot
    from gauss.show.film.animate import animate
    from gauss.show.film.viewer import view
    from gauss.studies import sweep
    from gauss.uniqueness import Verdict, find_singular, reactions

__all__ = [
    "Claim",
    "Coulomb",
    "Event",
    "Friction",
    "Holonomic",
    "Minimal",
    "Nonholonomic",
    "Pfaffian",
    "Start",
    "State",
    "System",
    "Trajectory",
    "Unilateral",
    "Verdict",
    "__version__",
    "accelerate",
    "analysis",
    "animate",
    "bodies",
    "check",
    "classify",
    "consistent",
    "contact",
    "crosscheck",
    "doctor",
    "equilibrium",
    "errors",
    "find_singular",
    "formulations",
    "impact",
    "linearize",
    "load",
    "main",
    "math",
    "needs",
    "nonsmooth",
    "plot",
    "reactions",
    "relative",
    "robots",
    "show",
    "simulate",
    "sources",
    "sweep",
    "sympy",
    "variational",
    "view",
]

HOMES = {
    **dict.fromkeys(
        ("Claim", "Minimal", "check", "crosscheck", "equilibrium", "linearize", "needs", "relative"), "analysis"
    ),
    **dict.fromkeys(("accelerate", "classify"), "dynamics"),
    **dict.fromkeys(("Coulomb", "Friction", "Holonomic", "Nonholonomic", "Pfaffian", "System", "Unilateral"), "model"),
    **dict.fromkeys(("Event", "Trajectory", "consistent", "simulate"), "motion"),
    **dict.fromkeys(("Verdict", "find_singular", "reactions"), "uniqueness"),
    "State": "model.state",
    "Start": "scenario",
    "animate": "show.film.animate",
    "doctor": "robots.doctor",
    "impact": "contact",
    "load": "robots",
    "main": "cli",
    "plot": "show.figures.plots",
    "sweep": "studies",
    "view": "show.film.viewer",
}  # loaded when first asked for: `import gauss` itself costs next to nothing


def __getattr__(name: str) -> Any:
    """Load a name, a namespace or a function of `gauss.math` when it is first asked for."""
    if name.startswith("_"):
        raise AttributeError(f"module 'gauss' has no attribute {name!r}")
    if name in HOMES:
        value = getattr(import_module(f"gauss.{HOMES[name]}"), name)
    elif name == "math":
        value = import_module("gauss.functions")
    elif find_spec(f"gauss.{name}") is not None:
        value = import_module(f"gauss.{name}")
    else:
        value = _function(name)
    globals()[name] = value
    return value


def _function(name: str) -> Any:
    """Return sin, cos, … of `gauss.math`. Raises AttributeError, with the namespace or the name that may be meant."""
    from difflib import get_close_matches

    from gauss import functions

    if name in functions.FUNCTIONS:
        return getattr(functions, name)
    rooms = (room for room in __all__ if room.islower() and room not in (*HOMES, "__version__"))
    homes = [room for room in rooms if name in getattr(__getattr__(room), "__all__", ())]
    near = get_close_matches(name.lower(), functions.FUNCTIONS, 1, 0.7)  # Python itself looks among __all__
    where = f"; gauss.{homes[0]} has it" if homes else f"; did you mean {near[0]}?" if near else ""
    raise AttributeError(f"module 'gauss' has no attribute {name!r}{where}")


def __dir__() -> list[str]:
    return __all__
