"""What a user writes: coordinates, energies or M and forces, constraints, parameters."""

from gauss.model.constraints import Constraint, Coulomb, Friction, Holonomic, Nonholonomic, Pfaffian, Unilateral
from gauss.model.friction import FrictionalContact, refuse_friction
from gauss.model.rows import Rows
from gauss.model.system import AnySystem, System, system_of

__all__ = [
    "AnySystem",
    "Constraint",
    "Coulomb",
    "Friction",
    "FrictionalContact",
    "Holonomic",
    "Nonholonomic",
    "Pfaffian",
    "Rows",
    "System",
    "Unilateral",
    "refuse_friction",
    "system_of",
]
