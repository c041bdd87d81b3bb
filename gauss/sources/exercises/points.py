"""Equilibria as a student types them, held against the equations of motion at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp

from gauss.errors import InputError
from gauss.sources.equations import Printed
from gauss.sources.exercises.answers import read, spelled
from gauss.sources.symbols import magnitude, table

DRAWS = 12  # sets of parameters at which an equilibrium is asked
CHANGE = 0.02  # share by which parameters are changed: an equilibrium may exist in a range of them only
PART = sp.pi / 12  # angles that are multiples of it are known by heart,
ROUNDED = 0.01  # rad, and numbers so near to one of them are rounded ones
CLOSE = 1e-9  # residual of the equations of rest, relative to the size of their terms, that counts as rounding

Point = dict[sp.Symbol, sp.Expr]


def compare_points(
    answer: str,
    solution: str,
    statics: Sequence[sp.Expr],
    coordinates: Sequence[sp.Symbol],
    names: Mapping[str, sp.Symbol],
    about: Printed,
) -> list[str]:
    """Return what is wrong with a list of equilibria, one sentence each. Raises InputError for what is no such list.

    Angles, which occur within sines and cosines alone, are compared but for whole turns.
    """
    involved = [x for x in coordinates if any(x in f.free_symbols for f in statics)]
    values = _parameters(about, names)
    size = _size(statics, involved, values)
    anywhere = [str(x) for x in coordinates if x not in involved]
    given, wanted = (_points(text, involved, names, anywhere) for text in (answer, solution))
    turning = {x for x in involved if all(sp.expand(f.subs(x, x + 2 * sp.pi) - f) == 0 for f in statics)}

    def at_rest(point: Point) -> bool:
        left = [f.subs(point) for f in statics]
        return bool(np.all(np.abs(table(left, values, DRAWS)) <= CLOSE * size))  # nan, too, is none

    found = []
    for point, text in given:
        if not at_rest(point):
            hint = next((said for other, said in _meant(point, turning) if at_rest(other)), "")
            found.append(f"{text} is no equilibrium: an equation of motion does not hold at rest there.{hint}")
    missing = sum(not any(_same(point, x, values, turning) for x, _ in given) for point, _ in wanted)
    if missing:
        found.append(f"{missing} of {len(wanted)} equilibria {'is' if missing == 1 else 'are'} missing.")
    return found


def _meant(point: Point, turning: set[sp.Symbol]) -> list[tuple[Point, str]]:
    """Return points that a point with numbers as angles may stand for, and what is said if one is an equilibrium."""
    angles = {x: value for x, value in point.items() if x in turning and value.is_Rational}
    turns = {x: value * sp.pi / 180 for x, value in angles.items()}
    parts = {x: round(float(value / PART)) * PART for x, value in angles.items()}
    near = {x: value for x, value in parts.items() if 0 < abs(angles[x] - value) < ROUNDED}
    degrees = ", ".join(f"{angles[x]} degrees are {value}" for x, value in turns.items() if value != 0)
    exact = ", ".join(f"{x} = {value}" for x, value in near.items())
    return [
        (point | turns, f" Angles are in radians: {degrees}."),
        (point | near, f" The number is rounded; write {exact}."),
    ]


def _parameters(about: Printed, names: Mapping[str, sp.Symbol]) -> dict[sp.Symbol, np.ndarray]:
    """Return the values (DRAWS,) of the parameters, those of the system a little changed."""
    rng = np.random.default_rng(3)
    known = {**about.system.parameters, **about.parameters}
    varied = set(about.system.parameters)
    return {names[x]: float(y) * (1 + CHANGE * rng.uniform(-1, 1, DRAWS) * (x in varied)) for x, y in known.items()}


def _size(statics: Sequence[sp.Expr], involved: Sequence[sp.Symbol], values: dict[sp.Symbol, np.ndarray]) -> np.ndarray:
    """Return the size (n, 1) of the terms of the equations of rest at random positions."""
    rng = np.random.default_rng(4)
    anywhere = values | {x: rng.uniform(0.3, 1.3, DRAWS) for x in involved}
    sizes = [np.nanmax(magnitude(f, anywhere, DRAWS, {}), initial=0.0) for f in statics]
    return np.array([[x if x > 0.0 else 1.0] for x in sizes])


def _points(
    text: str, involved: Sequence[sp.Symbol], names: Mapping[str, sp.Symbol], anywhere: Sequence[str]
) -> list[tuple[Point, str]]:
    """Return the points of a list "phi = 0, phi = pi" or "r = 0, phi = 0; r = 1, phi = 0". Raises InputError."""
    known = {str(x): x for x in involved}
    points: list[tuple[Point, str]] = []
    for group in text.split(";"):
        point, words = Point(), list[str]()
        for part in group.split(","):
            name, sign, value = part.rpartition("=")
            name = spelled(name) or (next(iter(known)) if len(known) == 1 and not sign else "")
            if name in anywhere:
                raise InputError(f"{name} may have any value in an equilibrium: leave it out, as in {_pattern(known)}.")
            if name not in known:
                raise InputError(
                    f"{part.strip()!r}: an equilibrium is given as {_pattern(known)}, the next one after ;."
                )
            if known[name] in point:
                points.append((point, ", ".join(words)))
                point, words = Point(), list[str]()
            point[known[name]] = read(value, names)
            words.append(f"{name} = {value.strip()}")
        points.append((point, ", ".join(words)))
    if any(len(point) < len(known) for point, _ in points):
        raise InputError(f"an equilibrium needs all of {', '.join(known)}: {_pattern(known)}.")
    return points


def _pattern(known: Mapping[str, sp.Symbol]) -> str:
    return ", ".join(f"{name} = …" for name in known)


def _same(one: Point, other: Point, values: dict[sp.Symbol, np.ndarray], turning: set[sp.Symbol]) -> bool:
    """Whether two points are the same for all parameters, angles but for whole turns."""
    for x, value in one.items():
        apart = table([value - other[x]], values, DRAWS)[0]
        if x in turning:
            apart = np.remainder(apart + np.pi, 2 * np.pi) - np.pi
        if not np.all(np.abs(apart) <= CLOSE * (1.0 + np.abs(table([value], values, DRAWS)[0]))):
            return False
    return True
