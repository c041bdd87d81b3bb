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

from typing import Any

import numpy as np

from gauss.foundation.arrays import Array, Indices
from gauss.nonsmooth.solving.bodies import BodySystem
from gauss.nonsmooth.solving.program import Program

PIECES = 400  # of a path
FAR = 10.0  # τ at which a path is given up: some that end lead farther away first, but few
UPDATED = 80  # equations that are not those of the last factorisation
ERROR = 1e-11  # of solutions, relative
LIKELY = 4  # borders that are next on a piece, whose equations are solved together with the one that is needed
FLAT = 1e-14  # rates of change below this share of the largest are rounding

OPEN, STICK, AHEAD, BACK = range(4)  # modes; t = μ p and t = −μ p where a contact slips
SIDE = np.array([0.0, 0.0, 1.0, -1.0])


def followed(program: Program, x: Array, most: int = PIECES) -> tuple[Array | None, int]:
    """Return the impulses (2k,) at the end of the path that begins at x, or None, and the number of its pieces.

    A path of more than `most` pieces is given up.
    """
    k = program.count
    modes, side, r = _start(program, x)
    began, others = modes.copy(), 0  # contacts whose mode is not the one at the start
    try:
        line = _Line(program, r, modes, side)
        tau, falling, came = 1.0, True, -1
        for pieces in range(1, most + 1):
            left, rate = line.margins()
            if came >= 0:  # what became zero grows again
                falling, left[came] = bool(rate[came] < 0.0), -tau * rate[came]
            speed = -rate if falling else rate
            towards = np.flatnonzero(speed < -FLAT * max(float(np.max(speed)), -float(np.min(speed))))
            room = np.maximum(left[towards] + tau * rate[towards], 0.0) / -speed[towards]
            if came >= 0:
                room[towards == came] = np.inf
            nearest = int(np.argmin(room)) if len(room) else -1
            free = float(room[nearest]) if len(room) else np.inf
            if falling and tau <= free:
                return line.precise(), pieces
            tau += -free if falling else free
            if not tau <= FAR:
                return None, pieces
            second, contact = divmod(int(towards[nearest]), k)
            before = int(modes[contact])
            mode, behind = _beyond(before, bool(second), line.slip(contact, tau))
            others += int(mode != began[contact]) - int(before != began[contact])
            if not others:
                return None, pieces  # the path has closed upon itself
            line.change(contact, mode, towards, room)
            came = contact + k * behind
    except (RuntimeError, np.linalg.LinAlgError):  # singular equations
        return None, 0
    return None, most


def _start(program: Program, x: Array) -> tuple[Indices, Array, Array]:
    """Return the modes (k,) that impulses and their rates tell, and the residual r (2k,) of the nearest x in them.

    Between them is the side (k,) of each contact, ±1: how it would slip if it began to.
    """
    (normal, tangent), mu = program.diagonal, program.friction
    (p, t), (un, ut) = program.split(x), program.split(program.rates(x))
    push, pull = p - un / normal, t[:, 0] - ut[:, 0] / tangent
    limit = mu * np.maximum(push, 0.0)
    modes = np.select([push <= 0.0, np.abs(pull) < limit, pull > 0.0], [OPEN, STICK, AHEAD], BACK)
    inside = np.concatenate([np.maximum(push, 0.0), np.clip(pull, -limit, limit)])
    rates = np.concatenate([np.maximum(-push, 0.0) * normal, (inside[len(p) :] - pull) * tangent])
    side = np.where(modes == OPEN, np.where(ut[:, 0] > 0.0, -1.0, 1.0), SIDE[modes])
    return modes, side, program.rates(inside) - rates


def _beyond(mode: int, second: bool, slip: float) -> tuple[int, bool]:
    """Return the mode beyond a border of a mode, and whether it is the second border of that."""
    if mode == OPEN:
        return (BACK if slip > 0.0 else AHEAD), False
    if mode == STICK:
        return (BACK if second else AHEAD), True
    return (STICK, mode == BACK) if second else (OPEN, False)


class _Line:
    """The straight piece x(τ) of given modes, from a factorisation and the equations changed since.

    Equations are S (W x + c − τ r) + B x = 0, the normal ones first. An open contact has t = ±μ p as if it slipped: so
    only one equation changes where a contact opens or closes. Lines of numbers (4k,) are x and then W x, or the rates.
    """

    def __init__(self, program: Program, r: Array, modes: Indices, side: Array):
        k = program.count
        self.program, self.modes, self._side = program, modes, side
        self._equations, self._borders = _law(program, slice(None), modes, side)  # (3, 2, k) each
        self._shift = np.array([program.c, -r])
        self._lines = np.empty((2 + UPDATED, 4 * k))  # at τ = 0, its slope, and what equations bring about
        self._now = np.empty((2, 4 * k))  # the piece: at τ = 0, and its slope
        self._factorise()

    def change(self, contact: int, mode: int, borders: Indices, room: Array) -> None:
        """Give a contact another mode. Borders (c,), by their places among the margins, are as far as `room` (c,)."""
        k, before = self.program.count, self._equations[:, :, contact].copy()
        self.modes[contact] = mode
        self._side[contact] = SIDE[mode] or self._side[contact]
        self._equations[:, :, contact], self._borders[:, :, contact] = _law(
            self.program, contact, mode, float(self._side[contact])
        )
        other = np.any(self._equations[:, :, contact] != before, axis=0)
        new = [row for row, is_other in zip((contact, k + contact), other, strict=True) if is_other]
        new = [row for row in new if row not in self._changed]
        if len(self._changed) + len(new) > UPDATED:
            self._factorise()
            return
        asked = [row for row in new if row not in self._solved]
        if asked and isinstance(self._solve, BodySystem):  # whose solutions cost less if there are several at once
            likely = borders[np.argpartition(room, LIKELY - 1)[:LIKELY]] if len(room) > LIKELY else borders
            more = [k + place % k if self.modes[place % k] == STICK else place for place in likely.tolist()]
            asked += [row for row in more if row not in self._solved and row not in self._changed and row not in asked]
        if asked:
            self._solved.update(zip(asked, self._pushed(asked), strict=True))
        for row in new:
            self._push(row)

    def margins(self) -> tuple[Array, Array]:
        """Return what must not become negative at τ = 0, as impulses (2k,), and its slopes (2k,).

        First come the contacts: u_n of open ones, μ p − t of those that stick, p of those that slip. Then come μ p + t
        of those that stick and the slip against t where contacts with friction slip; others have nothing there.
        """
        self._with_changes(self._now)
        parts, (on_p, on_t, on_u) = self._now.reshape(2, 4, 1, -1), self._borders
        both = on_p * parts[:, 0] + on_t * parts[:, 1] + on_u * parts[:, 2:, 0]
        return both[0].ravel(), both[1].ravel()

    def slip(self, contact: int, tau: float) -> float:
        """Return the slip of a contact."""
        at, slope = self._now[:, 3 * self.program.count + contact]
        return float(at + tau * slope)

    def precise(self) -> Array:
        """Return the end x (2k,) of the path less the error of columns that are not refined."""
        k, (S, on_p, on_t) = self.program.count, self._equations
        x, more = self._now[0, : 2 * k], np.empty((1, 4 * k))
        left = S * self.program.rates(x).reshape(2, k) + on_p * x[:k] + on_t * x[k:]
        self._put(0, self._solve(-left.ravel()))
        self._with_changes(more)
        return np.asarray(x + more[0, : 2 * k])

    def _put(self, place: int, x: Array) -> None:
        """Let a line be that of impulses x (2k,)."""
        self._lines[place, : len(x)], self._lines[place, len(x) :] = x, self.program.W @ x

    def _with_changes(self, out: Array) -> None:
        """Write the first lines (c, 4k) for the equations as changed, by Sherman, Morrison and Woodbury's formula."""
        rows, lines, count = np.array(self._changed, dtype=int), self._lines[: 2 + len(self._changed)], len(out)
        if not len(rows):
            out[:] = lines[:count]
            return
        k = self.program.count
        more = self._equations.reshape(3, 2 * k)[:, rows] - self._factorised.reshape(3, 2 * k)[:, rows]
        there = lines[:, np.concatenate([2 * k + rows, rows % k, k + rows % k])].reshape(-1, 3, len(rows))
        added = (there[:, 0] * more[0] + there[:, 1] * more[1] + there[:, 2] * more[2]).T  # to the left sides, by lines
        share = np.linalg.solve(np.eye(len(rows)) + added[:, 2:], -added[:, :count]).T
        for half in (slice(0, 2 * k), slice(2 * k, 4 * k)):  # BLAS is slower from 10⁶ products on
            np.matmul(share, lines[2:, half], out=out[:, half])
        out += lines[:count]

    def _factorise(self) -> None:
        k, (own, on_p, on_t) = self.program.count, self._equations
        S, B = np.zeros((k, 2, 2)), np.zeros((k, 2, 2))
        S[:, 0, 0], S[:, 1, 1] = own
        B[:, 0, 0], B[:, 1, 0], B[:, 1, 1] = on_p[0], on_p[1], on_t[1]
        self._solve = self.program.blocks.system(B, S, ERROR)
        found = self._solve(-(own.ravel() * self._shift).T)
        for place, shift in enumerate(self._shift):
            self._put(place, found[:, place])
            self._lines[place, 2 * k :] += shift
        self._changed: list[int] = []
        self._solved: dict[int, Array] = {}
        self._factorised = self._equations.copy()

    def _pushed(self, rows: list[int]) -> Array:
        """Return what right sides that are 1 in one of c rows each bring about: rates of bodies (c, nv), or x."""
        if isinstance(self._solve, BodySystem):
            return self._solve.pushed(rows)
        unit = np.zeros((2 * self.program.count, len(rows)))
        unit[rows, range(len(rows))] = 1.0
        return self._solve(unit).T

    def _push(self, row: int) -> None:
        """Add the line of an equation."""
        place = 2 + len(self._changed)
        self._changed.append(row)
        if isinstance(self._solve, BodySystem):
            half = 2 * self.program.count
            self._lines[place, :half], self._lines[place, half:] = self._solve.unit(row, self._solved[row])
        else:
            self._put(place, self._solved[row])


def _law(program: Program, i: Any, mode: Any, side: Any) -> tuple[Array, Array]:
    """Return the coefficients (3, 2, …) of equations, and of their borders, of contacts i with modes and sides.

    Those of equations are of the rate, of p, and of t, for the normal and the tangential one. Those of borders are of
    p, of t, and of the rate, for the first and the second one.
    """
    mu, normal, tangent = program.friction[i], program.diagonal[0][i], program.diagonal[1][i]
    opened, stick = 1.0 * (mode == OPEN), 1.0 * (mode == STICK)
    slip, held = 1.0 - opened - stick, stick * mu
    equations = [
        [1.0 - opened, stick],
        [opened * normal, (stick - 1.0) * side * mu * tangent],
        [0.0 * opened, (1.0 - stick) * tangent],
    ]
    borders = [[slip + held, held], [-stick, stick], [opened / normal, -slip * (mu > 0.0) * side / tangent]]
    return np.array(equations), np.array(borders)
