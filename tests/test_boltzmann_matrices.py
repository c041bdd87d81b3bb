"""The nineteen matrices of the Boltzmann-Hamel equations, each against its definition by symbolic algebra."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import sympy as sp
from formulation_systems import equal

from gauss.formulations import KineticEnergy, RigidBody, boltzmann_hamel

MASS, INERTIA, RADIUS, TILT = 1.7, (0.11, 0.23, 0.31), 0.45, 0.3
L_FREE = 3


def carried_velocity(m):
    """Mass centre of a leaning wheel (x, y, a, b, c) on a plane that moves: m is numpy or sympy."""

    def velocity(q, v, t):
        _, _, a, b, _ = q
        return [
            v[0] + RADIUS * (v[2] * m.cos(a) * m.sin(b) + v[3] * m.sin(a) * m.cos(b)) + TILT * m.cos(2 * t),
            v[1] + RADIUS * (v[2] * m.sin(a) * m.sin(b) - v[3] * m.cos(a) * m.cos(b)) + TILT * q[0] * m.sin(t),
            -RADIUS * v[3] * m.sin(b),
        ]

    return velocity


def carried_rotation(m):
    """Its angular velocity in body axes (with a third Euler angle c), on a base that turns with the rate TILT·t."""

    def rotation(q, v, t):
        _, _, _, b, c = q
        turn = v[2] + TILT * t
        return [
            v[3] * m.sin(c) - turn * m.cos(b) * m.cos(c),
            v[3] * m.cos(c) + turn * m.cos(b) * m.sin(c),
            turn * m.sin(b) + v[4],
        ]

    return rotation


def moving_frame(m):
    """Quasi-velocities that depend on coordinates and time; the last two rows are constraints."""

    def alpha(q, t):
        x, _, a, b, _ = q
        return [
            [m.cos(a), m.sin(a), 0, RADIUS * t, 0],
            [0, 0, 1, 0, 0.3 * m.sin(b)],
            [0, 0.1 * x, 0, 2 + m.cos(t), 0],
            [m.sin(a), -m.cos(a), 0, 0.2 * m.sin(x), 0],
            [m.cos(a), m.sin(a), 0, 0, -RADIUS],
        ]

    return alpha


def moving_offset(m):
    def offset(q, t):
        return [0.2 * q[0] * m.cos(t), 0, 0, 0.1 * m.sin(t) * q[1], -TILT * m.cos(q[2])]

    return offset


FORCE = [0.3, -0.2, -9.0]
MOMENT = [0.02, -0.01, 0.04]


@functools.lru_cache
def symbolic():
    """All matrices as functions of (q, ω, t), from the definitions (9)–(20) of the source by symbolic algebra.

    They hold where the last quasi-velocities vanish, of which derivatives are taken before.
    """
    q, w, t = sp.symbols("x y a b c"), sp.symbols("w1:6"), sp.Symbol("t")
    n = len(q)
    R, shift = sp.Matrix(moving_frame(sp)(q, t)), sp.Matrix(moving_offset(sp)(q, t))
    b = R.inv()
    v = b * (sp.Matrix(w) - shift)
    V, Omega = sp.Matrix(carried_velocity(sp)(q, v, t)), sp.Matrix(carried_rotation(sp)(q, v, t))

    def rate(X):
        """Time derivative along the motion with ω held."""
        return sum((X.diff(q[i]) * v[i] for i in range(n)), X.diff(t))

    def along(X):
        """Derivatives of a column in the quasi-coordinates: column k is Σ b_λk ∂X/∂q_λ."""
        return X.jacobian(q) * b

    found = {}
    for name, X, weight in (("V", V, sp.eye(3) * MASS), ("Omega", Omega, sp.diag(*INERTIA))):
        P, rest = X.jacobian(w), X.subs(dict.fromkeys(w, 0))
        Q = (weight * P).T
        found |= {name: X, f"{name}_Q": Q, f"{name}_Pi": (weight * along(X)).T}
        found |= {f"{name}_P": P[:, :L_FREE], f"{name}_R": rest, f"{name}_QP": rate(Q)}
        found |= {f"{name}_RP": rate(rest), f"{name}_PP": rate(P[:, :L_FREE])}
    T = (MASS * V.dot(V) + (sp.diag(*INERTIA) * Omega).dot(Omega)) / 2
    momenta = sp.Matrix([T]).jacobian(w).T
    found |= {"T_Q": momenta, "T_Pi": along(sp.Matrix([T])).T, "C": rate(momenta)[:L_FREE, :]}
    found["A"] = momenta.jacobian(w)[:L_FREE, :L_FREE]
    found["Q"] = (sp.Matrix([FORCE]) * V.jacobian(w) + sp.Matrix([MOMENT]) * Omega.jacobian(w)).T[:L_FREE, :]
    found |= {"R": R, "z": sp.Matrix(w) - shift, "v": v}
    inner, by_time = symbols_of(R, b, shift, q, t)
    found |= {"Gamma": sp.Matrix(n, n * n, inner), "Gamma_0": by_time}
    return sp.lambdify((q, w, t), list(found.values()), "numpy", cse=True), list(found)


def symbols_of(R, b, shift, q, t):
    """γ^r_kα = θ_r([X_k, X_α]) from Lie brackets of the columns X of the inverse, with time as last coordinate."""
    n, place = len(q), (*q, t)
    extended = sp.zeros(n + 1, n + 1)
    extended[:n, :n], extended[:n, n], extended[n, n] = R, shift, 1
    X = sp.zeros(n + 1, n + 1)
    X[:n, :n], X[:n, n], X[n, n] = b, -b * shift, 1
    fields = [X[:, k] for k in range(n + 1)]
    slopes = [field.jacobian(place) for field in fields]
    brackets = [[slopes[a] * fields[k] - slopes[k] * fields[a] for a in range(n + 1)] for k in range(n)]
    components = [[extended[:n, :] * brackets[k][a] for a in range(n + 1)] for k in range(n)]
    inner = [components[k][a][r] for r in range(n) for k in range(n) for a in range(n)]
    return inner, sp.Matrix(n, n, [components[k][n][r] for r in range(n) for k in range(n)])


def leaning_wheel():
    return RigidBody(
        MASS,
        INERTIA,
        carried_velocity(np),
        carried_rotation(np),
        force=lambda q, v, t: FORCE,
        moment=lambda q, v, t: MOMENT,
        name="wheel",
    )


def state(seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.0, 1.0, 5), rng.normal(size=L_FREE), float(rng.uniform(0.0, 2.0))


@functools.lru_cache
def equations_at(seed):
    """The equations of the package at a random state."""
    q, omega, t = state(seed)
    return boltzmann_hamel(leaning_wheel(), moving_frame(np), q, omega, t, offset=moving_offset(np))


@functools.lru_cache
def evaluated(seed):
    """The matrices of the package and those of symbolic algebra, which takes ten seconds, at a random state."""
    q, omega, t = state(seed)
    function, names = symbolic()
    values = function(q, np.append(omega, [0.0, 0.0]), t)
    exact = {name: np.array(x, dtype=float) for name, x in zip(names, values, strict=True)}
    exact["Gamma"] = exact["Gamma"].reshape(5, 5, 5)
    return equations_at(seed), exact


NINETEEN = (
    *("V", "Omega", "V_Q", "Omega_Q", "V_Pi", "Omega_Pi", "V_P", "Omega_P", "V_R", "Omega_R"),
    *("V_QP", "Omega_QP", "V_RP", "Omega_RP", "V_PP", "Omega_PP", "Gamma", "Q", "R"),
)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", NINETEEN)
def test_each_of_the_nineteen_matrices_is_its_definition(name, seed):
    equations, exact = evaluated(seed)
    assert tuple(equations.matrices) == NINETEEN
    value = equations.matrices[name]
    expected = exact[name] if value.ndim == 3 else exact[name].reshape(value.shape)
    assert np.max(np.abs(expected)) > 1e-3  # none vanishes for this body, so none is tested against nothing
    assert equal(value, expected, np.linalg.cond(equations.frame.R) ** 2)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["T_Q", "T_Pi", "C", "A", "z", "v", "Gamma_0"])
def test_each_matrix_that_follows_from_them_is_its_definition(name, seed):
    equations, exact = evaluated(seed)
    value = getattr(equations, name) if hasattr(equations, name) else getattr(equations.frame, name)
    assert equal(value, exact[name].reshape(value.shape), np.linalg.cond(equations.frame.R) ** 2)


def own(seed):
    return equations_at(seed).matrices | {"Gamma_0": equations_at(seed).frame.Gamma_0}


def by_definition(seed):
    return evaluated(seed)[1]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("matrices", [own, pytest.param(by_definition, marks=pytest.mark.long)])
def test_B_is_the_sum_of_products_that_the_source_states(matrices, seed):
    equations, m, l = equations_at(seed), matrices(seed), L_FREE
    omega = np.append(equations.omega, [0.0, 0.0])
    V, W = m["V"].ravel(), m["Omega"].ravel()
    C = m["V_QP"][:l] @ V + m["Omega_QP"][:l] @ W
    C += m["V_Q"][:l] @ (m["V_PP"] @ omega[:l] + m["V_RP"].ravel())
    C += m["Omega_Q"][:l] @ (m["Omega_PP"] @ omega[:l] + m["Omega_RP"].ravel())
    T_Q, T_Pi = m["V_Q"] @ V + m["Omega_Q"] @ W, m["V_Pi"] @ V + m["Omega_Pi"] @ W
    gyroscopic = np.einsum("r,rka,a->k", T_Q, m["Gamma"], omega) + T_Q @ m["Gamma_0"]
    B = m["Q"].ravel() - C + (T_Pi - gyroscopic)[:l]
    A = m["V_Q"][:l] @ m["V_P"] + m["Omega_Q"][:l] @ m["Omega_P"]
    cond = np.linalg.cond(equations.frame.R) ** 2
    scale = max(np.max(np.abs(x)) for x in (C, T_Pi, gyroscopic))
    assert equal(equations.B, B, cond, scale)
    assert equal(equations.omega_dot, np.linalg.solve(A, B), cond * np.linalg.cond(A), scale)


def test_half_of_the_matrices_repeat_the_other_half():
    m = equations_at(0).matrices
    assert equal(m["V_Q"][:L_FREE], MASS * m["V_P"].T)
    assert equal(m["Omega_QP"][:L_FREE], (np.diag(INERTIA) @ m["Omega_PP"]).T)


def test_the_equations_print_all_their_matrices():
    text = str(equations_at(0))
    for name in (*NINETEEN, "T_Q", "T_Pi", "C", "A", "B", "z"):
        assert f"\n{name} (" in f"\n{text}"


def energy_of(*bodies):
    """The kinetic energy of rigid bodies by König's theorem."""

    def energy(q, v, t):
        total = 0.0
        for body in bodies:
            V, W = np.array(body.velocity(q, v, t)), np.array(body.rotation(q, v, t))
            total = total + 0.5 * body.mass * V @ V + 0.5 * W @ (np.array(body.inertia) * W)
        return total

    return energy


@pytest.mark.parametrize("seed", range(4))
def test_bodies_and_their_energy_give_the_same_equations(seed):
    rng = np.random.default_rng(seed)
    q, omega, t = rng.uniform(-1.0, 1.0, 5), rng.normal(size=L_FREE), 0.7
    rider = RigidBody(
        0.4, (0.0, 0.0, 0.0), lambda q, v, t: [v[0], v[1] * np.cos(q[0]), v[4]], lambda q, v, t: 0 * q[:3]
    )
    bare = RigidBody(MASS, INERTIA, carried_velocity(np), carried_rotation(np), name="wheel")
    common = {"alpha": moving_frame(np), "q": q, "omega": omega, "t": t, "offset": moving_offset(np)}
    push = {"force": lambda q, v, t: -0.3 * v, "potential": lambda q, t: np.sin(q[0]) * q[3] ** 2}
    split = boltzmann_hamel([bare, rider], **common, **push)
    mixed = boltzmann_hamel([bare, energy_of(rider)], **common, **push)
    whole = boltzmann_hamel(KineticEnergy(energy_of(bare, rider)), **common, **push)
    cond = np.linalg.cond(whole.frame.R) ** 2
    for name in ("A", "C", "T_Q", "T_Pi", "B", "Q", "a"):
        expected = getattr(split, name)
        scale = max(np.max(np.abs(split.C)), np.max(np.abs(split.T_Pi))) * np.linalg.cond(split.A)
        assert equal(getattr(whole, name), expected, cond, scale), name
        assert equal(getattr(mixed, name), expected, cond, scale), name
    assert {"wheel: V_Q", "body: Omega_PP", "Gamma"} <= set(split.matrices)
    assert len(split.matrices) == 2 * 16 + 3
