"""Small systems: the verdict "regular" from bounds in one compiled call, and the rest of it when it is asked for.

Where rows are clearly independent, whatever noise and the uncertainty of the state may do to them, all that the full
analysis decides is known before it is made (`clearly_independent` has each decision with its bound). Everything that is
not clear is left to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gauss.foundation.arrays import Array, all_finite
from gauss.foundation.threads import one_by_one
from gauss.foundation.tolerances import EPS
from gauss.foundation.zero import CLEAR, COMPUTED, UNIT
from gauss.model import System
from gauss.model.compiled.steps.independence import Balance, Bounds, Independence
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.principle.certificate import ROUNDING
from gauss.principle.contact_sizes import CONTACT_TOLERANCE, closed_rows
from gauss.principle.offsets import STATE_TOLERANCE, extent
from gauss.principle.problem import vanishing_rows
from gauss.uniqueness.classify import classification, solved
from gauss.uniqueness.findings import regular
from gauss.uniqueness.orders.analysis import REACH
from gauss.uniqueness.orders.errors import NEAR, SAFETY
from gauss.uniqueness.verdict import Verdict

AMPLE = 1.2 * NEAR  # least singular value, by its bound
BALANCED = 2e-3  # the same of balanced rows, times √(kn): twice what `gauss.foundation.dependence.SMALL` asks
DEFINITE = 1e-8  # least pivot of the mass matrix: some 1e4 times the condition that rounding leaves a doubt about
SHARE = 0.1  # of what the full analysis tolerates is tolerated here
AJAR = 10.0  # times the largest gap that counts as closed: a larger one is open, whatever is closed by
RANGE = 1e100  # numbers beyond this, or with squares below its inverse, may overflow on the way


def clearly_definite(pivot: float, least: float, most: float) -> bool:
    """Return whether masses are clearly positive, from their least pivot, the least of them, and the sum of all sizes.

    A pivot is relative to its mass. Numbers that are not finite, or may overflow on the way, are not clear.
    """
    return most < RANGE and least > 1.0 / RANGE and pivot > DEFINITE


def balanced(balance: Balance, size: int) -> bool:
    """Return whether both equations of an acceleration hold to rounding, for a number of coordinates and rows."""
    rounding = ROUNDING * EPS * size
    good = balance.stationarity <= rounding * balance.stationarity_scale
    return good and balance.primal <= rounding * balance.primal_scale


def clearly_open(system: System, q: Array, v: Array, t: float, theta: Array) -> bool:
    """Return whether the gaps of all unilateral rows are far above what `contact_sizes` calls closed.

    There the place of a row is at most its terms and its length times the position of the state.
    """
    model = system.model
    if not model.unilateral:
        return True
    found = model.gaps(q, v, t, theta)
    place = found.terms + found.length * extent(q)
    return bool((found.gap > AJAR * (CONTACT_TOLERANCE * place + CLEAR * found.noise)).all())


def pressed_alone(system: System) -> bool:
    """Return whether every friction of a system is that of a contact that may open, and none where it is open."""
    if not system.contacts:
        return True
    unilateral = {*system.model.unilateral}
    return all(contact.load and set(contact.load) <= unilateral for contact in system.contacts)


def clearly_independent(bounds: Bounds) -> bool:
    """Return whether a state satisfies its rows and has the verdict "regular", with the rows as they are.

    * Rows do not vanish, and any combination of the balanced ones is far above its noise (`dependence`): full rank.
    * No singular value is below `errors.NEAR`, so that no rows of higher order are compared with them (`near_rows`).
    * The error that rounding causes is far below the acceleration (`errors.rounding_error`): then no singular position
      is within reach. With σ the least singular value it is SAFETY times off·(size/σ + turning·speed/σ²) + noise/σ, in
      which a combination of k rows turns by √k/ℓ at most, as no row turns faster than its scale over ℓ.
    """
    b, k = bounds, len(bounds.rows)
    if not clearly_definite(b.pivot, b.least, b.most):
        return False
    if not k:  # the rest is about rows
        return True
    if not (max(b.residual, b.off) <= SHARE * STATE_TOLERANCE and 10.0 * EPS * b.vanishing <= SHARE):
        return False
    sigma, balanced = b.sigma
    if not (sigma >= AMPLE and balanced >= BALANCED * math.sqrt(b.rows.size)):
        return False
    off, root = max(COMPUTED, b.off, b.slip / sigma), math.sqrt(k) / sigma
    return bool(SAFETY * (off * (root + 2.0 * root**2) + root * b.noise) <= SHARE * REACH)


def apart_at_least(m: int) -> float:
    """Return how far another branch of the constraint set is from a clear state with m rows, relative to its position.

    Along the direction n of their least singular value σ rows of unit length are σ s + κ s²/2, with another zero at
    s = 2 σ/κ. The scaled rows have no larger σ, so σ ≥ AMPLE, and each keeps that share of its length: its turning over
    the position is at most 1/AMPLE of it, and κ over the position at most √m/AMPLE.
    """
    return float(2.0 * AMPLE**2 / np.sqrt(max(m, 1)))


def clear_at(system: System, state: State, theta: Array, bounds: Independence | None = None) -> bool:
    """Return whether the verdict on the rows of a small system is clearly "regular", with no contact closed."""
    return bounds_where_clear(system, state, theta, bounds) is not None


def bounds_where_clear(system: System, state: State, theta: Array, bounds: Independence | None = None) -> Bounds | None:
    """Return what says that the verdict on a state is clearly "regular", None where it is not.

    Nothing is clear before the bounds are compiled, which is done where they are asked for again and again, or given.
    """
    model = system.model
    bounds = model.pieces.independence() if bounds is None else bounds
    if bounds is None or system.black_box_force is not None:
        return None
    if model.m > len(model.equality) and (model.friction or not clearly_open(system, state.q, state.v, state.t, theta)):
        terms = model.terms(state.q, state.v, state.t, theta)
        if not all_finite(terms.f, terms.J, terms.gamma, terms.phi, terms.psi) or closed_rows(system, state, terms):
            return None
    found = bounds.at(state.q, state.v, state.t, theta)
    return found if clearly_independent(found) else None


def clear_acceleration(system: System, q: Array, v: Array, t: float, theta: Array) -> Array | None:
    """Return the acceleration (n,) at a state where the verdict on its rows is clearly "regular", else None.

    It is certified as that of the verdict is: both equations hold to rounding. States where a contact is closed, or
    nearly so, and systems with friction of joints, with forces that are not traced, and large ones are left to the
    verdict.
    """
    model = system.model
    traced = system.black_box_force is None and model.seen is None
    if not traced or model.pieces.answers is None:
        return None
    if not (pressed_alone(system) and clearly_open(system, q, v, t, theta)):
        return None
    a, balance, bounds = model.pieces.answers.at(q, v, t, theta)
    return a if balanced(balance, model.n + len(model.equality)) and clearly_independent(bounds) else None


def clear_verdict(system: System, state: State, u: object, solver: str) -> Verdict | None:
    """Return the verdict on the rows of a state where it is clearly "regular", else None. Raises InputError for u."""
    theta = system.theta(u)
    if not clear_at(system, state, theta):
        return None
    own = State(state.q.copy(), state.v.copy(), state.t)  # those of the verdict may be changed
    rest = Remainder(system, system.parameters.copy(), own, theta[len(system.parameters) :], solver)
    return Verdict.later(system, state, (regular(len(system.model.equality)),), rest)


@dataclass(frozen=True)
class Remainder:
    """What is left of a clear verdict: its acceleration is one computation, and the evidence of its rank another."""

    given: System
    parameters: dict[str, float]
    state: State
    u: Array
    solver: str

    def __call__(self, name: str) -> dict[str, Any]:
        """Return fields of the verdict, that of the given name among them."""
        return self._answer() if name in ("problem", "answer", "accelerations") else self._evidence()

    @property
    def system(self) -> System:
        """The system with the parameters that it had."""
        same = self.given.parameters == self.parameters
        return self.given if same else self.given.with_parameters(**self.parameters)

    def _answer(self) -> dict[str, Any]:
        system, s = self.system, self.state
        rows = list(system.model.equality)
        terms = system.model.terms(s.q, s.v, s.t, system.theta(self.u))
        if system.model.m > len(rows):  # those of open contacts and of friction may vanish
            terms = replace(terms, J=np.where(vanishing_rows(system, s, terms.J)[:, None], 0.0, terms.J))
        noise = UNIT * np.abs(terms.J)
        noise[rows] = system.model.noise(s.q, s.v, s.t, system.theta()).J[rows]
        problem = GaussProblem.of_terms(system, terms, (), noise)
        answer, accelerations = solved(problem, self.solver)
        return {"problem": problem, "answer": answer, "accelerations": accelerations}

    def _evidence(self) -> dict[str, Any]:
        system = self.system
        with one_by_one(system.n):
            whole = classification(system, self.state, GaussProblem.at(system, self.state, self.u), solver=self.solver)
        return {name: getattr(whole, name) for name in ("regularity", "warnings", "error")}
