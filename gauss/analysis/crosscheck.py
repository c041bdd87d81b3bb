"""Cross-checks: the motion against classical formulations that share no code with the principle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.analysis.claims import Claim
from gauss.arrays import Array
from gauss.dynamics import Step
from gauss.errors import ContradictoryRowsError, InputError, MassMatrixError, SolverError
from gauss.formulations import (
    chart_acceleration,
    euler_lagrange,
    holonomic_rows,
    lagrange_first_kind,
    minimal_acceleration,
    null_space_form,
    udwadia_kalaba,
    velocity_rows,
)
from gauss.model import Holonomic, Nonholonomic, Pfaffian, System, Unilateral
from gauss.model.coordinates import Named
from gauss.model.functions import ModelFunction, as_list, as_rows, as_scalar, as_vector
from gauss.motion import Trajectory
from gauss.principle import GaussProblem
from gauss.state import State

EPS = float(np.finfo(float).eps)
OTHER_COORDINATES = "other coordinates"
NOT_ASKED = (SolverError, MassMatrixError, ContradictoryRowsError)  # no regular acceleration at this state
VANISHING = 1e-9  # singular values of redundant rows, relative to the largest
SAMPLES = 25  # states of a trajectory at which the witnesses are asked


@dataclass(frozen=True)
class Minimal:
    """A witness in other coordinates s: a Lagrangian written by hand and a chart back to the system's coordinates.

    Functions take plain sequences and must be written with gauss.sin, gauss.sqrt, …, so that they accept complex
    numbers.
    """

    lagrangian: Callable[[Any, Any, float], Any]  # L(s, s_dot, t), J
    chart: Callable[[Any, float], Any]  # s, t → q as a list
    inverse: Callable[[Any, Any, float], tuple[Any, Any]]  # q, v, t → (s, s_dot)
    text: str  # what the coordinates are: "spherical angles theta, phi"


def crosscheck(run: Trajectory, minimal: Minimal | None = None, samples: int = SAMPLES) -> list[Claim]:
    """Return claims that compare the recorded accelerations with classical formulations at states of the run.

    Lagrange's equations of the first kind, the null-space form and Udwadia-Kalaba use the same M, f, J, γ, so they
    test the linear algebra. The complex-step witness takes its derivatives from another path, straight from the model's
    functions, and is left out where these are not analytic (tables, `where`). A `Minimal` witness has other coordinates
    besides. A form that needs independent rows is not asked where they are dependent. Raises InputError when a
    `Minimal` witness cannot be evaluated.
    """
    require_model(run)
    assert run.setting is not None
    system = run.setting.system
    index = _sample(run, samples)
    states = [State(run.q[i], run.v[i], float(run.t[i])) for i in index]
    witnesses: list[tuple[str, Callable[[State, Array], Array | None], str]] = [
        ("Lagrange, first kind", _linear(run, lambda *p: lagrange_first_kind(*p)[0]), "same M, f, J, γ"),
        ("null space (Maggi, Kane)", _linear(run, null_space_form), "same M, f, J, γ"),
    ]
    if run.setting.weight == 0.0:
        witnesses.append(("Udwadia-Kalaba", _linear(run, udwadia_kalaba), "same M, f, J, γ"))
    if system.black_box_force is None and run.setting.control is None:
        if system.kinetic_energy is not None and not run.about.redundant:  # it needs independent rows
            text = "complex-step Lagrange, derivatives from the model's functions"
            witnesses.append((text, _complex_step(run), "other derivatives"))
        if minimal is not None:
            text = f"complex-step Lagrange in {minimal.text}"
            witnesses.append((text, _minimal(minimal), OTHER_COORDINATES))
    if run.about.locked is not None:  # the ordinary rows, which these forms use, do not determine the acceleration
        witnesses = [w for w in witnesses if w[2] == OTHER_COORDINATES]
    claims = []
    for name, witness, kind in witnesses:
        claim = _compare(run, index, states, name, witness, kind)
        if claim is not None:
            claims.append(claim)
    return claims


def require_model(run: Trajectory) -> None:
    """Raise InputError for a trajectory from a file that has not been given its model."""
    if run.setting is None:
        raise InputError("a trajectory from a file needs its model first: trajectory.with_system(system).")


def _sample(run: Trajectory, samples: int) -> list[int]:
    """Return up to `samples` indices of states, evenly spread."""
    return sorted(set(np.linspace(0, len(run) - 1, min(samples, len(run))).astype(int).tolist()))


def _rows(run: Trajectory, state: State, active: Array) -> tuple[Array, Array, Array, Array]:
    """Return M, f, J, γ with the rows in force."""
    assert run.setting is not None
    system = run.setting.system
    problem = GaussProblem.at(system, state, _controls(run, state))
    gamma = system.model.terms(state.q, state.v, state.t, system.theta(_controls(run, state))).gamma
    return problem.M, problem.f, problem.rows.J[active], gamma[active]


def _controls(run: Trajectory, state: State) -> Array:
    """Return the controls at a state."""
    assert run.setting is not None
    return run.setting.parameters_at(state.t, state.q, state.v)[len(run.about.parameters) :]


Witness = Callable[[State, Array], "Array | None"]


def _linear(run: Trajectory, form: Callable[..., Array]) -> Witness:
    return lambda state, active: form(*_rows(run, state, active))


def _compare(
    run: Trajectory, index: list[int], states: list[State], name: str, witness: Witness, kind: str
) -> Claim | None:
    """Return the claim for one witness: the worst ratio of error to bound over the states, with its error."""
    worst, bound_there, asked = 0.0, 1.0, 0
    for i, state in zip(index, states, strict=True):
        try:
            a = witness(state, run.active[i])
        except NOT_ASKED:
            continue
        except InputError:
            if kind == OTHER_COORDINATES:
                raise  # the witness itself is wrong, and must not vanish without a word
            continue  # the model's own functions are not analytic here
        if a is None:
            continue
        error, bound = _distance(run, state, run.active[i], run.a[i], a)
        asked += 1
        if asked == 1 or not error / bound <= worst / bound_there:
            worst, bound_there = error, bound
    if asked == 0:
        return None
    reason = f"100·eps·n·cond·scale at the worst of {asked} states; {kind}"
    return Claim(f"acceleration agrees with {name}", worst, bound_there, reason)


def _distance(run: Trajectory, state: State, active: Array, a: Array, b: Array) -> tuple[float, float]:
    """Return |a − b| in the mass metric and its rounding bound at this state."""
    M, f, J, gamma = _rows(run, state, active)
    weight = run.setting.weight if run.setting is not None else 0.0
    K = M + weight * J.T @ J
    d = np.sqrt(np.diag(K))
    equilibrated = float(np.linalg.cond(K / d[:, None] / d[None, :]))
    L = np.linalg.cholesky(K)
    white = np.linalg.solve(L, J.T).T
    length = np.linalg.norm(white, axis=1)
    sigma = np.linalg.svd(white / length[:, None], compute_uv=False) if len(length) else np.ones(1)
    scale = float(np.linalg.norm(L.T @ a) + np.linalg.norm(np.linalg.solve(L, f)))
    scale += float(np.max(np.abs(gamma) / length, initial=0.0)) if len(length) else 0.0
    kept = sigma[sigma > VANISHING * sigma[0]]  # redundant rows do not make the others less certain
    bound = 100.0 * EPS * len(a) * equilibrated * float(sigma[0] / kept[-1]) * max(scale, 1e-300)
    return float(np.linalg.norm(L.T @ (a - b))), bound


def _complex_step(run: Trajectory) -> Witness:
    """Return the witness that differentiates the model's own functions by complex steps and Cauchy integrals."""
    assert run.setting is not None
    system, theta = run.setting.system, run.setting.theta
    p = Named(tuple(system.parameters), list(system.parameters.values()), "parameter")
    u = Named(system.controls, list(theta[len(system.parameters) :]), "control")
    names = system.coordinates

    def values(q: Any, v: Any, t: Any) -> dict[str, Any]:
        return {"q": Named(names, list(q)), "v": Named(names, list(v), "velocity"), "t": t, "p": p, "u": u}

    def lagrangian(q: Any, v: Any, t: Any) -> Any:
        assert system.kinetic_energy is not None
        place = values(q, v, t)
        kinetic = as_scalar(system.kinetic_energy(place), "the kinetic energy")
        return kinetic - as_scalar(system.potential_energy(place), "the potential energy")

    def witness(state: State, active: Array) -> Array:
        force = as_vector(system.force(values(state.q, state.v, state.t)), names, "the force")
        M, f = euler_lagrange(lagrangian, state.q, state.v, state.t, force=np.array(force, dtype=float))
        J, gamma = _differentiated_rows(system, values, state)
        return lagrange_first_kind(M, f, J[active], gamma[active])[0]

    return witness


def _differentiated_rows(system: System, values: Callable[..., dict[str, Any]], state: State) -> tuple[Array, Array]:
    """Return J and γ of all rows, in the system's order, from the constraint functions by complex steps."""
    equality = [c for c in system.constraints if not isinstance(c, Unilateral)]
    unilateral = [c for c in system.constraints if isinstance(c, Unilateral)]
    blocks = []
    for constraint in [*equality, *unilateral]:
        if isinstance(constraint, (Holonomic, Unilateral)):
            function = _model_function(constraint.function, constraint.name)

            def phi(q: Any, t: Any, function: Any = function, name: str = constraint.name) -> Any:
                return np.array(as_list(function(values(q, q, t)), name))

            blocks.append(holonomic_rows(phi, state.q, state.v, state.t))
        elif isinstance(constraint, Nonholonomic):
            function = _model_function(constraint.function, constraint.name)

            def psi(q: Any, v: Any, t: Any, function: Any = function, name: str = constraint.name) -> Any:
                return np.array(as_list(function(values(q, v, t)), name))

            blocks.append(velocity_rows(psi, state.q, state.v, state.t))
        elif isinstance(constraint, Pfaffian):
            matrix = _model_function(constraint.matrix, constraint.name)
            offset = _model_function(constraint.offset, constraint.name)

            def affine(
                q: Any, v: Any, t: Any, matrix: Any = matrix, offset: Any = offset, name: str = constraint.name
            ) -> Any:
                place = values(q, v, t)
                A = np.array(as_rows(matrix(place), system.coordinates, name))
                return A @ np.array(list(v)) + np.array(as_list(offset(place), name))

            blocks.append(velocity_rows(affine, state.q, state.v, state.t))
    if not blocks:
        return np.zeros((0, system.n)), np.zeros(0)
    return np.vstack([J for J, _ in blocks]), np.concatenate([gamma for _, gamma in blocks])


def _model_function(function: Any, name: str) -> ModelFunction:
    return ModelFunction.of(function, "qvtp", f"constraint {name!r}")


def _minimal(minimal: Minimal) -> Witness:
    """Return the witness in other coordinates."""

    def witness(state: State, active: Array) -> Array:
        s, s_dot = (np.array(x, dtype=float) for x in minimal.inverse(state.q, state.v, state.t))
        s_ddot = minimal_acceleration(minimal.lagrangian, s, s_dot, state.t)

        def chart(point: Any, t: Any) -> Any:
            return np.array(list(minimal.chart(point, t)))

        return chart_acceleration(chart, s, s_dot, s_ddot, state.t)[2]

    return witness


def step_claims(step: Step) -> list[Claim]:
    """Return the claims about one acceleration, where it is unique: its certificate, and the solver's own distance."""
    if step.answer is None:
        return []
    solution = step.solution
    r = solution.residuals
    return [
        Claim(
            "the acceleration satisfies the Karush-Kuhn-Tucker conditions",
            max(r.stationarity / max(r.stationarity_scale, 1e-300), r.primal / max(r.primal_scale, 1e-300)),
            r.rounding,
            "100·eps·(n+m), residuals relative to their terms, recomputed from M, f, J",
        ),
        Claim(
            f"{solution.solver}'s own acceleration agrees with the certified one",
            solution.solver_distance,
            1e-6 * (1.0 + r.primal_scale),
            "1e-6·(1 + |a|_M), from the solver's tolerance 1e-9",
        ),
    ]


def certificate_claims(run: Trajectory) -> list[Claim]:
    """Return the claims about the run itself: residuals, the solver's own distance, constraint violation, energy."""
    size = float(np.max(np.sqrt(2.0 * np.abs(run.zwang)), initial=0.0))
    require_model(run)
    assert run.setting is not None
    M, _ = run.setting.system.model.batch(run.q, run.v, run.t, run.setting.theta)

    def norm(y: Array) -> Array:
        return np.asarray(np.sqrt(np.maximum(np.einsum("ij,ijk,ik->i", y, M, y), 0.0)))

    acceleration = float(np.max(norm(run.a), initial=0.0)) + size
    n = run.q.shape[1] + len(run.about.rows)
    sigma = run.sigma_min[run.sigma_min > VANISHING]  # that of redundant rows is zero, and bounds nothing
    pivot = float(np.min(sigma, initial=1.0))
    claims = [
        Claim(
            "every recorded acceleration satisfies the Karush-Kuhn-Tucker conditions",
            float(np.max(np.maximum(run.primal, run.stationarity), initial=0.0)),
            100.0 * EPS * n * max(acceleration, 1e-300) / pivot**2,
            "100·eps·(n+m)·|a|_M/σ_min², recomputed from M, f, J",
        )
    ]
    if run.about.solver != "kkt":
        claims.append(
            Claim(
                f"{run.about.solver}'s own acceleration agrees with the certified one",
                float(np.max(run.solver_distance, initial=0.0)),
                1e-6 * (1.0 + acceleration),
                "1e-6·(1 + |a|_M), from the solver's tolerance 1e-9; polished answers are far nearer",
            )
        )
    if run.about.rows:
        place = max(float(np.max(norm(run.q), initial=0.0)), 1e-300)
        speed = max(float(np.max(norm(run.v), initial=0.0)), 1e-300)
        claims.append(
            Claim(
                "the motion stays on the constraints",
                max(float(np.max(run.off_position)) / place, float(np.max(run.off_velocity)) / speed),
                1e-12,
                "after projection, relative to the largest |q|_M and |v|_M",
            )
        )
    return claims
