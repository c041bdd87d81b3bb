"""Rough contacts as a user gives them: the rows that carry the load, the slip, and how rough they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gauss.errors import InputError
from gauss.foundation.arrays import scalar
from gauss.foundation.portable import Portable
from gauss.model import System


@dataclass(frozen=True)
class Contact(Portable):
    """A rough contact: the row that keeps it closed, how it slips, and how rough it is.

    `row` names a Unilateral row, or a Holonomic row (held from both sides). Its function must be a distance (m) at the
    contact, so that the multiplier p is the normal force (N): write (z − h(x))/√(1 + h'(x)²) for a curved floor. `slip`
    is the slip velocity (m/s), a function of q, v, t, p linear in v; the friction force t (N) has the power t·slip. Or
    it names a velocity row of the System; friction then replaces that row, as in rolling that may turn into slipping.
    `static` is μ_s, the coefficient itself if left out.

    Friction that does not depend on a load, as of a brake: ``Contact(None, slip, limit=5.0)``. Then |t| ≤ `limit`
    (N, or N·m for an angular slip) at rest, and t = −limit sign s while it slips; `static` is the limit at rest. It has
    no row to be called by, so `name` may say what it is; else it is "friction 1", ….

    The dry friction of a pin in the plane has the resultant of two Holonomic rows as its load:
    ``Contact(("pin[0]", "pin[1]"), slip, coefficient=c)``. The rows must be the distances (m) between the two centres
    along two directions square to each other, so that |λ| = √(λ₁² + λ₂²) is the force (N) in the pin. `slip` is the
    relative angular velocity (rad/s), and the coefficients are lengths: the torque is −c|λ| sign s (N m), with
    c = r μ/√(1 + μ²) for a pin of the radius r. `name` may say what it is; else it is "pin[0] & pin[1]".
    """

    row: str | tuple[str, str] | None
    slip: Callable[..., Any] | str
    coefficient: float = 0.0  # μ_k ≥ 0; of a pin c_k, m
    static: float | None = None  # μ_s ≥ μ_k; with a limit the limit at rest; of a pin c_s, m
    limit: float | None = None  # N or N·m, instead of a row and a coefficient
    name: str | None = None  # of friction with a limit, or of a pin

    def __post_init__(self) -> None:
        self._check_load()
        name = "a contact with a limit" if self.row is None else repr(self.row)
        if not callable(self.slip) and not isinstance(self.slip, str):
            raise InputError(f"the slip of {name} must be a function of q and v or a row name, got {self.slip!r}.")
        kinetic = scalar(self.coefficient, f"the friction coefficient of {name}")
        if self.limit is not None:
            if kinetic != 0.0:
                raise InputError("a contact with a limit has no coefficient: |t| ≤ limit, whatever the load.")
            object.__setattr__(self, "limit", scalar(self.limit, "the limit of a contact"))
        least = kinetic if self.limit is None else self.limit
        static = least if self.static is None else scalar(self.static, f"the static coefficient of {name}")
        if least < 0.0 or static < least:
            if self.limit is not None:
                raise InputError(f"{name} needs 0 ≤ limit ≤ static, but limit = {least:g} and static = {static:g}.")
            raise InputError(f"{name} needs 0 ≤ μ_k ≤ μ_s, but μ_k = {kinetic:g} and μ_s = {static:g}.")
        object.__setattr__(self, "coefficient", kinetic)
        object.__setattr__(self, "static", static)

    def _check_load(self) -> None:
        """Raise InputError unless it is said what the friction depends on: a row, the two of a pin, or a limit."""
        if self.row is None and self.limit is None:
            raise InputError("a Contact needs the name of a row, or with row=None a constant limit=… of the friction.")
        if isinstance(self.row, list | tuple):
            object.__setattr__(self, "row", tuple(self.row))
            if len(self.row) != 2 or any(not isinstance(one, str) for one in self.row) or self.row[0] == self.row[1]:
                raise InputError(f"a pin needs the names of its two rows, got {self.row!r}; any other contact has one.")
        elif not isinstance(self.row, str) and self.row is not None:
            raise InputError(f"a Contact needs the name of a row first, got {self.row!r}.")
        if self.row is not None and self.limit is not None:
            raise InputError(
                f"{self.row!r}: a constant limit of friction does not depend on a row; give row=None with it, or a"
                " coefficient instead."
            )
        word = isinstance(self.name, str) and bool(self.name.strip())
        if self.name is not None and (isinstance(self.row, str) or not word):
            raise InputError(
                f"only friction with a limit=… or of a pin has a name of its own, a word, but name is {self.name!r}."
            )

    @property
    def pair(self) -> tuple[str, str] | None:
        """The two rows of a pin, None of any other contact."""
        return self.row if isinstance(self.row, tuple) else None

    def pair_in(self, rows: Sequence[str]) -> tuple[int, int] | None:
        """Return the places of the two rows of a pin among others, None of any other contact."""
        return None if self.pair is None else (rows.index(self.pair[0]), rows.index(self.pair[1]))

    @property
    def normal(self) -> str | None:
        """The row of the normal force, None of a pin and of friction with a limit."""
        return self.row if isinstance(self.row, str) else None

    @property
    def rows(self) -> tuple[str, ...]:
        """The rows that carry the load: one, two of a pin, none of friction with a limit."""
        return self.pair or (() if self.normal is None else (self.normal,))


def listed_contacts(contacts: object) -> tuple[Contact, ...]:
    """Return one contact or several as a tuple. Raises InputError for what is none, and says where they are."""
    given = (contacts,) if isinstance(contacts, Contact) else tuple(contacts) if isinstance(contacts, Iterable) else ()
    wrong = [each for each in given if not isinstance(each, Contact)]
    if wrong or not isinstance(contacts, Contact | Iterable):
        found = wrong[0] if wrong else contacts
        raise InputError(
            f"contacts must be gauss.Contact objects, got {found!r}; those of a mechanism are mechanism.contacts,"
            " those of one of its parts part.contacts()."
        )
    return tuple(each for each in given if isinstance(each, Contact))


def chosen_contacts(system: System, contacts: Any) -> Any:
    """Return the contacts of a motion; None leaves them out. Raises InputError where that would leave friction out."""
    if contacts is None and system.rough:
        raise InputError(
            f"the mechanism {system.name!r} has dry friction (as of {system.rough[0]!r}), which acts only where it is"
            " given: pass contacts=mechanism.contacts, or contacts=() for a motion without friction."
        )
    return () if contacts is None else contacts


def contact_names(contacts: Sequence[Contact]) -> tuple[str, ...]:
    """Return the names of contacts, as `FrictionModel.names` describes them."""
    return tuple(
        c.normal
        or c.name
        or (" & ".join(c.pair) if c.pair else c.slip if isinstance(c.slip, str) else f"friction {i + 1}")
        for i, c in enumerate(contacts)
    )


def pinned_rows(contacts: Sequence[Contact], rows: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Return the places of the two rows of each contact that is a dry pin."""
    pairs = ((j, c.pair_in(rows)) for j, c in enumerate(contacts))
    return {j: pair for j, pair in pairs if pair is not None}


def check_rows(system: System, contact: Contact, kinds: dict[str, Any], used: set[str]) -> None:
    """Raise InputError unless the rows that a contact names exist, are of the right kind and are not used twice."""
    known = ", ".join(map(repr, kinds)) or "none"
    needed = list(contact.rows)
    for row in needed:
        if row not in kinds:
            raise InputError(f"{system.name!r} has no row {row!r}; it has {known}.")
        if contact.pair and kinds[row] != "holonomic":
            raise InputError(
                f"the pin {contact.row!r} of {system.name!r} has the {kinds[row]} row {row!r}; a pin is held by two"
                " Holonomic rows."
            )
        if kinds[row] not in ("unilateral", "holonomic"):
            raise InputError(
                f"the contact {row!r} of {system.name!r} is a {kinds[row]} row; a contact is kept closed by a"
                " Unilateral or a Holonomic row."
            )
    if isinstance(contact.slip, str):
        if kinds.get(contact.slip) not in ("pfaffian", "nonholonomic", "friction"):
            raise InputError(f"the slip of {contact.row!r} names {contact.slip!r}, no velocity row; rows: {known}.")
        needed.append(contact.slip)
    for name in needed:
        if name in used:
            raise InputError(f"the row {name!r} is used by more than one contact of {system.name!r}.")
        used.add(name)
