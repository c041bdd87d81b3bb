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
from scipy.integrate import solve_ivp

import gauss as g
from scenarios.slider_crank_clearance import CLEARANCE, FLYWHEEL, ROD, SLIDER, SPEED, TORQUE, TURNING, A, E, L, start

CLOSED = 1e-5  # m/s: hops of the witness that are slower are summed as a geometric series
SLOW = 1e-3  # m/s: slower impacts are not compared


# ------------------------------------------------------------------ by hand, in θ, φ and x


def parts(y):
    """M (3, 3), f (3,), the pin's place d (2,) in its bearing, ∂d/∂q (2, 3), ḋ and what d̈ has from velocities."""
    th, ph, x, w, u, _ = y
    k = ROD * A * L / 2
    M = np.diag([FLYWHEEL + ROD * A**2, TURNING + ROD * L**2 / 4, SLIDER])
    M[0, 1] = M[1, 0] = k * np.cos(th - ph)
    f = np.array([TORQUE - k * np.sin(th - ph) * u**2, k * np.sin(th - ph) * w**2, 0.0])
    d = np.array([A * np.cos(th) + L * np.cos(ph) - x, A * np.sin(th) + L * np.sin(ph)])
    D = np.array([[-A * np.sin(th), -L * np.sin(ph), -1.0], [A * np.cos(th), L * np.cos(ph), 0.0]])
    bend = -np.array([A * np.cos(th) * w**2 + L * np.cos(ph) * u**2, A * np.sin(th) * w**2 + L * np.sin(ph) * u**2])
    return M, f, d, D, D @ y[3:], bend


def gap(t, y):
    d = parts(y)[2]
    return CLEARANCE - np.hypot(*d)


def closing(t, y):
    _, _, d, _, rate, _ = parts(y)
    return -(d @ rate) / np.hypot(*d)


def push(t, y):
    """Normal force (N) of the bearing on the pin as long as it slides along the wall; it pulls where negative."""
    M, f, d, D, rate, bend = parts(y)
    rho = np.hypot(*d)
    e = d / rho
    n = -e @ D
    nu = e @ bend + (rate @ rate - (e @ rate) ** 2) / rho  # g̈ = n a − ν
    free = np.linalg.solve(M, f)
    return (nu - n @ free) / (n @ np.linalg.solve(M, n))


def rates(t, y, closed):
    M, f, d, D, _, _ = parts(y)
    force = f - push(t, y) * (d / np.hypot(*d)) @ D if closed else f
    return np.concatenate([y[3:], np.linalg.solve(M, force)])


def struck(y, restitution):
    """The state after an impact."""
    M, _, d, D, _, _ = parts(y)
    n = -(d / np.hypot(*d)) @ D
    way = np.linalg.solve(M, n)
    return np.concatenate([y[:3], y[3:] - (1 + restitution) * way * (n @ y[3:]) / (n @ way)])


def leg(t, y, closed, event, end):
    """SciPy's integration up to the event, or to the end."""
    return solve_ivp(rates, [t, end], y, "DOP853", events=event, args=(closed,), rtol=1e-12, atol=1e-14, max_step=2e-4)


def flight(t, y, closed):
    return gap(t, y)


def pressing(t, y, closed):
    return push(t, y)


flight.terminal = pressing.terminal = True
flight.direction = pressing.direction = -1


def falling(t, y):
    """Return −g̈ of the pin that moves freely at the wall."""
    M, _, d, D, _, _ = parts(y)
    n = -(d / np.hypot(*d)) @ D
    return push(t, y) * (n @ np.linalg.solve(M, n))


def off(t, y):
    """The state after a fifth of a hop, away from the wall, where the gap has a sign."""
    pull = falling(t, y)
    later = t + min(0.2 * closing(t, y) / pull if pull > 0 else 1e-5, 1e-5)
    run = leg(t, y, False, None, later)
    return later, run.y[:, -1]


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
    turned = np.unwrap(np.arctan2(run["crank_s"], run["crank_c"]))
    lean = np.sqrt(1 - (A / L * np.sin(turned)) ** 2)
    apart = run["block_x"] - A * np.cos(turned) - L * lean
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
        g.Claim(
            "the slider is within c/cos φ of where the ideal joint has it",
            np.max(np.abs(apart) * lean) / CLEARANCE,
            1.0 + CLEARANCE / L,
            "geometry, to first order in c",
        ),
        g.Claim("contact is lost", matched(events(run, "release")[:, 0], losses), 1e-9, amplified),
    ]


def matched(found, known):
    return g.relative(found, known) if len(found) == len(known) else 1.0
