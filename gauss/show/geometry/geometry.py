"""Figures of Stäckel's geometry: the region of admissible accelerations with O, T and A, at most three-dimensional.

All lengths are lengths in the mass metric, so that right angles look right and circles about O are levels of the Zwang.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.show.geometry.cone import Turned, draw_cone, turning_force
from gauss.show.geometry.labels import Labels, place, screen
from gauss.show.geometry.region import INK, Picture, vertex_of
from gauss.show.geometry.space import CIRCLE, REGION, draw_surface, frame, polygon, room
from gauss.uniqueness.geometry import Geometry, QuadraticCondition

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Turned", "draw_cone", "draw_geometry", "turning_force"]

FLAT, PATH = "0.45", "0.25"


def draw_geometry(geometry: Geometry, figure: Figure) -> None:
    """Draw region, flat, O, T, A and their perpendiculars in the coordinates z = Lᵀ(a − a_free), for n ≤ 3.

    Quadratic conditions are drawn for n = 2, and for n = 3 where they are cones. Raises InputError for more dimensions
    and for other quadrics in space.
    """
    n = len(geometry.coordinates)
    if n > 3:
        raise InputError(f"only up to 3 accelerations can be drawn, and {n} are given.")
    (_draw_space if n == 3 else _draw_plane if n == 2 else _draw_line)(Picture(geometry), figure)


def _axis_names(geometry: Geometry) -> list[str]:
    """Return what the coordinates z are called: C's y where the mass matrix is diagonal, else by number."""
    if np.allclose(geometry.L, np.diag(np.diag(geometry.L))):
        return [f"√M (dd_{name} − free)" for name in geometry.coordinates]
    return [f"z{'₁₂₃'[k]} of z = Lᵀ(a − a_free)" for k in range(len(geometry.coordinates))]


def _title(geometry: Geometry) -> str:
    reason = {
        "O": "the free acceleration O is admissible",
        "T": "the foot T of the perpendicular is admissible",
        "A": "the nearest point A is on the boundary",
    }
    return f"case {geometry.case}: {reason[geometry.case]}"


def _draw_points(p: Picture, axes: Any) -> list[Array]:
    """Draw perpendiculars, right angles and points on plane or spatial axes; return the lines."""
    for start, end in p.paths:
        axes.plot(*np.array([start, end]).T, color=PATH, lw=1.2, ls="--", zorder=4)
    for corner in p.marks:
        axes.plot(*corner.T, color=PATH, lw=0.9, zorder=4)
    for name, points in p.shown:
        axes.plot(*points.T, "o", color=INK[name], ms=7, zorder=6, ls="none")
    return [*(np.array(path) for path in p.paths), *p.marks, *p.marks]


def _draw_line(p: Picture, figure: Figure) -> None:
    """Draw a single acceleration on a line."""
    axes = figure.subplots()

    def flat(points: Array) -> Array:
        return np.column_stack([points[:, 0], np.zeros(len(points))])

    whole = np.array([p.centre - p.half, p.centre + p.half])
    axes.plot(*flat(whole).T, color=FLAT, lw=1.0)
    part = p.admissible(whole) if len(p.directions) else p.points["T"][None]
    axes.plot(*flat(part).T, color=REGION, lw=6.0, alpha=0.45, solid_capstyle="butt")
    labels: Labels = [(flat(part)[-1] * 0.6 + flat(part)[0] * 0.4, "region S_N", REGION)]
    for normal, bound, name in p.bounds:
        if abs(float(normal[0]) * bound - p.centre[0]) < p.half:
            labels.append((flat(normal[None] * bound)[0], name, REGION))
    axes.plot([label[0][0] for label in labels[1:]], np.zeros(len(labels) - 1), "|", color=REGION, ms=22)
    for name, points in p.shown:
        axes.plot(*flat(points).T, "o", color=INK[name], ms=7, zorder=6)
    labels = [(flat(anchor[None])[0], text, ink) for anchor, text, ink in p.labels] + labels
    axes.set(xlabel=_axis_names(p.geometry)[0], title=_title(p.geometry), yticks=[], ylim=(-1.0, 1.0))
    axes.set(xlim=whole[:, 0])
    axes.spines["left"].set_visible(False)
    place(axes, labels, [flat(whole)])


def _draw_plane(p: Picture, figure: Figure) -> None:
    """Draw two accelerations: half-planes, the flat, the circle of equal Zwang through the nearest point."""
    axes = figure.subplots()
    lines, labels = _plane_bounds(p, axes)
    for k, q in enumerate(p.region.quadrics):
        curve = _contour(p, q, axes)
        lines += curve
        if curve:
            longest = max(curve, key=len)
            labels.append((longest[len(longest) // 3], getattr(q, "name", "") or f"quadric {k}", REGION))
    if len(p.directions) == 1:
        flat = p.window(p.patch(p.points["T"], p.directions))
        part = p.admissible(flat)
        axes.plot(*flat.T, color=FLAT, lw=1.0)
        axes.plot(*part.T, color=REGION, lw=6.0, alpha=0.4, solid_capstyle="butt", zorder=1)
        lines.append(flat)
        if len(part) == 2:
            labels.append((0.85 * part[0] + 0.15 * part[1], "region S_N", REGION))
        labels.append((0.96 * flat[1] + 0.04 * flat[0], "flat R_N", FLAT))
    if p.geometry.distance > 0.0:
        circle = p.points["O"] + p.geometry.distance * np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
        axes.plot(*circle.T, color="0.6", lw=0.9, ls=":", zorder=1)
        lines += list(circle[::4, None])  # single points: a label may cover a bit of the circle
    lines += _draw_points(p, axes)
    axes.set(aspect="equal", title=_title(p.geometry))
    axes.set(xlim=p.centre[0] + p.half * np.array([-1, 1]), ylim=p.centre[1] + p.half * np.array([-1, 1]))
    axes.set(**dict(zip(("xlabel", "ylabel"), _axis_names(p.geometry), strict=True)))
    place(axes, [*p.labels, *labels], lines)


def _plane_bounds(p: Picture, axes: Any) -> tuple[list[Array], Labels]:
    """Draw the bounds of the inequality rows, with the admissible side, and the region if it is two-dimensional."""
    lines: list[Array] = []
    labels: Labels = []
    full = len(p.directions) == 2
    if full and not p.region.quadrics:
        area = p.admissible(p.window(p.patch(p.centre, np.eye(2))))
        if len(area) > 2:
            axes.fill(*area.T, color=REGION, alpha=0.16, lw=0)
            corner = area[np.argmax(np.min(np.linalg.norm(area[:, None] - p.every, axis=2), axis=1))]
            labels.append((0.3 * area.mean(axis=0) + 0.7 * corner, "region S_N", REGION))
    for k, (normal, bound, name) in enumerate(p.bounds):
        whole = p.window(p.patch(normal * bound, np.array([[-normal[1], normal[0]]])))
        if len(whole) < 2:
            continue
        axes.plot(*whole.T, color=REGION, lw=0.9, ls=(0, (5, 3)))
        band = 0.05 * p.half * normal
        axes.fill(*np.vstack([whole, whole[::-1] + band]).T, color=REGION, alpha=0.12, lw=0)
        edge = p.admissible(whole, but=k) if full else whole[:0]
        if len(edge) == 2:
            axes.plot(*edge.T, color=REGION, lw=2.2)
        lines.append(whole)
        labels.append((0.88 * whole[0] + 0.12 * whole[1], name, REGION))
    return lines, labels


def _contour(p: Picture, q: QuadraticCondition, axes: Any) -> list[Array]:
    """Draw a quadratic condition in the plane; return its curves."""
    side = p.half * np.linspace(-1.0, 1.0, 401)
    z = np.stack(np.meshgrid(p.centre[0] + side, p.centre[1] + side), axis=-1)
    value = np.einsum("...i,ij,...j->...", z, q.S, z) + 2.0 * z @ q.g + q.c
    if q.sense == ">=":
        axes.contourf(z[..., 0], z[..., 1], value, levels=[0.0, np.inf], colors=[REGION], alpha=0.16)
    drawn = axes.contour(z[..., 0], z[..., 1], value, levels=[0.0], colors=[REGION], linewidths=2.2)
    return [np.asarray(part) for part in drawn.allsegs[0] if len(part) > 1]


def _draw_space(p: Picture, figure: Figure) -> None:
    """Draw three accelerations: the flat as a patch or a line, faces of the region, cones."""
    axes: Any = figure.add_subplot(projection="3d")
    lines: list[Array] = []
    labels: Labels = []
    normals = corners = np.zeros((0, 3))
    if len(p.directions) == 3:
        for k, (normal, bound, name) in enumerate(p.bounds):
            _, _, V = np.linalg.svd(normal[None], full_matrices=True)
            face = p.admissible(p.window(p.patch(normal * bound, V[1:])), but=k)
            if len(face) > 2:
                polygon(axes, face, REGION, 0.22)
                normals = np.vstack([normals, normal])
                lines.append(np.vstack([face, face[:1]]))
                labels.append((face[np.argmax(np.linalg.norm(face - p.centre, axis=1))], name, REGION))
    elif len(p.directions) == 2:
        normals = p.region.E[:1]
        flat = p.window(p.patch(p.points["T"], p.directions))
        part = p.admissible(flat)
        polygon(axes, flat, FLAT, 0.10)
        polygon(axes, part, REGION, 0.30)
        lines += [np.vstack([corners, corners[:1]]) for corners in (flat, part) if len(corners)]
        for crossing, name in _crossings(p, flat):
            axes.plot(*crossing.T, color=REGION, lw=0.9, ls=(0, (5, 3)))
            lines.append(crossing)
            labels.append((crossing[0], name, REGION))
        labels += [(part.mean(axis=0), "region S_N", REGION)] if len(part) else []
        corners = flat
    elif len(p.directions) == 1:
        flat = p.window(p.patch(p.points["T"], p.directions))
        part = p.admissible(flat)
        axes.plot(*flat.T, color=FLAT, lw=1.0)
        axes.plot(*part.T, color=REGION, lw=5.0, alpha=0.5)
        lines.append(flat)
        labels.append((flat[0], "flat R_N", FLAT))
        labels += [(part.mean(axis=0), "region S_N", REGION)] if len(part) else []
    for q in p.region.quadrics:
        draw_surface(axes, q.S, vertex_of(q), room(q.S, vertex_of(q), p.centre, p.half))
        labels.append((vertex_of(q), "apex", REGION))
    lines += _draw_points(p, axes)
    frame(axes, p.centre, p.half, _axis_names(p.geometry), p.every, normals)
    axes.set_title(_title(p.geometry), y=0.98)
    if len(corners):  # the flat is named near the corner that looks farthest from everything else that has a name
        others = np.vstack([p.every, *(anchor for anchor, _, _ in labels)])
        apart = np.linalg.norm(screen(axes, corners)[:, None] - screen(axes, others), axis=2)
        corner = corners[np.argmax(np.min(apart, axis=1))]
        labels.append((0.8 * corner + 0.2 * corners.mean(axis=0), "flat R_N", FLAT))
    place(axes, [*p.labels, *labels], lines)


def _crossings(p: Picture, flat: Array) -> list[tuple[Array, str]]:
    """Return the segments (2, 3) in which the bounds cross a planar flat, with their names."""
    found = []
    for normal, bound, name in p.bounds:
        heights = flat @ normal - bound
        ends = []
        for k in range(len(flat)):
            ahead = (k + 1) % len(flat)
            if heights[k] * heights[ahead] < 0.0:
                share = heights[k] / (heights[k] - heights[ahead])
                ends.append(flat[k] + share * (flat[ahead] - flat[k]))
        if len(ends) == 2:
            found.append((np.array(ends), name))
    return found
