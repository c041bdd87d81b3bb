"""The Karush-Kuhn-Tucker system M a − Jᵀλ = f, J a = γ of Gauss's principle, factorised in expressions.

Two forms compute the same. `Schur` eliminates the accelerations, in the order of the coordinates, and factorises
S = J K⁻¹Jᵀ. `Saddle` factorises the whole system [[K, Jᵀ], [J, 0]] in an order that keeps it sparse: a chain of bodies
has a full S, but a saddle matrix of small bandwidth. `form_of` chooses by counted instructions.

Both lose what S is worse conditioned than the system, and masses or units alone can make S as badly conditioned as they
like: a light leg under a heavy platform does. `refined` gives it back, by residuals of the system itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import casadi as ca

from gauss.model.compiled.steps.ordering import Graph, graph_of, join, least_degree, natural, saddle_graph

Form = Literal["schur", "saddle", "staged"]

NANOSECONDS = 1.45  # one instruction of a compiled function
STAGE = 70_000.0  # ns, one stage in NumPy without its arithmetic
FLOP = 0.05  # ns, of dense factorisations and products
MOST = 2_000_000  # instructions of an acceleration; more would take too long to compile
WIDE = 16  # rows with more coordinates get their length by a solve, not from the inverse on the pattern of K


def _on_symmetric_pattern(matrix: ca.SX) -> ca.SX:
    """Return the matrix with explicit zeros where an entry vanished by simplification on one side alone."""
    pattern = matrix.sparsity()
    return matrix if pattern.is_symmetric() else ca.project(matrix, pattern + pattern.T)


class Factorisation:
    """LDLᵀ factorisation of a symmetric matrix of expressions, eliminated in its own order or a given one."""

    def __init__(self, matrix: ca.SX, order: Sequence[int] | None = None):
        self.matrix = _on_symmetric_pattern(ca.sparsify(matrix))
        self.order = None if order is None else list(order)
        self.D, self.LT, self.p = ca.ldl(self._permuted(self.matrix), False)

    def _permuted(self, matrix: ca.SX) -> ca.SX:
        return matrix if self.order is None else matrix[self.order, self.order]

    def solve(self, right: ca.SX) -> ca.SX:
        """Return matrix⁻¹ right."""
        if self.order is None:
            return ca.ldl_solve(right, self.D, self.LT, self.p)
        back = sorted(range(len(self.order)), key=self.order.__getitem__)
        return ca.ldl_solve(ca.densify(right[self.order, :]), self.D, self.LT, self.p)[back, :]

    def pivot(self) -> ca.SX:
        """Return the smallest pivot relative to its diagonal entry: 1 for orthogonal rows, 0 for dependent ones."""
        size = self.matrix.size1()
        return ca.mmin(ca.vec(self.D) / ca.diag(self._permuted(self.matrix))) if size else ca.SX(1.0)


@dataclass(frozen=True)
class Schur:
    """The system on a fixed set of rows by way of S = J K⁻¹Jᵀ."""

    M: ca.SX
    f: ca.SX
    J: ca.SX
    gamma: ca.SX
    K: Factorisation  # M, or M + w JᵀJ for a semidefinite M
    F: ca.SX  # f, or f + w Jᵀγ
    X: ca.SX  # K⁻¹Jᵀ
    S: Factorisation  # J K⁻¹ Jᵀ

    @staticmethod
    def of(M: ca.SX, f: ca.SX, J: ca.SX, gamma: ca.SX, weight: ca.SX | None) -> Schur:
        """Factorise; `weight` w switches to the augmented form, which has the same minimiser and multipliers."""
        M, J = ca.sparsify(M), ca.sparsify(J)
        K, F = metric_and_force(M, f, J, gamma, weight)
        factor = Factorisation(K)
        X = ca.sparsify(factor.solve(J.T)) if J.size1() else ca.SX(M.size1(), 0)
        return Schur(M, f, J, gamma, factor, F, X, Factorisation(J @ X))

    def restricted(self, pick: list[int]) -> Schur:
        """Return the system on some of the rows, in the same metric."""
        J = self.J[pick, :]
        X = self.K.solve(J.T)
        return Schur(self.M, self.f, J, self.gamma[pick], self.K, self.F, X, Factorisation(J @ X))

    def answer(self, force: ca.SX, gamma: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the acceleration and the multipliers for a force and right sides of the rows."""
        free = self.K.solve(force)
        if self.J.size1() == 0:
            return free, ca.SX(0, 1)
        multipliers = self.S.solve(gamma - self.J @ free)
        return free + self.X @ multipliers, multipliers

    def unbalanced(self, a: ca.SX, multipliers: ca.SX) -> ca.SX:
        """Return Jᵀλ − K a."""
        return self.J.T @ multipliers - self.K.matrix @ a

    def pivot(self) -> ca.SX:
        """Return the smaller of the pivots of the mass matrix and of the rows."""
        return ca.fmin(self.K.pivot(), self.row_pivot()) if self.J.size1() else self.K.pivot()

    def row_pivot(self) -> ca.SX:
        """Return the smallest squared sine, in the metric of K, between a row and those before it; 1 without rows."""
        return self.S.pivot()

    def correct(self, residual: ca.SX) -> ca.SX:
        """Return the smallest change in the metric K that moves the rows by −residual."""
        return -self.X @ self.S.solve(residual)

    def inverse(self, residual: ca.SX) -> ca.SX:
        """Return S⁻¹ residual."""
        return self.S.solve(residual)

    def squared(self, force: ca.SX) -> ca.SX:
        """Return the squared length of a force in the inverse metric."""
        return ca.dot(force, self.K.solve(force))

    @property
    def sizes(self) -> ca.SX:
        """The squared lengths (k, 1) of the rows in the metric: the diagonal of S."""
        return ca.diag(self.S.matrix)


@dataclass(frozen=True)
class Oblique:
    """The system with forces that act along other rows than those that hold: K a = F + Gᵀλ, J a = γ.

    So sliding friction does: the multiplier p of a normal row N pushes along N − c T, as the friction force is −c p.
    S = J K⁻¹Gᵀ is not symmetric; where it is a P-matrix, elimination in any order has positive pivots, and where a
    pivot vanishes the normal force has no bound (Painlevé).
    """

    K: Factorisation
    F: ca.SX
    G: ca.SX  # (k, n)
    X: ca.SX  # (n, k) K⁻¹Gᵀ
    J: ca.SX
    gamma: ca.SX
    L: ca.SX  # (k, k) unit lower triangular
    U: ca.SX  # (k, k) upper triangular
    sizes: ca.SX  # (k, 1) squared lengths of the rows J

    @staticmethod
    def of(kkt: Schur, G: ca.SX) -> Oblique:
        """Factorise for the rows of `kkt` with forces along G (k, n)."""
        X = kkt.K.solve(ca.densify(G.T))
        return Oblique(kkt.K, kkt.F, G, X, kkt.J, kkt.gamma, *eliminated(kkt.J @ X), kkt.sizes)

    def answer(self, force: ca.SX, gamma: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the acceleration and the multipliers for a force and right sides of the rows."""
        free = self.K.solve(force)
        x = substituted(self.L, self.U, gamma - self.J @ free)
        return free + self.X @ x, x

    def unbalanced(self, a: ca.SX, multipliers: ca.SX) -> ca.SX:
        """Return Gᵀλ − K a."""
        return self.G.T @ multipliers - self.K.matrix @ a

    def row_pivot(self) -> ca.SX:
        """Return the smallest pivot, relative to the squared length of its row."""
        return ca.mmin(ca.diag(self.U) / self.sizes)


def eliminated(matrix: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return L (unit lower) and U of a matrix L U, by elimination in the given order."""
    U = ca.densify(matrix)
    size = U.size1()
    L = ca.SX.eye(size)
    for i in range(size):
        for j in range(i + 1, size):
            L[j, i] = U[j, i] / U[i, i]
            U[j, i:] = U[j, i:] - L[j, i] * U[i, i:]
            U[j, i] = 0.0
    return L, U


def substituted(L: ca.SX, U: ca.SX, right: ca.SX) -> ca.SX:
    """Return x of L U x = right."""
    right = ca.densify(right)
    size = right.numel()
    y, x = ca.SX.zeros(size), ca.SX.zeros(size)
    for i in range(size):
        y[i] = right[i] - sum((L[i, j] * y[j] for j in range(i)), ca.SX(0.0))
    for i in reversed(range(size)):
        x[i] = (y[i] - sum((U[i, j] * x[j] for j in range(i + 1, size)), ca.SX(0.0))) / U[i, i]
    return x


@dataclass(frozen=True)
class Saddle:
    """The system on a fixed set of rows, by a sparse LDLᵀ of [[K, Jᵀ], [J, 0]] with the unknowns (a, −λ).

    A row is eliminated after its coordinates (`ordering.least_degree`), so the pivots have their signs and their size:
    the factorisation is as stable as a Cholesky factorisation of K followed by one of S, and needs no regularisation.
    """

    M: ca.SX
    f: ca.SX
    J: ca.SX
    gamma: ca.SX
    K: ca.SX  # M, or M + w JᵀJ for a semidefinite M
    F: ca.SX  # f, or f + w Jᵀγ

    @staticmethod
    def of(M: ca.SX, f: ca.SX, J: ca.SX, gamma: ca.SX, weight: ca.SX | None) -> Saddle:
        """State the system; `weight` w switches to the augmented form."""
        M, J = ca.sparsify(M), ca.sparsify(J)
        K, F = metric_and_force(M, f, J, gamma, weight)
        return Saddle(M, f, J, gamma, ca.sparsify(K), F)

    def restricted(self, pick: list[int]) -> Saddle:
        """Return the system on some of the rows, in the same metric."""
        return Saddle(self.M, self.f, self.J[pick, :], self.gamma[pick], self.K, self.F)

    @cached_property
    def factor(self) -> Factorisation:
        """The factorised saddle matrix."""
        k = self.J.size1()
        rows = supports(self.J)
        order = least_degree(saddle_graph(pattern(self.K), rows), rows)
        return Factorisation(ca.blockcat([[self.K, self.J.T], [self.J, ca.SX(k, k)]]), order.nodes)

    @cached_property
    def metric(self) -> Factorisation:
        """The factorised K."""
        return Factorisation(self.K, least_degree(pattern(self.K)).nodes)

    def answer(self, force: ca.SX, gamma: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the acceleration and the multipliers for a force and right sides of the rows."""
        n = self.K.size1()
        x = self.factor.solve(ca.vertcat(force, gamma))
        return x[:n], -x[n:]

    def unbalanced(self, a: ca.SX, multipliers: ca.SX) -> ca.SX:
        """Return Jᵀλ − K a."""
        return self.J.T @ multipliers - self.K @ a

    def pivot(self) -> ca.SX:
        """Return the smallest pivot: of the rows, and of the coordinates relative to the diagonal of K."""
        n = self.K.size1()
        order, D = self.factor.order or [], ca.vec(self.factor.D)
        places = [i for i, node in enumerate(order) if node < n]
        masses = D[places] / ca.densify(ca.diag(self.K))[[order[i] for i in places]]
        return ca.fmin(ca.mmin(masses), self.row_pivot())

    def row_pivot(self) -> ca.SX:
        """Return the smallest pivot of the rows, relative to their length; 1 without rows.

        A row's pivot is minus what the coordinates before it contribute to its squared length plus what the rows
        before it take away; the quotient of pivot and contribution is 1 for a row orthogonal to those before it, 0 for
        a dependent one. For diagonal K it is the squared sine between the row and those eliminated before it; for
        others the same in an equivalent metric, K with the coordinates held that are still to be eliminated.
        """
        n = self.K.size1()
        order, D = self.factor.order or [], ca.vec(self.factor.D)
        places = [i for i, node in enumerate(order) if node < n]
        rows = [i for i, node in enumerate(order) if node >= n]
        if not rows:
            return ca.SX(1.0)
        contributions = (self.factor.LT[places, rows] ** 2).T @ D[places]
        return ca.mmin(-D[rows] / contributions)

    def correct(self, residual: ca.SX) -> ca.SX:
        """Return the smallest change in the metric K that moves the rows by −residual."""
        n = self.K.size1()
        return self.factor.solve(ca.vertcat(ca.SX(n, 1), -residual))[:n]

    def inverse(self, residual: ca.SX) -> ca.SX:
        """Return S⁻¹ residual."""
        n = self.K.size1()
        return -self.factor.solve(ca.vertcat(ca.SX(n, 1), residual))[n:]

    def squared(self, force: ca.SX) -> ca.SX:
        """Return the squared length of a force in the inverse metric."""
        return ca.dot(force, self.metric.solve(force))

    @cached_property
    def sizes(self) -> ca.SX:
        """The squared lengths (k, 1) of the rows in the metric, J_i K⁻¹ J_iᵀ.

        As S is full, they are taken from the derivative of log det(K + Σ εᵢ JᵢᵀJᵢ) by εᵢ at ε = 0: reverse
        differentiation of the sparse factorisation, which computes no more of K⁻¹ than its entries on the pattern.
        """
        J, rows = self.J, supports(self.J)
        sizes = [ca.SX(0.0)] * len(rows)
        narrow = [i for i, row in enumerate(rows) if len(row) <= WIDE]
        if narrow:
            graph = pattern(self.K)
            join(graph, [rows[i] for i in narrow])
            epsilon = ca.SX.sym("epsilon", len(narrow))
            part = J[narrow, :]
            D = Factorisation(self.K + part.T @ ca.diag(epsilon) @ part, least_degree(graph).nodes).D
            gradient = ca.gradient(ca.sum1(ca.log(ca.vec(D))), epsilon)
            values = ca.vertsplit(ca.substitute(gradient, epsilon, ca.SX.zeros(len(narrow))))
            for i, value in zip(narrow, values, strict=True):
                sizes[i] = value
        for i in range(len(rows)):
            if len(rows[i]) > WIDE:
                sizes[i] = self.squared(ca.densify(J[i, :].T))
        return ca.vertcat(*sizes)


KKT = Schur | Saddle


def refined(system: KKT | Oblique, force: ca.SX, gamma: ca.SX, sweeps: int) -> tuple[ca.SX, ca.SX]:
    """Return acceleration and multipliers after `sweeps` of iterative refinement.

    A sweep multiplies the error by the unit roundoff times the condition of S, down to what the residuals allow: that
    of M, J, f and γ as they are, not squared.
    """
    a, multipliers = system.answer(force, gamma)
    for _ in range(sweeps):
        more, loads = refinement(system, force, gamma, a, multipliers)
        a, multipliers = a + more, multipliers + loads
    return a, multipliers


def refinement(system: KKT | Oblique, force: ca.SX, gamma: ca.SX, a: ca.SX, multipliers: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return by how much one sweep changes a and λ: the noise that they have without it."""
    return system.answer(force + system.unbalanced(a, multipliers), gamma - system.J @ a)


def kkt_of(form: Form, M: ca.SX, f: ca.SX, J: ca.SX, gamma: ca.SX, weight: ca.SX | None) -> KKT:
    """Return the system in the given form."""
    return Saddle.of(M, f, J, gamma, weight) if form == "saddle" else Schur.of(M, f, J, gamma, weight)


def distance(kkt: KKT, residual: ca.SX) -> ca.SX:
    """Return the largest row residual as a distance in the metric of K; 0 without rows."""
    if residual.numel() == 0:
        return ca.SX(0.0)
    return ca.mmax(ca.fabs(residual) / ca.sqrt(kkt.sizes))


def metric_and_force(M: ca.SX, f: ca.SX, J: ca.SX, gamma: ca.SX, weight: ca.SX | None) -> tuple[ca.SX, ca.SX]:
    """Return M and f, or M + w JᵀJ and f + w Jᵀγ, which have the same minimiser and multipliers."""
    return (M, f) if weight is None else (M + weight * (J.T @ J), f + weight * (J.T @ gamma))


def pattern(matrix: ca.SX) -> Graph:
    """Return the graph of a sparse symmetric matrix."""
    rows, columns = matrix.sparsity().get_triplet()
    return graph_of(matrix.size1(), zip(rows, columns, strict=True))


def supports(J: ca.SX) -> list[list[int]]:
    """Return the columns in which each row of a sparse matrix has entries."""
    found: list[list[int]] = [[] for _ in range(J.size1())]
    for i, j in zip(*J.sparsity().get_triplet(), strict=True):
        found[i].append(j)
    return found


def form_of(M: ca.SX, J: ca.SX, augmented: bool) -> Form:
    """Return the form in which a constrained acceleration costs least: compiled in one of two forms, or in NumPy.

    Compiled code costs its instructions, counted without writing them down; stages in NumPy cost the calls and dense
    factorisations. What both spend on the terms of the model is left out.
    """
    M, J = ca.sparsify(M), ca.sparsify(J)
    metric, rows = pattern(M), supports(J)
    if augmented:
        join(metric, rows)
    n, m = len(metric), len(rows)
    flops = n**3 / 3 + 2 * n * n * m + 2 * m * m * n + m**3 / 3
    most = min((STAGE + flops * FLOP) / NANOSECONDS, MOST)
    graph = saddle_graph(metric, rows)
    saddle = least_degree(graph, rows, most).instructions
    schur = natural(graph, 2 * saddle).instructions + 2 * m * natural(metric, saddle).fill
    if min(schur, saddle) > most:
        return "staged"
    return "schur" if schur <= 2 * saddle else "saddle"
