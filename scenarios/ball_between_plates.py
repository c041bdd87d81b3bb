"""A ball bounces between a floor and a ceiling: every impact in closed form, until it bounces on the floor only.

A ball (a particle of mass m = 1 kg, height z in m, g = 10 m/s²) starts at z = 1 m with 10 m/s upwards between a floor
at z = 0 and a ceiling at z = h = 1.5 m, both with the restitution e = 0.8. It leaves the floor with the speed v and

    v² > 2gh:  meets the ceiling after (v − w)/g at w = √(v² − 2gh), leaves it with u = e w downwards,
               and meets the floor after (√(u² + 2gh) − u)/g at √(u² + 2gh);
    v² ≤ 2gh:  meets the floor again after 2v/g, and so on with e v, e² v, …

From the first bounce that stays below the ceiling on, at t_k with v, the impacts accumulate at the Zeno time
t_k + 2v/(g (1 − e)). Then the ball lies on the floor.
"""

import numpy as np

import gauss as g

SOURCE = "Siconos, example BouncingBallED-TwoContacts"

M, G, H, E, Z0, V0 = 1.0, 10.0, 1.5, 0.8, 1.0, 10.0  # kg, m/s², m, restitution, m, m/s

system = g.System(
    "ball between two plates",
    coordinates="z",
    kinetic_energy=lambda v: 0.5 * M * v.z**2,
    potential_energy=lambda q: M * G * q.z,
    constraints=[
        g.Unilateral("floor", lambda q: q.z, restitution=E),
        g.Unilateral("ceiling", lambda q: H - q.z, restitution=E),
    ],
)
start = g.Start(q=[Z0], v=[V0], t_end=7.0)


@g.needs(start.t_end)
def claims(run):
    impacts = [e for e in run.events if e.kind == "impact"]
    (over,) = (e for e in run.events if e.kind == "accumulation")
    low = max(k for k, e in enumerate(impacts) if e.name == "ceiling") + 1  # the bounce that stays below the ceiling
    zeno = impacts[low].t + 2 * E * impacts[low].value / (G * (1 - E))
    rest = abs(run["z"][-1]) + abs(run["d_z"][-1]) + abs(run["floor"][-1] / (M * G) - 1)
    return [
        g.Claim("height between the plates", max(0.0, *(-run["z"]), *(run["z"] - H)), 1e-9, "located to rounding"),
        g.Claim("the Zeno time", abs(over.t - zeno), 1e-9, "extrapolated from the last intervals"),
        g.Claim("then it lies on the floor, which carries its weight", rest, 1e-12, "rounding"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    t = np.linspace(run.t[0], run.t[-1], 3000)
    axes.plot(t, run.at(t)["z"], lw=1.2)
    axes.axhspan(H, 1.08 * H, color="0.8")
    axes.axhspan(-0.08 * H, 0.0, color="0.8")
    axes.set(xlabel="t / s", ylabel="z / m", title="height between the plates", ylim=(-0.08 * H, 1.08 * H))


if __name__ == "__main__":
    g.main(__file__)
