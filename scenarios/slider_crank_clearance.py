"""Slider-crank with clearance in its wrist pin: impacts in the joint, and contact that is lost.

A crank (a = 50 mm, flywheel of 2e-3 kg m²) is driven by 0.5 N m and turns at about 150 rad/s. The rod (l = 120 mm,
0.21 kg) carries a pin of radius 9.5 mm in a bearing of radius 10 mm of the slider (0.14 kg): the pin's centre has a
clearance c = 0.5 mm about the bearing's. There is neither friction nor gravity; the restitution is e = 0.5. The start
is that of the ideal joint at its dead centre, the pin in the middle of its bearing. The joint is a disc in a hole, one
unilateral row g = c − |d| ≥ 0. The pin strikes its bearing, rebounds in ever smaller hops, whose times accumulate, and
then slides along the wall. Where the force would pull, contact is lost, and the pin flies across and strikes again.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

SOURCE = "standard problem of multibody dynamics; the numbers are our own"

A, L = 0.05, 0.12  # m, crank and rod
BEARING, CLEARANCE = 0.010, 0.0005  # m, radius of the bearing and clearance
FLYWHEEL, ROD, TURNING, SLIDER = 2e-3, 0.21, 2.5e-4, 0.14  # kg m², kg, kg m², kg
TORQUE, SPEED, E = 0.5, 150.0, 0.5  # N m, rad/s, restitution

crank = mb.PlanarBody("crank", 1.0, FLYWHEEL)
rod = mb.PlanarBody("rod", ROD, TURNING)  # its origin is its middle
block = mb.PlanarBody("block", SLIDER, 1e-4)
bearing = mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0))
motor = mb.Motor("motor", bearing, TORQUE)
crank_pin = mb.Pin("crank pin", crank, (A, 0), rod, (-L / 2, 0))
guide = mb.Slider("guide", mb.GROUND, (0, 0), block, (0, 0))
wrist = mb.Touching("wrist", rod, mb.Disc(BEARING - CLEARANCE, (L / 2, 0)), block, mb.Hole(BEARING), restitution=E)
joints = [bearing, crank_pin, guide, wrist]
engine = mb.Mechanism("slider-crank with clearance", [crank, rod, block], joints, [motor], gravity=(0, 0))
system = engine.system
Q0, V0 = engine.state(
    crank.pose(rate=SPEED), rod.pose((A + L / 2, 0), 0.0, (0, A * SPEED / 2), -A * SPEED / L), block.pose((A + L, 0))
)
start = g.Start(q=Q0, v=V0, t_end=0.06, rtol=1e-12, atol=1e-14)
drawing = mb.Drawing(engine, speed=0.02)


def place(run):
    """The pin's place in its bearing (m), (2, N)."""
    return np.array([run["rod_x"] + L / 2 * run["rod_c"] - run["block_x"], run["rod_y"] + L / 2 * run["rod_s"]])


@g.needs(start.t_end)
def claims(run):
    turned = np.unwrap(np.arctan2(run["crank_s"], run["crank_c"]))
    times = [event.t for event in run.events]
    lost = np.cumsum([0.0, *(event.energy_loss for event in run.events)])
    balance = run.energy + lost[np.searchsorted(times, run.t, side="right")] - TORQUE * turned
    off = np.max(np.abs(balance[~np.isin(run.t, times)] / balance[0] - 1.0))  # not just before or after an event
    return [
        g.Claim("the energy changes by the motor and the impacts", off, 1e-9, "tolerance of the steps, 1e-10 each"),
        g.Claim("the pin stays in its bearing", np.max(np.hypot(*place(run))) / CLEARANCE - 1.0, 1e-9, "projection"),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    dense = run.at(np.linspace(run.t[0], run.t[-1], 4000))
    left.plot(*place(dense) / CLEARANCE, lw=0.8)
    left.set(xlabel="d_x / c", ylabel="d_y / c", title="the pin in its bearing", aspect="equal")
    right.plot(1e3 * dense.t, dense["wrist"], lw=1.0)
    right.set(xlabel="t / ms", ylabel="force of the pin / N")


if __name__ == "__main__":
    g.main(__file__)
