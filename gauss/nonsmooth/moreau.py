"""`moreau` and `march`: time stepping for many contacts, from step to step without looking for events.

See `gauss.nonsmooth.step` for the scheme, `gauss.nonsmooth.solving.solver` for how the impulses of a step are found,
and `gauss.nonsmooth.position` for the correction of positions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from gauss.errors import InputError, MotionWarning, SolverError, described
from gauss.foundation.arrays import Array, positive, scalar, vector
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Ending
from gauss.foundation.progress import Report, reporter
from gauss.foundation.threads import warn
from gauss.foundation.tolerances import ACCEPTED
from gauss.model import System, system_of
from gauss.model.state import State
from gauss.nonsmooth.contacts import Contacts
from gauss.nonsmooth.mechanical import SystemWorld
from gauss.nonsmooth.position import corrected
from gauss.nonsmooth.record import Entry, March, NonsmoothMotion, Sums, recorded
from gauss.nonsmooth.scene import Scene
from gauss.nonsmooth.solving.solver import ROUNDS
from gauss.nonsmooth.step import StepResult, WarmStart, World, step
from gauss.nonsmooth.world import SceneWorld

OVERLAP = 1e-6  # penetration of a start, as a share of the size, that is refused
HOPELESS = 1e-6  # residual of a step beyond which the run ends
HALVINGS = 3  # of a step whose impulses are not certified
IMPATIENT = 4  # rounds of the solver before a step is halved
MOST_STEPS = 10_000_000  # more are a slip of the pen
NONE = Sums()


class Marching(World, Protocol):
    """A world that says what its bilateral rows do in a step."""

    def held(self, q: Array, v: Array, t: float, h: float, taken: StepResult) -> Array:
        """Return the impulses (e,) of the bilateral rows in a step from (q, v) at t, those of least norm."""


@advised
def moreau(
    scene: Scene,
    q: object = None,
    v: object = None,
    *,
    step: float,
    t_end: float,
    t: float = 0.0,
    every: int = 1,
    progress: str | Report = "auto",
) -> NonsmoothMotion:
    """Move a Scene by Moreau's midpoint scheme in equal steps (s) to t_end; `simulate` does it with a System.

    It starts from its bodies; q and v replace that. The states after every `every`-th step are recorded. The result
    says for each of them whether the impulses of its steps are certified; the run ends early, with a `MotionWarning`
    and the reason in ``motion.ending``, where no impulses are found (residual above 1e-6) and where anything fails on
    the way, a user's function say. Ctrl-C returns what was computed.

    Raises InputError for wrong arguments and for bodies that overlap at the start.

    >>> from gauss.nonsmooth import Disc, HalfPlane, Scene, SceneBody, moreau
    >>> scene = Scene("stone", [SceneBody("stone", Disc(0.1), 2.0, position=(0.0, 1.0))], [HalfPlane()])
    >>> run = moreau(scene, step=1e-2, t_end=0.2)
    >>> run.q[-1].round(9).tolist(), bool(run.certified.all())  # m, m, rad: free flight is exact, 1 − ½ g t²
    ([0.0, 0.8038, 0.0], True)
    """
    if not isinstance(scene, Scene):
        hint = '; a System is moved by gauss.simulate(…, method="moreau", step=…)'
        hint = hint if isinstance(getattr(scene, "system", scene), System) else ""
        raise InputError(f"moreau moves a Scene, got {type(scene).__name__}{hint}.")
    world, state = world_of(scene, q, v, scalar(t, "t"))
    motion = recorded(world, scene.name, march(world, scene.name, state, step, t_end, every, progress))
    words = warnings_of(motion.ending, motion.residual, motion.penetration)
    if words:
        warn(f"{motion.name}: {words}", MotionWarning)
    return motion


@dataclass(frozen=True)
class Halt:
    """Where a march goes on from: what the steps behind a record depend on."""

    steps: int  # taken
    q: Array  # (nq,)
    v: Array  # (nv,)
    memory: WarmStart
    energies: tuple[float, float]  # J


def march(
    world: Marching,
    name: str,
    state: State,
    step: object,
    t_end: object,
    every: object,
    progress: str | Report,
    begun: Halt | None = None,
    reached: Callable[[Halt, March], None] = lambda halt, found: None,
) -> March:
    """Return the states of equal steps (s) from a state to t_end, each `every`-th of them. Raises InputError.

    One that has `begun` goes on behind the records up to there. `reached` is told of each record, with all so far.
    """
    h, end, start = positive(step, "step"), scalar(t_end, "t_end"), state.t
    if end <= start:
        raise InputError(f"t_end = {end:g} must be later than the start t = {start:g}.")
    if not isinstance(every, int | np.integer) or every < 1:
        raise InputError(f"every must be a positive integer, got {every!r}.")
    if not (end - start) / h <= MOST_STEPS:
        raise InputError(
            f"step = {h:g} s makes {(end - start) / h:.3g} steps to t_end; at most {MOST_STEPS} are taken."
        )
    steps = max(1, round((end - start) / h))
    h = (end - start) / steps
    entries: list[Entry] = []
    if begun is None:
        entries = [_at_rest(world, state)]
        _refuse_overlap(world, entries[0].contacts, name)
        begun = Halt(0, state.q, state.v, WarmStart(), entries[0].energies)
    bar = reporter(progress, name)
    bar.begun = begun.steps / steps
    ending = Ending("finished", f"reached t = {end:g} s in {steps} steps.")
    course, last = _Course(begun.q, begun.v, begun.memory, begun.energies, steps=begun.steps), begun.steps
    try:
        for k in range(begun.steps, steps):
            course = _forward(world, course, start + k * h, h)
            if (k + 1) % every == 0 or k + 1 == steps:
                entries.append(course.entry(start + (k + 1) * h))
                course, last = replace(course, sums=NONE), course.steps
                halt = Halt(course.steps, course.q, course.v, course.memory, course.energies)
                reached(halt, March(h, int(every), entries, ending))
            bar((k + 1) / steps)
    except KeyboardInterrupt:
        ending = Ending("interrupted", f"interrupted at t = {start + course.steps * h:.9g} s.")
    except Exception as error:  # of a user's function, a library or ourselves: what was computed is worth more
        ending = Ending("failed", f"stopped at t = {start + course.steps * h:.9g} s: {described(error)}")
    finally:
        bar.close()
    if course.steps > last:  # between two records
        entries.append(course.entry(start + course.steps * h))
    return March(h, int(every), entries, ending)


def warnings_of(ending: Ending, residual: Array, penetration: Array) -> str:
    """Return what is to be said of a motion that ended early, is not certified, or penetrates; nothing of others."""
    doubtful, depth = int(np.sum(residual > ACCEPTED)), float(np.max(penetration))
    words = []
    if ending.kind != "finished":
        words.append(ending.message)
    if doubtful:
        words.append(f"{doubtful} recorded intervals are not certified.")
    if depth > OVERLAP:
        words.append(f"bodies penetrate by up to {depth:.2g} of their size, which could not be corrected.")
    return " ".join(words)


def world_of(subject: object, q: object, v: object, t: float = 0.0) -> tuple[Any, State]:
    """Return the world of a Scene or System, with its checked start. Raises InputError, InconsistentStateError."""
    if isinstance(subject, Scene):
        world = SceneWorld(subject)
        place, speed = world.start()
        place = place if q is None else vector(q, len(place), "q")
        speed = speed if v is None else vector(v, len(speed), "v")
        if subject.spatial:
            place = _unit_quaternions(place)
        return world, State(place, speed * (world.inverse_mass > 0.0), t)
    if isinstance(getattr(subject, "system", subject), System):
        system = system_of(subject)
        if q is None:
            raise InputError(f"the System {system.name!r} needs its start q (and v, if it moves).")
        state, held = system.state(q, v, t), SystemWorld(system)
        held.require_start(state)
        return held, state
    raise InputError(f"time stepping moves a Scene or a System, got {type(subject).__name__}.")


def _unit_quaternions(place: Array) -> Array:
    """Return positions (7b,) with quaternions of unit length. Raises InputError for those that are zero."""
    pose = place.reshape(-1, 7).copy()
    length = np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
    if not np.all(length > 0.0):
        raise InputError("q has a quaternion that is zero; (1, 0, 0, 0) is a body that is not turned.")
    pose[:, 3:] /= length
    return pose.ravel()


def _refuse_overlap(world: Marching, found: Contacts, name: str) -> None:
    depth = -found.gap / found.size
    if found.count and np.max(depth) > OVERLAP:
        k = int(np.argmax(depth))
        one = repr(world.names[found.one[k]])
        what = f"{one} and {world.names[found.two[k]]!r} overlap" if found.two[k] >= 0 else f"the row {one} is violated"
        raise InputError(
            f"at the start of {name!r}, {what} by {-found.gap[k]:.3g}; begin with gaps that are not negative."
        )


@dataclass(frozen=True)
class _Course:
    """The state of a run after `steps` steps; each step makes a new one, so that none is left half done."""

    q: Array
    v: Array
    memory: WarmStart
    energies: tuple[float, float]
    sums: Sums = NONE
    steps: int = 0
    penetration: float = 0.0
    taken: StepResult | None = None
    held: Array = field(default_factory=lambda: np.zeros(0))  # impulses of bilateral rows in the last step

    def entry(self, t: float) -> Entry:
        """Return what is recorded now."""
        taken = self.taken
        assert taken is not None
        return Entry(
            t=t,
            q=self.q,
            v=self.v,
            energies=self.energies,
            sums=self.sums,
            penetration=self.penetration,
            contacts=taken.contacts,
            impulses=taken.impulses.x,
            held=self.held,
        )


def _at_rest(world: Marching, state: State) -> Entry:
    q, v, t = state.q, state.v, state.t
    found = world.contacts(q, np.zeros(0), t, 0.0 * world.reach(v, 1.0))
    depth = float(np.max(-found.gap / found.size, initial=0.0))
    return Entry(t, q, v, world.energies(q, v, t), NONE, depth, found, np.zeros_like(found.offset), np.zeros(0))


def _forward(world: Marching, course: _Course, t: float, h: float, halvings: int = HALVINGS) -> _Course:
    """Return the state after one step, in two halves where its impulses are not certified.

    Raises SolverError where they are not found in the smallest parts, either.
    """
    before = sum(course.energies)
    taken = step(world, course.q, course.v, t, h, course.memory, IMPATIENT if halvings else ROUNDS)
    found = bool(np.all(np.isfinite(taken.v)))
    if not (found and taken.impulses.residual <= ACCEPTED) and halvings:
        half = _forward(world, course, t, 0.5 * h, halvings - 1)
        whole = _forward(world, half, t + 0.5 * h, 0.5 * h, halvings - 1)
        assert half.taken is not None
        assert whole.taken is not None
        both = whole.taken.after(half.taken)
        sums = replace(whole.sums, systems=whole.sums.systems + taken.impulses.systems)
        held = half.held + whole.held
        return replace(whole, steps=course.steps + 1, sums=sums, taken=both, memory=both.memory, held=held)
    if not found or taken.impulses.residual > HOPELESS:
        raise SolverError(
            f"the impulses of the step to t = {t + h:.9g} s were not found ({taken.contacts.count} contacts, residual"
            f" {taken.impulses.residual:.2g} of the rates). A shorter step may help; in Painlevé's paradox, and where"
            " drives press a contact, none does."
        )
    displacement = 0.5 * h * (taken.start + taken.v)
    moved = world.advance(course.q, displacement)
    energies = world.energies(moved, taken.v, t + h)
    between = sum(energies)
    place = corrected(world, moved, t + h, 0.5 * world.reach(taken.v, h))
    if place.q is not moved:
        energies = world.energies(place.q, taken.v, t + h)
    work, sums = world.work(displacement), course.sums
    sums = Sums(
        dissipated=sums.dissipated - taken.work,
        correction=sums.correction + sum(energies) - between,
        work=sums.work + (between - before - taken.work if work is None else work),
        residual=max(sums.residual, taken.impulses.residual),
        systems=sums.systems + taken.impulses.systems,
    )
    held = world.held(course.q, course.v, t, h, taken)
    return _Course(place.q, taken.v, taken.memory, energies, sums, course.steps + 1, place.penetration, taken, held)
