"""The pictures of uniqueness.md and of the README.

Every point in them is computed by the package or by experiments/other_solvers.py.

Run it with `python docs/figures.py [name …]`; it writes docs/figures/*.png.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import gauss as g
from gauss.motion.several.non_lipschitz import motions as leaving
from gauss.scenario import load
from gauss.show import style
from gauss.show.geometry.geometry import draw_geometry
from gauss.uniqueness.geometry import geometry

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "experiments"))
import other_solvers  # noqa: E402

GRAVITY = other_solvers.GRAVITY
CHAIN = other_solvers.four_bar()
BLUE, RED, GREEN, GREY = "C0", "C3", "C2", "0.6"


# ------------------------------------------------------------------ near a singular position


def errors_near(thetas: np.ndarray, shift: float, projected: bool = False) -> dict[str, np.ndarray]:
    """Return the relative errors over θ of the ordinary rows, of damped ones, and of the package."""
    model = CHAIN["chain"](2)
    found: dict[str, list[float]] = {"rows": [], "gauss": [], "doubt": [], "damped": []}
    for theta in thetas:
        case = other_solvers.chain_case(model, 2, float(theta), shift, projected)
        p = other_solvers.numbers(case)
        found["rows"].append(other_solvers.error(case, p, other_solvers.dense_lu(p)[0]))
        found["damped"].append(other_solvers.error(case, p, other_solvers.tikhonov(p)[0]))
        try:
            _, missed, doubt = other_solvers.by_gauss(case)
        except g.errors.GaussError:
            missed, doubt = np.nan, True
        found["gauss"].append(missed)
        found["doubt"].append(float(doubt))
    return {name: np.array(values) for name, values in found.items()}


def near(figure: Figure) -> None:
    """Draw the errors near the flat position, and how multipliers grow."""
    left, right = figure.subplots(1, 2, width_ratios=[1.35, 1.0])
    thetas = np.logspace(-12, -0.5, 70)
    states = (
        (0.0, False, ":", "exact state"),
        (1e-13, False, "--", "rocker 1 off by 1e-13"),
        (1e-13, True, "-", "and velocity projected"),
    )
    for shift, projected, line, label in states:
        found = errors_near(thetas, shift, projected)
        left.loglog(thetas, found["rows"], color=RED, ls=line, label=f"rows J a = γ, {label}")
        mine, doubt = np.maximum(found["gauss"], 1e-17), found["doubt"] > 0.0
        left.loglog(thetas, np.where(doubt, np.nan, mine), color=BLUE, ls=line, label=f"gauss, {label}")
        left.loglog(thetas, np.where(doubt, mine, np.nan), ".", color=BLUE, ms=2.5)
    left.plot([], [], ".", color=BLUE, ms=2.5, label="gauss, with a warning")
    left.loglog(thetas, found["damped"], color=GREY, label="rows damped by 1e-8")
    left.set(xlabel="θ / rad from the flat position", ylabel="relative error of the acceleration", ylim=(1e-17, 1e16))
    left.set_title("chain of 2 four-bar linkages, moving")
    left.legend(fontsize=7, loc="upper right")
    thetas = np.logspace(-4, -0.5, 30)
    force = []
    for theta in thetas:
        case = other_solvers.chain_case(CHAIN["chain"](2), 2, float(theta))
        p = other_solvers.numbers(case)
        force.append(np.abs(other_solvers.dense_lu(p)[1]))
    for k, name in ((0, "rocker 0"), (1, "rocker 1"), (3, "coupler 0")):
        right.loglog(thetas, [x[k] for x in force], label=name)
    right.loglog(thetas, 0.13625 / thetas, color="k", lw=0.8, ls="--", label="0.13625/θ")
    right.set(xlabel="θ / rad", ylabel="|λ| / (N/m)", title="multipliers on the way there")
    right.legend(fontsize=7.5)


# ------------------------------------------------------------------ the cone


def cone(figure: Figure) -> None:
    """Draw the candidates on the cone of accelerations in the plane through axis and force."""
    axes = figure.subplots(1, 3, sharey=True)
    forces = ((4.0, 0.0, 1.5), (2.5, 0.0, -5.0), (0.0, 0.0, -6.0))
    titles = ("|Z| < ρ: minimum and minimum", "|Z| > ρ: minimum and saddle", "on the axis: a circle")
    for ax, force, title in zip(axes, forces, titles, strict=True):
        found = cone_candidates(force)
        ax.plot([-9, 9], [-9, 9], color=GREY)
        ax.plot([-9, 9], [9, -9], color=GREY)
        feet = [(c.a, c.kind) for c in found.candidates]
        for family in found.continua:
            circle = family.sample(1)[0]
            radius = float(np.hypot(circle[0], circle[1]))
            feet += [(np.array([s * radius, 0.0, circle[2]]), "circle") for s in (1.0, -1.0)]
        for a, kind in feet:
            colour = {"global minimum": BLUE, "local minimum": GREEN, "saddle": RED, "circle": BLUE}.get(kind, "k")
            ax.plot([force[0], a[0]], [force[2], a[2]], color=colour, lw=0.8, ls="--")
            ax.plot([a[0]], [a[2]], "o", color=colour)
            offset = (8, 0) if a[0] >= 0.0 else (-8, 0)
            ax.annotate(
                kind, (a[0], a[2]), offset, textcoords="offset points", color=colour, fontsize=8,
                ha="left" if a[0] >= 0.0 else "right", va="center",
            )  # fmt: skip
        ax.plot([force[0]], [force[2]], "k*", ms=9)
        ax.annotate("a_free", (force[0], force[2]), (7, -8), textcoords="offset points", fontsize=8)
        ax.set(aspect="equal", xlim=(-9, 9), ylim=(-7.5, 4.5), xticks=(-5, 0, 5), xlabel="ẍ / (m/s²)", title=title)
    axes[0].set_ylabel("z̈ / (m/s²)")


def cone_candidates(force: tuple[float, float, float]) -> g.uniqueness.AccelerationSet:
    """Return the accelerations at rest at the apex of x² + y² = z² under a force on 1 kg."""
    system = g.System(
        "cone",
        coordinates="x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        force=lambda: list(force),
        constraints=[g.Holonomic("cone", lambda q: q.x**2 + q.y**2 - q.z**2)],
    )
    return g.classify(system, [0.0, 0.0, 0.0]).accelerations


# ------------------------------------------------------------------ the flat chain at rest


def branches(figure: Figure) -> None:
    """Draw the accelerations of the flat chain at rest as the motions that they start."""
    N = 2
    found = g.classify(CHAIN["chain"](N), CHAIN["flat"](N)[0]).candidates
    axes = figure.subplots(1, len(found))
    for ax, c in zip(axes, found, strict=True):
        heights = c.a[1::2]
        moving = np.abs(heights) > 1e-6
        for share, alpha in ((0.0, 0.25), (0.5, 0.5), (1.0, 1.0)):
            angle = -0.6 * share * moving
            grounds = np.column_stack([np.arange(N + 1), np.zeros(N + 1)])
            ends = grounds + np.column_stack([np.cos(angle), np.sin(angle)])
            for a, b in [*zip(grounds, ends, strict=True), *pairwise(ends)]:
                ax.plot(*np.array([a, b]).T, color=BLUE, alpha=alpha, lw=2.0, solid_capstyle="round")
        ax.plot(range(N + 1), np.zeros(N + 1), "k^", ms=6)
        text = ", ".join(f"{x:.3f}" for x in np.round(heights, 3) + 0.0)
        ax.set_title(f"{c.kind}, Zwang {c.zwang:.2f}\nÿ = ({text}) m/s²", fontsize=8.5)
        ax.set(aspect="equal", xlim=(-0.25, N + 1.25), ylim=(-0.8, 0.3), xticks=[], yticks=[])
        ax.grid(False)
        for side in ax.spines.values():
            side.set_visible(False)


# ------------------------------------------------------------------ the legs of a table


def legs(figure: Figure) -> None:
    """Draw the ranges of the forces in the legs beside what other solvers return."""
    ax = figure.subplots()
    case = other_solvers.table_case()
    p, found = other_solvers.numbers(case), g.classify(case.system, case.q).reactions
    assert found is not None
    for k, _ in enumerate(other_solvers.LEGS):
        low, high = found.range_of(f"leg {k}")
        label = "range of all forces that fit" if k == 0 else None
        ax.plot([k, k], [low, high], color=BLUE, lw=9, alpha=0.35, solid_capstyle="butt", label=label)
    ax.plot(range(4), found.multipliers, "_", color=BLUE, ms=16, mew=2, label="the choice of the package")
    marks = (
        ("pseudo_inverse", "o", RED),
        ("dropped_rows", "s", "C1"),
        ("soft", "v", GREY),
        ("osqp_defaults", "x", "k"),
    )
    names = ("pseudo-inverse", "rows dropped", "soft rows", "OSQP")
    for j, ((method, mark, colour), name) in enumerate(zip(marks, names, strict=True)):
        values = getattr(other_solvers, method)(p)[1]
        ax.plot(np.arange(4) + 0.08 * (j + 1), values, mark, color=colour, ms=6, label=name)
    ax.axhline(0.0, color="k", lw=0.7)
    ax.set(ylabel="force / N", title="load of 9.81 N at (0.35, 0.45) m: forces of the four legs", xlim=(-0.4, 4.6))
    ax.set_xticks(range(4), [f"leg at\n({x:g}, {y:g})" for x, y in other_solvers.LEGS])
    ax.legend(fontsize=8)


# ------------------------------------------------------------------ Stäckel's three cases


def cases(figure: Figure) -> None:
    """Draw region, free acceleration, foot and nearest point for a particle in a groove with a stop."""
    groove = g.System(
        "groove with a stop",
        coordinates="x y",
        parameters={"X": 0.0, "Y": 0.0},
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        force=lambda p: [p.X, p.Y],
        constraints=[g.Holonomic("groove", lambda q: q.y - 0.5 * q.x), g.Unilateral("stop", lambda q: q.x)],
    )
    forces = ((2.0, 1.0), (3.0, -1.0), (-2.0, -1.5))
    parts: Any = figure.subfigures(1, 3)
    for part, (X, Y) in zip(parts, forces, strict=True):
        found = geometry(g.accelerate(groove.with_parameters(X=X, Y=Y), [0.0, 0.0]).solution)
        draw_geometry(found, part)
        for ax in part.axes:
            ax.set_title(f"case {found.case}, force ({X:g}, {Y:g}) N")


# ------------------------------------------------------------------ motions from one state


def motions(figure: Figure) -> None:
    """Draw motions that leave r̈ = r^{1/2} at rest."""
    ax = figure.subplots()
    system = g.System(
        "r̈ = √r",
        coordinates="r",
        kinetic_energy=lambda v: 0.5 * v.r**2,
        force=lambda q: [g.sqrt(g.fabs(q.r))],
    )
    found = leaving(system, [0.0], t_end=6.0)
    t = np.linspace(0.0, 6.0, 200)
    ax.plot(t, 0.0 * t, color="k", label="stays at rest")
    for k, rest in enumerate((0.0, 1.0, 2.0, 3.0)):
        late = t >= rest
        q, _ = found.leaves[0].at(t[late], rest)
        ax.plot(t[late], q[:, 0], color=f"C{k}", label=f"rests for {rest:g} s")
        ax.plot(t[late][::12], (t[late][::12] - rest) ** 4 / 144, ".", color=f"C{k}")
    ax.set(xlabel="t / s", ylabel="r / m", title="r'' = √r from rest at 0; dots: (t − T)⁴/144", ylim=(-0.3, 9.0))
    ax.legend(fontsize=8)


# ------------------------------------------------------------------ all of them


def four_bar(figure: Figure) -> None:
    """Draw the scenario four_bar_motor."""
    s = load("four_bar_motor")
    options: dict[str, Any] = {"rtol": s.start.rtol, "atol": s.start.atol, "progress": "none"}
    run = g.simulate(s.system, s.start.q, s.start.v, t_end=s.start.t_end, **options)
    assert s.figure is not None
    s.figure(run, figure)


def diagrams(figure: Figure) -> None:
    """Draw a phase portrait and the branches of equilibria of a bead on a rotating hoop."""
    hoop = g.System(
        "bead on a rotating hoop",
        coordinates="phi",
        parameters={"w": 6.0, "r": 0.5},
        kinetic_energy=lambda q, v, p: 0.5 * p.r**2 * (v.phi**2 + p.w**2 * g.sin(q.phi) ** 2),
        potential_energy=lambda q, p: -9.81 * p.r * g.cos(q.phi),
        units={"phi": "rad", "w": "rad/s", "r": "m"},
    )
    left, right = figure.subplots(1, 2)
    g.show.phase_portrait(hoop, "phi", degrees=True, ax=left)
    g.show.bifurcation_diagram(hoop, "w", (0.0, 10.0), [[0.0]], degrees=True, ax=right)


PICTURES: dict[str, tuple[tuple[float, float], Callable[[Figure], None]]] = {
    "near": ((9.0, 3.6), near),
    "cone": ((9.6, 2.7), cone),
    "branches": ((9.0, 1.45), branches),
    "cases": ((9.6, 3.2), cases),
    "legs": ((6.4, 3.4), legs),
    "motions": ((5.6, 3.2), motions),
    "four_bar": ((9.6, 4.2), four_bar),
    "diagrams": ((10.0, 3.6), diagrams),
}


def main(chosen: list[str]) -> None:
    """Draw the pictures with these names, or all."""
    folder = HERE / "figures"
    folder.mkdir(exist_ok=True)
    for name, (size, draw) in PICTURES.items():
        if chosen and name not in chosen:
            continue
        with style():
            figure = Figure(figsize=size, layout="constrained")
            draw(figure)
            options: dict[str, Any] = {"dpi": 110, "metadata": {"Software": None}}
            figure.savefig(folder / f"{name}.png", **options)
        print(f"{name}.png {(folder / f'{name}.png').stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
