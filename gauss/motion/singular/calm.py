"""Whether anything lies on the way of a motion: what one look at many of its states tells, or at many motions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gauss.foundation.arrays import Array, Flags
from gauss.motion.singular.look_ahead import LookAhead, Path, Seen
from gauss.motion.singular.resting import may_rest
from gauss.motion.steps.steppers import FusedStepper


class Doubts(NamedTuple):
    """At which of k states something may lie ahead: at the others, nothing does."""

    seen: Seen  # with `inside`, what may be in the step that follows
    rests: Flags  # (k,) see `may_rest`
    heads: Flags  # (k,) see `LookAhead.expects`
    falls: Flags  # (k,) see `LookAhead.falls`


def doubts(look: LookAhead, stepper: FusedStepper, path: Path, longest: Array, speed: float = np.inf) -> Doubts:
    """Return where something may lie ahead on a path, `longest` (k,) being the longest steps so far.

    `speed` is that before its first states: only a motion that becomes slower may come to rest.
    """
    seen = look.along(stepper, path)
    before = np.empty(len(longest))
    before[1:], before[path.starts] = seen.sizes.speed[:-1], speed
    rests = may_rest(stepper, path, seen.sizes, seen.sizes.speed < before)
    return Doubts(seen, rests, look.expects(stepper, path, seen, longest), look.falls(seen))
