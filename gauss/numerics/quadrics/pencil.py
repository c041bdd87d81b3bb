"""Special members of the span of several forms: of rank at most two, or semidefinite.

A combination Σ θ_k Q_k vanishes wherever all Q_k do. If it has rank two it is a product of two linear forms, and if it
is semidefinite its kernel contains the common zeros; either way the zero set becomes simpler. Semidefinite members
are found or excluded by one convex problem (there is either such a member, or a positive definite X with
tr Q_k X = 0 for all k, never both). Members of rank two are looked for from random starts, and none need be
found.
"""

from __future__ import annotations

import numpy as np
import scipy
from scipy.linalg import qr

from gauss.foundation.arrays import Array
from gauss.numerics.quadrics.types import ROUND, ROUNDED, SAME, SEED

SEARCH_STEPS = 600  # of the accelerated gradient method; both outcomes show after a few dozen where they are clear
POLISH_STEPS = 20  # Newton's method: a handful suffices where it converges
STARTS = 100  # random starts for members of rank two, in each batch
BATCHES = 25  # until a simple one is found
GAP = 30.0  # ratio of neighbouring eigenvalues from which the lower ones may belong to a kernel
SIMPLE = 3e-3  # second smallest singular value of the conditions above which a member counts as simple
SEARCHED = (8, 12)  # forms and dimension up to which they are looked for among more than two forms


def independent(forms: list[Array], tolerance: float) -> tuple[list[int], Array]:
    """Return indices of a maximal independent subset of forms (each (m, m)), and an orthonormal basis of the span."""
    rows = np.array([Q.ravel() / np.linalg.norm(Q) for Q in forms])
    basis, R, order = qr(rows.T, mode="economic", pivoting=True)
    rank = int(np.sum(np.abs(np.diag(R)) > tolerance))
    return sorted(int(k) for k in order[:rank]), basis.T[:rank].reshape(-1, *forms[0].shape)


def special_member(basis: Array, tolerance: float) -> Array | None:
    """Return a nonzero member (m, m) of the span of orthonormal forms (n, m, m), semidefinite or of rank two, or None.

    A member is returned only if it is known to rounding. Where the conditions that single it out are dependent, as at
    double roots, Newton's method gives it to √eps only, and its planes or kernel would cut off zeros that are there.
    """
    member = _semidefinite_member(basis, tolerance)
    return _rank_two_member(basis) if member is None else member


def _semidefinite_member(basis: Array, tolerance: float) -> Array | None:
    """Return a positive semidefinite member (m, m) of the span of orthonormal forms (n, m, m), or None.

    Minimises ½|P X|² over X ⪰ 1, with P the projection on the span: if the minimum is zero no member is semidefinite,
    and otherwise P X at the minimum is one. None also where the iteration tells neither.
    """
    n, m = basis.shape[0], basis.shape[1]
    flat = basis.reshape(n, m * m)
    X, ahead, momentum = np.eye(m), np.eye(m), 1.0
    for step in range(SEARCH_STEPS):
        inside = _above_one(ahead - _project(flat, ahead))
        later = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = inside + (momentum - 1.0) / later * (inside - X)
        X, momentum = inside, later
        G = _project(flat, X)
        if np.linalg.eigvalsh(X - G)[0] > 0.1:
            return None  # X − G is positive definite and orthogonal to all members
        member = _semidefinite_from(basis, G / np.linalg.norm(G), tolerance) if step % 10 == 9 else None
        if member is not None:
            return member
    return None


def _semidefinite_from(basis: Array, G: Array, tolerance: float) -> Array | None:
    """Return a member G (m, m) of unit size where it is definite, else a semidefinite one that is near, or None."""
    values = np.linalg.eigvalsh(G)
    if values[0] > SAME:
        return np.asarray(G)
    theta = basis.reshape(len(basis), -1) @ G.ravel()
    for size in range(1, len(G) if values[0] > -1e-2 else 1):
        if not values[size] > GAP * max(float(np.max(np.abs(values[:size]))), ROUND):
            continue
        near, simple = _newton(basis, theta[None], size)
        member = _settled(basis, near[0], float(simple[0]), size)
        member = None if member is None else np.asarray(np.sign(np.trace(member)) * member)
        if member is not None and np.linalg.eigvalsh(member)[0] >= -tolerance:
            return member
    return None


def _project(flat: Array, X: Array) -> Array:
    return np.asarray((flat.T @ (flat @ X.ravel())).reshape(X.shape))


def _above_one(X: Array) -> Array:
    values, V = np.linalg.eigh((X + X.T) / 2.0)
    return np.asarray((V * np.maximum(values, 1.0)) @ V.T)


def _rank_two_member(basis: Array) -> Array | None:
    """Return a member (m, m) of rank at most two of the span of orthonormal forms (n, m, m), or None if none is found.

    The search is made from random starts, up to a small size.
    """
    n, m = basis.shape[0], basis.shape[1]
    if m <= 2:
        return np.asarray(basis[0])
    if n > SEARCHED[0] or m > SEARCHED[1]:
        return None
    rng = np.random.default_rng(SEED)
    for _ in range(BATCHES):
        theta = rng.normal(size=(STARTS, n))
        theta, simple = _newton(basis, theta / np.linalg.norm(theta, axis=1, keepdims=True), m - 2)
        rest = _rest(basis, theta)
        if np.min(rest) > SAME:
            return None
        best = int(np.argmax(np.where(rest <= ROUND, simple, -rest)))
        family = rest[best] <= ROUND and simple[best] <= SIMPLE and _in_linear_family(basis, theta[best], rng)
        member = _settled(basis, theta[best], np.inf if family else float(simple[best]), m - 2)
        if member is not None:
            return member
    return None


def _in_linear_family(basis: Array, theta: Array, rng: np.random.Generator) -> bool:
    """Return whether members in the directions that keep the rank to first order have rank two exactly, not nearly."""
    K = _least(np.tensordot(theta, basis, 1)[None], len(basis[0]) - 2)[0]
    _, sigma, W = np.linalg.svd(np.einsum("im,nij,jk->mkn", K, basis, K).reshape(-1, len(basis)))
    null = W[int(np.sum(sigma > SIMPLE)) :]
    return bool(np.max(_rest(basis, theta + 1e-3 * (rng.normal(size=(4, len(null))) @ null))) <= ROUND)


def _rest(basis: Array, theta: Array) -> Array:
    """Return the third largest |λ| of each member θ (B, n), zero for rank two."""
    return np.asarray(np.sort(np.abs(np.linalg.eigvalsh(np.tensordot(theta, basis, 1))), axis=1)[:, -3])


def _settled(basis: Array, theta: Array, simple: float, size: int) -> Array | None:
    """Return the member that Newton's method has led to, if it vanishes on `size` vectors to rounding, or None."""
    kernel = _least(np.tensordot(theta, basis, 1)[None], size)[0]
    if simple <= SIMPLE:
        theta, kernel = _double(basis, theta, kernel)
    Q = np.tensordot(theta, basis, 1)
    return np.asarray(Q) if np.max(np.abs(Q @ kernel)) <= ROUND else None


def _least(Q: Array, size: int) -> Array:
    """Return the eigenvectors (B, m, size) of least |λ|."""
    values, V = np.linalg.eigh(Q)
    return np.take_along_axis(V, np.argsort(np.abs(values), axis=1)[:, None, :size], axis=2)


def _newton(basis: Array, theta: Array, size: int) -> tuple[Array, Array]:
    """Return members θ (B, n) after Newton's method, and how independent the conditions on them are.

    The part of Q that is to vanish is that on the `size` eigenvectors of least |λ|.
    """
    n = len(basis)
    for _ in range(POLISH_STEPS):
        K = _least(np.tensordot(theta, basis, 1), size)
        upper = np.triu_indices(size)
        rows = np.einsum("bim,nij,bjk->bmkn", K, basis, K, optimize=True)[:, upper[0], upper[1]]
        conditions = min(rows.shape[1], n - 1)
        if rows.shape[1] < n:
            rows = np.concatenate([rows, np.zeros((len(theta), n - rows.shape[1], n))], axis=1)
        _, sigma, W = np.linalg.svd(rows, full_matrices=False)
        # The null space of the linear map may have several dimensions: the step goes to its point nearest to θ.
        null = sigma <= np.maximum(1.000001 * sigma[:, -1:], 1e-12)
        near = np.einsum("bk,bkn->bn", np.where(null, np.einsum("bkn,bn->bk", W, theta), 0.0), W)
        length = np.linalg.norm(near, axis=1, keepdims=True)
        theta = np.where(length > 1e-8, near / np.where(length > 1e-8, length, 1.0), W[:, -1])
    return theta, sigma[:, conditions - 1]


def _double(basis: Array, theta: Array, kernel: Array) -> tuple[Array, Array]:
    """Return θ and kernel K after Newton's method on Q(θ) K = 0 together with Kᵀ Q_k K = 0 for all members.

    That is how a member is singled out whose kernel is a double root: the other forms vanish on it too, though not the
    vectors that they take it to.
    """
    n, (m, r) = len(basis), kernel.shape

    def residual(x: Array) -> Array:
        theta, K = x[:n], x[n:].reshape(m, r)
        parts = [np.tensordot(theta, basis, 1) @ K, K.T @ basis @ K, K.T @ K - np.eye(r)]
        return np.concatenate([*(part.ravel() for part in parts), [theta @ theta - 1.0]])

    start = np.concatenate([theta, kernel.ravel()])
    x = scipy.optimize.least_squares(residual, start, "3-point", xtol=ROUNDED, ftol=ROUNDED, gtol=ROUNDED).x
    return x[:n] / np.linalg.norm(x[:n]), np.linalg.qr(x[n:].reshape(m, r))[0]
