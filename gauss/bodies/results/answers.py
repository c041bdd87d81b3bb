"""What an answer says of a mechanism: its states with the multipliers of all rows, and its parts by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.bodies.joints.joint import Link
from gauss.dynamics import accelerate
from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags
from gauss.foundation.calls import meant_name
from gauss.motion.record.natural import in_natural
from gauss.uniqueness import Verdict
from gauss.verdict import LawOfFriction


@dataclass(frozen=True)
class States:
    """What the three kinds of answers have in common."""

    coordinates: tuple[str, ...]
    names: tuple[str, ...]  # of the rows
    q: Array  # (N, n)
    multipliers: Array  # (N, m)
    loaded: Flags | None  # (N, m) rows that may share reactions in a way not determined; None where there are none
    matrices: Any  # k ↦ J (m, n) at state k
    single: bool

    @property
    def count(self) -> int:
        """N."""
        return len(self.q)

    def named(self, k: int) -> dict[str, float]:
        """Return the coordinates of state k by name."""
        return dict(zip(self.coordinates, map(float, self.q[k]), strict=True))

    @staticmethod
    def of(answer: Any) -> States:
        """Return the states of an answer. Raises InputError for anything else."""
        if isinstance(answer, Verdict):
            return _of_verdict(answer) if answer.twin is None else _of_twin(answer)
        if hasattr(answer, "multipliers") and hasattr(answer, "state") and hasattr(answer, "system"):
            return _of_balance(answer)
        if not (hasattr(answer, "multipliers") and hasattr(answer, "about")):
            raise InputError(
                "a Verdict of gauss.accelerate, a run of gauss.simulate or an equilibrium is expected, got"
                f" {type(answer).__name__}."
            )
        return _of_run(answer)


def rows_of(link: Link, names: Sequence[str]) -> list[int]:
    """Return the indices of the rows of a link among those of a model. Raises InputError where there are none."""
    starts = [row.name for row in link.constraints()]
    shared = [start for start in starts if start in names and f"{start}[0]" in names]
    if shared:
        raise InputError(
            f"several parts of the model have rows called {', '.join(map(repr, shared))}; give {link.name!r} and the"
            " others names of their own."
        )
    found = [k for k, name in enumerate(names) if any(_belongs(name, start) for start in starts)]
    if not found:
        raise InputError(f"the rows of {link.name!r} are not among those of the model: {', '.join(names) or 'none'}.")
    return found


def _belongs(row: str, constraint: str) -> bool:
    rest = row.removeprefix(constraint)
    return row.startswith(constraint) and (not rest or (rest[0] == "[" and rest[1:-1].isdigit() and rest[-1] == "]"))


def _of_verdict(step: Verdict) -> States:
    if step.friction is not None and step.unique:
        return _of_friction(step)
    solution, problem = step.solution, step.solution.problem
    assert step.reactions is not None
    doubtful = step.reactions.undetermined
    loaded = np.array([[name in doubtful for name in problem.rows.names]]) if doubtful else None
    return States(
        coordinates=problem.coordinates,
        names=problem.rows.names,
        q=step.state.q[None],
        multipliers=solution.multipliers[None],
        loaded=loaded,
        matrices=lambda k: problem.rows.J,
        single=True,
    )


def _of_twin(found: Verdict) -> States:
    """Return the state of a verdict on a mechanism in joint coordinates, in natural ones."""
    assert found.twin is not None
    seen = found.twin()
    if isinstance(found.friction, LawOfFriction) and found.unique:
        open_ = {name for name, (low, high) in found.friction.ranges.items() if low < high}
    else:
        assert found.reactions is not None
        open_ = set(found.reactions.undetermined)
    open_ = seen.alike(open_)
    loaded = (seen.inner | np.array([name in open_ for name in seen.names]))[None] if open_ or seen.fitted else None
    return States(
        seen.coordinates, seen.names, seen.state.q[None], seen.multipliers[None], loaded, lambda k: seen.J, True
    )


def _of_friction(found: Verdict) -> States:
    """Return the state of a verdict whose forces are those of the law of friction."""
    law = found.friction
    assert isinstance(law, LawOfFriction)
    state, system = found.state, law.system
    J = system.model.terms(state.q, state.v, state.t, system.theta()).J
    forces = np.array([[law.multiplier(name) for name in system.row_names]])
    open_ = np.array([[low < high for low, high in (law.ranges[name] for name in system.row_names)]])
    loaded = open_ if np.any(open_) else None
    return States(system.coordinates, system.row_names, state.q[None], forces, loaded, lambda k: J, True)


def _of_balance(found: Any) -> States:
    system, state = found.system, found.state
    if system.twin is not None:
        return _of_twin(accelerate(system, state.q, state.v, state.t, u=found.u))
    J = system.model.terms(state.q, state.v, state.t, system.theta(found.u)).J
    loaded = np.array([[not (k in system.model.unilateral and x == 0.0) for k, x in enumerate(found.multipliers)]])
    return States(
        system.coordinates, system.row_names, state.q[None], found.multipliers[None], loaded, lambda k: J, True
    )


def _of_run(run: Any) -> States:
    if run.setting is None:
        raise InputError("a trajectory from a file needs its model: use trajectory.with_system(system).")
    run = in_natural(run)
    system, theta = run.setting.system, run.setting.theta

    def matrix(k: int) -> Array:
        return np.asarray(system.model.terms(run.q[k], run.v[k], float(run.t[k]), theta).J)

    loaded = None
    if run.about.redundant or run.stepping is not None or run.sharing is not None:
        left_out = np.array([name in run.about.redundant for name in system.row_names])
        loaded = run.active | left_out if run.sharing is None else run.active | left_out | run.sharing
    return States(system.coordinates, system.row_names, run.q, run.multipliers, loaded, matrix, False)


def named_part(answer: Any, given: Any) -> Any:
    """Return what a name stands for, a joint or a force of the mechanism of an answer; others as they are.

    Raises InputError.
    """
    if not isinstance(given, str):
        return given
    source = _source_of(answer)
    parts = {part.name: part for part in (*getattr(source, "joints", ()), *getattr(source, "forces", ()))}
    return _named(given, parts, "joint or force")


def named_axes(answer: Any, part: Any, given: Any) -> Any:
    """Return what a name of axes stands for, others as they are.

    It is that of a body of a part or of the mechanism of an answer, or of a frame of its robot. Raises InputError.
    """
    if not isinstance(given, str) or given == "space":
        return given
    source = _source_of(answer)
    bodies = {body.name: body for body in (*part.bodies, *getattr(source, "bodies", ()))}
    return _named(given, {**getattr(source, "frames", {}), **bodies}, 'body that axes may be of (or "space")')


def _named(given: str, parts: Mapping[str, Any], what: str) -> Any:
    """Return the part with a name. Raises InputError."""
    if given in parts:
        return parts[given]
    known = f"known: {', '.join(parts)}" if parts else "this answer knows no mechanism: give the part itself"
    meant = meant_name(given, parts)
    raise InputError(f"there is no {what} {given!r}; {f'did you mean {meant!r}? ' if meant else ''}{known}.")


def _joints_of(answer: Any) -> dict[str, Any]:
    return {joint.name: joint for joint in getattr(_source_of(answer), "joints", ())}


def _source_of(answer: Any) -> Any:
    """Return the mechanism of an answer, None where it knows none."""
    system = getattr(getattr(answer, "setting", None), "system", getattr(answer, "system", None))
    return getattr(system, "source", None)


def own_link(answer: Any, link: Any) -> Any:
    """Return a joint with the numbers of an answer whose mechanism is one of a family."""
    found = _joints_of(answer).get(getattr(link, "name", ""), link)
    return found if getattr(_source_of(answer), "family", None) is not None else link
