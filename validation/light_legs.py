"""Platforms on legs of 1e-8 to 1 of their mass: neither steps nor verdict follow the masses or the order of the rows.

    python validation/light_legs.py --json validation/light_legs.json

A platform in the plane on three legs (3-RPR) and one in space on six (a hexapod), each leg a cylinder and a rod; the
drives of the legs prescribe their lengths, or the legs slide freely and the platform falls. Recorded are, for each mass
of the legs and order of the rows, the verdict on the start, how the run ended, its steps, and how far it is from what
does not know the masses: driven platforms go where the lengths put them and their accelerations follow, and light legs
are pushed as much as the platform alone demands (50 digits); a platform on light free legs falls like a stone. Of free
legs the largest change of the energy is recorded too. A case that is in the JSON file is not computed again (--fresh
does).
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
import warnings
from functools import lru_cache
from pathlib import Path

import mpmath as mp
import numpy as np
from campaign import store

import gauss as g
from gauss import bodies as mb

G, MASS, RADIUS = 9.81, 30.0, 0.3  # m/s², kg, m, of the platform and its gyration about the last axis
DIGITS = 50
ORDERS = ("as built", "reversed", "drives first", "shuffled")
SHARES = (1.0, 1e-2, 1e-4, 1e-6, 1e-8)
FEW = {"3-RPR": (SHARES, ORDERS), "hexapod": (SHARES[::2], ORDERS[::3])}  # a case of 156 coordinates takes a minute
ENDS = {"driven": 10.0, "free": 1.0}  # s
MORE = 1.2  # most steps of a case over the fewest


def ring(radius, angles):
    """Points (k, 2) on a circle."""
    return radius * np.array([[np.cos(a), np.sin(a)] for a in angles])


def swing(i):
    """By how much drive i changes the length of its leg, m."""
    return 0.1 * (1.0 + 0.5 * (i % 3)) * (0.5 if i > 2 else 1.0)


# ------------------------------------------------------------------ models


class Planar:
    """The platform in the plane on three legs."""

    third = 2.0 * np.pi / 3.0 * np.arange(3)
    bases, tips = ring(2.0, np.pi / 2 + third), ring(0.4, np.pi / 2 + 0.6 + third)
    start = (0.1, -0.05, 0.1)  # x, y, angle

    @staticmethod
    def turned(pose):
        """The matrix of a pose, of the numbers that NumPy or mpmath gives."""
        c, s = mp.cos(pose[2]), mp.sin(pose[2])
        return [[c, -s], [s, c]]

    @classmethod
    def parts(cls, m):
        """Bodies, their poses, joints and the sliders of the legs."""
        platform = mb.PlanarBody("platform", MASS, MASS * RADIUS**2 / 2)
        bodies, poses, joints, sliders = [platform], [platform.pose(cls.start[:2], cls.start[2])], [], []
        for i, (base, tip, end) in enumerate(zip(cls.bases, cls.tips, ends(cls), strict=True)):
            angle = float(np.arctan2(*(end - base)[::-1]))
            cylinder = mb.PlanarBody(f"cylinder_{i}", m, m / 12, centre=(0.5, 0))
            rod = mb.PlanarBody(f"rod_{i}", m, m / 12, centre=(-0.5, 0))
            bodies += [cylinder, rod]
            poses += [cylinder.pose(base, angle), rod.pose(end, angle)]
            sliders.append(mb.Slider(f"slider {i}", cylinder, (0, 0), rod, (0, 0), (1, 0)))
            joints += [mb.Pin(f"base {i}", mb.GROUND, base, cylinder, (0, 0)), sliders[-1]]
            joints.append(mb.Pin(f"tip {i}", rod, (0, 0), platform, tip))
        return bodies, poses, joints, sliders

    @staticmethod
    def rates(poses, h):
        """Acceleration and angular acceleration of three poses a time h apart."""
        return [(poses[2][k] - 2 * poses[1][k] + poses[0][k]) / h**2 for k in range(3)]

    @staticmethod
    def demand(pose, rates):
        """Force and torque about the centre that move the platform so."""
        return [MASS * rates[0], MASS * (rates[1] + G), MASS * RADIUS**2 / 2 * rates[2]]

    @staticmethod
    def arm(arm, along):
        """The torque of a force along a direction."""
        return [arm[0] * along[1] - arm[1] * along[0]]

    @staticmethod
    def seen(run):
        """Place and axes at the end."""
        return np.array([run[f"platform_{k}"][-1] for k in "xycs"])

    @classmethod
    def wanted(cls, pose):
        """The same of a pose."""
        turn = cls.turned(pose)
        return np.array([float(x) for x in (pose[0], pose[1], turn[0][0], turn[1][0])])


class Spatial:
    """The platform in space on six legs."""

    pairs = np.repeat(2.0 * np.pi / 3.0 * np.arange(3), 2)
    bases = np.column_stack([ring(1.0, pairs + np.tile([-0.2, 0.2], 3)), np.zeros(6)])
    tips = np.column_stack([ring(0.5, pairs + np.tile([-0.85, 0.85], 3)), np.zeros(6)])
    start = (0.05, -0.03, 1.1, 0.04, -0.03, 0.05)  # place and Rodrigues parameters
    moments = MASS * RADIUS**2 * np.array([0.6, 0.6, 1.0])  # kg m²

    @staticmethod
    def turned(pose):
        """The matrix of a pose: of the rotation with the Rodrigues parameters b (Cayley)."""
        b = [mp.mpf(x) for x in pose[3:]]
        square = sum(x * x for x in b)
        cross = [[0, -b[2], b[1]], [b[2], 0, -b[0]], [-b[1], b[0], 0]]
        return [
            [((1 - square) * (i == j) + 2 * b[i] * b[j] + 2 * cross[i][j]) / (1 + square) for j in range(3)]
            for i in range(3)
        ]

    @classmethod
    def parts(cls, m):
        """Bodies, their poses, joints and the sliders of the legs."""
        inertia = mb.Inertia.of_tensor(MASS, cls.moments)
        platform, turn = mb.Body("platform", inertia), np.array(cls.turned(cls.start), dtype=float)
        bodies, poses, joints, sliders = [platform], [platform.pose(cls.start[:3], turn)], [], []
        slender = [m * 0.8**2 / 12, m * 0.8**2 / 12, m * 0.04**2 / 2]
        for i, (base, tip, end) in enumerate(zip(cls.bases, cls.tips, ends(cls), strict=True)):
            along = (end - base) / np.linalg.norm(end - base)
            level = np.cross([0.0, 0.0, 1.0], along)
            level /= np.linalg.norm(level)
            axes = np.column_stack([np.cross(level, along), level, along])
            cylinder = mb.Body(f"cylinder_{i}", mb.Inertia.of_tensor(m, slender, centre=(0, 0, 0.4)))
            rod = mb.Body(f"rod_{i}", mb.Inertia.of_tensor(m, slender, centre=(0, 0, -0.4)))
            bodies += [cylinder, rod]
            poses += [cylinder.pose(base, axes), rod.pose(end, axes)]
            sliders.append(mb.Prismatic(f"slider {i}", cylinder, (0, 0, 0), rod, (0, 0, 0)))
            joints.append(mb.Universal(f"base {i}", mb.GROUND, base, cylinder, (0, 0, 0), level, (1, 0, 0)))
            joints += [sliders[-1], mb.Spherical(f"tip {i}", rod, (0, 0, 0), platform, tip)]
        return bodies, poses, joints, sliders

    @classmethod
    def rates(cls, poses, h):
        """Acceleration, angular velocity and angular acceleration of three poses a time h apart."""
        before, now, after = (mp.matrix(cls.turned(pose)) for pose in poses)
        first, second = (after - before) / (2 * h) * now.T, (after - 2 * now + before) / h**2 * now.T
        w, turning = ([(X[j, i] - X[i, j]) / 2 for i, j in ((1, 2), (2, 0), (0, 1))] for X in (first, second))
        return [(poses[2][k] - 2 * poses[1][k] + poses[0][k]) / h**2 for k in range(3)], w, turning

    @classmethod
    def demand(cls, pose, rates):
        """Force and torque about the centre that move the platform so."""
        a, w, turning = rates
        turn = mp.matrix(cls.turned(pose))
        inertia = turn * mp.diag(cls.moments.tolist()) * turn.T
        spin, change = list(inertia * mp.matrix(w)), list(inertia * mp.matrix(turning))
        torque = [x + y for x, y in zip(change, cls.arm(w, spin), strict=True)]
        return [MASS * a[0], MASS * a[1], MASS * (a[2] + G), *torque]

    @staticmethod
    def arm(arm, along):
        """The torque of a force along a direction."""
        (x, y, z), (u, v, w) = arm, along
        return [y * w - z * v, z * u - x * w, x * v - y * u]

    names = ("x", "y", "z", *(f"R{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)))

    @classmethod
    def seen(cls, run):
        """Place and axes at the end."""
        return np.array([run[f"platform_{k}"][-1] for k in cls.names])

    @classmethod
    def wanted(cls, pose):
        """The same of a pose."""
        return np.array([float(x) for x in [*pose[:3], *(x for row in cls.turned(pose) for x in row)]])


MODELS = {"3-RPR": Planar, "hexapod": Spatial}


def ends(kind):
    """Where the tips of the legs are at the start (k, d), m."""
    size = kind.tips.shape[1]
    return np.array(kind.start[:size]) + kind.tips @ np.array(kind.turned(kind.start), dtype=float).T


def lengths(kind):
    """The lengths of the legs at the start, m."""
    return [float(x) for x in np.linalg.norm(ends(kind) - kind.bases, axis=1)]


def machine(kind, share, driven, order="as built", seed=1):
    """The system and its state at the start; each leg, of two parts, has `share` of the platform's mass."""
    bodies, poses, joints, sliders = kind.parts(share * MASS / 2)
    drives = []
    for i, (slider, length) in enumerate(zip(sliders, lengths(kind), strict=True)):
        motion = lambda t, i=i, length=length: length + swing(i) * (1.0 - g.cos(t))  # noqa: E731
        drives += [mb.Driver(f"drive {i}", slider, motion)] if driven else []
    rows = [row for body in bodies for row in body.constraints]
    rows += [row for joint in joints for row in joint.constraints()]
    last = [row for drive in drives for row in drive.constraints()]
    if order == "drives first":
        rows = [*last, *rows[::-1]]
    elif order == "shuffled":
        rng = np.random.default_rng(seed)
        rows = [*rows, *last]
        rows, bodies = ([each[k] for k in rng.permutation(len(each))] for each in (rows, bodies))
    else:
        rows = [*rows, *last][:: -1 if order == "reversed" else 1]
    plain = mb.Mechanism(kind.__name__, bodies)
    system = g.System(
        kind.__name__,
        [name for body in bodies for name in body.coordinates],
        kinetic_energy=plain.system.kinetic_energy.function,
        potential_energy=plain.system.potential_energy.function,
        constraints=rows,
    )
    return system, g.State(*plain.state(*poses), 0.0)


# ------------------------------------------------------------------ what does not know the masses


def place_at(kind, t, guess):
    """The pose (50 digits) at which the legs have the lengths that the drives prescribe."""
    size = kind.tips.shape[1]

    def off(*pose):
        turn = kind.turned(pose)
        found = []
        for i, (base, tip, length) in enumerate(zip(kind.bases, kind.tips, lengths(kind), strict=True)):
            arm = mp.matrix(turn) * mp.matrix(tip.tolist())
            apart = [pose[k] + arm[k] - mp.mpf(base[k]) for k in range(size)]
            found.append(sum(x * x for x in apart) - (mp.mpf(length) + mp.mpf(swing(i)) * (1 - mp.cos(t))) ** 2)
        return found

    return list(mp.findroot(off, guess, tol=mp.mpf(10) ** (15 - 2 * DIGITS)))


@lru_cache
def by_lengths(kind, t):
    """Place and axes of the driven platform at a time, and the forces of drives that move it alone."""
    with mp.workdps(DIGITS):
        h, pose = mp.mpf(10) ** -12, [mp.mpf(x) for x in kind.start]
        for k in range(1, int(4 * t) + 1):
            pose = place_at(kind, mp.mpf(k) / 4, pose)
        poses = [place_at(kind, t + later, pose) for later in (-h, 0, h)]
        pose = poses[1]
        turn, size, wrenches = kind.turned(pose), kind.tips.shape[1], []
        for base, tip in zip(kind.bases, kind.tips, strict=True):
            arm = list(mp.matrix(turn) * mp.matrix(tip.tolist()))
            along = [pose[k] + arm[k] - mp.mpf(base[k]) for k in range(size)]
            length = mp.sqrt(sum(x * x for x in along))
            along = [x / length for x in along]
            wrenches.append([*along, *kind.arm(arm, along)])
        demand = kind.demand(pose, kind.rates(poses, h))
        forces = mp.lu_solve(mp.matrix(wrenches).T, mp.matrix(demand))
        return kind.wanted(pose), np.array([float(x) for x in forces])


# ------------------------------------------------------------------ the campaign


def measured(kind, share, way, order):
    """One case: verdict, steps and errors."""
    system, state = machine(kind, share, way == "driven", order)
    end = ENDS[way]
    verdict = g.classify(system, state.q, state.v)
    before = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = g.simulate(system, state.q, state.v, t_end=end, progress="none")
    found = {
        "verdict": verdict.verdict,
        "ending": run.ending.kind,
        "message": run.ending.message,
        "steps": len(run),
        "seconds": time.perf_counter() - before,
    }
    if way == "driven":
        place, forces = by_lengths(kind, end)
        pushes = np.array([run[f"drive {i}"][-1] for i in range(len(forces))])
        found["place"] = float(np.max(np.abs(kind.seen(run) - place)))
        found["forces"] = float(np.max(np.abs(pushes - forces)) / np.max(np.abs(forces)))
    else:
        up = "platform_y" if kind is Planar else "platform_z"
        found["fall"] = float(np.max(np.abs(run[up] - kind.start[len(kind.tips[0]) - 1] + G * run.t**2 / 2)))
        found["energy"] = float(np.ptp(run.energy) / np.max(run.kinetic))
    return found


def main():
    """Run the cases that are not in the file yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--fresh", action="store_true")
    given = parser.parse_args()
    known = json.loads(given.json.read_text()) if given.json and given.json.exists() and not given.fresh else {}
    wrong = 0
    for (name, (shares, orders)), way in itertools.product(FEW.items(), ENDS):
        found = []
        for share, order in itertools.product(shares, orders):
            case = f"{name}, {way}, legs of {share:.0e}, rows {order}"
            if given.only not in case or (way == "free" and order == "drives first"):
                continue
            if case not in known:
                known[case] = measured(MODELS[name], share, way, order)
                store(given.json, known)
            found.append(known[case])
            print(case, known[case], flush=True)
        wrong += summarised(f"{name}, {way}", found)
    return 1 if wrong else 0


def summarised(name, found):
    """Print the steps and verdicts of some cases; return whether they differ too much."""
    if not found:
        return False
    steps, verdicts = [case["steps"] for case in found], sorted({case["verdict"] for case in found})
    endings = sorted({case["ending"] for case in found})
    print(f"{name}: steps {min(steps)} to {max(steps)}, {', '.join(verdicts)}; {', '.join(endings)}", flush=True)
    return max(steps) > MORE * min(steps) or verdicts != ["regular"] or endings != ["finished"]


if __name__ == "__main__":
    sys.exit(main())
