"""A piecewise linear path to the impulses of a contact problem in the plane.

Each contact is open (p = t = 0), sticks (u_n = u_t = 0) or slips one way (u_n = 0, t = ±μ p). While these modes stay,
the law W x + c = u is linear. Any x solves W x + c − τ r = u at τ = 1 for some r. From there the solutions form a path
of straight pieces on which τ need not fall all the time: friction makes the problem non-convex, and the path turns back
and forth. Where a contact comes to the border of its mode, the next piece is that of the mode beyond; the quantity
that became zero tells which way to go on. This is Lemke's method (Management Science 11, 1965) from a start near the
solution, as in S. P. Dirkse and M. C. Ferris (Optim. Methods Softw. 5, 1995). A path that reaches τ = 0 ends at a
solution. It may also close upon itself or leave; it is given up when it is long.

Pieces differ in the equations of a few contacts, so that few of them need a new factorisation.
"""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array, Indices
from gauss.nonsmooth.solving.program import Program

PIECES = 400  # of a path
FAR = 4.0  # τ at which a path is given up
UPDATED = 40  # contacts with other equations than in the last factorisation
FLAT = 1e-14  # rates of change below this share of the largest are rounding

OPEN, STICK, AHEAD, BACK = range(4)  # modes; t = μ p and t = −μ p where a contact slips
SIDE = np.array([0.0, 0.0, 1.0, -1.0])


def followed(program: Program, x: Array) -> tuple[Array | None, int]:
    """Return the impulses (2k,) at the end of the path that begins at x, or None, and the number of its pieces."""
    k, mu = program.count, program.friction
    modes, r = _start(program, x)
    try:
        line = _Line(program, r, modes)
        tau, falling, came = 1.0, True, None
        for pieces in range(1, PIECES + 1):
            at, slope = line.piece()
            own, left, rate = _margins(program, line, at, slope)
            if came is not None:  # what became zero grows again
                falling, left[came] = bool(rate[came] < 0.0), -tau * rate[came]
            way = -1.0 if falling else 1.0
            towards = way * rate < -FLAT * float(np.max(np.abs(rate), initial=0.0))
            room = np.where(towards, np.maximum(left + tau * rate, 0.0) / np.where(towards, -way * rate, 1.0), np.inf)
            if came is not None:
                room[came] = np.inf
            first = int(np.argmin(room))
            if falling and tau <= room[first]:
                return at, pieces
            tau += way * room[first]
            if not tau <= FAR:
                return None, pieces
            contact, second = int(own[first]), first >= k
            slip = line.slip(at + tau * slope, contact, tau)
            mode, second = _beyond(int(line.modes[contact]), second, slip)
            line.change(contact, mode)
            came = _place(line.modes, mu, contact, second)
    except (RuntimeError, np.linalg.LinAlgError):  # singular equations
        return None, 0
    return None, PIECES


def _start(program: Program, x: Array) -> tuple[Indices, Array]:
    """Return the modes (k,) that impulses and their rates tell, and the residual r (2k,) of the nearest x in them."""
    (normal, tangent), mu = program.diagonal, program.friction
    (p, t), (un, ut) = program.split(x), program.split(program.rates(x))
    push, pull = p - un / normal, t[:, 0] - ut[:, 0] / tangent
    limit = mu * np.maximum(push, 0.0)
    modes = np.select([push <= 0.0, np.abs(pull) < limit, pull > 0.0], [OPEN, STICK, AHEAD], BACK)
    inside = np.concatenate([np.maximum(push, 0.0), np.clip(pull, -limit, limit)])
    rates = np.concatenate([np.maximum(-push, 0.0) * normal, (inside[len(p) :] - pull) * tangent])
    return modes, program.rates(inside) - rates


def _margins(program: Program, line: _Line, at: Array, slope: Array) -> tuple[Indices, Array, Array]:
    """Return contacts, values at τ = 0 and slopes of what must not become negative, as impulses.

    First come the k contacts: u_n of open ones, μ p − t of those that stick, p of those that slip. Then come μ p + t of
    those that stick and the slip against t where contacts with friction slip.
    """
    k, modes, mu = program.count, line.modes, program.friction
    normal, tangent = program.diagonal
    second = _second(modes, mu)
    found = []
    for x, u in ((at, program.W @ at + program.c), (slope, program.W @ slope - line.r)):
        stick = modes == STICK
        ahead = np.where(modes == OPEN, u[:k] / normal, np.where(stick, mu * x[:k] - x[k:], x[:k]))
        behind = np.where(stick, mu * x[:k] + x[k:], -SIDE[modes] * u[k:] / tangent)
        found.append(np.concatenate([ahead, behind[second]]))
    return np.concatenate([np.arange(k), second]), found[0], found[1]


def _second(modes: Indices, mu: Array) -> Indices:
    """Return the contacts that have a second border."""
    return np.flatnonzero((modes == STICK) | ((modes != OPEN) & (mu > 0.0)))


def _place(modes: Indices, mu: Array, contact: int, second: bool) -> int:
    """Return the place of a border among the margins."""
    return len(modes) + int(np.searchsorted(_second(modes, mu), contact)) if second else contact


def _beyond(mode: int, second: bool, slip: float) -> tuple[int, bool]:
    """Return the mode beyond a border of a mode, and whether it is the second border of that."""
    if mode == OPEN:
        return (BACK if slip > 0.0 else AHEAD), False
    if mode == STICK:
        return (BACK if second else AHEAD), True
    return (STICK, mode == BACK) if second else (OPEN, False)


class _Line:
    """The straight piece x(τ) of given modes, from a factorisation and the equations changed since."""

    def __init__(self, program: Program, r: Array, modes: Indices):
        self.program, self.r, self.modes = program, r, modes
        self._sides = np.column_stack([-program.c, r])  # S (W x + c − τ r) + B x = 0
        self._changed: list[int] = []
        self._spread = np.zeros((2 * program.count, 0))
        self._factorise()

    def change(self, contact: int, mode: int) -> None:
        """Give a contact another mode."""
        self.modes[contact] = mode
        if contact in self._changed:
            return
        if len(self._changed) >= UPDATED:
            self._factorise()
            return
        k = self.program.count
        unit = np.zeros((2 * k, 2))
        unit[[contact, k + contact], [0, 1]] = 1.0
        self._changed.append(contact)
        self._spread = np.hstack([self._spread, self._solve(unit[:, 0])[:, None], self._solve(unit[:, 1])[:, None]])

    def piece(self) -> tuple[Array, Array]:
        """Return x at τ = 0 and dx/dτ (2k,) by the formula of Sherman, Morrison and Woodbury."""
        if not self._changed:
            return self._base[:, 0], self._base[:, 1]
        i, k = np.array(self._changed), self.program.count
        rows = np.column_stack([i, k + i]).ravel()
        S, B = self._equations(i)
        more_S, more_B = S - self._S[i], B - self._B[i]
        W = self.program.W[rows]

        def added(x: Array) -> Array:
            """Return what the equations changed since add to the left sides, for columns x (2k, c)."""
            pairs = (len(i), 2, -1)
            return np.asarray(
                (more_S @ (W @ x).reshape(pairs) + more_B @ x[rows].reshape(pairs)).reshape(len(rows), -1)
            )

        right = (more_S @ self._sides[rows].reshape(len(i), 2, 2)).reshape(-1, 2)
        share = np.linalg.solve(np.eye(len(rows)) + added(self._spread), right - added(self._base))
        found = self._base + self._spread @ share
        return found[:, 0], found[:, 1]

    def slip(self, x: Array, contact: int, tau: float) -> float:
        """Return the slip velocity of a contact at impulses x."""
        row = self.program.count + contact
        return float((self.program.W[row] @ x)[0] + self.program.c[row] - tau * self.r[row])

    def _factorise(self) -> None:
        k = self.program.count
        self._S, self._B = self._equations(np.arange(k))
        self._solve = self.program.blocks.system(self._B, self._S)
        asked = (self._S @ np.stack([self._sides[:k], self._sides[k:]], axis=1)).transpose(1, 0, 2).reshape(2 * k, 2)
        self._base = np.column_stack([self._solve(asked[:, 0]), self._solve(asked[:, 1])])
        self._changed, self._spread = [], np.zeros((2 * k, 0))

    def _equations(self, i: Indices) -> tuple[Array, Array]:
        """Return the blocks S and B (c, 2, 2) of contacts i (c,)."""
        modes, (normal, tangent) = self.modes[i], self.program.diagonal
        S, B = np.zeros((len(i), 2, 2)), np.zeros((len(i), 2, 2))
        S[:, 0, 0], S[:, 1, 1] = modes != OPEN, modes == STICK
        B[:, 0, 0] = np.where(modes == OPEN, normal[i], 0.0)
        B[:, 1, 1] = np.where(modes == STICK, 0.0, tangent[i])
        B[:, 1, 0] = -SIDE[modes] * self.program.friction[i] * tangent[i]
        return S, B
