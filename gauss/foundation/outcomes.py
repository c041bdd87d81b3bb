"""The vocabularies of answers: how many, what a contact does, how a motion ended; and how answers show themselves.

The pages of a notebook are made on the top floor, `gauss.show.notebook`, which is loaded when one is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any

import numpy as np

NONE, ONE, SEVERAL, CONTINUUM, UNDECIDED = "none", "one", "several", "continuum", "undecided"  # how many
OPEN, STICK, SLIP, FORWARDS, BACKWARDS = "open", "stick", "slip", "slip+", "slip−"  # a contact; signs in the plane
WIDTH = 110  # letters of a line
FEW = 6  # numbers of a vector in a line


@dataclass(frozen=True)
class Ending:
    """How a motion ended.

    "finished", "event", "interrupted", "singular", "chattering" (contacts that change without end), "inconsistent" (no
    finite contact forces satisfy the law of friction), "undecided" (several motions do, or rounding decides where the
    motion goes), "energy" (the law of impact would create some, which was not allowed), "escape" (to infinity in finite
    time) or "failed" (no step is certified, or something failed).

    >>> import gauss as g
    >>> stone = g.System("stone", "z", mass_matrix=[[1]], force=[-9.81])
    >>> ground = g.Event("ground", lambda q: q.z, terminal=True)
    >>> run = g.simulate(stone, [1.0], t_end=1.0, events=[ground])
    >>> run.ending.kind, run.ending.complete, round(run.t[-1].item(), 6)  # √(2h/g)
    ('event', True, 0.451524)
    """

    kind: str
    message: str
    limit: float | None = None  # s, estimated time at which the speed is infinite

    @property
    def complete(self) -> bool:
        """Whether the motion reached its end time or the event it was to stop at."""
        return self.kind in ("finished", "event")


FINISHED = Ending("finished", "the end time was reached")


class Shown:
    """A base for results; a dataclass among them is declared with ``repr=False``.

    Without a `__str__` the text is the fields.

    >>> @dataclass(frozen=True, repr=False)
    ... class Fall(Shown):
    ...     height: float
    ...     places: tuple[float, ...]
    >>> Fall(4.905, (0.0,) * 100)
    Fall(height = 4.905, places = 100 entries)
    """

    def _repr_html_(self) -> str:
        """Return what Jupyter shows."""
        return str(import_module("gauss.show.notebook").html(self))

    def __str__(self) -> str:
        if type(self).__repr__ is not Shown.__repr__:
            return repr(self)
        return "\n".join(f"{name:<14} {text}" for name, text in fields_of(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({one_line(' '.join(self._in_a_line().split()))})"

    def _in_a_line(self) -> str:
        """Return the first line of the text, or the fields."""
        if type(self).__str__ is Shown.__str__:
            return ", ".join(f"{name} = {text}" for name, text in fields_of(self))
        return str(self).partition("\n")[0]


def fields_of(value: Any) -> list[tuple[str, str]]:
    """Return the fields of a dataclass as words and what they are in a line; functions and what is None are left out.

    >>> fields_of(Ending("finished", "at 2 s"))
    [('kind', 'finished'), ('message', 'at 2 s')]
    """
    found = [(field.name, getattr(value, field.name)) for field in fields(value) if field.repr]
    return [(name, one_line(_said(x))) for name, x in found if x is not None and not callable(x)]


def _said(value: Any) -> str:
    """Return a value of a field in a line: of what is long how much there is."""
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    if isinstance(value, str | np.generic):
        return str(value)
    if isinstance(value, np.ndarray):
        if value.ndim == 1:
            return listed(value) if value.dtype.kind in "fi" else _few([str(x) for x in value])
        whole = value.dtype.kind in "fib" and value.size <= FEW**2 and value.ndim == 2
        return f"[{', '.join(map(listed, value))}]" if whole else f"{' × '.join(map(str, value.shape))} numbers"
    if isinstance(value, Mapping):
        return _few([f"{name}: {_said(x)}" for name, x in value.items()])
    if isinstance(value, tuple | list):
        return _few([_said(x) for x in value])
    return " ".join(repr(value).split())


def _few(texts: list[str]) -> str:
    text = ", ".join(texts) or "none"
    return text if len(texts) <= FEW and len(text) <= WIDTH else f"{len(texts)} entries"


def one_line(text: str) -> str:
    """Return a text, cut where it is longer than a line.

    >>> one_line("a" * 200)[-3:]
    'aa…'
    """
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def listed(values: Iterable[float]) -> str:
    """Return numbers for a line: of more than `FEW` the first ones.

    >>> listed([1.0, -0.5]), listed(range(9))
    ('[1, -0.5]', '[0, 1, 2, 3, 4, …]')
    """
    shown = [f"{x:.6g}" for x in values]
    return f"[{', '.join(shown if len(shown) <= FEW else [*shown[: FEW - 1], '…'])}]"
