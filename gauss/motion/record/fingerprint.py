"""The fingerprint of a model: numbers by which a file's motion knows its own model from another of the same names."""

from __future__ import annotations

from typing import Any

import numpy as np

from gauss.errors import GaussError, InputError
from gauss.foundation.arrays import Array
from gauss.model import AnySystem, System, system_of
from gauss.model.state import State
from gauss.motion.record.described import Description, described_contacts
from gauss.motion.steps.sampled import Sampled, ZeroOrderHold
from gauss.motion.steps.setting import ATOL, natural_atol
from gauss.motion.steps.steppers import Control, Setting, metric_weight
from gauss.numerics.runge_kutta import dop853, tableau_of
from gauss.principle.problem import black_box_value

COUNT = 4  # states: entries that vanish at one of them for some reason of their own do not at all
GOLDEN = (5.0**0.5 - 1.0) / 2.0  # the multiples modulo 1 spread evenly, and are the same on every machine
ASIDE = 0.25  # distance of the states from recorded ones, over the size of the motion: nothing cancels as it does there
SAME, ROUNDING = 1e-9, 1e-13  # relative, and to the largest entry: other machines round sums and sines otherwise
WORDS = {  # what the numbers are and what they belong to, in the order in which they are compared
    "M": ("mass matrix", "coordinates"),
    "f": ("force", "coordinates"),
    "J": ("matrix of the rows", "row_names"),
    "gamma": ("right-hand side of the rows", "row_names"),
    "phi": ("position residual", "row_names"),
    "psi": ("velocity residual", "row_names"),
    "kinetic": ("kinetic energy", ""),
    "potential": ("potential energy", ""),
    "black_box": ("black-box force", "coordinates"),
}


def fingerprint(setting: Setting, t: Array, q: Array, v: Array) -> dict[str, Any]:
    """Return plain data, ready for JSON: sampled values of the model beside a motion.

    Matrices are kept as their products with one vector. A black-box force, which may not be defined elsewhere, is asked
    at recorded states, twice: one that has a memory is left out.
    """
    found: dict[str, Any] = {name: [] for name in WORDS}
    for state in _recorded(t, q, v):
        found["black_box"].append(_black_box(setting, state))
    for state in _beside(setting.system.n, t, q, v):
        for name, value in _values(setting, state).items():
            found[name].append(value.tolist())
    return found


def fingerprint_at(system: System, state: State) -> dict[str, Any]:
    """Return the fingerprint of a motion that has not begun yet, beside its start."""
    setting = Setting(system, dop853(), system.theta(), 0.0, np.full(2 * system.n, ATOL), 1.0, None)
    return fingerprint(setting, np.array([state.t]), state.q[None], state.v[None])


def setting_of(run: Any, system: AnySystem, control: Control | None) -> Setting:
    """Return what attaches a `Trajectory` to its model, as `with_system` describes it. Raises InputError."""
    if not isinstance(getattr(system, "system", system), System):
        raise InputError(f"with_system needs the gauss.System of the trajectory, got {type(system).__name__}.")
    system = system_of(system)
    about, q, v, t = run.about, run.q, run.v, run.t
    needed = about.feedback and not (about.sampled and len(t))
    if needed != (control is not None):
        has = "holds what its sampled control gave" if about.feedback else "has constant controls"
        word = "needs its control: with_system(system, control=…)" if needed else f"{has}: leave out control"
        raise InputError(f"the trajectory of {about.system!r} {word}.")
    if isinstance(control, Sampled):
        raise InputError(f"the trajectory of {about.system!r} has no sampled control, or is of an early version.")
    require_names(about, system)
    if about.sampled and run.controls is not None and len(t):
        control = ZeroOrderHold.recorded(about.sampled, t, run.controls)
    weight = metric_weight(system, q[0], v[0], float(t[0])) if len(t) else 0.0
    theta, atol = system.theta(about.controls), np.full(2 * system.n, ATOL)
    if len(t):
        atol = natural_atol(system, State(q[0], v[0], float(t[0])), float(t[-1] - t[0]), theta)
    tableau = dop853() if run.stepping is not None else tableau_of(about.method)
    setting = Setting(system, tableau, theta, weight, atol, about.rtol, control)
    if run.model is not None:
        require_same(run.model, fingerprint(setting, t, q, v), system)
    if needed and "controls" in run.stored:
        require_control(setting, t, q, v, run.stored["controls"])
    return setting


def require_names(about: Description, system: System) -> None:
    """Raise InputError unless coordinates, rows, friction and parameters are those of a trajectory."""
    for what, mine, theirs in (
        ("coordinates", about.coordinates, system.coordinates),
        ("rows", about.rows, system.row_names),
        ("kinds of the rows", about.kinds, system.model.kinds),
        ("parameters", about.parameters, system.parameters),
        ("frictional contacts", *(tuple(map(str, c)) for c in (about.contacts, described_contacts(system)))),
    ):
        if mine != theirs:
            raise InputError(f"the {what} of {system.name!r} are {theirs}, but the trajectory has {mine}.")


def require_same(stored: dict[str, Any], present: dict[str, Any], system: System, whose: str = "trajectory") -> None:
    """Raise InputError, which names the first difference, unless a system has the fingerprint that was stored."""
    another = f"of {system.name!r} is another one than that of the {whose}"
    for name, (words, of) in WORDS.items():
        for mine, theirs in zip(present[name], stored[name], strict=True):
            different = [] if mine is None or theirs is None else _differences(np.array(theirs), np.array(mine))
            for k in different[:1]:
                entry = f" ({getattr(system, of)[k]!r})" if of else ""
                raise InputError(
                    f"the {words}{entry} {another}: at one state it is {mine[k]:.12g}, but the model of the {whose}"
                    f" had {theirs[k]:.12g} there. Build that model again, or simulate again."
                )


def require_control(setting: Setting, t: Array, q: Array, v: Array, controls: Array) -> None:
    """Raise InputError unless a feedback gives the controls (N, n_u) that were stored, at some recorded states."""
    places = np.linspace(0, len(t) - 1, COUNT).astype(int) if len(t) else ()
    for i in places:
        found = setting.controls_at(State(q[i], v[i], float(t[i])))
        for k in _differences(controls[i], found)[:1]:
            name = setting.system.controls[k]
            raise InputError(
                f"the control is another one than that of the trajectory: at t = {t[i]:.9g} s {name!r} is"
                f" {found[k]:.12g}, but was {controls[i][k]:.12g} there."
            )


def _differences(a: Array, b: Array) -> list[int]:
    """Return the places where b is not a, but for rounding."""
    finite = np.isfinite(a)
    with np.errstate(invalid="ignore"):
        near = np.abs(a - b) <= SAME * np.abs(a) + ROUNDING * np.max(np.abs(a), initial=0.0, where=finite)
    return [int(k) for k in np.flatnonzero(~((a == b) | (finite & near) | (np.isnan(a) & np.isnan(b))))]


def _recorded(t: Array, q: Array, v: Array) -> list[State]:
    """Return up to COUNT states of a motion, evenly from its first to its last."""
    places = np.linspace(0, len(t) - 1, COUNT).astype(int) if len(t) else range(0)
    return [State(q[i], v[i], float(t[i])) for i in sorted({int(i) for i in places})]


def _beside(n: int, t: Array, q: Array, v: Array) -> list[State]:
    """Return COUNT fixed states beside recorded ones, at distances of these states' own size."""
    x = np.column_stack([q, v, t]) if len(t) else np.zeros((1, 2 * n + 1))
    x = x[np.linspace(0, len(x) - 1, COUNT).astype(int)]
    size = np.abs(x)
    for part in np.split(size, (n, 2 * n), axis=1):  # what is zero has the size of the others
        part[:] = np.where(part > 0.0, part, np.max(part, axis=1, keepdims=True))
    size[size == 0.0] = 1.0
    spread = 2.0 * np.modf(GOLDEN * np.arange(1, x.size + 1))[0].reshape(x.shape) - 1.0
    return [State(s[:n], s[n : 2 * n], float(s[2 * n])) for s in x + ASIDE * size * spread]


def _values(setting: Setting, state: State) -> dict[str, Array]:
    """Return the numbers of a model at one state, nan where it has no mass matrix."""
    model, n = setting.system.model, setting.system.n
    weights = 1.0 + np.modf(GOLDEN * np.arange(1, n + 1))[0]
    with np.errstate(all="ignore"):
        try:
            terms = model.terms(state.q, state.v, state.t, setting.theta)
            energies = model.energies(state.q[None], state.v[None], np.array([state.t]), setting.theta)
        except GaussError:
            lengths = {"coordinates": n, "row_names": model.m, "": 1}
            return {name: np.full(lengths[of], np.nan) for name, (_, of) in WORDS.items() if name != "black_box"}
    products = {"M": terms.M @ weights, "J": terms.J @ weights}
    others = {name: getattr(terms, name) for name in ("f", "gamma", "phi", "psi")}
    return products | others | dict(zip(("kinetic", "potential"), energies, strict=True))


def _black_box(setting: Setting, state: State) -> list[float] | None:
    """Return the black-box force at a state, None where it is no function of the state."""
    if setting.system.black_box_force is None:
        return [0.0] * setting.system.n
    with np.errstate(all="ignore"):
        try:
            once, again = (black_box_value(setting.system, state) for _ in range(2))
        except GaussError:
            return None
    return [float(x) for x in once] if np.array_equal(once, again) else None
