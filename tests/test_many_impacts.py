"""A column of balls on a floor: what is kept from impact to impact changes nothing, and every state is certified."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import gauss as g
from gauss.errors import MotionWarning, SolverError
from gauss.motion import single_steps
from gauss.motion.steps.quadratic import StepSolver

G = 9.81  # m/s²
MODEL, INTEGRATOR = "gauss.model.compiled.terms.CompiledModel", "gauss.motion.integrator.Integrator"


def column(count, restitution=0.5, tilt=0.0):
    """Balls of 1 kg over one another, 1 cm apart; with a tilt their rows turn with the positions, by rounding only."""

    def gap(i):
        return lambda q: (q[i] - q[i - 1] if i else q[0]) + tilt * g.sin(q[i])

    return g.System(
        f"{count} balls",
        [f"z{i}" for i in range(count)],
        kinetic_energy=lambda v: 0.5 * sum(v[i] ** 2 for i in range(count)),
        potential_energy=lambda q: G * sum(q[i] for i in range(count)),
        constraints=[g.Unilateral(f"{i}", gap(i), restitution=restitution) for i in range(count)],
    )


def fall(system, t_end=0.165, **options):
    return g.simulate(system, [0.1 + 0.01 * i for i in range(system.n)], t_end=t_end, progress="none", **options)


def numbers(run):
    return run.t, run.q, run.v, run.a, run.multipliers, run.active, run.zwang, run.primal, run.stationarity


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(numbers(one), numbers(other), strict=True))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.9])
def test_what_is_kept_of_steady_rows_changes_no_bit(monkeypatch, restitution):
    """Answers of closed contacts, lengths of rows, and that they stay independent, are known without looking again."""
    kept = fall(column(3, restitution), t_end=0.2)
    system = column(3, restitution)
    monkeypatch.setattr(f"{MODEL}.steady", False)
    monkeypatch.setattr(f"{MODEL}.steady_rows", False)
    assert not system.model.steady
    anew = fall(system, t_end=0.2)
    assert len(kept.events) > 2
    assert kept.events == anew.events
    assert same(kept, anew)


def test_rows_that_turn_are_not_steady():
    assert column(2).model.steady
    assert not column(2, tilt=1e-3).model.steady
    pendulum = g.System("rod", "x y", mass_matrix=np.eye(2), constraints=[g.Holonomic("rod", lambda q: q.x**2 - 1.0)])
    assert not pendulum.model.steady
    driven = g.Unilateral("floor", lambda q, t, p: q.x - p.u * t)
    assert g.System("driven", "x", mass_matrix=[[1.0]], parameters={"u": 1.0}, constraints=[driven]).model.steady


def test_programs_that_wait_are_solved_and_say_the_same(monkeypatch):
    """Each recorded state has its program solved by OSQP, and the distances are those of states solved one by one."""
    late = fall(column(5))
    monkeypatch.setattr(f"{INTEGRATOR}._may_wait", lambda *_: False)
    monkeypatch.setattr(StepSolver, "distances", lambda *_: None)
    at_once = fall(column(5))
    assert late.about.qp_count == at_once.about.qp_count == len(late)
    assert same(late, at_once)
    size = 1.0 + np.sqrt(np.max(np.sum(late.a**2, axis=1)))
    assert np.max(late.solver_distance) < 1e-9 * size
    assert np.max(np.abs(late.solver_distance - at_once.solver_distance)) < 1e-9 * size


@pytest.mark.parametrize(("failing", "most"), [(7, 2000), (30, 2000), (30, 5)])
def test_a_program_with_another_answer_ends_the_motion_where_it_does_at_once(monkeypatch, failing, most):
    """Whether it is solved at once or later: the states before it are kept, with the events up to them."""
    monkeypatch.setattr("gauss.motion.integrator.MOST", most)
    place = fall(column(4)).t[failing]

    def refused(self, x, *_):
        if x[0] >= place:
            raise SolverError("another acceleration")
        return 0.0

    monkeypatch.setattr(StepSolver, "distances", lambda *_: None)
    monkeypatch.setattr(StepSolver, "distance", refused)
    with pytest.warns(MotionWarning, match="another acceleration"):
        late = fall(column(4))
    monkeypatch.setattr(f"{INTEGRATOR}._may_wait", lambda *_: False)
    with pytest.warns(MotionWarning, match="another acceleration"):
        at_once = fall(column(4))
    assert late.ending == at_once.ending
    assert late.ending.kind == "failed"
    assert 0 < len(late) <= failing
    assert late.events == at_once.events
    assert same(late, at_once)


def test_looks_along_a_step_are_readings_of_the_same_states():
    """Compiled looks against the states that NumPy interpolates, and gaps behind a step against the step itself."""
    seen = []
    system, going = column(4, 0.0, tilt=1e-3), single_steps.SingleSteps._recorded

    def recorded(self, h, following, record, crossing):
        integrator = self.integrator
        seen.append((integrator.monitors, integrator.stepper, integrator.x.copy(), h, following, record))
        return going(self, h, following, record, crossing)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(single_steps.SingleSteps, "_recorded", recorded)
        fall(system)
    assert len({stepper.rows for _, stepper, *_ in seen}) > 2
    for monitors, stepper, x, h, following, record in seen:
        phi, psi = stepper.gaps_behind(x, h / 3.0)
        state = stepper.step(x, h / 3.0)[0]
        there = system.model.residuals(state[1:5], state[5:], state[0], stepper.setting.theta)
        assert np.array_equal(phi, there[0])
        assert np.array_equal(psi, there[1])
        coarse = sys.modules[type(monitors).__module__].COARSE
        read = monitors._along(x, following, record, h, stepper, coarse)
        ends = record[None, :4], stepper.accelerate(following)[0][None]
        states = coarse.between(x[None], following[None], *ends, np.array([h]))[0]
        other = monitors.read(np.vstack([x, states, following]), stepper)
        for one, two in zip(read, other, strict=True):
            assert np.max(np.abs(one - two), initial=0.0) <= 1e-12 * (1.0 + np.max(np.abs(two), initial=0.0))
