"""Scenarios: one system per file, with its start, its known answer and its figure.

A scenario file is a Python module with

* a docstring whose first line is the title; the rest states the physics, the units and the known answer;
* ``COVERS``, the ids of the statements it covers, and ``SOURCE``, where they come from (both optional);
* ``system``: a `System` or a `Mechanism`, or a function without arguments that returns one;
* ``start``: a `Start`, or a function that returns one;
* ``claims(run)``: a list of `Claim` about the trajectory (or about the `Verdict`, where the start has no t_end), with
  `gauss.needs(t)` before it where they need the motion up to t; optional;
* ``figure(run, figure)``: draws the result on an empty matplotlib Figure; optional;
* ``minimal``: a `Minimal` witness in other coordinates; optional;
* ``drawing``: a `gauss.bodies.Drawing`, or a function that returns one, for `gauss animate`; optional.

A user's own model file is the same thing; `system` and `start` are enough. The file of a robot (URDF, MJCF) is one,
too: it starts at rest in its home pose with its loops closed, without drives.

The scenarios that ship are pages to copy, of at most 100 lines and with their headline claims; tests/proofs/NAME.py
asks further claims of the same run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from gauss.analysis.claims import Checks
from gauss.analysis.crosscheck import Minimal
from gauss.bodies.drawing import Drawing
from gauss.errors import FileError, InputError
from gauss.foundation import shipped
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import one_line
from gauss.foundation.portable import Portable
from gauss.model import System
from gauss.model.functions import require_by_place
from gauss.model.state import State
from gauss.robots import Robot
from gauss.robots import load as load_robot
from gauss.robots.closing import closed_pose

__all__ = ["Scenario", "Start", "find", "folder", "load", "module", "names"]

T = TypeVar("T")
T_END = 1.0  # s, of the motion of a robot's file


@advised
@dataclass(frozen=True)
class Start(Portable):
    """Where a scenario starts and how it is integrated; without t_end only the acceleration at the start is asked.

    >>> import gauss as g
    >>> start = g.Start(q={"phi": 0.5}, t_end=10.0)
    >>> start.v is None, start.rtol
    (True, 1e-10)
    """

    q: Any  # list or dict by coordinate name; or a State, or what has one (an assembled mechanism), with its velocities
    v: Any = None  # at rest if left out
    t: float = 0.0  # s
    t_end: float | None = None  # s
    step: float | None = None  # s, for method="rk4"; t_end/2000 if left out
    rtol: float = 1e-10
    atol: float | None = None  # 1e-12, less where coordinates are small
    max_step: float | None = None  # s
    control: Any = None
    events: tuple[Any, ...] = ()
    impacts: str = "moreau"  # law of impact
    paradox: str = "end"  # what follows where no finite contact forces satisfy the law of friction
    allow_energy_gain: bool = False  # whether the law of impact may create energy, as in some published motions

    def __post_init__(self) -> None:
        if callable(self.control):
            require_by_place(self.control, "tqv", "the control")

    @property
    def options(self) -> dict[str, Any]:
        """How its motion is integrated, for `simulate`."""
        names = ("rtol", "atol", "max_step", "control", "events", "impacts", "paradox", "allow_energy_gain")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, repr=False)
class Scenario(Portable):
    """A loaded scenario.

    >>> import gauss as g
    >>> page = g.scenario.load("inverted_pendulum")
    >>> page.name, page.system.coordinates, page.start.t_end
    ('inverted_pendulum', ('X', 'Y', 'x', 'y'), 4.0)
    """

    name: str  # file name without .py
    title: str
    text: str  # the docstring after the title
    covers: tuple[str, ...]
    source: str
    path: Path
    system: System
    start: Start
    claims: Checks
    figure: Callable[[Any, Any], None] | None
    minimal: Minimal | None
    drawing: Drawing | None = None  # how its motion is drawn, for `gauss animate`

    def __repr__(self) -> str:
        return f"Scenario({one_line(f'{self.name!r}: {self.title}')})"


def folder() -> Path:
    """Return the folder of the scenarios that ship with the package: in a wheel inside it, in a clone beside it.

    >>> import gauss as g
    >>> (g.scenario.folder() / "inverted_pendulum.py").exists()
    True
    """
    return shipped.folder("scenarios")


def names() -> list[str]:
    """Return the names of all scenarios that ship with the package, sorted.

    >>> import gauss as g
    >>> "inverted_pendulum" in g.scenario.names(), len(g.scenario.names()) > 50
    (True, True)
    """
    return shipped.names("scenarios")


def find(name: str | Path) -> Path:
    """Return the file of a scenario given by name or by path; a Path, or a str with a folder or an ending, is a path.

    Raises FileError (with near matches) where there is none, InputError for something that is neither.

    >>> import gauss as g
    >>> g.scenario.find("inverted_pendulum").name
    'inverted_pendulum.py'
    >>> g.scenario.find("inverted_pendulums")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gauss.errors.FileError: there is no scenario 'inverted_pendulums'. Did you mean inverted_pendulum or ...
    """
    path = shipped.given_path(name)
    if path is not None:
        return path
    known = names()
    if name not in known:
        near = f"{name}.py" if Path(f"{name}.py").is_file() else shipped.nearest(name, known)
        hint = f" Did you mean {near}?" if near else " `gauss list` shows all of them."
        raise FileError(f"there is no scenario {name!r}.{hint}")
    return folder() / f"{name}.py"


def module(name: str | Path) -> ModuleType:
    """Return the module of a scenario, by name or path: its constants and functions, beside `system` and `start`.

    Raises FileError for a file that is missing, that is a robot's or cannot be run, InputError for what is no path.
    """
    path = find(name)
    if is_robot(path):
        raise FileError(
            f"{path} is the file of a robot, which has no functions; a model file with  import gauss as g  and "
            f" robot = g.load({path.name!r})  has them."
        )
    return shipped.execute(path, "scenario")


def load(name: str | Path, loops: str | Path | None = None) -> Scenario:
    """Load a scenario by name or path; `loops` is the YAML file of the loops of a robot, as `gauss.load` takes it.

    Raises FileError for a file that is missing, damaged or not a model, InputError for something that is no path, for
    a robot's file that cannot be read, and for loops of what is no robot's file.
    """
    path = find(name)
    if is_robot(path):
        return of_robot(load_robot(path, loops=loops), path, loops)
    if loops is not None:
        raise InputError(f"loops belong to a URDF; {path} is a model file, whose gauss.load takes them.")
    return read(shipped.execute(path, "scenario"), path)


def is_robot(path: Path) -> bool:
    """Return whether a file is that of a robot, by its ending."""
    return path.suffix.lower() in shipped.ROBOTS


def of_robot(robot: Robot, path: Path, loops: str | Path | None = None) -> Scenario:
    """Return the scenario of a robot's file: from rest in its home pose with closed loops, for 1 s, controls 0.

    `loops` is the file of its loops, to be named. Raises FileError where the loops do not close from there.
    """
    system = robot.system
    state = closed_pose(robot, robot.at(next(iter(robot.poses), {}))[0])
    if state is None:
        doctor = f"gauss doctor {path}" + (f" --loops {loops}" if loops is not None else "")
        raise FileError(
            f"the loops of {path} do not close from its home pose; `{doctor}` says which are open, and by how much."
        )
    count = len(system.controls)
    return Scenario(
        name=path.stem,
        title=robot.name,
        text="\n".join(f"Not read: {each}." for each in robot.unread),
        covers=(),
        source=path.name,
        path=path,
        system=system,
        start=Start(state.q, t_end=T_END, control=np.zeros(count) if count else None),
        claims=lambda run: [],
        figure=None,
        minimal=None,
        drawing=Drawing(robot),
    )


def read(module: ModuleType, path: Path) -> Scenario:
    """Return the scenario that a module states. Raises FileError for one that is not a model."""
    system, start = required(module, "system", System, path), required(module, "start", Start, path)
    title, text = shipped.titled(module.__doc__ or system.name)
    return Scenario(
        name=path.stem,
        title=title,
        text=text,
        covers=_covers(module, path),
        source=str(getattr(module, "SOURCE", "")),
        path=path,
        system=system,
        start=start,
        claims=_function(module, "claims", path) or (lambda run: []),
        figure=_function(module, "figure", path),
        minimal=_minimal(module, path),
        drawing=required(module, "drawing", Drawing, path) if hasattr(module, "drawing") else None,
    )


def required(module: ModuleType, name: str, kind: type[T], path: Path) -> T:
    """Return the `system`, `start` or `drawing` of the module of a file. Raises FileError."""
    if not hasattr(module, name):
        wanted = f"a gauss.{kind.__name__}, or a function that returns one"
        raise FileError(f"{path} is not a model: it defines no `{name}` ({wanted}).")
    value = shipped.value(module, name, path)
    if kind is System:
        value = getattr(value, "system", value)  # of a Mechanism
    if kind is Start:  # a study takes these too
        value = Start(*value) if isinstance(value, tuple) and len(value) == 2 else value
        value = Start(value) if isinstance(getattr(value, "state", value), State) else value
    if not isinstance(value, kind):
        home = "gauss.bodies" if kind is Drawing else "gauss"
        form = ", as in start = gauss.Start(q, v, t_end=2.0)," if kind is Start else ""
        raise shipped.wrong_type(path, name, value, f"a {home}.{kind.__name__}{form}")
    return value


def _minimal(module: ModuleType, path: Path) -> Minimal | None:
    """Return the `minimal` of a module, or None. Raises FileError."""
    value = getattr(module, "minimal", None)
    if value is not None and not isinstance(value, Minimal):
        raise shipped.wrong_type(path, "minimal", value, "a gauss.Minimal")
    return value


def _function(module: ModuleType, name: str, path: Path) -> Callable[..., Any] | None:
    """Return an optional function of a module, or None. Raises FileError."""
    value = getattr(module, name, None)
    if value is not None and not callable(value):
        raise shipped.wrong_type(path, name, value, "a function")
    return value


def _covers(module: ModuleType, path: Path) -> tuple[str, ...]:
    """Return the `COVERS` of a module. Raises FileError."""
    value = getattr(module, "COVERS", ())
    if not isinstance(value, (tuple, list)) or not all(isinstance(identity, str) for identity in value):
        raise FileError(f'{path}: COVERS is {value!r}; a tuple of strings is expected, as in ("T18",).')
    return tuple(value)
