"""Systems of the tests with friction added to their rows."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from typing import Any

import gauss as g
from gauss.model import Constraint


@dataclass(frozen=True)
class Rub:
    """Friction on a row, on the two of a pin, or with a limit; a slip that is a name takes the place of that row."""

    row: str | tuple[str, str] | None
    slip: Any
    coefficient: Any = 0.0
    static: Any = None
    limit: Any = None
    name: str | None = None


def rubbed(system: Any, *rubs: Any) -> g.System:
    """The same system with friction on its rows."""
    given = [r for rub in rubs for r in ([rub] if isinstance(rub, Rub | g.Friction) else rub)]
    system, further = getattr(system, "system", system), []
    constraints = [c for c in system.constraints if not isinstance(c, g.Friction)]
    for k, rub in enumerate(given):
        if isinstance(rub, g.Friction):
            further.append(rub)
        elif isinstance(rub.slip, str):
            old = next((c for c in constraints if c.name == rub.slip), None)
            function = (lambda q, v: [v[0]]) if old is None else _function(old)
            constraints = [c for c in constraints if c.name != rub.slip]
            further.append(g.Friction(rub.slip, function, rub.coefficient, rub.static, rub.row, rub.limit))
        elif isinstance(rub.row, str) and rub.limit is None:
            constraints = [_carrying(c, rub) for c in constraints]
            if not any(
                isinstance(c.friction, list | g.Coulomb) and _row_of(c, rub.row) is not None
                for c in _loaded(constraints)
            ):
                further.append(g.Friction(f"slip of {rub.row}", rub.slip, rub.coefficient, rub.static, rub.row))
        else:
            name = rub.name or (f"friction {k + 1}" if rub.row is None else " & ".join(rub.row))
            further.append(g.Friction(name, rub.slip, rub.coefficient, rub.static, rub.row, rub.limit))
    return system.with_constraints([*constraints, *further])


def _loaded(constraints: list[Constraint]) -> list[Any]:
    return [c for c in constraints if isinstance(c, g.Unilateral | g.Holonomic)]


def _row_of(constraint: Constraint, row: str) -> int | None:
    """The place of a row in a constraint."""
    if constraint.name == row:
        return 0
    inner = row.removeprefix(f"{constraint.name}[")
    return int(inner[:-1]) if inner != row and inner[:-1].isdecimal() else None


def _carrying(constraint: Constraint, rub: Rub) -> Constraint:
    place = _row_of(constraint, rub.row)
    if place is None or not isinstance(constraint, g.Unilateral | g.Holonomic):
        return constraint
    law = g.Coulomb(rub.coefficient, rub.slip, rub.static)
    if constraint.name == rub.row:
        return replace(constraint, friction=law)
    laws = list(constraint.friction or [])
    laws += [None] * (place + 1 - len(laws))
    laws[place] = law
    return replace(constraint, friction=laws)


def _function(constraint: Constraint) -> Any:
    """The velocity of a velocity row as a function of q and v."""
    if isinstance(constraint, g.Nonholonomic):
        return constraint.function
    matrix = constraint.matrix

    def function(q: Any, v: Any) -> Any:
        row = matrix(q) if inspect.signature(matrix).parameters else matrix()
        if isinstance(row, dict):
            return sum(a * v[name] for name, a in row.items())
        row = row[0] if isinstance(row[0], list) else row
        return sum(a * v[i] for i, a in enumerate(row))

    return function
