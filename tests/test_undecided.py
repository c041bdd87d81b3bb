"""Where rounding leaves the rank open: both readings with their accelerations, and more digits before that."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gauss as g
from gauss.uniqueness import germs

G = 9.81


def copied(e):
    """A particle on the unit sphere, given a second time with e (y − 0.2) added."""

    def sphere(q):
        return q.x**2 + q.y**2 + q.z**2 - 1

    return g.System(
        "sphere and a near copy",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        potential_energy=lambda q: G * q.z,
        constraints=[g.Holonomic("sphere", sphere), g.Holonomic("copy", lambda q: sphere(q) + e * (q.y - 0.2))],
    )


Q = np.array([0.6, 0.2, np.sqrt(0.6)])
V = 0.5 * np.array([Q[2], 0.0, -Q[0]])


def on_sphere(height=None):
    """The acceleration on the sphere alone, or with y held too: −g e_z + μ p, with p·a = −v², in closed form."""
    p = Q if height is None else Q * [1.0, 0.0, 1.0]
    free = np.array([0.0, 0.0, -G])
    return free - (p @ free + V @ V) / (p @ p) * p


@pytest.mark.long
def test_a_near_copy_is_two_rows_undecided_or_one_row_and_each_is_said():
    """Sixteen decades: y is held where the rows are two, and not where they are one; between both are listed."""
    seen = []
    for e in 10.0 ** np.arange(-16.0, 0.5, 0.25):
        found = g.classify(copied(e), Q, V)
        seen.append(found.verdict)
        if found.verdict == "regular":
            error = np.linalg.norm(found.solution.a - on_sphere(0.2))
            assert error <= max(found.error, 1e-9), e
        elif found.verdict == "redundant":
            assert found.solution.a == pytest.approx(on_sphere(), rel=1e-12)
        else:
            two, one = found.readings
            assert (found.verdict, two.verdict, one.verdict) == ("undecided", "regular", "redundant")
            assert not found.unique
            assert not found.accelerations.complete
            assert two.solution.a == pytest.approx(on_sphere(0.2), abs=1e-3)  # 1e-16 beside e
            assert one.solution.a == pytest.approx(on_sphere(), rel=1e-12)
            assert len(found.candidates) == 2
            assert "differ by 0.09" in found.sentence
    order = [word for k, word in enumerate(seen) if k == 0 or seen[k - 1] != word]
    assert order == ["redundant", "undecided", "regular"]
    assert seen.count("undecided") <= 4  # a decade


def test_where_both_readings_agree_the_acceleration_is_known():
    """Released at y = 0.2 of the sphere with a load along the normal, the copy's own demand makes no difference."""
    system = copied(10.0**-14.25)
    found = g.classify(system, np.array([0.0, 0.2, np.sqrt(0.96)]), [0.0, 0.0, 0.0])
    assert found.verdict == "undecided"
    held = g.System(
        "turned",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        force=[0.3, 0.0, 0.0],
        constraints=system.constraints,
    )
    found = g.classify(held, np.array([0.0, 0.2, np.sqrt(0.96)]))
    assert found.verdict == "undecided"
    assert found.unique
    assert found.solution.a == pytest.approx([0.3, 0.0, 0.0], abs=1e-12)
    assert g.simulate(held, [0.0, 0.2, np.sqrt(0.96)], t_end=0.01)["x"][-1] == pytest.approx(1.5e-5, rel=1e-6)
    with pytest.raises(g.errors.NonUniqueAccelerationError, match="not decided"):
        _ = g.accelerate(system, [0.0, 0.2, np.sqrt(0.96)]).solution


def test_undecided_verdicts_are_carried():
    found = g.classify(copied(10.0**-14.25), Q, V)
    again = pickle.loads(pickle.dumps(found))
    assert [x.verdict for x in again.readings] == ["regular", "redundant"]
    assert "if dependent" in str(again)


def test_more_digits_decide_before_that():
    """On one line of x y = 0, beside a particle at 1 m: 1e-13 m from the crossing the state as it is typed is on it."""
    system = g.System(
        "crossing lines and a bead",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        potential_energy=lambda q: G * q.y,
        constraints=[g.Holonomic("lines", lambda q: q.x * q.y)],
    )
    for x in 10.0 ** np.arange(-14.0, -9.0, 0.25):
        state = system.state([x, 0.0, 1.0])
        assert germs.rank_of(system, state.q, ["lines"]) == 1
        found = g.classify(system, state.q)
        assert found.verdict != "undecided"
    assert germs.rank_of(system, np.array([0.0, 0.0, 1.0]), ["lines"]) == 0
