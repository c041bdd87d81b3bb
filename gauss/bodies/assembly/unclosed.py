"""What is said where a mechanism cannot be assembled: the gaps, the lengths, and what contradicts what.

Loops that do not close are told by their gaps where the squares of these are least, by the distances of the joint
points on each body, and by what would have to go for them to close. Two demands on the motion of one joint, by drivers
or by what is held, are told with both numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from gauss.bodies.assembly.closing import Loops
from gauss.bodies.assembly.holding import HeldNumber
from gauss.bodies.body.body import Ground
from gauss.bodies.joints.drivers import Driver
from gauss.bodies.mechanism import Mechanism
from gauss.errors import InconsistentStateError, InputError
from gauss.foundation.arrays import Array

SAME = 1e-5  # share of the length, or of a number, below which two are one
LISTED = 8  # gaps, or distances, that are told
MIXED = 100.0  # ratio of two distances in one mechanism above which they may be in m and in mm
RPM = np.pi / 30.0  # rad/s, of one turn a minute


def require_one_motion(mechanism: Mechanism, held: Mapping[HeldNumber, float], t: float) -> None:
    """Raise InconsistentStateError where a driver prescribes another value than is held, or than another driver."""
    drivers = [joint for joint in mechanism.joints if isinstance(joint, Driver)]
    for driver in drivers:
        angle, given = driver.motion == "angle", driver.prescribed(t)
        if given is None:
            continue
        own = [(number, value) for number, value in held.items() if number.joint is driver.joint]
        for number, value in own:
            if number.angle == angle and _apart(given, value, angle):
                raise _contradiction(driver.name, given, value, angle, t, number.name)
        for other in drivers[drivers.index(driver) + 1 :]:
            same = other.joint is driver.joint and other.motion == driver.motion
            second = other.prescribed(t) if same else None
            if second is not None and _apart(given, second, angle):
                raise _contradiction(driver.name, given, second, angle, t, driver.joint.name, other.name)


def _apart(one: float, two: float, angle: bool) -> bool:
    gap = 2.0 * np.sin(0.5 * (two - one)) if angle else two - one
    return bool(abs(gap) > SAME * (1.0 if angle else max(abs(one), abs(two))))


def _contradiction(
    driver: str, given: float, value: float, angle: bool, t: float, joint: str, other: str = ""
) -> InconsistentStateError:
    """Return the error for two values of one joint; `other` is the driver that asks for the second."""
    unit = "rad" if angle else "m"
    gap = 2.0 * np.sin(0.5 * (value - given)) if angle else value - given
    asks = f"{other!r} {value:g} {unit}" if other else f"hold asks {value:g} {unit}"
    remedy = "leave one of them out" if other else "leave out hold, or let the driver begin there"
    return InconsistentStateError(
        f"{driver!r} prescribes {given:g} {unit} at t = {t:g} s, {asks} of {joint!r}: {remedy}.", {driver: float(gap)}
    )


def two_rates(
    mechanism: Mechanism, loops: Loops, held: Sequence[HeldNumber], q: Array, error: InconsistentStateError
) -> InconsistentStateError:
    """Return the error that names two rates asked of one joint at closed loops, else the given one."""
    system = loops.system
    asked = 0.0 - system.model.residuals(q, np.zeros(q.size), loops.t, system.theta())[1]  # slopes of such rows are 1
    rate = dict(zip(system.row_names, asked.tolist(), strict=True))
    demands: list[tuple[object, bool, str, float]] = [
        (joint.joint, joint.motion == "angle", joint.name, rate[joint.name])
        for joint in mechanism.joints
        if isinstance(joint, Driver)
    ]
    demands += [(x.joint, x.angle, "", rate[f"held {x.name}"]) for x in held if x.joint is not None]
    for (joint, angle, first, one), (other, turns, second, two) in combinations(demands, 2):
        if joint is not other or angle != turns or abs(two - one) <= SAME * max(abs(one), abs(two)) or not first:
            continue
        unit = "rad/s" if angle else "m/s"
        asks = f"{second!r} {two:g} {unit}" if second else f"hold asks {two:g} {unit}"
        remedy = "leave one of them out" if second else "give the pose the rate of the driver, or leave out hold"
        return InconsistentStateError(
            f"{first!r} prescribes {one:g} {unit} at t = {loops.t:g} s, {asks} of {joint.name!r}: {remedy}."  # type: ignore[attr-defined]
            + (_in_rpm(one, two) if angle else ""),
            error.residuals,
        )
    return error


def _in_rpm(one: float, two: float) -> str:
    """Return a hint where one of two rates is the other in turns a minute, "" otherwise."""
    low, high = sorted((one, two), key=abs)
    if abs(low - RPM * high) > 1e-3 * abs(low):
        return ""
    return f" {high:g} rpm are {RPM * high:g} rad/s."


def unclosed(
    mechanism: Mechanism, loops: Loops, q: Array, given: Array, starts: int, held: Sequence[str]
) -> InconsistentStateError:
    """Return the error that names the gaps that are left where their squares are least, which `q` is near.

    `given` are the poses from which loops are tried without what is held, and without drivers.
    """
    _require_numbers(mechanism, loops, q, starts)
    measured = loops
    for _ in range(2):  # rows are not linear: the gaps in m belong to the place where they are least
        measured = measured.rescaled(q)
        q, size = measured.closed(q)
    rows = measured.at(q)[0]
    names = [loops.system.row_names[k] for k in loops.index]
    gaps: dict[str, float] = {}
    for name, row in zip(names, rows, strict=True):
        part = name.split("[")[0]
        gaps[part] = float(np.hypot(gaps.get(part, 0.0), row))
    worst = sorted((part for part in gaps if gaps[part] > 1e-6 * size), key=lambda part: -float(f"{gaps[part]:.3g}"))
    listed = ", ".join(f"{part!r} {gaps[part]:.3g} m" for part in worst[:LISTED]) + ", …" * (len(worst) > LISTED)
    terms = loops.system.model.terms(q, np.zeros(q.size), loops.t, loops.system.theta())
    left = {
        name: float(terms.phi[k])
        for name, row, k in zip(names, rows, loops.index, strict=True)
        if abs(row) > 1e-6 * size
    }
    still = f" with {', '.join(held)} held" if held else ""
    return InconsistentStateError(
        f"{mechanism.name!r} cannot be assembled{still}: from the given poses and {starts} others the"
        f" loops do not close. Where the squared gaps are least they are {listed} (angles times"
        f" {loops.length:.3g} m). {_lengths(mechanism, worst)}{_remedy(mechanism, loops, given, held)}",
        left,
    )


def _lengths(mechanism: Mechanism, parts: Sequence[str]) -> str:
    """Return in words how far apart the points of some joints are on each body, "" where none are."""
    found = [each for each in _distances(mechanism, parts) if each[1] > 0.0]
    if not found:
        return ""
    told = ", ".join(f"{distance:g} m {where}" for where, distance in found[:LISTED]) + ", …" * (len(found) > LISTED)
    sizes = [distance for _, distance in found]
    return f"Joint points are apart by {told}. " + "Are some in mm? " * (max(sizes) > MIXED * min(sizes))


def mixed_lengths(mechanism: Mechanism, shift: float) -> str:
    """Return a question where lengths may be in m and in mm, and a body was shifted (m) as far as they are; else ""."""
    sizes = [size for _, size in _distances(mechanism, [joint.name for joint in mechanism.joints]) if size > 0.0]
    if not sizes or max(sizes) <= MIXED * min(sizes) or 2.0 * shift < max(sizes):
        return ""
    return f" Joint points are {min(sizes):g} m to {max(sizes):g} m apart: are some in mm?"


def _distances(mechanism: Mechanism, parts: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield where two points of joints are, and their distance (m)."""
    joints = [joint for joint in mechanism.joints if joint.name in parts]
    for joint in joints:
        kept = getattr(joint, "length", None)
        if isinstance(kept, int | float):
            yield f"at the ends of {joint.name!r}", float(kept)
    points: dict[str, list[tuple[str, Array]]] = {}
    for joint in joints:
        for number in "12":
            point, body = getattr(joint, f"point{number}", None), getattr(joint, f"body{number}", None)
            if point is not None and body is not None:
                name = "the ground" if isinstance(body, Ground) else repr(body.name)
                points.setdefault(name, []).append((joint.name, np.array(point, dtype=float)))
    for body, there in points.items():
        for (one, a), (two, b) in combinations(there, 2):
            yield f"on {body} ({one!r}, {two!r})", float(np.linalg.norm(a - b))


def _remedy(mechanism: Mechanism, loops: Loops, given: Array, held: Sequence[str]) -> str:
    """Return in words what has to go for the loops to close, and what to do."""
    drivers = [joint.name for joint in mechanism.joints if isinstance(joint, Driver)]
    rows = {f"held {name}" for name in held}
    tried = [(f"With {', '.join(held)} not held", rows)] if held else []
    if drivers:
        tried.append((f"Without {', '.join(map(repr, drivers))}", {*drivers}))
        tried += [(f"With nothing held and without {', '.join(map(repr, drivers))}", rows | {*drivers})] * bool(held)
    for words, left_out in tried:
        parts = [loops.system.row_names[k] for k in loops.index]
        kept = [name not in left_out and name.split("[")[0] not in left_out for name in parts]
        fewer = replace(loops, index=loops.index[kept], one_sided=loops.one_sided[kept], scale=loops.scale[kept])
        if fewer.is_closed(fewer.closed(given)[1]):
            return f"{words} the loops close: " + (
                "hold another value, or something else."
                if left_out is rows
                else "drivers prescribe what the joints do not admit."
            )
    return "Check lengths and joint points" + ", or hold something else." * bool(held) + "." * (not held)


def _require_numbers(mechanism: Mechanism, loops: Loops, q: Array, starts: int) -> None:
    """Raise InputError, naming the rows, where rows have no value at a position."""
    system = loops.system
    terms = system.model.terms(q, np.zeros(q.size), loops.t, system.theta())
    lost = ~(np.isfinite(terms.phi) & np.all(np.isfinite(terms.J), axis=1))[loops.index]
    if np.any(lost):
        names = ", ".join(repr(system.row_names[k]) for k in loops.index[lost])
        raise InputError(
            f"{mechanism.name!r} cannot be assembled: {names} have no finite value at the given poses, at"
            f" t = {loops.t:g} s, nor at {starts} others. Give other poses or another time, or mend the functions."
        )
