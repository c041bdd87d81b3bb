"""Printed statements of TM §8.2.2 and §9.1.2: the vertical wheel that rolls on a plane."""

import gauss as g
from gauss.sources import ClosedForm, ConstraintMatrix, ControlFields, Equation, Integral, Lagrangian, Printed

page = g.scenario.module("rolling_wheel")
system, start = page.system, page.start
equations = Printed(
    "TM §8.2.2, §9.1.2",
    [
        ConstraintMatrix(
            "Pfaffian matrix",
            matrix=lambda q, p: [
                [g.sin(q.alpha), -g.cos(q.alpha), 0.0, 0.0],
                [g.cos(q.alpha), g.sin(q.alpha), 0.0, -p.r],
            ],
            number="§8.2.2 (1), §9.1.2",
            text="A = [sin α, −cos α, 0, 0; cos α, sin α, 0, −r]",
        ),
        ControlFields(
            "control fields",
            matrix=lambda q, p: [[p.r * g.cos(q.alpha), 0.0], [p.r * g.sin(q.alpha), 0.0], [0.0, 1.0], [1.0, 0.0]],
            number="§8.2.2 (2), §9.1.2",
            text="G = [r cos α, 0; r sin α, 0; 0, 1; 1, 0]",
        ),
        Equation(
            "speed of the point of contact",
            left=lambda q, v, p: [p.r * v.beta, v.x, v.y],
            right=lambda q, v: [
                v.x * g.cos(q.alpha) + v.y * g.sin(q.alpha),
                q.s * g.cos(q.alpha),
                q.s * g.sin(q.alpha),
            ],
            number="§8.2.2 (3)",
            text="v = rθ̇ = ẋ cos φ + ẏ sin φ, ẋ = v cos φ, ẏ = v sin φ",
        ),
        Lagrangian(
            "Lagrangian",
            function=lambda v, p: (
                p.m * (v.x**2 + v.y**2) / 2 + p.m * p.r**2 / 4 * v.beta**2 + p.m * p.r**2 / 8 * v.alpha**2
            ),
            number="§9.1.2 (1)",
            text="L = ½m(ẋ² + ẏ²) + ½I₂β̇² + ½I₃α̇², I₂ = ½mr², I₃ = ¼mr²",
        ),
        Equation(
            "Lagrange's equations with multipliers",
            left=lambda a, p: [p.m * a.x, p.m * a.y, p.m * p.r**2 / 4 * a.alpha, p.m * p.r**2 / 2 * a.beta],
            right=lambda q, l, p: [
                l[0] * g.sin(q.alpha) + l[1] * g.cos(q.alpha),
                -l[0] * g.cos(q.alpha) + l[1] * g.sin(q.alpha),
                0.0,
                -l[1] * p.r,
            ],
            number="§9.1.2 (2)",
            text="mẍ = λ₁ sin α + λ₂ cos α, mÿ = −λ₁ cos α + λ₂ sin α, I₃α̈ = 0, I₂β̈ = −λ₂r",
        ),
        Equation(
            "without multipliers",
            left=lambda q, a, p: [
                p.m * p.r * a.x * g.cos(q.alpha) + p.m * p.r * a.y * g.sin(q.alpha) + p.m * p.r**2 / 2 * a.beta,
                p.m * p.r**2 / 4 * a.alpha,
            ],
            number="(9.7)",
            text="mrẍ cos α + mrÿ sin α + I₂β̈ = 0, I₃α̈ = 0",
        ),
        Equation(
            "accelerations",
            left=lambda a: [a.x, a.y, a.beta],
            right=lambda q, v, p: [
                v.eta_1 * p.r * g.cos(q.alpha) - q.eta_1 * p.r * v.alpha * g.sin(q.alpha),
                v.eta_1 * p.r * g.sin(q.alpha) + q.eta_1 * p.r * v.alpha * g.cos(q.alpha),
                v.eta_1,
            ],
            number="§9.1.2 (3)",
            text="ẍ = η̇₁r cos α − η₁rα̇ sin α, ÿ = η̇₁r sin α + η₁rα̇ cos α, β̈ = η̇₁",
        ),
        Integral("η₁ is constant", function=lambda q: q.eta_1, number="§9.1.2 (4)", text="(mr² + I₂)η̇₁ = 0"),
        Integral("α̇ is constant", function=lambda v: v.alpha, number="§9.1.2 (5)", text="α̇ = const"),
        ClosedForm("heading", of="alpha", function=lambda t, p: p.w * t, number="§9.1.2 (6)", text="α = ωt"),
        ClosedForm("rotation", of="beta", function=lambda t, p: p.eta * t, number="§9.1.2 (7)", text="β = ηt"),
        ClosedForm(
            "x",
            of="x",
            function=lambda t, p: p.eta * p.r / p.w * g.sin(p.w * t),
            number="§9.1.2 (8)",
            text="x = (ηr/ω) sin ωt",
        ),
        ClosedForm(
            "y",
            of="y",
            function=lambda t, p: p.eta * p.r / p.w * (1 - g.cos(p.w * t)),
            number="§9.1.2 (9)",
            text="y = (ηr/ω)(1 − cos ωt)",
        ),
        Equation(
            "the circle",
            left=lambda q, p: q.x**2 + (q.y - p.eta * p.r / p.w) ** 2,
            right=lambda p: (p.eta * p.r / p.w) ** 2,
            along=True,
            number="§9.1.2 (10)",
            text="x² + (y − ηr/ω)² = (ηr/ω)²",
        ),
    ],
    t_end=3.0,
    quantities={"eta_1": lambda v: v.beta, "s": lambda q, v: v.x * g.cos(q.alpha) + v.y * g.sin(q.alpha)},
    parameters={"eta": page.ETA, "w": page.OMEGA},
)
backwards = Printed(
    "TM §9.1.2",
    [
        Equation(
            "radius of the circle, rolling backwards",
            left=lambda q, p: g.sqrt(q.x**2 + (q.y - p.eta * p.r / p.w) ** 2),
            right=lambda p: p.eta * p.r / p.w,
            correct=(
                lambda q, p: g.sqrt(q.x**2 + (q.y - p.eta * p.r / p.w) ** 2),
                lambda p: g.sqrt((p.eta * p.r / p.w) ** 2),
            ),
            along=True,
            number="§9.1.2 (11)",
            text="radius ηr/ω",
            remark="the radius is |ηr/ω|; figure 9.4 a shows η < 0",
        )
    ],
    system=system,
    q=[0.0, 0.0, 0.0, 0.0],
    v=[-page.ETA * page.R, 0.0, page.OMEGA, -page.ETA],
    t_end=3.0,
    parameters={"eta": -page.ETA, "w": page.OMEGA},
)
equations = [equations, backwards]
