"""The quadratic program of Gauss's principle at a state, compiled for OSQP: reduced, or sparse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca

from gauss.model.compiled.buffer import Buffered, Mapped, Pattern, dense_function
from gauss.model.compiled.steps.kkt import metric_and_force, pattern, supports
from gauss.model.compiled.steps.ordering import join

if TYPE_CHECKING:
    from gauss.model.compiled.trace import Trace

ENTRIES = 600  # of full rows and a full triangular metric; OSQP solves smaller problems faster reduced


@dataclass(frozen=True)
class GaussData:
    """The Gauss problem at one state, reduced for a quadratic-program solver, in one compiled call.

    With K = LLᵀ and z = Lᵀ(a − a_free) the Zwang is ½|z|². Equality rows are replaced by orthonormal ones, unilateral
    rows are scaled to unit length. Input (q, v, t, a, extra, theta, w), where extra (n,) is a force that was not
    traced; output: A (k, n), its lower bounds (k,), z of the given a, and |z|.
    """

    function: Buffered
    many: Mapped  # the same at many states
    rows: tuple[int, ...]  # (k,) indices: equality rows, then unilateral rows
    equalities: int  # how many of the k rows are equalities

    @staticmethod
    def build(trace: Trace, arguments: list[ca.SX], rows: tuple[int, ...], augmented: bool) -> GaussData:
        """Compile the reduction for the given rows."""
        q, v, t, theta = arguments
        w, a, extra = ca.SX.sym("w"), ca.SX.sym("a", q.numel()), ca.SX.sym("extra", q.numel())
        f = trace.f + extra
        equality = tuple(r for r in rows if trace.kinds[r] != "unilateral")
        unilateral = tuple(r for r in rows if trace.kinds[r] == "unilateral")
        J, gamma, _, _ = trace.rows(equality)
        Ju, gu, _, _ = trace.rows(unilateral)
        K, F = metric_and_force(trace.M, f, J, gamma, w if augmented else None)
        upper = ca.chol(ca.sparsify(K))  # K = upperᵀ upper
        free = ca.solve(upper, ca.solve(upper.T, F))
        blocks, bounds = [], []
        if equality:
            whitened = ca.solve(upper.T, J.T).T
            c = ca.chol(whitened @ whitened.T)
            blocks.append(ca.solve(c.T, whitened))
            bounds.append(ca.solve(c.T, gamma - J @ free))
        if unilateral:
            whitened = ca.solve(upper.T, Ju.T).T
            length = ca.sqrt(ca.sum2(whitened**2))
            blocks.append(whitened / ca.repmat(length, 1, q.numel()))
            bounds.append((gu - Ju @ free) / length)
        A = ca.vertcat(*blocks) if blocks else ca.SX(0, q.numel())
        low = ca.vertcat(*bounds) if bounds else ca.SX(0, 1)
        z = upper @ (a - free)
        function = dense_function("gauss", [q, v, t, a, extra, theta, w], [A, low, z, ca.norm_2(ca.densify(z))])
        return GaussData(Buffered(function), Mapped(function), equality + unilateral, len(equality))


@dataclass(frozen=True)
class SparseGaussData:
    """The Gauss problem at one state for a solver of sparse quadratic programs, in one compiled call.

    With E = diag(K)^½ and y = E a: min ½ yᵀP y + hᵀy subject to low ≤ A y, with equality in the first rows. P = E⁻¹KE⁻¹
    has a unit diagonal and the rows of A have unit length. Input as for `GaussData`; output: the stored entries of the
    upper triangle of P, h (n,), the stored entries of A, low (k,), and y of the given a. Stored entries stay where they
    are, zero or not. Without equality rows an empty row 0 = 0 comes first.
    """

    function: Buffered
    many: Mapped  # the same at many states
    rows: tuple[int, ...]  # (k,) or (k − 1,) indices: equality rows, then unilateral rows
    equalities: int  # how many of the k rows are equalities, the empty one included
    P: Pattern  # (n, n)
    A: Pattern  # (k, n)

    @staticmethod
    def build(trace: Trace, arguments: list[ca.SX], rows: tuple[int, ...], augmented: bool) -> SparseGaussData:
        """Compile the problem for the given rows."""
        q, v, t, theta = arguments
        n = q.numel()
        w, a, extra = ca.SX.sym("w"), ca.SX.sym("a", n), ca.SX.sym("extra", n)
        equality = tuple(r for r in rows if trace.kinds[r] != "unilateral")
        unilateral = tuple(r for r in rows if trace.kinds[r] == "unilateral")
        J, gamma, _, _ = trace.rows(equality)
        K, F = metric_and_force(trace.M, trace.f + extra, ca.sparsify(J), gamma, w if augmented else None)
        K = ca.sparsify(K)
        shrink = 1 / ca.sqrt(ca.densify(ca.diag(K)))
        J, low, _, _ = trace.rows((*equality, *unilateral))
        A = ca.sparsify(J) @ ca.diag(shrink)
        length = ca.sqrt(ca.densify(ca.sum2(A**2)))
        A, low = ca.diag(1 / length) @ A, low / length
        if not equality:
            A, low = ca.vertcat(ca.SX(1, n), A), ca.vertcat(0.0, low)
        P = ca.triu(ca.diag(shrink) @ K @ ca.diag(shrink))
        outputs = [P.nz[:], -shrink * F, A.nz[:], low, a / shrink]
        function = dense_function("gauss", [q, v, t, a, extra, theta, w], outputs)
        rows, equalities = equality + unilateral, max(len(equality), 1)
        return SparseGaussData(Buffered(function), Mapped(function), rows, equalities, Pattern.of(P), Pattern.of(A))


def sparse_pays(trace: Trace, rows: tuple[int, ...], augmented: bool) -> bool:
    """Return whether OSQP is given the sparse problem: it is large, and most of its entries are zero."""
    n = int(trace.M.size1())
    J = ca.sparsify(trace.J[list(rows), :])
    metric = pattern(ca.sparsify(trace.M))
    if augmented:
        join(metric, supports(J))
    full = len(rows) * n + n * (n + 1) // 2
    stored = int(J.nnz()) + n + sum(len(neighbours) for neighbours in metric) // 2
    return full > ENTRIES and 2 * stored <= full
