"""The flow of a system with one freedom: positions on its rows, the force along them, and motions side by side.

All motions are integrated side by side, with accelerations from the rows and the equation of motion,

    M a − Jᵀλ = f,    J a = γ,

by the classical method of Runge and Kutta, forwards and backwards in time; after each step positions and velocities
return to the rows. Separatrices leave a saddle along the eigenvectors of the linear equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gauss.analysis.linear.linearize import Linearization
from gauss.analysis.linear.tangent import autonomous, require_derivatives
from gauss.errors import GaussError, InputError
from gauss.foundation.arrays import Array, Flags
from gauss.model import System, refuse_friction
from gauss.motion import consistent

GUESSES = 41  # positions from which equilibria are looked for, besides those beside a change of the sign of the force
EACH_TURN = 24  # positions, in a turn of an angle, at which the sign of the force is asked at least
AGREED = 2  # doublings of the positions that show no further change of sign
POSITIONS = 6000  # after which they are not doubled again
MOST = 400  # changes of sign of which equilibria are looked for
STEPS = 600  # of one motion, each way
FINER = 1200  # of a separatrix
ASIDE = 1e-5  # how far from a saddle a separatrix begins, as a share of the window
DECADES = 20.0  # e-folds of the growth at a saddle that a separatrix is followed: away from it and to another one
TURNED = 0.03  # share of the coordinate in the direction of motion below which it does not tell positions apart
RANK = 1e-10  # singular values of the rows below this share of the largest are zero, and as small slopes of a motion


@dataclass(frozen=True)
class Flow:
    """The flow of a system, many states at a time."""

    system: System
    place: int  # of the coordinate
    theta: Array

    @staticmethod
    def of(system: System, coordinate: str, u: object) -> Flow:
        """Return the flow. Raises InputError for systems that have no portrait."""
        require_derivatives(system)
        refuse_friction(system.contacts, system.name, "a phase portrait")
        if coordinate not in system.coordinates:
            known = ", ".join(system.coordinates)
            lack = f"has no coordinate {coordinate!r}; it has" if coordinate else "has several coordinates; name one of"
            raise InputError(f"{system.name!r} {lack} {known}.")
        if system.model.unilateral:
            raise InputError(f"{system.name!r} has contacts; a phase portrait is of a smooth flow.")
        if not autonomous(system):
            raise InputError(f"time occurs in {system.name!r}; its motions cross in the plane of {coordinate!r}.")
        flow = Flow(system, system.coordinates.index(coordinate), system.theta(u))
        if not system.row_names:
            flow.require_one_freedom(np.zeros(system.n))
        return flow

    def positions(self, values: Array, near: Array) -> Array:
        """Return the positions (k, n) with values of the coordinate, those that exist."""
        if self.system.n == 1:
            return values[:, None]
        name, found = self.system.coordinates[self.place], []
        first = int(np.argmin(np.abs(values - near[self.place])))
        for order in (range(first, len(values)), range(first - 1, -1, -1)):
            guess = near.copy()
            for k in order:
                guess[self.place] = values[k]
                try:
                    guess = consistent(self.system, guess, hold=(name,)).q.copy()
                except GaussError:
                    break
                found.append(guess.copy())
        return np.array(sorted(found, key=lambda q: float(q[self.place])))

    def searched(self, low: float, high: float, near: Array) -> tuple[Array, list[Array], bool]:
        """Return positions (k, n) over a span, those from which equilibria are looked for, and whether they settle.

        The force along the motion changes its sign at an equilibrium, unless it only touches zero there: the positions
        are doubled until no further changes appear. Raises InputError where there is no position, or other freedoms.
        """
        name = self.system.coordinates[self.place]
        each = 2.0 * np.pi / EACH_TURN if self.system.units.get(name) == "rad" else np.inf
        count, counts = max(GUESSES, int(min((high - low) / each, POSITIONS)) + 1), list[int]()
        while True:
            table = self.positions(np.linspace(low, high, count), near)
            if not len(table):
                raise InputError(f"no position of {self.system.name!r} has {name!r} in this span; give one as q.")
            if not counts:
                self.require_one_freedom(table[len(table) // 2])
            force = self.along(table)
            changes = np.flatnonzero(force[:-1] * force[1:] < 0.0)
            counts.append(changes.size)
            settled = counts[-AGREED - 1 :] == [changes.size] * (AGREED + 1)
            if settled or 2 * count > POSITIONS or changes.size > MOST:
                break
            count = 2 * count - 1
        settled, changes = settled and changes.size <= MOST, changes[:: changes.size // MOST + 1]
        share = np.abs(force[changes]) / (np.abs(force[changes]) + np.abs(force[changes + 1]))
        between = table[changes] + share[:, None] * (table[changes + 1] - table[changes])
        some = np.unique(np.linspace(0, len(table) - 1, min(GUESSES, len(table))).round().astype(int))
        return table, [*table[some], *between], settled

    def along(self, q: Array) -> Array:
        """Return the force (k,) at rest along the motion in which the coordinate grows, at positions (k, n)."""
        k = len(q)
        terms = self.system.model.many(q, np.zeros_like(q), np.zeros(k), np.tile(self.theta, (k, 1)))
        if not terms.J.shape[1]:
            return np.asarray(terms.f[:, 0])
        direction = np.linalg.svd(terms.J)[2][:, -1]
        forwards = np.sign(direction[:, self.place])
        return np.asarray(forwards * np.sum(direction * terms.f, axis=1))

    def require_one_freedom(self, q: Array) -> None:
        """Raise InputError unless the rows leave one freedom."""
        J = self.system.model.terms(q, np.zeros(self.system.n), 0.0, self.theta).J
        freedom = self.system.n - (int(np.linalg.matrix_rank(J, RANK * np.linalg.norm(J))) if J.size else 0)
        if freedom == 1:
            return
        name = self.system.coordinates[self.place]
        more = ""
        if freedom > 1:
            other = next((x for x in self.system.coordinates if x != name), name)
            more = (
                f" Hold others by further rows, as system.with_constraints([*system.constraints,"
                f' gauss.Holonomic("held", lambda q: q.{other})]), or draw the curve of a motion:'
                f' gauss.plot(run, "{name}", "d_{name}").'
            )
        raise InputError(f"{self.system.name!r} has {freedom} freedoms; a phase portrait is for one.{more}")

    def rates(self, z: Array) -> Array:
        """Return the derivative (k, 2n) of states (k, 2n)."""
        n, k = self.system.n, len(z)
        theta = np.tile(self.theta, (k, 1))
        terms = self.system.model.many(z[:, :n], z[:, n:], np.zeros(k), theta)
        m = terms.J.shape[1]
        matrix = np.zeros((k, n + m, n + m))
        matrix[:, :n, :n], matrix[:, n:, :n] = terms.M, terms.J
        matrix[:, :n, n:] = -np.swapaxes(terms.J, 1, 2)
        right = np.concatenate([terms.f, terms.gamma], axis=1)[..., None]
        whole = np.linalg.pinv(matrix, RANK) @ right if m else np.linalg.solve(matrix, right)
        return np.concatenate([z[:, n:], whole[:, :n, 0]], axis=1)

    def onto_rows(self, z: Array) -> Array:
        """Return states (k, 2n) back on the rows, to first order."""
        n, k = self.system.n, len(z)
        if not self.system.model.m:
            return z
        terms = self.system.model.many(z[:, :n], z[:, n:], np.zeros(k), np.tile(self.theta, (k, 1)))
        inverse = np.linalg.pinv(terms.J, RANK)
        change = [(inverse @ residual[..., None])[..., 0] for residual in (terms.phi, terms.psi)]
        return z - np.concatenate(change, axis=1)

    def followed(self, z: Array, times: Array, steps: int, span: tuple[float, float], reach: float) -> list[Array]:
        """Return the curves (k, 2) of motions from states (N, 2n) over `times` (N,), until they leave the window."""
        n, h = self.system.n, (times / steps)[:, None]
        picked = [self.place, n + self.place]
        path = np.full((steps + 1, len(z), 2), np.nan)
        path[0] = z[:, picked]
        inside = np.arange(len(z))
        margin = 0.05 * (span[1] - span[0])
        for k in range(steps):
            x, step = z[inside], h[inside]
            with np.errstate(all="ignore"):
                k1 = self.rates(x)
                k2 = self.rates(x + 0.5 * step * k1)
                k3 = self.rates(x + 0.5 * step * k2)
                k4 = self.rates(x + step * k3)
                z[inside] = self.onto_rows(x + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))
            now = z[inside][:, picked]
            path[k + 1, inside] = now
            stays: Flags = np.isfinite(now).all(axis=1) & (np.abs(now[:, 1]) <= 1.05 * reach)
            stays &= (now[:, 0] >= span[0] - margin) & (now[:, 0] <= span[1] + margin)
            stays &= self.told_apart(z[inside])
            inside = inside[stays]
            if not inside.size:
                break
        return [path[np.isfinite(path[:, j]).all(axis=1), j] for j in range(len(z))]

    def told_apart(self, z: Array) -> Flags:
        """Return which of the states (k, 2n) are not about to turn back in the coordinate at a speed."""
        n, k = self.system.n, len(z)
        if n == 1:
            return np.ones(k, dtype=bool)
        J = self.system.model.batch(z[:, :n], z[:, n:], np.zeros(k), self.theta)[1]
        known: Flags = np.asarray(np.isfinite(J).all(axis=(1, 2)))
        _, _, basis = np.linalg.svd(np.where(known[:, None, None], J, 0.0))
        return np.asarray(known & (np.abs(basis[:, -1, self.place]) > TURNED))

    def motions(self, starts: Array, table: Array, time: float, span: tuple[float, float], reach: float) -> list[Array]:
        """Return the motions through starts (N, 2), backwards and forwards; those on no position have no points."""
        n = self.system.n
        states = np.full((len(starts), 2 * n), np.nan)
        for k, (x, rate) in enumerate(starts):
            near = table[int(np.argmin(np.abs(table[:, self.place] - x)))]
            q = self.positions(np.array([x]), near)
            if not len(q):
                continue
            J = self.system.model.terms(q[0], np.zeros(n), 0.0, self.theta).J
            along = np.linalg.svd(J)[2][-1] if len(J) else np.ones(1)
            if abs(along[self.place]) > RANK:
                states[k] = np.concatenate([q[0], along * rate / along[self.place]])
        known = np.flatnonzero(np.isfinite(states).all(axis=1))
        both = np.concatenate([states[known], states[known]])
        times = np.repeat([time, -time], known.size)
        paths = self.followed(both, times, STEPS, span, reach)
        curves = [np.zeros((0, 2))] * len(starts)
        for j, k in enumerate(known.tolist()):
            curves[k] = np.concatenate([paths[known.size + j][:0:-1], paths[j]])
        return curves

    def separatrices(
        self,
        saddles: Sequence[tuple[Array, Linearization]],
        span: tuple[float, float],
        reach: float,
    ) -> list[Array]:
        """Return the curves that leave and reach saddles, each a position (n,) with the linear equations there."""
        n, states, times = self.system.n, [], []
        for q, about in saddles:
            for k, value in enumerate(about.eigenvalues):
                mode = np.array([x.real for x in about.mode(k).values()])
                mode = mode * ASIDE * (span[1] - span[0]) / abs(mode[self.place])
                for sign in (1.0, -1.0):
                    states.append(np.concatenate([q, np.zeros(n)]) + sign * mode)
                    times.append(DECADES / float(value.real))
        if not states:
            return []
        paths = self.followed(self.onto_rows(np.array(states)), np.array(times), FINER, span, reach)
        return [path if time > 0.0 else path[::-1] for path, time in zip(paths, times, strict=True)]
