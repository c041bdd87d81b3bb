"""Contact problems of one to four contacts of integers: does the solver of the time stepping miss a solution?

    python validation/tiny_contacts.py --count 10000 --seed 1 --json validation/tiny_contacts.json

The rows H have entries from −3 to 3 and any number of columns, so that W = HHᵀ is singular in most problems; friction
goes up to 5, so that contacts wedge. Three families: in the first two (in the plane, with friction or without; in
space) modes, impulses and rates are drawn first and c follows from them, so that a solution is known to exist. In the
third c is drawn, and where the solver finds nothing, an exact enumeration of all modes (simplex method in fractions)
must find nothing, either. What the solver finds is checked against the law, written out here from the rates.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import product

import numpy as np
import scipy.sparse as sp
from campaign import options_of, run_families

from gauss.foundation.tolerances import ACCEPTED
from gauss.nonsmooth.solving.program import Program
from gauss.nonsmooth.solving.solver import solved

FRICTION = (0.0, 0.25, 0.5, 1.0, 2.0, 5.0)
WAYS = ((3, 4, 5), (4, -3, 5), (-5, 12, 13), (1, 0, 1), (0, -1, 1), (-8, -15, 17))  # directions in space
UNIT = 5 * 13 * 17  # of impulses in space, so that those along a direction are integers over 4


def rows_of(rng, d):
    """Return rows (k (1 + d), n) of integers and coefficients (k,)."""
    k = int(rng.integers(1, 5))
    H = rng.integers(-3, 4, size=(k * (1 + d), int(rng.integers(1, (1 + d) * k + 2)))).astype(float)
    return H, rng.choice(FRICTION, size=k) if d else np.zeros(k)


def planted(rng, d):
    """Return W, c, μ of a problem with a known solution, and that."""
    H, mu = rows_of(rng, d)
    x, u = np.zeros(len(H)), np.zeros(len(H))
    k = len(mu)
    for i in range(k):
        t, mode = slice(k + i * d, k + i * d + d), rng.choice(["open", "stick", "slip"])
        if mode == "open":
            u[i], u[t] = rng.integers(0, 4), rng.integers(-3, 4, size=d)
            continue
        x[i] = rng.integers(0, 4) * (UNIT if d == 2 else 1)
        way = np.array([1.0]) if d == 1 else np.array([1.0, 0.0])[:d]
        length = 1.0
        if mode == "slip" and d:
            choice = WAYS[rng.integers(len(WAYS))]
            way, length = (np.array([float(rng.choice([-1, 1]))]), 1.0) if d == 1 else (np.array(choice[:2]), choice[2])
            u[t] = rng.integers(0, 4) * way
        share = rng.integers(-4, 5) / 4.0 if mode == "stick" else 1.0
        x[t] = -share * mu[i] * x[i] * way / length
    W = H @ H.T
    return W, u - W @ x, mu, x


def drawn(rng, d):
    """Return W, c, μ of a problem that may have no solution."""
    H, mu = rows_of(rng, d)
    c = H @ rng.integers(-3, 4, size=H.shape[1])
    return H @ H.T, c + rng.integers(-2, 3, size=len(c)) * (rng.uniform(size=len(c)) < 0.3), mu


def obeys(W, c, mu, d, x):
    """Whether impulses satisfy the law to 1e-9 of the rates, or of what adds up to them."""
    k, u = len(mu), W @ x + c
    small = 1e-9 * np.max(np.abs(c)) + 1e-13 * np.max(np.abs(W) @ np.abs(x))
    for i in range(k):
        t = slice(k + i * d, k + i * d + d)
        pull, slip, limit = np.linalg.norm(x[t]), np.linalg.norm(u[t]), mu[i] * x[i]
        touching = x[i] * W[i, i] > small
        slack = 1e-9 * np.max(np.abs(x))
        good = x[i] >= 0.0 and u[i] >= -small and (u[i] <= small or not touching) and pull <= limit + slack
        if d and touching and slip > small and mu[i] > 0.0:
            good = good and x[t] @ u[t] <= -(limit - slack) * (slip - small)  # full friction, against the slip
        if not good:
            return False
    return True


def solvable(W, c, mu, d):
    """Whether a problem in the plane has a solution, by exact enumeration of the modes of all contacts."""
    k, exact = len(mu), [[Fraction(value) for value in row] for row in W.tolist()]

    def unit(i, sign=1):
        return [Fraction(sign * (j == i)) for j in range(len(c))]

    def impulse(i, share):
        column = [-exact[j][i] for j in range(len(c))]
        return [a - share * exact[j][k + i] for j, a in enumerate(column)] if d else column

    modes = []
    for i in range(k):
        m = Fraction(float(mu[i]))
        sides = [unit(k + i), unit(k + i, -1)] if d else []
        modes.append([[unit(i), *sides]])
        if not d or m == 0:
            modes[i].append([impulse(i, m), *sides])
        else:
            modes[i] += [[impulse(i, m), impulse(i, -m)], [impulse(i, m), sides[1]], [impulse(i, -m), sides[0]]]
    right = [Fraction(value) for value in c.tolist()]
    return any(in_cone([v for mode in choice for v in mode], right) for choice in product(*modes))


def in_cone(columns, right):
    """Whether right = Σ zᵢ columnsᵢ with z ≥ 0: phase one of the simplex method in fractions, by Bland's rule."""
    m, n = len(right), len(columns)
    table = [
        [(-1 if right[i] < 0 else 1) * v for v in [*(column[i] for column in columns), right[i]]] for i in range(m)
    ]
    basis = [n + i for i in range(m)]  # artificial variables, whose sum is minimised
    cost = [sum(row[j] for row in table) for j in range(n + 1)]
    while cost[-1] > 0:
        enter = next((j for j in range(n) if cost[j] > 0), None)
        if enter is None:
            return False
        rows = [i for i in range(m) if table[i][enter] > 0]
        pivot = min(rows, key=lambda i: (table[i][-1] / table[i][enter], basis[i]))
        scale = table[pivot][enter]
        table[pivot] = [v / scale for v in table[pivot]]
        for row in (*(table[i] for i in range(m) if i != pivot), cost):
            factor = row[enter]
            if factor:
                row[:] = [a - factor * b for a, b in zip(row, table[pivot], strict=True)]
        basis[pivot] = enter
    return True


def campaign(make, dimensions):
    """Return the family of problems that `make` draws, with numbers of tangents among `dimensions`."""

    def family(count, rng):
        record = {"problems": 0, "unsolved": 0, "without_solution": 0, "against_the_law": 0}
        failures = []
        for number in range(count):
            d = int(rng.choice(dimensions))
            W, c, mu, *known = make(rng, d)
            if not np.any(c):
                continue
            scale = float(np.max(np.abs(c)))
            found = solved(Program(sp.csr_matrix(W), c, mu, d, scale), np.zeros(len(c)))
            record["problems"] += 1
            problem = {"problem": number, "tangents": d, "contacts": len(mu), "residual": found.residual}
            if found.residual > ACCEPTED:
                none = not known and not solvable(W, c, mu, d)
                record["without_solution" if none else "unsolved"] += 1
                failures += [] if none else [problem]
            elif not obeys(W, c, mu, d, found.x):
                record["against_the_law"] += 1
                failures.append(problem)
        return record, failures

    return family


FAMILIES = {
    "plane": campaign(planted, (0, 1, 1, 1)),
    "space": campaign(planted, (2,)),
    "drawn": campaign(drawn, (0, 1, 1, 1)),
}


def main():
    """Run all families, print and store their records; return 1 if a solution was missed or the law is broken."""
    options = options_of(__doc__, 10000, 1, "problems in each family")
    return run_families(options, [(name, family, options.count) for name, family in FAMILIES.items()])


if __name__ == "__main__":
    sys.exit(main())
