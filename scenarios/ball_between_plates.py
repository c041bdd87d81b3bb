"""A ball bounces between a floor and a ceiling: every impact in closed form, until it bounces on the floor only.

A ball (a particle of mass m = 1 kg, height z in m, g = 10 m/s²) starts at z = 1 m with 10 m/s upwards between a floor
at z = 0 and a ceiling at z = h = 1.5 m, both with the restitution e = 0.8. It leaves the floor with the speed v and

    v² > 2gh:  meets the ceiling after (v − w)/g at w = √(v² − 2gh), leaves it with u = e w downwards,
               and meets the floor after (√(u² + 2gh) − u)/g at √(u² + 2gh);
    v² ≤ 2gh:  meets the floor again after 2v/g, and so on with e v, e² v, …

This recursion gives all times to rounding. From the first bounce that stays below the ceiling on, the impacts fall at
t_k + 2v (1 − eⁿ)/(g (1 − e)) and accumulate at the Zeno time t_k + 2v/(g (1 − e)). Then the ball lies on the floor.
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


def impacts(t_end):
    """Times, plates and speeds of the impacts up to t_end, and the Zeno time."""
    found, zeno = [], np.inf
    w = np.sqrt(V0**2 - 2 * G * (H - Z0))
    t, plate, speed = (V0 - w) / G, "ceiling", w
    while t < t_end:
        found.append((t, plate, speed))
        away = E * speed
        if plate == "ceiling":
            speed = np.sqrt(away**2 + 2 * G * H)
            t, plate = t + (speed - away) / G, "floor"
        elif away**2 > 2 * G * H:
            speed = np.sqrt(away**2 - 2 * G * H)
            t, plate = t + (away - speed) / G, "ceiling"
        else:
            if np.isinf(zeno):
                zeno = t + 2 * away / (G * (1 - E))
            t, speed = t + 2 * away / G, away
            if zeno - t < 1e-9:
                break
    return found, zeno


EXACT, ZENO = impacts(1e3)
start = g.Start(q=[Z0], v=[V0], t_end=7.0)


def followed(run):
    """The impacts of the run that the closed form still tells apart: those more than 1e-5 s before the Zeno time."""
    return [e for e in run.events if e.kind == "impact" and e.t < ZENO - 1e-5]


@g.needs(start.t_end)
def claims(run):
    events = followed(run)
    (over,) = (e for e in run.events if e.kind == "accumulation")
    exact = [x for x in EXACT if x[0] < min(ZENO - 1e-5, start.t_end)]
    times, speeds = (np.array([x[k] for x in exact]) for k in (0, 2))
    losses = np.array([e.energy_loss for e in events])
    rounding = "closed form; free fall is integrated exactly, but the rounding of each impact is carried on"
    same = [e.name for e in events] == [x[1] for x in exact]
    return [
        g.Claim(f"{len(exact)} impacts, each on the right plate", float(not same), 0.0, "yes or no"),
        g.Claim("times of the impacts", g.relative([e.t for e in events], times), 1e-9, rounding),
        g.Claim("speeds of the impacts", g.relative([e.value for e in events] / speeds, 1.0), 1e-9, rounding),
        g.Claim("energies lost", g.relative(losses / (0.5 * M * speeds**2), 1 - E**2), 1e-9, rounding),
        g.Claim("height between the plates", max(0.0, *(-run["z"]), *(run["z"] - H)), 1e-9, "located to rounding"),
        g.Claim("the Zeno time", abs(over.t - ZENO), 1e-9, "extrapolated from the last intervals"),
        g.Claim(
            "then it lies on the floor, which carries its weight",
            abs(run["z"][-1]) + abs(run["d_z"][-1]) + abs(run["floor"][-1] / (M * G) - 1),
            1e-12,
            "rounding",
        ),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    t = np.linspace(run.t[0], run.t[-1], 3000)
    left.plot(t, run.at(t)["z"], lw=1.2)
    left.axhspan(H, 1.08 * H, color="0.8")
    left.axhspan(-0.08 * H, 0.0, color="0.8")
    left.axvline(ZENO, color="C3", ls="--", lw=1, label="Zeno time")
    left.set(xlabel="t / s", ylabel="z / m", title="height between the plates", ylim=(-0.08 * H, 1.08 * H))
    left.legend(loc=(0.5, 0.62))
    events = followed(run)
    for plate, mark in (("ceiling", "v"), ("floor", "^")):
        at = [(k + 1, e.value) for k, e in enumerate(events) if e.name == plate]
        right.semilogy(*zip(*at, strict=True), mark, ms=5, label=f"{plate}, computed")
    number = np.arange(1, len(events) + 1)
    right.semilogy(number, [x[2] for x in EXACT[: len(events)]], "k.", ms=2, label="closed form")
    right.set(xlabel="number of the impact", ylabel="speed of the impact / (m/s)", title="impacts")
    right.legend(loc="lower left")


if __name__ == "__main__":
    g.main(__file__)
