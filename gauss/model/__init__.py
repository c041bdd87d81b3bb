"""What a user writes: coordinates, energies or M and forces, constraints, parameters."""

from gauss.model.constraints import Constraint, Holonomic, Nonholonomic, Pfaffian, Unilateral
from gauss.model.system import System

__all__ = ["Constraint", "Holonomic", "Nonholonomic", "Pfaffian", "System", "Unilateral"]
