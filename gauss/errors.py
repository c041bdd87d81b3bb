"""Every error of the package: what is wrong, where, by how much, and the remedy.

All errors derive from `GaussError`, so `except gauss.errors.GaussError` catches what this package raises on purpose and
nothing else. Input errors are also `ValueError`s, as users of scientific Python expect.

>>> import gauss as g
>>> try:
...     g.System("empty", "", mass_matrix=[])
... except g.errors.InputError as error:
...     print(error)
system 'empty' has no coordinates.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence


class GaussError(Exception):
    """Base of all errors raised on purpose by this package."""


class InputError(GaussError, ValueError):
    """An argument has the wrong shape, type, name or value; the message names it and says what was expected."""


class CallError(InputError, TypeError):
    """A call has an argument that the function does not have, lacks one, or gives too many."""


class ModelError(GaussError, ValueError):
    """A model function cannot be used as given: wrong return shape, untraceable code, unknown names."""


class FileError(InputError):
    """A file is missing, damaged, or not what its name promises."""


class InconsistentStateError(GaussError, ValueError):
    """The state (q, v, t) does not satisfy the constraints; the residuals say by how much.

    `residuals` maps row names to position or velocity residuals in the row's own unit.
    """

    def __init__(self, message: str, residuals: dict[str, float]):
        super().__init__(message)
        self.residuals = residuals


class ContradictoryRowsError(GaussError):
    """No acceleration satisfies all equality rows: the dependent rows demand different right-hand sides.

    `rows` are the names of the rows involved, `gap` is the size of the contradiction after each row is scaled to
    unit length in the mass metric.
    """

    def __init__(self, message: str, rows: Sequence[str], gap: float):
        super().__init__(message)
        self.rows = tuple(rows)
        self.gap = gap


class MassMatrixError(GaussError, ValueError):
    """The mass matrix is not symmetric, not positive semidefinite, or leaves the acceleration undetermined."""


class NonUniqueAccelerationError(GaussError):
    """The minimiser of the Zwang is not unique at this state, so no single acceleration can be returned."""


class SolverError(GaussError):
    """A solver returned no answer that passes the Karush-Kuhn-Tucker certificate."""


class EnergyGainError(GaussError):
    """A law of impact would create energy in an impact, and is refused for it.

    `contact` is the name of the contact that gains most, `energy` the energy created in all (J), `law` the law.
    """

    def __init__(self, message: str, contact: str, energy: float, law: str):
        super().__init__(message)
        self.contact = contact
        self.energy = energy
        self.law = law


class SingularPositionError(GaussError):
    """A motion reached a state whose constraint rows are dependent; the verdict is attached as `verdict`."""

    def __init__(self, message: str, verdict: object):
        super().__init__(message)
        self.verdict = verdict


def described(error: BaseException) -> str:
    """Return an error in one line: its kind, what it says and, unless this package raised it on purpose, where.

    The place is the deepest line of the package or of the user, not that of a library which one of them called.
    """
    if isinstance(error, GaussError):
        return f"{type(error).__name__}: {error}"
    words = " ".join("".join(traceback.format_exception_only(error)).split()).removesuffix(".")
    frames = traceback.extract_tb(error.__traceback__)
    library = f"{os.sep}site-packages{os.sep}"
    own = [f for f in frames if library not in f.filename or f"{library}gauss{os.sep}" in f.filename] or frames
    return f"{words} ({own[-1].filename}, line {own[-1].lineno})" if own else words


class DegreesWarning(UserWarning):
    """An angle in rad looks like one in degrees; the message names it, its value and the remedy."""


class MotionWarning(UserWarning):
    """A motion ended before its end time; the message says why."""
