"""`Singularities`: singular positions on the way of a motion, left at its start, passed through, or its end at rest."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np

from gauss.foundation.arrays import Array, length
from gauss.model.compiled.steps.looks import SHORTEST
from gauss.model.state import State
from gauss.motion.events.stalling import Stop
from gauss.motion.integrator import RECENT, Integrator
from gauss.motion.record.trajectory import Ending, MotionEvent
from gauss.motion.segments import mind_redundant
from gauss.motion.singular.calm import doubts
from gauss.motion.singular.collocation import Window
from gauss.motion.singular.crossing import DIP, SingularCrossing, crossings_in, window_from, windows_across
from gauss.motion.singular.locked import LockedStepper, window_out
from gauss.motion.singular.look_ahead import FEW, LookAhead, Path
from gauss.motion.singular.missing import Approach, Interpolant, approaches
from gauss.motion.singular.passage import event_of, take
from gauss.motion.singular.redundant import EVEN
from gauss.motion.singular.resting import Rest, rest_ahead, rest_in, resting
from gauss.motion.singular.spectrum import SINGULAR, MotionPiece
from gauss.motion.singular.tangent_branches.guided import Guide, window_along
from gauss.motion.singular.tangent_branches.meeting import Meeting, meeting_ahead, meeting_along, meeting_in
from gauss.motion.singular.vanishing import LOOKS, vanishing_step
from gauss.motion.steps.steppers import FusedStepper
from gauss.uniqueness.clear import apart_at_least

FIXED_AHEAD = 8.0  # fixed steps within which a singular position must be expected for a window to be tried
AT_ONCE = 0.05  # share of a step: nearer singular positions are left by a window that starts there
AGAIN = 0.25  # share of the time until such a place behind which it is looked for again
BEYOND = 1.5  # times the time until a singular position within which steps may lead over it
LASTING = 3.0  # gain in volume at a singular position ahead for which rows are exchanged before it
REACHES = (100.0, 1.0)  # times the run that a window out of a start may take: near its start the rows say too little


class Singularities:
    """What a run does about singular positions, with what it remembers for that."""

    KEPT: tuple[str, ...] = (
        "_look_ahead",
        "_not_before",
        "_nearer",
        "_untouched",
        "_speed",
        "_longest",
        "_until",
        "_near",
    )

    def __init__(self, integrator: Integrator):
        self.integrator = integrator
        self._look_ahead = LookAhead()
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
        integrator = self.integrator
        if guide is not None:
            self._follow(guide, a0)
            return
        x, stepper, rtol = integrator.x, integrator.stepper, integrator.setting.rtol
        window = None if np.any(a0) or np.any(x[integrator.system.n + 1 :]) else resting(x, integrator.t_end)
        for reach in REACHES if obliged else REACHES[-1:]:
            span = reach * integrator.span
            if isinstance(stepper, LockedStepper):
                window = window or window_out(stepper, x, a0, span)
            else:
                window = window or window_from(stepper, x, a0, span, rtol, obliged)
        if window is not None:
            self._go(window)
        elif obliged:
            raise Stop(
                "singular",
                f"the motion does not leave the singular position at t = {integrator.t:.9g} s on a smooth branch with"
                " the acceleration given by the conditions of order 4",
            )

    def _follow(self, guide: Guide, a0: Array) -> None:
        """Leave a singular position on a branch, until the rows tell it from others. Raises Stop where they do not."""
        integrator, first, agreed = self.integrator, True, False
        integrator.log.append(
            MotionEvent(
                integrator.t, "singular", guide.label, 0.0, q=tuple(integrator.state.q.tolist()), verdict="branching"
            )
        )
        while integrator.x[0] < integrator.t_end - integrator.resolution:
            left = integrator.t_end - integrator.t
            window = window_along(guide, integrator.stepper, integrator.x, a0, left, first)
            if window is None and agreed:
                return
            if window is None:
                raise Stop(
                    "singular",
                    f"at t = {integrator.t:.9g} s the motion on {guide.label} comes to where the branch is not known"
                    " any more, and the rows do not tell it from others yet",
                )
            x, first = integrator.x, False
            monitors = integrator.monitors
            meeting = meeting_along(window, guide, integrator.setting, integrator.control)
            if meeting is not None:
                self._meet(meeting)
            self._go(window)
            agreed = window.off <= 1.0
            told = agreed and self._look_ahead.unresolved(integrator.stepper, integrator.x) is None
            if told or integrator.monitors is not monitors or integrator.x is x:
                return

    def ahead(self, h: float) -> bool:
        """Deal with what lies within a step h or so; return whether anything was done in place of the step.

        Raises Stop where the motion comes to rest and goes on in several ways.
        """
        integrator, self._longest = self.integrator, max(self._longest, h)
        smooth = self._turning
        heeds = smooth and integrator.x[0] > self._not_before
        if smooth and not heeds:
            heeds = self._look_ahead.note(integrator.stepper, integrator.x) <= self._nearer
        self._watched = heeds and integrator.locked is None
        before, self._speed = self._speed, float(np.linalg.norm(integrator.x[integrator.system.n + 1 :]))
        slowing = heeds and self._speed < before
        rest = rest_ahead(integrator.stepper, integrator.x, h, integrator.control) if slowing else None
        if rest is not None:
            self._come_to(rest)
            return True
        if self._watched and self.cross(h if integrator.fixed is None else FIXED_AHEAD * integrator.fixed):
            return True
        apart = (
            self._look_ahead.unresolved(integrator.stepper, integrator.x)
            if smooth and integrator.locked is None
            else None
        )
        if apart is None:
            return False
        meeting = meeting_ahead(integrator.stepper, self._recent(), integrator.control)
        if meeting is None:
            raise Stop(
                "undecided",
                f"at t = {integrator.t:.9g} s another branch of the constraint set is {apart:.2g} of the position away:"
                " the tolerance of the motion does not tell which of them it is on",
            )
        self._meet(meeting)
        return True

    @property
    def _turning(self) -> bool:
        """Whether the rows in force may become dependent on the way: those that stay the same do not."""
        integrator = self.integrator
        return bool(integrator.rows) and not integrator.contacts and not integrator.system.model.steady

    @property
    def many(self) -> bool:
        """Whether what lies ahead can be looked for at many states at once."""
        integrator = self.integrator
        return integrator.locked is None and not self.wary and integrator.t > self._not_before

    def clear(self, states: Array, steps: Array, a: Array) -> int:
        """Return before how many of consecutive steps nothing lies that `ahead` and `within` would deal with.

        `states` (k+1, 2n+1) are those that the steps join, `steps` (k,) the longest that were tried from each, `a`
        (k, n) their accelerations. What one look tells is asked of all at once, the rest where that leaves a doubt.
        """
        integrator, stepper, k = self.integrator, self.integrator.stepper, len(steps)
        assert isinstance(stepper, FusedStepper)
        kept, longest = k, np.maximum.accumulate(np.maximum(steps, self._longest))
        if self._turning:
            ahead, starts = self._look_ahead, np.zeros(1, dtype=int)
            path = Path.of(states[:-1], states[1:], steps, a, stepper.theta, integrator.t_end, starts)
            seen, rests, heads, falls = doubts(ahead, stepper, path, longest, self._speed)
            falls &= path.states[:, 0] > self._untouched
            if integrator.clear and not integrator.count:
                ahead.begin(apart_at_least(len(integrator.rows)), float(seen.indicators[0]))
            doubtful, done = rests | heads | falls | seen.inside, 0
            while done < k:
                near = doubtful | ahead.hides(stepper, seen)
                near[:done] = False
                i = int(np.argmax(near)) if near.any() else k
                ahead.take_over(stepper, seen, i)
                if i == k:
                    break
                x, within = states[i], float(seen.sizes.within[i])
                if (
                    (rests[i] and rest_ahead(stepper, x, float(steps[i]), integrator.control) is not None)
                    or (heads[i] and ahead.expected(stepper, x, within, float(longest[i])) is not None)
                    or (falls[i] and ahead.note(stepper, x) and ahead.touching() is not None)
                    or ahead.unresolved(stepper, x) is not None
                    or (seen.inside[i] and ahead.inside(stepper, x, states[i + 1]) is not None)
                ):
                    kept = i
                    break
                done = i + 1
        if kept:
            self._longest, self._speed = float(longest[kept - 1]), length(states[kept - 1, integrator.system.n + 1 :])
        return kept

    def within(self, h: float, following: Array) -> bool:
        """Pass through a singular position inside a step h that has been tried; return whether there was one."""
        integrator = self.integrator
        seen = self._watched and integrator.system.n * len(integrator.rows) <= FEW
        time = self._look_ahead.inside(integrator.stepper, integrator.x, following) if seen else None
        return time is not None and self.cross(h, time)

    def dip(self, states: Array, records: Array) -> int | None:
        """Return the first of equal steps that should begin a window, as the rows head for dependence, or None.

        `states` are those that the steps have reached; where a row has turned round in them, it vanishes on the way.
        """
        integrator = self.integrator
        if not self._turning:
            return None
        assert integrator.fixed is not None
        sines = np.sqrt(np.maximum(records[:, -9], 0.0))
        falling = sines[:-1] - sines[1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            soon = (falling > 0.0) & (sines[1:] / falling < FIXED_AHEAD)
        times = integrator.t + integrator.fixed * np.arange(1, len(records))
        soon &= times > self._not_before
        first = [int(np.argmax(soon)) + 1] if np.any(soon) else []
        return min(first + self._vanishing(states) + self._unresolved(states), default=None)

    def _unresolved(self, states: Array) -> list[int]:
        """Return the equal step behind which branches are nearer to each other than the tolerance, in a list, or []."""
        stepper, looks = self.integrator.stepper, np.unique(np.linspace(1, len(states), LOOKS).astype(int)).tolist()
        near = (k for k in looks if self._look_ahead.unresolved(stepper, states[k - 1]) is not None)
        return list(islice(near, 1))

    def _vanishing(self, states: Array) -> list[int]:
        """Return the equal step at which a window should begin for a row that vanishes, in a list, or an empty list."""
        integrator = self.integrator
        assert integrator.fixed is not None
        if integrator.system.n * len(integrator.rows) > FEW:
            return []
        look = self._look_ahead.look
        step = vanishing_step(lambda k: look(integrator.stepper, states[k - 1] if k else integrator.x)[2], len(states))
        if step is None:
            return []
        step = max(step - int(FIXED_AHEAD / 2), 0)
        return [step] if integrator.t + integrator.fixed * step > self._not_before else []

    def cross(self, h: float, inside: float | None = None) -> bool:
        """Pass through the singular position that is expected within a step or so, or `inside` it after a time (s).

        Steps that something else keeps short do not make windows short, where the rows are nearly dependent throughout.
        """
        integrator = self.integrator
        n, x, stepper = integrator.system.n, integrator.x, integrator.stepper
        size, speed = (float(np.linalg.norm(part)) for part in (x[1 : n + 1], x[n + 1 :]))
        h = max(h, min(SHORTEST * size / speed, integrator.t_end - integrator.t) if speed > 0.0 else 0.0)
        time = self._look_ahead.expected(stepper, x, h, self._longest)
        time = inside if time is None else time
        if time is None and self._touches():
            return True
        if time is None or time < integrator.resolution:
            return False
        if mind_redundant(integrator, EVEN) or mind_redundant(
            integrator, LASTING, time
        ):  # others may stay independent here
            return False
        window = None
        if time < AT_ONCE * h:
            verdict = integrator.verdict()
            if verdict.answer is not None:
                window = window_from(stepper, x, verdict.answer.a, 10.0 * h, integrator.setting.rtol)
        else:
            window = next(windows_across(stepper, x, time, max(h, time), integrator.setting.rtol), None)
        if window is None or any(each.missed == "not zero" for each in self._approached(window)):
            self._not_before, self._until = integrator.t + time / 2.0, integrator.t + BEYOND * time
            self._nearer = self._look_ahead.indicator(stepper, x) / 2.0
            return self._touches()
        rest = rest_in(window, integrator.setting, integrator.control)
        if rest is not None:
            self._come_to(rest)
        else:
            self._go(window)
        return True

    def _go(self, window: Window) -> None:
        """Take a window up to where branches touch in it: raise Stop there."""
        integrator = self.integrator
        seen = integrator.locked is None and integrator.rows
        meeting = meeting_in(window, integrator.stepper, self._recent(), integrator.control) if seen else None
        if meeting is not None:
            self._meet(meeting)
        else:
            self._take(window)

    def _take(self, window: Window) -> None:
        take(self.integrator, window, self._look_ahead.note)

    def _approached(self, path: MotionPiece, bound: float = SINGULAR) -> list[Approach]:
        """Return the singular positions that a path leads over or beside. Raises Stop where that is undecided."""
        found = approaches(path, self.integrator.stepper, bound)
        missed = [each for each in found if each.missed != "zero"]
        self._near = next((each for each in missed if each.missed == "not zero"), self._near)
        if missed and missed[0].missed == "undecided":
            raise Stop("undecided", missed[0].sentence)
        return found

    @property
    def wary(self) -> bool:
        """Whether steps are looked at one by one, for they may lead over a singular position."""
        return self.integrator.t < self._until

    def leave_behind(self, x: Array) -> None:
        """Stay wary behind a turn in the fixed step from a state x: as long as steps before one are looked at."""
        integrator = self.integrator
        before, now = (self._look_ahead.indicator(integrator.stepper, y) for y in (x, integrator.x))
        if integrator.fixed is not None and now < FIXED_AHEAD * abs(now - before):
            self._until = max(self._until, integrator.t + integrator.fixed)

    def leaps(self, following: Array) -> bool:
        """Return whether a step leads over a singular position that the constraints miss; keep those that they do not.

        Raises Stop where that is undecided.
        """
        integrator, stepper = self.integrator, self.integrator.stepper
        self._passed = []
        if not self.wary:
            return False
        a, b = (stepper.accelerate(x)[0] for x in (integrator.x, following))
        path = Interpolant.between(integrator.x, a, following, b)
        found = self._approached(path, DIP)
        if any(each.missed == "not zero" for each in found):
            return True
        self._passed = crossings_in(path, stepper) if found else []
        return False

    def log_passed(self) -> None:
        """Log the singular positions that the last step has passed, up to the current time."""
        self.integrator.log += [event_of(crossing) for crossing in self._passed if crossing.t <= self.integrator.t]

    def told(self, ending: Ending) -> Ending:
        """Return an ending with the cause, where the run ends in a turn beside a singular position."""
        if self._near is None or not self.wary or ending.kind not in ("singular", "failed"):
            return ending
        return Ending("singular", self._near.sentence)

    def _touches(self) -> bool:
        """End the run where branches touch, if the last states lead there; return whether they do."""
        integrator = self.integrator
        left = self._look_ahead.touching() if integrator.t > self._untouched else None
        if left is None:
            return False
        meeting = meeting_ahead(integrator.stepper, self._recent(), integrator.control)
        if meeting is None:
            self._untouched = integrator.t + AGAIN * left
            return False
        self._meet(meeting)
        return True

    def _recent(self) -> Array:
        """Return the last states (k, 2n+1) of the motion with the rows in force now, and the present one."""
        integrator = self.integrator
        blocks = [block.states for block in integrator.blocks[-RECENT:] if block.rows == integrator.rows]
        return np.vstack([*blocks, integrator.x[None]])[-RECENT:]

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
        integrator = self.integrator
        self._take(window)
        if integrator.x[0] < state.t:
            return
        integrator.x = np.concatenate([[state.t], state.q, state.v])
        raise Stop("singular", f"at t = {state.t:.9g} s {message}")
