"""Figures of Stäckel's cone: the accelerations at its apex that are stationary, and how they move with the force.

At rest at the apex the admissible accelerations form the cone aᵀS a = 0, and the Zwang is half the squared distance
from the free acceleration (N. Cyganowa, *Mech. Teoret. i Stos.* 2, 19 (1981), equation (13), after P. Stäckel). For a
circular cone the plane through the axis and the force cuts it in two generators; the feet of the perpendiculars on
them are the two candidates. These functions draw what they are given and compute no stationary points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gauss.errors import InputError
from gauss.foundation.arrays import Array, as_array, matrix, vector
from gauss.show.geometry.labels import Labels, place, screen
from gauss.show.geometry.space import REGION, cone_of, draw_surface, frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORCE, PATH = "black", "0.25"
INKS = ("C3", "C2", "C1", "C4", "C5")
NAMES = ("ẍ", "ÿ", "z̈")
KINDS = {"global minimum": "C3", "local minimum": "C2", "saddle": "C1", "vertex": "0.5"}


class Turned(NamedTuple):
    """The stationary accelerations for one direction of the force."""

    angle: float  # between the force and the axis, rad
    target: Array  # (3,) the free acceleration
    points: Array  # (p, 3)
    kinds: tuple[str, ...]  # (p,)
    families: tuple[Array, ...] = ()  # each (j, 3), points of a closed curve


class Section(NamedTuple):
    """The plane through the axis of a cone and a point: s across the axis, h along it."""

    across: Array  # (3,) unit vector
    axis: Array  # (3,) unit vector
    slopes: tuple[float, float]  # of its two generators, s/h

    def of(self, points: Array) -> Array:
        """Return the coordinates (p, 2) of points (p, 3), projected on the plane."""
        return np.column_stack([points @ self.across, points @ self.axis])

    def contains(self, point: Array, length: float) -> bool:
        """Return whether a point lies in the plane, up to a part of a length that cannot be seen."""
        return bool(abs(float(point @ np.cross(self.across, self.axis))) < 1e-6 * length)

    def crossings(self, curve: Array) -> Array:
        """Return the points (p, 3) where a closed curve (j, 3) crosses the plane, by chords between neighbours."""
        heights = curve @ np.cross(self.across, self.axis)
        heights[np.abs(heights) < 1e-9 * np.max(np.abs(curve), initial=0.0)] = 0.0
        ahead, following = np.roll(heights, -1), np.roll(curve, -1, axis=0)
        between = heights * ahead < 0.0
        share = heights[between] / (heights - ahead)[between]
        chords = curve[between] + share[:, None] * (following - curve)[between]
        return np.vstack([curve[heights == 0.0], chords])


def section_of(S: Array, target: Array, others: Array) -> Section:
    """Return the plane through the axis and the target; through another point where the target is on the axis."""
    axis, ring = cone_of(S)
    for point in (target, *others, ring[0]):
        across = point - (point @ axis) * axis
        if np.linalg.norm(across) > 1e-9 * np.linalg.norm(point):
            break
    across = across / np.linalg.norm(across)
    slopes = np.roots([across @ S @ across, 2.0 * across @ S @ axis, axis @ S @ axis]).real
    return Section(across, axis, (float(np.min(slopes)), float(np.max(slopes))))


def draw_cone(
    S: ArrayLike,
    target: ArrayLike,
    points: ArrayLike,
    families: Sequence[ArrayLike],
    figure: Figure,
    labels: Sequence[str] = (),
    names: Sequence[str] = NAMES,
) -> None:
    """Draw the cone aᵀS a = 0 with the free acceleration and the candidates: in space, and cut through axis and force.

    S is (3, 3), target (3,), points (p, 3), each family a closed curve (j, 3), all in coordinates in which the Zwang is
    ½|a − target|². `labels` (p,) name the points; their Zwang is added. Candidates off the plane of the section are
    drawn hollow there, at their projection. Raises InputError for wrong shapes and for an S that is no cone's.
    """
    form, force = matrix(S, (3, 3), "S"), vector(target, 3, "target")
    feet = as_array(points, "points").reshape(-1, 3)
    curves = [as_array(curve, "a family").reshape(-1, 3) for curve in families]
    texts = list(labels) or [f"a{'₁₂₃₄₅₆₇₈₉'[k % 9]}" for k in range(len(feet))]
    if len(texts) != len(feet):
        raise InputError(f"{len(texts)} labels are given for {len(feet)} points.")
    texts = [f"{text}, Zwang {0.5 * float((a - force) @ (a - force)):.4g}" for text, a in zip(texts, feet, strict=True)]
    left = figure.add_subplot(1, 2, 1, projection="3d")
    right = figure.add_subplot(1, 2, 2)
    cut = section_of(form, force, np.vstack([feet, *curves]))
    _draw_space(left, form, force, feet, curves, cut, names)
    _draw_section(right, force, feet, curves, cut, texts)


def _draw_space(
    axes: Any, S: Array, force: Array, feet: Array, curves: list[Array], cut: Section, names: Sequence[str]
) -> None:
    every = np.vstack([np.zeros((1, 3)), force[None], feet, *curves])
    half = 1.05 * float(np.max(np.abs(every)))
    draw_surface(axes, S, np.zeros(3), (0.85 * half, 0.85 * half))
    lines = [_line(axes, 1.15 * half * np.outer([-1, 1], cut.axis), "0.6", "-.", 0.8)]
    lines += 3 * [_arrow(axes, force)]  # labels keep off it three times as much as off other lines
    for curve in curves:
        lines.append(_line(axes, np.vstack([curve, curve[:1]]), INKS[2], "-", 2.4))
    for k, foot in enumerate(feet):
        ink = INKS[k % len(INKS)]
        lines.append(_line(axes, np.array([force, foot]), PATH, "--", 1.1))
        lines.append(_line(axes, np.array([np.zeros(3), foot]), ink, "-", 2.0))
        axes.plot(*foot[:, None], "o", color=ink, ms=6)
    frame(axes, np.zeros(3), half, names, np.vstack([np.zeros((1, 3)), force[None], feet]), np.zeros((0, 3)))
    labels: Labels = [(foot, f"a{'₁₂₃₄₅₆₇₈₉'[k % 9]}", INKS[k % len(INKS)]) for k, foot in enumerate(feet)]
    labels += [(force, "force", FORCE), (1.15 * half * cut.axis, "axis", "0.45")]
    for curve in curves:
        labels.append((curve[np.argmax(screen(axes, curve)[:, 0])], "circle of candidates", INKS[2]))
    axes.set_title("the cone of accelerations at the apex", y=0.98)
    place(axes, labels, lines)


def _draw_section(
    axes: Any, force: Array, feet: Array, curves: list[Array], cut: Section, texts: Sequence[str]
) -> None:
    size = float(np.linalg.norm(force))
    inside = [point for curve in curves for point in cut.crossings(curve)]
    shown = cut.of(np.vstack([np.zeros((1, 3)), force[None], feet, *(point[None] for point in inside)]))
    centre, half = (shown.min(axis=0) + shown.max(axis=0)) / 2.0, 0.8 * float(np.max(np.ptp(shown, axis=0)))
    lines = [_line(axes, np.outer([-3.0, 3.0], [slope, 1.0]) * half, REGION, "-", 1.8) for slope in cut.slopes]
    lines.append(_line(axes, np.array([[0.0, centre[1] - 3 * half], [0.0, centre[1] + 3 * half]]), "0.6", "-.", 0.8))
    goal = shown[1]
    lines += 3 * [_arrow(axes, goal)]
    labels: Labels = [(goal, "force", FORCE), (np.zeros(2), "apex", PATH)]
    for k, (foot, text) in enumerate(zip(feet, texts, strict=True)):
        place_, ink = shown[2 + k], INKS[k % len(INKS)]
        flat = cut.contains(foot, size)
        lines.append(_line(axes, np.array([goal, place_]), PATH, "--" if flat else ":", 1.1))
        if flat and np.linalg.norm(place_) > 1e-9 * size:
            lines.append(_line(axes, np.array([np.zeros(2), place_]), ink, "-", 3.0))
            _right_angle(axes, place_, goal - place_, -place_, 0.06 * half)
        axes.plot(*place_, "o", color=ink, ms=7, mfc=ink if flat else "white", zorder=6)
        labels.append((place_, text, ink))
    for point in inside:
        flat_point = cut.of(point[None])[0]
        lines.append(_line(axes, np.array([goal, flat_point]), PATH, "--", 1.1))
        axes.plot(*flat_point, "o", color=INKS[2], ms=7, zorder=6)
    if inside:
        value = 0.5 * float((inside[0] - force) @ (inside[0] - force))
        labels.append((cut.of(inside[0][None])[0], f"Zwang {value:.4g}", INKS[2]))
    axes.set(aspect="equal", xlim=centre[0] + half * np.array([-1, 1]), ylim=centre[1] + half * np.array([-1, 1]))
    axes.set(xlabel="across the axis", ylabel="along the axis", title="section through the axis and the force")
    place(axes, labels, lines)


def _line(axes: Any, points: Array, colour: str, dashes: str, width: float) -> Array:
    axes.plot(*points.T, color=colour, ls=dashes, lw=width)
    return points


def _arrow(axes: Any, end: Array) -> Array:
    """Draw an arrow from the origin and return its line."""
    if end.size == 3:
        axes.quiver(0, 0, 0, *end, color=FORCE, lw=1.8, arrow_length_ratio=0.08)
    else:
        axes.annotate("", end, (0.0, 0.0), arrowprops={"arrowstyle": "-|>", "color": FORCE, "lw": 1.8, "shrinkB": 0})
    return np.array([np.zeros(end.size), end])


def _right_angle(axes: Any, foot: Array, one: Array, other: Array, side: float) -> None:
    if np.linalg.norm(one) > 2.0 * side:
        u, v = (side * x / np.linalg.norm(x) for x in (one, other))
        axes.plot(*np.array([foot + u, foot + u + v, foot + v]).T, color=PATH, lw=0.9)


def turning_force(figure: Figure, S: ArrayLike, forces: Sequence[Turned]) -> None:
    """Draw the candidates while the force turns away from the axis: their places in section and their Zwang.

    Left: the section through axis and force with some of the forces, and the feet of both perpendiculars; at angle 0
    the plane is not determined, and a whole circle of accelerations is nearest. Right: the Zwang of each kind of
    candidate against the angle. `forces` are in order of their angle. Raises InputError for an S that is no cone's and
    where there are fewer than two forces.
    """
    form = matrix(S, (3, 3), "S")
    if len(forces) < 2:
        raise InputError("a force that turns needs at least two directions.")
    left, right = figure.subplots(1, 2)
    _draw_turning(left, form, forces)
    _draw_zwang(right, forces)


def _draw_turning(axes: Any, S: Array, forces: Sequence[Turned]) -> None:
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    size = max(float(np.linalg.norm(f.target)) for f in forces)
    steps = np.unique(np.linspace(0, len(forces) - 1, 7).astype(int))
    last = section_of(S, forces[-1].target, forces[-1].points)
    lines = [_line(axes, np.outer([-2.0, 2.0], [slope, 1.0]) * size, REGION, "-", 1.8) for slope in last.slopes]
    lines.append(_line(axes, np.array([[0.0, -2.0 * size], [0.0, 2.0 * size]]), "0.6", "-.", 0.8))
    labels: Labels = []
    for k in steps:
        turned = forces[k]
        ink = to_hex(colormaps["viridis"](0.9 * k / (len(forces) - 1)))
        goal = last.of(turned.target[None])[0]
        _line(axes, np.array([np.zeros(2), goal]), ink, "-", 1.0)
        axes.plot(*goal, "o", color=ink, ms=5)
        lines.append(np.array([np.zeros(2), goal]))
        labels.append((goal, f"{np.degrees(turned.angle):.0f}°", ink))
        shown = [point for point in turned.points if last.contains(point, size)]
        for point in (*shown, *(point for curve in turned.families for point in last.crossings(curve))):
            foot = last.of(point[None])[0]
            lines.append(_line(axes, np.array([goal, foot]), ink, "--", 0.9))
            axes.plot(*foot, "o", color=ink, ms=5, mfc="white", zorder=5)
    axes.set(aspect="equal", xlim=(-1.1 * size, 1.25 * size), ylim=(-0.8 * size, 1.25 * size))
    axes.set(xlabel="across the axis", ylabel="along the axis", title="forces (●) and feet of the perpendiculars (○)")
    place(axes, labels, lines)


def _zwang(a: Array, turned: Turned) -> float:
    return 0.5 * float((a - turned.target) @ (a - turned.target))


def _draw_zwang(axes: Any, forces: Sequence[Turned]) -> None:
    """Draw the Zwang of each kind of candidate against the angle."""
    angles = np.degrees([f.angle for f in forces])
    for kind in dict.fromkeys(kind for f in forces for kind in f.kinds):
        values = [sorted(_zwang(a, f) for a, k in zip(f.points, f.kinds, strict=True) if k == kind) for f in forces]
        for rank in range(max(map(len, values))):
            heights = [v[rank] if rank < len(v) else np.nan for v in values]
            axes.plot(angles, heights, color=KINDS.get(kind, "C5"), lw=1.8, label=kind if rank == 0 else None)
    for f in forces:
        for n, curve in enumerate(f.families):
            label = "circle of candidates" if n == 0 else None
            axes.plot(np.degrees(f.angle), _zwang(curve[0], f), "o", color="C0", ms=8, label=label, zorder=6)
    axes.set(xlabel="angle between force and axis / °", ylabel="Zwang", title="Zwang of the candidates")
    axes.margins(x=0.03)
    axes.set_ylim(bottom=0.0)
    axes.legend(loc="best")
