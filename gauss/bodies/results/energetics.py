"""What single forces, drives and joints do along a run: force and torque on a body, power, work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gauss.bodies.body.body import AnyBody, described
from gauss.bodies.forces.forces import Force
from gauss.bodies.joints.joint import Link
from gauss.bodies.results.answers import named_axes, named_part, rows_of
from gauss.bodies.results.reactions import Reaction, body_of, named_wrench, point_of, wrench_maps
from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised
from gauss.foundation.tolerances import STEP
from gauss.model import System
from gauss.model.coordinates import Named
from gauss.model.state import State
from gauss.motion.record.natural import in_natural

NODES, WEIGHTS = np.polynomial.legendre.leggauss(5)  # exact to degree 9 in a step; the steps are of order 8 at most


@advised
def power(run: Any, part: Force | Link | str) -> Array:
    """Return the power (N,) in W that a force, a drive or a joint gives to the mechanism at the states of a run.

    Of a force it is −dV/dt + Q·v, of the rows of a joint or drive Σ λ_k J_k v, which is zero unless they move with
    time. `part` may be its name. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> disc = mb.PlanarBody("disc", 1.0, inertia=0.5)
    >>> pin = mb.Pin("pin", mb.GROUND, (0, 0), disc, (0, 0))
    >>> motor = mb.Motor("motor", pin, 2.0)
    >>> held = mb.Mechanism("disc", [disc], [pin], [motor])
    >>> run = g.simulate(held, *held.state(disc.pose()), t_end=0.1)
    >>> round(mb.power(run, motor)[-1].item(), 9)  # W: the torque times τ t/J
    0.8
    """
    return _rate(run, named_part(run, part), potential=True)


@advised
def work(run: Any, part: Force | Link | str) -> Array:
    """Return the work (N,) in J that a force, a drive or a joint has done from the start to each state of a run.

    The potential energy's part is its difference, the rest is integrated over each step by Gauss's quadrature with
    five nodes, at states that the integrator's own dense output gives. Impulses are not counted. The kinetic energy
    changes by the work of all parts and of the weights. `part` may be its name. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> disc = mb.PlanarBody("disc", 1.0, inertia=0.5)
    >>> pin = mb.Pin("pin", mb.GROUND, (0, 0), disc, (0, 0))
    >>> motor = mb.Motor("motor", pin, 2.0)
    >>> held = mb.Mechanism("disc", [disc], [pin], [motor])
    >>> run = g.simulate(held, *held.state(disc.pose()), t_end=0.1)
    >>> round(mb.work(run, motor)[-1].item(), 9), round(run.kinetic[-1].item(), 9)  # J: τ²t²/2J both
    (0.04, 0.04)
    """
    done_by: Force | Link = named_part(run, part)
    _checked(run, done_by)
    done = np.zeros(len(run))
    if isinstance(done_by, Force):
        stored = np.array([float(done_by.potential(x["q"])) for x in _worlds(_checked(run, done_by))])
        done = stored[0] - stored if len(run) else done
        if done_by.conservative:
            return done
    return np.asarray(done + works(run, [done_by])[0])


def works(run: Any, parts: Sequence[Force | Link]) -> Array:
    """Return the work (k, N) in J of forces and drives but for that of their potentials, up to each state of a run."""
    steps = np.diff(run.t)
    going = np.flatnonzero(steps > 0.0)
    times = (run.t[:-1, None] + steps[:, None] * (NODES + 1.0) / 2.0)[going]
    inner, found = run.at(times.ravel()), np.zeros((len(parts), len(run)))
    worlds = _worlds(inner) if any(isinstance(part, Force) for part in parts) else []
    for k, part in enumerate(parts):
        if isinstance(part, Force):
            rates = _powers(part, worlds, potential=False)
        else:
            rates = _rate(inner, part, potential=False)
        found[k, 1 + going] = rates.reshape(times.shape) @ WEIGHTS * steps[going] / 2.0
    return np.cumsum(found, axis=1)


def works_at_all(run: Any, parts: Sequence[Force | Link]) -> list[bool]:
    """Return which forces and drives have power at any recorded state; of drives that is not asked."""
    worlds = _worlds(run) if parts else []
    powers = ((_force_power(x, w, potential=False) for w in worlds) if isinstance(x, Force) else (1.0,) for x in parts)
    return [any(power) for power in powers]


@advised
def applied(
    answer: Any,
    force: Force | str,
    on: AnyBody | str | None = None,
    *,
    at: tuple[AnyBody, Sequence[float]] | None = None,
    axes: Any = "space",
) -> Reaction:
    """Return the force and torque that a spring, bushing, motor or other force exerts on a body.

    `answer` is a run or the result of gauss.equilibrium; the other arguments are those of `reaction`. Raises
    InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> bead = mb.Particle("bead", 2.0)
    >>> spring = mb.Spring("spring", mb.GROUND, (0, 0, 0), bead, (0, 0, 0), stiffness=100.0)
    >>> hung = mb.Mechanism("hung", [bead], [], [spring])
    >>> rest = g.equilibrium(hung, hung.state(bead.pose((0, 0, -0.2)))[0])
    >>> print(mb.applied(rest, spring))  # it bears m g
    reaction of 'spring' on 'bead': force (0, 0, 19.62) N, torque (0, 0, 0) N m
    """
    force = named_part(answer, force)
    if not isinstance(force, Force):
        raise InputError(
            f"applied needs a force as its second argument, got {described(force)}; joints have `reaction`."
        )
    balance = hasattr(answer, "state") and hasattr(answer, "system") and hasattr(answer, "u")
    if balance:
        answer = at_twin(answer)
        _require_known(answer.system, force)
    else:
        answer = _checked(answer, force)
    body, axes = body_of(force, on), named_axes(answer, force, axes)
    point = point_of(force, body) if at is None else at
    values = []
    names = answer.system.coordinates if balance else answer.about.coordinates
    worlds = [_world_of(answer.system, answer.state, answer.system.theta(answer.u))] if balance else _worlds(answer)
    for world in worlds:
        q = dict(zip(names, world["q"], strict=True))
        given = _generalized(force, world)
        maps = wrench_maps(force.bodies, body, q, point, axes)
        values.append(sum(G @ np.array([given[name] for name in own]) for own, G in maps))
    found = np.array(values)
    return named_wrench(force.name, body, found, np.ones(found.shape, dtype=bool), single=balance)


def at_twin(balance: Any) -> Any:
    """Return a balance with its state in natural coordinates, of a mechanism in joint coordinates."""
    twin, state = balance.system.twin, balance.state
    if twin is None:
        return balance
    q, v, _ = (x[0] for x in twin.states(state.q[None], state.v[None], 0.0 * state.v[None]))
    return replace(balance, system=balance.system.wider, state=State(q, v, state.t))


def _generalized(force: Force, world: dict[str, Any]) -> dict[str, float]:
    """Return the generalized force by coordinate, that of the potential by complex steps."""
    q = world["q"]
    names = sorted({name for body in force.bodies for name in body.coordinates})
    total = dict.fromkeys(names, 0.0)
    for name in names:
        moved = Named(names, [complex(q[each], STEP * (each == name)) for each in names])
        total[name] -= float(np.imag(force.potential(moved))) / STEP
    for share in () if force.conservative else force.generalized(world):
        for name, value in share.items():
            total[name] += float(value)
    return total


def _checked(run: Any, part: object) -> Any:
    """Return the run. Raises InputError for anything else, and for what does no work."""
    if not (hasattr(run, "setting") and hasattr(run, "multipliers")):
        raise InputError(f"a run of gauss.simulate is expected, got {type(run).__name__}.")
    if run.setting is None:
        raise InputError("a trajectory from a file needs its model: use trajectory.with_system(system).")
    if not isinstance(part, Force | Link):
        raise InputError(f"power and work are those of a force, a drive or a joint, got {described(part)}.")
    run = in_natural(run)
    _require_known(run.setting.system, part)
    return run


def _require_known(system: System, part: Force | Link) -> None:
    if any(name not in system.coordinates for body in part.bodies for name in body.coordinates):
        raise InputError(f"{part.name!r} acts on bodies that are not in {system.name!r}.")


def _rate(run: Any, part: Force | Link, potential: bool) -> Array:
    """Return the power (N,) of a force or of the rows of a joint or drive along a run."""
    run = _checked(run, part)
    if isinstance(part, Force):
        return _powers(part, _worlds(run), potential)
    system, theta = run.setting.system, run.setting.theta
    picked = rows_of(part, system.row_names)
    found = np.zeros(len(run))
    for k, (q, v, t) in enumerate(zip(run.q, run.v, run.t, strict=True)):
        J = system.model.terms(q, v, float(t), theta).J[picked]
        found[k] = run.multipliers[k, picked] @ (J @ v)
    return found


def _worlds(run: Any) -> list[dict[str, Any]]:
    """Return what model functions are given at each state: q, v, t, p and u by name."""
    system, states = run.setting.system, [State(*x) for x in zip(run.q, run.v, run.t.tolist(), strict=True)]
    thetas = [run.setting.parameters_at(x.t, x.q, x.v) for x in states]
    if system.twin is not None:  # forces know natural coordinates
        q, v, _ = system.twin.states(run.q, run.v, 0.0 * run.v)
        system, states = system.wider, [State(*x) for x in zip(q, v, run.t.tolist(), strict=True)]
    return [_world_of(system, state, theta) for state, theta in zip(states, thetas, strict=True)]


def _world_of(system: System, state: State, theta: Array) -> dict[str, Any]:
    """Return what model functions are given at one state; theta are the parameters and then the controls."""
    count = len(system.parameters)
    return {
        "q": Named(system.coordinates, [float(x) for x in state.q]),
        "v": Named(system.coordinates, [float(x) for x in state.v]),
        "t": state.t,
        "p": Named(tuple(system.parameters), [float(x) for x in theta[:count]], "parameter"),
        "u": Named(system.controls, [float(x) for x in theta[count:]], "control"),
    }


def _powers(force: Force, worlds: Sequence[dict[str, Any]], potential: bool) -> Array:
    """Return the power (N,) of a force in N worlds."""
    return np.array([_force_power(force, world, potential) for world in worlds])


def _force_power(force: Force, world: dict[str, Any], potential: bool) -> float:
    q, v = world["q"], world["v"]
    total = 0.0
    for share in () if force.conservative else force.generalized(world):
        total += sum(float(value) * v[name] for name, value in share.items())
    if potential:
        names = sorted({name for body in force.bodies for name in body.coordinates})
        moved = Named(names, [complex(q[name], STEP * v[name]) for name in names])
        total -= float(np.imag(force.potential(moved))) / STEP
    return total
