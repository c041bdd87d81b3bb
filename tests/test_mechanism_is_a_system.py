"""A Mechanism, and the state that `assemble` returns, stand for the System and for (q, v, t) in every function."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import gauss as g
from gauss import analysis, motion, nonsmooth, sources, sympy
from gauss import bodies as mb

ROD = mb.PlanarBody("rod", 2.0, 0.1, centre=(0.0, -0.5))
PENDULUM = mb.Mechanism("pendulum", [ROD], [mb.Pin("pivot", mb.GROUND, (0.0, 0.0), ROD, (0.0, 0.0))])
MOVING = mb.assemble(PENDULUM, ROD.pose(angle=0.7, rate=0.5), t=0.3)
RESTING = mb.assemble(PENDULUM, ROD.pose(), t=0.3)
BEAD = mb.Particle("bead", 1.0)
FLIGHT = mb.Mechanism("flight", [BEAD], gravity=(0.0, 0.0, 0.0))
GLIDING = mb.assemble(FLIGHT, BEAD.pose())
ROOMS = [g, analysis, motion, mb, nonsmooth, sources, sympy]
LATER = {"impact"}  # of the room of contacts, whose other functions are for contact problems

# every function by name: what is done with a mechanism (or its System) and with a start (or its q, v and t)
CALLS = {
    "accelerate": lambda m, *s: g.accelerate(m, *s).a,
    "classify": lambda m, *s: g.classify(m, *s).accelerations.candidates[0].a,
    "consistent": lambda m, *s: np.append(g.consistent(m, *s, hold="rod_x").v, g.consistent(m, *s).q),
    "simulate": lambda m, *s: _simulated(g.simulate, m, *s).q,
    "simulate_many": lambda m, *s: motion.simulate_many(m, *s[:2], times=[0.3, 0.5])["rod_c"].values,
    "find_singular": lambda m, *s: str(_error(g.errors.GaussError, g.find_singular, m, *s)),
    "crosscheck_states": lambda m, *s: [c.error for c in analysis.crosscheck_states(m, *s, count=3)],
    "crosscheck_at": lambda m, *s: [c.error for c in analysis.crosscheck_at(m, [MOVING.state])],
    "atlas_over": lambda m, *s: analysis.atlas_over(m, s[0], {"rod_c": (0.5, 0.7, 3)}, *s[1:]).sigma_min,
    "random_states": lambda m, *s: [x.q for x in analysis.random_states(m, *s, count=3).states],
    "poisson_bracket": lambda m, *s: analysis.poisson_bracket(m, lambda q: q.rod_c, lambda v: v.rod_s, *s),
    "motions": lambda m, *s: _simulated(motion.motions, m, *s).stays.q,
    "stepped": lambda m, *s: _simulated(g.simulate, m, *s, method="moreau", step=0.01).q,
    "force_ranges": lambda m, *s: nonsmooth.force_ranges(m, *s[:2], step=0.01).normal,
    "sympy_answer": lambda m, *s: sympy.sympy_answer(m, *s).acceleration,
    "crosscheck_sympy": lambda m, *s: [c.error for c in sympy.crosscheck_sympy(m, *s, n=2)],
    "inverse_dynamics": lambda m, *s: mb.inverse_dynamics(m, *_with_accelerations(*s)).forces["pivot"],
    "linearize": lambda m, *s: g.linearize(m, *s).A,
}
AT_REST = {"linearize"}
OF_POSITIONS = {  # where the motion is not asked for
    "associated": lambda m, q: analysis.associated(m, q).G(q),
    "holonomy": lambda m, q: analysis.holonomy(m, q).degree,
    "equilibrium": lambda m, q: g.equilibrium(m, q).state.q,
    "equilibria": lambda m, q: [one.state.q for one in analysis.equilibria(m, [q])],
    "first_integrals": lambda m, q: [one.name for one in analysis.first_integrals(m, q)],
}
WITHOUT_STATE = {
    "hamiltonian": lambda m: str(analysis.hamiltonian(m)),
    "to_sympy": lambda m: sympy.to_sympy(m).latex(),
    "to_lagranges_method": lambda m: str(sympy.to_lagranges_method(m).form_lagranges_equations()),
}


def _simulated(function, m, *start, **options):
    if len(start) == 3:
        return function(m, *start[:2], t=start[2], t_end=0.5, **options)
    return function(m, *start, t_end=0.5, **options)


def _with_accelerations(*start):
    pivot = PENDULUM.joints[0]
    return (start[0], None, {pivot: 1.5}) if len(start) == 1 else (*start[:2], {pivot: 1.5}, start[2])


def _error(kind, function, *arguments):
    with pytest.raises(kind) as found:
        function(*arguments)
    return found.value


def asked():
    """All functions of the rooms with a system first, and those that take a mechanism and a position."""
    found = {}
    for room in ROOMS:
        for name in room.__all__:
            value = getattr(room, name)
            if inspect.isfunction(value):
                first, *others = [*inspect.signature(value).parameters, ""]
                if first in ("system", "subject") or (first == "mechanism" and "q" in others):
                    found[name] = value
    return found


def test_every_function_of_a_system_is_walked_through():
    special = {"steady_motion", "hybrid", "bifurcations", "portrait", "stance", "contacts_at", "push_on"}
    assert set(asked()) - LATER <= {*CALLS, *OF_POSITIONS, *WITHOUT_STATE, *special}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", CALLS)
def test_a_mechanism_and_its_assembly_give_what_the_numbers_do(name):
    assembly = RESTING if name in AT_REST else MOVING
    state = assembly.state
    wanted = CALLS[name](PENDULUM.system, state.q, state.v, state.t)
    for start in (assembly, state):
        found = CALLS[name](PENDULUM, start)
        assert found == wanted if isinstance(wanted, str) else np.array_equal(found, wanted), name


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", OF_POSITIONS)
def test_a_whole_state_is_a_position_too(name):
    wanted = OF_POSITIONS[name](PENDULUM.system, RESTING.state.q)
    for start in (RESTING, RESTING.state):
        assert np.array_equal(OF_POSITIONS[name](PENDULUM, start), wanted), name


@pytest.mark.parametrize("name", WITHOUT_STATE)
def test_a_mechanism_is_written_as_its_system(name):
    assert WITHOUT_STATE[name](PENDULUM) == WITHOUT_STATE[name](PENDULUM.system)


def test_steady_and_hybrid_motions_take_a_mechanism_and_its_state():
    found = analysis.steady_motion(FLIGHT, GLIDING, [2.0], symmetry="bead_x")
    assert found.state.v[0] == 2.0
    mode = motion.Mode(PENDULUM)
    assert mode.system is PENDULUM.system
    run = motion.hybrid({"swing": mode}, "swing", MOVING, t_end=0.5)
    assert np.array_equal(run["rod_c"], g.simulate(PENDULUM, MOVING, t_end=0.5)["rod_c"])


@pytest.mark.long
def test_portraits_and_branches_take_a_mechanism_and_a_state():
    bar = mb.PlanarBody("bar", 1.0, 0.1)
    pivot = mb.Pin("pivot", mb.GROUND, (0, 0), bar, (-0.5, 0))
    spring = mb.Spring("spring", mb.GROUND, (0.0, 0.2), bar, (0.0, 0.0), stiffness=2.0)
    machine = mb.Mechanism("swing", [bar], [pivot], [spring], parameters={"e": 0.0})
    hanging = mb.assemble(machine, bar.pose((0.0, -0.5), -np.pi / 2))
    for system, q in ((machine, hanging), (machine.system, hanging.state.q)):
        found = analysis.portrait(system, "bar_x", (-0.3, 0.3), q=q)
        assert [point.kind for point in found.equilibria] == ["centre"]
        (branch,) = analysis.bifurcations(system, "e", (0.0, 1.0), [q]).branches
        assert np.allclose(branch.q, hanging.state.q)


def test_printed_statements_and_starts_take_a_mechanism_and_its_state():
    printed = sources.Printed("none", [], PENDULUM, MOVING)
    assert printed.system is PENDULUM.system
    start = g.Start(MOVING, t_end=0.5)
    run = g.simulate(PENDULUM, start.q, start.v, t=start.t, t_end=start.t_end)
    assert run.t[0] == 0.3
