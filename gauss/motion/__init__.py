"""Motion: integration with projection, events, contacts, singular positions and branches, and what comes of it."""

from gauss.motion.branches import Branch, MotionTree
from gauss.motion.hybrid import HybridMotion, Mode, Overload, Switch, hybrid
from gauss.motion.leaving import motions
from gauss.motion.monitors import Event
from gauss.motion.projection import consistent
from gauss.motion.sampled import Sampled
from gauss.motion.simulate import MotionWarning, simulate
from gauss.motion.trajectory import Ending, MotionEvent, Trajectory

__all__ = [
    "Branch",
    "Ending",
    "Event",
    "HybridMotion",
    "Mode",
    "MotionEvent",
    "MotionTree",
    "MotionWarning",
    "Overload",
    "Sampled",
    "Switch",
    "Trajectory",
    "consistent",
    "hybrid",
    "motions",
    "simulate",
]
