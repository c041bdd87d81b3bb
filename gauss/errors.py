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

__all__ = [
    "CallError",
    "ContradictoryRowsError",
    "DegreesWarning",
    "EnergyGainError",
    "FileError",
    "GaussError",
    "ImplausibleWarning",
    "InconsistentStateError",
    "InputError",
    "MassMatrixError",
    "ModelError",
    "MotionWarning",
    "NonUniqueAccelerationError",
    "SingularPositionError",
    "SolverError",
]


class GaussError(Exception):
    """Base of all errors raised on purpose by this package."""


class InputError(GaussError, ValueError):
    """An argument has the wrong shape, type, name or value; the message names it and says what was expected.

    >>> import gauss as g
    >>> g.System("cart", "x", mass_matrix=[[2.0]]).state([0.0, 1.0])
    Traceback (most recent call last):
        ...
    gauss.errors.InputError: q has shape (2,), expected (1,) (x).
    """


class CallError(InputError, TypeError):
    """A call has an argument that the function does not have, lacks one, or gives too many.

    >>> import gauss as g
    >>> g.Holonomic("rod", lambda q: q.x, units="m")
    Traceback (most recent call last):
        ...
    gauss.errors.CallError: Holonomic has no argument 'units'. It takes name, function, keep, friction.
    """


class ModelError(GaussError, ValueError):
    """A model function cannot be used as given: wrong return shape, untraceable code, unknown names.

    >>> import gauss as g
    >>> g.System("cart", "x", mass_matrix=[[2.0]], potential_energy=lambda q: q.y)
    Traceback (most recent call last):
        ...
    gauss.errors.ModelError: the potential energy failed: AttributeError: there is no coordinate 'y'; known: x.
    """


class FileError(InputError):
    """A file is missing, damaged, or not what its name promises.

    >>> import gauss as g
    >>> g.Trajectory.load("nowhere.nc")
    Traceback (most recent call last):
        ...
    gauss.errors.FileError: there is no file nowhere.nc.
    """


class InconsistentStateError(GaussError, ValueError):
    """The state (q, v, t) does not satisfy the constraints; the residuals say by how much.

    `residuals` maps row names to position or velocity residuals in the row's own unit.

    >>> import gauss as g
    >>> wall = g.Holonomic("wall", lambda q: q.x - 1.0)
    >>> bead = g.System("bead", "x y", mass_matrix=[[1, 0], [0, 1]], constraints=[wall])
    >>> try:
    ...     g.accelerate(bead, [1.25, 0.0])
    ... except g.errors.InconsistentStateError as error:
    ...     print(error.residuals)
    {'wall': 0.25}
    """

    def __init__(self, message: str, residuals: dict[str, float]):
        super().__init__(message)
        self.residuals = residuals


class ContradictoryRowsError(GaussError):
    """No acceleration satisfies all equality rows: the dependent rows demand different right-hand sides.

    `rows` are the names of the rows involved, `gap` is the size of the contradiction after each row is scaled to
    unit length in the mass metric; 0 where `accelerate` refuses a state by its verdict, which has no such size.

    >>> import gauss as g
    >>> ends = [g.Holonomic("here", lambda q: q.x), g.Holonomic("there", lambda q, t: q.x - t**2)]  # ẍ = 0 and ẍ = 2
    >>> pulled = g.System("pulled", "x", mass_matrix=[[1]], constraints=ends)
    >>> try:
    ...     g.accelerate(pulled, [0.0])
    ... except g.errors.ContradictoryRowsError as error:
    ...     print(error.rows)
    ('here', 'there')
    """

    def __init__(self, message: str, rows: Sequence[str], gap: float):
        super().__init__(message)
        self.rows = tuple(rows)
        self.gap = gap


class MassMatrixError(GaussError, ValueError):
    """The mass matrix is not symmetric, not positive semidefinite, or leaves the acceleration undetermined.

    >>> import gauss as g
    >>> g.accelerate(g.System("cart", "x", mass_matrix=[[-1.0]]), [0.0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gauss.errors.MassMatrixError: the mass matrix is indefinite: an acceleration along x has kinetic energy -1 ...
    """


class NonUniqueAccelerationError(GaussError):
    """The minimiser of the Zwang is not unique at this state, so no single acceleration can be returned.

    >>> import gauss as g
    >>> g.accelerate(g.System("cart", "x y", mass_matrix=[[1.0, 0.0], [0.0, 0.0]]), [0.0, 0.0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gauss.errors.NonUniqueAccelerationError: the mass matrix has no inertia along y and no equality row holds that ...
    """


class SolverError(GaussError):
    """A solver returned no answer that passes the Karush-Kuhn-Tucker certificate.

    >>> import gauss as g
    >>> falling = g.System("stone", "z", mass_matrix=[[1.0]], potential_energy=lambda q: 9.81 * q.z)
    >>> g.equilibrium(falling, [0.0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gauss.errors.SolverError: no steady state of 'stone' was found from this guess: the balance of forces on 'z' is ...
    """


class EnergyGainError(GaussError):
    """A law of impact would create energy in an impact, and is refused for it.

    `contact` is the name of the contact that gains most, `energy` the energy created in all (J), `law` the law.

    >>> import gauss as g
    >>> rows = {"N": [[1.0, 0.0], [-0.6, 0.8]], "restitution": [1.0, 0.0], "names": ["hard", "soft"]}
    >>> try:  # from v = (−1, 0) to (1, 0.75)
    ...     g.contact.collide(g.contact.ImpactProblem.of([[1, 0], [0, 1]], [-1.0, 0.0], **rows))
    ... except g.errors.EnergyGainError as error:
    ...     print(error.law, error.contact, round(error.energy, 9))
    moreau soft 0.28125
    """

    def __init__(self, message: str, contact: str, energy: float, law: str):
        super().__init__(message)
        self.contact = contact
        self.energy = energy
        self.law = law


class SingularPositionError(GaussError):
    """A motion reached a state whose constraint rows are dependent; the verdict is attached as `verdict`.

    >>> import gauss as g
    >>> planes = g.Holonomic("two planes", lambda q: q.x * q.y)
    >>> bead = g.System("bead", "x y", mass_matrix=[[1, 0], [0, 1]], force=[1.0, 2.0], constraints=[planes])
    >>> try:
    ...     g.simulate(bead, [0.0, 0.0], t_end=1.0)
    ... except g.errors.SingularPositionError as error:
    ...     print(error.verdict.verdict, [one.a.tolist() for one in error.verdict.accelerations.candidates])
    branching [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0]]
    """

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
    """An angle in rad looks like one in degrees, or like a speed; the message names it, its value and the remedy.

    >>> import warnings
    >>> import gauss as g
    >>> arm = g.System("arm", "phi", mass_matrix=[[1.0]], units={"phi": "rad"})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error")
    ...     g.accelerate(arm, [90.0])
    Traceback (most recent call last):
        ...
    gauss.errors.DegreesWarning: phi = 90 rad looks like degrees; write np.deg2rad(90) if degrees were meant.
    """


class ImplausibleWarning(UserWarning):
    """A coefficient of friction or a density is like that of no body; the message names it, and what may be meant.

    >>> import warnings
    >>> from gauss import nonsmooth
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error")
    ...     nonsmooth.ContactMaterial(friction=12.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gauss.errors.ImplausibleWarning: the friction of a material is 12; metals and wood have 0.1 to 1, rubber up ...
    """


class MotionWarning(UserWarning):
    """A motion ended before its end time; the message says why.

    >>> import warnings
    >>> import gauss as g
    >>> wrong = g.System("x'' = −√x", "x", mass_matrix=[[1.0]], force=lambda q: [-g.sqrt(q.x)])
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error")
    ...     g.simulate(wrong, [1.0], t_end=10.0)
    Traceback (most recent call last):
        ...
    gauss.errors.MotionWarning: x'' = −√x: the step size went to zero at t = 1.49366840044 s: the motion leaves the ...
    """
