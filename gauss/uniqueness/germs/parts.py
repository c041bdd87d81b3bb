"""The holonomic rows of a system in parts that share no coordinates, each with its own rows and coordinates alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flint import arb

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.foundation.zero import UNIT
from gauss.model.compiled.graph import Graph
from gauss.model.system import System
from gauss.uniqueness.germs.elimination import Split
from gauss.uniqueness.germs.numbers import Noisy
from gauss.uniqueness.germs.series import Series, behind, evaluate


@dataclass(frozen=True)
class RestrictedRows:
    """Some rows of a model as functions of some of its coordinates, the others being fixed numbers."""

    graph: Graph
    rows: tuple[int, ...]  # (m,) positions among the model's rows
    coordinates: tuple[int, ...]  # (n,) positions among the model's coordinates
    names: tuple[str, ...]  # (m,)
    shared: tuple[int, ...]  # (n,) number of rows that contain each coordinate
    total: int  # number of the model's coordinates
    theta: Array  # parameters and controls

    @cached_property
    def _behind(self) -> dict[tuple[int, ...], list[int]]:
        return {}

    def values(self, q: Sequence[Series], rows: Sequence[int], length: int) -> list[Series]:
        """Return the given rows (positions among these rows) at coordinates q (n,)."""
        wanted = [self.graph.outputs["phi"][self.rows[k]] for k in rows]
        return self._evaluated(q, wanted, length)

    def jacobian(self, q: Sequence[Noisy], noisy: bool = True) -> list[list[Noisy]]:
        """Return J (m, n) at a point; its noise is left out, and zero, where no one asks for it."""
        columns, places = self.coordinates, self.graph.outputs["J"]
        wanted = [places[k * self.total + j] for k in self.rows for j in columns]
        at = [Series.of(x.value, x.noise if noisy else None, 1) for x in q]
        found = [entry.coefficient(0) for entry in self._evaluated(at, wanted, 1)]
        return [found[k * len(columns) : (k + 1) * len(columns)] for k in range(len(self.rows))]

    def slopes(self, q: Sequence[Any], split: Split) -> list[list[Any]]:
        """Return the Jacobian (r, r) of the independent rows by the solved coordinates to all digits at q (n,).

        The model's own Jacobian has constants that were multiplied in double precision.
        """
        columns = []
        for j in split.solved:
            at = [Series.of(x, None, 2, int(k == j)) for k, x in enumerate(q)]
            columns.append([row.value[1] for row in self.values(at, split.solving, 2)])
        return [list(row) for row in zip(*columns, strict=True)]

    def _evaluated(self, q: Sequence[Series], wanted: Sequence[int], length: int) -> list[Series]:
        noisy = q[0].noise is not None
        where = {j: k for k, j in enumerate(self.coordinates)}

        def entry(argument: int, j: int) -> Series:
            if argument == 0:
                return q[where[j]]
            value = float(self.theta[j])
            return Series.of(arb(value), UNIT * abs(value) if noisy else None, length)

        key = tuple(wanted)
        if key not in self._behind:
            self._behind[key] = behind(self.graph.operations, wanted)
        return evaluate(self.graph.operations, self._behind[key], wanted, entry, noisy, length)


def holonomic_parts(system: System, rows: Sequence[str] | None = None, timed: bool = False) -> list[RestrictedRows]:
    """Return the holonomic rows of a system (default: all), those together that share coordinates.

    Rows that depend on no coordinate say nothing, where they hold, and are left out. If `timed`, the time is one more
    coordinate, the last. Raises InputError for rows that are not holonomic, and for others that depend on the time.
    """
    graph = system.model.moments if timed else system.model.positions
    names, theta, n = system.model.names, system.theta(), system.n
    inside, found = contained(graph, _chosen(system, rows), names), []
    for members, own in _components({k: coordinates for k, coordinates in inside.items() if coordinates - {n}}):
        shared = tuple(sum(j in inside[k] for k in members) for j in own)
        found.append(RestrictedRows(graph, members, own, tuple(names[k] for k in members), shared, n + timed, theta))
    return found


def _chosen(system: System, rows: Sequence[str] | None) -> list[int]:
    names, kinds = system.model.names, system.model.kinds
    if rows is None:
        return [k for k, kind in enumerate(kinds) if kind == "holonomic"]
    wrong = [name for name in rows if name not in names or kinds[names.index(name)] != "holonomic"]
    if wrong:
        known = ", ".join(map(repr, (name for name, kind in zip(names, kinds, strict=True) if kind == "holonomic")))
        raise InputError(f"germ_of takes holonomic rows, got {wrong}; the holonomic rows are {known or 'none'}.")
    return sorted({names.index(name) for name in rows})


def contained(graph: Graph, chosen: list[int], names: Sequence[str]) -> dict[int, set[int]]:
    """Return the coordinates that each row contains. Raises InputError for rows that contain the time."""
    late = dated(graph, chosen)
    if late:
        raise InputError(f"germ_of takes rows that do not depend on the time, but row {names[min(late)]!r} does.")
    return {k: coordinates_in(graph, k) for k in chosen}


def coordinates_in(graph: Graph, k: int) -> set[int]:
    """Return the coordinates that a row contains."""
    return {j for argument, j in _symbols(graph, k) if argument == 0}


def dated(graph: Graph, chosen: Iterable[int]) -> set[int]:
    """Return which rows contain the time."""
    return {k for k in chosen if any(argument == 2 for argument, _ in _symbols(graph, k))}


def _symbols(graph: Graph, k: int) -> frozenset[tuple[int, ...]]:
    place = graph.outputs["phi"][k]
    return graph.inside[place] if place >= 0 else frozenset()


def _components(contained: dict[int, set[int]]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return sets of rows that share coordinates, with these coordinates."""
    groups: list[tuple[set[int], set[int]]] = []
    for k, used in contained.items():
        touching = [group for group in groups if group[1] & used]
        groups = [group for group in groups if group not in touching]
        groups.append(({k}.union(*(g[0] for g in touching)), used.union(*(g[1] for g in touching))))
    return [(tuple(sorted(rows)), tuple(sorted(used))) for rows, used in groups]
