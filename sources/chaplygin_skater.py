"""Printed statements of TM §8.2.1, §8.4.1 and §9.1.1: Chaplygin's skater on a slope."""

import gauss as g
from gauss.sources import ClosedForm, ConstraintMatrix, ControlFields, Equation, Lagrangian, Printed

page = g.scenario.module("chaplygin_skater")
system, start = page.system, page.start
equations = Printed(
    "TM §8.2.1, §8.4.1, §9.1.1",
    [
        ConstraintMatrix(
            "Pfaffian matrix",
            matrix=lambda q: [[g.sin(q.phi), -g.cos(q.phi), 0.0]],
            number="§8.2.1 (1)",
            text="A = [sin φ, −cos φ, 0]",
        ),
        ControlFields(
            "control fields",
            matrix=lambda q: [[g.cos(q.phi), 0.0], [g.sin(q.phi), 0.0], [0.0, 1.0]],
            number="§8.2.1 (2), §9.1.1",
            text="G = [cos φ, 0; sin φ, 0; 0, 1]",
        ),
        Lagrangian(
            "Lagrangian",
            function=lambda q, v: (v.x**2 + v.y**2 + v.phi**2) / 2 + q.x,
            number="§9.1.1 (1)",
            text="L = ½(ẋ² + ẏ² + φ̇²) + x",
        ),
        Equation(
            "Lagrange's equations with the multiplier",
            left=lambda a: [a.x - 1, a.y, a.phi],
            right=lambda q, l: [l[0] * g.sin(q.phi), -l[0] * g.cos(q.phi), 0.0],
            number="(9.4)",
            text="ẍ − 1 = λ sin φ, ÿ = −λ cos φ, φ̈ = 0",
        ),
        Equation(
            "associated control system",
            left=lambda v: [v.x, v.y, v.phi],
            right=lambda q: [q.eta_1 * g.cos(q.phi), q.eta_1 * g.sin(q.phi), q.eta_2],
            number="(9.5)",
            text="ẋ = η₁ cos φ, ẏ = η₁ sin φ, φ̇ = η₂",
        ),
        Equation(
            "without the multiplier",
            left=lambda q, v, a: a.x * g.cos(q.phi) - v.x * g.sin(q.phi) + a.y * g.sin(q.phi),
            correct=lambda q, a: a.x * g.cos(q.phi) - g.cos(q.phi) + a.y * g.sin(q.phi),
            number="(9.6)",
            text="ẍ cos φ − ẋ sin φ + ÿ sin φ = 0",
            remark="(ẍ − 1) cos φ gives −cos φ in place of −ẋ sin φ",
        ),
        Equation(
            "accelerations",
            left=lambda a: [a.x, a.y],
            right=lambda q, v: [
                v.eta_1 * g.cos(q.phi) - q.eta_1 * v.phi * g.sin(q.phi),
                v.eta_1 * g.sin(q.phi) + q.eta_1 * v.phi * g.cos(q.phi),
            ],
            number="§9.1.1 (2)",
            text="ẍ = η̇₁ cos φ − η₁φ̇ sin φ, ÿ = η̇₁ sin φ + η₁φ̇ cos φ",
        ),
        Equation(
            "equations of motion",
            left=lambda v: [v.eta_1, v.eta_2],
            right=lambda q: [g.cos(q.phi), 0.0],
            number="§9.1.1 (3)",
            text="η̇₁ = cos φ, η̇₂ = 0",
        ),
        ClosedForm("heading", of="phi", function=lambda t, p: p.w * t, number="§9.1.1 (4)", text="φ = ωt"),
        ClosedForm(
            "speed", of="eta_1", function=lambda t, p: g.sin(p.w * t) / p.w, number="§9.1.1 (5)", text="η₁ = sin ωt/ω"
        ),
        Equation(
            "velocities along the motion",
            left=lambda v: [v.x, v.y],
            right=lambda t, p: [g.sin(2 * p.w * t) / (2 * p.w), (1 - g.cos(2 * p.w * t)) / (2 * p.w)],
            along=True,
            number="§9.1.1 (6)",
            text="ẋ = sin 2ωt/2ω, ẏ = (1 − cos 2ωt)/2ω",
        ),
        ClosedForm(
            "x",
            of="x",
            function=lambda t, p: (1 - g.cos(2 * p.w * t)) / (4 * p.w**2),
            number="§9.1.1 (7)",
            text="x = (1 − cos 2ωt)/4ω²",
        ),
        ClosedForm(
            "y",
            of="y",
            function=lambda t, p: (2 * p.w * t - g.sin(2 * p.w * t)) / (4 * p.w**2),
            number="§9.1.1 (8)",
            text="y = (2ωt − sin 2ωt)/4ω²",
        ),
    ],
    t_end=3.0,
    quantities={
        "eta_1": lambda q, v: v.x * g.cos(q.phi) + v.y * g.sin(q.phi),
        "eta_2": lambda v: v.phi,
    },
    parameters={"w": page.OMEGA},
)
