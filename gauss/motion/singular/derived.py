"""Steps on a set where rows vanish as powers, by derivatives of these rows that have a slope there.

On F² + G⁴ = 0 the row has no slope, nor has its derivative across F = 0 where G = 0: what locks such a motion are
conditions beyond order 4. The derivatives that do have one (`gauss.model.compiled.derivatives.derived`) hold on the
whole smooth set, so the motion on it is that of a system with these as rows. Which derivatives they are is told by the
germ of the set at the start (`gauss.uniqueness.germs.powers`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, lengths_of
from gauss.model import System
from gauss.model.compiled.buffer import Buffered
from gauss.model.compiled.derivatives.derived import PowerRow, derived_equations
from gauss.model.state import State
from gauss.motion.singular.deflation import LockedAcceleration, deflation
from gauss.motion.singular.locked import LockedStepper
from gauss.motion.steps.steppers import Setting
from gauss.principle import GaussProblem
from gauss.principle.metric import Metric
from gauss.uniqueness.germs.germ import Germ, germ_of
from gauss.uniqueness.germs.parts import contained


@dataclass(frozen=True)
class Equations:
    """Independent equations of a smooth set, as functions of q, v and the parameters with the controls."""

    evaluate: Buffered

    def at(self, metric: Metric, q: Array, v: Array, theta: Array) -> tuple[Array, Array, Array, Array]:
        """Return unit rows (k, n) in the metric, and γ, the rates and the residuals, (k,) each, divided alike."""
        phi, psi, J, gamma = self.evaluate(q, v, theta)
        W = metric.whitened(J)
        size = lengths_of(W)
        return W / size[:, None], gamma / size, psi / size, phi / size


def equations_on(system: System, start: State, rank: int) -> Equations | None:
    """Return the equations of the set on which a motion is locked, where slopes of its rows do not tell as many.

    `rank` is that of the rows along the motion. None also where the rows do not vanish as powers, or are not holonomic.
    """
    return _equations_at(system, system.theta().tobytes(), start.q.tobytes(), start.v.tobytes(), start.t, rank)


@lru_cache(maxsize=2)  # a start, its steps, and each look at the states between them ask for the same
def _equations_at(system: System, theta: bytes, q: bytes, v: bytes, t: float, rank: int) -> Equations | None:
    """Return what `equations_on` does; the numbers are bytes, so that its last answers are remembered by them."""
    model, start, numbers = system.model, State(np.frombuffer(q), np.frombuffer(v), t), np.frombuffer(theta)
    if any(model.kinds[k] != "holonomic" for k in model.equality) or model.trace.rheonomic:
        return None
    try:
        germ = germ_of(system, start)
    except InputError:
        return None
    parts = [part for part in (germ.factors or (germ,)) if part.coordinates]
    powers = [_power_of(part) for part in parts]
    known = [power for power in powers if power is not None]
    if len(known) < len(powers):
        return None
    covered = {j for part in parts for j in part.coordinates}
    inside = contained(model.positions, list(model.equality), model.names)
    others = [k for k, used in inside.items() if not used & covered]
    count = len(others) + sum(len(power.solving) + len(power.orders) for power in known)
    found = deflation(system, start, GaussProblem.at(system, start), numbers, rank)
    if count <= rank + (0 if found is None else found.locked):
        return None
    evaluate = derived_equations(model.trace, known, others, start.q, numbers)
    return None if evaluate is None else Equations(evaluate)


def _power_of(part: Germ) -> PowerRow | None:
    """Return the power as which an equation vanishes on the one smooth set of a germ, or None for another germ."""
    reduction, power = part.reduction, part.power
    if reduction is None:
        return None
    rows, split = reduction.rows, reduction.split
    free = [rows.coordinates[j] for j in split.free]
    if power is not None and power.sheets == 1:
        equation, orders = power.equation, [(free[i], 1) for i in power.squares]
        orders += [] if power.last is None else [(free[power.last], power.exponent - 1)]
    elif len(part.branches) == 1 and len(reduction.equations) == 1 and part.branches[0].ramification == 1:
        (branch,) = part.branches
        if set(free) != {branch.lead, branch.other}:
            return None
        equation, orders = 0, [(branch.other, branch.multiplicity - 1)]
    else:
        return None
    return PowerRow(tuple(rows.rows[k] for k in split.solving), rows.rows[split.rest[equation]], tuple(orders))


class DerivedStepper(LockedStepper):
    """A Runge-Kutta step on a smooth set, by equations derived from rows that have no slope there; a `Stepper`."""

    def __init__(self, setting: Setting, rows: tuple[int, ...], rank: int, equations: Equations):
        super().__init__(setting, rows, rank)
        self.equations = equations

    def pivot(self, x: Array) -> float:
        """Return the square of the smallest singular value of the equations, as unit rows in the metric."""
        state, problem, theta = self._at(x)
        W = self.equations.at(problem.metric, state.q, state.v, theta)[0]
        return float(np.linalg.svd(W, compute_uv=False)[-1]) ** 2 if np.all(np.isfinite(W)) else 0.0

    def _held(self, x: Array, tolerance: float) -> tuple[GaussProblem, LockedAcceleration | None]:
        """Return the problem at x and the acceleration of least Zwang on the set; `tolerance` does not matter."""
        state, problem, theta = self._at(x)
        metric = problem.metric
        W, gamma, _, _ = self.equations.at(metric, state.q, state.v, theta)
        free = metric.L.T @ metric.reference
        reaction = np.linalg.lstsq(W, gamma - W @ free, rcond=None)[0]
        reaction = reaction + np.linalg.lstsq(W, gamma - W @ (free + reaction), rcond=None)[0]
        primal = float(np.max(np.abs(W @ (free + reaction) - gamma), initial=0.0))
        return problem, LockedAcceleration(
            metric.lift(free + reaction), 0.5 * float(reaction @ reaction), primal, 0.0, 0.0
        )

    def _correction(self, x: Array, position: bool) -> Array:
        """Return the change (n,) of the position or of the velocity that Newton's method takes to the equations."""
        state, problem, theta = self._at(x)
        metric = problem.metric
        W, _, psi, phi = self.equations.at(metric, state.q, state.v, theta)
        return metric.lift(np.asarray(np.linalg.lstsq(W, -(phi if position else psi), rcond=None)[0]))


def locked_stepper(
    setting: Setting, rows: tuple[int, ...], rank: int, start: State, directions: int | None = None
) -> LockedStepper:
    """Return the stepper of a motion that is locked at its start: by slopes of its rows, or by other derivatives."""
    equations = equations_on(setting.system, start, rank) if rows == setting.system.model.equality else None
    if equations is not None:
        return DerivedStepper(setting, rows, rank, equations)
    return LockedStepper(setting, rows, rank, directions)
