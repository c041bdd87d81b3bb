"""Robots from files, against Pinocchio and MuJoCo: energies, frames, accelerations, loops, and what is unread."""

from __future__ import annotations

import importlib.util
import os
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from robot_poses import poses_of
from scipy.spatial.transform import Rotation

import gauss as g
from gauss import bodies as mb
from gauss import robots

HERE = Path(__file__).parent / "data" / "robots"
REFERENCES = os.environ.get("GAUSS_ROBOTS")  # a folder of robots of others, with their licences
PARTS = ("w", "x", "y", "z")


def installed(name):
    return importlib.util.find_spec(name) is not None


needs_mujoco = pytest.mark.skipif(not installed("mujoco"), reason="the package mujoco is not installed")
needs_pinocchio = pytest.mark.skipif(not installed("pinocchio"), reason="the package pin is not installed")
needs_references = pytest.mark.skipif(REFERENCES is None, reason="GAUSS_ROBOTS names no folder of robots")


def example_urdfs():
    """The URDFs of the package example-robot-data, where it is installed."""
    found = []
    for folder in map(Path, sys.path):
        found += sorted(folder.glob("cmeel.prefix/share/example-robot-data/robots/**/*.urdf"))
    return found


def word(name):
    return re.sub(r"\W", "_", name).strip("_")


def quaternion_rate(p, omega):
    """ṗ of a unit quaternion for an angular velocity in axes of the body."""
    w, u = p[0], np.array(p[1:])
    return 0.5 * np.array([-u @ omega, *(w * np.array(omega) + np.cross(u, omega))])


def kinetic(robot, q, v):
    system = robot.system
    return 0.5 * v @ system.model.terms(q, v, 0.0, system.theta()).M @ v


def weight_energy(robot, q):
    places = robot.named(q)
    return -sum(b.inertia.mass * np.dot(robot.gravity, np.array(b.centre_of(places))) for b in robot.bodies)


def without(robot, *kinds):
    """The robot without rows of these kinds."""
    joints = [joint for joint in robot.joints if not isinstance(joint, kinds)]
    return mb.Mechanism(robot.name, robot.bodies, joints, robot.forces, robot.gravity, controls=robot.controls)


# ------------------------------------------------------------------ URDF against Pinocchio


def state_for(model, q, v, robot, rooted):
    """Values and rates by joint, of a configuration of Pinocchio."""
    values, rates = {}, {}
    for name, joint in list(zip(model.names, model.joints, strict=True))[1:]:
        at, speed, kind = joint.idx_q, joint.idx_v, joint.shortname()
        if kind == "JointModelFreeFlyer":
            x, y, z, *u, w = q[at : at + 7]
            p = [w, *u]
            R = mb.quaternion(*(np.array(p) / np.linalg.norm(p)))
            linear, omega = R @ v[speed : speed + 3], v[speed + 3 : speed + 6]
            values |= {rooted + end: value for end, value in zip(("_x", "_y", "_z"), (x, y, z), strict=True)}
            rates |= {rooted + end: value for end, value in zip(("_x", "_y", "_z"), linear, strict=True)}
            values |= {f"{rooted}_q{part}": value for part, value in zip(PARTS, p, strict=True)}
            rates |= {f"{rooted}_q{k}": x for k, x in zip(PARTS, quaternion_rate(p, omega), strict=True)}
        elif word(name) in robot.spanning:
            turns = joint.nq == 2
            values[word(name)] = np.arctan2(q[at + 1], q[at]) if turns else q[at]
            rates[word(name)] = v[speed]
    return values, rates


def against_pinocchio(path, base, seed=0):
    """Largest differences of mass, kinetic energy, potential energy, frames; and the robot."""
    import pinocchio as pin

    robot = g.load(path, base=base)
    root = [pin.JointModelFreeFlyer()] if base == "free" else []
    model = pin.buildModelFromUrdf(str(path), *root)
    data, rng = model.createData(), np.random.default_rng(seed)
    q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
    v = rng.normal(size=model.nv)
    for name, joint in zip(model.names, model.joints, strict=True):
        if word(name) not in robot.spanning and name not in ("universe", "root_joint"):
            q[joint.idx_q : joint.idx_q + joint.nq] = [1.0, 0.0] if joint.nq == 2 else 0.0
            v[joint.idx_v] = 0.0
    values, rates = state_for(model, q, v, robot, robot.bodies[0].name)
    poses = poses_of(robot, values, rates)
    places = {name: x for pose in poses for name, x in pose.q.items()}
    speeds = {name: x for pose in poses for name, x in pose.v.items()}
    T, T0 = sum(body.kinetic(speeds) for body in robot.bodies), pin.computeKineticEnergy(model, data, q, v)
    V = -sum(b.inertia.mass * np.dot(robot.gravity, b.centre_of(places)) for b in robot.bodies)
    V0 = pin.computePotentialEnergy(model, data, q)
    mass, mass0 = sum(b.inertia.mass for b in robot.bodies), sum(x.mass for x in list(model.inertias)[1:])
    pin.framesForwardKinematics(model, data, q)
    worst = 0.0
    for name, frame in robot.frames.items():
        same = [k for k, known in enumerate(model.frames) if known.name == name]
        if len(same) == 1:
            there, placed = data.oMf[same[0]], frame.placed(places)
            worst = max(worst, float(np.max(np.abs(np.array(placed.origin, dtype=float) - there.translation))))
            worst = max(worst, float(np.max(np.abs(np.array(placed.columns, dtype=float).T - there.rotation))))
    return robot, abs(mass / mass0 - 1.0), abs(T - T0) / T0, abs(V - V0) / max(1.0, abs(V0)), worst


@needs_pinocchio
@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("path", example_urdfs() or [None], ids=lambda path: path.stem if path else "none")
def test_the_robots_of_a_public_collection_weigh_and_move_as_pinocchio_says(path, base):
    if path is None:
        pytest.skip("the package example-robot-data is not installed")
    still = {"quadrotor_base", "iris_simple"} if base == "fixed" else set()
    if path.stem in {"ur3", *still}:  # no joint but fixed ones, and of ur3 no mass
        with pytest.raises(g.errors.InputError, match="nothing in it moves"):
            g.load(path, base=base)
        return
    robot, mass, energy, height, frames = against_pinocchio(path, base)
    assert mass < 1e-12
    assert height < 1e-12
    assert frames < 1e-11
    mended = any("the nearest are taken" in each.meaning for each in robot.unread)
    assert mended == (path.stem in {"romeo_small", "romeo_laas_small"})
    assert energy < (0.02 if mended else 1e-12)


@needs_pinocchio
@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("seed", range(3))
def test_an_arm_of_all_kinds_of_urdf_joints_has_the_energies_of_pinocchio(base, seed):
    _, mass, energy, height, frames = against_pinocchio(HERE / "arm.urdf", base, seed)
    assert max(mass, energy, height, frames) < 1e-12


@needs_pinocchio
def test_an_arm_accelerates_as_pinocchio_says():
    import pinocchio as pin

    robot = g.load(HERE / "arm.urdf")
    model = pin.buildModelFromUrdf(str(HERE / "arm.urdf"))
    rng = np.random.default_rng(4)
    q, v, torque = (rng.uniform(-0.4, 0.4, model.nv) for _ in range(3))
    at = {name: (joint.idx_q, joint.idx_v) for name, joint in zip(model.names, model.joints, strict=True)}
    q = pin.integrate(model, pin.neutral(model), q)
    q[at["idle"][0]] = v[at["idle"][1]] = 0.0  # massless: without this joint Pinocchio has no acceleration
    less = pin.buildReducedModel(model, [model.getJointId("idle")], q)
    keep = [k for k in range(model.nv) if k != at["idle"][1]]
    speeds, forces = v[keep], torque[keep].copy()
    names = list(less.names)[1:]
    values, rates = {}, {}
    configuration = np.zeros(less.nq)
    for name in names:
        joint, old = less.joints[less.getJointId(name)], model.joints[model.getJointId(name)]
        configuration[joint.idx_q : joint.idx_q + joint.nq] = q[old.idx_q : old.idx_q + old.nq]
        x = q[old.idx_q : old.idx_q + old.nq]
        values[word(name)] = np.arctan2(x[1], x[0]) if len(x) == 2 else x[0]
        rates[word(name)] = speeds[joint.idx_v]
    controls = {}
    for name in names:
        k = less.joints[less.getJointId(name)].idx_v
        if f"{word(name)}_motor" in robot.controls:
            controls[f"{word(name)}_motor"] = forces[k]
        else:
            forces[k] = 0.0
    forces[less.joints[less.getJointId("shoulder")].idx_v] -= 0.6 * rates["shoulder"]
    wanted = pin.aba(less, less.createData(), configuration, speeds, forces)
    free = without(robot, mb.Limit, mb.Brake, mb.Follower)
    accelerations = {word(name): wanted[less.joints[less.getJointId(name)].idx_v] for name in names}
    agrees(robot, free, values, rates, accelerations, controls)


def agrees(robot, free, values, rates, accelerations, controls, tolerance=2e-6):
    """Hold accelerations in both coordinates against joint ones, natural ones by a central difference over 2h."""
    own = replace(robot, joints=free.joints)
    direct = g.accelerate(own, *own.at(values, rates), u=controls)
    size = max(1.0, max(map(abs, accelerations.values())))
    for name, a in zip(own.system.coordinates, direct.a, strict=True):
        assert a == pytest.approx(accelerations[name], abs=1e-9 * size), name
    q, v = free.state(*poses_of(robot, values, rates))
    found = g.accelerate(free, q, v, u=controls)
    h, ends = 1e-5, []
    for sign in (1.0, -1.0):
        s = sign * h
        moved = {
            name: x + s * rates.get(name, 0.0) + s * s / 2 * accelerations.get(name, 0.0) for name, x in values.items()
        }
        speeds = {name: x + s * accelerations.get(name, 0.0) for name, x in rates.items()}
        ends.append(free.state(*poses_of(robot, moved, speeds))[1])
    wanted = (ends[0] - ends[1]) / (2.0 * h)
    assert np.max(np.abs(found.a - wanted)) < tolerance * max(1.0, float(np.max(np.abs(wanted))))


# ------------------------------------------------------------------ MJCF against MuJoCo


@pytest.fixture(scope="module")
def tree():
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(HERE / "tree.xml"))
    return g.load(HERE / "tree.xml"), model, mujoco.MjData(model), mujoco


def random_state(robot, model, rng):
    """qpos and qvel of MuJoCo and the same by joint."""
    qpos, qvel = np.array(model.qpos0), rng.normal(size=model.nv)
    values, rates = {}, {}
    for j in range(model.njnt):
        name, kind, at, dof = word(model.joint(j).name), model.jnt_type[j], model.jnt_qposadr[j], model.jnt_dofadr[j]
        if kind in (2, 3):
            qpos[at] += rng.uniform(-0.15, 0.15)
            values[name], rates[name] = qpos[at], qvel[dof]
            continue
        p = rng.normal(size=4)
        p /= np.linalg.norm(p)
        k = 3 if kind == 0 else 0
        qpos[at + k : at + k + 4] = p
        if kind == 0:
            name = word(model.body(model.jnt_bodyid[j]).name)
            qpos[at : at + 3] = rng.normal(size=3)
            values |= {f"{name}_{x}": y for x, y in zip("xyz", qpos[at : at + 3], strict=True)}
            rates |= {f"{name}_{x}": y for x, y in zip("xyz", qvel[dof : dof + 3], strict=True)}
            turn = np.eye(3)
        else:
            turn = robot.frames[model.body(model.jnt_bodyid[j]).name].rotation  # axes of the link in its body
        dp = quaternion_rate(p, qvel[dof + k : dof + k + 3])
        for x, target in ((p, values), (dp, rates)):
            target |= {f"{name}_q{part}": y for part, y in zip(PARTS, (x[0], *(turn @ x[1:])), strict=True)}
    return qpos, qvel, values, rates


@needs_mujoco
@pytest.mark.parametrize("seed", range(3))
def test_a_tree_of_all_joints_has_the_energies_and_places_of_mujoco(tree, seed):
    robot, model, data, mujoco = tree
    qpos, qvel, values, rates = random_state(robot, model, np.random.default_rng(seed))
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    mujoco.mj_energyVel(model, data)
    q, v = robot.at(values, rates)
    assert kinetic(robot, q, v) == pytest.approx(data.energy[1], rel=1e-12)
    assert kinetic(robot.natural, *robot.natural.at(values, rates)) == pytest.approx(data.energy[1], rel=1e-12)
    weights = -sum(model.body_mass[i] * np.dot(model.opt.gravity, data.xipos[i]) for i in range(2, model.nbody))
    post = model.body("post").id
    assert weight_energy(robot, q) == pytest.approx(weights, rel=1e-12)
    assert sum(b.inertia.mass for b in robot.bodies) == pytest.approx(sum(model.body_mass) - model.body_mass[post])
    places = robot.named(q)
    for name, frame in robot.frames.items():
        placed = frame.placed(places)
        kind = data.body(name) if name in [model.body(i).name for i in range(model.nbody)] else None
        if kind is None and name in ("nozzle", "rotor"):
            kind = data.site(name)
        if kind is not None:
            assert np.allclose(np.array(placed.origin, dtype=float), kind.xpos, atol=1e-12)
            assert np.allclose(np.array(placed.columns, dtype=float).T, kind.xmat.reshape(3, 3), atol=1e-12)


@needs_mujoco
@pytest.mark.parametrize("seed", range(3))
def test_a_tree_of_all_joints_accelerates_as_mujoco_says(tree, seed):
    """Springs, dampers, rotors, motors, servos on joints, a tendon and a site, gravity askew, four joints on a body."""
    robot, model, data, mujoco = tree
    rng = np.random.default_rng(10 + seed)
    qpos, qvel, values, rates = random_state(robot, model, rng)
    data.qpos[:], data.qvel[:] = qpos, qvel
    off = mujoco.mjtDisableBit
    model.opt.disableflags = int(off.mjDSBL_CONSTRAINT | off.mjDSBL_CONTACT)
    model.tendon_stiffness[model.tendon("wire").id] = 0.0
    controls = rng.uniform(-1.0, 1.0, 5)
    data.ctrl[:5], data.ctrl[5] = controls, 0.0
    model.actuator_gainprm[5], model.actuator_biasprm[5] = 0.0, 0.0
    model.actuator_gaintype[5] = model.actuator_biastype[5] = 0
    mujoco.mj_forward(model, data)
    accelerations, qacc = {}, data.qacc
    for j in range(model.njnt):
        name, kind, dof = word(model.joint(j).name), model.jnt_type[j], model.jnt_dofadr[j]
        if kind in (2, 3):
            accelerations[name] = qacc[dof]
            continue
        k = 3 if kind == 0 else 0
        omega, alpha = qvel[dof + k : dof + k + 3], qacc[dof + k : dof + k + 3]
        p = qpos[model.jnt_qposadr[j] + k : model.jnt_qposadr[j] + k + 4]
        ddp = quaternion_rate(p, alpha) + quaternion_rate(quaternion_rate(p, omega), omega)
        turn = np.eye(3)
        if kind == 0:
            name = "flyer"
            accelerations |= {f"{name}_{x}": y for x, y in zip("xyz", qacc[dof : dof + 3], strict=True)}
        else:
            turn = robot.frames["bob"].rotation
        accelerations |= {f"{name}_q{x}": y for x, y in zip(PARTS, (ddp[0], *(turn @ ddp[1:])), strict=True)}
    given = dict(zip(robot.controls, controls, strict=True))
    agrees(robot, without(robot, mb.Limit), values, rates, accelerations, given, tolerance=2e-5)


@needs_mujoco
def test_poses_and_limits_are_those_of_the_file(tree):
    robot, *_ = tree
    assert list(robot.poses) == ["home", "reached"]
    assert robot.poses["home"]["shoulder"] == pytest.approx(np.radians(15.0))
    assert robot.poses["reached"]["rail"] == 0.1
    limit = next(x for x in robot.joints if x.name == "shoulder limit")
    assert (limit.lower, limit.upper) == pytest.approx((np.radians(-100.0), np.radians(120.0)))
    spring = next(x for x in robot.forces if x.name == "shoulder spring")
    assert spring.free == pytest.approx(np.radians(20.0))
    assert robot.motors == ("shoulder", "rail", "pitch", "yaw")
    assert robot.controls == ("shoulder_motor", "rail_servo", "pitch_rate", "pull", "thrust")
    left = {(each.where, each.names) for each in robot.unread}
    assert {("actuator", ("muscle",)), ("sensor", ("reading",)), ("tendon/spatial", ("wire",))} <= left
    assert ("actuator@ctrlrange", ("pull",)) in left


@needs_mujoco
def test_loops_of_mjcf_are_closed_where_mujoco_closes_them():
    import mujoco

    robot = g.load(HERE / "loops.xml")
    kinds = {joint.name: type(joint) for joint in robot.joints}
    expected = {"tip": mb.Spherical, "glue": mb.Weld, "cam": mb.Follower, "winch": mb.Follower,
                "drive friction": mb.Brake, "drive limit": mb.Limit}  # fmt: skip
    assert expected.items() <= kinds.items()
    model = mujoco.MjModel.from_xml_path(str(HERE / "loops.xml"))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    qpos, qvel, values, rates = random_state(robot, model, rng)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    q, v = robot.at(values, rates)
    system = robot.system
    gaps = dict(zip(system.row_names, system.model.residuals(q, v, 0.0, system.theta())[0], strict=False))
    ids = [int(k) for k in data.efc_id[: data.nefc]]
    equal = {model.equality(k).name: np.array([data.efc_pos[i] for i in range(data.nefc)
             if data.efc_type[i] == 0 and ids[i] == k]) for k in range(model.neq)}  # fmt: skip
    tip = np.array([gaps[f"tip[{k}]"] for k in range(3)])
    assert np.linalg.norm(tip) == pytest.approx(np.linalg.norm(equal["tip"]), rel=1e-10)
    assert np.linalg.norm([gaps[f"glue[{k}]"] for k in range(3)]) == pytest.approx(np.linalg.norm(equal["glue"][:3]))
    assert gaps["cam"] == pytest.approx(equal["cam"][0], rel=1e-10)
    assert gaps["winch"] == pytest.approx(equal["winch"][0], rel=1e-10)
    at_home = robot.system.model.residuals(*robot.at(), 0.0, system.theta())[0]
    closed = dict(zip(system.row_names, at_home, strict=False))
    assert max(abs(closed[f"glue[{k}]"]) for k in range(6)) < 1e-12


# ------------------------------------------------------------------ loops of URDF

LOOP = """<loop name="tip" type="revolute"><predecessor link="coupler"><origin xyz="0.6 0 0"/></predecessor>
<successor link="rocker"><origin xyz="0.4 0 0"/></successor><axis xyz="0 0 1"/></loop>"""
CONSTRAINT = """<constraint name="tip" type="revolute"><parent link="coupler"/><parent_origin xyz="0.6 0 0"/>
<parent_axis xyz="0 0 1"/><child link="rocker"/><child_origin xyz="0.4 0 0"/><child_axis xyz="0 0 1"/></constraint>"""
YAML = "closed_loop: [['tip of coupler', 'end of rocker']]\ntype: ['3d']\nname_mot: ['drive']\n"


def four_bar(tmp_path, inserted="", **options):
    path = tmp_path / "four_bar.urdf"
    path.write_text((HERE / "four_bar.urdf").read_text().replace("<!-- LOOPS -->", inserted))
    return g.load(path, **options)


def closed_angles(crank):
    """Angles of the four-bar linkage, by the law of cosines."""
    end = 0.3 * np.array([np.cos(crank), np.sin(crank)])
    to = np.array([0.7, 0.0]) - end
    d = float(np.linalg.norm(to))
    coupler = np.arctan2(to[1], to[0]) + np.arccos((0.36 + d**2 - 0.16) / (1.2 * d))
    tip = end + 0.6 * np.array([np.cos(coupler), np.sin(coupler)])
    return {"drive": crank, "knee": coupler - crank, "pivot": float(np.arctan2(tip[1], tip[0] - 0.7))}


@pytest.mark.parametrize("notation", ["loop", "constraint", "yaml", "mapping"])
def test_every_notation_closes_the_same_four_bar_linkage(tmp_path, notation):
    loops: object = None
    if notation == "yaml":
        pytest.importorskip("yaml")
        loops = tmp_path / "loops.yaml"
        loops.write_text(YAML)
    if notation == "mapping":
        loops = {"closed_loop": [["tip of coupler", "end of rocker"]], "type": ["3d"]}
    robot = four_bar(tmp_path, {"loop": LOOP, "constraint": CONSTRAINT}.get(notation, ""), loops=loops)
    q, v = robot.at(closed_angles(0.9))
    loop = robot.joints[len(robot.spanning)]
    assert isinstance(loop, mb.Spherical if notation in ("yaml", "mapping") else mb.Revolute)
    assert np.max(np.abs(np.array(loop.rows(robot.named(q)), dtype=float))) < 1e-12
    found = g.accelerate(robot, q, v)
    assert found.unique
    assert robot.motors == (("drive",) if notation == "yaml" else ("drive", "pivot", "spin", "knee"))
    with pytest.raises(g.errors.InconsistentStateError):
        g.accelerate(robot, *robot.at({"drive": 0.9}))


def test_a_coupling_turns_by_its_ratio(tmp_path):
    couple = '<coupling name="gear"><predecessor link="coupler"/><successor link="rotor"/><ratio value="3"/></coupling>'
    robot = four_bar(tmp_path, LOOP + couple)
    assert robot.motors == ("drive", "pivot", "knee")
    angles = closed_angles(0.4)
    q, v = robot.at(angles | {"spin": 3.0 * (angles["drive"] + angles["knee"])})
    gear = next(x for x in robot.joints if x.name == "gear")
    assert [(joint.name, factor) for joint, factor, _ in gear.leaders] == [("drive", 1.0), ("knee", 1.0)]
    assert g.accelerate(robot, q, v).unique


def test_a_loop_of_an_unknown_type_is_said_to_be_open(tmp_path):
    robot = four_bar(tmp_path, LOOP.replace('"revolute"', '"screw"'))
    assert len(robot.joints) == 4
    (left,) = [each for each in robot.unread if each.where == "loop"]
    assert left.names == ("tip",)
    assert "the loop is open" in left.meaning


def test_two_balls_on_hinges_welded_by_a_loop_are_one_hinge(tmp_path):
    ball = """<link name="ball {0}"><inertial><mass value="0.001"/>
    <inertia ixx="1e-8" iyy="1e-8" izz="1e-8" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="cup {0}" type="continuous"><parent link="tip of {0}"/><child link="ball {0}"/><axis xyz="0 0 1"/>
    </joint>"""
    stubs = ball.format("coupler") + ball.format("rocker")
    robot = four_bar(tmp_path, stubs, loops={"closed_loop": [["ball coupler", "cup rocker"]], "type": ["6d"]})
    assert robot.spanning == ("drive", "pivot", "spin", "knee")
    assert isinstance(robot.joints[4], mb.Revolute)
    assert sum(body.inertia.mass for body in robot.bodies) == pytest.approx(1.0 + 2.0 + 1.5 + 0.2 + 0.002)
    assert any(each.where == "loops/closed_loop" for each in robot.unread)
    assert g.accelerate(robot, *robot.at(closed_angles(0.9))).unique


# ------------------------------------------------------------------ what is read, and what is not


def test_links_that_are_fixed_are_one_body_and_stay_frames():
    robot = g.load(HERE / "arm.urdf")
    assert [body.name for body in robot.bodies] == ["upper_arm", "cross", "hand", "left", "right"]
    assert isinstance(robot.bodies[1], mb.Carried)
    assert robot.bodies[0].inertia.mass == pytest.approx(2.3)
    assert robot.frames["tool"].body is robot.bodies[0]
    assert robot.frames["base"].body is mb.GROUND
    assert robot.spanning == ("shoulder", "swing_x", "swing_y", "open", "mirror")
    free = g.load(HERE / "arm.urdf", base="free", name="drone")
    assert free.name == "drone"
    assert free.bodies[0].name == "world"
    assert free.bodies[0].inertia.mass == 4.0


def test_what_is_left_out_is_listed_with_what_it_means():
    robot = g.load(HERE / "arm.urdf")
    left = {each.where: each for each in robot.unread}
    assert left["joint/limit@velocity"].names == ("shoulder", "open", "mirror", "idle")
    assert left["gazebo"].names == ("hand",)
    assert left["transmission"].meaning.endswith("say which by `actuated=`")
    assert len(robot.collisions["upper arm"]) == 1
    assert "fixed at the value 0" in left["joint"].meaning
    assert str(left["joint"]) == "joint (idle): what it carries has no mass, so that it is fixed at the value 0"
    rule = next(x for x in robot.joints if x.name == "mirror mimic")
    assert rule.coefficients == (0.001, 1.2)
    q, _ = robot.at({"open": 0.02, "mirror": 0.025})
    assert abs(float(rule._row(robot.named(q)))) < 1e-15


def test_an_inertia_that_no_body_has_is_mended_and_named(tmp_path):
    text = (HERE / "arm.urdf").read_text().replace('ixx="0.00025"', 'ixx="0.0005"')
    path = tmp_path / "bad.urdf"
    path.write_text(text)
    (left,) = [each for each in g.load(path).unread if each.where == "inertial"]
    assert left.names == ("right",)
    assert "which changes the body by 20 %" in left.meaning


BAR = """<robot name="arm"><link name="base"/><link name="bar"><inertial><origin xyz="0.5 0 0" rpy="0.3 0.2 0.1"/>
<mass value="2"/>{}</inertial></link><joint name="hinge" type="continuous"><parent link="base"/><child link="bar"/>
<axis xyz="0 1 0"/></joint>{}</robot>"""
BALL = """<link name="ball"><inertial><mass value="20"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial></link><joint name="weld" type="fixed"><parent link="bar"/><child link="ball"/></joint>"""


@pytest.mark.parametrize("fixed", ["", BALL], ids=["alone", "beside what makes the sum possible"])
@pytest.mark.parametrize(
    ("moments", "why", "nearest"),
    [
        ((0.01, 0.01, 0.1), "one exceeds the sum of the others", (0.05, 0.05, 0.1)),
        ((-0.01, 0.01, 0.1), "one is negative", (0.04, 0.06, 0.1)),
    ],
)
def test_the_doctor_names_a_link_whose_moments_no_body_has_and_what_to_write(tmp_path, moments, why, nearest, fixed):
    tensor = np.diag(moments)
    R = turn_of(0.4)
    J = R @ tensor @ R.T
    entries = " ".join(
        f'i{a}{b}="{J["xyz".index(a), "xyz".index(b)]!r}"' for a, b in ("xx", "yy", "zz", "xy", "xz", "yz")
    )
    path = tmp_path / "bar.urdf"
    path.write_text(BAR.format(f"<inertia {entries}/>".replace("np.float64(", "").replace(")", ""), fixed))
    found = g.doctor(g.load(path), sweep=False)
    (said,) = found.inertias
    assert said.startswith("inertial (bar): no body has its principal moments of inertia")
    assert ", ".join(f"{x:.4g}" for x in sorted(moments)) in said
    assert why in said
    assert said.endswith(f"the nearest that a body has are {', '.join(f'{x:.4g}' for x in nearest)} kg m²")
    assert ("taken as they are" in said) == bool(fixed)
    assert not found.healthy
    assert said in str(found)
    if not fixed:  # the second moments tr J/2 − J, with what is negative left out
        second = np.maximum(sum(moments) / 2.0 - np.array(moments), 0.0)
        assert np.allclose(np.sort(np.sum(second) - second), nearest)
        K = found.mechanism.bodies[0].inertia.central
        assert np.allclose(np.linalg.eigvalsh(K), np.sort(second), atol=1e-12)


def turn_of(angle):
    """A turn about (1, 1, 0)/√2."""
    return Rotation.from_rotvec(np.array([1.0, 1.0, 0.0]) * angle / np.sqrt(2.0)).as_matrix()


def test_a_range_of_a_turn_is_read(tmp_path):
    text = (HERE / "arm.urdf").read_text().replace('lower="-1.5" upper="2"', 'lower="-6" upper="6"')
    path = tmp_path / "wide.urdf"
    path.write_text(text)
    robot = g.load(path)
    assert not any(each.where == "joint@range" for each in robot.unread)
    (stop,) = (x for x in robot.joints if x.name == "shoulder limit")
    assert (stop.lower, stop.upper) == (-6.0, 6.0)


def test_a_robot_is_a_mechanism_that_travels_runs_and_is_drawn(tmp_path):
    robot = four_bar(tmp_path, LOOP)
    again = pickle.loads(pickle.dumps(robot))
    assert again.unread == robot.unread
    q, v = again.at(closed_angles(0.9))
    run = g.simulate(again, q, v, t_end=0.2, control={"drive_motor": 1.0}, progress="none")
    assert len(run) > 2
    arm = g.load(HERE / "arm.urdf")
    shape, *_ = mb.Drawing(arm).shapes_of(arm.bodies[0])
    assert np.allclose(
        np.mean(np.vstack(shape.outline(3).faces), axis=0), arm.frames["upper arm"].rotation @ [0.2, 0, 0]
    )


@pytest.mark.parametrize(("text", "words"), [
    ("<robot", "is no XML"),
    ("<world/>", "expected <robot>"),
    ('<robot name="a"><link name="a"/></robot>', "nothing in it moves"),
    ('<robot name="a"><link name="a"/><link name="a"/></robot>', "several links 'a'"),
    ('<robot name="a"><link name="a"/><link name="b"/><joint name="j" type="warp"><parent link="a"/><child link="b"/>'
     "</joint></robot>", "unknown type 'warp'"),
    ('<robot name="a"><link name="a"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>',
     "the child 'b', which is no link"),
    ('<robot name="a"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/>'
     '</joint><joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint></robot>', "run in a circle"),
    ('<robot name="a"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>'
     '<child link="b"/><origin xyz="1 2"/></joint></robot>', "must be 3 numbers"),
])  # fmt: skip
def test_a_file_that_is_no_robot_is_refused_in_a_sentence(tmp_path, text, words):
    path = tmp_path / "bad.urdf"
    path.write_text(text)
    with pytest.raises(g.errors.InputError, match=words):
        g.load(path)


def test_files_that_belong_to_robots_are_told_from_robots(tmp_path):
    for name, words in (
        ("arm.srdf", "is an SRDF.*give the URDF that it belongs to"),
        ("arm.urdf.xacro", r"is a xacro file: .* xacro arm\.urdf\.xacro > robot\.urdf"),
        ("loops.yaml", r"is a YAML file: .*--loops loops\.yaml"),
        ("foot.stl", "is a mesh: give the URDF"),
        ("README.md", "is no XML, as URDF, MJCF and SDF are"),
    ):
        (tmp_path / name).write_text("closed_loop: []")
        with pytest.raises(g.errors.InputError, match=words):
            g.load(tmp_path / name)
    with pytest.raises(g.errors.InputError, match=r"load needs the path of a robot's file, got 42\."):
        g.load(42)
    with pytest.raises(g.errors.InputError, match=r"1 of closed_loop, .* and 0 of type, \[\]: as in closed_loop"):
        g.load(HERE / "arm.urdf", loops={"closed_loop": [["a", "b"]]})


def test_a_plane_loop_in_space_runs_while_a_motor_presses_on_a_stop(tmp_path):
    """The row of the loop across its plane vanishes, and the stop is closed from the start."""
    path = tmp_path / "stopped.urdf"
    old = '<joint name="drive" type="continuous">'
    new = '<joint name="drive" type="revolute"><limit lower="-1" upper="0.9" effort="1" velocity="1"/>'
    path.write_text((HERE / "four_bar.urdf").read_text().replace(old, new))
    robot = g.load(path, loops={"closed_loop": [["tip of coupler", "tip of rocker"]], "type": ["3d"]})
    q, v = robot.at(closed_angles(0.9))
    run = g.simulate(robot, q, v, t_end=0.05, control={"drive_motor": 2.0}, progress="none")
    assert run.ending.kind == "finished"
    assert run["drive limit upper"] == pytest.approx(np.full(len(run), 2.0))
    assert run["drive"] == pytest.approx(np.full(len(run), 0.9))


def test_home_is_within_the_ranges_of_a_urdf(tmp_path):
    text = (HERE / "arm.urdf").read_text().replace('lower="-1.5" upper="2"', 'lower="-2" upper="-0.5"')
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    robot = g.load(path)
    assert robot.poses["home"] == {"shoulder": -0.5, "mirror": 0.001}
    assert g.accelerate(robot, *robot.at()).unique


def test_unknown_joints_and_poses_are_named():
    robot = g.load(HERE / "arm.urdf")
    with pytest.raises(g.errors.InputError, match="no pose 'away'; it has home"):
        robot.at("away")
    with pytest.raises(g.errors.InputError, match="no joint elbow; it has shoulder"):
        robot.at({"elbow": 1.0})
    with pytest.raises(g.errors.InputError, match="cannot be read"):
        g.load(HERE / "none.urdf")


@pytest.mark.long
def test_without_mujoco_one_sentence_says_how_to_install_it():
    code = (
        "import sys; sys.modules['mujoco'] = None\nimport gauss as g\n"
        f"try:\n    g.load({str(HERE / 'tree.xml')!r})\nexcept g.errors.InputError as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "this file needs the package mujoco: pip install 'gauss-dynamics[robots]'.\n"


# ------------------------------------------------------------------ robots with loops of others

RANKS = {"5bar_linkage_iso3d": (5, 3, 3), "digit_like": (27, 18, 18), "robot_delta": (8, 15, 6), "2f85.xml": (8, 7, 5)}


def closed_by_pinocchio(folder):
    """Values of joints with which the loops are closed, by Gauss's and Newton's method with Pinocchio's Jacobians."""
    import pinocchio as pin
    import yaml

    model = pin.buildModelFromUrdf(str(folder / "robot.urdf"))
    data, said = model.createData(), yaml.safe_load((folder / "robot.yaml").read_text())

    def off(q):
        pin.computeJointJacobians(model, data, q)
        pin.framesForwardKinematics(model, data, q)
        rows, slopes = [], []
        for pair, kind in zip(said["closed_loop"], said["type"], strict=True):
            ids = [model.getFrameId(name) for name in pair]
            A, B = (data.oMf[k] for k in ids)
            Ja, Jb = (pin.computeFrameJacobian(model, data, q, k, pin.LOCAL) for k in ids)
            if kind == "6d":
                apart = A.actInv(B)
                rows.append(pin.log6(apart).vector)
                slopes.append(pin.Jlog6(apart) @ (Jb - apart.toActionMatrixInverse() @ Ja))
            else:
                rows.append(B.translation - A.translation)
                slopes.append(B.rotation @ Jb[:3] - A.rotation @ Ja[:3])
        return np.concatenate(rows), np.vstack(slopes)

    q, damping = np.zeros(model.nq), 1.0
    for _ in range(400):
        rows, J = off(q)
        size = float(np.linalg.norm(rows))
        step = -J.T @ np.linalg.solve(J @ J.T + (damping * size**2 + 1e-15) * np.eye(len(rows)), rows)
        if np.linalg.norm(off(q + step)[0]) < size:
            q, damping = q + step, max(damping / 4.0, 1e-9)
        else:
            damping *= 4.0
        if size < 1e-13:
            break
    return {word(name): q[joint.idx_q] for name, joint in list(zip(model.names, model.joints, strict=True))[1:]}


@needs_references
@needs_mujoco
@needs_pinocchio
@pytest.mark.parametrize("name", RANKS)
def test_loops_of_robots_are_closed_where_pinocchio_closes_them_and_have_the_ranks_that_are_known(name):
    """Ranks of the loops' rows for rates of the tree, by differences."""
    assert REFERENCES is not None
    folder = Path(REFERENCES) / name
    xml = folder.suffix == ".xml"
    robot = g.load(folder) if xml else g.load(folder / "robot.urdf", loops=folder / "robot.yaml")
    count, rows, rank = RANKS[name]
    assert len(robot.spanning) == count
    held = [x for x in robot.joints if x.name not in robot.spanning and not isinstance(x, (mb.Limit, mb.Brake))]

    def gaps(x):
        poses = poses_of(robot, dict(zip(robot.spanning, x, strict=True)))
        places = {key: value for pose in poses for key, value in pose.q.items()}
        parts = [each.rows(places) if hasattr(each, "rows") else [each._row(places)] for each in held]
        return np.array([float(value) for part in parts for value in part])

    values = {} if xml else closed_by_pinocchio(folder)
    x = np.array([values.get(joint, 0.0) for joint in robot.spanning])
    assert len(gaps(x)) == rows
    assert np.max(np.abs(gaps(x))) < 1e-12
    slope = [(gaps(x + 1e-6 * e) - gaps(x - 1e-6 * e)) / 2e-6 for e in np.eye(count)]
    assert int(np.sum(np.linalg.svd(slope)[1] > 1e-7)) == rank


def test_the_room_is_small():
    assert len(robots.__all__) <= 10


def test_a_stop_of_a_turn_or_more_is_kept_as_joint_coordinates_count_turns(tmp_path):
    """At 2π a bar of 2 kg presses its stop with m g l, and swings against it from before as energy says."""
    path = tmp_path / "arm.urdf"
    path.write_text(
        '<robot name="arm"><link name="base"/><link name="bar"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>'
        '<inertia ixx="0.01" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="hinge" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/>'
        f'<limit lower="{-2 * np.pi}" upper="{2 * np.pi}" effort="20" velocity="3"/></joint></robot>'
    )
    robot = g.load(path)
    assert not any("range" in str(each) for each in robot.unread)
    moment, inertia = 2.0 * 9.81 * 0.5, 0.1 + 2.0 * 0.25
    found = g.accelerate(robot, *robot.at({"hinge": 2 * np.pi}))
    assert found.a == pytest.approx([0.0], abs=1e-12)
    assert found.multiplier("hinge limit upper") == pytest.approx(moment)
    assert mb.reaction(found, robot.joints[0]).force == pytest.approx([0.0, 0.0, 2.0 * 9.81], abs=1e-9)
    free = g.accelerate(robot, *robot.at({"hinge": 0.0}))  # the same orientation, away from the stop
    down = g.accelerate(robot, *robot.at({"hinge": np.pi / 2}))
    for axes in ("bar", robot.frames["bar"]):
        assert mb.reaction(down, robot.joints[0], axes=axes).force == pytest.approx([-2.0 * 9.81, 0.0, 0.0], abs=1e-9)
    assert free.a == pytest.approx([moment / inertia])
    run = g.simulate(robot, *robot.at({"hinge": 6.0}), t_end=0.5)
    (event,) = run.events[:1]
    closing = np.sqrt(2.0 * moment * -np.sin(6.0) / inertia)
    assert "hinge limit upper" in str(event)
    assert f"{closing:.6g}" in str(event)
    assert run.q[-1] == pytest.approx([2 * np.pi])
    natural = mb.Mechanism("arm", robot.bodies, robot.joints)
    with pytest.raises(g.errors.ModelError, match="does not count turns"):
        natural.system  # noqa: B018


def test_bounds_of_forces_are_unread_where_there_are_motors():
    text = "forces of motors are not bounded"
    robot = g.load(HERE / "arm.urdf", actuated=["shoulder"])
    assert [each.names for each in robot.unread if each.meaning == text] == [("shoulder",)]
    assert not [each for each in g.load(HERE / "arm.urdf", actuated=[]).unread if each.meaning == text]


def test_what_ails_a_robot_is_named_where_it_is(tmp_path):
    """A stop by its joint and by how much, a file of loops by its own name, a link without mass by its name."""
    robot = g.load(HERE / "arm.urdf")
    stop = next(x for x in robot.joints if x.name == "shoulder limit")
    with pytest.raises(g.errors.InconsistentStateError, match=f"{stop.joint.name!r} is 0.5 rad beyond its upper"):
        g.simulate(robot, *robot.at({"shoulder": stop.upper + 0.5}), t_end=0.1)
    loops = tmp_path / "wrong.yaml"
    loops.write_text("closed_loop: [[nobody, tool]]\ntype: ['3d']\n")
    with pytest.raises(g.errors.InputError, match=r"wrong\.yaml: a loop is closed at 'nobody', .* of .*arm\.urdf"):
        g.load(HERE / "arm.urdf", loops=loops)
    light = tmp_path / "light.urdf"
    light.write_text(
        '<robot name="arm"><link name="base"/><link name="bar"/><joint name="hinge" type="continuous">'
        '<parent link="base"/><child link="bar"/><axis xyz="0 1 0"/></joint></robot>'
    )
    with pytest.raises(g.errors.InputError, match="the link 'bar' has no mass"):
        g.load(light)
