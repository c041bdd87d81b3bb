"""What other kinds of solver return at and near singular positions, and where rows are given twice.

Every method gets the same numbers M, f, J, γ of the same state. Errors are |a − a*|_M / |a*|_M, with |a_free|_M below
the line where a* is zero, against the exact acceleration a* that is stated with each case; it comes from the mechanics
(a system with one degree of freedom, a cone, a rod) and not from the rows. The methods are written out below in a few
lines each, with the tolerances that are usual or the libraries' own defaults.

Run it with `python docs/experiments/other_solvers.py`; it needs the package only. `other_solvers.txt` holds its output.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import clarabel
import numpy as np
import osqp
import scipy.linalg as sla
import scipy.sparse as sp
import scipy.sparse.linalg as spla

import gauss as g
from gauss.scenario import find

GRAVITY = 9.81  # m/s²
OMEGA = -3.0  # rad/s, of the rockers
TIKHONOV = 1e-8
IMPEDANCE = 0.9  # share of the unconstrained acceleration that a soft row takes away, MuJoCo's default on the row
SMALLEST = 1e-15  # of a diagonal entry of R there
DOUBT = 0.1  # share of the acceleration


@dataclass(frozen=True)
class Numbers:
    """A Gauss problem as numbers: M a = f + Jᵀλ, J a = γ, or J a ≥ γ where `contact`."""

    M: np.ndarray  # (n, n)
    f: np.ndarray  # (n,)
    J: np.ndarray  # (m, n)
    gamma: np.ndarray  # (m,)
    contact: bool

    @property
    def free(self) -> np.ndarray:
        """a_free = M⁻¹f."""
        return np.linalg.solve(self.M, self.f)


@dataclass(frozen=True)
class Case:
    """A system at a state with its exact acceleration."""

    label: str
    system: g.System
    q: np.ndarray
    v: np.ndarray
    exact: np.ndarray | Callable[[np.ndarray], np.ndarray]  # (n,), or what is right nearest to an acceleration (n,)

    def right(self, a: np.ndarray) -> np.ndarray:
        """Return the exact acceleration (n,) nearest to a."""
        return self.exact(a) if callable(self.exact) else self.exact


# ------------------------------------------------------------------ methods: Numbers → a, λ


def saddle(p: Numbers) -> np.ndarray:
    """Return the matrix of the Karush-Kuhn-Tucker conditions."""
    m = len(p.J)
    return np.block([[p.M, -p.J.T], [p.J, np.zeros((m, m))]])


def dense_lu(p: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """LU of the saddle matrix (LAPACK); a pivot that is exactly zero raises an error."""
    x = np.linalg.solve(saddle(p), np.concatenate([p.f, p.gamma]))
    return x[: p.f.size], x[p.f.size :]


def sparse_lu(p: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """The same with SuperLU."""
    x = spla.splu(sp.csc_matrix(saddle(p))).solve(np.concatenate([p.f, p.gamma]))
    return x[: p.f.size], x[p.f.size :]


def regularised(p: Numbers, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Solve (J M⁻¹Jᵀ + R) λ = γ − J a_free."""
    X = np.linalg.solve(p.M, p.J.T)
    force = np.linalg.solve(p.J @ X + R, p.gamma - p.J @ p.free)
    return p.free + X @ force, force


def tikhonov(p: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """Damping by a fixed small number."""
    return regularised(p, TIKHONOV * np.eye(len(p.J)))


def soft(p: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """Soft rows as MuJoCo has them: R = (1 − d)/d · diag(J M⁻¹Jᵀ); on the constraints no spring acts."""
    diagonal = np.diag(p.J @ np.linalg.solve(p.M, p.J.T))
    return regularised(p, np.diag(np.maximum((1.0 - IMPEDANCE) / IMPEDANCE * diagonal, SMALLEST)))


def pseudo_inverse(p: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """Udwadia-Kalaba with numpy's pinv: a = a_free + L⁻ᵀ(J L⁻ᵀ)⁺(γ − J a_free)."""
    L = np.linalg.cholesky(p.M)
    whitened = sla.solve_triangular(L, p.J.T, lower=True).T
    plus = np.linalg.pinv(whitened)
    z = plus @ (p.gamma - p.J @ p.free)
    return p.free + sla.solve_triangular(L, z, lower=True, trans="T"), plus.T @ z


def dropped_rows(p: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """QR with column pivoting of Jᵀ; rows whose pivot is below max(m, n) ε of the largest are dropped."""
    _, R, order = sla.qr(p.J.T, pivoting=True, mode="economic")
    size = np.abs(np.diag(R))
    kept = order[: int(np.sum(size > max(p.J.shape) * np.finfo(float).eps * size[0]))] if size[0] > 0.0 else []
    force = np.zeros(len(p.J))
    a, force[kept] = dense_lu(Numbers(p.M, p.f, p.J[kept], p.gamma[kept], p.contact))
    return a, force


def osqp_defaults(p: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """OSQP with its default settings."""
    solver = osqp.OSQP()
    upper = np.full(len(p.J), np.inf) if p.contact else p.gamma
    solver.setup(P=sp.csc_matrix(np.triu(p.M)), q=-p.f, A=sp.csc_matrix(p.J), l=p.gamma, u=upper, verbose=False)
    result = solver.solve(raise_error=False)
    if "infeasible" in result.info.status:
        raise ArithmeticError("infeasible")
    return np.array(result.x), -np.array(result.y)


def clarabel_defaults(p: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """Clarabel (interior point) with its default settings."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cone = clarabel.NonnegativeConeT if p.contact else clarabel.ZeroConeT
    sign = -1.0 if p.contact else 1.0  # its rows read A x + s = b, s ≥ 0
    P, A = sp.csc_matrix(np.triu(p.M)), sp.csc_matrix(sign * p.J)
    result = clarabel.DefaultSolver(P, -p.f, A, sign * p.gamma, [cone(len(p.J))], settings).solve()
    if "Solved" not in str(result.status):
        raise ArithmeticError(str(result.status))
    return np.array(result.x), -sign * np.array(result.z)


METHODS: dict[str, Callable[[Numbers], tuple[np.ndarray, np.ndarray]]] = {
    "dense LU": dense_lu,
    "sparse LU": sparse_lu,
    "Tikhonov": tikhonov,
    "soft rows": soft,
    "pseudo-inverse": pseudo_inverse,
    "rows dropped": dropped_rows,
    "OSQP": osqp_defaults,
    "Clarabel": clarabel_defaults,
}


# ------------------------------------------------------------------ the cases


def four_bar() -> dict[str, Any]:
    """Return the names of the scenario four_bar_chain."""
    path = find("four_bar_chain")
    names: dict[str, Any] = {"__name__": "four_bar_chain"}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    return names


def chain_case(model: g.System, N: int, theta: float, shift: float = 0.0, projected: bool = False) -> Case:
    """The chain with parallel rockers at the angle θ, where θ̈ = −c cos θ; rocker 1 is off by `shift` (rad).

    Projected, the velocity is replaced by the nearest one in the mass metric that satisfies the rows there, which is
    what integrators do.
    """
    c = GRAVITY * ((N + 1) / 2 + N) / ((N + 1) / 3 + N)
    angle = np.where(np.arange(N + 1) == 1, theta + shift, theta)
    q = np.ravel([np.arange(N + 1) + np.cos(angle), np.sin(angle)], order="F")
    v = OMEGA * np.ravel([-np.sin(angle), np.cos(angle)], order="F")
    along, across = np.array([-np.sin(theta), np.cos(theta)]), np.array([-np.cos(theta), -np.sin(theta)])
    exact = np.tile(-c * np.cos(theta) * along + OMEGA**2 * across, N + 1)
    if projected:
        p = g.principle.GaussProblem.at(model, model.state(q, v))
        L = np.linalg.cholesky(p.M)
        whitened = sla.solve_triangular(L, p.rows.J.T, lower=True).T
        correction = np.linalg.lstsq(whitened, p.rows.J @ v, rcond=None)[0]
        v = v - sla.solve_triangular(L, correction, lower=True, trans="T")
    label = "flat" if theta == 0.0 else f"θ = {theta:.0e}" + (f", rocker 1 off by {shift:.0e}" if shift else "")
    label += ", velocity projected" if projected else ""
    return Case(f"chain of {N}, {label}", model, q, v, exact)


def particle(name: str, coordinates: str, rows: list[g.Holonomic], last: str) -> g.System:
    """Return a particle of 1 kg on holonomic rows, with gravity along the coordinate `last`."""
    return g.System(
        name,
        coordinates=coordinates,
        kinetic_energy=lambda v: 0.5 * sum(v[k] ** 2 for k in range(len(coordinates.split()))),
        potential_energy=lambda q: GRAVITY * q[last],
        constraints=rows,
    )


def cone_cases() -> list[Case]:
    """The cone x² + y² = z² at its apex: at rest a circle of accelerations, along a generator one."""
    system = particle("cone", "x y z", [g.Holonomic("cone", lambda q: q.x**2 + q.y**2 - q.z**2)], "z")

    def circle(a: np.ndarray) -> np.ndarray:
        radius = float(np.hypot(a[0], a[1]))
        across = a[:2] / radius if radius > 0.0 else np.array([1.0, 0.0])
        return GRAVITY / 2 * np.array([*across, -1.0])

    along = np.array([-GRAVITY / 2, 0.0, -GRAVITY / 2])
    origin = np.zeros(3)
    return [
        Case("cone, apex, at rest", system, origin, origin, circle),
        Case("cone, apex, along a generator", system, origin, np.array([1.0, 0.0, 1.0]), along),
    ]


def rod_case() -> Case:
    """A pendulum of 1 m whose rod is given twice, once at 5 times the size."""

    def rod(q: Any) -> Any:
        return q.x**2 + q.y**2 - 1.0

    rows = [g.Holonomic("rod", rod), g.Holonomic("rod again", lambda q: 5.0 * rod(q))]
    system = particle("pendulum", "x y", rows, "y")
    angle, rate = 0.7, 2.0
    down, along = np.array([np.sin(angle), -np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
    exact = -GRAVITY * np.sin(angle) * along - rate**2 * down
    return Case("pendulum, rod given twice", system, down, rate * along, exact)


def locked_case() -> Case:
    """A pin between two bars in one line: movable to first order, and yet it cannot move."""
    bars = [g.Holonomic(name, lambda q, c=c: (q.x - c) ** 2 + q.y**2 - 1.0) for name, c in (("left", -1), ("right", 1))]
    return Case("pin between two bars", particle("pin", "x y", bars, "y"), np.zeros(2), np.zeros(2), np.zeros(2))


LOAD = (0.35, 0.45)  # m
LEGS = ((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5))  # m


def table_case() -> Case:
    """A light plate on four legs with a load of 1 kg: height z and two small slopes, the gaps linear in them."""
    x0, y0 = LOAD
    legs = [g.Unilateral(f"leg {k}", lambda q, x=x, y=y: q.z + x * q.b + y * q.c) for k, (x, y) in enumerate(LEGS)]
    system = g.System(
        "table",
        coordinates="z b c",
        kinetic_energy=lambda v: 0.5 * (v.z + x0 * v.b + y0 * v.c) ** 2 + 0.02 * (v.z**2 + v.b**2 + v.c**2),
        potential_energy=lambda q: GRAVITY * (q.z + x0 * q.b + y0 * q.c),
        constraints=legs,
    )
    return Case("table on four legs", system, np.zeros(3), np.zeros(3), np.zeros(3))


def cases() -> list[Case]:
    """Return all cases, in the order of the table."""
    chain = four_bar()["chain"]
    models = {N: chain(N) for N in (1, 2, 5, 40)}
    result = [chain_case(models[2], 2, 1.0)]
    result += [chain_case(model, N, 0.0) for N, model in models.items()]
    result += [chain_case(models[2], 2, 10.0**-k) for k in (3, 4, 6, 8, 10, 12)]
    result += [chain_case(models[2], 2, 10.0**-k, 1e-13) for k in (3, 4, 6, 8, 10, 12)]
    result += [chain_case(models[2], 2, 10.0**-k, 1e-13, projected=True) for k in (3, 4, 6, 8)]
    return [*result, *cone_cases(), rod_case(), locked_case(), table_case()]


# ------------------------------------------------------------------ the tables


def numbers(case: Case) -> Numbers:
    """Return M, f, J, γ at the state of a case."""
    p = g.principle.GaussProblem.at(case.system, case.system.state(case.q, case.v))
    return Numbers(p.M, p.f, p.rows.J, p.rows.lower, bool(np.any(p.rows.upper == np.inf)))


def error(case: Case, p: Numbers, a: np.ndarray) -> float:
    """Return the relative distance in the mass metric of an acceleration from the nearest that is right."""

    def size(x: np.ndarray) -> float:
        return float(np.sqrt(x @ p.M @ x))

    nearest = case.right(a)
    return size(a - nearest) / (size(nearest) or size(p.free))


def shown(number: float) -> str:
    """Return an error with one digit, as 0 where it is nothing."""
    return f"{number:.0e}" if number > 1e-30 else "0"


def outcome(case: Case, p: Numbers, method: Callable[[Numbers], tuple[np.ndarray, np.ndarray]]) -> str:
    """Return what a method does: its error, or why there is no number."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            a, _ = method(p)
    except (np.linalg.LinAlgError, RuntimeError, ArithmeticError) as trouble:
        return "infeasible" if "infeasible" in str(trouble).lower() else "raises"
    return shown(error(case, p, a)) if np.all(np.isfinite(a)) else "nan"


def by_gauss(case: Case) -> tuple[str, float, bool]:
    """Return the verdict of `gauss.classify`, the worst error of its accelerations of least Zwang, and its doubt.

    Doubt is an estimated error of more than a tenth of the acceleration, which `warnings` then puts in words.
    """
    found = g.classify(case.system, case.q, case.v)
    p = numbers(case)
    if found.answer is not None:
        size = max(float(np.sqrt(a @ p.M @ a)) for a in (found.a, p.free))
        return found.verdict, error(case, p, found.a), found.error > DOUBT * size
    members = [c.a for c in found.accelerations.least()]
    members += [a for family in found.accelerations.continua for a in family.sample(100)]
    return f"{found.verdict}, {found.accelerations.status}", max(error(case, p, a) for a in members), False


def table(rows: list[list[str]]) -> str:
    """Return lines of a Markdown table."""
    head, *rest = rows
    lines = [head, ["---"] * len(head), *rest]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    """Print the table of accelerations, and that of the forces of the legs."""
    lines = [["state", *METHODS, "gauss", "verdict"]]
    for case in cases():
        p = numbers(case)
        verdict, missed, doubt = by_gauss(case)
        mine = shown(missed) + ("*" if doubt else "")
        lines.append([case.label, *(outcome(case, p, f) for f in METHODS.values()), mine, verdict])
    print("Relative errors of the acceleration; * with a warning that the state does not determine it\n")
    print(table(lines))
    case = table_case()
    p, found = numbers(case), g.classify(case.system, case.q).reactions
    assert found is not None
    lines = [["leg at", *METHODS, "gauss: from", "to"]]
    forces = {}
    for name, method in METHODS.items():
        try:
            forces[name] = [f"{x:.3f}" for x in method(p)[1]]
        except (np.linalg.LinAlgError, RuntimeError, ArithmeticError):
            forces[name] = ["raises"] * len(LEGS)
    for k, place in enumerate(LEGS):
        low, high = found.range_of(f"leg {k}")
        lines.append([f"({place[0]:g}, {place[1]:g})", *(forces[m][k] for m in METHODS), f"{low:.3f}", f"{high:.3f}"])
    print(f"\nForces of the four legs in N, load {GRAVITY:g} N at ({LOAD[0]:g}, {LOAD[1]:g})\n")
    print(table(lines))


if __name__ == "__main__":
    main()
