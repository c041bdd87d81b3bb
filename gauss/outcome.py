"""Running a scenario: the motion, its certificate, its cross-check and its claims, as one result."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

from gauss.analysis.claims import Claim
from gauss.analysis.crosscheck import certificate_claims, crosscheck, step_claims
from gauss.analysis.energy import EnergyBalance, energy_balance
from gauss.dynamics import Step, judged
from gauss.errors import InputError
from gauss.motion import MotionWarning, Trajectory, simulate
from gauss.regularity import Classification
from gauss.scenario import Scenario


@dataclass(frozen=True)
class Outcome:
    """What `run_scenario` returns."""

    scenario: Scenario
    first: Step  # the acceleration at the start, with its verdict
    run: Trajectory | None  # None where only the acceleration at the start is asked
    energy: EnergyBalance | None
    claims: tuple[Claim, ...]
    seconds: float

    @property
    def verdict(self) -> Classification:
        """The verdict at the start."""
        return self.first.verdict

    @property
    def result(self) -> Trajectory | Step:
        """The trajectory, or the step where there is none."""
        return self.first if self.run is None else self.run

    @property
    def passed(self) -> bool:
        """Whether every claim holds and the motion did not end early."""
        complete = self.run is None or self.run.ending.complete
        return complete and all(claim.holds for claim in self.claims)


def run_scenario(
    scenario: Scenario,
    *,
    t_end: float | None = None,
    method: str = "dop853",
    step: float | None = None,
    solver: str = "osqp",
    progress: str = "auto",
) -> Outcome:
    """Run a scenario and check it.

    With another end time or method than its own, the scenario's own claims are still asked: they hold for every time,
    but a fixed step may be too coarse for their bounds. Raises InputError where the scenario has no motion.
    """
    begin = time.perf_counter()
    s, system = scenario.start, scenario.system
    state = system.state(s.q, s.v, s.t)
    controls = s.control(state.t, state.q, state.v) if callable(s.control) else s.control
    verdict = judged(system, state, controls, solver=solver)
    first = Step(state, verdict.solution, verdict)
    if s.t_end is None:
        if t_end is not None:
            raise InputError(f"{scenario.name} asks for the acceleration at one state only; it takes no end time.")
        own = tuple(scenario.claims(first))
        claims = (*step_claims(first), *own)
        return Outcome(scenario, first, None, None, claims, time.perf_counter() - begin)
    end = s.t_end if t_end is None else t_end
    if method == "rk4" and step is None:
        step = s.step if s.step is not None else (end - s.t) / 2000
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)  # the outcome carries the ending
        run = simulate(
            system,
            s.q,
            s.v,
            t=s.t,
            t_end=end,
            method=method,
            step=step,
            rtol=s.rtol,
            atol=s.atol,
            max_step=s.max_step,
            solver=solver,
            control=s.control,
            events=s.events,
            progress=progress,
            contacts=s.contacts,
            impacts=s.impacts,
            paradox=s.paradox,
        )
    if not len(run):  # nothing moves: the ending says why
        return Outcome(scenario, first, run, None, (), time.perf_counter() - begin)
    claims = (*certificate_claims(run), *crosscheck(run, scenario.minimal), *scenario.claims(run))
    return Outcome(scenario, first, run, energy_balance(run), claims, time.perf_counter() - begin)
