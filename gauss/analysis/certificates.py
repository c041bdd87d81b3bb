"""What an acceleration, and every recorded one of a run, says of itself: claims without any other formulation."""

from __future__ import annotations

import numpy as np

from gauss.analysis.claims import Claim
from gauss.analysis.crosscheck import NOT_ASKED, require_model, witnessed_at
from gauss.dynamics import judged
from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised
from gauss.foundation.tolerances import DEPENDENT, EPS
from gauss.motion import Trajectory
from gauss.uniqueness import Verdict
from gauss.uniqueness.accelerations import CONFIRMED

LISTED = 1e-9  # distance from an acceleration of the verdict, relative to the largest, up to which it is that one
MEMBERS = 50  # of a family, through which its sphere goes
FLAT = 1e-9  # share of the extent of a family below which it has none in a direction


def step_claims(step: Verdict) -> list[Claim]:
    """Return the claims about one acceleration, where it is unique: its certificate, and the solver's own distance."""
    if step.friction is not None and step.unique:
        size = max(float(np.sqrt(2.0 * step.zwang)), 1e-300)
        reason = "residual of rows and law of friction, relative to the forces in the metric; tolerance of the solvers"
        return [Claim("the acceleration satisfies the law of friction", step.error / size, 1e-9, reason)]
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
        _of_solver(solution.solver, solution.solver_distance, r.primal_scale),
    ]


def _of_solver(solver: str, distance: float, size: float, more: str = "") -> Claim:
    """Return the claim on a solver's own distance from certified accelerations of a size in the metric."""
    name = f"{solver}'s own acceleration agrees with the certified one"
    return Claim(name, distance, 1e-6 * (1.0 + size), f"1e-6·(1 + |a|_M), from the solver's tolerance 1e-9{more}")


@advised
def certificate_claims(run: Trajectory) -> list[Claim]:
    """Return the claims about the run itself: residuals, the solver's own distance, constraint violation.

    At or next to a singular position the rows alone do not determine the acceleration, and their residuals say nothing
    about it: there the recorded one must be one of those of the verdict on that state.

    Raises InputError for what is no run, for one by time stepping and for one from a file without its model.

    >>> import gauss as g
    >>> stone = g.System("stone", "z", mass_matrix=[[1]], potential_energy=lambda q: 9.81 * q.z)
    >>> claims = g.analysis.certificate_claims(g.simulate(stone, [0.0], t_end=0.1))
    >>> all(claim.holds for claim in claims), claims[0].name
    (True, 'every recorded acceleration satisfies the Karush-Kuhn-Tucker conditions')
    """
    require_model(run)
    assert run.setting is not None
    M, _ = run.setting.system.model.batch(run.q, run.v, run.t, run.setting.theta)
    size = _largest(M, run.a) + float(np.max(np.sqrt(2.0 * np.abs(run.zwang)), initial=0.0))
    claims = _optimal(run, size)
    if run.about.solver != "kkt":
        distance = float(np.max(run.solver_distance, initial=0.0))
        claims.append(_of_solver(run.about.solver, distance, size, "; polished answers are far nearer"))
    if run.about.rows:
        claims.append(_on_constraints(run, M, size))
    return claims


def _largest(M: Array, y: Array) -> float:
    """Return the largest norm of vectors y (N, n), each in its metric M (N, n, n)."""
    return float(np.max(np.sqrt(np.maximum(np.einsum("ij,ijk,ik->i", y, M, y), 0.0)), initial=0.0))


def _optimal(run: Trajectory, size: float) -> list[Claim]:
    """Return the claims that accelerations of a size minimise the Zwang, or are those of verdicts where rows do not."""
    sigma = run.sigma_min[run.sigma_min > DEPENDENT]  # that of redundant rows is zero, and bounds nothing
    residual = np.maximum(run.primal, run.stationarity)
    count = run.q.shape[1] + len(run.about.rows)
    bound = 100.0 * EPS * count * max(size, 1e-300) / float(np.min(sigma, initial=1.0)) ** 2
    listed = {i: far for i in np.flatnonzero(residual > bound).tolist() if (far := _off_verdict(run, i)) is not None}
    rest = f", at {len(run) - len(listed)} of {len(run)} states, where rows alone determine it" if listed else ""
    claims = [
        Claim(
            "every recorded acceleration satisfies the Karush-Kuhn-Tucker conditions",
            float(np.max(np.delete(residual, [*listed]), initial=0.0)),
            bound,
            f"100·eps·(n+m)·|a|_M/σ_min², recomputed from M, f, J{rest}",
        )
    ]
    if listed:
        claims.append(
            Claim(
                "at or next to singular positions the acceleration is one of those of the verdict",
                max(listed.values()),
                LISTED * max(size, 1e-300),
                f"{LISTED:g}·|a|_M, distance to the nearest one at {len(listed)} of {len(run)} states",
            )
        )
    return claims


def _on_constraints(run: Trajectory, M: Array, size: float) -> Claim:
    """Return the claim that a motion with accelerations of a size stays on its constraints."""
    span = float(run.t[-1] - run.t[0]) if len(run) else 0.0
    resting = EPS * size * span  # of a motion that stays at rest nothing more is known
    place, speed = max(_largest(M, run.q), resting * span, 1e-300), max(_largest(M, run.v), resting, 1e-300)
    off = [float(np.max(x, initial=0.0)) for x in (run.off_position, run.off_velocity)]
    reason = "after projection, relative to the largest |q|_M and |v|_M"
    return Claim("the motion stays on the constraints", max(off[0] / place, off[1] / speed), 1e-12, reason)


def _off_verdict(run: Trajectory, i: int) -> float | None:
    """Return the distance in the metric of a recorded acceleration from the nearest that the verdict on its state has.

    None where the rows alone determine the acceleration, or where the verdict has none that is that of a motion.
    """
    place = witnessed_at(run, i)
    if place.ordinary:
        return None
    try:
        found = judged(place.system, place.state, place.controls)
    except NOT_ASKED:
        return None
    answers, L = found.accelerations, found.problem.metric.L
    motions = [c.a for c in answers.candidates if c.confirmed.startswith(CONFIRMED)]
    far = [float(np.linalg.norm((place.a - a) @ L)) for a in motions]
    far += [_off_sphere(place.a @ L, family.sample(MEMBERS) @ L) for family in answers.continua]
    return min(far, default=None)


def _off_sphere(y: Array, members: Array) -> float:
    """Return the distance of a point y (n,) from the sphere through members (k, n) of a family."""
    start = members[0]
    spread = members[1:] - start
    _, sigma, V = np.linalg.svd(spread, full_matrices=False)
    V = V[sigma > FLAT * sigma[0]]
    centre = np.linalg.lstsq(spread @ V.T, 0.5 * np.sum(spread**2, axis=1), rcond=None)[0]
    step, radius = V @ (y - start) - centre, np.linalg.norm(centre)
    off = (y - start) - V.T @ (V @ (y - start))
    return float(np.hypot(np.linalg.norm(off), np.linalg.norm(step) - radius))
