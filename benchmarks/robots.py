"""Numbers that controllers ask for, in microseconds of processor time, beside Pinocchio and MuJoCo.

    python benchmarks/robots.py [--rounds 30] [--json FILE]

Robots, in joint coordinates: an arm of 7 joints along axes of its links, one along arbitrary axes, a leg of 13
coordinates with two closed loops on a body that nothing holds. All programs work on the same numbers, take turns in
each round, and the best of the rounds counts: what else runs on the machine makes compiled functions of thousands of
instructions two or three times as slow, and small ones less.

* `mass_matrix`, `bias`, `forward_dynamics`, …: a call from Python with arrays, of `gauss.bodies.Numbers`, of Pinocchio
  (`crba`, `nle`, `aba`, …) and of MuJoCo (`mj_forward`, which computes all of them at once);
* `accelerate`: the same acceleration with the whole verdict on its uniqueness, which the peers do not give;
* `step`: a certified step of `gauss.bodies.Plant` of 1 ms, and `mj_step` (RK4);
* `first`: from the mechanism to its first acceleration, s; `motion`: 0.1 s to a tolerance of 1e-9, ms.

The leg is then compared with MuJoCo over a second of motion at equal error, as `beside_mujoco.py` says.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

sys.path.insert(0, str(Path(__file__).resolve().parent))

from beside_mujoco import beside_mujoco, lines

import gauss as g
from gauss import bodies as mb

CALLS = 100
FRAME = (0.1, 0.2, 0.3)


def body(name: str, rng: np.random.Generator, principal: bool = False) -> mb.Body:
    A = rng.normal(size=(3, 3))
    K = 0.05 * A @ A.T + 0.02 * np.eye(3)
    tensor = np.trace(K) * np.eye(3) - K
    tensor = np.diag(np.diag(tensor)) if principal else tensor
    return mb.Body(name, mb.Inertia.of_tensor(rng.uniform(0.5, 2.0), tensor, centre=0.1 * rng.normal(size=3)))


def arm(axes: Callable[[int, np.random.Generator], Any], count: int = 7, principal: bool = False) -> mb.Mechanism:
    rng = np.random.default_rng(0)
    bodies, joints, last = [], [], mb.GROUND
    for k in range(count):
        here = body(f"link{k}", rng, principal)
        at = 0.3 * rng.normal(size=3)
        joints.append(mb.Revolute(f"j{k}", last, at, here, (0, 0, 0), axis1=axes(k, rng)))
        bodies.append(here)
        last = here
    return mb.Mechanism("arm", bodies, joints, coordinates="joint")


def leg() -> mb.Mechanism:
    """A trunk in space, a leg of six hinges, and two rods with ball joints that hold the shank and the foot."""
    rng = np.random.default_rng(2)
    chain = [body(name, rng) for name in ("trunk", "hip", "thigh", "shank", "ankle", "foot", "toe")]
    trunk, _, thigh, shank, _, foot, _ = chain
    axes = [(0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0)]
    joints: list[Any] = [
        mb.Revolute(f"hinge{k}", one, (0.02 * k, 0.01, -0.25), two, (0, 0, 0), axis1=axis)
        for k, (one, two, axis) in enumerate(zip(chain, chain[1:], axes, strict=False))
    ]
    open_leg = mb.Mechanism("leg", chain, joints, coordinates="joint")
    numbers, (q, _) = mb.Numbers(open_leg), start(open_leg)
    for name, one, at, two, behind in (
        ("rod1", trunk, (0.1, 0.05, -0.1), shank, (0.1, 0.0, -0.1)),
        ("rod2", thigh, (-0.1, 0.02, -0.1), foot, (-0.1, 0.03, 0.0)),
    ):
        way = numbers.placement(q, one, at)[0] - numbers.placement(q, two, behind)[0]
        joints.append(mb.Distance(name, one, at, two, behind, length=float(np.linalg.norm(way))))
    return mb.Mechanism("leg", chain, joints, coordinates="joint")


def start(robot: mb.Mechanism) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    names = [name for name in robot.tree.coordinates if name.startswith(("j", "hinge"))]
    values, rates = ({name: size * rng.normal() for name in names} for size in (0.3, 1.0))
    there = g.consistent(robot, *robot.state(values=values, rates=rates))
    return there.q, there.v


def peers(robot: mb.Mechanism, q: np.ndarray, v: np.ndarray) -> dict[str, dict[str, Callable[[], Any]]]:
    """The same calls of Pinocchio and of MuJoCo for an arm, where they are installed."""
    found: dict[str, dict[str, Callable[[], Any]]] = {}
    numbers, zero = mb.Numbers(robot), np.zeros(len(q))
    turns = [numbers.placement(zero, each)[1] for each in robot.bodies]
    turns = [R if k == 0 else turns[k - 1].T @ R for k, R in enumerate(turns)]
    axes = [R.T @ np.array(joint.axis1, dtype=float) for R, joint in zip(turns, robot.joints, strict=True)]
    places = [np.array(joint.point1, dtype=float) for joint in robot.joints]
    tau = np.linspace(-1.0, 1.0, len(q))
    if importlib.util.find_spec("pinocchio"):
        import pinocchio as pin

        model = pin.Model()
        for k, each in enumerate(robot.bodies):
            kind = pin.JointModelRevoluteUnaligned(axes[k])
            joint = model.addJoint(k, kind, pin.SE3(turns[k], places[k]), each.name)
            inertia = pin.Inertia(each.inertia.mass, each.inertia.centre, each.inertia.central_tensor)
            model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        frame = pin.Frame("tip", len(robot.bodies), 0, pin.SE3(np.eye(3), np.array(FRAME)), pin.OP_FRAME)
        at = model.addFrame(frame)
        data = model.createData()
        found["pinocchio"] = {
            "mass_matrix": lambda: pin.crba(model, data, q),
            "bias": lambda: pin.nle(model, data, q, v),
            "gravity": lambda: pin.computeGeneralizedGravity(model, data, q),
            "inverse_dynamics": lambda: pin.rnea(model, data, q, v, tau),
            "forward_dynamics": lambda: pin.aba(model, data, q, v, tau),
            "jacobian": lambda: pin.computeFrameJacobian(model, data, q, at, pin.LOCAL_WORLD_ALIGNED),
            "centroidal_momentum": lambda: pin.computeCentroidalMomentum(model, data, q, v),
            "regressor": lambda: pin.computeJointTorqueRegressor(model, data, q, v, tau),
        }
    if importlib.util.find_spec("mujoco"):
        import mujoco

        world = mujoco.MjModel.from_xml_string(_mjcf(robot, turns, axes, places))
        resting, moving = mujoco.MjData(world), mujoco.MjData(world)
        for each in (resting, moving):
            each.qpos[:], each.qvel[:] = q, v
        resting.qfrc_applied[:] = tau
        found["mujoco"] = {
            "forward_dynamics": lambda: mujoco.mj_forward(world, resting),
            "step": lambda: mujoco.mj_step(world, moving),
        }
    return found


def _mjcf(robot: mb.Mechanism, turns: list[np.ndarray], axes: list[np.ndarray], places: list[np.ndarray]) -> str:
    def words(x: Any) -> str:
        return " ".join(repr(float(entry)) for entry in np.ravel(x))

    opened = ""
    for each, R, axis, place in zip(robot.bodies, turns, axes, places, strict=True):
        J = each.inertia.central_tensor
        full = words([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
        turn = words(Rotation.from_matrix(R).as_quat(scalar_first=True))
        centre, mass = words(each.inertia.centre), each.inertia.mass
        opened += f'<body pos="{words(place)}" quat="{turn}"><joint type="hinge" axis="{words(axis)}"/>'
        opened += f'<inertial pos="{centre}" mass="{mass!r}" fullinertia="{full}"/>'
    option = '<option timestep="0.001" integrator="RK4" gravity="0 0 -9.81"/>'
    return f"<mujoco>{option}<worldbody>{opened}{'</body>' * len(robot.bodies)}</worldbody></mujoco>"


def microseconds(work: Callable[[], object], calls: int) -> float:
    begin = time.process_time()
    for _ in range(calls):
        work()
    return 1e6 * (time.process_time() - begin) / calls


def measured(robot: mb.Mechanism, rounds: int, compared: bool) -> dict[str, Any]:
    q, v = start(robot)
    begin = time.process_time()
    numbers = mb.Numbers(mb.Mechanism(robot.name, robot.bodies, robot.joints, coordinates="joint"))
    numbers.forward_dynamics(q, v)
    first = time.process_time() - begin
    tip, tau = robot.bodies[-1].name, np.linspace(-1.0, 1.0, len(q))
    plant = mb.Plant(numbers, q, v)
    g.accelerate(robot, q, v)
    calls: dict[str, dict[str, Callable[[], Any]]] = {
        "gauss": {
            "mass_matrix": lambda: numbers.mass_matrix(q),
            "bias": lambda: numbers.bias(q, v),
            "gravity": lambda: numbers.gravity(q),
            "inverse_dynamics": lambda: numbers.inverse_dynamics(q, v, tau),
            "forward_dynamics": lambda: numbers.forward_dynamics(q, v, tau),
            "jacobian": lambda: numbers.jacobian(q, tip, FRAME),
            "centroidal_momentum": lambda: numbers.centroidal_momentum(q, v),
            "regressor": lambda: numbers.regressor(q, v, tau),
            "step": lambda: plant.step(0.001),
            "accelerate": lambda: g.accelerate(robot, q, v).a,
        },
        **(peers(robot, q, v) if compared else {}),
    }
    for each in calls.values():
        for work in each.values():
            work()
    times: dict[str, dict[str, list[float]]] = {name: {key: [] for key in each} for name, each in calls.items()}
    for _ in range(rounds):
        plant.reset(q, v)
        for key in calls["gauss"]:
            for name, each in calls.items():
                if key in each:
                    times[name][key].append(microseconds(each[key], 20 if key == "accelerate" else CALLS))
    g.simulate(robot, q, v, t_end=0.1, rtol=1e-9, progress="none")
    motion = 1e-3 * min(
        [microseconds(lambda: g.simulate(robot, q, v, t_end=0.1, rtol=1e-9, progress="none"), 1) for _ in range(rounds)]
    )
    found: dict[str, Any] = {
        "freedoms": len(q),
        "rows": len(robot.system.row_names),
        "operations": robot.system.model._terms.function.n_instructions(),
        "first s": first,
        "motion ms": motion,
        "us": {name: {key: min(x) for key, x in each.items()} for name, each in times.items()},
    }
    ours = found["us"]["gauss"]
    found["ratios"] = {
        f"{key}: gauss/{name}": ours[key] / x
        for name, each in found["us"].items()
        if name != "gauss"
        for key, x in each.items()
    }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    along = arm(lambda k, rng: ((0, 0, 1), (0, 1, 0))[k % 2], principal=True)
    oblique = arm(lambda k, rng: rng.normal(size=3))
    robots = {"arm along axes": (along, True), "arm": (oblique, True), "leg with loops": (leg(), False)}
    found = {name: measured(robot, given.rounds, compared) for name, (robot, compared) in robots.items()}
    for name, entry in found.items():
        words = f"{entry['freedoms']} coordinates, {entry['rows']} rows, {entry['operations']} operations of M, f, J"
        print(f"{name}: {words}; first {entry['first s']:.2f} s, 0.1 s of motion {entry['motion ms']:.1f} ms")
        for program, each in entry["us"].items():
            print(f"  {program:10}" + "".join(f" {key} {x:.1f}" for key, x in each.items()) + " µs")
    if importlib.util.find_spec("mujoco"):
        with_loops = robots["leg with loops"][0]
        beside = beside_mujoco(with_loops, *start(with_loops), given.rounds)
        print("leg with loops, one second of motion:", *lines(beside), sep="\n  ")
        found["a second of the leg beside MuJoCo"] = beside
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
