"""`sweep`: motions and their measures over a grid of values or samples, in one table, resumed where it was ended."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gauss.errors import DegreesWarning, FileError, InputError, MotionWarning
from gauss.foundation.arrays import scalar
from gauss.foundation.calls import advised
from gauss.foundation.portable import dumped
from gauss.foundation.processes import computed, pool_of, processes_of
from gauss.foundation.progress import Report, reporter
from gauss.foundation.storage import as_path
from gauss.foundation.threads import warn
from gauss.model import AnySystem, System
from gauss.motion import Trajectory
from gauss.motion.ensemble import times_of
from gauss.motion.simulate import Options
from gauss.motion.steps.sampled import own_control
from gauss.scenario import Start
from gauss.studies import store
from gauss.studies.identity import identity, require_identity
from gauss.studies.points import StudyPoints, points_of
from gauss.studies.question import (
    NO_END,
    PointResult,
    Question,
    answers,
    measures_of,
    require_end,
    require_taken,
    require_within,
    units_of,
)
from gauss.studies.table import Memory, StudyTable, require_free

if TYPE_CHECKING:
    import xarray

HELD = ("t", "progress", "branches", "samples", "depth", "checkpoint")  # of `simulate`, set here or without sense
ENDING = ".zarr"
Share = tuple[int, list[int]]  # the number of a portion, and its points


@advised
def sweep(
    model: AnySystem | Callable[..., Any],
    start: object = None,
    grid: Mapping[str, object] | None = None,
    *,
    samples: Mapping[str, object] | None = None,
    measure: Mapping[str, Callable[[Trajectory], object]] | Callable[[Trajectory], object] | None = None,
    times: object = None,
    out: str | Path | None = None,
    jobs: int = 1,
    client: Any = None,
    retry: str = "none",
    portion: int | None = None,
    progress: str | Report = "auto",
    **options: Any,
) -> xarray.Dataset:
    """Follow a motion for every point of a grid, or for samples, measure it, and return one table.

    * `model`: a System (or Mechanism), whose parameters, coordinates x and velocities d_x at the start take the values
      of the study, so that nothing is compiled again; or a function ``build(l, m, …)`` of the values that returns a
      System, a Mechanism, or (one of them, its start).
    * `start`: a `Start`, a State (or what has one, as an assembled mechanism), a pair (q, v), or a function of the
      values that returns one of these. Functions get the values that their arguments name.
    * `grid`: values by name, of which all combinations are taken: each name is a dimension of the table. `samples`
      instead: arrays of one length by name (or an array with named fields), along the dimension "sample".
    * `measure`: functions of the motion (a `Trajectory`) by name. One returns a number, a text, an array, an
      xarray DataArray or Dataset, or a dict of these, of the same dimensions at each point. `times` (k,) in s,
      beginning with the start: the coordinates, velocities and multipliers then, along "t", in place of measures or
      beside them.
    * `out`: a Zarr file ("study.zarr"), written portion by portion (``pip install gauss-dynamics[studies]``). Ended by
      whatever, the same call goes on with what is missing. The file of another study is refused: another model (by its
      numbers and its code), start, grid, other options or measures. ``retry="failed"`` computes the points once more
      that were refused or where a function failed.
    * `jobs` processes share the portions, -1 stands for all cores; or those of a Dask cluster, `client` being its
      distributed.Client. The numbers are the same whatever computes them: a control that is a function, or `Sampled`,
      is copied for each point as it was at the beginning, with all that it remembers. `portion` is how many points are
      computed and written together, 1 % of all (but at most 256) if left out: few where each takes minutes.
    * `options`: those of `simulate` for all motions, t_end among them, in the place of those of the start.

    The table is an xarray Dataset with, of each point, what was measured, "ending" and "message" of its motion, "until"
    (s) when it was followed, the largest "residual" of its certificates and the largest "distance" of the solver's own
    accelerations from the certified ones. Values of a System have its units. A point that has no motion is "refused",
    one where a function of the user fails is "failed", with the error as its message; the others go on. If all of
    the first portion are, a MotionWarning tells so at once. With Ctrl-C the points that were computed are returned, the
    others are "missing".

    Raises InputError for values that nothing takes and unknown options, FileError for a file that cannot be written or
    is another study.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="phi",
    ...     kinetic_energy=lambda v, p: 0.5 * p.l**2 * v.phi**2,
    ...     potential_energy=lambda q, p: -9.81 * p.l * g.cos(q.phi),
    ...     parameters={"l": 1.0},
    ... )
    >>> grid = {"l": [0.5, 1.0, 2.0], "phi": [0.1, 1.0]}
    >>> study = g.sweep(pendulum, g.Start([0.0], t_end=3.0), grid, measure={"fastest": lambda run: run["d_phi"].max()})
    >>> study["fastest"].sel(phi=1.0).values.round(3).tolist()
    [4.244, 2.996, 2.117]
    """
    question = _question(model, start, measure, times, options)
    points = points_of(grid, samples)
    require_free([*question.measures], points)
    require_taken(question, points)
    require_end(question, points)
    if retry not in ("none", "failed"):
        raise InputError(f"retry must be 'none' or 'failed', got {retry!r}.")
    if portion is not None and (not isinstance(portion, int) or portion < 1):
        raise InputError(f"portion must be a positive number of points, got {portion!r}.")
    if client is not None and not hasattr(client, "get_executor"):
        raise InputError(f"client must be a distributed.Client, as distributed.Client({client!r}), got {client!r}.")
    if getattr(client, "status", "") == "closed":
        raise InputError("the Dask client is closed: make a new one, or call sweep where it is open.")
    if client is not None and jobs != 1:
        raise InputError("the processes of a Dask cluster are its client's: leave out jobs.")
    processes = processes_of(jobs, len(points))
    name = getattr(model, "name", getattr(model, "__name__", "study"))
    report = reporter(progress, f"{len(points)} points of {name}")
    chunk, attrs = points.chunk(portion), {"system": name}
    units = units_of(question, points)
    if out is None:
        table = StudyTable(points, chunk, question.asked, Memory(), units)
        _compute(question, table, retry == "failed", processes, client, report)
        return table.dataset(attrs)
    path = as_path(out)
    if path.suffix != ENDING:
        raise FileError(f"cannot write {path}: a study is written to a Zarr file, with a name that ends in {ENDING}.")
    store.require_zarr()
    if not store.is_there(path):
        store.create(path, points, chunk, identity(question, points), attrs, units)
    with store.alone(path):
        stored, chunk, axes = store.described(path)
        require_identity(path, stored, axes, question, points)
        table = StudyTable(points, chunk, question.asked, store.ZarrMemory(path), units)
        _compute(question, table, retry == "failed", processes, client, report)
    return store.opened(path, table, attrs)


def _question(model: Any, start: Any, measure: Any, times: object, options: dict[str, Any]) -> Question:
    """Return what is asked at each point. Raises InputError."""
    measures = measures_of(measure)
    unknown = [name for name in options if name not in (*Options.__annotations__, "t_end")]
    held = [name for name in options if name in HELD]
    if unknown or held:
        why = "they are set here, or have no sense for many motions" if held else "simulate has no such options"
        raise InputError(f"sweep cannot take {', '.join(map(repr, unknown or held))}: {why}.")
    if options.get("method") == "auto":
        raise InputError("with method 'auto' the steps depend on what was computed before: name the method of a study.")
    if times is None and not measures:
        raise InputError('nothing is asked of the motions: give measure={"name": function of the run}, or times=….')
    if hasattr(model, "system") and not isinstance(model, System):
        model = model.system
    if not isinstance(model, System) and not callable(model):
        raise InputError(
            f"a gauss.System, or a function of the values that builds one, is expected, got {type(model).__name__}."
        )
    if isinstance(start, Mapping):
        raise InputError("the start is a dict: sweep takes the model, the start and then the grid of values.")
    if start is None and isinstance(model, System):
        raise InputError("a study of a System needs a start: a gauss.Start, a State, (q, v), or a function of values.")
    for control in (options.get("control"), start.control if isinstance(start, Start) else None):
        own_control(control)  # what cannot be copied is refused at once
    wanted = None if times is None else times_of(times)
    end = options.get("t_end", start.t_end if isinstance(start, Start) else None)
    if end is None and wanted is None and start is not None and not callable(start):
        raise InputError(NO_END)
    require_within(wanted, None if end is None else scalar(end, "t_end"))
    return Question(model, start, measures, wanted, options)


def _compute(question: Question, table: StudyTable, again: bool, processes: int, client: Any, report: Any) -> None:
    """Compute what is missing in a table, or has failed, and write each portion as soon as it is ready.

    Until the form of each measure is known, portions are written in their order: the first point that has it decides.
    """
    portions = table.left(again)
    total, following = len(table.points), 0
    done = total - sum(len(some) for _, some in portions)
    report.begun = done / total
    waiting: dict[int, list[PointResult]] = {}
    doubts: list[str] = []  # about angles at the start, of which the first is told
    shares = [(k, [int(index) for index in some]) for k, (_, some) in enumerate(portions)]
    try:
        for k, found in _answered(question, table.points, shares, processes, client):
            waiting[k] = found
            if k == shares[0][0] and len(shares) > 1 and found and all(each.ending == "failed" for each in found):
                where = "at the first point" if len(found) == 1 else f"at all of the first {len(found)} points"
                warn(f"{where} the study failed: {found[0].message}; the others follow", MotionWarning)
            if not doubts:
                doubts += [each.doubt for each in found if each.doubt][:1]
                if doubts:
                    warn(f"at a point of the study {doubts[0]}", DegreesWarning)
            while waiting and (table.settled or min(waiting) == following):
                k = min(waiting)
                done += len(waiting[k])
                table.write(portions[k][0], waiting.pop(k))
                following = k + 1
            report(done / total)
    except KeyboardInterrupt:
        warn(f"interrupted: {done} of {total} points are computed", MotionWarning)
    finally:
        report.close()


def _answered(
    question: Question, points: StudyPoints, shares: Sequence[Share], processes: int, client: Any
) -> Iterator[tuple[int, list[PointResult]]]:
    """Yield the numbers of portions with their answers, as they are ready. Raises KeyboardInterrupt after Ctrl-C."""
    if client is None and processes == 1:
        for k, some in shares:
            found, interrupted = answers(question, points, some)
            yield k, found
            if interrupted:
                raise KeyboardInterrupt
        return
    work = _sent(question, points, os.getpid() if client is None else None)
    left = dict(shares)
    while left:
        pool = pool_of(processes) if client is None else client.get_executor(pure=False)
        try:
            for (k, _), (found, interrupted) in computed(pool, _elsewhere, work, [*left.items()], client is None):
                del left[k]
                yield k, found
                if interrupted:
                    raise KeyboardInterrupt
        except BrokenExecutor:  # one of the portions that the processes had
            for k in [*left][: 2 * processes + 1]:
                yield k, _one_by_one(work, left.pop(k))


def _sent(question: Question, points: StudyPoints, parent: int | None) -> bytes:
    """Return a study as other processes get it. Raises InputError, which names the part that cannot be pickled."""
    try:
        return dumped((question, points, parent))
    except Exception as error:
        parts = {"the model": question.model, "the start": question.start, "the options": question.options}
        parts |= {f"the measure {name!r}": function for name, function in question.measures.items()}
        wrong = next((name for name, part in parts.items() if not _travels(part)), "the study")
        raise InputError(
            f"{wrong} cannot be sent to other processes ({type(error).__name__}: {error}). Let it use numbers, arrays"
            " and functions only, no locks, threads, generators or files that are open for writing."
        ) from error


def _travels(part: object) -> bool:
    try:
        return bool(dumped(part))
    except Exception:
        return False


def _one_by_one(work: bytes, some: list[int]) -> list[PointResult]:
    """Return the answers at points, each computed in a process of its own: one that is ended tells of its point."""
    found = []
    for index in some:
        try:
            ((_, (answer, interrupted)),) = computed(pool_of(1), _elsewhere, work, [(0, [index])])
            found += answer
        except BrokenExecutor as error:
            words = str(error).partition("\n")[0]
            found.append(PointResult(index, "failed", f"the process that computed it was ended: {words}"))
            continue
        if interrupted:
            raise KeyboardInterrupt
    return found


def _elsewhere(work: bytes, share: Share) -> tuple[list[PointResult], bool]:
    """Do what `answers` does in another process, which knows the study by its pickle."""
    question, points, parent = _read(work)
    return answers(question, points, share[1], parent)


@lru_cache(maxsize=1)
def _read(work: bytes) -> tuple[Question, StudyPoints, int | None]:
    question, points, parent = pickle.loads(work)
    return question, points, parent
