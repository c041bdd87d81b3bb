"""The door to a second opinion: arrays of one state or of many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gauss.analysis.second_opinion.arguments import Recording, read
from gauss.analysis.second_opinion.judging import StateOpinion, judged, lonely, with_rounding
from gauss.analysis.second_opinion.record import SecondOpinion
from gauss.errors import GaussError, InputError
from gauss.foundation.arrays import Array, names_of, positive
from gauss.foundation.calls import advised
from gauss.foundation.threads import one_by_one
from gauss.foundation.tolerances import EPS
from gauss.principle import GaussProblem

TOLERANCE = 1e-6  # of the sizes of the terms; what programs' own solvers leave
OVERFLOW = (
    "M, f, J or a hold numbers whose products are beyond the range of floating point; give them in units in which they"
    " are nearer to 1."
)
OTHERS = ("word", "why", "verdict", "determined", "open")  # fields of a judgement that are no numbers
BY_ROW = ("off", "off_soft", "share", "wrong", "low", "high", "multipliers")
COARSE = 1e4  # times the spacing of numbers of a coarser type than double precision


@advised
def check(
    *,
    M: object,
    f: object,
    a: object,
    J: object = None,
    forces: object = None,
    gamma: object = None,
    lower: object = None,
    upper: object = None,
    unilateral: object = None,
    friction: object = None,
    gap: object = None,
    second: object = None,
    length: float | None = None,
    noise: object = None,
    regularization: object = None,
    names: Sequence[str] | None = None,
    coordinates: Sequence[str] | None = None,
    tolerance: float | None = None,
) -> SecondOpinion:
    """Judge accelerations and constraint forces that another program computed, M a = f + Jᵀλ: a second opinion.

    Each array is that of one state, or of N states with an axis in front; arrays of one state serve all. For each state
    it says how far `a` is from the acceleration that minimises the Zwang under the rows, what is left over of the
    balance of forces, which rows are missed, and which multipliers are determined, with the ranges of the others.

    * `M` (n, n), `f` (n,): mass matrix, and all forces but those of the rows (applied, Coriolis, gyroscopic).
    * `J` (m, n), and `forces` (m,), the multipliers λ. A row that is nan is absent at that state.
    * `gamma` (m,): the rows demand J a = γ, or J a ≥ γ where `unilateral` (names of rows, or booleans) says so, as of
      closed contacts. Or `lower` and `upper` (m,). Without these J a is taken for right.
    * `friction`: rows (names, or booleans) whose forces obey a law of their own; they are added to f as given.
    * `regularization` R (m,): the program demands J a + R λ = γ (MuJoCo's efc_R). The distance to the minimiser with
      such rows is reported beside that to the hard one.
    * `gap` (m,), or one number for all: by how much the constraints are open at the state. Multipliers that hang on it
      are not decided until the loops are closed. Of one-sided rows it does not count: a limit acts where it
      is passed. `second` (m, n, n) are the second derivatives of the constraints, or `length` says over which change
      of the coordinates rows turn (1 if left out).
    * `noise`: by how much entries of J may be wrong, one number or (m, n); left out, the rounding of their type.
    * `tolerance`: share of the sizes of the terms that counts as none; 1e-6, for single precision 1e-3.

    The law of friction, and whether the rows are the right ones, are not judged. Raises InputError for what does not
    fit, MassMatrixError and NonUniqueAccelerationError for mass matrices that determine no acceleration, naming the
    state.

    >>> import gauss as g
    >>> rail = [[0.0, 1.0], [0.0, 2.0]]  # a bead of 1 kg on a rail along x that is given twice
    >>> found = g.check(M=[[1, 0], [0, 1]], f=[3.0, -10.0], J=rail, a=[3.0, 0.0], forces=[10.0, 0.0], gamma=[0, 0])
    >>> found.words, found.determined.tolist(), found.passed
    (('agrees',), [[False, False]], True)
    >>> slow = g.check(M=[[1, 0], [0, 1]], f=[3.0, -10.0], J=rail[:1], a=[2.9, 0.0], forces=[10.0], gamma=[0.0])
    >>> slow.words, slow.distance.round(9), slow.balance.round(9).tolist()
    (('differs',), array([0.1]), [[-0.1, 0.0]])
    """
    states = read(
        M, f, a, J, forces, gamma, (lower, upper), unilateral, friction, gap, second, noise, regularization, names
    )
    coarse = states.eps > EPS
    share = (COARSE * states.eps if coarse else TOLERANCE) if tolerance is None else positive(tolerance, "tolerance")
    n, m = states.a.shape[1], states.J.shape[1]
    labels = tuple(f"a{k}" for k in range(n)) if coordinates is None else names_of(coordinates, "coordinates")
    rows = tuple(f"row {k}" for k in range(m)) if names is None else tuple(names)
    GaussProblem.of(np.eye(n), np.zeros(n), np.zeros((m, n)), np.zeros(m), names=names, coordinates=labels)  # they fit
    found = []
    with one_by_one(n):
        for k in range(len(states)):
            where = f"state {k}: " if len(states) > 1 else ""
            try:
                found.append(_at(states, k, rows, labels, length, share))
            except np.linalg.LinAlgError as error:
                raise InputError(f"{where}{OVERFLOW}") from error
            except GaussError as error:
                error.args = (f"{where}{error}", *error.args[1:])
                raise
    return _collected(states, found, rows, labels, share, gap is None)


def _at(
    states: Recording, k: int, rows: Sequence[str], coordinates: Sequence[str], length: float | None, share: float
) -> StateOpinion:
    """Return what there is to say of one state."""
    here, rubbed = states.present[k], states.friction[k]
    f, forces = states.f[k], states.forces[k]
    if np.any(rubbed):
        f = f + states.J[k][rubbed].T @ forces[rubbed]
    gap = np.zeros(()) if states.gap is None else np.asarray(states.gap[k])
    problem = GaussProblem.of(
        states.M[k],
        f,
        states.J[k][here],
        states.lower[k][here],
        states.upper[k][here],
        [name for name, yes in zip(rows, here, strict=True) if yes],
        coordinates,
        noise=None if states.noise is None else states.noise[k][here],
        residuals=gap[here] if gap.ndim else gap,
        second=None if states.second is None else states.second[k][here],
        length=length,
    )
    if states.noise is None and states.eps > EPS:
        problem = with_rounding(problem, states.eps / 2.0)
    lone = lonely(problem) if states.noise is None else np.zeros(problem.m, dtype=bool)
    given = forces[here]
    soft = None if states.regularization is None else states.regularization[k][here]
    return judged(problem, states.a[k], None if np.any(np.isnan(given)) else given, soft, share, lone)


def _collected(
    states: Recording,
    found: Sequence[StateOpinion],
    rows: tuple[str, ...],
    coordinates: tuple[str, ...],
    share: float,
    assumed: bool,
) -> SecondOpinion:
    """Return the findings of all states as arrays."""

    def of_rows(name: str) -> Array:
        values = np.full(states.present.shape, np.nan)
        for k, each in enumerate(found):
            values[k][states.present[k]] = getattr(each, name)
        return values

    of_states = [name for name in StateOpinion._fields if name not in (*OTHERS, *BY_ROW)]
    return SecondOpinion(
        coordinates=coordinates,
        rows=rows,
        a=states.a,
        forces=states.forces,
        words=tuple(each.word for each in found),
        reasons=tuple(each.why for each in found),
        verdicts=tuple(each.verdict for each in found),
        present=states.present,
        determined=of_rows("determined") == 1.0,
        open=of_rows("open") == 1.0,
        tolerance=share,
        softened=states.regularization is not None,
        bounded=states.bounded,
        assumed=assumed,
        **{name: np.array([getattr(each, name) for each in found]) for name in of_states},
        **{name: of_rows(name) for name in BY_ROW},
    )
