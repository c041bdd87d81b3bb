"""Motions whose rows are nearly dependent all along, against closed forms."""

import numpy as np
import pytest

import gauss as g


def ring(e, factor=1.0, tilt=0.0):
    """A point on a unit circle: on the sphere, and on the sphere plus e times the plane of the circle."""

    def sphere(q):
        return q.x**2 + q.y**2 + q.z**2 - 1.0

    return g.System(
        "ring",
        coordinates="x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        force=lambda: [0.0, 0.0, -9.81],
        constraints=[
            g.Holonomic("sphere", sphere),
            g.Holonomic("with plane", lambda q: factor * (sphere(q) + e * (q.z - tilt * q.x))),
        ],
    )


@pytest.mark.sampled(8)
@pytest.mark.parametrize("factor", [1.0, 1e-6])
@pytest.mark.parametrize("e", [1e-3, 1e-5, 1e-6, 1e-8])
def test_motion_of_rows_that_differ_by_little_is_followed_as_well_as_they_tell(e, factor):
    run = g.simulate(ring(e, factor), [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], t_end=1.0, progress="none")
    assert run.ending.kind == "finished"
    assert not run.events
    exact = np.column_stack([np.cos(2.0 * run.t), np.sin(2.0 * run.t), np.zeros(len(run))])
    # eight roundings turn the line that the rows leave by 8 eps over their angle e/2, and gravity acts along it
    turned = 8.0 * np.finfo(float).eps / (0.5 * e)
    assert np.max(np.abs(run.q - exact)) <= 1e-9 + turned * 0.5 * 9.81 * run.t[-1] ** 2


def test_what_rounding_leaves_of_nearly_dependent_rows_is_said():
    run = g.simulate(ring(1e-7, tilt=0.5), [0.0, 1.0, 0.0], [2.0, 0.0, 1.0], t_end=0.5, progress="none")
    assert run.ending.kind == "finished"
    assert "rounding leaves about" in run.ending.message


def test_rows_that_only_rounding_tells_apart_end_undecided():
    with pytest.warns(g.errors.MotionWarning, match="rounding decides"):
        run = g.simulate(ring(1e-10, tilt=0.5), [0.0, 1.0, 0.0], [2.0, 0.0, 1.0], t_end=0.5, progress="none")
    assert run.ending.kind == "undecided"


def test_recorded_accelerations_of_short_steps_are_refined():
    run = g.simulate(ring(3e-5, tilt=0.5), [0.0, 1.0, 0.0], [2.0, 0.0, 1.0], t_end=2e-3, progress="none")
    assert run.ending.kind == "finished"
    # on the plane of slope 1/2 through the centre the speed is √5 at first, and the height falls along x
    way = np.array([2.0, 0.0, 1.0]) / np.sqrt(5.0)
    down = -9.81 * way[2]
    assert abs(run.a[0] @ way - down) < 1e-6
    assert abs(run.a[0, 1] + 5.0) < 1e-6


def test_a_row_that_vanishes_on_the_way_beside_one_for_the_same_condition_is_no_crossing():
    def circle(q):
        return q.x**2 + q.y**2 - 1.0

    system = g.System(
        "circle",
        coordinates="x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        constraints=[
            g.Holonomic("times x", lambda q: 5.0 * circle(q) * (q.x - 0.5)),
            g.Holonomic("circle", circle),
        ],
    )
    run = g.simulate(system, [1.0, 0.0], [0.0, 1.0], t_end=2.0, progress="none")
    assert run.ending.kind == "finished"
    assert not run.events
    assert np.max(np.abs(run.q - np.column_stack([np.cos(run.t), np.sin(run.t)]))) < 1e-9


def wire(*rows):
    """A particle on rows of F = x − 0.3 sin z and G = y − 0.2 z."""
    return g.System(
        "wire",
        coordinates="x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        force=lambda: [1.0, 2.0, 3.0],
        constraints=[
            g.Holonomic(f"row {k}", lambda q, row=row: row(q.x - 0.3 * g.sin(q.z), q.y - 0.2 * q.z))
            for k, row in enumerate(rows)
        ],
    )


def test_a_motion_locked_beyond_order_four_is_not_followed_astray():
    start = [0.0, 0.0, 0.0], [0.3, 0.2, 1.0]
    run = g.simulate(wire(lambda F, G: F**2 + G**4), *start, t_end=0.2, progress="none")
    plain = g.simulate(wire(lambda F, G: F, lambda F, G: G), *start, t_end=0.2, progress="none")
    np.testing.assert_allclose(run.q[-1], plain.q[-1], atol=1e-12)
    with pytest.raises(g.errors.SingularPositionError, match="cannot start here"):
        g.simulate(wire(lambda F, G: F**4 + G**4), *start, t_end=0.2, progress="none")
