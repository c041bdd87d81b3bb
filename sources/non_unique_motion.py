"""Printed statements of TM §2.4.1: one force, many motions."""

import gauss as g
from gauss.sources import ClosedForm, Equation, Printed

page = g.scenario.module("non_unique_motion")
system, start = page.system, page.start
equations = Printed(
    "TM §2.4.1",
    [
        Equation(
            "equation of motion",
            left=lambda a: a.r,
            right=lambda q: g.sqrt(q.r),
            number="§2.4.1 (1)",
            text="V = −(2/3)r^{3/2}, r̈ = r^{1/2}",
        ),
        ClosedForm(
            "the motion that leaves, from t = 1 s on",
            of="r",
            function=lambda t: t**4 / 144,
            number="§2.4.1 (2)",
            text="r = t⁴/(9·16)",
        ),
    ],
    system=system,
    q=[1.0 / 144.0],
    v=[4.0 / 144.0],
    t=1.0,
    t_end=3.0,
)
