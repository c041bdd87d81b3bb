"""Printed statements of C, (13) and what follows it: a force off the axis at the apex of a cone."""

import gauss as g
from gauss.sources import Equation, Printed

page = g.scenario.module("cone_force_off_axis")
system, start = page.system, page.start


def printed_foot(q, side):
    """Foot (3,) of the perpendicular from the force (X, Y, Z) on the line of the cone with z of this sign."""
    rho = g.sqrt(q.X**2 + q.Y**2)
    along = (rho + side * q.Z) / 2
    return [along * q.X / rho, along * q.Y / rho, along * side]


def across(q, side):
    """The foot less the force, times a vector along the cone's normal, (3,)."""
    x, y, z = printed_foot(q, side)
    off, normal = [x - q.X, y - q.Y, z - q.Z], [x, y, -z]
    return [
        off[1] * normal[2] - off[2] * normal[1],
        off[2] * normal[0] - off[0] * normal[2],
        off[0] * normal[1] - off[1] * normal[0],
    ]


def curvature(q, side):
    """Second derivative of Z along the circle of the cone through a foot."""
    rho = g.sqrt(q.X**2 + q.Y**2)
    return (rho + side * q.Z) * rho


equations = Printed(
    "C",
    [
        Equation(
            "both feet lie on the cone, in the plane through the axis and the force",
            left=lambda q: [
                x
                for side in (1, -1)
                for (a, b, c) in (printed_foot(q, side),)
                for x in (a**2 + b**2 - c**2, a * q.Y - b * q.X)
            ],
            number="after (13) (1)",
            text="the two solutions lie on the lines in which the plane through the axis and the force cuts the cone",
        ),
        Equation(
            "Z is stationary at both feet",
            left=lambda q: [*across(q, 1), *across(q, -1)],
            number="after (13) (2)",
            text="minimum of Z = (ẍ − X)² + (ÿ − Y)² + (z̈ − Z)² under (13): two solutions",
        ),
        Equation(
            "Z is least there, among its neighbours",
            left=lambda q: [g.fabs(curvature(q, 1)), g.fabs(curvature(q, -1))],
            right=lambda q: [curvature(q, 1), curvature(q, -1)],
            correct=(
                lambda q: g.fabs(curvature(q, g.sign(q.Z))),
                lambda q: curvature(q, g.sign(q.Z)),
            ),
            number="after (13) (3)",
            text="the minimum of Z under (13) has two solutions: read as “both are minima”",
            remark="the foot on the side of the force always is; the other one only if |Z| < √(X² + Y²), else a saddle"
            " (the source says only that two solutions are obtained)",
        ),
    ],
    ranges={"X": (-3.0, 3.0), "Y": (-3.0, 3.0), "Z": (-6.0, 6.0)},
)
