"""Running a scenario: the motion, its certificate, its cross-check and its claims, as one result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from gauss.analysis.certificates import certificate_claims, step_claims
from gauss.analysis.claims import Claim, Unexamined
from gauss.analysis.crosscheck import crosscheck
from gauss.analysis.energy import EnergyBalance, energy_balance
from gauss.dynamics import judged
from gauss.errors import InputError, described
from gauss.foundation.outcomes import Shown
from gauss.foundation.threads import withheld
from gauss.motion import Checkpoint, Trajectory, simulate
from gauss.scenario import Scenario
from gauss.uniqueness import Verdict
from gauss.verdict import with_friction

T = TypeVar("T")
OWN = "the scenario's own claims"


@dataclass(frozen=True, repr=False)
class Outcome(Shown):
    """What `run_scenario` returns."""

    scenario: Scenario
    first: Verdict  # the acceleration at the start, with its verdict
    run: Trajectory | None  # None where only the acceleration at the start is asked
    energy: EnergyBalance | None
    claims: tuple[Claim, ...]
    seconds: float  # that motion and claims took
    unexamined: tuple[Unexamined, ...] = ()  # what a motion is too short for
    troubles: tuple[str, ...] = ()  # what failed after the motion, in one line each: a function of claims, a figure
    interrupted: bool = False  # by Ctrl-C, on the way or after it
    drawing: float = 0.0  # s that its figure took
    tables: tuple[Path, ...] = ()  # files of its columns

    def __str__(self) -> str:
        failed = sum(not claim.holds for claim in self.claims)
        many = f"{failed} of {len(self.claims)} claims fail" if failed else f"{len(self.claims)} claims hold"
        return f"{self.scenario.name}: {'passed' if self.passed else 'not passed'}, {many}, {self.seconds:.2f} s"

    @property
    def result(self) -> Trajectory | Verdict:
        """The trajectory, or the verdict where there is none."""
        return self.first if self.run is None else self.run

    @property
    def passed(self) -> bool:
        """Whether every claim that was examined holds, nothing failed, and the motion did not end early."""
        complete = self.run is None or self.run.ending.complete
        spared = not self.troubles and not self.interrupted
        return complete and spared and all(claim.holds for claim in self.claims)


def run_scenario(
    scenario: Scenario,
    *,
    t_end: float | None = None,
    method: str = "dop853",
    step: float | None = None,
    solver: str = "osqp",
    progress: str = "auto",
    checkpoint: Checkpoint | None = None,
) -> Outcome:
    """Run a scenario and check it.

    With another end time or method than its own, the scenario's own claims are still asked: they hold for every time,
    or name the time that they need, but a fixed step may be too coarse for their bounds. What fails after the motion,
    or Ctrl-C then, does not lose it: the outcome says what is missing. The motion goes on from the file of its
    `checkpoint`, if there is one. Raises InputError where the scenario has no motion, and what `simulate` raises about
    the start and the file.
    """
    begin = time.perf_counter()
    s, system = scenario.start, scenario.system
    if method == "moreau":
        raise InputError("the claims of a scenario are on accelerations, which time stepping does not have.")
    state = system.start(s.q, s.v, s.t)
    controls = s.control(state.t, state.q, state.v) if callable(s.control) else s.control
    first = with_friction(judged(system, state, controls, solver=solver), system, state, controls)
    if s.t_end is None:
        if t_end is not None:
            raise InputError(
                f"{scenario.name} asks for the acceleration at one state only, as its start has no t_end. For a motion"
                f" give it one: gauss.Start(…, t_end={t_end:g})."
            )
        found = _Findings()
        found.ask("the certificate", lambda: step_claims(first))
        found.ask(OWN, lambda: scenario.claims(first))
        return found.outcome(scenario, first, None, None, begin)
    end = s.t_end if t_end is None else t_end
    if method == "rk4" and step is None:
        step = s.step if s.step is not None else (end - s.t) / 2000
    with withheld():  # the outcome carries the ending
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
            checkpoint=checkpoint,
            impacts=s.impacts,
            paradox=s.paradox,
            allow_energy_gain=s.allow_energy_gain,
        )
    found = _Findings()
    if not len(run):  # nothing moves: the ending says why
        found.interrupted = run.ending.kind == "interrupted"
        return found.outcome(scenario, first, run, None, begin)
    found.ask("the certificate", lambda: certificate_claims(run))
    energy = found.value("the energy balance", lambda: energy_balance(run))
    found.interrupted = found.interrupted or run.ending.kind == "interrupted"
    found.ask("the cross-check", lambda: crosscheck(run, scenario.minimal))
    remedy = ""
    if run.t[-1] < s.t_end:
        remedy = (
            f"; the motion ends at t = {run.t[-1]:.6g} s, before the scenario's own end {s.t_end:.6g} s:"
            " @gauss.needs(t) marks what needs more"
        )
    found.ask(OWN, lambda: scenario.claims(run), remedy)
    return found.outcome(scenario, first, run, energy, begin)


@dataclass
class _Findings:
    """What is found about a motion, question by question; one that fails does not lose the answers to the others."""

    claims: list[Claim] = field(default_factory=list)
    unexamined: list[Unexamined] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    interrupted: bool = False

    def value(self, what: str, question: Callable[[], T], remedy: str = "") -> T | None:
        """Return an answer; None where it fails, or after Ctrl-C, with a word about that."""
        if not self.interrupted:
            try:
                return question()
            except KeyboardInterrupt:
                self.interrupted = True
            except BaseException as error:  # whatever the scenario's code raises
                self.troubles.append(f"{what} failed: {described(error).removesuffix('.')}{remedy}.")
                return None
        self.unexamined.append(Unexamined(what, "interrupted"))
        return None

    def ask(self, what: str, question: Callable[[], Iterable[Claim | Unexamined]], remedy: str = "") -> None:
        """Keep the claims of an answer, those before an error too where they come one after another."""
        self.value(what, lambda: self._keep(question()), remedy)

    def _keep(self, answers: object) -> None:
        for each in answers if isinstance(answers, Iterable) else [answers]:
            if isinstance(each, Claim):
                self.claims.append(each)
            elif isinstance(each, Unexamined):
                self.unexamined.append(each)
            else:
                raise InputError(f"a list of gauss.Claim is expected, got {type(each).__name__}.")

    def outcome(
        self, scenario: Scenario, first: Verdict, run: Trajectory | None, energy: EnergyBalance | None, begin: float
    ) -> Outcome:
        """Return all that was found."""
        seconds = time.perf_counter() - begin
        texts = tuple(self.unexamined), tuple(self.troubles), self.interrupted
        return Outcome(scenario, first, run, energy, tuple(self.claims), seconds, *texts)
