"""Scenarios: one system per file, with its start, its known answer and its figure.

A scenario file is a Python module with

* a docstring whose first line is the title; the rest states the physics, the units and the known answer;
* ``COVERS``, the ids of the statements it covers, and ``SOURCE``, where they come from (both optional);
* ``system``: a `System`, or a function without arguments that returns one;
* ``start``: a `Start`, or a function that returns one;
* ``claims(run)``: a list of `Claim` about the trajectory (or about the `Verdict`, where the start has no t_end), with
  `gauss.needs(t)` before it where they need the motion up to t; optional;
* ``figure(run, figure)``: draws the result on an empty matplotlib Figure; optional;
* ``minimal``: a `Minimal` witness in other coordinates; optional;
* ``drawing``: a `gauss.bodies.Drawing`, or a function that returns one, for `gauss animate`; optional;
* ``equations``: a `Printed` collection of statements of a source about the system, or a list of them; optional. Where
  a collection names no system, the scenario's own system, start and end time are meant.

A user's own model file is the same thing; `system` and `start` are enough.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import gauss
from gauss.analysis.claims import Checks
from gauss.analysis.crosscheck import Minimal
from gauss.analysis.verify.equations import Printed
from gauss.bodies.drawing import Drawing
from gauss.errors import FileError, GaussError
from gauss.foundation.portable import Portable
from gauss.foundation.storage import as_path
from gauss.model import System
from gauss.model.functions import require_by_place

T = TypeVar("T")


@dataclass(frozen=True)
class Start(Portable):
    """Where a scenario starts and how it is integrated; without t_end only the acceleration at the start is asked."""

    q: Any  # list or dict by coordinate name
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


@dataclass(frozen=True)
class Scenario(Portable):
    """A loaded scenario."""

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
    equations: tuple[Printed, ...] = ()  # what a source prints about the system, for `gauss verify`
    drawing: Drawing | None = None  # how its motion is drawn, for `gauss animate`


def folder() -> Path:
    """Return the folder of the scenarios that ship with the package: in a wheel inside it, in a clone beside it."""
    package = Path(gauss.__file__).parent
    for place in (package / "_scenarios", package.parent / "scenarios"):
        if place.is_dir():
            return place
    raise FileError(f"the scenarios that belong to the package are missing: neither in {package} nor beside it.")


def names() -> list[str]:
    """Return the names of all scenarios that ship with the package, sorted."""
    return sorted(path.stem for path in folder().glob("*.py") if not path.stem.startswith("_"))


def find(name: str | Path) -> Path:
    """Return the file of a scenario given by name or by path; a Path, or a str with a folder or .py, is a path.

    Raises FileError (with near matches) where there is none, InputError for something that is neither.
    """
    path = as_path(name)
    if not isinstance(name, str) or name != path.name or name.endswith(".py"):
        if not path.is_file():
            raise FileError(f"there is no file {path}.")
        return path
    known = names()
    if name not in known:
        import difflib

        near = difflib.get_close_matches(name, known, 3, 0.6) or [k for k in known if name in k]
        hint = f" Did you mean {' or '.join(near)}?" if near else " `gauss list` shows all of them."
        raise FileError(f"there is no scenario {name!r}.{hint}")
    return folder() / f"{name}.py"


def load(name: str | Path) -> Scenario:
    """Load a scenario by name or path.

    Raises FileError for a file that is missing, damaged or not a model, InputError for something that is no path.
    """
    path = find(name)
    module = _execute(path)
    system, start = _required(module, "system", System, path), _required(module, "start", Start, path)
    title, _, text = (module.__doc__ or system.name).strip().partition("\n")
    return Scenario(
        name=path.stem,
        title=title.strip().rstrip("."),
        text=text.strip(),
        covers=_covers(module, path),
        source=str(getattr(module, "SOURCE", "")),
        path=path,
        system=system,
        start=start,
        claims=_function(module, "claims", path) or (lambda run: []),
        figure=_function(module, "figure", path),
        minimal=_minimal(module, path),
        equations=_equations(module, path, system, start),
        drawing=_required(module, "drawing", Drawing, path) if hasattr(module, "drawing") else None,
    )


def _required(module: ModuleType, name: str, kind: type[T], path: Path) -> T:
    """Return the `system`, `start` or `drawing` of a module. Raises FileError."""
    if not hasattr(module, name):
        wanted = f"a gauss.{kind.__name__}, or a function that returns one"
        raise FileError(f"{path} is not a model: it defines no `{name}` ({wanted}).")
    value = _value(module, name, path)
    if not isinstance(value, kind):
        home = "gauss.bodies" if kind is Drawing else "gauss"
        form = ", as in start = gauss.Start(q, v, t_end=2.0)," if kind is Start else ""
        raise _wrong_type(path, name, value, f"a {home}.{kind.__name__}{form}")
    return value


def _minimal(module: ModuleType, path: Path) -> Minimal | None:
    """Return the `minimal` of a module, or None. Raises FileError."""
    value = getattr(module, "minimal", None)
    if value is not None and not isinstance(value, Minimal):
        raise _wrong_type(path, "minimal", value, "a gauss.Minimal")
    return value


def _equations(module: ModuleType, path: Path, system: System, start: Start) -> tuple[Printed, ...]:
    """Return the `equations` of a module, completed by its system and start. Raises FileError."""
    value = _value(module, "equations", path) if hasattr(module, "equations") else ()
    collections = (value,) if isinstance(value, Printed) else value
    if not isinstance(collections, (tuple, list)) or not all(isinstance(c, Printed) for c in collections):
        raise _wrong_type(path, "equations", value, "a Printed collection, or a list of them,")
    own = {"system": system, "q": start.q, "v": start.v, "t": start.t, "t_end": start.t_end, "control": start.control}
    missing = {name: value for name, value in own.items() if value is not None}
    return tuple(c if c.system is not None or c.ranges else _completed(c, missing) for c in collections)


def _completed(printed: Printed, own: dict[str, Any]) -> Printed:
    """Return the collection with what it leaves out taken from the scenario."""
    return replace(printed, **{name: value for name, value in own.items() if not _given(printed, name)})


def _given(printed: Printed, name: str) -> bool:
    value = getattr(printed, name)
    return name != "system" and value is not None and not (name == "t" and value == 0.0)


def _function(module: ModuleType, name: str, path: Path) -> Callable[..., Any] | None:
    """Return an optional function of a module, or None. Raises FileError."""
    value = getattr(module, name, None)
    if value is not None and not callable(value):
        raise _wrong_type(path, name, value, "a function")
    return value


def _covers(module: ModuleType, path: Path) -> tuple[str, ...]:
    """Return the `COVERS` of a module. Raises FileError."""
    value = getattr(module, "COVERS", ())
    if not isinstance(value, (tuple, list)) or not all(isinstance(identity, str) for identity in value):
        raise FileError(f'{path}: COVERS is {value!r}; a tuple of strings is expected, as in ("T18",).')
    return tuple(value)


def _wrong_type(path: Path, name: str, value: object, expected: str) -> FileError:
    return FileError(f"{path}: `{name}` is a {type(value).__name__}; {expected} is expected.")


def _execute(path: Path) -> ModuleType:
    """Run a Python file as a module of its own. Raises FileError when it cannot be run."""
    spec = importlib.util.spec_from_file_location(f"gauss_scenario_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileError(f"{path} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses in the file look their module up
    try:
        spec.loader.exec_module(module)
    except (GaussError, KeyboardInterrupt):
        raise
    except BaseException as error:
        line = _line_in(error, path)
        raise FileError(f"{path}{line} cannot be run: {type(error).__name__}: {error}.") from error
    from cloudpickle import register_pickle_by_value  # late, as in `gauss.foundation.portable`

    register_pickle_by_value(module)  # no other process could import it by this name
    return module


def _line_in(error: BaseException, path: Path) -> str:
    """Return ", line N" for the deepest frame of an error inside a file."""
    found = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            found = trace.tb_lineno
        trace = trace.tb_next
    return f", line {found}," if found else ""


def _value(module: ModuleType, name: str, path: Path) -> Any:
    """Return an attribute, called if it is a function. Raises FileError when the call fails."""
    value = getattr(module, name)
    if not callable(value) or isinstance(value, (System, Start)):
        return value
    try:
        return value()
    except (GaussError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise FileError(f"{path}: {name}() failed: {type(error).__name__}: {error}.") from error
