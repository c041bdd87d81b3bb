"""The verdict on a state: its analysis, the acceleration that this determines, and both readings where it is open."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gauss.errors import ContradictoryRowsError, SolverError
from gauss.foundation.outcomes import UNDECIDED
from gauss.foundation.tolerances import SAME
from gauss.foundation.zero import UNIT
from gauss.model import System
from gauss.model.state import State
from gauss.principle import GaussProblem, GaussSolution, solve
from gauss.uniqueness.accelerations import NOT_CONFIRMED, AccelerationSet, by_rows, nothing, undecided
from gauss.uniqueness.findings import undecided as undecided_rank
from gauss.uniqueness.formulas import formulas
from gauss.uniqueness.orders.analysis import REACH
from gauss.uniqueness.orders.errors import load_error
from gauss.uniqueness.orders.found import Analysis, dead_centre, ended, separately
from gauss.uniqueness.orders.unilateral import analyse_contacts
from gauss.uniqueness.rows.frame import Frame, frame_of
from gauss.uniqueness.rows.sizes import unit_length
from gauss.uniqueness.verdict import Verdict


def classification(
    system: System,
    state: State,
    problem: GaussProblem,
    *,
    solver: str = "osqp",
    length: float | None = None,
    target: int | None = None,
) -> Verdict:
    """Classify the state whose Gauss problem is given, and compute its acceleration where it is unique.

    `length` is ℓ in units of the coordinates, `target` an earlier rank; see `frame_of`. Raises what `solve` raises.
    """
    ell = None if length is None else length * unit_length(problem.M)
    frame, found = analyse_contacts(system, state, problem, ell, target)
    copies = found.conditions is not None and found.conditions.identical.shape[1]
    if target is None and not frame.doubt and copies and frame.unlocated.shape[1]:
        return _both(frame, _packed(frame, separately(frame, found), solver), _packed(frame, found, solver))
    packed = _packed(frame, found, solver)
    if not frame.doubt or target is not None:
        return packed
    return _both(frame, packed, _packed(*analyse_contacts(system, state, problem, ell, None, fewer=True), solver))


def _with_noise(frame: Frame, problem: GaussProblem) -> GaussProblem:
    """Return the problem with the noise of the frame's rows, by which the solver too takes them as independent."""
    if problem.rows.noise is not None:
        return problem
    noise = UNIT * np.abs(problem.rows.J)
    noise[frame.index] = frame.J_noise
    return problem.with_noise(noise)


def solved(problem: GaussProblem, solver: str) -> tuple[GaussSolution, AccelerationSet]:
    """Return the minimiser of a problem whose rows determine it, as a solution and as what is known of accelerations.

    The direct solver is told which inequality rows are active, as it does not find them. Raises what `solve` raises.
    """
    found = solve(problem, solver, solve(problem, "osqp").active if solver == "kkt" else None)
    return found, by_rows(found)


def _both(frame: Frame, independent: Verdict, dependent: Verdict) -> Verdict:
    """Return what two readings of rows whose rank is not decided say together.

    Where both give the same acceleration it is known all the same; otherwise both are listed, and none is unique.
    """
    readings = (independent, dependent)
    if independent.answer is None or dependent.answer is None:
        difference = None
    else:
        size = max(frame.metric.norm(x.answer.a) for x in readings if x.answer is not None) + frame.acceleration_scale
        apart = frame.metric.norm(independent.answer.a - dependent.answer.a)
        difference = apart / size if size > 0.0 else 0.0
    finding = undecided_rank(frame, independent.verdict, dependent.verdict, difference)
    if difference is not None and difference <= SAME:
        known = replace(dependent.accelerations, evidence="both readings of the rows give it")
        error = max(dependent.error, difference * size)
        return replace(dependent, findings=(finding,), accelerations=known, error=error, readings=readings)
    words = ("if independent", "if dependent")
    found = [
        replace(c, kind=f"{word}: {c.kind}", confirmed=NOT_CONFIRMED)
        for word, reading in zip(words, readings, strict=True)
        for c in reading.candidates
    ]
    return replace(
        dependent,
        findings=(finding,),
        accelerations=AccelerationSet(
            UNDECIDED,
            tuple(sorted(found, key=lambda c: c.zwang)),
            tuple(f for reading in readings for f in reading.accelerations.continua),
            False,
            "rounding leaves open which rows there are; these are the accelerations of both readings",
        ),
        answer=None,
        motion_unique=None,
        readings=readings,
    )


def contradiction(system: System, state: State, problem: GaussProblem) -> Verdict | None:
    """Return the verdict "contradictory" where no velocity satisfies the rows at a position, else None."""
    frame = frame_of(system, state, problem, problem.rows.equality.tolist())
    finding = dead_centre(frame)
    return None if finding is None else _packed(frame, ended(problem, None, finding), "osqp")


def _packed(frame: Frame, found: Analysis, solver: str) -> Verdict:
    solution, accelerations = None, found.accelerations
    warnings = found.warnings
    if frame.rank == len(frame.index):
        found = replace(found, problem=_with_noise(frame, found.problem))
    if accelerations is None:
        try:
            solution, accelerations = solved(found.problem, solver)
        except (ContradictoryRowsError, SolverError) as error:
            if not found.problem.rows.kinds.count("jet"):
                raise
            accelerations = undecided(nothing(""), "the completed rows have no certified answer")
            warnings = (*warnings, f"The completed rows have no certified answer at this state: {error}")
    ended = accelerations.status == "none"
    total = found.error + (0.0 if solution is None else solution.error_bound)
    if solution is not None:
        total = max(total, load_error(frame, solution.problem, solution.a))
    size = max(frame.acceleration_scale, 0.0 if solution is None else frame.metric.norm(solution.a))
    blurred = total > REACH * size > 0.0 and bool(accelerations.candidates)
    if blurred:
        open_by = f"its estimated error is {total:.1g} in the mass metric, where it is about {size:.1g}"
        warnings = (*warnings, f"The state does not determine the acceleration: {open_by}.")
    return Verdict(
        state=frame.state,
        coordinates=frame.system.coordinates,
        findings=found.findings,
        regularity=frame.regularity(),
        accelerations=accelerations,
        problem=found.problem,
        answer=solution,
        conditions=() if found.conditions is None or ended else formulas(frame, found.conditions),
        nearby=found.nearby,
        warnings=warnings,
        error=total,
        motion_unique=found.motion_unique,
        blurred=blurred,
        units=frame.system.units,
    )
