"""Motion: integration with projection, events and contacts, and the trajectory that comes of it."""

from gauss.motion.monitors import Event
from gauss.motion.projection import consistent
from gauss.motion.simulate import MotionWarning, simulate
from gauss.motion.trajectory import Ending, MotionEvent, Trajectory

__all__ = ["Ending", "Event", "MotionEvent", "MotionWarning", "Trajectory", "consistent", "simulate"]
