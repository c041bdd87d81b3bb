"""The zero set of forms as a union of linear subspaces, and of what does not split any further.

In homogeneous coordinates (1, y) the forms of inhomogeneous quadrics split like those of homogeneous ones: a
semidefinite form vanishes on its kernel, a form of rank two on two hyperplanes, and on a subspace found so far other
forms become simpler. When a product ab = 0 is split, a = 0 is followed first; on the other branch, b = 0, only points
with a ≠ 0 are still wanted, so every further product that contains a is decided at once. With that the N forms
y_i (y_i − y_{i+1}) give their N + 1 lines in N + 1 leaves, in whatever order they come; without it the number of
branches grows like 2^N. The hyperplane at infinity is excluded in the same way from the start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gauss.foundation.arrays import Array
from gauss.numerics.quadrics.pencil import independent, special_member
from gauss.numerics.quadrics.types import MOST


@dataclass(frozen=True, eq=False)
class Leaf:
    """A subspace and the forms that remain on it, in its coordinates."""

    T: Array  # (D, m) orthonormal columns, homogeneous coordinates
    forms: tuple[Array, ...]  # (m, m) each


@dataclass(frozen=True, eq=False)
class _Branching:
    T: Array  # (D, m)
    products: Array  # (n, 2, D) the factors of the products that remain
    forms: tuple[Array, ...]  # (D, D) the forms that are no products
    excluded: Array  # (e, D) linear forms that must not vanish identically on a leaf


def split(forms: list[Array], tolerance: float) -> tuple[list[Leaf], bool]:
    """Return the leaves of forms (D, D) of norm 1, none contained in another, and whether all were followed.

    Only points off the hyperplane y_0 = 0 of the homogeneous coordinates are kept. Coefficients below the tolerance
    count as zero.
    """
    D = forms[0].shape[0]
    stack = [_Branching(np.eye(D), np.zeros((0, 2, D)), tuple(forms), np.eye(D)[:1])]
    leaves: list[Leaf] = []
    while stack:
        if len(leaves) + len(stack) > MOST:
            return _maximal(leaves, tolerance), False
        node = _simplified(stack.pop(), tolerance)
        if node is None:
            continue
        if len(node.products):
            stack += _branches(node)
            continue
        restricted = [node.T.T @ Q @ node.T for Q in node.forms]
        if len(restricted) > 1:
            further = _with_special_member(node, restricted, tolerance)
            if further is not None:
                stack.append(further)
                continue
            restricted = [restricted[k] for k in independent(restricted, tolerance)[0]]
        leaves.append(Leaf(node.T, tuple(restricted)))
    return _maximal(leaves, tolerance), True


def _branches(node: _Branching) -> list[_Branching]:
    """Return the two halves of the last product, that with its first factor zero on top of the stack."""
    (a, b), rest = node.products[-1], replace(node, products=node.products[:-1])
    first = replace(rest, T=_without(node.T, node.T.T @ a))
    second = replace(rest, T=_without(node.T, node.T.T @ b), excluded=np.vstack([node.excluded, a]))
    return [second, first]


def _without(T: Array, r: Array) -> Array:
    """Return an orthonormal basis (D, m − 1) of the part of span T on which the linear form r (m,) vanishes."""
    v = r / np.linalg.norm(r)
    k = int(np.argmax(np.abs(v)))
    v[k] += np.copysign(1.0, v[k])  # a reflection that takes r to the k-th axis
    return np.delete(T - np.outer(T @ v, 2.0 * v / (v @ v)), k, axis=1)


def _simplified(node: _Branching, tolerance: float) -> _Branching | None:
    """Impose everything that needs no branching; None if the node holds no wanted point."""
    while True:
        node = _products_settled(node, tolerance)
        if node.T.shape[1] == 0 or np.any(np.linalg.norm(node.excluded @ node.T, axis=1) <= tolerance):
            return None
        T, products, forms = node.T, [], []
        for Q in node.forms:
            R = T.T @ Q @ T
            if np.linalg.norm(R) <= tolerance:
                continue
            values, V = np.linalg.eigh(R)
            positive, negative = values > tolerance, values < -tolerance
            if not np.any(positive) or not np.any(negative):
                node = replace(node, T=T @ V[:, ~(positive | negative)])
                break
            if np.sum(positive) == 1 and np.sum(negative) == 1:
                products.append(_factors(values, V) @ T.T)
            else:
                forms.append(Q)
        else:
            node = replace(node, forms=tuple(forms))
            if not products:
                return node
            node = replace(node, products=np.concatenate([node.products, products]))


def _factors(values: Array, V: Array) -> Array:
    """Return unit rows a, b (2, m) with form = const · (aᵀy)(bᵀy), for a form with one positive and one negative λ."""
    plus, minus = np.sqrt(values[-1]) * V[:, -1], np.sqrt(-values[0]) * V[:, 0]
    return _unit(np.array([plus + minus, plus - minus]))


def _unit(rows: Array) -> Array:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True))


def _products_settled(node: _Branching, tolerance: float) -> _Branching:
    """Impose the factors that are forced, until none is; drop the products that vanish."""
    while len(node.products) and node.T.shape[1]:
        on = node.products @ node.T  # (n, 2, m)
        alive = np.all(np.linalg.norm(on, axis=2) > tolerance, axis=1)
        node, on = replace(node, products=node.products[alive]), _unit(on[alive])
        barred = node.excluded @ node.T
        if not len(on) or np.any(np.linalg.norm(barred, axis=1) <= tolerance):
            return node
        off = _off(on[:, :, None], _unit(barred)[None, None])  # (n, 2, e)
        must_not = np.any(off <= tolerance, axis=2)  # vanish: so the other factor does
        must_not[:, 1] |= _off(on[:, 0], on[:, 1]) <= tolerance
        forced = node.products[:, ::-1][must_not]
        if not len(forced):
            return node
        node = replace(node, products=node.products[~np.any(must_not, axis=1)])
        for form in forced:
            part = node.T.T @ form
            if np.linalg.norm(part) > tolerance:
                node = replace(node, T=_without(node.T, part))
    return node


def _off(r: Array, e: Array) -> Array:
    """Return the lengths of the parts of unit rows r that are orthogonal to unit rows e."""
    return np.asarray(np.linalg.norm(r - np.sum(r * e, axis=-1, keepdims=True) * e, axis=-1))


def _with_special_member(node: _Branching, restricted: list[Array], tolerance: float) -> _Branching | None:
    """Return the node with one of its forms replaced by a semidefinite member of their span, or one of rank two."""
    chosen, basis = independent(restricted, tolerance)
    if len(chosen) == 1:
        return None
    stacked = np.vstack([restricted[k] / np.linalg.norm(restricted[k]) for k in chosen])
    _, sigma, V = np.linalg.svd(stacked, full_matrices=True)
    rank = int(np.sum(sigma > tolerance))
    essential, idle = V[:rank].T, V[rank:].T  # the forms do not depend on the idle part
    small = np.einsum("im,nij,jk->nmk", essential, basis, essential)
    member = special_member(small, tolerance)
    if member is None:
        return None
    values, V = np.linalg.eigh(member)
    if values[0] >= -tolerance or values[-1] <= tolerance:
        return replace(node, T=node.T @ np.hstack([idle, essential @ V[:, np.abs(values) <= tolerance]]))
    M = essential @ member @ essential.T
    share = [abs(float(np.sum(restricted[k] * M))) / np.linalg.norm(restricted[k]) for k in chosen]
    kept = [k for k in chosen if k != chosen[int(np.argmax(share))]]
    products = np.concatenate([node.products, [_factors(*np.linalg.eigh(M)) @ node.T.T]])
    return replace(node, products=products, forms=tuple(node.forms[k] for k in kept))


def _maximal(leaves: list[Leaf], tolerance: float) -> list[Leaf]:
    """Return the leaves without those that lie in another."""
    kept: list[Leaf] = []
    for leaf in sorted(leaves, key=lambda x: (-x.T.shape[1], len(x.forms))):
        if not any(_contains(other, leaf, tolerance) for other in kept):
            kept.append(leaf)
    return kept


def _contains(outer: Leaf, inner: Leaf, tolerance: float) -> bool:
    """Return whether the points of `inner` are seen to lie in `outer`."""
    inside = outer.T.T @ inner.T
    slack = 10.0 * tolerance * np.sqrt(inner.T.shape[1])
    if np.linalg.norm(inner.T - outer.T @ inside) > slack:
        return False
    on_inner = [inside.T @ Q @ inside for Q in outer.forms]
    on_inner = [Q for Q in on_inner if np.linalg.norm(Q) > tolerance]
    if not on_inner:
        return True
    if not inner.forms:
        return False
    basis = independent(list(inner.forms), tolerance)[1].reshape(-1, inner.T.shape[1] ** 2)
    unit = [Q.ravel() / np.linalg.norm(Q) for Q in on_inner]
    return all(np.linalg.norm(q - basis.T @ (basis @ q)) <= slack for q in unit)
