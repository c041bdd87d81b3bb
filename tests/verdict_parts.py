"""Parts that the states of known verdict share: pendulum, cone, four-bar linkage, bars in a line."""

from __future__ import annotations

import numpy as np
from singular_systems import GRAVITY as G
from singular_systems import contact, holonomic, nonlinear, pfaffian

import gauss as g

sin, cos = np.sin, np.cos


def rod(x, y):
    """x² + y² − 1."""
    return x**2 + y**2 - 1.0


# A pendulum of length 1 at (0.6, −0.8) with the speed 2: r·a = −|v|² = −4 along r, gravity across it.
SWING_X, SWING_V = (0.6, -0.8), (1.6, 1.2)
SWING_A = (0.6 * (-4.0 - 0.8 * G), -G - 0.8 * (-4.0 - 0.8 * G))

ROD = holonomic("rod", lambda x: rod(x[0], x[1]))
CONE = holonomic("cone", lambda x: x[0] ** 2 + x[1] ** 2 - x[2] ** 2)
PLANES = holonomic("planes", lambda x: x[0] * x[1])
SKATE = pfaffian("skate", lambda x: [g.sin(x[2]), -g.cos(x[2]), 0.0])
LIGHT = nonlinear("light", lambda v: v[0] ** 2 + v[1] ** 2 - v[2] ** 2)
WIRE = holonomic("wire", lambda x, t: x[1] * g.cos(t) - x[0] * g.sin(t))
FLOOR = contact("floor", lambda x: x[1])

# Four-bar parallelogram: anchors (0, 0) and (2, 0), cranks 1, coupler 2; x = (x1, y1, x2, y2), flat at (1, 0, 3, 0).
FOUR_BAR = (
    holonomic("left", lambda x: rod(x[0], x[1])),
    holonomic("right", lambda x: rod(x[2] - 2.0, x[3])),
    holonomic("coupler", lambda x: (x[2] - x[0]) ** 2 + (x[3] - x[1]) ** 2 - 4.0),
)
FOUR_BAR_WHY = (
    "The rows at the flat position are (2,0,0,0), (0,0,2,0), (−4,0,4,0); 2·left − 2·right + coupler vanishes. On"
    " vertical displacements its form is F = 6y1² − 4y1y2 − 2y2² = 2(3y1 + y2)(y1 − y2)."
)

# Three bars of length 1 between anchors (0, 0) and (3, 0): no slack, P1 = (1, 0), P2 = (2, 0).
BARS = (
    holonomic("left", lambda x: rod(x[0], x[1])),
    holonomic("middle", lambda x: rod(x[2] - x[0], x[3] - x[1])),
    holonomic("right", lambda x: rod(x[2] - 3.0, x[3])),
)


def crank(d):
    """A rod of length 1 from (d, 0) to the point at distance d along a platform at (x, y, φ)."""
    return lambda x: (x[0] + d * g.cos(x[2]) - d) ** 2 + (x[1] + d * g.sin(x[2])) ** 2 - 1.0


def leg(u, w):
    """The height of a table's foot at (u, w)."""
    return lambda x: x[0] + u * x[1] + w * x[2]
