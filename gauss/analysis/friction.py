"""Claims about a motion with friction: the recorded accelerations among all that the law of friction admits."""

from __future__ import annotations

import numpy as np

from gauss.analysis.claims import Claim
from gauss.analysis.states import evenly
from gauss.contact import admits, in_space, solve_contacts
from gauss.contact.problem import frozen_contacts
from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised
from gauss.foundation.tolerances import RESTS
from gauss.model.state import State
from gauss.motion import Trajectory, require_run
from gauss.principle import GaussProblem
from gauss.principle.contact_sizes import contact_sizes
from gauss.principle.metric import Metric

SAMPLES = 20  # states of a run at which all solutions are enumerated
SLOW = 1e-8  # share of the largest slip below which its direction in space is taken from the record
ENUMERATED = 1e-9  # distance to the nearest solution, relative to the accelerations: the tolerance of the enumeration


@advised
def friction_claims(run: Trajectory, samples: int = SAMPLES) -> list[Claim]:
    """Return claims about the contact forces of a run; none for a run without friction.

    At `samples` states the recorded acceleration is compared with the nearest of all solutions of the law of friction,
    which are enumerated there from the state alone; the steps know nothing of the enumeration. None are
    returned for a run from a file without its model. Raises InputError for what is no run.

    >>> import gauss as g
    >>> floor = g.Unilateral("floor", lambda q: q.z, friction=g.Coulomb(0.3, lambda v: v.x))
    >>> block = g.System("block", "x z", mass_matrix=[[1, 0], [0, 1]], force=[0, -9.81], constraints=[floor])
    >>> claims = g.analysis.friction_claims(g.simulate(block, [0, 0], [1, 0], t_end=0.1), samples=3)
    >>> [claim.holds for claim in claims], claims[1].name
    ([True, True, True], 'friction does no positive work')
    """
    require_run(run)
    setting = run.setting
    if setting is None or not run.about.contacts or not len(run):
        return []
    states = evenly(run, samples)
    if in_space(setting.system):
        fastest = _fastest(run)
        distances = [_distance_in_space(run, i, fastest) for i in states]
    else:
        distances = [_distance(run, i) for i in states]
    return [
        Claim(
            "accelerations are among the solutions of the law of friction",
            max(distances),
            ENUMERATED,
            f"tolerance of the enumeration of all modes, at {samples} states",
        ),
        Claim(
            "friction does no positive work",
            max(0.0, float(np.max(np.diff(run.friction_work), initial=0.0))),
            1e-12 * max(1.0, float(np.max(np.abs(run.energy), initial=0.0))),
            "rounding, in every step",
        ),
        Claim("no friction force outside its cone", _outside(run), 1e-10, "rounding of located events"),
    ]


def _distance(run: Trajectory, i: int) -> float:
    """Return how far a recorded acceleration is from the nearest solution, relative to accelerations in the metric."""
    assert run.setting is not None
    system = run.setting.system
    state = State(run.q[i], run.v[i], float(run.t[i]))
    smooth: dict[int, float] = {j: 1.0 for j, c in enumerate(system.contacts) if c.static == 0.0}
    rest = _resting(run, state)
    signs = smooth | _before_events(run, state, rest, i)
    problem = frozen_contacts(system, state, _closed(run, i), run.setting.controls_at(state), signs, rest)
    verdict = solve_contacts(problem)
    if verdict.unproved and not verdict.problem.pinned and admits(verdict.problem, run.a[i]):
        return 0.0  # beside the one that was found
    found = np.vstack([s.accelerations for s in verdict.every]) if verdict.every else np.zeros((0, system.n))
    return _nearest(verdict.metric, found, run.a[i])


def _nearest(metric: Metric, found: Array, a: Array) -> float:
    """Return how far a is from the nearest of some accelerations (c, n), relative to accelerations in the metric."""
    size = max(1.0, metric.norm(a), metric.norm(metric.reference))
    gaps = np.linalg.norm((found - a) @ metric.L, axis=1) / size
    return float(np.min(gaps, initial=np.inf))


def _distance_in_space(run: Trajectory, i: int, fastest: list[float]) -> float:
    """Return the same for contacts in space; `fastest` has the largest slip velocity of each in the run."""
    assert run.setting is not None
    assert run.sliding is not None
    system = run.setting.system
    state, ways = State(run.q[i], run.v[i], float(run.t[i])), {}
    terms = system.model.terms(state.q, state.v, state.t, run.setting.theta)
    for j, contact in enumerate(system.contacts):
        c, speed = run.sliding[i, list(contact.slip)], float(np.linalg.norm(terms.psi[list(contact.slip)]))
        if np.any(c) and speed <= SLOW * fastest[j]:  # as it comes to rest, or begins to slip
            way = c / np.linalg.norm(c)
            ways[j] = (float(way[0]), float(way[-1]) if len(way) == 2 else 0.0)
    u = run.setting.controls_at(state)
    verdict = solve_contacts(frozen_contacts(system, state, _closed(run, i), u, ways, _resting(run, state)))
    metric = GaussProblem.at(system, state, u).metric
    found = np.array([s.a for s in verdict.solutions]).reshape(len(verdict.solutions), system.n)
    return _nearest(metric, found, run.a[i])


def _closed(run: Trajectory, i: int) -> list[int]:
    """Return the unilateral rows that are closed at a recorded state."""
    assert run.setting is not None
    return [k for k in run.setting.system.model.unilateral if run.active[i, k] or run.multipliers[i, k] > 0.0]


def _fastest(run: Trajectory) -> list[float]:
    """Return the largest slip velocity of each contact in a run."""
    assert run.setting is not None
    _, psi = run.setting.system.model.batch_residuals(run.q, run.v, run.t, run.setting.theta)
    slips = [list(contact.slip) for contact in run.setting.system.contacts]
    return [float(np.max(np.linalg.norm(psi[:, slip], axis=1), initial=0.0)) for slip in slips]


def _before_events(run: Trajectory, state: State, rest: Array, i: int) -> dict[int, float]:
    """Return the slip signs of contacts that are recorded as sliding where their slip is zero: as they come to rest."""
    if run.sliding is None:
        return {}
    assert run.setting is not None
    system, signs = run.setting.system, {}
    terms = system.model.terms(state.q, state.v, state.t, run.setting.theta)
    for j, contact in enumerate(system.contacts):
        k = contact.slip[0]
        if run.sliding[i, k] != 0.0 and abs(terms.psi[k]) <= rest[k]:
            signs[j] = -float(np.sign(run.multipliers[i, k]))
    return signs


def _resting(run: Trajectory, state: State) -> Array:
    """Return the rates (m,) of the rows of a run up to which a slip is none, as the run has them."""
    assert run.setting is not None
    system, theta = run.setting.system, run.setting.theta
    terms = system.model.terms(state.q, state.v, state.t, theta)
    return contact_sizes(system, state, terms, theta, span=float(run.t[-1] - run.t[0])).rate(RESTS)


def _outside(run: Trajectory) -> float:
    """Return by how much the recorded friction leaves its cone at most, relative to the largest contact force."""
    assert run.setting is not None
    worst = 0.0
    for contact in run.setting.system.contacts:
        t: Array = np.linalg.norm(run.multipliers[:, list(contact.slip)], axis=1)
        load = np.linalg.norm(run.multipliers[:, list(contact.load)], axis=1) if contact.load else np.ones(len(t))
        limit = contact.static * load
        size = max(float(np.max(limit, initial=0.0)), float(np.max(t, initial=0.0)), 1e-300)
        worst = max(worst, float(np.max(t - limit, initial=0.0)) / size)
    return worst
