"""How results show themselves: as HTML in a notebook, in one line where Python prints an object of a list or a record.

The pages are made on the top floor, `gauss.show.notebook`, which is loaded when a notebook first asks for one.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

WIDTH = 110  # letters of a line
FEW = 6  # numbers of a vector in a line


class Shown:
    """A base for results with a `__str__`; a dataclass among them is declared with ``repr=False``."""

    def _repr_html_(self) -> str:
        """Return what Jupyter shows."""
        return str(import_module("gauss.show.notebook").html(self))

    def __repr__(self) -> str:
        """Return the name of the class and the first line of the text."""
        line = str(self).partition("\n")[0]
        return f"{type(self).__name__}({shortened(' '.join(line.split()))})"


def shortened(text: str) -> str:
    """Return a text, cut where it is longer than a line.

    >>> shortened("a" * 200)[-3:]
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
