"""`germ_of`: what the set φ(q) = 0 is near a state, to any order that its series decide.

Rows and coordinates that have nothing to do with each other are told apart first. Each part is reduced to equations in
its free coordinates, the equations are expanded to rising orders, and the set is a product of the factors found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from flint import arb_series

from gauss.foundation.arrays import Array, vector
from gauss.foundation.threads import precise
from gauss.model.state import State
from gauss.model.system import System
from gauss.uniqueness.germs.branches import Slice, factors_of
from gauss.uniqueness.germs.elimination import Split
from gauss.uniqueness.germs.numbers import OpenError, ShortError
from gauss.uniqueness.germs.parts import RestrictedRows, holonomic_parts
from gauss.uniqueness.germs.points import vanish
from gauss.uniqueness.germs.powers import Power, derivatives, parting
from gauss.uniqueness.germs.puiseux import THIRD, PlaneBranch
from gauss.uniqueness.germs.reduction import Reduction, point_of

Status = Literal["smooth", "isolated", "curves", "wedge", "product", "sheets", "open"]
ORDERS = {0: (0,), 1: (4, 8, 16), 2: (4, 8, 16), 3: (4, 8), 4: (2, 4), 5: (2,), 6: (2,)}  # by free coordinates


@dataclass(frozen=True)
class RealBranch:
    """One real branch q(τ) = Σ series[k] τ^k for small τ of both signs.

    One coordinate, `lead`, is its value at the state ± τ^e to all orders. With e = 1 the branch is a smooth curve; with
    e even both halves leave to the same side (a cusp); with e odd and above 1 it passes through without being smooth.
    """

    series: Array  # (k, n) coefficients of τ^0 … τ^(k−1), k ≥ 2 e + 1, to where the branches part; row 0 is the state
    ramification: int  # e
    lead: int  # the coordinate that is ± τ^e
    other: int  # the other coordinate of the plane in which the branches were found
    multiplicity: int  # of the branch in the reduced equation; above 1 the rows are tangent to zero along it
    noise: Array = field(default_factory=lambda: np.zeros((0, 0)), repr=False)  # (k, n) of the coefficients
    balls: tuple[Any, ...] = field(default=(), repr=False, compare=False)  # the series of the germ's coordinates

    @property
    def tangent(self) -> Array:
        """Unit tangent (n,), in the direction of growing τ; the half tangent of both halves for e even."""
        direction = self.series[self.ramification]
        return np.asarray(direction / np.linalg.norm(direction))

    def unsure(self, v: Array, a: Array) -> Array:
        """Return how far noise moves the acceleration (n,) along the branch, at velocity v (n,) and about a (n,)."""
        e = self.ramification
        turned = self.noise[e] / float(np.linalg.norm(self.series[e])) * float(np.linalg.norm(a))
        return np.asarray(turned + 2.0 * self.noise[2 * e] * float(v[self.lead]) ** 2)


@dataclass(frozen=True)
class Germ:
    """The set of positions near a state.

    "smooth": a manifold, or two that touch. "isolated": the coordinates cannot move. "curves": the branches, each a
    curve through the state. "wedge": two sheets that touch in an edge, where they end. "product": every choice of one
    branch or manifold from each factor. "open": not decided; `why` says by what. "sheets": smooth sets that were looked
    at along one motion alone (`gauss.uniqueness.germs.sheets`).
    """

    status: Status
    coordinates: tuple[int, ...]  # those that are decided about here; all others move on a smooth manifold of their own
    freedom: int  # d, number of coordinates left free by the independent rows, among these
    dimension: int | None  # of the set in these coordinates; None where it is open
    order: int  # N, to which the equations were expanded
    branches: tuple[RealBranch, ...]
    tangents: Array  # (n, k) of a smooth set; (n, 0) otherwise
    seconds: Array  # (n, k, k) its second derivatives by the same k parameters
    factors: tuple[Germ, ...]  # of a product
    proved: bool  # by finitely many coefficients, those within the model's rounding of zero being zero
    why: str
    touching: int = 0  # p where two sheets leave, F = ±k G^(p/2) with the derivatives of F = 0; else 0
    gradient: Array = field(default_factory=lambda: np.zeros(0), repr=False)  # (n,) of this G; G ≥ 0 on a wedge
    bend: Array = field(default_factory=lambda: np.zeros(0), repr=False)  # (n,) k times the derivative by F
    reduction: Reduction | None = field(default=None, repr=False, compare=False)  # the equations that are left
    binding: bool = False  # where it is open: whether these are not zero everywhere that independent rows allow
    parting: Split | None = field(default=None, repr=False)  # of two sheets or branches; the row that has both is last
    power: Power | None = field(default=None, repr=False, compare=False)  # that an equation is on a smooth set


def germ_of(
    system: System,
    state: State,
    rows: Sequence[str] | None = None,
    doubt: object = None,
    timed: bool = False,
    order: int = 0,
) -> Germ:
    """Return what the holonomic rows (default: all) leave near the position of a state.

    `doubt` (n,) is the uncertainty of the coordinates beyond their rounding. If `timed`, the time is one more
    coordinate, the last. Equations and branches are expanded to the given `order` at least, as far as is done for so
    many free coordinates. Raises InputError for rows that are not holonomic, and for others that depend on the time.

    >>> import gauss as g
    >>> lines = g.Holonomic("lines", lambda q: q.y**2 - q.x**2 * (1 + q.x))
    >>> bead = g.System("bead", "x y", mass_matrix=[[1, 0], [0, 1]], constraints=[lines])
    >>> found = g.uniqueness.germ_of(bead, bead.state([0.0, 0.0]))
    >>> found.status, len(found.branches), found.proved  # a knot of the curve y² = x² + x³
    ('curves', 2, True)
    """
    uncertain = np.zeros(system.n) if doubt is None else np.abs(vector(doubt, system.n, "doubt", system.coordinates))
    chosen = None if rows is None else tuple(rows)
    place = np.append(state.q, state.t) if timed else state.q
    unsure = np.append(uncertain, 0.0) if timed else uncertain
    return _germ_at(system, system.theta().tobytes(), place.tobytes(), unsure.tobytes(), chosen, order)


@lru_cache(maxsize=2)  # a verdict and the motions that leave the state ask for the same
def _germ_at(system: System, theta: bytes, q: bytes, doubt: bytes, rows: tuple[str, ...] | None, order: int) -> Germ:
    """Return what `germ_of` does; the numbers are bytes, so that its last answers are remembered by them."""
    place, uncertain = np.frombuffer(q), np.frombuffer(doubt)
    with precise():
        parts = holonomic_parts(system, rows, timed=len(place) > system.n)
        germs = [germ for part in parts for germ in _part(part, place, uncertain, order)]
    return _joined(germs, len(place))


def _part(rows: RestrictedRows, q: Array, doubt: Array, least: int = 0) -> list[Germ]:
    """Return the factors of the set that rows leave in their own coordinates; none if the rows are independent."""
    own = list(rows.coordinates)
    reduction, order = None, 0
    try:
        split, point = point_of(rows, q[own], doubt[own])
        if not split.rest:
            return []
        orders = ORDERS.get(len(split.free), (0,))
        for order in [order for order in orders if order >= min(least, orders[-1])]:
            try:
                reduction = Reduction.at(rows, split, point, order) if reduction is None else reduction.to(order)
                reduction = replace(reduction, least=max(THIRD, least))
                found = factors_of(reduction, order == orders[-1])
                return [replace(_germ(reduction, x), reduction=reduction) for x in found]
            except ShortError:
                if order == orders[-1]:
                    raise
    except OpenError as error:
        freedom = 0 if reduction is None else reduction.packing.d
        nothing = np.zeros((rows.total, 0))
        seconds = np.zeros((rows.total, 0, 0))
        germ = Germ("open", rows.coordinates, freedom, None, order, (), nothing, seconds, (), False, f"{error}")
        if reduction is None:
            return [germ]
        return [replace(germ, reduction=reduction, binding=_is_binding(reduction), parting=_two_sheets(reduction))]
    raise AssertionError


def _two_sheets(reduction: Reduction) -> Split | None:
    """Return the split for an equation that is like a parabola in one of the free coordinates, or None."""
    if len(reduction.equations) != 1 or not reduction.packing.degree:
        return None
    found: list[tuple[float, int]] = []
    for powers, place in reduction.packing.monomials:
        if max(powers) == sum(powers) == 2:
            c, i = reduction.equations[0].coefficient(place), powers.index(2)
            if c.zero is False:
                found.append((abs(float(c.value.mid())) * reduction.radii[i] ** 2, i))
    return _parting(reduction, 0, reduction.split.free[max(found)[1]]) if found else None


def _is_binding(reduction: Reduction) -> bool:
    """Return whether the rows left over are not zero everywhere that the independent rows allow, for sure."""
    try:
        return not vanish(reduction, range(reduction.packing.d), range(len(reduction.equations)))
    except OpenError:
        return False


def _germ(reduction: Reduction, factor: Slice) -> Germ:
    """Return a factor in the coordinates of the system."""
    if factor.power is not None:
        return _on_power(reduction, factor, factor.power)
    rows, d = reduction.rows, len(factor.variables)
    tangents = np.zeros((rows.total, d if factor.kind == "smooth" else 0))
    if factor.kind == "smooth" and reduction.packing.degree:
        for column, i in enumerate(factor.variables):
            place = reduction.packing.weights[i]
            for j, series in zip(rows.coordinates, reduction.coordinates, strict=True):
                tangents[j, column] = float(series.value[place])
    seconds = _seconds(reduction, factor.variables, tangents.shape[1])
    branches = tuple(_lifted(reduction, factor.variables, branch) for branch in factor.branches)
    status: Status = factor.kind  # type: ignore[assignment]
    split_apart = _between_branches(reduction, branches)
    dimension = {"smooth": d, "isolated": 0, "curves": 1}[factor.kind]
    return Germ(
        status=status,
        coordinates=rows.coordinates,
        freedom=d,
        dimension=dimension,
        order=reduction.packing.degree,
        branches=branches,
        tangents=tangents,
        seconds=seconds,
        factors=(),
        proved=factor.proved,
        why=factor.why,
        parting=split_apart,
    )


def _on_power(reduction: Reduction, factor: Slice, power: Power) -> Germ:
    """Return a smooth set on which an equation vanishes as a power."""
    rows, free = reduction.rows, tuple(i for i in factor.variables if i not in power.solved)
    tangents, seconds = np.zeros((rows.total, len(free))), np.zeros((rows.total, len(free), len(free)))
    place = list(rows.coordinates)
    tangents[place], seconds[place] = derivatives(power, free)
    gradient, bend, split_apart = np.zeros(rows.total), np.zeros(rows.total), None
    if power.sheets > 1:
        split_apart = _parting(reduction, power.equation, reduction.split.free[power.squares[0]])
        slopes, size = parting(power)
        gradient[[rows.coordinates[j] for j in reduction.split.free]] = slopes
        weight = reduction.packing.weights[power.squares[0]]
        bend[place] = [size * float(series.value[weight]) for series in reduction.coordinates]
    wedge = power.sheets > 1 and power.exponent % 2
    return Germ(
        status="wedge" if wedge else "smooth" if free else "isolated",
        coordinates=rows.coordinates,
        freedom=len(factor.variables),
        dimension=len(free),
        order=max(power.exponent, 2),
        branches=(),
        tangents=tangents,
        seconds=seconds,
        factors=(),
        proved=False,
        why=factor.why,
        touching=power.exponent if power.sheets > 1 else 0,
        gradient=gradient,
        bend=bend,
        parting=split_apart,
        power=power,
    )


def _between_branches(reduction: Reduction, branches: Sequence[RealBranch]) -> Split | None:
    """Return the split for two smooth branches over one coordinate that one equation has, or None."""
    kinds = {(branch.lead, branch.other, branch.ramification, branch.multiplicity) for branch in branches}
    if len(branches) != 2 or len(kinds) > 1 or len(reduction.equations) > 1:
        return None
    lead, other, ramification, multiplicity = kinds.pop()
    own = reduction.rows.coordinates
    if ramification > 1 or multiplicity > 1 or {own[j] for j in reduction.split.free} != {lead, other}:
        return None
    return _parting(reduction, 0, own.index(other))


def _parting(reduction: Reduction, equation: int, square: int) -> Split:
    """Return the split with an equation that has two solutions, and the coordinate in which they differ, as last."""
    split, row = reduction.split, reduction.split.rest[equation]
    rest, free = (tuple(k for k in given if k != last) for given, last in ((split.rest, row), (split.free, square)))
    return Split((*split.solving, row), (*split.solved, square), rest, free)


def _seconds(reduction: Reduction, variables: tuple[int, ...], k: int) -> Array:
    """Return the second derivatives (n, k, k) of the coordinates by the free ones of a smooth factor."""
    found = np.zeros((reduction.rows.total, k, k))
    places = {i: column for column, i in enumerate(variables[:k])}
    for powers, place in reduction.packing.monomials:
        if sum(powers) != 2 or any(power and i not in places for i, power in enumerate(powers)):
            continue
        a, b = (places[i] for i, power in enumerate(powers) for _ in range(power))
        for j, series in zip(reduction.rows.coordinates, reduction.coordinates, strict=True):
            found[j, a, b] = found[j, b, a] = float(series.value[place]) * (2.0 if a == b else 1.0)
    return found


def _lifted(reduction: Reduction, pair: tuple[int, ...], branch: PlaneBranch) -> RealBranch:
    """Return a branch of the plane as a curve in the coordinates of the system."""
    e, degree = branch.ramification, reduction.packing.degree
    length = min(branch.known, e * (degree + 1))
    lead, other = pair[::-1] if branch.swapped else pair
    x = arb_series([0] * e + [branch.sign], length)
    entries = [branch.series[k].value if k in branch.series else 0 for k in range(length)]
    powers = {lead: _powers(x, degree, length), other: _powers(arb_series(entries, length), degree, length)}
    found, balls = np.zeros((length, reduction.rows.total)), []
    for j, series in zip(reduction.rows.coordinates, reduction.coordinates, strict=True):
        total = arb_series([], length)
        for a, place in reduction.packing.monomials:
            if a[lead] + a[other] == sum(a) and e * sum(a) < length and not series.value[place].is_zero():
                total = total + powers[lead][a[lead]] * powers[other][a[other]] * series.value[place]
        found[:, j] = [float(total[k].mid()) for k in range(length)]
        balls.append(total)
    places = [reduction.rows.coordinates[reduction.split.free[k]] for k in (lead, other)]
    noise, place = np.zeros_like(found), reduction.packing.weights[other]
    steep = [abs(float(series.value[place])) for series in reduction.coordinates]  # the coordinates by `other`
    noise[:, list(reduction.rows.coordinates)] = np.outer(
        [branch.series[k].noise if k in branch.series else 0.0 for k in range(length)], steep
    )
    return RealBranch(found, e, places[0], places[1], branch.multiplicity, noise, tuple(balls))


def _powers(x: Any, degree: int, length: int) -> list[Any]:
    found = [arb_series([1], length)]
    for _ in range(degree):
        found.append(found[-1] * x)
    return found


def _joined(parts: list[Germ], n: int) -> Germ:
    """Return the product of factors as one germ."""
    if not parts:
        none = np.zeros((n, 0)), np.zeros((n, 0, 0))
        return Germ("smooth", (), 0, 0, 1, (), *none, (), True, "the rows are independent")
    if len(parts) == 1:
        return parts[0]
    kinds = [part.status for part in parts]
    status: Status = "product"
    if "open" in kinds:
        status = "open"
    elif not {"curves", "wedge"} & set(kinds):
        status = "smooth" if "smooth" in kinds else "isolated"
    elif kinds.count("curves") == 1 and not {"smooth", "wedge"} & set(kinds):
        status = "curves"
    dimensions = [part.dimension for part in parts]
    return Germ(
        status=status,
        coordinates=tuple(sorted({j for part in parts for j in part.coordinates})),
        freedom=sum(part.freedom for part in parts),
        dimension=None if None in dimensions else sum(k for k in dimensions if k is not None),
        order=min(part.order for part in parts),
        branches=next((part.branches for part in parts if part.branches), ()) if status == "curves" else (),
        tangents=np.hstack([part.tangents for part in parts]) if status == "smooth" else np.zeros((n, 0)),
        seconds=np.zeros((n, 0, 0)),
        factors=tuple(parts),
        proved=all(part.proved for part in parts),
        why="; ".join(dict.fromkeys(part.why for part in parts)),
    )
