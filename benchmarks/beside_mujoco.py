"""A robot with closed loops beside MuJoCo: processor time for a second of motion at equal error.

`robots.py` calls it. The reference is the motion with rigid loops from joint coordinates at a tolerance of 1e-13. It is
computed once more from natural coordinates, and MuJoCo tends to it as its step and its time constant go to zero. The
error is the largest difference of a coordinate (m, rad, or of the unit quaternion) at the end.

MuJoCo holds a rod by the length of a tendon. Its own step is 2 ms, its own time constant 20 ms; the stiffest that it
allows, two steps, serves it better. Ways of gauss are `Plant.step`, each step certified, and `simulate`, certified with
the quadratic programs solved (osqp) or the fused solution alone (kkt); `simulate_many` has 100 such motions at once.
Steps of a plant as machine code need a C compiler, for some seconds that are not counted. A ratio is the time of the
quickest way that is at least as exact, over MuJoCo's, once without and once with such code.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import gauss as g
from gauss import bodies as mb

END = 1.0  # s
MEMBERS = 100
NATIVE = ", machine code"  # of a C compiler
WAYS = ("", NATIVE)  # without these, and with them
CONTROL = 0.001  # s, a step of a control loop
SETTINGS = [  # of MuJoCo: integrator, step s, time constant s; the first three are at its own step
    ("Euler", 0.002, 0.02),
    ("RK4", 0.002, 0.02),
    ("RK4", 0.002, 0.004),
    ("RK4", 0.001, 0.002),
    ("RK4", 0.005, 0.01),
    ("RK4", 0.01, 0.02),
    ("RK4", 0.02, 0.04),
]


def words(x: Any) -> str:
    return " ".join(repr(float(entry)) for entry in np.ravel(x))


def mjcf(robot: mb.Mechanism, option: str, equality: str = "") -> str:
    """The MJCF of a chain of hinges on a body that nothing holds, with rods."""
    numbers, zero = mb.Numbers(robot), robot.state(values={})[0]
    hinges = [joint for joint in robot.joints if isinstance(joint, mb.Revolute)]
    rods = [joint for joint in robot.joints if isinstance(joint, mb.Distance)]
    turns = [numbers.placement(zero, each)[1] for each in robot.bodies]
    opened = ""
    for k, each in enumerate(robot.bodies):
        J, R = each.inertia.central_tensor, turns[k] if k == 0 else turns[k - 1].T @ turns[k]
        full = words([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
        place, joint = (0, 0, 0), f'<freejoint name="{each.name}"/>'
        if k:
            hinge = hinges[k - 1]
            place, axis = hinge.point1, R.T @ np.array(hinge.axis1, dtype=float)
            joint = f'<joint name="{hinge.name}" axis="{words(axis)}" pos="{words(hinge.point2)}"/>'
        turn = words(Rotation.from_matrix(R).as_quat(scalar_first=True))
        opened += f'<body name="{each.name}" pos="{words(place)}" quat="{turn}">{joint}<inertial pos="'
        opened += f'{words(each.inertia.centre)}" mass="{each.inertia.mass!r}" fullinertia="{full}"/>'
        for rod in rods:
            for body, at, end in ((rod.body1, rod.point1, 1), (rod.body2, rod.point2, 2)):
                opened += f'<site name="{rod.name} {end}" pos="{words(at)}"/>' if body is each else ""
    tendons = "".join(
        f'<spatial name="{rod.name}"><site site="{rod.name} 1"/><site site="{rod.name} 2"/></spatial>' for rod in rods
    )
    held = "".join(f'<tendon tendon1="{rod.name}" {equality}/>' for rod in rods)
    return (
        f'<mujoco><option gravity="0 0 -9.81" {option}/><worldbody>{opened}{"</body>" * len(robot.bodies)}</worldbody>'
        f"<tendon>{tendons}</tendon><equality>{held}</equality></mujoco>"
    )


class World:
    """MuJoCo's model of the robot, whose states are those of its joint coordinates."""

    def __init__(self, robot: mb.Mechanism, integrator: str, step: float, constant: float):
        import mujoco

        text = mjcf(robot, f'timestep="{step!r}" integrator="{integrator}"', f'solref="{constant!r} 1"')
        self.model = mujoco.MjModel.from_xml_string(text)
        rods = [joint for joint in robot.joints if isinstance(joint, mb.Distance)]
        for i, rod in enumerate(rods):  # the row is length − that of all angles zero − the first coefficient
            self.model.eq_data[i, :5] = [rod.length - self.model.tendon_length0[i], 0, 0, 0, 0]
        self.data, self.reset, self.advance = mujoco.MjData(self.model), mujoco.mj_resetData, mujoco.mj_step
        root, at = robot.bodies[0].name, {name: k for k, name in enumerate(robot.system.coordinates)}
        angles = [at[self.model.joint(j).name] for j in range(1, self.model.njnt)]
        self.places = [at[f"{root}_{x}"] for x in ("x", "y", "z", "qw", "qx", "qy", "qz")] + angles

    def put(self, q: Any, v: Any) -> None:
        """Set the state."""
        self.reset(self.model, self.data)
        self.data.qpos[:], rates = q[self.places], v[self.places]
        a, b, c, d = q[self.places[3:7]]
        spin = 2.0 * np.array([[-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]]) @ rates[3:7]
        self.data.qvel[:] = [*rates[:3], *spin, *rates[7:]]

    def q(self) -> Any:
        """The coordinates."""
        found = np.zeros(len(self.places))
        found[self.places] = self.data.qpos
        return found


def milliseconds(work: Callable[[], object], rounds: int) -> float:
    """The least processor time of some rounds, ms."""
    work()
    found = []
    for _ in range(rounds):
        begin = time.process_time()
        work()
        found.append(1e3 * (time.process_time() - begin))
    return min(found)


def beside_mujoco(robot: mb.Mechanism, q: Any, v: Any, rounds: int) -> dict[str, Any]:
    """Times and errors of MuJoCo and of gauss for one second of motion, and a step of a control loop."""
    exact = g.simulate(robot, q, v, t_end=END, rtol=1e-13, progress="none")
    truth, twin = np.array(exact.q[-1]), robot.system.twin
    start = (x[0] for x in twin.states(q[None], v[None], 0.0 * v[None])[:2])
    other = g.simulate(robot.natural, *start, t_end=END, rtol=1e-12, progress="none")
    same = twin.states(truth[None], np.array(exact.v[-1])[None], 0.0 * truth[None])[0][0]

    def off(found: Any) -> float:
        return float(np.max(np.abs(np.array(found) - truth)))

    mujoco = []
    for setting in SETTINGS:
        world = World(robot, *setting)

        def run(world: World = world, count: int = round(END / setting[1])) -> None:
            world.put(q, v)
            world.advance(world.model, world.data, nstep=count)

        mujoco.append({"setting": setting, "ms": milliseconds(run, rounds), "error": off(world.q())})
    finest = World(robot, "RK4", 1e-4, 2e-4)
    finest.put(q, v)
    finest.advance(finest.model, finest.data, nstep=round(END / 1e-4))
    ours = []
    plants = {"": mb.Plant(robot, q, v)}
    if shutil.which("cc"):
        plants[NATIVE] = mb.Plant(robot, q, v, compiler="cc")
    for word, plant in plants.items():
        for step in (0.01, 0.05, 0.1, 0.2, 0.5):

            def go(plant: mb.Plant = plant, step: float = step) -> None:
                plant.reset(q, v)
                for _ in range(round(END / step)):
                    plant.step(step)

            ours.append({"way": f"Plant.step of {step} s{word}", "ms": milliseconds(go, rounds), "error": off(plant.q)})
    for solver in ("osqp", "kkt"):
        for rtol in (1e-5, 1e-7, 1e-9):
            given: dict[str, Any] = {"t_end": END, "rtol": rtol, "solver": solver, "progress": "none"}
            ms = milliseconds(lambda given=given: g.simulate(robot, q, v, **given), rounds)
            error = off(g.simulate(robot, q, v, **given).q[-1])
            ours.append({"way": f"simulate, {solver}, rtol {rtol:g}", "ms": ms, "error": error})
    many = {"times": [0.0, END], "rtol": 1e-9, "progress": "none", "solve_at": "times"}
    starts = np.tile(q, (MEMBERS, 1)), np.tile(v, (MEMBERS, 1))
    ms = milliseconds(lambda: g.motion.simulate_many(robot, *starts, **many), 1) / MEMBERS
    last = g.motion.simulate_many(robot, *starts, **many)
    ends = [float(last[name].values[-1, -1]) for name in robot.system.coordinates]
    ours.append({"way": f"simulate_many, {MEMBERS} members, each", "ms": ms, "error": off(ends)})
    for each in mujoco:
        exact_enough = [x for x in ours if x["error"] <= each["error"]]
        for key in WAYS:
            ways = [x for x in exact_enough if key or NATIVE not in x["way"]]
            best = min(ways, key=lambda x: x["ms"])
            each |= {f"ratio{key}": best["ms"] / each["ms"], f"by{key}": best["way"]}
    world = World(robot, "RK4", CONTROL, 2.0 * CONTROL)
    world.put(q, v)
    hundred = range(100)
    steps = {"MuJoCo": 10.0 * milliseconds(lambda: [world.advance(world.model, world.data) for _ in hundred], rounds)}
    for word, plant in plants.items():
        plant.reset(q, v)
        steps[f"gauss{word}"] = 10.0 * milliseconds(lambda plant=plant: [plant.step(CONTROL) for _ in hundred], rounds)
    return {
        "reference": {"natural coordinates": float(np.max(np.abs(same - other.q[-1]))), "MuJoCo": off(finest.q())},
        "mujoco": mujoco,
        "gauss": ours,
        "us of a step of 1 ms": steps,
    }


def lines(found: dict[str, Any]) -> list[str]:
    """What is printed."""
    words = [f"the reference is confirmed to {found['reference']}"]
    for each in found["mujoco"]:
        integrator, step, constant = each["setting"]
        name = f"MuJoCo {integrator}, step {step:g} s, time constant {constant:g} s"
        ratios = "".join(f"; ratio{key} {each[f'ratio{key}']:.2f} ({each[f'by{key}']})" for key in WAYS)
        words.append(f"{name:52} {each['ms']:7.2f} ms, error {each['error']:.1e}{ratios}")
    words += [f"{x['way']:52} {x['ms']:7.2f} ms, error {x['error']:.1e}" for x in found["gauss"]]
    steps = found["us of a step of 1 ms"]
    return [*words, "a step of 1 ms: " + ", ".join(f"{name} {x:.0f} µs" for name, x in steps.items())]
