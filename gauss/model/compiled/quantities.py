"""Numbers beside a model: functions of named vectors, traced and compiled as models are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import casadi as ca

from gauss.model.compiled.buffer import Buffered, Mapped, dense_function
from gauss.model.compiled.trace import Symbols
from gauss.model.coordinates import Named


def compiled(
    name: str, inputs: Mapping[str, Sequence[str]], outputs: Sequence[str], make: Callable[..., Sequence[Any]]
) -> Buffered:
    """Return what `make` says as a compiled function of arrays, its `function` as one of CasADi.

    `make` takes an argument by name for each input, components by name, and returns as many columns (lists), or
    matrices (lists of rows), as there are names of outputs.
    """
    symbols = {word: ca.SX.sym(word, len(names)) for word, names in inputs.items()}
    found = make(**{word: Named(names, ca.vertsplit(symbols[word])) for word, names in inputs.items()})
    given = [_stacked(each) for each in found]
    shared = ca.cse([ca.densify(each) for each in given])
    return Buffered(ca.Function(name, list(symbols.values()), shared, list(inputs), list(outputs)))


def generalized_force(
    system: Any,
    names: Sequence[str],
    potential: Callable[[Any], Any],
    shares: Callable[[dict[str, Any]], Sequence[Mapping[str, Any]]] | None,
) -> Mapped:
    """Return (q, v, t, theta) → the generalized force (k,) on k coordinates of a system, at many states.

    It is that of a potential of the coordinates by name, and of shares by coordinate, made from q, v, t, p and u by
    name.
    """
    s = Symbols.of(system.coordinates, tuple(system.parameters), system.controls)
    q, energy = s.named["q"], ca.SX(potential(s.named["q"]))
    total = {name: -ca.jacobian(energy, q[name]) for name in names}
    for share in () if shares is None else shares(s.named):
        for name, value in share.items():
            total[name] = total[name] + value
    inputs = [s.q, s.v, s.t, ca.vertcat(s.p, s.u)]
    return Mapped(dense_function("generalized_force", inputs, [ca.vertcat(*total.values())], often=False))


def _stacked(rows: Sequence[Any]) -> ca.SX:
    if rows and isinstance(rows[0], (list, tuple)):
        return ca.vertcat(*(ca.horzcat(*(ca.SX(x) for x in row)) for row in rows))
    return ca.vertcat(*(ca.SX(x) for x in rows))
