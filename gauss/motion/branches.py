"""Branches: all motions that leave a state where the acceleration, or the motion itself, is not unique."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.arrays import Array
from gauss.dynamics import judged
from gauss.errors import GaussError, SingularPositionError
from gauss.model import System
from gauss.model.compiled.smoothness import smoothness_at
from gauss.motion.leaving import Motions, motions
from gauss.motion.single import follow
from gauss.motion.trajectory import Trajectory
from gauss.regularity import Classification
from gauss.state import State

SAMPLES = 8  # members of a continuum that are followed
RESTS = (0.0, 0.25, 0.5)  # shares of the run for which a motion rests before it leaves, where it may rest for any time


@dataclass(frozen=True)
class Branch:
    """One of the motions that leave a state."""

    run: Trajectory
    a: Array  # (n,) its acceleration at the start
    kind: str  # "global minimum", "saddle", …; "rest" and "leaves rest" where the force is not Lipschitz
    zwang: float
    name: str  # which member of a continuum it is, how long it rests first


@dataclass(frozen=True)
class MotionTree:
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
        return self.branches[k]

    def __str__(self) -> str:
        lines = [f"{self.system}: {len(self)} motion{'s' if len(self) != 1 else ''} ({self.verdict})"]
        for b in self.branches:
            end = b.run.t[-1] if len(b.run) else np.nan
            lines.append(f"  {b.kind}{', ' + b.name if b.name else ''}: to t = {end:.6g} s, {b.run.ending.kind}")
        lines += [f"  sampling: {self.sampling}"] if self.sampling else []
        return "\n".join([*lines, *(f"  left out: {text}" for text in self.left_out)])


def follow_all(system: System, state: State, u: object, samples: int, options: dict[str, Any]) -> MotionTree:
    """Return the tree of motions from a state; `options` are those of `follow`."""
    verdict = judged(system, state, u)
    if verdict.unique:
        return _from_rest(system, state, u, verdict, options)
    if verdict.accelerations.status in ("none", "undecided"):
        raise SingularPositionError(f"no motion of {system.name!r} can be followed here. {verdict.sentence}", verdict)
    branches: list[Branch] = []
    left_out: list[str] = []
    for a, kind, zwang, name in _starts(verdict, samples):
        text = f"{kind}{', ' + name if name else ''}"
        if "vertex" in kind and "local minimum" not in kind:
            left_out.append(f"{text}: no minimum of the Zwang")
            continue
        try:
            run = follow(system, state.q, state.v, **options, branch=a)
        except GaussError as error:
            left_out.append(f"{text}: {error}")
            continue
        if len(run) < 2:
            left_out.append(f"{text}: {run.ending.message}")
            continue
        branches.append(Branch(run, a, kind, zwang, name))
    families = verdict.accelerations.continua
    sampling = f"{samples} members of each continuum" if families else ""
    return MotionTree(system.name, verdict.verdict, tuple(branches), sampling, tuple(left_out))


def _starts(verdict: Classification, samples: int) -> Iterator[tuple[Array, str, float, str]]:
    """Yield the accelerations with which motions leave a branching position."""
    for c in verdict.candidates:
        yield c.a, c.kind, c.zwang, ""
    for k, f in enumerate(verdict.accelerations.continua):
        for i, a in enumerate(f.sample(samples)):
            yield a, f.kind, f.zwang, f"member {i + 1} of {samples} of family {k + 1}"


def _from_rest(system: System, state: State, u: object, verdict: Classification, options: dict[str, Any]) -> MotionTree:
    """Return the motions from a state with a unique acceleration: one, unless the force is not Lipschitz there."""
    a = verdict.candidates[0].a
    zwang = verdict.candidates[0].zwang
    found = _several(system, state, u, float(options["t_end"])) if verdict.regular else None
    if found is None:
        run = follow(system, state.q, state.v, **options)
        return MotionTree(system.name, verdict.verdict, (Branch(run, a, "global minimum", zwang, ""),), "", ())
    branches = [Branch(found.stays, a, "rest", zwang, "for ever")]
    for k, leaving in enumerate(found.leaves):
        branches.append(Branch(leaving.run, a, "leaves rest", zwang, f"motion {k + 1} of {len(found.leaves)}"))
    return MotionTree(system.name, found.verdict, tuple(branches), found.sentence, found.refused)


def _several(system: System, state: State, u: object, t_end: float) -> Motions | None:
    """Return the motions from a state at rest where the force is not Lipschitz and several are found, else None."""
    if not smoothness_at(system.model, state.q, state.v, state.t, system.theta(u)).steep:
        return None
    found = motions(system, state.q, state.v, state.t, t_end=t_end, u=u)
    return found if found.leaves else None


def require_one_motion(system: System, state: State, t_end: float, u: object = None) -> None:
    """Raise SingularPositionError where two motions leave a state at which the force is not Lipschitz continuous.

    They are sought over the time of the run.
    """
    found = _several(system, state, u, t_end)
    if found is not None:
        raise SingularPositionError(
            f"the motion of {system.name!r} from here is not unique. {found.sentence}"
            ' simulate(…, branches="all") returns all of them.',
            found,
        )
