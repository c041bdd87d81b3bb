"""Printed or hand-derived statements about a system, held against the model, and mended where they are wrong.

>>> import gauss as g
>>> len(g.sources.names()) > 50
True
"""

from typing import TYPE_CHECKING

from gauss.foundation.later import later
from gauss.sources.equations import (
    ClosedForm,
    ConstraintMatrix,
    ControlFields,
    Derivative,
    EqualFormula,
    Equation,
    Hamiltonian,
    Integral,
    Lagrangian,
    Printed,
    Statement,
)
from gauss.sources.exercises.asked import ExerciseQuestion
from gauss.sources.exercises.exercise import Exercise, exercise, exercise_names
from gauss.sources.files import SourceFile, folder, load, names

if TYPE_CHECKING:
    from gauss.sources.exercises.checking import Check
    from gauss.sources.exercises.findings import WrongTerm
    from gauss.sources.repair import Mend
    from gauss.sources.verification import Verification, verify

__all__ = [
    "Check",
    "ClosedForm",
    "ConstraintMatrix",
    "ControlFields",
    "Derivative",
    "EqualFormula",
    "Equation",
    "Exercise",
    "ExerciseQuestion",
    "Hamiltonian",
    "Integral",
    "Lagrangian",
    "Mend",
    "Printed",
    "SourceFile",
    "Statement",
    "Verification",
    "WrongTerm",
    "exercise",
    "exercise_names",
    "folder",
    "load",
    "names",
    "verify",
]

WITH_SYMPY = {
    "Check": "exercises.checking",
    "WrongTerm": "exercises.findings",
    "Mend": "repair",
    "Verification": "verification",
    "verify": "verification",
}  # name → module


__getattr__ = later(__name__, WITH_SYMPY)


def __dir__() -> list[str]:
    return __all__
