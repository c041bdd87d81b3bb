"""Maps of verdicts: over a grid of positions, and along a motion."""

from __future__ import annotations

import numpy as np
import pytest

import gauss as g
from gauss.analysis import UNREACHED, atlas_along, atlas_over

slider_crank = g.System(
    "slider-crank with equal links",
    coordinates="x y s",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.s**2),
    constraints=[
        g.Holonomic("crank", lambda q: q.x**2 + q.y**2 - 1.0),
        g.Holonomic("rod", lambda q: (q.s - q.x) ** 2 + q.y**2 - 1.0),
    ],
)


def at(angle):
    return [np.cos(angle), np.sin(angle), 2.0 * np.cos(angle)]


def test_a_grid_marks_regular_singular_and_impossible_positions():
    """On the branch s = 2x the rows depend on each other where the slider stands on the pivot: x = 0, |y| = 1."""
    atlas = atlas_over(slider_crank, at(1.0), {"x": (-1.5, 1.5, 13)})
    x = atlas.values[0]
    outside = np.abs(x) > 1.0
    assert list(atlas.verdicts[outside]) == [UNREACHED] * int(outside.sum())
    assert np.all(np.isnan(atlas.sigma_min[outside]))
    assert np.all(np.isfinite(atlas.sigma_min[~outside]))
    assert atlas.verdicts[x == 0.5] == "regular"


def test_two_coordinates_make_a_map_in_the_order_of_its_axes():
    surface = g.System(
        "cone",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        constraints=[g.Holonomic("cone", lambda q: q.x**2 + q.y**2 - q.z**2)],
    )
    atlas = atlas_over(surface, [1.0, 0.0, 1.0], {"x": (-1.0, 1.0, 4), "y": (-1.0, 1.0, 6)})
    assert atlas.verdicts.shape == atlas.sigma_min.shape == (4, 6)
    assert atlas.count("regular") == 24
    assert "24 regular" in str(atlas)


def test_an_atlas_along_a_motion_has_one_verdict_for_each_state():
    run = g.simulate(slider_crank, at(0.4), [-np.sin(0.4), np.cos(0.4), -2.0 * np.sin(0.4)], t_end=0.5)
    atlas = atlas_along(run)
    assert atlas.axes == ("t",)
    assert atlas.verdicts.size == len(run)
    assert set(atlas.verdicts) == {"regular"}


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ({}, "one or two coordinates"),
        ({"w": (0, 1, 3)}, "no coordinate 'w'"),
        ({"x": (0, 1)}, "must be"),
        ({"x": (1, 0, 3)}, "start must be smaller"),
        ({"x": (0, 1, 1)}, "at least 2"),
        ({"x": (0, 1, 3000), "y": (0, 1, 3000)}, "more than"),
    ],
)
def test_ranges_that_cannot_be_scanned_are_refused(ranges, words):
    with pytest.raises(g.errors.GaussError, match=words):
        atlas_over(slider_crank, at(1.0), ranges)
