"""Random robots as the text of files, for `robots.py`: trees as URDF and MJCF, and chains closed at a known pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from gauss.geometry.rotations import euler

ODD_NAMES = ("link-{}", "{}th part", "part {}/a", "λ{}", "class{}", "a.b.{}", "L{}")
MOVES = ("revolute", "continuous", "prismatic", "fixed")
QUATERNION, PLANE = ("_qw", "_qx", "_qy", "_qz"), ("_displacement1", "_displacement2", "_angle")
UNITS = ((1.0, 1.0), (1e3, 1.0), (1.0, 1e-3), (1e3, 1e-3), (1e-3, 1e3))  # factors of lengths and masses


def text_of(values: Any) -> str:
    """Return numbers as text, with all digits."""
    return " ".join(repr(float(x)) for x in np.ravel(values))


def axis_of(rng: np.random.Generator) -> Any:
    """Return an axis of any length: of a frame, against one, or oblique."""
    axis = rng.normal(size=3) if rng.random() < 0.5 else rng.choice([-1.0, 1.0]) * np.eye(3)[rng.integers(3)]
    return axis * (1.0 if rng.random() < 0.5 else 10.0 ** rng.uniform(-2.0, 2.0))


def turn_of(rng: np.random.Generator) -> Any:
    """Return roll, pitch and yaw: any, or by ± half π and a little more."""
    angles = rng.uniform(-np.pi, np.pi, 3)
    if rng.random() < 0.4:
        k = rng.integers(3)
        angles[k] = rng.choice([-0.5, 0.5]) * np.pi + rng.choice([0.0, 1e-9, -1e-7])
    return angles if rng.random() < 0.8 else np.zeros(3)


def weight_of(rng: np.random.Generator, length: float, mass: float, tiny: float = -3.0) -> tuple[float, Any, Any]:
    """Return mass, centre and a tensor (3, 3) about it, of a few points; at times tiny, or of a thin rod."""
    points = rng.normal(size=(6, 3)) * length * 10.0 ** rng.uniform(tiny, -0.5)
    if rng.random() < 0.15:
        points[:, 1:] *= 1e-3
    points -= points.mean(axis=0)
    m = mass * 10.0 ** rng.uniform(-2.0, 1.0)
    second = m / 6.0 * points.T @ points
    return m, length * rng.normal(size=3) * 0.3, np.trace(second) * np.eye(3) - second


class Tree:
    """A random URDF: links and joints as text, in a random order; hinges turn by `reach` (rad) both ways."""

    def __init__(self, rng: np.random.Generator, kinds: Any = MOVES, tiny: float = -3.0, reach: float = 4.0):
        self.tiny, self.reach = tiny, reach
        self.length, self.mass = UNITS[rng.integers(len(UNITS))]
        count = int(rng.integers(4, 13))
        odd = rng.random() < 0.3
        self.links = [(ODD_NAMES[rng.integers(len(ODD_NAMES))] if odd else "link{}").format(k) for k in range(count)]
        self.parts: list[str] = []
        self.moving = list[str]()
        self.kinds: dict[str, str] = {}
        carrying = set[int]()
        parents = [int(rng.integers(max(0, k - 3), k)) for k in range(1, count)]
        carrying = set(parents)
        for k, name in enumerate(self.links):
            massless = k in carrying and rng.random() < 0.15 and k
            self.parts.append(self._link(rng, name, bool(massless)))
        for k, parent in enumerate(parents, 1):
            self.parts.append(self._joint(rng, k, parent, kinds))
        self.order = rng.permutation(len(self.parts))

    def _link(self, rng: np.random.Generator, name: str, massless: bool) -> str:
        if massless:
            return f'<link name="{name}"/>'
        m, centre, J = weight_of(rng, self.length, self.mass, self.tiny)
        turn = turn_of(rng)
        R = euler("xyz", *turn.tolist())
        J = R.T @ J @ R
        entries = " ".join(
            f'i{a}{b}="{J[i, j]!r}"'
            for a, b, i, j in (
                ("x", "x", 0, 0), ("y", "y", 1, 1), ("z", "z", 2, 2), ("x", "y", 0, 1), ("x", "z", 0, 2),
                ("y", "z", 1, 2),
            )
        ).replace("np.float64(", "").replace(")", "")  # fmt: skip
        return (
            f'<link name="{name}"><inertial><origin xyz="{text_of(centre)}" rpy="{text_of(turn)}"/>'
            f'<mass value="{m!r}"/><inertia {entries}/></inertial></link>'
        )

    def _joint(self, rng: np.random.Generator, k: int, parent: int, kinds: Any) -> str:
        kind, name = str(rng.choice(kinds)), f"joint{k}"
        place = self.length * rng.normal(size=3) * 0.4
        more = ""
        if kind in ("revolute", "prismatic"):
            reach = 4.0 * self.length if kind == "prismatic" else self.reach
            more = f'<limit lower="{-reach!r}" upper="{reach!r}" effort="1" velocity="1"/>'
        if kind in ("revolute", "continuous", "prismatic") and rng.random() < 0.3:
            more += f'<dynamics damping="{rng.uniform(0.0, 1.0)!r}"/>'
        if kind != "fixed":
            self.moving.append(name)
        self.kinds[name] = kind
        return (
            f'<joint name="{name}" type="{kind}"><parent link="{self.links[parent]}"/>'
            f'<child link="{self.links[k]}"/><origin xyz="{text_of(place)}" rpy="{text_of(turn_of(rng))}"/>'
            f'<axis xyz="{text_of(axis_of(rng))}"/>{more}</joint>'
        )

    def text(self, *more: str) -> str:
        """Return the URDF, with further elements."""
        return f'<robot name="tree">{"".join(self.parts[k] for k in self.order)}{"".join(more)}</robot>'


def mjcf(rng: np.random.Generator) -> str:
    """Return a random MJCF: nested bodies with up to three joints, anchors, references, springs and rotors."""
    length, mass = UNITS[rng.integers(len(UNITS))]
    count, children = int(rng.integers(4, 13)), dict[int, list[int]]()
    parents = [-1, *(int(rng.integers(max(-1, k - 3), k)) for k in range(1, count))]
    for k, parent in enumerate(parents):
        children.setdefault(parent, []).append(k)
    number = iter(range(1000))

    def joint(kind: str) -> str:
        name, more = f"joint{next(number)}", ""
        if kind != "ball" and rng.random() < 0.3:
            more += f' armature="{mass * length**2 * rng.uniform(0.0, 0.1)!r}"'
        if kind != "ball" and rng.random() < 0.3:
            more += f' ref="{rng.uniform(-1.0, 1.0)!r}"'
        if rng.random() < 0.3:
            more += f' damping="{rng.uniform(0.0, 1.0)!r}"'
        if kind == "slide" and rng.random() < 0.3:
            more += f' stiffness="{rng.uniform(0.0, 3.0)!r}" springref="{rng.uniform(-1.0, 1.0)!r}"'
        place = length * rng.normal(size=3) * 0.3 * (rng.random() < 0.5)
        return f'<joint name="{name}" type="{kind}" axis="{text_of(axis_of(rng))}" pos="{text_of(place)}"{more}/>'

    def body(k: int) -> str:
        m, centre, J = weight_of(rng, length, mass, -1.5)  # MuJoCo rounds what is tiny
        entries = text_of([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
        parts = [f'<inertial mass="{m!r}" pos="{text_of(centre)}" fullinertia="{entries}"/>']
        if parents[k] < 0 and rng.random() < 0.3:
            parts.append(f'<freejoint name="free{k}"/>')
        else:
            chosen = [str(rng.choice(["hinge", "slide"])) for _ in range(int(rng.integers(1, 4)))]
            if rng.random() < 0.25:
                chosen = [*chosen[:1], "ball"] if rng.random() < 0.5 else ["ball"]
            parts += [joint(kind) for kind in chosen]
        inside = "".join(body(c) for c in children.get(k, ()))
        place, turn = length * rng.normal(size=3) * 0.4, rng.normal(size=4)
        return f'<body name="body{k}" pos="{text_of(place)}" quat="{text_of(turn)}">{"".join(parts)}{inside}</body>'

    bodies = "".join(body(k) for k in children[-1])
    gravity = text_of(length * rng.normal(size=3))
    return (
        '<mujoco model="tree"><compiler angle="radian" boundmass="0" boundinertia="0"/>'
        f'<option gravity="{gravity}"/><worldbody>{bodies}</worldbody></mujoco>'
    )


def chain(rng: np.random.Generator, path: Any) -> dict[str, float]:
    """Write a random URDF with one or two loops, and return values of its joints at which they are closed."""
    import gauss as g

    tree = Tree(rng, (*MOVES, "spherical", "planar"), -1.5, 3.0)  # natural coordinates count no turns
    path.write_text(tree.text(), encoding="utf-8")
    robot = g.load(path)
    values = dict[str, float]()
    for joint in robot.spanning:
        kind = tree.kinds[joint]
        names = {"spherical": QUATERNION, "planar": PLANE}.get(kind, ("",))
        given = rng.normal(size=len(names)) if kind == "spherical" else rng.uniform(-1.0, 1.0, len(names))
        given = given / np.linalg.norm(given) if kind == "spherical" else given
        scale = [tree.length if kind == "prismatic" or "displacement" in name else 1.0 for name in names]
        values |= {joint + name: float(x * y) for name, x, y in zip(names, given, scale, strict=True)}
    q = robot.at(values)[0]
    bodies = [name for name in tree.links if name in robot.frames]
    loops = []
    for k in range(int(rng.integers(1, 3))):
        one, two = (bodies[i] for i in rng.choice(len(bodies), 2, replace=False))
        placed = [robot.frames[x].placed(robot.named(q)) for x in (one, two)]
        axes = [np.array(x.columns).T for x in placed]
        origins = [np.array(x.origin) for x in placed]
        p, R = tree.length * rng.normal(size=3) * 0.3, euler("xyz", *rng.uniform(-1.0, 1.0, 3).tolist())
        there = axes[1].T @ (origins[0] + axes[0] @ p - origins[1])
        turn = axes[1].T @ axes[0] @ R
        kind = str(rng.choice(["spherical", "revolute", "fixed", "cylindrical", "universal", "prismatic", "planar"]))
        e, e2 = (0, 0, 1), (1, 0, 0) if kind == "universal" else (0, 0, 1)
        ends = zip(("parent", "child"), (one, two), (p, there), (R, turn), (R @ e, turn @ e2), strict=True)
        text = "".join(
            f'<{end} link="{link}"/><{end}_origin xyz="{text_of(at)}" rpy="{text_of(rpy_of(S))}"/>'
            f'<{end}_axis xyz="{text_of(S.T @ axis)}"/>'
            for end, link, at, S, axis in ends
        )
        loops.append(f'<constraint name="loop{k}" type="{kind}">{text}</constraint>')
    path.write_text(tree.text(*loops), encoding="utf-8")
    return values


def rpy_of(R: Any) -> Any:
    """Return roll, pitch and yaw of a rotation matrix."""
    return [
        np.arctan2(R[2, 1], R[2, 2]),
        np.arctan2(-R[2, 0], np.hypot(R[2, 1], R[2, 2])),
        np.arctan2(R[1, 0], R[0, 0]),
    ]
