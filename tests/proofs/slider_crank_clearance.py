"""The other claims of scenarios/slider_crank_clearance.py.

A crank (a = 50 mm, flywheel of 2e-3 kg m²) is driven by 0.5 N m and turns at about 150 rad/s. The rod (l = 120 mm,
0.21 kg) carries a pin of radius 9.5 mm in a bearing of radius 10 mm of the slider (0.14 kg): the pin's centre has a
clearance c = 0.5 mm about the bearing's. There is neither friction nor gravity; the restitution is e = 0.5. The start
is that of the ideal joint at its dead centre, the pin in the middle of its bearing.

The joint is not a constraint but a disc in a hole, one unilateral row g = c − |d| ≥ 0. The pin strikes its bearing,
rebounds in ever smaller hops, whose times accumulate, and then slides along the wall: a joint with a massless link of
length c. Where the force in the link would pull, contact is lost, and the pin flies across and strikes again. While it
slides it swings about the direction of the force, which makes the force in the joint several times that of the ideal
joint.

Known answers: the same motion in the three angles and lengths (θ of the crank, φ of the rod, x of the slider), written
by hand and integrated by SciPy from event to event, with Newton's impact law v⁺ = v − (1 + e) M⁻¹nᵀ(n v)/(n M⁻¹nᵀ);
the energy, which changes by the work of the motor and by the impacts alone; and the place of the slider, which by
geometry differs from that of the ideal joint by no more than c/cos φ, to first order in c.
"""

from functools import lru_cache

import numpy as np

import gauss as g
from scenarios.slider_crank_clearance import CLEARANCE, SPEED, A, E, L, closing, falling, leg, off, parts, push, start

CLOSED = 1e-5  # m/s: hops of the witness that are slower are summed as a geometric series
SLOW = 1e-3  # m/s: slower impacts are not compared


def gap(t, y):
    d = parts(y)[2]
    return CLEARANCE - np.hypot(*d)


def struck(y, restitution):
    """The state after an impact."""
    M, _, d, D, _, _ = parts(y)
    n = -(d / np.hypot(*d)) @ D
    way = np.linalg.solve(M, n)
    return np.concatenate([y[:3], y[3:] - (1 + restitution) * way * (n @ y[3:]) / (n @ way)])


def flight(t, y, closed):
    return gap(t, y)


def pressing(t, y, closed):
    return push(t, y)


flight.terminal = pressing.terminal = True
flight.direction = pressing.direction = -1


@lru_cache(maxsize=1)
def witness():
    """Times and speeds of the impacts (N, 2), times at which hops end in contact and at which it is lost, by SciPy."""
    t, y, closed = 0.0, np.array([0.0, 0.0, A + L, SPEED, -A * SPEED / L, 0.0]), False
    impacts, landings, losses = [], [], []
    while t < start.t_end:
        run = leg(t, y, closed, pressing if closed else flight, start.t_end)
        t, y = run.t[-1], run.y[:, -1]
        if run.status != 1:
            break
        if closed:
            losses.append(t)
            closed = False
        elif -closing(t, y) < CLOSED:
            landings.append(t - 2 * E / (1 - E) * closing(t, y) / falling(t, y))  # the rest of the hops
            y, closed = struck(y, 0.0), True
            continue
        else:
            impacts.append((t, -closing(t, y)))
            y, closed = struck(y, E), E == 0.0
        if not closed:
            t, y = off(t, y)
    return np.array(impacts), np.array(landings), np.array(losses)


def events(run, kind):
    return np.array([(event.t, event.value) for event in run.events if event.kind == kind]).reshape(-1, 2)


@g.needs(start.t_end)
def claims(run):
    impacts, landings, losses = witness()
    found, known = (x[x[:, 1] > SLOW] for x in (events(run, "impact"), impacts))
    same = len(found) == len(known)
    landed = np.array([event.t for event in run.events if event.kind in ("accumulation", "contact")])
    amplified = "SciPy at rtol 1e-12; each impact at the wall amplifies differences, by up to 1e3 along the run"
    return [
        g.Claim(f"{len(known)} impacts faster than 1 mm/s", float(not same), 0.0, "SciPy's count"),
        g.Claim("their times", g.relative(found[:, 0], known[:, 0]) if same else 1.0, 1e-9, amplified),
        g.Claim("their speeds", g.relative(found[:, 1], known[:, 1]) if same else 1.0, 1e-8, amplified),
        g.Claim(
            "the hops end in contact",
            float(np.max(np.abs(landed - landings))) if len(landed) == len(landings) else 1.0,
            1e-7,
            "s; where a rebound is below 1e-5 m/s, and so counts as none, the rest of its hops is left out",
        ),
        g.Claim("contact is lost", matched(events(run, "release")[:, 0], losses), 1e-9, amplified),
    ]


def matched(found, known):
    return g.relative(found, known) if len(found) == len(known) else 1.0
