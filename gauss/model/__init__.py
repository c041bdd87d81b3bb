"""What a user writes: coordinates, energies or M and forces, constraints, parameters."""

from gauss.model.compiled import SparseGaussData
from gauss.model.compiled.smoothness import smoothness_at
from gauss.model.compiled.steps.fused import StepFunctions
from gauss.model.constraints import Constraint, Coulomb, Friction, Holonomic, Nonholonomic, Pfaffian, Unilateral
from gauss.model.coordinates import Named
from gauss.model.friction import FrictionalContact, refuse_friction
from gauss.model.friction import warn_of_friction as warn_of_friction
from gauss.model.functions import ModelFunction, as_list, as_rows, as_scalar, as_vector
from gauss.model.rows import Rows
from gauss.model.system import AnySystem, System, system_of
from gauss.numerics.runge_kutta import EULER, RK4, tableau_of

__all__ = [
    "EULER",
    "RK4",
    "AnySystem",
    "Constraint",
    "Coulomb",
    "Friction",
    "FrictionalContact",
    "Holonomic",
    "ModelFunction",
    "Named",
    "Nonholonomic",
    "Pfaffian",
    "Rows",
    "SparseGaussData",
    "StepFunctions",
    "System",
    "Unilateral",
    "as_list",
    "as_rows",
    "as_scalar",
    "as_vector",
    "refuse_friction",
    "smoothness_at",
    "system_of",
    "tableau_of",
]
