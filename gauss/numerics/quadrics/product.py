"""Conditions that do not touch each other: solved one by one, because ½|y − y0|² is a sum over orthogonal subspaces.

The support of a quadric is the span of the columns of S and of g. Quadrics whose supports are orthogonal (in the mass
metric: those of separate mechanisms) are independent problems, and what is stationary for all of them is the product
of what is stationary for each. Directions in no support follow the target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from gauss.foundation.arrays import Array
from gauss.numerics.quadrics.piece import Found
from gauss.numerics.quadrics.types import LOCAL, SADDLE, UNDECIDED, VERTEX, Family, Piece, Quadric
from gauss.numerics.quadrics.union import Part

MOST_PRODUCTS = 4096  # beyond, only what is least in each factor is combined

Solver = Callable[[Sequence[Quadric], Array, float, float], Part]


@dataclass(frozen=True, eq=False)
class Factor:
    """Conditions with a common support."""

    quadrics: tuple[Quadric, ...]  # on the coordinates of the basis
    basis: Array  # (d, m) orthonormal


def factors(quadrics: Sequence[Quadric], d: int, length: float, tolerance: float) -> tuple[list[Factor], Array]:
    """Return the independent factors, and an orthonormal basis (d, ·) of the directions in no support."""
    supports = [_support(q, length, tolerance) for q in quadrics]
    label = list(range(len(quadrics)))
    for i in range(len(quadrics)):
        for j in range(i):
            if label[i] != label[j] and np.linalg.norm(supports[i].T @ supports[j]) > tolerance:
                old, new = label[i], label[j]
                label = [new if x == old else x for x in label]
    found = []
    taken = np.zeros((d, 0))
    for group in dict.fromkeys(label):
        members = [k for k in range(len(quadrics)) if label[k] == group]
        basis = _span(np.hstack([supports[k] for k in members]), tolerance)
        if basis.shape[1] == d:
            basis = np.eye(d)
        own = tuple(replace(q, S=basis.T @ q.S @ basis, g=basis.T @ q.g) for q in (quadrics[k] for k in members))
        found.append(Factor(own, basis))
        taken = np.hstack([taken, basis])
    free = np.linalg.svd(taken, full_matrices=True)[0][:, taken.shape[1] :] if taken.shape[1] else np.eye(d)
    return found, free


def _support(q: Quadric, length: float, tolerance: float) -> Array:
    return _span(np.column_stack([q.S * length, q.g]), tolerance)


def _span(columns: Array, tolerance: float) -> Array:
    """Return an orthonormal basis of the span of columns; coordinate axes where they span a coordinate subspace."""
    used = np.any(columns != 0.0, axis=1)
    U, sigma, _ = np.linalg.svd(columns, full_matrices=False)
    rank = int(np.sum(sigma > tolerance * max(float(np.max(sigma, initial=0.0)), 1e-300)))
    if rank == int(np.sum(used)):
        return np.asarray(np.eye(columns.shape[0])[:, used])
    return np.asarray(U[:, :rank])


def solved(solver: Solver, quadrics: Sequence[Quadric], y0: Array, length: float, tolerance: float) -> Part:
    """Return everything stationary on quadrics that depend on y: the products of what is stationary in each factor."""
    parts_of, free = factors(quadrics, y0.size, length, tolerance)
    if len(parts_of) == 1 and free.shape[1] == 0:
        return solver(parts_of[0].quadrics, parts_of[0].basis.T @ y0, length, tolerance)
    parts = [solver(f.quadrics, f.basis.T @ y0, length, tolerance) for f in parts_of]
    bases = [f.basis for f in parts_of]
    along = free @ (free.T @ y0)
    complete = all(part.complete for part in parts)
    evidence = list(dict.fromkeys(word for part in parts for word in part.evidence))
    count = int(np.prod([float(len(p.points) + len(p.families)) for p in parts]))
    if count > MOST_PRODUCTS:
        parts = [_least(part) for part in parts]
        complete = False
        evidence.append(f"of {count} combinations of independent conditions only those of least value are listed")
    if len(parts) > 1:
        evidence.insert(0, f"{len(parts)} independent sets of conditions")
    pieces, number = pieces_product(parts, bases, free)
    points, families = _combined(parts, bases, along, number)
    bounds = [part.lower_bound for part in parts]
    return Part(
        pieces=pieces,
        points=tuple(points),
        families=tuple(families),
        complete=complete,
        evidence=tuple(evidence),
        lower_bound=None if None in bounds else float(sum(b for b in bounds if b is not None)),
        isolated=all(part.isolated for part in parts),
        whole=all(part.whole for part in parts) and bool(pieces),
    )


def _least(part: Part) -> Part:
    """Return the part with only what is of least value."""
    everything: list[Found | Family] = [*part.points, *part.families]
    if not everything:
        return part
    limit = min(x.value for x in everything) * (1.0 + 1e-12)
    points = tuple(p for p in part.points if p.value <= limit)
    return replace(part, points=points, families=tuple(f for f in part.families if f.value <= limit))


def pieces_product(parts: list[Part], bases: list[Array], free: Array) -> tuple[tuple[Piece, ...], list[int]]:
    """Return the products of the pieces (none beyond MOST_PRODUCTS), and how much an index counts in each factor."""
    sizes = [max(len(part.pieces), 1) for part in parts]
    number = [int(np.prod(sizes[k + 1 :], dtype=float)) for k in range(len(sizes))]
    if float(np.prod(sizes, dtype=float)) > MOST_PRODUCTS or any(not part.pieces for part in parts):
        return (), [0] * len(parts)
    result = []
    for chosen in product(*(part.pieces for part in parts)):
        offset = sum((B @ p.offset for B, p in zip(bases, chosen, strict=True)), np.zeros(free.shape[0]))
        basis = np.hstack([*(B @ p.basis for B, p in zip(bases, chosen, strict=True)), free])
        quadrics: list[Quadric] = []
        start = 0
        for p in chosen:
            k = p.basis.shape[1]
            quadrics += [_placed(q, start, basis.shape[1]) for q in p.quadrics]
            start += k
        result.append(Piece(offset, basis, tuple(quadrics)))
    return tuple(result), number


def _placed(q: Quadric, start: int, size: int) -> Quadric:
    """Return a quadric on some of `size` coordinates, from `start` on."""
    S, g = np.zeros((size, size)), np.zeros(size)
    own = slice(start, start + q.g.size)
    S[own, own], g[own] = q.S, q.g
    return replace(q, S=S, g=g)


def _combined(
    parts: list[Part], bases: list[Array], along: Array, number: list[int]
) -> tuple[list[Found], list[Family]]:
    """Return the products of points and families; with a family in it a product is a family."""
    points: list[Found] = []
    families: list[Family] = []
    everything: list[list[Found | Family]] = [[*part.points, *part.families] for part in parts]
    for chosen in product(*everything):
        value = float(sum(x.value for x in chosen))
        kind, least = _kind(chosen)
        piece = sum(n * x.piece for n, x in zip(number, chosen, strict=True))
        centre = along + sum(
            (B @ (x.centre if isinstance(x, Family) else x.y) for B, x in zip(bases, chosen, strict=True)), 0.0 * along
        )
        spheres = [(B, x) for B, x in zip(bases, chosen, strict=True) if isinstance(x, Family)]
        if not spheres:
            points.append(Found(centre, value, kind, least, piece))
            continue
        families.append(
            Family(
                value=value,
                kind=kind,
                least=least,
                centre=centre,
                bases=tuple(B @ basis for B, x in spheres for basis in x.bases),
                radii=tuple(r for _, x in spheres for r in x.radii),
                multipliers=np.zeros(0),
                residual=0.0,
                piece=piece,
                within=tuple(replace(q, S=B @ q.S @ B.T, g=B @ q.g) for B, x in spheres for q in x.within),
            )
        )
    return points, families


def _kind(chosen: Sequence[Found | Family]) -> tuple[str, bool | None]:
    """Return the kind of a product, and whether it is a local minimum."""
    if not chosen:
        return LOCAL, True
    verdicts = [x.least for x in chosen]
    least = False if False in verdicts else (None if None in verdicts else True)
    moving = [x for x in chosen if not (isinstance(x, Found) and x.rigid)] or list(chosen)
    kinds = {x.kind for x in moving}
    for kind in (VERTEX, UNDECIDED):
        if any(x.kind == kind for x in chosen):
            return kind, least
    return (kinds.pop() if len(kinds) == 1 else SADDLE), least
