"""The three cases of Stäckel's geometry, against projections by hand, and the figures that show them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure
from planted import random_mass, rounding

from gauss.errors import ContradictoryRowsError, InputError, MassMatrixError
from gauss.numerics import Quadric, stationary
from gauss.principle import GaussProblem, solve
from gauss.show import SIZE, style
from gauss.show import geometry as pictures
from gauss.uniqueness import geometry

INF = np.inf
SEEDS = range(60)
G = 9.81


def problem(force, J, lower, upper=None, names=None, M=None, coordinates=None):
    n = len(force)
    return GaussProblem.of(np.eye(n) if M is None else M, force, J, lower, upper, names, coordinates)


# --- the cases ---------------------------------------------------------------------------------------------------


def test_a_free_acceleration_that_is_admissible_is_case_o():
    found = geometry(problem([1.0, 2.0], [[0, 1]], [-1.0], [INF], ["floor"]))
    assert found.case == "O"
    assert np.array_equal(found.point, [1.0, 2.0])
    assert found.distance == found.zwang == 0.0
    assert found.active == ()
    assert "do nothing" in found.sentence


def test_the_boundary_belongs_to_the_region():
    found = geometry(problem([1.0, 2.0], [[0, 1]], [2.0], [INF], ["floor"]))
    assert found.case == "O"
    assert found.active == ("floor",)
    assert "on the bound of 'floor'" in found.sentence


def test_an_admissible_foot_on_the_flat_is_case_t():
    found = geometry(problem([3.0, -G], [[0, 1], [1, 0]], [0.0, -INF], [0.0, 4.0], ["floor", "wall"]))
    assert found.case == "T"
    assert found.point == pytest.approx([3.0, 0.0], abs=rounding(G))
    assert found.distance == found.to_foot == pytest.approx(G, rel=rounding())
    assert found.origin_breaks == ("floor",)
    assert found.foot_breaks == found.active == ()
    assert found.flat == found.face == 1


def test_a_foot_that_is_not_admissible_leaves_the_nearest_boundary_point():
    found = geometry(problem([3.0, -G], [[0, 1], [1, 0]], [0.0, -INF], [0.0, 1.0], ["floor", "wall"]))
    assert found.case == "A"
    assert found.point == pytest.approx([1.0, 0.0], abs=rounding(G))
    assert found.foot == pytest.approx([3.0, 0.0], abs=rounding(G))
    assert found.foot_breaks == found.active == ("wall",)
    assert found.origin_breaks == ("floor", "wall")
    assert (found.flat, found.face) == (1, 0)
    assert found.beside == pytest.approx(2.0, rel=rounding(1.0, 10.0))
    assert "violates 'wall'" in found.sentence
    assert "A" in str(found).splitlines()[-1]


def test_the_nearest_point_may_lie_on_a_face_an_edge_or_a_vertex():
    walls, names = np.eye(3), ["x", "y", "z"]
    for touched in range(1, 4):
        force = [-1.0] * touched + [1.0] * (3 - touched)
        found = geometry(problem(force, walls, np.zeros(3), [INF] * 3, names))
        assert found.case == "A"
        assert found.face == 3 - touched
        assert found.active == tuple(names[:touched])
        assert found.point == pytest.approx(np.maximum(force, 0.0), abs=rounding())


def test_without_equality_rows_t_is_o_and_case_t_cannot_occur():
    cases = set()
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n, m = int(rng.integers(1, 5)), int(rng.integers(1, 5))
        J, lower = rng.normal(size=(m, n)), -np.abs(rng.normal(size=m))
        found = geometry(problem(rng.normal(size=n), J, lower, [INF] * m, M=random_mass(rng, n)))
        assert np.array_equal(found.foot, found.origin)
        cases.add(found.case)
    assert cases == {"O", "A"}


def test_a_problem_without_rows_is_case_o():
    found = geometry(GaussProblem.of(np.eye(2), [1.0, 2.0]))
    assert found.case == "O"
    assert found.flat == 2


def test_for_point_masses_the_coordinates_are_those_of_the_source():
    masses, force, a = np.array([2.0, 0.5, 3.0]), np.array([1.0, -2.0, 4.0]), np.array([0.3, 0.7, -1.1])
    found = geometry(GaussProblem.of(np.diag(masses), force, [[1, 1, 1]], [0.0]))
    assert found.z(a) == pytest.approx(np.sqrt(masses) * a - force / np.sqrt(masses), abs=rounding(4.0))


def test_dependent_rows_have_their_cases_too():
    # The third row follows from the first two; the position is not regular, but the region is a ray.
    J, bounds = [[1, 1, 0], [0, 0, 1], [1, 1, 1], [1, 0, 0]], ([0, 0, 0, 0], [0, 0, 0, INF])
    found = geometry(problem([-2.0, 0.0, 5.0], J, *bounds))
    assert (found.case, found.flat, found.face) == ("A", 1, 0)
    assert found.point == pytest.approx([0.0, 0.0, 0.0], abs=rounding(5.0, 10.0))


# --- random regions, against projections on all faces ------------------------------------------------------------


@dataclass(frozen=True)
class Drawn:
    """A random problem with r equality rows and k inequality rows whose region is not empty."""

    M: np.ndarray
    f: np.ndarray
    J: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    r: int

    @property
    def problem(self):
        return GaussProblem.of(self.M, self.f, self.J, self.lower, self.upper)


def drawn(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    r, k = int(rng.integers(0, n)), int(rng.integers(1, 5))
    J = rng.normal(size=(r + k, n))
    inside = rng.normal(size=n)
    value = J @ inside
    slack = rng.uniform(0.0, 1.0, r + k)
    lower, upper = value - slack, np.full(r + k, INF)
    lower[:r] = upper[:r] = value[:r]
    M = random_mass(rng, n)
    towards = inside if seed % 3 == 0 else inside + np.linalg.pinv(J[:r]) @ rng.normal(size=r) if seed % 3 == 1 else 0.0
    f = M @ (towards if seed % 3 < 2 else 2.0 * rng.normal(size=n))
    return Drawn(M, f, J, lower, upper, r)


def projected(d, rows):
    """The point nearest to the free acceleration with these rows at their lower bounds, or None if they clash."""
    J, n = d.J[rows], len(d.f)
    matrix = np.block([[d.M, -J.T], [J, np.zeros((len(rows), len(rows)))]])
    right = np.concatenate([d.f, d.lower[rows]])
    answer = np.linalg.lstsq(matrix, right, rcond=1e-12)[0]
    return answer[:n] if np.linalg.norm(matrix @ answer - right) < 1e-8 * (1.0 + np.linalg.norm(right)) else None


def by_faces(d):
    """The nearest point and the case, by projecting on every face: nothing is minimised but a finite list."""
    k = len(d.J) - d.r
    free = np.linalg.solve(d.M, d.f)
    equality = list(range(d.r))
    tolerance = 1e-9
    best, least = None, INF
    for size in range(k + 1):
        for chosen in combinations(range(d.r, d.r + k), size):
            a = projected(d, [*equality, *chosen])
            if a is None or np.any(d.J @ a < d.lower - tolerance):
                continue
            value = float((a - free) @ d.M @ (a - free))
            if value < least - 1e-12:
                best, least = a, value
    foot = projected(d, equality)
    inside = np.all(d.J @ free >= d.lower - tolerance) and np.all(np.abs((d.J @ free - d.lower)[: d.r]) <= tolerance)
    return ("O" if inside else "T" if np.all(d.J @ foot >= d.lower - tolerance) else "A"), best, foot


@pytest.mark.sampled(7)
@pytest.mark.parametrize("seed", SEEDS)
def test_case_foot_and_nearest_point_are_those_found_by_projecting_on_every_face(seed):
    d = drawn(seed)
    found = geometry(d.problem)
    case, nearest, foot = by_faces(d)
    assert found.case == case
    size = 1.0 + np.max(np.abs(nearest)) + np.max(np.abs(found.origin))
    tolerance = rounding(size, np.linalg.cond(d.M) * np.linalg.cond(d.J) ** 2) + 1e-12
    assert found.point == pytest.approx(nearest, abs=tolerance)
    assert found.foot == pytest.approx(foot, abs=tolerance)


def test_the_random_regions_show_all_three_cases():
    cases = [geometry(drawn(seed).problem).case for seed in SEEDS]
    assert min(cases.count(case) for case in "OTA") >= 5


@pytest.mark.sampled(7)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_region_holds_the_rows_as_distances_from_the_free_acceleration(seed):
    d = drawn(seed)
    region, a = geometry(d.problem).region, np.random.default_rng(seed).normal(size=len(d.f))
    z = geometry(d.problem).z(a)
    length = np.sqrt(np.sum(d.J * np.linalg.solve(d.M, d.J.T).T, axis=1))
    slack = ((d.J @ a - d.lower) / length)[d.r :]
    tolerance = rounding(1.0 + np.max(np.abs(slack)) + np.linalg.norm(z), np.linalg.cond(d.M))
    assert region.G @ z - region.low == pytest.approx(slack, abs=tolerance)
    assert np.all(region.high == INF)
    distance = np.linalg.norm(region.E @ z - region.c)  # from the flat, by Lagrange's multipliers
    gap = (d.J @ a - d.lower)[: d.r]
    gram = d.J[: d.r] @ np.linalg.solve(d.M, d.J[: d.r].T)
    assert distance**2 == pytest.approx(gap @ np.linalg.solve(gram, gap) if d.r else 0.0, rel=1e-9, abs=1e-12)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_perpendicular_and_the_way_within_the_flat_obey_pythagoras(seed):
    found = geometry(drawn(seed).problem)
    total = found.to_foot**2 + found.beside**2
    assert found.distance**2 == pytest.approx(total, abs=rounding(1.0 + total, 1e3))


@pytest.mark.sampled(7)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_problem_and_its_solution_have_the_same_geometry_and_its_zwang(seed):
    p = drawn(seed).problem
    solution = solve(p)
    one, other = geometry(p), geometry(solution)
    assert one.sentence == other.sentence
    assert one.zwang == pytest.approx(solution.zwang, abs=rounding(1.0 + solution.zwang, 1e4))
    assert np.linalg.norm(one.z(one.point) - one.z(solution.a)) <= rounding(1.0 + one.distance, 1e4)


@pytest.mark.sampled(14)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_words_do_not_depend_on_units_or_coordinates(seed):
    d = drawn(seed)
    rng = np.random.default_rng(seed)
    n = len(d.f)
    Q, _ = np.linalg.qr(rng.normal(size=(n, n)))
    for T in (np.diag(10.0 ** rng.uniform(-3, 3, n)), Q, Q @ np.diag(10.0 ** rng.uniform(-1, 1, n))):
        D, mass, rate = 10.0 ** rng.uniform(-3, 3, len(d.J)), 1e-3, 1e-6  # kg → t, m/s² → m/ms²
        M = mass * T.T @ d.M @ T
        bounds = rate * D * d.lower, rate * D * d.upper
        other = GaussProblem.of((M + M.T) / 2, mass * rate * T.T @ d.f, D[:, None] * d.J @ T, *bounds)
        one, two = geometry(d.problem), geometry(other)
        assert one.sentence == two.sentence
        assert (one.flat, one.face) == (two.flat, two.face)
        assert two.distance == pytest.approx(np.sqrt(mass) * rate * one.distance, rel=1e-6, abs=1e-12 * rate)
        assert T @ two.point == pytest.approx(rate * one.point, abs=1e-8 * rate * (1.0 + np.max(np.abs(one.point))))


# --- quadratic conditions ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Condition:
    """zᵀS z + 2 gᵀz + c = 0 or ≥ 0."""

    S: np.ndarray
    g: np.ndarray
    c: float
    sense: str = "="
    name: str = "cone"


STAECKEL = np.diag([1.0, 1.0, -1.0])


def at_apex(force, sense="="):
    """Stäckel's cone for a unit mass at its apex, around the free acceleration."""
    force = np.array(force, dtype=float)
    return Condition(STAECKEL, STAECKEL @ force, float(force @ STAECKEL @ force), sense)


def feet(force):
    """The feet of the perpendiculars on the two generators in the plane of axis and force, nearest first."""
    force = np.array(force, dtype=float)
    across = force * [1, 1, 0] / np.hypot(*force[:2])
    units = [(sign * across + [0, 0, np.sign(force[2]) or 1.0]) / np.sqrt(2) for sign in (1.0, -1.0)]
    return np.array(sorted(((force @ u) * u for u in units), key=lambda a: np.linalg.norm(a - force)))


def no_rows(force):
    return problem(np.array(force, dtype=float), np.zeros((0, 3)), [], coordinates=["x", "y", "z"])


def test_at_the_apex_the_nearest_of_the_given_feet_is_a():
    force = [3.0, 2.0, -G]
    found = geometry(no_rows(force), [at_apex(force)], feet(force)[::-1])
    assert found.case == "A"
    assert found.point == pytest.approx(feet(force)[0], abs=rounding(G))
    assert found.origin_breaks == ("cone",)
    assert len(found.nearest) == 1
    assert "need not be convex" in found.sentence


def test_a_force_across_the_axis_has_two_nearest_points():
    force = [3.0, 4.0, 0.0]
    found = geometry(no_rows(force), [at_apex(force)], feet(force))
    assert len(found.nearest) == 2
    assert found.distance == pytest.approx(5.0 / np.sqrt(2.0), rel=rounding())
    assert "2 are equally nearest" in found.sentence


def test_given_points_off_the_cone_are_left_out():
    force = [3.0, 2.0, -G]
    found = geometry(no_rows(force), [at_apex(force)], [force, [0, 0, 0], *feet(force)])
    assert found.point == pytest.approx(feet(force)[0], abs=rounding(G))
    with pytest.raises(InputError, match="none of the points"):
        geometry(no_rows(force), [at_apex(force)], [force])


def test_a_force_along_a_generator_is_case_o_and_inside_the_cone_too_where_that_is_allowed():
    force = [3.0, 4.0, 5.0]
    assert geometry(no_rows(force), [at_apex(force)]).case == "O"
    for force, case in (([6.0, 0.0, 1.0], "O"), ([0.5, 0.0, 5.0], "A")):
        found = geometry(no_rows(force), [at_apex(force, ">=")], feet(force))
        assert found.case == case


def test_a_foot_on_the_cone_is_case_t():
    force = np.array([3.0, 2.0, 5.0])
    p = problem(force, [[0, 1, 0]], [4.0], names=["rail"])
    assert geometry(p, [at_apex(force)]).case == "T"


def test_quadratic_conditions_need_candidates_and_the_right_shape():
    force = [3.0, 2.0, -G]
    with pytest.raises(InputError, match="stationary"):
        geometry(no_rows(force), [at_apex(force)])
    with pytest.raises(InputError, match="expected \\(p, 3\\)"):
        geometry(no_rows(force), [at_apex(force)], [[1.0, 2.0]])
    with pytest.raises(InputError, match="quadric 0"):
        geometry(no_rows(force), [Condition(np.eye(2), np.zeros(2), 0.0)])
    with pytest.raises(InputError, match="quadric 0"):
        geometry(no_rows(force), [Condition(STAECKEL, np.zeros(3), 0.0, "<")])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("force", [[3.0, 2.0, -G], [8.0, 2.0, -2.0], [3.0, 4.0, 0.0]])
def test_the_stationary_points_that_are_computed_are_the_feet_and_are_drawn(force):
    found = stationary(np.array(force), [Quadric(STAECKEL, np.zeros(3), 0.0)])
    points = np.array([point.y for point in found.points])
    one = geometry(no_rows(force), [at_apex(force)], points)
    other = geometry(no_rows(force), [at_apex(force)], feet(force))
    assert one.distance == pytest.approx(other.distance, rel=1e-9)  # what the stationary points are stated to
    assert len(one.nearest) == len(other.nearest)
    assert pictures.crowded(picture(pictures.draw_cone, STAECKEL, force, points[:2], [], size=SIZE)) == []


def test_what_has_no_free_acceleration_no_region_or_is_no_problem_is_refused():
    with pytest.raises(MassMatrixError, match="no free acceleration"):
        geometry(problem([1.0, 0.0], [[0, 1]], [0.0], M=np.diag([1.0, 0.0])))
    with pytest.raises(ContradictoryRowsError):
        geometry(problem([1.0, 0.0], [[0, 1], [0, 1]], [0.0, 1.0]))
    with pytest.raises(InputError, match="GaussProblem"):
        geometry(np.eye(2))


# --- figures -----------------------------------------------------------------------------------------------------

FORCE = [4.0, 1.0, -G]
PLANE = {"names": ["slope", "wall"], "coordinates": ["x", "z"]}
SPACE = {"names": ["slope", "wall", "rail"], "coordinates": ["x", "y", "z"]}
SHOWN = {
    "1-D": problem([-G], [[1]], [0.0], [INF], ["floor"], coordinates=["z"]),
    "1-D, held": problem([-G], [[1]], [0.0], [0.0], ["floor"], coordinates=["z"]),
    "plane, O": problem([2.0, -3.0], [[0, 1], [1, 0]], [-7.0, -INF], [INF, 4.0], **PLANE),
    "plane, T": problem([3.0, -G], [[0.3, 1], [1, 0]], [0.0, -INF], [0.0, 11.0], **PLANE),
    "plane, A": problem([3.0, -G], [[0.3, 1], [1, 0]], [0.0, -INF], [0.0, 1.0], **PLANE),
    "plane, vertex": problem([3.0, -G], [[1, 1], [-1, 1]], [1.0, 0.0], [INF, INF], **PLANE),
    "plane, edge": problem([3.0, -G], [[0.3, 1], [1, 0]], [0.0, -INF], [INF, 9.0], **PLANE),
    "plane, turned": problem([3.0, -G], [[0.3, 1], [1, 0.2]], [0.0, -INF], [INF, 1.0], M=[[1, 0.3], [0.3, 2]], **PLANE),
    "plane, point": problem([3.0, -G], [[0.3, 1], [1, 0.2]], [0.0, 0.0], [0.0, 0.0], **PLANE),
    "space, T": problem(FORCE, [[0.3, 0.2, 1], [1, 0, 0], [0, 1, 0]], [0, -INF, -INF], [0, 11, 8], **SPACE),
    "space, A": problem(FORCE, [[0.3, 0.2, 1], [1, 0, 0], [0, 1, 0.1]], [0, -INF, -1], [0, 1, 4], **SPACE),
    "space, line": problem(FORCE, [[0.3, 0.2, 1], [1, 0, 0], [0, 1, 0.1]], [0, 0, -1], [0, 0, 1], **SPACE),
    "space, wedge": problem(FORCE, [[0.3, 0.2, 1], [1, 0, 0.2], [0, 1, 0]], [0, -INF, -INF], [INF, 1, 20], **SPACE),
    "space, point": problem(FORCE, np.eye(3), np.zeros(3), np.zeros(3), **SPACE),
}


def picture(draw, *arguments, size=(6.4, 5.2)):
    with style():
        figure = Figure(figsize=size, layout="constrained")
        draw(*arguments, figure)
    return figure


def markers(figure):
    """The places of all round markers, as arrays (p, 2 or 3)."""
    found = []
    for axes in figure.axes:
        for line in axes.lines:
            if line.get_marker() == "o":
                data = line.get_data_3d() if hasattr(line, "get_data_3d") else line.get_data()
                found.append(np.array(data, dtype=float).T)
    return np.vstack(found)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", SHOWN)
def test_labels_of_a_figure_neither_overlap_nor_are_cut_off(name):
    assert pictures.crowded(picture(pictures.draw_geometry, geometry(SHOWN[name]))) == []


@pytest.mark.parametrize("name", SHOWN)
def test_a_figure_shows_the_points_where_they_are(name):
    found = geometry(SHOWN[name])
    places = markers(picture(pictures.draw_geometry, found))
    n = len(found.coordinates)
    for a in (found.origin, found.foot, found.point):
        z = found.z(a)
        assert np.min(np.linalg.norm(places[:, :n] - z, axis=1)) <= rounding(1.0 + np.linalg.norm(z))


def test_labels_that_overlap_or_are_cut_off_are_noticed():
    figure = Figure(figsize=(3, 3))
    axes = figure.subplots()
    pictures.place(
        axes, [(np.array([0.5, 0.5]), "a very long label that does not fit into the figure at all", "k")], []
    )
    pictures.place(axes, [(np.array([0.5, 0.5]), "another one, set without knowing of it", "k")], [])
    faults = pictures.crowded(figure)
    assert any("cut off" in fault for fault in faults)
    assert any("overlaps" in fault for fault in faults)


@pytest.mark.parametrize("name", SHOWN)
def test_right_angles_are_right(name):
    found = geometry(SHOWN[name])
    p = pictures.Picture(found)
    perpendiculars = (found.to_foot > 0.0 and found.flat > 0) + (found.case == "A" and found.face > 0)
    assert len(p.marks) == perpendiculars
    for corner in p.marks:
        towards_origin = [
            abs((x - foot) @ foot + np.linalg.norm(x - foot) * np.linalg.norm(foot))
            for x in corner
            for foot in (p.points["T"], p.nearest[0])
        ]
        assert min(towards_origin) <= 1e-9 * p.half**2
        one, other = corner[0] - corner[1], corner[2] - corner[1]
        assert abs(one @ other) <= 1e-9 * np.linalg.norm(one) * np.linalg.norm(other)


@pytest.mark.parametrize("seed", range(30))
def test_a_clipped_polygon_is_the_admissible_part_of_it(seed):
    rng = np.random.default_rng(seed)
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    normals, bounds = rng.normal(size=(3, 2)), 0.4 * rng.normal(size=3)
    part = square
    for normal, bound in zip(normals, bounds, strict=True):
        part = pictures.clip(part, normal, bound) if len(part) else part
    assert np.all(part @ normals.T >= bounds - 1e-12)
    shoelace = 0.5 * abs(np.sum(part[:, 0] * np.roll(part[:, 1], -1) - np.roll(part[:, 0], -1) * part[:, 1]))
    grid = (np.arange(400) + 0.5) / 400
    points = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    share = np.mean(np.all(points @ normals.T >= bounds, axis=1))
    assert shoelace == pytest.approx(share, abs=3 * 4 / 400)  # each edge misjudges at most the cells it crosses


def test_quadratic_conditions_are_drawn_in_the_plane_and_cones_in_space():
    # (z₂ − 3)² − z₁² ≤ 1 leaves out the origin; the nearest point is (0, 2), the acceleration (0, 5)
    hyperbola = Condition(np.diag([1.0, -1.0]), np.array([0.0, 3.0]), -8.0, ">=", "hyperbola")
    flat = geometry(problem([0.0, 3.0], np.zeros((0, 2)), [], coordinates=["x", "y"]), [hyperbola], [[0.0, 5.0]])
    assert pictures.crowded(picture(pictures.draw_geometry, flat)) == []
    force = [3.0, 2.0, -G]
    solid = geometry(no_rows(force), [at_apex(force)], feet(force))
    figure = picture(pictures.draw_geometry, solid)
    assert pictures.crowded(figure) == []
    assert len(figure.axes[0].collections) >= 2
    ball = Condition(np.eye(3), np.zeros(3), -1.0, "=", "ball")
    round_ = geometry(problem(np.zeros(3), np.zeros((0, 3)), []), [ball], [[1.0, 0.0, 0.0]])
    with pytest.raises(InputError, match="cone"):
        picture(pictures.draw_geometry, round_)


def test_four_accelerations_cannot_be_drawn():
    with pytest.raises(InputError, match="up to 3"):
        picture(pictures.draw_geometry, geometry(problem(np.ones(4), np.eye(4)[:1], [0.0])))


CIRCLE = np.linspace(0.0, 2.0 * np.pi, 90, endpoint=False)
HELD = G / 2 * np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE), -np.ones(90)])
FORCES = {"oblique": [3.0, 2.0, -G], "flat": [8.0, 2.0, -2.0], "across": [5.0, 3.0, 0.0], "axis": [0.0, 0.0, -G]}


@pytest.mark.long
@pytest.mark.parametrize("name", FORCES)
def test_the_cone_is_drawn_with_perpendiculars_that_are_perpendicular(name):
    force = np.array(FORCES[name])
    points, families = (np.zeros((0, 3)), [HELD]) if name == "axis" else (feet(force), [])
    figure = picture(pictures.draw_cone, STAECKEL, force, points, families, size=SIZE)
    assert pictures.crowded(figure) == []
    section = figure.axes[1]
    dashed = [line.get_xydata() for line in section.lines if line.get_linestyle() == "--"]
    assert len(dashed) == 2
    for start, end in dashed:
        assert abs((end - start) @ end) <= 1e-6 * np.linalg.norm(end) * np.linalg.norm(
            force
        )  # foot − force ⟂ generator
        assert abs(abs(end[0]) - abs(end[1])) <= 1e-6 * np.linalg.norm(force)  # on a line of the section, at 45°


def test_candidates_off_the_plane_of_the_section_are_hollow():
    S = np.diag([1.0, 4.0, -1.0])
    force, off = np.array([1.0, 1.0, 5.0]), np.array([3.0, 0.0, 3.0])
    figure = picture(pictures.draw_cone, S, force, [off], [], size=SIZE)
    hollow = [line for line in figure.axes[1].lines if line.get_markerfacecolor() == "white"]
    assert len(hollow) == 1


@pytest.mark.parametrize("seed", range(20))
def test_axis_and_radii_of_a_cone_lie_on_it_in_any_coordinates(seed):
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    S = rng.choice([-1.0, 1.0]) * Q @ np.diag([*rng.uniform(0.2, 3.0, 2), -1.0]) @ Q.T
    axis, ring = pictures.cone_of(S)
    for angle in rng.uniform(0.0, 2.0 * np.pi, 5):
        u = axis + np.cos(angle) * ring[0] + np.sin(angle) * ring[1]
        assert abs(u @ S @ u) <= rounding(np.linalg.norm(S) * float(u @ u), 10.0)
    assert abs(axis @ ring[0]) + abs(axis @ ring[1]) + abs(ring[0] @ ring[1]) <= rounding(10.0)


def test_a_closed_curve_meets_the_plane_of_the_section_where_its_chords_do():
    plane = pictures.section_of(STAECKEL, np.array([1.0, 2.0, 5.0]), np.zeros((0, 3)))
    found = plane.crossings(HELD)
    assert len(found) == 2
    for point in found:
        assert plane.contains(point, G)
        assert np.hypot(*point[:2]) == pytest.approx(G / 2, rel=(np.pi / 90) ** 2)  # the sagitta of a chord
    assert found[0] @ found[1] < 0.5 * G**2 / 4
    through = pictures.section_of(STAECKEL, np.array([0.0, 0.0, 1.0]), HELD[:1])
    assert np.min(np.linalg.norm(through.crossings(HELD) - HELD[0], axis=1)) == 0.0


@pytest.mark.sampled(4)
@pytest.mark.parametrize("S", [np.eye(3), np.diag([1.0, -1.0, 0.0]), np.zeros((3, 3))])
def test_a_form_that_is_no_cones_is_refused(S):
    with pytest.raises(InputError, match="one eigenvalue of one sign"):
        picture(pictures.draw_cone, S, [1.0, 2.0, 3.0], [], [])


def test_labels_must_match_the_points():
    with pytest.raises(InputError, match="1 labels are given for 2 points"):
        pictures.draw_cone(STAECKEL, FORCES["oblique"], feet(FORCES["oblique"]), [], Figure(), labels=["one"])


def turned(angle):
    """Both feet for a force of size G at an angle from the axis."""
    force = G * np.array([np.sin(angle), 0.0, np.cos(angle)])
    if angle == 0.0:
        return pictures.Turned(angle, force, np.zeros((1, 3)), ("vertex",), (HELD * [1, 1, -1],))
    points = np.vstack([feet(force), np.zeros((1, 3))])
    other = "saddle" if angle < np.pi / 4 else "local minimum"
    return pictures.Turned(angle, force, points, ("global minimum", other, "vertex"))


def test_a_turning_force_shows_both_feet_and_their_zwang():
    angles = np.radians(np.arange(0.0, 90.0, 2.0))
    with style():
        figure = Figure(figsize=SIZE, layout="constrained")
        pictures.turning_force(figure, STAECKEL, [turned(angle) for angle in angles])
    assert pictures.crowded(figure) == []
    curves = {line.get_label(): line.get_ydata() for line in figure.axes[1].lines}
    near, far = (0.5 * G**2 * np.sin(np.pi / 4 + sign * angles) ** 2 for sign in (-1.0, 1.0))
    assert curves["global minimum"][1:] == pytest.approx(near[1:], abs=rounding(G**2))
    early = angles < np.pi / 4
    assert curves["saddle"][early][1:] == pytest.approx(far[early][1:], abs=rounding(G**2))
    assert curves["local minimum"][~early] == pytest.approx(far[~early], abs=rounding(G**2))
    assert curves["circle of candidates"] == pytest.approx(G**2 / 4, rel=rounding())
    with pytest.raises(InputError, match="two directions"):
        pictures.turning_force(Figure(), STAECKEL, [turned(0.1)])
