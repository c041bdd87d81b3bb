"""Robots of files against Pinocchio and MuJoCo: masses, forces, placements, Jacobians, loops, ranks and reactions.

    GAUSS_ROBOTS=<folder> python validation/robots.py --count 100 --seed 7 --json validation/robots.json

It needs the packages pin, mujoco and example-robot-data; the folder has robots with closed loops (5bar_linkage_iso3d,
digit_like and robot_delta of Gepetto's example-parallel-robots, 2f85.xml of MuJoCo's menagerie), and without it only
those of example-robot-data are read. `--count` is the number of random states of each robot, `--only` a part of the
names. Families, each with the largest relative difference of what it compares:

* urdf: all robots of example-robot-data on a fixed and on a free base. The mass matrix, C v + gravity, gravity, and
  places and Jacobians of the frames of all links are those of Pinocchio and of MuJoCo. What nothing is compared with is
  listed, with the reason.
* random urdf, random mjcf: the same for trees of 4 to 12 links from a generator (`robot_models.py`), with axes of any
  length and sign, turns about ±π/2, links without mass, tiny inertias, several joints on a body, in any units and
  order.
* loops: rows of loops against Jacobians of Pinocchio and MuJoCo; poses closed by the doctor, their gaps measured by
  those; ranks and freedoms as known; rows stay dependent where loops are opened by 1e-6 … 1e-2 m.
* reactions: those of the 2F-85 at rest that are determined, by least squares on matrices of MuJoCo.
* two coordinates: random trees and chains in natural and in joint coordinates have the same accelerations, reactions
  and verdicts.

Masses are compared in units of √(M_ii M_jj), forces in those of √M_ii (times the largest), the rest by the largest.
Robots whose inertia no body has are compared with the nearest inertia, of a computation here; MuJoCo, which reads no
such file, is given these inertias after it has read the rest.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from importlib.metadata import files
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import mujoco  # noqa: E402
import pinocchio as pin  # noqa: E402
import robot_models as models  # noqa: E402
import scipy  # noqa: E402
from campaign import options_of, run_families  # noqa: E402

import gauss as g  # noqa: E402
from gauss import bodies as mb  # noqa: E402
from gauss.bodies.joints.spatial_joints import Joint  # noqa: E402
from gauss.bodies.tree.places import TreePlaces, TreeRates  # noqa: E402
from gauss.errors import GaussError, InputError, NonUniqueAccelerationError  # noqa: E402

FOLDER = Path(os.environ.get("GAUSS_ROBOTS", ""))
TOLERANCE = 1e-10  # relative
GAPS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)  # m by which loops are opened
ROOT = "the root called world"
STAGES = (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_tendon, mujoco.mj_transmission, mujoco.mj_fwdVelocity)
KNOWN = {  # rows of the loops, rank, freedoms in the closed pose
    "5bar_linkage_iso3d": (3, 3, 2),
    "digit_like": (18, 18, 9),
    "2f85": (7, 5, 3),
    "robot_delta": (15, 6, 2),
}


# ------------------------------------------------------------------ what gauss says


def word(name: str) -> str:
    """Return the identifier that a name of a file becomes."""
    return re.sub(r"\W", "_", name).strip("_")


class Ours:
    """A robot of `gauss.load` at states of joints."""

    def __init__(self, robot: Any):
        self.robot, self.system = robot, robot.system
        self.names = list(self.system.coordinates)
        self.theta = self.system.theta()
        self.at = {name: k for k, name in enumerate(self.names)}
        self.length = self.robot.tree.length / max(len(self.robot.tree.nodes), 1) or 1.0  # m, of a link

    def mass_and_force(self, q: Any, v: Any) -> tuple[Any, Any]:
        """Return M (n, n) and the forces without rows (n,)."""
        terms = self.system.model.terms(q, v, 0.0, self.theta)
        return np.array(terms.M), np.array(terms.f)

    def rows(self, q: Any) -> Any:
        """Return the equality rows (m, n) of loops, without those of unit quaternions."""
        index = [k for k in self.system.model.equality if " unit" not in self.system.row_names[k]]
        return np.array(self.system.model.terms(q, 0.0 * q, 0.0, self.theta).J)[index]

    def frames(self, q: Any) -> dict[str, tuple[Any, Any, Any]]:
        """Return the origin (3,), axes (3, 3) and Jacobian (6, n) (angular first, in its axes) of each frame."""
        tree, n = self.robot.tree, len(self.names)
        places = TreePlaces(tree, dict(zip(self.names, q.tolist(), strict=True)))
        rates = TreeRates(places, dict(zip(self.names, np.eye(n), strict=True)))
        node = {id(node.body): k for k, node in enumerate(tree.nodes)}
        found, bodies = {}, dict[int, Any]()
        for name, frame in self.robot.frames.items():
            k = node.get(id(frame.body), -1)
            if k not in bodies:
                origin, R = places.placed(k)
                spin, speed = ([np.broadcast_to(x, n) for x in part] for part in rates.twist(k))
                bodies[k] = np.array(origin), np.array(R), np.array(spin), np.array(speed)
            p, R, w, u = bodies[k]
            point, turn = np.array(frame.point), frame.rotation
            moved = u + np.cross(w.T, point).T
            found[name] = p + R @ point, R @ turn, np.vstack([turn.T @ w, turn.T @ moved])
        return found


# ------------------------------------------------------------------ Pinocchio


def nearest_inertia(inertia: Any) -> Any:
    """Return the inertia with the second moments clipped at zero, as a body has it."""
    J = inertia.inertia
    values, turned = np.linalg.eigh(np.trace(J) / 2.0 * np.eye(3) - J)
    if values[0] >= 0.0 or inertia.mass == 0.0:
        return inertia
    second = (turned * np.maximum(values, 0.0)) @ turned.T
    return pin.Inertia(inertia.mass, inertia.lever, np.trace(second) * np.eye(3) - second)


class Pinocchio:
    """The model of a URDF by Pinocchio, joints that `gauss` fixed locked at 0, and its coordinates in ours."""

    def __init__(self, path: Path, ours: Ours, free: bool):
        model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()) if free else pin.buildModelFromUrdf(
            str(path))  # fmt: skip
        idle = [k for k, name in enumerate(model.names) if k and name != "root_joint" and self._idle(name, ours)]
        self.model = pin.buildReducedModel(model, idle, pin.neutral(model)) if idle else model
        self.idle, self.mended = len(idle), 0
        for k in range(1, self.model.njoints):
            better = nearest_inertia(self.model.inertias[k])
            self.mended += better is not self.model.inertias[k] and not better.isApprox(self.model.inertias[k], 1e-12)
            self.model.inertias[k] = better
        self.data = self.model.createData()
        self.ours, self.free = ours, free
        self.root = ours.robot.bodies[0].name if free else ""

    @staticmethod
    def _idle(name: str, ours: Ours) -> bool:
        return not any(
            x == word(name) or (x.startswith(word(name) + "_") and x in ours.at) for x in ours.robot.spanning
        )

    def state(self, rng: np.random.Generator) -> tuple[Any, ...]:
        """Return q, v of Pinocchio, q, v of ours, S with v = S v' and Ṡ v'."""
        model, ours = self.model, self.ours
        q, v = np.zeros(model.nq), rng.normal(size=model.nv)
        mine, S, change = np.zeros(len(ours.names)), np.zeros((len(ours.names), model.nv)), np.zeros(len(ours.names))
        for k in range(1, model.njoints):
            joint, name = model.joints[k], model.names[k]
            if name == "root_joint":
                p = rng.normal(size=4)
                p /= np.linalg.norm(p)
                x, w = ours.length * rng.normal(size=3), v[joint.idx_v + 3 : joint.idx_v + 6]
                q[joint.idx_q : joint.idx_q + 7] = [*x, *p[1:], p[0]]
                here = [ours.at[f"{self.root}_{e}"] for e in ("x", "y", "z", "qw", "qx", "qy", "qz")]
                mine[here] = [*x, *p]
                a, b, c, d = p
                R = pin.Quaternion(a, b, c, d).toRotationMatrix()
                half = 0.5 * np.array([[-b, -c, -d], [a, -d, c], [d, a, -b], [-c, b, a]])
                S[np.ix_(here[:3], range(joint.idx_v, joint.idx_v + 3))] = R
                S[np.ix_(here[3:], range(joint.idx_v + 3, joint.idx_v + 6))] = half
                change[here[:3]] = R @ np.cross(w, v[joint.idx_v : joint.idx_v + 3])
                change[here[3:]] = -0.25 * float(w @ w) * p
                continue
            value = rng.uniform(-np.pi, np.pi)
            if "JointModelP" in joint.shortname():
                value *= ours.length
            if joint.nq == 2:
                q[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
            elif joint.nq == 1:
                q[joint.idx_q] = value
            else:
                raise ValueError(f"{name}: {joint.shortname()}")
            mine[ours.at[word(name)]] = value
            S[ours.at[word(name)], joint.idx_v] = 1.0
        return q, v, mine, S @ v, S, change

    def compare(self, rng: np.random.Generator) -> dict[str, float]:
        """Return the largest relative differences at a random state."""
        model, data, ours = self.model, self.data, self.ours
        q, v, mine, rates, S, change = self.state(rng)
        M, f = ours.mass_and_force(mine, rates)
        still = ours.mass_and_force(mine, 0.0 * rates)[1]
        truth = np.triu(pin.crba(model, data, q))
        truth = truth + np.triu(truth, 1).T - np.diag(np.zeros(model.nv))
        damping = np.maximum(np.array(model.damping), 0.0) * v
        bias = np.array(pin.nonLinearEffects(model, data, q, v)) + damping
        gravity = np.array(pin.computeGeneralizedGravity(model, data, q))
        found = forces_apart(
            (S.T @ M @ S, truth), (S.T @ (M @ change - f), bias), (-S.T @ still, gravity)
        )  # fmt: skip
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        there = {}
        for name in ours.robot.frames:
            k = model.getFrameId(name, pin.FrameType.BODY)
            if k < model.nframes:
                J = np.reshape(pin.getFrameJacobian(model, data, k, pin.LOCAL), (6, -1))
                M_ = data.oMf[k]
                there[name] = M_.translation.copy(), M_.rotation.copy(), np.vstack([J[3:], J[:3]])
        return found | frames_apart({k: (p, R, J @ S) for k, (p, R, J) in ours.frames(mine).items()}, there)


def forces_apart(mass: Any, bias: Any, gravity: Any) -> dict[str, float]:
    """Return relative differences of pairs, in units of √M."""
    unit = np.sqrt(np.maximum(np.diag(mass[1]), 1e-30 * np.max(np.diag(mass[1]), initial=0.0)))
    unit = np.where(unit > 0.0, unit, 1.0)
    found = {"mass": float(np.max(np.abs(mass[0] - mass[1]) / np.outer(unit, unit), initial=0.0))}
    for name, (one, two) in (("bias", bias), ("gravity", gravity)):
        size = max(float(np.max(np.abs(two) / unit, initial=0.0)), 1e-3 * float(np.max(unit, initial=0.0))) or 1.0
        found[name] = float(np.max(np.abs(one - two) / unit, initial=0.0) / size)
    return found


def frames_apart(ours: dict[str, Any], there: dict[str, Any]) -> dict[str, float]:
    """Return relative differences of places and Jacobians of the frames that both know."""
    size = max((float(np.max(np.abs(p))) for p, _, _ in there.values()), default=0.0) or 1.0
    found = {"place": 0.0, "axes": 0.0, "jacobian": 0.0, "frames": 0.0}
    for name, (p, R, J) in there.items():
        a, B, C = ours[name]
        found["place"] = max(found["place"], float(np.max(np.abs(p - a))) / size)
        found["axes"] = max(found["axes"], float(np.max(np.abs(R - B))))
        scale = np.repeat([1.0, max(size, float(np.max(np.abs(J[3:]), initial=0.0)))], 3)[:, None]
        found["jacobian"] = max(found["jacobian"], float(np.max(np.abs(J - C) / scale, initial=0.0)))
        found["frames"] += 1
    return found


# ------------------------------------------------------------------ MuJoCo


def stripped(path: Path, free: bool) -> str:
    """Return the text of a URDF without shapes and with unit inertia, for MuJoCo to read and keep all its links."""
    root = ET.fromstring(path.read_text(encoding="utf-8").strip())
    unit = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    for link in root.iter("link"):
        for tag in ("visual", "collision", "inertial"):
            for x in link.findall(tag):
                link.remove(x)
        link.append(ET.fromstring(unit))
    for x in root.findall("mujoco"):
        root.remove(x)
    if free:
        children = {x.get("link") for x in root.iterfind("joint/child")}
        top = next(str(x.get("name")) for x in root.iterfind("link") if x.get("name") not in children)
        for x in root.iter():  # MuJoCo lets no link move that is called so
            for key in ("name", "link"):
                if x.tag in ("link", "parent", "child") and x.get(key) == "world":
                    x.set(key, ROOT)
        top = ROOT if top == "world" else top
        joint = ET.SubElement(root, "joint", name="root_joint", type="floating")
        ET.SubElement(root, "link", name="world")
        ET.SubElement(joint, "parent", link="world")
        ET.SubElement(joint, "child", link=top)
    head = ET.SubElement(root, "mujoco")
    ET.SubElement(
        head, "compiler", fusestatic="false", discardvisual="false", strippath="true", inertiafromgeom="false"
    )
    return ET.tostring(root, encoding="unicode")


def weighed(model: Any, there: Pinocchio) -> Any:
    """Return a model of MuJoCo with the inertias of Pinocchio's bodies on the links behind its joints."""
    model.body_mass[:], model.body_inertia[:] = 0.0, 0.0
    for j in range(model.njnt):
        name, i = model.joint(j).name, int(model.jnt_bodyid[j])
        if not there.model.existJointName(name):
            continue
        inertia = there.model.inertias[there.model.getJointId(name)]
        values, axes = np.linalg.eigh(inertia.inertia)
        axes[:, 0] *= np.sign(np.linalg.det(axes))
        model.body_mass[i], model.body_inertia[i], model.body_ipos[i] = inertia.mass, values, inertia.lever
        mujoco.mju_mat2Quat(model.body_iquat[i], axes.ravel())
    model.body_sameframe[:] = 0  # the axes of inertia are others than before
    model.body_simple[:], model.dof_simplenum[:] = 0, 0
    model.body_subtreemass[:] = model.body_mass
    for i in range(model.nbody - 1, 0, -1):
        model.body_subtreemass[model.body_parentid[i]] += model.body_subtreemass[i]
    return model


class MuJoCo:
    """A compiled model of MuJoCo, and its coordinates in ours."""

    def __init__(self, model: Any, ours: Ours):
        self.model, self.ours, self.data = model, ours, mujoco.MjData(model)
        names = [model.body(i).name or f"body{i}" for i in range(1, model.nbody)]
        self.link_of = ["", *("world" if name == ROOT else name for name in names)]
        self.joint_of = [
            model.joint(j).name or f"{self.link_of[model.jnt_bodyid[j]]}_joint{j}" for j in range(model.njnt)
        ]

    def state(self, rng: np.random.Generator, spread: float = np.pi) -> tuple[Any, ...]:
        """Return q, v of MuJoCo, q, v of ours, S with v = S v' and Ṡ v'."""
        model, ours, n = self.model, self.ours, len(self.ours.names)
        q, v = np.array(model.qpos0), rng.normal(size=model.nv)
        mine, S, change = np.zeros(n), np.zeros((n, model.nv)), np.zeros(n)
        for j, name in enumerate(self.joint_of):
            kind, at, dof = int(model.jnt_type[j]), int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
            if kind >= 2:
                if word(name) not in ours.at:
                    continue
                q[at] = rng.uniform(-spread, spread) * (ours.length if kind == 2 else 1.0)
                mine[ours.at[word(name)]] = q[at]
                S[ours.at[word(name)], dof] = 1.0
                continue
            p = rng.normal(size=4)
            p /= np.linalg.norm(p)
            start = word(name)
            if kind == 0:
                start = word(self.link_of[model.jnt_bodyid[j]])
                q[at : at + 3] = ours.length * rng.normal(size=3)
                here = [ours.at[f"{start}_{x}"] for x in "xyz"]
                mine[here] = q[at : at + 3]
                S[here, range(dof, dof + 3)] = 1.0
                at, dof = at + 3, dof + 3
            q[at : at + 4] = p
            turn = np.eye(3)
            if kind == 1:  # our axes are those of space where all joints are 0
                turn = ours.robot.frames[self.link_of[model.jnt_bodyid[j]]].rotation
            here = [ours.at[f"{start}_q{x}"] for x in "wxyz"]
            w = v[dof : dof + 3]
            a, b, c, d = own = np.array([p[0], *(turn @ p[1:])])
            mine[here] = own
            half = 0.5 * np.array([[-b, -c, -d], [a, -d, c], [d, a, -b], [-c, b, a]])
            S[np.ix_(here, range(dof, dof + 3))] = half @ turn
            change[here] = -0.25 * float(w @ w) * own
        return q, v, mine, S @ v, S, change

    def compare(self, rng: np.random.Generator) -> dict[str, float]:
        """Return the largest relative differences at a random state."""
        model, data, ours = self.model, self.data, self.ours
        q, v, mine, rates, S, change = self.state(rng)
        M, f = ours.mass_and_force(mine, rates)
        still = ours.mass_and_force(mine, 0.0 * rates)[1]
        truth = np.zeros((model.nv, model.nv))
        found, forces = [], []
        for speed in (v, 0.0 * v):
            data.qpos[:], data.qvel[:] = q, speed
            for stage in STAGES:  # no more, as the mass matrix may have no inverse
                stage(model, data)
            forces.append(np.array(data.qfrc_bias - data.qfrc_passive))
        for i in range(1, model.nbody):  # by Jacobians: `mj_fullM` cancels where tiny bodies are far from the origin
            J, W = np.zeros((3, model.nv)), np.zeros((3, model.nv))
            mujoco.mj_jacBodyCom(model, data, J, W, i)
            W = np.array(data.ximat[i]).reshape(3, 3).T @ W
            truth += model.body_mass[i] * J.T @ J + W.T @ (model.body_inertia[i][:, None] * W)
        truth += np.diag(model.dof_armature)
        known = np.flatnonzero(np.any(S, axis=0))
        S, truth = S[:, known], truth[np.ix_(known, known)]
        pairs = ((S.T @ (M @ change - f), forces[0][known]), (-S.T @ still, forces[1][known]))
        found = forces_apart((S.T @ M @ S, truth), *pairs)
        there = {}
        for i in range(1, model.nbody):
            J, W = np.zeros((3, model.nv)), np.zeros((3, model.nv))
            mujoco.mj_jacBody(model, data, J, W, i)
            R = np.array(data.xmat[i]).reshape(3, 3)
            there[self.link_of[i]] = np.array(data.xpos[i]), R, np.vstack([R.T @ W, R.T @ J])[:, known]
        return found | frames_apart({k: (p, R, C @ S) for k, (p, R, C) in ours.frames(mine).items()}, there)


# ------------------------------------------------------------------ families


def robots_of_package() -> list[Path]:
    """Return the URDFs of example-robot-data, in order of their names."""
    found = [Path(str(x.locate())) for x in files("example-robot-data") or () if x.name.endswith(".urdf")]
    return sorted(found, key=lambda path: (path.name, str(path)))


def worst(known: dict[str, float], new: dict[str, float]) -> dict[str, float]:
    """Return the larger of each number."""
    return {name: max(known.get(name, 0.0), x) for name, x in new.items()}


def failures_of(name: str, found: dict[str, float]) -> list[Any]:
    """Return what exceeds the tolerance."""
    return [
        {"robot": name, "what": what, "difference": x}
        for what, x in found.items()
        if what != "frames" and not x <= TOLERANCE
    ]


def seconds_of(path: Path, base: str | None) -> tuple[Any, float]:
    """Return a robot and the seconds until its first acceleration is known."""
    began = time.process_time()
    robot = g.load(path, base=base)  # type: ignore[arg-type]
    q = robot.system.vector(robot.state(values={})[0], "q")
    with contextlib.suppress(GaussError):  # values of 0 are beyond the limits of many
        g.accelerate(robot, q, 0.0 * q)
    return robot, time.process_time() - began


def urdf(count: int, rng: np.random.Generator, only: str = "") -> tuple[dict[str, Any], list[Any]]:
    """Compare the robots of example-robot-data."""
    record, failures, without = dict[str, Any](), list[Any](), dict[str, str]()
    for path in robots_of_package():
        if only not in path.name:
            continue
        for base in ("fixed", "free"):
            name = f"{path.parent.parent.name}/{path.stem}, {base}"
            try:
                robot, seconds = seconds_of(path, base)
            except InputError as error:
                without[name] = str(error).partition(": ")[2]
                continue
            ours = Ours(robot)
            there = Pinocchio(path, ours, base == "free")
            programs: dict[str, Any] = {"pinocchio": there}
            try:
                model = mujoco.MjModel.from_xml_string(stripped(path, base == "free"))
                programs["mujoco"] = MuJoCo(weighed(model, there), ours)
            except ValueError as error:
                without[f"{name} (MuJoCo)"] = str(error)[:160]
            record[name] = {
                "n": len(ours.names),
                "seconds": round(seconds, 2),
                "idle": there.idle,
                "mended": there.mended,
            }
            for program, other in programs.items():
                found = dict[str, float]()
                for _ in range(count):
                    found = worst(found, other.compare(rng))
                record[name][program] = found
                failures += failures_of(f"{name} ({program})", found)
    record["not compared"] = without
    return record, failures


def random_trees(count: int, rng: np.random.Generator) -> tuple[dict[str, Any], list[Any]]:
    """Compare random URDFs with Pinocchio and random MJCFs with MuJoCo, at five states each."""
    record, failures = dict[str, Any](), list[Any]()
    with tempfile.TemporaryDirectory() as folder:
        for k in range(count):
            base, path = ("fixed", "free")[k % 2], Path(folder, "tree.urdf")
            path.write_text(models.Tree(rng).text(), encoding="utf-8")
            with contextlib.suppress(InputError):  # nothing in it moves
                ours = Ours(g.load(path, base=base))  # type: ignore[arg-type]
                _record(record, failures, f"urdf {k}", Pinocchio(path, ours, base == "free"), rng)
            path = Path(folder, "tree.xml")
            path.write_text(models.mjcf(rng), encoding="utf-8")
            try:
                ours = Ours(g.load(path))
            except InputError:
                record["refused by MuJoCo"] = record.get("refused by MuJoCo", 0) + 1  # too little inertia
                continue
            _record(record, failures, f"mjcf {k}", MuJoCo(mujoco.MjModel.from_xml_path(str(path)), ours), rng)
    return record, failures


def _record(record: dict[str, Any], failures: list[Any], name: str, there: Any, rng: np.random.Generator) -> None:
    found = dict[str, float]()
    for _ in range(5):
        found = worst(found, there.compare(rng))
    kind = name.split()[0]
    known = record.setdefault(kind, {"robots": 0})
    known |= worst(known, found) | {"robots": known["robots"] + 1}
    failures += failures_of(name, found)


# ------------------------------------------------------------------ loops


def row_space(J: Any) -> Any:
    """Return the projector (n, n) onto the rows."""
    _, sigma, V = np.linalg.svd(J)
    kept = V[: int(np.sum(sigma > 1e-9 * sigma[0]))]
    return kept.T @ kept


def frame_of(model: Any, name: str) -> int:
    """Return the frame of a link, or of a joint where no link is called so."""
    k = int(model.getFrameId(name, pin.FrameType.BODY))
    return k if k < model.nframes else int(model.getFrameId(name))


def closures(there: Pinocchio, pairs: Any) -> tuple[Any, Any, Any]:
    """Return gaps (k,), turns (k,) and Jacobians (k, 6, n), linear first, of pairs of frames.

    The gap is that seen from the last body which carries both frames, so that its rows leave the motion of that body
    out: ġ − ω × g, with its ω. Axes are those of space.
    """
    model, data = there.model, there.data
    gaps, turns, rows = [], [], []
    for one, two in pairs:
        a, b = (frame_of(model, name) for name in (one, two))
        A, B = data.oMf[a], data.oMf[b]
        J = [pin.getFrameJacobian(model, data, x, pin.LOCAL_WORLD_ALIGNED).copy() for x in (a, b)]
        ways = [list(model.supports[model.frames[x].parentJoint]) for x in (a, b)]
        carrier = [k for k in ways[0] if k in ways[1]][-1]
        gap = B.translation - A.translation
        if carrier:
            spin = pin.getJointJacobian(model, data, carrier, pin.LOCAL_WORLD_ALIGNED)[3:]
            J[1][:3] -= np.cross(spin.T, gap).T
        gaps.append(np.linalg.norm(gap))
        turns.append(np.linalg.norm(pin.log3(A.rotation.T @ B.rotation)))
        rows.append(J[1] - J[0])
    return np.array(gaps), np.array(turns), np.array(rows)


def loops(count: int, rng: np.random.Generator, gaps: Any = GAPS) -> tuple[dict[str, Any], list[Any]]:
    """Compare rows of loops, closed poses, ranks and freedoms; open the loops of the 2F-85."""
    record, failures = dict[str, Any](), list[Any]()
    for name in ("5bar_linkage_iso3d", "digit_like"):
        path, notation = FOLDER / name / "robot.urdf", FOLDER / name / "robot.yaml"
        robot = g.load(path, loops=notation)
        ours, pairs = Ours(robot), [joint.name.split(" to ") for joint in robot.tree.loops if hasattr(joint, "apart")]
        there, found = Pinocchio(path, ours, False), dict[str, float]()
        each = len(ours.rows(robot.at()[0])) // len(pairs)
        for _ in range(count):
            found = worst(found, there.compare(rng))
            q, _, mine, _, S, _ = there.state(rng)
            pin.computeJointJacobians(there.model, there.data, q)
            pin.updateFramePlacements(there.model, there.data)
            J = ours.rows(mine) @ S
            for k, true in enumerate(closures(there, pairs)[2]):
                rows, true = J[each * k : each * k + 3], true[:3]
                gram = true.T @ true
                found = worst(found, {"rows": float(np.max(np.abs(rows.T @ rows - gram)) / np.max(np.abs(gram)))})
        closed = g.doctor(robot, sweep=False)
        assert closed.closed is not None
        q = np.zeros(there.model.nq)
        values = dict(zip(closed.coordinates, closed.closed, strict=True))
        for k in range(1, there.model.njoints):
            joint, x = there.model.joints[k], values[word(there.model.names[k])]
            q[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(x), np.sin(x)) if joint.nq == 2 else x
        pin.computeJointJacobians(there.model, there.data, q)
        pin.updateFramePlacements(there.model, there.data)
        apart, turns, rows = closures(there, pairs)
        order = [word(there.model.names[k]) for k in range(1, there.model.njoints)]
        J = ours.rows(closed.closed)[:, [ours.at[x] for x in order]]
        true = np.vstack([x[:each] for x in rows])
        found |= {
            "gap": float(np.max(apart)) * 0.1,  # 1e-9 is allowed
            "turn": float(np.max(turns)) * 0.1 if each == 6 else 0.0,
            "row space": float(np.max(np.abs(row_space(J) - row_space(true)))),
        }
        record[name] = found | _ranks(name, closed, failures, np.linalg.matrix_rank(true, 1e-9))
        failures += failures_of(name, found)
    record["robot_delta"] = delta(count, rng, failures)
    path = FOLDER / "2f85.xml"
    ours = Ours(g.load(path))
    other, found = MuJoCo(mujoco.MjModel.from_xml_path(str(path)), ours), dict[str, float]()
    for _ in range(count):
        found = worst(found, other.compare(rng))
        q, _, mine, _, S, _ = other.state(rng)
        J, true = ours.rows(mine) @ S, equality_rows(other, q)
        for part in (slice(0, 3), slice(3, 6), slice(6, 7)):
            gram = true[part].T @ true[part]
            apart = np.max(np.abs(J[part].T @ J[part] - gram)) / np.max(np.abs(gram))
            found = worst(found, {"rows": float(apart)})
    closed = g.doctor(ours.robot, sweep=False)
    record["2f85"] = found | _ranks("2f85", closed, failures, 5)
    failures += failures_of("2f85", found)
    record["2f85 opened"] = opened(path, rng, failures, gaps)
    return record, failures


def delta(count: int, rng: np.random.Generator, failures: list[Any]) -> dict[str, Any]:
    """Compare a robot whose loops are hinges: what remains of a weld when its frames spin about their joints' axis."""
    path = FOLDER / "robot_delta" / "robot.urdf"
    robot = g.load(path, loops=path.with_suffix(".yaml"))
    there = Pinocchio(path, ours := Ours(robot), False)
    found = dict[str, float]()
    for _ in range(count):
        found = worst(found, there.compare(rng))
    closed = g.doctor(robot, sweep=False)
    assert closed.closed is not None
    q = np.array([closed.closed[ours.at[word(there.model.names[k])]] for k in range(1, there.model.njoints)])
    pin.computeJointJacobians(there.model, there.data, q)
    pin.updateFramePlacements(there.model, there.data)
    hinges = [joint for joint in robot.tree.loops if isinstance(joint, mb.Revolute)]
    pairs = [joint.name.split(" to ") for joint in hinges]
    apart, _, rows = closures(there, pairs)
    true = []
    for (one, _), row in zip(pairs, rows, strict=True):
        axis = next(x.find("axis") for x in ET.parse(path).iterfind("joint") if x.get("name") == one)
        R = there.data.oMf[frame_of(there.model, one)].rotation
        e = R @ np.array([float(x) for x in str(axis.get("xyz")).split()])  # type: ignore[union-attr]
        true += [row[:3], row[3:] - np.outer(e, e @ row[3:])]
    J = np.vstack(true)
    mine = ours.rows(closed.closed)[:, [ours.at[word(there.model.names[k])] for k in range(1, there.model.njoints)]]
    found |= {"gap": float(np.max(apart)) * 0.1, "row space": float(np.max(np.abs(row_space(mine) - row_space(J))))}
    failures += failures_of("robot_delta", found)
    return found | _ranks("robot_delta", closed, failures, int(np.linalg.matrix_rank(J, 1e-9)))


def _ranks(name: str, closed: Any, failures: list[Any], rank: int) -> dict[str, Any]:
    found = (len(closed.rows), closed.rank, closed.mobility)
    if found != KNOWN[name] or rank != closed.rank:
        failures.append({"robot": name, "what": "ranks", "found": found, "known": KNOWN[name], "rank": int(rank)})
    return {"rows, rank, freedoms": found}


def equality_rows(there: MuJoCo, q: Any) -> Any:
    """Return the rows of MuJoCo's equalities (m, n) at a position."""
    data, model = there.data, there.model
    data.qpos[:], data.qvel[:] = q, 0.0
    mujoco.mj_forward(model, data)
    J = np.array(data.efc_J).reshape(data.nefc, -1) if not mujoco.mj_isSparse(model) else dense(model, data)
    return J[np.array(data.efc_type) == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]


def dense(model: Any, data: Any) -> Any:
    """Return the sparse rows of MuJoCo as a matrix."""
    J = np.zeros((data.nefc, model.nv))
    mujoco.mju_sparse2dense(J, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    return J


def opened(path: Path, rng: np.random.Generator, failures: list[Any], gaps: Any) -> dict[str, Any]:
    """Move an anchor of the 2F-85: the rows across the fingers stay dependent, or the loop is said to stay open."""
    text, said = path.read_text(encoding="utf-8"), dict[str, Any]()
    with tempfile.TemporaryDirectory() as folder:
        for gap in gaps:
            for way, direction in (("across", (1, 0, 0)), ("in the plane", (0, 0.8, 0.6)), ("any", rng.normal(size=3))):
                moved = gap * np.array(direction) / np.linalg.norm(direction)
                body = ET.fromstring(text)
                connect = next(body.iter("connect"))
                one = connect.get("body1")
                link = next(x for x in body.iter("body") if x.get("name") == one)
                ET.SubElement(link, "site", name="one", pos=models.text_of(moved))
                link = next(x for x in body.iter("body") if x.get("name") == connect.get("body2"))
                ET.SubElement(link, "site", name="two", pos=models.text_of(anchor_of(path, connect.get("body2"))))
                for key in ("anchor", "body1", "body2"):
                    del connect.attrib[key]
                connect.set("site1", "one")
                connect.set("site2", "two")
                copy = Path(folder, "opened.xml")
                copy.write_text(ET.tostring(body, encoding="unicode"), encoding="utf-8")
                closed = g.doctor(g.load(copy), sweep=False)
                verdict = "open" if closed.closed is None else f"rank {closed.rank} of {len(closed.rows)}"
                said[f"{gap:g} m {way}"] = verdict
                if closed.closed is not None and closed.rank > 5:
                    failures.append({"robot": "2f85", "what": f"opened by {gap:g} m {way}", "found": verdict})
    return said


def anchor_of(path: Path, body: str | None) -> Any:
    """Return the anchor of the first connection in axes of its second body."""
    return np.array(mujoco.MjModel.from_xml_path(str(path)).eq_data[0][3:6])


# ------------------------------------------------------------------ reactions, and two coordinates


def reactions(count: int, rng: np.random.Generator) -> tuple[dict[str, Any], list[Any]]:
    """Compare the forces across the hinges of the 2F-85 at rest, those that are determined, with least squares."""
    path = FOLDER / "2f85.xml"
    closed = g.doctor(g.load(path), sweep=False)
    ours = Ours(closed.mechanism)
    there = MuJoCo(mujoco.MjModel.from_xml_path(str(path)), ours)
    model, data = there.model, there.data
    q = np.array([closed.closed[ours.at[word(name)]] for name in there.joint_of])  # type: ignore[index]
    J = equality_rows(there, q)
    M, f = np.zeros((model.nv, model.nv)), np.array(data.qfrc_passive - data.qfrc_bias)
    mujoco.mj_fullM(model, data, M)
    a, forces = held(M, f, J, q, model.jnt_range)
    accelerations, loads = dict[int, Any](), dict[int, Any]()
    for i in range(1, model.nbody):
        J, W = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBodyCom(model, data, J, W, i)
        accelerations[i] = J @ a - model.opt.gravity
        loads[i] = np.zeros(3)
    for k in range(2):  # the rows of MuJoCo are point 1 less point 2
        loads[int(model.eq_obj1id[k])] += forces[3 * k : 3 * k + 3]
        loads[int(model.eq_obj2id[k])] -= forces[3 * k : 3 * k + 3]
    true = dict[str, Any]()
    for j, name in enumerate(there.joint_of):
        top = int(model.jnt_bodyid[j])
        inside = [i for i in range(1, model.nbody) if is_under(model, i, top)]
        true[word(name)] = sum(model.body_mass[i] * accelerations[i] - loads[i] for i in inside)
    for k in range(2):
        names = [there.link_of[model.eq_obj1id[k]], there.link_of[model.eq_obj2id[k]]]
        true[f"connect of {names[0]} and {names[1]}"] = -forces[3 * k : 3 * k + 3]
    largest, compared = 0.0, 0
    for force in closed.forces:
        known = np.isfinite(force.force)
        compared += int(np.sum(known))
        largest = max(largest, float(np.max(np.abs((force.axes.T @ true[force.joint] - force.force)[known]))))
    right = compared == 20 and largest < 1e-6  # N, two directions of ten joints
    record = {"components": compared, "largest difference, N": largest}
    return record, [] if right else [record]


def is_under(model: Any, i: int, top: int) -> bool:
    """Whether a body hangs on another."""
    while i > top:
        i = int(model.body_parentid[i])
    return i == top


def held(M: Any, f: Any, J: Any, q: Any, ranges: Any) -> tuple[Any, Any]:
    """Return the acceleration at rest under rows and limits that are reached, and the forces of the rows, least."""
    ends = [(k, 1.0) for k in range(len(q)) if q[k] <= ranges[k, 0] + 1e-9]
    ends += [(k, -1.0) for k in range(len(q)) if q[k] >= ranges[k, 1] - 1e-9]
    free = np.linalg.svd(J)[2][np.linalg.matrix_rank(J, 1e-9) :].T  # a = free x
    G = np.array([sign * free[k] for k, sign in ends])
    H, b = free.T @ M @ free, free.T @ f
    L = np.linalg.cholesky(H)
    push = scipy.optimize.nnls(np.linalg.solve(L, G.T), -np.linalg.solve(L, b))[0]  # dual of min ½|x − H⁻¹b|²_H, Gx ≥ 0
    a = free @ np.linalg.solve(H, b + G.T @ push)
    rest = M @ a - f - sum(x * sign * np.eye(len(q))[k] for x, (k, sign) in zip(push, ends, strict=True))
    return a, np.linalg.lstsq(J.T, rest, rcond=1e-9)[0]


def two_coordinates(count: int, rng: np.random.Generator) -> tuple[dict[str, Any], list[Any]]:
    """Compare accelerations, forces of joints and verdicts of random chains in natural and in joint coordinates.

    Accelerations differ, in the mass metric, by 1e-9 or by the bounds on their errors, as rows of tiny rigid bodies are
    nearly dependent, and forces by 1e-9 or by what accelerations so different ask for. A verdict "undecided" says that
    rounding decides, and is counted.
    """
    record, failures = (
        {
            "chains": 0,
            "redundant": 0,
            "no inertia": 0,
            "not decided": 0,
            "lost in one": 0,
            "undecided in one": 0,
            "largest": 0.0,
        },
        list[Any](),
    )
    with tempfile.TemporaryDirectory() as folder:
        for k in range(count):
            path = Path(folder, "chain.urdf")
            try:
                values = models.chain(rng, path)
            except InputError:  # nothing in it moves
                continue
            robot = g.load(path)
            q, v = robot.at(values)
            M = Ours(robot).mass_and_force(q, v)[0]
            unit = np.sqrt(np.diag(M))
            if not np.all(unit > 0.0) or np.linalg.cond(M / np.outer(unit, unit)) > 1e12:
                record["no inertia"] += 1  # links without mass, or tiny ones
                continue
            try:
                found, complaints = apart_in_natural(robot, q, rng.normal(size=v.size))
            except NonUniqueAccelerationError:
                record["not decided"] += 1
                continue
            except GaussError as error:
                failures.append({"chain": k, "error": str(error)[:200]})
                continue
            record["chains"] += 1
            record["redundant"] += found.pop("redundant")
            record["lost in one"] += found.pop("lost")
            record["undecided in one"] += found.pop("undecided")
            record["largest"] = max(record["largest"], *found.values())
            complaints += [{"what": what, "difference": x} for what, x in found.items() if not x < 1e-9]
            failures += [{"chain": k} | x for x in complaints]
    return record, failures


def apart_in_natural(robot: Any, q: Any, v: Any) -> tuple[dict[str, Any], list[Any]]:
    """Return how far the answers of both coordinates are apart near a state, and verdicts that differ."""
    state = g.consistent(robot, q, v)
    one = g.accelerate(robot, state.q, state.v)
    q, v, a = (x[0] for x in robot.system.twin.states(state.q[None], state.v[None], np.array(one.acceleration)[None]))
    two = g.accelerate(robot.natural, q, v)
    system = robot.natural.system
    M = np.array(system.model.terms(q, v, 0.0, system.theta()).M)
    change = np.array(two.acceleration) - a
    size = np.sqrt(a @ M @ a) + np.sqrt(float(np.trace(M))) * 1e-3
    excess = np.sqrt(max(change @ M @ change, 0.0)) - one.error - two.error
    found = {"acceleration": max(excess / size, 0.0), "force": 0.0, "lost": 0}
    pairs = [[mb.reaction(x, joint) for x in (one, two)] for joint in robot.joints if isinstance(joint, Joint)]
    vectors = [[np.concatenate([x.force, x.torque]) for x in pair] for pair in pairs]
    mass = sum(body.inertia.mass for body in robot.bodies)
    weight, unsure = 9.81 * mass, (one.error + two.error) * np.sqrt(mass) * max(1.0, robot.tree.length)
    load = max(weight, *(float(np.nanmax(np.abs(x), initial=0.0)) for pair in vectors for x in pair))
    for x, y in vectors:
        both = np.isfinite(x) & np.isfinite(y)
        found["lost"] += int(np.any(np.isnan(x) != np.isnan(y)))
        apart = float(np.max(np.abs(x - y)[both], initial=0.0)) - unsure
        found["force"] = max(found["force"], apart / load)
    found["redundant"] = int("redundant" in one.verdict)
    verdicts = [one.verdict, two.verdict]
    found["undecided"] = int("undecided" in verdicts)
    return found, [] if len({*verdicts} - {"undecided"}) < 2 else [{"verdicts": verdicts}]


def main() -> int:
    """Run the families; return 1 if anything differs."""
    only = ("--only", {"default": "", "help": "only robots whose name contains this"})
    options = options_of(__doc__ or "", 100, 7, "random states of each robot", only)
    families: list[Any] = [
        ("urdf", lambda count, rng: urdf(count, rng, options.only), options.count),
        ("random trees", random_trees, options.count),
    ]
    if FOLDER.name:
        families += [("loops", loops, options.count), ("reactions", reactions, 1)]
    families += [("two coordinates", two_coordinates, options.count)]
    return run_families(options, families)


if __name__ == "__main__":
    sys.exit(main())
