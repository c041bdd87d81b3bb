"""Constraint rows lower <= J a <= upper on the accelerations, each with a name and a kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, Indices, as_array

Kind = Literal["holonomic", "pfaffian", "nonholonomic", "unilateral", "friction", "row", "jet"]
SLIP = "slip of "  # begins the name of a row of friction that a contact carries as its `friction`


@dataclass(frozen=True)
class Rows:
    """Linear rows lower <= J a <= upper; lower = upper makes an equality, infinite bounds are allowed.

    No rows at all are rows too: J then has shape (0, n).
    """

    J: Array  # (m, n)
    lower: Array  # (m,)
    upper: Array  # (m,)
    names: tuple[str, ...]  # (m,)
    kinds: tuple[Kind, ...]  # (m,)
    noise: Array | None = None  # (m, n) what is not known of J; None: the rounding of each entry

    @staticmethod
    def of(
        J: object,
        lower: object,
        upper: object,
        names: Sequence[str] | None = None,
        kinds: Sequence[Kind] | None = None,
    ) -> Rows:
        """Check and build rows from plain arrays; names default to ``row 0``, ``row 1``, ….

        Raises InputError for shapes that do not fit, nan, lower > upper, and repeated names.
        """
        matrix = as_array(J, "J")
        if matrix.ndim != 2:
            raise InputError(f"J has shape {matrix.shape}, expected (m, n).")
        m = matrix.shape[0]
        low, high = as_array(lower, "lower"), as_array(upper, "upper")
        for label, bound in (("lower", low), ("upper", high)):
            if bound.shape != (m,):
                raise InputError(f"{label} has shape {bound.shape}, expected ({m},) as J has {m} rows.")
        given = [f"row {k}" for k in range(m)] if names is None else names
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InputError(f"names must be a list of {m} row names, got {given!r}.")
        labels = tuple(given)
        if any(not isinstance(name, str) for name in labels) or len(labels) != m or len(set(labels)) != m:
            raise InputError(f"names must be {m} distinct row names, got {labels}.")
        if not np.all(np.isfinite(matrix)):
            bad = labels[int(np.argwhere(~np.isfinite(matrix))[0, 0])]
            raise InputError(f"J must be finite, but row {bad!r} is not.")
        if np.any(np.isnan(low)) or np.any(np.isnan(high)):
            bad = labels[int(np.flatnonzero(np.isnan(low) | np.isnan(high))[0])]
            raise InputError(f"the bounds of row {bad!r} are nan.")
        if np.any(low > high):
            k = int(np.flatnonzero(low > high)[0])
            raise InputError(f"row {labels[k]!r} has lower = {low[k]:g} > upper = {high[k]:g}; swap the bounds.")
        if np.any(low == np.inf) or np.any(high == -np.inf):
            raise InputError("a lower bound of +inf or an upper bound of -inf admits no acceleration.")
        labels_of_kind: tuple[Kind, ...] = tuple(kinds) if kinds is not None else ("row",) * m
        if len(labels_of_kind) != m:
            raise InputError(f"kinds has {len(labels_of_kind)} entries, expected {m} as J has {m} rows.")
        return Rows(matrix, low, high, labels, labels_of_kind)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def equal(self) -> Flags:
        """Which rows (m,) are equalities."""
        return np.asarray(self.lower == self.upper)

    @cached_property
    def equality(self) -> Indices:
        """Indices (m_e,) of the equality rows."""
        return self.equal.nonzero()[0]

    @cached_property
    def inequality(self) -> Indices:
        """Indices (m_u,) of the other rows."""
        return (~self.equal).nonzero()[0]

    def only(self, which: Flags | Indices) -> Rows:
        """Return some of the rows."""
        names, kinds = (tuple(np.array(x, dtype=object)[which]) for x in (self.names, self.kinds))
        noise = None if self.noise is None else self.noise[which]
        return Rows(self.J[which], self.lower[which], self.upper[which], names, kinds, noise)

    def index(self, name: str) -> int:
        """Return the position of the row called `name`. Raises InputError for unknown names."""
        if name not in self.names:
            raise InputError(f"no row is called {name!r}; the rows are {', '.join(map(repr, self.names)) or 'none'}.")
        return self.names.index(name)


def contact_of(row: str, rows: Sequence[str]) -> str:
    """Return the row that carries the friction of a row of slip, by name; "" for other rows, and of dry pins.

    >>> contact_of("slip of floor", ("floor", "slip of floor")), contact_of("floor", ("floor",))
    ('floor', '')
    """
    of = row.removeprefix(SLIP) if row.startswith(SLIP) else ""
    return next((name for name in (of, of.rpartition("[")[0]) if name in rows), "")


def said_rows(rows: Sequence[str]) -> dict[str, str]:
    """Return what the forces of rows are called where people read them: of a contact its normal force and friction.

    >>> said_rows(["floor", "rod", "slip of floor"])
    {'floor': 'floor, normal', 'rod': 'rod', 'slip of floor': 'floor, friction'}
    """
    contacts = {row: contact_of(row, rows) for row in rows}
    loaded = set(contacts.values())

    def said(row: str, contact: str) -> str:
        if contact:
            return f"{contact}, friction{row.removeprefix(SLIP).removeprefix(contact)}"
        return f"{row}, normal" if row in loaded else row

    return {row: said(row, contact) for row, contact in contacts.items()}
