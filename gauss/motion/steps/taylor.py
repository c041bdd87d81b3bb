"""Steps by Taylor series: many at once by heyoka, each state projected and recorded as after any other step."""

from __future__ import annotations

from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, Indices
from gauss.foundation.tolerances import EPS
from gauss.model.compiled import FusedStep, StepScalar
from gauss.model.compiled.steps.taylor import INSIDE, Course, Landings, Reach, TaylorSteps
from gauss.model.compiled.steps.trials import Own, Trials
from gauss.model.compiled.walked import library
from gauss.motion.steps.setting import ATOL, Setting

# Largest last term of a series, relative to the state, as shares of the relative tolerance of the motion: the first is
# tried first, and a smaller one where it leads to few steps only.
TOLERANCES = np.array([2e-3, 3e-5, 1e-7])
FINE = 1e-8  # relative tolerance up to which series take so many fewer steps that they pay
SAVED, LARGE = 3e-6, 50  # s for each coordinate, that a step of the pair takes more than its part of a series; no more
LOAD, COMPILE = 0.6, 0.05  # s, to load heyoka and to compile, the latter times the root of the instructions
DEFECT = 10.0  # times the tolerances that a series may differ from the acceleration inside a step, times the step
FEW = 8  # steps of a call that are too few


def hindrance(setting: Setting, watched: bool) -> str:
    """Return why a motion has no steps by Taylor series, `watched` being whether events are; empty where it has."""
    system, model = setting.system, setting.system.model
    hindrances = {
        "events are located inside steps": watched,
        "its contacts close, open, stick and slip": bool(system.contacts or model.unilateral),
        "its control is a function in Python": setting.control is not None,
        "its force is a function in Python": system.black_box_force is not None,
        f"{model.not_analytic} is not analytic (fabs, fmin, fmax, sign, where)": bool(model.not_analytic),
        "its accelerations are too large to be compiled": not setting.fused,
    }
    return next((why for why, there in hindrances.items() if there), "")


def require_series(setting: Setting, watched: bool) -> None:
    """Raise InputError for a motion that has no steps by Taylor series, `watched` being whether events are."""
    why = hindrance(setting, watched)
    if why:
        raise InputError(f"method 'taylor' cannot follow {setting.system.name!r}: {why}. Use method='dop853'.")
    library()


def series_pay(step: FusedStep, rtol: float, count: int) -> bool:
    """Return whether what series had saved so far is as much as their compilation takes, after `count` steps more.

    So the total is about twice the least, at most. Steps are counted over all runs of a system; no clock is asked.
    """
    taken: list[int] = step.once("steps of the pair", lambda: [0])
    taken[0] += count
    compilation = LOAD + COMPILE * float(step.pieces.acceleration.n_instructions()) ** 0.5
    return rtol <= FINE and taken[0] * SAVED * min(step.n, LARGE) >= compilation


def series_trials(setting: Setting, step: FusedStep, theta: Array, x: Array, reach: Reach) -> Trials:
    """Take steps by Taylor series from x (2n+1,); behind the first error above 1 nothing is taken."""
    sizes, own = np.minimum(setting.atol / ATOL, 1.0), Own(theta[None], setting.atol[None])
    for tolerance in TOLERANCES * setting.rtol:
        course = _series(step, sizes, patient=not setting.auto)(
            x, reach, max(float(tolerance), EPS), theta, setting.weight, sizes
        )
        trials = landed(setting, step, x[None], course, own)
        if np.count_nonzero(trials.taken) > min(FEW, len(trials.taken) - 1):
            break
    return trials


def series_of_many(setting: Setting, step: FusedStep, x: Array, reach: Reach, own: Own, shorter: Indices) -> Course:
    """Take steps by Taylor series from N states (N, 2n+1), to be judged by `landed`, of N lengths in `TOLERANCES`."""
    sizes, tolerances = np.minimum(own.atol / ATOL, 1.0), np.maximum(TOLERANCES[shorter] * setting.rtol, EPS)
    return _series(step, sizes).many(x, reach, tolerances, own.theta, setting.weight, sizes)


def _series(step: FusedStep, sizes: Array, patient: bool = False) -> TaylorSteps:
    scaled = bool((sizes < 1.0).any())
    found: TaylorSteps = step.once(("series", scaled, patient), lambda: TaylorSteps(step, scaled, patient))
    return found


def landed(setting: Setting, step: FusedStep, x: Array, course: Course, own: Own) -> Trials:
    """Return the steps of motions from states x (N, 2n+1), one motion after another, projected and recorded.

    The motions have their own parameters and tolerances. The error of a step is what its series leaves out, or
    what the projection moves behind it, whichever is larger: what steps leave of the constraints adds up to the end of
    the call. A series does not see what is flat at the start of the step, a short pulse say: inside the step it is
    compared with the acceleration. Behind the first error above 1 of a motion nothing is taken.
    """
    n, weight, count = step.n, setting.weight, course.counts
    landings: Landings = step.once("landings", lambda: Landings(step))
    theta, atol, theirs, inside = own.theta, own.atol, own.theta, own.theta
    ends: tuple[Any, Any, Any] = 0, slice(0, -1), slice(1, None)  # among the states: starts, both ends of steps
    if len(count) > 1:
        of = np.repeat(np.arange(len(count)), count)
        places = np.arange(len(of)) + of
        ends, theta, atol = (np.cumsum(count + 1) - count - 1, places, places + 1), theta[of], atol[of]
        inside, theirs = np.tile(theta, (INSIDE.size, 1)), np.repeat(own.theta, count + 1, axis=0)
    moved, off, far = landings.projected(course.states, theta, weight)
    states = np.empty((2 * n + 1, len(moved) + len(count))).T  # with the start of each motion in front of it
    first, left, right = ends
    states[right], states[first] = moved, x
    y = np.abs(states[:, 1:])
    scale = atol + setting.rtol * np.maximum(y[left], y[right])
    a = landings.accelerations(course.inner.reshape(2 * n + 1, -1).T, inside, weight)
    defect = np.abs(a.T.reshape(course.changes.shape) * course.steps - course.changes).max(axis=1).T / DEFECT
    off_series = np.maximum(course.rests, np.abs(moved - course.states)[:, 1:])
    off_series[:, n:] = np.maximum(off_series[:, n:], defect)
    error = (off_series / scale).max(axis=1)
    taken, steps = error <= 1.0, course.steps
    if not taken.all():
        taken = np.concatenate([np.logical_and.accumulate(part) for part in np.split(taken, np.cumsum(count)[:-1])])
        steps = np.where(taken, steps, 0.0)
    short, misfit, noise = landings.records(states, theirs, weight)
    records, shares = np.concatenate([short[left].T, off.T, error[None]]).T, np.concatenate([misfit[left].T, far.T]).T
    pivots = short[:, short.shape[1] + 3 + int(StepScalar.PIVOT)]
    records[:, StepScalar.PIVOT] = np.minimum(pivots[left], pivots[right])
    noisy, last = (noise[left] / scale[:, n:]).max(axis=1), np.concatenate([short[-1], off[-1], [0.0]])
    return Trials(moved, steps, course.steps, records, noisy, taken, shares, last)
