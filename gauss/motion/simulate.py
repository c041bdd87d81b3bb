"""`simulate`: the motion from a state, each accepted step with an acceleration that minimises the Zwang.

A run is a sequence of segments. In a segment the active rows are fixed: steps use the fused Karush-Kuhn-Tucker system
of those rows, and each accepted state is handed to the quadratic-program solver. A segment ends where a gap closes, a
reaction vanishes, a contact begins to stick or to slip, or the run ends. Singular positions are passed by windows (see
`gauss.motion.singular.collocation`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, overload

from gauss.errors import InputError, MotionWarning
from gauss.foundation.arrays import scalar
from gauss.foundation.calls import advised
from gauss.foundation.progress import Report
from gauss.foundation.threads import warn
from gauss.model import AnySystem, system_of
from gauss.motion.events.event import Event
from gauss.motion.record.checkpoint import Checkpoint
from gauss.motion.record.trajectory import Trajectory
from gauss.motion.several.branches import DEPTH, SAMPLES, MotionTree, follow_all, require_one_motion
from gauss.motion.single import follow
from gauss.motion.steps.sampled import Sampled, held_by
from gauss.motion.steps.steppers import Control

__all__ = ["MotionWarning", "Options", "simulate"]


class Options(TypedDict, total=False):
    """The options of `simulate` beside `t_end` and `branches`, as it describes them."""

    t: float
    method: str
    step: float | None
    rtol: float
    atol: float | None
    max_step: float | None
    solver: str
    control: Control | Sampled | dict[str, float] | Sequence[float] | None
    events: Iterable[Event]
    progress: str | Report
    samples: int
    depth: int
    impacts: str
    paradox: str
    allow_energy_gain: bool
    every: int
    checkpoint: str | Path | Checkpoint | None


@overload
def simulate(
    system: AnySystem,
    q: object,
    v: object = None,
    *,
    t_end: float,
    branches: Literal["none"] = "none",
    **options: Unpack[Options],
) -> Trajectory:
    """Return the one motion."""


@overload
def simulate(
    system: AnySystem,
    q: object,
    v: object = None,
    *,
    t_end: float,
    branches: Literal["all"],
    **options: Unpack[Options],
) -> MotionTree:
    """Return all motions."""


@advised
def simulate(
    system: AnySystem,
    q: object,
    v: object = None,
    *,
    t_end: float,
    t: float = 0.0,
    method: str = "dop853",
    step: float | None = None,
    rtol: float = 1e-10,
    atol: float | None = None,
    max_step: float | None = None,
    solver: str = "osqp",
    control: Control | Sampled | dict[str, float] | Sequence[float] | None = None,
    events: Iterable[Event] = (),
    progress: str | Report = "auto",
    branches: str = "none",
    samples: int = SAMPLES,
    depth: int = DEPTH,
    impacts: str = "moreau",
    paradox: str = "end",
    allow_energy_gain: bool = False,
    every: int = 1,
    checkpoint: str | Path | Checkpoint | None = None,
) -> Trajectory | MotionTree:
    """Integrate the motion from (q, v) at time t to t_end and return everything that certifies it.

    `system` is a System or a Mechanism; a whole `State`, as of `assemble` or `consistent`, may stand for q, v and t.

    * `method`: ``dop853`` (adaptive, order 8; `rtol`, `atol`, `max_step`), ``rk4`` (order 4, fixed `step` in s, taken
      in parts where it might lead over a sharp turn beside a singular position), or ``radau`` (adaptive, implicit,
      order 5) for stiff springs, dampers and bushings; looser tolerances suit it; or ``taylor`` (series of order 20 by
      heyoka, ``pip install gauss-dynamics[taylor]``) for many runs of one smooth system without events and contacts, or
      for the smallest tolerances: its first run compiles for up to half a minute, and keeps that on disk. ``auto``
      begins with dop853 and turns to series, where they are possible, once all runs of the system together have taken
      so many steps that they pay; ``run.about.method`` says which. ``moreau`` is time stepping (of order 1, in fixed
      `step`, each `every`-th recorded) for many contacts: it looks for no events, and impacts and contact forces are
      the impulses of a step, which ``run.stepping`` certifies.
      `atol` defaults to 1e-12, and to that share of the size of coordinates and velocities where they are below 1.
      `max_step` defaults to a hundredth of the run where events or contacts are watched, so that short ones are not
      overlooked, and to no limit otherwise. Positions and velocities are projected onto the constraints in the mass
      metric after each step.
    * `solver`: ``osqp`` solves the quadratic program of every recorded state; ``kkt`` records the fused solution
      alone; ``cvxpy`` asks the textbook oracle at every recorded state (slow).
    * `control`: constant controls by name, a function u(t, q, v) evaluated in every stage, or a `Sampled` one, which is
      evaluated once in each period.
    * `events`: functions whose zeros are located to rounding; unilateral rows are watched by themselves.
    * `progress`: ``auto`` draws a bar on a terminal when a run takes long, ``none`` does not; or a function that
      receives the fraction done.
    * `branches`: with ``all`` a `MotionTree` is returned, with one motion for each branch where several leave the
      start; of a continuum `samples` members are followed. A motion that comes to rest at another branching position,
      or to one where branches touch, has the motions that leave it as its children, through `depth` such positions in
      all.
    * `impacts`: the law by which all contacts that close or are closed strike together: ``moreau`` (Moreau's
      projection, the only one in space), ``newton``, ``poisson`` or ``stronge`` (see `gauss.contact.collide`). Impacts
      that accumulate are taken to their limit, an event "accumulation", and the motion goes on in contact.
    * `paradox`: with ``impact`` a state in which no finite contact forces satisfy the law of friction (Painlevé) is
      left by an impact without collision; with ``end`` the run ends there.
    * `allow_energy_gain`: go on through impacts in which the law creates energy, as some published motions do; their
      events have it as `created`. Without it the run ends before the first of them.

    * `checkpoint`: a file ("run.nc") that the run is written to as it goes, about every 10 s, and seldom enough to cost
      less than 5 %. Ended by whatever, the same call goes on from there, and the motion is that of a run that was never
      ended, to the bit (only `solver_distance` of large sparse systems may differ by rounding). A run that is complete
      is returned from its file. The file of another run is refused: another model, start, end or other options.

    The friction of the System acts: contacts stick, slip and open at located times (in space too, where a slip has two
    entries; dry pins without impacts), and the friction forces are the multipliers of its rows ("slip of …").
    ``system.frictionless()`` moves without.

    Singular positions on the way are passed through and logged as events "singular"; rows given more than once are left
    out of the steps, and all multipliers are then those of least norm (``trajectory.about.redundant``). The run stops
    early, with a `MotionWarning` and the reason in ``trajectory.ending``, where a singular position cannot be passed,
    where branches touch so that more than one motion goes on, where rows are so nearly dependent that rounding decides,
    where the law of friction has no solution or several, where a law of impact would create energy, when contacts
    change without end, when a sampled control diverges, when no certified step can be taken, or when anything fails on
    the way: a function of the user, a solver, the memory. Ctrl-C returns what was computed, too.

    Raises InputError, InconsistentStateError, MassMatrixError, NonUniqueAccelerationError and ContradictoryRowsError
    for what is wrong with the arguments or the initial state, and SingularPositionError when no motion or more than one
    leaves the initial state: where the acceleration is not unique, where the force is not Lipschitz continuous and two
    motions are found, and where conditions beyond order 4 lock the motion, which steps do not know. A black-box force
    is examined for its continuity at an equilibrium at rest only, by trials; under a feedback control nothing is.
    FileError for a checkpoint that is damaged, cannot be written, or is that of another run; it says what differs.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ... )
    >>> run = g.simulate(pendulum, q=[1, 0], t_end=2.0)
    >>> (abs(run.energy - run.energy[0]).max() < 1e-9).item()
    True
    """
    _check_branches(branches, samples, depth, control, checkpoint)
    if checkpoint is not None and method == "auto":
        raise InputError(
            "with method 'auto' the steps depend on what was computed before: name the method of a run"
            " with a checkpoint."
        )
    if checkpoint is not None and not isinstance(checkpoint, Checkpoint):
        checkpoint = Checkpoint(checkpoint)
    system = system_of(system)
    state = system.start(q, v, t)
    if method == "moreau":
        given = {"branches": branches != "none", "control": control is not None, "events": bool(tuple(events))}
        given |= {"impacts": impacts != "moreau", "paradox": paradox != "end", "max_step": max_step is not None}
        if any(given.values()):
            names = ", ".join(name for name, there in given.items() if there)
            raise InputError(f"method 'moreau' steps over events, one motion without controls: leave out {names}.")
        from gauss.motion.time_stepping import stepped  # late: no other method needs its rooms

        return stepped(system, state, t_end=t_end, step=step, every=every, progress=progress, checkpoint=checkpoint)
    if every != 1:
        raise InputError("every is an option of method='moreau'.")
    if isinstance(control, Sampled) and control.period > scalar(t_end, "t_end") - state.t > 0.0:
        text = f"the period of the sampled control, {control.period:g} s, is longer than the run: it is asked only once"
        warn(f"{system.name}: {text}; the period is 1/rate.", MotionWarning)
    constant = None if callable(control) else control
    options: dict[str, Any] = {
        "t_end": t_end,
        "method": method,
        "step": step,
        "rtol": rtol,
        "atol": atol,
        "max_step": max_step,
        "solver": solver,
        "control": held_by(control, state.t),
        "events": events,
        "progress": progress,
        "impacts": impacts,
        "paradox": paradox,
        "allow_energy_gain": allow_energy_gain,
        "checkpoint": checkpoint,
    }
    if branches == "all":
        if system.contacts:
            raise InputError("contacts with friction are not followed with branches='all'; see System.frictionless.")
        return follow_all(system, state, constant, samples, options, depth)
    if not system.contacts and not callable(control) and scalar(t_end, "t_end") > state.t:
        require_one_motion(system, state, scalar(t_end, "t_end"), constant)
    return follow(system, state, **options)


def _check_branches(
    branches: str, samples: int, depth: int, control: object, checkpoint: str | Path | Checkpoint | None
) -> None:
    """Raise InputError for wrong options of branches, and for what only one motion can have."""
    if branches not in ("none", "all"):
        raise InputError(f"branches must be 'none' or 'all', got {branches!r}.")
    for name, count in (("samples", samples), ("depth", depth)):
        if not isinstance(count, int) or count < 1:
            raise InputError(f"{name} must be a positive integer, got {count!r}.")
    if checkpoint is not None and branches == "all":
        raise InputError("a checkpoint is the file of one motion: it cannot be used with branches='all'.")
    if branches == "all" and isinstance(control, Sampled):
        raise InputError("a sampled control remembers one motion: it cannot be used with branches='all'.")
