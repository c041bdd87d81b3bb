"""Special members of the span of several forms: of rank at most two, or semidefinite.

A combination Σ θ_k Q_k vanishes wherever all Q_k do. If it has rank two it is a product of two linear forms, and if it
is semidefinite its kernel contains the common zeros; either way the zero set becomes simpler. Semidefinite members
are found or excluded by one convex problem (there is either such a member, or a positive definite X with
tr Q_k X = 0 for all k, never both). Members of rank two are found for two forms from a cubic equation; for more forms
they are looked for from random starts, and none need be found.
"""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array

SEARCH_STEPS = 600  # of the accelerated gradient method; both outcomes show after a few dozen where they are clear
POLISH_STEPS = 20  # Newton's method: a handful suffices where it converges
STARTS = 200  # random starts for members of rank two, in each batch
BATCHES = 25  # until a simple one is found
EXACT = 1e-13  # third eigenvalue, of forms of norm 1, below which a member counts as one of rank two
DEFINITE = 1e-6  # smallest eigenvalue, of a form of norm 1, above which it is definite without doubt
GAP = 30.0  # ratio of neighbouring eigenvalues from which the lower ones may belong to a kernel
SIMPLE = 3e-3  # second smallest singular value of the conditions above which a member counts as simple
LARGEST = (8, 12)  # forms and dimension up to which they are looked for among more than two forms
SEED = 20250131


def independent(forms: list[Array], tolerance: float) -> tuple[list[int], Array]:
    """Return indices of a maximal independent subset of forms (each (m, m)), and an orthonormal basis of the span."""
    m = forms[0].shape[0]
    chosen: list[int] = []
    basis = np.zeros((0, m * m))
    sizes = [float(np.linalg.norm(Q)) for Q in forms]
    rest = np.array([Q.ravel() / s for Q, s in zip(forms, sizes)])
    for _ in range(len(forms)):
        left = np.linalg.norm(rest, axis=1)
        k = int(np.argmax(left))
        if left[k] <= tolerance:
            break
        u = rest[k] / left[k]
        u = u - basis.T @ (basis @ u)
        u /= np.linalg.norm(u)
        basis = np.vstack([basis, u])
        chosen.append(k)
        rest = rest - np.outer(rest @ u, u)
    return sorted(chosen), basis.reshape(-1, m, m)


def special_member(basis: Array, tolerance: float) -> Array | None:
    """Return a nonzero member (m, m) of the span of orthonormal forms (n, m, m), semidefinite or of rank two, or None.

    A member is returned only if it is known to rounding. Where the conditions that single it out are dependent, as at
    double roots, Newton's method gives it to √eps only, and its planes or kernel would cut off zeros that are there.
    """
    if basis.shape[0] == 2:
        member = rank_two_member(basis)
        return semidefinite_member(basis, tolerance) if member is None else member
    member = semidefinite_member(basis, tolerance)
    return rank_two_member(basis) if member is None else member


def semidefinite_member(basis: Array, tolerance: float) -> Array | None:
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
        if step % 10 == 9:
            size = float(np.linalg.norm(G))
            values = np.linalg.eigvalsh(G / size)
            if values[0] > DEFINITE:
                return np.asarray(G / size)
            polished = _polished_semidefinite(basis, flat @ G.ravel() / size, tolerance) if values[0] > -1e-2 else None
            if polished is not None:
                return polished
    return None


def _project(flat: Array, X: Array) -> Array:
    return np.asarray((flat.T @ (flat @ X.ravel())).reshape(X.shape))


def _above_one(X: Array) -> Array:
    values, V = np.linalg.eigh((X + X.T) / 2.0)
    return np.asarray((V * np.maximum(values, 1.0)) @ V.T)


def _polished_semidefinite(basis: Array, theta: Array, tolerance: float) -> Array | None:
    """Return the semidefinite member near Σ θ_k basis_k, for each dimension of its kernel that a gap shows, or None."""
    values = np.linalg.eigvalsh(np.tensordot(theta, basis, 1))
    for size in range(1, values.size):
        if values[size] > GAP * max(float(np.max(np.abs(values[:size]))), EXACT):
            member = _with_kernel(basis, theta, size, tolerance)
            if member is not None:
                return member
    return None


def _with_kernel(basis: Array, theta: Array, size: int, tolerance: float) -> Array | None:
    """Return the semidefinite member near Σ θ_k basis_k with a kernel of a given dimension, to rounding, or None."""
    for _ in range(POLISH_STEPS):
        kernel = np.linalg.eigh(np.tensordot(theta, basis, 1))[1][:, :size]
        W, sigma = _conditions(basis, kernel)
        null = W[sigma <= max(1.000001 * sigma[-1], SIMPLE * SIMPLE)]
        new = null.T @ (null @ theta)
        if np.linalg.norm(new) <= 1e-8:
            return None
        new /= np.linalg.norm(new)
        moved, theta = float(np.linalg.norm(new - theta)), new
        if moved <= 1e-15:
            break
    kernel = np.linalg.eigh(np.tensordot(theta, basis, 1))[1][:, :size]
    W, sigma = _conditions(basis, kernel)
    # Directions that keep the kernel to first order must keep it altogether, or it is known to √eps only.
    turned = np.einsum("kn,nij,jl->kil", W[sigma <= SIMPLE], basis, kernel)
    if np.max(np.abs(turned), initial=0.0) > 1e3 * EXACT:
        theta, kernel = _double(basis, theta, kernel)
    Q = np.tensordot(theta, basis, 1)
    good = np.max(np.abs(Q @ kernel)) <= EXACT and np.linalg.eigvalsh(Q)[0] >= -tolerance
    return np.asarray(Q) if good else None


def _double(basis: Array, theta: Array, kernel: Array) -> tuple[Array, Array]:
    """Return θ and kernel K after Newton's method on Q(θ) K = 0 together with Kᵀ Q_k K = 0 for all members.

    That is how a member is singled out whose kernel is a double root: the other forms vanish on it too, though not the
    vectors that they take it to.
    """
    n, m, r = basis.shape[0], basis.shape[1], kernel.shape[1]
    upper = np.triu_indices(r)
    forms = np.concatenate([basis, np.eye(m)[None]])
    wanted = np.concatenate([np.zeros((n, r, r)), np.eye(r)[None]])
    units = np.eye(m * r).reshape(-1, m, r)
    for _ in range(POLISH_STEPS):
        Q = np.tensordot(theta, basis, 1)
        inner = np.einsum("im,nij,jk->nmk", kernel, forms, kernel) - wanted
        residual = np.concatenate([(Q @ kernel).ravel(), inner[:, upper[0], upper[1]].ravel(), [theta @ theta - 1.0]])
        by_theta = np.zeros((residual.size, n))
        by_theta[: m * r] = (basis @ kernel).reshape(n, -1).T
        by_theta[-1] = 2.0 * theta
        half = np.einsum("uim,nij,jk->unmk", units, forms, kernel)
        both = (half + np.swapaxes(half, 2, 3))[:, :, upper[0], upper[1]].reshape(m * r, -1)
        by_kernel = np.hstack([(Q @ units).reshape(m * r, -1), both, np.zeros((m * r, 1))]).T
        step = np.linalg.lstsq(np.hstack([by_theta, by_kernel]), residual, rcond=1e-12)[0]
        theta, kernel = theta - step[:n], kernel - step[n:].reshape(m, r)
        if not np.linalg.norm(step) > 1e-15:
            break
    return theta / np.linalg.norm(theta), np.linalg.qr(kernel)[0]


def _conditions(basis: Array, kernel: Array) -> tuple[Array, Array]:
    """Return right singular vectors and n singular values of the map from members to their forms on a kernel."""
    n = basis.shape[0]
    upper = np.triu_indices(kernel.shape[1])
    rows = np.einsum("im,nij,jk->mkn", kernel, basis, kernel)[upper]
    rows = np.vstack([rows, np.zeros((max(n - len(rows), 0), n))])
    _, sigma, W = np.linalg.svd(rows, full_matrices=False)
    return W, sigma


def rank_two_member(basis: Array) -> Array | None:
    """Return a member (m, m) of rank at most two of the span of orthonormal forms (n, m, m), or None if none is found.

    For two forms the search is complete; for more it is made up to a small size, from random starts.
    """
    n, m = basis.shape[0], basis.shape[1]
    rng = np.random.default_rng(SEED)
    if m <= 2:
        return np.asarray(basis[0])
    if n == 2:
        return _of_two(basis, rng)
    if n > LARGEST[0] or m > LARGEST[1]:
        return None
    for _ in range(BATCHES):
        theta = rng.normal(size=(STARTS, n))
        theta /= np.linalg.norm(theta, axis=1, keepdims=True)
        for _ in range(POLISH_STEPS):
            theta, simple = _toward_rank_two(basis, theta)
        rest = _rest(basis, theta)
        k = int(np.argmax(np.where(rest <= EXACT, simple, -1.0)))
        if rest[k] <= EXACT and (simple[k] > SIMPLE or _in_linear_family(basis, theta[k], rng)):
            return np.asarray(np.tensordot(theta[k], basis, 1))
        if np.min(rest) > 1e-6:
            return None
    return None


def _rest(basis: Array, theta: Array) -> Array:
    """Return the third largest |λ| of each member θ (B, n), zero for rank two."""
    return np.asarray(np.sort(np.abs(np.linalg.eigvalsh(np.tensordot(theta, basis, 1))), axis=1)[:, -3])


def _in_linear_family(basis: Array, theta: Array, rng: np.random.Generator) -> bool:
    """Return whether members in the directions that keep the rank to first order have rank two exactly, not nearly."""
    values, V = np.linalg.eigh(np.tensordot(theta, basis, 1))
    K = V[:, np.argsort(np.abs(values))[:-2]]
    rows = np.einsum("im,nij,jk->mkn", K, basis, K).reshape(-1, basis.shape[0])
    _, sigma, W = np.linalg.svd(rows)
    null = W[int(np.sum(sigma > SIMPLE)) :]
    near = theta + 1e-3 * (rng.normal(size=(4, null.shape[0])) @ null)
    return bool(np.max(_rest(basis, near)) <= EXACT)


def _of_two(basis: Array, rng: np.random.Generator) -> Array | None:
    """Return a member of rank at most two of a pencil, or None if there is none: complete.

    Members of rank two are singular on any three-dimensional space, so they are roots of a cubic there. Double and
    triple roots are taken from its derivatives, which have them as simple ones.
    """
    m = basis.shape[1]
    R = np.linalg.qr(rng.normal(size=(m, 3)))[0]
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]  # so that no root is at infinity
    A, B = np.einsum("ab,bij->aij", turn, np.einsum("im,nij,jk->nmk", R, basis, R))
    nodes = np.cos(np.pi * (np.arange(4) + 0.5) / 4.0)
    values = np.array([np.linalg.det(A + t * B) for t in nodes])
    size = float(np.max(np.abs(values)))
    if size <= 1e-14:
        return np.asarray(basis[0]) if _rest(basis, np.eye(2)[:1])[0] <= EXACT else None
    cubic = np.polyfit(nodes, values, 3)
    found: list[tuple[float, Array]] = []
    for t in _real_roots(cubic):
        theta = np.array([1.0, t]) @ turn / np.hypot(1.0, t)
        refined = theta[None]
        for _ in range(4):
            refined, simple = _toward_rank_two(basis, refined)
        close = np.linalg.norm(refined[0] - np.sign(refined[0] @ theta) * theta) <= 1e-6
        found.append((float(simple[0]), refined[0]) if close and simple[0] > SIMPLE else (0.0, theta))
    exact = [(simple, theta) for simple, theta in found if _rest(basis, theta[None])[0] <= EXACT]
    if not exact:
        return None
    return np.asarray(np.tensordot(max(exact, key=lambda pair: pair[0])[1], basis, 1))


def _real_roots(cubic: Array) -> list[float]:
    """Return the real roots of a cubic, double and triple ones once and to rounding."""
    size = float(np.max(np.abs(cubic)))
    multiple: list[float] = []
    for derivative in (np.polyder(cubic, 2), np.polyder(cubic)):
        for t in np.roots(derivative):
            level = abs(np.polyval(cubic, t.real))
            new = all(abs(t.real - other) > 1e-4 * max(1.0, abs(t)) for other in multiple)
            if abs(t.imag) <= 1e-6 * max(1.0, abs(t)) and level <= 1e-13 * size * max(1.0, abs(t)) ** 3 and new:
                multiple.append(float(t.real))
    simple = [
        float(t.real)
        for t in np.roots(cubic)
        if abs(t.imag) <= 1e-12 * max(1.0, abs(t))
        and all(abs(t.real - other) > 1e-4 * max(1.0, abs(t)) for other in multiple)
    ]
    return simple + multiple


def _toward_rank_two(basis: Array, theta: Array) -> tuple[Array, Array]:
    """Make one Newton step for each θ (B, n); return with it how independent the conditions for rank two are there.

    The part of Q that is to vanish is that on the eigenvectors of small |λ|.
    """
    n = basis.shape[0]
    Q = np.tensordot(theta, basis, 1)
    values, V = np.linalg.eigh(Q)
    order = np.argsort(np.abs(values), axis=1)[:, :-2]
    K = np.take_along_axis(V, order[:, None, :], axis=2)
    upper = np.triu_indices(K.shape[2])
    rows = np.einsum("bim,nij,bjk->bmkn", K, basis, K, optimize=True)[:, upper[0], upper[1]]
    conditions = min(rows.shape[1], n - 1)
    if rows.shape[1] < n:
        rows = np.concatenate([rows, np.zeros((len(theta), n - rows.shape[1], n))], axis=1)
    _, sigma, W = np.linalg.svd(rows, full_matrices=False)
    # The null space of the linear map may have several dimensions: the step goes to its point nearest to θ.
    null = sigma <= np.maximum(1.000001 * sigma[:, -1:], 1e-12)
    weights = np.where(null, np.einsum("bkn,bn->bk", W, theta), 0.0)
    near = np.einsum("bk,bkn->bn", weights, W)
    size = np.linalg.norm(near, axis=1, keepdims=True)
    return np.where(size > 1e-8, near / np.where(size > 1e-8, size, 1.0), W[:, -1]), sigma[:, conditions - 1]
