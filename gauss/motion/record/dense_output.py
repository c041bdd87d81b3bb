"""Dense output: states at any times of a run, each by one fresh step from the recorded state before it.

Steps by Taylor series are longer than those of the pair that goes to a time between them: it takes two then, or more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, as_array
from gauss.model.compiled import StepScalar
from gauss.model.compiled.steps.trials import Own
from gauss.model.state import State
from gauss.motion.record.blocks import StepBlock, with_all_rows
from gauss.motion.record.recorded_friction import shared_at, slides_at
from gauss.motion.singular.collocation import WindowStepper, record_in
from gauss.motion.singular.derived import locked_stepper
from gauss.motion.singular.redundant import EVEN, better_rows
from gauss.motion.steps.steppers import FusedStepper, Setting, Slide, Stepper, redirected, stepper_of
from gauss.numerics.runge_kutta import TAYLOR


def times_within(t: Array, times: Any) -> Array:
    """Return one number or a list of numbers as a vector of times within a run at times t (N,). Raises InputError."""
    wanted = np.atleast_1d(as_array(times, "times"))
    if wanted.ndim > 1:
        raise InputError(f"times has shape {wanted.shape}, expected one number or a list of numbers.")
    if not wanted.size:
        return wanted
    if not len(t):
        raise InputError("times cannot be asked of a trajectory without states; only at([]) is possible.")
    slack = 1e-12 * max(1.0, float(np.max(np.abs(t))))
    if not (np.min(wanted) >= t[0] - slack and np.max(wanted) <= t[-1] + slack):
        raise InputError(f"times must lie within the run, {t[0]:g} to {t[-1]:g} s.")
    return wanted


def blocks_at(run: Any, times: Array) -> list[StepBlock]:
    """Return the blocks of the states of a `Trajectory` at times (k,), in the order of the times."""
    setting, about, t = run.setting, run.about, run.t
    index = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 1)
    states = np.column_stack([t, run.q, run.v])
    if about.locked is None and not about.redundant and not about.contacts and not run.windows:
        many = reached_together(setting, states[index], run.active[index], times)
        if many is not None:
            return many
    return [_alone(run, int(i), states[i], float(time)) for time, i in zip(times, index, strict=True)]


def _alone(run: Any, i: int, x: Array, time: float) -> StepBlock:
    """Return the block of the state at a time behind the recorded state x, the i-th."""
    setting = run.setting
    rows, slides = _independent(run, i), redirected(setting, x, slides_at(run, i))
    shared = shared_at(run, i, rows, slides)
    stepper = _stepper(run, rows, tuple(s for s in slides if s.normal is None or s.normal in rows))
    window = next((w for w in run.windows if w.contains(time)), None)
    if time != x[0]:
        x = state_at(stepper if window is None else WindowStepper(window, stepper), x, time)
        x[0] = time
        turned = redirected(setting, x, slides)
        if turned != slides:
            slides, stepper = turned, _stepper(run, rows, turned)
    record = stepper.step(x, 0.0)[1]
    if window is not None and window.near(time):
        record = record_in(window, setting, rows, x, record)
    forces = None if shared is None else shared.forces(x, record)[None]
    carrying = () if shared is None else shared.rows
    return with_all_rows(setting, StepBlock(x[None], record[None], rows, np.zeros(1), slides, forces, carrying))


def _stepper(run: Any, rows: tuple[int, ...], slides: tuple[Slide, ...]) -> Stepper:
    if run.about.locked is not None:
        return locked_stepper(run.setting, rows, run.about.locked, State(run.q[0], run.v[0], float(run.t[0])))
    return stepper_of(run.setting, rows, slides)


def _independent(run: Any, i: int) -> tuple[int, ...]:
    """Return the rows that steps from a recorded state use: those in force, but for redundant ones."""
    left_out = [run.about.rows.index(name) for name in run.about.redundant]
    rows = tuple(int(k) for k in np.flatnonzero(run.active[i]) if k not in left_out)
    if not left_out or run.about.locked is not None:
        return rows
    system, equality = run.setting.system, run.setting.system.model.equality  # they are exchanged on the way
    J = system.model.terms(run.q[i], run.v[i], float(run.t[i]), run.setting.theta).J
    held = better_rows(system, J, [k for k in rows if k in equality], EVEN)
    return tuple(sorted({*held, *(k for k in rows if k not in equality)}))


def reached_together(setting: Setting, states: Array, active: Flags, times: Array) -> list[StepBlock] | None:
    """Return the blocks of states at times (k,) behind recorded states (k, 2n+1), many of them in one compiled call.

    `active` (k, m) are the rows in force, which are independent. None where the states have to be reached one by one:
    their steps are not compiled, or ask for more accurate accelerations.
    """
    if not times.size:
        return []
    blocks, starts = [], np.flatnonzero(np.append(True, np.any(active[1:] != active[:-1], axis=1)))
    for some in np.split(np.arange(times.size), starts[1:]):
        rows = tuple(np.flatnonzero(active[some[0]]).tolist())
        stepper = stepper_of(setting, rows)
        reached = reached_at(stepper, states[some], times[some]) if isinstance(stepper, FusedStepper) else None
        if reached is None:
            return None
        blocks.append(StepBlock(*reached, rows, np.zeros(some.size)))
    return blocks


def reached_at(
    stepper: FusedStepper, states: Array, times: Array, own: Own | None = None
) -> tuple[Array, Array] | None:
    """Return the states at times (k,) that steps from states (k, 2n+1) lead to, and their records.

    They may be of motions with their `own` parameters and tolerances.
    """
    moved = _moved(stepper, states, times, own)
    if moved is None:
        return None
    there = np.where((times == states[:, 0])[:, None], states, moved)
    still = stepper.steps(there, np.zeros(times.size), own)
    return None if still is None else (there, still[1])


def _moved(stepper: FusedStepper, states: Array, times: Array, own: Own | None) -> Array | None:
    """Return the states at times (k,), those of `state_at` side by side."""
    taken = stepper.steps(states, times - states[:, 0], own)
    if taken is None:
        return None
    (moved, records), middle = taken, (states[:, 0] + times) / 2.0
    far = ~(records[:, StepScalar.ERROR] <= 1.0) & (states[:, 0] < middle) & (middle < times)
    if stepper.setting.tableau.name == TAYLOR and np.any(far):
        theirs = None if own is None else own.of(np.flatnonzero(far))
        half = _moved(stepper, states[far], middle[far], theirs)
        rest = None if half is None else _moved(stepper, half, times[far], theirs)
        if rest is None:
            return None
        moved[far] = rest
    moved[:, 0] = times
    return moved


def state_at(stepper: Stepper, x: Array, time: float) -> Array:
    """Return the state at a time within a step from x."""
    following, record = stepper.step(x, time - x[0])
    middle = (float(x[0]) + time) / 2.0
    series = stepper.setting.tableau.name == TAYLOR
    if not series or record[StepScalar.ERROR] <= 1.0 or not x[0] < middle < time:
        return following
    return state_at(stepper, state_at(stepper, x, middle), time)
