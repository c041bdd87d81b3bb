"""Calls that do not fit a function: one sentence with the arguments that are meant perhaps, instead of a TypeError."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from gauss.errors import CallError

F = TypeVar("F", bound=Callable[..., Any])
NAMED_ELSEWHERE = {  # arguments of other programs and of textbooks: what they may be here
    "potential": ("potential_energy",),
    "V": ("potential_energy",),
    "kinetic": ("kinetic_energy",),
    "T": ("kinetic_energy", "t_end"),
    "lagrangian": ("kinetic_energy and potential_energy",),
    "L": ("kinetic_energy and potential_energy",),
    "mass": ("mass_matrix", "m"),
    "M": ("mass_matrix",),
    "forces": ("force",),
    "dt": ("step", "max_step", "times"),
    "h": ("step", "max_step"),
    "t_span": ("t_end", "times"),
    "t": ("times", "t_end"),
    "t0": ("t",),
    "x": ("over",),
    "tf": ("t_end",),
    "duration": ("t_end",),
    "t_eval": ("times",),
    "fps": ("rate",),
    "filename": ("path",),
    "y0": ("q",),
    "q0": ("q",),
    "v0": ("v",),
    "position": ("q",),
    "velocity": ("v",),
    "mu": ("coefficient", "friction"),
    "e": ("restitution",),
    "J": ("inertia",),
    "n_jobs": ("jobs",),
}


def advised(function: F) -> F:
    """Let a function, method or class answer a call that does not fit it with a CallError that says what may be meant.

    A call that fits costs a frame more. What goes wrong inside stays as it is.
    """
    called = function.__init__ if inspect.isclass(function) else function

    @functools.wraps(called)
    def answer(*args: Any, **given: Any) -> Any:
        try:
            return called(*args, **given)
        except TypeError:
            misfit = _misfit(function, called, args, given)
            if misfit is None:
                raise
            raise CallError(misfit) from None

    if inspect.isclass(function):
        function.__init__ = answer  # type: ignore[method-assign]
        return function
    return answer  # type: ignore[return-value]


def _misfit(function: Any, called: Any, args: Sequence[Any], given: dict[str, Any]) -> str | None:
    """Return what is wrong with the arguments of a call, or None where they fit."""
    signature = inspect.signature(called)
    try:
        signature.bind(*args, **given)
    except TypeError:
        pass
    else:
        return None
    bound = inspect.isclass(function) or next(iter(signature.parameters), "") == "self"
    own = list(signature.parameters.values())[1 if bound else 0 :]
    args, name = args[len(signature.parameters) - len(own) :], function.__name__
    named = [p for p in own if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    known = [p.name for p in named]
    any_name = any(p.kind is p.VAR_KEYWORD for p in own)
    unknown = [each for each in given if each not in known and not any_name]
    if unknown:
        return f"{name} has no argument {unknown[0]!r}{_hint(unknown[0], known)} It takes {', '.join(known)}."
    by_place = [p.name for p in own if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(args) > len(by_place):
        others = [n for n in known if n not in by_place] + ["NAME"] * any_name
        more = f"; others go by name: {', '.join(f'{n}=…' for n in others)}" if others else ""
        return f"{name} takes {_counted(by_place)} by place, got {len(args)}{more}."
    twice = [n for n in by_place[: len(args)] if n in given]
    if twice:
        return f"{name} got {twice[0]!r} twice: by place and by name."
    missing = [
        p.name for p in named if p.default is p.empty and p.name not in given and p.name not in by_place[: len(args)]
    ]
    return f"{name} needs {' and '.join(missing)}: {name}{_shown(signature, own)}."


def _hint(name: str, known: Sequence[str]) -> str:
    """Return the arguments that are meant perhaps by an unknown name."""
    meant = [n for n in NAMED_ELSEWHERE.get(name, ()) if set(n.split(" and ")) <= {*known}]
    near = meant or difflib.get_close_matches(name, known, 2, 0.6) or [n for n in known if name in n][:2]
    return f"; did you mean {' or '.join(near)}?" if near else "."


def meant_name(name: object, known: Iterable[str]) -> str:
    """Return the known name that an unknown one is nearest to, blanks and signs aside; "" where none is near.

    >>> meant_name("crankpin force", ["crank pin.force", "crank pin.torque"]), meant_name("x", ["crank"])
    ('crank pin.force', '')
    >>> meant_name("pin", ["pin[0]", "pin.angle", "pin.force"])
    'pin.angle'
    """
    known = [*known]
    parts = [each for each in known if each.startswith(f"{name}.")]
    if parts:
        return parts[0]
    plain = {"".join(filter(str.isalnum, each.lower())): each for each in reversed(known)}
    near = difflib.get_close_matches("".join(filter(str.isalnum, str(name).lower())), plain, 1, 0.75)
    return plain[near[0]] if near else ""


def _counted(names: Sequence[str]) -> str:
    """Return how many arguments there are, and which."""
    return f"{len(names)} argument{'s' * (len(names) != 1)} ({', '.join(names)})" if names else "no argument"


def _shown(signature: inspect.Signature, own: Sequence[inspect.Parameter]) -> str:
    """Return the arguments of a call, without their types."""
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in own]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
