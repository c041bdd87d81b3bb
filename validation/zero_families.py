"""Verdict and error over sixteen decades of one parameter: the continuity of `gauss.classify`.

    python validation/zero_families.py --json validation/zero_families.json --figure docs/figures/zero_families.png
    python validation/zero_families.py --only "rail"

Each family joins two problems by a parameter: a row and its copy, a crossing and a place beside it, light and heavy
legs. The verdict may change at one place and be undecided around it; the acceleration may nowhere be off by more than
is printed. Truth is computed with 60 digits from the rows that are independent (`zero_truth`). Printed are, for each
value, the verdict, the error of the acceleration and its printed error, both in the mass metric and relative to the
size of the acceleration, and what is wrong.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import zero
import zero_models as models
import zero_truth as digits
from campaign import options_of, store
from PIL import Image
from rich.console import Console
from zero_models import GRAVE, WORDS, Case, Made, only
from zero_truth import Model, Node, Row, rate, sine

import gauss as g

G = 9.81
BLANK = "no digit claimed"  # the printed error is above the acceleration
TINY = (-320, -300, -200, -160, -100, -50, -33, -17)  # decades of velocities below the rounding of anything


@dataclass(frozen=True)
class Point:
    """What is said at one value of the parameter."""

    value: float
    verdict: str
    error: float  # relative to the size of the acceleration; nan without one to compare
    printed: float  # the same
    wrong: str  # what is wrong with it, or nothing
    undecided: bool


@dataclass(frozen=True, eq=False)
class Family:
    """Problems joined by a parameter."""

    name: str
    parameter: str
    decades: Sequence[float]  # log10 of the values, or the values themselves if whole numbers are meant
    point: Callable[[float], Point]
    whole: bool = False


# ------------------------------------------------------------------ building cases


def q(i: int) -> Node:
    """Coordinate i."""
    return Node("q", (i,))


def v(i: int) -> Node:
    """Velocity i."""
    return Node("v", (i,))


def case(
    mass: Sequence[float],
    force: Sequence[float],
    rows: Sequence[Node | Row],
    independent: Sequence[Node],
    at: Sequence[float],
    way: Sequence[float],
    words: frozenset[str],
    *,
    place: Sequence[Node] | None = None,
    alternatives: Sequence[Sequence[Node]] = (),
    unique: bool | None = True,
    doubt: bool = False,
    refusable: bool = False,
) -> Case:
    """A case with holonomic rows, or rows of any kind; `independent` are functions of q that the motion keeps at zero.

    `place` are those that vanish at the state, left out: the same.
    """
    n = len(mass)
    kinetic = digits.total([v(i) ** 2 * (0.5 * float(mass[i])) for i in range(n)])
    given = tuple(r if isinstance(r, Row) else Row("holonomic", r) for r in rows)
    speed = tuple(rate(f, n) for f in independent)
    branches = (speed, *(tuple(rate(f, n) for f in several) for several in alternatives))
    place = tuple(independent if place is None else place)
    model = Model(n, 1.0, kinetic, tuple(float(f) for f in force), given, place, speed, branches)
    return known(model, Made(None, model, words, unique=unique, doubt=doubt, refusable=refusable), at, way)


def known(model: Model, made: Made, at: Sequence[float], way: Sequence[float]) -> Case:
    """The case of a state in double precision, with its truth."""
    at, way = np.array(at, dtype=float), np.array(way, dtype=float)
    with mp.workdps(digits.DIGITS):
        truth = models.truth_of(model, made, at, way)
    assert truth is not None, "the state of a family must be near its constraints"
    return Case(0, 0, "family", model, at, way, "given", truth)


def said_of(value: float, made: Case) -> Point:
    """The point of a case."""
    said, _ = zero.judge(made)
    size = said["size"] or 1.0
    error = said["error"] / size if said["size"] else math.nan
    undecided = bool({"undecided", "undecided_in_doubt"} & said["flags"])
    blank = BLANK if "blank" in said["flags"] and not made.truth.doubt else ""
    return Point(value, said["verdict"], error, said["printed"] / size, said["complaint"] or blank, undecided)


def swept(builder: Callable[[float], Case]) -> Callable[[float], Point]:
    """The points of a family of cases."""
    return lambda value: said_of(value, builder(value))


# ------------------------------------------------------------------ copies


def rail(c: float) -> Case:
    """A guide given twice, the second time with a factor, and a load along it."""
    guide = q(1) * 0.8 - q(0) * 0.6
    return case((1, 1), (0.8, 0.6), [guide, guide * c], [guide], (0, 0), (0, 0), only("redundant"))


def beside(e: float) -> Case:
    """A sphere, and the sphere plus e (y − 0.2)."""
    F = q(0) ** 2 + q(1) ** 2 + q(2) ** 2 - 1.0
    chi, doubt = q(1) - 0.2, e < 10.0 * models.DOUBT
    x = math.sqrt(0.96)
    words = only("regular", "redundant") if doubt else only("regular")
    return case(
        (1, 1, 1),
        (0.3, -1, -G),
        [F, F + chi * e],
        [F, chi],
        (x, 0.2, 0),
        (0, 0, 1),
        words,
        doubt=doubt,
        alternatives=[[F]] * doubt,
    )


def flat(e: float) -> Case:
    """A curve F, and F plus e (y − 0.2), at rest where both vanish: nothing can move."""
    F, chi, doubt = q(0) - q(1) ** 2, q(1) - 0.2, e < 10.0 * models.DOUBT
    words = only("regular", "redundant") if doubt else only("regular")
    at = (0.2**2, 0.2)
    return case(
        (1, 1), (0.3, -G), [F, F + chi * e], [F, chi], at, (0, 0), words, doubt=doubt, alternatives=[[F]] * doubt
    )


def curved(e: float) -> Case:
    """A curved row φ and φ + e χ, moving."""
    F, chi = q(1) - sine(q(0)) + q(2) * q(0), q(2) - q(0) ** 2 * 0.4 + q(3)
    doubt = e < 10.0 * models.DOUBT
    words = only("regular", "redundant") if doubt else only("regular")
    at, way = (0.5, math.sin(0.5) - 0.1, 0.2, 0.1 - 0.2), (1.0, math.cos(0.5) - 0.2 - 0.5 * 0.1, 0.1, 0.4 - 0.1)
    return case(
        (1, 2, 1, 3),
        (0.3, -1, -G, 2),
        [F, F + chi * e],
        [F, chi],
        at,
        way,
        words,
        doubt=doubt,
        alternatives=[[F]] * doubt,
    )


def sphere(w: float, along: bool) -> Case:
    """A sphere and (1.5 + sin x) times it; a velocity along it, or one across that is nothing but noise."""
    F = q(0) ** 2 + q(1) ** 2 + q(2) ** 2 - 1.0
    way = (0.8 * w, 0, -0.6 * w) if along else (w, 0, 0)
    off = not along and w > 1e-14
    return case(
        (1, 1, 1), (0, 0, -G), [F, F * (sine(q(0)) + 1.5)], [F], (0.6, 0, 0.8), way, only("redundant"), refusable=off
    )


def kept(c: float) -> Case:
    """Speed kept, and c times the same."""
    psi = v(0) ** 2 + v(1) ** 2 - 1.0
    kinetic = (v(0) ** 2 + v(1) ** 2) * 0.5
    rows = (Row("nonholonomic", psi), Row("nonholonomic", psi * c))
    model = Model(2, 1.0, kinetic, (1.0, -G), rows, (), (psi,), ((psi,),))
    return known(model, Made(None, model, only("redundant")), (0.0, 0.0), (0.6, 0.8))


def scaled(c: float) -> Case:
    """Two independent rows, one of them times c."""
    F, H = q(0) ** 2 + q(1) ** 2 + q(2) ** 2 - 1.0, q(0) - q(1) * 0.5 - 0.6
    return case((1, 1, 1), (0.3, -1, -G), [F * c, H], [F, H], (0.6, 0, 0.8), (0.4, 0.8, -0.3), only("regular"))


def pendulum(c: float) -> Case:
    """A double pendulum, in Cartesian coordinates, whose second mass is c times the first."""
    rods = [q(0) ** 2 + q(1) ** 2 - 1.0, (q(2) - q(0)) ** 2 + (q(3) - q(1)) ** 2 - 1.0]
    mass = (1.0, 1.0, c, c)
    return case(mass, (0, -G, 0, -G * c), rods, rods, (0.6, -0.8, 1.4, -0.2), (0.8, 0.6, 1.4, -0.2), only("regular"))


# ------------------------------------------------------------------ singular positions


def cross(d: float, speed: float) -> Case:
    """The lines (x − 1)(y − 2) = 0 at a distance d from where they meet."""
    F, H, doubt = q(1) - 2.0, q(0) - 1.0, d < 1e-12
    words = only("regular", "crossing", "branching") if doubt else only("regular")
    unique = None if doubt and speed == 0.0 else True
    return case((1, 1), (1, -G), [F * H], [F], (1.0 + d, 2.0), (speed, 0), words, doubt=doubt, unique=unique)


def through(w: float) -> Case:
    """The lines x y = 0 passed at their crossing with the speed w."""
    doubt = w < 1e-7
    words = only("crossing", "branching") if doubt else only("crossing")
    return case(
        (1, 1), (1, -G), [q(0) * q(1)], [q(1)], (0, 0), (w, 0), words, doubt=doubt, unique=None if doubt else True
    )


def miss(e: float) -> Case:
    """The hyperbola (x − 1)(y − 2) = e, at its vertex, moving."""
    row, s = (q(0) - 1.0) * (q(1) - 2.0) - e, math.sqrt(e)
    doubt = e < 1e-24
    words = only("regular", "crossing", "branching", *GRAVE) if doubt else only("regular")
    return case(
        (1, 1),
        (1, -G),
        [row],
        [row],
        (1.0 + s, 2.0 + s),
        (1, -1),
        words,
        doubt=doubt,
        refusable=doubt,
        unique=None if doubt else True,
    )


def circles(R: float) -> Case:
    """Two circles of radius R that touch, from rest: the acceleration is unique, the motion is not."""
    one, two = (q(0) ** 2 + q(1) ** 2 + q(1) * (s * 2.0 * R) for s in (-1.0, 1.0))
    words = WORDS - only(*GRAVE, "locked", "redundant", "regular")
    return case((1, 1), (1, -G), [one * two], [one], (0, 0), (0, 0), words)


def tangent(n: float, speed: float) -> Case:
    """The branches y = 0 and y = xⁿ."""
    other = q(1) - q(0) ** int(n)
    words = WORDS - only(*GRAVE, "locked", "redundant", "regular")
    if n == 2 and speed:
        return case(
            (1, 1),
            (1, -G),
            [q(1) * other],
            [q(1)],
            (0, 0),
            (speed, 0),
            only("branching"),
            alternatives=[[other]],
            unique=False,
        )
    return case((1, 1), (1, -G), [q(1) * other], [q(1)], (0, 0), (speed, 0), words)


def point(c: float, rows: Callable[[Any], list[Node]]) -> Case:
    """Rows that only one point satisfies."""
    return case((1, 1), (1, -G), rows(c), [q(0), q(1)], (0, 0), (0, 0), only("locked", "higher order"))


def rod(length: float, off: float) -> Case:
    """A bead on a rod, on it or off by a share of its length."""
    F = (q(0) * (1.0 / length)) ** 2 + (q(1) * (1.0 / length)) ** 2 - 1.0
    at = (0.6 * length * (1 + off), -0.8 * length * (1 + off))
    words = only("off its constraints") if off else only("regular")
    return case((1, 1), (0, -G), [F], [F], at, (0, 0), words, refusable=off > 0)


# ------------------------------------------------------------------ mechanisms


def platform(mass: float, order: str, driven: bool = True) -> Case:
    """A platform of 30 kg on three legs of two bodies each, pinned at both ends, whose lengths are driven."""
    base, ends = ((0.0, 0.0), (2.0, 0.0), (1.0, 1.8)), ((-0.3, -0.2), (0.3, -0.2), (0.0, 0.35))
    x, y, turn, rows, drives = 1.05, 0.55, 0.2, [], []
    at, inertia, force = [x, y, turn], [30.0, 30.0, 1.5], [0.0, -30.0 * G, 0.0]
    for k, ((ax, ay), (px, py)) in enumerate(zip(base, ends, strict=True)):
        ex = x + px * math.cos(turn) - py * math.sin(turn)
        ey = y + px * math.sin(turn) + py * math.cos(turn)
        angle, long = math.atan2(ey - ay, ex - ax), math.hypot(ex - ax, ey - ay)
        for share in (0.2, long - 0.2):  # the centres of both parts of the leg are 0.2 m from its ends
            at += [ax + share * math.cos(angle), ay + share * math.sin(angle), angle]
            inertia += [mass, mass, mass * 0.04 / 3.0]
            force += [0.0, -mass * G, 0.0]
        i, j = 3 + 6 * k, 6 + 6 * k
        c, s, cc, ss = cosine(q(i + 2)), sine(q(i + 2)), cosine(q(j + 2)), sine(q(j + 2))
        rows += [q(i) - c * 0.2 - ax, q(i + 1) - s * 0.2 - ay]
        apart = q(j) - q(i), q(j + 1) - q(i + 1)
        rows += [q(j + 2) - q(i + 2), apart[1] * c - apart[0] * s]
        drives += [apart[0] * c + apart[1] * s - (long - 0.4) - Node("t") * (0.1 + 0.05 * k)]
        at_end = cosine(q(2)) * px - sine(q(2)) * py, sine(q(2)) * px + cosine(q(2)) * py
        rows += [q(j) + cc * 0.2 - q(0) - at_end[0], q(j + 1) + ss * 0.2 - q(1) - at_end[1]]
    n = len(at)
    given = [*rows, *drives] if driven else rows
    way = np.linalg.lstsq(*system_of_speeds([*rows, *drives], at), rcond=None)[
        0
    ]  # velocities of the driven platform; without drives they are one of its motions
    given = {"as built": given, "reversed": given[::-1], "drives first": [*drives * driven, *rows[::-1]]}[order]
    functions = [*rows, *drives] if driven else rows
    kinetic = digits.total([v(i) ** 2 * (0.5 * inertia[i]) for i in range(n)])
    speed = tuple(rate(f, n) for f in functions)
    rows_given = tuple(Row("holonomic", f) for f in given)
    model = Model(n, 1.0, kinetic, tuple(force), rows_given, tuple(functions), speed, (speed,))
    return known(model, Made(None, model, only("regular")), at, way)


def cosine(x: Node) -> Node:
    """The cosine of an expression."""
    return Node("cos", (x,))


def system_of_speeds(functions: Sequence[Node], at: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """J and −φ_t of functions of q and t."""
    J = digits.gradients(functions, "q", at, at)
    drift = [digits.value(digits.derivative(f, "t"), at, at, 0.0, math, float) for f in functions]
    return J, -np.array(drift)


def bars(gap: float) -> Point:
    """A table on three parallel bars, as numbers M, f, J alone, its loops open by `gap` at the third bar.

    Closed it has rank 2 of 3. Numbers alone do not tell how far the loops are open: "regular" with multipliers like
    1/gap is a false certainty where it does not say that the state is taken to satisfy the rows.
    """
    angle, turn, J = 1.1, gap, []
    for d in (0.0, 1.0, 2.5):
        px, py = math.cos(angle) + d * math.cos(turn) - d, math.sin(angle) + d * math.sin(turn)
        J.append([px, py, py * d * math.cos(turn) - px * d * math.sin(turn)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            problem = g.principle.GaussProblem.of(np.diag([1.0, 1.0, 0.3]), [0.0, -G, -2.0], J, [0.0, 0.0, 0.0])
            found = g.uniqueness.diagnose(problem)
            largest = float(np.max(np.abs(g.principle.solve(problem).multipliers)))
        except Exception as error:
            return Point(gap, type(error).__name__, math.nan, math.nan, "refused", False)
    sure = found.verdict == "regular" and not found.doubtful and "taken to satisfy the rows" not in found.sentence
    wrong = f"regular without doubt, multipliers up to {largest:.1e} N" if sure else ""
    return Point(gap, f"{found.verdict}{', doubtful' if found.doubtful else ''}", math.nan, math.nan, wrong, False)


# ------------------------------------------------------------------ all families


def families() -> list[Family]:
    """All families in the order of their printing."""
    down, wide = [x / 3 for x in range(-48, 1)], range(-12, 13)
    orders = ("as built", "reversed", "drives first")
    tiny = (*TINY, *down)

    def of(name: str, parameter: str, decades: Sequence[float], builder: Callable[[float], Case]) -> Family:
        return Family(name, parameter, decades, swept(builder))

    found = [
        of("a rail given twice, load along it", "factor", wide, rail),
        of("sphere F, and F + e (y − 0.2)", "e", down, beside),
        of("curve F, and F + e (y − 0.2), rest", "e", down, flat),
        of("φ and φ + e χ, moving", "e", down, curved),
        of("sphere given twice, velocity along it", "velocity", tiny, lambda w: sphere(w, True)),
        of("sphere given twice, velocity across it", "velocity", tiny, lambda w: sphere(w, False)),
        of("speed kept, and c times the same", "factor", wide, kept),
        of("one of two independent rows times c", "factor", wide, scaled),
        of("beside a crossing, at rest", "distance", down, lambda d: cross(d, 0.0)),
        of("beside a crossing, moving", "distance", down, lambda d: cross(d, 1.0)),
        of("through a crossing", "velocity", tiny, through),
        of("near miss x y = ε, moving", "ε", range(-30, 1), miss),
        of("circles that touch, rest", "radius", range(-9, 13), circles),
        Family("y (y − xⁿ), moving", "n", range(2, 9), swept(lambda n: tangent(n, 1.0)), True),
        Family("y (y − xⁿ), rest", "n", range(2, 9), swept(lambda n: tangent(n, 0.0)), True),
        of("y and y + c x³", "c", down, lambda c: point(c, lambda k: [q(1), q(1) + q(0) ** 3 * k])),
        of("x² + c y⁶", "c", down, lambda c: point(c, lambda k: [q(0) ** 2 + q(1) ** 6 * k])),
        of("x² + c y²", "c", down, lambda c: point(c, lambda k: [q(0) ** 2 + q(1) ** 2 * k])),
        of("bead on a rod", "length", range(-9, 13), lambda x: rod(x, 0.0)),
        of("bead 5 % off its rod", "length", range(-9, 13), lambda x: rod(x, 0.05)),
        of("double pendulum, second mass", "ratio", wide, pendulum),
    ]
    masses = [x / 2 for x in range(-16, 4)]
    for order in orders:
        found.append(of(f"3-RPR, driven, rows {order}", "leg, kg", masses, lambda m, o=order: platform(m, o)))
    found.append(of("3-RPR, free legs", "leg, kg", masses, lambda m: platform(m, "as built", False)))
    found.append(Family("three parallel bars as numbers", "gap", [x / 3 for x in range(-48, -3)], bars))
    return found


def printed(console: Console, family: Family) -> list[Point]:
    """Compute and print a family."""
    console.print(f"\n[bold]{family.name}[/bold]")
    points = []
    for decade in family.decades:
        value = float(decade) if family.whole else float(f"1e{decade:.0f}") if decade == round(decade) else 10.0**decade
        p = family.point(value)
        points.append(p)
        numbers = "" if math.isnan(p.error) else f"error {p.error:.1e}, printed {p.printed:.1e}"
        line = f"{family.parameter} = {value:8.1e}  {p.verdict:32s} {numbers:36s} {p.wrong}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return points


def figure(found: dict[str, tuple[Family, list[Point]]], path: Path) -> None:
    """Draw errors over the parameter, one panel for each family."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    columns = 4
    lines = -(-len(found) // columns)
    plot, panels = plt.subplots(lines, columns, figsize=(4.2 * columns, 2.5 * lines), squeeze=False)
    for panel in panels.flat[len(found) :]:
        panel.axis("off")
    names = sorted({p.verdict for _, points in found.values() for p in points})
    colours = dict(zip(names, plt.get_cmap("tab20")(np.linspace(0, 1, 20))[np.arange(len(names)) % 20], strict=True))
    for panel, (name, (family, points)) in zip(panels.flat, found.items(), strict=False):
        x = np.array([p.value for p in points])
        if not family.whole:
            x = np.log10(np.maximum(x, 1e-322))
        squeezed = bool(np.min(x) < -100)
        if squeezed:
            x = np.where(x < -17, -17 - (np.arange(x.size)[::-1] - np.sum(x >= -17) + 1), x)
        floor = [max(1e-18, p.error) if np.isfinite(p.error) else 1e-18 for p in points]
        claimed = [min(1e3, max(1e-18, p.printed)) if np.isfinite(p.error) else np.nan for p in points]
        panel.plot(x, np.log10(claimed), color="0.6", lw=1.0)
        for a, b, p in zip(x, np.log10(floor), points, strict=True):
            panel.plot(a, min(b, 3.0), "o", ms=3.5, color=colours[p.verdict])
            if p.wrong:
                panel.plot(a, min(b, 3.0), "x", ms=6, color="darkorange" if p.wrong == BLANK else "crimson")
        panel.set_title(name, fontsize=8)
        panel.set_ylim(-19, 4)
        label = family.parameter if family.whole else f"log₁₀ {family.parameter}"
        panel.set_xlabel(label + (" (not to scale below −17)" if squeezed else ""), fontsize=7)
        panel.tick_params(labelsize=7)
        seen = {p.verdict for p in points}
        handles = [plt.Line2D([], [], marker="o", ls="", ms=3.5, color=colours[w], label=w) for w in sorted(seen)]
        panel.legend(handles=handles, fontsize=5.5, loc="upper left", framealpha=0.6)
    words = "error of the acceleration (dots, by verdict) and its printed error (grey), both relative;"
    plot.suptitle(f"{words} red: wrong, orange: no digit claimed", fontsize=10)
    plot.tight_layout(rect=(0, 0, 1, 0.985))
    plot.savefig(path, dpi=100)
    Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)


def main() -> int:
    """Sweep all families, print and store them."""
    more = (("--only", {"default": "", "help": "families whose name contains this"}), ("--figure", {"type": Path}))
    options = options_of(__doc__ or "", 1, 1, "not used", *more)
    console = Console(width=200)
    found = {f.name: (f, printed(console, f)) for f in families() if options.only in f.name}
    wrong = {name: sum(bool(p.wrong) for p in points) for name, (_, points) in found.items()}
    console.print("\nwrong: " + ", ".join(f"{name} {count}" for name, count in wrong.items() if count), soft_wrap=True)
    result = {name: [list(map(plain, vars(p).values())) for p in points] for name, (_, points) in found.items()}
    store(options.json, {"fields": list(Point.__dataclass_fields__), "families": result, "wrong": wrong}, compact=True)
    if options.figure is not None:
        figure(found, options.figure)
    return 1 if any(wrong.values()) else 0


def plain(x: Any) -> Any:
    """A value for JSON, which knows neither nan nor infinity."""
    return x if not isinstance(x, float) or math.isfinite(x) else str(x)


if __name__ == "__main__":
    sys.exit(main())
