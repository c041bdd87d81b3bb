"""Ensembles: one system from many starts and with many parameter values, in one call and one table.

Every member is a run of its own with all that certifies it; what ends one, or cannot start, leaves the others alone.
Those to which nothing happens share compiled calls (see `gauss.motion.side_by_side`).
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.errors import CallError, GaussError, InputError, MotionWarning, described
from gauss.foundation.arrays import Array, Indices, as_array
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import FINISHED
from gauss.foundation.portable import dumped
from gauss.foundation.processes import computed, pool_of, processes_of
from gauss.foundation.progress import Report, reporter
from gauss.foundation.threads import warn, withheld
from gauss.model import AnySystem, System, system_of
from gauss.model.state import State
from gauss.model.units import warn_of_degrees
from gauss.motion.record.columns import ARRAYS
from gauss.motion.side_by_side import follow_together
from gauss.motion.simulate import Options, simulate
from gauss.motion.steps.sampled import own_control

if TYPE_CHECKING:
    import xarray

TOGETHER = 256  # members that are followed side by side
CHUNKS = 8  # portions for each process: enough to share the work evenly, few enough to cost nothing
HELD = ("t", "t_end", "progress", "branches", "samples", "depth", "events", "checkpoint")  # set, or without sense here


@dataclass(frozen=True)
class Members:
    """What distinguishes the members of an ensemble."""

    q: Array  # (N, n)
    v: Array  # (N, n)
    parameters: dict[str, Array]  # (N,) each

    def __len__(self) -> int:
        return len(self.q)

    def part(self, some: Any) -> Members:
        """Return some of the members (a slice or indices)."""
        return Members(self.q[some], self.v[some], {name: values[some] for name, values in self.parameters.items()})


@dataclass(frozen=True)
class Found:
    """What has become of N members at k times; nan where a member was not, or is not any more."""

    q: Array  # (N, k, n)
    v: Array  # (N, k, n)
    multipliers: Array  # (N, k, m)
    until: Array  # (N,) s, the time up to which each was followed
    distance: Array  # (N,) of the solver's accelerations from the certified ones in the metric, the largest
    residual: Array  # (N,) of the certificates, the largest
    ending: list[str]  # (N,) kinds of endings; "refused" for a start that is none, "missing" where none was computed
    message: list[str]  # (N,)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended a member, and with it those behind it."""
        return "interrupted" in self.ending

    def take(self, some: slice, part: Found) -> None:
        """Enter what has become of some of the members."""
        for name in ("q", "v", "multipliers", "until", "distance", "residual"):
            getattr(self, name)[some] = getattr(part, name)
        self.ending[some], self.message[some] = part.ending, part.message

    @staticmethod
    def none(count: int, times: int, system: System) -> Found:
        """Return what is known before anything is computed."""
        q, forces = np.full((count, times, system.n), np.nan), np.full((count, times, system.model.m), np.nan)
        until, distance, residual = np.full((3, count), np.nan)
        missing = ["missing"] * count
        return Found(q, q.copy(), forces, until, distance, residual, missing, ["not computed"] * count)


@advised
def simulate_many(
    system: AnySystem,
    q: object,
    v: object = None,
    *,
    times: object,
    parameters: Mapping[str, object] | None = None,
    solve_at: str = "steps",
    jobs: int = 1,
    progress: str | Report = "auto",
    **options: Any,
) -> xarray.Dataset:
    """Integrate the motions of one system from many starts, with many parameter values, and return them at `times`.

    `q` and `v` are (N, n) arrays, one start for all (n,) or a whole `State`, or dicts of numbers and (N,) arrays by
    name; `parameters` gives numbers and (N,) arrays by name. All arrays have the same N. `times` (k,) in s begin with
    the start. `jobs` processes share the members, -1 stands for all cores; they wait for the next call for a minute, as
    to start them and to compile the system anew takes some seconds. Further options are those of `simulate`, for each
    member. A control that is a function, or `Sampled`, may keep a memory: each member has a copy of its own.

    Every step is certified, and its quadratic program is solved too, as `simulate` does. With ``solve_at="times"`` only
    the programs at `times` are solved of members to which nothing happens on the way.

    The Dataset has the dimensions "member" and "t": coordinates x and velocities d_x, the multipliers of the rows, the
    given parameters, and of each member "until" (s), "ending" and "message" of its run, and what certifies it: the
    largest "distance" of the solver's own accelerations from the certified ones, and the largest "residual" of the
    certificates, both in the metric. A member that ends early is nan from there on, one whose start is refused
    everywhere. With Ctrl-C the members that were computed are returned, the others are "missing".

    Raises InputError for arrays that do not fit, unknown names and options of `simulate` that have no sense here.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="phi",
    ...     kinetic_energy=lambda v, p: 0.5 * p.l**2 * v.phi**2,
    ...     potential_energy=lambda q, p: -9.81 * p.l * g.cos(q.phi),
    ...     parameters={"l": 1.0},
    ... )
    >>> runs = g.motion.simulate_many(pendulum, [0.1], times=[0.0, 0.5], parameters={"l": [0.5, 1.0, 2.0]})
    >>> runs["phi"].sel(t=0.5).values.round(4).tolist()
    [-0.0599, 0.0006, 0.0448]
    """
    given = sorted({*options} & {*HELD})
    if given:
        raise InputError(f"simulate_many has one start and end for all, and no branches or events: leave out {given}.")
    unknown = sorted({*options} - {*Options.__annotations__})
    if unknown:
        raise CallError(f"simulate_many and simulate have no option {unknown[0]!r}.")
    if solve_at not in ("steps", "times"):
        raise InputError(f"solve_at must be 'steps' or 'times', got {solve_at!r}.")
    system, options = system_of(system), {**options, "solve_at": solve_at}
    options["control"] = own_control(options.get("control"))  # what cannot be copied is refused at once
    wanted = times_of(times)
    if v is None and (isinstance(q, State) or hasattr(q, "state")):
        state = system.state(q)
        if state.t != wanted[0]:
            raise InputError(f"the given state is one at t = {state.t:g} s, and times begins at {wanted[0]:g} s.")
        q, v = state.q, state.v
    members = _members(system, q, v, parameters or {})
    warn_of_degrees(system.coordinates, members.q, system.units)
    processes = processes_of(jobs, len(members))
    found = Found.none(len(members), len(wanted), system)
    report = reporter(progress, f"{len(members)} motions of {system.name}")
    done = 0
    try:
        for some, part in _computed(system, members, wanted, options, processes):
            found.take(some, part)
            done += len(part.ending)
            report(done / len(members))
    except KeyboardInterrupt:
        warn(f"interrupted: {done} of {len(members)} motions were asked for", MotionWarning)
    except BrokenExecutor as error:
        why = str(error).partition("\n")[0]
        warn(f"a process was ended from outside after {done} of {len(members)} motions: {why}", MotionWarning)
    finally:
        report.close()
    return _dataset(system, members, wanted, found)


def _computed(
    system: System, members: Members, times: Array, options: dict[str, Any], processes: int
) -> Iterator[tuple[slice, Found]]:
    """Yield portions of the members with what has become of them, as they are ready."""
    count = len(members)
    size = max(1, -(-count // (processes * CHUNKS)))
    portions = [slice(first, min(first + size, count)) for first in range(0, count, size)]
    if processes == 1:
        for some in portions:
            found = follow_members(system, members.part(some), times, options)
            yield some, found
            if found.interrupted:
                raise KeyboardInterrupt
        return
    work = dumped((system, times, options))
    shares = [(some, members.part(some)) for some in portions]
    for (some, _), found in computed(pool_of(processes), _elsewhere, work, shares):
        yield some, found


def _elsewhere(work: bytes, share: tuple[slice, Members]) -> Found:
    """Do what `follow_members` does in another process, which knows the system by its pickle."""
    system, times, options = pickle.loads(work)
    return follow_members(system, share[1], times, options)


def follow_members(system: System, members: Members, times: Array, options: dict[str, Any]) -> Found:
    """Integrate the motions of members: those to which nothing happens side by side, the others one after another."""
    found = Found.none(len(members), len(times), system)
    for first in range(0, len(members), TOGETHER):
        some = np.arange(first, min(first + TOGETHER, len(members)))
        try:
            together = _together(system, members.part(some), times, options, found, some) if some.size > 1 else some[:0]
            left = np.setdiff1d(some, together)
        except KeyboardInterrupt:
            found.ending[first] = "interrupted"
            break
        for i in left.tolist():
            _alone(system, members, times, options, found, i)
            if found.interrupted:
                return found
    return found


def _together(
    system: System, members: Members, times: Array, options: dict[str, Any], found: Found, some: Indices
) -> Indices:
    """Follow some members side by side, as far as that goes, and return which of them are found."""
    control = options.get("control")
    try:
        theta = np.tile(system.theta(None if callable(control) else control), (len(members), 1))
    except GaussError:  # what is wrong is told to each member
        return some[:0]
    for name, values in members.parameters.items():
        theta[:, list(system.parameters).index(name)] = values
    rest = {name: value for name, value in options.items() if name != "control"}
    followed = None if callable(control) else follow_together(system, members.q, members.v, theta, times, rest)
    if followed is None:
        return some[:0]
    at, n = some[followed.some], system.n
    found.q[at], found.v[at] = followed.states[..., 1 : n + 1], followed.states[..., n + 1 :]
    found.multipliers[at] = followed.multipliers
    found.until[at], found.distance[at], found.residual[at] = times[-1], followed.distance, followed.residual
    for i in at.tolist():
        found.ending[i], found.message[i] = FINISHED.kind, FINISHED.message
    return at


def _alone(system: System, members: Members, times: Array, options: dict[str, Any], found: Found, i: int) -> None:
    """Follow a member by itself."""
    values = {name: float(each[i]) for name, each in members.parameters.items()}
    rest = {name: value for name, value in options.items() if name != "solve_at"}
    rest["control"] = own_control(rest.get("control"))
    span: Any = {"t": times[0], "t_end": times[-1], "progress": "none"}
    try:
        one = system.with_parameters(**values) if values else system
        with withheld():  # each ending is told by the table
            run: Any = simulate(one, members.q[i], members.v[i], **span, **rest)
    except KeyboardInterrupt:
        found.ending[i] = "interrupted"
        return
    except GaussError as error:
        found.ending[i], found.message[i] = "refused", described(error)
        return
    found.ending[i], found.message[i], found.until[i] = run.ending.kind, run.ending.message, run.t[-1]
    reached = times <= run.t[-1]
    there = run.at(times[reached])
    found.q[i, reached], found.v[i, reached] = there.q, there.v
    found.multipliers[i, reached] = there.multipliers
    found.distance[i] = np.max(run.solver_distance)
    found.residual[i] = run.largest_residual


def times_of(times: object) -> Array:
    """Return the times of a table. Raises InputError unless they increase."""
    wanted = as_array(times, "times")
    if wanted.ndim != 1 or wanted.size < 2 or not np.all(np.isfinite(wanted)) or np.any(np.diff(wanted) <= 0.0):
        raise InputError(f"times must be two or more increasing numbers, the first of them the start, got {times!r}.")
    return wanted


def _members(system: System, q: object, v: object, parameters: Mapping[str, object]) -> Members:
    """Return the members by their arrays. Raises InputError for what does not fit."""
    system.with_parameters(**dict.fromkeys(parameters, 1.0))  # refuses unknown names
    held = {name: as_array(value, f"parameter {name!r}") for name, value in parameters.items()}
    tables = [_table(system, q, "q"), _table(system, np.zeros(system.n) if v is None else v, "v")]
    sizes = {f"parameter {name!r}": each.shape for name, each in held.items() if each.ndim}
    sizes |= {name: each.shape[:1] for name, each in zip("qv", tables, strict=True) if each.ndim == 2}
    several = {shape for shape in sizes.values() if shape != (1,)}
    if len(several) > 1 or any(len(shape) != 1 for shape in sizes.values()):
        said = ", ".join(f"{name} has {' × '.join(map(str, shape))}" for name, shape in sizes.items())
        raise InputError(f"all members need a value of each: {said}. Give arrays of one length, or single numbers.")
    count = next(iter(several), (1,))[0]
    if count == 0:
        raise InputError("there are no members: the arrays are empty.")
    q, v = (np.array(np.broadcast_to(each, (count, system.n))) for each in tables)
    return Members(q, v, {name: np.array(np.broadcast_to(each, (count,))) for name, each in held.items()})


def _table(system: System, value: object, what: str) -> Array:
    """Return a vector (n,) or a table (N, n) of positions or velocities."""
    if isinstance(value, Mapping):
        system.vector(dict.fromkeys(value, 0.0), what)  # refuses unknown names
        columns = [as_array(value.get(name, 0.0), f"{what} of {name!r}") for name in system.coordinates]
        try:
            return np.stack(np.broadcast_arrays(*columns), axis=-1)
        except ValueError:
            pairs = zip(system.coordinates, columns, strict=True)
            sizes = ", ".join(f"{name} {column.shape}" for name, column in pairs)
            raise InputError(f"the numbers of {what} do not fit together: {sizes}.") from None
    table = as_array(value, what)
    if table.ndim not in (1, 2) or table.shape[-1] != system.n:
        raise InputError(f"{what} has shape {table.shape}, expected ({system.n},) or (N, {system.n}).")
    return table


def _dataset(system: System, members: Members, times: Array, found: Found) -> xarray.Dataset:
    """Return the table of an ensemble."""
    import xarray

    both = ("member", "t")
    data: dict[str, Any] = {}
    for prefix, key, values in (("", "q", found.q), ("d_", "v", found.v)):
        words = ARRAYS[key][2]
        for k, name in enumerate(system.coordinates):
            said = {"units": system.unit(prefix + name), "long_name": f"{words} of {name!r}"}
            data[prefix + name] = (both, values[:, :, k], said)
    for k, name in enumerate(system.row_names):
        said = {"units": system.unit(name), "long_name": f"multiplier of {name!r}"}
        data[name] = (both, found.multipliers[:, :, k], said)
    data["until"] = ("member", found.until, {"units": "s", "long_name": "time up to which the member was followed"})
    words = "largest distance of the solver's accelerations from the certified ones"
    data["distance"] = ("member", found.distance, {"long_name": words + ", in the metric"})
    data["residual"] = ("member", found.residual, {"long_name": "largest residual of the certificates, in the metric"})
    data["ending"] = ("member", np.array(found.ending, dtype=object))
    data["message"] = ("member", np.array(found.message, dtype=object))
    places: dict[str, Any] = {"t": ("t", times, {"units": "s"}), "member": np.arange(len(members))}
    places |= {name: ("member", x, {"units": system.unit(name)}) for name, x in members.parameters.items()}
    return xarray.Dataset(data, coords=places, attrs={"system": system.name})
