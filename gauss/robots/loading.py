"""`load`: a robot from a file, by what is in it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from gauss.errors import InputError
from gauss.foundation.arrays import shortened
from gauss.foundation.calls import advised
from gauss.foundation.shipped import OTHERS, unlike
from gauss.robots.construction import robot_of
from gauss.robots.extra import extra
from gauss.robots.reading.description import UNBOUNDED, Drive, RobotFile
from gauss.robots.reading.mjcf import read_mjcf
from gauss.robots.reading.packages import Packages
from gauss.robots.reading.sdf import read_sdf
from gauss.robots.reading.urdf import loop_of_frames, read_urdf
from gauss.robots.robot import BESIDE, Robot

KEYS = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")  # of the notation of loops

KEYWORD = re.compile(r"^\s*closed_loop\s*:", re.MULTILINE)
WORD = re.compile(r"[^\s\[\]{},:'\"]+")
MOST = 1_000_000  # bytes of a file of loops beside a robot's; a larger one is none


@advised
def load(
    path: str | Path,
    loops: str | Path | Mapping[str, Any] | None = None,
    base: Literal["fixed", "free"] | None = None,
    name: str | None = None,
    actuated: Literal["all"] | Sequence[str] | None = None,
    packages: str | Path | Mapping[str, str | Path] | None = None,
) -> Robot:
    """Return the robot of a file: URDF, SDF, or MJCF (which needs MuJoCo: ``pip install gauss-dynamics[robots]``).

    Links become bodies, those fixed to one another one body; joints, their limits, springs, dampers, dry friction and
    rotors, loops, couplings, motors, frames and poses are read, and `unread` lists what is not. A motor has a control,
    its name with "_motor" behind it where a joint is called so.

    A URDF has a `base` that is "fixed" to the ground (if left out) or "free"; what an SDF joins to nothing is free, or
    "fixed"; MJCF says so itself. The loops of a URDF are those of ``<constraint>``, or ``<loop>`` and ``<coupling>``,
    in the file, and of `loops`: a YAML file, or a mapping, with ``closed_loop`` (pairs of links or joints whose frames
    coincide), ``type`` (of each "3d", the points, or "6d", the axes too) and ``name_mot`` (joints with motors).

    `actuated` names the joints with motors. Left out, those are that the file says: MJCF, transmissions of a URDF,
    ``name_mot``. Where it says none, each hinge and slide that no other joint leads has a motor, and `unread` says so;
    "all" asks for that. `packages` is the folder in which ``package://`` and ``model://`` are found, or folders by the
    name of the package; folders above the file and those of ROS are searched too. Raises InputError.

    >>> import gauss as g
    >>> text = '''<robot name="arm"><link name="base"/><link name="bar"><inertial><origin xyz="0.5 0 0"/>
    ... <mass value="2"/><inertia ixx="0.01" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ... <joint name="hinge" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/>
    ... <limit lower="-1" upper="1" effort="20" velocity="3"/></joint></robot>'''
    >>> from pathlib import Path
    >>> _ = Path("arm.urdf").write_text(text)
    >>> robot = g.load("arm.urdf")
    >>> print(robot.unread[0])
    joint/limit@effort (hinge): forces of motors are not bounded
    >>> found = g.accelerate(robot, *robot.at({"hinge": 1.0}))
    >>> round(found.multiplier("hinge limit upper"), 6)  # N m: 2 kg · 9.81 m/s² · 0.5 m · cos 1
    5.300366
    """
    if not isinstance(path, str | Path):
        raise InputError(f"load needs the path of a robot's file, got {path!r}.")
    file = Path(path)
    root = _root_of(file)
    if base not in (None, "fixed", "free"):
        raise InputError(f'base is {base!r}; expected "fixed" or "free".')
    if root.tag not in ("robot", "sdf", "mujoco"):
        raise InputError(
            f"{file} has the root <{root.tag}>; expected <robot> (URDF), <sdf> (SDFormat) or <mujoco> (MJCF)."
        )
    if root.tag == "mujoco":
        if base is not None or loops is not None or actuated is not None:
            raise InputError(
                f"{file} is MJCF, which has its loops, free joints and motors in it; leave out base, loops, actuated."
            )
        return robot_of(read_mjcf(file, name))
    folders = Packages.of(file, packages)
    if root.tag == "sdf":
        said = read_sdf(root, str(file), base, name, folders)
    else:
        said = read_urdf(root, str(file), base or "fixed", name, folders)
    if loops is not None:
        _add_loops(said, loops)
    elif not said.loops:
        _name_loops_beside(said, file)
    _set_motors(said, actuated)
    _keep_bounds_of_motors(said)
    return robot_of(said)


def _root_of(file: Path) -> ET.Element:
    """Return the root of an XML file. Raises InputError for what is none."""
    if file.suffix.lower() in OTHERS and file.is_file():
        raise InputError(unlike(file))
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read: {error}.") from None
    try:
        return ET.fromstring(text.strip())
    except ET.ParseError as error:
        raise InputError(f"{file} is no XML, as URDF, MJCF and SDF are: {error}.") from None


def _name_loops_beside(said: RobotFile, file: Path) -> None:
    """Say which YAML files beside a robot's have loops of it: pairs of names, one of which at least is its own."""
    names = {*said.links, *said.places, *(move.name for move in said.moves)}
    for path in sorted(each for each in file.parent.iterdir() if each.suffix.lower() in (".yaml", ".yml")):
        text = path.read_text(encoding="utf-8", errors="replace") if path.stat().st_size < MOST else ""
        if KEYWORD.search(text) and not names.isdisjoint(WORD.findall(text)):
            meaning = f"not read; give them by `loops=`, --loops {path}, or leave them out by `loops={{}}`"
            said.leave(f"{BESIDE} {path.name}", "", meaning)


def _set_motors(said: RobotFile, actuated: Literal["all"] | Sequence[str] | None) -> None:
    """Give motors to the joints that are named, or to all where nobody says which. Raises InputError."""
    joints = [*said.moves, *(loop.move for loop in said.loops if loop.move is not None)]
    able = [move.name for move in joints if move.kind in ("hinge", "slide")]
    if actuated is None and not said.drives_guessed:
        return
    if actuated is None or isinstance(actuated, str):
        if actuated not in (None, "all"):
            raise InputError(f'actuated is {actuated!r}; expected a list of joints, or "all".')
        led = {name for rule in said.rules for name, _ in rule.joints}
        chosen = [move.name for move in said.moves if move.name in able and move.name not in led]
        if actuated is None and chosen:
            text = "the file does not say which joints have motors, so that each has one: say which by `actuated=`"
            said.leave("transmission" if said.source.endswith("urdf") else "motors", "", text)
    else:
        chosen = list(actuated)
        unknown = [name for name in chosen if name not in able]
        if unknown:
            raise InputError(f"{said.source} has no hinge or slide {unknown[0]!r} to drive; it has {shortened(able)}.")
    said.drives = [Drive(name, [(name, 1.0)]) for name in dict.fromkeys(chosen)]


def _keep_bounds_of_motors(said: RobotFile) -> None:
    """Keep of the bounds of forces that are not read those of joints which have motors."""
    driven = {name for drive in said.drives if isinstance(drive, Drive) for name, _ in drive.terms}
    for k, each in reversed(list(enumerate(said.unread))):
        if each.meaning == UNBOUNDED:
            names = tuple(name for name in each.names if name in driven)
            said.unread[k : k + 1] = [replace(each, names=names)] if names else []


def _add_loops(said: RobotFile, given: str | Path | Mapping[str, Any]) -> None:
    """Add loops, motors and kinds of joints from a YAML file or a mapping. Raises InputError."""
    where = f"the loops of {said.source}" if isinstance(given, Mapping) else str(given)
    if not isinstance(given, Mapping):
        yaml = extra("yaml", "pyyaml")
        try:
            given = yaml.safe_load(Path(given).read_text(encoding="utf-8"))
        except (OSError, yaml.YAMLError) as error:
            raise InputError(f"the loops in {given} cannot be read: {error}.") from None
    if not isinstance(given, Mapping):
        raise InputError(f"{where} must be a mapping with closed_loop and type, got {given!r}.")
    for word in given:
        if word not in KEYS:
            said.leave(f"loops/{word}", "", "it is not known, and the model has nothing of it")
    pairs, kinds = list(given.get("closed_loop") or ()), list(given.get("type") or ())
    if len(pairs) != len(kinds) or any(isinstance(pair, str) or len(pair) != 2 for pair in pairs):
        raise InputError(
            f"{where} must give each loop a pair of names and a type, but has {len(pairs)} of closed_loop, {pairs}, and"
            f' {len(kinds)} of type, {kinds}: as in closed_loop: [[rod_end, crank_pin]] with type: ["6d"].'
        )
    changed = list(zip(given.get("joint_name") or (), given.get("joint_type") or (), strict=False))
    for joint, kind in changed:
        move = next((move for move in said.moves if move.name == joint), None)
        if move is None or kind != "SPHERICAL":
            said.leave("loops/joint_type", str(joint), f"the joint is not changed to {kind}")
        else:
            move.kind = "ball"
            said.drives = [d for d in said.drives if not (isinstance(d, Drive) and d.terms[0][0] == joint)]
    for pair, kind in zip(pairs, kinds, strict=True):
        loop_of_frames(said, (str(pair[0]), str(pair[1])), str(kind), where)
    motors = [str(joint) for joint in given.get("name_mot") or ()]
    if motors:
        known = {move.name for move in said.moves}
        for joint in motors:
            if joint not in known:
                said.leave("loops/name_mot", joint, "there is no such joint")
        said.drives = [Drive(joint, [(joint, 1.0)]) for joint in motors if joint in known]
        said.drives_guessed = False
