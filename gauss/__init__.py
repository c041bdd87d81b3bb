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

from gauss import multibody
from gauss.analysis import Claim, Minimal, convergence_order, crosscheck, crosscheck_states, relative
from gauss.analysis.along import linearize_along, transition
from gauss.analysis.associated import AssociatedSystem, associated
from gauss.analysis.equations import (
    ClosedForm,
    ConstraintMatrix,
    ControlFields,
    Derivative,
    Equation,
    Hamiltonian,
    Integral,
    Lagrangian,
    Printed,
)
from gauss.analysis.equilibria import SteadyMotion, equilibria, equilibrium, steady_motion
from gauss.analysis.holonomy import Holonomy, holonomy
from gauss.analysis.invariants import Invariants, first_integrals, invariants, poisson_bracket
from gauss.analysis.linearize import Linearization, linearize
from gauss.analysis.phase_flow import divergence, phase_volume, returns
from gauss.analysis.stability import root_locus
from gauss.analysis.states import RandomStates, random_states
from gauss.bridge import (
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
from gauss.cli import main
from gauss.contact import (
    Contact,
    FrictionModel,
    FrictionProblem,
    FrictionSolution,
    FrictionVerdict,
    critical_coefficient,
    friction,
    solve_friction,
)
from gauss.dynamics import Step, accelerate, classify
from gauss.errors import (
    ContradictoryRowsError,
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
from gauss.functions import (
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
from gauss.model import Holonomic, Nonholonomic, Pfaffian, System, Unilateral
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
from gauss.principle import GaussProblem, GaussSolution, solve
from gauss.regularity import (
    AccelerationSet,
    Candidate,
    Classification,
    Continuum,
    Finding,
    Reactions,
    Regularity,
    SingularPosition,
    diagnose,
    find_singular,
    lipschitz,
    reactions,
)
from gauss.rows import Rows
from gauss.scenario import Start
from gauss.show.animate import animate
from gauss.show.plots import plot
from gauss.show.viewer import view
from gauss.state import State
from gauss.tables import Spline, Table
from gauss.variational import (
    Extremal,
    FreeEnd,
    Isoperimetric,
    SecondVariation,
    VariationalProblem,
    extremal,
    extremals,
)
from gauss.version import __version__

if TYPE_CHECKING:
    from gauss.analysis.hamiltonian import hamiltonian

__all__ = [
    "AccelerationSet",
    "AssociatedSystem",
    "Branch",
    "Candidate",
    "Claim",
    "Classification",
    "ClosedForm",
    "ConstraintMatrix",
    "Contact",
    "Continuum",
    "ContradictoryRowsError",
    "ControlFields",
    "Derivative",
    "Ending",
    "Equation",
    "Event",
    "Extremal",
    "FileError",
    "Finding",
    "FreeEnd",
    "FrictionModel",
    "FrictionProblem",
    "FrictionSolution",
    "FrictionVerdict",
    "GaussError",
    "GaussProblem",
    "GaussSolution",
    "Hamiltonian",
    "Holonomic",
    "Holonomy",
    "HybridMotion",
    "InconsistentStateError",
    "InputError",
    "Integral",
    "Invariants",
    "Isoperimetric",
    "Lagrangian",
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
    "Overload",
    "Pfaffian",
    "Printed",
    "RandomStates",
    "Reactions",
    "Regularity",
    "Rows",
    "Sampled",
    "SecondVariation",
    "SingularPosition",
    "SingularPositionError",
    "SolverError",
    "Spline",
    "Start",
    "State",
    "SteadyMotion",
    "Step",
    "Switch",
    "SympyAnswer",
    "SympyEquations",
    "System",
    "Table",
    "Trajectory",
    "Unilateral",
    "VariationalProblem",
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
    "classify",
    "consistent",
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
    "friction",
    "from_kanes_method",
    "from_lagranges_method",
    "from_sympy",
    "greater",
    "hamiltonian",
    "holonomy",
    "hybrid",
    "hypot",
    "invariants",
    "less",
    "linearize",
    "linearize_along",
    "lipschitz",
    "log",
    "main",
    "motions",
    "multibody",
    "phase_volume",
    "pi",
    "plot",
    "poisson_bracket",
    "random_states",
    "reactions",
    "relative",
    "returns",
    "root_locus",
    "sign",
    "simulate",
    "sin",
    "sinh",
    "solve",
    "solve_friction",
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
        return import_module("gauss.analysis.hamiltonian").hamiltonian
    raise AttributeError(f"module 'gauss' has no attribute {name!r}")
