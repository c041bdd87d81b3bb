"""What is said about stationary points on quadrics: quadrics, points, families, pieces of the zero set.

Everything is in coordinates y in which the Zwang is ½|y − y0|² (whitened coordinates); see
`gauss.numerics.quadrics.stationary`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, as_array, matrix, scalar, vector

TOLERANCE = 1e-10  # relative size below which a coefficient, an angle or a distance counts as zero
HELD = 1e-9  # value of a quadric, residual or curvature, relative to its terms, up to which a condition holds
FIT = 1e-7  # what multipliers fitted to double roots, and gradients that are nearly dependent, are known to
SAME = 1e-6  # distance up to which places that are known to √eps or worse are one
NEARLY = 1e-3  # below it a root is nearly multiple, and gradients nearly dependent
MOST = 4096  # pieces, pairs of them and products that are followed; independent products double the pieces each
SEED = 20250201
ROUND = 1e-12  # residual, gradient or distance from a pole that rounding makes
ROUNDED = 1e-14  # no smaller tolerance is used: coefficients and eigenvalues are rounded themselves
SAMPLES = 1000  # trials per member that a family is sampled with where inequalities cut it

GLOBAL, LOCAL, SADDLE, MAXIMUM = "global minimum", "local minimum", "saddle", "local maximum"
VERTEX, UNDECIDED = "vertex", "undecided"
UNIQUE, FINITE, CONTINUUM, NONE = "unique", "finite", "continuum", "none"


@dataclass(frozen=True, eq=False)
class Quadric:
    """The condition yᵀS y + 2 gᵀy + c = 0, or ≥ 0, on y."""

    S: Array  # (d, d) symmetric
    g: Array  # (d,)
    c: float
    sense: str = "="  # "=" or ">="
    name: str = ""

    def value(self, y: Array) -> float:
        """Return yᵀS y + 2 gᵀy + c."""
        return float(y @ (self.S @ y) + 2.0 * (self.g @ y) + self.c)

    def slope(self, y: Array) -> Array:
        """Return half the gradient, S y + g (d,)."""
        return np.asarray(self.S @ y + self.g)

    def terms(self, y: Array) -> float:
        """Return the sum of the absolute values of what `value` adds up."""
        size = np.abs(y)
        return float(size @ (np.abs(self.S) @ size) + 2.0 * (np.abs(self.g) @ size) + abs(self.c))

    def size(self, length: float = 1.0) -> float:
        """Return the size of its terms at the distance `length` from the origin, for relative residuals."""
        return float(np.linalg.norm(self.S) * length**2 + 2.0 * np.linalg.norm(self.g) * length + abs(self.c))

    def share(self, y: Array) -> float:
        """Return the value relative to the size of its terms at the distance of y, or at the distance 1."""
        return self.value(y) / self.size(max(1.0, float(np.linalg.norm(y))))


def _none() -> Array:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Stationary:
    """A point at which ½|y − y0|² is stationary, a vertex of the zero set, or a sphere of such points of equal value.

    The sphere is centre + radius · u, u a unit vector in the span of a basis. Where independent conditions have a
    sphere each, the family is their product: centre + Σ radiusᵢ · uᵢ. A point has no bases: it is its own centre.
    """

    centre: Array  # (d,)
    value: float  # ½|y − y0|²
    kind: str  # "global minimum", "local minimum", "saddle", "local maximum", "vertex" or "undecided"
    least: bool | None  # whether it is a local minimum; None where the second-order conditions leave that open
    bases: tuple[Array, ...] = ()  # (d, mᵢ) orthonormal, one for each sphere
    radii: tuple[float, ...] = ()
    multipliers: Array = field(default_factory=_none)  # (p,) μ of y − y0 = Σ μ_k (S_k y + g_k); nan if none is finite
    residual: float = 0.0  # length of the part of y − y0 that no multipliers explain, and of what y is off the quadrics
    piece: int = 0  # index of the piece of the zero set on which it lies
    within: tuple[Quadric, ...] = ()  # inequalities that cut a family: only members that satisfy them belong to it
    rigid: bool = False  # whether no direction leads away from it within the set
    foot: bool = False  # of a vertex: whether it is stationary on a piece, or along a ruling, that goes through it

    @property
    def y(self) -> Array:
        """The point (d,), or a member of the family."""
        return np.asarray(self.axes()[0])

    @property
    def stationary(self) -> bool:
        """Whether ½|y − y0|² is stationary here along a part of the zero set; a vertex may only be where parts meet."""
        return self.kind != VERTEX or self.least is True or self.foot

    @property
    def dimension(self) -> int:
        """Number of parameters; 1 is a circle."""
        return sum(basis.shape[1] - 1 for basis in self.bases)

    @property
    def basis(self) -> Array:
        """Orthonormal basis (d, m) of the span of the spheres."""
        return np.hstack(self.bases)

    @property
    def radius(self) -> float:
        """Distance of the members from the centre."""
        return float(np.linalg.norm(self.radii))

    def point(self, parameters: float | Sequence[float] | Array) -> Array:
        """Return one member (d,): centre + radius (cos s e₁ + sin s e₂), or by `dimension` spherical angles s₁, s₂, ….

        Whether the inequalities `within` hold there is not examined.
        """
        angles = vector(np.atleast_1d(as_array(parameters, "the parameters")), self.dimension, "the parameters")
        y = self.centre.copy()
        for basis, radius in zip(self.bases, self.radii, strict=True):
            own, angles = angles[: basis.shape[1] - 1], angles[basis.shape[1] - 1 :]
            u, rest = np.zeros(basis.shape[1]), 1.0
            for k, s in enumerate(own):
                u[k] = rest * np.cos(s)
                rest *= np.sin(s)
            u[-1] = rest
            y = y + radius * (basis @ u)
        return np.asarray(y)

    def axes(self) -> Array:
        """Return members (·, d) at both ends of each axis of a sphere, of the others at the end of the first axis."""
        first = sum((r * basis[:, 0] for basis, r in zip(self.bases, self.radii, strict=True)), self.centre)
        ends = [] if self.bases else [self.centre]
        for basis, r in zip(self.bases, self.radii, strict=True):
            ends += [first + r * (sign * e - basis[:, 0]) for e in basis.T for sign in (1.0, -1.0)]
        return np.array(ends)

    def contains(self, y: Array, close: float) -> bool:
        """Return whether y is the point or on the family, to the distance `close`; inequalities are not examined."""
        step = y - self.centre
        parts = [basis.T @ step for basis in self.bases]
        rest = step - sum((basis @ part for basis, part in zip(self.bases, parts, strict=True)), np.zeros(y.size))
        radial = [abs(float(np.linalg.norm(part)) - r) for part, r in zip(parts, self.radii, strict=True)]
        return bool(max(float(np.linalg.norm(rest)), *radial, 0.0) <= close)

    def sample(self, count: int, rng: int | np.random.Generator = 0) -> Array:
        """Return `count` members (count, d), evenly distributed at random; `rng` is a seed or a generator.

        Raises InputError where the inequalities `within` leave so little of the family that none is found.
        """
        generator = np.random.default_rng(rng)
        found: list[Array] = []
        for _ in range(SAMPLES):
            members = np.tile(self.centre, (count, 1))
            for basis, radius in zip(self.bases, self.radii, strict=True):
                u = generator.normal(size=(count, basis.shape[1]))
                members = members + radius * (u / np.linalg.norm(u, axis=1, keepdims=True)) @ basis.T
            found += [y for y in members if all(q.value(y) >= 0.0 for q in self.within)]
            if len(found) >= count:
                return np.array(found[:count]).reshape(count, self.centre.size)
        raise InputError(f"fewer than {count} members of the family were found that satisfy its inequalities.")


@dataclass(frozen=True, eq=False)
class ZeroSetPiece:
    """A part of the zero set: the subspace offset + unit · basis z, or the points of it on the remaining quadrics."""

    offset: Array  # (d,) its point nearest to the origin
    basis: Array  # (d, k) orthonormal
    quadrics: tuple[Quadric, ...] = ()  # on z: what does not split any further; empty for a linear piece
    unit: float = 1.0  # of the coordinates z

    @property
    def linear(self) -> bool:
        """Whether the piece is the whole subspace."""
        return not self.quadrics

    def lift(self, z: Array) -> Array:
        """Return offset + unit · basis z."""
        return np.asarray(self.offset + self.unit * (self.basis @ z))

    def coordinates(self, y: Array) -> Array:
        """Return the z of the point of the subspace that is nearest to y."""
        return np.asarray(self.basis.T @ (y - self.offset) / self.unit)

    def restricted(self, q: Quadric) -> Quadric:
        """Return a quadric on the subspace, in its coordinates z."""
        B, start = self.unit * self.basis, self.offset
        return replace(q, S=B.T @ q.S @ B, g=B.T @ q.slope(start), c=q.value(start))

    def extended(self, q: Quadric) -> Quadric:
        """Return a quadric on the coordinates z as one on the space around the subspace."""
        B = self.basis / self.unit
        S, shift = B @ q.S @ B.T, B.T @ self.offset
        c = q.c + float(shift @ (q.S @ shift)) - 2.0 * float(q.g @ shift)
        return replace(q, S=S, g=B @ q.g - S @ self.offset, c=c)

    def holds(self, y: Array, close: float, share: float) -> bool:
        """Return whether y is on the piece: `close` to the subspace, and its quadrics small relative to their terms."""
        z = self.coordinates(y)
        near = float(np.linalg.norm(y - self.lift(z))) <= close
        return near and all(abs(q.share(z)) <= share for q in self.quadrics)


@dataclass(frozen=True, eq=False)
class StationaryPart:
    """Everything that is stationary on a set of conditions, in the coordinates of the caller."""

    pieces: tuple[ZeroSetPiece, ...] = ()  # none of which contains another
    found: tuple[Stationary, ...] = ()
    complete: bool = True
    evidence: tuple[str, ...] = ()
    lower_bound: float | None = None
    isolated: bool = True  # False where points were found that belong to a continuum of unknown form
    whole: bool = True  # whether the pieces are all of the admissible set; False where inequalities cut it

    def lifted(self, space: ZeroSetPiece, y0: Array) -> StationaryPart:
        """Return the part, which is in the coordinates z of a subspace, in those of the target y0."""
        unit, rest = space.unit, 0.5 * float(np.sum((space.lift(space.coordinates(y0)) - y0) ** 2))

        def up(x: Stationary) -> Stationary:
            return replace(
                x,
                centre=space.lift(x.centre),
                bases=tuple(space.basis @ basis for basis in x.bases),
                radii=tuple(unit * r for r in x.radii),
                value=unit**2 * x.value + rest,
                multipliers=unit**2 * x.multipliers,
                residual=unit * x.residual,
                within=tuple(space.extended(q) for q in x.within),
            )

        pieces = (
            ZeroSetPiece(space.lift(p.offset), space.basis @ p.basis, p.quadrics, unit * p.unit) for p in self.pieces
        )
        bound = None if self.lower_bound is None else unit**2 * self.lower_bound + rest
        return replace(self, pieces=tuple(pieces), found=tuple(map(up, self.found)), lower_bound=bound)


def joined(parts: Sequence[StationaryPart], **given: object) -> StationaryPart:
    """Return a part that is complete, isolated and whole if all parts are, with their words and what they found."""
    both = StationaryPart(
        found=tuple(x for part in parts for x in part.found),
        complete=all(part.complete for part in parts),
        evidence=tuple(dict.fromkeys(word for part in parts for word in part.evidence)),
        isolated=all(part.isolated for part in parts),
        whole=all(part.whole for part in parts),
    )
    return replace(both, **given)  # type: ignore[arg-type]


def point(y: Array, y0: Array, kind: str, least: bool | None = None) -> Stationary:
    """Return a point; for other kinds than vertices the kind says whether it is a local minimum."""
    return Stationary(y, 0.5 * float(np.sum((y - y0) ** 2)), kind, least if kind == VERTEX else minimal(kind))


@dataclass(frozen=True, eq=False)
class StationarySet:
    """All stationary points found, what is known about the list, and a lower bound of the Zwang."""

    status: str  # "unique" (one stationary point in all), "finite", "continuum" or "none"
    points: tuple[Stationary, ...]  # by increasing value
    families: tuple[Stationary, ...]  # by increasing value
    pieces: tuple[ZeroSetPiece, ...]  # of the zero set of the equalities; points and families refer to them by index
    affine: tuple[Array, Array] | None  # (offset, basis) where the whole zero set is an affine subspace, else None
    complete: bool  # whether the list is certified to be complete, by the argument in `evidence`
    evidence: str
    lower_bound: float | None  # of ½|y − y0|² on the quadrics; None where none was computed
    value_tolerance: float  # values that differ by less count as equal

    @property
    def minimisers(self) -> tuple[Stationary, ...]:
        """The points and families of least value, equal within the tolerance."""
        limit = min((x.value for x in (*self.points, *self.families)), default=0.0) + self.value_tolerance
        return tuple(x for x in (*self.points, *self.families) if x.value <= limit)

    @property
    def globally_certified(self) -> bool:
        """Whether the least value equals the lower bound, so that the minimisers are global ones."""
        limit = -np.inf if self.lower_bound is None else self.lower_bound + self.value_tolerance
        return any(x.value <= limit for x in self.minimisers[:1])

    def __str__(self) -> str:
        lines = [f"{self.status}: {len(self.points)} points, {len(self.families)} families; {self.evidence}"]
        for f in self.families:
            lines.append(f"  {f.kind}, value {f.value:.12g}: sphere of dimension {f.dimension}, radius {f.radius:.12g}")
        lines += [f"  {p.kind}, value {p.value:.12g}: {np.array2string(p.y, precision=12)}" for p in self.points]
        return "\n".join(lines)


def kind_of(negative: int, dimension: int) -> str:
    """Return the kind of a nondegenerate stationary point by the index of its Hessian on a space of that dimension."""
    if negative == 0:
        return LOCAL
    return MAXIMUM if negative == dimension else SADDLE


def minimal(kind: str) -> bool | None:
    """Return whether a kind is that of a local minimum; None if undecided."""
    return None if kind == UNDECIDED else kind == LOCAL


def checked(y0: object, quadrics: Sequence[Quadric], tolerance: object) -> tuple[Array, tuple[Quadric, ...], float]:
    """Return target, quadrics and tolerance as finite numbers, the matrices symmetric. Raises InputError."""
    target = as_array(y0, "the target y0")
    if target.ndim != 1:
        raise InputError(f"the target y0 has shape {target.shape}, expected (d,).")
    d = target.size
    number = scalar(tolerance, "the tolerance")
    if not 0.0 < number < 0.1:
        raise InputError(f"the tolerance is {number:g}; a relative tolerance between 0 and 0.1 is expected.")
    result = []
    for k, q in enumerate(quadrics):
        if not isinstance(q, Quadric):
            raise InputError(f"quadric {k} is of type {type(q).__name__}; build it with Quadric(S, g, c, sense, name).")
        label = f"quadric {q.name!r}" if q.name else f"quadric {k}"
        S = matrix(q.S, (d, d), f"the matrix S of {label}")
        skew = float(np.max(np.abs(S - S.T), initial=0.0))
        if skew > 1e-9 * float(np.max(np.abs(S), initial=0.0)):
            raise InputError(f"the matrix S of {label} is not symmetric: S and Sᵀ differ by {skew:g}. Give (S + Sᵀ)/2.")
        if q.sense not in ("=", ">="):
            raise InputError(f'the sense of {label} is {q.sense!r}; expected "=" or ">=".')
        g = vector(q.g, d, f"the vector g of {label}")
        result.append(Quadric((S + S.T) / 2.0, g, scalar(q.c, f"the constant c of {label}"), q.sense, q.name))
    return vector(target, d, "the target y0"), tuple(result), max(number, ROUNDED)


def length_of(y0: Array, quadrics: Sequence[Quadric]) -> float:
    """Return the length that relative tolerances refer to: the distances of target and quadrics from the origin.

    It scales with y, and neither rotations nor factors of a quadric change it.
    """
    lengths = [float(np.linalg.norm(y0))]
    curved = []
    for q in quadrics:
        s, g, c = float(np.linalg.norm(q.S)), float(np.linalg.norm(q.g)), abs(q.c)
        if c > 0.0 and g + s > 0.0:
            lengths.append(c / (g + np.hypot(g, np.sqrt(s * c))))
        if s > 0.0:
            curved.append(g / s)
    return max(lengths) or max([x for x in curved if x > 0.0], default=1.0)


def form_of(q: Quadric) -> Array:
    """Return the form (d + 1, d + 1) of a quadric in homogeneous coordinates (1, y), of norm 1 or 0."""
    Q = np.block([[np.array([[q.c]]), q.g[None]], [q.g[:, None], q.S]])
    Q = Q / (float(np.max(np.abs(Q))) or 1.0)
    return np.asarray(Q / (float(np.linalg.norm(Q)) or 1.0))
