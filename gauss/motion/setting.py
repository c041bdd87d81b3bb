"""What every step of a motion shares, and the friction of sliding contacts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gauss.arrays import Array
from gauss.errors import GaussError, InputError
from gauss.model import System
from gauss.model.tableaus import Tableau
from gauss.principle import GaussProblem
from gauss.principle.metric import metric_of
from gauss.principle.problem import black_box_value
from gauss.principle.sparse import definite_by_blocks
from gauss.state import State

Control = Callable[[float, Array, Array], object]


@dataclass(frozen=True)
class Setting:
    """What every step of a run shares."""

    system: System
    tableau: Tableau
    theta: Array  # parameters and constant controls
    weight: float  # w of the augmented metric; 0 where M is definite
    atol: Array  # (2n,)
    rtol: float
    control: Control | None  # u(t, q, v), or None where the controls are constant

    @property
    def sparse(self) -> bool:
        """Whether the system is so sparse that its saddle matrix is factorised as a whole."""
        return self.system.model.form(self.weight > 0.0) == "saddle"

    @property
    def fused(self) -> bool:
        """Whether steps can be compiled whole."""
        traced = self.control is None and self.system.black_box_force is None
        return traced and self.system.model.form(self.weight > 0.0) != "staged"

    def untraced_force(self, t: float, q: Array, v: Array) -> Array:
        """Return the black-box force (n,) at a state, or zeros."""
        if self.system.black_box_force is None:
            return np.zeros(self.system.n)
        return black_box_value(self.system, State(q, v, t))

    def parameters_at(self, t: float, q: Array, v: Array) -> Array:
        """Return theta with the controls of this state."""
        if self.control is None:
            return self.theta
        try:
            u = self.control(t, q.copy(), v.copy())
        except GaussError:
            raise
        except Exception as error:
            raise InputError(f"the control failed at t = {t:.9g} s: {type(error).__name__}: {error}.") from error
        if u is None:
            raise InputError(f"the control returned None at t = {t:.9g} s; does the function lack a return statement?")
        return self.system.theta(u)


def metric_weight(system: System, q: Array, v: Array, t: float) -> float:
    """Return w of the augmented metric M + w JᵀJ, or 0 where the mass matrix is definite."""
    problem = GaussProblem.at(system, State(q, v, t))
    return 0.0 if definite_by_blocks(problem.M) else metric_of(problem).weight


@dataclass(frozen=True)
class Slide:
    """Sliding friction −c p along a slip row, p being the multiplier of a normal row; −c where there is none."""

    contact: int  # place of the contact
    normal: int | None  # row
    slip: int  # row
    c: float  # σ μ sign(p), or ± the constant limit


def sliding_force(
    setting: Setting, x: Array, multipliers: Array, rows: tuple[int, ...], slides: tuple[Slide, ...]
) -> Array | None:
    """Return the generalized friction force (n,) of sliding contacts at a state, of the multipliers of the rows."""
    if not slides:
        return None
    n = setting.system.n
    J = setting.system.model.terms(x[1 : n + 1], x[n + 1 :], float(x[0]), setting.theta).J
    loads = [1.0 if s.normal is None else multipliers[rows.index(s.normal)] for s in slides]
    return -sum((s.c * p * J[s.slip] for s, p in zip(slides, loads, strict=True)), np.zeros(n))
