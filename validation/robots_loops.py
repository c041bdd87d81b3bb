"""Random trees with random loops, many held twice by construction, against Newton's and Euler's equations in 60 digits.

    python validation/robots_loops.py --count 300 --seed 3 --json validation/robots_loops.json

Each mechanism has 2 to 4 bodies on a random tree of hinges, slides, balls, cylindrical and universal joints, and loops
that are closed where they are made: balls, hinges, rods, welds, and such that say something twice: plane loops on a
carrier that moves, doubled rods, balls and guides. Lengths and times are those of three units each, masses go through
sixteen decades, bodies and joints come in any order. The truth is computed from the
poses alone: rows by differences of gaps in 60 digits, rank by pivots with a gap between 1e-12 and 1e-7 (states without
it are drawn again), accelerations of all bodies and reactions from the Newton-Euler equations, determined where no
combination of rows that vanishes has a part. Joint and natural coordinates both must have its verdict, its acceleration
within the bound that they state and 1e-7 of its size, and its determined forces.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
from mpmath import mpf

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from campaign import options_of, run_families  # noqa: E402

import gauss as g  # noqa: E402
from gauss import bodies as mb  # noqa: E402
from gauss.errors import GaussError, InputError  # noqa: E402

mpmath.mp.dps = 60
H = mpf(10) ** -20  # step of central differences
CLEAR, ZERO = 1e-7, 1e-12  # pivots of unit rows that are not zero, and that are
KNOWN = 1e-8  # share of a force in combinations of unit rows that vanish, up to which it is determined
BOUND, TINY = 1e-7, 1e-13  # of the size of accelerations: most that is right, and what no bound needs to cover
FORCES = 1e-5  # of the largest force or torque, as heavy bodies on light ones leave less digits


# ------------------------------------------------------------------ mechanisms


class Draw:
    """A mechanism from random numbers, and its state."""

    def __init__(self, rng: np.random.Generator):
        self.rng = rng
        self.length = float(rng.choice([1e-3, 1.0, 1e3]))
        self.time = float(rng.choice([1.0, 1e-3, 1e3]))
        self.decades = float(rng.choice([0.0, 4.0, 16.0]))
        count = int(rng.integers(2, 5))
        self.bodies = [self.body(f"b{k}") for k in range(count)]
        self.flat = bool(rng.random() < 0.4) and count >= 3
        self.joints: list[Any] = []
        self.axis = self.unit()
        for k, body in enumerate(self.bodies):
            before = mb.GROUND if k == 0 else self.bodies[int(rng.integers(0, k))]
            if self.flat and k > 1:  # a plane loop on the first body
                before = self.bodies[0] if k == 2 else self.bodies[k - 1 if k < count - 1 else 0]
            self.joints.append(self.joint(f"j{k}", before, body, self.flat and k > 0))
        self.gravity = tuple(9.81 * self.length / self.time**2 * self.unit())
        tree = mb.Mechanism("tree", self.bodies, self.joints, gravity=self.gravity, coordinates="joint")
        values = {
            name: float(rng.uniform(-1.2, 1.2) * (self.length if tree.system.units.get(name) == "m" else 1.0))
            for name in tree.tree.coordinates
        }
        for _, step in tree.tree.balls:
            p = rng.normal(size=4)
            values |= dict(zip(step.names, (p / np.linalg.norm(p)).tolist(), strict=True))
        self.values, self.kinds = values, list[str]()
        names = tree.system.coordinates
        q = np.array([values[name] for name in names])
        state = tree.system.twin.states(q[None], 0.0 * q[None], 0.0 * q[None])[0][0]
        self.placed = dict(zip(tree.system.wider.coordinates, state.tolist(), strict=True))
        for k in range(int(rng.integers(1, 3))):
            self.close(f"loop{k}")
        self.parts = [*self.joints]
        rng.shuffle(self.parts)
        bodies = [*self.bodies]
        rng.shuffle(bodies)
        made = {"gravity": self.gravity, "name": "loops"}
        self.joint_mechanism = mb.Mechanism(bodies=bodies, joints=self.parts, coordinates="joint", **made)

    def unit(self) -> Any:
        """Return a random direction."""
        x = self.rng.normal(size=3)
        return x / np.linalg.norm(x)

    def body(self, name: str) -> Any:
        """Return a random body."""
        A = self.rng.normal(size=(3, 3))
        K = 0.05 * A @ A.T + 0.02 * np.eye(3)
        m = 10.0 ** self.rng.uniform(-self.decades / 2.0, self.decades / 2.0)
        tensor = m * (np.trace(K) * np.eye(3) - K) * self.length**2
        return mb.Body(name, mb.Inertia.of_tensor(m, tensor, centre=0.1 * self.length * self.rng.normal(size=3)))

    def point(self) -> Any:
        """Return a random point of a body."""
        return tuple(0.4 * self.length * self.rng.normal(size=3))

    def joint(self, name: str, one: Any, two: Any, flat: bool) -> Any:
        """Return a random joint."""
        if flat:  # all axes are parallel where all angles are zero, as axes of bodies are
            return mb.Revolute(name, one, self.point(), two, self.point(), axis1=self.axis)
        kind = self.rng.choice(["hinge", "hinge", "slide", "ball", "cylinder", "cross"])
        ends = (name, one, self.point(), two, self.point())
        if kind == "hinge":
            return mb.Revolute(*ends, axis1=self.unit())
        if kind == "slide":
            return mb.Prismatic(*ends, axis1=self.unit())
        if kind == "ball":
            return mb.Spherical(*ends)
        if kind == "cylinder":
            return mb.Cylindrical(*ends, axis1=self.unit())
        return mb.Universal(*ends, axis1=self.unit(), axis2=self.unit())

    def within(self, body: Any, point: Any = None, direction: Any = None) -> Any:
        """A point or direction in space, in axes of a body."""
        if not body.coordinates:
            return tuple(point if direction is None else direction)
        placed = body.placed(self.placed)
        R = np.array(placed.columns).T
        return tuple(R.T @ (point - np.array(placed.origin)) if direction is None else R.T @ direction)

    def close(self, name: str) -> None:
        """Add a joint, or two, that the pose satisfies."""
        rng = self.rng
        pair = list(rng.choice(len(self.bodies) + 1, 2, replace=False))
        if self.flat:
            pair = [len(self.bodies) - 1, len(self.bodies) - 2]
        one, two = ([mb.GROUND, *self.bodies][k + self.flat] for k in pair)
        P, e = self.length * rng.normal(size=3), self.unit()
        if self.flat:
            placed = self.bodies[0].placed(self.placed)
            e = np.array(placed.columns).T @ self.axis
        ends = (one, self.within(one, P), two, self.within(two, P))
        axes = {"axis1": self.within(one, direction=e), "axis2": self.within(two, direction=e)}
        kinds = ["ball", "hinge", "rod", "two rods", "weld", "two guides", "ball twice"]
        kind = str(rng.choice(["ball", "hinge"] if self.flat else kinds))
        self.kinds.append(("flat " if self.flat else "") + kind)
        frames = [np.eye(3) if not b.coordinates else np.array(b.placed(self.placed).columns).T for b in (one, two)]
        turn = frames[0].T @ frames[1]
        if kind in ("ball", "ball twice"):
            self.joints.append(mb.Spherical(name, *ends))
            if kind == "ball twice":
                self.joints.append(mb.Spherical(f"{name} again", *ends))
        elif kind == "hinge":
            self.joints.append(mb.Revolute(name, *ends, **axes))
        elif kind == "weld":
            self.joints.append(mb.Weld(name, *ends, orientation=turn))
        elif kind == "two guides":
            Q = P + self.length * rng.normal(size=3)
            for k, x in enumerate((P, Q)):
                ends = (one, self.within(one, x), two, self.within(two, x))
                self.joints.append(mb.Prismatic(f"{name} {k}", *ends, orientation=turn, axis1=axes["axis1"]))
        else:
            Q = P + self.length * rng.normal(size=3)
            ends = (one, self.within(one, P), two, self.within(two, Q))
            for k in range(1 if kind == "rod" else 2):
                self.joints.append(mb.Distance(f"{name} {k}", *ends, length=float(np.linalg.norm(P - Q))))


# ------------------------------------------------------------------ the truth


def big(x: Any) -> Any:
    """Return an array of numbers with 60 digits."""
    return np.vectorize(mpf, otypes=[object])(np.asarray(x, dtype=object))


def cross(a: Any, b: Any) -> Any:
    """Return a × b."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=object)


def turned(R: Any, w: Any) -> Any:
    """Return R after a small turn w (space axes), to third order."""
    one = np.array([cross(w, R[:, k]) for k in range(3)], dtype=object).T
    two = np.array([cross(w, one[:, k]) for k in range(3)], dtype=object).T
    three = np.array([cross(w, two[:, k]) for k in range(3)], dtype=object).T
    return R + one + two / 2 + three / 6


def across(e: Any) -> tuple[Any, Any]:
    """Return two directions square to e."""
    k = int(np.argmin([abs(x) for x in e]))
    u = cross(e, big(np.eye(3)[k]))
    u = u / mpmath.sqrt(u @ u)
    return u, cross(e, u)


def gap(joint: Any, one: Any, two: Any) -> list[Any]:
    """Return what a joint keeps at zero, from poses (origin, R) of its bodies."""
    (a, R), (b, S) = one, two
    apart = b + S @ big(joint.point2) - a - R @ big(joint.point1)
    if isinstance(joint, mb.Distance):
        return [apart @ apart - mpf(joint.length) ** 2]
    if isinstance(joint, mb.Spherical):
        return list(apart)
    if isinstance(joint, mb.Weld | mb.Prismatic):
        turn = S @ big(joint.orientation).T  # its columns are those of R
        square = [R[:, i] @ turn[:, k] for i, k in ((0, 1), (0, 2), (1, 2))]
        if isinstance(joint, mb.Weld):
            return [*apart, *square]
        return [*((R @ x) @ apart for x in across(big(joint.axis1))), *square]
    e, f = R @ big(joint.axis1), S @ big(joint.axis2)
    if isinstance(joint, mb.Universal):
        return [*apart, e @ f]
    parallel = [e @ (S @ x) for x in across(big(joint.axis2))]
    if isinstance(joint, mb.Revolute):
        return [*apart, *parallel]
    return [*((R @ x) @ apart for x in across(big(joint.axis1))), *parallel]


class Truth:
    """Newton's and Euler's equations of all bodies at a state, with every joint as rows."""

    def __init__(self, draw: Draw, q: dict[str, float], v: dict[str, float]):
        self.bodies, self.joints, self.length = draw.bodies, draw.parts, draw.length
        self.at = {id(body): k for k, body in enumerate(self.bodies)}
        self.poses, self.twists = [], []
        for body in self.bodies:
            placed, moved = body.placed(q), body.placed(v)
            R, rate = big(placed.columns).T, big(moved.columns).T
            W = rate @ R.T
            self.poses.append((big(placed.origin), R))
            self.twists += [*big(moved.origin), *((W[i, j] - W[j, i]) / 2 for i, j in ((2, 1), (0, 2), (1, 0)))]
        self.n = 6 * len(self.bodies)
        self.M, self.f = self.inertia(draw)
        rows, bias, self.of = [], [], list[Any]()
        velocity = np.array(self.twists, dtype=object)
        for joint in self.joints:
            J, along = self.rows(joint, 0), []
            for step in (H, -H):
                along.append(self.rows(joint, step) @ velocity)
            rows.append(J)
            bias.append((along[0] - along[1]) / (2 * H))
            self.of += [joint] * len(J)
        self.J, self.gamma = np.vstack(rows), -np.concatenate(bias)

    def moved(self, k: int, step: Any) -> Any:
        """Return the pose of body k a time `step` on its way."""
        (a, R), twist = self.poses[k], np.array(self.twists[6 * k : 6 * k + 6], dtype=object)
        return a + step * twist[:3], turned(R, step * twist[3:])

    def rows(self, joint: Any, step: Any) -> Any:
        """Return the rows (m, n) of a joint, by differences."""
        ground = big(np.zeros(3)), big(np.eye(3))
        ends = [ground if id(b) not in self.at else self.moved(self.at[id(b)], step) for b in joint.bodies]
        m = len(gap(joint, *ends))
        J = big(np.zeros((m, self.n)))
        for side, body in enumerate(joint.bodies):
            if id(body) not in self.at:
                continue
            for i in range(6):
                x = big(np.zeros(6))
                x[i] = H
                found = []
                for sign in (1, -1):
                    here = list(ends)
                    a, R = ends[side]
                    here[side] = (a + sign * x[:3], turned(R, sign * x[3:]))
                    found.append(np.array(gap(joint, *here), dtype=object))
                J[:, 6 * self.at[id(body)] + i] = (found[0] - found[1]) / (2 * H)
        return J

    def inertia(self, draw: Draw) -> tuple[Any, Any]:
        """Return M (n, n) and the forces (n,) without joints."""
        M, f = big(np.zeros((self.n, self.n))), big(np.zeros(self.n))
        for k, body in enumerate(self.bodies):
            (_, R), w = self.poses[k], np.array(self.twists[6 * k + 3 : 6 * k + 6], dtype=object)
            m, c = mpf(float(body.inertia.mass)), R @ big(body.inertia.centre)
            K = big(body.inertia.second)  # about the origin
            J = R @ (np.trace(K) * big(np.eye(3)) - K) @ R.T
            C = np.array([cross(c, x) for x in big(np.eye(3))], dtype=object).T
            at, turn = slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)
            M[at, at], M[turn, turn] = m * big(np.eye(3)), J
            M[at, turn], M[turn, at] = -m * C, m * C
            f[at] = m * big(draw.gravity) - m * cross(w, cross(w, c))
            f[turn] = m * cross(c, big(draw.gravity)) - cross(w, J @ w)
        return M, f

    def solve(self) -> None:
        """Find rank, acceleration, one choice of multipliers, and the combinations that vanish."""
        scale = big([1.0, 1.0, 1.0, self.length, self.length, self.length] * len(self.bodies))
        unit = self.J / scale
        norm = np.array([mpmath.sqrt(row @ row) for row in unit], dtype=object)
        unit = unit / norm[:, None]
        rest, kept, self.pivots, basis = unit.copy(), list[int](), list[float](), []
        for _ in range(min(unit.shape)):
            sizes = [float(mpmath.sqrt(row @ row)) for row in rest]
            k = int(np.argmax(sizes))
            self.pivots.append(sizes[k])
            if sizes[k] <= CLEAR:
                break
            kept.append(k)
            e = rest[k] / mpmath.sqrt(rest[k] @ rest[k])
            basis.append(e)
            rest = rest - np.outer(rest @ e, e)
            rest = rest - np.outer(rest @ e, e)
        self.rank, self.m = len(kept), len(unit)
        self.doubtful = any(ZERO < x <= 100 * CLEAR for x in self.pivots)
        G = self.J[kept]
        B = solved(self.M, np.column_stack([self.f, G.T]))
        free, X = B[:, 0], B[:, 1:]
        multipliers = solved(G @ X, (self.gamma[kept] - G @ free)[:, None])[:, 0] if kept else big(np.zeros(0))
        self.a = free + X @ multipliers
        self.multipliers = big(np.zeros(self.m))
        self.multipliers[kept] = multipliers
        others = [k for k in range(self.m) if k not in kept]
        self.null = big(np.zeros((len(others), self.m)))
        if others:
            C = solved(unit[kept] @ unit[kept].T, unit[kept] @ unit[others].T)  # unit[others] = Cᵀ unit[kept]
            for i, k in enumerate(others):
                self.null[i, k] = mpf(1)
                self.null[i, kept] = -C[:, i]
        self.norm = norm

    def reaction(self, joint: Any) -> tuple[Any, Any]:
        """Return force and torque (6,) on body 2 at point 2, and which components are determined."""
        index = [k for k, other in enumerate(self.of) if other is joint]
        body, sign = (joint.body2, 1) if id(joint.body2) in self.at else (joint.body1, -1)
        at = 6 * self.at[id(body)]
        W = sign * self.J[index, at : at + 6].T
        a = self.poses[self.at[id(body)]][0]
        end = self.poses[self.at[id(joint.body2)]] if id(joint.body2) in self.at else (big(np.zeros(3)), big(np.eye(3)))
        arm = a - (end[0] + end[1] @ big(joint.point2))
        W = np.vstack([W[:3], W[3:] + np.array([cross(arm, x) for x in W[:3].T], dtype=object).T])
        share = W / self.norm[index]  # of unit rows
        part = share @ self.null[:, index].T
        top = max([abs(float(x)) for x in share[:3].ravel()]), max([abs(float(x)) for x in share[3:].ravel()])
        top = (top[0], max(top[1], self.length * top[0]))
        known = [all(abs(float(x)) <= KNOWN * top[i // 3] for x in part[i]) for i in range(6)]
        return np.array([float(x) for x in W @ self.multipliers[index]]), np.array(known)


def solved(A: Any, B: Any) -> Any:
    """Return A⁻¹B by elimination with scaled pivots, in 60 digits."""
    A, B = A.copy(), B.copy()
    n = len(A)
    for k in range(n):
        top = k + int(np.argmax([abs(x) for x in A[k:, k]]))
        A[[k, top]], B[[k, top]] = A[[top, k]], B[[top, k]]
        for i in range(k + 1, n):
            if A[i, k] != 0:
                c = A[i, k] / A[k, k]
                A[i, k:] = A[i, k:] - c * A[k, k:]
                B[i] = B[i] - c * B[k]
    for k in range(n - 1, -1, -1):
        B[k] = (B[k] - (A[k, k + 1 :] @ B[k + 1 :] if k < n - 1 else 0)) / A[k, k]
    return B


# ------------------------------------------------------------------ comparison


def compared(rng: np.random.Generator, record: Counter[str]) -> list[dict[str, Any]]:
    """Return what is wrong about one random mechanism in joint and in natural coordinates."""
    draw = Draw(rng)
    joint = draw.joint_mechanism
    try:
        system = joint.system
    except InputError as error:  # welds hold every body
        if "no coordinates" not in str(error):
            raise
        record["nothing moves"] += 1
        return []
    q = np.array([draw.values.get(name, np.nan) for name in system.coordinates])
    if np.any(np.isnan(q)):  # another tree: its coordinates from the poses
        still = [({n: draw.placed[n] for n in b.coordinates}, dict.fromkeys(b.coordinates, 0.0)) for b in joint.bodies]
        pose = [mb.Pose(b.name, *each) for b, each in zip(joint.bodies, still, strict=True)]
        q = np.array(joint.state(*pose)[0])
    about = {"kinds": draw.kinds, "decades": draw.decades, "units": [draw.length, draw.time]}
    v = rng.normal(size=system.n) / draw.time
    try:
        state = g.consistent(joint, q, v)
    except GaussError as error:
        return [about | {"what": "consistent refuses", "error": str(error)[:160]}]
    twin = system.twin
    Q, V, _ = (x[0] for x in twin.states(state.q[None], state.v[None], 0.0 * state.v[None]))
    names = twin.system.coordinates
    truth = Truth(draw, dict(zip(names, Q.tolist(), strict=True)), dict(zip(names, V.tolist(), strict=True)))
    truth.solve()
    if truth.doubtful:
        record["drawn again"] += 1
        return []
    record["states"] += 1
    record["redundant"] += truth.rank < truth.m
    wrong = []
    for word, mechanism, at in (("joint", joint, (state.q, state.v)), ("natural", joint.natural, (Q, V))):
        said = {"coordinates": word} | about | {"rank": [truth.rank, truth.m]}
        try:
            found = g.accelerate(mechanism, *at)
        except GaussError as error:
            wrong.append(said | {"what": "refused", "error": f"{type(error).__name__}: {error}"[:160]})
            continue
        wrong += [said | x for x in judged(truth, found, mechanism, twin, state, word, record)]
    return wrong


def judged(
    truth: Truth, found: Any, mechanism: Any, twin: Any, state: Any, word: str, record: Counter[str]
) -> list[dict[str, Any]]:
    """Return what is wrong about one verdict."""
    if not found.unique:
        undecided = "not decided" in found.sentence or {"higher order", "undecided"} & {*found.verdicts}
        record[f"{word}: undecided"] += bool(undecided)
        return [] if undecided else [{"what": "not unique", "verdict": found.verdict, "why": found.sentence[:160]}]
    wrong = []
    record[f"{word}: undecided"] += "undecided" in found.verdict
    if (
        word == "natural"
        and "undecided" not in found.verdict
        and ("redundant" in found.verdict) != (truth.rank < truth.m)
    ):
        wrong.append({"what": "verdict", "verdict": found.verdict})
    a = found.a
    if word == "joint":
        a = twin.states(state.q[None], state.v[None], np.array(found.a)[None])[2][0]
    values = dict(zip(twin.system.coordinates, np.array(a).tolist(), strict=True))
    mine = []
    for k, body in enumerate(truth.bodies):
        placed = body.placed(values)
        R = truth.poses[k][1]
        w = np.array(truth.twists[6 * k + 3 : 6 * k + 6], dtype=object)
        bend = np.array([cross(w, cross(w, R[:, i])) for i in range(3)], dtype=object).T
        W = (big(placed.columns).T - bend) @ R.T
        mine += [*big(placed.origin), *((W[i, j] - W[j, i]) / 2 for i, j in ((2, 1), (0, 2), (1, 0)))]
    change = np.array(mine, dtype=object) - truth.a
    free = solved(truth.M, truth.f[:, None])[:, 0]
    size = float(mpmath.sqrt(abs(truth.a @ truth.M @ truth.a)) + mpmath.sqrt(abs(truth.f @ free)))
    apart = float(mpmath.sqrt(abs(change @ truth.M @ change)))
    record[f"{word}: acceleration above 1e-9"] += apart > 1e-9 * size
    if apart > BOUND * size or apart > max(found.error, TINY * size):
        said = {"apart": apart / size, "bound": found.error / size, "verdict": found.verdict}
        wrong.append({"what": "acceleration"} | said)
    if apart > 1e-3 * size:
        record[f"{word}: acceleration vague"] += 1
        return wrong
    pairs = [(link, *truth.reaction(link)) for link in truth.joints]
    load = [max(float(np.max(np.abs(x[s]))) for _, x, _ in pairs) for s in (slice(0, 3), slice(3, 6))]
    applied = [abs(float(x)) for k in range(len(truth.bodies)) for x in truth.f[6 * k : 6 * k + 3]]
    load[0] = max(load[0], *applied) or 1.0  # forces of joints that only rounding makes are none
    load[1] = max(load[1], truth.length * load[0])
    for link, force, known in pairs:
        got = mb.reaction(found, link)
        both = np.concatenate([np.atleast_1d(got.force), np.atleast_1d(got.torque)])
        claimed = np.isfinite(both)
        for i in np.flatnonzero(claimed & ~known):
            record[f"{word}: open force claimed"] += 1
            wrong.append({"what": "open force claimed", "joint": link.name, "component": int(i)})
        record[f"{word}: determined force not given"] += int(np.sum(known & ~claimed))
        off = np.abs(both - force)[claimed & known] / np.repeat(load, 3)[claimed & known]
        if off.size and np.max(off) > FORCES:
            wrong.append({"what": "force", "joint": link.name, "apart": float(np.max(off))})
    return wrong


def random_loops(count: int, rng: np.random.Generator) -> tuple[dict[str, Any], list[Any]]:
    """Compare random mechanisms."""
    record, failures = Counter[str](), list[Any]()
    for k in range(count):
        own = np.random.default_rng([int(rng.integers(1 << 31)), k])
        failures += [{"number": k} | x for x in compared(own, record)]
    record |= Counter(f"wrong: {x['what']}" for x in failures)
    return dict(record), failures


def main() -> int:
    """Run the campaign; return 1 if anything is wrong."""
    options = options_of(__doc__ or "", 300, 3, "random mechanisms")
    return run_families(options, [("random loops", random_loops, options.count)])


if __name__ == "__main__":
    sys.exit(main())
