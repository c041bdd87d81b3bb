"""The other claims of scenarios/slack_string.py.

A particle of mass m = 0.3 kg (coordinates x, y in m, gravity g = 9.81 m/s² along −y) hangs on an inextensible string of
length l = 0.7 m, l² − x² − y² ≥ 0, without rebound (restitution 0). It starts at the bottom with a speed v₀ between
√(2gl) and √(5gl), too fast to swing and too slow for the full circle. At the elevation ψ above the horizontal energy
gives v² = v₀² − 2gl(1 + sin ψ), so the tension is

    S = mv²/l − mg sin ψ = m(v₀² − 2gl)/l − 3mg sin ψ   (N; λ = S/2l, as the row of the gap is −2(x, y)),

and the string goes slack where S vanishes, at sin ψ = (v₀² − 2gl)/(3gl), with the speed u = √(gl sin ψ). On the
parabola that follows, |r|² − l² = τ³g(gτ/4 − u cos ψ) after the time τ: the lower powers vanish, because r·v = 0 and
v² = gy where it begins. So the string is taut again exactly

    τ = 4(u/g) cos ψ later, at the elevation −3ψ,

where its jerk takes the radial velocity v_n = u(3 cos ψ sin 3ψ − sin ψ cos 3ψ), and with it the energy ½mv_n². The
circle goes on with the rest, the tangential velocity u(−sin ψ sin 3ψ − 3 cos ψ cos 3ψ).
"""

import numpy as np
from scipy.special import elliprf

import gauss as g
from scenarios.slack_string import SHARE, G, L, M, begin, start, system


class Exact:
    """The closed form for a start speed."""

    def __init__(self, share):
        sin = (share - 2) / 3
        self.psi = np.arcsin(sin)
        self.u = u = np.sqrt(G * L * sin)
        cos, sin3, cos3 = np.cos(self.psi), np.sin(3 * self.psi), np.cos(3 * self.psi)
        self.slack = self._time(share)
        self.taut = self.slack + 4 * u * cos / G
        self.slack_place, self.taut_place = L * np.array([cos, sin]), L * np.array([cos3, -sin3])
        self.normal = u * (3 * cos * sin3 - sin * cos3)
        self.tangential = u * (-sin * sin3 - 3 * cos * cos3)

    def _time(self, share):
        """∫ l dφ/v from the bottom to the slack point: (2l/v₀) F(φ/2, 4gl/v₀²), in Carlson's form."""
        half = (self.psi + np.pi / 2) / 2
        s = np.sin(half)
        return 2 * L / np.sqrt(share * G * L) * s * elliprf(1 - s**2, 1 - 4 / share * s**2, 1.0)

    def parabola(self, t):
        """Position (2, N) in flight."""
        tau, sin, cos = t - self.slack, np.sin(self.psi), np.cos(self.psi)
        return np.array([L * cos - self.u * sin * tau, L * sin + self.u * cos * tau - G * tau**2 / 2])


def errors(run, share):
    """Errors of times (relative), places (by l), velocities (by u), energy loss (relative), and of the parabola (by l).

    All infinite unless the string goes slack and is caught, in this order.
    """
    if [event.kind for event in run.events][:2] != ["release", "impact"]:
        return np.full(5, np.inf)
    exact = Exact(share)
    release, impact = run.events[:2]
    at_impact = np.flatnonzero(run.t == impact.t)
    before, after = int(at_impact[0]), int(at_impact[-1])
    radial, around = exact.taut_place / L, np.array([-exact.taut_place[1], exact.taut_place[0]]) / L
    flight = (run.t >= release.t) & (np.arange(len(run)) <= before)
    loss = M * exact.normal**2 / 2
    return np.array(
        [
            max(abs(release.t - exact.slack) / exact.slack, abs(impact.t - exact.taut) / exact.taut),
            max(np.abs(run.at(release.t).q[0] - exact.slack_place).max(), np.abs(run.q[after] - exact.taut_place).max())
            / L,
            np.abs(
                np.array([run.v[before] @ radial, run.v[before] @ around, run.v[after] @ radial, run.v[after] @ around])
                - [exact.normal, exact.tangential, 0.0, exact.tangential]
            ).max()
            / exact.u,
            max(abs(run.energy[before] - run.energy[after] - loss), abs(impact.energy_loss - loss)) / loss,
            np.abs(run.q[flight].T - exact.parabola(run.t[flight])).max() / L,
        ]
    )


@g.needs(start.t_end)
def claims(run):
    here = errors(run, SHARE)
    everywhere = np.zeros(5)
    for share in (2.2, 2.7, 3.5, 4.8):
        other = g.simulate(system, *begin(share), t_end=Exact(share).taut + 0.1, rtol=1e-12, progress="none")
        everywhere = np.maximum(everywhere, errors(other, share))
    circle = g.simulate(system, *begin(5.001), t_end=3.0, progress="none")
    truncation = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    words = (
        "the times when the string goes slack and is taut again",
        "the places, at the elevations ψ and −3ψ",
        "the velocities before and after the jerk",
        "the energy taken by the jerk is ½mv_n²",
        "the flight is the parabola",
    )
    return [
        *(g.Claim(text, float(error), 1e-9, truncation) for text, error in zip(words, here, strict=True)),
        *(
            g.Claim(f"for v₀² = 2.2 … 4.8 gl: {text}", float(error), 1e-9, truncation)
            for text, error in zip(words, everywhere, strict=True)
        ),
        g.Claim("with v₀² = 5.001 gl the string stays taut", float(len(circle.events)), 0.0, "no event in 3 s"),
    ]
