"""Python files that ship with the package, found by name or by path, and run as modules of their own."""

from __future__ import annotations

import ast
import difflib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from gauss.errors import FileError, GaussError, described
from gauss.foundation.storage import as_path

PACKAGE = Path(__file__).parent.parent
ROBOTS = (".urdf", ".sdf", ".xml", ".mjcf")  # endings of files of robots
MESH = "a mesh", "give the URDF, MJCF or SDF that refers to it"
OTHERS = {  # files that are given in place of a model, by their endings: what they are, and what to give
    ".xacro": ("a xacro file", "make a URDF of it with  xacro {name} > robot.urdf  and give that"),
    ".srdf": (
        "an SRDF, which has groups and poses of joints but no bodies",
        "give the URDF that it belongs to",
    ),
    ".yaml": ("a YAML file", "give the URDF whose loops it has, and the YAML file as its loops (--loops {name})"),
    ".npz": ("a file of arrays", "gauss check {name} judges recorded accelerations"),
    ".nc": ("a recorded motion", "gauss.Trajectory.load reads it, and its model is another file"),
    ".stl": MESH,
    ".obj": MESH,
    ".dae": MESH,
}
OTHERS[".yml"] = OTHERS[".yaml"]


def folder(kind: str) -> Path:
    """Return the folder of "scenarios", "sources" or "exercises": inside the package in a wheel, else beside it."""
    for place in (PACKAGE / f"_{kind}", PACKAGE.parent / kind):
        if place.is_dir():
            return place
    raise FileError(f"the {kind} that belong to the package are missing: neither in {PACKAGE} nor beside it.")


def names(kind: str) -> list[str]:
    """Return the names of all files of a kind that ship with the package, sorted."""
    return sorted(path.stem for path in folder(kind).glob("*.py") if not path.stem.startswith("_"))


@dataclass(frozen=True)
class Heading:
    """What a file says of itself at its top, read without running it."""

    name: str
    title: str
    covers: tuple[str, ...]
    source: str

    @staticmethod
    def of(path: Path) -> Heading:
        """Read the docstring, COVERS and SOURCE of a file. Raises FileError for one that is no Python."""
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (OSError, SyntaxError, ValueError) as error:
            raise FileError(f"{path} cannot be read: {described(error)}.") from error
        found: dict[str, Any] = {}
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                with suppress(ValueError):  # computed by the file: known when it is run
                    found[node.targets[0].id] = ast.literal_eval(node.value)
        title, _ = titled(ast.get_docstring(tree) or path.stem)
        return Heading(path.stem, title, tuple(found.get("COVERS", ())), str(found.get("SOURCE", "")))


def headings(kind: str) -> list[Heading]:
    """Return what the files of a kind say of themselves, sorted by name. Raises what `Heading.of` raises."""
    return [Heading.of(folder(kind) / f"{name}.py") for name in names(kind)]


def titled(docstring: str) -> tuple[str, str]:
    """Return the first line of a docstring, without its full stop, and the rest."""
    title, _, text = docstring.strip().partition("\n")
    return title.strip().rstrip("."), text.strip()


def given_path(name: str | Path) -> Path | None:
    """Return the path that is meant, or None for the name of a file that ships with the package.

    A Path, or a str with a folder, .py or the ending of a robot's file, is a path. Raises FileError where there is no
    such file, InputError for something that is neither.
    """
    path = as_path(name)
    endings = (".py", *ROBOTS)
    there = bool(path.suffix) and path.is_file()
    if isinstance(name, str) and name == path.name and not (name.endswith(endings) or there):
        return None
    if path.is_dir():
        raise FileError(f"{path} is a folder; give a file in it.")
    if not path.is_file():
        beside = path.parent.iterdir() if path.parent.is_dir() else ()
        near = nearest(path.name, [each.name for each in beside if each.suffix in endings])
        raise FileError(f"there is no file {path}.{f' Did you mean {near}?' if near else ''}")
    return path


def unlike(path: Path) -> str:
    """Return in a sentence what a file is that is no model, by its ending, and what to give in its place."""
    what, remedy = OTHERS.get(path.suffix.lower(), ("", ""))
    endings = ", ".join(ROBOTS)
    remedy = remedy or f"give a model file (.py) or the file of a robot ({endings})"
    return f"{path} is {what or 'neither a model file nor that of a robot'}: {remedy.format(name=path.name)}."


def nearest(name: str | Path, known: Sequence[str]) -> str:
    """Return the names that are meant perhaps, joined by "or"; empty where there is none."""
    parts = [k for k in known if str(name) in k] if str(name) else []
    return " or ".join(difflib.get_close_matches(str(name), known, 3, 0.6) or parts)


def execute(path: Path, kind: str) -> ModuleType:
    """Run a Python file, which may import those beside it, as a module of its own.

    Raises FileError when it cannot be run.
    """
    spec = importlib.util.spec_from_file_location(f"gauss_{kind}_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileError(unlike(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses in the file look their module up
    try:
        with neighbours(path):
            spec.loader.exec_module(module)
    except (GaussError, KeyboardInterrupt):
        raise
    except BaseException as error:
        line = _line_in(error, path)
        said = str(error)
        if isinstance(error, SyntaxError) and error.text and _same_file(error.filename, path):
            said = f"{error.msg}: `{error.text.strip()}`"
        raise FileError(f"{path}{line} cannot be run: {type(error).__name__}: {said.rstrip('.')}.") from error
    _by_value(module)
    return module


@contextmanager
def neighbours(path: Path) -> Iterator[None]:
    """Let a file import those beside it, as Python does; each file has its own of them, which may have the same name.

    Pickle writes them as code, as other processes do not find them.
    """
    folder, before = path.resolve().parent, set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        new = {name: sys.modules[name] for name in sys.modules.keys() - before}
        tops = {name for name, module in new.items() if folder in _places(module)}
        for name, module in new.items():
            if name.partition(".")[0] in tops:
                _by_value(module)
                del sys.modules[name]


def _places(module: ModuleType) -> list[Path]:
    """Return the folders in which a module, or the folder of a package, lies."""
    return [
        Path(place).parent for place in (getattr(module, "__file__", None), *getattr(module, "__path__", ())) if place
    ]


def _by_value(module: ModuleType) -> None:
    """Let pickle write what a module defines as code: no other process could import it by its name."""
    from cloudpickle import register_pickle_by_value  # late, as in `gauss.foundation.portable`

    register_pickle_by_value(module)


def _line_in(error: BaseException, path: Path) -> str:
    """Return ", line N" for the deepest frame of an error inside a file."""
    found = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None:
        if _same_file(trace.tb_frame.f_code.co_filename, path):
            found = trace.tb_lineno
        trace = trace.tb_next
    return f", line {found}," if found else ""


def _same_file(name: str | None, path: Path) -> bool:
    """Whether Python's name of a file, which is absolute, is that of a path."""
    return name is not None and os.path.abspath(name) == os.path.abspath(path)


def values_of(function: Callable[..., Any]) -> list[str]:
    """Return the names of the arguments that a function needs."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def value(module: ModuleType, name: str, path: Path) -> Any:
    """Return an attribute, called if it is a function. Raises FileError when the call fails."""
    found = getattr(module, name)
    if not callable(found):
        return found
    values = values_of(found) if name == "start" else []
    if values:
        raise FileError(
            f"{path}: `start` takes the values {', '.join(values)}, which a study gives it:"
            f" gauss sweep {path.name} --set {values[0]}=…. Give them defaults, as in"
            f" def start({', '.join(f'{each}=…' for each in values)}), for this command."
        )
    try:
        with neighbours(path):
            return found()
    except (GaussError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise FileError(f"{path}: {name}() failed: {described(error)}.") from error


def wrong_type(path: Path, name: str, found: object, expected: str) -> FileError:
    """Return the error for an attribute of another type than expected."""
    return FileError(f"{path}: `{name}` is a {type(found).__name__}; {expected} is expected.")
