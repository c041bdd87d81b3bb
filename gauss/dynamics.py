"""The story on one page: state → problem → verdict → solution.

    problem = GaussProblem.at(system, state)     numbers M, f and rows at the state
    verdict = diagnose(problem)                  are the rows independent?
    solution = solve(problem)                    minimise the Zwang, finish, certify

`accelerate` does the three in order for a state that satisfies the constraints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.arrays import Array
from gauss.errors import InconsistentStateError, InputError
from gauss.model import System
from gauss.model.coordinates import Named
from gauss.principle import GaussProblem, GaussSolution, solve
from gauss.principle.metric import metric_of
from gauss.principle.problem import closed_rows, require_finite, row_size
from gauss.regularity import Regularity, diagnose, require_unique
from gauss.state import State

STATE_TOLERANCE = 1e-8  # residuals up to this, as a distance relative to the state's own size (at least 1), pass


@dataclass(frozen=True)
class Step:
    """The acceleration at one state with its verdict: what `accelerate` returns."""

    state: State
    solution: GaussSolution
    verdict: Regularity

    @property
    def a(self) -> Array:
        """The accelerations (n,)."""
        return self.solution.a

    @property
    def acceleration(self) -> Named:
        """The accelerations by coordinate name."""
        return self.solution.acceleration

    @property
    def zwang(self) -> float:
        """The Zwang at the minimiser."""
        return self.solution.zwang

    @property
    def reaction(self) -> Array:
        """The generalized reaction force Jᵀλ (n,)."""
        return self.solution.reaction

    def multiplier(self, row: str) -> float:
        """Return λ of a row by name. Raises InputError for unknown names."""
        return self.solution.multiplier(row)

    def __str__(self) -> str:
        return f"{self.solution}\nverdict        {self.verdict}"


def accelerate(
    system: System, q: object, v: object = None, t: float = 0.0, *, u: object = None, solver: str = "osqp"
) -> Step:
    """Return the accelerations that minimise the Zwang at the state (q, v, t), certified, with the verdict on the rows.

    q and v are lists in the order of the coordinates or dicts by name; v defaults to rest, controls u to zero. A
    rank-deficient position gets an answer only together with its verdict (``step.verdict.regular`` is False): the
    rows that are there are satisfied and the Zwang is least, but whether more conditions hold is not decided here.

    Raises InconsistentStateError for a state off the constraints, MassMatrixError and NonUniqueAccelerationError for a
    mass matrix that leaves the acceleration undetermined, ContradictoryRowsError and SolverError as `solve` does.
    """
    state = system_of(system).state(q, v, t)
    require_consistent(system, state)
    _refuse_impact(system, state)
    problem, verdict = judged(system, state, u)
    active = None
    if solver == "kkt":
        active = solve(problem, "osqp").active
    return Step(state, solve(problem, solver, active), verdict)


def judged(system: System, state: State, u: object = None) -> tuple[GaussProblem, Regularity]:
    """Return the problem at a state and the verdict on its rows. Raises what `require_unique` and `diagnose` raise."""
    problem = GaussProblem.at(system, state, u)
    require_unique(problem, metric_of(problem))
    return problem, diagnose(problem)


def system_of(value: object) -> System:
    """Return the value if it is a System. Raises InputError for anything else."""
    if not isinstance(value, System):
        raise InputError(f"a gauss.System is expected as the first argument, got {type(value).__name__}.")
    return value


def _refuse_impact(system: System, state: State) -> None:
    """Raise InconsistentStateError where a closed contact closes further: an impulse acts, not an acceleration."""
    terms = system.model.terms(state.q, state.v, state.t, system.theta())
    speed = STATE_TOLERANCE * row_size(terms.J, state.v)
    for k in closed_rows(system, terms.phi, terms.psi, terms.J, state):
        if terms.psi[k] < -speed[k]:
            name = system.row_names[k]
            raise InconsistentStateError(
                f"the contact {name!r} of {system.name!r} is closed and closes further at the rate {terms.psi[k]:.6g}:"
                " an impact follows, and no finite acceleration admits it. gauss.simulate resolves impacts.",
                {name: float(terms.psi[k])},
            )


def offsets(system: System, state: State) -> tuple[Array, Array]:
    """Return how far each of the m rows is violated at position and at velocity level, as coordinate distances (m,).

    Residuals are divided by the length of their row. A positive gap is no violation; the rate of a unilateral row
    counts only where its contact is closed and closing fast is not a violation either, but an impact (left to
    `simulate`).
    """
    theta = system.theta()
    terms = system.model.terms(state.q, state.v, state.t, theta)
    length = np.linalg.norm(terms.J, axis=1) if terms.J.size else np.ones(len(terms.phi))
    length = np.where(length > 0.0, length, 1.0)
    position, velocity = np.abs(terms.phi) / length, np.abs(terms.psi) / length
    for k in system.model.unilateral:
        position[k] = max(-terms.phi[k], 0.0) / length[k]
        velocity[k] = 0.0
    return position, velocity


def require_consistent(system: System, state: State) -> None:
    """Raise InconsistentStateError, naming rows and residuals, unless the state satisfies the constraints."""
    terms = system.model.terms(state.q, state.v, state.t, system.theta())
    require_finite(system, state, terms)
    energies = system.model.energies(state.q[None], state.v[None], np.array([state.t]), system.theta())
    for label, energy in zip(("kinetic", "potential"), energies, strict=True):
        if not np.all(np.isfinite(energy)):
            raise InputError(f"the {label} energy of {system.name!r} is not finite at q = {state.q}, t = {state.t:g}.")
    if not system.row_names:
        return
    position, velocity = offsets(system, state)
    place = max(1.0, float(np.max(np.abs(state.q))))
    speed = max(1.0, float(np.max(np.abs(state.v))))
    bad_q = position > STATE_TOLERANCE * place
    bad_v = velocity > STATE_TOLERANCE * speed
    # nan compares false: a model that is not finite here is reported where it is evaluated
    if not np.any(bad_q) and not np.any(bad_v):
        return
    phi, psi = system.model.residuals(state.q, state.v, state.t, system.theta())
    parts, residuals = [], {}
    for k, name in enumerate(system.row_names):
        if bad_q[k]:
            word = "gap" if k in system.model.unilateral else "residual"
            parts.append(f"{name!r} has position {word} {phi[k]:.6g}")
            residuals[name] = float(phi[k])
        elif bad_v[k]:
            parts.append(f"{name!r} has velocity residual {psi[k]:.6g}")
            residuals[name] = float(psi[k])
    raise InconsistentStateError(
        f"the state of {system.name!r} is off its constraints at t = {state.t:g}: {'; '.join(parts)}. Give a state on"
        " the constraints, or let gauss.consistent(system, q, v, hold=…) project it.",
        residuals,
    )
