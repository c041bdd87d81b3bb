"""The vocabularies of answers: how many, what a contact does, how a motion ended; and how answers show themselves.

The pages of a notebook are made on the top floor, `gauss.show.notebook`, which is loaded when one is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module

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
    """A base for results with a `__str__`; a dataclass among them is declared with ``repr=False``."""

    def _repr_html_(self) -> str:
        """Return what Jupyter shows."""
        return str(import_module("gauss.show.notebook").html(self))

    def __repr__(self) -> str:
        """Return the name of the class and the first line of the text."""
        line = str(self).partition("\n")[0]
        return f"{type(self).__name__}({one_line(' '.join(line.split()))})"


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
