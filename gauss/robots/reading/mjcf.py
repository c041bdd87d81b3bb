"""MJCF, the format of MuJoCo: MuJoCo's compiler resolves defaults, frames and inertia, its model is read here."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.geometry import shapes
from gauss.geometry.rotations import nearest
from gauss.geometry.surfaces import PlaneSurface
from gauss.robots.extra import extra
from gauss.robots.reading import solids
from gauss.robots.reading.description import (
    WORLD,
    Drive,
    Move,
    Place,
    RobotFile,
    RobotLink,
    RobotLoop,
    Rule,
    Terms,
    Thrust,
)

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
CONNECT, WELD, JOINT, TENDON = range(4)  # mjtEq
SITE = 6  # mjtObj of an equality between sites
AT_JOINT, AT_TENDON, AT_SITE = (0, 1), 3, 4  # mjtTrn; of hinges and slides both of a joint are the same
GEOM_PLANE, GEOM_MESH = 0, 7  # mjtGeom
GEOMS = {  # of mjtGeom, with the factors from its sizes
    2: ("sphere", (1.0,)), 3: ("capsule", (1.0, 2.0)), 4: ("ellipsoid", (1.0, 1.0, 1.0)),
    5: ("cylinder", (1.0, 2.0)), 6: ("box", (2.0, 2.0, 2.0)),
}  # fmt: skip
QUATERNION = ("_qw", "_qx", "_qy", "_qz")
MEANINGS = {  # of elements that the model has not
    "sensor": "nothing is measured by it",
    "contact": "bodies do not touch one another here",
    "asset/texture": "it is not drawn",
    "asset/material": "it is not drawn",
    "asset/hfield": "it is not drawn, and nothing touches it",
    "asset/skin": "it is not drawn",
    "deformable": "flexible bodies are left out",
    "visual": "it concerns MuJoCo's pictures alone",
    "statistic": "it concerns MuJoCo's pictures and sizes alone",
    "custom": "no program that reads it is known",
    "extension": "plugins of MuJoCo are left out",
    "worldbody/light": "it is not drawn",
    "option": "MuJoCo's numerical settings; the runs here have their own",
}


def read_mjcf(path: Path, name: str | None) -> RobotFile:
    """Return what an MJCF file says. Raises InputError for what MuJoCo's compiler refuses."""
    mujoco = extra("mujoco", "mujoco")
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        model = spec.compile()
    except (ValueError, RuntimeError) as error:
        raise InputError(f"MuJoCo's compiler refuses {path}: {' '.join(str(error).split())}") from None
    reader = Mjcf(model, RobotFile(name or spec.modelname or path.stem, str(path), np.array(model.opt.gravity)))
    reader.read()
    _leave_elements(reader.said, ET.fromstring(spec.to_xml()))
    return reader.said


def _rotation(quaternion: Array) -> Array:
    """Return the matrix of a quaternion (w, x, y, z) of any length."""
    w, x, y, z = (quaternion / np.linalg.norm(quaternion)).tolist()
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return nearest(np.eye(3) + 2.0 * w * K + 2.0 * K @ K)


class Mjcf:
    """A compiled model of MuJoCo and what it says."""

    def __init__(self, model: Any, said: RobotFile):
        self.model, self.said = model, said
        self.link_of = [WORLD, *(model.body(i).name or f"body{i}" for i in range(1, model.nbody))]
        self.joint_of = [
            model.joint(j).name or f"{self.link_of[model.jnt_bodyid[j]]}_joint{j}" for j in range(model.njnt)
        ]
        self.zero = dict.fromkeys(self.joint_of, 0.0)  # values as drawn
        self.rods = set[int]()  # tendons whose length is held

    def read(self) -> None:
        """Read all that is known."""
        for i in range(1, self.model.nbody):
            self._body(i)
        self._geoms()
        for k in range(self.model.nsite):
            self._name_place(self.model.site(k).name or f"site{k}", self._site(k))
        for k in range(self.model.ncam):
            place = Place(
                self.link_of[self.model.cam_bodyid[k]], self._vector("cam_pos", k), _rotation(self.model.cam_quat[k])
            )
            self._name_place(self.model.camera(k).name or f"camera{k}", place)
        for k in range(self.model.neq):
            self._equality(k)
        for k in range(self.model.ntendon):
            self._tendon(k)
        for k in range(self.model.nu):
            self._actuator(k)
        self.said.poses["home"] = self._pose(self.model.qpos0)
        for k in range(self.model.nkey):
            self.said.poses[self.model.key(k).name or f"key{k}"] = self._pose(self.model.key_qpos[k])
            if np.any(self.model.key_qvel[k]) or np.any(self.model.key_ctrl[k]):
                self.said.leave("keyframe/key@qvel, @ctrl", self.model.key(k).name, "poses have positions alone")
        self._world()

    def _vector(self, word: str, k: int) -> Array:
        return np.array(getattr(self.model, word)[k], dtype=float)

    def _site(self, k: int) -> Place:
        return Place(
            self.link_of[self.model.site_bodyid[k]], self._vector("site_pos", k), _rotation(self.model.site_quat[k])
        )

    def _name_place(self, name: str, place: Place) -> None:
        taken = name in self.said.links or name in self.said.places
        self.said.places[f"{name} on {place.link or 'the ground'}" if taken else name] = place

    def _world(self) -> None:
        """Leave what acts everywhere."""
        option = self.model.opt
        for word in ("density", "viscosity"):
            if getattr(option, word):
                self.said.leave(f"option@{word}", "", "there is no air or water here")
        if np.any(option.wind):
            self.said.leave("option@wind", "", "there is no wind here")

    # ------------------------------------------------------------------ bodies and joints

    def _body(self, i: int) -> None:
        model, name = self.model, self.link_of[i]
        mass = float(model.body_mass[i])
        tensor, centre, axes = self._vector("body_inertia", i), self._vector("body_ipos", i), model.body_iquat[i]
        self.said.links[name] = RobotLink(name, self.said.weight(name, mass, tensor, centre, _rotation(axes)))
        if model.body_gravcomp[i]:
            self.said.leave("body@gravcomp", name, "its weight is not compensated")
        if model.body_mocapid[i] >= 0:
            self.said.leave("body@mocap", name, "it stays where it is drawn")
        place, turn = self._vector("body_pos", i), _rotation(model.body_quat[i])
        parent, first = self.link_of[model.body_parentid[i]], model.body_jntadr[i]
        joints = range(first, first + model.body_jntnum[i])
        if not joints:
            self.said.moves.append(
                Move(f"{name} fixed", "fixed", parent, name, place, turn, np.array([0.0, 0.0, 1.0]), np.zeros(3))
            )
        for j in joints:
            last = j == joints[-1]
            child = name if last else f"{name} behind {self.joint_of[j]}"
            if not last:
                self.said.links[child] = RobotLink(child)
            self.said.moves.append(self._move(j, parent, child, place, turn))
            parent, place, turn = child, np.zeros(3), np.eye(3)

    def _move(self, j: int, parent: str, child: str, place: Array, turn: Array) -> Move:
        model, name, kind = self.model, self.joint_of[j], int(self.model.jnt_type[j])
        at, dof = model.jnt_qposadr[j], model.jnt_dofadr[j]
        single = kind in (SLIDE, HINGE)
        move = Move(
            name, {FREE: "free", BALL: "ball", SLIDE: "slide", HINGE: "hinge"}[kind],  # type: ignore[arg-type]
            parent, child, place, turn, self._vector("jnt_axis", j), self._vector("jnt_pos", j),
            reference=float(model.qpos0[at]) if single else 0.0,
            stiffness=float(np.ravel(model.jnt_stiffness[j])[0]),
            rest=float(model.qpos_spring[at]) if single else 0.0,
            damping=float(np.ravel(model.dof_damping[dof])[0]),
            friction=float(model.dof_frictionloss[dof]),
            armature=float(model.dof_armature[dof]),
        )  # fmt: skip
        self.zero[name] = move.reference
        if model.jnt_limited[j]:
            if single:
                move.lower, move.upper = (float(x) for x in model.jnt_range[j])
            else:
                self.said.leave("joint@range", name, "the turning of a ball joint is not limited")
            if model.jnt_margin[j]:
                self.said.leave("joint@margin", name, "stops act at the ends of the range, not before")
        for word, index, text in (
            ("jnt_stiffnesspoly", j, "its spring is linear here"),
            ("dof_dampingpoly", dof, "its damper is linear here"),
        ):
            if np.any(getattr(model, word, np.zeros((model.nv + 1, 1)))[index]):
                self.said.leave(f"joint@{word.partition('_')[2].removesuffix('poly')}", name, text)
        if np.any(getattr(model, "jnt_springyield", np.zeros(model.njnt))[j]):
            self.said.leave("joint@springyield", name, "its spring does not yield here")
        if model.jnt_actfrclimited[j]:
            self.said.leave("joint@actuatorfrcrange", name, "forces of motors are not bounded")
        return move

    def _geoms(self) -> None:
        """Read shapes: all are drawn, those that touch are kept besides, by link; those of the ground touch alone."""
        model = self.model
        for k in range(model.ngeom):
            link = self.link_of[model.geom_bodyid[k]]
            name = model.geom(k).name or link or "world"
            touches = bool(model.geom_contype[k] or model.geom_conaffinity[k])
            found = self._shape(k)
            if not found:
                text = "height fields and the like are not drawn, and do not touch"
                self.said.leave("geom@type", name, text)
            if link == WORLD:
                self.said.ground += found if touches else []
                continue
            own = self.said.links[link]
            own.shapes += [shape for shape in found if not isinstance(shape, PlaneSurface)]
            own.collisions += found if touches else []

    def _shape(self, k: int) -> list[Any]:
        """Return the shape of a geom; its mesh as compiled, of which MuJoCo's contacts know the convex hull."""
        model, kind = self.model, int(self.model.geom_type[k])
        size, at, turn = self.model.geom_size[k], self._vector("geom_pos", k), _rotation(self.model.geom_quat[k])
        if kind == GEOM_PLANE:
            return [solids.plane(np.array([0.0, 0.0, 1.0]), at, turn)]
        if kind == GEOM_MESH:
            mesh = int(model.geom_dataid[k])
            first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
            start, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
            points = np.array(model.mesh_vert[first : first + count], dtype=float)
            return [shapes.Mesh(points @ turn.T + at, np.array(model.mesh_face[start : start + faces]))]
        if kind not in GEOMS:
            return []
        word, factors = GEOMS[kind]
        return solids.solid(word, np.array(size[: len(factors)], dtype=float) * factors, at, turn)

    # ------------------------------------------------------------------ loops and couplings

    def _equality(self, k: int) -> None:
        model, kind = self.model, int(self.model.eq_type[k])
        one, two, data = int(model.eq_obj1id[k]), int(model.eq_obj2id[k]), self._vector("eq_data", k)
        word = {CONNECT: "connect", WELD: "weld", JOINT: "joint", TENDON: "tendon"}.get(kind, "other")
        sites = int(model.eq_objtype[k]) == SITE
        name = self.equality_name(k)
        if not model.eq_active0[k]:
            self.said.leave(f"equality/{word}@active", name, "it is switched off in the file, and left out")
            return
        if kind in (CONNECT, WELD):
            self._loop(kind, name, one, two, data, sites)
        elif kind == TENDON and two < 0 and self._sites(one):
            ends = [self._site(site) for site in self._sites(one)]
            length = float(model.tendon_length0[one]) + float(data[0])
            self.said.loops.append(RobotLoop(name, "rod", ends[0], ends[1], length=length))
            self.rods.add(one)
        elif kind in (JOINT, TENDON):
            terms = [self._length(kind, index) for index in (one, two) if index >= 0]
            zero = [sum(c * self.zero[joint] for joint, c in given) for given in terms]
            rule = np.polynomial.Polynomial(data[:5])
            if len(terms) == 2:
                rule = rule(np.polynomial.Polynomial([-zero[1], 1.0]))
            coefficients = np.array(rule.coef if len(terms) == 2 else rule.coef[:1], dtype=float)
            coefficients[0] += zero[0]
            leaders = terms[1] if len(terms) == 2 else []
            if not all(terms) or (len(terms) == 1 and len(terms[0]) > 1):
                self.said.leave(
                    f"equality/{word}", name, "of tendons only fixed ones are read, and those with a leader"
                )
                return
            self.said.rules.append(Rule(name, terms[0], leaders, tuple(coefficients.tolist()), f"equality/{word}"))
        else:
            self.said.leave(f"equality/{word}", name, "it holds nothing here")

    def equality_name(self, k: int) -> str:
        """Return the name of an equality, of what it holds where the file has none."""
        model, kind = self.model, int(self.model.eq_type[k])
        word = {CONNECT: "connect", WELD: "weld", JOINT: "joint", TENDON: "tendon"}.get(kind, "other")
        sites = int(model.eq_objtype[k]) == SITE
        ends = [self._equal(kind, int(each[k]), sites) for each in (model.eq_obj1id, model.eq_obj2id)]
        return model.equality(k).name or f"{word} of {ends[0]} and {ends[1]}"

    def _equal(self, kind: int, index: int, sites: bool) -> str:
        """Return the name of what an equality holds."""
        if index < 0 or (index == 0 and kind in (CONNECT, WELD) and not sites):
            return "the ground" if kind in (CONNECT, WELD) else "a number"
        if kind in (CONNECT, WELD):
            return str(self.model.site(index).name) if sites else self.link_of[index]
        return self.joint_of[index] if kind == JOINT else str(self.model.tendon(index).name)

    def _loop(self, kind: int, name: str, one: int, two: int, data: Array, sites: bool) -> None:
        if sites:
            places = [self._site(one), self._site(two)]
        elif kind == CONNECT:
            places = [Place(self.link_of[k], x, np.eye(3)) for k, x in ((one, data[:3]), (two, data[3:6]))]
        else:
            first = Place(self.link_of[one], data[3:6], _rotation(data[6:10]))
            places = [first, Place(self.link_of[two], data[:3], np.eye(3))]
        whole = kind == WELD and data[10] != 0.0  # its torquescale
        self.said.loops.append(RobotLoop(name, "weld" if whole else "point", places[0], places[1]))

    def _length(self, kind: int, index: int) -> Terms:
        """Return the joints and coefficients of a joint's value or a fixed tendon's length; none of other tendons."""
        if kind == JOINT:
            return [(self.joint_of[index], 1.0)]
        model, first = self.model, self.model.tendon_adr[index]
        wraps = range(first, first + model.tendon_num[index])
        if any(int(model.wrap_type[w]) != 1 for w in wraps):  # mjWRAP_JOINT
            return []
        return [(self.joint_of[model.wrap_objid[w]], float(model.wrap_prm[w])) for w in wraps]

    def _sites(self, tendon: int) -> list[int]:
        """Return the two sites that a tendon runs between on the straight way; none of other tendons."""
        first, count = int(self.model.tendon_adr[tendon]), int(self.model.tendon_num[tendon])
        wraps = range(first, first + count)
        straight = count == 2 and all(int(self.model.wrap_type[w]) == 3 for w in wraps)  # mjWRAP_SITE
        return [int(self.model.wrap_objid[w]) for w in wraps] if straight else []

    def _tendon(self, k: int) -> None:
        model, name = self.model, self.model.tendon(k).name or f"tendon{k}"
        fixed = bool(self._length(TENDON, k))
        for word, text in (
            ("limited", "its length is not limited"),
            ("stiffness", "its spring is left out"),
            ("damping", "its damper is left out"),
            ("frictionloss", "its dry friction is left out"),
            ("armature", "its inertia is left out"),
        ):
            if np.any(getattr(model, f"tendon_{word}")[k]):
                self.said.leave(f"tendon/{'fixed' if fixed else 'spatial'}@{word}", name, text)
        if not fixed and k not in self.rods:
            self.said.leave("tendon/spatial", name, "tendons that run through space are left out")

    # ------------------------------------------------------------------ motors

    def _actuator(self, k: int) -> None:
        model, name = self.model, self.model.actuator(k).name or f"motor{k}"
        gain, bias = self._vector("actuator_gainprm", k), self._vector("actuator_biasprm", k)
        kinds = int(model.actuator_gaintype[k]), int(model.actuator_biastype[k]), int(model.actuator_dyntype[k])
        affine = bias[:3] if kinds[1] == 1 else np.zeros(3)
        at, target = int(model.actuator_trntype[k]), int(np.ravel(model.actuator_trnid[k])[0])
        gear = self._vector("actuator_gear", k)
        if kinds[0] != 0 or kinds[1] > 1 or kinds[2] != 0 or affine[1] > 0.0 or affine[2] > 0.0:
            self.said.leave("actuator", name, "its law of force (muscle, filter, gain that changes, …) is left out")
            return
        if model.actuator_ctrllimited[k]:
            self.said.leave("actuator@ctrlrange", name, "controls are not bounded")
        if model.actuator_forcelimited[k]:
            self.said.leave("actuator@forcerange", name, "forces of motors are not bounded")
        if np.any(getattr(model, "actuator_armature", np.zeros(model.nu))[k]):
            self.said.leave("actuator@armature", name, "the inertia of its rotor is left out")
        numbers = {"gain": float(gain[0]), "bias": float(affine[0])}
        if at == AT_SITE and int(np.ravel(model.actuator_trnid[k])[1]) < 0 and not affine[1:].any():
            self.said.drives.append(Thrust(name, self._site(target), gear[:3], gear[3:], **numbers))
            return
        terms: Terms = []
        if at in AT_JOINT and int(model.jnt_type[target]) in (SLIDE, HINGE):
            terms = [(self.joint_of[target], float(gear[0]))]
        elif at == AT_TENDON:
            terms = [(joint, c * float(gear[0])) for joint, c in self._length(TENDON, target)]
        if not terms:
            self.said.leave("actuator", name, "it acts on no hinge, slide, fixed tendon or site, and is left out")
            return
        self.said.drives.append(Drive(name, terms, stiffness=-float(affine[1]), damping=-float(affine[2]), **numbers))

    def _pose(self, qpos: Array) -> dict[str, float]:
        """Return positions of joints by name."""
        model, found = self.model, dict[str, float]()
        for j, name in enumerate(self.joint_of):
            first, kind = model.jnt_qposadr[j], int(model.jnt_type[j])
            if kind in (SLIDE, HINGE):
                found[name] = float(qpos[first])
                continue
            words = QUATERNION if kind == BALL else ("_x", "_y", "_z", *QUATERNION)
            values = np.array(qpos[first : first + len(words)], dtype=float)
            values[-4:] /= np.linalg.norm(values[-4:])
            found |= {name + word: float(x) for word, x in zip(words, values, strict=True)}
        return found


def _leave_elements(said: RobotFile, root: ET.Element) -> None:
    """Leave elements that are not read, by their section."""
    for path, meaning in MEANINGS.items():
        for element in root.iterfind(path):
            inside = [child.get("name") or child.tag for child in element] or [element.get("name", "")]
            for name in inside:
                said.leave(path, name, meaning)
    if any(re.match("sol(ref|imp)", word) for element in root.iter() for word in element.keys()):  # noqa: SIM118
        said.leave("@solref, @solimp", "", "MuJoCo's rows and stops give way like springs; here they are rigid")
