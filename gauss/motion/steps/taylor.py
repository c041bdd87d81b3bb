"""Steps by Taylor series: many at once by heyoka, each state projected and recorded as after any other step."""

from __future__ import annotations

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import EPS
from gauss.model.compiled import FusedStep, StepScalar
from gauss.model.compiled.steps.taylor import INSIDE, Course, Landings, Reach, TaylorSteps, library
from gauss.model.compiled.steps.trials import Trials
from gauss.motion.steps.setting import ATOL, Setting

SHARE = (
    0.001  # largest last term of a series, relative to the state, as a share of the relative tolerance of the motion
)
FINE = 1e-8  # relative tolerance up to which series take so many fewer steps that they pay
SAVED, LARGE = 3e-6, 50  # s for each coordinate, that a step of the pair takes more than its part of a series; no more
LOAD, COMPILE = 0.6, 0.03  # s, to load heyoka and to compile, the latter times the root of the instructions
DEFECT = 10.0  # times the tolerances that a series may differ from the acceleration inside a step, times the step
FEW = 8  # steps of a call that are too few
SHORTER = 0.03, 1e-4  # shares of that term that are tried then


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
    for share in (1.0, *SHORTER):
        course = series_from(setting, step, theta, x, reach, share)
        trials = landed(setting, step, x[None], [course], theta[None], setting.atol[None])
        if np.sum(trials.taken) > min(FEW, len(trials.taken) - 1):
            break
    return trials


def series_from(setting: Setting, step: FusedStep, theta: Array, x: Array, reach: Reach, share: float = 1.0) -> Course:
    """Return steps by Taylor series from x (2n+1,), with last terms of that share of the usual size."""
    sizes = np.minimum(setting.atol / ATOL, 1.0)
    scaled = bool(np.any(sizes < 1.0))
    series: TaylorSteps = step.once(("series", scaled), lambda: TaylorSteps(step, scaled))
    return series(x, reach, max(SHARE * share * setting.rtol, EPS), theta, setting.weight, sizes)


def landed(setting: Setting, step: FusedStep, x: Array, courses: list[Course], theta: Array, atol: Array) -> Trials:
    """Return the steps of N courses from states x (N, 2n+1), one course after another, projected and recorded.

    `theta` (N, p) and `atol` (N, 2n) are those of the courses, all else is in the setting. The error of a step is that
    of the last term of its series, or what the projection moves behind it, whichever is larger: what steps leave of the
    constraints adds up to the end of the call. A series does not see what is flat at the start of the step, a short
    pulse say: inside the step it is compared with the acceleration. Behind the first error above 1 of a course nothing
    is taken.
    """
    n, weight, count = step.n, setting.weight, np.array([len(course.steps) for course in courses])
    landings: Landings = step.once("landings", lambda: Landings(step))
    whole = Course(*(np.concatenate(parts) for parts in zip(*courses, strict=True)))
    of = np.repeat(np.arange(len(courses)), count)
    moved, off = landings.projected(whole.states, theta[of], weight)
    first = np.cumsum(count) - count  # of each course
    before = np.insert(moved, first, x, axis=0)  # with the start of each course in front of it
    left = np.ones(len(before), dtype=bool)
    left[np.cumsum(count + 1) - 1] = False  # states that a step leaves
    reached = np.insert(np.ones(len(moved), dtype=bool), first, False)
    y = np.abs(before[:, 1:])
    scale = atol[of] + setting.rtol * np.maximum(y[left], y[reached])
    error = np.max(np.maximum(whole.tails, np.abs(moved - whole.states)[:, 1:]) / scale, axis=1)
    inside = INSIDE.size
    a = landings.accelerations(whole.inner.reshape(-1, 2 * n + 1), np.repeat(theta[of], inside, axis=0), weight)
    defect = np.max(np.abs(a.reshape(whole.rates.shape) - whole.rates), axis=1) * whole.steps[:, None]
    error = np.maximum(error, np.max(defect / (DEFECT * scale[:, n:]), axis=1))
    taken = np.concatenate([np.logical_and.accumulate(part) for part in np.split(error <= 1.0, first[1:])])
    short, noise = landings.records(before, np.repeat(theta, count + 1, axis=0), weight)
    records = np.column_stack([short[left], off, error])
    pivots = short[:, short.shape[1] + 3 + int(StepScalar.PIVOT)]
    records[:, StepScalar.PIVOT] = np.minimum(pivots[left], pivots[reached])
    noisy = np.max(noise[left] / scale[:, n:], axis=1)
    return Trials(moved, np.where(taken, whole.steps, 0.0), whole.free, records, noisy, taken)
