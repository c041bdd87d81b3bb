"""A piecewise linear path to the impulses of a contact problem in the plane.

Each contact is open (p = t = 0), sticks (u_n = u_t = 0) or slips one way (u_n = 0, t = ±μ p). While these modes stay,
the law W x + c = u is linear. Any x solves W x + c − τ r = u at τ = 1 for some r. From there the solutions form a path
of straight pieces on which τ need not fall all the time: friction makes the problem non-convex, and the path turns back
and forth. Where a contact comes to the border of its mode, the next piece is that of the mode beyond; the quantity
that became zero tells which way to go on. This is Lemke's method (Management Science 11, 1965) from a start near the
solution, as in S. P. Dirkse and M. C. Ferris (Optim. Methods Softw. 5, 1995). A path that reaches τ = 0 ends at a
solution. It may also leave, or close upon itself, which it has done when all modes are again those it began with.
There, and when it is long, it is given up.

Pieces differ in the equations of a few contacts, so that few of them need a new factorisation. What a changed equation
brings about is not refined; the end of the path is.
"""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array, Indices
from gauss.nonsmooth.solving.bodies import BodySystem
from gauss.nonsmooth.solving.program import Program

PIECES = 400  # of a path
FAR = 10.0  # τ at which a path is given up: some that end lead farther away first, but few
UPDATED = 80  # equations that are not those of the last factorisation
ERROR = 1e-11  # of solutions, relative
FLAT = 1e-14  # rates of change below this share of the largest are rounding

OPEN, STICK, AHEAD, BACK = range(4)  # modes; t = μ p and t = −μ p where a contact slips
SIDE = np.array([0.0, 0.0, 1.0, -1.0])


def followed(program: Program, x: Array, most: int = PIECES) -> tuple[Array | None, int]:
    """Return the impulses (2k,) at the end of the path that begins at x, or None, and the number of its pieces.

    A path of more than `most` pieces is given up.
    """
    k, mu = program.count, program.friction
    modes, r = _start(program, x)
    began, others = modes.copy(), 0  # contacts whose mode is not the one at the start
    try:
        line = _Line(program, r, modes)
        tau, falling, came = 1.0, True, None
        for pieces in range(1, most + 1):
            found, rates = line.piece()
            own, left, rate = _margins(program, line, found, rates)
            if came is not None:  # what became zero grows again
                falling, left[came] = bool(rate[came] < 0.0), -tau * rate[came]
            way = -1.0 if falling else 1.0
            speed = way * rate
            towards = np.flatnonzero(speed < -FLAT * max(float(np.max(speed)), -float(np.min(speed))))
            room = np.maximum(left[towards] + tau * rate[towards], 0.0) / -speed[towards]
            if came is not None:
                room[towards == came] = np.inf
            nearest = int(np.argmin(room)) if len(room) else -1
            free = float(room[nearest]) if len(room) else np.inf
            if falling and tau <= free:
                return line.precise(found[:, 0]), pieces
            tau += way * free
            if not tau <= FAR:
                return None, pieces
            first = int(towards[nearest])
            contact, second = int(own[first]), first >= k
            slip = float(rates[k + contact, 0] + tau * rates[k + contact, 1])
            mode, second = _beyond(int(line.modes[contact]), second, slip)
            others += int(mode != began[contact]) - int(line.modes[contact] != began[contact])
            if not others:
                return None, pieces  # the path has closed upon itself
            line.change(contact, mode)
            came = _place(line.modes, mu, contact, second)
    except (RuntimeError, np.linalg.LinAlgError):  # singular equations
        return None, 0
    return None, most


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


def _margins(program: Program, line: _Line, found: Array, rates: Array) -> tuple[Indices, Array, Array]:
    """Return contacts, values at τ = 0 and slopes of what must not become negative, as impulses.

    First come the k contacts: u_n of open ones, μ p − t of those that stick, p of those that slip. Then come μ p + t of
    those that stick and the slip against t where contacts with friction slip.
    """
    k, modes, mu = program.count, line.modes, program.friction
    normal, tangent = program.diagonal
    second = _second(modes, mu)
    opened, stick = np.flatnonzero(modes == OPEN), np.flatnonzero(modes == STICK)
    limit = mu[stick, None] * found[stick]
    ahead, behind = found[:k].copy(), rates[k:] * (-SIDE[modes] / tangent)[:, None]
    ahead[opened] = rates[opened] / normal[opened, None]
    ahead[stick], behind[stick] = limit - found[k + stick], limit + found[k + stick]
    margins = np.concatenate([ahead, behind[second]])
    return np.concatenate([np.arange(k), second]), margins[:, 0], margins[:, 1]


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
        self.program, self.modes = program, modes
        self._sides = np.column_stack([-program.c, r])  # S (W x + c − τ r) + B x = 0
        self._changed: list[int] = []
        self._spread = np.zeros((2 * program.count, UPDATED), order="F")
        self._rates = np.zeros_like(self._spread)  # W times these
        self._factorise()

    def change(self, contact: int, mode: int) -> None:
        """Give a contact another mode."""
        k, opens = self.program.count, OPEN in (mode, self.modes[contact], self._modes[contact])
        self.modes[contact] = mode
        rows = [row for row in ((contact, k + contact) if opens else (k + contact,)) if row not in self._changed]
        if not rows:
            return
        if len(self._changed) + len(rows) > UPDATED:
            self._factorise()
            return
        unit, new = np.zeros((2 * k, len(rows))), slice(len(self._changed), len(self._changed) + len(rows))
        unit[rows, range(len(rows))] = 1.0
        self._changed += rows
        self._spread[:, new], self._rates[:, new] = self._pushed(unit)

    def piece(self) -> tuple[Array, Array]:
        """Return x and W x + c − τ r (2k, 2) at τ = 0 and their slopes."""
        x, rates = self._with_changes(self._base, self._base_rates, self._sides)
        return x, rates - self._sides

    def precise(self, x: Array) -> Array:
        """Return the end x (2k,) of the path less the error of columns that are not refined."""
        k = self.program.count
        S, B = self._equations(np.arange(k))
        apart = self._sides[:, 0] - self.program.W @ x
        left = (
            S @ np.stack([apart[:k], apart[k:]], axis=1)[:, :, None] - B @ np.stack([x[:k], x[k:]], axis=1)[:, :, None]
        )
        base = self._solve(left[:, :, 0].T.ravel())[:, None]
        return x + self._with_changes(base, self.program.W @ base, np.zeros_like(base))[0][:, 0]

    def _pushed(self, unit: Array) -> tuple[Array, Array]:
        """Return what solves the factorised equations for right sides (2k, c), and W times that."""
        if not isinstance(self._solve, BodySystem):
            x = self._solve(unit)
            return x, self.program.W @ x
        x, rates = self._solve.once(unit)
        return x, self._solve.blocks.added(rates, x)

    def _with_changes(self, base: Array, base_rates: Array, sides: Array) -> tuple[Array, Array]:
        """Return x and W x (2k, c) of the equations as changed, by Sherman, Morrison and Woodbury's formula.

        `base` and `base_rates` are those of the equations as factorised, with right sides S `sides`.
        """
        if not self._changed:
            return base, base_rates
        k, rows, count = self.program.count, np.array(self._changed), len(self._changed)
        i, part, each = rows % k, rows // k, np.arange(count)
        S, B = self._equations(i)
        more_S = (S[each, part, part] - self._S[i, part, part])[:, None]
        more_p, more_t = (B[each, part] - self._B[i, part]).T[:, :, None]

        def added(x: Array, rates: Array) -> Array:
            """Return what the equations changed since add to the left sides, for columns x (2k, c) and W x."""
            return np.asarray(more_S * rates[rows] + more_p * x[i] + more_t * x[k + i])

        spread, rates = self._spread[:, :count], self._rates[:, :count]
        right = more_S * sides[rows] - added(base, base_rates)
        share = np.linalg.solve(np.eye(count) + added(spread, rates), right)
        return base + spread @ share, base_rates + rates @ share

    def _factorise(self) -> None:
        k = self.program.count
        self._S, self._B = self._equations(np.arange(k))
        self._solve = self.program.blocks.system(self._B, self._S, ERROR)
        asked = (self._S @ np.stack([self._sides[:k], self._sides[k:]], axis=1)).transpose(1, 0, 2).reshape(2 * k, 2)
        self._base = self._solve(asked)
        self._base_rates = self.program.W @ self._base
        self._changed, self._modes = [], self.modes.copy()

    def _equations(self, i: Indices) -> tuple[Array, Array]:
        """Return the blocks S and B (c, 2, 2) of contacts i (c,)."""
        modes, (normal, tangent) = self.modes[i], self.program.diagonal
        S, B = np.zeros((len(i), 2, 2)), np.zeros((len(i), 2, 2))
        S[:, 0, 0], S[:, 1, 1] = modes != OPEN, modes == STICK
        B[:, 0, 0] = np.where(modes == OPEN, normal[i], 0.0)
        B[:, 1, 1] = np.where(modes == STICK, 0.0, tangent[i])
        B[:, 1, 0] = -SIDE[modes] * self.program.friction[i] * tangent[i]
        return S, B
