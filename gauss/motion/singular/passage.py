"""`Passage`: singular positions on the way of a motion, left at its start, passed through, or its end at rest."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np

from gauss.foundation.arrays import Array
from gauss.model.state import State
from gauss.motion.course import Course
from gauss.motion.events.guards import Stop
from gauss.motion.record.trajectory import Ending, MotionEvent
from gauss.motion.segments import handle, mind_redundant
from gauss.motion.singular.crossing import DIP, SingularCrossing, crossings_in, window_from, windows_across
from gauss.motion.singular.locked import LockedStepper, window_out
from gauss.motion.singular.missing import Approach, Hop, approaches
from gauss.motion.singular.outlook import LOOKS, Outlook, vanishing_step
from gauss.motion.singular.redundant import EVEN
from gauss.motion.singular.resting import Rest, rest_ahead, rest_in, resting
from gauss.motion.singular.spectrum import SINGULAR, MotionPiece
from gauss.motion.singular.touching.guided import Guide, window_along
from gauss.motion.singular.touching.meeting import Meeting, meeting_ahead, meeting_along, meeting_in
from gauss.motion.singular.window import Window, WindowStepper, projected

FIXED_AHEAD = 8.0  # fixed steps within which a singular position must be expected for a window to be tried
FEW = 200  # coordinates times rows up to which each step looks for rows that have turned round
SHORTEST = 0.05  # share of the time |q|/|v| that is not too long for a window
AT_ONCE = 0.05  # share of a step: nearer singular positions are left by a window that starts there
AGAIN = 0.25  # share of the time until such a place behind which it is looked for again
RECENT = 12  # states from which a place where branches touch is extrapolated
BEYOND = 1.5  # times the time until a singular position within which steps may lead over it
LASTING = 3.0  # gain in volume at a singular position ahead for which rows are exchanged before it
REACHES = (100.0, 1.0)  # times the run that a window out of a start may take: near its start the rows say too little


class Passage:
    """What a run does about singular positions, with what it remembers for that."""

    def __init__(self, course: Course):
        self.course = course
        self._outlook = Outlook()
        self._not_before = -np.inf  # time up to which windows have been tried in vain
        self._nearer = 0.0  # indicator of dependence from which they are tried again before that time
        self._untouched = -np.inf  # time up to which places where branches touch have been looked for in vain
        self._speed = np.inf  # before the last step
        self._longest = 0.0  # step so far, s
        self._watched = False  # whether singular positions are watched for in the present step
        self._until = -np.inf  # time up to which steps may lead over a singular position
        self._passed: list[SingularCrossing] = []  # in the last step
        self._near: Approach | None = None  # the singular position that the constraints miss there

    def leave(self, a0: Array, obliged: bool, guide: Guide | None = None) -> None:
        """Leave a singular position at the start with a given acceleration, or rest there.

        Raises Stop where that is not possible, if it is `obliged` to.
        """
        course = self.course
        if guide is not None:
            self._follow(guide, a0)
            return
        x, stepper, rtol = course.x, course.stepper, course.setting.rtol
        window = None if np.any(a0) or np.any(x[course.system.n + 1 :]) else resting(x, course.t_end)
        for reach in REACHES if obliged else REACHES[-1:]:
            span = reach * course.span
            if isinstance(stepper, LockedStepper):
                window = window or window_out(stepper, x, a0, span)
            else:
                window = window or window_from(stepper, x, a0, span, rtol, obliged)
        if window is not None:
            self._go(window)
        elif obliged:
            raise Stop(
                "singular",
                f"the motion does not leave the singular position at t = {course.t:.9g} s on a smooth branch with the"
                " acceleration given by the conditions of order 4",
            )

    def _follow(self, guide: Guide, a0: Array) -> None:
        """Leave a singular position on a branch, until the rows tell it from others. Raises Stop where they do not."""
        course, first, agreed = self.course, True, False
        course.log.append(
            MotionEvent(course.t, "singular", guide.label, 0.0, q=tuple(course.state.q.tolist()), verdict="branching")
        )
        while course.x[0] < course.t_end - course.resolution:
            left = course.t_end - course.t
            window = window_along(guide, course.stepper, course.x, a0, left, first)
            if window is None and agreed:
                return
            if window is None:
                raise Stop(
                    "singular",
                    f"at t = {course.t:.9g} s the motion on {guide.label} comes to where the branch is not known any"
                    " more, and the rows do not tell it from others yet",
                )
            x, first = course.x, False
            monitors = course.monitors
            meeting = meeting_along(window, guide, course.setting, course.control)
            if meeting is not None:
                self._meet(meeting)
            self._go(window)
            agreed = window.off <= 1.0
            told = agreed and self._outlook.unresolved(course.stepper, course.x) is None
            if told or course.monitors is not monitors or course.x is x:
                return

    def ahead(self, h: float) -> bool:
        """Deal with what lies within a step h or so; return whether anything was done in place of the step.

        Raises Stop where the motion comes to rest and goes on in several ways.
        """
        course, self._longest = self.course, max(self._longest, h)
        smooth = bool(course.rows) and not course.contacts
        heeds = smooth and course.x[0] > self._not_before
        if smooth and not heeds:
            heeds = self._outlook.note(course.stepper, course.x) <= self._nearer
        self._watched = heeds and course.locked is None
        before, self._speed = self._speed, float(np.linalg.norm(course.x[course.system.n + 1 :]))
        slowing = heeds and self._speed < before
        rest = rest_ahead(course.stepper, course.x, h, course.control) if slowing else None
        if rest is not None:
            self._come_to(rest)
            return True
        if self._watched and self.cross(h if course.fixed is None else FIXED_AHEAD * course.fixed):
            return True
        apart = self._outlook.unresolved(course.stepper, course.x) if smooth and course.locked is None else None
        if apart is None:
            return False
        meeting = meeting_ahead(course.stepper, self._recent(), course.control)
        if meeting is None:
            raise Stop(
                "undecided",
                f"at t = {course.t:.9g} s another branch of the constraint set is {apart:.2g} of the position away:"
                " the tolerance of the motion does not tell which of them it is on",
            )
        self._meet(meeting)
        return True

    def within(self, h: float, following: Array) -> bool:
        """Pass through a singular position inside a step h that has been tried; return whether there was one."""
        course = self.course
        seen = self._watched and course.system.n * len(course.rows) <= FEW
        time = self._outlook.inside(course.stepper, course.x, following) if seen else None
        return time is not None and self.cross(h, time)

    def dip(self, states: Array, records: Array) -> int | None:
        """Return the first of equal steps that should begin a window, as the rows head for dependence, or None.

        `states` are those that the steps have reached; where a row has turned round in them, it vanishes on the way.
        """
        course = self.course
        assert course.fixed is not None
        sines = np.sqrt(np.maximum(records[:, -9], 0.0))
        falling = sines[:-1] - sines[1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            soon = (falling > 0.0) & (sines[1:] / falling < FIXED_AHEAD)
        times = course.t + course.fixed * np.arange(1, len(records))
        soon &= times > self._not_before
        first = [int(np.argmax(soon)) + 1] if np.any(soon) else []
        return min(first + self._vanishing(states) + self._unresolved(states), default=None)

    def _unresolved(self, states: Array) -> list[int]:
        """Return the equal step behind which branches are nearer to each other than the tolerance, in a list, or []."""
        stepper, looks = self.course.stepper, np.unique(np.linspace(1, len(states), LOOKS).astype(int)).tolist()
        near = (k for k in looks if self._outlook.unresolved(stepper, states[k - 1]) is not None)
        return list(islice(near, 1))

    def _vanishing(self, states: Array) -> list[int]:
        """Return the equal step at which a window should begin for a row that vanishes, in a list, or an empty list."""
        course = self.course
        assert course.fixed is not None
        if course.system.n * len(course.rows) > FEW:
            return []
        look = self._outlook.look
        step = vanishing_step(lambda k: look(course.stepper, states[k - 1] if k else course.x)[2], len(states))
        if step is None:
            return []
        step = max(step - int(FIXED_AHEAD / 2), 0)
        return [step] if course.t + course.fixed * step > self._not_before else []

    def cross(self, h: float, inside: float | None = None) -> bool:
        """Pass through the singular position that is expected within a step or so, or `inside` it after a time (s).

        Steps that something else keeps short do not make windows short, where the rows are nearly dependent throughout.
        """
        course = self.course
        n, x, stepper = course.system.n, course.x, course.stepper
        size, speed = (float(np.linalg.norm(part)) for part in (x[1 : n + 1], x[n + 1 :]))
        h = max(h, min(SHORTEST * size / speed, course.t_end - course.t) if speed > 0.0 else 0.0)
        time = self._outlook.expected(stepper, x, h, self._longest)
        time = inside if time is None else time
        if time is None and self._touches():
            return True
        if time is None or time < course.resolution:
            return False
        if mind_redundant(course, EVEN) or mind_redundant(course, LASTING, time):  # others may stay independent here
            return False
        window = None
        if time < AT_ONCE * h:
            verdict = course.verdict()
            if verdict.answer is not None:
                window = window_from(stepper, x, verdict.answer.a, 10.0 * h, course.setting.rtol)
        else:
            window = next(windows_across(stepper, x, time, max(h, time), course.setting.rtol), None)
        if window is None or any(each.missed == "not zero" for each in self._approached(window)):
            self._not_before, self._until = course.t + time / 2.0, course.t + BEYOND * time
            self._nearer = self._outlook.indicator(stepper, x) / 2.0
            return self._touches()
        rest = rest_in(window, course.setting, course.control)
        if rest is not None:
            self._come_to(rest)
        else:
            self._go(window)
        return True

    def _go(self, window: Window) -> None:
        """Take a window up to where branches touch in it: raise Stop there."""
        course = self.course
        seen = course.locked is None and course.rows
        meeting = meeting_in(window, course.stepper, self._recent(), course.control) if seen else None
        if meeting is not None:
            self._meet(meeting)
        else:
            self.take(window)

    def _approached(self, path: MotionPiece, bound: float = SINGULAR) -> list[Approach]:
        """Return the singular positions that a path leads over or beside. Raises Stop where that is undecided."""
        found = approaches(path, self.course.stepper, bound)
        missed = [each for each in found if each.missed != "zero"]
        self._near = next((each for each in missed if each.missed == "not zero"), self._near)
        if missed and missed[0].missed == "undecided":
            raise Stop("undecided", missed[0].sentence)
        return found

    @property
    def wary(self) -> bool:
        """Whether steps are looked at one by one, for they may lead over a singular position."""
        return self.course.t < self._until

    def leave_behind(self, x: Array) -> None:
        """Stay wary behind a turn in the fixed step from a state x: as long as steps before one are looked at."""
        course = self.course
        before, now = (self._outlook.indicator(course.stepper, y) for y in (x, course.x))
        if course.fixed is not None and now < FIXED_AHEAD * abs(now - before):
            self._until = max(self._until, course.t + course.fixed)

    def leaps(self, following: Array) -> bool:
        """Return whether a step leads over a singular position that the constraints miss; keep those that they do not.

        Raises Stop where that is undecided.
        """
        course, stepper = self.course, self.course.stepper
        self._passed = []
        if not self.wary:
            return False
        a, b = (stepper.accelerate(x)[0] for x in (course.x, following))
        path = Hop.between(course.x, a, following, b)
        found = self._approached(path, DIP)
        if any(each.missed == "not zero" for each in found):
            return True
        self._passed = crossings_in(path, stepper) if found else []
        return False

    def log_passed(self) -> None:
        """Log the singular positions that the last step has passed, up to the current time."""
        self.course.log += [event_of(crossing) for crossing in self._passed if crossing.t <= self.course.t]

    def told(self, ending: Ending) -> Ending:
        """Return an ending with the cause, where the run ends in a turn beside a singular position."""
        if self._near is None or not self.wary or ending.kind not in ("singular", "failed"):
            return ending
        return Ending("singular", self._near.sentence)

    def _touches(self) -> bool:
        """End the run where branches touch, if the last states lead there; return whether they do."""
        course = self.course
        left = self._outlook.touching() if course.t > self._untouched else None
        if left is None:
            return False
        meeting = meeting_ahead(course.stepper, self._recent(), course.control)
        if meeting is None:
            self._untouched = course.t + AGAIN * left
            return False
        self._meet(meeting)
        return True

    def _recent(self) -> Array:
        """Return the last states (k, 2n+1) of the motion with the rows in force now, and the present one."""
        course = self.course
        blocks = [block.states for block in course.blocks[-RECENT:] if block.rows == course.rows]
        return np.vstack([*blocks, course.x[None]])[-RECENT:]

    def _come_to(self, rest: Rest) -> None:
        """End the run at rest at a position from which several motions go on, unless an event comes first."""
        self._end_at(
            replace(rest.window, end=rest.share),
            rest.state,
            f"{rest.sentence}, and several motions go on from there. {rest.verdict.sentence}",
        )

    def _meet(self, meeting: Meeting) -> None:
        """End the run where the branch that it follows touches others, unless an event comes first."""
        self._end_at(
            replace(meeting.window, end=meeting.share),
            meeting.state,
            f"{meeting.branches} branches touch, and the motion may go on along any of them."
            f" {meeting.found.finding.sentence}",
        )

    def _end_at(self, window: Window, state: State, message: str) -> None:
        """End the run at a state in a window: raise Stop, unless it has ended or an event has changed the rows."""
        course = self.course
        self.take(window)
        if course.x[0] < state.t:
            return
        course.x = np.concatenate([[state.t], state.q, state.v])
        raise Stop("singular", f"at t = {state.t:.9g} s {message}")

    def take(self, window: Window) -> None:
        """Record the motion in a window, up to an event that changes the rows in force, and go on from there."""
        course = self.course
        passed = course.locked is None and window.end == 1.0 and window.off < 1.0
        crossings = crossings_in(window, course.stepper) if passed else []
        course.windows.append(window)
        try:
            self._through(window)
        finally:
            left = course.t
            course.windows[-1] = replace(window, end=min((left - window.t) / window.h, 1.0))
            course.log += [event_of(crossing) for crossing in crossings if crossing.t <= left]

    def _through(self, window: Window) -> None:
        """Record the motion in a window; what the user watches is logged on the way."""
        course = self.course
        stepper, monitors = WindowStepper(window, course.stepper), course.monitors
        for t in self._times_in(window):
            while course.x[0] < t:
                following = projected(window, stepper.inner, (t - window.t) / window.h)
                record, away = course.window_record(window), course.away(window)
                self._outlook.note(stepper.inner, course.x)
                found = None
                if len(monitors):
                    found = monitors.find(course.x, following, record, t - course.t, stepper)
                course.record(course.x[None], record[None], solve=away)
                if found is None:
                    course.x = following
                    course.x[0] = t
                    continue
                course.x = stepper.step(course.x, found.h)[0] if found.h > 0.0 else course.x
                handle(course, found.which)
                if course.monitors is not monitors:
                    return

    def _times_in(self, window: Window) -> list[float]:
        """Return the times in a window at which its motion is recorded, and where it ends."""
        course = self.course
        end = min(window.t + window.end * window.h, course.t_end)
        if course.fixed is None:
            inner: Array = window.t + window.h * window.shares
        else:
            count = int((end - window.t) / course.fixed + 1e-9)
            inner = np.asarray(window.t + course.fixed * np.arange(1, count + 1), dtype=float)
            if end < course.t_end and inner.size and window.end == 1.0:
                end = float(inner[-1])
        slack = 1e-9 * window.h
        return [*(float(t) for t in inner if window.t + slack < t < end - slack), end]


def event_of(crossing: SingularCrossing) -> MotionEvent:
    """Return the event of a crossing for the log."""
    place, name = tuple(crossing.q.tolist()), " + ".join(crossing.rows)
    return MotionEvent(crossing.t, "singular", name, crossing.sigma_min, q=place, verdict=crossing.verdict)
