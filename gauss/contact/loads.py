"""Forces that see multipliers, at one state: all multipliers that such a force and Gauss's principle agree on.

The multipliers s that a force f sees obey F(s) = s − c + gᵀ f(s) = 0 (`gauss.model.compiled.loads`), at one state k
equations with numbers c (k,) and g (n, k). A journal with the friction torque c|λ| is of this kind, a tyre whose force
depends on the load of its wheel, a gear with losses. There may be one solution, several, or none (Painlevé's paradox
has a smooth sibling), so the verdict needs a proof:

* where |∂(gᵀf)/∂s| is bounded over all s by a matrix C with a spectral radius below 1, s ← c − gᵀf(s) is a contraction
  in a weighted norm (Perron), and there is exactly one solution;
* otherwise Krawczyk's operator finds all solutions in a box, |s| up to a thousand times what acts, or the verdict is
  "undecided".

The law is evaluated with intervals as a linear combination of its nonlinear parts, so that what cancels does cancel:
a torque that acts on many coordinates is one part. c and g are rounded numbers; what that leaves open is in the
residual, which the acceleration's error contains.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gauss.foundation.arrays import Array, Indices
from gauss.foundation.dependence import unit_rank
from gauss.foundation.outcomes import NONE, ONE, SEVERAL, UNDECIDED
from gauss.model import System
from gauss.model.compiled.graph import Graph, Operation
from gauss.model.state import State
from gauss.numerics.intervals import OPERATIONS, Interval, roots_in_box, widened

FARTHEST = 1000.0  # times the largest multiplier at hand: the box in which all solutions are found
ASIDE = 1.0137  # of the box's other end, so that it is not halved where a law has its kink
CONTRACTING = 1.0 - 1e-6  # spectral radius up to which the iteration counts as a contraction
PADDED = 1e-13  # share of the terms by which values are widened: c and g have roundings


@dataclass(frozen=True)
class LoadFindings:
    """What is known of the multipliers that a force sees, at one state."""

    names: tuple[str, ...]  # (k,) of their rows
    status: str  # "one", "several", "none" or "undecided"
    solutions: Array  # (r, k) the multipliers s of each solution
    forces: Array  # (r, n) f there
    evidence: str  # why there are no others, or what is missing
    residual: float  # the largest of F(s), relative to its terms
    error: float  # of the multipliers, by the residual: |F'⁻¹ F|

    @property
    def sentence(self) -> str:
        """How many solutions there are, and what they are."""
        shown = "; or ".join(
            ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.names, s, strict=True)) for s in self.solutions[:4]
        )
        word = {
            ONE: "the multipliers that the forces see are unique",
            SEVERAL: f"{len(self.solutions)} sets of multipliers agree with the forces that see them",
            NONE: "no multipliers agree with the forces that see them: no smooth motion leaves",
            UNDECIDED: "whether the multipliers that the forces see are unique is not decided",
        }[self.status]
        return f"loads: {word}{f' ({shown})' if shown else ''}; {self.evidence}."


def load_findings(system: System, state: State, u: object = None) -> LoadFindings:
    """Return all multipliers that the forces of a System which see multipliers agree with at a state.

    Raises AssertionError where no force sees any: `system.model.seen` is None.
    """
    seen = system.model.seen
    assert seen is not None
    at = (state.q, state.v, state.t, system.theta(u))
    followed, c, g = (x.reshape(y) for x, y in zip(seen.numbers(*at), (-1, -1, (system.n, -1)), strict=True))
    names = seen.names
    if not np.all(np.isfinite(c)) or not np.all(np.isfinite(g)) or _dependent(system, state, u):
        why = "rows depend on one another or leave directions without inertia, and do not determine the multipliers"
        return LoadFindings(names, UNDECIDED, *_none(len(names), system.n), why, np.inf, np.inf)
    constants, graph = seen.law
    law = LoadLaw(graph, constants(*at)[0], c, g)

    def forces(s: Array) -> Array:
        return np.array([seen.force(*at, x)[0] for x in s]).reshape(-1, system.n)

    def packed(status: str, s: Array, evidence: str) -> LoadFindings:
        residual, error = 0.0, 0.0
        for x in s:
            f, slope = seen.force(*at, x)
            off, matrix = x - c + g.T @ f, np.eye(len(c)) + g.T @ np.nan_to_num(slope.reshape(system.n, -1))
            terms = np.abs(x) + np.abs(c) + np.abs(g).T @ np.abs(f)
            residual = max(residual, float(np.max(np.abs(off) / np.maximum(terms, np.finfo(float).tiny))))
            error = max(error, float(np.max(np.abs(np.linalg.lstsq(matrix, off)[0]))))
        return LoadFindings(names, status, s, forces(s), evidence, residual, error)

    radius = law.radius
    if radius < CONTRACTING and np.all(np.isfinite(followed)):
        return packed(ONE, followed[None], f"the forces contract them by the factor {radius:.2g}")
    start = np.abs(np.where(np.isfinite(followed), followed, 0.0))
    largest = float(np.max(np.concatenate([start, np.abs(c), law.sizes]))) or 1.0
    end = np.full(len(c), FARTHEST * largest)
    roots = roots_in_box(law.value, law.slope, -end, ASIDE * end)
    if not roots.all_known:
        left = f"{len(roots.unresolved)} of {roots.boxes} boxes of multipliers up to {end[0]:.3g} are not resolved"
        return packed(UNDECIDED, roots.found, left)
    status = (NONE, ONE, SEVERAL)[min(len(roots.found), 2)]
    return packed(status, roots.found, f"interval Newton, all multipliers up to {end[0]:.3g}")


def _dependent(system: System, state: State, u: object) -> bool:
    """Whether equality rows, each of unit length, depend on one another."""
    J = system.model.terms(state.q, state.v, state.t, system.theta(u)).J[list(system.model.equality)]
    return unit_rank(J) < len(J)


def _none(k: int, n: int) -> tuple[Array, Array]:
    return np.zeros((0, k)), np.zeros((0, n))


@dataclass(frozen=True)
class LoadLaw:
    """F(s) = s − c + gᵀ f(s) and F' with intervals."""

    graph: Graph
    constants: Array
    c: Array  # (k,)
    g: Array  # (n, k)

    @property
    def k(self) -> int:
        """How many multipliers are seen."""
        return len(self.c)

    def value(self, low: Array, high: Array) -> Interval:
        """Return F of boxes (N, k)."""
        with np.errstate(all="ignore"):
            return self._value(low, high)

    def _value(self, low: Array, high: Array) -> Interval:
        places = np.arange(len(self.g))
        parts = [self._combined(places, self.g[:, j], low, high) for j in range(self.k)]
        lower, upper = (np.stack([part[end] for part in parts], axis=1) for end in (0, 1))
        room = PADDED * (np.abs(low) + np.abs(self.c))
        return low - self.c + lower - room, high - self.c + upper + room

    def slope(self, low: Array, high: Array) -> Interval:
        """Return F' of boxes (N, k) as (N, k, k)."""
        with np.errstate(all="ignore"):
            return self._slope(low, high)

    def _slope(self, low: Array, high: Array) -> Interval:
        n, k = self.g.shape
        lower, upper = np.zeros((2, len(low), k, k))
        for i in range(k):
            places = n + np.arange(n) * k + i
            for j in range(k):
                found = self._combined(places, self.g[:, j], low, high)
                lower[:, j, i], upper[:, j, i] = found[0] + (i == j), found[1] + (i == j)
        return lower, upper

    @cached_property
    def radius(self) -> float:
        """A bound of the spectral radius of |∂(gᵀf)/∂s| over all s; infinite where there is none."""
        low, high = self.slope(np.full((1, self.k), -np.inf), np.full((1, self.k), np.inf))
        C = np.maximum(np.abs(low[0] - np.eye(self.k)), np.abs(high[0] - np.eye(self.k)))
        return float(np.max(np.abs(np.linalg.eigvals(C)))) if np.all(np.isfinite(C)) else np.inf

    @cached_property
    def sizes(self) -> Array:
        """The part of the multipliers (k,) that comes from forces which see none of them."""
        at = np.zeros((1, self.k))
        low, high = self.value(at, at)
        found = np.maximum(np.abs(low[0]), np.abs(high[0]))
        return np.where(np.isfinite(found), found, 0.0)

    def _combined(self, places: Indices, weights: Array, low: Array, high: Array) -> Interval:
        """Return Σ w_i x_i of outputs with the given places over boxes (N, k), as (N,) each."""
        forms, atoms = self._parts(low, high)
        outputs = self.graph.outputs["law"]
        total: dict[int, float] = {}
        sizes: dict[int, float] = {}
        constant = size = 0.0
        for place, weight in zip(places, weights, strict=True):
            at = outputs[place]
            if at < 0 or weight == 0.0:
                continue
            terms, number = forms[at]
            constant, size = constant + weight * number, size + abs(weight * number)
            for atom, factor in terms.items():
                total[atom] = total.get(atom, 0.0) + weight * factor
                sizes[atom] = sizes.get(atom, 0.0) + abs(weight * factor)
        room = np.full(len(low), PADDED * size)
        for atom, share in sizes.items():
            reach = np.maximum(np.abs(atoms[atom][0]), np.abs(atoms[atom][1]))
            room = room + np.where(np.isfinite(reach), PADDED * share * reach, 0.0)
            if abs(total[atom]) <= PADDED * share:  # rounding of what cancels
                total[atom] = 0.0
                room = room + np.where(np.isfinite(reach), 0.0, np.inf)
        found = _sum(total, constant, atoms, len(low))
        return found[0] - room, found[1] + room

    def _parts(self, low: Array, high: Array) -> tuple[list[tuple[dict[int, float], float]], dict[int, Interval]]:
        """Return each operation as a linear combination of nonlinear ones and a constant, and the intervals of these.

        The last boxes that were asked for are kept.
        """
        key = (low.tobytes(), high.tobytes())
        known = self.__dict__.get("_last")
        if known is None or known[0] != key:
            known = (key, self._evaluated(low, high))
            self.__dict__["_last"] = known
        return known[1]

    def _evaluated(self, low: Array, high: Array) -> tuple[list[tuple[dict[int, float], float]], dict[int, Interval]]:
        forms: list[tuple[dict[int, float], float]] = []
        atoms: dict[int, Interval] = {}
        operations = self.graph.operations
        for k, operation in enumerate(operations):
            name, inputs = operation.name, [forms[i] for i in operation.inputs] if operation.name != "input" else []
            if name == "const":
                forms.append(({}, operation.value))
            elif name == "input":
                argument, entry = operation.inputs
                if argument == 0:
                    atoms[k] = low[:, entry], high[:, entry]
                    forms.append(({k: 1.0}, 0.0))
                else:
                    forms.append(({}, float(self.constants[entry])))
            elif (linear := _linear(name, inputs)) is not None:
                forms.append(linear)
            else:
                ranges = [_sum(terms, number, atoms, len(low)) for terms, number in inputs]
                function = OPERATIONS.get(name)
                everything = np.full(len(low), -np.inf), np.full(len(low), np.inf)
                found = everything if function is None else function(*ranges)
                if name == "div":
                    below = operations[operation.inputs[1]]
                    if below.name == "hypot" and operation.inputs[0] in _legs(operations, below):
                        found = np.maximum(found[0], -1.0), np.minimum(found[1], 1.0)
                atoms[k] = found
                forms.append(({k: 1.0}, 0.0))
        return forms, atoms


def _legs(operations: tuple[Operation, ...], hypotenuse: Operation) -> set[int]:
    """Return the places of the two arguments of a hypotenuse, and of what they are the negatives of."""
    turned = {i for leg in hypotenuse.inputs if operations[leg].name == "neg" for i in operations[leg].inputs}
    return turned | set(hypotenuse.inputs)


def _linear(name: str, inputs: list[tuple[dict[int, float], float]]) -> tuple[dict[int, float], float] | None:
    """Return the linear combination that an operation on such is, None where it is not linear."""
    if name in ("add", "sub"):
        (one, a), (two, b) = inputs
        sign = 1.0 if name == "add" else -1.0
        terms = dict(one)
        for atom, factor in two.items():
            terms[atom] = terms.get(atom, 0.0) + sign * factor
        return terms, a + sign * b
    if name in ("neg", "twice", "assign"):
        return _scaled(inputs[0], {"neg": -1.0, "twice": 2.0, "assign": 1.0}[name])
    if name == "mul" and not inputs[0][0]:
        return _scaled(inputs[1], inputs[0][1])
    if name == "mul" and not inputs[1][0]:
        return _scaled(inputs[0], inputs[1][1])
    if name == "div" and not inputs[1][0] and inputs[1][1] != 0.0:
        return _scaled(inputs[0], 1.0 / inputs[1][1])
    return None


def _scaled(form: tuple[dict[int, float], float], factor: float) -> tuple[dict[int, float], float]:
    return {atom: factor * x for atom, x in form[0].items()}, factor * form[1]


def _sum(terms: dict[int, float], number: float, atoms: dict[int, Interval], count: int) -> Interval:
    """Return a linear combination of intervals and a constant."""
    low, high = np.full(count, number), np.full(count, number)
    for atom, factor in terms.items():
        if factor != 0.0:
            ends = atoms[atom] if factor > 0.0 else atoms[atom][::-1]
            low, high = low + factor * ends[0], high + factor * ends[1]
    return widened(low, high)
