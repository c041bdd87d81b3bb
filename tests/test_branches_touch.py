"""Branches that touch: each is a motion of its own, on its own curve, with the label of that curve.

A particle of 1 kg on y = f(x) under the force (X, −g) moves by the equation in x alone

    (1 + f'²) ẍ = X − g f' − f' f'' ẋ²,

which scipy integrates without a constraint and without knowing of any other branch.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gauss as g

G, X = 9.81, 3.0
WINDOW = 1e-9  # relative error of the acceleration with which a window leaves the singular position


def particle(*rows, push=X, gravity=G, names="x y"):
    return g.System(
        "particle",
        names,
        kinetic_energy=lambda v: 0.5 * sum(speed**2 for speed in v),
        force=lambda: [push, -gravity, *[0.0] * (len(names.split()) - 2)],
        constraints=[g.Holonomic(f"row {k}", row) for k, row in enumerate(rows)],
    )


def on_curve(f, x0, v0, times, push=X, gravity=G):
    """x and y at the times on y = f(x); f gives the value and two derivatives."""

    def rate(t, s):
        _, once, twice = f(s[0])
        return [s[1], (push - gravity * once - once * twice * s[1] ** 2) / (1 + once**2)]

    found = solve_ivp(rate, (times[0], times[-1]), [x0, v0], method="DOP853", rtol=1e-13, atol=1e-15, t_eval=times)
    assert found.success
    return np.array([found.y[0], [f(x)[0] for x in found.y[0]]]).T


def power(c, n):
    return lambda x: (c * x**n, c * n * x ** (n - 1), c * n * (n - 1) * x ** (n - 2))


def circle(sign):
    return lambda x: (
        sign * (1 - np.sqrt(1 - x * x)),
        sign * x / np.sqrt(1 - x * x),
        sign / np.sqrt(1 - x * x) ** 3,
    )


def half(sign):
    """y = x² ± x^(5/2) for x ≥ 0."""

    def f(x):
        root = np.sqrt(max(x, 0.0))
        return x**2 + sign * root**5, 2 * x + sign * 2.5 * root**3, 2 + sign * 3.75 * root

    return f


LINE = power(0.0, 2)
FAMILIES = {
    **{f"y(y - x^{n})": ((lambda q, n=n: q.y * (q.y - q.x**n)), [LINE, power(1.0, n)]) for n in range(2, 9)},
    "cusp-like": (lambda q: (q.y - q.x**2) ** 2 - q.x**5, [half(1), half(-1)]),
    "circles": (
        lambda q: (q.x**2 + (q.y - 1) ** 2 - 1) * (q.x**2 + (q.y + 1) ** 2 - 1),
        [circle(1), circle(-1)],
    ),
    "xy(y - x^2)": (lambda q: q.x * q.y * (q.y - q.x**2), [LINE, power(1.0, 2)]),
    "three": (lambda q: q.y * (q.y - 2 * q.x**3) * (q.y - 2 * q.x**3 - q.x**4), None),
}
FAMILIES["three"] = (
    FAMILIES["three"][0],
    [LINE, power(2.0, 3), lambda x: tuple(a + b for a, b in zip(power(2.0, 3)(x), power(1.0, 4)(x), strict=True))],
)


def distances(run, curves, x0, v0):
    """The largest distance of a run from the motion on each curve."""
    return [float(np.max(np.abs(run.q - on_curve(f, x0, v0, run.t)))) for f in curves]


@pytest.mark.parametrize(
    ("name", "v0"),
    [(name, 1.0) for name in FAMILIES] + [(name, 0.0) for name in ("y(y - x^3)", "y(y - x^8)", "cusp-like", "circles")],
)
def test_each_branch_that_touches_is_the_motion_on_its_own_curve(name, v0):
    """From the touching point with speed along the tangent, and from rest by a push along it."""
    row, curves = FAMILIES[name]
    tree = g.simulate(particle(row), [0, 0], [v0, 0], t_end=0.4, branches="all")
    along = [b for b in tree if abs(b.a[0]) > 0.1]  # x = 0 is a branch of its own
    errors = np.array([distances(b.run, curves, 0.0, v0) for b in along])
    assert errors.shape == (len(curves), len(curves))
    assert sorted(np.argmin(errors, axis=1)) == list(range(len(curves)))
    for b, row_of_errors in zip(along, errors, strict=True):
        assert b.run.ending.kind == "finished"
        assert np.sort(row_of_errors)[0] <= 10 * WINDOW
        assert np.sort(row_of_errors)[1] > 1e3 * WINDOW  # the others are other motions
    assert len({b.name for b in tree}) == len(tree)
