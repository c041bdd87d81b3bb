"""Claims about a motion with rough contacts: the recorded accelerations among all that the law of friction admits."""

from __future__ import annotations

import numpy as np

from gauss.analysis.claims import Claim
from gauss.analysis.states import evenly
from gauss.arrays import Array
from gauss.contact.coulomb import SLIP_SHARE, Contact, FrictionModel
from gauss.contact.modes import solve_friction
from gauss.motion import Trajectory
from gauss.principle.problem import row_size
from gauss.state import State

SAMPLES = 20  # states of a run at which all solutions are enumerated
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
    return [
        Claim(
            "accelerations are among the solutions of the law of friction",
            max(_distance(run, rough, i) for i in evenly(run, samples)),
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
    setting = run.setting
    system = setting.system
    state = State(run.q[i], run.v[i], float(run.t[i]))
    u = setting.parameters_at(state.t, state.q, state.v)[len(system.parameters) :]
    model = FrictionModel(system, contacts, None)
    closed = [k for k in system.model.unilateral if run.active[i, k] or run.multipliers[i, k] > 0.0]
    smooth: dict[int, float] = {j: 1.0 for j, c in enumerate(contacts) if c.static == 0.0}
    verdict = solve_friction(model.frozen(state, closed, u, smooth | _before_events(run, model, state, i)))
    found = np.vstack([s.accelerations for s in verdict.every]) if verdict.every else np.zeros((0, system.n))
    L = verdict.metric.L
    size = max(1.0, verdict.metric.norm(run.a[i]), verdict.metric.norm(verdict.metric.reference))
    gaps = np.linalg.norm((found - run.a[i]) @ L, axis=1) / size
    return float(np.min(gaps, initial=np.inf))


def _before_events(run: Trajectory, model: FrictionModel, state: State, i: int) -> dict[int, float]:
    """Return the slip signs of contacts that are recorded as sliding where their slip is zero: as they come to rest."""
    if run.sliding is None:
        return {}
    assert run.setting is not None
    rows, signs = run.about.rows, {}
    terms = model.system.model.terms(state.q, state.v, state.t, run.setting.theta)
    sizes = row_size(terms.J, state.v)
    for j, (_, _, slip) in enumerate(run.about.contacts):
        k = rows.index(slip)
        if run.sliding[i, k] != 0.0 and abs(terms.psi[k]) <= SLIP_SHARE * sizes[k]:
            signs[j] = -float(np.sign(run.multipliers[i, k]))
    return signs


def _outside(run: Trajectory, contacts: tuple[Contact, ...], index: dict[str, int]) -> float:
    """Return by how much the recorded friction leaves its cone at most, relative to the largest contact force."""
    worst = 0.0
    for (_, normal, slip), contact in zip(run.about.contacts, contacts, strict=True):
        t: Array = np.abs(run.multipliers[:, index[slip]])
        if normal is None:
            limit = np.full(len(t), float(contact.static or 0.0))
        else:
            limit = float(contact.static or 0.0) * np.abs(run.multipliers[:, index[normal]])
        size = max(float(np.max(limit, initial=0.0)), float(np.max(t, initial=0.0)), 1e-300)
        worst = max(worst, float(np.max(t - limit, initial=0.0)) / size)
    return worst
