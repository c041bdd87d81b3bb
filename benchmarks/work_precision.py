"""Work and precision: error at the end and processor time for rtol from 1e-5 to 1e-11, beside other programs.

    python benchmarks/work_precision.py [--only P1 P2] [--rounds 3] [--json FILE] [--figure FILE]

P1, P2, P3, P4 with 10 links and P6 of `problems.py`. The error is the largest of the position at the end, in m and
rad, against a closed form (P1: Jacobi's elliptic functions, P6: the cycloid) or, for P2 to P4, against SciPy's DOP853
at rtol 2.3e-14 in equations by hand; `unsure` is how far `simulate` at rtol 1e-13 is from it, and smaller errors tell
nothing.

* `osqp`, `kkt`: `simulate`, which certifies and projects every state, with and without its quadratic program;
* `solve_ivp`: SciPy's DOP853 with equations by hand, without projection;
* `heyoka`: Taylor series of the same equations, compiled by LLVM, for P1 to P4, and `taylor`: `simulate` with that
  method; left out with a line where heyoka is not installed (the extra `bench`). Compilation is not counted;
* `pinocchio`: SciPy's DOP853 with its articulated-body algorithm in joint angles, for pendulums and chains, where it is
  installed.

All take their turns in each round; the best round counts.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from problems import G, Problem, milliseconds, problems
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

RTOLS = [10.0**-k for k in range(5, 12)]
NAMES = ("P1", "P2", "P3", "P4-10", "P6")
REACHED = 1e-8  # m, at which times are compared

Motion = Callable[[], np.ndarray]  # the position at the end


def gauss(problem: Problem, rtol: float, **options: str) -> np.ndarray:
    return problem.simulate(rtol, atol=1e-2 * rtol, **options).q[-1]


def by_hand(problem: Problem, rtol: float) -> np.ndarray:
    return problem.solve_ivp(rtol)[: len(problem.q)]


def exact(name: str, problem: Problem) -> np.ndarray:
    """The position at the end."""
    t = problem.t_end
    if name == "P1":  # sin(θ/2) = k sn(K − √g t), θ from the vertical
        k2 = 0.5
        sn, _, dn, _ = ellipj(ellipk(k2) - np.sqrt(G) * t, k2)
        return np.array([2.0 * np.sqrt(k2) * sn * dn, -(1.0 - 2.0 * k2 * sn**2)])
    if name == "P6":
        turned = problem.v[2] * t
        path = (1.0 - np.cos(2.0 * turned), 2.0 * turned - np.sin(2.0 * turned))
        return np.array([*np.array(path) / (4.0 * problem.v[2] ** 2), turned])
    return by_hand(problem, 2.3e-14)


def taylor(problem: Problem, rtol: float) -> Motion:
    """The motion by heyoka, its equations J a = γ, a = f + Jᵀλ solved by elimination in symbols."""
    import heyoka as hy

    n, m = len(problem.q), len(problem.rods)
    q, v = ([hy.make_vars(f"{name}{k}") for k in range(n)] for name in "qv")
    J: list[dict[int, Any]] = []
    right = []
    for i, j, _, fixed in problem.rods:
        other = None if j is None else slice(2 * j, 2 * j + 2)
        away = [a - b for a, b in zip(q[2 * i : 2 * i + 2], fixed if other is None else q[other], strict=True)]
        rate = [a - b for a, b in zip(v[2 * i : 2 * i + 2], (0.0, 0.0) if other is None else v[other], strict=True)]
        J.append(
            {2 * i + k: away[k] for k in range(2)} | ({} if j is None else {2 * j + k: -away[k] for k in range(2)})
        )
        right.append(-sum(r**2 for r in rate) + G * sum(x for k, x in J[-1].items() if k % 2))
    A = [[sum((one[k] * two[k] for k in one if k in two), hy.expression(0.0)) for two in J] for one in J]
    for k, i in itertools.combinations(range(m), 2):
        share = A[i][k] / A[k][k]
        A[i] = [a - share * b for a, b in zip(A[i], A[k], strict=True)]
        right[i] = right[i] - share * right[k]
    force: list[Any] = [hy.expression(0.0)] * m
    for k in reversed(range(m)):
        force[k] = (right[k] - sum((A[k][j] * force[j] for j in range(k + 1, m)), hy.expression(0.0))) / A[k][k]
    a = [
        sum((J[r][k] * force[r] for r in range(m) if k in J[r]), hy.expression(-G if k % 2 else 0.0)) for k in range(n)
    ]
    start = np.concatenate([problem.q, problem.v])
    integrator = hy.taylor_adaptive([*zip(q, v, strict=True), *zip(v, a, strict=True)], start, tol=rtol)

    def motion() -> np.ndarray:
        integrator.time, integrator.state[:] = 0.0, start
        integrator.propagate_until(problem.t_end)
        return integrator.state[:n].copy()

    return motion


def pinocchio(problem: Problem, rtol: float) -> Motion:
    """The motion in the angles of a chain that begins along x, each relative to the link before."""
    import pinocchio as pin

    model, place = pin.Model(), pin.SE3.Identity()
    model.gravity.linear = np.array([0.0, -G, 0.0])
    lengths = np.array([length for *_, length, _ in problem.rods])
    for k, length in enumerate(lengths):
        end = np.array([length, 0.0, 0.0])
        joint = model.addJoint(k, pin.JointModelRZ(), place, f"joint {k}")
        model.appendBodyToJoint(joint, pin.Inertia(1.0, end, np.zeros((3, 3))), pin.SE3.Identity())
        place = pin.SE3(np.eye(3), end)
    n, data = model.nq, model.createData()
    still = np.zeros(n)

    def rhs(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], still)])

    def motion() -> np.ndarray:
        y = solve_ivp(rhs, (0.0, problem.t_end), np.zeros(2 * n), method="DOP853", rtol=rtol, atol=1e-2 * rtol).y
        turned = np.cumsum(y[:n, -1])
        return np.cumsum(lengths * [np.cos(turned), np.sin(turned)], axis=1).T.ravel()

    return motion


def is_chain(problem: Problem) -> bool:
    """Whether each particle hangs on the one before."""
    links = [(i, j) for i, j, *_ in problem.rods]
    return bool(links) and links == [(k, k - 1 if k else None) for k in range(len(problem.q) // 2)]


def programs(problem: Problem) -> dict[str, dict[float, Motion]]:
    """The motion by each program and rtol."""
    found = {
        "osqp": {rtol: partial(gauss, problem, rtol) for rtol in RTOLS},
        "kkt": {rtol: partial(gauss, problem, rtol, solver="kkt") for rtol in RTOLS},
        "solve_ivp": {rtol: partial(by_hand, problem, rtol) for rtol in RTOLS},
    }
    if importlib.util.find_spec("heyoka") is not None:
        found["taylor"] = {rtol: partial(gauss, problem, rtol, method="taylor") for rtol in RTOLS}
        if problem.rods:
            found["heyoka"] = {rtol: taylor(problem, rtol) for rtol in RTOLS}
    if importlib.util.find_spec("pinocchio") is not None and is_chain(problem):
        found["pinocchio"] = {rtol: pinocchio(problem, rtol) for rtol in RTOLS}
    return found


def time_to(reached: float, points: list[list[float]]) -> float:
    """The time in ms at which a program reaches an error, by interpolation of logarithms; nan where it does not."""
    errors, times = np.log(np.maximum(points, 1e-300)).T[:, np.argsort([p[0] for p in points])]
    return float(np.exp(np.interp(np.log(reached), errors, times, left=np.nan, right=np.nan)))


def draw(table: dict[str, Any], file: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.2 * len(table), 3.4), layout="constrained")
    grid = figure.subplots(1, len(table), squeeze=False, sharey=True)
    for axes, (name, entry) in zip(grid[0], table.items(), strict=True):
        for program, points in entry["points"].items():
            axes.loglog(*np.transpose(points), ".-", label=program)
        axes.axvspan(1e-16, max(entry["unsure"], 1e-15), color="0.9")
        axes.set(title=name, xlabel="error at the end / m", xlim=(1e-14, None))
    figure.axes[0].set_ylabel("processor time / ms")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside right center")
    figure.savefig(file, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--figure", type=Path)
    given = parser.parse_args()
    for peer in ("heyoka", "pinocchio"):
        if importlib.util.find_spec(peer) is None:
            print(f"{peer} is not installed and left out: pip install gauss-dynamics[bench]")
    table: dict[str, Any] = {}
    for name, problem in problems(*given.only).items():
        truth, works = exact(name, problem), programs(problem)
        points: dict[str, list[list[float]]] = {program: [] for program in works}
        for rtol in RTOLS:
            motions = {program: works[program][rtol] for program in works}
            errors = {program: float(np.max(np.abs(motion() - truth))) for program, motion in motions.items()}
            times = dict.fromkeys(motions, np.inf)
            for _ in range(given.rounds):
                times = {program: min(times[program], milliseconds(motion)) for program, motion in motions.items()}
            for program in motions:
                points[program].append([errors[program], times[program]])
        unsure = float(np.max(np.abs(gauss(problem, 1e-13) - truth)))
        reach = {program: time_to(REACHED, each) for program, each in points.items()}
        table[name] = {"points": points, "unsure": unsure, f"ms to {REACHED:g}": reach}
        print(
            f"{name}, unsure {unsure:.0e}; error and ms for rtol from {RTOLS[0]:g} to {RTOLS[-1]:g}, ms to {REACHED:g}"
        )
        for program, each in points.items():
            print(f"  {program:10}", *(f"{e:8.0e}{t:7.2f}" for e, t in each), f"{reach[program]:9.2f}")
    if given.json:
        given.json.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    if given.figure:
        draw(table, given.figure)


if __name__ == "__main__":
    main()
