"""Equations that are powers: smooth sets on which g vanishes doubly, or to a higher order, in many coordinates.

Let y_i be a coordinate along which g begins with the power p. By the implicit function theorem F = ∂^{p−1}g/∂y_i^{p−1}
vanishes on a smooth set. If all lower derivatives vanish there too, g is F^p times a unit, and the set is F = 0. If
they do not and p = 2, the splitting lemma gives g = ±F² + r, times units, with the critical values r of g along y_i; of
these the same is asked again. A sum of such terms of one sign, as F² + G⁶ is, vanishes where all of them do; the
difference F² − G^p on the two sets F = ±G^(p/2), which touch: for p even on either side of G = 0, for p odd on one side
only, where they end in an edge.

"Vanish" is tested with 300 digits at points in general position, as in `gauss.uniqueness.germs.points`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb, inf
from typing import Any

import numpy as np
from flint import arb, arb_mat, arb_series

from gauss.foundation.arrays import Array
from gauss.foundation.threads import precise
from gauss.uniqueness.germs.elimination import Split
from gauss.uniqueness.germs.numbers import MANY_BITS, Noisy, OpenError, fine, is_zero
from gauss.uniqueness.germs.reduction import BALLS, Reduction

DEGREES = (4, 8, 16, 24)  # to which an equation is expanded along a coordinate; each square beyond the first costs one
MOST = 4  # squares that are split off
POINTS = 2  # test points
NEAR = (1 / 16, 1 / 256, 1 / 4096, 2.0**-24)  # their distances, as shares of the radii
ENOUGH = 0.25  # share of the bits to which a power is to be known, at least: 77 digits of 308
SHARP = 0.66  # share of the bits in the last step of Newton's method, relative
STEPS = 30
SMALL = 2.0**-70  # share of the radii over which the set is differenced: its square is far above what 77 digits leave


@dataclass(frozen=True)
class Line:
    """An equation along one coordinate, with the coordinates of squares split off before at their critical values."""

    y: tuple[Any, ...]  # (d,) the point, the split coordinates at their critical values
    values: tuple[Any, ...]  # coefficients of the powers of the coordinate
    noises: tuple[float, ...]


@dataclass(frozen=True)
class Power:
    """A smooth set on which an equation vanishes: its coordinates `squares` and `last` are functions of the others."""

    reduction: Reduction
    equation: int
    squares: tuple[int, ...]
    last: int | None  # the coordinate of the power that is split off last; None where nothing is left over
    exponent: int
    reach: Array  # (d,) sizes of the coordinates, near which the set is looked at
    sheets: int = 1  # 2 where the equation is a difference F² − G^p: two sets that touch where G = 0

    @property
    def solved(self) -> tuple[int, ...]:
        """The coordinates that are functions of the others."""
        return self.squares if self.last is None or self.sheets > 1 else (*self.squares, self.last)

    def at(self, y: Sequence[Any]) -> tuple[Any, ...]:
        """Return the point (d,) of the set at given values of the others. Raises OpenError.

        Of two sheets it is the point between them.
        """
        return _critical(self, y) if self.last is None or self.sheets > 1 else _on_power(self, y)

    def all_at(self, y: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Return the points (d,) of the set at given values of the others, one of each sheet. Raises OpenError."""
        middle = self.at(y)
        return [middle] if self.sheets == 1 else [_on_sheet(self, middle, side) for side in (1, -1)]


def power_of(reduction: Reduction, equation: int, variables: Sequence[int]) -> Power:
    """Return the smooth set on which an equation vanishes as a power, or as powers of one sign. Raises OpenError."""
    squares, signs = list[int](), list[bool]()
    reach = np.array(reduction.radii)
    zero = tuple(arb(0) for _ in range(reduction.packing.d))
    while len(squares) < MOST:
        left = [i for i in variables if i not in squares]
        found = Power(reduction, equation, tuple(squares), None, 0, reach)
        lines, starts = _starts(found, left, zero, 2)
        if not starts:
            if squares and len(set(signs)) == 1 and _vanishes(found):
                return found
            for degree in DEGREES[: len(DEGREES) + 1 - max(len(squares), 1)]:
                lines, starts = _starts(found, left, zero, degree)
                if starts:
                    break
            else:
                raise OpenError("an equation vanishes along every coordinate")
        p = min(k for k, _ in starts.values())
        reach = np.array([min(x, _radius(lines[j])) if j in lines else x for j, x in enumerate(reach)])
        slopes = {j: abs(float(line.values[k].mid())) ** (1 / k) for j, (k, line) in starts.items() if k == p}
        i = max(slopes, key=lambda j: slopes[j] * reach[j])
        reach = np.array([min(x, slopes[i] / slopes[j] * reach[i]) if j in slopes else x for j, x in enumerate(reach)])
        signs.append(bool(starts[i][1].values[p] > 0))
        if squares and len(set(signs)) > 1 and (p == 2 or len(squares) > 1):  # whatever is left over, nothing helps
            raise OpenError(f"an equation is a difference of {'squares' if p == 2 else 'powers'}")
        found = replace(found, last=i, exponent=p, reach=reach)
        if _is_power(found):
            if not squares or (p % 2 == 0 and len(set(signs)) == 1):
                return found
            if p > 2 and len(squares) == 1:
                return replace(found, sheets=2)
            raise OpenError("an equation is a difference of powers")
        if p != 2:
            raise OpenError("an equation is no power, nor a sum of powers")
        squares.append(i)
    raise OpenError("an equation is a sum of too many squares")


def _starts(
    found: Power, left: Sequence[int], zero: tuple[Any, ...], degree: int
) -> tuple[dict[int, Line], dict[int, tuple[int, Line]]]:
    """Return the equation along each coordinate that is left, and its lowest power where it has one."""
    lines = {i: line_of(found, i, zero, degree, noisy=True) for i in left}
    return lines, {i: (k, line) for i, line in lines.items() if (k := _order(line)) is not None}


def _order(line: Line) -> int | None:
    """Return the lowest power with a coefficient that is not zero; None without one. Raises OpenError."""
    for k, (value, noise) in enumerate(zip(line.values, line.noises, strict=True)):
        zero = is_zero(value, noise)
        if zero is None:
            raise OpenError("a coefficient that decides is near the rounding of the model's numbers")
        if not zero:
            return k
    return None


def _radius(line: Line) -> float:
    """Return the length at which terms of different order are of one size, at least; inf where one stands alone."""
    sizes = [
        abs(float(value.mid())) if is_zero(value, noise) is False else 0.0
        for value, noise in zip(line.values, line.noises, strict=True)
    ]
    known = [k for k, size in enumerate(sizes) if size > 0.0]
    return min(((sizes[known[0]] / sizes[k]) ** (1.0 / (k - known[0])) for k in known[1:]), default=inf)


def drawn(seed: int, d: int) -> list[Array]:
    """Return places (d,) in general position, as shares of the radii."""
    rng = np.random.default_rng(seed)
    return [rng.uniform(0.5, 1.0, d) * rng.choice([-1.0, 1.0], d) for _ in range(POINTS)]


def _points(found: Power, distance: float) -> list[list[Any]]:
    """Return points (d,) in general position, with zeros for the coordinates that are solved for."""
    d = found.reduction.packing.d
    places = [place * distance * found.reach for place in drawn(3, d)]
    return [[arb(0) if i in found.solved else arb(float(y[i])) for i in range(d)] for y in places]


def _is_power(found: Power) -> bool:
    """Return whether all lower derivatives vanish with the last but one, at points in general position.

    Far from the state, beyond lengths that the radii do not know, the last but one vanishes elsewhere, too.
    """
    decided: bool | OpenError = OpenError("")
    for distance in NEAR:
        try:
            with precise(MANY_BITS):
                decided = all(_all_vanish(found, y, distance) for y in _points(found, distance))
        except OpenError as error:
            decided = error if isinstance(decided, OpenError) else decided
        if decided is True:
            return True
    if isinstance(decided, OpenError):
        raise decided
    return False


def _all_vanish(found: Power, y: Sequence[Any], distance: float) -> bool:
    """Return whether all lower derivatives vanish where the last but one does, near a point y. Raises OpenError."""
    assert found.last is not None
    line = line_of(found, found.last, _on_power(found, y), found.exponent)
    return is_power(line.values, distance * found.reach[found.last])


def is_power(values: Sequence[Any], width: float) -> bool:
    """Return whether values (p + 1,) are the coefficients of a power p, but for rounding of all digits.

    It is the power of a variable that is shifted by what Newton's method has left of the last but one. Raises OpenError
    where rounding is not far below the power at the distance `width`.
    """
    p, size = len(values) - 1, arb(width)
    shift = (values[p - 1] / (p * values[p])).abs_upper()
    left = [comb(p, k) * 2 * abs(values[p]) * shift ** (p - k) + BALLS * values[k].rad() for k in range(p - 1)]
    if not all(x <= fine(ENOUGH) * abs(values[p]) * size ** (p - k) for k, x in enumerate(left)):
        raise OpenError("1024 bits do not tell whether an equation is a power")
    return all(bool(abs(c.mid()) <= rest) for c, rest in zip(values, left, strict=False))


def _vanishes(found: Power) -> bool:
    """Return whether the equation vanishes with its derivatives by the squares, at points in general position."""
    own, width = found.squares[:1], NEAR[0] * found.reach[found.squares[0]]
    with precise(MANY_BITS):
        points = [_critical(found, y) for y in _points(found, NEAR[0])]
        terms = [_local(found.reduction, found.equation, own, point, 2)[0] for point in points]
        return all(is_power([at[(k,)] for k in range(3)], width) for at in terms)


def _on_power(found: Power, y: Sequence[Any]) -> tuple[Any, ...]:
    """Return the point (d,) near y where the last derivative but one vanishes along the last coordinate."""
    assert found.last is not None
    p, point = found.exponent, list(y)
    allowed = arb(float(found.reach[found.last])) / 8
    for _ in range(STEPS):
        line = line_of(found, found.last, point, p)
        if line.values[p].contains(0):
            break
        step = (-line.values[p - 1] / (p * line.values[p])).mid()
        point = list(line.y)
        point[found.last] = (point[found.last] + step).mid()
        if not abs(point[found.last] - y[found.last]) <= allowed:
            break
        if abs(step) <= fine(SHARP) * allowed:
            return _critical(found, point)
    raise OpenError("no point where the equation vanishes was found")


def _on_sheet(found: Power, middle: tuple[Any, ...], side: int) -> tuple[Any, ...]:
    """Return the point (d,) of a sheet at the point between the two, along the coordinate of the square."""
    (i,), point = found.squares, list(middle)
    terms, _ = _local(found.reduction, found.equation, (i,), point, 2)
    share = -terms[(0,)] / terms[(2,)]
    if not share > 0:
        raise OpenError("two sheets have no point here")
    step = side * share.root(2).mid()
    reach = abs(step)
    for _ in range(STEPS):
        point[i] = (point[i] + step).mid()
        if not abs(point[i] - middle[i]) <= 2 * reach:
            break
        if abs(step) <= fine(SHARP) * reach:
            return tuple(point)
        terms, _ = _local(found.reduction, found.equation, (i,), point, 1)
        step = (-terms[(0,)] / terms[(1,)]).mid()
    raise OpenError("no point on a sheet was found")


def _critical(found: Power, y: Sequence[Any]) -> tuple[Any, ...]:
    """Return the point (d,) near y where the derivatives by the squares vanish. Raises OpenError."""
    squares, point = found.squares, list(y)
    if not squares:
        return tuple(point)
    k = len(squares)
    for _ in range(STEPS):
        terms, _ = _local(found.reduction, found.equation, squares, point, 2)
        slope = arb_mat(k, 1, [terms.get(_unit(k, a), arb(0)) for a in range(k)])
        try:
            steps = (arb_mat(k, k, _hessian(terms, k)).inv() * slope).entries()
        except ZeroDivisionError:
            break
        sizes = []
        for i, step in zip(squares, steps, strict=True):
            point[i] = (point[i] - step).mid()
            sizes.append(float(abs(step.mid())) / found.reach[i])
        if not max(float(abs(point[i] - y[i])) / found.reach[i] for i in squares) <= 1 / 8:
            break
        if max(sizes) <= fine(SHARP):
            return tuple(point)
    raise OpenError("no critical point was found")


def _unit(k: int, *places: int) -> tuple[int, ...]:
    return tuple(places.count(a) for a in range(k))


def _hessian(terms: dict[tuple[int, ...], Any], k: int, *others: int) -> list[Any]:
    """Return the second derivatives (k k,) by the first k coordinates, those times powers of others."""
    pairs = ((a, b) for a in range(k) for b in range(k))
    return [terms.get((*_unit(k, a, b), *others), arb(0)) * (2 if a == b else 1) for a, b in pairs]


def _local(
    reduction: Reduction, equation: int, chosen: Sequence[int], y: Sequence[Any], degree: int, noisy: bool = False
) -> tuple[dict[tuple[int, ...], Any], dict[tuple[int, ...], float]]:
    """Return the coefficients of an equation in powers of some free coordinates at the point y, with their noises."""
    split = reduction.split
    given = reduction.enclosed(reduction.near(y)) if any(not x.is_zero() for x in y) else list(reduction.base)
    base = [Noisy(x.value, max(x.noise, own.noise)) for x, own in zip(given, reduction.base, strict=True)]
    alone = Split(split.solving, split.solved, split.rest, tuple(split.free[i] for i in chosen))
    found = Reduction.at(reduction.rows, alone, base, degree, noisy)
    terms = {a: found.equations[equation].coefficient(k) for a, k in found.packing.monomials}
    return {a: c.value for a, c in terms.items()}, {a: c.noise for a, c in terms.items()}


def line_of(found: Power, i: int, y: Sequence[Any], degree: int, noisy: bool = False) -> Line:
    """Return the equation along coordinate i from y, the squares at their critical values. Raises OpenError."""
    point = _critical(found, y)
    chosen = (*(j for j in found.squares if j != i), i)
    terms, noises = _local(found.reduction, found.equation, chosen, point, degree, noisy)
    k, length = len(chosen) - 1, degree + 1
    if not k:
        powers = [(n,) for n in range(length)]
        return Line(point, tuple(terms[a] for a in powers), tuple(noises[a] for a in powers))
    Y = _critical_series(terms, k, length)
    value, spread = _along(terms, Y, length), np.zeros(length)
    for a, noise in noises.items():
        if noise:
            sizes = [abs(float(x.mid())) for x in _monomial(Y, a, length).coeffs()]
            spread[: len(sizes)] += noise * np.array(sizes)
    return Line(point, tuple(value[n] for n in range(length)), tuple(spread.tolist()))


def _critical_series(terms: dict[tuple[int, ...], Any], k: int, length: int) -> list[Any]:
    """Return the first k coordinates as series in the last one along which the equation is critical in them."""
    try:
        inverse = arb_mat(k, k, _hessian(terms, k, 0)).inv()
    except ZeroDivisionError:
        raise OpenError("a square cannot be split off") from None
    slopes = [
        {tuple(n - (b == a) for b, n in enumerate(e)): c * e[a] for e, c in terms.items() if e[a]} for a in range(k)
    ]
    Y = [arb_series([], length) for _ in range(k)]
    for known in (*range(2, length), length, length):  # each step gains an order
        left = [_along(slope, Y, known) for slope in slopes]
        for a in range(k):
            for b in range(k):
                Y[a] = Y[a] - left[b] * inverse[a, b]
            Y[a] = arb_series([c.mid() for c in Y[a].coeffs()], length)
    return Y


def _along(terms: dict[tuple[int, ...], Any], Y: Sequence[Any], length: int) -> Any:
    """Return an equation along series Y (k,) in the last coordinate, by Horner's scheme."""
    if not Y:
        return arb_series([terms.get((n,), 0) for n in range(length)], length)
    parts: dict[int, dict[tuple[int, ...], Any]] = {}
    for (n, *rest), c in terms.items():
        parts.setdefault(n, {})[tuple(rest)] = c
    total = arb_series([], length)
    for n in range(max(parts, default=0), -1, -1):
        total = total * Y[0] + _along(parts.get(n, {}), Y[1:], length)
    return total


def _monomial(Y: Sequence[Any], exponents: tuple[int, ...], length: int) -> Any:
    """Return Y₁^α₁ … Y_k^α_k x^α as a series in x."""
    found = arb_series([0] * exponents[-1] + [1], length)
    for x, n in zip(Y, exponents[:-1], strict=True):
        for _ in range(n):
            found = found * x
    return found


def parting(found: Power) -> tuple[Array, float]:
    """Return ∇G (d,), and k in F = ±k G^(p/2), at the state, of two sheets; F grows by 1 with its coordinate.

    With p odd the sheets are where G ≥ 0. Raises OpenError.
    """
    assert found.last is not None
    p, (i,), last = found.exponent, found.squares, found.last
    zero = [arb(0)] * found.reduction.packing.d
    ratio = -line_of(found, last, zero, p).values[p] / _local(found.reduction, found.equation, (i,), zero, 2)[0][(2,)]
    edge, gradient = replace(found, sheets=1), np.zeros(len(zero))
    gradient[last] = 1.0
    for b in range(len(zero)):
        if b not in edge.solved:
            step = arb(float(SMALL * found.reach[b]))
            ends = [edge.at([side * step if j == b else x for j, x in enumerate(zero)])[last] for side in (1, -1)]
            gradient[b] = -float((ends[0] - ends[1]) / (2 * step))
    return gradient * (1.0 if ratio > 0 else -1.0), float(abs(ratio)) ** 0.5


def derivatives(found: Power, free: Sequence[int]) -> tuple[Array, Array]:
    """Return the first (n, k) and second (n, k, k) derivatives of all coordinates of the rows along the set.

    The k parameters are the `free` ones of the free coordinates. They are differences over 2⁻⁷⁰ of the radii, in 77
    digits. Raises OpenError.
    """
    reduction, k = found.reduction, len(free)
    steps = [arb(float(SMALL * found.reach[i])) for i in free]

    def place(*moves: int) -> Array:
        y = [arb(0)] * reduction.packing.d
        for a in moves:
            i = free[abs(a) - 1]
            y[i] = y[i] + (steps[abs(a) - 1] if a > 0 else -steps[abs(a) - 1])
        return np.array([x.value for x in reduction.near(found.at(y))], dtype=object)

    middle = place()
    ahead = [place(a + 1) for a in range(k)]
    back = [place(-a - 1) for a in range(k)]
    n = len(middle)
    first, second = np.zeros((n, k)), np.zeros((n, k, k))
    for a in range(k):
        first[:, a] = [float(x) for x in (ahead[a] - back[a]) / (2 * steps[a])]
        second[:, a, a] = [float(x) for x in (ahead[a] + back[a] - 2 * middle) / steps[a] ** 2]
        for b in range(a):
            both = place(a + 1, b + 1)
            mixed = (both - ahead[a] - ahead[b] + middle) / (steps[a] * steps[b])
            second[:, a, b] = second[:, b, a] = [float(x) for x in mixed]
    return first, second
