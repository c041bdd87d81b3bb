"""Cross-check with SymPy: its own accelerations beside those of Gauss's principle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gauss.analysis.claims import Claim
from gauss.analysis.rounding import Rounding
from gauss.analysis.states import SPREAD, random_states
from gauss.dynamics import accelerate
from gauss.errors import InputError, ModelError, NonUniqueAccelerationError
from gauss.foundation.arrays import Array
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import EPS
from gauss.model import AnySystem, System, system_of
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.sympy.equations import to_lagranges_method
from gauss.sympy.kane import require_kanes_method, speeds_of
from gauss.sympy.symbols import name_of
from gauss.uniqueness import Verdict

Solver = Literal["numeric", "symbolic"]
Acceleration = Callable[[State, Array], Array]


class NoAnswer(Exception):
    """SymPy's equations give no acceleration at a state; the text says what they did instead."""


@dataclass(frozen=True, repr=False)
class SympyAnswer(Shown):
    """What SymPy and Gauss's principle say at one state."""

    method: str  # "LagrangesMethod" or "KanesMethod"
    acceleration: Array | None  # (n,) SymPy's, None where it has none
    failure: str  # what SymPy did instead; "" where it has an acceleration
    verdict: Verdict  # Gauss's

    def __str__(self) -> str:
        found = self.failure if self.acceleration is None else f"a = {self.acceleration}"
        verdict = self.verdict
        unique = "one acceleration" if verdict.unique else f"accelerations: {verdict.accelerations.status}"
        return f"SymPy's {self.method}: {found}; gauss: {verdict.verdict}, {unique}"


def sympy_answer(
    system: AnySystem,
    q: object,
    v: object = None,
    t: float = 0.0,
    *,
    method: Any = None,
    solver: Solver = "numeric",
    u: object = None,
) -> SympyAnswer:
    """Return SymPy's acceleration at one admissible state beside the verdict of `gauss.accelerate`.

    Arguments are those of `crosscheck_sympy`. Where SymPy's equations are singular they give nan or an exception, which
    is named in `failure`. Raises what `accelerate` raises.

    >>> import gauss as g
    >>> cart = g.System("cart", "x", kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: 4 * q.x**2)
    >>> print(g.sympy.sympy_answer(cart, [0.5]))
    SymPy's LagrangesMethod: a = [-2.]; gauss: regular, one acceleration
    """
    system = system_of(system)
    label, acceleration = _accelerations(system, method, solver)
    state = system.state(q, v, t)
    step = accelerate(system, state.q, state.v, state.t, u=u)
    try:
        return SympyAnswer(label, acceleration(state, system.control_vector(u)), "", step)
    except NoAnswer as failure:
        return SympyAnswer(label, None, str(failure), step)


def crosscheck_sympy(
    system: AnySystem,
    q: object,
    v: object = None,
    t: float = 0.0,
    *,
    n: int = 100,
    seed: int = 0,
    spread: float = SPREAD,
    method: Any = None,
    solver: Solver = "numeric",
    u: object = None,
) -> list[Claim]:
    """Return claims that compare SymPy's accelerations with Gauss's at n random admissible states about (q, v, t).

    SymPy's equations are those of `method`, a `LagrangesMethod` or `KanesMethod` in the coordinates of the System, or
    of the `LagrangesMethod` made from the System. With `solver="symbolic"` its `rhs()` is evaluated, which SymPy solves
    once by symbolic elimination (slow beyond a few unknowns, and without pivoting); with "numeric" its mass matrix and
    forcing are evaluated and solved at each state. The bound is 100·eps·n·cond·scale in the mass metric, as in
    `gauss.crosscheck`. A second claim counts the states at which SymPy gives nan or raises. Raises ModelError where
    SymPy cannot differentiate the model, and what `random_states` and `to_lagranges_method` raise.
    """
    system = system_of(system)
    label, acceleration = _accelerations(system, method, solver)
    controls = system.control_vector(u)
    states = random_states(system, q, v, t, n, seed, spread=spread).states
    worst, bound, asked, silent, word = 0.0, 1.0, 0, 0, ""
    for state in states:
        try:
            found = acceleration(state, controls)
            error, allowed = _distance(system, state, controls, found)
        except NoAnswer as failure:
            silent, word = silent + 1, f"; {failure}"
            continue
        except NonUniqueAccelerationError:
            continue
        asked += 1
        if asked == 1 or not error / allowed <= worst / bound:
            worst, bound = error, allowed
    claims = [
        Claim(
            f"SymPy's {label} has an acceleration at every state", float(silent), 0.0, f"count, of {len(states)}{word}"
        )
    ]
    if asked:
        reason = f"100·eps·n·cond·scale at the worst of {asked} states; other derivatives"
        claims.insert(0, Claim(f"acceleration agrees with SymPy's {label}", worst, bound, reason))
    return claims


def _distance(system: System, state: State, controls: Array, b: Array) -> tuple[float, float]:
    """Return |a − b| in the mass metric, a by Gauss's principle, and its rounding bound at this state."""
    a = accelerate(system, state.q, state.v, state.t, u=controls).solution.a
    problem = GaussProblem.at(system, state, controls)
    equal = problem.rows.lower == problem.rows.upper
    rounding = Rounding.of(system, state, controls, equal, a, problem.metric.weight)
    return rounding.norm(a - b), rounding.bound()


def _accelerations(system: System, method: Any, solver: str) -> tuple[str, Acceleration]:
    """Return the name of SymPy's method and its accelerations as a function of the state and the controls."""
    if solver not in ("numeric", "symbolic"):
        raise InputError(f"solver = {solver!r} is unknown; choose 'numeric' or 'symbolic'.")
    given = to_lagranges_method(system_of(system)) if method is None else method
    if hasattr(given, "kindiffdict"):
        return "KanesMethod", _by_kane(system, given, solver)
    if not hasattr(given, "form_lagranges_equations"):
        raise InputError(f"method must be a LagrangesMethod or a KanesMethod, got {type(given).__name__}.")
    return "LagrangesMethod", _by_lagrange(system, given, solver)


def _by_lagrange(system: System, method: Any, solver: str) -> Acceleration:
    if method.eom is None:
        method.form_lagranges_equations()
    n = len(method.q)
    _require_coordinates(system, [name_of(x) for x in method.q])
    time = method.q[0].args[0]
    known = [*method.q, *method.q.diff(time), time]
    solve = _solution(system, known, method.mass_matrix_full, method.forcing_full, method.rhs, solver)

    def acceleration(state: State, controls: Array) -> Array:
        return solve([*state.q, *state.v, state.t], controls)[n : 2 * n]

    return acceleration


def _by_kane(system: System, method: Any, solver: str) -> Acceleration:
    """Return q̈ = ∂K/∂u u̇ + (∂K/∂q) q̇ + ∂K/∂t from dq/dt = K(q, u, t)."""
    import sympy as sp

    require_kanes_method(method)
    speeds = speeds_of(method, [x for x in _controls_of(method) if name_of(x) in system.controls])
    _require_coordinates(system, speeds.alphabet.names)
    q, u, time = list(method.q), list(method.u), method.q[0].args[0]
    zero = dict.fromkeys([*speeds.auxiliary, *(x.diff(time) for x in speeds.auxiliary)], 0)
    rates = method.kindiffdict()
    K = sp.Matrix([*(rates[x.diff(time)].xreplace(zero) for x in q), *(u[k] for k in speeds.surplus)])
    marks = {x: sp.Dummy() for x in [*q, *u, time]}
    K = K.xreplace(marks)
    at = [marks[x] for x in [*q, *u, time]]
    by_u = K.jacobian([marks[x] for x in u])
    rest = K.xreplace({marks[x]: sp.Integer(0) for x in u})
    drift = K.jacobian([marks[x] for x in q]) * K[: len(q), :] + K.diff(marks[time])
    kinematics = _evaluated(system, at, [by_u, rest, drift])
    known = [*q, *u, time]
    matrix, forcing = method.mass_matrix.xreplace(zero), method.forcing.xreplace(zero)
    solve = _solution(system, known, matrix, forcing, lambda: method.rhs()[len(q) :, :].xreplace(zero), solver)

    def acceleration(state: State, controls: Array) -> Array:
        place = [*state.q[: len(q)], *np.zeros(len(u)), state.t]
        G, g, _ = kinematics(place, controls)
        speed = np.linalg.lstsq(G, state.v - g.ravel(), rcond=None)[0]
        place[len(q) : -1] = speed
        return np.asarray(G @ solve(place, controls) + kinematics(place, controls)[2].ravel())

    return acceleration


def _controls_of(method: Any) -> list[Any]:
    """Return the functions of time in the forcing that are neither coordinates nor speeds."""
    from sympy.physics.mechanics import find_dynamicsymbols

    known = {*method.q, *method.u}
    return sorted((x for x in find_dynamicsymbols(method.forcing, known) if x.func.__name__ != "Derivative"), key=str)


def _require_coordinates(system: System, names: Sequence[str]) -> None:
    if tuple(names) != system.coordinates:
        raise InputError(
            f"the method has the coordinates {', '.join(names)}, the System {', '.join(system.coordinates)}; they must"
            " be the same, in the same order."
        )


def _solution(
    system: System, known: Sequence[Any], matrix: Any, forcing: Any, rhs: Callable[[], Any], solver: str
) -> Callable[[Sequence[float], Array], Array]:
    """Return the solution of matrix x = forcing at a place, by elimination of numbers or of symbols."""
    if solver == "symbolic":
        try:
            formula = _evaluated(system, known, [rhs()])
        except (ValueError, ZeroDivisionError) as error:
            words = f"rhs() raises {type(error).__name__}: {error}"
            raise InputError(f"SymPy's {words}; solver='numeric' may still solve it at single states.") from error
    else:
        formula = _evaluated(system, known, [matrix, forcing])

    def solve(place: Sequence[float], controls: Array) -> Array:
        try:
            numbers = formula(place, controls)
            x = numbers[0] if solver == "symbolic" else _solved(*numbers)
        except (ZeroDivisionError, np.linalg.LinAlgError) as error:
            raise NoAnswer(f"{type(error).__name__}: {error}") from None
        if not np.all(np.isfinite(x)):
            raise NoAnswer("nan")
        return np.asarray(x).ravel()

    return solve


def _solved(A: Array, b: Array) -> Array:
    """Return x of A x = b. Raises NoAnswer where A is singular to rounding, which elimination may not notice."""
    if not np.all(np.isfinite(A)):
        raise NoAnswer("nan in its mass matrix")
    condition = float(np.linalg.cond(A / np.maximum(np.abs(A).max(axis=1, keepdims=True), 1e-300)))
    if not condition < 1.0 / EPS:
        raise NoAnswer(f"its mass matrix is singular (condition {condition:.0e})")
    return np.asarray(np.linalg.solve(A, b), dtype=float)


def _evaluated(
    system: System, known: Sequence[Any], matrices: Sequence[Any]
) -> Callable[[Sequence[float], Array], list[Array]]:
    """Return SymPy matrices as a numeric function of the known functions of time, by SymPy's own `lambdify`."""
    import sympy as sp
    from sympy.core.function import AppliedUndef

    marks = {x: sp.Dummy() for x in known}
    plain = [matrix.xreplace(marks) for matrix in matrices]
    if open_ones := set().union(*(A.atoms(sp.Derivative) for A in plain)):
        raise ModelError(
            f"SymPy leaves {', '.join(sorted(map(str, open_ones))[:3])} in its equations, so they have no values; write"
            " Abs, sign and the like as Piecewise."
        )
    others = set().union(*(A.free_symbols | A.atoms(AppliedUndef) for A in plain)) - set(marks.values())
    time = {x.args[0] for x in others if isinstance(x, AppliedUndef)}
    left = sorted(others - time, key=str)
    names = [name_of(x) for x in left]
    missing = [name for name in names if name not in {*system.parameters, *system.controls}]
    if missing:
        raise InputError(f"the method contains {', '.join(missing)}, which the System has no parameter or control for.")
    stand = {x: sp.Dummy() for x in left}
    arguments = [*marks.values(), *stand.values()]
    function = sp.lambdify(arguments, [A.xreplace(stand) for A in plain], modules="numpy", cse=True)

    def at(place: Sequence[float], controls: Array) -> list[Array]:
        values = system.parameters | dict(zip(system.controls, controls.tolist(), strict=True))
        with np.errstate(all="ignore"):
            found = function(*(float(x) for x in place), *(values[name] for name in names))
        return [np.array(A, dtype=float) for A in found]

    return at
