"""Branches: all motions that leave a state where the acceleration, or the motion itself, is not unique.

A motion may come to another such state, as a linkage that swings from one flat position to the next. The motions that
leave that state are its children: together they are a tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.dynamics import judged
from gauss.errors import GaussError, InputError, MotionWarning, SingularPositionError, described
from gauss.foundation.arrays import Array
from gauss.foundation.outcomes import Shown
from gauss.foundation.threads import warn, withheld
from gauss.model import System
from gauss.model.compiled.smoothness import depends_on_time, smoothness_at
from gauss.model.state import State
from gauss.motion.record.trajectory import Trajectory
from gauss.motion.several.directions import directions
from gauss.motion.several.non_lipschitz import Motions, motions
from gauss.motion.single import follow
from gauss.motion.singular.tangent_branches.guided import choices_at, guide_along, named, several_at, sides_of
from gauss.motion.singular.tangent_branches.meeting import doubts
from gauss.uniqueness import Verdict
from gauss.uniqueness.accelerations import CONFIRMED, NO_MOTION, WORKS, Candidate, Continuum
from gauss.uniqueness.lipschitz import Neighbourhood, lipschitz
from gauss.uniqueness.orders.any_order import AnyOrder, Choice

if TYPE_CHECKING:
    import xarray

SAMPLES = 8  # members of a continuum that are followed
DEPTH = 3  # branching positions one after the other that a motion is followed through
MOST = 60  # motions in one tree, beyond those that leave its start
BROKEN_OFF = "interrupted; what else leaves there was not followed"
SAME = 1e-9  # relative difference of a Zwang that counts as none
LATE = 1e-9  # share of the run: nearer to its end a branching position is not left any more

# acceleration, kind, Zwang and name of a motion that leaves, why none has it or ""; branch and sides of sheets
Departure = tuple[Array, str, float, str, str, tuple[Choice, tuple[int, ...]] | None]


@dataclass(frozen=True, repr=False)
class Branch(Shown):
    """One of the motions that leave a state.

    >>> import gauss as g
    >>> lines = g.Holonomic("two lines", lambda q: q.x * q.y)
    >>> bead = g.System("bead", "x y", mass_matrix=[[1, 0], [0, 1]], force=[1.0, 2.0], constraints=[lines])
    >>> tree = g.simulate(bead, [0.0, 0.0], t_end=0.1, branches="all")
    >>> [(branch.kind, branch.run.q[-1].round(9).tolist()) for branch in tree]  # ½ a t² along one line or the other
    [('global minimum', [0.0, 0.01]), ('local minimum', [0.005, 0.0])]
    """

    run: Trajectory
    a: Array  # (n,) its acceleration at the start
    kind: str  # "global minimum", "saddle", …; "rest" and "leaves rest" where the force is not Lipschitz
    zwang: float
    name: str  # which branch of the constraint set, or member of a continuum, it is; how long it rests first
    children: tuple[Branch, ...] = ()  # the motions that leave the branching position at its end

    def __str__(self) -> str:
        end = self.run.t[-1] if len(self.run) else np.nan
        return f"{self.kind}{', ' + self.name if self.name else ''}: to t = {end:.6g} s, {self.run.ending.kind}"


@dataclass(frozen=True, repr=False)
class MotionTree(Shown):
    """All motions that were found from one state, with what was sampled and what was left out."""

    system: str
    verdict: str
    branches: tuple[Branch, ...]
    sampling: str  # how a continuum was sampled
    left_out: tuple[str, ...]  # candidates that were not followed, with the reason

    def __len__(self) -> int:
        return len(self.branches)

    def __iter__(self) -> Iterator[Branch]:
        return iter(self.branches)

    def __getitem__(self, k: int) -> Branch:
        if isinstance(k, str):
            raise InputError(f"a tree has motions by number: tree[0].run[{k!r}].")
        return self.branches[k]

    def walk(self) -> Iterator[tuple[int, Branch]]:
        """Yield all motions with their levels, each followed by its children; those that leave the start have 0."""
        stack = [(0, b) for b in reversed(self.branches)]
        while stack:
            level, branch = stack.pop()
            yield level, branch
            stack += [(level + 1, child) for child in reversed(branch.children)]

    @cached_property
    def directions(self) -> tuple[str, ...]:
        """What tells each motion of `walk` from those that leave the same state: the acceleration, or the place later.

        Empty for a motion that leaves its state alone.

        >>> import gauss as g
        >>> lines = g.Holonomic("two lines", lambda q: q.x * q.y)
        >>> bead = g.System("bead", "x y", mass_matrix=[[1, 0], [0, 1]], force=[1.0, 2.0], constraints=[lines])
        >>> g.simulate(bead, [0.0, 0.0], t_end=0.1, branches="all").directions
        ("x'' = 0, y'' = 2", "x'' = 1, y'' = 0")
        """
        found: dict[int, str] = {}
        for siblings in (self.branches, *(branch.children for _, branch in self.walk())):
            texts = directions([branch.run for branch in siblings], [branch.a for branch in siblings])
            found |= {id(branch): text for branch, text in zip(siblings, texts, strict=True)}
        return tuple(found[id(branch)] for _, branch in self.walk())

    @property
    def data(self) -> xarray.DataTree:
        """The tables of all motions as an xarray DataTree: "0/run", … leave the start, "0/0/run", … the end of "0".

        A table is a leaf of its own, as a DataTree hands the times of a group on to those within.
        """
        import xarray

        tables: dict[str, Any] = {}
        stack = [(str(k), branch) for k, branch in enumerate(self.branches)]
        while stack:
            path, branch = stack.pop()
            tables[f"{path}/run"] = branch.run.data.assign_attrs(kind=branch.kind, name=branch.name, zwang=branch.zwang)
            stack += [(f"{path}/{k}", child) for k, child in enumerate(branch.children)]
        return xarray.DataTree.from_dict({path: tables[path] for path in sorted(tables)}, name=self.system)

    def __str__(self) -> str:
        lines = [f"{self.system}: {len(self)} motion{'s' if len(self) != 1 else ''} ({self.verdict})"]
        for (level, branch), way in zip(self.walk(), self.directions, strict=True):
            lines.append(f"{'  ' * (level + 1)}{branch}{f'; {way}' if way else ''}")
        lines += [f"  sampling: {self.sampling}"] if self.sampling else []
        return "\n".join([*lines, *(f"  left out: {text}" for text in self.left_out)])


def follow_all(
    system: System, state: State, u: object, samples: int, options: dict[str, Any], depth: int = DEPTH
) -> MotionTree:
    """Return the tree of motions from a state; `options` are those of `follow`."""
    verdict = judged(system, state, u)
    if verdict.unique and "branching" not in verdict.verdicts:
        return _alone(system, state, u, verdict, samples, options, depth)
    if verdict.accelerations.status in ("none", "undecided"):
        raise SingularPositionError(f"no motion of {system.name!r} can be followed here. {verdict.sentence}", verdict)
    roots, left_out = _followed(system, state, verdict, samples, options)
    interrupted = any(BROKEN_OFF in text for text in left_out)
    branches, cut = (tuple(roots), []) if interrupted else _grown(system, u, roots, samples, options, depth)
    families = verdict.accelerations.continua
    sampling = f"{samples} members of each continuum" if families else ""
    return MotionTree(system.name, verdict.verdict, branches, sampling, (*left_out, *cut))


def _followed(
    system: System,
    state: State,
    verdict: Verdict,
    samples: int,
    options: dict[str, Any],
    met: AnyOrder | None = None,
) -> tuple[list[Branch], list[str]]:
    """Return the motions that leave a branching state, and what was left out with the reason.

    `met` are the branches that touch there, where they are known.
    """
    branches: list[Branch] = []
    left_out: list[str] = []
    found = met or _chosen(system, state, verdict, options)
    starts = _starts(verdict, samples) if found is None else _ways(found.choices)
    for a, kind, zwang, name, reason, way in starts:
        text = f"at t = {state.t:.6g} s, {kind}{', ' + name if name else ''}"
        if kind in ("vertex", "rest") and not reason and not np.any(a) and not np.any(state.v):
            reason = _changing(system, options)
        if reason:
            left_out.append(f"{text}: {reason}")
            continue
        try:
            with withheld():
                guide = None if way is None else guide_along(system, state, way[0], options["t_end"] - state.t, way[1])
                run = follow(system, state, **options, branch=a, guide=guide)
        except KeyboardInterrupt:
            left_out.append(f"{text}: {BROKEN_OFF}")
            break
        except Exception as error:  # one motion that cannot be followed does not lose the others
            left_out.append(f"{text}: {described(error)}")
            continue
        if len(run) < 2:
            left_out.append(f"{text}: {run.ending.message}")
        else:
            branches.append(Branch(run, a, kind, zwang, name))
        if run.ending.kind == "interrupted":
            left_out.append(f"{text}: {BROKEN_OFF}")
            break
    return branches, left_out


def _chosen(system: System, state: State, verdict: Verdict, options: dict[str, Any]) -> AnyOrder | None:
    """Return the branches of the constraint set that motions leave on, or None where accelerations tell them apart."""
    if verdict.motion_unique is None and not np.any(state.v):
        return None
    return choices_at(system, state, None if callable(options["control"]) else options["control"])


def _ways(choices: tuple[Choice, ...]) -> Iterator[Departure]:
    """Yield the branches on which motions leave a state, as `_starts` does accelerations; a rest comes once."""
    least = choices[0].solution.zwang
    for choice in choices:
        s = choice.solution
        if choice.leaves:
            kind = "global minimum" if s.zwang <= least * (1.0 + SAME) else "local minimum"
            for sides in sides_of(choice):
                yield s.a, kind, s.zwang, named(choice, sides), "", (choice, sides)
    for choice in choices:
        if not choice.leaves:
            yield np.zeros_like(choice.solution.a), "rest", choice.solution.zwang, "", "", None
            return


def _changing(system: System, options: dict[str, Any]) -> str:
    """Return why a body at rest need not stay there, or "" where the forces on it are steady."""
    steady = not callable(options["control"]) and system.black_box_force is None and not depends_on_time(system.model)
    return "" if steady else "the state is one of rest now, but the forces on it may change with the time"


def _grown(
    system: System, u: object, roots: list[Branch], samples: int, options: dict[str, Any], depth: int
) -> tuple[tuple[Branch, ...], list[str]]:
    """Return the motions with their children, level by level, and what was cut."""
    found, children = list(roots), [[] for _ in roots]  # type: tuple[list[Branch], list[list[int]]]
    level, left_out = range(len(roots)), []  # type: tuple[range, list[str]]
    for k in range(depth):
        first = len(found)
        for i in level:
            if any(BROKEN_OFF in text for text in left_out):
                break
            try:
                end = _branching_end(system, u, found[i].run, float(options["t_end"]))
            except KeyboardInterrupt:
                left_out.append(f"at t = {found[i].run.t[-1]:.6g} s, the end of a motion: {BROKEN_OFF}")
                break
            if end is None:
                _warn(system, found[i].run)
                continue
            verdict, met = end
            cut = f"deeper than {depth} branching positions" if k == depth - 1 else ""
            if len(found) - len(roots) >= MOST:
                cut = f"there are {MOST} motions already"
            if cut:
                left_out.append(f"at t = {verdict.state.t:.6g} s, the motions that leave the end of another: {cut}")
                continue
            more, reasons = _followed(system, verdict.state, verdict, samples, options, met)
            left_out += reasons
            children[i] += range(len(found), len(found) + len(more))
            found += more
            children += [[] for _ in more]
        level = range(first, len(found))
    for i in reversed(range(len(found))):
        found[i] = replace(found[i], children=tuple(found[j] for j in children[i]))
    return tuple(found[: len(roots)]), left_out


def _branching_end(system: System, u: object, run: Trajectory, t_end: float) -> tuple[Verdict, AnyOrder | None] | None:
    """Return the verdict on the end of a motion if several motions leave it, else None; and the branches that touch."""
    if run.ending.kind != "singular" or t_end - run.t[-1] <= LATE * (t_end - run.t[0]):
        return None
    state = State(run.q[-1], run.v[-1], float(run.t[-1]))
    try:
        verdict = judged(system, state, u)
        moving = bool(np.any(state.v))
        met = several_at(system, state, u, doubts(system, state, np.ptp(run.q, axis=0))) if moving else None
    except Exception:  # the motion that ends here is kept all the same
        return None
    return (verdict, met) if met is not None or verdict.accelerations.several else None


def _warn(system: System, run: Trajectory) -> None:
    """Warn of a motion that ended early without another that goes on from there."""
    if not run.ending.complete:
        warn(f"{system.name}: {run.ending.message}", MotionWarning)


def _starts(verdict: Verdict, samples: int) -> Iterator[Departure]:
    """Yield the accelerations with which motions leave a branching position, or why none does."""
    found = verdict.accelerations
    for c in found.candidates:
        yield c.a, c.kind, c.zwang, "", _refused(c), None
    for k, f in enumerate(found.continua):
        for i, a in enumerate(f.sample(samples)):
            yield a, f.kind, f.zwang, f"member {i + 1} of {samples} of family {k + 1}", _refused(f), None


def _refused(found: Candidate | Continuum) -> str:
    """Return why no motion is followed with the acceleration of a vertex, or ""; others are tried in any case."""
    if found.kind != "vertex" or found.confirmed.startswith(CONFIRMED):
        return ""
    if found.confirmed == NO_MOTION:
        return f"the Zwang is less along every branch through this vertex, so {WORKS}"
    return "it is not known whether the Zwang has a minimum at this vertex"


def _alone(
    system: System,
    state: State,
    u: object,
    verdict: Verdict,
    samples: int,
    options: dict[str, Any],
    depth: int,
) -> MotionTree:
    """Return the motions from a state with a unique acceleration: one, unless the force is not Lipschitz there."""
    a = verdict.candidates[0].a
    zwang = verdict.candidates[0].zwang
    found = _several(system, state, u, float(options["t_end"])) if verdict.regular else None
    if found is None:
        with withheld():
            root = Branch(follow(system, state, **options), a, "global minimum", zwang, "")
        branches, cut = _grown(system, u, [root], samples, options, depth)
        return MotionTree(system.name, verdict.verdict, branches, "", tuple(cut))
    leaving = [
        Branch(one.run, a, "leaves rest", zwang, f"motion {k + 1} of {len(found.leaves)}")
        for k, one in enumerate(found.leaves)
    ]
    branches = (Branch(found.stays, a, "rest", zwang, "for ever"), *leaving)
    return MotionTree(system.name, found.verdict, branches, found.sentence, found.refused)


def _several(system: System, state: State, u: object, t_end: float) -> Motions | None:
    """Return the motions from a state at rest where the force is not Lipschitz and several are found, else None."""
    model = system.model
    steep = not model.smooth and smoothness_at(model, state.q, state.v, state.t, system.theta(u)).steep
    if not steep and not _hides_a_power_law(system, state, u):
        return None
    found = motions(system, state.q, state.v, state.t, t_end=t_end, u=u)
    return found if found.leaves else None


def _hides_a_power_law(system: System, state: State, u: object) -> bool:
    """Whether a black-box force, which no expression shows, is not Lipschitz continuous at an equilibrium at rest."""
    if system.black_box_force is None or np.any(state.v):
        return False
    try:
        if not Neighbourhood(system, state, u).equilibrium:
            return False
        worst = lipschitz(system, state.q, state.v, state.t, u).worst
    except GaussError:
        return False
    return worst is not None and worst.below_one


def require_one_motion(system: System, state: State, t_end: float, u: object = None) -> None:
    """Raise SingularPositionError where two motions leave a state at which the force is not Lipschitz continuous.

    They are sought over the time of the run.
    """
    found = _several(system, state, u, t_end)
    if found is not None:
        raise SingularPositionError(
            f"several motions of {system.name!r} start here: {found.sentence}"
            ' simulate(…, branches="all") returns all of them.',
            found,
        )
