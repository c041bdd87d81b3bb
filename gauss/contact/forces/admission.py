"""Whether the law of friction admits an acceleration, and whether it is the only one because it needs no friction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gauss.contact.forces.cones import FITS, ConePrograms, cone_set
from gauss.contact.forces.force_sets import force_sets, require_problem
from gauss.contact.plane import uniqueness
from gauss.contact.problem import ContactProblem, require_contacts
from gauss.errors import InputError


def admits(problem: ContactProblem, a: object) -> bool:
    """Return whether the constraints and the law of friction admit the acceleration a (n,).

    Raises InputError for a wrong shape, for dry pins and for something that is no ContactProblem.

    >>> import gauss as g
    >>> floor = {"N": [[0, 1]], "nu": [0], "T": [[1, 0]], "tau": [0], "coefficient": [0.5]}
    >>> block = g.contact.ContactProblem.of([[2, 0], [0, 2]], [5, -20], **floor)
    >>> g.contact.admits(block, [0.0, 0.0]), g.contact.admits(block, [2.5, 0.0])  # it sticks, and cannot slip
    (True, False)
    """
    require_problem(problem)
    try:
        if problem.in_space:
            programs = ConePrograms(cone_set(problem, a))
            return programs.missed <= FITS and programs.margin() >= -FITS
        return any(s.start is not None for s in force_sets(problem, a))
    except InputError:
        if np.shape(np.asarray(a)) != (len(problem.f),):
            raise
        return False


def only_acceleration(problem: ContactProblem, a: object) -> bool:
    """Return whether a (n,) is proved to be the only acceleration, because it needs no friction.

    Friction from rest, rolling resistance too, does no positive work on the accelerations. In space friction with a
    constant limit L may be needed, as (t − t*)·ṡ ≤ (|t*| − L)|ṡ| for any other. False leaves open whether
    there are others. Raises InputError as `contact_forces` does for a wrong acceleration.

    >>> import gauss as g
    >>> floor = {"N": [[0, 1]], "nu": [0], "T": [[1, 0]], "tau": [0], "coefficient": [0.5]}
    >>> block, pulled = (g.contact.ContactProblem.of([[2, 0], [0, 2]], [pull, -20], **floor) for pull in (0, 5))
    >>> g.contact.only_acceleration(block, [0, 0]), g.contact.only_acceleration(pulled, [0, 0])
    (True, False)
    """
    if not require_contacts(problem).in_space:
        return uniqueness.only_acceleration(problem, a)
    forces = cone_set(problem, a)
    frictional = np.isin(np.arange(problem.k), [each.contact for each in forces.frictions])
    if any(each.moving for each in forces.frictions) or np.any(frictional & ~forces.sticking):
        return False
    limits = np.where(problem.limited, problem.kinetic, 0.0)
    smooth = replace(problem, static=limits, kinetic=limits, resistances=())
    return admits(smooth, a)
