"""Cross-checks: the motion against classical formulations that share no code with the principle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gauss.analysis.claims import Claim, Claims
from gauss.analysis.crosscheck_formulations import (
    OTHER_COORDINATES,
    OTHER_DERIVATIVES,
    Minimal,
    Witness,
    WitnessedState,
    minimal_witness,
    within_chart,
    witnesses_of,
)
from gauss.analysis.friction import friction_claims
from gauss.analysis.states import SPREAD, evenly, random_states
from gauss.dynamics import judged
from gauss.errors import ContradictoryRowsError, InputError, MassMatrixError, ModelError, SolverError
from gauss.formulations import unexamined
from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised
from gauss.foundation.dependence import unit_rank
from gauss.foundation.threads import filtered
from gauss.model import AnySystem, System, refuse_friction, system_of
from gauss.model.state import State
from gauss.motion import Trajectory, require_run
from gauss.motion.record.recorded_friction import sliding_forces

__all__ = [
    "Minimal",
    "crosscheck",
    "crosscheck_at",
    "crosscheck_states",
    "require_model",
    "witnessed_at",
]

NOT_ASKED = (SolverError, MassMatrixError, ContradictoryRowsError)  # no regular acceleration at this state
SAMPLES = 25  # states of a trajectory at which the witnesses are asked
FEW = 3  # at least, of systems with many coordinates
LIGHT = 15_000  # n² times the operations of the energies up to which all witnesses are asked at all of these
SLOW = 16  # coordinates from which derivatives of energies, n² of them with n terms each, take long


@advised
def crosscheck(run: Trajectory, minimal: Minimal | None = None, samples: int | None = None) -> Claims:
    """Return claims that compare the recorded accelerations with classical formulations at states of the run.

    `samples` of its states are taken, evenly; left out, 25, and fewer for more than 16 coordinates (at least 3).

    Lagrange's equations of the first kind, the null-space form and Udwadia-Kalaba use the same M, f, J, γ, so they
    test the linear algebra. Lagrange by complex steps, Hamilton's canonical equations, Gibbs-Appell and (with Pfaffian
    rows, and holonomic ones beside them) Voronets and Boltzmann-Hamel take their derivatives on other paths, straight
    from the model's functions, and are left out where these are not analytic (tables, `where`). A `Minimal` witness has
    other coordinates besides. A form is asked only where it applies: those that need independent rows, or a definite M,
    are not asked where there are none, and at or next to singular positions, where conditions of higher order decide,
    only a `Minimal` witness is; `claims.left_out` counts these states. Raises InputError when a `Minimal` witness can
    be evaluated nowhere.

    Friction of sliding contacts counts as an applied force, sticking contacts as rows; a run with such contacts is
    compared with all solutions of the law of friction besides (see `gauss.analysis.friction`).

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ... )
    >>> claims = g.crosscheck(g.simulate(pendulum, [1, 0], t_end=1.0))
    >>> all(claim.holds for claim in claims)
    True
    """
    require_model(run)
    samples = _samples(run.q.shape[1]) if samples is None else samples
    if not isinstance(samples, int) or samples < 1:
        raise InputError(f"samples must be a whole number of at least 1, but is {samples!r}.")
    _require_minimal(minimal)
    assert run.setting is not None
    setting = run.setting
    black_box = setting.system.black_box_force is not None or setting.control is not None
    witnesses = witnesses_of(
        setting.system,
        definite=setting.weight == 0.0,
        redundant=bool(run.about.redundant),
        black_box=black_box,
        minimal=None if black_box else minimal,
    )
    if run.about.locked is not None:  # the ordinary rows, which these forms use, do not determine the acceleration
        witnesses = [w for w in witnesses if w.kind == OTHER_COORDINATES]
    ranks = Ranks()
    places = [witnessed_at(run, i, ranks) for i in evenly(run, samples)]
    work = setting.system.model.work
    long = min(len(places), max(FEW, round(samples * min(1.0, LIGHT / max(1, run.q.shape[1] ** 2 * work)))))
    notes = [_left_out(places, ranks)]
    if long < len(places):
        notes.append(f"witnesses with other derivatives asked at {long} of {len(places)} states, as each takes long")
    return Claims(_claims(places, witnesses, long) + friction_claims(run), "; ".join(filter(None, notes)))


@dataclass
class Ranks:
    """What verdicts at the first few states with dependent rows say of the ones with the same rank and rows."""

    judged: dict[tuple[int, bytes], list[bool]] = field(default_factory=dict)
    taken: int = 0  # states that were not judged

    def ordinary(self, place: WitnessedState) -> bool:
        """Whether the rows in force determine the acceleration: independent ones, copies, contacts that stick."""
        rank = unit_rank(place.numbers[2])
        if rank == len(place.numbers[2]):
            return True
        known = self.judged.setdefault((rank, place.active.tobytes()), [])
        if len(known) >= FEW and all(known):
            self.taken += 1
            return True
        known.append(_ordinary(place))
        return known[-1]


def _left_out(places: Sequence[WitnessedState], ranks: Ranks | None = None) -> str:
    """Return at how many states forms that know the rows alone are not asked, and why."""
    count = sum(not place.ordinary for place in places)
    where = "at or next to a singular position, where conditions of higher order decide"
    words = [f"not asked at {count} of {len(places)} states, {where}"] if count else []
    if ranks is not None and ranks.taken:
        words.append(
            f"dependent rows are taken to be redundant at {ranks.taken} of {len(places)} states, as at the {FEW} with"
            " the same rank that were judged"
        )
    return "; ".join(words)


def _samples(n: int) -> int:
    """Return at how many states of a run with n coordinates the witnesses are asked."""
    return min(SAMPLES, max(FEW, round(SAMPLES * (SLOW / n) ** 3)))


@advised
def crosscheck_states(
    system: AnySystem,
    q: object,
    v: object = None,
    t: float = 0.0,
    *,
    count: int = 1000,
    seed: int = 0,
    spread: float = SPREAD,
    u: object = None,
    minimal: Minimal | None = None,
) -> Claims:
    """Return the claims of `crosscheck` at random admissible states about a given one, where no motion led.

    States are those of `random_states`, regular or redundant. Raises what `random_states` and `crosscheck_at` raise.
    """
    system = system_of(system)
    refuse_friction(system.contacts, system.name, "a cross-check at random states")
    return crosscheck_at(system, random_states(system, q, v, t, count, seed, spread=spread).states, u, minimal)


@advised
def crosscheck_at(
    system: AnySystem, states: Sequence[State], u: object = None, minimal: Minimal | None = None
) -> Claims:
    """Return the claims of `crosscheck` at given admissible states; the accelerations are Gauss's at these.

    A `Minimal` witness is asked where its chart covers the state (a chart of one branch does not cover another). States
    without a certified acceleration are counted in a claim of their own, which fails. Raises what `accelerate` raises
    otherwise.

    >>> import gauss as g
    >>> rod = g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)
    >>> pendulum = g.System("pendulum", "x y", mass_matrix=[[1, 0], [0, 1]], force=[0, -9.81], constraints=[rod])
    >>> claims = g.analysis.crosscheck_at(pendulum, [pendulum.state([1, 0], [0, 3]), pendulum.state([0, -1], [2, 0])])
    >>> all(claim.holds for claim in claims), [claim.name.split("with ")[1] for claim in claims]
    (True, ['Lagrange, first kind', 'null space (Maggi, Kane)', 'Udwadia-Kalaba'])
    """
    system = system_of(system)
    controls = system.control_vector(u)
    if not states or not all(isinstance(state, State) for state in states):
        raise InputError("states must be a list of gauss.State, at least one.")
    _require_minimal(minimal)
    places, refused = [], 0
    for state in states:
        try:
            places.append(answered_at(system, state, controls))
        except SolverError:
            refused += 1
    redundant = any(x.ordinary and unit_rank(x.numbers[2]) < len(x.numbers[2]) for x in places)
    definite, black_box = all(x.weight == 0.0 for x in places), system.black_box_force is not None
    claims = _claims(places, witnesses_of(system, definite=definite, redundant=redundant, black_box=black_box))
    if minimal is not None and not black_box:
        inside = [x for x in places if within_chart(minimal, x.state)]
        claims += _claims(inside, [minimal_witness(minimal)])
    if refused:
        reason = f"count, of {len(states)}: no answer passed the certificate there"
        claims.append(Claim("states at which Gauss's principle gave no certified answer", float(refused), 0.0, reason))
    return Claims(claims, _left_out(places))


def require_model(run: Trajectory) -> None:
    """Raise InputError for what is no trajectory, and for one from a file that has not been given its model."""
    require_run(run)
    if run.setting is None:
        raise InputError("a trajectory from a file needs its model first: trajectory.with_system(system).")
    if run.stepping is not None:
        raise InputError("a motion by time stepping has no accelerations to compare; run.stepping has its certificate.")


def _require_minimal(minimal: Minimal | None) -> None:
    """Raise InputError for a witness in other coordinates that is none."""
    if minimal is not None and not isinstance(minimal, Minimal):
        raise InputError(f"minimal must be a gauss.Minimal, got {type(minimal).__name__}.")


def witnessed_at(run: Trajectory, i: int, ranks: Ranks | None = None) -> WitnessedState:
    """Return one recorded state with its acceleration; `ranks` are what is known of states before."""
    assert run.setting is not None
    setting = run.setting
    state = State(run.q[i], run.v[i], float(run.t[i]))
    friction = sliding_forces(run, i)
    place = WitnessedState(
        setting.system, state, setting.controls_at(state), run.active[i], run.a[i], setting.weight, friction
    )
    by_rows = bool(run.decided_by_rows[i])
    return replace(place, ordinary=by_rows and (Ranks() if ranks is None else ranks).ordinary(place))


def _ordinary(place: WitnessedState) -> bool:
    """Return whether dependent rows in force determine the acceleration."""
    try:
        verdict = judged(place.system, place.state, place.controls)
    except NOT_ASKED:
        return False
    held = {name for name, yes in zip(place.system.row_names, place.active, strict=True) if yes}
    return verdict.verdicts == ("redundant",) or (verdict.regular and not held <= set(verdict.regularity.rows))


def answered_at(system: System, state: State, controls: Array) -> WitnessedState:
    """Return a state with the acceleration of Gauss's principle and the rows in force."""
    verdict = judged(system, state, controls)
    solution = verdict.solution
    rows = solution.problem.rows
    forced = {rows.names[k] for k in range(len(rows)) if rows.lower[k] == rows.upper[k] or solution.multipliers[k]}
    active = np.array([name in forced for name in system.row_names], dtype=bool)
    singular = not set(verdict.verdicts) <= {"regular", "redundant", "undecided"}
    weight = solution.problem.metric.weight
    return WitnessedState(system, state, controls, active, solution.a, weight, ordinary=not singular)


def _claims(places: Sequence[WitnessedState], witnesses: Sequence[Witness], long: int | None = None) -> list[Claim]:
    """Return one claim for each witness that answered at some state; those with other derivatives at `long` of them."""
    some = sorted({round(x) for x in np.linspace(0, len(places) - 1, long or len(places))})
    fewer = [places[i] for i in some] if places else places
    claims = [_compare(fewer if x.kind == OTHER_DERIVATIVES else places, x) for x in witnesses]
    return [claim for claim in claims if claim is not None]


def _compare(places: Sequence[WitnessedState], witness: Witness) -> Claim | None:
    """Return the claim for one witness: the worst ratio of error to bound over the states, with its error."""
    worst, bound_there, asked, refused = 0.0, 1.0, 0, None
    for place in places:
        if not place.ordinary and witness.kind != OTHER_COORDINATES:
            continue
        try:
            with unexamined(), filtered("error", np.exceptions.ComplexWarning):
                error, bound = _distance(place, witness.acceleration(place))
            if not error <= bound:  # perhaps as a function is not analytic, which is said then
                witness.acceleration(place)
        except NOT_ASKED:
            continue
        except (InputError, ModelError) as trouble:  # the functions are not analytic here, or not finite
            refused = trouble
            continue
        asked += 1
        if asked == 1 or not error / bound <= worst / bound_there:
            worst, bound_there = error, bound
    if asked == 0 and refused is not None and witness.kind == OTHER_COORDINATES:
        raise refused  # the witness itself is wrong, and must not vanish without a word
    if asked == 0:
        return None
    share = f"{asked} states" if asked == len(places) else f"{asked} states (of {len(places)}, where it applies)"
    reason = f"100·eps·n·cond·scale at the worst of {share}; {witness.kind}"
    return Claim(f"acceleration agrees with {witness.name}", worst, bound_there, reason)


def _distance(place: WitnessedState, b: Array) -> tuple[float, float]:
    """Return |a − b| in the mass metric and its rounding bound at this state.

    b (k, n) holds terms that sum to the acceleration of the witness; their sizes belong to the scale.
    """
    rounding = place.rounding
    terms = float(np.sum(np.linalg.norm(b @ rounding.L, axis=1))) if b.ndim == 2 else 0.0
    return rounding.norm(place.a - np.sum(np.atleast_2d(b), axis=0)), rounding.bound(terms)
