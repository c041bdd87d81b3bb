"""What an analysis finds of a state, where it ends without an acceleration, and where rows may vanish nowhere."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gauss.principle import GaussProblem
from gauss.uniqueness import findings as verdict_on
from gauss.uniqueness.accelerations import AccelerationSet, nothing
from gauss.uniqueness.findings import ORDER, Finding
from gauss.uniqueness.orders.completed import added
from gauss.uniqueness.orders.jets import Conditions
from gauss.uniqueness.rows.frame import Frame
from gauss.uniqueness.rows.nearby import NearbyPoint
from gauss.uniqueness.rows.uncertainty import order_one


@dataclass(frozen=True)
class Analysis:
    """What the rows of a frame say about the acceleration."""

    findings: tuple[Finding, ...]
    accelerations: AccelerationSet | None  # None where the rows of `problem` determine it: minimise the Zwang there
    problem: GaussProblem  # the rows, made exactly dependent, with those of higher order
    nearby: tuple[NearbyPoint, ...]
    conditions: Conditions | None
    warnings: tuple[str, ...] = ()
    error: float = 0.0  # estimated error of the acceleration, in the metric, that the uncertainty of the state causes
    motion_unique: bool | None = None  # whether one motion leaves, as far as the rows decide; None: not examined

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdicts, gravest first."""
        return tuple(sorted({f.verdict for f in self.findings}, key=ORDER.index))


def ended(problem: GaussProblem, c: Conditions | None, finding: Finding) -> Analysis:
    """Return the analysis of a state without an acceleration."""
    return Analysis((finding,), nothing(finding.sentence), problem, (), c)


def separately(frame: Frame, found: Analysis) -> Analysis:
    """Return an analysis in which the combinations that may as well vanish nowhere are rows, as far as they are known.

    The other rows must determine one acceleration already; otherwise there is no single one here either. Nor is there
    where such a combination vanishes here: what it demands then is a condition of higher order.
    """
    found, u = replace(found, findings=(verdict_on.regular(len(frame.index)),)), frame.unlocated
    length = np.linalg.norm(u.T @ frame.W, axis=1)
    if found.accelerations is not None or not np.all(length > 0.0):
        return replace(found, accelerations=nothing("not determined"))
    open_by = float(np.sum(frame.unsureness(u, frame.acceleration_scale)[2] / length))
    return replace(found, problem=added(frame, found.problem, u), error=found.error + open_by)


def dead_centre(frame: Frame) -> Finding | None:
    """Return "contradictory" where no velocity satisfies the rows at this position, as at a driven dead centre.

    At order 1 a vanishing combination u demands uᵀψ = 0, in which no velocity is left if the rows are linear in them:
    it is asked at rest.
    """
    if frame.rank == len(frame.index) or not frame.system.model.linear_velocity:
        return None
    U = frame.left_null
    found = order_one(frame, U)
    if not np.any(found.clear):
        return None
    return verdict_on.dead_centre(frame, U[:, found.clear], float(np.max(found.gap[found.clear])))
