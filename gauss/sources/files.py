"""Files of statements: the folder of the sources, one file per chapter of a source or per scenario.

A file of statements is a model (`gauss.scenario`) that has

* ``equations``: a `Printed` collection of statements of a source about the system, or a list of them. Where a
  collection names no system, the system, start and end time of the file are meant.

A file about a scenario bears its name and takes system and start from it:

    page = g.scenario.module("inverted_pendulum")
    system, start = page.system, page.start
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from gauss import scenario
from gauss.errors import FileError, InputError
from gauss.foundation import shipped
from gauss.foundation.outcomes import Shown
from gauss.foundation.portable import Portable
from gauss.sources.equations import Printed


@dataclass(frozen=True, repr=False)
class SourceFile(Shown, Portable):
    """A loaded file of statements."""

    name: str  # file name without .py
    title: str
    path: Path
    equations: tuple[Printed, ...]  # completed by the system and the start of the file


def folder() -> Path:
    """Return the folder of the sources that ship with the package: in a wheel inside it, in a clone beside it.

    >>> import gauss as g
    >>> (g.sources.folder() / "rolling_wheel.py").exists()
    True
    """
    return shipped.folder("sources")


def names() -> list[str]:
    """Return the names of all files of statements that ship with the package, sorted."""
    return shipped.names("sources")


def find(name: str | Path) -> Path:
    """Return the file of statements given by name or by path; a Path, or a str with a folder or .py, is a path.

    Raises FileError (with near matches) where there is none, InputError for a scenario without printed statements and
    for something that is neither name nor path.
    """
    path = shipped.given_path(name)
    if path is not None:
        return path
    known = names()
    if name not in known:
        if name in scenario.names():
            raise InputError(f"{name} has no printed statements; {folder()} has no file of its name.")
        near = shipped.nearest(name, known)
        hint = f" Did you mean {near}?" if near else f" {folder()} has all of them."
        raise FileError(f"there are no printed statements {name!r}.{hint}")
    return folder() / f"{name}.py"


def load(name: str | Path) -> SourceFile:
    """Load a file of statements by name or path.

    Raises FileError for a file that is missing, damaged or not a model, InputError for something that is no path and
    for a model without statements.

    >>> import gauss as g
    >>> file = g.sources.load("tm_0_kepler")
    >>> file.title, [claim.number for claim in file.equations[0].claims][:3]
    ('Printed equations of TM, chapter 0: the motion of a planet about the sun', ['(1)', '§0.1', '(2)'])
    """
    path = find(name)
    module = shipped.execute(path, "sources")
    _require_parts(module, path)
    model = scenario.read(module, path)
    equations = _equations(module, path, model.system, model.start)
    if not equations:
        raise InputError(f"{model.name} has no printed statements; give its file a Printed collection `equations`.")
    return SourceFile(model.name, model.title, path, equations)


def _require_parts(module: ModuleType, path: Path) -> None:
    """Raise FileError that names all that a module lacks of what a file of statements has."""
    wanted = {
        "system": "a gauss.System",
        "start": "a gauss.Start(q, v, t_end=2.0)",
        "equations": "a gauss.sources.Printed collection, or a list of them",
    }
    missing = [f"`{name}` ({what})" for name, what in wanted.items() if not hasattr(module, name)]
    other = [name for name, value in vars(module).items() if isinstance(value, Printed)]
    unnamed = other and not hasattr(module, "equations")
    hint = f" Its collection {other[0]!r} must be called `equations`." if unnamed else ""
    if missing:
        raise FileError(f"{path} is no model with printed statements: it defines no {', '.join(missing)}.{hint}")


def _equations(module: ModuleType, path: Path, system: Any, start: Any) -> tuple[Printed, ...]:
    """Return the `equations` of a module, completed by its system and start. Raises FileError."""
    value = shipped.value(module, "equations", path) if hasattr(module, "equations") else ()
    collections = (value,) if isinstance(value, Printed) else value
    if not isinstance(collections, (tuple, list)) or not all(isinstance(c, Printed) for c in collections):
        raise shipped.wrong_type(path, "equations", value, "a Printed collection, or a list of them,")
    own = {"system": system, "q": start.q, "v": start.v, "t": start.t, "t_end": start.t_end, "control": start.control}
    missing = {name: value for name, value in own.items() if value is not None}
    return tuple(c if c.system is not None or c.ranges else _completed(c, missing) for c in collections)


def _completed(printed: Printed, own: Mapping[str, Any]) -> Printed:
    """Return the collection with what it leaves out taken from the file."""
    return replace(printed, **{name: value for name, value in own.items() if not _given(printed, name)})


def _given(printed: Printed, name: str) -> bool:
    value = getattr(printed, name)
    return name != "system" and value is not None and not (name == "t" and value == 0.0)
