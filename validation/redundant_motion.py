"""Mechanisms with redundant rows for 10 s: a near-parallelogram, a leg with two loops, a gripper.

    python validation/redundant_motion.py --json validation/redundant_motion.json

Each falls freely, so that its energy is constant. Recorded are how the run ended, its steps, the largest change of the
energy (J, and relative to the kinetic energy that it reaches), the largest distance off all rows, with those that were
left out, which rows were left out first and last, and how many crossings were passed. A model that is in the JSON file
is not computed again (--fresh does).

The gripper has the geometry, joints and masses of the Robotiq 2F-85 in google-deepmind/mujoco_menagerie (BSD-2-Clause),
hanging, without its springs, dampers and stops: 8 joints, 7 rows that close its loops, of rank 5.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import gauss as g  # noqa: E402
from gauss import bodies as mb  # noqa: E402

END = 10.0  # s
Z = (0.0, 0.0, 1.0)


def quaternion(w, x, y, z):
    """Rotation matrix of a quaternion, which need not have unit length."""
    w, x, y, z = np.array([w, x, y, z]) / np.linalg.norm([w, x, y, z])
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


# ------------------------------------------------------------------ a near-parallelogram


def bar(name, mass, length):
    """A round bar along its first axis, of 3 cm radius."""
    across = mass * (length**2 / 12 + 0.03**2 / 4)
    slender = [mass * 0.03**2 / 2, across, across]
    return mb.Body(name, mb.Inertia.of_tensor(mass, slender, centre=(length / 2, 0, 0)))


def placed(body, axes, start, end):
    """Pose of a bar from `start` to `end` (2,) in the plane of the first two of `axes`."""
    angle = float(np.arctan2(*(end - start)[::-1]))
    return body.pose(axes @ np.append(start, 0.0), axes @ mb.about(Z, angle))


def meeting(one, r1, two, r2, side):
    """Where circles about two points meet, to the left of the way from one to two (side 1) or to the right (−1)."""
    way = two - one
    d = np.hypot(*way)
    along = (r1**2 - r2**2 + d**2) / (2 * d)
    across = np.sqrt(r1**2 - along**2)
    return one + (along * way + side * across * np.array([-way[1], way[0]])) / d


def four_bar(excess, angle=1.2):
    """Three bars in space on four hinges, a parallelogram but for a rocker that is longer by `excess` (m).

    Three of its 38 rows are redundant. At its flat positions it is as near to a change point as √excess.
    """
    short, long, axes = 0.4, 1.0, mb.euler("zyx", 0.3, -0.5, 0.8)
    up = tuple(axes @ np.array(Z))
    A, D = np.zeros(2), np.array([long, 0.0])
    B = short * np.array([np.cos(angle), np.sin(angle)])
    C = meeting(B, long, D, short + excess, 1)
    crank, coupler, rocker = bar("crank", 1.0, short), bar("coupler", 1.0, long), bar("rocker", 1.0, short + excess)
    hinges = [
        mb.Revolute("A", mb.GROUND, (0, 0, 0), crank, (0, 0, 0), up, Z),
        mb.Revolute("B", crank, (short, 0, 0), coupler, (0, 0, 0), Z, Z),
        mb.Revolute("C", coupler, (long, 0, 0), rocker, (short + excess, 0, 0), Z, Z),
        mb.Revolute("D", mb.GROUND, tuple(axes @ np.append(D, 0.0)), rocker, (0, 0, 0), up, Z),
    ]
    gravity = tuple(axes @ np.array([0.0, -9.81, 0.0]))
    frame = mb.Mechanism("near-parallelogram", [crank, coupler, rocker], hinges, gravity=gravity)
    return frame, [placed(crank, axes, A, B), placed(coupler, axes, B, C), placed(rocker, axes, D, C)]


# ------------------------------------------------------------------ a leg with two loops


def leg(excess=1e-4):
    """A leg that hangs from a spherical hip: 13 freedoms of its tree, 6 rows that close two loops, of rank 5.

    Thigh, shank, tarsus and a rod beside the shank are a planar four-bar that is a parallelogram but for `excess` (m),
    whose rod ends in a ball joint: its row across the plane is redundant. A crank on the tarsus moves the foot, which
    hangs on a universal joint, by a second rod with ball joints at both ends. The foot carries a toe.
    """
    side, down = 0.08, 0.4  # m, of the four-bar
    thigh, shank, tarsus = bar("thigh", 4.0, 0.4), bar("shank", 1.0, down), bar("tarsus", 1.0, 0.35)
    rod, crank, link = bar("rod", 0.2, down + excess), bar("crank", 0.05, 0.06), bar("link", 0.05, 0.3)
    foot, toe = bar("foot", 0.5, 0.2), bar("toe", 0.2, 0.08)
    axes = mb.euler("zyx", 0.2, 0.1, 0.3)
    hip, knee = np.zeros(2), 0.4 * np.array([np.sin(0.3), -np.cos(0.3)])
    forward = np.array([np.cos(0.3), np.sin(0.3)])  # square to the thigh
    top = knee + side * forward
    ankle = knee + down * np.array([-np.sin(0.4), -np.cos(0.4)])
    bottom = meeting(ankle, side, top, down + excess, -1)
    lower = (bottom - ankle) / side  # the tarsus is square to this arm
    heel = ankle + 0.35 * np.array([lower[1], -lower[0]])
    pivot = ankle + 0.05 * np.array([lower[1], -lower[0]])
    tip = pivot + 0.06 * lower
    toes = heel + 0.2 * lower
    poses = [
        placed(thigh, axes, hip, knee),
        placed(shank, axes, knee, ankle),
        placed(tarsus, axes, ankle, heel),
        placed(rod, axes, top, bottom),
        placed(foot, axes, heel, toes),
        placed(crank, axes, pivot, tip),
        placed(toe, axes, toes, toes + 0.08 * lower),
    ]
    # the second rod leaves the plane: from the tip of the crank to a point beside the foot
    start = axes @ np.append(tip, 0.02)
    end = axes @ (np.append(heel + 0.06 * lower, 0.0) + np.array([0.0, 0.0, 0.04]))
    first = (end - start) / np.linalg.norm(end - start)
    second = np.cross(axes[:, 2], first)
    second /= np.linalg.norm(second)
    poses.append(link.pose(start, np.column_stack([first, second, np.cross(first, second)])))
    length = float(np.linalg.norm(end - start))

    def of(body, pose, point):
        """A point of space in the axes of a body."""
        q = [pose.q[name] for name in body.coordinates]
        return tuple(np.array(q[3:]).reshape(3, 3).T @ (np.asarray(point) - q[:3]))

    pose = {p.body: p for p in poses}
    joints = [
        mb.Spherical("hip", mb.GROUND, (0, 0, 0), thigh, (0, 0, 0)),
        mb.Revolute("knee", thigh, (0.4, 0, 0), shank, (0, 0, 0), Z, Z),
        mb.Revolute("ankle", shank, (down, 0, 0), tarsus, (0, 0, 0), Z, Z),
        mb.Revolute("top", thigh, of(thigh, pose["thigh"], axes @ np.append(top, 0.0)), rod, (0, 0, 0), Z, Z),
        mb.Universal("heel", tarsus, (0.35, 0, 0), foot, (0, 0, 0), Z, (1, 0, 0)),
        mb.Revolute("pivot", tarsus, (0.05, 0, 0), crank, (0, 0, 0), Z, Z),
        mb.Spherical("tip", crank, of(crank, pose["crank"], start), link, (0, 0, 0)),
        mb.Revolute("ball", foot, (0.2, 0, 0), toe, (0, 0, 0), Z, Z),
        mb.Spherical("bottom", rod, (down + excess, 0, 0), tarsus, of(tarsus, pose["tarsus"], axes @ [*bottom, 0.0])),
        mb.Spherical("end", link, (length, 0, 0), foot, of(foot, pose["foot"], end)),
    ]
    return mb.Mechanism("leg", [thigh, shank, tarsus, rod, foot, crank, link, toe], joints), poses


# ------------------------------------------------------------------ a gripper

# name: (mass, centre, quaternion of the principal axes, moments), kg, m, kg m²; the pad is part of the follower
INERTIAS = {
    "driver": (
        0.00899563,
        (0, 0.0177547, 0.00107314),
        (0.681301, 0.732003, 0, 0),
        (1.72352e-06, 1.60906e-06, 3.22006e-07),
    ),
    "coupler": (
        0.0140974,
        (0, 0.00301209, 0.0232175),
        (0.705636, -0.0455904, 0.0455904, 0.705636),
        (4.16206e-06, 3.52216e-06, 8.88131e-07),
    ),
    "link": (
        0.0221642,
        (-8.65005e-09, 0.0181624, 0.0212658),
        (0.663403, -0.244737, 0.244737, 0.663403),
        (8.96853e-06, 6.71733e-06, 2.63931e-06),
    ),
    "follower": (0.0125222, (0, -0.011046, 0.0124786), (1, 0.1664, 0, 0), (2.67415e-06, 2.4559e-06, 6.02031e-07)),
    "pad": (0.0035, (0, -0.0025 - 0.0189, 0.0185 + 0.01352), (1, 0, 0, 1), (4.73958e-07, 3.64583e-07, 1.23958e-07)),
}
ARMATURE = 0.005  # kg m², of the drives about their axes
DRIVER, COUPLER = np.array([0, 0.0306011, 0.054904]), np.array([0, 0.0315, -0.0041])  # m, in their parents
LINK, FOLLOWER, HINGE = np.array([0, 0.0132, 0.0609]), np.array([0, 0.055, 0.0375]), np.array([0, -0.018, 0.0065])


def inertia(part):
    """The inertia of a part of a finger."""
    mass, centre, turned, moments = INERTIAS[part]
    return mb.Inertia.of_tensor(mass, moments, centre=centre, axes=quaternion(*turned))


def gripper():
    """Two fingers of a driver, a coupler, a link and a follower each, whose drivers turn alike."""
    bodies, poses, joints, drives = [], [], [], []
    anchor = LINK + FOLLOWER - DRIVER - COUPLER  # in the coupler, where the origin of the follower is at first
    for name, axes in (("right", np.eye(3)), ("left", np.diag([-1.0, -1.0, 1.0]))):
        spun = mb.Inertia.of_tensor(1e-9, [ARMATURE] * 3)
        driver, coupler, link, follower = parts = [
            mb.Body(f"{name}_driver", inertia("driver") + spun),
            mb.Body(f"{name}_coupler", inertia("coupler")),
            mb.Body(f"{name}_link", inertia("link")),
            mb.Body(f"{name}_follower", inertia("follower") + inertia("pad")),
        ]
        bodies += parts
        places = [DRIVER, DRIVER + COUPLER, LINK, LINK + FOLLOWER]
        poses += [body.pose(axes @ place, axes) for body, place in zip(parts, places, strict=True)]
        x, out = (1.0, 0.0, 0.0), tuple(axes[:, 0])
        drives.append(mb.Revolute(f"{name} drive", mb.GROUND, tuple(axes @ DRIVER), driver, (0, 0, 0), out, x))
        joints += [
            drives[-1],
            mb.Revolute(f"{name} coupling", driver, tuple(COUPLER), coupler, (0, 0, 0), x, x),
            mb.Revolute(f"{name} spring", mb.GROUND, tuple(axes @ LINK), link, (0, 0, 0), out, x),
            mb.Revolute(f"{name} hinge", link, tuple(FOLLOWER + HINGE), follower, tuple(HINGE), x, x),
            mb.Spherical(f"{name} connection", follower, (0, 0, 0), coupler, tuple(anchor)),
        ]
    joints.append(mb.Gear("tie", *drives, 1.0))
    return mb.Mechanism("gripper", bodies, joints, gravity=(0.0, 0.0, 9.81)), poses


# ------------------------------------------------------------------ the campaign

MODELS = {
    "near-parallelogram, 1e-3": lambda: four_bar(1e-3),
    "near-parallelogram, 1e-4": lambda: four_bar(1e-4),
    "leg": leg,
    "gripper": gripper,
}


def measured(mechanism, poses, end):
    """The run of one model and its errors."""
    system = mechanism.system
    state = g.consistent(system, *mechanism.state(*poses))
    verdict = g.classify(system, state.q, state.v)
    before = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = g.simulate(system, state.q, state.v, t_end=end, rtol=1e-11, progress="none")
    seconds = time.perf_counter() - before
    some = np.linspace(0, len(run) - 1, min(len(run), 200)).astype(int)
    off = [np.abs(system.model.residuals(run.q[i], run.v[i], run.t[i], system.theta())) for i in some]
    change = float(np.ptp(run.energy))
    return {
        "verdict": verdict.verdict,
        "rows": len(system.row_names),
        "rank": int(verdict.regularity.rank),
        "freedoms": system.n - int(verdict.regularity.rank),
        "ending": run.ending.kind,
        "message": run.ending.message,
        "t": float(run.t[-1]),
        "steps": len(run),
        "energy": change,
        "relative": change / float(np.max(run.kinetic)) if np.max(run.kinetic) > 0.0 else change,
        "off position": float(max(np.max(phi) for phi, _ in off)),
        "off velocity": float(max(np.max(psi) for _, psi in off)),
        "left out": list(run.about.redundant),
        "windows": len(run.windows),
        "seconds": seconds,
    }


def main():
    """Run the models that are not in the file yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", nargs="*", default=list(MODELS))
    parser.add_argument("--end", type=float, default=END)
    parser.add_argument("--fresh", action="store_true")
    given = parser.parse_args()
    known = json.loads(given.json.read_text()) if given.json and given.json.exists() and not given.fresh else {}
    for name in given.only:
        if name not in known:
            known[name] = measured(*MODELS[name](), given.end)
            if given.json:
                given.json.write_text(json.dumps(known, indent=1) + "\n")
        print(name, known[name], flush=True)


if __name__ == "__main__":
    main()
