"""What orders up to 4 call locked or redundant, in rotated and sheared coordinates, with branches that are known.

Rows are made of u and w, which are linear in the coordinates x, y; in a third coordinate z = u² + w + z' a regular row
stands beside. The branches, and with them what is true at rest under a force, follow from the construction.
"""

from __future__ import annotations

import numpy as np
import pytest

import gauss as g

KINDS = {  # rows of u and w; the branches (exponent of w = c u^n each), or None for an isolated point
    "two": (lambda u, w: w * (w - u**3), 2),
    "three": (lambda u, w: (w - u**2) * (w - u**2 - u**4) * (w - u**2 + 2 * u**5), 3),
    "graph beside a point": (lambda u, w: (w - u**3) * (w**2 + u**4), 1),
    "squares": (lambda u, w: u**2 + w**6, 0),
    "shifted squares": (lambda u, w: (w - u**2) ** 2 + u**8, 0),
    "fourth": (lambda u, w: (w - u**3) ** 2 + u**4 * (w + u) ** 2, 0),
    "cube": (lambda u, w: (w - u**2) ** 3, 1),
    "square": (lambda u, w: (w - u**3) ** 2, 1),
}


def planted(kind, seed):
    """A system with the row in general coordinates, a push along the common tangent, and the tangent (n,)."""
    rng = np.random.default_rng(seed)
    A = np.round(rng.uniform(-1.0, 1.0, (2, 2)) * 8.0) / 8.0 + 2.0 * np.eye(2)
    row, _ = KINDS[kind]
    beside = seed % 2 == 1

    def uw(q):
        return A[0, 0] * q.x + A[0, 1] * q.y, A[1, 0] * q.x + A[1, 1] * q.y

    def planted_row(q):
        u, w = uw(q)
        second = q.z - u**2 - w if beside else 0.0
        return row(u, w) + (0.5 + q.x) * second

    constraints = [g.Holonomic("planted", planted_row)]
    if beside:
        constraints.append(g.Holonomic("beside", lambda q: q.z - uw(q)[0] ** 2 - uw(q)[1]))
    tangent = np.linalg.solve(A, [1.0, 0.0])
    tangent = np.append(tangent, 0.0) if beside else tangent
    force = rng.normal(size=3 if beside else 2)
    system = g.System(
        kind,
        "x y z" if beside else "x y",
        kinetic_energy=lambda v: 0.5 * sum(speed**2 for speed in v),
        force=lambda: list(force),
        constraints=constraints,
    )
    return system, tangent / np.linalg.norm(tangent), force


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_from_rest_the_acceleration_is_along_the_common_tangent_or_zero(kind, seed):
    system, tangent, force = planted(kind, seed)
    found = g.classify(system, np.zeros(system.n))
    count = KINDS[kind][1]
    if found.verdict == "higher order":  # open, and said to be
        assert not found.unique
        assert kind in ("fourth", "three")
        return
    truth = tangent * (tangent @ force) if count else np.zeros(system.n)
    assert found.unique
    assert found.candidates[0].a == pytest.approx(truth, abs=1e-9)
    if count > 1:
        assert found.verdict == "branching"
        assert found.motion_unique is False
        assert f"{count} branches" in found.sentence
    else:
        assert found.verdict in ("locked", "redundant")
        assert found.motion_unique is True


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("kind", ["two", "three", "graph beside a point"])
def test_with_speed_each_branch_has_its_own_curvature(kind, seed):
    """In u and w: ẅ = w''(0) u̇² on each branch, and the Zwang is least over what is left."""
    system, tangent, force = planted(kind, seed)
    found = g.classify(system, np.zeros(system.n), 2.0 * tangent)
    if kind == "three":  # w = u² on all of them, to second order
        assert found.verdict in ("branching", "higher order")
    elif found.verdict != "higher order":
        assert found.unique
        assert found.motion_unique is (kind != "two")
    if found.unique and kind != "three" and system.n == 2:
        assert found.candidates[0].a == pytest.approx(tangent * (tangent @ force), abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("c", [0.6, 0.28])
@pytest.mark.parametrize(
    ("powers", "dead", "e", "branches"),
    [(({2: -0.7}, {2: -0.7, 5: 0.88}), 1, 5, 1), (({2: 0.67}, {2: 0.67, 3: -0.68}, {2: 0.67, 1: -0.37}), 1, 4, 2)],
)
def test_a_branch_that_leaves_the_second_row_late_is_told_from_the_one_beside_it(c, powers, dead, e, branches):
    """Rows are products over curves w = f(u); in the second of them the factor of one curve has 0.7 uᵉ besides."""
    s = np.sqrt(1.0 - c * c)

    def row(left):
        def value(q):
            u, w = -c * q.x - s * q.y, s * q.x - c * q.y
            found = 1.0
            for k, own in enumerate(powers):
                factor = (1.25 + 0.5 * k) * (w - sum(a * u**p for p, a in own.items()))
                found = found * (factor + 0.7 * u**e if k == left else factor)
            return found

        return value

    system = g.System(
        "curves",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        force=lambda: [1.0, 0.5],
        constraints=[g.Holonomic("one", row(None)), g.Holonomic("other", row(dead))],
    )
    found = g.classify(system, [0, 0])
    assert found.motion_unique is (branches == 1)
    assert len(found.candidates) == branches
