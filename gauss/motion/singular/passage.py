"""The passage of a singular position: the motion in a window is recorded, with what happens and lies on its way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gauss.foundation.arrays import Array
from gauss.motion.integrator import Integrator
from gauss.motion.record.trajectory import MotionEvent
from gauss.motion.segments import handle
from gauss.motion.singular.collocation import Window, WindowStepper, projected
from gauss.motion.singular.crossing import SingularCrossing, crossings_in
from gauss.motion.steps.steppers import Stepper

START = 1e-8  # share of a window up to which the singular position at its start is that start


def take(integrator: Integrator, window: Window, note: Callable[[Stepper, Array], object]) -> None:
    """Record the motion in a window, up to an event that changes the rows in force, and go on from there.

    `note` is told each state on the way.
    """
    passed = integrator.locked is None and window.end == 1.0 and window.off < 1.0
    crossings = crossings_in(window, integrator.stepper) if passed else []
    if window.singular == 0.0:  # the motion begins there, but for the rounding of a root
        at = window.t + START * window.h
        crossings = [replace(crossing, t=window.t) if crossing.t <= at else crossing for crossing in crossings]
    integrator.windows.append(window)
    try:
        _through(integrator, window, note)
    finally:
        left = integrator.t
        integrator.windows[-1] = replace(window, end=min((left - window.t) / window.h, 1.0))
        integrator.log += [event_of(crossing) for crossing in crossings if crossing.t <= left]


def _through(integrator: Integrator, window: Window, note: Callable[[Stepper, Array], object]) -> None:
    """Record the motion in a window; what the user watches is logged on the way."""
    stepper, monitors = WindowStepper(window, integrator.stepper), integrator.monitors
    for t in _times_in(integrator, window):
        while integrator.x[0] < t:
            following = projected(window, stepper.inner, (t - window.t) / window.h)
            record, away = integrator.window_record(window), integrator.away(window)
            note(stepper.inner, integrator.x)
            found = None
            if len(monitors):
                unsure = integrator.setting.rtol
                found = monitors.find(integrator.x, following, record, t - integrator.t, stepper, unsure)
            integrator.record(integrator.x[None], record[None], solve=away)
            if found is None:
                integrator.x = following
                integrator.x[0] = t
                continue
            integrator.x = stepper.step(integrator.x, found.h)[0] if found.h > 0.0 else integrator.x
            handle(integrator, found.which)
            if integrator.monitors is not monitors:
                return


def _times_in(integrator: Integrator, window: Window) -> list[float]:
    """Return the times in a window at which its motion is recorded, and where it ends."""
    end = min(window.t + window.end * window.h, integrator.t_end)
    if integrator.fixed is None:
        inner: Array = window.t + window.h * window.shares
    else:
        count = int((end - window.t) / integrator.fixed + 1e-9)
        inner = np.asarray(window.t + integrator.fixed * np.arange(1, count + 1), dtype=float)
        if end < integrator.t_end and inner.size and window.end == 1.0:
            end = float(inner[-1])
    slack = 1e-9 * window.h
    return [*(float(t) for t in inner if window.t + slack < t < end - slack), end]


def event_of(crossing: SingularCrossing) -> MotionEvent:
    """Return the event of a crossing for the log."""
    place, name = tuple(crossing.q.tolist()), " + ".join(crossing.rows)
    return MotionEvent(crossing.t, "singular", name, crossing.sigma_min, q=place, verdict=crossing.verdict)
