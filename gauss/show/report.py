"""Reports: what a run has shown, as a table a person likes to read, and as plain data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gauss.analysis.energy import EnergyBalance, energy_residual, impact_losses
from gauss.bodies import Driver, Mechanism
from gauss.bodies.results.energetics import works, works_at_all
from gauss.errors import GaussError
from gauss.foundation.arrays import SPECK, Array, shortened, tidied
from gauss.motion import Trajectory
from gauss.outcome import Outcome
from gauss.robots.robot import BESIDE
from gauss.show.contacts import mode_times
from gauss.show.friction import finite
from gauss.show.verdict import verdict_data
from gauss.uniqueness import Verdict

EVENTS_SHOWN = 8
NAMED = 5  # forces and drives whose work is told
LONGEST = 1000  # states of a run whose forces' work is told: each costs some 5 ms, as it is asked within each step
COARSE = 1e-6  # relative energy drift of a conservative model that is worth a word


def report(outcome: Outcome, figure: Path | None = None) -> Group:
    """Return the printable report of a scenario's outcome."""
    s = outcome.scenario
    head = Text(s.title, style="bold")
    origin = " · ".join(part for part in (", ".join(s.covers), s.source, s.name) if part)
    parts: list[Any] = [head, Text(origin, style="dim"), Text()]
    parts += [Padding(_facts(outcome), (0, 0, 0, 2)), _claims(outcome)]
    if figure is not None:
        parts.append(Text(f"  figure  {figure}"))
    parts += [Text(f"  table   {table}") for table in outcome.tables]
    parts += [Text(f"  – {each.name}: not examined: {each.why}", style="dim") for each in outcome.unexamined]
    parts += [Text(f"  ✗ {trouble}", style="red") for trouble in outcome.troubles]
    total = len(outcome.claims)
    if not outcome.passed:
        parts.append(Text(f"  ✗ {failure(outcome)}", style="bold red"))
    else:
        rest = ", as far as they were examined" if outcome.unexamined else ""
        drawn = f", figure {outcome.drawing:.2f} s" if figure is not None else ""
        parts.append(Text(f"  ✓ all {total} claims hold{rest}   ({outcome.seconds:.2f} s{drawn})", style="bold green"))
        energy = outcome.energy
        if energy is not None and outcome.scenario.system.model.conservative and energy.relative > COARSE:
            note = f"  but the energy drifts by {energy.relative:.1e} of itself: the steps are coarse"
            parts.append(Text(note, style="bold yellow"))
    parts.append(Text())
    return Group(*parts)


def failure(outcome: Outcome) -> str:
    """Return in a few words why an outcome has not passed."""
    failed = sum(not claim.holds for claim in outcome.claims)
    if failed:
        return f"{failed} of {len(outcome.claims)} claims FAIL"
    if outcome.run is not None and not outcome.run.ending.complete:
        return "the motion ended early"
    return "interrupted" if outcome.interrupted else "not everything could be examined"


def _facts(outcome: Outcome) -> Table:
    """Return the facts of a run: verdict, acceleration at the start, solver, constraints, energy, events."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in fact_lines(outcome):
        table.add_row(label, text)
    return table


def fact_lines(outcome: Outcome) -> list[tuple[str, str]]:
    """Return what is known of a run, as words and what they are."""
    asked = [] if outcome.run is not None else [("motion", "none is asked for: the start has no t_end")]
    unread = getattr(outcome.scenario.system.source, "unread", ())
    loops = [("not read", str(each)) for each in unread if each.where.startswith(BESIDE)]
    return [*loops, *_start_lines(outcome), *asked, *motion_lines(outcome)]


def _start_lines(outcome: Outcome) -> list[tuple[str, str]]:
    first = outcome.first
    found = first.accelerations
    lines = [("verdict at the start", first.sentence)]
    if first.unique:
        units = [outcome.scenario.system.unit("dd_" + name) for name in first.coordinates]
        lines.append(("acceleration there", shortened(_named(_tidy(first), first.coordinates, units))))
        lines.append(("Zwang there", f"{first.zwang:.6g}   (error of the acceleration ≤ {first.error:.1e})"))
    elif found.status != "none":
        count = f"{len(found.candidates)} candidates" + (", a continuum" if found.continua else "")
        lines.append(
            ("acceleration there", f"not unique: {count}; gauss uniqueness {outcome.scenario.name} lists them")
        )
        lines.append(("least Zwang there", f"{first.zwang:.6g}"))
    return lines


def residual_said(run: Trajectory) -> str:
    """Return the largest residual of a motion in words, and at how many states it is one of the acceleration."""
    count, by_rows = len(run), int(np.sum(run.decided_by_rows))
    if not by_rows:
        where = "see gauss.analysis.certificate_claims(run)"
        return f"rows alone determine the acceleration at none of {count} states: {where}"
    rest = f", at {by_rows} of {count} states, where rows alone determine the acceleration" if by_rows < count else ""
    return f"largest residual {run.largest_residual:.1e}{rest}"


def motion_lines(outcome: Outcome) -> list[tuple[str, str]]:
    """Return what is known of a motion: solver, certificate, energy, friction, events, ending; nothing without one."""
    run, lines = outcome.run, list[tuple[str, str]]()
    if run is None:
        return lines
    if not len(run):
        return [*lines, ("ending", f"{run.ending.kind}: {run.ending.message}")]
    solver = f"{run.about.qp_count} quadratic programs by {run.about.solver}" if run.about.qp_count else "direct (kkt)"
    lines.append(("motion", f"t = {run.t[0]:g} … {run.t[-1]:g} s, {len(run)} states, {run.about.method}; {solver}"))
    rows = f"; smallest singular value of the rows {np.min(run.sigma_min):.3g}" if run.about.rows else ""
    lines.append(("certificate", residual_said(run) + rows))
    if outcome.energy is not None:
        lines.append(("energy", _energy_said(run, outcome.energy)))
    for name, times in mode_times(run).items():
        shares = ", ".join(f"{mode} {time / (run.t[-1] - run.t[0]):.1%}" for mode, time in times.items() if time > 0.0)
        lines.append((f"contact {name}", shares or "no time passes"))
    if run.about.contacts:
        lines.append(("work of friction", f"{run.friction_work[-1]:.6g} J"))
    lines += [("events" if k == 0 else "", text) for k, text in enumerate(_said_events(run))]
    lines.append(("ending", f"{run.ending.kind}: {run.ending.message}"))
    return lines


def _energy_said(run: Trajectory, energy: EnergyBalance) -> str:
    """Return what impacts, friction, forces and drives took of the energy and gave to it, and the most that is left."""
    parts = _worked(run)
    known = {"impacts": -impact_losses(run), "friction": run.friction_work, "moving surfaces": run.drive_work, **parts}
    largest = float(np.max(np.abs(run.energy)))
    said = [f"{run.energy[0]:.6g} J at the start, {run.energy[-1]:.6g} J at the end"]
    for word, sign in (("taken by", -1.0), ("given by", 1.0)):
        ends = {name: sign * float(done[-1]) for name, done in known.items() if sign * done[-1] > SPECK * largest}
        each = [f"{name} {ends[name]:.6g} J" for name in sorted(ends, key=lambda name: -ends[name])]
        said += [f"{word} {shortened(each, NAMED)}"] * bool(each)
    left = float(np.max(np.abs(energy_residual(run) - sum(parts.values(), np.zeros(len(run))))))
    scale = float(np.max(run.kinetic))
    amount = f"{left:.1e} J" + (f" ({left / scale:.1e} relative)" if scale > 0.0 else "")
    if energy.conserved or (parts and left <= COARSE * scale):
        return "; ".join([*said, f"remainder {amount}: the integrator's error"])
    return "; ".join([*said, f"further change {amount}: {energy.explanation}"])


def _worked(run: Trajectory) -> dict[str, Array]:
    """Return the work (N,) in J of forces without a potential and of drives of a mechanism, by name, where known."""
    source = None if run.setting is None else run.setting.system.source
    if not isinstance(source, Mechanism) or len(run) > LONGEST:
        return {}
    forces = [force for force in source.forces if not force.conservative]
    parts: list[Any] = [*forces, *(joint for joint in source.joints if isinstance(joint, Driver))]
    found = {part.name: np.zeros(len(run)) for part in parts}
    try:
        moving = [part for part, does in zip(parts, works_at_all(run, parts), strict=True) if does]
        return found | {
            part.name: done for part, done in zip(moving, works(run, moving) if moving else (), strict=True)
        }
    except GaussError:  # where what they do is not known afterwards
        return {}


def _said_events(run: Trajectory) -> list[str]:
    """Return the first events of a run, and of the others where impacts accumulate and the last."""
    shown, rest = run.events[:EVENTS_SHOWN], run.events[EVENTS_SHOWN:]
    late = [*[e for e in rest[:-1] if e.kind == "accumulation"][:EVENTS_SHOWN], *rest[-1:]]
    more = [f"… and {len(rest) - len(late)} more, among them"] if len(rest) > len(late) else []
    return [*map(str, shown), *more, *map(str, late)]


def _tidy(verdict: Verdict) -> Array:
    """Return the acceleration; what is rounding beside that without constraints is zero."""
    free = np.linalg.lstsq(verdict.problem.M, verdict.problem.f)[0]
    return tidied(np.concatenate([verdict.a, free]))[: len(verdict.a)]


def _named(values: Any, names: Sequence[str], units: Sequence[str]) -> list[str]:
    return [f"{name} {value:.6g} {unit}".rstrip() for name, value, unit in zip(names, values, units, strict=True)]


def _claims(outcome: Outcome) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1))
    table.add_column("", width=1)
    table.add_column("claim", overflow="fold")
    table.add_column("error", justify="right", no_wrap=True)
    table.add_column("bound", justify="right", no_wrap=True)
    for claim in outcome.claims:
        mark = Text("✓", style="green") if claim.holds else Text("✗", style="bold red")
        text = Text.assemble(claim.name, ("\n" + claim.reason, "dim"))
        table.add_row(mark, text, f"{claim.error:.1e}", f"{claim.bound:.1e}")
    return table


def as_data(outcome: Outcome, figure: Path | None = None) -> dict[str, Any]:
    """Return the outcome as plain data, ready for JSON (non-finite numbers become null)."""
    s, run = outcome.scenario, outcome.run
    data: dict[str, Any] = {
        "name": s.name,
        "title": s.title,
        "covers": list(s.covers),
        "source": s.source,
        "passed": outcome.passed,
        "seconds": outcome.seconds,
        "drawing_seconds": outcome.drawing,
        "start": verdict_data(outcome.first),
        "claims": [
            {"name": c.name, "error": finite(c.error), "bound": finite(c.bound), "reason": c.reason, "holds": c.holds}
            for c in outcome.claims
        ],
        "not_examined": [{"name": each.name, "why": each.why} for each in outcome.unexamined],
        "troubles": list(outcome.troubles),
        "figure": None if figure is None else str(figure),
    }
    if run is not None and not len(run):
        data["motion"] = {"states": 0, "ending": {"kind": run.ending.kind, "message": run.ending.message}}
    elif run is not None:
        data["motion"] = {
            "method": run.about.method,
            "solver": run.about.solver,
            "quadratic_programs": run.about.qp_count,
            "states": len(run),
            "t": [float(run.t[0]), float(run.t[-1])],
            "end": {
                "q": dict(zip(run.about.coordinates, run.q[-1].tolist(), strict=True)),
                "v": dict(zip(run.about.coordinates, run.v[-1].tolist(), strict=True)),
            },
            "ending": {"kind": run.ending.kind, "message": run.ending.message},
            "events": [{"t": e.t, "kind": e.kind, "name": e.name, "value": e.value} for e in run.events],
            "sigma_min": float(np.min(run.sigma_min)),
        }
        if run.about.contacts:
            data["motion"]["contacts"] = mode_times(run)
            data["motion"]["friction_work"] = finite(float(run.friction_work[-1]))
    if outcome.energy is not None:
        data["energy"] = {
            "drift": outcome.energy.change,
            "lost": outcome.energy.lost,
            "why": outcome.energy.explanation,
        }
    return data
