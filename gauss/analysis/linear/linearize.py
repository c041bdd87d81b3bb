"""Linearisation of constrained motion on the space of admissible states, reactions included.

The admissible states x = (q, v) satisfy φ(q) = 0 and ψ(q, v) = 0, where ψ holds the rates of the holonomic rows too.
Disturbances of the state satisfy

    φ_q δq = 0,    ψ_q δq + ψ_v δv = 0                                                     tangent_space

and have the form δx = N ξ, where ξ are chosen components of δx, so that S N = 1 with the constant matrix S that picks
them. Along the flow ẋ = X(x, u) a disturbance obeys δẋ = X_x δx + X_u δu, and with accelerations and multipliers from

    [[M, −Jᵀ], [J, 0]] (δa, δλ) = δ(f + Jᵀλ − M a, γ − J a) at fixed a and λ                 Point.respond

    ξ̇ = A ξ + B δu,   A = S (X_x − κ_x) N,   B = S X_u,   δy = C ξ + D δu.

The term κ_x belongs to steady motions x(t) = g_t x₀, where g_t is a one-parameter group of symmetries with the
generator κ = (k(q), k_q v) and κ(x₀) = X(x₀): a disturbance that is carried along, δx = (g_t)_* N ξ, has constant A. At
an equilibrium κ = 0; where coordinates drift at constant rates that nothing depends on, κ is constant and κ_x = 0.
Where X depends on time, g_t carries the flow at t₀ into that at t₀ + t, and N, S and X_x at t₀ serve for all times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.analysis.linear.stability import STABLE, STABLE_BUT, VERDICTS, ComplexArray, Spectrum, spectrum_of
from gauss.analysis.linear.steady import Generator, Steady, generators, moving
from gauss.analysis.linear.tangent import StateDerivatives, independent, require_derivatives, tangent_space
from gauss.errors import GaussError, InputError
from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.model import AnySystem, System, refuse_friction, system_of
from gauss.model.compiled.smoothness import cyclic
from gauss.model.state import State

if TYPE_CHECKING:
    import scipy.signal

DEFINITE = 1e-9  # least eigenvalue of a positive definite second variation, relative to the sizes of its terms


@dataclass(frozen=True, repr=False)
class Linearization(Shown):
    """ξ̇ = A ξ + B δu, δy = C ξ + D δu about one state; ξ are the disturbances of the named states."""

    system: System
    state: State
    u: Array  # (n_u,) controls at the state
    states: tuple[str, ...]  # (d,) coordinates by name, velocities with d_ before it
    inputs: tuple[str, ...]  # (n_u,)
    outputs: tuple[str, ...]  # (k,) coordinates, velocities (d_), accelerations (dd_) or multipliers by the row's name
    A: Array  # (d, d)
    B: Array  # (d, n_u)
    C: Array  # (k, d)
    D: Array  # (k, n_u)
    basis: Array  # (2n, d) N: the whole disturbance (δq, δv) of each state's unit disturbance
    rates: dict[str, float]  # of the symmetries that the steady motion follows; empty at an equilibrium
    stiffness: Array  # (k, k) second variation of the potential energy on the constraints; (0, 0) where it says nothing
    stiffness_size: float  # of the terms that make up the second variation; rounding is a share of it
    free: tuple[str, ...] = ()  # coordinates that nothing depends on

    @property
    def spectrum(self) -> Spectrum:
        """Eigenvalues with their uncertainty, modes, and what they say about stability."""
        return spectrum_of(self.A, self.states)

    @property
    def eigenvalues(self) -> ComplexArray:
        """All d eigenvalues of A, 1/s; real parts decreasing."""
        return self.spectrum.eigenvalues

    @property
    def stability(self) -> str:
        """The verdict: that of the spectrum, or what the energy says where that is "not decided".

        By Lagrange and Dirichlet an equilibrium of a conservative system is "stable" where the potential energy has a
        strict minimum on the holonomic constraints. Where nothing depends on some coordinates, as the place of a cart,
        and the minimum is strict but for them, it is "stable but for free coordinates": the others, and all velocities,
        stay near (Routh, with Lyapunov's supplement for disturbances of the momenta).
        """
        verdict = self.spectrum.verdict
        if verdict != VERDICTS[1] or not self.stiffness.size:
            return verdict
        places = [self.states.index(name) for name in self.free if name in self.states]
        if len(places) < len(self.free):
            return verdict
        K = np.delete(np.delete(self.stiffness, places, 0), places, 1)
        values = np.linalg.eigvalsh(K)
        if values.size and not values[0] > DEFINITE * max(float(values[-1]), self.stiffness_size):
            return verdict
        return STABLE_BUT if places else STABLE

    @property
    def sentence(self) -> str:
        """The verdict with its reason: what the linear part says, and the energy where that does not decide."""
        if self.stability not in (STABLE, STABLE_BUT):
            return self.spectrum.sentence
        if self.stiffness.size and len(self.free) == len(self.stiffness):
            return (
                f"stable but for {', '.join(self.free)}, which nothing depends on: the momenta are constant, so"
                " that the velocities stay near; the positions drift."
            )
        free = f" but for {', '.join(self.free)}, which nothing depends on" if self.free else ""
        theorem = "Routh, Lyapunov" if self.free else "Lagrange, Dirichlet"
        return (
            f"stable{free}: the linear part alone does not decide, as {self.spectrum.undecided}; the energy does, as"
            f" the potential energy has a strict minimum ({theorem})."
        )

    @property
    def oscillating(self) -> tuple[int, ...]:
        """Which eigenvalues, with positive imaginary parts, are those of oscillating modes; slowest first."""
        values, doubt = self.eigenvalues, self.spectrum.uncertainty
        found = [k for k in range(values.size) if values[k].imag > doubt[k]]
        return tuple(sorted(found, key=lambda k: float(values[k].imag)))

    def mode(self, k: int) -> dict[str, complex]:
        """Return the k-th mode by name: every coordinate and velocity (d_), the largest of them 1.

        Raises InputError where there is no such mode.
        """
        vectors = self.spectrum.vectors
        if not isinstance(k, int | np.integer) or isinstance(k, bool) or not 0 <= k < vectors.shape[1]:
            raise InputError(f"mode {k!r} does not exist; there are {vectors.shape[1]}, counted from 0.")
        whole = self.basis @ vectors[:, k]
        whole = whole / whole[np.argmax(np.abs(whole))]
        names = (*self.system.coordinates, *("d_" + name for name in self.system.coordinates))
        return {name: complex(x) for name, x in zip(names, whole, strict=True)}

    def to_scipy(self) -> scipy.signal.StateSpace:
        """Return the model as a scipy.signal.StateSpace. Raises InputError where there are no inputs or outputs."""
        if not self.inputs or not self.outputs:
            raise InputError(f"{self.system.name!r} has no controls; scipy.signal.StateSpace needs inputs and outputs.")
        import scipy.signal  # late: loads a large library

        return scipy.signal.StateSpace(self.A, self.B, self.C, self.D)

    def to_control(self) -> Any:
        """Return the model as a StateSpace of python-control with named signals. Raises GaussError without it."""
        try:
            import control  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            raise GaussError("to_control needs the package python-control: pip install control.") from None
        names = {"states": list(self.states), "inputs": list(self.inputs), "outputs": list(self.outputs)}
        return control.ss(self.A, self.B, self.C, self.D, **names)

    def __str__(self) -> str:
        head = f"{self.system.name}, linear about q = {self.state.q}, v = {self.state.v}"
        drift = "; steady motion along " + ", ".join(f"{k} at {x:.6g}" for k, x in self.rates.items())
        text = f"stability      {self.sentence}\n{str(self.spectrum).partition(chr(10))[2]}"
        return f"{head}{drift if self.rates else ''}\nstates         {', '.join(self.states)}\n{text}"


@advised
def linearize(
    system: AnySystem,
    q: object,
    v: object = None,
    t: float = 0.0,
    *,
    u: object = None,
    symmetry: Generator | Sequence[Generator] | None = None,
    states: str | Sequence[str] | None = None,
    outputs: str | Sequence[str] | None = None,
) -> Linearization:
    """Return the linear equations of disturbances about an equilibrium or a steady motion.

    * `symmetry`: what the steady motion follows: names of coordinates that drift at constant rates, or functions
      ``k(q, p)`` that return the velocities of a symmetry (a list, or a dict by name), as ``{"x": -q.y, "y": q.x}`` for
      a rotation of the plane. Their rates follow from v. Left out, the moving coordinates drift.
    * `states`: the independent coordinates and velocities (``"theta d_theta"``) that describe a disturbance; chosen by
      pivoting if left out.
    * `outputs`: coordinates, velocities (``d_x``), accelerations (``dd_x``) or multipliers (by the row's name); the
      coordinates if left out.

    Time may occur in the model, if the symmetry carries the rows and forces of one time into those of another: a body
    on a platform that is made to turn is steady along the rotation. Where it does not, the motion is not steady; see
    `linearize_along` and, for a periodic motion, `transition`.

    Closed contacts that carry a reaction count as closed for good, open ones are left out. Raises InputError for wrong
    names, for dry friction, whose force is not smooth, for a state that is neither an equilibrium nor a steady motion
    along the symmetry, and for a black-box force; SingularPositionError where the flow is not smooth; and what
    `gauss.accelerate` raises.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ... )
    >>> linear = g.linearize(pendulum, [0, -1])
    >>> linear.eigenvalues.imag.round(6).tolist(), linear.stability
    ([3.132092, -3.132092], 'stable')
    """
    system = system_of(system)
    refuse_friction(system.contacts, system.name, "a linearisation")
    state = system.start(q, v, t)
    require_derivatives(system)
    point = StateDerivatives.at(system, state, u)
    names, fields, _ = generators(system, moving(system, state) if symmetry is None else symmetry)
    steady = Steady.along(point, names, fields)
    steady.require_symmetry(point)
    return assembled(point, steady, states, outputs)


def assembled(
    point: StateDerivatives, steady: Steady, states: str | Sequence[str] | None, outputs: str | Sequence[str] | None
) -> Linearization:
    """Return A, B, C, D."""
    system, n = point.system, point.system.n
    coordinates, velocities = independent(point, states)
    N = tangent_space(point, coordinates, velocities)
    picked = np.concatenate([coordinates, n + velocities])
    d, n_u = N.shape[1], len(system.controls)
    dq, dv, du = (
        np.hstack([N[:n], np.zeros((n, n_u))]),
        np.hstack([N[n:], np.zeros((n, n_u))]),
        np.zeros((n_u, d + n_u)),
    )
    du[:, d:] = np.eye(n_u)
    da, dl = point.respond(dq, dv, du)
    rate = np.vstack([dv - steady.by_q @ dq, da - steady.bent @ dq - steady.by_q @ dv])
    names = tuple(system.coordinates) if outputs is None else _output_names(system, outputs)
    whole = np.vstack([dq, dv, da, dl])
    stiffness, stiffness_size = _stiffness(point, N[:n, : coordinates.size])
    prefixed = [prefix + name for prefix in ("", "d_", "dd_") for name in system.coordinates]
    index = [[*prefixed, *system.row_names].index(name) for name in names]
    every = np.array([*system.coordinates, *("d_" + name for name in system.coordinates)])
    return Linearization(
        system=system,
        state=point.state,
        u=point.u,
        states=tuple(str(name) for name in every[picked]),
        inputs=system.controls,
        outputs=names,
        A=rate[picked][:, :d],
        B=rate[picked][:, d:],
        C=whole[index][:, :d],
        D=whole[index][:, d:],
        basis=N,
        rates={name: float(x) for name, x in zip(steady.names, steady.rates, strict=True)},
        stiffness=stiffness,
        stiffness_size=stiffness_size,
        free=cyclic(system.model),
    )


def _stiffness(point: StateDerivatives, basis: Array) -> tuple[Array, float]:
    """Return the second variation of V − λφ on the constraints and the size of its terms.

    It is (0, 0) for moving or non-conservative systems. The curvature of V and that of the rows may cancel, on a bead
    at the end of its stability for instance; what is left is rounding, a share of the size of either.
    """
    model = point.system.model
    kinds = {model.kinds[k] for k in point.active}
    if np.any(point.state.v) or not model.conservative or not kinds <= {"holonomic"}:
        return np.zeros((0, 0)), 0.0
    n = point.system.n
    of_rows = point.variation.by_q[:n] - point.without_reactions().by_q[:n]
    of_forces = point.variation.by_q[:n] - of_rows
    K = -basis.T @ point.variation.by_q[:n] @ basis
    sizes = np.abs(basis).T @ (np.abs(of_rows) + np.abs(of_forces)) @ np.abs(basis)
    return np.asarray((K + K.T) / 2), float(np.max(sizes, initial=0.0))


def _output_names(system: System, outputs: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of outputs, checked. Raises InputError."""
    if not isinstance(outputs, str | list | tuple):
        raise InputError(f"outputs must be names (a list, or one string separated by spaces), got {outputs!r}.")
    given = tuple(outputs.replace(",", " ").split()) if isinstance(outputs, str) else tuple(outputs)
    if isinstance(outputs, str) and outputs in system.row_names:  # a row's name may contain spaces
        given = (outputs,)
    known = [p + name for p in ("", "d_", "dd_") for name in system.coordinates] + list(system.row_names)
    unknown = [name for name in given if name not in known]
    if unknown:
        raise InputError(f"outputs names {unknown}; known: {', '.join(map(str, known))}.")
    return given
