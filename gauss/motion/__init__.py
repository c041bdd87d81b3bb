"""Motion: integration with projection, events, contacts, singular positions and branches, and what comes of it."""

from gauss.motion.branches import Branch, MotionTree
from gauss.motion.leaving import motions
from gauss.motion.monitors import Event
from gauss.motion.projection import consistent
from gauss.motion.simulate import MotionWarning, simulate
from gauss.motion.trajectory import Ending, MotionEvent, Trajectory

__all__ = [
    "Branch",
    "Ending",
    "Event",
    "MotionEvent",
    "MotionTree",
    "MotionWarning",
    "Trajectory",
    "consistent",
    "motions",
    "simulate",
]
