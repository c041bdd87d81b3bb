"""`moreau`: time stepping for many contacts, from step to step without looking for events.

See `gauss.nonsmooth.step` for the scheme, `gauss.nonsmooth.solver` for how the impulses of a step are found, and
`gauss.nonsmooth.position` for the correction of positions.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.arrays import Array, positive, scalar, vector
from gauss.contact import Contact, FrictionModel
from gauss.errors import GaussError, InputError, SolverError
from gauss.model import System
from gauss.motion import Ending, MotionWarning
from gauss.motion.progress import Report, reporter
from gauss.nonsmooth.mechanical import SystemWorld
from gauss.nonsmooth.position import corrected
from gauss.nonsmooth.record import Entry, NonsmoothMotion, recorded
from gauss.nonsmooth.scene import Scene
from gauss.nonsmooth.step import Memory, Taken, World, step
from gauss.nonsmooth.world import SceneWorld

OVERLAP = 1e-6  # penetration of a start, as a share of the size, that is refused
HOPELESS = 1e-6  # residual of a step beyond which the run ends
MOST_STEPS = 10_000_000  # more are a slip of the pen


def moreau(
    subject: Scene | System,
    q: object = None,
    v: object = None,
    *,
    step: float,
    t_end: float,
    t: float = 0.0,
    contacts: Contact | Iterable[Contact] = (),
    every: int = 1,
    progress: str | Report = "auto",
) -> NonsmoothMotion:
    """Move a Scene, or a System with Unilateral rows, by Moreau's midpoint scheme in equal steps (s) to t_end.

    A Scene starts from its bodies; q and v replace that. A System needs q, and `contacts` makes its Unilateral rows
    rough. The states after every `every`-th step are recorded. The result says for each of them whether the impulses
    of its steps are certified; the run ends early, with a `MotionWarning` and the reason in ``motion.ending``, where no
    impulses are found (residual above 1e-6). Ctrl-C returns what was computed.

    Raises InputError for wrong arguments and for bodies that overlap at the start, and what System raises.
    """
    h, start, end = positive(step, "step"), scalar(t, "t"), scalar(t_end, "t_end")
    if end <= start:
        raise InputError(f"t_end = {end:g} must be later than the start t = {start:g}.")
    if not isinstance(every, int) or every < 1:
        raise InputError(f"every must be a positive integer, got {every!r}.")
    steps = max(1, round((end - start) / h))
    if steps > MOST_STEPS:
        raise InputError(f"step = {h:g} s makes {steps} steps up to t_end; at most {MOST_STEPS} are taken.")
    h = (end - start) / steps
    world, place, speed = world_of(subject, q, v, contacts)
    _refuse_overlap(world, place, speed, start, subject.name)
    entries = [_at_rest(world, place, speed, start)]
    bar = reporter(progress, subject.name)
    ending = Ending("finished", f"reached t = {end:g} s in {steps} steps.")
    none = Memory(np.zeros(0, dtype=int), np.zeros((0, 2)))
    course = _Course(place, speed, none, _Sums())
    try:
        for k in range(steps):
            _forward(world, course, start + k * h, h)
            if (k + 1) % every == 0 or k + 1 == steps:
                entries.append(course.entry(world, start + (k + 1) * h, h))
            bar((k + 1) / steps)
    except KeyboardInterrupt:
        ending = Ending("interrupted", f"interrupted at t = {entries[-1].t:.9g} s.")
    except GaussError as error:
        ending = Ending("failed", f"stopped at t = {entries[-1].t:.9g} s: {error}")
    finally:
        bar.close()
    motion = recorded(world, subject.name, h, every, entries, ending)
    doubtful = int(np.sum(~motion.certified))
    if ending.kind != "finished" or doubtful:
        text = ending.message if ending.kind != "finished" else f"{doubtful} recorded intervals are not certified."
        warnings.warn(f"{subject.name}: {text}", MotionWarning, stacklevel=2)
    return motion


def world_of(
    subject: object, q: object, v: object, contacts: Contact | Iterable[Contact] = ()
) -> tuple[Any, Array, Array]:
    """Return the world of a Scene or System, with its checked start. Raises InputError."""
    if isinstance(subject, Scene):
        if not (isinstance(contacts, tuple | list) and not contacts):
            raise InputError("a Scene finds its contacts itself; contacts=… belongs to a System.")
        world = SceneWorld(subject)
        place, speed = world.start()
        place = place if q is None else vector(q, len(place), "q")
        speed = speed if v is None else vector(v, len(speed), "v")
        return world, place, speed * (world.inverse_mass > 0.0)
    if isinstance(subject, System):
        if q is None:
            raise InputError(f"the System {subject.name!r} needs its start q (and v, if it moves).")
        state = subject.state(q, v)
        return SystemWorld(FrictionModel.of(subject, contacts)), state.q, state.v
    raise InputError(f"moreau moves a Scene or a System, got {type(subject).__name__}.")


def _refuse_overlap(world: World, q: Array, v: Array, t: float, name: str) -> None:
    found = world.contacts(q, np.zeros(0), t, 0.0 * world.reach(v, 1.0))
    depth = -found.gap / found.size
    if found.count and np.max(depth) > OVERLAP:
        k = int(np.argmax(depth))
        names = world.names[found.one[k]], world.names[found.two[k]] if found.two[k] >= 0 else "what it keeps off"
        raise InputError(
            f"at the start of {name!r}, {names[0]!r} and {names[1]!r} overlap by {-found.gap[k]:.3g}; move them apart."
        )


@dataclass
class _Sums:
    """What has been exchanged since the last record."""

    dissipated: float = 0.0
    correction: float = 0.0
    work: float = 0.0
    residual: float = 0.0
    systems: int = 0


@dataclass
class _Course:
    """The state of a run."""

    q: Array
    v: Array
    memory: Memory
    sums: _Sums
    penetration: float = 0.0
    taken: Taken | None = None

    def entry(self, world: World, t: float, h: float) -> Entry:
        """Return what is recorded now, and begin new sums."""
        sums, taken, energies = self.sums, self.taken, world.energies(self.q, self.v, t)
        assert taken is not None
        self.sums = _Sums()
        return Entry(
            t=t,
            q=self.q,
            v=self.v,
            energies=energies,
            exchanged=(sums.dissipated, sums.correction, sums.work),
            penetration=self.penetration,
            residual=sums.residual,
            systems=sums.systems,
            contacts=taken.contacts,
            impulses=taken.impulses.x,
        )


def _at_rest(world: World, q: Array, v: Array, t: float) -> Entry:
    found = world.contacts(q, np.zeros(0), t, 0.0 * world.reach(v, 1.0))
    depth = float(np.max(-found.gap / found.size, initial=0.0))
    size = found.count * (1 + max(found.tangents, 0))
    return Entry(t, q, v, world.energies(q, v, t), (0.0, 0.0, 0.0), depth, 0.0, 0, found, np.zeros(size))


def _forward(world: World, course: _Course, t: float, h: float) -> None:
    """Take one step. Raises SolverError where its impulses are not found."""
    before = sum(world.energies(course.q, course.v, t))
    taken = step(world, course.q, course.v, t, h, course.memory)
    if taken.impulses.residual > HOPELESS or not np.all(np.isfinite(taken.v)):
        raise SolverError(
            f"the impulses of the step to t = {t + h:.9g} s were not found ({taken.contacts.count} contacts, residual"
            f" {taken.impulses.residual:.2g} of the rates). A shorter step may help; in Painlevé's paradox none does."
        )
    displacement = 0.5 * h * (taken.start + taken.v)
    moved = world.advance(course.q, displacement)
    between = sum(world.energies(moved, taken.v, t + h))
    place = corrected(world, moved, t + h, 0.5 * world.reach(taken.v, h))
    after = sum(world.energies(place.q, taken.v, t + h))
    work = world.work(displacement)
    sums = course.sums
    sums.dissipated -= taken.work
    sums.correction += after - between
    sums.work += between - before - taken.work if work is None else work
    sums.residual = max(sums.residual, taken.impulses.residual)
    sums.systems += taken.impulses.systems
    course.q, course.v, course.memory = place.q, taken.v, taken.memory
    course.penetration, course.taken = place.penetration, taken
