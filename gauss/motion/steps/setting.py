"""What every step of a motion shares, and the friction of sliding contacts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gauss.errors import GaussError, InputError, NonUniqueAccelerationError, described
from gauss.foundation.arrays import Array, magnitudes
from gauss.foundation.portable import Portable
from gauss.model import System
from gauss.model.compiled import Terms
from gauss.model.compiled.steps.fused import Slips
from gauss.model.functions import require_by_place
from gauss.model.state import State
from gauss.numerics.runge_kutta import TAYLOR, Tableau
from gauss.principle import GaussProblem
from gauss.principle.metric import definite
from gauss.principle.offsets import inertia_roots
from gauss.principle.problem import black_box_value
from gauss.principle.sparse import definite_by_blocks

SLOW = 1e-2  # share of the absolute tolerance that a slip in space must have to have a direction of its own
NEAR = 1e-6  # the same share of the slip at the start of a step: nearer to a stop rounding would turn the slip
ATOL = 1e-12  # absolute tolerance of coordinates and velocities of the size 1, the most
FINE = 1e-8  # m/s, the tolerance counts as no larger than this
AHEAD = 1e-2  # cosine between a slip and its last direction from which it has turned, and not stopped

Control = Callable[[float, Array, Array], object]


@dataclass(frozen=True)
class Setting(Portable):
    """What every step of a run shares."""

    system: System
    tableau: Tableau
    theta: Array  # parameters and constant controls
    weight: float  # w of the augmented metric; 0 where M is definite
    atol: Array  # (2n,)
    rtol: float
    control: Control | None  # u(t, q, v), or None where the controls are constant
    careful: bool = False  # whether rows are so nearly dependent that steps need their orthogonal factors
    auto: bool = False  # whether steps by Taylor series take over where they pay
    compiler: str = ""  # a C compiler that makes machine code of steps, if any

    def __post_init__(self) -> None:
        if self.control is not None:
            require_by_place(self.control, "tqv", "the control")

    @property
    def floor(self) -> float:
        """The slip speed (m/s) below which the direction of a slip in space is that in which it was before."""
        return SLOW * min(float(np.min(self.atol[self.system.n :])), FINE)

    @property
    def series(self) -> bool:
        """Whether steps are those of Taylor series."""
        return self.tableau.name == TAYLOR

    @property
    def sparse(self) -> bool:
        """Whether the system is so sparse that its saddle matrix is factorised as a whole."""
        return self.system.model.pieces.form(self.weight > 0.0) == "saddle"

    @property
    def fused(self) -> bool:
        """Whether steps can be compiled whole."""
        traced = self.control is None and self.system.black_box_force is None
        return traced and self.system.model.pieces.form(self.weight > 0.0) != "staged"

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
            raise InputError(f"the control failed at t = {t:.9g} s: {described(error)}.") from error
        if u is None:
            raise InputError(f"the control returned None at t = {t:.9g} s; does the function lack a return statement?")
        try:
            return self.system.theta(u)
        except InputError as error:
            raise InputError(f"what the control returned at t = {t:.9g} s does not fit: {error}") from error

    def controls_at(self, state: State) -> Array:
        """Return the controls (n_u,) of this state."""
        return self.parameters_at(state.t, state.q, state.v)[len(self.system.parameters) :]


def metric_weight(system: System, q: Array, v: Array, t: float) -> float:
    """Return w of the augmented metric M + w JᵀJ, or 0 where the mass matrix is definite.

    Raises NonUniqueAccelerationError where a contact that is pressed holds what has no inertia: it may open.
    """
    M = system.model.terms(q, v, t, system.theta()).M
    if definite_by_blocks(M) or definite(M):
        return 0.0
    problem = GaussProblem.at(system, State(q, v, t))
    if problem.metric.definite and not problem.only(problem.rows.equality).metric.definite:
        held, names = np.concatenate(problem.pressed[1]), problem.rows.names
        raise NonUniqueAccelerationError(
            f"{system.name!r} has coordinates without inertia that no equality row holds, but only"
            f" {', '.join(repr(names[k]) for k in held)}, pressed by the force at t = {t:g}. Where such a contact opens"
            " the acceleration is not determined, so that no motion is computed. Give these coordinates mass, or"
            " constrain them."
        )
    return problem.metric.weight


def natural_atol(system: System, state: State, span: float, theta: Array) -> Array:
    """Return the absolute tolerances (2n,) of a motion of `span` seconds: `ATOL`, less where the system is small.

    Each coordinate is as large as the position at the start, and the way that velocities and forces lead it in this
    time, give it in the metric; a system of micrometres or of slow motions so gets its digits without being asked.
    """
    return natural_tolerances(system.model.terms(state.q, state.v, state.t, theta), state.q, state.v, span)


def natural_tolerances(terms: Terms, q: Array, v: Array, span: float) -> Array:
    """Return those tolerances (…, 2n) of states (…, n) by the terms of their model."""
    d = inertia_roots(terms.M)
    place, speed, pull = (magnitudes(x)[..., None] for x in (q * d, v * d, terms.f / d))
    return tolerances(d, place, speed, pull, span)


def tolerances(roots: Array, position: Any, speed: Any, pull: Any, span: float) -> Array:
    """Return those tolerances (…, 2n) of states whose coordinates, velocities and forces are so large in the metric."""
    fast = speed + pull * span
    sizes = np.concatenate([(position + fast * span) / roots, fast / roots], axis=-1)
    return ATOL * np.where((sizes > 0.0) & (sizes < 1.0), sizes, 1.0)


@dataclass(frozen=True)
class Slide:
    """Sliding friction −c p along a slip row, p being the multiplier of a normal row; −c where there is none.

    Of a dry pin p is |λ| of two rows, and `normal` is None.

    In space there are two slip rows, and friction −c p ŝ follows the direction ŝ of the slip in every stage of a step.
    It is taken with the sign that it has with `way`, the direction at the start of the step: so a step goes on smoothly
    past a stop, which is then located where the slip along `way` vanishes, as in the plane.
    """

    contact: int  # place of the contact
    normal: int | None  # row
    slip: int  # row
    c: float  # σ μ sign(p), or ± the constant limit; in space μ
    across: int | None = None  # second slip row, in space
    way: tuple[float, float] = (1.0, 0.0)  # unit direction of the slip at the start of a step, or in which it begins
    speed: float = 0.0  # the slip there, m/s
    pin: tuple[int, int] | None = None  # the two rows of a dry pin

    def load(self, multipliers: Mapping[int, Any] | Array) -> Any:
        """Return p (1 where the limit is constant), of multipliers by row."""
        if self.pin is not None:
            return np.hypot(multipliers[self.pin[0]], multipliers[self.pin[1]])
        return 1.0 if self.normal is None else multipliers[self.normal]

    @property
    def places(self) -> Slips:
        """Load, slip row and in space the second one, as `gauss.model.compiled.steps.fused.Pieces` takes them."""
        if self.pin is not None:
            return self.pin, self.slip
        return (self.normal, self.slip) if self.across is None else (self.normal, self.slip, self.across)

    def numbers(self, floor: float) -> list[float]:
        """Return c, and in space `way` with the length of a slip that has no direction of its own, at least `floor`."""
        if self.across is None:
            return [self.c]
        small = max(NEAR * self.speed, floor)
        return [self.c, small * self.way[0], small * self.way[1]]

    def row(self, J: Array, psi: Array, floor: float) -> Array:
        """Return the row (n,) along which friction acts at a state with rows J (m, n) and velocities psi (m,)."""
        if self.across is None:
            return np.asarray(J[self.slip])
        pair, e = [self.slip, self.across], np.array(self.numbers(floor)[1:])
        s = psi[pair]
        w = (-s if s @ e < 0.0 else s) * (s @ s / (e @ e)) ** 2 + e
        return np.asarray(w @ J[pair] / np.sqrt(w @ w))


def sliding_force(
    setting: Setting, x: Array, multipliers: Array, rows: tuple[int, ...], slides: tuple[Slide, ...]
) -> Array | None:
    """Return the generalized friction force (n,) of sliding contacts at a state, of the multipliers of the rows."""
    if not slides:
        return None
    n = setting.system.n
    terms = setting.system.model.terms(x[1 : n + 1], x[n + 1 :], float(x[0]), setting.theta)
    given = dict(zip(rows, multipliers, strict=True))
    loads = [s.load(given) for s in slides]
    along = [s.row(terms.J, terms.psi, setting.floor) for s in slides]
    return -sum((s.c * p * row for s, p, row in zip(slides, loads, along, strict=True)), np.zeros(n))


def sliding_forces(
    setting: Setting, states: Array, multipliers: Array, rows: tuple[int, ...], slides: tuple[Slide, ...]
) -> Array | None:
    """Return `sliding_force` (N, n) at N states with multipliers (N, k); None where friction turns with its slip."""
    if not slides or any(slide.across is not None for slide in slides):
        return None
    n, force = setting.system.n, np.zeros((len(states), setting.system.n))
    given = dict(zip(rows, multipliers.T, strict=True))
    _, J = setting.system.model.batch(states[:, 1 : n + 1], states[:, n + 1 :], states[:, 0], setting.theta)
    for slide in slides:
        force -= np.reshape(slide.c * slide.load(given), (-1, 1)) * J[:, slide.slip]
    return force


def redirected(setting: Setting, x: Array, slides: tuple[Slide, ...]) -> tuple[Slide, ...]:
    """Return the slides with the directions of slip at a state; those that stop there keep theirs."""
    if all(s.across is None for s in slides):
        return slides
    n = setting.system.n
    _, psi = setting.system.model.residuals(x[1 : n + 1], x[n + 1 :], float(x[0]), setting.theta)
    found = []
    for slide in slides:
        if slide.across is not None:
            s = psi[[slide.slip, slide.across]]
            speed = float(np.linalg.norm(s))
            if speed > 10.0 * setting.floor and float(s @ np.array(slide.way)) > AHEAD * speed:
                slide = replace(slide, way=(float(s[0]) / speed, float(s[1]) / speed), speed=speed)
        found.append(slide)
    return tuple(found)
