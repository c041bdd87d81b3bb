"""Printed statements of TM §5.11: the flow on a torus."""

import gauss as g
from gauss.sources import Equation, Printed

page = g.scenario.module("torus_flow")
system, start = page.system, page.start
equations = [
    Printed(
        "TM §5.11",
        [
            Equation(
                "dynamical system on the torus",
                left=lambda v: [v.alpha1, v.alpha2],
                right=lambda p: [p.a, p.b],
                along=True,
                number="§5.11 (1)",
                text="α̇₁ = a, α̇₂ = b",
            ),
            Equation(
                "slope",
                left=lambda v: v.alpha2 / v.alpha1,
                right=lambda p: p.b / p.a,
                along=True,
                number="§5.11 (2)",
                text="dα₂/dα₁ = b/a",
            ),
            Equation(
                "straight lines",
                left=lambda q: q.alpha2,
                right=lambda q, p: p.b / p.a * q.alpha1,
                along=True,
                number="§5.11 (3)",
                text="α₂ = (b/a)α₁ where α₁(0) = α₂(0) = 0",
            ),
        ],
        system=system,
        q=[0.0, 0.0],
        v=start.v,
        t_end=20.0,
        parameters={"a": 1.0, "b": float(page.GOLDEN)},
    )
]
