"""Four-bar of bodies with a motor: assembled from rough poses in both its modes, and driven through the coupler curve.

Crank, coupler and rocker are planar bodies of 1, 3 and 2 kg on four pins, with gravity g = 9.81 m/s² along −y. The
crank of a = 0.25 m turns about the origin, the rocker of c = 0.6 m about (0.8, 0) m, and the coupler joins their ends B
and C, b = 0.9 m apart. Its origin P, 0.35 m beside the middle of BC, draws the coupler curve. A motor in the crank's
bearing exerts τ = τ₀(1 − ω/ω₀), τ₀ = 9 N m, ω₀ = 12 rad/s, at the crank's speed ω (rad/s).

The three poses given are rough. `mb.assemble` holds the crank's angle, closes the loop, and finds that it closes in two
ways. The motion starts at rest in the one nearer to the poses.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

SOURCE = "textbook problem; coupler and rocker by the intersection of two circles"

A, B, C, GROUND, BESIDE = 0.25, 0.9, 0.6, 0.8, 0.35  # m; P is 0.35 m beside BC
MASSES, J_COUPLER, G = (1.0, 3.0, 2.0), 0.25, 9.81  # kg, kg m², m/s²
TORQUE, FREE_SPEED, ANGLE = 9.0, 12.0, 0.9  # N m, rad/s, rad: the crank's angle at the start

crank = mb.PlanarBody("crank", MASSES[0], MASSES[0] * A**2 / 12, (A / 2, 0))
coupler = mb.PlanarBody("coupler", MASSES[1], J_COUPLER, (0, -BESIDE))  # its origin is P
rocker = mb.PlanarBody("rocker", MASSES[2], MASSES[2] * C**2 / 12, (C / 2, 0))
bearing = mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0))
pins = [
    bearing,
    mb.Pin("B", crank, (A, 0), coupler, (-B / 2, -BESIDE)),
    mb.Pin("C", coupler, (B / 2, -BESIDE), rocker, (C, 0)),
    mb.Pin("D", mb.GROUND, (GROUND, 0), rocker, (0, 0)),
]


def torque(q, v):
    speed = q.crank_c * v.crank_s - q.crank_s * v.crank_c  # of the crank, rad/s
    return TORQUE * (1 - speed / FREE_SPEED)


motor = mb.Motor("motor", bearing, torque)
linkage = mb.Mechanism("four-bar with a motor", [crank, coupler, rocker], pins, [motor])
system = linkage.system
rough = crank.pose(angle=ANGLE), coupler.pose((0.5, 0.8)), rocker.pose((0.8, 0), 1.5)
built = mb.assemble(linkage, *rough, hold=bearing)
start = g.Start(q=built.state.q, v=built.state.v, t_end=2.0, rtol=1e-12, atol=1e-13)
drawing = mb.Drawing(linkage, traces=[(coupler, (0, 0))], speed=0.25)


def claims(run):
    rates = {name: run[f"dd_{name}"] for name in system.coordinates}
    carried = sum(x.mass * np.add(x.placed(rates).point(x.centre), [[0.0], [G]]) for x in linkage.bodies)
    both = np.array([run[f"bearing[{k}]"] + run[f"D[{k}]"] for k in range(2)])
    off, kept = g.relative(both, carried), 100 * len(run) * start.rtol
    return [g.Claim("the two bearings carry weight and inertia", off, kept, "Newton's law")]


def figure(run, figure):
    axes = figure.subplots()
    for k, mode in enumerate(built.modes):
        q = linkage.named(mode.state.q)
        pins_at = [(0, 0), crank.placed(q).point((A, 0)), coupler.placed(q).point((B / 2, -BESIDE)), (GROUND, 0)]
        axes.plot(*np.transpose(pins_at), "-o", label=f"mode {k + 1} at the start")
    dense = run.at(np.linspace(0.0, run.t[-1], 1200))
    axes.plot(dense["coupler_x"], dense["coupler_y"], lw=1, label="path of P")
    axes.set(xlabel="x / m", ylabel="y / m", title="the loop closes in two ways", aspect="equal")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
