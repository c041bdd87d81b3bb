"""The cards of motions: facts, small multiples of the coordinates, events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gauss.foundation.outcomes import Ending
from gauss.model.rows import said_rows
from gauss.model.units import with_unit
from gauss.motion import MotionTree, Trajectory
from gauss.motion.hybrid import HybridMotion
from gauss.motion.record.described import MotionEvent
from gauss.nonsmooth import NonsmoothMotion
from gauss.show.figures.curves import dense
from gauss.show.notebook.curves import PANELS, curves, multiples, sampled, shown_of
from gauss.show.notebook.markup import (
    AMBER,
    GREEN,
    RED,
    Markup,
    element,
    facts,
    folded,
    header,
    joined,
    number,
    some,
    table,
    typeset,
)
from gauss.show.report import residual_said

EVENTS = 10  # that are shown
NAMES = 80  # of columns that are listed
GRAVE = ("failed", "inconsistent")  # endings that are red


def colour_of(ending: Ending) -> str:
    """Return the colour of an ending: green where the motion is whole."""
    return GREEN if ending.complete else RED if ending.kind in GRAVE else AMBER


def motion_card(run: Trajectory, degrees: bool = False) -> Markup:
    """Return the card of a motion, its angles in degrees if asked. Raises InputError for that without any."""
    about = run.about
    head = header(colour_of(run.ending), about.system, _span(run))
    if not len(run):
        return head + element("p", f"{run.ending.kind}: {run.ending.message}")
    parameters = ", ".join(with_unit(f"{name} = {number(x)}", about.unit(name)) for name, x in about.parameters.items())
    rest = shown_of(run)[PANELS:]
    more = element("p", f"and {len(rest)} more: {', '.join(rest[:PANELS])}", class_="dim")
    return joined(
        [
            head,
            curves(run, degrees),
            *([more] if rest else []),
            facts(motion_facts(run)),
            events_table(run.events),
            folded("columns", element("p", _listed(run.names), class_="dim")),
            folded("parameters", element("p", parameters)) if parameters else "",
        ]
    )


def _span(run: Trajectory) -> str:
    if not len(run):
        return "no states"
    return f"t = {number(float(run.t[0]))} … {number(float(run.t[-1]))} s, {len(run)} states"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMES]) + (f", … and {len(names) - NAMES} more" if len(names) > NAMES else "")


def motion_facts(run: Trajectory) -> list[tuple[object, object]]:
    """Return what is known of a motion with states, as words and what they are."""
    about = run.about
    work = f"{about.qp_count} quadratic programs by {about.solver}" if about.qp_count else "direct (kkt)"
    tolerance = f"steps of {number(about.step)} s" if about.step else f"relative tolerance {about.rtol:.1g}"
    lines: list[tuple[object, object]] = [("ending", f"{run.ending.kind}: {run.ending.message}")]
    lines.append(("method", f"{about.method}, {tolerance}; {work}"))
    lines.append(("certificate", residual_said(run)))
    open_ = run.open_forces
    if open_:
        names = ", ".join(said_rows(about.rows)[row] for row in open_[:EVENTS]) + ", …" * (len(open_) > EVENTS)
        lines.append(("forces", f"not determined: {names}; gauss.show.reaction_bands(run) draws their ranges"))
    if about.has_potential:
        lines.append(
            ("energy", f"{number(float(run.energy[0]))} J at the start, {number(float(run.energy[-1]))} J at the end")
        )
    return lines


def greatest_forces(run: Trajectory) -> Markup:
    """Return the greatest force and torque in each joint of a mechanism, and when; nothing without joints.

    They are those of dense output where a figure has it. What is zero throughout, as the torque in a pin, is left out.
    """
    finer = dense(run)
    joints = getattr(None if run.setting is None else run.setting.system.source, "joints", ())
    own = [joint.name for joint in joints if joint.name in run.about.rows and run.unit(joint.name) in ("N", "N m")]
    rows = []
    for name in (*own, *(each for each in run.names if each.endswith((".force", ".torque")))):
        values = finer[name]
        size = np.abs(values) if values.ndim == 1 else np.linalg.norm(values, axis=1)
        known = np.flatnonzero(np.isfinite(size))
        if not known.size:
            rows.append((name, "not determined", ""))
            continue
        k = known[np.argmax(size[known])]
        if size[k] > 0.0:
            rows.append((name, with_unit(number(float(size[k])), run.unit(name)), number(float(finer.t[k]))))
    if not rows:
        return Markup("")
    head = "greatest at the recorded states" if finer is run else "greatest"
    return table((head, "size", "at t / s"), some(rows, 2 * EVENTS, 3), (1, 2))


def events_table(events: Sequence[MotionEvent]) -> Markup:
    """Return what happened, the first and the last events where there are many."""
    if not events:
        return Markup("")
    rows = [(number(e.t, 9), e.kind, e.name, f"{number(e.energy_loss)} J" if e.energy_loss else "") for e in events]
    if any(row[3] for row in rows):
        return table(("t / s", "event", "of", "energy lost"), some(rows, EVENTS, 4), (0, 3))
    return table(("t / s", "event", "of"), some([row[:3] for row in rows], EVENTS, 3), (0,))


def hybrid_card(run: HybridMotion) -> Markup:
    """Return the card of a motion through modes: the coordinates through all of them, and a row for each phase."""
    moved = [phase for phase in run.phases if len(phase.run)]
    rows: list[tuple[str, ...]] = [
        (
            phase.mode,
            number(float(phase.run.t[0]), 9) if len(phase.run) else "",
            number(float(phase.run.t[-1]), 9) if len(phase.run) else "",
            ", ".join(f"{name} {number(x)}" for name, x in phase.impulses.items() if x),
            f"{number(phase.energy_loss)} J" if phase.impulses else "",
        )
        for phase in run.phases
    ]
    head: tuple[str, ...] = ("mode", "from t / s", "to t / s", "impulses at its start", "energy lost")
    if not any(phase.impulses for phase in run.phases):
        head, rows = head[:3], [row[:3] for row in rows]
    drawn = Markup("")
    if moved:
        fine = replace(run, phases=tuple(replace(phase, run=sampled(phase.run)) for phase in moved))
        shown = list(dict.fromkeys(name for phase in moved for name in shown_of(phase.run)))[:PANELS]
        units = {name: phase.run.unit(name) for phase in moved for name in shown if name in phase.run.names}
        drawn = multiples(fine.t, {x: (fine[x], units[x]) for x in shown}, [float(p.run.t[0]) for p in moved[1:]])
    many = f"{len(run.phases)} phase{'s' if len(run.phases) != 1 else ''}"
    return joined(
        [
            header(colour_of(run.ending), "motion through modes", many),
            drawn,
            table(head, some(rows, 2 * EVENTS, len(head)), (1, 2, 4)),
            facts([("ending", f"{run.ending.kind}: {run.ending.message}")]),
        ]
    )


def scene_card(run: NonsmoothMotion) -> Markup:
    """Return the card of a Scene by time stepping: its energies, its contacts, and how well both are known."""
    head, *lines = str(run).splitlines()
    quantities = {
        "kinetic energy": (run.kinetic, "J"),
        "potential energy": (run.potential, "J"),
        "taken by contacts": (np.cumsum(run.dissipated), "J"),
        "contacts": (run.contact_count.astype(float), ""),
    }
    colour = colour_of(run.ending) if np.all(run.certified) else AMBER
    return joined(
        [
            header(colour, run.name, head.partition(": ")[2]),
            multiples(run.t, quantities) if len(run.t) > 1 else "",
            facts([(word, text) for word, text in (line.split(maxsplit=1) for line in lines)]),
        ]
    )


def tree_card(tree: MotionTree) -> Markup:
    """Return the card of all motions from a state."""
    rows: list[tuple[str, ...]] = [
        (
            "\u2003" * level + branch.kind,
            typeset(way),
            branch.name,
            number(branch.zwang),
            f"{number(float(branch.run.t[-1]))}" if len(branch.run) else "",
            branch.run.ending.kind,
        )
        for (level, branch), way in zip(tree.walk(), tree.directions, strict=True)
    ]
    head: tuple[str, ...] = ("motion", "differs in", "branch", "Zwang", "until t / s", "ending")
    told = [k for k in range(len(head)) if k not in (1, 2) or any(row[k] for row in rows)]
    head, rows = tuple(head[k] for k in told), [tuple(row[k] for k in told) for row in rows]
    many = f"{len(tree)} motion{'s' if len(tree) != 1 else ''}"
    notes = [tree.sampling and f"sampling: {tree.sampling}", *(f"left out: {text}" for text in tree.left_out)]
    return joined(
        [
            header(GREEN if len(tree) == 1 else AMBER, f"{tree.system}: {many}", tree.verdict),
            table(head, some(rows, 2 * EVENTS, len(head)), range(len(head) - 3, len(head) - 1)),
            *[element("p", note, class_="dim") for note in notes if note],
        ]
    )
