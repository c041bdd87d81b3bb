"""How much friction is needed in space: the least coefficient at which an acceleration is possible, with true cones.

The greatest least slack of all cones, max min (μ p − |t|) over the forces that give M a − f, is negative below the
least coefficient and not above it. Each value is a second-order cone program; the zero is enclosed by Brent's method,
or by bisection where the slack stays zero because a contact cannot be loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import scipy

from gauss.contact.forces.cones import FITS, ConePrograms, ConeSet, cone_set
from gauss.contact.problem import ContactProblem
from gauss.errors import InputError

LARGEST = 1e4  # coefficients above this are not looked at
CLEAR = 1e-8  # a slack above this has a sign
JUMP = 0.5  # error of a slack that is accepted: where forces grow without bound it jumps by more, and its sign counts
CLOSE = 1e-5  # relative distance within which a coefficient that is not attained is solved for again
TOUCHES = 1e-10  # slack, relative to the load, that counts as zero in the bisection


def required_in_space(problem: ContactProblem, a: object, names: Sequence[str]) -> tuple[float, bool]:
    """Return the least coefficient, the same at all sticking contacts of these names, and whether it is attained.

    Others keep their μ_s, and the arms of rolling and spinning resistance stay. The value is inf if no coefficient up
    to 1e4 suffices; it is not attained where forces grow without bound towards it. Measured errors are below 1e-8.
    Raises InputError where the constraints do not admit a and where no contact sticks, SolverError as `cone_forces`
    does.
    """
    asked = np.isin(problem.names, names) & np.any(problem.T != 0.0, axis=(1, 2)) & ~problem.limited
    frictional = replace(problem, static=np.where(asked, 1.0, problem.static))
    forces = cone_set(frictional, a)
    owners = {j: i for i, j in zip(np.flatnonzero(forces.closed), forces.pressing, strict=True)}
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
        return 0.0, True
    if slack(np.inf) < -FITS:  # any friction force for any normal force
        return np.inf, False
    low, high, reached = 0.0, 1.0, slack(1.0)
    while reached < -TOUCHES and high < LARGEST:
        low, high = high, 4.0 * high
        reached = slack(high)
    if reached < -TOUCHES:
        return np.inf, False
    if reached > CLEAR:
        value = float(scipy.optimize.brentq(slack, low, high, xtol=1e-15, rtol=1e-13))
        attained = slack(value * (1.0 + 1e-6) + 1e-12) < 0.5
        return (value if attained else _wedging(at, value)), attained
    while high - low > 1e-12 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if slack(middle) >= -TOUCHES else (middle, high)
    return high, True


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
        float(scipy.optimize.brentq(slack, low, high, xtol=1e-15, rtol=1e-13))
        if -np.inf < slack(low) < 0.0 < slack(high)
        else near
    )
