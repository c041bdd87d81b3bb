"""Motions by `gauss.simulate` of random models against the same motions with 50 digits.

    python validation/motions.py --count 2000 --seed 1 --json validation/motions.json
    python validation/motions.py --seed 1 --show 17        # one motion: the model as code, what was done, what is right

The models, and which states are singular, are those of `zero_models`; the motion along each branch is that of
`motion_truth`, which imports nothing of the package. A motion begins at the state of the model, which is singular for
crossings and the like ("from"), or before it, so that it is passed on the way ("through"). It takes some steps of the
truth, about the time in which the acceleration changes by its own size. For every kind are counted

* ended: the run stops, by whatever, although the motion goes on; refused: it does not start although one motion does;
* wrong motion: a recorded position or velocity is off by more than `FACTOR` times the relative tolerance, times what
  the motion makes of a small change of its start, and beyond what the rows' rounding leaves open;
* wrong words: a singular position in the log that is not there; one motion said where several go on, or none do;
* not logged: a singular position that was passed is not in the log;
* undecided: it says that it cannot decide, or cannot follow the motion;
* warned: a warning of a library came through; slow: above 4 s.

The campaign goes on where it was interrupted: parts that are in the JSON file are not computed again (--fresh does).
"""

from __future__ import annotations

import signal
import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import motion_truth as truth
import mpmath as mp
import numpy as np
import zero_models as models
import zero_truth as digits
from campaign import IN_PARTS, options_of, run_parts, show_parts
from rich.console import Console
from zero import code_of, system_of
from zero_models import KINDS, Case
from zero_truth import Node

import gauss as g

SEVERAL = ("crossing: rest", "crossing: along both", "touching, moving", "touching, rest", "cone, rest")
NONE = ("cusp", "contradictory", "velocity forbidden")
FROM_ONLY = (*NONE, "cone, rest", "rigid")
FOLLOWED = tuple(kind for kind in KINDS if not kind.startswith("contact"))  # a contact's motion is not one branch
STARTS = tuple(
    (kind, how) for how in ("from", "through") for kind in FOLLOWED if how == "from" or kind not in FROM_ONLY
)
PART = len(STARTS)  # motions computed between two writes of the file
LONGEST = 0.3  # s, of a step of the truth; the models have accelerations and velocities about one
FORTH = 2  # steps of the truth from the state
RTOL = 1e-10
FACTOR = 1e3  # times the tolerance: errors of some hundred steps, each projected
CHANGE = 1e-7  # of a state, to see how the motion depends on it
ROWS = 1e-14  # what rounding leaves open of a row, of its terms
LOOKS = 200  # states in a step of the truth at which the rank of the rows is looked at
SINGULAR, NEARLY = 1e-8, 1e-4  # of its largest value: least singular values that are zero, and that may be taken for it
ASIDE = 0.1  # of the unit of length: there rows have their usual size
SAME_TIME = 1e-3  # of the run
CROWDED = 0.01  # of the run: of places nearer to each other double precision does not tell where they are
COMPARED = 24  # recorded states
SECONDS = 4.0
FLAGS = (
    "ended",
    "refused",
    "wrong_motion",
    "wrong_words",
    "not_logged",
    "undecided",
    "in_doubt",
    "warned",
    "slow",
)
BROKEN_OFF = "interrupted"  # in what a tree says of a motion that was interrupted
FAILURES = ("ended", "refused", "wrong_motion", "wrong_words", "warned", "slow")


# ------------------------------------------------------------------ motions and their truth


@dataclass(frozen=True, eq=False)
class Start:
    """A state from which a motion begins, and the motions that are right."""

    case: Case
    how: str  # "from" or "through" the state of the case
    q: np.ndarray  # (n,)
    v: np.ndarray  # (n,)
    before: float  # s, time until the state of the case
    t_end: float
    motions: tuple[truth.Motion, ...]  # along each branch; t = 0 at the state of the case


def draw(seed: int, index: int) -> Start:
    """The motion of this number: kinds take turns, and random numbers depend on seed and number alone."""
    kind, how = STARTS[index % len(STARTS)]
    for attempt in range(models.TRIES):
        case = models.attempted(seed, index, kind, "", attempt)
        found = None if case is None else begun(case, how, np.random.default_rng([seed, index, attempt, 1]))
        if found is not None:
            return found
    raise RuntimeError(f"no motion of the kind {kind!r} in {models.TRIES} draws of number {index}")


def begun(case: Case, how: str, rng: np.random.Generator) -> Start | None:
    """The motions through the state of a case; None where the truth finds no step."""
    motions = along(case)
    if motions is None:
        return None
    forth, ends = rng.uniform(0.5, 1.0, 2) * LONGEST, []
    for motion in motions:
        motion.longest = float(forth[0])
        for _ in range(FORTH):
            if not motion.step():
                return None
        ends.append(motion.span[1])
    t_end = min(ends, default=LONGEST)
    if how == "from":
        return Start(case, how, case.q, case.v, 0.0, t_end, motions)
    motions[0].longest = float(forth[1])
    if not motions[0].step(forwards=False):
        return None
    q, v = (np.array([float(x) for x in y]) for y in motions[0].back[-1].end)
    before = -motions[0].span[0]
    return Start(case, how, q, v, before, before + t_end, motions)


def along(case: Case) -> tuple[truth.Motion, ...] | None:
    """The motion of a case along each of its branches, at its state alone; None where that is not found."""
    if case.kind in NONE:
        return ()
    with mp.workdps(truth.STATE):
        place, speed = ([mp.mpf(float(x)) for x in y] for y in (case.q, case.v))
        place = digits.solved(case.model.place, "q", place, speed)
        speed = None if place is None else digits.solved(case.model.speed, "v", place, speed)
        if speed is None:
            return None
        branches, first = case.model.branches, ()
        if case.kind == "cone, moving":  # what the branch demands at the apex gives its acceleration there only
            first = tuple(float(x) for x in digits.acceleration(case.model, branches[0], place, speed))
            *others, F, G, H = case.model.place
            branches = ([digits.rate(x, case.model.n) for x in (*others, F**2 + G**2 - H**2)],)
        if case.kind.startswith("touching") and len(branches) == 1:  # the other one has the same acceleration
            *others, F, _ = case.model.place
            beside = next(y for row in case.model.rows for y in beside_of(row.node, F))
            branches = (*branches, [digits.rate(x, case.model.n) for x in (*others, beside)])
        free = max(abs(float(x)) for x in digits.acceleration(case.model, (), place, speed))
        q, v = ([truth.number(x) for x in y] for y in (place, speed))
    sizes = case.model.length, max(abs(float(x)) for x in speed)
    equations = [truth.equations_of(case.model, branch) for branch in branches]
    return tuple(truth.Motion(e, q, v, sizes, free, LONGEST, first) for e in equations)


def beside_of(x: Node, factor: Node) -> Iterator[Node]:
    """Yield what a factor is multiplied by in an expression."""
    if x.op == "*" and x.args[0] is factor:
        yield x.args[1]
    for part in x.args:
        if isinstance(part, Node):
            yield from beside_of(part, factor)


def singular_times(start: Start) -> tuple[list[float], list[float]] | None:
    """Times of the run at which the given rows lose rank, and at which they nearly do; None where they have less."""
    model, motion = start.case.model, start.motions[0]
    r, n, m = len(model.branches[0]), model.n, len(model.rows)
    entries = [
        digits.derivative(x.node, "q" if x.kind == "holonomic" else "v", i) for x in model.rows for i in range(n)
    ]
    tape = truth.taped(entries)

    def rows(times: np.ndarray, aside: float = 0.0) -> np.ndarray:
        states = [motion.at(float(t) - start.before) for t in times]
        q, v = (np.array([s[k] for s in states]).T for k in (0, 1))
        q = q + aside * np.random.default_rng(1).normal(size=q.shape)
        values = tape.values(q, v, np, "rounded")
        return np.stack([np.broadcast_to(x, times.shape) for x in values], -1).reshape(times.size, m, n)

    times = np.linspace(0.0, start.t_end, LOOKS * (FORTH + 1))
    longest = np.max(np.linalg.norm(rows(times, ASIDE * model.length), axis=2), axis=0)  # a square vanishes on its way
    longest[longest == 0.0] = 1.0

    def least(at: np.ndarray) -> np.ndarray:
        return np.linalg.svd(rows(at) / longest[:, None], compute_uv=False)[:, r - 1]

    def dips(span: np.ndarray, several: bool) -> list[np.ndarray]:
        """Spans of an eighth around the least value in one, or around the two least that are so beside neighbours."""
        finer = np.linspace(*span, 17)
        values = least(finer)
        lower = (values[1:-1] < values[:-2]) & (values[1:-1] <= values[2:])
        places = sorted(np.flatnonzero(lower) + 1, key=lambda k: values[k])[:2] if several else []
        return [finer[[max(k - 1, 0), min(k + 1, 16)]] for k in places or [int(np.argmin(values))]]

    found = least(times) if 0 < r <= min(m, n) else np.zeros(1)
    top = float(np.max(found))
    if top < SINGULAR:
        return None
    exactly, nearly = times[found < SINGULAR * top].tolist(), []  # branches that touch to a high order, all around it
    for k in range(times.size):
        low, high = max(k - 1, 0), min(k + 1, times.size - 1)
        if found[k] > min(found[low], found[high]) or np.all(found[low : high + 1] < SINGULAR * top):
            continue
        spans = [times[[max(k - 3, 0), min(k + 3, times.size - 1)]]]
        for several in (True, True, *[False] * 6):  # two places may be next to each other
            spans = [inner for span in spans for inner in dips(span, several)]
        for span in spans:
            t, value = float(np.mean(span)), float(least(np.mean(span, keepdims=True))[0])
            if value < NEARLY * top:
                (exactly if value < SINGULAR * top else nearly).append(t)
    return sorted(exactly), nearly


# ------------------------------------------------------------------ the judgement


def judge(start: Start) -> dict[str, Any]:
    """What `simulate` makes of a motion and what is wrong with it."""
    said: dict[str, Any] = {"flags": set(), "complaint": "", "ending": "", "error": 0.0, "allowed": 0.0, "steps": 0}
    case, begin = start.case, time.process_time()

    options: dict[str, Any] = {"t_end": start.t_end, "progress": "none"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        system = system_of(case.model)
        begin = time.process_time()
        try:
            with patience():
                run = g.simulate(system, start.q, start.v, **options)
        except KeyboardInterrupt:
            complain(said, "slow", "slow")
        except Exception as error:
            refusal(start, error, said)
            if case.kind in SEVERAL and start.how == "from" and not said["flags"]:
                all_branches(start, system, options, said)
        else:
            compare(start, run, said)
        said["seconds"] = time.process_time() - begin
    leaked = [
        str(w.message) for w in caught if not issubclass(w.category, (DeprecationWarning, g.errors.MotionWarning))
    ]
    if leaked:
        complain(said, "warned", f"warning {leaked[0][:60]}")
    return said


@contextmanager
def patience() -> Iterator[None]:
    """Interrupt what is done, as Ctrl-C does, after some seconds of the processor."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def complain(said: dict[str, Any], flag: str, complaint: str) -> None:
    """Note what is wrong; the first complaint is kept."""
    said["flags"].add(flag)
    said["complaint"] = said["complaint"] or complaint


def refusal(start: Start, error: Exception, said: dict[str, Any]) -> None:
    """Judge an exception: right where no motion or several leave the start, honest where it says so."""
    kind, name = start.case.kind, type(error).__name__
    said["ending"] = f"{name}: {str(error)[:300]}"
    words = set(getattr(getattr(error, "verdict", None), "verdicts", ()))
    said["ending"] = f"[{', '.join(sorted(words))}] " + said["ending"] if words else said["ending"]
    fair = isinstance(
        error, (g.errors.SingularPositionError, g.errors.ContradictoryRowsError, g.errors.NonUniqueAccelerationError)
    )
    if kind in NONE and (fair or isinstance(error, g.errors.InconsistentStateError)):
        return
    if fair and start.how == "from" and kind in SEVERAL:
        return
    if words & {"undecided", "higher order"} or "cannot be followed" in str(error):
        said["flags"].add("in_doubt" if start.case.truth.doubt else "undecided")
    elif start.case.truth.doubt and fair:
        said["flags"].add("in_doubt")
    else:
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = (
            "" if isinstance(error, g.errors.GaussError) else f" in {where.filename.rpartition('/')[2]}:{where.name}"
        )
        complain(said, "refused", f"{name}{place} {' and '.join(sorted(words))}".rstrip())


def all_branches(start: Start, system: g.System, options: dict[str, Any], said: dict[str, Any]) -> None:
    """Judge the tree of motions: each branch must be among them."""
    try:
        with patience():
            tree = g.simulate(system, start.q, start.v, branches="all", **options)
    except KeyboardInterrupt:
        complain(said, "slow", "slow")
        return
    except g.errors.GaussError as error:
        words = set(getattr(getattr(error, "verdict", None), "verdicts", ()))
        said["ending"] = f"all: {type(error).__name__}: {str(error)[:300]}"
        if words & {"undecided", "higher order"}:
            said["flags"].add("undecided")
        else:
            complain(said, "refused", f"all branches: {type(error).__name__}")
        return
    said["ending"] = str(tree)[:300]
    if any(BROKEN_OFF in text for text in tree.left_out):
        complain(said, "slow", "slow")
        return
    followed = [b.run for b in tree if b.run.ending.complete or met_again(start, b.run)]
    for k, motion in enumerate(start.motions):
        errors = [error_of(start, motion, run) for run in followed]
        best = min(errors, default=np.inf)
        said["error"] = max(said["error"], best)
        if best > RTOL * FACTOR and best > allowed(start, motion):
            complain(said, "ended" if best == np.inf else "wrong_motion", f"branch {k} is not among those followed")


def met_again(start: Start, run: g.Trajectory) -> bool:
    """Whether a motion ends where the branches meet another time."""
    times = [t for t in meetings(start) if t > start.before] if run.ending.kind == "singular" else []
    return any(abs(float(run.t[-1]) - t) < SAME_TIME * start.t_end for t in times)


def compare(start: Start, run: g.Trajectory, said: dict[str, Any]) -> None:
    """Judge a run: how it ended, its motion, its log."""
    case, kind = start.case, start.case.kind
    said["ending"] = f"{run.ending.kind}: {run.ending.message[:300]}"
    said["events"] = [str(e)[:120] for e in run.events]
    said["steps"] = len(run)
    last = float(run.t[-1]) if len(run) else 0.0
    logged = [e for e in run.events if e.kind == "singular"]
    if kind in NONE:
        complain(said, "wrong_words", "no motion goes on")
        return
    errors = [error_of(start, motion, run) for motion in start.motions]
    best = int(np.argmin(errors)) if errors else 0
    said["error"] = min(errors, default=0.0)
    if kind in SEVERAL and run.ending.complete and not logged:
        complain(said, "wrong_words", "finished, and not a word of the other motions")
    if run.ending.kind == "interrupted":
        complain(said, "slow", "slow")
    elif not run.ending.complete:
        here = any(abs(last - t) < 1e-3 * start.t_end for t in meetings(start))
        words = ("undecided", "higher order", "not known", "rounding decides", "does not tell")
        undecided = any(word in run.ending.message for word in words)
        if not (kind in SEVERAL and run.ending.kind == "singular" and here):
            if (case.truth.doubt and here) or (undecided and doubtful(case)):
                said["flags"].add("in_doubt")
            elif undecided:
                said["flags"].add("undecided")
            else:
                complain(said, "ended", run.ending.kind)
    if start.motions and said["error"] > RTOL * FACTOR:
        said["allowed"] = allowed(start, start.motions[best])
        if not said["error"] <= said["allowed"]:
            if case.truth.doubt:
                said["flags"].add("in_doubt")
            else:
                complain(said, "wrong_motion", f"wrong motion, {run.ending.kind}")
    if start.motions:
        words_of(start, run, logged, said)


def meetings(start: Start) -> list[float]:
    """Times of the run at which motions may part: that of the state, and others at which the same branches touch."""
    others = singular_times(start) if start.case.kind.startswith("touching") else None
    return [start.before, *(others[0] if others is not None else ())]


def doubtful(case: Case) -> bool:
    """Whether the rounding of the rows leaves more of the motion open than the tolerance does."""
    return case.truth.doubt or any(ROWS / e > RTOL * FACTOR for e in differences(case))


def differences(case: Case) -> list[float]:
    """By how much near copies differ."""
    return [float(tag[2:]) for tag in case.model.tags if tag.startswith("e=")]


def words_of(start: Start, run: g.Trajectory, logged: Sequence[Any], said: dict[str, Any]) -> None:
    """Judge the singular positions in the log."""
    expected = singular_times(start)
    if expected is None:
        return
    exactly, nearly = expected
    near = SAME_TIME * start.t_end
    for event in logged:
        if all(abs(event.t - t) > near for t in (*exactly, *nearly)):
            complain(said, "wrong_words", "a singular position is logged that is not there")
    crowd = CROWDED * start.t_end
    for t in (t for t in exactly if not any(0.0 < abs(other - t) < crowd for other in exactly)):
        if len(run) and near < t < run.t[-1] - near and all(abs(event.t - t) > near for event in logged):
            said["flags"].add("not_logged")


def error_of(start: Start, motion: truth.Motion, run: g.Trajectory) -> float:
    """The largest error of positions and velocities, relative to the largest of them."""
    if len(run) < 1:  # that it ended at once is said elsewhere
        return 0.0
    chosen = np.unique(np.linspace(0, len(run) - 1, COMPARED).astype(int))
    first, last = motion.span
    right = [
        motion.at(float(np.clip(run.t[k] - start.before, first, last))) if in_span(start, motion, run.t[k]) else None
        for k in chosen
    ]
    pairs = [(k, x) for k, x in zip(chosen, right, strict=True) if x is not None]
    if not pairs:
        return np.inf
    all_of_it = [motion.at(t) for t in np.linspace(first, last, COMPARED)]
    error = 0.0
    for values, i in ((run.q, 0), (run.v, 1)):
        exact = np.array([x[i] for _, x in pairs])
        least = (1e-6 * start.case.model.length, 1e-6 * motion.free * start.t_end)[i]  # forces balance to rounding
        scale = max(least, *(float(np.max(np.abs(x[i]))) for x in all_of_it))
        error = max(error, float(np.max(np.abs(values[[k for k, _ in pairs]] - exact))) / scale)
    return error


def in_span(start: Start, motion: truth.Motion, t: float) -> bool:
    """Whether a time of the run lies in a motion; the second branch begins at the state of the case."""
    first, last = motion.span
    slack = truth.SLACK * (last - first)
    return first - slack <= t - start.before <= last + slack


def allowed(start: Start, motion: truth.Motion) -> float:
    """The relative error that the tolerance, the rounding of the rows and the motion's own growth explain."""
    rng = np.random.default_rng(1)
    source = motion.back[-1].end if motion.back else (motion.q, motion.v)
    speed = max(motion.sizes[1], *(float(abs(x)) for x in source[1]), motion.free * start.t_end * 1e-3)
    sizes = max(abs(float(x)) for x in source[0]) or start.case.model.length, speed
    moved = [
        [x + truth.arb(float(rng.choice([-1.0, 1.0])) * CHANGE * size) for x in y]
        for y, size in zip(source, sizes, strict=True)
    ]
    other = truth.Motion(motion.equations, moved[0], moved[1], motion.sizes, motion.free, motion.longest)
    while other.span[1] < start.t_end:
        if not other.step():
            return np.inf
    times = np.linspace(0.0, start.t_end, COMPARED)
    times = times[[in_span(start, motion, t) for t in times]]
    growth = 1.0
    pairs = [(motion.at(t - start.before), other.at(t)) for t in times]
    for i in (0, 1):
        scale = max(float(np.max(np.abs(x[i]))) for x, _ in pairs)
        change = max(float(np.max(np.abs(x[i] - y[i]))) for x, y in pairs)
        growth = max(growth, change / scale / CHANGE if scale > 0.0 else 1.0)
    return growth * max(RTOL * FACTOR, *(ROWS / e for e in differences(start.case)), 0.0)


# ------------------------------------------------------------------ counting


def part(seed: int, numbers: Sequence[int]) -> dict[str, Any]:
    """The record of some motions: counts by kind, and those that failed."""
    kinds: dict[str, dict[str, float]] = {}
    failures = []
    for index in numbers:
        begin = time.process_time()
        start = draw(seed, index)
        said = judge(start)
        name = f"{start.case.kind}, {start.how}"
        empty = dict.fromkeys(("motions", "right", *FLAGS, "steps"), 0) | {"seconds": 0.0, "slowest": 0.0, "error": 0.0}
        record = kinds.setdefault(name, empty)
        record["motions"] += 1
        record["right"] += not said["flags"] - {"in_doubt", "not_logged"}
        for flag in said["flags"]:
            record[flag] += 1
        record["steps"] += said["steps"]
        record["seconds"] += said["seconds"]
        record["slowest"] = max(record["slowest"], said["seconds"])
        record["truth_seconds"] = record.get("truth_seconds", 0.0) + time.process_time() - begin - said["seconds"]
        if not said["flags"]:
            record["error"] = max(record["error"], said["error"])
        if said["flags"]:
            failures.append(
                {"index": index, "kind": name, "complaint": said["complaint"] or " and ".join(sorted(said["flags"]))}
                | {"flags": sorted(said["flags"]), "style": start.case.style, "tags": list(start.case.model.tags)}
                | {"ending": said["ending"], "error": str(said["error"]), "allowed": str(said["allowed"])}
            )
    return {"kinds": kinds, "failures": failures}


def shown(console: Console, seed: int, index: int) -> int:
    """Print one motion: the model as code, what was done and what is right."""
    start = draw(seed, index)
    said = judge(start)
    code = code_of(start.case).rpartition("\n")[0]
    code += f"\nrun = g.simulate(system, {start.q.tolist()}, {start.v.tolist()}, t_end={start.t_end!r})\n"
    console.print(code + "print(run.ending, *run.events)", markup=False, highlight=False, soft_wrap=True)
    console.print(f"# {start.case.kind}, {start.how}, {start.case.style} {start.case.model.tags}", markup=False)
    console.print(
        f"# at the state of the model after {start.before!r} s; dependent at",
        singular_times(start) if start.motions else "",
    )
    for motion in start.motions:
        ends = motion.at(min(motion.span[1], start.t_end - start.before))
        console.print("#   ends at q, v =", *(x.tolist() for x in ends), soft_wrap=True)
    console.print("# said:", said, markup=False, soft_wrap=True)
    return 0


def main() -> int:
    """Run the campaign, or the parts of it that are missing."""
    options = options_of(__doc__ or "", 2000, 1, "motions", *IN_PARTS)
    console = Console(width=220)
    if options.show is not None:
        return shown(console, options.seed, options.show)
    names = [", ".join(start) for start in STARTS]
    total = run_parts(options, names, PART, "motions", part, ("numpy", "casadi", "python-flint"))
    show_parts(console, total, "motions", FLAGS)
    return 1 if total["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
