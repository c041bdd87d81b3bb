"""Stationary points on quadrics by brute force, from many random starts; shares no code with the package.

Points are pulled onto the quadrics by Gauss-Newton steps, go down along the tangent space with halved steps, and are
finished by Newton's method on the Karush-Kuhn-Tucker equations. A quadric here is a tuple (S, g, c).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def values(quadrics, y):
    """Values (B, p) at points (B, d)."""
    return np.stack([np.einsum("bi,ij,bj->b", y, S, y) + 2.0 * y @ g + c for S, g, c in quadrics], axis=1)


def slopes(quadrics, y):
    """Half gradients (B, p, d)."""
    return np.stack([y @ S + g for S, g, _ in quadrics], axis=1)


def pulled(quadrics, y, steps=12):
    """Points after Gauss-Newton steps onto the quadrics."""
    for _ in range(steps):
        G = 2.0 * slopes(quadrics, y)
        A0 = G @ np.swapaxes(G, 1, 2)
        A = A0 + 1e-14 * (1.0 + np.trace(A0, axis1=1, axis2=2))[:, None, None] * np.eye(len(quadrics))
        y = y - np.einsum("bki,bk->bi", G, np.linalg.solve(A, values(quadrics, y)[..., None])[..., 0])
    return y


def tangential(quadrics, y, step):
    """Part of a step in the tangent space."""
    G = slopes(quadrics, y)
    A0 = G @ np.swapaxes(G, 1, 2)
    A = A0 + 1e-14 * (1.0 + np.trace(A0, axis1=1, axis2=2))[:, None, None] * np.eye(len(quadrics))
    mu = np.linalg.solve(A, np.einsum("bki,bi->bk", G, step)[..., None])[..., 0]
    return step - np.einsum("bki,bk->bi", G, mu), mu


def newton(y0, quadrics, y, steps=15):
    """KKT points by Newton's method: y, μ and the residual."""
    p, d = len(quadrics), y.shape[1]
    mu = tangential(quadrics, y, y - y0)[1]
    S = np.stack([q[0] for q in quadrics])
    for _ in range(steps):
        G = slopes(quadrics, y)
        r = np.concatenate([y - y0 - np.einsum("bki,bk->bi", G, mu), values(quadrics, y)], axis=1)
        J = np.zeros((len(y), d + p, d + p))
        J[:, :d, :d] = np.eye(d) - np.einsum("bk,kij->bij", mu, S)
        J[:, :d, d:], J[:, d:, :d] = -np.swapaxes(G, 1, 2), 2.0 * G
        step = np.linalg.solve(J + 1e-13 * np.eye(d + p), r[..., None])[..., 0]
        y, mu = y - step[:, :d], mu - step[:, d:]
    G = slopes(quadrics, y)
    r = np.concatenate([y - y0 - np.einsum("bki,bk->bi", G, mu), values(quadrics, y)], axis=1)
    return y, mu, np.linalg.norm(r, axis=1)


def starts(rng, y0, count):
    """Random points around target and origin, at all distances."""
    d = y0.size
    size = 1.0 + np.linalg.norm(y0)
    radius = size * 10.0 ** rng.uniform(-2.0, 1.0, (count, 1))
    return rng.normal(size=(count, d)) * radius / np.sqrt(d) + y0 * rng.integers(0, 2, (count, 1))


def admissible(y0, quadrics, rng, count=2000):
    """Many points (·, d) of the zero set."""
    y = pulled(quadrics, starts(rng, y0, count), 40)
    size = 1.0 + np.sum(y * y, axis=1)
    return y[np.all(np.isfinite(y), axis=1) & (np.max(np.abs(values(quadrics, y)), axis=1) <= 1e-11 * size)]


def kkt_points(y0, quadrics, rng, count=2000):
    """All KKT points (·, d) that Newton's method finds from admissible points."""
    y = admissible(y0, quadrics, rng, count)
    found = _settled(*newton(y0, quadrics, y, 40))
    return np.array([x for x in found if regular(quadrics, x)]).reshape(-1, y0.size)


def minima(y0, quadrics, rng, count=400, descents=150):
    """Local minima (·, d): descent along the zero set, then Newton, then the projected Hessian."""
    y = admissible(y0, quadrics, rng, count)
    if not len(y):
        return y
    rate = np.full(len(y), 0.5)
    level = np.sum((y - y0) ** 2, axis=1)
    for _ in range(descents):
        new = pulled(quadrics, y - rate[:, None] * tangential(quadrics, y, y - y0)[0], 6)
        below = np.sum((new - y0) ** 2, axis=1)
        on = np.max(np.abs(values(quadrics, new)), axis=1) <= 1e-8 * (1.0 + np.sum(new * new, axis=1))
        good = (below < level) & on
        y[good], level[good] = new[good], below[good]
        rate = np.where(good, np.minimum(rate * 1.5, 1.0), rate / 3.0)
        rate = np.maximum(rate, 1e-6)
    found, mu, residual = newton(y0, quadrics, y)
    near = np.linalg.norm(found - y, axis=1) < 0.1 * (1.0 + np.linalg.norm(y, axis=1))
    found, mu, residual = found[near], mu[near], residual[near]
    ok = residual <= 1e-10 * (1.0 + np.linalg.norm(found, axis=1) ** 2)
    found, mu = found[ok], mu[ok]
    kept = [x for x, m in zip(found, mu, strict=True) if _convex(quadrics, x, m)]
    return distinct(np.array(kept).reshape(-1, y0.size))


def _convex(quadrics, y, mu):
    H = np.eye(y.size) - sum(m * S for m, (S, _, _) in zip(mu, quadrics, strict=True))
    G = np.array([S @ y + g for S, g, _ in quadrics])
    _, sigma, V = np.linalg.svd(G)
    if sigma[-1] < 1e-3:  # close to a singular point Newton's method shows nothing
        return False
    T = V[len(quadrics) :].T
    return bool(np.all(np.linalg.eigvalsh(T.T @ H @ T) > 1e-6)) if T.shape[1] else True


def _settled(y, mu, residual):
    ok = np.isfinite(residual) & (residual <= 1e-10 * (1.0 + np.sum(y * y, axis=1) + np.linalg.norm(mu, axis=1)))
    return distinct(y[ok & (np.linalg.norm(y, axis=1) < 1e6)])


def distinct(y, close=1e-6):
    """The points without repetitions."""
    kept = []
    for row in y:
        if all(np.linalg.norm(row - other) > close * (1.0 + np.linalg.norm(row)) for other in kept):
            kept.append(row)
    return np.array(kept).reshape(-1, y.shape[1])


def regular(quadrics, y):
    """Whether the gradients at y are independent, so that y is close to the zero set and not only nearly on it."""
    return bool(np.linalg.svd(slopes(quadrics, y[None])[0], compute_uv=False)[-1] > 1e-2)


def minima_of_region(y0, quadrics, rng, count):
    """Local minima by scipy's SLSQP from random starts, where the active gradients are independent.

    These quadrics have a `value`, a `slope` (half the gradient) and a `sense`.
    """
    rows = [
        {"type": "eq" if q.sense == "=" else "ineq", "fun": q.value, "jac": lambda y, q=q: 2.0 * q.slope(y)}
        for q in quadrics
    ]
    for _ in range(count):
        start = rng.normal(size=y0.size) * 2.0 + y0 * rng.integers(0, 2)
        options = {"ftol": 1e-14, "maxiter": 300}
        r = minimize(
            lambda y: 0.5 * np.sum((y - y0) ** 2),
            start,
            jac=lambda y: y - y0,
            constraints=rows,
            method="SLSQP",
            options=options,
        )
        off = max((abs(q.value(r.x)) if q.sense == "=" else -q.value(r.x)) for q in quadrics)
        active = [q.slope(r.x) for q in quadrics if abs(q.value(r.x)) < 1e-6]
        if not r.success or off > 1e-9 or (active and np.linalg.svd(active, compute_uv=False)[-1] < 1e-2):
            continue
        mu = np.linalg.lstsq(np.array(active).T, r.x - y0, rcond=None)[0] if active else np.zeros(0)
        if np.linalg.norm(r.x - y0 - (np.array(active).T @ mu if active else 0.0)) < 1e-6:
            yield r.x
