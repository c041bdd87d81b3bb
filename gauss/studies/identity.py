"""What makes a study itself: model, start, values, options and measures; a file of another one is refused."""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from gauss.errors import FileError, InputError
from gauss.foundation.portable import global_names
from gauss.model import System
from gauss.motion import Event, Setting
from gauss.motion.record.fingerprint import fingerprint, require_same
from gauss.motion.steps.setting import ATOL
from gauss.numerics.runge_kutta import dop853
from gauss.studies.points import StudyPoints
from gauss.studies.question import PointMotion, Question, posed

PLAIN = (int, float, complex, str, bytes, bool, type(None))
FIXED = (*PLAIN, tuple, np.ndarray, FunctionType)  # what functions refer to and do not fill as they go


def identity(question: Question, points: StudyPoints) -> dict[str, Any]:
    """Return what makes a study itself, plain data ready for JSON."""
    model, start = question.model, question.start
    functions = {"the function that builds the model": None if isinstance(model, System) else model}
    functions["the function that gives the start"] = start if callable(start) else None
    return {
        "names": list(points.axes),
        "product": points.product,
        "ends": [_end(question, points, index) for index in (0, len(points) - 1)],
        "times": None if question.times is None else question.times.tolist(),
        "options": {name: _plain(x) for name, x in sorted(question.options.items())},
        "measures": {name: code_of(function) for name, function in question.measures.items()},
        "functions": {words: code_of(f) for words, f in functions.items() if f is not None},
        "python": list(sys.version_info[:2]),  # the code of functions is that of one version
    }


def _end(question: Question, points: StudyPoints, index: int) -> dict[str, Any] | None:
    """Return numbers of the first or last point of a study, None where it has no motion."""
    try:
        asked = posed(question, points.at(index))
    except Exception:  # told by the table
        return None
    s = asked.state
    start = [s.t, *s.q.tolist(), *s.v.tolist(), asked.t_end]
    options = {name: _plain(x) for name, x in sorted(asked.options.items())}
    return {"start": start, "options": options, "model": _fingerprint(asked)}


def _fingerprint(asked: PointMotion) -> dict[str, Any]:
    system, s = asked.system, asked.state
    setting = Setting(system, dop853(), system.theta(), 0.0, np.full(2 * system.n, ATOL), 1.0, None)
    return fingerprint(setting, np.array([s.t]), s.q[None], s.v[None])


def require_identity(
    path: Path, stored: dict[str, Any], axes: Mapping[str, Any], question: Question, points: StudyPoints
) -> None:
    """Raise FileError, which names the first difference, unless the study in a file is the one that is asked for."""
    present, other = identity(question, points), f"{path} is another study: "
    remedy = " Choose another name, or remove the file."
    if present["names"] != stored["names"] or present["product"] != stored["product"]:
        words = [f"{'a grid' if x['product'] else 'samples'} of {', '.join(x['names'])}" for x in (stored, present)]
        raise FileError(f"{other}it has {words[0]}, and {words[1]} is asked for.{remedy}")
    for name, values in points.axes.items():
        if not np.array_equal(np.asarray(axes[name]).astype(values.dtype), values):
            raise FileError(f"{other}{name!r} has {_said(axes[name])} there, and {_said(values)} is asked for.{remedy}")
    for key, word in (("times", "the times are"), ("options", "the options are")):
        if present[key] != stored[key]:
            raise FileError(f"{other}{word} {_differing(stored[key], present[key])}.{remedy}")
    if list(present["measures"]) != list(stored["measures"]):
        words = [", ".join(x["measures"]) or "nothing" for x in (stored, present)]
        raise FileError(f"{other}it measures {words[0]}, and {words[1]} is asked for.{remedy}")
    if present["python"] == stored["python"]:
        for name, code in (present["measures"] | present["functions"]).items():
            if (stored["measures"] | stored["functions"]).get(name) != code:
                what = f"the measure {name!r}" if name in present["measures"] else name
                raise FileError(f"{other}{what} has been changed.{remedy}")
    for index, mine, theirs in zip((0, len(points) - 1), present["ends"], stored["ends"], strict=True):
        where = ", ".join(f"{name} = {x}" for name, x in points.at(index).items())
        if (mine is None) != (theirs is None):
            raise FileError(f"{other}{'no' if mine is None else 'a'} motion starts at {where} any more.{remedy}")
        if mine is None or theirs is None:
            continue
        for key, word in (("start", "the start (t, q, v) and the end are"), ("options", "the options are")):
            if mine[key] != theirs[key]:
                raise FileError(f"{other}at {where} {word} {_differing(theirs[key], mine[key])}.{remedy}")
        try:
            require_same(theirs["model"], mine["model"], posed(question, points.at(index)).system, "study")
        except (InputError, ValueError, IndexError) as error:
            raise FileError(f"{other}at {where} {error}") from None


def _differing(stored: Any, present: Any) -> str:
    if isinstance(stored, dict) and isinstance(present, dict):
        names = [name for name in (stored | present) if stored.get(name) != present.get(name)]
        stored, present = ({name: x[name] for name in names if name in x} for x in (stored, present))
    return f"{stored if stored is not None else 'none'} there, and {present if present is not None else 'none'} here"


def _said(values: Any) -> str:
    values = np.asarray(values)
    return f"{len(values)} value{'s' if len(values) > 1 else ''} from {values[0]} to {values[-1]}"


def _plain(value: Any) -> Any:
    """Return an option as plain data: numbers, texts, and the code of functions."""
    if isinstance(value, PLAIN):
        return value if not isinstance(value, complex | bytes) else str(value)
    if isinstance(value, Event):
        return [value.name, value.direction, value.terminal, code_of(value.function)]
    if isinstance(value, Mapping):
        return {str(key): _plain(x) for key, x in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(x) for x in value]
    return code_of(value) if callable(value) else type(value).__name__


def code_of(function: Callable[..., Any]) -> str:
    """Return a short name of what a function does: of its code, and that of the functions of its module it calls.

    Comments, layout and line numbers do not count, functions of other modules only by name.
    """
    text = hashlib.sha256()
    _add(text, function, set())
    return text.hexdigest()[:16]


def _add(text: Any, value: Any, seen: set[int]) -> None:
    """Add a value to what is hashed."""
    if id(value) in seen:
        return
    if isinstance(value, FunctionType):
        seen.add(id(value))
        module = value.__globals__.get("__name__")
        _add(text, value.__code__, seen)
        for part in (value.__defaults__, value.__kwdefaults__):
            _add(text, part, seen)
        for cell in value.__closure__ or ():
            with contextlib.suppress(ValueError):  # a name that is not set yet
                if isinstance(cell.cell_contents, FIXED):
                    _add(text, cell.cell_contents, seen)
        for name in global_names(value.__code__)[0]:
            used = value.__globals__.get(name)
            if isinstance(used, PLAIN) or (isinstance(used, FunctionType) and used.__module__ == module):
                _add(text, used, seen)
    elif isinstance(value, CodeType):
        text.update(value.co_code + repr((value.co_names, value.co_varnames)).encode())
        for constant in value.co_consts:
            _add(text, constant, seen)
    elif isinstance(value, PLAIN):
        text.update(f"{type(value).__name__} {value!r};".encode())
    elif isinstance(value, tuple | list):
        for each in value:
            _add(text, each, seen)
    elif isinstance(value, frozenset | set):
        text.update(repr(sorted(map(repr, value))).encode())
    elif isinstance(value, Mapping):
        for key, each in value.items():
            _add(text, (key, each), seen)
    elif isinstance(value, np.ndarray):
        text.update(value.tobytes())
    elif hasattr(value, "__func__"):  # a method
        _add(text, value.__func__, seen)
    elif hasattr(value, "func") and hasattr(value, "args"):  # functools.partial
        _add(text, (value.func, value.args, value.keywords), seen)
    else:
        text.update(f"{type(value).__module__}.{type(value).__qualname__}".encode())
