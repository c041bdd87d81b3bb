"""Motion: integration with projection, events, contacts, singular positions and branches, and what comes of it."""

from gauss.motion.ensemble import simulate_many
from gauss.motion.events.event_location import Event
from gauss.motion.hybrid import HybridMotion, Mode, Overload, Switch, hybrid
from gauss.motion.record.measures import sigma_min_along
from gauss.motion.record.trajectory import Ending, MotionEvent, Trajectory
from gauss.motion.several.branches import Branch, MotionTree, in_place_of_a_run
from gauss.motion.several.non_lipschitz import motions
from gauss.motion.simulate import simulate
from gauss.motion.steps.consistent_state import consistent
from gauss.motion.steps.sampled import Sampled
from gauss.motion.steps.staged import StagedStepper
from gauss.motion.steps.steppers import Setting, stepper_of

__all__ = [
    "Branch",
    "Ending",
    "Event",
    "HybridMotion",
    "Mode",
    "MotionEvent",
    "MotionTree",
    "Overload",
    "Sampled",
    "Setting",
    "StagedStepper",
    "Switch",
    "Trajectory",
    "consistent",
    "hybrid",
    "in_place_of_a_run",
    "motions",
    "sigma_min_along",
    "simulate",
    "simulate_many",
    "stepper_of",
]
