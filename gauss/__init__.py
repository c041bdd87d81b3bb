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

from gauss.analysis import Claim, Minimal, convergence_order, crosscheck, relative
from gauss.cli import main
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
from gauss.motion import Ending, Event, MotionEvent, MotionWarning, Trajectory, consistent, simulate
from gauss.principle import GaussProblem, GaussSolution, solve
from gauss.regularity import AccelerationSet, Candidate, Classification, Continuum, Finding, Regularity, diagnose
from gauss.rows import Rows
from gauss.scenario import Start
from gauss.show.plots import plot
from gauss.state import State
from gauss.tables import Spline, Table
from gauss.version import __version__

__all__ = [
    "AccelerationSet",
    "Candidate",
    "Claim",
    "Classification",
    "Continuum",
    "ContradictoryRowsError",
    "Ending",
    "Event",
    "FileError",
    "Finding",
    "GaussError",
    "GaussProblem",
    "GaussSolution",
    "Holonomic",
    "InconsistentStateError",
    "InputError",
    "MassMatrixError",
    "Minimal",
    "ModelError",
    "MotionEvent",
    "MotionWarning",
    "NonUniqueAccelerationError",
    "Nonholonomic",
    "Pfaffian",
    "Regularity",
    "Rows",
    "SingularPositionError",
    "SolverError",
    "Spline",
    "Start",
    "State",
    "Step",
    "System",
    "Table",
    "Trajectory",
    "Unilateral",
    "__version__",
    "accelerate",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "classify",
    "consistent",
    "convergence_order",
    "cos",
    "cosh",
    "crosscheck",
    "diagnose",
    "exp",
    "fabs",
    "fmax",
    "fmin",
    "greater",
    "hypot",
    "less",
    "log",
    "main",
    "pi",
    "plot",
    "relative",
    "sign",
    "simulate",
    "sin",
    "sinh",
    "solve",
    "sqrt",
    "tan",
    "tanh",
    "where",
]
