"""The story on one page: state → problem → verdict → acceleration.

    problem = GaussProblem.at(system, state)             numbers M, f and rows at the state
    found = classification(system, state, problem)       are the rows independent? if not: what do orders 2 to 4 add?
    found.solution                                       minimise the Zwang on the completed rows, finish, certify
    verdict = with_friction(found, system, state)        what does friction leave of it at closed contacts?
    verdict = with_loads(found, loads, system, state)    or are there others for forces that see multipliers?

`accelerate` and `classify` do this for a state that satisfies the constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gauss.contact import load_findings
from gauss.errors import ContradictoryRowsError, InconsistentStateError, InputError
from gauss.foundation.arrays import Array, Flags, positive
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import NONE
from gauss.foundation.threads import one_by_one
from gauss.foundation.tolerances import DEPENDENT, DETERMINED
from gauss.model import AnySystem, System, system_of
from gauss.model.compiled import Terms
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.principle.contact_sizes import closed_rows, contact_sizes
from gauss.principle.offsets import STATE_TOLERANCE, offsets
from gauss.principle.problem import require_finite
from gauss.uniqueness import Verdict, classification, contradiction, on_order_two, require_unique
from gauss.uniqueness.clear import clear_verdict
from gauss.uniqueness.large import clearly_regular
from gauss.verdict import terms_of, with_friction, with_loads

SHOWN_VELOCITIES = 12  # coordinates up to which a message lists a velocity


@advised
def accelerate(
    system: AnySystem, q: object, v: object = None, t: float = 0.0, *, u: object = None, solver: str = "osqp"
) -> Verdict:
    """Return the acceleration that minimises the Zwang at the state (q, v, t), certified, with the whole verdict.

    `system` is a System or a Mechanism. q and v are lists in the order of the coordinates or dicts by name, or a whole
    `State` (of `assemble`, `consistent`) stands for q, v and t; v defaults to rest, controls u to zero. At a
    singular position the rows of higher order are added (see `gauss.classify`). Where the acceleration is not unique
    ``step.a`` raises NonUniqueAccelerationError and ``step.candidates`` has all of them.

    Raises InconsistentStateError for a state off the constraints, MassMatrixError and NonUniqueAccelerationError for a
    mass matrix that leaves the acceleration undetermined, ContradictoryRowsError where no motion leaves the state, and
    SolverError as `solve` does.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ... )
    >>> found = g.accelerate(pendulum, q=[1, 0], v=[0, 0])
    >>> found.a, found.unique
    (array([ 0.  , -9.81]), True)
    """
    system = system_of(system)
    state = system.start(q, v, t)
    verdict = _joined(system, state, u, solver)
    if verdict.accelerations.status == NONE:
        sets = verdict.findings[0].sets
        rows = [name for group in sets for name in group]
        raise ContradictoryRowsError(f"{system.name!r}: {verdict.sentence}", rows, 0.0)
    return _with_twin(verdict, system, state, u)


@advised
def classify(
    system: AnySystem, q: object, v: object = None, t: float = 0.0, *, u: object = None, length: float | None = None
) -> Verdict:
    """Say what is unique at the state (q, v, t), and why: the verdict on its rows and all accelerations.

    `length` is the length ℓ of the system (unit of the coordinates) that rows which nearly vanish are measured with;
    left out, it is taken from the state: the larger of |q| and |v|²/|a_free| in the metric. States nearer to a singular
    position than their own uncertainty (rounding, constraint violation) are singular.

    Raises what `accelerate` raises, but for states without an acceleration, which have their own verdicts.

    >>> import gauss as g
    >>> cross = g.System(
    ...     "two lines that cross",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     force=[1.0, 2.0],
    ...     constraints=[g.Holonomic("lines", lambda q: q.x * q.y)],
    ... )
    >>> print(g.classify(cross, [0, 0]).verdict)
    branching
    >>> print(g.classify(cross, [1, 0]).verdict)
    regular
    """
    system = system_of(system)
    state = system.start(q, v, t)
    ell = None if length is None else positive(length, "length")
    return _with_twin(_joined(system, state, u, "osqp", ell), system, state, u)


def _joined(system: System, state: State, u: object, solver: str, length: float | None = None) -> Verdict:
    """Return the verdict on the rows of a state, with friction and with forces that see multipliers."""
    if system.model.seen is not None:
        loads = load_findings(system, state, u)
        terms = terms_of(loads, system, state, u)
        return with_loads(_judged(system, state, u, solver, terms, length=length), loads, system, state, u)
    clear = clear_verdict(system, state, u, solver) if length is None else None
    found = clear or _judged(system, state, u, solver, _without_impact(system, state), length=length)
    return with_friction(found, system, state, u)


@dataclass(frozen=True)
class TwinAnswer:
    """What a verdict in joint coordinates says in natural ones."""

    coordinates: tuple[str, ...]
    names: tuple[str, ...]  # of the rows
    state: State
    multipliers: Array  # (m,)
    inner: Flags  # (m,) rows that joint coordinates have not got
    J: Array  # (m, n)
    alike: Callable[[Collection[str]], set[str]]  # rows of which rows of joint coordinates are combinations
    fitted: bool  # whether the multipliers are fitted to the reaction, as rows of a branch took the place of all rows

    def multiplier(self, name: str) -> float:
        """Return the multiplier of a row. Raises InputError."""
        if name not in self.names:
            raise InputError(f"no row is called {name!r}; the rows are {', '.join(map(repr, self.names))}.")
        return float(self.multipliers[self.names.index(name)])


def completed(J: Array, load: Any, given: Array) -> Array:
    """Return the multipliers (m,) with Jᵀλ = load (n,) of which some are given and the others, nan, are independent."""
    lost = np.isnan(given)
    found = np.where(lost, 0.0, given)
    if lost.any():
        A, b = J[lost].T, load - J.T @ found
        Q, R = np.linalg.qr(A)
        pivots = np.abs(np.diag(R))
        clear = len(pivots) == A.shape[1] and pivots.min() > DEPENDENT * pivots.max()
        found[lost] = np.linalg.solve(R, Q.T @ b) if clear else np.linalg.lstsq(A, b, rcond=None)[0]
    return found


def _with_twin(verdict: Verdict, system: System, state: State, u: object) -> Verdict:
    """Return a verdict that knows how to find the one in natural coordinates."""
    if system.twin is not None:
        object.__setattr__(verdict, "twin", partial(of_twin, verdict, system, state, u))
    return verdict


def of_twin(verdict: Verdict, system: System, state: State, u: object) -> TwinAnswer:
    """Return the state and the multipliers of a verdict in natural coordinates, of a mechanism in joint coordinates."""
    twin = system.twin
    assert twin is not None
    wide = system.wider
    q, v, a = (x[0] for x in twin.states(state.q[None], state.v[None], verdict.a[None]))
    terms = wide.model.terms(q, v, state.t, wide.theta(u))
    rows = system.row_names
    lawful = verdict.friction is not None and verdict.unique
    known = set(rows if lawful else verdict.solution.problem.rows.names)  # rows of a branch may replace all
    own = {name: np.array([verdict.multiplier(name) if name in known else np.nan]) for name in rows}
    own = twin.multipliers(state.q[None], own)
    given = np.array([float(own[name][0]) if name in own else np.nan for name in wide.row_names])
    load = terms.M @ a - terms.f
    found = completed(terms.J, load, given)
    sizes = np.abs(terms.M) @ np.abs(a) + np.abs(terms.f) + np.abs(terms.J.T) @ np.abs(found)
    if not known.issuperset(rows) and np.max(np.abs(load - terms.J.T @ found)) > DETERMINED * np.max(sizes):
        raise InputError(
            f"the rows of {system.name!r} do not carry the reaction at this state: it is that of rows of higher order,"
            " which belong to no joint."
        )
    seen = State(q, v, state.t)
    fitted = not known.issuperset(rows)
    return TwinAnswer(wide.coordinates, wide.row_names, seen, found, np.isnan(given), terms.J, twin.alike, fitted)


def judged(
    system: System,
    state: State,
    u: object = None,
    *,
    solver: str = "osqp",
    length: float | None = None,
    target: int | None = None,
) -> Verdict:
    """Return the verdict on the rows of a state, without friction, and its acceleration.

    `target` keeps an earlier rank where the rank is doubtful. Raises what `accelerate` raises, but for states without
    an acceleration, which have their own verdicts.
    """
    clear = clear_verdict(system, state, u, solver) if length is None and target is None else None
    return clear or _judged(system, state, u, solver, length=length, target=target)


def _judged(
    system: System,
    state: State,
    u: object,
    solver: str,
    terms: Terms | None = None,
    *,
    length: float | None = None,
    target: int | None = None,
) -> Verdict:
    """Return the same by the full analysis; `terms` are those of the model without controls, where they are known."""
    with one_by_one(system.n):
        with_u = u is None or system.model.seen is not None
        problem = GaussProblem.at(system, state, u, terms=terms if with_u else None)
        try:
            require_consistent(system, state, terms)
        except InconsistentStateError:
            found = contradiction(system, state, problem)
            if found is None:
                raise
            return found
        if length is None and target is None:
            large = clearly_regular(system, state, problem, solver)
            if large is not None:
                return large
        require_unique(problem)
        return classification(system, state, problem, solver=solver, length=length, target=target)


def _without_impact(system: System, state: State) -> Terms:
    """Return the terms of the model at a state without an impact.

    Raises InconsistentStateError where a closed contact closes further: an impulse acts, not an acceleration.
    """
    terms = system.model.terms(state.q, state.v, state.t, system.theta())
    require_finite(system, state, terms)
    if not system.model.unilateral:
        return terms
    sizes = contact_sizes(system, state, terms)
    speed = sizes.rate(STATE_TOLERANCE)
    for k in closed_rows(system, state, terms, sizes):
        if terms.psi[k] < -speed[k]:
            name = system.row_names[k]
            raise InconsistentStateError(
                f"the contact {name!r} of {system.name!r} is closed and closes further at the rate {terms.psi[k]:.6g}:"
                " an impact follows, and no finite acceleration admits it. gauss.simulate resolves impacts.",
                {name: float(terms.psi[k])},
            )
    return terms


def require_consistent(system: System, state: State, terms: Terms | None = None) -> None:
    """Raise InconsistentStateError, naming rows and residuals, unless the state satisfies the constraints."""
    terms = system.model.terms(state.q, state.v, state.t, system.theta()) if terms is None else terms
    require_finite(system, state, terms)
    energies = system.model.energies(state.q[None], state.v[None], np.array([state.t]), system.theta())
    for label, energy in zip(("kinetic", "potential"), energies, strict=True):
        if not np.all(np.isfinite(energy)):
            raise InputError(f"the {label} energy of {system.name!r} is not finite at q = {state.q}, t = {state.t:g}.")
    if not system.row_names:
        return
    position, velocity = offsets(system, state, terms)
    bad_q, bad_v = position > STATE_TOLERANCE, velocity > STATE_TOLERANCE
    # nan compares false: a model that is not finite here is reported where it is evaluated
    if not np.any(bad_q) and not np.any(bad_v):
        return
    phi, psi = terms.phi, terms.psi
    parts, residuals = [], {}
    for k, name in enumerate(system.row_names):
        if bad_q[k]:
            word = "gap" if k in system.model.unilateral else "residual"
            stops = (part for part in getattr(system.source, "joints", ()) if hasattr(part, "beyond"))
            said = next((words for part in stops if (words := part.beyond(name, float(phi[k])))), "")
            parts.append(said or f"{name!r} has position {word} {phi[k]:.6g}")
            residuals[name] = float(phi[k])
        elif bad_v[k]:
            parts.append(f"{name!r} has velocity residual {psi[k]:.6g}")
            residuals[name] = float(psi[k])
    nearest = "" if np.any(bad_q) else _nearest_velocity(system, state, terms)
    remedy = "gauss.consistent(system, q, v, hold=…) project it"
    if hasattr(system.source, "joints"):
        remedy = "gauss.bodies.assemble(mechanism, *poses, hold=…) close its loops"
        if system.source.coordinates == "joint":
            remedy = f"gauss.consistent({type(system.source).__name__.lower()}, q, v, hold=…) move it there"
    raise InconsistentStateError(
        f"the state of {system.name!r} is off its constraints at t = {state.t:g}: {'; '.join(parts)}.{nearest} Give a"
        f" state on the constraints, or let {remedy}.",
        residuals,
    )


def _nearest_velocity(system: System, state: State, terms: Terms) -> str:
    """Return a sentence with the admissible velocity nearest in the mass metric; empty where none is found.

    v − M⁻¹Jᵀ(JM⁻¹Jᵀ)⁺ψ of the equality rows, which are linear in v; M must be definite.
    """
    J, psi = terms.J[list(system.model.equality)], terms.psi[list(system.model.equality)]
    if not system.model.linear_velocity or state.v.size > SHOWN_VELOCITIES:
        return ""
    try:
        inverse = np.linalg.inv(np.linalg.cholesky(terms.M))
    except np.linalg.LinAlgError:
        return ""
    whitened = J @ inverse.T
    v = state.v - inverse.T @ np.linalg.lstsq(whitened, psi, rcond=DEPENDENT)[0]
    nearest = State(state.q, v, state.t)
    if not np.all(
        offsets(system, nearest, system.model.terms(state.q, v, state.t, system.theta()))[1] <= STATE_TOLERANCE
    ):
        return ""
    found = on_order_two(system, nearest)
    if found is None:
        return ""
    v, size = found, float(np.max(np.abs(state.v), initial=0.0))
    shown = np.where(np.abs(v) <= DEPENDENT * size, 0.0, v)
    numbers = ", ".join(f"{name} = {x:.6g}" for name, x in zip(system.coordinates, shown, strict=True))
    return f" The nearest admissible velocity is {numbers}."
