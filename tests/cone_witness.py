"""Friction in space without the package: the law checked in plain numbers, and two other ways to solve it."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from gauss.contact import ContactProblem, Resistance


def random_problem(rng, k, *, independent=False, sliding=0.0, rough=1.0, loose=False, resisted=False):
    """A random problem with k contacts; `independent` gives more accelerations than contact forces."""
    n = 3 * k + 3 if independent else int(rng.integers(3, 3 * k + 3))
    A = rng.standard_normal((n, n))
    mu = rng.uniform(0.0, rough, k)
    slip = rng.standard_normal((k, 2)) * (rng.random(k) < sliding)[:, None]
    blocks = []
    if resisted:
        blocks = [
            Resistance.of(0, rng.standard_normal((2, n)), rng.standard_normal(2), 0.3 * rough, [0, 0]),
            Resistance.of(k - 1, rng.standard_normal(n), [0.1], 0.2 * rough, [0.0], kind="spinning"),
        ]
    return ContactProblem.of(
        A @ A.T + 0.3 * np.eye(n),
        3.0 * rng.standard_normal(n),
        rng.standard_normal((k, n)),
        0.5 * rng.standard_normal(k),
        rng.standard_normal((k, 2, n)),
        0.3 * rng.standard_normal((k, 2)),
        mu,
        slip,
        static=mu + rng.uniform(0.0, 0.5, k) if loose else mu,
        resistances=blocks,
    )


def violation(p, s):
    """Largest violation of the law by a ContactSolution in the user's units.

    Forces are relative to the largest force or M a, rates to the largest acceleration (of the order of one here).
    """
    bilateral, pressing, friction = s.bilateral[0], s.normal[0], s.tangential[0]
    total = p.f + p.J.T @ bilateral + p.N.T @ pressing + np.einsum("kin,ki->n", p.T, friction)
    for block, m in zip(p.resistances, s.moments, strict=True):
        total = total + block.rows.T @ m
    pace = max(1.0, np.max(np.abs(s.a)))
    size = max(np.max(np.abs(p.M)) * pace, np.max(np.abs(pressing), initial=0.0))
    gap, normal = (p.N @ s.a - p.nu) / pace, pressing / size
    found = [np.max(np.abs(p.M @ s.a - total)) / size, np.max(np.abs(p.J @ s.a - p.gamma), initial=0.0) / pace]
    found += [np.max(x, initial=0.0) for x in (-gap, -normal, np.minimum(np.abs(gap), np.abs(normal)))]
    laws = [(p.slip[i], p.T[i] @ s.a - p.tau[i], friction[i], normal[i], p.kinetic[i], p.static[i]) for i in range(p.k)]
    for block, m in zip(p.resistances, s.moments, strict=True):
        rate = block.rows @ s.a - block.right
        laws.append((block.velocity, rate, m, normal[block.contact], block.kinetic, block.static))
    for now, change, force, load, kinetic, static in laws:
        rate, t = change / pace, force / size
        speed = np.linalg.norm(rate)
        found.append((np.linalg.norm(t) - static * load) / max(1.0, static))  # never outside the cone
        if np.any(now):
            found.append(np.linalg.norm(t + kinetic * load * now / np.linalg.norm(now)))
        elif speed > 1e-8:
            found += [np.linalg.norm(t + kinetic * load * rate / speed), t @ rate]
        else:
            found.append(min(speed, np.linalg.norm(t + kinetic * load * rate / max(speed, 1e-300))))
    return max(found)


def projected(p, passes=40_000):
    """The acceleration by nonsmooth projection on contact forces: no program, no metric of this package.

    r ← P_K(r − ρ (W r + q + μ|s| e_n)), W from M⁻¹, ρ below 1/λ_max(W); for contacts at rest without J and moments.
    """
    H = np.concatenate([np.vstack([p.N[i], p.T[i]]) for i in range(p.k)])
    inverse = np.linalg.inv(p.M)
    W = H @ inverse @ H.T
    q = H @ inverse @ p.f - np.concatenate([[p.nu[i], *p.tau[i]] for i in range(p.k)])
    step, r, mu = 1.0 / np.linalg.eigvalsh(W)[-1], np.zeros(3 * p.k), p.kinetic
    for _ in range(passes):
        u = (W @ r + q).reshape(-1, 3)
        u[:, 0] += mu * np.hypot(u[:, 1], u[:, 2])
        x = r.reshape(-1, 3) - step * u
        normal, size = x[:, 0], np.hypot(x[:, 1], x[:, 2])
        inside, below = size <= mu * normal, mu * size <= -normal
        share = np.where(inside, normal, np.where(below, 0.0, (normal + mu * size) / (1.0 + mu**2)))
        shrink = np.where(inside, 1.0, mu * share / np.maximum(size, 1e-300))
        new = np.stack([share, shrink * x[:, 1], shrink * x[:, 2]], axis=1).ravel()
        if np.max(np.abs(new - r)) < 1e-15 * max(1.0, np.max(np.abs(new))):
            break
        r = new
    return inverse @ (p.f + H.T @ r)


def scanned(p, angles=2000):
    """All accelerations of one contact at rest: separation, sticking, and slipping by a scan over its direction."""
    H = np.vstack([p.N[0], p.T[0]])
    inverse = np.linalg.inv(p.M)
    W = H @ inverse @ H.T
    q = H @ inverse @ p.f - np.array([p.nu[0], *p.tau[0]])
    mu, found = p.kinetic[0], []
    if q[0] >= 0.0:
        found.append(np.zeros(3))
    rest = -np.linalg.solve(W, q)
    if rest[0] >= 0.0 and np.hypot(*rest[1:]) <= p.static[0] * rest[0]:
        found.append(rest)

    def force(angle):
        ray = np.array([1.0, -mu * np.cos(angle), -mu * np.sin(angle)])
        return ray * (-q[0] / ((W[0] @ ray) or 1e-300))  # the pole itself is no solution

    def across(angle):
        s = (W @ force(angle) + q)[1:]
        return s[1] * np.cos(angle) - s[0] * np.sin(angle)

    grid = np.linspace(0.0, 2.0 * np.pi, angles + 1)
    values = [across(angle) for angle in grid]
    for a, b, x, y in zip(grid[:-1], grid[1:], values[:-1], values[1:], strict=True):
        if x * y < 0.0:
            angle = brentq(across, a, b, xtol=1e-14)
            r = force(angle)
            u = W @ r + q
            if r[0] > 0.0 and abs(across(angle)) < 1e-6 * (1.0 + np.max(np.abs(u))) and u[1:] @ r[1:] <= 0.0:
                found.append(r)
    return [inverse @ (p.f + H.T @ r) for r in found]
