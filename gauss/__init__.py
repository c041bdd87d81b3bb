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

from importlib import import_module
from typing import TYPE_CHECKING, Any

import gauss_command  # noqa: F401, first: with `python -m gauss` Ctrl-C ends the imports that follow without a word

# isort: split
from gauss import errors
from gauss import functions as math
from gauss.analysis import Claim, Minimal, crosscheck, equilibrium, linearize, needs, relative
from gauss.contact import impact
from gauss.dynamics import accelerate, classify
from gauss.foundation.version import __version__
from gauss.model import Coulomb, Friction, Holonomic, Nonholonomic, Pfaffian, System, Unilateral
from gauss.model.state import State
from gauss.motion import Event, Trajectory, consistent, simulate
from gauss.scenario import Start
from gauss.uniqueness import Verdict, find_singular, reactions

if TYPE_CHECKING:
    from gauss import analysis, bodies, contact, formulations, nonsmooth, sources, sympy, variational
    from gauss.cli import main
    from gauss.show.film.animate import animate
    from gauss.show.film.viewer import view
    from gauss.show.plots import plot

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
    "classify",
    "consistent",
    "contact",
    "crosscheck",
    "equilibrium",
    "errors",
    "find_singular",
    "formulations",
    "impact",
    "linearize",
    "main",
    "math",
    "needs",
    "nonsmooth",
    "plot",
    "reactions",
    "relative",
    "simulate",
    "sources",
    "sympy",
    "variational",
    "view",
]

LATER = {
    "main": "gauss.cli",
    "animate": "gauss.show.film.animate",
    "view": "gauss.show.film.viewer",
    "plot": "gauss.show.plots",
}  # what takes long to import
ROOMS = ("bodies", "formulations", "nonsmooth", "sources", "sympy", "variational", "outcome")


def __getattr__(name: str) -> Any:
    """Load a namespace, or what takes long to import, when it is first asked for."""
    if name in LATER:
        value = getattr(import_module(LATER[name]), name)
    elif name in ROOMS:
        value = import_module(f"gauss.{name}")
    elif name in math.FUNCTIONS:
        value = getattr(math, name)
    else:
        homes = [room for room in __all__ if name in getattr(globals().get(room), "__all__", ())]
        where = f"; gauss.{homes[0]} has it" if homes else ""
        raise AttributeError(f"module 'gauss' has no attribute {name!r}{where}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
