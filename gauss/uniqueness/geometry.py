"""Stäckel's geometry of Gauss's principle: which of the three cases holds, and where the nearest point lies.

With z = Lᵀ(a − a_free), M = LLᵀ, the Zwang is ½|z|²: half the squared distance from the origin O, the free
acceleration. For a diagonal M these are C's coordinates y_i = √m_i ẍ_i − X_i/√m_i; for any other M the factor L turns
the axes, but no distance. (C's Zwang has no ½.) The equality rows cut out a flat R_N, of dimension N = n − rank; in it
the inequality rows bound a convex region S_N, the admissible accelerations. Gauss's principle asks for the point of
S_N that is nearest to O:

* case O: O lies in S_N, boundary included. It is the nearest point, and the constraints do nothing.
* case T: O lies outside S_N, and the foot T of the perpendicular from O onto R_N lies in S_N. T is the nearest point.
* case A: T does not lie in S_N. The nearest point is a point A ≠ T of the boundary of S_N within R_N.

Source: N. Cyganowa, *Mech. Teoret. i Stos.* 2, 19 (1981), pp. 265–266, after P. Stäckel (1919). C announces two cases,
O in S_N and O outside, and divides the second in two. For a region that is closed and not empty the three exclude each
other and leave nothing out, whether the position is regular or not. Three remarks on the text: without equality rows
R_N is the whole space, T is O, and case T cannot occur; that T "lies on the boundary of S_N" is true in the space of
all accelerations only, where S_N has no interior, while within R_N it may lie inside; and the pieces of the boundary
have dimensions N − 1, …, 1, as C says, and 0, for A may be a vertex.

At a singular position quadratic conditions may take part in bounding the region. It need not be convex then: the cases
are the same, but there may be several nearest points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from gauss.errors import InputError, MassMatrixError
from gauss.foundation.arrays import Array, Indices, as_array
from gauss.foundation.tolerances import EPS
from gauss.principle import GaussProblem, GaussSolution, solve
from gauss.principle.certificate import ROUNDING
from gauss.principle.metric import Metric
from gauss.principle.rank import ScaledSVD, spectrum_of

NO_ROWS = np.zeros(0, dtype=int)
ON_QUADRIC = 1e-9  # a quadric's value below this share of its terms is zero, and distances that agree so far are equal


class QuadraticCondition(Protocol):
    """A condition zᵀS z + 2 gᵀz + c = 0 (sense "=") or ≥ 0 (sense ">="), such as `Quadric`."""

    @property
    def S(self) -> Array:
        """Symmetric matrix (n, n)."""

    @property
    def g(self) -> Array:
        """Vector (n,)."""

    @property
    def c(self) -> float:
        """Constant."""

    @property
    def sense(self) -> str:
        """Either "=" or ">="."""


@dataclass(frozen=True)
class Region:
    """The region S_N in the coordinates z: E z = c, low ≤ G z ≤ high, with unit rows G, and quadratic conditions."""

    E: Array  # (r, n) orthonormal; they cut out the flat R_N
    c: Array  # (r,) √kg m/s²
    G: Array  # (k, n)
    low: Array  # (k,) √kg m/s²
    high: Array  # (k,)
    names: tuple[str, ...]  # (k,) of the inequality rows
    quadrics: tuple[QuadraticCondition, ...] = ()


@dataclass(frozen=True)
class Geometry:
    """Which of the three cases holds, and the points O, T and A as accelerations and by their distances."""

    case: str  # "O", "T" or "A"
    coordinates: tuple[str, ...]  # (n,)
    origin: Array  # (n,) O, the free acceleration
    foot: Array  # (n,) T, the acceleration under the equality rows alone
    point: Array  # (n,) the nearest point of the region: O, T or A
    nearest: Array  # (p, n) all nearest points that are known; one unless quadratic conditions take part
    distance: float  # |O point|, √kg m/s²; the Zwang is half its square
    to_foot: float  # |OT|
    beside: float  # |T point|; |O point|² = |OT|² + |T point|²
    flat: int  # N, the dimension of the flat of the equality rows
    face: int  # dimension of the flat of the equality rows and of the inequality rows on which the point lies
    active: tuple[str, ...]  # inequality rows on whose bounds the point lies
    origin_breaks: tuple[str, ...]  # rows and quadratic conditions that O violates
    foot_breaks: tuple[str, ...]  # those that T violates
    region: Region
    L: Array  # (n, n) z = Lᵀ(a − origin)

    def z(self, a: ArrayLike) -> Array:
        """Return Lᵀ(a − a_free) of one acceleration (n,) or of several (p, n), √kg m/s²."""
        return np.asarray((as_array(a, "the acceleration") - self.origin) @ self.L)

    @property
    def zwang(self) -> float:
        """Half the squared distance."""
        return 0.5 * self.distance**2

    @property
    def sentence(self) -> str:
        """The case and the reason why it holds, in words; the same in all units."""
        if self.case == "O":
            on = f", on the bound of {_listed(self.active)}" if self.active else ""
            return (
                f"case O: the free acceleration O satisfies all conditions{on}. It is its own nearest point: the"
                " constraints do nothing."
            )
        text = f"case {self.case}: the free acceleration O violates {_listed(self.origin_breaks)}"
        foot = (
            "the foot T of the perpendicular from O onto the flat of the equality rows (dimension"
            f" {self.flat} of {len(self.coordinates)})"
        )
        if self.case == "T":
            also = " satisfies the other conditions and" if self.region.names or self.region.quadrics else ""
            return f"{text}; {foot}{also} is the nearest point."
        if self.flat < len(self.coordinates):
            text += f", and {foot} violates {_listed(self.foot_breaks)}"
        else:
            text += "; there are no equality rows, so that T is O"
        on = f", on the bound of {_listed(self.active)} (a face of dimension {self.face})" if self.active else ""
        if self.region.quadrics:
            text += ". Quadratic conditions bound the region, which need not be convex: "
            known = len(self.nearest)
            text += "of the points given one, A, is" if known == 1 else f"of the points given {known} are equally"
            text += f" nearest{on}"
        else:
            text += f". The nearest point A lies on the boundary of the region{on}"
        if self.flat < len(self.coordinates):
            text += f". |OT| = {self.to_foot / self.distance:.3g} |OA|, |TA| = {self.beside / self.distance:.3g} |OA|"
        return text + "."

    def __str__(self) -> str:
        lines = [self.sentence, f"distance       {self.distance:.9g} (mass metric), Zwang {self.zwang:.9g}"]
        for label, a in (("O", self.origin), ("T", self.foot), *(("A", a) for a in self.nearest if self.case == "A")):
            values = ", ".join(f"{name} = {x:.9g}" for name, x in zip(self.coordinates, a, strict=True))
            lines.append(f"{label:<14} {values}")
        return "\n".join(lines)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def geometry(
    subject: GaussProblem | GaussSolution,
    quadrics: Sequence[QuadraticCondition] = (),
    nearest: ArrayLike | None = None,
) -> Geometry:
    """Return which of the three cases holds for a problem or its solution, with the points O, T and A.

    Points count as lying in the region within rounding. T is the certified minimiser under the equality rows alone, A
    the one under all rows. `quadrics` are further conditions in the coordinates z (origin: the free acceleration); if
    neither O nor T satisfies them, `nearest` must hold the accelerations (p, n) that are stationary on them, the
    nearest of which are kept. That no other point is nearer is then the caller's knowledge.

    Raises InputError for another subject, for quadrics without `nearest` in case A and if none of these lies in the
    region; MassMatrixError if M is singular, since there is no free acceleration; what `solve` raises if S_N is empty.

    >>> from gauss.principle import GaussProblem
    >>> from gauss.uniqueness import geometry
    >>> found = geometry(GaussProblem.of([[1, 0], [0, 1]], [3, -10], J=[[0, 1]], lower=[0], upper=[float("inf")]))
    >>> found.case, found.point.round(9).tolist(), round(found.distance, 9)  # the floor holds the 10
    ('A', [3.0, 0.0], 10.0)
    """
    if not isinstance(subject, GaussProblem | GaussSolution):
        raise InputError(f"geometry expects a GaussProblem or a GaussSolution, got {type(subject).__name__}.")
    problem = subject.problem if isinstance(subject, GaussSolution) else subject
    metric = _definite(problem)
    rule = _Rule.of(problem, metric, tuple(quadrics))
    foot = metric.reference
    if problem.rows.equality.size:
        held = problem.only(problem.rows.equality)
        foot = solve(replace(held, rows=replace(held.rows, noise=None))).a
    origin_breaks = rule.broken(metric.reference)
    foot_breaks = rule.broken(foot, obeyed=problem.rows.equality)
    case = "O" if not origin_breaks else "T" if not foot_breaks else "A"
    if case != "A":
        points = (metric.reference if case == "O" else foot)[None]
    elif quadrics:
        points = rule.closest(nearest)
    else:
        points = (subject if isinstance(subject, GaussSolution) else solve(problem)).a[None]
    on = rule.touched(points[0])
    joint = spectrum_of(metric, problem.rows.J[[*problem.rows.equality, *on]])
    return Geometry(
        case=case,
        coordinates=problem.coordinates,
        origin=metric.reference,
        foot=foot,
        point=points[0],
        nearest=points,
        distance=metric.norm(points[0] - metric.reference),
        to_foot=metric.norm(foot - metric.reference),
        beside=metric.norm(points[0] - foot),
        flat=problem.n - rule.spectrum.rank,
        face=problem.n - joint.rank,
        active=tuple(problem.rows.names[k] for k in on),
        origin_breaks=origin_breaks,
        foot_breaks=foot_breaks,
        region=rule.region,
        L=metric.L,
    )


def _definite(problem: GaussProblem) -> Metric:
    """Return the metric of a problem. Raises MassMatrixError if M is singular."""
    metric = problem.metric
    if not metric.definite or metric.weight > 0.0:
        raise MassMatrixError(
            "the mass matrix is singular, so there is no free acceleration O to measure distances from. Give every"
            " coordinate mass, or eliminate those without."
        )
    return metric


@dataclass(frozen=True)
class _Rule:
    """Decides what lies in the region, up to rounding."""

    problem: GaussProblem
    metric: Metric
    spectrum: ScaledSVD  # of the equality rows
    length: Array  # (m,) of the rows in the metric
    region: Region

    @staticmethod
    def of(problem: GaussProblem, metric: Metric, quadrics: tuple[QuadraticCondition, ...]) -> _Rule:
        rows, equality = problem.rows, problem.rows.equality
        for k, q in enumerate(quadrics):
            if np.shape(q.S) != (problem.n, problem.n) or np.shape(q.g) != (problem.n,) or q.sense not in ("=", ">="):
                raise InputError(f'quadric {k} must have S (n, n), g (n,) with n = {problem.n} and sense "=" or ">=".')
        spectrum = spectrum_of(metric, rows.J[equality])
        whitened = metric.whitened(rows.J)
        length = np.linalg.norm(whitened, axis=1)
        length[length == 0.0] = 1.0
        offset = rows.J @ metric.reference
        r = spectrum.rank
        target = (rows.lower - offset)[equality] / spectrum.length
        bounded = np.isfinite(rows.lower) | np.isfinite(rows.upper)
        chosen = rows.inequality[bounded[rows.inequality]]
        return _Rule(
            problem,
            metric,
            spectrum,
            length,
            Region(
                E=spectrum.V[:r],
                c=(spectrum.U[:, :r].T @ target) / spectrum.sigma[:r],
                G=whitened[chosen] / length[chosen, None],
                low=(rows.lower - offset)[chosen] / length[chosen],
                high=(rows.upper - offset)[chosen] / length[chosen],
                names=tuple(rows.names[j] for j in chosen),
                quadrics=quadrics,
            ),
        )

    def misses(self, a: Array) -> tuple[Array, Array, Array]:
        """Return how far a lies below and above the bounds (m,), as distances, and what of that is rounding (m,)."""
        rows = self.problem.rows
        value = rows.J @ a
        sigma = self.spectrum.sigma[: self.spectrum.rank]
        condition = float(sigma[0] / sigma[-1]) if sigma.size else 1.0
        share = EPS * np.full(len(rows), ROUNDING * (self.problem.n + self.problem.m))
        share[rows.inequality] = np.maximum(share[rows.inequality], 10.0 * EPS * condition)  # T is known so far only
        finite = np.where(np.isfinite(rows.lower), np.abs(rows.lower), 0.0)
        finite = np.maximum(finite, np.where(np.isfinite(rows.upper), np.abs(rows.upper), 0.0)) / self.length
        size = self.metric.norm(a) + self.metric.norm(self.metric.reference)
        return (rows.lower - value) / self.length, (value - rows.upper) / self.length, share * (size + finite)

    def broken(self, a: Array, obeyed: Indices = NO_ROWS) -> tuple[str, ...]:
        """Return the names of the rows, but for those that are `obeyed`, and quadratic conditions that a violates."""
        below, above, rounding = self.misses(a)
        violated = np.maximum(below, above) > rounding
        violated[obeyed] = False
        names = [self.problem.rows.names[k] for k in np.flatnonzero(violated)]
        z = self.metric.L.T @ (a - self.metric.reference)
        size = max(self.metric.norm(a), self.metric.norm(self.metric.reference))
        for k, q in enumerate(self.region.quadrics):
            value = float(z @ q.S @ z + 2.0 * (q.g @ z) + q.c)
            terms = float(np.linalg.norm(q.S) * size**2 + 2.0 * np.linalg.norm(q.g) * size + abs(q.c))
            if -value > ON_QUADRIC * terms or (q.sense == "=" and value > ON_QUADRIC * terms):
                names.append(getattr(q, "name", "") or f"quadric {k}")
        return tuple(names)

    def touched(self, a: Array) -> Indices:
        """Return the inequality rows on whose bounds an acceleration lies."""
        below, above, rounding = self.misses(a)
        on = np.minimum(np.abs(below), np.abs(above)) <= rounding
        inequality = self.problem.rows.inequality
        return inequality[on[inequality]]

    def closest(self, nearest: ArrayLike | None) -> Array:
        """Return those of the given accelerations that lie in the region and are nearest to O. Raises InputError."""
        if nearest is None:
            raise InputError(
                "neither O nor T satisfies the quadratic conditions; pass nearest=(p, n), the accelerations that are"
                " stationary on them (gauss.numerics.quadrics.stationary.stationary finds them)."
            )
        points = np.atleast_2d(as_array(nearest, "nearest"))
        if points.ndim != 2 or points.shape[1] != self.problem.n:
            raise InputError(f"nearest has shape {points.shape}, expected (p, {self.problem.n}).")
        inside = [a for a in points if not self.broken(a)]
        if not inside:
            raise InputError("none of the points in `nearest` satisfies the rows and the quadratic conditions.")
        far = np.array([self.metric.norm(a - self.metric.reference) for a in inside])
        return np.asarray(np.array(inside)[far <= np.min(far) * (1.0 + ON_QUADRIC)])
