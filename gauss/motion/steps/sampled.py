"""Sampled controls: a controller that looks at the state once in each period and holds its controls in between."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gauss.errors import GaussError, InputError, described
from gauss.foundation.arrays import Array, positive, scalar
from gauss.foundation.outcomes import listed
from gauss.foundation.portable import Portable, copied
from gauss.model import System
from gauss.model.functions import require_by_place
from gauss.motion.steps.setting import Setting

NEAR = 1e-12  # times nearer than this share of the period are the same instant


@dataclass(frozen=True)
class Sampled(Portable):
    """A zero-order hold: the controls u(t, q, v) of the instants t₀, t₀ + T, t₀ + 2T, …, constant between them.

    `function` returns what a control may be (a list, or a dict by name). It is called once at each instant, in their
    order, so that it may keep a memory, as the integral part of a regulator does. The memory belongs to the user's
    function: `gauss.simulate` calls that very function, and a second run goes on with what the first one has left;
    `gauss.sweep` and `gauss.motion.simulate_many` give each motion a copy as it was at the beginning.

    `period` T in s. t₀ is the start of the run, or `first` (s) if that is later; until then the controls are zero.
    Steps end at the instants; accelerations recorded there are those of the new controls. Raises InputError.
    """

    function: Callable[[float, Array, Array], object]
    period: float
    first: float | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"a sampled control needs a function u(t, q, v), got {self.function!r}.")
        require_by_place(self.function, "tqv", "a sampled control")
        object.__setattr__(self, "period", positive(self.period, "the period of the sampled control"))
        if self.first is not None:
            object.__setattr__(self, "first", scalar(self.first, "the first instant of the sampled control"))

    def plain(self) -> list[Any]:
        """Return what tells it from other controls."""
        return ["sampled", self.period, self.first, self.function]

    def __call__(self, t: float, q: Array, v: Array) -> object:
        """Raise GaussError: what is held belongs to one run."""
        raise GaussError("the values that a sampled control holds belong to one run; simulate again.")


class ZeroOrderHold:
    """The values that a sampled control holds in one run: the control u(t, q, v) of that run."""

    def __init__(self, sampled: Sampled, start: float):
        self.sampled, self.period = sampled, sampled.period
        self.origin = start if sampled.first is None else max(start, sampled.first)
        self.instants: list[float] = []
        self.values: list[object] = []
        self.states: list[Array] = []  # (2n+1,) t, q, v, that the controller has been asked at
        if self.origin > start:
            self.instants.append(start)
            self.values.append(None)

    @property
    def due(self) -> float:
        """The next instant (s)."""
        count = len(self.instants) - (1 if self.values and self.values[0] is None else 0)
        return self.origin + count * self.period

    @staticmethod
    def recorded(period: float, t: Array, controls: Array) -> ZeroOrderHold:
        """Return what was held in a run, by the controls (N, n_u) behind its recorded states at t (N,), N ≥ 1."""
        found = ZeroOrderHold(Sampled(_over, period), float(t[0]))
        changed = np.append(True, np.any(controls[1:] != controls[:-1], axis=1))
        found.instants, found.values = t[changed].tolist(), [*controls[changed]]
        return found

    def sample(self, t: float, q: Array, v: Array) -> None:
        """Ask the controller at the instant that is due. Raises InputError where it fails."""
        try:
            value = self.sampled.function(t, q.copy(), v.copy())
        except GaussError:
            raise
        except Exception as error:
            raise InputError(f"the sampled control failed at t = {t:.9g} s: {described(error)}.") from error
        if value is None:
            raise InputError(
                f"the sampled control returned None at t = {t:.9g} s; does the function lack a return statement?"
            )
        self.instants.append(t)
        self.values.append(_own(value))
        self.states.append(np.concatenate([[t], q, v]))

    def asked(self, system: System, count: int) -> dict[str, Any]:
        """Return the first `count` states (k, 2n+1) that the controller has been asked at, with what it returned there.

        That are the controls (k, l) by their order in the system.
        """
        values = self.values[len(self.values) - len(self.states) :][:count]
        controls = [system.theta(value)[len(system.parameters) :] for value in values]
        table = np.reshape(self.states[:count], (count, 2 * system.n + 1))
        return {"states": table, "controls": np.reshape(controls, (count, len(system.controls)))}

    def go_on(self, system: System, states: Array, controls: Array) -> None:
        """Ask the controller once more what `asked` has returned, so that its memory is what it was.

        Raises InputError where it returns something else.
        """
        n = system.n
        for k, (x, known) in enumerate(zip(states, controls, strict=True)):
            if k >= len(self.states):  # it may have been asked at the start
                self.sample(float(x[0]), x[1 : n + 1], x[n + 1 :])
            found = system.theta(self.values[k - len(self.states)])[len(system.parameters) :]
            if not np.array_equal(found, known):
                raise InputError(
                    f"the sampled control returns {listed(found)} at t = {x[0]:.9g} s, where it returned"
                    f" {listed(known)} before, so that the run cannot go on. It depends on more than it has been asked"
                    " (a memory of an earlier run, a clock, random numbers): build the controller anew."
                )

    def hold(self, states: Array, controls: Array) -> None:
        """Hold what `asked` has returned, without asking the controller."""
        self.instants += states[:, 0].tolist()
        self.values += list(controls)
        self.states += list(states)

    def __call__(self, t: float, q: Array, v: Array) -> object:
        """Return what is held at t; the first value is asked for where none is held yet."""
        if not self.instants:
            self.sample(t, q, v)
        index = bisect_right(self.instants, t + NEAR * self.period) - 1
        value = self.values[max(index, 0)]
        return {} if value is None else value


def _own(value: object) -> object:
    """Return what a controller returned as a copy: it may fill the same array at the next instant."""
    if isinstance(value, Mapping):
        return {name: _own(x) for name, x in value.items()}
    if isinstance(value, list | tuple):
        return [_own(x) for x in value]
    return np.array(value) if hasattr(value, "__array__") else value


def _over(t: float, q: Array, v: Array) -> object:
    raise GaussError("this run is over: its controller is not asked any more.")


def held_by(control: object, start: object) -> object:
    """Return the control of one run from `start` (s): what holds the values of a sampled one, others as they are."""
    return ZeroOrderHold(control, scalar(start, "t")) if isinstance(control, Sampled) else control


def held_setting(setting: Setting, x: Array) -> Setting:
    """Return a setting with controls that are held as constants, those at the state x (2n+1,); others as they are."""
    if not isinstance(setting.control, ZeroOrderHold):
        return setting
    n = setting.system.n
    return replace(setting, theta=setting.parameters_at(float(x[0]), x[1 : n + 1], x[n + 1 :]), control=None)


def own_control(control: Any) -> Any:
    """Return a control for one of many motions, which must not remember the others: a copy, where it is a function.

    Raises InputError for what cannot be copied.
    """
    if isinstance(control, Sampled):
        return replace(control, function=own_control(control.function))
    if not callable(control):
        return control
    try:
        return copied(control, (System, Portable))
    except Exception as error:
        raise InputError(
            f"the control cannot be copied ({type(error).__name__}: {error}), and each of many motions needs one of its"
            " own, as a controller may keep a memory. Let it hold numbers, arrays and functions only, no open files,"
            " threads or generators; or say by __getstate__ and __setstate__ how it is copied."
        ) from error


def same_instant(one: float, other: float, period: float) -> bool:
    """Whether two times are one, up to rounding."""
    return bool(abs(one - other) <= max(NEAR * period, 4.0 * np.finfo(float).eps * max(abs(one), abs(other))))
