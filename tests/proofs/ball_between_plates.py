"""The other claims of scenarios/ball_between_plates.py.

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
from scenarios.ball_between_plates import V0, Z0, E, G, H, M, start


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
        g.Claim(f"{len(exact)} impacts, each on the right plate", float(not same)),
        g.Claim("times of the impacts", g.relative([e.t for e in events], times), 1e-9, rounding),
        g.Claim("speeds of the impacts", g.relative([e.value for e in events] / speeds, 1.0), 1e-9, rounding),
        g.Claim("energies lost", g.relative(losses / (0.5 * M * speeds**2), 1 - E**2), 1e-9, rounding),
        g.Claim("the Zeno time", abs(over.t - ZENO), 1e-9, "extrapolated from the last intervals"),
    ]
