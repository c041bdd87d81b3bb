"""The sheets of one equation g(y) = 0 in many coordinates that motions in a given direction can take.

A motion with velocity w ≠ 0 is y = w t + a t²/2 + …. With a coordinate b beside, y + e b t²/2, the terms of lowest
order in t of g are a polynomial Φ(b). If it is the same for all a in a hyperplane ℓ·a = 0, the accelerations with this
velocity are the hyperplanes ℓ·a = b for its real roots b. Through a simple root goes one sheet, which is smooth near
this direction; through a root of multiplicity m go up to m sheets that touch. They are parted by the Newton polygon of
g along a curve y(t) with the acceleration a that is asked for: the branches of g(y(t) + η e) = 0 in the plane of t and
η. A motion from rest, y = a t²/2 + …, is looked at in the same way by the powers of t²/2, Φ being the terms of lowest
order of g, which must be a product of real linear forms.

What holds for coefficients in general position is asked at points drawn at random; curves get random terms of the next
order, which must not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb

from gauss.foundation.arrays import Array
from gauss.foundation.threads import precise
from gauss.foundation.zero import UNIT
from gauss.uniqueness.germs.elimination import Split
from gauss.uniqueness.germs.numbers import Noisy, OpenError, ShortError, is_zero
from gauss.uniqueness.germs.parts import RestrictedRows
from gauss.uniqueness.germs.points import satisfied
from gauss.uniqueness.germs.powers import drawn
from gauss.uniqueness.germs.puiseux import CLOSE, PlaneBranch, Terms, plane_branches
from gauss.uniqueness.germs.reduction import Reduction
from gauss.uniqueness.germs.roots import Root, real_roots
from gauss.uniqueness.germs.series import Series, plus, times

LOWEST = (4, 12)  # degrees to which the first terms are sought
DEGREES = (8, 16, 32)  # to which curves are expanded
DRAWS = 4  # directions, of which the one is taken that is best across all sheets
SMALL = 2.0**-40  # change of that direction by which derivatives are taken, relative, in 77 digits
FEW = 16.0  # roundings of numbers that were computed from several
LIKE = 1e-6  # relative difference of coefficients that do not hang on further derivatives
SLACK = 1e-9  # share of an acceleration within which it is along a plane, or zero
OTHERS = (21, 22)  # seeds of other accelerations, each with its opposite
FAR = 64.0  # their size, for which the bend of a velocity does not matter
NEXT = (1.0, -8.0)  # random derivatives of the next order, as shares of one


@dataclass(frozen=True)
class SurfaceRows(RestrictedRows):
    """Rows on a surface q = origin + path(τ) + fibre η of the free coordinates; its coordinates are (solved, τ, η)."""

    inner: RestrictedRows
    origin: tuple[Noisy, ...]  # (n,)
    split: Split
    path: tuple[tuple[Noisy, ...], ...]  # coefficients (d,) of τ, τ², …
    fibre: tuple[float, ...]  # (d,)

    def values(self, q: Sequence[Series], rows: Sequence[int], length: int) -> list[Series]:
        """Return the given rows at coordinates q (r + 2,)."""
        *solved, tau, eta = q
        noisy = tau.noise is not None

        def constant(x: Noisy) -> Series:
            return Series.of(x.value, x.noise if noisy else None, length)

        at = dict(zip(self.split.solved, solved, strict=True))
        powers = [tau]
        while len(powers) < len(self.path):
            powers.append(times(powers[-1], tau))
        for k, j in enumerate(self.split.free):
            at[j] = constant(self.origin[j])
            factors = [Noisy(arb(self.fibre[k]), 0.0), *(c[k] for c in self.path)]
            for c, power in zip(factors, [eta, *powers], strict=False):
                if c.noise or not c.value.is_zero():
                    at[j] = plus(at[j], times(constant(c), power))
        full = [at[j] if j in at else constant(x) for j, x in enumerate(self.origin)]
        return self.inner.values(full, rows, length)


@dataclass(frozen=True)
class SheetJet:
    """Sheets with the same accelerations a = offset + directions α, in the coordinates of the rows."""

    offset: Array  # (n,)
    directions: Array  # (n, d − 1)
    normal: Array  # (d,) ℓ in the free coordinates, with ℓ·e = 1
    bend: float  # ℓ·a, of the free coordinates
    multiplicity: int  # of the root


@dataclass(frozen=True)
class Sheets:
    """The sheets of one equation that motions with a velocity can take."""

    reduction: Reduction
    velocity: tuple[Noisy, ...]  # (d,) of the free coordinates; () at rest
    fibre: Array  # (d,) e
    order: int  # of the first terms
    found: tuple[SheetJet, ...]
    crossed: bool  # whether there may be sheets that the velocity is not along
    expanded: int  # order to which curves are expanded, at most

    def count(self, sheet: SheetJet, a: Array) -> int:
        """Return how many of these sheets a motion with the acceleration a (n,) can take. Raises OpenError."""
        y = a[list(self.reduction.split.free)]
        if not self.velocity:
            if np.all(np.abs(y) <= SLACK * np.max(np.abs(a), initial=0.0)):
                raise OpenError("nothing drives the body along the sheets")
            for other in (s for s in self.found if s is not sheet):
                if is_zero(arb(float(other.normal @ y)), SLACK * float(np.abs(other.normal) @ np.abs(y))) is not False:
                    raise OpenError("sheets cross along the acceleration")
        if sheet.multiplicity == 1:
            return 1
        with precise():
            marks = [self._marks(self._path(sheet, y, size)) for size in NEXT]
        if not marks[0] or len(marks[0]) != len(marks[1]):
            raise OpenError("how many sheets a motion takes is open")
        for (k, c), (other, d) in zip(*marks, strict=True):
            if k != other or abs(c - d) > LIKE * max(abs(c), abs(d)):
                raise OpenError("how the sheets part hangs on further derivatives of the motion")
        if len(marks[0]) < sheet.multiplicity:
            self._require_all(sheet, len(marks[0]))
        return len(marks[0])

    def _path(self, sheet: SheetJet, y: Array, size: float) -> tuple[tuple[Noisy, ...], ...]:
        """Return a motion with the velocity and the acceleration y (d,) along a sheet, as coefficients of its powers.

        The last is a random derivative of the next order, of a size relative to y.
        """
        last = _onto(sheet.normal, self.fibre, y, sheet.bend, 0.5 if self.velocity else 1.0)
        ahead = drawn_near(self.reduction, 5) * float(np.max(np.abs(y) / self.reduction.radii, initial=0.0) or 1.0)
        following = exact(size * (ahead - self.fibre * float(sheet.normal @ ahead)))
        return (self.velocity, last, following) if self.velocity else (last, following)

    def _require_all(self, sheet: SheetJet, count: int) -> None:
        """Raise OpenError where another acceleration has more sheets than `count`: those end, as at a cusp.

        A motion that is driven against their edge has an acceleration of its own.
        """
        speed = max((abs(float(w.value)) / r for w, r in zip(self.velocity, self.reduction.radii)), default=0.0)
        size = FAR * speed**2 if self.velocity else 1.0
        for side in (size, -size):
            for seed in OTHERS:
                try:
                    with precise():
                        found = len(self._marks(self._path(sheet, side * drawn_near(self.reduction, seed), NEXT[0])))
                except OpenError:
                    continue
                if found > count:
                    raise OpenError("sheets end here that the acceleration leads away from")

    def _marks(self, path: tuple[tuple[Noisy, ...], ...]) -> list[tuple[float, float]]:
        """Return, for each sheet along a path forwards, the first power and coefficient that the one before lacks."""
        order = 2 if self.velocity else 1
        for degree in DEGREES:
            section = section_of(self.reduction, path, self.fibre, degree)
            try:
                terms = terms_of(section)
                branches = [b for b in plane_branches(terms, degree) if _osculates(b, order)]
                if any(b.ramification % 2 == 0 for b in branches) and _hangs_on_rounding(terms):
                    raise OpenError("on which side of the state sheets are real hangs on its rounding")
                if not all(satisfied(section, (0, 1), 0, [0], b) for b in branches if b.open):
                    raise OpenError("a sheet is not one of the equation")
                break
            except ShortError as error:
                failure = error
        else:
            raise failure
        halves = [half for b in branches for half in _halves(b)]
        return [_first_apart(half, halves[k - 1]) for k, half in enumerate(halves)]


def _osculates(branch: PlaneBranch, order: int) -> bool:
    """Return whether a branch η(τ) begins above the given order."""
    if branch.swapped:
        return False
    zeros = [c.zero for k, c in branch.series.items() if k <= order * branch.ramification]
    if None in zeros and False not in zeros:
        raise OpenError(CLOSE)
    return False not in zeros


def _hangs_on_rounding(terms: dict[tuple[int, int], Noisy]) -> bool:
    """Return whether terms along the path alone, before the first that is clear, are zero by their noise only.

    Of x² = z y² sheets leave along z > 0, and none along z < 0: another acceleration is right a rounding away.
    """
    along = sorted((i, c) for (i, j), c in terms.items() if j == 0)
    first = next((k for k, (_, c) in enumerate(along) if c.zero is False), 0)
    return any(not c.value.is_zero() for _, c in along[:first])


def _halves(branch: PlaneBranch) -> list[dict[float, float]]:
    """Return η(τ) of the halves of a branch that have τ > 0, as coefficients by powers."""
    e = branch.ramification
    signs = (1,) if e % 2 else (1, -1) if branch.sign > 0 else ()
    known = {k: float(c.value) for k, c in branch.series.items() if c.zero is False}
    return [{k / e: c * sign**k for k, c in known.items()} for sign in signs]


def _first_apart(one: dict[float, float], other: dict[float, float]) -> tuple[float, float]:
    powers = sorted(k for k in {*one, *other} if one.get(k, 0.0) != other.get(k, 0.0))
    return (powers[0], one.get(powers[0], 0.0) - other.get(powers[0], 0.0)) if powers else (0.0, 0.0)


def sheets_of(reduction: Reduction, velocity: Array, share: float) -> Sheets:
    """Return the sheets that motions with a velocity (n,) of the rows' coordinates can take. Raises OpenError.

    The velocity is known to a share of its largest entry, in units of the radii.
    """
    if len(reduction.equations) != 1 or reduction.packing.d < 2:
        raise OpenError("not one equation in several coordinates")
    with precise():
        fibre, p = _across(reduction)
        w = velocity[list(reduction.split.free)]
        if not np.any(w):
            return Sheets(reduction, (), fibre, p, _at_rest(reduction, fibre, p), False, DEGREES[-1])
        doubt = share * np.max(np.abs(w) / reduction.radii) * reduction.radii
        path = tuple(Noisy(arb(float(x)), float(d)) for x, d in zip(w, doubt, strict=True))
        m = _multiplicity(section_of(reduction, (path,), fibre, p), p)
        return Sheets(reduction, path, fibre, p, _moving(reduction, path, fibre, p, m), p > m, DEGREES[-1])


def section_of(reduction: Reduction, path: Sequence[tuple[Noisy, ...]], fibre: Array, degree: int) -> Reduction:
    """Return the equation on a surface through the point, in τ and η."""
    rows, split, r = reduction.rows, reduction.split, len(reduction.split.solved)
    section = SurfaceRows(
        graph=rows.graph,
        rows=rows.rows,
        coordinates=tuple(range(r + 2)),
        names=rows.names,
        shared=(1,) * (r + 2),
        total=r + 2,
        theta=rows.theta,
        inner=rows,
        origin=reduction.base,
        split=split,
        path=tuple(path),
        fibre=tuple(float(x) for x in fibre),
    )
    base = [*(reduction.base[j] for j in split.solved), *[Noisy(arb(0), 0.0)] * 2]
    return Reduction.at(section, Split(split.solving, tuple(range(r)), split.rest, (r, r + 1)), base, degree)


def terms_of(section: Reduction) -> Terms:
    """Return the coefficients of τ^i η^j from the second order on."""
    equation = section.equations[0]
    return {(a[0], a[1]): equation.coefficient(k) for a, k in section.packing.monomials if sum(a) > 1}


def exact(x: Array) -> tuple[Noisy, ...]:
    """Return numbers without noise."""
    return tuple(Noisy(arb(float(entry)), 0.0) for entry in x)


def _onto(normal: Array, fibre: Array, y: Array, bend: float, share: float) -> tuple[Noisy, ...]:
    """Return a share of y (d,), moved along the fibre to where ℓ·y is `bend`, with its rounding."""
    doubt = share * FEW * UNIT * (np.abs(y) + np.abs(fibre) * float(np.abs(normal) @ np.abs(y)))
    moved = share * (y - fibre * float(normal @ y - bend))
    return tuple(Noisy(arb(float(x)), float(w)) for x, w in zip(moved, doubt, strict=True))


def drawn_near(reduction: Reduction, seed: int) -> Array:
    """Return a direction (d,) in general position, in units of the radii."""
    return np.asarray(drawn(seed, reduction.packing.d)[0] * reduction.radii)


def _across(reduction: Reduction) -> tuple[Array, int]:
    """Return a direction (d,) along which the equation begins with its lowest order, and this order."""
    for degree in LOWEST:
        found = []
        for seed in range(DRAWS):
            u = drawn_near(reduction, 100 + seed)
            terms = terms_of(section_of(reduction, (), u, degree))
            k = next((k for k in range(2, degree + 1) if terms[0, k].zero is not True), None)
            if k is not None and terms[0, k].zero is False:
                found.append((k, -abs(float(terms[0, k].value)), seed))
        if found:
            return drawn_near(reduction, 100 + min(found)[2]), min(found)[0]
    raise OpenError("an equation begins beyond the orders that are looked at")


def _multiplicity(section: Reduction, p: int) -> int:
    """Return the lowest power of η among the terms of order p. Raises OpenError for η⁰: the path is along no sheet."""
    terms = terms_of(section)
    for k in range(p + 1):
        zero = terms[p - k, k].zero
        if zero is None:
            raise OpenError(CLOSE)
        if not zero:
            break
    if k == 0:
        raise OpenError("the velocity is along no sheet")
    return k


def _plane(reduction: Reduction, path: tuple[Noisy, ...], fibre: Array, p: int, m: int) -> tuple[Array, Array, Array]:
    """Return ℓ (d,), whose power m is the equation's first order across a path, D (n, d) and the path's bend (n,).

    The coordinates of the rows are D y to first order, and bend/2 τ² along the path. Raises OpenError.
    """
    d, kappa = reduction.packing.d, SMALL * reduction.radii
    split = reduction.split
    normal, D, bend = np.zeros(d), np.zeros((len(reduction.base), d)), np.zeros(len(reduction.base))

    def expanded(f: Array) -> tuple[Any, list[Any], list[Any]]:
        section = section_of(reduction, (path,), f, max(p, 2))
        tau, eta = section.packing.weights
        solved = section.coordinates[: len(split.solved)]
        return terms_of(section)[p - m, m], [s.value[eta] for s in solved], [s.value[2 * tau] for s in solved]

    one, first, second = expanded(fibre)
    for j in range(d):
        f = fibre.copy()
        f[j] += kappa[j]
        other, changed, _ = expanded(f)
        step = arb(float(f[j] - fibre[j]))
        normal[j] = float(((other.value / one.value).root(m) - 1) / step)
        D[list(split.solved), j] = [float((a - b) / step) for a, b in zip(changed, first, strict=True)]
        D[split.free[j], j] = 1.0
    bend[list(split.solved)] = [2.0 * float(x) for x in second]
    f = drawn_near(reduction, 7)
    other, size = expanded(f)[0], float(np.abs(normal) @ np.abs(f))
    expected = one.value * arb(float(normal @ f)) ** m
    noise = other.noise + one.noise * size**m + FEW * m * UNIT * abs(float(one.value)) * size**m
    if is_zero(other.value - expected, noise) is not True:
        raise OpenError("the first terms of an equation are no power across the velocity")
    return normal, D, bend


def _sheet(reduction: Reduction, plane: tuple[Array, Array, Array], fibre: Array, root: Root, share: float) -> SheetJet:
    """Return the sheets at a root η/τ² of the terms that decide, with share 1; with share 0 at one η/τ, at rest."""
    normal, D, bend = plane
    radii, rate = reduction.radii, 2.0 * share * float(root.at.value)
    directions = radii[:, None] * np.linalg.svd((normal * radii)[None])[2][1:].T
    return SheetJet(share * bend + D @ fibre * rate, D @ directions, normal, rate, root.multiplicity)


def _moving(reduction: Reduction, path: tuple[Noisy, ...], fibre: Array, p: int, m: int) -> tuple[SheetJet, ...]:
    plane = _plane(reduction, path, fibre, p, m)
    beside = _onto(plane[0], fibre, drawn_near(reduction, 11), 0.0, 1.0)
    found = []
    for bend in ((), (beside,)):
        terms = terms_of(section_of(reduction, (path, *bend), fibre, p + m))
        if any(c.zero is not True for (i, j), c in terms.items() if i + 2 * j < p + m):
            raise OpenError("accelerations along the velocity's sheets are not bounded")
        found.append([terms[p + m - 2 * j, j] for j in range(m + 1)])
    straight, bent = found
    if any(Noisy(a.value - b.value, a.noise + b.noise).zero is not True for a, b in zip(straight, bent, strict=True)):
        raise OpenError("accelerations across the sheets hang on those along them")
    return tuple(_sheet(reduction, plane, fibre, root, 1.0) for root in real_roots(straight))


def _at_rest(reduction: Reduction, fibre: Array, p: int) -> tuple[SheetJet, ...]:
    """Return the planes whose product the terms of lowest order are. Raises OpenError where they are none."""

    def along(u: Array) -> list[Noisy]:
        terms = terms_of(section_of(reduction, (exact(u),), fibre, p))
        return [terms[p - k, k] for k in range(p + 1)]

    here, there = drawn_near(reduction, 11), drawn_near(reduction, 12)
    given, roots = along(there), real_roots(polynomial := along(here))
    if sum(root.multiplicity for root in roots) < p:
        raise OpenError("the first terms of an equation have no real factors")
    found = []
    expected, sizes = np.array([polynomial[-1].value], dtype=object), np.array([abs(float(polynomial[-1].value))])
    for root in roots:
        b = root.at
        path = tuple(
            Noisy(arb(float(x)) + b.value * float(e), b.noise * abs(float(e)) + UNIT * abs(float(e * float(b.value))))
            for x, e in zip(here, fibre, strict=True)
        )
        plane = _plane(reduction, path, fibre, p, root.multiplicity)
        found.append(_sheet(reduction, plane, fibre, root, 0.0))
        shift = float(plane[0] @ there)
        for _ in range(root.multiplicity):
            expected = np.convolve(expected, np.array([arb(shift), arb(1)], dtype=object))
            sizes = np.convolve(sizes, [float(np.abs(plane[0]) @ np.abs(there)), 1.0])
    for c, value, size in zip(given, expected, sizes, strict=True):
        if is_zero(c.value - value, c.noise + FEW * p * UNIT * float(size)) is not True:
            raise OpenError("the first terms of an equation are no product of linear ones")
    return tuple(found)
