"""Rows that noise tells apart and size does not: crossings that the state misses, near copies, other words.

Eight skew coordinates x; x₀x₁ = 0 and x₂(x₃ + x₂²) = 0 cross where the motion passes, x₄ = 0 stands there up to three
times: by itself, with a small share of another row, and times a function. The truth is the saddle problem of x₁, x₃, x₄
and that other row, at the state without what it misses.
"""

import numpy as np
import pytest

import gauss as g

NAMES = "abcdefgh"


def case(rng, share, off):
    """The system, a state of it that is off by `off`, and the acceleration with its mass matrix, all in skew axes."""
    n, eye = len(NAMES), np.eye(len(NAMES))
    base, unit, there = np.linalg.qr(rng.normal(size=(n, n)))[0], 10.0 ** rng.uniform(-3, 3), 0.5 * rng.normal()
    masses, force, factors = 10.0 ** rng.uniform(-1, 1, n), 5.0 * rng.normal(size=n), 10.0 ** rng.uniform(-4, 4, 5)

    def skew(q):
        return [sum(float(row[j]) * q[j] / unit for j in range(n)) for row in base]

    forms = [
        lambda x: x[0] * x[1],
        lambda x: x[2] * (x[3] + x[2] ** 2),
        lambda x: x[4],
        lambda x: x[4] - share * (x[5] + x[5] ** 2 + x[6]),
        lambda x: x[4] * (2 + g.sin(x[7])),
    ]
    used = [k for k in rng.permutation(5) if k == 2 or rng.random() < 0.75]
    system = g.System(
        "skew",
        " ".join(NAMES),
        kinetic_energy=lambda v: 0.5 * sum(m * x**2 for m, x in zip(masses, v, strict=True)),
        force=[float(x) for x in base.T @ force * unit],
        constraints=[g.Holonomic(f"row {k}", lambda q, k=k: float(factors[k]) * forms[k](skew(q))) for k in used],
    )
    v, place = np.zeros(n), np.zeros(n)
    v[[0, 2, 5, 7]] = rng.uniform(0.3, 1.5, 4) * rng.choice([-1.0, 1.0], 4)
    v[6], place[5:] = -(1 + 2 * there) * v[5], (there, -there - there**2, rng.normal())
    truth = {0: (eye[1], 0.0), 1: (eye[3], -2 * v[2] ** 2), 2: (eye[4], 0.0)}
    truth[3] = (eye[6] + (1 + 2 * there) * eye[5], -2.0 * v[5] ** 2)
    rows, right = (np.array(x) for x in zip(*(truth[k] for k in used if k in truth), strict=True))
    M = base @ np.diag(masses) @ base.T
    saddle = np.block([[M, rows.T], [rows, np.zeros((len(rows), len(rows)))]])
    a = np.linalg.solve(saddle, np.concatenate([force, right]))[:n]
    state = base.T @ (place + off * rng.normal(size=n)) * unit, base.T @ v * unit
    return system, state, (base, unit, M, a)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(24))
def test_rows_that_noise_tells_apart_have_the_acceleration_of_their_truth_or_none_is_claimed(seed):
    rng = np.random.default_rng([seed, 11])
    decided = 0
    for _ in range(6):
        system, state, (base, unit, M, a) = case(rng, 10.0 ** rng.uniform(-14, -3), 10.0 ** rng.uniform(-16, -9))
        found = g.classify(system, *state)
        assert found.accelerations.status in ("one", "undecided")
        if found.unique:
            missed = base @ found.a / unit - a
            assert np.sqrt(missed @ M @ missed) <= found.error / unit + 1e-9 * np.sqrt(a @ M @ a)
            decided += 1
    assert decided


@pytest.mark.parametrize("seed", range(6))
def test_rows_that_are_well_apart_are_decided(seed):
    rng = np.random.default_rng([seed, 12])
    system, state, (base, unit, M, a) = case(rng, 1e-6, 1e-13)
    found = g.classify(system, *state)
    missed = base @ found.a / unit - a
    assert found.unique
    assert "crossing" in found.verdicts or len(system.row_names) == 1
    assert np.sqrt(missed @ M @ missed) <= min(found.error / unit, 1e-3 * np.sqrt(a @ M @ a))
