"""Frictional contacts of a System: where its rows of friction are, what carries their load, and their coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gauss.errors import ImplausibleWarning, InputError
from gauss.foundation.arrays import repeated_in
from gauss.foundation.threads import warn
from gauss.model.constraints import Constraint, Friction
from gauss.model.rows import Kind

ROUGHEST, ENDLESS = 5.0, 100.0  # tyres of dragsters come to 4.5; what is larger stands for friction without bound


@dataclass(frozen=True)
class FrictionalContact:
    """One friction of a System by its rows."""

    name: str  # of the row that carries the load; of a pin, of friction with a limit and of a further one its own
    load: tuple[int, ...]  # rows that carry it: one, the two of a dry pin, none where the limit is constant
    slip: tuple[int, ...]  # velocity rows: one in the plane, two in space
    kinetic: float  # μ_k; of a pin or of resistance an arm, m; without a load the limit in motion, N or N m
    static: float  # μ_s ≥ μ_k; …; at rest
    row: str  # the name of the friction itself

    @property
    def normal(self) -> int | None:
        """The row of the normal force, None of a pin and of friction with a constant limit."""
        return self.load[0] if len(self.load) == 1 else None

    @property
    def pin(self) -> tuple[int, int] | None:
        """The two rows of a dry pin, None of any other friction."""
        return (self.load[0], self.load[1]) if len(self.load) == 2 else None

    @property
    def limited(self) -> bool:
        """Whether the friction has a constant limit."""
        return not self.load


def warn_of_friction(coefficient: float, what: str) -> None:
    """Warn if a coefficient is larger than those of dry surfaces, but not so large that nothing is to slip."""
    if ROUGHEST < coefficient <= ENDLESS:
        warn(
            f"{what} is {coefficient:g}; metals and wood have 0.1 to 1, rubber up to 2, tyres of dragsters 4.5. If"
            f" percent or degrees were meant, write {coefficient / 100.0:g} or np.tan(np.deg2rad({coefficient:g})).",
            ImplausibleWarning,
        )


def frictional_contacts(
    constraints: Sequence[Constraint],
    names: Sequence[str],
    kinds: Sequence[Kind],
    parameters: Mapping[str, float],
    system: str,
) -> tuple[FrictionalContact, ...]:
    """Return the frictional contacts among rows of these names and kinds, in the order in which they are given.

    Raises InputError for rows that do not exist or cannot carry a load, and for coefficients that do not fit.
    """
    found = []
    for friction in constraints:
        if not isinstance(friction, Friction):
            continue
        slip = tuple(k for k, name in enumerate(names) if name == friction.name or _is_part(name, friction.name))
        load = tuple(_load_row(friction, row, names, kinds, system) for row in friction.carried)
        if len(slip) > 2:
            raise InputError(
                f"the friction {friction.name!r} of {system!r} has {len(slip)} entries; in the plane it has one, in"
                " space two. A list of Coulomb(…) gives each row of a constraint its own."
            )
        found.append(FrictionalContact("", load, slip, *friction.coefficients(parameters), friction.name))
    carrying = [c.load for c in found if len(c.load) == 1]
    named = tuple(
        FrictionalContact(
            names[c.load[0]] if len(c.load) == 1 and _first(carrying, c, found) else c.row,
            *(c.load, c.slip, c.kinetic, c.static, c.row),
        )
        for c in found
    )
    repeated = repeated_in([c.name for c in named])
    if repeated:
        raise InputError(f"several frictions of {system!r} are called {', '.join(map(repr, repeated))}.")
    return named


def refuse_friction(contacts: Sequence[FrictionalContact], system: str, what: str) -> None:
    """Raise InputError where a question has no sense with friction."""
    acting = [c.name for c in contacts if c.static > 0.0]
    if acting:
        raise InputError(
            f"{what} of {system!r} is not defined with the dry friction of {', '.join(map(repr, acting))}; ask it of"
            " system.frictionless()."
        )


def _first(carrying: Sequence[tuple[int, ...]], contact: FrictionalContact, found: Sequence[FrictionalContact]) -> bool:
    """Whether a friction is the first of those on its load: it is called by the row that carries it."""
    return carrying.count(contact.load) == 1 or next(c for c in found if c.load == contact.load) is contact


def _is_part(name: str, of: str) -> bool:
    """Whether a row is one of several of a constraint."""
    return name.startswith(f"{of}[") and name.removeprefix(of)[1:-1].isdecimal()


def _load_row(friction: Friction, row: str, names: Sequence[str], kinds: Sequence[Kind], system: str) -> int:
    """Return the place of a row that carries a load. Raises InputError."""
    if row not in names:
        several = [name for name in names if _is_part(name, row)]
        if several:
            raise InputError(
                f"the constraint {row!r} of {system!r} has {len(several)} rows; give its friction as a list with one"
                " Coulomb(…) for each, or name the row that carries the load."
            )
        known = ", ".join(repr(n) for n, kind in zip(names, kinds, strict=True) if kind != "friction") or "none"
        raise InputError(f"the friction {friction.name!r}: {system!r} has no row {row!r}; it has {known}.")
    kind = kinds[names.index(row)]
    pin = len(friction.carried) == 2
    if kind != "holonomic" and (pin or kind != "unilateral"):
        needed = (
            "a pin is held by two Holonomic rows" if pin else "a load is carried by a Unilateral or a Holonomic row"
        )
        raise InputError(f"the row {row!r} of {system!r}, which {friction.name!r} names, is a {kind} row; {needed}.")
    return names.index(row)
