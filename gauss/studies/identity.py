"""What makes a study itself: model, start, values, options and measures; a file of another one is refused."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gauss.errors import FileError, InputError
from gauss.model import System
from gauss.motion.record.fingerprint import fingerprint_at, require_same
from gauss.motion.record.likeness import code_of, differing, plain, recoded
from gauss.studies.points import StudyPoints
from gauss.studies.question import Question, posed


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
        "options": {name: plain(x) for name, x in sorted(question.options.items())},
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
    options = {name: plain(x) for name, x in sorted(asked.options.items())}
    return {"start": start, "options": options, "model": fingerprint_at(asked.system, s)}


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
            raise FileError(f"{other}{name!r} has {_said(axes[name])} there, and {_said(values)} here.{remedy}")
    for key, word in (("times", "the times are"), ("options", "the options are")):
        if present[key] != stored[key]:
            if key == "options":
                _require_same_code(other, stored[key], present[key], remedy)
            raise FileError(f"{other}{word} {differing(stored[key], present[key])}.{remedy}")
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
                if key == "options":
                    _require_same_code(f"{other}at {where} ", theirs[key], mine[key], remedy)
                raise FileError(f"{other}at {where} {word} {differing(theirs[key], mine[key])}.{remedy}")
        try:
            require_same(theirs["model"], mine["model"], posed(question, points.at(index)).system, "study")
        except (InputError, ValueError, IndexError) as error:
            raise FileError(f"{other}at {where} {error}") from None


def _require_same_code(other: str, stored: dict[str, Any], present: dict[str, Any], remedy: str) -> None:
    """Raise FileError where options differ in the code of functions alone."""
    names = recoded(stored, present)
    if names:
        many = len(names) > 1
        functions = f"the functions of {', '.join(names)} have" if many else f"the function of {names[0]} has"
        raise FileError(f"{other}{functions} been changed.{remedy}")


def _said(values: Any) -> str:
    values = np.asarray(values)
    return f"{len(values)} value{'s' if len(values) > 1 else ''} from {values[0]} to {values[-1]}"
