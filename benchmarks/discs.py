"""Discs that settle in a funnel: cost of a step and of a contact, penetration, and MuJoCo beside it where installed.

    python benchmarks/discs.py [--counts 100 1000] [--t-end 0.6] [--step S] [--mujoco PYTHON] [--json FILE]

The scene is that of scenarios/funnel_of_discs.py, whose funnel grows with √count. Times are those of the processor, in
one thread (set OPENBLAS_NUM_THREADS=1). `--mujoco` names a Python that has mujoco; the same discs are then spheres that
slide in a plane and turn about its normal, the walls are boxes, and friction has the elliptic cone. MuJoCo's contacts
are soft by design. It is run with its default stiffness, and with contacts as stiff as it admits (a time constant of
two steps, impedance up to 0.9999). Its cost per step is that of a compiled engine with one convex program per step that
is not solved to 1e-10, and its friction is the convex relaxation, in which slipping contacts push apart. So compare
times together with penetrations: what that kind of answer costs, no more.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np

from gauss.nonsmooth import moreau

ROOT = Path(__file__).resolve().parent.parent

MUJOCO = r"""
import json, sys, time
import numpy as np, mujoco
data = json.load(sys.stdin)
walls = []
for (x, z), (u, w) in data["walls"]:
    length, angle = np.hypot(u - x, w - z), np.arctan2(w - z, u - x)
    normal = np.array([np.sin(angle), -np.cos(angle)])
    side = normal if normal @ [0 - x, 5 - z] < 0 else -normal
    c = np.array([(x + u) / 2, (z + w) / 2]) + 0.05 * side
    walls.append(f'<geom type="box" size="{length / 2 + 0.05} 1 0.05" pos="{c[0]} 0 {c[1]}" euler="0 {-angle} 0"/>')
discs = [
    f'<body pos="{x} 0 {z}"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>'
    f'<joint type="hinge" axis="0 -1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 {r * r / 2} 1"/>'
    f'<geom type="sphere" size="{r}"/></body>'
    for x, z, r in data["discs"]
]
xml = (
    f'<mujoco><compiler angle="radian"/><option timestep="{data["step"]}" cone="elliptic" gravity="0 0 -9.81"/>'
    f'<size memory="1G"/><default><geom friction="{data["mu"]} 0 0" condim="3" {data["contact"]}/></default><worldbody>'
    + "".join(walls) + "".join(discs) + "</worldbody></mujoco>"
)
model = mujoco.MjModel.from_xml_string(xml)
state = mujoco.MjData(model)
steps, deepest, contacts = round(data["t_end"] / data["step"]), 0.0, 0
begin = time.process_time()
for _ in range(steps):
    mujoco.mj_step(model, state)
    contacts += state.ncon
    if state.ncon:
        deepest = max(deepest, -float(np.min(state.contact.dist)))
seconds = time.process_time() - begin
last = -float(np.min(state.contact.dist)) if state.ncon else 0.0
radius = float(np.mean([r for *_, r in data["discs"]]))
print(json.dumps({"ms_per_step": 1e3 * seconds / steps, "us_per_contact": 1e6 * seconds / max(contacts, 1),
    "contacts_at_end": int(state.ncon), "penetration_over_radius": deepest / radius,
    "penetration_at_end_over_radius": last / radius, "version": mujoco.__version__}))
"""


def funnel() -> Any:
    spec = importlib.util.spec_from_file_location("funnel_of_discs", ROOT / "scenarios/funnel_of_discs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ours(count: int, t_end: float, step: float) -> dict[str, Any]:
    scene = funnel().scene(count)
    begin = time.process_time()
    run = moreau(scene, step=step, t_end=t_end)
    seconds, steps = time.process_time() - begin, len(run.t) - 1
    rise = np.diff(run.energy) - run.correction_energy[1:]
    return {
        "ending": run.ending.kind,
        "ms_per_step": 1e3 * seconds / steps,
        "us_per_contact": 1e6 * seconds / max(int(np.sum(run.contact_count)), 1),
        "contacts_at_end": int(run.contact_count[-1]),
        "linear_systems_per_step": float(np.sum(run.systems)) / steps,
        "penetration_over_radius": float(np.max(run.penetration)),
        "residual": float(np.max(run.residual)),
        "steps_not_certified": int(np.sum(~run.certified)),
        "largest_rise_of_energy_J": float(np.max(rise)),
        "energy_balance_J": run.balance,
        "energy_lost_J": float(run.energy[0] - run.energy[-1]),
        "correction_energy_J": float(np.sum(run.correction_energy)),
        "kinetic_energy_at_end_J": float(run.kinetic[-1]),
        "settled_after_s": _settled(run),
    }


def _settled(run: Any) -> float | None:
    """When the kinetic energy stays below 1e-6 of the energy lost, or None."""
    moving = np.flatnonzero(run.kinetic > 1e-6 * (run.energy[0] - run.energy[-1]))
    last = int(moving[-1]) if len(moving) else -1
    return float(run.t[last + 1]) if last + 1 < len(run.t) else None


def theirs(python: str, count: int, t_end: float, step: float, stiff: bool) -> dict[str, Any] | None:
    module = funnel()
    scene = module.scene(count)
    given = {
        "walls": [wall.shape.points for wall in scene.obstacles],
        "discs": [[*map(float, b.position), b.shape.radius] for b in scene.bodies],
        "mu": module.MU,
        "t_end": t_end,
        "step": step,
        "contact": f'solref="{2 * step:g} 1" solimp="0.99 0.9999 0.0001"' if stiff else "",
    }
    done = subprocess.run([python, "-c", MUJOCO], input=json.dumps(given), capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"MuJoCo did not run: {done.stderr.strip().splitlines()[-1:]}")
        return None
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--t-end", type=float, default=0.6)
    parser.add_argument("--step", type=float, default=5e-3, help="s")
    parser.add_argument("--mujoco", default="", help="a Python that has mujoco")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    table: dict[str, Any] = {"t_end": options.t_end, "runs": {}}
    for count in options.counts:
        step = options.step
        entry: dict[str, Any] = {f"gauss, step {step:g} s": ours(count, options.t_end, step)}
        if options.mujoco:
            for size, stiff in ((step, False), (step, True), (1e-3, True), (1e-4, True)):
                name = f"mujoco, {'stiff' if stiff else 'default'} contacts, step {size:g} s"
                entry[name] = theirs(options.mujoco, count, options.t_end, size, stiff)
        table["runs"][str(count)] = entry
        print(count, json.dumps(entry, indent=2))
        if options.json:
            options.json.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
