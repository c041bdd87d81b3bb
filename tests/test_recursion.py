"""Mass matrices and biases by recursion along a tree are what Lagrange's equations make of the energies."""

import pickle

import numpy as np
import pytest
from robots import arm, flyer, state, walker

import gauss as g
from gauss import bodies as mb

MECHANISMS = {
    "arm": lambda: arm(7),
    "arm along axes": lambda: arm(7, axes=((0, 0, 1), (0, 1, 0))),
    "flyer": flyer,
    "walker": walker,
}


def by_energies(system):
    """The same system without its equations: they are derived from the energies."""
    return g.System(
        system.name,
        system.coordinates,
        kinetic_energy=system.kinetic_energy.function,
        potential_energy=system.potential_energy.function,
        force=system.force.function,
        constraints=system.constraints,
    )


@pytest.mark.parametrize("name", MECHANISMS)
def test_recursions_say_what_the_energies_say(name):
    mechanism = MECHANISMS[name]()
    system, other = mechanism.system, by_energies(mechanism.system)
    rng = np.random.default_rng(0)
    for _ in range(20):
        q, v = state(mechanism, rng)
        one, two = (s.model.terms(q, v, 0.0, s.theta()) for s in (system, other))
        for name in ("M", "f"):
            a, b = getattr(one, name), getattr(two, name)
            assert np.abs(a - b).max() <= 1e-12 * np.abs(b).max()


def test_they_take_fewer_operations():
    system = arm(7).system
    counts = [s.model._terms.function.n_instructions() for s in (system, by_energies(system))]
    assert counts[0] < 0.6 * counts[1]


def test_another_derivation_agrees():
    mechanism = flyer()
    q, v = state(mechanism, np.random.default_rng(5))
    claims = g.analysis.crosscheck_at(mechanism.system, [mechanism.system.state(q, v)])
    assert all(claim.holds for claim in claims)


def test_a_system_with_equations_is_written_and_read():
    mechanism = arm(3)
    q, v = state(mechanism, np.random.default_rng(2))
    system = mechanism.system
    read = pickle.loads(pickle.dumps(system))
    assert np.array_equal(g.accelerate(read, q, v).a, g.accelerate(system, q, v).a)
    held = system.with_constraints([g.Holonomic("held", lambda q: q.j0 - 1.0)])
    there = g.consistent(held, q, 0.0 * v)
    assert abs(g.accelerate(held, there).a[0]) < 1e-12


def test_rods_keep_their_energies():
    rod = mb.Rod("rod", mb.rod(1.0, (0, 0, 0), (0, 0, 1)))
    arm = mb.Body("arm", mb.box(1.0, (0.1, 0.2, 0.3)))
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), arm, (0, 0, 0.1), axis1=(0, 1, 0))
    assert mb.Mechanism("both", [rod, arm], [hinge], coordinates="joint").system.equations is None
