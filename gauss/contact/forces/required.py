"""How much friction is needed: the least coefficient at which an equilibrium, or a wedge, is possible.

With a common coefficient μ at the contacts that stick, their forces form the cone C(μ) of all Σ (Nᵀp + Tᵀt) with
|t| ≤ μ p, which grows with μ. An acceleration is possible if and only if M a − f lies in C(μ), and forces without any
load if C(μ) holds a combination of zero with p ≠ 0. Both set in at one value of μ. It is enclosed by bisection, each
step of which is a non-negative least-squares problem: below, its residual separates the load from the cone; above, its
solution is a set of forces. The value itself is then solved for, with w, from G(μ) w = load on the rays that carry.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gauss.contact.forces.force_sets import (
    MISSED,
    Scaled,
    nearest,
    patterns,
    rays,
    require_plane,
    require_problem,
    scaled_at,
)
from gauss.contact.forces.polyhedral import polyhedral_forces
from gauss.contact.forces.required_in_space import required_in_space
from gauss.contact.problem import ContactProblem
from gauss.errors import InputError
from gauss.foundation.arrays import Array, lengths_of
from gauss.foundation.outcomes import Shown

LARGEST = 1e6  # coefficients above this are not looked at
HALVINGS = 200
SMALLEST = 1e-12  # below this the bisection ends, too
WIDTH = 1e-11  # relative width at which the bisection ends
SMALL = 1e-6  # rays that carry less than this share of the largest one carry nothing at the least coefficient
GROWING = 1e5  # forces that exceed the load by this factor near the least coefficient grow beyond bounds there


@dataclass(frozen=True, repr=False)
class RequiredCoefficient(Shown):
    """The least coefficient of friction at the contacts that stick, and which of them need it."""

    value: float  # inf if no coefficient suffices
    attained: bool  # False if it suffices only above the value, with forces that grow without bound towards it
    contacts: tuple[str, ...]  # whose coefficient is meant
    below: float = np.nan  # in the plane a coefficient that is proved not to suffice; value − below is left open
    limiting: tuple[str, ...] = ()  # in the plane contacts at the limit of friction at the value, whatever the forces
    normal: Array | None = None  # (k,) in the plane normal forces found at the value, N; over their sum without a load
    tangential: Array | None = None  # (k,) friction forces, likewise

    def __str__(self) -> str:
        if not np.isfinite(self.value):
            return "no coefficient of friction suffices"
        if self.value == 0.0 and self.attained:
            return "no friction is needed"
        text = f"least coefficient {self.value:.9g}"
        if not self.attained:
            more = f"every coefficient above {self.value:.9g} suffices"
            text = f"{more}, that itself does not: towards it forces grow beyond all bounds"
        return text + (f", at the limit there: {', '.join(self.limiting)}" if self.limiting else "")


def required_coefficient(
    problem: ContactProblem, a: object = None, *, contacts: Sequence[str] | None = None
) -> RequiredCoefficient:
    """Return the least coefficient, the same at all sticking contacts, with which the acceleration a (n,) is possible.

    Without a equilibrium is meant, a = 0. `contacts` names those whose coefficient is asked; others keep their μ_s.
    Raises InputError where the constraints do not admit a, where no contact sticks, for unknown names and for dry pins,
    SolverError in space as `contact_forces` does.

    >>> import gauss as g
    >>> floor = {"N": [[0, 1]], "nu": [0], "T": [[1, 0]], "tau": [0], "coefficient": [0.5], "names": ["floor"]}
    >>> block = g.contact.ContactProblem.of([[2, 0], [0, 2]], [5, -20], **floor)
    >>> print(g.contact.required_coefficient(block))  # 5 N/20 N
    least coefficient 0.25, at the limit there: floor
    """
    a = np.zeros(len(require_problem(problem).f)) if a is None else a
    if problem.in_space:
        names = _named(problem, contacts)
        return RequiredCoefficient(*required_in_space(problem, a, names), tuple(names))
    scaled = scaled_at(problem, a)
    asked = _asked(problem, scaled, contacts)
    found = _least(scaled, asked, scaled.load)
    if not found.attained or found.value == 0.0:
        return found
    at_value = replace(problem, static=np.where(asked > 0.0, found.value, problem.static))
    limits = polyhedral_forces(at_value, scaled.a, {}).at_limit
    limiting = (name for name, own, s in zip(problem.names, asked, limits, strict=True) if own and s)
    return replace(found, limiting=tuple(limiting))


def jamming_coefficient(problem: ContactProblem, *, contacts: Sequence[str] | None = None) -> RequiredCoefficient:
    """Return the least coefficient at which contacts at rest can press on one another without any load (wedging).

    For a wedge between two walls this is the tangent of its half angle. `contacts` is as in `required_coefficient`.
    Contacts that slide count with the friction of their sliding. Raises InputError where no contact sticks, and for
    unknown names, and in space.
    """
    scaled = scaled_at(problem, np.zeros(len(require_plane(problem).f)), rest=True)
    return _least(scaled, _asked(problem, scaled, contacts), None)


def _named(problem: ContactProblem, contacts: Sequence[str] | None) -> list[str]:
    """Return the names of the contacts that are asked about. Raises InputError."""
    if not isinstance(contacts, str | Iterable | None):
        raise InputError(f"contacts must be a list of names of contacts, got {contacts!r}.")
    names = list(problem.names) if contacts is None else [contacts] if isinstance(contacts, str) else list(contacts)
    unknown = [repr(name) for name in names if name not in problem.names]
    if unknown:
        raise InputError(
            f"{', '.join(unknown)} is no closed contact; these are {', '.join(map(repr, problem.names)) or 'none'}."
        )
    return names


def _asked(problem: ContactProblem, scaled: Scaled, contacts: Sequence[str] | None) -> Array:
    """Return which contacts (k,) are asked about, as 0 or 1. Raises InputError."""
    names = _named(problem, contacts)
    frictional = np.any(problem.T != 0.0, axis=1)  # a row without friction
    asked = np.isin(problem.names, names) & (scaled.slipping == 0.0) & frictional & scaled.closed & ~problem.limited
    if not np.any(asked):
        raise InputError(
            "no frictional contact sticks at this acceleration, so there is no coefficient to ask for: the friction of"
            " contacts that slide is what the law says."
        )
    return np.asarray(asked, dtype=float)


@dataclass(frozen=True)
class _Trial:
    """The cone at one coefficient."""

    mu: float
    w: Array  # (w,) weights of the unit rays
    missed: float
    Q: Array  # (m + 2k, w) forces of each unit ray
    E: Array  # (e, w) rows of constant limits
    offset: Array  # (m + 2k,)
    target: Array  # (n + e,)

    @property
    def x(self) -> Array:
        """The forces (m + 2k,)."""
        return np.asarray(self.offset + self.Q @ self.w)

    @property
    def fits(self) -> bool:
        return self.missed <= MISSED + 1e-15 * float(np.sum(np.abs(self.w)))


def _least(scaled: Scaled, asked: Array, load: Array | None) -> RequiredCoefficient:
    """Return the least coefficient over all signs of contacts held from both sides; without a load, for wedging."""
    best: RequiredCoefficient | None = None
    for side in patterns(scaled.problem, np.where(asked > 0.0, 1.0, scaled.problem.static)):
        found = _of_pattern(scaled, asked, load, side)
        if best is None or found.value < best.value:
            best = found
    assert best is not None
    return best


def _trial(scaled: Scaled, asked: Array, load: Array | None, side: Array, mu: float) -> _Trial:
    """Return the forces nearest to the load at a coefficient, or nearest to zero with Σ w = 1 over the contacts."""
    found = rays(scaled, np.where(asked > 0.0, mu, scaled.problem.static), side)
    if load is None:  # constant limits hold no forces of any size
        held = found.owner < scaled.m + scaled.problem.k
        found = replace(found, Q=found.Q[:, held], sign=found.sign[held], owner=found.owner[held])
        found = replace(found, E=np.zeros((0, len(found.sign))), right=np.zeros(0), offset=0.0 * found.offset)
    G = found.table(scaled)
    length = lengths_of(G.T)
    Q, E = found.Q / length, found.E / length
    if load is not None:
        target = found.target(scaled)
        w, missed = nearest(G / length, found.sign, target)
    else:
        target = np.zeros(len(G))
        pressing = np.where(found.owner >= scaled.m, 1.0, 0.0)
        w, missed = nearest(np.vstack([G / length, pressing]), found.sign, np.append(target, 1.0))
    return _Trial(mu, w, missed, Q, E, found.offset, target)


def _of_pattern(scaled: Scaled, asked: Array, load: Array | None, side: Array) -> RequiredCoefficient:
    low, high = _trial(scaled, asked, load, side, 0.0), _trial(scaled, asked, load, side, 1.0)
    if low.fits:
        return _result(scaled, asked, low, low.x, 0.0, load is None)
    while not high.fits and high.mu < LARGEST:
        low, high = high, _trial(scaled, asked, load, side, 4.0 * high.mu)
    if not high.fits:
        nothing = np.full(scaled.problem.k, np.nan)
        names = tuple(np.array(scaled.problem.names, dtype=object)[asked > 0.0].tolist())
        return RequiredCoefficient(np.inf, False, names, high.mu, (), nothing, nothing)
    for _ in range(HALVINGS):
        if high.mu - low.mu <= WIDTH * high.mu or high.mu < SMALLEST:
            break
        middle = _trial(scaled, asked, load, side, 0.5 * (low.mu + high.mu))
        low, high = (low, middle) if middle.fits else (middle, high)
    mu, x = _polished(scaled, asked, load, high)
    return _result(scaled, asked, high, x, low.mu, load is None, mu)


def _polished(scaled: Scaled, asked: Array, load: Array | None, trial: _Trial) -> tuple[float, Array]:
    """Return the coefficient and forces x at which the rays that carry give the load exactly, by Newton's method.

    Where the rays do not determine the coefficient, or lead away from it, the forces of the trial are returned.
    """
    m, k = scaled.m, scaled.problem.k
    carrying = np.abs(trial.w) > SMALL * float(np.max(np.abs(trial.w), initial=0.0))
    growing = load is not None and float(np.max(np.abs(trial.w))) > GROWING
    homogeneous = load is None or growing
    share = scaled.length[m + k :] / scaled.length[m : m + k]
    # rays with p = ±1 in the relative unit, t = s μ share p; the others as they are
    Q, E, w = trial.Q[:, carrying], trial.E[:, carrying], trial.w[carrying]
    x_p = np.sum(np.abs(Q[m : m + k]), axis=0)
    scale = np.where(x_p > 0.0, x_p, 1.0)
    Q, E, w = Q / scale, E / scale, w * scale
    limits = np.sign(Q[m + k :]) * (asked > 0.0)[:, None] * share[:, None]  # (k, w) t over μ of each ray
    fixed = Q.copy()
    fixed[m + k :] = np.where(limits != 0.0, 0.0, Q[m + k :])
    turned = np.vstack([np.zeros((m + k, Q.shape[1])), limits])
    target = 0.0 * trial.target if homogeneous else trial.target
    total = np.where(x_p > 0.0, 1.0, 0.0)
    if homogeneous:
        w = w / float(total @ w)
    mu = trial.mu
    for _ in range(8):
        G = np.vstack([scaled.B.T @ (fixed + mu * turned), E])
        column = np.concatenate([scaled.B.T @ (turned @ w), np.zeros(len(E))])
        table, miss = np.column_stack([G, column]), target - G @ w
        if homogeneous:
            table, miss = np.vstack([table, np.append(total, 0.0)]), np.append(miss, 1.0 - float(total @ w))
        off = table[:, -1] - table[:, :-1] @ np.linalg.lstsq(table[:, :-1], table[:, -1], rcond=1e-12)[0]
        if np.linalg.norm(off) <= 1e-7 * max(float(np.linalg.norm(table[:, -1])), 1e-300):
            break
        step = np.linalg.lstsq(table, miss, rcond=1e-13)[0]
        w, mu = w + step[:-1], mu + float(step[-1])
    x = (fixed + mu * turned) @ w + (0.0 if homogeneous else trial.offset)
    G = np.vstack([scaled.B.T @ (fixed + mu * turned), E])
    good = float(np.linalg.norm(target - G @ w)) <= 1e-11 and float(np.min(w * (total > 0.0), initial=0.0)) >= -1e-9
    near = abs(mu - trial.mu) <= 1e-4 * max(trial.mu, 1e-4)
    return (mu, x) if good and near else (trial.mu, trial.x)


def _result(
    scaled: Scaled, asked: Array, trial: _Trial, x: Array, below: float, unloaded: bool, mu: float | None = None
) -> RequiredCoefficient:
    """Return the answer for forces x at the coefficient of a trial, or at a polished one."""
    m, k, p = scaled.m, scaled.problem.k, scaled.problem
    value = trial.mu if mu is None else max(mu, 0.0)
    names = np.array(p.names, dtype=object)
    growing = not unloaded and float(np.max(np.abs(trial.w), initial=0.0)) > GROWING
    value = 0.0 if growing and value < SMALLEST else value
    forces = x * scaled.units
    normal, tangential = forces[m : m + k], forces[m + k :]
    total = float(np.sum(np.abs(normal)))
    if (unloaded or growing) and total > 0.0:
        normal, tangential = normal / total, tangential / total
    ratio = np.abs(tangential) >= value * np.abs(normal) * (1.0 - 1e-6)
    at_limit = (asked > 0.0) & (np.abs(normal) > 1e-9 * total) & ratio & (value > 0.0)
    return RequiredCoefficient(
        value,
        not growing,
        tuple(names[asked > 0.0].tolist()),
        min(below, value),
        tuple(names[at_limit].tolist()),
        normal,
        tangential,
    )
