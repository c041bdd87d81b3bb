"""`Trajectory`: the recorded motion with the numbers that certify it, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, shortened
from gauss.foundation.calls import advised, meant_name
from gauss.foundation.outcomes import Ending, Shown
from gauss.model import AnySystem
from gauss.model.coordinates import meant_by
from gauss.motion.record import columns, files
from gauss.motion.record.blocks import StepBlock, followed_by, joined
from gauss.motion.record.columns import write_csv
from gauss.motion.record.dense_output import blocks_at, times_within
from gauss.motion.record.described import Description, MotionEvent
from gauss.motion.record.fingerprint import fingerprint, setting_of
from gauss.motion.record.measures import controls_along, off_along, sigma_min_along
from gauss.motion.record.natural import natural_run
from gauss.motion.record.open_forces import open_forces
from gauss.motion.record.recorded_friction import friction_works
from gauss.motion.record.time_stepping import Stepping, stepped_at
from gauss.motion.singular.collocation import Window
from gauss.motion.steps.steppers import Control, Setting

if TYPE_CHECKING:
    import pandas
    import xarray

__all__ = ["Description", "Ending", "MotionEvent", "Trajectory", "assemble", "in_place_of_a_run", "require_run"]
RECORDED = ("t", "q", "v", "a", "multipliers", "active", "zwang", "primal", "stationarity", "solver_distance")


@dataclass(frozen=True, repr=False)
class Trajectory(Shown):
    """N recorded states; at an impact the states before and after it are both recorded, with the same time.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ... )
    >>> run = g.simulate(pendulum, [1, 0], t_end=1.0)
    >>> run.at([0.5])["x"].round(6), run["rod"].shape == run.t.shape, run.ending.kind
    (array([0.391049]), True, 'finished')
    """

    about: Description
    t: Array  # (N,) s
    q: Array  # (N, n)
    v: Array  # (N, n)
    a: Array  # (N, n)
    multipliers: Array  # (N, m) λ of all rows, 0 for open contacts
    active: Flags  # (N, m) rows that are in force after the state
    zwang: Array  # (N,)
    primal: Array  # (N,) largest row residual |J a − γ| as a distance in the mass metric, √kg m/s²
    stationarity: Array  # (N,) |M a − f − Jᵀλ| in the inverse mass metric, √kg m/s²
    solver_distance: Array  # (N,) how far the solver's own acceleration was from the certified one, mass metric
    events: tuple[MotionEvent, ...]
    ending: Ending
    sliding: Array | None = None  # (N, m) c of the friction −c p (or −c) of slip rows, 0 elsewhere; None: no friction
    sharing: Flags | None = None  # (N, m) rows that share the reaction with those in force; None: nowhere
    stepping: Stepping | None = None  # of time stepping; None for other methods
    windows: tuple[Window, ...] = ()  # pieces across singular positions, as polynomials
    setting: Setting | None = field(default=None, repr=False, compare=False)  # None for a trajectory from a file
    stored: dict[str, Array] = field(default_factory=dict, repr=False, compare=False)  # derived numbers from a file
    model: dict[str, Any] | None = field(default=None, repr=False, compare=False)  # fingerprint from a file

    def __len__(self) -> int:
        return self.t.size

    def __getitem__(self, name: str) -> Array:
        """Return a coordinate, a velocity (``d_x``), an acceleration (``dd_x``), a control, a λ or an energy, (N,).

        λ is the multiplier of a row, by its name.

        The motion of a mechanism has more: "crank.position", "crank.rotation", "hinge.angle", "hinge.force", …, and
        the numbers of vectors and matrices, "hinge.force.x", "crank.rotation.xy", with the "norm" of a vector.
        """
        for prefix, values in (("dd_", self.a), ("d_", self.v), ("", self.q)):
            if isinstance(name, str) and name.startswith(prefix) and name[len(prefix) :] in self.about.coordinates:
                return values[:, self.about.coordinates.index(name[len(prefix) :])]
        if name in self.about.rows:
            return self.multipliers[:, self.about.rows.index(name)]
        if self.controls is not None and name in self.about.controls:
            return self.controls[:, [*self.about.controls].index(name)]
        numbers = isinstance(name, str) and columns.ARRAYS.get(name, ((),))[0] == ("state",)
        if name == "energy" or (numbers and (name not in columns.STEPPING or self.stepping is not None)):
            return np.asarray(attrgetter(name)(self))
        if name == "event":
            return columns.events_along(self.t, ((e.t, f"{e.kind} {e.name}".strip()) for e in self.events))
        column = self._further.found(name)
        if column is not None:
            return np.asarray(column.values)
        if self.natural is not None and isinstance(name, str) and _has(self.natural, name):
            return self.natural[name]
        rows, further = shortened([*map(repr, self.about.rows)]), shortened([*self._further])
        meant = meant_by(name, self.about.coordinates) or meant_name(name, self._every_name())
        words = f"did you mean {meant!r}? It has" if meant else "it has"
        raise InputError(
            f"the trajectory has no {name!r}; {words} t, {shortened(self.about.coordinates)} (d_ and dd_ for velocity"
            f" and acceleration), energy, kinetic, potential, event"
            + (f", the rows {rows}" if rows else "")
            + (f", the controls {shortened([*self.about.controls])}" if self.about.controls else "")
            + (f", and {further}." if further else ".")
        )

    def __getattr__(self, name: str) -> Any:
        """Raise AttributeError; for a coordinate, velocity or row it says how to write it."""
        if "about" not in self.__dict__ or name in dir(type(self)):
            return object.__getattribute__(self, name)  # what has failed there
        meant = meant_by(name, self.about.coordinates) or (name if name in self.about.rows else "")
        hint = f"write run[{meant!r}]" if meant else "run.names has what run[name] knows"
        hint = f"gauss.{name}(run, …) does that" if name in ("plot", "animate", "view") and not meant else hint
        raise AttributeError(f"the trajectory has no attribute {name!r}; {hint}.", name=name, obj=self)

    @property
    def names(self) -> tuple[str, ...]:
        """What ``run[name]`` knows: coordinates and their rates, others, rows, controls, energies, the certificate."""
        about = self.about
        states = [prefix + name for prefix in ("", "d_", "dd_") for name in about.coordinates]
        numbers = [name for name, (dimensions, _, _) in columns.ARRAYS.items() if dimensions == ("state",)]
        known = [name for name in numbers if name not in columns.STEPPING or self.stepping is not None]
        controls = () if self.controls is None else tuple(about.controls)
        return tuple(dict.fromkeys((*states, *self._further, *about.rows, *controls, "energy", *known, "event")))

    def _every_name(self) -> Iterator[str]:
        """Yield the names and those of the numbers of vectors and matrices."""
        yield from self.names
        for name in self._further:
            yield from self.parts(name)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.names)

    @cached_property
    def _further(self) -> columns.Columns:
        """The columns that the System adds, as that of a mechanism does."""
        found = None if self.setting is None else self.setting.system.columns
        return columns.Columns(() if found is None else found(self))

    @cached_property
    def natural(self) -> Trajectory | None:
        """The motion in natural coordinates, of a mechanism in joint coordinates; else None.

        ``run[name]`` knows its coordinates and rows too.
        """
        known = self.setting is not None and self.setting.system.twin is not None
        found: Trajectory | None = natural_run(self) if known else None
        return found

    def parts(self, name: str) -> tuple[str, ...]:
        """Return the names of the numbers of a vector or a matrix, as "hinge.force.x"; none of what is one number."""
        return tuple(f"{name}.{label}" for label in self._further.labels(name))

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the values of joints, of a mechanism: "hinge.angle", "guide.displacement"."""
        return self._further.joints

    def unit(self, name: str) -> str:
        """Return the unit of what ``run[name]`` is; "" where none is known. Raises InputError for unknown names."""
        if name in (*self.about.coordinates, *self.about.rows, *self.about.controls):
            return self.about.unit(name)
        if name in columns.ARRAYS or name == "energy":
            return columns.ARRAYS.get(name, ((), "J"))[1]
        unit = self._further.unit(name)
        if unit is not None:
            return unit
        _ = self[name]
        return self.about.unit(name)

    @cached_property
    def kinetic(self) -> Array:
        """Kinetic energy (N,), J."""
        return self._energies[0]

    @cached_property
    def potential(self) -> Array:
        """Potential energy (N,), J."""
        return self._energies[1]

    @cached_property
    def _energies(self) -> tuple[Array, Array]:
        if self.setting is None:
            return self.stored["kinetic"], self.stored["potential"]
        return self.setting.system.model.energies(self.q, self.v, self.t, self.setting.theta)

    @property
    def energy(self) -> Array:
        """Kinetic plus potential energy (N,), J."""
        return self.kinetic + self.potential

    @property
    def off_position(self) -> Array:
        """Distance (N,) off the position constraints in force, in the mass metric, √kg m."""
        return self._off[0]

    @property
    def off_velocity(self) -> Array:
        """Distance (N,) off the velocity constraints in force, in the mass metric, √kg m/s."""
        return self._off[1]

    @cached_property
    def _off(self) -> tuple[Array, Array]:
        if self.setting is None:
            return self.stored["off_position"], self.stored["off_velocity"]
        if not self.about.rows:
            return np.zeros(len(self)), np.zeros(len(self))
        states = np.column_stack([self.t, self.q, self.v])
        return off_along(self.setting, states, self.active)

    @cached_property
    def sigma_min(self) -> Array:
        """Smallest singular value (N,) of the rows in force, scaled to unit length in the mass metric."""
        if self.setting is None:
            return self.stored["sigma_min"]
        if not self.about.rows:
            return np.ones(len(self))
        return sigma_min_along(self.setting, np.column_stack([self.t, self.q, self.v]), self.active)

    @cached_property
    def decided_by_rows(self) -> Flags:
        """Whether the rows alone determine the acceleration of each state (N,).

        Not at or next to a singular position: what is left there of Jᵀλ − (M a − f) says nothing about a.
        """
        by_rows = np.ones(len(self), dtype=bool)
        for window in self.windows:
            inside = (self.t >= window.t) & (self.t <= window.t + window.end * window.h)
            by_rows[inside] &= [not window.near(t) for t in self.t[inside].tolist()]
        return by_rows

    @property
    def largest_residual(self) -> float:
        """The largest residual of the certificates: where rows alone determine the acceleration, nan if nowhere.

        By time stepping it is that of the contact problems.
        """
        each = np.maximum(self.primal, self.stationarity) if self.stepping is None else self.stepping.residual
        asked = each[self.decided_by_rows]
        return float(np.max(asked)) if asked.size else np.nan

    @cached_property
    def open_forces(self) -> tuple[str, ...]:
        """The rows whose multipliers are not determined at some state: the record has one choice of them."""
        return open_forces(self)

    @cached_property
    def controls(self) -> Array | None:
        """The controls (N, n_u) behind each state, in the order of the System; None where there are none, or unknown.

        Constant ones, a function of the state, or what was held; nan where a function of the user fails. Those of a
        feedback are unknown for a file of an early version without its model.
        """
        return controls_along(self)

    @advised
    def at(self, times: Any) -> Trajectory:
        """Return the motion at other times within the run: dense output of the integrator's own order.

        Each state is reached by one fresh step from the last recorded state before it, so it is as accurate as the run
        and lies on the constraints. Raises InputError for times outside the run, and for a trajectory from a file
        (attach the model with `with_system`).
        """
        if self.setting is None:
            raise InputError("a trajectory from a file needs its model: use trajectory.with_system(system).at(…).")
        wanted = times_within(self.t, times)
        if self.stepping is not None:
            return replace(self, **stepped_at(self, wanted))
        return assemble(self.about, self.setting, blocks_at(self, wanted), self.events, self.ending, self.windows)

    def sel(self, *, t: Any) -> Trajectory:
        """Return the motion at the times t, as `at` does."""
        return self.at(t)

    @cached_property
    def _friction_works(self) -> tuple[Array, Array]:
        if self.stepping is not None:
            raise InputError("time stepping books friction and impacts together: run.stepping.dissipated.")
        return friction_works(self)

    @property
    def friction_work(self) -> Array:
        """Work (N,) of the friction forces with the slip velocities up to each recorded state, J; never positive.

        By Gauss's quadrature over the dense output. Needs the model, for a trajectory from a file `with_system`.
        """
        return self._friction_works[0]

    @property
    def drive_work(self) -> Array:
        """Work (N,) that what moves beneath the contacts, a belt say, does by friction up to each recorded state, J."""
        return self._friction_works[1]

    def with_system(self, system: AnySystem, control: Control | None = None) -> Trajectory:
        """Return this trajectory attached to its model, as after loading from a file.

        `control` is the function u(t, q, v) of a run that had one; constant controls, and the values that a sampled
        control held, are stored with the motion. Raises InputError for something else than a System, when coordinates,
        rows, parameters or friction differ, when the model gives other numbers (masses, forces, rows, energies), or the
        control other values at recorded states, and when the control is missing.
        """
        setting = setting_of(self, system, control)
        return replace(
            self, setting=setting, about=replace(self.about, units=self.about.units or dict(setting.system.units))
        )

    def to_numpy(self) -> dict[str, Any]:
        """Return all arrays in a dict by field name."""
        known = [name for name in columns.ARRAYS if name not in columns.STEPPING or self.stepping is not None]
        values = {name: attrgetter(name)(self) for name in known}
        return {name: np.array(value) for name, value in values.items() if value is not None}

    def to_xarray(self) -> xarray.Dataset:
        """Return an xarray Dataset with named dimensions and units."""
        return files.dataset(self, self.to_numpy())

    def to_pandas(self, *, degrees: bool = False) -> pandas.DataFrame:
        """Return a pandas DataFrame, one row per recorded state; its ``attrs["units"]`` has the units by name.

        With `degrees` angles and their rates are in degrees, as in `to_csv`. Raises InputError without pandas.
        """
        return columns.frame(self.data, degrees)

    @advised
    def to_csv(
        self,
        path: str | Path,
        *,
        degrees: bool = False,
        separator: str = ",",
        decimal: str = ".",
        encoding: str = "utf-8",
        columns: Sequence[str] | None = None,
    ) -> Path:
        """Write all columns to a CSV file, or those asked for, names and units in the first line; return its path.

        Time and coordinates come first, then what bodies, joints and rows have, energies, and the certificate last.
        `columns` are names that ``run[name]`` knows, in their order after the time: of a vector, "hinge.force", all
        numbers, of a joint or body, "hinge", all that it has. Multipliers that are not determined are marked so.
        With `degrees` columns in rad, rad/s and rad/s² are written in deg, deg/s and deg/s². Spreadsheets that have a
        decimal comma read ``separator=";", decimal=","``; some know the units' signs by ``encoding="utf-8-sig"`` only.

        Numbers of vectors and matrices are columns of their own, "hinge.force.x". The file takes the place of an older
        one only when it is whole. Raises FileError, InputError.
        """
        form = {"separator": separator, "decimal": decimal, "encoding": encoding}
        return write_csv(self, path, columns, degrees, **form)

    @cached_property
    def data(self) -> xarray.Dataset:
        """All named columns as an xarray Dataset along the coordinate t, with units.

        Its variables are x, d_x and dd_x of each coordinate, the multiplier of each row, the controls, the energies,
        the numbers of the certificate, of a mechanism the poses of its bodies and the values and forces of its joints:
        what ``run["x"]`` knows; and "event", what happened at a state. At an impact t is there twice, before and after.
        """
        return columns.table_of(self.t, columns.columns_of(self, self._further), self["event"])

    @advised
    def save(self, path: str | Path) -> Path:
        """Write a NetCDF file (.nc) that `load` reads back bit for bit; return its path. Raises FileError, InputError.

        The file takes the place of an older one only when it is whole and on the disk. It holds a checksum of all that
        is in it, and numbers of the model by which `with_system` knows it again; for them a black-box force is asked
        at up to four recorded states.
        """
        model = self.model
        if self.setting is not None:
            model = fingerprint(self.setting, self.t, self.q, self.v)
        return files.write(self.to_xarray(), model, path)

    @advised
    def report(
        self, path: str | Path, *, source: str | Path | None = None, film: Any = False, degrees: bool = False
    ) -> Path:
        """Write one HTML page (.html) with all that the motion has shown, which needs no network; return its path.

        It has the verdict at the start, curves, events, equations, settings and versions; if given, the text of the
        file `source`, say ``__file__``, and with ``film=True`` a film, or one by a `gauss.bodies.Drawing`. With
        `degrees` curves of angles are in degrees. An older page stays until the new one is whole. Raises FileError,
        InputError.
        """
        write: Callable[..., Path] = import_module("gauss.show.notebook").report_motion
        return write(self, path, source, film, degrees)

    @staticmethod
    def load(path: str | Path) -> Trajectory:
        """Read a file written by `save`.

        What another program has added is left out. Raises FileError for a missing, damaged, foreign or newer file,
        InputError for something that is no path.
        """
        return Trajectory.of_file(path)[0]

    @staticmethod
    def of_file(path: str | Path) -> tuple[Trajectory, dict[str, Any] | None]:
        """Return what `load` does, and what the file says of a run that may go on. Raises what `load` raises."""
        fields, kept = files.recorded_in(path)
        return Trajectory(**fields), kept

    def __str__(self) -> str:
        span = f"t = {self.t[0]:g} … {self.t[-1]:g} s, " if len(self) else ""
        work = f"{self.about.qp_count} quadratic programs by {self.about.solver}, {len(self.events)} events"
        if self.stepping is not None:
            lost, most = self.stepping.dissipated[-1], np.max(self.stepping.residual)
            work = f"steps of {self.about.step:g} s, contacts took {lost:.4g} J, residual at most {most:.1e}"
        return (
            f"{self.about.system}: {len(self)} states, {span}{self.about.method}, {work};"
            f" {self.ending.kind}: {self.ending.message}{self._open_words()}"
        )

    def _open_words(self) -> str:
        """Return what a line says of forces that are not determined, by what their rows belong to."""
        parts = list(dict.fromkeys(row.partition("[")[0] for row in self.open_forces))
        return f"; forces not determined: {shortened(parts)}" if parts else ""


def _has(run: Trajectory, name: str) -> bool:
    """Whether a name is a coordinate, a velocity, an acceleration or a row of a motion."""
    return name in run.about.rows or any(
        name.removeprefix(start) in run.about.coordinates for start in ("", "d_", "dd_")
    )


def require_run(run: object) -> None:
    """Raise InputError for what is no trajectory."""
    if not isinstance(run, Trajectory):
        raise InputError(f"a run of gauss.simulate is expected, got {in_place_of_a_run(run)}.")


def in_place_of_a_run(given: object) -> str:
    """Return what was given in place of a run: of a tree of motions, or one of them, how its run is taken."""
    hint = "; take one of its motions, tree[k].run" if hasattr(given, "branches") else ""
    return type(given).__name__ + ("; take its run, tree[k].run" if hasattr(given, "children") else hint)


def taken_apart(run: Trajectory, count: int) -> dict[str, Array]:
    """Return what was recorded at the first `count` states of a motion by name, as `joined` returns it."""
    found = {name: getattr(run, name) for name in RECORDED}
    m = run.multipliers.shape[1]
    found["sliding"] = np.zeros((len(run), m)) if run.sliding is None else run.sliding
    found["sharing"] = np.zeros((len(run), m), dtype=bool) if run.sharing is None else run.sharing
    return {name: x[:count] for name, x in found.items()}


def assemble(
    about: Description,
    setting: Setting,
    blocks: Sequence[StepBlock],
    events: tuple[MotionEvent, ...],
    ending: Ending,
    windows: tuple[Window, ...] = (),
    before: Mapping[str, Array] | None = None,
) -> Trajectory:
    """Build a trajectory from its blocks, and what was recorded `before` them, by name."""
    found: dict[str, Any] = followed_by(before or {}, joined(blocks, len(about.coordinates), len(about.rows)))
    if not about.contacts:
        found["sliding"] = None
    found["sharing"] = found["sharing"] & ~found["active"] if found["sharing"].any() else None
    return Trajectory(about=about, events=events, ending=ending, windows=windows, setting=setting, **found)
