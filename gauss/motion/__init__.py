"""Motion: integration with projection, events, contacts, singular positions and branches, and what comes of it."""

from gauss.motion.ensemble import simulate_many
from gauss.motion.events.event import Event
from gauss.motion.hybrid import HybridMotion, Mode, Overload, Switch, hybrid
from gauss.motion.record.checkpoint import Checkpoint
from gauss.motion.record.measures import sigma_min_along as sigma_min_along
from gauss.motion.record.open_forces import determined_forces as determined_forces
from gauss.motion.record.trajectory import Ending, MotionEvent, Trajectory
from gauss.motion.record.trajectory import in_place_of_a_run as in_place_of_a_run
from gauss.motion.record.trajectory import require_run as require_run
from gauss.motion.several.branches import Branch, MotionTree
from gauss.motion.several.non_lipschitz import motions
from gauss.motion.simulate import simulate
from gauss.motion.steps.consistent_state import consistent
from gauss.motion.steps.sampled import Sampled
from gauss.motion.steps.staged import StagedStepper as StagedStepper
from gauss.motion.steps.steppers import Setting as Setting
from gauss.motion.steps.steppers import stepper_of as stepper_of

__all__ = [  # for users; what is imported "as" itself is for other rooms and for tests
    "Branch",
    "Checkpoint",
    "Ending",
    "Event",
    "HybridMotion",
    "Mode",
    "MotionEvent",
    "MotionTree",
    "Overload",
    "Sampled",
    "Switch",
    "Trajectory",
    "consistent",
    "hybrid",
    "motions",
    "simulate",
    "simulate_many",
]
