"""The other claims of scenarios/leaving_the_sphere.py.

A particle of mass m = 0.5 kg rests on a fixed smooth sphere of radius R = 0.8 m, x² + y² + z² ≥ R² (coordinates in m,
gravity g = 9.81 m/s² along −z). At the top it gets the horizontal speed v₀ < √(gR). With the polar angle θ from the
top, energy gives v² = v₀² + 2gR(1 − cos θ), so the sphere presses with

    N = mg cos θ − mv²/R = mg(3 cos θ − 2) − mv₀²/R ≥ 0   (N; λ = N/2R, as the row of the gap is 2(x, y, z)),

and the particle leaves where N vanishes, at

    cos θ = 2/3 + v₀²/(3gR),   after the time t = ∫₀^θ R dθ/v = (2R/v₀) F(θ/2, −4gR/v₀²),

F being the elliptic integral of the first kind. From there it flies on a parabola. With v₀ ≥ √(gR) it leaves at once.
"""

import numpy as np
from scipy.special import ellipkinc

import gauss as g
from scenarios.leaving_the_sphere import AZIMUTH, SHARE, start, system


def begin(model, share):
    """Position and velocity at the top of the sphere."""
    speed = share * np.sqrt(model.parameters["g"] * model.parameters["R"])
    return [0.0, 0.0, model.parameters["R"]], [speed * np.cos(AZIMUTH), speed * np.sin(AZIMUTH), 0.0]


class Exact:
    """The closed form for a system and a start speed."""

    def __init__(self, model, share):
        self.m, self.g, self.R = (model.parameters[name] for name in "mgR")
        self.v0 = share * np.sqrt(self.g * self.R)
        self.cos = 2 / 3 + share**2 / 3
        self.angle = np.arccos(self.cos)
        self.time = 2 * self.R / self.v0 * ellipkinc(self.angle / 2, -4 / share**2)

    def force(self, z):
        """Contact force at the height z on the sphere."""
        return self.m * self.g * (3 * z / self.R - 2) - self.m * self.v0**2 / self.R

    def parabola(self, t):
        """Distance from the axis and height in free flight, at times t after the release."""
        tau, speed = t - self.time, np.sqrt(self.g * self.R * self.cos)
        sin = np.sin(self.angle)
        return (
            self.R * sin + speed * self.cos * tau,
            self.R * self.cos - speed * sin * tau - self.g * tau**2 / 2,
        )


def release(run):
    """Time of the release and the state there."""
    (event,) = [event for event in run.events if event.kind == "release"]
    return event.t, run.at(event.t)


def release_errors(run, exact):
    """Errors of cos θ and of the time at the release; infinite unless the particle leaves exactly once."""
    if [event.kind for event in run.events] != ["release"]:
        return np.inf, np.inf
    time, place = release(run)
    return abs(place["z"][0] / exact.R - exact.cos), abs(time - exact.time) / exact.time


def flight_error(run, exact):
    """Relative distance of the motion from the parabola after the release; infinite if the run ends before it."""
    flying = run.t >= exact.time
    if not np.any(flying):
        return np.inf
    expected = exact.parabola(run.t[flying])
    got = np.hypot(run["x"], run["y"])[flying], run["z"][flying]
    return max(g.relative(got[0], expected[0]), g.relative(got[1], expected[1]))


def complementarity(run, times):
    """Worst violation of λ ≥ 0, slack ≥ 0 and λ·slack = 0 by the quadratic program, relative to mg/2R and 2Rg."""
    p = run.about.parameters
    dense, worst = run.at(times), 0.0
    for q, v, t in zip(dense.q, dense.v, dense.t, strict=True):
        solution = g.principle.solve(g.principle.GaussProblem.at(system, g.State(q, v, float(t))))
        rows, multiplier = solution.problem.rows, float(solution.multipliers[0])
        closed = np.isfinite(rows.lower[0])
        slack = float(rows.J[0] @ solution.a - rows.lower[0]) if closed else np.inf
        product = multiplier * slack if closed else abs(multiplier)
        scale = p["m"] * p["g"] / (2 * p["R"]), 2 * p["R"] * p["g"]
        worst = max(worst, -multiplier / scale[0], -slack / scale[1], abs(product) / scale[0] / scale[1])
    return worst


def sweep():
    """Worst errors at the release over start speeds and parameters, and of the flight after it."""
    worst = np.zeros(3)
    for model in (system, system.with_parameters(m=2.0, g=1.62, R=3.0)):
        for share in (0.05, 0.3, 0.6, 0.9, 0.99, 0.999):
            exact = Exact(model, share)
            run = g.simulate(model, *begin(model, share), t_end=1.3 * exact.time, rtol=1e-12, progress="none")
            worst = np.maximum(worst, [*release_errors(run, exact), flight_error(run, exact)])
    return worst


@g.needs(start.t_end)
def claims(run):
    exact = Exact(system, SHARE)
    all_cosines, all_times, all_flights = sweep()
    weight = exact.m * exact.g
    just = g.simulate(system, *begin(system, 1.0), t_end=0.3, rtol=1e-12, progress="none")
    fast = g.simulate(system, *begin(system, 1.001), t_end=0.3, rtol=1e-12, progress="none")
    truncation = "closed form; the integrator keeps 1e-12 per step, and errors grow on the way down"
    return [
        g.Claim("at the time of the elliptic integral", release_errors(run, exact)[1], 1e-9, truncation),
        g.Claim(
            "the sphere never pulls",
            2 * exact.R * max(0.0, -float(np.min(run.at(np.linspace(run.t[0], run.t[-1], 301))["sphere"]))) / weight,
            1e-12,
            "rounding, relative to the weight",
        ),
        g.Claim("after leaving it flies on the parabola", flight_error(run, exact), 1e-9, truncation),
        g.Claim(
            "λ ≥ 0, slack ≥ 0 and λ·slack = 0 by the quadratic program",
            complementarity(run, np.linspace(run.t[0], run.t[-1], 41)),
            1e-12,
            "rounding, at 41 states, relative to the weight",
        ),
        g.Claim("cos θ at the release for v₀ from 0.05 to 0.999 √(gR)", all_cosines, 1e-9, truncation),
        g.Claim("time of the release for v₀ from 0.05 to 0.999 √(gR)", all_times, 1e-9, truncation),
        g.Claim("the flight for v₀ from 0.05 to 0.999 √(gR)", all_flights, 1e-9, truncation),
        g.Claim(
            "with v₀ = √(gR) it flies on the parabola at once", flight_error(just, Exact(system, 1.0)), 1e-9, truncation
        ),
        g.Claim(
            "with v₀ = 1.001 √(gR) it is never pressed",
            float(np.max(np.abs(fast["sphere"]))) + float(np.any(fast.active)),
            0.0,
            "λ and the active row, exactly zero",
        ),
    ]
