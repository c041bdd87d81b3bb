"""What the package says today, against what it said before: scenarios, friction problems, samples of the campaigns.

    python validation/regression.py                         # compare with validation/regression.json; status 1 if not
    python validation/regression.py --only scenario --jobs 2
    python validation/regression.py --record                # store what is said now

Recorded are of every scenario the verdict and the accelerations at its start, its events and its ending, states at
sevenths of its run and which claims of its page and its proof hold; of 261 friction problems with one to four
contacts the verdicts and accelerations of the plane, and of the same problems set in space; of the first states and
motions of the campaigns (`zero`, its contacts, `singular_states`, `motions`) what is said; every value of
`zero_families`; and whether short runs of the campaigns that carry their own truth still find no failure.

Words must be the same, numbers agree to the share of their size in `CLOSE`. Where an answer of before was wrong, its
item is named in `CHANGED` with the reason, and what is said now is printed beside it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

import motions  # noqa: E402
import proofs  # noqa: E402
import singular_states  # noqa: E402
import zero  # noqa: E402
import zero_families  # noqa: E402
import zero_models as models  # noqa: E402
from rational_friction import as_problem, random_problem  # noqa: E402

import gauss as g  # noqa: E402
from gauss import scenario as scenarios  # noqa: E402
from gauss.contact import ContactProblem, solve_contacts  # noqa: E402
from gauss.dynamics import judged  # noqa: E402
from gauss.outcome import run_scenario  # noqa: E402

STORED = HERE / "regression.json"
CLOSE = {"a": 1e-9, "t": 1e-8, "q": 1e-6, "v": 1e-6, "dd": 1e-5}  # shares of the largest number of the same list
CAMPAIGNS = {  # with their own truth: files and counts
    "cones": 40,
    "cone_forces": 100,
    "friction": 400,
    "impacts": 300,
    "random_problems": 60,
    "random_quadrics": 12,
    "tiny_contacts": 150,
}
ASKED = "its start rests or slides with friction: the acceleration of the law of friction is certified, not of the rows"
CHANGED = {  # item: why its answer of before was wrong
    "scenario: box_tipping": ASKED,
    "scenario: jammed_wedge": ASKED,
    "scenario: ladder": ASKED,
    "scenario: painleve_rod": "the start has no acceleration, and is no longer called unique",
}


# ------------------------------------------------------------------ what is said


def numbers(values: Any) -> Any:
    """Plain lists of a vector or of several."""
    return np.asarray(values, dtype=float).tolist()


def scenario_item(name: str) -> dict[str, Any]:
    """The verdict at the start of a scenario, and its motion."""
    loaded = scenarios.load(name)
    s = loaded.start
    u = s.control(s.t, s.q, s.v) if callable(s.control) else s.control
    found = judged(loaded.system, loaded.system.state(s.q, s.v, s.t), u)
    said: dict[str, Any] = {"verdicts": list(found.verdicts), "status": found.accelerations.status}
    said["a"] = [numbers(c.a) for c in found.candidates]
    if loaded.system.contacts and g.classify(loaded.system, s.q, s.v, s.t, u=u).friction is not None:
        whole = g.classify(loaded.system, s.q, s.v, s.t, u=u)
        said["friction"] = whole.accelerations.status
        said["friction a"] = [numbers(c.a) for c in whole.candidates]
    outcome = run_scenario(proofs.whole(name), progress="none")
    said["claims"] = {claim.name: bool(claim.holds) for claim in outcome.claims}
    run = outcome.run
    if run is None:
        return said
    said["ending"] = run.ending.kind
    said["events"] = [f"{e.kind} {e.name}" for e in run.events]
    said["t"] = [e.t for e in run.events]
    if len(run) > 1:
        times = np.linspace(run.t[0], run.t[-1], 8)[1:]
        said["dense t"] = numbers(times)
        dense = run.at(times)
        said |= {"q": numbers(dense.q), "v": numbers(dense.v), "dd": numbers(dense.a)}
    return said


def friction_item(number: str) -> dict[str, Any]:
    """One random problem in the plane, and the same in space with a second tangent row of zeros."""
    rng = np.random.default_rng([31, int(number)])
    problem = next(p for p in iter(lambda: random_problem(rng, 1 + int(number) % 4), None) if not any(p["bilateral"]))
    p = as_problem(problem)
    said: dict[str, Any] = {}
    plane = _unless_contradictory(lambda: solve_contacts(p), said, "plane")
    if plane is not None:
        said["a"] = sorted(numbers(plane.accelerations))
        said["modes"] = sorted(" ".join(s.modes) for s in plane.solutions)
    k, n = p.k, len(p.f)
    T = np.stack([p.T, np.zeros((k, n))], axis=1)
    tau, slip = (np.stack([x, np.zeros(k)], axis=1) for x in (p.tau, p.slip))
    other = ContactProblem.of(p.M, p.f, p.N, p.nu, T, tau, p.kinetic, slip, static=p.static, J=p.J, gamma=p.gamma)
    space = _unless_contradictory(lambda: solve_contacts(other), said, "space")
    if space is not None:
        said["space a"] = sorted(numbers([s.a for s in space.solutions]))
    return said


def _unless_contradictory(solve: Callable[[], Any], said: dict[str, Any], name: str) -> Any:
    """What a solver finds, with its verdict in `said`; None where it says that rows contradict one another."""
    try:
        found = solve()
    except g.errors.ContradictoryRowsError:
        said[name] = "contradictory"
        return None
    said[name] = found.verdict
    return found


def state_item(number: str, contacts: bool = False) -> dict[str, Any]:
    """One state of the campaign `zero`, or of its contacts."""
    said, _ = zero.judge(models.draw(1, int(number), models.CONTACTS if contacts else models.STATES))
    return {"verdict": said["verdict"], "wrong": said["complaint"]}


def singular_item(name: str) -> dict[str, Any]:
    """One batch of states near singular positions."""
    pair = {f"{b.name}, {k}": (b, k) for b, k in singular_states.pairs()}[name]
    judged = [singular_states.judge(trial) for trial in singular_states.trials(*pair, 11, 0)]
    return {
        "verdicts": [j.failure or " and ".join(j.verdicts) for j in judged],
        "wrong": sum(bool(j.wrong) for j in judged),
    }


def motion_item(number: str) -> dict[str, Any]:
    """One motion of the campaign."""
    said = motions.judge(motions.draw(1, int(number)))
    return {
        "ending": said["ending"].partition(":")[0],
        "flags": sorted(said["flags"] - {"slow"}),
        "wrong": said["complaint"],
    }


def family_item(name: str) -> dict[str, Any]:
    """All values of one family."""
    family = next(f for f in zero_families.families() if f.name == name)
    points = [family.point(x if family.whole else 10.0**x) for x in family.decades]
    return {
        "verdicts": [p.verdict for p in points],
        "wrong": [p.wrong for p in points if p.wrong not in ("", zero_families.BLANK)],
    }


def campaign_item(name: str) -> dict[str, Any]:
    """A short run of a campaign with its own truth: its exit status."""
    command = [sys.executable, str(HERE / f"{name}.py"), "--count", str(CAMPAIGNS[name])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return {"failed": done.returncode, "last": done.stdout.strip().splitlines()[-1:] if done.returncode else []}


KINDS: dict[str, tuple[Callable[[str], dict[str, Any]], Callable[[], list[str]]]] = {
    "scenario": (scenario_item, scenarios.names),
    "friction": (friction_item, lambda: [str(k) for k in range(261)]),
    "family": (family_item, lambda: [f.name for f in zero_families.families()]),
    "state": (state_item, lambda: [str(k) for k in range(318)]),
    "contact": (lambda name: state_item(name, contacts=True), lambda: [str(k) for k in range(90)]),
    "singular": (singular_item, lambda: [f"{b.name}, {k}" for b, k in singular_states.pairs()]),
    "motion": (motion_item, lambda: [str(k) for k in range(53)]),
    "campaign": (campaign_item, lambda: list(CAMPAIGNS)),
}


def said_of(item: str) -> tuple[str, dict[str, Any], float]:
    """What is said of one item, and the seconds that takes."""
    kind, _, name = item.partition(": ")
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            said = KINDS[kind][0](name)
        except Exception as error:
            said = {"refused": f"{type(error).__name__}: {error}"}
    return item, json.loads(json.dumps(said)), time.perf_counter() - begin


# ------------------------------------------------------------------ comparing


WORDS = {
    '"unique"': '"one"',
    '"finite"': '"several"',
    "(unique)": "(one)",
    "(finite)": "(several)",
    '"open"': '"undecided"',
    '"one found"': '"undecided"',
    '"none found"': '"undecided"',
    "separate": "open",
}


def today(said: dict[str, Any]) -> dict[str, Any]:
    """What was recorded, in the words that are used now."""
    text = json.dumps(said, ensure_ascii=False)
    for old, new in WORDS.items():
        text = text.replace(old, new)
    renamed: dict[str, Any] = json.loads(text)
    if "flags" in renamed:
        renamed["ending"] = renamed["ending"].partition(":")[0]
    return renamed


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What is not the same, in a line each."""
    found = []
    for key in sorted({*before, *now}):
        old, new = before.get(key), now.get(key)
        share = CLOSE.get(key.rpartition(" ")[2])
        if share is None or old is None or new is None or np.shape(old) != np.shape(new):
            if old != new:
                found.append(f"{key}: {_short(old, new)}")
        elif np.size(old):
            size = float(np.max(np.abs(old), initial=0.0)) or 1.0
            off = float(np.max(np.abs(np.subtract(old, new)))) / size
            if not off <= share:
                found.append(f"{key}: apart by {off:.2g} of its size")
    return found


def _short(old: Any, new: Any) -> str:
    """Two values, of lists and tables only what differs."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [k for k in sorted({*old, *new}) if old.get(k) != new.get(k)]
        return "; ".join(f"{k}: {old.get(k)} -> {new.get(k)}" for k in keys[:6])
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        places = [i for i, (x, y) in enumerate(zip(old, new, strict=True)) if x != y]
        return f"{len(places)} of {len(old)}: " + "; ".join(f"{i}: {old[i]} -> {new[i]}" for i in places[:4])
    return f"{str(old)[:160]} -> {str(new)[:160]}"


def main() -> int:
    """Compare, or record."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="items whose name contains this")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--record", action="store_true", help="store what is said now")
    options = parser.parse_args()
    items = [f"{kind}: {name}" for kind, (_, names) in KINDS.items() for name in names()]
    items = [item for item in items if options.only in item]
    stored = json.loads(STORED.read_text()) if STORED.is_file() else {}
    begin, differing, seconds = time.perf_counter(), 0, {}
    with ProcessPoolExecutor(options.jobs) as pool:
        for done in as_completed([pool.submit(said_of, item) for item in items]):
            item, said, took = done.result()
            seconds[item] = took
            if options.record:
                stored[item] = said
                continue
            found = differences(today(stored.get(item, {})), said)
            reason = CHANGED.get(item)
            differing += bool(found) and reason is None
            for line in found:
                print(f"{item}: {line}" + (f"  [{reason}]" if reason else ""), flush=True)
    if options.record:
        lines = [
            f"{json.dumps(k, ensure_ascii=False)}: {json.dumps(stored[k], ensure_ascii=False)}" for k in sorted(stored)
        ]
        STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    slowest = sorted(seconds.items(), key=lambda x: -x[1])[:5]
    print(
        f"{len(items)} items, {differing} differ; {time.perf_counter() - begin:.0f} s; slowest: "
        + ", ".join(f"{name} {s:.0f} s" for name, s in slowest)
    )
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
