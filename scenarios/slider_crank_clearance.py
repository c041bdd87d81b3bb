"""Slider-crank with clearance in its wrist pin: impacts in the joint, contact that is lost, and the ideal joint.

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
from gauss import bodies as mb

SOURCE = "standard problem of multibody dynamics; the numbers are our own"

A, L = 0.05, 0.12  # m, crank and rod
BEARING, CLEARANCE = 0.010, 0.0005  # m, radius of the bearing and clearance
FLYWHEEL, ROD, TURNING, SLIDER = 2e-3, 0.21, 2.5e-4, 0.14  # kg m², kg, kg m², kg
TORQUE, SPEED, E = 0.5, 150.0, 0.5  # N m, rad/s, restitution
CLOSED = 1e-5  # m/s: hops of the witness that are slower are summed as a geometric series
SLOW = 1e-3  # m/s: slower impacts are not compared

crank = mb.PlanarBody("crank", 1.0, FLYWHEEL)
rod = mb.PlanarBody("rod", ROD, TURNING)  # its origin is its middle
block = mb.PlanarBody("block", SLIDER, 1e-4)
bearing = mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0))
motor = mb.Motor("motor", bearing, TORQUE)
common = [
    bearing,
    mb.Pin("crank pin", crank, (A, 0), rod, (-L / 2, 0)),
    mb.Slider("guide", mb.GROUND, (0, 0), block, (0, 0)),
]
wrist = mb.Touching("wrist", rod, mb.Disc(BEARING - CLEARANCE, (L / 2, 0)), block, mb.Hole(BEARING), restitution=E)
engine = mb.Mechanism("slider-crank with clearance", [crank, rod, block], [*common, wrist], [motor], gravity=(0, 0))
pinned = mb.Pin("wrist", rod, (L / 2, 0), block, (0, 0))
ideal = mb.Mechanism("ideal slider-crank", [crank, rod, block], [*common, pinned], [motor], gravity=(0, 0))
system = engine.system
Q0, V0 = engine.state(
    crank.pose(rate=SPEED), rod.pose((A + L / 2, 0), 0.0, (0, A * SPEED / 2), -A * SPEED / L), block.pose((A + L, 0))
)
start = g.Start(q=Q0, v=V0, t_end=0.06, rtol=1e-12, atol=1e-14)
drawing = mb.Drawing(
    engine,
    shapes={
        rod: [mb.shapes.Segment([(-L / 2, 0), (L / 2, 0)]), mb.shapes.Disc(BEARING - CLEARANCE, (L / 2, 0))],
        block: [mb.shapes.Box((0.05, 0.03)), mb.shapes.Disc(BEARING)],
    },
    speed=0.02,
)


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


# ------------------------------------------------------------------ claims and figure


def place(run):
    """The pin's place in its bearing (m), (2, N)."""
    return np.array([run["rod_x"] + L / 2 * run["rod_c"] - run["block_x"], run["rod_y"] + L / 2 * run["rod_s"]])


def events(run, kind):
    return np.array([(event.t, event.value) for event in run.events if event.kind == kind]).reshape(-1, 2)


@g.needs(start.t_end)
def claims(run):
    impacts, landings, losses = witness()
    found, known = (x[x[:, 1] > SLOW] for x in (events(run, "impact"), impacts))
    same = len(found) == len(known)
    landed = np.array([event.t for event in run.events if event.kind in ("accumulation", "contact")])
    turned = np.unwrap(np.arctan2(run["crank_s"], run["crank_c"]))
    lost = np.cumsum([0.0, *(event.energy_loss for event in run.events)])
    when = np.searchsorted([event.t for event in run.events], run.t, side="right")
    balance = run.energy + lost[when] - TORQUE * turned
    before = np.isin(run.t, [event.t for event in run.events])  # states just before and just after an event
    lean = np.sqrt(1 - (A / L * np.sin(turned)) ** 2)
    apart = run["block_x"] - A * np.cos(turned) - L * lean
    off = np.hypot(*place(run))
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
        g.Claim(
            "the energy changes by the motor and the impacts",
            float(np.max(np.abs(balance[~before] / balance[0] - 1.0))),
            1e-9,
            "tolerance of the steps, 1e-10 each",
        ),
        g.Claim("the pin stays in its bearing", float(np.max(off) / CLEARANCE - 1.0), 1e-9, "projection"),
        g.Claim(
            "the slider is within c/cos φ of where the ideal joint has it",
            float(np.max(np.abs(apart) * lean)) / CLEARANCE,
            1.0 + CLEARANCE / L,
            "geometry, to first order in c",
        ),
    ]


def matched(found, known):
    return g.relative(found, known) if len(found) == len(known) else 1.0


def figure(run, figure):
    (where, force), (gaps, slider) = figure.subplots(2, 2)
    t = np.linspace(run.t[0], run.t[-1], 4000)
    dense, smooth = run.at(t), g.simulate(ideal.system, Q0, V0, t_end=start.t_end, progress="none").at(t)
    x, y = place(dense) / CLEARANCE
    angle = np.linspace(0, 2 * np.pi, 200)
    where.plot(np.cos(angle), np.sin(angle), "k", lw=0.8)
    where.plot(x, y, lw=0.8)
    where.set(xlabel="d_x / c", ylabel="d_y / c", title="the pin in its bearing", aspect="equal")
    force.plot(1e3 * t, np.hypot(smooth["wrist[0]"], smooth["wrist[1]"]), "k--", lw=0.9, label="ideal joint")
    force.plot(1e3 * t, dense["wrist"], lw=1.0, label="clearance")
    force.set(xlabel="t / ms", ylabel="force of the pin / N")
    force.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    gaps.plot(1e3 * t, 1e3 * (CLEARANCE - np.hypot(*place(dense))), lw=1.0)
    hits = events(run, "impact")
    gaps.plot(1e3 * hits[:, 0], np.zeros(len(hits)), "C3|", ms=9, label="impacts")
    gaps.set(xlabel="t / ms", ylabel="gap / mm")
    gaps.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0))
    turned = np.unwrap(np.arctan2(dense["crank_s"], dense["crank_c"]))
    apart = dense["block_x"] - A * np.cos(turned) - np.sqrt(L**2 - (A * np.sin(turned)) ** 2)
    slider.plot(1e3 * t, 1e3 * apart)
    for sign in (-1, 1):
        bound = sign * CLEARANCE / np.sqrt(1 - (A / L * np.sin(turned)) ** 2)
        slider.plot(1e3 * t, 1e3 * bound, "k:", lw=0.8, label="± c/cos φ" if sign > 0 else None)
    slider.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0))
    slider.set(xlabel="t / ms", ylabel="slider less ideal / mm")


if __name__ == "__main__":
    g.main(__file__)
