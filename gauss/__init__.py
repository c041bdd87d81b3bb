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
from gauss import bodies, nonsmooth, sources
from gauss.analysis import (
    Claim,
    Minimal,
    Unexamined,
    convergence_order,
    crosscheck,
    crosscheck_states,
    needs,
    relative,
)
from gauss.analysis.integrals.associated import AssociatedSystem, associated
from gauss.analysis.integrals.holonomy import Holonomy, holonomy
from gauss.analysis.integrals.invariants import Invariants, first_integrals, invariants, poisson_bracket
from gauss.analysis.integrals.phase_flow import divergence, phase_volume, returns
from gauss.analysis.linear.along import linearize_along, transition
from gauss.analysis.linear.equilibria import SteadyMotion, equilibria, equilibrium, steady_motion
from gauss.analysis.linear.linearize import Linearization, linearize
from gauss.analysis.linear.stability import root_locus
from gauss.analysis.states import RandomStates, random_states
from gauss.cli import main
from gauss.contact import (
    Collision,
    ConeProblem,
    ContactForces,
    FrictionProblem,
    FrictionSolution,
    FrictionVerdict,
    ImpactProblem,
    Orders,
    collide,
    cone_forces,
    contact_forces,
    critical_coefficient,
    impact_in_space,
    impact_problem,
    jamming_coefficient,
    orders,
    required_coefficient,
    solve_cone,
    solve_friction,
)
from gauss.contact.impacts.collision import impact
from gauss.dynamics import accelerate, classify
from gauss.errors import (
    ContradictoryRowsError,
    EnergyGainError,
    FileError,
    GaussError,
    InconsistentStateError,
    InputError,
    MassMatrixError,
    ModelError,
    NonUniqueAccelerationError,
    SingularPositionError,
    SolverError,
)
from gauss.foundation.version import __version__
from gauss.functions.elementary import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    exp,
    fabs,
    fmax,
    fmin,
    greater,
    hypot,
    less,
    log,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)
from gauss.functions.tables import Spline, Table
from gauss.model import Coulomb, Friction, Holonomic, Nonholonomic, Pfaffian, System, Unilateral
from gauss.model.rows import Rows
from gauss.model.state import State
from gauss.motion import (
    Branch,
    Ending,
    Event,
    HybridMotion,
    Mode,
    MotionEvent,
    MotionTree,
    MotionWarning,
    Overload,
    Sampled,
    Switch,
    Trajectory,
    consistent,
    hybrid,
    motions,
    simulate,
)
from gauss.nonsmooth import NonsmoothMotion, Scene, moreau
from gauss.principle import GaussProblem, GaussSolution, solve
from gauss.scenario import Start
from gauss.show.film.animate import animate
from gauss.show.film.viewer import view
from gauss.show.plots import plot
from gauss.sympy import (
    SympyAnswer,
    SympyEquations,
    crosscheck_sympy,
    from_kanes_method,
    from_lagranges_method,
    from_sympy,
    sympy_answer,
    to_lagranges_method,
    to_sympy,
)
from gauss.uniqueness import (
    AccelerationSet,
    Candidate,
    Continuum,
    Finding,
    Reactions,
    Regularity,
    SingularPosition,
    Verdict,
    diagnose,
    find_singular,
    lipschitz,
    reactions,
)
from gauss.variational import (
    Extremal,
    FreeEnd,
    Isoperimetric,
    SecondVariation,
    VariationalProblem,
    extremal,
    extremals,
)

if TYPE_CHECKING:
    from gauss.analysis.integrals.hamiltonian import hamiltonian

__all__ = [
    "AccelerationSet",
    "AssociatedSystem",
    "Branch",
    "Candidate",
    "Claim",
    "Collision",
    "ConeProblem",
    "ContactForces",
    "Continuum",
    "ContradictoryRowsError",
    "Coulomb",
    "Ending",
    "EnergyGainError",
    "Event",
    "Extremal",
    "FileError",
    "Finding",
    "FreeEnd",
    "Friction",
    "FrictionProblem",
    "FrictionSolution",
    "FrictionVerdict",
    "GaussError",
    "GaussProblem",
    "GaussSolution",
    "Holonomic",
    "Holonomy",
    "HybridMotion",
    "ImpactProblem",
    "InconsistentStateError",
    "InputError",
    "Invariants",
    "Isoperimetric",
    "Linearization",
    "MassMatrixError",
    "Minimal",
    "Mode",
    "ModelError",
    "MotionEvent",
    "MotionTree",
    "MotionWarning",
    "NonUniqueAccelerationError",
    "Nonholonomic",
    "NonsmoothMotion",
    "Orders",
    "Overload",
    "Pfaffian",
    "RandomStates",
    "Reactions",
    "Regularity",
    "Rows",
    "Sampled",
    "Scene",
    "SecondVariation",
    "SingularPosition",
    "SingularPositionError",
    "SolverError",
    "Spline",
    "Start",
    "State",
    "SteadyMotion",
    "Switch",
    "SympyAnswer",
    "SympyEquations",
    "System",
    "Table",
    "Trajectory",
    "Unexamined",
    "Unilateral",
    "VariationalProblem",
    "Verdict",
    "__version__",
    "accelerate",
    "acos",
    "acosh",
    "animate",
    "asin",
    "asinh",
    "associated",
    "atan",
    "atan2",
    "atanh",
    "bodies",
    "classify",
    "collide",
    "cone_forces",
    "consistent",
    "contact_forces",
    "convergence_order",
    "cos",
    "cosh",
    "critical_coefficient",
    "crosscheck",
    "crosscheck_states",
    "crosscheck_sympy",
    "diagnose",
    "divergence",
    "equilibria",
    "equilibrium",
    "exp",
    "extremal",
    "extremals",
    "fabs",
    "find_singular",
    "first_integrals",
    "fmax",
    "fmin",
    "from_kanes_method",
    "from_lagranges_method",
    "from_sympy",
    "greater",
    "hamiltonian",
    "holonomy",
    "hybrid",
    "hypot",
    "impact",
    "impact_in_space",
    "impact_problem",
    "invariants",
    "jamming_coefficient",
    "less",
    "linearize",
    "linearize_along",
    "lipschitz",
    "log",
    "main",
    "moreau",
    "motions",
    "needs",
    "nonsmooth",
    "orders",
    "phase_volume",
    "pi",
    "plot",
    "poisson_bracket",
    "random_states",
    "reactions",
    "relative",
    "required_coefficient",
    "returns",
    "root_locus",
    "sign",
    "simulate",
    "sin",
    "sinh",
    "solve",
    "solve_cone",
    "solve_friction",
    "sources",
    "sqrt",
    "steady_motion",
    "sympy_answer",
    "tan",
    "tanh",
    "to_lagranges_method",
    "to_sympy",
    "transition",
    "view",
    "where",
]


def __getattr__(name: str) -> Any:
    """Load what needs SymPy, which takes long to import, when it is first asked for."""
    if name == "hamiltonian":
        return import_module("gauss.analysis.integrals.hamiltonian").hamiltonian
    raise AttributeError(f"module 'gauss' has no attribute {name!r}")
