"""Planar friction problems in exact arithmetic: all modes by the double description method, on whole numbers.

Shares no code with the package; `as_problem` alone hands a problem over to it. The unknowns are (1, a, λ, p, t) of the
homogenised mode, and a cone is cut by one half-space after the other (T. S. Motzkin and others, 1953) with integer
vectors, so that nothing is rounded.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import gcd

import numpy as np

from gauss.contact import ContactProblem

COEFFICIENTS = [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3)]


def random_problem(rng, k):
    """A problem of small whole numbers as a dict with the names of `ContactProblem.of`; many are degenerate."""
    n, m = int(rng.integers(1, 4)), int(rng.choice([0, 0, 0, 1, 2]))
    B = rng.integers(-1, 2, (n, n))
    N, T = rng.integers(-2, 3, (k, n)), rng.integers(-2, 3, (k, n))
    nu, tau = (rng.integers(-3, 4, k) * (rng.random(k) < 0.5) for _ in range(2))
    for i in range(1, k):
        if rng.random() < 0.25:  # the same normal, and perhaps the same tangent, as the contact before
            N[i], nu[i] = N[i - 1], nu[i - 1]
            if rng.random() < 0.5:
                T[i], tau[i] = T[i - 1], tau[i - 1]
    T[rng.random(k) < 0.1] = 0
    J, gamma = rng.integers(-2, 3, (m, n)), rng.integers(-2, 3, m)
    if m == 2 and rng.random() < 0.5:
        J[1], gamma[1] = J[0], gamma[0]
    f = rng.integers(-5, 6, n) * (rng.random() < 0.9)
    kinetic = [COEFFICIENTS[int(j)] for j in rng.integers(0, 5, k)]
    static = [mu + Fraction(int(rng.random() < 0.25), 2) for mu in kinetic]
    whole = {"M": B.T @ B + np.eye(n, dtype=int), "f": f, "J": J, "gamma": gamma, "N": N, "nu": nu, "T": T, "tau": tau}
    return {key: value.tolist() for key, value in whole.items()} | {
        "mu_s": static,
        "mu_k": kinetic,
        "slip": rng.integers(-1, 2, k).tolist(),
        "bilateral": (rng.random(k) < 0.15).tolist(),
    }


def as_problem(problem):
    """The same problem as the package takes it."""
    n, k, m = len(problem["f"]), len(problem["nu"]), len(problem["gamma"])
    return ContactProblem.of(
        problem["M"],
        problem["f"],
        np.reshape(problem["N"], (k, n)),
        problem["nu"],
        np.reshape(problem["T"], (k, n)),
        problem["tau"],
        [float(x) for x in problem["mu_k"]],
        problem["slip"],
        static=[float(x) for x in problem["mu_s"]],
        J=np.reshape(problem["J"], (m, n)),
        gamma=problem["gamma"],
        bilateral=problem["bilateral"],
    )


def primitive(x):
    """The vector of whole numbers without their common divisor."""
    common = gcd(*x)
    return [e // common for e in x] if common > 1 else x


def dot(x, y):
    return sum(e * f for e, f in zip(x, y))


def combined(x, y, c):
    """|c·y| x − (c·x) sign(c·y) y, on which c vanishes."""
    cx, cy = dot(c, x), dot(c, y)
    return primitive([abs(cy) * e - (cx if cy > 0 else -cx) * f for e, f in zip(x, y)])


def on_plane(lines, c):
    """The span of `lines` cut with c·x = 0."""
    for k, line in enumerate(lines):
        if dot(c, line):
            return [combined(other, line, c) for j, other in enumerate(lines) if j != k]
    return lines


def cut(lines, rays, c, number):
    """The cone span(lines) + cone(rays) cut with c·x ≥ 0; a ray carries the numbers of its tight half-spaces."""
    for k, line in enumerate(lines):
        value = dot(c, line)
        if value:
            up = line if value > 0 else [-e for e in line]
            rest = [combined(other, up, c) for j, other in enumerate(lines) if j != k]
            level = [(combined(ray, up, c), tight | {number}) for ray, tight in rays]
            return rest, [*level, (up, frozenset(range(number)))]
    sides = [(ray, tight, dot(c, ray)) for ray, tight in rays]
    kept = [(ray, tight | {number} if value == 0 else tight) for ray, tight, value in sides if value >= 0]
    for x, tight_x, value_x in sides:
        for y, tight_y, value_y in sides:
            if value_x > 0 > value_y:
                both = tight_x & tight_y
                if sum(both <= tight for _, tight, _ in sides) == 2:  # adjacent: no third ray is tight on all of them
                    kept.append((combined(y, x, c), both | {number}))
    return lines, kept


def law_rows(problem, i, n, m, k):
    """For each mode of contact i its name, its equalities and its inequalities on (1, a, λ, p, t)."""
    size = 1 + n + m + 2 * k

    def row(constant=0, a=(), at=()):
        x = [0] * size
        x[0] = constant
        x[1 : 1 + len(a)] = a
        for place, value in at:
            x[place] += value
        return x

    p, t = 1 + n + m + i, 1 + n + m + k + i
    gap, rate = row(-problem["nu"][i], problem["N"][i]), row(-problem["tau"][i], problem["T"][i])
    held, slip = problem["bilateral"][i], problem["slip"][i]
    mu_s, mu_k = problem["mu_s"][i], problem["mu_k"][i]
    modes = []
    for push in (1, -1) if held else (1,):
        pressing = row(at=[(p, push)])
        if slip == 0:
            cone = [row(at=[(p, push * mu_s.numerator), (t, s * mu_s.denominator)]) for s in (1, -1)]
            modes.append(("stick", [gap, rate], [pressing, *cone]))
        for s in (1, -1) if slip == 0 else (slip,):
            friction = row(at=[(t, mu_k.denominator), (p, s * push * mu_k.numerator)])
            starting = [[s * e for e in rate]] if slip == 0 else []
            modes.append((f"slip{'+' if s > 0 else '−'}", [gap, friction], [pressing, *starting]))
    if not held:
        modes.append(("separate", [row(at=[(p, 1)]), row(at=[(t, 1)])], [gap]))
    return modes


def pieces_of(problem):
    """All maximal pieces: (vertices, rays, lines) as lists of Fractions and whole numbers over (a, λ, p, t)."""
    n, m, k = len(problem["f"]), len(problem["gamma"]), len(problem["nu"])
    size = 1 + n + m + 2 * k
    forces = [*problem["J"], *problem["N"], *problem["T"]]
    lines = [[int(i == j) for j in range(size)] for i in range(size)]
    for r in range(n):
        lines = on_plane(lines, [-problem["f"][r], *problem["M"][r], *(-force[r] for force in forces)])
    for j in range(m):
        lines = on_plane(lines, [-problem["gamma"][j], *problem["J"][j], *[0] * (m + 2 * k)])
    laws = [law_rows(problem, i, n, m, k) for i in range(k)]
    found = []

    def descend(i, lines, inequalities, equalities):
        if not any(line[0] for line in lines):
            return
        if i < k:
            for _, equal, unequal in laws[i]:
                rest = lines
                for c in equal:
                    rest = on_plane(rest, c)
                descend(i + 1, rest, inequalities + unequal, equalities + equal)
            return
        rays = []
        for number, c in enumerate([[1] + [0] * (size - 1), *inequalities]):
            lines, rays = cut(lines, rays, c, number)
        vertices = [ray for ray, _ in rays if ray[0] > 0]
        if vertices:
            found.append((vertices, [ray for ray, _ in rays if ray[0] == 0], lines, equalities, inequalities))

    descend(0, lines, [], [])
    kept = []
    for piece in found:
        if not any(inside(piece, other) for other in kept):
            kept = [other for other in kept if not inside(other, piece)] + [piece]
    return [
        ([[Fraction(e, x[0]) for e in x[1:]] for x in piece[0]], [x[1:] for x in piece[1]], [x[1:] for x in piece[2]])
        for piece in kept
    ]


def inside(piece, other):
    vertices, rays, lines = piece[:3]
    equalities, inequalities = other[3:]
    return all(dot(c, x) == 0 for c, x in product(equalities, vertices + rays + lines)) and all(
        dot(c, x) >= 0 for c, x in product(inequalities, vertices + rays + lines + [[-e for e in x] for x in lines])
    )


def as_arrays(piece, n):
    """Vertices, unit rays and an orthonormal basis of the lines, in floating point, over the forces (λ, p, t) only.

    Vertices and rays are taken orthogonal to the lines. The accelerations (w, n) at the vertices come first, and
    whether they are the same all over the piece.
    """
    width = len(piece[0][0])
    vertices, rays, lines = (np.array(part, dtype=float).reshape(len(part), width) for part in piece)
    single = len({tuple(x[:n]) for x in piece[0]}) == 1 and not any(any(x[:n]) for x in piece[1] + piece[2])
    basis = np.linalg.qr(lines[:, n:].T)[0].T if len(lines) else np.zeros((0, width - n))
    return vertices[:, :n], single, across(vertices[:, n:], basis), unit(across(rays[:, n:], basis)), basis


def across(x, basis):
    return x - x @ basis.T @ basis


def unit(x):
    length = np.linalg.norm(x, axis=1)
    return x[length > 1e-9] / length[length > 1e-9, None]


def apart(x, y):
    """Largest distance of two sets of points (·, d), relative to their size (at least 1); inf if the counts differ."""
    if len(x) != len(y):
        return np.inf
    if not len(x):
        return 0.0
    distance = np.max(np.abs(x[:, None] - y[None]), axis=2)
    return float(max(np.max(np.min(distance, axis=0)), np.max(np.min(distance, axis=1))) / max(1.0, np.max(np.abs(x))))


def kind_of(pieces, n):
    """The exact verdict on the accelerations: none, one, several or continuum."""
    if not all(as_arrays(piece, n)[1] for piece in pieces):
        return "continuum"
    count = len({tuple(piece[0][0][:n]) for piece in pieces})
    return "none" if count == 0 else "one" if count == 1 else "several"


def disagreement(problem, verdict, exact):
    """Worst relative distance of a verdict of the package from the exact pieces; inf where a piece or kind differs."""
    n = len(problem["f"])
    if len(exact) != len(verdict.every):
        return np.inf
    if problem["mu_s"] == problem["mu_k"] and verdict.verdict != kind_of(exact, n):
        return np.inf
    left, worst = list(verdict.every), 0.0
    for piece in exact:
        a, single, vertices, rays, basis = as_arrays(piece, n)
        best, match = np.inf, None
        for k, s in enumerate(left):
            own = across(np.hstack([s.bilateral, s.normal, s.tangential]), basis)
            turned = [apart(vertices, own), apart(rays, distinct(unit(across(s.rays, basis))))]
            turned.append(apart(distinct(a), s.accelerations))
            alike = single == (len(s.accelerations) == 1 and not len(s.directions))
            if alike and max(turned) < best:
                best, match = max(turned), k
        if match is None:
            return np.inf
        left.pop(match)
        worst = max(worst, best)
    return worst


def unlawful(problem, verdict):
    """Largest force outside its cone, power of friction and violated complementarity, relative to the forces.

    Only at the vertices, and from the printed numbers: forces in N, accelerations in m/s².
    """
    worst = 0.0
    mu_s, mu_k = (np.array([float(x) for x in problem[key]]) for key in ("mu_s", "mu_k"))
    slip, held = np.array(problem["slip"]), np.array(problem["bilateral"], dtype=bool)
    for s in verdict.every:
        a = s.accelerations[0]
        for p, t in zip(s.normal, s.tangential):
            size = max(1.0, np.max(np.abs(p)), np.max(np.abs(t)))
            gap = np.array(problem["N"]) @ a - problem["nu"] if len(s.accelerations) == 1 else 0.0 * p
            worst = max(worst, np.max(np.abs(t) - mu_s * np.abs(p)) / size, np.max(slip * t) / size)
            worst = max(worst, np.max(np.where(slip != 0, np.abs(t) - mu_k * np.abs(p), 0.0)) / size)
            worst = max(worst, np.max(-p[~held], initial=0.0) / size, np.max(np.abs(p * gap)) / size**2)
    return worst


def random_complementarity(rng):
    """M (n, n) and q (n,) of whole numbers, many singular."""
    n = int(rng.integers(1, 5))
    M = rng.integers(-2, 3, (n, n))
    if n > 1 and rng.random() < 0.4:
        M[-1], M[:, -1] = M[0], M[:, 0]
    return M, rng.integers(-3, 4, n)


def complementary_pieces(M, q):
    """All maximal pieces (vertices, rays) of w = M z + q ≥ 0, z ≥ 0, zᵀw = 0, exactly."""
    n, found = len(q), []
    w_rows = [[int(q[i]), *map(int, M[i])] for i in range(n)]
    z_rows = [[0, *(int(i == j) for j in range(n))] for i in range(n)]
    for support in product((False, True), repeat=n):
        lines = [[int(i == j) for j in range(n + 1)] for i in range(n + 1)]
        equal = [w if on else z for w, z, on in zip(w_rows, z_rows, support)]
        unequal = [z if on else w for w, z, on in zip(w_rows, z_rows, support)]
        for c in equal:
            lines = on_plane(lines, c)
        rays = []
        for number, c in enumerate([[1] + [0] * n, *unequal]):
            lines, rays = cut(lines, rays, c, number)
        if any(ray[0] > 0 for ray, _ in rays):
            sides = [[ray for ray, _ in rays if ray[0] > 0], [ray for ray, _ in rays if ray[0] == 0]]
            found.append((*sides, lines, equal, unequal))
    kept = []
    for piece in found:
        if not any(inside(piece, other) for other in kept):
            kept = [other for other in kept if not inside(other, piece)] + [piece]
    return [
        (
            np.array([[x / v[0] for x in v[1:]] for v in piece[0]], dtype=float),
            np.array([x[1:] for x in piece[1]], dtype=float).reshape(-1, n),
        )
        for piece in kept
    ]


def other_pieces(exact, found):
    """Worst distance of the pieces of `all_solutions` from the exact ones; inf where one is missing."""
    if len(exact) != len(found):
        return np.inf
    left, worst = list(found), 0.0
    for vertices, rays in exact:
        errors = [max(apart(vertices, s.vertices), apart(unit(rays), unit(s.rays))) for s in left]
        worst = max(worst, min(errors))
        left.pop(int(np.argmin(errors)))
    return worst


def distinct(x):
    kept = []
    for row in x:
        if all(np.max(np.abs(row - other)) > 1e-7 * max(1.0, np.max(np.abs(row))) for other in kept):
            kept.append(row)
    return np.array(kept).reshape(len(kept), x.shape[1])
