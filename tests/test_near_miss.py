"""Near misses of singular positions, several in one window, and branches that nearly touch: what is said is true.

A family has a parameter e that moves through sixteen decades. Truths are closed forms; which side of a singular
position a motion stays on is a sign that its constraints keep.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import gauss as g
from gauss.motion import singular


def quiet(system, q, v, t_end=1.0, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", g.errors.MotionWarning)
        return g.simulate(system, q, v, t_end=t_end, progress="none", **options)


def unit_mass(v):
    return 0.5 * sum(speed**2 for speed in v)


# ------------------------------------------------------------------ a rod longer than the crank by e


def slider_crank(e):
    rod = 1.0 + e
    rows = [
        g.Holonomic("crank", lambda q: q.x**2 + q.y**2 - 1.0),
        g.Holonomic("rod", lambda q: (q.s - q.x) ** 2 + q.y**2 - rod**2),
    ]
    return g.System("slider crank", "x y s", kinetic_energy=unit_mass, constraints=rows)


def before_the_flat_place(e, side, x=-0.5, rate=1.0):
    """The crank at x with the rod on one side of it; (s − x)² = x² + 2e + e²."""
    y, p = math.sqrt(1.0 - x * x), side * math.sqrt(x * x + 2.0 * e + e * e)
    fall = -x * rate / y
    return [x, y, x + p], [rate, fall, rate - y * fall / p]


def turned(run, e, side):
    """Whether the motion kept the sign that the constraints keep: of s − x for a longer rod, of x for a shorter one."""
    x, s = run.q[-1, 0], run.q[-1, 2]
    return np.sign(s - x) == side if e > 0.0 else x < 0.0


@pytest.mark.sampled(16)
@pytest.mark.parametrize("size", [1e-18, 1e-14, 3e-14, 1e-13, 1e-10, 1e-4])
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_slider_crank_passes_turns_or_says_that_it_does_not_know(size, sign, side):
    e = sign * size
    run = quiet(slider_crank(e), *before_the_flat_place(e, side))
    kind, told = run.ending.kind, [event for event in run.events if event.kind == "singular"]
    if size <= 1e-15:  # below the rounding of its rows
        assert kind == "finished"
        assert [event.verdict for event in told] == ["crossing"]
        return
    assert not told
    if size <= 1e-14:
        assert kind == "undecided"
    elif kind != "finished":  # turned in less than a microsecond
        assert size < 1e-11
        assert kind in ("undecided", "singular")
        assert "miss" in run.ending.message or "next to one" in run.ending.message
    else:
        assert kind == "finished"
        assert turned(run, e, side)


@pytest.mark.long
@pytest.mark.parametrize(
    ("e", "x", "side"), [(3e-14, -0.55, 1.0), (3e-13, -0.47, -1.0), (-3e-14, -0.55, -1.0), (-1e-13, -0.47, 1.0)]
)
def test_no_step_leaps_over_a_turn(e, x, side):
    run = quiet(slider_crank(e), *before_the_flat_place(e, side, x, 1.2))
    assert run.ending.kind != "finished" or turned(run, e, side)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("e", [3e-15, 1e-13, -1e-11, -1e-8, 1e-8, 1e-7, -1e-5])
@pytest.mark.parametrize("step", [0.01, 0.002])
def test_fixed_steps_that_would_leap_over_a_turn_are_taken_in_parts(e, step):
    run = quiet(slider_crank(e), *before_the_flat_place(e, 1.0, -0.47, 1.2), method="rk4", step=step)
    if abs(e) < 1e-14:
        assert run.ending.kind == "undecided"
        return
    assert run.ending.kind == "finished"
    assert turned(run, e, 1.0)
    grid = np.arange(1, round(1.0 / step)) * step  # all of whose times are recorded
    assert np.max(np.min(np.abs(run.t[None] - grid[:, None]), axis=1)) < 1e-12


def test_both_readings_name_the_velocities_behind():
    """Along s = 0 and s = 2x with the same kinetic energy: (w, 0, 0) and w/√5 (1, 0, 2), with the sign of e."""
    for e, sign in ((1e-14, 1.0), (-1e-14, -1.0)):
        q, v = before_the_flat_place(e, 1.0)
        run = quiet(slider_crank(e), q, v)
        speed = math.sqrt(sum(value**2 for value in v))  # no force: the kinetic energy stays
        one, other = f"(x {speed:.6g}, y ", f"(x {sign * speed / math.sqrt(5.0):.6g}, y "
        assert one in run.ending.message
        assert other in run.ending.message
        assert f"s {sign * 2.0 * speed / math.sqrt(5.0):.6g})" in run.ending.message


# ------------------------------------------------------------------ slow passes


def braked(place):
    """Two lines that cross at `place`, and a force that brakes a motion along the first by 1 m/s²."""
    a, b = place
    row = g.Holonomic("lines", lambda q: (q.x - a) * (q.y - b))
    return g.System("lines", "x y", kinetic_energy=unit_mass, force=[-1.0, -1.0], constraints=[row])


@pytest.mark.sampled(8)
@pytest.mark.parametrize("place", [(0.0, 0.0), (0.3, -0.4)])
@pytest.mark.parametrize("speed", [1e-2, 1e-4, 1e-5, 1e-7, 3e-8, 0.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_motion_that_is_slow_at_a_crossing_passes_it_and_returns_or_says_that_it_rests(place, speed, sign):
    """It turns at speed²/2 behind the crossing, or before it with the other sign; at rest there it has two motions."""
    start = math.sqrt(1.0 + sign * speed**2)
    off = (start**2 - 1.0) / 2.0
    run = quiet(braked(place), [place[0] - 0.5, place[1]], [start, 0.0], t_end=1.3)
    assert run["x"] == pytest.approx(place[0] - 0.5 + start * run.t - run.t**2 / 2.0, abs=1e-15 + min(abs(off), 1e-9))
    if speed < 3e-5:
        assert run.ending.kind == "singular"
        assert run.t[-1] == pytest.approx(1.0, abs=1e-9)
        assert ("at a singular position, and several" in run.ending.message) == (abs(off) < 1e-15)
        return
    assert run.ending.kind == "finished"
    crossings = [start - speed, start + speed] if sign > 0.0 else []
    assert [event.t for event in run.events] == pytest.approx(crossings, abs=1e-14 / speed)
    assert [event.verdict for event in run.events] == ["crossing"] * len(crossings)


# ------------------------------------------------------------------ several crossings in one window


def crossed(places):
    def row(q):
        return q.y * math.prod([q.x - place for place in places])

    return g.System(
        "lines", "x y", kinetic_energy=unit_mass, force=[0.2, -1.0], constraints=[g.Holonomic("lines", row)]
    )


def two(d):
    rows = [g.Holonomic("one", lambda q: q.x * q.y), g.Holonomic("other", lambda q: (q.u - d) * q.w)]
    return g.System("two", "x y u w", kinetic_energy=unit_mass, force=[0.2, -1.0, 0.2, 0.3], constraints=rows)


def time_at(x):
    return (math.sqrt(1.0 + 0.4 * (x + 0.5)) - 1.0) / 0.2


@pytest.mark.long
@pytest.mark.parametrize("d", [0.3, 0.03, 3e-3, 3e-4, 3e-5, 3e-6, 3e-7])
def test_every_crossing_is_logged_in_order_with_its_time_to_rounding(d):
    families = [
        (crossed([0.0, d]), [0.0, d], ["lines"] * 2, 1),
        (crossed([0.0, -d, d]), [-d, 0.0, d], ["lines"] * 3, 1),
        (two(d), [0.0, d], ["one", "other"], 2),
    ]
    for system, places, names, bodies in families:
        run = quiet(system, [-0.5, 0.0] * bodies, [1.0, 0.0] * bodies)
        assert run.ending.kind == "finished"
        assert [event.t for event in run.events] == pytest.approx([time_at(x) for x in places], abs=4e-15)
        assert [event.verdict for event in run.events] == ["crossing"] * len(places)
        assert [event.name for event in run.events] == names
        assert run["x"] == pytest.approx(-0.5 + run.t + 0.1 * run.t**2, abs=1e-14)


@pytest.mark.parametrize("d", [1e-2, 1e-4, 1e-6])
def test_zeros_next_to_each_other_are_told_apart(d):
    assert singular.zeros(lambda x: (x - 0.3) * (x - 0.3 - d) * (x - 0.3 + 2 * d)) == pytest.approx(
        [0.3 - 2 * d, 0.3, 0.3 + d]
    )
    assert singular.zeros(lambda x: abs(x - 0.4) * (1.0 + x)) == pytest.approx([0.4], abs=1e-12)
    assert singular.zeros(lambda x: (x - 0.4) ** 2 + d) == [] or min(
        singular.zeros(lambda x: (x - 0.4) ** 2 + d)
    ) == pytest.approx(0.4)


# ------------------------------------------------------------------ branches that nearly touch


@pytest.mark.long
@pytest.mark.parametrize("d", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7])
def test_a_line_and_a_parabola_that_cut_it_twice_do_not_touch(d):
    """y (y − x (x − d)) = 0: half-way between the crossings the branches are d²/4 apart."""
    row = g.Holonomic("cut", lambda q: q.y * (q.y - q.x * (q.x - d)))
    system = g.System("cut", "x y", kinetic_energy=unit_mass, force=[0.2, -1.0], constraints=[row])
    run = quiet(system, [-0.5, 0.0], [1.0, 0.0])
    assert run.ending.kind == "finished"
    assert [event.t for event in run.events] == pytest.approx(
        [time_at(0.0), time_at(d)], abs=max(1e-12, 1e-18 / d**1.5)
    )
    assert [event.verdict for event in run.events] == ["crossing", "crossing"]


@pytest.mark.long
@pytest.mark.parametrize("d", [1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14])
def test_a_line_and_a_parabola_beside_it_do_not_touch(d):
    """y (y − x² − d) = 0: along y = 0 the row is (0, −x² − d), and as y is 0 to the last digit it vanishes nowhere."""
    row = g.Holonomic("beside", lambda q: q.y * (q.y - q.x**2 - d))
    system = g.System("beside", "x y", kinetic_energy=unit_mass, force=[0.2, -1.0], constraints=[row])
    run = quiet(system, [-0.5, 0.0], [1.0, 0.0])
    assert run.ending.kind == "finished"
    assert not run.events
    assert run["x"] == pytest.approx(-0.5 + run.t + 0.1 * run.t**2, abs=1e-12)
