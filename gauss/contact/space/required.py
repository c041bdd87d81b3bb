"""How much friction is needed in space: the least coefficient at which an acceleration is possible, with true cones.

The greatest least slack of all cones, max min (μ p − |t|) over the forces that give M a − f, is negative below the
least coefficient and not above it. Each value is a second-order cone program; the zero is enclosed by Brent's method,
or by bisection where the slack stays zero because a contact cannot be loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy.optimize as opt

from gauss.contact.forces.required import coefficient_text
from gauss.contact.space.problem import ConeProblem
from gauss.contact.space.ranges import FITS, ConePrograms, ConeSet, cone_set
from gauss.contact.space.resistance import listed
from gauss.errors import InputError
from gauss.foundation.arrays import Flags

LARGEST = 1e4  # coefficients above this are not looked at
CLEAR = 1e-8  # a slack above this has a sign
JUMP = 0.5  # error of a slack that is accepted: where forces grow without bound it jumps by more, and its sign counts
CLOSE = 1e-5  # relative distance within which a coefficient that is not attained is solved for again
TOUCHES = 1e-10  # slack, relative to the load, that counts as zero in the bisection


class ConeCoefficient(NamedTuple):
    """The least coefficient of friction in space at the contacts that stick."""

    value: float  # inf if no coefficient up to 1e4 suffices
    attained: bool  # False if it suffices only above the value, with forces that grow without bound towards it

    def __str__(self) -> str:
        return coefficient_text(*self)


def cone_required_coefficient(
    problem: ConeProblem, a: object = None, *, contacts: Sequence[str] | None = None
) -> ConeCoefficient:
    """Return the least coefficient, the same at all sticking contacts, and whether it is attained.

    Without a (n,) equilibrium is meant. `contacts` names those whose coefficient is asked; others keep their μ_s, and
    the arms of rolling and spinning resistance stay. The value is inf if no coefficient up to 1e4 suffices; it is not
    attained where forces grow without bound towards it. Measured errors are below 1e-8. Raises InputError where the
    constraints do not admit a, where no contact sticks, and for unknown names; SolverError as `cone_forces` does.
    """
    if not isinstance(problem, ConeProblem):
        raise InputError(f"a ConeProblem is expected, got {type(problem).__name__}; see gauss.contact.cone_problem.")
    names = problem.names if contacts is None else listed(contacts, str, "contacts")
    unknown = [repr(name) for name in names if name not in problem.names]
    if unknown:
        raise InputError(f"{', '.join(unknown)} is no closed contact; these are {', '.join(map(repr, problem.names))}.")
    asked = np.isin(problem.names, names) & np.any(problem.T != 0.0, axis=(1, 2))
    frictional = replace(problem, static=np.where(asked, 1.0, problem.static))
    forces, _, _ = cone_set(frictional, np.zeros(len(problem.f)) if a is None else a)
    owners = {j: i for i, j in zip(np.flatnonzero(_closed(forces, problem)), forces.pressing, strict=True)}
    scaled = [sliding and bool(asked[owners[j]]) for j, _, _, sliding in forces.cones]
    if not any(scaled):
        raise InputError("no frictional contact sticks at this acceleration, so there is no coefficient to ask for.")

    def at(mu: float) -> ConeSet:
        pairs = zip(forces.cones, scaled, strict=True)
        cones = tuple(
            (j, part, mu * c if own else c, sliding)
            for (j, part, c, sliding), own in pairs
            if np.isfinite(mu) or not own
        )
        return replace(forces, cones=cones)

    def slack(mu: float) -> float:
        programs = ConePrograms(at(mu))
        return programs.margin(JUMP) if programs.missed <= FITS else -np.inf

    if slack(0.0) >= -FITS:
        return ConeCoefficient(0.0, True)
    if slack(np.inf) < -FITS:  # any friction force for any normal force
        return ConeCoefficient(np.inf, False)
    low, high, reached = 0.0, 1.0, slack(1.0)
    while reached < -TOUCHES and high < LARGEST:
        low, high = high, 4.0 * high
        reached = slack(high)
    if reached < -TOUCHES:
        return ConeCoefficient(np.inf, False)
    if reached > CLEAR:
        value = float(opt.brentq(slack, low, high, xtol=1e-15, rtol=1e-13))
        attained = slack(value * (1.0 + 1e-6) + 1e-12) < 0.5
        return ConeCoefficient(value if attained else _wedging(at, value), attained)
    while high - low > 1e-12 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if slack(middle) >= -TOUCHES else (middle, high)
    return ConeCoefficient(high, True)


def _wedging(at: Callable[[float], ConeSet], near: float) -> float:
    """Return the coefficient near a given one from which contacts can press on one another without a load.

    There the greatest least slack of forces in balance, of the sum of pressing forces 1, vanishes; `near` is returned
    where it does not.
    """

    def slack(mu: float) -> float:
        forces = at(mu)
        total = np.isin(np.arange(forces.G.shape[1]), forces.pressing).astype(float)
        load = np.append(0.0 * forces.load, 1.0)
        programs = ConePrograms(replace(forces, G=np.vstack([forces.G, total]), load=load))
        return programs.margin() if programs.missed <= FITS else -np.inf

    low, high = near * (1.0 - CLOSE), near * (1.0 + CLOSE)
    return (
        float(opt.brentq(slack, low, high, xtol=1e-15, rtol=1e-13))
        if -np.inf < slack(low) < 0.0 < slack(high)
        else near
    )


def _closed(forces: ConeSet, problem: ConeProblem) -> Flags:
    """Return which contacts (k,) have an unknown normal force."""
    m = len(problem.gamma)
    return np.asarray(np.any(forces.R[m : m + problem.k] != 0.0, axis=1))
