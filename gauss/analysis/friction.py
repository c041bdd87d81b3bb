"""Claims about a motion with rough contacts: the recorded accelerations among all that the law of friction admits."""

from __future__ import annotations

import numpy as np

from gauss.analysis.claims import Claim
from gauss.analysis.states import evenly
from gauss.contact.coulomb import SLIP_SHARE, FrictionModel
from gauss.contact.modes import solve_friction
from gauss.contact.rough import Contact, pinned_rows
from gauss.contact.space.solve import solve_cone
from gauss.contact.verdict import admits
from gauss.foundation.arrays import Array
from gauss.model.state import State
from gauss.motion import Trajectory
from gauss.motion.contacts.space import Place, cone_problem
from gauss.principle import GaussProblem
from gauss.principle.contact_sizes import contact_sizes
from gauss.principle.metric import Metric, metric_of

SAMPLES = 20  # states of a run at which all solutions are enumerated
SLOW = 1e-8  # share of the largest slip below which its direction in space is taken from the record
ENUMERATED = 1e-9  # distance to the nearest solution, relative to the accelerations: the tolerance of the enumeration


def friction_claims(run: Trajectory, samples: int = SAMPLES) -> list[Claim]:
    """Return claims about the contact forces of a run; none for a run without rough contacts.

    At `samples` states the recorded acceleration is compared with the nearest of all solutions of the law of friction,
    which are enumerated there from the state alone; the steps know nothing of the enumeration.
    """
    setting = run.setting
    if setting is None or not run.about.contacts or not len(run):
        return []
    index = {name: k for k, name in enumerate(run.about.rows)}
    rough = run.contacts
    states = evenly(run, samples)
    if any(len(slips) == 2 for _, _, slips in run.about.rough):
        fastest = _fastest(run, index)
        distances = [_distance_in_space(run, rough, i, fastest) for i in states]
    else:
        distances = [_distance(run, rough, i) for i in states]
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
        Claim("no friction force outside its cone", _outside(run, rough, index), 1e-10, "rounding of located events"),
    ]


def _distance(run: Trajectory, contacts: tuple[Contact, ...], i: int) -> float:
    """Return how far a recorded acceleration is from the nearest solution, relative to accelerations in the metric."""
    assert run.setting is not None
    system = run.setting.system
    state = State(run.q[i], run.v[i], float(run.t[i]))
    model = FrictionModel(system, contacts, None)
    smooth: dict[int, float] = {j: 1.0 for j, c in enumerate(contacts) if c.static == 0.0}
    signs = smooth | _before_events(run, model, state, i)
    rest = _resting(run, state)[[run.about.rows.index(slips[0]) for _, _, slips in run.about.rough]]
    verdict = solve_friction(model.frozen(state, _closed(run, i), run.setting.controls_at(state), signs, rest))
    if verdict.unproved and not verdict.problem.pinned and admits(verdict.problem, run.a[i]):
        return 0.0  # beside the one that was found
    found = np.vstack([s.accelerations for s in verdict.every]) if verdict.every else np.zeros((0, system.n))
    return _nearest(verdict.metric, found, run.a[i])


def _nearest(metric: Metric, found: Array, a: Array) -> float:
    """Return how far a is from the nearest of some accelerations (c, n), relative to accelerations in the metric."""
    size = max(1.0, metric.norm(a), metric.norm(metric.reference))
    gaps = np.linalg.norm((found - a) @ metric.L, axis=1) / size
    return float(np.min(gaps, initial=np.inf))


def _distance_in_space(run: Trajectory, contacts: tuple[Contact, ...], i: int, fastest: list[float]) -> float:
    """Return the same for contacts in space; `fastest` has the largest slip velocity of each in the run."""
    assert run.setting is not None
    assert run.sliding is not None
    system, rows = run.setting.system, run.about.rows
    state = State(run.q[i], run.v[i], float(run.t[i]))
    places, ways = [], {}
    terms = system.model.terms(state.q, state.v, state.t, run.setting.theta)
    for j, ((name, normal, slips), contact) in enumerate(zip(run.about.rough, contacts, strict=True)):
        assert normal is not None
        pair = [rows.index(slip) for slip in slips]
        places.append(Place(name, contact, rows.index(normal), tuple(pair)))
        c = run.sliding[i, pair]
        speed = float(np.linalg.norm(terms.psi[pair]))
        if np.any(c) and speed <= SLOW * fastest[j]:  # as it comes to rest, or begins to slip
            way = c / np.linalg.norm(c)
            ways[j] = (float(way[0]), float(way[-1]) if len(pair) == 2 else 0.0)
    u = run.setting.controls_at(state)
    verdict = solve_cone(cone_problem(system, places, state, _closed(run, i), u, ways, _resting(run, state)))
    metric = metric_of(GaussProblem.at(system, state, u))
    found = np.array([s.a for s in verdict.solutions]).reshape(len(verdict.solutions), system.n)
    return _nearest(metric, found, run.a[i])


def _closed(run: Trajectory, i: int) -> list[int]:
    """Return the unilateral rows that are closed at a recorded state."""
    assert run.setting is not None
    return [k for k in run.setting.system.model.unilateral if run.active[i, k] or run.multipliers[i, k] > 0.0]


def _fastest(run: Trajectory, index: dict[str, int]) -> list[float]:
    """Return the largest slip velocity of each contact in a run."""
    assert run.setting is not None
    _, psi = run.setting.system.model.batch_residuals(run.q, run.v, run.t, run.setting.theta)
    pairs = ([index[slip] for slip in slips] for _, _, slips in run.about.rough)
    return [float(np.max(np.linalg.norm(psi[:, pair], axis=1), initial=0.0)) for pair in pairs]


def _before_events(run: Trajectory, model: FrictionModel, state: State, i: int) -> dict[int, float]:
    """Return the slip signs of contacts that are recorded as sliding where their slip is zero: as they come to rest."""
    if run.sliding is None:
        return {}
    assert run.setting is not None
    rows, signs = run.about.rows, {}
    terms = model.system.model.terms(state.q, state.v, state.t, run.setting.theta)
    sizes = _resting(run, state)
    for j, (_, _, slip) in enumerate(run.about.contacts):
        k = rows.index(slip)
        if run.sliding[i, k] != 0.0 and abs(terms.psi[k]) <= sizes[k]:
            signs[j] = -float(np.sign(run.multipliers[i, k]))
    return signs


def _resting(run: Trajectory, state: State) -> Array:
    """Return the rates (m,) of the rows of a run up to which a slip is none, as the run has them."""
    assert run.setting is not None
    system, theta, rows = run.setting.system, run.setting.theta, run.about.rows
    terms = system.model.terms(state.q, state.v, state.t, theta)
    pairs = [
        (None if normal is None else rows.index(normal), [rows.index(slip) for slip in slips])
        for _, normal, slips in run.about.rough
    ]
    span = float(run.t[-1] - run.t[0])
    return contact_sizes(system, state, terms, theta, span=span, pairs=pairs).rate(SLIP_SHARE)


def _outside(run: Trajectory, contacts: tuple[Contact, ...], index: dict[str, int]) -> float:
    """Return by how much the recorded friction leaves its cone at most, relative to the largest contact force."""
    worst = 0.0
    pins = pinned_rows(contacts, run.about.rows)
    for j, ((_, normal, slips), contact) in enumerate(zip(run.about.rough, contacts, strict=True)):
        t: Array = np.linalg.norm(run.multipliers[:, [index[slip] for slip in slips]], axis=1)
        if j in pins:
            limit = float(contact.static or 0.0) * np.hypot(*run.multipliers[:, pins[j]].T)
        elif normal is None:
            limit = np.full(len(t), float(contact.static or 0.0))
        else:
            limit = float(contact.static or 0.0) * np.abs(run.multipliers[:, index[normal]])
        size = max(float(np.max(limit, initial=0.0)), float(np.max(t, initial=0.0)), 1e-300)
        worst = max(worst, float(np.max(t - limit, initial=0.0)) / size)
    return worst
