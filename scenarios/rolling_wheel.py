"""A vertical wheel rolls on a plane: who steers at a constant rate goes round in a circle.

A thin homogeneous wheel of mass m = 3 kg and radius r = 0.4 m stays upright and rolls on a horizontal plane. The
coordinates are the point of contact x, y (m), the heading alpha (rad) and the angle of rotation beta (rad). It rolls
without slip, neither sideways nor lengthwise:

    sin(alpha) ẋ − cos(alpha) ẏ = 0,   cos(alpha) ẋ + sin(alpha) ẏ − r β̇ = 0.

The kinetic energy is ½m(ẋ² + ẏ²) + ½I₂β̇² + ½I₃α̇², with I₂ = ½mr² about the axle and I₃ = ¼mr² about the vertical
(kg m²). Neither angular velocity changes, β̇ = η and α̇ = ω (rad/s), so the wheel started at the origin along x goes
round

    x = (ηr/ω) sin ωt,   y = (ηr/ω)(1 − cos ωt),

a circle of radius |ηr/ω| (the source prints ηr/ω, which is the radius where η and ω have the same sign). The plane
holds the wheel on it by λ₁ = m(ẍ sin alpha − ÿ cos alpha) = −mηrω (N, across the wheel); along it λ₂ = 0.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb
from gauss.analysis.verify.equations import (
    ClosedForm,
    ConstraintMatrix,
    ControlFields,
    Equation,
    Integral,
    Lagrangian,
    Printed,
)

COVERS = ("T19",)
SOURCE = "TM §9.1.2"

ETA, OMEGA = 2.5, 0.8  # rad/s: rolling and turning


def kinetic_energy(v, p):
    I2, I3 = p.m * p.r**2 / 2, p.m * p.r**2 / 4
    return 0.5 * p.m * (v.x**2 + v.y**2) + 0.5 * I2 * v.beta**2 + 0.5 * I3 * v.alpha**2


system = g.System(
    "vertical rolling wheel",
    coordinates="x y alpha beta",
    kinetic_energy=kinetic_energy,
    constraints=[
        g.Pfaffian("no side slip", lambda q: [g.sin(q.alpha), -g.cos(q.alpha), 0.0, 0.0]),
        g.Pfaffian("no lengthwise slip", lambda q, p: [g.cos(q.alpha), g.sin(q.alpha), 0.0, -p.r]),
    ],
    parameters={"m": 3.0, "r": 0.4},
)
M, R = system.parameters["m"], system.parameters["r"]
start = g.Start(q=[0.0, 0.0, 0.0, 0.0], v=[ETA * R, 0.0, OMEGA, ETA], t_end=10.0, step=0.01, rtol=1e-12)


def wheel(q):
    """Where the wheel is, its third axis the axle to the left, for the picture."""
    (sa, sb), (ca, cb) = ([f(q[angle]) for angle in ("alpha", "beta")] for f in (np.sin, np.cos))
    return mb.Placed((q["x"], q["y"], R), ((ca * cb, sa * cb, -sb), (-ca * sb, -sa * sb, -cb), (-sa, ca, 0.0)))


drawing = mb.Drawing(
    placed=[(mb.shapes.Disc(R), wheel)],
    traces=[lambda q: (q["x"], q["y"], 0.0), lambda q: wheel(q).point((R, 0.0, 0.0))],
    planes=[((0, 0, 0), (0, 0, 1))],
)


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
    parameters={"eta": ETA, "w": OMEGA},
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
    v=[-ETA * R, 0.0, OMEGA, -ETA],
    t_end=3.0,
    parameters={"eta": -ETA, "w": OMEGA},
)
equations = [equations, backwards]


def circle(t, eta=ETA):
    """The closed-form path (x, y)."""
    radius = eta * R / OMEGA
    return radius * np.sin(OMEGA * t), radius * (1 - np.cos(OMEGA * t))


def path_error(run, eta=ETA):
    """Largest distance of x and of y from the closed form, relative to the largest coordinate."""
    x, y = circle(run.t, eta)
    return max(g.relative(run["x"], x), g.relative(run["y"], y))


def claims(run):
    backwards = g.simulate(
        system, start.q, [-ETA * R, 0.0, OMEGA, -ETA], t_end=start.t_end, rtol=start.rtol, progress="none"
    )
    steps = np.array([0.2, 0.1, 0.05])
    errors = [
        path_error(g.simulate(system, start.q, start.v, t_end=10.0, method="rk4", step=h, progress="none"))
        for h in steps
    ]
    force = M * ETA * R * OMEGA
    closed = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
        g.Claim("x and y follow the circle", path_error(run), 1e-9, closed),
        g.Claim(
            "rolling backwards (η < 0) the circle lies on the other side", path_error(backwards, -ETA), 1e-9, closed
        ),
        g.Claim(
            "heading and rotation are uniform: alpha = ωt, beta = ηt",
            max(g.relative(run["alpha"], OMEGA * run.t), g.relative(run["beta"], ETA * run.t)),
            1e-9,
            closed,
        ),
        g.Claim("the reaction across the wheel is −mηrω", g.relative(run["no side slip"], -force), 1e-9, closed),
        g.Claim(
            "the reaction along the wheel vanishes",
            float(np.max(np.abs(run["no lengthwise slip"]))) / force,
            1e-9,
            "closed form, relative to the reaction across",
        ),
        g.Claim(
            "RK4 converges with order 4",
            abs(g.convergence_order(steps, errors) - 4.0),
            0.1,
            f"steps {steps[-2]:g} and {steps[-1]:g} s, errors {errors[-2]:.2g} and {errors[-1]:.2g}",
        ),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    t = np.linspace(run.t[0], run.t[-1], 600)
    dense, (x, y) = run.at(t), circle(t)
    wheels = run.at(np.linspace(0.0, 2 * np.pi / OMEGA, 9)[:-1])
    dx, dy = R / 2 * np.cos(wheels["alpha"]), R / 2 * np.sin(wheels["alpha"])
    across = np.array([wheels["x"] - dx, wheels["x"] + dx]), np.array([wheels["y"] - dy, wheels["y"] + dy])
    left.plot(*across, color="0.6", lw=5, solid_capstyle="round")
    left.plot(dense["x"], dense["y"], color="C0", label="Gauss")
    left.plot(x[:480:20], y[:480:20], ".", color="C1", label="circle of radius ηr/ω")
    left.set(xlabel="x / m", ylabel="y / m", title="path of the point of contact, seen from above", aspect="equal")
    left.legend(loc="center")
    reaction = dense["no side slip"]
    right.plot(t, reaction * np.sin(dense["alpha"]), label="along x")
    right.plot(t, -reaction * np.cos(dense["alpha"]), label="along y")
    right.plot(t, reaction, label="λ₁, across the wheel")
    right.plot(t, dense["no lengthwise slip"], label="λ₂, along the wheel")
    right.set(xlabel="t / s", ylabel="force of the plane / N", title="reaction of the plane")
    right.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


if __name__ == "__main__":
    g.main(__file__)
